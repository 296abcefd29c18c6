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

/* Lengths that a test visits: odd * 2^log2_n points. */
struct shape_sizes {
    size_t n;
    struct {
        unsigned odd, log2_n;
    } size[400];
};

TEST_UNUSED static void shape_sizes_add(struct shape_sizes *list, unsigned odd, unsigned log2_n)
{
    if (!TEST_CHECK(list->n < sizeof list->size / sizeof *list->size))
        exit(1);
    list->size[list->n].odd = odd;
    list->size[list->n++].log2_n = log2_n;
}

/* shape_log2 - the least log2_n, 6 or more, of so many points or more. */
TEST_UNUSED static unsigned shape_log2(unsigned odd, size_t points)
{
    unsigned log2_n = 6;
    while ((size_t)odd << log2_n < points)
        log2_n++;
    return log2_n;
}

/* limbs_to_digits - digits first .. first + count - 1 of an limbs, packed from position 0 on. */
TEST_UNUSED static void limbs_to_digits(const struct plan *plan, double *x, enum digit_part part, const mp_limb_t *a, size_t an,
                                        size_t first, size_t count, struct digit_norms *norms, unsigned threads)
{
    struct digit_source source;
    limbs_source(&source, plan, a, an);
    digits_from_source(plan, x, &(struct digit_cell){&source, first, count, part}, norms, threads);
}

/* Whether shape_plan may take rows that are not those of the rules; and whether it takes nested steps, or true radix 4, alone. */
TEST_UNUSED static bool shape_any_rows, shape_nested, shape_radix4;

TEST_UNUSED static bool shape_is_radix4(const struct plan_shape *s)
{
    return s->transform.pass[s->transform.n_passes - 1].butterfly == BUTTERFLY_RADIX4;
}

/*
 * shape_plan - a plan of n = odd * 2^log2_n points, base^exponent, both operands half of the capacity; exits where that fails.
 * At random, where both can be: rows of nested steps or of true radix 4; its leaves' twiddles in tables or made from short ones;
 * columns written past the cache or not; with shape_any_rows rows of any length in a third of the plans.
 */
TEST_UNUSED static struct plan *shape_plan(const struct isa_ops *ops, enum gfmul_packing packing, unsigned odd, unsigned log2_n,
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
    s.butterfly = !shape_nested && (shape_radix4 || test_below(2)) ? ops->butterfly : BUTTERFLY_NESTED;
    s.digits.balance_exp = packing == GFMUL_PACKING_TWO_FOR_ONE ? balance_exp : 0;
    plan_shape_points(&s, odd, log2_n, max_radix);
    if (shape_any_rows && test_below(3) == 0)
        plan_shape_columns(&s, odd, log2_n, max_radix, (unsigned)test_below(log2_n - 5));
    s.transform.streams = plan_can_stream(&s) && test_below(2);
    s.transform.leaf_short = log2_n >= PLAN_SHORT_LEVELS_MIN && !shape_is_radix4(&s) && test_below(2);
    s.grid.a_cells = s.grid.b_cells = 1;
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
    if (shape_is_radix4(&plan->shape)) /* child d of a leaf of 16 points in lane d of four, its child e in vector e */
        return row * plan->shape.transform.row_stride + 32 * (in_row / 16) + 16 * (in_row % 4 / 2) + 4 * (in_row % 2) +
               in_row % 16 / 4;
    return row * plan->shape.transform.row_stride + 128 * group + 16 * v + s;
}

/* shape_note - describe a plan for the failures that follow. */
TEST_UNUSED static void shape_note(const struct plan *plan, const char *more, size_t value)
{
    const struct plan_shape *s = &plan->shape;
    char passes[128] = "";
    for (unsigned p = 0, at = 0; p < s->transform.n_passes && at + 4 < sizeof passes; p++)
        at += (unsigned)snprintf(passes + at, sizeof passes - at, " %u", s->transform.pass[p].radix);
    test_note("%s %s n=%u*2^%u B=%u^%u rows=%zu*%zu passes:%s (%u on columns)%s %s %zu", plan->isa->name,
              plan_packing_name(s->transform.packing), s->transform.odd, s->transform.log2_n, s->digits.base, s->digits.exponent,
              s->transform.n_rows, s->transform.row_points, passes, s->transform.n_column_passes,
              s->transform.leaf_short ? ", short tables" : "", more, value);
}

/* energy_add - coefficient j, scaled, into the energies that struct round_stats is to have. */
TEST_UNUSED static void energy_add(double *energy, const struct plan *plan, size_t j, double value)
{
    energy[j % plan->shape.transform.n_points % PLAN_ENERGY_CLASSES] += value * value;
}

/* energy_check - right-angle alone.   slack: by how much each may differ, beside the roundings of a sum of so many terms. */
TEST_UNUSED static void energy_check(const struct plan *plan, const struct round_stats *stats, const double *energy, double slack)
{
    const double terms = (double)(plan->shape.transform.n_digits / PLAN_ENERGY_CLASSES), share = fmax(1e-12, terms * 0x1p-53);
    for (unsigned c = 0; c < PLAN_ENERGY_CLASSES && plan->shape.transform.packing == GFMUL_PACKING_RIGHT_ANGLE; c++)
        if (!TEST_CHECK_MSG(fabs(stats->energy[c] - energy[c]) <= slack + share * energy[c],
                            "energy %u is %.17g, should be %.17g", c, stats->energy[c], energy[c]))
            break;
}

#endif
