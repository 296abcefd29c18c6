/*
 * mul_short.c - engine short: products by vectors without a plan.  No option names it, because it makes only short products.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/engine.h"
#include "mul/mul.h"

static enum gfmul_status short_takes(struct attempt *t, bool *yes)
{
    const struct product *p = t->p;
    const struct gfmul_ctx *ctx = t->call->ctx;
    *yes = p->z.base == 2 && !p->z.words && !p->b.spectrum && mul_is_unplanned(ctx, p->a.n, p->b.n, p->square) &&
           mul_is_by_vectors(ctx, p->b.n, p->square);
    return GFMUL_OK;
}

static enum gfmul_status short_plan(struct attempt *t)
{
    ctx_short_info(t->call->ctx, &t->info);
    return GFMUL_OK;
}

static enum gfmul_status short_run(struct attempt *t)
{
    const struct product *p = t->p;
    mul_unplanned(t->call->ctx, p->z.limbs, p->a.limbs, p->a.n, p->b.limbs, p->b.n);
    return GFMUL_OK;
}

const struct engine engine_short = {
    .name = "short",
    .id = GFMUL_ENGINE_AUTO,
    .trust = TRUST_PROVED,
    .takes = short_takes,
    .plan = short_plan,
    .run = short_run,
};
