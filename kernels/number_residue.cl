/*
 * number_residue.cl - a number on the device modulo primes p < 2^61 (the library's are below 2^58), to check products that stay
 * there under rule checked, and values in spaces.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A number is a sum of units times powers of their base W: words of 32 bits, or (TEXT) 8 characters, the last ones first.
 * Item i of T takes units i, i + T, i + 2 T, ... by Horner's rule in W^T; a group then adds up its items' values times W^0 ..
 * W^255.  Products are those of a number r below 2^64 with a constant m < p whose quotient q = floor(m 2^64 / p) is known:
 * r m - floor(r q / 2^64) p is r m modulo p and below 2 p.   Source: [Har14].
 *
 * Each unit is read once, and taken by all PRIMES primes.
 *
 * ND-range:  any number of groups of RESIDUE_ITEMS items, T items together.
 *   number      in   n_units words, or characters from the most significant on
 *   table       in   of each prime: itself; W^T modulo it, and its quotient; W^(2^i), i = 0 .. 7; their quotients
 *   part        out  of each group, for each prime: its value at W^(RESIDUE_ITEMS * group), modulo p, below 2^63
 *   first       in   where part is this number's, in groups: other numbers' lie before it
 * Local:     8 RESIDUE_ITEMS PRIMES bytes.   Barriers: 9.   Tunables: TEXT (0, 1), PRIMES (1 .. 6).
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

/* The table's words of a prime. */
#define PRIME_WORDS 19
#define POWER       1
#define STEP        3
#define QUOTIENT    11

#define AT_ONCE 8 /* places */

/* place_add - a place more below those of r.   r < 2 p + 2^32 < 2^63 */
INLINE void place_add(ulong *r, ulong unit, __global const ulong *restrict table)
{
    UNROLL for (int k = 0; k < PRIMES; k++)
    {
        __global const ulong *of = table + k * PRIME_WORDS;
        r[k] = times(r[k], of[POWER], of[POWER + 1], of[0]) + unit;
    }
}

__kernel __attribute__((reqd_work_group_size(RESIDUE_ITEMS, 1, 1)))
void number_residue(__global const residue_unit *restrict number, ulong n_units, __global const ulong *restrict table,
                    __global ulong *restrict part, ulong first)
{
    __local ulong all[PRIMES][RESIDUE_ITEMS];
    const uint t = get_local_id(0);
    const ulong items = get_global_size(0), i = get_global_id(0), rounds = n_units / UNIT_PLACES / items;
    ulong r[PRIMES];

    UNROLL for (int k = 0; k < PRIMES; k++)
        r[k] = unit_at(number, n_units, i + rounds * items);
    ulong round = rounds; /* by hand, because not all compilers unroll a loop of so many rounds, and some say so */
    for (; round % AT_ONCE > 0; round--)
        place_add(r, unit_at(number, n_units, i + (round - 1) * items), table);
    for (; round > 0; round -= AT_ONCE)
        UNROLL for (uint k = 1; k <= AT_ONCE; k++) place_add(r, unit_at(number, n_units, i + (round - k) * items), table);
    UNROLL for (int k = 0; k < PRIMES; k++)
    {
        const ulong p = table[k * PRIME_WORDS];
        all[k][t] = times(r[k], 1, ~0UL / p, p); /* below 2 p: floor((2^64 - 1) / p) is 1's quotient, p being odd */
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int level = 7; level >= 0; level--) {
        const uint apart = 1u << level;
        if (t < apart) {
            for (int k = 0; k < PRIMES; k++) {
                __global const ulong *of = table + k * PRIME_WORDS;
                const ulong p = of[0];
                const ulong v = all[k][t] + times(all[k][t + apart], of[STEP + level], of[QUOTIENT + level], p); /* below 4 p */
                all[k][t] = v >= 2 * p ? v - 2 * p : v;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t < PRIMES)
        part[(first + get_group_id(0)) * PRIMES + t] = all[t][0];
}
