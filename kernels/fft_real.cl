/*
 * fft_real.cl - real transforms by complex ones: of half the length if it is even, of the same length if it is odd.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * n = 2h: z_j = x_(2j) + i x_(2j+1) has the transform Z, and with w = e(-1/n), E_k = (Z_k + conj Z_(h-k)) / 2 and
 * O_k = (Z_k - conj Z_(h-k)) / 2i:  X_k = E_k + w^k O_k,  X_(h-k) = conj(E_k - w^k O_k).
 *
 * ND-range:  real_split, real_join: h/2 + 1 items by the batch; item k does k and h - k.   real_widen, real_narrow: n,
 *            n/2 + 1 (spectrum) or n by the batch.
 *   high, low_roots  in  e(-e 2^low_bits / n), e(-e / n), e < 2^low_bits
 *   dist, and of.x_dist, of.z_dist:  from one transform to the next, in points, or in numbers for pointers to numbers
 */
#include "arguments.h"
#include "fft_butterfly.cl"

/* Z_0 .. Z_(h-1) to X_0 .. X_h, in place */
__kernel void real_split(__global point *z, ulong dist, uint h, __global const point *high, __global const point *low_roots,
                         uint low_bits)
{
    const uint k = get_global_id(0);
    z += get_global_id(1) * dist;
    if (k == 0) {
        const point v = z[0];
        z[0] = (point)(real_sum(RE(v), IM(v)), (real)(0));
        z[h] = (point)(real_sum(RE(v), -IM(v)), (real)(0));
        return;
    }
    const point a = z[k], b = point_conj(z[h - k]);
    const point even = REAL(0.5) * point_sum(a, b), odd = REAL(0.5) * turned(point_difference(a, b), 1);
    const point t = point_mul(odd, root_at(high, low_roots, low_bits, k));
    z[k] = point_sum(even, t);
    if (k != h - k)
        z[h - k] = point_conj(point_difference(even, t));
}

/* X_0 .. X_h to 2 Z_0 .. 2 Z_(h-1); z == x is allowed if the distances agree */
__kernel void real_join(__global const point *x, __global point *z, __global const point *high, __global const point *low_roots,
                        const struct real_join_arguments of)
{
    const uint k = get_global_id(0), h = of.h;
    x += get_global_id(1) * of.x_dist;
    z += get_global_id(1) * of.z_dist;
    const point a = x[k], b = point_conj(x[h - k]);
    if (k == 0) {
        z[0] = (point)(real_sum(RE(a), RE(b)), real_sum(RE(a), -RE(b)));
        return;
    }
    const point even = point_sum(a, b);
    const point odd = point_mul(point_difference(a, b), point_conj(root_at(high, low_roots, of.low_bits, k)));
    z[k] = point_difference(even, turned(odd, 1));
    if (k != h - k)
        z[h - k] = point_conj(point_sum(even, turned(odd, 1)));
}

/* n numbers to n points; or the n/2 + 1 points of a spectrum to all n */
__kernel void real_widen(__global const real *x, ulong x_dist, __global point *z, uint n)
{
    const uint j = get_global_id(0);
    z[get_global_id(1) * (ulong)n + j] = (point)(x[get_global_id(1) * x_dist + j], (real)(0));
}

__kernel void spectrum_widen(__global const point *x, ulong x_dist, __global point *z, uint n)
{
    const uint k = get_global_id(0);
    x += get_global_id(1) * x_dist;
    z += get_global_id(1) * (ulong)n;
    const point v = x[k];
    if (k == 0) {
        z[0] = (point)(RE(v), (real)(0));
    } else {
        z[k] = v;
        z[n - k] = point_conj(v);
    }
}

/* and back: the real parts; the first n/2 + 1 points */
__kernel void real_narrow(__global real *x, ulong x_dist, __global const point *z, uint n)
{
    const uint j = get_global_id(0);
    x[get_global_id(1) * x_dist + j] = RE(z[get_global_id(1) * (ulong)n + j]);
}

__kernel void spectrum_narrow(__global point *x, ulong x_dist, __global const point *z, uint n)
{
    const uint k = get_global_id(0);
    const point v = z[get_global_id(1) * (ulong)n + k];
    x[get_global_id(1) * x_dist + k] = (point)(RE(v), k == 0 ? (real)(0) : IM(v));
}
