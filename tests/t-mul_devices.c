/*
 * t-mul_devices.c - products of a context that has several devices: which one makes them, and what happens if one fails.
 *
 * The devices are one that is named twice, so that any machine with a device has two of them.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl_test.h"

#ifdef HAVE_OPENCL
#include <limits.h>

#include "device_test.h"
#include "mul/device_store.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_staging.h"
#include "ocl/ocl_state.h"

enum { JOBS = 6, ROUNDS = 40 };

static enum gfmul_status created(enum gfmul_engine engine, const char *device)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    gfmul_options_init(&opt);
    opt.engine = engine;
    opt.device = device;
    test_note("engine %d, device '%s'", (int)engine, device);
    const enum gfmul_status status = gfmul_ctx_create(&ctx, &opt);
    TEST_CHECK((status == GFMUL_OK) == (ctx != NULL));
    gfmul_ctx_destroy(ctx);
    return status;
}

/* found - the status of gfmul_device_find, which must be that of a context, and have a reason if it is none. */
static enum gfmul_status found(const char *device, struct gfmul_device_info *info)
{
    char why[OCL_DETAIL_BYTES] = "?";
    const enum gfmul_status status = gfmul_device_find(info, device, why, sizeof why);
    TEST_CHECK(status == created(GFMUL_ENGINE_AUTO, device));
    TEST_CHECK_MSG((status == GFMUL_OK) == (why[0] == '\0'), "'%s'", why);
    return status;
}

static void test_lists(void)
{
    static const char *const malformed[] = {",",       "gpu,",     ",gpu",       "gpu,,gpu", "0,9",    "gpu,0",
                                            "cpu,gpu", "gpu,auto", "all,gpu,99", "gpu,cpu",  "gpu,all"};
    char many[OCL_DEVICES_MAX * 4 + 8] = "gpu";
    struct gfmul_device_info one, first;
    TEST_OK(gfmul_device_find(&one, "gpu", NULL, 0));
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        TEST_CHECK(found(malformed[i], &first) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(found("gpu,99999", &first) == GFMUL_ERR_DEVICE && strcmp(first.name, one.name) == 0);
    TEST_CHECK(found("no such device,gpu", &first) == GFMUL_ERR_DEVICE);
    TEST_CHECK(found("gpu,gpu", &first) == GFMUL_OK && strcmp(first.name, one.name) == 0);
    TEST_CHECK(found("all", &first) == GFMUL_OK && first.usable && first.gpu == one.gpu && first.fp64 == one.fp64);
    TEST_CHECK(created(GFMUL_ENGINE_CPU, "gpu,gpu") == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(created(GFMUL_ENGINE_GMP, "all") == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(created(GFMUL_ENGINE_OPENCL, "gpu,gpu") == GFMUL_OK);
    for (unsigned i = 1; i < OCL_DEVICES_MAX; i++)
        memcpy(many + 3 + 4 * (size_t)(i - 1), ",gpu", 5);
    TEST_CHECK(found(many, NULL) == GFMUL_OK);
    memcpy(many + strlen(many), ",gpu", 5);
    TEST_CHECK(found(many, NULL) == GFMUL_ERR_ARGUMENT);
    ocl_fault_set(OCL_FAULT_PLATFORM, 0, UINT_MAX, -1001);
    TEST_CHECK(found("all", &first) == GFMUL_ERR_DEVICE && first.name[0] == '\0');
    TEST_CHECK(found("gpu,gpu", &first) == GFMUL_ERR_DEVICE);
    ocl_fault_clear();
}

/* made_at - a product that has to be right, made at this place; its report. */
static struct gfmul_report made_at(struct gfmul_ctx *ctx, unsigned place)
{
    const struct gfmul_report report = product(ctx);
    TEST_OK(report.status);
    TEST_CHECK_MSG(report.device_place == place, "made at place %u, should be %u: %s", report.device_place, place, report.detail);
    TEST_CHECK((strcmp(report.plan.engine, "opencl") == 0) == (place > 0));
    return report;
}

/* taken - the device that a product would go to now, which counts it; it has to be at this place. */
static struct ocl_device *taken(struct gfmul_ctx *ctx, size_t limbs, unsigned place)
{
    struct ocl_device *d = NULL;
    unsigned at = 0;
    struct call call;
    call_begin(&call, ctx);
    if (!TEST_OK(call_end(&call, ctx_device_take(&call, limbs, 0, &d, &at))))
        exit(1);
    TEST_CHECK_MSG(at == place, "place %u, should be %u", at, place);
    return d;
}

/* A product goes to the device with the least work, and to the first one if they have equally little. */
static void test_least_work(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu,gpu,gpu");
    operands_draw();
    for (unsigned i = 0; i < 2; i++)
        made_at(ctx, 1);
    struct ocl_device *const first = device_of(ctx);
    TEST_CHECK(taken(ctx, 3000000, 1) == first);
    made_at(ctx, 2);
    struct ocl_device *const second = taken(ctx, 2000000, 2);
    TEST_CHECK(second != first);
    TEST_CHECK(ocl_device_id(second) == ocl_device_id(first) && ocl_device_context(second) != ocl_device_context(first));
    struct ocl_device *const third = taken(ctx, 1000000, 3);
    made_at(ctx, 3);
    TEST_CHECK(taken(ctx, 2000000, 3) == third);
    made_at(ctx, 2);
    ctx_device_leave(ctx, first, 3000000);
    made_at(ctx, 1);
    ctx_device_leave(ctx, second, 2000000);
    ctx_device_leave(ctx, third, 1000000);
    ctx_device_leave(ctx, third, 2000000);
    made_at(ctx, 1); /* nothing is left of the others' work */
    TEST_CHECK(taken(ctx, 1, 1) == first && taken(ctx, 1, 2) == second && taken(ctx, 1, 3) == third);
    gfmul_ctx_destroy(ctx);
}

/* Products that run at once. */
struct stream {
    struct gfmul_job *job[JOBS];
    mp_limb_t z[JOBS][ZN];
    size_t an[JOBS], bn[JOBS];
    unsigned made[3]; /* by the CPU, and at each place */
    unsigned errors;
};

static void stream_start(struct gfmul_ctx *ctx, struct stream *s)
{
    for (unsigned i = 0; i < JOBS; i++) {
        s->an[i] = AN - test_below(1000);
        s->bn[i] = BN - test_below(1000);
        memset(s->z[i], 0x5a, sizeof s->z[i]);
        if (!TEST_OK(gfmul_mul_async(ctx, &s->job[i], s->z[i], a, s->an[i], b, s->bn[i])))
            exit(1);
    }
}

static void stream_end(struct stream *s)
{
    struct gfmul_report report;
    for (unsigned i = 0; i < JOBS; i++) {
        test_note("job %u", i);
        if (!TEST_OK(gfmul_job_wait(s->job[i], &report)))
            continue;
        mpn_mul(z, a, (mp_size_t)s->an[i], b, (mp_size_t)s->bn[i]);
        test_equal_limbs(s->z[i], z, s->an[i] + s->bn[i]);
        if (TEST_CHECK(report.device_place < 3))
            s->made[report.device_place]++;
        s->errors += report.n_device_errors;
    }
}

_Static_assert(AN - 1000 >= BN, "mpn_mul wants the longer operand first");

static void test_stream(void)
{
    static struct stream s;
    struct gfmul_ctx *ctx = ctx_of("gpu,gpu");
    memset(&s, 0, sizeof s);
    operands_draw();
    /* one of the threads may have ended before the next one starts, so that all find the first device free */
    for (unsigned i = 0; i < ROUNDS && (s.made[1] == 0 || s.made[2] == 0); i++) {
        stream_start(ctx, &s);
        stream_end(&s);
    }
    TEST_CHECK_MSG(s.made[0] == 0 && s.made[1] > 0 && s.made[2] > 0, "%u by the CPU, %u and %u by the devices", s.made[0],
                   s.made[1], s.made[2]);
    TEST_CHECK(s.errors == 0);
    gfmul_ctx_destroy(ctx);
}

/* One of two devices is lost amid a stream: the other one makes its products. */
static void test_stream_lost(void)
{
    static struct stream s;
    struct gfmul_ctx *ctx = ctx_of("gpu,gpu");
    operands_draw();
    struct ocl_device *const first = device_of(ctx);
    ctx_device_enter(ctx, first, ZN);
    made_at(ctx, 2); /* both are open, and have their programs */
    ctx_device_leave(ctx, first, ZN);
    made_at(ctx, 1);
    memset(&s, 0, sizeof s);
    ocl_fault_set(OCL_FAULT_LAUNCH, (unsigned)test_below(30), 1, CL_DEVICE_NOT_AVAILABLE);
    stream_start(ctx, &s);
    stream_end(&s);
    ocl_fault_clear();
    TEST_CHECK_MSG(s.made[0] == 0 && s.made[1] + s.made[2] == JOBS && s.errors > 0,
                   "%u by the CPU, %u and %u by the devices, %u failed", s.made[0], s.made[1], s.made[2], s.errors);
    const unsigned left = ocl_device_lost(first) ? 2 : 1;
    memset(&s, 0, sizeof s);
    stream_start(ctx, &s);
    stream_end(&s);
    TEST_CHECK_MSG(s.made[left] == JOBS && s.errors == 0, "%u of %d at the place that is left", s.made[left], JOBS);
    TEST_CHECK(ocl_device_lost(first) == (left == 2));
    gfmul_ctx_destroy(ctx);
}

/* With both lost the product fails; then both are opened again. */
static void test_all_lost(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu,gpu");
    operands_draw();
    made_at(ctx, 1);
    struct ocl_device *const first = device_of(ctx);
    ocl_fault_set(OCL_FAULT_LAUNCH, 0, 1, CL_DEVICE_NOT_AVAILABLE);
    const struct gfmul_report moved = made_at(ctx, 2);
    ocl_fault_clear();
    TEST_CHECK_MSG(moved.n_device_errors == 1 && strstr(moved.detail, "another device was used"), "%s", moved.detail);
    const struct gfmul_report quiet = made_at(ctx, 2);
    TEST_CHECK_MSG(quiet.detail[0] == '\0' && quiet.n_device_errors == 0, "%s", quiet.detail);
    TEST_CHECK(device_store_pipelines(ctx, first) == 0); /* its memory is not kept */
    ocl_fault_set(OCL_FAULT_LAUNCH, 0, 1, CL_DEVICE_NOT_AVAILABLE);
    const struct gfmul_report failed = product(ctx);
    ocl_fault_clear();
    TEST_CHECK_MSG(failed.status == GFMUL_ERR_DEVICE && strstr(failed.detail, "CL_DEVICE_NOT_AVAILABLE"), "%s", failed.detail);
    const struct gfmul_report again = made_at(ctx, 1);
    TEST_CHECK_MSG(again.detail[0] == '\0', "%s", again.detail);
    gfmul_ctx_destroy(ctx);
}

/* A device that cannot be opened is left out. */
static void test_not_opened(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu,gpu");
    operands_draw();
    ocl_fault_set(OCL_FAULT_CONTEXT, 0, 1, CL_OUT_OF_RESOURCES);
    const struct gfmul_report report = made_at(ctx, 2);
    ocl_fault_clear();
    TEST_CHECK(report.n_device_errors == 0);
    gfmul_ctx_destroy(ctx);
    ctx = ctx_of("gpu,gpu");
    ocl_fault_set(OCL_FAULT_CONTEXT, 0, UINT_MAX, CL_OUT_OF_RESOURCES);
    const struct gfmul_report none = product(ctx);
    ocl_fault_clear();
    TEST_CHECK_MSG(none.status == GFMUL_ERR_DEVICE && strstr(none.detail, "clCreateContext"), "%s", none.detail);
    made_at(ctx, 1);
    gfmul_ctx_destroy(ctx);
}

/* A device whose products are wrong twice is not asked a third time, and the CPU comes last. */
static void test_wrong(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu,gpu");
    operands_draw();
    for (unsigned times = 1; times <= 4; times++) {
        test_note("%u wrong products", times);
        ocl_fault_set(OCL_FAULT_DATA, 0, times, 1 + (int)test_below(100000));
        const struct gfmul_report report = made_at(ctx, times < 4 ? 1 + times / 2 : 0);
        ocl_fault_clear();
        TEST_CHECK_MSG(report.n_device_errors == times, "%u errors: %s", report.n_device_errors, report.detail);
    }
    gfmul_ctx_destroy(ctx);
}

/* A device that has no room even for short cells leaves the product to another one. */
static void test_refused(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu,gpu");
    operands_draw();
    device_of(ctx)->buffer_most = 1 << 10;
    const struct gfmul_report report = made_at(ctx, 2);
    TEST_CHECK_MSG(strstr(report.detail, "another device was used"), "%s", report.detail);
    gfmul_ctx_destroy(ctx);
}

/* Numbers on a device are all on the first one, whatever it has to do, and pinned memory is pinned for all. */
static void test_memory(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu,gpu");
    struct gfmul_device_operand *x, *y, *xy;
    void *p;
    operands_draw();
    struct ocl_device *const first = device_of(ctx);
    ctx_device_enter(ctx, first, ZN);
    TEST_OK(gfmul_device_operand_create(ctx, &x, AN));
    TEST_OK(gfmul_device_operand_create(ctx, &y, BN));
    TEST_OK(gfmul_device_operand_create(ctx, &xy, ZN));
    TEST_OK(gfmul_device_operand_set(x, a, AN));
    TEST_OK(gfmul_device_operand_set(y, b, BN));
    TEST_OK(gfmul_device_operand_mul(xy, x, y));
    memset(z, 0x5a, sizeof z);
    TEST_OK(gfmul_device_operand_get(xy, z, ZN));
    test_equal_limbs(z, want, ZN);
    gfmul_device_operand_destroy(x);
    gfmul_device_operand_destroy(y);
    gfmul_device_operand_destroy(xy);
    if (TEST_OK(gfmul_device_host_alloc(ctx, &p, sizeof z + sizeof a))) {
        mp_limb_t *const pz = p, *const pa = pz + ZN;
        struct gfmul_report report;
        memcpy(pa, a, sizeof a);
        memset(pz, 0x5a, sizeof z);
        TEST_CHECK(ocl_host_is_pinned(p, sizeof z + sizeof a) && !ocl_host_is_pinned(p, sizeof z + sizeof a + 1));
        TEST_OK(gfmul_mul(ctx, pz, pa, AN, b, BN));
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK_MSG(report.device_place == 2, "place %u", report.device_place);
        test_equal_limbs(pz, want, ZN);
        gfmul_device_host_free(ctx, p);
        TEST_CHECK(!ocl_host_is_pinned(p, 1));
    }
    ctx_device_leave(ctx, first, ZN);
    gfmul_ctx_destroy(ctx);
}

/* Products by a spectrum of a device that is lost are plain ones of another device. */
static void test_kept(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu,gpu");
    struct gfmul_operand *op;
    struct gfmul_report report;
    operands_draw();
    TEST_OK(gfmul_operand_create(ctx, &op, b, BN, AN));
    for (unsigned lost = 0; lost < 2; lost++) {
        if (lost)
            ocl_fault_set(OCL_FAULT_LAUNCH, 0, 1, CL_DEVICE_NOT_AVAILABLE);
        for (unsigned i = 0; i < 2; i++) {
            memset(z, 0x5a, sizeof z);
            TEST_OK(gfmul_operand_mul(op, z, a, AN));
            test_equal_limbs(z, want, ZN);
            gfmul_ctx_report(ctx, &report);
            TEST_CHECK_MSG(report.device_place == 1 + lost, "place %u: %s", report.device_place, report.detail);
            ocl_fault_clear();
        }
    }
    gfmul_operand_destroy(op);
    gfmul_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    test_begin(argc, argv);
    TEST_RUN(test_lists);
    TEST_RUN(test_least_work);
    TEST_RUN(test_stream);
    TEST_RUN(test_stream_lost);
    TEST_RUN(test_all_lost);
    TEST_RUN(test_not_opened);
    TEST_RUN(test_wrong);
    TEST_RUN(test_refused);
    TEST_RUN(test_memory);
    TEST_RUN(test_kept);
    return ocl_test_end();
}

#else

int main(void)
{
    puts("skipped: a build without OpenCL");
    return 77;
}
#endif
