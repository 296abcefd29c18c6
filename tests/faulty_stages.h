/* faulty_stages.h - faults in the stages: a context runs a copy of its instruction set's operations, some of them wrapped. */
#ifndef GFMUL_FAULTY_STAGES_H
#define GFMUL_FAULTY_STAGES_H

#include <math.h>

#include "dd/dd_stages.h"
#include "mul/ctx.h"
#include "products.h"

enum fault { FAULT_POINT, FAULT_NAN, FAULT_INFINITY, FAULT_HUGE, FAULT_FRACTION, FAULT_INTEGER, FAULT_KINDS };
static const char *const fault_names[FAULT_KINDS] = {"point of the spectrum", "NaN", "infinity", "huge", "a fraction", "1"};

static const struct isa_ops *real_ops;
static enum fault fault;
static unsigned faults_left;
static double fraction = 0.47; /* of FAULT_FRACTION */
static double integer = 1;     /* of FAULT_INTEGER */

/*
 * What the rows' inverse has left goes wrong, in a column that has coefficients of the product, since others need not matter.  A
 * coefficient is off by so much, and no other one, where the same point of every row is off by its share: the column passes add
 * them up there, and cancel them elsewhere.  Not one of the lowest limb, by which a product that wraps around without low limbs
 * is told from others modulo 2^K + 1, small errors included.
 */
static void put_fault(const struct plan *plan, double *x)
{
    const struct plan_shape *s = &plan->shape;
    const size_t above = (size_t)(64 / s->digits.bits) + 1,
                 end = s->transform.row_points < s->digits.bn ? s->transform.row_points : s->digits.bn;
    const size_t j = test_between(above, end - 1), row = test_below(s->transform.n_rows);
    double *at = x + plan_point_offset(s, row * s->transform.row_points + j);
    if (faults_left == 0)
        return;
    faults_left--;
    if (fault == FAULT_FRACTION || fault == FAULT_INTEGER) {
        for (size_t r = 0; r < s->transform.n_rows; r++)
            x[plan_point_offset(s, r * s->transform.row_points + j)] +=
                (fault == FAULT_FRACTION ? fraction : integer) / plan->scale / (double)s->transform.n_rows;
        return;
    }
    *at = fault == FAULT_NAN ? NAN : fault == FAULT_INFINITY ? HUGE_VAL : fault == FAULT_HUGE ? 0x1p300 : *at * 1.01 + 1e12;
}

static const struct stage_ops *real_stages(const struct plan *plan)
{
    return real_ops->stages[plan->shape.field][plan->shape.transform.packing != GFMUL_PACKING_RIGHT_ANGLE];
}

static void faulty_mul(const struct plan *plan, double *x, double *y, double *scratch, size_t x_used, size_t y_used,
                       unsigned threads)
{
    real_stages(plan)->columns_mul(plan, x, y, scratch, x_used, y_used, threads);
    put_fault(plan, x);
}

static void faulty_mul_kept(const struct plan *plan, double *x, const double *y, double *scratch, size_t x_used, unsigned threads)
{
    real_stages(plan)->columns_mul_kept(plan, x, y, scratch, x_used, threads);
    put_fault(plan, x);
}

/* Double-double: fractions alone, which are those of second parts. */
static void faulty_dd_to_digits(const struct plan *plan, double *x, unsigned threads)
{
    real_stages(plan)->columns_to_digits(plan, x, threads);
    if (fault == FAULT_FRACTION && faults_left > 0) {
        faults_left--;
        x[dd_digit_place(&plan->shape, test_below(plan->shape.transform.n_digits)) + 2 * PLAN_BLOCK] += fraction / plan->scale;
    }
}

static struct isa_ops faulty_ops;
static struct stage_ops faulty_stages[2], faulty_dd;

static void faults_into(struct product_ctx *c)
{
    real_ops = c->ctx->ops;
    faulty_ops = *real_ops;
    for (int cyclic = 0; cyclic < 2; cyclic++) {
        faulty_stages[cyclic] = *real_ops->stages[PLAN_DOUBLE][cyclic];
        faulty_stages[cyclic].columns_mul = faulty_mul;
        faulty_stages[cyclic].columns_mul_kept = faulty_mul_kept;
        faulty_ops.stages[PLAN_DOUBLE][cyclic] = &faulty_stages[cyclic];
    }
    faulty_dd = *real_ops->stages[PLAN_DD][0];
    faulty_dd.columns_to_digits = faulty_dd_to_digits;
    faulty_ops.stages[PLAN_DD][0] = &faulty_dd;
    c->ctx->ops = &faulty_ops;
}

#endif
