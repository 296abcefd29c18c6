/*
 * t-ctx.c - contexts: options, threads, the plan cache, the buffer pool, memory that runs out, progress.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <pthread.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "mul/ctx.h"
#include "operands.h"
#include "progress_often.h"
#include "reference.h"
#include "test.h"

static struct gfmul_ctx *ctx_with(enum gfmul_engine engine, enum gfmul_verify verify)
{
    return TEST_CTX(.engine = engine, .verify = verify, .threads = 1);
}

static void test_options(void)
{
    struct gfmul_options opt, zero;
    struct gfmul_ctx *ctx;
    memset(&opt, 0x55, sizeof opt);
    gfmul_options_init(&opt);
    memset(&zero, 0, sizeof zero);
    zero.struct_bytes = sizeof zero;
    TEST_CHECK(opt.struct_bytes == sizeof opt && opt.engine == 0 && opt.rule == 0 && opt.precision == 0 && opt.packing == 0);
    TEST_CHECK(opt.verify == 0 && opt.threads == 0 && opt.memory_limit == 0 && !opt.device && !opt.progress && !opt.progress_arg);

    ctx = test_ctx(NULL);
    gfmul_ctx_destroy(ctx);
    ctx = test_ctx(&opt);
    gfmul_ctx_destroy(ctx);
    gfmul_ctx_destroy(NULL);

    char device[8] = "cpu";
    opt.device = device;
    opt.threads = 1024;
    opt.packing = GFMUL_PACKING_TWO_FOR_ONE;
    opt.precision = GFMUL_PRECISION_DOUBLE;
    opt.rule = GFMUL_RULE_KNUTH;
    opt.engine = GFMUL_ENGINE_CPU;
    ctx = test_ctx(&opt);
    memset(device, 'x', sizeof device); /* the name was copied */
    TEST_CHECK(strcmp(ctx->opt.device, "cpu") == 0);
    gfmul_ctx_destroy(ctx);
    opt.device = "auto";
    ctx = test_ctx(&opt);
    gfmul_ctx_destroy(ctx);
}

static void check_refused(const struct gfmul_options *opt, enum gfmul_status want, const char *what)
{
    struct gfmul_ctx *ctx = (struct gfmul_ctx *)(uintptr_t)1;
    enum gfmul_status status = gfmul_ctx_create(&ctx, opt);
    TEST_CHECK_MSG(status == want, "%s: status %d, should be %d", what, (int)status, (int)want);
    TEST_CHECK_MSG(ctx == NULL, "%s: a context is left", what);
}

#define REFUSED(field, value, status)                        \
    do {                                                     \
        struct gfmul_options opt_;                           \
        gfmul_options_init(&opt_);                           \
        opt_.field = (value);                                \
        check_refused(&opt_, (status), #field " = " #value); \
    } while (0)

static void test_bad_options(void)
{
    TEST_CHECK(gfmul_ctx_create(NULL, NULL) == GFMUL_ERR_ARGUMENT);
    REFUSED(engine, (enum gfmul_engine)5, GFMUL_ERR_ARGUMENT);
    REFUSED(engine, (enum gfmul_engine) - 1, GFMUL_ERR_ARGUMENT);
    REFUSED(rule, (enum gfmul_rule)3, GFMUL_ERR_ARGUMENT);
    REFUSED(rule, (enum gfmul_rule) - 1, GFMUL_ERR_ARGUMENT);
    REFUSED(precision, (enum gfmul_precision)(GFMUL_PRECISION_PRIME + 1), GFMUL_ERR_ARGUMENT);
    REFUSED(packing, (enum gfmul_packing)4, GFMUL_ERR_ARGUMENT);
    REFUSED(verify, (enum gfmul_verify)3, GFMUL_ERR_ARGUMENT);
    REFUSED(threads, 1025, GFMUL_ERR_ARGUMENT);
    REFUSED(struct_bytes, 0, GFMUL_ERR_ARGUMENT);
    REFUSED(struct_bytes, sizeof(size_t), GFMUL_ERR_ARGUMENT);
    REFUSED(struct_bytes, sizeof(struct gfmul_options) + 1, GFMUL_ERR_ARGUMENT);
    REFUSED(precision, GFMUL_PRECISION_FLOAT, GFMUL_ERR_UNSUPPORTED);
    REFUSED(device, "", GFMUL_ERR_DEVICE);
    REFUSED(device, "no such device", GFMUL_ERR_DEVICE);
    struct gfmul_options given; /* a device as if it were named */
    gfmul_options_init(&given);
    given.cl_context = given.cl_queue = &given; /* not looked at */
    if (!gfmul_has_engine(GFMUL_ENGINE_OPENCL))
        check_refused(&given, GFMUL_ERR_DEVICE, "a queue without OpenCL");
    given.device = "gpu";
    check_refused(&given, GFMUL_ERR_ARGUMENT, "a queue and a name");
    for (int e = GFMUL_ENGINE_AUTO; e <= GFMUL_ENGINE_GMP; e++) {
        if (!gfmul_has_engine((enum gfmul_engine)e))
            REFUSED(engine, (enum gfmul_engine)e, GFMUL_ERR_UNSUPPORTED);
    }
    TEST_CHECK(gfmul_has_engine(GFMUL_ENGINE_AUTO) && gfmul_has_engine(GFMUL_ENGINE_CPU) && gfmul_has_engine(GFMUL_ENGINE_GMP));
    TEST_CHECK(!gfmul_has_engine((enum gfmul_engine)77));
}

static void test_disable(void)
{
    unsigned all = cpu_isa_mask(NULL);
    TEST_CHECK(all & CPU_ISA_SCALAR);
    TEST_CHECK(cpu_isa_mask("") == all);
    TEST_CHECK(cpu_isa_mask("unknown,avx51,avx5120,,") == all);
    TEST_CHECK(cpu_isa_mask("scalar") == all);
    TEST_CHECK(cpu_isa_mask("avx512") == (all & ~(unsigned)CPU_ISA_AVX512));
    TEST_CHECK(cpu_isa_mask("avx512,avx2") == (all & ~(unsigned)(CPU_ISA_AVX512 | CPU_ISA_AVX2)));
    TEST_CHECK(cpu_isa_mask("avx2 , avx512,neon,sse2") == CPU_ISA_SCALAR);
}

/* Products of mixed sizes by many threads on one context. */
struct worker {
    struct gfmul_ctx *ctx;
    uint64_t seed;
    unsigned products, wrong, failed;
    bool trims; /* the context, after every third product */
};

static uint64_t step(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static void *worker_run(void *arg)
{
    struct worker *w = arg;
    for (unsigned i = 0; i < w->products; i++) {
        size_t most = i % 7 == 0 ? 4000 : i % 3 == 0 ? 30 : 900;
        size_t an = 1 + step(&w->seed) % most, bn = 1 + step(&w->seed) % most;
        mp_limb_t *a = test_alloc(an * sizeof *a), *b = test_alloc(bn * sizeof *b);
        mp_limb_t *z = test_alloc((an + bn) * sizeof *z), *want = test_alloc((an + bn) * sizeof *z);
        operand_fill(a, an, OPERAND_RANDOM, 13, step(&w->seed));
        operand_fill(b, bn, (enum operand_kind)(step(&w->seed) % OPERAND_KINDS), 13, step(&w->seed));
        ref_mul_gmp(want, a, an, b, bn);
        w->failed += gfmul_mul(w->ctx, z, a, an, b, bn) != GFMUL_OK;
        w->wrong += memcmp(z, want, (an + bn) * sizeof *z) != 0;
        if (i % 5 == 0) {
            struct gfmul_report report;
            gfmul_ctx_report(w->ctx, &report);
            w->failed += report.status != GFMUL_OK;
        }
        if (w->trims && i % 3 == 0)
            gfmul_ctx_trim(w->ctx);
        free(want);
        free(z);
        free(b);
        free(a);
    }
    return NULL;
}

static void run_workers(struct gfmul_ctx *ctx, unsigned products)
{
    enum { WORKERS = 6 };
    pthread_t thread[WORKERS];
    struct worker w[WORKERS];
    for (unsigned i = 0; i < WORKERS; i++) {
        w[i] = (struct worker){.ctx = ctx, .seed = test_u64(), .products = products, .trims = i == 0};
        if (pthread_create(&thread[i], NULL, worker_run, &w[i]) != 0) {
            fprintf(stderr, "no thread\n");
            exit(1);
        }
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        pthread_join(thread[i], NULL);
        TEST_CHECK_MSG(w[i].wrong == 0 && w[i].failed == 0, "worker %u: %u of %u wrong, %u failed", i, w[i].wrong, products,
                       w[i].failed);
    }
}

static void test_threads(void)
{
    struct gfmul_ctx *ctx = ctx_with(GFMUL_ENGINE_CPU, GFMUL_VERIFY_MOD);
    run_workers(ctx, 60);
    TEST_CHECK(atomic_load(&ctx->n_calls) == 0);
    gfmul_ctx_destroy(ctx);
    ctx = ctx_with(GFMUL_ENGINE_AUTO, GFMUL_VERIFY_MOD);
    run_workers(ctx, 60);
    gfmul_ctx_destroy(ctx);
    if (gfmul_has_engine(GFMUL_ENGINE_FFTW)) {
        ctx = ctx_with(GFMUL_ENGINE_FFTW, GFMUL_VERIFY_MOD);
        run_workers(ctx, 20);
        gfmul_ctx_destroy(ctx);
    }
}

static void test_default_threads(void)
{
    run_workers(NULL, 40);
}

static bool shape_of(const struct call *call, struct plan_shape *shape, size_t bits)
{
    struct plan_request request;
    char detail[256];
    ctx_plan_request(call, &request, 2, bits, bits, false);
    request.precision = GFMUL_PRECISION_DOUBLE; /* the cache has no plans modulo primes */
    return TEST_OK(plan_size(shape, &request, detail, sizeof detail));
}

static void test_plan_cache(void)
{
    enum { MANY = 2 * CTX_PLANS + 3 };
    struct gfmul_ctx *ctx = ctx_with(GFMUL_ENGINE_CPU, GFMUL_VERIFY_NONE);
    struct plan_lease plan[MANY], again;
    struct plan_shape shape[MANY];
    struct call call;
    size_t bits = 2000, n = 0;

    call_begin(&call, ctx);
    for (; n < MANY && bits < ((size_t)1 << 25); bits += bits / 10) { /* shapes of different lengths */
        if (!shape_of(&call, &shape[n], bits))
            break;
        size_t known = 0; /* a larger product may have a shorter transform, which wraps around */
        while (known < n && shape[known].transform.n_points != shape[n].transform.n_points)
            known++;
        n += known == n;
    }
    TEST_CHECK_MSG(n > CTX_PLANS + 1, "%zu lengths", n);

    /* A hit has the same tables; another size of the same length too, under its own shape. */
    TEST_OK(ctx_plan_get(&call, &shape[0], &plan[0]));
    TEST_OK(ctx_plan_get(&call, &shape[0], &again));
    TEST_CHECK(plan[0].plan.twiddle[0] == again.plan.twiddle[0]);
    ctx_plan_put(ctx, &again);
    struct plan_shape other = shape[0];
    other.digits.an--;
    TEST_OK(ctx_plan_get(&call, &other, &again));
    TEST_CHECK(plan[0].plan.twiddle[0] == again.plan.twiddle[0] && again.plan.shape.digits.an == other.digits.an);
    TEST_CHECK(plan[0].plan.shape.digits.an == shape[0].digits.an && again.plan.isa == ctx->ops);
    ctx_plan_put(ctx, &again);
    TEST_CHECK(ctx->n_plans == 1);
    const double *first_tables = plan[0].plan.twiddle[0];
    double first_value = first_tables ? first_tables[0] : 0;

    /* More lengths than places, all in use: none is evicted. */
    for (size_t i = 1; i < n; i++) {
        TEST_OK(ctx_plan_get(&call, &shape[i], &plan[i]));
        TEST_CHECK(memcmp(&plan[i].plan.shape, &shape[i], sizeof shape[i]) == 0);
        TEST_CHECK(ctx->n_plans == i + 1);
    }
    TEST_CHECK(plan[0].plan.twiddle[0] == first_tables && (!first_tables || first_tables[0] == first_value));
    for (size_t i = 0; i < n; i++)
        ctx_plan_put(ctx, &plan[i]);
    TEST_CHECK(ctx->n_plans == CTX_PLANS);

    /* One at a time: the least recently used goes. */
    for (size_t i = 0; i < n; i++) {
        TEST_OK(ctx_plan_get(&call, &shape[i], &plan[i]));
        ctx_plan_put(ctx, &plan[i]);
    }
    TEST_CHECK(ctx->n_plans <= CTX_PLANS && ctx->n_plans > 0);
    TEST_OK(call_end(&call, GFMUL_OK));
    gfmul_ctx_destroy(ctx);
}

static void test_buffers(void)
{
    struct gfmul_ctx *ctx = ctx_with(GFMUL_ENGINE_CPU, GFMUL_VERIFY_NONE);
    struct call call;
    void *p, *q, *many[CALL_BUFFERS];

    call_begin(&call, ctx);
    TEST_OK(ctx_buffer_get(&call, 100000, &p));
    TEST_CHECK(p && (uintptr_t)p % 64 == 0 && call.allocated == 100000);
    memset(p, 1, 100000);
    ctx_buffer_put(&call, p);
    TEST_CHECK(call.allocated == 0 && ctx->n_buffers == 1);
    TEST_OK(ctx_buffer_get(&call, 99000, &q)); /* the same block again */
    TEST_CHECK(q == p && call.allocated == 99000 && ctx->n_buffers == 0 && ctx->idle_bytes == 0);
    ctx_buffer_put(&call, q);
    TEST_OK(ctx_buffer_get(&call, 1000, &q)); /* far too large a block for this */
    TEST_CHECK(q != p);
    ctx_buffer_put(&call, q);
    ctx_buffer_put(&call, NULL);
    TEST_OK(ctx_buffer_get(&call, 3 << 20, &q));
    TEST_CHECK((uintptr_t)q % (2 << 20) == 0);

    for (int i = 0; i < CALL_BUFFERS - 1; i++)
        TEST_OK(ctx_buffer_get(&call, 1000, &many[i]));
    TEST_CHECK(ctx_buffer_get(&call, 1000, &p) == GFMUL_ERR_INTERNAL && p == NULL);
    TEST_CHECK(ctx_buffer_get(&call, SIZE_MAX, &p) != GFMUL_OK && p == NULL);
    TEST_OK(call_end(&call, GFMUL_OK)); /* gives back what was forgotten */
    TEST_CHECK(ctx->n_buffers >= 1 && ctx->n_buffers <= CTX_BUFFERS);
    gfmul_ctx_destroy(ctx);
}

/* test_buffers_in_turns - calls of lengths near each other in turns find all that they need in the pool. */
static void test_buffers_in_turns(void)
{
    static const size_t bytes[2][3] = {{1000000, 1000000, 50000}, {900000, 900000, 60000}};
    struct gfmul_ctx *ctx = ctx_with(GFMUL_ENGINE_CPU, GFMUL_VERIFY_NONE);
    for (unsigned turn = 0; turn < 40; turn++) {
        struct call call;
        void *p;
        if (turn == 4)
            alloc_fail_after(0);
        call_begin(&call, ctx);
        for (unsigned i = 0; i < 3; i++)
            TEST_OK(ctx_buffer_get(&call, bytes[turn % 2][i], &p));
        TEST_OK(call_end(&call, GFMUL_OK));
    }
    alloc_fail_after(-1);
    gfmul_ctx_destroy(ctx);
}

/* test_trim - nothing is left of earlier products, all comes back with the next one; fixed operands stay. */
static void test_trim(void)
{
    enum { N = 3000 };
    mp_limb_t *a = test_alloc(N * sizeof *a), *z = test_alloc(2 * N * sizeof *z), *want = test_alloc(2 * N * sizeof *z);
    struct gfmul_ctx *ctx = ctx_with(GFMUL_ENGINE_CPU, GFMUL_VERIFY_MOD);
    struct gfmul_operand *op;
    operand_fill(a, N, OPERAND_TOP_BIT, 13, test_u64());
    mpn_sqr(want, a, N);
    gfmul_ctx_trim(ctx); /* nothing ran yet */
    TEST_OK(gfmul_operand_create(ctx, &op, a, N, N));
    for (unsigned turn = 0; turn < 3; turn++) {
        memset(z, 0, 2 * N * sizeof *z);
        TEST_OK(gfmul_sqr(ctx, z, a, N));
        test_equal_limbs(z, want, 2 * N);
        TEST_OK(gfmul_mul(ctx, z, a, N, a, N / 2));
        TEST_CHECK(ctx->n_plans > 0 && ctx->n_buffers > 0 && ctx->idle_bytes > 0);
        gfmul_ctx_trim(ctx);
        TEST_CHECK(ctx->n_buffers == 0 && ctx->idle_bytes == 0);
        TEST_CHECK(ctx->n_plans == 1); /* the operand's */
        memset(z, 0, 2 * N * sizeof *z);
        TEST_OK(gfmul_operand_mul(op, z, a, N));
        test_equal_limbs(z, want, 2 * N);
    }
    gfmul_operand_destroy(op);
    gfmul_ctx_trim(ctx);
    TEST_CHECK(ctx->n_plans == 0 && !ctx->plans);
    gfmul_ctx_trim(NULL);
    gfmul_ctx_destroy(ctx);
    free(want);
    free(z);
    free(a);
}

static void test_memory_limit(void)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    struct gfmul_report report;
    struct gfmul_plan_info info;
    size_t n = 60000;
    mp_limb_t *a = test_alloc(n * sizeof *a), *z = test_alloc(2 * n * sizeof *z), *want = test_alloc(2 * n * sizeof *want);
    operand_fill(a, n, OPERAND_RANDOM, 13, test_u64());

    for (int e = GFMUL_ENGINE_CPU; e <= GFMUL_ENGINE_FFTW; e++) {
        if (!test_engine((enum gfmul_engine)e))
            continue;
        gfmul_options_init(&opt);
        opt.engine = (enum gfmul_engine)e;
        opt.threads = 1;
        opt.memory_limit = 1 << 20;
        ctx = test_ctx(&opt);
        TEST_CHECK(gfmul_sqr(ctx, z, a, n) == GFMUL_ERR_MEMORY);
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK(report.status == GFMUL_ERR_MEMORY && report.detail[0] != '\0');
        TEST_CHECK(gfmul_plan_limbs(ctx, &info, n, n) == GFMUL_ERR_MEMORY);
        TEST_OK(gfmul_sqr(ctx, z, a, 1000)); /* fits */
        ref_mul_gmp(want, a, 1000, a, 1000);
        test_equal_limbs(z, want, 2000);
        gfmul_ctx_destroy(ctx);
    }
    free(want);
    free(z);
    free(a);
}

/* What test_memory_runs_out runs: products by every route. */
struct route {
    const char *name;
    enum gfmul_engine engine;
    enum gfmul_verify verify;
    enum gfmul_status (*run)(struct gfmul_ctx *ctx, bool check);
};

enum { ROUTE_LIMBS = 700, ROUTE_DIGITS = 6000 };
static mp_limb_t route_a[ROUTE_LIMBS], route_b[ROUTE_LIMBS];
static char route_text_a[ROUTE_DIGITS + 1], route_text_b[ROUTE_DIGITS + 1];

static enum gfmul_status run_mul(struct gfmul_ctx *ctx, bool check)
{
    mp_limb_t z[2 * ROUTE_LIMBS], want[2 * ROUTE_LIMBS];
    enum gfmul_status status = gfmul_mul(ctx, z, route_a, ROUTE_LIMBS, route_b, ROUTE_LIMBS);
    if (check) {
        ref_mul_gmp(want, route_a, ROUTE_LIMBS, route_b, ROUTE_LIMBS);
        test_equal_limbs(z, want, 2 * ROUTE_LIMBS);
    }
    return status;
}

static enum gfmul_status run_unbalanced(struct gfmul_ctx *ctx, bool check)
{
    enum { COPIES = 60 };
    size_t an = COPIES * ROUTE_LIMBS, bn = ROUTE_LIMBS;
    mp_limb_t *a = test_alloc(an * sizeof *a), *z = test_alloc((an + bn) * sizeof *z), *want = test_alloc((an + bn) * sizeof *z);
    for (size_t i = 0; i < COPIES; i++)
        memcpy(a + i * ROUTE_LIMBS, route_a, sizeof route_a);
    enum gfmul_status status = gfmul_mul(ctx, z, a, an, route_b, bn);
    if (check) {
        ref_mul_gmp(want, a, an, route_b, bn);
        test_equal_limbs(z, want, an + bn);
    }
    free(want);
    free(z);
    free(a);
    return status;
}

static enum gfmul_status run_mpz(struct gfmul_ctx *ctx, bool check)
{
    mpz_t z, a, b, before;
    mpz_init(a);
    mpz_init(b);
    mpz_import(a, ROUTE_LIMBS, -1, sizeof *route_a, 0, 0, route_a);
    mpz_import(b, ROUTE_LIMBS, -1, sizeof *route_b, 0, 0, route_b);
    mpz_neg(a, a);
    mpz_init_set(z, a);
    mpz_init_set(before, a);
    enum gfmul_status status = gfmul_mpz_mul(ctx, z, z, b);
    if (check || status == GFMUL_OK)
        mpz_mul(before, a, b);
    TEST_CHECK(mpz_cmp(z, before) == 0); /* the product, or the value from before */
    mpz_clears(z, a, b, before, NULL);
    return status;
}

static enum gfmul_status run_text_bases(struct gfmul_ctx *ctx, bool check, int a_base, int z_base)
{
    size_t size = gfmul_str_mul_size(ROUTE_DIGITS, a_base, ROUTE_DIGITS, 10, z_base), len = 0;
    char *z = test_alloc(size), *want;
    mpz_t a, b;
    enum gfmul_status status =
        gfmul_str_mul(ctx, z, size, &len, z_base, route_text_a, ROUTE_DIGITS, a_base, route_text_b, ROUTE_DIGITS, 10);
    if (check) {
        mpz_init_set_str(a, route_text_a, a_base);
        mpz_init_set_str(b, route_text_b, 10);
        mpz_mul(a, a, b);
        want = mpz_get_str(NULL, z_base, a);
        TEST_CHECK(status == GFMUL_OK && len == strlen(want));
        if (status == GFMUL_OK && len == strlen(want))
            test_equal_text(z, want, len + 1);
        free(want);
        mpz_clears(a, b, NULL);
    }
    free(z);
    return status;
}

static enum gfmul_status run_text(struct gfmul_ctx *ctx, bool check)
{
    return run_text_bases(ctx, check, 10, 10);
}

static enum gfmul_status run_text_mixed(struct gfmul_ctx *ctx, bool check)
{
    return run_text_bases(ctx, check, 16, 7);
}

/* Every allocation of a call fails in turn, with all that follow: the status says so, and the context goes on working. */
static void test_memory_runs_out(void)
{
    static const struct route routes[] = {
        {"limbs, cpu", GFMUL_ENGINE_CPU, GFMUL_VERIFY_MOD, run_mul},
        {"limbs, cpu, checked by GMP", GFMUL_ENGINE_CPU, GFMUL_VERIFY_GMP, run_mul},
        {"limbs, fftw", GFMUL_ENGINE_FFTW, GFMUL_VERIFY_MOD, run_mul},
        {"unbalanced", GFMUL_ENGINE_CPU, GFMUL_VERIFY_MOD, run_unbalanced},
        {"mpz", GFMUL_ENGINE_CPU, GFMUL_VERIFY_MOD, run_mpz},
        {"text", GFMUL_ENGINE_CPU, GFMUL_VERIFY_MOD, run_text},
        {"text, checked by GMP", GFMUL_ENGINE_CPU, GFMUL_VERIFY_GMP, run_text},
        {"text by limbs", GFMUL_ENGINE_CPU, GFMUL_VERIFY_GMP, run_text_mixed},
        {"text by limbs, gmp", GFMUL_ENGINE_GMP, GFMUL_VERIFY_MOD, run_text_mixed},
    };
    operand_fill(route_a, ROUTE_LIMBS, OPERAND_TOP_BIT, 13, test_u64());
    operand_fill(route_b, ROUTE_LIMBS, OPERAND_TOP_BIT, 13, test_u64());
    text_fill(route_text_a, ROUTE_DIGITS, TEXT_RANDOM, 10, 4, test_u64());
    text_fill(route_text_b, ROUTE_DIGITS, TEXT_RANDOM, 10, 4, test_u64());
    for (size_t r = 0; r < sizeof routes / sizeof routes[0]; r++) {
        if (!gfmul_has_engine(routes[r].engine))
            continue;
        enum gfmul_status status = GFMUL_ERR_MEMORY;
        long n = 1;
        for (; status != GFMUL_OK && n < 1000; n++) {
            struct gfmul_ctx *ctx = ctx_with(routes[r].engine, routes[r].verify);
            struct gfmul_report report;
            test_note("%s, allocation %ld fails", routes[r].name, n);
            alloc_fail_after(n);
            status = routes[r].run(ctx, false);
            alloc_fail_after(-1);
            gfmul_ctx_report(ctx, &report);
            TEST_CHECK_MSG(status == GFMUL_OK || status == GFMUL_ERR_MEMORY, "status %d", (int)status);
            TEST_CHECK(report.status == status && (status == GFMUL_OK || report.detail[0] != '\0'));
            TEST_OK(routes[r].run(ctx, true));
            gfmul_ctx_destroy(ctx);
        }
        TEST_CHECK_MSG(status == GFMUL_OK && n > 2, "%s: ends with status %d after %ld allocations", routes[r].name, (int)status,
                       n);
    }
    enum gfmul_status status = GFMUL_ERR_MEMORY;
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.device = "cpu";
    long n = 1;
    for (; status != GFMUL_OK && n < 100; n++) {
        struct gfmul_ctx *ctx;
        alloc_fail_after(n);
        status = gfmul_ctx_create(&ctx, &opt);
        alloc_fail_after(-1);
        TEST_CHECK(status == (ctx ? GFMUL_OK : GFMUL_ERR_MEMORY));
        gfmul_ctx_destroy(ctx);
    }
    TEST_CHECK(n > 2 && n < 100);
}

struct watcher {
    double last;
    unsigned calls, stop_at;
    bool backwards, outside, other_thread;
    double largest_step; /* between two shares */
    pthread_t caller;
};

static int watch(void *arg, double done)
{
    struct watcher *w = arg;
    w->backwards = w->backwards || done < w->last;
    w->outside = w->outside || !(done >= 0 && done <= 1);
    w->other_thread = w->other_thread || !pthread_equal(w->caller, pthread_self());
    w->largest_step = done - w->last > w->largest_step ? done - w->last : w->largest_step;
    w->last = done;
    return ++w->calls == w->stop_at;
}

static void test_progress(void)
{
    size_t n = 5000;
    mp_limb_t *a = test_alloc(n * sizeof *a), *z = test_alloc(2 * n * sizeof *z);
    struct gfmul_ctx *ctx;
    struct gfmul_report report;
    struct watcher w = {.caller = pthread_self()};
    operand_fill(a, n, OPERAND_RANDOM, 13, test_u64());
    ctx = TEST_CTX(.engine = GFMUL_ENGINE_CPU, .progress = watch, .progress_arg = &w);
    progress_often(ctx);
    TEST_OK(gfmul_sqr(ctx, z, a, n));
    unsigned calls = w.calls;
    TEST_CHECK(calls > 0 && !w.backwards && !w.outside);
    for (unsigned i = 1; i <= calls; i++) {
        w = (struct watcher){.stop_at = i, .caller = pthread_self()};
        enum gfmul_status status = gfmul_sqr(ctx, z, a, n);
        if (w.calls < i) /* some calls are due to the time that has passed */
            break;
        TEST_CHECK_MSG(status == GFMUL_ERR_INTERRUPTED, "stopped at call %u of %u", i, calls);
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK(report.status == GFMUL_ERR_INTERRUPTED && w.calls == i);
    }
    w = (struct watcher){.caller = pthread_self()};
    TEST_OK(gfmul_sqr(ctx, z, a, n));
    gfmul_ctx_destroy(ctx);
    free(z);
    free(a);
}

/* Long products: the bar moves in small steps, from the calling thread alone, and stops anywhere; squares, slices, text, kept. */
static void test_progress_long(void)
{
    enum { LIMBS = 60000, SHORT = 3000, DIGITS = 600000, WORKS = 8, IN_DOUBLE = 5 };
    static const char *const works[WORKS] = {"product", "square",         "slices",        "text",
                                             "fixed",   "primes product", "primes square", "primes slices"};
    mp_limb_t *a = test_alloc(LIMBS * sizeof *a), *b = test_alloc(LIMBS * sizeof *b), *z = test_alloc(2 * LIMBS * sizeof *z);
    char *text = test_alloc(DIGITS + 1), *product = test_alloc(2 * DIGITS + 2);
    struct watcher w = {.caller = pthread_self()};
    struct gfmul_options opt;
    struct gfmul_operand *op;
    struct gfmul_ctx *ctx;
    operand_fill(a, LIMBS, OPERAND_RANDOM, 13, test_u64());
    operand_fill(b, LIMBS, OPERAND_RANDOM, 13, test_u64());
    text_fill(text, DIGITS, TEXT_RANDOM, 10, 4, test_u64());
    gfmul_options_init(&opt);
    opt.engine = GFMUL_ENGINE_CPU;
    opt.progress = watch;
    opt.progress_arg = &w;
    for (unsigned threads = 1; threads <= 2; threads++) {
        opt.threads = threads;
        opt.precision = GFMUL_PRECISION_DOUBLE;
        ctx = test_ctx(&opt);
        progress_often(ctx);
        TEST_OK(gfmul_operand_create(ctx, &op, b, SHORT, SHORT));
        for (int work = 0; work < WORKS; work++) {
            unsigned calls = 0;
            ctx->opt.precision = work < IN_DOUBLE ? GFMUL_PRECISION_DOUBLE : GFMUL_PRECISION_PRIME;
            for (unsigned round = 0; round < 3; round++) { /* to its end first, then stopped at some call */
                const unsigned stop_at = round ? 1 + (unsigned)test_below(calls) : 0;
                w = (struct watcher){.stop_at = stop_at, .caller = pthread_self()};
                enum gfmul_status status =
                    work % IN_DOUBLE == 0   ? gfmul_mul(ctx, z, a, LIMBS, b, LIMBS)
                    : work % IN_DOUBLE == 1 ? gfmul_sqr(ctx, z, a, LIMBS)
                    : work % IN_DOUBLE == 2 ? gfmul_mul(ctx, z, a, LIMBS, b, SHORT)
                    : work == 3 ? gfmul_str_mul(ctx, product, 2 * DIGITS + 2, NULL, 10, text, DIGITS, 10, text, DIGITS / 2, 10)
                                : gfmul_operand_mul(op, z, a, LIMBS);
                test_note("%s, %u threads, %u calls, to be stopped at %u", works[work], threads, w.calls, stop_at);
                TEST_CHECK(!w.backwards && !w.outside && !w.other_thread);
                if (round == 0) {
                    calls = w.calls;
                    TEST_OK(status);
                    /* of several threads another one may do nearly all parts: the calling one tells at each stage at least */
                    TEST_CHECK(threads > 1 ? calls >= 3 : calls > 20 && w.last > 0.9);
                    const double most = work < IN_DOUBLE ? 0.1 : 0.3; /* of three primes, one is 0.85 / 3 */
                    TEST_CHECK_MSG(threads > 1 || w.largest_step < most, "a step of %g", w.largest_step);
                } else if (w.calls >= stop_at) { /* threads may be faster the next time, and tell less often */
                    TEST_CHECK(status == GFMUL_ERR_INTERRUPTED && w.calls == stop_at);
                }
            }
        }
        gfmul_operand_destroy(op);
        gfmul_ctx_destroy(ctx);
    }
    free(product);
    free(text);
    free(z);
    free(b);
    free(a);
}

/* The report is of the last call: a short product by GMP after a long one, an error after that. */
static void test_report(void)
{
    struct gfmul_report report;
    struct gfmul_ctx *ctx = ctx_with(GFMUL_ENGINE_AUTO, GFMUL_VERIFY_MOD);
    const size_t n = strcmp(ctx->ops->name, "scalar") == 0 ? 30000 : 3000; /* not GMP's (base/isa.def) */
    mp_limb_t *a = test_alloc(n * sizeof *a), *z = test_alloc(2 * n * sizeof *z);
    operand_fill(a, n, OPERAND_TOP_BIT, 13, test_u64());
    gfmul_ctx_report(ctx, &report); /* nothing ran yet */
    TEST_CHECK(report.status == GFMUL_OK && report.plan.engine && report.plan.isa && report.plan.device && report.plan.rule);
    TEST_CHECK(report.error_operand == -1 && report.plan.precision && report.plan.packing);
    TEST_OK(gfmul_sqr(ctx, z, a, n));
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(strcmp(report.plan.engine, "cpu") == 0 && report.total_ns > 0 && report.plan.bound > 0);
    test_proved(&report);
    TEST_CHECK(residue_prime_fits(report.residue_prime, ctx->prime_bits) && report.plan.proved &&
               report.total_ns >= report.transform_ns);
    uint64_t prime = report.residue_prime;
    TEST_OK(gfmul_sqr(ctx, z, a, n));
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(report.residue_prime == prime); /* one for each context */
    TEST_OK(gfmul_sqr(ctx, z, a, 1));
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(report.status == GFMUL_OK && strcmp(report.plan.engine, "gmp") == 0 && report.residue_prime == 0);
    TEST_CHECK(gfmul_mul(ctx, z, NULL, 3, a, 3) == GFMUL_ERR_ARGUMENT);
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(report.status == GFMUL_ERR_ARGUMENT && report.detail[0] != '\0');
    TEST_OK(gfmul_sqr(ctx, z, a, 1));
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(report.status == GFMUL_OK && report.detail[0] == '\0');
    gfmul_ctx_report(ctx, NULL);
    gfmul_ctx_destroy(ctx);
    free(z);
    free(a);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_options);
    TEST_RUN(test_bad_options);
    TEST_RUN(test_disable);
    TEST_RUN(test_threads);
    TEST_RUN(test_default_threads);
    TEST_RUN(test_plan_cache);
    TEST_RUN(test_buffers);
    TEST_RUN(test_buffers_in_turns);
    TEST_RUN(test_trim);
    TEST_RUN(test_memory_limit);
    TEST_RUN(test_memory_runs_out);
    TEST_RUN(test_progress);
    TEST_RUN(test_progress_long);
    TEST_RUN(test_report);
    return test_end();
}
