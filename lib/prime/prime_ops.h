/*
 * prime_ops.h - products of limbs through transforms modulo three or four primes: tables and stages.
 *
 * plan/plan_prime.h has the shapes, and where points lie.
 */
#ifndef GFMUL_PRIME_OPS_H
#define GFMUL_PRIME_OPS_H

#include <gmp.h>
#include <stdbool.h>

#include "gfmul.h"
#include "plan/plan_prime.h"
#include "stages/stage_ops.h"

/* Tables of one prime.  Factors are pairs w, w / p. */
struct prime_tables {
    const struct prime *prime;
    double *root[2]; /* w[k] of prime_transform.h, and their inverses */
    double *leaf[2]; /* only for prime_ring.h */
    double *row[2];  /* e(+- r / n), r the frequency of a row, in their order; modulo x^n + 1: e(+- (r + 1/2) / n) */
    double *turn[2]; /* modulo x^n + 1: e(+- j / (2 n_rows)) for row j of the points; else NULL */
    double even[2 * PRIME_ODD_MAX], uneven[2 * PRIME_ODD_MAX]; /* (e(k / odd) +- e(-k / odd)) / 2 */
    double dft[PRIME_DFT_DOUBLES];                             /* of short_dft */
    double scale;  /* 1 / n; after prime_scale_join also divided by the primes before this one, like offset */
    double offset; /* modulo x^n + 1: 2^prime_offset_bits, which is added to the coefficients */
    double raise;  /* sums of products: n 2^prime_offset_bits, added to the point of frequency 0: that raises each coefficient */
};

/* An operand in limbs; the highest one is not zero. */
struct prime_source {
    const mp_limb_t *limbs;
    size_t n;
};

/* A factor of sums: its spectrum modulo one prime, or its columns, which become the spectrum on the way. */
struct prime_factor {
    double *x;
    bool columns;
    bool passes;   /* columns whose spectrum nobody needs afterwards: x has no meaning then, except as the buffer of a sum */
    unsigned slot; /* of those that pass: 0 .. PRIME_PASSING - 1, each its own */
};

/* A sum of products a b: the first n_plus are added, the others are subtracted. */
struct prime_sum {
    double *z; /* a buffer of its own, or that of a factor that passes */
    const struct prime_term {
        const struct prime_factor *a, *b;
    } *product;
    size_t n, n_plus;
    bool more; /* add to what is in z */
};

/* Sums side by side, and all factors of their products. */
struct prime_sums {
    const struct prime_sum *sum;
    size_t n;
    const struct prime_factor *factor;
    size_t n_factors;
    bool last; /* raise the sums, and go back over the rows */
};

struct prime_ring;
struct prime_values;

/* An array of count 64-bit integers: int64_t if is_signed, else uint64_t. */
struct ring_words {
    const void *words;
    size_t count;
    bool is_signed;
};

/*
 * prime_ops - the stages compiled for one instruction set.
 *
 *   scratch  out  threads * prime_scratch_doubles()
 */
struct prime_ops {
    unsigned width; /* doubles in a vector */

    /* digits_to_columns - put digits modulo up to PRIME_CUTS primes into x, and transform columns.   |x| <= 2.2 p */
    void (*digits_to_columns)(const struct plan *plan, const struct prime_tables *t, unsigned primes, double *const *x,
                              double *scratch, const struct prime_source *from, unsigned threads);

    /* rows_mul - transform rows, multiply points, transform rows back: x = x y / n.   y == x squares */
    void (*rows_mul)(const struct plan *plan, const struct prime_tables *t, double *x, const double *y, double *scratch,
                     unsigned threads);

    /* rows_sums - transform rows of factors, add up products, transform rows back.   scratch: prime_sums_scratch() a thread */
    void (*rows_sums)(const struct plan *plan, const struct prime_tables *t, const struct prime_sums *sums, double *scratch,
                      unsigned threads);

    /* columns_to_residues - transform columns back: the coefficients modulo the prime, |x| <= 1.68 p. */
    void (*columns_to_residues)(const struct plan *plan, const struct prime_tables *t, double *x, double *scratch,
                                unsigned threads);

    /*
     * residues_join - join coefficients first .. first + count - 1 by the Chinese remainder theorem, and carry them into limbs.
     *
     *   x     in   residues scaled by prime_scale_join
     *   z     out  at most zn limbs: coefficient `first` begins at the lowest bit
     *   tail  out  the part above count * digit_bits / 64 limbs
     * first and count are multiples of 64, within the points.
     */
    void (*residues_join)(const struct plan_shape *s, mp_limb_t *z, size_t zn, double *const *x, size_t first, size_t count,
                          mp_limb_t *tail);

    /* For tests: field_mul of x[i] by w[i], field_mul_any of x[i] by w[i], field_reduce of x[i], n a multiple of 8. */
    void (*field_test)(const struct prime *prime, double *mul, double *any, double *reduced, const double *x, const double *w,
                       size_t n);

    /*
     * Transforms of prime_ring.h, in place, in n_points doubles x, aligned.  Words are uint64_t; `words` may be x.
     *
     * factor_words    rings of integers: words of a constant factor; 0: rings of doubles
     * factor_put      store a constant factor w < p
     * word_test       for tests, of fields of words: number x[i] < 4 p of the field's range, its residue, and it times w[i]
     * ring_fill       fill root, scale and leaf of ring->integers for a direction, faster than factor_put; or NULL
     *                 bit in: e(+- 1 / 2^(b+2));  scratch out: ring_roots() words
     * ring_powers     for tables: w[half + i] = w[i] root, balanced, i < half, which is a multiple of 8
     * ring_words_forward, ring_words_back
     *                 from words to words below p; `scale` divides by n.  false: one of `from` is not below p
     *                 x i/o a workspace of the ring, forwards the spectrum; from may be x, and so may z, the inverse
     * ring_cut        reduce integers modulo a prime of prime_table, followed by zeros; at most as many as points
     * ring_forward    the spectrum
     * ring_back       n times the inverse.  |x| <= 1.68
     * ring_finish     turn a spectrum in doubles into a factor of ring_multiply; this also divides by n
     * ring_multiply   multiply a spectrum in doubles by such a factor: ring_back then gives the product of both polynomials
     * ring_factor     ring_cut, ring_forward and ring_finish, only for ring_product
     * ring_product    all in one, x out: ring_cut and ring_forward of x_words into x and of y_words into y, ring_finish of y,
     *                 ring_multiply, ring_back.  If y_words is NULL, y is a factor
     * Rings of integers have neither ring_powers nor the steps of ring_product.
     * ring_words_mul  z[k] = x[k] y[k] mod p for count words;  false: one of them is not below p
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
 * prime_tables_build - tables of one prime.
 *
 *   turned  in   modulo x^n + 1, of a shape that is halved or turned; else modulo x^n - 1
 *   memory  out  prime_table_doubles(), aligned
 */
void prime_tables_build(struct prime_tables *t, const struct plan_shape *s, const struct prime *prime, bool turned,
                        double *memory);

/*
 * prime_halves_join - the product of digits, for a shape in halves.  Let k be n_points / 64 digit_bits limbs.  A is the
 * coefficients below n, B the others; the product is A + 2^(64 k) B.
 *
 *   z   i/o  zn limbs, at least k + PRIME_TAIL_LIMBS; on input the first k + PRIME_TAIL_LIMBS are A + B
 *   d   in   k + PRIME_TAIL_LIMBS limbs of A - B, each coefficient raised by 2^prime_offset_bits
 */
void prime_halves_join(const struct plan_shape *s, mp_limb_t *z, size_t zn, const mp_limb_t *d);

/*
 * prime_scale_join - change the tables of prime i of prime_table, so that the product's residues and the offset are divided by
 * the primes before it.
 */
void prime_scale_join(struct prime_tables *t, const struct plan_shape *s, unsigned i);

#endif
