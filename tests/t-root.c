/* t-root.c - square roots with remainders, against GMP's: random numbers, squares, and their neighbours. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/alloc.h"
#include "gfmul_arith.h"
#include "products.h"

#ifdef GFMUL_MIN_THRESHOLDS
enum { LONG_LIMBS = 600 };
#else
enum { LONG_LIMBS = 6000 };
#endif

/* radicand_fill - an limbs: random, a square, 1 less, or s^2 + 2 s, the largest number with that root. */
static void radicand_fill(mp_limb_t *a, size_t an)
{
    const size_t n = an / 2;
    const enum operand_kind kind = (enum operand_kind)(test_u64() % OPERAND_KINDS);
    operand_fill(a, an, kind, (unsigned)test_between(8, 22), test_u64());
    if (n == 0 || test_u64() % 3 == 0)
        return;
    mp_limb_t *s = test_alloc(n * sizeof *s);
    operand_fill(s, n, test_u64() % 4 ? kind : OPERAND_ONES, (unsigned)test_between(8, 22), test_u64());
    memset(a, 0, an * sizeof *a);
    mpn_sqr(a, s, (mp_size_t)n);
    const unsigned which = test_u64() % 3;
    if (which == 1 && mpn_sub_1(a, a, (mp_size_t)an, 1))
        memset(a, 0, an * sizeof *a);
    if (which == 2 && mpn_add_1(a + n, a + n, (mp_size_t)(an - n), mpn_addmul_1(a, s, (mp_size_t)n, 2)))
        memset(a, 0xff, an * sizeof *a);
    free(s);
}

static void agree(struct gfmul_ctx *ctx, const mp_limb_t *a, size_t an)
{
    const size_t n = (an + 1) / 2;
    mp_limb_t *s = test_alloc((n + 1) * sizeof *s), *r = test_alloc((n + 2) * sizeof *r);
    mp_limb_t *want_s = test_alloc_zeroed(n + 1, sizeof *s), *want_r = test_alloc_zeroed(n + 1, sizeof *r);
    mpz_t x, root, rest;
    mpz_inits(root, rest, NULL);
    mpz_sqrtrem(root, rest, mpz_roinit_n(x, a, (mp_size_t)an));
    mpz_export(want_s, NULL, -1, sizeof *s, 0, 0, root);
    mpz_export(want_r, NULL, -1, sizeof *r, 0, 0, rest);
    s[n] = r[n + 1] = 77;
    test_note("root of %zu limbs", an);
    if (TEST_OK(gfmul_sqrtrem(ctx, s, r, a, an))) {
        test_equal_limbs(s, want_s, n);
        test_equal_limbs(r, want_r, n + 1);
    }
    TEST_CHECK(s[n] == 77 && r[n + 1] == 77);
    mpz_t z, y;
    mpz_inits(z, y, NULL);
    mpz_set(z, x);
    if (TEST_OK(gfmul_mpz_sqrtrem(ctx, z, y, z)))
        TEST_CHECK(mpz_cmp(z, root) == 0 && mpz_cmp(y, rest) == 0);
    if (TEST_OK(gfmul_mpz_sqrtrem(ctx, z, NULL, x)))
        TEST_CHECK(mpz_cmp(z, root) == 0);
    mpz_clears(z, y, root, rest, NULL);
    free(want_r);
    free(want_s);
    free(r);
    free(s);
}

static void test_roots(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    for (size_t i = 0; i < test_tier(500, 5000, 50000); i++) {
        const size_t an = i < 40 ? i + 1 : test_size(1, i % 16 ? 600 : LONG_LIMBS);
        mp_limb_t *a = test_alloc(an * sizeof *a);
        radicand_fill(a, an);
        agree(c.ctx, a, an);
        free(a);
    }
    product_ctx_destroy(&c);
}

/* Rings modulo primes. */
static void test_primes(void)
{
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        struct product_ctx c = product_ctx_primes(threads, 0, NULL, NULL);
        for (size_t i = 0; i < test_tier(8, 80, 800); i++) {
            const size_t an = test_between(4000, 12000);
            mp_limb_t *a = test_alloc(an * sizeof *a);
            radicand_fill(a, an);
            agree(c.ctx, a, an);
            free(a);
        }
        product_ctx_destroy(&c);
    }
}

static void test_errors(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    mp_limb_t a[4] = {1, 2, 3, 4}, s[4], r[4];
    mpz_t x;
    mpz_init_set_si(x, -4);
    TEST_CHECK(gfmul_sqrtrem(c.ctx, NULL, r, a, 4) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_sqrtrem(c.ctx, s, NULL, a, 4) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_sqrtrem(c.ctx, s, r, a, 0) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_sqrtrem(c.ctx, s, a + 1, a, 4) == GFMUL_ERR_OVERLAP);
    TEST_CHECK(gfmul_sqrtrem(c.ctx, s, s, a, 4) == GFMUL_ERR_OVERLAP);
    TEST_CHECK(gfmul_sqrtrem(c.ctx, s, r, a, SIZE_MAX / 2) == GFMUL_ERR_SIZE);
    TEST_CHECK(gfmul_mpz_sqrtrem(c.ctx, x, NULL, x) == GFMUL_ERR_ARGUMENT && mpz_cmp_si(x, -4) == 0);
    TEST_CHECK(gfmul_mpz_sqrtrem(c.ctx, x, x, x) == GFMUL_ERR_ARGUMENT);
    mpz_set_ui(x, 0);
    TEST_OK(gfmul_mpz_sqrtrem(c.ctx, x, NULL, x));
    TEST_CHECK(mpz_sgn(x) == 0);
    mpz_clear(x);
    product_ctx_destroy(&c);
}

/* Every allocation fails once. */
static void test_faults(void)
{
    const size_t n = LONG_LIMBS;
    mp_limb_t *a = test_alloc(n * sizeof *a), *s = test_alloc(n * sizeof *s), *r = test_alloc(n * sizeof *r);
    operand_fill(a, n, OPERAND_TOP_BIT, 16, test_u64());
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    enum gfmul_status status = GFMUL_ERR_MEMORY;
    long k = 0;
    for (; status == GFMUL_ERR_MEMORY; k++) {
        gfmul_ctx_trim(c.ctx);
        alloc_fail_after(k);
        status = gfmul_sqrtrem(c.ctx, s, r, a, n);
        alloc_fail_after(-1);
    }
    TEST_OK(status);
    TEST_CHECK_MSG(k > 5, "%ld allocations", k);
    agree(c.ctx, a, n);
    product_ctx_destroy(&c);
    free(r);
    free(s);
    free(a);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_roots);
    TEST_RUN(test_primes);
    TEST_RUN(test_errors);
    TEST_RUN(test_faults);
    return test_end();
}
