/*
 * spectrum_to_columns.cl - the first inverse pass, of a spectrum in memory: columns_to_spectrum backwards, times POINTS.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * ND-range:  n / POINTS groups of ITEMS items.
 *   x              out  n points
 *   spectrum       in   as columns_to_spectrum.cl leaves it
 *   table, shared  in   as in columns_mul_fused.cl
 * Local:     EXCHANGE_SLOTS doubles or points.   Barriers: those of the exchanges.   Tunables: those of fft_stages.cl, COLUMNS 1.
 */
#include "spectrum_order.cl"

__kernel FIXED_GROUP_SIZE
void spectrum_to_columns(__global point *restrict x, __global const point *restrict spectrum,
                         __global const twiddle *restrict table, __global const twiddle *restrict shared)
{
    __local exchanged local_slots[EXCHANGE_SLOTS];
    const uint u = get_local_id(0), row = get_group_id(0);
    __global const point *restrict in = spectrum + (size_t)row * POINTS;
    __global point *restrict p = x + (size_t)row * POINTS;

    point value[ITEM_VALUES];
    FOR_VALUES(LAST_STAGE, value[at] = in[SPECTRUM_PLACE];)
    transform_inverse(value, local_slots, table + (size_t)row * NODE_ENTRIES, shared, u, 0);
    FOR_VALUES(0, p[slot] = value[at];)
}
