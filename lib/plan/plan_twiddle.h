/*
 * plan_twiddle.h - twiddle tables: cosines and sines in double-double, and the layout of a plan's tables.
 *
 * Layout of plan->twiddle[p]: blocks of 8 nodes.  A block has 16 numbers for each twiddle q of the pass: the eight c, then the
 * eight tau of its nodes.  Radix 2, 4, 8 have 1, 2, 4 twiddles.  An odd pass has no table (NULL).
 *
 * The tables of the leaf's two passes are nine tenths of all.  With leaf_short they are not kept.  The stages then make the same
 * entries leaf by leaf from short tables of some hundred KiB (plan->leaf, stages/twiddle.h).
 */
#ifndef GFMUL_PLAN_TWIDDLE_H
#define GFMUL_PLAN_TWIDDLE_H

#include "plan/plan.h"

/* The least log2_n of a shape with leaf_short. */
enum { PLAN_SHORT_LEVELS_MIN = 9 };

/* A complex number whose parts are unevaluated sums of two doubles. */
struct dd_complex {
    double re, re_lo, im, im_lo;
};

/* dd_root - e(num / den) = exp(2 pi i num / den), to about 2^-100.   0 <= num < 2^53, 0 < den < 2^53. */
struct dd_complex dd_root(uint64_t num, uint64_t den);

/* plan_table_doubles - doubles of all tables of a shape. */
size_t plan_table_doubles(const struct plan_shape *shape);

/* plan_twiddle_build - fill plan->tables (allocated, plan_table_doubles long) and set the pointers.   Errors: MEMORY. */
enum gfmul_status plan_twiddle_build(struct plan *plan, unsigned threads);

#endif
