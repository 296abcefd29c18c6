/* t-mul_short.c - where products pass from GMP to vectors, and from vectors to the convolution. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "products.h"

/* crossover_check - the last product was made by this engine. */
static void crossover_check(struct gfmul_ctx *ctx, const char *engine, size_t n, const char *function)
{
    struct gfmul_report report;
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(strcmp(report.plan.engine, engine) == 0, "%s of %zu limbs: engine %s, planned %s", function, n,
                   report.plan.engine, engine);
}

/* crossover_products - a product and a square of n limbs by each function: the engine that is planned, and GMP's limbs. */
static void crossover_products(struct gfmul_ctx *ctx, size_t n)
{
    struct gfmul_plan_info info;
    mpz_t a, b, z, want;
    mpz_inits(a, b, z, want, NULL);
    operand_fill(mpz_limbs_write(a, (mp_size_t)n), n, OPERAND_TOP_BIT, 13, test_u64());
    operand_fill(mpz_limbs_write(b, (mp_size_t)n), n, OPERAND_TOP_BIT, 13, test_u64());
    mpz_limbs_finish(a, (mp_size_t)n);
    mpz_limbs_finish(b, -(mp_size_t)n);
    mpz_mul(want, a, b);
    mp_limb_t *product = mpz_limbs_write(z, 2 * (mp_size_t)n);
    TEST_OK(gfmul_plan_limbs(ctx, &info, n, n));
    TEST_OK(gfmul_mul(ctx, product, mpz_limbs_read(a), n, mpz_limbs_read(b), n));
    crossover_check(ctx, info.engine, n, "gfmul_mul");
    mpz_limbs_finish(z, -2 * (mp_size_t)n);
    TEST_CHECK(mpz_cmp(z, want) == 0);
    mpz_set_ui(z, 0);
    TEST_OK(gfmul_mpz_mul(ctx, z, a, b));
    crossover_check(ctx, info.engine, n, "gfmul_mpz_mul");
    TEST_CHECK(mpz_cmp(z, want) == 0);
    mpz_set(z, a);
    TEST_OK(gfmul_mpz_mul(ctx, z, z, b)); /* in place */
    TEST_CHECK(mpz_cmp(z, want) == 0);
    mpz_set(z, b);
    TEST_OK(gfmul_mpz_mul(ctx, z, a, z));
    TEST_CHECK(mpz_cmp(z, want) == 0);
    TEST_OK(gfmul_plan_limbs_sqr(ctx, &info, n));
    mpz_mul(want, b, b);
    TEST_OK(gfmul_mpz_mul(ctx, b, b, b));
    crossover_check(ctx, info.engine, n, "gfmul_mpz_mul, a square");
    TEST_CHECK(mpz_cmp(b, want) == 0);
    mpz_mul(want, a, a);
    product = mpz_limbs_write(z, 2 * (mp_size_t)n);
    TEST_OK(gfmul_sqr(ctx, product, mpz_limbs_read(a), n));
    crossover_check(ctx, info.engine, n, "gfmul_sqr");
    mpz_limbs_finish(z, 2 * (mp_size_t)n);
    TEST_CHECK(mpz_cmp(z, want) == 0);
    mpz_clears(a, b, z, want, NULL);
}

/* The sizes at which another engine takes a product, of two numbers or a square, and those before. */
static void test_crossover(void)
{
    enum { END = 1 << 16 };
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_AUTO, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    struct gfmul_ctx *ctx = c.ctx;
    for (int square = 0; square < 2; square++) {
        struct gfmul_plan_info info = {.engine = "gmp"};
        for (size_t n = 1; n < END && strcmp(info.engine, "cpu") != 0; n++) {
            const char *before = info.engine;
            TEST_OK(square ? gfmul_plan_limbs_sqr(ctx, &info, n) : gfmul_plan_limbs(ctx, &info, n, n));
            if (strcmp(info.engine, before) == 0)
                continue;
            if (n > 1)
                crossover_products(ctx, n - 1);
            crossover_products(ctx, n);
        }
    }
    product_ctx_destroy(&c);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_crossover);
    return test_end();
}
