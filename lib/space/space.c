/*
 * space.c - spaces: their plans, their halves, and their ends.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "space/space.h"

#include <math.h>

#include "above/ring.h"
#include "base/alloc.h"
#include "base/try.h"
#include "mul/call_run.h"
#include "mul/mul.h"
#include "plan/plan_field.h"
#include "space/space_device.h"

/* tables_count - tables that the space keeps from now on. */
static void tables_count(struct call *call, struct gfmul_space *space, size_t bytes)
{
    space->whole->table_bytes += bytes;
    call->reserved += bytes;
}

/* tables_make - the tables of all primes of a plan. */
static enum gfmul_status tables_make(struct call *call, struct gfmul_space *space, const struct plan_shape *s)
{
    const size_t doubles = prime_table_doubles(s), bytes = s->transform.n_primes * doubles * sizeof(double);
    if (!(space->tables = ctx_memory_take(call, bytes, "the tables of a space")))
        return GFMUL_ERR_MEMORY;
    for (unsigned i = 0; i < s->transform.n_primes; i++) {
        prime_tables_build(&space->table[i], s, &prime_table[i], s->transform.turned, (double *)space->tables + i * doubles);
        prime_scale_join(&space->table[i], s, i);
    }
    space->plan[0].plan.shape = *s;
    tables_count(call, space, bytes);
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
        struct plan_lease *const lease = &space->plan[space->n_plans];
        TRY(shape.field == PLAN_PRIME ? tables_make(call, space, &shape) : ctx_plan_get(call, &shape, lease));
        tables_count(call, space, lease_table_bytes(lease));
        space->n_plans++;
        if (!shape.bound.norms_measured)
            return GFMUL_OK;
        space_request(call, space, &request);
        request.precision = plan_field(&shape)->precision;
        plan_request_worst(&request);
        TRY(ctx_plan_size(call, &request, &shape));
    }
}

/* halves_make - give a space modulo 2^(64 modulus) - 1 its halves, if they pay. */
static enum gfmul_status halves_make(struct call *call, struct gfmul_space *space)
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
    if (!ring_allowed(call))
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
                      &(struct gfmul_space){.limbs = times * of->limbs,
                                            .max_products = of->max_products,
                                            .wraps = of->wraps,
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
    call->reserved = space_held(space);
    call->team = call_threads_limit(call, space->limbs);
    while (space->half[1])
        space = space->half[1]; /* the only one whose numbers may have residues */
    return space->n_residues > 0 ? call_moduli(call, space->n_residues, false) : GFMUL_OK;
}
