/*
 * plan_choose.c - chooses the field of a product on the CPU by comparing costs, and remakes plans.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "plan/plan_field.h"
#include "plan/plan_say.h"
#include "plan/thresholds/primes.h"
#include "plan/thresholds/thresholds.h"

/* size_in - plan_size in one given field. */
static enum gfmul_status size_in(enum plan_field_id id, struct plan_shape *shape, const struct plan_request *request,
                                 char *detail, size_t detail_bytes)
{
    say(detail, detail_bytes, "%s", "");
    return plan_fields[id].size(id, shape, request, detail, detail_bytes);
}

/* points_size - precision auto among complex points: double, or double-double if double has no such products. */
static enum gfmul_status points_size(struct plan_shape *shape, const struct plan_request *request, char *detail,
                                     size_t detail_bytes)
{
    const bool can = request->packing == GFMUL_PACKING_AUTO || request->packing == GFMUL_PACKING_RIGHT_ANGLE;
    const bool wins = request->rule == GFMUL_RULE_NORM && request->base == 2 && can && request->an >= PLAN_DD_FROM_BITS &&
                      request->bn >= PLAN_DD_FROM_BITS;
    const enum gfmul_status status = size_in(wins ? PLAN_DD : PLAN_DOUBLE, shape, request, detail, detail_bytes);
    if (status == GFMUL_ERR_PRECISION && request->rule == GFMUL_RULE_KNUTH && can)
        return size_in(PLAN_DD, shape, request, detail, detail_bytes);
    return status;
}

/*
 * primes_count - whether primes are candidates.  Short products stay in double if double has a shape for them.
 *   there  in  double has one
 */
static bool primes_count(const struct plan_request *request, bool there)
{
    return request->primes && request->rule != GFMUL_RULE_KNUTH && request->packing == GFMUL_PACKING_AUTO &&
           !request->full_precision && request->base == 2 && !request->kept &&
           (!there || request->an + request->bn >= PLAN_PRIMES_FROM_BITS);
}

enum gfmul_status plan_size(struct plan_shape *shape, const struct plan_request *request, char *detail, size_t detail_bytes)
{
    say(detail, detail_bytes, "%s", "");
    if (request->base < 2 || request->base > 36 || request->an == 0 || request->bn == 0 || request->max_radix < 4)
        return plan_fail(GFMUL_ERR_ARGUMENT, detail, detail_bytes, "plan_size: bad request");
    if (request->an >= SIZE_MAX / 4 || request->bn >= SIZE_MAX / 4)
        return plan_fail(GFMUL_ERR_SIZE, detail, detail_bytes, "the product is longer than any transform");
    if (request->precision != GFMUL_PRECISION_AUTO)
        return size_in(plan_field_of(request->precision), shape, request, detail, detail_bytes);
    const enum gfmul_status status = points_size(shape, request, detail, detail_bytes);
    struct plan_shape primes;
    if (!primes_count(request, status == GFMUL_OK) || size_in(PLAN_PRIME, &primes, request, NULL, 0) != GFMUL_OK ||
        (status == GFMUL_OK && shape->cost_ps <= primes.cost_ps))
        return status;
    say(detail, detail_bytes, "%s", "");
    *shape = primes;
    return GFMUL_OK;
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
