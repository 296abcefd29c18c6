/*
 * residues_to_text_fused.cl - coefficients from their residues, and the carries of a chunk of them, into text.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    with text_chunks_carry.cl: the Chinese remainder theorem, then digits_to_text.
 * As residues_to_limbs_fused.cl, which see, with digits of base D = TEXT_BASE^TEXT_DIGITS: an item takes QUAD coefficients, that
 * are QUAD digits of its own, and two more, which the next item adds to its own.
 *
 * A coefficient is the sum of v_i times the product of the primes before p_i (residue_passes.cl), which tables have in pieces of
 * digits (text_chars.cl).  Pieces are below 2^27, so that 64 bits hold what all coefficients of a quad add to one: each is
 * divided by its base once.   No sum is above 2^63 (doc/error-bound.md, section 22.2).
 *
 * ND-range:  ceil(n / (QUAD (JOIN_ITEMS - 1))) groups of JOIN_ITEMS items.
 *   x       in   n residues for each prime
 *   tables  in   see residue_passes.cl
 *   n       in   a multiple of QUAD
 *   z       out  z_chars characters, most significant first; what is before them is zero and not written
 *   maps    out  the map of each group's chunk
 * Local:     4 (HIGH + 1 + TEXT_STRIDE) JOIN_ITEMS + 8 bytes.   Barriers: 3.
 * Tunables:  N_PRIMES, JOIN_ITEMS, CHUNK_CHARS; those of text_chars.cl; TOP_BASE, of the highest piece; BASE_BITS, the bits of D.
 */
#include "residue_passes.cl"
#include "carry_map.cl"
#include "text_chars.cl"

#define QUAD        4
#define OWN         (QUAD * PIECES)          /* pieces of an item's digits */
#define HIGH        (PIECES + (PIECES > 1) + 1) /* that the next item adds to its own: the upper digit is below 2^28 */
#define QUAD_CHARS  (QUAD * TEXT_DIGITS)     /* TEXT_DIGITS words */
#define TEXT_WORDS (CHUNK_CHARS / 4)
#define TEXT_STRIDE (TEXT_DIGITS | 1)        /* words; odd: items meet no banks of others */
#define IN_WORDS    (TEXT_BASE == 10 && TEXT_DIGITS % 4 == 0 && PIECE_CHARS % 4 == 0) /* whether pieces are whole words of text */

/* base_of - that of piece `at` of a number. */
INLINE uint base_of(const int at)
{
    return at % PIECES == PIECES - 1 ? TOP_BASE : PIECE_BASE;
}

/* residues_add - coefficient j of a quad. */
INLINE void residues_add(ulong *sum, const uint4 *residue, __global const factor *restrict tables, uint stride, const int j)
{
    uint v[N_PRIMES];
    UNROLL for (int i = 0; i < N_PRIMES; i++)
    {
        const uint one = j == 0 ? residue[i].s0 : j == 1 ? residue[i].s1 : j == 2 ? residue[i].s2 : residue[i].s3;
        __global const uint *restrict constants = (__global const uint *)(tables + (size_t)i * stride);
        v[i] = residue_digit(one, v, i, constants);
        UNROLL for (int at = 0; at <= 2 * PIECES; at++)
        {
            const int least = at / PIECES * (BASE_BITS - 1) + at % PIECES * PIECE_BITS; /* bits below this piece */
            if (at == 0 || 31 * i > least) /* else the product of the primes before ends below it */
                sum[j * PIECES + at] += (ulong)v[i] * (i == 0 ? 1 : constants[RESIDUE_PLACES + at]);
        }
    }
}

/* chars_of - a number below 10^4 in a word of characters. */
INLINE uint chars_of(uint v)
{
    const uint high = v * 5243 >> 19, pairs = high | (v - 100 * high) << 16; /* v / 100, v % 100 */
    const uint tens = pairs * 103 >> 10 & 0x000f000f;
    return tens | (pairs - 10 * tens) << 8 | 0x30303030;
}

/* piece_print - piece `at` of a quad. */
INLINE void piece_print(__local uint *text, uint v, const int at)
{
    const int count = at % PIECES == PIECES - 1 ? TOP_CHARS : PIECE_CHARS;
    const int end = QUAD_CHARS - at / PIECES * TEXT_DIGITS - at % PIECES * PIECE_CHARS;
#if IN_WORDS
    UNROLL for (int i = 1; i <= count / 4; i++)
    {
        const uint upper = v / 10000;
        text[end / 4 - i] = chars_of(v - 10000 * upper);
        v = upper;
    }
#else
    __local uchar *chars = (__local uchar *)text;
    UNROLL for (int i = end - 1; i >= end - count; i--)
    {
        chars[i] = char_of_value(v % TEXT_BASE);
        v /= TEXT_BASE;
    }
#endif
}

/* text_at - word i of a chunk's text, from its first character on. */
INLINE uint text_at(__local const uint *text, uint i)
{
    return text[(JOIN_ITEMS - 1 - i / TEXT_DIGITS) * TEXT_STRIDE + i % TEXT_DIGITS];
}

/* text_store - a chunk's text, which is characters `first` to first + CHUNK_CHARS of z; those below 0 are not there. */
INLINE void text_store(__global uchar *restrict z, long first, __local const uint *text, uint t)
{
    const uint before = (uint)(first & 3); /* the first word of z that it has a part in begins so many characters before */
    const long first_word = first >> 2;
    ROLLED for (uint round = 0; round < TEXT_DIGITS; round++)
    {
        const uint i = t + round * JOIN_ITEMS;
        if (i < TEXT_WORDS && i + (before == 0) > 0 && first_word + (long)i >= 0)
            ((__global uint *)z)[first_word + i] =
                (uint)(((ulong)text_at(text, i) << 32 | (before ? text_at(text, i - 1) : 0)) >> (32 - 8 * before));
    }
    if (before && t < 4) { /* the chunk's first 4 - before characters and its last ones share words with others */
        const uint i = t < 4 - before ? t : CHUNK_CHARS - 4 + t, word = text_at(text, i / 4);
        if (first + (long)i >= 0)
            z[first + i] = (uchar)(word >> (8 * (i % 4)));
    }
}

__kernel __attribute__((reqd_work_group_size(JOIN_ITEMS, 1, 1)))
void residues_to_text_fused(__global const uint *restrict x, __global const factor *restrict tables, uint stride, uint n,
                            __global uchar *restrict z, ulong z_chars, __global uchar *restrict maps)
{
    __local uint high[HIGH * JOIN_ITEMS], item_map[JOIN_ITEMS], text[TEXT_STRIDE * JOIN_ITEMS];
    __local int mixed[2]; /* some piece is not its last, not 0 */
    const uint t = get_local_id(0), group = get_group_id(0);
    const uint quad = group * (JOIN_ITEMS - 1) + t - 1; /* the very first one: none */
    const bool there = quad < n / QUAD;

    ulong sum[OWN + HIGH], over = 0;
    uint piece[OWN];
    uint4 residue[N_PRIMES];
    UNROLL for (int i = 0; i < N_PRIMES; i++)
        residue[i] = there ? *(__global const uint4 *)(x + (size_t)i * n + QUAD * (size_t)quad) : (uint4)(0);
    UNROLL for (int at = 0; at < OWN + HIGH; at++) sum[at] = 0;
    UNROLL for (int j = 0; j < QUAD; j++) residues_add(sum, residue, tables, stride, j);
    UNROLL for (int at = 0; at < OWN + HIGH; at++)
    {
        over += sum[at];
        const ulong quotient = over / base_of(at);
        const uint rest = (uint)over - (uint)quotient * base_of(at);
        if (at < OWN)
            piece[at] = rest;
        else
            high[(at - OWN) * JOIN_ITEMS + t] = rest;
        over = quotient;
    }
    if (t < 2)
        mixed[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint carry = 0, differs = 0, any = 0;
    UNROLL for (int at = 0; at < OWN; at++)
    {
        carry += piece[at] + (at < HIGH && t > 0 ? high[at * JOIN_ITEMS + t - 1] : 0); /* below twice its base */
        const uint more = carry >= base_of(at);
        piece[at] = more ? carry - base_of(at) : carry;
        carry = more;
        differs |= piece[at] ^ (base_of(at) - 1);
        any |= piece[at];
    }
    item_map[t] = map_make((int)carry, differs == 0, any == 0);
    barrier(CLK_LOCAL_MEM_FENCE);

    int in = carry_of_items(item_map, t);
    const int out = map_apply(item_map[t], in);
    differs = any = 0;
    carry = (uint)in; /* 0 or 1 */
    UNROLL for (int at = 0; at < OWN; at++)
    {
        carry += piece[at];
        const uint more = carry >= base_of(at), v = more ? 0 : carry;
        carry = more;
        differs |= v ^ (base_of(at) - 1);
        any |= v;
        piece_print(text + t * TEXT_STRIDE, v, at);
    }
    if (t > 0 && differs != 0)
        mixed[0] = 1;
    if (t > 0 && any != 0)
        mixed[1] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == JOIN_ITEMS - 1)
        maps[group] = (uchar)map_make(out, !mixed[0], !mixed[1]);
    text_store(z, (long)z_chars - ((long)group + 1) * CHUNK_CHARS, text, t); /* the first character is the last item's */
}
