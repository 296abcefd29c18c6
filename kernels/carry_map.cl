/*
 * carry_map.cl - what a stretch of a number does to a carry of -1, 0 or 1 that comes in: maps, and their composition.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A map has the carries out for the carries -1, 0, 1 in, each plus 1, in two bits, lowest first.  Behind a stretch that is not
 * all zeros or all ones the carry out is the same for all of them: such a map is constant, and what came before does not matter.
 * Composition is associative, so that carries of any length are a scan.   Source: [HS86].
 */
#ifndef CARRY_MAP_CL
#define CARRY_MAP_CL
#include "prelude.cl"

#define MAP_IDENTITY 0x24u /* -1, 0, 1 */

/* map_make - from the carry out that no carry in gives; all_ones, all_zeros: of what is left in the stretch then. */
INLINE uint map_make(int carry, int all_ones, int all_zeros)
{
    return (uint)(carry - all_zeros + 1) | (uint)(carry + 1) << 2 | (uint)(carry + all_ones + 1) << 4;
}

/* map_apply - the carry out, for a carry in. */
INLINE int map_apply(uint map, int carry)
{
    return (int)(map >> (2 * (carry + 1)) & 3) - 1;
}

/* map_then - first one map, then the next. */
INLINE uint map_then(uint first, uint next)
{
    return (uint)(map_apply(next, map_apply(first, -1)) + 1) | (uint)(map_apply(next, map_apply(first, 0)) + 1) << 2 |
           (uint)(map_apply(next, map_apply(first, 1)) + 1) << 4;
}

INLINE int map_is_constant(uint map)
{
    return map_apply(map, -1) == map_apply(map, 1);
}

#endif
