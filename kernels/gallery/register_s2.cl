/*
 * register_s2.cl - gallery: groups of transforms launched repeatedly, two values in the registers of each work-item.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  a launch makes transforms of 2T points in groups of T work-items, from points 2^log2_groups apart to points
 *                p = 2^log2_p apart (places.cl); 2^24 points take three launches of 256.  An item multiplies both values by
 *                the launch's twiddles as it loads them, so that the levels are those of a transform of 2T points, whatever the
 *                launch.  Between two levels, items t and t ^ h exchange one value each through T slots of local memory.  A
 *                level's twiddle is the level's before with half its angle, by normalising w + 1, and a quarter turn on for
 *                items of the upper half: no sines.  Results are stored at reversed places.
 * What limits:   the scattered reads and writes; `b-gallery register` times it without them.  Two barriers a butterfly.
 * Next rung:     `register_s2_angles`, whose angles begin with the launch's; `register_sp`, more values for each item.
 * Source:        [Bai10]
 *
 * ND-range:  T = 2^(log2_k - 1) items a group, n / 2T groups by the batch.
 *   x      local  T points
 * REGISTER_WITHOUT replaces or leaves out parts for `b-gallery register`, and results are wrong then: 1 reads in the items' order
 * (A of the page), 2 writes in that order (B), 4 no twiddles at the load (C), 8 no exchange in local memory (D).
 */
#include "gallery/gallery.cl"

#ifndef REGISTER_WITHOUT
#define REGISTER_WITHOUT 0
#endif

/* Arguments of the kernel. */
struct pass {
    int log2_n, log2_k, log2_p, sign;
};

INLINE complex load(__global const complex *in, uint group, uint i, uint low, const struct pass of)
{
#if REGISTER_WITHOUT & 1
    const complex v = in[(group << of.log2_k) + i];
#else
    const complex v = in[place_input(group, i, of.log2_n - of.log2_k)];
#endif
#if REGISTER_WITHOUT & 4
    return v;
#else
    return mul(v, root(low * i, 1 << (of.log2_p + of.log2_k), of.sign));
#endif
}

__kernel void register_s2(__global const complex *in, __global complex *out, int log2_n, int log2_k, int log2_p, int sign,
                          __local complex *x)
{
    const uint t = get_local_id(0), items = 1u << (log2_k - 1), group = get_group_id(0), low = group & ((1u << log2_p) - 1);
    const size_t base = (size_t)get_group_id(1) << log2_n;
    const struct pass of = {log2_n, log2_k, log2_p, sign};
    complex a = load(in + base, group, t, low, of);
    complex b = load(in + base, group, t + items, low, of);
    complex w = (complex)(1, 0), d = a - b;
    a += b;
    b = d;
    for (uint distance = items / 2; distance > 0; distance /= 2) {
        const bool upper = (t & distance) != 0;
#if !(REGISTER_WITHOUT & 8)
        exchange(&a, &b, x, t, distance);
#endif
        w = normalize(w + (complex)(1, 0));
        w = upper ? quarter(w, sign) : w;
        butterfly(&a, &b, w);
    }
#if REGISTER_WITHOUT & 2
    out[base + (group << log2_k) + t] = a;
    out[base + (group << log2_k) + t + items] = b;
#else
    const uint r = reversed(t, log2_k - 1);
    out[base + place_output(group, r, log2_p, log2_k)] = a;
    out[base + place_output(group, r + items, log2_p, log2_k)] = b;
#endif
}
