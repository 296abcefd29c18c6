/*
 * columns_mul_halves_fused.cl - packing one-for-half: the last forward pass of both operands, the product of their spectra, and
 * the first inverse pass.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    columns_to_spectrum of x and of y, the product of points below, spectrum_to_columns; all points stay in the group.
 * The transforms of the even and of the odd digits are those of real and imaginary parts, E and O (spectrum_pairs.cl).  With
 * zeta = e(theta) of the leaf, the product has
 *
 *     CE = Ea Eb + (zeta Oa) Ob,   CO = Ea Ob + Oa Eb,   Z = CE + i CO;      at the other leaf conj CE + i conj CO.
 *
 * zeta is the twiddle of the level that ends in the leaves, up to a power of i (times_leaf).
 *
 * ND-range:  a group of ITEMS items for each pair of rows (spectrum_pairs.cl).
 *   x            i/o  n points: operand, then product, times POINTS
 *   y            in   OPERANDS 2: n points, the other operand.  OPERANDS 1: unused, the product is a square.
 *                     OPERANDS 3: a kept spectrum, as columns_to_spectrum leaves it
 *   table        in   NODE_ENTRIES twiddles for each row
 *   shared       in   those that all rows share
 *   branch_rows  in   a power of two
 * Local:     EXCHANGE_SLOTS doubles or points, and POINTS points; OPERANDS 2: 2 POINTS points, PARK: 3.
 * Barriers:  those of six (four) transforms, and 2 to 4.
 * Tunables:  those of fft_stages.cl, COLUMNS 1; PACKING one-for-half; OPERANDS; PARK, if they are 2 (1: the second row of y
 *            waits in local memory for that of x, 0: both in registers).
 * Source:    doc/error-bound.md, sections 14.2 and 18.7.
 */
#include "spectrum_pairs.cl"

#if COLUMNS != 1 || !ONE_FOR_HALF
#error "columns_mul_halves_fused.cl: COLUMNS has to be 1, PACKING one-for-half"
#endif

__kernel FIXED_GROUP_SIZE
void columns_mul_halves_fused(__global point *restrict x, __global const point *restrict y,
                              __global const twiddle *restrict table, __global const twiddle *restrict shared, uint odd,
                              uint branch_rows)
{
    __local exchanged local_slots[EXCHANGE_SLOTS];
    __local point parked[POINTS];
#if OPERANDS == 2
    __local point parked_y[POINTS];
#if PARK
    __local point waiting[POINTS];
#endif
#endif
    const uint u = get_local_id(0);
    const uint2 rows = pair_rows(get_group_id(0), odd, branch_rows);
    const uint row = rows.y;
    const size_t first = (size_t)rows.x * POINTS, second = (size_t)row * POINTS;
    __global point *p = x + first, *q = x + second;
    __global const twiddle *restrict p_table = table + (size_t)rows.x * NODE_ENTRIES;
    table += (size_t)row * NODE_ENTRIES;

    point value[ITEM_VALUES];
#if OPERANDS == 2 && PARK
    FOR_VALUES(0, value[at] = y[first + slot];)
    transform_forward(value, local_slots, p_table, shared, u, 0, ANY_POINTS);
    FOR_VALUES(LAST_STAGE, parked_y[SPECTRUM_PLACE] = value[at];)
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* so that no row is loaded before its turn */
    FOR_VALUES(0, value[at] = y[second + slot];)
    transform_forward(value, local_slots, table, shared, u, 0, ANY_POINTS);
    FOR_VALUES(LAST_STAGE, waiting[SPECTRUM_PLACE] = value[at];)
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#endif
#if OPERANDS == 2 && !PARK
    point other[ITEM_VALUES];
    FOR_VALUES(0, value[at] = p[slot]; other[at] = y[first + slot];)
    transform_forward_two(value, other, local_slots, p_table, shared, u, 0);
    FOR_VALUES(LAST_STAGE, parked[SPECTRUM_PLACE] = value[at]; parked_y[SPECTRUM_PLACE] = other[at];)
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    FOR_VALUES(0, value[at] = q[slot]; other[at] = y[second + slot];)
    transform_forward_two(value, other, local_slots, table, shared, u, 0);
#else
    FOR_VALUES(0, value[at] = p[slot];)
    transform_forward(value, local_slots, p_table, shared, u, 0, ANY_POINTS);
    FOR_VALUES(LAST_STAGE, parked[SPECTRUM_PLACE] = value[at];)
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    FOR_VALUES(0, value[at] = q[slot];)
    transform_forward(value, local_slots, table, shared, u, 0, ANY_POINTS);
#endif

    UNROLL for (int g = 0; g < ROUNDS(LAST_STAGE); g++)
    {
        const uint butterfly = u + g * ITEMS;
        if (IS_EVEN(LAST_STAGE) || butterfly < LAST_BUTTERFLIES) {
            twiddle w[8];
            stage_twiddles(w, table, shared, node_outside(butterfly_node(butterfly, LAST_STAGE), LAST_STAGE), LAST_STAGE);
            UNROLL for (int s = 0; s < RADIX(LAST_STAGE); s++)
            {
                const int at = g * RADIX(LAST_STAGE) + s;
                const uint slot = value_slot(butterfly, s, LAST_STAGE), place = OTHER_PLACE;
                const point v = value[at], v_other = parked[place]; /* each place has one reader, which writes there, too */
#if OPERANDS == 1
                const point b = v, b_other = v_other;
#elif OPERANDS == 3
                const point b = y[second + SPECTRUM_PLACE], b_other = y[first + place];
#elif PARK
                const point b = waiting[SPECTRUM_PLACE], b_other = parked_y[place];
#else
                const point b = other[at], b_other = parked_y[place];
#endif
                const point ea = real_parts(v, v_other), oa = imaginary_parts(v, v_other);
                const point eb = real_parts(b, b_other), ob = imaginary_parts(b, b_other);
                const point turned_oa = times_leaf(oa, w, RADIX(LAST_STAGE), s, FORM(LAST_STAGE));
                const point even = complex_mul(ea, eb) + complex_mul(turned_oa, ob);
                const point odds = complex_mul(ea, ob) + complex_mul(oa, eb);
                value[at] = (point)(even.x - odds.y, even.y + odds.x);
                parked[place] = (point)(even.x + odds.y, odds.x - even.y);
            }
        }
    }
    transform_inverse(value, local_slots, table, shared, u, 0);
    FOR_VALUES(0, q[slot] = value[at];)
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    FOR_VALUES(LAST_STAGE, value[at] = parked[SPECTRUM_PLACE];)
    transform_inverse(value, local_slots, p_table, shared, u, 0);
    FOR_VALUES(0, p[slot] = value[at];)
}
