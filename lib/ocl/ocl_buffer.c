/*
 * ocl_buffer.c - device memory from a pool.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_buffer.h"

#ifdef HAVE_OPENCL
#include <stdlib.h>

#include "base/alloc.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_state.h"

static const size_t block_grain = 4096; /* sizes are rounded up to this */

/* usable_bytes - what of the device's memory may be used: drivers and displays need some. */
static size_t usable_bytes(const struct ocl_device *d)
{
    uint64_t bytes = d->info.global_bytes - d->info.global_bytes / 16;
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

/* pool_take - the smallest idle block of at least bytes and at most twice that, or NULL.   Needs the lock. */
static struct ocl_block *pool_take(struct ocl_device *d, size_t bytes)
{
    struct ocl_block *best = NULL;
    for (struct ocl_block *b = d->blocks; b; b = b->next) {
        if (!b->used && b->bytes >= bytes && b->bytes / 2 <= bytes && (!best || b->bytes < best->bytes))
            best = b;
    }
    if (best) {
        best->used = true;
        d->idle_bytes -= best->bytes;
        d->used_bytes += best->bytes;
    }
    return best;
}

void ocl_buffer_trim(struct ocl_device *d)
{
    struct ocl_block *idle = NULL;
    pthread_mutex_lock(&d->lock);
    for (struct ocl_block **at = &d->blocks; *at;) {
        struct ocl_block *b = *at;
        if (b->used) {
            at = &b->next;
        } else {
            *at = b->next;
            b->next = idle;
            idle = b;
            d->idle_bytes -= b->bytes;
        }
    }
    pthread_mutex_unlock(&d->lock);
    while (idle) {
        struct ocl_block *b = idle;
        idle = b->next;
        clReleaseMemObject(b->m); /* freed when the queue is done with it */
        alloc_free(b);
    }
}

/* block_make - new memory.  A driver may promise more than there is: the first write makes it keep the promise, or fail. */
static cl_int block_make(struct ocl_device *d, size_t bytes, cl_mem *m)
{
    const cl_uint zero = 0;
    cl_int code = ocl_fault(OCL_FAULT_BUFFER);
    *m = NULL;
    if (code == CL_SUCCESS)
        *m = clCreateBuffer(d->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code == CL_SUCCESS) /* in the queue of transfers, which is mostly idle, and over before anybody else has the block */
        code = clEnqueueWriteBuffer(d->up.queue, *m, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL);
    if (code != CL_SUCCESS && *m) {
        clReleaseMemObject(*m);
        *m = NULL;
    }
    return code;
}

/* block_refused - the status of a driver's refusal.  Larger than it promised and too large as such: so will the next one be. */
static enum gfmul_status block_refused(struct ocl_device *d, size_t bytes, cl_int code, char *detail)
{
    const enum gfmul_status status = ocl_status(d, code, "clCreateBuffer", detail);
    if (ocl_device_lost(d))
        return status;
    atomic_fetch_add(&d->refused, 1);
    if (status == GFMUL_ERR_DEVICE)
        ocl_detail(detail, "%.90s: no memory for %zu bytes: %s", d->info.name, bytes, ocl_code_name(code));
    if (code == CL_INVALID_BUFFER_SIZE && bytes > d->info.max_alloc_bytes) {
        pthread_mutex_lock(&d->lock);
        if (d->buffer_most == 0 || bytes <= d->buffer_most)
            d->buffer_most = bytes - block_grain;
        pthread_mutex_unlock(&d->lock);
    }
    return status;
}

enum gfmul_status ocl_buffer_get(struct ocl_device *d, size_t bytes, cl_mem *m, char *detail)
{
    enum gfmul_status status = ocl_lost_status(d, detail);
    size_t rounded;

    *m = NULL;
    if (status != GFMUL_OK)
        return status;
    if (!size_add(&rounded, bytes, block_grain - 1)) {
        ocl_detail(detail, "a size overflows");
        return GFMUL_ERR_DEVICE;
    }
    rounded -= rounded % block_grain;
    pthread_mutex_lock(&d->lock);
    struct ocl_block *b = pool_take(d, rounded);
    size_t used = d->used_bytes;
    bool crowded = !b && (rounded > usable_bytes(d) || used + d->idle_bytes > usable_bytes(d) - rounded);
    pthread_mutex_unlock(&d->lock);
    if (b) {
        *m = b->m;
        return GFMUL_OK;
    }

    if (crowded)
        ocl_buffer_trim(d);
    if (rounded > usable_bytes(d) || used > usable_bytes(d) - rounded) {
        ocl_detail(detail, "%.100s: %zu bytes are needed, %zu of %zu are in use", d->info.name, rounded, used, usable_bytes(d));
        atomic_fetch_add(&d->refused, 1);
        return GFMUL_ERR_DEVICE;
    }
    b = alloc_aligned(sizeof *b);
    if (!b) {
        ocl_detail(detail, "out of memory for a buffer");
        return GFMUL_ERR_MEMORY;
    }
    cl_int code = block_make(d, rounded, &b->m);
    status = ocl_status(d, code, "clCreateBuffer", NULL);
    if (status != GFMUL_OK && !ocl_device_lost(d)) { /* once more, without idle memory, that of finished commands given back */
        ocl_buffer_trim(d);
        status = ocl_finish(d, detail);
        code = status == GFMUL_OK ? block_make(d, rounded, &b->m) : CL_SUCCESS;
    }
    if (code != CL_SUCCESS)
        status = block_refused(d, rounded, code, detail);
    if (status != GFMUL_OK) {
        alloc_free(b);
        return status;
    }
    b->bytes = rounded;
    b->used = true;
    pthread_mutex_lock(&d->lock);
    b->next = d->blocks;
    d->blocks = b;
    d->used_bytes += rounded;
    pthread_mutex_unlock(&d->lock);
    *m = b->m;
    return GFMUL_OK;
}

void ocl_buffer_put(struct ocl_device *d, cl_mem m)
{
    if (!m)
        return;
    pthread_mutex_lock(&d->lock);
    for (struct ocl_block *b = d->blocks; b; b = b->next) {
        if (b->m == m && b->used) {
            b->used = false;
            d->used_bytes -= b->bytes;
            d->idle_bytes += b->bytes;
            break;
        }
    }
    pthread_mutex_unlock(&d->lock);
}

unsigned ocl_buffer_refused(const struct ocl_device *d)
{
    return atomic_load(&d->refused);
}

size_t ocl_buffer_most(struct ocl_device *d)
{
    pthread_mutex_lock(&d->lock);
    const size_t most = d->buffer_most;
    pthread_mutex_unlock(&d->lock);
    return most;
}

size_t ocl_buffer_room(struct ocl_device *d)
{
    pthread_mutex_lock(&d->lock);
    size_t all = usable_bytes(d), used = d->used_bytes;
    pthread_mutex_unlock(&d->lock);
    return used < all ? all - used : 0;
}

void ocl_buffers_free(struct ocl_device *d)
{
    while (d->blocks) {
        struct ocl_block *b = d->blocks;
        d->blocks = b->next;
        clReleaseMemObject(b->m);
        alloc_free(b);
    }
}
#endif
