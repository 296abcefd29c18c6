/*
 * conv_float.c - convolutions of real and complex numbers.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fft/conv.h"
#include "fft/fft.h"

static unsigned parts(const struct gfmul_conv *c) /* doubles of a number */
{
    return c->opt.number == GFMUL_CONV_COMPLEX ? 2 : 1;
}

static size_t spectrum_points(const struct gfmul_conv *c)
{
    return c->opt.number == GFMUL_CONV_COMPLEX ? c->n : c->n / 2 + 1;
}

enum gfmul_status conv_float_create(struct gfmul_conv *c, const double *b)
{
    struct gfmul_fft_options opt;
    gfmul_fft_options_init(&opt);
    opt.type = c->opt.number == GFMUL_CONV_COMPLEX ? GFMUL_FFT_COMPLEX : GFMUL_FFT_REAL;
    opt.threads = c->opt.threads;
    c->n = fft_smooth_above(c->block + c->bn - 1);
    if (c->opt.kind == GFMUL_CONV_CYCLIC && fft_is_smooth(c->bn))
        c->n = c->bn;
    enum gfmul_status status = gfmul_fft_create(&c->fft, c->n, &opt);
    if (status != GFMUL_OK)
        return status;
    size_t points = spectrum_points(c);
    double *x = calloc(c->n, parts(c) * sizeof *x), scale = 1 / (double)c->n;
    c->spectrum = alloc_aligned(2 * points * sizeof *c->spectrum);
    if (x == NULL || c->spectrum == NULL) {
        free(x);
        return GFMUL_ERR_MEMORY;
    }
    memcpy(x, b, c->bn * parts(c) * sizeof *x);
    status = gfmul_fft_forward(c->fft, c->spectrum, x);
    for (size_t i = 0; i < 2 * points; i++)
        c->spectrum[i] *= scale;
    free(x);
    return status;
}

/* x = x y on complex numbers. */
static void spectra_multiply(double *x, const double *y, size_t points)
{
    for (size_t k = 0; k < points; k++) {
        double a = x[2 * k], b = x[2 * k + 1], u = y[2 * k], v = y[2 * k + 1];
        x[2 * k] = a * u - b * v;
        x[2 * k + 1] = a * v + b * u;
    }
}

enum gfmul_status conv_float_run(const struct gfmul_conv *c, double *z, const double *a, size_t an)
{
    const unsigned width = parts(c);
    const size_t points = spectrum_points(c);
    double *x = alloc_aligned(c->n * width * sizeof *x), *s = alloc_aligned(2 * points * sizeof *s);
    enum gfmul_status status = x != NULL && s != NULL ? GFMUL_OK : GFMUL_ERR_MEMORY;
    for (size_t at = 0; at < an && status == GFMUL_OK; at += c->block) {
        size_t count = an - at < c->block ? an - at : c->block, length = count + c->bn - 1;
        memcpy(x, a + at * width, count * width * sizeof *x);
        memset(x + count * width, 0, (c->n - count) * width * sizeof *x);
        status = gfmul_fft_forward(c->fft, s, x);
        if (status != GFMUL_OK)
            break;
        spectra_multiply(s, c->spectrum, points);
        status = gfmul_fft_backward(c->fft, x, s);
        for (size_t k = 0; k < (length < c->n ? length : c->n) && status == GFMUL_OK; k++) {
            bool minus;
            double *to = z + width * conv_place(c, at + k, &minus);
            for (unsigned part = 0; part < width; part++)
                to[part] += minus ? -x[width * k + part] : x[width * k + part];
        }
    }
    alloc_free(x);
    alloc_free(s);
    return status;
}
