/*
 * device_store.h - what a context keeps between products on a device: the kernels and tables of the last shapes, idle buffers,
 * answers of the planner.  Used with that device's lock held, where nothing else is said.
 */
#ifndef GFMUL_DEVICE_STORE_H
#define GFMUL_DEVICE_STORE_H

#include "mul/ctx.h"
#include "ocl/ocl_pipeline.h"

struct device_store;

/*
 * device_store_get - the store of a context for this device: an entry of its own, from its first product to device_store_end.
 * Without the lock.   Errors: MEMORY.
 */
enum gfmul_status device_store_get(struct gfmul_ctx *ctx, struct ocl_device *d, struct device_store **store);
void device_store_end(struct gfmul_ctx *ctx, struct ocl_device *d); /* before the device is closed */

/* device_store_trim - free all pipelines that no product uses, and what is idle.   _pipelines - how many there are; for tests. */
void device_store_trim(struct device_store *store);
unsigned device_store_pipelines(struct gfmul_ctx *ctx, const struct ocl_device *d);

/*
 * device_store_shape - plan_device_size, or plan_device_pieces if the request allows them, remembering the last few answers.
 *
 *   held  in   bytes of the product's numbers that are on the device already
 * Memory of products in flight counts as free: it will be.   Errors: those of plan_device_size, with the call's detail.
 */
enum gfmul_status device_store_shape(struct call *call, struct device_store *store, const struct plan_request *request,
                                     size_t held, struct plan_shape *shape);

/* A pipeline in use, with buffers that are its product's alone. */
struct pipeline_lease {
    struct ocl_pipeline *pipeline;
    struct ocl_work work;
};

/* device_store_has - whether the pipeline of a shape is here: else its kernels have to be built. */
bool device_store_has(const struct device_store *store, const struct plan_shape *shape);

/*
 * device_store_lease - the pipeline of a shape, kept or made now, and buffers for one product.
 *
 *   lease  out  end it with device_store_return
 * The lock is given back while programs are built.   Errors: those of ocl_pipeline_build and ocl_work_get; nothing is held then.
 */
enum gfmul_status device_store_lease(struct call *call, struct device_store *store, const struct plan_shape *shape,
                                     struct pipeline_lease *lease);
/* device_store_return - no command uses its buffers.   spare in: the next product may want them; false: memory is short. */
void device_store_return(struct device_store *store, struct pipeline_lease *lease, bool spare);

/*
 * device_store_take - take(arg), again and again as long as memory comes: what is idle here, then that of products in flight.
 *
 *   wanted   in   the shape whose idle pipeline stays, or NULL
 *   take     in   takes all or nothing: who waits holds nothing.  Else all might wait, with no product in flight
 *   refused  out  the status is for want of memory
 * The only place where anybody waits for the memory of a device.   Errors: those of take.
 */
enum gfmul_status device_store_take(struct call *call, struct device_store *store, const struct plan_shape *wanted,
                                    enum gfmul_status (*take)(void *arg), void *arg, bool *refused);

#endif
