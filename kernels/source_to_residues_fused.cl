/*
 * source_to_residues_fused.cl - limbs into digits modulo each prime, and the first forward pass over columns.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    digits cut from limbs, each reduced modulo the prime, then residues_forward from the root.
 * A digit is HALFWORDS * 16 bits, not balanced; digit j is point j, of n = POINTS n_columns.  Groups that take the same digits,
 * for one prime each, stand side by side, so that the words come from memory once.
 *
 * ND-range:  dimension 0: N_PRIMES n_columns / COLUMNS groups of GROUP_ITEMS items, the primes of some columns side by side; 1:
 *            the operands, 1 or 2, of 1 item.  Or a part of that, by an offset: some columns of one operand.
 *   a, b       in   the operands, a_words and b_words words of 32 bits, least significant first
 *   x, y       out  n residues for each prime
 *   tables     in   see residue_passes.cl
 *   n_columns  in   a multiple of COLUMNS
 * Local:     4 SLOTS bytes.   Barriers: those of the exchanges.   Tunables: those of residue_passes.cl; HALFWORDS, 2 .. 5;
 * HALVES (1: an operand has n / 2 digits at most, 2: up to n).
 */
#include "residue_passes.cl"

/* word_at - a word of the operand, 0 behind its end. */
INLINE uint word_at(__global const uint *restrict words, uint n_words, uint i)
{
    const uint word = words[min(i, n_words - 1)];
    return i < n_words ? word : 0;
}

/* digit_residue - digit j modulo p. */
INLINE uint digit_residue(__global const uint *restrict words, uint n_words, uint j, __global const uint *restrict constants,
                          uint p)
{
    const factor one = (factor)(constants[RESIDUE_ONE], constants[RESIDUE_ONE + 1]);
    const factor second = (factor)(constants[RESIDUE_2_32], constants[RESIDUE_2_32 + 1]);
    const uint first = HALFWORDS * j / 2, shift = HALFWORDS % 2 ? 16 * (j & 1) : 0;
    const uint w0 = word_at(words, n_words, first);
#if HALFWORDS == 2
    return residue_mul(w0, one, p);
#else
    const uint w1 = word_at(words, n_words, first + 1);
    const ulong low = ((ulong)w1 << 32 | w0) >> shift; /* HALFWORDS == 3: of the two words, all that is needed */
#if HALFWORDS == 3
    return residue_add(residue_mul((uint)low, one, p), residue_mul((uint)(low >> 32) & 0xffff, second, p), p);
#elif HALFWORDS == 4
    return residue_add(residue_mul(w0, one, p), residue_mul(w1, second, p), p);
#else
    const factor third = (factor)(constants[RESIDUE_2_64], constants[RESIDUE_2_64 + 1]);
    const uint w2 = word_at(words, n_words, first + 2), middle = (uint)(((ulong)w2 << 32 | w1) >> shift);
    const uint sum = residue_add(residue_mul((uint)low, one, p), residue_mul(middle, second, p), p);
    return residue_add(sum, residue_mul(w2 >> shift & 0xffff, third, p), p);
#endif
#endif
}

__kernel FIXED_GROUP_SIZE
void source_to_residues_fused(__global const uint *restrict a, uint a_words, __global uint *restrict x,
                              __global const uint *restrict b, uint b_words, __global uint *restrict y,
                              __global const factor *restrict tables, uint4 layout, uint n_columns)
{
    __local uint slots[SLOTS];
    const uint t = get_local_id(0), column = t % COLUMNS, u = t / COLUMNS, operand = get_global_id(1);
    const uint group = (uint)get_global_id(0) / GROUP_ITEMS, prime = group % N_PRIMES; /* an offset of the range counts */
    const uint first = group / N_PRIMES * COLUMNS + column;
    __global const uint *restrict words = operand ? b : a;
    const uint n_words = operand ? b_words : a_words;
    __global const factor *restrict own = tables + (size_t)prime * layout.x;
    __global const uint *restrict constants = (__global const uint *)own;
    const uint p = constants[RESIDUE_P];
    __global uint *restrict out = (operand ? y : x) + (size_t)prime * POINTS * n_columns + first +
                                 FIRST_ROW(u, LAST_STAGE) * n_columns;

    uint value[ITEM_VALUES];
    const uint digit = FIRST_ROW(u, 0) * n_columns + first;
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
        if (HALVES == 2 || at % R0 < R0 / 2)
            value[at] = digit_residue(words, n_words, digit + ADDED_ROWS(at, 0) * n_columns, constants, p);
    pass_forward(value, slots, own + RESIDUE_CONSTANTS, 0, u, column, p, HALVES == 1 ? 2 : 1, 1);
    UNROLL for (int at = 0; at < ITEM_VALUES; at++) out[ADDED_ROWS(at, LAST_STAGE) * n_columns] = value[at];
}
