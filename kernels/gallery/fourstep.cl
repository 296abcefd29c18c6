/*
 * fourstep.cl - gallery: the two-dimensional decomposition n = n1 n2, blocked through local memory.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  columns: a work-group loads `width` adjacent columns of the matrix of n1 rows by n2 columns into local memory,
 *                transforms them, multiplies by e(-j2 k1 / n), and stores them in place.  rows: a work-group loads as many
 *                adjacent rows, transforms them, and stores them as columns of the result, k1 + n1 k2: runs of `width` points on
 *                either side.  Two launches, two reads and two writes of all data.
 * What limits:   the runs of `width` points, which local memory bounds; barriers between the stages.
 * Next rung:     `auto`.
 *
 * ND-range:  groups of any size; n2 / width (columns) or n1 / width (rows) groups by the batch.
 *   roots  in     e(-j/n), j < n/2
 *   x      local  length * width points
 *   of     in     arguments.h; n1 = 2^log2_n1, n2 = 2^log2_n2
 */
#include "arguments.h"
#include "gallery/gallery.cl"

/* Transforms of 2^log2 points, `width` of them: point j of transform c is x[j * width + c], loaded by reversed bits. */
INLINE void transforms(__local complex *x, uint log2, uint width, __global const complex *roots, int log2_n, int sign)
{
    const uint u = get_local_id(0), items = get_local_size(0);
    for (uint stage = 0; stage < log2; stage++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = u; i < width << (log2 - 1); i += items) {
            const uint c = i % width, b = i / width, half_node = 1u << stage, k = b & (half_node - 1);
            const uint p = ((b >> stage << (stage + 1)) + k) * width + c, q = p + half_node * width;
            complex low = x[p], high = x[q];
            butterfly(&low, &high, directed(roots[(size_t)k << (log2_n - 1 - stage)], sign));
            x[p] = low;
            x[q] = high;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel void fourstep_columns(__global const complex *in, __global complex *out, __global const complex *roots,
                               __local complex *x, const struct fourstep_arguments of)
{
    const int log2_n1 = of.log2_n1, log2_n2 = of.log2_n2, sign = of.sign;
    const uint u = get_local_id(0), items = get_local_size(0), width = of.width, j2 = get_group_id(0) * width;
    const uint points = width << log2_n1, half_n = 1u << (log2_n1 + log2_n2 - 1);
    const size_t base = (size_t)get_group_id(1) << (log2_n1 + log2_n2);
    for (uint i = u; i < points; i += items)
        x[reversed(i / width, log2_n1) * width + i % width] = in[base + place_column(i, j2, width, log2_n2)];
    transforms(x, log2_n1, width, roots, log2_n1 + log2_n2, sign);
    for (uint i = u; i < points; i += items) {
        const uint k1 = i / width, j = j2 + i % width, e = k1 * j; /* < n */
        complex w = directed(roots[e & (half_n - 1)], sign);
        out[base + place_column(i, j2, width, log2_n2)] = mul(x[i], e & half_n ? -w : w);
    }
}

__kernel void fourstep_rows(__global const complex *in, __global complex *out, __global const complex *roots,
                            __local complex *x, const struct fourstep_arguments of)
{
    const int log2_n1 = of.log2_n1, log2_n2 = of.log2_n2, sign = of.sign;
    const uint u = get_local_id(0), items = get_local_size(0), n2 = 1u << log2_n2, width = of.width;
    const uint k1 = get_group_id(0) * width, points = width << log2_n2;
    const size_t base = (size_t)get_group_id(1) << (log2_n1 + log2_n2);
    for (uint i = u; i < points; i += items) { /* neighbours read along a row */
        const uint row = i >> log2_n2, j = i & (n2 - 1);
        x[reversed(j, log2_n2) * width + row] = in[base + place_row(i, k1, log2_n2)];
    }
    transforms(x, log2_n2, width, roots, log2_n1 + log2_n2, sign);
    for (uint i = u; i < points; i += items)
        out[base + place_sorted(i, k1, width, log2_n1)] = x[i];
}
