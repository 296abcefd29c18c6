/*
 * device_store.h - a context's cache for a device between products: the kernels and tables of the last shapes, idle buffers,
 * answers of the planner.  Unless a comment says otherwise, callers hold the device's lock.
 */
#ifndef GFMUL_DEVICE_STORE_H
#define GFMUL_DEVICE_STORE_H

#include "mul/ctx.h"
#include "ocl/ocl_pipeline.h"

struct device_store;

/*
 * device_store_get - a context's store for this device.  It exists from the first product to device_store_end.
 * Without the lock.   Errors: MEMORY.
 */
enum gfmul_status device_store_get(struct gfmul_ctx *ctx, struct ocl_device *d, struct device_store **store);
void device_store_end(struct gfmul_ctx *ctx, struct ocl_device *d); /* before the device is closed */

/* device_store_trim - free all idle pipelines and buffers.   _pipelines - how many pipelines there are; for tests. */
void device_store_trim(struct device_store *store);
unsigned device_store_pipelines(struct gfmul_ctx *ctx, const struct ocl_device *d);

/*
 * device_store_shape - plan_device_size, or plan_device_cells if the request allows them, with a cache of the last few answers.
 *
 *   held  in   bytes of the product's numbers that are on the device already
 * Memory of products in flight counts as free, because it will be free soon.   Errors: those of plan_device_size, with the
 * call's detail.
 */
enum gfmul_status device_store_shape(struct call *call, struct device_store *store, const struct plan_request *request,
                                     size_t held, struct plan_shape *shape);

/* A pipeline in use, with buffers that are its product's alone. */
struct pipeline_lease {
    struct ocl_pipeline *pipeline;
    struct ocl_work work;
};

/* device_store_has - whether the pipeline of a shape is here; if not, its kernels have to be built. */
bool device_store_has(const struct device_store *store, const struct plan_shape *shape);

/*
 * device_store_lease - the pipeline of a shape, kept or made now, and buffers for one product.
 *
 *   lease  out  end it with device_store_return
 * The lock is free while programs are built.   Errors: those of ocl_pipeline_build and ocl_work_get; nothing is held then.
 */
enum gfmul_status device_store_lease(struct call *call, struct device_store *store, const struct plan_shape *shape,
                                     struct pipeline_lease *lease);
/* device_store_return - end a lease whose buffers no command uses.   spare in: true: keep them for the next product */
void device_store_return(struct device_store *store, struct pipeline_lease *lease, bool spare);

/*
 * device_store_take - call take(arg) until it succeeds.  Between two tries, free idle memory or wait for products in flight.
 *
 *   wanted   in   the shape whose idle pipeline stays, or NULL
 *   take     in   takes all or nothing.  Threads that held a part while they wait could block each other for ever
 *   refused  out  true: the status is for want of memory
 * The only place where anybody waits for the memory of a device.   Errors: those of take.
 */
enum gfmul_status device_store_take(struct call *call, struct device_store *store, const struct plan_shape *wanted,
                                    enum gfmul_status (*take)(void *arg), void *arg, bool *refused);

/*
 * device_store_refused - whether a call on the device that has failed with this status has done so for want of memory there.
 *
 *   before  in  ocl_buffer_refused before that call
 * When calls of other threads are refused meanwhile, it may be true of another failure on the device, but not of a lost one.
 */
bool device_store_refused(const struct device_store *store, unsigned before, enum gfmul_status status);

/*
 * device_store_words - memory of the pool for a number, when there is some.   Without the lock.
 *
 *   m  out  NULL on failure; end it with ocl_buffer_put
 * What the device cannot have even when all others have given back theirs is refused before anything is freed or awaited.
 * Errors: those of ocl_buffer_get.
 */
enum gfmul_status device_store_words(struct call *call, struct device_store *store, size_t bytes, cl_mem *m);

#endif
