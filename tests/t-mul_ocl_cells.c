/*
 * t-mul_ocl_cells.c - rule knuth on an OpenCL device beyond one transform: sums of products of pieces against GMP's products.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Devices are given no transforms of more than 1024 points, so that some 460 limbs are a piece.
 */
#include "mul/ctx.h"
#include "ocl_test.h"
#include "operands.h"
#include "progress_often.h"

#ifdef HAVE_OPENCL
#include <pthread.h>

#include "kernel_test.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_pipeline.h"
#include "ocl/ocl_staging.h"
#include "pipeline_test.h"

enum { POINTS = 1024, N = 2600, PAIRS = 3 };
static mp_limb_t a[N], b[N], z[2 * N + 1], want[2 * N + 1];

static struct gfmul_ctx *ctx_knuth(enum gfmul_verify verify, size_t memory_limit)
{
    struct gfmul_ctx *ctx =
        TEST_CTX(.device = "gpu", .rule = GFMUL_RULE_KNUTH, .verify = verify, .threads = 2, .memory_limit = memory_limit);
    ctx->device_points_most = POINTS;
    ctx->planned_mul_limbs = ctx->planned_sqr_limbs = ctx->unplanned_limbs = 1; /* no product is GMP's */
    return ctx;
}

/* product_check - a * b, or a square, and the report of it.   sums: made of sums of products; else of whole ones. */
static struct gfmul_report product_check(struct gfmul_ctx *ctx, size_t an, size_t bn, bool square, bool sums)
{
    struct gfmul_report report;
    const size_t zn = an + bn;
    memset(z, 0x5a, sizeof z);
    const enum gfmul_status status = square ? gfmul_sqr(ctx, z, a, an) : gfmul_mul(ctx, z, a, an, b, bn);
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(status == GFMUL_OK, "%s: %s", gfmul_strerror(status), report.detail);
    if (square)
        mpn_sqr(want, a, (mp_size_t)an);
    else if (an >= bn)
        mpn_mul(want, a, (mp_size_t)an, b, (mp_size_t)bn);
    else
        mpn_mul(want, b, (mp_size_t)bn, a, (mp_size_t)an);
    test_equal_limbs(z, want, zn);
    TEST_CHECK_MSG(z[zn] == 0x5a5a5a5a5a5a5a5a, "written beyond the product");
    const struct gfmul_plan_info *plan = &report.plan;
    TEST_CHECK_MSG(strcmp(plan->engine, "opencl") == 0 && strcmp(plan->precision, "dd") == 0, "engine %s, precision %s: %s",
                   plan->engine, plan->precision, report.detail);
    TEST_CHECK_MSG(plan->knuth && plan->bound < 0.5 && report.max_error <= plan->bound, "error %g, bound %g", report.max_error,
                   plan->bound);
    TEST_CHECK_MSG(sums ? plan->a_pieces > 1 && plan->n_slices == 1 : plan->a_pieces == 1 && plan->n_slices > 1,
                   "%zu x %zu pieces, %zu slices", plan->a_pieces, plan->b_pieces, plan->n_slices);
    return report;
}

/* fill - an operand of n limbs, the highest not zero: other lengths are other shapes, whose kernels take a while. */
static void fill(mp_limb_t *p, size_t n, enum operand_kind kind, unsigned l)
{
    operand_fill(p, n, kind, l, test_u64());
    p[n - 1] += p[n - 1] == 0;
}

static void operands_draw(size_t an, size_t bn)
{
    fill(a, an, OPERAND_TOP_BIT, 29);
    fill(b, bn, OPERAND_TOP_BIT, 29);
}

/* Every kind of operand by itself and by others; pieces that are full, of one limb, and lack one; both orders. */
static void test_products(void)
{
    struct gfmul_ctx *ctx = ctx_knuth(GFMUL_VERIFY_NONE, 0);
    struct gfmul_plan_info plan;
    TEST_OK(gfmul_plan_limbs(ctx, &plan, N, N));
    TEST_CHECK_MSG(plan.a_pieces > 2 && plan.b_pieces == plan.a_pieces && plan.n_slices == 1 && plan.n_points <= POINTS,
                   "%zu pieces, %zu slices", plan.a_pieces, plan.n_slices);
    const size_t piece = (N - 1) / plan.a_pieces + 1, sizes[] = {N, piece + 1, 2 * piece - 1, 2 * piece, N - 1};
    for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
        for (unsigned i = 0; i < 3; i++) {
            const enum operand_kind other = i == 0   ? kind
                                            : i == 1 ? OPERAND_RANDOM
                                                     : (enum operand_kind)test_below(OPERAND_KINDS);
            const size_t size = sizes[(kind + i) % (sizeof sizes / sizeof sizes[0])], bn = i == 2 ? test_between(piece, N) : size;
            const bool turned = test_below(2), square = i == 0 && size == N;
            const unsigned l = test_below(2) ? plan.exponent : (unsigned)test_between(2, 30);
            fill(turned ? b : a, N, kind, l);
            fill(turned ? a : b, bn, other, l);
            test_note("%s, %s: %d by %zu limbs%s%s, l = %u", operand_name(kind), operand_name(other), N, bn,
                      turned ? ", turned" : "", square ? ", a square" : "", l);
            product_check(ctx, turned ? bn : N, turned || square ? N : bn, square, true);
        }
    }
    gfmul_ctx_destroy(ctx);
}

/* One piece by many: another shape, for the shorter operand's length. */
static void test_short(void)
{
    struct gfmul_ctx *ctx = ctx_knuth(GFMUL_VERIFY_MOD, 0);
    const size_t bn = 150;
    operands_draw(N, bn);
    const struct gfmul_report report = product_check(ctx, N, bn, false, true);
    TEST_CHECK(report.plan.b_pieces == 1);
    operand_fill(a, N, OPERAND_ONES, 29, 0);
    operand_fill(b, bn, OPERAND_ONES, 29, 0);
    product_check(ctx, N, bn, false, true);
    gfmul_ctx_destroy(ctx);
}

/* No memory for all spectra: refused, or not there by the plan; then whole products of pieces. */
static void test_no_memory(void)
{
    struct gfmul_ctx *ctx = ctx_knuth(GFMUL_VERIFY_NONE, 0);
    struct gfmul_plan_info plan, less;
    TEST_OK(gfmul_plan_limbs(ctx, &plan, N, N));
    for (unsigned skip = 0; skip < 4 * plan.a_pieces + 8; skip += 5) {
        operands_draw(N, N);
        test_note("buffer %u refused", skip);
        ocl_fault_set(OCL_FAULT_BUFFER, skip, 2, CL_MEM_OBJECT_ALLOCATION_FAILURE);
        if (skip < 4 * plan.a_pieces) { /* limbs and spectra of both */
            product_check(ctx, N, N, false, false);
        } else {
            TEST_OK(gfmul_mul(ctx, z, a, N, b, N)); /* by the one way or the other */
            mpn_mul_n(want, a, b, N);
            test_equal_limbs(z, want, 2 * N);
        }
        ocl_fault_clear();
        product_check(ctx, N, N, false, true);
        gfmul_ctx_destroy(ctx);
        ctx = ctx_knuth(GFMUL_VERIFY_NONE, 0); /* no buffers are idle in the pool */
    }
    gfmul_ctx_destroy(ctx);
    ctx = ctx_knuth(GFMUL_VERIFY_NONE, plan.memory_bytes / 2);
    test_note("half the memory");
    TEST_OK(gfmul_plan_limbs(ctx, &less, N, N));
    TEST_CHECK_MSG(less.a_pieces == 1 && less.n_slices > 1 && less.memory_bytes <= plan.memory_bytes / 2, "%zu pieces, %zu bytes",
                   less.a_pieces, less.memory_bytes);
    operands_draw(N, N);
    product_check(ctx, N, N, false, false);
    gfmul_ctx_destroy(ctx);
}

/* Commands that fail on the way: an error, nothing that goes on behind it, and the next product is right. */
static void test_failures(void)
{
    static const struct {
        enum ocl_fault_place place;
        unsigned end; /* there are more */
    } faults[] = {{OCL_FAULT_LAUNCH, 80}, {OCL_FAULT_TRANSFER, 22}};
    struct gfmul_ctx *ctx = ctx_knuth(GFMUL_VERIFY_NONE, 0);
    operands_draw(N, N);
    product_check(ctx, N, N, false, true);
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        for (unsigned skip = 0; skip < faults[i].end; skip += 1 + (unsigned)test_below(6)) {
            test_note("place %u, call %u fails", (unsigned)faults[i].place, skip);
            ocl_fault_set(faults[i].place, skip, 1, CL_OUT_OF_RESOURCES);
            TEST_CHECK(gfmul_mul(ctx, z, a, N, b, N) == GFMUL_ERR_DEVICE);
            ocl_fault_clear();
            product_check(ctx, N, N, false, true);
        }
    }
    gfmul_ctx_destroy(ctx);
}

/* Values that cannot be rounded are no product: it is made again, and then the CPU's. */
static void test_not_rounded(void)
{
    struct gfmul_ctx *ctx = ctx_knuth(GFMUL_VERIFY_NONE, 0);
    for (unsigned skip = 0; skip < 9; skip += 4) { /* 11 sums */
        operands_draw(N, N);
        test_note("sum %u cannot be rounded", skip);
        ocl_fault_set(OCL_FAULT_FIGURES, skip, 1, 1);
        const struct gfmul_report report = product_check(ctx, N, N, false, true);
        TEST_CHECK_MSG(report.n_device_errors == 1, "%u errors", report.n_device_errors);
    }
    struct gfmul_report report;
    ocl_fault_set(OCL_FAULT_FIGURES, 3, 1000, 1);
    TEST_OK(gfmul_mul(ctx, z, a, N, b, N));
    ocl_fault_clear();
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(strcmp(report.plan.engine, "cpu") == 0 && report.n_device_errors == 2, "engine %s", report.plan.engine);
    test_equal_limbs(z, want, 2 * N);
    product_check(ctx, N, N, false, true);
    gfmul_ctx_destroy(ctx);
}

/* What a progress callback has seen, and where it stops a product. */
struct progress {
    double last, stop;
    unsigned calls;
    bool falls;
};

static int progress_note(void *arg, double done)
{
    struct progress *p = arg;
    p->falls = p->falls || done < p->last || done > 1;
    p->last = done;
    p->calls++;
    return done >= p->stop;
}

static void test_progress(void)
{
    static const double stops[] = {2, 0.05, 0.2, 0.5, 0.97, 2};
    struct progress seen;
    struct gfmul_ctx *ctx = TEST_CTX(.device = "gpu", .rule = GFMUL_RULE_KNUTH, .progress = progress_note, .progress_arg = &seen);
    ctx->device_points_most = POINTS;
    progress_often(ctx);
    operands_draw(N, N);
    for (unsigned i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        seen = (struct progress){0, stops[i], 0, false};
        test_note("until %g", stops[i]);
        if (stops[i] < 1)
            TEST_CHECK(gfmul_mul(ctx, z, a, N, b, N) == GFMUL_ERR_INTERRUPTED && seen.last >= stops[i]);
        else
            product_check(ctx, N, N, false, true);
        TEST_CHECK_MSG(!seen.falls && (stops[i] < 1 || (seen.last == 1 && seen.calls > 20)), "%u calls, the last %g", seen.calls,
                       seen.last);
    }
    gfmul_ctx_destroy(ctx);
}

static void *one_thread(void *arg)
{
    struct gfmul_ctx *ctx = arg;
    mp_limb_t *w = malloc(2 * N * sizeof *w);
    size_t bad = 0;
    for (int i = 0; i < 3 && w; i++)
        bad += gfmul_mul(ctx, w, a, N, b, N) != GFMUL_OK || memcmp(w, want, 2 * N * sizeof *w) != 0;
    free(w);
    return (void *)(w ? bad : 1);
}

/* Several at once, on one device. */
static void test_threads(void)
{
    enum { THREADS = 4 };
    struct gfmul_ctx *ctx[2] = {ctx_knuth(GFMUL_VERIFY_NONE, 0), ctx_knuth(GFMUL_VERIFY_MOD, 0)};
    pthread_t thread[THREADS];
    operands_draw(N, N);
    mpn_mul_n(want, a, b, N);
    for (int i = 0; i < THREADS; i++)
        TEST_CHECK(pthread_create(&thread[i], NULL, one_thread, ctx[i % 2]) == 0);
    for (int i = 0; i < THREADS; i++) {
        void *bad = NULL;
        pthread_join(thread[i], &bad);
        TEST_CHECK(!bad);
    }
    gfmul_ctx_destroy(ctx[0]);
    gfmul_ctx_destroy(ctx[1]);
}

/* spectra_check - the kernels alone: the sum of PAIRS products by their spectra, for points of any kind. */
static void spectra_check(struct ocl_device *d, const char *text, unsigned l, enum gfmul_precision precision)
{
    struct plan_request request = {.rule = GFMUL_RULE_NORM, .base = 2, .square = true, .fma = true, .worst_case = true};
    struct plan_shape shape;
    struct ocl_pipeline *pipeline;
    struct ocl_work work;
    struct ocl_number x, result;
    struct plan_figures figures;
    cl_mem spectrum[2], sum;
    request.precision = precision;
    request.an = request.bn = 64;
    must(plan_device_parse(&shape, &request, text, l, detail, sizeof detail));
    const size_t limbs = shape.transform.n_points * l / 64 - 2,
                 zn = 2 * limbs + 1; /* the product of one limb more each has room */
    request.an = request.bn = 64 * (limbs + 1);
    must(plan_device_parse(&shape, &request, text, l, detail, sizeof detail));
    if (limbs > N || device_pass_local_bytes(&shape.device.forward[shape.device.n_passes - 1]) > ocl_device_local_bytes(d))
        return;
    test_note("%s, l = %u, %zu limbs", text, l, limbs);
    ocl_device_lock(d);
    must(pipeline_create(OCL_ON(d, detail), &pipeline, &shape));
    must(ocl_work_get(OCL_ON(d, detail), &pipeline->shape, &work, true));
    must(ocl_buffer_get(OCL_ON(d, detail), 8 * limbs, &x.words));
    must(ocl_buffer_get(OCL_ON(d, detail), 8 * zn, &result.words));
    must(ocl_buffer_get(OCL_ON(d, detail), pipeline_spectrum_bytes(pipeline), &sum));
    for (unsigned i = 0; i < 2; i++)
        must(ocl_buffer_get(OCL_ON(d, detail), pipeline_spectrum_bytes(pipeline), &spectrum[i]));
    x.n_words = (uint32_t)(2 * limbs);
    result.n_words = (uint32_t)(2 * zn);
    for (unsigned square = 0; square < 2; square++) {
        memset(want, 0, sizeof want);
        for (unsigned pair = 0; pair < PAIRS; pair++) {
            mp_limb_t *const p[2] = {a, b};
            for (unsigned i = 0; i < 2; i++) {
                operand_fill(p[i], limbs, (enum operand_kind)test_below(OPERAND_KINDS), l, test_u64());
                must(ocl_upload(OCL_ON(d, detail), (struct ocl_span){x.words, 0, 8 * limbs}, p[i], 1, OCL_AFTER_QUEUE));
                must(ocl_pipeline_keep(OCL_ON(d, detail), pipeline, &work, spectrum[i], x));
            }
            mpn_mul_n(z, a, square ? a : b, (mp_size_t)limbs);
            want[2 * limbs] += mpn_add_n(want, want, z, (mp_size_t)(2 * limbs));
            const struct ocl_product product = {spectrum[0], spectrum[!square], false};
            must(ocl_pipeline_mul_add(OCL_ON(d, detail), pipeline, sum, &product, 1, pair > 0));
        }
        must(ocl_pipeline_begin(OCL_ON(d, detail), &work));
        must(ocl_pipeline_rows_back(OCL_ON(d, detail), pipeline, &work, sum));
        must(ocl_pipeline_limbs(OCL_ON(d, detail), pipeline, &work, result, 0, 1));
        must(pipeline_figures(OCL_ON(d, detail), pipeline, &work, &figures));
        must(ocl_download(OCL_ON(d, detail), z, (struct ocl_span){result.words, 0, 8 * zn}, 1, OCL_AFTER_QUEUE));
        test_equal_limbs(z, want, zn);
        TEST_CHECK_MSG(figures.max_error < 0.25, "error %g", figures.max_error);
    }
    for (unsigned i = 0; i < 2; i++)
        ocl_buffer_put(d, spectrum[i]);
    ocl_buffer_put(d, sum);
    ocl_buffer_put(d, result.words);
    ocl_buffer_put(d, x.words);
    ocl_work_put(d, &work);
    ocl_pipeline_destroy(pipeline);
    ocl_device_unlock(d);
}

/* Digits a few bits shorter than are proved for one product: sums of three have room.   The second one has idle items in rows. */
static void test_spectra(void)
{
    struct ocl_device *d = ocl_test_open();
    spectra_check(d, "3.4/4/8/s,4/1/16,4.4.4/16/1/s", 12, GFMUL_PRECISION_DOUBLE);
    if (test_level() > 0)
        spectra_check(d, "16/1/16,16.4/16/1", 12, GFMUL_PRECISION_DOUBLE);
    ocl_device_close(d);
}

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    test_begin(argc, argv);
    TEST_RUN(test_products);
    TEST_RUN_LONG(test_short);
    TEST_RUN_LONG(test_no_memory);
    TEST_RUN(test_failures);
    TEST_RUN(test_not_rounded);
    TEST_RUN(test_progress);
    TEST_RUN(test_threads);
    TEST_RUN_LONG(test_spectra);
    return ocl_test_end();
}

#else

int main(void)
{
    return 77;
}
#endif
