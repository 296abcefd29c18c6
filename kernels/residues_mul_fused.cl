/*
 * residues_mul_fused.cl - rows of both operands to their ends, their products, and back, modulo each prime.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    residues_forward over rows, products of residues, residues_inverse over rows, 1 / n.
 * Row r is a polynomial of POINTS coefficients modulo x^POINTS - c^POINTS, c = e(r' / n), r' the bits of r in reverse order.
 * Coefficient j is multiplied by c^j, so that all rows are modulo x^POINTS - 1, and have the factors of the root; on the way back
 * it is divided by it.  c^j is two factors: one for each item, one for each of its values.
 *
 * ND-range:  N_PRIMES n_rows groups of ITEMS items, those of a prime side by side.
 *   x       i/o  n residues for each prime: the product's
 *   y       in   those of the other operand; OPERANDS 1: not read, x is squared
 *   tables  in   see residue_passes.cl
 *   n_rows  in   a power of two
 * Local:     4 OPERANDS SLOTS + 16 ITEM_VALUES bytes.   Barriers: those of the exchanges, and 1.
 * Tunables:  those of residue_passes.cl, COLUMNS 1; OPERANDS.
 */
#include "residue_passes.cl"

/* bits_reversed - the lowest n bits. */
INLINE uint bits_reversed(uint x, uint n)
{
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
    x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
    x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
    x = (x & 0x00ff00ff) << 8 | (x >> 8 & 0x00ff00ff);
    x = x << 16 | x >> 16;
    return x >> (31 - n) >> 1;
}

__kernel FIXED_GROUP_SIZE
void residues_mul_fused(__global uint *restrict x, __global const uint *restrict y, __global const factor *restrict tables,
                        uint4 layout, uint n_rows)
{
    __local uint slots[OPERANDS * SLOTS];
    __local factor turn[2 * ITEM_VALUES];
    const uint u = get_local_id(0), group = get_group_id(0), prime = group / n_rows, row = group % n_rows;
    __global const factor *restrict own = tables + (size_t)prime * layout.x, *restrict tree = own + RESIDUE_CONSTANTS;
    __global const uint *restrict constants = (__global const uint *)own;
    const uint p = constants[RESIDUE_P], reciprocal = constants[RESIDUE_RECIPROCAL], n_mask = (1u << layout.w) - 1;
    const uint angle = bits_reversed(row, popcount(n_rows - 1));
    __global uint *restrict x_row = x + ((size_t)group * POINTS + u);
    __global const uint *restrict y_row = y + ((size_t)group * POINTS + u);

    /* value `at` of item u is coefficient u + ITEMS k; k is its place among those of stage 0 */
    for (uint i = u; i < 2 * ITEM_VALUES; i += ITEMS) {
        const uint at = i % ITEM_VALUES, k = at % R0 * (ITEM_VALUES / R0) + at / R0, forth = angle * k * ITEMS & n_mask;
        uint w = root_power(own, layout, i < ITEM_VALUES ? forth : (0 - forth) & n_mask, p);
        if (i >= ITEM_VALUES)
            w = residue_mul(w, (factor)(constants[RESIDUE_SCALE], constants[RESIDUE_SCALE + 1]), p);
        turn[i] = factor_of(w, reciprocal, p);
    }
    const factor forth = factor_of(root_power(own, layout, angle * u & n_mask, p), reciprocal, p);
    barrier(CLK_LOCAL_MEM_FENCE);

    uint value[OPERANDS * ITEM_VALUES];
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
    {
        value[at] = residue_mul(residue_mul(x_row[ADDED_ROWS(at, 0)], forth, p), turn[at], p);
#if OPERANDS == 2
        value[ITEM_VALUES + at] = residue_mul(residue_mul(y_row[ADDED_ROWS(at, 0)], forth, p), turn[at], p);
#endif
    }
    pass_forward(value, slots, tree, 0, u, 0, p, 1, OPERANDS);
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
        value[at] = residue_mul_any(value[at], value[(OPERANDS - 1) * ITEM_VALUES + at], constants[RESIDUE_P_INVERSE], p);
    pass_inverse(value, slots, tree + layout.y, 0, u, 0, p, 1);
    const factor back = factor_of(root_power(own, layout, (0 - angle * u) & n_mask, p), reciprocal, p);
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
        x_row[ADDED_ROWS(at, 0)] = residue_mul(residue_mul(value[at], back, p), turn[ITEM_VALUES + at], p);
}
