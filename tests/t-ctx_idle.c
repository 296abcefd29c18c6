/*
 * t-ctx_idle.c - the first product of a context, whose memory is cold, and what is left a while after the last one.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/random.h"
#include "mul/ctx.h"
#include "contexts.h"
#include "operands.h"
#include "reference.h"
#include "resident.h"
#include "test.h"

enum { LONG = 400000, SHORT = 3000, PATIENCE_MS = 20000, PATIENCE_S = 60 };

static mp_limb_t *a, *z, *want;

static struct gfmul_ctx *ctx_of(enum gfmul_rule rule, enum gfmul_precision precision, unsigned primes)
{
    return TEST_CTX(.engine = GFMUL_ENGINE_CPU, .rule = rule, .precision = precision, .verify_primes = primes, .threads = 1);
}

static void pause_ms(long ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

/* product - of n limbs by n, compared with GMP's. */
static bool product(struct gfmul_ctx *ctx, size_t n)
{
    memset(z, 0, 2 * n * sizeof *z);
    return gfmul_mul(ctx, z, a, n, a + 1, n) == GFMUL_OK && memcmp(z, want, 2 * n * sizeof *z) == 0;
}

static void operands_draw(size_t n)
{
    operand_fill(a, n + 1, OPERAND_RANDOM, 13, test_u64());
    ref_mul_gmp(want, a, n, a + 1, n);
}

/* wait_idle - until the system may take a context's buffers, or has them; false: it may not. */
static bool wait_idle(struct gfmul_ctx *ctx)
{
    for (long ms = 0; ms < PATIENCE_MS; ms += 50) {
        pthread_mutex_lock(&ctx->lock);
        const bool idle = ctx->lent || (ctx->idle_bytes == 0 && ctx->keep_bytes == 0);
        pthread_mutex_unlock(&ctx->lock);
        if (idle)
            return true;
        pause_ms(50);
    }
    return false;
}

static atomic_bool held; /* the library's thread does nothing yet, however long the test takes on a busy machine */

/* wait_briefly - of the library's thread, in tests that do not ask how long it waits. */
static bool wait_briefly(void)
{
    do
        pause_ms(20);
    while (atomic_load(&held));
    return false;
}

/* What comes a while after a product: its memory is lent, and then given back; or it cannot be lent. */
enum end { LENT, TRIMMED, SHORT_OF_MEMORY, NOT_LENDABLE, ENDS };
static const char *const end_names[] = {"lent", "trimmed", "short of memory", "not lendable"};

/*
 * A while after a long product nine tenths of its memory but for the tables are the system's, or it may take them.
 * What a program touches besides, such as its own pages and stacks, is up to a megabyte.
 */
static void given_back(enum gfmul_precision precision)
{
    struct gfmul_ctx *ctx = ctx_of(GFMUL_RULE_NORM, precision, 0);
    operands_draw(LONG);
    memset(z, 1, 2 * LONG * sizeof *z);
    const size_t before = resident_bytes(0);
    if (before == 0) {
        TEST_SKIP("no /proc");
        gfmul_ctx_destroy(ctx);
        return;
    }
    idle_wait_by(wait_briefly);
    for (unsigned turn = 0; turn < 2 * ENDS; turn++) {
        const enum end end = turn % ENDS;
        test_note("%s, turn %u, precision %d", end_names[end], turn, (int)precision);
        alloc_lend_refuse(end == NOT_LENDABLE);
        atomic_store(&held, true);
        for (unsigned i = 0; i < 3; i++)
            TEST_CHECK(product(ctx, LONG));
        const size_t kept = held_bytes(before);
        atomic_store(&held, false);
        TEST_CHECK_MSG(kept > 2 * LONG * sizeof *a, "only %zu bytes were kept at first", kept);
        TEST_CHECK(wait_idle(ctx));
        const bool lends = ctx->lent; /* where memory is short it does not */
        if (end == TRIMMED)
            gfmul_ctx_trim(ctx);
        if (end == SHORT_OF_MEMORY)
            idle_trim_all();
        const size_t tables = end == LENT && lends ? ctx_plans_bytes(ctx) : 0, most = kept / 10 + tables + (1 << 20);
        size_t left = kept;
        for (unsigned i = 0; i < 100 && left > most; i++) { /* the tables go last */
            left = end == LENT ? held_bytes(before) : resident_bytes(before);
            if (left > most)
                pause_ms(50);
        }
        TEST_CHECK_MSG(left <= most, "%zu of %zu bytes are kept", left, kept);
        if (lends)
            TEST_CHECK(end == NOT_LENDABLE ? false : end == LENT ? ctx->idle_bytes > 0 : ctx->idle_bytes == 0);
    }
    alloc_lend_refuse(false);
    idle_wait_by(NULL);
    gfmul_ctx_destroy(ctx);
}

static void test_given_back(void)
{
    given_back(GFMUL_PRECISION_DOUBLE);
    given_back(GFMUL_PRECISION_PRIME);
}

/* shape_next - what the next product of n limbs would be made by. */
static struct plan_shape shape_next(struct gfmul_ctx *ctx, size_t n, bool *cold)
{
    struct plan_request request;
    struct plan_shape shape;
    struct call call;
    call_begin(&call, ctx);
    ctx_plan_request(&call, &request, 2, 64 * n, 64 * n, false);
    TEST_OK(plan_size(&shape, &request, NULL, 0));
    *cold = request.cold;
    TEST_OK(call_end(&call, GFMUL_OK));
    return shape;
}

/* What the system has taken: the next product is right, and cold; without that it has its memory, and is not. */
static void test_taken(void)
{
#ifdef MADV_PAGEOUT
    struct gfmul_ctx *ctx = ctx_of(GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, 0);
    bool cold;
    operands_draw(LONG);
    idle_wait_by(wait_briefly);
    for (unsigned turn = 0; turn < 4; turn++) {
        const bool takes = turn % 2;
        for (unsigned i = 0; i < 2; i++)
            TEST_CHECK(product(ctx, LONG));
        TEST_CHECK(wait_idle(ctx));
        if (!ctx->lent || lent_bytes() < ctx->idle_bytes / 2) {
            TEST_SKIP("nothing is lent");
            break;
        }
        const size_t before = resident_bytes(0);
        for (unsigned i = 0; takes && i < ctx->n_buffers; i++) /* as if it were short of memory */
            madvise(ctx->buffer[i].p, ctx->buffer[i].bytes / 65536 * 65536, MADV_PAGEOUT);
        const bool taken = resident_bytes(0) + ctx->idle_bytes / 2 < before;
        if (takes && !taken) {
            TEST_SKIP("the system takes nothing");
            break;
        }
        shape_next(ctx, LONG, &cold);
        TEST_CHECK_MSG(cold == takes, "the next product is %s", cold ? "cold" : "not cold");
        TEST_CHECK(product(ctx, LONG));
    }
    idle_wait_by(NULL);
    gfmul_ctx_destroy(ctx);
#else
    TEST_SKIP("the system cannot be asked to take memory");
#endif
}

/* Products that follow each other find their memory, however long they go on; short ones keep theirs. */
static void test_kept(void)
{
    struct gfmul_ctx *ctx = ctx_of(GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, 0),
                     *other = ctx_of(GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, 0);
    const uint64_t start = clock_ns();
    uint64_t longest = 0;
    operands_draw(SHORT);
    TEST_CHECK(product(other, SHORT));
    operands_draw(LONG);
    for (uint64_t now = start, last = start; now - start < UINT64_C(2000000000); last = now) {
        pthread_mutex_lock(&ctx->lock);
        TEST_CHECK_MSG(last == start || longest > 400000000 || ctx->idle_bytes > 0, "trimmed after %" PRIu64 " ns", now - start);
        pthread_mutex_unlock(&ctx->lock);
        TEST_CHECK(product(ctx, LONG));
        pause_ms(20);
        now = clock_ns();
        longest = now - last > longest ? now - last : longest;
    }
    TEST_CHECK(other->idle_bytes > 0 && !atomic_load(&other->idle.listed));
    gfmul_ctx_destroy(other);
    gfmul_ctx_destroy(ctx);
}

/* Contexts may go while the thread waits for them, or while it trims. */
static void test_destroyed(void)
{
    enum { CONTEXTS = 6 };
    struct gfmul_ctx *ctx[CONTEXTS];
    operands_draw(LONG / 2);
    for (unsigned turn = 0; turn < 3; turn++) {
        for (unsigned i = 0; i < CONTEXTS; i++) {
            ctx[i] = ctx_of(GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, 0);
            TEST_CHECK(product(ctx[i], LONG / 2) && atomic_load(&ctx[i]->idle.listed));
        }
        for (unsigned i = 0; i < CONTEXTS; i++) {
            const unsigned k = (i * 5 + turn) % CONTEXTS;
            if (turn > 0)
                pause_ms((long)test_below(200));
            gfmul_ctx_destroy(ctx[k]);
        }
    }
}

/* A child of a process that has the thread gives back memory, too; so does its parent. */
static void test_forked(void)
{
    struct gfmul_ctx *ctx = ctx_of(GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, 0);
    int how = 0;
    operands_draw(LONG);
    for (unsigned turn = 0; turn < 3; turn++) {
        TEST_CHECK(product(ctx, LONG));
        pause_ms(turn * 450); /* before the thread wakes, and about when it does */
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            signal(SIGALRM, SIG_DFL);
            alarm(PATIENCE_S);
            _exit(product(ctx, LONG) && wait_idle(ctx) && product(ctx, LONG) ? 0 : 1);
        }
        TEST_CHECK(child > 0 && waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0);
        TEST_CHECK(wait_idle(ctx));
    }
    gfmul_ctx_destroy(ctx);
}

/* In double a cold product touches less than later ones of its size.  Once its memory is given back, the next is cold again. */
static void test_cold(void)
{
    static const size_t sizes[] = {20000, 100000, LONG};
    for (unsigned i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const size_t n = sizes[i / 2];
        struct gfmul_ctx *ctx = ctx_of(i % 2 ? GFMUL_RULE_CHECKED : GFMUL_RULE_NORM, GFMUL_PRECISION_DOUBLE, 0);
        bool cold, warm_cold;
        operands_draw(n);
        const struct plan_shape first = shape_next(ctx, n, &cold);
        TEST_CHECK(product(ctx, n));
        const struct plan_shape second = shape_next(ctx, n, &warm_cold);
        test_note("%zu limbs: %zu bytes, then %zu", n, first.memory_bytes, second.memory_bytes);
#ifndef GFMUL_MIN_THRESHOLDS
        if (n == 100000 && i % 2 == 0 && second.bound.fma) /* b goes branch by branch */
            TEST_CHECK(first.grid.n_branches > 1 && first.memory_bytes < 6 * sizeof(mp_limb_t) * 2 * n);
#endif
        TEST_CHECK(cold && !warm_cold && first.memory_bytes <= second.memory_bytes);
        TEST_CHECK(second.bound.fma == false || plan_table_bytes(&first) <= plan_table_bytes(&second));
        TEST_CHECK(product(ctx, n) && product(ctx, n));
        if (n == LONG) {
            TEST_CHECK(wait_idle(ctx));
            idle_trim_all();
            shape_next(ctx, n, &cold);
            TEST_CHECK(cold && product(ctx, n));
        }
        gfmul_ctx_destroy(ctx);
    }
}

/* A context draws one prime when it is made, and others when they are needed; without random numbers that is an error. */
static void test_primes(void)
{
    struct gfmul_ctx *ctx = ctx_of(GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, 3);
    struct gfmul_report report;
    operands_draw(SHORT);
    TEST_CHECK(residue_prime_fits(ctx->residue_prime[0], ctx->prime_bits) && ctx->residue_prime[1] == 0);
    random_refuse(true);
    TEST_CHECK(gfmul_mul(ctx, z, a, SHORT, a + 1, SHORT) == GFMUL_ERR_UNSUPPORTED);
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(report.detail[0] != '\0' && ctx->residue_prime[1] == 0);
    random_refuse(false);
    const uint64_t prime = ctx->residue_prime[0];
    TEST_CHECK(product(ctx, SHORT));
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(report.n_residues == 3 && report.residue_prime == prime && ctx->residue_prime[3] == 0);
    for (unsigned k = 0; k < 3; k++)
        TEST_CHECK(residue_prime_fits(ctx->residue_prime[k], ctx->prime_bits) &&
                   report.residue[k].prime == ctx->residue_prime[k]);
    random_refuse(true); /* what has been drawn stays */
    TEST_CHECK(product(ctx, SHORT));
    random_refuse(false);
    gfmul_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    a = test_alloc((LONG + 1) * sizeof *a);
    z = test_alloc(2 * LONG * sizeof *z);
    want = test_alloc(2 * LONG * sizeof *want);
    TEST_RUN(test_given_back);
    TEST_RUN(test_taken);
    TEST_RUN(test_kept);
    TEST_RUN(test_destroyed);
    const char *sanitizer = getenv("SANITIZER"); /* that of threads ends a child that starts one; set by make */
    if (!sanitizer || strcmp(sanitizer, "thread") != 0)
        TEST_RUN(test_forked);
    TEST_RUN(test_cold);
    TEST_RUN(test_primes);
    free(a);
    free(z);
    free(want);
    return test_end();
}
