/*
 * local.cl - gallery: groups of transforms in local memory, launched repeatedly; roots from an image, constant or global memory.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  a launch makes transforms of 2T points in groups of T work-items.  A group reads points that lie 2^log2_groups
 *                apart, multiplies them by the twiddles of the launches before, makes all stages in local memory, and writes
 *                results p = 2^log2_p apart (places.cl).  2^24 points take three launches of 256.  A work-item makes one
 *                butterfly of each stage, and reads its root from a table of two dimensions, [stage][work-item].
 *                LOCAL_TABLE says where that table is: 0 in an image of 32-bit words, read through the texture units; 1 in
 *                constant memory; 2 in global memory.
 * What limits:   barriers, and conflicts in local memory; reads that are scattered but for the groups that run beside.
 * Next rung:     `register_s2`, values in registers.
 * Source:        [Bai10]
 *
 * ND-range:  T items a group, n / 2T groups by the batch.
 *   table  in     e(-(t mod h) / 2h) of work-item t for h = 2^row, LOCAL_WIDTH of each row
 *   x      local  2T points
 */
#include "gallery/gallery.cl"

#if LOCAL_TABLE == 0
#define TABLE __read_only image2d_t
INLINE complex table_root(TABLE table, uint row, uint t)
{
    const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
    uint4 words = read_imageui(table, nearest, (int2)((int)t, (int)row));
#if GALLERY_DOUBLE
    return (complex)(as_double(words.xy), as_double(words.zw));
#else
    return as_float2(words.xy);
#endif
}
#else
#if LOCAL_TABLE == 1
#define TABLE __constant const complex *
#else
#define TABLE __global const complex *
#endif
INLINE complex table_root(TABLE table, uint row, uint t)
{
    return table[row * LOCAL_WIDTH + t];
}
#endif

__kernel void local_groups(__global const complex *in, __global complex *out, TABLE table, int log2_n, int log2_k, int log2_p,
                           int sign, __local complex *x)
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
        x[at + half_node] = mul(a - b, directed(table_root(table, row, t), sign));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = t; i < 2 * half_k; i += half_k)
        out[base + place_output(group, i, log2_p, log2_k)] = x[reversed(i, log2_k)];
}
