/* t-fft_dd.c - plain transforms in double-double against sums and transforms in 113 bits. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "base/alloc.h"
#include "fft/fft.h"
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

/* A plan of transforms with its inverse. */
static struct gfmul_fft *plan_make(size_t n, size_t batch, enum gfmul_fft_type type)
{
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    gfmul_fft_options_init(&opt);
    opt.precision = GFMUL_PRECISION_DD;
    opt.type = type;
    opt.batch = batch;
    opt.scale = 1;
    opt.time_dist = type == GFMUL_FFT_REAL ? 2 * (n / 2 + 1) : 0;
    opt.threads = (unsigned)test_between(1, 3);
    test_note("n = %zu, batch %zu, type %d, %u threads", n, batch, type, opt.threads);
    return TEST_OK(gfmul_fft_create(&plan, n, &opt)) ? plan : NULL;
}

static void normal_check(const double *x, size_t numbers)
{
    for (size_t i = 0; i < numbers; i++)
        if (!TEST_CHECK_MSG(x[2 * i] + x[2 * i + 1] == x[2 * i], "number %zu is not normal", i))
            return;
}

static void check(size_t n, size_t batch, bool in_place, double limit)
{
    struct gfmul_fft *plan = plan_make(n, batch, GFMUL_FFT_COMPLEX);
    if (plan == NULL)
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
    normal_check(y, 2 * n * batch);
    alloc_free(want), alloc_free(z), alloc_free(w), alloc_free(back), alloc_free(y), alloc_free(x);
    gfmul_fft_destroy(plan);
}

/* Real transforms, n/2 + 1 points apart on both sides; what lies between them is not touched apart from in place. */
static void check_real(size_t n, size_t batch, bool in_place, double limit)
{
    struct gfmul_fft *plan = plan_make(n, batch, GFMUL_FFT_REAL);
    if (plan == NULL)
        return;
    const size_t points = n / 2 + 1, doubles = 4 * points * batch;
    double *x = need(doubles * sizeof *x), *y = need(doubles * sizeof *y), *wide = need(4 * n * sizeof *wide), worst = 0;
    quad *w = need(2 * n * sizeof *w), *z = need(2 * n * sizeof *z), *want = need(n * sizeof *want);
    fill(x, 2 * points * batch);
    memcpy(y, x, doubles * sizeof *y);
    roots(w, n);
    TEST_OK(gfmul_fft_forward(plan, y, in_place ? y : x));
    for (size_t b = 0; b < batch; b++) {
        memset(wide, 0, 4 * n * sizeof *wide);
        for (size_t j = 0; j < n; j++)
            memcpy(wide + 4 * j, x + 4 * points * b + 2 * j, 2 * sizeof *wide);
        dft(z, wide, w, n, 1);
        worst = test_worse(worst, distance(y + 4 * points * b, z, 2 * points));
        TEST_CHECK(y[4 * points * b + 2] == 0 && (n % 2 != 0 || y[4 * points * b + 2 * n + 2] == 0)); /* X_0, X_(n/2) */
        y[4 * points * b + 2] = NAN;                                                                  /* is not read */
        if (n % 2 == 0)
            y[4 * points * b + 2 * n + 2] = NAN;
    }
    TEST_CHECK_MSG(worst <= limit, "forward: %g times 2^-106, limit %g", worst, limit);
    double *back = in_place ? y : need(doubles * sizeof *back);
    TEST_OK(gfmul_fft_backward(plan, back, y));
    for (size_t b = 0; b < batch; b++) {
        for (size_t j = 0; j < n; j++)
            want[j] = number(x + 4 * points * b, j);
        const double d = distance(back + 4 * points * b, want, n);
        TEST_CHECK_MSG(d <= 2 * limit + 40, "there and back: %g times 2^-106, limit %g", d, 2 * limit + 40);
        normal_check(back + 4 * points * b, n);
    }
    if (!in_place)
        alloc_free(back);
    alloc_free(want), alloc_free(z), alloc_free(w), alloc_free(wide), alloc_free(y), alloc_free(x);
    gfmul_fft_destroy(plan);
}

/* Every length up to a few hundred, and batches; the limit is a sum of the passes' constants. */
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

/* Lengths that are not smooth take a convolution of m points, two transforms, and three products with chirps. */
static double any_limit_of(size_t n)
{
    if (fft_is_smooth(n))
        return limit_of(n);
    return 2 * (2 * limit_of(fft_smooth_above(2 * n - 1)) + 60); /* the chirp's spectrum is at most about twice sqrt(n) */
}

static void test_lengths(void)
{
    for (size_t n = 1; n <= (test_longest_tier() ? 600 : 200); n++) {
        check(n, n % 3 == 0 ? 3 : 1, n % 2 == 0, any_limit_of(n));
        check_real(n, n % 3 == 1 ? 3 : 1, n % 4 < 2, any_limit_of(n % 2 == 0 ? n / 2 : n) + 30);
    }
    static const size_t longer[] = {1009, 1021, 2018, 2026};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        check(longer[i], 1, true, any_limit_of(longer[i]));
        check_real(longer[i], 2, false, any_limit_of(longer[i] % 2 == 0 ? longer[i] / 2 : longer[i]) + 30);
    }
}

/* What is not finite spoils no memory, and shows. */
static void test_not_finite(void)
{
    static const size_t length[] = {1, 8, 11, 14, 15};
    for (size_t i = 0; i < sizeof length / sizeof *length; i++)
        for (unsigned type = 0; type < 2; type++) {
            const size_t n = length[i], doubles = 4 * (n / 2 + 1) + 4 * n;
            struct gfmul_fft *plan = plan_make(n, 1, (enum gfmul_fft_type)type);
            double *x = need(doubles * sizeof *x);
            memset(x, 0, doubles * sizeof *x);
            x[2 * test_below(n)] = i % 2 ? INFINITY : NAN;
            TEST_OK(gfmul_fft_forward(plan, x, x));
            TEST_CHECK(!isfinite(x[0] + x[2])); /* either part may be the one */
            gfmul_fft_destroy(plan);
            alloc_free(x);
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
    opt.order = GFMUL_FFT_PERMUTED;
    TEST_CHECK(gfmul_fft_create(&plan, 16, &opt) == GFMUL_ERR_UNSUPPORTED && !plan);
    opt.order = GFMUL_FFT_NATURAL;
    opt.type = GFMUL_FFT_REAL;
    for (long i = 0; i < 8; i++) { /* every allocation may fail */
        alloc_fail_after(i);
        const enum gfmul_status status = gfmul_fft_create(&plan, 22, &opt);
        alloc_fail_after(-1);
        TEST_CHECK(status == GFMUL_ERR_MEMORY ? plan == NULL : status == GFMUL_OK && i > 3);
        gfmul_fft_destroy(plan);
    }
    opt.type = GFMUL_FFT_COMPLEX;
    opt.algorithm = "serial";
    TEST_CHECK(gfmul_fft_create(&plan, 16, &opt) == GFMUL_ERR_UNSUPPORTED && !plan);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_refusals);
    TEST_RUN(test_lengths);
    TEST_RUN(test_not_finite);
    TEST_RUN(test_odd_powers);
    TEST_RUN(test_powers_of_two);
    return test_end();
}
