/*
 * limbs_to_columns_fused.cl - limbs into balanced digits, and the first forward pass over columns.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    limbs_to_digits, then columns_forward from the root.
 * Digit j of a number is its bits j l - 1 .. j l + l - 1 as a number of two's complement, plus 1, halved: balanced, and local (the
 * bit below says whether the digit below was made negative).  Digit j is the real part of point j, digit j + n its imaginary part.
 * Points are a matrix of POINTS rows of n_columns points; a column is a transform.
 *
 * ND-range:  dimension 0: n_columns / COLUMNS groups of GROUP_ITEMS items; 1: the operands, 1 or 2, of 1 item.
 *   a, b       in   the operands: a_words, b_words words of 32 bits, least significant first; at least one word
 *   x, y       out  n points each
 *   table      in   the root's twiddles (fft_stages.cl)
 *   n_columns  in   a multiple of 32 and of COLUMNS
 *   status     i/o  the sums of squares are added here, see STATUS_... below
 * Local:     EXCHANGE_SLOTS doubles or points, at least 2 GROUP_ITEMS words of 64 bits.   Barriers: those of the exchanges, and 3.
 * Tunables:  those of fft_stages.cl; DIGIT_BITS (l, 2..20); HALVES (1: an operand has n digits at most, 2: up to 2 n).
 * Source:    [Boo51] for the digits; doc/layout.md.
 */
#include "fft_stages.cl"
#include "status.cl"

/* Bits set in s < 16; an odd radix splits into rows whose numbers modulo the power of two do not depend on s. */
#define SET_BITS(s) (R0 % 2 ? 0 : ((s) & 1) + ((s) >> 1 & 1) + ((s) >> 2 & 1) + ((s) >> 3 & 1))

/* digit_at - the digit whose bits begin in word `word` (shift: and that bit); words from n_words on are zero. */
INLINE int digit_at(__global const uint *restrict words, uint n_words, uint word, uint shift)
{
    const uint last = n_words - 1;
    uint low = words[min(word, last)], high = words[min(word + 1, last)]; /* no branch: the loads run side by side */
    low = word < n_words ? low : 0u;
    high = word + 1 < n_words ? high : 0u;
    const uint bits = (uint)((((ulong)high << 32) | low) >> shift);
    const int both = (int)(bits << (31 - DIGIT_BITS)) >> (31 - DIGIT_BITS);
    return (both + 1) >> 1;
}

__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1)))
void limbs_to_columns(__global const uint *restrict a, uint a_words, __global point *restrict x, __global const uint *restrict b,
                      uint b_words, __global point *restrict y, __global const twiddle *restrict table, uint n_columns,
                      __global uint *status)
{
#define LOCAL_SUMS (2 * GROUP_ITEMS * 8 / sizeof(exchanged))
    __local exchanged local_slots[EXCHANGE_SLOTS > LOCAL_SUMS ? EXCHANGE_SLOTS : LOCAL_SUMS];
    __local uint parts[8];
    const uint t = get_local_id(0), column = t % COLUMNS, u = t / COLUMNS, operand = get_group_id(1);
    const uint first_point = get_group_id(0) * COLUMNS + column;
    __global const uint *restrict words = operand ? b : a;
    const uint n_words = operand ? b_words : a_words;
    __global point *restrict out = (operand ? y : x) + first_point;

    if (t < 8)
        parts[t] = 0; /* seen by all behind the barriers of the transform, and of the sums */

    const uint row_words = n_columns / 32 * DIGIT_BITS;
    const int bit = (int)(first_point * DIGIT_BITS) - 1; /* -1: the word below the first is beyond the last */
    const uint word = (uint)(bit >> 5), shift = (uint)bit & 31;

    /* sums of d^2 by the bits set in s, the part of a row's number that is a constant for each load */
    ulong class_sum[5] = {0, 0, 0, 0, 0};
    ulong weighted = 0;
    point value[ITEM_VALUES];
    UNROLL for (int g = 0; g < ROUNDS(0); g++)
    {
        const uint butterfly = u + g * ITEMS;
        if (IS_EVEN(0) || butterfly < POINTS / R0) {
            ulong round_sum = 0;
            UNROLL for (int s = 0; s < R0; s++)
            {
                const uint row = butterfly + s * STRIDE(0);
                const int at = g * R0 + s;
                const int d = digit_at(words, n_words, row * row_words + word, shift);
                ulong square = (ulong)((long)d * d);
                value[at] = (point)((double)d, 0.0);
                if (HALVES == 2) {
                    const int e = digit_at(words, n_words, (row + POINTS) * row_words + word, shift);
                    square += (ulong)((long)e * e);
                    value[at].y = (double)e;
                }
                if (ROUNDS(0) > 1)
                    round_sum += square;
                class_sum[SET_BITS(s)] += square;
            }
            if (ROUNDS(0) > 1)
                weighted += round_sum * popcount(butterfly);
        }
    }
    transform_forward(value, local_slots, table, table, u, column, HALVES == 1);
    FOR_VALUES(LAST_STAGE, out[(size_t)slot * n_columns] = value[at];)

    const ulong squares = class_sum[0] + class_sum[1] + class_sum[2] + class_sum[3] + class_sum[4];
    weighted += class_sum[1] + 2 * class_sum[2] + 3 * class_sum[3] + 4 * class_sum[4];
    weighted += squares * (ROUNDS(0) > 1 ? popcount(first_point) : popcount(first_point) + popcount(u));
    status_add_norms(status, operand, squares, weighted, (__local ulong *)local_slots, parts, t, GROUP_ITEMS);
}
