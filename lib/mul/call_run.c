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
#include "mul/runner.h"

#include <assert.h>
#include <fenv.h>
#include <string.h>

#include "base/forks.h"
#include "base/stack.h"
#include "base/threads.h"

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

/* serve - the runner's work, on its thread. */
static void serve(struct runner *r, enum gfmul_status *status, struct gfmul_report *report)
{
    struct call call;
    *status = work_do(&call, r->ctx, &r->work, r);
    *report = call.report;
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
    struct runner *r = runner_take(ctx, serve);
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
