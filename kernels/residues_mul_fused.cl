/*
 * residues_mul_fused.cl - rows of both operands to their ends, their products, and back, modulo each prime.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    residues_forward over rows, products of residues, residues_inverse over rows, / 2^32.
 * Row r is a polynomial of POINTS COLUMNS coefficients.  Let y be x^COLUMNS: then there are COLUMNS polynomials in y, side by
 * side, modulo y^POINTS - d^POINTS, d = e(r' / n), r' the bits of r in reverse order, n the nodes of all rows' ends.
 *
 * COLUMNS 1: coefficient j is multiplied by d^j, so that all rows are modulo y^POINTS - 1, and have the factors of the root; on
 * the way back it is divided by it.  d^j is two factors: one for each item, one for each of its values.
 * COLUMNS > 1: a group makes the row's own factors, of which there are fewer than points.  An end is a polynomial of COLUMNS
 * coefficients modulo x^COLUMNS - r: its product takes as many products for each of them, and lengths have COLUMNS times as
 * many points as roots have an order.  COLUMNS is 1 to 8, odd ones among them.
 *
 * OPERANDS 2: both operands come as rows; 1: x is squared; 3: y is the spectrum that residues_to_spectrum left of the other
 * operand.  residues_to_spectrum (OPERANDS 0) stops at the ends of x's rows, and leaves them as its items have them.
 *
 * ND-range:  N_PRIMES n_rows groups of GROUP_ITEMS items, those of a prime side by side.
 *   x       i/o  n residues for each prime: the product's; residues_to_spectrum: in
 *   y       in   those of the other operand, or its spectrum; OPERANDS 1: not read.  residues_to_spectrum: out, the spectrum
 *   tables  in   see residue_passes.cl
 *   n_rows  in   a power of two
 * Local:     4 ROOMS ROW_SLOTS bytes and 16 ITEM_VALUES, or 8 POINTS if COLUMNS > 1.   Barriers: those of the exchanges, and
 *            1; COLUMNS > 1: 4, or 1 in residues_to_spectrum.
 * Tunables:  those of residue_passes.cl; OPERANDS, 0 to 3.
 */
#if COLUMNS > 1 && !defined TREE
#define TREE __local const
#endif
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

#if COLUMNS > 1
/* What is left at the ends of a row are polynomials of COLUMNS coefficients, so far apart that items meet no banks of others. */
#define LEAF_APART (COLUMNS | 1)
#define LEAF_SLOTS (POINTS * LEAF_APART)

/* leaf_sum - coefficient i of a b, b = turned behind the end, / 2^32. */
INLINE uint leaf_sum(const uint *a, const uint *b, const uint *turned, const int i, uint inverse, uint p)
{
    ulong sum = 0; /* below 2^33 p: of products, p^2 < 2^31 p */
    UNROLL for (int j = 0; j < COLUMNS; j++)
    {
        if (j >= 4 && j % 2 == 0)
            sum = (ulong)residue_once((uint)(sum >> 32), p) << 32 | (uint)sum; /* now below 2^32 p */
        sum += (ulong)a[j] * (j <= i ? b[i - j] : turned[COLUMNS + i - j]);
    }
    return residue_sub(residue_once((uint)(sum >> 32), p), mul_hi((uint)sum * inverse, p), p);
}

/*
 * row_tree - the factors of a row's nodes: of node i of 2^v that are v levels below it, factor 2^v + i.
 *
 *   angle  r'
 *   back   their inverses
 * Barriers: none; the caller's, before and after.
 */
INLINE void row_tree(__local factor *tree, __global const factor *restrict own, uint4 layout, uint angle, uint n_rows,
                     const bool back, uint t, uint p)
{
    const uint reciprocal = ((__global const uint *)own)[RESIDUE_RECIPROCAL], levels = popcount(POINTS - 1);
    for (uint k = t + 1; k < POINTS; k += GROUP_ITEMS) {
        const uint depth = 31 - clz(k);
        uint exponent = (angle + bits_reversed(k - (1u << depth), depth) * n_rows) << (levels - 1 - depth); /* < n / 2 */
        if (back)
            exponent = (0 - exponent) & ((1u << layout.w) - 1);
        tree[k] = factor_of(root_power(own, layout, exponent, p), reciprocal, p);
    }
}

/*
 * leaves_mul - a = a b / 2^32 of all ends of a row, as items left them.
 *
 * End k is a polynomial modulo x^COLUMNS - r, r = w or -w of the node above.   Barriers: 2.
 */
INLINE void leaves_mul(__local uint *a_slots, __local const uint *b_slots, __local const factor *tree, uint t,
                       __global const uint *restrict constants, uint p)
{
    const uint inverse = constants[RESIDUE_P_INVERSE];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = t; k < POINTS; k += GROUP_ITEMS) {
        const uint w = residue_mul(tree[POINTS / 2 + k / 2].x, (factor)(constants[RESIDUE_2_32], constants[RESIDUE_2_32 + 1]), p);
        const uint root = k % 2 ? p - w : w;
        uint a[COLUMNS], b[COLUMNS], turned[COLUMNS];
        UNROLL for (int j = 0; j < COLUMNS; j++)
        {
            a[j] = a_slots[k * LEAF_APART + j];
            b[j] = b_slots[k * LEAF_APART + j];
            turned[j] = j > 0 ? residue_mul_any(b[j], root, inverse, p) : 0;
        }
        UNROLL for (int i = 0; i < COLUMNS; i++) a_slots[k * LEAF_APART + i] = leaf_sum(a, b, turned, i, inverse, p);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
#define ROW_SLOTS LARGER_OF(SLOTS, LEAF_SLOTS)
#else
#define ROW_SLOTS SLOTS
#endif

#define COPIES (OPERANDS == 2 ? 2 : 1)                          /* that are transformed */
#define ROOMS  (COLUMNS > 1 && OPERANDS == 3 ? 2 : COPIES)      /* of ROW_SLOTS */

#if OPERANDS == 0
__kernel FIXED_GROUP_SIZE
void residues_to_spectrum(__global const uint *restrict x, __global uint *restrict y, __global const factor *restrict tables,
                          uint4 layout, uint n_rows)
#else
__kernel FIXED_GROUP_SIZE
void residues_mul_fused(__global uint *restrict x, __global const uint *restrict y, __global const factor *restrict tables,
                        uint4 layout, uint n_rows)
#endif
{
    __local uint slots[ROOMS * ROW_SLOTS];
    const uint t = get_local_id(0), column = t % COLUMNS, u = t / COLUMNS;
    const uint group = get_group_id(0), prime = group / n_rows, row = group % n_rows;
    __global const factor *restrict own = tables + (size_t)prime * layout.x;
    __global const uint *restrict constants = (__global const uint *)own;
    const uint p = constants[RESIDUE_P], angle = bits_reversed(row, popcount(n_rows - 1));
#if OPERANDS == 0
    __global const uint *restrict x_row = x + ((size_t)group * (POINTS * COLUMNS) + t);
    __global uint *restrict y_row = y + ((size_t)group * (POINTS * COLUMNS) + t);
#else
    __global uint *restrict x_row = x + ((size_t)group * (POINTS * COLUMNS) + t);
    __global const uint *restrict y_row = y + ((size_t)group * (POINTS * COLUMNS) + t);
#endif
    uint value[COPIES * ITEM_VALUES];

#if COLUMNS > 1
    __local factor tree[POINTS] __attribute__((aligned(16)));
    __local uint *own_slots = slots + (FIRST_ROW(u, LAST_STAGE) * LEAF_APART + column);
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
    {
        value[at] = x_row[ADDED_ROWS(at, 0) * COLUMNS];
#if OPERANDS == 2
        value[ITEM_VALUES + at] = y_row[ADDED_ROWS(at, 0) * COLUMNS];
#endif
    }
    row_tree(tree, own, layout, angle, n_rows, false, t, p);
    barrier(CLK_LOCAL_MEM_FENCE);
    pass_forward(value, slots, tree, 1, u, column, p, 0, COPIES);
#if OPERANDS == 0
    UNROLL for (int at = 0; at < ITEM_VALUES; at++) y_row[at * GROUP_ITEMS] = value[at];
#else
    UNROLL for (int at = 0; at < COPIES * ITEM_VALUES; at++)
        own_slots[at / ITEM_VALUES * LEAF_SLOTS + ADDED_ROWS(at % ITEM_VALUES, LAST_STAGE) * LEAF_APART] = value[at];
#if OPERANDS == 3
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
        own_slots[LEAF_SLOTS + ADDED_ROWS(at, LAST_STAGE) * LEAF_APART] = y_row[at * GROUP_ITEMS];
#endif
    leaves_mul(slots, slots + (ROOMS - 1) * LEAF_SLOTS, tree, t, constants, p);
    UNROLL for (int at = 0; at < ITEM_VALUES; at++) value[at] = own_slots[ADDED_ROWS(at, LAST_STAGE) * LEAF_APART];
    row_tree(tree, own, layout, angle, n_rows, true, t, p);
    barrier(CLK_LOCAL_MEM_FENCE);
    pass_inverse(value, slots, tree, 1, u, column, p, 0);
    UNROLL for (int at = 0; at < ITEM_VALUES; at++) x_row[ADDED_ROWS(at, 0) * COLUMNS] = value[at];
#endif
#else
    __local factor turn[2 * ITEM_VALUES];
    __global const factor *restrict tree = own + RESIDUE_CONSTANTS;
    const uint reciprocal = constants[RESIDUE_RECIPROCAL], n_mask = (1u << layout.w) - 1;
    /* value `at` of item u is coefficient u + ITEMS k; k is its place among those of stage 0 */
    for (uint i = u; i < 2 * ITEM_VALUES; i += ITEMS) {
        const uint at = i % ITEM_VALUES, k = at % R0 * (ITEM_VALUES / R0) + at / R0, forth = angle * k * ITEMS & n_mask;
        turn[i] = factor_of(root_power(own, layout, i < ITEM_VALUES ? forth : (0 - forth) & n_mask, p), reciprocal, p);
    }
    const factor forth = factor_of(root_power(own, layout, angle * u & n_mask, p), reciprocal, p);
    barrier(CLK_LOCAL_MEM_FENCE);

    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
    {
        value[at] = residue_mul(residue_mul(x_row[ADDED_ROWS(at, 0)], forth, p), turn[at], p);
#if OPERANDS == 2
        value[ITEM_VALUES + at] = residue_mul(residue_mul(y_row[ADDED_ROWS(at, 0)], forth, p), turn[at], p);
#endif
    }
    pass_forward(value, slots, tree, 0, u, 0, p, 1, COPIES);
#if OPERANDS == 0
    UNROLL for (int at = 0; at < ITEM_VALUES; at++) y_row[at * GROUP_ITEMS] = value[at];
#else
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
    {
        const uint other = OPERANDS == 3 ? y_row[at * GROUP_ITEMS] : value[(COPIES - 1) * ITEM_VALUES + at];
        value[at] = residue_mul_any(value[at], other, constants[RESIDUE_P_INVERSE], p);
    }
    pass_inverse(value, slots, tree + layout.y, 0, u, 0, p, 1);
    const factor back = factor_of(root_power(own, layout, (0 - angle * u) & n_mask, p), reciprocal, p);
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
        x_row[ADDED_ROWS(at, 0)] = residue_mul(residue_mul(value[at], back, p), turn[ITEM_VALUES + at], p);
#endif
#endif
}
