/*
 * ranges_short.c - ranges of short products by vectors: lib/short's own code over intervals.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The vector operations are replaced: a word of memory is the number of an interval, and an operation makes the interval of all
 * its results, as integers.  What the code relies on is checked where it does: factors are below 2^52, and what is shifted as a
 * signed number is between -2^63 and 2^63.  Sums in between are modulo 2^64.  This is done for every size.
 */
#define _IMMINTRIN_H_INCLUDED /* in its place, of GCC .. */
#define __IMMINTRIN_H         /* .. and Clang */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t lane[8];
} __m512i;
typedef struct {
    unsigned bits;
} __m128i;
typedef uint8_t __mmask8;

static struct interval {
    __int128 least, most;
} intervals[1 << 22];
static size_t n_intervals;
static double widest; /* of what is shifted, as a part of 2^63 */

static uint64_t interval_new(__int128 least, __int128 most)
{
    if (n_intervals == sizeof intervals / sizeof *intervals)
        exit(1);
    intervals[n_intervals] = (struct interval){least, most};
    return n_intervals++;
}

static void range_fail(const char *what)
{
    fprintf(stderr, "ranges_short: %s\n", what);
    exit(1);
}

/* The operations of short_ifma_base.h and short_ifma_columns.h; interval 0 is zero. */
#define LANES_OF(expression)         \
    __m512i z;                       \
    for (unsigned i = 0; i < 8; i++) \
        z.lane[i] = (expression);    \
    return z

static uint64_t sum(uint64_t x, uint64_t y, int sign)
{
    const struct interval a = intervals[x], b = intervals[y];
    if (y == 0)
        return x;
    return sign > 0 ? interval_new(a.least + b.least, a.most + b.most) : interval_new(a.least - b.most, a.most - b.least);
}

static void factor_check(uint64_t x)
{
    if (intervals[x].least < 0 || intervals[x].most >= (__int128)1 << 52)
        range_fail("a factor is not below 2^52");
}

static uint64_t product_sum(uint64_t s, uint64_t x, uint64_t y, bool high)
{
    if (x == 0 || y == 0)
        return s;
    factor_check(x);
    factor_check(y);
    const __int128 most = intervals[x].most * intervals[y].most, low_most = ((__int128)1 << 52) - 1;
    return interval_new(intervals[s].least, intervals[s].most + (high ? most >> 52 : most < low_most ? most : low_most));
}

static uint64_t shifted(uint64_t x, int by)
{
    const __int128 limit = (__int128)1 << 63;
    const struct interval a = intervals[x];
    if (x == 0)
        return 0;
    if (by > 0)
        return interval_new(a.least << by, a.most << by);
    const double size = (double)(a.most > -a.least ? a.most : -a.least) / (double)limit;
    if (a.least < -limit || a.most >= limit)
        range_fail("a column is not below 2^63");
    widest = size > widest ? size : widest;
    return interval_new(a.least >> -by, a.most >> -by);
}

static uint64_t masked(uint64_t x, uint64_t mask)
{
    return x == 0 ? 0 : interval_new(0, intervals[mask].most); /* of 2^r - 1 */
}

static __m512i _mm512_setzero_si512(void)
{
    return (__m512i){{0}};
}
static __m512i _mm512_set1_epi64(long long word) /* a digit; a mask, which is not looked at; or a number to compare with */
{
    LANES_OF((uint64_t)word);
}
static __m512i _mm512_loadu_si512(const void *p)
{
    __m512i z;
    memcpy(&z, p, sizeof z);
    return z;
}
static __m512i _mm512_load_si512(const void *p)
{
    if ((uintptr_t)p % 64 != 0)
        range_fail("an address is not aligned");
    return _mm512_loadu_si512(p);
}
static void _mm512_store_si512(void *p, __m512i x)
{
    if ((uintptr_t)p % 64 != 0)
        range_fail("an address is not aligned");
    memcpy(p, &x, sizeof x);
}
static __m512i _mm512_maskz_loadu_epi64(__mmask8 mask, const uint64_t *p)
{
    LANES_OF(mask >> i & 1 ? p[i] : 0);
}
static __m512i _mm512_maskz_load_epi64(__mmask8 mask, const uint64_t *p)
{
    return _mm512_maskz_loadu_epi64(mask, p);
}
static __m512i _mm512_madd52lo_epu64(__m512i s, __m512i x, __m512i y)
{
    LANES_OF(product_sum(s.lane[i], x.lane[i], y.lane[i], false));
}
static __m512i _mm512_madd52hi_epu64(__m512i s, __m512i x, __m512i y)
{
    LANES_OF(product_sum(s.lane[i], x.lane[i], y.lane[i], true));
}
static __m512i _mm512_add_epi64(__m512i x, __m512i y)
{
    LANES_OF(sum(x.lane[i], y.lane[i], 1));
}
static __m512i _mm512_sub_epi64(__m512i x, __m512i y)
{
    LANES_OF(sum(x.lane[i], y.lane[i], -1));
}
static __m512i _mm512_alignr_epi64(__m512i x, __m512i y, const int n)
{
    LANES_OF(i + (unsigned)n < 8 ? y.lane[i + (unsigned)n] : x.lane[i + (unsigned)n - 8]);
}
static __m128i _mm_cvtsi32_si128(int bits)
{
    return (__m128i){(unsigned)bits};
}
static __m512i _mm512_sll_epi64(__m512i x, __m128i count)
{
    LANES_OF(count.bits == 0 ? x.lane[i] : shifted(x.lane[i], (int)count.bits));
}
static __m512i _mm512_sra_epi64(__m512i x, __m128i count)
{
    LANES_OF(shifted(x.lane[i], -(int)count.bits));
}
static uint64_t mask_interval;
static __m512i _mm512_and_si512(__m512i x, __m512i mask)
{
    (void)mask;
    LANES_OF(masked(x.lane[i], mask_interval));
}
static __m512i _mm512_mask_and_epi64(__m512i x, __mmask8 lanes, __m512i y, __m512i mask)
{
    (void)mask;
    LANES_OF(lanes >> i & 1 ? masked(y.lane[i], mask_interval) : x.lane[i]);
}
static __m512i _mm512_set_epi64(long long h, long long g, long long f, long long e, long long d, long long c, long long b,
                                long long a)
{
    const long long lane[] = {a, b, c, d, e, f, g, h}; /* numbers, to be compared */
    LANES_OF((uint64_t)lane[i]);
}
static __mmask8 _mm512_cmpgt_epi64_mask(__m512i x, __m512i y)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < 8; i++)
        mask |= (unsigned)((int64_t)x.lane[i] > (int64_t)y.lane[i]) << i;
    return (__mmask8)mask;
}
static __mmask8 _mm512_cmpge_epi64_mask(__m512i x, __m512i y)
{
    return (__mmask8)~_mm512_cmpgt_epi64_mask(y, x);
}
static __m512i _mm512_mask_mov_epi64(__m512i x, __mmask8 mask, __m512i y)
{
    LANES_OF(mask >> i & 1 ? y.lane[i] : x.lane[i]);
}
static __m512i _mm512_maskz_mov_epi64(__mmask8 mask, __m512i y)
{
    return _mm512_mask_mov_epi64(_mm512_setzero_si512(), mask, y);
}

#include "short/short_ifma_columns.h"

#include "short/short.h"

#include "primes.h"

enum { WORDS = 8192 };

/* number_set - n digits of r bits. */
static void number_set(uint64_t *x, size_t n, unsigned r)
{
    memset(x, 0, WORDS * sizeof *x);
    for (size_t k = 0; k < n; k++)
        x[k] = interval_new(0, ((__int128)1 << r) - 1);
}

/* product_prove - an by bn limbs; bn 0: a square. */
static void product_prove(size_t an, size_t bn)
{
    static uint64_t x[WORDS] __attribute__((aligned(64))), y[WORDS] __attribute__((aligned(64)));
    static uint64_t c[WORDS] __attribute__((aligned(64))), t[WORDS] __attribute__((aligned(64)));
    unsigned r = bn > 0 ? DIGIT_BITS : DIGIT_BITS - 1;
    const unsigned steps = steps_of(an, &r);
    const size_t na = digits_of(an, r), nb = bn > 0 ? digits_of(bn, r) : na;
    n_intervals = 0;
    interval_new(0, 0);
    mask_interval = interval_new(0, ((__int128)1 << r) - 1);
    number_set(x, na, r);
    number_set(y, nb, r);
    if (bn > 0)
        columns_mul(c, x, na, y, nb, r, steps, t);
    else
        columns_sqr(c, x, na, r, steps, t);
    for (size_t k = 0; k < LANES * (vectors_of(na) + vectors_of(nb)); k++)
        shifted(c[k], -(int)r); /* as they are joined */
}

void prove_ranges_short(void)
{
    for (size_t n = 1; n <= SHORT_LIMBS_MAX; n++) {
        product_prove(n, 0);
        for (size_t parts = 8; parts >= 4; parts--)
            product_prove(n, (n * parts + 7) / 8);
    }
    printf("short products: columns are below %.3f 2^63\n", widest);
}
