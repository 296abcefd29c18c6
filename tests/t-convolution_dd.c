/*
 * t-convolution_dd.c - convolutions in double-double against sums in 113 bits.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "base/alloc.h"
#include "conv_quad.h"
#include "test.h"

/* numbers_create - parts of 106 bits in [-1, 1); their squares are added up. */
static double *numbers_create(size_t parts, double *squares)
{
    double *x = test_alloc_zeroed(2 * parts, sizeof *x);
    *squares = 0;
    for (size_t i = 0; i < parts; i++) {
        x[2 * i] = (double)(int64_t)test_u64() * 0x1p-63;
        x[2 * i + 1] = (double)(int64_t)test_u64() * 0x1p-63 * 0x1p-54 * fabs(x[2 * i]);
        *squares += x[2 * i] * x[2 * i];
    }
    return x;
}

/* check - z of the `batch` sequences; errors in units of 2^-106 times log2 of the length and the norms. */
static void check(const double *z, const quad *want, size_t parts, double unit)
{
    double worst = 0;
    for (size_t k = 0; k < parts; k++) {
        worst = test_worse(worst, fabs((double)((quad)z[2 * k] - want[k] + z[2 * k + 1])));
        if (!TEST_CHECK_MSG(z[2 * k] + z[2 * k + 1] == z[2 * k], "number %zu is not normal", k))
            return;
    }
    TEST_CHECK_MSG(worst <= unit, "error %.3g units", worst / unit);
}

static void test_sums(void) /* all kinds and forms, long ones in blocks, batches */
{
    unsigned forms[4] = {0};
    for (unsigned i = 0; i < (test_longest_tier() ? 2000 : 300); i++) {
        struct gfmul_conv_options opt;
        struct gfmul_conv *kernel;
        gfmul_conv_options_init(&opt);
        opt.kind = (enum gfmul_conv_kind)(i / 2 % 3);
        opt.number = i % 2 ? GFMUL_CONV_COMPLEX_DD : GFMUL_CONV_REAL_DD;
        opt.threads = 1 + (unsigned)test_below(2);
        opt.batch = i % 5 == 0 ? 3 : 1;
        const bool linear = opt.kind == GFMUL_CONV_LINEAR;
        const size_t an = i < 12 ? 1 + i / 6 : i % 13 == 0 && linear ? test_size(4000, 12000) : test_size(1, 400);
        const size_t bn = linear ? test_size(1, 200) : an, count = conv_count(opt.kind, an, bn), w = i % 2 ? 2 : 1;
        double sa, sb, *a = numbers_create(an * w * opt.batch, &sa), *b = numbers_create(bn * w, &sb);
        double *z = test_alloc_zeroed(2 * count * w * opt.batch, sizeof *z);
        quad *want = test_alloc_zeroed(count * w * opt.batch, sizeof *want);
        test_note("an=%zu bn=%zu kind=%d width=%zu batch=%zu", an, bn, opt.kind, w, opt.batch);
        for (size_t k = 0; k < opt.batch; k++)
            conv_quad(want + count * w * k, a + 2 * an * w * k, an, b, bn, &opt);
        const double unit = 4 * 0x1p-106 * log2(4 * (double)(an + bn)) * sqrt(sa * sb);
        if (TEST_OK(gfmul_convolve(z, a, an, b, bn, &opt)))
            check(z, want, count * w * opt.batch, unit);
        memset(z, 0x5a, 2 * count * w * opt.batch * sizeof *z);
        if (TEST_OK(gfmul_conv_create(&kernel, b, bn, linear ? 1 + an / 3 : bn, &opt))) {
            forms[kernel->form]++;
            TEST_OK(gfmul_conv_run(kernel, z, a, an));
            check(z, want, count * w * opt.batch, unit);
            gfmul_conv_destroy(kernel);
        }
        free(a);
        free(b);
        free(z);
        free(want);
    }
    for (unsigned form = CONV_REAL; form <= CONV_ANGLE; form++)
        TEST_CHECK_MSG(forms[form] > 0, "form %u was not met", form);
}

static void test_errors(void)
{
    struct gfmul_conv_options opt;
    double x[8] = {1, 0, 2, 0, 3, 0, 4, 0}, z[16];
    gfmul_conv_options_init(&opt);
    opt.number = GFMUL_CONV_REAL_DD;
    TEST_CHECK(gfmul_convolve((char *)z + 4, x, 4, x, 4, &opt) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_convolve(x + 6, x, 4, x, 4, &opt) == GFMUL_ERR_OVERLAP);
    opt.batch = 0;
    TEST_CHECK(gfmul_convolve(z, x, 4, x, 4, &opt) == GFMUL_ERR_ARGUMENT);
    opt.batch = SIZE_MAX / 64;
    TEST_CHECK(gfmul_convolve(z, x, 4, x, 4, &opt) == GFMUL_ERR_SIZE);
    opt.batch = 1;
    opt.number = (enum gfmul_conv_number)(GFMUL_CONV_UINT64 + 1);
    TEST_CHECK(gfmul_convolve(z, x, 4, x, 4, &opt) == GFMUL_ERR_ARGUMENT);
    opt.number = GFMUL_CONV_REAL_DD;
    x[0] = INFINITY;
    TEST_OK(gfmul_convolve(z, x, 4, x, 4, &opt));
    TEST_CHECK(!isfinite(z[0]));
    for (long i = 0; i < 8; i++) { /* every allocation may fail */
        alloc_fail_after(i);
        const enum gfmul_status status = gfmul_convolve(z, x, 2, x, 2, &opt);
        alloc_fail_after(-1);
        TEST_CHECK(status == GFMUL_ERR_MEMORY || (status == GFMUL_OK && i > 0));
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_sums);
    TEST_RUN(test_errors);
    return test_end();
}
