/*
 * scratch_columns.c - columns of a product in files: tables, transforms over the rows, and the way from and to digits.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A level with radix q divides transforms of N rows into q of N / q rows: point j of transform t is the DFT's output t of rows
 * j, j + N / q, .., times e(j t / N).  So place s of the result has a row f(s) whose digits are reversed.  The inverse runs the
 * levels in reverse.  Residues are below p between all steps.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/rounding.h"
#include "scratch/scratch.h"
#include "text/text_chars.h"

enum { RADIX_MAX = 7 };

/* ---- arithmetic: p < 2^62 ---- */

static inline uint64_t mod_add(uint64_t a, uint64_t b, uint64_t p)
{
    const uint64_t s = a + b;
    return s >= p ? s - p : s;
}

static inline uint64_t mod_sub(uint64_t a, uint64_t b, uint64_t p)
{
    return a >= b ? a - b : a + p - b;
}

/* mod_montgomery - a b / 2^64 mod p. */
static inline uint64_t mod_montgomery(uint64_t a, uint64_t b, const struct column_tables *t)
{
    const unsigned __int128 ab = (unsigned __int128)a * b;
    const uint64_t q = (uint64_t)ab * t->montgomery; /* ab + q p = 0 modulo 2^64, and below 2^125 */
    const uint64_t r = (uint64_t)((ab + (unsigned __int128)q * t->p) >> 64);
    return r >= t->p ? r - t->p : r;
}

/* ---- tables ---- */

static const unsigned radices[] = {7, 5, 3, 2};

uint64_t columns_memory(size_t rows, unsigned threads)
{
    uint64_t pairs = 0, words = 2 * rows; /* both directions follow */
    size_t points = rows;
    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++)
        for (; points % radices[i] == 0; points /= radices[i])
            pairs += points + radices[i];
    pairs += rows;
    return WORD_PRIMES * (2 * pairs * sizeof(struct prime_multiplier) + words * sizeof(uint64_t)) +
           (uint64_t)threads * WORD_PRIMES * rows * (SCRATCH_TILE + 1) * sizeof(uint64_t);
}

/* powers_put - count powers of w, from 1 on. */
static void powers_put(struct prime_multiplier *to, size_t count, uint64_t w, uint64_t p)
{
    uint64_t power = 1;
    for (size_t i = 0; i < count; i++, power = residue_mul(power, w, p))
        to[i] = prime_multiplier(power, p);
}

/* level_set - a level of N = points rows.   at in: room; out: behind it */
static void level_set(struct column_level *l, unsigned radix, size_t points, const struct prime *prime,
                      struct prime_multiplier **at)
{
    const uint64_t p = prime->p, w = prime_root(prime, points), root = prime_root(prime, radix);
    *l = (struct column_level){.radix = radix, .points = points};
    for (unsigned back = 0; back < 2; back++) {
        const uint64_t one = back ? residue_inverse(w, p) : w;
        l->turn[back] = *at;
        uint64_t step = 1;
        for (unsigned t = 0; t < radix; t++, step = residue_mul(step, one, p))
            powers_put(l->turn[back] + t * (points / radix), points / radix, step, p);
        *at += points;
        l->root[back] = *at;
        powers_put(l->root[back], radix, back ? residue_inverse(root, p) : root, p);
        *at += radix;
    }
}

/* place_row - the row f of place s. */
static size_t place_row(const struct column_tables *t, size_t place)
{
    size_t f = 0, weight = 1;
    for (unsigned i = 0; i < t->levels; i++) {
        const size_t part = t->level[i].points / t->level[i].radix;
        f += place / part * weight;
        place %= part;
        weight *= t->level[i].radix;
    }
    return f;
}

/* tables_set - the tables of a prime.   at in: room; out: behind it */
static void tables_set(struct column_tables *t, const struct prime *prime, const struct scratch_plan *plan, void **at)
{
    const uint64_t p = prime->p, w = prime_root(prime, plan->rows * plan->row_points);
    struct prime_multiplier *pairs = *at;
    uint64_t inverse = p; /* modulo 8; each step doubles the bits */
    for (unsigned known = 3; known < 64; known *= 2)
        inverse *= 2 - p * inverse;
    *t = (struct column_tables){.p = p, .montgomery = 0 - inverse};
    size_t points = plan->rows;
    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++)
        for (; points % radices[i] == 0; points /= radices[i])
            level_set(&t->level[t->levels++], radices[i], points, prime, &pairs);
    const uint64_t two64 = (uint64_t)(((unsigned __int128)1 << 64) % p);
    t->two64 = prime_multiplier(two64, p);
    t->start[0] = two64;
    t->start[1] = residue_mul(two64, residue_inverse(plan->rows % p, p), p);
    for (unsigned back = 0; back < 2; back++) {
        t->lanes[back] = pairs;
        pairs += plan->rows;
    }
    uint64_t *words = (uint64_t *)pairs;
    for (unsigned back = 0; back < 2; back++, words += plan->rows) {
        t->step[back] = words;
        const uint64_t one = back ? residue_inverse(w, p) : w;
        for (size_t s = 0; s < plan->rows; s++) {
            words[s] = residue_power(one, place_row(t, s), p);
            t->lanes[back][s] = prime_multiplier(residue_power(words[s], COLUMN_LANES, p), p);
        }
    }
    *at = words;
}

/* base_set - 10^k and its reciprocal. */
static void base_set(struct columns *c, size_t k)
{
    unsigned __int128 rest = 1;
    c->base = 1;
    for (size_t i = 0; i < k; i++)
        c->base *= 10;
    c->reciprocal = 0;
    for (unsigned bit = 0; bit < 192; bit++) { /* long division; rest < 10^k < 2^80 */
        rest *= 2;
        c->reciprocal = 2 * c->reciprocal + (rest >= c->base);
        rest -= rest >= c->base ? c->base : 0;
    }
}

enum gfmul_status columns_create(struct columns *c, const struct scratch_plan *plan)
{
    const uint64_t p0 = word_primes[0].p, p1 = word_primes[1].p, p2 = word_primes[2].p;
    *c = (struct columns){.plan = plan};
    if (!plan->binary)
        base_set(c, plan->k);
    void *at = c->memory = alloc_aligned((size_t)columns_memory(plan->rows, 0));
    if (at == NULL)
        return GFMUL_ERR_MEMORY;
    for (unsigned i = 0; i < WORD_PRIMES; i++)
        tables_set(&c->prime[i], &word_primes[i], plan, &at);
    c->inverse[0] = prime_multiplier(residue_inverse(p0 % p1, p1), p1);
    c->inverse[1] = prime_multiplier(residue_inverse(p0 % p2, p2), p2);
    c->inverse[2] = prime_multiplier(residue_inverse(p1 % p2, p2), p2);
    return GFMUL_OK;
}

void columns_destroy(struct columns *c)
{
    alloc_free(c->memory);
    *c = (struct columns){.plan = NULL};
}

/* ---- transforms over the rows of a tile: [row][SCRATCH_TILE] ---- */

/* dft - x[t] becomes the sum of x[s] root[s t mod radix]. */
static inline void dft(uint64_t *x, size_t radix, const struct prime_multiplier *root, uint64_t p)
{
    uint64_t sum[RADIX_MAX];
    for (size_t t = 0; t < radix; t++) {
        sum[t] = x[0];
        for (size_t s = 1; s < radix; s++)
            sum[t] = mod_add(sum[t], t == 0 ? x[s] : prime_multiply(x[s], &root[s * t % radix]), p);
    }
    memcpy(x, sum, radix * sizeof *x);
}

static void level_2_forward(uint64_t *low, uint64_t *high, const struct prime_multiplier *w)
{
    for (size_t c = 0; c < SCRATCH_TILE; c++) {
        const uint64_t a = low[c], b = high[c];
        low[c] = mod_add(a, b, w->p);
        high[c] = prime_multiply(a + w->p - b, w);
    }
}

static void level_2_back(uint64_t *low, uint64_t *high, const struct prime_multiplier *w)
{
    for (size_t c = 0; c < SCRATCH_TILE; c++) {
        const uint64_t a = low[c], b = prime_multiply(high[c], w);
        low[c] = mod_add(a, b, w->p);
        high[c] = mod_sub(a, b, w->p);
    }
}

/* level_run - one level, in all transforms of a tile. */
static void level_run(const struct column_level *l, uint64_t *x, size_t rows, uint64_t p, bool back)
{
    const size_t part = l->points / l->radix, q = l->radix;
    for (size_t first = 0; first < rows; first += l->points)
        for (size_t j = 0; j < part; j++) {
            uint64_t *const at = x + (first + j) * SCRATCH_TILE;
            if (q == 2) {
                (back ? level_2_back : level_2_forward)(at, at + part * SCRATCH_TILE, &l->turn[back][part + j]);
                continue;
            }
            for (size_t c = 0; c < SCRATCH_TILE; c++) {
                uint64_t v[RADIX_MAX];
                for (size_t t = 0; t < q; t++) {
                    const uint64_t in = at[t * part * SCRATCH_TILE + c];
                    v[t] = back && t > 0 ? prime_multiply(in, &l->turn[1][t * part + j]) : in;
                }
                dft(v, q, l->root[back], p);
                for (size_t t = 0; t < q; t++)
                    at[t * part * SCRATCH_TILE + c] = back || t == 0 ? v[t] : prime_multiply(v[t], &l->turn[0][t * part + j]);
            }
        }
}

/* row_turn - z[c] = x[c] power step^c for the columns of a tile; power is in Montgomery's form, and moves to the next tile. */
static void row_turn(const struct column_tables *t, uint64_t *z, const uint64_t *x, uint64_t *power, uint64_t step,
                     const struct prime_multiplier *lanes)
{
    const struct prime_multiplier one = prime_multiplier(step, t->p);
    uint64_t w[COLUMN_LANES];
    w[0] = *power;
    for (unsigned i = 1; i < COLUMN_LANES; i++)
        w[i] = prime_multiply(w[i - 1], &one);
    for (size_t c = 0; c < SCRATCH_TILE; c += COLUMN_LANES)
        for (unsigned i = 0; i < COLUMN_LANES; i++) {
            z[c + i] = mod_montgomery(x[c + i], w[i], t);
            w[i] = prime_multiply(w[i], lanes);
        }
    *power = w[0];
}

/* powers_start - powers of the steps at a column, in Montgomery's form.   power out: [prime][place] */
static void powers_start(const struct columns *c, uint64_t *power, uint64_t column, bool back)
{
    for (unsigned i = 0; i < WORD_PRIMES; i++)
        for (size_t s = 0; s < c->plan->rows; s++) {
            const struct column_tables *t = &c->prime[i];
            *power++ = residue_mul(residue_power(t->step[back][s], column, t->p), t->start[back], t->p);
        }
}

/* ---- digits to residues ---- */

/* text_value - the number of k digits, the most significant first; below 10^24 < 2^80. */
static inline unsigned __int128 text_value(const char *text, size_t k)
{
    uint64_t group[3];
    for (unsigned i = 0; i < 2; i++) /* the last 16 characters */
        group[i] = values_join(chars_to_values(chars_load(text + k - 8 * (i + 1)), 0), 10, 100, 10000);
    uint64_t head = 0; /* the first k - 16, at most 8 */
    char padded[8] = {'0', '0', '0', '0', '0', '0', '0', '0'};
    if (k == 24)
        head = chars_load(text);
    else {
        memcpy(padded + 24 - k, text, k - 16);
        head = chars_load(padded);
    }
    group[2] = values_join(chars_to_values(head, 0), 10, 100, 10000);
    return (unsigned __int128)group[2] * UINT64_C(10000000000000000) + (group[1] * 100000000 + group[0]);
}

/* bytes_value - the number of k bytes, 8 to 10, the least significant first; below 2^80. */
static inline unsigned __int128 bytes_value(const char *bytes, size_t k)
{
    uint64_t low, high = 0;
    memcpy(&low, bytes, sizeof low);
    for (size_t i = k; i > sizeof low; i--)
        high = high << 8 | (unsigned char)bytes[i - 1];
    return (unsigned __int128)high << 64 | binary_word(low);
}

/* residues_put - v < 2^80 modulo the primes, `apart` words from each other. */
static inline void residues_put(const struct columns *c, uint64_t *x, size_t apart, unsigned __int128 v)
{
    for (unsigned i = 0; i < WORD_PRIMES; i++) {
        const uint64_t p = c->prime[i].p, low = (uint64_t)v;
        uint64_t r = low - (low >> 62) * p; /* p > 2^62 - 2^53: below 2^62 + 3 2^53 < 2 p */
        r = r >= p ? r - p : r;
        x[i * apart] = mod_add(r, prime_multiply((uint64_t)(v >> 64), &c->prime[i].two64), p);
    }
}

/* ---- blocks ---- */

/* A block of columns: its words, and the digits of its `used` rows; NULL: back. */
struct column_block {
    size_t number;
    uint64_t *spectra;
    const char *text;
    size_t used;
};

/* tiles_forward, tiles_back - tiles first .. end - 1 of a block. */
static void tiles_forward(const struct columns *c, const struct column_block *b, size_t first, size_t end, uint64_t *work)
{
    const struct scratch_plan *plan = c->plan;
    const size_t rows = plan->rows, k = plan->k, width = plan->block_points, used = b->used;
    uint64_t *const power = work + WORD_PRIMES * rows * SCRATCH_TILE;
    powers_start(c, power, (uint64_t)b->number * width + first * SCRATCH_TILE, false);
    for (size_t tile = first; tile < end; tile++) {
        for (size_t r = 0; r < used; r++)
            for (size_t i = 0; i < SCRATCH_TILE; i++) {
                const size_t column = tile * SCRATCH_TILE + i;
                residues_put(c, work + r * SCRATCH_TILE + i, rows * SCRATCH_TILE,
                             plan->binary ? bytes_value(b->text + (r * width + column) * k, k)
                                          : text_value(b->text + ((r + 1) * width - column - 1) * k, k));
            }
        for (unsigned p = 0; p < WORD_PRIMES; p++) {
            const struct column_tables *t = &c->prime[p];
            uint64_t *const x = work + p * rows * SCRATCH_TILE;
            memset(x + used * SCRATCH_TILE, 0, (rows - used) * SCRATCH_TILE * sizeof *x);
            for (unsigned l = 0; l < t->levels; l++)
                level_run(&t->level[l], x, rows, t->p, false);
            for (size_t s = 0; s < rows; s++)
                row_turn(t, b->spectra + (p * rows + s) * width + tile * SCRATCH_TILE, x + s * SCRATCH_TILE, power + p * rows + s,
                         t->step[0][s], &t->lanes[0][s]);
        }
    }
}

static void tiles_back(const struct columns *c, const struct column_block *b, size_t first, size_t end, uint64_t *work)
{
    const struct scratch_plan *plan = c->plan;
    const size_t rows = plan->rows, width = plan->block_points;
    uint64_t *const power = work + WORD_PRIMES * rows * SCRATCH_TILE;
    powers_start(c, power, (uint64_t)b->number * width + first * SCRATCH_TILE, true);
    for (size_t tile = first; tile < end; tile++)
        for (unsigned p = 0; p < WORD_PRIMES; p++) {
            const struct column_tables *t = &c->prime[p];
            uint64_t *const from = b->spectra + p * rows * width + tile * SCRATCH_TILE;
            for (size_t s = 0; s < rows; s++)
                row_turn(t, work + s * SCRATCH_TILE, from + s * width, power + p * rows + s, t->step[1][s], &t->lanes[1][s]);
            for (unsigned l = t->levels; l-- > 0;)
                level_run(&t->level[l], work, rows, t->p, true);
            for (size_t r = 0; r < rows; r++)
                memcpy(from + r * width, work + r * SCRATCH_TILE, SCRATCH_TILE * sizeof *work);
        }
}

/* The tiles of a block in as many stretches as there may be threads. */
struct tiles_work {
    const struct columns *c;
    const struct column_block *b;
    size_t tiles, stretches, words;
    uint64_t *work; /* of each thread */
};

static void stretches_run(void *arg, unsigned t, size_t begin, size_t behind)
{
    const struct tiles_work *const w = arg;
    for (size_t i = begin; i < behind; i++) {
        const size_t first = w->tiles * i / w->stretches, end = w->tiles * (i + 1) / w->stretches;
        (w->b->text != NULL ? tiles_forward : tiles_back)(w->c, w->b, first, end, w->work + t * w->words);
    }
}

static enum gfmul_status tiles_run(const struct columns *c, const struct column_block *b)
{
    const size_t tiles = c->plan->block_points / SCRATCH_TILE, words = WORD_PRIMES * c->plan->rows * (SCRATCH_TILE + 1);
    const unsigned threads = tiles < c->plan->threads ? (unsigned)tiles : c->plan->threads;
    uint64_t *const work = alloc_aligned(threads * words * sizeof *work);
    if (work == NULL)
        return GFMUL_ERR_MEMORY;
    parallel_for(threads, threads, 1, stretches_run, &(struct tiles_work){c, b, tiles, threads, words, work});
    alloc_free(work);
    return GFMUL_OK;
}

enum gfmul_status columns_forward(const struct columns *c, uint64_t *spectra, const char *text, size_t block, size_t used)
{
    return tiles_run(c, &(struct column_block){block, spectra, text, used});
}

enum gfmul_status columns_back(const struct columns *c, uint64_t *spectra, size_t block)
{
    return tiles_run(c, &(struct column_block){block, spectra, NULL, 0});
}

/* ---- residues to digits ---- */

/*
 * base_divide - the quotient of z by B = 10^k, and the rest.   z < 2^187, 22 <= k <= 24, B > 2^73
 *
 * With h = floor(z / 2^64) and R = floor(2^192 / B), h R / 2^128 is below z / B by less than h / 2^128 + 2^64 / B < 1/16.  So its
 * floor is the quotient or one less.
 */
static inline unsigned __int128 base_divide(const uint64_t z[3], const struct columns *c, unsigned __int128 *rest)
{
    const uint64_t r0 = (uint64_t)c->reciprocal, r1 = (uint64_t)(c->reciprocal >> 64); /* r1 < 2^55 */
    const unsigned __int128 low = (unsigned __int128)z[1] * r0;
    /* z[2] < 2^59: the sum is below 2^123 + 2^119 + 2^64 */
    const unsigned __int128 middle = (unsigned __int128)z[2] * r0 + (unsigned __int128)z[1] * r1 + (uint64_t)(low >> 64);
    unsigned __int128 q = (unsigned __int128)z[2] * r1 + (uint64_t)(middle >> 64);
    unsigned __int128 r = ((unsigned __int128)z[1] << 64 | z[0]) - q * c->base; /* below 2 B, so exact modulo 2^128 */
    const bool more = r >= c->base;
    q += more;
    r -= more ? c->base : 0;
    *rest = r;
    return q;
}

/* residues_join - the coefficient below p0 p1 p2 with these residues. */
static inline void residues_join(const struct columns *c, uint64_t z[3], uint64_t r0, uint64_t r1, uint64_t r2)
{
    const uint64_t p0 = c->prime[0].p, p1 = c->prime[1].p, p2 = c->prime[2].p;
    /* a value below p0 is below 2 p1 and 2 p2, and one below p1 below 2 p2 */
    const uint64_t v1 = prime_multiply(r1 + 2 * p1 - r0, &c->inverse[0]); /* < 2^64 */
    const uint64_t t = prime_multiply(r2 + 2 * p2 - r0, &c->inverse[1]);
    const uint64_t v2 = prime_multiply(t + 2 * p2 - v1, &c->inverse[2]);
    const unsigned __int128 m = (unsigned __int128)v2 * p1 + v1; /* v1 + p1 v2; z = r0 + p0 m */
    const unsigned __int128 low = (unsigned __int128)(uint64_t)m * p0 + r0, high = (m >> 64) * p0 + (uint64_t)(low >> 64);
    z[0] = (uint64_t)low;
    z[1] = (uint64_t)high;
    z[2] = (uint64_t)(high >> 64);
}

/* text_put - the k digits of a number below 10^k, before `end`. */
static inline void text_put(char *end, unsigned __int128 v, size_t k)
{
    /* 10^16 = 2^16 5^16, and v / 2^16 < 2^64 */
    const uint64_t head = (uint64_t)(v >> 16) / UINT64_C(152587890625);
    const uint64_t tail = (uint64_t)v - head * UINT64_C(10000000000000000);
    char digits[8];
    chars_store(end - 8, values_to_chars(values_split_10((uint32_t)(tail % 100000000))));
    chars_store(end - 16, values_to_chars(values_split_10((uint32_t)(tail / 100000000))));
    chars_store(digits, values_to_chars(values_split_10((uint32_t)head)));
    memcpy(end - k, digits + 24 - k, k - 16);
}

/* bytes_put - the lower k bytes of z, 9 or 10; what is left: below 2^115. */
static inline unsigned __int128 bytes_put(char *to, const uint64_t z[3], size_t k)
{
    const uint64_t low = binary_word(z[0]);
    const unsigned shift = 8 * (unsigned)(k - sizeof low); /* 8 or 16 */
    memcpy(to, &low, sizeof low);
    for (unsigned bit = 0; bit < shift; bit += 8)
        to[sizeof low + bit / 8] = (char)(unsigned char)(z[1] >> bit);
    return ((unsigned __int128)z[2] << 64 | z[1]) >> shift;
}

/*
 * run_carry - coefficients first .. end - 1 of a row.
 *
 *   text  out  their digits: of text those of the first coefficient are before `text`, of bytes they are there
 * Value: the carry out.  A coefficient is below 2^186, and a carry below 2^115, as 10^k >= 10^22 and 2^(8 k) >= 2^72: their sum
 * is below 2^187.
 */
static unsigned __int128 run_carry(const struct columns *c, char *text, const uint64_t *x, size_t first, size_t end)
{
    const size_t k = c->plan->k, apart = c->plan->rows * c->plan->block_points;
    unsigned __int128 carry = 0;
    for (size_t i = first; i < end; i++) {
        uint64_t z[3];
        residues_join(c, z, x[i], x[apart + i], x[2 * apart + i]);
        unsigned __int128 sum = (unsigned __int128)z[0] + (uint64_t)carry;
        z[0] = (uint64_t)sum;
        sum = (sum >> 64) + z[1] + (uint64_t)(carry >> 64);
        z[1] = (uint64_t)sum;
        z[2] += (uint64_t)(sum >> 64);
        if (c->plan->binary) {
            carry = bytes_put(text + (i - first) * k, z, k);
            continue;
        }
        unsigned __int128 rest;
        carry = base_divide(z, c, &rest);
        text_put(text - (i - first) * k, rest, k);
    }
    return carry;
}

struct carry_work {
    const struct columns *c;
    char *text;
    unsigned __int128 *carry;
    const uint64_t *spectra;
};

static void runs_carry(void *arg, unsigned t, size_t first, size_t end)
{
    const struct carry_work *const w = arg;
    const struct scratch_plan *plan = w->c->plan;
    const size_t width = plan->block_points, k = plan->k, part = width / SCRATCH_RUNS;
    (void)t;
    for (size_t run = first; run < end; run++) {
        const size_t r = run / SCRATCH_RUNS, i = run % SCRATCH_RUNS;
        char *const to = w->text + (plan->binary ? r * width + i * part : (r + 1) * width - i * part) * k;
        w->carry[r * (SCRATCH_RUNS + 1) + 1 + i] = run_carry(w->c, to, w->spectra + r * width, i * part, (i + 1) * part);
    }
}

void columns_carry(const struct columns *c, char *text, unsigned __int128 *carry, const uint64_t *spectra)
{
    const size_t rows = c->plan->rows, width = c->plan->block_points, k = c->plan->k, part = width / SCRATCH_RUNS;
    const bool binary = c->plan->binary;
    parallel_for(c->plan->threads, rows * SCRATCH_RUNS, 1, runs_carry, &(struct carry_work){c, text, carry, spectra});
    for (size_t r = 0; r < rows; r++, carry += SCRATCH_RUNS + 1) {
        unsigned __int128 in = carry[0];
        for (size_t i = 0; i < SCRATCH_RUNS; i++)
            in = carry[1 + i] + (binary ? bytes_add(text + (r * width + i * part) * k, part * k, in)
                                        : text_add(text + ((r + 1) * width - (i + 1) * part) * k, part * k, in));
        carry[0] = in;
    }
}
