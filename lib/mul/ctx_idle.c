/*
 * ctx_idle.c - memory that long products leave behind goes back to the system when no other one has come for a while.
 *
 * A thread waits until then, and ends.  Nothing else could act after the last product (decision 0034).
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "base/threads.h"
#include "mul/ctx.h"

enum {
    IDLE_BYTES = 4 << 20,  /* of buffers: calls that needed less leave them */
    TABLE_BYTES = 1 << 20, /* tables of so many bytes go as well */
    WAIT_MS = 500
};

/* Held by the thread while it trims, and by a process that forks: a child inherits no lock that the thread held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gfmul_ctx *watched; /* a list of contexts; guarded by the lock, as is: */
static bool waiting;              /* the thread is there */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

/* in_child - which has no such thread: the next long product starts another one. */
static void in_child(void)
{
    for (; watched; watched = watched->idle.next)
        atomic_store(&watched->idle.listed, false);
    waiting = false;
    pthread_mutex_unlock(&lock);
}

static pthread_once_t forks_seen = PTHREAD_ONCE_INIT;

static void forks_see(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}

/* context_trim - give back what it keeps.   Needs the lock. */
static void context_trim(struct gfmul_ctx *ctx)
{
    pthread_mutex_lock(&ctx->lock);
    const size_t tables = ctx_plans_bytes(ctx);
    ctx->keep_bytes = 0; /* the next product is cold */
    pthread_mutex_unlock(&ctx->lock);
    ctx_buffers_trim(ctx);
    if (tables >= TABLE_BYTES)
        ctx_plans_trim(ctx);
}

/* contexts_trim - trim those without a long product since the last time; true: others are left. */
static bool contexts_trim(void)
{
    pthread_mutex_lock(&lock);
    for (struct gfmul_ctx **link = &watched; *link;) {
        struct gfmul_ctx *ctx = *link;
        const unsigned ended = atomic_load(&ctx->idle.n_ended);
        if (ended != ctx->idle.n_seen || atomic_load(&ctx->n_calls) > 0) {
            ctx->idle.n_seen = ended;
            link = &ctx->idle.next;
            continue;
        }
        *link = ctx->idle.next;
        atomic_store(&ctx->idle.listed, false); /* a call that ends from now on lists it again */
        context_trim(ctx);
    }
    const bool left = waiting = watched != NULL; /* another call may set it once the lock is free */
    pthread_mutex_unlock(&lock);
    return left;
}

static void *wait_and_trim(void *arg)
{
    const struct timespec pause = {0, WAIT_MS * 1000000L};
    do
        nanosleep(&pause, NULL);
    while (contexts_trim());
    return arg;
}

/* thread_start - a thread that no signal reaches.   Needs the lock. */
static bool thread_start(void)
{
    pthread_t thread;
    pthread_attr_t attr;
    sigset_t all, before;
    if (pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, 2 * THREAD_STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&thread, &attr, wait_and_trim, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return started;
}

void ctx_idle_note(struct gfmul_ctx *ctx, size_t peak_bytes)
{
    if (peak_bytes < IDLE_BYTES)
        return;
    atomic_fetch_add(&ctx->idle.n_ended, 1);
    if (atomic_load(&ctx->idle.listed))
        return;
    pthread_once(&forks_seen, forks_see);
    pthread_mutex_lock(&lock);
    if (!waiting)
        waiting = thread_start(); /* without a thread the memory is kept */
    if (waiting && !atomic_load(&ctx->idle.listed)) {
        ctx->idle.next = watched;
        watched = ctx;
        atomic_store(&ctx->idle.listed, true);
    }
    pthread_mutex_unlock(&lock);
}

void ctx_idle_forget(struct gfmul_ctx *ctx)
{
    pthread_mutex_lock(&lock); /* the thread may be trimming it */
    for (struct gfmul_ctx **link = &watched; *link; link = &(*link)->idle.next) {
        if (*link == ctx) {
            *link = ctx->idle.next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}
