/*
 * cyclic.h - the pipeline of the cyclic packings, by single steps without fusion.
 *
 * "Columns" of an operand are its digits, packed: the column passes are done with the rows' by cyclic_columns_to_spectrum.
 */
#ifndef GFMUL_CYCLIC_H
#define GFMUL_CYCLIC_H

static void cyclic_source_to_columns(const struct plan *plan, double *x, double *scratch, const struct digit_cell *cell,
                                     struct digit_norms *norms, unsigned threads)
{
    (void)scratch;
    digits_from_source(plan, x, cell, norms, threads);
}

static void cyclic_columns_to_spectrum(const struct plan *plan, double *x, double *scratch, size_t used_points, unsigned threads)
{
    (void)scratch;
    digits_to_spectrum(plan, x, used_points, threads);
}

static void cyclic_columns_mul(const struct plan *plan, double *x, double *y, double *scratch, size_t x_used, size_t y_used,
                               unsigned threads)
{
    const bool both_in_x = plan->shape.transform.packing == GFMUL_PACKING_TWO_FOR_ONE;
    digits_to_spectrum(plan, x, both_in_x && y_used > x_used ? y_used : x_used, threads);
    if (y == x) {
        spectrum_sqr(plan, x, threads);
    } else {
        if (!both_in_x)
            digits_to_spectrum(plan, y, y_used, threads);
        spectrum_mul(plan, x, y, threads);
    }
    spectrum_to_columns(plan, x, scratch, threads);
}

static void cyclic_columns_mul_kept(const struct plan *plan, double *x, const double *y, double *scratch, size_t x_used,
                                    unsigned threads)
{
    digits_to_spectrum(plan, x, x_used, threads);
    spectrum_mul(plan, x, y, threads);
    spectrum_to_columns(plan, x, scratch, threads);
}

#endif
