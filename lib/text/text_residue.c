/*
 * text_residue.c - the residue of a number in text.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdatomic.h>

#include "base/parallel.h"
#include "limbs/residue.h"
#include "text/decimal.h"
#include "text/text.h"
#include "text/text_chars.h"

enum {
    MAX_PIECES = 256,
    PIECE_CHARS = 1 << 15,
    SUM_GROUPS = 64,
    GROUP_CHARS = 16,
    BLOCK_CHARS = DECIMAL_GROUP * DECIMAL_GROUPS,
    PASS_PRIMES = 4,       /* primes in one pass over the characters */
    PART_CHARS = 1 << 17,  /* stays in the second-level cache while one prime after the other uses it */
    BLOCKS_CHARS = 1 << 15 /* shorter numbers are not worth a table of weights */
};

/* A base with its powers, and the multiplier of one step of Horner's rule. */
struct horner {
    uint64_t base, base_2, base_4, base_8;
    unsigned words; /* words of eight digits in a step: the most with base^(8 words) < 2^62 */
    uint64_t p;
    uint64_t weight;                   /* base^(8 words) mod p */
    uint64_t weight_ratio;             /* floor(weight * 2^64 / p) */
    const struct decimal_ops *decimal; /* NULL: none */
    const struct decimal_weights *weights;
    uint64_t block_power; /* 10^BLOCK_CHARS mod p */
};

static void horner_init(struct horner *h, unsigned base, uint64_t p)
{
    h->base = base;
    h->base_2 = h->base * h->base;
    h->base_4 = h->base_2 * h->base_2;
    h->base_8 = h->base_4 * h->base_4; /* < 2^42 */
    h->words = 1;
    uint64_t power = h->base_8;
    while ((unsigned __int128)power * h->base_8 < (unsigned __int128)1 << 62) {
        power *= h->base_8;
        h->words++;
    }
    h->p = p;
    h->weight = power % p;
    h->weight_ratio = (uint64_t)(((unsigned __int128)h->weight << 64) / p);
    h->decimal = NULL;
    h->weights = NULL;
    h->block_power = 0;
}

/* Reduce n groups of 8 * words digits, most significant first.  words, letters and base are constants in the inlined copies. */
static inline uint64_t horner_run(const struct horner *h, const char *s, size_t n, unsigned words, bool letters, uint64_t base)
{
    const uint64_t b1 = base, b2 = b1 * b1, b4 = b2 * b2, b8 = b4 * b4;
    uint64_t r = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t group = 0;
        chars_prefetch(s);
        for (unsigned k = 0; k < words; k++, s += 8)
            group = group * b8 + values_join(chars_to_values(chars_load(s), letters), b1, b2, b4);
        /* Shoup's product: q <= r weight / p < q + 2 for every r < 2^64, so that the remainder lies in [0, 2p) */
        uint64_t q = (uint64_t)((unsigned __int128)r * h->weight_ratio >> 64);
        r = r * h->weight - q * h->p + group; /* < 2p + 2^62 < 2^64 */
    }
    return r % h->p;
}

/*
 * decimal_run - reduce n groups of sixteen decimal digits.  64 groups at a time are added up, each times a power of 10^16, before
 * one division: 64 * 10^16 * 2^62 < 2^122.
 */
static uint64_t decimal_run(const struct horner *h, const char *s, size_t n)
{
    uint64_t power[SUM_GROUPS], r = 0; /* power[i] = 10^(16 i) mod p */
    power[0] = 1 % h->p;
    for (unsigned i = 1; i < SUM_GROUPS; i++)
        power[i] = residue_mul(power[i - 1], h->weight, h->p);
    const uint64_t next = residue_mul(power[SUM_GROUPS - 1], h->weight, h->p);
    for (; n >= SUM_GROUPS; n -= SUM_GROUPS) {
        unsigned __int128 sum = (unsigned __int128)r * next; /* < 2^124 */
        for (unsigned i = 0; i < SUM_GROUPS; i += 2, s += 2 * GROUP_CHARS) {
            uint64_t g[2];
            chars_prefetch(s);
            decimals_join_16(g, s, s + GROUP_CHARS);
            sum += (unsigned __int128)g[0] * power[SUM_GROUPS - 1 - i];
            sum += (unsigned __int128)g[1] * power[SUM_GROUPS - 2 - i];
        }
        r = (uint64_t)(sum % h->p);
    }
    for (; n > 0; n--, s += GROUP_CHARS) {
        const uint64_t g = values_join(chars_to_values(chars_load(s), 0), 10, 100, 10000) * 100000000 +
                           values_join(chars_to_values(chars_load(s + 8), 0), 10, 100, 10000);
        r = (uint64_t)(((unsigned __int128)r * h->weight + g) % h->p);
    }
    return r;
}

/* The number of n blocks, modulo p. */
static uint64_t blocks_run(const struct horner *h, const char *s, size_t n)
{
    uint64_t r = 0;
    for (; n > 0; n--, s += BLOCK_CHARS) {
        unsigned __int128 sum[2]; /* < 2^67 */
        h->decimal->sums(sum, s, h->weights);
        r = (uint64_t)(((unsigned __int128)r * h->block_power + sum[0] + (sum[1] << DECIMAL_PIECE_BITS)) % h->p); /* < 2^125 */
    }
    return r;
}

static uint64_t piece_residue(const struct horner *h, const char *s, size_t n);

/* The number of n characters modulo p, by vectors except for the first part, which is shorter than a block. */
static uint64_t piece_by_blocks(const struct horner *h, const char *s, size_t n)
{
    struct horner plain = *h;
    const size_t blocks = n / BLOCK_CHARS, head = n % BLOCK_CHARS;
    plain.decimal = NULL;
    uint64_t r = piece_residue(&plain, s, head);
    r = residue_mul(r, residue_power(h->block_power, blocks, h->p), h->p);
    return (r + blocks_run(h, s + head, blocks)) % h->p;
}

/* The number of n characters, modulo p. */
static uint64_t piece_residue(const struct horner *h, const char *s, size_t n)
{
    size_t step = 8 * (size_t)h->words, head = n % step;
    uint64_t r = 0;
    if (h->decimal)
        return piece_by_blocks(h, s, n);
    for (size_t i = 0; i < head; i++)
        r = (residue_mul(r, h->base % h->p, h->p) + char_value(s[i]) % h->p) % h->p;
    s += head;
    uint64_t tail = h->base == 10   ? decimal_run(h, s, n / step)
                    : h->base == 16 ? horner_run(h, s, n / step, 1, true, 16)
                                    : horner_run(h, s, n / step, h->words, h->base > 10, h->base);
    r = residue_mul(r, residue_power(h->weight, n / step, h->p), h->p);
    return (r + tail) % h->p;
}

/* The constants of the primes of a pass. */
struct moduli {
    unsigned n; /* at most PASS_PRIMES */
    struct horner of[PASS_PRIMES];
    struct decimal_weights weights[PASS_PRIMES]; /* set if vectors are used */
};

static void moduli_init(struct moduli *m, unsigned base, const uint64_t *p, unsigned n, const struct decimal_ops *decimal)
{
    m->n = n;
    for (unsigned k = 0; k < n; k++) {
        struct horner *h = &m->of[k];
        horner_init(h, base, p[k]);
        if (decimal) {
            h->decimal = decimal;
            h->block_power = decimal_weights_set(&m->weights[k], decimal, p[k]);
            h->weights = &m->weights[k];
        }
    }
}

/*
 * piece_residues - the number of n characters modulo each prime.  If there are several primes, each part of the characters stays
 * in the cache while all primes use it.  The first part may be shorter.
 */
static void piece_residues(uint64_t *r, const struct moduli *m, const char *s, size_t n)
{
    const size_t part = m->n == 1 ? n : PART_CHARS, head = n <= part ? n : n - (n - 1) / part * part;
    uint64_t power[PASS_PRIMES];
    for (unsigned k = 0; k < m->n; k++) {
        r[k] = piece_residue(&m->of[k], s, head);
        power[k] = head < n ? residue_power(m->of[k].base, part, m->of[k].p) : 0;
    }
    for (size_t at = head; at < n; at += part)
        for (unsigned k = 0; k < m->n; k++)
            r[k] = (residue_mul(r[k], power[k], m->of[k].p) + piece_residue(&m->of[k], s + at, part)) % m->of[k].p;
}

/* Pieces of a text, whose residues threads compute.  The first one is longer by head < n_pieces. */
struct pieces {
    const struct moduli *m;
    const char *digits;
    size_t size, head;
    uint64_t r[MAX_PIECES][PASS_PRIMES];
};

static void pieces_run(void *arg, unsigned t, size_t first, size_t end)
{
    struct pieces *const w = arg;
    (void)t;
    for (size_t i = first; i < end; i++)
        piece_residues(w->r[i], w->m, i == 0 ? w->digits : w->digits + w->head + i * w->size,
                       i == 0 ? w->head + w->size : w->size);
}

/* pass_residues - one pass over all characters, in pieces for the threads. */
static void pass_residues(uint64_t *r, const struct moduli *m, const char *digits, size_t n, unsigned threads)
{
    size_t n_pieces = threads == 1 ? 1 : threads < MAX_PIECES / 4 ? 4 * (size_t)threads : MAX_PIECES;
    if (n_pieces > n / PIECE_CHARS)
        n_pieces = n / PIECE_CHARS;
    if (n_pieces <= 1) {
        piece_residues(r, m, digits, n);
        return;
    }
    struct pieces w;
    w.m = m;
    w.digits = digits;
    w.size = n / n_pieces;
    w.head = n - w.size * n_pieces;
    parallel_for(threads, n_pieces, 1, pieces_run, &w);
    for (unsigned k = 0; k < m->n; k++) {
        const uint64_t p = m->of[k].p, shift = residue_power(m->of[k].base, w.size, p);
        r[k] = 0;
        for (size_t i = 0; i < n_pieces; i++)
            r[k] = (residue_mul(r[k], shift, p) + w.r[i][k]) % p;
    }
}

void text_residues(uint64_t *r, const struct text_number *num, const uint64_t *p, unsigned n_primes, unsigned isa_bit,
                   unsigned threads)
{
    const struct decimal_ops *decimal = num->base == 10 && num->n_digits >= BLOCKS_CHARS ? decimal_ops_of(isa_bit) : NULL;
    for (unsigned k = 0; k < n_primes; k += PASS_PRIMES) {
        struct moduli m;
        moduli_init(&m, num->base, p + k, n_primes - k < PASS_PRIMES ? n_primes - k : PASS_PRIMES, decimal);
        pass_residues(r + k, &m, num->digits, num->n_digits, threads);
    }
}

/* has_stray - whether one of n characters is no digit.  Digits are '0' .. '0' + decimal - 1 and the first `letters` letters. */
static inline unsigned char has_stray(const unsigned char *p, size_t n, unsigned char decimal, unsigned char letters)
{
    unsigned char bad = 0;
    for (size_t i = 0; i < n; i++)
        bad |= ((unsigned char)(p[i] - '0') >= decimal) & ((unsigned char)(p[i] - 'a') >= letters); /* vectors have no && */
    return bad;
}

/* Characters that threads look at. */
struct chars {
    const unsigned char *p;
    unsigned char decimal, letters;
    atomic_bool wrong;
};

static void chars_check(void *arg, unsigned t, size_t first, size_t end)
{
    enum { LINE = 64 };
    struct chars *const w = arg;
    const unsigned char *p = w->p;
    unsigned char bad = 0;
    size_t i = first;
    (void)t;
    for (; i + LINE <= end; i += LINE) {
        chars_prefetch((const char *)p + i);
        bad |= has_stray(p + i, LINE, w->decimal, w->letters);
    }
    if (bad | has_stray(p + i, end - i, w->decimal, w->letters))
        atomic_store_explicit(&w->wrong, true, memory_order_relaxed);
}

bool text_is_digits(const char *s, size_t n, unsigned base, unsigned threads)
{
    const unsigned char decimal = (unsigned char)(base < 10 ? base : 10);
    struct chars w = {(const unsigned char *)s, decimal, (unsigned char)(base - decimal), false};
    parallel_for(threads, n, PIECE_CHARS, chars_check, &w);
    return !atomic_load_explicit(&w.wrong, memory_order_relaxed);
}
