/*
 * status.cl - the figures of a product that the bound is checked with: norms of the operands, the largest error and value.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * STATUS_WORDS words, all zero before the first kernel.  A norm is a sum of unsigned 64-bit numbers in four parts of 16 bits,
 * each summed up in a word of its own, in one of STATUS_SETS sets chosen by the group's number (in all launches together, where
 * the operand comes in parts):
 *     word ((set * 2 + operand) * 2 + kind) * 4 + part;      kind 0: sum of d^2, 1: sum of d^2 times the bits set in its point
 * No more than 2^16 groups use a set (DEVICE_STATUS_GROUPS), so no word overflows.  Words STATUS_ERROR, STATUS_VALUE: the upper
 * halves of the largest |x / n - integer| and the largest |integer|.  Exact and in no order: no rounding, no 64-bit atomics.
 *
 * A group's items put their two figures into local memory, 2 STATUS_LANES of them reduce these, and a few the rest: atomics of
 * all items on one word of local memory take several times as long, and a group does nothing else at its end.
 */
#ifndef STATUS_CL
#define STATUS_CL
#include "prelude.cl"

#define STATUS_SETS  64
#define STATUS_ERROR (STATUS_SETS * 16)
#define STATUS_VALUE (STATUS_ERROR + 1)
#define STATUS_WORDS (STATUS_ERROR + 16)

#define STATUS_LANES(items) ((items) < 16 ? (items) : 16)

/*
 * status_add_norms - all items of a group together, at the end of a kernel.
 *
 *   sums   2 * items words of local memory that nobody uses any more
 * Barriers: 2.
 */
INLINE void status_add_norms(__global uint *status, uint operand, ulong squares, ulong weighted, __local ulong *sums, uint t,
                             const uint items)
{
    const uint lanes = STATUS_LANES(items);
    sums[t] = squares;
    sums[items + t] = weighted;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = t; j < 2 * lanes; j += items) {
        __local ulong *of_kind = sums + j / lanes * items;
        ulong sum = 0;
        for (uint i = j % lanes; i < items; i += lanes)
            sum += of_kind[i];
        of_kind[j % lanes] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 8) { /* the group's sums in four parts of 16 bits */
        const uint set = (uint)get_global_id(0) / items % STATUS_SETS;
        ulong sum = 0;
        for (uint i = 0; i < lanes; i++)
            sum += sums[t / 4 * items + i];
        atomic_add(status + (set * 2 + operand) * 8 + t, (uint)(sum >> (16 * (t % 4))) & 0xffff);
    }
}

#if FP64
/* upper_bits - the upper 32 of |x|. */
INLINE uint upper_bits(fp x)
{
    return (uint)(as_ulong(x) >> 32) & 0x7fffffff;
}
#endif

/* status_raise - the largest error and value of all items of a group, at the end of a kernel.   all: 2 * items words of local
   memory that nobody uses any more.   Barriers: 2. */
INLINE void status_raise(__global uint *status, uint error, uint value, __local uint *all, uint t, const uint items)
{
    const uint lanes = STATUS_LANES(items);
    /* most groups raise nothing; read early, for it takes a while */
    const uint seen = t < 2 ? *(volatile __global uint *)(status + STATUS_ERROR + t) : 0;
    all[t] = error;
    all[items + t] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = t; j < 2 * lanes; j += items) {
        __local uint *of_kind = all + j / lanes * items;
        uint largest = 0;
        for (uint i = j % lanes; i < items; i += lanes)
            largest = max(largest, of_kind[i]);
        of_kind[j % lanes] = largest;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 2) {
        uint largest = 0;
        for (uint i = 0; i < lanes; i++)
            largest = max(largest, all[t * items + i]);
        if (largest > seen)
            atomic_max(status + STATUS_ERROR + t, largest);
    }
}

#endif
