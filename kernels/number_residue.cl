/*
 * number_residue.cl - a number on the device modulo a prime p < 2^61 (the library's are below 2^58): the check that the rule
 * checked stands on.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A number is a sum of units times powers of their base W: words of 32 bits, or (TEXT) 8 characters, the last ones first.
 * Item i of T takes units i, i + T, i + 2 T, ... by Horner's rule in W^T; a group then adds up its items' values times W^0 ..
 * W^255.  Products are those of a number r below 2^64 with a constant m < p whose quotient q = floor(m 2^64 / p) is known:
 * r m - floor(r q / 2^64) p is r m modulo p and below 2 p.   Source: [Har14].
 *
 * ND-range:  any number of groups of RESIDUE_ITEMS items, T items together.
 *   number      in   n_units words, or characters from the most significant on
 *   p           in   the prime
 *   power       in   W^T modulo p, and its quotient
 *   step        in   component i: W^(2^i) modulo p, i = 0 .. 7;   quotient: theirs
 *   part        out  of each group: its value at W^(RESIDUE_ITEMS * group), modulo p, below 2^63
 * Local:     8 RESIDUE_ITEMS bytes.   Barriers: 9.   Tunables: TEXT (0, 1).
 */
#include "prelude.cl"

#define RESIDUE_ITEMS 256

/* times - r m modulo p, below 2 p; q is m's quotient. */
INLINE ulong times(ulong r, ulong m, ulong q, ulong p)
{
    return r * m - mul_hi(r, q) * p;
}

#if TEXT
typedef uchar residue_unit;
#define UNIT_PLACES 8

/* unit_at - characters n - 8 i - 8 .. n - 8 i - 1 as a number; 0 for those before the first. */
INLINE ulong unit_at(__global const uchar *restrict number, ulong n, ulong i)
{
    ulong v = 0;
    UNROLL for (int k = 8; k >= 1; k--)
    {
        const ulong back = 8 * i + k; /* characters from the end */
        v = 10 * v + (back <= n ? number[n - back] - '0' : 0);
    }
    return v;
}
#else
typedef uint residue_unit;
#define UNIT_PLACES 1

INLINE ulong unit_at(__global const uint *restrict number, ulong n, ulong i)
{
    return i < n ? number[i] : 0;
}
#endif

__kernel __attribute__((reqd_work_group_size(RESIDUE_ITEMS, 1, 1)))
void number_residue(__global const residue_unit *restrict number, ulong n_units, ulong p, ulong2 power, ulong8 step,
                    ulong8 quotient, __global ulong *restrict part)
{
    __local ulong all[RESIDUE_ITEMS];
    const uint t = get_local_id(0);
    const ulong items = get_global_size(0), i = get_global_id(0), rounds = n_units / UNIT_PLACES / items;
    const ulong steps[8] = {step.s0, step.s1, step.s2, step.s3, step.s4, step.s5, step.s6, step.s7};
    const ulong quotients[8] = {quotient.s0, quotient.s1, quotient.s2, quotient.s3,
                                quotient.s4, quotient.s5, quotient.s6, quotient.s7};

    ulong r = unit_at(number, n_units, i + rounds * items);
    UNROLL_SOME for (ulong round = rounds; round > 0; round--) /* r < 2 p + 2^32 < 2^63 */
        r = times(r, power.x, power.y, p) + unit_at(number, n_units, i + (round - 1) * items);
    all[t] = times(r, 1, ~0UL / p, p); /* below 2 p: floor((2^64 - 1) / p) is 1's quotient, p being odd */
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (int level = 7; level >= 0; level--)
    {
        const uint apart = 1u << level;
        if (t < apart) {
            r = all[t] + times(all[t + apart], steps[level], quotients[level], p); /* below 4 p < 2^63 */
            all[t] = r >= 2 * p ? r - 2 * p : r;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        part[get_group_id(0)] = all[0];
}
