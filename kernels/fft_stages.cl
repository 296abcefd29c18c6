/*
 * fft_stages.cl - one transform of POINTS points by a work-group: stages in registers, exchanges through local memory.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A work-group has ITEMS * COLUMNS work-items and does COLUMNS transforms side by side: work-item t is item u = t / COLUMNS of
 * column t % COLUMNS.  A transform starts from one node of the tree and goes down N_STAGES stages of radices R0, R1, ...  Its
 * points lie in slots 0 .. POINTS-1.  Before stage i there are NODES(i) nodes, each a run of POINTS / NODES(i) slots; butterfly
 * q of a node takes every STRIDE(i)-th slot of it, from slot q on, and puts its children back there:
 *
 *     POINTS = 16, radices 4, 4:     stage 0   butterfly q: slots q, q+4, q+8, q+12     (one node)
 *                                    stage 1   butterfly q: slots 4q .. 4q+3            (node q)
 *
 * Item u has butterflies u, u + ITEMS, ... of each stage; where POINTS / radix is no multiple of ITEMS some items sit out the
 * last round.  value[g * radix + s] is slot s of its butterfly g.
 *
 * Twiddles.  Stages before DIRECT_STAGES read theirs from `table`, a piece for this node: stage after stage, [twiddle][node],
 * form RATIO.  Later ones multiply a factor of this node by an entry for its descendants, which is the same for all nodes of
 * the pass: e(theta / 2^d) in `table` behind the pieces of the direct stages, and e(rev(k) / 2^d ..) in `shared`; form PRODUCT.
 * The factor's angle is the small one.  (DOUBLE_DOUBLE: all stages are direct ones, entries are re, im.)
 *
 * Tunables: POINTS, ITEMS, COLUMNS, N_STAGES, R0 .. R4 (1 where unused), DIRECT_STAGES, SPLIT_EXCHANGE (1: one double
 * of a point is exchanged after the other; 0: two), PAD (a slot is left free behind every PAD slots; the last radix where items
 * of a column are neighbours); FREE_GROUP_SIZE (1: see below); DOUBLE_DOUBLE.
 */
#ifndef FFT_STAGES_CL
#define FFT_STAGES_CL
#include "fft_radix.cl"

#if !defined(POINTS) || !defined(ITEMS) || !defined(COLUMNS) || !defined(N_STAGES) || !defined(DIRECT_STAGES) ||                \
    !defined(SPLIT_EXCHANGE) || !defined(PAD)
#error "fft_stages.cl: a tunable is missing"
#endif
#if R0 * R1 * R2 * R3 * R4 != POINTS
#error "fft_stages.cl: the radices do not make POINTS"
#endif

#define GROUP_ITEMS (ITEMS * COLUMNS)

/* Where a kernel's registers are limited by an option of the compiler the size of a group must not be fixed. */
#if FREE_GROUP_SIZE
#define FIXED_GROUP_SIZE
#else
#define FIXED_GROUP_SIZE __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1)))
#endif

#define RADIX(i)   ((i) == 0 ? R0 : (i) == 1 ? R1 : (i) == 2 ? R2 : (i) == 3 ? R3 : R4)
#define NODES(i)   ((i) == 0 ? 1 : (i) == 1 ? R0 : (i) == 2 ? R0 * R1 : (i) == 3 ? R0 * R1 * R2 : R0 * R1 * R2 * R3)
#define STRIDE(i)  (POINTS / (NODES(i) * RADIX(i)))
#define ROUNDS(i)  ((POINTS / RADIX(i) + ITEMS - 1) / ITEMS)
#define IS_EVEN(i) (POINTS / RADIX(i) % ITEMS == 0) /* no item sits out */
#define LAST_STAGE (N_STAGES - 1)

/* Values that an item holds: the most of any stage. */
#define VALUES_OF(i)  (ROUNDS(i) * RADIX(i))
#define MAX_OF(a, b)  ((a) > (b) ? (a) : (b))
#define ITEM_VALUES_2 (N_STAGES > 1 ? MAX_OF(VALUES_OF(0), VALUES_OF(1)) : VALUES_OF(0))
#define ITEM_VALUES_3 (N_STAGES > 2 ? MAX_OF(ITEM_VALUES_2, VALUES_OF(2)) : ITEM_VALUES_2)
#define ITEM_VALUES_4 (N_STAGES > 3 ? MAX_OF(ITEM_VALUES_3, VALUES_OF(3)) : ITEM_VALUES_3)
#define ITEM_VALUES   (N_STAGES > 4 ? MAX_OF(ITEM_VALUES_4, VALUES_OF(4)) : ITEM_VALUES_4)

/* Entries of the tables: of a stage, before a stage, of a node's whole piece. */
#define EVEN_OF(r)       ((r) & -(r))
#define ODD_OF(r)        ((r) / EVEN_OF(r))
#define TWIDDLES(r)      (EVEN_OF(r) / 2 + (DOUBLE_DOUBLE && EVEN_OF(r) == 4))
#define LEVELS(r)        ((r) == 16 ? 4 : (r) == 8 ? 3 : (r) == 4 ? 2 : (r) == 2 ? 1 : 0)
#define TABLE_NODES(i)   (COPRIME ? ((i) == 0 ? 1 : EVEN_OF(R0)) : NODES(i))
#define ENTRIES(i)       (TABLE_NODES(i) * TWIDDLES(RADIX(i)))
#define FIRST_TWO(i, f)  (((i) > 0 ? f(0) : 0) + ((i) > 1 ? f(1) : 0))
#define SUM_BEFORE(i, f) (FIRST_TWO(i, f) + ((i) > 2 ? f(2) : 0) + ((i) > 3 ? f(3) : 0) + ((i) > 4 ? f(4) : 0))
#define STAGE_LEVELS(i)  LEVELS(RADIX(i))
#define DIRECT_ENTRIES   SUM_BEFORE(DIRECT_STAGES, ENTRIES)
#define NODE_FACTORS     (SUM_BEFORE(N_STAGES, STAGE_LEVELS) - SUM_BEFORE(DIRECT_STAGES, STAGE_LEVELS))
#define NODE_ENTRIES     (DIRECT_ENTRIES + NODE_FACTORS)

/* Local memory: slots with their padding, for all columns. */
#define PADDED(slot)   ((slot) + (slot) / PAD)
#define EXCHANGE_SLOTS ((POINTS + POINTS / PAD) * COLUMNS)
#if SPLIT_EXCHANGE
typedef fp exchanged;
#elif DOUBLE_DOUBLE
typedef half_point exchanged;
#else
typedef point exchanged;
#endif

/*
 * Two odd radices, R0 and R1 (doc/error-bound.md, section 5): stream s < R0 R1 has the slots from s ODD_UNIT on.  Butterfly
 * `other` of stage 0 takes the s = R1 a + R0 other modulo R0 R1, and leaves in place of a what belongs to k = a modulo R0;
 * butterfly a of stage 1 takes these for all `other`, and leaves in place of `other` branch k of k = other modulo R1.  So places
 * in local memory, and nodes of stages from 2 on, are numbered R1 a + other, like those of any two radices.  Outside, and in the
 * tables, branch k has the slots from k ODD_UNIT on, and is node k.
 */
#define ODD_PAIR ((R0) % 2 && (R1) % 2 && (R1) > 1)
#define ODD_UNIT (POINTS / (R0 * R1))
#define F0       ODD_OF(R0)
#define F1       ODD_OF(R1)
/* 1 modulo F0 and 0 modulo F1; the other way round it is 1 - this. */
#define ODD_LIFT_OF(j) ((j) < F0 && (j) * F1 % F0 == 1 ? (j) * F1 : 0)
#define ODD_LIFT                                                                                                                \
    (ODD_LIFT_OF(1) + ODD_LIFT_OF(2) + ODD_LIFT_OF(3) + ODD_LIFT_OF(4) + ODD_LIFT_OF(5) + ODD_LIFT_OF(6) + ODD_LIFT_OF(7) +     \
     ODD_LIFT_OF(8) + ODD_LIFT_OF(9) + ODD_LIFT_OF(10) + ODD_LIFT_OF(11) + ODD_LIFT_OF(12) + ODD_LIFT_OF(13) + ODD_LIFT_OF(14))

/*
 * Two radices F0 E0 and F1 E1, odd factors times powers of two (doc/error-bound.md, section 15.6): POINTS = O E, O = F0 F1 = 1
 * modulo 4, E = E0 E1 <= 8.  Then C = O modulo E has O C = 1 modulo E, and with Y = X^(O C), Z = X^E the root X^POINTS = i is
 * Y^E = i and Z^O = i:
 *     X^row = i^-W Y^(q + E1 h) Z^(F1 a + F0 b),     T = O C (q + E1 h) + E (F1 a + F0 b) = row + W POINTS.
 * Butterfly E1 b + q of stage 0 has the rows of all h and a, as its values F0 h + a: Y^E - i is split into E0 nodes, then come
 * DFTs of F0 points over a.  Butterfly F0 node + k1 of stage 1 has all b and q, as its values E1 b + q: DFTs of F1 points over
 * b, then its node is split into E1 leaves.  Leaf m of branch k, with Z = e(theta), has Y = e((1/4 + m) / E), and X = Y Z^((1 -
 * O C) / E) says which leaf of the tree it is: m + shift(k).
 */
#define COPRIME   (F0 > 1 && F1 > 1 && (R0) * (R1) % 2 == 0)
#define E0        EVEN_OF(R0)
#define E1        EVEN_OF(R1)
#define COPRIME_C (F0 * F1 % (E0 * E1))
/* T by the value of stage 0, and by that of stage 1, which is by the butterfly of stage 0; the powers of i that go with them. */
#define COPRIME_T0(s) (F0 * F1 * COPRIME_C * E1 * ((s) / F0) + E0 * E1 * F1 * ((s) % F0))
#define COPRIME_T1(s) (F0 * F1 * COPRIME_C * ((s) % E1) + E0 * E1 * F0 * ((s) / E1))
#define COPRIME_TURN(i, s)                                                                                                      \
    ((i) == 0 ? F1 * ((s) % F0) + 3 * (COPRIME_T0(s) / POINTS) : F0 * ((s) / E1) + 3 * (COPRIME_T1(s) / POINTS))

/* odd_stream - s of value a of butterfly `other` of stage 0. */
INLINE uint odd_stream(uint other, const int a)
{
    const uint s = R1 * a % (R0 * R1) + R0 * other;
    return s < R0 * R1 ? s : s - R0 * R1;
}

/*
 * From the slot of value 0 of a butterfly before stage 0 to that of value s: the same number of slots for all items, but POINTS
 * less where the rows begin anew.
 */
#define SLOTS_ADDED(s)                                                                                                          \
    (COPRIME ? COPRIME_T0(s) % POINTS : ODD_PAIR ? R1 * (s) % (R0 * R1) * ODD_UNIT : (s) * STRIDE(0))
#define SLOTS_WRAP(butterfly, s)                                                                                                \
    (COPRIME ? coprime_first(butterfly) + SLOTS_ADDED(s) >= POINTS                                                              \
             : ODD_PAIR && R1 * (s) % (R0 * R1) + R0 * ((butterfly) / ODD_UNIT) >= R0 * R1)

/* coprime_first - the row of value 0 of a butterfly of stage 0. */
INLINE uint coprime_first(uint butterfly)
{
    return COPRIME_T1(butterfly) % POINTS;
}

/* odd_branch - the k that is k1 modulo the first odd factor and k2 modulo the second. */
INLINE uint odd_branch(uint k1, uint k2)
{
    const uint k = k1 * ODD_LIFT % (F0 * F1) + k2 * (F0 * F1 + 1 - ODD_LIFT) % (F0 * F1);
    return k < F0 * F1 ? k : k - F0 * F1;
}

/* bits_reversed - of x below n, a power of two up to 8. */
INLINE uint bits_reversed(uint x, const uint n)
{
    return (x & 1) * n / 2 + (x >> 1 & 1) * n / 4 + (x >> 2) * n / 8;
}

/* coprime_last - the row of value s of a butterfly behind stage 1.   wraps: theta = 1/4 + k / O is that much less. */
INLINE uint coprime_last(uint butterfly, const int s)
{
    const uint k = odd_branch(butterfly % F0, s / E1), wraps = 4 * k >= 3 * F0 * F1 ? 1 : 0;
    const uint shift = k * (E0 * E1 - COPRIME_C) + wraps + (F0 * F1 * COPRIME_C - 1) / 4 * (E0 * E1 - 1);
    const uint m = bits_reversed(butterfly / F0, E0) + shift; /* and E0 times that of s */
    return k * (E0 * E1) + bits_reversed(m % E0, E0) * E1 + bits_reversed((m / E0 + bits_reversed(s % E1, E1)) % E1, E1);
}

/* node_outside - the node of stage i that is numbered `number` inside. */
INLINE uint node_outside(uint number, const int i)
{
    if (COPRIME)
        return number / F0; /* of the powers of two */
    if (!ODD_PAIR || i < 2)
        return number;
    const uint each = NODES(i) / (R0 * R1);
    return odd_branch(number / each / R1, number / each % R1) * each + number % each;
}

/* butterfly_node - the node, as numbered inside, that a butterfly of stage i belongs to. */
INLINE uint butterfly_node(uint butterfly, const int i)
{
    return NODES(i) == 1 ? 0 : butterfly / STRIDE(i);
}

/* butterfly_slot - the first slot of a butterfly of stage i of this node. */
INLINE uint butterfly_slot(uint butterfly, uint node, const int i)
{
    return node * (POINTS / NODES(i)) + (NODES(i) == 1 ? butterfly : butterfly % STRIDE(i));
}

/* value_slot - the slot outside of value s of a butterfly before stage 0, or behind the last one, i. */
INLINE uint value_slot(uint butterfly, const int s, const int i)
{
    if (COPRIME)
        return i == 0 ? (coprime_first(butterfly) + SLOTS_ADDED(s)) % POINTS : coprime_last(butterfly, s);
    if (ODD_PAIR && i == 0)
        return odd_stream(butterfly / ODD_UNIT, s) * ODD_UNIT + butterfly % ODD_UNIT;
    if (ODD_PAIR && i == 1)
        return odd_branch(butterfly / ODD_UNIT, s) * ODD_UNIT + butterfly % ODD_UNIT;
    return butterfly_slot(butterfly, node_outside(butterfly_node(butterfly, i), i), i) + s * STRIDE(i);
}

/* For each value of an item before stage 0, or after the last: `at`, its index; `slot`, its place; the body skips idle rounds. */
#define FOR_VALUES(i, body)                                                                                                     \
    UNROLL for (int g = 0; g < ROUNDS(i); g++)                                                                                  \
    {                                                                                                                           \
        const uint butterfly = u + g * ITEMS;                                                                                   \
        if (IS_EVEN(i) || butterfly < POINTS / RADIX(i)) {                                                                      \
            UNROLL for (int s = 0; s < RADIX(i); s++)                                                                           \
            {                                                                                                                   \
                const int at = g * RADIX(i) + s;                                                                                \
                const uint slot = value_slot(butterfly, s, i);                                                                  \
                body                                                                                                            \
            }                                                                                                                   \
        }                                                                                                                       \
    }

/* For each value, its place in local memory: `place`.   PLACES_ADD: whether PADDED(first + s STRIDE) is the sum of both. */
#define PLACES_ADD (!ODD_PAIR || ODD_UNIT % PAD == 0)
#define FOR_PLACES(i, body)                                                                                                     \
    UNROLL for (int g = 0; g < ROUNDS(i); g++)                                                                                  \
    {                                                                                                                           \
        const uint butterfly = u + g * ITEMS;                                                                                   \
        if (IS_EVEN(i) || butterfly < POINTS / RADIX(i)) {                                                                      \
            const uint first = butterfly_slot(butterfly, butterfly_node(butterfly, i), i);                                      \
            const uint first_place = PADDED(first) * COLUMNS + column;                                                          \
            UNROLL for (int s = 0; s < RADIX(i); s++)                                                                           \
            {                                                                                                                   \
                const int at = g * RADIX(i) + s;                                                                                \
                const uint place = PLACES_ADD ? first_place + PADDED(s * STRIDE(i)) * COLUMNS                                   \
                                              : PADDED(first + s * STRIDE(i)) * COLUMNS + column;                               \
                body                                                                                                            \
            }                                                                                                                   \
        }                                                                                                                       \
    }

#define EXCHANGE(part)                                                                                                          \
    FOR_PLACES(from, local_slots[place] = value[at] part;)                                                                      \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                               \
    FOR_PLACES(to, value[at] part = local_slots[place];)                                                                        \
    barrier(CLK_LOCAL_MEM_FENCE);

/* exchange - the values as stage `to` needs them, from where stage `from` has them.   Barriers: 2 for each part. */
INLINE void exchange(point *value, __local exchanged *local_slots, uint u, uint column, const int from, const int to)
{
#if SPLIT_EXCHANGE
    EXCHANGE(.x)
    EXCHANGE(.y)
#if DOUBLE_DOUBLE
    EXCHANGE(.z)
    EXCHANGE(.w)
#endif
#elif DOUBLE_DOUBLE
    EXCHANGE(.xy)
    EXCHANGE(.zw)
#else
    EXCHANGE()
#endif
}

/* stage_twiddles - those of a node of stage i. */
INLINE void stage_twiddles(twiddle *w, __global const twiddle *table, __global const twiddle *shared, uint node, const int i)
{
    if (i < DIRECT_STAGES) {
        UNROLL for (int j = 0; j < TWIDDLES(RADIX(i)); j++) w[j] = table[SUM_BEFORE(i, ENTRIES) + j * TABLE_NODES(i) + node];
    } else {
        const int levels_before = SUM_BEFORE(i, STAGE_LEVELS) - SUM_BEFORE(DIRECT_STAGES, STAGE_LEVELS);
        __global const twiddle *factor = table + DIRECT_ENTRIES + levels_before;
        __global const twiddle *entry = shared + (SUM_BEFORE(i, ENTRIES) - DIRECT_ENTRIES) + node;
        UNROLL for (int j = 0; j < TWIDDLES(RADIX(i)); j++)
        {
            const twiddle a = factor[j == 0 ? 0 : j == 1 ? 1 : j < 4 ? 2 : 3], b = entry[j * NODES(i)];
            w[j] = complex_mul(a, b); /* a's imaginary part is the small one */
        }
    }
}

#define FORM(i) ((i) < DIRECT_STAGES ? RATIO : PRODUCT)

/* For each butterfly of an item in stage i: its twiddles w, and where its values begin, base. */
#define FOR_BUTTERFLIES(i, body)                                                                                                \
    UNROLL for (int g = 0; g < ROUNDS(i); g++)                                                                                  \
    {                                                                                                                           \
        const uint butterfly = u + g * ITEMS;                                                                                   \
        if (IS_EVEN(i) || butterfly < POINTS / RADIX(i)) {                                                                      \
            const int base = g * RADIX(i);                                                                                      \
            twiddle w[8];                                                                                                       \
            stage_twiddles(w, table, shared, node_outside(butterfly_node(butterfly, i), i), i);                                 \
            body                                                                                                                \
        }                                                                                                                       \
    }

/*
 * odd_turns - each value of a butterfly of one of two odd radices by i^(turn s), s its stream: by constants, for R1 a in stage 0
 * and for R0 other in stage 1, and in stage 0 where their sum is s + R0 R1.
 */
INLINE void odd_turns(point *x, uint butterfly, const int i, const int turn)
{
    UNROLL for (int s = 0; s < RADIX(i); s++)
    {
        const int part = i == 0 ? R1 * s % (R0 * R1) : R0 * s;
        x[s] = times_i(x[s], part * turn);
        if (i == 0 && part + R0 * (butterfly / ODD_UNIT) >= R0 * R1)
            x[s] = times_i(x[s], 3 * R0 * R1 * turn);
    }
}

/* odd_forward, odd_inverse - such a butterfly. */
INLINE void odd_forward(point *x, uint butterfly, const int i)
{
    odd_turns(x, butterfly, i, ODD_TURN(R0 * R1));
    dft_odd(x, RADIX(i), 1.0);
}

INLINE void odd_inverse(point *x, uint butterfly, const int i)
{
    dft_odd(x, RADIX(i), -1.0);
    odd_turns(x, butterfly, i, 3 * ODD_TURN(R0 * R1));
}

/* coprime_turns - the values of a butterfly by their powers of i, or back. */
INLINE void coprime_turns(point *x, uint butterfly, const int i, const int back)
{
    UNROLL for (int s = 0; s < RADIX(i); s++)
    {
        x[s] = times_i(x[s], COPRIME_TURN(i, s) * (back ? 3 : 1));
        if (i == 0 && SLOTS_WRAP(butterfly, s))
            x[s] = times_i(x[s], back ? 1 : 3);
    }
}

/* coprime_forward, coprime_inverse - a butterfly of two such radices. */
INLINE void coprime_forward(point *x, const twiddle *w, uint butterfly, const int i)
{
    coprime_turns(x, butterfly, i, 0);
    if (i == 0) {
        UNROLL for (int a = 0; a < (E0 > 1 ? F0 : 0); a++)
        {
            point y[E0];
            UNROLL for (int h = 0; h < E0; h++) y[h] = x[F0 * h + a];
            split_node(y, w, E0, RATIO, 0);
            UNROLL for (int h = 0; h < E0; h++) x[F0 * h + a] = y[h];
        }
        UNROLL for (int h = 0; h < E0; h++) dft_odd(x + F0 * h, F0, 1.0);
    } else {
        UNROLL for (int q = 0; q < E1; q++)
        {
            point y[F1];
            UNROLL for (int b = 0; b < F1; b++) y[b] = x[E1 * b + q];
            dft_odd(y, F1, 1.0);
            UNROLL for (int b = 0; b < F1; b++) x[E1 * b + q] = y[b];
        }
        UNROLL for (int k = 0; k < (E1 > 1 ? F1 : 0); k++) split_node(x + E1 * k, w, E1, RATIO, 0);
    }
}

INLINE void coprime_inverse(point *x, const twiddle *w, uint butterfly, const int i)
{
    if (i == 0) {
        UNROLL for (int h = 0; h < E0; h++) dft_odd(x + F0 * h, F0, -1.0);
        UNROLL for (int a = 0; a < (E0 > 1 ? F0 : 0); a++)
        {
            point y[E0];
            UNROLL for (int h = 0; h < E0; h++) y[h] = x[F0 * h + a];
            join_node(y, w, E0, RATIO);
            UNROLL for (int h = 0; h < E0; h++) x[F0 * h + a] = y[h];
        }
    } else {
        UNROLL for (int k = 0; k < (E1 > 1 ? F1 : 0); k++) join_node(x + E1 * k, w, E1, RATIO);
        UNROLL for (int q = 0; q < E1; q++)
        {
            point y[F1];
            UNROLL for (int b = 0; b < F1; b++) y[b] = x[E1 * b + q];
            dft_odd(y, F1, -1.0);
            UNROLL for (int b = 0; b < F1; b++) x[E1 * b + q] = y[b];
        }
    }
    coprime_turns(x, butterfly, i, 1);
}

INLINE void stage_forward(point *value, __global const twiddle *table, __global const twiddle *shared, uint u, const int i,
                          const int known)
{
    FOR_BUTTERFLIES(i, if (COPRIME) coprime_forward(value + base, w, butterfly, i);
                    else if (ODD_PAIR && i < 2) odd_forward(value + base, butterfly, i);
                    else split_node(value + base, w, RADIX(i), FORM(i), known);)
}

/* stage_forward_two - the same for two transforms that share their twiddles. */
INLINE void stage_forward_two(point *value, point *other, __global const twiddle *table, __global const twiddle *shared, uint u,
                              const int i)
{
    FOR_BUTTERFLIES(i, split_node(value + base, w, RADIX(i), FORM(i), 0); split_node(other + base, w, RADIX(i), FORM(i), 0);)
}

INLINE void stage_inverse(point *value, __global const twiddle *table, __global const twiddle *shared, uint u, const int i)
{
    FOR_BUTTERFLIES(i, if (COPRIME) coprime_inverse(value + base, w, butterfly, i);
                    else if (ODD_PAIR && i < 2) odd_inverse(value + base, butterfly, i);
                    else join_node(value + base, w, RADIX(i), FORM(i));)
}

/* transform_forward - the values of stage 0 into those behind the last stage.   known: as split_node, for stage 0. */
INLINE void transform_forward(point *value, __local exchanged *local_slots, __global const twiddle *table,
                              __global const twiddle *shared, uint u, uint column, const int known)
{
    stage_forward(value, table, shared, u, 0, known);
#if N_STAGES > 1
    exchange(value, local_slots, u, column, 0, 1);
    stage_forward(value, table, shared, u, 1, 0);
#endif
#if N_STAGES > 2
    exchange(value, local_slots, u, column, 1, 2);
    stage_forward(value, table, shared, u, 2, 0);
#endif
#if N_STAGES > 3
    exchange(value, local_slots, u, column, 2, 3);
    stage_forward(value, table, shared, u, 3, 0);
#endif
#if N_STAGES > 4
    exchange(value, local_slots, u, column, 3, 4);
    stage_forward(value, table, shared, u, 4, 0);
#endif
}

INLINE void transform_forward_two(point *value, point *other, __local exchanged *local_slots, __global const twiddle *table,
                                  __global const twiddle *shared, uint u, uint column)
{
    stage_forward_two(value, other, table, shared, u, 0);
#if N_STAGES > 1
    exchange(value, local_slots, u, column, 0, 1);
    exchange(other, local_slots, u, column, 0, 1);
    stage_forward_two(value, other, table, shared, u, 1);
#endif
#if N_STAGES > 2
    exchange(value, local_slots, u, column, 1, 2);
    exchange(other, local_slots, u, column, 1, 2);
    stage_forward_two(value, other, table, shared, u, 2);
#endif
#if N_STAGES > 3
    exchange(value, local_slots, u, column, 2, 3);
    exchange(other, local_slots, u, column, 2, 3);
    stage_forward_two(value, other, table, shared, u, 3);
#endif
#if N_STAGES > 4
    exchange(value, local_slots, u, column, 3, 4);
    exchange(other, local_slots, u, column, 3, 4);
    stage_forward_two(value, other, table, shared, u, 4);
#endif
}

/* transform_inverse - the way back, times POINTS. */
INLINE void transform_inverse(point *value, __local exchanged *local_slots, __global const twiddle *table,
                              __global const twiddle *shared, uint u, uint column)
{
#if N_STAGES > 4
    stage_inverse(value, table, shared, u, 4);
    exchange(value, local_slots, u, column, 4, 3);
#endif
#if N_STAGES > 3
    stage_inverse(value, table, shared, u, 3);
    exchange(value, local_slots, u, column, 3, 2);
#endif
#if N_STAGES > 2
    stage_inverse(value, table, shared, u, 2);
    exchange(value, local_slots, u, column, 2, 1);
#endif
#if N_STAGES > 1
    stage_inverse(value, table, shared, u, 1);
    exchange(value, local_slots, u, column, 1, 0);
#endif
    stage_inverse(value, table, shared, u, 0);
}

#endif
