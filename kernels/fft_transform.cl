/*
 * fft_transform.cl - the plain transform: one pass over global memory, columns of POINTS points in registers.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A transform of n = L_1 L_2 .. L_P points has P passes.  With the indices j = (j_1 .. j_P), j_1 most significant, and
 * k = (k_P .. k_1), k_1 least significant, pass i sums over j_i, after a twiddle e(-(k_1 + L_1 k_2 + ..) j_i / (L_1 .. L_i)), and
 * has k_i in its place:
 *
 *     before pass 1   j_1 j_2 .. j_P
 *     pass 1          j_P .. j_3 j_2 k_1        KIND_FIRST: reads runs of COLUMNS points, writes runs of L_1; to other memory
 *     pass 2          j_P .. j_3 k_2 k_1        KIND_COLUMNS: reads and writes runs of COLUMNS points in the same places
 *     pass P          k_P .. k_2 k_1            KIND_COLUMNS: the result in natural order; no pass does nothing but permute
 *
 * P = 1 is KIND_ROWS, several transforms a work-group.
 *
 * The permuted order needs no pass that is not in place: forwards k_i takes the place of j_i, backwards j_i that of k_i,
 *
 *     before pass 1   j_1 j_2 .. j_P             backwards: before pass 1   k_1 k_2 .. k_P
 *     pass 1          k_1 j_2 .. j_P             KIND_COLUMNS  (ROWS)       k_1 .. k_(P-1) j_P
 *     pass 2          k_1 k_2 j_3 .. j_P         KIND_COLUMNS               k_1 .. k_(P-2) j_(P-1) j_P
 *     pass P          k_1 k_2 .. k_P             KIND_ROWS     (COLUMNS)    j_1 j_2 .. j_P
 *
 * Forwards a pass's K belongs to a block of columns (FACTORS 2), k_1 its most significant digit; backwards to the column within
 * its stride (FACTORS 1), as in natural order.
 *
 * Within a pass, Stockham: stage i has radix R = RADIX(i) and stride s = BEFORE(i), the product of the radices before.
 * Butterfly b = q + s p, q < s, takes the slots b + r POINTS / R and puts X_k into slot q + s (R p + k).  An item has butterflies
 * u, u + ITEMS, ..; values wait in registers, and change places through local memory.  With S = L_1 .. L_(i-1) and
 * K = k_1 + L_1 k_2 + .. of the column, the twiddle before the pass and the one of the stage are one, e(-(K + S q) / (S s R)):
 * the product of a factor of the column and one of q, for each level of a butterfly; all multiplications are in butterflies.
 *
 * Backwards is forwards with real and imaginary parts exchanged at the first load and the last store.
 *
 * ND-range:  groups of ITEMS * COLUMNS, one for COLUMNS columns of the n_columns; they count over transforms of the batch.
 *   in, out   in/out  may be the same but for KIND_FIRST; a transform's points are in_dist, out_dist apart from the next one's
 *   stages    in      e(-q / (s R)) and so on, as fft_butterfly.cl has them, of stages 1 ..: stage after stage, [twiddle][q]
 *   low, high in      FACTORS: e(-K / (S s R)) and so on, of all stages, are products: stage after stage,
 *                     [twiddle][K % n_low] and [twiddle][K / n_low], n_low and n_high of them; PAIRS 0: high is not read
 *   scale     in      of the values stored
 *   of        in      arguments.h:
 *     per_transform      columns of one transform, n / POINTS
 *     stride             KIND_COLUMNS: from one point of a column to the next, S in natural order
 *     d2, d3, d4         KIND_FIRST: L_2, L_3, L_4.  FACTORS 2: L_2, L_3 as far as they are digits of K, else 1; L_1
 *     swap_in, swap_out  1: exchange parts
 * Tunables:  FFT_FLOAT, FFT_DD, KIND, FACTORS (0: K is 0), PAIRS, POINTS, ITEMS, COLUMNS, N_STAGES, R0 .. R4 (1 where unused),
 * SPLIT_EXCHANGE (1: real and imaginary parts one after the other through half the local memory).
 */
#include "arguments.h"
#include "fft_butterfly.cl"

#define KIND_ROWS    0
#define KIND_FIRST   1
#define KIND_COLUMNS 2

#if !defined(KIND) || !defined(FACTORS) || !defined(PAIRS) || !defined(POINTS) || !defined(ITEMS) || !defined(COLUMNS) ||       \
    !defined(N_STAGES) || !defined(SPLIT_EXCHANGE)
#error "fft_transform.cl: a tunable is missing"
#endif
#if R0 * R1 * R2 * R3 * R4 != POINTS
#error "fft_transform.cl: the radices do not make POINTS"
#endif

#define GROUP_ITEMS (ITEMS * COLUMNS)
#define RADIX(i)    ((i) == 0 ? R0 : (i) == 1 ? R1 : (i) == 2 ? R2 : (i) == 3 ? R3 : R4)
#define BEFORE(i)   ((i) == 0 ? 1 : (i) == 1 ? R0 : (i) == 2 ? R0 * R1 : (i) == 3 ? R0 * R1 * R2 : R0 * R1 * R2 * R3)
#define SPAN(i)     (POINTS / RADIX(i))
#define ROUNDS(i)   ((SPAN(i) + ITEMS - 1) / ITEMS)
#define IS_EVEN(i)  (SPAN(i) % ITEMS == 0) /* no item sits out */
#define LAST        (N_STAGES - 1)
#define TWIDDLES_MOST 6 /* radix 7 */

#define VALUES_OF(i) ((i) < N_STAGES ? ROUNDS(i) * RADIX(i) : 1)
#define MAX_OF(a, b) ((a) > (b) ? (a) : (b))
#define ITEM_VALUES  MAX_OF(MAX_OF(MAX_OF(VALUES_OF(0), VALUES_OF(1)), MAX_OF(VALUES_OF(2), VALUES_OF(3))), VALUES_OF(4))

/* Twiddles before those of stage i. */
#define STAGE_TWIDDLES(i) ((i) < 1 ? 0 : BEFORE(i) * TWIDDLES(RADIX(i)))
#define TWIDDLES_BEFORE(i)                                                                                                      \
    (((i) > 1 ? STAGE_TWIDDLES(1) : 0) + ((i) > 2 ? STAGE_TWIDDLES(2) : 0) + ((i) > 3 ? STAGE_TWIDDLES(3) : 0))
#define FACTORS_BEFORE(i)                                                                                                       \
    (((i) > 0 ? TWIDDLES(R0) : 0) + ((i) > 1 ? TWIDDLES(R1) : 0) + ((i) > 2 ? TWIDDLES(R2) : 0) + ((i) > 3 ? TWIDDLES(R3) : 0))

/*
 * Local memory.  BANK_VALUES exchanged values fill all banks once: a slot stays free behind so many, and columns are
 * COLUMN_SLOTS apart, so that neither neighbours in u nor neighbouring columns meet in a bank.
 */
#if SPLIT_EXCHANGE
typedef real exchanged;
#define BANK_VALUES (FFT_FLOAT ? 32 : FFT_DD ? 8 : 16)
#else
typedef point exchanged;
#define BANK_VALUES (FFT_FLOAT ? 16 : FFT_DD ? 4 : 8)
#endif
#define PLACE(slot) ((slot) + (slot) / BANK_VALUES)
/* PLACE(a + b) = PLACE(a) + PLACE(b) for the sums below, where POINTS is a power of two: a and b have no bit in common */
#if (POINTS & (POINTS - 1)) == 0
#define PLACE_SUM(a, b) (PLACE(a) + PLACE(b))
#else
#define PLACE_SUM(a, b) PLACE((a) + (b))
#endif
#define NEIGHBOURS   (KIND == KIND_ROWS ? ITEMS : BANK_VALUES / COLUMNS)
#define SPREAD       (NEIGHBOURS < 1 ? 1 : NEIGHBOURS >= BANK_VALUES ? 0 : NEIGHBOURS)
#define COLUMN_SLOTS ((PLACE(POINTS) + BANK_VALUES - 1) / BANK_VALUES * BANK_VALUES + SPREAD)

#define FOR_BUTTERFLIES(i, body)                                                                                                \
    UNROLL for (int g = 0; g < ROUNDS(i); g++)                                                                                  \
    {                                                                                                                           \
        const uint b = u + g * ITEMS;                                                                                           \
        if (IS_EVEN(i) || b < SPAN(i)) {                                                                                        \
            body                                                                                                                \
        }                                                                                                                       \
    }

/* exchange - the values from where stage i puts them, at item (u, column), to where stage i + 1 takes them. */
#define PUT(part)                                                                                                               \
    FOR_BUTTERFLIES(i, {                                                                                                        \
        const uint q = b % BEFORE(i);                                                                                           \
        const uint first = (b - q) * RADIX(i) + q;                                                                              \
        UNROLL for (int r = 0; r < RADIX(i); r++)                                                                               \
            slots[from + PLACE_SUM(first, dft_index(RADIX(i), r) * BEFORE(i))] = value[g * RADIX(i) + r] part;                  \
    })
#define TAKE(part)                                                                                                              \
    FOR_BUTTERFLIES(i + 1, {                                                                                                    \
        UNROLL for (int r = 0; r < RADIX(i + 1); r++)                                                                           \
            value[g * RADIX(i + 1) + r] part = slots[to + PLACE_SUM(b, r * SPAN(i + 1))];                                       \
    })
#define NOTHING
INLINE void exchange(point *value, __local exchanged *slots, const uint first_u, const uint column, const uint to_u,
                     const uint to_column, const int i)
{
    const uint from = column * COLUMN_SLOTS, to = to_column * COLUMN_SLOTS;
    uint u = first_u;
    if (i > 0)
        barrier(CLK_LOCAL_MEM_FENCE);
#if SPLIT_EXCHANGE
    PUT(RE_PART)
    barrier(CLK_LOCAL_MEM_FENCE);
    u = to_u;
    TAKE(RE_PART)
    barrier(CLK_LOCAL_MEM_FENCE);
    u = first_u;
    PUT(IM_PART)
    barrier(CLK_LOCAL_MEM_FENCE);
    u = to_u;
    TAKE(IM_PART)
#else
    PUT(NOTHING)
    barrier(CLK_LOCAL_MEM_FENCE);
    u = to_u;
    TAKE(NOTHING)
#endif
}

/* FACTORS: the factors of a column; the next twiddle is n_low and n_high further on. */
struct factors {
    __global const point *low, *high;
    uint n_low, n_high;
};

/* stage - the butterflies of stage i. */
INLINE void stage(point *value, __global const point *stages, const struct factors of, const uint u, const int i)
{
    point f[TWIDDLES_MOST];
    if (FACTORS)
        UNROLL for (int t = 0; t < TWIDDLES(RADIX(i)); t++)
        {
            f[t] = of.low[(FACTORS_BEFORE(i) + t) * of.n_low];
            if (PAIRS)
                f[t] = point_mul(f[t], of.high[(FACTORS_BEFORE(i) + t) * of.n_high]);
        }
    FOR_BUTTERFLIES(i, {
        point w[TWIDDLES_MOST];
        if (i > 0) {
            __global const point *table = stages + TWIDDLES_BEFORE(i) + b % BEFORE(i);
            UNROLL for (int t = 0; t < TWIDDLES(RADIX(i)); t++)
                w[t] = FACTORS ? point_mul(table[t * BEFORE(i)], f[t]) : table[t * BEFORE(i)];
        } else if (FACTORS) {
            UNROLL for (int t = 0; t < TWIDDLES(RADIX(i)); t++) w[t] = f[t];
        }
        dft(value + g * RADIX(i), w, RADIX(i), !FACTORS && i == 0);
    })
}

/* The first points of a column, in and out, and its K. */
struct column {
    ulong in_at, out_at;
    uint k;
};

INLINE struct column column_of(uint x, const struct fft_transform_arguments l)
{
    const uint transform = x / l.per_transform, p = x - transform * l.per_transform;
    struct column c = {transform * l.in_dist, transform * l.out_dist, 0};
    if (KIND == KIND_FIRST) {
        const uint j4 = p % l.d4, upper = p / l.d4, j2 = upper / l.d3, j3 = upper - j2 * l.d3;
        c.in_at += p;
        c.out_at += (ulong)((j4 * l.d3 + j3) * l.d2 + j2) * POINTS;
    } else {
        const uint outer = KIND == KIND_COLUMNS ? p / l.stride : p, inner = KIND == KIND_COLUMNS ? p - outer * l.stride : 0;
        const ulong at = (KIND == KIND_COLUMNS ? (ulong)outer * l.stride : (ulong)outer) * POINTS + inner;
        c.in_at += at;
        c.out_at += at;
        if (FACTORS == 1)
            c.k = inner;
        if (FACTORS == 2) {
            const uint k3 = outer % l.d3, upper = outer / l.d3, k1 = upper / l.d2, k2 = upper - k1 * l.d2;
            c.k = k1 + l.d4 * (k2 + l.d2 * k3);
        }
    }
    return c;
}

__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void
fft_transform(__global const point *in, __global point *out, __global const point *restrict stages,
              __global const point *restrict low, __global const point *restrict high, real scale,
              const struct fft_transform_arguments of)
{
#if N_STAGES > 1
    __local exchanged slots[COLUMN_SLOTS * COLUMNS];
#endif
    point value[ITEM_VALUES];
    const uint t = get_local_id(0), x0 = get_group_id(0) * COLUMNS;
    uint u = KIND == KIND_ROWS ? t % ITEMS : t / COLUMNS, column = KIND == KIND_ROWS ? t / ITEMS : t % COLUMNS;
    uint x = x0 + column;
    struct column at = column_of(min(x, of.n_columns - 1), of);
    const uint in_stride = KIND == KIND_ROWS ? 1 : KIND == KIND_FIRST ? of.per_transform : of.stride;
    FOR_BUTTERFLIES(0, {
        UNROLL for (int r = 0; r < R0; r++)
        {
            const point v = in[at.in_at + (ulong)(b + r * SPAN(0)) * in_stride];
            value[g * R0 + r] = of.swap_in ? point_swapped(v) : v;
        }
    })

    /* behind the last exchange of KIND_FIRST neighbours are in a column: it is stored as a run */
    const uint to_u = KIND == KIND_FIRST ? t % ITEMS : u, to_column = KIND == KIND_FIRST ? t / ITEMS : column;
    const struct factors factors = {low + at.k % of.n_low, high + at.k / of.n_low, of.n_low, of.n_high};
    stage(value, stages, factors, u, 0);
#if N_STAGES > 2
    exchange(value, slots, u, column, u, column, 0);
    stage(value, stages, factors, u, 1);
#endif
#if N_STAGES > 3
    exchange(value, slots, u, column, u, column, 1);
    stage(value, stages, factors, u, 2);
#endif
#if N_STAGES > 4
    exchange(value, slots, u, column, u, column, 2);
    stage(value, stages, factors, u, 3);
#endif
#if N_STAGES > 1
    exchange(value, slots, u, column, to_u, to_column, LAST - 1);
    u = to_u;
    column = to_column;
    stage(value, stages, factors, u, LAST);
#endif

    if (KIND == KIND_FIRST) {
        x = x0 + column;
        at = column_of(min(x, of.n_columns - 1), of);
    }
    if (x >= of.n_columns)
        return;
    const uint out_stride = KIND == KIND_COLUMNS ? of.stride : 1;
    FOR_BUTTERFLIES(LAST, {
        UNROLL for (int r = 0; r < RADIX(LAST); r++)
        {
            const point v = point_times(value[g * RADIX(LAST) + r], scale);
            const ulong place = at.out_at + (ulong)(b + dft_index(RADIX(LAST), r) * SPAN(LAST)) * out_stride;
            out[place] = of.swap_out ? point_swapped(v) : v;
        }
    })
}
