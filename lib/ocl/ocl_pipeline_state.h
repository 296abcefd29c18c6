/* ocl_pipeline_state.h - the state of a pipeline, only for the files ocl_pipeline*.c. */
#ifndef GFMUL_OCL_PIPELINE_STATE_H
#define GFMUL_OCL_PIPELINE_STATE_H

#include "ocl/ocl_pipeline.h"

enum { ROOT_BITS = 10, ROOT_DIGITS = 4 }; /* of the short tables that twiddles are made from, kernels/twiddle_table.cl */

/* The rows of the table of kernels.  A product's kernels stand in the order of their launches. */
enum pipeline_kernel {
    KERNEL_TABLE, /* makes twiddles */
    KERNEL_FIRST,
    KERNEL_MIDDLE, /* and the next one: passes 1 and 2 */
    KERNEL_ROWS = KERNEL_MIDDLE + DEVICE_PASSES - 2,
    KERNEL_ROWS_PAIRED,
    KERNEL_HALVES,
    KERNEL_BACK, /* and the next one: passes 2 and 1 */
    KERNEL_LAST = KERNEL_BACK + DEVICE_PASSES - 2,
    KERNEL_LIMBS,
    KERNEL_TEXT,
    KERNEL_COMPOSE,
    KERNEL_CARRY,
    KERNEL_TEXT_CARRY,
    KERNEL_ROWS_KEPT,
    KERNEL_HALVES_KEPT,
    KERNEL_ROWS_FORWARD,
    KERNEL_ROWS_INVERSE,
    KERNEL_MUL_ADD,
    KERNEL_PRIMES_DIGITS, /* from here on modulo primes, in the order of their launches; this one is for text alone */
    KERNEL_PRIMES_FIRST,
    KERNEL_PRIMES_MIDDLE,
    KERNEL_PRIMES_ROWS,
    KERNEL_PRIMES_BACK,
    KERNEL_PRIMES_LAST,
    KERNEL_PRIMES_LIMBS,
    KERNEL_PRIMES_TEXT,
    KERNEL_PRIMES_CARRY,
    KERNEL_PRIMES_TEXT_CARRY,
    KERNEL_PRIMES_ROWS_KEPT,
    KERNEL_PRIMES_ROWS_FORWARD,
    KERNEL_PRIMES_MUL_ADD,
    KERNEL_PRIMES_ROWS_INVERSE,
    KERNEL_PRIMES_SIGNED,
    PIPELINE_KERNELS
};

enum { PIPELINE_DIGIT_ITEMS = 128 }; /* of kernels/text_to_digits.cl */

struct pass_tables {
    cl_mem table;  /* entries of each node */
    cl_mem shared; /* entries that all nodes share; NULL: none, and kernels get `table` in its place */
};

/*
 * The parts of a product that the fields make differently: complex points, and residues modulo primes (ocl_pipeline_primes.c).
 * Arguments as in ocl_pipeline.h.  source: takes both operands or one.  rows: `spectrum` is b's kept one, or NULL.  keep: makes
 * the spectra of n operands, 1 or 2, whose columns are done.  limbs: packs tiles of rows from `tile` to `end` of a value from
 * which so many products were subtracted.  mul_add, back: ocl_pipeline_mul_add, _rows_back.
 */
struct pipeline_field {
    enum gfmul_status (*tables)(const struct ocl_call *on, struct ocl_pipeline *p);
    enum gfmul_status (*source)(const struct ocl_call *on, struct ocl_pipeline *p, const struct ocl_work *work,
                                struct ocl_number a, struct ocl_number b, size_t first, size_t end);
    enum gfmul_status (*middle)(const struct ocl_call *on, struct ocl_pipeline *p, cl_mem x, cl_mem y, size_t operands);
    enum gfmul_status (*rows)(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work, cl_mem spectrum);
    enum gfmul_status (*keep)(const struct ocl_call *on, struct ocl_pipeline *p, const struct ocl_transform *x, unsigned n);
    enum gfmul_status (*limbs)(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work, struct ocl_number z,
                               size_t tile, size_t end, size_t below);
    enum gfmul_status (*mul_add)(const struct ocl_call *on, struct ocl_pipeline *p, cl_mem sum, const struct ocl_product *product,
                                 unsigned n, bool add);
    enum gfmul_status (*back)(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work, cl_mem spectrum);
};
extern const struct pipeline_field pipeline_points, pipeline_primes;

/* pipeline_points_tables - make the twiddle tables.   ocl_pipeline_tables.c */
enum gfmul_status pipeline_points_tables(const struct ocl_call *on, struct ocl_pipeline *p);

struct ocl_pipeline {
    struct ocl_device *d;
    cl_mem primes; /* the tables of all primes, kernels/residue_passes.cl; NULL: none */
    struct plan_shape shape;
    char options[64];
    struct pass_tables forward[DEVICE_PASSES], inverse[DEVICE_PASSES]; /* inverse: empty if its radices are the forward ones */
    cl_kernel kernel[PIPELINE_KERNELS];                                /* NULL: this shape does not use it, or it is not built */
};

/* pipeline_kernel_name - the name of a kernel's line in profiles. */
const char *pipeline_kernel_name(enum pipeline_kernel k);

#endif
