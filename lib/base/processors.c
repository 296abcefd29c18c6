/*
 * processors.c - how many processors the process may use.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/processors.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "base/work_share.h"

static pthread_once_t counted = PTHREAD_ONCE_INIT;
static unsigned processors;

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

static void count(void)
{
    processors = processors_count();
}

unsigned processors_usable(void)
{
    pthread_once(&counted, count);
    return processors;
}
