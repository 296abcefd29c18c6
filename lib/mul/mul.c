/*
 * mul.c - products of limbs and of mpz_t: check the arguments, apply the crossovers to vectors and to GMP, choose the engine.
 *
 * Short products take a fast path at the head of each public function.  It uses no lock, no clock and no report, except for a
 * flag that is written only when it changes.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/branches.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "limbs/mul_small.h"
#include "mul/call_run.h"
#include "mul/engine.h"
#include "mul/mul.h"
#include "mul/mul_shared.h"

enum gfmul_status mul_limbs(struct call *call, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn,
                            bool verify)
{
    const struct product p = product_of_limbs(z, a, an, b, bn);
    bool shared;
    if (p.b.n == 0)
        return GFMUL_OK;
    TRY(product_shared(call, &p, &shared));
    return shared ? GFMUL_OK : product_make(call, &p, verify, NULL);
}

enum gfmul_status mul_foresee_limbs(struct call *call, struct gfmul_plan_info *info, const struct foreseen *of)
{
    enum outcome outcome;
    struct product p = product_limbs(NULL, NULL, of->an, NULL, of->bn);
    p.square = of->square;
    if (p.a.n >= MUL_LIMBS_END)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu limbs are too many", p.a.n);
    ctx_gmp_info(info);
    if (p.b.n == 0)
        return GFMUL_OK;
    return product_foresee(call, &p, &of->also, info, &outcome);
}

enum gfmul_status limb_arguments_check(struct call *call, const struct limb_arguments *of)
{
    const size_t an = of->an, bn = of->bn;
    if (an >= MUL_LIMBS_END || bn >= MUL_LIMBS_END)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu and %zu limbs are too many", an, bn);
    if ((!of->z && an + bn > 0) || (!of->a && an > 0) || (!of->b && bn > 0))
        return call_fail(call, GFMUL_ERR_ARGUMENT, "a pointer to limbs is NULL");
    if (limbs_overlap(of->z, an + bn, of->a, an) || limbs_overlap(of->z, an + bn, of->b, bn))
        return call_fail(call, GFMUL_ERR_OVERLAP, "the product overlaps an operand");
    return GFMUL_OK;
}

/* mul_checked - a product of limbs within a call, with all checks of its arguments. */
static enum gfmul_status mul_checked(struct call *call, const void *arguments)
{
    const struct limb_arguments *of = arguments;
    TRY(limb_arguments_check(call, of));
    return mul_limbs(call, of->z, of->a, of->an, of->b, of->bn, true);
}

/* mul_reported - a product of limbs as a call of its own, with a report. */
static enum gfmul_status mul_reported(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                                      size_t bn)
{
    const struct limb_arguments of = {z, a, b, an, bn};
    return call_run(ctx, &(struct call_work)CALL_WORK(mul_checked, &of, an + bn));
}

void mul_with_report(struct gfmul_ctx *ctx, const struct limb_arguments *of, unsigned threads, struct gfmul_report *report)
{
    struct call_work work = CALL_WORK(mul_checked, of, of->an + of->bn);
    work.threads = threads;
    work.report = report;
    work.alone = true;
    report->status = call_run(ctx, &work);
}

/* mul_short - z = a * b without a plan and a report, if the size allows it and the arguments are sound; else false. */
static bool mul_short(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    if (an == 0 || bn == 0 || an >= UNREPORTED_LIMBS || bn >= UNREPORTED_LIMBS ||
        !mul_is_unplanned(ctx, an, bn, is_square(a, an, b, bn)) || !z || !a || !b || limbs_overlap(z, an + bn, a, an) ||
        limbs_overlap(z, an + bn, b, bn))
        return false;
    ctx_note(ctx, mul_unplanned(ctx, z, a, an, b, bn));
    return true;
}

/* mul_any - all other products of gfmul_mul.  A function of its own, so that the shortest products need no stack frame. */
static NOINLINE enum gfmul_status mul_any(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                                          size_t bn)
{
    enum gfmul_status status;
    if (!ctx && !(ctx = ctx_resolve(ctx, &status)))
        return status;
    if (mul_short(ctx, z, a, an, b, bn))
        return GFMUL_OK;
    return mul_reported(ctx, z, a, an, b, bn);
}

/* mul_by_vectors - multiply by short_ops, bn <= an.   sqr_by_vectors - square.  Functions of their own, as mul_any. */
static NOINLINE enum gfmul_status mul_by_vectors(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an,
                                                 const mp_limb_t *b, size_t bn)
{
    ctx_note(ctx, UNREPORTED_SHORT);
    ctx->short_ops->mul(z, a, an, b, bn);
    return GFMUL_OK;
}

static NOINLINE enum gfmul_status sqr_by_vectors(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an)
{
    ctx_note(ctx, UNREPORTED_SHORT);
    ctx->short_ops->sqr(z, a, an);
    return GFMUL_OK;
}

/*
 * mul_word - the products of gfmul_mul whose counts are 1, or 1 and 0; the first under the conditions of mul_short, by constant
 * sizes.
 */
static ALWAYS_INLINE enum gfmul_status mul_word(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an,
                                                const mp_limb_t *b, size_t bn)
{
    if (LIKELY(an == bn && ctx && ctx->unplanned_limbs > 1 && z && a && b && !limbs_overlap_filled(z, 2, a, 1) &&
               !limbs_overlap_filled(z, 2, b, 1))) {
        ctx_note(ctx, UNREPORTED_GMP);
        return gfmul_mul_inline(ctx, z, a, 1, b, 1);
    }
    return mul_any(ctx, z, a, an, b, bn);
}

/*
 * gfmul_mul - in the shortest products each test costs several per cent, and so does each branch that is taken, wherever the loop
 * around the call lies.  So these are the conditions of mul_short in fewer steps, and the shortest products come first.
 */
ALIGNED(64)
enum gfmul_status gfmul_mul(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    if (UNLIKELY((an | bn) == 1))
        return mul_word(ctx, z, a, an, b, bn);
    if (LIKELY(ctx && (an | bn) < ctx->unplanned_limbs && z && a && b && !limbs_overlap_filled(z, an + bn, a, an) &&
               !limbs_overlap_filled(z, an + bn, b, bn))) {
        if (LIKELY(bn - 1 < an)) {
            if (LIKELY(an <= ctx->small_ops->mul_limbs)) {
                ctx_note(ctx, mul_is_by_vectors(ctx, bn, false) ? UNREPORTED_SHORT : UNREPORTED_GMP);
                return (enum gfmul_status)ctx->small_ops->mul[an - 1][bn - 1](z, a, b);
            }
            if (LIKELY(bn < ctx->vector_mul_limbs)) {
                ctx_note(ctx, UNREPORTED_GMP);
                return (enum gfmul_status)mul_wide(ctx->small_ops, z, a, an, b, bn);
            }
            return is_square(a, an, b, bn) && an >= ctx->vector_sqr_limbs ? sqr_by_vectors(ctx, z, a, an)
                                                                          : mul_by_vectors(ctx, z, a, an, b, bn);
        }
    }
    return mul_any(ctx, z, a, an, b, bn);
}

/* sqr_by_gmp - square by GMP. */
static NOINLINE enum gfmul_status sqr_by_gmp(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an)
{
    ctx_note(ctx, UNREPORTED_GMP);
    sqr_gmp(z, a, an);
    return GFMUL_OK;
}

ALIGNED(64)
enum gfmul_status gfmul_sqr(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an)
{
    /* as gfmul_mul; for an = 0 the unsigned an - 1 is large */
    if (LIKELY(ctx && an - 1 < ctx->unplanned_limbs - 1 && z && a && !limbs_overlap_filled(z, 2 * an, a, an))) {
        if (an <= ctx->small_ops->sqr_limbs) {
            ctx_note(ctx, mul_is_by_vectors(ctx, an, true) ? UNREPORTED_SHORT : UNREPORTED_GMP);
            return (enum gfmul_status)ctx->small_ops->sqr[an - 1](z, a);
        }
        return an < ctx->vector_sqr_limbs ? sqr_by_gmp(ctx, z, a, an) : sqr_by_vectors(ctx, z, a, an);
    }
    return mul_any(ctx, z, a, an, a, an);
}

/*
 * mpz_mul_unplanned - z = a * b by short_ops or mpz_mul.  Needs mul_is_unplanned or an operand that is 0.   Value: who made it.
 *
 * If z is an operand, the product is made in a buffer and copied.
 */
static NOINLINE enum unreported mpz_mul_unplanned(const struct gfmul_ctx *ctx, mpz_ptr z, mpz_srcptr a, mpz_srcptr b)
{
    enum { BESIDE_LIMBS = 2 * SHORT_LIMBS_MAX };
    const size_t an = mpz_size(a), bn = mpz_size(b), zn = an + bn;
    const bool beside = z == a || z == b;
    if (!mul_is_by_vectors(ctx, an < bn ? an : bn, a == b) || (beside && zn > BESIDE_LIMBS) || zn > INT_MAX) {
        mpz_mul(z, a, b);
        return UNREPORTED_GMP;
    }
    const bool negative = (mpz_sgn(a) < 0) != (mpz_sgn(b) < 0);
    mp_limb_t product[BESIDE_LIMBS];
    mp_limb_t *to = beside ? product : mpz_limbs_write(z, (mp_size_t)zn);
    mul_unplanned(ctx, to, mpz_limbs_read(a), an, mpz_limbs_read(b), bn);
    if (beside)
        memcpy(mpz_limbs_write(z, (mp_size_t)zn), product, zn * sizeof *product);
    mpz_limbs_finish(z, negative ? -(mp_size_t)zn : (mp_size_t)zn);
    return UNREPORTED_SHORT;
}

enum gfmul_status mul_mpz_begin(struct call *call, mpz_ptr product, size_t zn)
{
    const size_t bytes = zn * sizeof(mp_limb_t);
    if (zn > INT_MAX)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu limbs are more than an mpz_t can hold", zn);
    void *trial = ctx_memory_take(call, bytes, "the product");
    if (!trial)
        return GFMUL_ERR_MEMORY;
    alloc_free(trial);
    mpz_init2(product, (mp_bitcnt_t)zn * 64);
    call->allocated += bytes;
    return GFMUL_OK;
}

void mul_mpz_end(struct call *call, mpz_ptr z, mpz_ptr product, size_t zn, bool negative, enum gfmul_status status)
{
    call->allocated -= zn * sizeof(mp_limb_t);
    if (status == GFMUL_OK) {
        mpz_limbs_finish(product, negative ? -(mp_size_t)zn : (mp_size_t)zn);
        mpz_swap(z, product);
    }
    mpz_clear(product);
}

struct mpz_arguments {
    mpz_ptr z;
    mpz_srcptr a, b;
};

/* mpz_mul_checked - a product of mpz_t within a call. */
static enum gfmul_status mpz_mul_checked(struct call *call, const void *arguments)
{
    const struct mpz_arguments *of = arguments;
    enum gfmul_status status;
    mpz_t product;
    if (!of->z || !of->a || !of->b)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "an integer is NULL");
    const size_t an = mpz_size(of->a), bn = mpz_size(of->b), zn = an + bn;
    const mp_limb_t *ap = mpz_limbs_read(of->a), *bp = mpz_limbs_read(of->b);
    const bool negative = (mpz_sgn(of->a) < 0) != (mpz_sgn(of->b) < 0);
    if (zn > INT_MAX)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu limbs are more than an mpz_t can hold", zn);
    if (mul_is_unplanned(call->ctx, an, bn, is_square(ap, an, bp, bn)) || an == 0 || bn == 0) {
        phase_enter(&call->clock, PHASE_TRANSFORM);
        if (mpz_mul_unplanned(call->ctx, of->z, of->a, of->b) == UNREPORTED_SHORT)
            ctx_short_info(call->ctx, &call->report.plan);
        return GFMUL_OK;
    }
    TRY(mul_mpz_begin(call, product, zn));
    status = mul_limbs(call, mpz_limbs_write(product, (mp_size_t)zn), ap, an, bp, bn, true);
    mul_mpz_end(call, of->z, product, zn, negative, status);
    return status;
}

/* mpz_mul_reported - a product of mpz_t as a call of its own. */
static NOINLINE enum gfmul_status mpz_mul_reported(struct gfmul_ctx *ctx, mpz_ptr z, mpz_srcptr a, mpz_srcptr b)
{
    const struct mpz_arguments of = {z, a, b};
    const size_t limbs = z && a && b ? mpz_size(a) + mpz_size(b) : 0;
    return call_run(ctx, &(struct call_work)CALL_WORK(mpz_mul_checked, &of, limbs));
}

/*
 * mpz_mul_small - z = a * b by small_ops or GMP's schoolbook, if both are short, none is 0, and z has room; else false.
 * GMP's mpz_limbs_write and mpz_limbs_finish are calls that cost more than the product.  So this function, and no other one here,
 * uses the fields that gmp.h's own inline functions use.
 */
static inline bool mpz_mul_small(const struct small_ops *ops, mpz_ptr z, mpz_srcptr a, size_t an, mpz_srcptr b, size_t bn)
{
    const size_t zn = an + bn;
    const mp_limb_t *ap = a->_mp_d, *bp = b->_mp_d;
    mp_limb_t *const zp = z->_mp_d;
    const bool negative = (a->_mp_size ^ b->_mp_size) < 0; /* before z, which may be a or b, changes */
    if (an < bn) {
        const mp_limb_t *const p = ap;
        const size_t n = an;
        ap = bp;
        an = bn;
        bp = p;
        bn = n;
    }
    if (UNLIKELY(bn == 0 || an > MUL_BASECASE_LIMBS || (size_t)z->_mp_alloc < zn))
        return false;
    if (UNLIKELY(zp == ap || zp == bp)) {
        if (an > MUL_SMALL_LIMBS)
            return false;
        mul_small[an - 1][bn - 1](zp, ap, bp);
    } else if (UNLIKELY(is_square(ap, an, bp, bn) && an <= ops->sqr_limbs)) {
        ops->sqr[an - 1](zp, ap);
    } else if (UNLIKELY(an > ops->mul_limbs)) {
        mul_wide(ops, zp, ap, an, bp, bn);
    } else {
        ops->mul[an - 1][bn - 1](zp, ap, bp);
    }
    const int used = (int)(zn - (zp[zn - 1] == 0));
    z->_mp_size = negative ? -used : used;
    return true;
}

/* mpz_mul_any - all other products of gfmul_mpz_mul. */
static NOINLINE enum gfmul_status mpz_mul_any(struct gfmul_ctx *ctx, mpz_ptr z, mpz_srcptr a, mpz_srcptr b)
{
    enum gfmul_status status;
    if (!ctx && !(ctx = ctx_resolve(ctx, &status)))
        return status;
    if (z && a && b) {
        size_t an = mpz_size(a), bn = mpz_size(b);
        if ((mul_is_unplanned(ctx, an, bn, a == b) || an == 0 || bn == 0) && an < UNREPORTED_LIMBS && bn < UNREPORTED_LIMBS) {
            ctx_note(ctx, mpz_mul_unplanned(ctx, z, a, b));
            return GFMUL_OK;
        }
    }
    return mpz_mul_reported(ctx, z, a, b);
}

ALIGNED(64)
enum gfmul_status gfmul_mpz_mul(struct gfmul_ctx *ctx, mpz_ptr z, mpz_srcptr a, mpz_srcptr b)
{
    if (LIKELY(ctx && z && a && b)) {
        size_t an = mpz_size(a), bn = mpz_size(b);
        if (LIKELY((an | bn) < ctx->unplanned_limbs)) {
            const bool is_short = UNLIKELY(an >= ctx->vector_mul_limbs) && bn >= ctx->vector_mul_limbs &&
                                  (a != b || an >= ctx->vector_sqr_limbs);
            if (is_short && an > ctx->small_ops->mul_limbs) {
                ctx_note(ctx, mpz_mul_unplanned(ctx, z, a, b));
                return GFMUL_OK;
            }
            ctx_note(ctx, is_short ? UNREPORTED_SHORT : UNREPORTED_GMP);
            if (!mpz_mul_small(ctx->small_ops, z, a, an, b, bn))
                mpz_mul(z, a, b);
            return GFMUL_OK;
        }
    }
    return mpz_mul_any(ctx, z, a, b);
}
