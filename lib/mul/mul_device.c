/*
 * mul_device.c - products that may go to a device: the check of what comes back, the second try, the way back to the CPU.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "mul/ctx.h"
#include "ocl/ocl_device.h"

/* One product, of limbs or of text. */
struct product {
    mp_limb_t *z;
    const mp_limb_t *a, *b;
    size_t an, bn;
    char *text;
    size_t text_n;
    const struct text_number *text_a, *text_b;
    const struct mul_ocl_spectrum *kept; /* b's, whose residue is known */
    uint64_t b_residue;
};

/* product_check - the product by the context's check; by residues too where the caller will check what it makes of it. */
static enum gfmul_status product_check(struct call *call, const struct product *p)
{
    if (call->beside)
        return mul_beside_check(call);
    if (call->ctx->opt.verify == GFMUL_VERIFY_NONE)
        return GFMUL_OK;
    if (p->text && !text_is_digits(p->text, p->text_n, p->text_a->base, call->threads)) {
        call_detail(call, "the product has characters that are no digits");
        return GFMUL_ERR_VERIFY;
    }
    if (p->text)
        return mul_verify_text(call, p->text, p->text_n, p->text_a->base, p->text_a, p->text_b);
    return mul_verify_limbs(call, p->z, p->a, p->an, p->b, p->bn);
}

/* checks_beside - whether the product is checked by residues of limbs, which are taken while the device works. */
static bool checks_beside(const struct call *call, const struct product *p)
{
    const struct gfmul_options *opt = &call->ctx->opt;
    return !p->text &&
           (opt->verify == GFMUL_VERIFY_MOD || (p->kept && opt->verify == GFMUL_VERIFY_NONE && opt->rule == GFMUL_RULE_CHECKED));
}

/* product_once - one try on the device, with the times of its kernels. */
static enum gfmul_status product_once(struct call *call, struct ocl_device *d, const struct product *p)
{
    enum gfmul_status status;
    struct ocl_profile profile;

    profile.n_kernels = profile.n_pending = 0;
    call->profile = call->ctx->opt.profile ? &profile : NULL;
    bool fits = true;
    mul_beside_forget(call);
    if (p->kept)
        status = mul_ocl_by_kept(call, p->kept, p->z, p->a, p->an, &fits);
    else if (p->text)
        status = mul_ocl_text(call, d, p->text, p->text_n, p->text_a, p->text_b);
    else
        status = mul_ocl_limbs(call, d, p->z, p->a, p->an, p->b, p->bn);
    call->profile = NULL;
#ifdef HAVE_OPENCL
    if (status == GFMUL_OK)
        status = ocl_profile_read(d, &profile, call->report.detail);
    else
        ocl_profile_drop(&profile);
#endif
    if (status == GFMUL_OK) {
        call->n_kernels = profile.n_kernels;
        memcpy(call->kernel, profile.kernel, profile.n_kernels * sizeof profile.kernel[0]);
        status = fits ? product_check(call, p) : GFMUL_ERR_UNSUPPORTED;
    }
    return status;
}

/*
 * product_tried - the product on the device, a wrong one once more.
 *
 *   done  out  true: the product is there, or the status is the call's; false: the CPU has to make it
 */
static enum gfmul_status product_tried(struct call *call, struct ocl_device *d, const struct product *p, bool *done)
{
    const struct gfmul_report before = call->report;
    const bool named = ctx_device_named(call->ctx);
    char why[OCL_DETAIL_BYTES];
    enum gfmul_status status = product_once(call, d, p);

    if (status == GFMUL_ERR_VERIFY) {
        call->report.n_device_errors++;
        snprintf(why, sizeof why, "%s", "the device's first product was wrong and was made again there");
        status = product_once(call, d, p);
        if (status == GFMUL_OK)
            call_detail(call, "%.60s: the first product was wrong, and was made again there", ocl_device_info(d)->name);
    }
    *done = true;
    if (status == GFMUL_OK || status == GFMUL_ERR_INTERRUPTED)
        return status;
    if (p->kept && status == GFMUL_ERR_UNSUPPORTED) { /* too large beside the spectrum: a plain product is tried */
        *done = false;
        call->report.n_fallbacks++;
        return GFMUL_OK;
    }
    const bool cpu_can = call->ctx->opt.precision != GFMUL_PRECISION_FLOAT;
    if (named && (status != GFMUL_ERR_VERIFY || !cpu_can)) {
        if (status == GFMUL_ERR_VERIFY)
            call_detail(call, "%.60s: two products were wrong", ocl_device_info(d)->name);
        if (status != GFMUL_ERR_UNSUPPORTED)
            ctx_device_failed(call->ctx, d, call->report.detail);
        return status;
    }

    /* the CPU's turn: the report starts anew, but for what the device cost */
    snprintf(why, sizeof why, "%s",
             status == GFMUL_ERR_VERIFY       ? "two products of the device were wrong"
             : call->report.detail[0] != '\0' ? call->report.detail
                                              : gfmul_strerror(status));
    ctx_device_failed(call->ctx, d, why);
    const unsigned errors = call->report.n_device_errors + (status != GFMUL_ERR_UNSUPPORTED);
    const uint64_t planned = call->report.plan_ns, spent = call->report.transform_ns;
    const uint64_t device_start_ns = call->report.device_start_ns;
    call->report = before;
    call->report.n_device_errors = errors;
    call->report.plan_ns = planned;
    call->report.transform_ns = spent;
    call->report.device_start_ns = device_start_ns;
    call->n_kernels = 0;
    call_detail(call, "%.200s: the CPU was used", why);
    *done = false;
    return GFMUL_OK;
}

/* product_try - the same, with residues of limbs beside it. */
static enum gfmul_status product_try(struct call *call, struct ocl_device *d, const struct product *p, bool *done)
{
    struct mul_beside beside;
    if (checks_beside(call, p))
        mul_beside_begin(call, &beside, p->z, p->a, p->an, p->kept ? NULL : p->b, p->bn, p->b_residue);
    const enum gfmul_status status = product_tried(call, d, p, done);
    mul_beside_end(call);
    return status;
}

enum gfmul_status mul_device_limbs(struct call *call, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn,
                                   bool *done)
{
    const struct product p = {.z = z, .a = a, .b = b, .an = an, .bn = bn};
    struct ocl_device *d;
    enum gfmul_status status = ctx_device_get(call, an + bn, &d);
    *done = status != GFMUL_OK;
    return d ? product_try(call, d, &p, done) : status;
}

enum gfmul_status mul_device_text(struct call *call, size_t limbs, char *z, size_t zn, const struct text_number *a,
                                  const struct text_number *b, bool *done)
{
    const struct product p = {.text = z, .text_n = zn, .text_a = a, .text_b = b};
    struct ocl_device *d;
    enum gfmul_status status = ctx_device_get(call, limbs, &d);
    *done = status != GFMUL_OK;
    return d ? product_try(call, d, &p, done) : status;
}

enum gfmul_status mul_device_kept(struct call *call, const struct mul_ocl_spectrum *k, mp_limb_t *z, const mp_limb_t *a,
                                  size_t an, const mp_limb_t *b, size_t bn, uint64_t b_residue, bool *done)
{
    const struct product p = {.z = z, .a = a, .b = b, .an = an, .bn = bn, .kept = k, .b_residue = b_residue};
    *done = false;
    if (ocl_device_lost(mul_ocl_spectrum_device(k)))
        return GFMUL_OK; /* a plain product opens it anew */
    return product_try(call, mul_ocl_spectrum_device(k), &p, done);
}

enum gfmul_status mul_device_plan(struct call *call, struct gfmul_plan_info *info, unsigned base, size_t an, size_t bn,
                                  size_t limbs, bool square, bool *done)
{
    struct ocl_device *d;
    enum gfmul_status status = ctx_device_get(call, limbs, &d);
    *done = status != GFMUL_OK;
    if (!d)
        return status;
    status = mul_ocl_plan(call, d, info, base, an > bn ? an : bn, an > bn ? bn : an, square);
    *done = status == GFMUL_OK || ctx_device_named(call->ctx);
    return *done ? status : GFMUL_OK;
}
