/*
 * t-gmp_dropin.c - GMP's entry points with libgfmul_gmp.so preloaded, against a GMP that it does not reach.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The program runs itself again with the library preloaded and a threshold of a few limbs.  The reference is a copy of libgmp,
 * loaded so that it binds to itself, and so that the library does not see it.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <time.h>
#include <sys/wait.h>

#include "gmp_copy.h"
#include "operands.h"
#include "resident.h"
#include "test.h"

static struct gmp_copy reference;
enum { LIMBS = 6000, THRESHOLD = 3 };

static void fill(mp_limb_t *a, size_t n)
{
    const enum operand_kind kind = (enum operand_kind)test_below(OPERAND_KINDS);
    operand_fill(a, n, kind, 1 + (unsigned)test_below(20), test_u64());
}

static mp_limb_t a[LIMBS + 8], b[LIMBS + 8], z[2 * LIMBS + 16], want[2 * LIMBS + 16], scratch[4 * LIMBS + 64];

static void test_entries(void)
{
    TEST_CHECK((void *)reference.mul != (void *)mpn_mul); /* the library is there */
    for (size_t i = test_tier(600, 6000, 60000); i > 0; i--) {
        const size_t an = test_size(1, LIMBS), bn = test_size(1, an);
        fill(a, an);
        fill(b, bn);
        test_note("an=%zu bn=%zu", an, bn);
        z[an + bn] = want[an + bn] = 0x5e9;
        const mp_limb_t top = mpn_mul(z, a, (mp_size_t)an, b, (mp_size_t)bn);
        TEST_CHECK(reference.mul(want, a, (mp_size_t)an, b, (mp_size_t)bn) == top);
        test_equal_limbs(z, want, an + bn + 1);
        mpn_mul_n(z, a, b, (mp_size_t)bn);
        reference.mul_n(want, a, b, (mp_size_t)bn);
        test_equal_limbs(z, want, 2 * bn);
        mpn_sqr(z, a, (mp_size_t)an);
        reference.sqr(want, a, (mp_size_t)an);
        test_equal_limbs(z, want, 2 * an);
        mpn_mul(want, a, (mp_size_t)an, a, (mp_size_t)an); /* one operand twice */
        test_equal_limbs(z, want, 2 * an);
        mpn_mul_n(want, a, a, (mp_size_t)an);
        test_equal_limbs(z, want, 2 * an);
    }
}

/* check_minus - products modulo B^n - 1; an >= bn, an + bn > n / 2. */
static void check_minus(size_t n, size_t an, size_t bn)
{
    const size_t zn = an + bn < n ? an + bn : n;
    test_note("modulo B^%zu - 1, an=%zu bn=%zu", n, an, bn);
    z[zn] = want[zn] = 0x5e9;
    __MPN(mulmod_bnm1)(z, (mp_size_t)n, a, (mp_size_t)an, b, (mp_size_t)bn, scratch);
    reference.mulmod_bnm1(want, (mp_size_t)n, a, (mp_size_t)an, b, (mp_size_t)bn, scratch);
    test_equal_limbs(z, want, zn + 1);
}

static void check_minus_sqr(size_t n, size_t an)
{
    const size_t zn = 2 * an < n ? 2 * an : n;
    test_note("square modulo B^%zu - 1, an=%zu", n, an);
    z[zn] = want[zn] = 0x5e9;
    __MPN(sqrmod_bnm1)(z, (mp_size_t)n, a, (mp_size_t)an, scratch);
    reference.sqrmod_bnm1(want, (mp_size_t)n, a, (mp_size_t)an, scratch);
    test_equal_limbs(z, want, zn + 1);
}

static void test_minus(void)
{
    const size_t end = test_tier(14, 30, 40);
    for (size_t n = 1; n <= end; n++) { /* all small sizes */
        for (size_t an = 1; an <= n; an++) {
            for (size_t bn = 1; bn <= an; bn++) {
                fill(a, an);
                fill(b, bn);
                if (an + bn > n / 2)
                    check_minus(n, an, bn);
            }
            if (2 * an > n / 2)
                check_minus_sqr(n, an);
        }
        mpn_zero(a, (mp_size_t)n); /* zero, and multiples of the modulus */
        fill(b, n);
        check_minus(n, n, n);
        check_minus_sqr(n, n);
        memset(a, 0xff, n * sizeof *a);
        check_minus(n, n, n);
        check_minus_sqr(n, n);
    }
    for (size_t i = test_tier(300, 3000, 30000); i > 0; i--) {
        const size_t n = test_size(2, LIMBS), an = n - n * test_below(8) / 16, bn = an - an * test_below(8) / 16;
        fill(a, an);
        fill(b, bn);
        if (an + bn > n / 2)
            check_minus(n, an, bn);
        check_minus_sqr(n, an);
    }
}

static void test_plus(void)
{
    for (size_t i = test_tier(200, 2000, 20000); i > 0; i--) {
        const bool square = test_below(2) == 0, big = test_below(4) == 0;
        size_t n = 600 + test_below(LIMBS - 2600);
        const int k = reference.fft_best_k((mp_size_t)n, square);
        n = (size_t)reference.fft_next_size((mp_size_t)n, k);
        const size_t an = test_below(8) == 0 ? 1 + test_below(n) : n;
        fill(a, an);
        fill(b, n);
        if (test_below(8) == 0)
            memset(a, 0xff, an * sizeof *a);
        if (big) { /* B^n itself */
            mpn_zero(b, (mp_size_t)n);
            b[n] = 1;
        }
        test_note("modulo B^%zu + 1, an=%zu%s%s", n, an, square ? ", a square" : "", big ? ", b = B^n" : "");
        const mp_limb_t *other = square ? a : b;
        const mp_size_t on = (mp_size_t)(square ? an : n + (size_t)big);
        z[n] = want[n] = 0x5e9;
        const mp_limb_t top = __MPN(mul_fft)(z, (mp_size_t)n, a, (mp_size_t)an, other, on, k);
        TEST_CHECK(reference.mul_fft(want, (mp_size_t)n, a, (mp_size_t)an, other, on, k) == top);
        test_equal_limbs(z, want, n + 1);
    }
}

/* check_divide - quotient and remainder by both entries; the remainder in place of the number, too. */
static void check_divide(size_t an, size_t dn)
{
    const size_t qn = an - dn + 1;
    static mp_limb_t r[LIMBS + 8], want_r[LIMBS + 8];
    b[dn - 1] |= test_below(4) == 0 ? (mp_limb_t)1 << 63 : b[dn - 1] == 0;
    test_note("%zu by %zu limbs", an, dn);
    z[qn] = want[qn] = r[dn] = want_r[dn] = 0x5e9;
    mpn_tdiv_qr(z, r, 0, a, (mp_size_t)an, b, (mp_size_t)dn);
    reference.tdiv_qr(want, want_r, 0, a, (mp_size_t)an, b, (mp_size_t)dn);
    test_equal_limbs(z, want, qn + 1);
    test_equal_limbs(r, want_r, dn + 1);
    __MPN(div_q)(z, a, (mp_size_t)an, b, (mp_size_t)dn, scratch);
    test_equal_limbs(z, want, qn + 1);
    mpn_copyi(scratch, a, (mp_size_t)an);
    mpn_tdiv_qr(z, scratch, 0, scratch, (mp_size_t)an, b, (mp_size_t)dn);
    test_equal_limbs(z, want, qn + 1);
    test_equal_limbs(scratch, want_r, dn);
}

static void test_quotients(void)
{
    for (size_t i = test_tier(200, 2000, 20000); i > 0; i--) {
        const size_t most = i % 8 ? LIMBS / 8 : LIMBS, an = test_size(1, most), dn = test_size(1, an);
        fill(a, an);
        fill(b, dn);
        check_divide(an, dn);
        if (an > dn) { /* a multiple, or one less */
            const mp_size_t qn = (mp_size_t)(an - dn);
            mpn_copyi(scratch, a, qn);
            if (qn > (mp_size_t)dn)
                mpn_mul(a, scratch, qn, b, (mp_size_t)dn);
            else
                mpn_mul(a, b, (mp_size_t)dn, scratch, qn);
            if (!mpn_zero_p(a, (mp_size_t)an))
                mpn_sub_1(a, a, (mp_size_t)an, test_below(2));
            check_divide(an, dn);
        }
    }
}

/* Integers, whose functions end in these. */
static void test_integers(void)
{
    mpz_t x, y, q, r, p;
    mpz_inits(x, y, q, r, p, NULL);
    for (size_t i = test_tier(40, 400, 4000); i > 0; i--) {
        const size_t an = test_size(1, LIMBS), dn = test_size(1, an);
        fill(mpz_limbs_write(x, (mp_size_t)an), an);
        mpz_limbs_finish(x, test_below(2) ? (mp_size_t)an : -(mp_size_t)an);
        fill(mpz_limbs_write(y, (mp_size_t)dn), dn);
        mpz_limbs_finish(y, (mp_size_t)dn);
        mpz_add_ui(y, y, mpz_sgn(y) == 0);
        test_note("integers of %zu and %zu limbs", an, dn);
        mpz_fdiv_qr(q, r, x, y);
        mpz_mul(p, q, y);
        mpz_add(p, p, r);
        TEST_CHECK(mpz_cmp(p, x) == 0 && mpz_sgn(r) >= 0 && mpz_cmp(r, y) < 0);
        mpz_fdiv_q(p, x, y);
        TEST_CHECK(mpz_cmp(p, q) == 0);
        mpz_mod(x, x, y); /* in place */
        TEST_CHECK(mpz_cmp(x, r) == 0);
        mpz_sqrtrem(q, r, y);
        mpz_mul(p, q, q);
        mpz_add(p, p, r);
        mpz_mul_2exp(q, q, 1);
        TEST_CHECK(mpz_cmp(p, y) == 0 && mpz_cmp(r, q) <= 0);
        mpz_fdiv_q_2exp(q, q, 1);
        mpz_sqrt(p, y);
        TEST_CHECK(mpz_cmp(p, q) == 0);
        char *text = mpz_get_str(NULL, 10, y);
        mpz_set_str(p, text, 10);
        TEST_CHECK(mpz_cmp(p, y) == 0);
        free(text);
    }
    mpz_clears(x, y, q, r, p, NULL);
}

static void test_errno(void)
{
    fill(a, LIMBS);
    for (int i = 0; i < 3; i++) {
        errno = 4711 + i;
        mpn_sqr(z, a, LIMBS);
        TEST_CHECK(errno == 4711 + i);
    }
}

/* ---- who makes a product ---- */

static unsigned long n_allocated;

static void *counting_alloc(size_t n)
{
    n_allocated++;
    return malloc(n);
}

/* gfmul_multiplies - whether a long product is gfmul's: GMP allocates for it. */
static bool gfmul_multiplies(void)
{
    enum { LONG_LIMBS = 20000 };
    mp_limb_t *x = test_alloc(3 * LONG_LIMBS * sizeof *x);
    memset(x, 0x37, LONG_LIMBS * sizeof *x);
    n_allocated = 0;
    mp_set_memory_functions(counting_alloc, plain_realloc, plain_free);
    mpn_sqr(x + LONG_LIMBS, x, LONG_LIMBS);
    mp_set_memory_functions(NULL, NULL, NULL);
    free(x);
    return n_allocated == 0;
}

/* A long quotient is gfmul's, too. */
static void test_divides(void)
{
    enum { LONG_LIMBS = 20000 };
    mp_limb_t *x = test_alloc(5 * LONG_LIMBS * sizeof *x);
    memset(x, 0x37, 3 * LONG_LIMBS * sizeof *x);
    n_allocated = 0;
    mp_set_memory_functions(counting_alloc, plain_realloc, plain_free);
    mpn_tdiv_qr(x + 3 * LONG_LIMBS, x, 0, x, 2 * LONG_LIMBS, x + 2 * LONG_LIMBS, LONG_LIMBS);
    mp_set_memory_functions(NULL, NULL, NULL);
    TEST_CHECK((n_allocated == 0) == gmp_is_gfmuls(LONG_LIMBS / 2));
    free(x);
}

/* ---- threads and forks ---- */

enum { THREADS = 4, THREAD_LIMBS = 3000 };
static volatile bool ended;

/* products_agree - squares by both GMPs until the end is told, or a number of them. */
static bool products_agree(uint64_t seed, unsigned n)
{
    mp_limb_t *x = malloc(5 * THREAD_LIMBS * sizeof *x), *got = x + THREAD_LIMBS, *ref = got + 2 * THREAD_LIMBS;
    bool agree = true;
    for (unsigned i = 0; agree && (n > 0 ? i < n : !ended); i++) {
        const size_t xn = THREAD_LIMBS - i * 7 % 1000;
        operand_fill(x, xn, OPERAND_RANDOM, 10, seed + i);
        mpn_sqr(got, x, (mp_size_t)xn);
        reference.sqr(ref, x, (mp_size_t)xn);
        agree = mpn_cmp(got, ref, (mp_size_t)(2 * xn)) == 0;
    }
    free(x);
    return agree;
}

static void *thread_products(void *arg)
{
    return products_agree(*(uint64_t *)arg, 0) ? arg : NULL;
}

/* child_agrees - a child process multiplies, too. */
static bool child_agrees(unsigned n)
{
    int status = 1;
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        _exit(products_agree(n, 5) && gfmul_multiplies() == gmp_is_gfmuls(20000) ? 0 : 1);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static void test_threads_and_forks(void)
{
    pthread_t thread[THREADS];
    uint64_t seed[THREADS];
    void *value;
    ended = false;
    for (int i = 0; i < THREADS; i++) {
        seed[i] = test_u64();
        TEST_CHECK(pthread_create(&thread[i], NULL, thread_products, &seed[i]) == 0);
    }
    for (unsigned i = 0; i < 30; i++) /* while the others are within products */
        TEST_CHECK(child_agrees(i));
    ended = true;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], &value);
        TEST_CHECK(value != NULL);
    }
    TEST_CHECK(child_agrees(1));
}

/* ---- signals ---- */

static sigjmp_buf back;
static volatile sig_atomic_t n_signals;

static void leave(int signal)
{
    (void)signal;
    n_signals++;
    siglongjmp(back, 1);
}

static void stay(int signal)
{
    (void)signal;
    n_signals++;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); /* products run on threads of their own */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* timer_set - a timer that sends a signal after a number of microseconds, once or again and again; 0: it is stopped. */
static void timer_set(timer_t timer, long us, bool again)
{
    const struct timespec pause = {us / 1000000, us % 1000000 * 1000}, never = {0, 0};
    timer_settime(timer, 0, &(struct itimerspec){.it_value = pause, .it_interval = again ? pause : never}, NULL);
}

/*
 * Handlers that leave a product by a long jump, as those of PARI/GP and Maxima do: what was multiplied is as it was, and the next
 * products are right.  Those that return do so, without an end of stopping.
 */
static void check_signal(int signal)
{
    enum { LONG_LIMBS = 200000, OTHER_LIMBS = 150000, TIMES = 20 };
    struct sigaction action = {.sa_handler = leave}, former;
    timer_t timer;
    mpz_t u, v, w, u_was, v_was;
    mpz_inits(u, v, w, u_was, v_was, NULL);
    operand_fill(mpz_limbs_write(u, LONG_LIMBS), LONG_LIMBS, OPERAND_RANDOM, 10, test_u64());
    operand_fill(mpz_limbs_write(v, OTHER_LIMBS), OTHER_LIMBS, OPERAND_RANDOM, 10, test_u64());
    mpz_limbs_finish(u, LONG_LIMBS);
    mpz_limbs_finish(v, OTHER_LIMBS);
    mpz_set(u_was, u);
    mpz_set(v_was, v);
    mpz_realloc2(w, 128 * LONG_LIMBS); /* a handler that left GMP between free and malloc would leave w without memory */
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal};
    TEST_CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    sigaction(signal, &action, &former);
    n_signals = 0;
    for (volatile int i = 0; i < TIMES; i++) {
        test_note("signal %d, %d", signal, i);
        if (sigsetjmp(back, 1) == 0) {
            timer_set(timer, 500 + 1000 * i, false);
            for (;;) {
                mpz_mul(w, u, v);
                mpz_mul(w, u, u);
            }
        }
        TEST_CHECK(mpz_cmp(u, u_was) == 0 && mpz_cmp(v, v_was) == 0);
        TEST_CHECK(products_agree((uint64_t)i, 2));
    }
    TEST_CHECK(n_signals == TIMES);
    TEST_CHECK(gfmul_multiplies() == gmp_is_gfmuls(20000));
    action.sa_handler = stay;
    sigaction(signal, &action, NULL);
    n_signals = 0;
    timer_set(timer, 2000, true);
    TEST_CHECK(products_agree(1, 100));
    mpz_mul(w, u, v);
    timer_set(timer, 0, false);
    TEST_CHECK(n_signals > 2);
    timer_delete(timer);
    mpz_tdiv_q(w, w, v);
    TEST_CHECK(mpz_cmp(w, u) == 0);
    sigaction(signal, &former, NULL);
    mpz_clears(u, v, w, u_was, v_was, NULL);
}

static void test_signals(void)
{
    check_signal(SIGINT);
    check_signal(SIGALRM);
}

/* An interrupt of a long product comes long before its end. */
static void test_interrupt_early(void)
{
    enum { LONG_LIMBS = 10000000 };
    struct sigaction action = {.sa_handler = leave}, former;
    timer_t timer;
    mp_limb_t *x = test_alloc(3 * LONG_LIMBS * sizeof *x);
    operand_fill(x, LONG_LIMBS, OPERAND_RANDOM, 10, test_u64());
    volatile double start, whole = 1e9;
    for (int i = 0; i < 4; i++) {
        start = cpu_seconds();
        mpn_sqr(x + LONG_LIMBS, x, LONG_LIMBS);
        const double now = cpu_seconds() - start;
        whole = now < whole ? now : whole;
    }
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGINT};
    TEST_CHECK(timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0);
    sigaction(SIGINT, &action, &former);
    start = cpu_seconds();
    if (sigsetjmp(back, 1) == 0) {
        timer_set(timer, 1000, false);
        for (;;)
            mpn_sqr(x + LONG_LIMBS, x, LONG_LIMBS);
    }
    const double taken = cpu_seconds() - start;
    TEST_CHECK_MSG(!gmp_is_gfmuls(LONG_LIMBS) || taken < whole / 2, "%.3f s of %.3f s", taken, whole);
    sigaction(SIGINT, &former, NULL);
    timer_delete(timer);
    free(x);
}

/* ---- memory ---- */

/* A while after a long product the system may take its memory, and the next one is right. */
static void test_idle_memory(void)
{
    enum { LONG_LIMBS = 400000 };
    mp_limb_t *x = test_alloc(3 * LONG_LIMBS * sizeof *x);
    const struct timespec pause = {0, 100000000};
    operand_fill(x, LONG_LIMBS, OPERAND_RANDOM, 10, test_u64());
    memset(x + LONG_LIMBS, 1, 2 * LONG_LIMBS * sizeof *x);
    const size_t before = resident_bytes(0);
    if (before == 0) {
        TEST_SKIP("no /proc");
    } else {
        mpn_sqr(x + LONG_LIMBS, x, LONG_LIMBS);
        const size_t kept = resident_bytes(before);
        size_t left = kept;
        for (int i = 0; i < 200 && left > kept / 10; i++) {
            nanosleep(&pause, NULL);
            left = held_bytes(before);
        }
        TEST_CHECK_MSG(kept > LONG_LIMBS * sizeof *x, "only %zu bytes were kept at first", kept);
        TEST_CHECK_MSG(left <= kept / 10, "%zu of %zu bytes are kept", left, kept);
    }
    TEST_CHECK(products_agree(3, 3));
    free(x);
}

int main(int argc, char **argv)
{
    if (!is_preloaded())
        run_preloaded(argv, THRESHOLD);
    char path[4096];
    gmp_open_reference(&reference, gmp_path(path));
    test_begin(argc, argv);
    TEST_RUN(test_entries);
    TEST_RUN(test_minus);
    TEST_RUN(test_plus);
    TEST_RUN(test_quotients);
    TEST_RUN(test_integers);
    TEST_RUN(test_divides);
    TEST_RUN(test_errno);
    TEST_RUN(test_idle_memory); /* before products that leave more to give back */
    TEST_RUN(test_signals);
    TEST_RUN(test_interrupt_early);
    TEST_RUN(test_threads_and_forks);
    return test_end();
}
