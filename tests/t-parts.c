/* t-parts.c - parts of products and products modulo B^n - 1 and B^n + 1, against GMP's whole products and sums of diagonals. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

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

static size_t next_size(struct gfmul_ctx *ctx, size_t n, bool plus)
{
    return (plus ? gfmul_mulmod_bnp1_next_size : gfmul_mulmod_bnm1_next_size)(ctx, n);
}

/* modulo - a product modulo B^n - 1 or B^n + 1. */
static void modulo(struct gfmul_ctx *ctx, size_t n, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn, bool plus)
{
    mp_limb_t *p = test_alloc((an + bn) * sizeof *p), *want = test_alloc((n + 1) * sizeof *want);
    struct guard z = guard_create((n + plus) * sizeof *want, GUARD_AFTER);
    ref_mul_gmp(p, a, an, b, bn);
    ref_modulo(want, n + plus, p, an + bn, n, plus);
    test_note("modulo B^%zu %c 1, %zu x %zu%s", n, plus ? '+' : '-', an, bn, a == b ? " (square)" : "");
    if (TEST_OK((plus ? gfmul_mulmod_bnp1 : gfmul_mulmod_bnm1)(ctx, z.p, n, a, an, b, bn)))
        test_equal_limbs(z.p, want, n + plus);
    TEST_CHECK(guard_intact(&z));
    guard_destroy(&z);
    free(want);
    free(p);
}

/* middle - a middle product, by its definition. */
static void middle(struct gfmul_ctx *ctx, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    const size_t n = an - bn + 3;
    mp_limb_t *want = test_alloc(n * sizeof *want);
    struct guard z = guard_create(n * sizeof *want, GUARD_AFTER);
    ref_middle(want, a, an, b, bn);
    test_note("middle of %zu x %zu", an, bn);
    if (TEST_OK(gfmul_mulmid(ctx, z.p, a, an, b, bn)))
        test_equal_limbs(z.p, want, n);
    TEST_CHECK(guard_intact(&z));
    guard_destroy(&z);
    free(want);
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
    if (an >= bn)
        middle(ctx, a, an, b, bn);
    for (unsigned plus = 0; plus < 2; plus++) {
        modulo(ctx, n, a, an, b, bn, plus);
        const size_t m = next_size(ctx, n, plus);
        TEST_CHECK(m >= n && m <= 2 * n + 64);
        modulo(ctx, m, a, an, b, bn, plus);
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

/* halves_fill - a of 2 m limbs, the lower half plus or minus the higher one is x, of m limbs, modulo B^m. */
static void halves_fill(mp_limb_t *a, size_t m, const mp_limb_t *x)
{
    fill(a + m, m);
    if (test_u64() % 4 == 0)
        memset(a + m, 0, m * sizeof *a);
    (test_u64() % 2 ? mpn_add_n : mpn_sub_n)(a, x, a + m, (mp_size_t)m);
}

/* edge_fill - x next to 0 or to B^m / 2, on either side. */
static void edge_fill(mp_limb_t *x, size_t m)
{
    memset(x, 0, m * sizeof *x);
    x[m - 1] = (test_u64() % 2) << 63;
    mpn_add_1(x, x, (mp_size_t)m, test_u64() % 3);
    mpn_sub_1(x, x, (mp_size_t)m, test_u64() % 3);
}

/* Products modulo B^(2m) - 1 of operands next to 0 or B^m / 2 modulo B^m + 1 or B^m - 1, or with a product B^m there. */
static void test_halves(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    for (unsigned i = 0; i < (unsigned)test_tier(60, 400, 4000); i++) {
        const size_t m = next_size(c.ctx, SMALL ? test_between(60, 100) : test_between(600, 3000), true);
        mp_limb_t *a = test_alloc(2 * m * sizeof *a), *b = test_alloc(2 * m * sizeof *b), *x = test_alloc(m * sizeof *x);
        edge_fill(x, m);
        halves_fill(a, m, x);
        edge_fill(x, m);
        halves_fill(b, m, x);
        if (i % 3 == 0) { /* B^(m / 2) and B^(m - m / 2) */
            memset(x, 0, m * sizeof *x);
            x[m / 2] = 1;
            halves_fill(a, m, x);
            x[m / 2] = 0;
            x[m - m / 2] = 1;
            halves_fill(b, m, x);
        } else if (i % 3 == 1) {
            fill(a, 2 * m);
        }
        modulo(c.ctx, 2 * m, a, 2 * m, b, 2 * m, false);
        modulo(c.ctx, 2 * m, b, 2 * m, b, 2 * m, false);
        modulo(c.ctx, 2 * m, a, test_between(1, 2 * m), b, test_between(1, 2 * m), false);
        modulo(c.ctx, m, a, m, b, m, true);
        free(x);
        free(b);
        free(a);
    }
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
        const struct ring r = ring_choose(&call, least, RING_KEPT);
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

/* faults - each allocation of a product modulo B^m - 1 or B^m + 1, or of another part, fails once: MEMORY, nothing is left. */
static void faults(struct product_ctx (*make)(void), size_t n, bool primes)
{
    mp_limb_t *a = test_alloc(n * sizeof *a), *b = test_alloc(n * sizeof *b);
    operand_fill(a, n, OPERAND_TOP_BIT, 16, test_u64());
    operand_fill(b, n, OPERAND_RANDOM, 16, test_u64());
    for (unsigned kind = 0, k = 0; kind < 3; k++) {
        struct product_ctx c = make();
        const size_t m = next_size(c.ctx, n, kind == 1);
        mp_limb_t *z = test_alloc((m + 1) * sizeof *z);
        alloc_fail_after((int)k);
        const enum gfmul_status s = kind == 0   ? gfmul_mulmod_bnm1(c.ctx, z, m, a, n, b, n)
                                    : kind == 1 ? gfmul_mulmod_bnp1(c.ctx, z, m, a, n, b, n)
                                                : gfmul_mulmid(c.ctx, z, a, n, b, n / 2);
        alloc_fail_after(-1);
        TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_MEMORY, "status %d", (int)s);
        if (s == GFMUL_OK) {
            TEST_CHECK(k > 1 && (!primes || !strcmp(report_of(&c).plan.precision, "prime")));
            k = 0;
            kind++;
        }
        modulo(c.ctx, m, a, n, b, n, kind == 1);
        free(z);
        product_ctx_destroy(&c);
    }
    free(b);
    free(a);
}

static struct product_ctx cpu_ctx(void)
{
    return product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
}

static void test_faults(void)
{
    faults(cpu_ctx, SMALL ? 200 : 3000, false);
}

/* ---- modulo primes ---- */

enum { PRIME_LEAST = 2000, PRIME_MOST = 12000 }; /* limbs; rings modulo primes begin at 1568 */

static struct product_ctx prime_ctx(void)
{
    return product_ctx_primes(1, 0, NULL, NULL);
}

/* in_ring - the product of full operands is made in a ring modulo primes: its points times the bits of a digit are all bits. */
static bool in_ring(const struct product_ctx *c, size_t n)
{
    const struct gfmul_plan_info plan = report_of(c).plan;
    return strcmp(plan.precision, "prime") == 0 && plan.n_points * plan.exponent == 64 * n;
}

/* Operands of all kinds and lengths, that fill rings and that do not. */
static void test_prime_rings(void)
{
    size_t rings[2] = {0};
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        struct product_ctx c = product_ctx_primes(threads, 0, NULL, NULL);
        for (unsigned i = 0; i < (unsigned)test_tier(20, 200, 2000); i++) {
            const bool plus = test_u64() % 2;
            const size_t n = next_size(c.ctx, test_between(PRIME_LEAST, PRIME_MOST), plus);
            const size_t an = test_u64() % 2 ? n : test_between(n / 2 + 1, n), bn = test_u64() % 4 ? n : test_between(1, n);
            mp_limb_t *a = test_alloc(n * sizeof *a), *b = test_alloc(n * sizeof *b);
            fill(a, an);
            fill(b, bn);
            modulo(c.ctx, n, a, an, b, bn, plus);
            modulo(c.ctx, n, a, an, a, an, plus);
            operand_fill(a, n, OPERAND_TOP_BIT, 16, test_u64());
            operand_fill(b, n, i % 2 ? OPERAND_ONES : OPERAND_RANDOM, 16, test_u64());
            modulo(c.ctx, n, a, n, b, n, plus);
            rings[plus] += in_ring(&c, n);
            free(b);
            free(a);
        }
        product_ctx_destroy(&c);
    }
    TEST_CHECK_MSG(rings[0] > 0 && rings[1] > 0, "%zu and %zu in rings", rings[0], rings[1]);
}

/* diagonal - the two lowest limbs of diagonal k. */
static void diagonal(mp_limb_t sum[2], const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn, size_t k)
{
    unsigned __int128 s = 0;
    for (size_t i = k < bn ? 0 : k - bn + 1; i < an && i <= k; i++)
        s += (unsigned __int128)a[i] * b[k - i];
    sum[0] = (mp_limb_t)s;
    sum[1] = (mp_limb_t)(s >> 64);
}

/* high_fill - change a and b until the diagonals above the middle product are -1 modulo B^2, so that they carry over the wrap. */
static void high_fill(mp_limb_t *a, size_t an, mp_limb_t *b, size_t bn)
{
    mp_limb_t low[2], high[2];
    a[an - 1] = 1;
    a[an - 2] = 0;
    diagonal(low, a, an, b, bn, an);
    b[1] += ~low[0];
    diagonal(low, a, an, b, bn, an);
    diagonal(high, a, an, b, bn, an + 1);
    b[2] += ~(low[1] + high[0]);
}

/* Middle products in rings of either modulus, with and without a carry over the wrap. */
static void test_prime_middles(void)
{
    size_t rings = 0;
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        struct product_ctx c = product_ctx_primes(threads, 0, NULL, NULL);
        for (unsigned i = 0; i < (unsigned)test_tier(8, 60, 600); i++) {
            const size_t an = test_between(PRIME_LEAST, PRIME_MOST / 2), bn = test_between(an / 8, an - an / 8);
            mp_limb_t *a = test_alloc(an * sizeof *a), *b = test_alloc(bn * sizeof *b);
            fill(a, an);
            fill(b, bn);
            middle(c.ctx, a, an, b, bn);
            operand_fill(a, an, i % 2 ? OPERAND_ONES : OPERAND_RANDOM, 16, test_u64());
            operand_fill(b, bn, i % 2 ? OPERAND_RANDOM : OPERAND_ONES, 16, test_u64());
            high_fill(a, an, b, bn);
            middle(c.ctx, a, an, b, bn);
            const struct gfmul_plan_info plan = report_of(&c).plan;
            rings += strcmp(plan.precision, "prime") == 0 && plan.n_points * plan.exponent < 64 * (an + bn);
            free(b);
            free(a);
        }
        product_ctx_destroy(&c);
    }
    TEST_CHECK_MSG(rings > 0, "%zu in rings", rings);
}

/* The largest coefficients, and products that are 0, 1, -1, -2 or 2 modulo B^n - 1 and B^n + 1. */
static void test_prime_edges(void)
{
    struct product_ctx c = prime_ctx();
    for (size_t least = PRIME_LEAST; least < PRIME_MOST; least += least / 5)
        for (unsigned plus = 0; plus < 2; plus++) {
            const size_t n = next_size(c.ctx, least, plus), bit = test_between(1, 64 * n - 1), half = 32 * n;
            mp_limb_t *a = test_alloc(n * sizeof *a), *b = test_alloc(n * sizeof *b);
            operand_fill(a, n, OPERAND_ONES, 16, 0);
            operand_fill(b, n, OPERAND_ONES, 16, 0);
            modulo(c.ctx, n, a, n, b, n, plus);
            modulo(c.ctx, n, a, n, a, n, plus);
            TEST_CHECK(in_ring(&c, n));
            b[0]--;
            modulo(c.ctx, n, a, n, b, n, plus);
            a[0] -= 3; /* 3 1 modulo B^n - 1, but the sum of the coefficients ends beyond B^n - 1 */
            modulo(c.ctx, n, a, n, b, n, plus);
            memset(a, 0, n * sizeof *a);
            memset(b, 0, n * sizeof *b);
            a[bit / 64] = (mp_limb_t)1 << bit % 64; /* 2^bit 2^(64 n - bit) = B^n */
            b[(64 * n - bit) / 64] = (mp_limb_t)1 << (64 * n - bit) % 64;
            modulo(c.ctx, n, a, n, b, n, plus);
            b[0]++;
            modulo(c.ctx, n, a, n, b, n, plus);
            memset(a, 0, n * sizeof *a);
            memset(b, 0, n * sizeof *b);
            for (size_t i = 0; i < half; i++) /* (2^half - 1) (2^half + 1) = B^n - 1 */
                a[i / 64] |= (mp_limb_t)1 << i % 64;
            b[half / 64] = (mp_limb_t)1 << half % 64;
            b[0] |= 1;
            modulo(c.ctx, n, a, n, b, n, plus);
            free(b);
            free(a);
        }
    product_ctx_destroy(&c);
}

/*
 * Modulo B^n - 1, a (1 + 2^(l j)) with j odd and digits of l bits in a that are in turn x and 2^l - 1 - x: all coefficients are
 * 2^l - 1, but for two that are one more.  So the carry of one part of the coefficients goes through all others.
 */
static void test_prime_carries(void)
{
    struct product_ctx c = product_ctx_primes(3, 0, NULL, NULL);
    for (size_t least = PRIME_LEAST; least < PRIME_MOST; least += least / 3) {
        const size_t n = next_size(c.ctx, least, false);
        mp_limb_t *a = test_alloc(n * sizeof *a), *b = test_alloc(n * sizeof *b);
        operand_fill(a, n, OPERAND_ONES, 16, 0);
        modulo(c.ctx, n, a, n, a, n, false);
        TEST_CHECK(in_ring(&c, n));
        const size_t l = report_of(&c).plan.exponent, half = 32 * n / l, from = l * (half - half % 2 + 1);
        memset(a, 0, n * sizeof *a);
        memset(b, 0, n * sizeof *b);
        for (size_t i = 0; i < 64 * n; i++) /* x = 2^(l / 2) - 1 */
            a[i / 64] |= (mp_limb_t)((i % l < l / 2) == (i / l % 2 == 0)) << i % 64;
        b[0] = 1;
        b[from / 64] |= (mp_limb_t)1 << from % 64;
        modulo(c.ctx, n, a, n, b, n, false);
        a[0]++;
        modulo(c.ctx, n, a, n, b, n, false);
        free(b);
        free(a);
    }
    product_ctx_destroy(&c);
}

static void test_prime_faults(void)
{
    faults(prime_ctx, PRIME_LEAST, true);
}

/* Limits of memory, from none to enough: MEMORY, or the right product. */
static void test_prime_memory(void)
{
    const size_t n = PRIME_LEAST;
    mp_limb_t *a = test_alloc(n * sizeof *a), *z = test_alloc((2 * n + 1) * sizeof *z);
    operand_fill(a, n, OPERAND_RANDOM, 16, test_u64());
    for (unsigned plus = 0; plus < 2; plus++) {
        bool refused = false, made = false;
        for (size_t limit = 1 << 12; !made; limit += limit / 4) {
            struct product_ctx c = product_ctx_primes(1, limit, NULL, NULL), free_ctx = prime_ctx();
            const size_t m = next_size(free_ctx.ctx, n, plus);
            const enum gfmul_status s = (plus ? gfmul_mulmod_bnp1 : gfmul_mulmod_bnm1)(c.ctx, z, m, a, n, a, n);
            TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_MEMORY, "status %d", (int)s);
            refused = refused || s == GFMUL_ERR_MEMORY;
            if (s == GFMUL_OK)
                modulo(c.ctx, m, a, n, a, n, plus);
            made = s == GFMUL_OK && in_ring(&c, m);
            product_ctx_destroy(&free_ctx);
            product_ctx_destroy(&c);
        }
        TEST_CHECK(refused);
    }
    free(z);
    free(a);
}

/* kept_check - products by b's kept spectrum, with operands of all lengths. */
static void kept_check(struct call *call, const struct ring *r, const mp_limb_t *b, size_t bn)
{
    const size_t n = r->n;
    mp_limb_t *a = test_alloc(n * sizeof *a), *p = test_alloc(2 * n * sizeof *p);
    mp_limb_t *z = test_alloc((n + 1) * sizeof *z), *want = test_alloc((n + 1) * sizeof *want);
    struct ring_operand x = {.p = b, .n = bn};
    if (TEST_OK(ring_keep(call, r, &x))) {
        TEST_CHECK((x.spectrum != NULL) == (limbs_normal_size(b, bn) > 0));
        TEST_CHECK(call->reserved == (x.spectrum ? x.spectrum->bytes : 0));
        for (unsigned i = 0; i < 4; i++) {
            const size_t an = i == 0 ? n : test_between(1, n);
            fill(a, an);
            a[an - 1] &= ~(mp_limb_t)0 >> 1;
            ref_mul_gmp(p, a, an, b, bn);
            ring_fold(want, n, p, an + bn);
            test_note("ring of %zu limbs, %zu x %zu limbs", n, an, bn);
            if (TEST_OK(ring_mul(call, r, z, a, an, &x)))
                test_equal_limbs(z, want, n + 1);
        }
    }
    ring_forget(call->ctx, call, &x);
    TEST_CHECK(call->reserved == 0);
    free(want);
    free(z);
    free(p);
    free(a);
}

static void test_prime_kept(void)
{
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        struct product_ctx c = product_ctx_primes(threads, 0, NULL, NULL);
        struct call call;
        call_begin(&call, c.ctx);
        for (size_t least = PRIME_LEAST; least < PRIME_MOST; least += least / 4) {
            const struct ring r = ring_choose(&call, least, RING_KEPT);
            mp_limb_t *b = test_alloc(r.n * sizeof *b);
            TEST_CHECK(r.transform && r.n >= least);
            for (unsigned i = 0; i < 3; i++) {
                const size_t bn = i < 2 ? r.n : test_between(1, r.n);
                operand_fill(b, bn, i == 0 ? OPERAND_ONES : (enum operand_kind)(test_u64() % OPERAND_KINDS), 16, test_u64());
                b[bn - 1] &= ~(mp_limb_t)0 >> 1;
                kept_check(&call, &r, b, bn);
            }
            free(b);
        }
        TEST_CHECK(call.report.n_fallbacks == 0 && !strcmp(call.report.plan.precision, "prime"));
        TEST_OK(call_end(&call, GFMUL_OK));
        product_ctx_destroy(&c);
    }
}

/* ring_limited - the ring that is chosen under a limit of memory. */
static struct ring ring_limited(size_t least, enum ring_use use, size_t limit)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    struct call call;
    c.ctx->opt.memory_limit = limit;
    call_begin(&call, c.ctx);
    const struct ring r = ring_choose(&call, least, use);
    TEST_CHECK_MSG(call.why[0] == '\0', "a choice has failed: %s", call.why);
    TEST_OK(call_end(&call, GFMUL_OK));
    product_ctx_destroy(&c);
    return r;
}

/*
 * Precision auto keeps transforms modulo primes only if four products' memory is there.  Nothing is multiplied here, so the rings
 * are long: there processors with products of 52 bits take primes.  On others there is nothing to see.
 */
static void test_kept_memory(void)
{
    const size_t least = 4000000 + test_below(100000), ample = (size_t)1 << 40;
    const struct ring once = ring_limited(least, RING_PRODUCTS, ample), kept = ring_limited(least, RING_KEPT, ample);
    size_t once_bytes = 0, kept_bytes = 0;
    if (kept.precision != GFMUL_PRECISION_PRIME)
        return;
    for (size_t limit = 1 << 24; limit < ample && kept_bytes == 0; limit += limit / 8) {
        if (once_bytes == 0 && ring_limited(least, RING_PRODUCTS, limit).cost_ps <= once.cost_ps)
            once_bytes = limit;
        if (ring_limited(least, RING_KEPT, limit).precision == GFMUL_PRECISION_PRIME)
            kept_bytes = limit;
    }
    TEST_CHECK_MSG(once_bytes > 0 && kept_bytes > once_bytes + once_bytes / 4,
                   "products from %zu bytes on, kept transforms from %zu", once_bytes, kept_bytes);
}

/* The halves of a next size have halves, and so on: together they cost about what one ring of its length does. */
static void test_next_sizes(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    struct call call;
    for (size_t n = 3000 + test_below(500); n < 32000; n += n / 16) {
        const size_t m = next_size(c.ctx, n, false);
        double halves = 0;
        call_begin(&call, c.ctx);
        const struct ring whole = ring_choose(&call, n, RING_PRODUCTS), direct = ring_exact(&call, m, RING_MINUS);
        for (size_t k = m; k % 2 == 0 && k > 2000; k /= 2)
            halves += ring_exact(&call, k / 2, RING_PRODUCTS).cost_ps; /* infinite if there is none */
        TEST_CHECK_MSG(m >= n && m <= n + n / 6 && fmin(halves, direct.cost_ps) < 1.4 * whole.cost_ps,
                       "%zu: %zu, %g %g ps, not %g", n, m, halves, direct.cost_ps, whole.cost_ps);
        TEST_OK(call_end(&call, GFMUL_OK));
    }
    product_ctx_destroy(&c);
}

static int count_down(void *arg, double done)
{
    unsigned *left = arg;
    (void)done;
    return *left == 0 ? 1 : --*left == 0;
}

/* Stopped at every call of the callback: INTERRUPTED, and the next product is right. */
static void test_prime_stops(void)
{
    unsigned left;
    struct product_ctx c = product_ctx_primes(2, 0, count_down, &left);
    const size_t n = PRIME_LEAST;
    mp_limb_t *a = test_alloc(n * sizeof *a), *z = test_alloc((2 * n + 1) * sizeof *z);
    operand_fill(a, n, OPERAND_RANDOM, 16, test_u64());
    for (unsigned plus = 0; plus < 2; plus++) {
        left = 1000;
        const size_t m = next_size(c.ctx, n, plus);
        bool made = false;
        for (unsigned k = 1; !made; k++) {
            left = k;
            const enum gfmul_status s = (plus ? gfmul_mulmod_bnp1 : gfmul_mulmod_bnm1)(c.ctx, z, m, a, n, a, n);
            TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_INTERRUPTED, "status %d", (int)s);
            made = s == GFMUL_OK;
            left = 1000;
            modulo(c.ctx, m, a, n, a, n, plus);
        }
    }
    free(z);
    free(a);
    product_ctx_destroy(&c);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_random_parts);
    TEST_RUN(test_threads);
    TEST_RUN(test_whole);
    TEST_RUN(test_full_rings);
    TEST_RUN(test_halves);
    TEST_RUN(test_without_spectrum);
    TEST_RUN(test_errors);
    TEST_RUN(test_faults);
    TEST_RUN(test_prime_rings);
    TEST_RUN(test_prime_middles);
    TEST_RUN(test_prime_edges);
    TEST_RUN(test_prime_carries);
    TEST_RUN(test_prime_faults);
    TEST_RUN(test_prime_memory);
    TEST_RUN(test_prime_stops);
    TEST_RUN(test_prime_kept);
    TEST_RUN(test_kept_memory);
    TEST_RUN(test_next_sizes);
    return test_end();
}
