/*
 * conv_prime.c - exact convolutions of 64-bit integers and of residues, through transforms modulo primes.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The coefficients are told by their residues modulo as few primes of prime_table as their sizes need.  A ring of a length that
 * transforms have is convolved in that ring.  All else is a linear convolution, whose coefficients are folded.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/environment.h"
#include "base/rounding.h"
#include "base/threads.h"
#include "base/try.h"
#include "fft/conv.h"
#include "prime/prime_ring.h"
#include "prime/prime_values.h"

/* Fewer points than these are not worth a second thread. */
static const size_t parallel_points = 8192;

enum { JOIN_CHUNK = 8 * VALUE_RUN }; /* coefficients that a thread takes at once */
enum { BLOCK_DOUBLES = 1 << 22 };

/* What a convolution modulo primes needs beside the options. */
struct conv_primes {
    unsigned n_primes;
    bool direct; /* the transform's ring is that of the convolution */
    struct prime_ring *ring[PRIME_COUNT];
    struct prime_values values;
    const void *b;   /* of one convolution: it is transformed amid that */
    double *factors; /* the spectrum of b: n points of each prime; of one convolution, of the prime under way */
};

static size_t points_of(const struct conv_primes *p)
{
    return p->ring[0]->n_points;
}

static unsigned threads_of(const struct gfmul_conv *c, size_t points)
{
    return points < parallel_points ? 1 : threads_available(c->opt.threads);
}

enum gfmul_status conv_prime_bits(const struct gfmul_conv_options *opt, const uint64_t *a, size_t an, unsigned *bits)
{
    const bool is_signed = opt->number == GFMUL_CONV_INT64;
    const uint64_t above = opt->number == GFMUL_CONV_MOD ? opt->modulus - 1 : UINT64_MAX;
    uint64_t all = a == NULL ? above : 0;
    for (size_t i = 0; i < an; i++) {
        if (a[i] > above)
            return GFMUL_ERR_ARGUMENT;
        all |= is_signed && a[i] >> 63 ? ~a[i] : a[i];
    }
    *bits = a == NULL && is_signed ? 63 : all == 0 ? 0 : 64 - (unsigned)__builtin_clzll(all);
    return GFMUL_OK;
}

/* shape_choose - the cheapest cyclic transform with room for so many coefficients. */
static bool shape_choose(size_t points, unsigned *odd, unsigned *levels)
{
    static const double odd_levels[] = {0, 3.5, 5.0, 6.5}; /* what an odd pass takes, in levels */
    double best = 0;
    for (unsigned i = 0; prime_odd(i) != 0; i++) {
        unsigned k = RING_LEVELS_MIN;
        while (k < PRIME_LEVELS && (size_t)prime_odd(i) << k < points)
            k++;
        const size_t n = (size_t)prime_odd(i) << k;
        const double cost = (double)n * (k + odd_levels[i]);
        if (n >= points && (best == 0 || cost < best)) {
            best = cost;
            *odd = prime_odd(i);
            *levels = k;
        }
    }
    return best > 0;
}

/* ring_choose - of the transforms: the convolution's own ring, or one that holds the linear convolution. */
static enum gfmul_status ring_choose(const struct gfmul_conv *c, struct conv_primes *p, unsigned *odd, unsigned *levels)
{
    *levels = (unsigned)__builtin_ctzll(c->bn);
    const size_t rest = c->bn >> *levels;
    p->direct = c->opt.kind != GFMUL_CONV_LINEAR && rest <= PRIME_ODD_MAX && *levels >= RING_LEVELS_MIN &&
                *levels + (c->opt.kind == GFMUL_CONV_NEGACYCLIC) <= PRIME_LEVELS;
    *odd = (unsigned)rest;
    if (p->direct)
        return GFMUL_OK;
    return shape_choose(c->block + c->bn - 1, odd, levels) ? GFMUL_OK : GFMUL_ERR_SIZE;
}

/* factors_make - the spectrum of b modulo prime i. */
static void factors_make(const struct gfmul_conv *c, double *factors, const void *b, unsigned i, unsigned threads)
{
    const struct prime_ring *r = c->primes->ring[i];
    r->ops->ring_cut(r, factors, b, c->bn, c->opt.number == GFMUL_CONV_INT64, threads);
    r->ops->ring_forward(r, factors, false, threads);
    r->ops->ring_finish(r, factors, threads);
}

enum gfmul_status conv_prime_create(struct gfmul_conv *c, const void *b, unsigned a_bits, bool once)
{
    const struct isa_ops *isa = isa_ops_select(cpu_isa_mask(environment_get("GFMUL_DISABLE")));
    struct conv_primes *p = calloc(1, sizeof *p);
    unsigned odd, levels, b_bits;
    size_t bytes;
    c->primes = p;
    if (p == NULL)
        return GFMUL_ERR_MEMORY;
    TRY(conv_prime_bits(&c->opt, b, c->bn, &b_bits));
    TRY(ring_choose(c, p, &odd, &levels));
    const size_t terms = c->block < c->bn ? c->block : c->bn;
    p->n_primes = prime_count_for((double)(a_bits + b_bits) + log2((double)terms) * (1 + 0x1p-40));
    if (p->n_primes == 0)
        return GFMUL_ERR_PRECISION;
    const bool negacyclic = p->direct && c->opt.kind == GFMUL_CONV_NEGACYCLIC;
    prime_values_set(&p->values, p->n_primes, c->opt.number == GFMUL_CONV_MOD ? 0 : c->opt.words, c->opt.modulus);
    for (unsigned i = 0; i < p->n_primes; i++)
        TRY(prime_ring_create(&p->ring[i], &prime_table[i], odd, levels, negacyclic, isa));
    const size_t n = points_of(p);
    if (!size_mul(&bytes, (once ? 1 : p->n_primes) * sizeof *p->factors, n) || (p->factors = alloc_aligned(bytes)) == NULL)
        return GFMUL_ERR_MEMORY;
    p->b = once ? b : NULL;
    for (unsigned i = 0; !once && i < p->n_primes; i++)
        factors_make(c, p->factors + i * n, b, i, threads_of(c, n));
    return GFMUL_OK;
}

void conv_prime_destroy(struct gfmul_conv *c)
{
    struct conv_primes *p = c->primes;
    if (p == NULL)
        return;
    for (unsigned i = 0; i < p->n_primes; i++)
        prime_ring_destroy(p->ring[i]);
    alloc_free(p->factors);
    free(p);
}

/* residue_put - z += v modulo m, or z -= v. */
static inline void residue_put(uint64_t *z, uint64_t v, bool minus, uint64_t m)
{
    v = minus ? m - v : v; /* m at most */
    const uint64_t sum = *z + v;
    *z = sum < v || sum >= m ? sum - m : sum;
}

/* words_put - z += v modulo 2^(64 words), or z -= v. */
static inline void words_put(uint64_t *z, const uint64_t *v, bool minus, unsigned words)
{
    uint64_t carry = minus;
    for (unsigned i = 0; i < words; i++) {
        const unsigned __int128 sum = (unsigned __int128)z[i] + (minus ? ~v[i] : v[i]) + carry;
        z[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
}

/* values_add - coefficients first .. last - 1 of the block at `at` to their places, which are different ones. */
static void values_add(const struct gfmul_conv *c, uint64_t *z, double *const *x, size_t at, size_t first, size_t last,
                       unsigned threads)
{
    const struct conv_primes *p = c->primes;
    const struct prime_ops *ops = p->ring[0]->ops;
    const unsigned words = c->opt.number == GFMUL_CONV_MOD ? 1 : c->opt.words;
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (size_t chunk = first / JOIN_CHUNK; chunk < (last + JOIN_CHUNK - 1) / JOIN_CHUNK; chunk++) {
        ROUND_TO_NEAREST;
        uint64_t values[JOIN_CHUNK * VALUE_WORDS];
        const size_t from = chunk * JOIN_CHUNK, left = points_of(p) - from;
        ops->residues_combine(&p->values, values, x, from, left < JOIN_CHUNK ? left : JOIN_CHUNK);
        for (size_t i = 0; i < JOIN_CHUNK; i++) {
            bool minus;
            if (from + i < first || from + i >= last)
                continue;
            const size_t k = conv_place(c, at + from + i, &minus);
            if (c->opt.number == GFMUL_CONV_MOD)
                residue_put(z + k, values[i], minus, c->opt.modulus);
            else
                words_put(z + k * words, values + i * words, minus, words);
        }
    }
}

/* is_one_block - whether buffers are one: the C library then keeps its pages from call to call.  Larger blocks it gives back. */
static bool is_one_block(unsigned count, size_t n)
{
    return n <= BLOCK_DOUBLES / count;
}

/* buffers_get - count buffers of n doubles.   false: no memory */
static bool buffers_get(double **x, unsigned count, size_t n)
{
    const bool one = is_one_block(count, n);
    bool there = true;
    for (unsigned i = 0; i < count && there; i++) {
        x[i] = one && i > 0 ? x[0] + i * n : alloc_aligned((one ? count : 1) * n * sizeof *x[i]);
        there = x[i] != NULL;
    }
    return there;
}

static void buffers_free(double *const *x, unsigned count, size_t n)
{
    for (unsigned i = 0; i < (is_one_block(count, n) ? 1 : count); i++)
        alloc_free(x[i]);
}

enum gfmul_status conv_prime_run(const struct gfmul_conv *c, uint64_t *z, const uint64_t *a, size_t an)
{
    const struct conv_primes *p = c->primes;
    const size_t n = points_of(p);
    const unsigned threads = threads_of(c, n);
    double *x[PRIME_COUNT] = {NULL};
    const bool there = buffers_get(x, p->n_primes, n);
    for (size_t at = 0; there && at < an; at += c->block) {
        const size_t count = an - at < c->block ? an - at : c->block;
        for (unsigned i = 0; i < p->n_primes; i++) {
            const struct prime_ring *r = p->ring[i];
            double *factors = p->factors + (p->b != NULL ? 0 : i * n);
            if (p->b != NULL)
                factors_make(c, factors, p->b, i, threads);
            r->ops->ring_cut(r, x[i], a + at, count, c->opt.number == GFMUL_CONV_INT64, threads);
            r->ops->ring_forward(r, x[i], false, threads);
            r->ops->ring_multiply(r, x[i], factors, threads);
            r->ops->ring_back(r, x[i], false, threads);
        }
        /* what is folded has the places of what is not */
        const size_t last = p->direct ? n : count + c->bn - 1;
        const size_t folded = c->opt.kind == GFMUL_CONV_LINEAR || last < c->bn ? last : c->bn;
        values_add(c, z, x, at, 0, folded, threads);
        if (folded < last)
            values_add(c, z, x, at, folded, last, threads);
    }
    buffers_free(x, p->n_primes, n);
    return there ? GFMUL_OK : GFMUL_ERR_MEMORY;
}
