/*
 * fft_3.cl - gallery: a bit-reversal kernel, then the stages in order.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  one launch permutes the data by reversed bits (gallery_reverse); the stages then have neither loop nor
 *                scattered reads.  `fft_3` computes a sine and a cosine in each butterfly, `fft_3_table` reads them from a table.
 * What limits:   log2 n + 1 launches and passes; the two points of a butterfly lie 2^stage apart, so that neighbours in a
 *                work-group read runs of 2^stage points in early stages; the permutation's reads are scattered.
 * Next rung:     `compact_fft_3` where one work-group can hold a transform; `fft_4` for coalesced reads in every stage.
 * Source:        [Scarpaci]
 *
 * ND-range:  n/2 items by the batch.
 *   roots  in  e(-j/n), j < n/2
 */
#include "gallery/gallery.cl"

INLINE void stage_butterfly(__global complex *x, int log2_n, int stage, complex w)
{
    __global complex *p = x + ((size_t)get_global_id(1) << log2_n) + place_butterfly(get_global_id(0), stage);
    complex a = p[0], b = p[1 << stage];
    butterfly(&a, &b, w);
    p[0] = a;
    p[1 << stage] = b;
}

__kernel void fft_3_stage(__global complex *x, int log2_n, int stage, int sign)
{
    stage_butterfly(x, log2_n, stage, root(get_global_id(0) & ((1u << stage) - 1), 2 << stage, sign));
}

__kernel void fft_3_table_stage(__global complex *x, __global const complex *roots, int log2_n, int stage, int sign)
{
    const uint k = get_global_id(0) & ((1u << stage) - 1);
    stage_butterfly(x, log2_n, stage, directed(roots[k << (log2_n - 1 - stage)], sign));
}
