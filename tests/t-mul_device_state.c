/*
 * t-mul_device_state.c - what a context keeps of a device from product to product: the caller's objects, devices that were lost,
 * kept operands when memory is short, what a report says of pieces.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl_test.h"

#ifdef HAVE_OPENCL
#include "mul/ctx.h"
#include "mul/mul_ocl_kept.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_state.h"
#include "operands.h"

enum { AN = 26000, BN = 25000, ZN = AN + BN };

static mp_limb_t a[AN], b[BN], z[ZN], want[ZN];

static void draw(void)
{
    operand_fill(a, AN, OPERAND_TOP_BIT, 13, test_u64());
    operand_fill(b, BN, OPERAND_TOP_BIT, 13, test_u64());
    mpn_mul(want, a, AN, b, BN);
}

static void options_of_device(struct gfmul_options *opt)
{
    gfmul_options_init(opt);
    opt->device = "gpu";
    opt->threads = 1;
}

static struct gfmul_ctx *ctx_of(const struct gfmul_options *opt)
{
    struct gfmul_ctx *ctx;
    if (!TEST_OK(gfmul_ctx_create(&ctx, opt)))
        exit(1);
    return ctx;
}

static struct gfmul_ctx *ctx_of_device(void)
{
    struct gfmul_options opt;
    options_of_device(&opt);
    return ctx_of(&opt);
}

static struct ocl_device *device_of(struct gfmul_ctx *ctx)
{
    struct ocl_device *d = NULL;
    struct call call;
    call_begin(&call, ctx);
    if (!TEST_OK(call_end(&call, ctx_device_get(&call, SIZE_MAX, &d))))
        exit(1);
    return d;
}

static enum gfmul_status multiply(struct gfmul_ctx *ctx)
{
    memset(z, 0, sizeof z);
    return gfmul_mul(ctx, z, a, AN, b, BN);
}

static void check_product(struct gfmul_ctx *ctx, const char *what)
{
    struct gfmul_report report;
    test_note("%s", what);
    TEST_OK(multiply(ctx));
    test_equal_limbs(z, want, ZN);
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(strcmp(report.plan.engine, "opencl") == 0, "made by %s: %s", report.plan.engine, report.detail);
}

/* The caller may let its context and queue go as soon as they are given. */
static void test_given_released(void)
{
    struct gfmul_ctx *usual = ctx_of_device();
    const cl_device_id id = ocl_device_id(device_of(usual));
    struct gfmul_options opt;
    cl_int code;
    draw();
    gfmul_options_init(&opt);
    opt.cl_context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    TEST_CHECK(code == CL_SUCCESS);
    opt.cl_queue = clCreateCommandQueue(opt.cl_context, id, 0, &code);
    TEST_CHECK(code == CL_SUCCESS);
    struct gfmul_ctx *ctx = ctx_of(&opt);
    clReleaseCommandQueue(opt.cl_queue);
    clReleaseContext(opt.cl_context);
    check_product(ctx, "given, and let go");
    gfmul_ctx_destroy(ctx);
    gfmul_ctx_destroy(usual);
}

/* A device by name is opened anew as often as it is lost. */
static void test_lost_again(void)
{
    struct gfmul_ctx *ctx = ctx_of_device();
    draw();
    for (unsigned i = 0; i < 3; i++) {
        test_note("lost %u times", i + 1);
        ocl_fault_set(OCL_FAULT_LAUNCH, 0, 1, CL_DEVICE_NOT_AVAILABLE);
        TEST_CHECK(multiply(ctx) == GFMUL_ERR_DEVICE);
        ocl_fault_clear();
        check_product(ctx, "the one after");
    }
    gfmul_ctx_destroy(ctx);
}

/* test_trim - kernels, tables and buffers of earlier products go; operands of the device stay. */
static void test_trim(void)
{
    struct gfmul_ctx *ctx = ctx_of_device();
    struct gfmul_operand *op;
    draw();
    gfmul_ctx_trim(ctx); /* nothing is open yet, or nothing ran */
    TEST_OK(gfmul_operand_create(ctx, &op, b, BN, AN));
    for (unsigned turn = 0; turn < 2; turn++) {
        memset(z, 0, sizeof z);
        TEST_OK(gfmul_mul(ctx, z, a, AN, b, BN));
        test_equal_limbs(z, want, ZN);
        TEST_CHECK(mul_ocl_kept_pipelines(ctx, device_of(ctx)) > 0);
        const size_t room = ocl_buffer_room(device_of(ctx));
        gfmul_ctx_trim(ctx);
        TEST_CHECK(mul_ocl_kept_pipelines(ctx, device_of(ctx)) == 0 && ocl_buffer_room(device_of(ctx)) > room);
        memset(z, 0, sizeof z);
        TEST_OK(gfmul_operand_mul(op, z, a, AN));
        test_equal_limbs(z, want, ZN);
    }
    gfmul_operand_destroy(op);
    gfmul_ctx_destroy(ctx);
}

/* Where a kept spectrum leaves no room, the product is a plain one, like any other that is refused memory. */
static void test_kept_refused(void)
{
    struct gfmul_ctx *ctx = ctx_of_device();
    struct gfmul_operand *op;
    draw();
    TEST_OK(gfmul_operand_create(ctx, &op, b, BN, AN));
    for (unsigned skip = 0; skip < 4; skip++) {
        test_note("from buffer %u on two are refused", skip);
        ocl_device_lock(device_of(ctx));
        ocl_kept_trim(ctx->ocl_kept);
        ocl_device_unlock(device_of(ctx));
        ocl_buffer_trim(device_of(ctx));
        memset(z, 0, sizeof z);
        ocl_fault_set(OCL_FAULT_BUFFER, skip, 2, CL_MEM_OBJECT_ALLOCATION_FAILURE);
        TEST_OK(gfmul_operand_mul(op, z, a, AN));
        ocl_fault_clear();
        test_equal_limbs(z, want, ZN);
    }
    gfmul_operand_destroy(op);
    gfmul_ctx_destroy(ctx);
}

/* Digits for any operands are shorter: where no transform holds them any more, the product is made in pieces. */
static void test_longest(void)
{
    struct gfmul_ctx *ctx = ctx_of_device();
    struct gfmul_plan_info plan;
    struct gfmul_report report;
    size_t n = 0;
    ctx->device_points_most = 65536;
    for (size_t k = 8000; k <= BN; k += 50)
        if (gfmul_plan_limbs(ctx, &plan, k, k) == GFMUL_OK && plan.n_slices == 1)
            n = k;
    if (!TEST_CHECK(n > 8000 && n < BN))
        return;
    draw();
    mpn_mul(want, a, (mp_size_t)n, b, (mp_size_t)n);
    test_note("n=%zu", n);
    ocl_fault_set(OCL_FAULT_FIGURES, 0, 1, 1);
    TEST_OK(gfmul_mul(ctx, z, a, n, b, n));
    ocl_fault_clear();
    test_equal_limbs(z, want, 2 * n);
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(report.plan.n_slices > 1, "%zu slices", report.plan.n_slices);
    gfmul_ctx_destroy(ctx);
}

/* The largest error is that of all pieces. */
static void test_error_of_pieces(void)
{
    struct gfmul_ctx *ctx = ctx_of_device();
    struct gfmul_plan_info plan;
    struct gfmul_report report;
    draw();
    TEST_OK(gfmul_plan_limbs(ctx, &plan, AN, BN));
    device_of(ctx)->info.global_bytes = plan.memory_bytes / 15 * 8;
    for (unsigned skip = 0;; skip++) {
        test_note("piece %u", skip);
        ocl_fault_set(OCL_FAULT_DISTANCE, skip, 1, 40);
        TEST_OK(multiply(ctx));
        ocl_fault_clear();
        gfmul_ctx_report(ctx, &report);
        if (!TEST_CHECK_MSG(report.plan.n_slices > 1, "%zu slices", report.plan.n_slices))
            break;
        TEST_CHECK_MSG(report.max_error == 0.04, "%g", report.max_error);
        if (skip + 1 >= report.plan.n_slices)
            break;
    }
    gfmul_ctx_destroy(ctx);
}

/* A distance that the bound for any operands does not allow says that something else is wrong: no product. */
static void test_distance_refused(void)
{
    struct gfmul_options opt;
    options_of_device(&opt);
    opt.rule = GFMUL_RULE_KNUTH;
    draw();
    struct gfmul_ctx *ctx = ctx_of(&opt);
    check_product(ctx, "rule knuth");
    ocl_fault_set(OCL_FAULT_DISTANCE, 0, 1, 1000);
    const enum gfmul_status status = multiply(ctx);
    ocl_fault_clear();
    if (status == GFMUL_OK) { /* made again */
        struct gfmul_report report;
        gfmul_ctx_report(ctx, &report);
        test_equal_limbs(z, want, ZN);
        TEST_CHECK_MSG(report.n_device_errors > 0, "nobody minds");
    } else {
        TEST_CHECK_MSG(status == GFMUL_ERR_VERIFY, "status %d", status);
    }
    gfmul_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    test_begin(argc, argv);
    TEST_RUN(test_given_released);
    TEST_RUN(test_lost_again);
    TEST_RUN(test_trim);
    TEST_RUN(test_kept_refused);
    TEST_RUN(test_longest);
    TEST_RUN(test_error_of_pieces);
    TEST_RUN(test_distance_refused);
    return ocl_test_end();
}

#else

int main(void)
{
    puts("skipped: a build without OpenCL");
    return 77;
}
#endif
