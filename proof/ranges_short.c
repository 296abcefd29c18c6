/*
 * ranges_short.c - ranges of short products by AVX-512's products of 52 bits: lib/short's own code over intervals.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The vector operations are replaced: a word of memory is the number of an interval, and an operation makes the interval of all
 * its results, as integers.  What the code relies on is checked where it does: factors are below 2^52, and what is shifted as a
 * signed number is between -2^63 and 2^63.  Sums in between are modulo 2^64.  This is done for every size.
 */
#define _IMMINTRIN_H_INCLUDED /* in its place, of GCC .. */
#define __IMMINTRIN_H         /* .. and Clang */

#include <stdint.h>

typedef struct {
    uint64_t lane[8];
} __m512i;
typedef struct {
    unsigned bits;
} __m128i;
typedef uint8_t __mmask8;

/* Code over intervals runs on any processor. */
#define SHORT_INLINE   static inline
#define SHORT_NOINLINE static

enum { FACTOR_BITS = 52 };
#include "ranges_short.h"

/* The operations of short_ifma_base.h and short_ifma_vec.h; interval 0 is zero. */
#define LANES_OF(expression)         \
    __m512i z;                       \
    for (unsigned i = 0; i < 8; i++) \
        z.lane[i] = (expression);    \
    return z

static uint64_t product_sum(uint64_t s, uint64_t x, uint64_t y, bool high)
{
    if (x == 0 || y == 0)
        return s;
    factor_check(x);
    factor_check(y);
    const __int128 most = intervals[x].most * intervals[y].most, low_most = ((__int128)1 << 52) - 1;
    return interval_new(intervals[s].least, intervals[s].most + (high ? most >> 52 : most < low_most ? most : low_most));
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
static __m512i _mm512_mask_loadu_epi64(__m512i x, __mmask8 mask, const uint64_t *p)
{
    LANES_OF(mask >> i & 1 ? p[i] : x.lane[i]);
}
static __m512i _mm512_and_si512(__m512i x, __m512i ones) /* lanes are whole, or 0 */
{
    LANES_OF(ones.lane[i] ? x.lane[i] : 0);
}
static __m512i _mm512_andnot_si512(__m512i ones, __m512i x)
{
    LANES_OF(ones.lane[i] ? 0 : x.lane[i]);
}
static __m512i _mm512_madd52lo_epu64(__m512i s, __m512i x, __m512i y)
{
    LANES_OF(product_sum(s.lane[i], x.lane[i], y.lane[i], false));
}
static __m512i _mm512_madd52hi_epu64(__m512i s, __m512i x, __m512i y)
{
    LANES_OF(product_sum(s.lane[i], x.lane[i], y.lane[i], true));
}
static __m512i _mm512_mask_madd52lo_epu64(__m512i s, __mmask8 mask, __m512i x, __m512i y)
{
    LANES_OF(mask >> i & 1 ? product_sum(s.lane[i], x.lane[i], y.lane[i], false) : s.lane[i]);
}
static __m512i _mm512_mask_madd52hi_epu64(__m512i s, __mmask8 mask, __m512i x, __m512i y)
{
    LANES_OF(mask >> i & 1 ? product_sum(s.lane[i], x.lane[i], y.lane[i], true) : s.lane[i]);
}
static __m512i _mm512_permutex2var_epi64(__m512i x, __m512i places, __m512i y)
{
    LANES_OF(places.lane[i] < 8 ? x.lane[places.lane[i]] : y.lane[places.lane[i] - 8]);
}
static __m512i _mm512_add_epi64(__m512i x, __m512i y)
{
    LANES_OF(sum(x.lane[i], y.lane[i], 1));
}
static __m512i _mm512_mask_add_epi64(__m512i s, __mmask8 mask, __m512i x, __m512i y)
{
    LANES_OF(mask >> i & 1 ? sum(x.lane[i], y.lane[i], 1) : s.lane[i]);
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
static __m512i _mm512_sllv_epi64(__m512i x, __m512i counts) /* numbers */
{
    LANES_OF(counts.lane[i] == 0 ? x.lane[i] : shifted(x.lane[i], (int)counts.lane[i]));
}
static __m512i _mm512_sra_epi64(__m512i x, __m128i count)
{
    LANES_OF(shifted(x.lane[i], -(int)count.bits));
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

static void _mm512_storeu_si512(void *p, __m512i x)
{
    memcpy(p, &x, sizeof x);
}
static __m512i _mm512_slli_epi64(__m512i x, unsigned bits)
{
    LANES_OF(shifted(x.lane[i], (int)bits));
}
static __m512i _mm512_mullo_epi64(__m512i x, __m512i factor) /* a number, not negative */
{
    LANES_OF(x.lane[i] == 0 ? 0
                            : interval_new(intervals[x.lane[i]].least * (int64_t)factor.lane[i],
                                           intervals[x.lane[i]].most * (int64_t)factor.lane[i]));
}
static uint64_t either(uint64_t x, uint64_t y) /* the bits of both are looked at, and that is all */
{
    return intervals[x].most > intervals[y].most ? x : y;
}
static __m512i _mm512_or_si512(__m512i x, __m512i y)
{
    LANES_OF(either(x.lane[i], y.lane[i]));
}
static __mmask8 _mm512_cmpgt_epu64_mask(__m512i x, __m512i most)
{
    (void)x;
    (void)most;
    return 0xff; /* all might be beyond a digit; columns_settle makes digits of them */
}

#include "short/short_ifma_base.h"
#include "short/short_columns.h"

#include "short/short.h"

#include "primes.h"

#include "ranges_short_sizes.h"

/* In place of short_ifma_digits.h: a digit is below 2^r, and so is what is settled. */
static void limbs_cut(uint64_t *x, const mp_limb_t *a, size_t n, unsigned r)
{
    (void)a;
    number_set(x, digits_of(n, r), r);
}

static void columns_settle(uint64_t *c, size_t n, unsigned r)
{
    const __int128 digit = ((__int128)1 << r) - 1;
    for (size_t k = 0; k < n; k++)
        if (c[k] != 0)
            c[k] = interval_new(0, intervals[c[k]].most < digit ? intervals[c[k]].most : digit);
}

static void columns_join(mp_limb_t *z, size_t zn, const uint64_t *c, unsigned r)
{
    (void)z;
    for (size_t k = 0; k < digits_of(zn, r); k++)
        shifted(c[k], -(int)r);
}

/*
 * In place of short_ifma_divide.h: the ranges that its functions promise if their columns have the ranges that they need.
 *
 * That the sums of remainders are right is no matter of ranges; tests/t-short.c divides numbers of all lengths.
 */
#define GFMUL_SHORT_IFMA_DIVIDE_H
enum { DIVIDE_RADIX = 50, DIVIDE_OFFSET = 1024, DIVIDE_COLUMNS = 384 };
struct divisor {
    int d;
};
static const struct divisor divisor_3 = {3}, divisor_15 = {15};

static uint64_t column_shifted(uint64_t x, unsigned shift, bool last)
{
    const __int128 b = (__int128)1 << DIVIDE_RADIX;
    const uint64_t low = last ? 0 : interval_new(0, b - (b >> shift));
    return sum(x == 0 ? 0 : shifted(x, -(int)shift), low, 1);
}

static __m512i columns_shifted(__m512i x, __m512i next, unsigned shift)
{
    LANES_OF(column_shifted(x.lane[i], shift, (i < 7 ? x.lane[i + 1] : next.lane[0]) == 0));
}

static void columns_divide(uint64_t *c, size_t n, unsigned shift, const struct divisor *by)
{
    const __int128 b = (__int128)1 << DIVIDE_RADIX;
    uint64_t before = 0;
    if (LANES * n > DIVIDE_COLUMNS)
        range_fail("more columns than a division takes");
    for (size_t k = 0; k < LANES * n; k++) {
        const bool last = k + 1 == LANES * n; /* no remainder is above it, because the number is divisible */
        const uint64_t y = column_shifted(c[k], shift, last), own = last ? y : masked(y, mask_interval);
        const uint64_t carry = before == 0 ? 0 : shifted(before, -DIVIDE_RADIX);
        const struct interval z = intervals[sum(own, carry, 1)];
        if (z.least + DIVIDE_OFFSET * by->d < by->d || z.most + DIVIDE_OFFSET * by->d >= (__int128)1 << FACTOR_BITS) {
            fprintf(stderr, "k %zu n %zu d %d least %g most %g  c %g %g y %g %g\n", k, n, by->d, (double)z.least, (double)z.most,
                    (double)intervals[c[k]].least, (double)intervals[c[k]].most, (double)intervals[y].least,
                    (double)intervals[y].most);
            range_fail("a column is too large for a division");
        }
        before = y;
        c[k] = interval_new((z.least - by->d) / by->d - 1, (z.most + (last ? 0 : (by->d - 1) * b)) / by->d + 1);
    }
}

#include "short/short_ifma_toom.h"

/* toom_mul's own code for a product of two sizes; b NULL: a square. */
static void toom_product_prove(size_t an, const mp_limb_t *b, size_t bn, base_set set)
{
    static uint64_t work[WORDS] __attribute__((aligned(64)));
    n_intervals = 0;
    interval_new(0, 0);
    mask_interval = interval_new(0, ((__int128)1 << TOOM_RADIX) - 1);
    toom_mul(NULL, NULL, an, b, bn, set, work + ROW_MARGIN);
}

/* Products by Toom-4, and squares by Toom-4 over squares. */
static void toom_prove(base_set products, base_set squares)
{
    static const mp_limb_t any = 0; /* what a limb holds is not looked at */
    for (size_t n = products->toom_from; n <= SHORT_LIMBS_MAX; n++)
        for (size_t parts = 16; parts >= 12; parts--) {
            const size_t bn = (n * parts + 15) / 16;
            if (toom_takes(n, bn, products))
                toom_product_prove(n, &any, bn, products);
        }
    for (size_t n = squares->toom_sqr_from; n <= SHORT_LIMBS_MAX; n++)
        toom_product_prove(n, NULL, n, squares);
    printf("short products by seven parts: columns are below %.3f 2^63\n", widest);
}

void prove_ranges_short(void)
{
    toom_prove(&base_shifted, &base_once);
    sizes_prove("products of 52 bits", &base_shifted);
    sizes_prove("products of 52 bits, wrapped rows", &base_wrapped);
    sizes_prove("products of 52 bits, squares doubled at the end", &base_once);
}
