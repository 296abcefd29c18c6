/*
 * t-process.c - what a process does around the library: it forks, plans with FFTW in another thread, starts jobs in parallel
 * regions.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "gfmul_fft.h"
#include "operands.h"
#include "reference.h"
#include "test.h"

enum { LIMBS = 20000, TEAM = 2, PATIENCE_S = 60 };

static mp_limb_t a[LIMBS], z[2 * LIMBS], want[2 * LIMBS];

static void draw(void)
{
    operand_fill(a, LIMBS, OPERAND_RANDOM, 13, test_u64());
    ref_mul_gmp(want, a, LIMBS, a + 1, LIMBS - 1);
}

static struct gfmul_ctx *ctx_of(enum gfmul_engine engine, unsigned threads)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    gfmul_options_init(&opt);
    opt.engine = engine;
    opt.threads = threads;
    if (!TEST_OK(gfmul_ctx_create(&ctx, &opt)))
        exit(1);
    return ctx;
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

/* Inside a region of the caller's a product takes one thread, and so does one that it starts. */
static void test_jobs_of_a_team(void)
{
    struct gfmul_ctx *ctx = ctx_of(GFMUL_ENGINE_CPU, TEAM);
    struct gfmul_report report[TEAM];
    enum gfmul_status status[TEAM];
    static mp_limb_t product[TEAM][2 * LIMBS];
    draw();
    memset(report, 0, sizeof report);
#ifdef _OPENMP
#pragma omp parallel for num_threads(TEAM) schedule(static)
#endif
    for (int i = 0; i < TEAM; i++) {
        struct gfmul_job *job;
        status[i] = gfmul_mul_async(ctx, &job, product[i], a, LIMBS, a + 1, LIMBS - 1);
        if (status[i] == GFMUL_OK)
            status[i] = gfmul_job_wait(job, &report[i]);
    }
    for (int i = 0; i < TEAM; i++) {
        TEST_CHECK(status[i] == GFMUL_OK);
        test_equal_limbs(product[i], want, 2 * LIMBS - 1);
#ifdef _OPENMP
        TEST_CHECK_MSG(report[i].plan.threads == 1, "%u threads", report[i].plan.threads);
#endif
    }
    gfmul_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_fork);
    TEST_RUN(test_planners);
    TEST_RUN(test_jobs_of_a_team);
    return test_end();
}
