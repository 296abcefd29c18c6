/*
 * space_size.c - which plans a space may have, and rings whose sums cost least.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "above/ring.h"
#include "mul/call_run.h"
#include "mul/mul.h"
#include "plan/plan_prime.h"
#include "space/space.h"

/*
 * A result below 2^(64 limbs) and its sign are determined by their value modulo 2^(64 r) + 1, or modulo 2^(64 r) - 1, r > limbs.
 * The two factors of a product have at most 64 limbs + SPACE_SPARE_BITS bits, so the product of their norms is at most that of
 * two factors with half of these each.  The shorter one has at most as many digits as these.
 */
void space_request(struct call *call, const struct gfmul_space *space, struct plan_request *request)
{
    const size_t half = 32 * space->limbs + 64; /* and the digits for the last carries */
    ctx_plan_request(call, request, 2, half, half, true);
    request->wrap = PLAN_WRAP_NEVER;
    request->cold = false;
    request->ring = space->limbs + 1;
    request->ring_or_more = true;
    request->products = space->max_products;
}

/*
 * If the norms of a ring in double prove nothing, the sum is made whole, because a ring of the same length with shorter digits
 * seldom exists.  Modulo primes all is exact.
 */
bool ring_plan(struct call *call, const struct gfmul_space *space, size_t modulus, int wraps, struct plan_shape *shape)
{
    struct plan_request request;
    struct plan_shape whole;
    space_request(call, space, &request);
    const bool primes =
        request.precision == GFMUL_PRECISION_PRIME || (request.precision == GFMUL_PRECISION_AUTO && request.primes);
    if (wraps < 0 || !ring_in_double(call, modulus)) {
        if (wraps == 0 || !primes)
            return false;
        request.precision = GFMUL_PRECISION_PRIME;
    }
    request.an = request.bn = 64 * modulus;
    request.ring = modulus;
    request.ring_or_more = false;
    request.ring_minus = wraps < 0;
    if (!ring_plan_found(call, &request, shape))
        return false;
    space_request(call, space, &request);
    return shape->field != PLAN_PRIME || !ring_plan_found(call, &request, &whole) || shape->cost_ps < whole.cost_ps;
}

double ring_cost_halves(struct call *call, const struct gfmul_space *space, size_t modulus)
{
    struct plan_shape half;
    const size_t m = modulus / 2;
    const bool there =
        modulus % 2 == 0 && m >= call->ctx->planned_kept_limbs && ring_in_double(call, m) && ring_plan(call, space, m, 1, &half);
    return there ? ring_halves_ps(half.cost_ps, ring_cost_halves(call, space, m)) : HUGE_VAL;
}

/* ring_cost - picoseconds of a product modulo such a number; infinite if sums are made whole. */
static double ring_cost(struct call *call, const struct gfmul_space *space, size_t modulus)
{
    struct plan_shape shape;
    const double direct = ring_plan(call, space, modulus, space->wraps, &shape) ? shape.cost_ps : HUGE_VAL;
    return space->wraps < 0 ? fmin(direct, ring_cost_halves(call, space, modulus)) : direct;
}

/* ring_size - the ring of n or more limbs whose transforms in this precision cost least.  If there is none, n. */
static size_t ring_size(struct call *call, const struct gfmul_space *space, size_t n, enum gfmul_precision precision)
{
    struct plan_request request;
    struct plan_shape shape;
    space_request(call, space, &request);
    if (request.precision != GFMUL_PRECISION_AUTO && request.precision != precision)
        return n;
    request.precision = precision;
    request.an = request.bn = 64 * n;
    request.ring = n;
    if (!ring_plan_found(call, &request, &shape))
        return n;
    if (shape.field != PLAN_PRIME)
        return plan_wrap_ring(&shape);
    /* Digits may be shorter until the ring is exact, but only to a least length; a much longer ring is no use. */
    const size_t ring = ring_shortest(&shape, n);
    return ring <= n + n / 2 ? ring : n;
}

/* size_take - take a size if its cost times its length is the least so far: longer numbers have longer passes over limbs, too. */
static void size_take(struct call *call, const struct gfmul_space *space, size_t n, size_t *size, double *least)
{
    const double cost = ring_cost(call, space, n) * (double)n;
    if (cost < *least) {
        *least = cost;
        *size = n;
    }
}

struct size_arguments {
    size_t n, max_products, *size;
    int wraps;
};

static enum gfmul_status size_checked(struct call *call, const void *arguments)
{
    const struct size_arguments *of = arguments;
    const struct gfmul_space space = {.limbs = 2 * of->n, .max_products = of->max_products, .wraps = of->wraps, .modulus = of->n};
    *of->size = of->n;
    if (of->n < call->ctx->planned_kept_limbs || of->n >= MUL_LIMBS_END / 2 || !ring_allowed(call))
        return GFMUL_OK;
    call_threads_limit(call, space.limbs);
    double least = HUGE_VAL;
    size_take(call, &space, of->n, of->size, &least);
    size_take(call, &space, ring_size(call, &space, of->n, GFMUL_PRECISION_PRIME), of->size, &least);
    if (of->wraps > 0) {
        size_take(call, &space, ring_size(call, &space, of->n, GFMUL_PRECISION_DOUBLE), of->size, &least);
        return GFMUL_OK;
    }
    const struct ring_sizes sizes =
        ring_sizes(of->n, 2 * ring_size(call, &space, of->n / 2 + of->n % 2, GFMUL_PRECISION_DOUBLE)); /* in double in halves */
    for (unsigned i = 0; i < sizes.count; i++)
        size_take(call, &space, sizes.n[i], of->size, &least);
    return GFMUL_OK;
}

static size_t next_size(struct gfmul_ctx *ctx, size_t n, size_t max_products, int wraps)
{
    size_t size = n;
    const struct size_arguments of = {n, max_products, &size, wraps};
    const bool valid = n > 0 && max_products > 0 && max_products <= SPACE_PRODUCTS_MAX;
    return valid && call_run(ctx, &(struct call_work)CALL_WORK(size_checked, &of, 0)) == GFMUL_OK ? size : n;
}

size_t gfmul_space_bnm1_next_size(struct gfmul_ctx *ctx, size_t n, size_t max_products)
{
    return next_size(ctx, n, max_products, -1);
}

size_t gfmul_space_bnp1_next_size(struct gfmul_ctx *ctx, size_t n, size_t max_products)
{
    return next_size(ctx, n, max_products, 1);
}
