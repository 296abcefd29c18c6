/*
 * t-mul_shared.c - one product that several devices share: every grid, carries of its sums, faults, and when it is not cut.
 *
 * The devices are one that is named several times, so that any machine with a device has several of them.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl_test.h"

#ifdef HAVE_OPENCL
#include <limits.h>
#include <setjmp.h>

#include "device_test.h"
#include "mul/grid.h"
#include "mul/mul_shared.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_state.h"

enum { ROUNDS = 40 };

/* cut - have operands cut into so many cells, whether it pays or not. */
static void cut(struct gfmul_ctx *ctx, unsigned a_cells, unsigned b_cells)
{
    ctx->shared_cells[0] = a_cells;
    ctx->shared_cells[1] = b_cells;
}

/* ctx_shared - a context that cuts the longer operand of each product in two. */
static struct gfmul_ctx *ctx_shared(const char *device)
{
    struct gfmul_ctx *ctx = ctx_of(device);
    cut(ctx, 2, 1);
    return ctx;
}

/* check_shared - z = x y is right, and made in more than one cell; x may be y.   Returns the report. */
static struct gfmul_report check_shared(struct gfmul_ctx *ctx, const mp_limb_t *x, size_t xn, const mp_limb_t *y, size_t yn)
{
    struct gfmul_report report;
    test_note("%zu x %zu limbs%s", xn, yn, x == y ? ", a square" : "");
    memset(z, 0x5a, sizeof z);
    TEST_OK(gfmul_mul(ctx, z, x, xn, y, yn));
    gfmul_ctx_report(ctx, &report);
    if (xn >= yn)
        mpn_mul(want, x, (mp_size_t)xn, y, (mp_size_t)yn);
    else
        mpn_mul(want, y, (mp_size_t)yn, x, (mp_size_t)xn);
    test_equal_limbs(z, want, xn + yn);
    TEST_CHECK_MSG(report.plan.n_slices > 1 && report.n_devices > 0 && report.device_place > 0, "%zu cells, %u devices: %s",
                   report.plan.n_slices, report.n_devices, report.detail);
    return report;
}

/* The sum of cells equals mpn_add, whatever carries go through its parts, and wherever the limbs that have a value end. */
static void test_grid_add(void)
{
    static mp_limb_t x[ZN];
    struct gfmul_ctx *ctx = ctx_of("gpu");
    struct call call;
    call_begin(&call, ctx);
    for (unsigned i = 0; i < 96; i++) {
        const unsigned kind = i % 4, threads = 1 + i / 4 % 3;
        const size_t zn = i % 24 < 12 ? ZN : test_size(1, ZN), at = i % 24 < 12 ? i : (size_t)test_below(zn),
                     n = i % 24 < 12 ? ZN - 100 : test_size(1, zn - at), top = i < 24 ? zn : i < 48 ? at : test_below(zn + 1);
        const struct number whole = number_limbs(z, zn);
        struct grid_sum sum = {&whole, top};
        test_note("%zu limbs at %zu of %zu, %zu with a value, kind %u, %u threads", n, at, zn, top, kind, threads);
        for (size_t k = 0; k < ZN; k++) {
            z[k] = kind == 0 ? test_u64() : ~(mp_limb_t)0;
            x[k] = kind < 2 ? test_u64() : kind == 2 ? ~(mp_limb_t)0 : 0;
        }
        x[0] |= 1; /* kind 3: the carry goes from the first limb to the last */
        memcpy(want, z, sizeof z);
        memset(want + top, 0, (zn - top) * sizeof *want);
        mpn_add(want + at, want + at, (mp_size_t)(zn - at), x, (mp_size_t)n);
        call.threads = threads;
        grid_add(&call, &sum, x, n, at);
        TEST_CHECK(sum.top >= top && sum.top >= at + n && sum.top <= zn);
        test_equal_limbs(z, want, sum.top);
        grid_extend(&call, &sum, zn);
        test_equal_limbs(z, want, ZN); /* beyond zn nothing has changed */
    }
    call_end(&call, GFMUL_OK);
    gfmul_ctx_destroy(ctx);
}

/* check_grid - products of several shapes, cut into so many cells. */
static void check_grid(struct gfmul_ctx *ctx, unsigned a_cells, unsigned b_cells, enum operand_kind kind)
{
    cut(ctx, a_cells, b_cells);
    operand_fill(a, AN, kind, 13, test_u64());
    operand_fill(b, BN, kind, 13, test_u64());
    const struct gfmul_report report = check_shared(ctx, a, AN, b, BN);
    TEST_CHECK_MSG(report.plan.n_slices == (size_t)a_cells * b_cells, "%zu cells of %u x %u", report.plan.n_slices, a_cells,
                   b_cells);
    TEST_CHECK(report.residue_prime != 0);
    memset(a, 0, AN / 2 * sizeof *a); /* cells that are 0 */
    check_shared(ctx, a, AN, b, BN);
    if (a_cells > 1)
        check_shared(ctx, b, BN, b, BN);
}

static void test_grids(void)
{
    static const unsigned grids[][2] = {{2, 1}, {2, 2}, {3, 2}};
    struct gfmul_ctx *ctx = ctx_of("gpu,gpu,gpu");
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        check_grid(ctx, grids[i][0], grids[i][1], i % 2 ? OPERAND_ONES : OPERAND_TOP_BIT);
    gfmul_ctx_destroy(ctx);
}

static void test_grids_random(void)
{
    static const enum operand_kind kinds[] = {OPERAND_TOP_BIT, OPERAND_ONES, OPERAND_EQUAL_LIMBS};
    struct gfmul_ctx *ctx = ctx_of("gpu,gpu,gpu,gpu");
    for (unsigned i = 0; i < 12; i++) {
        const unsigned a_cells = 2 + (unsigned)test_below(3), b_cells = 1 + (unsigned)test_below(4);
        check_grid(ctx, a_cells, b_cells, kinds[test_below(sizeof kinds / sizeof *kinds)]);
        check_shared(ctx, b, test_size(6000, BN), a, AN);
    }
    gfmul_ctx_destroy(ctx);
}

/* Without memory for the cells' products one device makes it whole, or in pieces of its own. */
static void test_no_room(void)
{
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.device = "gpu,gpu";
    opt.memory_limit = 500000; /* the products of the cells that are added take 12 * 12750 * 8 bytes */
    struct gfmul_ctx *ctx = test_ctx(&opt);
    operands_draw();
    cut(ctx, 4, 4);
    const struct gfmul_report report = product(ctx);
    TEST_OK(report.status);
    TEST_CHECK_MSG(report.n_devices == 1 && report.n_device_errors == 0 && report.detail[0] == '\0', "%u devices: %s",
                   report.n_devices, report.detail);
    gfmul_ctx_destroy(ctx);
}

/* Cells have the memory limit together, not each. */
static void test_limit(void)
{
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.device = "gpu,gpu";
    for (opt.memory_limit = 16 << 20; opt.memory_limit >= 3 << 20; opt.memory_limit /= 2) {
        struct gfmul_ctx *ctx = test_ctx(&opt);
        operands_draw();
        cut(ctx, 2, 1);
        const struct gfmul_report report = check_shared(ctx, a, AN, b, BN);
        TEST_CHECK_MSG(2 * report.plan.memory_bytes <= opt.memory_limit, "two cells of %zu bytes, the limit is %zu",
                       report.plan.memory_bytes, opt.memory_limit);
        gfmul_ctx_destroy(ctx);
    }
}

/* A product that one device would have to cut is shared; one that it holds is not, if it is as short as this. */
static void test_small_memory(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu,gpu");
    struct gfmul_device_info *const info = &device_of(ctx)->info;
    const uint64_t bytes = info->global_bytes;
    operands_draw();
    struct gfmul_report report = product(ctx);
    TEST_CHECK_MSG(report.plan.n_slices <= 1 && report.n_devices == 1, "%zu cells, %u devices", report.plan.n_slices,
                   report.n_devices);
    info->global_bytes = (AN + BN) * 80;
    report = check_shared(ctx, a, AN, b, BN);
    TEST_CHECK_MSG(report.plan.n_slices == 2, "%zu cells", report.plan.n_slices);
    info->global_bytes = bytes;
    gfmul_ctx_destroy(ctx);
}

/* Both of two devices take part, as soon as the first one is still busy when the second cell comes. */
static void test_both(void)
{
    struct gfmul_ctx *ctx = ctx_shared("gpu,gpu");
    unsigned most = 0;
    operands_draw();
    for (unsigned i = 0; i < ROUNDS && most < 2; i++) {
        const unsigned n = check_shared(ctx, a, AN, b, BN).n_devices;
        TEST_CHECK(n <= 2);
        most = n > most ? n : most;
    }
    TEST_CHECK_MSG(most == 2, "%u devices", most);
    gfmul_ctx_destroy(ctx);
}

/* A device that is lost leaves its cells to the other one, which then makes whole products. */
static void test_lost(void)
{
    struct gfmul_ctx *ctx = ctx_shared("gpu,gpu");
    operands_draw();
    check_shared(ctx, a, AN, b, BN);
    ocl_fault_set(OCL_FAULT_LAUNCH, 0, 1, CL_DEVICE_NOT_AVAILABLE);
    const struct gfmul_report report = check_shared(ctx, a, AN, b, BN);
    ocl_fault_clear();
    TEST_CHECK_MSG(report.n_device_errors > 0 && strstr(report.detail, "another device was used"), "%u errors: %s",
                   report.n_device_errors, report.detail);
    operands_draw();
    const struct gfmul_report whole = product(ctx);
    TEST_OK(whole.status);
    TEST_CHECK_MSG(whole.plan.n_slices == 1 && whole.n_devices == 1 && whole.n_device_errors == 0, "%zu cells",
                   whole.plan.n_slices);
    ocl_fault_set(OCL_FAULT_LAUNCH, 0, UINT_MAX, CL_DEVICE_NOT_AVAILABLE);
    TEST_CHECK(product(ctx).status == GFMUL_ERR_DEVICE);
    ocl_fault_clear();
    TEST_OK(product(ctx).status);
    gfmul_ctx_destroy(ctx);
}

/* The sum is checked: a cell that is wrong twice everywhere is made by the CPU. */
static void test_wrong(void)
{
    struct gfmul_ctx *ctx = ctx_shared("gpu,gpu");
    operands_draw();
    ocl_fault_set(OCL_FAULT_DATA, 0, 5, 1 + (int)test_below(100000));
    const struct gfmul_report report = check_shared(ctx, a, AN, b, BN);
    ocl_fault_clear();
    TEST_CHECK_MSG(report.n_device_errors == 5, "%u errors: %s", report.n_device_errors, report.detail);
    gfmul_ctx_destroy(ctx);
}

/* not_shared - a product that has to be made whole. */
static void not_shared(struct gfmul_ctx *ctx, const char *why)
{
    test_note("%s", why);
    const struct gfmul_report report = product(ctx);
    TEST_OK(report.status);
    TEST_CHECK_MSG(report.plan.n_slices == 1 && report.n_devices == 1, "%zu cells, %u devices", report.plan.n_slices,
                   report.n_devices);
    gfmul_ctx_destroy(ctx);
}

/* The devices of a host share its memory: what one H200 makes whole takes longer in cells, what it would cut does not. */
static void test_grid(void)
{
    struct gfmul_ctx *ctx = ctx_of("gpu,gpu,gpu,gpu");
    struct call call;
    operands_draw();
    TEST_OK(product(ctx).status);
    struct ocl_device *d = device_of(ctx);
    const uint64_t bytes = d->info.global_bytes;
    d->info.global_bytes = (uint64_t)150e9;
    call_begin(&call, ctx);
    for (double n = 1e5; n < 1.1e9; n *= 10) {
        for (unsigned devices = 2; devices <= 4; devices++) {
            const struct product p = {.a = number_limbs(NULL, (size_t)n), .b = number_limbs(NULL, (size_t)n)};
            const struct grid_cells g = shared_grid(&call, &p, devices);
            TEST_CHECK_MSG(grid_is_whole(&g) == (n < 9e8), "%g limbs, %u devices: %zu x %zu cells", n, devices, g.a, g.b);
        }
    }
    TEST_OK(call_end(&call, GFMUL_OK));
    d->info.global_bytes = bytes;
    gfmul_ctx_destroy(ctx);
}

static void test_whole(void)
{
    struct gfmul_options opt;
    struct gfmul_report report;
    struct gfmul_job *job;
    operands_draw();
    not_shared(ctx_of("gpu,gpu,gpu,gpu"), "too short to pay");
    not_shared(ctx_shared("gpu"), "one device");
    struct gfmul_ctx *ctx = ctx_shared("gpu,gpu");
    ctx_device_enter(ctx, device_of(ctx), ZN);
    not_shared(ctx, "one of two is busy");
    gfmul_options_init(&opt);
    opt.device = "gpu,gpu";
    for (unsigned i = 0; i < 2; i++) {
        opt.certify = i == 0;
        opt.profile = i == 1;
        ctx = test_ctx(&opt);
        cut(ctx, 2, 1);
        not_shared(ctx, i == 0 ? "a certificate" : "times of kernels");
    }
    ctx = ctx_shared("gpu,gpu");
    memset(z, 0x5a, sizeof z);
    TEST_OK(gfmul_mul_async(ctx, &job, z, a, AN, b, BN));
    TEST_OK(gfmul_job_wait(job, &report));
    test_equal_limbs(z, want, ZN);
    TEST_CHECK_MSG(report.n_devices == 1 && report.plan.n_slices == 1, "a job has %zu cells", report.plan.n_slices);
    gfmul_ctx_destroy(ctx);
}

static int stop_at(void *arg, double done)
{
    double *const least = arg;
    return done > *least;
}

/* Every rule and check, and a callback, of which the cells know nothing. */
static void test_options(void)
{
    struct gfmul_options opt;
    double stop = 2;
    operands_draw();
    gfmul_options_init(&opt);
    opt.device = "gpu,gpu";
    opt.threads = 2;
    opt.progress = stop_at;
    opt.progress_arg = &stop;
    for (unsigned i = 0; i < 4; i++) {
        opt.rule = i == 1 ? GFMUL_RULE_CHECKED : GFMUL_RULE_NORM;
        opt.verify = i == 2 ? GFMUL_VERIFY_GMP : i == 3 ? GFMUL_VERIFY_NONE : GFMUL_VERIFY_MOD;
        struct gfmul_ctx *ctx = test_ctx(&opt);
        cut(ctx, 2, 1);
        ctx->apart_limbs = 1; /* the callback also runs between cells, .. */
        ctx->tell_ns = 1;     /* .. as soon as there is something to tell */
        test_note("options %u", i);
        stop = 2;
        const struct gfmul_report report = check_shared(ctx, a, AN, b, BN);
        TEST_CHECK(report.n_residues == 0 || i == 0 || (i == 1 && report.n_residues > 1));
        for (stop = -1; stop < 0.7; stop += 0.6)
            TEST_CHECK(gfmul_mul(ctx, z, a, AN, b, BN) == GFMUL_ERR_INTERRUPTED);
        stop = 2;
        check_shared(ctx, a, AN, b, BN);
        gfmul_ctx_destroy(ctx);
    }
}

static jmp_buf back;

static int leave(void *arg, double done)
{
    (void)arg;
    if (done > 0)
        longjmp(back, 1);
    return 0;
}

/* left_alone - whether a product that its callback left has written nothing since. */
static bool left_alone(struct gfmul_ctx *ctx)
{
    if (setjmp(back) == 0) {
        TEST_CHECK(gfmul_mul(ctx, z, a, AN, b, BN) == GFMUL_OK);
        return false;
    }
    memset(z, 0x5a, sizeof z);
    gfmul_ctx_trim(ctx); /* it lets the product end */
    memset(want, 0x5a, sizeof want);
    return memcmp(z, want, sizeof z) == 0;
}

/* A callback may leave a product by a long jump: then no cell is running. */
static void test_left(void)
{
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.device = "gpu,gpu";
    opt.progress = leave;
    struct gfmul_ctx *ctx = test_ctx(&opt);
    cut(ctx, 2, 2);
    ctx->apart_limbs = 1;
    ctx->tell_ns = 1;
    operands_draw();
    for (unsigned i = 0; i < 10; i++)
        TEST_CHECK_MSG(left_alone(ctx), "round %u", i);
    gfmul_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    test_begin(argc, argv);
    TEST_RUN(test_grid_add);
    TEST_RUN(test_grids);
    TEST_RUN_LONG(test_grids_random);
    TEST_RUN(test_no_room);
    TEST_RUN(test_limit);
    TEST_RUN(test_small_memory);
    TEST_RUN(test_both);
    TEST_RUN(test_lost);
    TEST_RUN(test_wrong);
    TEST_RUN(test_grid);
    TEST_RUN(test_whole);
    TEST_RUN(test_options);
    TEST_RUN(test_left);
    return ocl_test_end();
}

#else

int main(void)
{
    puts("skipped: a build without OpenCL");
    return 77;
}
#endif
