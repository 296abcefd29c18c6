/*
 * mul_ocl.h - shared by the files of engine opencl: the lease of an attempt on a device.
 */
#ifndef GFMUL_MUL_OCL_H
#define GFMUL_MUL_OCL_H

#include "mul/device_store.h"
#include "mul/engine.h"
#include "mul/grid.h"
#include "ocl/ocl_buffer.h"

enum { OCL_SUMS_AHEAD = 2 }; /* in the queue: one is downloaded and added up while the device makes the next one */

/* The cells of an operand on the device (rule knuth): their limbs and their spectra. */
struct ocl_cells {
    const struct number *x;
    size_t n;
    struct ocl_cell {
        cl_mem limbs, spectrum;
    } * cell;
};

/* Sums of products of cells: the spectrum of the current sum, and the sums on their way to the host. */
struct ocl_sums {
    struct ocl_cells a, b; /* for a square, b's are a's cells */
    cl_mem total;
    struct ocl_sum {
        struct ocl_number z;
        struct ocl_readback readback;
    } sum[OCL_SUMS_AHEAD];
    struct ocl_cell *all; /* owned: the cells of both operands */
};

/* All that an attempt holds on a device.   bytes: how many it will give back; 0: the product is not in flight. */
struct ocl_lease {
    struct ocl_call on;
    struct pipeline_lease pipeline;
    struct ocl_number a, b, z;    /* for the product or its largest part; b.words NULL: a square, or b has a kept spectrum */
    bool a_there, b_there;        /* the operands have been uploaded */
    struct ocl_readback readback; /* the figures of a spectrum that is being made */
    struct ocl_sums sums;         /* for a plan in cells, which uses no a, b, z */
    mp_limb_t *addend;            /* on the host: a product of two cells, or a sum */
    size_t bytes;
    struct device_store *store; /* of the device; members from here on are not cleared for each attempt */
    struct grid_cells cells;    /* how many cells the operands are cut into to save memory, each with a plan; 1, 1: uncut */
    struct ocl_profile profile;
};

static inline struct ocl_lease *ocl_lease_of(const struct attempt *t)
{
    return t->lease;
}

/* ocl_limbs_of - the span of the first n limbs of a buffer. */
static inline struct ocl_span ocl_limbs_of(cl_mem m, size_t n)
{
    return (struct ocl_span){m, 0, n * sizeof(mp_limb_t)};
}

/* ocl_take - get a buffer for the lease and count its bytes.   Errors: those of ocl_buffer_get. */
static inline enum gfmul_status ocl_take(struct attempt *t, size_t bytes, cl_mem *m)
{
    ocl_lease_of(t)->bytes += bytes;
    return ocl_buffer_get(&ocl_lease_of(t)->on, bytes, m);
}

/*
 * mul_ocl_sums.c: ocl_sums_begin - take the host memory of the sums, before the lease; _end: free it; _take, _put: the same for
 * memory of the device; _run: make the product.   ocl_sums_limbs - limbs of the longest sum.
 * Errors: MEMORY; those of ocl_take; those of an engine's run.
 */
enum gfmul_status ocl_sums_begin(struct attempt *t);
enum gfmul_status ocl_sums_take(struct attempt *t);
void ocl_sums_put(struct attempt *t);
void ocl_sums_end(struct attempt *t);
enum gfmul_status ocl_sums_run(struct attempt *t);
size_t ocl_sums_limbs(const struct attempt *t);

#endif
