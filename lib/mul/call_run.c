/*
 * call_run.c - run a public function on the calling thread, or on a thread of the context (doc/decisions/threads.md).
 *
 *     the calling thread                      the context's thread, called a runner
 *     hands over the work                     plans, multiplies, checks
 *     waits                                   lets its threads come to rest, asks for the callback, waits
 *     runs the callback, holding no lock
 *     answers, waits                          goes on, or ends with INTERRUPTED
 *
 * The callback may be left by a long jump, an exception, or the end of its thread.  The runner is then still waiting.  The next
 * function that finds it lets it end with INTERRUPTED, and the runner frees what the call owns, as after any error.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/call_run.h"

#include <assert.h>
#include <fenv.h>
#include <string.h>

#include "base/alloc.h"
#include "base/forks.h"
#include "base/stack.h"
#include "base/threads.h"

enum {
    RUNNER_STACK_BYTES = 1 << 20, /* address space only: the system maps pages on first use */
    DRIVER_STACK_BYTES = 8 << 20  /* OpenCL drivers compile programs on this stack */
};

enum runner_state {
    RUNNER_IDLE,
    RUNNER_WORKING,
    RUNNER_ASKING, /* it waits for the callback's answer */
    RUNNER_DONE,
    RUNNER_ENDING
};

struct runner {
    struct runner *next; /* in the context's list; guarded by the context's lock, as is .. */
    bool taken;          /* .. this: a call uses the runner */
    pthread_t caller;    /* the thread that made this call */
    struct gfmul_ctx *ctx;
    pthread_t thread;
    unsigned forks;       /* forks_count at its start: after a fork the child lacks this thread */
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    enum runner_state state;
    double share; /* for the callback */
    bool stop;    /* the callback's answer */
    unsigned n_settled; /* how many abandoned calls have ended here */
    struct call_work work;
    _Alignas(16) unsigned char arguments[CALL_ARGUMENT_BYTES];
    enum gfmul_status status;
    struct gfmul_report report;
};

/* ---- the runner's side ---- */

/* ask - have the calling thread run the callback; true: the work has to stop. */
static bool ask(void *arg, double share)
{
    struct runner *r = arg;
    pthread_mutex_lock(&r->lock);
    r->share = share;
    r->state = RUNNER_ASKING;
    pthread_cond_broadcast(&r->changed);
    while (r->state == RUNNER_ASKING)
        pthread_cond_wait(&r->changed, &r->lock);
    const bool stop = r->stop;
    pthread_mutex_unlock(&r->lock);
    return stop;
}

/* work_do - begin the call, run it, end it. */
static enum gfmul_status work_do(struct call *call, struct gfmul_ctx *ctx, const struct call_work *work, struct runner *r)
{
    struct stage_monitor monitor;
    enum gfmul_status status;
    call_begin(call, ctx);
    call->reserved = work->reserved;
    call->part = work->part;
    call->alone = work->part || work->alone;
    if (work->threads > 0)
        call->threads = work->threads;
    if (r && ctx->opt.progress && work->limbs > 0) {
        if (!stage_monitor_init(&monitor, ask, r, ctx->tell_ns))
            return call_end(call, call_fail(call, GFMUL_ERR_MEMORY, "out of memory for the progress callback"));
        call->monitor = &monitor;
    }
    status = work->run(call, work->arguments);
    if (call->monitor)
        stage_monitor_end(&monitor);
    call->monitor = NULL;
    return call_end(call, status);
}

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
        struct call call;
        const enum gfmul_status status = work_do(&call, r->ctx, &r->work, r);
        pthread_mutex_lock(&r->lock);
        r->report = call.report;
        r->status = status;
        r->state = RUNNER_DONE;
        pthread_cond_broadcast(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* ---- runners of a context ---- */

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

/* runner_take - take an idle runner of the context, or create one; NULL on failure. */
static struct runner *runner_take(struct gfmul_ctx *ctx)
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
    pthread_mutex_lock(&ctx->lock);
    r->next = ctx->runners;
    ctx->runners = r;
    atomic_store_explicit(&ctx->has_runners, true, memory_order_relaxed);
    pthread_mutex_unlock(&ctx->lock);
    return r;
}

static void runner_put(struct runner *r)
{
    pthread_mutex_lock(&r->ctx->lock);
    r->taken = false;
    pthread_mutex_unlock(&r->ctx->lock);
}

/* runner_settle - let an abandoned call end. */
static void runner_settle(struct runner *r)
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

/* ---- the caller's side ---- */

/* left - cleanup handler: an exception, or the end of the thread, has left the callback. */
static void left(struct runner *const *r)
{
    if (*r)
        runner_settle(*r);
}

/*
 * callback - run the program's callback with this share; true: stop.  It may never return.
 *
 *   r  in  the runner that waits for it, or NULL
 * The floating-point environment is restored after it.
 */
static bool callback(const struct gfmul_options *opt, double share, struct runner *r)
{
    __attribute__((cleanup(left))) struct runner *leaving = r;
    fenv_t here;
    fegetenv(&here);
    const bool stop = opt->progress(opt->progress_arg, share) != 0;
    fesetenv(&here);
    leaving = NULL;
    return stop;
}

/*
 * answer - run the callback for the runner.   Called with the runner's lock; the lock is free while the callback runs.
 * false: the call is over, and the lock is free.  Either the process forked, or the callback called the library with this
 * context.
 */
static bool answer(struct runner *r, int cancel)
{
    const double share = r->share;
    const unsigned n_settled = r->n_settled;
    int off;
    pthread_mutex_unlock(&r->lock);
    pthread_setcancelstate(cancel, &off);
    const bool stop = callback(&r->ctx->opt, share, r);
    pthread_setcancelstate(off, NULL);
    if (r->forks != forks_count())
        return false;
    pthread_mutex_lock(&r->lock);
    if (r->n_settled != n_settled) {
        pthread_mutex_unlock(&r->lock);
        return false;
    }
    r->stop = stop;
    r->state = RUNNER_WORKING;
    pthread_cond_broadcast(&r->changed);
    return true;
}

/* fail - report a call that fails before it runs. */
static enum gfmul_status fail(struct gfmul_ctx *ctx, const struct call_work *work, enum gfmul_status status, const char *why)
{
    struct call call;
    call_begin(&call, ctx);
    call_end(&call, call_fail(&call, status, "%s", why));
    if (work->report)
        *work->report = call.report;
    return status;
}

/* run_apart - run the call on a runner.   cancel in: the thread's cancellation state; cancellation is off while it waits */
static enum gfmul_status run_apart(struct gfmul_ctx *ctx, const struct call_work *work, int cancel)
{
    struct runner *r = runner_take(ctx);
    if (!r)
        return fail(ctx, work, GFMUL_ERR_MEMORY, "the system gives no thread for the product");
    pthread_mutex_lock(&r->lock);
    assert(work->argument_bytes <= sizeof r->arguments);
    memcpy(r->arguments, work->arguments, work->argument_bytes);
    r->work = *work;
    r->work.arguments = r->arguments;
    r->work.report = NULL;
    r->work.threads = work->threads > 0 ? work->threads : threads_available(ctx->opt.threads);
    r->stop = false;
    r->state = RUNNER_WORKING;
    pthread_cond_broadcast(&r->changed);
    for (;;) {
        while (r->state == RUNNER_WORKING)
            pthread_cond_wait(&r->changed, &r->lock);
        if (r->state == RUNNER_DONE)
            break;
        if (!answer(r, cancel))
            return GFMUL_ERR_INTERRUPTED;
    }
    const enum gfmul_status status = r->status;
    if (work->report)
        *work->report = r->report;
    r->state = RUNNER_IDLE;
    pthread_mutex_unlock(&r->lock);
    runner_put(r);
    return status;
}

/* run_here - run the call on this thread. */
static enum gfmul_status run_here(struct gfmul_ctx *ctx, const struct call_work *work)
{
    struct call call;
    const enum gfmul_status status = work_do(&call, ctx, work, NULL);
    if (work->report)
        *work->report = call.report;
    return status;
}

enum gfmul_status call_run(struct gfmul_ctx *ctx, const struct call_work *work)
{
    enum gfmul_status status;
    int cancel;
    if (!(ctx = ctx_resolve(ctx, &status)))
        return status;
    if (atomic_load_explicit(&ctx->has_runners, memory_order_relaxed))
        ctx_runners_settle(ctx);
    const bool told = ctx->opt.progress && work->limbs > 0, apart = told && work->limbs >= ctx->apart_limbs;
    if (told && callback(&ctx->opt, 0, NULL))
        return fail(ctx, work, GFMUL_ERR_INTERRUPTED, gfmul_strerror(GFMUL_ERR_INTERRUPTED));
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    status = apart || stack_left() < ctx->stack_least ? run_apart(ctx, work, cancel) : run_here(ctx, work);
    pthread_setcancelstate(cancel, NULL);
    return status;
}
