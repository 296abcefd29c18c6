/*
 * prime_plan.h - products of limbs through transforms modulo three or four primes: sizes, tables, stages.
 *
 * Digits of l bits, 0 <= digit < 2^l, are reduced modulo one prime after the other.  The coefficients of the product's
 * polynomial are below half of the primes' product, so that their residues determine them.
 *
 * A transform has n = n_rows * row_points points: point j is in row j / row_points.  Columns are transformed first, strip by
 * strip of PRIME_STRIP columns; then row r' is multiplied by the powers of a root, and transformed.
 *
 * PRIME_STRIP rows are a group in memory, which has a square of each strip.  Between both transforms squares are transposed: a
 * column's points of all rows of the group lie side by side, so that vectors go across rows, and all passes are those of strips.
 */
#ifndef GFMUL_PRIME_PLAN_H
#define GFMUL_PRIME_PLAN_H

#include <gmp.h>
#include <stdbool.h>

#include "gfmul.h"
#include "prime/prime_table.h"
#include "stages/stage_ops.h"

enum { PRIME_STRIP = 8, PRIME_DIGIT_BITS_MIN = 49, PRIME_DIGIT_BITS_MAX = 96, PRIME_LOW_BITS = 48 };
enum { PRIME_ROW_LEVELS_MIN = 6, PRIME_ROW_LEVELS_MAX = 14, PRIME_LEVELS_MIN = 5 /* of columns: nodes have whole groups */ };

struct prime_shape {
    unsigned n_primes, digit_bits;
    unsigned odd, levels, row_levels; /* n_rows = odd 2^levels, row_points = 2^row_levels */
    size_t n_points, n_rows, row_points;
    size_t group_stride;           /* doubles from group to group: a square more than its points */
    size_t an, bn;                 /* digits */
    bool has_ifma;                 /* the processor has AVX-512's products of 52 bits, for residues_join */
    bool halved;                   /* the points hold half of the product, which is made modulo x^n - 1 and modulo x^n + 1 */
    double level_points;           /* the work, in levels: one for each point and prime, and the rest in the same unit */
    size_t wrap_limbs;             /* 0, or: it is made modulo 2^(n digit_bits) - 1, and is so many limbs longer than that */
    struct stage_monitor *monitor; /* of the call that runs it (stages/stage_monitor.h); NULL: none */
};

/* Tables of one prime.  Factors are pairs w, w / p. */
struct prime_tables {
    const struct prime *prime;
    double *root[2]; /* w[k] of prime_transform.h, and their inverses */
    double *leaf[2]; /* of prime_ring.h alone */
    double *row[2];  /* e(+- r / n), r the frequency of a row, in their order; modulo x^n + 1: e(+- (r + 1/2) / n) */
    double *turn[2]; /* modulo x^n + 1: e(+- j / (2 n_rows)) for row j of the points; else NULL */
    double even[2 * PRIME_ODD_MAX], uneven[2 * PRIME_ODD_MAX]; /* (e(k / odd) +- e(-k / odd)) / 2 */
    double dft[PRIME_DFT_DOUBLES];                             /* of short_dft */
    double scale;  /* 1 / n; behind prime_scale_join divided by the primes before, as offset is */
    double offset; /* modulo x^n + 1: 2^prime_offset_bits, which is added to the coefficients */
};

enum { PRIME_CUTS = 2 }; /* primes that digits are cut for at once */

/* An operand in limbs; the highest one is not zero. */
struct prime_source {
    const mp_limb_t *limbs;
    size_t n;
};

/* The carry of a part of the coefficients into the limbs behind its own. */
enum { PRIME_TAIL_LIMBS = 4 };

struct prime_ring;
struct prime_values;

/* count 64-bit integers: int64_t if is_signed, else uint64_t. */
struct ring_words {
    const void *words;
    size_t count;
    bool is_signed;
};

/*
 * prime_ops - the stages that are compiled for one instruction set.
 *
 *   scratch  out  threads * prime_scratch_doubles()
 */
struct prime_ops {
    unsigned width; /* doubles of a vector */

    /* digits_to_columns - digits modulo up to PRIME_CUTS primes into x, columns transformed.   |x| <= 2.2 p */
    void (*digits_to_columns)(const struct prime_shape *s, const struct prime_tables *t, unsigned primes, double *const *x,
                              double *scratch, const struct prime_source *from, unsigned threads);

    /* rows_mul - rows forwards, products of points, rows back: x = x y / n.   y == x squares */
    void (*rows_mul)(const struct prime_shape *s, const struct prime_tables *t, double *x, const double *y, double *scratch,
                     unsigned threads);

    /* columns_to_residues - columns back: the coefficients modulo the prime, |x| <= 1.68 p. */
    void (*columns_to_residues)(const struct prime_shape *s, const struct prime_tables *t, double *x, double *scratch,
                                unsigned threads);

    /*
     * residues_join - coefficients first .. first + count - 1 by the Chinese remainder theorem, carried into limbs.
     *
     *   x     in   residues scaled by prime_scale_join
     *   z     out  zn limbs at most: coefficient `first` begins at the lowest bit
     *   tail  out  the part above count * digit_bits / 64 limbs
     * first and count are multiples of 64, within the points.
     */
    void (*residues_join)(const struct prime_shape *s, mp_limb_t *z, size_t zn, double *const *x, size_t first, size_t count,
                          mp_limb_t *tail);

    /* For tests: field_mul of x[i] by w[i], field_mul_any of x[i] by w[i], field_reduce of x[i], n a multiple of 8. */
    void (*field_test)(const struct prime *prime, double *mul, double *any, double *reduced, const double *x, const double *w,
                       size_t n);

    /*
     * Transforms of prime_ring.h, in place, in n_points doubles x, aligned.  Words are uint64_t; `words` may be x.
     *
     * factor_words    rings of integers: words of a constant factor; 0: rings of doubles
     * factor_put      one of them, w < p
     * word_test       for tests, of fields of words: number x[i] < 4 p of the field's range, its residue, and it times w[i]
     * ring_fill       root, scale and leaf of ring->integers of a direction, faster than factor_put; or NULL
     *                 bit in: e(+- 1 / 2^(b+2));  scratch out: ring_roots() words
     * ring_powers     for tables: w[half + i] = w[i] root, balanced, i < half, which is a multiple of 8
     * ring_words_forward, ring_words_back
     *                 from words to words below p, which `scale` divides by n;  false: one of `from` is not below p.
     *                 x i/o a workspace of the ring, forwards the spectrum; from may be x, and so may z, the inverse
     * ring_cut        integers become residues modulo a prime of prime_table, zeros behind them; as many as points at most
     * ring_forward    the spectrum
     * ring_back       n times the inverse.  |x| <= 1.68
     * ring_finish     a spectrum in doubles becomes a factor of ring_multiply, which divides by n, too
     * ring_multiply   a spectrum in doubles times such a factor: ring_back then gives the product of both polynomials
     * ring_factor     ring_cut, ring_forward and ring_finish, for ring_product alone
     * ring_product    all in one, x out: ring_cut and ring_forward of x_words into x and of y_words into y, ring_finish of y,
     *                 ring_multiply, ring_back.  If y_words is NULL, y is a factor.
     * Rings of integers have neither ring_powers nor steps of ring_product.
     * ring_words_mul  z[k] = x[k] y[k] mod p of count words;  false: one of them is not below p
     */
    unsigned factor_words;
    void (*factor_put)(uint64_t *factor, uint64_t w, uint64_t p);
    void (*word_test)(const struct prime_ring *r, uint64_t *mul, uint64_t *residue, const uint64_t *x, const uint64_t *w,
                      size_t n);
    void (*ring_fill)(struct prime_ring *r, bool back, const uint64_t *bit, uint64_t *scratch);
    void (*ring_powers)(const struct prime *prime, double *w, size_t half, double root);
    bool (*ring_words_forward)(const struct prime_ring *r, void *x, const void *from, unsigned threads);
    bool (*ring_words_back)(const struct prime_ring *r, void *z, void *x, const void *from, bool scale, unsigned threads);
    void (*ring_cut)(const struct prime_ring *r, double *x, const struct ring_words *from, unsigned threads);
    void (*ring_forward)(const struct prime_ring *r, double *x, unsigned threads);
    void (*ring_back)(const struct prime_ring *r, double *x, unsigned threads);
    void (*ring_finish)(const struct prime_ring *r, double *x, unsigned threads);
    void (*ring_multiply)(const struct prime_ring *r, double *x, const double *y, unsigned threads);
    void (*ring_factor)(const struct prime_ring *r, double *y, const struct ring_words *words, unsigned threads);
    void (*ring_product)(const struct prime_ring *r, double *x, const struct ring_words *x_words, double *y,
                         const struct ring_words *y_words, unsigned threads);
    bool (*ring_words_mul)(const struct prime_ring *r, void *z, const void *x, const void *y, size_t count);

    /* residues_combine - see prime_values.h. */
    void (*residues_combine)(const struct prime_values *v, uint64_t *z, double *const *x, size_t first, size_t count);
};

extern const struct prime_ops *prime_ops_of(const struct isa_ops *isa);

/*
 * prime_size - the cheapest shape for a product of operands of an and bn bits, an >= bn >= 1.
 *
 *   halved  in  one that is made in halves: no operand has more digits than there are points
 *   wrap    in  whether it may wrap around, if that is cheaper; ALWAYS: it must
 * Errors: SIZE.   Source: doc/error-bound.md, section 22.
 */
enum gfmul_status prime_size(struct prime_shape *s, size_t a_bits, size_t b_bits, bool halved, enum plan_wrap wrap);

/* prime_offset_bits - the coefficients modulo x^n + 1 are below 2 to this power in size.  Adding it makes all positive. */
unsigned prime_offset_bits(const struct prime_shape *s);

/*
 * prime_cost_ps - picoseconds of a product on one thread, about, to be compared with cost_ps of struct plan_shape.
 *
 *   isa    in  cpu_tuning of the instruction set
 *   bytes  in  that it touches for the first time; 0: its memory is there
 * Value: HUGE_VAL if such products have not been measured (plan/thresholds/primes.h).
 */
double prime_cost_ps(const struct prime_shape *s, unsigned isa, bool square, size_t bytes);

/* prime_shape_rows - odd 2^log2_n points in rows of 2^row_levels: PRIME_ROW_LEVELS_MIN .. log2_n - PRIME_LEVELS_MIN. */
void prime_shape_rows(struct prime_shape *s, unsigned odd, unsigned log2_n, unsigned row_levels);

/*
 * A strip's rows lie in blocks, each of which is a node of a tree.  Blocks are padded by some lines, so that rows at one place of
 * all blocks do not share a set of a cache.
 *
 * prime_outer_levels - of trees above the nodes: 1 or 2, as many as leave an even number below.
 */
enum { PRIME_BLOCK_PAD = 5 /* rows */ };
static inline unsigned prime_outer_levels(const struct prime_shape *s)
{
    return 2 - s->levels % 2;
}

/* prime_strip_row - where row j of a strip lies;  prime_strip_doubles - of all of them. */
static inline size_t prime_strip_row(const struct prime_shape *s, size_t j)
{
    return (j + (j >> (s->levels - prime_outer_levels(s))) * PRIME_BLOCK_PAD) * PRIME_STRIP;
}
static inline size_t prime_strip_doubles(const struct prime_shape *s)
{
    return prime_strip_row(s, s->n_rows);
}

/* prime_buffer_doubles - of a transform;  prime_scratch_doubles - of a thread;  prime_table_doubles - of one prime's tables. */
static inline size_t prime_buffer_doubles(const struct prime_shape *s)
{
    return s->n_rows / PRIME_STRIP * s->group_stride;
}
static inline size_t prime_scratch_doubles(const struct prime_shape *s)
{
    const size_t strips = (1 + PRIME_CUTS) * prime_strip_doubles(s); /* a strip, its digits */
    const size_t group = s->row_points * PRIME_STRIP;
    return strips > group ? strips : group;
}
size_t prime_table_doubles(const struct prime_shape *s);

/* prime_ring_limbs - of a product modulo x^n - 1, or x^n + 1, but for its tail. */
static inline size_t prime_ring_limbs(const struct prime_shape *s)
{
    return s->n_points / 64 * s->digit_bits;
}

/* prime_place - where coefficient j lies behind columns_to_residues. */
static inline size_t prime_place(const struct prime_shape *s, size_t j)
{
    const size_t row = j / s->row_points, column = j % s->row_points;
    return row / PRIME_STRIP * s->group_stride + (column / PRIME_STRIP * PRIME_STRIP + row % PRIME_STRIP) * PRIME_STRIP +
           column % PRIME_STRIP;
}

/*
 * prime_tables_build - tables of one prime.
 *
 *   turned  in   modulo x^n + 1, of a shape that is halved; else modulo x^n - 1
 *   memory  out  prime_table_doubles(), aligned
 */
void prime_tables_build(struct prime_tables *t, const struct prime_shape *s, const struct prime *prime, bool turned,
                        double *memory);

/*
 * prime_halves_join - the product of digits, of a shape in halves.  Let k be n_points / 64 digit_bits limbs, A its coefficients
 * below n, B the others: it is A + 2^(64 k) B.
 *
 *   z   i/o  zn limbs, at least k + PRIME_TAIL_LIMBS: so many of A + B
 *   d   in   k + PRIME_TAIL_LIMBS limbs of A - B, each coefficient raised by 2^prime_offset_bits
 */
void prime_halves_join(const struct prime_shape *s, mp_limb_t *z, size_t zn, const mp_limb_t *d);

/*
 * prime_scale_join - in tables of prime i of prime_table: the product's residues, and the offset, are divided by the primes
 * before it.
 */
void prime_scale_join(struct prime_tables *t, const struct prime_shape *s, unsigned i);

/* prime_product_bits - log2 of the product of the first n primes, rounded down. */
double prime_product_bits(unsigned n);

#endif
