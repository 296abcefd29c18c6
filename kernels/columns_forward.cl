/*
 * columns_forward.cl - a forward pass over the columns of each block.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A block is a node of the tree: POINTS rows of n_columns points.  Each of its columns is a transform; row r of the result is
 * descendant r of the node, and the next pass's block.
 *
 * In place, although other items store a value than those that read it: each value of a column depends through local memory on
 * all old ones, so none is stored before all are read.
 *
 * ND-range:  dimension 0: n_blocks * n_columns / COLUMNS groups of GROUP_ITEMS items; 1: the operands, 1 or 2, of 1 item.
 *   x, y       i/o  n_blocks * POINTS * n_columns points each
 *   table      in   NODE_ENTRIES twiddles for each block
 *   shared     in   those that all blocks share
 *   n_columns  in   a multiple of COLUMNS
 * Local:     EXCHANGE_SLOTS doubles or points.   Barriers: those of the exchanges.   Tunables: those of fft_stages.cl.
 */
#include "fft_stages.cl"

__kernel FIXED_GROUP_SIZE
void columns_forward(__global point *restrict x, __global point *restrict y, __global const twiddle *restrict table,
                     __global const twiddle *restrict shared, uint n_columns)
{
    __local exchanged local_slots[EXCHANGE_SLOTS];
    const uint t = get_local_id(0), column = t % COLUMNS, u = t / COLUMNS, tiles = n_columns / COLUMNS;
    const uint block = get_group_id(0) / tiles, tile = get_group_id(0) - block * tiles;
    __global point *restrict p = (get_group_id(1) ? y : x) + (size_t)block * POINTS * n_columns + (tile * COLUMNS + column);

    point value[ITEM_VALUES];
    FOR_VALUES(0, value[at] = p[(size_t)slot * n_columns];)
    transform_forward(value, local_slots, table + (size_t)block * NODE_ENTRIES, shared, u, column, 0);
    FOR_VALUES(LAST_STAGE, p[(size_t)slot * n_columns] = value[at];)
}
