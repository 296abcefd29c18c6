/* t-parts.c - parts of products and products modulo B^n - 1 and B^n + 1, against GMP's whole products and sums of diagonals. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "above/ring.h"
#include "base/alloc.h"
#include "faulty_stages.h"
#include "gfmul_arith.h"
#include "products.h"

#ifdef GFMUL_MIN_THRESHOLDS
enum { SMALL = 1 };
#else
enum { SMALL = 0 };
#endif
#define TEST_STATUS(expression, wanted) TEST_CHECK((expression) == (wanted))

/* random_size - mostly short, sometimes long enough for transforms. */
static size_t random_size(size_t least)
{
    return test_size(least, test_u64() % 4 ? 60 : SMALL ? 300 : 4000);
}

static void fill(mp_limb_t *a, size_t n)
{
    if (n > 0)
        operand_fill(a, n, (enum operand_kind)(test_u64() % OPERAND_KINDS), (unsigned)test_between(8, 22), test_u64());
}

/* ref_modulo - z = a modulo B^n - 1 or B^n + 1, zn limbs. */
static void ref_modulo(mp_limb_t *z, size_t zn, const mp_limb_t *a, size_t an, size_t n, bool plus)
{
    mpz_t x, m;
    mpz_init(x);
    mpz_init_set_ui(m, 1);
    mpz_import(x, an, -1, sizeof *a, 0, 0, a);
    mpz_mul_2exp(m, m, 64 * n);
    if (plus)
        mpz_add_ui(m, m, 1);
    else
        mpz_sub_ui(m, m, 1);
    mpz_fdiv_r(x, x, m);
    memset(z, 0, zn * sizeof *z);
    mpz_export(z, NULL, -1, sizeof *z, 0, 0, x);
    mpz_clears(x, m, NULL);
}

/* ref_middle - by its definition, row by row. */
static void ref_middle(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    const size_t row = an - bn + 1;
    memset(z, 0, (row + 2) * sizeof *z);
    for (size_t j = 0; j < bn; j++)
        mpn_add_1(z + row, z + row, 2, mpn_addmul_1(z, a + (bn - 1 - j), (mp_size_t)row, b[j]));
}

/* one - all functions on two operands. */
static void one(struct gfmul_ctx *ctx, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    const size_t pn = an + bn, longer = an > bn ? an : bn, n = longer + (test_u64() % 2 ? 0 : test_u64() % (longer + 1));
    mp_limb_t *p = test_alloc((pn + 1) * sizeof *p), *want = test_alloc((pn + 2 * n + 8) * sizeof *want);
    mp_limb_t *z = test_alloc((pn + 2 * n + 8) * sizeof *z);
    ref_mul_gmp(p, a, an, b, bn);
    const size_t zn = test_u64() % (pn + 1);
    z[zn] = 77;
    test_note("low %zu of %zu x %zu", zn, an, bn);
    if (TEST_OK(gfmul_mullow(ctx, z, zn, a, an, b, bn)))
        test_equal_limbs(z, p, zn);
    TEST_CHECK(z[zn] == 77);
    z[pn - zn] = 77;
    if (TEST_OK(gfmul_mulhigh(ctx, z, zn, a, an, b, bn)))
        test_equal_limbs(z, p + zn, pn - zn);
    TEST_CHECK(z[pn - zn] == 77);
    if (an >= bn) {
        const size_t mn = an - bn + 3;
        ref_middle(want, a, an, b, bn);
        z[mn] = 77;
        test_note("middle of %zu x %zu", an, bn);
        if (TEST_OK(gfmul_mulmid(ctx, z, a, an, b, bn)))
            test_equal_limbs(z, want, mn);
        TEST_CHECK(z[mn] == 77);
    }
    for (unsigned plus = 0; plus < 2; plus++)
        for (unsigned next = 0; next < 2; next++) {
            const size_t m = !next ? n : plus ? gfmul_mulmod_bnp1_next_size(ctx, n) : gfmul_mulmod_bnm1_next_size(ctx, n);
            TEST_CHECK(m >= n && m <= 2 * n + 64);
            mp_limb_t *y = test_alloc((m + 2) * sizeof *y), *w = test_alloc((m + 2) * sizeof *w);
            ref_modulo(w, m + plus, p, pn, m, plus);
            y[m + plus] = 77;
            test_note("modulo B^%zu %c 1, %zu x %zu", m, plus ? '+' : '-', an, bn);
            if (TEST_OK((plus ? gfmul_mulmod_bnp1 : gfmul_mulmod_bnm1)(ctx, y, m, a, an, b, bn)))
                test_equal_limbs(y, w, m + plus);
            TEST_CHECK(y[m + plus] == 77);
            free(w);
            free(y);
        }
    free(z);
    free(want);
    free(p);
}

static void all(struct product_ctx *c, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        const size_t an = random_size(1), bn = test_u64() % 4 ? test_between(1, an) : test_u64() % 2 ? an : random_size(1);
        mp_limb_t *a = test_alloc(an * sizeof *a), *b = test_alloc(bn * sizeof *b);
        fill(a, an);
        fill(b, bn);
        one(c->ctx, a, an, b, bn);
        if (i % 4 == 0)
            one(c->ctx, a, an, a, an);
        free(b);
        free(a);
    }
    product_ctx_destroy(c);
}

static void test_random_parts(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    all(&c, (unsigned)test_tier(300, 3000, 30000));
}

static void test_threads(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_AUTO, 3, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    all(&c, (unsigned)test_tier(60, 600, 6000));
}

/* Contexts whose products are made whole. */
static void test_whole(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_GMP, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    all(&c, (unsigned)test_tier(60, 600, 6000));
    c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_TWO_FOR_ONE, GFMUL_VERIFY_MOD);
    all(&c, (unsigned)test_tier(60, 600, 6000));
    c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_GMP);
    all(&c, (unsigned)test_tier(60, 600, 6000));
}

/* A ring is by a transform where it is long, and its operands fill it: the largest ones, and B^n / 2 itself. */
static void test_full_rings(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    const size_t least = SMALL ? 100 : 3000, n = gfmul_mulmod_bnp1_next_size(c.ctx, least);
    TEST_CHECK(n > least || n % 8 == 0);
    mp_limb_t *a = test_alloc(n * sizeof *a), *b = test_alloc(n * sizeof *b);
    for (unsigned i = 0; i < OPERAND_KINDS; i++) {
        operand_fill(a, n, (enum operand_kind)i, 16, test_u64());
        operand_fill(b, n, (enum operand_kind)(test_u64() % OPERAND_KINDS), 16, test_u64());
        one(c.ctx, a, n, b, n);
        one(c.ctx, a, n, a, n);
    }
    struct gfmul_report report;
    mp_limb_t *z = test_alloc((n + 1) * sizeof *z);
    operand_fill(a, n, OPERAND_RANDOM, 16, test_u64());
    TEST_OK(gfmul_mulmod_bnp1(c.ctx, z, n, a, n, a, n));
    report = report_of(&c);
    free(z);
    TEST_CHECK(!strcmp(report.plan.engine, "cpu") && report.plan.n_points / 32 * report.plan.exponent == n);
    free(b);
    free(a);
    product_ctx_destroy(&c);
}

/* ring_by_kept - a product by b's kept spectrum, whose inverse is no number at first: the product is made without it. */
static void ring_by_kept(struct call *call, const struct ring *r, size_t an, size_t bn)
{
    const size_t n = r->n;
    mp_limb_t *a = test_alloc(an * sizeof *a), *b = test_alloc(bn * sizeof *b), *p = test_alloc((an + bn) * sizeof *p);
    mp_limb_t *z = test_alloc((n + 1) * sizeof *z), *want = test_alloc((n + 1) * sizeof *want);
    struct ring_operand x = {.p = b, .n = bn};
    operand_fill(a, an, OPERAND_RANDOM, 16, test_u64());
    operand_fill(b, bn, OPERAND_RANDOM, 16, test_u64());
    ref_mul_gmp(p, a, an, b, bn);
    ring_fold(want, n, p, an + bn);
    test_note("ring of %zu limbs, %zu x %zu limbs", n, an, bn);
    if (TEST_OK(ring_keep(call, r, &x))) {
        faults_left = r->transform;
        if (TEST_OK(ring_mul(call, r, z, a, an, &x)))
            test_equal_limbs(z, want, n + 1);
        TEST_CHECK(faults_left == 0);
    }
    TEST_CHECK(call->reserved == (x.spectrum ? x.spectrum->bytes : 0));
    ring_forget(call->ctx, call, &x);
    TEST_CHECK(call->reserved == 0);
    free(want);
    free(z);
    free(p);
    free(b);
    free(a);
}

/* A spectrum that is not for a product, whichever operand is longer. */
static void test_without_spectrum(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    struct call call;
    faults_into(&c);
    fault = FAULT_NAN;
    call_begin(&call, c.ctx);
    for (size_t least = 60; least < 1000; least += least / 8) {
        const struct ring r = ring_choose(&call, least);
        for (unsigned part = 1; part < 9; part++) {
            ring_by_kept(&call, &r, r.n * part / 10, r.n * 4 / 10);
            ring_by_kept(&call, &r, r.n * part / 10, r.n - 1);
        }
    }
    TEST_CHECK(call.report.n_fallbacks > 0);
    TEST_OK(call_end(&call, GFMUL_OK));
    product_ctx_destroy(&c);
}

static void test_errors(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    mp_limb_t a[8] = {1, 2, 3, 4}, z[16];
    TEST_STATUS(gfmul_mullow(c.ctx, z, 9, a, 4, a, 4), GFMUL_ERR_ARGUMENT);
    TEST_STATUS(gfmul_mullow(c.ctx, NULL, 8, a, 4, a, 4), GFMUL_ERR_ARGUMENT);
    TEST_STATUS(gfmul_mullow(c.ctx, a + 3, 8, a, 4, a, 4), GFMUL_ERR_OVERLAP);
    TEST_STATUS(gfmul_mullow(c.ctx, z, 8, NULL, 4, a, 4), GFMUL_ERR_ARGUMENT);
    TEST_STATUS(gfmul_mullow(c.ctx, z, 8, a, SIZE_MAX / 4, a, 4), GFMUL_ERR_SIZE);
    TEST_STATUS(gfmul_mulhigh(c.ctx, z, 9, a, 4, a, 4), GFMUL_ERR_ARGUMENT);
    TEST_STATUS(gfmul_mulhigh(c.ctx, a, 4, a, 4, a, 4), GFMUL_ERR_OVERLAP);
    TEST_STATUS(gfmul_mulmid(c.ctx, z, a, 3, a, 4), GFMUL_ERR_ARGUMENT);
    TEST_STATUS(gfmul_mulmid(c.ctx, z, a, 3, a, 0), GFMUL_ERR_ARGUMENT);
    TEST_STATUS(gfmul_mulmid(c.ctx, NULL, a, 4, a, 4), GFMUL_ERR_ARGUMENT);
    TEST_STATUS(gfmul_mulmod_bnm1(c.ctx, z, 3, a, 4, a, 3), GFMUL_ERR_ARGUMENT);
    TEST_STATUS(gfmul_mulmod_bnm1(c.ctx, z, 0, a, 0, a, 0), GFMUL_ERR_ARGUMENT);
    TEST_STATUS(gfmul_mulmod_bnp1(c.ctx, z, 3, a, 3, a, 4), GFMUL_ERR_ARGUMENT);
    TEST_STATUS(gfmul_mulmod_bnp1(c.ctx, a + 2, 4, a, 4, a, 4), GFMUL_ERR_OVERLAP);
    TEST_STATUS(gfmul_mulmod_bnp1(c.ctx, NULL, 4, a, 4, a, 4), GFMUL_ERR_ARGUMENT);
    TEST_STATUS(gfmul_mulmod_bnm1(c.ctx, z, SIZE_MAX, a, 4, a, 4), GFMUL_ERR_SIZE);
    TEST_STATUS(gfmul_mulmod_bnp1(c.ctx, z, SIZE_MAX, a, 4, a, 4), GFMUL_ERR_SIZE);
    TEST_CHECK(gfmul_mulmod_bnm1_next_size(c.ctx, SIZE_MAX) == SIZE_MAX);
    product_ctx_destroy(&c);
}

/* Every allocation fails once: MEMORY, nothing is left, and the next call is right. */
static void test_faults(void)
{
    const size_t n = SMALL ? 200 : 3000;
    mp_limb_t *a = test_alloc(n * sizeof *a), *b = test_alloc(n * sizeof *b);
    fill(a, n);
    operand_fill(b, n, OPERAND_RANDOM, 16, test_u64());
    for (unsigned k = 0, done = 0; !done; k++) {
        struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
        const size_t m = gfmul_mulmod_bnm1_next_size(c.ctx, n);
        mp_limb_t *z = test_alloc((m + 1) * sizeof *z);
        alloc_fail_after((int)k);
        const enum gfmul_status s = k % 2 ? gfmul_mulmid(c.ctx, z, a, n, b, n / 2) : gfmul_mulmod_bnm1(c.ctx, z, m, a, n, b, n);
        alloc_fail_after(-1);
        TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_MEMORY, "status %d", (int)s);
        done = s == GFMUL_OK && k > 1;
        one(c.ctx, a, n, b, n);
        free(z);
        product_ctx_destroy(&c);
    }
    free(b);
    free(a);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_random_parts);
    TEST_RUN(test_threads);
    TEST_RUN(test_whole);
    TEST_RUN(test_full_rings);
    TEST_RUN(test_without_spectrum);
    TEST_RUN(test_errors);
    TEST_RUN(test_faults);
    return test_end();
}
