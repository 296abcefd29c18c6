/*
 * columns_mul_paired_fused.cl - packing two-for-one: the last forward pass, the product of both spectra, the first inverse pass.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    columns_to_spectrum of x, the product of points below, spectrum_to_columns; all points stay in the group.
 * x holds the transform of a + i b modulo x^n - 1.  The spectra A and B of both operands are those of its real and imaginary
 * parts (spectrum_pairs.cl), and the product is Z = A B; at the leaf of minus the angle it is conj Z.
 *
 * ND-range:  branch_rows / 2 + 1 + (odd - 1) / 2 * branch_rows groups of ITEMS items: one for each pair.
 *   x            i/o  n points: both operands, then the product, times POINTS
 *   y            in   unused
 *   table        in   NODE_ENTRIES twiddles for each row
 *   shared       in   those that all rows share
 *   branch_rows  in   a power of two
 * Local:     EXCHANGE_SLOTS doubles or points, and POINTS points.   Barriers: those of four transforms, and 2.
 * Tunables:  those of fft_stages.cl, COLUMNS 1; PACKING two-for-one.
 * Source:    doc/error-bound.md, section 14.1.
 */
#include "spectrum_pairs.cl"

#if COLUMNS != 1 || !TWO_FOR_ONE
#error "columns_mul_paired_fused.cl: COLUMNS has to be 1, PACKING two-for-one"
#endif

/* two_for_one_point - A B of the value v of a leaf and w of the other one. */
INLINE point two_for_one_point(point v, point w)
{
    return complex_mul(real_parts(v, w), imaginary_parts(v, w));
}

__kernel FIXED_GROUP_SIZE
void columns_mul_paired_fused(__global point *restrict x, __global const point *restrict y,
                              __global const twiddle *restrict table, __global const twiddle *restrict shared, uint odd,
                              uint branch_rows)
{
    __local exchanged local_slots[EXCHANGE_SLOTS];
    __local point parked[POINTS];
    const uint u = get_local_id(0);
    const uint2 rows = pair_rows(get_group_id(0), odd, branch_rows);
    const uint row = rows.y;
    __global point *p = x + (size_t)rows.x * POINTS, *q = x + (size_t)row * POINTS;
    __global const twiddle *restrict p_table = table + (size_t)rows.x * NODE_ENTRIES,
                           *restrict q_table = table + (size_t)row * NODE_ENTRIES;

    point value[ITEM_VALUES];
    FOR_VALUES(0, value[at] = p[slot];)
    transform_forward(value, local_slots, p_table, shared, u, 0, ANY_POINTS);
    FOR_VALUES(LAST_STAGE, parked[SPECTRUM_PLACE] = value[at];)
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    FOR_VALUES(0, value[at] = q[slot];)
    transform_forward(value, local_slots, q_table, shared, u, 0, ANY_POINTS);
    FOR_VALUES(LAST_STAGE, /* each place has one reader, which writes there, too */
               __local point *other = parked + OTHER_PLACE;
               value[at] = two_for_one_point(value[at], *other); *other = (point)(value[at].x, -value[at].y);)
    transform_inverse(value, local_slots, q_table, shared, u, 0);
    FOR_VALUES(0, q[slot] = value[at];)
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    FOR_VALUES(LAST_STAGE, value[at] = parked[SPECTRUM_PLACE];)
    transform_inverse(value, local_slots, p_table, shared, u, 0);
    FOR_VALUES(0, p[slot] = value[at];)
}
