/* t-mul_knuth.c - the classical rule at every size: literally satisfied, and GMP's products. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "mul/convolve.h"
#include "products.h"
#include "dd/dd_stages.h"

static struct product_ctx knuth_ctx(enum gfmul_precision precision, unsigned threads, bool adaptive)
{
    struct product_ctx c;
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.device = "cpu";
    opt.rule = GFMUL_RULE_KNUTH;
    opt.precision = precision;
    opt.threads = threads;
    opt.verify = GFMUL_VERIFY_NONE;
    opt.adaptive = adaptive;
    snprintf(c.name, sizeof c.name, "rule knuth, precision %d, %u threads, adaptive %d", (int)precision, threads, adaptive);
    test_note("%s", c.name);
    c.ctx = test_ctx(&opt);
    return c;
}

/* The inequality itself, in whole numbers, and that the plan says how. */
static void check_plan(struct product_ctx *c, size_t an, size_t bn)
{
    struct gfmul_plan_info info;
    char text[4096];
    test_note("%s; %zu by %zu limbs", c->name, an, bn);
    if (!TEST_OK(gfmul_plan_limbs(c->ctx, &info, an, bn)))
        return;
    test_plan(&info);
    const double m = ceil(log2((double)(2 * info.n_points))), l = ceil(info.l);
    TEST_CHECK(strcmp(info.rule, "knuth") == 0 && info.knuth == (info.double_levels == 0) &&
               info.mu == (strcmp(info.precision, "dd") == 0 ? 102 : 53));
    TEST_CHECK_MSG(4 * m + 2 * l <= info.mu, "m = %g, l = %g, mu = %u", m, l, info.mu);
    const size_t products = info.a_pieces < info.b_pieces ? info.a_pieces : info.b_pieces; /* of pieces, in one sum */
    TEST_CHECK_MSG(2 * (m + l) + m + log2(m) + 3.5 + log2((double)products) <= info.mu, "m = %g, l = %g, %zu products", m, l,
                   products);
    TEST_CHECK(info.proved && info.bound < 0.5);
    const size_t digits = info.a_digits * info.a_pieces * (info.n_slices > 1 ? info.n_slices : 1);
    TEST_CHECK_MSG((double)digits * info.l >= 64.0 * (double)(an > bn ? an : bn), "%zu digits are too few", digits);
    TEST_CHECK(info.a_pieces > 1 || info.n_slices > 1 || info.a_digits + info.b_digits - 1 <= 2 * info.n_points);
    gfmul_plan_print(&info, text, sizeof text);
    TEST_CHECK(!!strstr(text, "pieces: ") == (info.a_pieces > 1) && strstr(text, "knuth: holds, mu = ") != NULL);
    TEST_CHECK(!!strstr(text, "; does not hold, mu = 53, in ") == (info.double_levels > 0));
    TEST_CHECK(!!strstr(text, "; sums of ") == (products > 1));
    TEST_CHECK(c->ctx->opt.adaptive || info.narrow_levels + info.light_levels + info.double_levels == 0);
    test_plan_set(NULL, NULL);
}

/* test_text_plans - digits are cut from text while it is short; limbs can be cut into pieces, whatever the length. */
static void test_text_plans(void)
{
    static const size_t digits[] = {100000, 1 << 20, (1 << 20) + 1, 100000000};
    struct product_ctx c = knuth_ctx(GFMUL_PRECISION_AUTO, 1, 0);
    for (size_t i = 0; i < 4; i++) {
        struct gfmul_plan_info info;
        test_note("%s; %zu digits", c.name, digits[i]);
        if (TEST_OK(gfmul_plan_text(c.ctx, &info, 10, digits[i], 100000)))
            TEST_CHECK_MSG(info.base == (i < 2 ? 10 : 2), "base %u", info.base);
    }
    product_ctx_destroy(&c);
}

static void test_plans(void)
{
    struct product_ctx c[2] = {knuth_ctx(GFMUL_PRECISION_AUTO, 1, 0), knuth_ctx(GFMUL_PRECISION_DD, 2, 1)};
    bool pieces = false, single = false;
    for (double size = 10; size <= 1e7; size *= 1.13) {
        const size_t an = (size_t)size, bn = test_below(3) ? an : test_size(1, an);
        for (unsigned i = 0; i < 2; i++) {
            struct gfmul_plan_info info;
            check_plan(&c[i], an, bn);
            if (gfmul_plan_limbs(c[i].ctx, &info, an, bn) == GFMUL_OK) {
                pieces = pieces || info.a_pieces > 1;
                single = single || info.a_pieces == 1;
            }
        }
    }
    TEST_CHECK(pieces && single);
    for (unsigned i = 0; i < 2; i++)
        product_ctx_destroy(&c[i]);
}

/*
 * Where memory is all that is missing for pieces that is what the error says, and how much it takes; planning for more than this
 * machine has takes none.
 */
static void test_memory(void)
{
    enum { N = 1000000 };
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.device = "cpu";
    opt.rule = GFMUL_RULE_KNUTH;
    opt.threads = 1;
    opt.memory_limit = (size_t)16 << 20;
    for (unsigned i = 0; i < 2; i++) {
        struct gfmul_ctx *ctx;
        struct gfmul_plan_info info;
        struct gfmul_report report;
        if (!TEST_OK(gfmul_ctx_create(&ctx, &opt)))
            return;
        const enum gfmul_status status = gfmul_plan_limbs_sqr(ctx, &info, N);
        gfmul_ctx_report(ctx, &report);
        test_note("limit %zu MiB, detail '%s'", opt.memory_limit >> 20, report.detail);
        TEST_CHECK_MSG(status == (i == 0 ? GFMUL_ERR_MEMORY : GFMUL_OK), "status %d", (int)status);
        const char *need = strstr(report.detail, "need ");
        if (i == 0 && TEST_CHECK(need != NULL))
            opt.memory_limit = (size_t)strtoull(need + strlen("need "), NULL, 10) << 20;
        gfmul_ctx_destroy(ctx);
    }
    struct product_ctx c = knuth_ctx(GFMUL_PRECISION_AUTO, 1, 0);
    check_plan(&c, (size_t)1 << 29, (size_t)1 << 29);
    product_ctx_destroy(&c);
}

static const struct stage_ops *real_dd;
static double fault;

/* columns_to_digits_wrong - one coefficient is replaced. */
static void columns_to_digits_wrong(const struct plan *plan, double *x, unsigned threads)
{
    real_dd->columns_to_digits(plan, x, threads);
    if (fault != 0)
        x[0] = fault;
}

/* Sums of products of pieces: their error is reported, and what cannot be rounded is refused. */
static void test_pieces(void)
{
    static const double faults[] = {0, 0x1p120, HUGE_VAL, NAN};
    struct product_ctx c = knuth_ctx(GFMUL_PRECISION_AUTO, 1, 0);
    struct isa_ops ops = *c.ctx->ops;
    struct stage_ops dd = *ops.stages[PLAN_DD][0];
    struct gfmul_plan_info info = {.a_pieces = 0};
    size_t n = 1000;
    while (n < 1000000 && TEST_OK(gfmul_plan_limbs(c.ctx, &info, n, n)) && info.a_pieces < 2)
        n += n / 4;
    real_dd = ops.stages[PLAN_DD][0];
    dd.columns_to_digits = columns_to_digits_wrong;
    ops.stages[PLAN_DD][0] = &dd;
    c.ctx->ops = &ops;
    mp_limb_t *a = test_alloc(n * sizeof *a), *z = test_alloc(2 * n * sizeof *z);
    operand_fill(a, n, OPERAND_TOP_BIT, 13, test_u64());
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct gfmul_report report;
        fault = faults[i];
        test_note("%zu limbs in pieces, a coefficient is %g", n, fault);
        const enum gfmul_status status = gfmul_sqr(c.ctx, z, a, n);
        gfmul_ctx_report(c.ctx, &report);
        TEST_CHECK_MSG(status == (i > 0 ? GFMUL_ERR_VERIFY : GFMUL_OK) && report.plan.a_pieces > 1, "status %d", (int)status);
        TEST_CHECK_MSG(report.transform_ns > 0 && report.carry_ns > 0 && report.transform_ns <= report.total_ns &&
                           report.carry_ns <= report.total_ns - report.transform_ns,
                       "%" PRIu64 " ns, of them transforms %" PRIu64 ", carries %" PRIu64, report.total_ns, report.transform_ns,
                       report.carry_ns);
        TEST_CHECK(i > 0 || (report.max_error > 0 && report.max_error < report.plan.bound));
    }
    free(z);
    free(a);
    product_ctx_destroy(&c);
}

/* A signed number is added as what it is, extended by its sign: carries and borrows that run far, and numbers cut off. */
static void test_add_slice(void)
{
    enum { ZN = 12 };
    for (unsigned t = 0; t < 20000; t++) {
        const size_t zn = test_between(1, ZN), sn = test_between(1, ZN);
        mp_limb_t z[ZN + 1], want[ZN], slice[ZN];
        for (size_t i = 0; i < zn; i++) /* mostly limbs that pass a carry on, or a borrow */
            z[i] = want[i] = test_below(3) ? -(mp_limb_t)test_below(2) : test_u64();
        z[zn] = 0x5a5a;
        for (size_t i = 0; i < sn; i++)
            slice[i] = test_below(3) ? -(mp_limb_t)test_below(2) : test_u64();
        const mp_limb_t extension = slice[sn - 1] >> 63 ? ~(mp_limb_t)0 : 0;
        unsigned __int128 sum = 0;
        for (size_t i = 0; i < zn; i++) {
            sum += (unsigned __int128)want[i] + (i < sn ? slice[i] : extension);
            want[i] = (mp_limb_t)sum;
            sum >>= 64;
        }
        test_note("%zu limbs, plus %zu", zn, sn);
        mul_add_signed(z, zn, slice, sn);
        test_equal_limbs(z, want, zn);
        TEST_CHECK(z[zn] == 0x5a5a);
    }
}

static void test_products(void)
{
    struct product_ctx c[3] = {knuth_ctx(GFMUL_PRECISION_AUTO, 1, 0), knuth_ctx(GFMUL_PRECISION_AUTO, 3, 0),
                               knuth_ctx(GFMUL_PRECISION_DD, 1, 1)};
    for (unsigned i = 0; i < (test_longest_tier() ? 600 : 90); i++) {
        const size_t an = test_size(1, i % 8 ? 1500 : 20000), bn = i % 2 ? an : test_size(1, an);
        product_random(c, 3, an, bn, OPERAND_KINDS, OPERAND_KINDS, (unsigned)test_between(2, 30), test_below(4) == 0);
    }
    if (test_longest_tier()) {
        product_random(c + 1, 1, 10000000, 10000000, OPERAND_RANDOM, OPERAND_RANDOM, 20, false);
        product_random(c + 1, 1, 3000000, 100000, OPERAND_ONES, OPERAND_DENSE, 20, false);
    }
    for (unsigned i = 0; i < 3; i++)
        product_ctx_destroy(&c[i]);
}

/* Every level has the precision that is counted; by the option the first and, with small digits, the last are in double. */
static void test_adaptive(void)
{
    struct product_ctx c[2] = {knuth_ctx(GFMUL_PRECISION_DD, 1, 0), knuth_ctx(GFMUL_PRECISION_DD, 1, 1)};
    struct gfmul_plan_info info;
    for (unsigned i = 0; i < 2; i++)
        if (TEST_OK(gfmul_plan_limbs(c[i].ctx, &info, 2000, 2000)))
            TEST_CHECK((info.narrow_levels > 0) == (i == 1) && (i == 1 || (info.double_levels == 0 && info.knuth)));
    /* Their gain counts in the choice, and shorter digits than the rule leaves admit them earlier. */
    unsigned earlier = 0;
    for (size_t limbs = 4000; limbs <= 2400000; limbs += limbs / 20) {
        if (!TEST_OK(gfmul_plan_limbs(c[1].ctx, &info, limbs, limbs)))
            continue;
        earlier += limbs < 200000 && info.double_levels > 0 && info.m < 18;
        TEST_CHECK_MSG(info.knuth == (info.double_levels == 0) && info.mu == 102 && info.bound < 0.5 &&
                           (limbs < 300000 || info.double_levels > 0),
                       "%zu limbs: %u levels in double, bound %g", limbs, info.double_levels, info.bound);
    }
    TEST_CHECK_MSG(earlier > 0, "no level in double below 200000 limbs");
    if (TEST_OK(gfmul_plan_limbs(c[0].ctx, &info, 300000, 300000)))
        TEST_CHECK_MSG(info.double_levels == 0 && info.knuth && info.l > 13, "digits of %g bits", info.l);
    for (unsigned i = 0; i < 2; i++)
        product_ctx_destroy(&c[i]);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_plans);
    TEST_RUN(test_text_plans);
    TEST_RUN(test_memory);
    TEST_RUN(test_pieces);
    TEST_RUN(test_add_slice);
    TEST_RUN(test_products);
    TEST_RUN(test_adaptive);
    return test_end();
}
