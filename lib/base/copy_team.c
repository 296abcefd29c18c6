/*
 * copy_team.c - copies of memory by several threads, cut into parts that any free thread takes.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/copy_team.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"

enum { LOOK_NS = 50000 }; /* doc/decisions/device-kernels.md */

/* The part of a copy that a thread has taken. */
struct part {
    struct copy *of;
    size_t first, bytes;
};

/* part_take - take the next part; false: there is none.   With the lock. */
static bool part_take(struct copy_team *team, struct part *part)
{
    for (; team->open < team->begun; team->open++) {
        struct copy *const c = &team->copy[team->open % COPIES_MOST];
        const size_t left = c->bytes - c->taken;
        if (left > 0) {
            *part = (struct part){c, c->taken, left < COPY_PART_BYTES ? left : COPY_PART_BYTES};
            c->taken += part->bytes;
            return true;
        }
    }
    return false;
}

/* part_copy - copy a part that was taken.   Called with the lock, which is free during the copy. */
static void part_copy(struct copy_team *team, const struct part *part)
{
    pthread_mutex_unlock(&team->lock);
    team->by(part->of->to + part->first, part->of->from + part->first, part->bytes);
    pthread_mutex_lock(&team->lock);
    part->of->done += part->bytes;
    if (part->of->done == part->of->bytes) {
        atomic_fetch_add_explicit(&team->changes, 1, memory_order_relaxed);
        pthread_cond_signal(&team->done);
    }
}

/*
 * await - wait until something has changed; it may return early.   Called with the lock, which is free meanwhile.
 * Waking a sleeping thread takes some ten microseconds, so the thread spins for LOOK_NS before it sleeps.
 */
static void await(struct copy_team *team, pthread_cond_t *cond)
{
    const unsigned seen = atomic_load_explicit(&team->changes, memory_order_relaxed);
    pthread_mutex_unlock(&team->lock);
    const uint64_t start = clock_ns();
    while (atomic_load_explicit(&team->changes, memory_order_relaxed) == seen && clock_ns() - start < LOOK_NS)
        continue;
    pthread_mutex_lock(&team->lock);
    if (atomic_load_explicit(&team->changes, memory_order_relaxed) == seen) /* nobody changes it without the lock */
        pthread_cond_wait(cond, &team->lock);
}

static void help(struct copy_team *team)
{
    struct part part;
    pthread_mutex_lock(&team->lock);
    while (!team->ending) {
        if (part_take(team, &part))
            part_copy(team, &part);
        else
            await(team, &team->work);
    }
    pthread_mutex_unlock(&team->lock);
}

bool copy_team_begin(struct copy_team *team)
{
    memset(team, 0, sizeof *team);
    team->by = memcpy;
    if (pthread_mutex_init(&team->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&team->work, NULL) == 0) {
        if (pthread_cond_init(&team->done, NULL) == 0)
            return true;
        pthread_cond_destroy(&team->work);
    }
    pthread_mutex_destroy(&team->lock);
    return false;
}

void copy_team_end(struct copy_team *team)
{
    pthread_cond_destroy(&team->done);
    pthread_cond_destroy(&team->work);
    pthread_mutex_destroy(&team->lock);
}

/* helpers_end - make all helpers leave, also those that have not begun yet. */
static void helpers_end(struct copy_team *team)
{
    pthread_mutex_lock(&team->lock);
    team->ending = true;
    atomic_fetch_add_explicit(&team->changes, 1, memory_order_relaxed);
    pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
}

/* A region of copy_team_run. */
struct copying {
    struct copy_team *team;
    void (*run)(void *arg);
    void *arg;
};

static void copying_run(void *arg, unsigned t)
{
    const struct copying *const c = arg;
    if (t > 0) {
        help(c->team);
        return;
    }
    c->run(c->arg);
    helpers_end(c->team);
}

void copy_team_run(struct copy_team *team, unsigned threads, void (*run)(void *arg), void *arg)
{
    team->ending = false;
    team->helped = threads > 1;
    parallel_run(threads, copying_run, &(struct copying){team, run, arg});
}

uint64_t copy_begin(struct copy_team *team, void *to, const void *from, size_t bytes)
{
    pthread_mutex_lock(&team->lock);
    const uint64_t number = team->begun;
    struct copy *const c = &team->copy[number % COPIES_MOST];
    assert(c->done == c->bytes);
    *c = (struct copy){to, from, bytes, 0, 0};
    if (number - team->open >= COPIES_MOST) /* that copy is complete, so it has no parts to take */
        team->open = number - COPIES_MOST + 1;
    team->begun++;
    atomic_fetch_add_explicit(&team->changes, 1, memory_order_relaxed);
    if (team->helped && bytes > COPY_PART_BYTES)
        pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
    return number;
}

bool copy_over(struct copy_team *team, uint64_t number)
{
    pthread_mutex_lock(&team->lock);
    const struct copy *const c = &team->copy[number % COPIES_MOST];
    const bool over = c->done == c->bytes;
    pthread_mutex_unlock(&team->lock);
    return over;
}

void copy_wait(struct copy_team *team, uint64_t number)
{
    const struct copy *const c = &team->copy[number % COPIES_MOST];
    struct part part;
    pthread_mutex_lock(&team->lock);
    while (c->done < c->bytes) {
        if (part_take(team, &part))
            part_copy(team, &part);
        else
            await(team, &team->done);
    }
    pthread_mutex_unlock(&team->lock);
}
