/*
 * mul_device_operand.c - numbers that stay on a device: set once, multiplied many times, fetched at the end.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "limbs/residue.h"
#include "mul/call_run.h"
#include "mul/ctx_device.h"
#include "mul/device_operand.h"
#include "mul/device_store.h"
#include "mul/engine.h"
#include "mul/mul_verify.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_staging.h"

/* An upper bound for the bits of a product of numbers on a device: no device holds as many. */
static const double resident_bits = 3e12;

/* moduli_for - choose the primes whose residues the numbers of a context carry; none if they are not checked. */
static enum gfmul_status moduli_for(struct call *call)
{
    const struct gfmul_options *opt = &call->ctx->opt;
    const unsigned asked = call_primes(call, false);
    const unsigned least = opt->rule == GFMUL_RULE_CHECKED ? residue_primes_needed(resident_bits, call->ctx->prime_bits) : 1;
    return opt->verify == GFMUL_VERIFY_NONE ? GFMUL_OK : call_moduli(call, asked > least ? asked : least, false);
}

/* device_for - the context's device, or an error, because the CPU cannot take over here. */
static enum gfmul_status device_for(struct call *call, struct ocl_device **d)
{
    TRY(ctx_device_get(call, SIZE_MAX, d));
    if (!*d && !call->report.detail[0])
        return call_fail(call, GFMUL_ERR_DEVICE, "this context has no OpenCL device");
    return *d ? GFMUL_OK : GFMUL_ERR_DEVICE;
}

/* words_get - get this memory; wait until there is some. */
static enum gfmul_status words_get(struct call *call, struct ocl_device *d, size_t bytes, cl_mem *words)
{
    struct device_store *store;
    TRY(device_store_get(call->ctx, d, &store));
    return device_store_words(call, store, bytes, words);
}

/* room_bytes - of a number's words. */
static size_t room_bytes(size_t max_limbs)
{
    return (max_limbs > 0 ? max_limbs : 1) * sizeof(mp_limb_t);
}

static enum gfmul_status operand_create(struct call *call, struct gfmul_device_operand **result, size_t max_limbs)
{
    struct ocl_device *d;
    cl_mem words;
    if (max_limbs >= MUL_LIMBS_END)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu limbs are too many", max_limbs);
    TRY(device_for(call, &d));
    struct gfmul_device_operand *op = alloc_zeroed(sizeof *op);
    if (!op)
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for an operand");
    const enum gfmul_status status = words_get(call, d, room_bytes(max_limbs), &words);
    if (status != GFMUL_OK) {
        alloc_free(op);
        return status;
    }
    op->ctx = call->ctx;
    op->d = d;
    op->words = words;
    op->max_limbs = max_limbs;
    *result = op;
    return GFMUL_OK;
}

bool device_operand_share(const struct gfmul_device_operand *op, size_t limbs)
{
    return !atomic_load(&op->exposed) && ocl_buffer_share(op->d, op->words, limbs * sizeof(mp_limb_t));
}

bool device_operand_adopt(struct gfmul_device_operand *op, void *words)
{
    const size_t bytes = room_bytes(op->max_limbs);
    if (atomic_load(&op->exposed) || ocl_buffer_bytes(op->d, words) < bytes || !ocl_buffer_share(op->d, words, bytes))
        return false;
    ocl_buffer_put(op->d, op->words);
    op->words = words;
    return true;
}

enum gfmul_status device_operand_own(struct call *call, struct gfmul_device_operand *op)
{
    cl_mem words;
    if (!ocl_buffer_is_shared(op->d, op->words))
        return GFMUL_OK;
    TRY(words_get(call, op->d, room_bytes(op->max_limbs), &words));
    if (call->ctx->opt.cl_queue && atomic_load(&op->exposed))
        (void)ocl_finish(OCL_ON(op->d, NULL)); /* the caller's own commands may read the old ones */
    ocl_buffer_put(op->d, op->words);
    op->words = words;
    return GFMUL_OK;
}

void gfmul_device_operand_destroy(struct gfmul_device_operand *op)
{
    if (!op)
        return;
    ctx_runners_settle(op->ctx); /* an abandoned call may use it */
    if (op->ctx->opt.cl_queue)
        ocl_finish(OCL_ON(op->d, NULL)); /* the caller's own commands may read it */
    ocl_buffer_put(op->d, op->words);
    alloc_free(op);
}

static enum gfmul_status host_alloc(struct call *call, void **p, size_t bytes)
{
    struct ocl_device *d;
    TRY(device_for(call, &d));
    return ocl_host_alloc(OCL_ON(d, call->why), bytes, p);
}

void gfmul_device_host_free(struct gfmul_ctx *ctx, void *p)
{
    enum gfmul_status status;
    if (!p || !(ctx = ctx_resolve(ctx, &status)))
        return;
    ctx_runners_settle(ctx);
    ctx_device_each(ctx, p, ocl_host_free);
}

static enum gfmul_status operand_set(struct call *call, struct gfmul_device_operand *op, const mp_limb_t *a, size_t an)
{
    if (an > op->max_limbs)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "%zu limbs are more than the %zu that there is room for", an, op->max_limbs);
    op->limbs = 0;
    memset(op->residue, 0, sizeof op->residue);
    TRY(moduli_for(call));
    if (an > 0)
        TRY(device_operand_own(call, op));
    const cl_event after = call->ctx->opt.cl_queue ? OCL_AFTER_QUEUE : OCL_AT_ONCE; /* the caller's commands may read it */
    const struct ocl_call *on = OCL_ON(op->d, call->why);
    TRY(ocl_upload(on, (struct ocl_span){op->words, 0, an * sizeof *a}, a, call->threads, after));
    if (call->n_moduli > 0)
        mul_residues(call, op->residue, a, an, true);
    TRY(ocl_finish(on)); /* the caller may reuse its memory when this returns, even pinned memory */
    op->limbs = an;
    op->length = limbs_normal_size(a, an);
    op->top = op->length > 0 ? a[op->length - 1] : 0;
    op->known = true;
    return GFMUL_OK;
}

static enum gfmul_status operand_get(struct call *call, const struct gfmul_device_operand *op, mp_limb_t *z, size_t zn)
{
    if (zn < op->limbs)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "%zu limbs have no room for the %zu of the value", zn, op->limbs);
    TRY(ocl_download(OCL_ON(op->d, call->why), z, (struct ocl_span){op->words, 0, op->limbs * sizeof *z}, call->threads,
                     OCL_AT_ONCE));
    if (zn > op->limbs)
        memset(z + op->limbs, 0, (zn - op->limbs) * sizeof *z);
    uint64_t r[RESIDUE_PRIMES_MAX];
    TRY(moduli_for(call));
    if (op->limbs == 0 || call->n_moduli == 0)
        return GFMUL_OK;
    mul_residues(call, r, z, op->limbs, true);
    call->report.residue_prime = call->moduli[0].p;
    for (unsigned k = 0; k < call->n_moduli; k++)
        if (r[k] != op->residue[k])
            return call_fail(call, GFMUL_ERR_VERIFY,
                             "what came from the device is %" PRIu64 " modulo %" PRIu64 ", but should be %" PRIu64, r[k],
                             call->moduli[k].p, op->residue[k]);
    return GFMUL_OK;
}

static enum gfmul_status operand_mul(struct call *call, struct gfmul_device_operand *z, const struct gfmul_device_operand *a,
                                     const struct gfmul_device_operand *b)
{
    const size_t an = a->limbs, bn = b->limbs;
    if (a->d != z->d || b->d != z->d || a->ctx != z->ctx || b->ctx != z->ctx)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "the numbers are not all of one context");
    if (z == a || z == b)
        return call_fail(call, GFMUL_ERR_OVERLAP, "the product overlaps an operand");
    if (an + bn > z->max_limbs)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "the product has up to %zu limbs, there is room for %zu", an + bn,
                         z->max_limbs);
    z->limbs = 0;
    z->known = false;
    memset(z->residue, 0, sizeof z->residue);
    TRY(moduli_for(call));
    const struct residue_modulus *const moduli = call->moduli; /* the product's own check may choose more primes, or others */
    const unsigned n_residues = call->n_moduli;
    if (an == 0 || bn == 0)
        return GFMUL_OK;
    TRY(device_operand_own(call, z));
    const struct number x = number_words(a->d, a->words, an), y = number_words(b->d, b->words, bn);
    const struct product p = {
        .z = number_words(z->d, z->words, an + bn), .a = an < bn ? y : x, .b = an < bn ? x : y, .square = a == b};
    TRY(product_make(call, &p, false, NULL));
    z->limbs = an + bn;
    for (unsigned k = 0; k < n_residues; k++)
        z->residue[k] = residue_mul(a->residue[k], b->residue[k], moduli[k].p);
    return GFMUL_OK;
}

/* The arguments of the public functions below. */
struct device_arguments {
    void **memory;
    struct gfmul_device_operand **made, *z;
    const struct gfmul_device_operand *a, *b;
    mp_limb_t *to;
    const mp_limb_t *from;
    size_t n; /* bytes or limbs */
};

static enum gfmul_status host_alloc_checked(struct call *call, const void *arguments)
{
    const struct device_arguments *x = arguments;
    return host_alloc(call, x->memory, x->n);
}

static enum gfmul_status create_checked(struct call *call, const void *arguments)
{
    const struct device_arguments *x = arguments;
    return operand_create(call, x->made, x->n);
}

static enum gfmul_status set_checked(struct call *call, const void *arguments)
{
    const struct device_arguments *x = arguments;
    return operand_set(call, x->z, x->from, x->n);
}

static enum gfmul_status get_checked(struct call *call, const void *arguments)
{
    const struct device_arguments *x = arguments;
    return operand_get(call, x->a, x->to, x->n);
}

static enum gfmul_status mul_checked(struct call *call, const void *arguments)
{
    const struct device_arguments *x = arguments;
    return operand_mul(call, x->z, x->a, x->b);
}

enum gfmul_status gfmul_device_host_alloc(struct gfmul_ctx *ctx, void **p, size_t bytes)
{
    const struct device_arguments of = {.memory = p, .n = bytes};
    if (!p)
        return GFMUL_ERR_ARGUMENT;
    *p = NULL;
    return call_run(ctx, &(struct call_work)CALL_WORK(host_alloc_checked, &of, 0));
}

enum gfmul_status gfmul_device_operand_create(struct gfmul_ctx *ctx, struct gfmul_device_operand **op, size_t max_limbs)
{
    const struct device_arguments of = {.made = op, .n = max_limbs};
    if (!op)
        return GFMUL_ERR_ARGUMENT;
    *op = NULL;
    return call_run(ctx, &(struct call_work)CALL_WORK(create_checked, &of, 0));
}

enum gfmul_status gfmul_device_operand_set(struct gfmul_device_operand *op, const mp_limb_t *a, size_t an)
{
    const struct device_arguments of = {.z = op, .from = a, .n = an};
    if (!op || (!a && an > 0))
        return GFMUL_ERR_ARGUMENT;
    return call_run(op->ctx, &(struct call_work)CALL_WORK(set_checked, &of, 0));
}

enum gfmul_status gfmul_device_operand_get(const struct gfmul_device_operand *op, mp_limb_t *z, size_t zn)
{
    const struct device_arguments of = {.a = op, .to = z, .n = zn};
    if (!op || (!z && zn > 0))
        return GFMUL_ERR_ARGUMENT;
    return call_run(op->ctx, &(struct call_work)CALL_WORK(get_checked, &of, 0));
}

enum gfmul_status gfmul_device_operand_mul(struct gfmul_device_operand *z, const struct gfmul_device_operand *a,
                                           const struct gfmul_device_operand *b)
{
    const struct device_arguments of = {.z = z, .a = a, .b = b};
    if (!z || !a || !b)
        return GFMUL_ERR_ARGUMENT;
    return call_run(z->ctx, &(struct call_work)CALL_WORK(mul_checked, &of, a->limbs + b->limbs));
}

size_t gfmul_device_operand_limbs(const struct gfmul_device_operand *op)
{
    return op ? op->limbs : 0;
}

void *gfmul_device_operand_mem(const struct gfmul_device_operand *op)
{
    if (!op)
        return NULL;
    atomic_store(&((struct gfmul_device_operand *)op)->exposed, true); /* its value does not change */
    return op->words;
}
