/*
 * t-process.c - what a process does around the library: it forks, ends amid a product, plans with FFTW in another thread, starts
 * jobs in parallel regions.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/forks.h"
#include "contexts.h"
#include "gfmul_fft.h"
#include "mul/ctx_device.h"
#include "ocl_test.h"
#include "operands.h"
#include "reference.h"
#include "test.h"

enum { LIMBS = 20000, EXIT_LIMBS = 1 << 19, TEAM = 2, PATIENCE_S = 60 };

static mp_limb_t a[LIMBS], z[2 * LIMBS], want[2 * LIMBS];

static void draw(void)
{
    operand_fill(a, LIMBS, OPERAND_RANDOM, 13, test_u64());
    ref_mul_gmp(want, a, LIMBS, a + 1, LIMBS - 1);
}

static struct gfmul_ctx *ctx_of(enum gfmul_engine engine, unsigned threads)
{
    return TEST_CTX(.engine = engine, .threads = threads);
}

/* child_multiplies - whether a child's product is right, in time. */
static bool child_multiplies(struct gfmul_ctx *ctx)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(PATIENCE_S);
        memset(z, 0, sizeof z);
        const bool right = gfmul_mul(ctx, z, a, LIMBS, a + 1, LIMBS - 1) == GFMUL_OK && memcmp(z, want, sizeof want - 8) == 0;
        _exit(right ? 0 : 1);
    }
    int how = 0;
    return TEST_CHECK(child > 0) && waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

/* A child has none of the threads that its parent's products ran in. */
static void test_fork(void)
{
    struct gfmul_ctx *ctx = ctx_of(GFMUL_ENGINE_CPU, TEAM);
    draw();
    for (unsigned k = 0; k < 2; k++) { /* with what the parent left in the context; in the default one */
        struct gfmul_ctx *c = k == 0 ? ctx : NULL;
        TEST_OK(gfmul_mul(c, z, a, LIMBS, a + 1, LIMBS - 1));
        TEST_CHECK_MSG(child_multiplies(c), "the child's product is wrong, or never came");
        TEST_OK(gfmul_mul(c, z, a, LIMBS, a + 1, LIMBS - 1)); /* the parent goes on */
        test_equal_limbs(z, want, 2 * LIMBS - 1);
    }
    gfmul_ctx_destroy(ctx);
}

/* What a thread does until it is told to stop: products that plan, take and give back memory, and contexts that come and go. */
struct busy {
    struct gfmul_ctx *ctx;
    atomic_bool stop;
    bool right;
};

static void *keep_busy(void *arg)
{
    struct busy *busy = arg;
    mp_limb_t *y = malloc(sizeof z);
    for (size_t n = 2000; y && !atomic_load(&busy->stop); n = n % 4000 + 1200) {
        struct gfmul_ctx *own = NULL;
        busy->right = gfmul_mul(busy->ctx, y, a, n, a + 1, n - 1) == GFMUL_OK && busy->right;
        busy->right = gfmul_mul(NULL, y, a, n, a + 1, n - 1) == GFMUL_OK && busy->right;
        busy->right = gfmul_ctx_create(&own, NULL) == GFMUL_OK && busy->right;
        gfmul_ctx_destroy(own);
        gfmul_ctx_trim(busy->ctx);
    }
    free(y);
    return NULL;
}

/* Children that are forked amid calls of other threads: no lock is left locked, contexts can be used. */
static void test_fork_amid(void)
{
    enum { THREADS = 2 };
    const size_t forks = test_tier(120, 600, 3000);
    struct gfmul_ctx *ctx = ctx_of(GFMUL_ENGINE_CPU, 1);
    struct busy busy = {.ctx = ctx, .right = true};
    pthread_t thread[THREADS];
    size_t good = 0;
    draw();
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, keep_busy, &busy);
    for (size_t i = 0; i < forks; i++)
        good += child_multiplies(i % 2 ? ctx : NULL);
    atomic_store(&busy.stop, true);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    TEST_CHECK_MSG(good == forks && busy.right, "%zu of %zu children multiplied", good, forks);
    gfmul_ctx_destroy(ctx);
}

/* What a thread holds while its process forks. */
struct held {
    pthread_mutex_t *lock;
    atomic_bool is_held;
};

static void *hold(void *arg)
{
    struct held *held = arg;
    pthread_mutex_lock(held->lock);
    atomic_store(&held->is_held, true);
    usleep(200000);
    pthread_mutex_unlock(held->lock);
    return NULL;
}

/* takes_all_locks - products that take each lock held over forks: those of contexts, FFTW's planner, idle memory, the list. */
static bool takes_all_locks(struct gfmul_ctx *ctx)
{
    struct gfmul_ctx *own = ctx_of(test_engine(GFMUL_ENGINE_FFTW) ? GFMUL_ENGINE_FFTW : GFMUL_ENGINE_CPU, 1);
    struct gfmul_ctx *const by[] = {ctx, NULL, own};
    bool right = true;
    for (unsigned i = 0; i < sizeof by / sizeof *by; i++) {
        memset(z, 0, sizeof z);
        right = gfmul_mul(by[i], z, a, LIMBS, a + 1, LIMBS - 1) == GFMUL_OK && memcmp(z, want, sizeof want - 8) == 0 && right;
    }
    gfmul_ctx_destroy(own);
    return right;
}

/* Each lock that is held over forks is another thread's when the process forks: the child finds it free. */
static void test_fork_locks(void)
{
    enum { LEAST = 4, MOST = 16, CHILD_S = 10 };
    pthread_mutex_t *lock[MOST];
    struct gfmul_ctx *ctx = ctx_of(GFMUL_ENGINE_CPU, 1);
    draw();
    TEST_CHECK(takes_all_locks(ctx));
    ctx_idle_note(ctx, SIZE_MAX); /* as a long product; all locks are registered now */
    const unsigned n = forks_locks(lock, MOST), least = LEAST + test_engine(GFMUL_ENGINE_FFTW);
    TEST_CHECK_MSG(n >= least && n <= MOST, "%u locks", n);
    for (unsigned i = 0; i < n && i < MOST; i++) {
        struct held held = {.lock = lock[i]};
        pthread_t thread;
        int how = 0;
        if (!TEST_CHECK(pthread_create(&thread, NULL, hold, &held) == 0))
            break;
        while (!atomic_load(&held.is_held))
            usleep(1000);
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            signal(SIGALRM, SIG_DFL);
            alarm(CHILD_S);
            _exit(takes_all_locks(ctx) ? 0 : 1);
        }
        const bool ended = TEST_CHECK(child > 0) && waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0;
        TEST_CHECK_MSG(ended, "a child forked while lock %u of %u was held ended by %d", i, n, how);
        pthread_join(thread, NULL);
    }
    TEST_CHECK(takes_all_locks(ctx)); /* the parent goes on */
    gfmul_ctx_destroy(ctx);
}

/* child_of - the exit status of a child that runs f; -1 where it came to another end, as by the alarm. */
static int child_of(int (*f)(struct gfmul_ctx **ctx), struct gfmul_ctx **ctx)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(PATIENCE_S);
        _exit(f(ctx));
    }
    int how = 0;
    return child > 0 && waitpid(child, &how, 0) == child && WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

static int find_device(struct gfmul_ctx **ctx)
{
    (void)ctx;
    const bool found = ocl_test_begin();
    ocl_test_skip(); /* its folder goes */
    return found;
}

static int found_by_child = -1; /* not asked */

/* A child of a process that has not looked for devices may do so. */
static void test_fork_first(void)
{
    TEST_CHECK_MSG((found_by_child = child_of(find_device, NULL)) >= 0, "the child did not come to an end");
}

enum { NAMED, NAMED_OPEN, AUTO, AUTO_OPEN, CTX_KINDS };

static enum gfmul_status ctx_of_kind(struct gfmul_ctx **ctx, unsigned kind)
{
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.device = kind <= NAMED_OPEN ? "gpu" : "auto";
    opt.threads = 1;
    const enum gfmul_status status = gfmul_ctx_create(ctx, &opt);
#ifdef HAVE_OPENCL
    if (status == GFMUL_OK)
        (*ctx)->device_cold_limbs = (*ctx)->device_warm_limbs = 1;
#endif
    return status;
}

/* ctx_multiplies - whether a product by this context ends as its kind has to: by the CPU, or with DEVICE. */
static bool ctx_multiplies(struct gfmul_ctx *ctx, unsigned kind, const char *engine)
{
    struct gfmul_report report;
    memset(z, 0, sizeof z);
    const enum gfmul_status status = gfmul_mul(ctx, z, a, LIMBS, a + 1, LIMBS - 1);
    gfmul_ctx_report(ctx, &report);
    if (!engine && kind <= NAMED_OPEN)
        return status == GFMUL_ERR_DEVICE;
    return status == GFMUL_OK && memcmp(z, want, sizeof want - 8) == 0 &&
           strcmp(report.plan.engine, engine ? engine : "cpu") == 0;
}

/* use_devices - the number of what goes wrong first; 0: nothing. */
static int use_devices(struct gfmul_ctx **ctx)
{
    struct gfmul_ctx *own;
    if (gfmul_device_list(NULL, 0) != 0)
        return 1;
    for (unsigned kind = 0; kind < CTX_KINDS; kind++) {
        if (!ctx_multiplies(ctx[kind], kind, NULL))
            return 2 + (int)kind;
        gfmul_ctx_trim(ctx[kind]);
        gfmul_ctx_destroy(ctx[kind]);
    }
    if (ctx_of_kind(&own, NAMED) != GFMUL_ERR_DEVICE)
        return 10;
    if (ctx_of_kind(&own, AUTO) != GFMUL_OK || !ctx_multiplies(own, AUTO, NULL))
        return 11;
    gfmul_ctx_destroy(own);
    own = ctx_of(GFMUL_ENGINE_CPU, 1);
    return ctx_multiplies(own, AUTO, "cpu") ? 0 : 12;
}

/* A driver does not come along to a child: there the CPU goes on, or it is an error at once. */
static void test_fork_device(void)
{
    struct gfmul_ctx *ctx[CTX_KINDS];
    if (!ocl_test_begin()) {
        TEST_SKIP("no device");
        return;
    }
    TEST_CHECK_MSG(found_by_child != 0, "a child that was the first to look for devices found none");
    ocl_test_gpu(true);
    draw();
    for (unsigned kind = 0; kind < CTX_KINDS; kind++) {
        TEST_OK(ctx_of_kind(&ctx[kind], kind));
        if (kind % 2)
            TEST_CHECK(ctx_multiplies(ctx[kind], kind, "opencl"));
    }
    const int wrong = child_of(use_devices, ctx);
    TEST_CHECK_MSG(wrong == 0, "%d went wrong in the child; -1: it did not come to an end", wrong);
    for (unsigned kind = 0; kind < CTX_KINDS; kind++) { /* the parent goes on */
        TEST_CHECK(ctx_multiplies(ctx[kind], kind, "opencl"));
        gfmul_ctx_destroy(ctx[kind]);
    }
    ocl_test_gpu(false);
}

struct exit_product {
    mp_limb_t *a, *z;
    enum gfmul_status status;
    atomic_bool done;
};
static struct exit_product *at_exit; /* of a child that ends; else NULL */

static void *multiply_at_exit(void *arg)
{
    struct exit_product *p = arg;
    p->status = gfmul_sqr(NULL, p->z, p->a, EXIT_LIMBS);
    atomic_store(&p->done, true);
    return NULL;
}

/* Runs after the library's own destructor, as its priority is the first. */
__attribute__((destructor(101))) static void exit_wait(void)
{
    if (!at_exit)
        return;
    while (!atomic_load(&at_exit->done))
        usleep(1000);
    mp_limb_t *square = test_alloc(2 * EXIT_LIMBS * sizeof *square);
    mpn_sqr(square, at_exit->a, EXIT_LIMBS);
    _exit(at_exit->status == GFMUL_OK && memcmp(square, at_exit->z, 2 * EXIT_LIMBS * sizeof *square) == 0 ? 0 : 1);
}

/* A process ends while another thread multiplies in the default context, which is there to the product's end. */
static void test_exit(void)
{
    struct exit_product p = {.a = test_alloc(EXIT_LIMBS * sizeof *p.a), .z = test_alloc(2 * EXIT_LIMBS * sizeof *p.z)};
    operand_fill(p.a, EXIT_LIMBS, OPERAND_RANDOM, 13, test_u64());
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        enum gfmul_status status;
        signal(SIGALRM, SIG_DFL);
        alarm(PATIENCE_S);
#ifdef M_PERTURB
        mallopt(M_PERTURB, 0x5a); /* what is freed holds nothing of use */
#endif
        struct gfmul_ctx *ctx = ctx_resolve(NULL, &status);
        at_exit = &p;
        if (!ctx || pthread_create(&thread, NULL, multiply_at_exit, &p) != 0)
            _exit(2);
        pthread_detach(thread);
        while (atomic_load(&ctx->n_calls) == 0 && !atomic_load(&p.done))
            ;
        exit(0);
    }
    int how = 0;
    TEST_CHECK_MSG(child > 0 && waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0,
                   "the child ended by %d", how);
    free(p.a);
    free(p.z);
}

static atomic_bool planning;

static void *plan_with_fftw(void *arg)
{
    unsigned *plans = arg;
    struct gfmul_fft_options opt;
    gfmul_fft_options_init(&opt);
    opt.algorithm = "fftw";
    while (atomic_load(&planning))
        for (size_t n = 16; n < 1000 && atomic_load(&planning); n += 37, ++*plans) {
            struct gfmul_fft *plan;
            if (gfmul_fft_create(&plan, n, &opt) == GFMUL_OK)
                gfmul_fft_destroy(plan);
        }
    return NULL;
}

/* The planner of FFTW is one, whoever asks it. */
static void test_planners(void)
{
    if (!test_engine(GFMUL_ENGINE_FFTW)) {
        TEST_SKIP("a build without FFTW");
        return;
    }
    struct gfmul_ctx *ctx = ctx_of(GFMUL_ENGINE_FFTW, 1);
    pthread_t other;
    unsigned plans = 0;
    draw();
    atomic_store(&planning, true);
    if (!TEST_CHECK(pthread_create(&other, NULL, plan_with_fftw, &plans) == 0))
        return;
    for (unsigned round = 0; round < 300; round++) {
        const size_t n = 20 + test_below(280);
        TEST_OK(gfmul_mul(ctx, z, a, n, a + n, n));
        ref_mul_gmp(want, a, n, a + n, n);
        test_equal_limbs(z, want, 2 * n);
    }
    atomic_store(&planning, false);
    pthread_join(other, NULL);
    TEST_CHECK(plans > 0);
    gfmul_ctx_destroy(ctx);
}

/* What a program that is linked with OpenMP has; here the test says whether a thread is in a parallel region. */
int omp_in_parallel(void);
static _Thread_local bool in_region;

int omp_in_parallel(void)
{
    return in_region;
}

/* Inside a region of the caller's a product takes one thread, and so does one that it starts. */
static void test_jobs_of_a_team(void)
{
    struct gfmul_ctx *ctx = ctx_of(GFMUL_ENGINE_CPU, TEAM);
    struct gfmul_report report[TEAM];
    enum gfmul_status status[TEAM];
    static mp_limb_t product[TEAM][2 * LIMBS];
    draw();
    memset(report, 0, sizeof report);
    in_region = true;
    for (int i = 0; i < TEAM; i++) {
        struct gfmul_job *job;
        status[i] = gfmul_mul_async(ctx, &job, product[i], a, LIMBS, a + 1, LIMBS - 1);
        if (status[i] == GFMUL_OK)
            status[i] = gfmul_job_wait(job, &report[i]);
    }
    in_region = false;
    for (int i = 0; i < TEAM; i++) {
        TEST_CHECK(status[i] == GFMUL_OK);
        test_equal_limbs(product[i], want, 2 * LIMBS - 1);
        TEST_CHECK_MSG(report[i].plan.threads == 1, "%u threads", report[i].plan.threads);
    }
    gfmul_ctx_destroy(ctx);
}

/* A job takes as many threads as a product by its caller. */
static void test_threads_of_a_job(void)
{
    struct gfmul_ctx *ctx = ctx_of(GFMUL_ENGINE_CPU, 0);
    struct gfmul_report of_call, of_job;
    struct gfmul_job *job;
    draw();
    for (unsigned inside = 0; inside < 2; inside++) {
        in_region = inside == 1;
        TEST_OK(gfmul_mul(ctx, z, a, LIMBS, a + 1, LIMBS - 1));
        gfmul_ctx_report(ctx, &of_call);
        TEST_OK(gfmul_mul_async(ctx, &job, z, a, LIMBS, a + 1, LIMBS - 1));
        TEST_OK(gfmul_job_wait(job, &of_job));
        test_equal_limbs(z, want, 2 * LIMBS - 1);
        TEST_CHECK_MSG(of_job.plan.threads == of_call.plan.threads, "%u threads, not %u", of_job.plan.threads,
                       of_call.plan.threads);
    }
    in_region = false;
    gfmul_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_fork_first);
    TEST_RUN(test_exit); /* these first: the sanitizer of threads wants no other thread before a fork */
    TEST_RUN(test_fork);
#ifndef __SANITIZE_THREAD__
    TEST_RUN(test_fork_locks);
    TEST_RUN(test_fork_amid);
#endif
    TEST_RUN(test_planners);
    TEST_RUN(test_jobs_of_a_team);
    TEST_RUN(test_threads_of_a_job);
    TEST_RUN_LONG(test_fork_device); /* the last one: its cache goes at the end */
    return ocl_test_end();
}
