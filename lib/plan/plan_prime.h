/*
 * plan_prime.h - plans of products of limbs modulo three or four primes on the CPU: sizes, and where points lie.
 *
 * Digits of l = digits.exponent bits, 0 <= digit < 2^l, are reduced modulo one prime after the other.  The coefficients of the
 * product's polynomial are below half of the primes' product, so their residues determine them.
 *
 * A transform has n = n_rows * row_points points: point j is in row j / row_points.  Columns are transformed first, strip by
 * strip of PRIME_STRIP columns.  Then each row r' is multiplied by the powers of a root, and transformed.
 *
 * In memory, PRIME_STRIP rows form a group, which has a square of each strip.  Between both transforms the squares are
 * transposed.  Then a column's points of all rows of the group lie side by side, so that vectors go across rows, and all passes
 * are those of strips.
 *
 * A halved shape has points for half of the product: n_digits = 2 n_points.  It is made modulo x^n - 1 and modulo x^n + 1.
 */
#ifndef GFMUL_PLAN_PRIME_H
#define GFMUL_PLAN_PRIME_H

#include "plan/plan.h"
#include "plan/prime_table.h"

enum { PRIME_STRIP = 8, PRIME_DIGIT_BITS_MIN = 49, PRIME_DIGIT_BITS_MAX = 96, PRIME_LOW_BITS = 48 };
enum { PRIME_ROW_LEVELS_MIN = 6, PRIME_ROW_LEVELS_MAX = 14, PRIME_LEVELS_MIN = 5 /* of columns: nodes have whole groups */ };
enum { PRIME_CUTS = 2 };       /* digits are cut for this many primes at once */
enum { PRIME_RUN = 64 };       /* digits in a run: a run has whole limbs, so carries begin at a limb */
enum { PRIME_TAIL_LIMBS = 4 }; /* limbs that the carry out of a part of the coefficients can fill */

/* plan_prime_refuses, plan_prime_least_ps - members of the field.   Source: doc/error-bound.md, section 22. */
const char *plan_prime_refuses(const struct plan_request *request);
double plan_prime_least_ps(const struct plan_request *request);

/* plan_prime_rows - arrange odd 2^log2_n points in rows of 2^row_levels: PRIME_ROW_LEVELS_MIN .. log2_n - PRIME_LEVELS_MIN. */
void plan_prime_rows(struct plan_shape *shape, unsigned odd, unsigned log2_n, unsigned row_levels);

/* prime_is_halved - whether the product is made in halves. */
static inline bool prime_is_halved(const struct plan_shape *s)
{
    return s->transform.n_digits > s->transform.n_points;
}

/* prime_offset_bits - coefficients modulo x^n + 1, or of a space's sums, are below 2^bits in size.  Adding 2^bits raises all. */
unsigned prime_offset_bits(const struct plan_shape *s);

/*
 * A strip's rows lie in blocks, each of which is a node of a tree.  Blocks are padded by some lines, because otherwise rows at
 * the same place of all blocks would share a cache set.
 *
 * prime_outer_levels - levels of the trees above the nodes: 1 or 2, whichever leaves an even number below.
 */
enum { PRIME_BLOCK_PAD = 5 /* rows */ };
static inline unsigned prime_outer_levels(const struct plan_shape *s)
{
    return 2 - s->transform.column_levels % 2;
}

/* prime_strip_row - the place of row j in a strip;  prime_strip_doubles - doubles of all rows. */
static inline size_t prime_strip_row(const struct plan_shape *s, size_t j)
{
    return (j + (j >> (s->transform.column_levels - prime_outer_levels(s))) * PRIME_BLOCK_PAD) * PRIME_STRIP;
}
static inline size_t prime_strip_doubles(const struct plan_shape *s)
{
    return prime_strip_row(s, s->transform.n_rows);
}

/* prime_buffer_doubles - per transform;  prime_scratch_doubles - per thread;  prime_table_doubles - all tables of one prime. */
static inline size_t prime_buffer_doubles(const struct plan_shape *s)
{
    return s->transform.n_rows / PRIME_STRIP * s->transform.row_stride;
}
static inline size_t prime_scratch_doubles(const struct plan_shape *s)
{
    const size_t strips = (1 + PRIME_CUTS) * prime_strip_doubles(s); /* a strip, and its digits */
    const size_t group = s->transform.row_points * PRIME_STRIP;
    return strips > group ? strips : group;
}
size_t prime_table_doubles(const struct plan_shape *s);

/* prime_sums_scratch - doubles per thread for sums of products: groups of rows of the factors that pass, or a strip. */
enum { PRIME_PASSING = 2 * PLAN_SUM_BLOCK };
static inline size_t prime_sums_scratch(const struct plan_shape *s)
{
    const size_t groups = PRIME_PASSING * s->transform.row_points * PRIME_STRIP, strips = prime_scratch_doubles(s);
    return groups > strips ? groups : strips;
}

/* prime_kept_doubles - a kept spectrum modulo all primes, and their tables. */
static inline size_t prime_kept_doubles(const struct plan_shape *s)
{
    return s->transform.n_primes * (prime_buffer_doubles(s) + prime_table_doubles(s));
}

/* prime_root_count - roots of the tree, for columns and rows alike.   prime_whole_lines - doubles, rounded up to cache lines. */
size_t prime_root_count(const struct plan_shape *s);
static inline size_t prime_whole_lines(size_t n)
{
    return (n + 7) / 8 * 8;
}

/* prime_ring_limbs - limbs of a product modulo x^n - 1, or x^n + 1, without its tail. */
static inline size_t prime_ring_limbs(const struct plan_shape *s)
{
    return s->transform.n_points / 64 * s->digits.exponent;
}

/* prime_lends - whether the other operand's residues fit into the limbs of the product, zn, which are unused until the end. */
static inline bool prime_lends(const struct plan_shape *s, size_t zn)
{
    return zn >= prime_buffer_doubles(s) + PRIME_STRIP; /* the strip allows alignment to a cache line */
}

/* prime_other_doubles - the buffer for the other operand's residues; in halves, also for its second half. */
size_t prime_other_doubles(const struct plan_shape *s, size_t zn);

/* prime_join_parts - the number of parts in which coefficients are carried. */
size_t prime_join_parts(const struct plan_shape *s, unsigned threads);

/* prime_place - the place of coefficient j after columns_to_residues. */
static inline size_t prime_place(const struct plan_shape *s, size_t j)
{
    const size_t row = j / s->transform.row_points, column = j % s->transform.row_points;
    return row / PRIME_STRIP * s->transform.row_stride + (column / PRIME_STRIP * PRIME_STRIP + row % PRIME_STRIP) * PRIME_STRIP +
           column % PRIME_STRIP;
}

/* prime_product_bits - log2 of the product of the first n primes, rounded down. */
double prime_product_bits(unsigned n);

#endif
