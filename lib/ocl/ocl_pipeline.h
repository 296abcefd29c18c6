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
 * ocl_pipeline_build - build the kernels of a shape.   ocl_pipeline_tables - make the twiddle tables that they need.
 *
 *   pipeline  out  NULL on failure; end it with ocl_pipeline_destroy, before the device is closed
 *   shape     in   from plan_device_size; copied
 *   options   in   more options for the compiler, as "-cl-nv-verbose"; "" for none
 * ocl_pipeline_tables needs the device's lock.  ocl_pipeline_build needs no lock, but takes seconds if it has to compile.
 * Errors: those of ocl_kernel_get and ocl_buffer_get; MEMORY.
 */
enum gfmul_status ocl_pipeline_build(const struct ocl_call *on, struct ocl_pipeline **pipeline, const struct plan_shape *shape,
                                     const char *options);
enum gfmul_status ocl_pipeline_tables(const struct ocl_call *on, struct ocl_pipeline *pipeline);
void ocl_pipeline_destroy(struct ocl_pipeline *pipeline); /* NULL is allowed */

/*
 * ocl_pipeline_need - build a set of kernels, so that a product has all its kernels before it launches the first.
 *
 * KEEP: those of ocl_pipeline_keep.  KEPT: of ocl_pipeline_rows_kept.  SUM: of ocl_pipeline_mul_add and ocl_pipeline_rows_back.
 * MINUS: of ocl_pipeline_value.  PRODUCT: all others, which ocl_pipeline_build makes.   Kernels that exist already are skipped.
 * Errors: those of ocl_kernel_get.
 */
enum ocl_kernels { OCL_KERNELS_PRODUCT, OCL_KERNELS_KEEP, OCL_KERNELS_KEPT, OCL_KERNELS_SUM, OCL_KERNELS_MINUS };
enum gfmul_status ocl_pipeline_need(const struct ocl_call *on, struct ocl_pipeline *pipeline, enum ocl_kernels set);

/*
 * ocl_pipeline_programs - build some of the programs that ocl_pipeline_build needs, for the cache on disk.
 *
 *   part, parts  in   which of them; all parts end at about the same time if one process after another starts its part, in order;
 *                     parts 0: none
 *   missing      out  how many of all were neither in memory nor in the cache; 0 if no cache can be written to
 * Errors: those of ocl_kernel_get; MEMORY.
 */
enum gfmul_status ocl_pipeline_programs(const struct ocl_call *on, const struct plan_shape *shape, unsigned part, unsigned parts,
                                        unsigned *missing);

/*
 * ocl_pipeline_fits - whether this pipeline can run that shape.  Points, passes, digits and kernels must be the same; only the
 * sizes of the operands may differ.
 */
bool ocl_pipeline_fits(const struct ocl_pipeline *pipeline, const struct plan_shape *shape);

/* The buffers that one product needs in addition to its operands. */
struct ocl_work {
    cl_mem x, y; /* points; y NULL for a square, or against a kept spectrum */
    cl_mem runs, carries, maps;
    cl_mem status[2]; /* records of this product and of the next one; each product clears the other's record */
    unsigned turn;    /* which of them the last product used */
    bool cleared;     /* the other one is zero */
    size_t bytes;     /* of all buffers except status */
};

/* ocl_work_get - take these buffers from the pool; ocl_work_put gives them back.   one_operand: y is not needed. */
enum gfmul_status ocl_work_get(const struct ocl_call *on, const struct plan_shape *shape, struct ocl_work *work,
                               bool one_operand);
void ocl_work_put(struct ocl_device *d, struct ocl_work *work);

/* A number on the device: limbs as words of 32 bits, least significant first; or characters of text, most significant first. */
struct ocl_number {
    cl_mem words;
    uint32_t n_words; /* or characters */
};

/*
 * A product z = a * b in steps, so that transfers can run between them.  Either call forward, rows, limbs 0 of 1.  Or, if
 * ocl_pipeline_apart, call begin, then for each operand source for all its columns and columns, then rows, then limbs for all
 * parts in order.   They only enqueue, and do not wait.
 *
 *   z        out  z.n_words words are written
 *   a, b     in   at most as many digits as the shape says; b.words NULL: a square, or b has a kept spectrum
 *   operand  in   0 or 1; for a square only 0
 * Errors: those of ocl_launch.
 *
 * ocl_pipeline_forward  begin, source and columns for both operands together, in common launches
 * ocl_pipeline_begin    clear the product's record
 * ocl_pipeline_source   the first pass over columns `first` to `end`, limits of ocl_pipeline_source_column; it reads only the
 *                       operand's digits in these columns, and a word beyond them on either side
 * ocl_pipeline_columns  the middle passes
 * ocl_pipeline_rows     pointwise product and all passes back, up to runs of digits; ocl_pipeline_rows_kept: by b's spectrum
 * ocl_pipeline_limbs    the final words of part `part` of `parts`: from ocl_pipeline_part_word(part) to that of the next
 *                       part
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
                                     struct ocl_number z, unsigned part, unsigned parts);

/* ocl_pipeline_apart - whether source and columns take one operand; else (packing two-for-one) forward takes both at once. */
bool ocl_pipeline_apart(const struct ocl_pipeline *pipeline);
/* ocl_pipeline_source_column - the first column of part `part` of `parts`; it begins a word of the operand. */
size_t ocl_pipeline_source_column(const struct ocl_pipeline *pipeline, unsigned part, unsigned parts);
/* ocl_pipeline_row_words - how many words of an operand of limbs make a row of columns. */
size_t ocl_pipeline_row_words(const struct ocl_pipeline *pipeline);
/* ocl_pipeline_part_word - the first word of a part of the product.   parts in: at most ocl_pipeline_parts_max */
size_t ocl_pipeline_part_word(const struct ocl_pipeline *pipeline, unsigned part, unsigned parts);
unsigned ocl_pipeline_parts_max(const struct ocl_pipeline *pipeline);

/* ocl_pipeline_keep - enqueue the transform of b into a spectrum of device_points_bytes; its figures are operand 0's. */
enum gfmul_status ocl_pipeline_keep(const struct ocl_call *on, struct ocl_pipeline *pipeline, struct ocl_work *work,
                                    cl_mem spectrum, struct ocl_number b);

/*
 * ocl_pipeline_spectra - the transforms of one or two numbers, in common launches, for sums whose digits need no norms: nothing
 * is cleared, and the numbers are no part of any product's figures.   A pipeline that is apart.
 *
 *   x, n  in  the numbers, 1 or 2; where their points are meanwhile, a buffer for each; where their spectra go
 */
struct ocl_transform {
    struct ocl_number from;
    cl_mem points, spectrum;
};
enum gfmul_status ocl_pipeline_spectra(const struct ocl_call *on, struct ocl_pipeline *pipeline, const struct ocl_work *work,
                                       const struct ocl_transform *x, unsigned n);

/* A product of spectra in a sum: a b, or -a b. */
struct ocl_product {
    cl_mem a, b;
    bool minus;
};

/*
 * ocl_pipeline_mul_add   enqueue sum = n products, or (add) sum += n products, 1 <= n <= PLAN_SUM_BLOCK; all are spectra as made
 *                        by ocl_pipeline_keep
 * ocl_pipeline_rows_back enqueue all passes back of a spectrum, up to runs of digits, as ocl_pipeline_rows does after its
 *                        product
 * ocl_pipeline_value     then the final words, as two's complement, of a sum whose coefficients are not below -below 2^(2 l);
 *                        below < 2^29.  The pipeline may have been made for shorter operands, so it cannot know
 */
enum gfmul_status ocl_pipeline_mul_add(const struct ocl_call *on, struct ocl_pipeline *pipeline, cl_mem sum,
                                       const struct ocl_product *product, unsigned n, bool add);
enum gfmul_status ocl_pipeline_rows_back(const struct ocl_call *on, struct ocl_pipeline *pipeline, struct ocl_work *work,
                                         cl_mem spectrum);
enum gfmul_status ocl_pipeline_value(const struct ocl_call *on, struct ocl_pipeline *pipeline, struct ocl_work *work,
                                     struct ocl_number z, size_t below);

/*
 * The figures that a product's kernels recorded.  ocl_pipeline_figures_start enqueues a read of them after the product;
 * ocl_pipeline_figures_wait waits for it without the device's lock, and ends the readback.   Errors: those of ocl_status.
 */
enum gfmul_status ocl_pipeline_figures_start(const struct ocl_call *on, const struct ocl_work *work,
                                             struct ocl_readback *readback);
enum gfmul_status ocl_pipeline_figures_wait(const struct ocl_call *on, const struct ocl_pipeline *pipeline,
                                            struct ocl_readback *readback, struct plan_figures *figures);

/* ocl_pipeline_kernels - list the kernels of a product in the order of their launches, for reports.   Returns how many. */
struct ocl_kernel_info {
    const char *name; /* as in the profile */
    cl_kernel kernel;
    char shape[64]; /* describes its pass; "" if it has none */
};
enum { OCL_PIPELINE_KERNELS = 2 * DEVICE_PASSES + 2 };
unsigned ocl_pipeline_kernels(const struct ocl_pipeline *pipeline, struct ocl_kernel_info info[OCL_PIPELINE_KERNELS]);

#endif
