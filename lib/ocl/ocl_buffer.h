/*
 * ocl_buffer.h - device memory from a pool.
 */
#ifndef GFMUL_OCL_BUFFER_H
#define GFMUL_OCL_BUFFER_H

#include "ocl/ocl.h"

/*
 * ocl_buffer_get - device memory, contents undefined, and really allocated when the function returns.
 *
 *   bytes  in   >= 1
 *   m      out  at least so many bytes; NULL on failure; end it with ocl_buffer_put
 *
 * A buffer's commands must have ended before it goes back to the pool.  They may still run only if nobody uploads with
 * OCL_AT_ONCE, which does not wait for the queue.
 * Idle memory is freed if another size is needed and the device is full.
 * Errors: DEVICE (too little memory on the device, with the figures), MEMORY.
 */
enum gfmul_status ocl_buffer_get(const struct ocl_call *on, size_t bytes, cl_mem *m);
void ocl_buffer_put(struct ocl_device *d, cl_mem m); /* NULL is allowed */

/*
 * ocl_buffer_share     - one more holder of a buffer: it goes back to the pool when each has called ocl_buffer_put.
 *                        Value: false: it is more than twice as large as so many bytes, and stays as it is.
 * ocl_buffer_is_shared - whether it has several holders.
 */
bool ocl_buffer_share(struct ocl_device *d, cl_mem m, size_t bytes);
bool ocl_buffer_is_shared(struct ocl_device *d, cl_mem m);

/* ocl_buffer_bytes - the bytes that a buffer in use takes from the device, which may be more than were asked for. */
size_t ocl_buffer_bytes(struct ocl_device *d, cl_mem m);

/*
 * ocl_buffer_refused - how many requests for memory have been refused so far, by our own count or by the driver.  Requests for
 * pinned memory of the transfers count too.
 */
unsigned ocl_buffer_refused(const struct ocl_device *d);

/* ocl_buffer_room - approximate bytes that calls may still get: the device's memory less a margin and memory in use. */
size_t ocl_buffer_room(struct ocl_device *d);

/*
 * ocl_buffer_most - the largest possible buffer, known once the driver has refused a larger one for its size; until then 0.
 * Drivers may give more than CL_DEVICE_MAX_MEM_ALLOC_SIZE: NVIDIA's promise a quarter of the memory, but give all of it.
 */
size_t ocl_buffer_most(struct ocl_device *d);

/* ocl_buffer_trim - free all idle memory. */
void ocl_buffer_trim(struct ocl_device *d);

#endif
