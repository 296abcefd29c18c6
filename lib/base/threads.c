/*
 * threads.c - how many threads a call may use, and how to start the library's own threads.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/threads.h"

#include <signal.h>

#include "base/work_share.h"

#ifdef _OPENMP
#include <ctype.h>
#include <errno.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/*
 * GCC's run-time waits for the threads of its team even in a forked child, which has none of them.  So if the parent may have
 * had a team, the child uses one thread.
 */
static pthread_once_t watched = PTHREAD_ONCE_INIT;
static atomic_bool forked;

static void in_child(void)
{
    atomic_store(&forked, true);
}

static void forks_watch(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

/*
 * stack_asked - the bytes of stack that an environment variable gives OpenMP's threads: SIZE_MAX for more than fit, 0 if it says
 * nothing.  Its value is a number and a unit B, K, M or G; the default unit is K.  The run-time reads it whatever rights the
 * program has, so this function does too.
 */
static size_t stack_asked(const char *name)
{
    static const char units[] = "BKMG";
    const char *text = getenv(name);
    char *end;
    if (text == NULL)
        return 0;
    errno = 0;
    unsigned long long size = strtoull(text, &end, 10);
    if (end == text)
        return 0;
    if (errno != 0)
        return SIZE_MAX;
    while (isspace((unsigned char)*end))
        end++;
    const char *unit = *end != '\0' ? strchr(units, toupper((unsigned char)*end)) : units + 1;
    for (; unit != NULL && unit > units; unit--)
        size = size >> 54 ? SIZE_MAX : size << 10;
    return unit == NULL ? 0 : size > 0 ? (size_t)size : 1;
}

static pthread_once_t stacks_seen = PTHREAD_ONCE_INIT;
static size_t stack_least, stack_most; /* what the threads of a team may get */

static void stacks_see(void)
{
    /* the names that OpenMP, GCC and Clang's run-time use */
    static const char *const names[] = {"OMP_STACKSIZE", "GOMP_STACKSIZE", "KMP_STACKSIZE"};
    pthread_attr_t attr;
    stack_least = SIZE_MAX;
    if (pthread_attr_init(&attr) == 0) {
        if (pthread_attr_getstacksize(&attr, &stack_most) != 0)
            stack_most = 0;
        pthread_attr_destroy(&attr);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t asked = stack_asked(names[i]);
        if (asked != 0 && asked < stack_least)
            stack_least = asked;
        if (asked > stack_most)
            stack_most = asked;
    }
}

/* Is there room for the stacks of a team of n?  Run-times of OpenMP end the process where there is none. */
static bool stacks_fit(unsigned n)
{
    static atomic_uint fitted;
    if (n <= atomic_load_explicit(&fitted, memory_order_relaxed))
        return true;
    if (stack_most > SIZE_MAX / 2 / n)
        return false;
    const size_t bytes = (n - 1) * stack_most;
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return false;
    munmap(room, bytes);
    atomic_store_explicit(&fitted, n, memory_order_relaxed);
    return true;
}

/* team_of - n, but 1 if the parent process has asked for more than one thread, or if the threads cannot have their stacks. */
static unsigned team_of(unsigned n)
{
    if (n <= 1)
        return 1;
    pthread_once(&watched, forks_watch);
    pthread_once(&stacks_seen, stacks_see);
    return atomic_load(&forked) || stack_least < THREAD_STACK_BYTES || !stacks_fit(n) ? 1 : n;
}
#endif

unsigned threads_available(unsigned wanted)
{
#ifdef _OPENMP
    if (omp_in_parallel())
        return 1;
    int limit = omp_get_thread_limit();
    unsigned most = wanted == 0 ? (unsigned)omp_get_max_threads() : wanted;
    int n = most > WORK_SHARES ? WORK_SHARES : (int)most;
    if (limit > 0 && n > limit)
        n = limit;
    return team_of(n > 0 ? (unsigned)n : 1);
#else
    (void)wanted;
    return 1;
#endif
}

bool thread_quiet(pthread_t *thread, size_t stack_bytes, void *(*run)(void *arg), void *arg)
{
    pthread_attr_t attr;
    sigset_t all, before;
    if (pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setstacksize(&attr, stack_bytes);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(thread, &attr, run, arg) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return started;
}
