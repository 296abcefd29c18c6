/*
 * space_device.c - spaces on an OpenCL device: where they are, and their numbers there.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/ctx_device.h"
#include "mul/device_operand.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_staging.h"
#include "space/space_device_state.h"

/* ---- spaces ---- */

/* allowed - whether the options of the context admit such sums on a device. */
static bool allowed(const struct call *call)
{
    const struct gfmul_options *opt = &call->ctx->opt;
    const bool points = (opt->precision == GFMUL_PRECISION_AUTO || opt->precision == GFMUL_PRECISION_DOUBLE) &&
                        (opt->packing == GFMUL_PACKING_AUTO || opt->packing == GFMUL_PACKING_RIGHT_ANGLE);
    const bool primes = opt->precision == GFMUL_PRECISION_PRIME && opt->packing == GFMUL_PACKING_AUTO;
    return call->ctx->device_named && (opt->engine == GFMUL_ENGINE_AUTO || opt->engine == GFMUL_ENGINE_OPENCL) &&
           opt->rule == GFMUL_RULE_NORM && opt->verify != GFMUL_VERIFY_GMP && !opt->certify && (points || primes);
}

/* Parts of a sum have to cost less than this part of a longer one, because their values are added. */
static const double part_pays = 0.95;

/*
 * A device with slow doubles may make products modulo primes where sums have no digits for that.  Transforms in double pay up to
 * so many times the cost of a product, because products made one by one go through the host.
 */
static const double double_pays = 4.0;

/* Parts of fewer products have too many ways back.  Digits for more cost so much that parts pay; their search would be long. */
enum { PART_LEAST = 16, PART_MOST = 1024 };

/*
 * sums_find - the plan that costs least for each product: of whole sums, or of parts of them, because digits for fewer products
 * are longer.   With the lock.   Errors: those of device_store_shape for the longest ones, if there is no plan for any.
 */
static enum gfmul_status sums_find(struct call *call, const struct gfmul_space *space, struct space_device *on,
                                   struct plan_request *request)
{
    const size_t most = space->max_products < PART_MOST ? space->max_products : PART_MOST;
    enum gfmul_status first = GFMUL_OK;
    for (size_t n = most;; n = (n + 1) / 2) {
        struct plan_shape shape;
        request->products = n;
        plan_request_worst(request);
        const enum gfmul_status status = device_store_shape(call, on->store, request, 0, &shape);
        first = n == most ? status : first;
        if (status == GFMUL_OK && (on->products == 0 || shape.device.cost < part_pays * on->shape.device.cost)) {
            on->shape = shape;
            on->products = n;
        }
        if (n < 2 * PART_LEAST)
            return on->products > 0 ? GFMUL_OK : first;
    }
}

/*
 * shape_find - the plan of sums, in the field that costs less.   there out: false: products are better made one by one.   With
 * the lock.
 * As space_plan's: the factors of a product have half of its bits each, and the shorter one at most as many digits as these.
 */
static enum gfmul_status shape_find(struct call *call, const struct gfmul_space *space, struct space_device *on, bool *there)
{
    const size_t half = 32 * space->limbs + 64;
    struct plan_request request;
    struct plan_shape product;
    ctx_plan_request(call, &request, 2, half, half, true);
    request.wrap = PLAN_WRAP_NEVER;
    request.cold = false;
    *there = false;
    TRY(device_store_shape(call, on->store, &request, 0, &product));
    TRY(sums_find(call, space, on, &request));
    *there = on->shape.field == product.field || on->shape.device.cost <= double_pays * product.device.cost;
    return GFMUL_OK;
}

/* shape_there - whether the space gets a plan; none is no failure, because products are made one by one then. */
static enum gfmul_status shape_there(struct call *call, const struct gfmul_space *space, struct space_device *on, bool *there)
{
    TRY(device_store_get(call->ctx, on->d, &on->store));
    ocl_device_lock(on->d);
    const enum gfmul_status status = shape_find(call, space, on, there);
    ocl_device_unlock(on->d);
    if (status != GFMUL_ERR_UNSUPPORTED && status != GFMUL_ERR_SIZE && status != GFMUL_ERR_MEMORY)
        return status;
    call->why[0] = '\0';
    return GFMUL_OK;
}

enum gfmul_status space_device_begin(struct call *call, struct gfmul_space *space)
{
    struct ocl_device *d = NULL;
    bool there = false;
    if (space->wraps != 0 || !allowed(call))
        return GFMUL_OK;
    TRY(ctx_device_get(call, SIZE_MAX, &d));
    if (!d)
        return GFMUL_OK;
    struct space_device *on = alloc_zeroed(sizeof *on);
    if (!on)
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for a space");
    on->d = d;
    const enum gfmul_status status = shape_there(call, space, on, &there);
    if (status == GFMUL_OK && there)
        space->device = on;
    else
        alloc_free(on);
    return status;
}

void space_device_end(struct gfmul_space *space)
{
    alloc_free(space->device);
    space->device = NULL;
}

bool space_device_takes(const struct gfmul_space *space, const struct natural *x)
{
    return x->n <= space->limbs / 2 + 1; /* 64 of these are at most the bits of shape_find */
}

/* ---- numbers on the device ---- */

/* number_check - whether a number on a device may meet this space. */
static enum gfmul_status number_check(struct call *call, const struct gfmul_space *space, const struct gfmul_device_operand *a)
{
    if (!space->device)
        return call_fail(call, GFMUL_ERR_UNSUPPORTED, "the space is not on a device");
    if (a->ctx != space->ctx || a->d != space->device->d)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "the number is of another context or device than the space");
    if (ocl_device_lost(a->d)) /* words that are shared need no command that would tell */
        return call_fail(call, GFMUL_ERR_DEVICE, "the device of the space is gone");
    return GFMUL_OK;
}

/* number_fetch - a number of the device by way of the host: its highest limbs are 0, or it is short or too long. */
static enum gfmul_status number_fetch(struct call *call, struct gfmul_space *space, struct integer *x,
                                      const struct gfmul_device_operand *a)
{
    void *room;
    TRY(ctx_buffer_get(call, a->limbs * sizeof(mp_limb_t), &room));
    enum gfmul_status status = ocl_download(OCL_ON(space->device->d, call->why), room, device_limbs(a->words, 0, a->limbs),
                                            call->threads, OCL_AFTER_QUEUE);
    if (status == GFMUL_OK)
        status = device_residues_check(call, space, room, a->limbs, a->residue);
    if (status == GFMUL_OK)
        status = natural_make(call, space, &x->x, room, a->limbs, a->residue);
    ctx_buffer_put(call, room);
    return status;
}

/* copy_enqueue - enqueue a copy of a into words of the space, unless they are a's own, and a read of its highest limbs.   With
   the lock. */
static enum gfmul_status copy_enqueue(const struct ocl_call *on, struct device_made *m, const struct gfmul_device_operand *a)
{
    if (m->words != a->words)
        TRY(ocl_copy(on, device_limbs(m->words, 0, m->n_limbs), a->words));
    return device_made_start(on, m);
}

/* number_copy - copy a into words of the space, unless they are a's own.   m out: its highest limbs.   One wait is for both. */
static enum gfmul_status number_copy(struct call *call, const struct gfmul_space *space, const struct gfmul_device_operand *a,
                                     struct device_made *m)
{
    const struct space_device *device = space->device;
    const struct ocl_call *on = OCL_ON(device->d, call->why);
    ocl_device_lock(device->d);
    enum gfmul_status status = copy_enqueue(on, m, a);
    ocl_device_unlock(device->d);
    if (status == GFMUL_OK)
        status = device_made_wait(on, m);
    if (status != GFMUL_OK)
        ocl_drain(device->d);
    ocl_readback_end(device->d, &m->highest);
    return status;
}

/*
 * number_words_get - words of the space with the value of a: a's own, or a copy.
 *
 *   m  out  its words are to be given back
 *   n  out  its length; 0: its highest limbs are all 0.   top out: the highest one
 */
static enum gfmul_status number_words_get(struct call *call, const struct gfmul_space *space,
                                          const struct gfmul_device_operand *a, struct device_made *m, size_t *n, mp_limb_t *top)
{
    const bool shared = device_operand_share(a, m->n_limbs);
    m->words = a->words;
    *n = a->length;
    *top = a->top;
    if (shared && a->known)
        return GFMUL_OK;
    if (!shared)
        TRY(device_store_words(call, space->device->store, m->n_limbs * sizeof(mp_limb_t), &m->words));
    const enum gfmul_status status = number_copy(call, space, a, m);
    *n = status == GFMUL_OK ? device_made_length(m, top) : 0;
    if (status != GFMUL_OK)
        ocl_buffer_put(space->device->d, m->words);
    return status;
}

enum gfmul_status device_number_set(struct call *call, struct gfmul_space *space, struct integer *x,
                                    const struct gfmul_device_operand *a)
{
    struct device_made m = {.n_limbs = a->known ? a->length : a->limbs};
    mp_limb_t top = 0;
    size_t n = 0;
    *x = (struct integer){.x = NULL};
    TRY(number_check(call, space, a));
    if (m.n_limbs == 0 || a->limbs == 0)
        return GFMUL_OK;
    if (m.n_limbs <= DEVICE_TOP_LIMBS || m.n_limbs > space->limbs + DEVICE_TOP_LIMBS)
        return number_fetch(call, space, x, a);
    TRY(number_words_get(call, space, a, &m, &n, &top));
    enum gfmul_status status = n > 0 ? natural_of_words(call, space, &x->x, m.words, n, top, a->residue) : GFMUL_OK;
    if (n > 0 && status == GFMUL_OK)
        device_memory_count(space, m.words);
    else
        ocl_buffer_put(space->device->d, m.words);
    return n > 0 ? status : number_fetch(call, space, x, a);
}

/* limbs_enqueue - enqueue the limbs of x into a number on the device; an upload waits for its host copy, so it has no lock. */
static enum gfmul_status limbs_enqueue(struct call *call, const struct natural *x, const struct gfmul_device_operand *z)
{
    const struct ocl_call *on = OCL_ON(z->d, call->why);
    const struct ocl_span to = device_limbs(z->words, 0, x->n);
    if (!x->words)
        return ocl_upload(on, to, x->limbs, call->threads, OCL_AFTER_QUEUE);
    ocl_device_lock(z->d);
    const enum gfmul_status status = ocl_copy(on, to, x->words);
    ocl_device_unlock(z->d);
    return status;
}

/* limbs_put - put the limbs of x into a number on the device: by its words, if it can have them. */
static enum gfmul_status limbs_put(struct call *call, const struct natural *x, struct gfmul_device_operand *z)
{
    if (x->words && device_operand_adopt(z, x->words))
        return GFMUL_OK;
    TRY(device_operand_own(call, z));
    const enum gfmul_status status = limbs_enqueue(call, x, z);
    if (status == GFMUL_OK)
        return ocl_finish(OCL_ON(z->d, call->why));
    ocl_drain(z->d);
    return status;
}

enum gfmul_status device_number_get(struct call *call, struct gfmul_space *space, const struct integer *x,
                                    struct gfmul_device_operand *z)
{
    const size_t n = x->x ? x->x->n : 0;
    TRY(number_check(call, space, z));
    if (n > z->max_limbs)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "the value has %zu limbs, there is room for %zu", n, z->max_limbs);
    z->limbs = 0;
    memset(z->residue, 0, sizeof z->residue);
    if (n == 0)
        return GFMUL_OK;
    TRY(limbs_put(call, x->x, z));
    z->limbs = z->length = n;
    z->top = x->x->top;
    z->known = true;
    memcpy(z->residue, x->x->residue, space->n_residues * sizeof *z->residue);
    return GFMUL_OK;
}
