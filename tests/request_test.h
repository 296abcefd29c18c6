/*
 * request_test.h - what tests of the sizing ask for.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_REQUEST_TEST_H
#define GFMUL_REQUEST_TEST_H

#include "plan/plan.h"
#include "plan/plan_names.h"
#include "test.h"

/* request_note - it, in what failures print. */
static void request_note(const struct plan_request *r)
{
    test_plan(NULL);
    test_note("rule=%d packing=%s base=%u %zu x %zu square=%d worst_case=%d fma=%d max_radix=%u memory_limit=%zu max_exponent=%u",
              r->rule, plan_packing_name(r->packing), r->base, r->an, r->bn, r->square, r->worst_case, r->fma, r->max_radix,
              r->memory_limit, r->max_exponent);
}

/* request_init - a product of one bit by one, under the default rule. */
static void request_init(struct plan_request *r)
{
    memset(r, 0, sizeof *r);
    r->rule = GFMUL_RULE_NORM;
    r->base = 2;
    r->an = r->bn = 1;
    r->fma = true;
    r->max_radix = 8;
}

#endif
