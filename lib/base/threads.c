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
#include <stdlib.h>
#include <string.h>

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
 * stack_is_short - whether an environment variable gives OpenMP's threads too little stack.  Its value is a number and a unit B,
 * K, M or G; the default unit is K.  The run-time reads it whatever rights the program has, so this function does too.
 */
static bool stack_is_short(const char *name)
{
    static const char units[] = "BKMG";
    const char *text = getenv(name);
    char *end;
    if (text == NULL)
        return false;
    errno = 0;
    unsigned long long size = strtoull(text, &end, 10);
    if (end == text || errno != 0)
        return false;
    while (isspace((unsigned char)*end))
        end++;
    const char *unit = *end != '\0' ? strchr(units, toupper((unsigned char)*end)) : units + 1;
    for (; unit != NULL && unit > units && size < THREAD_STACK_BYTES; unit--)
        size <<= 10;
    return unit != NULL && size < THREAD_STACK_BYTES;
}

static pthread_once_t stacks_seen = PTHREAD_ONCE_INIT;
static bool stacks_are_short;

static void stacks_see(void)
{
    /* the names that OpenMP, GCC and Clang's run-time use */
    stacks_are_short = stack_is_short("OMP_STACKSIZE") || stack_is_short("GOMP_STACKSIZE") || stack_is_short("KMP_STACKSIZE");
}

/* team_of - n, but 1 if the parent process has asked for more than one thread, or if the threads would have too little stack. */
static unsigned team_of(unsigned n)
{
    if (n <= 1)
        return 1;
    pthread_once(&watched, forks_watch);
    pthread_once(&stacks_seen, stacks_see);
    return atomic_load(&forked) || stacks_are_short ? 1 : n;
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
