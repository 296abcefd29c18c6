/*
 * fft_1.cl - gallery: one launch per stage, bit reversal inside each butterfly.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  the textbook's loop over butterflies becomes the ND-range: work-item i makes butterfly i of a stage.  It finds
 *                its node and its place in it with powers, divisions and remainders, as the formula has them, and computes the
 *                reversed indices of its two points; the first stage reads there.
 * What limits:   a launch and a pass over all data for each of log2 n stages; a bit reversal (a loop), integer divisions, a
 *                pow, a sine and a cosine for two points; the first stage's reads are scattered.
 * Next rung:     `fft_2`, shifts and masks for the powers and divisions.
 *
 * ND-range:  n/2 items by the batch.
 *   in     in   the data, read by stage 0 alone
 *   x      out  the data in work, in place from stage 1 on
 *   stage  in   0 .. log2_n - 1: nodes of 2^(stage + 1) points
 */
#include "gallery/gallery.cl"

__kernel void fft_1(__global const complex *in, __global complex *x, int log2_n, int stage, int sign)
{
    const int i = get_global_id(0), n = (int)(pow(2.0f, (float)log2_n) + 0.5f);
    const int half_node = (int)(pow(2.0f, (float)stage) + 0.5f), node = 2 * half_node;
    const int k = i % half_node, p = i / half_node * node + k, q = p + half_node;
    const size_t base = (size_t)get_global_id(1) * n;
    const uint p_reversed = reversed(p, log2_n), q_reversed = reversed(q, log2_n);
    complex a = stage == 0 ? in[base + p_reversed] : x[base + p];
    complex b = stage == 0 ? in[base + q_reversed] : x[base + q];
    butterfly(&a, &b, root(k, node, sign));
    x[base + p] = a;
    x[base + q] = b;
}
