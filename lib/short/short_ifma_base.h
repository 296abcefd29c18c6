/*
 * short_ifma_base.h - schoolbook products and squares of up to BASE_DIGITS digits, in registers.
 *
 * A number is a row of digits below 2^52, one per word; its radix is 2^r, r <= 52.  The product of digits i and j adds its lower
 * 52 bits to column i + j, and its higher bits, times 2^(52 - r), to the next one.  All columns stay in registers, `low` and
 * `high` separately.  Eight columns form a vector.
 *
 * Digits of b that lie eight apart meet the same vectors of a.  So for s = 0..7 the vectors of a, s places higher, are loaded
 * once, and multiplied by digits s, s + 8, s + 16 .. of b.  This takes one load per 10 products, and no shift between lanes.
 *
 * A square makes products of two different digits once, and doubles either one of them or all columns at the end.  Doubling a
 * digit takes a bit of it, and an addition and two masked moves for each digit, which have ports of their own on AMD's
 * processors.  At the end there are the squares of all digits to make beside that, so products are more by 2 in an + 1, and all
 * else is less: this is better where products and additions share ports, on Intel's ("once").
 *
 * A row shifted by s >= 1 ends s lanes into one more vector.  Its first vector lacks just those lanes, so both can be one vector,
 * whose products are then added to two columns' vectors under masks ("wrapped").  That saves one product in an + 1 for two
 * additions, which pays where additions have ports of their own: on AMD's processors, not on Intel's.
 *
 * Included by isa/short_ifma.c alone.
 */
#ifndef GFMUL_SHORT_IFMA_BASE_H
#define GFMUL_SHORT_IFMA_BASE_H

#include <stdbool.h>

#include "short/short_ifma_vec.h"
#include "short/short_sizes.h"

enum { BASE_VECTORS = 6, BASE_DIGITS = LANES * BASE_VECTORS, ROW_MARGIN = LANES };

/* The columns of a product in registers. */
struct base_sums {
    vec low[2 * BASE_VECTORS], high[2 * BASE_VECTORS];
};

SHORT_INLINE vec low_add(vec sum, vec x, vec y)
{
    return _mm512_madd52lo_epu64(sum, x, y);
}

SHORT_INLINE vec high_add(vec sum, vec x, vec y)
{
    return _mm512_madd52hi_epu64(sum, x, y);
}

/* Vector k has ones in lanes from k on. */
#define ONES_FROM(k) \
    {-((k) <= 0), -((k) <= 1), -((k) <= 2), -((k) <= 3), -((k) <= 4), -((k) <= 5), -((k) <= 6), -((k) <= 7)}
static const int64_t ones_from[LANES + 1][LANES] __attribute__((aligned(64))) = {
    ONES_FROM(0), ONES_FROM(1), ONES_FROM(2), ONES_FROM(3), ONES_FROM(4), ONES_FROM(5), ONES_FROM(6), ONES_FROM(7), ONES_FROM(8)};

/*
 * shifted_load - load an vectors of a, s places higher; they have room for a.n + s digits.
 *
 * Up to ROW_MARGIN words on each side of the number are read, whatever they are.  A load under a mask would take two operations
 * of those ports that multiply on Intel's processors, and this takes one.
 */
SHORT_INLINE void shifted_load(vec *x, struct digit_row a, unsigned s, const unsigned an)
{
    const unsigned end = LANES - (unsigned)(LANES * an - s - a.n); /* of the lanes in use of the last vector */
#pragma GCC unroll 8
    for (unsigned v = 0; v < an; v++) {
        x[v] = _mm512_loadu_si512(a.digit + LANES * (ptrdiff_t)v - s);
        if (v == 0)
            x[v] = _mm512_and_si512(x[v], _mm512_load_si512(ones_from[s]));
        if (v + 1 == an)
            x[v] = _mm512_andnot_si512(_mm512_load_si512(ones_from[end]), x[v]);
    }
}

/*
 * masked_load - shifted_load that reads nothing beside the number; better in rows_sqr on AMD's processors.
 */
SHORT_INLINE void masked_load(vec *x, struct digit_row a, unsigned s, const unsigned an)
{
    const __mmask8 first = (__mmask8)(0xffu << s), last = (__mmask8)(0xffu >> (LANES * an - s - a.n));
#pragma GCC unroll 8
    for (unsigned v = 0; v < an; v++) {
        const uint64_t *at = a.digit + LANES * (ptrdiff_t)v - s;
        if (v == 0)
            x[v] = _mm512_maskz_loadu_epi64(an == 1 ? first & last : first, at);
        else
            x[v] = v + 1 == an ? _mm512_maskz_loadu_epi64(last, at) : _mm512_loadu_si512(at);
    }
}

/* rows_mul - add digits s, s + 8, .. of b, bn for each s in [from, to), times a, which has an vectors there. */
SHORT_INLINE void rows_mul(struct base_sums *z, struct digit_row a, const uint64_t *b, unsigned from, unsigned to,
                           const unsigned an, const unsigned bn)
{
    for (unsigned s = from; s < to; s++) {
        vec x[BASE_VECTORS + 1];
        shifted_load(x, a, s, an);
#pragma GCC unroll 8
        for (unsigned j = 0; j < bn; j++) {
            const vec y = _mm512_set1_epi64((long long)b[LANES * j + s]);
#pragma GCC unroll 8
            for (unsigned v = 0; v < an; v++) {
                z->low[v + j] = low_add(z->low[v + j], x[v], y);
                z->high[v + j] = high_add(z->high[v + j], x[v], y);
            }
        }
    }
}

/*
 * rows_sqr - the same for a square: digits above digit 8 j + s times its double, and that digit times itself.
 *
 * upper: digit s lies in the upper half of a vector, 2 s >= 8, so vector j of its products is empty.
 */
SHORT_INLINE void rows_sqr(struct base_sums *z, struct digit_row a, unsigned from, unsigned to, const unsigned an,
                           const unsigned bn, const unsigned upper)
{
    const vec lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    for (unsigned s = from; s < to; s++) {
        vec x[BASE_VECTORS + 1];
        masked_load(x, a, s, an);
        /* lane of the square in the first vector; lanes below it are made by other rows */
        const vec own = _mm512_set1_epi64((int)(2 * s) - (int)(LANES * upper));
        const __mmask8 above = _mm512_cmpgt_epi64_mask(lane, own), with = _mm512_cmpge_epi64_mask(lane, own);
#pragma GCC unroll 8
        for (unsigned j = 0; j < bn; j++) {
            const vec y = _mm512_set1_epi64((long long)a.digit[LANES * j + s]), twice = _mm512_add_epi64(y, y);
            const vec first = _mm512_mask_mov_epi64(_mm512_maskz_mov_epi64(with, y), above, twice);
#pragma GCC unroll 8
            for (unsigned v = j + upper; v < an; v++) {
                z->low[v + j] = low_add(z->low[v + j], x[v], v == j + upper ? first : twice);
                z->high[v + j] = high_add(z->high[v + j], x[v], v == j + upper ? first : twice);
            }
        }
    }
}

/*
 * rows_sqr_once - the products of different digits of a square, once each: digit 8 j + s times those above it.
 *
 * Lane l of vector v has digit 8 v + l - s, so it is above digit 8 j + s if 8 (v - j) + l > 2 s.
 * upper: digit s lies in the upper half of a vector, 2 s >= 8, so vector j of its products is empty.
 */
SHORT_INLINE void rows_sqr_once(struct base_sums *z, struct digit_row a, unsigned from, unsigned to, const unsigned an,
                                const unsigned bn, const unsigned upper)
{
    for (unsigned s = from; s < to; s++) {
        const __mmask8 above = (__mmask8)(0xfeu << (2 * s - LANES * upper)); /* lanes of the first vector */
        vec x[BASE_VECTORS + 1];
        shifted_load(x, a, s, an);
#pragma GCC unroll 8
        for (unsigned j = 0; j < bn; j++) {
            const vec y = _mm512_set1_epi64((long long)a.digit[LANES * j + s]);
#pragma GCC unroll 8
            for (unsigned v = j + upper; v < an; v++) {
                const __mmask8 lanes = v == j + upper ? above : 0xff;
                z->low[v + j] = _mm512_mask_madd52lo_epu64(z->low[v + j], lanes, x[v], y);
                z->high[v + j] = _mm512_mask_madd52hi_epu64(z->high[v + j], lanes, x[v], y);
            }
        }
    }
}

/*
 * rows_wrapped - rows_mul for rows of whole vectors: a has an, zeros fill the last one.
 *
 * x[0] has the highest s digits of a in its lower lanes, and the lowest 8 - s in the others.
 */
SHORT_INLINE void rows_wrapped(struct base_sums *z, const uint64_t *a, const uint64_t *b, unsigned from, unsigned to,
                               const unsigned an, const unsigned bn)
{
    for (unsigned s = from; s < to; s++) {
        const __mmask8 lowest = (__mmask8)(0xffu << s), highest = (__mmask8)~lowest;
        vec x[BASE_VECTORS];
        x[0] = _mm512_mask_loadu_epi64(_mm512_maskz_loadu_epi64(highest, a + LANES * an - s), lowest, a - (ptrdiff_t)s);
#pragma GCC unroll 8
        for (unsigned v = 1; v < an; v++)
            x[v] = _mm512_loadu_si512(a + LANES * v - s);
#pragma GCC unroll 8
        for (unsigned j = 0; j < bn; j++) {
            const vec y = _mm512_set1_epi64((long long)b[LANES * j + s]);
#pragma GCC unroll 8
            for (unsigned v = 1; v < an; v++) {
                z->low[v + j] = low_add(z->low[v + j], x[v], y);
                z->high[v + j] = high_add(z->high[v + j], x[v], y);
            }
            const vec l = low_add(_mm512_setzero_si512(), x[0], y), h = high_add(_mm512_setzero_si512(), x[0], y);
            z->low[j] = _mm512_mask_add_epi64(z->low[j], lowest, z->low[j], l);
            z->high[j] = _mm512_mask_add_epi64(z->high[j], lowest, z->high[j], h);
            z->low[j + an] = _mm512_mask_add_epi64(z->low[j + an], highest, z->low[j + an], l);
            z->high[j + an] = _mm512_mask_add_epi64(z->high[j + an], highest, z->high[j + an], h);
        }
    }
}

/*
 * columns_store - column k: its lower sums, plus the higher sums of column k - 1 times 2^up.   n vectors.
 *
 * The sums are below 48 (2^52 - 1) each, 2^up at most 16: a column is below 2^62.
 * by_lanes: shift by a vector of counts, because a shift by one count takes two operations on Intel's processors.  AMD's take
 * one for both, and here those by one count were faster.
 */
SHORT_INLINE void columns_store(uint64_t *c, const struct base_sums *z, unsigned up, const unsigned n, const bool by_lanes)
{
    const vec counts = _mm512_set1_epi64(up);
    const __m128i count = _mm_cvtsi32_si128((int)up);
    vec before = _mm512_setzero_si512();
#pragma GCC unroll 16
    for (unsigned v = 0; v < n; v++) {
        const vec h = _mm512_alignr_epi64(z->high[v], before, LANES - 1);
        const vec moved = by_lanes ? _mm512_sllv_epi64(h, counts) : _mm512_sll_epi64(h, count);
        before = z->high[v];
        _mm512_store_si512(c + LANES * v, _mm512_add_epi64(z->low[v], moved));
    }
}

/*
 * columns_store_once - the same for a square, z being the sums of rows_sqr_once: twice those columns, and the digits' squares.
 *
 * The square of digit k belongs to column 2 k, its higher bits to column 2 k + 1.
 */
SHORT_INLINE void columns_store_once(uint64_t *c, const struct base_sums *z, const uint64_t *a, unsigned up, const unsigned an)
{
    const vec counts = _mm512_set1_epi64(up), zero = _mm512_setzero_si512();
    const vec lower = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0), upper = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    vec before = zero;
#pragma GCC unroll 8
    for (unsigned v = 0; v < an; v++) {
        const vec x = _mm512_load_si512(a + LANES * v);
        const vec l = low_add(zero, x, x), h = _mm512_sllv_epi64(high_add(zero, x, x), counts);
        const vec h0 = _mm512_alignr_epi64(z->high[2 * v], before, LANES - 1);
        const vec h1 = _mm512_alignr_epi64(z->high[2 * v + 1], z->high[2 * v], LANES - 1);
        const vec x0 = _mm512_add_epi64(z->low[2 * v], _mm512_sllv_epi64(h0, counts));
        const vec x1 = _mm512_add_epi64(z->low[2 * v + 1], _mm512_sllv_epi64(h1, counts));
        before = z->high[2 * v + 1];
        const vec own0 = _mm512_permutex2var_epi64(l, lower, h), own1 = _mm512_permutex2var_epi64(l, upper, h);
        _mm512_store_si512(c + 2 * LANES * v, _mm512_add_epi64(own0, _mm512_add_epi64(x0, x0)));
        _mm512_store_si512(c + 2 * LANES * v + LANES, _mm512_add_epi64(own1, _mm512_add_epi64(x1, x1)));
    }
}

/*
 * base_rows_mul - the 8 (an + bn) columns of a product.
 *
 *   a, b  in  8 (an - 1) < a.n <= 8 an, 8 (bn - 1) < b.n <= 8 bn digits
 *
 * Rows s < whole have bn digits of b; rows from `longer` on need an + 1 vectors of a.
 */
SHORT_INLINE void base_rows_mul(uint64_t *c, struct digit_row a, struct digit_row b, unsigned up, const unsigned an,
                                const unsigned bn)
{
    const unsigned whole = (unsigned)(b.n - LANES * (bn - 1)), longer = (unsigned)(LANES * an - a.n) + 1; /* 1 .. 8 */
    struct base_sums z;
#pragma GCC unroll 16
    for (unsigned v = 0; v < an + bn; v++)
        z.low[v] = z.high[v] = _mm512_setzero_si512();
    rows_mul(&z, a, b.digit, 0, whole < longer ? whole : longer, an, bn);
    rows_mul(&z, a, b.digit, whole, longer, an, bn - 1);
    rows_mul(&z, a, b.digit, longer, whole, an + 1, bn);
    rows_mul(&z, a, b.digit, whole < longer ? longer : whole, LANES, an + 1, bn - 1);
    columns_store(c, &z, up, an + bn, true);
}

/* base_rows_wrapped - the same by rows_wrapped; zeros follow the digits of a to the end of the last vector. */
SHORT_INLINE void base_rows_wrapped(uint64_t *c, const uint64_t *a, struct digit_row b, unsigned up, const unsigned an,
                                    const unsigned bn)
{
    const unsigned whole = (unsigned)(b.n - LANES * (bn - 1));
    struct base_sums z;
#pragma GCC unroll 16
    for (unsigned v = 0; v < an + bn; v++)
        z.low[v] = z.high[v] = _mm512_setzero_si512();
    rows_mul(&z, (struct digit_row){a, LANES * an}, b.digit, 0, 1, an, bn);
    rows_wrapped(&z, a, b.digit, 1, whole, an, bn);
    rows_wrapped(&z, a, b.digit, whole, LANES, an, bn - 1);
    columns_store(c, &z, up, an + bn, false);
}

/* base_rows_sqr - the columns of a square.   once: by rows_sqr_once, else digits are below 2^51 */
SHORT_INLINE void base_rows_sqr(uint64_t *c, struct digit_row a, unsigned up, const unsigned an, const bool once)
{
    const unsigned whole = (unsigned)(a.n - LANES * (an - 1)), longer = LANES + 1 - whole, half = LANES / 2;
    struct base_sums z;
#pragma GCC unroll 16
    for (unsigned v = 0; v < 2 * an; v++)
        z.low[v] = z.high[v] = _mm512_setzero_si512();
#define ROWS(from, to, vectors, digits, upper)                       \
    do {                                                             \
        if (once)                                                    \
            rows_sqr_once(&z, a, from, to, vectors, digits, upper);  \
        else                                                         \
            rows_sqr(&z, a, from, to, vectors, digits, upper);       \
    } while (0)
    /* whole + longer = 9: rows in the lower half are short in only one way if the others are long in both */
    if (whole <= half) {
        ROWS(0, whole, an, an, 0);
        ROWS(whole, half, an, an - 1, 0);
        ROWS(half, longer, an, an - 1, 1);
        ROWS(longer, LANES, an + 1, an - 1, 1);
    } else {
        ROWS(0, longer, an, an, 0);
        ROWS(longer, half, an + 1, an, 0);
        ROWS(half, whole, an + 1, an, 1);
        ROWS(whole, LANES, an + 1, an - 1, 1);
    }
#undef ROWS
    if (once)
        columns_store_once(c, &z, a.digit, up, an);
    else
        columns_store(c, &z, up, 2 * an, false);
}

typedef void base_mul_fn(uint64_t *c, struct digit_row a, struct digit_row b, unsigned up);
typedef void base_sqr_fn(uint64_t *c, struct digit_row a, unsigned up);

/* A function for each pair of vectors. */
#define BASE_MUL(an, bn)                                                                                       \
    SHORT_NOINLINE void base_mul_##an##_##bn(uint64_t *c, struct digit_row a, struct digit_row b, unsigned up) \
    {                                                                                                          \
        base_rows_mul(c, a, b, up, an, bn);                                                                    \
    }
#define BASE_WRAPPED(an, bn)                                                                                       \
    SHORT_NOINLINE void base_wrapped_##an##_##bn(uint64_t *c, struct digit_row a, struct digit_row b, unsigned up) \
    {                                                                                                              \
        base_rows_wrapped(c, a.digit, b, up, an, bn);                                                              \
    }
#define BASE_SQR(an)                                                                     \
    SHORT_NOINLINE void base_sqr_##an(uint64_t *c, struct digit_row a, unsigned up)      \
    {                                                                                    \
        base_rows_sqr(c, a, up, an, false);                                              \
    }                                                                                    \
    SHORT_NOINLINE void base_sqr_once_##an(uint64_t *c, struct digit_row a, unsigned up) \
    {                                                                                    \
        base_rows_sqr(c, a, up, an, true);                                               \
    }
#define BASE_1(X, bn) X(1, bn) BASE_2(X, bn)
#define BASE_2(X, bn) X(2, bn) BASE_3(X, bn)
#define BASE_3(X, bn) X(3, bn) BASE_4(X, bn)
#define BASE_4(X, bn) X(4, bn) BASE_5(X, bn)
#define BASE_5(X, bn) X(5, bn) BASE_6(X, bn)
#define BASE_6(X, bn) X(6, bn)
BASE_1(BASE_MUL, 1)
BASE_2(BASE_MUL, 2)
BASE_3(BASE_MUL, 3)
BASE_4(BASE_MUL, 4)
BASE_5(BASE_MUL, 5)
BASE_6(BASE_MUL, 6)
#define BASE_LONG(X) X(4, 3) X(5, 3) X(6, 3) BASE_4(X, 4) BASE_5(X, 5) BASE_6(X, 6) /* where wrapped rows pay */
BASE_LONG(BASE_WRAPPED)
BASE_SQR(1)
BASE_SQR(2)
BASE_SQR(3)
BASE_SQR(4)
BASE_SQR(5)
BASE_SQR(6)

#define BASE_SHORT(X)              BASE_1(X, 1) BASE_2(X, 2) X(3, 3)
#define BASE_PLACE(an, bn)         [an - 1][bn - 1] = base_mul_##an##_##bn,
#define BASE_PLACE_WRAPPED(an, bn) [an - 1][bn - 1] = base_wrapped_##an##_##bn,
#define BASE_SQUARES(name)         {name##_1, name##_2, name##_3, name##_4, name##_5, name##_6}

/*
 * A schoolbook: functions by vectors, the bits of a square's digits, and from how many limbs on Toom-4 is better above it, for
 * products and for squares.  Toom-4 has squares of digits of 52 bits.
 */
struct base {
    base_mul_fn *mul[BASE_VECTORS][BASE_VECTORS];
    base_sqr_fn *sqr[BASE_VECTORS];
    unsigned sqr_bits;
    size_t toom_from, toom_sqr_from;
};
typedef const struct base *base_set;
static const struct base base_shifted = {
    {BASE_SHORT(BASE_PLACE) BASE_LONG(BASE_PLACE)}, BASE_SQUARES(base_sqr), DIGIT_BITS - 1, 296, SIZE_MAX};
static const struct base base_wrapped = {
    {BASE_SHORT(BASE_PLACE) BASE_LONG(BASE_PLACE_WRAPPED)}, BASE_SQUARES(base_sqr), DIGIT_BITS - 1, SIZE_MAX, SIZE_MAX};
static const struct base base_once = {
    {BASE_SHORT(BASE_PLACE) BASE_LONG(BASE_PLACE)}, BASE_SQUARES(base_sqr_once), DIGIT_BITS, SIZE_MAX, 295};

/*
 * base_mul - the columns of a product, b.n <= a.n <= BASE_DIGITS, in whole vectors.
 *
 *   a, b  in  zeros follow the digits of a to the end of the last vector; ROW_MARGIN words on both sides of them may be read.
 *   up    in  DIGIT_BITS - r
 */
SHORT_INLINE void base_mul(base_set set, uint64_t *c, struct digit_row a, struct digit_row b, unsigned up)
{
    set->mul[(a.n - 1) / LANES][(b.n - 1) / LANES](c, a, b, up);
}

/* base_sqr - the same for a square; a.digit is aligned. */
SHORT_INLINE void base_sqr(base_set set, uint64_t *c, struct digit_row a, unsigned up)
{
    set->sqr[(a.n - 1) / LANES](c, a, up);
}

/* base_sqr_bits - the bits of a square's digits before Karatsuba's steps. */
SHORT_INLINE unsigned base_sqr_bits(base_set set)
{
    return set->sqr_bits;
}

#endif
