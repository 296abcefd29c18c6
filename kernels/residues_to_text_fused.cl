/*
 * residues_to_text_fused.cl - coefficients from their residues, and the carries of a chunk of them, into text.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    with text_chunks_carry.cl: the Chinese remainder theorem, then digits_to_text.
 * As residues_to_limbs_fused.cl, which see, with digits of base D = TEXT_BASE^TEXT_DIGITS: an item takes QUAD coefficients, that
 * are QUAD digits of its own, and two more, which the next item adds to its own.
 *
 * A coefficient is the sum of v_i times the product of the primes before p_i (residue_passes.cl), which tables have in base D.
 * So six sums, one for each place of a quad, take all of its coefficients, and each place is divided by D once: no sum is above
 * 2^36 D (doc/error-bound.md, section 22.2).
 *
 * ND-range:  ceil(n / (QUAD (JOIN_ITEMS - 1))) groups of JOIN_ITEMS items.
 *   x       in   n residues for each prime
 *   tables  in   see residue_passes.cl
 *   n       in   a multiple of QUAD
 *   z       out  z_chars characters, most significant first; what is before them is zero and not written
 *   maps    out  the map of each group's chunk
 * Local:     (4 (DIGIT_WORDS + 2) + TEXT_STRIDE) JOIN_ITEMS + 8 bytes.   Barriers: 3.
 * Tunables:  N_PRIMES, JOIN_ITEMS, CHUNK_CHARS; those of text_chars.cl; BASE_WORD0 .. 2, the words of D; BASE_BITS, the bits of
 *            D; BASE_RECIPROCAL = floor(2^(BASE_BITS + 50) / D).
 */
#include "residue_passes.cl"
#include "carry_map.cl"
#include "text_chars.cl"

#define QUAD        4
#define PLACES      (QUAD + 2)
#define SUM_WORDS   ((BASE_BITS + 36 + 31) / 32)
#define QUAD_CHARS  (QUAD * TEXT_DIGITS)
#define TEXT_STRIDE (4 * (TEXT_DIGITS | 1)) /* an odd number of words: items meet no banks of others */

/* base_word - a word of D. */
INLINE uint base_word(const int k)
{
    return k == 0 ? BASE_WORD0 : k == 1 ? BASE_WORD1 : k == 2 ? BASE_WORD2 : 0u;
}

/* last_word - a word of D - 1. */
INLINE uint last_word(const int k)
{
    const ulong low = (ulong)BASE_WORD1 << 32 | BASE_WORD0, less = low - 1;
    return k == 0 ? (uint)less : k == 1 ? (uint)(less >> 32) : BASE_WORD2 - (low == 0);
}

/* sum_add - sum += v w, w of n words. */
INLINE void sum_add(uint *sum, __global const uint *restrict w, const int n, uint v)
{
    ulong carry = 0;
    UNROLL for (int k = 0; k < SUM_WORDS; k++)
    {
        carry += (ulong)sum[k] + (k < n ? (ulong)w[k] * v : 0); /* < 2^64: 2^32 + 2^32 + 2^63 */
        sum[k] = (uint)carry;
        carry >>= 32;
    }
}

INLINE void sum_add_long(uint *sum, ulong v)
{
    ulong carry = 0;
    UNROLL for (int k = 0; k < SUM_WORDS; k++)
    {
        carry += (ulong)sum[k] + (k == 0 ? (uint)v : k == 1 ? (uint)(v >> 32) : 0u);
        sum[k] = (uint)carry;
        carry >>= 32;
    }
}

/* less_base - digit -= D if it is as large.   digit: DIGIT_WORDS + 1 words, below 2 D.   Returns 1 if it was. */
INLINE uint less_base(uint *digit)
{
    uint rest[DIGIT_WORDS + 1];
    long borrow = 0;
    UNROLL for (int k = 0; k <= DIGIT_WORDS; k++)
    {
        borrow += (long)digit[k] - (long)(k < DIGIT_WORDS ? base_word(k) : 0u);
        rest[k] = (uint)borrow;
        borrow >>= 32;
    }
    UNROLL for (int k = 0; k <= DIGIT_WORDS; k++) digit[k] = borrow < 0 ? digit[k] : rest[k];
    return borrow < 0 ? 0 : 1;
}

/*
 * sum_take - floor(sum / D); digit: what is left.   sum < 2^36 D
 *
 * h = floor(sum / 2^(BASE_BITS - 14)) < 2^50.  h BASE_RECIPROCAL / 2^64 is below sum / D by 2^-13 + 2^-14 at most.  So its floor
 * is the quotient, or one less.
 */
INLINE ulong sum_take(const uint *sum, uint *digit)
{
    enum { WORD = (BASE_BITS - 14) / 32, BIT = (BASE_BITS - 14) % 32 };
    ulong h = ((ulong)sum[WORD + 1] << 32 | sum[WORD]) >> BIT;
    if (WORD + 2 < SUM_WORDS)
        h |= (ulong)sum[WORD + 2] << (63 - BIT) << 1; /* no bits if BIT is 0 */
    ulong q = mul_hi(h, BASE_RECIPROCAL);
    const uint low = (uint)q, high = (uint)(q >> 32);
    ulong carry = 0, upper = 0; /* of q D: of the lower word, of the upper one */
    long borrow = 0;
    UNROLL for (int k = 0; k <= DIGIT_WORDS; k++)
    {
        carry += (ulong)base_word(k) * low;
        upper += k > 0 ? (ulong)base_word(k - 1) * high : 0;
        borrow += (long)sum[k] - (long)(uint)carry - (long)(uint)upper;
        digit[k] = (uint)borrow;
        carry >>= 32;
        upper >>= 32;
        borrow >>= 32;
    }
    return q + less_base(digit);
}

/* digit_add - digit += more + carry, less D if it is as large.   more: NULL: 0.   Returns the carry out. */
INLINE uint digit_add(uint *digit, const uint *more, uint in)
{
    ulong carry = in;
    uint sum[DIGIT_WORDS + 1];
    UNROLL for (int k = 0; k <= DIGIT_WORDS; k++)
    {
        carry += k < DIGIT_WORDS ? (ulong)digit[k] + more[k] : 0;
        sum[k] = (uint)carry;
        carry >>= 32;
    }
    const uint out = less_base(sum);
    UNROLL for (int k = 0; k < DIGIT_WORDS; k++) digit[k] = sum[k];
    return out;
}

/* residues_add - coefficient j of a quad to the sums of its places. */
INLINE void residues_add(uint *sums, const uint4 *residue, __global const factor *restrict tables, uint stride, const int j)
{
    uint v[N_PRIMES];
    UNROLL for (int i = 0; i < N_PRIMES; i++)
    {
        const uint one = j == 0 ? residue[i].s0 : j == 1 ? residue[i].s1 : j == 2 ? residue[i].s2 : residue[i].s3;
        __global const uint *restrict constants = (__global const uint *)(tables + (size_t)i * stride);
        __global const uint *restrict places = constants + RESIDUE_PLACES;
        v[i] = residue_digit(one, v, i, constants);
        if (i == 0) { /* 1 */
            sum_add_long(sums + j * SUM_WORDS, v[i]);
        } else {
            sum_add(sums + j * SUM_WORDS, places, DIGIT_WORDS, v[i]);
            if (31 * i >= BASE_BITS - 1) /* else it is below D: primes are below 2^31 */
                sum_add(sums + (j + 1) * SUM_WORDS, places + 3, DIGIT_WORDS, v[i]);
            if (31 * i >= 2 * BASE_BITS - 2)
                sum_add(sums + (j + 2) * SUM_WORDS, places + 6, 1, v[i]);
        }
    }
}

/* digit_print - the characters of a digit, TEXT_DIGITS of them. */
INLINE void digit_print(__local uchar *text, const uint *digit)
{
    uint left[DIGIT_WORDS];
    UNROLL for (int k = 0; k < DIGIT_WORDS; k++) left[k] = digit[k];
    UNROLL for (int piece = 0; piece < PIECES; piece++) /* the lowest first */
    {
        const int words = (BASE_BITS - piece * PIECE_BITS + 31) / 32; /* of what is left */
        uint v = left[0];
        if (piece < PIECES - 1) {
            v = 0;
            UNROLL for (int k = DIGIT_WORDS - 1; k >= 0; k--)
            {
                if (k < words) {
                    const ulong rest = (ulong)v << 32 | left[k]; /* its quotient is below 2^32: v < PIECE_BASE */
                    left[k] = (uint)(rest / PIECE_BASE);
                    v = (uint)rest - left[k] * PIECE_BASE;
                }
            }
        }
        const int end = TEXT_DIGITS - piece * PIECE_CHARS, first = piece == PIECES - 1 ? 0 : end - PIECE_CHARS;
        UNROLL for (int i = end - 1; i >= first; i--)
        {
            text[i] = char_of_value(v % TEXT_BASE);
            v /= TEXT_BASE;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(JOIN_ITEMS, 1, 1)))
void residues_to_text_fused(__global const uint *restrict x, __global const factor *restrict tables, uint stride, uint n,
                            __global uchar *restrict z, ulong z_chars, __global uchar *restrict maps)
{
    __local uint high[(DIGIT_WORDS + 1) * JOIN_ITEMS], item_map[JOIN_ITEMS];
    __local uchar text[TEXT_STRIDE * JOIN_ITEMS] __attribute__((aligned(4)));
    __local int mixed[2]; /* some digit is not D - 1, not 0 */
    const uint t = get_local_id(0), group = get_group_id(0);
    const uint quad = group * (JOIN_ITEMS - 1) + t - 1; /* the very first one: none */
    const bool there = quad < n / QUAD;

    uint sums[PLACES * SUM_WORDS], digits[QUAD][DIGIT_WORDS + 1], beyond[DIGIT_WORDS + 1];
    uint4 residue[N_PRIMES];
    UNROLL for (int i = 0; i < N_PRIMES; i++)
        residue[i] = there ? *(__global const uint4 *)(x + (size_t)i * n + QUAD * (size_t)quad) : (uint4)(0);
    UNROLL for (int k = 0; k < PLACES * SUM_WORDS; k++) sums[k] = 0;
    UNROLL for (int j = 0; j < QUAD; j++) residues_add(sums, residue, tables, stride, j);
    UNROLL for (int j = 0; j < QUAD; j++) sum_add_long(sums + (j + 1) * SUM_WORDS, sum_take(sums + j * SUM_WORDS, digits[j]));
    sum_add_long(sums + (QUAD + 1) * SUM_WORDS, sum_take(sums + QUAD * SUM_WORDS, beyond));
    UNROLL for (int k = 0; k < DIGIT_WORDS; k++) high[k * JOIN_ITEMS + t] = beyond[k];
    high[DIGIT_WORDS * JOIN_ITEMS + t] = sums[(QUAD + 1) * SUM_WORDS]; /* below 2^28 */
    if (t < 2)
        mixed[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint carry = 0, differs = 0, any = 0;
    UNROLL for (int j = 0; j < QUAD; j++)
    {
        uint more[DIGIT_WORDS];
        UNROLL for (int k = 0; k < DIGIT_WORDS; k++)
            more[k] = t == 0 || j > 1 || (j == 1 && k > 0) ? 0 : high[(j * DIGIT_WORDS + k) * JOIN_ITEMS + t - 1];
        carry = digit_add(digits[j], more, carry);
        UNROLL for (int k = 0; k < DIGIT_WORDS; k++)
        {
            differs |= digits[j][k] ^ last_word(k);
            any |= digits[j][k];
        }
    }
    item_map[t] = map_make((int)carry, differs == 0, any == 0);
    barrier(CLK_LOCAL_MEM_FENCE);

    uint before = t;
    while (before > 1 && !map_is_constant(item_map[before - 1])) /* mostly one is enough; item 0 is of another chunk */
        before--;
    int in = before > 1 ? map_apply(item_map[before - 1], 0) : 0;
    for (; before < t; before++)
        in = map_apply(item_map[before], in);
    const int out = map_apply(item_map[t], in);
    differs = any = 0;
    carry = (uint)in; /* 0 or 1 */
    UNROLL for (int j = 0; j < QUAD; j++)
    {
        uint none[DIGIT_WORDS];
        UNROLL for (int k = 0; k < DIGIT_WORDS; k++) none[k] = 0;
        carry = digit_add(digits[j], none, carry);
        UNROLL for (int k = 0; k < DIGIT_WORDS; k++)
        {
            differs |= digits[j][k] ^ last_word(k);
            any |= digits[j][k];
        }
        digit_print(text + t * TEXT_STRIDE + (QUAD - 1 - j) * TEXT_DIGITS, digits[j]);
    }
    if (t > 0 && differs != 0)
        mixed[0] = 1;
    if (t > 0 && any != 0)
        mixed[1] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == JOIN_ITEMS - 1)
        maps[group] = (uchar)map_make(out, !mixed[0], !mixed[1]);
    const long first = (long)z_chars - ((long)group + 1) * CHUNK_CHARS; /* the chunk's first character is its last item's */
    UNROLL_SOME for (uint round = 0; round < QUAD_CHARS; round++)
    {
        const uint i = t + round * JOIN_ITEMS;
        if (i < CHUNK_CHARS && first + (long)i >= 0)
            z[first + i] = text[(JOIN_ITEMS - 1 - i / QUAD_CHARS) * TEXT_STRIDE + i % QUAD_CHARS];
    }
}
