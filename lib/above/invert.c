/*
 * invert.c - an approximate inverse by Newton's iteration, with products in rings.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * For a divisor D, D_k are its highest k limbs, beta^k / 2 <= D_k < beta^k, and X_k approximates beta^(2k) / D_k.  Let
 * |X_h - beta^(2h) / D_h| < 2, and h < k < 2 h.  A step computes
 *     e = beta^(k+h) - D_k X_h,   X_k = X_h beta^(k-h) + X_h e / beta^(2h)
 * where e is cut to a multiple of beta^(h-1), and the last quotient to an integer.
 *
 * Bound.  Let X_h D_k / beta^(k+h) = 1 + delta.  Then |delta| < 4.1 beta^-h: X_h's error adds 2 D_h / beta^(2h), and the limbs
 * of D_k below D_h add less than 1 / D_h <= 2 beta^-h.  So |e| < 4.1 beta^k, and a ring of k + 4 limbs gives e with its sign
 * although the product is longer.  Without the cuts X_k would be beta^(2k) / D_k (1 - delta^2), off by at most
 * 2 beta^k 17 beta^(-2h), which is below 34 / beta.  Cutting e costs less than X_h / beta^(h+1) < 3 / beta, and cutting to an
 * integer less than 1.  Together this is below 2.  The first X, of at most INVERT_GMP_LIMBS limbs, is a quotient by GMP, off by
 * less than 1, or an inverse that the caller knows.
 */
#include <string.h>

#include "above/divide.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/mul_wrap.h"

enum { INVERT_GMP_LIMBS = 40, INVERT_STEPS = 64 };

/* first_inverse - make the first X, of h limbs, by GMP.  t: 3 h + 3 limbs. */
static void first_inverse(mp_limb_t *z, const mp_limb_t *d, size_t h, mp_limb_t *t)
{
    mp_limb_t *quotient = t + 2 * h + 1;
    memset(t, 0, 2 * h * sizeof *t);
    t[2 * h] = 1;
    mpn_tdiv_qr(quotient, t, 0, t, (mp_size_t)(2 * h + 1), d, (mp_size_t)h);
    memcpy(z, quotient, (h + 1) * sizeof *z); /* the highest of its h + 2 limbs is 0, because beta^(2h) / D <= 2 beta^h */
}

/* residual - turn D_k X_h into e, modulo beta^n + 1. */
static void residual(mp_limb_t *e, size_t n, size_t k, size_t h)
{
    ring_negate(e, n);
    if (k + h <= n)
        mpn_add_1(e + k + h, e + k + h, (mp_size_t)(n + 1 - k - h), 1);
    else
        mpn_sub_1(e + k + h - n, e + k + h - n, (mp_size_t)(2 * n + 1 - k - h), 1); /* beta^n = -1 */
    mul_wrap_reduce(e, n);
}

/* One step of Newton's iteration, from X_h in z to X_k. */
struct newton_step {
    struct ring ring;
    size_t h, k;
    const mp_limb_t *d; /* D_k */
    mp_limb_t *z;
};

/* step - replace X_h in z by X_k.  x: X_h;  e: 2 ring.n + 2 limbs. */
static enum gfmul_status step(struct call *call, const struct newton_step *s, const struct ring_operand *x, mp_limb_t *e)
{
    const struct ring *r = &s->ring;
    const size_t n = r->n, h = s->h, k = s->k;
    mp_limb_t *z = s->z;
    mp_limb_t *c = e + n + 1;
    TRY(ring_mul(call, r, e, s->d, k, x));
    residual(e, n, k, h);
    const bool negative = ring_is_negative(e, n);
    if (negative)
        ring_negate(e, n);
    if (limbs_normal_size(e, n + 1) > k + 1 || e[k] > 4)
        return call_fail(call, GFMUL_ERR_VERIFY, "a step of an inverse is too far from its value");
    TRY(ring_mul(call, r, c, e + h - 1, k - h + 2, x));
    memmove(z + k - h, z, (h + 1) * sizeof *z);
    memset(z, 0, (k - h) * sizeof *z);
    if (negative)
        mpn_sub(z, z, (mp_size_t)k + 1, c + h + 1, (mp_size_t)(k - h + 2));
    else
        mpn_add(z, z, (mp_size_t)k + 1, c + h + 1, (mp_size_t)(k - h + 2));
    return GFMUL_OK;
}

/* step_by_ring - choose the ring and get the memory, then do a step. */
static enum gfmul_status step_by_ring(struct call *call, mp_limb_t *z, size_t h, const mp_limb_t *d, size_t k)
{
    const struct newton_step s = {.ring = ring_choose(call, k + 4, RING_KEPT), .h = h, .k = k, .d = d, .z = z};
    struct ring_operand x = {.p = z, .n = h + 1};
    void *room;
    TRY(ctx_buffer_get(call, 2 * (s.ring.n + 1) * sizeof *z, &room));
    enum gfmul_status status = ring_keep(call, &s.ring, &x);
    if (status == GFMUL_OK)
        status = step(call, &s, &x, room);
    ring_forget(call->ctx, call, &x);
    ctx_buffer_put(call, room);
    return status;
}

/* is_known - whether a known inverse is one of the highest limbs of D, which has k limbs. */
static bool is_known(const struct inverse *known, const mp_limb_t *D, size_t k)
{
    return known && known->k > 0 && known->k <= k && mpn_cmp(known->d, D + k - known->k, (mp_size_t)known->k) == 0;
}

enum gfmul_status invert(struct call *call, mp_limb_t *z, const mp_limb_t *D, size_t k, const struct inverse *known)
{
    size_t sizes[INVERT_STEPS], n = 0, h = k;
    const size_t h_known = is_known(known, D, k) ? known->k : 0;
    for (; h > INVERT_GMP_LIMBS && h > h_known; h = h / 2 + 1)
        sizes[n++] = h;
    if (h <= h_known) { /* the next size is below 2 h_known, since its half and 1 more are not above it */
        h = h_known;
        memcpy(z, known->x, (h + 1) * sizeof *z);
    } else {
        void *room;
        TRY(ctx_buffer_get(call, (3 * h + 3) * sizeof *z, &room));
        first_inverse(z, D + k - h, h, room);
        ctx_buffer_put(call, room);
    }
    while (n > 0) {
        const size_t next = sizes[--n];
        TRY(step_by_ring(call, z, h, D + k - next, next));
        h = next;
    }
    return GFMUL_OK;
}
