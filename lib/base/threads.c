/*
 * threads.c - how many threads a call may use.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/threads.h"

#include "base/work_share.h"

#ifdef _OPENMP
#include <omp.h>
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
    return n > 0 ? (unsigned)n : 1;
#else
    (void)wanted;
    return 1;
#endif
}
