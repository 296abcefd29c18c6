/*
 * t-mul_device_memory.c - products on a device that has little memory, and what else it may refuse: pieces, waiting, other plans.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl_test.h"

#ifdef HAVE_OPENCL
#include <pthread.h>

#include "pipeline_test.h"
#include "device_test.h"
#include "mul/device_store.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_state.h" /* the memory that a device says it has, its local memory, the sizes of parts */

static char detail[OCL_DETAIL_BYTES];

/* device_usable - let a device have so many bytes for buffers. */
static void device_usable(struct ocl_device *d, size_t bytes)
{
    d->info.global_bytes = bytes / 15 * 16 + 64;
}

/* made_by - a right product by that engine, after so many failures; its report. */
static struct gfmul_report made_by(struct gfmul_ctx *ctx, const char *engine, unsigned errors)
{
    const struct gfmul_report report = product(ctx);
    TEST_CHECK_MSG(report.status == GFMUL_OK, "%s: %s", gfmul_strerror(report.status), report.detail);
    TEST_CHECK_MSG(strcmp(report.plan.engine, engine) == 0, "engine %s: %s", report.plan.engine, report.detail);
    TEST_CHECK_MSG(report.n_device_errors == errors, "%u errors: %s", report.n_device_errors, report.detail);
    return report;
}

static struct gfmul_device_operand *number_of(struct gfmul_ctx *ctx, const mp_limb_t *p, size_t n, size_t room)
{
    struct gfmul_device_operand *op;
    if (!TEST_OK(gfmul_device_operand_create(ctx, &op, room)) || !TEST_OK(gfmul_device_operand_set(op, p, n)))
        exit(1);
    return op;
}

/* Numbers that lie on the device are not counted twice: where all memory is in use by a product, the next one has room. */
static void test_resident_room(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu");
    struct ocl_device *d = device_of(ctx);
    operands_draw();
    struct gfmul_device_operand *x = number_of(ctx, a, AN, AN), *y = number_of(ctx, b, BN, BN), *p = number_of(ctx, NULL, 0, ZN);
    TEST_OK(gfmul_device_operand_mul(p, x, y));
    const size_t room = ocl_buffer_room(d), all = (size_t)(d->info.global_bytes - d->info.global_bytes / 16);
    device_usable(d, all - room);
    TEST_CHECK(ocl_buffer_room(d) < 4096);
    for (int i = 0; i < 2; i++) {
        TEST_OK(gfmul_device_operand_mul(p, x, y));
        TEST_OK(gfmul_device_operand_get(p, z, ZN));
        test_equal_limbs(z, want, ZN);
    }
    gfmul_device_operand_destroy(x);
    gfmul_device_operand_destroy(y);
    gfmul_device_operand_destroy(p);
    gfmul_ctx_destroy(ctx);
}

/* slices_within - of a product on a device that has so many bytes, and keeps nothing of an earlier one. */
static size_t slices_within(struct gfmul_ctx *ctx, size_t bytes)
{
    gfmul_ctx_trim(ctx);
    device_usable(device_of(ctx), bytes);
    return made_by(ctx, "opencl", 0).plan.n_slices;
}

/* Where the memory just suffices, what a product left behind does not change the plan of the next one: not even its tables. */
static void test_same_again(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu");
    struct gfmul_plan_info plan;
    operands_draw();
    TEST_OK(gfmul_plan_limbs(ctx, &plan, AN, BN));
    const size_t step = plan.memory_bytes / 1024;
    size_t low = plan.memory_bytes / 2, high = 2 * plan.memory_bytes;
    TEST_CHECK(slices_within(ctx, low) > 1 && slices_within(ctx, high) <= 1);
    while (high - low > step) {
        const size_t bytes = low + (high - low) / 2;
        *(slices_within(ctx, bytes) > 1 ? &low : &high) = bytes;
    }
    for (unsigned i = 0; i < 8; i++) {
        test_note("%u steps of %zu bytes above %zu", i, step, high);
        TEST_CHECK(slices_within(ctx, high + i * step) <= 1);
        const struct gfmul_report second = made_by(ctx, "opencl", 0);
        TEST_CHECK_MSG(second.plan.n_slices <= 1, "%zu slices of %zu points", second.plan.n_slices, second.plan.n_points);
    }
    gfmul_ctx_destroy(ctx);
}

/* A driver refuses buffers for their size, larger than it promised: the next plan has shorter ones, and nothing is refused. */
static void test_buffer_most(void)
{
    struct gfmul_plan_info plan;
    operands_draw();
    for (int promised = 0; promised < 2; promised++) {
        struct gfmul_ctx *ctx = ctx_of("gpu");
        struct ocl_device *d = device_of(ctx);
        test_note(promised ? "promised" : "not promised");
        d->info.max_alloc_bytes = promised ? 1 << 30 : 1 << 16;
        TEST_OK(gfmul_plan_limbs(ctx, &plan, AN, BN));
        TEST_CHECK(plan.n_slices <= 1);
        ocl_fault_set(OCL_FAULT_BUFFER, 0, 4, CL_INVALID_BUFFER_SIZE);
        TEST_CHECK(made_by(ctx, "opencl", 0).plan.n_slices > 1);
        ocl_fault_clear();
        const unsigned refused = ocl_buffer_refused(d);
        TEST_OK(gfmul_plan_limbs(ctx, &plan, AN, BN));
        const size_t slices = plan.n_slices;
        TEST_CHECK_MSG(promised ? slices <= 1 : slices > 1, "%zu slices are planned", slices);
        const struct gfmul_report report = made_by(ctx, "opencl", 0);
        TEST_CHECK_MSG(report.plan.n_slices == slices, "%zu slices, %zu planned", report.plan.n_slices, slices);
        TEST_CHECK(ocl_buffer_refused(d) == refused);
        gfmul_ctx_destroy(ctx);
    }
}

/* A product that went as planned in the end says nothing of what did not on the way. */
static void test_silent(void)
{
    operands_draw();
    for (unsigned skip = 0; skip < 20; skip++) {
        struct gfmul_ctx *ctx = ctx_of("gpu");
        test_note("buffer %u refused once", skip);
        ocl_fault_set(OCL_FAULT_BUFFER, skip, 1, CL_MEM_OBJECT_ALLOCATION_FAILURE);
        const struct gfmul_report report = made_by(ctx, "opencl", 0);
        ocl_fault_clear();
        TEST_CHECK_MSG(report.detail[0] == '\0', "%s", report.detail);
        gfmul_ctx_destroy(ctx);
    }
}

/* Too large for the device: the plan says in how many pieces it is made, and so it is. */
static void test_pieces(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu");
    struct gfmul_plan_info plan;
    operands_draw();
    TEST_OK(gfmul_plan_limbs(ctx, &plan, AN, BN));
    TEST_CHECK(plan.n_slices <= 1);
    for (size_t part = 2; part <= 8; part *= 2) {
        test_note("a 1/%zu of the memory", part);
        device_usable(device_of(ctx), plan.memory_bytes / part);
        struct gfmul_plan_info cut;
        TEST_OK(gfmul_plan_limbs(ctx, &cut, AN, BN));
        TEST_CHECK_MSG(strcmp(cut.engine, "opencl") == 0 && cut.n_slices > 1, "%s, %zu slices", cut.engine, cut.n_slices);
        const struct gfmul_report report = made_by(ctx, "opencl", 0);
        TEST_CHECK_MSG(report.plan.n_slices >= cut.n_slices, "%zu slices", report.plan.n_slices);
    }
    gfmul_ctx_destroy(ctx);
}

/* Text that does not fit is made of limbs, in pieces, on the device that was named. */
static void test_text_pieces(void)
{
    enum { DIGITS = 490000 };
    static char x[DIGITS], y[DIGITS], got[2 * DIGITS + 2], right[2 * DIGITS + 2];
    struct gfmul_ctx *ctx = ctx_of("gpu"), *cpu;
    struct gfmul_plan_info plan;
    struct gfmul_report report;
    size_t n;
    cpu = TEST_CTX(.device = "cpu");
    text_fill(x, DIGITS, TEXT_RANDOM, 10, 8, test_u64());
    text_fill(y, DIGITS, TEXT_RANDOM, 10, 8, test_u64());
    TEST_OK(gfmul_str_mul(cpu, right, sizeof right, &n, 10, x, DIGITS, 10, y, DIGITS, 10));
    TEST_OK(gfmul_plan_text(ctx, &plan, 10, DIGITS, DIGITS));
    TEST_CHECK(plan.base == 10);
    for (int refused = 0; refused < 2; refused++) {
        test_note(refused ? "refused by the driver" : "not planned");
        if (refused)
            ocl_fault_set(OCL_FAULT_BUFFER, 0, 4, CL_MEM_OBJECT_ALLOCATION_FAILURE);
        else
            device_usable(device_of(ctx), plan.memory_bytes / 3);
        memset(got, 0, sizeof got);
        TEST_OK(gfmul_str_mul(ctx, got, sizeof got, &n, 10, x, DIGITS, 10, y, DIGITS, 10));
        ocl_fault_clear();
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK_MSG(strcmp(report.plan.engine, "opencl") == 0 && report.plan.base == 2 && report.n_device_errors == 0,
                       "engine %s, base %u: %s", report.plan.engine, report.plan.base, report.detail);
        TEST_CHECK(refused || report.plan.n_slices > 1);
        test_equal_text(got, right, n + 1);
        TEST_OK(gfmul_plan_text(ctx, &plan, 10, DIGITS, DIGITS));
        TEST_CHECK(plan.base == (refused ? 10u : 2u));
        gfmul_ctx_destroy(ctx);
        ctx = ctx_of("gpu");
    }
    gfmul_ctx_destroy(ctx);
    gfmul_ctx_destroy(cpu);
}

/* Memory that should be there and is refused, as another process has it: smaller pieces; where none is left, an error. */
static void test_refused(void)
{
    operands_draw();
    for (unsigned skip = 0; skip < 20; skip++) {
        struct gfmul_ctx *ctx = ctx_of("gpu");
        test_note("buffer %u refused", skip);
        ocl_fault_set(OCL_FAULT_BUFFER, skip, 4, CL_MEM_OBJECT_ALLOCATION_FAILURE);
        struct gfmul_report report = made_by(ctx, "opencl", 0);
        if (skip == 0) /* each attempt asks for a buffer twice: two are refused, each time one operand is cut in two */
            TEST_CHECK_MSG(report.plan.n_slices == 4, "%zu slices", report.plan.n_slices);
        ocl_fault_clear();
        report = made_by(ctx, "opencl", 0);
        TEST_CHECK(report.plan.n_slices <= 1);
        gfmul_ctx_destroy(ctx);
    }
    struct gfmul_ctx *ctx = ctx_of("gpu");
    struct gfmul_report report;
    ocl_fault_set(OCL_FAULT_BUFFER, 0, 1000000, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    TEST_CHECK(gfmul_mul(ctx, z, a, AN, b, BN) == GFMUL_ERR_DEVICE);
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(strstr(report.detail, "no memory for"), "%s", report.detail);
    ocl_fault_clear();
    made_by(ctx, "opencl", 0);
    gfmul_ctx_destroy(ctx);
}

/* Several at once where there is memory for one or two: they wait for each other, or go in pieces. */
static void test_crowded(void)
{
    struct gfmul_ctx *ctx[2] = {ctx_of("gpu"), ctx_of("gpu")}; /* one device under both */
    struct gfmul_plan_info plan;
    operands_draw();
    TEST_OK(gfmul_plan_limbs(ctx[0], &plan, AN, BN));
    device_usable(device_of(ctx[0]), plan.memory_bytes * 2);
    products_at_once(ctx);
    gfmul_ctx_destroy(ctx[0]);
    gfmul_ctx_destroy(ctx[1]);
}

/* A product of one of the shapes of test_places, from its lease to its end, as a thread has it. */
struct leased {
    struct gfmul_ctx *ctx;
    struct ocl_device *d;
    struct device_store *store;
    unsigned exponent;
    enum gfmul_status status;
    char detail[OCL_DETAIL_BYTES];
    struct call call;
    struct plan_shape shape;
    struct pipeline_lease lease;
};

/* lease_run - with the device's lock, which is given back. */
static enum gfmul_status lease_take(void *arg)
{
    struct leased *of = arg;
    return device_store_lease(&of->call, of->store, &of->shape, &of->lease);
}

static void lease_run(struct leased *of)
{
    const struct plan_request request = {
        .rule = GFMUL_RULE_NORM, .base = 2, .an = 64, .bn = 64, .worst_case = true, .fma = true, .max_radix = 8};
    struct call *call = &of->call;
    bool refused;
    call_begin(call, of->ctx);
    memset(&of->lease, 0, sizeof of->lease);
    of->status = plan_device_parse(&of->shape, &request, "8.8/8/16/s,8.8/8/16/s,8.8:d1/8/1/s", of->exponent, call->report.detail,
                                   sizeof call->report.detail);
    if (of->status == GFMUL_OK)
        of->status = device_store_take(call, of->store, &of->shape, lease_take, of, &refused);
    snprintf(of->detail, sizeof of->detail, "%s", call->report.detail);
    const size_t bytes = of->lease.work.bytes;
    ocl_device_depart(of->d, bytes);
    ocl_device_lock(of->d);
    device_store_return(of->store, &of->lease, true);
    ocl_device_arrive(of->d, bytes);
    call_end(call, of->status);
}

static void *lease_thread(void *arg)
{
    struct leased *of = arg;
    ocl_device_lock(of->d);
    lease_run(of);
    return NULL;
}

/*
 * Four threads of four shapes wait for memory, all that a context keeps; then the memory is there, nothing is in flight, and
 * before any of them is awake a fifth shape has its turn: who waits must not hold a pipeline.
 */
static void test_places(void)
{
    enum { WAITING = 4, TABLES = 7 << 20 }; /* room for the tables of all, not for the 8 MiB of one's points */
    struct gfmul_ctx *ctx = ctx_of("gpu");
    struct ocl_device *d = device_of(ctx);
    struct leased of[WAITING + 1];
    pthread_t thread[WAITING];
    cl_mem most;
    device_usable(d, (size_t)64 << 20);
    ocl_device_lock(d);
    ocl_buffer_trim(d);
    const size_t held = ocl_buffer_room(d) - TABLES;
    if (!TEST_OK(ocl_buffer_get(OCL_ON(d, detail), held, &most)))
        exit(1);
    ocl_device_depart(d, held); /* as a product would */
    for (unsigned i = 0; i <= WAITING; i++) {
        of[i] = (struct leased){.ctx = ctx, .d = d, .exponent = 8 + i, .status = GFMUL_ERR_INTERNAL};
        TEST_OK(device_store_get(ctx, d, &of[i].store));
        if (i < WAITING && !TEST_CHECK(pthread_create(&thread[i], NULL, lease_thread, &of[i]) == 0))
            exit(1);
    }
    /* each has the lock from before it makes its pipeline until it waits */
    unsigned tries = 0;
    for (ocl_device_lock(d); device_store_pipelines(ctx, d) < WAITING && tries < 600000; tries++, ocl_device_lock(d)) {
        ocl_device_unlock(d);
        usleep(1000);
    }
    TEST_CHECK(device_store_pipelines(ctx, d) == WAITING);
    ocl_buffer_put(d, most);
    d->in_flight--;
    d->in_flight_bytes -= held;
    pthread_cond_broadcast(&d->ended);
    lease_run(&of[WAITING]);
    for (unsigned i = 0; i <= WAITING; i++) {
        if (i < WAITING)
            pthread_join(thread[i], NULL);
        TEST_CHECK_MSG(of[i].status == GFMUL_OK, "%u: %s: %s", i, gfmul_strerror(of[i].status), of[i].detail);
    }
    gfmul_ctx_destroy(ctx);
}

/* After a device was lost and opened anew, what is kept for the one is not the other's. */
static void test_reopened(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu");
    operands_draw();
    made_by(ctx, "opencl", 0);
    struct ocl_device *first = device_of(ctx);
    TEST_CHECK(device_store_pipelines(ctx, first) == 1);
    ocl_fault_set(OCL_FAULT_LAUNCH, 0, 1, CL_DEVICE_NOT_AVAILABLE);
    TEST_CHECK(gfmul_mul(ctx, z, a, AN, b, BN) == GFMUL_ERR_DEVICE);
    ocl_fault_clear();
    for (size_t n = 1; n <= 16; n *= 2) /* more shapes than are kept */
        TEST_OK(gfmul_mul(ctx, z, a, AN / n, b, BN / n));
    made_by(ctx, "opencl", 0);
    struct ocl_device *second = device_of(ctx);
    TEST_CHECK(second != first && ocl_device_lost(first) && !ocl_device_lost(second));
    TEST_CHECK_MSG(device_store_pipelines(ctx, first) == 0, "%u of the lost one are left", device_store_pipelines(ctx, first));
    TEST_CHECK(device_store_pipelines(ctx, second) >= 3);
    gfmul_ctx_destroy(ctx);
}

/* What cannot be rounded: another plan, then once more, then the CPU; never without end. */
static void test_not_rounded(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu");
    operands_draw();
    for (unsigned times = 1; times <= 3; times++) {
        test_note("%u times", times);
        ocl_fault_set(OCL_FAULT_FIGURES, 0, times, 1);
        memset(z, 0x5a, sizeof z);
        struct gfmul_report report;
        TEST_OK(gfmul_mul(ctx, z, a, AN, b, BN));
        ocl_fault_clear();
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK(strcmp(report.plan.engine, "opencl") == 0 || times == 3);
        TEST_CHECK_MSG(report.n_fallbacks + report.n_device_errors >= 1, "%s", report.detail);
        test_equal_limbs(z, want, ZN);
    }
    ocl_fault_set(OCL_FAULT_FIGURES, 0, 1000000, 1);
    made_by(ctx, "cpu", 2);
    /* where the CPU is no way out, that is what is said */
    struct gfmul_device_operand *x = number_of(ctx, a, AN, AN), *y = number_of(ctx, b, BN, BN), *p = number_of(ctx, a, AN, ZN);
    TEST_CHECK(gfmul_device_operand_mul(p, x, y) == GFMUL_ERR_VERIFY && gfmul_device_operand_limbs(p) == 0);
    for (unsigned times = 1; times <= 2; times++) {
        ocl_fault_set(OCL_FAULT_FIGURES, 0, times, 1);
        TEST_OK(gfmul_device_operand_mul(p, x, y)); /* another plan, or a second try */
        ocl_fault_clear();
        TEST_OK(gfmul_device_operand_get(p, z, ZN));
        test_equal_limbs(z, want, ZN);
    }
    gfmul_device_operand_destroy(x);
    gfmul_device_operand_destroy(y);
    gfmul_device_operand_destroy(p);
    gfmul_ctx_destroy(ctx);
}

/* operand_check - a product with a fixed operand, of an limbs. */
static void operand_check(struct gfmul_operand *op, struct gfmul_ctx *ctx, size_t an, const char *kernel)
{
    static mp_limb_t right[ZN];
    struct gfmul_kernel_time time[32];
    struct gfmul_report report;
    bool seen = false;
    if (an >= BN)
        mpn_mul(right, a, (mp_size_t)an, b, BN);
    else
        mpn_mul(right, b, BN, a, (mp_size_t)an);
    memset(z, 0x5a, sizeof z);
    TEST_OK(gfmul_operand_mul(op, z, a, an));
    test_equal_limbs(z, right, an + BN);
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(strcmp(report.plan.engine, "opencl") == 0, "%s: %s", report.plan.engine, report.detail);
    const unsigned n = gfmul_ctx_kernels(ctx, time, 32);
    for (unsigned i = 0; i < n && i < 32; i++)
        seen = seen || strcmp(time[i].name, kernel) == 0;
    TEST_CHECK_MSG(seen, "an=%zu: no %s among %u kernels", an, kernel, n);
}

/* Fixed operands have their spectrum on the device; what does not go by it goes as plain products do. */
static void test_operand(void)
{
    struct gfmul_ctx *ctx;
    struct gfmul_operand *op;
    struct gfmul_report report;
    ctx = TEST_CTX(.device = "gpu", .profile = 1);
    operands_draw();
    for (int room = 0; room < 2; room++) {
        ocl_fault_set(OCL_FAULT_BUFFER, 0, room ? 0 : 1000, CL_MEM_OBJECT_ALLOCATION_FAILURE);
        const bool made = TEST_OK(gfmul_operand_create(ctx, &op, b, BN, AN - 1000)); /* no room there is no error */
        ocl_fault_clear();
        if (!made)
            continue;
        operand_check(op, ctx, AN - 1000, room ? "columns_mul_kept_fused" : "columns_mul_fused");
        operand_check(op, ctx, AN - 5000, room ? "columns_mul_kept_fused" : "columns_mul_fused");
        operand_check(op, ctx, AN, "columns_mul_fused"); /* longer than it was made for */
        if (room == 0)
            gfmul_operand_destroy(op);
    }
    a[AN - 2000] = a[AN - 1999] = 0; /* high limbs that are zero */
    memset(a + AN - 1800, 0, 800 * sizeof *a);
    operand_check(op, ctx, AN - 1000, "columns_mul_kept_fused");
    ocl_fault_set(OCL_FAULT_DATA, 0, 1, 1 + (int)(4 * AN));
    operand_check(op, ctx, AN - 1000, "columns_mul_kept_fused");
    ocl_fault_clear();
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(report.n_device_errors == 1);
    ocl_fault_set(OCL_FAULT_FIGURES, 0, 1, 1);
    operand_check(op, ctx, AN - 1000, "columns_mul_fused");
    ocl_fault_set(OCL_FAULT_LAUNCH, 0, 1000, CL_OUT_OF_RESOURCES);
    TEST_CHECK(gfmul_operand_mul(op, z, a, AN - 1000) == GFMUL_ERR_DEVICE);
    ocl_fault_clear();
    operand_check(op, ctx, AN - 1000, "columns_mul_kept_fused");
    ocl_fault_set(OCL_FAULT_LAUNCH, 0, 1, CL_DEVICE_NOT_AVAILABLE);
    TEST_CHECK(gfmul_operand_mul(op, z, a, AN - 1000) == GFMUL_ERR_DEVICE);
    ocl_fault_clear();
    operand_check(op, ctx, AN - 1000, "columns_mul_fused"); /* on the device opened anew */
    gfmul_operand_destroy(op);
    gfmul_ctx_destroy(ctx);
}

/* Tables are there when a pipeline is: what they were made of goes back to the pool, where uploads pass the queue by. */
static void test_tables_finished(void)
{
    struct ocl_device *d = ocl_test_open();
    const struct plan_request request = {
        .rule = GFMUL_RULE_NORM, .base = 2, .an = 64 * 500, .bn = 64 * 500, .fma = true, .max_radix = 8};
    struct plan_shape shape;
    struct ocl_pipeline *p;
    TEST_OK(plan_device_parse(&shape, &request, "16.4/16/8/s,8.4.2:d1/8/1/s", 16, detail, sizeof detail));
    ocl_device_lock(d);
    ocl_fault_set(OCL_FAULT_FINISH, 0, 1, CL_OUT_OF_RESOURCES);
    TEST_CHECK_MSG(pipeline_create(OCL_ON(d, detail), &p, &shape) == GFMUL_ERR_DEVICE && !p, "nothing was waited for");
    ocl_fault_clear();
    TEST_OK(pipeline_create(OCL_ON(d, detail), &p, &shape));
    ocl_pipeline_destroy(p);
    ocl_device_unlock(d);
    ocl_device_close(d);
}

/* A probe of local memory that fails for another reason is not believed, and not kept. */
static void test_local_probe(void)
{
    struct ocl_device *d = ocl_test_open();
    const size_t said = 48 << 10, most = 227 << 10;
    if (d->info.local_bytes < most) {
        TEST_SKIP("this device has %zu bytes of local memory", (size_t)d->info.local_bytes);
        ocl_device_close(d);
        return;
    }
    d->info.gpu = 1;
    d->info.local_bytes = said;
    for (unsigned times = 0; times <= 3; times++) {
        test_note("%u failures", times);
        snprintf(d->identity, sizeof d->identity, "test %u", times);
        d->local_bytes = d->local_tries = 0;
        ocl_fault_set(OCL_FAULT_LAUNCH, 0, times, CL_OUT_OF_RESOURCES);
        TEST_CHECK_MSG(ocl_device_local_bytes(d) == most, "%zu bytes", ocl_device_local_bytes(d));
        ocl_fault_clear();
    }
    snprintf(d->identity, sizeof d->identity, "test of nothing");
    d->local_bytes = d->local_tries = 0;
    for (unsigned tries = 0; tries < 5; tries++) {
        ocl_fault_set(OCL_FAULT_LAUNCH, 0, 1000000, CL_OUT_OF_RESOURCES);
        TEST_CHECK(ocl_device_local_bytes(d) == said);
        ocl_fault_clear();
        TEST_CHECK((d->local_bytes == 0) == (tries < 2)); /* not tried for ever */
    }
    d->local_bytes = d->local_tries = 0;
    TEST_CHECK_MSG(ocl_device_local_bytes(d) == most, "a failure was kept");
    ocl_device_close(d);
}

/* Operands and product in pinned memory, in parts: each transfer and each launch fails once; a wrong bit; many at once. */
static void test_pinned_parts(void)
{
    enum { JOBS = 5 };
    static const enum ocl_fault_place places[] = {OCL_FAULT_TRANSFER, OCL_FAULT_LAUNCH};
    struct gfmul_ctx *ctx = ctx_of("gpu");
    struct ocl_device *d = device_of(ctx);
    struct gfmul_report report;
    struct gfmul_job *job[JOBS];
    void *x, *y, *w[JOBS];
    operands_draw();
    TEST_OK(gfmul_device_host_alloc(ctx, &x, sizeof a));
    TEST_OK(gfmul_device_host_alloc(ctx, &y, sizeof b));
    for (int i = 0; i < JOBS; i++)
        TEST_OK(gfmul_device_host_alloc(ctx, &w[i], sizeof want));
    memcpy(x, a, sizeof a);
    memcpy(y, b, sizeof b);
    TEST_OK(gfmul_mul(ctx, w[0], x, AN, y, BN));
    for (int parts = 0; parts < 2; parts++) {
        d->overlap_short = parts ? 0 : SIZE_MAX;
        d->overlap_block = 1 << 15;
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            enum gfmul_status status = GFMUL_ERR_DEVICE;
            for (unsigned skip = 0; status != GFMUL_OK && skip < 100; skip++) {
                test_note("parts %d, place %d, from %u on", parts, (int)places[i], skip);
                ocl_fault_set(places[i], skip, 1, CL_OUT_OF_RESOURCES);
                status = gfmul_mul(ctx, w[0], x, AN, y, BN);
                ocl_fault_clear();
                gfmul_ctx_report(ctx, &report);
                TEST_CHECK_MSG(status == GFMUL_OK || (status == GFMUL_ERR_DEVICE && strstr(report.detail, "CL_OUT_OF_RESOURCES")),
                               "%d: %s", (int)status, report.detail);
                TEST_CHECK(skip > 0 || status != GFMUL_OK);
                memset(w[0], 0x5a, sizeof want);
                TEST_OK(gfmul_mul(ctx, w[0], x, AN, y, BN));
                test_equal_limbs(w[0], want, ZN);
            }
            TEST_CHECK(status == GFMUL_OK);
        }
        ocl_fault_set(OCL_FAULT_DATA, 0, 1, 1 + (int)(test_below(8 * ZN)));
        TEST_OK(gfmul_mul(ctx, w[0], x, AN, y, BN));
        ocl_fault_clear();
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK(report.n_device_errors == 1);
        test_equal_limbs(w[0], want, ZN);
        for (int i = 0; i < JOBS; i++) {
            memset(w[i], 0x5a, sizeof want);
            TEST_OK(gfmul_mul_async(ctx, &job[i], w[i], x, AN, y, BN));
        }
        for (int i = 0; i < JOBS; i++) {
            TEST_OK(gfmul_job_wait(job[i], &report));
            TEST_CHECK(strcmp(report.plan.engine, "opencl") == 0);
            test_equal_limbs(w[i], want, ZN);
        }
    }
    gfmul_device_host_free(ctx, x);
    gfmul_device_host_free(ctx, y);
    for (int i = 0; i < JOBS; i++)
        gfmul_device_host_free(ctx, w[i]);
    gfmul_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    test_begin(argc, argv);
    TEST_RUN(test_resident_room);
    TEST_RUN_LONG(test_same_again);
    TEST_RUN_LONG(test_pieces);
    TEST_RUN_LONG(test_text_pieces);
    TEST_RUN_LONG(test_refused);
    TEST_RUN(test_buffer_most);
    TEST_RUN(test_silent);
    TEST_RUN(test_crowded);
    TEST_RUN_LONG(test_places);
    TEST_RUN_LONG(test_reopened);
    TEST_RUN_LONG(test_not_rounded);
    TEST_RUN_LONG(test_operand);
    TEST_RUN_LONG(test_tables_finished);
    TEST_RUN(test_local_probe);
    TEST_RUN(test_pinned_parts);
    return ocl_test_end();
}

#else

int main(void)
{
    return 77;
}
#endif
