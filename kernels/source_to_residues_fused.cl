/*
 * source_to_residues_fused.cl - limbs into digits modulo each prime, and the first forward pass over columns.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    digits cut from limbs, each modulo the prime and times s (residue_passes.cl), then residues_forward from the root.
 * A digit is DIGIT_BITS bits, not balanced; digit j is point j, of n = POINTS n_columns.  Groups that take the same digits,
 * for one prime each, stand side by side, so that the words come from memory once.
 *
 * ND-range:  dimension 0: N_PRIMES n_columns / COLUMNS groups of GROUP_ITEMS items, the primes of some columns side by side; 1:
 *            the operands, 1 or 2, of 1 item.  Or a part of that, by an offset: some columns of one operand.
 *   a, b       in   the operands, size.a_units and size.b_units words of 32 bits, least significant first
 *   x, y       out  n residues for each prime
 *   tables     in   see residue_passes.cl
 *   size       in   arguments.h; n_columns is a multiple of COLUMNS and of 32
 * Local:     4 SLOTS bytes.   Barriers: those of the exchanges.   Tunables: those of residue_passes.cl; DIGIT_BITS, 32 .. 80;
 * HALVES (1: an operand has n / 2 digits at most, 2: up to n).
 */
#include "arguments.h"
#include "residue_passes.cl"

#define DIGIT_WORDS ((DIGIT_BITS + 31) / 32)
#define DIGIT_STEP  (DIGIT_BITS & -DIGIT_BITS) /* digits begin at multiples of it, up to a word's bits */
#define LOAD_WORDS  (DIGIT_STEP >= 32 ? DIGIT_WORDS : (DIGIT_BITS + 63 - DIGIT_STEP) / 32) /* that a digit may have a part in */

/* word_at - a word of the operand, 0 behind its end. */
INLINE uint word_at(__global const uint *restrict words, uint n_words, uint i)
{
    const uint word = words[min(i, n_words - 1)];
    return i < n_words ? word : 0;
}

/* words_load - the words of a digit.   Those of 64 bits begin at even places. */
INLINE void words_load(uint *w, __global const uint *restrict from)
{
#if DIGIT_BITS == 64
    const uint2 pair = *(__global const uint2 *)from;
    w[0] = pair.x;
    w[1] = pair.y;
#else
    UNROLL for (int k = 0; k < LOAD_WORDS; k++) w[k] = from[k];
#endif
}

/* Values whose digits are loaded at once, before any is computed: as many as registers have room for. */
#define BATCH (16 / HALVES < ITEM_VALUES ? 16 / HALVES : ITEM_VALUES)

/* digit_residue - a digit, times s, modulo p: it begins `shift` bits behind the first of its words. */
INLINE uint digit_residue(const uint *w, uint shift, __global const uint *restrict constants, modulus p)
{
    ulong sum = 0;
    UNROLL for (int k = 0; k < DIGIT_WORDS; k++)
    {
        uint word = w[k];
        if (DIGIT_STEP < 32)
            word = (uint)(((ulong)(k + 1 < LOAD_WORDS ? w[k + 1] : 0) << 32 | word) >> shift);
        if (DIGIT_BITS % 32 != 0 && k == DIGIT_WORDS - 1)
            word &= (1u << DIGIT_BITS % 32) - 1;
        sum += (ulong)word * constants[RESIDUE_DIGIT + k];
    }
    /* sum < (2^33 + 2^16) p, its upper word below 2 p + 2^16; doc/error-bound.md, section 22.2 */
    const uint high = (uint)(sum >> 32), take = mul_hi((uint)sum * constants[RESIDUE_P_INVERSE], p.prime);
    return LAZY ? residue_above(high - take - p.prime, p) : residue_sub(residue_once(residue_once(high, p), p), take, p);
}

__kernel FIXED_GROUP_SIZE
void source_to_residues_fused(__global const uint *restrict a, __global uint *restrict x, __global const uint *restrict b,
                              __global uint *restrict y, __global const factor *restrict tables, uint4 layout,
                              const struct source_arguments size)
{
    __local uint slots[SLOTS] __attribute__((aligned(16)));
    const uint t = get_local_id(0), column = t % COLUMNS, u = t / COLUMNS, operand = get_global_id(1);
    const uint group = get_group_id(0) + (uint)get_global_offset(0) / GROUP_ITEMS, prime = group % N_PRIMES;
    const uint tile = group / N_PRIMES * COLUMNS, first = tile + column;
    __global const uint *restrict words = operand ? b : a;
    const uint n_words = operand ? size.b_units : size.a_units, n_columns = size.n_columns;
    __global const factor *restrict own = tables + (size_t)prime * layout.x;
    __global const uint *restrict constants = (__global const uint *)own;
    const modulus p = modulus_of(prime);
    __global uint *restrict out = (operand ? y : x) + (size_t)prime * POINTS * n_columns + tile +
                                 (FIRST_ROW(UNIT(t, LAST_STAGE), LAST_STAGE) * n_columns + FIRST_COLUMN(t, LAST_STAGE));

    uint value[ITEM_VALUES];
    const uint digit = FIRST_ROW(u, 0) * n_columns + first;
    const uint bit = digit % 32 * DIGIT_BITS, from = digit / 32 * DIGIT_BITS + bit / 32, row_words = n_columns / 32 * DIGIT_BITS;
    /* Digits behind the last whole one are loaded as that one, and are zero: one of them may have to be made again. */
    const bool any = n_words >= LOAD_WORDS;
    const uint last = any ? (n_words - LOAD_WORDS) & (DIGIT_BITS == 64 ? ~1u : ~0u) : 0;
    __global const uint *restrict whole = any ? words : constants;
    UNROLL for (int first_value = 0; first_value < ITEM_VALUES; first_value += BATCH)
    {
        uint w[BATCH][LOAD_WORDS];
        UNROLL for (int i = 0; i < BATCH; i++)
        {
            if (HALVES == 2 || (first_value + i) % R0 < R0 / 2)
                words_load(w[i], whole + min(from + ADDED_ROWS(first_value + i, 0) * row_words, last));
        }
        UNROLL for (int i = 0; i < BATCH; i++)
        {
            const int at = first_value + i;
            if (HALVES == 2 || at % R0 < R0 / 2) {
                const uint residue = digit_residue(w[i], bit % 32, constants, p);
                value[at] = from + ADDED_ROWS(at, 0) * row_words <= last ? residue : 0;
            }
        }
    }
    const uint row = from < n_words ? (n_words - 1 - from) / row_words : 0, end = from + row * row_words;
    if (end < n_words && end + LOAD_WORDS > n_words) { /* a part of a digit: in the items of one column */
        uint w[LOAD_WORDS];
        UNROLL for (int k = 0; k < LOAD_WORDS; k++) w[k] = word_at(words, n_words, end + k);
        const uint residue = digit_residue(w, bit % 32, constants, p);
        UNROLL for (int at = 0; at < ITEM_VALUES; at++)
        {
            if ((HALVES == 2 || at % R0 < R0 / 2) && ADDED_ROWS(at, 0) == row)
                value[at] = residue;
        }
    }
    pass_forward(value, slots, own + RESIDUE_CONSTANTS, t, p, SPLIT(0, HALVES == 1 ? 2 : 1, 1));
    columns_put(out, value, n_columns);
}
