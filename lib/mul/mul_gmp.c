/*
 * mul_gmp.c - engine gmp: the shortest products, or all of them if the caller chooses it.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "limbs/mul_small.h"
#include "mul/engine.h"
#include "mul/mul.h"

/*
 * If the longer operand has 8 crossovers or more, GMP's Toom gains little on the shorter one.  Convolutions of cells then win
 * from a quarter of a crossover on (AVX-512 and AVX2, 0.35 to 0.65 of GMP's time at 3/8 of a crossover; SSE2 half).
 */
enum { LONG_CROSSOVERS = 8, SHORT_EIGHTHS = 3 };

bool mul_is_unplanned(const struct gfmul_ctx *ctx, size_t an, size_t bn, bool square)
{
    const size_t crossover = square ? ctx->planned_sqr_limbs : ctx->planned_mul_limbs;
    const size_t short_n = an < bn ? an : bn, long_n = an < bn ? bn : an;
    if (ctx->vector_mul_limbs < SIZE_MAX)
        return short_wins(long_n, short_n, crossover);
    return short_n < crossover && (long_n / LONG_CROSSOVERS < crossover || short_n < crossover / 8 * SHORT_EIGHTHS);
}

enum unreported mul_unplanned(const struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                              size_t bn)
{
    const bool square = is_square(a, an, b, bn);
    if (!mul_is_by_vectors(ctx, an < bn ? an : bn, square)) {
        product_gmp(z, a, an, b, bn);
        return UNREPORTED_GMP;
    }
    if (square)
        ctx->short_ops->sqr(z, a, an);
    else if (an >= bn)
        ctx->short_ops->mul(z, a, an, b, bn);
    else
        ctx->short_ops->mul(z, b, bn, a, an);
    return UNREPORTED_SHORT;
}

static enum gfmul_status gmp_takes(struct attempt *t, bool *yes)
{
    const struct product *p = t->p;
    *yes = p->z.base == 2 && !p->z.words && !p->b.spectrum && mul_is_unplanned(t->call->ctx, p->a.n, p->b.n, p->square);
    return GFMUL_OK;
}

static enum gfmul_status gmp_plan(struct attempt *t)
{
    ctx_gmp_info(&t->info);
    return GFMUL_OK;
}

static enum gfmul_status gmp_run(struct attempt *t)
{
    const struct product *p = t->p;
    product_gmp(p->z.limbs, p->a.limbs, p->a.n, p->b.limbs, p->b.n);
    return GFMUL_OK;
}

const struct engine engine_gmp = {
    .name = "gmp",
    .id = GFMUL_ENGINE_GMP,
    .trust = TRUST_EXACT,
    .takes = gmp_takes,
    .plan = gmp_plan,
    .run = gmp_run,
};
