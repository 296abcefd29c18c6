/* t-mul_dd.c - products in double-double by the library's own doors: limbs, text, squares, slices, kept operands, threads. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "mul/ctx.h"
#include "products.h"

static struct product_ctx dd_ctx(unsigned threads, enum gfmul_verify verify)
{
    struct product_ctx c;
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.engine = GFMUL_ENGINE_CPU;
    opt.precision = GFMUL_PRECISION_DD;
    opt.threads = threads;
    opt.verify = verify;
    snprintf(c.name, sizeof c.name, "double-double, %u threads", threads);
    test_note("%s", c.name);
    c.ctx = test_ctx(&opt);
    return c;
}

static void contexts(struct product_ctx c[2])
{
    c[0] = dd_ctx(1, GFMUL_VERIFY_NONE);
    c[1] = dd_ctx(3, GFMUL_VERIFY_NONE);
}

/* Sizes of any proportion, squares, random and awkward operands. */
static void test_random(void)
{
    struct product_ctx c[2];
    contexts(c);
    for (unsigned i = 0; i < (test_longest_tier() ? 2000 : 150); i++) {
        const size_t an = test_size(1, i % 10 ? 3000 : 40000), bn = i % 2 ? an - test_below(an / 10 + 1) : test_size(1, an);
        product_random(c, 2, an, bn, OPERAND_KINDS, OPERAND_KINDS, (unsigned)test_between(10, 30), test_below(5) == 0);
    }
    if (test_longest_tier())
        product_random(c, 2, 1000000, 900000, OPERAND_RANDOM, OPERAND_ONES, 30, false);
    for (unsigned i = 0; i < 2; i++)
        product_ctx_destroy(&c[i]);
}

/* What the plan says: precision, mu, digits of more than 30 bits; and that the report says it too. */
static void test_plan_says(void)
{
    struct product_ctx c = dd_ctx(1, GFMUL_VERIFY_NONE);
    struct gfmul_plan_info info;
    if (TEST_OK(gfmul_plan_limbs(c.ctx, &info, 5000, 5000))) {
        test_plan(&info);
        TEST_CHECK(strcmp(info.precision, "dd") == 0 && info.mu == 102 && strcmp(info.packing, "right-angle") == 0);
        TEST_CHECK(info.l > 38 && info.l <= 46 && info.proved && info.bound < (info.norms_measured ? 1 : 0.5));
        TEST_CHECK(info.memory_bytes > 0);
    }
    unsigned seen = 0; /* bit q: a length of q 2^k */
    for (size_t n = 700; n < 12000; n += n / 16) {
        if (!TEST_OK(gfmul_plan_limbs(c.ctx, &info, n, n)))
            break;
        seen |= 1u << (info.n_points >> __builtin_ctzll(info.n_points));
    }
    TEST_CHECK_MSG(seen == (1u << 1 | 1u << 3 | 1u << 5 | 1u << 7), "odd factors %#x", seen);
    product_ctx_destroy(&c);
}

/* Light passes where the bound allows them, none in full precision and by the classical rule; a length is not left for them. */
static void test_light_passes(void)
{
    struct gfmul_options opt;
    struct product_ctx c[3];
    unsigned light = 0;
    for (unsigned i = 0; i < 3; i++) { /* norm, norm in full, knuth */
        gfmul_options_init(&opt);
        opt.engine = GFMUL_ENGINE_CPU;
        opt.precision = GFMUL_PRECISION_DD;
        opt.rule = i == 2 ? GFMUL_RULE_KNUTH : GFMUL_RULE_NORM;
        opt.threads = 1;
        snprintf(c[i].name, sizeof c[i].name, "%s", i == 0 ? "light" : i == 1 ? "full" : "knuth");
        c[i].ctx = test_ctx(&opt);
        c[i].ctx->full_precision = i == 1;
    }
    for (size_t n = 700; n < 40000; n += n / 16) {
        struct gfmul_plan_info info[3];
        test_note("%zu limbs", n);
        for (unsigned i = 0; i < 3; i++)
            if (!TEST_OK(gfmul_plan_limbs(c[i].ctx, &info[i], n, n)))
                exit(1);
        light += info[0].light_levels > 0;
        TEST_CHECK(info[1].light_levels == 0 && info[2].light_levels == 0);
        TEST_CHECK(info[0].bound < (info[0].norms_measured ? 1 : 0.5) && info[0].n_points <= 5 * info[1].n_points / 4);
    }
    TEST_CHECK_MSG(light > 40, "%u plans with light passes", light);
    for (unsigned i = 0; i < 8; i++)
        product_random(c, 2, test_size(400, 8000), test_size(400, 8000), OPERAND_KINDS, OPERAND_KINDS, 30, i % 4 == 0);
    for (unsigned i = 0; i < 3; i++)
        product_ctx_destroy(&c[i]);
}

/* A fixed operand against others of any length. */
static void test_kept(void)
{
    struct product_ctx c = dd_ctx(2, GFMUL_VERIFY_MOD);
    for (unsigned i = 0; i < 20; i++) {
        const size_t bn = test_size(1, 3000), most = test_size(1, 5000);
        mp_limb_t *b = test_alloc(bn * sizeof *b);
        operand_fill(b, bn, i % 2 ? OPERAND_RANDOM : OPERAND_ONES, 30, test_u64());
        b[bn - 1] |= 1;
        struct gfmul_operand *kept;
        if (!TEST_OK(gfmul_operand_create(c.ctx, &kept, b, bn, most)))
            break;
        for (unsigned k = 0; k < 3; k++) {
            const size_t an = test_size(1, 2 * most);
            mp_limb_t *a = test_alloc(an * sizeof *a), *z = test_alloc((an + bn) * sizeof *z);
            mp_limb_t *want = test_alloc((an + bn) * sizeof *want);
            operand_fill(a, an, k ? OPERAND_RANDOM : OPERAND_ONES, 30, test_u64());
            a[an - 1] |= 1;
            ref_mul_gmp(want, a, an, b, bn);
            test_note("kept %zu limbs for %zu, %zu limbs", bn, most, an);
            if (TEST_OK(gfmul_operand_mul(kept, z, a, an)))
                test_equal_limbs(z, want, an + bn);
            free(want);
            free(z);
            free(a);
        }
        gfmul_operand_destroy(kept);
        free(b);
    }
    product_ctx_destroy(&c);
}

/* Text in bases that are cut from text: nines, powers, groups at the tie; slices. */
static void test_text(void)
{
    static const unsigned bases[] = {10, 10, 10, 3, 7, 36};
    struct product_ctx c[2];
    contexts(c);
    for (unsigned i = 0; i < (test_longest_tier() ? 600 : 90); i++) {
        const unsigned base = bases[test_below(6)];
        const size_t an = test_size(1000, 60000), bn = i % 3 == 0 ? test_size(500, an) : an - test_below(10);
        char *a = test_alloc(an), *b = test_alloc(bn);
        const enum text_kind ak = (enum text_kind)test_below(TEXT_KINDS), bk = (enum text_kind)test_below(TEXT_KINDS);
        text_fill(a, an, ak, base, (unsigned)test_between(1, 12), test_u64());
        text_fill(b, bn, bk, base, (unsigned)test_between(1, 12), test_u64());
        const size_t size = gfmul_str_mul_size(an, (int)base, bn, (int)base, (int)base);
        char *z = test_alloc(size), *as = test_alloc(an + 1), *bs = test_alloc(bn + 1), *want;
        memcpy(as, a, an), as[an] = 0;
        memcpy(bs, b, bn), bs[bn] = 0;
        mpz_t x, y;
        mpz_init_set_str(x, as, (int)base);
        mpz_init_set_str(y, bs, (int)base);
        mpz_mul(x, x, y);
        want = mpz_get_str(NULL, (int)base, x);
        for (unsigned k = 0; k < 2; k++) {
            size_t len;
            test_note("%s: base %u, %s %zu by %s %zu", c[k].name, base, text_kind_name(ak), an, text_kind_name(bk), bn);
            if (!TEST_OK(gfmul_str_mul(c[k].ctx, z, size, &len, (int)base, a, an, (int)base, b, bn, (int)base)))
                continue;
            TEST_CHECK_MSG(strcmp(z, want) == 0, "the text differs");
            struct gfmul_report report;
            gfmul_ctx_report(c[k].ctx, &report);
            TEST_CHECK(strcmp(report.plan.precision, "dd") == 0 && report.plan.base == base);
        }
        void (*release)(void *, size_t);
        mp_get_memory_functions(NULL, NULL, &release);
        release(want, strlen(want) + 1);
        mpz_clear(x);
        mpz_clear(y);
        free(z), free(as), free(bs), free(a), free(b);
    }
    for (unsigned i = 0; i < 2; i++)
        product_ctx_destroy(&c[i]);
}

/* No transforms of other packings than right-angle, nor of rule checked: a context is refused, not each of its products. */
static void test_options(void)
{
    static const enum gfmul_engine engines[] = {GFMUL_ENGINE_AUTO, GFMUL_ENGINE_CPU, GFMUL_ENGINE_GMP};
    for (size_t e = 0; e < sizeof engines / sizeof *engines; e++)
        for (int rule = GFMUL_RULE_NORM; rule <= GFMUL_RULE_CHECKED; rule++)
            for (int packing = GFMUL_PACKING_AUTO; packing <= GFMUL_PACKING_RIGHT_ANGLE; packing++) {
                struct gfmul_options opt;
                struct gfmul_ctx *ctx;
                gfmul_options_init(&opt);
                opt.engine = engines[e];
                opt.precision = GFMUL_PRECISION_DD;
                opt.rule = (enum gfmul_rule)rule;
                opt.packing = (enum gfmul_packing)packing;
                const bool packs = packing == GFMUL_PACKING_AUTO || packing == GFMUL_PACKING_RIGHT_ANGLE;
                const bool can = opt.engine == GFMUL_ENGINE_GMP || (rule != GFMUL_RULE_CHECKED && packs);
                const enum gfmul_status status = gfmul_ctx_create(&ctx, &opt);
                test_note("engine %d, rule %d, packing %d", (int)opt.engine, rule, packing);
                TEST_CHECK_MSG(status == (can ? GFMUL_OK : GFMUL_ERR_UNSUPPORTED), "status %d", (int)status);
                gfmul_ctx_destroy(ctx);
            }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_options);
    TEST_RUN(test_plan_says);
    TEST_RUN(test_light_passes);
    TEST_RUN(test_random);
    TEST_RUN(test_kept);
    TEST_RUN(test_text);
    return test_end();
}
