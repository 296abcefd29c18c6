/*
 * conv_float.c - convolutions of real and complex numbers, double and float.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a block of N numbers of a and the kernel are multiplied as (enum conv_form):
 *
 *     REAL     N real numbers, by a real transform: cyclic
 *     PLAIN    N complex numbers: cyclic
 *     TURNED   N complex numbers, x_j times e(j / 2N): negacyclic
 *     ANGLE    N real numbers as n = N / 2 points x_j + i x_(j+n), times e(j / 4n): negacyclic
 *
 * Linear ones have room for all of the result; others use the form that is theirs where their length is smooth (ANGLE: even).
 * Spectra of the last three are in the permuted order.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fft/conv.h"
#include "fft/fft.h"

static bool is_complex(const struct gfmul_conv *c)
{
    return c->opt.number == GFMUL_CONV_COMPLEX || c->opt.number == GFMUL_CONV_COMPLEX_FLOAT;
}

static size_t real_bytes(const struct gfmul_conv *c)
{
    return c->opt.number == GFMUL_CONV_REAL_FLOAT || c->opt.number == GFMUL_CONV_COMPLEX_FLOAT ? sizeof(float) : sizeof(double);
}

static bool is_turned(const struct gfmul_conv *c)
{
    return c->form == CONV_TURNED || c->form == CONV_ANGLE;
}

/* Points of the spectrum, and of memory that holds the data before and behind. */
static size_t spectrum_points(const struct gfmul_conv *c)
{
    return c->form == CONV_REAL ? c->n / 2 + 1 : c->n;
}

/* form_choose - form and n; numbers of one transform: 2 n in form ANGLE, else n. */
static void form_choose(struct gfmul_conv *c)
{
    const size_t bn = c->bn, least = c->block + bn - 1;
    const bool cyclic = c->opt.kind == GFMUL_CONV_CYCLIC, negacyclic = c->opt.kind == GFMUL_CONV_NEGACYCLIC;
    if (is_complex(c)) {
        c->form = negacyclic && fft_is_smooth(bn) ? CONV_TURNED : CONV_PLAIN;
        c->n = (cyclic || negacyclic) && fft_is_smooth(bn) ? bn : fft_smooth_above(least);
    } else if (cyclic && fft_is_smooth(bn)) {
        c->form = CONV_REAL;
        c->n = bn;
    } else {
        c->form = CONV_ANGLE;
        c->n = negacyclic && bn % 2 == 0 && fft_is_smooth(bn / 2) ? bn / 2 : fft_smooth_above((least + 1) / 2);
    }
}

/* weights_create - e(j / 2n), or e(j / 4n). */
static enum gfmul_status weights_create(struct gfmul_conv *c)
{
    const size_t bytes = real_bytes(c);
    c->weights = alloc_aligned(2 * c->n * bytes);
    if (c->weights == NULL)
        return GFMUL_ERR_MEMORY;
    enum gfmul_status status = fft_roots_fill(c->weights, bytes, (c->form == CONV_ANGLE ? 4 : 2) * c->n, 1, c->n);
    for (size_t j = 0; j < c->n; j++)
        if (bytes == sizeof(double))
            ((double *)c->weights)[2 * j + 1] = -((double *)c->weights)[2 * j + 1];
        else
            ((float *)c->weights)[2 * j + 1] = -((float *)c->weights)[2 * j + 1];
    return status;
}

/*
 * pack - count numbers of `width` parts into x as the form has them, zeros behind; x has room for 2 n parts.
 * place - length numbers of x added to z.
 */
#define FLOATS(real)                                                                                                       \
    static void pack_##real(const struct gfmul_conv *c, real *x, const real *a, size_t count, unsigned width)              \
    {                                                                                                                      \
        const size_t n = c->n, first = count < n ? count : n;                                                              \
        if (c->form != CONV_ANGLE) {                                                                                       \
            memcpy(x, a, count *width * sizeof *x);                                                                        \
            memset(x + count * width, 0, (n - count) * width * sizeof *x);                                                 \
            return;                                                                                                        \
        }                                                                                                                  \
        for (size_t j = 0; j < count - first; j++) {                                                                       \
            x[2 * j] = a[j];                                                                                               \
            x[2 * j + 1] = a[j + n];                                                                                       \
        }                                                                                                                  \
        for (size_t j = count - first; j < first; j++) {                                                                   \
            x[2 * j] = a[j];                                                                                               \
            x[2 * j + 1] = 0;                                                                                              \
        }                                                                                                                  \
        memset(x + 2 * first, 0, 2 * (n - first) * sizeof *x);                                                             \
    }                                                                                                                      \
    static void place_##real(const struct gfmul_conv *c, real *z, size_t at, const real *x, size_t length, unsigned width) \
    {                                                                                                                      \
        const bool angle = c->form == CONV_ANGLE;                                                                          \
        for (size_t k = 0; k < length; k++) {                                                                              \
            bool minus;                                                                                                    \
            real *to = z + width * conv_place(c, at + k, &minus);                                                          \
            const real *from = !angle ? x + width * k : k < c->n ? x + 2 * k : x + 2 * (k - c->n) + 1;                     \
            for (unsigned part = 0; part < width; part++)                                                                  \
                to[part] += minus ? -from[part] : from[part];                                                              \
        }                                                                                                                  \
    }
FLOATS(double)
FLOATS(float)
#undef FLOATS

/* spectrum_make - of count numbers from a on, into x, which has room for spectrum_points; in place behind the packing. */
static enum gfmul_status spectrum_make(const struct gfmul_conv *c, void *x, const void *a, size_t count)
{
    const unsigned width = is_complex(c) ? 2 : 1;
    if (real_bytes(c) == sizeof(double))
        pack_double(c, x, a, count, width);
    else
        pack_float(c, x, a, count, width);
    if (is_turned(c))
        c->fft->ops->multiply(x, c->weights, c->n, false);
    return gfmul_fft_forward(c->fft, x, x);
}

/* spectrum_divide - the kernel's spectrum by n: here, before the product, which is not to overflow. */
static void spectrum_divide(struct gfmul_conv *c)
{
    const size_t parts = 2 * spectrum_points(c);
    const double n = (double)c->n;
    for (size_t i = 0; i < parts; i++)
        if (real_bytes(c) == sizeof(double))
            ((double *)c->spectrum)[i] /= n;
        else
            ((float *)c->spectrum)[i] /= (float)n;
}

enum gfmul_status conv_float_create(struct gfmul_conv *c, const void *b)
{
    struct gfmul_fft_options opt;
    form_choose(c);
    if (c->n == 0)
        return GFMUL_ERR_SIZE;
    gfmul_fft_options_init(&opt);
    opt.type = c->form == CONV_REAL ? GFMUL_FFT_REAL : GFMUL_FFT_COMPLEX;
    opt.precision = real_bytes(c) == sizeof(float) ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE;
    opt.order = c->form == CONV_REAL ? GFMUL_FFT_NATURAL : GFMUL_FFT_PERMUTED;
    opt.threads = c->opt.threads;
    enum gfmul_status status = gfmul_fft_create(&c->fft, c->n, &opt);
    if (status == GFMUL_OK && is_turned(c))
        status = weights_create(c);
    if (status != GFMUL_OK)
        return status;
    c->spectrum = alloc_aligned(2 * spectrum_points(c) * real_bytes(c));
    if (c->spectrum == NULL)
        return GFMUL_ERR_MEMORY;
    status = spectrum_make(c, c->spectrum, b, c->bn);
    spectrum_divide(c);
    return status;
}

enum gfmul_status conv_float_run(const struct gfmul_conv *c, void *z, const void *a, size_t an)
{
    const unsigned width = is_complex(c) ? 2 : 1;
    const size_t points = spectrum_points(c), bytes = real_bytes(c), numbers = c->form == CONV_ANGLE ? 2 * c->n : c->n;
    void *x = alloc_aligned(2 * points * bytes);
    enum gfmul_status status = x != NULL ? GFMUL_OK : GFMUL_ERR_MEMORY;
    for (size_t at = 0; at < an && status == GFMUL_OK; at += c->block) {
        const size_t count = an - at < c->block ? an - at : c->block, all = count + c->bn - 1;
        const size_t length = all < numbers ? all : numbers;
        status = spectrum_make(c, x, (const char *)a + at * width * bytes, count);
        if (status != GFMUL_OK)
            break;
        c->fft->ops->multiply(x, c->spectrum, points, false);
        status = gfmul_fft_backward(c->fft, x, x);
        if (status != GFMUL_OK)
            break;
        if (is_turned(c))
            c->fft->ops->multiply(x, c->weights, c->n, true);
        if (bytes == sizeof(double))
            place_double(c, z, at, x, length, width);
        else
            place_float(c, z, at, x, length, width);
    }
    alloc_free(x);
    return status;
}
