/*
 * compact_fft_3.cl - gallery: fft_3 in one work-group, one launch, local memory.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  one work-group of n/2 items loads a transform, each item two points from their reversed places, does all stages
 *                in local memory, and stores it.  A stage has two barriers, one before its reads and one before its writes, and
 *                an item makes one butterfly of it.  Global memory is read and written once.
 * What limits:   a group's items and local memory bound n; a single transform keeps one compute unit busy.  The reads are
 *                scattered: each touches a segment of its own.  A sine and a cosine in each butterfly.
 * Next rung:     `compact_fft_3_coalesced`: reads in order; `register_s2` and `register_sp`: values in registers.
 * Source:        [Scarpaci]
 *
 * ND-range:  n/2 items a group, one group for each transform of the batch, in dimension 1.
 *   x      local  n points
 */
#include "gallery/gallery.cl"

__kernel void compact_fft_3(__global const complex *in, __global complex *out, int log2_n, int sign, __local complex *x)
{
    const uint i = get_local_id(0), half_n = 1u << (log2_n - 1);
    const size_t base = (size_t)get_group_id(1) << log2_n;
    x[i] = in[base + reversed(i, log2_n)];
    x[i + half_n] = in[base + reversed(i + half_n, log2_n)];
    for (int stage = 0; stage < log2_n; stage++) {
        const uint half_node = 1u << stage, p = place_butterfly(i, stage);
        barrier(CLK_LOCAL_MEM_FENCE);
        complex a = x[p], b = x[p + half_node];
        butterfly(&a, &b, root(i & (half_node - 1), 2 << stage, sign));
        barrier(CLK_LOCAL_MEM_FENCE);
        x[p] = a;
        x[p + half_node] = b;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + i] = x[i];
    out[base + i + half_n] = x[i + half_n];
}
