/*
 * t-fft_threads.c - plans of the plain FFT and threads: calls with different numbers of them share a plan, whose memory is enough
 * for each, and have no more than they may.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/parallel.h"
#include "fft/fft.h"
#include "test.h"

static struct gfmul_fft *plan_of(size_t n, size_t batch, enum gfmul_fft_type type, bool is_float, unsigned threads)
{
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    gfmul_fft_options_init(&opt);
    opt.type = type;
    opt.precision = is_float ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE;
    opt.batch = batch;
    opt.threads = threads;
    if (!TEST_OK(gfmul_fft_create(&plan, n, &opt)))
        exit(1);
    return plan;
}

/* spare_bytes - of the workspace that a plan keeps. */
static size_t spare_bytes(struct gfmul_fft *plan)
{
    const struct fft_workspace *w = atomic_load(&plan->spare);
    return w != NULL ? w->bytes : 0;
}

enum { CALLERS = 2 };

/* Transforms that the threads of a region make. */
struct callers {
    const struct gfmul_fft *plan;
    void *z[CALLERS];
    const void *x;
    enum gfmul_status status[CALLERS];
};

static void callers_run(void *arg, unsigned t, size_t first, size_t end)
{
    struct callers *const w = arg;
    (void)t;
    for (size_t i = first; i < end; i++)
        w->status[i] = gfmul_fft_forward(w->plan, w->z[i], w->x);
}

/* check - inside a parallel region, where a call has one thread, by each thread of it at once; outside; inside again. */
static void check(size_t n, size_t batch, enum gfmul_fft_type type, bool is_float, unsigned threads)
{
    const size_t number = is_float ? sizeof(float) : sizeof(double);
    const size_t in_bytes = batch * n * number * (type == GFMUL_FFT_REAL ? 1 : 2),
                 bytes = batch * (type == GFMUL_FFT_REAL ? n / 2 + 1 : n) * number * 2;
    struct gfmul_fft *one = plan_of(n, batch, type, is_float, 1), *fresh = plan_of(n, batch, type, is_float, threads),
                     *plan = plan_of(n, batch, type, is_float, threads);
    void *x = test_alloc(in_bytes), *want = test_alloc(bytes), *y = test_alloc(bytes);
    struct callers w = {.plan = plan, .x = x};
    test_note("n=%zu batch=%zu, %s, %s, %u threads", n, batch, type == GFMUL_FFT_REAL ? "real" : "complex",
              is_float ? "float" : "double", threads);
    for (size_t i = 0; i < in_bytes / number; i++)
        if (is_float)
            ((float *)x)[i] = (float)test_below(2001) - 1000;
        else
            ((double *)x)[i] = (double)test_below(2001) - 1000;
    TEST_OK(gfmul_fft_forward(one, want, x));
    TEST_OK(gfmul_fft_forward(fresh, y, x));
    TEST_CHECK(memcmp(y, want, bytes) == 0);
    const size_t inside = spare_bytes(one), outside = spare_bytes(fresh);
    for (unsigned i = 0; i < CALLERS; i++)
        w.z[i] = test_alloc(bytes);
    for (unsigned again = 0; again < 2; again++) {
        memset(w.z[0], 0x5a, bytes);
        memset(w.z[1], 0x5a, bytes);
        parallel_for(CALLERS, CALLERS, 1, callers_run, &w);
        for (unsigned i = 0; i < CALLERS; i++)
            TEST_CHECK(w.status[i] == GFMUL_OK && memcmp(w.z[i], want, bytes) == 0);
        TEST_CHECK(spare_bytes(plan) >= inside);
        memset(y, 0x5a, bytes);
        TEST_OK(gfmul_fft_forward(plan, y, x));
        TEST_CHECK(memcmp(y, want, bytes) == 0);
        /* the memory of the call inside would be written beyond its end */
        TEST_CHECK_MSG(spare_bytes(plan) >= outside, "%zu bytes, of a plan that was not run inside %zu", spare_bytes(plan),
                       outside);
    }
    gfmul_fft_destroy(one);
    gfmul_fft_destroy(fresh);
    gfmul_fft_destroy(plan);
    for (unsigned i = 0; i < CALLERS; i++)
        free(w.z[i]);
    free(x);
    free(want);
    free(y);
}

static void test_workspace(void)
{
    static const size_t lengths[] = {1031, 4096, 65536}, batches[] = {1, 2, 9};
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (unsigned k = 0; k < sizeof batches / sizeof *batches; k++)
            for (unsigned what = 0; what < 4; what++)
                for (unsigned threads = 2; threads <= 4; threads++)
                    check(lengths[i], batches[k], what % 2 ? GFMUL_FFT_REAL : GFMUL_FFT_COMPLEX, what / 2, threads);
}
/* run_refused - fails for the transform that begins here, and makes no other. */
static const void *refused;
static enum gfmul_status run_refused(const struct gfmul_fft *plan, void *out, const void *in, bool backward, void *work,
                                     unsigned threads)
{
    (void)plan, (void)out, (void)backward, (void)work, (void)threads;
    return in == refused ? GFMUL_ERR_MEMORY : GFMUL_OK;
}

/* What fails in one thread's part of a batch is the status of all. */
static void test_failure(void)
{
    enum { N = 4096, BATCH = 5 };
    static double x[BATCH][2 * N], y[BATCH][2 * N];
    struct gfmul_fft *plan = plan_of(N, BATCH, GFMUL_FFT_COMPLEX, false, 3);
    const struct fft_row *row = plan->row;
    struct fft_row other = *row;
    other.run = run_refused;
    plan->row = &other;
    for (unsigned i = 0; i <= BATCH; i++) {
        refused = i < BATCH ? x[i] : NULL;
        test_note("transform %u of %d fails", i, BATCH);
        TEST_CHECK(gfmul_fft_forward(plan, y, x) == (i < BATCH ? GFMUL_ERR_MEMORY : GFMUL_OK));
    }
    plan->row = row;
    gfmul_fft_destroy(plan);
}

#ifdef __linux__
/* tasks - threads of this process. */
static unsigned tasks(void)
{
    DIR *dir = opendir("/proc/self/task");
    unsigned n = 0;
    for (const struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;)
        n += e->d_name[0] != '.';
    if (dir != NULL)
        closedir(dir);
    return n;
}

/* A thread that looks how many there are, until it is told to end. */
struct watch {
    atomic_bool started, end;
    unsigned most;
    pthread_t thread;
    long tid;
};

static void *watch_run(void *arg)
{
    struct watch *w = arg;
    w->tid = syscall(SYS_gettid);
    while (!atomic_load(&w->end)) {
        const unsigned n = tasks();
        w->most = n > w->most ? n : w->most;
        atomic_store(&w->started, true);
    }
    return NULL;
}

/* Transforms in place. */
struct in_place {
    const struct gfmul_fft *plan;
    double **x;
    enum gfmul_status status[2];
};

static void in_place_run(void *arg, unsigned t, size_t first, size_t end)
{
    struct in_place *const w = arg;
    (void)t;
    for (size_t i = first; i < end; i++)
        if (w->status[i] == GFMUL_OK)
            w->status[i] = gfmul_fft_forward(w->plan, w->x[i], w->x[i]);
}

/* most_tasks - what was met while a plan ran, by each thread of a team at once or by one thread. */
static unsigned most_tasks(const struct gfmul_fft *plan, double *x[2], bool inside)
{
    struct in_place work = {plan, x, {GFMUL_OK, GFMUL_OK}};
    struct watch w = {.most = 0};
    if (pthread_create(&w.thread, NULL, watch_run, &w) != 0)
        exit(1);
    while (!atomic_load(&w.started))
        continue;
    for (unsigned i = 0; i < 20; i++)
        if (inside)
            parallel_for(2, 2, 1, in_place_run, &work);
        else
            in_place_run(&work, 0, 0, 1);
    atomic_store(&w.end, true);
    pthread_join(w.thread, NULL);
    char task[40];
    snprintf(task, sizeof task, "/proc/self/task/%ld", w.tid);
    while (access(task, F_OK) == 0) /* a thread is counted for a moment after it has ended */
        sched_yield();
    TEST_CHECK(work.status[0] == GFMUL_OK && work.status[1] == GFMUL_OK);
    return w.most;
}

/* Batches, and calls inside a region, have the library's threads and no others, those of `pthread` as well. */
static void test_threads(void)
{
    enum { N = 16384, BATCH = 4 };
    double *x[2] = {test_alloc_zeroed(BATCH * 2 * N, sizeof **x), test_alloc_zeroed(BATCH * 2 * N, sizeof **x)};
    struct gfmul_fft *team = plan_of(N, BATCH, GFMUL_FFT_COMPLEX, false, 2);
    const unsigned most_inside = most_tasks(team, x, true);
    const unsigned most = most_tasks(team, x, false); /* with those that the region left behind */
    gfmul_fft_destroy(team);
    for (unsigned batch = 1; batch <= BATCH; batch += BATCH - 1) {
        struct gfmul_fft_options opt;
        struct gfmul_fft *plan;
        gfmul_fft_options_init(&opt);
        opt.algorithm = "pthread";
        opt.batch = batch;
        opt.threads = 2;
        test_note("batch %u", batch);
        if (!TEST_OK(gfmul_fft_create(&plan, N, &opt)))
            break;
        const unsigned inside = most_tasks(plan, x, true);
        TEST_CHECK_MSG(inside <= most_inside, "%u threads inside, not %u", inside, most_inside);
        if (batch > 1) {
            const unsigned outside = most_tasks(plan, x, false);
            TEST_CHECK_MSG(outside <= most, "%u threads, not %u", outside, most);
        }
        gfmul_fft_destroy(plan);
    }
    free(x[0]);
    free(x[1]);
}
#else
static void test_threads(void)
{
    TEST_SKIP("threads are counted on Linux alone");
}
#endif
int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_workspace);
    TEST_RUN(test_failure);
    TEST_RUN(test_threads);
    return test_end();
}
