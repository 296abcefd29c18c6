/*
 * compact_fft_3_coalesced.cl - gallery: compact_fft_3 with reads in order, one barrier a stage, and groups of any size.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  one work-group loads a transform in order and scatters it into local memory by reversed bits, does all stages
 *                there with one barrier between two of them, and stores it.  An item makes as many butterflies as there are.
 * What limits:   a transform has to fit into local memory; a single one keeps one compute unit busy.  Local memory conflicts in
 *                the early stages; a sine and a cosine in each butterfly.
 * Next rung:     `register_s2` and `register_sp`: values in registers, local memory for exchange alone.
 *
 * ND-range:  groups of any size, one for each transform of the batch, in dimension 1.
 *   x      local  n points
 */
#include "gallery/gallery.cl"

__kernel void compact_fft_3_coalesced(__global const complex *in, __global complex *out, int log2_n, int sign,
                                      __local complex *x)
{
    const int n = 1 << log2_n, items = get_local_size(0), u = get_local_id(0);
    const size_t base = (size_t)get_group_id(1) << log2_n;
    for (int i = u; i < n; i += items)
        x[reversed(i, log2_n)] = in[base + i];
    for (int stage = 0; stage < log2_n; stage++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = u; i < n / 2; i += items) {
            const int half_node = 1 << stage, k = i & (half_node - 1), p = (i >> stage << (stage + 1)) + k;
            complex a = x[p], b = x[p + half_node];
            butterfly(&a, &b, root(k, 2 * half_node, sign));
            x[p] = a;
            x[p + half_node] = b;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = u; i < n; i += items)
        out[base + i] = x[i];
}
