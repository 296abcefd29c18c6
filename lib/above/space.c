/*
 * space.c - spaces, and their numbers with the transforms that are kept.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "above/space.h"

#include <string.h>

#include "above/ring.h"
#include "above/space_device.h"
#include "base/alloc.h"
#include "base/try.h"
#include "limbs/limb_bits.h"
#include "limbs/limb_range.h"
#include "mul/call_run.h"
#include "mul/convolve.h"
#include "mul/mul.h"
#include "mul/mul_verify.h"
#include "plan/plan_field.h"

/* ---- spaces ---- */

/* tables_make - the tables of all primes of a plan. */
static enum gfmul_status tables_make(struct call *call, struct gfmul_space *space, const struct plan_shape *s)
{
    const size_t doubles = prime_table_doubles(s), bytes = s->transform.n_primes * doubles * sizeof(double);
    TRY(ctx_memory_room(call, bytes));
    if (!(space->tables = alloc_aligned(bytes)))
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for the tables of a space");
    for (unsigned i = 0; i < s->transform.n_primes; i++) {
        prime_tables_build(&space->table[i], s, &prime_table[i], s->transform.turned, (double *)space->tables + i * doubles);
        prime_scale_join(&space->table[i], s, i);
    }
    space->plan[0].plan.shape = *s;
    return GFMUL_OK;
}

/* space_plan - find the plans. */
static enum gfmul_status space_plan(struct call *call, struct gfmul_space *space)
{
    struct plan_request request;
    struct plan_shape shape;
    space->reduces = ring_plan(call, space, space->modulus, space->wraps, &shape);
    space_request(call, space, &request);
    if (!space->reduces)
        TRY(ctx_plan_size(call, &request, &shape));
    for (;;) {
        TRY(shape.field == PLAN_PRIME ? tables_make(call, space, &shape)
                                      : ctx_plan_get(call, &shape, &space->plan[space->n_plans]));
        space->n_plans++;
        if (!shape.bound.norms_measured)
            return GFMUL_OK;
        space_request(call, space, &request);
        request.precision = plan_field(&shape)->precision;
        plan_request_worst(&request);
        TRY(ctx_plan_size(call, &request, &shape));
    }
}

static enum gfmul_status space_fill(struct call *call, struct gfmul_space *space)
{
    const struct gfmul_options *opt = &call->ctx->opt;
    space->least_limbs = call->ctx->planned_kept_limbs;
    if (space->limbs / 2 < space->least_limbs)
        return GFMUL_OK;
    call->product_bits = 64.0 * (double)(space->limbs + 1);
    TRY(space_device_begin(call, space));
    if (space->device)
        space->n_residues = call_primes(call, false);
    if (!space_allowed(call))
        return GFMUL_OK;
    call_threads_limit(call, space->limbs);
    TRY(halves_make(call, space));
    if (space->half[0])
        return GFMUL_OK;
    TRY(space_plan(call, space));
    space->n_residues = opt->verify == GFMUL_VERIFY_MOD && !space->reduces ? call_primes(call, false) : 0;
    return GFMUL_OK;
}

enum gfmul_status space_make(struct call *call, struct gfmul_space **space, const struct gfmul_space *like)
{
    struct gfmul_space *made = alloc_zeroed(sizeof *made);
    if (!made)
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for a space");
    made->ctx = call->ctx;
    made->limbs = like->limbs;
    made->max_products = like->max_products;
    made->wraps = like->wraps;
    made->modulus = like->modulus;
    made->whole = like->whole ? like->whole : made;
    const enum gfmul_status status = space_fill(call, made);
    if (status == GFMUL_OK)
        *space = made;
    else
        gfmul_space_destroy(made);
    return status;
}

struct space_arguments {
    struct gfmul_space **space;
    size_t limbs, max_products;
    int wraps; /* 0: of so many limbs; else modulo a number of them */
};

static enum gfmul_status create_checked(struct call *call, const void *arguments)
{
    const struct space_arguments *of = arguments;
    if (!of->space || of->limbs == 0 || of->max_products == 0 || of->max_products > SPACE_PRODUCTS_MAX)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "a space needs a place, results of a limb or more, and 1 to %d products",
                         (int)SPACE_PRODUCTS_MAX);
    const size_t times = of->wraps != 0 ? 2 : 1; /* a product of remainders */
    if (of->limbs >= MUL_LIMBS_END / times)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu limbs are too many", of->limbs);
    return space_make(call, of->space,
                      &(struct gfmul_space){.limbs = times * of->limbs, .max_products = of->max_products, .wraps = of->wraps,
                                            .modulus = of->wraps != 0 ? of->limbs : 0});
}

static enum gfmul_status create_run(struct gfmul_ctx *ctx, const struct space_arguments *of)
{
    if (of->space)
        *of->space = NULL;
    return call_run(ctx, &(struct call_work)CALL_WORK(create_checked, of, 0));
}

enum gfmul_status gfmul_space_create(struct gfmul_ctx *ctx, struct gfmul_space **space, size_t limbs, size_t max_products)
{
    return create_run(ctx, &(struct space_arguments){space, limbs, max_products, 0});
}

enum gfmul_status gfmul_space_create_bnm1(struct gfmul_ctx *ctx, struct gfmul_space **space, size_t n, size_t max_products)
{
    return create_run(ctx, &(struct space_arguments){space, n, max_products, -1});
}

enum gfmul_status gfmul_space_create_bnp1(struct gfmul_ctx *ctx, struct gfmul_space **space, size_t n, size_t max_products)
{
    return create_run(ctx, &(struct space_arguments){space, n, max_products, 1});
}

void gfmul_space_destroy(struct gfmul_space *space)
{
    if (!space)
        return;
    ctx_runners_settle(space->ctx);
    gfmul_space_trim(space);
    gfmul_space_destroy(space->half[0]);
    gfmul_space_destroy(space->half[1]);
    for (unsigned p = 0; p < SPACE_PLANS; p++)
        ctx_plan_put(space->ctx, &space->plan[p]);
    space_device_end(space);
    alloc_free(space->tables);
    alloc_free(space);
}

size_t gfmul_space_limbs(const struct gfmul_space *space)
{
    if (!space || space->wraps == 0)
        return space ? space->limbs : 0;
    return space->modulus + (space->wraps > 0);
}

size_t gfmul_space_bytes(const struct gfmul_space *space)
{
    return space ? atomic_load(&space->whole->bytes) + atomic_load(&space->device_bytes) : 0;
}

enum gfmul_status space_begin(struct call *call, struct gfmul_space *space)
{
    call->reserved = atomic_load(&space->whole->bytes);
    call->team = call_threads_limit(call, space->limbs);
    while (space->half[1])
        space = space->half[1]; /* the only one whose numbers may have residues */
    return space->n_residues > 0 ? call_moduli(call, space->n_residues, false) : GFMUL_OK;
}

/* space_alloc - memory of the space, counted.   Errors: MEMORY. */
static enum gfmul_status space_alloc(struct call *call, struct gfmul_space *space, size_t bytes, void **p)
{
    TRY(ctx_memory_room(call, bytes));
    if (!(*p = alloc_aligned(bytes)))
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory: %zu bytes", bytes);
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
        call->reserved = atomic_load(&space->whole->bytes);
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
    if ((*whole = t->plan == 0 && x->part[0]))
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

/* residue_add - residues of x + y or, if minus, of x - y. */
static void residue_add(const struct call *call, uint64_t *r, const struct natural *x, const struct natural *y, bool minus)
{
    for (unsigned k = 0; k < x->space->n_residues; k++) {
        const uint64_t p = call->moduli[k].p;
        r[k] = (x->residue[k] + (minus ? p - y->residue[k] : y->residue[k])) % p;
    }
}

/* natural_add - z = x + y or, if minus, x - y >= 0; x->n >= y->n.   z i/o: the sign of x */
static enum gfmul_status natural_add(struct call *call, struct integer *z, struct natural *x, struct natural *y, bool minus)
{
    const struct gfmul_space *space = x->space;
    uint64_t residue[RESIDUE_PRIMES_MAX];
    struct value v = {.negative = z->negative};
    void *room;
    TRY(ctx_buffer_get(call, ((x->n > space->modulus ? x->n : space->modulus) + 1) * sizeof(mp_limb_t), &room));
    v.z = room;
    v.z[x->n] = (minus ? mpn_sub : mpn_add)(v.z, x->limbs, (mp_size_t)x->n, y->limbs, (mp_size_t)y->n);
    v.n = limbs_normal_size(v.z, x->n + 1);
    residue_add(call, residue, x, y, minus);
    const bool reduced = value_reduce(space, &v);
    z->negative = v.negative;
    const enum gfmul_status status = natural_make(call, x->space, &z->x, v.z, v.n, reduced ? NULL : residue);
    ctx_buffer_put(call, room);
    if (!z->x || reduced || space->n_plans < SPACE_PLANS || !atomic_load(&x->transform[0]) || !atomic_load(&y->transform[0]))
        return status;
    z->x->part[0] = natural_get(x);
    z->x->part[1] = natural_get(y);
    z->x->minus = minus;
    return status;
}

enum gfmul_status integer_add(struct call *call, struct integer *z, const struct integer *x, const struct integer *y)
{
    *z = (struct integer){.x = NULL};
    if (!x->x || !y->x) {
        *z = x->x ? *x : *y;
        natural_get(z->x);
        return GFMUL_OK;
    }
    bool made = false;
    if (x->x->words || y->x->words)
        TRY(device_integers_add(call, z, x, y, &made));
    if (made)
        return GFMUL_OK;
    TRY(natural_fetch(call, x->x));
    TRY(natural_fetch(call, y->x));
    const bool less = x->x->n < y->x->n || (x->x->n == y->x->n && mpn_cmp(x->x->limbs, y->x->limbs, (mp_size_t)x->x->n) < 0);
    const struct integer *large = less ? y : x, *small = less ? x : y;
    z->negative = large->negative;
    return natural_add(call, z, large->x, small->x, x->negative != y->negative);
}
