/*
 * space_ring.c - spaces modulo 2^(64 n) + 1 and 2^(64 n) - 1: their numbers, and their halves.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * beta^(2m) - 1 = (beta^m - 1) (beta^m + 1), as in part_modulo.c: a space with halves has an image of each factor in both, makes
 * the long products of a sum there, and joins the two values.  The first half has transforms of its modulus, and the second one
 * is split again.  Products with a short factor are made in the space itself.
 */
#include <math.h>
#include <string.h>

#include "above/parts.h"
#include "above/ring.h"
#include "above/space_sum.h"
#include "base/alloc.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/mul.h"

/* ---- numbers ---- */

/* is_reduced - whether a number of n limbs, the highest one not 0, may stay as it is. */
static bool is_reduced(const struct gfmul_space *space, const mp_limb_t *a, size_t n)
{
    if (space->wraps == 0 || n < space->modulus)
        return true;
    return n == space->modulus && (space->wraps > 0 ? a[n - 1] >> 63 == 0 : !minus_is_zero(a, n));
}

/* value_fold - v = a number of an limbs, reduced, which v->negative negates.   Aliasing: v->z may be a. */
static void value_fold(const struct gfmul_space *space, struct value *v, const mp_limb_t *a, size_t an)
{
    const size_t n = space->modulus;
    if (space->wraps > 0) {
        ring_fold(v->z, n, a, an);
        if (ring_is_negative(v->z, n)) {
            ring_negate(v->z, n);
            v->negative = !v->negative;
        }
        v->n = limbs_normal_size(v->z, n + 1);
    } else {
        minus_fold(v->z, n, a, an);
        v->n = minus_is_zero(v->z, n) ? 0 : limbs_normal_size(v->z, n);
    }
}

bool value_reduce(const struct gfmul_space *space, struct value *v)
{
    if (is_reduced(space, v->z, v->n))
        return false;
    value_fold(space, v, v->z, v->n);
    return true;
}

enum gfmul_status integer_from_limbs(struct call *call, struct gfmul_space *space, struct integer *z, const mp_limb_t *a,
                                     size_t n, bool negative)
{
    n = limbs_normal_size(a, n);
    z->negative = negative;
    if (is_reduced(space, a, n))
        return natural_make(call, space, &z->x, a, n, NULL);
    struct value v = {.negative = negative};
    void *room;
    TRY(ctx_buffer_get(call, (space->modulus + 1) * sizeof *a, &room));
    v.z = room;
    value_fold(space, &v, a, n);
    z->negative = v.negative;
    const enum gfmul_status status = natural_make(call, space, &z->x, v.z, v.n, NULL);
    ctx_buffer_put(call, room);
    return status;
}

/* least_limbs - the least remainder of x that is not negative: modulus limbs, and one more modulo 2^(64 modulus) + 1. */
static void least_limbs(const struct gfmul_space *space, mp_limb_t *z, const struct integer *x)
{
    const size_t n = space->modulus, size = n + (space->wraps > 0), xn = x->x ? x->x->n : 0;
    if (xn > 0)
        memcpy(z, x->x->limbs, xn * sizeof *z);
    memset(z + xn, 0, (size - xn) * sizeof *z);
    if (xn > 0 && x->negative) {
        if (space->wraps > 0)
            ring_negate(z, n);
        else
            mpn_com(z, z, (mp_size_t)n);
    }
}

enum gfmul_status integer_least(struct call *call, struct gfmul_space *space, struct integer *z)
{
    struct integer least = {.x = NULL};
    void *room;
    if (space->wraps == 0 || !z->x || !z->negative)
        return GFMUL_OK;
    TRY(ctx_buffer_get(call, (space->modulus + 1) * sizeof(mp_limb_t), &room));
    least_limbs(space, room, z);
    const enum gfmul_status status = natural_make(call, space, &least.x, room, space->modulus + (space->wraps > 0), NULL);
    ctx_buffer_put(call, room);
    if (status != GFMUL_OK)
        return status;
    natural_put(z->x);
    *z = least;
    return GFMUL_OK;
}

/* ---- halves ---- */

enum gfmul_status halves_make(struct call *call, struct gfmul_space *space)
{
    const size_t m = space->modulus / 2;
    struct plan_shape direct;
    if (space->wraps >= 0)
        return GFMUL_OK;
    const double halves = ring_cost_halves(call, space, space->modulus);
    if (halves == HUGE_VAL || (ring_plan(call, space, space->modulus, -1, &direct) && direct.cost_ps <= halves))
        return GFMUL_OK;
    struct gfmul_space like = {.limbs = 2 * m, .max_products = space->max_products, .modulus = m, .whole = space->whole};
    for (unsigned k = 0; k < 2; k++) {
        like.wraps = k == 0 ? 1 : -1;
        TRY(space_make(call, &space->half[k], &like));
    }
    return GFMUL_OK;
}

void image_free(struct image *image)
{
    for (unsigned k = 0; image && k < 2; k++)
        natural_put(image->half[k].x);
    alloc_free(image);
}

/* image_of - x in both halves, kept with it.   Errors: MEMORY. */
static enum gfmul_status image_of(struct call *call, struct natural *x, const struct image **image)
{
    struct image *there = atomic_load(&x->image), *made;
    if (there) {
        *image = there;
        return GFMUL_OK;
    }
    if (!(made = alloc_zeroed(sizeof *made)))
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for a number");
    enum gfmul_status status = GFMUL_OK;
    for (unsigned k = 0; k < 2 && status == GFMUL_OK; k++)
        status = integer_from_limbs(call, x->space->half[k], &made->half[k], x->limbs, x->n, false);
    if (status != GFMUL_OK || !atomic_compare_exchange_strong(&x->image, &there, made)) {
        image_free(made);
        made = there; /* NULL, or another thread's */
    }
    *image = made;
    return status;
}

/* factor_of - factor x in half k: its transform is kept if that of x would be. */
static enum gfmul_status factor_of(struct call *call, struct natural *x, unsigned k, struct integer *of)
{
    const struct image *image = NULL;
    TRY(image_of(call, x, &image));
    *of = image->half[k];
    if (of->x)
        atomic_store(&of->x->holders, atomic_load(&x->holders));
    return GFMUL_OK;
}

/* half_sum - the long products of s in half k. */
static enum gfmul_status half_sum(struct call *call, struct gfmul_space *space, const struct sum *s, unsigned k, struct sum *part)
{
    for (size_t i = 0; i < s->n; i++) {
        struct integer a, b;
        if (!term_is_long(space, &s->term[i]))
            continue;
        TRY(factor_of(call, s->term[i].a, k, &a));
        TRY(factor_of(call, s->term[i].b, k, &b));
        TRY(sum_term(call, space->half[k], part, &a, &b, s->term[i].minus));
    }
    return GFMUL_OK;
}

/* A part of the call's work, while it is the whole for those who report progress. */
struct share {
    double from, span; /* of the call, before */
};

static struct share share_begin(const struct call *call)
{
    return (struct share){call->share_from, call->share_span};
}

/* share_set - from .. to of what was the whole before.   share_end - as before. */
static void share_set(struct call *call, const struct share *before, double from, double to)
{
    const double span = before->span > 0 ? before->span : 1.0;
    call->share_from = (before->span > 0 ? before->from : 0.0) + span * from;
    call->share_span = span * (to - from);
}

static void share_end(struct call *call, const struct share *before)
{
    call->share_from = before->from;
    call->share_span = before->span;
}

/* The share of a half's work in which its sums are made side by side; the rest is for those that this does not prove. */
static const double together = 0.9;

/* half_make - sums become integers in their half, whose work is from .. from + span of the whole. */
static enum gfmul_status half_make(struct call *call, struct gfmul_space *half, struct sum *const *part, size_t n, double from,
                                   double span)
{
    const struct share before = share_begin(call);
    enum gfmul_status status = GFMUL_OK;
    if (n > 1) {
        share_set(call, &before, from, from + together * span);
        status = sums_evaluate(call, half, part, n);
        status = status == GFMUL_ERR_MEMORY ? GFMUL_OK : status; /* one by one */
        from += together * span;
        span -= together * span;
    }
    for (size_t k = 0; k < n && status == GFMUL_OK; k++) {
        struct integer made;
        share_set(call, &before, from + span * (double)k / (double)n, from + span * (double)(k + 1) / (double)n);
        status = sum_evaluate(call, half, &made, part[k]);
        if (status == GFMUL_OK) {
            sum_clear(part[k]);
            part[k]->integer = made;
        }
    }
    share_end(call, &before);
    return status;
}

/* sums_join - the values of n sums from those in the halves, part[0] .. part[n - 1] and so on. */
static enum gfmul_status sums_join(struct call *call, const struct gfmul_space *space, struct sum *const *part, size_t n,
                                   sum_value *take, void *arg)
{
    const size_t m = space->modulus / 2;
    void *room;
    TRY(ctx_buffer_get(call, (space->limbs + 3 + 3 * m + 1) * sizeof(mp_limb_t), &room)); /* 3: as any value (space_sum.c) */
    mp_limb_t *const z = room, *const v = z + space->limbs + 3, *const u = v + m + 1, *const x = u + m;
    enum gfmul_status status = GFMUL_OK;
    for (size_t k = 0; k < n && status == GFMUL_OK; k++) {
        least_limbs(space->half[0], v, &part[k]->integer);
        least_limbs(space->half[1], u, &part[n + k]->integer);
        minus_join(z, m, u, v, x);
        status = take(arg, k, &(struct value){.z = z, .n = limbs_normal_size(z, 2 * m)});
    }
    ctx_buffer_put(call, room);
    return status;
}

/* The share of the work that is done when both halves have their sums. */
static const double share_halves = 0.95;

/* sums_make - halves_sums with its lists: 2 n sums, those of the first half first. */
static enum gfmul_status sums_make(struct call *call, struct gfmul_space *space, const struct sum *const *s, size_t n,
                                   struct sum *const *part, sum_value *take, void *arg)
{
    for (unsigned k = 0; k < 2; k++)
        for (size_t i = 0; i < n; i++)
            TRY(half_sum(call, space, s[i], k, part[k * n + i]));
    for (unsigned k = 0; k < 2; k++)
        TRY(half_make(call, space->half[k], part + k * n, n, k * share_halves / 2, share_halves / 2));
    const struct share before = share_begin(call);
    share_set(call, &before, share_halves, 1);
    const enum gfmul_status status = sums_join(call, space, part, n, take, arg);
    share_end(call, &before);
    return status;
}

enum gfmul_status halves_sums(struct call *call, struct gfmul_space *space, const struct sum *const *s, size_t n,
                              sum_value *take, void *arg)
{
    struct sum *const sums = alloc_zeroed(2 * n * (sizeof *sums + sizeof(struct sum *)));
    if (!sums)
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for %zu sums", n);
    struct sum **const part = (struct sum **)(sums + 2 * n);
    for (size_t i = 0; i < 2 * n; i++)
        part[i] = &sums[i];
    const enum gfmul_status status = sums_make(call, space, s, n, part, take, arg);
    for (size_t i = 0; i < 2 * n; i++)
        sum_clear(part[i]);
    alloc_free(sums);
    return status;
}
