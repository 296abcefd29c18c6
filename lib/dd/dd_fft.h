/*
 * dd_fft.h - plain transforms in double-double (fft/fft_dd.c), compiled for one instruction set: dd_stockham.h, dd_points.h.
 */
#ifndef GFMUL_DD_FFT_H
#define GFMUL_DD_FFT_H

#include <stdbool.h>
#include <stddef.h>

struct dd_fft_ops {
    /* stockham_pass - one pass of radix `radix` at stride s.   roots: e(-i / n) as re, im and their rests. */
    void (*stockham_pass)(double *y, const double *x, size_t n, unsigned radix, size_t s, const double *roots, unsigned threads);

    /* points_scale - n numbers times h + l. */
    void (*points_scale)(double *x, size_t n, double h, double l);

    /*
     * Of points side by side (re, rest of re, im, rest of im).
     *
     * multiply    x_j times y_j, or times its conjugate
     * real_split, real_join
     *             between h points of the packed transform and h + 1 of the real one, n = 2h; in place allowed.
     *             roots: e(-k / n), k <= h / 2
     */
    void (*multiply)(void *x, const void *y, size_t count, bool conjugate);
    void (*real_split)(size_t h, const double *roots, double *z);
    void (*real_join)(size_t h, const double *roots, double *z, const double *x);
};

#endif
