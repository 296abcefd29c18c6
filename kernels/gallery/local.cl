/*
 * local.cl - gallery: a transform in the local memory of one work-group; roots from a table of two dimensions.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  a launch before it puts the data at their reversed places (gallery_reverse).  Then one group of n/2 work-items
 *                loads two points an item, makes all stages in local memory, from butterflies of neighbours to those n/2 apart,
 *                and stores two points an item.  An item makes one butterfly of each stage, with one barrier behind it, and
 *                reads its root from row `stage` of a table, [stage][work-item] (table_root.cl): through the texture units, say.
 * What limits:   one group's local memory and items bound n, and a single transform keeps one compute unit busy.  The reversal
 *                is a launch and a pass of its own.
 * Next rung:     `local_groups`, which is launched repeatedly and so takes any length.
 * Source:        [UESTC]
 *
 * ND-range:  n/2 items a group, one group for each transform of the batch, in dimension 1.
 *   x      local  n points
 */
#include "gallery/gallery.cl"
#include "gallery/table_root.cl"

__kernel void local_block(__global const complex *in, __global complex *out, TABLE_PARAMETER int log2_n, int sign,
                          __local complex *x)
{
    const uint t = get_local_id(0), half_n = 1u << (log2_n - 1);
    const size_t base = (size_t)get_group_id(1) << log2_n;
    uint p = t, q = t + half_n;
    x[p] = in[base + p];
    x[q] = in[base + q];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint stage = 0; stage < (uint)log2_n; stage++) {
        p = place_butterfly(t, stage);
        q = p + (1u << stage);
        const complex w = directed(STAGE_ROOT(stage, t, half_n), sign), b = mul(x[q], w), a = x[p];
        x[p] = a + b;
        x[q] = a - b;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[base + p] = x[p];
    out[base + q] = x[q];
}
