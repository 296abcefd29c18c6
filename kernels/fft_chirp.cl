/*
 * fft_chirp.cl - the plain transform of any length: Bluestein's algorithm, without its cyclic convolution.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * X_k = c_k sum over j < n of (x_j c_j) conj(c_(k-j)), c_j = e(-j^2 / 2n): a cyclic convolution of m >= 2n - 1 points.
 * Backwards is forwards with real and imaginary parts exchanged on both sides (swap).
 *
 * ND-range:  points by the batch.
 *   chirp     in  c_j, j < n;   spectrum  in  m points: the transform of conj(c), over m
 *   in, out   transforms dist points apart;  x: m apart
 */
#include "fft_butterfly.cl"

/* x = the chirped points, then zeros; m items */
__kernel void chirp_widen(__global const point *in, ulong dist, __global const point *chirp, __global point *x, ulong n, int swap)
{
    const size_t j = get_global_id(0), m = get_global_size(0), b = get_global_id(1);
    point v = (point)(0);
    if (j < n) {
        v = in[b * dist + j];
        v = point_mul(swap ? point_swapped(v) : v, chirp[j]);
    }
    x[b * m + j] = v;
}

/* x = x times the spectrum; m items */
__kernel void chirp_multiply(__global point *x, __global const point *spectrum)
{
    const size_t j = get_global_id(0), m = get_global_size(0), b = get_global_id(1);
    x[b * m + j] = point_mul(x[b * m + j], spectrum[j]);
}

/* out = scale times the chirped first n points; n items */
__kernel void chirp_narrow(__global point *out, ulong dist, __global const point *chirp, __global const point *x, ulong m,
                           int swap, real scale)
{
    const size_t k = get_global_id(0), b = get_global_id(1);
    const point v = point_times(point_mul(x[b * m + k], chirp[k]), scale);
    out[b * dist + k] = swap ? point_swapped(v) : v;
}
