/*
 * part_modulo.c - products modulo 2^(64 n) - 1 and 2^(64 n) + 1.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * beta^(2m) - 1 = (beta^m - 1) (beta^m + 1): the second factor has a transform, and the first one is split again.  If the product
 * is u modulo beta^m - 1 and v modulo beta^m + 1, it is v + (beta^m + 1) w with w = (u - v) / 2 modulo beta^m - 1.  Halving is
 * a rotation by one bit.  Modulo primes some beta^n - 1 have transforms of their own, which need no halves.
 *
 * Passes over limbs take a fifth of the time at 1e5 limbs, so nothing is copied: signs are kept beside numbers, and v and u are
 * made where the product will be.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "above/parts.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/call_run.h"
#include "mul/mul.h"

/* ---- modulo beta^n + 1 ---- */

/* in_ring - a modulo beta^n + 1 below beta^n / 2, perhaps negated; an <= 2 n.   t: n limbs.   Value: whether it is negated. */
static bool in_ring(struct ring_operand *x, const mp_limb_t *a, size_t an, mp_limb_t *t, size_t n)
{
    assert(an <= 2 * n);
    an = limbs_normal_size(a, an);
    const mp_limb_t *p = a, *q = a + (an > n ? n : an);
    size_t pn = limbs_normal_size(a, an > n ? n : an), qn = an > n ? an - n : 0;
    const bool swaps = qn > pn || (qn == pn && qn > 0 && mpn_cmp(p, q, (mp_size_t)qn) < 0);
    *x = (struct ring_operand){.p = p, .n = pn};
    if (qn > 0) { /* beta^n = -1 */
        if (swaps)
            mpn_sub(t, q, (mp_size_t)qn, p, (mp_size_t)pn);
        else
            mpn_sub(t, p, (mp_size_t)pn, q, (mp_size_t)qn);
        *x = (struct ring_operand){.p = t, .n = limbs_normal_size(t, swaps ? qn : pn)};
    }
    if (x->n < n || x->p[n - 1] >> 63 == 0)
        return swaps;
    mpn_neg(t, x->p, (mp_size_t)n); /* the negative is beta^n + 1 - x */
    mpn_add_1(t, t, (mp_size_t)n, 1);
    *x = (struct ring_operand){.p = t, .n = limbs_normal_size(t, n)};
    return !swaps;
}

/* plus - of->z = a b in a given ring, or -a b: then *negated.  Operands of at most 2 n limbs.  t: 2 n limbs. */
static enum gfmul_status plus(struct call *call, const struct ring *r, const struct part_arguments *of, mp_limb_t *t,
                              bool *negated)
{
    const size_t n = r->n;
    struct ring_operand x, y;
    const bool square = is_square(of->a, of->an, of->b, of->bn), minus_a = in_ring(&x, of->a, of->an, t, n);
    const bool minus_b = square ? minus_a : in_ring(&y, of->b, of->bn, t + n, n);
    if (square)
        y = x;
    *negated = minus_a != minus_b;
    const bool half = (x.n == n && x.p[n - 1] >> 63) || (y.n == n && y.p[n - 1] >> 63); /* beta^n / 2 or one more */
    return ring_mul(call, half ? &(struct ring){.n = n} : r, of->z, x.p, x.n, &y);
}

enum gfmul_status part_plus(struct call *call, mp_limb_t *z, size_t n, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                            size_t bn)
{
    const struct ring r = ring_exact(call, n, RING_PRODUCTS);
    void *room;
    bool negated;
    TRY(ctx_buffer_get(call, 2 * n * sizeof *z, &room));
    const enum gfmul_status status =
        plus(call, &r, &(struct part_arguments){.z = z, .a = a, .b = b, .an = an, .bn = bn}, room, &negated);
    if (status == GFMUL_OK && negated)
        ring_negate(z, n);
    ctx_buffer_put(call, room);
    return status;
}

/* ---- modulo beta^n - 1 ---- */

void minus_fold(mp_limb_t *z, size_t n, const mp_limb_t *a, size_t an)
{
    if (an <= n) {
        if (z != a)
            memcpy(z, a, an * sizeof *z);
        memset(z + an, 0, (n - an) * sizeof *z);
    }
    for (size_t at = n; at < an; at += n)
        if (mpn_add(z, at == n ? a : z, (mp_size_t)n, a + at, (mp_size_t)(an - at < n ? an - at : n)))
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

/* minus_add - z = z + x modulo beta^n - 1;   minus_sub - z - x;   x of n limbs and top beta^n, at most beta^n. */
static void minus_add(mp_limb_t *z, const mp_limb_t *x, mp_limb_t top, size_t n)
{
    const mp_limb_t carry = mpn_add_n(z, z, x, (mp_size_t)n) + top;
    if (mpn_add_1(z, z, (mp_size_t)n, carry))
        mpn_add_1(z, z, (mp_size_t)n, 1);
}

static void minus_sub(mp_limb_t *z, const mp_limb_t *x, mp_limb_t top, size_t n)
{
    const mp_limb_t borrow = mpn_sub_n(z, z, x, (mp_size_t)n) + top;
    if (mpn_sub_1(z, z, (mp_size_t)n, borrow))
        mpn_sub_1(z, z, (mp_size_t)n, 1);
}

void minus_join(mp_limb_t *z, size_t m, mp_limb_t top, bool negated)
{
    const mp_size_t n = (mp_size_t)m;
    mp_limb_t *const w = z + m;
    if (negated)
        minus_add(w, z, top, m);
    else
        minus_sub(w, z, top, m);
    minus_halve(w, m);
    /* w beta^m + w + v, where w is at most beta^m - 2; or w - v of the negative, where w is 0 only if v is: nothing leaves it */
    mp_limb_t carry = top;
    if (negated) {
        carry += mpn_sub_n(z, w, z, n);
        carry = mpn_sub_1(w, w, n, carry);
    } else {
        carry += mpn_add_n(z, w, z, n);
        carry = mpn_add_1(w, w, n, carry);
    }
    assert(carry == 0);
}

static enum gfmul_status minus(struct call *call, const struct part_arguments *of, mp_limb_t *t);

/* minus_split - the product modulo beta^(2m) - 1 from those modulo its two factors; r: the first one.  t: 4 m limbs. */
static enum gfmul_status minus_split(struct call *call, const struct ring *r, const struct part_arguments *of, mp_limb_t *t)
{
    const size_t m = r->n;
    const bool square = is_square(of->a, of->an, of->b, of->bn);
    struct part_arguments half = {.z = of->z + m, .zn = m, .a = of->a, .b = of->b, .an = of->an, .bn = of->bn};
    bool negated;
    TRY(plus(call, r, of, t, &negated));
    const mp_limb_t top = of->z[m];
    if (of->an > m) {
        minus_fold(t, m, of->a, of->an);
        half.a = t;
        half.an = m;
    }
    if (square) {
        half.b = half.a;
        half.bn = half.an;
    } else if (of->bn > m) {
        minus_fold(t + m, m, of->b, of->bn);
        half.b = t + m;
        half.bn = m;
    }
    TRY(minus(call, &half, t + 2 * m));
    minus_join(of->z, m, top, negated);
    return GFMUL_OK;
}

/* minus_in_halves - minus_split with its memory, t or its own. */
static enum gfmul_status minus_in_halves(struct call *call, const struct ring *r, const struct part_arguments *of, mp_limb_t *t)
{
    void *room;
    if (t)
        return minus_split(call, r, of, t);
    TRY(ctx_buffer_get(call, 4 * r->n * sizeof *of->z, &room));
    const enum gfmul_status status = minus_split(call, r, of, room);
    ctx_buffer_put(call, room);
    return status;
}

/* minus_halves - the ring of the first half, if it has a transform. */
static struct ring minus_halves(struct call *call, size_t n)
{
    return n % 2 == 0 ? ring_exact(call, n / 2, RING_PRODUCTS) : (struct ring){.cost_ps = HUGE_VAL};
}

/* minus - part_minus.   t: scratch of 2 n limbs, or NULL. */
static enum gfmul_status minus(struct call *call, const struct part_arguments *of, mp_limb_t *t)
{
    mp_limb_t *z = of->z;
    const size_t n = of->zn, an = limbs_normal_size(of->a, of->an), bn = limbs_normal_size(of->b, of->bn);
    const struct part_arguments normal = {.z = z, .zn = n, .a = of->a, .b = of->b, .an = an, .bn = bn};
    const struct product p = product_limbs(z, of->a, an, of->b, bn);
    const size_t least = call->ctx->planned_mul_limbs / 2;
    enum gfmul_status status;
    const bool wraps = an + bn > n;
    const struct ring direct = wraps ? ring_exact(call, n, RING_MINUS) : (struct ring){.cost_ps = HUGE_VAL};
    const struct ring half = wraps ? minus_halves(call, n) : direct;
    const bool has_direct = direct.transform && an >= least && bn >= least;
    /* the second half costs about what the first one does; to ask for the halves of halves takes longer than a guess costs */
    const bool at_once = has_direct && direct.cost_ps <= ring_halves_ps(half.cost_ps, half.cost_ps);
    if (at_once)
        status = ring_transform(call, &direct, &p);
    else if (half.transform)
        status = minus_in_halves(call, &half, &normal, t);
    else
        status = minus_whole(call, z, n, of->a, an, of->b, bn);
    if (status == GFMUL_ERR_MEMORY && has_direct && !at_once) { /* halves need room beside their transforms */
        call->why[0] = '\0';
        status = ring_transform(call, &direct, &p);
    }
    if (status == GFMUL_OK && minus_is_zero(z, n)) /* the modulus itself */
        memset(z, 0, n * sizeof *z);
    return status;
}

enum gfmul_status part_minus(struct call *call, mp_limb_t *z, size_t n, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                             size_t bn)
{
    return minus(call, &(struct part_arguments){.z = z, .zn = n, .a = a, .b = b, .an = an, .bn = bn}, NULL);
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

/* halves_ps - picoseconds in these halves, and halves of the second one, and so on; infinite if there are none. */
static double halves_ps(struct call *call, size_t n)
{
    const struct ring half = minus_halves(call, n);
    return half.transform ? ring_halves_ps(half.cost_ps, halves_ps(call, n / 2)) : HUGE_VAL;
}

static enum gfmul_status size_checked(struct call *call, const void *arguments)
{
    const struct size_arguments *of = arguments;
    *of->size = of->n;
    if (of->n >= MUL_LIMBS_END)
        return GFMUL_OK;
    const struct ring direct = ring_choose(call, of->n, of->plus ? RING_PRODUCTS : RING_MINUS);
    *of->size = direct.n;
    if (of->plus || of->n == 0)
        return GFMUL_OK;
    const struct ring_sizes sizes = ring_sizes(of->n, 2 * ring_choose(call, of->n / 2 + of->n % 2, RING_PRODUCTS).n);
    double least = direct.cost_ps * (double)direct.n; /* passes over limbs take the longer, the longer they are */
    for (unsigned i = 0; i < sizes.count; i++) {
        const double cost = halves_ps(call, sizes.n[i]) * (double)sizes.n[i];
        if (cost < least) {
            least = cost;
            *of->size = sizes.n[i];
        }
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
