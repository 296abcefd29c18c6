/*
 * t-call_leave.c - progress callbacks that never return: long jumps, threads that end, threads that are cancelled, forks.
 *
 * Operands and product lie in pages that are given back at once, so that whatever still uses them stops the program.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "guard.h"
#include "ocl_test.h"
#include "operands.h"
#include "progress_often.h"
#include "reference.h"
#include "test.h"

enum { LIMBS = 3000, DIGITS = 30000, TURNS = 12, PATIENCE_S = 100 };
enum how { JUMP, EXIT, CANCEL, HOWS };
enum work { PRODUCT, INTEGERS, OPERAND, TEXT, RESIDENT, WORKS };
static const char *const how_names[] = {"jump", "exit", "cancel"};
static const char *const work_names[] = {"product", "integers", "operand", "text", "numbers on a device"};

/* What a product is made with; all of it goes when it is left. */
struct task {
    struct gfmul_ctx *ctx;
    enum work work;
    enum how how;
    unsigned calls, leave_at; /* 0: never */
    struct guard a, b, z;
    mpz_t x, y, product;
    struct gfmul_operand *op;
    struct gfmul_device_operand *number[3];
    jmp_buf back;
    enum gfmul_status status;
};

static int callback(void *arg, double done)
{
    struct task *t = *(struct task **)arg;
    (void)done;
    if (++t->calls == t->leave_at) {
        if (t->how == JUMP)
            longjmp(t->back, 1);
        if (t->how == EXIT)
            pthread_exit(t);
        pthread_cancel(pthread_self());
        pthread_testcancel();
    }
    return 0;
}

static struct task *current; /* of the contexts' callbacks */

static enum gfmul_status work_do(struct task *t)
{
    const size_t an = t->a.bytes / sizeof(mp_limb_t), bn = t->b.bytes / sizeof(mp_limb_t);
    switch (t->work) {
    case PRODUCT:
        return gfmul_mul(t->ctx, t->z.p, t->a.p, an, t->b.p, bn);
    case INTEGERS:
        return gfmul_mpz_mul(t->ctx, t->product, t->x, t->y);
    case OPERAND: {
        enum gfmul_status status = gfmul_operand_create(t->ctx, &t->op, t->b.p, bn, an);
        return status == GFMUL_OK ? gfmul_operand_mul(t->op, t->z.p, t->a.p, an) : status;
    }
    case TEXT:
        return gfmul_str_mul(t->ctx, t->z.p, t->z.bytes, NULL, 10, t->a.p, t->a.bytes, 10, t->b.p, t->b.bytes, 10);
    default:
        return gfmul_device_operand_mul(t->number[2], t->number[0], t->number[1]);
    }
}

static void task_begin(struct task *t)
{
    const bool text = t->work == TEXT;
    const size_t bytes = text ? DIGITS : LIMBS * sizeof(mp_limb_t);
    t->a = guard_create(bytes, GUARD_AFTER);
    t->b = guard_create(bytes, GUARD_AFTER);
    t->z = guard_create(2 * bytes + (text ? 8 : 0), GUARD_AFTER);
    t->op = NULL;
    if (text) {
        text_fill(t->a.p, DIGITS, TEXT_RANDOM, 10, 4, test_u64());
        text_fill(t->b.p, DIGITS, TEXT_RANDOM, 10, 4, test_u64());
    } else {
        operand_fill(t->a.p, LIMBS, OPERAND_RANDOM, 13, test_u64());
        operand_fill(t->b.p, LIMBS, OPERAND_RANDOM, 13, test_u64());
    }
    mpz_inits(t->x, t->y, t->product, NULL);
    if (t->work == INTEGERS) {
        mpz_import(t->x, LIMBS, -1, 8, 0, 0, t->a.p);
        mpz_import(t->y, LIMBS, -1, 8, 0, 0, t->b.p);
        mpz_neg(t->x, t->x);
    }
    for (unsigned i = 0; i < 3 && t->work == RESIDENT; i++)
        TEST_OK(gfmul_device_operand_create(t->ctx, &t->number[i], 2 * LIMBS));
    if (t->work == RESIDENT) {
        TEST_OK(gfmul_device_operand_set(t->number[0], t->a.p, LIMBS));
        TEST_OK(gfmul_device_operand_set(t->number[1], t->b.p, LIMBS));
    }
}

/* task_right - whether the product is that of GMP. */
static bool task_right(struct task *t)
{
    bool right;
    mpz_t x, y, w;
    mpz_inits(x, y, w, NULL);
    if (t->work == TEXT) {
        char *s = test_alloc(DIGITS + 1);
        memcpy(s, t->a.p, DIGITS);
        s[DIGITS] = '\0';
        mpz_set_str(x, s, 10);
        memcpy(s, t->b.p, DIGITS);
        mpz_set_str(y, s, 10);
        free(s);
    } else {
        mpz_import(x, LIMBS, -1, 8, 0, 0, t->a.p);
        mpz_import(y, LIMBS, -1, 8, 0, 0, t->b.p);
    }
    mpz_mul(x, x, y);
    if (t->work == INTEGERS)
        mpz_neg(w, t->product);
    else if (t->work == TEXT)
        mpz_set_str(w, t->z.p, 10);
    else {
        if (t->work == RESIDENT)
            TEST_OK(gfmul_device_operand_get(t->number[2], t->z.p, 2 * LIMBS));
        mpz_import(w, 2 * LIMBS, -1, 8, 0, 0, t->z.p);
    }
    right = mpz_cmp(w, x) == 0;
    mpz_clears(x, y, w, NULL);
    return right;
}

/* task_end - at once, whatever became of it; then nothing is left but what the context has. */
static void task_end(struct task *t)
{
    mpz_clears(t->x, t->y, t->product, NULL);
    guard_destroy(&t->a);
    guard_destroy(&t->b);
    guard_destroy(&t->z);
    gfmul_operand_destroy(t->op);
}

/* numbers_end - those on a device: the context ends what was left with them first. */
static void numbers_end(struct task *t)
{
    gfmul_ctx_trim(t->ctx);
    for (unsigned i = 0; i < 3 && t->work == RESIDENT; i++)
        gfmul_device_operand_destroy(t->number[i]);
}

static void *thread_run(void *arg)
{
    struct task *t = arg;
    t->status = work_do(t);
    return NULL;
}

/* task_run - false: it was left. */
static bool task_run(struct task *t)
{
    void *result = NULL;
    pthread_t thread;
    current = t;
    t->calls = 0;
    if (t->how == JUMP) {
        if (setjmp(t->back) != 0)
            return false;
        t->status = work_do(t);
        return true;
    }
    TEST_CHECK(pthread_create(&thread, NULL, thread_run, t) == 0);
    pthread_join(thread, &result);
    return result == NULL;
}

/* in_use - bytes that malloc has given out, as far as that is known. */
static size_t in_use(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
    const struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
#else
    return 0;
#endif
}

/*
 * leave_everywhere - a callback that leaves at TURNS of its calls, each after the other on one context; then all is right.
 *
 * One thread tells each part, of several the calling one alone: how often is a matter of its share, which is none at worst.
 */
static void leave_everywhere(const struct gfmul_options *opt, enum work work, enum how how)
{
    struct task t = {.work = work, .how = how};
    unsigned left = 0;
    t.ctx = test_ctx(opt);
    progress_often(t.ctx);
    task_begin(&t);
    TEST_CHECK(task_run(&t) && t.status == GFMUL_OK && task_right(&t));
    task_end(&t);
    numbers_end(&t);
    unsigned calls = t.calls; /* the fewest of a whole product */
    for (unsigned k = 0; k < TURNS; k++) {
        t.leave_at = k < 2 ? k + 1 : 1 + (unsigned)test_below(calls);
        test_note("%s, %s, precision %d, rule %d, %u threads, left at call %u of %u", work_names[work], how_names[how],
                  opt->precision, opt->rule, opt->threads, t.leave_at, calls);
        task_begin(&t);
        const bool was_left = !task_run(&t);
        task_end(&t);
        numbers_end(&t);
        left += was_left;
        TEST_CHECK(was_left || (t.status == GFMUL_OK && t.calls < t.leave_at && opt->threads > 1));
        calls = was_left || t.calls > calls ? calls : t.calls;
        t.leave_at = 0;
        if (k % 4 == 3) {
            task_begin(&t);
            TEST_CHECK(task_run(&t) && t.status == GFMUL_OK && task_right(&t));
            task_end(&t);
            numbers_end(&t);
        }
    }
    TEST_CHECK_MSG(left >= (opt->threads > 1 ? 2 : TURNS), "left %u times", left); /* the first call and the second always come */
    gfmul_ctx_destroy(t.ctx);
}

/* leaks_none - the same twice: the second time nothing is left behind. */
static void leaks_none(const struct gfmul_options *opt, enum work work, enum how how)
{
    leave_everywhere(opt, work, how);
    const size_t before = in_use();
    leave_everywhere(opt, work, how);
    TEST_CHECK_MSG(in_use() < before + 100000, "%zu bytes are left behind", in_use() - before);
}

static void options_init(struct gfmul_options *opt, unsigned threads)
{
    gfmul_options_init(opt);
    opt->device = "cpu";
    opt->engine = GFMUL_ENGINE_CPU;
    opt->threads = threads;
    opt->progress = callback;
    opt->progress_arg = &current;
}

static void test_double(void)
{
    struct gfmul_options opt;
    for (unsigned threads = 1; threads <= 2; threads++)
        for (enum how how = JUMP; how < HOWS; how++)
            for (enum work work = PRODUCT; work < RESIDENT; work++) {
                options_init(&opt, threads);
                leaks_none(&opt, work, how);
            }
}

static void test_dd(void)
{
    struct gfmul_options opt;
    for (unsigned threads = 1; threads <= 2; threads++)
        for (enum how how = JUMP; how < HOWS; how++) {
            options_init(&opt, threads);
            opt.precision = GFMUL_PRECISION_DD;
            leaks_none(&opt, PRODUCT, how);
            leaks_none(&opt, TEXT, how);
        }
}

static void test_primes(void)
{
    struct gfmul_options opt;
    for (unsigned threads = 1; threads <= 2; threads++)
        for (enum how how = JUMP; how < HOWS; how++) {
            options_init(&opt, threads);
            opt.precision = GFMUL_PRECISION_PRIME;
            leaks_none(&opt, PRODUCT, how);
        }
}

/* Of other options: pieces under rule knuth, larger digits, certificates, packings with passes of their own. */
static void test_options(void)
{
    struct gfmul_options opt;
    for (unsigned k = 0; k < 5; k++) {
        options_init(&opt, 2);
        opt.rule = k == 0 ? GFMUL_RULE_KNUTH : k == 1 ? GFMUL_RULE_CHECKED : GFMUL_RULE_NORM;
        opt.certify = k == 2;
        opt.packing = k == 3 ? GFMUL_PACKING_TWO_FOR_ONE : k == 4 ? GFMUL_PACKING_ONE_FOR_HALF : GFMUL_PACKING_AUTO;
        leaks_none(&opt, PRODUCT, JUMP);
    }
}

static void test_device(void)
{
    struct gfmul_options opt;
    if (!ocl_test_begin()) {
        ocl_test_skip();
        return;
    }
    for (enum how how = JUMP; how < HOWS; how++)
        for (unsigned k = 0; k < 2; k++) {
            options_init(&opt, 2);
            opt.engine = GFMUL_ENGINE_OPENCL;
            opt.device = "gpu";
            leave_everywhere(&opt, k ? RESIDENT : PRODUCT, how);
        }
    ocl_test_end();
}

/* A context ends with what was left in it, by threads that are gone; many at once. */
static void test_destroy(void)
{
    enum { THREADS = 6 };
    struct gfmul_options opt;
    size_t before = 0;
    for (unsigned round = 0; round < 3; round++) {
        struct task t[THREADS];
        struct gfmul_ctx *ctx;
        options_init(&opt, 2);
        ctx = test_ctx(&opt);
        progress_often(ctx);
        for (unsigned i = 0; i < THREADS; i++) {
            t[i] = (struct task){.ctx = ctx, .leave_at = 2 + i, .how = i % 2 ? EXIT : JUMP};
            task_begin(&t[i]);
            TEST_CHECK(!task_run(&t[i]));
            task_end(&t[i]);
        }
        gfmul_ctx_destroy(ctx);
        if (round == 1)
            before = in_use();
    }
    TEST_CHECK_MSG(in_use() < before + 100000, "%zu bytes are left behind", in_use() - before);
}

/* A job whose callback ends its thread was interrupted. */
static void test_job(void)
{
    struct gfmul_options opt;
    struct gfmul_job *job;
    struct gfmul_report report;
    struct task t = {.how = EXIT, .leave_at = 3};
    options_init(&opt, 2);
    t.ctx = test_ctx(&opt);
    progress_often(t.ctx);
    task_begin(&t);
    current = &t;
    TEST_OK(gfmul_mul_async(t.ctx, &job, t.z.p, t.a.p, LIMBS, t.b.p, LIMBS));
    TEST_CHECK(gfmul_job_wait(job, &report) == GFMUL_ERR_INTERRUPTED && report.status == GFMUL_ERR_INTERRUPTED);
    task_end(&t);
    gfmul_ctx_destroy(t.ctx);
}

/* Cancellation acts within the callback alone: a thread that is cancelled before its product makes it. */
static void *cancelled(void *arg)
{
    struct task *t = arg;
    pthread_cancel(pthread_self());
    t->status = work_do(t);
    t->calls = 1000000;
    pthread_testcancel();
    return NULL;
}

static void test_cancel_elsewhere(void)
{
    struct gfmul_options opt;
    struct task t = {.work = PRODUCT};
    pthread_t thread;
    void *result;
    options_init(&opt, 2);
    opt.progress = NULL;
    t.ctx = test_ctx(&opt);
    task_begin(&t);
    t.status = GFMUL_ERR_INTERNAL;
    pthread_create(&thread, NULL, cancelled, &t);
    pthread_join(thread, &result);
    TEST_CHECK(result == PTHREAD_CANCELED && t.calls == 1000000 && t.status == GFMUL_OK && task_right(&t));
    task_end(&t);
    gfmul_ctx_destroy(t.ctx);
}

static pid_t child;

static int fork_once(void *arg, double done)
{
    unsigned *calls = arg;
    (void)done;
    if (++*calls == 5) {
        fflush(stdout);
        child = fork();
        if (child == 0)
            alarm(PATIENCE_S);
    }
    return 0;
}

/* A child that is forked within the callback: its product is interrupted, and it can multiply. */
static void test_fork(void)
{
    struct gfmul_options opt;
    struct task t = {.work = PRODUCT};
    unsigned calls = 0;
    int how = 0;
    options_init(&opt, 2);
    opt.progress = fork_once;
    opt.progress_arg = &calls;
    t.ctx = test_ctx(&opt);
    progress_often(t.ctx);
    task_begin(&t);
    child = -1;
    t.status = work_do(&t);
    if (child == 0)
        _exit(t.status == GFMUL_ERR_INTERRUPTED && work_do(&t) == GFMUL_OK && task_right(&t) ? 0 : 1);
    TEST_CHECK(child > 0 && t.status == GFMUL_OK && task_right(&t));
    TEST_CHECK(waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0);
    task_end(&t);
    gfmul_ctx_destroy(t.ctx);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_double);
    TEST_RUN(test_dd);
    TEST_RUN(test_primes);
    TEST_RUN(test_options);
    TEST_RUN(test_destroy);
    TEST_RUN(test_job);
    TEST_RUN(test_cancel_elsewhere);
    TEST_RUN(test_fork);
    TEST_RUN_LONG(test_device); /* the last one: its cache goes at the end */
    return test_end();
}
