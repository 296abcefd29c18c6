/* stage_monitor.c - how far a product has come, and whether it is to stop.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stages/stage_monitor.h"

#include <fenv.h>

#include "base/clock.h"

static const double tell_share = 0.01;           /* the callback is called after each per cent, */
static const uint64_t tell_after_ns = 50000000u; /* and after 50 ms */

void stage_monitor_init(struct stage_monitor *m, int (*progress)(void *arg, double done), void *arg, rounding_mode mode)
{
    m->progress = progress;
    m->arg = arg;
    m->mode = mode;
    m->caller = pthread_self();
    m->from = m->to = m->told = 0;
    m->points = 1;
    m->told_ns = 0;
    atomic_init(&m->done, 0);
    atomic_init(&m->stop, false);
}

/* callback - whether it asks to stop. */
static bool callback(struct stage_monitor *m)
{
    fenv_t here;
    fegetenv(&here);
    rounding_leave(&m->mode);
    const bool stop = m->progress(m->arg, m->told) != 0;
    fesetenv(&here);
    return stop;
}

bool stage_monitor_tell(struct stage_monitor *m, double share)
{
    if (atomic_load_explicit(&m->stop, memory_order_relaxed))
        return false;
    m->told = share > m->told ? share : m->told; /* a product that is made again does not go backwards */
    m->told_ns = clock_ns();
    if (m->progress && callback(m)) {
        atomic_store_explicit(&m->stop, true, memory_order_relaxed);
        return false;
    }
    return true;
}

bool stage_monitor_stage(struct stage_monitor *m, double from, double to, double points)
{
    m->from = from;
    m->to = to;
    m->points = points;
    atomic_store_explicit(&m->done, 0, memory_order_relaxed);
    return stage_monitor_tell(m, from);
}

bool stage_monitor_part(struct stage_monitor *m, size_t points)
{
    if (atomic_load_explicit(&m->stop, memory_order_relaxed))
        return false;
    const double done = (double)atomic_fetch_add_explicit(&m->done, points, memory_order_relaxed);
    if (!pthread_equal(pthread_self(), m->caller))
        return true;
    const double share = done < m->points ? m->from + (m->to - m->from) * done / m->points : m->to;
    if (share - m->told < tell_share && clock_ns() - m->told_ns < tell_after_ns)
        return true;
    return stage_monitor_tell(m, share);
}
