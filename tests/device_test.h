/*
 * device_test.h - what the tests of products on a device share: two operands, their product by GMP, contexts.
 */
#ifndef GFMUL_DEVICE_TEST_H
#define GFMUL_DEVICE_TEST_H

#include <pthread.h>

#include "mul/ctx_device.h"
#include "contexts.h"
#include "ocl_test.h"
#include "operands.h"

enum { AN = 26000, BN = 25000, ZN = AN + BN }; /* above every crossover to GMP */
static mp_limb_t a[AN], b[BN], z[ZN], want[ZN];

/* operands_draw - new ones; want is their product. */
TEST_UNUSED static void operands_draw(void)
{
    operand_fill(a, AN, OPERAND_TOP_BIT, 13, test_u64());
    operand_fill(b, BN, OPERAND_TOP_BIT, 13, test_u64());
    mpn_mul(want, a, AN, b, BN);
    memset(z, 0x5a, sizeof z);
}

/* ctx_device_limits - the least products that "auto" opens a device for, and gives to an open one. */
TEST_UNUSED static void ctx_device_limits(struct gfmul_ctx *ctx, size_t cold_limbs, size_t warm_limbs)
{
    ctx->device_cold_limbs = cold_limbs;
    ctx->device_warm_limbs = warm_limbs;
}

/* ctx_of - a context; device NULL: "auto", with a device that counts as a GPU, for products of any size. */
TEST_UNUSED static struct gfmul_ctx *ctx_of(const char *device)
{
    struct gfmul_ctx *ctx = TEST_CTX(.device = device, .threads = 2);
    if (!device)
        ctx_device_limits(ctx, 1, 1);
    return ctx;
}

/* device_of - the device of a context, opened. */
TEST_UNUSED static struct ocl_device *device_of(struct gfmul_ctx *ctx)
{
    struct ocl_device *d = NULL;
    struct call call;
    call_begin(&call, ctx);
    if (!TEST_OK(call_end(&call, ctx_device_get(&call, SIZE_MAX, &d))))
        exit(1);
    return d;
}

/* product - z = a b, which is right where the status says so; its report. */
TEST_UNUSED static struct gfmul_report product(struct gfmul_ctx *ctx)
{
    struct gfmul_report report;
    memset(z, 0x5a, sizeof z);
    enum gfmul_status status = gfmul_mul(ctx, z, a, AN, b, BN);
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(report.status == status);
    if (status == GFMUL_OK)
        test_equal_limbs(z, want, ZN);
    return report;
}

/* One of several threads that make the product at once. */
struct product_thread {
    struct gfmul_ctx *ctx;
    enum gfmul_status status;
    bool same;
    struct gfmul_report report; /* perhaps another thread's */
};

TEST_UNUSED static void *product_thread_run(void *arg)
{
    struct product_thread *t = arg;
    mp_limb_t *w = test_alloc(sizeof want);
    t->same = true;
    for (int i = 0; i < 4 && t->same; i++) {
        memset(w, 0, sizeof want);
        t->status = gfmul_mul(t->ctx, w, a, AN, b, BN);
        gfmul_ctx_report(t->ctx, &t->report);
        t->same = t->status == GFMUL_OK && memcmp(w, want, sizeof want) == 0;
    }
    free(w);
    return NULL;
}

/* products_at_once - the product by four threads on two contexts, several times each: it is right. */
TEST_UNUSED static void products_at_once(struct gfmul_ctx *const ctx[2])
{
    enum { N = 4 };
    struct product_thread of[N];
    pthread_t thread[N];
    for (int i = 0; i < N; i++) {
        of[i].ctx = ctx[i % 2];
        if (!TEST_CHECK(pthread_create(&thread[i], NULL, product_thread_run, &of[i]) == 0))
            exit(1);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(thread[i], NULL);
        TEST_CHECK_MSG(of[i].same, "%s: %s", gfmul_strerror(of[i].status), of[i].report.detail);
    }
}

#endif
