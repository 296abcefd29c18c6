/*
 * runner.c - the threads of a context that calls run on.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/runner.h"

#include "base/alloc.h"
#include "base/forks.h"
#include "base/thread_quiet.h"

enum {
    RUNNER_STACK_BYTES = 1 << 20, /* address space only: the system maps pages on first use */
    DRIVER_STACK_BYTES = 8 << 20  /* OpenCL drivers compile programs on this stack */
};

static void *runner_main(void *arg)
{
    struct runner *r = arg;
    pthread_mutex_lock(&r->lock);
    for (;;) {
        while (r->state != RUNNER_WORKING && r->state != RUNNER_ENDING)
            pthread_cond_wait(&r->changed, &r->lock);
        if (r->state == RUNNER_ENDING)
            break;
        pthread_mutex_unlock(&r->lock);
        struct gfmul_report report;
        enum gfmul_status status;
        r->serve(r, &status, &report);
        pthread_mutex_lock(&r->lock);
        r->report = report;
        r->status = status;
        r->state = RUNNER_DONE;
        pthread_cond_broadcast(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static void runner_free(struct runner *r)
{
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    alloc_free(r);
}

/* runner_make - create a runner and its thread; NULL: no memory, or no thread. */
static struct runner *runner_make(struct gfmul_ctx *ctx)
{
    struct runner *r = alloc_zeroed(sizeof *r);
    if (!r)
        return NULL;
    r->ctx = ctx;
    r->forks = forks_count();
    r->taken = true;
    r->caller = pthread_self();
    if (pthread_mutex_init(&r->lock, NULL) != 0) {
        alloc_free(r);
        return NULL;
    }
    if (pthread_cond_init(&r->changed, NULL) != 0) {
        pthread_mutex_destroy(&r->lock);
        alloc_free(r);
        return NULL;
    }
    if (!thread_quiet(&r->thread, ctx->device_state ? DRIVER_STACK_BYTES : RUNNER_STACK_BYTES, runner_main, r)) {
        runner_free(r);
        return NULL;
    }
    return r;
}

struct runner *runner_take(struct gfmul_ctx *ctx,
                           void (*serve)(struct runner *r, enum gfmul_status *status, struct gfmul_report *report))
{
    struct runner *r;
    pthread_mutex_lock(&ctx->lock);
    for (r = ctx->runners; r && (r->taken || r->forks != forks_count()); r = r->next)
        continue;
    if (r) {
        r->taken = true;
        r->caller = pthread_self();
    }
    pthread_mutex_unlock(&ctx->lock);
    if (r || !(r = runner_make(ctx)))
        return r;
    r->serve = serve;
    pthread_mutex_lock(&ctx->lock);
    r->next = ctx->runners;
    ctx->runners = r;
    atomic_store_explicit(&ctx->has_runners, true, memory_order_relaxed);
    pthread_mutex_unlock(&ctx->lock);
    return r;
}

void runner_put(struct runner *r)
{
    pthread_mutex_lock(&r->ctx->lock);
    r->taken = false;
    pthread_mutex_unlock(&r->ctx->lock);
}

void runner_settle(struct runner *r)
{
    if (r->forks != forks_count())
        return;
    pthread_mutex_lock(&r->lock);
    r->stop = true;
    r->state = RUNNER_WORKING;
    pthread_cond_broadcast(&r->changed);
    while (r->state != RUNNER_DONE)
        pthread_cond_wait(&r->changed, &r->lock);
    r->state = RUNNER_IDLE;
    r->n_settled++;
    pthread_mutex_unlock(&r->lock);
    runner_put(r);
}

/* runner_left - a runner whose call was abandoned in its callback, by this thread or, if `any`, by any thread; NULL: none. */
static struct runner *runner_left(struct gfmul_ctx *ctx, bool any)
{
    struct runner *r;
    pthread_mutex_lock(&ctx->lock);
    for (r = ctx->runners; r; r = r->next)
        if (r->taken && r->forks == forks_count() && (any || pthread_equal(r->caller, pthread_self())))
            break;
    pthread_mutex_unlock(&ctx->lock);
    return r;
}

void ctx_runners_settle(struct gfmul_ctx *ctx)
{
    for (struct runner *r; (r = runner_left(ctx, false)) != NULL;)
        runner_settle(r);
}

void ctx_runners_trim(struct gfmul_ctx *ctx)
{
    struct runner *idle = NULL;
    pthread_mutex_lock(&ctx->lock);
    for (struct runner **at = &ctx->runners; *at;) {
        struct runner *const r = *at;
        if (r->taken || r->forks != forks_count()) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        r->next = idle;
        idle = r;
    }
    pthread_mutex_unlock(&ctx->lock);
    while (idle) {
        struct runner *const r = idle;
        idle = r->next;
        pthread_mutex_lock(&r->lock);
        r->state = RUNNER_ENDING;
        pthread_cond_broadcast(&r->changed);
        pthread_mutex_unlock(&r->lock);
        pthread_join(r->thread, NULL);
        runner_free(r);
    }
}

void ctx_runners_end(struct gfmul_ctx *ctx)
{
    for (struct runner *r; (r = runner_left(ctx, true)) != NULL;)
        runner_settle(r);
    ctx_runners_trim(ctx);
    while (ctx->runners) { /* these belonged to the parent process: they have no threads here */
        struct runner *const r = ctx->runners;
        ctx->runners = r->next;
        alloc_free(r);
    }
}
