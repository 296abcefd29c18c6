/*
 * residues_inverse.cl - an inverse pass over the columns of each block, modulo each prime.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The inverse of residues_forward, times POINTS.  In place.
 *
 * ND-range:  N_PRIMES n_blocks n_columns / COLUMNS groups of GROUP_ITEMS items.
 *   x          i/o  n residues for each prime
 *   tables     in   see residue_passes.cl
 *   n_columns  in   a multiple of COLUMNS
 *   n_blocks   in   a power of two
 * Local:     4 SLOTS bytes.   Barriers: those of the exchanges.   Tunables: those of residue_passes.cl;
 * ROOT (1: the one block is the root).
 */
#include "residue_passes.cl"

__kernel FIXED_GROUP_SIZE
void residues_inverse(__global uint *restrict x, __global const factor *restrict tables, uint4 layout, uint n_columns,
                      uint n_blocks)
{
    __local uint slots[SLOTS] __attribute__((aligned(16)));
    const uint t = get_local_id(0), tiles = n_columns / COLUMNS;
    const uint group = get_group_id(0), whole = group / tiles, tile = group - whole * tiles;
    const uint block = ROOT ? 0 : whole & (n_blocks - 1), prime = ROOT ? whole : whole >> popcount(n_blocks - 1);
    __global const factor *restrict own = tables + (size_t)prime * layout.x;
    const modulus p = modulus_of(prime);
    __global uint *tile_rows = x + ((size_t)prime * n_blocks + block) * POINTS * n_columns + tile * COLUMNS;

    __global uint *above = tile_rows + (FIRST_ROW(UNIT(t, 0), 0) * n_columns + FIRST_COLUMN(t, 0));
    __global uint *below =
        tile_rows + (FIRST_ROW(UNIT(t, LAST_STAGE), LAST_STAGE) * n_columns + FIRST_COLUMN(t, LAST_STAGE));

    uint value[ITEM_VALUES];
    columns_get(value, below, n_columns);
    pass_inverse(value, slots, own + RESIDUE_CONSTANTS + layout.y, t, p, SPLIT(block, ROOT, 1), 1);
    UNROLL for (int at = 0; at < ITEM_VALUES; at++) above[ADDED_ROWS(at, 0) * n_columns] = value[at];
}
