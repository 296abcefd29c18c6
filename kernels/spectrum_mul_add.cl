/*
 * spectrum_mul_add.cl - the product of two spectra, added to a sum of such products.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Spectra lie in any order, all of them in the same one.  Double-double: a product has the error 18, a sum 3 (complex_dd.cl).
 *
 * ND-range:  as many items as there are points.
 *   sum   i/o  points
 *   a, b  in   points; a == b is allowed
 *   add   in   0: sum = a b;  1: sum += a b
 * Tunables:  DOUBLE_DOUBLE.
 */
#include "prelude.cl"

__kernel void spectrum_mul_add(__global point *restrict sum, __global const point *a, __global const point *b, int add)
{
    const size_t i = get_global_id(0);
    point v = complex_mul(a[i], b[i]);
    if (add) {
#if DOUBLE_DOUBLE
        v = point_sum(sum[i], v);
#else
        v += sum[i];
#endif
    }
    sum[i] = v;
}
