/*
 * space_number.c - the numbers of a space: their memory, the transforms that are kept with them, and their remainders.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "space/space.h"

#include <string.h>

#include "above/parts.h"
#include "above/ring.h"
#include "base/alloc.h"
#include "base/try.h"
#include "limbs/limb_bits.h"
#include "limbs/limb_range.h"
#include "mul/convolve.h"
#include "mul/mul.h"
#include "mul/mul_verify.h"
#include "space/space_device.h"

/* ---- memory ---- */

/* space_alloc - memory of the space, counted.   Errors: MEMORY. */
static enum gfmul_status space_alloc(struct call *call, struct gfmul_space *space, size_t bytes, void **p)
{
    if (!(*p = ctx_memory_take(call, bytes, NULL)))
        return GFMUL_ERR_MEMORY;
    atomic_fetch_add(&space->whole->bytes, bytes);
    call->reserved += bytes;
    return GFMUL_OK;
}

static void space_free(struct gfmul_space *space, void *p, size_t bytes)
{
    if (p)
        atomic_fetch_sub(&space->whole->bytes, bytes);
    alloc_free(p);
}

/* ---- blocks that are used again ---- */

size_t space_doubles(const struct gfmul_space *space, unsigned plan)
{
    const struct plan_shape *s = &space->plan[plan].plan.shape;
    return space->tables ? s->transform.n_primes * prime_buffer_doubles(s) : plan_buffer_doubles(s);
}

struct idle_block {
    struct idle_block *next;
};

static size_t block_bytes(const struct gfmul_space *space, unsigned pool)
{
    if (pool < SPACE_PLANS)
        return space_doubles(space, pool) * sizeof(double);
    return (pool == SPACE_POOL_HALF ? space->limbs / 2 + 1 : space->limbs) * sizeof(mp_limb_t);
}

/* block_take - an idle block, or NULL. */
static void *block_take(struct gfmul_space *space, unsigned pool)
{
    pthread_mutex_lock(&space->ctx->lock);
    struct idle_block *block = space->idle[pool];
    if (block)
        space->idle[pool] = block->next;
    pthread_mutex_unlock(&space->ctx->lock);
    return block;
}

/* block_get - a block of a pool.   Errors: MEMORY. */
static enum gfmul_status block_get(struct call *call, struct gfmul_space *space, unsigned pool, void **p)
{
    const size_t bytes = block_bytes(space, pool);
    if ((*p = block_take(space, pool)) != NULL)
        return GFMUL_OK;
    enum gfmul_status status = space_alloc(call, space, bytes, p);
    if (status == GFMUL_ERR_MEMORY) {
        gfmul_space_trim(space->whole);
        call->reserved = space_held(space);
        status = space_alloc(call, space, bytes, p);
    }
    TRY(status);
    call_touch(call, *p, bytes);
    return GFMUL_OK;
}

static void block_put(struct gfmul_space *space, unsigned pool, void *p)
{
    struct idle_block *block = p;
    pthread_mutex_lock(&space->ctx->lock);
    block->next = space->idle[pool];
    space->idle[pool] = block;
    pthread_mutex_unlock(&space->ctx->lock);
}

void gfmul_space_trim(struct gfmul_space *space)
{
    if (!space)
        return;
    gfmul_space_trim(space->half[0]);
    gfmul_space_trim(space->half[1]);
    for (unsigned pool = 0; pool < SPACE_POOLS; pool++)
        for (void *p; (p = block_take(space, pool)) != NULL;)
            space_free(space, p, block_bytes(space, pool));
}

/* ---- transforms ---- */

enum gfmul_status transform_alloc(struct call *call, struct gfmul_space *space, unsigned plan, struct transform **t)
{
    if (!(*t = alloc_zeroed(sizeof **t)))
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for a transform");
    void *points;
    const enum gfmul_status status = block_get(call, space, plan, &points);
    if (status != GFMUL_OK) {
        alloc_free(*t);
        *t = NULL;
        return status;
    }
    (*t)->plan = plan;
    (*t)->points = points;
    return GFMUL_OK;
}

void transform_free(struct gfmul_space *space, struct transform *t)
{
    if (!t)
        return;
    block_put(space, t->plan, t->points);
    alloc_free(t);
}

/* transform_digits - how many balanced digits x has under a plan, with one more for the last carry. */
static size_t transform_digits(const struct natural *x, const struct plan_shape *s)
{
    return limbs_bit_length(x->limbs, x->n) / s->digits.exponent + 1;
}

size_t transform_points(const struct natural *x, unsigned plan)
{
    const struct plan_shape *s = &x->space->plan[plan].plan.shape;
    const size_t digits = transform_digits(x, s);
    return digits < s->transform.n_points ? digits : s->transform.n_points;
}

/* transform_cut - cut x into digits and run the column passes. */
static void transform_cut(struct call *call, const struct natural *x, const struct plan *plan, double *scratch,
                          struct transform *t)
{
    struct digit_source source;
    struct digit_norms norms = {0, 0};
    limbs_source(&source, plan, x->limbs, x->n);
    const struct digit_cell cell = {&source, 0, transform_digits(x, &plan->shape), DIGIT_PART_A};
    plan->ops->source_to_columns(plan, t->points, scratch, &cell, &norms, call->threads);
    t->factor = plan_factor_digits(&plan->shape, &norms);
}

/* transform_of_parts - add or subtract the transforms of x's parts. */
static void transform_of_parts(struct call *call, const struct natural *x, const struct plan *plan, struct transform *t)
{
    const struct transform *a = atomic_load(&x->part[0]->transform[0]), *b = atomic_load(&x->part[1]->transform[0]);
    const double energy = plan->ops->spectra_add(plan, t->points, a->points, b->points, x->minus, call->threads);
    t->factor = plan_factor_add(&plan->shape, &a->factor, &b->factor, energy);
}

void transform_fill(struct call *call, const struct natural *x, double *scratch, struct transform *t, bool *whole)
{
    struct plan p = x->space->plan[t->plan].plan;
    p.monitor = call->monitor;
    *whole = t->summed = t->plan == 0 && x->part[0];
    if (t->summed)
        transform_of_parts(call, x, &p, t);
    else
        transform_cut(call, x, &p, scratch, t);
}

enum gfmul_status transform_begin(struct call *call, struct natural *x, unsigned plan, double *scratch, struct transform **t,
                                  bool *whole)
{
    TRY(transform_alloc(call, x->space, plan, t));
    transform_fill(call, x, scratch, *t, whole);
    return GFMUL_OK;
}

struct transform *transform_keep(struct natural *x, unsigned plan, struct transform *t)
{
    struct transform *none = NULL;
    if (atomic_compare_exchange_strong(&x->transform[plan], &none, t))
        return t;
    transform_free(x->space, t);
    return none;
}

/* ---- numbers ---- */

/* Numbers of less than this part of a result's limbs have memory of just their own size. */
enum { NATURAL_SMALL_PART = 4 };

/* limbs_get - memory for the limbs of x, which x->n counts.   Errors: MEMORY. */
static enum gfmul_status limbs_get(struct call *call, struct natural *x)
{
    struct gfmul_space *space = x->space;
    void *limbs;
    x->pool = x->n < space->limbs / NATURAL_SMALL_PART ? SPACE_POOLS
              : x->n <= space->limbs / 2 + 1           ? SPACE_POOL_HALF
                                                       : SPACE_POOL_RESULT;
    TRY(x->pool == SPACE_POOLS ? space_alloc(call, space, x->n * sizeof *x->limbs, &limbs)
                               : block_get(call, space, x->pool, &limbs));
    x->limbs = limbs;
    return GFMUL_OK;
}

static void limbs_put(struct natural *x)
{
    if (!x->limbs)
        return;
    if (x->pool == SPACE_POOLS)
        space_free(x->space, x->limbs, x->n * sizeof *x->limbs);
    else
        block_put(x->space, x->pool, x->limbs);
}

struct natural *natural_get(struct natural *x)
{
    if (x)
        atomic_fetch_add(&x->refs, 1);
    return x;
}

void image_free(struct image *image)
{
    for (unsigned k = 0; image && k < 2; k++)
        natural_put(image->half[k].x);
    alloc_free(image);
}

void natural_put(struct natural *x)
{
    if (!x || atomic_fetch_sub(&x->refs, 1) > 1)
        return;
    for (unsigned p = 0; p < SPACE_PLANS; p++)
        transform_free(x->space, atomic_load(&x->transform[p]));
    natural_put(x->part[0]);
    natural_put(x->part[1]);
    image_free(atomic_load(&x->image));
    device_leave(x);
    limbs_put(x);
    alloc_free(x);
}

/* natural_new - a number of n limbs, the highest one `top`, without limbs yet.   Errors: MEMORY; SIZE. */
static enum gfmul_status natural_new(struct call *call, struct gfmul_space *space, struct natural **x, size_t n, mp_limb_t top)
{
    *x = NULL;
    if (n > space->limbs)
        return call_fail(call, GFMUL_ERR_SIZE, "the value has %zu limbs, but the space is for %zu", n, space->limbs);
    struct natural *made = alloc_zeroed(sizeof *made);
    if (!made)
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for a number");
    made->space = space;
    made->n = n;
    made->top = top;
    atomic_init(&made->refs, 1);
    *x = made;
    return GFMUL_OK;
}

enum gfmul_status natural_make(struct call *call, struct gfmul_space *space, struct natural **x, const mp_limb_t *a, size_t n,
                               const uint64_t *residue)
{
    struct natural *made;
    *x = NULL;
    n = limbs_normal_size(a, n);
    if (n == 0)
        return GFMUL_OK;
    TRY(natural_new(call, space, &made, n, a[n - 1]));
    const enum gfmul_status status = limbs_get(call, made);
    if (status != GFMUL_OK) {
        alloc_free(made);
        return status;
    }
    memcpy(made->limbs, a, n * sizeof *a);
    if (space->n_residues > 0 && residue)
        memcpy(made->residue, residue, space->n_residues * sizeof *residue);
    else if (space->n_residues > 0)
        mul_residues(call, made->residue, a, n, n >= MUL_MEMORY_LIMBS);
    *x = made;
    return GFMUL_OK;
}

enum gfmul_status natural_of_words(struct call *call, struct gfmul_space *space, struct natural **x, void *words, size_t n,
                                   mp_limb_t top, const uint64_t *residue)
{
    TRY(natural_new(call, space, x, n, top));
    (*x)->words = words;
    memcpy((*x)->residue, residue, space->n_residues * sizeof *residue);
    return GFMUL_OK;
}

enum gfmul_status natural_fetch(struct call *call, struct natural *x)
{
    if (!x || !x->words)
        return GFMUL_OK;
    struct natural fresh = {.space = x->space, .n = x->n};
    pthread_mutex_lock(&call->ctx->lock);
    const bool there = x->limbs != NULL;
    pthread_mutex_unlock(&call->ctx->lock);
    if (there)
        return GFMUL_OK;
    TRY(limbs_get(call, &fresh));
    const enum gfmul_status status = device_download(call, x, fresh.limbs);
    pthread_mutex_lock(&call->ctx->lock);
    if (status == GFMUL_OK && !x->limbs) {
        x->pool = fresh.pool;
        x->limbs = fresh.limbs;
        fresh.limbs = NULL;
    }
    pthread_mutex_unlock(&call->ctx->lock);
    limbs_put(&fresh); /* another thread was faster, or it failed */
    return status;
}

size_t natural_bits(const struct natural *x)
{
    return 64 * (x->n - 1) + limbs_bit_length(&x->top, 1);
}

/* ---- modulo the number of a space ---- */

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

void least_limbs(const struct gfmul_space *space, mp_limb_t *z, const struct integer *x)
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
