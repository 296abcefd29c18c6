/*
 * fuzz_convolve.c - fuzz target: convolutions of all types of numbers, against the schoolbook.
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

enum { NUMBERS = 120, MANY_NUMBERS = 1500, NUMBER_PARTS = 4, WORDS_MOST = 3 };

/* One type of numbers: bytes of a number and parts of it (real and imaginary), of floating-point ones their unit. */
struct type {
    size_t bytes;
    unsigned parts;
    double unit; /* 0: integers */
};

static struct type type_of(enum gfmul_conv_number number)
{
    switch (number) {
    case GFMUL_CONV_REAL:
        return (struct type){8, 1, DBL_EPSILON};
    case GFMUL_CONV_COMPLEX:
        return (struct type){16, 2, DBL_EPSILON};
    case GFMUL_CONV_REAL_FLOAT:
        return (struct type){4, 1, FLT_EPSILON};
    case GFMUL_CONV_COMPLEX_FLOAT:
        return (struct type){8, 2, FLT_EPSILON};
    case GFMUL_CONV_REAL_DD:
        return (struct type){16, 1, DBL_EPSILON * DBL_EPSILON};
    case GFMUL_CONV_COMPLEX_DD:
        return (struct type){32, 2, DBL_EPSILON * DBL_EPSILON};
    case GFMUL_CONV_INT32:
        return (struct type){4, 1, 0};
    default:
        return (struct type){8, 1, 0};
    }
}

/* part_get - part `part` of number i of an array, as the library reads it. */
static ref_quad part_get(enum gfmul_conv_number number, const void *x, size_t i, unsigned part)
{
    const struct type t = type_of(number);
    const size_t k = i * t.parts + part;
    if (t.bytes / t.parts == 4)
        return ((const float *)x)[k];
    if (t.bytes / t.parts == 16)
        return (ref_quad)((const double *)x)[2 * k] + ((const double *)x)[2 * k + 1];
    return ((const double *)x)[k];
}

/* numbers_make - n numbers, of a few kinds. */
static void *numbers_make(struct fuzz_input *in, size_t n, const struct gfmul_conv_options *opt)
{
    const struct type t = type_of(opt->number);
    void *x = fuzz_alloc(n * t.bytes);
    uint64_t state = fuzz_below(in, 1 << 16);
    const unsigned kind = (unsigned)fuzz_below(in, 6);
    const int scale = (int)fuzz_below(in, 200) - 100;
    for (size_t i = 0; i < n * t.parts; i++) {
        const uint64_t r = fuzz_next(&state);
        const uint64_t bits = kind == 0   ? r
                              : kind == 1 ? UINT64_C(1) << 63
                              : kind == 2 ? INT64_MAX - (r & 1)
                              : kind == 3 ? (r % 4 == 0 ? r : 0)
                              : kind == 4 ? r % 3 - 1
                                          : UINT64_MAX;
        if (t.unit == 0 && opt->number == GFMUL_CONV_MOD)
            ((uint64_t *)x)[i] = bits % opt->modulus;
        else if (t.unit == 0 && t.bytes == 8)
            ((uint64_t *)x)[i] = bits;
        else if (t.unit == 0)
            ((int32_t *)x)[i] = (int32_t)(bits >> 32 != 0 && kind != 4 ? bits >> 32 : bits);
        else if (t.bytes / t.parts == 4)
            ((float *)x)[i] = ldexpf((float)(int64_t)bits, scale / 8 - 63);
        else if (t.bytes / t.parts == 8)
            ((double *)x)[i] = ldexp((double)(int64_t)bits, scale - 63);
        else {
            const double high = ldexp((double)(int64_t)bits, scale - 63);
            ((double *)x)[2 * i] = high;
            ((double *)x)[2 * i + 1] = kind == 0 ? high * (DBL_EPSILON / 4) * ((double)(r >> 40) / (1 << 24)) : 0;
        }
    }
    return x;
}

/* words_add - z += or -= x y, in three words; is_signed: of two's complement. */
static void words_add(uint64_t *z, uint64_t x, uint64_t y, bool is_signed, bool minus)
{
    unsigned __int128 low = (unsigned __int128)x * y;
    uint64_t w[WORDS_MOST] = {(uint64_t)low, (uint64_t)(low >> 64), 0};
    if (is_signed) {
        const __int128 product = (__int128)(int64_t)x * (int64_t)y;
        w[1] = (uint64_t)((unsigned __int128)product >> 64);
        w[2] = product < 0 ? UINT64_MAX : 0;
    }
    uint64_t carry = minus;
    for (unsigned i = 0; i < WORDS_MOST; i++) {
        const unsigned __int128 sum = (unsigned __int128)z[i] + (minus ? ~w[i] : w[i]) + carry;
        z[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
}

/* The convolution under way: one sequence of it. */
struct job {
    const struct gfmul_conv_options *opt;
    const void *a, *b, *z;
    size_t an, bn;
};

static size_t count_of(const struct gfmul_conv_options *opt, size_t an, size_t bn)
{
    return opt->kind == GFMUL_CONV_LINEAR ? an + bn - 1 : bn;
}

/* integer_check - coefficient k: its exact value. */
static void integer_check(const struct job *j, size_t k)
{
    const bool narrow = j->opt->number == GFMUL_CONV_INT32, linear = j->opt->kind == GFMUL_CONV_LINEAR;
    const bool is_signed = narrow || j->opt->number == GFMUL_CONV_INT64, mod = j->opt->number == GFMUL_CONV_MOD;
    const uint64_t *a = j->a, *b = j->b, *z = j->z, m = j->opt->modulus;
    uint64_t sum[WORDS_MOST] = {0, 0, 0}, residue = 0;
    for (size_t i = 0; i < j->an; i++) {
        if (linear && (i > k || k - i >= j->bn))
            continue;
        const size_t other = linear || i <= k ? k - i : k + j->bn - i;
        const bool minus = !linear && i > k && j->opt->kind == GFMUL_CONV_NEGACYCLIC;
        const uint64_t x = narrow ? (uint64_t)(int64_t)((const int32_t *)j->a)[i] : a[i];
        const uint64_t y = narrow ? (uint64_t)(int64_t)((const int32_t *)j->b)[other] : b[other];
        if (mod) {
            const uint64_t one = (uint64_t)((unsigned __int128)x * y % m);
            residue = (uint64_t)(((unsigned __int128)residue + (minus && one != 0 ? m - one : one)) % m);
        } else {
            words_add(sum, x, y, is_signed, minus);
        }
    }
    const unsigned words = mod ? 1 : j->opt->words;
    if (mod)
        sum[0] = residue;
    for (unsigned w = 0; w < words; w++)
        FUZZ_CHECK(z[k * words + w] == sum[w], "coefficient %zu, word %u; type %d, kind %d, %zu by %zu", k, w,
                   (int)j->opt->number, (int)j->opt->kind, j->an, j->bn);
}

static double norm(const struct job *j, const void *x, size_t n)
{
    const unsigned parts = type_of(j->opt->number).parts;
    double sum = 0;
    for (size_t i = 0; i < n * parts; i++) {
        const double v = (double)part_get(j->opt->number, x, i / parts, (unsigned)(i % parts));
        sum += v * v;
    }
    return sqrt(sum);
}

/* float_check - coefficient k, to a few units of the norms. */
static void float_check(const struct job *j, size_t k, double allowed)
{
    const enum gfmul_conv_number number = j->opt->number;
    const bool linear = j->opt->kind == GFMUL_CONV_LINEAR;
    const unsigned parts = type_of(number).parts;
    ref_quad re = 0, im = 0;
    for (size_t i = 0; i < j->an; i++) {
        if (linear && (i > k || k - i >= j->bn))
            continue;
        const size_t other = linear || i <= k ? k - i : k + j->bn - i;
        const ref_quad sign = !linear && i > k && j->opt->kind == GFMUL_CONV_NEGACYCLIC ? -1 : 1;
        const ref_quad x = part_get(number, j->a, i, 0), y = part_get(number, j->b, other, 0);
        re += sign * x * y;
        if (parts == 2) {
            const ref_quad xi = part_get(number, j->a, i, 1), yi = part_get(number, j->b, other, 1);
            re -= sign * xi * yi;
            im += sign * (x * yi + xi * y);
        }
    }
    for (unsigned p = 0; p < parts; p++) {
        const double error = (double)(part_get(number, j->z, k, p) - (p == 0 ? re : im));
        FUZZ_CHECK(fabs(error) <= allowed, "coefficient %zu: error %g, %g allowed; type %d, kind %d, %zu by %zu", k, error,
                   allowed, (int)number, (int)j->opt->kind, j->an, j->bn);
    }
}

/* result_check - all coefficients of a short result, some of a long one. */
static void result_check(struct fuzz_input *in, const struct job *j)
{
    const struct type t = type_of(j->opt->number);
    const size_t count = count_of(j->opt, j->an, j->bn), tests = count <= NUMBERS ? count : 12;
    double allowed = 0;
    if (t.unit != 0)
        allowed = 30 * t.unit * log2(2.0 * (double)(j->an + j->bn)) * norm(j, j->a, j->an) * norm(j, j->b, j->bn) +
                  (t.bytes / t.parts == 4 ? 0x1p-100 : t.bytes / t.parts == 16 ? 0x1p-900 : 0x1p-1000);
    for (size_t i = 0; i < tests; i++) {
        const size_t k = count <= NUMBERS ? i : fuzz_below(in, count);
        if (t.unit == 0)
            integer_check(j, k);
        else
            float_check(j, k, allowed);
    }
}

void fuzz_convolve(struct fuzz_input *in)
{
    struct gfmul_conv_options opt;
    gfmul_conv_options_init(&opt);
    const unsigned how = fuzz_u8(in), type = fuzz_u8(in);
    opt.number = (enum gfmul_conv_number)(type % (GFMUL_CONV_UINT64 + 1));
    opt.kind = (enum gfmul_conv_kind)((how & 3) % 3);
    opt.words = 1 + (unsigned)fuzz_below(in, 3);
    opt.threads = 1 + (how >> 2 & 1);
    opt.batch = how & 8 ? 1 + fuzz_below(in, 4) : 1;
    if (opt.number == GFMUL_CONV_MOD)
        opt.modulus = fuzz_u64(in) >> fuzz_below(in, 63);
    if (how & 16)
        opt.device = "cpu";
    const size_t most = how >= 250 ? MANY_NUMBERS : NUMBERS, bn = fuzz_size(in, most);
    const size_t an = opt.kind == GFMUL_CONV_LINEAR ? fuzz_size(in, most) : bn;
    const size_t max_an = opt.kind == GFMUL_CONV_LINEAR && how & 32 ? fuzz_size(in, most) : an;
    if (opt.number == GFMUL_CONV_MOD && opt.modulus < 2) {
        uint64_t one[2] = {0, 0};
        FUZZ_CHECK(gfmul_convolve(one, one + 1, 1, one + 1, 1, &opt) == GFMUL_ERR_ARGUMENT, "a modulus below 2");
        return;
    }
    const struct type t = type_of(opt.number);
    const size_t z_bytes = t.unit != 0 || opt.number == GFMUL_CONV_MOD ? t.bytes : 8 * opt.words;
    const size_t count = count_of(&opt, an, bn);
    void *a = numbers_make(in, an * opt.batch, &opt), *b = numbers_make(in, bn, &opt);
    void *z = fuzz_alloc(count * opt.batch * z_bytes);
    const bool bad = opt.number == GFMUL_CONV_MOD && how & 128 && type >= 192;
    if (bad)
        ((uint64_t *)a)[fuzz_below(in, an * opt.batch)] = opt.modulus;
    enum gfmul_status status;
    if (how & 64) {
        struct gfmul_conv *conv;
        status = gfmul_conv_create(&conv, b, bn, max_an, &opt);
        FUZZ_CHECK(status == GFMUL_OK, "%s", gfmul_strerror(status));
        status = gfmul_conv_run(conv, z, a, an);
        gfmul_conv_destroy(conv);
    } else {
        status = gfmul_convolve(z, a, an, b, bn, &opt);
    }
    FUZZ_CHECK(status == (bad ? GFMUL_ERR_ARGUMENT : GFMUL_OK), "%s", gfmul_strerror(status));
    for (size_t s = 0; s < opt.batch && !bad; s++) {
        const struct job j = {&opt, (char *)a + s * an * t.bytes, b, (char *)z + s * count * z_bytes, an, bn};
        result_check(in, &j);
    }
    free(z);
    free(b);
    free(a);
}
