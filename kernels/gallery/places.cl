/*
 * places.cl - gallery: the places that work-items read and write, for the kernels and for tests/t-gallery_segments.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * This file is C as well as OpenCL C, so that the test counts segments of memory by the kernels' own expressions.  Who includes
 * it has defined INLINE, and uint as a type of 32 bits.  All places are inside a transform of 2^log2_n points.
 */
#ifndef GALLERY_PLACES_CL
#define GALLERY_PLACES_CL

INLINE uint reversed(uint i, uint bits)
{
    uint r = 0;
    for (uint b = 0; b < bits; b++) {
        r = r << 1 | (i & 1);
        i >>= 1;
    }
    return r;
}

/* place_textbook - the first point of butterfly i of nodes of 2 half_node points; the other one is half_node behind. */
INLINE uint place_textbook(uint i, uint half_node)
{
    return i / half_node * (2 * half_node) + i % half_node;
}

/* place_butterfly - the same for half_node = 2^stage, with shifts and masks. */
INLINE uint place_butterfly(uint i, uint stage)
{
    return (i >> stage << (stage + 1)) + (i & ((1u << stage) - 1));
}

/* place_ladder - where fft_1 and fft_2 write point p of a stage: at its reversed place, the last stage in order. */
INLINE uint place_ladder(uint p, uint log2_n, uint stage)
{
    return stage + 1 == log2_n ? p : reversed(p, log2_n);
}

/* place_rotated - fft_4_coalesced: where point i goes between two stages. */
INLINE uint place_rotated(uint i, uint log2_n)
{
    return i >> 1 | (i & 1) << (log2_n - 1);
}

/*
 * A launch of the rows `local`, `register_s2`, `register_sp`: group g of 2^log2_groups transforms 2^log2_k = n / 2^log2_groups
 * points.  Earlier launches have made transforms of p = 2^log2_p points.
 */
INLINE uint place_input(uint group, uint i, uint log2_groups)
{
    return group + (i << log2_groups);
}

INLINE uint place_output(uint group, uint k, uint log2_p, uint log2_k)
{
    const uint low = group & ((1u << log2_p) - 1);
    return ((group - low) << log2_k) + low + (k << log2_p);
}

/* slot_partner - register_s2, register_sp: the slot of local memory that item t reads in an exchange; it has written slot t. */
INLINE uint slot_partner(uint t, uint distance)
{
    return t ^ distance;
}

/* fourstep: element i of `width` columns from j2 on; of as many rows from k1 on; of those as columns of the result. */
INLINE uint place_column(uint i, uint j2, uint width, uint log2_n2)
{
    return (i / width << log2_n2) + j2 + i % width;
}

INLINE uint place_row(uint i, uint k1, uint log2_n2)
{
    return (k1 << log2_n2) + i;
}

INLINE uint place_sorted(uint i, uint k1, uint width, uint log2_n1)
{
    return k1 + i % width + (i / width << log2_n1);
}

#endif
