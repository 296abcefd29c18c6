/*
 * idle.c - memory that long calls leave behind goes back to the system when no other one has come for a while.
 *
 * A thread waits until then, and ends.  Nothing else could act after the last call (doc/decisions/memory.md).
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/idle.h"

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#include "base/clock.h"
#include "base/forks.h"
#include "base/threads.h"

enum { WAIT_MS = 500, BUSY_WAITS = 7 /* more of them, while the process computes */ };

/* Held by the thread while it trims, and by a process that forks: a child inherits no lock that the thread held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct idle *watched; /* a list; guarded by the lock, as is: */
static atomic_bool waiting;  /* the thread is there; written under the lock */

/* in_child - which has no such thread: the next long call starts another one. */
static void in_child(struct fork_lock *self)
{
    (void)self;
    for (; watched; watched = watched->next)
        atomic_store(&watched->listed, false);
    atomic_store(&waiting, false);
}

static struct fork_lock forks = {.lock = &lock, .order = FORK_OUTER, .in_child = in_child}; /* trimming takes contexts' locks */
static pthread_once_t forks_seen = PTHREAD_ONCE_INIT;

static void forks_see(void)
{
    forks_hold(&forks);
}

/* may_go - whether no call has ended since the last time, and the process waits, or has computed for long.   Needs the lock. */
static bool may_go(struct idle *idle, bool busy)
{
    const unsigned ended = atomic_load(&idle->n_ended);
    if (ended != idle->n_seen) {
        idle->n_seen = ended;
        idle->n_busy = 0;
        return false;
    }
    return !busy || ++idle->n_busy > BUSY_WAITS;
}

/* is_shared - memory of no context goes on request.   busy in: does not matter. */
static bool is_shared(struct idle *idle, bool busy)
{
    (void)busy;
    return idle->shared;
}

/* list_trim - trim those that `goes` lets go.   Needs the lock. */
static void list_trim(bool (*goes)(struct idle *idle, bool busy), bool busy)
{
    for (struct idle **link = &watched; *link;) {
        struct idle *idle = *link;
        if (goes(idle, busy)) {
            struct idle *const next = idle->next;
            atomic_store(&idle->listed, false); /* a call that ends from now on lists it again, behind the lock */
            if (idle->trim(idle)) {
                *link = next;
                continue;
            }
            atomic_store(&idle->listed, true);
        }
        link = &idle->next;
    }
}

/* all_trim - trim those that may go; true: others are left. */
static bool all_trim(bool busy)
{
    pthread_mutex_lock(&lock);
    list_trim(may_go, busy);
    const bool left = watched != NULL;
    atomic_store(&waiting, left); /* another call may set it once the lock is free */
    pthread_mutex_unlock(&lock);
    return left;
}

void idle_trim_shared(void)
{
    pthread_mutex_lock(&lock);
    list_trim(is_shared, false);
    pthread_mutex_unlock(&lock);
}

/* cpu_ns - what the process has computed. */
static uint64_t cpu_ns(void)
{
    struct timespec t = {0, 0};
#ifdef CLOCK_PROCESS_CPUTIME_ID
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
#endif
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool idle_wait_usual(void)
{
    const struct timespec pause = {0, WAIT_MS * 1000000L};
    const uint64_t computed = cpu_ns(), start = clock_ns();
    nanosleep(&pause, NULL);
    return cpu_ns() - computed >= (clock_ns() - start) / 2;
}

static _Atomic(idle_wait *) how_to_wait = idle_wait_usual;

void idle_wait_by(idle_wait *wait)
{
    atomic_store(&how_to_wait, wait ? wait : idle_wait_usual);
}

static void *wait_and_trim(void *arg)
{
    while (all_trim(atomic_load(&how_to_wait)()))
        continue;
    return arg;
}

/* thread_start - the thread.   Needs the lock. */
static bool thread_start(void)
{
    pthread_t thread;
    return thread_quiet(&thread, 2 * THREAD_STACK_BYTES, wait_and_trim, NULL) && pthread_detach(thread) == 0;
}

void idle_note(struct idle *idle)
{
    atomic_fetch_add(&idle->n_ended, 1);
    if (atomic_load(&idle->listed) && atomic_load(&waiting))
        return;
    pthread_once(&forks_seen, forks_see);
    pthread_mutex_lock(&lock);
    if (!atomic_load(&waiting))
        atomic_store(&waiting, thread_start());
    if (!atomic_load(&idle->listed)) { /* without a thread it is kept until the next call, or until somebody trims it */
        idle->next = watched;
        watched = idle;
        atomic_store(&idle->listed, true);
    }
    pthread_mutex_unlock(&lock);
}

void idle_forget(struct idle *idle)
{
    pthread_mutex_lock(&lock); /* the thread may be trimming it */
    for (struct idle **link = &watched; *link; link = &(*link)->next) {
        if (*link == idle) {
            *link = idle->next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}
