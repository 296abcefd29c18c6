/*
 * ocl_overlap.h - a product from and to pinned host memory: transfers beside the kernels.
 *
 * Of the two operands one goes up whole, then the other in blocks of columns of the pipeline's first pass: the passes of the one
 * run while the other comes, and the first pass of each block while the next comes.  The product is packed slice by slice, from
 * its least significant words on, and each goes down while the next is packed.  What cannot overlap: the passes between.  Short
 * products go through the one queue of the kernels: events from queue to queue cost more there than they hide.  The model is in
 * doc/decisions/device-kernels.md.
 *
 * Beyond the word of the specification: OpenCL 1.2, appendix A.1, leaves undefined what a buffer holds that one queue modifies
 * while commands of another one use it, even other bytes of it.  Here blocks of an operand come while the first pass reads those
 * before them, and slices of the product go down while kernels write those behind them, ordered by events byte by byte.  A device
 * with coherent memory does what is meant; where in doubt, ordinary memory is the way: its transfers do not overlap the kernels.
 */
#ifndef GFMUL_OCL_OVERLAP_H
#define GFMUL_OCL_OVERLAP_H

#include "ocl/ocl_pipeline.h"

/* Where the numbers of a product are. */
struct ocl_ends {
    struct ocl_number a, b, z;             /* on the device; limbs; b.words NULL: a square */
    const void *a_from, *b_from;           /* their source in pinned memory; NULL: they are there */
    void *z_to;                            /* the product's destination in pinned memory; NULL: it stays */
    cl_mem spectrum;                       /* b's, of ocl_pipeline_keep; then b.words is NULL.  NULL: none */
    void (*arrived)(void *arg, size_t words); /* told how many words of z_to are there, 0 at the start; NULL: nobody is */
    bool (*work)(void *arg);               /* a part of what the host has to do, while it would wait; false: nothing; or NULL */
    void *arg;
};

/*
 * ocl_overlap_mul - start z = a * b, with its transfers.
 *
 *   done  out  the end of all, for ocl_overlap_wait: behind the product in host memory, or behind the kernels if it stays;
 *              NULL on failure, and then nothing that was enqueued is left
 *   readback  out  the product's figures on their way, for ocl_pipeline_figures_wait
 * Without the device's lock, which it takes whenever it enqueues kernels; it waits for what comes up, not for the end, but where
 * somebody is told of a product that comes in parts.
 * Errors: those of ocl_launch.
 */
enum gfmul_status ocl_overlap_mul(const struct ocl_call *on, struct ocl_pipeline *pipeline, struct ocl_work *work,
                                  const struct ocl_ends *ends, struct ocl_readback *readback, cl_event *done);

/* ocl_overlap_wait - until that end, which is released.   Without the lock.   On failure nothing that was enqueued is left. */
enum gfmul_status ocl_overlap_wait(const struct ocl_call *on, const struct ocl_ends *ends, cl_event done);

#endif
