/*
 * median.h - the median, for benchmarks with and without libbench.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_BENCH_MEDIAN_H
#define GFMUL_BENCH_MEDIAN_H

#include <stddef.h>
#include <stdlib.h>

static inline int median_compare(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* median_of - of n >= 1 numbers, which it sorts. */
static inline double median_of(double *x, size_t n)
{
    qsort(x, n, sizeof *x, median_compare);
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

#endif
