/*
 * mul_operand.c - fixed operands: an operand whose spectrum is made once and multiplied with many others.
 *
 * The operand is kept as limbs too: short products are GMP's, and where what is measured of a product is too large (rule checked:
 * or its residue is wrong), a second spectrum is made of them that holds for all operands.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "limbs/limb_range.h"
#include "mul/ctx.h"

struct gfmul_operand {
    struct gfmul_ctx *ctx;
    mp_limb_t *b;
    size_t bn, used; /* limbs; without the high ones that are zero */
    size_t max_an;
    bool negative;                      /* of the mpz_t that it was made from */
    uint64_t residue;                   /* of b, where products are checked by residues */
    struct mul_kept kept;               /* plan NULL: none, products are plain ones, or on a device */
    struct mul_ocl_spectrum *on_device; /* NULL: none */
    pthread_mutex_t lock;               /* guards the making of worst */
    struct mul_kept worst;              /* for operands of any norms; plan NULL until needed */
    atomic_size_t bytes;                /* of b and the spectra */
};

/*
 * spectrum_pays - whether products with operands of max_an limbs are made by a kept spectrum, not by GMP.
 *
 *   d  out  the device that is to make them; NULL: the CPU
 */
static bool spectrum_pays(struct call *call, const struct gfmul_operand *op, struct ocl_device **d)
{
    const struct gfmul_options *opt = &op->ctx->opt;
    const size_t short_n = op->max_an < op->used ? op->max_an : op->used;
    *d = NULL;
    if (opt->engine == GFMUL_ENGINE_GMP || opt->engine == GFMUL_ENGINE_FFTW || op->used == 0)
        return false;
    if (opt->rule == GFMUL_RULE_KNUTH && opt->precision != GFMUL_PRECISION_DOUBLE) /* it may need pieces */
        return false;
    if (opt->packing == GFMUL_PACKING_TWO_FOR_ONE || short_n < op->ctx->gmp_mul_limbs)
        return false;
    return ctx_device_get(call, op->max_an + op->used, d) == GFMUL_OK && (*d || !ctx_device_named(op->ctx));
}

/* takes_residues - whether products by the spectrum are checked by residues. */
static bool takes_residues(const struct gfmul_ctx *ctx)
{
    return ctx->opt.verify == GFMUL_VERIFY_MOD || ctx->opt.rule == GFMUL_RULE_CHECKED;
}

static enum gfmul_status operand_fill(struct call *call, struct gfmul_operand *op, const mp_limb_t *b, size_t bn, size_t max_an)
{
    struct ocl_device *d;
    const size_t bytes = bn * sizeof *b;
    enum gfmul_status status = ctx_memory_room(call, bytes);
    if (status != GFMUL_OK)
        return status;
    op->b = alloc_aligned(bytes > 0 ? bytes : 1);
    if (!op->b) {
        call_detail(call, "out of memory: %zu bytes", bytes);
        return GFMUL_ERR_MEMORY;
    }
    if (bn > 0)
        memcpy(op->b, b, bytes);
    op->bn = bn;
    op->used = limbs_normal_size(b, bn);
    op->max_an = max_an;
    atomic_init(&op->bytes, bytes);
    if (!spectrum_pays(call, op, &d))
        return GFMUL_OK;
    const struct number number = number_limbs(op->b, op->used);
    call->reserved = bytes;
    call_threads_limit(call, max_an + op->used);
    if (d) { /* where the device has no room for it, or fails: plain products, which say so, or find another way */
        if (mul_ocl_keep(call, d, &op->on_device, &number, max_an) == GFMUL_OK && takes_residues(call->ctx))
            op->residue = mul_residue(call, op->b, op->used, op->used >= MUL_MEMORY_LIMBS / 2);
        call->report.detail[0] = '\0';
        return GFMUL_OK;
    }
    /* under a limit, memory for a second spectrum may never be there */
    status = mul_cpu_keep(call, &op->kept, &number, max_an, call->ctx->opt.memory_limit != 0);
    if (status == GFMUL_OK)
        atomic_fetch_add(&op->bytes, op->kept.bytes);
    if (status == GFMUL_OK && takes_residues(call->ctx))
        op->residue = mul_residue(call, op->b, op->used, op->used >= MUL_MEMORY_LIMBS / 2);
    return status;
}

static enum gfmul_status operand_create(struct call *call, struct gfmul_operand **result, const mp_limb_t *b, size_t bn,
                                        bool negative, size_t max_an)
{
    if (!result || (!b && bn > 0)) {
        call_detail(call, result ? "a pointer to limbs is NULL" : "there is no place for the operand");
        return GFMUL_ERR_ARGUMENT;
    }
    if (bn >= MUL_LIMBS_END || max_an >= MUL_LIMBS_END) {
        call_detail(call, "%zu and %zu limbs are too many", max_an, bn);
        return GFMUL_ERR_SIZE;
    }
    struct gfmul_operand *op = alloc_aligned(sizeof *op);
    if (!op) {
        call_detail(call, "out of memory for an operand");
        return GFMUL_ERR_MEMORY;
    }
    memset(op, 0, sizeof *op);
    op->ctx = call->ctx;
    op->negative = negative;
    if (pthread_mutex_init(&op->lock, NULL) != 0) {
        alloc_free(op);
        return GFMUL_ERR_MEMORY;
    }
    enum gfmul_status status = operand_fill(call, op, b, bn, max_an);
    if (status != GFMUL_OK) {
        gfmul_operand_destroy(op);
        return status;
    }
    *result = op;
    return GFMUL_OK;
}

enum gfmul_status gfmul_operand_create(struct gfmul_ctx *ctx, struct gfmul_operand **op, const mp_limb_t *b, size_t bn,
                                       size_t max_an)
{
    struct call call;
    enum gfmul_status status;
    if (op)
        *op = NULL;
    if (!(ctx = ctx_resolve(ctx, &status)))
        return status;
    call_begin(&call, ctx);
    return call_end(&call, operand_create(&call, op, b, bn, false, max_an));
}

enum gfmul_status gfmul_operand_create_mpz(struct gfmul_ctx *ctx, struct gfmul_operand **op, mpz_srcptr b, size_t max_an)
{
    struct call call;
    enum gfmul_status status;
    if (op)
        *op = NULL;
    if (!(ctx = ctx_resolve(ctx, &status)))
        return status;
    call_begin(&call, ctx);
    if (!b) {
        call_detail(&call, "an integer is NULL");
        return call_end(&call, GFMUL_ERR_ARGUMENT);
    }
    return call_end(&call, operand_create(&call, op, mpz_limbs_read(b), mpz_size(b), mpz_sgn(b) < 0, max_an));
}

void gfmul_operand_destroy(struct gfmul_operand *op)
{
    if (!op)
        return;
    mul_ocl_forget(op->on_device);
    mul_cpu_forget(op->ctx, &op->worst);
    mul_cpu_forget(op->ctx, &op->kept);
    pthread_mutex_destroy(&op->lock);
    alloc_free(op->b);
    alloc_free(op);
}

/* worst_get - the spectrum for operands of any norms, made by the first product that needs it; others wait for it. */
static enum gfmul_status worst_get(struct call *call, struct gfmul_operand *op)
{
    enum gfmul_status status = GFMUL_OK;
    pthread_mutex_lock(&op->lock);
    if (!op->worst.plan) {
        const struct number b = number_limbs(op->b, op->used);
        status = mul_cpu_keep(call, &op->worst, &b, op->max_an, true);
        if (status == GFMUL_OK)
            atomic_fetch_add(&op->bytes, op->worst.bytes);
    }
    pthread_mutex_unlock(&op->lock);
    return status;
}

/*
 * spectrum_product - the product by the spectrum of p->b, checked by residues.
 *
 *   fits  out  false: the plan is not for this product, z holds nothing
 */
static enum gfmul_status spectrum_product(struct call *call, const struct product *p, bool *fits)
{
    enum gfmul_status status = mul_cpu_kept(call, p, fits);
    if (status != GFMUL_OK || !*fits || !takes_residues(call->ctx))
        return status;
    status = product_residues(call, p);
    if (status == GFMUL_ERR_VERIFY && p->b.kept->plan->shape.rule == GFMUL_RULE_CHECKED) {
        *fits = false;
        status = GFMUL_OK;
    }
    return status;
}

/* operand_product - z = a * |b|, an + bn limbs, which overlap nothing. */
static enum gfmul_status operand_product(struct call *call, struct gfmul_operand *op, mp_limb_t *z, const mp_limb_t *a, size_t an)
{
    const size_t used = limbs_normal_size(a, an), zn = used + op->used;
    const unsigned threads = call_threads_limit(call, zn);
    struct product p = {.z = number_limbs(z, zn), .a = number_limbs(a, used), .b = number_limbs(op->b, op->used)};
    enum gfmul_status status;
    bool fits;

    call->reserved = atomic_load(&op->bytes);
    if ((!op->kept.plan && !op->on_device) || used == 0 || used < call->ctx->gmp_mul_limbs)
        return mul_route_limbs(call, z, a, an, op->b, op->bn, true);
    memset(z + zn, 0, (an + op->bn - zn) * sizeof *z);
    if ((status = product_verify_room(call, &p, 0)) != GFMUL_OK)
        return status;
    p.b.residue = takes_residues(call->ctx) ? &op->residue : NULL;
    if (op->on_device) {
        bool done = false;
        status = GFMUL_OK;
        p.b.on_device = op->on_device;
        if (used <= op->max_an)
            status = mul_device(call, &p, zn, &done);
        call->threads = threads;
        return done ? status : mul_route_limbs(call, z, a, an, op->b, op->bn, true);
    }
    p.b.kept = &op->kept;
    status = spectrum_product(call, &p, &fits);
    if (status == GFMUL_OK && !fits) {
        call->report.n_fallbacks++;
        status = worst_get(call, op);
        call->reserved = atomic_load(&op->bytes);
        p.b.kept = &op->worst;
        if (status == GFMUL_OK)
            status = spectrum_product(call, &p, &fits);
        if (status == GFMUL_OK && !fits)
            status = mul_not_rounded(call);
    }
    if (status == GFMUL_OK)
        call->report.detail[0] = '\0'; /* of a plan that was given up */
    if (status == GFMUL_OK && call->ctx->opt.verify == GFMUL_VERIFY_GMP)
        status = product_verify(call, &p);
    call->threads = threads;
    return status;
}

/* is_gmps - whether a product with an limbs is GMP's: all others count what the operand holds, also those without a spectrum. */
static bool is_gmps(const struct gfmul_operand *op, size_t an)
{
    return an == 0 || op->bn == 0 || mul_is_gmps(op->ctx, an, op->bn, false);
}

enum gfmul_status gfmul_operand_mul(struct gfmul_operand *op, mp_limb_t *z, const mp_limb_t *a, size_t an)
{
    struct call call;
    if (!op)
        return GFMUL_ERR_ARGUMENT;
    if (is_gmps(op, an))
        return gfmul_mul(op->ctx, z, a, an, op->b, op->bn);
    call_begin(&call, op->ctx);
    if (an >= MUL_LIMBS_END) {
        call_detail(&call, "%zu limbs are too many", an);
        return call_end(&call, GFMUL_ERR_SIZE);
    }
    if (!z || !a) {
        call_detail(&call, "a pointer to limbs is NULL");
        return call_end(&call, GFMUL_ERR_ARGUMENT);
    }
    if (limbs_overlap(z, an + op->bn, a, an)) {
        call_detail(&call, "the product overlaps an operand");
        return call_end(&call, GFMUL_ERR_OVERLAP);
    }
    return call_end(&call, operand_product(&call, op, z, a, an));
}

enum gfmul_status gfmul_operand_mul_mpz(struct gfmul_operand *op, mpz_ptr z, mpz_srcptr a)
{
    struct call call;
    mpz_t product, b;
    enum gfmul_status status;
    if (!op)
        return GFMUL_ERR_ARGUMENT;
    if (z && a && op->bn <= INT_MAX && is_gmps(op, mpz_size(a)))
        return gfmul_mpz_mul(op->ctx, z, a, mpz_roinit_n(b, op->b, op->negative ? -(mp_size_t)op->bn : (mp_size_t)op->bn));
    call_begin(&call, op->ctx);
    if (!z || !a) {
        call_detail(&call, "an integer is NULL");
        return call_end(&call, GFMUL_ERR_ARGUMENT);
    }
    const size_t an = mpz_size(a), zn = an + op->bn;
    call.reserved = atomic_load(&op->bytes);
    if ((status = mul_mpz_begin(&call, product, zn)) == GFMUL_OK) {
        status = operand_product(&call, op, mpz_limbs_write(product, (mp_size_t)zn), mpz_limbs_read(a), an);
        mul_mpz_end(&call, z, product, zn, (mpz_sgn(a) < 0) != op->negative, status);
    }
    return call_end(&call, status);
}
