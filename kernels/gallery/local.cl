/*
 * local.cl - gallery: stages in local memory, roots from an image or from constant memory.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  the first launch permutes by reversed bits on the way into local memory and does as many stages there as a
 *                block of 2^log2_block points allows; further stages run one launch each.  Roots are read through the texture
 *                units: an image of 32-bit words, four of which hold two numbers of double precision, two of single.  Where the
 *                device has no images, or the table is small enough, constant memory holds them.
 * What limits:   barriers and conflicts in local memory; a pass over all data for each stage beyond the block.
 * Next rung:     `register_s2`, values in registers.
 *
 * ND-range:  blocks: 2^log2_block / 2 items a group (at least 1), n / 2^log2_block groups by the batch; stage: n/2 by the batch.
 *   table  in     e(-j/n), j < n/2: an image of LOCAL_IMAGE_WIDTH columns, or constant memory
 *   x      local  2^log2_block points
 */
#include "gallery/gallery.cl"

#if LOCAL_IMAGE
#define TABLE __read_only image2d_t
INLINE complex table_root(TABLE table, uint j)
{
    const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
    uint4 words = read_imageui(table, nearest, (int2)((int)(j % LOCAL_IMAGE_WIDTH), (int)(j / LOCAL_IMAGE_WIDTH)));
#if GALLERY_DOUBLE
    return (complex)(as_double(words.xy), as_double(words.zw));
#else
    return as_float2(words.xy);
#endif
}
#else
#define TABLE __constant const complex *
INLINE complex table_root(TABLE table, uint j)
{
    return table[j];
}
#endif

__kernel void local_blocks(__global const complex *in, __global complex *out, TABLE table, int log2_n, int log2_block, int sign,
                           __local complex *x)
{
    const uint u = get_local_id(0), items = get_local_size(0), points = 1u << log2_block;
    const uint first = (uint)get_group_id(0) << log2_block;
    const size_t base = (size_t)get_group_id(1) << log2_n;
    for (uint i = u; i < points; i += items)
        x[i] = in[base + reversed(first + i, log2_n)];
    for (int stage = 0; stage < log2_block; stage++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = u; i < points / 2; i += items) {
            const uint half_node = 1u << stage, k = i & (half_node - 1), p = (i >> stage << (stage + 1)) + k;
            complex a = x[p], b = x[p + half_node];
            butterfly(&a, &b, directed(table_root(table, k << (log2_n - 1 - stage)), sign));
            x[p] = a;
            x[p + half_node] = b;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = u; i < points; i += items)
        out[base + first + i] = x[i];
}

__kernel void local_stage(__global complex *x, TABLE table, int log2_n, int stage, int sign)
{
    const uint i = get_global_id(0), half_node = 1u << stage, k = i & (half_node - 1);
    __global complex *p = x + ((size_t)get_global_id(1) << log2_n) + (i >> stage << (stage + 1)) + k;
    complex a = p[0], b = p[half_node];
    butterfly(&a, &b, directed(table_root(table, k << (log2_n - 1 - stage)), sign));
    p[0] = a;
    p[half_node] = b;
}
