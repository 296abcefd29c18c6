/*
 * fft_2.cl - gallery: fft_1 with shifts and masks.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  as `fft_1`, but powers of two are shifts, and divisions and remainders by them are shifts and masks.
 * What limits:   still scattered reads and writes and a bit reversal in each butterfly of each stage.
 * Next rung:     `fft_3`, the bit reversal once, in a kernel of its own.
 * Source:        [Scarpaci]
 *
 * ND-range and arguments: those of fft_1.cl.
 */
#include "gallery/gallery.cl"

__kernel void fft_2(__global const complex *in, __global complex *x, int log2_n, int stage, int sign)
{
    const int i = get_global_id(0), half_node = 1 << stage, k = i & (half_node - 1);
    const uint p = place_butterfly(i, stage), q = p + half_node;
    const size_t base = (size_t)get_global_id(1) << log2_n;
    complex a = in[base + reversed(p, log2_n)], b = in[base + reversed(q, log2_n)];
    butterfly(&a, &b, root(k, 2 * half_node, sign));
    x[base + place_ladder(p, log2_n, stage)] = a;
    x[base + place_ladder(q, log2_n, stage)] = b;
}
