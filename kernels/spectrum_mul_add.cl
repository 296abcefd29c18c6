/*
 * spectrum_mul_add.cl - products of spectra, added to a sum of such products.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Spectra lie in any order, all of them in the same one.  The products of a launch are a block, whose sum is added to those
 * before.  Doubles: each product rounds each part of a point twice, the sum of blocks once (doc/error-bound.md, section 23).
 * Double-double: a product has the error 18, a sum 3 (complex_dd.cl).
 *
 * ND-range:  as many items as there are points.
 *   sum       i/o  points
 *   a0, b0..  in   points of up to four products, of which any may be the same; those from of.n on are not read
 *   of        in   how many products; bit i of minus: product i is subtracted.   add: 0: sum = the block;  1: sum += the block
 * Tunables:  DOUBLE_DOUBLE.
 */
#include "prelude.cl"
#include "arguments.h"

/* product_add - v + a b, or v - a b. */
INLINE point product_add(point v, point a, point b, bool minus)
{
    a = minus ? -a : a;
#if DOUBLE_DOUBLE
    return point_sum(v, complex_mul(a, b));
#else
    return (point)(fma(a.x, b.x, fma(-a.y, b.y, v.x)), fma(a.x, b.y, fma(a.y, b.x, v.y)));
#endif
}

__kernel void spectrum_mul_add(__global point *restrict sum, __global const point *a0, __global const point *b0,
                               __global const point *a1, __global const point *b1, __global const point *a2,
                               __global const point *b2, __global const point *a3, __global const point *b3,
                               const struct mul_add_arguments of)
{
    const size_t i = get_global_id(0);
    const point first = a0[i];
    point v = complex_mul(of.minus & 1 ? -first : first, b0[i]);
    if (of.n > 1)
        v = product_add(v, a1[i], b1[i], of.minus & 2);
    if (of.n > 2)
        v = product_add(v, a2[i], b2[i], of.minus & 4);
    if (of.n > 3)
        v = product_add(v, a3[i], b3[i], of.minus & 8);
    if (of.add) {
#if DOUBLE_DOUBLE
        v = point_sum(sum[i], v);
#else
        v += sum[i];
#endif
    }
    sum[i] = v;
}
