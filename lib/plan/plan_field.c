/*
 * plan_field.c - the table of the fields.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "plan/plan_field.h"

#include <math.h>
#include <stdio.h>

#include "plan/plan_dd.h"
#include "plan/plan_device.h"
#include "plan/plan_twiddle.h"
#include "plan/thresholds/thresholds.h"

enum { LEAF_LEVELS = 6, DIGIT_BASE_BITS = 30 };

/* Covers the rounding of the constants, and underflow in the transforms (section 9); for floats also higher orders (20). */
#define ROUND_UP (1.0 + 0x1p-40)

/* ---- double ---- */

static bool any_odd(unsigned odd)
{
    (void)odd;
    return true;
}

static double double_cost(const struct plan_request *request, unsigned odd, unsigned log2_n)
{
    return plan_transform_cost(odd, log2_n, request->max_radix, request->isa);
}

static bool double_passes(struct plan_shape *shape, const struct plan_request *request, unsigned odd, unsigned log2_n)
{
    plan_shape_points(shape, odd, log2_n, request->max_radix);
    return true;
}

/* A strip of columns; cyclic packings need none, because they work on columns in place. */
static size_t double_scratch_doubles(const struct plan_shape *shape)
{
    const bool strips = shape->transform.packing == GFMUL_PACKING_RIGHT_ANGLE && shape->transform.n_column_passes > 0;
    return strips ? plan_strip_doubles(shape) : 0;
}

/* ---- double-double ---- */

static double dd_cost(const struct plan_request *request, unsigned odd, unsigned log2_n)
{
    (void)request;
    return plan_dd_cost(odd, log2_n);
}

static bool dd_passes(struct plan_shape *shape, const struct plan_request *request, unsigned odd, unsigned log2_n)
{
    (void)request;
    shape->transform.double_passes = shape->transform.light_passes = 0;
    plan_shape_points_dd(shape, odd, log2_n);
    return plan_dd_carries_fit(shape);
}

/* ---- primes ---- */

static bool prime_has_odd(unsigned odd)
{
    return odd <= 7;
}

static void prime_describe(struct gfmul_plan_info *info, const struct plan_shape *shape)
{
    const struct plan_transform *t = &shape->transform;
    snprintf(info->passes, sizeof info->passes, "%u primes: columns of %zu, rows of %zu%s", t->n_primes, t->n_rows, t->row_points,
             t->n_digits > t->n_points ? "; modulo x^n - 1, then modulo x^n + 1"
             : t->turned               ? "; modulo x^n + 1"
                                       : "");
}

const struct plan_field plan_fields[PLAN_FIELDS] = {
    [PLAN_DOUBLE] = {.precision = GFMUL_PRECISION_DOUBLE,
                     .name = "double",
                     .mu = 53,
                     .unit = 0x1p-53,
                     .round_up = ROUND_UP,
                     .value_limit = ROUND_VALUE_LIMIT,
                     .odd = any_odd,
                     .wraps = 1,
                     .cyclic = true,
                     .saves_memory = true,
                     .sums_energies = true,
                     .tail_doubles = 1,
                     .levels_min = LEAF_LEVELS,
                     .digit_bits_max = DIGIT_BASE_BITS,
                     .cost = double_cost,
                     .passes = double_passes,
                     .table_doubles = plan_table_doubles,
                     .tables_build = plan_twiddle_build,
                     .scratch_doubles = double_scratch_doubles},
    [PLAN_DD] = {.precision = GFMUL_PRECISION_DD,
                 .name = "double-double",
                 .mu = 102,
                 .unit = 0x1p-106,
                 .round_up = ROUND_UP,
                 .value_limit = DD_VALUE_LIMIT,
                 .pairs = true,
                 .odd = plan_dd_odd,
                 .tail_doubles = 2,
                 .levels_min = DD_LEVELS_MIN,
                 .digit_bits_max = DD_DIGIT_BITS,
                 .cost = dd_cost,
                 .passes = dd_passes,
                 .schedule = plan_dd_schedule,
                 .lighten = plan_dd_lighten,
                 .table_doubles = plan_dd_table_doubles,
                 .tables_build = plan_dd_build,
                 .scratch_doubles = plan_dd_row_doubles,
                 .describe = plan_dd_describe},
    [PLAN_PRIME] = {.precision = GFMUL_PRECISION_PRIME,
                    .name = "primes",
                    .mu = 50,
                    .value_limit = HUGE_VAL,
                    .odd = prime_has_odd,
                    .wraps = -1,
                    .describe = prime_describe},
};
