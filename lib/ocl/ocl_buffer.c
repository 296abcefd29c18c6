/*
 * ocl_buffer.c - device memory from a pool.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_buffer.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/try.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_state.h"

static const size_t block_grain = 4096; /* sizes are rounded up to this */

/* usable_bytes - the part of the device's memory that may be used, because drivers and displays need some. */
static size_t usable_bytes(const struct ocl_device *d)
{
    uint64_t bytes = d->info.global_bytes - d->info.global_bytes / 16;
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

/* blocks_bytes - bytes of all blocks in use, or of all idle ones.   Needs the lock. */
static size_t blocks_bytes(const struct ocl_device *d, bool used)
{
    size_t sum = 0;
    for (const struct ocl_block *b = d->blocks; b; b = b->next)
        sum += (b->holders > 0) == used ? b->bytes : 0;
    return sum;
}

/* pool_take - the smallest idle block of at least bytes and at most twice that, or NULL.   Needs the lock. */
static struct ocl_block *pool_take(struct ocl_device *d, size_t bytes)
{
    struct ocl_block *best = NULL;
    for (struct ocl_block *b = d->blocks; b; b = b->next) {
        if (b->holders == 0 && b->bytes >= bytes && b->bytes / 2 <= bytes && (!best || b->bytes < best->bytes))
            best = b;
    }
    if (best)
        best->holders = 1;
    return best;
}

void ocl_buffer_trim(struct ocl_device *d)
{
    struct ocl_block *idle = NULL;
    pthread_mutex_lock(&d->lock);
    for (struct ocl_block **at = &d->blocks; *at;) {
        struct ocl_block *b = *at;
        if (b->holders > 0) {
            at = &b->next;
        } else {
            *at = b->next;
            b->next = idle;
            idle = b;
        }
    }
    pthread_mutex_unlock(&d->lock);
    while (idle) {
        struct ocl_block *b = idle;
        idle = b->next;
        clReleaseMemObject(b->m); /* the driver frees it when its last command has ended */
        alloc_free(b);
    }
}

/* block_make - allocate memory.  A driver may promise more than it has, so a first write makes it allocate really, or fail. */
static cl_int block_make(struct ocl_device *d, size_t bytes, cl_mem *m)
{
    const cl_uint zero = 0;
    cl_int code = ocl_fault(OCL_FAULT_BUFFER);
    *m = NULL;
    if (code == CL_SUCCESS)
        *m = clCreateBuffer(d->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code == CL_SUCCESS) /* by the queue of transfers, which is mostly idle; it ends before anybody else gets the block */
        code = clEnqueueWriteBuffer(d->up.queue, *m, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL);
    if (code != CL_SUCCESS && *m) {
        clReleaseMemObject(*m);
        *m = NULL;
    }
    return code;
}

/* block_refused - the status of a driver's refusal.  A size above the driver's limit is noted: it will be refused again. */
static enum gfmul_status block_refused(const struct ocl_call *on, size_t bytes, cl_int code)
{
    struct ocl_device *d = on->device;
    const enum gfmul_status status = ocl_status(on, code, "clCreateBuffer");
    if (ocl_device_lost(d))
        return status;
    atomic_fetch_add(&d->refused, 1);
    if (code == CL_INVALID_BUFFER_SIZE && bytes > d->info.max_alloc_bytes) {
        pthread_mutex_lock(&d->lock);
        if (d->buffer_most == 0 || bytes <= d->buffer_most)
            d->buffer_most = bytes - block_grain;
        pthread_mutex_unlock(&d->lock);
    }
    return status != GFMUL_ERR_DEVICE
               ? status
               : ocl_fail(on->detail, status, "%.90s: no memory for %zu bytes: %s", d->info.name, bytes, ocl_code_name(code));
}

/* block_get - allocate memory.  If that fails, free the idle blocks, wait for all commands, and try once more. */
static enum gfmul_status block_get(const struct ocl_call *on, size_t bytes, cl_mem *m)
{
    const struct ocl_call quiet = {.device = on->device};
    cl_int code = block_make(on->device, bytes, m);
    if (ocl_status(&quiet, code, "clCreateBuffer") != GFMUL_OK && !ocl_device_lost(on->device)) {
        ocl_buffer_trim(on->device);
        TRY(ocl_finish(on));
        code = block_make(on->device, bytes, m);
    }
    return code == CL_SUCCESS ? GFMUL_OK : block_refused(on, bytes, code);
}

/* room_check - whether the device has room for more bytes.   crowded in: true: the pool has to free its idle memory first */
static enum gfmul_status room_check(const struct ocl_call *on, size_t bytes, size_t used, bool crowded)
{
    struct ocl_device *d = on->device;
    if (crowded)
        ocl_buffer_trim(d);
    if (bytes <= usable_bytes(d) && used <= usable_bytes(d) - bytes)
        return GFMUL_OK;
    atomic_fetch_add(&d->refused, 1);
    return ocl_fail(on->detail, GFMUL_ERR_DEVICE, "%.100s: %zu bytes are needed, %zu of %zu are in use", d->info.name, bytes,
                    used, usable_bytes(d));
}

enum gfmul_status ocl_buffer_get(const struct ocl_call *on, size_t bytes, cl_mem *m)
{
    struct ocl_device *d = on->device;
    size_t rounded;

    *m = NULL;
    TRY(ocl_lost_status(on));
    if (!size_add(&rounded, bytes, block_grain - 1))
        return ocl_fail(on->detail, GFMUL_ERR_DEVICE, "a size overflows");
    rounded -= rounded % block_grain;
    pthread_mutex_lock(&d->lock);
    struct ocl_block *b = pool_take(d, rounded);
    const size_t used = b ? 0 : blocks_bytes(d, true), idle = b ? 0 : blocks_bytes(d, false);
    const bool crowded = !b && (rounded > usable_bytes(d) || used + idle > usable_bytes(d) - rounded);
    pthread_mutex_unlock(&d->lock);
    if (b) {
        *m = b->m;
        return GFMUL_OK;
    }

    TRY(room_check(on, rounded, used, crowded));
    b = alloc_aligned(sizeof *b);
    if (!b)
        return ocl_fail(on->detail, GFMUL_ERR_MEMORY, "out of memory for a buffer");
    const enum gfmul_status status = block_get(on, rounded, m);
    if (status != GFMUL_OK) {
        alloc_free(b);
        return status;
    }
    b->m = *m;
    b->bytes = rounded;
    b->holders = 1;
    pthread_mutex_lock(&d->lock);
    b->next = d->blocks;
    d->blocks = b;
    pthread_mutex_unlock(&d->lock);
    return GFMUL_OK;
}

void ocl_buffer_put(struct ocl_device *d, cl_mem m)
{
    if (!m)
        return;
    pthread_mutex_lock(&d->lock);
    for (struct ocl_block *b = d->blocks; b; b = b->next)
        b->holders -= b->m == m && b->holders > 0;
    pthread_mutex_unlock(&d->lock);
}

/* block_of - the block of a buffer in use.   Needs the lock. */
static struct ocl_block *block_of(const struct ocl_device *d, cl_mem m)
{
    struct ocl_block *b = d->blocks;
    while (b->m != m)
        b = b->next;
    assert(b->holders > 0);
    return b;
}

bool ocl_buffer_share(struct ocl_device *d, cl_mem m, size_t bytes)
{
    pthread_mutex_lock(&d->lock);
    struct ocl_block *const b = block_of(d, m);
    const bool fits = b->bytes / 2 <= bytes + block_grain; /* as pool_take has it */
    b->holders += fits;
    pthread_mutex_unlock(&d->lock);
    return fits;
}

bool ocl_buffer_is_shared(struct ocl_device *d, cl_mem m)
{
    pthread_mutex_lock(&d->lock);
    const bool shared = block_of(d, m)->holders > 1;
    pthread_mutex_unlock(&d->lock);
    return shared;
}

size_t ocl_buffer_bytes(struct ocl_device *d, cl_mem m)
{
    size_t bytes = 0;
    pthread_mutex_lock(&d->lock);
    for (const struct ocl_block *b = d->blocks; b; b = b->next)
        bytes += b->m == m ? b->bytes : 0;
    pthread_mutex_unlock(&d->lock);
    return bytes;
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
    const size_t all = usable_bytes(d), used = blocks_bytes(d, true);
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
