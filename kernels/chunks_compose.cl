/*
 * chunks_compose.cl - the maps of whole groups of chunks, for carries that run far through a long product.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Each group of chunks_carry looks back over all maps before its own, which is quadratic in the number of chunks.  One map for
 * SCAN_ITEMS of them, made once, leaves a 256th of that work.
 * Equals:   the composition of the maps of each SCAN_ITEMS chunks, one after another (carry_map.cl).
 * Tunables: SCAN_ITEMS.
 */
#include "carry_map.cl"

/*
 * ND-range:  ceil(chunks / (SCAN_MAPS SCAN_ITEMS)) groups of SCAN_ITEMS items, an item for each SCAN_MAPS chunks; of a slice,
 *            from first chunk / SCAN_MAPS on: it begins with a whole group of chunks.
 *   maps       i/o  in: those of n_chunks chunks; out: from groups_at on, a multiple of 16 behind them, that of each group of
 *                   SCAN_ITEMS chunks.  One that is not whole is left out: nothing comes behind it
 *   n_chunks   in   the end of the slice's
 * Local:     4 SCAN_ITEMS bytes.   Barriers: 1.
 */
__kernel __attribute__((reqd_work_group_size(SCAN_ITEMS, 1, 1)))
void chunks_compose(__global uchar *maps, uint n_chunks, uint groups_at)
{
    __local uint all[SCAN_ITEMS];
    const uint t = get_local_id(0), item = get_global_id(0), from = SCAN_MAPS * item; /* an offset of the range counts */
    uint map = MAP_IDENTITY;
    if (from + SCAN_MAPS <= n_chunks)
        map = maps_of(maps, from, n_chunks);
    all[t] = map;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint group = (item - t) / SCAN_MAPS + t;
    if (t < SCAN_ITEMS / SCAN_MAPS && (group + 1) * SCAN_ITEMS <= n_chunks)
        maps[groups_at + group] = (uchar)maps_then(all + SCAN_MAPS * t);
}
