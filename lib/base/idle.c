/*
 * idle.c - lend the memory that long calls leave behind to the system, once no other call has come for a while.
 *
 * A thread waits for that time and then ends, because nothing else could act after the last call (doc/decisions/memory.md).
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/idle.h"

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#include "base/clock.h"
#include "base/forks.h"
#include "base/thread_quiet.h"

enum {
    WAIT_MS = 500,
    BUSY_WAITS = 7, /* so many more waits while the process computes */
    STACK_BYTES = 192 << 10
};

/* The thread holds it while it lends.  So does a process during a fork: thus the child cannot inherit it locked by the thread. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct idle *watched; /* a list of all owners of idle memory, lent or not; guarded by the lock */
static atomic_bool waiting;  /* the thread exists; written under the lock */

/* in_child - a child process lacks the thread, so empty the list: the next long call will start another thread. */
static void in_child(struct fork_lock *self)
{
    (void)self;
    for (; watched; watched = watched->next) {
        watched->linked = false;
        atomic_store(&watched->listed, false);
    }
    atomic_store(&waiting, false);
}

static struct fork_lock forks = {.lock = &lock, .order = FORK_OUTER, .in_child = in_child}; /* taken before contexts' locks */
static pthread_once_t forks_seen = PTHREAD_ONCE_INIT;

static void forks_see(void)
{
    forks_hold(&forks);
}

/*
 * may_go - whether the memory may be lent: no call has ended since the last look, and the process is idle or has been busy for
 * long.   Needs the lock.
 */
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

/* list_give - lend all memory that may go.   wholly in: give all back instead, or, if `shared`, all shared.   Needs the lock. */
static void list_give(bool wholly, bool shared, bool busy)
{
    for (struct idle **link = &watched; *link;) {
        struct idle *idle = *link;
        const bool was_listed = atomic_load(&idle->listed);
        if (wholly ? shared && !idle->shared : !was_listed || !may_go(idle, busy)) {
            link = &idle->next;
            continue;
        }
        struct idle *const next = idle->next;
        atomic_store(&idle->listed, false); /* a call that ends from now on waits for the lock, then lists it again */
        const enum idle_left left = idle->give(idle, wholly);
        if (left == IDLE_GONE) {
            idle->linked = false;
            *link = next;
            continue;
        }
        if (left == IDLE_IN_USE && was_listed)
            atomic_store(&idle->listed, true);
        link = &idle->next;
    }
}

/* any_listed - whether the thread has something left to do.   Needs the lock. */
static bool any_listed(void)
{
    for (const struct idle *idle = watched; idle; idle = idle->next)
        if (atomic_load(&idle->listed))
            return true;
    return false;
}

/* all_lend - lend all memory that may go; true: some has to wait. */
static bool all_lend(bool busy)
{
    pthread_mutex_lock(&lock);
    list_give(false, false, busy);
    const bool left = any_listed();
    atomic_store(&waiting, left); /* another call may set it once the lock is free */
    pthread_mutex_unlock(&lock);
    return left;
}

void idle_trim_shared(void)
{
    pthread_mutex_lock(&lock);
    list_give(true, true, false);
    pthread_mutex_unlock(&lock);
}

void idle_trim_all(void)
{
    pthread_mutex_lock(&lock);
    list_give(true, false, false);
    pthread_mutex_unlock(&lock);
}

/* cpu_ns - the CPU time of the process. */
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

static void *wait_and_lend(void *arg)
{
    while (all_lend(atomic_load(&how_to_wait)()))
        continue;
    return arg;
}

/* thread_start - start the thread; false: the system gave none.   Needs the lock. */
static bool thread_start(void)
{
    pthread_t thread;
    return thread_quiet(&thread, STACK_BYTES, wait_and_lend, NULL) && pthread_detach(thread) == 0;
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
    if (!idle->linked) {
        idle->next = watched;
        watched = idle;
        idle->linked = true;
    }
    atomic_store(&idle->listed, true); /* if no thread could start, the memory stays until the next call or a trim */
    pthread_mutex_unlock(&lock);
}

void idle_forget(struct idle *idle)
{
    pthread_mutex_lock(&lock); /* the thread may be using it now */
    for (struct idle **link = &watched; *link; link = &(*link)->next) {
        if (*link == idle) {
            *link = idle->next;
            idle->linked = false;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}
