/*
 * forks.c - make the library safe across fork: the child never finds a lock held by a thread that exists only in the parent.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/forks.h"

#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fork_lock *held[FORK_INNER + 1]; /* a list for each order; guarded by list_lock */
static atomic_uint count;
static pthread_once_t watched = PTHREAD_ONCE_INIT;

static void before(void)
{
    pthread_mutex_lock(&list_lock);
    for (int order = FORK_OUTER; order <= FORK_INNER; order++)
        for (struct fork_lock *l = held[order]; l; l = l->next)
            pthread_mutex_lock(l->lock);
}

static void after(void)
{
    for (int order = FORK_OUTER; order <= FORK_INNER; order++)
        for (struct fork_lock *l = held[order]; l; l = l->next)
            pthread_mutex_unlock(l->lock);
    pthread_mutex_unlock(&list_lock);
}

static void in_child(void)
{
    atomic_fetch_add(&count, 1);
    for (int order = FORK_OUTER; order <= FORK_INNER; order++)
        for (struct fork_lock *l = held[order]; l; l = l->next)
            if (l->in_child)
                l->in_child(l);
    after();
}

static void watch(void)
{
    pthread_atfork(before, after, in_child);
}

void forks_hold(struct fork_lock *l)
{
    pthread_once(&watched, watch);
    pthread_mutex_lock(&list_lock);
    l->next = held[l->order];
    held[l->order] = l;
    pthread_mutex_unlock(&list_lock);
}

void forks_forget(struct fork_lock *l)
{
    pthread_mutex_lock(&list_lock);
    for (struct fork_lock **at = &held[l->order]; *at; at = &(*at)->next) {
        if (*at == l) {
            *at = l->next;
            break;
        }
    }
    pthread_mutex_unlock(&list_lock);
}

unsigned forks_locks(pthread_mutex_t **lock, unsigned most)
{
    unsigned n = 0;
    if (n++ < most)
        lock[0] = &list_lock;
    pthread_mutex_lock(&list_lock);
    for (int order = FORK_OUTER; order <= FORK_INNER; order++)
        for (struct fork_lock *l = held[order]; l; l = l->next)
            if (n++ < most)
                lock[n - 1] = l->lock;
    pthread_mutex_unlock(&list_lock);
    return n;
}

unsigned forks_count(void)
{
    return atomic_load_explicit(&count, memory_order_relaxed);
}
