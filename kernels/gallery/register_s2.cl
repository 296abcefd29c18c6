/*
 * register_s2.cl - gallery: groups of transforms launched repeatedly, two values in the registers of each work-item.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  a launch makes transforms of 2T points in groups of T work-items, from points 2^log2_groups apart to points
 *                p = 2^log2_p apart (places.cl); 2^24 points take three launches of 256.  An item holds two values of one
 *                sequence.  A level is one butterfly in registers.  It splits sequence c into c and c + 2^level.  Then items t
 *                and t ^ h exchange one value each, through T slots of local memory, so that each holds two values of one
 *                sequence again.  The twiddle's angle is half of that of the level before, or that and half a turn, and begins
 *                with that of the launch: no value is multiplied as it is read.  Results are stored by reversed bits.
 * What limits:   two barriers for every butterfly: local memory's latency; scattered reads and writes.
 * Next rung:     `register_sp`, more values for each item: fewer exchanges.
 * Source:        [Bai10]
 *
 * ND-range:  T = 2^(log2_k - 1) items a group, n / 2T groups by the batch.
 *   x      local  T points
 * REGISTER_WITHOUT leaves parts out for bench/b-register, which times what each costs: 1 the exchange, 2 the barriers,
 * 4 sines and cosines, 8 the bit reversal of the store.  Results are wrong then.
 */
#include "gallery/gallery.cl"

#ifndef REGISTER_WITHOUT
#define REGISTER_WITHOUT 0
#endif

INLINE void exchange_barrier(void)
{
#if !(REGISTER_WITHOUT & 2)
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

/* twiddle - of a level that splits sequence c: e((low + p c) / (p 2^(level + 1))) */
INLINE complex twiddle(uint low, uint c, int log2_p, int level, int sign)
{
#if REGISTER_WITHOUT & 4
    return (complex)(low + c, sign);
#else
    return root(low + (c << log2_p), 2 << (log2_p + level), sign);
#endif
}

__kernel void register_s2(__global const complex *in, __global complex *out, int log2_n, int log2_k, int log2_p, int sign,
                          __local complex *x)
{
    const uint t = get_local_id(0), items = 1u << (log2_k - 1), group = get_group_id(0), low = group & ((1u << log2_p) - 1);
    const size_t base = (size_t)get_group_id(1) << log2_n;
    complex a = in[base + place_input(group, t, log2_n - log2_k)], b = in[base + place_input(group, t + items, log2_n - log2_k)];
    uint c = 0; /* the sequence of a and b, < 2^level */
    butterfly(&a, &b, twiddle(low, c, log2_p, 0, sign));
    for (int level = 1; level < log2_k; level++) {
        const uint half_node = items >> level;
        const bool upper = (t & half_node) != 0;
#if !(REGISTER_WITHOUT & 1)
        x[t] = upper ? a : b;
        exchange_barrier();
        const complex other = x[slot_partner(t, half_node)];
        exchange_barrier();
        a = upper ? other : a;
        b = upper ? b : other;
#endif
        c |= (uint)upper << (level - 1);
        butterfly(&a, &b, twiddle(low, c, log2_p, level, sign));
    }
#if REGISTER_WITHOUT & 8
    c = t;
#endif
    out[base + place_output(group, c, log2_p, log2_k)] = a;
    out[base + place_output(group, c + items, log2_p, log2_k)] = b;
}
