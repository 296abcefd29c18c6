/*
 * threads.c - how many threads a call may use.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/threads.h"

#include "base/work_share.h"

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>

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

/* team_of - n, or 1 in a child of a process that has asked for more. */
static unsigned team_of(unsigned n)
{
    if (n <= 1)
        return 1;
    pthread_once(&watched, forks_watch);
    return atomic_load(&forked) ? 1 : n;
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
