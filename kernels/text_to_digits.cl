/*
 * text_to_digits.cl - text into digits of base TEXT_BASE^TEXT_DIGITS, for products modulo primes.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    text_to_digits of lib/text, not balanced.
 * A digit has a field of 16 HALFWORDS bits, so that source_to_residues_fused.cl takes these words for limbs.  An item makes two
 * digits, which are HALFWORDS words.  A group's characters go through local memory: each is read once, side by side.
 *
 * ND-range:  ceil(n_chars / (2 TEXT_DIGITS DIGIT_ITEMS)) groups of DIGIT_ITEMS items.
 *   text     in   n_chars characters, most significant first
 *   words    out  n_words words of 32 bits: HALFWORDS for each 2 TEXT_DIGITS characters, least significant first
 * Local:     PAIR_STRIDE DIGIT_ITEMS bytes.   Barriers: 1.
 * Tunables:  those of text_chars.cl; DIGIT_ITEMS.
 */
#include "text_chars.cl"

#define PAIR_CHARS  (2 * TEXT_DIGITS)
#define PAIR_STRIDE (4 * ((PAIR_CHARS + 3) / 4 | 1)) /* an odd number of words: items meet no banks of others */

/* chars_digit - the digit that TEXT_DIGITS characters make. */
INLINE void chars_digit(uint *digit, __local const uchar *chars)
{
    UNROLL for (int k = 0; k < DIGIT_WORDS; k++) digit[k] = 0;
    UNROLL for (int k = 0; k < PIECES; k++)
    {
        const int end = TEXT_DIGITS - (PIECES - 1 - k) * PIECE_CHARS, first = k == 0 ? 0 : end - PIECE_CHARS;
        uint piece = 0;
        UNROLL for (int i = first; i < end; i++) piece = piece * TEXT_BASE + char_value(chars[i]);
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
void text_to_digits(__global const uchar *restrict text, ulong n_chars, __global uint *restrict words, uint n_words)
{
    __local uchar staged[PAIR_STRIDE * DIGIT_ITEMS] __attribute__((aligned(4)));
    const uint t = get_local_id(0), group = get_group_id(0), pair = group * DIGIT_ITEMS + t;
    const long first = (long)n_chars - ((long)group + 1) * (PAIR_CHARS * DIGIT_ITEMS);
    UNROLL_SOME for (uint round = 0; round < PAIR_CHARS; round++)
    {
        const uint i = t + round * DIGIT_ITEMS;
        const uchar c = text[max(first + (long)i, 0L)];
        staged[i / PAIR_CHARS * PAIR_STRIDE + i % PAIR_CHARS] = first + (long)i >= 0 ? c : '0';
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    __local const uchar *chars = staged + (DIGIT_ITEMS - 1 - t) * PAIR_STRIDE;
    uint low[DIGIT_WORDS], high[DIGIT_WORDS];
    chars_digit(high, chars);
    chars_digit(low, chars + TEXT_DIGITS);
    UNROLL for (int k = 0; k < HALFWORDS; k++)
    {
        const int i = k - HALFWORDS / 2; /* the word of the upper digit that begins here, or in the middle of this one */
        uint word = k < DIGIT_WORDS ? low[k] : 0;
        if (HALFWORDS % 2 == 0)
            word |= i >= 0 ? high[i] : 0;
        else
            word |= (i >= 0 ? high[i] << 16 : 0) | (i > 0 ? high[i - 1] >> 16 : 0);
        if (pair * HALFWORDS + k < n_words)
            words[pair * HALFWORDS + k] = word;
    }
}
