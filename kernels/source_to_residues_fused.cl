/*
 * source_to_residues_fused.cl - limbs into digits modulo each prime, and the first forward pass over columns.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    digits cut from limbs, each modulo the prime and times s (residue_passes.cl), then residues_forward from the root.
 * A digit is HALFWORDS * 16 bits, not balanced; digit j is point j, of n = POINTS n_columns.  Groups that take the same digits,
 * for one prime each, stand side by side, so that the words come from memory once.
 *
 * ND-range:  dimension 0: N_PRIMES n_columns / COLUMNS groups of GROUP_ITEMS items, the primes of some columns side by side; 1:
 *            the operands, 1 or 2, of 1 item.  Or a part of that, by an offset: some columns of one operand.
 *   a, b       in   the operands, a_words and b_words words of 32 bits, least significant first
 *   x, y       out  n residues for each prime
 *   tables     in   see residue_passes.cl
 *   n_columns  in   a multiple of COLUMNS and of 4
 * Local:     4 SLOTS bytes.   Barriers: those of the exchanges.   Tunables: those of residue_passes.cl; HALFWORDS, 2 .. 5;
 * HALVES (1: an operand has n / 2 digits at most, 2: up to n).
 */
#include "residue_passes.cl"

#define DIGIT_WORDS ((HALFWORDS + 1) / 2) /* that a digit may have a part in */

/* word_at - a word of the operand, 0 behind its end. */
INLINE uint word_at(__global const uint *restrict words, uint n_words, uint i)
{
    const uint word = words[min(i, n_words - 1)];
    return i < n_words ? word : 0;
}

/* digit_load - the words of a digit that does not end behind the operand. */
INLINE void digit_load(uint *w, __global const uint *restrict words)
{
#if HALFWORDS == 4
    const uint2 both = *(__global const uint2 *)words;
    w[0] = both.x;
    w[1] = both.y;
#else
    UNROLL for (int k = 0; k < DIGIT_WORDS; k++) w[k] = words[k];
#endif
}

/* Values whose digits are loaded at once, before any is computed: as many as registers have room for. */
#define BATCH (16 / HALVES < ITEM_VALUES ? 16 / HALVES : ITEM_VALUES)

/* The last row that an item takes a digit of is this one after its first: the digits behind are zero. */
#define LAST_ROW ADDED_ROWS(HALVES == 2 ? ITEM_VALUES - 1 : ITEM_VALUES - 1 - R0 / 2, 0)

/* What digits at even and at odd places are multiplied by: their first bits are the lower or the upper half of a word. */
struct digit_rule {
    uint shift, mask;        /* of the first word; of the last one */
    uint worth[DIGIT_WORDS]; /* of the words modulo p */
};

INLINE struct digit_rule digit_rule_of(uint odd, __global const uint *restrict constants)
{
    struct digit_rule r = {0, HALFWORDS % 2 ? 0xffff : 0xffffffff, {constants[RESIDUE_DIGIT]}};
    UNROLL for (int k = 1; k < DIGIT_WORDS; k++) r.worth[k] = constants[RESIDUE_DIGIT + 2 * k];
    if (HALFWORDS % 2 && odd) {
        r.shift = 16;
        r.mask = 0xffffffff;
        UNROLL for (int k = 1; k < DIGIT_WORDS; k++) r.worth[k] = constants[RESIDUE_DIGIT + 2 * k - 1];
    }
    return r;
}

/* digit_residue - a digit, times s, modulo p.   w: its words */
INLINE uint digit_residue(const uint *w, const struct digit_rule *r, uint inverse, uint p)
{
    ulong sum = (ulong)(w[0] >> r->shift) * r->worth[0];
    UNROLL for (int k = 1; k < DIGIT_WORDS; k++)
        sum += (ulong)(HALFWORDS % 2 && k == DIGIT_WORDS - 1 ? w[k] & r->mask : w[k]) * r->worth[k];
    /* sum < (2^33 + 2^16) p, its upper word below 2 p + 2^16; doc/error-bound.md, section 22.2 */
    const uint high = residue_once(residue_once((uint)(sum >> 32), p), p);
    return residue_sub(high, mul_hi((uint)sum * inverse, p), p);
}

__kernel FIXED_GROUP_SIZE
void source_to_residues_fused(__global const uint *restrict a, uint a_words, __global uint *restrict x,
                              __global const uint *restrict b, uint b_words, __global uint *restrict y,
                              __global const factor *restrict tables, uint4 layout, uint n_columns)
{
    __local uint slots[SLOTS] __attribute__((aligned(16)));
    const uint t = get_local_id(0), column = t % COLUMNS, u = t / COLUMNS, operand = get_global_id(1);
    const uint group = (uint)get_global_id(0) / GROUP_ITEMS, prime = group % N_PRIMES; /* an offset of the range counts */
    const uint tile = group / N_PRIMES * COLUMNS, first = tile + column;
    __global const uint *restrict words = operand ? b : a;
    const uint n_words = operand ? b_words : a_words;
    __global const factor *restrict own = tables + (size_t)prime * layout.x;
    __global const uint *restrict constants = (__global const uint *)own;
    const uint p = constants[RESIDUE_P];
    __global uint *restrict out = (operand ? y : x) + (size_t)prime * POINTS * n_columns + tile +
                                 (FIRST_ROW(UNIT(t, LAST_STAGE), LAST_STAGE) * n_columns + FIRST_COLUMN(t, LAST_STAGE));

    uint value[ITEM_VALUES];
    const uint digit = FIRST_ROW(u, 0) * n_columns + first;
    const uint from = HALFWORDS * digit / 2, row_words = HALFWORDS * (n_columns / 2);
    const struct digit_rule rule = digit_rule_of(digit & 1, constants);
    const uint inverse = constants[RESIDUE_P_INVERSE];
    const bool inside = from + LAST_ROW * row_words + DIGIT_WORDS < n_words; /* no digit ends behind the operand */
    UNROLL for (int first_value = 0; first_value < ITEM_VALUES; first_value += BATCH)
    {
        uint w[BATCH][DIGIT_WORDS];
        if (inside) {
            UNROLL for (int i = 0; i < BATCH; i++)
            {
                const int at = first_value + i;
                if (HALVES == 2 || at % R0 < R0 / 2)
                    digit_load(w[i], words + from + ADDED_ROWS(at, 0) * row_words);
            }
        } else {
            UNROLL for (int i = 0; i < BATCH; i++)
            {
                const int at = first_value + i;
                UNROLL for (int k = 0; k < DIGIT_WORDS; k++)
                    if (HALVES == 2 || at % R0 < R0 / 2)
                        w[i][k] = word_at(words, n_words, from + ADDED_ROWS(at, 0) * row_words + k);
            }
        }
        UNROLL for (int i = 0; i < BATCH; i++)
        {
            const int at = first_value + i;
            if (HALVES == 2 || at % R0 < R0 / 2)
                value[at] = digit_residue(w[i], &rule, inverse, p);
        }
    }
    pass_forward(value, slots, own + RESIDUE_CONSTANTS, 0, t, p, HALVES == 1 ? 2 : 1, 1);
    columns_put(out, value, n_columns);
}
