/*
 * ring.c - products modulo 2^(64 n) + 1, by a transform of this modulus or by reducing the whole product.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "above/ring.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/mul.h"
#include "mul/mul_wrap.h"
#include "plan/plan_prime.h"

enum {
    RING_ROUNDED_LIMBS = 1 << 15, /* from there on the cheapest rings have halves, and searches in vain take milliseconds */
    RING_LEAST_LIMBS = 48,        /* no transform is that short, .. */
    RING_PRIME_LIMBS = (1 << (PRIME_ROW_LEVELS_MIN + PRIME_LEVELS_MIN)) / 64 * PRIME_DIGIT_BITS_MIN /* .. none modulo primes */
};

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
    if (an <= n) {
        if (z != a)
            memcpy(z, a, an * sizeof *z);
        memset(z + an, 0, (n + 1 - an) * sizeof *z);
        return;
    }
    bool minus = true;
    mp_limb_t top = 0; /* signed */
    for (size_t at = n; at < an; at += n, minus = !minus) {
        const mp_limb_t *const x = at == n ? a : z;
        const mp_size_t part = (mp_size_t)(an - at < n ? an - at : n);
        top += minus ? -mpn_sub(z, x, (mp_size_t)n, a + at, part) : mpn_add(z, x, (mp_size_t)n, a + at, part);
    }
    z[n] = top;
    mul_wrap_reduce(z, n);
}

/* ---- the choice ---- */

bool ring_allowed(const struct call *call)
{
    const struct gfmul_ctx *ctx = call->ctx;
    const struct gfmul_options *opt = &ctx->opt;
    const bool points = opt->precision == GFMUL_PRECISION_AUTO || opt->precision == GFMUL_PRECISION_DOUBLE;
    const bool primes = opt->precision == GFMUL_PRECISION_PRIME, right_angle = opt->packing == GFMUL_PACKING_RIGHT_ANGLE;
    return (opt->engine == GFMUL_ENGINE_AUTO || opt->engine == GFMUL_ENGINE_CPU) && opt->rule == GFMUL_RULE_NORM &&
           (opt->packing == GFMUL_PACKING_AUTO ? points || primes : points && right_angle) && !opt->certify &&
           opt->verify != GFMUL_VERIFY_GMP && !ctx->device_named;
}

/*
 * may_be_exact - whether 64 n is a number of points times a number of bits that digits have.  It avoids most searches in vain,
 * because failures are not cached.
 */
static bool may_be_exact(size_t n, bool primes)
{
    enum { DOUBLE_BITS_MAX = 31 };
    if (n == 0)
        return false;
    const size_t odd = n >> __builtin_ctzll(n), most = primes ? PRIME_DIGIT_BITS_MAX : DOUBLE_BITS_MAX;
    for (unsigned i = 0; i < PLAN_ODD_FACTORS; i++)
        if (odd % plan_odd_factor(i) == 0 && odd / plan_odd_factor(i) <= most)
            return true;
    return false;
}

/* ring_request - ask for a plan of products in a ring of n or more limbs.   false: it would not pay, or is not allowed */
static bool ring_request(struct call *call, struct plan_request *request, size_t n, enum ring_use use)
{
    if (!ring_allowed(call) || n < call->ctx->planned_mul_limbs || n < RING_LEAST_LIMBS)
        return false;
    const unsigned threads = call_threads_limit(call, n);
    ctx_plan_request(call, request, 2, 64 * n, 64 * n, false);
    call->threads = threads;
    request->wrap = PLAN_WRAP_NEVER;
    request->cold = false;
    request->ring = n;
    request->ring_or_more = true;
    request->ring_minus = use == RING_MINUS;
    request->kept = use == RING_KEPT;
    return true;
}

bool ring_plan_found(struct call *call, const struct plan_request *request, struct plan_shape *shape)
{
    const bool found = ctx_plan_size(call, request, shape) == GFMUL_OK;
    if (!found)
        call->why[0] = '\0'; /* no failure: there is another way */
    return found;
}

/* whole_ps - picoseconds of a whole product of n by n limbs. */
static double whole_ps(struct call *call, size_t n)
{
    struct plan_request request;
    struct plan_shape shape;
    ctx_plan_request(call, &request, 2, 64 * n, 64 * n, false);
    request.cold = false;
    return ring_plan_found(call, &request, &shape) ? shape.cost_ps : HUGE_VAL;
}

struct ring ring_exact(struct call *call, size_t n, enum ring_use use)
{
    struct ring r = {.n = n, .minus = use == RING_MINUS, .cost_ps = HUGE_VAL};
    struct plan_request request;
    struct plan_shape shape;
    const bool primes = n >= RING_PRIME_LIMBS;
    if ((r.minus && !primes) || !may_be_exact(n, primes) || !ring_request(call, &request, n, use))
        return r;
    request.ring_or_more = false;
    if (!primes) {
        if (request.precision == GFMUL_PRECISION_PRIME)
            return r;
        request.precision = GFMUL_PRECISION_DOUBLE;
    }
    /* modulo primes digits may have to be so short that more points are needed than for the whole product */
    if (ring_plan_found(call, &request, &shape) && (shape.field != PLAN_PRIME || shape.cost_ps < whole_ps(call, n))) {
        r.transform = true;
        if (use == RING_KEPT)
            r.precision = shape.field == PLAN_PRIME ? GFMUL_PRECISION_PRIME : GFMUL_PRECISION_DOUBLE;
        r.cost_ps = shape.cost_ps;
    }
    return r;
}

bool ring_in_double(struct call *call, size_t n)
{
    struct plan_request request;
    struct plan_shape shape;
    if (!may_be_exact(n, false) || !ring_request(call, &request, n, RING_PRODUCTS) || request.precision == GFMUL_PRECISION_PRIME)
        return false;
    request.precision = GFMUL_PRECISION_DOUBLE;
    request.ring_or_more = false;
    return ring_plan_found(call, &request, &shape);
}

size_t ring_shortest(const struct plan_shape *shape, size_t n)
{
    const size_t unit = shape->transform.n_points / 64, bits = (n + unit - 1) / unit;
    return (bits > PRIME_DIGIT_BITS_MIN ? bits : PRIME_DIGIT_BITS_MIN) * unit;
}

/* ring_by_primes - the shortest ring of n or more limbs at the points of this plan, if it costs less than the whole product. */
static struct ring ring_by_primes(struct call *call, const struct plan_shape *shape, size_t n, enum ring_use use)
{
    struct ring r = ring_exact(call, ring_shortest(shape, n), use);
    if (r.cost_ps < whole_ps(call, n))
        return r;
    return (struct ring){.n = n, .minus = r.minus, .cost_ps = HUGE_VAL};
}

/*
 * kept_fit - whether memory is left for so many times what a product takes.  Spectra modulo primes are longer than in double, and
 * nobody steps back to double once the first one is kept.
 */
static bool kept_fit(struct call *call, const struct plan_shape *shape)
{
    enum { PRODUCTS = 4 }; /* two kept operands, a product beside them, and buffers */
    const bool fit = ctx_memory_check(call, PRODUCTS * shape->memory_bytes) == GFMUL_OK;
    if (!fit)
        call->why[0] = '\0';
    return fit;
}

struct ring ring_choose(struct call *call, size_t least, enum ring_use use)
{
    struct ring r = {.n = least, .minus = use == RING_MINUS, .cost_ps = HUGE_VAL};
    struct plan_request request;
    struct plan_shape shape;
    if ((r.minus && least < RING_PRIME_LIMBS) || !ring_request(call, &request, least, use))
        return r;
    bool found = ring_plan_found(call, &request, &shape);
    if (found && shape.field == PLAN_PRIME) {
        if (request.precision == GFMUL_PRECISION_PRIME || use == RING_MINUS)
            return ring_by_primes(call, &shape, least, use);
        if (use != RING_KEPT || kept_fit(call, &shape))
            r = ring_by_primes(call, &shape, least, use);
        request.precision = GFMUL_PRECISION_DOUBLE;
        found = ring_plan_found(call, &request, &shape);
        if (!found) /* memory is short, and what follows needs more of it: whole products can do with less */
            return (struct ring){.n = least, .cost_ps = HUGE_VAL};
    }
    if (found && shape.cost_ps < r.cost_ps)
        r = (struct ring){.n = plan_wrap_ring(&shape),
                          .transform = true,
                          .precision = use == RING_KEPT ? GFMUL_PRECISION_DOUBLE : GFMUL_PRECISION_AUTO,
                          .cost_ps = shape.cost_ps};
    return r;
}

/*
 * The factor on the cost of two halves: passes over limbs, and in spaces images of each factor.  With the halves of halves and so
 * on a product takes 2.32 times what its first half does.  Xeon, AVX-512: products modulo primes take 1.07 to 1.17, 1.11, .80,
 * .74 and .68 of the time of halves at 3e5, 6e5, 1e6, 2e6 and 4e6 limbs, where the costs with this factor say 1.20, 1.02, .97,
 * .81 and .75; in a space of 1e6 limbs 46 ms and 68 (2026-11-29).
 */
static const double HALVES = 1.12;

struct ring_sizes ring_sizes(size_t n, size_t first)
{
    const unsigned bits = 64 - (unsigned)__builtin_clzll(n);
    struct ring_sizes sizes = {.n = {first}, .count = n < RING_ROUNDED_LIMBS ? RING_SIZES : 1};
    for (unsigned i = 1; i < RING_SIZES; i++) { /* units of a 64th, a 32nd and then a 16th of n */
        const unsigned shift = i < 3 ? 7 - i : 4;
        const size_t unit = bits > shift ? (size_t)1 << (bits - shift) : 1;
        sizes.n[i] = (n - 1) / unit * unit + (i < 4 ? 1 : i - 2) * unit;
    }
    return sizes;
}

double ring_halves_ps(double plus_ps, double minus_ps)
{
    const double whole = 2.0 * plus_ps;
    return HALVES * (plus_ps + (minus_ps < whole ? minus_ps : whole));
}

/* ---- products ---- */

enum gfmul_status ring_keep(struct call *call, const struct ring *r, struct ring_operand *x)
{
    x->spectrum = NULL;
    if (!r->transform || limbs_normal_size(x->p, x->n) == 0)
        return GFMUL_OK;
    const struct number b = number_limbs(x->p, limbs_normal_size(x->p, x->n));
    const struct product p = {
        .z = number_limbs(NULL, r->n + 1), .a = number_limbs(NULL, r->n), .b = b, .ring = r->n, .ring_precision = r->precision};
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

enum gfmul_status ring_transform(struct call *call, const struct ring *r, const struct product *p)
{
    struct product in_ring = *p;
    in_ring.z.n = r->n + !r->minus;
    in_ring.ring = r->n;
    in_ring.ring_minus = r->minus;
    in_ring.ring_precision = r->precision;
    ring_share_next(call);
    const unsigned threads = call_threads_limit(call, r->n);
    const enum phase phase = phase_enter(&call->clock, PHASE_TRANSFORM);
    const enum gfmul_status status = product_make_by(call, &in_ring, &engine_cpu);
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
        kept.a = number_limbs(a, an); /* the operand with the spectrum is b, even if it is longer */
        kept.b = number_limbs(b->p, bn);
        kept.b.spectrum = b->spectrum;
        kept.square = false;
        enum gfmul_status status = ring_transform(call, r, b->spectrum ? &kept : &p);
        if (status == GFMUL_ERR_PRECISION && b->spectrum)
            status = ring_transform(call, r, &p);
        if (status != GFMUL_ERR_PRECISION)
            return status;
    }
    return an < bn ? whole(call, n, z, b->p, bn, a, an) : whole(call, n, z, a, an, b->p, bn);
}
