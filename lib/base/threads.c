/*
 * threads.c - how many threads a call may use, and threads of the library's own.
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
 * GCC's run-time waits for the threads of its team in a forked child too, which has none of them.  So a process that comes from
 * one where a team may be has one thread.
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
 * stack_is_short - whether a variable gives OpenMP's threads too little stack: a number, and B, K (if none is there), M or G.
 * The run-time reads it whatever rights the program has, so it is read here likewise.
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
    /* OpenMP's own name, GCC's, and that of Clang's run-time */
    stacks_are_short = stack_is_short("OMP_STACKSIZE") || stack_is_short("GOMP_STACKSIZE") || stack_is_short("KMP_STACKSIZE");
}

/* team_of - n, or 1 in a child of a process that has asked for more, and if the threads have too little stack. */
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
