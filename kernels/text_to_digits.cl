/*
 * text_to_digits.cl - text into digits of base TEXT_BASE^TEXT_DIGITS, for products modulo primes.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    text_to_digits of lib/text, not balanced.
 * A digit has a field of 16 HALFWORDS bits, so that source_to_residues_fused.cl takes these words for limbs.  An item makes two
 * digits, which are HALFWORDS words.  A group's characters go through local memory, four in a word: each is read once, side by
 * side.  The first character begins a word; so no word has characters before it.
 *
 * ND-range:  dimension 0: the longer operand's ceil(chars / GROUP_CHARS) groups of DIGIT_ITEMS items; 1: the operands, 1 or 2,
 *            of 1 item.
 *   a, b                in   size.a_chars and size.b_chars characters, most significant first
 *   a_digits, b_digits  out  size.a_words and size.b_words words of 32 bits: HALFWORDS for each PAIR_CHARS characters, least
 *                            significant first
 * Local:     4 STAGED_WORDS bytes.   Barriers: 1.
 * Tunables:  those of text_chars.cl; DIGIT_ITEMS, a multiple of 32.
 */
#include "arguments.h"
#include "text_chars.cl"

#define DIGIT_WORDS  ((HALFWORDS + 1) / 2)
#define PAIR_CHARS   (2 * TEXT_DIGITS)
#define PAIR_WORDS   ((PAIR_CHARS + 3) / 4)
#define GROUP_CHARS  (PAIR_CHARS * DIGIT_ITEMS)
#define GROUP_WORDS  (GROUP_CHARS / 4 + 1) /* that they may have a part in */
#define STAGED(w)    ((w) + (w) / 32)      /* items meet fewer banks of others */
#define STAGED_WORDS (STAGED(GROUP_WORDS) + 2)
#define FOUR_ZEROS   0x30303030u

/* text_tail - the word behind the last whole one: the last characters, then zeros. */
INLINE uint text_tail(__global const uchar *restrict text, ulong n_chars)
{
    uint word = FOUR_ZEROS;
    for (ulong k = n_chars & ~(ulong)3; k < n_chars; k++)
        word ^= (uint)(text[k] ^ '0') << (8 * (k % 4));
    return word;
}

/* chars_digit - the digit that TEXT_DIGITS characters from number `from` on make. */
INLINE void chars_digit(uint *digit, const uint *chars, const int from)
{
    UNROLL for (int k = 0; k < DIGIT_WORDS; k++) digit[k] = 0;
    UNROLL for (int k = 0; k < PIECES; k++)
    {
        const int first = k == 0 ? 0 : TOP_CHARS + (k - 1) * PIECE_CHARS, count = k == 0 ? TOP_CHARS : PIECE_CHARS;
        uint piece = 0;
        UNROLL for (int i = from + first; i < from + first + count; i++)
            piece = piece * TEXT_BASE + char_value(chars[i / 4] >> (8 * (i % 4)) & 0xff);
        ulong carry = piece;
        UNROLL for (int w = 0; w < DIGIT_WORDS; w++)
        {
            carry += (ulong)digit[w] * PIECE_BASE; /* < 2^64 */
            digit[w] = (uint)carry;
            carry >>= 32;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(DIGIT_ITEMS, 1, 1)))
void text_to_digits(__global const uchar *restrict a, __global uint *restrict a_digits, __global const uchar *restrict b,
                    __global uint *restrict b_digits, const struct text_to_digits_arguments size)
{
    __local uint staged[STAGED_WORDS];
    const uint t = get_local_id(0), group = get_group_id(0), pair = group * DIGIT_ITEMS + t, operand = get_global_id(1);
    __global const uchar *restrict text = operand ? b : a;
    __global uint *restrict digits = operand ? b_digits : a_digits;
    const ulong n_chars = operand ? size.b_chars : size.a_chars;
    const uint n_words = operand ? size.b_words : size.a_words;
    const long first = (long)n_chars - ((long)group + 1) * GROUP_CHARS, first_word = first >> 2; /* downwards */
    UNROLL_SOME for (uint round = 0; round < (GROUP_WORDS + DIGIT_ITEMS - 1) / DIGIT_ITEMS; round++)
    {
        const uint i = t + round * DIGIT_ITEMS;
        const long word = first_word + i;
        if (i < GROUP_WORDS - (group == 0)) /* group 0 ends where the text does */
            staged[STAGED(i)] = word >= 0 ? ((__global const uint *)text)[word] : FOUR_ZEROS;
    }
    if (group == 0 && t == 0)
        staged[STAGED(GROUP_WORDS - 1)] = text_tail(text, n_chars);
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint at = (uint)(first & 3) + (DIGIT_ITEMS - 1 - t) * PAIR_CHARS, shift = 8 * (at % 4);
    uint chars[PAIR_WORDS], low[DIGIT_WORDS], high[DIGIT_WORDS], word = staged[STAGED(at / 4)];
    UNROLL for (int i = 0; i < PAIR_WORDS; i++)
    {
        const uint next = staged[STAGED(at / 4 + i + 1)];
        chars[i] = (uint)(((ulong)next << 32 | word) >> shift);
        word = next;
    }
    chars_digit(high, chars, 0);
    chars_digit(low, chars, TEXT_DIGITS);
    UNROLL for (int k = 0; k < HALFWORDS; k++)
    {
        const int i = k - HALFWORDS / 2; /* the word of the upper digit that begins here, or in the middle of this one */
        word = k < DIGIT_WORDS ? low[k] : 0;
        if (HALFWORDS % 2 == 0)
            word |= i >= 0 ? high[i] : 0;
        else
            word |= (i >= 0 ? high[i] << 16 : 0) | (i > 0 ? high[i - 1] >> 16 : 0);
        if (pair * HALFWORDS + k < n_words)
            digits[pair * HALFWORDS + k] = word;
    }
}
