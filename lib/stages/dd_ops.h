/*
 * dd_ops.h - the stages of the pipeline in double-double, which are compiled once per instruction set.
 *
 * Data: plan_dd.h.  The representations and arrows are those of stage_ops.h, right-angle packing:
 *
 *     source_to_columns   cut, the root's pass and the column passes, strips of eight blocks of each row
 *     columns_mul         the row passes of both operands, the product, the row passes back: row by row
 *     columns_to_digits   column passes and the root's pass back, not yet scaled by 1/n
 *     digits_to_limbs_run, digits_round
 */
#ifndef GFMUL_DD_OPS_H
#define GFMUL_DD_OPS_H

#include "stages/stage_ops.h"

/*
 * dd_source - an operand that balanced digits can be cut from at any place.
 *
 *   cut  writes digits first .. first + count - 1 as doubles, zeros beyond the operand's end; |digit| <= ceil(B/2).  Made by
 *        dd_limbs_source or dd_text_source; reentrant.
 */
struct dd_source {
    void (*cut)(const struct dd_source *source, double *d, size_t first, size_t count);
    const struct plan_shape *shape;
    const mp_limb_t *limbs;
    size_t n_limbs;
    const struct text_number *text;
};

/* A coefficient that has been rounded: high 2^48 + low, |high| <= 2^50, |low| < 2^49. */
struct dd_rounded {
    int64_t high, low;
};

struct dd_ops {
    /*
     * source_to_columns - digits first .. first + count - 1 of a source as points behind the column passes.
     *
     *   x      out  buffer, plan_buffer_doubles() long
     *   norms  out  sum_sq alone
     */
    void (*source_to_columns)(const struct plan *plan, double *x, const struct dd_source *source, size_t first, size_t count,
                              struct digit_norms *norms, unsigned threads);

    /* columns_to_spectrum - the row passes.   scratch: threads * plan_dd_row_doubles() doubles, aligned; below as well. */
    void (*columns_to_spectrum)(const struct plan *plan, double *x, double *scratch, unsigned threads);

    /*
     * columns_mul - x, y behind their column passes; x becomes the product before its inverse column passes.
     *   y  inout  its spectrum afterwards; y == x squares
     *   y_is_spectrum  in  y's row passes have been done: it is only read
     */
    void (*columns_mul)(const struct plan *plan, double *x, double *y, bool y_is_spectrum, double *scratch, unsigned threads);

    /* spectrum_mul_add - x = (add ? x : 0) + a b, spectra.   x may be none of the others. */
    void (*spectrum_mul_add)(const struct plan *plan, double *x, const double *a, const double *b, bool add, unsigned threads);

    /* spectrum_to_columns - the row passes back. */
    void (*spectrum_to_columns)(const struct plan *plan, double *x, double *scratch, unsigned threads);

    /* columns_to_digits - column passes and the root's pass back. */
    void (*columns_to_digits)(const struct plan *plan, double *x, unsigned threads);

    /* digits_to_limbs_run - as in stage_ops.h: rounds, carries and packs digits first .. first + count - 1, multiples of 64. */
    void (*digits_to_limbs_run)(const struct plan *plan, mp_limb_t *z, size_t zn, const double *x, size_t first, size_t count,
                                int64_t *carry, struct round_stats *stats);

    /* digits_round - scale and round digits first .. first + count - 1, multiples of 8, all within one row's points. */
    void (*digits_round)(const struct plan *plan, struct dd_rounded *v, const double *x, size_t first, size_t count,
                         struct round_stats *stats);

    /* stockham_pass, points_scale - of plain transforms: dd_stockham.h.   roots: e(-i / n) as re, im and their rests. */
    void (*stockham_pass)(double *y, const double *x, size_t n, unsigned radix, size_t s, const double *roots, unsigned threads);
    void (*points_scale)(double *x, size_t n, double h, double l);
};

/* dd_digit_place - where digit j's first part lies in a buffer; the second is 16 doubles further on, digit j + 1 beside it. */
static inline size_t dd_digit_place(const struct plan_shape *s, size_t j)
{
    const size_t imaginary = j >= s->transform.n_points, p = imaginary ? j - s->transform.n_points : j;
    const size_t child = s->transform.n_points / s->transform.odd, stream = child / PLAN_BLOCK,
                 rows = s->transform.n_rows / s->transform.odd;
    const size_t t = p / child, st = p % child / stream, i = p % child % stream; /* point i of stream st of child t */
    const size_t blocks = s->transform.row_points / PLAN_BLOCK, group = i / PLAN_BLOCK;
    const size_t block = group * PLAN_BLOCK + st; /* of the child */
    return (t * rows + block / blocks) * s->transform.row_stride + block % blocks * 32 + imaginary * PLAN_BLOCK + i % PLAN_BLOCK;
}

/* The stages that are the same for every instruction set. */

/* dd_limbs_source - an operand of an limbs, least significant first; B = 2^exponent. */
void dd_limbs_source(struct dd_source *source, const struct plan_shape *shape, const mp_limb_t *a, size_t an);

#endif
