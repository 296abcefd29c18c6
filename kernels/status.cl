/*
 * status.cl - the figures of a product that the bound is checked with: norms of the operands, the largest error and value.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * STATUS_WORDS words, all zero before the first kernel.  A norm is a sum of unsigned 64-bit numbers in four parts of 16 bits, each
 * summed up in a word of its own, in one of STATUS_SETS sets chosen by the group's number:
 *     word ((set * 2 + operand) * 2 + kind) * 4 + part;      kind 0: sum of d^2, 1: sum of d^2 times the bits set in its point
 * Fewer than 2^16 groups use a set, so no word overflows.  Behind the sets, as the bits of floats: the largest error of a rounding,
 * the largest |integer|.  Exact and in no order: no rounding, no 64-bit atomics.
 */
#ifndef STATUS_CL
#define STATUS_CL
#include "prelude.cl"

#define STATUS_SETS  64
#define STATUS_ERROR (STATUS_SETS * 16)
#define STATUS_VALUE (STATUS_ERROR + 1)
#define STATUS_WORDS (STATUS_ERROR + 16)

/* status_add_norms - all items of a group together; `sums`: 2 * items words of local memory.   Barriers: 3. */
INLINE void status_add_norms(__global uint *status, uint operand, ulong squares, ulong weighted, __local ulong *sums, uint t,
                             const uint items)
{
    const uint lanes = items < 32 ? items : 32;
    sums[t] = squares;
    sums[items + t] = weighted;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < lanes) {
        ulong s = 0, w = 0;
        for (uint i = t; i < items; i += lanes) {
            s += sums[i];
            w += sums[items + i];
        }
        sums[t] = s;
        sums[items + t] = w;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 2) {
        ulong s = 0;
        for (uint i = 0; i < lanes; i++)
            s += sums[t * items + i];
        __global uint *word = status + ((get_group_id(0) % STATUS_SETS * 2 + operand) * 2 + t) * 4;
        for (uint part = 0; part < 4; part++)
            atomic_add(word + part, (uint)(s >> (16 * part)) & 0xffff);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* status_raise - a float >= 0 of each item; the largest one is kept; `all`: items floats.   Barriers: 3. */
INLINE void status_raise(__global uint *status, uint place, float largest, __local float *all, uint t, const uint items)
{
    const uint lanes = items < 32 ? items : 32;
    all[t] = largest;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < lanes) {
        for (uint i = t; i < items; i += lanes)
            largest = fmax(largest, all[i]);
        all[t] = largest;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0) {
        for (uint i = 0; i < lanes; i++)
            largest = fmax(largest, all[i]);
        if (as_uint(largest) > *(volatile __global uint *)(status + place)) /* most groups raise nothing */
            atomic_max(status + place, as_uint(largest));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

#endif
