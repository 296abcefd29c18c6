/*
 * ocl_staging.c - transfers between host memory and the device, through rings of pinned blocks.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_staging.h"

#ifdef HAVE_OPENCL
#include <string.h>

#include "base/alloc.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_state.h"

/* A block is between these, and about a sixteenth of the transfer: short transfers overlap too, long ones pin little. */
static const size_t block_least = (size_t)1 << 18, block_most = (size_t)1 << 22;
static const size_t copy_least = (size_t)1 << 18; /* bytes of a copy worth a thread */

char ocl_at_once_tag;

/* copy - memcpy by several threads. */
static void copy(char *to, const char *from, size_t bytes, unsigned threads)
{
    const size_t most = bytes / copy_least;
    if (most < threads)
        threads = most > 1 ? (unsigned)most : 1;
    const size_t part = (bytes / threads + 4095) & ~(size_t)4095;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (unsigned t = 0; t < threads; t++) {
        const size_t first = t * part, end = first + part < bytes && t + 1 < threads ? first + part : bytes;
        if (first < end)
            memcpy(to + first, from + first, end - first);
    }
}

/* --- rings --------------------------------------------------------------------------------------------------------------- */

/* ring_wait - until block i is free.   Errors: of the transfer that used it. */
static enum gfmul_status ring_wait(struct ocl_device *d, struct ocl_ring *ring, unsigned i, char *detail)
{
    if (!ring->busy[i])
        return GFMUL_OK;
    const enum gfmul_status status = ocl_event_wait(d, ring->busy[i], "a transfer", detail);
    clReleaseEvent(ring->busy[i]);
    ring->busy[i] = NULL;
    return status;
}

/* ring_drain - until all blocks are free, whatever became of them. */
static void ring_drain(struct ocl_device *d, struct ocl_ring *ring)
{
    for (unsigned i = 0; i < RING_BLOCKS; i++)
        (void)ring_wait(d, ring, i, NULL);
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

/* pinned_make - memory that the device reaches by itself, mapped. */
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

/* ring_size - blocks for a transfer of so many bytes; larger ones than before where that pays. */
static enum gfmul_status ring_size(struct ocl_device *d, struct ocl_ring *ring, size_t bytes, char *detail)
{
    size_t block = block_least;
    enum gfmul_status status = GFMUL_OK;
    while (block < bytes / 16 && block < block_most)
        block *= 4;
    if (ring->block_bytes >= block)
        return GFMUL_OK;
    ring_free(d, ring);
    for (unsigned i = 0; i < RING_BLOCKS && status == GFMUL_OK; i++)
        status = ocl_status(d, pinned_make(d, ring->queue, block, &ring->block[i], &ring->mapped[i]), "pinned memory", detail);
    if (status == GFMUL_OK) {
        ring->block_bytes = block;
    } else {
        ring_free(d, ring);
        atomic_fetch_add(&d->refused, 1); /* smaller transfers may do */
    }
    return status;
}

/* --- transfers ----------------------------------------------------------------------------------------------------------- */

bool ocl_host_is_pinned(struct ocl_device *d, const void *p, size_t bytes)
{
    const uintptr_t x = (uintptr_t)p;
    bool found = false;
    pthread_mutex_lock(&d->lock);
    for (const struct ocl_pinned *at = d->pinned; at && !found; at = at->next)
        found = x >= (uintptr_t)at->p && x - (uintptr_t)at->p <= at->bytes && bytes <= at->bytes - (x - (uintptr_t)at->p);
    pthread_mutex_unlock(&d->lock);
    return found;
}

/* wait_for - what a transfer has to wait for, as a list of 0 or 1 events; *own: to be released. */
static enum gfmul_status wait_for(struct ocl_device *d, cl_event after, cl_event *event, cl_uint *n, bool *own, char *detail)
{
    enum gfmul_status status = GFMUL_OK;
    *event = after;
    *n = after != OCL_AT_ONCE;
    *own = false;
    if (after == OCL_AFTER_QUEUE) {
        status = ocl_status(d, clEnqueueMarkerWithWaitList(d->queue, 0, NULL, event), "clEnqueueMarkerWithWaitList", detail);
        *own = status == GFMUL_OK;
        if (*own)
            status = ocl_status(d, clFlush(d->queue), "clFlush", detail);
    }
    return status;
}

/* One transfer under way: what both directions begin and end with. */
struct transfer {
    struct ocl_ring *ring;
    bool pinned, own;
    size_t step;    /* bytes of a part */
    cl_event first; /* what the first part waits for, or nothing; own: to be released */
    cl_uint n_first;
};

/* transfer_begin - the ring is this transfer's until transfer_end, whatever is returned. */
static enum gfmul_status transfer_begin(struct ocl_device *d, struct ocl_ring *ring, const void *p, size_t bytes, cl_event after,
                                        struct transfer *t, char *detail)
{
    enum gfmul_status status = GFMUL_OK;
    memset(t, 0, sizeof *t);
    t->ring = ring;
    t->pinned = ocl_host_is_pinned(d, p, bytes);
    pthread_mutex_lock(&ring->lock);
    if (!t->pinned)
        status = ring_size(d, ring, bytes, detail);
    t->step = t->pinned ? bytes : ring->block_bytes;
    return status == GFMUL_OK ? wait_for(d, after, &t->first, &t->n_first, &t->own, detail) : status;
}

static void transfer_end(struct transfer *t)
{
    if (t->own)
        clReleaseEvent(t->first);
    pthread_mutex_unlock(&t->ring->lock);
}

enum gfmul_status ocl_upload_start(struct ocl_device *d, cl_mem m, size_t offset, const void *p, size_t bytes, unsigned threads,
                                   cl_event after, cl_event *done, char *detail)
{
    struct ocl_ring *ring = &d->up;
    enum gfmul_status status = ocl_lost_status(d, detail);
    struct transfer t;
    cl_event last = NULL;
    unsigned i = 0;

    *done = NULL;
    if (status != GFMUL_OK || bytes == 0)
        return status;
    status = transfer_begin(d, ring, p, bytes, after, &t, detail);
    for (size_t at = 0; at < bytes && status == GFMUL_OK; at += t.step, i = (i + 1) % RING_BLOCKS) {
        const size_t part = bytes - at < t.step ? bytes - at : t.step;
        const char *from = (const char *)p + at;
        if (!t.pinned) {
            if ((status = ring_wait(d, ring, i, detail)) != GFMUL_OK)
                break;
            copy(ring->mapped[i], from, part, threads);
            from = ring->mapped[i];
        }
        cl_int code = ocl_fault(OCL_FAULT_TRANSFER);
        cl_event event = NULL;
        if (code == CL_SUCCESS)
            code = clEnqueueWriteBuffer(ring->queue, m, CL_FALSE, offset + at, part, from, at == 0 ? t.n_first : 0,
                                        at == 0 && t.n_first ? &t.first : NULL, &event);
        status = ocl_status(d, code, "clEnqueueWriteBuffer", detail);
        if (status == GFMUL_OK) {
            if (last)
                clReleaseEvent(last);
            last = event;
            if (!t.pinned && clRetainEvent(event) == CL_SUCCESS)
                ring->busy[i] = event;
            else if (!t.pinned)
                clWaitForEvents(1, &event); /* the block is free again */
            status = ocl_status(d, clFlush(ring->queue), "clFlush", detail);
        }
    }
    if (status != GFMUL_OK) {
        ring_drain(d, ring); /* no block may still be read from when the next transfer fills it */
        if (t.pinned)
            clFinish(ring->queue);
        if (last)
            clReleaseEvent(last);
    } else {
        *done = last; /* the queue of transfers is in order: its last event stands for all */
    }
    transfer_end(&t);
    return status;
}

enum gfmul_status ocl_upload(struct ocl_device *d, cl_mem m, size_t offset, const void *p, size_t bytes, unsigned threads,
                             cl_event after, char *detail)
{
    cl_event done;
    enum gfmul_status status = ocl_upload_start(d, m, offset, p, bytes, threads, after, &done, detail);
    if (done) {
        status = ocl_after(d, done, detail);
        if (status != GFMUL_OK)
            clWaitForEvents(1, &done);
        clReleaseEvent(done);
    }
    return status;
}

enum gfmul_status ocl_download(struct ocl_device *d, void *p, cl_mem m, size_t offset, size_t bytes, unsigned threads,
                               cl_event after, char *detail)
{
    struct ocl_ring *ring = &d->down;
    enum gfmul_status status = ocl_lost_status(d, detail);
    struct transfer t;

    if (status != GFMUL_OK || bytes == 0)
        return status;
    status = transfer_begin(d, ring, p, bytes, after, &t, detail);
    size_t asked = 0, done = 0; /* bytes that transfers were enqueued for, and that have come to p */
    unsigned next = 0, oldest = 0;
    while (done < bytes && status == GFMUL_OK) {
        while (asked < bytes && asked - done < RING_BLOCKS * t.step && status == GFMUL_OK) {
            const size_t part = bytes - asked < t.step ? bytes - asked : t.step;
            cl_int code = ocl_fault(OCL_FAULT_TRANSFER);
            if (code == CL_SUCCESS)
                code =
                    clEnqueueReadBuffer(ring->queue, m, CL_FALSE, offset + asked, part, t.pinned ? (char *)p : ring->mapped[next],
                                        asked == 0 ? t.n_first : 0, asked == 0 && t.n_first ? &t.first : NULL, &ring->busy[next]);
            status = ocl_status(d, code, "clEnqueueReadBuffer", detail);
            if (status == GFMUL_OK)
                status = ocl_status(d, clFlush(ring->queue), "clFlush", detail);
            next = (next + 1) % RING_BLOCKS;
            asked += part;
        }
        const size_t part = bytes - done < t.step ? bytes - done : t.step;
        if (status == GFMUL_OK && (status = ring_wait(d, ring, oldest, detail)) == GFMUL_OK && !t.pinned)
            copy((char *)p + done, ring->mapped[oldest], part, threads);
        oldest = (oldest + 1) % RING_BLOCKS;
        done += part;
    }
    if (status != GFMUL_OK)
        ring_drain(d, ring);
    else
        ocl_fault_flipped(p, bytes);
    transfer_end(&t);
    return status;
}

/* --- pinned memory of the caller's ----------------------------------------------------------------------------------------- */

enum gfmul_status ocl_host_alloc(struct ocl_device *d, size_t bytes, void **p, char *detail)
{
    enum gfmul_status status = ocl_lost_status(d, detail);
    *p = NULL;
    if (status != GFMUL_OK)
        return status;
    struct ocl_pinned *pinned = alloc_aligned(sizeof *pinned);
    if (!pinned) {
        ocl_detail(detail, "out of memory for pinned memory");
        return GFMUL_ERR_MEMORY;
    }
    pinned->bytes = bytes > 0 ? bytes : 1;
    status = ocl_status(d, pinned_make(d, d->queue, pinned->bytes, &pinned->m, &pinned->p), "pinned memory", detail);
    if (status != GFMUL_OK) {
        alloc_free(pinned);
        return ocl_device_lost(d) ? status : GFMUL_ERR_MEMORY;
    }
    pthread_mutex_lock(&d->lock);
    pinned->next = d->pinned;
    d->pinned = pinned;
    pthread_mutex_unlock(&d->lock);
    *p = pinned->p;
    return GFMUL_OK;
}

static void pinned_free(struct ocl_device *d, struct ocl_pinned *pinned)
{
    clEnqueueUnmapMemObject(d->queue, pinned->m, pinned->p, 0, NULL, NULL);
    clReleaseMemObject(pinned->m);
    alloc_free(pinned);
}

void ocl_host_free(struct ocl_device *d, void *p)
{
    struct ocl_pinned *pinned = NULL;
    if (!p)
        return;
    pthread_mutex_lock(&d->lock);
    for (struct ocl_pinned **at = &d->pinned; *at; at = &(*at)->next) {
        if ((*at)->p == p) {
            pinned = *at;
            *at = pinned->next;
            break;
        }
    }
    pthread_mutex_unlock(&d->lock);
    if (pinned) {
        pinned_free(d, pinned);
        clFinish(d->queue);
    }
}

/* --- notes --------------------------------------------------------------------------------------------------------------- */

/* note_place - a slot, or ordinary memory where all are in use. */
static enum gfmul_status note_place(struct ocl_device *d, struct ocl_note *note, char *detail)
{
    char why[OCL_DETAIL_BYTES];
    void *made = NULL;
    pthread_mutex_lock(&d->lock);
    const bool none = !d->notes;
    pthread_mutex_unlock(&d->lock);
    if (none && ocl_host_alloc(d, (size_t)NOTE_SLOTS * OCL_NOTE_BYTES, &made, why) == GFMUL_OK) {
        pthread_mutex_lock(&d->lock);
        for (struct ocl_pinned *at = d->pinned; at && !d->notes; at = at->next) /* another thread's may be there by now */
            d->notes = at->p == made ? at : NULL;
        const bool used = d->notes && d->notes->p == made;
        pthread_mutex_unlock(&d->lock);
        if (!used)
            ocl_host_free(d, made);
    } else if (none && ocl_device_lost(d)) {
        ocl_detail(detail, "%s", why);
        return GFMUL_ERR_DEVICE;
    }
    pthread_mutex_lock(&d->lock);
    for (unsigned i = 0; i < NOTE_SLOTS && d->notes && !note->p; i++) {
        if ((d->notes_used >> i & 1) == 0) {
            d->notes_used |= 1u << i;
            note->p = (char *)d->notes->p + (size_t)i * OCL_NOTE_BYTES;
            note->slot = true;
        }
    }
    pthread_mutex_unlock(&d->lock);
    if (!note->p && !(note->p = alloc_aligned(OCL_NOTE_BYTES))) {
        ocl_detail(detail, "out of memory for figures");
        return GFMUL_ERR_MEMORY;
    }
    return GFMUL_OK;
}

enum gfmul_status ocl_note_read(struct ocl_device *d, struct ocl_note *note, cl_mem m, size_t bytes, char *detail)
{
    enum gfmul_status status = ocl_lost_status(d, detail);
    memset(note, 0, sizeof *note);
    if (status != GFMUL_OK)
        return status;
    if ((status = note_place(d, note, detail)) != GFMUL_OK)
        return status;
    cl_int code = ocl_fault(OCL_FAULT_TRANSFER);
    if (code == CL_SUCCESS)
        code = clEnqueueReadBuffer(d->queue, m, CL_FALSE, 0, bytes, note->p, 0, NULL, &note->event);
    return ocl_status(d, code, "clEnqueueReadBuffer", detail);
}

enum gfmul_status ocl_note_wait(struct ocl_device *d, struct ocl_note *note, char *detail)
{
    (void)clFlush(d->queue); /* the memory is in use until the wait is over, whatever becomes of this */
    return ocl_event_wait(d, note->event, "a product's kernels", detail);
}

void ocl_note_end(struct ocl_device *d, struct ocl_note *note)
{
    if (note->event)
        clReleaseEvent(note->event);
    if (note->slot) {
        pthread_mutex_lock(&d->lock);
        d->notes_used &= ~(1u << ((size_t)((char *)note->p - (char *)d->notes->p) / OCL_NOTE_BYTES));
        pthread_mutex_unlock(&d->lock);
    } else {
        alloc_free(note->p);
    }
    memset(note, 0, sizeof *note);
}

void ocl_staging_free(struct ocl_device *d)
{
    ring_free(d, &d->up);
    ring_free(d, &d->down);
    while (d->pinned) {
        struct ocl_pinned *pinned = d->pinned;
        d->pinned = pinned->next;
        pinned_free(d, pinned);
    }
}
#endif
