/*
 * residues_to_limbs_fused.cl - coefficients from their residues, and the carries of a chunk of them, into limbs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    with chunks_carry.cl: the Chinese remainder theorem, then digits_to_limbs.
 * An item takes QUAD coefficients, which begin on a word.  Their sum in base 2^(16 HALFWORDS) is LOW_WORDS words of its own, and
 * HIGH_WORDS more, that the next item adds to its own; what that leaves to carry is 0 or 1.  A group's first item makes the last
 * quad before the group's once more, for what it leaves.  The rest are a chunk, whose map (carry_map.cl) chunks_carry needs.
 *
 * A coefficient is made of its mixed digits (residue_passes.cl).
 *
 * ND-range:  ceil(n / (QUAD (JOIN_ITEMS - 1))) groups of JOIN_ITEMS items.
 *   x       in   n residues for each prime
 *   tables  in   see residue_passes.cl
 *   n       in   a multiple of QUAD
 *   z       out  z_words words of 32 bits; what is beyond is zero and not written
 *   maps    out  the map of each group's chunk
 * Local:     4 (HIGH_WORDS + LOW_WORDS + 1) JOIN_ITEMS + 8 bytes.   Barriers: 3.
 * Tunables:  N_PRIMES, HALFWORDS, JOIN_ITEMS.
 */
#include "residue_passes.cl"
#include "carry_map.cl"

#define QUAD       4
#define LOW_WORDS  (2 * HALFWORDS)
#define SUM_WORDS  ((80 * HALFWORDS + 28 + 31) / 32) /* a coefficient has 32 HALFWORDS + 27 bits at most */
#define HIGH_WORDS (SUM_WORDS - LOW_WORDS)

/* words_step - c = c p + v, of the lowest n words of c. */
INLINE void words_step(uint *c, const int n, uint p, uint v)
{
    ulong carry = v;
    UNROLL for (int k = 0; k < N_PRIMES; k++)
    {
        if (k < n) {
            carry += (ulong)c[k] * p; /* < 2^64: 2^32 - 1 + (2^32 - 1) p */
            c[k] = (uint)carry;
            carry >>= 32;
        }
    }
}

/* coefficient_add - sum += c 2^(16 halfwords) */
INLINE void coefficient_add(uint *sum, const uint *c, const int halfwords)
{
    ulong carry = 0;
    UNROLL for (int k = 0; k < SUM_WORDS; k++)
    {
        const int i = k - halfwords / 2;
        if (i >= 0) {
            const uint own = i < N_PRIMES ? c[i] : 0, below = i > 0 && i - 1 < N_PRIMES ? c[i - 1] : 0;
            carry += (ulong)sum[k] + (halfwords % 2 ? own << 16 | below >> 16 : own);
            sum[k] = (uint)carry;
            carry >>= 32;
        }
    }
}

/* residues_add - coefficient j of a quad. */
INLINE void residues_add(uint *sum, const uint4 *residue, __global const factor *restrict tables, uint stride, const int j)
{
    uint v[N_PRIMES], c[N_PRIMES];
    UNROLL for (int i = 0; i < N_PRIMES; i++)
    {
        const uint one = j == 0 ? residue[i].s0 : j == 1 ? residue[i].s1 : j == 2 ? residue[i].s2 : residue[i].s3;
        v[i] = residue_digit(one, v, i, (__global const uint *)(tables + (size_t)i * stride));
        c[i] = 0;
    }
    c[0] = v[N_PRIMES - 1];
    UNROLL for (int k = 1; k < N_PRIMES; k++)
    {
        const int i = N_PRIMES - 1 - k;
        words_step(c, k + 1, ((__global const uint *)(tables + (size_t)i * stride))[RESIDUE_P], v[i]);
    }
    coefficient_add(sum, c, HALFWORDS * j);
}

__kernel __attribute__((reqd_work_group_size(JOIN_ITEMS, 1, 1)))
void residues_to_limbs_fused(__global const uint *restrict x, __global const factor *restrict tables, uint stride, uint n,
                             __global uint *restrict z, ulong z_words, __global uchar *restrict maps)
{
    __local uint high[HIGH_WORDS * JOIN_ITEMS], words[LOW_WORDS * JOIN_ITEMS], item_map[JOIN_ITEMS];
    __local int mixed[2]; /* some word is not all ones, not all zeros */
    const uint t = get_local_id(0), group = get_group_id(0);
    const uint quad = group * (JOIN_ITEMS - 1) + t - 1; /* the very first one: none */
    const bool there = quad < n / QUAD;

    uint sum[SUM_WORDS];
    uint4 residue[N_PRIMES];
    UNROLL for (int i = 0; i < N_PRIMES; i++)
        residue[i] = there ? *(__global const uint4 *)(x + (size_t)i * n + QUAD * (size_t)quad) : (uint4)(0);
    UNROLL for (int k = 0; k < SUM_WORDS; k++) sum[k] = 0;
    residues_add(sum, residue, tables, stride, 0);
    residues_add(sum, residue, tables, stride, 1);
    residues_add(sum, residue, tables, stride, 2);
    residues_add(sum, residue, tables, stride, 3);

    UNROLL for (int k = 0; k < HIGH_WORDS; k++) high[k * JOIN_ITEMS + t] = sum[LOW_WORDS + k];
    if (t < 2)
        mixed[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong carry = 0;
    uint ones = 0xffffffffu, zeros = 0;
    UNROLL for (int k = 0; k < LOW_WORDS; k++)
    {
        carry += (ulong)sum[k] + (k < HIGH_WORDS && t > 0 ? high[k * JOIN_ITEMS + t - 1] : 0);
        sum[k] = (uint)carry;
        carry >>= 32;
        ones &= sum[k];
        zeros |= sum[k];
    }
    item_map[t] = map_make((int)carry, ones == 0xffffffffu, zeros == 0);
    barrier(CLK_LOCAL_MEM_FENCE);

    int in = carry_of_items(item_map, t);
    const int out = map_apply(item_map[t], in);
    ones = 0xffffffffu, zeros = 0;
    UNROLL for (int k = 0; k < LOW_WORDS; k++)
    {
        const uint word = in == 0 ? sum[k] : word_carry(sum[k], &in);
        words[LOW_WORDS * t + k] = word;
        ones &= word;
        zeros |= word;
    }
    if (t > 0 && ones != 0xffffffffu)
        mixed[0] = 1;
    if (t > 0 && zeros != 0)
        mixed[1] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == JOIN_ITEMS - 1)
        maps[group] = (uchar)map_make(out, !mixed[0], !mixed[1]);
    const ulong first = (ulong)group * (LOW_WORDS * (JOIN_ITEMS - 1));
    UNROLL for (int k = 0; k < LOW_WORDS; k++)
    {
        const uint i = k * JOIN_ITEMS + t;
        if (i < LOW_WORDS * (JOIN_ITEMS - 1) && first + i < z_words)
            z[first + i] = words[LOW_WORDS + i];
    }
}
