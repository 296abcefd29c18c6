/*
 * mul_candidates.c - the ways in which a product can be made, with their costs: for bigmul --plan=all.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/mul_candidates.h"

#include <stdlib.h>
#include <string.h>

#include "mul/cpu_pays.h"
#include "mul/ctx_device.h"

enum { LIST_FIRST = 64 };

void candidate_list_end(struct candidate_list *list)
{
    free(list->at);
}

/* candidate_new - room for one more; NULL: out of memory, or an earlier one failed. */
static struct gfmul_private_candidate *candidate_new(struct candidate_list *list)
{
    if (list->failed)
        return NULL;
    if (list->n == list->room) {
        const size_t room = list->room > 0 ? 2 * list->room : LIST_FIRST;
        struct gfmul_private_candidate *at = realloc(list->at, room * sizeof *at);
        if (!at) {
            list->failed = true;
            return NULL;
        }
        list->at = at;
        list->room = room;
    }
    memset(&list->at[list->n], 0, sizeof list->at[list->n]);
    return &list->at[list->n++];
}

/* alike - whether both transform in the same way; their digits may differ. */
static bool alike(const struct gfmul_plan_info *x, const struct gfmul_plan_info *y)
{
    return strcmp(x->precision, y->precision) == 0 && strcmp(x->passes, y->passes) == 0 && x->n_points == y->n_points &&
           x->wraps == y->wraps && x->n_slices == y->n_slices && x->a_pieces == y->a_pieces;
}

/* candidate_add - note a candidate of the CPU; of those that transform alike only the one with the longest digits. */
static void candidate_add(void *arg, const struct plan_shape *shape)
{
    struct candidate_list *list = arg;
    const struct call *call = list->call;
    struct gfmul_private_candidate one = {.ms = shape->cost_ps * cpu_share(call->threads) / 1e9};
    plan_info_from_shape(&one.plan, shape, call->ctx->ops->name);
    one.plan.engine = "cpu";
    one.plan.threads = call->threads;
    for (size_t i = 0; i < list->n; i++)
        if (alike(&list->at[i].plan, &one.plan)) {
            if (one.plan.l > list->at[i].plan.l)
                list->at[i] = one;
            return;
        }
    struct gfmul_private_candidate *at = candidate_new(list);
    if (at)
        *at = one;
}

static int by_cost(const void *x, const void *y)
{
    const double a = ((const struct gfmul_private_candidate *)x)->ms, b = ((const struct gfmul_private_candidate *)y)->ms;
    return (a > b) - (a < b);
}

enum gfmul_status candidates_gather(struct attempt *t)
{
    struct candidate_list *list = t->foresight->arg;
    struct call *call = t->call;
    struct plan_request request;
    char detail[sizeof call->report.detail];
    list->call = call;
    list->n = 0;
    ctx_plan_request(call, &request, t->p->a.base, number_size(&t->p->a), number_size(&t->p->b), t->p->square);
    const enum gfmul_status status = plan_candidates(&request, candidate_add, list, detail, sizeof detail);
    for (size_t i = 0; i < list->n; i++) {
        list->at[i].rate_points = request.rates.points;
        list->at[i].rate_primes = request.rates.primes;
        list->at[i].rate_touch = request.rates.touch;
    }
    const double device_ns = ctx_device_estimate(call, product_limbs_about(t->p));
    if (device_ns > 0) {
        struct gfmul_private_candidate *at = candidate_new(list);
        if (at) {
            if (t->device)
                at->plan = t->info;
            else
                ctx_gmp_info(&at->plan); /* its plan is not known */
            at->plan.engine = "opencl";
            at->ms = device_ns / 1e6;
        }
    }
    if (list->failed)
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for a list of candidates");
    if (list->n == 0)
        return call_fail(call, status, "%s", detail);
    qsort(list->at, list->n, sizeof *list->at, by_cost);
    return GFMUL_OK;
}
