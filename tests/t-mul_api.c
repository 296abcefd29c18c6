/*
 * t-mul_api.c - the public functions: signs, aliasing, zero, short and strange arguments, texts, statuses.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "base/clock.h"
#include "contexts.h"
#include "gfmul.h"
#include "gfmul_private.h"
#include "operands.h"
#include "reference.h"
#include "test.h"

static struct gfmul_ctx *ctx_with(enum gfmul_engine engine, enum gfmul_verify verify)
{
    return TEST_CTX(.engine = engine, .verify = verify, .threads = engine == GFMUL_ENGINE_AUTO ? 2 : 1);
}

/* Runs a property with every engine of this build, and with the default context. */
static void each_engine(void (*run)(struct gfmul_ctx *ctx, const char *name))
{
    static const char *const names[] = {"auto", "cpu", "opencl", "fftw", "gmp"};
    run(NULL, "default context");
    for (int e = GFMUL_ENGINE_AUTO; e <= GFMUL_ENGINE_GMP; e++) {
        if (!test_engine((enum gfmul_engine)e))
            continue;
        struct gfmul_ctx *ctx = ctx_with((enum gfmul_engine)e, e % 2 ? GFMUL_VERIFY_MOD : GFMUL_VERIFY_GMP);
        run(ctx, names[e]);
        gfmul_ctx_destroy(ctx);
    }
}

/* Limb counts from nothing to well beyond the crossover. */
static const size_t counts[] = {0, 1, 2, 3, 7, 8, 17, 64, 399, 400, 401, 1000, 3001};
enum { COUNTS = sizeof counts / sizeof counts[0], MOST = 3001 };

static void limbs_of_all_sizes(struct gfmul_ctx *ctx, const char *name)
{
    mp_limb_t *a = test_alloc(MOST * sizeof *a), *b = test_alloc(MOST * sizeof *b);
    mp_limb_t *z = test_alloc((2 * MOST + 1) * sizeof *z), *want = test_alloc(2 * MOST * sizeof *want);
    for (size_t i = 0; i < COUNTS; i++) {
        for (size_t j = 0; j < COUNTS; j++) {
            size_t an = counts[i], bn = counts[j];
            operand_fill(a, an, (enum operand_kind)test_below(OPERAND_KINDS), 13, test_u64());
            operand_fill(b, bn, (enum operand_kind)test_below(OPERAND_KINDS), 13, test_u64());
            const mp_limb_t sentinel = test_u64();
            memset(z, 0x77, (an + bn) * sizeof *z);
            z[an + bn] = sentinel;
            ref_mul_gmp(want, a, an, b, bn);
            test_note("%s, an=%zu bn=%zu", name, an, bn);
            TEST_OK(gfmul_mul(ctx, z, a, an, b, bn));
            test_equal_limbs(z, want, an + bn);
            TEST_CHECK(z[an + bn] == sentinel);
            memset(z, 0x77, (an + bn) * sizeof *z);
            TEST_OK(gfmul_mul_inline(ctx, z, a, an, b, bn));
            test_equal_limbs(z, want, an + bn);
            TEST_CHECK(z[an + bn] == sentinel);
        }
        size_t an = counts[i];
        operand_fill(a, an, OPERAND_RANDOM, 13, test_u64());
        ref_mul_gmp(want, a, an, a, an);
        test_note("%s, square an=%zu", name, an);
        TEST_OK(gfmul_sqr(ctx, z, a, an));
        test_equal_limbs(z, want, 2 * an);
        memset(z, 0x77, 2 * an * sizeof *z);
        TEST_OK(gfmul_mul(ctx, z, a, an, a, an));
        test_equal_limbs(z, want, 2 * an);
        for (size_t bn = 1; bn < an; bn = 3 * bn + 1) { /* overlapping operands that are no square */
            ref_mul_gmp(want, a, an, a + an - bn, bn);
            TEST_OK(gfmul_mul(ctx, z, a, an, a + an - bn, bn));
            test_equal_limbs(z, want, an + bn);
        }
    }
    free(want);
    free(z);
    free(b);
    free(a);
}

static void test_limbs(void)
{
    each_engine(limbs_of_all_sizes);
}

/* High limbs that are zero, up to operands that are zero altogether. */
static void zeros(struct gfmul_ctx *ctx, const char *name)
{
    enum { N = 900 };
    mp_limb_t *a = test_alloc(N * sizeof *a), *b = test_alloc(N * sizeof *b), *z = test_alloc(2 * N * sizeof *z),
              *want = test_alloc(2 * N * sizeof *want);
    for (size_t used = 0; used <= N; used = used < 4 ? used + 1 : used * 2) {
        for (int square = 0; square < 2; square++) {
            memset(a, 0, N * sizeof *a);
            operand_fill(a, used, OPERAND_TOP_BIT, 13, test_u64());
            operand_fill(b, N, OPERAND_ONES, 13, test_u64());
            const mp_limb_t *other = square ? a : b;
            ref_mul_gmp(want, a, N, other, N);
            memset(z, 0x77, 2 * N * sizeof *z);
            test_note("%s, %zu limbs of %d are not zero%s", name, used, N, square ? ", square" : "");
            TEST_OK(gfmul_mul(ctx, z, a, N, other, N));
            test_equal_limbs(z, want, 2 * N);
            TEST_OK(gfmul_mul(ctx, z, other, N, a, N));
            test_equal_limbs(z, want, 2 * N);
        }
    }
    free(want);
    free(z);
    free(b);
    free(a);
}

/* Every pair of sizes from 0 to 6 with the extremes of each limb: what is multiplied in line, and its neighbours. */
static void smallest(struct gfmul_ctx *ctx, const char *name)
{
    enum { MOST_SMALL = 6, ROUNDS = 200 };
    static const mp_limb_t extremes[] = {0, 1, 2, ~(mp_limb_t)0, ~(mp_limb_t)1, (mp_limb_t)1 << 63, ((mp_limb_t)1 << 63) - 1};
    mpz_t x, y, w, product;
    mpz_inits(x, y, w, NULL);
    mpz_init2(product, 64 * 2 * MOST_SMALL);
    for (size_t an = 0; an <= MOST_SMALL; an++) {
        for (size_t bn = 0; bn <= MOST_SMALL; bn++) {
            for (unsigned i = 0; i < ROUNDS; i++) {
                mp_limb_t a[MOST_SMALL], b[MOST_SMALL], z[2 * MOST_SMALL + 1], want[2 * MOST_SMALL];
                for (size_t k = 0; k < MOST_SMALL; k++) { /* all ones first, then extremes, then random limbs among them */
                    a[k] = i == 0 ? ~(mp_limb_t)0 : i < 100 || test_below(2) ? extremes[test_below(7)] : test_u64();
                    b[k] = i == 0 ? ~(mp_limb_t)0 : i < 100 || test_below(2) ? extremes[test_below(7)] : test_u64();
                }
                memset(z, 0x77, sizeof z);
                ref_mul(want, a, an, b, bn);
                test_note("%s, an=%zu bn=%zu, round %u", name, an, bn, i);
                TEST_OK(gfmul_mul(ctx, z, a, an, b, bn));
                test_equal_limbs(z, want, an + bn);
                TEST_CHECK(z[an + bn] == UINT64_C(0x7777777777777777));
                mpz_import(x, an, -1, sizeof *a, 0, 0, a);
                mpz_import(y, bn, -1, sizeof *b, 0, 0, b);
                mpz_import(w, an + bn, -1, sizeof *want, 0, 0, want);
                if (i & 1)
                    mpz_neg(x, x);
                if (i & 2)
                    mpz_neg(y, y);
                if ((i ^ i >> 1) & 1)
                    mpz_neg(w, w);
                TEST_OK(gfmul_mpz_mul(ctx, product, x, y));
                TEST_CHECK(mpz_cmp(product, w) == 0 && mpz_size(product) == mpz_size(w));
                TEST_OK(i & 4 ? gfmul_mpz_mul(ctx, x, x, y) : gfmul_mpz_mul(ctx, y, x, y));
                TEST_CHECK(mpz_cmp(i & 4 ? x : y, w) == 0);
                ref_mul(want, a, an, a, an);
                TEST_OK(gfmul_sqr(ctx, z, a, an));
                test_equal_limbs(z, want, 2 * an);
            }
        }
    }
    mpz_clears(x, y, w, product, NULL);
}

static void test_smallest(void)
{
    each_engine(smallest);
}

static void test_zeros(void)
{
    each_engine(zeros);
}

static void test_bad_limbs(void)
{
    mp_limb_t m[3000] = {1, 2, 3};
    struct gfmul_ctx *ctx = ctx_with(GFMUL_ENGINE_AUTO, GFMUL_VERIFY_MOD);
    TEST_OK(gfmul_mul(ctx, NULL, NULL, 0, NULL, 0));
    TEST_OK(gfmul_sqr(ctx, NULL, NULL, 0));
    m[10] = m[11] = 7;
    TEST_OK(gfmul_mul(ctx, m + 10, NULL, 0, m, 2));
    TEST_CHECK(m[10] == 0 && m[11] == 0);
    TEST_CHECK(gfmul_mul(ctx, NULL, m, 1, m, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_mul(ctx, m + 10, NULL, 1, m, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_mul(ctx, m + 10, m, 1, NULL, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_sqr(ctx, m, NULL, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_sqr(ctx, NULL, m, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_mul(ctx, m, m + 100, SIZE_MAX, m + 200, 2) == GFMUL_ERR_SIZE);
    TEST_CHECK(gfmul_mul(ctx, m, m + 100, SIZE_MAX / 16, m + 200, SIZE_MAX / 16) == GFMUL_ERR_SIZE);
    TEST_CHECK(gfmul_sqr(ctx, m, m + 100, SIZE_MAX / 2) == GFMUL_ERR_SIZE);

    /* z at [1000, 1000 + an + bn): every way to touch it, and the two nearest that do not */
    static const size_t sizes[][2] = {{1, 1}, {5, 3}, {3, 5}, {450, 420}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t an = sizes[i][0], bn = sizes[i][1], zn = an + bn;
        mp_limb_t *z = m + 1000, b[450];
        for (size_t j = 0; j < 450; j++)
            b[j] = 1;
        test_note("an=%zu bn=%zu", an, bn);
        for (size_t at = 1000 - an; at <= 1000 + zn; at++) {
            bool apart = at + an <= 1000 || at >= 1000 + zn;
            enum gfmul_status status = gfmul_mul(ctx, z, m + at, an, b, bn);
            TEST_CHECK_MSG(status == (apart ? GFMUL_OK : GFMUL_ERR_OVERLAP), "a at %zu: status %d", at, (int)status);
            status = gfmul_mul(ctx, z, b, bn, m + at, an);
            TEST_CHECK_MSG(status == (apart ? GFMUL_OK : GFMUL_ERR_OVERLAP), "b at %zu: status %d", at, (int)status);
        }
        TEST_CHECK(gfmul_sqr(ctx, z, z + 2 * an - 1, an) == GFMUL_ERR_OVERLAP);
        TEST_OK(gfmul_sqr(ctx, z, z + 2 * an, an));
    }
    gfmul_ctx_destroy(ctx);
}

static void mpz_fill(mpz_t z, size_t limbs)
{
    mp_limb_t *a = test_alloc(limbs * sizeof *a);
    operand_fill(a, limbs, OPERAND_RANDOM, 13, test_u64());
    mpz_import(z, limbs, -1, sizeof *a, 0, 0, a);
    free(a);
}

/* Any signs, any aliasing; the operands that are not z keep their values. */
static void mpz_signs_and_aliases(struct gfmul_ctx *ctx, const char *name)
{
    enum aliasing { Z_APART, Z_IS_A, Z_IS_B, A_IS_B, ALL_ONE, ALIASINGS };
    static const size_t sizes[] = {0, 1, 2, 17, 401, 1000};
    mpz_t v[3], want, keep_a, keep_b;
    mpz_inits(v[0], v[1], v[2], want, keep_a, keep_b, NULL);
    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < 6; j++) {
            for (int aliasing = 0; aliasing < ALIASINGS; aliasing++) {
                for (int signs = 0; signs < 4; signs++) {
                    mpz_ptr a = v[0], b = aliasing == A_IS_B || aliasing == ALL_ONE ? v[0] : v[1];
                    mpz_ptr z = aliasing == Z_IS_A || aliasing == ALL_ONE ? a : aliasing == Z_IS_B ? b : v[2];
                    mpz_fill(v[0], sizes[i]);
                    mpz_fill(v[1], sizes[j]);
                    mpz_fill(v[2], 5);
                    if (signs & 1)
                        mpz_neg(v[0], v[0]);
                    if (signs & 2)
                        mpz_neg(v[1], v[1]);
                    mpz_set(keep_a, a);
                    mpz_set(keep_b, b);
                    mpz_mul(want, a, b);
                    test_note("%s, %zu and %zu limbs, aliasing %d, signs %d", name, sizes[i], sizes[j], aliasing, signs);
                    TEST_OK(gfmul_mpz_mul(ctx, z, a, b));
                    TEST_CHECK(mpz_cmp(z, want) == 0);
                    TEST_CHECK(z == a || mpz_cmp(a, keep_a) == 0);
                    TEST_CHECK(z == b || mpz_cmp(b, keep_b) == 0);
                }
            }
        }
    }
    mpz_clears(v[0], v[1], v[2], want, keep_a, keep_b, NULL);
}

static void test_mpz(void)
{
    each_engine(mpz_signs_and_aliases);
}

static void test_bad_mpz(void)
{
    mpz_t a, z;
    mpz_init_set_ui(a, 3);
    mpz_init(z);
    TEST_CHECK(gfmul_mpz_mul(NULL, NULL, a, a) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_mpz_mul(NULL, z, NULL, a) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_mpz_mul(NULL, z, a, NULL) == GFMUL_ERR_ARGUMENT);
    mpz_clear(a);
    mpz_clear(z);
}

/* The times of a report are parts of the whole, of which none is counted twice. */
static void check_times(struct gfmul_ctx *ctx, uint64_t start, bool text)
{
    const uint64_t end = clock_ns();
    struct gfmul_report r;
    gfmul_ctx_report(ctx, &r);
    const uint64_t *const parts[] = {&r.plan_ns, &r.transform_ns, &r.carry_ns, &r.verify_ns, &r.parse_ns, &r.print_ns};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        TEST_CHECK_MSG(*parts[i] <= r.total_ns, "part %zu: %" PRIu64 " ns of %" PRIu64, i, *parts[i], r.total_ns);
        sum += *parts[i];
    }
    TEST_CHECK_MSG(sum <= r.total_ns && r.total_ns <= end - start, "%" PRIu64 " ns, of them %" PRIu64 "; seen from here %" PRIu64,
                   r.total_ns, sum, end - start);
    TEST_CHECK(r.status == GFMUL_OK && r.plan_ns > 0 && r.transform_ns > 0 && r.carry_ns > 0 && r.verify_ns > 0);
    TEST_CHECK((r.parse_ns > 0) == text);
}

static void test_times(void)
{
    enum { N = 20000, DIGITS = 200000 };
    static const enum gfmul_engine engines[] = {GFMUL_ENGINE_CPU, GFMUL_ENGINE_FFTW};
    mp_limb_t *a = test_alloc(N * sizeof *a), *b = test_alloc(N * sizeof *b), *z = test_alloc(2 * N * sizeof *z);
    char *text = test_alloc(DIGITS), *product = test_alloc(2 * DIGITS + 1);
    operand_fill(a, N, OPERAND_RANDOM, 13, test_u64());
    operand_fill(b, N, OPERAND_RANDOM, 13, test_u64());
    memset(text, '7', DIGITS);
    for (unsigned k = 0; k < 2 * sizeof engines / sizeof *engines; k++) {
        struct gfmul_options opt;
        struct gfmul_ctx *ctx;
        struct gfmul_operand *op;
        size_t len;
        gfmul_options_init(&opt);
        opt.engine = engines[k / 2];
        opt.verify = k % 2 ? GFMUL_VERIFY_GMP : GFMUL_VERIFY_MOD;
        if (!test_engine(opt.engine))
            continue;
        test_note("engine %d, verify %d", (int)opt.engine, (int)opt.verify);
        ctx = test_ctx(&opt);
        uint64_t start = clock_ns();
        TEST_OK(gfmul_mul(ctx, z, a, N, b, N));
        check_times(ctx, start, false);
        start = clock_ns();
        TEST_OK(gfmul_sqr(ctx, z, a, N));
        check_times(ctx, start, false);
        start = clock_ns();
        TEST_OK(gfmul_str_mul(ctx, product, 2 * DIGITS + 1, &len, 10, text, DIGITS, 10, text + 1, DIGITS - 1, 10));
        check_times(ctx, start, true);
        TEST_OK(gfmul_operand_create(ctx, &op, b, N, N));
        start = clock_ns();
        TEST_OK(gfmul_operand_mul(op, z, a, N));
        if (opt.engine == GFMUL_ENGINE_FFTW) /* a plain product; the other one has its plan already */
            check_times(ctx, start, false);
        gfmul_operand_destroy(op);
        gfmul_ctx_destroy(ctx);
    }
    free(product);
    free(text);
    free(z);
    free(b);
    free(a);
}

/* A failure leaves z as it was: the classical rule cannot be kept at this size in double. */
static void test_failure_keeps_z(void)
{
    struct gfmul_ctx *ctx;
    struct gfmul_report report;
    mpz_t a, z;
    ctx = TEST_CTX(.rule = GFMUL_RULE_KNUTH, .precision = GFMUL_PRECISION_DOUBLE);
    mpz_init_set_ui(z, 12345);
    mpz_init(a);
    mpz_fill(a, 20000);
    TEST_CHECK(gfmul_mpz_mul(ctx, z, a, a) == GFMUL_ERR_PRECISION);
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(report.status == GFMUL_ERR_PRECISION && report.detail[0] != '\0');
    TEST_CHECK(mpz_cmp_ui(z, 12345) == 0);
    TEST_CHECK(gfmul_mpz_mul(ctx, a, a, a) == GFMUL_ERR_PRECISION);
    mpz_fill(a, 20); /* the rule holds here */
    mpz_mul(z, a, a);
    TEST_OK(gfmul_mpz_mul(ctx, a, a, a));
    TEST_CHECK(mpz_cmp(a, z) == 0);
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(strcmp(report.plan.engine, "cpu") == 0 && report.plan.knuth);
    mpz_clears(a, z, NULL);
    gfmul_ctx_destroy(ctx);
}

struct text_case {
    const char *a, *b;
    int a_base, b_base, z_base;
    const char *z; /* NULL: an error */
    enum gfmul_status status;
    int operand;
    size_t offset, line, column;
};

static const struct text_case text_cases[] = {
    {"12", "34", 10, 10, 10, "408", 0, 0, 0, 0, 0},
    {"0", "34", 0, 0, 0, "0", 0, 0, 0, 0, 0},
    {"-0", "34", 0, 0, 0, "0", 0, 0, 0, 0, 0},
    {"-0", "-0", 0, 0, 0, "0", 0, 0, 0, 0, 0},
    {"000", "-34", 10, 10, 10, "0", 0, 0, 0, 0, 0},
    {"-12", "34", 0, 0, 0, "-408", 0, 0, 0, 0, 0},
    {"12", "-34", 0, 0, 0, "-408", 0, 0, 0, 0, 0},
    {"-12", "-34", 0, 0, 0, "408", 0, 0, 0, 0, 0},
    {"+12", "-34", 0, 0, 0, "-408", 0, 0, 0, 0, 0},
    {" 1\n2\r\n", "3_4\n", 10, 10, 0, "408", 0, 0, 0, 0, 0},
    {"0x10", "0b11", 0, 0, 0, "30", 0, 0, 0, 0, 0},
    {"0x10", "0b11", 0, 0, 10, "48", 0, 0, 0, 0, 0},
    {"10", "0x10", 0, 0, 0, "160", 0, 0, 0, 0, 0},
    {"0o17", "1", 0, 0, 0, "17", 0, 0, 0, 0, 0},
    {"-zZ", "z", 36, 36, 36, "-yz1", 0, 0, 0, 0, 0},
    {"FF", "ff", 16, 16, 16, "fe01", 0, 0, 0, 0, 0},
    {"FF", "11", 16, 2, 3, "1001100", 0, 0, 0, 0, 0},
    {"-00012", "+034", 10, 10, 10, "-408", 0, 0, 0, 0, 0},
    {"0000000000000000000000000000000000000000000000000000000012", "0", 10, 10, 10, "0", 0, 0, 0, 0, 0},
    {"", "34", 10, 10, 10, NULL, GFMUL_ERR_EMPTY, 0, 0, 1, 1},
    {"12", "-\n", 10, 10, 10, NULL, GFMUL_ERR_EMPTY, 1, SIZE_MAX, 0, 0},
    {"1\n2x", "34", 10, 10, 10, NULL, GFMUL_ERR_SYNTAX, 0, 3, 2, 2},
    {"12", "3\n\n 4;5", 10, 10, 10, NULL, GFMUL_ERR_SYNTAX, 1, 5, 3, 3},
    {"12", "129", 10, 8, 10, NULL, GFMUL_ERR_SYNTAX, 1, 2, 1, 3},
    {"1", "1", 1, 10, 10, NULL, GFMUL_ERR_ARGUMENT, -1, 0, 0, 0},
    {"1", "1", 10, 37, 10, NULL, GFMUL_ERR_ARGUMENT, -1, 0, 0, 0},
    {"1", "1", 10, 10, -2, NULL, GFMUL_ERR_ARGUMENT, -1, 0, 0, 0},
};

static void short_texts(struct gfmul_ctx *ctx, const char *name)
{
    for (size_t i = 0; i < sizeof text_cases / sizeof text_cases[0]; i++) {
        const struct text_case *c = &text_cases[i];
        struct gfmul_report report;
        char z[64];
        size_t len = 777, size = gfmul_str_mul_size(strlen(c->a), c->a_base, strlen(c->b), c->b_base, c->z_base);
        memset(z, '#', sizeof z);
        test_note("%s, case %zu: \"%s\" * \"%s\"", name, i, c->a, c->b);
        enum gfmul_status status =
            gfmul_str_mul(ctx, z, sizeof z, &len, c->z_base, c->a, strlen(c->a), c->a_base, c->b, strlen(c->b), c->b_base);
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK_MSG(status == c->status && report.status == status, "status %d: %s", (int)status, report.detail);
        if (c->z) {
            TEST_CHECK_MSG(len == strlen(c->z) && strcmp(z, c->z) == 0, "\"%.60s\", should be \"%s\"", z, c->z);
            TEST_CHECK_MSG(len < size && size <= sizeof z, "size %zu", size);
            for (size_t room = 0; room < size; room++) { /* no room, exactly enough, more */
                memset(z, '#', sizeof z);
                status =
                    gfmul_str_mul(ctx, z, room, NULL, c->z_base, c->a, strlen(c->a), c->a_base, c->b, strlen(c->b), c->b_base);
                TEST_CHECK_MSG(status == (room > len ? GFMUL_OK : GFMUL_ERR_ARGUMENT), "%zu bytes: status %d", room, (int)status);
                TEST_CHECK(z[room] == '#' && (room <= len || strcmp(z, c->z) == 0));
            }
        } else if (c->operand >= 0) {
            TEST_CHECK_MSG(report.error_operand == c->operand, "operand %d", report.error_operand);
            if (c->offset != SIZE_MAX)
                TEST_CHECK_MSG(report.error_offset == c->offset && report.error_line == c->line &&
                                   report.error_column == c->column,
                               "offset %zu line %zu column %zu", report.error_offset, report.error_line, report.error_column);
            const size_t reason = strlen(report.error_reason), detail = strlen(report.detail);
            TEST_CHECK(strncmp(report.detail, c->operand ? "operand 2: line" : "operand 1: line", 15) == 0);
            TEST_CHECK_MSG(reason > 0 && reason < detail && strcmp(report.detail + detail - reason, report.error_reason) == 0,
                           "reason \"%s\" of \"%s\"", report.error_reason, report.detail);
            TEST_CHECK_MSG(strstr(report.error_reason, "operand") == NULL && strstr(report.error_reason, "column") == NULL,
                           "reason \"%s\"", report.error_reason);
        } else {
            TEST_CHECK(report.error_operand == -1 && report.error_reason[0] == '\0' && size == 0);
        }
    }
}

/* In each base the largest digit is one, and the character behind it is not. */
static void digits_of_bases(struct gfmul_ctx *ctx, const char *name)
{
    for (int base = 2; base <= 36; base++) {
        const char last = base <= 10 ? (char)('0' + base - 1) : (char)('a' + base - 11);
        const char next = base == 10 ? 'a' : base == 36 ? '{' : (char)(last + 1);
        const char good[2] = {'1', last}, bad[2] = {'1', next};
        char z[16];
        struct gfmul_report report;
        test_note("%s, base %d", name, base);
        TEST_OK(gfmul_str_mul(ctx, z, sizeof z, NULL, 10, good, 2, base, "1", 1, 10));
        TEST_CHECK_MSG(atoi(z) == 2 * base - 1, "\"%s\"", z);
        TEST_CHECK(gfmul_str_mul(ctx, z, sizeof z, NULL, 10, bad, 2, base, "1", 1, 10) == GFMUL_ERR_SYNTAX);
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK(report.error_operand == 0 && report.error_offset == 1);
    }
}

static void test_short_texts(void)
{
    each_engine(short_texts);
    each_engine(digits_of_bases);
}

/* Longer texts in every base and in pairs of bases, in a buffer of exactly the size that is asked for. */
static void long_texts(struct gfmul_ctx *ctx, const char *name)
{
    static const size_t digits[] = {1, 30, 1999, 2000, 2001, 5000};
    for (int base = 2; base <= 36; base++) {
        size_t an = digits[test_below(6)], bn = digits[test_below(6)];
        int z_base = test_below(2) ? base : (int)test_between(2, 36), b_base = test_below(3) ? base : (int)test_between(2, 36);
        char *a = test_alloc(an + 1), *b = test_alloc(bn + 1);
        text_fill(a, an, (enum text_kind)test_below(TEXT_KINDS), (unsigned)base, 5, test_u64());
        text_fill(b, bn, (enum text_kind)test_below(TEXT_KINDS), (unsigned)b_base, 5, test_u64());
        a[an] = b[bn] = '\0';
        size_t size = gfmul_str_mul_size(an, base, bn, b_base, z_base), len = 0;
        char *z = test_alloc(size);
        mpz_t x, y;
        mpz_init_set_str(x, a, base);
        mpz_init_set_str(y, b, b_base);
        mpz_mul(x, x, y);
        char *want = mpz_get_str(NULL, z_base, x);
        test_note("%s, bases %d %d %d, %zu and %zu digits", name, base, b_base, z_base, an, bn);
        TEST_OK(gfmul_str_mul(ctx, z, size, &len, z_base, a, an, base, b, bn, b_base));
        if (TEST_CHECK_MSG(len == strlen(want), "length %zu, should be %zu", len, strlen(want)))
            test_equal_text(z, want, len + 1);
        TEST_CHECK(size >= len + 1 && size <= len + 16);
        free(want);
        /* a square of the same text, in room for exactly the product */
        mpz_set_str(x, a, base);
        mpz_mul(x, x, x);
        want = mpz_get_str(NULL, base, x);
        size = strlen(want) + 1;
        char *tight = test_alloc(size);
        TEST_OK(gfmul_str_mul(ctx, tight, size, &len, 0, a, an, base, a, an, base));
        TEST_CHECK(len + 1 == size);
        test_equal_text(tight, want, size);
        TEST_CHECK(gfmul_str_mul(ctx, tight, size - 1, &len, 0, a, an, base, a, an, base) == GFMUL_ERR_ARGUMENT);
        free(tight);
        free(want);
        mpz_clears(x, y, NULL);
        free(z);
        free(b);
        free(a);
    }
}

static void test_long_texts(void)
{
    each_engine(long_texts);
}

static void test_bad_texts(void)
{
    char m[64] = "123456789";
    TEST_CHECK(gfmul_str_mul(NULL, NULL, 9, NULL, 10, m, 1, 10, m, 1, 10) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_str_mul(NULL, m, 9, NULL, 10, NULL, 1, 10, m + 32, 1, 10) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_str_mul(NULL, m, 9, NULL, 10, m + 32, 1, 10, NULL, 1, 10) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_str_mul(NULL, m, 9, NULL, 10, NULL, 0, 10, m + 32, 1, 10) == GFMUL_ERR_EMPTY);
    TEST_CHECK(gfmul_str_mul(NULL, m + 3, 9, NULL, 10, m, 4, 10, m + 32, 1, 10) == GFMUL_ERR_OVERLAP);
    TEST_CHECK(gfmul_str_mul(NULL, m + 3, 9, NULL, 10, m + 32, 1, 10, m + 11, 4, 10) == GFMUL_ERR_OVERLAP);
    TEST_OK(gfmul_str_mul(NULL, m + 16, 9, NULL, 10, m, 4, 10, m, 3, 10));
    TEST_CHECK(strcmp(m + 16, "151782") == 0);
    TEST_CHECK(gfmul_str_mul_size(SIZE_MAX, 10, 1, 10, 10) == 0);
    TEST_CHECK(gfmul_str_mul_size(SIZE_MAX / 2, 36, SIZE_MAX / 2, 36, 2) == 0);
    TEST_CHECK(gfmul_str_mul_size(1, 37, 1, 10, 10) == 0 && gfmul_str_mul_size(1, 10, 1, -1, 10) == 0);
    TEST_CHECK(gfmul_str_mul_size(0, 10, 0, 10, 10) == 3);
    const size_t n = SIZE_MAX >> 14; /* where a factor that is rounded down costs digits */
    for (int a = 2; a <= 36; a++)
        for (int z = 2; z <= 36; z++) {
            const long double want = (long double)n * log2l(a) / log2l(z);
            const size_t got = gfmul_str_mul_size(n, a, 0, a, z) - 2;
            TEST_CHECK_MSG((long double)got >= want - 2 && (long double)got <= want * (1 + 1e-8L), "base %d to %d: %zu digits", a,
                           z, got);
        }
}

static void plans(struct gfmul_ctx *ctx, const char *name)
{
    struct gfmul_plan_info info;
    for (size_t i = 0; i < COUNTS; i++) {
        for (size_t j = 0; j < COUNTS; j++) {
            memset(&info, 0x55, sizeof info);
            test_note("%s, plan of %zu and %zu", name, counts[i], counts[j]);
            TEST_OK(gfmul_plan_limbs(ctx, &info, counts[i], counts[j]));
            TEST_CHECK(info.engine && info.isa && info.device && info.rule && info.precision && info.packing);
            TEST_CHECK(info.threads >= 1 && info.bound < (info.norms_measured ? 1 : 0.5));
            if (counts[i] == 0 || counts[j] == 0)
                TEST_CHECK(strcmp(info.engine, "gmp") == 0);
            TEST_OK(gfmul_plan_text(ctx, &info, 10, counts[i], counts[j]));
            TEST_CHECK(info.engine && info.bound < (info.norms_measured ? 1 : 0.5));
            TEST_OK(gfmul_plan_text(ctx, &info, 16, counts[i], counts[j]));
        }
    }
    TEST_CHECK(gfmul_plan_limbs(ctx, NULL, 1, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_plan_limbs_sqr(ctx, NULL, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_plan_text_sqr(ctx, NULL, 10, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_plan_text_sqr(ctx, &info, 1, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_plan_limbs_sqr(ctx, &info, SIZE_MAX) == GFMUL_ERR_SIZE);
    TEST_CHECK(gfmul_plan_text(ctx, NULL, 10, 1, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_plan_text(ctx, &info, 0, 1, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_plan_text(ctx, &info, 37, 1, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_plan_limbs(ctx, &info, SIZE_MAX, 1) == GFMUL_ERR_SIZE);
    TEST_CHECK(gfmul_plan_text(ctx, &info, 36, SIZE_MAX, SIZE_MAX) == GFMUL_ERR_SIZE);
}

static void test_plans(void)
{
    each_engine(plans);
}

/* The plan foretold is the plan run. */
static void test_plan_is_run(void)
{
    enum { N = 2500 };
    mp_limb_t *a = test_alloc(N * sizeof *a), *b = test_alloc(N * sizeof *b), *z = test_alloc(2 * N * sizeof *z);
    for (int e = GFMUL_ENGINE_AUTO; e <= GFMUL_ENGINE_GMP; e++) {
        struct gfmul_plan_info info;
        struct gfmul_report report;
        if (!test_engine((enum gfmul_engine)e))
            continue;
        struct gfmul_ctx *ctx = ctx_with((enum gfmul_engine)e, GFMUL_VERIFY_MOD);
        operand_fill(a, N, OPERAND_TOP_BIT, 13, test_u64());
        operand_fill(b, N, OPERAND_TOP_BIT, 13, test_u64());
        TEST_OK(gfmul_plan_limbs(ctx, &info, N, N));
        TEST_OK(gfmul_mul(ctx, z, a, N, b, N));
        gfmul_ctx_report(ctx, &report);
        test_note("engine %s", info.engine);
        TEST_CHECK(strcmp(info.engine, report.plan.engine) == 0 && strcmp(info.packing, report.plan.packing) == 0);
        TEST_CHECK(report.n_fallbacks > 0 || (info.n_points == report.plan.n_points && info.exponent == report.plan.exponent));
        /* a square has a plan of its own: one buffer less */
        const size_t both = info.memory_bytes;
        TEST_OK(gfmul_plan_limbs_sqr(ctx, &info, N));
        TEST_OK(gfmul_sqr(ctx, z, a, N));
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK(strcmp(info.engine, report.plan.engine) == 0 && info.memory_bytes == report.plan.memory_bytes);
        TEST_CHECK(info.n_points == report.plan.n_points && info.exponent == report.plan.exponent);
        TEST_CHECK(strcmp(info.engine, "gmp") == 0 ? both == 0 : info.memory_bytes < both); /* auto, in plain C: GMP's */
        char text[16001], *product = test_alloc(32003);
        text_fill(text, 16000, TEXT_RANDOM, 10, 4, test_u64());
        TEST_OK(gfmul_plan_text_sqr(ctx, &info, 10, 16000));
        TEST_OK(gfmul_str_mul(ctx, product, 32003, NULL, 10, text, 16000, 10, text, 16000, 10));
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK(strcmp(info.engine, report.plan.engine) == 0 && info.memory_bytes == report.plan.memory_bytes);
        TEST_CHECK(info.n_points == report.plan.n_points && info.base == report.plan.base);
        free(product);
        gfmul_ctx_destroy(ctx);
    }
    free(z);
    free(b);
    free(a);
}

static void test_statuses(void)
{
    static const enum gfmul_status all[] = {
        GFMUL_OK,         GFMUL_ERR_ARGUMENT,    GFMUL_ERR_OVERLAP,   GFMUL_ERR_SYNTAX,      GFMUL_ERR_EMPTY,
        GFMUL_ERR_MEMORY, GFMUL_ERR_SIZE,        GFMUL_ERR_PRECISION, GFMUL_ERR_UNSUPPORTED, GFMUL_ERR_DEVICE,
        GFMUL_ERR_VERIFY, GFMUL_ERR_INTERRUPTED, GFMUL_ERR_FILE,      GFMUL_ERR_SPACE,       GFMUL_ERR_INTERNAL,
    };
    const char *unknown = gfmul_strerror((enum gfmul_status)12345);
    TEST_CHECK(unknown && *unknown);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const char *text = gfmul_strerror(all[i]);
        TEST_CHECK_MSG(text && *text && strcmp(text, unknown) != 0, "status %d", (int)all[i]);
        for (size_t j = 0; j < i; j++)
            TEST_CHECK(strcmp(text, gfmul_strerror(all[j])) != 0);
    }
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", GFMUL_VERSION_MAJOR, GFMUL_VERSION_MINOR, GFMUL_VERSION_PATCH);
    TEST_CHECK(strcmp(gfmul_version(), version) == 0);
}

/* The candidates of bigmul's --plan=all: sorted, no two alike, all fields, the plan among them and none cheaper. */
static void test_candidates(void)
{
    struct gfmul_ctx *ctx = ctx_with(GFMUL_ENGINE_CPU, GFMUL_VERIFY_NONE);
    for (unsigned square = 0; square < 2; square++)
        for (size_t n = 1000; n <= 30000; n = n * 5 / 3) {
            struct gfmul_private_candidate *list;
            struct gfmul_plan_info plan;
            size_t count;
            unsigned fields = 0;
            test_note("%zu limbs, square %u", n, square);
            TEST_OK(square ? gfmul_plan_limbs_sqr(ctx, &plan, n) : gfmul_plan_limbs(ctx, &plan, n, n));
            if (!TEST_OK(gfmul_private_candidates(ctx, &list, &count, 0, n, square ? 0 : n)))
                break;
            TEST_CHECK(count > 5 && list[0].plan.n_points == plan.n_points && strcmp(list[0].plan.passes, plan.passes) == 0);
            for (size_t i = 0; i < count; i++) {
                const char *precision = list[i].plan.precision;
                TEST_CHECK(list[i].ms > 0 && list[i].ms < 1e6 && (i == 0 || list[i].ms >= list[i - 1].ms));
                TEST_CHECK(strcmp(list[i].plan.engine, "cpu") == 0 && list[i].plan.memory_bytes > 0);
                fields |= strcmp(precision, "double") == 0 ? 1 : strcmp(precision, "dd") == 0 ? 2 : 4;
                for (size_t j = 0; j < i; j++)
                    TEST_CHECK(strcmp(list[i].plan.passes, list[j].plan.passes) != 0 ||
                               list[i].plan.wraps != list[j].plan.wraps || list[i].plan.n_points != list[j].plan.n_points);
            }
            TEST_CHECK(fields == 7);
            free(list);
        }
    struct gfmul_private_candidate *list;
    size_t count;
    TEST_CHECK(gfmul_private_candidates(ctx, &list, &count, 1, 10, 10) == GFMUL_ERR_ARGUMENT && !list && count == 0);
    TEST_OK(gfmul_private_candidates(ctx, &list, &count, 0, 0, 10)); /* nothing is transformed */
    TEST_CHECK(count == 0);
    free(list);
    gfmul_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_limbs);
    TEST_RUN(test_smallest);
    TEST_RUN(test_zeros);
    TEST_RUN(test_bad_limbs);
    TEST_RUN(test_mpz);
    TEST_RUN(test_bad_mpz);
    TEST_RUN(test_times);
    TEST_RUN(test_failure_keeps_z);
    TEST_RUN(test_short_texts);
    TEST_RUN(test_long_texts);
    TEST_RUN(test_bad_texts);
    TEST_RUN(test_plans);
    TEST_RUN(test_plan_is_run);
    TEST_RUN(test_candidates);
    TEST_RUN(test_statuses);
    return test_end();
}
