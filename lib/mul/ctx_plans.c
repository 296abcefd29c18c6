/*
 * ctx_plans.c - build the request for the planner, and cache its answers in the context.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "base/alloc.h"
#include "mul/cpu_rates.h"
#include "plan/thresholds/thresholds.h"

/* memory_left - the machine's memory less the share of its system, the operands and the product; false: not known. */
static bool memory_left(size_t *bytes, unsigned base, size_t an, size_t bn)
{
    const size_t all = memory_usable(), both = an / 8 + bn / 8, numbers = 2 * (base == 2 ? both : 8 * both);
    *bytes = 0;
    if (all == 0)
        return false;
    *bytes = all - all / 16 > numbers ? all - all / 16 - numbers : 1;
    return true;
}

/*
 * memory_is_cold - whether the product has to touch its memory for the first time, because recent calls needed much less.
 *
 *   limbs  in  of the shorter operand: even cells as short as this operand need twice WARM_BYTES for each limb
 */
static bool memory_is_cold(struct gfmul_ctx *ctx, size_t limbs)
{
    enum { WARM_BYTES = 32 };
    if (limbs < PLAN_COLD_LIMBS / 2)
        return false;
    pthread_mutex_lock(&ctx->lock);
    ctx_idle_look(ctx);
    const bool cold = ctx->keep_bytes / WARM_BYTES < limbs;
    pthread_mutex_unlock(&ctx->lock);
    return cold;
}

void ctx_plan_request(const struct call *call, struct plan_request *request, unsigned base, size_t an, size_t bn, bool square)
{
    struct gfmul_ctx *ctx = call->ctx;
    const size_t shorter = an < bn ? an : bn;
    memset(request, 0, sizeof *request);
    request->rule = ctx->opt.rule;
    request->packing = ctx->opt.packing;
    request->precision = call->low_limbs ? call->low_precision : ctx->opt.precision;
    request->primes = true;
    request->ifma = ctx->prime_bits == RESIDUE_FAST_BITS;
    request->certify = ctx->opt.certify;
    request->full_precision = ctx->full_precision || (ctx->opt.rule == GFMUL_RULE_KNUTH && !ctx->opt.adaptive);
    request->base = base;
    request->an = an;
    request->bn = bn;
    request->square = square;
    request->worst_case = false;
    request->fma = ctx->ops->fma;
    request->max_radix = ctx->ops->max_radix;
    request->isa = ctx->tuning;
    request->butterfly = plan_butterfly(request->isa, ctx->ops->butterfly);
    if (ctx->opt.memory_limit != 0) { /* the limit less what the call holds already */
        const size_t held = call->allocated + call->reserved;
        request->memory_limit = ctx->opt.memory_limit > held ? ctx->opt.memory_limit - held : 1;
    }
    request->threads = call->threads;
    request->cold = memory_is_cold(ctx, shorter / (base == 2 ? 64 : 16)); /* 16 digits of base 16 */
    /* the memory of a product that wraps around is only estimated, so under the caller's limit a product does not wrap */
    request->wrap = base == 2 && !call->low_limbs && ctx->opt.memory_limit == 0 ? ctx->wrap : PLAN_WRAP_NEVER;
    request->rates = cpu_rates(ctx, request);
    if (request->memory_limit == 0)
        request->limit_physical = memory_left(&request->memory_limit, base, an, bn);
}

enum gfmul_status ctx_plan_size(struct call *call, const struct plan_request *request, struct plan_shape *shape)
{
    struct gfmul_ctx *ctx = call->ctx;
    bool found = false;

    pthread_mutex_lock(&ctx->lock);
    for (unsigned i = 0; i < CTX_SHAPES && i < ctx->n_shapes && !found; i++) {
        found = memcmp(&ctx->shapes[i].request, request, sizeof *request) == 0; /* ctx_plan_request clears the padding */
        if (found)
            *shape = ctx->shapes[i].shape;
    }
    pthread_mutex_unlock(&ctx->lock);
    if (found)
        return GFMUL_OK;

    const enum gfmul_status status = plan_size(shape, request, call->why, sizeof call->why);
    if (status == GFMUL_OK) {
        pthread_mutex_lock(&ctx->lock);
        const unsigned i = ctx->n_shapes % CTX_SHAPES;
        ctx->n_shapes = ctx->n_shapes + 1 < 2 * CTX_SHAPES ? ctx->n_shapes + 1 : CTX_SHAPES;
        memcpy(&ctx->shapes[i].request, request, sizeof *request);
        ctx->shapes[i].shape = *shape;
        pthread_mutex_unlock(&ctx->lock);
    }
    return status;
}
