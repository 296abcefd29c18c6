/*
 * t-parallel.c - regions: each thread has a number of its own, and nobody waits for a thread that has not begun.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/parallel.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/rounding.h"
#include "base/threads.h"
#include "base/work_share.h"
#include "test.h"

enum { THREADS_MOST = 40, CALLERS = 6, PATIENCE_S = 60 };

static bool came(sem_t *sem)
{
    struct timespec end;
    int r;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE_S;
    while ((r = sem_timedwait(sem, &end)) != 0 && errno == EINTR)
        continue;
    return r == 0;
}

/* ---- numbers ---- */

struct entries {
    unsigned threads;
    pthread_t caller;
    atomic_uint times[THREADS_MOST], wrong;
};

static void entry_note(void *arg, unsigned t)
{
    struct entries *e = arg;
    sigset_t blocked;
    if (t >= e->threads || (t == 0) != (pthread_equal(pthread_self(), e->caller) != 0) || parallel_inside() != (e->threads > 1) ||
        (t > 0 && threads_available(0) != 1)) {
        atomic_fetch_add(&e->wrong, 1);
        return;
    }
    atomic_fetch_add(&e->times[t], 1);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (t > 0 && sigismember(&blocked, SIGINT) != 1)
        atomic_fetch_add(&e->wrong, 1);
}

/* entries_run - one region; returns how many threads came, 0 if something is wrong. */
static unsigned entries_run(unsigned threads)
{
    struct entries e;
    unsigned n = 0;
    memset(&e, 0, sizeof e);
    e.threads = threads;
    e.caller = pthread_self();
    parallel_run(threads, entry_note, &e);
    if (e.times[0] != 1 || e.wrong != 0 || parallel_inside())
        return 0;
    for (unsigned t = 0; t < threads; t++) {
        if (e.times[t] > 1)
            return 0;
        n += e.times[t];
    }
    return n;
}

static void test_numbers(void)
{
    for (unsigned round = 0; round < 2000; round++) {
        const unsigned threads = 1 + (unsigned)test_below(THREADS_MOST);
        test_note("%u threads", threads);
        TEST_CHECK(entries_run(threads) >= 1);
    }
}

/* ---- loops ---- */

enum { COUNT_MOST = 3000 };

struct counts {
    size_t count, grain;
    atomic_uchar seen[COUNT_MOST];
    atomic_uint wrong;
};

static void range_note(void *arg, unsigned t, size_t first, size_t end)
{
    struct counts *c = arg;
    if (t >= THREADS_MOST || end > c->count || first >= end || first % c->grain != 0)
        atomic_fetch_add(&c->wrong, 1);
    else
        for (size_t i = first; i < end; i++)
            atomic_fetch_add(&c->seen[i], 1);
}

static bool loop_right(unsigned threads, size_t count, size_t grain)
{
    struct counts *c = test_alloc_zeroed(1, sizeof *c);
    bool right = true;
    c->count = count;
    c->grain = grain;
    parallel_for(threads, count, grain, range_note, c);
    for (size_t i = 0; i < COUNT_MOST; i++)
        right = right && c->seen[i] == (i < count);
    right = right && c->wrong == 0;
    free(c);
    return right;
}

static void test_loops(void)
{
    for (unsigned round = 0; round < 1000; round++) {
        const unsigned threads = 1 + (unsigned)test_below(THREADS_MOST);
        const size_t count = round % 10 == 0 ? test_below(3) : test_below(COUNT_MOST + 1);
        const size_t grain = 1 + test_below(round % 2 ? 3 : 500);
        test_note("%u threads, %zu parts, %zu at a time", threads, count, grain);
        TEST_CHECK(loop_right(threads, count, grain));
    }
}

/* ---- late threads ---- */

static sem_t late, go;

static void wait_to_go(unsigned t)
{
    (void)t;
    sem_post(&late);
    sem_wait(&go);
}

static void share_run(void *arg, unsigned t)
{
    struct work_share *w = arg;
    for (size_t part, behind; work_next(w, t, &part, &behind);)
        atomic_fetch_add(&w[1].left[part], 1);
}

/* A region of threads that are all late ends without them, and with all of its work done; they find it closed. */
static void test_late(void)
{
    enum { THREADS = 5, ROUNDS = 20 };
    struct work_share *w = test_alloc(2 * sizeof *w); /* the second one counts */
    sem_init(&late, 0, 0);
    sem_init(&go, 0, 0);
    parallel_late_by(wait_to_go);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const size_t parts = test_below(WORK_SHARES + 1), moves = round % 2 ? parts : 0;
        size_t wrong = 0;
        test_note("%zu parts, %zu moves", parts, moves);
        work_share_init(w, parts, THREADS, moves);
        for (size_t i = 0; i < WORK_SHARES; i++)
            atomic_init(&w[1].left[i], 0);
        parallel_run(THREADS, share_run, w);
        for (size_t i = 0; i < WORK_SHARES; i++)
            wrong += w[1].left[i] != (i < parts);
        TEST_CHECK_MSG(wrong == 0, "%zu parts were not done once", wrong);
        TEST_CHECK_MSG(entries_run(THREADS) == 1, "a thread that waits has entered");
    }
    if (!TEST_CHECK_MSG(came(&late), "no thread came at all")) /* it may come now, so the hook has to be there still */
        exit(1);
    parallel_late_by(NULL);
    for (unsigned i = 0; i < THREADS_MOST; i++)
        sem_post(&go);
    free(w);
}

/* ---- nested, several callers ---- */

struct nested {
    atomic_uint inner, wrong;
};

static void inner_note(void *arg, unsigned t)
{
    struct nested *n = arg;
    atomic_fetch_add(t == 0 ? &n->inner : &n->wrong, 1);
}

static void outer_run(void *arg, unsigned t)
{
    struct nested *n = arg;
    (void)t;
    parallel_run(4, inner_note, arg);
    atomic_fetch_add(&n->wrong, !loop_right(3, 100, 7) + !parallel_inside());
    atomic_fetch_sub(&n->inner, 1);
}

static void test_nested(void)
{
    for (unsigned round = 0; round < 100; round++) {
        struct nested n = {0, 0};
        parallel_run(4, outer_run, &n);
        TEST_CHECK(n.inner == 0 && n.wrong == 0);
    }
}

static void *calls_make(void *wrong)
{
    for (unsigned round = 0; round < 300; round++)
        if (entries_run(1 + round % 7) == 0 || !loop_right(1 + round % 5, round, 1 + round % 3))
            atomic_fetch_add((atomic_uint *)wrong, 1);
    return NULL;
}

static void test_callers(void)
{
    pthread_t caller[CALLERS];
    atomic_uint wrong = 0;
    for (unsigned i = 0; i < CALLERS; i++)
        TEST_CHECK(pthread_create(&caller[i], NULL, calls_make, &wrong) == 0);
    for (unsigned i = 0; i < CALLERS; i++)
        pthread_join(caller[i], NULL);
    TEST_CHECK(wrong == 0);
}

/* ---- forks, rounding, no threads ---- */

static sem_t entered;

static void enter_and_wait(void *arg, unsigned t)
{
    if (t > 0)
        sem_post(&entered);
    else if (!came(&entered))
        *(bool *)arg = false;
}

/* helped - whether another thread comes at all. */
static bool helped(void)
{
    bool yes = true;
    sem_init(&entered, 0, 0);
    parallel_run(2, enter_and_wait, &yes);
    return yes;
}

/* A child makes its own threads, also if it was forked while others of its parent's were in regions. */
static void test_fork(void)
{
    pthread_t caller;
    atomic_uint wrong = 0;
    TEST_CHECK(helped());
    TEST_CHECK(pthread_create(&caller, NULL, calls_make, &wrong) == 0);
    for (unsigned i = 0; i < 20; i++) {
        const pid_t child = fork();
        int status = -1;
        if (child == 0)
            _exit(helped() && entries_run(6) != 0 && loop_right(5, 1000, 3) ? 0 : 1);
        TEST_CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    pthread_join(caller, NULL);
    TEST_CHECK(wrong == 0 && helped());
}

static void mode_check(void *arg, unsigned t)
{
    (void)t;
    if (rounding_get() != rounding_nearest(rounding_get()))
        atomic_fetch_add((atomic_uint *)arg, 1);
}

#ifdef __x86_64__
enum { UPWARDS = 0x4000 };

static void *from_upwards(void *wrong)
{
    const rounding_mode before = rounding_get();
    rounding_set((before & ~0x6000u) | UPWARDS);
    for (unsigned i = 0; i < 50; i++)
        parallel_run(THREADS_MOST, mode_check, wrong);
    if ((rounding_get() & 0x6000u) != UPWARDS)
        atomic_fetch_add((atomic_uint *)wrong, 1);
    rounding_set(before);
    return NULL;
}
#else
static void *from_upwards(void *wrong)
{
    parallel_run(THREADS_MOST, mode_check, wrong);
    return NULL;
}
#endif

/* All threads round to nearest, whatever the mode of the one that starts them. */
static void test_rounding(void)
{
    const pid_t child = fork(); /* so that threads are started */
    int status = -1;
    if (child == 0) {
        atomic_uint wrong = 0;
        from_upwards(&wrong);
        _exit(wrong != 0);
    }
    TEST_CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

/* Where the system gives no threads, the caller does all of the work. */
static void test_no_threads(void)
{
    const pid_t child = fork();
    int status = -1;
    if (child == 0) {
        struct rlimit none = {1, 1};
        setrlimit(RLIMIT_NPROC, &none);
        _exit(entries_run(THREADS_MOST) != 0 && loop_right(7, 500, 3) ? 0 : 1);
    }
    TEST_CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

/* More threads than there are shares are not used. */
static void test_most(void)
{
    TEST_CHECK(threads_available(WORK_SHARES + 1) == WORK_SHARES && threads_available(1) == 1);
    TEST_CHECK(threads_available(0) >= 1 && threads_available(0) <= WORK_SHARES);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_rounding); /* first, before there are threads */
    TEST_RUN(test_no_threads);
    TEST_RUN(test_numbers);
    TEST_RUN(test_loops);
    TEST_RUN(test_late);
    TEST_RUN(test_nested);
    TEST_RUN(test_callers);
    TEST_RUN(test_fork);
    TEST_RUN(test_most);
    return test_end();
}
