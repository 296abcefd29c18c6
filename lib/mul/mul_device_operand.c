/*
 * mul_device_operand.c - numbers that stay on a device: set once, multiplied many times, fetched at the end.
 *
 * Each carries the residue that its value should have: that of the limbs it was set to, or the product of two such.  What is
 * fetched is checked against it.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "limbs/residue.h"
#include "mul/ctx.h"
#include "mul/mul_ocl_kept.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_staging.h"

struct gfmul_device_operand {
    struct gfmul_ctx *ctx;
    struct ocl_device *d; /* open as long as the context */
    void *words;          /* a cl_mem */
    size_t max_limbs, limbs;
    uint64_t residue; /* of the value, modulo the context's prime */
};

#ifdef HAVE_OPENCL
/* device_for - the context's device, or an error: here the CPU is no way out. */
static enum gfmul_status device_for(struct call *call, struct ocl_device **d)
{
    enum gfmul_status status = ctx_device_get(call, SIZE_MAX, d);
    if (status == GFMUL_OK && !*d) {
        status = GFMUL_ERR_DEVICE;
        if (!call->report.detail[0])
            call_detail(call, "this context has no OpenCL device");
    }
    return status;
}

static enum gfmul_status operand_create(struct call *call, struct gfmul_device_operand **result, size_t max_limbs)
{
    struct ocl_device *d;
    struct ocl_kept *kept;
    cl_mem words = NULL;
    if (max_limbs >= MUL_LIMBS_END) {
        call_detail(call, "%zu limbs are too many", max_limbs);
        return GFMUL_ERR_SIZE;
    }
    enum gfmul_status status = device_for(call, &d);
    if (status != GFMUL_OK)
        return status;
    struct gfmul_device_operand *op = alloc_aligned(sizeof *op);
    if (!op) {
        call_detail(call, "out of memory for an operand");
        return GFMUL_ERR_MEMORY;
    }
    status = ocl_kept_get(call->ctx, d, &kept);
    if (status == GFMUL_OK)
        status = ocl_kept_buffer(call, kept, (max_limbs > 0 ? max_limbs : 1) * sizeof(mp_limb_t), &words);
    if (status != GFMUL_OK) {
        alloc_free(op);
        return status;
    }
    memset(op, 0, sizeof *op);
    op->ctx = call->ctx;
    op->d = d;
    op->words = words;
    op->max_limbs = max_limbs;
    *result = op;
    return GFMUL_OK;
}

void gfmul_device_operand_destroy(struct gfmul_device_operand *op)
{
    if (!op)
        return;
    if (op->ctx->opt.cl_queue)
        ocl_finish(op->d, NULL); /* the caller's own commands may read it */
    ocl_buffer_put(op->d, op->words);
    alloc_free(op);
}

static enum gfmul_status host_alloc(struct call *call, void **p, size_t bytes)
{
    struct ocl_device *d;
    enum gfmul_status status = device_for(call, &d);
    return status == GFMUL_OK ? ocl_host_alloc(d, bytes, p, call->report.detail) : status;
}

void gfmul_device_host_free(struct gfmul_ctx *ctx, void *p)
{
    enum gfmul_status status;
    if (p && (ctx = ctx_resolve(ctx, &status)))
        ctx_device_each(ctx, p, ocl_host_free);
}

static enum gfmul_status operand_set(struct call *call, struct gfmul_device_operand *op, const mp_limb_t *a, size_t an)
{
    if (an > op->max_limbs) {
        call_detail(call, "%zu limbs are more than the %zu that there is room for", an, op->max_limbs);
        return GFMUL_ERR_ARGUMENT;
    }
    op->limbs = 0;
    op->residue = 0;
    const cl_event after = call->ctx->opt.cl_queue ? OCL_AFTER_QUEUE : OCL_AT_ONCE; /* the caller's commands may read it */
    enum gfmul_status status = ocl_upload(op->d, op->words, 0, a, an * sizeof *a, call->threads, after, call->report.detail);
    if (status == GFMUL_OK && call->ctx->opt.verify != GFMUL_VERIFY_NONE && an > 0)
        op->residue = mul_residue(call, a, an, true);
    if (status == GFMUL_OK) /* pinned memory is the caller's again when this returns, as any other */
        status = ocl_finish(op->d, call->report.detail);
    if (status == GFMUL_OK)
        op->limbs = an;
    return status;
}

static enum gfmul_status operand_get(struct call *call, const struct gfmul_device_operand *op, mp_limb_t *z, size_t zn)
{
    if (zn < op->limbs) {
        call_detail(call, "%zu limbs have no room for the %zu of the value", zn, op->limbs);
        return GFMUL_ERR_ARGUMENT;
    }
    enum gfmul_status status =
        ocl_download(op->d, z, op->words, 0, op->limbs * sizeof *z, call->threads, OCL_AT_ONCE, call->report.detail);
    if (status != GFMUL_OK)
        return status;
    if (zn > op->limbs)
        memset(z + op->limbs, 0, (zn - op->limbs) * sizeof *z);
    if (call->ctx->opt.verify == GFMUL_VERIFY_NONE || op->limbs == 0)
        return GFMUL_OK;
    const uint64_t r = mul_residue(call, z, op->limbs, true);
    if (r == op->residue)
        return GFMUL_OK;
    call_detail(call, "what came from the device is %" PRIu64 " modulo %" PRIu64 ", but should be %" PRIu64, r,
                call->report.residue_prime, op->residue);
    return GFMUL_ERR_VERIFY;
}

static enum gfmul_status operand_mul(struct call *call, struct gfmul_device_operand *z, const struct gfmul_device_operand *a,
                                     const struct gfmul_device_operand *b)
{
    const size_t an = a->limbs, bn = b->limbs;
    enum gfmul_status status = GFMUL_OK;
    struct ocl_profile profile;
    const struct number x = number_words(a->words, an), y = number_words(b->words, bn);
    const struct product p = {.z = number_words(z->words, an + bn), .a = an < bn ? y : x, .b = an < bn ? x : y, .square = a == b};
    bool fits;
    if (a->d != z->d || b->d != z->d || a->ctx != z->ctx || b->ctx != z->ctx) {
        call_detail(call, "the numbers are not all of one context");
        return GFMUL_ERR_ARGUMENT;
    }
    if (z == a || z == b) {
        call_detail(call, "the product overlaps an operand");
        return GFMUL_ERR_OVERLAP;
    }
    if (an + bn > z->max_limbs) {
        call_detail(call, "the product has up to %zu limbs, there is room for %zu", an + bn, z->max_limbs);
        return GFMUL_ERR_ARGUMENT;
    }
    z->limbs = 0;
    z->residue = 0;
    if (an == 0 || bn == 0)
        return GFMUL_OK;
    if ((status = call_progress(call, 0)) != GFMUL_OK)
        return status;
    for (unsigned tries = 0; tries < 2; tries++) { /* what cannot be right is made once more */
        profile.n_kernels = profile.n_pending = 0;
        call->profile = call->ctx->opt.profile ? &profile : NULL;
        status = mul_ocl(call, z->d, &p, &fits);
        call->profile = NULL;
        if (status == GFMUL_OK)
            status = ocl_profile_read(z->d, &profile, call->report.detail);
        else
            ocl_profile_drop(&profile);
        if (status != GFMUL_ERR_VERIFY)
            break;
        call->report.n_device_errors++;
    }
    if (status != GFMUL_OK) {
        ctx_device_failed(call->ctx, z->d, call->report.detail);
        return status;
    }
    call->n_kernels = profile.n_kernels;
    memcpy(call->kernel, profile.kernel, profile.n_kernels * sizeof profile.kernel[0]);
    z->limbs = an + bn;
    if (call->ctx->opt.verify != GFMUL_VERIFY_NONE)
        z->residue = residue_mul(a->residue, b->residue, ctx_prime(call));
    return GFMUL_OK;
}

#else

static enum gfmul_status operand_create(struct call *call, struct gfmul_device_operand **result, size_t max_limbs)
{
    (void)result, (void)max_limbs;
    call_detail(call, "this build has no OpenCL");
    return GFMUL_ERR_DEVICE;
}

void gfmul_device_operand_destroy(struct gfmul_device_operand *op)
{
    (void)op; /* there is none */
}

static enum gfmul_status host_alloc(struct call *call, void **p, size_t bytes)
{
    (void)p, (void)bytes;
    call_detail(call, "this build has no OpenCL");
    return GFMUL_ERR_DEVICE;
}

void gfmul_device_host_free(struct gfmul_ctx *ctx, void *p)
{
    (void)ctx, (void)p; /* there is none */
}

static enum gfmul_status operand_set(struct call *call, struct gfmul_device_operand *op, const mp_limb_t *a, size_t an)
{
    (void)call, (void)op, (void)a, (void)an;
    return GFMUL_ERR_DEVICE;
}

static enum gfmul_status operand_get(struct call *call, const struct gfmul_device_operand *op, mp_limb_t *z, size_t zn)
{
    (void)call, (void)op, (void)z, (void)zn;
    return GFMUL_ERR_DEVICE;
}

static enum gfmul_status operand_mul(struct call *call, struct gfmul_device_operand *z, const struct gfmul_device_operand *a,
                                     const struct gfmul_device_operand *b)
{
    (void)call, (void)z, (void)a, (void)b;
    return GFMUL_ERR_DEVICE;
}
#endif

enum gfmul_status gfmul_device_host_alloc(struct gfmul_ctx *ctx, void **p, size_t bytes)
{
    struct call call;
    enum gfmul_status status;
    if (!p)
        return GFMUL_ERR_ARGUMENT;
    *p = NULL;
    if (!(ctx = ctx_resolve(ctx, &status)))
        return status;
    call_begin(&call, ctx);
    return call_end(&call, host_alloc(&call, p, bytes));
}

enum gfmul_status gfmul_device_operand_create(struct gfmul_ctx *ctx, struct gfmul_device_operand **op, size_t max_limbs)
{
    struct call call;
    enum gfmul_status status;
    if (!op)
        return GFMUL_ERR_ARGUMENT;
    *op = NULL;
    if (!(ctx = ctx_resolve(ctx, &status)))
        return status;
    call_begin(&call, ctx);
    return call_end(&call, operand_create(&call, op, max_limbs));
}

enum gfmul_status gfmul_device_operand_set(struct gfmul_device_operand *op, const mp_limb_t *a, size_t an)
{
    struct call call;
    if (!op || (!a && an > 0))
        return GFMUL_ERR_ARGUMENT;
    call_begin(&call, op->ctx);
    return call_end(&call, operand_set(&call, op, a, an));
}

enum gfmul_status gfmul_device_operand_get(const struct gfmul_device_operand *op, mp_limb_t *z, size_t zn)
{
    struct call call;
    if (!op || (!z && zn > 0))
        return GFMUL_ERR_ARGUMENT;
    call_begin(&call, op->ctx);
    return call_end(&call, operand_get(&call, op, z, zn));
}

enum gfmul_status gfmul_device_operand_mul(struct gfmul_device_operand *z, const struct gfmul_device_operand *a,
                                           const struct gfmul_device_operand *b)
{
    struct call call;
    if (!z || !a || !b)
        return GFMUL_ERR_ARGUMENT;
    call_begin(&call, z->ctx);
    return call_end(&call, operand_mul(&call, z, a, b));
}

size_t gfmul_device_operand_limbs(const struct gfmul_device_operand *op)
{
    return op ? op->limbs : 0;
}

void *gfmul_device_operand_mem(const struct gfmul_device_operand *op)
{
    return op ? op->words : NULL;
}
