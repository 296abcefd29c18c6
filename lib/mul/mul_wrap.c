/*
 * mul_wrap.c - products that wrap around: from the product modulo 2^K + 1 or 2^K - 1, and its lowest limbs, to the whole product.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * P = q (2^K + s) + R, s = 1 or -1, with 0 <= q < 2^(64 r) and 64 r <= K: so q = s (P - R) modulo 2^(64 r), and P is
 * R + s q + 2^K q.  For s = 1, P < 2^(K + 64 r) has such a q if 0 <= R <= 2^K.
 */
#include <assert.h>
#include <string.h>

#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/engine.h"
#include "mul/mul.h"
#include "mul/mul_wrap.h"
#include "plan/plan_field.h"
#include "plan/thresholds/thresholds.h"
#include "short/short.h"

void mul_wrap_reduce(mp_limb_t *z, size_t ring)
{
    const int64_t top = (int64_t)z[ring]; /* top 2^K = -top */
    const mp_size_t n = (mp_size_t)ring;
    z[ring] = 0;
    if (top > 0) {
        if (mpn_sub_1(z, z, n, (mp_limb_t)top)) /* below 0 by top at most: 2^K + 1 more, 2^K of it by the borrow */
            z[ring] = mpn_add_1(z, z, n, 1);
    } else if (top < 0 && mpn_add_1(z, z, n, -(mp_limb_t)top)) { /* 2^K or more */
        if (limbs_normal_size(z, ring) == 0)
            z[ring] = 1;
        else
            mpn_sub_1(z, z, n, 1);
    }
}

/* wrap_low - low = the product of the low r limbs of p's operands, 2 r limbs; made without a plan, or by this maker. */
static enum gfmul_status wrap_low(struct call *call, mp_limb_t *low, const struct product *p, size_t r,
                                  const struct wrap_maker *maker)
{
    const struct gfmul_ctx *ctx = call->ctx;
    const size_t an = limbs_normal_size(p->a.limbs, r), bn = p->square ? an : limbs_normal_size(p->b.limbs, r);
    const struct product low_p = product_limbs(low, p->a.limbs, an, p->b.limbs, bn);
    memset(low + an + bn, 0, (2 * r - an - bn) * sizeof *low);
    if (low_p.b.n == 0) {
        memset(low, 0, low_p.a.n * sizeof *low);
        return GFMUL_OK;
    }
    /* by vectors also where the whole product may not be, because the caller asked for a rule or an engine of transforms */
    const struct short_ops *ops = ctx->short_ops;
    const struct short_limits *by_vectors = !ops ? NULL : p->square ? &ops->square : &ops->product;
    if (by_vectors && low_p.b.n >= by_vectors->from && short_wins(low_p.a.n, low_p.b.n, GMP_CROSSOVER(by_vectors->to))) {
        if (p->square)
            ops->sqr(low, low_p.a.limbs, low_p.a.n);
        else
            ops->mul(low, low_p.a.limbs, low_p.a.n, low_p.b.limbs, low_p.b.n);
        return GFMUL_OK;
    }
    const size_t planned = p->square ? ctx->planned_sqr_limbs : ctx->planned_mul_limbs;
    if (low_p.b.n < (planned > 0 ? planned : PLAN_WRAP_GMP_LIMBS)) {
        mul_unplanned(ctx, low, low_p.a.limbs, low_p.a.n, low_p.b.limbs, low_p.b.n);
        return GFMUL_OK;
    }
    const struct gfmul_plan_info plan = call->report.plan; /* the report keeps the plan of the whole product */
    const double max_error = call->report.max_error;
    /* use all threads or one: a smaller team would end threads, and the next product would have to start them again */
    const unsigned threads = call_threads_limit(call, an + bn);
    call->threads = call->threads > 1 ? threads : 1;
    call->low_limbs = true;
    call->low_precision = plan_fields[maker->field].precision;
    const enum gfmul_status status = product_make_by(call, &low_p, maker->engine);
    call->low_limbs = false;
    call->threads = threads;
    const struct gfmul_plan_info low_plan = call->report.plan;
    call->report.plan = plan;
    if (low_plan.bound > plan.bound) { /* the larger bound, and what it rests on */
        call->report.plan.bound = low_plan.bound;
        call->report.plan.norms_measured = low_plan.norms_measured;
        call->report.plan.inverse_measured = low_plan.inverse_measured;
    }
    if (call->report.max_error < max_error)
        call->report.max_error = max_error;
    return status;
}

enum gfmul_status mul_wrap_room(struct call *call, const struct product *p, size_t ring, void **quotient)
{
    const size_t r = p->z.n - ring;
    *quotient = NULL;
    return r == 0 ? GFMUL_OK : ctx_buffer_get(call, 2 * r * sizeof(mp_limb_t), quotient);
}

enum gfmul_status mul_wrap(struct call *call, const struct product *p, size_t ring, const struct wrap_maker *maker, mp_limb_t *q)
{
    const int sign = plan_fields[maker->field].wraps;
    mp_limb_t *z = p->z.limbs;
    const size_t r = p->z.n - ring;
    assert(r <= ring && (sign > 0 || r > 0));
    if (r == 0) { /* P < 2^K; z is P plus h (2^K + 1), modulo 2^K, and the lowest limb gives h */
        const int64_t over = (int64_t)(z[0] - p->a.limbs[0] * p->b.limbs[0]);
        if (over > 0)
            mpn_sub_1(z, z, (mp_size_t)ring, (mp_limb_t)over);
        else if (over < 0)
            mpn_add_1(z, z, (mp_size_t)ring, -(mp_limb_t)over);
        return GFMUL_OK;
    }
    TRY(wrap_low(call, q, p, r, maker));
    if (sign > 0) {
        mul_wrap_reduce(z, ring);
        memset(z + ring + 1, 0, (r - 1) * sizeof *z);
        mpn_sub_n(q, q, z, (mp_size_t)r);
        mpn_add(z, z, (mp_size_t)(ring + r), q, (mp_size_t)r);
    } else {
        mpn_sub_n(q, z, q, (mp_size_t)r);
        mpn_sub(z, z, (mp_size_t)(ring + r), q, (mp_size_t)r);
    }
    mpn_add_n(z + ring, z + ring, q, (mp_size_t)r); /* modulo 2^(64 (ring + r)), above P */
    return GFMUL_OK;
}
