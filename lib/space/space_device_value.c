/*
 * space_device_value.c - values of a space on an OpenCL device: from two's complement to a number, and their sums.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A value is made modulo a power of 2^64 that is larger than twice its magnitude, so its highest bit is its sign.  A negative one
 * is negated there.  The host reads its highest limbs alone, which tell its length.
 */
#include <string.h>

#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/ctx_device.h"
#include "mul/mul_verify.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_residue.h"
#include "ocl/ocl_words.h"
#include "space/space_device_state.h"
#include "space/space_sum.h"

/* ---- what a device has made ---- */

/* tops - how many of its highest limbs are looked at on the host. */
static size_t tops(const struct device_made *m)
{
    return m->n_limbs < DEVICE_TOP_LIMBS ? m->n_limbs : DEVICE_TOP_LIMBS;
}

enum gfmul_status device_made_start(const struct ocl_call *on, struct device_made *m)
{
    ocl_readback_end(on->device, &m->highest);
    return ocl_readback_start(on, &m->highest, device_limbs(m->words, m->n_limbs - tops(m), tops(m)));
}

enum gfmul_status device_made_wait(const struct ocl_call *on, struct device_made *m)
{
    TRY(ocl_readback_wait(on, &m->highest));
    memset(m->top, 0, sizeof m->top);
    memcpy(m->top + DEVICE_TOP_LIMBS - tops(m), m->highest.p, tops(m) * sizeof *m->top);
    return GFMUL_OK;
}

bool device_made_sign(const struct device_made *m)
{
    return m->top[DEVICE_TOP_LIMBS - 1] >> 63;
}

size_t device_made_length(const struct device_made *m, mp_limb_t *top)
{
    const size_t n = limbs_normal_size(m->top, DEVICE_TOP_LIMBS);
    *top = n > 0 ? m->top[n - 1] : 0;
    return n > 0 ? m->n_limbs - (DEVICE_TOP_LIMBS - n) : 0;
}

/* value_find - its length, if it is so short that its highest limbs do not tell. */
static enum gfmul_status value_find(struct call *call, const struct ocl_call *on, const struct device_made *m,
                                    struct device_value *v)
{
    void *room;
    TRY(ctx_buffer_get(call, m->n_limbs * sizeof(mp_limb_t), &room));
    const mp_limb_t *z = room;
    const enum gfmul_status status = ocl_download(on, room, device_limbs(m->words, 0, m->n_limbs), call->threads, OCL_AT_ONCE);
    v->n = status == GFMUL_OK ? limbs_normal_size(z, m->n_limbs) : 0;
    v->top = v->n > 0 ? z[v->n - 1] : 0;
    ctx_buffer_put(call, room);
    return status;
}

/* value_check - whether the device has made the value: nothing is kept before.   Errors: VERIFY. */
static enum gfmul_status value_check(struct call *call, const struct ocl_call *on, const struct device_made *m,
                                     const struct device_value *v)
{
    const struct ocl_residue_number number = {m->words, 2 * v->n};
    const unsigned n = v->space->n_residues;
    uint64_t prime[RESIDUE_PRIMES_MAX], residue[1][RESIDUE_PRIMES_MAX];
    if (n == 0)
        return GFMUL_OK;
    for (unsigned k = 0; k < n; k++)
        prime[k] = call->moduli[k].p;
    const enum phase phase = phase_enter(&call->clock, PHASE_VERIFY);
    ocl_device_lock(on->device);
    const enum gfmul_status status = ocl_residues(on, &number, 1, false, n, prime, residue);
    ocl_device_unlock(on->device);
    phase_enter(&call->clock, phase);
    TRY(status);
    return memcmp(residue[0], v->residue, n * sizeof *prime) == 0
               ? GFMUL_OK
               : call_fail(call, GFMUL_ERR_VERIFY, "a sum on the device is wrong by its residue");
}

enum gfmul_status device_made_value(struct call *call, const struct ocl_call *on, struct device_made *m, struct device_value *v)
{
    v->n = device_made_length(m, &v->top);
    if (v->n == 0)
        TRY(value_find(call, on, m, v));
    v->negative = m->negative;
    if (v->n == 0)
        return device_residues_check(call, v->space, &(mp_limb_t){0}, 1, v->residue);
    TRY(value_check(call, on, m, v));
    v->words = m->words;
    m->words = NULL;
    device_memory_count(v->space, v->words);
    return GFMUL_OK;
}

void device_value_drop(struct device_value *v)
{
    device_memory_put(v->space, v->words);
    v->words = NULL;
    v->n = 0;
}

enum gfmul_status device_value_take(struct call *call, struct device_value *v, struct integer *x)
{
    *x = (struct integer){.negative = v->negative};
    if (!v->words)
        return GFMUL_OK;
    const enum gfmul_status status = natural_of_words(call, v->space, &x->x, v->words, v->n, v->top, v->residue);
    if (status != GFMUL_OK)
        device_value_drop(v);
    return status;
}

/* ---- sums of numbers ---- */

/* A number that is added: on the device, or on the host. */
struct part {
    cl_mem words;
    const mp_limb_t *limbs; /* if there are no words */
    size_t n;
    int32_t times;
    const uint64_t *residue;
};

/* All that a sum of two numbers holds on the device. */
struct addition {
    struct call *call;
    const struct space_device *device;
    struct ocl_call ocl;
    struct ocl_profile profile;
    struct part part[2];
    cl_mem upload[2]; /* for parts on the host */
    struct ocl_words kernels;
    struct device_made made;
    size_t bytes;
};

/* take - a buffer that is counted. */
static enum gfmul_status take(struct addition *a, size_t limbs, cl_mem *m)
{
    a->bytes += limbs * sizeof(mp_limb_t);
    return ocl_buffer_get(&a->ocl, limbs * sizeof(mp_limb_t), m);
}

static enum gfmul_status buffers_take(struct addition *a)
{
    a->bytes = ocl_words_bytes(2 * a->made.n_limbs);
    TRY(ocl_words_get(&a->ocl, &a->kernels, 2 * a->made.n_limbs));
    TRY(take(a, a->made.n_limbs, &a->made.words));
    for (unsigned i = 0; i < 2; i++)
        if (!a->part[i].words)
            TRY(take(a, a->part[i].n > 0 ? a->part[i].n : 1, &a->upload[i]));
    return GFMUL_OK;
}

/* buffers_put - give back what the sum holds.   With the lock. */
static void buffers_put(struct addition *a)
{
    ocl_readback_end(a->device->d, &a->made.highest);
    for (unsigned i = 0; i < 2; i++) {
        ocl_buffer_put(a->device->d, a->upload[i]);
        a->upload[i] = NULL;
    }
    ocl_buffer_put(a->device->d, a->made.words);
    a->made.words = NULL;
    ocl_words_put(a->device->d, &a->kernels);
}

/* all_take - all buffers, or none.   With the lock. */
static enum gfmul_status all_take(void *arg)
{
    struct addition *a = arg;
    const enum gfmul_status status = buffers_take(a);
    if (status != GFMUL_OK)
        buffers_put(a);
    return status;
}

/* parts_up - upload the parts that are on the host. */
static enum gfmul_status parts_up(struct addition *a)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct part *x = &a->part[i];
        cl_event event = NULL;
        if (x->words || x->n == 0)
            continue;
        TRY(ocl_upload_start(&a->ocl, device_limbs(a->upload[i], 0, x->n), x->limbs, a->call->threads, OCL_AT_ONCE, &event));
        TRY(ocl_event_end(&a->ocl, &event, "a number's transfer"));
    }
    return GFMUL_OK;
}

/* sum_enqueue - enqueue the sum, or the negated one, and the read of its highest limbs.   With the lock. */
static enum gfmul_status sum_enqueue(struct addition *a)
{
    const struct ocl_number z = {a->made.words, (uint32_t)(2 * a->made.n_limbs)};
    struct ocl_multiple x[2];
    for (unsigned i = 0; i < 2; i++) {
        const struct part *p = &a->part[i];
        x[i].x = (struct ocl_number){p->words ? p->words : a->upload[i], (uint32_t)(2 * p->n)};
        x[i].times = a->made.negative ? -p->times : p->times;
    }
    TRY(ocl_words_sum(&a->ocl, &a->kernels, z, x[0], x[1]));
    TRY(device_made_start(&a->ocl, &a->made));
    return ocl_flush(&a->ocl, ocl_device_queue(a->device->d));
}

static enum gfmul_status sum_run(struct addition *a)
{
    ocl_device_lock(a->device->d);
    const enum gfmul_status status = sum_enqueue(a);
    ocl_device_unlock(a->device->d);
    TRY(status);
    return device_made_wait(&a->ocl, &a->made);
}

/* residues_set - the residues of the magnitude. */
static void residues_set(const struct addition *a, struct device_value *v)
{
    for (unsigned k = 0; k < v->space->n_residues; k++) {
        const uint64_t p = a->call->moduli[k].p;
        uint64_t r = 0;
        for (unsigned i = 0; i < 2; i++) {
            const struct part *x = &a->part[i];
            const bool minus = (x->times < 0) != a->made.negative;
            const uint64_t size = (uint64_t)(x->times < 0 ? -(int64_t)x->times : x->times);
            const uint64_t product = x->n > 0 ? residue_mul(x->residue[k], size, p) : 0;
            r = (r + (minus ? p - product : product)) % p;
        }
        v->residue[k] = r;
    }
}

/* sum_make - the sum, with what it needs on the device. */
static enum gfmul_status sum_make(struct addition *a, struct device_value *v)
{
    TRY(parts_up(a));
    TRY(sum_run(a));
    a->made.negative = device_made_sign(&a->made);
    if (a->made.negative)
        TRY(sum_run(a));
    residues_set(a, v);
    return device_made_value(a->call, &a->ocl, &a->made, v);
}

/* parts_end - the status of parts_add: want of memory on the device is no failure. */
static enum gfmul_status parts_end(struct call *call, enum gfmul_status status, bool refused)
{
    if (!refused)
        return status;
    call->why[0] = '\0';
    return GFMUL_OK;
}

/*
 * parts_add - the sum of two parts.   made out: false: the device has no memory for it, and there is no value
 * Errors: those of the device; MEMORY.
 */
static enum gfmul_status parts_add(struct call *call, struct gfmul_space *space, const struct part *x, const struct part *y,
                                   struct device_value *v, bool *made)
{
    struct ocl_device *d = space->device->d;
    struct addition a = {.call = call, .device = space->device, .part = {*x, *y}};
    bool refused;
    a.ocl = device_profile_begin(call, space->device, &a.profile);
    *v = (struct device_value){.space = space};
    a.made.n_limbs = (x->n > y->n ? x->n : y->n) + 1; /* with the sign: factors are below 2^31 */
    ocl_device_lock(d);
    enum gfmul_status status = device_store_take(call, space->device->store, NULL, all_take, &a, &refused);
    *made = false;
    if (status != GFMUL_OK) {
        ocl_device_unlock(d);
        return parts_end(call, status, refused);
    }
    ocl_device_depart(d, a.bytes);
    const unsigned before = ocl_buffer_refused(d);
    status = sum_make(&a, v);
    if (status == GFMUL_OK)
        status = device_profile_end(call, &a.ocl);
    refused = device_store_refused(space->device->store, before, status); /* the check of the value needs some, too */
    *made = status == GFMUL_OK;
    ocl_profile_drop(&a.profile);
    if (status != GFMUL_OK) {
        device_value_drop(v);
        ocl_drain(d); /* no enqueued command may still use the buffers when they go back */
        if (ocl_device_lost(d))
            ctx_device_failed(call->ctx, d, call->why);
    }
    ocl_device_lock(d);
    buffers_put(&a);
    ocl_device_arrive(d, a.bytes);
    return parts_end(call, status, refused);
}

/* part_of - a number, times a factor. */
static struct part part_of(const struct natural *x, int32_t times)
{
    return (struct part){x->words, x->words ? NULL : x->limbs, x->n, times, x->residue}; /* of words others may fetch limbs now */
}

enum gfmul_status device_integers_add(struct call *call, struct integer *z, const struct integer *x, const struct integer *y,
                                      bool *made)
{
    struct device_value v;
    const struct part a = part_of(x->x, x->negative ? -1 : 1), b = part_of(y->x, y->negative ? -1 : 1);
    TRY(parts_add(call, x->x->space, &a, &b, &v, made));
    return *made ? device_value_take(call, &v, z) : GFMUL_OK;
}

/* value_add_part - v += x.   made out: false: the device has no memory for it; then, and after an error, v is 0. */
static enum gfmul_status value_add_part(struct call *call, struct device_value *v, const struct part *x, bool *made)
{
    struct device_value before = *v;
    const struct part a = {before.words, NULL, before.n, before.negative ? -1 : 1, before.residue};
    const enum gfmul_status status = parts_add(call, before.space, &a, x, v, made);
    device_value_drop(&before);
    return status;
}

enum gfmul_status device_values_add(struct call *call, struct device_value *v, struct device_value *x, bool *made)
{
    if (!v->words) {
        *v = *x;
        return GFMUL_OK;
    }
    if (!x->words)
        return GFMUL_OK;
    const struct part part = {x->words, NULL, x->n, x->negative ? -1 : 1, x->residue};
    const enum gfmul_status status = value_add_part(call, v, &part, made);
    device_value_drop(x);
    return status;
}

enum gfmul_status device_value_add(struct call *call, struct device_value *v, const struct value *x, const uint64_t *residue,
                                   bool *made)
{
    return value_add_part(call, v, &(struct part){NULL, x->z, x->n, x->negative ? -1 : 1, residue}, made);
}

enum gfmul_status device_value_add_times(struct call *call, struct device_value *v, const struct natural *x, int32_t times,
                                         bool *made)
{
    const struct part part = part_of(x, times);
    return value_add_part(call, v, &part, made);
}
