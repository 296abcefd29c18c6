/*
 * t-mul_device.c - products on a device as a context routes them: the choice, every fault on the way, wrong results, threads.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "gfmul_private.h"
#include "ocl_test.h"

/* refused - the status of a context with these options. */
static enum gfmul_status refused(enum gfmul_engine engine, const char *device, void *context, void *queue)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    gfmul_options_init(&opt);
    opt.engine = engine;
    opt.device = device;
    opt.cl_context = context;
    opt.cl_queue = queue;
    test_note("engine %d, device %s", (int)engine, device ? device : "NULL");
    enum gfmul_status status = gfmul_ctx_create(&ctx, &opt);
    TEST_CHECK((status == GFMUL_OK) == (ctx != NULL));
    gfmul_ctx_destroy(ctx);
    return status;
}

static void test_contradictions(void)
{
    int thing;
    for (int e = GFMUL_ENGINE_AUTO; e <= GFMUL_ENGINE_GMP; e++) {
        const enum gfmul_engine engine = (enum gfmul_engine)e;
        const bool here = engine != GFMUL_ENGINE_AUTO && engine != GFMUL_ENGINE_OPENCL;
        if (!gfmul_has_engine(engine))
            continue;
        TEST_CHECK(refused(engine, "cpu", NULL, NULL) == (engine == GFMUL_ENGINE_OPENCL ? GFMUL_ERR_ARGUMENT : GFMUL_OK));
        TEST_CHECK(refused(engine, "0", NULL, NULL) == (engine == GFMUL_ENGINE_OPENCL ? GFMUL_ERR_ARGUMENT : GFMUL_OK));
        TEST_CHECK(refused(engine, "no such device", NULL, NULL) == (here ? GFMUL_ERR_ARGUMENT : GFMUL_ERR_DEVICE));
        TEST_CHECK(refused(engine, "", NULL, NULL) == (here ? GFMUL_ERR_ARGUMENT : GFMUL_ERR_DEVICE));
        TEST_CHECK(refused(engine, "cpu", &thing, &thing) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(refused(engine, "gpu", &thing, &thing) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(refused(engine, NULL, &thing, NULL) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(refused(engine, NULL, NULL, &thing) == GFMUL_ERR_ARGUMENT);
        if (here)
            TEST_CHECK(refused(engine, "auto", NULL, NULL) == GFMUL_OK && refused(engine, NULL, NULL, NULL) == GFMUL_OK);
    }
#ifndef HAVE_OPENCL
    TEST_CHECK(refused(GFMUL_ENGINE_AUTO, "gpu", NULL, NULL) == GFMUL_ERR_DEVICE);
    TEST_CHECK(refused(GFMUL_ENGINE_OPENCL, NULL, NULL, NULL) == GFMUL_ERR_UNSUPPORTED);
#endif
}

#ifdef HAVE_OPENCL

#include "device_test.h"
#include "ocl/ocl_program.h"

/* made_by - a product that has to be right, by that engine, with so many failures on the way. */
static void made_by(struct gfmul_ctx *ctx, const char *engine, unsigned errors, const char *why)
{
    const struct gfmul_report report = product(ctx);
    TEST_OK(report.status);
    TEST_CHECK_MSG(strcmp(report.plan.engine, engine) == 0, "engine %s, should be %s; %s", report.plan.engine, engine,
                   report.detail);
    TEST_CHECK_MSG(report.n_device_errors == errors, "%u errors, should be %u; %s", report.n_device_errors, errors,
                   report.detail);
    if (why)
        TEST_CHECK_MSG(strstr(report.detail, why), "detail '%s' has no '%s'", report.detail, why);
    else
        TEST_CHECK_MSG(report.detail[0] == '\0', "detail '%s'", report.detail);
    TEST_CHECK(report.residue_prime != 0);
}

/* A certificate of a device's product has residues and no transforms: the checker knows the passes of the CPU alone. */
static void test_certificate(void)
{
    static char text[1 << 14];
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.device = "gpu";
    opt.certify = 1;
    struct gfmul_ctx *ctx = test_ctx(&opt);
    operands_draw();
    made_by(ctx, "opencl", 0, NULL);
    TEST_CHECK(gfmul_ctx_certificate(ctx, text, sizeof text) < sizeof text);
    TEST_CHECK_MSG(strstr(text, "\nclaim: probable\n") && strstr(text, "\ntransforms: 0\n"), "%s", text);
    gfmul_ctx_destroy(ctx);
}

static void test_named(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu");
    struct gfmul_device_info info;
    operands_draw();
    TEST_OK(gfmul_device_find(&info, "gpu", NULL, 0));
    made_by(ctx, "opencl", 0, NULL);
    const struct gfmul_report report = product(ctx);
    TEST_CHECK(strcmp(report.plan.device, info.name) == 0 && report.transform_ns > 0);
    test_proved(&report);
    struct gfmul_plan_info plan;
    TEST_OK(gfmul_plan_limbs(ctx, &plan, AN, BN));
    TEST_CHECK(strcmp(plan.engine, "opencl") == 0 && strcmp(plan.device, info.name) == 0);
    /* short products are GMP's, wherever the long ones go */
    TEST_OK(gfmul_mul(ctx, z, a, 1, b, 1));
    gfmul_ctx_destroy(ctx);
}

static unsigned programs_of(struct gfmul_ctx *ctx)
{
    struct ocl_program_counts counts;
    ocl_program_count(device_of(ctx), &counts);
    return counts.built + counts.loaded;
}

/* What a product takes is made before it; a device that fails is an error where it was named, else the CPU needs nothing. */
static void test_prepare(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu");
    operands_draw();
    TEST_OK(gfmul_device_prepare(ctx, 0, AN, BN));
    struct gfmul_report report;
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(report.status == GFMUL_OK && strcmp(report.plan.engine, "opencl") == 0 && report.device_start_ns > 0);
    const unsigned programs = programs_of(ctx);
    TEST_CHECK(programs > 0);
    report = product(ctx);
    TEST_OK(report.status);
    TEST_CHECK_MSG(programs_of(ctx) == programs && report.device_start_ns == 0, "%u programs more, %llu ns",
                   programs_of(ctx) - programs, (unsigned long long)report.device_start_ns);
    TEST_OK(gfmul_device_prepare(ctx, 0, 1, 1)); /* GMP's */
    TEST_CHECK(programs_of(ctx) == programs);
    unsigned missing = 99;
    TEST_OK(gfmul_private_build(ctx, 0, AN, BN, (struct gfmul_private_part){0, 0}, &missing));
    TEST_CHECK_MSG(missing == 0 && programs_of(ctx) == programs, "%u missing", missing);
    TEST_OK(gfmul_private_build(ctx, 0, AN, BN, (struct gfmul_private_part){1, 2}, NULL));
    TEST_CHECK(programs_of(ctx) == programs);
    TEST_CHECK(gfmul_private_build(ctx, 1, AN, BN, (struct gfmul_private_part){0, 0}, &missing) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_private_build(ctx, 0, AN, BN, (struct gfmul_private_part){3, 2}, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_device_prepare(ctx, 37, 100, 100) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_device_prepare(ctx, 0, SIZE_MAX, 1) == GFMUL_ERR_SIZE);
    gfmul_ctx_destroy(ctx);

    ctx = ctx_of("cpu");
    TEST_OK(gfmul_device_prepare(ctx, 0, AN, BN));
    missing = 99;
    TEST_OK(gfmul_private_build(ctx, 0, AN, BN, (struct gfmul_private_part){0, 1}, &missing));
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(strcmp(report.plan.engine, "cpu") == 0 && report.device_start_ns == 0 && missing == 0);
    gfmul_ctx_destroy(ctx);
    ocl_test_gpu(true);
    for (unsigned named = 0; named < 2; named++) {
        ctx = ctx_of(named ? "gpu" : NULL);
        ocl_fault_set(OCL_FAULT_BUFFER, 0, 1000000, CL_OUT_OF_RESOURCES);
        TEST_CHECK(gfmul_device_prepare(ctx, 0, AN, BN) == (named ? GFMUL_ERR_DEVICE : GFMUL_OK));
        ocl_fault_clear();
        made_by(ctx, "opencl", 0, NULL);
        gfmul_ctx_destroy(ctx);
    }
    ocl_test_gpu(false);
}

static void test_auto(void)
{
    struct gfmul_ctx *ctx = ctx_of(NULL);
    char why[OCL_DETAIL_BYTES] = "";
    operands_draw();
    if (ocl_device_find(NULL, "auto", why) != GFMUL_OK) /* a machine without a GPU: never another device */
        made_by(ctx, "cpu", 0, why);
    gfmul_ctx_destroy(ctx);

    ocl_test_gpu(true);
    ctx = ctx_of(NULL);
    made_by(ctx, "opencl", 0, NULL);
    ctx_device_limits(ctx, 1, ZN + 1);
    made_by(ctx, "cpu", 0, NULL);
    gfmul_ctx_destroy(ctx);

    ctx = ctx_of(NULL);
    ctx_device_limits(ctx, ZN + 1, 1);
    made_by(ctx, "cpu", 0, NULL); /* not worth opening a device */
    ctx_device_limits(ctx, ZN, 1);
    made_by(ctx, "opencl", 0, NULL);
    ctx_device_limits(ctx, ZN + 1, ZN);
    made_by(ctx, "opencl", 0, NULL); /* open now */
    gfmul_ctx_destroy(ctx);
    ctx = ctx_of("cpu");
    made_by(ctx, "cpu", 0, NULL);
    gfmul_ctx_destroy(ctx);
    ocl_test_gpu(false);
}

/* Products that are not large leave OpenCL alone: the fault that waits there is met by nobody. */
static void test_untouched(void)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    gfmul_options_init(&opt);
    ocl_fault_set(OCL_FAULT_PLATFORM, 0, 1, -1001);
    ctx = test_ctx(&opt);
    operands_draw();
    made_by(ctx, "cpu", 0, NULL);
    gfmul_ctx_destroy(ctx);
    TEST_CHECK(ocl_device_list(NULL, 0) == 0);
    ocl_fault_clear();
    TEST_CHECK(ocl_device_list(NULL, 0) > 0);
}

static const struct {
    enum ocl_fault_place place;
    const char *name;
} places[] = {{OCL_FAULT_PLATFORM, "platform"}, {OCL_FAULT_CONTEXT, "context"}, {OCL_FAULT_BUILD, "build"},
              {OCL_FAULT_BUFFER, "buffer"},     {OCL_FAULT_LAUNCH, "launch"},   {OCL_FAULT_TRANSFER, "transfer"}};
enum { N_PLACES = sizeof places / sizeof places[0] };

/* What goes wrong while a device is opened or used, and goes on so: under "auto" the CPU makes the product and says why. */
static void test_auto_faults(void)
{
    ocl_test_gpu(true);
    operands_draw();
    for (int i = 0; i < N_PLACES; i++) {
        for (unsigned skip = 0; skip < 3; skip += 2) {
            struct gfmul_ctx *ctx = ctx_of(NULL);
            const bool opening = places[i].place <= OCL_FAULT_CONTEXT;
            const unsigned n = places[i].place == OCL_FAULT_PLATFORM ? 0 : skip;
            test_note("%s, from %u on", places[i].name, n);
            ocl_fault_set(places[i].place, n, 1000000, CL_OUT_OF_RESOURCES);
            made_by(ctx, "cpu", !opening, "the CPU was used");
            made_by(ctx, "cpu", !opening, "the CPU was used");
            if (places[i].place == OCL_FAULT_BUFFER) { /* kernels are not built for products that have no room */
                struct ocl_program_counts counts;
                ocl_program_count(device_of(ctx), &counts);
                TEST_CHECK_MSG(counts.built + counts.loaded == 0, "%u programs", counts.built + counts.loaded);
            }
            ocl_fault_clear();
            /* one that could not be opened is not tried again; one that failed is */
            made_by(ctx, opening ? "cpu" : "opencl", 0, opening ? "the CPU was used" : NULL);
            gfmul_ctx_destroy(ctx);
        }
    }
    ocl_test_gpu(false);
}

/* The device vanishes at each of its steps in turn, until there is no such step: no product is lost, and it is not tried anew. */
static void test_auto_vanishes(void)
{
    ocl_test_gpu(true);
    operands_draw();
    for (int i = 2; i < N_PLACES; i++) {
        bool met = true;
        for (unsigned skip = 0; met && skip < 60; skip++) {
            struct gfmul_ctx *ctx = ctx_of(NULL);
            test_note("%s %u", places[i].name, skip);
            ocl_fault_set(places[i].place, skip, 1, CL_DEVICE_NOT_AVAILABLE);
            const struct gfmul_report report = product(ctx);
            met = report.n_device_errors > 0;
            ocl_fault_clear();
            TEST_OK(report.status);
            TEST_CHECK(strcmp(report.plan.engine, met ? "cpu" : "opencl") == 0);
            TEST_CHECK(met == (strstr(report.detail, "CL_DEVICE_NOT_AVAILABLE") != NULL));
            if (met)
                made_by(ctx, "cpu", 0, "CL_DEVICE_NOT_AVAILABLE"); /* and it remembers why */
            else
                made_by(ctx, "opencl", 0, NULL);
            TEST_CHECK(met || skip > 0);
            gfmul_ctx_destroy(ctx);
        }
        TEST_CHECK(!met);
    }
    ocl_test_gpu(false);
}

/* With the device named, the same are errors with a reason; once the fault has gone, so have they. */
static void test_named_faults(void)
{
    operands_draw();
    for (int i = 0; i < N_PLACES; i++) {
        for (int vanishes = 0; vanishes < 2; vanishes++) {
            const int code = vanishes ? CL_DEVICE_NOT_AVAILABLE : CL_OUT_OF_RESOURCES;
            struct gfmul_ctx *ctx = ctx_of("gpu");
            test_note("%s, code %d", places[i].name, code);
            ocl_fault_set(places[i].place, 0, 1000000, code);
            const struct gfmul_report report = product(ctx);
            TEST_CHECK(report.status == GFMUL_ERR_DEVICE);
            TEST_CHECK_MSG(report.detail[0] && !strstr(report.detail, "CPU"), "%s", report.detail);
            TEST_CHECK(places[i].place == OCL_FAULT_PLATFORM || strstr(report.detail, ocl_code_name(code)));
            ocl_fault_clear();
            made_by(ctx, "opencl", 0, NULL);
            gfmul_ctx_destroy(ctx);
        }
    }
    ocl_fault_set(OCL_FAULT_PLATFORM, 0, 1, -1001);
    TEST_CHECK(refused(GFMUL_ENGINE_AUTO, "gpu", NULL, NULL) == GFMUL_ERR_DEVICE);
    ocl_fault_set(OCL_FAULT_PLATFORM, 0, 1, -1001);
    TEST_CHECK(refused(GFMUL_ENGINE_OPENCL, NULL, NULL, NULL) == GFMUL_ERR_DEVICE);
    ocl_fault_clear();
}

/* One wrong bit: a wrong product is made again there, a second one by the CPU, whether the device was named or not. */
static void test_wrong(void)
{
    operands_draw();
    ocl_test_gpu(true);
    for (int named = 0; named < 2; named++) {
        struct gfmul_ctx *ctx = ctx_of(named ? "gpu" : NULL);
        for (int round = 0; round < 5; round++) {
            const size_t at = (size_t)test_below(8 * ZN);
            test_note("named %d, byte %zu", named, at);
            ocl_fault_set(OCL_FAULT_DATA, 0, 1, 1 + (int)(at));
            made_by(ctx, "opencl", 1, "wrong");
            ocl_fault_clear();
        }
        ocl_fault_set(OCL_FAULT_DATA, 0, 2, 1 + (int)(test_below(8 * ZN)));
        made_by(ctx, "cpu", 2, "the CPU was used");
        ocl_fault_clear();
        made_by(ctx, "opencl", 0, NULL);
        gfmul_ctx_destroy(ctx);
    }
    ocl_test_gpu(false);
}

static void test_text(void)
{
    enum { DIGITS_MAX = 490000 };
    static char x[DIGITS_MAX], y[DIGITS_MAX], got[2 * DIGITS_MAX + 2], right[2 * DIGITS_MAX + 2];
    static const int bases[] = {10, 16};
    static const size_t lengths[] = {DIGITS_MAX, 400000}; /* about as many limbs as above: the same kernels */
    struct gfmul_ctx *cpu = ctx_of("cpu"), *gpu = ctx_of("gpu");
    struct gfmul_report report;
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        const int base = bases[i];
        const size_t digits = lengths[i];
        size_t n, m;
        text_fill(x, digits, TEXT_RANDOM, (unsigned)base, 8, test_u64());
        text_fill(y, digits, TEXT_RANDOM, (unsigned)base, 8, test_u64());
        test_note("base %d", base);
        TEST_OK(gfmul_str_mul(cpu, right, sizeof right, &n, base, x, digits, base, y, digits, base));
        TEST_OK(gfmul_str_mul(gpu, got, sizeof got, &m, base, x, digits, base, y, digits, base));
        gfmul_ctx_report(gpu, &report);
        TEST_CHECK(n == m && (strcmp(report.plan.engine, "opencl") == 0 || strcmp(report.plan.engine, "gmp") == 0 ||
                               strcmp(report.plan.engine, "short") == 0));
        test_equal_text(got, right, n + 1);
        ocl_fault_set(OCL_FAULT_DATA, 0, 1000, 778); /* of decimal text a bit that residues mask */
        TEST_OK(gfmul_str_mul(gpu, got, sizeof got, &m, base, x, digits, base, y, digits, base));
        ocl_fault_clear();
        TEST_CHECK(n == m);
        test_equal_text(got, right, n + 1);
        struct gfmul_plan_info plan;
        TEST_OK(gfmul_plan_text(gpu, &plan, base, digits, digits));
    }
    gfmul_ctx_destroy(cpu);
    gfmul_ctx_destroy(gpu);
}

static void test_threads(void)
{
    struct gfmul_ctx *ctx[2] = {ctx_of("gpu"), ctx_of("gpu")}; /* one device under both */
    operands_draw();
    products_at_once(ctx);
    gfmul_ctx_destroy(ctx[0]);
    gfmul_ctx_destroy(ctx[1]);
}

static void test_given_queue(void)
{
    struct ocl_device *d = ocl_test_open();
    cl_device_id id = ocl_device_id(d);
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    cl_command_queue queue = clCreateCommandQueue(context, id, 0, &code);
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    TEST_CHECK(code == CL_SUCCESS);
    operands_draw();
    gfmul_options_init(&opt);
    opt.cl_context = context;
    opt.cl_queue = queue;
    if (TEST_OK(gfmul_ctx_create(&ctx, &opt))) {
        made_by(ctx, "opencl", 0, NULL);
        gfmul_ctx_destroy(ctx);
    }
    TEST_CHECK(clFinish(queue) == CL_SUCCESS);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    ocl_device_close(d);
}

static void test_kernels(void)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    struct gfmul_kernel_time kernel[64];
    operands_draw();
    for (int profile = 0; profile < 2; profile++) {
        gfmul_options_init(&opt);
        opt.device = "gpu";
        opt.profile = profile;
        if (!TEST_OK(gfmul_ctx_create(&ctx, &opt)))
            return;
        made_by(ctx, "opencl", 0, NULL);
        const unsigned n = gfmul_ctx_kernels(ctx, kernel, 64);
        TEST_CHECK((n > 0) == profile && n <= 64 && gfmul_ctx_kernels(ctx, NULL, 0) == n);
        for (unsigned i = 0; i < n && i < 64; i++) {
            test_note("kernel %s", kernel[i].name);
            TEST_CHECK(kernel[i].name[0] && kernel[i].launches > 0 && kernel[i].ns > 0);
        }
        TEST_OK(gfmul_mul(ctx, z, a, 1, b, 1)); /* no kernel made this one */
        TEST_CHECK(gfmul_ctx_kernels(ctx, kernel, 64) == 0);
        gfmul_ctx_destroy(ctx);
    }
}

/* Fixed operands go where plain products go. */
static void test_operand(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu");
    struct gfmul_operand *op;
    struct gfmul_report report;
    operands_draw();
    if (TEST_OK(gfmul_operand_create(ctx, &op, b, BN, AN))) {
        TEST_OK(gfmul_operand_mul(op, z, a, AN));
        test_equal_limbs(z, want, ZN);
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK(strcmp(report.plan.engine, "opencl") == 0);
        ocl_fault_set(OCL_FAULT_LAUNCH, 0, 1000, CL_OUT_OF_RESOURCES);
        TEST_CHECK(gfmul_operand_mul(op, z, a, AN) == GFMUL_ERR_DEVICE);
        ocl_fault_clear();
        gfmul_operand_destroy(op);
    }
    gfmul_ctx_destroy(ctx);
}

/* number_of - a number on the device, with a value. */
static struct gfmul_device_operand *number_of(struct gfmul_ctx *ctx, const mp_limb_t *p, size_t n, size_t room)
{
    struct gfmul_device_operand *op;
    if (!TEST_OK(gfmul_device_operand_create(ctx, &op, room)) || !TEST_OK(gfmul_device_operand_set(op, p, n)))
        exit(1);
    TEST_CHECK(gfmul_device_operand_limbs(op) == n && gfmul_device_operand_mem(op));
    return op;
}

/* Numbers that stay there: (a b)^2 with one transfer up for each operand and one down. */
static void test_resident(void)
{
    enum { ROOM = 2 * ZN };
    static mp_limb_t got[ROOM + 4], square[ROOM];
    struct gfmul_ctx *ctx = ctx_of("gpu"), *other = ctx_of("gpu");
    struct gfmul_report report;
    operands_draw();
    mpn_sqr(square, want, ZN);
    struct gfmul_device_operand *x = number_of(ctx, a, AN, AN), *y = number_of(ctx, b, BN, ROOM), *p, *q;
    TEST_OK(gfmul_device_operand_create(ctx, &p, ROOM));
    TEST_OK(gfmul_device_operand_create(ctx, &q, ROOM));
    TEST_CHECK(gfmul_device_operand_limbs(p) == 0);
    for (int round = 0; round < 2; round++) {
        TEST_OK(round ? gfmul_device_operand_mul(p, y, x) : gfmul_device_operand_mul(p, x, y));
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK(strcmp(report.plan.engine, "opencl") == 0 && report.upload_ns == 0);
        test_proved(&report);
        TEST_OK(gfmul_device_operand_mul(q, p, p));
        TEST_CHECK(gfmul_device_operand_limbs(q) == ROOM);
        memset(got, 0x5a, sizeof got);
        TEST_OK(gfmul_device_operand_get(q, got, ROOM + 3));
        test_equal_limbs(got, square, ROOM);
        TEST_CHECK(got[ROOM] == 0 && got[ROOM + 2] == 0 && got[ROOM + 3] == 0x5a5a5a5a5a5a5a5au);
        TEST_OK(gfmul_device_operand_get(p, got, ZN));
        test_equal_limbs(got, want, ZN);
    }
    TEST_OK(gfmul_device_operand_get(x, got, AN)); /* operands stay as they were */
    test_equal_limbs(got, a, AN);

    TEST_CHECK(gfmul_device_operand_get(q, got, ROOM - 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_device_operand_set(x, a, AN + 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_device_operand_mul(x, p, y) == GFMUL_ERR_ARGUMENT); /* no room */
    TEST_CHECK(gfmul_device_operand_mul(p, p, y) == GFMUL_ERR_OVERLAP && gfmul_device_operand_mul(p, y, p) == GFMUL_ERR_OVERLAP);
    TEST_CHECK(gfmul_device_operand_mul(NULL, x, y) == GFMUL_ERR_ARGUMENT &&
               gfmul_device_operand_get(NULL, got, 1) == GFMUL_ERR_ARGUMENT);
    struct gfmul_device_operand *foreign = number_of(other, b, BN, BN);
    TEST_CHECK(gfmul_device_operand_mul(p, x, foreign) == GFMUL_ERR_ARGUMENT);
    gfmul_device_operand_destroy(foreign);

    /* a wrong bit on the way down, or up, is seen where the value is fetched */
    ocl_fault_set(OCL_FAULT_DATA, 0, 1, 1 + (int)(4 * ZN));
    TEST_OK(gfmul_device_operand_mul(q, x, y));
    TEST_CHECK(gfmul_device_operand_get(q, got, ZN) == GFMUL_ERR_VERIFY);
    ocl_fault_clear();
    TEST_OK(gfmul_device_operand_get(q, got, ZN));
    const cl_uint wrong = 0x12345;
    struct ocl_device *d;
    struct call call;
    call_begin(&call, ctx);
    TEST_OK(ctx_device_get(&call, 1, &d));
    TEST_CHECK(clEnqueueWriteBuffer(ocl_device_queue(d), gfmul_device_operand_mem(x), CL_TRUE, 40, 4, &wrong, 0, NULL, NULL) ==
               CL_SUCCESS);
    TEST_OK(call_end(&call, GFMUL_OK));
    TEST_OK(gfmul_device_operand_mul(p, x, y));
    TEST_OK(gfmul_device_operand_mul(q, p, p));
    TEST_CHECK(gfmul_device_operand_get(q, got, ROOM) == GFMUL_ERR_VERIFY);

    /* zero; an error leaves zero behind */
    TEST_OK(gfmul_device_operand_set(x, NULL, 0));
    TEST_OK(gfmul_device_operand_mul(q, x, y));
    TEST_CHECK(gfmul_device_operand_limbs(q) == 0);
    TEST_OK(gfmul_device_operand_get(q, got, 5));
    TEST_CHECK(got[0] == 0 && got[4] == 0);
    TEST_OK(gfmul_device_operand_set(x, a, AN));
    ocl_fault_set(OCL_FAULT_LAUNCH, 1, 1, CL_OUT_OF_RESOURCES);
    TEST_CHECK(gfmul_device_operand_mul(q, x, y) == GFMUL_ERR_DEVICE && gfmul_device_operand_limbs(q) == 0);
    ocl_fault_clear();
    TEST_OK(gfmul_device_operand_mul(q, x, y));
    gfmul_device_operand_destroy(x);
    gfmul_device_operand_destroy(y);
    gfmul_device_operand_destroy(p);
    gfmul_device_operand_destroy(q);
    gfmul_device_operand_destroy(NULL);
    gfmul_ctx_destroy(ctx);
    gfmul_ctx_destroy(other);
    ctx = ctx_of("cpu");
    TEST_CHECK(gfmul_device_operand_create(ctx, &x, 10) == GFMUL_ERR_DEVICE && !x);
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(report.detail[0] != '\0');
    gfmul_ctx_destroy(ctx);
}

/* commands - how many commands of a kind a product enqueues: as many as can fail, one after another. */
static unsigned commands(struct gfmul_ctx *ctx, enum ocl_fault_place place, mp_limb_t *w, const mp_limb_t *x, const mp_limb_t *y,
                         size_t n)
{
    for (unsigned skip = 0;; skip++) {
        TEST_OK(gfmul_mul(ctx, w, x, n, y, n)); /* what a failure left to be cleared is */
        ocl_fault_set(place, skip, 1, CL_OUT_OF_RESOURCES);
        const enum gfmul_status status = gfmul_mul(ctx, w, x, n, y, n);
        ocl_fault_clear();
        if (status == GFMUL_OK || skip == 100)
            return skip;
    }
}

/* A short product from and to pinned memory: three kernels of two passes, two of carries; operands, product and figures. */
static void test_commands(void)
{
    enum { MOST = 100000 };
    struct gfmul_ctx *ctx;
    void *x, *y, *w;
    ctx = TEST_CTX(.device = "gpu", .engine = GFMUL_ENGINE_OPENCL);
    TEST_OK(gfmul_device_host_alloc(ctx, &x, MOST * 8));
    TEST_OK(gfmul_device_host_alloc(ctx, &y, MOST * 8));
    TEST_OK(gfmul_device_host_alloc(ctx, &w, MOST * 16));
    operand_fill(x, MOST, OPERAND_TOP_BIT, 13, test_u64());
    operand_fill(y, MOST, OPERAND_TOP_BIT, 13, test_u64());
    for (size_t n = 1000; n <= test_tier(1000, MOST / 10, MOST); n *= 10) {
        const unsigned kernels = commands(ctx, OCL_FAULT_LAUNCH, w, x, y, n),
                       transfers = commands(ctx, OCL_FAULT_TRANSFER, w, x, y, n);
        TEST_CHECK_MSG(kernels == 5 && transfers == 4, "%zu limbs: %u kernels, %u transfers", n, kernels, transfers);
    }
    gfmul_device_host_free(ctx, x);
    gfmul_device_host_free(ctx, y);
    gfmul_device_host_free(ctx, w);
    gfmul_ctx_destroy(ctx);
}

/* Operands and product in pinned memory; the same of the context's second device object, after the first was lost. */
static void test_pinned(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu");
    void *x, *y, *w, *after;
    operands_draw();
    TEST_OK(gfmul_device_host_alloc(ctx, &x, sizeof a));
    TEST_OK(gfmul_device_host_alloc(ctx, &y, sizeof b));
    TEST_OK(gfmul_device_host_alloc(ctx, &w, sizeof want));
    if (x && y && w) {
        memcpy(x, a, sizeof a);
        memcpy(y, b, sizeof b);
        TEST_OK(gfmul_mul(ctx, w, x, AN, y, BN));
        test_equal_limbs(w, want, ZN);
    }
    ocl_fault_set(OCL_FAULT_LAUNCH, 0, 1, CL_DEVICE_NOT_AVAILABLE);
    TEST_CHECK(gfmul_mul(ctx, w, x, AN, y, BN) == GFMUL_ERR_DEVICE);
    TEST_CHECK(gfmul_device_host_alloc(ctx, &after, 100) == GFMUL_OK && after); /* of the device opened anew */
    gfmul_device_host_free(ctx, x);
    gfmul_device_host_free(ctx, after);
    gfmul_device_host_free(ctx, NULL);
    gfmul_device_host_free(ctx, y);
    gfmul_device_host_free(ctx, w);
    ocl_fault_set(OCL_FAULT_BUFFER, 0, 1, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    TEST_CHECK(gfmul_device_host_alloc(ctx, &x, 100) == GFMUL_ERR_MEMORY && !x);
    ocl_fault_clear();
    TEST_CHECK(gfmul_device_host_alloc(ctx, NULL, 100) == GFMUL_ERR_ARGUMENT);
    gfmul_ctx_destroy(ctx);
    ctx = ctx_of("cpu");
    TEST_CHECK(gfmul_device_host_alloc(ctx, &x, 100) == GFMUL_ERR_DEVICE && !x);
    gfmul_device_host_free(ctx, NULL);
    gfmul_ctx_destroy(ctx);
}

/* Several at once, transfers of one beside the kernels of another. */
static void test_async(void)
{
    enum { JOBS = 6 };
    struct gfmul_ctx *ctx = ctx_of("gpu");
    struct gfmul_job *job[JOBS];
    mp_limb_t *result[JOBS];
    struct gfmul_report report;
    operands_draw();
    for (int i = 0; i < JOBS; i++) {
        result[i] = calloc(ZN, sizeof *result[i]);
        TEST_OK(gfmul_mul_async(ctx, &job[i], result[i], a, AN, b, BN));
    }
    for (int i = 0; i < JOBS; i++) {
        TEST_OK(gfmul_job_wait(job[i], &report));
        TEST_CHECK(strcmp(report.plan.engine, "opencl") == 0);
        test_equal_limbs(result[i], want, ZN);
        free(result[i]);
    }
    gfmul_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    const bool device = ocl_test_begin();
    test_begin(argc, argv);
    TEST_RUN(test_contradictions);
    if (device) {
        ocl_device_close(ocl_test_open()); /* what is tried once for a driver: faults are for products, whichever tests are run */
        TEST_RUN(test_untouched);
        TEST_RUN(test_named);
        TEST_RUN(test_certificate);
        TEST_RUN(test_prepare);
        TEST_RUN(test_auto);
        TEST_RUN(test_auto_faults);
        TEST_RUN(test_auto_vanishes);
        TEST_RUN(test_named_faults);
        TEST_RUN(test_wrong);
        TEST_RUN_LONG(test_text);
        TEST_RUN(test_threads);
        TEST_RUN(test_given_queue);
        TEST_RUN(test_kernels);
        TEST_RUN(test_operand);
        TEST_RUN(test_resident);
        TEST_RUN(test_pinned);
        TEST_RUN(test_async);
        TEST_RUN_LONG(test_commands);
    }
    return ocl_test_end();
}

#else

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_contradictions);
    return test_end();
}
#endif
