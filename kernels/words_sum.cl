/*
 * words_sum.cl - u a + v b of two numbers in words, with small factors u and v of any sign, as two's complement.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * An item makes a chunk.  It begins with the carry that comes out of the chunk before if none goes into that one, so it runs over
 * that chunk, too.  What is missing then is a carry of -1, 0 or 1: the map of each chunk says what leaves it beyond what the next
 * item begins with, and chunks_carry.cl adds it.
 *
 * ND-range:  items for ceil(z_words / CHUNK_WORDS) chunks, and any number more.
 *   a, b   in   of.a_words and of.b_words words, least significant first; they may be the same
 *   z      out  of.z_words words, not those of a or b: the value modulo 2^(32 z_words), but for the carries
 *   maps   out  of each chunk (carry_map.cl)
 *   of     in   a_times, b_times: u and v, of sizes below 2^31
 * Equals:    with chunks_carry.cl, a sum or a difference of numbers, or a small multiple.
 * Tunables:  CHUNK_WORDS, at least 2.
 */
#include "arguments.h"
#include "carry_map.cl"

/* word_of - a word of a number, and 0 beyond its end. */
INLINE long word_of(__global const uint *restrict x, ulong n_words, ulong i)
{
    return i < n_words ? x[i] : 0;
}

/* sum_word - word i of the sum.   carry i/o: of size below 2^33: two products of 63 bits and a sign, less their lower words */
INLINE uint sum_word(__global const uint *restrict a, __global const uint *restrict b, const struct words_sum_arguments of,
                     ulong i, long *carry)
{
    const long p = of.a_times * word_of(a, of.a_words, i), q = of.b_times * word_of(b, of.b_words, i);
    const ulong low = (ulong)(uint)p + (uint)q + (uint)*carry;
    *carry = (p >> 32) + (q >> 32) + (*carry >> 32) + (long)(low >> 32);
    return (uint)low;
}

__kernel void words_sum(__global const uint *restrict a, __global const uint *restrict b, __global uint *restrict z,
                        __global uchar *restrict maps, const struct words_sum_arguments of)
{
    const ulong chunk = get_global_id(0), first = chunk * CHUNK_WORDS;
    long carry = 0, alone = 0;
    uint ones = 0xffffffffu, zeros = 0;
    if (first >= of.z_words)
        return;
    for (ulong i = chunk > 0 ? first - CHUNK_WORDS : first; i < first; i++)
        (void)sum_word(a, b, of, i, &carry);
    for (ulong i = first; i < first + CHUNK_WORDS; i++) {
        (void)sum_word(a, b, of, i, &alone);
        const uint word = sum_word(a, b, of, i, &carry);
        ones &= word;
        zeros |= word;
        if (i < of.z_words)
            z[i] = word;
    }
    maps[chunk] = (uchar)map_make((int)(carry - alone), ones == 0xffffffffu, zeros == 0);
}
