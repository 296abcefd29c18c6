/*
 * register_s2_angles.cl - gallery: register_s2 without products at the load, as the levels' angles begin with the launch's.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  as `register_s2`, but a level splits sequence c into c and c + 2^level, and its twiddle's angle is half of that
 *                of the level before, or that and half a turn.  It begins with the angle of the launch, so no value is
 *                multiplied as it is read; but an item computes a sine and a cosine for each level.
 * What limits:   scattered reads and writes; two barriers for every butterfly; the sines.
 * Next rung:     `register_sp`, more values for each item: fewer exchanges.
 *
 * ND-range:  T = 2^(log2_k - 1) items a group, n / 2T groups by the batch.
 *   x      local  T points
 */
#include "gallery/gallery.cl"

/* twiddle - of a level that splits sequence c: e((low + p c) / (p 2^(level + 1))) */
INLINE complex twiddle(uint low, uint c, int log2_p, int level, int sign)
{
    return root(low + (c << log2_p), 2 << (log2_p + level), sign);
}

__kernel void register_s2_angles(__global const complex *in, __global complex *out, int log2_n, int log2_k, int log2_p, int sign,
                                 __local complex *x)
{
    const uint t = get_local_id(0), items = 1u << (log2_k - 1), group = get_group_id(0), low = group & ((1u << log2_p) - 1);
    const size_t base = (size_t)get_group_id(1) << log2_n;
    complex a = in[base + place_input(group, t, log2_n - log2_k)], b = in[base + place_input(group, t + items, log2_n - log2_k)];
    uint c = 0; /* the sequence of a and b, < 2^level */
    butterfly(&a, &b, twiddle(low, c, log2_p, 0, sign));
    for (int level = 1; level < log2_k; level++) {
        const uint half_node = items >> level;
        exchange(&a, &b, x, t, half_node);
        c |= (uint)((t & half_node) != 0) << (level - 1);
        butterfly(&a, &b, twiddle(low, c, log2_p, level, sign));
    }
    out[base + place_output(group, c, log2_p, log2_k)] = a;
    out[base + place_output(group, c + items, log2_p, log2_k)] = b;
}
