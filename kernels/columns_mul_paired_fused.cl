/*
 * columns_mul_paired_fused.cl - packing two-for-one: the last forward pass, the product of both spectra, the first inverse pass.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    columns_to_spectrum of x, the product of points below, spectrum_to_columns; all points stay in the group.
 * x holds the transform V of a + i b modulo x^n - 1, w the value of the leaf of minus the angle.  The spectra of a and of b, and
 * their product, are
 *
 *     A = (V + conj w) / 2,   B = (V - conj w) / 2i,   Z = A B;      at the other leaf conj Z, bit for bit.
 *
 * A row is a node of the tree with POINTS leaves side by side.  The n / POINTS rows are `odd` branches of branch_rows rows.  With
 * row t branch_rows + k, the leaves at minus the angles are (lib/stages/spectrum_mul.h)
 *
 *     t = 0, k = 0     in the same row: leaf 0 is its own, of the others all bits below the highest one are flipped
 *     t = 0, k > 0     in row k with all bits below its highest one flipped, backwards.  Row 1 is its own
 *     t > 0            in branch odd - t, row branch_rows - 1 - k, backwards
 *
 * A group has both rows of a pair, one after the other: the first one's leaves wait in local memory, where the products take
 * their places.  A row that is its own pair is made twice, both times the same.
 *
 * ND-range:  branch_rows / 2 + 1 + (odd - 1) / 2 * branch_rows groups of ITEMS items: one for each pair.
 *   x            i/o  n points: both operands, then the product, times POINTS
 *   table        in   NODE_ENTRIES twiddles for each row
 *   shared       in   those that all rows share
 *   branch_rows  in   a power of two
 * Local:     EXCHANGE_SLOTS doubles or points, and POINTS points.   Barriers: those of four transforms, and 2.
 * Tunables:  those of fft_stages.cl, COLUMNS 1; PACKING two-for-one.
 * Source:    doc/error-bound.md, section 14.1.
 */
#include "spectrum_order.cl"

#if COLUMNS != 1 || !TWO_FOR_ONE
#error "columns_mul_paired_fused.cl: COLUMNS has to be 1, PACKING two-for-one"
#endif

/* below_top - a number with all ones below the highest bit of x; x > 0. */
INLINE uint below_top(uint x)
{
    return (0x80000000u >> clz(x)) - 1;
}

/* pair_rows - the two rows of a pair.  Those of branch 0 come first; the first row of each has a zero below its highest bit. */
INLINE uint2 pair_rows(uint pair, uint odd, uint branch_rows)
{
    if (pair > branch_rows / 2) {
        const uint row = pair + (branch_rows - 1) / 2; /* the first row of branch 1 for the first of these pairs */
        return (uint2)(row, (odd + 1) * branch_rows - 1 - row);
    }
    if (pair < 2)
        return (uint2)(pair, pair);
    const uint k = pair + below_top(pair - 1);
    return (uint2)(k, k ^ below_top(k));
}

/* two_for_one_point - A B of the value v of a leaf and w of the other one. */
INLINE point two_for_one_point(point v, point w)
{
    const point a = (point)(0.5 * (v.x + w.x), 0.5 * (v.y - w.y));
    const point b = (point)(0.5 * (v.y + w.y), 0.5 * (w.x - v.x));
    return complex_mul(a, b);
}

/* In FOR_VALUES(LAST_STAGE, ...): the place of the leaf of minus the angle, if the value's row is `row`. */
#define LAST_BUTTERFLIES (POINTS / RADIX(LAST_STAGE))
#define OTHER_LEAF       (row > 0 ? POINTS - 1 - slot : slot > 0 ? slot ^ below_top(slot) : 0)
#define OTHER_PLACE      (OTHER_LEAF % RADIX(LAST_STAGE) * LAST_BUTTERFLIES + OTHER_LEAF / RADIX(LAST_STAGE))

__kernel FIXED_GROUP_SIZE
void columns_mul_paired_fused(__global point *restrict x, __global const twiddle *restrict table,
                              __global const twiddle *restrict shared, uint odd, uint branch_rows)
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
