/* t-tree.c - products, remainders and greatest common divisors of many numbers, against GMP's one by one. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <pthread.h>

#include "above/tree.h"
#include "above_test.h"
#include "base/alloc.h"
#include "gfmul_arith.h"
#include "products.h"

/* An array of integers. */
struct integers {
    mpz_ptr p;
    size_t n;
};

static struct integers integers_make(size_t n)
{
    struct integers x = {test_alloc((n + 1) * sizeof(__mpz_struct)), n};
    for (size_t i = 0; i < n; i++)
        mpz_init(&x.p[i]);
    return x;
}

static void integers_free(struct integers *x)
{
    for (size_t i = 0; i < x->n; i++)
        mpz_clear(&x->p[i]);
    free(x->p);
}

static struct integers integers_copy(const struct integers *from)
{
    struct integers x = integers_make(from->n);
    for (size_t i = 0; i < x.n; i++)
        mpz_set(&x.p[i], &from->p[i]);
    return x;
}

static bool integers_equal(const struct integers *a, const struct integers *b)
{
    for (size_t i = 0; i < a->n; i++)
        if (mpz_cmp(&a->p[i], &b->p[i]) != 0) {
            test_note("number %zu of %zu", i, a->n);
            return false;
        }
    return true;
}

static void fill(mpz_ptr z, size_t n)
{
    mp_limb_t *p = mpz_limbs_write(z, (mp_size_t)n);
    operand_fill(p, n, (enum operand_kind)(test_u64() % OPERAND_KINDS), (unsigned)test_between(8, 22), test_u64());
    mpz_limbs_finish(z, (mp_size_t)n);
}

/* moduli_make - n numbers of up to `most` limbs, none of them 0: of one length or of many, some equal, some 1, some negative. */
static struct integers moduli_make(size_t n, size_t most)
{
    struct integers m = integers_make(n);
    const bool same = test_u64() % 2;
    for (size_t i = 0; i < n; i++) {
        fill(&m.p[i], same ? most : test_size(1, most));
        if (i > 0 && test_u64() % 8 == 0)
            mpz_set(&m.p[i], &m.p[test_u64() % i]);
        if (test_u64() % 16 == 0) { /* B^k, or next to it */
            mpz_set_ui(&m.p[i], 1);
            mpz_mul_2exp(&m.p[i], &m.p[i], 64 * test_between(0, most - 1));
            mpz_sub_ui(&m.p[i], &m.p[i], test_u64() % 2);
        }
        if (mpz_sgn(&m.p[i]) == 0)
            mpz_set_ui(&m.p[i], test_between(1, 3));
        if (test_u64() % 4 == 0)
            mpz_neg(&m.p[i], &m.p[i]);
    }
    return m;
}

static void product_of(mpz_ptr z, const struct integers *m)
{
    mpz_set_ui(z, 1);
    for (size_t i = 0; i < m->n; i++)
        mpz_mul(z, z, &m->p[i]);
}

/* number_fill - any number, or one next to a multiple of the product. */
static void number_fill(mpz_ptr a, const mpz_t product)
{
    switch (test_u64() % 6) {
    case 0:
        mpz_set_ui(a, (unsigned long)test_between(0, 2));
        break;
    case 1:
        fill(a, test_size(1, 2));
        mpz_mul(a, a, product);
        break;
    case 2:
        fill(a, test_size(1, 2));
        mpz_mul(a, a, product);
        mpz_sub_ui(a, a, 1);
        break;
    case 3:
        mpz_sub_ui(a, product, 1);
        break;
    default:
        fill(a, test_size(1, 3 * mpz_size(product)));
        break;
    }
    if (test_u64() % 3 == 0)
        mpz_neg(a, a);
}

static void remainders_agree(const struct gfmul_tree *tree, const struct integers *m, mpz_srcptr a)
{
    struct integers r = integers_make(m->n), want = integers_make(m->n);
    for (size_t i = 0; i < m->n; i++)
        mpz_mod(&want.p[i], a, &m->p[i]);
    test_note("%zu moduli, a number of %zu limbs", m->n, mpz_size(a));
    TEST_OK(gfmul_remainder_tree(tree, r.p, a));
    TEST_CHECK(integers_equal(&r, &want));
    mpz_set(&r.p[m->n / 2], a); /* a result is the number */
    TEST_OK(gfmul_remainder_tree(tree, r.p, &r.p[m->n / 2]));
    TEST_CHECK(integers_equal(&r, &want));
    integers_free(&want);
    integers_free(&r);
}

static void gcds_agree(struct gfmul_ctx *ctx, const struct integers *m, mpz_srcptr product)
{
    struct integers g = integers_copy(m), want = integers_make(m->n);
    for (size_t i = 0; i < m->n; i++) {
        mpz_divexact(&want.p[i], product, &m->p[i]);
        mpz_gcd(&want.p[i], &want.p[i], &m->p[i]);
    }
    test_note("batch GCD of %zu moduli", m->n);
    TEST_OK(gfmul_batch_gcd(ctx, g.p, g.p, m->n));
    TEST_CHECK(integers_equal(&g, &want));
    integers_free(&want);
    integers_free(&g);
}

static void all_agree(struct gfmul_ctx *ctx, size_t n, size_t most)
{
    struct integers m = moduli_make(n, most);
    struct gfmul_tree *tree;
    mpz_t product, z, a;
    mpz_inits(product, z, a, NULL);
    product_of(product, &m);
    test_note("%zu numbers of up to %zu limbs", n, most);
    TEST_OK(gfmul_mpz_prod(ctx, z, m.p, n));
    TEST_CHECK(mpz_cmp(z, product) == 0);
    if (TEST_OK(gfmul_product_tree(ctx, &tree, m.p, n))) {
        mpz_abs(product, product);
        TEST_OK(gfmul_tree_product(tree, z));
        TEST_CHECK(mpz_cmp(z, product) == 0);
        for (unsigned i = 0; i < 3; i++) {
            number_fill(a, product);
            remainders_agree(tree, &m, a);
        }
        gfmul_tree_destroy(tree);
    }
    gcds_agree(ctx, &m, product);
    mpz_clears(product, z, a, NULL);
    integers_free(&m);
}

static void test_random_trees(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    for (size_t n = 1; n <= 20; n++)
        all_agree(c.ctx, n, test_size(1, 40));
    for (size_t i = 0; i < test_tier(40, 400, 4000); i++)
        all_agree(c.ctx, test_size(1, 200), test_size(1, 30));
    product_ctx_destroy(&c);
}

/* Products that are not in rings, GMP's, vectors', and by threads, of short numbers and of long ones. */
static void test_other_contexts(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_TWO_FOR_ONE, GFMUL_VERIFY_MOD);
    for (size_t i = 0; i < test_tier(5, 50, 500); i++)
        all_agree(c.ctx, test_size(1, 100), test_size(1, 30));
    product_ctx_destroy(&c);
    c = product_ctx_create(GFMUL_ENGINE_GMP, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    for (size_t i = 0; i < test_tier(5, 50, 500); i++)
        all_agree(c.ctx, test_size(1, 100), test_size(1, 30));
    product_ctx_destroy(&c);
    c = product_ctx_create(GFMUL_ENGINE_AUTO, 3, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    for (size_t i = 0; i < test_tier(6, 60, 600); i++)
        all_agree(c.ctx, test_size(1, 600), test_size(1, 40));
    all_agree(c.ctx, 5, 6000);
    product_ctx_destroy(&c);
}

/* Planted factors: keys of two primes each, of which some share one, two are equal. */
static void test_planted(void)
{
    enum { KEYS = 60, PRIME_BITS = 256 };
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_AUTO, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    struct integers m = integers_make(KEYS), g = integers_make(KEYS), p = integers_make(2 * KEYS);
    gmp_randstate_t random;
    gmp_randinit_default(random);
    gmp_randseed_ui(random, (unsigned long)test_u64());
    for (size_t i = 0; i < 2 * KEYS; i++) {
        mpz_urandomb(&p.p[i], random, PRIME_BITS);
        mpz_setbit(&p.p[i], PRIME_BITS - 1);
        mpz_nextprime(&p.p[i], &p.p[i]);
    }
    for (size_t i = 0; i < KEYS; i++)
        mpz_mul(&m.p[i], &p.p[2 * i], &p.p[2 * i + 1]);
    mpz_mul(&m.p[7], &p.p[2 * 7], &p.p[2 * 40]); /* 7 and 40 share a prime, 11 has those of 20 and 21, 30 is 31 */
    mpz_mul(&m.p[11], &p.p[2 * 20 + 1], &p.p[2 * 21]);
    mpz_set(&m.p[30], &m.p[31]);
    TEST_OK(gfmul_batch_gcd(c.ctx, g.p, m.p, KEYS));
    for (size_t i = 0; i < KEYS; i++) {
        mpz_srcptr want = i == 7 || i == 40 ? &p.p[2 * 40] : i == 20 ? &p.p[2 * 20 + 1] : i == 21 ? &p.p[2 * 21] : NULL;
        if (i == 11 || i == 30 || i == 31)
            want = &m.p[i];
        TEST_CHECK_MSG(want ? mpz_cmp(&g.p[i], want) == 0 : mpz_cmp_ui(&g.p[i], 1) == 0, "key %zu", i);
    }
    gmp_randclear(random);
    integers_free(&p);
    integers_free(&g);
    integers_free(&m);
    product_ctx_destroy(&c);
}

static void test_errors(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    struct integers m = moduli_make(4, 3), r = integers_copy(&m);
    struct gfmul_tree *tree;
    mpz_t z;
    mpz_init_set_ui(z, 7);
    TEST_CHECK(gfmul_mpz_prod(c.ctx, NULL, m.p, 4) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_mpz_prod(c.ctx, z, NULL, 4) == GFMUL_ERR_ARGUMENT && mpz_cmp_ui(z, 7) == 0);
    TEST_OK(gfmul_mpz_prod(c.ctx, z, NULL, 0));
    TEST_CHECK(mpz_cmp_ui(z, 1) == 0);
    TEST_CHECK(gfmul_product_tree(c.ctx, NULL, m.p, 4) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_product_tree(c.ctx, &tree, NULL, 4) == GFMUL_ERR_ARGUMENT && !tree);
    TEST_CHECK(gfmul_product_tree(c.ctx, &tree, m.p, 0) == GFMUL_ERR_ARGUMENT && !tree);
    if (TEST_OK(gfmul_product_tree(c.ctx, &tree, m.p, 4))) {
        TEST_CHECK(gfmul_remainder_tree(tree, NULL, z) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_remainder_tree(tree, r.p, NULL) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_tree_product(tree, NULL) == GFMUL_ERR_ARGUMENT);
        gfmul_tree_destroy(tree);
    }
    TEST_CHECK(gfmul_remainder_tree(NULL, r.p, z) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_tree_product(NULL, z) == GFMUL_ERR_ARGUMENT);
    gfmul_tree_destroy(NULL);
    TEST_CHECK(gfmul_batch_gcd(c.ctx, NULL, m.p, 4) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_batch_gcd(c.ctx, r.p, NULL, 4) == GFMUL_ERR_ARGUMENT);
    TEST_OK(gfmul_batch_gcd(c.ctx, NULL, NULL, 0));
    TEST_CHECK(integers_equal(&r, &m));
    mpz_set_ui(&m.p[2], 0);
    TEST_CHECK(gfmul_product_tree(c.ctx, &tree, m.p, 4) == GFMUL_ERR_ARGUMENT && !tree);
    TEST_CHECK(gfmul_batch_gcd(c.ctx, r.p, m.p, 4) == GFMUL_ERR_ARGUMENT);
    TEST_OK(gfmul_mpz_prod(c.ctx, z, m.p, 4));
    TEST_CHECK(mpz_sgn(z) == 0);
    mpz_clear(z);
    integers_free(&r);
    integers_free(&m);
    product_ctx_destroy(&c);
}

/* Every allocation fails once, alone and among threads: MEMORY, no result is touched, and what follows is right. */
static void faults(unsigned threads, long step)
{
    enum { KEYS = 10, LIMBS = 20 };
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, threads, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    struct integers m = moduli_make(KEYS, LIMBS), r = integers_copy(&m);
    mpz_t a, z;
    mpz_inits(a, z, NULL);
    fill(a, 2 * KEYS * LIMBS);
    unsigned failed = 0;
    for (long k = 0, made = 0; made < 3; k += step) {
        struct gfmul_tree *tree;
        made = 0;
        for (unsigned i = 0; i < 3; i++) {
            gfmul_ctx_trim(c.ctx);
            alloc_fail_after(k);
            enum gfmul_status s = i == 0 ? gfmul_product_tree(c.ctx, &tree, m.p, KEYS)
                                         : i == 1 ? gfmul_batch_gcd(c.ctx, r.p, m.p, KEYS) : gfmul_mpz_prod(c.ctx, z, m.p, KEYS);
            if (i == 0 && s == GFMUL_OK)
                s = gfmul_remainder_tree(tree, r.p, a);
            alloc_fail_after(-1);
            if (i == 0)
                gfmul_tree_destroy(tree);
            TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_MEMORY, "status %d", (int)s);
            TEST_CHECK(s == GFMUL_OK || i == 2 || integers_equal(&r, &m));
            for (size_t j = 0; j < KEYS; j++)
                mpz_set(&r.p[j], &m.p[j]);
            failed += s != GFMUL_OK;
            made += s == GFMUL_OK;
        }
    }
    TEST_CHECK_MSG(failed >= 10, "%u failed", failed);
    all_agree(c.ctx, KEYS, LIMBS);
    mpz_clears(a, z, NULL);
    integers_free(&r);
    integers_free(&m);
    product_ctx_destroy(&c);
}

static void test_faults(void)
{
    faults(1, 1);
    faults(2, 5); /* threads take nodes, and so allocations, in any order */
}

/* A tree that several threads use at once. */
struct sharing {
    const struct gfmul_tree *tree;
    const struct integers *m;
    bool same;
};

static void *share(void *arg)
{
    struct sharing *of = arg;
    struct integers r = integers_make(of->m->n);
    mpz_t a, want;
    mpz_inits(a, want, NULL);
    mpz_set_ui(a, (unsigned long)((uintptr_t)of | 1));
    mpz_pow_ui(a, a, 2000);
    of->same = true;
    for (unsigned i = 0; i < 3 && of->same; i++) {
        of->same = gfmul_remainder_tree(of->tree, r.p, a) == GFMUL_OK;
        for (size_t k = 0; k < r.n; k++) {
            mpz_mod(want, a, &of->m->p[k]);
            of->same = of->same && mpz_cmp(want, &r.p[k]) == 0;
        }
    }
    mpz_clears(a, want, NULL);
    integers_free(&r);
    return NULL;
}

static void test_shared_tree(void)
{
    enum { THREADS = 4 };
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_AUTO, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    struct integers m = moduli_make(200, 20);
    struct gfmul_tree *tree;
    if (TEST_OK(gfmul_product_tree(c.ctx, &tree, m.p, m.n))) {
        struct sharing of[THREADS];
        pthread_t thread[THREADS];
        for (unsigned i = 0; i < THREADS; i++) {
            of[i] = (struct sharing){tree, &m, false};
            TEST_CHECK(pthread_create(&thread[i], NULL, share, &of[i]) == 0);
        }
        for (unsigned i = 0; i < THREADS; i++) {
            pthread_join(thread[i], NULL);
            TEST_CHECK(of[i].same);
        }
        gfmul_tree_destroy(tree);
    }
    integers_free(&m);
    product_ctx_destroy(&c);
}

/* A callback that stops the work ends it at any time, and the context goes on. */
static void interrupted(unsigned threads)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    int left = 1;
    struct integers m = moduli_make(300, 10), g = integers_copy(&m);
    gfmul_options_init(&opt);
    opt.engine = GFMUL_ENGINE_CPU;
    opt.threads = threads;
    opt.progress = stop;
    opt.progress_arg = &left;
    if (TEST_OK(gfmul_ctx_create(&ctx, &opt))) {
        ctx->apart_limbs = 1;
        ctx->tell_ns = 0;
        unsigned stopped = 0;
        for (int k = 1; k < 40; k++) {
            left = k;
            const enum gfmul_status s = gfmul_batch_gcd(ctx, g.p, m.p, m.n);
            TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_INTERRUPTED, "status %d", (int)s);
            if (s == GFMUL_ERR_INTERRUPTED)
                TEST_CHECK(integers_equal(&g, &m));
            stopped += s == GFMUL_ERR_INTERRUPTED;
            for (size_t j = 0; j < m.n; j++)
                mpz_set(&g.p[j], &m.p[j]);
        }
        TEST_CHECK(stopped > 5);
        left = 1 << 30;
        TEST_OK(gfmul_batch_gcd(ctx, g.p, m.p, m.n));
        TEST_CHECK_MSG(last_share > 0.9, "ends at %g", last_share);
        all_agree(ctx, 100, 10);
        gfmul_ctx_destroy(ctx);
    }
    integers_free(&g);
    integers_free(&m);
}

static void test_interrupted(void)
{
    interrupted(1);
    interrupted(2);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_random_trees);
    TEST_RUN(test_other_contexts);
    TEST_RUN(test_planted);
    TEST_RUN(test_errors);
    TEST_RUN(test_faults);
    TEST_RUN(test_shared_tree);
    TEST_RUN(test_interrupted);
    return test_end();
}
