/*
 * probe_arithmetic.cl - whether a device computes as the proof needs it: doc/error-bound.md, section 18.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * probe_arithmetic   work-item i: eight results of x[3 i], x[3 i + 1] and x[3 i + 2], called a, b and c
 *   out  out  global, 8 numbers for each work-item: fma(a, b, c);  a b + c and c - a b, two roundings each;  a / b;
 *             the two parts of dd_two_sum(a b, c);  those of dd_dot((a, b 2^-60), (b, c 2^-60), (c, a 2^-60), (a, b 2^-60))
 *   x    in   global, 3 numbers for each work-item
 * Local bytes: none.   Barriers: none.   Options: DOUBLE_DOUBLE=1.
 */
#include "prelude.cl"

#if !DOUBLE_DOUBLE
#error "DOUBLE_DOUBLE has to be 1"
#endif

__kernel void probe_arithmetic(__global fp *out, __global const fp *x)
{
    const size_t i = get_global_id(0);
    const fp a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2], tiny = 0x1p-60;
    __global fp *z = out + 8 * i;
    z[0] = fma(a, b, c);
    z[1] = a * b + c;
    z[2] = c - a * b;
    z[3] = a / b;
    const dd sum = dd_two_sum(a * b, c);
    const dd dot = dd_dot((dd)(a, b * tiny), (dd)(b, c * tiny), (dd)(c, a * tiny), (dd)(a, b * tiny));
    z[4] = sum.x;
    z[5] = sum.y;
    z[6] = dot.x;
    z[7] = dot.y;
}
