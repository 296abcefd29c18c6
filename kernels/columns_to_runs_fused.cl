/*
 * columns_to_runs_fused.cl - the last inverse pass over columns, rounding to integers, and the carry within runs of digits.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    columns_inverse from the root, digits_round, and the carry of each run of COLUMNS digits.
 * The COLUMNS points of a row that a group has are a run of COLUMNS digits in each half, z_j (real parts) and z_(j+n) (imaginary
 * parts).  Two-for-one has one half, and imaginary parts are rounding errors alone.  One-for-half has one half, too: both parts
 * are neighbours, z_2j and z_(2j+1), and the points are two runs, one behind the other.  A run is carried by one item and left as
 * COLUMNS * DIGIT_BITS bits in RUN_WORDS words and a signed carry; scattered writes to their final place would cost more than the
 * transform, so runs_to_limbs.cl or runs_to_text.cl brings them there.
 *
 * ND-range:  n_columns / COLUMNS groups of GROUP_ITEMS items.
 *   x          in   n points
 *   table      in   the root's twiddles
 *   n_columns  in   a multiple of COLUMNS
 *   scale      in   1 / n; two-for-one: times what undoes the weight of b's digits
 *   runs       out  [group][half, or run][row / TILE_ROWS][word of the run][row % TILE_ROWS] words of 32 bits: what the next
 *                   kernel reads at a time lies together
 *   carries    out  [group][half, or run][row]: carry out of the run, |carry| < 2^51 (DOUBLE_DOUBLE: 2^62)
 *   status     i/o  the largest |x / n - integer| and |integer| are raised here (status.cl)
 * Local:     the larger of EXCHANGE_SLOTS doubles or points, and POINTS (COLUMNS + 1) words of 64 (128) bits, or twice as many.
 * Barriers:  those of the exchanges, and 6; 4 where the digits of both runs are there at once, or those of one are all.
 * Tunables:  those of fft_stages.cl; DIGIT_BITS (of a digit in a run: l, or the bits of 10^DECIMAL - 1); DECIMAL (0: base
 *            2^l, else 10^DECIMAL); TILE_ROWS (divides POINTS).
 */
#include "fft_stages.cl"
#include "status.cl"
#include "digit_carry.cl"

#define RUN_BITS     (COLUMNS * DIGIT_BITS)
#define RUN_WORDS    ((RUN_BITS + 31) / 32)
#define RUN_PLACES   (RUNS_AT_ONCE * POINTS * (COLUMNS + 1) * sizeof(coefficient) / sizeof(exchanged))
/* Runs of a row that a group has.  If whole points of doubles are exchanged, there is room for the digits of both. */
#define ROW_RUNS     (TWO_FOR_ONE ? 1 : 2)
#define RUNS_AT_ONCE (SPLIT_EXCHANGE || DOUBLE_DOUBLE || ROW_RUNS == 1 ? 1 : 2)
/* Parts of a point that are rounded at once, and from the place of one to that of the next. */
#define PARTS_AT_ONCE (ONE_FOR_HALF ? 2 : RUNS_AT_ONCE)
#define PART_PLACES   (ONE_FOR_HALF ? 1 : POINTS * (COLUMNS + 1))
/* Adding ROUND_MAGIC, 1.5 2^52, rounds to an integer, which is in the bits, above ROUND_BITS. */
#define ROUND_MAGIC    6755399441055744.0
#define ROUND_BITS     0x4338000000000000L
#define AS_INTEGER(x)  as_long(x)

#if DOUBLE_DOUBLE
#define COEFFICIENT(first, rest) coefficient_from((dd)(first, rest))
#else
typedef long coefficient;
#define COEFFICIENT(first, rest) ((long)(first) + (long)(rest))

INLINE long coefficient_carry(coefficient v, long carry, ulong *digit)
{
    v += carry;
    carry = digit_carry(v);
    *digit = (ulong)(v - carry * DIGIT_BASE);
    return carry;
}
#endif

/* round_part - the integer next to v scale; its distance from it, and the integer as a double. */
#if DOUBLE_DOUBLE
INLINE coefficient round_part(real v, real scale, fp *error, fp *integer)
{
    const dd x = dd_mul(v, scale);
    const fp first = rint(x.x), between = (x.x - first) + x.y, rest = rint(between); /* exact; one rounding below 2^-54 */
    *error = between - rest;
    *integer = first + rest;
    return COEFFICIENT(first, rest);
}

INLINE real point_part(point p, int upper)
{
    return upper ? p.zw : p.xy;
}
#else
INLINE coefficient round_part(real v, real scale, fp *error, fp *integer)
{
    const fp shifted = fma(v, scale, ROUND_MAGIC);
    *integer = shifted - ROUND_MAGIC;
    *error = fma(v, scale, -*integer);
    return AS_INTEGER(shifted) - ROUND_BITS;
}

INLINE real point_part(point p, int upper)
{
    return upper ? p.y : p.x;
}
#endif

/* carry_run - a run of digits into bits.   words: RUN_WORDS, TILE_ROWS words from one to the next.   Returns the carry. */
INLINE long carry_run(__local const coefficient *digits, __global uint *words)
{
    long carry = 0;
    ulong bits = 0;
    int fill = 0, word = 0;
    UNROLL for (int k = 0; k < COLUMNS; k++)
    {
        ulong digit;
        const int before = fill;
        carry = coefficient_carry(digits[k], carry, &digit);
        bits |= digit << fill;
        fill += DIGIT_BITS;
        if (fill >= 32) {
            words[word++ * TILE_ROWS] = (uint)bits;
            bits = digit >> (32 - before);
            fill -= 32;
        }
        if (fill >= 32) { /* digits of more than 32 bits */
            words[word++ * TILE_ROWS] = (uint)bits;
            bits >>= 32;
            fill -= 32;
        }
    }
    if (fill > 0)
        words[word * TILE_ROWS] = (uint)bits;
    return carry;
}

__kernel FIXED_GROUP_SIZE
void columns_to_runs_fused(__global const point *restrict x, __global const twiddle *restrict table, uint n_columns, real scale,
                           __global uint *restrict runs, __global long *restrict carries, __global uint *status)
{
    __local exchanged local_slots[EXCHANGE_SLOTS > RUN_PLACES ? EXCHANGE_SLOTS : RUN_PLACES] __attribute__((aligned(16)));
    const uint t = get_local_id(0), column = t % COLUMNS, u = t / COLUMNS, group = get_group_id(0);
    __global const point *restrict p = x + (group * COLUMNS + column);
    __local coefficient *digits = (__local coefficient *)local_slots;

    point value[ITEM_VALUES];
    FOR_VALUES(LAST_STAGE, value[at] = p[(size_t)slot * n_columns];)
    transform_inverse(value, local_slots, table, table, u, column);

    const uint own_run = POINT_DIGITS * column / COLUMNS; /* one-for-half: where both parts are */
    const uint own_place = POINT_DIGITS * column % COLUMNS + (RUNS_AT_ONCE == 2 ? own_run * (POINTS * (COLUMNS + 1)) : 0);
    uint error = 0, largest = 0;
    UNROLL for (int first = 0; first < ROW_RUNS; first += RUNS_AT_ONCE) /* nobody reads what the exchanges left */
    {
        const bool here = PARTS_AT_ONCE == RUNS_AT_ONCE || own_run == (uint)first;
        UNROLL for (int g = 0; g < ROUNDS(0); g++)
        {
            const uint butterfly = u + g * ITEMS;
            if ((IS_EVEN(0) || butterfly < POINTS / R0) && here) {
                const int first_place = (int)(value_slot(butterfly, 0, 0) * (COLUMNS + 1) + own_place);
                UNROLL for (int s = 0; s < R0; s++)
                {
                    const int from = SLOTS_WRAP(butterfly, s) ? first_place - POINTS * (COLUMNS + 1) : first_place;
                    UNROLL for (int i = 0; i < PARTS_AT_ONCE; i++)
                    {
                        fp distance, integer;
                        digits[from + SLOTS_ADDED(s) * (COLUMNS + 1) + i * PART_PLACES] = round_part(
                            point_part(value[g * R0 + s], ONE_FOR_HALF ? i : first + i), scale, &distance, &integer);
                        error = max(error, upper_bits(distance));
                        largest = max(largest, upper_bits(integer));
                    }
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint row = t; row < POINTS; row += GROUP_ITEMS) {
            UNROLL for (int i = 0; i < RUNS_AT_ONCE; i++)
            {
                const size_t first_run = (size_t)(group * ROW_RUNS + first + i) * POINTS;
                carries[first_run + row] =
                    carry_run(digits + (i * POINTS + row) * (COLUMNS + 1),
                              runs + (first_run + row / TILE_ROWS * TILE_ROWS) * RUN_WORDS + row % TILE_ROWS);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    status_raise(status, error, largest, (__local uint *)local_slots, t, GROUP_ITEMS);
}
