/*
 * ocl_staging.h - transfers between host memory and the device.
 *
 * Pageable memory goes through a ring of pinned blocks: several threads fill (or empty) some while the device transfers others.
 * Memory from ocl_host_alloc is pinned itself, so it bypasses the ring.  Each direction has a queue of its own, so that transfers
 * and kernels overlap.
 */
#ifndef GFMUL_OCL_STAGING_H
#define GFMUL_OCL_STAGING_H

#include "ocl/ocl.h"

/*
 * When a transfer may start.  OCL_AFTER_QUEUE: after all commands in the queue at the time of the call.  OCL_AT_ONCE: now.  An
 * upload needs a buffer that no command in the queue uses; that may not hold for a new buffer of the pool, unless the queue was
 * empty.  Any other event: after that event, which is not released.
 */
#define OCL_AFTER_QUEUE ((cl_event)0)
extern char ocl_at_once_tag;
#define OCL_AT_ONCE ((cl_event)(void *)&ocl_at_once_tag)

/*
 * ocl_staging_need - make the pinned blocks for transfers of so many bytes, before these begin; 0: no transfer in this direction.
 * Errors: those of ocl_status; ocl_buffer_refused counts them.
 */
enum gfmul_status ocl_staging_need(const struct ocl_call *on, size_t up_bytes, size_t down_bytes);

/*
 * ocl_upload - host to device.
 *
 *   to       out  bytes of a buffer
 *   p        in   pageable memory may change when the function has returned, pinned memory only when the transfer has ended
 *   threads  in   >= 1, for the copies
 *   after    in   see above
 * Later commands of the queue run after the transfer.
 * Errors: those of ocl_status.
 */
enum gfmul_status ocl_upload(const struct ocl_call *on, struct ocl_span to, const void *p, unsigned threads, cl_event after);

/*
 * ocl_upload_start - the same, but the queue does not wait: the caller orders its commands by ocl_after.
 *
 *   done  out  the end of the transfer, to be released; NULL if there is nothing to wait for, or on failure
 */
enum gfmul_status ocl_upload_start(const struct ocl_call *on, struct ocl_span to, const void *p, unsigned threads, cl_event after,
                                   cl_event *done);

/*
 * ocl_download - device to host, complete at return; success also proves that the commands before it have run.
 *
 *   after  in   the event after which the data are ready; usually OCL_AFTER_QUEUE
 */
enum gfmul_status ocl_download(const struct ocl_call *on, void *p, struct ocl_span from, unsigned threads, cl_event after);

/* A read of a few bytes to the host.  Call ocl_readback_start, then ocl_readback_end in any case. */
struct ocl_readback {
    void *p;        /* the bytes, once ocl_readback_wait has returned */
    cl_event event; /* the end of the read; NULL: none is under way */
    bool slot;      /* p is one of the device's slots */
};
enum { OCL_READBACK_BYTES = 8192 };

/*
 * ocl_readback_start - enqueue the read of a span of at most OCL_READBACK_BYTES after all commands in the queue, and do not wait.
 *                 With the device's lock.
 * ocl_readback_wait - wait until the bytes are there.   ocl_readback_end - end it; p becomes invalid.
 */
enum gfmul_status ocl_readback_start(const struct ocl_call *on, struct ocl_readback *readback, struct ocl_span from);
enum gfmul_status ocl_readback_wait(const struct ocl_call *on, struct ocl_readback *readback);
void ocl_readback_end(struct ocl_device *d, struct ocl_readback *readback);

/*
 * ocl_host_alloc - pinned host memory, aligned to at least 64 bytes; ocl_upload and ocl_download recognize it by its address.
 *
 * Cost:   about 0.3 s per GiB.
 * Errors: MEMORY.
 */
enum gfmul_status ocl_host_alloc(const struct ocl_call *on, size_t bytes, void **p);
/* ocl_host_is_pinned - whether all these bytes are in memory of ocl_host_alloc, for whichever device it was allocated. */
bool ocl_host_is_pinned(const void *p, size_t bytes);

void ocl_host_free(struct ocl_device *d, void *p); /* NULL is allowed; no transfer may be under way */

#endif
