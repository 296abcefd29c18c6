/*
 * space_evaluate.c - the values of sums: in a space itself, or in the two halves of a space modulo 2^(64 n) - 1.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * beta^(2m) - 1 = (beta^m - 1) (beta^m + 1), as in part_modulo.c: a space with halves has an image of each factor in both, makes
 * the long products of a sum there, and joins the two values.  The first half has transforms of its modulus, and the second one
 * is split again.  Products with a short factor are made in the space itself.
 */
#include <string.h>

#include "above/parts.h"
#include "base/alloc.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/mul.h"
#include "space/space_sum.h"

/*
 * halves_sums - the long products of n sums in a space with halves; they are the entries of a matrix, row by row.
 *
 *   take  in   called with the number of a sum and the value of its long products; its error ends the call
 */
typedef enum gfmul_status sum_value(void *arg, size_t k, struct value *v);
static enum gfmul_status halves_sums(struct call *call, struct gfmul_space *space, const struct sum *const *s, size_t n,
                                     size_t columns, sum_value *take, void *arg);

/* ---- sums ---- */

/* value_copy - the value of the only sum. */
static enum gfmul_status value_copy(void *arg, size_t k, struct value *v)
{
    struct value *to = arg;
    (void)k;
    memcpy(to->z, v->z, v->n * sizeof *v->z);
    to->n = v->n;
    to->negative = v->negative;
    return GFMUL_OK;
}

/* evaluate - sum_evaluate of a sum with terms. */
static enum gfmul_status evaluate(struct call *call, struct gfmul_space *space, struct integer *z, const struct sum *s,
                                  struct value *v)
{
    TRY(space->half[0] ? halves_sums(call, space, &s, 1, 1, value_copy, v) : sum_long_products(call, space, s, v));
    return sum_value_finish(call, space, z, s, v);
}

enum gfmul_status sum_evaluate(struct call *call, struct gfmul_space *space, struct integer *z, const struct sum *s)
{
    *z = s->integer;
    if (s->n == 0) {
        natural_get(z->x);
        return GFMUL_OK;
    }
    void *room;
    bool there = false;
    z->x = NULL;
    TRY(sum_on_device(call, space, z, s, &there));
    if (there)
        return GFMUL_OK;
    TRY(ctx_buffer_get(call, sum_room_limbs(space) * sizeof(mp_limb_t), &room));
    const enum phase phase = phase_enter(&call->clock, PHASE_TRANSFORM);
    const enum gfmul_status status = evaluate(call, space, z, s, &(struct value){.z = room});
    phase_enter(&call->clock, phase);
    ctx_buffer_put(call, room);
    return status;
}

/* Sums of a space with halves. */
struct sums_apart {
    struct call *call;
    struct gfmul_space *space;
    struct sum *const *s;
};

/* apart_take - sum k becomes its value, of whose long products v is the value. */
static enum gfmul_status apart_take(void *arg, size_t k, struct value *v)
{
    const struct sums_apart *of = arg;
    struct integer made;
    TRY(sum_value_finish(of->call, of->space, &made, of->s[k], v));
    sum_clear(of->s[k]);
    of->s[k]->integer = made;
    return GFMUL_OK;
}

bool sums_together(const struct gfmul_space *space, size_t n)
{
    return space->half[0] || (space->n_plans > 0 && n >= 2);
}

/* sums_try - sums_evaluate of all sums at once, which may have too little memory. */
static enum gfmul_status sums_try(struct call *call, struct gfmul_space *space, struct sum *const *s, size_t n, size_t columns)
{
    if (space->half[0])
        return halves_sums(call, space, (const struct sum *const *)s, n, columns, apart_take,
                           &(struct sums_apart){call, space, s});
    return sums_together(space, n) ? sums_block(call, space, s, n, columns) : GFMUL_OK;
}

enum gfmul_status sums_evaluate(struct call *call, struct gfmul_space *space, struct sum *const *s, size_t n, size_t columns)
{
    const enum gfmul_status status = sums_try(call, space, s, n, columns);
    const size_t rows = n / columns;
    if (status != GFMUL_ERR_MEMORY)
        return status;
    call->why[0] = '\0'; /* it is not final */
    if (n == 1)
        return GFMUL_OK; /* it stays */
    const size_t first = rows > 1 ? rows / 2 * columns : n / 2;
    TRY(sums_evaluate(call, space, s, first, rows > 1 ? columns : first));
    return sums_evaluate(call, space, s + first, n - first, rows > 1 ? columns : n - first);
}

/* ---- halves ---- */

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
        const struct term *const t = &s->term[i];
        struct integer a, b;
        if (!term_is_long(space, t))
            continue;
        TRY(factor_of(call, t->a, k, &a));
        TRY(factor_of(call, t->b, k, &b));
        a.negative = a.negative != (t->minus != t->b_minus);
        b.negative = b.negative != t->b_minus;
        TRY(sum_term(call, space->half[k], part, &a, &b, false, t->k));
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
static enum gfmul_status half_make(struct call *call, struct gfmul_space *half, struct sum *const *part, size_t n, size_t columns,
                                   double from, double span)
{
    const struct share before = share_begin(call);
    enum gfmul_status status = GFMUL_OK;
    if (n > 1) {
        share_set(call, &before, from, from + together * span);
        status = sums_evaluate(call, half, part, n, columns);
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
    TRY(ctx_buffer_get(call, (space->limbs + 3) * sizeof(mp_limb_t), &room)); /* 3: as any value (space_sum.c) */
    mp_limb_t *const z = room;
    enum gfmul_status status = GFMUL_OK;
    for (size_t k = 0; k < n && status == GFMUL_OK; k++) {
        least_limbs(space->half[0], z, &part[k]->integer);
        const mp_limb_t top = z[m];
        least_limbs(space->half[1], z + m, &part[n + k]->integer);
        minus_join(z, m, top, false);
        status = take(arg, k, &(struct value){.z = z, .n = limbs_normal_size(z, 2 * m)});
    }
    ctx_buffer_put(call, room);
    return status;
}

/* The share of the work that is done when both halves have their sums. */
static const double share_halves = 0.95;

/* sums_split - the sums of both halves: 2 n, those of the first half first. */
static enum gfmul_status sums_split(struct call *call, struct gfmul_space *space, const struct sum *const *s, size_t n,
                                    struct sum *const *part)
{
    for (unsigned k = 0; k < 2; k++)
        for (size_t i = 0; i < n; i++)
            TRY(half_sum(call, space, s[i], k, part[k * n + i]));
    return GFMUL_OK;
}

/* sums_make - the values of n sums from those of both halves. */
static enum gfmul_status sums_make(struct call *call, struct gfmul_space *space, struct sum *const *part, size_t n,
                                   size_t columns, sum_value *take, void *arg)
{
    for (unsigned k = 0; k < 2; k++)
        TRY(half_make(call, space->half[k], part + k * n, n, columns, k * share_halves / 2, share_halves / 2));
    const struct share before = share_begin(call);
    share_set(call, &before, share_halves, 1);
    const enum gfmul_status status = sums_join(call, space, part, n, take, arg);
    share_end(call, &before);
    return status;
}

static enum gfmul_status halves_sums(struct call *call, struct gfmul_space *space, const struct sum *const *s, size_t n,
                                     size_t columns, sum_value *take, void *arg)
{
    struct sum *const sums = alloc_zeroed(2 * n * (sizeof *sums + sizeof(struct sum *)));
    if (!sums)
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for %zu sums", n);
    struct sum **const part = (struct sum **)(sums + 2 * n);
    for (size_t i = 0; i < 2 * n; i++)
        part[i] = &sums[i];
    enum gfmul_status status = sums_split(call, space, s, n, part);
    if (status == GFMUL_OK)
        status = sums_make(call, space, part, n, columns, take, arg);
    for (size_t i = 0; i < 2 * n; i++)
        sum_clear(part[i]);
    alloc_free(sums);
    return status;
}
