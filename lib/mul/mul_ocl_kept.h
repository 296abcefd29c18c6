/*
 * mul_ocl_kept.h - what a context keeps between products on a device: the kernels and tables of the last shapes, answers of the
 * planner.  Used with that device's lock held.
 */
#ifndef GFMUL_MUL_OCL_KEPT_H
#define GFMUL_MUL_OCL_KEPT_H

#include "mul/ctx.h"
#include "ocl/ocl_pipeline.h"

#ifdef HAVE_OPENCL
struct ocl_kept;

/*
 * ocl_kept_get - what the context keeps for this device: an entry of its own, from its first product to mul_ocl_release.
 * Without the lock.   Errors: MEMORY.
 */
enum gfmul_status ocl_kept_get(struct gfmul_ctx *ctx, struct ocl_device *d, struct ocl_kept **kept);

/*
 * ocl_kept_shape - plan_device_size, or plan_device_pieces where the request allows them, remembering the last few answers.
 *
 *   held  in   bytes of the product's numbers that are on the device already
 * Memory of products in flight counts as free: it will be.   Errors: those of plan_device_size, with the call's detail.
 */
enum gfmul_status ocl_kept_shape(struct call *call, struct ocl_kept *kept, const struct plan_request *request, size_t held,
                                 struct plan_shape *shape);

/* The spectrum of an operand that stays on a device. */
struct mul_ocl_spectrum {
    struct ocl_device *d;
    struct plan_shape shape; /* of products with it */
    cl_mem points;
    size_t bn;
    struct digit_norms norms; /* of its digits */
};

/* A pipeline in use, with buffers that are its product's alone. */
struct ocl_lease {
    struct ocl_pipeline *pipeline;
    struct ocl_work work;
    size_t bytes; /* of the buffers */
};

/*
 * ocl_kept_lease - the pipeline of a shape, kept or made now, and buffers for one product.
 *
 *   lease  out  end it with ocl_kept_return, also on failure
 * The lock is given back while programs are built, and, where the device has no memory left, while products in flight are waited
 * for.
 * Errors: those of ocl_pipeline_create and ocl_work_get.
 */
enum gfmul_status ocl_kept_lease(struct call *call, struct ocl_kept *kept, const struct plan_shape *shape,
                                 struct ocl_lease *lease);
/* ocl_kept_return - no command that uses its buffers is left. */
void ocl_kept_return(struct ocl_kept *kept, struct ocl_lease *lease);

/*
 * ocl_kept_memory_comes - whether what failed with this status for want of memory may be tried again: some was given back, or a
 * product has ended.
 *
 *   refused  in  ocl_buffer_refused before it was tried
 *   tables   in  those of idle pipelines may be given back, too, at last: not where a pipeline is what is tried
 * Who waits holds no lease: else pipelines might all be in use with no product in flight.   The call's detail is empty then.
 */
bool ocl_kept_memory_comes(struct call *call, struct ocl_kept *kept, unsigned refused, enum gfmul_status status, bool tables);

/*
 * ocl_kept_buffer - ocl_buffer_get, as long as memory comes: what is idle here, and that of products in flight.   Without the
 * lock, by who holds no lease.   Errors: those of ocl_buffer_get.
 */
enum gfmul_status ocl_kept_buffer(struct call *call, struct ocl_kept *kept, size_t bytes, cl_mem *m);

/* ocl_kept_trim - free all pipelines that no product uses, and what was idle. */
void ocl_kept_trim(struct ocl_kept *kept);
#endif

#endif
