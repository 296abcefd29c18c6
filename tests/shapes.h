/*
 * shapes.h - plans of a chosen shape, and where digits and leaves lie in a buffer, written from the comments of stage_ops.h.
 */
#ifndef GFMUL_SHAPES_H
#define GFMUL_SHAPES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "plan/plan_names.h"
#include "plan/plan_twiddle.h"
#include "stages/stage_ops.h"
#include "test.h"

static const enum gfmul_packing shape_packings[3] = {GFMUL_PACKING_TWO_FOR_ONE, GFMUL_PACKING_ONE_FOR_HALF,
                                                     GFMUL_PACKING_RIGHT_ANGLE};

/* Every odd factor of a length. */
enum { N_SHAPE_ODDS = 9 };
TEST_UNUSED static const unsigned shape_odds[N_SHAPE_ODDS] = {1, 3, 5, 7, 9, 15, 21, 45, 105};

/* Whether shape_plan may take rows that are not those of the rules. */
TEST_UNUSED static bool shape_any_rows;

/*
 * shape_plan - a plan of n = odd * 2^log2_n points, base^exponent, both operands half of the capacity; exits where that fails.
 * At random, where both can be: its leaves' twiddles in tables or made from short ones; columns written past the cache or not;
 * with shape_any_rows rows of any length in a third of the plans.
 */
TEST_UNUSED static struct plan *shape_plan(const struct stage_ops *ops, enum gfmul_packing packing, unsigned odd, unsigned log2_n,
                                           unsigned base, unsigned exponent, int balance_exp, unsigned max_radix)
{
    struct plan_shape s;
    struct plan *plan = NULL;
    memset(&s, 0, sizeof s);
    s.rule = GFMUL_RULE_NORM;
    s.transform.packing = packing;
    s.digits.base = base;
    s.digits.exponent = exponent;
    s.digits.digit_base = 1;
    for (unsigned i = 0; i < exponent; i++)
        s.digits.digit_base *= base;
    s.digits.bits = base == 2 ? (double)exponent : exponent * log2((double)base);
    s.bound.fma = ops->fma;
    s.digits.balance_exp = packing == GFMUL_PACKING_TWO_FOR_ONE ? balance_exp : 0;
    plan_shape_points(&s, odd, log2_n, max_radix);
    if (shape_any_rows && test_below(3) == 0)
        plan_shape_columns(&s, odd, log2_n, max_radix, (unsigned)test_below(log2_n - 5));
    s.transform.streams = plan_can_stream(&s) && test_below(2);
    s.transform.leaf_short = log2_n >= PLAN_SHORT_LEVELS_MIN && test_below(2);
    s.grid.n_slices = 1;
    s.digits.an = s.digits.bn = s.transform.n_digits / 2;
    enum gfmul_status status = plan_create(&plan, &s, ops, 1);
    if (!TEST_OK(status))
        exit(1);
    return plan;
}

/* shape_nans - n doubles, every one a NaN: what is read before it is written shows. */
TEST_UNUSED static double *shape_nans(size_t n)
{
    double *x = alloc_aligned(n * sizeof *x);
    if (x == NULL) {
        fprintf(stderr, "no memory for %zu doubles\n", n);
        exit(1);
    }
    for (size_t i = 0; i < n; i++)
        x[i] = NAN;
    return x;
}

/* shape_buffer - a buffer of a plan; shape_scratch - strips for threads; NaNs. */
TEST_UNUSED static double *shape_buffer(const struct plan *plan)
{
    return shape_nans(plan_buffer_doubles(&plan->shape));
}

TEST_UNUSED static double *shape_scratch(const struct plan *plan, unsigned threads)
{
    return shape_nans(threads * plan_strip_doubles(&plan->shape));
}

/* shape_point - where the real part of point p lies; the imaginary part 8 doubles further on. */
TEST_UNUSED static size_t shape_point(const struct plan *plan, size_t p)
{
    size_t row = p / plan->shape.transform.row_points, at = p % plan->shape.transform.row_points;
    return row * plan->shape.transform.row_stride + 16 * (at / 8) + at % 8;
}

/* shape_digit - where digit j of an operand lies (the product's: DIGIT_PART_A). */
TEST_UNUSED static size_t shape_digit(const struct plan *plan, enum digit_part part, size_t j)
{
    size_t n = plan->shape.transform.n_points;
    switch (plan->shape.transform.packing) {
    case GFMUL_PACKING_TWO_FOR_ONE:
        return shape_point(plan, j) + (part == DIGIT_PART_B ? 8 : 0);
    case GFMUL_PACKING_ONE_FOR_HALF:
        return shape_point(plan, j / 2) + (j % 2 ? 8 : 0);
    default:
        return j < n ? shape_point(plan, j) : shape_point(plan, j - n) + 8;
    }
}

/* shape_digit_point - the point that digit j lies in. */
TEST_UNUSED static size_t shape_digit_point(const struct plan *plan, size_t j)
{
    size_t n = plan->shape.transform.n_points;
    return plan->shape.transform.packing == GFMUL_PACKING_ONE_FOR_HALF ? j / 2 : j % n;
}

/* shape_leaf - where the real part of leaf k of the spectrum lies. */
TEST_UNUSED static size_t shape_leaf(const struct plan *plan, size_t k)
{
    size_t row = k / plan->shape.transform.row_points, in_row = k % plan->shape.transform.row_points;
    size_t group = in_row / 64, s = in_row % 64 / 8, v = in_row % 8;
    return row * plan->shape.transform.row_stride + 128 * group + 16 * v + s;
}

/* shape_note - describe a plan for the failures that follow. */
TEST_UNUSED static void shape_note(const struct plan *plan, const char *more, size_t value)
{
    const struct plan_shape *s = &plan->shape;
    char passes[128] = "";
    for (unsigned p = 0, at = 0; p < s->transform.n_passes && at + 4 < sizeof passes; p++)
        at += (unsigned)snprintf(passes + at, sizeof passes - at, " %u", s->transform.pass[p].radix);
    test_note("%s %s n=%u*2^%u B=%u^%u rows=%zu*%zu passes:%s (%u on columns)%s %s %zu", plan->ops->isa,
              plan_packing_name(s->transform.packing), s->transform.odd, s->transform.log2_n, s->digits.base, s->digits.exponent,
              s->transform.n_rows, s->transform.row_points, passes, s->transform.n_column_passes,
              s->transform.leaf_short ? ", short tables" : "", more, value);
}

/* energy_add - coefficient j, scaled, into the energies that struct round_stats is to have. */
TEST_UNUSED static void energy_add(double *energy, const struct plan *plan, size_t j, double value)
{
    energy[j % plan->shape.transform.n_points % PLAN_ENERGY_CLASSES] += value * value;
}

/* energy_check - right-angle alone.   slack: by how much each may differ. */
TEST_UNUSED static void energy_check(const struct plan *plan, const struct round_stats *stats, const double *energy, double slack)
{
    for (unsigned c = 0; c < PLAN_ENERGY_CLASSES && plan->shape.transform.packing == GFMUL_PACKING_RIGHT_ANGLE; c++)
        if (!TEST_CHECK_MSG(fabs(stats->energy[c] - energy[c]) <= slack + 1e-12 * energy[c],
                            "energy %u is %.17g, should be %.17g", c, stats->energy[c], energy[c]))
            break;
}

#endif
