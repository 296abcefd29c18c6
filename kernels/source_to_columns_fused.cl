/*
 * source_to_columns_fused.cl - limbs or decimal text into balanced digits, and the first forward pass over columns.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    limbs_to_digits or text_to_digits, then columns_forward from the root.
 * Digit j of limbs is the bits j l - 1 .. j l + l - 1 as a number of two's complement, plus 1, halved: balanced, and local (the
 * bit below says whether the digit below was made negative).  Digit j of text, base B = 10^DECIMAL, is r_j + t_(j-1) - B t_j, r_j
 * the number that its DECIMAL characters make, t_j = 1 where r_j >= B / 2, which its first character says.
 * Right-angle: digit j is the real part of point j, digit j + n its imaginary part.  Two-for-one: digit j of a is the real part,
 * that of b times a weight the imaginary part; a square has none.  One-for-half: digits 2 j and 2 j + 1 are the parts of point j.
 * Points are a matrix of POINTS rows of n_columns points; a column is a transform.
 *
 * ND-range:  dimension 0: n_columns / COLUMNS groups of GROUP_ITEMS items; 1: the operands, 1 or 2, of 1 item; two-for-one: 1.
 *            Or a part of that, by an offset: some columns of one operand.
 *   a, b       in   the operands, size.a_units and size.b_units units.  Limbs: words of 32 bits, two at least, least
 *                   significant first.  Text: characters '0' to '9', most significant first, fewer than 2^31
 *   x, y       out  n points each; two-for-one: y is unused
 *   table      in   the root's twiddles (fft_stages.cl)
 *   status     i/o  the sums of squares are added here (status.cl)
 *   size       in   arguments.h; n_columns is a multiple of 32 and of COLUMNS; two-for-one: the weight is 2^weight_log2
 * Local:     EXCHANGE_SLOTS doubles or points, at least 2 GROUP_ITEMS words of 64 bits; limbs: at least STAGED_WORDS + 2 of 32.
 * Barriers:  those of the exchanges, and 2 for each operand of a group and 1 between; limbs: 2 more.
 * Tunables:  those of fft_stages.cl; DIGIT_BITS (l, 2..20; DOUBLE_DOUBLE: 2..46); DECIMAL (0: limbs, else 1..6; 1..12);
 *            NARROW (DOUBLE_DOUBLE; 1: the first stage reads digits as doubles, complex_dd.cl);
 *            HALVES (1: an operand has half the transform's digits at most, 2: up to all); two-for-one: OPERANDS (1: a square).
 * Source:    [Booth51]; doc/layout.md.
 */
#include "arguments.h"
#include "fft_stages.cl"
#include "status.cl"

#if DOUBLE_DOUBLE
#define IM_FIRST z
#else
#define IM_FIRST y
#endif

#if DOUBLE_DOUBLE
typedef long digit;
/* Norms are summed up from digits divided by 2^NORM_SHIFT and rounded away from zero, so that 64 bits hold the sums. */
#define NORM_SHIFT (DIGIT_BITS > 20 ? DIGIT_BITS - 20 : 0)
#else
typedef int digit;
#define NORM_SHIFT 0
#endif

/*
 * The operands of a group, the rows of each, and what is known of the points.  Modulo x^n - 1: if each operand has half of the
 * digits, the upper half of the rows is zero and not read; of an odd radix, the streams behind the middle one.
 */
#if TWO_FOR_ONE
#define GROUP_OPERANDS OPERANDS
#else
#define GROUP_OPERANDS 1
#endif
#if PACKING != 3
#define LOWER_ROWS     (HALVES == 1 && !ODD_PAIR)
#define OPERAND_ROWS   (LOWER_ROWS ? (R0 + 1) / 2 * (POINTS / R0) : POINTS)
#define KNOWN          (LOWER_ROWS && R0 % 2 == 0 ? LOWER_POINTS : ANY_POINTS)
#define UPPER_DIGITS   0
#else
#define LOWER_ROWS     0
#define OPERAND_ROWS   (POINTS * HALVES)
#if NARROW
#define KNOWN (HALVES == 1 ? REAL_DIGITS : DIGITS)
#else
#define KNOWN (HALVES == 1 ? REAL_POINTS : ANY_POINTS)
#endif
#define UPPER_DIGITS   (HALVES == 2)
#endif

/* An item's sums of the squares of its digits, (2^(l-1))^2 at most, times at most 31 bits set. */
#define VALUE_DIGITS (ONE_FOR_HALF ? 2 : HALVES)
#if !DECIMAL && DIGIT_BITS <= 14 && ITEM_VALUES * VALUE_DIGITS <= 1 << (29 - 2 * DIGIT_BITS)
#define NARROW_SUMS 1
typedef uint item_sum;
#else
#define NARROW_SUMS 0
typedef ulong item_sum;
#endif

INLINE item_sum norm_square(digit d)
{
    if (NORM_SHIFT > 0)
        d = (digit)((abs(d) + ((1UL << NORM_SHIFT) - 1)) >> NORM_SHIFT);
    return NARROW_SUMS ? (item_sum)(d * d) : (item_sum)((long)d * d);
}

/*
 * Bits set in s < 16; odd radices split into rows whose numbers modulo the power of two, LOW_ROW, do not depend on s; coprime
 * ones into rows that are q + E1 h modulo it.
 */
#define LOW_ROW(butterfly) (COPRIME ? (butterfly) % E1 : ODD_PAIR ? (butterfly) % ODD_UNIT : (butterfly))
#define BITS_OF(s)         (((s) & 1) + ((s) >> 1 & 1) + ((s) >> 2 & 1) + ((s) >> 3 & 1))
#define SET_BITS(s)        (COPRIME ? BITS_OF((s) / F0) : R0 % 2 ? 0 : BITS_OF(s))

#if DECIMAL
typedef uchar source_unit;

/* Where digit (row, first_point) of text ends: its characters are the DECIMAL ones before. */
typedef int digit_place;
#define ROW_PLACES       (-(int)n_columns * POINT_DIGITS * DECIMAL)
#define DIGIT_PLACE(row) ((int)n_units - (int)first_point * POINT_DIGITS * DECIMAL + (int)(row) * ROW_PLACES)

/* character_at - a character's value; 0 before the first and behind the last. */
INLINE int character_at(__global const uchar *restrict text, uint n_units, int i)
{
    const int c = text[min((uint)max(i, 0), n_units - 1)] - '0';
    return i >= 0 && i < (int)n_units ? c : 0;
}

INLINE digit digit_at(__global const uchar *restrict text, uint n_units, int end)
{
    digit raw = 0, power = 1;
    UNROLL for (int i = 1; i <= DECIMAL; i++)
    {
        raw += power * character_at(text, n_units, end - i);
        power *= 10;
    }
    return raw + (character_at(text, n_units, end) >= 5) - (2 * raw >= power ? power : 0);
}
/* DIGIT - of the group's first operand, or of its second one, whose last digit ends at another place. */
#define DIGIT(operand, place)                                                                                                   \
    digit_at((operand) ? b : units, (operand) ? size.b_units : n_units, (place) + ((operand) ? more_units : 0))
#define NEXT_DIGIT(place) DIGIT(0, (place) - DECIMAL)

#define STAGED_WORDS 0
#else
typedef uint source_unit;

/*
 * The digits of a row begin with the bit below the first one; those of a row are a whole number of words, so that all rows
 * begin at the same bit of a word.  A group's words go through local memory: each is read once for all of its digits.
 */
#define FIRST_BIT(point) ((int)((point) * (POINT_DIGITS * DIGIT_BITS)) - 1)
#define ROW_WORDS        ((COLUMNS * POINT_DIGITS * DIGIT_BITS + 63) / 32)
#define OPERAND_WORDS    (OPERAND_ROWS * ROW_WORDS)
#define STAGED_WORDS     (GROUP_OPERANDS * OPERAND_WORDS)
#define STAGED_ROUNDS    ((OPERAND_WORDS + GROUP_ITEMS - 1) / GROUP_ITEMS)

/* bits_digit - the digit made of bits shift .. shift + l of two words, or three. */
INLINE digit bits_digit(__local const uint *words, uint shift)
{
#if DOUBLE_DOUBLE
    const ulong low = (ulong)words[1] << 32 | words[0], high = (ulong)words[2] << 32;
    const ulong bits = low >> shift | high << (32 - shift);
    return (((long)(bits << (63 - DIGIT_BITS)) >> (63 - DIGIT_BITS)) + 1) >> 1;
#else
    const uint bits = (uint)(((ulong)words[1] << 32 | words[0]) >> shift);
    return (((int)(bits << (31 - DIGIT_BITS)) >> (31 - DIGIT_BITS)) + 1) >> 1;
#endif
}

/*
 * words_stage - the words of all rows of an operand, from word first_word of row 0 on; those below the first and behind the last
 * are zero.
 * No branch, and all loads before the first store: they run side by side.
 */
INLINE void words_stage(__local uint *staged, __global const uint *restrict words, uint n_units, uint first_word, uint row_words,
                        uint t)
{
    uint word[STAGED_ROUNDS], loaded[STAGED_ROUNDS];
    UNROLL for (int k = 0; k < STAGED_ROUNDS; k++)
    {
        const uint i = t + k * GROUP_ITEMS, row = i / ROW_WORDS;
        word[k] = first_word + row * row_words + (i - row * ROW_WORDS);
        loaded[k] = words[min(word[k], n_units - 1)];
    }
    UNROLL for (int k = 0; k < STAGED_ROUNDS; k++)
    {
        const uint i = t + k * GROUP_ITEMS;
        if (OPERAND_WORDS % GROUP_ITEMS == 0 || i < OPERAND_WORDS)
            staged[i] = word[k] < n_units ? loaded[k] : 0u;
    }
}

/* The last word of a row's last digit may be the next row's: then none of its bits is used. */
typedef uint digit_place;
#define ROW_PLACES       ROW_WORDS
#define DIGIT_PLACE(row) ((row) * ROW_WORDS + at_word)
#define DIGIT(operand, place) bits_digit(staged + (operand) * OPERAND_WORDS + (place), shift)
#define NEXT_DIGIT(place)     bits_digit(staged + (place) + (shift + DIGIT_BITS) / 32, (shift + DIGIT_BITS) % 32)
#endif

__kernel FIXED_GROUP_SIZE
void source_to_columns_fused(__global const source_unit *restrict a, __global point *restrict x,
                             __global const source_unit *restrict b, __global point *restrict y,
                             __global const twiddle *restrict table, __global uint *status, const struct source_arguments size)
{
#define LOCAL_SUMS   (2 * GROUP_ITEMS * 8 / sizeof(exchanged))
#define LOCAL_STAGED ((STAGED_WORDS + 2) * 4 / sizeof(exchanged) + 1)
    __local exchanged local_slots[MAX_OF(EXCHANGE_SLOTS, MAX_OF(LOCAL_SUMS, LOCAL_STAGED))] __attribute__((aligned(16)));
    const uint t = get_local_id(0), column = t % COLUMNS, u = t / COLUMNS, operand = get_global_id(1);
    const uint first_point = (uint)get_global_id(0) / GROUP_ITEMS * COLUMNS + column;
    __global const source_unit *restrict units = operand ? b : a;
    const uint n_units = operand ? size.b_units : size.a_units, n_columns = size.n_columns;
    __global point *restrict out = (operand ? y : x) + first_point;

#if !DECIMAL
    __local uint *staged = (__local uint *)local_slots;
    const uint first_word = (uint)(FIRST_BIT(first_point - column) >> 5);
    const uint at_word = (uint)(FIRST_BIT(first_point) >> 5) - first_word, shift = (uint)FIRST_BIT(first_point) & 31;
    words_stage(staged, units, n_units, first_word, n_columns / 32 * (POINT_DIGITS * DIGIT_BITS), t);
#if GROUP_OPERANDS == 2
    words_stage(staged + OPERAND_WORDS, b, size.b_units, first_word, n_columns / 32 * DIGIT_BITS, t);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    const int more_units = (int)size.b_units - (int)n_units;
#endif

    /* sums of d^2 by the bits set in s, the part of a row's number that is a constant for each load */
    item_sum class_sum[GROUP_OPERANDS][5];
    item_sum weighted[GROUP_OPERANDS];
    UNROLL for (int i = 0; i < GROUP_OPERANDS; i++)
    {
        UNROLL for (int k = 0; k < 5; k++) class_sum[i][k] = 0;
        weighted[i] = 0;
    }
    point value[ITEM_VALUES];
    UNROLL for (int g = 0; g < ROUNDS(0); g++)
    {
        const uint butterfly = u + g * ITEMS;
        if (IS_EVEN(0) || butterfly < POINTS / R0) {
            item_sum round_sum[GROUP_OPERANDS];
            UNROLL for (int i = 0; i < GROUP_OPERANDS; i++) round_sum[i] = 0;
            const digit_place first_place = DIGIT_PLACE(value_slot(butterfly, 0, 0));
            UNROLL for (int s = 0; s < R0; s++)
            {
                digit_place place = first_place + (digit_place)(SLOTS_ADDED(s) * ROW_PLACES); /* of value_slot(butterfly, s, 0) */
                if (SLOTS_WRAP(butterfly, s))
                    place -= (digit_place)(POINTS * ROW_PLACES);
                const int at = g * R0 + s;
                value[at] = POINT(0.0, 0.0);
                if (LOWER_ROWS && s >= (R0 + 1) / 2)
                    continue;
                const digit d = DIGIT(0, place);
                digit e = 0;
                item_sum square[GROUP_OPERANDS];
                square[0] = norm_square(d);
#if GROUP_OPERANDS == 2
                e = DIGIT(1, place);
                square[1] = norm_square(e);
                value[at] = POINT((fp)d, (fp)e * as_double((ulong)(1023 + size.weight_log2) << 52));
#else
                if (UPPER_DIGITS || ONE_FOR_HALF) {
                    e = ONE_FOR_HALF ? NEXT_DIGIT(place) : DIGIT(0, place + (digit_place)(POINTS * ROW_PLACES));
                    square[0] += norm_square(e);
                }
                value[at] = POINT((fp)d, (fp)e);
#endif
                UNROLL for (int i = 0; i < GROUP_OPERANDS; i++)
                {
                    if (ROUNDS(0) > 1)
                        round_sum[i] += square[i];
                    class_sum[i][SET_BITS(s)] += square[i];
                }
            }
            if (ROUNDS(0) > 1) {
                UNROLL for (int i = 0; i < GROUP_OPERANDS; i++) weighted[i] += round_sum[i] * popcount(LOW_ROW(butterfly));
            }
        }
    }
#if !DECIMAL
    barrier(CLK_LOCAL_MEM_FENCE); /* before the exchanges write there */
#endif
    transform_forward(value, local_slots, table, table, u, column, KNOWN);
    FOR_VALUES(LAST_STAGE, out[(size_t)slot * n_columns] = value[at];)

    UNROLL for (int i = 0; i < GROUP_OPERANDS; i++)
    {
        const item_sum *c = class_sum[i], squares = c[0] + c[1] + c[2] + c[3] + c[4];
        item_sum all = weighted[i] + c[1] + 2 * c[2] + 3 * c[3] + 4 * c[4];
        all += squares * (ROUNDS(0) > 1 ? popcount(first_point) : popcount(first_point) + popcount(LOW_ROW(u)));
        if (i > 0)
            barrier(CLK_LOCAL_MEM_FENCE); /* the sums of the other operand have been read */
        status_add_norms(status, GROUP_OPERANDS == 2 ? (uint)i : operand, squares, all, (__local ulong *)local_slots, t,
                         GROUP_ITEMS);
    }
}
