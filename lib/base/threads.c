/*
 * threads.c - how many threads a call may use.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/threads.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "base/processors.h"
#include "base/work_share.h"

/* OpenMP's own, if the program is linked with a run-time of OpenMP. */
#ifdef __ELF__
extern int omp_in_parallel(void) __attribute__((weak, visibility("default")));
#endif

static pthread_once_t counted = PTHREAD_ONCE_INIT;
static unsigned usual;

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
    usual = threads_asked();
    if (usual == 0)
        usual = processors_usable();
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
