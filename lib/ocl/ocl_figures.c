/*
 * ocl_figures.c - decode the figures that a product's kernels recorded.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_figures.h"

#include <math.h>
#include <string.h>

#include "ocl/ocl_fault.h"
#include "plan/plan_field.h"

/* The layout of kernels/status.cl. */
enum { STATUS_SETS = 64, STATUS_ERROR = STATUS_SETS * 16, STATUS_VALUE = STATUS_ERROR + 1 };
_Static_assert(OCL_STATUS_WORDS == STATUS_ERROR + 16, "the words of kernels/status.cl");

/* sum_up - add up four-part words exactly, times 4^shift, and round the sum up to double. */
static double sum_up(const cl_uint *words, unsigned operand, unsigned kind, unsigned shift)
{
    unsigned __int128 sum = 0;
    for (unsigned set = 0; set < STATUS_SETS; set++)
        for (unsigned part = 0; part < 4; part++)
            sum += (unsigned __int128)words[((set * 2 + operand) * 2 + kind) * 4 + part] << (16 * part);
    const double rounded = (double)sum;
    return ldexp((unsigned __int128)rounded < sum ? nextafter(rounded, HUGE_VAL) : rounded, 2 * (int)shift);
}

/* double_above - the least double above all doubles with these upper 32 bits; 0 for 0; infinity for those of a NaN. */
static double double_above(cl_uint upper)
{
    if (upper >= 0x7ff00000)
        return HUGE_VAL;
    const uint64_t bits = upper ? (uint64_t)(upper + 1) << 32 : 0;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

void ocl_figures_of(const cl_uint *words, const struct plan_shape *shape, struct plan_figures *figures)
{
    const unsigned shift = device_norm_shift(shape);
    figures->a = (struct digit_norms){sum_up(words, 0, 0, shift), sum_up(words, 0, 1, shift)};
    figures->b = (struct digit_norms){sum_up(words, 1, 0, shift), sum_up(words, 1, 1, shift)};
    if (shape->square)
        figures->b = figures->a;
    const int thousandths = ocl_fault(OCL_FAULT_DISTANCE);
    figures->max_error = thousandths != 0 ? thousandths / 1000.0 : double_above(words[STATUS_ERROR]);
    figures->max_value = double_above(words[STATUS_VALUE]) + 0.5;
    figures->max_energy = HUGE_VAL;
}
