/*
 * residues_to_limbs_fused.cl - coefficients from their residues, and the carries of a chunk of them, into limbs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    with chunks_carry.cl: the Chinese remainder theorem, then digits_to_limbs.
 * An item takes QUAD coefficients.  Their sum in base 2^DIGIT_BITS is OWN_BITS of its own, and HIGH_WORDS words more, which the
 * next item adds to its own; the carry that is left is 0 or 1.  A group's first item makes the last quad of the group before once
 * more, for its carry.  CHUNK_QUADS more, as many as make whole words, are a chunk, whose map (carry_map.cl) chunks_carry needs.
 * Items behind them do nothing.  If a quad does not begin on a word, its bits are shifted to their place, and its first word is
 * added to the last one of the quad before.
 *
 * A coefficient is made of its mixed digits (residue_passes.cl).
 *
 * SIGNED: coefficients may be negative.  of.times 2^(2 DIGIT_BITS), which is as large as any of them, is added to each, and
 * subtracted from the quad's sum, so what the next item adds has a sign, and the carry that is left is -1, 0 or 1.
 *
 * ND-range:  ceil(n / (QUAD CHUNK_QUADS)) groups of JOIN_ITEMS items.
 *   x       in   n residues for each prime
 *   tables  in   see residue_passes.cl
 *   n       in   a multiple of QUAD
 *   z       out  z_words words of 32 bits; what is beyond is zero and not written
 *   maps    out  the map of each group's chunk
 *   of      in   SIGNED: times, and what is added modulo each prime, r0, r1, ..
 * Local:     4 (HIGH_WORDS + OWN_WORDS + 1) JOIN_ITEMS + 8 bytes at most.   Barriers: 4.
 * Tunables:  N_PRIMES, DIGIT_BITS, JOIN_ITEMS; CHUNK_QUADS, below JOIN_ITEMS; SIGNED.
 */
#include "arguments.h"
#include "residue_passes.cl"
#include "carry_map.cl"

#define QUAD       4
#define OWN_BITS   (QUAD * DIGIT_BITS)
#define OWN_WORDS  ((OWN_BITS + 31) / 32)
#define TOP_BITS   (OWN_BITS - 32 * (OWN_WORDS - 1)) /* of the last of them */
#define TOP_MASK   (0xffffffffu >> (32 - TOP_BITS))
/* A coefficient is below 2^(2 DIGIT_BITS + 28.65), whatever the primes; these words have room for 32 bits beyond the digits. */
#define SUM_WORDS  ((5 * DIGIT_BITS + 28 + 31) / 32)
#define HIGH_WORDS ((DIGIT_BITS + 28 + 31) / 32)
#define CHUNK_BITS (CHUNK_QUADS * OWN_BITS)
#if CHUNK_BITS % 32 != 0
#error "residues_to_limbs_fused.cl: a chunk has to be whole words"
#endif

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

/* word_from - the word that begins at a bit of a number of n words; that may be before it.   above: the words behind it */
INLINE uint word_from(const uint *words, const int n, const int bit, uint above)
{
    const int i = bit < 0 ? -((31 - bit) / 32) : bit / 32, shift = bit - 32 * i;
    const uint low = i < 0 ? 0 : i < n ? words[i] : above, high = i + 1 < 0 ? 0 : i + 1 < n ? words[i + 1] : above;
    return (uint)(((ulong)high << 32 | low) >> shift);
}

/* coefficient_add - sum += c 2^bits */
INLINE void coefficient_add(uint *sum, const uint *c, const int bits)
{
    ulong carry = 0;
    UNROLL for (int k = 0; k < SUM_WORDS; k++)
    {
        if (k >= bits / 32) {
            carry += (ulong)sum[k] + word_from(c, N_PRIMES, 32 * k - bits, 0);
            sum[k] = (uint)carry;
            carry >>= 32;
        }
    }
}

#ifndef SIGNED
#define SIGNED 0
#endif
#if SIGNED
/* residues_raised - the residues modulo prime i of a quad to whose coefficients the offset was added. */
INLINE uint4 residues_raised(uint4 residue, const struct join_arguments of, const int i)
{
    const uint r[] = {of.r0, of.r1, of.r2, of.r3, of.r4, of.r5};
    const uint4 raised = residue + r[i];
    return min(raised, raised - modulus_of(i).limit);
}

/* offsets_subtract - take the offsets of a quad off its sum, 0 so far. */
INLINE void offsets_subtract(uint *sum, uint times)
{
    uint offset[N_PRIMES];
    UNROLL for (int k = 0; k < N_PRIMES; k++) offset[k] = k > 0 ? 0 : times;
    coefficient_add(sum, offset, 2 * DIGIT_BITS);
    coefficient_add(sum, offset, 3 * DIGIT_BITS);
    coefficient_add(sum, offset, 4 * DIGIT_BITS);
    coefficient_add(sum, offset, 5 * DIGIT_BITS);
    ulong carry = 1;
    UNROLL for (int k = 0; k < SUM_WORDS; k++)
    {
        carry += ~sum[k];
        sum[k] = (uint)carry;
        carry >>= 32;
    }
}
#define OFFSET_ARGUMENT , const struct join_arguments of
#define ABOVE(words)    ((uint)((int)(words)[SUM_WORDS - 1] >> 31)) /* of a sum, two's complement */
#else
#define OFFSET_ARGUMENT
#define ABOVE(words) 0
#endif

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
        words_step(c, k + 1, modulus_of(i).prime, v[i]);
    }
    coefficient_add(sum, c, DIGIT_BITS * j);
}

__kernel __attribute__((reqd_work_group_size(JOIN_ITEMS, 1, 1)))
void residues_to_limbs_fused(__global const uint *restrict x, __global const factor *restrict tables, uint stride, uint n,
                             __global uint *restrict z, ulong z_words, __global uchar *restrict maps OFFSET_ARGUMENT)
{
    __local uint high[HIGH_WORDS * JOIN_ITEMS], words[CHUNK_BITS / 32], item_map[JOIN_ITEMS];
    __local int mixed[2]; /* some word is not all ones, not all zeros */
    const uint t = get_local_id(0), group = get_group_id(0);
    const uint quad = group * CHUNK_QUADS + t - 1; /* the very first one: none */
    const bool there = quad < n / QUAD && t <= CHUNK_QUADS;

    uint sum[SUM_WORDS];
    uint4 residue[N_PRIMES];
    UNROLL for (int i = 0; i < N_PRIMES; i++)
        residue[i] = there ? *(__global const uint4 *)(x + (size_t)i * n + QUAD * (size_t)quad) : (uint4)(0);
    UNROLL for (int k = 0; k < SUM_WORDS; k++) sum[k] = 0;
#if SIGNED
    if (there) {
        offsets_subtract(sum, of.times);
        UNROLL for (int i = 0; i < N_PRIMES; i++) residue[i] = residues_raised(residue[i], of, i);
    }
#endif
    residues_add(sum, residue, tables, stride, 0);
    residues_add(sum, residue, tables, stride, 1);
    residues_add(sum, residue, tables, stride, 2);
    residues_add(sum, residue, tables, stride, 3);

    UNROLL for (int k = 0; k < HIGH_WORDS; k++)
        high[k * JOIN_ITEMS + t] = word_from(sum, SUM_WORDS, OWN_BITS + 32 * k, ABOVE(sum));
    sum[OWN_WORDS - 1] &= TOP_MASK;
    if (t < 2)
        mixed[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong carry = 0;
    uint ones = 0xffffffffu, zeros = 0;
    const uint minus = SIGNED && t > 0 ? (uint)((int)high[(HIGH_WORDS - 1) * JOIN_ITEMS + t - 1] >> 31) : 0; /* its sign */
    UNROLL for (int k = 0; k < OWN_WORDS; k++)
    {
        const uint mask = k == OWN_WORDS - 1 ? TOP_MASK : 0xffffffffu;
        carry += (ulong)sum[k] + (k < HIGH_WORDS ? (t > 0 ? high[k * JOIN_ITEMS + t - 1] : 0) : minus & mask);
        sum[k] = (uint)carry & mask;
        carry >>= k == OWN_WORDS - 1 ? TOP_BITS : 32;
        ones &= sum[k] | ~mask;
        zeros |= sum[k];
    }
    item_map[t] = map_make((int)carry - (int)(minus & 1), ones == 0xffffffffu, zeros == 0);
    barrier(CLK_LOCAL_MEM_FENCE);

    int in = carry_of_items(item_map, t);
    const int out = map_apply(item_map[t], in);
    ones = 0xffffffffu, zeros = 0;
    const bool own = t > 0 && t <= CHUNK_QUADS;
    const uint begin = (t - 1) * OWN_BITS, shift = begin % 32; /* of a chunk's bits */
    uint below = 0, first_word = 0;
    if (own) {
        UNROLL for (int k = 0; k < OWN_WORDS; k++)
        {
            const uint mask = k == OWN_WORDS - 1 ? TOP_MASK : 0xffffffffu;
            const uint word = (in == 0 ? sum[k] : word_carry(sum[k], &in)) & mask;
            const uint shifted = (uint)(((ulong)word << 32 | below) << shift >> 32);
            if (k == 0)
                first_word = shifted;
            if (k > 0 || shift == 0)
                words[begin / 32 + k] = shifted;
            ones &= word | ~mask;
            zeros |= word;
            below = word;
        }
        if (shift + TOP_BITS > 32) /* the lower part of the next item's first word */
            words[begin / 32 + OWN_WORDS] = below >> (32 - shift);
        if (ones != 0xffffffffu)
            mixed[0] = 1;
        if (zeros != 0)
            mixed[1] = 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == CHUNK_QUADS)
        maps[group] = (uchar)map_make(out, !mixed[0], !mixed[1]);
    if (TOP_BITS < 32) {
        if (own && shift > 0)
            words[begin / 32] |= first_word;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const ulong first = (ulong)group * (CHUNK_BITS / 32);
    UNROLL for (int k = 0; k < OWN_WORDS; k++)
    {
        const uint i = k * JOIN_ITEMS + t;
        if (i < CHUNK_BITS / 32 && first + i < z_words)
            z[first + i] = words[i];
    }
}
