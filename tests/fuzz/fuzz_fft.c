/*
 * fuzz_fft.c - fuzz target: transforms of every algorithm of the CPU, against their definition.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "gfmul_fft.h"

#include "../reference.h"

enum { POINTS = 300, MANY_POINTS = 4096, ALL_POINTS = 24, SOME_POINTS = 4 };

/* A precision: doubles or floats in a real number, and its unit. */
struct precision {
    enum gfmul_precision name;
    size_t bytes; /* of a real number */
    double unit;
};
static const struct precision precisions[] = {{GFMUL_PRECISION_DOUBLE, 8, DBL_EPSILON},
                                              {GFMUL_PRECISION_FLOAT, 4, FLT_EPSILON},
                                              {GFMUL_PRECISION_DD, 16, DBL_EPSILON * DBL_EPSILON}};

static ref_quad real_get(const struct precision *p, const void *x, size_t i)
{
    if (p->bytes == 4)
        return ((const float *)x)[i];
    return p->bytes == 8 ? (ref_quad)((const double *)x)[i]
                         : (ref_quad)((const double *)x)[2 * i] + ((const double *)x)[2 * i + 1];
}

static void real_put(const struct precision *p, void *x, size_t i, double v, double rest)
{
    if (p->bytes == 4) {
        ((float *)x)[i] = (float)v;
    } else if (p->bytes == 8) {
        ((double *)x)[i] = v;
    } else {
        ((double *)x)[2 * i] = v;
        ((double *)x)[2 * i + 1] = rest;
    }
}

/* What one transform of a batch is. */
struct job {
    const struct gfmul_fft *plan;
    const struct gfmul_fft_options *opt;
    const struct precision *p;
    size_t n, time_dist, frequency_dist; /* in numbers of their sides */
    double allowance;                    /* of limits: powers by w *= w_m lose accuracy by length */
};

/* spectrum_check - X_k at a place, by its definition. */
static void spectrum_check(const struct job *j, const void *x, const void *spectrum, size_t place)
{
    const bool real = j->opt->type == GFMUL_FFT_REAL;
    const size_t k = real ? place : gfmul_fft_frequency(j->plan, place);
    ref_quad re = 0, im = 0;
    double squares = 0;
    FUZZ_CHECK(k < j->n, "frequency %zu of %zu", k, j->n);
    for (size_t i = 0; i < j->n; i++) {
        const ref_quad a = real_get(j->p, x, real ? i : 2 * i), b = real ? 0 : real_get(j->p, x, 2 * i + 1);
        const size_t at = (size_t)((unsigned __int128)i * k % j->n);
        ref_quad c, s;
        if (j->p->bytes == 16) {
            ref_cos_sin(&c, &s, at, j->n);
        } else {
            const long double angle = 2 * acosl(-1) * (long double)at / (long double)j->n;
            c = cosl(angle);
            s = sinl(angle);
        }
        re += a * c + b * s; /* times e(-i k / n) */
        im += b * c - a * s;
        squares += (double)(a * a + b * b);
    }
    const double allowed = j->allowance * 20 * j->p->unit * log2(2 * (double)j->n) * sqrt(squares) + 0x1p-120;
    const double error = fmax(fabs((double)(real_get(j->p, spectrum, 2 * place) - re)),
                              fabs((double)(real_get(j->p, spectrum, 2 * place + 1) - im)));
    FUZZ_CHECK(error <= allowed, "place %zu of %zu: error %g, %g allowed; algorithm %s, type %d, precision %d", place, j->n,
               error, allowed, j->opt->algorithm != NULL ? j->opt->algorithm : "-", (int)j->opt->type, (int)j->opt->precision);
}

/* way_back_check - y is x, or n times x. */
static void way_back_check(const struct job *j, const void *x, const void *y)
{
    const size_t reals = j->opt->type == GFMUL_FFT_REAL ? j->n : 2 * j->n;
    const ref_quad scale = j->opt->scale ? 1 : (ref_quad)j->n;
    double squares = 0, worst = 0;
    for (size_t i = 0; i < reals; i++) {
        const ref_quad want = real_get(j->p, x, i) * scale, got = real_get(j->p, y, i);
        squares += (double)(want * want);
        const double error = fabs((double)(got - want));
        worst = error <= worst ? worst : error;
    }
    const double allowed = j->allowance * 40 * j->p->unit * log2(2 * (double)j->n) * sqrt(squares) + 0x1p-120;
    FUZZ_CHECK(worst <= allowed, "there and back, n = %zu: error %g, %g allowed; algorithm %s", j->n, worst, allowed,
               j->opt->algorithm != NULL ? j->opt->algorithm : "-");
}

static void plan_check(struct fuzz_input *in, const struct job *j)
{
    const bool real = j->opt->type == GFMUL_FFT_REAL;
    const size_t batch = j->opt->batch, real_bytes = j->p->bytes;
    const size_t x_step = j->time_dist * (real ? 1 : 2) * real_bytes, y_step = j->frequency_dist * 2 * real_bytes;
    const size_t spectrum_n = real ? j->n / 2 + 1 : j->n;
    const size_t x_bytes = (batch - 1) * x_step + j->n * (real ? 1 : 2) * real_bytes;
    const size_t y_bytes = (batch - 1) * y_step + spectrum_n * 2 * real_bytes;
    const unsigned kind = (unsigned)fuzz_below(in, 4);
    const int scale = (int)fuzz_below(in, 60) - 30;
    uint64_t state = fuzz_below(in, 1 << 16);
    char *x = fuzz_alloc(x_bytes), *y = fuzz_alloc(y_bytes), *z = fuzz_alloc(x_bytes), *kept = fuzz_alloc(y_bytes);
    for (size_t i = 0; i < x_bytes / real_bytes; i++) {
        const uint64_t r = fuzz_next(&state);
        const double v = kind == 0   ? (double)(int64_t)r
                         : kind == 1 ? (r & 1 ? 0x1p63 : -0x1p63)
                         : kind == 2 ? (i % 7 == 0 ? 0x1p63 : 0)
                                     : 0x1p63;
        real_put(j->p, x, i, ldexp(v, scale - 63), kind == 0 ? ldexp(v, scale - 63 - 55) : 0);
    }
    memset(z, 0, x_bytes);
    enum gfmul_status status = gfmul_fft_forward(j->plan, y, x);
    FUZZ_CHECK(status == GFMUL_OK, "%s", gfmul_strerror(status));
    memcpy(kept, y, y_bytes);
    for (size_t b = 0; b < batch; b++)
        for (size_t i = 0; i < (spectrum_n <= ALL_POINTS ? spectrum_n : SOME_POINTS); i++)
            spectrum_check(j, x + b * x_step, y + b * y_step, spectrum_n <= ALL_POINTS ? i : fuzz_below(in, spectrum_n));
    status = gfmul_fft_backward(j->plan, z, y);
    FUZZ_CHECK(status == GFMUL_OK && memcmp(kept, y, y_bytes) == 0, "%s, or its input changed", gfmul_strerror(status));
    for (size_t b = 0; b < batch; b++)
        way_back_check(j, x + b * x_step, z + b * x_step);
    if (!real && x_step == y_step) { /* in place: the same values */
        memcpy(z, x, x_bytes);
        status = gfmul_fft_forward(j->plan, z, z);
        FUZZ_CHECK(status == GFMUL_OK, "%s", gfmul_strerror(status));
        for (size_t b = 0; b < batch; b++)
            spectrum_check(j, x + b * x_step, z + b * y_step, fuzz_below(in, spectrum_n));
    }
    free(kept);
    free(z);
    free(y);
    free(x);
}

void fuzz_fft(struct fuzz_input *in)
{
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    gfmul_fft_options_init(&opt);
    const unsigned how = fuzz_u8(in), which = fuzz_u8(in), size = fuzz_u8(in);
    const struct precision *p = &precisions[(how & 3) % 3];
    const size_t n = size < 250 ? fuzz_size(in, POINTS) : fuzz_size(in, MANY_POINTS);
    double allowance = 1;
    if (which >= 64) { /* an algorithm by its name */
        size_t algorithms = 0;
        while (gfmul_fft_algorithm(algorithms) != NULL)
            algorithms++;
        const struct gfmul_fft_algorithm *algorithm = gfmul_fft_algorithm(which % algorithms);
        if (strcmp(algorithm->device, "cpu") != 0)
            return;
        opt.algorithm = algorithm->name;
        allowance = strstr(algorithm->summary, "w *= w_m") != NULL ? 1 + (double)n / 64 : 1;
    }
    opt.precision = p->name;
    opt.type = how & 4 ? GFMUL_FFT_REAL : GFMUL_FFT_COMPLEX;
    opt.scale = how & 8;
    opt.order = how & 16 ? GFMUL_FFT_PERMUTED : GFMUL_FFT_NATURAL;
    opt.threads = 1 + (how >> 5 & 1);
    opt.batch = how & 64 ? 1 + fuzz_below(in, 4) : 1;
    const size_t spectrum_n = opt.type == GFMUL_FFT_REAL ? n / 2 + 1 : n;
    if (how & 128) {
        opt.time_dist = n + fuzz_below(in, 9);
        opt.frequency_dist = spectrum_n + fuzz_below(in, 9);
    }
    const enum gfmul_status status = gfmul_fft_create(&plan, n, &opt);
    FUZZ_CHECK((status == GFMUL_OK) == (plan != NULL), "status and plan");
    if (status != GFMUL_OK) { /* what "auto" and the contract promise cannot be refused */
        FUZZ_CHECK(status == GFMUL_ERR_UNSUPPORTED, "%s", gfmul_strerror(status));
        FUZZ_CHECK(opt.algorithm != NULL ||
                       (opt.order == GFMUL_FFT_PERMUTED && (p->bytes == 16 || opt.type == GFMUL_FFT_REAL)),
                   "n = %zu, type %d, precision %d, order %d", n, (int)opt.type, (int)opt.precision, (int)opt.order);
        return;
    }
    const struct job j = {plan, &opt, p, n, opt.time_dist != 0 ? opt.time_dist : n,
                          opt.frequency_dist != 0 ? opt.frequency_dist : spectrum_n, allowance};
    plan_check(in, &j);
    gfmul_fft_destroy(plan);
}
