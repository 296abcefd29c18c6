/*
 * fft_4.cl - gallery: a permute kernel between stages, so that every read of a stage is coalesced.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  after gallery_reverse, and between any two stages, a permute kernel of n/2 items gathers the two points of each
 *                butterfly and writes them side by side; the first stage's pairs are neighbours already.  The stage reads pairs
 *                in order, and scatters its results to their places, so that the last stage leaves natural order.
 * What limits:   two launches and two passes over all data for each stage, twice the traffic of `fft_3`.  The gathering and the
 *                scattering have the strides that the stages of `fft_3` have.
 * Next rung:     `fft_4_coalesced`, whose writes are streams, too; `stockham`, which permutes within the stages.
 * Source:        [Scarpaci]
 *
 * ND-range:  permute, stage: n/2 items by the batch.  Each from one buffer to the other.
 */
#include "gallery/gallery.cl"

__kernel void fft_4_permute(__global const complex *in, __global complex *out, int log2_n, int stage)
{
    const uint i = get_global_id(0), p = place_butterfly(i, stage);
    const size_t base = (size_t)get_global_id(1) << log2_n;
    out[base + 2 * i] = in[base + p];
    out[base + 2 * i + 1] = in[base + p + (1u << stage)];
}

__kernel void fft_4_stage(__global const complex *in, __global complex *out, int log2_n, int stage, int sign)
{
    const uint i = get_global_id(0), half_node = 1u << stage, p = place_butterfly(i, stage);
    const size_t base = (size_t)get_global_id(1) << log2_n;
    complex a = in[base + 2 * i], b = in[base + 2 * i + 1];
    butterfly(&a, &b, root(i & (half_node - 1), 2 << stage, sign));
    out[base + p] = a;
    out[base + p + half_node] = b;
}
