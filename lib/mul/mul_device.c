/*
 * mul_device.c - products that may go to a device: the check of what comes back, the second try, the way back to the CPU.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "mul/ctx.h"
#include "ocl/ocl_device.h"

/* product_check - the product by the context's check; by residues too where the caller will check what it makes of it. */
static enum gfmul_status product_check(struct call *call, const struct product *p)
{
    if (call->beside)
        return mul_beside_check(call);
    if (call->ctx->opt.verify == GFMUL_VERIFY_NONE)
        return GFMUL_OK;
    if (p->z.digits && !text_is_digits(p->z.digits, p->z.n, p->z.base, call->threads)) {
        call_detail(call, "the product has characters that are no digits");
        return GFMUL_ERR_VERIFY;
    }
    return product_verify(call, p);
}

/* checks_beside - whether the product is checked by residues of limbs, which are taken while the device works. */
static bool checks_beside(const struct call *call, const struct product *p)
{
    const struct gfmul_options *opt = &call->ctx->opt;
    return !p->z.digits && (opt->verify == GFMUL_VERIFY_MOD ||
                            (p->b.on_device && opt->verify == GFMUL_VERIFY_NONE && opt->rule == GFMUL_RULE_CHECKED));
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
    status = mul_ocl(call, d, p, &fits);
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
    if (p->b.on_device && status == GFMUL_ERR_UNSUPPORTED) { /* too large beside the spectrum: a plain product is tried */
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
        mul_beside_begin(call, &beside, p);
    const enum gfmul_status status = product_tried(call, d, p, done);
    mul_beside_end(call);
    return status;
}

enum gfmul_status mul_device(struct call *call, const struct product *p, size_t limbs, bool *done)
{
    struct ocl_device *d;
    if (p->b.on_device) {
        d = mul_ocl_spectrum_device(p->b.on_device);
        *done = false;
        return ocl_device_lost(d) ? GFMUL_OK : product_try(call, d, p, done); /* a plain product opens it anew */
    }
    enum gfmul_status status = ctx_device_get(call, limbs, &d);
    *done = status != GFMUL_OK;
    return d ? product_try(call, d, p, done) : status;
}

enum gfmul_status mul_device_plan(struct call *call, const struct product *p, size_t limbs, struct gfmul_plan_info *info,
                                  bool *done)
{
    struct ocl_device *d;
    enum gfmul_status status = ctx_device_get(call, limbs, &d);
    *done = status != GFMUL_OK;
    if (!d)
        return status;
    status = mul_ocl_plan(call, d, p, info);
    *done = status == GFMUL_OK || ctx_device_named(call->ctx);
    return *done ? status : GFMUL_OK;
}
