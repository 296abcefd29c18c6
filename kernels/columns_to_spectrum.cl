/*
 * columns_to_spectrum.cl - the last forward pass of an operand whose spectrum is kept.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A row's points lie in the order of spectrum_order.cl.
 *
 * ND-range:  n / POINTS groups of ITEMS items.
 *   x              in   n points
 *   spectrum       out  n points
 *   table, shared  in   as in columns_mul_fused.cl
 * Local:     EXCHANGE_SLOTS doubles or points.   Barriers: those of the exchanges.   Tunables: those of fft_stages.cl, COLUMNS 1.
 */
#include "spectrum_order.cl"

__kernel FIXED_GROUP_SIZE
void columns_to_spectrum(__global const point *restrict x, __global point *restrict spectrum,
                         __global const twiddle *restrict table, __global const twiddle *restrict shared)
{
    __local exchanged local_slots[EXCHANGE_SLOTS];
    const uint u = get_local_id(0), row = get_group_id(0);
    __global const point *restrict p = x + (size_t)row * POINTS;

    point value[ITEM_VALUES];
    FOR_VALUES(0, value[at] = p[slot];)
    transform_forward(value, local_slots, table + (size_t)row * NODE_ENTRIES, shared, u, 0, 0);
    __global point *restrict out = spectrum + (size_t)row * POINTS;
    FOR_VALUES(LAST_STAGE, out[SPECTRUM_PLACE] = value[at];)
}
