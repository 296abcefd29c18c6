/*
 * fft_conv_sums.cl - convolutions of integers on a device: all sums of products of the pieces' spectra.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Sum s is that of the products of a's piece i and b's piece s - i.  It takes the place of piece s, which has been read then; x
 * has room for all a_pieces + b_pieces - 1 of them.  Each point of each piece is read once and stays in a register.
 *
 * ND-range:  row_groups groups for each transform, in one dimension.
 *   part      in  points from one piece of a to the next; of b they are `points`
 * Tunables:  PIECES, the larger of a_pieces and b_pieces, at most 16.   Precision: double.
 */
#define FFT_FLOAT 0
#include "fft_butterfly.cl"

#if !defined(PIECES)
#error "fft_conv_sums.cl: a tunable is missing"
#endif

__kernel void conv_sums(__global point *x, __global const point *spectrum, uint points, uint a_pieces, uint b_pieces, ulong part,
                        uint row_groups)
{
    const uint j = ((uint)get_group_id(0) % row_groups) * (uint)get_local_size(0) + (uint)get_local_id(0);
    const point zero = (point)(0);
    point a[PIECES], b[PIECES];
    if (j >= points)
        return;
    x += (ulong)((uint)get_group_id(0) / row_groups) * points + j;
    UNROLL for (uint i = 0; i < PIECES; i++)
    {
        a[i] = i < a_pieces ? x[i * part] : zero;
        b[i] = i < b_pieces ? spectrum[(ulong)i * points + j] : zero;
    }
    UNROLL for (uint s = 0; s < 2 * PIECES - 1; s++)
    {
        point sum = zero;
        UNROLL for (uint i = 0; i < PIECES; i++)
        {
            if (i <= s && s - i < PIECES) /* products by zero change nothing */
                sum += point_mul(a[i], b[s - i]);
        }
        if (s < a_pieces + b_pieces - 1)
            x[s * part] = sum;
    }
}
