/*
 * rows_inverse.cl - the first inverse pass, of a spectrum that lies in memory: rows_forward backwards, times POINTS.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * ND-range:  n / POINTS groups of ITEMS items.
 *   x              out  n points
 *   spectrum       in   as rows_forward.cl leaves it
 *   table, shared  in   as in rows_mul_fused.cl
 * Local:     EXCHANGE_SLOTS doubles or points.   Barriers: those of the exchanges.   Tunables: those of fft_stages.cl, COLUMNS 1.
 */
#include "fft_stages.cl"

__kernel FIXED_GROUP_SIZE
void rows_inverse(__global point *restrict x, __global const point *restrict spectrum, __global const twiddle *restrict table,
                  __global const twiddle *restrict shared)
{
    __local exchanged local_slots[EXCHANGE_SLOTS];
    const uint u = get_local_id(0), row = get_group_id(0);
    __global const point *restrict in = spectrum + (size_t)row * ITEM_VALUES * ITEMS + u;
    __global point *restrict p = x + (size_t)row * POINTS;

    point value[ITEM_VALUES];
    UNROLL for (int j = 0; j < ITEM_VALUES; j++) value[j] = in[j * ITEMS];
    transform_inverse(value, local_slots, table + (size_t)row * NODE_ENTRIES, shared, u, 0);
    FOR_VALUES(0, p[slot] = value[at];)
}
