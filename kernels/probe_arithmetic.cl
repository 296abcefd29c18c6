/*
 * probe_arithmetic.cl - whether a device computes as the proof needs it (doc/error-bound.md, section 18), and how fast it is.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * probe_arithmetic   work-item i: eight results of x[3 i], x[3 i + 1] and x[3 i + 2], called a, b and c
 *   out  out  global, 8 numbers for each work-item: fma(a, b, c);  a b + c and c - a b, two roundings each;  a / b;
 *             the two parts of dd_two_sum(a b, c);  those of dd_dot((a, b 2^-60), (b, c 2^-60), (c, a 2^-60), (a, b 2^-60))
 *   x    in   global, 3 numbers for each work-item
 * probe_fma, probe_product   each work-item: CHAINS chains of `rounds` fma; of products modulo a prime of 31 bits
 *   out     out  never written to, but compilers cannot know that
 *   rounds  in
 * probe_copy   work-item i reads 16 bytes and writes them, changed
 *   x  i/o  global, 16 bytes for each work-item
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

#define CHAINS 8

__kernel void probe_fma(__global uint *out, const uint rounds)
{
    fp z[CHAINS], sum = 0;
    const fp x = 0.5 + 0x1p-30 * get_local_id(0);
    UNROLL
    for (uint k = 0; k < CHAINS; k++)
        z[k] = k;
    for (uint r = 0; r < rounds; r++) {
        UNROLL
        for (uint k = 0; k < CHAINS; k++)
            z[k] = fma(z[k], x, x); /* to x / (1 - x), which is above 0 */
    }
    UNROLL
    for (uint k = 0; k < CHAINS; k++)
        sum += z[k];
    if (sum == 0)
        *out = 1;
}

__kernel void probe_product(__global uint *out, const uint rounds)
{
    const uint p = 2113929217, w = 1751732407 + get_local_id(0), q = (uint)(((ulong)w << 32) / p);
    uint z[CHAINS], sum = 0;
    UNROLL
    for (uint k = 0; k < CHAINS; k++)
        z[k] = k + 1;
    for (uint r = 0; r < rounds; r++) {
        UNROLL
        for (uint k = 0; k < CHAINS; k++) { /* as residue_mul of residue_passes.cl */
            const uint y = z[k] * w - mul_hi(z[k], q) * p;
            z[k] = min(y, y - p); /* 1 to p - 1 */
        }
    }
    UNROLL
    for (uint k = 0; k < CHAINS; k++)
        sum |= z[k];
    if (sum == 0)
        *out = 1;
}

__kernel void probe_copy(__global uint4 *x)
{
    x[get_global_id(0)] ^= 1;
}
