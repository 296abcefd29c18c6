/* t-mul_knuth.c - the classical rule at every size: literally satisfied, and GMP's products. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "products.h"

static struct product_ctx knuth_ctx(enum gfmul_precision precision, unsigned threads, int full)
{
    struct product_ctx c;
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.device = "cpu";
    opt.rule = GFMUL_RULE_KNUTH;
    opt.precision = precision;
    opt.threads = threads;
    opt.verify = GFMUL_VERIFY_NONE;
    opt.full_precision = full;
    snprintf(c.name, sizeof c.name, "rule knuth, precision %d, %u threads, full %d", (int)precision, threads, full);
    test_note("%s", c.name);
    if (!TEST_OK(gfmul_ctx_create(&c.ctx, &opt)))
        exit(1);
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
    TEST_CHECK(strcmp(info.rule, "knuth") == 0 && info.knuth && info.mu == (strcmp(info.precision, "dd") == 0 ? 102 : 53));
    TEST_CHECK_MSG(4 * m + 2 * l <= info.mu, "m = %g, l = %g, mu = %u", m, l, info.mu);
    TEST_CHECK(info.proved && info.bound < 0.5);
    const size_t digits = info.a_digits * info.a_pieces * (info.n_slices > 1 ? info.n_slices : 1);
    TEST_CHECK_MSG((double)digits * info.l >= 64.0 * (double)(an > bn ? an : bn), "%zu digits are too few", digits);
    TEST_CHECK(info.a_pieces > 1 || info.n_slices > 1 || info.a_digits + info.b_digits - 1 <= 2 * info.n_points);
    gfmul_plan_print(&info, text, sizeof text);
    TEST_CHECK(!!strstr(text, "pieces: ") == (info.a_pieces > 1) && strstr(text, "knuth: holds, mu = ") != NULL);
    test_plan_set(NULL, NULL);
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

static void test_products(void)
{
    struct product_ctx c[3] = {knuth_ctx(GFMUL_PRECISION_AUTO, 1, 0), knuth_ctx(GFMUL_PRECISION_AUTO, 3, 0),
                               knuth_ctx(GFMUL_PRECISION_DD, 1, 1)};
    for (unsigned i = 0; i < (test_long() ? 600 : 90); i++) {
        const size_t an = test_size(1, i % 8 ? 1500 : 20000), bn = i % 2 ? an : test_size(1, an);
        product_random(c, 3, an, bn, OPERAND_KINDS, OPERAND_KINDS, (unsigned)test_between(2, 30), test_below(4) == 0);
    }
    if (test_long()) {
        product_random(c + 1, 1, 10000000, 10000000, OPERAND_RANDOM, OPERAND_RANDOM, 20, false);
        product_random(c + 1, 1, 3000000, 100000, OPERAND_ONES, OPERAND_DENSE, 20, false);
    }
    for (unsigned i = 0; i < 3; i++)
        product_ctx_destroy(&c[i]);
}

/* Small digits in a long transform: many of the last levels run in double, or none by the option; the same product. */
static void test_schedule_is_used(void)
{
    struct product_ctx c[2] = {knuth_ctx(GFMUL_PRECISION_DD, 1, 0), knuth_ctx(GFMUL_PRECISION_DD, 1, 1)};
    struct gfmul_plan_info info;
    for (unsigned i = 0; i < 2; i++)
        if (TEST_OK(gfmul_plan_limbs(c[i].ctx, &info, 2000, 2000)))
            TEST_CHECK((info.narrow_levels > 0) == (i == 0) && (i == 0 || info.double_levels == 0));
    for (unsigned i = 0; i < 2; i++)
        product_ctx_destroy(&c[i]);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_plans);
    TEST_RUN(test_products);
    TEST_RUN(test_schedule_is_used);
    return test_end();
}
