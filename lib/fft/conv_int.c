/*
 * conv_int.c - exact convolutions of integers, by the stages of the multiplication.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Each number is cut into balanced pieces, v = sum of v_i 2^(l i), |v_i| <= 2^(l-1).  The pieces with one index are the digits of
 * a right-angle transform.  The products of the spectra with i + j = s are added before a single inverse transform.  Its results
 * are rounded to integers and added with the weight 2^(l s).  l is the largest size with a bound below 1/2.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/environment.h"
#include "base/parallel.h"
#include "base/rounding.h"
#include "base/threads.h"
#include "base/try.h"
#include "fft/conv.h"

enum { CHUNK = 64, MAX_BITS = 30, CHUNKS_A_PART = 64 };

/* Fewer points than these are not worth a second thread, because other programs may delay it. */
static const size_t parallel_points = 8192;

static unsigned threads_of(const struct gfmul_conv *c, const struct plan_shape *shape)
{
    return shape->transform.n_points < parallel_points ? 1 : threads_available(c->opt.threads);
}

/* Number i as a signed integer: residues are balanced, in (-m/2, m/2]. */
static inline int64_t number_get(const struct gfmul_conv_options *opt, const void *a, size_t i)
{
    if (opt->number == GFMUL_CONV_INT32)
        return ((const int32_t *)a)[i];
    if (opt->number == GFMUL_CONV_INT64)
        return ((const int64_t *)a)[i];
    uint64_t v = ((const uint64_t *)a)[i];
    return v > opt->modulus / 2 ? -(int64_t)(opt->modulus - v - 1) - 1 : (int64_t)v;
}

static unsigned bits_above(uint64_t x) /* least bits with x <= 2^bits */
{
    return x <= 1 ? 0 : 64 - (unsigned)__builtin_clzll(x - 1);
}

enum gfmul_status conv_int_bits(const struct gfmul_conv_options *opt, const void *a, size_t an, unsigned *bits)
{
    uint64_t most = 0;
    if (a == NULL)
        most = opt->number == GFMUL_CONV_INT32   ? (uint64_t)1 << 31
               : opt->number == GFMUL_CONV_INT64 ? (uint64_t)1 << 63
                                                 : opt->modulus / 2;
    for (size_t i = 0; i < an; i++) {
        if (opt->number == GFMUL_CONV_MOD && ((const uint64_t *)a)[i] >= opt->modulus)
            return GFMUL_ERR_ARGUMENT;
        int64_t v = number_get(opt, a, i);
        uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v;
        most = size > most ? size : most;
    }
    *bits = bits_above(most);
    return GFMUL_OK;
}

/* Number of pieces of l bits for |v| <= 2^bits; the last one takes the rest, at most 2^(bits - l (p-1)) + 2/3. */
static unsigned pieces(unsigned bits, unsigned l)
{
    return (bits + 1 + l - 1) / l;
}

double conv_int_bound(struct plan_shape *shape, unsigned bits, unsigned a_pieces, unsigned b_pieces, size_t an, size_t bn)
{
    const double count = a_pieces < b_pieces ? a_pieces : b_pieces; /* the most products in one sum */
    shape->digits.base = 2;
    shape->digits.exponent = bits;
    shape->digits.digit_base = (uint64_t)1 << bits;
    shape->digits.bits = bits;
    shape->digits.an = an;
    shape->digits.bn = bn;
    shape->bound.value = plan_bound_worst(shape, &shape->bound.k);
    return count * shape->bound.value * (1 + (count - 1) / shape->bound.k) * (1 + 0x1p-30);
}

static double bound_of(const struct gfmul_conv *c, void *shape)
{
    return conv_int_bound(shape, c->bits, c->a_pieces, c->b_pieces, c->block, c->bn);
}

/*
 * one_piece - cut only the sequence of `many` bits, and leave the other one, of `whole` bits, in one piece.  Returns the bits of
 * the pieces, 0 if there are none.  If the other sequence has few bits, the pieces can be wider.
 *
 *   bound  out  of the rounding error of one product
 */
static unsigned one_piece(struct plan_shape *shape, unsigned many, unsigned whole, size_t an, size_t bn, double *bound)
{
    if (whole >= MAX_BITS)
        return 0;
    for (unsigned l = many < MAX_BITS ? many + 1 : MAX_BITS; l >= 2; l--) {
        const unsigned sum = l + whole + 1; /* |a_i| |b_j| <= 2^(sum - 2): as for pieces of half as many bits on both sides */
        *bound = conv_int_bound(shape, (sum + 1) / 2, 1, 1, an, bn) * (sum % 2 == 0 ? 1.0 : 0.5);
        if (*bound < 0.5)
            return l;
    }
    return 0;
}

/* pieces_choose - as conv_int_pieces, or with one side in one piece if that saves transforms. */
static enum gfmul_status pieces_choose(struct gfmul_conv *c, const void *b, unsigned a_bits, struct plan_shape *shape)
{
    unsigned b_bits;
    double bound;
    TRY(conv_int_bits(&c->opt, b, c->bn, &b_bits));
    const enum gfmul_status status = conv_int_pieces(c, b, a_bits, bound_of, shape);
    struct plan_shape best = *shape;
    unsigned fewest = status == GFMUL_OK ? c->a_pieces + c->b_pieces : UINT_MAX;
    for (unsigned side = 0; side < 2; side++) {
        const unsigned many = side == 0 ? a_bits : b_bits, whole = side == 0 ? b_bits : a_bits;
        const unsigned l = one_piece(shape, many, whole, c->block, c->bn, &bound);
        if (l == 0 || pieces(many, l) + 1 >= fewest)
            continue;
        fewest = pieces(many, l) + 1;
        best = *shape;
        c->bits = l;
        c->bound = bound;
        c->a_pieces = side == 0 ? fewest - 1 : 1;
        c->b_pieces = side == 0 ? 1 : fewest - 1;
    }
    *shape = best;
    return fewest < UINT_MAX ? GFMUL_OK : status;
}

/* The cheapest length with room for this many digits. */
static bool shape_choose(struct plan_shape *shape, size_t digits, unsigned max_radix)
{
    double best = 0;
    for (unsigned i = 0; plan_odd_factor(i) != 0; i++) {
        unsigned odd = plan_odd_factor(i), log2_n = 6;
        while (log2_n < 50 && ((size_t)odd << (log2_n + 1)) < digits)
            log2_n++;
        double cost = plan_transform_cost(odd, log2_n, max_radix, shape->isa);
        if (((size_t)odd << (log2_n + 1)) >= digits && (best == 0 || cost < best)) {
            best = cost;
            plan_shape_points(shape, odd, log2_n, max_radix);
        }
    }
    return best > 0;
}

/* Piece `index` of count numbers of a. */
static void pieces_cut(const struct gfmul_conv *c, int32_t *d, const void *a, size_t first, size_t count, unsigned index,
                       unsigned n_pieces)
{
    const unsigned l = c->bits;
    const int64_t half = (int64_t)1 << (l - 1);
    const bool last = index + 1 == n_pieces;
    if (c->opt.number == GFMUL_CONV_INT32 && l * (n_pieces - 1) <= 32) {
        /* adding half a unit of each lower piece and 2^62 lets shifts to the right cut all pieces; below 2^63 */
        uint64_t added = (uint64_t)1 << 62;
        for (unsigned p = 0; p + 1 < n_pieces; p++)
            added += (uint64_t)half << (l * p);
        const int32_t *v = (const int32_t *)a + first;
        const unsigned shift = l * index;
        const uint64_t mask = last ? UINT64_MAX : 2 * (uint64_t)half - 1;
        const uint64_t less = last ? (uint64_t)1 << (62 - shift) : (uint64_t)half;
        for (size_t i = 0; i < count; i++)
            d[i] = (int32_t)(((((uint64_t)v[i] + added) >> shift) & mask) - less);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t v = number_get(&c->opt, a, first + i);
        for (unsigned p = 0; p < index; p++)
            v = (v >> l) + (v >> (l - 1) & 1); /* the rest above balanced pieces */
        if (!last)
            v = (int64_t)(((uint64_t)v + (uint64_t)half) & (uint64_t)(2 * half - 1)) - half;
        d[i] = (int32_t)v; /* |v| <= 2^(l-1) */
    }
}

struct pack_work {
    const struct gfmul_conv *c;
    double *x;
    const void *a;
    size_t an;
    unsigned index, n_pieces;
};

static void chunks_pack(void *arg, unsigned t, size_t begin, size_t end)
{
    const struct pack_work *const w = arg;
    const struct plan *plan = w->c->plan;
    (void)t;
    for (size_t chunk = begin; chunk < end; chunk++) {
        _Alignas(64) int32_t d[CHUNK];
        struct digit_norms norms = {0, 0};
        const size_t first = chunk * CHUNK, count = first >= w->an ? 0 : w->an - first < CHUNK ? w->an - first : CHUNK;
        pieces_cut(w->c, d, w->a, first, count, w->index, w->n_pieces);
        memset(d + count, 0, (CHUNK - count) * sizeof *d);
        plan->ops->digits_pack(plan, w->x, DIGIT_PART_A, first, d, CHUNK, &norms);
    }
}

/* Pack piece `index` of each of the an numbers of a into x, followed by zeros. */
static void pieces_pack(const struct gfmul_conv *c, double *x, const void *a, size_t an, unsigned index, unsigned n_pieces,
                        unsigned threads)
{
    struct pack_work w = {c, x, a, an, index, n_pieces};
    parallel_for(threads, c->plan->shape.transform.n_digits / CHUNK, CHUNKS_A_PART, chunks_pack, &w);
}

static void pieces_transform(const struct gfmul_conv *c, double *x, const void *a, size_t an, unsigned index, unsigned n_pieces,
                             unsigned threads)
{
    const size_t n = c->plan->shape.transform.n_points;
    pieces_pack(c, x, a, an, index, n_pieces, threads);
    c->plan->ops->digits_to_spectrum(c->plan, x, an < n ? an : n, threads);
}

enum gfmul_status conv_int_pieces(struct gfmul_conv *c, const void *b, unsigned a_bits, conv_bound *bound, void *arg)
{
    unsigned b_bits;
    TRY(conv_int_bits(&c->opt, b, c->bn, &b_bits));
    /* pieces wider than a number gain nothing; with l = 2 the pieces below the last are at most 2/3 of its unit */
    const unsigned widest = (a_bits > b_bits ? a_bits : b_bits) + 1;
    for (c->bits = widest < 2 ? 2 : widest < MAX_BITS ? widest : MAX_BITS; c->bits >= 2; c->bits--) {
        c->a_pieces = pieces(a_bits, c->bits);
        c->b_pieces = pieces(b_bits, c->bits);
        c->bound = bound(c, arg);
        if (c->bound < 0.5)
            return GFMUL_OK;
    }
    return GFMUL_ERR_PRECISION;
}

enum gfmul_status conv_int_create(struct gfmul_conv *c, const void *b, unsigned a_bits)
{
    const struct isa_ops *isa = isa_ops_select(cpu_isa_mask(environment_get("GFMUL_DISABLE")));
    const unsigned tuning = cpu_tuning(isa->isa_bit);
    struct plan_shape shape = {.rule = GFMUL_RULE_NORM,
                               .transform.packing = GFMUL_PACKING_RIGHT_ANGLE,
                               .grid.a_cells = 1,
                               .grid.b_cells = 1,
                               .bound.fma = isa->fma,
                               .isa = tuning,
                               .butterfly = plan_butterfly(tuning, isa->butterfly)};
    if (!shape_choose(&shape, c->block + c->bn - 1, isa->max_radix))
        return GFMUL_ERR_SIZE;
    TRY(pieces_choose(c, b, a_bits, &shape));
    const unsigned threads = threads_of(c, &shape);
    TRY(plan_create(&c->plan, &shape, isa, threads));
    size_t doubles = plan_buffer_doubles(&shape), bytes;
    if (!size_mul(&bytes, c->b_pieces * sizeof(double), doubles) || (c->spectra = alloc_aligned(bytes)) == NULL)
        return GFMUL_ERR_MEMORY;
    for (unsigned i = 0; i < c->b_pieces; i++)
        pieces_transform(c, c->spectra + i * doubles, b, c->bn, i, c->b_pieces, threads);
    return GFMUL_OK;
}

/* z += v 2^shift modulo 2^(64 words) */
static inline void words_add(uint64_t *z, unsigned words, int64_t v, unsigned shift)
{
    unsigned word = shift / 64, bit = shift % 64;
    uint64_t low = (uint64_t)v << bit, high = bit ? (uint64_t)(v >> (64 - bit)) : (uint64_t)(v >> 63), sign = (uint64_t)(v >> 63);
    uint64_t carry = 0;
    for (unsigned i = word; i < words; i++) {
        unsigned __int128 sum = (unsigned __int128)z[i] + (i == word ? low : i == word + 1 ? high : sign) + carry;
        z[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
}

/* z += v weight modulo m; weight < m */
static inline void residue_add(uint64_t *z, int64_t v, uint64_t weight, uint64_t m)
{
    uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v;
    uint64_t r = (uint64_t)((unsigned __int128)(size % m) * weight % m);
    if (v < 0 && r != 0)
        r = m - r;
    *z = (uint64_t)(((unsigned __int128)*z + r) % m);
}

/* Round the sum in x and add it, times 2^shift, to the result from coefficient `at` on. */
static enum gfmul_status sum_add(const struct gfmul_conv *c, uint64_t *z, const double *x, size_t at, size_t length,
                                 unsigned shift)
{
    const struct gfmul_conv_options *opt = &c->opt;
    struct round_stats stats = {.max_error = 0};
    uint64_t weight = 0;
    if (opt->number == GFMUL_CONV_MOD) {
        weight = 1 % opt->modulus;
        for (unsigned i = 0; i < shift; i++)
            weight = (uint64_t)((unsigned __int128)weight * 2 % opt->modulus);
    }
    for (size_t first = 0; first < length; first += CHUNK) {
        _Alignas(64) int64_t v[CHUNK];
        c->plan->ops->digits_round(c->plan, v, x, first, CHUNK, &stats);
        const size_t count = length - first < CHUNK ? length - first : CHUNK;
        if (opt->number != GFMUL_CONV_MOD && opt->words == 1 && opt->kind == GFMUL_CONV_LINEAR) {
            for (size_t i = 0; i < count; i++)
                z[at + first + i] += (uint64_t)v[i] << shift;
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            bool minus;
            size_t k = conv_place(c, at + first + i, &minus);
            int64_t value = minus ? -v[i] : v[i]; /* |v| < 2^51 */
            if (opt->number == GFMUL_CONV_MOD)
                residue_add(z + k, value, weight, opt->modulus);
            else
                words_add(z + k * opt->words, opt->words, value, shift);
        }
    }
    /* this is a theorem */
    return stats.max_error <= c->bound && stats.max_value < 0x1p51 ? GFMUL_OK : GFMUL_ERR_INTERNAL;
}

struct addition {
    double *sum;
    const double *x;
};

static void addition_run(void *arg, unsigned t, size_t first, size_t end)
{
    double *const sum = ((const struct addition *)arg)->sum;
    const double *const x = ((const struct addition *)arg)->x;
    (void)t;
    for (size_t k = first; k < end; k++)
        sum[k] += x[k];
}

static void doubles_add(double *sum, const double *x, size_t n, unsigned threads)
{
    parallel_for(threads, n, CHUNK * CHUNKS_A_PART, addition_run, &(struct addition){sum, x});
}

enum gfmul_status conv_int_run(const struct gfmul_conv *c, uint64_t *z, const void *a, size_t an)
{
    const struct stage_ops *ops = c->plan->ops;
    const size_t doubles = plan_buffer_doubles(&c->plan->shape);
    const unsigned threads = threads_of(c, &c->plan->shape);
    enum gfmul_status status = GFMUL_OK;
    size_t bytes;
    double *x = NULL;
    if (!size_mul(&bytes, (c->a_pieces + 2) * sizeof(double), doubles) || (x = alloc_aligned(bytes)) == NULL)
        return GFMUL_ERR_MEMORY;
    double *sum = x + c->a_pieces * doubles, *product = sum + doubles;
    /* sums beyond the words of a result are skipped */
    const unsigned all = c->a_pieces + c->b_pieces - 1, within = (64 * c->opt.words + c->bits - 1) / c->bits;
    const unsigned sums = c->opt.number != GFMUL_CONV_MOD && within < all ? within : all;
    for (size_t at = 0; at < an && status == GFMUL_OK; at += c->block) {
        size_t count = an - at < c->block ? an - at : c->block;
        const void *from = (const char *)a + at * conv_number_bytes(&c->opt);
        for (unsigned i = 0; i < c->a_pieces; i++)
            pieces_transform(c, x + i * doubles, from, count, i, c->a_pieces, threads);
        for (unsigned s = 0; s < sums && status == GFMUL_OK; s++) {
            const unsigned least = s < c->b_pieces ? 0 : s - c->b_pieces + 1;
            double *to = sum;
            for (unsigned i = least; i <= s && i < c->a_pieces; i++) {
                double *piece = x + i * doubles, *term = to == sum ? product : sum;
                if (i == least)
                    term = to = i + c->b_pieces - 1 == s ? piece : sum; /* piece: this is its last product */
                if (term != piece)
                    memcpy(term, piece, doubles * sizeof *term);
                ops->spectrum_mul(c->plan, term, c->spectra + (s - i) * doubles, threads);
                if (i > least)
                    doubles_add(to, term, doubles, threads);
            }
            ops->spectrum_to_digits(c->plan, to, threads);
            status = sum_add(c, z, to, at, count + c->bn - 1, c->bits * s);
        }
    }
    alloc_free(x);
    return status;
}
