/*
 * fft_4_coalesced.cl - gallery: fft_4 with writes of whole streams, too.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  point j of stage s lies at j rotated right by s bits: the two points of a butterfly, which differ in bit s, are
 *                neighbours, and a stage reads and writes pairs in order.  The permute kernel between stages rotates by one bit
 *                more: it reads in order and writes two streams.  Behind the last stage all bits are back in place.
 * What limits:   two launches and two passes over all data for each stage, twice the traffic of `fft_3`; the first permutation,
 *                by reversed bits, is scattered still.
 * Next rung:     `stockham`, which permutes within the stages.
 *
 * ND-range:  permute: n items by the batch; stage: n/2 items by the batch.
 */
#include "gallery/gallery.cl"

__kernel void fft_4c_stage(__global complex *x, int log2_n, int stage, int sign)
{
    const int i = get_global_id(0);
    __global complex *p = x + ((size_t)get_global_id(1) << log2_n) + 2 * i;
    /* i holds the bits of j but bit `stage`: those above it first, those below it on top */
    const int k = i >> (log2_n - 1 - stage);
    complex a = p[0], b = p[1];
    butterfly(&a, &b, root(k, 2 << stage, sign));
    p[0] = a;
    p[1] = b;
}

__kernel void fft_4c_permute(__global const complex *in, __global complex *out, int log2_n)
{
    const uint i = get_global_id(0);
    const size_t base = (size_t)get_global_id(1) << log2_n;
    out[base + place_rotated(i, log2_n)] = in[base + i];
}
