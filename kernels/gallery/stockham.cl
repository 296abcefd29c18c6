/*
 * stockham.cl - gallery: the self-sorting FFT, with a table of roots.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  stage s reads points i and i + n/2 and writes two neighbouring runs of 2^s points, into another buffer: reads
 *                are coalesced always, writes from the first few stages on, and the result is in natural order without any
 *                permutation.  The roots come from a table.
 * What limits:   log2 n launches and passes; two operations for each number moved: memory's bandwidth alone.
 * Next rung:     several stages in one launch: `local`, `register_s2`, `register_sp`; `fourstep` for long transforms.
 *
 * ND-range:  n/2 items by the batch.
 *   roots  in  e(-j/n), j < n/2
 */
#include "gallery/gallery.cl"

__kernel void stockham(__global const complex *in, __global complex *out, __global const complex *roots, int log2_n, int stage,
                       int sign)
{
    const uint i = get_global_id(0), half_n = 1u << (log2_n - 1), s = 1u << stage, p = i >> stage;
    const size_t base = (size_t)get_global_id(1) << log2_n;
    complex a = in[base + i], b = in[base + i + half_n], w = directed(roots[p << stage], sign);
    __global complex *to = out + base + place_butterfly(i, stage);
    to[0] = a + b;
    to[s] = mul(a - b, w);
}
