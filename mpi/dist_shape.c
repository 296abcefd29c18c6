/*
 * dist_shape.c - the transform of a distributed product: digits, points, tables.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/dist.h"

enum {
    LEVELS_MIN = 3,  /* of rows and of columns: 8 points */
    LEVELS_MAX = 32, /* of all points */
};

static struct dist_factor factor(uint64_t w, uint64_t p)
{
    return (struct dist_factor){w, (uint64_t)(((unsigned __int128)w << 64) / p)};
}

/* ---- sizes ---- */

static unsigned __int128 digits_of(size_t units, unsigned digit_bytes)
{
    return ((unsigned __int128)units * 8 + digit_bytes - 1) / digit_bytes;
}

/* digit_fits - whether the primes determine the coefficients. */
static bool digit_fits(const struct dist_shape *s, size_t an, size_t bn, unsigned digit_bytes)
{
    const size_t fewer = an < bn ? an : bn;
    const double bits = s->modulus != 0 ? log2((double)s->modulus) : s->base != 0 ? log2((double)s->base) : 8. * digit_bytes;
    if (s->base != 0 && fewer >= s->base)
        return false; /* a carry of more than two words */
    return log2((double)digits_of(fewer, digit_bytes)) + 2 * bits < WORD_PRIMES_BITS;
}

enum gfmul_status dist_shape_set(struct dist_shape *s, size_t an, size_t bn, int size, unsigned digit)
{
    static const unsigned odd[] = {1, 3, 5, 7};
    const bool words = s->modulus != 0 || s->base != 0;
    double least = INFINITY;
    s->digit_bytes = words ? 8 : digit != 0 ? digit : DIST_DIGIT_MAX;
    s->tail_bytes = s->modulus != 0 ? 0 : DIST_TAIL_BYTES;
    while (digit == 0 && !words && s->digit_bytes > 1 && !digit_fits(s, an, bn, s->digit_bytes))
        s->digit_bytes--;
    const unsigned __int128 needed = digits_of(an, s->digit_bytes) + digits_of(bn, s->digit_bytes);
    if (!digit_fits(s, an, bn, s->digit_bytes) || needed >> 40 != 0)
        return GFMUL_ERR_SIZE;
    for (unsigned i = 0; i < 4; i++)
        for (unsigned j = 0; j < 4; j++) {
            unsigned levels = 2 * LEVELS_MIN;
            while (levels <= LEVELS_MAX && (unsigned __int128)odd[i] * odd[j] << levels < needed)
                levels++;
            /* what passes and moves cost a point, in ns; those with an odd radix take half as long again */
            const double cost = (double)((uint64_t)odd[i] * odd[j] << levels) * (14 + (i > 0) + (j > 0));
            if (levels > LEVELS_MAX || (i == j && i > 0) || cost >= least)
                continue;
            least = cost;
            s->rows = (size_t)odd[i] << levels / 2;
            s->columns = (size_t)odd[j] << (levels - levels / 2);
        }
    if (least == INFINITY || s->rows / (unsigned)size >= INT32_MAX / s->columns)
        return GFMUL_ERR_SIZE; /* MPI counts words in an int */
    const size_t tiles = (s->columns / DIST_TILE + (unsigned)size - 1) / (unsigned)size;
    return tiles * DIST_TILE >= INT32_MAX / s->rows ? GFMUL_ERR_SIZE : GFMUL_OK;
}

/* ---- tables ---- */

void *dist_alloc(size_t count, size_t size)
{
    if (size > 0 && count > (SIZE_MAX - 64) / size)
        return NULL;
    const size_t bytes = (count * size + 63) / 64 * 64;
    return aligned_alloc(64, bytes > 0 ? bytes : 64);
}

void dist_tables_free(struct gfmul_mpi_ctx *ctx)
{
    for (unsigned i = 0; i < WORD_PRIMES; i++) {
        gfmul_ntt_destroy(ctx->prime[i].column);
        gfmul_ntt_destroy(ctx->prime[i].row);
        ctx->prime[i].column = ctx->prime[i].row = NULL;
    }
    free(ctx->memory);
    ctx->memory = NULL;
    ctx->rows = ctx->columns = 0;
}

/* plan - transforms of length n whose root is w^power. */
static enum gfmul_status plan(struct gfmul_ntt **ntt, size_t n, uint64_t w, size_t power, uint64_t p)
{
    struct gfmul_ntt_options opt;
    gfmul_ntt_options_init(&opt);
    opt.root = residue_power(w, power, p);
    opt.threads = 1;
    opt.order = GFMUL_FFT_PERMUTED;
    const enum gfmul_status status = gfmul_ntt_create(ntt, n, p, &opt);
    return status == GFMUL_OK || status == GFMUL_ERR_MEMORY ? status : GFMUL_ERR_INTERNAL;
}

/* starts_set - the factors of each thread's first column. */
static void starts_set(const struct gfmul_mpi_ctx *ctx, const struct dist_shape *s, struct dist_prime *f, bool back)
{
    const size_t first = dist_first_column(s, ctx->size, ctx->rank), end = dist_first_column(s, ctx->size, ctx->rank + 1);
    const uint64_t two64 = f->two64.w, n = residue_inverse((uint64_t)s->rows * s->columns % f->p, f->p);
    const uint64_t unit = back ? residue_mul(two64, n, f->p) : two64;
    for (unsigned t = 0; t < ctx->threads; t++) {
        const size_t column = first + dist_share((end - first) / DIST_TILE, (int)ctx->threads, (int)t) * DIST_TILE;
        uint64_t *const start = f->start[back] + t * s->rows;
        for (size_t i = 0; i < s->rows; i++)
            start[i] = residue_mul(residue_power(f->step[back][i].w, column, f->p), unit, f->p);
    }
}

static enum gfmul_status prime_set(const struct gfmul_mpi_ctx *ctx, const struct dist_shape *s, struct dist_prime *f, unsigned i)
{
    const uint64_t p = word_primes[i].p, n = (uint64_t)s->rows * s->columns;
    const uint64_t w = residue_power(word_primes[i].generator, (p - 1) / n, p);
    uint64_t minus = p; /* 1 / p modulo 8; each step doubles the bits */
    for (unsigned known = 3; known < 64; known *= 2)
        minus *= 2 - p * minus;
    f->p = p;
    f->montgomery = 0 - minus;
    f->two64 = factor((uint64_t)(((unsigned __int128)1 << 64) % p), p);
    enum gfmul_status status = plan(&f->column, s->rows, w, s->columns, p);
    if (status == GFMUL_OK)
        status = plan(&f->row, s->columns, w, s->rows, p);
    if (status != GFMUL_OK)
        return status;
    const uint64_t one[2] = {w, residue_inverse(w, p)};
    for (unsigned back = 0; back < 2; back++) {
        for (size_t place = 0; place < s->rows; place++)
            f->step[back][place] = factor(residue_power(one[back], gfmul_ntt_frequency(f->column, place), p), p);
        starts_set(ctx, s, f, back);
    }
    return GFMUL_OK;
}

enum gfmul_status dist_tables_make(struct gfmul_mpi_ctx *ctx, const struct dist_shape *s)
{
    if (ctx->rows == s->rows && ctx->columns == s->columns)
        return GFMUL_OK;
    dist_tables_free(ctx);
    struct dist_factor *at = dist_alloc((size_t)2 * WORD_PRIMES * s->rows, sizeof *at + ctx->threads * sizeof(uint64_t));
    ctx->memory = at;
    enum gfmul_status status = at == NULL ? GFMUL_ERR_MEMORY : GFMUL_OK;
    uint64_t *words = (uint64_t *)(void *)(at == NULL ? NULL : at + (size_t)2 * WORD_PRIMES * s->rows);
    for (unsigned i = 0; i < WORD_PRIMES && status == GFMUL_OK; i++) {
        for (unsigned back = 0; back < 2; back++, at += s->rows, words += ctx->threads * s->rows) {
            ctx->prime[i].step[back] = at;
            ctx->prime[i].start[back] = words;
        }
        status = prime_set(ctx, s, &ctx->prime[i], i);
    }
    if (status != GFMUL_OK) {
        dist_tables_free(ctx);
        return status;
    }
    ctx->inverse[0] = factor(residue_inverse(word_primes[0].p % word_primes[1].p, word_primes[1].p), word_primes[1].p);
    ctx->inverse[1] = factor(residue_inverse(word_primes[0].p % word_primes[2].p, word_primes[2].p), word_primes[2].p);
    ctx->inverse[2] = factor(residue_inverse(word_primes[1].p % word_primes[2].p, word_primes[2].p), word_primes[2].p);
    ctx->rows = s->rows;
    ctx->columns = s->columns;
    return GFMUL_OK;
}
