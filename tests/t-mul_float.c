/*
 * t-mul_float.c - precision float: products by floats and pairs of floats on an OpenCL device, and devices without doubles.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "gfmul.h"
#include "plan/plan_device.h"
#include "plan/plan_field.h"
#include "ocl_test.h"
#include "operands.h"

static bool have_device;

static struct gfmul_ctx *context(enum gfmul_precision precision, enum gfmul_rule rule)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx = NULL;
    gfmul_options_init(&opt);
    opt.engine = GFMUL_ENGINE_OPENCL;
    opt.precision = precision;
    opt.rule = rule;
    if (!TEST_OK(gfmul_ctx_create(&ctx, &opt)))
        exit(1);
    return ctx;
}

/* product_check - one product against GMP's, its error against its bound.   Returns the report. */
static struct gfmul_report product_check(struct gfmul_ctx *ctx, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    mp_limb_t *z = calloc(2 * (an + bn), sizeof *z), *expected = z + an + bn;
    struct gfmul_report report;
    const enum gfmul_status status = gfmul_mul(ctx, z, a, an, b, bn);
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(status == GFMUL_OK, "%s: %s", gfmul_strerror(status), report.detail);
    TEST_CHECK_MSG(strcmp(report.plan.engine, "opencl") == 0 && strcmp(report.plan.precision, "float") == 0,
                   "engine %s, precision %s: %s", report.plan.engine, report.plan.precision, report.detail);
    TEST_CHECK_MSG(report.plan.mu == 24 || report.plan.mu == 44, "mu = %u", report.plan.mu);
    test_proved(&report);
    mpn_mul(expected, a, (mp_size_t)an, b, (mp_size_t)bn);
    test_equal_limbs(z, expected, an + bn);
    free(z);
    return report;
}

/* Limbs of every pattern: of so few that floats do, and of more, which take pairs; a square of either. */
static void test_limbs(void)
{
    static const struct {
        size_t an, bn;
        unsigned mu, l; /* l: of the patterns that are made of digits */
    } sizes[] = {{60, 50, 24, 4}, {400, 390, 44, 13}};
    if (!have_device) {
        TEST_SKIP("no device");
        return;
    }
    struct gfmul_ctx *ctx = context(GFMUL_PRECISION_FLOAT, GFMUL_RULE_NORM);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t an = sizes[i].an, bn = sizes[i].bn;
        mp_limb_t *a = calloc(an + bn, sizeof *a), *b = a + an;
        for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
            operand_fill(a, an, kind, sizes[i].l, test_u64());
            operand_fill(b, bn, test_below(2) ? OPERAND_RANDOM : (enum operand_kind)kind, sizes[i].l, test_u64());
            if (a[an - 1] == 0 || b[bn - 1] == 0)
                continue;
            test_note("%zu by %zu limbs, %s", an, bn, operand_name(kind));
            const struct gfmul_report report = product_check(ctx, a, an, b, bn);
            TEST_CHECK_MSG(report.plan.mu == sizes[i].mu, "mu = %u", report.plan.mu);
        }
        test_note("%zu limbs squared", an);
        product_check(ctx, a, an, a, an);
        free(a);
    }
    gfmul_ctx_destroy(ctx);
}

/* Decimal text. */
static void test_text(void)
{
    if (!have_device) {
        TEST_SKIP("no device");
        return;
    }
    struct gfmul_ctx *ctx = context(GFMUL_PRECISION_FLOAT, GFMUL_RULE_NORM);
    for (unsigned kind = 0; kind < TEXT_KINDS; kind++) {
        const size_t an = 9000, bn = 8999;
        char *a = calloc(an + 1, 1), *b = calloc(bn + 1, 1), *z = calloc(an + bn + 3, 1), *expected;
        struct gfmul_report report;
        size_t zn;
        mpz_t x, y;
        text_fill(a, an, (enum text_kind)kind, 10, 4, test_u64());
        text_fill(b, bn, (enum text_kind)kind, 10, 4, test_u64());
        mpz_init_set_str(x, a, 10);
        mpz_init_set_str(y, b, 10);
        mpz_mul(x, x, y);
        expected = mpz_get_str(NULL, 10, x);
        test_note("decimal, %zu by %zu digits, %s", an, bn, text_kind_name((enum text_kind)kind));
        TEST_CHECK(gfmul_str_mul(ctx, z, an + bn + 3, &zn, 10, a, an, 10, b, bn, 10) == GFMUL_OK);
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK_MSG(strcmp(report.plan.precision, "float") == 0, "precision %s: %s", report.plan.precision, report.detail);
        TEST_CHECK(strcmp(z, expected) == 0);
        test_proved(&report);
        mpz_clear(x);
        mpz_clear(y);
        free(expected);
        free(z);
        free(b);
        free(a);
    }
    gfmul_ctx_destroy(ctx);
}

/* What precision float is not for: the CPU, and other rules than norm. */
static void test_refused(void)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx = NULL;
    mp_limb_t a[60], z[120];
    gfmul_options_init(&opt);
    opt.precision = GFMUL_PRECISION_FLOAT;
    TEST_CHECK(gfmul_ctx_create(&ctx, &opt) == GFMUL_ERR_UNSUPPORTED && !ctx);
    opt.engine = GFMUL_ENGINE_CPU;
    TEST_CHECK(gfmul_ctx_create(&ctx, &opt) == GFMUL_ERR_UNSUPPORTED && !ctx);
    operand_fill(a, 60, OPERAND_RANDOM, 4, 1);
    for (unsigned rule = GFMUL_RULE_NORM; rule <= GFMUL_RULE_CHECKED && have_device; rule++) {
        ctx = context(GFMUL_PRECISION_FLOAT, (enum gfmul_rule)rule);
        const enum gfmul_status status = gfmul_mul(ctx, z, a, 60, a, 60);
        test_note("rule %u", rule);
        TEST_CHECK_MSG(status == (rule == GFMUL_RULE_NORM ? GFMUL_OK : GFMUL_ERR_UNSUPPORTED), "%s", gfmul_strerror(status));
        gfmul_ctx_destroy(ctx);
    }
}

/* A device without double precision: auto means primes there, doubles are errors, "auto" does not find it. */
static void test_no_fp64(void)
{
    struct gfmul_device_info info;
    char why[200] = "";
    mp_limb_t a[400], z[800];
    if (!have_device) {
        TEST_SKIP("no device");
        return;
    }
    ocl_pretend(OCL_PRETEND_NO_FP64, true);
    TEST_CHECK(gfmul_device_find(&info, "gpu", why, sizeof why) == GFMUL_OK && info.usable && !info.fp64);
    ocl_pretend(OCL_PRETEND_GPU, true);
    TEST_CHECK(gfmul_device_find(&info, "auto", why, sizeof why) == GFMUL_ERR_DEVICE);
    TEST_CHECK_MSG(strstr(why, "fp64") != NULL, "%s", why);
    ocl_pretend(OCL_PRETEND_GPU, false);

    struct gfmul_ctx *ctx = context(GFMUL_PRECISION_AUTO, GFMUL_RULE_NORM);
    operand_fill(a, 400, OPERAND_RANDOM, 4, test_u64());
    test_note("precision auto on a device without doubles");
    struct gfmul_plan_info plan;
    TEST_OK(gfmul_plan_limbs(ctx, &plan, 400, 300));
    TEST_CHECK(strcmp(plan.precision, "prime") == 0 && strcmp(plan.engine, "opencl") == 0);
    gfmul_ctx_destroy(ctx);
    if (test_tier(0, 1, 1)) { /* three programs are built */
        ctx = context(GFMUL_PRECISION_FLOAT, GFMUL_RULE_NORM);
        product_check(ctx, a, 400, a, 300);
        gfmul_ctx_destroy(ctx);
    }
    for (unsigned i = 0; i < 2; i++) {
        struct gfmul_report report;
        ctx = context(i ? GFMUL_PRECISION_DD : GFMUL_PRECISION_DOUBLE, GFMUL_RULE_NORM);
        const enum gfmul_status status = gfmul_mul(ctx, z, a, 400, a, 300);
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK_MSG(status == GFMUL_ERR_UNSUPPORTED && strstr(report.detail, "fp64") != NULL, "%s: %s", gfmul_strerror(status),
                       report.detail);
        gfmul_ctx_destroy(ctx);
    }
    ocl_pretend(OCL_PRETEND_NO_FP64, false);
}

/* Shapes: no odd length for floats alone; units, point sizes and bounds as they are documented. */
static void test_shapes(void)
{
    struct plan_request r = {.rule = GFMUL_RULE_NORM,
                             .precision = GFMUL_PRECISION_FLOAT,
                             .base = 2,
                             .an = 64,
                             .bn = 64,
                             .worst_case = true,
                             .fma = true,
                             .max_radix = 8};
    static const char even[] = "16/1/16,8.8/8/1", odd[] = "3.4.4/16/8/s,8.8/8/1";
    struct plan_shape s;
    char detail[200];
    for (unsigned alone = 0; alone < 2; alone++) {
        r.float_alone = alone != 0;
        TEST_CHECK(plan_device_parse(&s, &r, even, alone ? 4 : 14, detail, sizeof detail) == GFMUL_OK);
        TEST_CHECK(s.field == (alone ? PLAN_FLOAT : PLAN_FLOAT_PAIRS));
        TEST_CHECK(plan_field(&s)->unit == (alone ? 0x1p-24 : 0x1p-48));
        TEST_CHECK(device_point_bytes(&s) == (alone ? 8u : 16u));
        TEST_CHECK((plan_device_parse(&s, &r, odd, 4, detail, sizeof detail) == GFMUL_OK) == !alone);
        TEST_CHECK(plan_device_parse(&s, &r, "16/1/16,8.8:d1/8/1", 4, detail, sizeof detail) == GFMUL_ERR_ARGUMENT);
        r.an = r.bn = 1024 * (alone ? 5 : 16) - 128; /* one bit more than is proved for all digits */
        TEST_CHECK(plan_device_parse(&s, &r, even, alone ? 5 : 16, detail, sizeof detail) == GFMUL_ERR_PRECISION);
        r.an = r.bn = 64;
    }
    TEST_CHECK(plan_device_parse(&s, &r, even, 21, detail, sizeof detail) == GFMUL_ERR_SIZE);
}

#ifdef HAVE_OPENCL
#include "kernel_test.h"
#include "ocl/ocl_buffer.h"
#include "pipeline_test.h"

/* Passes of which the largest errors are looked for; more in long tests. */
static const struct {
    const char *text;
    bool alone;
} bounds[] = {
    {"16/1/16,8.8/8/1", true},
    {"4.4/4/16/s,4.4.4/16/1/s", false},
    {"16.4/16/8/s,8.8/8/1", true},
    {"4.4.4/16/8/s,4.4.4/16/1/s", false},
    {"8.8/8/16/s,4/1/16,8.8/8/1", true},
    {"4.4.4/16/8/s,4.4.4.4/64/1/s", false},
    {"5.4.4/20/8/s,4.4.4.4/64/1/s", false},
    {"9.4/9/8/s,4.4.4/16/1/s", false},
    {"4.4.4.4/64/4/s,4.4.4.4.2/128/1/s", false},
};

struct machine {
    struct ocl_device *d;
    struct plan_shape shape;
    struct ocl_pipeline *pipeline;
    struct ocl_work work;
    struct ocl_number a, b, z;
    size_t n; /* limbs of an operand */
};

/* machine_mul - a b, compared with GMP's.   Returns the largest error. */
static double machine_mul(struct machine *m, const mp_limb_t *a, const mp_limb_t *b)
{
    mp_limb_t *z = calloc(4 * m->n, sizeof *z);
    struct plan_figures figures;
    must(ocl_upload(OCL_ON(m->d, detail), (struct ocl_span){m->a.words, 0, 8 * m->n}, a, 1, OCL_AFTER_QUEUE));
    must(ocl_upload(OCL_ON(m->d, detail), (struct ocl_span){m->b.words, 0, 8 * m->n}, b, 1, OCL_AFTER_QUEUE));
    must(pipeline_mul(OCL_ON(m->d, detail), m->pipeline, &m->work, m->z, m->a, m->b));
    must(ocl_download(OCL_ON(m->d, detail), z, (struct ocl_span){m->z.words, 0, 16 * m->n}, 1, OCL_AFTER_QUEUE));
    must(pipeline_figures(OCL_ON(m->d, detail), m->pipeline, &m->work, &figures));
    mpn_mul_n(z + 2 * m->n, a, b, (mp_size_t)m->n);
    test_equal_limbs(z, z + 2 * m->n, 2 * m->n);
    free(z);
    TEST_CHECK_MSG(figures.max_error < m->shape.bound.value, "error %g, proved %g", figures.max_error, m->shape.bound.value);
    return figures.max_error;
}

/* machine_begin - the largest digits that are proved for all operands of these passes. */
static unsigned machine_begin(struct machine *m, struct ocl_device *d, unsigned line)
{
    struct plan_request r = {.rule = GFMUL_RULE_NORM, .precision = GFMUL_PRECISION_FLOAT, .base = 2, .worst_case = true};
    unsigned l = DEVICE_LIMB_BITS_MAX;
    r.fma = true;
    r.float_alone = bounds[line].alone;
    r.an = r.bn = 64;
    memset(m, 0, sizeof *m);
    m->d = d;
    for (;; l--) { /* full operands of digits of l bits */
        must(plan_device_parse(&m->shape, &r, bounds[line].text, 4, detail, sizeof detail));
        m->n = m->shape.transform.n_points * l / 64 - 1;
        r.an = r.bn = 64 * m->n;
        if (plan_device_parse(&m->shape, &r, bounds[line].text, l, detail, sizeof detail) == GFMUL_OK)
            break;
        r.an = r.bn = 64;
    }
    must(pipeline_create(OCL_ON(d, detail), &m->pipeline, &m->shape));
    must(ocl_work_get(OCL_ON(m->d, detail), &m->pipeline->shape, &m->work, false));
    must(ocl_buffer_get(OCL_ON(d, detail), 8 * m->n, &m->a.words));
    must(ocl_buffer_get(OCL_ON(d, detail), 8 * m->n, &m->b.words));
    must(ocl_buffer_get(OCL_ON(d, detail), 16 * m->n, &m->z.words));
    m->a.n_words = m->b.n_words = (uint32_t)(2 * m->n);
    m->z.n_words = (uint32_t)(4 * m->n);
    return l;
}

static void machine_end(struct machine *m)
{
    ocl_buffer_put(m->d, m->z.words);
    ocl_buffer_put(m->d, m->b.words);
    ocl_buffer_put(m->d, m->a.words);
    ocl_work_put(m->d, &m->work);
    ocl_pipeline_destroy(m->pipeline);
}

/* digits_change - some digits become large, of either sign. */
static void digits_change(mp_limb_t *p, size_t n, unsigned l)
{
    for (size_t k = test_size(1, 40); k > 0; k--) {
        const size_t first = (size_t)test_below(64 * n / l - 1) * l;
        const unsigned pattern = test_below(2) ? (1u << (l - 1)) - 1 : 1u << (l - 1);
        for (unsigned b = 0; b < l; b++) {
            const mp_limb_t bit = (mp_limb_t)1 << (first + b) % 64;
            p[(first + b) / 64] = pattern >> b & 1 ? p[(first + b) / 64] | bit : p[(first + b) / 64] & ~bit;
        }
    }
}

/* Errors below what is proved for the largest digits, over all patterns, and from the worst one on, by climbing. */
static void test_bounds(void)
{
    const unsigned lines = test_longest_tier() ? sizeof bounds / sizeof *bounds : 2, steps = test_longest_tier() ? 2000 : 60;
    struct ocl_device *d;
    if (!have_device) {
        TEST_SKIP("no device");
        return;
    }
    d = ocl_test_open();
    ocl_device_lock(d);
    for (unsigned i = 0; i < lines; i++) {
        struct machine m;
        const unsigned l = machine_begin(&m, d, i);
        mp_limb_t *a = calloc(4 * m.n, sizeof *a), *b = a + m.n, *best = b + m.n;
        double worst = 0, climbed;
        const char *name = "";
        for (unsigned kind = 0; kind < 3 * OPERAND_KINDS; kind++) {
            const enum operand_kind ka = kind % OPERAND_KINDS, kb = kind < OPERAND_KINDS ? ka : test_below(OPERAND_KINDS);
            operand_fill(a, m.n, ka, l, test_u64());
            operand_fill(b, m.n, kb, l, test_u64());
            test_note("%s, l = %u, %s times %s", bounds[i].text, l, operand_name(ka), operand_name(kb));
            const double error = machine_mul(&m, a, b);
            if (error > worst) {
                worst = error;
                name = operand_name(ka);
                memcpy(best, a, 16 * m.n);
            }
        }
        climbed = worst;
        for (unsigned step = 0; step < steps; step++) {
            memcpy(a, best, 16 * m.n);
            digits_change(test_below(2) ? a : b, m.n, l);
            test_note("%s, l = %u, from %s by %u steps", bounds[i].text, l, name, step);
            const double error = machine_mul(&m, a, b);
            if (error > climbed) {
                climbed = error;
                memcpy(best, a, 16 * m.n);
            }
        }
        printf("  | %zu | %s | %u | %.0f | %.4f | %.2g | %.2g | %.2g | %s |\n", m.shape.transform.n_points,
               bounds[i].alone ? "float" : "pairs", l, m.shape.bound.k, m.shape.bound.value, worst, climbed,
               climbed / m.shape.bound.value, name);
        free(a);
        machine_end(&m);
    }
    ocl_device_unlock(d);
    ocl_device_close(d);
}

/* A product that is wrong twice has no way to the CPU, which has no such precision: an error, and the next one is right. */
static void test_wrong(void)
{
    enum { AN = 1400, BN = 1390 }; /* short transfers are left right */
    mp_limb_t a[AN], b[BN], z[AN + BN];
    struct gfmul_report report;
    if (!have_device) {
        TEST_SKIP("no device");
        return;
    }
    struct gfmul_ctx *ctx = context(GFMUL_PRECISION_FLOAT, GFMUL_RULE_NORM);
    operand_fill(a, AN, OPERAND_RANDOM, 13, 1);
    operand_fill(b, BN, OPERAND_RANDOM, 13, 2);
    for (unsigned times = 1; times <= 2; times++) {
        ocl_fault_set(OCL_FAULT_DATA, 0, times, 101);
        const enum gfmul_status status = gfmul_mul(ctx, z, a, AN, b, BN);
        ocl_fault_clear();
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK_MSG(status == (times == 1 ? GFMUL_OK : GFMUL_ERR_VERIFY) && strstr(report.detail, "wrong"), "%s: %s",
                       gfmul_strerror(status), report.detail);
        product_check(ctx, a, AN, b, BN);
    }
    gfmul_ctx_destroy(ctx);
}
#endif

int main(int argc, char **argv)
{
    have_device = ocl_test_begin();
    test_begin(argc, argv);
    TEST_RUN(test_shapes);
    TEST_RUN_LONG(test_refused);
#ifdef HAVE_OPENCL
    TEST_RUN_LONG(test_bounds);
    TEST_RUN_LONG(test_wrong);
#endif
    TEST_RUN_LONG(test_limbs);
    TEST_RUN_LONG(test_text);
    TEST_RUN(test_no_fp64);
    return ocl_test_end();
}
