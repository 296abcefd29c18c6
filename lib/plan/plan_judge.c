/*
 * plan_judge.c - whether the measured figures prove the product, and which plan to try if they do not.
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

/* ---- remaking plans ---- */

void plan_request_worst(struct plan_request *request)
{
    request->rule = request->rule == GFMUL_RULE_CHECKED ? GFMUL_RULE_NORM : request->rule;
    request->worst_case = true;
    request->max_exponent = 0;
}

void plan_request_next(struct plan_request *request, const struct plan_shape *failed)
{
    const unsigned less = (unsigned)ceil(CHECKED_RETRY_BITS * failed->digits.exponent / failed->digits.bits);
    if (request->rule == GFMUL_RULE_CHECKED && request->max_exponent == 0 && failed->digits.exponent > less) {
        request->max_exponent = failed->digits.exponent - less;
        return;
    }
    plan_request_worst(request);
}
