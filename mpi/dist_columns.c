/*
 * dist_columns.c - a rank's part of the transforms: columns and rows modulo one prime, and coefficients from three residues.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdatomic.h>
#include <string.h>

#include "base/parallel.h"
#include "mpi/dist.h"

void dist_test(struct dist_call *c)
{
    int done;
    MPI_Status status[DIST_MOVES];
    MPI_Testall(DIST_MOVES, c->request, &done, status); /* an error is found once more by the wait */
}

size_t dist_work_words(const struct dist_call *c)
{
    const size_t columns = (DIST_TILE + 1) * c->shape.rows, rows = 2 * DIST_TILE * c->shape.columns;
    return ((columns > rows ? columns : rows) + 7) / 8 * 8;
}

/* share_of - the part of n that belongs to a thread. */
static size_t share_of(const struct dist_call *c, size_t n, size_t share)
{
    return dist_share(n, (int)c->ctx->threads, (int)share);
}

/* digit_residue - a digit of `bytes` modulo p.   p > 2^62 - 2^53 */
static inline uint64_t digit_residue(const unsigned char *digit, unsigned bytes, const struct dist_prime *f)
{
    uint64_t low = 0, high = 0;
    memcpy(&low, digit, bytes < 8 ? bytes : 8);
    for (unsigned i = 8; i < bytes; i++)
        high |= (uint64_t)digit[i] << 8 * (i - 8);
    uint64_t r = low - (low >> 62) * f->p; /* below 2^62 + 3 2^53 < 2 p */
    r = r >= f->p ? r - f->p : r;
    return bytes > 8 ? dist_add(r, dist_times(high, f->two64, f->p), f->p) : r;
}

/* tile_cut - the residues of a tile's digits.   x out: DIST_TILE columns */
static void tile_cut(const struct dist_call *c, const struct dist_prime *f, unsigned operand, size_t tile, uint64_t *x)
{
    const size_t rows = c->shape.rows, used = c->digit_rows[operand];
    const unsigned bytes = c->shape.digit_bytes;
    const unsigned char *digit = c->digits[operand] + tile * used * DIST_TILE * bytes;
    for (size_t r = 0; r < used; r++)
        for (unsigned j = 0; j < DIST_TILE; j++, digit += bytes)
            x[j * rows + r] = digit_residue(digit, bytes, f);
    for (unsigned j = 0; j < DIST_TILE; j++)
        memset(x + j * rows + used, 0, (rows - used) * sizeof *x);
}

/* column_turn - z = x w^(c f(s)) for places first .. end - 1; turn moves to the next column. */
static inline void column_turn(const struct dist_prime *f, uint64_t *z, const uint64_t *x, uint64_t *turn,
                               const struct dist_factor *step, size_t count)
{
    for (size_t s = 0; s < count; s++) {
        z[s] = dist_montgomery(x[s], turn[s], f);
        turn[s] = dist_times(turn[s], step[s], f->p);
    }
}

/* A rank's part of a transform, in a share for each thread: columns or rows modulo one prime. */
struct dist_work {
    struct dist_call *c;
    unsigned prime, operand;
    uint64_t *x;
    const uint64_t *from; /* back: what columns are made of; rows: the other operand */
    atomic_bool bad;
};

static void shares_run(struct dist_work *w, parallel_range *run)
{
    parallel_for(w->c->ctx->threads, w->c->ctx->threads, 1, run, w);
}

static void columns_forward(void *arg, unsigned t, size_t begin, size_t behind)
{
    struct dist_work *const w = arg;
    struct dist_call *const c = w->c;
    const struct gfmul_mpi_ctx *ctx = c->ctx;
    const struct dist_prime *f = &ctx->prime[w->prime];
    const size_t rows = c->shape.rows, tiles = c->width / DIST_TILE;
    uint64_t *const work = c->work + t * c->work_words, *const turn = work + DIST_TILE * rows, *const x = w->x;
    bool good = true;
    for (size_t share = begin; share < behind; share++) {
        memcpy(turn, f->start[0] + share * rows, rows * sizeof *turn);
        for (size_t tile = share_of(c, tiles, share); tile < share_of(c, tiles, share + 1); tile++) {
            tile_cut(c, f, w->operand, tile, work);
            for (unsigned j = 0; j < DIST_TILE; j++) {
                uint64_t *const column = work + j * rows;
                good = good && gfmul_ntt_forward(f->column, column, column) == GFMUL_OK;
                for (int rank = 0; rank < ctx->size; rank++) {
                    const size_t first = dist_first_row(&c->shape, ctx->size, rank),
                                 count = dist_first_row(&c->shape, ctx->size, rank + 1) - first;
                    column_turn(f, x + first * c->width + (tile * DIST_TILE + j) * count, column + first, turn + first,
                                f->step[0] + first, count);
                }
            }
            if (t == 0)
                dist_test(c);
        }
    }
    if (!good)
        atomic_store(&w->bad, true);
}

bool dist_columns_forward(struct dist_call *c, unsigned prime, unsigned operand, uint64_t *x)
{
    struct dist_work w = {.c = c, .prime = prime, .operand = operand, .x = x};
    shares_run(&w, columns_forward);
    return !w.bad;
}

static void columns_back(void *arg, unsigned t, size_t begin, size_t behind)
{
    struct dist_work *const w = arg;
    struct dist_call *const c = w->c;
    const struct gfmul_mpi_ctx *ctx = c->ctx;
    const struct dist_prime *f = &ctx->prime[w->prime];
    const size_t rows = c->shape.rows, tiles = c->width / DIST_TILE;
    const uint64_t *const from = w->from;
    uint64_t *const turn = c->work + t * c->work_words, *const x = w->x;
    bool good = true;
    for (size_t share = begin; share < behind; share++) {
        memcpy(turn, f->start[1] + share * rows, rows * sizeof *turn);
        const size_t end = share_of(c, tiles, share + 1) * DIST_TILE;
        for (size_t column = share_of(c, tiles, share) * DIST_TILE; column < end; column++) {
            uint64_t *const at = x + column * rows;
            for (int rank = 0; rank < ctx->size; rank++) {
                const size_t first = dist_first_row(&c->shape, ctx->size, rank),
                             count = dist_first_row(&c->shape, ctx->size, rank + 1) - first;
                column_turn(f, at + first, from + first * c->width + column * count, turn + first, f->step[1] + first, count);
            }
            good = good && gfmul_ntt_backward(f->column, at, at) == GFMUL_OK;
            if (t == 0 && column % DIST_TILE == 0)
                dist_test(c);
        }
    }
    if (!good)
        atomic_store(&w->bad, true);
}

bool dist_columns_back(struct dist_call *c, unsigned prime, uint64_t *x, const uint64_t *from)
{
    struct dist_work w = {.c = c, .prime = prime, .x = x, .from = from};
    shares_run(&w, columns_back);
    return !w.bad;
}

/* rows_load, rows_store - between [column][row] and `count` rows, one after the other. */
static void rows_load(uint64_t *to, const uint64_t *from, size_t count, size_t height, size_t columns)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t r = 0; r < count; r++)
            to[r * columns + j] = from[j * height + r];
}

static void rows_store(uint64_t *to, const uint64_t *from, size_t count, size_t height, size_t columns)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t r = 0; r < count; r++)
            to[j * height + r] = from[r * columns + j];
}

static void rows_run(void *arg, unsigned t, size_t begin, size_t behind)
{
    struct dist_work *const w = arg;
    struct dist_call *const c = w->c;
    const struct gfmul_ntt *ntt = c->ctx->prime[w->prime].row;
    const size_t columns = c->shape.columns, groups = (c->height + DIST_TILE - 1) / DIST_TILE;
    const uint64_t *const y = w->from;
    uint64_t *const a = c->work + t * c->work_words, *const other = a + DIST_TILE * columns, *const x = w->x;
    bool good = true;
    for (size_t share = begin; share < behind; share++)
        for (size_t group = share_of(c, groups, share); group < share_of(c, groups, share + 1); group++) {
            const size_t first = group * DIST_TILE, left = c->height - first, count = left < DIST_TILE ? left : DIST_TILE;
            rows_load(a, x + first, count, c->height, columns);
            if (x != y)
                rows_load(other, y + first, count, c->height, columns);
            for (size_t r = 0; r < count; r++) {
                uint64_t *const z = a + r * columns, *const b = x != y ? other + r * columns : z;
                good = good && gfmul_ntt_forward(ntt, z, z) == GFMUL_OK && (b == z || gfmul_ntt_forward(ntt, b, b) == GFMUL_OK) &&
                       gfmul_ntt_multiply(ntt, z, z, b) == GFMUL_OK && gfmul_ntt_backward(ntt, z, z) == GFMUL_OK;
            }
            rows_store(x + first, a, count, c->height, columns);
            if (t == 0)
                dist_test(c);
        }
    if (!good)
        atomic_store(&w->bad, true);
}

bool dist_rows(struct dist_call *c, unsigned prime, uint64_t *x, const uint64_t *y)
{
    struct dist_work w = {.c = c, .prime = prime, .x = x, .from = y};
    shares_run(&w, rows_run);
    return !w.bad;
}

/* ---- coefficients ---- */

/* A coefficient is low + high 2^128, below 2^186. */
struct coefficient {
    unsigned __int128 low;
    uint64_t high;
};

/* mixed - the digits of a coefficient d[0] + p0 (d[1] + p1 d[2]). */
static inline void mixed(const struct gfmul_mpi_ctx *ctx, uint64_t *d, const uint64_t *x)
{
    const uint64_t p1 = ctx->prime[1].p, p2 = ctx->prime[2].p; /* p0 > p1 > p2 > p0 / 2 */
    const uint64_t x1 = x[0] >= p1 ? x[0] - p1 : x[0], x2 = x[0] >= p2 ? x[0] - p2 : x[0];
    d[0] = x[0];
    d[1] = dist_times(dist_less(x[1], x1, p1), ctx->inverse[0], p1);
    const uint64_t third = dist_times(dist_less(x[2], x2, p2), ctx->inverse[1], p2);
    d[2] = dist_times(dist_less(third, d[1] >= p2 ? d[1] - p2 : d[1], p2), ctx->inverse[2], p2);
}

static inline struct coefficient coefficient_of(const struct gfmul_mpi_ctx *ctx, const uint64_t *d)
{
    const uint64_t p0 = ctx->prime[0].p;
    const unsigned __int128 upper = (unsigned __int128)ctx->prime[1].p * d[2] + d[1]; /* below 2^124 */
    const unsigned __int128 low = (unsigned __int128)(uint64_t)upper * p0 + d[0],
                            high = (unsigned __int128)(uint64_t)(upper >> 64) * p0 + (uint64_t)(low >> 64);
    return (struct coefficient){high << 64 | (uint64_t)low, (uint64_t)(high >> 64)};
}

/* digit_put - add the carry to a coefficient, and write its digit.   carry i/o: below 2^127 */
static inline void digit_put(unsigned char *to, unsigned bytes, struct coefficient v, unsigned __int128 *carry)
{
    unsigned __int128 low = v.low + *carry;
    const uint64_t high = v.high + (low < v.low); /* all below 2^187 */
    uint64_t word = (uint64_t)low;
    memcpy(to, &word, bytes < 8 ? bytes : 8);
    for (unsigned i = 8; i < bytes; i++)
        to[i] = (unsigned char)(low >> 8 * i);
    *carry = low >> 8 * bytes | (unsigned __int128)high << (128 - 8 * bytes);
}

/* word_put - the same for a word of a base.   carry i/o: below n base for n words, so below 2^127 */
static inline void word_put(unsigned char *to, uint64_t base, struct coefficient v, unsigned __int128 *carry)
{
    const unsigned __int128 low = v.low + *carry;
    mp_limb_t x[3] = {(uint64_t)low, (uint64_t)(low >> 64), v.high + (low < v.low)};
    const uint64_t word = mpn_divrem_1(x, 0, x, 3, base);
    memcpy(to, &word, sizeof word);
    *carry = (unsigned __int128)x[1] << 64 | x[0];
}

/* tail_put - the carry out of a run. */
static void tail_put(unsigned char *to, uint64_t base, unsigned __int128 carry)
{
    if (base != 0)
        carry = carry / base << 64 | carry % base;
    memcpy(to, &carry, DIST_TAIL_BYTES);
}

/* run_group - runs of `count` rows from `first` on. */
static void run_group(struct dist_call *c, size_t first, size_t count)
{
    const struct gfmul_mpi_ctx *ctx = c->ctx;
    const struct dist_shape *s = &c->shape;
    const unsigned bytes = s->digit_bytes;
    const size_t run_bytes = c->width * bytes + s->tail_bytes;
    const uint64_t m = s->modulus, p0 = m != 0 ? ctx->prime[0].p % m : 0, p1 = m != 0 ? ctx->prime[1].p % m : 0;
    unsigned __int128 carry[DIST_TILE] = {0};
    for (size_t column = 0; column < c->width; column++)
        for (size_t r = 0; r < count; r++) {
            unsigned char *const to = c->runs + (first + r) * run_bytes + column * bytes;
            uint64_t x[WORD_PRIMES], d[WORD_PRIMES];
            for (unsigned i = 0; i < WORD_PRIMES; i++)
                x[i] = c->column[i][column * s->rows + first + r];
            mixed(ctx, d, x);
            if (m == 0) {
                if (s->base == 0)
                    digit_put(to, bytes, coefficient_of(ctx, d), &carry[r]);
                else
                    word_put(to, s->base, coefficient_of(ctx, d), &carry[r]);
                continue;
            }
            const uint64_t upper = (uint64_t)(((unsigned __int128)p1 * d[2] + d[1]) % m);
            const uint64_t value = (uint64_t)(((unsigned __int128)p0 * upper + d[0]) % m);
            memcpy(to, &value, sizeof value);
        }
    for (size_t r = 0; r < count && s->tail_bytes > 0; r++)
        tail_put(c->runs + (first + r + 1) * run_bytes - DIST_TAIL_BYTES, s->base, carry[r]);
}

static void groups_join(void *arg, unsigned t, size_t begin, size_t end)
{
    struct dist_call *const c = arg;
    (void)t;
    for (size_t group = begin; group < end; group++) {
        const size_t first = group * DIST_TILE, left = c->run_rows - first;
        run_group(c, first, left < DIST_TILE ? left : DIST_TILE);
    }
}

void dist_join(struct dist_call *c)
{
    parallel_for(c->ctx->threads, (c->run_rows + DIST_TILE - 1) / DIST_TILE, 1, groups_join, c);
}
