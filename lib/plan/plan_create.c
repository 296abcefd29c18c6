/* plan_create.c - a plan: a shape with its tables.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "plan/plan_dd.h"
#include "plan/plan_twiddle.h"
#include "stages/stage_ops.h"

size_t plan_table_bytes(const struct plan_shape *shape)
{
    return (plan_is_dd(shape) ? plan_dd_table_doubles : plan_table_doubles)(shape) * sizeof(double);
}

enum gfmul_status plan_create(struct plan **out, const struct plan_shape *shape, const struct stage_ops *ops, unsigned threads)
{
    enum gfmul_status status = GFMUL_ERR_MEMORY;
    *out = NULL;
    if (shape->bound.fma != ops->fma) /* the bound was proved for another arithmetic */
        return GFMUL_ERR_INTERNAL;
    struct plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return status;
    plan->shape = *shape;
    plan->ops = ops;
    plan->scale = ldexp(1.0 / (double)shape->transform.n_points, -shape->digits.balance_exp);
    plan->scale_exact = shape->transform.odd == 1;
    plan->scale_rest = fma(-plan->scale, (double)shape->transform.n_points, 1.0) /
                       (double)shape->transform.n_points; /* double-double: balance_exp 0 */
    plan->tables = alloc_aligned(plan_table_bytes(shape));
    if (plan->tables)
        status = (plan_is_dd(shape) ? plan_dd_build : plan_twiddle_build)(plan, threads);
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
