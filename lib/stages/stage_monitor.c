/*
 * stage_monitor.c - how far a product has come, whether it is to stop, and the pauses in which its callback is told.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "stages/stage_monitor.h"

#include "base/clock.h"

bool stage_monitor_init(struct stage_monitor *m, bool (*tell)(void *arg, double done), void *arg, uint64_t tell_ns)
{
    m->tell = tell;
    m->arg = arg;
    m->owner = pthread_self();
    m->from = m->to = m->told = 0;
    m->points = 1;
    m->told_ns = clock_ns();
    m->tell_ns = tell_ns;
    atomic_init(&m->done, 0);
    atomic_init(&m->working, 0);
    atomic_init(&m->paused, false);
    atomic_init(&m->stop, false);
    if (pthread_mutex_init(&m->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&m->changed, NULL) == 0)
        return true;
    pthread_mutex_destroy(&m->lock);
    return false;
}

void stage_monitor_end(struct stage_monitor *m)
{
    pthread_cond_destroy(&m->changed);
    pthread_mutex_destroy(&m->lock);
}

/* pause_begin - no thread is within a part from now on.   pause_end - parts may begin again. */
static void pause_begin(struct stage_monitor *m)
{
    atomic_store(&m->paused, true); /* a thread that does not see it has been counted before: both are sequentially consistent */
    pthread_mutex_lock(&m->lock);
    while (atomic_load(&m->working) > 0)
        pthread_cond_wait(&m->changed, &m->lock);
    pthread_mutex_unlock(&m->lock);
}

static void pause_end(struct stage_monitor *m)
{
    pthread_mutex_lock(&m->lock);
    atomic_store(&m->paused, false);
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
}

bool stage_monitor_tell(struct stage_monitor *m, double share)
{
    if (atomic_load_explicit(&m->stop, memory_order_relaxed))
        return false;
    if (clock_ns() - m->told_ns < m->tell_ns)
        return true;
    m->told = share > m->told ? share : m->told; /* a product that is made again does not go backwards */
    pause_begin(m);
    const bool stop = m->tell(m->arg, m->told);
    atomic_store_explicit(&m->stop, stop, memory_order_relaxed);
    pause_end(m);
    m->told_ns = clock_ns();
    return !stop;
}

bool stage_monitor_stage(struct stage_monitor *m, double from, double to, double points)
{
    m->from = from;
    m->to = to;
    m->points = points;
    atomic_store_explicit(&m->done, 0, memory_order_relaxed);
    return stage_monitor_tell(m, from);
}

/* pause_wait - let a pause begin, and wait for its end. */
static void pause_wait(struct stage_monitor *m)
{
    pthread_mutex_lock(&m->lock);
    pthread_cond_broadcast(&m->changed);
    while (atomic_load(&m->paused))
        pthread_cond_wait(&m->changed, &m->lock);
    pthread_mutex_unlock(&m->lock);
}

bool stage_monitor_part(struct stage_monitor *m, size_t points)
{
    const double done = (double)atomic_fetch_add_explicit(&m->done, points, memory_order_relaxed);
    if (pthread_equal(pthread_self(), m->owner) &&
        !stage_monitor_tell(m, done < m->points ? m->from + (m->to - m->from) * done / m->points : m->to))
        return false;
    atomic_fetch_add(&m->working, 1);
    while (atomic_load(&m->paused)) {
        atomic_fetch_sub(&m->working, 1);
        pause_wait(m);
        atomic_fetch_add(&m->working, 1);
    }
    if (!atomic_load_explicit(&m->stop, memory_order_relaxed))
        return true;
    atomic_fetch_sub(&m->working, 1);
    return false;
}

void stage_monitor_part_end(struct stage_monitor *m)
{
    atomic_fetch_sub(&m->working, 1);
    if (atomic_load(&m->paused)) {
        pthread_mutex_lock(&m->lock);
        pthread_cond_broadcast(&m->changed);
        pthread_mutex_unlock(&m->lock);
    }
}
