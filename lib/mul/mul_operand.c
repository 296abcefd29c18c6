/*
 * mul_operand.c - fixed operands: an operand whose spectrum is made once and multiplied with many others.
 *
 * The operand is kept as limbs too, for two reasons: GMP makes the short products, and a second spectrum may be needed.  If the
 * figures measured on a product are too large, or its residue is wrong under rule checked, a spectrum is made for operands of any
 * norms.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/call_run.h"
#include "mul/engine.h"
#include "mul/mul.h"
#include "mul/mul_verify.h"

struct gfmul_operand {
    struct gfmul_ctx *ctx;
    mp_limb_t *b;
    size_t bn, used; /* limbs; without the high ones that are zero */
    size_t max_an;
    bool negative;                        /* of the mpz_t that it was made from */
    uint64_t residue[RESIDUE_PRIMES_MAX]; /* of b, if products are checked by residues: modulo the context's first .. */
    unsigned n_residues;                  /* .. so many primes */
    struct spectrum *spectrum;            /* NULL: none, products are plain ones */
    _Atomic(struct spectrum *) worst;     /* on the CPU, for operands of any norms; NULL until needed */
    atomic_size_t bytes;                  /* of b and the spectra */
};

/* spectrum_pays - whether products with operands of max_an limbs should use a kept spectrum rather than GMP or a plain one. */
static bool spectrum_pays(const struct gfmul_operand *op)
{
    const struct gfmul_options *opt = &op->ctx->opt;
    const size_t short_n = op->max_an < op->used ? op->max_an : op->used;
    if (opt->engine == GFMUL_ENGINE_GMP || opt->engine == GFMUL_ENGINE_FFTW || op->used == 0)
        return false;
    if (opt->precision == GFMUL_PRECISION_PRIME && !op->ctx->device_named) /* the CPU keeps spectra modulo primes only in rings */
        return false;
    if (opt->rule == GFMUL_RULE_KNUTH && opt->precision != GFMUL_PRECISION_DOUBLE) /* it may need cells */
        return false;
    return opt->packing != GFMUL_PACKING_TWO_FOR_ONE && short_n >= op->ctx->planned_kept_limbs;
}

/* operand_primes - how many primes the residue check of products by the spectrum needs; 0: no check. */
static unsigned operand_primes(const struct call *call)
{
    const struct gfmul_options *opt = &call->ctx->opt;
    return call_primes(call, opt->rule == GFMUL_RULE_CHECKED || opt->certify);
}

/* spectrum_add - make a spectrum of op's limbs, and count its bytes. */
static enum gfmul_status spectrum_add(struct call *call, struct gfmul_operand *op, struct spectrum **x, bool worst_case)
{
    const struct number b = number_limbs(op->b, op->used);
    TRY(spectrum_make(call, x, &b, op->max_an, worst_case));
    if (*x)
        atomic_fetch_add(&op->bytes, (*x)->bytes);
    return GFMUL_OK;
}

/* residues_keep - compute and keep as many residues of b as products with max_an limbs need. */
static enum gfmul_status residues_keep(struct call *call, struct gfmul_operand *op)
{
    const unsigned n = operand_primes(call);
    if (n == 0)
        return GFMUL_OK;
    TRY(call_moduli(call, n, false));
    mul_residues(call, op->residue, op->b, op->used, op->used >= MUL_MEMORY_LIMBS / 2);
    op->n_residues = n;
    return GFMUL_OK;
}

static enum gfmul_status operand_fill(struct call *call, struct gfmul_operand *op, const mp_limb_t *b, size_t bn, size_t max_an)
{
    const size_t bytes = bn * sizeof *b;
    if (!(op->b = ctx_memory_take(call, bytes, NULL)))
        return GFMUL_ERR_MEMORY;
    if (bn > 0)
        memcpy(op->b, b, bytes);
    op->bn = bn;
    op->used = limbs_normal_size(b, bn);
    op->max_an = max_an;
    atomic_init(&op->bytes, bytes);
    if (!spectrum_pays(op))
        return GFMUL_OK;
    call->reserved = bytes;
    call_threads_limit(call, max_an + op->used);
    /* under a memory limit there may never be room for a second spectrum, so the first is made for any norms */
    TRY(spectrum_add(call, op, &op->spectrum, call->ctx->opt.memory_limit != 0));
    if (op->spectrum)
        TRY(residues_keep(call, op));
    return GFMUL_OK;
}

static enum gfmul_status operand_create(struct call *call, struct gfmul_operand **result, const mp_limb_t *b, size_t bn,
                                        bool negative, size_t max_an)
{
    if (!result || (!b && bn > 0))
        return call_fail(call, GFMUL_ERR_ARGUMENT, result ? "a pointer to limbs is NULL" : "there is no place for the operand");
    if (bn >= MUL_LIMBS_END || max_an >= MUL_LIMBS_END)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu and %zu limbs are too many", max_an, bn);
    struct gfmul_operand *op = alloc_zeroed(sizeof *op);
    if (!op)
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for an operand");
    op->ctx = call->ctx;
    op->negative = negative;
    enum gfmul_status status = operand_fill(call, op, b, bn, max_an);
    if (status != GFMUL_OK) {
        gfmul_operand_destroy(op);
        return status;
    }
    *result = op;
    return GFMUL_OK;
}

struct create_arguments {
    struct gfmul_operand **op;
    const mp_limb_t *b;
    size_t bn;
    mpz_srcptr integer; /* gives the sign; NULL: positive */
    size_t max_an;
};

static enum gfmul_status create_checked(struct call *call, const void *arguments)
{
    const struct create_arguments *of = arguments;
    return operand_create(call, of->op, of->b, of->bn, of->integer && mpz_sgn(of->integer) < 0, of->max_an);
}

static enum gfmul_status integer_missing(struct call *call, const void *arguments)
{
    (void)arguments;
    return call_fail(call, GFMUL_ERR_ARGUMENT, "an integer is NULL");
}

enum gfmul_status gfmul_operand_create(struct gfmul_ctx *ctx, struct gfmul_operand **op, const mp_limb_t *b, size_t bn,
                                       size_t max_an)
{
    const struct create_arguments of = {op, b, bn, NULL, max_an};
    if (op)
        *op = NULL;
    return call_run(ctx, &(struct call_work)CALL_WORK(create_checked, &of, bn / 2 + max_an / 2 + 1));
}

enum gfmul_status gfmul_operand_create_mpz(struct gfmul_ctx *ctx, struct gfmul_operand **op, mpz_srcptr b, size_t max_an)
{
    const struct create_arguments of = {op, b ? mpz_limbs_read(b) : NULL, b ? mpz_size(b) : 0, b, max_an};
    if (op)
        *op = NULL;
    return call_run(ctx, &(struct call_work)CALL_WORK(b ? create_checked : integer_missing, &of, of.bn / 2 + max_an / 2 + 1));
}

void gfmul_operand_destroy(struct gfmul_operand *op)
{
    if (!op)
        return;
    ctx_runners_settle(op->ctx); /* an abandoned call may use it */
    spectrum_end(op->ctx, atomic_load(&op->worst));
    spectrum_end(op->ctx, op->spectrum);
    alloc_free(op->b);
    alloc_free(op);
}

/*
 * worst_get - the spectrum for operands of any norms; the first product that needs it makes it.
 * No lock is held while it is made, because the progress callback may run then.  If two products make it, the first one stays.
 */
static enum gfmul_status worst_get(struct call *call, struct gfmul_operand *op, const struct spectrum **worst)
{
    struct spectrum *made, *none = NULL;
    if ((*worst = atomic_load(&op->worst)) != NULL)
        return GFMUL_OK;
    TRY(spectrum_add(call, op, &made, true));
    if (made && !atomic_compare_exchange_strong(&op->worst, &none, made)) {
        atomic_fetch_sub(&op->bytes, made->bytes);
        spectrum_end(op->ctx, made);
    }
    *worst = atomic_load(&op->worst);
    return GFMUL_OK;
}

struct product_arguments {
    struct gfmul_operand *op;
    mp_limb_t *z;
    const mp_limb_t *a;
    size_t an;
};

static bool is_on_device(const struct spectrum *x)
{
    return x->engine->trust == TRUST_HARDWARE;
}

/* spectrum_serves - whether the operand's spectrum is there for this product, and pays. */
static bool spectrum_serves(const struct product_arguments *x)
{
    const struct gfmul_operand *op = x->op;
    const size_t used = limbs_normal_size(x->a, x->an);
    return op->spectrum && used > 0 && used >= op->ctx->planned_kept_limbs && (!is_on_device(op->spectrum) || used <= op->max_an);
}

/* spectrum_product - make the product by this spectrum of b.   outcome out: UNFIT if it does not fit the product. */
static enum gfmul_status spectrum_product(struct call *call, const struct product_arguments *x, const struct spectrum *spectrum,
                                          enum outcome *outcome)
{
    struct gfmul_operand *op = x->op;
    const size_t used = limbs_normal_size(x->a, x->an), zn = used + op->used;
    struct product p = {.z = number_limbs(x->z, zn), .a = number_limbs(x->a, used), .b = number_limbs(op->b, op->used)};
    memset(x->z + zn, 0, (x->an + op->bn - zn) * sizeof *x->z);
    call->product_bits = number_bits(&p.z);
    call->reserved = atomic_load(&op->bytes);
    p.b.residue = operand_primes(call) <= op->n_residues ? op->residue : NULL; /* NULL: it is computed anew */
    p.b.spectrum = spectrum;
    return product_make(call, &p, true, outcome);
}

static enum gfmul_status by_spectrum(struct call *call, void *arguments, enum outcome *outcome)
{
    const struct product_arguments *x = arguments;
    if (!spectrum_serves(x)) {
        *outcome = OUTCOME_UNFIT;
        return GFMUL_OK;
    }
    const enum gfmul_status status = spectrum_product(call, x, x->op->spectrum, outcome);
    if (*outcome == OUTCOME_UNFIT)
        call->report.n_fallbacks++;
    return status;
}

/* by_worst - by the spectrum for operands of any norms, on the CPU, if the other one did not fit. */
static enum gfmul_status by_worst(struct call *call, void *arguments, enum outcome *outcome)
{
    const struct product_arguments *x = arguments;
    const struct spectrum *worst;
    if (!spectrum_serves(x) || is_on_device(x->op->spectrum)) {
        *outcome = OUTCOME_UNFIT;
        return GFMUL_OK;
    }
    TRY(worst_get(call, x->op, &worst));
    const enum gfmul_status status = spectrum_product(call, x, worst, outcome);
    if (*outcome != OUTCOME_UNFIT)
        return status;
    *outcome = OUTCOME_MADE; /* this plan fits all operands, so the product is wrong */
    return GFMUL_ERR_VERIFY;
}

static enum gfmul_status by_limbs(struct call *call, void *arguments, enum outcome *outcome)
{
    const struct product_arguments *x = arguments;
    (void)outcome;
    return mul_limbs(call, x->z, x->a, x->an, x->op->b, x->op->bn, true);
}

/* operand_product - z = a * |b|, an + bn limbs, which overlap nothing. */
static enum gfmul_status operand_product(struct call *call, struct product_arguments *of)
{
    static product_way *const ways[] = {by_spectrum, by_worst, by_limbs, NULL};
    call->reserved = atomic_load(&of->op->bytes);
    return product_by_ways(call, ways, of);
}

/* is_short - whether a product with an limbs needs no plan.  All others run as a call that counts the operand's memory. */
static bool is_short(const struct gfmul_operand *op, size_t an)
{
    if (an == 0 || op->bn == 0)
        return true;
    return mul_is_unplanned(op->ctx, an, op->bn, false) && !(op->spectrum && an >= op->ctx->planned_kept_limbs);
}

static enum gfmul_status product_checked(struct call *call, const void *arguments)
{
    const struct product_arguments *x = arguments;
    TRY(limb_arguments_check(call, &(struct limb_arguments){x->z, x->a, x->op->b, x->an, x->op->bn}));
    struct product_arguments of = *x;
    return operand_product(call, &of);
}

enum gfmul_status gfmul_operand_mul(struct gfmul_operand *op, mp_limb_t *z, const mp_limb_t *a, size_t an)
{
    const struct product_arguments of = {op, z, a, an};
    if (!op)
        return GFMUL_ERR_ARGUMENT;
    if (is_short(op, an))
        return gfmul_mul(op->ctx, z, a, an, op->b, op->bn);
    return call_run(op->ctx, &(struct call_work)CALL_WORK(product_checked, &of, an + op->bn));
}

struct mpz_product_arguments {
    struct gfmul_operand *op;
    mpz_ptr z;
    mpz_srcptr a;
};

static enum gfmul_status mpz_product_checked(struct call *call, const void *arguments)
{
    const struct mpz_product_arguments *x = arguments;
    struct gfmul_operand *op = x->op;
    mpz_t product;
    enum gfmul_status status;
    if (!x->z || !x->a)
        return integer_missing(call, NULL);
    const size_t an = mpz_size(x->a), zn = an + op->bn;
    const bool negative = (mpz_sgn(x->a) < 0) != op->negative;
    call->reserved = atomic_load(&op->bytes);
    TRY(mul_mpz_begin(call, product, zn));
    struct product_arguments of = {op, mpz_limbs_write(product, (mp_size_t)zn), mpz_limbs_read(x->a), an};
    status = operand_product(call, &of);
    mul_mpz_end(call, x->z, product, zn, negative, status);
    return status;
}

enum gfmul_status gfmul_operand_mul_mpz(struct gfmul_operand *op, mpz_ptr z, mpz_srcptr a)
{
    mpz_t b;
    if (!op)
        return GFMUL_ERR_ARGUMENT;
    if (z && a && op->bn <= INT_MAX && is_short(op, mpz_size(a)))
        return gfmul_mpz_mul(op->ctx, z, a, mpz_roinit_n(b, op->b, op->negative ? -(mp_size_t)op->bn : (mp_size_t)op->bn));
    const struct mpz_product_arguments of = {op, z, a};
    return call_run(op->ctx, &(struct call_work)CALL_WORK(mpz_product_checked, &of, (a ? mpz_size(a) : 0) + op->bn));
}
