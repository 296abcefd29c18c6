/* t-divide.c - quotients, inverses and divisors, against GMP's: random numbers, and quotients at the edges. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>

#include "above/divide.h"
#include "above_test.h"
#include "base/alloc.h"
#include "gfmul_arith.h"
#include "products.h"
#include "progress_often.h"

#ifdef GFMUL_MIN_THRESHOLDS
enum { LONG_LIMBS = 400 };
#else
enum { LONG_LIMBS = 3000 };
#endif
enum { PRIME_LIMBS = 2400 }; /* rings modulo primes begin at 1568 */

/* dividend_fill - an limbs: random, or q d + r with q or r at an edge. */
static void dividend_fill(mp_limb_t *a, size_t an, const mp_limb_t *d, size_t dn)
{
    const size_t qn = an - dn;
    limbs_fill(a, an);
    if (test_u64() % 3 == 0 || qn == 0)
        return;
    mp_limb_t *q = test_alloc(qn * sizeof *q);
    limbs_fill(q, qn);
    if (test_u64() % 3 == 0)
        memset(q, 0xff, qn * sizeof *q); /* all ones */
    ref_mul_gmp(a, q, qn, d, dn);
    const unsigned kind = test_u64() % 3; /* the remainder 0, d - 1, or q d - 1 */
    if (kind == 1 && mpn_add(a, a, (mp_size_t)an, d, (mp_size_t)dn))
        mpn_sub(a, a, (mp_size_t)an, d, (mp_size_t)dn);
    if (kind > 0 && mpn_sub_1(a, a, (mp_size_t)an, 1))
        memset(a, 0, an * sizeof *a);
    free(q);
}

struct expected {
    mp_limb_t *q, *r;
};

/* all_agree - every function on a and d. */
static void all_agree(struct gfmul_ctx *ctx, const mp_limb_t *a, size_t an, const mp_limb_t *d, size_t dn)
{
    const size_t qn = an - dn + 1;
    mp_limb_t *q = test_alloc((qn + 1) * sizeof *q), *r = test_alloc((dn + 1) * sizeof *r), *p = test_alloc((an + 1) * sizeof *p);
    const struct expected want = {test_alloc(qn * sizeof *q), test_alloc(dn * sizeof *r)};
    struct gfmul_divisor *divisor;
    mpn_tdiv_qr(want.q, want.r, 0, a, (mp_size_t)an, d, (mp_size_t)dn);
    test_note("%zu by %zu limbs", an, dn);
    q[qn] = r[dn] = 77;
    if (TEST_OK(gfmul_tdiv_qr(ctx, q, r, a, an, d, dn))) {
        test_equal_limbs(q, want.q, qn);
        test_equal_limbs(r, want.r, dn);
    }
    TEST_CHECK(q[qn] == 77 && r[dn] == 77);
    if (TEST_OK(gfmul_tdiv_qr(ctx, q, NULL, a, an, d, dn)))
        test_equal_limbs(q, want.q, qn);
    test_note("%zu by %zu limbs, kept divisor", an, dn);
    if (TEST_OK(gfmul_divisor_create(ctx, &divisor, d, dn, test_u64() % 4 ? an : test_between(0, an)))) {
        if (TEST_OK(gfmul_divisor_tdiv_qr(divisor, q, r, a, an))) {
            test_equal_limbs(q, want.q, qn);
            test_equal_limbs(r, want.r, dn);
        }
        gfmul_divisor_destroy(divisor);
    }
    test_note("%zu by %zu limbs, exact", an, dn);
    mpn_copyi(p, a, (mp_size_t)an);
    mpn_sub(p, p, (mp_size_t)an, want.r, (mp_size_t)dn);
    if (TEST_OK(gfmul_divexact(ctx, q, p, an, d, dn)))
        test_equal_limbs(q, want.q, qn);
    TEST_CHECK(q[qn] == 77 && r[dn] == 77);
    free(want.r);
    free(want.q);
    free(p);
    free(r);
    free(q);
}

static void random_pair(struct gfmul_ctx *ctx, size_t most)
{
    const size_t dn = test_size(1, most), an = dn + (test_u64() % 4 ? test_between(0, dn) : test_size(1, 4 * most));
    mp_limb_t *a = test_alloc(an * sizeof *a), *d = test_alloc(dn * sizeof *d);
    limbs_fill_high(d, dn);
    dividend_fill(a, an, d, dn);
    all_agree(ctx, a, an, d, dn);
    free(d);
    free(a);
}

static void test_random_quotients(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    for (size_t i = 0; i < test_tier(600, 6000, 60000); i++)
        random_pair(c.ctx, i % 16 ? 300 : LONG_LIMBS);
    product_ctx_destroy(&c);
}

/* Products that are not in rings, and GMP's quotients. */
static void test_other_contexts(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_TWO_FOR_ONE, GFMUL_VERIFY_MOD);
    for (size_t i = 0; i < test_tier(60, 600, 6000); i++)
        random_pair(c.ctx, 400);
    product_ctx_destroy(&c);
    c = product_ctx_create(GFMUL_ENGINE_GMP, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    for (size_t i = 0; i < test_tier(60, 600, 6000); i++)
        random_pair(c.ctx, 400);
    product_ctx_destroy(&c);
    c = product_ctx_create(GFMUL_ENGINE_AUTO, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    for (size_t i = 0; i < test_tier(20, 100, 1000); i++)
        random_pair(c.ctx, 4 * LONG_LIMBS);
    product_ctx_destroy(&c);
}

/* Engine GMP leaves quotients to GMP, whose memory no limit counts. */
static void test_gmp_alone(void)
{
    static const size_t limbs[] = {80, 200, 1000, 20000};
    struct gfmul_ctx *ctx = TEST_CTX(.engine = GFMUL_ENGINE_GMP, .memory_limit = 1);
    for (size_t i = 0; i < sizeof limbs / sizeof limbs[0]; i++) {
        const size_t n = limbs[i];
        mp_limb_t *a = test_alloc(2 * n * sizeof *a), *d = test_alloc(n * sizeof *d), *q = test_alloc((n + 1) * sizeof *q),
                  *r = test_alloc(n * sizeof *r);
        operand_fill(a, 2 * n, OPERAND_TOP_BIT, 16, test_u64());
        operand_fill(d, n, OPERAND_TOP_BIT, 16, test_u64());
        test_note("%zu limbs", n);
        TEST_OK(gfmul_tdiv_qr(ctx, q, r, a, 2 * n, d, n));
        free(r);
        free(q);
        free(d);
        free(a);
    }
    gfmul_ctx_destroy(ctx);
}

/* |z - B^(2n) / d| < 2, that is |z d - B^(2n)| < 2 d, for every length. */
static void test_inverses(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    for (size_t i = 0; i < test_tier(300, 3000, 30000); i++) {
        const size_t n = i < 100 ? i + 1 : test_size(1, LONG_LIMBS);
        mp_limb_t *d = test_alloc(n * sizeof *d), *z = test_alloc((n + 1) * sizeof *z);
        mpz_t error, x;
        limbs_fill_high(d, n);
        d[n - 1] |= (mp_limb_t)1 << 63;
        test_note("inverse of %zu limbs", n);
        if (TEST_OK(gfmul_invert_approx(c.ctx, z, d, n))) {
            mpz_init(error);
            mpz_setbit(error, 128 * n);
            mpz_t y;
            mpz_submul(error, mpz_roinit_n(x, z, (mp_size_t)n + 1), mpz_roinit_n(y, d, (mp_size_t)n));
            mpz_abs(error, error);
            mpz_fdiv_q_2exp(error, error, 1);
            TEST_CHECK(mpz_cmp(error, y) < 0);
            mpz_clear(error);
        }
        free(z);
        free(d);
    }
    product_ctx_destroy(&c);
}

/* Integers of all signs, results that are operands, and results that are not wanted. */
static void test_integers(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    mpz_t a, d, q, r, want_q, want_r;
    gmp_randstate_t random;
    gmp_randinit_default(random);
    gmp_randseed_ui(random, (unsigned long)test_u64());
    mpz_inits(a, d, q, r, want_q, want_r, NULL);
    for (size_t i = 0; i < test_tier(200, 2000, 20000); i++) {
        mpz_rrandomb(a, random, 64 * test_size(1, 2000));
        mpz_rrandomb(d, random, 64 * test_size(1, 1000));
        if (mpz_sgn(d) == 0)
            mpz_set_ui(d, 1);
        if (test_u64() % 2)
            mpz_neg(a, a);
        if (test_u64() % 2)
            mpz_neg(d, d);
        mpz_tdiv_qr(want_q, want_r, a, d);
        struct gfmul_divisor *divisor;
        if (TEST_OK(gfmul_divisor_create_mpz(c.ctx, &divisor, d, mpz_size(a)))) {
            TEST_OK(gfmul_divisor_mpz_tdiv_qr(divisor, q, r, a));
            TEST_CHECK(mpz_cmp(q, want_q) == 0 && mpz_cmp(r, want_r) == 0);
            gfmul_divisor_destroy(divisor);
        }
        mpz_set(q, a);
        mpz_set(r, d);
        TEST_OK(gfmul_mpz_tdiv_qr(c.ctx, q, r, q, r));
        TEST_CHECK(mpz_cmp(q, want_q) == 0 && mpz_cmp(r, want_r) == 0);
        TEST_OK(gfmul_mpz_tdiv_qr(c.ctx, NULL, r, a, d));
        TEST_CHECK(mpz_cmp(r, want_r) == 0);
        TEST_OK(gfmul_mpz_tdiv_qr(c.ctx, q, NULL, a, d));
        TEST_CHECK(mpz_cmp(q, want_q) == 0);
        mpz_sub(a, a, want_r);
        TEST_OK(gfmul_mpz_divexact(c.ctx, q, a, d));
        TEST_CHECK(mpz_cmp(q, want_q) == 0);
    }
    mpz_set_ui(d, 0);
    TEST_CHECK(gfmul_mpz_tdiv_qr(c.ctx, q, r, a, d) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_mpz_tdiv_qr(c.ctx, q, q, a, a) == GFMUL_ERR_OVERLAP);
    TEST_CHECK(gfmul_mpz_tdiv_qr(c.ctx, NULL, NULL, a, a) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_mpz_tdiv_qr(c.ctx, q, r, NULL, a) == GFMUL_ERR_ARGUMENT);
    mpz_set_ui(d, 1); /* exact quotients of shorter numbers: 0 alone has one */
    mpz_mul_2exp(d, d, 6400);
    mpz_set_ui(a, 5);
    mpz_set_ui(q, 7);
    TEST_CHECK(gfmul_mpz_divexact(c.ctx, q, a, d) == GFMUL_ERR_ARGUMENT && mpz_cmp_ui(q, 7) == 0);
    mpz_set_ui(a, 0);
    TEST_OK(gfmul_mpz_divexact(c.ctx, q, a, d));
    TEST_CHECK(mpz_sgn(q) == 0);
    mpz_clears(a, d, q, r, want_q, want_r, NULL);
    gmp_randclear(random);
    product_ctx_destroy(&c);
}

static void test_errors(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    mp_limb_t a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, q[9], r[9], zero[4] = {1, 1, 1, 0};
    struct gfmul_divisor *divisor;
    TEST_CHECK(gfmul_tdiv_qr(c.ctx, NULL, r, a, 8, a, 4) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_tdiv_qr(c.ctx, q, r, a, 3, a, 4) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_tdiv_qr(c.ctx, q, r, a, 3, a, 0) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_tdiv_qr(c.ctx, q, r, a, 8, zero, 4) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_tdiv_qr(c.ctx, q, a, a, 8, a, 4) == GFMUL_ERR_OVERLAP);
    TEST_CHECK(gfmul_tdiv_qr(c.ctx, q, q, a, 8, a, 4) == GFMUL_ERR_OVERLAP);
    TEST_CHECK(gfmul_tdiv_qr(c.ctx, q, r, a, SIZE_MAX / 4, a, 4) == GFMUL_ERR_SIZE);
    TEST_CHECK(gfmul_invert_approx(c.ctx, q, a, 8) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_divisor_create(c.ctx, &divisor, zero, 4, 8) == GFMUL_ERR_ARGUMENT && !divisor);
    TEST_CHECK(gfmul_divisor_create(c.ctx, NULL, a, 4, 8) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_divisor_tdiv_qr(NULL, q, r, a, 8) == GFMUL_ERR_ARGUMENT);
    gfmul_divisor_destroy(NULL);
    /* a long number that is no multiple: the lowest limb shows it, or the random primes */
    const size_t n = LONG_LIMBS;
    mp_limb_t *x = test_alloc(2 * n * sizeof *x), *d = test_alloc(n * sizeof *d), *y = test_alloc(2 * n * sizeof *y);
    operand_fill(x, 2 * n, OPERAND_TOP_BIT, 16, test_u64());
    operand_fill(d, n, OPERAND_TOP_BIT, 16, test_u64());
    TEST_CHECK(gfmul_divexact(c.ctx, y, x, 2 * n, d, n) == GFMUL_ERR_ARGUMENT);
    free(y);
    free(d);
    free(x);
    product_ctx_destroy(&c);
}

/* More limbs than GMP's integers have are not left to them.  The pages are not there until they are touched. */
static void test_exact_limit(void)
{
    const size_t an = (size_t)INT_MAX + 3, bytes = an * sizeof(mp_limb_t);
    mp_limb_t q[2] = {0}, *a = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (a == MAP_FAILED)
        return;
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    a[an - 2] = 1;
    TEST_CHECK(gfmul_divexact(c.ctx, q, a, an, a, an - 1) == GFMUL_ERR_SIZE);
    product_ctx_destroy(&c);
    munmap(a, bytes);
}

/* Every allocation fails once: MEMORY, and what follows is right. */
static void faults(struct product_ctx c, size_t n)
{
    mp_limb_t *a = test_alloc(2 * n * sizeof *a), *d = test_alloc(n * sizeof *d);
    mp_limb_t *q = test_alloc((n + 1) * sizeof *q), *r = test_alloc(n * sizeof *r);
    operand_fill(a, 2 * n, OPERAND_RANDOM, 16, test_u64());
    operand_fill(d, n, OPERAND_TOP_BIT, 16, test_u64());
    unsigned failed = 0;
    for (long k = 0, made = 0; made < 2; k++) {
        struct gfmul_divisor *divisor;
        gfmul_ctx_trim(c.ctx);
        alloc_fail_after(k);
        enum gfmul_status s = gfmul_tdiv_qr(c.ctx, q, r, a, 2 * n, d, n);
        alloc_fail_after(-1);
        TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_MEMORY, "status %d", (int)s);
        failed += s != GFMUL_OK;
        made = s == GFMUL_OK;
        gfmul_ctx_trim(c.ctx);
        alloc_fail_after(k);
        s = gfmul_divisor_create(c.ctx, &divisor, d, n, 2 * n);
        TEST_CHECK((s == GFMUL_OK) == (divisor != NULL));
        if (s == GFMUL_OK)
            s = gfmul_divisor_tdiv_qr(divisor, q, r, a, 2 * n);
        alloc_fail_after(-1);
        gfmul_divisor_destroy(divisor);
        TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_MEMORY, "status %d", (int)s);
        failed += s != GFMUL_OK;
        made += s == GFMUL_OK;
    }
    TEST_CHECK_MSG(failed >= 10, "%u failed", failed);
    all_agree(c.ctx, a, 2 * n, d, n);
    product_ctx_destroy(&c);
    free(r);
    free(q);
    free(d);
    free(a);
}

static void test_faults(void)
{
    faults(product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD), LONG_LIMBS / 2);
    faults(product_ctx_primes(1, 0, NULL, NULL), PRIME_LIMBS);
}

/* Rings modulo primes. */
static void test_primes(void)
{
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        struct product_ctx c = product_ctx_primes(threads, 0, NULL, NULL);
        for (size_t i = 0; i < test_tier(8, 80, 800); i++) {
            const size_t dn = test_between(PRIME_LIMBS, 3 * PRIME_LIMBS), an = dn + test_between(dn / 2, 3 * dn);
            mp_limb_t *a = test_alloc(an * sizeof *a), *d = test_alloc(dn * sizeof *d);
            limbs_fill_high(d, dn);
            dividend_fill(a, an, d, dn);
            all_agree(c.ctx, a, an, d, dn);
            free(d);
            free(a);
        }
        TEST_CHECK(!strcmp(report_of(&c).plan.precision, "prime"));
        product_ctx_destroy(&c);
    }
}

/* Limits of memory, from none to enough: MEMORY, or the right quotient. */
static void test_prime_memory(void)
{
    const size_t n = PRIME_LIMBS;
    mp_limb_t *a = test_alloc(2 * n * sizeof *a), *d = test_alloc(n * sizeof *d);
    mp_limb_t *q = test_alloc((n + 1) * sizeof *q), *r = test_alloc(n * sizeof *r);
    operand_fill(a, 2 * n, OPERAND_RANDOM, 16, test_u64());
    operand_fill(d, n, OPERAND_TOP_BIT, 16, test_u64());
    unsigned refused = 0, made = 0;
    for (size_t limit = 1 << 14; made < 6; limit += limit / 4) {
        struct product_ctx c = product_ctx_primes(1, limit, NULL, NULL);
        const enum gfmul_status s = gfmul_tdiv_qr(c.ctx, q, r, a, 2 * n, d, n);
        TEST_CHECK_MSG(s == GFMUL_OK || (s == GFMUL_ERR_MEMORY && made == 0), "status %d", (int)s);
        refused += s != GFMUL_OK;
        if (s == GFMUL_OK) {
            mp_limb_t *p = test_alloc(2 * n * sizeof *p), *rest = test_alloc(n * sizeof *rest);
            mpn_tdiv_qr(p, rest, 0, a, (mp_size_t)(2 * n), d, (mp_size_t)n);
            test_equal_limbs(q, p, n + 1);
            test_equal_limbs(r, rest, n);
            free(rest);
            free(p);
            made++;
        }
        product_ctx_destroy(&c);
    }
    TEST_CHECK(refused > 0);
    free(r);
    free(q);
    free(d);
    free(a);
}

/* A divisor that several threads use at once. */
struct sharing {
    const struct gfmul_divisor *divisor;
    const mp_limb_t *a, *q, *r; /* what they have to get */
    size_t n;
    bool same;
};

static void *share(void *arg)
{
    struct sharing *of = arg;
    const size_t n = of->n;
    mp_limb_t *q = test_alloc((n + 1) * sizeof *q), *r = test_alloc(n * sizeof *r);
    of->same = true;
    for (unsigned i = 0; i < 5; i++)
        of->same = of->same && gfmul_divisor_tdiv_qr(of->divisor, q, r, of->a, 2 * n) == GFMUL_OK &&
                   mpn_cmp(q, of->q, (mp_size_t)n + 1) == 0 && mpn_cmp(r, of->r, (mp_size_t)n) == 0;
    free(r);
    free(q);
    return NULL;
}

static void divisor_shared(struct product_ctx c, size_t n)
{
    enum { THREADS = 4 };
    mp_limb_t *a = test_alloc(2 * n * sizeof *a), *d = test_alloc(n * sizeof *d);
    mp_limb_t *q = test_alloc((n + 1) * sizeof *q), *r = test_alloc(n * sizeof *r);
    struct gfmul_divisor *divisor;
    operand_fill(a, 2 * n, OPERAND_RANDOM, 16, test_u64());
    operand_fill(d, n, OPERAND_TOP_BIT, 16, test_u64());
    mpn_tdiv_qr(q, r, 0, a, (mp_size_t)(2 * n), d, (mp_size_t)n);
    if (TEST_OK(gfmul_divisor_create(c.ctx, &divisor, d, n, 2 * n))) {
        struct sharing of[THREADS];
        pthread_t thread[THREADS];
        for (unsigned i = 0; i < THREADS; i++) {
            of[i] = (struct sharing){divisor, a, q, r, n, false};
            TEST_CHECK(pthread_create(&thread[i], NULL, share, &of[i]) == 0);
        }
        for (unsigned i = 0; i < THREADS; i++) {
            pthread_join(thread[i], NULL);
            TEST_CHECK(of[i].same);
        }
        gfmul_divisor_destroy(divisor);
    }
    product_ctx_destroy(&c);
    free(r);
    free(q);
    free(d);
    free(a);
}

static void test_shared_divisor(void)
{
    divisor_shared(product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD), LONG_LIMBS);
    divisor_shared(product_ctx_primes(1, 0, NULL, NULL), PRIME_LIMBS);
}

/* A callback that stops the work ends it at any time, and the context goes on. */
static void interrupted_at(bool primes, size_t n)
{
    int left = 1;
    struct gfmul_ctx *ctx = primes ? product_ctx_primes(1, 0, stop, &left).ctx : ctx_told(0, stop, &left);
    mp_limb_t *a = test_alloc(2 * n * sizeof *a), *d = test_alloc(n * sizeof *d);
    mp_limb_t *q = test_alloc((n + 1) * sizeof *q), *r = test_alloc(n * sizeof *r);
    ctx->apart_limbs = 1;
    ctx->tell_ns = 0;
    operand_fill(a, 2 * n, OPERAND_RANDOM, 16, test_u64());
    operand_fill(d, n, OPERAND_TOP_BIT, 16, test_u64());
    unsigned interrupted = 0;
    for (int k = 1; k < 40; k++) {
        left = k;
        const enum gfmul_status s = gfmul_tdiv_qr(ctx, q, r, a, 2 * n, d, n);
        TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_INTERRUPTED, "status %d", (int)s);
        interrupted += s == GFMUL_ERR_INTERRUPTED;
    }
    TEST_CHECK(interrupted > 5);
    left = 1 << 30;
    TEST_OK(gfmul_tdiv_qr(ctx, q, r, a, 2 * n, d, n));
    TEST_CHECK_MSG(last_share > 0.4, "ends at %g", last_share);
    all_agree(ctx, a, 2 * n, d, n);
    gfmul_ctx_destroy(ctx);
    free(r);
    free(q);
    free(d);
    free(a);
}

static void test_interrupted(void)
{
    interrupted_at(false, LONG_LIMBS);
    interrupted_at(true, PRIME_LIMBS);
}

/* limited - the status of a quotient under a memory limit; a quotient is compared with GMP's. */
static enum gfmul_status limited(enum gfmul_precision precision, size_t limit, const mp_limb_t *a, const mp_limb_t *d, size_t n)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    gfmul_options_init(&opt);
    opt.device = "cpu";
    opt.threads = 1;
    opt.precision = precision;
    opt.memory_limit = limit;
    if (!TEST_OK(gfmul_ctx_create(&ctx, &opt)))
        return GFMUL_ERR_MEMORY;
    mp_limb_t *const q = test_alloc((n + 1) * sizeof *q), *const r = test_alloc(n * sizeof *r);
    mp_limb_t *const want_q = test_alloc((n + 1) * sizeof *q), *const want_r = test_alloc(n * sizeof *r);
    const enum gfmul_status status = gfmul_tdiv_qr(ctx, q, r, a, 2 * n, d, n);
    if (status == GFMUL_OK) {
        mpn_tdiv_qr(want_q, want_r, 0, a, (mp_size_t)(2 * n), d, (mp_size_t)n);
        test_equal_limbs(q, want_q, n + 1);
        test_equal_limbs(r, want_r, n);
    }
    free(q);
    free(r);
    free(want_q);
    free(want_r);
    gfmul_ctx_destroy(ctx);
    return status;
}

/* Rings modulo primes are for speed.  Where memory is short they need more of it than what comes without them. */
static void test_memory_limits(void)
{
    const size_t n = (size_t)test_tier(8000, 8000, 2500000); /* auto takes rings modulo primes for the longest alone */
    mp_limb_t *const a = test_alloc(2 * n * sizeof *a), *const d = test_alloc(n * sizeof *d);
    operand_fill(a, 2 * n, OPERAND_RANDOM, 16, test_u64());
    operand_fill(d, n, OPERAND_RANDOM, 16, test_u64());
    d[n - 1] |= 1;
    for (size_t limit = 8; limit < 24; limit++) {
        const size_t bytes = limit * n * sizeof *a;
        const enum gfmul_status by_points = limited(GFMUL_PRECISION_DOUBLE, bytes, a, d, n);
        const enum gfmul_status by_any = limited(GFMUL_PRECISION_AUTO, bytes, a, d, n);
        TEST_CHECK_MSG(by_any == GFMUL_OK || by_any == by_points, "limit %zu bytes: %d, in double %d", bytes, (int)by_any,
                       (int)by_points);
    }
    free(a);
    free(d);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_random_quotients);
    TEST_RUN(test_other_contexts);
    TEST_RUN(test_gmp_alone);
    TEST_RUN(test_inverses);
    TEST_RUN(test_integers);
    TEST_RUN(test_errors);
    TEST_RUN(test_exact_limit);
    TEST_RUN(test_faults);
    TEST_RUN(test_primes);
    TEST_RUN(test_prime_memory);
    TEST_RUN(test_memory_limits);
    TEST_RUN(test_shared_divisor);
    TEST_RUN(test_interrupted);
    return test_end();
}
