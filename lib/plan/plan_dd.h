/*
 * plan_dd.h - plans in double-double on the CPU: passes, rows, tables, and the constants of the bound.
 *
 * Right-angle packing.  n = odd * 2^log2_n points, log2_n >= 9.  The root's pass splits x^n - i into odd children of n / odd
 * points, and each of these into DD_LANES children: one lane of a vector for each.  From there on a block holds one coefficient
 * of each of the eight polynomials, so that all passes are the same work in every lane, with twiddles of its own:
 *
 *     block    re[8], im[8], rests of re[8], rests of im[8]: 32 doubles; lane v belongs to the v-th child in the tree's order
 *     child t  n / (8 odd) blocks, as rows of row_points / 8 blocks, row_stride doubles apart, from row t * n_rows / odd on
 *
 * Passes: odd (3, 5, 7), the root's radix 8, column passes over rows, row passes.  These are of radix 4, with one of radix 2 if
 * the number of levels is odd.  n_column_passes counts the passes before those of the rows.
 *
 * Digits.  With m = n / (8 odd): digit j < n is the real part, digit n + j the imaginary part, of point
 * j = (8 t + s) m + 8 g + k.  Before the root's pass, and after its inverse, block s of the group g of eight blocks of child t
 * holds points k = 0 .. 7 in its lanes.
 *
 * Passes are of three kinds, in the order in which they run:
 * - full: double-double with accurate sums;
 * - light: sums are rounded once for two levels; the last light_passes of all 2 n_passes, forwards and backwards, may be light;
 * - double: the last double_passes of the inverse; they do not use the second halves of blocks.
 */
#ifndef GFMUL_PLAN_DD_H
#define GFMUL_PLAN_DD_H

#include "plan/plan.h"

enum { DD_LANES = 8, DD_BLOCK_DOUBLES = 32, DD_LEVELS_MIN = 9, DD_DIGIT_BITS = 46, DD_ROOT_ENTRIES = 1 + 2 * 7 };

/*
 * Coefficients are rounded below this.  The proof for arbitrary operands ensures a smaller limit: K > 256 and a bound below 1/2.
 * A product by measured norms that exceeds it is made again.
 */
#define DD_VALUE_LIMIT 0x1p98

/* The kinds of passes.   Radix 2, odd passes and the root forwards have no light form, so they are full. */
enum dd_kind { DD_FULL, DD_LIGHT, DD_DOUBLE };

/* dd_forward_kind, dd_inverse_kind - the kind of pass p. */
static inline enum dd_kind dd_forward_kind(const struct plan_shape *shape, unsigned p)
{
    return shape->transform.pass[p].radix == 4 && 2 * shape->transform.n_passes - 1 - p < shape->transform.light_passes ? DD_LIGHT
                                                                                                                        : DD_FULL;
}

static inline enum dd_kind dd_inverse_kind(const struct plan_shape *shape, unsigned p)
{
    const unsigned radix = shape->transform.pass[p].radix;
    return p < shape->transform.double_passes                                ? DD_DOUBLE
           : p < shape->transform.light_passes && (radix == 4 || radix == 8) ? DD_LIGHT
                                                                             : DD_FULL;
}

/*
 * plan_shape_points_dd - fill passes, rows, capacity and constants of a shape; narrow_digits, light_passes and double_passes are
 * given.
 */
void plan_shape_points_dd(struct plan_shape *shape, unsigned odd, unsigned log2_n);

/*
 * plan_dd_schedule - choose the most inverse passes in double that leave the bound below plan_bound_limit(false).
 *
 *   bound  in  plan_bound_sums
 * Sets double_passes and the constants.
 */
void plan_dd_schedule(struct plan_shape *shape, double (*bound)(const struct plan_shape *shape, double *k));

/*
 * plan_dd_lighten - choose the most light passes, perhaps none, that leave the bound below the limit.
 *
 *   bound  in  plan_bound_worst or plan_bound_expected
 * Sets light_passes and the constants; returns their share of all passes.   Not for rule knuth, because its mu = 102 needs
 * accurate sums.
 */
double plan_dd_lighten(struct plan_shape *shape, double (*bound)(const struct plan_shape *shape, double *k), double limit);

/* plan_dd_pass_constants - the part of pass p in the constants `plain` (forward out) and `inverse` of the bound. */
void plan_dd_pass_constants(const struct plan_shape *shape, unsigned p, double *forward, double *inverse);

/* plan_dd_light - set the number of light passes, and the constants. */
void plan_dd_light(struct plan_shape *shape, unsigned passes);

/* plan_dd_describe - the numbers of narrow, double and light levels.   info i/o */
void plan_dd_describe(struct gfmul_plan_info *info, const struct plan_shape *shape);

/* plan_dd_odd - whether lengths in double-double have this odd factor. */
bool plan_dd_odd(unsigned odd);

/* plan_dd_carries_fit - whether a coefficient of the product over B is below 2^60 (dd_carry.h). */
bool plan_dd_carries_fit(const struct plan_shape *shape);

/* plan_dd_cost - the rough cost of a transform, in the unit of plan_transform_cost. */
double plan_dd_cost(unsigned odd, unsigned log2_n);

/* plan_dd_refuses, plan_dd_least_ps - members of struct plan_families. */
const char *plan_dd_refuses(const struct plan_request *request);
double plan_dd_least_ps(const struct plan_request *request);

/* dd_pass_twiddles - twiddles per node.  Radix 4: 3, w, w^2, w^3 with w = e(theta / 4); radix 2: 1, e(theta / 2). */
static inline unsigned dd_pass_twiddles(const struct plan_pass *pass)
{
    return pass->radix == 4 ? 3 : 1;
}

/* plan_dd_table_doubles - of all tables; plan_dd_row_doubles - of the twiddles of one row, made when the row is processed. */
size_t plan_dd_table_doubles(const struct plan_shape *shape);
size_t plan_dd_row_doubles(const struct plan_shape *shape);

/* plan_dd_build - fill plan->tables and set plan->dd.   Errors: MEMORY. */
enum gfmul_status plan_dd_build(struct plan *plan, unsigned threads);

#endif
