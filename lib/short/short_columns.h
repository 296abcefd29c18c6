/*
 * short_columns.h - products of more digits, by Karatsuba steps on columns.
 *
 * A number is cut into a0 of h digits and a1, the rest; h is whole vectors.  Sums of digits are not carried, so each step makes
 * digits of one more bit, and r + steps <= DIGIT_BITS, called D below (squares that double digits: D - 1).  Columns are not
 * carried either; they are signed, and taken modulo 2^64.
 *
 * A product of the schoolbook has at most m <= BASE_DIGITS digits.  If these are below 2^(r + u) after u sums, its columns
 * are below m 2^D (1 + 2^(2 u + r - D)), which is 17 m 2^D at most.  After one step they lie between -10 and 22 times m 2^D,
 * after two between -28 and 37, so they are below 2^63.  From the third step on the middle part is reduced (columns_reduce),
 * because its digits are sums of one more; the outer parts' digits have fewer sums, so their columns are smaller by far.
 * proof/ranges_short.c has the ranges of each size.
 *
 * Included by short_blocks.h, after the definitions of an instruction set.
 */
#ifndef GFMUL_SHORT_COLUMNS_H
#define GFMUL_SHORT_COLUMNS_H

#include <stdbool.h>

#include "short/short_sizes.h"

enum { STEPS_REDUCED = 3 /* the first step whose middle part is reduced */ };

static inline size_t vectors_of(size_t digits)
{
    return (digits + LANES - 1) / LANES;
}

/* half_of - h: about half of n, in whole vectors. */
static inline size_t half_of(size_t n)
{
    return (n / 2 + LANES / 2) / LANES * LANES;
}

/* steps_of - steps until no part is longer than BASE_DIGITS.   *r i/o: bits of a digit; each step takes one. */
static inline unsigned steps_of(size_t limbs, unsigned *r)
{
    const unsigned most = *r;
    for (unsigned steps = 0;; steps++) {
        *r = most - steps;
        size_t n = digits_of(limbs, *r);
        for (unsigned i = 0; i < steps; i++)
            n = n - half_of(n) > half_of(n) ? n - half_of(n) : half_of(n);
        if (n <= BASE_DIGITS)
            return steps;
    }
}

/* sums_make - a0 + a1, digits of h and of n - h; zeros fill the last vector, as they do in a. */
SHORT_INLINE void sums_make(uint64_t *sum, const uint64_t *a, size_t n, size_t h)
{
    const size_t g = LANES * vectors_of(n - h), both = h < g ? h : g;
    size_t k = 0;
    for (; k < both; k += LANES)
        store(sum + k, digits_sum(load(a + k), load(a + h + k)));
    for (; k < h; k += LANES)
        store(sum + k, load(a + k));
    for (; k < g; k += LANES)
        store(sum + k, load(a + h + k));
}

/*
 * columns_reduce - move the bits of each column from r on to the next one: 0 <= c[k] + 2^15 < 2^r + 2^16.
 *
 * The last column keeps its bits: it is the highest part of the product, which is small because the others are.   n vectors.
 */
SHORT_INLINE void columns_reduce(uint64_t *c, size_t n, unsigned r)
{
    vec before = columns_zero();
    for (; n > 0; n--, c += LANES) {
        const vec x = load(c);
        store(c, columns_sum(columns_rest(x, r, n == 1), columns_carry(x, before, r)));
        before = x;
    }
}

/*
 * parts_join - the columns of a product from the columns of its parts.
 *
 *   c  i/o  in: 2 h columns of a0 b0, then n2 of a1 b1.  out: all columns of a b
 *   m  in   n1 columns of (a0 + a1) (b0 + b1); 2 h <= n1 <= h + n2
 *
 * Column k of the middle part m - a0 b0 - a1 b1 belongs to column h + k.  All counts are whole vectors.
 */
SHORT_INLINE void parts_join(uint64_t *c, const uint64_t *m, size_t h, size_t n1, size_t n2)
{
    const uint64_t *z2 = c + 2 * h;
    const size_t whole = n2 < 2 * h ? n2 - h : h;
    size_t k = 0;
    for (; k < whole; k += LANES) {
        const vec low = load(c + k), middle = load(c + h + k), high = load(c + 2 * h + k), top = load(c + 3 * h + k);
        const vec between = columns_difference(middle, high);
        store(c + h + k, columns_sum(columns_difference(load(m + k), low), between));
        store(c + 2 * h + k, columns_difference(columns_difference(load(m + h + k), top), between));
    }
    for (; k < h; k += LANES) {
        const vec low = load(c + k), middle = load(c + h + k), high = load(c + 2 * h + k);
        const vec between = columns_difference(middle, high);
        store(c + h + k, columns_sum(columns_difference(load(m + k), low), between));
        store(c + 2 * h + k, columns_difference(load(m + h + k), between));
    }
    for (k = 2 * h; k < n1; k += LANES)
        store(c + h + k, columns_sum(load(c + h + k), load(m + k)));
    for (k = 2 * h; k < n2; k += LANES)
        store(c + h + k, columns_difference(load(c + h + k), load(z2 + k)));
}

/* parts_add - the columns of a product by a short b: c has nc of a0 b, m has n1 of a1 b, which belong h columns higher. */
SHORT_INLINE void parts_add(uint64_t *c, const uint64_t *m, size_t h, size_t nc, size_t n1)
{
    size_t k = 0;
    for (; h + k < nc; k += LANES)
        store(c + h + k, columns_sum(load(c + h + k), load(m + k)));
    for (; k < n1; k += LANES)
        store(c + h + k, load(m + k));
}

/* columns_split - columns_mul of at least one step. */
SHORT_NOINLINE void columns_split(uint64_t *c, struct digit_row a, struct digit_row b, unsigned r, unsigned steps, base_set set,
                                  uint64_t *t);

/*
 * columns_mul - the columns of a product.
 *
 *   c      out  8 (vectors_of(a.n) + vectors_of(b.n)) columns, signed; aligned
 *   a, b   in   digits below 2^(r + u), u of at most 4 - steps; aligned.  1 <= b.n <= a.n.  ROW_MARGIN words on both sides of
 *               their whole vectors may be read
 *   steps  in   of Karatsuba: after them a.n is at most BASE_DIGITS
 *   set    in   the schoolbook for the parts
 *   t      out  scratch: 4 a.n + 64 words; aligned, and as `a`
 */
SHORT_INLINE void columns_mul(uint64_t *c, struct digit_row a, struct digit_row b, unsigned r, unsigned steps, base_set set,
                              uint64_t *t)
{
    if (steps == 0)
        base_mul(set, c, a, b, DIGIT_BITS - r);
    else
        columns_split(c, a, b, r, steps, set, t);
}

SHORT_NOINLINE void columns_split(uint64_t *c, struct digit_row a, struct digit_row b, unsigned r, unsigned steps, base_set set,
                                  uint64_t *t)
{
    const size_t h = half_of(a.n), ga = a.n - h;
    const struct digit_row a0 = {a.digit, h}, a1 = {a.digit + h, ga};
    if (b.n <= h) {
        const size_t bn = LANES * vectors_of(b.n), n1 = LANES * vectors_of(ga) + bn;
        columns_mul(c, a0, b, r, steps - 1, set, t + n1);
        if (b.n <= ga)
            columns_mul(t, a1, b, r, steps - 1, set, t + n1);
        else
            columns_mul(t, b, a1, r, steps - 1, set, t + n1);
        if (steps == STEPS_REDUCED && steps < DIGIT_BITS - r) {
            columns_reduce(c, (h + bn) / LANES, r);
            columns_reduce(t, n1 / LANES, r);
        }
        parts_add(c, t, h, h + bn, n1);
        return;
    }
    const size_t gb = b.n - h, ma = ga > h ? ga : h, mb = gb > h ? gb : h;
    const size_t n1 = LANES * (vectors_of(ma) + vectors_of(mb)), n2 = LANES * (vectors_of(ga) + vectors_of(gb));
    uint64_t *a_sum = t + n1, *b_sum = a_sum + LANES * vectors_of(ma), *rest = b_sum + LANES * vectors_of(mb);
    columns_mul(c, a0, (struct digit_row){b.digit, h}, r, steps - 1, set, rest);
    columns_mul(c + 2 * h, a1, (struct digit_row){b.digit + h, gb}, r, steps - 1, set, rest);
    sums_make(a_sum, a.digit, a.n, h);
    sums_make(b_sum, b.digit, b.n, h);
    columns_mul(t, (struct digit_row){a_sum, ma}, (struct digit_row){b_sum, mb}, r, steps - 1, set, rest);
    if (steps >= STEPS_REDUCED)
        columns_reduce(t, n1 / LANES, r);
    parts_join(c, t, h, n1, n2);
}

/* How a square is made: its schoolbook and the bits of its digits. */
struct sqr_way {
    base_set set;
    unsigned r;
};

/* columns_split_sqr - columns_sqr of at least one step. */
SHORT_NOINLINE void columns_split_sqr(uint64_t *c, const uint64_t *a, size_t n, const struct sqr_way *way, unsigned steps,
                                      uint64_t *t);

/* columns_sqr - the same for a square, 16 vectors_of(n) columns: r + u <= base_sqr_bits(way->set). */
SHORT_INLINE void columns_sqr(uint64_t *c, const uint64_t *a, size_t n, const struct sqr_way *way, unsigned steps, uint64_t *t)
{
    if (steps == 0)
        base_sqr(way->set, c, (struct digit_row){a, n}, DIGIT_BITS - way->r);
    else
        columns_split_sqr(c, a, n, way, steps, t);
}

SHORT_NOINLINE void columns_split_sqr(uint64_t *c, const uint64_t *a, size_t n, const struct sqr_way *way, unsigned steps,
                                      uint64_t *t)
{
    const size_t h = half_of(n), g = n - h, m = g > h ? g : h;
    const size_t n1 = 2 * LANES * vectors_of(m), n2 = 2 * LANES * vectors_of(g);
    uint64_t *sum = t + n1, *rest = sum + n1 / 2;
    columns_sqr(c, a, h, way, steps - 1, rest);
    columns_sqr(c + 2 * h, a + h, g, way, steps - 1, rest);
    sums_make(sum, a, n, h);
    columns_sqr(t, sum, m, way, steps - 1, rest);
    if (steps >= STEPS_REDUCED)
        columns_reduce(t, n1 / LANES, way->r);
    parts_join(c, t, h, n1, n2);
}

#endif
