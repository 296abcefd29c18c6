/* ocl_figures.h - what a product's kernels recorded about it. */
#ifndef GFMUL_OCL_FIGURES_H
#define GFMUL_OCL_FIGURES_H

#include "ocl/ocl.h"
#include "plan/plan_device.h"

#ifdef HAVE_OPENCL
enum { OCL_STATUS_WORDS = 64 * 16 + 16 }; /* words of a product's record, kernels/status.cl */

/* What a product's kernels recorded. */
struct ocl_figures {
    struct digit_norms a, b; /* exact sums, rounded to double upwards; of a square both the same */
    double max_error;        /* largest |x - nearest integer|, raised by less than 2^-20 of itself */
    double max_value;        /* bounds all |x|: the largest |integer|, raised likewise, and 1/2 */
};

/*
 * ocl_figures_of - them, from the words of kernels/status.cl.
 *
 *   words    in   OCL_STATUS_WORDS of them, as read from the device
 *   figures  out
 */
void ocl_figures_of(const cl_uint *words, const struct plan_shape *shape, struct ocl_figures *figures);
#endif

#endif
