/*
 * plan_twiddle.h - twiddle tables: cosines and sines in double-double, and the layout of a plan's tables.
 *
 * Layout of plan->twiddle[p]: blocks of 8 nodes.  A block has 16 numbers for each twiddle q of the pass: the eight c, then the
 * eight tau of its nodes.  Radix 2, 4, 8 have 1, 2, 4 twiddles.  BUTTERFLY_RADIX4 has 3, the powers 1, 2 and 3 of e(theta / 4),
 * with the sine in place of tau.  BUTTERFLY_MIXED has these, then the last two of radix 8.  An odd pass has no table (NULL).
 *
 * With BUTTERFLY_RADIX4, the tables of the last two passes have only the nodes of one unit, and each unit has its factors
 * (plan->unit).  A node k levels below a unit of angle theta has the angle theta / 2^k + r, so
 * e(a (theta / 2^k + r)) = e(a theta / 2^k) e(a r).
 *
 * Otherwise the tables of the leaf's two passes are nine tenths of all tables.  With leaf_short they are not kept.  The stages
 * make the same entries leaf by leaf from short tables of some hundred KiB (plan->leaf, stages/twiddle.h).
 */
#ifndef GFMUL_PLAN_TWIDDLE_H
#define GFMUL_PLAN_TWIDDLE_H

#include "plan/plan.h"

/* The least log2_n of a shape with leaf_short; doubles per node in the second of its short tables: four per twiddle. */
enum { PLAN_SHORT_LEVELS_MIN = 9, PLAN_SHORT_HI_DOUBLES = 4 * PLAN_MAX_TWIDDLES };

/* A complex number whose parts are unevaluated sums of two doubles. */
struct dd_complex {
    double re, re_lo, im, im_lo;
};

/* dd_root - e(num / den) = exp(2 pi i num / den), to about 2^-100.   0 <= num < 2^53, 0 < den < 2^53. */
struct dd_complex dd_root(uint64_t num, uint64_t den);

/* plan_pass_twiddles - number of twiddles per node. */
static inline unsigned plan_pass_twiddles(const struct plan_pass *pass)
{
    if (pass->butterfly != BUTTERFLY_NESTED)
        return pass->butterfly == BUTTERFLY_MIXED ? PLAN_MAX_TWIDDLES : PLAN_RADIX4_TWIDDLES;
    return pass->radix == 8 ? 4 : pass->radix / 2;
}

/* plan_twiddle_is_sine - whether the table has the sine of twiddle q, instead of tau. */
static inline bool plan_twiddle_is_sine(const struct plan_pass *pass, unsigned q)
{
    return pass->butterfly != BUTTERFLY_NESTED && q < PLAN_RADIX4_TWIDDLES;
}

/* plan_twiddle_table - the short table of stages/twiddle.h from which twiddle q of a pass is made. */
unsigned plan_twiddle_table(const struct plan_pass *pass, unsigned q);

/* plan_has_units - whether the last two passes are of BUTTERFLY_RADIX4. */
static inline bool plan_has_units(const struct plan_shape *shape)
{
    return shape->transform.pass[shape->transform.n_passes - 1].butterfly == BUTTERFLY_RADIX4;
}

/* plan_table_doubles - doubles in all tables of a shape. */
size_t plan_table_doubles(const struct plan_shape *shape);

/* plan_twiddle_build - fill plan->tables (allocated, plan_table_doubles long) and set the pointers.   Errors: MEMORY. */
enum gfmul_status plan_twiddle_build(struct plan *plan, unsigned threads);

#endif
