/*
 * ranges_short.h - intervals for ranges_short.c and ranges_short_fma.c: a word of memory is the number of one.
 *
 * An operation makes the interval of all its results, as integers.  What the code relies on is checked where it does.
 * The file that includes this has FACTOR_BITS, those of a digit.
 */
#ifndef GFMUL_RANGES_SHORT_H
#define GFMUL_RANGES_SHORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct interval {
    __int128 least, most;
    int64_t offsets; /* of products by fused multiply-adds, that are in the word and not in the interval */
} intervals[1 << 22];
static size_t n_intervals;
static double widest; /* of what is shifted, as a part of 2^63 */

static uint64_t interval_new(__int128 least, __int128 most)
{
    if (n_intervals == sizeof intervals / sizeof *intervals)
        exit(1);
    intervals[n_intervals] = (struct interval){least, most, 0};
    return n_intervals++;
}

static void range_fail(const char *what)
{
    fprintf(stderr, "ranges_short: %s\n", what);
    exit(1);
}

static uint64_t sum(uint64_t x, uint64_t y, int sign)
{
    const struct interval a = intervals[x], b = intervals[y];
    if (a.offsets != 0 || b.offsets != 0)
        range_fail("offsets are left in a sum");
    if (y == 0)
        return x;
    return sign > 0 ? interval_new(a.least + b.least, a.most + b.most) : interval_new(a.least - b.most, a.most - b.least);
}

static void factor_check(uint64_t x)
{
    if (intervals[x].least < 0 || intervals[x].most >= (__int128)1 << FACTOR_BITS)
        range_fail("a factor has too many bits");
}

static uint64_t shifted(uint64_t x, int by)
{
    const __int128 limit = (__int128)1 << 63;
    const struct interval a = intervals[x];
    if (a.offsets != 0)
        range_fail("offsets are left in a column");
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

static uint64_t mask_interval; /* of 2^r - 1 */

static uint64_t masked(uint64_t x, uint64_t mask)
{
    return x == 0 ? 0 : interval_new(0, intervals[mask].most); /* of 2^r - 1 */
}

#endif
