/*
 * ring.c - products modulo 2^(64 n) + 1, by a transform of this modulus or by reducing the whole product.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "above/ring.h"

#include <assert.h>
#include <string.h>

#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/mul.h"
#include "mul/mul_wrap.h"

enum { RING_LEAST_LIMBS = 48 }; /* no transform is that short */

/* ---- arithmetic ---- */

void ring_negate(mp_limb_t *z, size_t n)
{
    if (limbs_normal_size(z, n + 1) == 0)
        return;
    if (z[n]) { /* 2^(64 n) = -1 */
        z[n] = 0;
        z[0] = 1;
        return;
    }
    mpn_neg(z, z, (mp_size_t)n); /* 2^(64 n) - z; add 1 */
    z[n] = mpn_add_1(z, z, (mp_size_t)n, 1);
}

void ring_sub(mp_limb_t *z, const mp_limb_t *x, size_t n)
{
    mpn_sub_n(z, z, x, (mp_size_t)n + 1); /* signed, of magnitude 2^(64 n) at most */
    mul_wrap_reduce(z, n);
}

void ring_fold(mp_limb_t *z, size_t n, const mp_limb_t *a, size_t an)
{
    const size_t low = an < n ? an : n;
    if (z != a)
        memcpy(z, a, low * sizeof *z);
    if (an <= n) {
        memset(z + low, 0, (n + 1 - low) * sizeof *z);
        return;
    }
    bool minus = true;
    mp_limb_t top = 0; /* signed */
    for (size_t at = n; at < an; at += n, minus = !minus) {
        const mp_size_t part = (mp_size_t)(an - at < n ? an - at : n);
        top += minus ? -mpn_sub(z, z, (mp_size_t)n, a + at, part) : mpn_add(z, z, (mp_size_t)n, a + at, part);
    }
    z[n] = top;
    mul_wrap_reduce(z, n);
}

/* ---- the choice ---- */

bool transforms_allowed(const struct call *call)
{
    const struct gfmul_ctx *ctx = call->ctx;
    const struct gfmul_options *opt = &ctx->opt;
    return (opt->engine == GFMUL_ENGINE_AUTO || opt->engine == GFMUL_ENGINE_CPU) && opt->rule == GFMUL_RULE_NORM &&
           (opt->packing == GFMUL_PACKING_AUTO || opt->packing == GFMUL_PACKING_RIGHT_ANGLE) && !opt->certify &&
           opt->verify != GFMUL_VERIFY_GMP && !ctx->device_named;
}

bool ring_allowed(const struct call *call)
{
    const enum gfmul_precision precision = call->ctx->opt.precision;
    return transforms_allowed(call) && (precision == GFMUL_PRECISION_AUTO || precision == GFMUL_PRECISION_DOUBLE);
}

/* may_be_exact - whether n is odd_factor * exponent * 2^k.  It avoids most searches in vain, because failures are not cached. */
static bool may_be_exact(size_t n)
{
    enum { EXPONENT_END = 32 }; /* the digits of a ring have fewer bits */
    const size_t odd = n >> __builtin_ctzll(n);
    for (unsigned i = 0; i < PLAN_ODD_FACTORS; i++)
        if (odd % plan_odd_factor(i) == 0 && odd / plan_odd_factor(i) < EXPONENT_END)
            return true;
    return false;
}

/* choose - the ring of n limbs or, if or_more, the cheapest one of n or more limbs. */
static struct ring choose(struct call *call, size_t n, bool or_more)
{
    struct ring r = {.n = n};
    if (!ring_allowed(call) || n < call->ctx->planned_mul_limbs || n < RING_LEAST_LIMBS || (!or_more && !may_be_exact(n)))
        return r;
    struct plan_request request;
    struct plan_shape shape;
    const unsigned threads = call_threads_limit(call, n);
    ctx_plan_request(call, &request, 2, 64 * n, 64 * n, false);
    call->threads = threads;
    request.precision = GFMUL_PRECISION_DOUBLE;
    request.wrap = PLAN_WRAP_NEVER;
    request.cold = false;
    request.ring = n;
    request.ring_or_more = or_more;
    if (ctx_plan_size(call, &request, &shape) == GFMUL_OK) {
        r.n = plan_wrap_ring(&shape);
        r.transform = true;
    } else {
        call->why[0] = '\0'; /* no failure: there is another way */
    }
    return r;
}

struct ring ring_choose(struct call *call, size_t least)
{
    return choose(call, least, true);
}

struct ring ring_exact(struct call *call, size_t n)
{
    return choose(call, n, false);
}

/* ---- products ---- */

enum gfmul_status ring_keep(struct call *call, const struct ring *r, struct ring_operand *x)
{
    x->spectrum = NULL;
    if (!r->transform || limbs_normal_size(x->p, x->n) == 0)
        return GFMUL_OK;
    const struct number b = number_limbs(x->p, limbs_normal_size(x->p, x->n));
    const struct product p = {.z = number_limbs(NULL, r->n + 1), .a = number_limbs(NULL, r->n), .b = b, .ring = r->n};
    const unsigned threads = call_threads_limit(call, r->n);
    const enum gfmul_status status = spectrum_make_by(call, &x->spectrum, &p, &engine_cpu);
    call->threads = threads;
    if (x->spectrum)
        call->reserved += x->spectrum->bytes;
    return status == GFMUL_ERR_PRECISION ? GFMUL_OK : status;
}

void ring_forget(struct gfmul_ctx *ctx, struct call *call, struct ring_operand *x)
{
    if (call && x->spectrum)
        call->reserved -= x->spectrum->bytes;
    spectrum_end(ctx, x->spectrum);
    x->spectrum = NULL;
}

/* whole - make the whole product and reduce it; an >= bn >= 1. */
static enum gfmul_status whole(struct call *call, size_t n, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                               size_t bn)
{
    const bool fits = an + bn <= n + 1;
    void *room = NULL;
    if (!fits)
        TRY(ctx_buffer_get(call, (an + bn) * sizeof *z, &room));
    mp_limb_t *t = fits ? z : room;
    enum gfmul_status status = GFMUL_OK;
    if (mul_is_unplanned(call->ctx, an, bn, is_square(a, an, b, bn)))
        mul_unplanned(call->ctx, t, a, an, b, bn);
    else
        status = mul_limbs(call, t, a, an, b, bn, true);
    if (status == GFMUL_OK) {
        if (fits)
            memset(z + an + bn, 0, (n + 1 - an - bn) * sizeof *z);
        else
            ring_fold(z, n, t, an + bn);
        if (fits && z[n] > 0) /* n + 1 limbs of the product */
            ring_fold(z, n, z, n + 1);
    }
    ctx_buffer_put(call, room);
    return status;
}

void ring_share_next(struct call *call)
{
    const double end = call->share_end > 0 ? call->share_end : 1;
    call->share_from += call->share_span;
    call->share_span = (end - call->share_from) / 16;
}

/* by_transform - make the product by b's kept spectrum, or without.   Errors: PRECISION: no plan of this ring proves it. */
static enum gfmul_status by_transform(struct call *call, const struct product *p)
{
    ring_share_next(call);
    const unsigned threads = call_threads_limit(call, p->ring);
    const enum phase phase = phase_enter(&call->clock, PHASE_TRANSFORM);
    const enum gfmul_status status = product_make_by(call, p, &engine_cpu);
    phase_enter(&call->clock, phase);
    call->threads = threads;
    if (status == GFMUL_ERR_PRECISION)
        call->report.n_fallbacks++;
    return status;
}

enum gfmul_status ring_mul(struct call *call, const struct ring *r, mp_limb_t *z, const mp_limb_t *a, size_t an,
                           const struct ring_operand *b)
{
    const size_t n = r->n;
    an = limbs_normal_size(a, an);
    const size_t bn = limbs_normal_size(b->p, b->n);
    if (an == 0 || bn == 0) {
        memset(z, 0, (n + 1) * sizeof *z);
        return GFMUL_OK;
    }
    if (r->transform && an >= call->ctx->planned_mul_limbs / 2 && bn >= call->ctx->planned_mul_limbs / 2) {
        assert(an <= n && bn <= n && (an < n || a[n - 1] >> 63 == 0) && (bn < n || b->p[n - 1] >> 63 == 0));
        struct product p = product_limbs(z, a, an, b->p, bn), kept = p;
        p.z.n = kept.z.n = n + 1;
        p.ring = kept.ring = n;
        kept.a = number_limbs(a, an); /* the operand with the spectrum is b, even if it is longer */
        kept.b = number_limbs(b->p, bn);
        kept.b.spectrum = b->spectrum;
        kept.square = false;
        enum gfmul_status status = by_transform(call, b->spectrum ? &kept : &p);
        if (status == GFMUL_ERR_PRECISION && b->spectrum)
            status = by_transform(call, &p);
        if (status != GFMUL_ERR_PRECISION)
            return status;
    }
    return an < bn ? whole(call, n, z, b->p, bn, a, an) : whole(call, n, z, a, an, b->p, bn);
}
