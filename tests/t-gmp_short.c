/*
 * t-gmp_short.c - short products by libgfmul_gmp.so itself: GMP's entry points with the sizes that are as tuned.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The program runs itself again with the library preloaded.  The reference is a copy of libgmp that the library does not reach.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <time.h>

#include "base/cpu.h"
#include "gmp_copy.h"
#include "operands.h"
#include "short/short.h"
#include "test.h"

enum {
    LIMBS = 700,
    BASECASE_LIMBS = 20 /* what any GMP's schoolbook takes */,
    REDC_LIMBS = 100,
    REDC_N_LEAST = 9 /* GMP takes no fewer */
};

static struct gmp_copy reference;
static mp_limb_t a[LIMBS], b[LIMBS], z[2 * LIMBS + 1], want[2 * LIMBS + 1];

static void fill(mp_limb_t *x, size_t n)
{
    operand_fill(x, n, (enum operand_kind)test_below(OPERAND_KINDS), 1 + (unsigned)test_below(20), test_u64());
}

/* check_entries - products of an by bn limbs by each entry; errno stays. */
static void check_entries(size_t an, size_t bn)
{
    fill(a, an);
    fill(b, bn);
    test_note("an=%zu bn=%zu", an, bn);
    errno = 4711;
    z[an + bn] = want[an + bn] = 0x5e9;
    const mp_limb_t top = mpn_mul(z, a, (mp_size_t)an, b, (mp_size_t)bn);
    TEST_CHECK(reference.mul(want, a, (mp_size_t)an, b, (mp_size_t)bn) == top);
    test_equal_limbs(z, want, an + bn + 1);
    if (bn <= BASECASE_LIMBS) {
        memset(z, 0x55, (an + bn) * sizeof *z);
        __MPN(mul_basecase)(z, a, (mp_size_t)an, b, (mp_size_t)bn);
        test_equal_limbs(z, want, an + bn + 1);
    }
    z[2 * bn] = want[2 * bn] = 0x5e9;
    mpn_mul_n(z, a, b, (mp_size_t)bn);
    reference.mul_n(want, a, b, (mp_size_t)bn);
    test_equal_limbs(z, want, 2 * bn + 1);
    z[2 * an] = want[2 * an] = 0x5e9;
    mpn_sqr(z, a, (mp_size_t)an);
    reference.sqr(want, a, (mp_size_t)an);
    test_equal_limbs(z, want, 2 * an + 1);
    if (an <= BASECASE_LIMBS) {
        memset(z, 0x55, 2 * an * sizeof *z);
        __MPN(sqr_basecase)(z, a, (mp_size_t)an);
        test_equal_limbs(z, want, 2 * an + 1);
    }
    mpn_mul_n(z, a, a, (mp_size_t)an); /* one operand twice */
    test_equal_limbs(z, want, 2 * an + 1);
    mpn_mul(z, a, (mp_size_t)an, a, (mp_size_t)an);
    test_equal_limbs(z, want, 2 * an + 1);
    TEST_CHECK(errno == 4711);
}

static void test_entries(void)
{
    TEST_CHECK((void *)reference.mul != (void *)mpn_mul); /* the library is there */
    for (size_t n = 1; n <= LIMBS; n++) {
        check_entries(n, n);
        check_entries(n, test_between(1, n));
    }
}

/* inverse_of - -1 / {m, 2} modulo B^2, of odd m. */
static void inverse_of(mp_limb_t inverse[2], const mp_limb_t m[2])
{
    const unsigned __int128 whole = (unsigned __int128)m[1] << 64 | m[0];
    unsigned __int128 x = whole; /* 3 bits are right, and twice as many after each step */
    for (int i = 0; i < 6; i++)
        x *= 2 - whole * x;
    inverse[0] = (mp_limb_t)-x;
    inverse[1] = (mp_limb_t)(-x >> 64);
}

/* check_reductions - Montgomery's reduction of random numbers modulo n limbs, which GMP's powers call. */
static void check_reductions(size_t n)
{
    mp_limb_t u[2 * REDC_LIMBS], inverse[2], carry, other;
    fill(a, 2 * n);
    fill(b, n);
    b[0] |= 1;
    inverse_of(inverse, b);
    test_note("n=%zu", n);
    errno = 4711;
    z[n] = want[n] = 0x5e9;
    memcpy(u, a, 2 * n * sizeof *u);
    carry = __MPN(redc_1)(z, u, b, (mp_size_t)n, inverse[0]);
    memcpy(u, a, 2 * n * sizeof *u);
    other = reference.redc_1(want, u, b, (mp_size_t)n, inverse[0]);
    TEST_CHECK(carry == other);
    test_equal_limbs(z, want, n + 1);
    memset(z, 0x55, n * sizeof *z);
    memcpy(u, a, 2 * n * sizeof *u);
    carry = __MPN(redc_2)(z, u, b, (mp_size_t)n, inverse);
    TEST_CHECK(carry == other);
    test_equal_limbs(z, want, n + 1);
    if (n >= REDC_N_LEAST) {
        mp_limb_t whole[REDC_LIMBS] = {0}, rest[REDC_LIMBS] = {1}; /* 1 / b modulo B^n, a limb after the other */
        for (size_t i = 0; i < n; i++) {
            whole[i] = rest[i] * -inverse[0];
            mpn_submul_1(rest + i, b, (mp_size_t)(n - i), whole[i]);
        }
        if (test_below(4) == 0)
            memset(a, 0, n * sizeof *a); /* nothing to add to it */
        memset(z, 0x55, n * sizeof *z);
        memcpy(u, a, 2 * n * sizeof *u);
        __MPN(redc_n)(z, u, b, (mp_size_t)n, whole);
        memcpy(u, a, 2 * n * sizeof *u);
        reference.redc_n(want, u, b, (mp_size_t)n, whole);
        test_equal_limbs(z, want, n + 1);
    }
    TEST_CHECK(errno == 4711);
}

static void test_reductions(void)
{
    for (size_t n = 2; n <= REDC_LIMBS; n++)
        for (unsigned i = 0; i < test_tier(30, 3000, 30000); i++)
            check_reductions(n);
}

/* ---- threads, and handlers that leave a product ---- */

static volatile bool ended;

static void *thread_products(void *arg)
{
    const uint64_t seed = *(uint64_t *)arg;
    mp_limb_t x[64], got[128], ref[128];
    for (uint64_t i = 0; !ended; i++) {
        const size_t n = 1 + (size_t)(i % 64);
        operand_fill(x, n, OPERAND_RANDOM, 10, seed + i);
        mpn_sqr(got, x, (mp_size_t)n);
        reference.sqr(ref, x, (mp_size_t)n);
        if (mpn_cmp(got, ref, (mp_size_t)(2 * n)) != 0)
            return NULL;
    }
    return arg;
}

static sigjmp_buf back;

static void leave(int signal)
{
    (void)signal;
    mpn_sqr(z, a, 40); /* a handler that multiplies, too */
    siglongjmp(back, 1);
}

/* A handler may leave a short product by a long jump at any point, while other threads multiply; later ones are right. */
static void test_signals(void)
{
    enum { THREADS = 2, TIMES = 30, MOST = 300 };
    struct sigaction action = {.sa_handler = leave}, former;
    pthread_t thread[THREADS];
    uint64_t seeds[THREADS];
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    fill(a, MOST);
    fill(b, MOST);
    pthread_sigmask(SIG_BLOCK, &alarms, NULL);
    for (int i = 0; i < THREADS; i++) {
        seeds[i] = test_u64();
        TEST_CHECK(pthread_create(&thread[i], NULL, thread_products, &seeds[i]) == 0);
    }
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    TEST_CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    sigaction(SIGALRM, &action, &former);
    for (volatile int i = 0; i < TIMES; i++) {
        if (sigsetjmp(back, 1) == 0) {
            const struct itimerspec soon = {.it_value = {0, 200000 + 37000 * i}};
            timer_settime(timer, 0, &soon, NULL);
            for (;;) {
                mpn_mul(z, a, MOST, b, 100);
                mpn_mul_n(z, a, b, 30);
            }
        }
        mpn_mul_n(z, a, b, MOST);
        reference.mul_n(want, a, b, MOST);
        test_equal_limbs(z, want, 2 * MOST);
    }
    sigaction(SIGALRM, &former, NULL);
    timer_delete(timer);
    ended = true;
    for (int i = 0; i < THREADS; i++) {
        void *agreed;
        pthread_join(thread[i], &agreed);
        TEST_CHECK(agreed != NULL);
    }
}

/* products_told - the whole products that the last lines of the process name. */
static unsigned long products_told(const char *stats)
{
    const char *whole = strstr(stats, "by gfmul (");
    return whole ? strtoul(whole + strlen("by gfmul ("), NULL, 10) : 0;
}

int main(int argc, char **argv)
{
    if (!is_preloaded()) {
        char stats[4096];
        const char *disable = getenv("GFMUL_DISABLE");
        const struct short_ops *ops = short_ops_select(cpu_isa_mask(disable), disable);
        const int status = run_counted(argv, 0, stats, sizeof stats);
        const unsigned long made = products_told(stats), least = ops ? 2 * (ops->product.to - ops->product.from) : 0;
        if (status == 0 && made < least) {
            fprintf(stderr, "FAILED: %lu products by gfmul, not %lu:\n%s\n", made, least, stats);
            return 1;
        }
        return status;
    }
    char path[4096];
    join_streams();
    gmp_open_reference(&reference, gmp_path(path));
    test_begin(argc, argv);
    TEST_RUN(test_entries);
    TEST_RUN(test_reductions);
    TEST_RUN(test_signals);
    return test_end();
}
