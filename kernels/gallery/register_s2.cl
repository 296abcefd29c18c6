/*
 * register_s2.cl - gallery: one work-group for a transform, two values in the registers of each work-item.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  item i of n/2 holds points i and i + n/2.  A stage of the Stockham kind is one butterfly in registers; then the
 *                values go through local memory to the items that need them next.  One launch, one read, one write.
 * What limits:   two barriers and an exchange of all data for every butterfly: local memory's latency; n/2 items at most a
 *                work-group.
 * Next rung:     `register_sp`, four to sixteen values for each item: fewer exchanges.
 *
 * ND-range:  n/2 items (1 for n = 1) a group, one group for each transform of the batch, in dimension 1.
 *   roots  in     e(-j/n), j < n/2
 *   x      local  n points
 */
#include "gallery/gallery.cl"

__kernel void register_s2(__global const complex *in, __global complex *out, __global const complex *roots, int log2_n, int sign,
                          __local complex *x)
{
    const uint i = get_local_id(0), half_n = 1u << (log2_n - 1);
    const size_t base = (size_t)get_group_id(1) << log2_n;
    complex a = in[base + i], b = in[base + i + half_n];
    for (int stage = 0; stage < log2_n; stage++) {
        const uint s = 1u << stage, q = i & (s - 1), p = i >> stage, to = (p << (stage + 1)) + q;
        complex difference = mul(a - b, directed(roots[p << stage], sign));
        x[to] = a + b;
        x[to + s] = difference;
        barrier(CLK_LOCAL_MEM_FENCE);
        a = x[i];
        b = x[i + half_n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[base + i] = a;
    out[base + i + half_n] = b;
}
