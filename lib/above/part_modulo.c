/*
 * part_modulo.c - products modulo 2^(64 n) - 1 and 2^(64 n) + 1.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * beta^(2m) - 1 = (beta^m - 1) (beta^m + 1): the second factor has a transform, and the first one is split again.  If the product
 * is u modulo beta^m - 1 and v modulo beta^m + 1, it is v + (beta^m + 1) w with w = (u - v) / 2 modulo beta^m - 1.  Halving is
 * a rotation by one bit.  Modulo primes some beta^n - 1 have transforms of their own, which need no halves.
 */
#include <math.h>
#include <string.h>

#include "above/parts.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/call_run.h"
#include "mul/mul.h"

/* ---- modulo beta^n + 1 ---- */

/* in_ring - bring an operand below beta^n / 2, by negation if needed.   t: n + 1 limbs.   Value: whether it is negated. */
static bool in_ring(struct ring_operand *x, const mp_limb_t *a, size_t an, mp_limb_t *t, size_t n)
{
    an = limbs_normal_size(a, an);
    *x = (struct ring_operand){.p = a, .n = an};
    if (an < n || (an == n && a[n - 1] >> 63 == 0))
        return false;
    memcpy(t, a, an * sizeof *t);
    memset(t + an, 0, (n + 1 - an) * sizeof *t);
    ring_negate(t, n);
    *x = (struct ring_operand){.p = t, .n = limbs_normal_size(t, n + 1)};
    return true;
}

/* plus - part_plus in a given ring, of->z as there.  t: 2 n + 2 limbs. */
static enum gfmul_status plus(struct call *call, const struct ring *r, const struct part_arguments *of, mp_limb_t *t)
{
    const size_t n = r->n;
    struct ring_operand x, y;
    const bool square = is_square(of->a, of->an, of->b, of->bn), minus_a = in_ring(&x, of->a, of->an, t, n);
    const bool minus_b = square ? minus_a : in_ring(&y, of->b, of->bn, t + n + 1, n);
    if (square)
        y = x;
    const bool half = (x.n == n && x.p[n - 1] >> 63) || (y.n == n && y.p[n - 1] >> 63); /* beta^n / 2 itself */
    TRY(ring_mul(call, half ? &(struct ring){.n = n} : r, of->z, x.p, x.n, &y));
    if (minus_a != minus_b)
        ring_negate(of->z, n);
    return GFMUL_OK;
}

enum gfmul_status part_plus(struct call *call, mp_limb_t *z, size_t n, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                            size_t bn)
{
    const struct ring r = ring_exact(call, n, RING_PRODUCTS);
    void *room;
    TRY(ctx_buffer_get(call, 2 * (n + 1) * sizeof *z, &room));
    const enum gfmul_status status = plus(call, &r, &(struct part_arguments){.z = z, .a = a, .b = b, .an = an, .bn = bn}, room);
    ctx_buffer_put(call, room);
    return status;
}

/* ---- modulo beta^n - 1 ---- */

void minus_fold(mp_limb_t *z, size_t n, const mp_limb_t *a, size_t an)
{
    const size_t low = an < n ? an : n;
    if (z != a)
        memcpy(z, a, low * sizeof *z);
    memset(z + low, 0, (n - low) * sizeof *z);
    for (size_t at = n; at < an; at += n)
        if (mpn_add(z, z, (mp_size_t)n, a + at, (mp_size_t)(an - at < n ? an - at : n)))
            mpn_add_1(z, z, (mp_size_t)n, 1); /* no carry: the sum was below 2 beta^n - 1 */
}

bool minus_is_zero(const mp_limb_t *z, size_t n)
{
    size_t ones = 0;
    while (ones < n && z[ones] == ~(mp_limb_t)0)
        ones++;
    return ones == n || limbs_normal_size(z, n) == 0;
}

/* minus_halve - z = z / 2 modulo beta^n - 1. */
static void minus_halve(mp_limb_t *z, size_t n)
{
    const mp_limb_t out = mpn_rshift(z, z, (mp_size_t)n, 1);
    z[n - 1] |= out; /* the lowest bit becomes the highest one */
}

/* minus_whole - make the whole product and fold it. */
static enum gfmul_status minus_whole(struct call *call, mp_limb_t *z, size_t n, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                                     size_t bn)
{
    void *room;
    TRY(ctx_buffer_get(call, (an + bn + 1) * sizeof *z, &room));
    const enum gfmul_status status = mul_limbs(call, room, a, an, b, bn, true);
    if (status == GFMUL_OK)
        minus_fold(z, n, room, an + bn);
    ctx_buffer_put(call, room);
    return status;
}

void minus_join(mp_limb_t *z, size_t m, mp_limb_t *u, const mp_limb_t *v, mp_limb_t *x)
{
    minus_fold(x, m, v, m + 1);
    if (mpn_sub_n(u, u, x, (mp_size_t)m))
        mpn_sub_1(u, u, (mp_size_t)m, 1);
    minus_halve(u, m);
    /* v + w + w beta^m is at most beta^m + (beta^m + 1) (beta^m - 1), so the modulus has to be subtracted once at most */
    memcpy(z, u, m * sizeof *z);
    memcpy(z + m, u, m * sizeof *z);
    if (mpn_add(z, z, (mp_size_t)(2 * m), v, (mp_size_t)m + 1))
        mpn_add_1(z, z, (mp_size_t)(2 * m), 1);
}

/* minus_split - the product modulo beta^(2m) - 1 from those modulo its two factors.  t: 5 m + 5 limbs. */
static enum gfmul_status minus_split(struct call *call, size_t m, const struct part_arguments *of, mp_limb_t *t)
{
    const bool square = is_square(of->a, of->an, of->b, of->bn);
    mp_limb_t *z = of->z, *u = t, *v = u + m, *x = v + m + 1, *y = square ? x : x + m + 1;
    ring_fold(x, m, of->a, of->an);
    if (!square)
        ring_fold(y, m, of->b, of->bn);
    TRY(part_plus(call, v, m, x, m + 1, y, m + 1));
    minus_fold(x, m, of->a, of->an);
    if (!square)
        minus_fold(y, m, of->b, of->bn);
    TRY(part_minus(call, u, m, x, m, y, m));
    minus_join(z, m, u, v, x);
    return GFMUL_OK;
}

/* minus_in_halves - minus_split with its memory. */
static enum gfmul_status minus_in_halves(struct call *call, const struct part_arguments *of)
{
    const size_t m = of->zn / 2;
    void *room;
    TRY(ctx_buffer_get(call, (5 * m + 5) * sizeof *of->z, &room));
    const enum gfmul_status status = minus_split(call, m, of, room);
    ctx_buffer_put(call, room);
    return status;
}

/* minus_halves - the ring of the first half, if it has a transform. */
static struct ring minus_halves(struct call *call, size_t n)
{
    return n % 2 == 0 ? ring_exact(call, n / 2, RING_PRODUCTS) : (struct ring){.cost_ps = HUGE_VAL};
}

enum gfmul_status part_minus(struct call *call, mp_limb_t *z, size_t n, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                             size_t bn)
{
    enum gfmul_status status;
    an = limbs_normal_size(a, an);
    bn = limbs_normal_size(b, bn);
    const struct product p = product_limbs(z, a, an, b, bn);
    const size_t least = call->ctx->planned_mul_limbs / 2;
    const bool wraps = an + bn > n;
    const struct ring direct = wraps ? ring_exact(call, n, RING_MINUS) : (struct ring){.cost_ps = HUGE_VAL};
    const struct ring half = wraps ? minus_halves(call, n) : direct;
    const bool has_direct = direct.transform && an >= least && bn >= least;
    const bool at_once = has_direct && direct.cost_ps <= ring_halves_ps(half.cost_ps);
    if (at_once)
        status = ring_transform(call, &direct, &p);
    else if (half.transform)
        status = minus_in_halves(call, &(struct part_arguments){.z = z, .a = a, .b = b, .zn = n, .an = an, .bn = bn});
    else
        status = minus_whole(call, z, n, a, an, b, bn);
    if (status == GFMUL_ERR_MEMORY && has_direct && !at_once) { /* halves need room beside their transforms */
        call->why[0] = '\0';
        status = ring_transform(call, &direct, &p);
    }
    if (status == GFMUL_OK && minus_is_zero(z, n)) /* the modulus itself */
        memset(z, 0, n * sizeof *z);
    return status;
}

/* ---- public ---- */

static enum gfmul_status modulo_check(struct call *call, const struct part_arguments *of, size_t n)
{
    if (n == 0 || of->an > n || of->bn > n)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "the operands have more limbs than the modulus");
    if (n >= MUL_LIMBS_END)
        return call_fail(call, GFMUL_ERR_SIZE, "a modulus of %zu limbs is too long", n);
    return part_arguments_check(call, of);
}

static enum gfmul_status minus_checked(struct call *call, const void *arguments)
{
    const struct part_arguments *of = arguments;
    TRY(modulo_check(call, of, of->zn));
    return part_minus(call, of->z, of->zn, of->a, of->an, of->b, of->bn);
}

static enum gfmul_status plus_checked(struct call *call, const void *arguments)
{
    const struct part_arguments *of = arguments;
    TRY(modulo_check(call, of, of->zn - 1));
    return part_plus(call, of->z, of->zn - 1, of->a, of->an, of->b, of->bn);
}

enum gfmul_status gfmul_mulmod_bnm1(struct gfmul_ctx *ctx, mp_limb_t *z, size_t n, const mp_limb_t *a, size_t an,
                                    const mp_limb_t *b, size_t bn)
{
    const struct part_arguments of = {z, a, b, n, an, bn, 0};
    return call_run(ctx, &(struct call_work)CALL_WORK(minus_checked, &of, n));
}

enum gfmul_status gfmul_mulmod_bnp1(struct gfmul_ctx *ctx, mp_limb_t *z, size_t n, const mp_limb_t *a, size_t an,
                                    const mp_limb_t *b, size_t bn)
{
    const struct part_arguments of = {z, a, b, n + 1, an, bn, 0};
    return call_run(ctx, &(struct call_work)CALL_WORK(plus_checked, &of, n));
}

struct size_arguments {
    size_t n, *size;
    bool plus;
};

static enum gfmul_status size_checked(struct call *call, const void *arguments)
{
    const struct size_arguments *of = arguments;
    *of->size = of->n;
    if (of->n >= MUL_LIMBS_END)
        return GFMUL_OK;
    const struct ring direct = ring_choose(call, of->n, of->plus ? RING_PRODUCTS : RING_MINUS);
    *of->size = direct.n;
    if (!of->plus) {
        const struct ring half = ring_choose(call, of->n / 2 + of->n % 2, RING_PRODUCTS);
        if (half.transform && ring_halves_ps(half.cost_ps) < direct.cost_ps)
            *of->size = 2 * half.n;
    }
    return GFMUL_OK;
}

static size_t next_size(struct gfmul_ctx *ctx, size_t n, bool plus)
{
    size_t size = n;
    const struct size_arguments of = {n, &size, plus};
    const enum gfmul_status status = call_run(ctx, &(struct call_work)CALL_WORK(size_checked, &of, 0));
    return status == GFMUL_OK ? size : n;
}

size_t gfmul_mulmod_bnm1_next_size(struct gfmul_ctx *ctx, size_t n)
{
    return next_size(ctx, n, false);
}

size_t gfmul_mulmod_bnp1_next_size(struct gfmul_ctx *ctx, size_t n)
{
    return next_size(ctx, n, true);
}
