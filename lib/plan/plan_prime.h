/*
 * plan_prime.h - plans of products of limbs modulo three or four primes on the CPU: sizes, and where points lie.
 *
 * Digits of l = digits.exponent bits, 0 <= digit < 2^l, are reduced modulo one prime after the other.  The coefficients of the
 * product's polynomial are below half of the primes' product, so that their residues determine them.
 *
 * A transform has n = n_rows * row_points points: point j is in row j / row_points.  Columns are transformed first, strip by
 * strip of PRIME_STRIP columns; then row r' is multiplied by the powers of a root, and transformed.
 *
 * PRIME_STRIP rows are a group in memory, which has a square of each strip.  Between both transforms squares are transposed: a
 * column's points of all rows of the group lie side by side, so that vectors go across rows, and all passes are those of strips.
 *
 * A shape that is halved has points for half of the product: n_digits = 2 n_points.  It is made modulo x^n - 1 and x^n + 1.
 */
#ifndef GFMUL_PLAN_PRIME_H
#define GFMUL_PLAN_PRIME_H

#include "plan/plan.h"
#include "plan/prime_table.h"

enum { PRIME_STRIP = 8, PRIME_DIGIT_BITS_MIN = 49, PRIME_DIGIT_BITS_MAX = 96, PRIME_LOW_BITS = 48 };
enum { PRIME_ROW_LEVELS_MIN = 6, PRIME_ROW_LEVELS_MAX = 14, PRIME_LEVELS_MIN = 5 /* of columns: nodes have whole groups */ };
enum { PRIME_CUTS = 2 };       /* primes that digits are cut for at once */
enum { PRIME_RUN = 64 };       /* digits of a run: whole limbs, which carries begin at */
enum { PRIME_TAIL_LIMBS = 4 }; /* the carry of a part of the coefficients into the limbs behind its own */

/*
 * plan_prime_size - `size` of the field: the cheapest shape that fits into the memory limit, at once, or else in halves.
 *
 *   id      in   PLAN_PRIME
 *   shape   out  complete.  cost_ps is HUGE_VAL if such products have not been measured (plan/thresholds/primes.h)
 *   detail  out  as plan_size
 * Threads: pure.   Errors: SIZE, MEMORY, UNSUPPORTED.   Source: doc/error-bound.md, section 22.
 */
enum gfmul_status plan_prime_size(enum plan_field_id id, struct plan_shape *shape, const struct plan_request *request,
                                  char *detail, size_t detail_bytes);

/*
 * plan_prime_shape - the cheapest shape of one kind, whatever its memory.
 *
 *   halved  in  one that is made in halves: no operand has more digits than there are points; wrap is NEVER then
 *   wrap    in  whether it may wrap around, if that is cheaper; ALWAYS: it must
 * Errors: SIZE.
 */
enum gfmul_status plan_prime_shape(struct plan_shape *shape, const struct plan_request *request, bool halved,
                                   enum plan_wrap wrap);

/* plan_prime_rows - odd 2^log2_n points in rows of 2^row_levels: PRIME_ROW_LEVELS_MIN .. log2_n - PRIME_LEVELS_MIN. */
void plan_prime_rows(struct plan_shape *shape, unsigned odd, unsigned log2_n, unsigned row_levels);

/* prime_is_halved - whether the product is made in halves. */
static inline bool prime_is_halved(const struct plan_shape *s)
{
    return s->transform.n_digits > s->transform.n_points;
}

/* prime_offset_bits - the coefficients modulo x^n + 1 are below 2 to this power in size.  Adding it makes all positive. */
unsigned prime_offset_bits(const struct plan_shape *s);

/*
 * A strip's rows lie in blocks, each of which is a node of a tree.  Blocks are padded by some lines, so that rows at one place of
 * all blocks do not share a set of a cache.
 *
 * prime_outer_levels - of trees above the nodes: 1 or 2, as many as leave an even number below.
 */
enum { PRIME_BLOCK_PAD = 5 /* rows */ };
static inline unsigned prime_outer_levels(const struct plan_shape *s)
{
    return 2 - s->transform.column_levels % 2;
}

/* prime_strip_row - where row j of a strip lies;  prime_strip_doubles - of all of them. */
static inline size_t prime_strip_row(const struct plan_shape *s, size_t j)
{
    return (j + (j >> (s->transform.column_levels - prime_outer_levels(s))) * PRIME_BLOCK_PAD) * PRIME_STRIP;
}
static inline size_t prime_strip_doubles(const struct plan_shape *s)
{
    return prime_strip_row(s, s->transform.n_rows);
}

/* prime_buffer_doubles - of a transform;  prime_scratch_doubles - of a thread;  prime_table_doubles - of one prime's tables. */
static inline size_t prime_buffer_doubles(const struct plan_shape *s)
{
    return s->transform.n_rows / PRIME_STRIP * s->transform.row_stride;
}
static inline size_t prime_scratch_doubles(const struct plan_shape *s)
{
    const size_t strips = (1 + PRIME_CUTS) * prime_strip_doubles(s); /* a strip, its digits */
    const size_t group = s->transform.row_points * PRIME_STRIP;
    return strips > group ? strips : group;
}
size_t prime_table_doubles(const struct plan_shape *s);

/* prime_root_count - roots of the tree, for columns and rows alike.   prime_whole_lines - doubles, rounded up to cache lines. */
size_t prime_root_count(const struct plan_shape *s);
static inline size_t prime_whole_lines(size_t n)
{
    return (n + 7) / 8 * 8;
}

/* prime_ring_limbs - of a product modulo x^n - 1, or x^n + 1, but for its tail. */
static inline size_t prime_ring_limbs(const struct plan_shape *s)
{
    return s->transform.n_points / 64 * s->digits.exponent;
}

/* prime_lends - whether the other operand's residues fit into the limbs of the product, zn, which are free until the end. */
static inline bool prime_lends(const struct plan_shape *s, size_t zn)
{
    return zn >= prime_buffer_doubles(s) + PRIME_STRIP; /* that one aligns to a cache line */
}

/* prime_other_doubles - of the buffer for the other operand's residues; of a product in halves, for its second half as well. */
size_t prime_other_doubles(const struct plan_shape *s, size_t zn);

/* prime_join_parts - how many parts the coefficients are carried in. */
size_t prime_join_parts(const struct plan_shape *s, unsigned threads);

/* prime_place - where coefficient j lies behind columns_to_residues. */
static inline size_t prime_place(const struct plan_shape *s, size_t j)
{
    const size_t row = j / s->transform.row_points, column = j % s->transform.row_points;
    return row / PRIME_STRIP * s->transform.row_stride + (column / PRIME_STRIP * PRIME_STRIP + row % PRIME_STRIP) * PRIME_STRIP +
           column % PRIME_STRIP;
}

/* prime_product_bits - log2 of the product of the first n primes, rounded down. */
double prime_product_bits(unsigned n);

#endif
