/*
 * threads.c - how many threads a call may use, and how to start the library's own threads.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/threads.h"

#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/parallel.h"
#include "base/signals.h"
#include "base/work_share.h"

/* OpenMP's own, if the program is linked with a run-time of OpenMP. */
#ifdef __ELF__
extern int omp_in_parallel(void) __attribute__((weak, visibility("default")));
#endif

static pthread_once_t counted = PTHREAD_ONCE_INIT;
static unsigned processors, usual;

/* processors_count - those that the process may use. */
static unsigned processors_count(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN); /* also if there are more than a set has room for */
    return online < 1 ? 1 : online > WORK_SHARES ? WORK_SHARES : (unsigned)online;
}

/* threads_asked - the first number of OMP_NUM_THREADS, which may be a list; 0: none. */
static unsigned threads_asked(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    char *end;
    if (!text)
        return 0;
    const long n = strtol(text, &end, 10);
    while (*end == ' ' || *end == '\t')
        end++;
    if (end == text || (*end != '\0' && *end != ',') || n < 1)
        return 0;
    return n > WORK_SHARES ? WORK_SHARES : (unsigned)n;
}

static void count(void)
{
    processors = processors_count();
    usual = threads_asked();
    if (usual == 0)
        usual = processors;
}

unsigned processors_usable(void)
{
    pthread_once(&counted, count);
    return processors;
}

/* in_region - whether the calling thread is one of several in a region, the library's or one of OpenMP. */
static bool in_region(void)
{
#ifdef __ELF__
    if (omp_in_parallel && omp_in_parallel())
        return true;
#endif
    return parallel_inside();
}

unsigned threads_available(unsigned wanted)
{
    if (wanted == 1 || in_region())
        return 1;
    pthread_once(&counted, count);
    const unsigned most = wanted == 0 ? usual : wanted;
    return most > WORK_SHARES ? WORK_SHARES : most;
}

bool thread_quiet(pthread_t *thread, size_t stack_bytes, void *(*run)(void *arg), void *arg)
{
    pthread_attr_t attr;
    sigset_t outside, before;
    if (pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setstacksize(&attr, stack_bytes);
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    signals_outside(&outside);
    pthread_sigmask(SIG_SETMASK, &outside, NULL);
    const bool started = pthread_create(thread, &attr, run, arg) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return started;
}
