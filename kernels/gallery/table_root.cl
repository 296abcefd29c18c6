/*
 * table_root.cl - gallery: the root of a work-item and a stage, for `local` and `local_groups`: from a table, or computed.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The table has two dimensions, [stage][work-item]: e(-(t mod h) / 2h) of item t in stage s, h = 2^s, `width` items to a row.
 * LOCAL_TABLE says where it is: 0 in an image of 32-bit words, read through the texture units; 1 in constant memory; 2 in
 * global memory; 3 nowhere: roots are computed by the device's fast sine and cosine, in float alone.
 * A kernel has TABLE_PARAMETER before its numbers, and gets a root as STAGE_ROOT(stage, t, width).
 */
#if LOCAL_TABLE == 3
#define TABLE_PARAMETER
#define STAGE_ROOT(stage, t, width) native_root(stage, t)
INLINE complex native_root(uint stage, uint t)
{
    const float angle = -3.14159265f * (float)(t & ((1u << stage) - 1)) / (float)(1u << stage);
    return (complex)(native_cos(angle), native_sin(angle));
}
#elif LOCAL_TABLE == 0
#define TABLE_PARAMETER __read_only image2d_t table,
#define STAGE_ROOT(stage, t, width) image_root(table, stage, t)
INLINE complex image_root(__read_only image2d_t table, uint stage, uint t)
{
    const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
    uint4 words = read_imageui(table, nearest, (int2)((int)t, (int)stage));
#if GALLERY_DOUBLE
    return (complex)(as_double(words.xy), as_double(words.zw));
#else
    return as_float2(words.xy);
#endif
}
#else
#if LOCAL_TABLE == 1
#define TABLE_PARAMETER __constant const complex *table,
#else
#define TABLE_PARAMETER __global const complex *table,
#endif
#define STAGE_ROOT(stage, t, width) table[(stage) * (width) + (t)]
#endif
