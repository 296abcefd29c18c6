/*
 * fft_1.cl - gallery: one launch per stage, bit reversal inside each butterfly.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  the textbook's loop over butterflies becomes the ND-range: work-item i makes butterfly i of a stage.  It finds
 *                its node and its place in it with powers, divisions and remainders, as the formula has them.  Every stage reads
 *                and writes its two points at their reversed places; the last one writes in order.
 * What limits:   all reads and all writes but the last ones are scattered: each touches a segment of memory of its own.  A
 *                launch and a pass over all data for each of log2 n stages; a bit reversal (a loop), integer divisions, a pow, a
 *                sine and a cosine for two points.
 * Next rung:     `fft_2`, shifts and masks for the powers and divisions.
 * Source:        [Scarpaci]
 *
 * ND-range:  n/2 items by the batch.
 *   in     in   the data, or what the stage before wrote; in == x is allowed but in the last stage
 *   x      out  the data in work
 *   stage  in   0 .. log2_n - 1: nodes of 2^(stage + 1) points
 */
#include "gallery/gallery.cl"

__kernel void fft_1(__global const complex *in, __global complex *x, int log2_n, int stage, int sign)
{
    const int i = get_global_id(0), n = (int)(pow(2.0f, (float)log2_n) + 0.5f);
    const int half_node = (int)(pow(2.0f, (float)stage) + 0.5f), k = i % half_node;
    const uint p = place_textbook(i, half_node), q = p + half_node;
    const size_t base = (size_t)get_global_id(1) * n;
    complex a = in[base + reversed(p, log2_n)], b = in[base + reversed(q, log2_n)];
    butterfly(&a, &b, root(k, 2 * half_node, sign));
    x[base + place_ladder(p, log2_n, stage)] = a;
    x[base + place_ladder(q, log2_n, stage)] = b;
}
