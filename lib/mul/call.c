/*
 * call.c - a call under way: its threads, its line for people, its progress, its primes.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "mul/ctx.h"
#include "plan/thresholds/thresholds.h"

/* threads_limited - threads, but no more than so many limbs have work for. */
static unsigned threads_limited(unsigned threads, size_t limbs)
{
    const size_t most = limbs / MUL_THREAD_LIMBS;
    return most >= threads ? threads : most > 1 ? (unsigned)most : 1;
}

unsigned call_threads_limit(struct call *call, size_t limbs)
{
    const unsigned threads = call->threads;
    call->threads = threads_limited(threads, limbs);
    return threads;
}

unsigned call_team(const struct call *call, size_t limbs)
{
    return threads_limited(call->team > 0 ? call->team : call->threads, limbs);
}

unsigned call_cells_limit(struct call *call, const struct plan_shape *s)
{
    return s->grid.a_cells > 1 ? call_threads_limit(call, (size_t)((double)s->transform.n_digits * s->digits.bits / 64))
                               : call->threads;
}

void call_note(struct call *call, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(call->report.detail, sizeof call->report.detail, format, ap);
    va_end(ap);
}

enum gfmul_status call_fail(struct call *call, enum gfmul_status status, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(call->why, sizeof call->why, format, ap);
    va_end(ap);
    return status;
}

/* share_of_call - convert the finished share of one product to the share of the whole call, which may make many. */
static double share_of_call(const struct call *call, double done)
{
    return call->share_span > 0 ? call->share_from + call->share_span * done : done;
}

enum gfmul_status call_progress(struct call *call, double done)
{
    return !call->monitor || stage_monitor_tell(call->monitor, share_of_call(call, done)) ? GFMUL_OK : GFMUL_ERR_INTERRUPTED;
}

enum gfmul_status call_stage(struct call *call, double from, double to, double points)
{
    const double first = share_of_call(call, from), last = share_of_call(call, to);
    return !call->monitor || stage_monitor_stage(call->monitor, first, last, points) ? GFMUL_OK : GFMUL_ERR_INTERRUPTED;
}

void ctx_gmp_info(struct gfmul_plan_info *info)
{
    memset(info, 0, sizeof *info);
    info->engine = "gmp";
    info->isa = "";
    info->device = "cpu";
    info->rule = info->precision = info->packing = "";
    info->threads = 1;
    info->n_slices = info->n_branches = 1;
}

void ctx_short_info(const struct gfmul_ctx *ctx, struct gfmul_plan_info *info)
{
    ctx_gmp_info(info);
    info->engine = "short";
    info->isa = ctx->ops->name;
}

unsigned call_primes(const struct call *call, bool decides)
{
    const struct gfmul_options *opt = &call->ctx->opt;
    const unsigned asked = opt->verify_primes > 0 ? opt->verify_primes : 1;
    const unsigned wanted = opt->verify == GFMUL_VERIFY_MOD ? asked : 0;
    const unsigned needed = decides ? residue_primes_needed(call->product_bits, call->ctx->prime_bits) : 0;
    return decides && needed == 0 ? 0 : needed > wanted ? needed : wanted;
}

bool ctx_primes_draw(struct gfmul_ctx *ctx, unsigned n)
{
    uint64_t p[RESIDUE_PRIMES_MAX];
    unsigned drawn = 0;
    while (drawn < n && ctx->residue_prime[drawn] != 0)
        drawn++;
    if (drawn == n)
        return true;
    if (!residue_primes_draw(ctx->prime_bits, p, n - drawn)) /* into p, because a failed draw may have written some */
        return false;
    memcpy(ctx->residue_prime + drawn, p, (n - drawn) * sizeof p[0]);
    return true;
}

static enum gfmul_status no_random_numbers(struct call *call)
{
    return call_fail(call, GFMUL_ERR_UNSUPPORTED, "the system has no random numbers");
}

/* moduli_draw - n primes for this call alone. */
static enum gfmul_status moduli_draw(struct call *call, unsigned n)
{
    uint64_t p[RESIDUE_PRIMES_MAX];
    if (!(call->drawn = alloc_aligned(n * sizeof *call->drawn)))
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for the residue check");
    if (!residue_primes_draw(call->ctx->prime_bits, p, n))
        return no_random_numbers(call);
    for (unsigned k = 0; k < n; k++)
        residue_modulus_set(&call->drawn[k], p[k], call->ctx->ops->isa_bit);
    call->moduli = call->drawn;
    call->n_moduli = n;
    return GFMUL_OK;
}

enum gfmul_status call_moduli(struct call *call, unsigned n, bool anew)
{
    struct gfmul_ctx *ctx = call->ctx;
    if (call->n_moduli >= n)
        return GFMUL_OK;
    if (anew && !call->drawn)
        return moduli_draw(call, n);
    pthread_mutex_lock(&ctx->lock);
    const bool there = ctx_primes_draw(ctx, n);
    for (unsigned k = 0; k < n && there; k++)
        if (ctx->residue[k].p == 0) /* once for each context */
            residue_modulus_set(&ctx->residue[k], ctx->residue_prime[k], ctx->ops->isa_bit);
    pthread_mutex_unlock(&ctx->lock);
    if (!there)
        return no_random_numbers(call);
    call->moduli = ctx->residue;
    call->n_moduli = n;
    return GFMUL_OK;
}
