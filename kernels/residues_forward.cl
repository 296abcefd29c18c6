/*
 * residues_forward.cl - a forward pass over the columns of each block, modulo each prime.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A block is a node of the tree: POINTS rows of n_columns residues.  Each of its columns is a transform; row r of the result is
 * descendant r of the node, and the next pass's block.   In place, as columns_forward.cl.
 *
 * ND-range:  dimension 0: N_PRIMES n_blocks n_columns / COLUMNS groups of GROUP_ITEMS items; 1: the operands, 1 or 2, of 1 item.
 *   x, y       i/o  n residues for each prime
 *   tables     in   see residue_passes.cl
 *   n_columns  in   a multiple of COLUMNS
 *   n_blocks   in   a power of two
 * Local:     4 SLOTS bytes.   Barriers: those of the exchanges.   Tunables: those of residue_passes.cl.
 */
#include "residue_passes.cl"

__kernel FIXED_GROUP_SIZE
void residues_forward(__global uint *restrict x, __global uint *restrict y, __global const factor *restrict tables, uint4 layout,
                      uint n_columns, uint n_blocks)
{
    __local uint slots[SLOTS] __attribute__((aligned(16)));
    const uint t = get_local_id(0), tiles = n_columns / COLUMNS;
    const uint group = get_group_id(0), whole = group / tiles, tile = group - whole * tiles;
    const uint block = whole & (n_blocks - 1), prime = whole >> popcount(n_blocks - 1);
    __global const factor *restrict own = tables + (size_t)prime * layout.x;
    const modulus p = modulus_of(prime);
    __global uint *tile_rows = (get_group_id(1) ? y : x) +
                                        ((size_t)prime * n_blocks + block) * POINTS * n_columns + tile * COLUMNS;

    __global uint *above = tile_rows + (FIRST_ROW(UNIT(t, 0), 0) * n_columns + FIRST_COLUMN(t, 0));
    __global uint *below =
        tile_rows + (FIRST_ROW(UNIT(t, LAST_STAGE), LAST_STAGE) * n_columns + FIRST_COLUMN(t, LAST_STAGE));

    uint value[ITEM_VALUES];
    UNROLL for (int at = 0; at < ITEM_VALUES; at++) value[at] = above[ADDED_ROWS(at, 0) * n_columns];
    pass_forward(value, slots, own + RESIDUE_CONSTANTS, t, p, SPLIT(block, 0, 1));
    columns_put(below, value, n_columns);
}
