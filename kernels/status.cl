/*
 * status.cl - the figures of a product that the bound is checked with: norms of the operands, the largest error and value.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * STATUS_WORDS words, all zero before the first kernel.  A norm is a sum of unsigned 64-bit numbers in four parts of 16 bits,
 * each summed up in a word of its own, in one of STATUS_SETS sets chosen by the group's number:
 *     word ((set * 2 + operand) * 2 + kind) * 4 + part;      kind 0: sum of d^2, 1: sum of d^2 times the bits set in its point
 * Fewer than 2^16 groups use a set, so no word overflows.
 * the largest |integer|.  Exact and in no order: no rounding, no 64-bit atomics.
 */
#ifndef STATUS_CL
#define STATUS_CL
#include "prelude.cl"

#define STATUS_SETS  64
#define STATUS_ERROR (STATUS_SETS * 16)
#define STATUS_VALUE (STATUS_ERROR + 1)
#define STATUS_WORDS (STATUS_ERROR + 16)

/*
 * status_add_norms - all items of a group together, at the end of a kernel.
 *
 *   sums   2 * items words of local memory;   parts  8 words of it, zero before
 * Barriers: 3.
 */
INLINE void status_add_norms(__global uint *status, uint operand, ulong squares, ulong weighted, __local ulong *sums,
                             __local uint *parts, uint t, const uint items)
{
    const uint lanes = items < 32 ? items : 32;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[t] = squares;
    sums[items + t] = weighted;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < lanes) {
        ulong s = 0, w = 0;
        for (uint i = t; i < items; i += lanes) {
            s += sums[i];
            w += sums[items + i];
        }
        UNROLL for (uint part = 0; part < 4; part++) /* 32 times 2^16 at most */
        {
            atomic_add(parts + part, (uint)(s >> (16 * part)) & 0xffff);
            atomic_add(parts + 4 + part, (uint)(w >> (16 * part)) & 0xffff);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 8) {
        const uint kind = t / 4 * 4; /* the group's sum again in four parts of 16 bits */
        ulong sum = 0;
        for (uint part = 0; part < 4; part++)
            sum += (ulong)parts[kind + part] << (16 * part);
        atomic_add(status + (get_group_id(0) % STATUS_SETS * 2 + operand) * 8 + t, (uint)(sum >> (16 * (t % 4))) & 0xffff);
    }
}

/* upper_bits - the upper 32 of |x|. */
INLINE uint upper_bits(fp x)
{
#if FLOAT_PARTS
    return as_uint(x) & 0x7fffffff;
#else
    return (uint)(as_ulong(x) >> 32) & 0x7fffffff;
#endif
}

/* status_raise - the largest error and value of all items of a group, at the end of a kernel.   all: 2 * items words.
   largest: 2 words of local memory, zero before.   Barriers: 3. */
INLINE void status_raise(__global uint *status, uint error, uint value, __local uint *all, __local uint *largest, uint t,
                         const uint items)
{
    const uint lanes = items < 32 ? items : 32;
    barrier(CLK_LOCAL_MEM_FENCE);
    all[t] = error;
    all[items + t] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < lanes) {
        for (uint i = t + lanes; i < items; i += lanes) {
            error = max(error, all[i]);
            value = max(value, all[items + i]);
        }
        atomic_max(largest, error);
        atomic_max(largest + 1, value);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 2 && largest[t] > *(volatile __global uint *)(status + STATUS_ERROR + t)) /* most groups raise nothing */
        atomic_max(status + STATUS_ERROR + t, largest[t]);
}

#endif
