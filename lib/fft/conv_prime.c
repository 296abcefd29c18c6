/*
 * conv_prime.c - exact convolutions of 64-bit integers and of residues, through transforms modulo primes.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Coefficients are recovered from their residues modulo as few primes of prime_table as their sizes need.  A ring of a length
 * that transforms support is convolved directly.  All else is a linear convolution, whose coefficients are folded.
 */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/environment.h"
#include "base/idle.h"
#include "base/parallel.h"
#include "base/rounding.h"
#include "base/threads.h"
#include "base/try.h"
#include "fft/conv.h"
#include "prime/prime_ring.h"
#include "prime/prime_values.h"

/* Fewer points than these are not worth a second thread. */
static const size_t parallel_points = 8192;

enum { JOIN_CHUNK = 8 * VALUE_RUN };                               /* coefficients that a thread takes at a time */
enum { KEEP_LEAST = 1 << 8, KEEP_LONG = 1 << 16, KEEP_SHARE = 8 }; /* see keep_put */

/* Memory of a call. */
struct buffers {
    double *x[PRIME_COUNT]; /* n points of each prime */
};

/* The parameters of a convolution modulo primes, besides the options. */
struct conv_primes {
    unsigned n_primes;
    bool direct; /* the transform's ring is the ring of the convolution */
    struct prime_ring *ring[PRIME_COUNT];
    struct prime_values values;
    const void *b;                     /* single convolution: b, which is transformed during the run */
    double *factors;                   /* the spectrum of b: n points of each prime; single convolution: room for one prime */
    _Atomic(struct buffers *) buffers; /* of the last call that has finished, or NULL */
};

/*
 * Rings and memory of the last convolution without a kernel of its own, kept for the next one.  There is one for long and one for
 * short convolutions, so that neither evicts the other.
 */
static enum idle_left keep_give(struct idle *idle, bool wholly);
static struct {
    struct idle idle;
    _Atomic(struct conv_primes *) primes[2];
} keep = {.idle = {.give = keep_give, .shared = true}};

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
    uint64_t all = a == NULL ? above : 0, beyond = 0;
    for (size_t i = 0; i < an; i++) {
        all |= is_signed ? a[i] ^ (0 - (a[i] >> 63)) : a[i];
        beyond |= a[i] > above;
    }
    if (beyond)
        return GFMUL_ERR_ARGUMENT;
    *bits = a == NULL && is_signed ? 63 : all == 0 ? 0 : 64 - (unsigned)__builtin_clzll(all);
    return GFMUL_OK;
}

/* shape_choose - the cheapest cyclic transform with room for this many coefficients. */
static bool shape_choose(size_t points, unsigned *odd, unsigned *levels)
{
    static const double odd_levels[] = {0, 3.5, 5.0, 6.5}; /* the cost of an odd pass, in levels */
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

/* ring_choose - choose the ring of the transforms: the convolution's own, or one that holds the linear convolution. */
static enum gfmul_status ring_choose(const struct gfmul_conv *c, bool *direct, unsigned *odd, unsigned *levels)
{
    *levels = (unsigned)__builtin_ctzll(c->bn);
    const size_t rest = c->bn >> *levels;
    *direct = c->opt.kind != GFMUL_CONV_LINEAR && rest <= PRIME_ODD_MAX && *levels >= RING_LEVELS_MIN &&
              *levels + (c->opt.kind == GFMUL_CONV_NEGACYCLIC) <= PRIME_LEVELS;
    *odd = (unsigned)rest;
    if (*direct)
        return GFMUL_OK;
    return shape_choose(c->block + c->bn - 1, odd, levels) ? GFMUL_OK : GFMUL_ERR_SIZE;
}

static struct ring_words words_of(const struct gfmul_conv *c, const void *words, size_t count)
{
    return (struct ring_words){words, count, c->opt.number == GFMUL_CONV_INT64};
}

/* factors_make - the spectrum of b modulo prime i. */
static void factors_make(const struct gfmul_conv *c, double *factors, const void *b, unsigned i, unsigned threads)
{
    const struct prime_ring *r = c->primes->ring[i];
    const struct ring_words words = words_of(c, b, c->bn);
    r->ops->ring_factor(r, factors, &words, threads);
}

/* buffers_drop - free buffers.   forget in: return their memory to the system. */
static void buffers_drop(struct buffers *buffers, size_t n, bool forget)
{
    for (unsigned i = 0; buffers != NULL && i < PRIME_COUNT; i++) {
        if (forget)
            alloc_forget(buffers->x[i], n * sizeof *buffers->x[i]);
        alloc_free(buffers->x[i]);
    }
    free(buffers);
}

/* buffers_take - memory for a call, from the last call or new; NULL: no memory. */
static struct buffers *buffers_take(struct conv_primes *p)
{
    struct buffers *buffers = atomic_exchange(&p->buffers, NULL);
    bool there = buffers != NULL || (buffers = calloc(1, sizeof *buffers)) != NULL;
    for (unsigned i = 0; there && i < p->n_primes; i++)
        if (buffers->x[i] == NULL)
            there = (buffers->x[i] = alloc_aligned(points_of(p) * sizeof *buffers->x[i])) != NULL;
    if (there)
        return buffers;
    buffers_drop(buffers, points_of(p), false);
    return NULL;
}

static void buffers_put(struct conv_primes *p, struct buffers *buffers)
{
    buffers_drop(atomic_exchange(&p->buffers, buffers), points_of(p), false);
}

/* primes_destroy - free all.   forget in: a kept one's memory returns to the system. */
static void primes_destroy(struct conv_primes *p, bool forget)
{
    if (p == NULL)
        return;
    if (p->ring[0] != NULL) {
        buffers_drop(atomic_load(&p->buffers), points_of(p), forget);
        if (forget)
            alloc_forget(p->factors, points_of(p) * sizeof *p->factors);
    }
    for (unsigned i = 0; i < PRIME_COUNT; i++) {
        if (forget && p->ring[i] != NULL)
            alloc_forget(p->ring[i]->memory, p->ring[i]->memory_bytes);
        prime_ring_destroy(p->ring[i]);
    }
    alloc_free(p->factors);
    free(p);
}

/* tables_bytes - of all rings.   kept_bytes - all that a convolution keeps, also for primes that the last one did not need. */
static size_t tables_bytes(const struct conv_primes *p)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < PRIME_COUNT; i++)
        bytes += p->ring[i] != NULL ? p->ring[i]->memory_bytes : 0;
    return bytes;
}

static size_t kept_bytes(struct conv_primes *p)
{
    const struct buffers *const buffers = atomic_load(&p->buffers);
    size_t rows = 1; /* factors */
    for (unsigned i = 0; buffers != NULL && i < PRIME_COUNT; i++)
        rows += buffers->x[i] != NULL;
    return rows * points_of(p) * sizeof *p->factors + tables_bytes(p);
}

/* primes_lend - allow the system to take the kept memory back; false: it cannot, or tables are large, and cannot be lent. */
static bool primes_lend(struct conv_primes *p)
{
    const size_t bytes = points_of(p) * sizeof *p->factors;
    struct buffers *const buffers = atomic_load(&p->buffers);
    bool lent = tables_bytes(p) <= memory_usable() / IDLE_TABLE_SHARE && alloc_lend(p->factors, bytes);
    for (unsigned i = 0; buffers != NULL && i < PRIME_COUNT && lent; i++)
        lent = buffers->x[i] == NULL || alloc_lend(buffers->x[i], bytes);
    return lent;
}

static enum idle_left keep_give(struct idle *idle, bool wholly)
{
    enum idle_left left = IDLE_GONE;
    (void)idle;
    for (unsigned i = 0; i < 2; i++) {
        struct conv_primes *p = atomic_exchange(&keep.primes[i], NULL), *none = NULL;
        if (p == NULL)
            continue;
        if (!wholly && primes_lend(p) && atomic_compare_exchange_strong(&keep.primes[i], &none, p))
            left = IDLE_LENT;
        else
            primes_destroy(p, true);
    }
    return left;
}

/* keep_put - keep the rings of one convolution for the next, unless it is very short, or needs much of the machine's memory. */
static void keep_put(struct conv_primes *p)
{
    const size_t n = points_of(p);
    if (n < KEEP_LEAST || kept_bytes(p) > memory_usable() / KEEP_SHARE) {
        primes_destroy(p, false);
        return;
    }
    p->b = NULL;
    primes_destroy(atomic_exchange(&keep.primes[n >= KEEP_LONG], p), false);
    idle_note(&keep.idle);
}

/* keep_take - take the kept rings if they fit; NULL: they do not. */
static struct conv_primes *keep_take(unsigned odd, unsigned levels, bool negacyclic, const struct prime_ops *ops)
{
    const size_t n = (size_t)odd << levels;
    if (n < KEEP_LEAST)
        return NULL;
    struct conv_primes *p = atomic_exchange(&keep.primes[n >= KEEP_LONG], NULL);
    const struct prime_ring *r = p == NULL ? NULL : p->ring[0];
    if (r == NULL || (r->odd == odd && r->levels == levels && r->negacyclic == negacyclic && r->ops == ops))
        return p;
    primes_destroy(p, false);
    return NULL;
}

enum gfmul_status conv_prime_create(struct gfmul_conv *c, const void *b, unsigned a_bits, bool once)
{
    const char *disable = environment_get("GFMUL_DISABLE");
    const struct isa_ops *isa = isa_ops_select(cpu_isa_mask(disable));
    unsigned odd, levels, b_bits;
    size_t bytes;
    bool direct;
    TRY(conv_prime_bits(&c->opt, b, c->bn, &b_bits));
    TRY(ring_choose(c, &direct, &odd, &levels));
    const size_t terms = c->block < c->bn ? c->block : c->bn;
    const unsigned n_primes = prime_count_for((double)(a_bits + b_bits) + log2((double)terms) * (1 + 0x1p-40));
    if (n_primes == 0)
        return GFMUL_ERR_PRECISION;
    const bool negacyclic = direct && c->opt.kind == GFMUL_CONV_NEGACYCLIC;
    const struct prime_ops *ops = prime_ring_ops(isa, odd, prime_table[0].p, disable);
    struct conv_primes *p = once ? keep_take(odd, levels, negacyclic, ops) : NULL;
    if (p == NULL && (p = calloc(1, sizeof *p)) == NULL)
        return GFMUL_ERR_MEMORY;
    c->primes = p;
    p->n_primes = n_primes;
    p->direct = direct;
    prime_values_set(&p->values, n_primes, c->opt.number == GFMUL_CONV_MOD ? 0 : c->opt.words, c->opt.modulus);
    for (unsigned i = 0; i < n_primes; i++)
        if (p->ring[i] == NULL)
            TRY(prime_ring_create(&p->ring[i], &prime_table[i], odd, levels, negacyclic, ops));
    const size_t n = points_of(p);
    if (!size_mul(&bytes, (once ? 1 : n_primes) * sizeof *p->factors, n) ||
        (p->factors == NULL && (p->factors = alloc_aligned(bytes)) == NULL))
        return GFMUL_ERR_MEMORY;
    p->b = once ? b : NULL;
    for (unsigned i = 0; !once && i < n_primes; i++)
        factors_make(c, p->factors + i * n, b, i, threads_of(c, n));
    return GFMUL_OK;
}

void conv_prime_destroy(struct gfmul_conv *c)
{
    if (c->primes != NULL && c->primes->b != NULL)
        keep_put(c->primes);
    else
        primes_destroy(c->primes, false);
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

/* value_add - add coefficient k of the linear convolution to its place. */
static inline void value_add(const struct gfmul_conv *c, uint64_t *z, size_t k, const uint64_t *value, unsigned words)
{
    bool minus;
    const size_t place = conv_place(c, k, &minus);
    if (c->opt.number == GFMUL_CONV_MOD)
        residue_put(z + place, *value, minus, c->opt.modulus);
    else
        words_put(z + place * words, value, minus, words);
}

/* Coefficients first .. last - 1 of a block. */
struct coefficients {
    size_t first, last;
};

struct values_work {
    const struct gfmul_conv *c;
    uint64_t *z;
    double *const *x;
    size_t at;
    struct coefficients of;
    bool add;
    unsigned words;
};

static void chunks_put(void *arg, unsigned t, size_t begin, size_t end)
{
    const struct values_work *const w = arg;
    const struct conv_primes *p = w->c->primes;
    const struct prime_ops *ops = p->ring[0]->ops;
    const size_t first = w->of.first, last = w->of.last;
    const unsigned words = w->words;
    uint64_t *const z = w->z;
    (void)t;
    for (size_t chunk = first / JOIN_CHUNK + begin; chunk < first / JOIN_CHUNK + end; chunk++) {
        uint64_t values[JOIN_CHUNK * VALUE_WORDS];
        const size_t from = chunk * JOIN_CHUNK, left = points_of(p) - from, count = left < JOIN_CHUNK ? left : JOIN_CHUNK;
        const size_t low = from < first ? first : from, high = from + count < last ? from + count : last;
        if (!w->add && low == from && high == from + count) {
            ops->residues_combine(&p->values, z + from * words, w->x, from, count);
            continue;
        }
        ops->residues_combine(&p->values, values, w->x, from, count);
        if (!w->add)
            memcpy(z + low * words, values + (low - from) * words, (high - low) * words * sizeof *z);
        for (size_t i = low; w->add && i < high; i++)
            value_add(w->c, z, w->at + i, values + (i - from) * words, words);
    }
}

/*
 * values_put - write coefficients of the block at `at` to their places, which are all distinct.
 *
 *   add  in  add them to the values there; else the places are those of the coefficients
 */
static void values_put(const struct gfmul_conv *c, uint64_t *z, double *const *x, size_t at, struct coefficients of, bool add,
                       unsigned threads)
{
    const size_t begin = of.first / JOIN_CHUNK, end = (of.last + JOIN_CHUNK - 1) / JOIN_CHUNK;
    struct values_work w = {c, z, x, at, of, add, c->opt.number == GFMUL_CONV_MOD ? 1 : c->opt.words};
    parallel_for(threads, begin < end ? end - begin : 0, 1, chunks_put, &w);
}

enum gfmul_status conv_prime_run(const struct gfmul_conv *c, uint64_t *z, const uint64_t *a, size_t an)
{
    struct conv_primes *p = c->primes;
    const size_t n = points_of(p);
    const unsigned threads = threads_of(c, n);
    const struct ring_words b = words_of(c, p->b, c->bn);
    struct buffers *buffers = buffers_take(p);
    if (buffers == NULL)
        return GFMUL_ERR_MEMORY;
    double *const *x = buffers->x;
    /* else folded coefficients share places with others */
    const bool alone = an <= c->block && (p->direct || c->opt.kind == GFMUL_CONV_LINEAR);
    if (!alone)
        memset(z, 0, (c->opt.kind == GFMUL_CONV_LINEAR ? an + c->bn - 1 : c->bn) * conv_result_bytes(&c->opt));
    for (size_t at = 0; at < an; at += c->block) {
        const size_t count = an - at < c->block ? an - at : c->block;
        const struct ring_words block = words_of(c, a + at, count);
        for (unsigned i = 0; i < p->n_primes; i++) {
            const struct prime_ring *r = p->ring[i];
            if (p->b != NULL)
                r->ops->ring_product(r, x[i], &block, p->factors, &b, threads);
            else
                r->ops->ring_product(r, x[i], &block, p->factors + i * n, NULL, threads);
        }
        const size_t last = p->direct ? n : count + c->bn - 1;
        const size_t folded = c->opt.kind == GFMUL_CONV_LINEAR || last < c->bn ? last : c->bn;
        values_put(c, z, x, at, (struct coefficients){0, folded}, !alone, threads);
        if (folded < last)
            values_put(c, z, x, at, (struct coefficients){folded, last}, true, threads);
    }
    buffers_put(p, buffers);
    return GFMUL_OK;
}
