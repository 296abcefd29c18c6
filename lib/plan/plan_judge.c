/*
 * plan_judge.c - whether the measured figures prove the product.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "plan/plan_field.h"

bool plan_judge(const struct plan_shape *s, const struct plan_figures *f, double *bound, double *k)
{
    *bound = s->bound.value;
    *k = s->bound.k;
    if (!(f->max_value < plan_field(s)->value_limit)) /* these may not have been rounded */
        return false;
    if (s->rule == GFMUL_RULE_CHECKED) {
        *bound = plan_error_model(s, &f->a, &f->b);
        *k = 0;
        return *bound < CHECKED_ERROR_LIMIT && f->max_error < CHECKED_ERROR_LIMIT;
    }
    if (s->bound.inverse_measured)
        *bound = plan_bound_posterior(s, &f->a, &f->b, f->max_value, f->max_energy, k);
    else if (s->bound.norms_measured)
        *bound = plan_bound_measured(s, &f->a, &f->b, k);
    return plan_bound_decides(*bound, f->max_error);
}
