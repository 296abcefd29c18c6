/*
 * columns_mul_fused.cl - the last forward pass of both operands, the product of their spectra, and the first inverse pass.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    columns_to_spectrum of x and of y, spectrum_mul_add of x and y, spectrum_to_columns; all points stay in the group.
 * A row is a node of the tree with POINTS points side by side; behind its forward pass each point is a leaf.
 *
 * ND-range:  n / POINTS groups of ITEMS items.
 *   x       i/o  n points: operand, then product, times POINTS
 *   y       in   OPERANDS 2: n points, the other operand.  OPERANDS 1: unused, the product is a square.
 *                OPERANDS 3: a kept spectrum, as columns_to_spectrum leaves it
 *   table   in   NODE_ENTRIES twiddles for each row
 *   shared  in   those that all rows share
 * Local:     EXCHANGE_SLOTS doubles or points; PARK: POINTS points more.
 * Barriers:  those of three (two) transforms; PARK: 2 more.
 * Tunables:  those of fft_stages.cl, COLUMNS 1; OPERANDS; PARK (1: x waits in local memory for y, 0: both in registers).
 */
#include "spectrum_order.cl"

#if COLUMNS != 1
#error "columns_mul_fused.cl: COLUMNS has to be 1"
#endif

__kernel FIXED_GROUP_SIZE
void columns_mul_fused(__global point *restrict x, __global const point *restrict y, __global const twiddle *restrict table,
                       __global const twiddle *restrict shared)
{
    __local exchanged local_slots[EXCHANGE_SLOTS];
#if OPERANDS == 2 && PARK
    __local point parked[POINTS];
#endif
    const uint u = get_local_id(0), row = get_group_id(0);
    __global point *restrict p = x + (size_t)row * POINTS;
    table += (size_t)row * NODE_ENTRIES;

    point value[ITEM_VALUES];
    FOR_VALUES(0, value[at] = p[slot];)
#if OPERANDS == 2 && PARK
    /* each item parks its own values, which saves the registers of one operand */
    __global const point *restrict q = y + (size_t)row * POINTS;
    transform_forward(value, local_slots, table, shared, u, 0, 0);
    FOR_VALUES(LAST_STAGE, parked[SPECTRUM_PLACE] = value[at];)
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* so that the other operand is not loaded before */
    FOR_VALUES(0, value[at] = q[slot];)
    transform_forward(value, local_slots, table, shared, u, 0, 0);
    FOR_VALUES(LAST_STAGE, value[at] = complex_mul(parked[SPECTRUM_PLACE], value[at]);)
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#elif OPERANDS == 2
    point other[ITEM_VALUES];
    __global const point *restrict q = y + (size_t)row * POINTS;
    FOR_VALUES(0, other[at] = q[slot];)
    transform_forward_two(value, other, local_slots, table, shared, u, 0);
    FOR_VALUES(LAST_STAGE, value[at] = complex_mul(value[at], other[at]);)
#elif OPERANDS == 3
    transform_forward(value, local_slots, table, shared, u, 0, 0);
    __global const point *restrict q = y + (size_t)row * POINTS;
    FOR_VALUES(LAST_STAGE, value[at] = complex_mul(value[at], q[SPECTRUM_PLACE]);)
#else
    transform_forward(value, local_slots, table, shared, u, 0, 0);
    FOR_VALUES(LAST_STAGE, value[at] = complex_mul(value[at], value[at]);)
#endif
    transform_inverse(value, local_slots, table, shared, u, 0);
    FOR_VALUES(0, p[slot] = value[at];)
}
