/*
 * t-device_pays.c - when "auto" takes a GPU: what a start costs against what products gain by it.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl_test.h"

#ifdef HAVE_OPENCL
#include "device_test.h"
#include "mul/device_pays.h"

/* starts - whether a product of so many limbs is worth the start of a GPU. */
static bool starts(size_t limbs, unsigned threads, enum ocl_start start)
{
    return device_gain_first(limbs, threads) >= device_start_cost(start);
}

/* More threads of the CPU, or less in the cache, and a GPU pays later; what was measured on a host with an H200 holds. */
static void test_pays(void)
{
    for (size_t limbs = 1000; limbs < (size_t)1 << 32; limbs *= 3)
        for (unsigned threads = 1; threads <= 64; threads *= 2) {
            TEST_CHECK(device_gain(limbs, threads) >= device_gain(limbs, 2 * threads));
            TEST_CHECK(device_gain(limbs, threads) <= device_gain(2 * limbs, threads));
            TEST_CHECK(starts(limbs, threads, OCL_START_KEPT) || !starts(limbs, threads, OCL_START_UNMET));
            TEST_CHECK(starts(limbs, threads, OCL_START_UNMET) || !starts(limbs, threads, OCL_START_UNSEEN));
        }
    /* two numbers of 1e8 and of 1e9 digits, 16 threads; of 2e8 digits, one thread */
    TEST_CHECK(!starts(10400000, 16, OCL_START_KEPT) && starts(104000000, 16, OCL_START_KEPT));
    TEST_CHECK(!starts(104000000, 16, OCL_START_UNMET) && !starts(104000000, 16, OCL_START_UNSEEN));
    TEST_CHECK(starts(20800000, 1, OCL_START_KEPT));
    TEST_CHECK(device_gain(2000, 1) == 0 && device_gain(60000, 1) > 0 && device_gain(2000000, 64) > 0);
}

/* Products that do not pay for a start by themselves open a device together. */
static void test_missed(void)
{
    ocl_test_gpu(true);
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.threads = 1;
    struct gfmul_ctx *ctx = test_ctx(&opt);
    ctx_device_limits(ctx, 0, 1);
    operands_draw();
    for (unsigned i = 0; i < 3; i++) {
        const struct gfmul_report report = product(ctx);
        TEST_CHECK_MSG(report.status == GFMUL_OK && strcmp(report.plan.engine, i < 2 ? "cpu" : "opencl") == 0,
                       "product %u by %s: %s", i, report.plan.engine, report.detail);
        test_equal_limbs(z, want, ZN);
        if (i == 1) { /* as many as would have gained a minute */
            struct call call;
            call_begin(&call, ctx);
            for (double ns = 0; ns < 6e10; ns += device_gain((size_t)1 << 30, 1))
                ctx_device_missed(&call, (size_t)1 << 30);
            TEST_OK(call_end(&call, GFMUL_OK));
        }
    }
    gfmul_ctx_destroy(ctx);
    ocl_test_gpu(false);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    if (!ocl_test_begin())
        return ocl_test_skip();
    ocl_test_keep();
    TEST_RUN(test_pays);
    TEST_RUN(test_missed);
    return ocl_test_end();
}

#else

int main(void)
{
    puts("skipped: a build without OpenCL");
    return 77;
}
#endif
