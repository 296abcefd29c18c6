/*
 * spectrum_pairs.cl - the rows and leaves of a transform modulo x^n - 1 that belong together, because their angles are opposite.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * V is a transform at a leaf, W that at the leaf of minus the angle.  The transforms of the real and of the imaginary parts are
 *
 *     (V + conj W) / 2   and   (V - conj W) / 2i;        at the other leaf their conjugates, bit for bit.
 *
 * A row is a node of the tree with POINTS leaves side by side.  The n / POINTS rows are `odd` branches of branch_rows rows.  With
 * row t branch_rows + k, the leaves at minus the angles are (lib/stages/spectrum_mul.h)
 *
 *     t = 0, k = 0     in the same row: leaf 0 is its own, of the others all bits below the highest one are flipped
 *     t = 0, k > 0     in row k with all bits below its highest one flipped, backwards.  Row 1 is its own
 *     t > 0            in branch odd - t, row branch_rows - 1 - k, backwards
 *
 * A kernel has a group for each pair of rows: branch_rows / 2 + 1 + (odd - 1) / 2 * branch_rows of them.  The leaves of the first
 * row wait in local memory, where the products take their places.  A row that is its own pair is made twice.
 * Source:    doc/error-bound.md, section 14.
 */
#ifndef SPECTRUM_PAIRS_CL
#define SPECTRUM_PAIRS_CL
#include "spectrum_order.cl"

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

/* real_parts, imaginary_parts - the transforms of both, from the values v of a leaf and w of the other one. */
INLINE point real_parts(point v, point w)
{
    return (point)(0.5 * (v.x + w.x), 0.5 * (v.y - w.y));
}

INLINE point imaginary_parts(point v, point w)
{
    return (point)(0.5 * (v.y + w.y), 0.5 * (w.x - v.x));
}

/* In FOR_VALUES(LAST_STAGE, ...): the place of the leaf of minus the angle, if the value's row is `row`. */
#define LAST_BUTTERFLIES (POINTS / RADIX(LAST_STAGE))
#define OTHER_LEAF       (row > 0 ? POINTS - 1 - slot : slot > 0 ? slot ^ below_top(slot) : 0)
#define OTHER_PLACE      (OTHER_LEAF % RADIX(LAST_STAGE) * LAST_BUTTERFLIES + OTHER_LEAF / RADIX(LAST_STAGE))

#endif
