/*
 * mul_plan.c - products that are planned, and perhaps prepared, but not made: plans, candidates, programs of devices.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <limits.h>

#include "base/try.h"
#include "gfmul_private.h"
#include "mul/call_run.h"
#include "mul/engine.h"
#include "mul/mul.h"
#include "mul/mul_candidates.h"
#include "mul/programs.h"

struct plan_arguments {
    struct gfmul_plan_info *info;
    int base;
    bool text;
    struct foreseen of;
};

/* plan_checked - plan a product within a call, and perhaps prepare it on a device. */
static enum gfmul_status plan_checked(struct call *call, const void *arguments)
{
    const struct plan_arguments *x = arguments;
    struct foreseen of = x->of;
    struct gfmul_plan_info plan;
    if (x->text && !base_is_valid(x->base))
        return call_fail(call, GFMUL_ERR_ARGUMENT, "bases are 2 to 36");
    if (!x->info)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "the plan to fill is NULL");
    of.base = (unsigned)x->base;
    TRY(x->text ? mul_foresee_text(call, &plan, &of) : mul_foresee_limbs(call, &plan, &of));
    *x->info = call->report.plan = plan;
    return GFMUL_OK;
}

/* plan - plan a product of limbs, or of text in this base. */
static enum gfmul_status plan(struct gfmul_ctx *ctx, struct gfmul_plan_info *info, bool text, int base, struct foreseen of)
{
    const struct plan_arguments x = {info, base, text, of};
    return call_run(ctx, &(struct call_work)CALL_WORK(plan_checked, &x, 0));
}

enum gfmul_status gfmul_plan_limbs(struct gfmul_ctx *ctx, struct gfmul_plan_info *info, size_t an, size_t bn)
{
    return plan(ctx, info, false, 0, (struct foreseen){.an = an, .bn = bn});
}

enum gfmul_status gfmul_plan_limbs_sqr(struct gfmul_ctx *ctx, struct gfmul_plan_info *info, size_t an)
{
    return plan(ctx, info, false, 0, (struct foreseen){.an = an, .bn = an, .square = true});
}

enum gfmul_status gfmul_plan_text(struct gfmul_ctx *ctx, struct gfmul_plan_info *info, int base, size_t an, size_t bn)
{
    return plan(ctx, info, true, base, (struct foreseen){.an = an, .bn = bn});
}

enum gfmul_status gfmul_plan_text_sqr(struct gfmul_ctx *ctx, struct gfmul_plan_info *info, int base, size_t an)
{
    return plan(ctx, info, true, base, (struct foreseen){.an = an, .bn = an, .square = true});
}

/* device_plan - plan a product, whose base and sizes are as gfmul_device_prepare has them, and do what `also` says. */
static enum gfmul_status device_plan(struct gfmul_ctx *ctx, int base, size_t an, size_t bn, struct foresight also)
{
    struct gfmul_plan_info info;
    return plan(ctx, &info, base != 0, base,
                (struct foreseen){.an = an, .bn = bn > 0 ? bn : an, .square = bn == 0, .also = also});
}

enum gfmul_status gfmul_device_prepare(struct gfmul_ctx *ctx, int base, size_t an, size_t bn)
{
    return device_plan(ctx, base, an, bn, (struct foresight){.then = attempt_prepare});
}

enum gfmul_status gfmul_private_candidates(struct gfmul_ctx *ctx, struct gfmul_private_candidate **list, size_t *n, int base,
                                           size_t an, size_t bn)
{
    struct candidate_list of = {.at = NULL};
    const enum gfmul_status status = device_plan(ctx, base, an, bn, (struct foresight){.then = candidates_gather, .arg = &of});
    if (status != GFMUL_OK)
        candidate_list_end(&of);
    *list = status == GFMUL_OK ? of.at : NULL;
    *n = status == GFMUL_OK ? of.n : 0;
    return status;
}

enum gfmul_status gfmul_private_build(struct gfmul_ctx *ctx, int base, size_t an, size_t bn, struct gfmul_private_part which,
                                      unsigned *missing)
{
    struct programs of = {which.part, which.parts, 0};
    bool unknown = false;
    if (which.parts > 0 && which.part > which.parts)
        return GFMUL_ERR_ARGUMENT;
    const enum gfmul_status status = device_plan(
        ctx, base, an, bn, (struct foresight){.then = programs_build, .arg = &of, .unknown = which.parts == 0 ? &unknown : NULL});
    if (missing)
        *missing = unknown ? UINT_MAX : of.missing;
    return unknown ? GFMUL_OK : status;
}
