/*
 * ocl_pipeline.h - the kernels of one plan on one device: tables, launches, figures.
 *
 * All functions but build, create and destroy belong to a thread that holds the device's lock (ocl_device.h).
 */
#ifndef GFMUL_OCL_PIPELINE_H
#define GFMUL_OCL_PIPELINE_H

#include "ocl/ocl.h"
#include "ocl/ocl_figures.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_staging.h"
#include "plan/plan_device.h"

struct ocl_pipeline;

/*
 * ocl_pipeline_build - the kernels of a shape.   ocl_pipeline_tables - its twiddle tables, which they need.
 *
 *   pipeline  out  NULL on failure; end it with ocl_pipeline_destroy, before the device is closed
 *   shape     in   from plan_device_size; copied
 *   options   in   more options for the compiler, as "-cl-nv-verbose"; "" for none
 * The tables are made with the device's lock held.  Kernels take no lock, but seconds if they have to be compiled.
 * Errors: those of ocl_kernel_get and ocl_buffer_get; MEMORY.
 */
enum gfmul_status ocl_pipeline_build(const struct ocl_call *on, struct ocl_pipeline **pipeline, const struct plan_shape *shape,
                                     const char *options);
enum gfmul_status ocl_pipeline_tables(const struct ocl_call *on, struct ocl_pipeline *pipeline);
void ocl_pipeline_destroy(struct ocl_pipeline *pipeline); /* NULL is allowed */

/*
 * ocl_pipeline_need - make kernels before the launches that need them: a product takes all its kernels, then launches.
 *
 * KEEP: those of ocl_pipeline_keep.  KEPT: of ocl_pipeline_rows_kept.  SUM: of ocl_pipeline_mul_add and ocl_pipeline_rows_back.
 * PRODUCT: all others, which ocl_pipeline_build makes.   Kernels that exist are skipped.
 * Errors: those of ocl_kernel_get.
 */
enum ocl_kernels { OCL_KERNELS_PRODUCT, OCL_KERNELS_KEEP, OCL_KERNELS_KEPT, OCL_KERNELS_SUM };
enum gfmul_status ocl_pipeline_need(const struct ocl_call *on, struct ocl_pipeline *pipeline, enum ocl_kernels set);

/*
 * ocl_pipeline_programs - build some of the programs that ocl_pipeline_build needs, for the cache on disk.
 *
 *   part, parts  in   which; parts end at about the same time if processes open the device in their order; parts 0: none
 *   missing      out  how many of all were neither in memory nor in the cache; 0 if there is no cache that can be written to
 * Errors: those of ocl_kernel_get; MEMORY.
 */
enum gfmul_status ocl_pipeline_programs(const struct ocl_call *on, const struct plan_shape *shape, unsigned part, unsigned parts,
                                        unsigned *missing);

/*
 * ocl_pipeline_fits - whether this pipeline runs that shape: the same points, passes, digits and kernels; only the sizes of the
 * operands may differ.
 */
bool ocl_pipeline_fits(const struct ocl_pipeline *pipeline, const struct plan_shape *shape);

/* Buffers that one product needs beside its operands. */
struct ocl_work {
    cl_mem x, y; /* points; y NULL for a square, or against a kept spectrum */
    cl_mem runs, carries, maps;
    cl_mem status[2]; /* of this product, of the next one: each clears the other's */
    unsigned turn;    /* which of them the last product used */
    bool cleared;     /* the other one is zero */
    size_t bytes;     /* of all but the statuses */
};

/* ocl_work_get - take these buffers from the pool; ocl_work_put gives them back.   one_operand: y is not needed. */
enum gfmul_status ocl_work_get(const struct ocl_call *on, const struct plan_shape *shape, struct ocl_work *work,
                               bool one_operand);
void ocl_work_put(struct ocl_device *d, struct ocl_work *work);

/* A number on the device: limbs as words of 32 bits, least significant first; text, most significant first. */
struct ocl_number {
    cl_mem words;
    uint32_t n_words; /* or characters */
};

/*
 * A product z = a * b in parts, so that transfers run beside them: forward, rows, limbs 0 of 1; or begin, then for each operand
 * its source, all of it, and its columns; rows; limbs, all of them, first to last.   Nothing is waited for.
 *
 *   z        out  z.n_words words are written
 *   a, b     in   at most as many digits as the shape says; b.words NULL: a square, or b's spectrum is there
 *   operand  in   0, 1; of a square 0 alone
 * Errors: those of ocl_launch.
 *
 * ocl_pipeline_forward  begin, sources and columns of both operands, in common launches
 * ocl_pipeline_begin    clears the product's record
 * ocl_pipeline_source   the first pass over columns from `first` to `end`, as ocl_pipeline_source_column has them; of operand's
 *                       digits only those in these columns are read, and a word beyond them on either side
 * ocl_pipeline_columns  the middle passes
 * ocl_pipeline_rows     pointwise product and all passes back, up to runs of digits; ocl_pipeline_rows_kept: by b's spectrum
 * ocl_pipeline_limbs    the final words of slice `slice` of `slices`: those from ocl_pipeline_slice_word(slice) on, to that of
 *                       the next one
 */
enum gfmul_status ocl_pipeline_forward(const struct ocl_call *on, struct ocl_pipeline *pipeline, struct ocl_work *work,
                                       struct ocl_number a, struct ocl_number b);
enum gfmul_status ocl_pipeline_begin(const struct ocl_call *on, struct ocl_work *work);
enum gfmul_status ocl_pipeline_source(const struct ocl_call *on, struct ocl_pipeline *pipeline, struct ocl_work *work,
                                      unsigned operand, struct ocl_number a, size_t first, size_t end);
enum gfmul_status ocl_pipeline_columns(const struct ocl_call *on, struct ocl_pipeline *pipeline, struct ocl_work *work,
                                       unsigned operand);
enum gfmul_status ocl_pipeline_rows(const struct ocl_call *on, struct ocl_pipeline *pipeline, struct ocl_work *work);
enum gfmul_status ocl_pipeline_rows_kept(const struct ocl_call *on, struct ocl_pipeline *pipeline, struct ocl_work *work,
                                         cl_mem spectrum);
enum gfmul_status ocl_pipeline_limbs(const struct ocl_call *on, struct ocl_pipeline *pipeline, struct ocl_work *work,
                                     struct ocl_number z, unsigned slice, unsigned slices);

/* ocl_pipeline_source_column - where part `part` of `parts` of the columns begins, on a word of the operand. */
size_t ocl_pipeline_source_column(const struct ocl_pipeline *pipeline, unsigned part, unsigned parts);
/* ocl_pipeline_row_words - words of a row of columns of an operand of limbs. */
size_t ocl_pipeline_row_words(const struct ocl_pipeline *pipeline);
/* ocl_pipeline_slice_word - where a slice of the product's words begins; slices: at most ocl_pipeline_slices_max. */
size_t ocl_pipeline_slice_word(const struct ocl_pipeline *pipeline, unsigned slice, unsigned slices);
unsigned ocl_pipeline_slices_max(const struct ocl_pipeline *pipeline);

/* ocl_pipeline_keep - enqueue the transform of b into a spectrum of device_points_bytes; its figures are operand 0's. */
enum gfmul_status ocl_pipeline_keep(const struct ocl_call *on, struct ocl_pipeline *pipeline, struct ocl_work *work,
                                    cl_mem spectrum, struct ocl_number b);

/*
 * ocl_pipeline_mul_add   enqueue sum = a * b, or (add) sum += a * b, of spectra of ocl_pipeline_keep; sum is one, too
 * ocl_pipeline_rows_back enqueue all passes back of a spectrum, up to runs of digits: what ocl_pipeline_rows does behind its
 *                        product
 */
enum gfmul_status ocl_pipeline_mul_add(const struct ocl_call *on, struct ocl_pipeline *pipeline, cl_mem sum, cl_mem a, cl_mem b,
                                       bool add);
enum gfmul_status ocl_pipeline_rows_back(const struct ocl_call *on, struct ocl_pipeline *pipeline, struct ocl_work *work,
                                         cl_mem spectrum);

/*
 * The figures that a product's kernels recorded.  ocl_pipeline_figures_start enqueues their read behind the product;
 * ocl_pipeline_figures_wait waits for it without the device's lock, and ends it.   Errors: those of ocl_status.
 */
enum gfmul_status ocl_pipeline_figures_start(const struct ocl_call *on, const struct ocl_work *work,
                                             struct ocl_readback *readback);
enum gfmul_status ocl_pipeline_figures_wait(const struct ocl_call *on, const struct ocl_pipeline *pipeline,
                                            struct ocl_readback *readback, struct plan_figures *figures);

/* ocl_pipeline_kernels - the kernels of a product in the order of their launches, for reports.   Returns how many. */
struct ocl_kernel_info {
    const char *name; /* as in the profile */
    cl_kernel kernel;
    char shape[64]; /* of its pass; "" if there is none */
};
enum { OCL_PIPELINE_KERNELS = 2 * DEVICE_PASSES + 2 };
unsigned ocl_pipeline_kernels(const struct ocl_pipeline *pipeline, struct ocl_kernel_info info[OCL_PIPELINE_KERNELS]);

#endif
