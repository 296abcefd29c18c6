/*
 * call_run.c - a call of a public function: on the calling thread, or on a thread of the context (doc/decisions/threads.md).
 *
 *     the calling thread                      the context's thread, a runner
 *     hands over the work                     plans, multiplies, checks
 *     waits                                   its threads come to rest; it asks for the callback, and waits
 *     runs the callback, holding nothing
 *     answers, waits                          goes on, or ends with INTERRUPTED
 *
 * If the callback is left by a long jump, an exception, or the end of its thread, the runner still waits.  Whoever finds it so
 * lets it end with INTERRUPTED: what the call owns is given back as after any error.
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
    RUNNER_STACK_BYTES = 1 << 20, /* address space, of which pages are taken as they are used */
    DRIVER_STACK_BYTES = 8 << 20  /* drivers compile programs */
};

enum runner_state {
    RUNNER_IDLE,
    RUNNER_WORKING,
    RUNNER_ASKING, /* it waits for the callback's answer */
    RUNNER_DONE,
    RUNNER_ENDING
};

struct runner {
    struct runner *next; /* of the context; guarded by its lock, as is */
    bool taken;          /* by a call */
    pthread_t caller;    /* of that call */
    struct gfmul_ctx *ctx;
    pthread_t thread;
    unsigned forks;       /* forks_count: a child has no such thread */
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    enum runner_state state;
    double share; /* to be told */
    bool stop;    /* the callback's answer */
    unsigned n_settled; /* calls that were left, and have ended */
    struct call_work work;
    _Alignas(16) unsigned char arguments[CALL_ARGUMENT_BYTES];
    enum gfmul_status status;
    struct gfmul_report report;
};

/* ---- the runner's side ---- */

/* ask - have the callback told; whether it wants the work to stop. */
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

/* work_do - the call. */
static enum gfmul_status work_do(struct call *call, struct gfmul_ctx *ctx, const struct call_work *work, struct runner *r)
{
    struct stage_monitor monitor;
    enum gfmul_status status;
    call_begin(call, ctx);
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

/* runner_make - a runner with its thread; NULL: there is none. */
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

/* runner_take - an idle runner of the context, or a new one.   NULL: there is none. */
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

/* runner_settle - let a call that was left end. */
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

/* runner_left - one that this thread, or whoever if `any`, has left within the callback; NULL: none. */
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
    while (ctx->runners) { /* of a parent process */
        struct runner *const r = ctx->runners;
        ctx->runners = r->next;
        alloc_free(r);
    }
}

/* ---- the caller's side ---- */

/* left - the callback was left by an exception, or by the end of its thread. */
static void left(struct runner *const *r)
{
    if (*r)
        runner_settle(*r);
}

/*
 * callback - what the program says to this share; it may never return.
 *
 *   r  in  the runner that waits for it, or NULL
 * What it changes of the floating-point environment ends with it.
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
 * answer - tell the callback what the runner asks for.   With its lock, which nobody has meanwhile.
 * false: the call is over, and the lock is free.  The process forked, or the callback called the library with this context.
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

/* fail - a call that did not come to run. */
static enum gfmul_status fail(struct gfmul_ctx *ctx, const struct call_work *work, enum gfmul_status status, const char *why)
{
    struct call call;
    call_begin(&call, ctx);
    call_end(&call, call_fail(&call, status, "%s", why));
    if (work->report)
        *work->report = call.report;
    return status;
}

/* run_apart - the call on a runner.   cancel in: the thread's cancellation state; it is off while the thread waits. */
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

/* run_here - the call on this thread. */
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
