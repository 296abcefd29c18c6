/*
 * ocl_staging.c - transfers between host memory and the device, through rings of pinned blocks.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_staging.h"

#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_state.h"

/* A block has a size between these, about a sixteenth of the transfer, so that short transfers overlap too and long ones pin
   little memory. */
static const size_t block_least = (size_t)1 << 18, block_most = (size_t)1 << 22;

_Static_assert((int)RING_BLOCKS == COPIES_MOST, "a copy for each block");

char ocl_at_once_tag;

/* --- rings --------------------------------------------------------------------------------------------------------------- */

/* ring_wait - wait until block i is free.   Errors: of the transfer that used it. */
static enum gfmul_status ring_wait(const struct ocl_call *on, struct ocl_ring *ring, unsigned i)
{
    return ocl_event_end(on, &ring->busy[i], "a transfer");
}

/* ring_drain - wait until all blocks are free, even if their transfers failed. */
static void ring_drain(struct ocl_device *d, struct ocl_ring *ring)
{
    const struct ocl_call quiet = {.device = d};
    for (unsigned i = 0; i < RING_BLOCKS; i++)
        (void)ring_wait(&quiet, ring, i);
}

static void ring_free(struct ocl_device *d, struct ocl_ring *ring)
{
    ring_drain(d, ring);
    for (unsigned i = 0; i < RING_BLOCKS; i++) {
        if (ring->mapped[i])
            clEnqueueUnmapMemObject(ring->queue, ring->block[i], ring->mapped[i], 0, NULL, NULL);
    }
    if (ring->queue)
        clFinish(ring->queue);
    for (unsigned i = 0; i < RING_BLOCKS; i++) {
        if (ring->block[i])
            clReleaseMemObject(ring->block[i]);
        ring->block[i] = NULL;
        ring->mapped[i] = NULL;
    }
    ring->block_bytes = 0;
}

/* pinned_make - allocate and map memory that the device can access directly. */
static cl_int pinned_make(struct ocl_device *d, cl_command_queue queue, size_t bytes, cl_mem *m, void **p)
{
    cl_int code = ocl_fault(OCL_FAULT_BUFFER);
    *m = NULL;
    *p = NULL;
    if (code == CL_SUCCESS)
        *m = clCreateBuffer(d->context, CL_MEM_ALLOC_HOST_PTR | CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code == CL_SUCCESS)
        *p = clEnqueueMapBuffer(queue, *m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &code);
    if (code != CL_SUCCESS && *m) {
        clReleaseMemObject(*m);
        *m = NULL;
    }
    return code;
}

static enum gfmul_status ring_make(const struct ocl_call *on, struct ocl_ring *ring, size_t block)
{
    for (unsigned i = 0; i < RING_BLOCKS; i++) {
        const cl_int code = pinned_make(on->device, ring->queue, block, &ring->block[i], &ring->mapped[i]);
        TRY(ocl_status(on, code, "pinned memory"));
    }
    ring->block_bytes = block;
    return GFMUL_OK;
}

/* ring_size - make the blocks for a transfer of so many bytes; replace smaller ones if that pays. */
static enum gfmul_status ring_size(const struct ocl_call *on, struct ocl_ring *ring, size_t bytes)
{
    size_t block = block_least;
    while (block < bytes / 16 && block < block_most)
        block *= 4;
    if (ring->block_bytes >= block)
        return GFMUL_OK;
    ring_free(on->device, ring);
    const enum gfmul_status status = ring_make(on, ring, block);
    if (status != GFMUL_OK) {
        ring_free(on->device, ring);
        atomic_fetch_add(&on->device->refused, 1); /* smaller transfers may still work */
    }
    return status;
}

/* ring_need - ring_size, with the ring's lock. */
static enum gfmul_status ring_need(const struct ocl_call *on, struct ocl_ring *ring, size_t bytes)
{
    if (bytes == 0)
        return GFMUL_OK;
    pthread_mutex_lock(&ring->lock);
    const enum gfmul_status status = ring_size(on, ring, bytes);
    pthread_mutex_unlock(&ring->lock);
    return status;
}

enum gfmul_status ocl_staging_need(const struct ocl_call *on, size_t up_bytes, size_t down_bytes)
{
    TRY(ocl_lost_status(on));
    TRY(ring_need(on, &on->device->up, up_bytes));
    return ring_need(on, &on->device->down, down_bytes);
}

/* --- transfers ----------------------------------------------------------------------------------------------------------- */

/*
 * Pinned memory of all devices.  A device transfers pinned memory of another one directly, too: drivers whose devices share
 * their host's addresses know it as pinned, and others treat it as any memory.
 */
static pthread_mutex_t pinned_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ocl_pinned *all_pinned;

bool ocl_host_is_pinned(const void *p, size_t bytes)
{
    const uintptr_t x = (uintptr_t)p;
    bool found = false;
    pthread_mutex_lock(&pinned_lock);
    for (const struct ocl_pinned *at = all_pinned; at && !found; at = at->next)
        found = x >= (uintptr_t)at->p && x - (uintptr_t)at->p <= at->bytes && bytes <= at->bytes - (x - (uintptr_t)at->p);
    pthread_mutex_unlock(&pinned_lock);
    return found;
}

/* One transfer under way, in either direction. */
struct transfer {
    struct ocl_ring *ring;
    struct ocl_span span; /* of the device's buffer */
    unsigned threads;
    bool pinned, own;
    size_t step;    /* bytes of a part */
    cl_event first; /* the first part waits for it; may be absent; own: to be released */
    cl_uint n_first;
};

/* wait_for - set the event list, of length 0 or 1, that the first part waits for. */
static enum gfmul_status wait_for(const struct ocl_call *on, struct transfer *t, cl_event after)
{
    t->first = after;
    t->n_first = after != OCL_AT_ONCE;
    if (after != OCL_AFTER_QUEUE)
        return GFMUL_OK;
    TRY(ocl_status(on, clEnqueueMarkerWithWaitList(on->device->queue, 0, NULL, &t->first), "clEnqueueMarkerWithWaitList"));
    t->own = true;
    return ocl_flush(on, on->device->queue);
}

/* threads_for - how many threads its blocks are worth. */
static unsigned threads_for(const struct transfer *t)
{
    const size_t bytes = t->span.bytes < t->step ? t->span.bytes : t->step, most = bytes / COPY_PART_BYTES;
    return most >= t->threads ? t->threads : most > 1 ? (unsigned)most : 1;
}

/* transfer_begin - reserve the ring for this transfer until transfer_end, which must follow even after an error. */
static enum gfmul_status transfer_begin(const struct ocl_call *on, struct transfer *t, const void *p, cl_event after)
{
    t->pinned = ocl_host_is_pinned(p, t->span.bytes);
    pthread_mutex_lock(&t->ring->lock);
    if (!t->pinned)
        TRY(ring_size(on, t->ring, t->span.bytes));
    t->step = t->pinned ? t->span.bytes : t->ring->block_bytes;
    return wait_for(on, t, after);
}

static void transfer_end(struct transfer *t)
{
    if (t->own)
        clReleaseEvent(t->first);
    pthread_mutex_unlock(&t->ring->lock);
}

/* part_bytes - the length of the part that begins at `at`. */
static size_t part_bytes(const struct transfer *t, size_t at)
{
    return t->span.bytes - at < t->step ? t->span.bytes - at : t->step;
}

/* part_up - enqueue the upload of the part that begins at `at`, from host memory or block i.   last i/o: end of the last part */
static enum gfmul_status part_up(const struct ocl_call *on, struct transfer *t, const void *from, size_t at, unsigned i,
                                 cl_event *last)
{
    struct ocl_ring *ring = t->ring;
    cl_int code = ocl_fault(OCL_FAULT_TRANSFER);
    cl_event event = NULL;
    if (code == CL_SUCCESS)
        code = clEnqueueWriteBuffer(ring->queue, t->span.m, CL_FALSE, t->span.offset + at, part_bytes(t, at), from,
                                    at == 0 ? t->n_first : 0, at == 0 && t->n_first ? &t->first : NULL, &event);
    TRY(ocl_status(on, code, "clEnqueueWriteBuffer"));
    if (*last)
        clReleaseEvent(*last);
    *last = event;
    if (!t->pinned && clRetainEvent(event) == CL_SUCCESS)
        ring->busy[i] = event;
    else if (!t->pinned)
        clWaitForEvents(1, &event); /* then the block is free again */
    return ocl_flush(on, ring->queue);
}

/*
 * The parts of a transfer through a ring, in order.  The first `done` parts are finished; up to `begun` their blocks are being
 * filled or emptied.  Part k uses block k modulo RING_BLOCKS.
 */
struct staged {
    size_t parts, begun, done;
    uint64_t copy[RING_BLOCKS]; /* numbers of copies under way */
};

/* A transfer through a ring, as the argument of copy_team_run: the host's bytes, the transfer, and the outcome. */
struct through_ring {
    const struct ocl_call *on;
    struct transfer *t;
    struct staged s;
    const char *from;
    char *to;
    cl_event *last;
    enum gfmul_status status;
};

static unsigned block_of(size_t part)
{
    return (unsigned)(part % RING_BLOCKS);
}

/* copies_end - wait until no copy is under way. */
static void copies_end(struct transfer *t, struct staged *s)
{
    for (; s->done < s->begun; s->done++)
        copy_wait(&t->ring->team, s->copy[block_of(s->done)]);
}

/* block_is_free - whether a block can be used without waiting. */
static bool block_is_free(const struct ocl_ring *ring, unsigned i)
{
    return !ring->busy[i] || ocl_event_over(ring->busy[i]);
}

/* blocks_fill - begin to fill all free blocks; wait for the next one if none is free. */
static enum gfmul_status blocks_fill(const struct ocl_call *on, struct transfer *t, struct staged *s, const char *p)
{
    struct ocl_ring *ring = t->ring;
    while (s->begun < s->parts && s->begun < s->done + RING_BLOCKS &&
           (s->begun == s->done || block_is_free(ring, block_of(s->begun)))) {
        const unsigned i = block_of(s->begun);
        TRY(ring_wait(on, ring, i));
        s->copy[i] = copy_begin(&ring->team, ring->mapped[i], p + s->begun * t->step, part_bytes(t, s->begun * t->step));
        s->begun++;
    }
    return GFMUL_OK;
}

static enum gfmul_status blocks_up(const struct ocl_call *on, struct transfer *t, struct staged *s, const char *p, cl_event *last)
{
    while (s->done < s->parts) {
        const unsigned i = block_of(s->done);
        const size_t at = s->done * t->step;
        TRY(blocks_fill(on, t, s, p));
        copy_wait(&t->ring->team, s->copy[i]);
        s->done++;
        TRY(part_up(on, t, t->ring->mapped[i], at, i, last));
    }
    return GFMUL_OK;
}

static void blocks_up_run(void *arg)
{
    struct through_ring *x = arg;
    x->status = blocks_up(x->on, x->t, &x->s, x->from, x->last);
    copies_end(x->t, &x->s);
}

static enum gfmul_status parts_up(const struct ocl_call *on, struct transfer *t, const void *p, cl_event after, cl_event *last)
{
    TRY(transfer_begin(on, t, p, after));
    if (t->pinned)
        return part_up(on, t, p, 0, 0, last);
    struct through_ring x = {.on = on, .t = t, .s.parts = (t->span.bytes - 1) / t->step + 1, .from = p, .last = last};
    copy_team_run(&t->ring->team, threads_for(t), blocks_up_run, &x);
    return x.status;
}

enum gfmul_status ocl_upload_start(const struct ocl_call *on, struct ocl_span to, const void *p, unsigned threads, cl_event after,
                                   cl_event *done)
{
    struct transfer t = {.ring = &on->device->up, .span = to, .threads = threads};
    *done = NULL;
    TRY(ocl_lost_status(on));
    if (to.bytes == 0)
        return GFMUL_OK;
    const enum gfmul_status status = parts_up(on, &t, p, after, done); /* in an in-order queue the last event implies all */
    if (status != GFMUL_OK) {
        ring_drain(on->device, t.ring); /* no command may still read a block when the next transfer fills it */
        if (t.pinned)
            clFinish(t.ring->queue);
        if (*done)
            clReleaseEvent(*done);
        *done = NULL;
    }
    transfer_end(&t);
    return status;
}

enum gfmul_status ocl_upload(const struct ocl_call *on, struct ocl_span to, const void *p, unsigned threads, cl_event after)
{
    cl_event done;
    TRY(ocl_upload_start(on, to, p, threads, after, &done));
    if (!done)
        return GFMUL_OK;
    const enum gfmul_status status = ocl_after(on, done);
    if (status != GFMUL_OK)
        clWaitForEvents(1, &done);
    clReleaseEvent(done);
    return status;
}

/* part_down - enqueue the download of the part that begins at `at`, to p or to block i. */
static enum gfmul_status part_down(const struct ocl_call *on, struct transfer *t, char *p, size_t at, unsigned i)
{
    struct ocl_ring *ring = t->ring;
    cl_int code = ocl_fault(OCL_FAULT_TRANSFER);
    if (code == CL_SUCCESS)
        code = clEnqueueReadBuffer(ring->queue, t->span.m, CL_FALSE, t->span.offset + at, part_bytes(t, at),
                                   t->pinned ? p : ring->mapped[i], at == 0 ? t->n_first : 0,
                                   at == 0 && t->n_first ? &t->first : NULL, &ring->busy[i]);
    TRY(ocl_status(on, code, "clEnqueueReadBuffer"));
    return ocl_flush(on, ring->queue);
}

/*
 * blocks_down - begin to empty each block that has arrived, and enqueue the next download into each empty block.
 * The caller waits for the device if there is nothing to copy, else for the oldest copy.
 */
static enum gfmul_status blocks_down(const struct ocl_call *on, struct transfer *t, struct staged *s, char *p)
{
    struct ocl_ring *ring = t->ring;
    size_t asked = 0;
    while (s->done < s->parts) {
        for (; asked < s->parts && asked < s->done + RING_BLOCKS; asked++)
            TRY(part_down(on, t, NULL, asked * t->step, block_of(asked)));
        const unsigned i = block_of(s->begun);
        if (s->begun < asked && (s->begun == s->done || block_is_free(ring, i))) {
            TRY(ring_wait(on, ring, i));
            s->copy[i] = copy_begin(&ring->team, p + s->begun * t->step, ring->mapped[i], part_bytes(t, s->begun * t->step));
            s->begun++;
        } else {
            copy_wait(&ring->team, s->copy[block_of(s->done)]);
            s->done++;
        }
    }
    return GFMUL_OK;
}

static void blocks_down_run(void *arg)
{
    struct through_ring *x = arg;
    x->status = blocks_down(x->on, x->t, &x->s, x->to);
    copies_end(x->t, &x->s);
}

static enum gfmul_status parts_down(const struct ocl_call *on, struct transfer *t, char *p, cl_event after)
{
    TRY(transfer_begin(on, t, p, after));
    if (t->pinned) {
        TRY(part_down(on, t, p, 0, 0));
        return ring_wait(on, t->ring, 0);
    }
    struct through_ring x = {.on = on, .t = t, .s.parts = (t->span.bytes - 1) / t->step + 1, .to = p};
    copy_team_run(&t->ring->team, threads_for(t), blocks_down_run, &x);
    return x.status;
}

enum gfmul_status ocl_download(const struct ocl_call *on, void *p, struct ocl_span from, unsigned threads, cl_event after)
{
    struct transfer t = {.ring = &on->device->down, .span = from, .threads = threads};
    TRY(ocl_lost_status(on));
    if (from.bytes == 0)
        return GFMUL_OK;
    const enum gfmul_status status = parts_down(on, &t, p, after);
    if (status != GFMUL_OK)
        ring_drain(on->device, t.ring);
    else
        ocl_fault_data(p, from.bytes);
    transfer_end(&t);
    return status;
}

/* --- pinned memory of the caller's ----------------------------------------------------------------------------------------- */

enum gfmul_status ocl_host_alloc(const struct ocl_call *on, size_t bytes, void **p)
{
    struct ocl_device *d = on->device;
    *p = NULL;
    TRY(ocl_lost_status(on));
    struct ocl_pinned *pinned = alloc_aligned(sizeof *pinned);
    if (!pinned)
        return ocl_fail(on->detail, GFMUL_ERR_MEMORY, "out of memory for pinned memory");
    pinned->bytes = bytes > 0 ? bytes : 1;
    const cl_int code = pinned_make(d, d->queue, pinned->bytes, &pinned->m, &pinned->p);
    const enum gfmul_status status = ocl_status(on, code, "pinned memory");
    if (status != GFMUL_OK) {
        alloc_free(pinned);
        return ocl_device_lost(d) ? status : GFMUL_ERR_MEMORY;
    }
    pinned->owner = d;
    pthread_mutex_lock(&pinned_lock);
    pinned->next = all_pinned;
    all_pinned = pinned;
    pthread_mutex_unlock(&pinned_lock);
    *p = pinned->p;
    return GFMUL_OK;
}

static void pinned_free(struct ocl_device *d, struct ocl_pinned *pinned)
{
    clEnqueueUnmapMemObject(d->queue, pinned->m, pinned->p, 0, NULL, NULL);
    clReleaseMemObject(pinned->m);
    alloc_free(pinned);
}

/* pinned_take - take pinned memory of this device out of the list, that at p or, if p is NULL, any; NULL: there is none. */
static struct ocl_pinned *pinned_take(const struct ocl_device *d, const void *p)
{
    struct ocl_pinned **at = &all_pinned, *pinned;
    pthread_mutex_lock(&pinned_lock);
    while (*at && ((*at)->owner != d || (p && (*at)->p != p)))
        at = &(*at)->next;
    if ((pinned = *at) != NULL)
        *at = pinned->next;
    pthread_mutex_unlock(&pinned_lock);
    return pinned;
}

void ocl_host_free(struct ocl_device *d, void *p)
{
    struct ocl_pinned *const pinned = p ? pinned_take(d, p) : NULL;
    if (pinned) {
        pinned_free(d, pinned);
        clFinish(d->queue);
    }
}

/* --- readbacks ---------------------------------------------------------------------------------------------------------- */

/* slots_make - make the slots, if there are none yet.  A failure is an error only if the device is lost. */
static enum gfmul_status slots_make(const struct ocl_call *on)
{
    char why[OCL_DETAIL_BYTES];
    void *made;
    if (on->device->readbacks)
        return GFMUL_OK;
    const enum gfmul_status status = ocl_host_alloc(OCL_ON(on->device, why), (size_t)READBACK_SLOTS * OCL_READBACK_BYTES, &made);
    on->device->readbacks = made;
    return status != GFMUL_OK && ocl_device_lost(on->device) ? ocl_fail(on->detail, GFMUL_ERR_DEVICE, "%s", why) : GFMUL_OK;
}

/* readback_place - take a slot, or ordinary memory if all slots are in use. */
static enum gfmul_status readback_place(const struct ocl_call *on, struct ocl_readback *readback)
{
    struct ocl_device *d = on->device;
    TRY(slots_make(on));
    pthread_mutex_lock(&d->lock);
    for (unsigned i = 0; i < READBACK_SLOTS && d->readbacks && !readback->p; i++) {
        if ((d->readbacks_used >> i & 1) == 0) {
            d->readbacks_used |= 1u << i;
            readback->p = d->readbacks + (size_t)i * OCL_READBACK_BYTES;
            readback->slot = true;
        }
    }
    pthread_mutex_unlock(&d->lock);
    if (!readback->p && !(readback->p = alloc_aligned(OCL_READBACK_BYTES)))
        return ocl_fail(on->detail, GFMUL_ERR_MEMORY, "out of memory for figures");
    return GFMUL_OK;
}

enum gfmul_status ocl_readback_start(const struct ocl_call *on, struct ocl_readback *readback, struct ocl_span from)
{
    memset(readback, 0, sizeof *readback);
    TRY(ocl_lost_status(on));
    TRY(readback_place(on, readback));
    cl_int code = ocl_fault(OCL_FAULT_TRANSFER);
    if (code == CL_SUCCESS)
        code = clEnqueueReadBuffer(on->device->queue, from.m, CL_FALSE, from.offset, from.bytes, readback->p, 0, NULL,
                                   &readback->event);
    return ocl_status(on, code, "clEnqueueReadBuffer");
}

enum gfmul_status ocl_readback_wait(const struct ocl_call *on, struct ocl_readback *readback)
{
    (void)clFlush(on->device->queue); /* ignored: the memory stays in use until the wait ends, even if this fails */
    return ocl_event_wait(on, readback->event, "a product's kernels");
}

void ocl_readback_end(struct ocl_device *d, struct ocl_readback *readback)
{
    if (readback->event)
        clReleaseEvent(readback->event);
    if (readback->slot) {
        pthread_mutex_lock(&d->lock);
        d->readbacks_used &= ~(1u << ((size_t)((char *)readback->p - d->readbacks) / OCL_READBACK_BYTES));
        pthread_mutex_unlock(&d->lock);
    } else {
        alloc_free(readback->p);
    }
    memset(readback, 0, sizeof *readback);
}

void ocl_staging_free(struct ocl_device *d)
{
    copy_team_end(&d->up.team);
    copy_team_end(&d->down.team);
    ring_free(d, &d->up);
    ring_free(d, &d->down);
    for (struct ocl_pinned *pinned; (pinned = pinned_take(d, NULL)) != NULL;)
        pinned_free(d, pinned);
}
