/*
 * columns_inverse.cl - an inverse pass over the columns of each block: columns_forward backwards, times POINTS.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * ND-range:  n_blocks * n_columns / COLUMNS groups of GROUP_ITEMS items.
 *   x, table, shared, n_columns   as in columns_forward.cl
 * Local:     EXCHANGE_SLOTS doubles or points.   Barriers: those of the exchanges.   Tunables: those of fft_stages.cl.
 */
#include "fft_stages.cl"

__kernel FIXED_GROUP_SIZE
void columns_inverse(__global point *restrict x, __global const twiddle *restrict table, __global const twiddle *restrict shared,
                     uint n_columns)
{
    __local exchanged local_slots[EXCHANGE_SLOTS];
    const uint t = get_local_id(0), column = t % COLUMNS, u = t / COLUMNS, tiles = n_columns / COLUMNS;
    const uint block = get_group_id(0) / tiles, tile = get_group_id(0) - block * tiles;
    __global point *restrict p = x + (size_t)block * POINTS * n_columns + (tile * COLUMNS + column);

    point value[ITEM_VALUES];
    FOR_VALUES(LAST_STAGE, value[at] = p[(size_t)slot * n_columns];)
    transform_inverse(value, local_slots, table + (size_t)block * NODE_ENTRIES, shared, u, column);
    FOR_VALUES(0, p[(size_t)slot * n_columns] = value[at];)
}
