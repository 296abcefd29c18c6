/*
 * register_sp.cl - gallery: register_s2 with a DFT of REGISTER_POINTS points in the registers of each work-item.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  as `register_s2`, for P = REGISTER_POINTS values of an item.  A pass is log2 P levels in registers.  Behind it
 *                items exchange P - 1 values, one at a time, through T slots of local memory.  Registers are permuted before
 *                and after by swaps that the item's number chooses, so that no register is addressed by a variable.
 * What limits:   registers, which bound P; P - 1 sines and cosines a pass; 2 (P - 1) barriers an exchange.
 * Next rung:     `fourstep_ocl`, which reads and writes whole runs; `opencl`.
 * Source:        [Bai10]
 *
 * ND-range:  T = 2^log2_k / P items a group, 2^(log2_n - log2_k) groups by the batch; log2_k >= log2 P.
 *   x      local  T points
 */
#include "gallery/gallery.cl"

#if REGISTER_POINTS == 2
#define REGISTER_LEVELS 1
#elif REGISTER_POINTS == 4
#define REGISTER_LEVELS 2
#elif REGISTER_POINTS == 8
#define REGISTER_LEVELS 3
#elif REGISTER_POINTS == 16
#define REGISTER_LEVELS 4
#else
#error "REGISTER_POINTS is 2, 4, 8 or 16"
#endif

/*
 * part - what register j adds to the number of its sequence, in a pass of `levels` that begins at `level`: bit b < levels is
 * split at level + levels - 1 - b; the higher bits were at level - 1 - b.
 */
INLINE uint part(uint j, uint levels, uint level)
{
    uint c = 0;
    for (uint b = 0; b < REGISTER_LEVELS; b++)
        c |= (j >> b & 1) << (b < levels ? level + levels - 1 - b : level - 1 - b);
    return c;
}

/* dft - the levels of a pass, over the lowest bits of the registers' numbers, the highest of these first. */
INLINE void dft(complex *v, uint levels, uint level, uint c, uint low, uint log2_p, int sign)
{
#pragma unroll
    for (int b = REGISTER_LEVELS - 1; b >= 0; b--) {
        if ((uint)b >= levels)
            continue;
        const uint den = 2u << (log2_p + level + levels - 1 - b);
#pragma unroll
        for (uint high = 0; high < REGISTER_POINTS >> (b + 1); high++) {
            const complex w = root(low + ((c + part(high << (b + 1), levels, level)) << log2_p), den, sign);
#pragma unroll
            for (uint j = 0; j < 1u << b; j++)
                butterfly(&v[(high << (b + 1)) + j], &v[(high << (b + 1)) + j + (1u << b)], w);
        }
    }
}

/* permute - v[j] to v[j ^ field] */
INLINE void permute(complex *v, uint field)
{
#pragma unroll
    for (uint b = 0; b < REGISTER_LEVELS; b++)
#pragma unroll
        for (uint j = 0; j < REGISTER_POINTS; j++)
            if ((j >> b & 1) == 0) {
                const bool swap = field >> b & 1;
                complex s = v[j], t = v[j + (1u << b)];
                v[j] = swap ? t : s;
                v[j + (1u << b)] = swap ? s : t;
            }
}

__kernel void register_sp(__global const complex *in, __global complex *out, int log2_n, int log2_k, int log2_p, int sign,
                          __local complex *x)
{
    const uint t = get_local_id(0), group = get_group_id(0), low = group & ((1u << log2_p) - 1);
    const size_t base = (size_t)get_group_id(1) << log2_n;
    uint left = log2_k - REGISTER_LEVELS, c = 0, level = 0, levels = REGISTER_LEVELS;
    complex v[REGISTER_POINTS];
#pragma unroll
    for (uint j = 0; j < REGISTER_POINTS; j++)
        v[j] = in[base + place_input(group, t + (j << left), log2_n - log2_k)];
    dft(v, levels, level, c, low, log2_p, sign);
    while (left > 0) {
        levels = left < REGISTER_LEVELS ? left : REGISTER_LEVELS;
        left -= levels;
        const uint mask = (1u << levels) - 1, field = t >> left & mask; /* bits that go from item to register */
        permute(v, field);
#pragma unroll
        for (uint j = 1; j < REGISTER_POINTS; j++) {
            x[t] = v[j];
            barrier(CLK_LOCAL_MEM_FENCE);
            v[j] = x[slot_partner(t, (j & mask) << left)];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        permute(v, field);
        c |= reversed(field, REGISTER_LEVELS) << level;
        level += REGISTER_LEVELS;
        dft(v, levels, level, c, low, log2_p, sign);
    }
#pragma unroll
    for (uint j = 0; j < REGISTER_POINTS; j++)
        out[base + place_output(group, c + part(j, levels, level), log2_p, log2_k)] = v[j];
}
