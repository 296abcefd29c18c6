/*
 * local_groups.cl - gallery: groups of transforms in local memory, launched repeatedly, for any length.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  a launch makes transforms of 2T points in groups of T work-items.  A group reads points that lie 2^log2_groups
 *                apart, multiplies them by the twiddles of the launches before, makes all stages in local memory, and writes
 *                results p = 2^log2_p apart (places.cl).  2^24 points take three launches of 256.  The stages go from the widest
 *                butterflies to the narrowest, so that no launch reorders its data, and read the rows of `local`'s table
 *                (table_root.cl) from the last to the first.
 * What limits:   barriers, and conflicts in local memory; reads that are scattered but for the groups that run beside.
 * Next rung:     `register_s2`, values in registers.
 * Source:        [Bai10]
 *
 * ND-range:  T items a group, n / 2T groups by the batch.
 *   table  in     LOCAL_WIDTH entries a row
 *   x      local  2T points
 */
#include "gallery/gallery.cl"
#include "gallery/table_root.cl"

__kernel void local_groups(__global const complex *in, __global complex *out, TABLE_PARAMETER int log2_n, int log2_k,
                           int log2_p, int sign, __local complex *x)
{
    const uint t = get_local_id(0), half_k = 1u << (log2_k - 1), group = get_group_id(0), low = group & ((1u << log2_p) - 1);
    const size_t base = (size_t)get_group_id(1) << log2_n;
    for (uint i = t; i < 2 * half_k; i += half_k)
        x[i] = mul(in[base + place_input(group, i, log2_n - log2_k)], root(low * i, 1 << (log2_p + log2_k), sign));
    for (int row = log2_k - 1; row >= 0; row--) {
        const uint half_node = 1u << row, at = place_butterfly(t, row);
        barrier(CLK_LOCAL_MEM_FENCE);
        complex a = x[at], b = x[at + half_node];
        x[at] = a + b;
        x[at + half_node] = mul(a - b, directed(STAGE_ROOT(row, t, LOCAL_WIDTH), sign));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = t; i < 2 * half_k; i += half_k)
        out[base + place_output(group, i, log2_p, log2_k)] = x[reversed(i, log2_k)];
}
