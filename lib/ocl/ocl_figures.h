/* ocl_figures.h - the figures that a product's kernels recorded. */
#ifndef GFMUL_OCL_FIGURES_H
#define GFMUL_OCL_FIGURES_H

#include "ocl/ocl.h"
#include "plan/plan_device.h"

enum { OCL_STATUS_WORDS = 64 * 16 + 16 }; /* words of a product's record, kernels/status.cl */

/*
 * ocl_figures_of - the figures of a product from the words of kernels/status.cl.
 *
 *   words    in   OCL_STATUS_WORDS of them, as read from the device
 *   figures  out  a, b: exact sums, rounded up to double.  max_error: too large by less than 2^-20 of itself.  max_value: the
 *                 largest |integer|, too large likewise, plus 1/2.  max_energy: infinite, because it is not measured
 */
void ocl_figures_of(const cl_uint *words, const struct plan_shape *shape, struct plan_figures *figures);

#endif
