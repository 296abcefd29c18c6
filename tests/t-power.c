/* t-power.c - powers modulo a number, against GMP's: random numbers, moduli at the edges, even and odd, long and short powers. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <limits.h>
#include <pthread.h>

#include "above/power.h"
#include "above_test.h"
#include "base/alloc.h"
#include "gfmul_arith.h"
#include "products.h"
#include "progress_often.h"

#ifdef GFMUL_MIN_THRESHOLDS
enum { LONG_LIMBS = 60 };
#else
enum { LONG_LIMBS = 1500 };
#endif

/* base_fill - an limbs: random; or m - 1, a multiple of m, a small number. */
static void base_fill(mp_limb_t *a, size_t an, const mp_limb_t *m, size_t mn)
{
    limbs_fill(a, an);
    const unsigned kind = test_u64() % 6;
    if (kind == 0 && an > 0) {
        memset(a, 0, an * sizeof *a);
        a[0] = test_between(0, 3);
    } else if (kind == 1 && an >= mn) {
        memset(a, 0, an * sizeof *a);
        memcpy(a + (an - mn), m, mn * sizeof *a);
        if (test_u64() % 2)
            mpn_sub_1(a, a, (mp_size_t)an, 1);
    }
}

static void power_of_gmp(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *e, size_t en, const mp_limb_t *m,
                         size_t mn)
{
    mpz_t want, x, y, n;
    mpz_init(want);
    mpz_powm(want, mpz_roinit_n(x, a, (mp_size_t)an), mpz_roinit_n(y, e, (mp_size_t)en), mpz_roinit_n(n, m, (mp_size_t)mn));
    memset(z, 0, mn * sizeof *z);
    memcpy(z, mpz_limbs_read(want), mpz_size(want) * sizeof *z);
    mpz_clear(want);
}

static void all_agree(struct gfmul_ctx *ctx, const mp_limb_t *a, size_t an, const mp_limb_t *e, size_t en, const mp_limb_t *m,
                      size_t mn)
{
    mp_limb_t *z = test_alloc((mn + 1) * sizeof *z), *want = test_alloc(mn * sizeof *want);
    struct gfmul_modulus *modulus;
    power_of_gmp(want, a, an, e, en, m, mn);
    test_note("%zu limbs to %zu limbs modulo %zu limbs", an, en, mn);
    z[mn] = 77;
    if (TEST_OK(gfmul_powm(ctx, z, a, an, e, en, m, mn)))
        test_equal_limbs(z, want, mn);
    TEST_CHECK(z[mn] == 77);
    test_note("%zu limbs to %zu limbs modulo %zu limbs, kept modulus", an, en, mn);
    if (TEST_OK(gfmul_modulus_create(ctx, &modulus, m, mn))) {
        for (unsigned i = 0; i < 2; i++) {
            memset(z, 0, mn * sizeof *z);
            if (TEST_OK(gfmul_modulus_powm(modulus, z, a, an, e, en)))
                test_equal_limbs(z, want, mn);
        }
        gfmul_modulus_destroy(modulus);
    }
    TEST_CHECK(z[mn] == 77);
    free(want);
    free(z);
}

static void random_power(struct gfmul_ctx *ctx, size_t most, size_t most_e)
{
    const size_t mn = test_size(1, most), an = test_u64() % 4 ? test_size(1, mn) : test_between(0, 3 * mn);
    const size_t en = test_between(0, most_e);
    mp_limb_t *a = test_alloc((an + 1) * sizeof *a), *m = test_alloc(mn * sizeof *m), *e = test_alloc((en + 1) * sizeof *e);
    limbs_fill_high(m, mn);
    base_fill(a, an, m, mn);
    limbs_fill(e, en);
    if (en > 0 && test_u64() % 2)
        e[en - 1] >>= test_u64() % 64;
    all_agree(ctx, a, an, e, en, m, mn);
    free(e);
    free(m);
    free(a);
}

static void test_random_powers(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    for (size_t i = 0; i < test_tier(60, 600, 6000); i++)
        random_power(c.ctx, i % 8 ? 60 : LONG_LIMBS, i % 8 ? 6 : 1);
    product_ctx_destroy(&c);
}

/* Products that are not in rings, GMP's, and by threads. */
static void test_other_contexts(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_TWO_FOR_ONE, GFMUL_VERIFY_MOD);
    for (size_t i = 0; i < test_tier(6, 60, 600); i++)
        random_power(c.ctx, LONG_LIMBS, 1);
    product_ctx_destroy(&c);
    c = product_ctx_create(GFMUL_ENGINE_GMP, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    for (size_t i = 0; i < test_tier(20, 60, 600); i++)
        random_power(c.ctx, 50, 4);
    product_ctx_destroy(&c);
    c = product_ctx_create(GFMUL_ENGINE_AUTO, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    for (size_t i = 0; i < test_tier(6, 60, 600); i++)
        random_power(c.ctx, 2 * LONG_LIMBS, 1);
    product_ctx_destroy(&c);
}

/*
 * Products whose own checks need more primes than the powers', or draw others for a product of 2^22 bits: rule checked, a
 * certificate, FFTW.
 */
static void test_more_primes(void)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    for (unsigned kind = 0; kind < 3; kind++) {
        gfmul_options_init(&opt);
        opt.device = "cpu";
        opt.rule = kind == 0 ? GFMUL_RULE_CHECKED : GFMUL_RULE_NORM;
        opt.certify = kind == 1;
        opt.engine = kind == 2 ? GFMUL_ENGINE_FFTW : GFMUL_ENGINE_CPU;
        if ((kind == 2 && !gfmul_has_engine(GFMUL_ENGINE_FFTW)) || !TEST_OK(gfmul_ctx_create(&ctx, &opt)))
            continue;
        for (size_t i = 0; i < test_tier(6, 60, 600); i++)
            random_power(ctx, i % 2 ? 60 : LONG_LIMBS, 1);
        const size_t n = (1 << 16) / 2 + 1;
        const mp_limb_t e = 5;
        mp_limb_t *a = test_alloc(n * sizeof *a), *m = test_alloc(n * sizeof *m);
        limbs_fill(a, n);
        limbs_fill_high(m, n);
        all_agree(ctx, a, n, &e, 1, m, n);
        free(m);
        free(a);
        gfmul_ctx_destroy(ctx);
    }
}

/* long_numbers - a, e and m of sizes that products make, not GMP. */
struct numbers {
    mp_limb_t *a, *e, *m, *z;
    size_t n, en;
};

static struct numbers long_numbers(void)
{
    struct numbers x = {.n = LONG_LIMBS, .en = 2};
    x.a = test_alloc(x.n * sizeof *x.a);
    x.m = test_alloc(x.n * sizeof *x.m);
    x.z = test_alloc(x.n * sizeof *x.z);
    x.e = test_alloc(x.en * sizeof *x.e);
    operand_fill(x.a, x.n, OPERAND_RANDOM, 16, test_u64());
    operand_fill(x.m, x.n, OPERAND_RANDOM, 16, test_u64());
    operand_fill(x.e, x.en, OPERAND_TOP_BIT, 16, test_u64());
    x.m[x.n - 1] |= 1;
    return x;
}

static void numbers_free(struct numbers *x)
{
    free(x->a);
    free(x->e);
    free(x->m);
    free(x->z);
}

/* Integers of all signs, a negative exponent, results that are operands. */
static void test_integers(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    mpz_t a, e, m, z, want;
    gmp_randstate_t random;
    gmp_randinit_default(random);
    gmp_randseed_ui(random, (unsigned long)test_u64());
    mpz_inits(a, e, m, z, want, NULL);
    for (size_t i = 0; i < test_tier(60, 600, 6000); i++) {
        mpz_rrandomb(a, random, 64 * test_size(1, 100));
        mpz_rrandomb(m, random, 64 * test_size(1, i % 8 ? 50 : 500));
        mpz_urandomb(e, random, test_between(0, 90));
        if (mpz_sgn(m) == 0)
            mpz_set_ui(m, 1);
        if (test_u64() % 2)
            mpz_neg(a, a);
        if (test_u64() % 2)
            mpz_neg(m, m);
        const bool inverse = mpz_invert(want, a, m) != 0;
        if (test_u64() % 3 == 0)
            mpz_neg(e, e);
        mpz_set_ui(z, 5);
        if (mpz_sgn(e) < 0 && !inverse) {
            TEST_CHECK(gfmul_mpz_powm(c.ctx, z, a, e, m) == GFMUL_ERR_ARGUMENT && mpz_cmp_ui(z, 5) == 0);
            continue;
        }
        mpz_powm(want, a, e, m);
        TEST_OK(gfmul_mpz_powm(c.ctx, z, a, e, m));
        TEST_CHECK(mpz_cmp(z, want) == 0);
        struct gfmul_modulus *modulus;
        if (TEST_OK(gfmul_modulus_create_mpz(c.ctx, &modulus, m))) {
            mpz_set(z, e);
            TEST_OK(gfmul_modulus_mpz_powm(modulus, z, a, z));
            TEST_CHECK(mpz_cmp(z, want) == 0);
            gfmul_modulus_destroy(modulus);
        }
        mpz_set(z, a);
        TEST_OK(gfmul_mpz_powm(c.ctx, z, z, e, m));
        TEST_CHECK(mpz_cmp(z, want) == 0);
        mpz_set(z, m);
        TEST_OK(gfmul_mpz_powm(c.ctx, z, a, e, z));
        TEST_CHECK(mpz_cmp(z, want) == 0);
    }
    mpz_set_ui(m, 0);
    mpz_set_ui(z, 5);
    TEST_CHECK(gfmul_mpz_powm(c.ctx, z, a, e, m) == GFMUL_ERR_ARGUMENT && mpz_cmp_ui(z, 5) == 0);
    TEST_CHECK(gfmul_mpz_powm(c.ctx, z, NULL, e, a) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_mpz_powm(c.ctx, z, a, NULL, a) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_mpz_powm(c.ctx, z, a, e, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_mpz_powm(c.ctx, NULL, a, e, a) == GFMUL_ERR_ARGUMENT);
    mpz_clears(a, e, m, z, want, NULL);
    gmp_randclear(random);
    product_ctx_destroy(&c);
}

static void test_errors(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    struct {
        mp_limb_t z[4], a[4]; /* z below, so that no length of a reaches it */
    } x = {.a = {1, 2, 3, 4}};
    mp_limb_t *a = x.a, *z = x.z, e[1] = {5}, zero[4] = {1, 1, 1, 0};
    struct gfmul_modulus *modulus;
    TEST_CHECK(gfmul_powm(c.ctx, NULL, a, 4, e, 1, a, 4) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_powm(c.ctx, z, NULL, 4, e, 1, a, 4) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_powm(c.ctx, z, a, 4, NULL, 1, a, 4) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_powm(c.ctx, z, a, 4, e, 1, NULL, 4) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_powm(c.ctx, z, a, 4, e, 1, a, 0) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_powm(c.ctx, z, a, 4, e, 1, zero, 4) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_powm(c.ctx, a, a, 4, e, 1, a, 4) == GFMUL_ERR_OVERLAP);
    TEST_CHECK(gfmul_powm(c.ctx, e, a, 4, e, 1, a, 1) == GFMUL_ERR_OVERLAP);
    TEST_CHECK(gfmul_powm(c.ctx, z, a, SIZE_MAX / 4, e, 1, a, 4) == GFMUL_ERR_SIZE);
    TEST_CHECK(gfmul_powm(c.ctx, z, a, (size_t)INT_MAX + 1, e, 1, a, 4) == GFMUL_ERR_SIZE);
    TEST_CHECK(gfmul_modulus_create(c.ctx, &modulus, zero, 4) == GFMUL_ERR_ARGUMENT && !modulus);
    TEST_CHECK(gfmul_modulus_create(c.ctx, &modulus, a, SIZE_MAX / 4) == GFMUL_ERR_SIZE && !modulus);
    TEST_CHECK(gfmul_modulus_create(c.ctx, NULL, a, 4) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_modulus_powm(NULL, z, a, 4, e, 1) == GFMUL_ERR_ARGUMENT);
    gfmul_modulus_destroy(NULL);
    product_ctx_destroy(&c);
}

/* Every allocation fails once: MEMORY, or a power by a smaller table, and what follows is right. */
static void test_faults(void)
{
    struct numbers x = long_numbers();
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    mp_limb_t *want = test_alloc(x.n * sizeof *want);
    unsigned failed = 0;
    power_of_gmp(want, x.a, x.n, x.e, x.en, x.m, x.n);
    for (long k = 0, made = 0; made < 2; k++) {
        struct gfmul_modulus *modulus;
        gfmul_ctx_trim(c.ctx);
        alloc_fail_after(k);
        enum gfmul_status s = gfmul_powm(c.ctx, x.z, x.a, x.n, x.e, x.en, x.m, x.n);
        alloc_fail_after(-1);
        TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_MEMORY, "status %d", (int)s);
        if (s == GFMUL_OK)
            test_equal_limbs(x.z, want, x.n);
        failed += s != GFMUL_OK;
        made = s == GFMUL_OK;
        gfmul_ctx_trim(c.ctx);
        alloc_fail_after(k);
        s = gfmul_modulus_create(c.ctx, &modulus, x.m, x.n);
        TEST_CHECK((s == GFMUL_OK) == (modulus != NULL));
        if (s == GFMUL_OK)
            s = gfmul_modulus_powm(modulus, x.z, x.a, x.n, x.e, x.en);
        alloc_fail_after(-1);
        gfmul_modulus_destroy(modulus);
        TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_MEMORY, "status %d", (int)s);
        failed += s != GFMUL_OK;
        made += s == GFMUL_OK;
    }
    TEST_CHECK_MSG(failed >= 10, "%u failed", failed);
    all_agree(c.ctx, x.a, x.n, x.e, x.en, x.m, x.n);
    free(want);
    product_ctx_destroy(&c);
    numbers_free(&x);
}

/* Under a limit of memory the table of powers is smaller, down to one power; then the status is MEMORY. */
static void test_memory_limit(void)
{
    struct numbers x = long_numbers();
    mp_limb_t *want = test_alloc(x.n * sizeof *want);
    unsigned refused = 0, made = 0;
    power_of_gmp(want, x.a, x.n, x.e, x.en, x.m, x.n);
    for (size_t limit = 1 << 14; limit < (size_t)1 << 25; limit += limit / test_tier(3, 8, 16)) {
        struct gfmul_ctx *ctx = ctx_limited(limit, GFMUL_VERIFY_MOD);
        const enum gfmul_status s = gfmul_powm(ctx, x.z, x.a, x.n, x.e, x.en, x.m, x.n);
        TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_MEMORY, "status %d", (int)s);
        refused += s != GFMUL_OK;
        made += s == GFMUL_OK;
        if (s == GFMUL_OK)
            test_equal_limbs(x.z, want, x.n);
        gfmul_ctx_destroy(ctx);
    }
    TEST_CHECK(refused > 0 && made > 0);
    free(want);
    numbers_free(&x);
}

/* A modulus that several threads use at once. */
struct sharing {
    const struct gfmul_modulus *modulus;
    const struct numbers *x;
    const mp_limb_t *want;
    bool same;
};

static void *share(void *arg)
{
    struct sharing *of = arg;
    const struct numbers *x = of->x;
    mp_limb_t *z = test_alloc(x->n * sizeof *z);
    of->same = true;
    for (unsigned i = 0; i < 3; i++)
        of->same = of->same && gfmul_modulus_powm(of->modulus, z, x->a, x->n, x->e, x->en) == GFMUL_OK &&
                   mpn_cmp(z, of->want, (mp_size_t)x->n) == 0;
    free(z);
    return NULL;
}

static void test_shared_modulus(void)
{
    enum { THREADS = 4 };
    struct numbers x = long_numbers();
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    struct gfmul_modulus *modulus;
    power_of_gmp(x.z, x.a, x.n, x.e, x.en, x.m, x.n);
    if (TEST_OK(gfmul_modulus_create(c.ctx, &modulus, x.m, x.n))) {
        struct sharing of[THREADS];
        pthread_t thread[THREADS];
        for (unsigned i = 0; i < THREADS; i++) {
            of[i] = (struct sharing){modulus, &x, x.z, false};
            TEST_CHECK(pthread_create(&thread[i], NULL, share, &of[i]) == 0);
        }
        for (unsigned i = 0; i < THREADS; i++) {
            pthread_join(thread[i], NULL);
            TEST_CHECK(of[i].same);
        }
        gfmul_modulus_destroy(modulus);
    }
    product_ctx_destroy(&c);
    numbers_free(&x);
}

/* A callback that stops the work ends it at any time, and the context goes on. */
static void test_interrupted(void)
{
    int left = 1;
    struct gfmul_ctx *ctx = ctx_told(0, stop, &left);
    struct numbers x = long_numbers();
    unsigned interrupted = 0;
    for (int k = 1; k < 40; k++) {
        left = k;
        const enum gfmul_status s = gfmul_powm(ctx, x.z, x.a, x.n, x.e, x.en, x.m, x.n);
        TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_INTERRUPTED, "status %d", (int)s);
        interrupted += s == GFMUL_ERR_INTERRUPTED;
    }
    TEST_CHECK(interrupted > 5);
    left = 1 << 30;
    TEST_OK(gfmul_powm(ctx, x.z, x.a, x.n, x.e, x.en, x.m, x.n));
    TEST_CHECK_MSG(last_share > 0.9, "ends at %g", last_share);
    all_agree(ctx, x.a, x.n, x.e, x.en, x.m, x.n);
    gfmul_ctx_destroy(ctx);
    numbers_free(&x);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_random_powers);
    TEST_RUN(test_other_contexts);
    TEST_RUN(test_more_primes);
    TEST_RUN(test_integers);
    TEST_RUN(test_errors);
    TEST_RUN(test_faults);
    TEST_RUN(test_memory_limit);
    TEST_RUN(test_shared_modulus);
    TEST_RUN(test_interrupted);
    return test_end();
}
