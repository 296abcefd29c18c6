/*
 * conv_float.c - convolutions of real and complex numbers on the CPU: double, float, double-double.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The forms in which a block of N numbers of a and the kernel are multiplied (enum conv_form):
 *
 *     REAL     N real numbers, by a real transform: cyclic
 *     PLAIN    N complex numbers: cyclic
 *     TURNED   N complex numbers, x_j times e(j / 2N): negacyclic
 *     ANGLE    N real numbers as n = N / 2 points x_j + i x_(j+n), times e(j / 4n): negacyclic
 *
 * Linear convolutions have room for the whole result.  Others use their own form if their length is smooth (ANGLE: even).
 * Spectra of the last three forms are in the permuted order, except in double-double.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "fft/conv.h"
#include "fft/fft.h"

enum { DD_BYTES = 2 * sizeof(double) };

void conv_form_choose(struct gfmul_conv *c)
{
    const size_t bn = c->bn, least = c->block + bn - 1;
    const bool cyclic = c->opt.kind == GFMUL_CONV_CYCLIC, negacyclic = c->opt.kind == GFMUL_CONV_NEGACYCLIC;
    if (conv_is_complex(&c->opt)) {
        c->form = negacyclic && fft_is_smooth(bn) ? CONV_TURNED : CONV_PLAIN;
        c->n = (cyclic || negacyclic) && fft_is_smooth(bn) ? bn : fft_smooth_above(least);
    } else if (cyclic && fft_is_smooth(bn) && conv_real_bytes(&c->opt) != 0) { /* its error is not proved for integers */
        c->form = CONV_REAL;
        c->n = bn;
    } else {
        c->form = CONV_ANGLE;
        c->n = negacyclic && bn % 2 == 0 && fft_is_smooth(bn / 2) ? bn / 2 : fft_smooth_above((least + 1) / 2);
    }
}

/* weights_create - e(-j / 2n), or e(-j / 4n). */
static enum gfmul_status weights_create(struct gfmul_conv *c)
{
    const size_t bytes = conv_real_bytes(&c->opt), order = (c->form == CONV_ANGLE ? 4 : 2) * c->n;
    c->weights = alloc_aligned(2 * c->n * bytes);
    if (c->weights == NULL)
        return GFMUL_ERR_MEMORY;
    return bytes == DD_BYTES ? fft_dd_roots_fill(c->weights, order, 1, c->n) : fft_roots_fill(c->weights, bytes, order, 1, c->n);
}

/* A number in double-double, and the sum of two with an error of 3 units of 2^-106 (doc/error-bound.md, section 19.1). */
struct dd {
    double h, l;
};
typedef struct dd dd;

static inline dd two_sum(double a, double b)
{
    const double s = a + b, z = s - a;
    return (dd){s, (a - (s - z)) + (b - z)};
}

static inline dd quick_sum(double a, double b)
{
    const double s = a + b;
    return (dd){s, b - (s - a)};
}

static inline void add_dd(dd *z, const dd *x, bool minus)
{
    const dd s = two_sum(z->h, minus ? -x->h : x->h), t = two_sum(z->l, minus ? -x->l : x->l), v = quick_sum(s.h, s.l + t.h);
    *z = quick_sum(v.h, t.l + v.l);
}

static inline void add_double(double *z, const double *x, bool minus)
{
    *z += minus ? -*x : *x;
}

static inline void add_float(float *z, const float *x, bool minus)
{
    *z += minus ? -*x : *x;
}

/*
 * pack - store count numbers of `width` parts in x as the form needs them, followed by zeros; x has room for 2 n parts.
 * place - add length numbers of x to z.
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
            x[2 * j + 1] = (real){0};                                                                                      \
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
                add_##real(to + part, from + part, minus);                                                                 \
        }                                                                                                                  \
    }
FLOATS(double)
FLOATS(float)
FLOATS(dd)
#undef FLOATS

static void pack(const struct gfmul_conv *c, void *x, const void *a, size_t count)
{
    const unsigned width = conv_is_complex(&c->opt) ? 2 : 1;
    const size_t bytes = conv_real_bytes(&c->opt);
    if (bytes == DD_BYTES)
        pack_dd(c, x, a, count, width);
    else if (bytes == sizeof(double))
        pack_double(c, x, a, count, width);
    else
        pack_float(c, x, a, count, width);
}

static void place(const struct gfmul_conv *c, void *z, size_t at, const void *x, size_t length)
{
    const unsigned width = conv_is_complex(&c->opt) ? 2 : 1;
    const size_t bytes = conv_real_bytes(&c->opt);
    if (bytes == DD_BYTES)
        place_dd(c, z, at, x, length, width);
    else if (bytes == sizeof(double))
        place_double(c, z, at, x, length, width);
    else
        place_float(c, z, at, x, length, width);
}

/* spectrum_make - the spectrum of count numbers from a on, packed into x and transformed there; x has room for conv_points. */
static enum gfmul_status spectrum_make(const struct gfmul_conv *c, void *x, const void *a, size_t count)
{
    pack(c, x, a, count);
    if (conv_is_turned(c))
        c->fft->multiply(x, c->weights, c->n, true);
    return gfmul_fft_forward(c->fft, x, x);
}

void conv_fft_options(const struct gfmul_conv *c, struct gfmul_fft_options *opt)
{
    const size_t bytes = conv_real_bytes(&c->opt);
    gfmul_fft_options_init(opt);
    opt->type = c->form == CONV_REAL ? GFMUL_FFT_REAL : GFMUL_FFT_COMPLEX;
    opt->precision = bytes == DD_BYTES        ? GFMUL_PRECISION_DD
                     : bytes == sizeof(float) ? GFMUL_PRECISION_FLOAT
                                              : GFMUL_PRECISION_DOUBLE;
    opt->order = c->form == CONV_REAL || bytes == DD_BYTES ? GFMUL_FFT_NATURAL : GFMUL_FFT_PERMUTED;
    opt->threads = c->opt.threads;
}

/* spectrum_divide - divide the kernel's spectrum by n, before the product, which must not overflow.   double, float. */
static void spectrum_divide(struct gfmul_conv *c)
{
    const size_t parts = 2 * conv_points(c);
    const double n = (double)c->n;
    for (size_t i = 0; i < parts; i++)
        if (conv_real_bytes(&c->opt) == sizeof(double))
            ((double *)c->spectrum)[i] /= n;
        else
            ((float *)c->spectrum)[i] /= (float)n;
}

enum gfmul_status conv_float_create(struct gfmul_conv *c, const void *b)
{
    const bool is_dd = conv_real_bytes(&c->opt) == DD_BYTES;
    struct gfmul_fft_options opt;
    conv_form_choose(c);
    if (c->n == 0)
        return GFMUL_ERR_SIZE;
    conv_fft_options(c, &opt);
    opt.scale = is_dd; /* its transforms cannot overflow before the scaling */
    TRY(gfmul_fft_create(&c->fft, c->n, &opt));
    if (conv_is_turned(c))
        TRY(weights_create(c));
    c->spectrum = alloc_aligned(2 * conv_points(c) * conv_real_bytes(&c->opt));
    if (c->spectrum == NULL)
        return GFMUL_ERR_MEMORY;
    TRY(spectrum_make(c, c->spectrum, b, c->bn));
    if (!is_dd)
        spectrum_divide(c);
    return GFMUL_OK;
}

/* blocks_run - convolve a block by block; x is scratch. */
static enum gfmul_status blocks_run(const struct gfmul_conv *c, void *z, const void *a, size_t an, void *x)
{
    const size_t points = conv_points(c), bytes = conv_number_bytes(&c->opt), numbers = c->form == CONV_ANGLE ? 2 * c->n : c->n;
    for (size_t at = 0; at < an; at += c->block) {
        const size_t count = an - at < c->block ? an - at : c->block, all = count + c->bn - 1;
        const size_t length = all < numbers ? all : numbers;
        TRY(spectrum_make(c, x, (const char *)a + at * bytes, count));
        c->fft->multiply(x, c->spectrum, points, false);
        TRY(gfmul_fft_backward(c->fft, x, x));
        if (conv_is_turned(c))
            c->fft->multiply(x, c->weights, c->n, false);
        place(c, z, at, x, length);
    }
    return GFMUL_OK;
}

enum gfmul_status conv_float_run(const struct gfmul_conv *c, void *z, const void *a, size_t an)
{
    void *x = alloc_aligned(2 * conv_points(c) * conv_real_bytes(&c->opt));
    const enum gfmul_status status = x != NULL ? blocks_run(c, z, a, an, x) : GFMUL_ERR_MEMORY;
    alloc_free(x);
    return status;
}
