/*
 * residues_mul_fused.cl - rows of both operands to their ends, their products, and back, modulo each prime.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Equals:    residues_forward over rows, products of residues, residues_inverse over rows, / 2^32.
 * Row r is a polynomial of POINTS COLUMNS coefficients.  Let y be x^COLUMNS: then there are COLUMNS polynomials in y, side by
 * side, modulo y^POINTS - d^POINTS, d = e(r' / n), r' the bits of r in reverse order, n the nodes of all rows' ends.
 *
 * COLUMNS 1: coefficient j is multiplied by d^j, so that all rows are modulo y^POINTS - 1, and have the factors of the root; on
 * the way back it is divided by it.  d^j is two factors: one for each item, one for each of its values.
 * COLUMNS > 1: a group makes the row's own factors, of which there are fewer than points.  An end is a polynomial of COLUMNS
 * coefficients modulo x^COLUMNS - r: its product takes as many products for each of them, and lengths have COLUMNS times as
 * many points as roots have an order.  COLUMNS is 1 to 8, odd ones among them.
 *
 * OPERANDS 2: both operands come as rows; 1: x is squared; 3: y is the spectrum that residues_to_spectrum left of the other
 * operand.  residues_to_spectrum (OPERANDS 0) stops at the ends of the rows of one or both, and leaves them as its items have
 * them.
 *
 * For sums of products: residues_mul_add (OPERANDS 4) multiplies up to four pairs of such spectra, and adds the products to a
 * sum, or sets that (of.add 0); of.minus subtracts some.  spectrum_to_residues (OPERANDS 5) goes the way back from a spectrum y.
 *
 * ND-range:  dimension 0: N_PRIMES n_rows groups of GROUP_ITEMS items, those of a prime side by side; 1: 1 item;
 *            residues_to_spectrum: the operands, 1 or 2.
 *   x       i/o  n residues for each prime: the product's; residues_to_spectrum: in
 *   y       in   those of the other operand, or its spectrum; OPERANDS 1: not read
 *   sum, a0, b0 .., of   as in spectrum_mul_add.cl
 *   x_to, y_to   out  residues_to_spectrum: the spectra
 *   tables  in   see residue_passes.cl
 *   n_rows  in   a power of two
 * Local:     4 ROW_WORDS bytes, and
 *            COLUMNS 1:   16 ITEM_VALUES, but none in residues_mul_add;
 *            COLUMNS > 1: 8 WAYS POINTS.
 * Barriers:  those of the exchanges, and
 *            COLUMNS 1:   1, or 2 if OPERANDS is 2; none in residues_mul_add;
 *            COLUMNS > 1: 6; 2 in residues_to_spectrum, 3 in spectrum_to_residues, 2 and 3 for each product in residues_mul_add.
 * Tunables:  those of residue_passes.cl; OPERANDS, 0 to 5.
 */
#if COLUMNS > 1 && !defined TREE
#define TREE __local const
#endif
#include "arguments.h"
#include "residue_passes.cl"

/* bits_reversed - the lowest n bits. */
INLINE uint bits_reversed(uint x, uint n)
{
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
    x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
    x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
    x = (x & 0x00ff00ff) << 8 | (x >> 8 & 0x00ff00ff);
    x = x << 16 | x >> 16;
    return x >> (31 - n) >> 1;
}

#if COLUMNS > 1
/*
 * The ends of a row are polynomials of COLUMNS coefficients, those of both operands side by side.  Items have written a
 * coefficient of each, and read each as a whole, four words at once if that is possible.  Padding keeps both free of bank
 * conflicts.
 */
#define LEAF_WORDS (OPERANDS >= 2 ? 2 : 1) /* for each coefficient */
#if COLUMNS % 4 == 0
#define LEAF_PADDED(word)      ((word) + (word) / BANKS * 4)
#define LEAF_WORD(row, column) LEAF_PADDED(((row) * COLUMNS + (column)) * LEAF_WORDS)
#define LEAF_SLOTS             (POINTS * COLUMNS * LEAF_WORDS + (POINTS * COLUMNS * LEAF_WORDS + BANKS - 1) / BANKS * 4)
#else
#define LEAF_WORD(row, column) (((row) * (COLUMNS | 1) + (column)) * LEAF_WORDS)
#define LEAF_SLOTS             (POINTS * (COLUMNS | 1) * LEAF_WORDS)
#endif
#define LEAF_WIDTH (COLUMNS % 4 == 0 ? WIDTH(LAST_STAGE) : 1) /* columns that an item has side by side there */

/* The first word of the product at an end, in its place. */
#define LEAF_PRODUCT(row) (LEAF_WORD(row, 0) + (COLUMNS == 8 && LEAF_WORDS == 2 ? (row) / 16 % 2 * 8 : 0))

/* The ends that an item takes: those of the items that have its rows, if these come out even.  Then only those meet. */
#define LEAF_SHARERS (COLUMNS / WIDTH(LAST_STAGE))
#define LEAF_ROWS    (ITEM_VALUES / WIDTH(LAST_STAGE))
#if LEAF_ROWS % LEAF_SHARERS == 0
#define LEAF_ITEMS    LEAF_SHARERS
#define LEAF_PLACE(i, t) ((t) % LEAF_SHARERS * (LEAF_ROWS / LEAF_SHARERS) + (i)) /* among LEAF_ROWS */
#define LEAF_OF(i, t)                                                                                                           \
    (FIRST_ROW(UNIT(t, LAST_STAGE), LAST_STAGE) + LEAF_PLACE(i, t) % RADIX(LAST_STAGE) +                                        \
     LEAF_PLACE(i, t) / RADIX(LAST_STAGE) * (ITEMS * WIDTH(LAST_STAGE) * RADIX(LAST_STAGE)))
#else
#define LEAF_ITEMS    GROUP_ITEMS
#define LEAF_OF(i, t) ((t) + (i) * GROUP_ITEMS)
#endif

/* Items that may meet slots of each other's in the last exchange and at the ends: each part of stage 0 has a room of its own. */
#define LEAF_NEIGHBOURS                                                                                                         \
    (SAME_SLOTS && SLOTS * COPIES == LEAF_SLOTS && PART(0) * COLUMNS % BANKS == 0 ? PARTNERS(2) : GROUP_ITEMS)

/* leaf_load - an end of both operands; of one: b = a. */
INLINE void leaf_load(uint *a, uint *b, __local const uint *words)
{
#if COLUMNS % 4 == 0 && LEAF_WORDS == 2
    UNROLL for (int j = 0; j < COLUMNS; j += 2)
    {
        const uint4 four = ((__local const uint4 *)words)[j / 2];
        a[j] = four.x;
        b[j] = four.y;
        a[j + 1] = four.z;
        b[j + 1] = four.w;
    }
#elif COLUMNS % 4 == 0
    UNROLL for (int j = 0; j < COLUMNS; j += 4)
    {
        const uint4 four = ((__local const uint4 *)words)[j / 4];
        a[j] = b[j] = four.x;
        a[j + 1] = b[j + 1] = four.y;
        a[j + 2] = b[j + 2] = four.z;
        a[j + 3] = b[j + 3] = four.w;
    }
#elif LEAF_WORDS == 2
    UNROLL for (int j = 0; j < COLUMNS; j++)
    {
        const uint2 both = ((__local const uint2 *)words)[j];
        a[j] = both.x;
        b[j] = both.y;
    }
#else
    UNROLL for (int j = 0; j < COLUMNS; j++) a[j] = b[j] = words[j];
#endif
}

INLINE void leaf_store(__local uint *words, const uint *value)
{
#if COLUMNS % 4 == 0
    UNROLL for (int j = 0; j < COLUMNS / 4; j++)
        ((__local uint4 *)words)[j] = (uint4)(value[4 * j], value[4 * j + 1], value[4 * j + 2], value[4 * j + 3]);
#else
    UNROLL for (int j = 0; j < COLUMNS; j++) words[j] = value[j];
#endif
}

/* leaf_sum - coefficient i of a b, b = turned behind the end, / 2^32. */
INLINE uint leaf_sum(const uint *a, const uint *b, const uint *turned, const int i, uint inverse, modulus p)
{
    ulong sum = 0; /* its upper word below 2 LIMIT: of products, LIMIT^2 < 2^31 LIMIT */
    UNROLL for (int j = 0; j < COLUMNS; j++)
    {
        if (j >= 4 && j % 2 == 0)
            sum = (ulong)residue_once((uint)(sum >> 32), p) << 32 | (uint)sum; /* below LIMIT */
        sum += (ulong)a[j] * (j <= i ? b[i - j] : turned[COLUMNS + i - j]);
    }
    return residue_sub(residue_once((uint)(sum >> 32), p), mul_hi((uint)sum * inverse, p.prime), p);
}

#if POINTS % GROUP_ITEMS == 0
#define IN_ROW(k)     1
#define AS_DEEP(k, i) ((i) * GROUP_ITEMS) /* the first node of those that a group makes at once */
#else
#define IN_ROW(k)     ((k) < POINTS)
#define AS_DEEP(k, i) (k)
#endif

#define WAYS (OPERANDS == 0 || OPERANDS == 4 ? 1 : 2) /* trees of a row: without a way back the first alone */

/*
 * row_trees - the factors of a row's nodes: of node i of 2^v that are v levels below it, factor 2^v + i.  Behind them, if WAYS is
 * 2, their inverses.
 *
 *   turns  room for 2 log2(POINTS) words
 *   angle  r'
 * A factor is that of the same node of the root, from the tables, times a root that all nodes of a level share.
 * Barriers: 1, and the caller's behind.
 */
INLINE void row_trees(__local factor *tree, __local uint *turns, __global const factor *restrict own, uint4 layout, uint angle,
                      uint t, modulus p)
{
    __global const uint *restrict constants = (__global const uint *)own;
    const uint2 reciprocal = (uint2)(constants[RESIDUE_RECIPROCAL], constants[RESIDUE_RECIPROCAL + 1]);
    const uint levels = popcount(POINTS - 1);
    for (uint i = t; i < WAYS * levels; i += GROUP_ITEMS) {
        const uint exponent = angle << (levels - 1 - i % levels); /* < n / 2 */
        turns[i] = root_power(own, layout, i < levels ? exponent : (0 - exponent) & ((1u << layout.w) - 1), p);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (uint i = 0; i < (POINTS + GROUP_ITEMS - 1) / GROUP_ITEMS; i++)
    {
        const uint k = t + i * GROUP_ITEMS;
        if (i > 0 ? IN_ROW(k) : (k > 0) & IN_ROW(k)) {
            const uint depth = 31 - clz(i > 0 ? AS_DEEP(k, i) : k);
            UNROLL for (uint way = 0; way < WAYS; way++)
            {
                const factor w = own[RESIDUE_CONSTANTS + way * layout.y + (k - (1u << depth))];
                const uint turned = residue_exact(residue_mul(turns[way * levels + depth], w, p), p);
                tree[way * POINTS + k] = factor_of(turned, reciprocal, p);
            }
        }
    }
}

/*
 * leaves_mul - a = a b / 2^32 of all ends of a row, as items left them.
 *
 * End k is a polynomial modulo x^COLUMNS - r, r = w or -w of the node above.   Barriers: 2, of LEAF_ITEMS items.
 */
INLINE void leaves_mul(__local uint *slots, __local const factor *tree, uint t, uint inverse, modulus p)
{
    meet(LEAF_ITEMS);
    for (uint i = 0; i < (POINTS + GROUP_ITEMS - 1) / GROUP_ITEMS; i++) {
        const uint k = LEAF_OF(i, t);
        if (!IN_ROW(k))
            break;
        const factor w = tree[POINTS / 2 + k / 2], root = k % 2 ? (factor)(p.prime - w.x, ~w.y) : w;
        uint a[COLUMNS], b[COLUMNS], turned[COLUMNS], product[COLUMNS];
        leaf_load(a, b, slots + LEAF_WORD(k, 0));
        UNROLL for (int j = 0; j < COLUMNS; j++) turned[j] = j > 0 ? residue_mul(b[j], root, p) : 0;
        UNROLL for (int j = 0; j < COLUMNS; j++) product[j] = leaf_sum(a, b, turned, j, inverse, p);
        leaf_store(slots + LEAF_PRODUCT(k), product);
    }
    meet(LEAF_ITEMS);
}
#endif

/* The products of residues_mul_add, one after another. */
#define FOR_PRODUCTS for (uint which = 0; which < of.n; which++)
#define PRODUCT_A    (which == 0 ? a0 : which == 1 ? a1 : which == 2 ? a2 : a3)
#define PRODUCT_B    (which == 0 ? b0 : which == 1 ? b1 : which == 2 ? b2 : b3)

#if OPERANDS == 4
/* product_add - the products before number `which`, and that one, or minus that one. */
INLINE uint product_add(uint before, uint product, uint which, const struct mul_add_arguments of, modulus p)
{
    const uint one = of.minus >> which & 1 ? residue_sub(0, product, p) : product;
    return which > 0 ? residue_add(before, one, p) : one;
}
#endif

#define COPIES (OPERANDS == 2 ? 2 : 1) /* that are transformed */
#if COLUMNS > 1
#define ROW_WORDS LARGER_OF(COPIES * SLOTS, LEAF_SLOTS)
#else
#define ROW_WORDS (COPIES * SLOTS)
#endif

#if OPERANDS == 0
__kernel FIXED_GROUP_SIZE
void residues_to_spectrum(__global const uint *restrict x, __global const uint *restrict y, __global uint *restrict x_to,
                          __global uint *restrict y_to, __global const factor *restrict tables, uint4 layout, uint n_rows)
#elif OPERANDS == 4
__kernel FIXED_GROUP_SIZE
void residues_mul_add(__global uint *restrict sum, __global const uint *a0, __global const uint *b0, __global const uint *a1,
                      __global const uint *b1, __global const uint *a2, __global const uint *b2, __global const uint *a3,
                      __global const uint *b3, __global const factor *restrict tables, uint4 layout, uint n_rows,
                      const struct mul_add_arguments of)
#elif OPERANDS == 5
__kernel FIXED_GROUP_SIZE
void spectrum_to_residues(__global uint *restrict x, __global const uint *restrict y, __global const factor *restrict tables,
                          uint4 layout, uint n_rows)
#else
__kernel FIXED_GROUP_SIZE
void residues_mul_fused(__global uint *restrict x, __global const uint *restrict y, __global const factor *restrict tables,
                        uint4 layout, uint n_rows)
#endif
{
    __local uint slots[ROW_WORDS] __attribute__((aligned(16)));
    const uint t = get_local_id(0);
    const uint group = get_group_id(0), row_bits = popcount(n_rows - 1), prime = group >> row_bits, row = group & (n_rows - 1);
    __global const factor *restrict own = tables + (size_t)prime * layout.x;
    __global const uint *restrict constants = (__global const uint *)own;
    const uint angle = bits_reversed(row, row_bits);
    const modulus p = modulus_of(prime);
#if OPERANDS == 0
    __global const uint *restrict x_row = (get_group_id(1) ? y : x) + ((size_t)group * (POINTS * COLUMNS) + t);
    __global uint *restrict to_row = (get_group_id(1) ? y_to : x_to) + ((size_t)group * (POINTS * COLUMNS) + t);
#elif OPERANDS == 4
    const size_t place = (size_t)group * (POINTS * COLUMNS) + t;
    __global uint *restrict sum_row = sum + place;
    uint total[ITEM_VALUES];
#else
    __global uint *restrict x_row = x + ((size_t)group * (POINTS * COLUMNS) + t);
    __global const uint *restrict y_row = y + ((size_t)group * (POINTS * COLUMNS) + t);
#endif
    uint value[COPIES * ITEM_VALUES];

#if COLUMNS > 1
    __local factor tree[WAYS * POINTS] __attribute__((aligned(16)));
    const int radix = RADIX(LAST_STAGE);
    const uint end = FIRST_ROW(UNIT(t, LAST_STAGE), LAST_STAGE), column = FIRST_COLUMN(t, LAST_STAGE);
    __local uint *own_slots = slots + LEAF_WORD(end, column);
    __local const uint *own_product = slots + LEAF_PRODUCT(end) + column;
#if OPERANDS != 4
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
    {
#if OPERANDS == 5 /* as items have them */
        value[at] = y_row[at * GROUP_ITEMS];
#else
        value[at] = x_row[ADDED_ROWS(at, 0) * COLUMNS];
#endif
#if OPERANDS == 2
        value[ITEM_VALUES + at] = y_row[ADDED_ROWS(at, 0) * COLUMNS];
#endif
    }
#endif
    row_trees(tree, slots, own, layout, angle, t, p);
    barrier(CLK_LOCAL_MEM_FENCE);
#if OPERANDS < 4
    pass_forward(value, slots, tree, t, p, SPLIT(1, 0, COPIES));
#endif
#if OPERANDS == 0
    UNROLL for (int at = 0; at < ITEM_VALUES; at++) to_row[at * GROUP_ITEMS] = value[at];
#else
#if OPERANDS == 4
    FOR_PRODUCTS
    {
    __global const uint *x_row = PRODUCT_A + place, *y_row = PRODUCT_B + place;
    UNROLL for (int at = 0; at < ITEM_VALUES; at++) value[at] = x_row[at * GROUP_ITEMS];
    barrier(CLK_LOCAL_MEM_FENCE); /* the product before has been read */
#elif OPERANDS != 5
    meet(LEAF_NEIGHBOURS);
#endif
#if OPERANDS != 5
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
    {
        uint words[WIDTH_ROOM];
        if (ADDED_COLUMNS(at, LAST_STAGE) % LEAF_WIDTH != 0)
            continue;
        UNROLL for (int i = 0; i < LEAF_WIDTH * LEAF_WORDS; i++)
        {
            const int from = at + i / LEAF_WORDS * radix;
            if (i % LEAF_WORDS == 0)
                words[i] = value[from];
            else
                words[i] = OPERANDS >= 3 ? y_row[from * GROUP_ITEMS] : value[(COPIES - 1) * ITEM_VALUES + from];
        }
        words_put(own_slots + LEAF_WORD(ADDED_ROWS(at, LAST_STAGE), ADDED_COLUMNS(at, LAST_STAGE)), words,
                  LEAF_WIDTH * LEAF_WORDS);
    }
    leaves_mul(slots, tree, t, constants[RESIDUE_P_INVERSE], p);
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
    {
        uint words[WIDTH_ROOM];
        if (ADDED_COLUMNS(at, LAST_STAGE) % LEAF_WIDTH != 0)
            continue;
        words_get(words, own_product + (LEAF_PRODUCT(ADDED_ROWS(at, LAST_STAGE)) + ADDED_COLUMNS(at, LAST_STAGE)), LEAF_WIDTH);
        UNROLL for (int i = 0; i < LEAF_WIDTH; i++) value[at + i * radix] = words[i];
    }
#endif
#if OPERANDS == 4
    UNROLL for (int at = 0; at < ITEM_VALUES; at++) total[at] = product_add(total[at], value[at], which, of, p);
    }
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
        sum_row[at * GROUP_ITEMS] = of.add ? residue_add(sum_row[at * GROUP_ITEMS], total[at], p) : total[at];
#else
    meet(LEAF_NEIGHBOURS);
    pass_inverse(value, slots, tree + POINTS, t, p, SPLIT(1, 0, 1), COPIES);
    UNROLL for (int at = 0; at < ITEM_VALUES; at++) x_row[ADDED_ROWS(at, 0) * COLUMNS] = value[at];
#endif
#endif
#else
#if OPERANDS != 4
    __local factor turn[2 * ITEM_VALUES];
    __global const factor *restrict tree = own + RESIDUE_CONSTANTS;
    const uint2 reciprocal = (uint2)(constants[RESIDUE_RECIPROCAL], constants[RESIDUE_RECIPROCAL + 1]);
    const uint n_mask = (1u << layout.w) - 1;
    /* value `at` of item t is coefficient t + ITEMS k; k is its place among those of stage 0 */
    for (uint i = t; i < 2 * ITEM_VALUES; i += ITEMS) {
        const uint at = i % ITEM_VALUES, k = at % R0 * (ITEM_VALUES / R0) + at / R0, forth = angle * k * ITEMS & n_mask;
        turn[i] = factor_of(root_power(own, layout, i < ITEM_VALUES ? forth : (0 - forth) & n_mask, p), reciprocal, p);
    }
    const factor forth = factor_of(root_power(own, layout, angle * t & n_mask, p), reciprocal, p);
    barrier(CLK_LOCAL_MEM_FENCE);

    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
    {
#if OPERANDS == 5
        value[at] = y_row[at * GROUP_ITEMS];
#else
        value[at] = residue_mul(residue_mul(x_row[ADDED_ROWS(at, 0)], forth, p), turn[at], p);
#endif
#if OPERANDS == 2
        value[ITEM_VALUES + at] = residue_mul(residue_mul(y_row[ADDED_ROWS(at, 0)], forth, p), turn[at], p);
#endif
    }
#endif
#if OPERANDS < 4
    pass_forward(value, slots, tree, t, p, SPLIT(0, 1, COPIES));
#endif
#if OPERANDS == 0
    UNROLL for (int at = 0; at < ITEM_VALUES; at++) to_row[at * GROUP_ITEMS] = value[at];
#else
#if OPERANDS == 4
    FOR_PRODUCTS
    {
    __global const uint *x_row = PRODUCT_A + place, *y_row = PRODUCT_B + place;
    UNROLL for (int at = 0; at < ITEM_VALUES; at++) value[at] = x_row[at * GROUP_ITEMS];
#endif
#if OPERANDS != 5
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
    {
        const uint other = OPERANDS >= 3 ? y_row[at * GROUP_ITEMS] : value[(COPIES - 1) * ITEM_VALUES + at];
        value[at] = residue_mul_any(value[at], other, constants[RESIDUE_P_INVERSE], p);
    }
#endif
#if OPERANDS == 4
    UNROLL for (int at = 0; at < ITEM_VALUES; at++) total[at] = product_add(total[at], value[at], which, of, p);
    }
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
        sum_row[at * GROUP_ITEMS] = of.add ? residue_add(sum_row[at * GROUP_ITEMS], total[at], p) : total[at];
#else
#if N_STAGES > 1 && OPERANDS == 2 /* of one operand each item writes the slots that it has read */
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    pass_inverse(value, slots, tree + layout.y, t, p, SPLIT(0, 1, 1), 1);
    const factor back = factor_of(root_power(own, layout, (0 - angle * t) & n_mask, p), reciprocal, p);
    UNROLL for (int at = 0; at < ITEM_VALUES; at++)
        x_row[ADDED_ROWS(at, 0)] = residue_mul(residue_mul(value[at], back, p), turn[ITEM_VALUES + at], p);
#endif
#endif
#endif
}
