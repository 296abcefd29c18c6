/* plan_create.c - a plan: a shape with its tables.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/rounding.h"
#include "plan/plan_field.h"
#include "stages/stage_ops.h"

size_t plan_table_bytes(const struct plan_shape *shape)
{
    return plan_field(shape)->table_doubles(shape) * sizeof(double);
}

/* isa_runs - whether the bound is proved for this instruction set's arithmetic, and it has stages for all passes. */
static bool isa_runs(const struct isa_ops *isa, const struct plan_shape *s)
{
    ROUND_TO_NEAREST;
    bool runs = s->bound.fma == isa->fma && isa->rounds_right();
    for (unsigned p = 0; p < s->transform.n_passes; p++)
        runs &= s->transform.pass[p].butterfly == BUTTERFLY_NESTED || isa->butterfly == s->butterfly;
    return runs;
}

enum gfmul_status plan_create(struct plan **out, const struct plan_shape *shape, const struct isa_ops *isa, unsigned threads)
{
    return plan_create_in(out, alloc_aligned(plan_table_bytes(shape)), shape, isa, threads);
}

enum gfmul_status plan_create_in(struct plan **out, void *tables, const struct plan_shape *shape, const struct isa_ops *isa,
                                 unsigned threads)
{
    const bool runs = isa_runs(isa, shape);
    struct plan *plan = runs && tables ? calloc(1, sizeof *plan) : NULL;
    *out = NULL;
    if (!plan) {
        alloc_free(tables);
        return runs ? GFMUL_ERR_MEMORY : GFMUL_ERR_INTERNAL;
    }
    plan->shape = *shape;
    plan->isa = isa;
    plan->ops = isa->stages[shape->field][shape->transform.packing != GFMUL_PACKING_RIGHT_ANGLE];
    plan->scale = ldexp(1.0 / (double)shape->transform.n_points, -shape->digits.balance_exp);
    plan->scale_exact = shape->transform.odd == 1;
    plan->scale_rest = fma(-plan->scale, (double)shape->transform.n_points, 1.0) /
                       (double)shape->transform.n_points; /* double-double: balance_exp 0 */
    plan->tables = tables;
    const enum gfmul_status status = plan_field(shape)->tables_build(plan, threads);
    if (status != GFMUL_OK) {
        plan_destroy(plan);
        return status;
    }
    *out = plan;
    return GFMUL_OK;
}

void plan_destroy(struct plan *plan)
{
    if (!plan)
        return;
    alloc_free(plan->tables);
    free(plan);
}
