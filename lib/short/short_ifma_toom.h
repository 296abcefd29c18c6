/*
 * short_ifma_toom.h - products and squares of some 300 to 564 limbs as seven of a fourth of their digits (Toom-4).
 *
 * Numbers are cut into four parts of p digits, polynomials a(x) and b(x) of degree 3.  Their product c(x) has seven parts,
 * which follow from c(0), c(1), c(2), c(3), 2^6 c(1/2), 3^6 c(1/3) and c(infinity).  No value is negative at these points, so
 * that there are no signs.  With s = c0 + c6 and W1 = c(1), W2 = c(2), H2 = 2^6 c(1/2), W3, H3 alike:
 *
 *   120 c1 = m + 2 H3 - 12 H2 - 700 c0,  120 c5 = m + 2 W3 - 12 W2 - 700 c6,  m = W3 + H3 - 12 (W2 + H2 - 15 W1 + 10 s)
 *   12 c2 = W2 + 2 H2 - 24 W1 - 105 c0 - 42 c6 - 42 c1 - 12 c5
 *   4 (c2 + c4) = W2 + H2 - 16 W1 - 49 s - 18 (c1 + c5)
 *   c3 = W1 - s - (c1 + c5) - (c2 + c4)
 *
 * Values are carried to digits of B = 2^50, and each of the seven products takes two steps of Karatsuba.
 *
 * Included by short_blocks.h.
 */
#ifndef GFMUL_SHORT_IFMA_TOOM_H
#define GFMUL_SHORT_IFMA_TOOM_H

#include <string.h>

#include "short/short_columns.h"
#include "short/short_ifma_divide.h"

enum {
    TOOM_RADIX = DIVIDE_RADIX,
    TOOM_STEPS = DIGIT_BITS - TOOM_RADIX,
    TOOM_POINTS = 7,
    TOOM_PARTS = 4,
};

/* Points, and the places of their products. */
enum point { AT_0, AT_1, AT_2, AT_HALF, AT_3, AT_THIRD, AT_INFINITY };

/* toom_part - digits of a part. */
static inline size_t toom_part(size_t limbs)
{
    return (digits_of(limbs, TOOM_RADIX) + TOOM_PARTS - 1) / TOOM_PARTS;
}

/* twice, thrice, times; times_power - x times 2^log2.   Modulo 2^64 */
SHORT_INLINE vec twice(vec x)
{
    return columns_sum(x, x);
}

SHORT_INLINE vec thrice(vec x)
{
    return columns_sum(x, twice(x));
}

SHORT_INLINE vec times(vec x, const unsigned factor)
{
    return _mm512_mullo_epi64(x, _mm512_set1_epi64(factor));
}

SHORT_INLINE vec times_power(vec x, const unsigned log2)
{
    return _mm512_slli_epi64(x, log2);
}

SHORT_INLINE vec load_any(const uint64_t *p)
{
    return _mm512_loadu_si512(p);
}

SHORT_INLINE void store_any(uint64_t *p, vec x)
{
    _mm512_storeu_si512(p, x);
}

/* point_store - carry a vector of a value once.   before  i/o  the vector before.   bits  i/o  all that are set in some vector */
SHORT_INLINE void point_store(uint64_t *to, vec x, vec *before, vec *bits)
{
    const vec carried = columns_sum(columns_rest(x, TOOM_RADIX, 0), columns_carry(x, *before, TOOM_RADIX));
    *before = x;
    *bits = _mm512_or_si512(*bits, carried);
    store(to, carried);
}

/*
 * points_make - the values of a number at all points.
 *
 *   to  out  vectors_of(p + 1) vectors for each point: digits, and zeros
 *   x   in   n digits, 3 p < n <= 4 p
 */
SHORT_NOINLINE void points_make(uint64_t *to, const uint64_t *x, size_t n, size_t p)
{
    const size_t words = LANES * vectors_of(p + 1);
    vec before[TOOM_POINTS], bits = columns_zero();
    for (unsigned i = 0; i < TOOM_POINTS; i++)
        before[i] = columns_zero();
    for (size_t k = 0; k < words; k += LANES) {
        vec part[TOOM_PARTS];
#pragma GCC unroll 4
        for (unsigned i = 0; i < TOOM_PARTS; i++) {
            const size_t end = i + 1 < TOOM_PARTS ? p : n - i * p, left = end > k ? end - k : 0;
            part[i] = _mm512_maskz_loadu_epi64((__mmask8)(left >= LANES ? 0xff : (1u << left) - 1), x + i * p + k);
        }
        const vec a = part[0], b = part[1], c = part[2], d = part[3];
        const vec at_1 = columns_sum(columns_sum(a, d), columns_sum(b, c));
        const vec at_2 = columns_sum(a, twice(columns_sum(b, twice(columns_sum(c, twice(d))))));
        const vec at_half = columns_sum(d, twice(columns_sum(c, twice(columns_sum(b, twice(a))))));
        const vec at_3 = columns_sum(a, thrice(columns_sum(b, thrice(columns_sum(c, thrice(d))))));
        const vec at_third = columns_sum(d, thrice(columns_sum(c, thrice(columns_sum(b, thrice(a))))));
        store(to + AT_0 * words + k, a);
        store(to + AT_INFINITY * words + k, d);
        point_store(to + AT_1 * words + k, at_1, &before[AT_1], &bits);
        point_store(to + AT_2 * words + k, at_2, &before[AT_2], &bits);
        point_store(to + AT_HALF * words + k, at_half, &before[AT_HALF], &bits);
        point_store(to + AT_3 * words + k, at_3, &before[AT_3], &bits);
        point_store(to + AT_THIRD * words + k, at_third, &before[AT_THIRD], &bits);
    }
    if (__builtin_expect(digits_beyond(bits, TOOM_RADIX), 0))
        for (unsigned i = 0; i < TOOM_POINTS; i++)
            columns_settle(to + i * words, words, TOOM_RADIX);
}

/*
 * products_make - the product at each point, 2 w vectors each, reduced; b the same as a: the square.
 *
 *   a, b  in  w vectors a point; n digits at infinity
 */
SHORT_NOINLINE void products_make(uint64_t *c, struct digit_row a, struct digit_row b, size_t p, base_set set, uint64_t *t)
{
    const size_t words = LANES * vectors_of(p + 1);
    const struct sqr_way way = {set, TOOM_RADIX};
    for (unsigned i = 0; i < TOOM_POINTS; i++) {
        const size_t an = i == AT_0 ? p : i == AT_INFINITY ? a.n : p + 1, bn = i == AT_0 ? p : i == AT_INFINITY ? b.n : p + 1;
        const size_t made = vectors_of(an) + vectors_of(bn);
        uint64_t *to = c + 2 * i * words;
        const uint64_t *const x = a.digit + i * words, *const y = b.digit + i * words;
        if (x == y)
            columns_sqr(to, x, an, &way, TOOM_STEPS, t);
        else
            columns_mul(to, (struct digit_row){x, an}, (struct digit_row){y, bn}, TOOM_RADIX, TOOM_STEPS, set, t);
        columns_reduce(to, made, TOOM_RADIX);
        for (size_t k = LANES * made; k < 2 * words; k += LANES)
            store(to + k, columns_zero());
    }
}

/* parts_make - the seven parts of the product, n vectors each, in place of those at the points: see parts_place. */
SHORT_NOINLINE void parts_make(uint64_t *c, size_t n)
{
    const size_t words = LANES * n;
    uint64_t *at[TOOM_POINTS];
    for (unsigned i = 0; i < TOOM_POINTS; i++)
        at[i] = c + i * words;
    for (size_t k = 0; k < words; k += LANES) {
        const vec c0 = load(at[AT_0] + k), c6 = load(at[AT_INFINITY] + k), s = columns_sum(c0, c6), w1 = load(at[AT_1] + k);
        const vec w2 = load(at[AT_2] + k), h2 = load(at[AT_HALF] + k), w3 = load(at[AT_3] + k), h3 = load(at[AT_THIRD] + k);
        const vec w15 = columns_difference(times_power(w1, 4), w1), s10 = twice(columns_sum(s, times_power(s, 2)));
        const vec m0 = columns_sum(columns_sum(w2, h2), columns_difference(s10, w15));
        const vec fours = thrice(times_power(m0, 2)); /* 12 m0 */
        const vec m = columns_difference(columns_sum(w3, h3), fours);
        const vec c1 = columns_sum(m, twice(columns_difference(h3, columns_sum(thrice(twice(h2)), times(c0, 350)))));
        const vec c5 = columns_sum(m, twice(columns_difference(w3, columns_sum(thrice(twice(w2)), times(c6, 350)))));
        store(at[AT_3] + k, c1);
        store(at[AT_THIRD] + k, c5);
    }
    columns_divide(at[AT_3], n, 3, &divisor_15);
    columns_divide(at[AT_THIRD], n, 3, &divisor_15);
    for (size_t k = 0; k < words; k += LANES) {
        const vec c0 = load(at[AT_0] + k), c6 = load(at[AT_INFINITY] + k), s = columns_sum(c0, c6), w1 = load(at[AT_1] + k);
        const vec w2 = load(at[AT_2] + k), h2 = load(at[AT_HALF] + k), c1 = load(at[AT_3] + k), c5 = load(at[AT_THIRD] + k);
        const vec u1 = columns_sum(c1, c5), w8 = times_power(w1, 3);
        /* 42 (c0 + c1 + c6) + 63 c0 + 12 c5 + 24 w1 = 6 (7 (c0 + c1 + c6) + 2 c5 + 4 w1) + 63 c0 */
        const vec x = columns_sum(s, c1), x7 = columns_difference(times_power(x, 3), x);
        const vec six = twice(thrice(columns_sum(x7, columns_sum(twice(c5), times_power(w1, 2)))));
        const vec c0_63 = columns_difference(times_power(c0, 6), c0);
        const vec c2 = columns_difference(columns_sum(w2, twice(h2)), columns_sum(six, c0_63));
        const vec s48 = thrice(times_power(s, 4)), u9 = columns_sum(u1, times_power(u1, 3));
        const vec less = columns_sum(twice(columns_sum(w8, u9)), columns_sum(s48, s));
        store(at[AT_2] + k, columns_difference(columns_sum(w2, h2), less));
        store(at[AT_HALF] + k, c2);
    }
    columns_divide(at[AT_HALF], n, 2, &divisor_3);
    for (size_t k = 0; k < words; k += LANES) {
        const vec u2_4 = load(at[AT_2] + k), next = k + LANES < words ? load(at[AT_2] + k + LANES) : columns_zero();
        const vec u2 = columns_shifted(u2_4, next, 2);
        const vec c0 = load(at[AT_0] + k), c6 = load(at[AT_INFINITY] + k), c1 = load(at[AT_3] + k), c5 = load(at[AT_THIRD] + k);
        const vec others = columns_sum(columns_sum(c0, c6), columns_sum(columns_sum(c1, c5), u2));
        store(at[AT_2] + k, columns_difference(u2, load(at[AT_HALF] + k)));
        store(at[AT_1] + k, columns_difference(load(at[AT_1] + k), others));
    }
}

/*
 * parts_place - c = sum of part i times B^(p i).   n  in  vectors of a part: 8 n >= 2 p
 *
 * Parts 0, 2, 4 and 6 lie one behind the other but for a few columns.  The others are added to them.
 */
SHORT_NOINLINE void parts_place(uint64_t *c, const uint64_t *parts, size_t p, size_t n)
{
    static const enum point even[] = {AT_0, AT_HALF, AT_2, AT_INFINITY}, odd[] = {AT_3, AT_1, AT_THIRD};
    const size_t words = LANES * n, both = words - 2 * p; /* columns that two even parts have */
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t *part = parts + even[i] * words;
        uint64_t *to = c + 2 * i * p;
        size_t k = 0;
        for (; i > 0 && k < both; k += LANES)
            store_any(to + k, columns_sum(load_any(to + k), load(part + k)));
        for (; k < words; k += LANES)
            store_any(to + k, load(part + k));
        store_any(to + words, columns_zero());
    }
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t *part = parts + odd[i] * words;
        uint64_t *to = c + (2 * i + 1) * p;
        for (size_t k = 0; k < words; k += LANES)
            store_any(to + k, columns_sum(load_any(to + k), load(part + k)));
    }
}

/*
 * toom_mul - z = a * b; b NULL: z = a^2, and bn = an.
 *
 *   an, bn  in  3 p digits are less than bn limbs; bn <= an
 *   work    out  32 words per digit of a part in whole vectors, and 64 more: block_mul's are as many; aligned, with a margin
 */
SHORT_NOINLINE void toom_mul(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn, base_set set,
                             uint64_t *work)
{
    const size_t p = toom_part(an), words = LANES * vectors_of(p + 1);
    const size_t na = digits_of(an, TOOM_RADIX), nb = digits_of(bn, TOOM_RADIX);
    uint64_t *x = work, *y = x + TOOM_POINTS * words, *c = y + TOOM_POINTS * words, *t = c + 2 * TOOM_POINTS * words;
    limbs_cut(c, a, an, TOOM_RADIX);
    points_make(x, c, na, p);
    if (b) {
        limbs_cut(c, b, bn, TOOM_RADIX);
        points_make(y, c, nb, p);
    }
    products_make(c, (struct digit_row){x, na - 3 * p}, (struct digit_row){b ? y : x, nb - 3 * p}, p, set, t);
    parts_make(c, 2 * words / LANES);
    parts_place(x, c, p, 2 * words / LANES);
    columns_join(z, an + bn, x, TOOM_RADIX);
}

/* toom_takes - whether operands are long enough for it, and of about the same length. */
static inline bool toom_takes(size_t an, size_t bn, base_set set)
{
    return an >= set->toom_from && digits_of(bn, TOOM_RADIX) > 3 * toom_part(an);
}

#endif
