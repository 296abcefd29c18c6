/*
 * t-mul_operand.c - fixed operands: products by a kept spectrum, and where there is none.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <pthread.h>

#include "base/alloc.h"
#include "mul/ctx.h"
#include "products.h"

/* operand_check - a * b by a fixed operand against GMP; z lies before a guard page. */
static bool operand_check(struct gfmul_operand *op, struct gfmul_ctx *ctx, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                          size_t bn)
{
    const size_t zn = an + bn;
    struct gfmul_report report;
    mp_limb_t *want = test_alloc(zn * sizeof *want);
    struct guard g = guard_create(zn * sizeof *want, GUARD_AFTER);
    ref_mul_gmp(want, a, an, b, bn);
    bool good = TEST_OK(gfmul_operand_mul(op, g.p, a, an)) && test_equal_limbs(g.p, want, zn);
    good = TEST_CHECK(guard_intact(&g)) && good;
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(report.status == GFMUL_OK);
    if (report.plan.proved)
        good = test_proved(&report) && good;
    guard_destroy(&g);
    free(want);
    return good;
}

/* Operands of every kind, shorter than foreseen, as long, and longer. */
static void products(struct product_ctx *c, size_t bn, size_t max_an, unsigned rounds)
{
    const size_t an_most = 5 * max_an + 70;
    mp_limb_t *a = test_alloc(an_most * sizeof *a), *b = test_alloc(bn * sizeof *b);
    const unsigned l = product_digit_bits(c, max_an, bn);
    for (unsigned round = 0; round < rounds; round++) {
        struct gfmul_operand *op;
        const enum operand_kind bk = round == 0 ? OPERAND_RANDOM : (enum operand_kind)test_below(OPERAND_KINDS);
        operand_fill(b, bn, bk, l, test_u64());
        test_note("%s bn=%zu (%s) max_an=%zu", c->name, bn, operand_name(bk), max_an);
        if (!TEST_OK(gfmul_operand_create(c->ctx, &op, b, bn, max_an)))
            break;
        const size_t sizes[] = {
            0, 1, test_below(max_an + 1), max_an, max_an + 1, 2 * max_an, 2 * max_an + 64, test_below(an_most + 1), an_most};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const enum operand_kind ak = test_below(3) ? (enum operand_kind)test_below(OPERAND_KINDS) : OPERAND_RANDOM;
            operand_fill(a, sizes[i], ak, l, test_u64());
            test_note("%s bn=%zu (%s) max_an=%zu an=%zu (%s) digit bits %u", c->name, bn, operand_name(bk), max_an, sizes[i],
                      operand_name(ak), l);
            operand_check(op, c->ctx, a, sizes[i], b, bn);
        }
        gfmul_operand_destroy(op);
    }
    free(b);
    free(a);
}

static void test_engines(void)
{
    static const size_t sizes[][2] = {{0, 5}, {1, 1}, {5, 0}, {40, 1}, {1, 40}, {64, 64}, {500, 450}, {450, 1500}, {1500, 405}};
    static const enum gfmul_packing packings[] = {GFMUL_PACKING_AUTO, GFMUL_PACKING_TWO_FOR_ONE, GFMUL_PACKING_ONE_FOR_HALF};
    for (int e = GFMUL_ENGINE_AUTO; e <= GFMUL_ENGINE_GMP; e++) {
        if (!test_engine((enum gfmul_engine)e))
            continue;
        for (size_t p = 0; p < (e == GFMUL_ENGINE_CPU ? 3 : 1); p++) {
            struct product_ctx c = product_ctx_create((enum gfmul_engine)e, e % 2 ? 1 : 2, packings[p],
                                                      e == GFMUL_ENGINE_CPU ? GFMUL_VERIFY_NONE : GFMUL_VERIFY_MOD);
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
                products(&c, sizes[i][0], sizes[i][1], test_longest_tier() ? 20 : 3);
            product_ctx_destroy(&c);
        }
    }
}

static void test_random(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    for (unsigned i = 0; i < (test_longest_tier() ? 400 : 40); i++)
        products(&c, test_size(1, 2000), test_size(1, 2000), 1);
    product_ctx_destroy(&c);
}

/* Transforms with column passes, on two threads. */
static void test_columns(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    products(&c, 9000, 8000, 2);
    products(&c, 3000, 20000, 1);
    products(&c, 20000, 700, 1);
    product_ctx_destroy(&c);
}

/* Which plan runs: a spectrum of the operand's own size, sliced only where a is longer. */
static void test_which_plan(void)
{
    enum { BN = 3000, MAX_AN = 3000, AN = 13000 };
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_AUTO, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    mp_limb_t *a = test_alloc(AN * sizeof *a), *b = test_alloc(BN * sizeof *b), *z = test_alloc((AN + BN) * sizeof *z);
    struct gfmul_operand *op;
    struct gfmul_report report;
    struct gfmul_plan_info info;
    TEST_OK(gfmul_plan_limbs(c.ctx, &info, BN, BN));
    const bool by_gmp = strcmp(info.engine, "gmp") == 0; /* in plain C GMP is faster at these sizes */
    operand_fill(a, AN, OPERAND_TOP_BIT, 13, test_u64());
    operand_fill(b, BN, OPERAND_TOP_BIT, 13, test_u64());
    TEST_OK(gfmul_operand_create(c.ctx, &op, b, BN, MAX_AN));
    gfmul_ctx_report(c.ctx, &report);
    const size_t points = report.plan.n_points;
    TEST_CHECK(strcmp(report.plan.engine, by_gmp ? "gmp" : "cpu") == 0 && report.status == GFMUL_OK);
    TEST_CHECK(by_gmp || (points > 0 && report.plan.n_slices == 1 && report.transform_ns > 0));
    memset(b, 0x55, BN * sizeof *b); /* its own copy is what counts */
    static const size_t sizes[] = {MAX_AN, 1000, AN, 10};
    for (size_t i = 0; i < 4; i++) {
        test_note("an=%zu", sizes[i]);
        TEST_OK(gfmul_operand_mul(op, z, a, sizes[i]));
        gfmul_ctx_report(c.ctx, &report);
        TEST_OK(gfmul_plan_limbs(c.ctx, &info, sizes[i], BN));
        if (strcmp(info.engine, "cpu") != 0) { /* shorter than the crossover, wherever that is */
            TEST_CHECK(strcmp(report.plan.engine, info.engine) == 0);
            continue;
        }
        TEST_CHECK(report.n_fallbacks > 0 || report.plan.n_points == points);
        TEST_CHECK(report.plan.n_slices == (sizes[i] > MAX_AN ? (AN + MAX_AN - 1) / MAX_AN : 1) && report.residue_prime != 0);
    }
    gfmul_operand_destroy(op);
    free(z);
    free(b);
    free(a);
    product_ctx_destroy(&c);
}

/* A kept spectrum wins before a whole convolution does, so products between the two crossovers are made by it. */
static void test_kept_crossover(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_AUTO, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    const size_t kept = c.ctx->planned_kept_limbs, whole = c.ctx->planned_mul_limbs;
    TEST_CHECK_MSG(kept <= whole, "%zu and %zu limbs", kept, whole);
    for (size_t n = kept > 8 ? kept - 1 : kept; n <= kept + 1 && n < whole; n++) {
        mp_limb_t *a = test_alloc(n * sizeof *a), *z = test_alloc(2 * n * sizeof *z);
        struct gfmul_operand *op;
        struct gfmul_report report;
        operand_fill(a, n, OPERAND_TOP_BIT, 13, test_u64());
        TEST_OK(gfmul_operand_create(c.ctx, &op, a, n, n));
        TEST_OK(gfmul_operand_mul(op, z, a, n));
        gfmul_ctx_report(c.ctx, &report);
        TEST_CHECK_MSG((strcmp(report.plan.engine, "cpu") == 0) == (n >= kept), "%zu limbs by %s", n, report.plan.engine);
        gfmul_operand_destroy(op);
        free(z);
        free(a);
    }
    product_ctx_destroy(&c);
}

/* Norms far above those of random digits: the second spectrum, made once.  At the first size whose plan measures norms. */
static void test_fallback(void)
{
    enum { MOST = 20000 };
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    mp_limb_t *a = test_alloc(MOST * sizeof *a), *b = test_alloc(MOST * sizeof *b);
    struct gfmul_operand *op;
    struct gfmul_report report;
    unsigned fallbacks = 0;
    size_t n = 500;
    operand_fill(b, MOST, OPERAND_RANDOM, 13, test_u64());
    for (bool measured = false; !measured && n < MOST; n += measured ? 0 : n / 16) {
        if (!TEST_OK(gfmul_operand_create(c.ctx, &op, b, n, n)))
            break;
        gfmul_ctx_report(c.ctx, &report);
        measured = report.plan.norms_measured != 0;
        gfmul_operand_destroy(op);
    }
    const unsigned l = report.plan.exponent;
    for (int kind = OPERAND_DIGITS_MAX; kind < OPERAND_KINDS && n < MOST; kind++) {
        operand_fill(b, n, (enum operand_kind)kind, l, test_u64());
        if (!TEST_OK(gfmul_operand_create(c.ctx, &op, b, n, n)))
            break;
        for (int i = 0; i < 4; i++) { /* random operands do or do not fit; the same kind does not */
            operand_fill(a, n, i % 2 ? (enum operand_kind)kind : OPERAND_RANDOM, l, test_u64());
            test_note("%s, %zu limbs, b %s, product %d", c.name, n, operand_name((enum operand_kind)kind), i);
            operand_check(op, c.ctx, a, n, b, n);
            gfmul_ctx_report(c.ctx, &report);
            fallbacks += report.n_fallbacks;
        }
        gfmul_operand_destroy(op);
    }
    TEST_CHECK_MSG(fallbacks > 0, "no fall-back at %zu limbs", n);
    free(b);
    free(a);
    product_ctx_destroy(&c);
}

enum { SHARED_LIMBS = 700, WORKERS = 4 };
struct shared {
    struct gfmul_operand *op;
    mp_limb_t b[SHARED_LIMBS];
    unsigned digit_bits;
    uint64_t seed[WORKERS];
    unsigned bad[WORKERS];
};
static struct shared shared;

static void *worker(void *arg)
{
    const unsigned w = (unsigned)(size_t)arg;
    mp_limb_t a[3 * SHARED_LIMBS], z[4 * SHARED_LIMBS], want[4 * SHARED_LIMBS];
    for (unsigned i = 0; i < 30; i++) {
        const size_t an = 1 + (shared.seed[w] + 997 * i) % (3 * SHARED_LIMBS);
        operand_fill(a, an, i % 3 ? OPERAND_RANDOM : OPERAND_DIGITS_MAX, shared.digit_bits, shared.seed[w] + i);
        ref_mul_gmp(want, a, an, shared.b, SHARED_LIMBS);
        shared.bad[w] +=
            gfmul_operand_mul(shared.op, z, a, an) != GFMUL_OK || mpn_cmp(z, want, (mp_size_t)(an + SHARED_LIMBS)) != 0;
    }
    return NULL;
}

static void test_threads(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    pthread_t thread[WORKERS];
    shared.digit_bits = product_digit_bits(&c, SHARED_LIMBS, SHARED_LIMBS);
    operand_fill(shared.b, SHARED_LIMBS, OPERAND_DIGITS_MAX, shared.digit_bits, test_u64());
    TEST_OK(gfmul_operand_create(c.ctx, &shared.op, shared.b, SHARED_LIMBS, SHARED_LIMBS));
    for (size_t w = 0; w < WORKERS; w++) {
        shared.seed[w] = test_u64() >> 1;
        TEST_CHECK(pthread_create(&thread[w], NULL, worker, (void *)w) == 0);
    }
    for (size_t w = 0; w < WORKERS; w++) {
        pthread_join(thread[w], NULL);
        TEST_CHECK_MSG(shared.bad[w] == 0, "thread %zu: %u wrong", w, shared.bad[w]);
    }
    gfmul_operand_destroy(shared.op);
    product_ctx_destroy(&c);
}

static void mpz_fill(mpz_t z, size_t limbs, bool negative)
{
    mp_limb_t *a = test_alloc(limbs * sizeof *a);
    operand_fill(a, limbs, OPERAND_RANDOM, 13, test_u64());
    mpz_import(z, limbs, -1, sizeof *a, 0, 0, a);
    if (negative)
        mpz_neg(z, z);
    free(a);
}

static void test_mpz(void)
{
    static const size_t sizes[] = {0, 1, 30, 450, 1300};
    mpz_t a, b, z, want;
    mpz_inits(a, b, z, want, NULL);
    for (int e = GFMUL_ENGINE_AUTO; e <= GFMUL_ENGINE_GMP; e++) {
        if (!test_engine((enum gfmul_engine)e))
            continue;
        struct product_ctx c = product_ctx_create((enum gfmul_engine)e, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
        for (size_t i = 0; i < 5; i++) {
            for (unsigned signs = 0; signs < 4; signs++) {
                struct gfmul_operand *op;
                mpz_fill(b, sizes[i], signs & 1);
                if (!TEST_OK(gfmul_operand_create_mpz(c.ctx, &op, b, 500)))
                    break;
                for (size_t j = 0; j < 5; j++) {
                    mpz_fill(a, sizes[j], signs & 2);
                    mpz_mul(want, a, b);
                    test_note("%s, %zu limbs times the fixed %zu, signs %u", c.name, sizes[j], sizes[i], signs);
                    TEST_OK(gfmul_operand_mul_mpz(op, z, a));
                    TEST_CHECK(mpz_cmp(z, want) == 0);
                    TEST_OK(gfmul_operand_mul_mpz(op, a, a));
                    TEST_CHECK(mpz_cmp(a, want) == 0);
                }
                TEST_CHECK(gfmul_operand_mul_mpz(op, NULL, a) == GFMUL_ERR_ARGUMENT);
                TEST_CHECK(gfmul_operand_mul_mpz(op, z, NULL) == GFMUL_ERR_ARGUMENT);
                gfmul_operand_destroy(op);
            }
        }
        product_ctx_destroy(&c);
    }
    mpz_clears(a, b, z, want, NULL);
}

static void test_bad_arguments(void)
{
    enum { N = 600 };
    mp_limb_t *m = test_alloc(8 * N * sizeof *m);
    struct gfmul_operand *op = (struct gfmul_operand *)(void *)m;
    operand_fill(m, 8 * N, OPERAND_RANDOM, 13, test_u64());
    TEST_CHECK(gfmul_operand_create(NULL, NULL, m, 1, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_operand_create(NULL, &op, NULL, 1, 1) == GFMUL_ERR_ARGUMENT && op == NULL);
    op = (struct gfmul_operand *)(void *)m;
    TEST_CHECK(gfmul_operand_create_mpz(NULL, &op, NULL, 1) == GFMUL_ERR_ARGUMENT && op == NULL);
    const mpz_t one = MPZ_ROINIT_N(m, 1);
    TEST_CHECK(gfmul_operand_create_mpz(NULL, NULL, one, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_operand_create(NULL, &op, m, SIZE_MAX / 16, 1) == GFMUL_ERR_SIZE && op == NULL);
    TEST_CHECK(gfmul_operand_create(NULL, &op, m, 1, SIZE_MAX) == GFMUL_ERR_SIZE && op == NULL);
    TEST_CHECK(gfmul_operand_mul(NULL, m, m, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_operand_mul_mpz(NULL, NULL, NULL) == GFMUL_ERR_ARGUMENT);
    gfmul_operand_destroy(NULL);
    for (size_t bn = 5; bn <= N; bn += N - 5) { /* without a spectrum, and with one */
        TEST_OK(gfmul_operand_create(NULL, &op, m, bn, bn));
        mp_limb_t *z = m + 2 * N;
        test_note("bn=%zu", bn);
        TEST_CHECK(gfmul_operand_mul(op, NULL, m, bn) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_operand_mul(op, m, NULL, bn) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_operand_mul(op, z, m, SIZE_MAX / 8) == GFMUL_ERR_SIZE);
        TEST_OK(gfmul_operand_mul(op, NULL, NULL, 0) == GFMUL_OK ? GFMUL_OK : gfmul_operand_mul(op, z, NULL, 0));
        TEST_OK(gfmul_operand_mul(op, z, z - bn, bn));
        TEST_CHECK(gfmul_operand_mul(op, z, z - bn + 1, bn) == GFMUL_ERR_OVERLAP);
        TEST_CHECK(gfmul_operand_mul(op, z, z, bn) == GFMUL_ERR_OVERLAP);
        TEST_CHECK(gfmul_operand_mul(op, z, z + 2 * bn - 1, bn) == GFMUL_ERR_OVERLAP);
        TEST_OK(gfmul_operand_mul(op, z, z + 2 * bn, bn));
        gfmul_operand_destroy(op);
    }
    free(m);
}

/* The classical rule cannot be kept at this size in double. */
static void test_no_plan(void)
{
    struct gfmul_ctx *ctx;
    struct gfmul_operand *op;
    mp_limb_t *b = test_alloc(20000 * sizeof *b), z[40], want[40];
    operand_fill(b, 20000, OPERAND_TOP_BIT, 13, test_u64());
    ctx = TEST_CTX(.rule = GFMUL_RULE_KNUTH, .precision = GFMUL_PRECISION_DOUBLE);
    TEST_CHECK(gfmul_operand_create(ctx, &op, b, 20000, 20000) == GFMUL_ERR_PRECISION && op == NULL);
    TEST_OK(gfmul_operand_create(ctx, &op, b, 20, 20));
    TEST_OK(gfmul_operand_mul(op, z, b + 20, 20));
    ref_mul_gmp(want, b + 20, 20, b, 20);
    test_equal_limbs(z, want, 40);
    gfmul_operand_destroy(op);
    gfmul_ctx_destroy(ctx);
    free(b);
}

/* Under a limit the spectrum counts: where the operand can be made, its products can. */
static void test_memory_limit(void)
{
    enum { N = 3000 };
    mp_limb_t *b = test_alloc(N * sizeof *b), *z = test_alloc(2 * N * sizeof *z);
    struct gfmul_options opt;
    unsigned refused = 0, made = 0;
    operand_fill(b, N, OPERAND_DIGITS_MAX, 13, test_u64());
    gfmul_options_init(&opt);
    opt.engine = GFMUL_ENGINE_CPU;
    opt.threads = 1;
    for (size_t limit = 1000; limit < (size_t)1 << 23; limit += limit / 5) {
        struct gfmul_ctx *ctx;
        struct gfmul_operand *op;
        struct gfmul_report report;
        opt.memory_limit = limit;
        test_note("limit %zu", limit);
        ctx = test_ctx(&opt);
        enum gfmul_status status = gfmul_operand_create(ctx, &op, b, N, N);
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK(report.status == status && (status == GFMUL_OK || (status == GFMUL_ERR_MEMORY && !op && report.detail[0])));
        refused += status != GFMUL_OK;
        made += status == GFMUL_OK;
        if (status == GFMUL_OK) {
            TEST_CHECK(N * sizeof *b + report.plan.memory_bytes <= limit);
            operand_check(op, ctx, b, N, b, N);
            gfmul_ctx_report(ctx, &report);
            TEST_CHECK(report.n_fallbacks == 0);
        }
        gfmul_operand_destroy(op);
        gfmul_ctx_destroy(ctx);
    }
    TEST_CHECK(refused > 10 && made > 3);
    free(z);
    free(b);
}

/* The least limit that an operand is made under, to the byte: its limbs and what a product takes. */
static void test_least_limit(void)
{
    enum { N = 3000 };
    mp_limb_t *b = test_alloc(N * sizeof *b);
    size_t low = 0, high = (size_t)1 << 24, needed = 0;
    operand_fill(b, N, OPERAND_TOP_BIT, 13, test_u64());
    while (high - low > 1) {
        const size_t limit = low + (high - low) / 2;
        struct gfmul_ctx *ctx = ctx_limited(limit, GFMUL_VERIFY_NONE);
        struct gfmul_operand *op;
        struct gfmul_report report;
        const enum gfmul_status status = gfmul_operand_create(ctx, &op, b, N, N);
        gfmul_ctx_report(ctx, &report);
        if (status == GFMUL_OK)
            needed = N * sizeof *b + report.plan.memory_bytes;
        *(status == GFMUL_OK ? &high : &low) = limit;
        gfmul_operand_destroy(op);
        gfmul_ctx_destroy(ctx);
    }
    TEST_CHECK_MSG(needed > 0 && needed <= high, "%zu bytes are needed, %zu were enough", needed, high);
    free(b);
}

/* What an operand holds counts in its products: those by GMP, which check them, are refused where all does not fit together. */
static void test_products_under_limit(void)
{
    enum { BN = 1000, MOST = 60000 };
    const size_t limit = (size_t)300000;
    struct gfmul_ctx *ctx = ctx_limited(limit, GFMUL_VERIFY_GMP);
    struct gfmul_operand *op;
    struct gfmul_report report;
    mp_limb_t *a = test_alloc(MOST * sizeof *a), *z = test_alloc((MOST + BN) * sizeof *z);
    size_t low = BN, high = MOST;
    operand_fill(a, MOST, OPERAND_TOP_BIT, 13, test_u64());
    TEST_OK(gfmul_operand_create(ctx, &op, a, BN, BN));
    gfmul_ctx_report(ctx, &report);
    const size_t points = 2 * sizeof(double) * report.plan.n_points;
    TEST_OK(gfmul_operand_mul(op, z, a, low));
    TEST_CHECK(gfmul_operand_mul(op, z, a, high) == GFMUL_ERR_MEMORY);
    while (high - low > 1) {
        const size_t an = low + (high - low) / 2;
        *(gfmul_operand_mul(op, z, a, an) == GFMUL_OK ? &low : &high) = an;
    }
    /* the operand's limbs and spectrum; the other product */
    TEST_CHECK_MSG(BN * sizeof *a + points + (low + BN) * sizeof *a <= limit, "%zu limbs by %u of %zu points, limit %zu", low, BN,
                   report.plan.n_points, limit);
    gfmul_operand_destroy(op);
    gfmul_ctx_destroy(ctx);
    free(z);
    free(a);
}

/* Without a spectrum, too: under the least limit of the plain product there is no room for the operand's copy beside it. */
static void test_plain_under_limit(void)
{
    enum { AN = 1602, BN = 26882, BYTES = BN * sizeof(mp_limb_t) };
    mp_limb_t *a = test_alloc(AN * sizeof *a), *b = test_alloc(BYTES), *z = test_alloc((AN + BN) * sizeof *z);
    operand_fill(a, AN, OPERAND_TOP_BIT, 13, test_u64());
    operand_fill(b, BN, OPERAND_TOP_BIT, 13, test_u64());
    for (unsigned i = 0; i < 2; i++) {
        struct gfmul_options opt;
        size_t low = 0, high = (size_t)1 << 24;
        gfmul_options_init(&opt);
        opt.engine = GFMUL_ENGINE_CPU;
        opt.threads = 1;
        opt.rule = i == 0 ? GFMUL_RULE_KNUTH : GFMUL_RULE_NORM;
        opt.packing = i == 0 ? GFMUL_PACKING_AUTO : GFMUL_PACKING_TWO_FOR_ONE;
        while (high - low > 1) {
            struct gfmul_ctx *ctx;
            struct gfmul_plan_info info;
            opt.memory_limit = low + (high - low) / 2;
            ctx = test_ctx(&opt);
            *(gfmul_plan_limbs(ctx, &info, AN, BN) == GFMUL_OK ? &high : &low) = opt.memory_limit;
            gfmul_ctx_destroy(ctx);
        }
        for (unsigned room = 0; room < 2; room++) {
            struct gfmul_ctx *ctx;
            struct gfmul_operand *op;
            opt.memory_limit = high + BYTES - 1 + room;
            test_note("rule %d, packing %d, limit %zu, the product takes %zu", (int)opt.rule, (int)opt.packing, opt.memory_limit,
                      high);
            ctx = test_ctx(&opt);
            if (TEST_OK(gfmul_operand_create(ctx, &op, b, BN, AN)))
                TEST_CHECK(gfmul_operand_mul(op, z, a, AN) == (room ? GFMUL_OK : GFMUL_ERR_MEMORY));
            gfmul_operand_destroy(op);
            gfmul_ctx_destroy(ctx);
        }
    }
    free(z);
    free(b);
    free(a);
}

/* Every allocation fails in turn, with all that follow; the operand goes on working. */
static void test_memory_runs_out(void)
{
    enum { N = 700 };
    mp_limb_t *b = test_alloc(N * sizeof *b), *z = test_alloc(4 * N * sizeof *z), *want = test_alloc(4 * N * sizeof *want);
    mp_limb_t *a = test_alloc(3 * N * sizeof *a);
    enum gfmul_status status = GFMUL_ERR_MEMORY;
    unsigned created = 0, failed = 0;
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    const unsigned l = product_digit_bits(&c, N, N);
    product_ctx_destroy(&c);
    operand_fill(a, 3 * N, OPERAND_DIGITS_MAX, l, test_u64()); /* with a fall-back, where norms are measured */
    operand_fill(b, N, OPERAND_DIGITS_MAX, l, test_u64());
    ref_mul_gmp(want, a, 3 * N, b, N);
    for (long n = 1; status != GFMUL_OK && n < 1000; n++) {
        struct gfmul_operand *op;
        c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
        test_note("allocation %ld fails", n);
        alloc_fail_after(n);
        status = gfmul_operand_create(c.ctx, &op, b, N, N);
        TEST_CHECK(status == (op ? GFMUL_OK : GFMUL_ERR_MEMORY));
        if (op)
            status = gfmul_operand_mul(op, z, a, 3 * N);
        alloc_fail_after(-1);
        TEST_CHECK_MSG(status == GFMUL_OK || status == GFMUL_ERR_MEMORY, "status %d", (int)status);
        failed += !op;
        if (op) {
            created++;
            TEST_OK(gfmul_operand_mul(op, z, a, 3 * N));
            test_equal_limbs(z, want, 4 * N);
        }
        gfmul_operand_destroy(op);
        product_ctx_destroy(&c);
    }
    TEST_CHECK_MSG(status == GFMUL_OK && failed > 3 && created > 2, "%u not made, %u made", failed, created);
    free(a);
    free(want);
    free(z);
    free(b);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_engines);
    TEST_RUN(test_random);
    TEST_RUN(test_columns);
    TEST_RUN(test_which_plan);
    TEST_RUN(test_kept_crossover);
    TEST_RUN(test_fallback);
    TEST_RUN(test_threads);
    TEST_RUN(test_mpz);
    TEST_RUN(test_bad_arguments);
    TEST_RUN(test_no_plan);
    TEST_RUN(test_memory_limit);
    TEST_RUN(test_least_limit);
    TEST_RUN(test_products_under_limit);
    TEST_RUN(test_plain_under_limit);
    TEST_RUN(test_memory_runs_out);
    return test_end();
}
