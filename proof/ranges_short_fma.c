/*
 * ranges_short_fma.c - ranges of short products by fused multiply-adds: lib/short's own code over intervals.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The operations of short_fma_vec.h are replaced.  Checked are: factors are below 2^51; each sum has as many products as its
 * offset was set for; what is shifted as a signed number is between -2^63 and 2^63.  This is done for every size.
 */
#include <stdint.h>

enum { FACTOR_BITS = 51 };
#include "ranges_short.h"

/* In place of short_fma_vec.h. */
#define GFMUL_SHORT_FMA_VEC_H
#define SHORT_INLINE   static inline
#define SHORT_NOINLINE static

enum { DIGIT_BITS = FACTOR_BITS, LANES = 4 };

typedef struct {
    uint64_t lane[LANES];
} vec;

struct fma_offsets {
    int none;
};

#define LANES_OF(expression)             \
    vec z;                               \
    for (unsigned i = 0; i < LANES; i++) \
        z.lane[i] = (expression);        \
    return z

static struct fma_offsets fma_offsets(void)
{
    return (struct fma_offsets){0};
}

static vec load_anywhere(const uint64_t *p)
{
    LANES_OF(p[i]);
}

static void aligned_check(const uint64_t *p)
{
    if ((uintptr_t)p % sizeof(vec) != 0)
        range_fail("an address is not aligned");
}

static vec load(const uint64_t *p)
{
    aligned_check(p);
    return load_anywhere(p);
}

static void store(uint64_t *p, vec x)
{
    aligned_check(p);
    memcpy(p, &x, sizeof x);
}

static vec columns_zero(void)
{
    LANES_OF(0);
}

static vec columns_sum(vec x, vec y)
{
    LANES_OF(sum(x.lane[i], y.lane[i], 1));
}

static vec columns_difference(vec x, vec y)
{
    LANES_OF(sum(x.lane[i], y.lane[i], -1));
}

static vec digits_sum(vec x, vec y)
{
    return columns_sum(x, y);
}

static vec columns_moved(vec x, vec before)
{
    LANES_OF(i == 0 ? before.lane[LANES - 1] : x.lane[i - 1]);
}

static vec columns_carry(vec x, vec before, unsigned r)
{
    const vec moved = columns_moved(x, before);
    LANES_OF(shifted(moved.lane[i], -(int)r));
}

static vec columns_rest(vec x, unsigned r, int last)
{
    (void)r;
    LANES_OF(last && i == LANES - 1 ? x.lane[i] : masked(x.lane[i], mask_interval));
}

static vec columns_scaled(vec x, unsigned up)
{
    LANES_OF(up == 0 ? sum(x.lane[i], 0, 1) : shifted(x.lane[i], (int)up));
}

/* product_grow - a sum with one more product in [least, most]. */
static uint64_t product_grow(uint64_t s, __int128 least, __int128 most)
{
    const uint64_t grown = interval_new(intervals[s].least + least, intervals[s].most + most);
    intervals[grown].offsets = intervals[s].offsets + 1;
    return grown;
}

/* The lower part is within the unit 2^51 of the higher one, and half of it if that is rounded to nearest. */
static void products_add(const struct fma_offsets *o, vec *low, vec *high, vec x, vec y)
{
    const __int128 unit = (__int128)1 << 51;
    (void)o;
    for (unsigned i = 0; i < LANES; i++) {
        const bool none = x.lane[i] == 0 || y.lane[i] == 0;
        factor_check(x.lane[i]);
        factor_check(y.lane[i]);
        const __int128 most = intervals[x.lane[i]].most * intervals[y.lane[i]].most;
        high->lane[i] = product_grow(high->lane[i], 0, none ? 0 : most / unit + 1);
        low->lane[i] = product_grow(low->lane[i], none ? 0 : -unit, none ? 0 : unit);
    }
}

static void sums_begin(vec *low, vec *high, size_t products)
{
    for (unsigned i = 0; i < LANES; i++) {
        low->lane[i] = high->lane[i] = interval_new(0, 0);
        intervals[low->lane[i]].offsets = -(int64_t)products;
    }
}

static vec digit_all(uint64_t digit)
{
    LANES_OF(digit);
}

static vec digits_times(vec x, const double *times)
{
    LANES_OF(times[i] == 0 || x.lane[i] == 0
                 ? 0
                 : interval_new((__int128)times[i] * intervals[x.lane[i]].least, (__int128)times[i] * intervals[x.lane[i]].most));
}

#include "short/short_fma_base.h"
#include "short/short_columns.h"

#include "short/short.h"

#include "primes.h"

#include "ranges_short_sizes.h"

void prove_ranges_short_fma(void)
{
    sizes_prove("fused multiply-adds", NULL);
}
