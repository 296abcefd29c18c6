/*
 * residue_passes.cl - transforms of residues modulo a prime below 2^31: arithmetic, and the passes of work-groups.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A residue is a word of 32 bits below LIMIT.  p is between 2^30 and 2^31, and LIMIT is p; or LAZY, p is between 2^29 and 2^30,
 * and LIMIT is 2 p.  Sums of two residues fit.  Every value that is stored or passed between functions is below LIMIT.  A
 * factor is a pair: w < p, and its quotient q = floor(2^32 w / p).  By it a word x of any value is multiplied in three products:
 * x w - floor(x q / 2^32) p is between 0 and 2 p.   Source: [Har14].
 *
 * The tree: node k of a level stands for polynomials modulo x^m - r_k, r_0 = 1; it splits by w_k, w_k^2 = r_k, into 2 k, of
 * x^(m/2) - w_k, and 2 k + 1, of x^(m/2) + w_k.  w_k does not depend on the level: w_0 = 1, w_(2^b + i) = w_i e(1 / 2^(b + 2))
 * for i < 2^b, e(x) the root of unity of that angle.  A pass splits its block's node, level after level, into POINTS nodes.
 *
 * The tables of all primes are one buffer of factors.  Of a prime, from prime * layout.x on: RESIDUE_CONSTANTS factors that hold
 * what RESIDUE_P_INVERSE .. name; layout.y factors w_k; as many of their inverses; e(i 2^layout.z / n), 2^(layout.w - layout.z)
 * of them; e(i / n), 2^layout.z of them; n = 2^layout.w, the number of nodes at the tree's end.
 *
 * Tunables: POINTS, ITEMS, COLUMNS, N_STAGES, R0 .. R4 as in fft_stages.cl: radices are 2, 4, 8, 16; an item has POINTS /
 *           ITEMS values, a multiple of each radix.  N_PRIMES; PRIMES, and LIMITS.  LAZY (1: primes are below 2^30).
 */
#ifndef RESIDUE_PASSES_CL
#define RESIDUE_PASSES_CL
#include "prelude.cl"

typedef uint2 factor; /* w, its quotient */

#define RESIDUE_CONSTANTS 24 /* factors: 48 words */

/* Words of the constants. */
enum {
    RESIDUE_P_INVERSE,                   /* modulo 2^32 */
    RESIDUE_DIGIT,                       /* s 2^(32 + 32 i), i = 0 .. 2: s^2 = 2^32 / n, so that products need no scale */
    RESIDUE_RECIPROCAL = RESIDUE_DIGIT + 3, /* floor(2^64 / p), its lower word first */
    RESIDUE_INVERSES = 16,               /* factors 1 / p_j for the primes before this one */
    RESIDUE_PLACES = 32 /* text: the product of the primes before this one, in pieces of digits (text_chars.cl) */
};

/* A prime, and the limit of residues. */
typedef struct {
    uint prime, limit;
} modulus;

/*
 * modulus_of - prime number i of the program's PRIMES.
 *
 * They are constants of the program, chosen by numbers that all items of a group share, so compilers keep them in uniform
 * registers.
 */
INLINE modulus modulus_of(uint i)
{
    const uint all[] = {PRIMES}, limits[] = {LIMITS};
    modulus p = {all[0], limits[0]};
    UNROLL for (uint k = 1; k < N_PRIMES; k++)
    {
        p.prime = i == k ? all[k] : p.prime;
        p.limit = i == k ? limits[k] : p.limit;
    }
    return p;
}

/* residue_once - x or x - LIMIT, whichever is below LIMIT.   x < 2 LIMIT */
INLINE uint residue_once(uint x, modulus p)
{
    return min(x, x - p.limit);
}

/* residue_exact - the residue below p. */
INLINE uint residue_exact(uint x, modulus p)
{
    return LAZY ? min(x, x - p.prime) : x;
}

INLINE uint residue_add(uint x, uint y, modulus p)
{
    return residue_once(x + y, p);
}

/* residue_above - of a difference of residues, d: if negative it is a word above LIMIT. */
INLINE uint residue_above(uint d, modulus p)
{
    return min(d, d + p.limit);
}

INLINE uint residue_sub(uint x, uint y, modulus p)
{
    return residue_above(x - y, p);
}

/* residue_mul - x w modulo p.   x: any word */
INLINE uint residue_mul(uint x, factor w, modulus p)
{
    const uint r = x * w.x - mul_hi(x, w.y) * p.prime; /* < 2 p */
    return LAZY ? r : residue_once(r, p);
}

/* residue_mul_any - x y / 2^32 modulo p.   inverse: of p modulo 2^32. */
INLINE uint residue_mul_any(uint x, uint y, uint inverse, modulus p)
{
    const uint high = mul_hi(x, y), take = mul_hi(x * y * inverse, p.prime); /* both below p: x y < LIMIT^2 < 2^32 p */
    return LAZY ? high - take + p.prime : residue_sub(high, take, p);
}

/* factor_of - w with its quotient by floor(2^64 / p), whose words `reciprocal` has: one too small at most.   w < p */
INLINE factor factor_of(uint w, uint2 reciprocal, modulus p)
{
    const uint q = w * reciprocal.y + mul_hi(w, reciprocal.x), rest = 0 - q * p.prime; /* of 2^32 w: below 2 p */
    return (factor)(w, rest >= p.prime ? q + 1 : q);
}

/* root_power - e(exponent / n), below p, from the two short tables.   exponent < n */
INLINE uint root_power(__global const factor *restrict t, uint4 layout, uint exponent, modulus p)
{
    __global const factor *high = t + RESIDUE_CONSTANTS + 2 * layout.y, *low = high + (1u << (layout.w - layout.z));
    return residue_exact(residue_mul(high[exponent >> layout.z].x, low[exponent & ((1u << layout.z) - 1)], p), p);
}

/*
 * residue_digit - mixed digit i of v_0 + p_0 (v_1 + p_1 (v_2 + ..)), v_i below p_i, by Garner: from the residue modulo prime i
 * and the digits before it.  The primes rise, so that v_j below p_j is a residue modulo the primes behind it.
 * Source: [TAOCP2], 4.3.2.
 */
INLINE uint residue_digit(uint residue, const uint *v, const int i, __global const uint *restrict constants)
{
    const modulus p = modulus_of(i);
    UNROLL for (int j = 0; j < N_PRIMES; j++)
    {
        if (j < i) { /* v[j] < p_j < p: between 0 and LIMIT + p */
            const factor w = (factor)(constants[RESIDUE_INVERSES + 2 * j], constants[RESIDUE_INVERSES + 2 * j + 1]);
            residue = residue_mul(residue - v[j] + p.prime, w, p);
        }
    }
    return residue_exact(residue, p);
}

#ifndef TREE
#define TREE __global const /* where the factors of passes are */
#endif

#ifdef POINTS
#if FREE_GROUP_SIZE /* as in fft_stages.cl */
#define FIXED_GROUP_SIZE
#else
#define FIXED_GROUP_SIZE __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1)))
#endif
#define ITEM_VALUES (POINTS / ITEMS)
#define GROUP_ITEMS (ITEMS * COLUMNS)
#define BANKS       32 /* of local memory, about */

/* Of stage s: its radix, the product of those before it, the points of a part of its node. */
#define RADIX(s)  ((s) == 0 ? R0 : (s) == 1 ? R1 : (s) == 2 ? R2 : (s) == 3 ? R3 : R4)
#define BEFORE(s) ((s) == 0 ? 1 : (s) == 1 ? R0 : (s) == 2 ? R0 * R1 : (s) == 3 ? R0 * R1 * R2 : R0 * R1 * R2 * R3)
#define PART(s)   (POINTS / (BEFORE(s) * RADIX(s)))

/*
 * The places of values in stage s.  An item has WIDTH(s) neighbouring columns, as many as it can have of the same rows.  In stage
 * 0 it has one, so that neighbouring items access neighbouring memory.  Item t has place UNIT(t, s) among those of its columns,
 * from FIRST_COLUMN on.  Value `at` of unit u is in row FIRST_ROW + ADDED_ROWS of the POINTS rows, ADDED_COLUMNS columns further.
 * The two numbers of a row share no bit, so a slot is the sum of a number of the item's and a constant, too.
 */
#define WIDTH_ROOM         16 /* words of all columns of a row, and of both copies, of which rows have 8 columns at most */
#define WHOLE_COLUMNS      ((COLUMNS & -COLUMNS) < WIDTH_ROOM ? (COLUMNS & -COLUMNS) : WIDTH_ROOM)
#define WIDTH_MOST(s)      (ITEM_VALUES / RADIX(s) < WHOLE_COLUMNS ? ITEM_VALUES / RADIX(s) : WHOLE_COLUMNS)
#define WIDTH(s)           ((s) == 0 ? 1 : WIDTH_MOST(s))
#define UNIT(t, s)         ((t) / (COLUMNS / WIDTH(s)))
#define FIRST_COLUMN(t, s) ((t) % (COLUMNS / WIDTH(s)) * WIDTH(s))
#define FIRST_ROW(u, s)    ((u) / PART(s) * (RADIX(s) * PART(s)) + (u) % PART(s))
#define ROUND_OF(at, s)    ((at) / (RADIX(s) * WIDTH(s)) * (ITEMS * WIDTH(s)))
#define ADDED_ROWS(at, s)                                                                                                       \
    (ROUND_OF(at, s) / PART(s) * (RADIX(s) * PART(s)) + ROUND_OF(at, s) % PART(s) + (at) % RADIX(s) * PART(s))
#define ADDED_COLUMNS(at, s) ((at) / RADIX(s) % WIDTH(s))

/*
 * The slot of a row in the exchange between stages s - 1 and s.  Neighbours are side by side in a part of stage s, then a node
 * further: so many slots are free behind each node that all are in different banks.
 */
#define FREE_SLOTS(s)   (PART(s) * COLUMNS < BANKS ? PART(s) : 0)
#define SAME_SLOTS      (N_STAGES == 3 && FREE_SLOTS(1) == 0) /* both exchanges have the slots of the second one */
#define SPACED(row, s)  (((row) + (row) / PART((s) - 1) * FREE_SLOTS(s)) * COLUMNS)
#define SLOT(row, s)    (SAME_SLOTS ? SPACED(row, 2) : SPACED(row, s))
#define ROOM(s)         (N_STAGES > (s) ? POINTS / PART((s) - 1) * FREE_SLOTS(s) : 0)
#define LARGER_OF(a, b) ((a) > (b) ? (a) : (b))
#define SLOTS           ((POINTS + LARGER_OF(ROOM(1), LARGER_OF(ROOM(2), ROOM(3)))) * COLUMNS)

/* split_forward - (x, y) -> (x + w y, x - w y).   one: 1: w = 1; 2: y is 0, and need not be set */
INLINE void split_forward(uint *x, uint *y, factor w, modulus p, const int one)
{
    const uint first = *x;
    if (one == 2) {
        *y = first;
    } else if (LAZY && !one) {
        const uint plus = first + *y * w.x - mul_hi(*y, w.y) * p.prime; /* below LIMIT + 2 p */
        *x = residue_once(plus, p);
        *y = residue_above(first + first - plus, p);
    } else {
        const uint second = one ? *y : residue_mul(*y, w, p);
        *x = residue_add(first, second, p);
        *y = residue_sub(first, second, p);
    }
}

/* What a pass, a stage or a level splits. */
struct split {
    uint node;  /* of a pass: 1: of a tree of its own, with factor 2^v + i for node i of level v */
    int root;   /* 1: node is 0, whose first factors are 1; 2: moreover all y of the first level are 0, and need not be set */
    int copies; /* forwards: of ITEM_VALUES values, which have the same factors */
};

/* level_forward - one level of a stage.   of: the node is of the level where the stage begins */
INLINE void level_forward(uint *value, const int radix, const int level, TREE factor *restrict tree, modulus p,
                          const struct split of)
{
    const int apart = radix >> (level + 1), root = of.root;
    TREE factor *restrict factors = tree + (of.node << level); /* and constants: one address for all */
    UNROLL for (int k = 0; k < radix / 2; k++)
    {
        const int i = k / apart, at = 2 * apart * i + k % apart;
        const factor w = factors[i];
        split_forward(value + at, value + at + apart, w, p, root == 2 && level == 0 ? 2 : root && i == 0);
        if (of.copies > 1)
            split_forward(value + ITEM_VALUES + at, value + ITEM_VALUES + at + apart, w, p, root && i == 0);
    }
}

/* level_inverse - (x, y) -> (x + y, (x - y) / w): twice what level_forward was given. */
INLINE void level_inverse(uint *value, const int radix, const int level, TREE factor *restrict tree, uint node, modulus p,
                          const int root)
{
    const int apart = radix >> (level + 1);
    TREE factor *restrict factors = tree + (node << level); /* and constants: one address for all */
    UNROLL for (int k = 0; k < radix / 2; k++)
    {
        const int i = k / apart, at = 2 * apart * i + k % apart;
        const uint x = value[at], y = value[at + apart];
        value[at] = residue_add(x, y, p);
        value[at + apart] = root && i == 0 ? residue_sub(x, y, p)
                                           : residue_mul(x - y + p.limit, factors[i], p); /* below 2 LIMIT */
    }
}

INLINE void stage_forward(uint *value, const int s, TREE factor *restrict tree, uint u, modulus p, const struct split of)
{
    UNROLL for (int g = 0; g < ITEM_VALUES / RADIX(s); g++)
    {
        const uint node = s == 0 && of.root ? 0 : of.node * BEFORE(s) + u / PART(s) + g / WIDTH(s) * (ITEMS * WIDTH(s)) / PART(s);
        const struct split at = {node, s == 0 ? of.root : 0, of.copies};
        uint *v = value + g * RADIX(s);
        level_forward(v, RADIX(s), 0, tree, p, at);
        if (RADIX(s) > 2)
            level_forward(v, RADIX(s), 1, tree, p, at);
        if (RADIX(s) > 4)
            level_forward(v, RADIX(s), 2, tree, p, at);
        if (RADIX(s) > 8)
            level_forward(v, RADIX(s), 3, tree, p, at);
    }
}

INLINE void stage_inverse(uint *value, const int s, TREE factor *restrict tree, uint block, uint u, modulus p,
                          const int root)
{
    UNROLL for (int g = 0; g < ITEM_VALUES / RADIX(s); g++)
    {
        const uint node = s == 0 && root ? 0 : block * BEFORE(s) + u / PART(s) + g / WIDTH(s) * (ITEMS * WIDTH(s)) / PART(s);
        uint *v = value + g * RADIX(s);
        if (RADIX(s) > 8)
            level_inverse(v, RADIX(s), 3, tree, node, p, s == 0 ? root : 0);
        if (RADIX(s) > 4)
            level_inverse(v, RADIX(s), 2, tree, node, p, s == 0 ? root : 0);
        if (RADIX(s) > 2)
            level_inverse(v, RADIX(s), 1, tree, node, p, s == 0 ? root : 0);
        level_inverse(v, RADIX(s), 0, tree, node, p, s == 0 ? root : 0);
    }
}

/*
 * meet - a barrier of `items` neighbours: those whose local numbers are equal divided by `items`.
 *
 * Warps that have nothing to exchange do not wait for each other, if the compiler is known to have such barriers (PTX 6.0,
 * drivers of 2017).
 */
INLINE void meet(const uint items)
{
#if defined __NV_CL_C_VERSION && GROUP_ITEMS % 32 == 0
    if (items <= 32 && 32 % items == 0) {
        __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");
        return;
    }
    if (items < GROUP_ITEMS && items % 32 == 0 && GROUP_ITEMS % items == 0 && GROUP_ITEMS / items < 16) { /* barrier 0 is all */
        __asm__ volatile("bar.sync %0, %1;" ::"r"(1 + (uint)get_local_id(0) / items), "r"(items) : "memory");
        return;
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
}

/*
 * Items that exchange values between stages s - 1 and s: those of a node where stage s - 1 begins, side by side, if no item has
 * rows of another one as well.
 */
#define WHOLE(s)    (RADIX(s) * WIDTH(s) == ITEM_VALUES)
#define PARTNERS(s) (WHOLE((s) - 1) && WHOLE(s) ? POINTS / BEFORE((s) - 1) * COLUMNS / ITEM_VALUES : GROUP_ITEMS)

INLINE void words_put(__local uint *to, const uint *words, const int n)
{
    if (n % 4 == 0) {
        UNROLL for (int j = 0; j < WIDTH_ROOM; j += 4)
        {
            if (j < n)
                *(__local uint4 *)(to + j) = (uint4)(words[j], words[j + 1], words[j + 2], words[j + 3]);
        }
    } else if (n == 2) {
        *(__local uint2 *)to = (uint2)(words[0], words[1]);
    } else {
        *to = *words;
    }
}

INLINE void words_get(uint *words, __local const uint *from, const int n)
{
    if (n % 4 == 0) {
        UNROLL for (int j = 0; j < WIDTH_ROOM; j += 4)
        {
            if (j < n) {
                const uint4 four = *(__local const uint4 *)(from + j);
                words[j] = four.x;
                words[j + 1] = four.y;
                words[j + 2] = four.z;
                words[j + 3] = four.w;
            }
        }
    } else if (n == 2) {
        const uint2 two = *(__local const uint2 *)from;
        words[0] = two.x;
        words[1] = two.y;
    } else {
        *words = *from;
    }
}

/* The first word of a row: `copies` words for a slot, in the `room` words that its part of stage 0 has for each. */
#define PLACE(row, s, copies, room) ((copies) * SLOT(row, s) + ((room) - (copies)) * SLOT((row) / PART(0) * PART(0), s))

/*
 * exchange - from the places of stage `from` to those of stage `to`.   Barriers: 1.
 *
 *   copies  2: words of both lie side by side
 *   room    at least copies
 */
INLINE void exchange(uint *value, __local uint *slots, const int from, const int to, uint t, const int copies, const int room)
{
    const int s = from > to ? from : to;
    __local uint *first = slots + (PLACE(FIRST_ROW(UNIT(t, from), from), s, copies, room) + copies * FIRST_COLUMN(t, from));
    __local uint *next = slots + (PLACE(FIRST_ROW(UNIT(t, to), to), s, copies, room) + copies * FIRST_COLUMN(t, to));
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
    {
        if (ADDED_COLUMNS(at, from) == 0) {
            uint words[WIDTH_ROOM];
            UNROLL for (int i = 0; i < WIDTH_ROOM; i++)
            {
                if (i < copies * WIDTH(from))
                    words[i] = value[i % copies * ITEM_VALUES + at + i / copies * RADIX(from)];
            }
            words_put(first + PLACE(ADDED_ROWS(at, from), s, copies, room), words, copies * WIDTH(from));
        }
    }
    meet(PARTNERS(s));
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
    {
        if (ADDED_COLUMNS(at, to) == 0) {
            uint words[WIDTH_ROOM];
            words_get(words, next + PLACE(ADDED_ROWS(at, to), s, copies, room), copies * WIDTH(to));
            UNROLL for (int i = 0; i < WIDTH_ROOM; i++)
            {
                if (i < copies * WIDTH(to))
                    value[i % copies * ITEM_VALUES + at + i / copies * RADIX(to)] = words[i];
            }
        }
    }
}

/* between - the barrier between two exchanges; none if an item writes only slots that it has read. */
INLINE void between(void)
{
    if (!SAME_SLOTS)
        barrier(CLK_LOCAL_MEM_FENCE);
}

#define LAST_STAGE (N_STAGES - 1)

/* SPLIT - a struct split. */
#define SPLIT(node, root, copies) ((struct split){node, root, copies})

/*
 * pass_forward - from the places of stage 0 to those of LAST_STAGE.
 * Barriers: 1 for each exchange, or 2, but none after the last one, so slots may still be read.
 */
INLINE void pass_forward(uint *value, __local uint *slots, TREE factor *restrict tree, uint t, modulus p, const struct split of)
{
    stage_forward(value, 0, tree, UNIT(t, 0), p, of);
#if N_STAGES > 1
    exchange(value, slots, 0, 1, t, of.copies, of.copies);
    stage_forward(value, 1, tree, UNIT(t, 1), p, of);
#endif
#if N_STAGES > 2
    between();
    exchange(value, slots, 1, 2, t, of.copies, of.copies);
    stage_forward(value, 2, tree, UNIT(t, 2), p, of);
#endif
#if N_STAGES > 3
    between();
    exchange(value, slots, 2, 3, t, of.copies, of.copies);
    stage_forward(value, 3, tree, UNIT(t, 3), p, of);
#endif
}

/*
 * pass_inverse - back; POINTS times what pass_forward was given.   Barriers: as pass_forward.
 *
 *   tree  of the inverses
 *   room  as exchange has it
 */
INLINE void pass_inverse(uint *value, __local uint *slots, TREE factor *restrict tree, uint t, modulus p, const struct split of,
                         const int room)
{
#if N_STAGES > 3
    stage_inverse(value, 3, tree, of.node, UNIT(t, 3), p, of.root);
    exchange(value, slots, 3, 2, t, 1, room);
    between();
#endif
#if N_STAGES > 2
    stage_inverse(value, 2, tree, of.node, UNIT(t, 2), p, of.root);
    exchange(value, slots, 2, 1, t, 1, room);
    between();
#endif
#if N_STAGES > 1
    stage_inverse(value, 1, tree, of.node, UNIT(t, 1), p, of.root);
    exchange(value, slots, 1, 0, t, 1, room);
#endif
    stage_inverse(value, 0, tree, of.node, UNIT(t, 0), p, of.root);
}

/* columns_put - the values of LAST_STAGE to the columns of memory; rows_from: where the item's first value is. */
INLINE void columns_put(__global uint *restrict rows_from, const uint *value, uint n_columns)
{
    const int width = WIDTH(LAST_STAGE), radix = RADIX(LAST_STAGE);
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
    {
        __global uint *restrict to = rows_from + ADDED_ROWS(at, LAST_STAGE) * n_columns;
        if (ADDED_COLUMNS(at, LAST_STAGE) % 4 != 0)
            continue;
        if (width % 4 == 0)
            *(__global uint4 *)(to + ADDED_COLUMNS(at, LAST_STAGE)) =
                (uint4)(value[at], value[at + radix], value[at + 2 * radix], value[at + 3 * radix]);
        else if (width == 2)
            *(__global uint2 *)to = (uint2)(value[at], value[at + radix]);
        else
            *to = value[at];
    }
}

/* columns_get - columns_put, undone. */
INLINE void columns_get(uint *value, __global const uint *restrict rows_from, uint n_columns)
{
    const int width = WIDTH(LAST_STAGE), radix = RADIX(LAST_STAGE);
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
    {
        __global const uint *restrict from = rows_from + ADDED_ROWS(at, LAST_STAGE) * n_columns;
        if (ADDED_COLUMNS(at, LAST_STAGE) % 4 != 0)
            continue;
        if (width % 4 == 0) {
            const uint4 four = *(__global const uint4 *)(from + ADDED_COLUMNS(at, LAST_STAGE));
            value[at] = four.x;
            value[at + radix] = four.y;
            value[at + 2 * radix] = four.z;
            value[at + 3 * radix] = four.w;
        } else if (width == 2) {
            const uint2 two = *(__global const uint2 *)from;
            value[at] = two.x;
            value[at + radix] = two.y;
        } else {
            value[at] = *from;
        }
    }
}
#endif

#endif
