/*
 * columns_to_spectrum.cl - the last forward pass of operands whose spectra are kept.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A row's points lie in the order of spectrum_order.cl.
 *
 * ND-range:  dimension 0: n / POINTS groups of ITEMS items; 1: the operands, 1 or 2, of 1 item.
 *   x, y           in   n points each
 *   x_to, y_to     out  their spectra, n points each
 *   table, shared  in   as in columns_mul_fused.cl
 * Local:     EXCHANGE_SLOTS doubles or points.   Barriers: those of the exchanges.   Tunables: those of fft_stages.cl, COLUMNS 1.
 */
#include "spectrum_order.cl"

__kernel FIXED_GROUP_SIZE
void columns_to_spectrum(__global const point *restrict x, __global const point *restrict y, __global point *restrict x_to,
                         __global point *restrict y_to, __global const twiddle *restrict table,
                         __global const twiddle *restrict shared)
{
    __local exchanged local_slots[EXCHANGE_SLOTS];
    const uint u = get_local_id(0), row = get_group_id(0);
    __global const point *restrict p = (get_group_id(1) ? y : x) + (size_t)row * POINTS;

    point value[ITEM_VALUES];
    FOR_VALUES(0, value[at] = p[slot];)
    transform_forward(value, local_slots, table + (size_t)row * NODE_ENTRIES, shared, u, 0, 0);
    __global point *restrict out = (get_group_id(1) ? y_to : x_to) + (size_t)row * POINTS;
    FOR_VALUES(LAST_STAGE, out[SPECTRUM_PLACE] = value[at];)
}
