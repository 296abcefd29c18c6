/*
 * ocl_overlap.h - a product from and to pinned host memory: its transfers overlap with its kernels.
 *
 * One operand is uploaded whole, then the other one in blocks of columns of the pipeline's first pass.  The first operand's
 * passes run while the other is uploaded, and the first pass of each block runs while the next block is uploaded.  The product is
 * packed part by part, from its least significant words on, and each part is downloaded while the next is packed.  The passes
 * in between overlap with no transfer.  Short products use only the queue of the kernels, because events between queues would
 * cost more than they hide; so do products in packing two-for-one, whose first pass needs both operands.  The model is in
 * doc/decisions/device-kernels.md.
 *
 * This goes beyond the specification.  If one queue modifies a buffer while commands of another queue use it, OpenCL 1.2,
 * appendix A.1, leaves the contents undefined, even if they use other bytes.  Here blocks of an operand arrive while the first
 * pass reads the earlier blocks, and parts of the product are downloaded while kernels write the later ones.  Events order all
 * accesses to each byte, so a device with coherent memory does what is meant.  If in doubt, use pageable memory, whose transfers
 * do not overlap with the kernels.
 */
#ifndef GFMUL_OCL_OVERLAP_H
#define GFMUL_OCL_OVERLAP_H

#include "ocl/ocl_pipeline.h"

/* The places of a product's numbers, and the host's work meanwhile. */
struct ocl_ends {
    struct ocl_number a, b, z;             /* on the device; limbs; b.words NULL: a square */
    const void *a_from, *b_from;           /* their source in pinned memory; NULL: they are on the device already */
    void *z_to;                            /* the product's destination in pinned memory; NULL: it stays on the device */
    cl_mem spectrum;                       /* b's, of ocl_pipeline_keep; then b.words is NULL.  NULL: none */
    void (*arrived)(void *arg, size_t words); /* called with the number of words that z_to holds, 0 at the start; may be NULL */
    bool (*work)(void *arg);               /* do a part of the host's work instead of waiting; false: none is left; may be NULL */
    void *arg;
};

/*
 * ocl_overlap_mul - start z = a * b, with its transfers.
 *
 *   done  out  event for ocl_overlap_wait: the product is in host memory or, if it stays, the kernels have ended;
 *              NULL on failure, and then no enqueued command is left
 *   readback  out  the read of the product's figures, for ocl_pipeline_figures_wait
 * Call it without the device's lock, which it takes whenever it enqueues kernels.  For a short product it does not wait.  For a
 * long one it waits for the uploads and, if z_to is set, for the kernels; if `arrived` is set too, also for the downloads.
 * Errors: those of ocl_launch.
 */
enum gfmul_status ocl_overlap_mul(const struct ocl_call *on, struct ocl_pipeline *pipeline, struct ocl_work *work,
                                  const struct ocl_ends *ends, struct ocl_readback *readback, cl_event *done);

/* ocl_overlap_wait - wait for `done` and release it.   Without the lock.   On failure no enqueued command is left. */
enum gfmul_status ocl_overlap_wait(const struct ocl_call *on, const struct ocl_ends *ends, cl_event done);

#endif
