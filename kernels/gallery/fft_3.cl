/*
 * fft_3.cl - gallery: a bit-reversal kernel, then the stages in order.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  one launch permutes the data by reversed bits; the stages then have neither loop nor scattered reads.
 * What limits:   log2 n + 1 launches and passes; the two points of a butterfly lie 2^stage apart, so that neighbours in a
 *                work-group read runs of 2^stage points in early stages; the permutation's reads are scattered.
 * Next rung:     `compact_fft_3` where one work-group can hold a transform; `fft_4` for coalesced reads in every stage.
 *
 * ND-range:  reverse: n items by the batch; stage: n/2 items by the batch.
 */
#include "gallery/gallery.cl"

__kernel void fft_3_reverse(__global const complex *in, __global complex *x, int log2_n)
{
    const uint i = get_global_id(0);
    const size_t base = (size_t)get_global_id(1) << log2_n;
    x[base + i] = in[base + reversed(i, log2_n)];
}

__kernel void fft_3_stage(__global complex *x, int log2_n, int stage, int sign)
{
    const int i = get_global_id(0), half_node = 1 << stage, k = i & (half_node - 1);
    __global complex *p = x + ((size_t)get_global_id(1) << log2_n) + place_butterfly(i, stage);
    complex a = p[0], b = p[half_node];
    butterfly(&a, &b, root(k, 2 * half_node, sign));
    p[0] = a;
    p[half_node] = b;
}
