/*
 * short_ifma_redc.h - Montgomery's reduction of 2 n limbs modulo n limbs, by products of 52 bits.
 *
 * The result is (u + q m) / B^n, q = -u / m modulo B^n.  q is unique, so it is that of GMP's redc_1 and redc_2.  u is cut into
 * digits 2^up times as large, so that the d digits of B^n 2^up leave whole digits of the result.  The digits of q come one after
 * the other, and each one times m is added to columns in registers: a window of mn + 1 vectors that moves up after eight digits.
 *
 * The next digit needs its column at once, but broadcast, product and extraction take some 17 cycles.  So a column leaves the
 * vectors REDC_AHEAD + 1 digits before its turn, and the digits in between reach it by scalar products with the lowest digits of
 * m.  A digit then depends on the one before it by two products, two sums and a mask: 9 cycles.
 *
 * Ranges: a column has a digit of u and at most 2 REDC_DIGITS products below 2^52, and a carry below 2^8, so it is below 2^60.
 *
 * Included by isa/short_ifma.c alone.
 */
#ifndef GFMUL_SHORT_IFMA_REDC_H
#define GFMUL_SHORT_IFMA_REDC_H

#include "short/short_ifma_base.h"
#include "short/short_ifma_digits.h"

enum { REDC_AHEAD = 2, REDC_VECTORS = 12, REDC_DIGITS = LANES * REDC_VECTORS };
_Static_assert(REDC_DIGITS *DIGIT_BITS >= 64 * SHORT_REDC_MAX, "a function for the longest modulus");

#define DIGIT_MASK ((UINT64_C(1) << DIGIT_BITS) - 1)

/* digit_high - the bits of x y from DIGIT_BITS on; y_up in: y times 2^(64 - DIGIT_BITS) */
SHORT_INLINE uint64_t digit_high(uint64_t x, uint64_t y_up)
{
    return (uint64_t)((unsigned __int128)x * y_up >> 64);
}

/* redc_row - add q times m, s places higher.   m in: mn vectors, between vectors of zeros */
SHORT_INLINE void redc_row(vec *low, vec *high, const uint64_t *m, uint64_t q, unsigned s, const unsigned mn)
{
    const vec y = _mm512_set1_epi64((long long)q);
#pragma GCC unroll 16
    for (unsigned v = 0; v <= mn; v++) {
        const vec x = _mm512_loadu_si512(m + LANES * (ptrdiff_t)v - s);
        low[v] = low_add(low[v], x, y);
        high[v] = high_add(high[v], x, y);
    }
}

/* lanes_from - lane k and the one above it; clang wants the shift as a constant in the source. */
SHORT_INLINE __m128i lanes_from(vec x, const unsigned k)
{
#define LANES_FROM(k) \
    case k:           \
        return _mm512_castsi512_si128(_mm512_alignr_epi64(x, x, k));
    switch (k) {
        LANES_FROM(1)
        LANES_FROM(2)
        LANES_FROM(3)
        LANES_FROM(4)
        LANES_FROM(5)
        LANES_FROM(6)
        LANES_FROM(7)
    default:
        return _mm512_castsi512_si128(x);
    }
#undef LANES_FROM
}

/* column_of - column k of the window, k >= 1: its lower sums, and the higher sums of the column before it. */
SHORT_INLINE uint64_t column_of(const vec *low, const vec *high, const unsigned k)
{
    const __m128i x = lanes_from(low[k / LANES], k % LANES), y = lanes_from(high[(k - 1) / LANES], (k - 1) % LANES);
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(x, y));
}

/* columns_above - the columns of n vectors, d places lower; zeros follow.   1 <= d <= LANES; column d lacks the carry into it. */
SHORT_INLINE void columns_above(uint64_t *c, const vec *low, const vec *high, unsigned d, const unsigned n)
{
    const vec from = _mm512_add_epi64(_mm512_set1_epi64((long long)d), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
    vec before = _mm512_setzero_si512(), own = before;
#pragma GCC unroll 16
    for (unsigned v = 0; v <= n; v++) {
        const vec last = own;
        own = _mm512_setzero_si512();
        if (v < n) {
            own = _mm512_add_epi64(low[v], _mm512_alignr_epi64(high[v], before, LANES - 1));
            before = high[v];
        }
        if (v > 0)
            store(c + LANES * (v - 1), _mm512_permutex2var_epi64(last, from, own));
    }
}

/*
 * redc_rows - the columns of (u + q m) / 2^(52 d).
 *
 *   c        out  8 (mn + 1) columns
 *   u        in   16 mn digits
 *   m        in   d digits in mn vectors, between vectors of zeros; 8 (mn - 1) < d <= 8 mn
 *   inverse  in   -1 / m modulo 2^52, at least
 */
SHORT_INLINE void redc_rows(uint64_t *c, const uint64_t *u, const uint64_t *m, size_t d, uint64_t inverse, const unsigned mn)
{
    const uint64_t m0_up = m[0] << (64 - DIGIT_BITS), m1 = m[1], m1_up = m1 << (64 - DIGIT_BITS), m2 = m[2];
    uint64_t column = u[0], next = u[1], after = u[2]; /* the next digit's column; two more, without the last two digits */
    vec low[REDC_VECTORS + 1], high[REDC_VECTORS + 1];
#pragma GCC unroll 16
    for (unsigned v = 0; v <= mn; v++) {
        low[v] = load(u + LANES * v);
        high[v] = _mm512_setzero_si512();
    }
    for (u += LANES * (mn + 1);; u += LANES, d -= LANES) {
#pragma GCC unroll 8
        for (unsigned s = 0; s < LANES; s++) {
            if (s == d)
                break;
            const uint64_t q = column * inverse & DIGIT_MASK;
            next += (column >> DIGIT_BITS) + ((column & DIGIT_MASK) != 0);
            next += (q * m1 & DIGIT_MASK) + digit_high(q, m0_up);
            after += (q * m2 & DIGIT_MASK) + digit_high(q, m1_up);
            redc_row(low, high, m, q, s, mn);
            column = next;
            next = after;
            after = column_of(low, high, s + 1 + REDC_AHEAD);
        }
        if (d <= LANES)
            break;
#pragma GCC unroll 16
        for (unsigned v = 0; v < mn; v++) {
            low[v] = low[v + 1];
            high[v] = high[v + 1];
        }
        low[mn] = load(u);
        high[mn] = _mm512_setzero_si512();
    }
    columns_above(c, low, high, (unsigned)d, mn + 1);
    c[0] = column;
}

typedef void redc_fn(uint64_t *c, const uint64_t *u, const uint64_t *m, size_t d, uint64_t inverse);

/* A function for each number of vectors. */
#define REDC(mn)                                                                                                 \
    SHORT_NOINLINE void redc_##mn(uint64_t *c, const uint64_t *u, const uint64_t *m, size_t d, uint64_t inverse) \
    {                                                                                                            \
        redc_rows(c, u, m, d, inverse, mn);                                                                      \
    }
REDC(1)
REDC(2)
REDC(3)
REDC(4)
REDC(5)
REDC(6)
REDC(7)
REDC(8)
REDC(9)
REDC(10)
REDC(11)
REDC(12)
static redc_fn *const redc_of[REDC_VECTORS] = {redc_1, redc_2, redc_3, redc_4,  redc_5,  redc_6,
                                               redc_7, redc_8, redc_9, redc_10, redc_11, redc_12};

/* redc - as short_ops has it. */
SHORT_INLINE mp_limb_t redc(mp_limb_t *z, const mp_limb_t *u, const mp_limb_t *m, size_t n, mp_limb_t inverse)
{
    enum { LINE = LANES * sizeof(uint64_t) };
    uint64_t x[2 * REDC_DIGITS] __attribute__((aligned(LINE))), y[REDC_DIGITS + 2 * LANES] __attribute__((aligned(LINE)));
    uint64_t c[REDC_DIGITS + LANES] __attribute__((aligned(LINE)));
    const size_t d = digits_of(n, DIGIT_BITS), mn = (d + LANES - 1) / LANES, top = 64 * n / DIGIT_BITS;
    store(y, _mm512_setzero_si512());
    limbs_cut(y + LANES, m, n, DIGIT_BITS);
    store(y + LANES * (mn + 1), _mm512_setzero_si512());
    store(x + LANES * (2 * mn - 1), _mm512_setzero_si512()); /* u may have fewer vectors */
    limbs_cut_up(x, u, 2 * n, (unsigned)(DIGIT_BITS * d - 64 * n));
    redc_of[mn - 1](c, x, y + LANES, d, inverse);
    if (__builtin_expect(!rows_join(z, n, c, DIGIT_BITS), 0)) {
        columns_settle(c, d + 1, DIGIT_BITS);
        rows_join(z, n, c, DIGIT_BITS);
    }
    return ((c[top] & DIGIT_MASK) + (c[top - 1] >> DIGIT_BITS)) >> (64 * n - DIGIT_BITS * top) & 1;
}

#endif
