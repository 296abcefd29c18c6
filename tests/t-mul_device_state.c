/*
 * t-mul_device_state.c - what a context keeps of a device from product to product: the caller's objects, devices that were lost,
 * kept operands when memory is short, what a report says of pieces.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl_test.h"

#ifdef HAVE_OPENCL
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "gfmul_arith.h"
#include "gfmul_private.h"
#include "mul/device_store.h"
#include "mul/engine.h"
#include "device_test.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"
#include "ocl/ocl_staging.h"
#include "ocl/ocl_state.h"

static void options_of_device(struct gfmul_options *opt)
{
    gfmul_options_init(opt);
    opt->device = "gpu";
    opt->threads = 1;
}

static struct gfmul_ctx *ctx_of_device(void)
{
    struct gfmul_options opt;
    options_of_device(&opt);
    return test_ctx(&opt);
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

/* Of a GPU that the cache knows nothing of all programs are missing, and it is not opened to say so. */
static void test_unknown_device(void)
{
    char dir[sizeof ocl_test_dir + 16];
    char *kept = strdup(getenv("GFMUL_CACHE_DIR"));
    unsigned missing = 99, rest = 99;
    struct gfmul_report report;
    snprintf(dir, sizeof dir, "%s/new/folder", ocl_test_dir); /* it is made */
    TEST_CHECK(setenv("GFMUL_CACHE_DIR", dir, 1) == 0);
    ocl_test_gpu(true);
    struct gfmul_ctx *ctx = ctx_of_device();
    TEST_OK(gfmul_private_build(ctx, 0, 1, 1, (struct gfmul_private_part){0, 0}, &missing));
    TEST_CHECK_MSG(missing == 0, "%u programs of GMP's product", missing);
    TEST_OK(gfmul_private_build(ctx, 0, AN, BN, (struct gfmul_private_part){0, 0}, &missing));
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(missing == UINT_MAX && report.device_start_ns == 0, "%u missing", missing);
    TEST_OK(gfmul_private_build(ctx, 0, AN, BN, (struct gfmul_private_part){3, 3}, &missing)); /* opens it */
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(missing > 2 && missing < 20 && report.device_start_ns > 0, "%u missing", missing);
    for (unsigned part = 0; part < 3; part++, missing = rest) {
        TEST_OK(gfmul_private_build(ctx, 0, AN, BN, (struct gfmul_private_part){part, 3}, NULL));
        TEST_OK(gfmul_private_build(ctx, 0, AN, BN, (struct gfmul_private_part){0, 0}, &rest));
        TEST_CHECK_MSG(rest < missing, "%u missing behind part %u, before it %u", rest, part, missing);
    }
    TEST_CHECK_MSG(missing == 0, "%u missing behind all parts", missing);
    gfmul_ctx_destroy(ctx);
    ocl_test_gpu(false);
    TEST_CHECK(setenv("GFMUL_CACHE_DIR", kept, 1) == 0);
    free(kept);
}

/* options_given - a context and a queue of the caller's own. */
static void options_given(struct gfmul_options *opt)
{
    struct gfmul_ctx *usual = ctx_of_device();
    const cl_device_id id = ocl_device_id(device_of(usual));
    cl_int code;
    gfmul_options_init(opt);
    opt->cl_context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    TEST_CHECK(code == CL_SUCCESS);
    opt->cl_queue = clCreateCommandQueue(opt->cl_context, id, 0, &code);
    TEST_CHECK(code == CL_SUCCESS);
    gfmul_ctx_destroy(usual);
}

/* The caller may let its context and queue go as soon as they are given. */
static void test_given_released(void)
{
    struct gfmul_options opt;
    operands_draw();
    options_given(&opt);
    struct gfmul_ctx *ctx = test_ctx(&opt);
    clReleaseCommandQueue(opt.cl_queue);
    clReleaseContext(opt.cl_context);
    check_product(ctx, "given, and let go");
    gfmul_ctx_destroy(ctx);
}

/* Contexts of one queue share the device of it, also where its kernels cannot be timed as asked for. */
static void test_given_profile(void)
{
    struct gfmul_options opt;
    operands_draw();
    options_given(&opt);
    opt.profile = 1;
    struct gfmul_ctx *first = test_ctx(&opt), *second = test_ctx(&opt);
    TEST_CHECK(device_of(first) == device_of(second) && !device_of(first)->profile);
    opt.profile = 0;
    struct gfmul_ctx *third = test_ctx(&opt);
    TEST_CHECK(device_of(third) != device_of(first));
    gfmul_ctx_destroy(first);
    gfmul_ctx_destroy(second);
    gfmul_ctx_destroy(third);
    clReleaseCommandQueue(opt.cl_queue);
    clReleaseContext(opt.cl_context);
}

struct first_product {
    struct gfmul_ctx *ctx;
    atomic_bool over;
    enum gfmul_status status;
};

static void *first_thread(void *arg)
{
    struct first_product *of = arg;
    of->status = multiply(of->ctx);
    atomic_store(&of->over, true);
    return NULL;
}

/* programs_built - how many so far, asked with the device's lock held. */
static unsigned programs_built(struct ocl_device *d)
{
    struct ocl_program_counts counts;
    ocl_device_lock(d);
    ocl_program_count(d, &counts);
    ocl_device_unlock(d);
    return counts.built;
}

/* While the programs of a product are built, which takes seconds, the device's lock is others': they see how it goes on. */
static void test_build_unlocked(void)
{
    struct first_product of = {.ctx = ctx_of_device()};
    struct ocl_device *d = device_of(of.ctx);
    pthread_t thread;
    operands_draw();
    d->identity[0] ^= 1;       /* programs on disk are of another device */
    ocl_device_local_bytes(d); /* may build one */
    const unsigned before = programs_built(d);
    unsigned first = before;
    if (!TEST_CHECK(pthread_create(&thread, NULL, first_thread, &of) == 0))
        exit(1);
    while (!atomic_load(&of.over) && first == before) {
        first = programs_built(d);
        usleep(1000);
    }
    pthread_join(thread, NULL);
    TEST_OK(of.status);
    test_equal_limbs(z, want, ZN);
    TEST_CHECK_MSG(first > before && first < programs_built(d), "%u programs before, then %u, %u in the end", before, first,
                   programs_built(d));
    gfmul_ctx_destroy(of.ctx);
}

static void *gate_open(void *gate)
{
    usleep(50000);
    clSetUserEventStatus(gate, CL_COMPLETE);
    return NULL;
}

/*
 * What the caller's queue reads of a number, it reads before the number gets another value, or its memory another owner, also if
 * a spectrum shares that memory.
 */
static void test_given_reads(void)
{
    struct gfmul_options opt;
    cl_int code;
    operands_draw();
    options_given(&opt);
    struct gfmul_ctx *ctx = test_ctx(&opt);
    struct gfmul_space *space;
    cl_mem copy = clCreateBuffer(opt.cl_context, CL_MEM_READ_WRITE, BN * sizeof *z, NULL, &code);
    TEST_CHECK(code == CL_SUCCESS);
    TEST_OK(gfmul_space_create(ctx, &space, 2 * BN, 1));
    for (unsigned kind = 0; kind < 4; kind++) {
        const bool destroyed = kind % 2 == 1, shared = kind >= 2;
        struct gfmul_device_operand *op;
        struct gfmul_spectrum *x;
        pthread_t opener;
        test_note("%s, %s", destroyed ? "destroyed" : "set again", shared ? "shared" : "alone");
        cl_event gate = clCreateUserEvent(opt.cl_context, &code);
        TEST_CHECK(code == CL_SUCCESS);
        TEST_OK(gfmul_device_operand_create(ctx, &op, BN));
        TEST_OK(gfmul_device_operand_set(op, a, BN));
        TEST_OK(gfmul_spectrum_create(space, &x));
        if (shared)
            TEST_OK(gfmul_spectrum_set_device(x, op));
        const cl_mem words = gfmul_device_operand_mem(op);
        TEST_CHECK(ocl_buffer_is_shared(device_of(ctx), words) == shared);
        TEST_CHECK(clEnqueueCopyBuffer(opt.cl_queue, words, copy, 0, 0, BN * sizeof *z, 1, &gate, NULL) == CL_SUCCESS &&
                   clFlush(opt.cl_queue) == CL_SUCCESS);
        if (!TEST_CHECK(pthread_create(&opener, NULL, gate_open, gate) == 0))
            exit(1);
        if (destroyed) {
            gfmul_device_operand_destroy(op);
            TEST_OK(gfmul_device_operand_create(ctx, &op, BN));
        }
        TEST_OK(gfmul_device_operand_set(op, b, BN));
        pthread_join(opener, NULL);
        clReleaseEvent(gate);
        memset(z, 0, sizeof z);
        TEST_CHECK(clEnqueueReadBuffer(opt.cl_queue, copy, CL_TRUE, 0, BN * sizeof *z, z, 0, NULL, NULL) == CL_SUCCESS);
        test_equal_limbs(z, a, BN);
        if (shared) {
            TEST_OK(gfmul_spectrum_get(x, z, BN, NULL));
            test_equal_limbs(z, a, BN);
        }
        gfmul_spectrum_destroy(x);
        TEST_OK(gfmul_device_operand_get(op, z, BN));
        test_equal_limbs(z, b, BN);
        gfmul_device_operand_destroy(op);
    }
    gfmul_space_destroy(space);
    clReleaseMemObject(copy);
    gfmul_ctx_destroy(ctx);
    clReleaseCommandQueue(opt.cl_queue);
    clReleaseContext(opt.cl_context);
}

/* A device by name is opened anew as often as it is lost. */
static void test_lost_again(void)
{
    struct gfmul_ctx *ctx = ctx_of_device();
    operands_draw();
    for (unsigned i = 0; i < 3; i++) {
        test_note("lost %u times", i + 1);
        TEST_OK(multiply(ctx));
        struct ocl_device *const d = device_of(ctx);
        TEST_CHECK(device_store_pipelines(ctx, d) > 0);
        ocl_fault_set(OCL_FAULT_LAUNCH, 0, 1, CL_DEVICE_NOT_AVAILABLE);
        TEST_CHECK(multiply(ctx) == GFMUL_ERR_DEVICE);
        ocl_fault_clear();
        check_product(ctx, "the one after");
        TEST_CHECK(device_of(ctx) != d && device_store_pipelines(ctx, d) == 0); /* its memory is not kept */
    }
    gfmul_ctx_destroy(ctx);
}

/* A device that another call than a product has lost: products say why the CPU makes them. */
static void test_lost_elsewhere(void)
{
    struct gfmul_ctx *ctx[2];
    struct gfmul_operand *op;
    struct gfmul_report report;
    operands_draw();
    ocl_test_gpu(true);
    for (unsigned i = 0; i < 2; i++) {
        ctx[i] = test_ctx(NULL);
        ctx_device_limits(ctx[i], 1000, 1000);
        check_product(ctx[i], "before");
        ctx_device_limits(ctx[i], 100 * ZN, 1000); /* no product would open it */
    }
    ocl_fault_set(OCL_FAULT_LAUNCH, 0, 1, CL_DEVICE_NOT_AVAILABLE);
    TEST_OK(gfmul_operand_create(ctx[0], &op, b, BN, AN));
    ocl_fault_clear();
    for (unsigned i = 0; i < 2; i++) {
        TEST_OK(multiply(ctx[i]));
        test_equal_limbs(z, want, ZN);
        gfmul_ctx_report(ctx[i], &report);
        TEST_CHECK_MSG(strstr(report.detail, "gone: the CPU was used"), "context %u: %s", i, report.detail);
    }
    gfmul_operand_destroy(op);
    for (unsigned i = 0; i < 2; i++)
        gfmul_ctx_destroy(ctx[i]);
    ocl_test_gpu(false);
}

/* What it takes to open a device, and to build its programs, is told, and is a part of what planning took. */
static void test_start_told(void)
{
    struct gfmul_ctx *ctx = ctx_of_device();
    struct gfmul_plan_info info;
    struct gfmul_report report;
    operands_draw();
    TEST_OK(gfmul_plan_limbs(ctx, &info, AN, BN));
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(report.device_start_ns > 0 && report.device_start_ns <= report.plan_ns,
                   "%" PRIu64 " ns to open it, %" PRIu64 " to plan", report.device_start_ns, report.plan_ns);
    check_product(ctx, "programs are built");
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(report.device_start_ns > 0 && report.device_start_ns <= report.plan_ns,
                   "%" PRIu64 " ns to build them, %" PRIu64 " to plan", report.device_start_ns, report.plan_ns);
    TEST_CHECK(report.plan_ns + report.transform_ns + report.verify_ns <= report.total_ns);
    check_product(ctx, "they are there");
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(report.device_start_ns == 0, "%" PRIu64 " ns", report.device_start_ns);
    gfmul_ctx_destroy(ctx);
}

static int stop(void *arg, double done)
{
    (void)done;
    return *(bool *)arg;
}

/* The progress callback stops products of fixed operands and of numbers that stay on the device, too. */
static void test_stopped(void)
{
    struct gfmul_options opt;
    struct gfmul_operand *op;
    struct gfmul_device_operand *number[3];
    bool stopped = false;
    operands_draw();
    options_of_device(&opt);
    opt.progress = stop;
    opt.progress_arg = &stopped;
    struct gfmul_ctx *ctx = test_ctx(&opt);
    TEST_OK(gfmul_operand_create(ctx, &op, b, BN, AN));
    for (unsigned i = 0; i < 3; i++)
        TEST_OK(gfmul_device_operand_create(ctx, &number[i], ZN));
    TEST_OK(gfmul_device_operand_set(number[0], a, AN));
    TEST_OK(gfmul_device_operand_set(number[1], b, BN));
    for (unsigned turn = 0; turn < 2; turn++, stopped = !stopped) {
        const enum gfmul_status status = stopped ? GFMUL_ERR_INTERRUPTED : GFMUL_OK;
        TEST_CHECK(multiply(ctx) == status);
        TEST_CHECK(gfmul_operand_mul(op, z, a, AN) == status);
        TEST_CHECK(gfmul_device_operand_mul(number[2], number[0], number[1]) == status);
    }
    for (unsigned i = 0; i < 3; i++)
        gfmul_device_operand_destroy(number[i]);
    gfmul_operand_destroy(op);
    gfmul_ctx_destroy(ctx);
}

/* test_trim - kernels, tables and buffers of earlier products go; operands of the device stay. */
static void test_trim(void)
{
    struct gfmul_ctx *ctx = ctx_of_device();
    struct gfmul_operand *op;
    operands_draw();
    gfmul_ctx_trim(ctx); /* nothing is open yet, or nothing ran */
    TEST_OK(gfmul_operand_create(ctx, &op, b, BN, AN));
    for (unsigned turn = 0; turn < 2; turn++) {
        memset(z, 0, sizeof z);
        TEST_OK(gfmul_mul(ctx, z, a, AN, b, BN));
        test_equal_limbs(z, want, ZN);
        TEST_CHECK(device_store_pipelines(ctx, device_of(ctx)) > 0);
        const size_t room = ocl_buffer_room(device_of(ctx));
        gfmul_ctx_trim(ctx);
        TEST_CHECK(device_store_pipelines(ctx, device_of(ctx)) == 0 && ocl_buffer_room(device_of(ctx)) > room);
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
    operands_draw();
    TEST_OK(gfmul_operand_create(ctx, &op, b, BN, AN));
    for (unsigned skip = 0; skip < 4; skip++) {
        test_note("from buffer %u on two are refused", skip);
        ocl_device_lock(device_of(ctx));
        device_store_trim(ctx->stores);
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

/* device_usable - let a device have so many bytes for buffers. */
static void device_usable(struct ocl_device *d, size_t bytes)
{
    d->info.global_bytes = bytes / 15 * 16 + 64;
}

/* filled_of - let a context's device have just so many bytes left, since the context keeps what a product had: those bytes. */
static size_t filled_of(struct gfmul_ctx *ctx, size_t left)
{
    struct ocl_device *d = device_of(ctx);
    gfmul_ctx_trim(ctx);
    device_usable(d, (size_t)1 << 30);
    check_product(ctx, "whose buffers and tables are kept");
    ocl_buffer_trim(d);
    const size_t used = ((size_t)1 << 30) - ocl_buffer_room(d);
    device_usable(d, used + left);
    return used;
}

/* What a context keeps idle is taken back for numbers of its own. */
static void test_numbers_room(void)
{
    enum { LEFT = 1 << 15, SHORT = BN / 4 };
    struct gfmul_ctx *ctx = ctx_of_device();
    struct gfmul_device_operand *op;
    struct gfmul_report report;
    struct spectrum *x;
    struct call call;
    operands_draw();
    for (unsigned all = 0; all < 2; all++) {
        const size_t used = filled_of(ctx, LEFT);
        test_note(all ? "tables, too" : "buffers of products");
        if (TEST_OK(gfmul_device_operand_create(ctx, &op, (all ? used : used / 2) / 8)))
            gfmul_device_operand_destroy(op);
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK_MSG(report.detail[0] == '\0', "%s", report.detail);
    }
    filled_of(ctx, LEFT);
    test_note("operands of a shorter product");
    TEST_OK(gfmul_mul(ctx, z, a, SHORT, b, SHORT));
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(strcmp(report.plan.engine, "opencl") == 0 && report.plan.n_slices <= 1 && report.detail[0] == '\0',
                   "engine %s, %zu slices: %s", report.plan.engine, report.plan.n_slices, report.detail);
    mpn_mul_n(want, a, b, SHORT);
    test_equal_limbs(z, want, 2 * SHORT);
    operands_draw();
    filled_of(ctx, LEFT);
    test_note("an operand that is kept, and its spectrum");
    call_begin(&call, ctx);
    const struct number kept = number_limbs(b, SHORT);
    TEST_OK(spectrum_make(&call, &x, &kept, SHORT, false));
    TEST_CHECK(x && x->engine == &engine_opencl);
    spectrum_end(ctx, x);
    TEST_OK(call_end(&call, GFMUL_OK));
    gfmul_ctx_destroy(ctx);
}

/* A thread that keeps an operand. */
struct keeper {
    struct gfmul_ctx *ctx;
    enum gfmul_status status;
};

static void *keep_thread(void *arg)
{
    struct keeper *k = arg;
    const struct number kept = number_limbs(b, BN / 4);
    struct spectrum *x = NULL;
    struct call call;
    call_begin(&call, k->ctx);
    k->status = call_end(&call, spectrum_make(&call, &x, &kept, BN / 4, false));
    spectrum_end(k->ctx, x);
    return NULL;
}

/* While the upload of an operand that is kept waits for its copy, others get the device's lock. */
static void test_kept_lock(void)
{
    struct keeper k = {.ctx = ctx_of_device()};
    struct ocl_device *d = device_of(k.ctx);
    pthread_t thread;
    bool free = true, flies = false;
    operands_draw();
    keep_thread(&k); /* the kernels are there */
    TEST_OK(k.status);
    pthread_mutex_lock(&d->up.lock);
    if (!TEST_CHECK(pthread_create(&thread, NULL, keep_thread, &k) == 0))
        exit(1);
    /* first until the thread has memory on the device, for minutes if need be: then it comes to its upload */
    for (unsigned looks = 0, before = 0; looks - before < 60 && before < 300000 && free; looks++) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 60;
        free = pthread_mutex_timedlock(&d->order, &until) == 0;
        if (free) {
            flies = flies || ocl_device_in_flight_bytes(d) > 0;
            ocl_device_unlock(d);
        }
        before += !flies;
        usleep(1000);
    }
    pthread_mutex_unlock(&d->up.lock);
    pthread_join(thread, NULL);
    TEST_CHECK_MSG(free, "the lock is held over an upload");
    TEST_CHECK(flies);
    TEST_OK(k.status);
    gfmul_ctx_destroy(k.ctx);
}

static void *create_thread(void *arg)
{
    struct gfmul_device_operand *op;
    static enum gfmul_status status;
    status = gfmul_device_operand_create(arg, &op, AN);
    if (status == GFMUL_OK)
        gfmul_device_operand_destroy(op);
    return &status;
}

/* Numbers wait for products in flight that have the memory. */
static void test_numbers_wait(void)
{
    struct gfmul_ctx *ctx = ctx_of_device();
    struct ocl_device *d = device_of(ctx);
    pthread_t thread;
    void *status;
    cl_mem most;
    char detail[OCL_DETAIL_BYTES];
    device_usable(d, (size_t)64 << 20);
    ocl_device_lock(d);
    const size_t held = ocl_buffer_room(d) - 4096;
    if (!TEST_OK(ocl_buffer_get(OCL_ON(d, detail), held, &most)))
        exit(1);
    ocl_device_depart(d, held); /* as a product would */
    const unsigned refused = ocl_buffer_refused(d);
    if (!TEST_CHECK(pthread_create(&thread, NULL, create_thread, ctx) == 0))
        exit(1);
    for (unsigned tries = 0; ocl_buffer_refused(d) == refused && tries < 10000; tries++)
        usleep(1000);
    usleep(10000);
    ocl_device_lock(d);
    ocl_buffer_put(d, most);
    ocl_device_arrive(d, held);
    pthread_join(thread, &status);
    TEST_OK(*(enum gfmul_status *)status);
    gfmul_ctx_destroy(ctx);
}

/* Pinned memory can be given back when its device has been lost, and another one is open. */
static void test_pinned_of_lost(void)
{
    struct gfmul_ctx *ctx = ctx_of_device();
    void *p;
    operands_draw();
    TEST_OK(gfmul_device_host_alloc(ctx, &p, 1000));
    const struct ocl_device *first = device_of(ctx);
    ocl_fault_set(OCL_FAULT_LAUNCH, 0, 1, CL_DEVICE_NOT_AVAILABLE);
    TEST_CHECK(multiply(ctx) == GFMUL_ERR_DEVICE);
    ocl_fault_clear();
    check_product(ctx, "by the device opened anew");
    TEST_CHECK(device_of(ctx) != first && ocl_host_is_pinned(p, 1000));
    gfmul_device_host_free(ctx, p);
    TEST_CHECK(!ocl_host_is_pinned(p, 1));
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
    operands_draw();
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
    operands_draw();
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
    operands_draw();
    struct gfmul_ctx *ctx = test_ctx(&opt);
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
    TEST_RUN(test_unknown_device);
    TEST_RUN(test_given_released);
    TEST_RUN(test_given_profile);
    TEST_RUN(test_given_reads);
    TEST_RUN(test_build_unlocked);
    TEST_RUN(test_start_told);
    TEST_RUN(test_lost_again);
    TEST_RUN(test_lost_elsewhere);
    TEST_RUN(test_stopped);
    TEST_RUN(test_trim);
    TEST_RUN(test_kept_refused);
    TEST_RUN_LONG(test_numbers_room);
    TEST_RUN_LONG(test_kept_lock);
    TEST_RUN(test_numbers_wait);
    TEST_RUN_LONG(test_longest);
    TEST_RUN(test_pinned_of_lost);
    TEST_RUN_LONG(test_error_of_pieces);
    TEST_RUN_LONG(test_distance_refused);
    return ocl_test_end();
}

#else

int main(void)
{
    puts("skipped: a build without OpenCL");
    return 77;
}
#endif
