/* t-fft_dd.c - plain transforms in double-double against sums and transforms in 113 bits. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "base/alloc.h"
#include "gfmul_fft.h"
#include "plan/root_fixed.h"
#include "test.h"

#ifdef __aarch64__
typedef long double quad;
#else
typedef __float128 quad;
#endif

static void *need(size_t bytes)
{
    void *p = alloc_aligned(bytes);
    if (!p)
        exit(1);
    return p;
}

/* Numbers of 106 bits in [-1, 1). */
static void fill(double *x, size_t numbers)
{
    for (size_t i = 0; i < numbers; i++) {
        x[2 * i] = (double)(int64_t)test_u64() * 0x1p-63;
        x[2 * i + 1] = (double)(int64_t)test_u64() * 0x1p-63 * 0x1p-54 * fabs(x[2 * i]);
    }
}

static quad number(const double *x, size_t i)
{
    return (quad)x[2 * i] + x[2 * i + 1];
}

/* e(-i / n) in 113 bits. */
static void roots(quad *w, size_t n)
{
    struct root_maker maker;
    if (!TEST_OK(root_maker_create(&maker, 8 * n)))
        exit(1);
    for (size_t i = 0; i < n; i++) {
        const struct fixed_complex c = root_fixed(&maker, 8 * i);
        w[2 * i] = (quad)c.re * 0x1p-126;
        w[2 * i + 1] = -(quad)c.im * 0x1p-126;
    }
    root_maker_destroy(&maker);
}

/* The sums themselves, of every step-th output. */
static void dft(quad *z, const double *x, const quad *w, size_t n, size_t step)
{
    for (size_t k = 0; k < n; k += step) {
        quad re = 0, im = 0;
        for (size_t j = 0; j < n; j++) {
            const quad *r = w + 2 * (j * k % n), a = number(x, 2 * j), b = number(x, 2 * j + 1);
            re += a * r[0] - b * r[1];
            im += a * r[1] + b * r[0];
        }
        z[2 * k] = re;
        z[2 * k + 1] = im;
    }
}

/* Radix 2, for powers of two: out of x[at + step j]. */
static void fft(quad *z, const double *x, const quad *w, size_t n, size_t at, size_t step)
{
    if (n == 1) {
        z[0] = number(x, 2 * at);
        z[1] = number(x, 2 * at + 1);
        return;
    }
    fft(z, x, w, n / 2, at, 2 * step);
    fft(z + n, x, w, n / 2, at + step, 2 * step);
    for (size_t k = 0; k < n / 2; k++) {
        quad *a = z + 2 * k, *b = a + n;
        const quad *r = w + 2 * k * step, re = r[0] * b[0] - r[1] * b[1], im = r[0] * b[1] + r[1] * b[0];
        b[0] = a[0] - re;
        b[1] = a[1] - im;
        a[0] += re;
        a[1] += im;
    }
}

/* distance - relative in the Euclidean norm, in units of 2^-106. */
static double distance(const double *x, const quad *z, size_t numbers)
{
    double error = 0, all = 0;
    for (size_t i = 0; i < numbers; i++) {
        const double d = (double)(((quad)x[2 * i] - z[i]) + x[2 * i + 1]);
        error += d * d;
        all += (double)z[i] * (double)z[i];
    }
    return sqrt(error / all) * 0x1p106;
}

static void check(size_t n, size_t batch, bool in_place, double limit)
{
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    gfmul_fft_options_init(&opt);
    opt.precision = GFMUL_PRECISION_DD;
    opt.batch = batch;
    opt.scale = 1;
    opt.threads = (unsigned)test_between(1, 3);
    test_note("n = %zu, batch %zu, in place %d, %u threads", n, batch, in_place, opt.threads);
    if (!TEST_OK(gfmul_fft_create(&plan, n, &opt)))
        return;
    double *x = need(4 * n * batch * sizeof *x), *y = need(4 * n * batch * sizeof *y), *back = need(4 * n * batch * sizeof *back);
    quad *w = need(2 * n * sizeof *w), *z = need(2 * n * sizeof *z);
    fill(x, 2 * n * batch);
    memcpy(y, x, 4 * n * batch * sizeof *y);
    roots(w, n);
    TEST_OK(gfmul_fft_forward(plan, y, in_place ? y : x));
    double worst = 0;
    for (size_t b = 0; b < batch; b++) {
        if (n & (n - 1))
            dft(z, x + 4 * n * b, w, n, 1);
        else
            fft(z, x + 4 * n * b, w, n, 0, 1);
        worst = test_worse(worst, distance(y + 4 * n * b, z, 2 * n));
    }
    TEST_CHECK_MSG(worst <= limit, "forward: %g times 2^-106, limit %g", worst, limit);
    memcpy(back, y, 4 * n * batch * sizeof *y);
    TEST_OK(gfmul_fft_backward(plan, back, in_place ? back : y));
    quad *want = need(2 * n * batch * sizeof *want);
    for (size_t i = 0; i < 2 * n * batch; i++)
        want[i] = number(x, i);
    const double d = distance(back, want, 2 * n * batch);
    TEST_CHECK_MSG(d <= 2 * limit + 40, "there and back: %g times 2^-106, limit %g", d, 2 * limit + 40);
    if (n >= 1 << 16)
        printf("2^%.0f points: forward %.2f, there and back %.2f times 2^-106\n", log2((double)n), worst, d);
    for (size_t i = 0; i < 2 * n * batch; i++)
        if (!TEST_CHECK_MSG(y[2 * i] + y[2 * i + 1] == y[2 * i], "number %zu is not normal", i))
            break;
    alloc_free(want), alloc_free(z), alloc_free(w), alloc_free(back), alloc_free(y), alloc_free(x);
    gfmul_fft_destroy(plan);
}

/* Every smooth length up to a few hundred, and batches; the limit is a sum of the passes' constants. */
static double limit_of(size_t n)
{
    double sum = 1;
    for (; n % 4 == 0; n /= 4)
        sum += 28.8;
    for (; n % 2 == 0; n /= 2)
        sum += 25.8;
    for (size_t r = 3; r <= 7; r += 2)
        for (; n % r == 0; n /= r)
            sum += sqrt((double)r) * (22.71 + 3 * (double)(r - 1)) + 22.71; /* section 19.8 */
    return sum;
}

static void test_smooth_lengths(void)
{
    for (size_t n = 1; n <= (test_longest_tier() ? 600 : 200); n++) {
        size_t left = n;
        for (size_t r = 2; r <= 7; r++)
            while (left % r == 0)
                left /= r;
        if (left == 1)
            check(n, n % 3 == 0 ? 3 : 1, n % 2 == 0, limit_of(n));
    }
}

/* Long ones with higher powers of odd primes: some outputs, relative to the norm of all, sqrt(n) times that of the numbers. */
static void test_odd_powers(void)
{
    static const size_t length[] = {225, 243, 441, 625, 1225, 2401, 3125, 6561, 11025, 22050, 44100};
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    gfmul_fft_options_init(&opt);
    opt.precision = GFMUL_PRECISION_DD;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
        const size_t n = length[i], step = n / 40;
        opt.threads = (unsigned)test_between(1, 3);
        test_note("n = %zu, %u threads", n, opt.threads);
        if (!TEST_OK(gfmul_fft_create(&plan, n, &opt)))
            continue;
        double *x = need(4 * n * sizeof *x), *y = need(4 * n * sizeof *y), error = 0, energy = 0;
        quad *w = need(2 * n * sizeof *w), *z = need(2 * n * sizeof *z);
        fill(x, 2 * n);
        roots(w, n);
        TEST_OK(gfmul_fft_forward(plan, y, x));
        dft(z, x, w, n, step);
        for (size_t j = 0; j < 2 * n; j++) {
            const double d = j / 2 % step == 0 ? (double)((quad)y[2 * j] - z[j] + y[2 * j + 1]) : 0.0;
            error += d * d;
            energy += x[2 * j] * x[2 * j];
        }
        error = sqrt(error / energy / (double)n) * 0x1p106;
        TEST_CHECK_MSG(error > 0 && error <= limit_of(n), "%g times 2^-106, limit %g", error, limit_of(n));
        alloc_free(z), alloc_free(w), alloc_free(y), alloc_free(x);
        gfmul_fft_destroy(plan);
    }
}

static void test_powers_of_two(void)
{
    for (unsigned k = 9; k <= (test_longest_tier() ? 20 : 16); k++)
        check((size_t)1 << k, 1, k % 2 == 0, 0x1p8); /* 2^-98 */
}

static void test_refusals(void)
{
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    gfmul_fft_options_init(&opt);
    opt.precision = GFMUL_PRECISION_DD;
    TEST_CHECK(gfmul_fft_create(&plan, 11, &opt) == GFMUL_ERR_UNSUPPORTED && !plan);
    opt.type = GFMUL_FFT_REAL;
    TEST_CHECK(gfmul_fft_create(&plan, 16, &opt) == GFMUL_ERR_UNSUPPORTED && !plan);
    opt.type = GFMUL_FFT_COMPLEX;
    opt.algorithm = "serial";
    TEST_CHECK(gfmul_fft_create(&plan, 16, &opt) == GFMUL_ERR_UNSUPPORTED && !plan);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_refusals);
    TEST_RUN(test_smooth_lengths);
    TEST_RUN(test_odd_powers);
    TEST_RUN(test_powers_of_two);
    return test_end();
}
