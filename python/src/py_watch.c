/*
 * py_watch.c - long calls of the library, watched: signals stop them, a callable is told of their progress.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * CPython ends a daemon thread that asks for the GIL while the interpreter ends.  That must not happen amid the parallel loops
 * of a product.  So the product runs in a thread that knows nothing of Python.  Its progress callback reads and writes two
 * atomic variables.  The caller waits beside it and holds nothing of the library's, so it may take the GIL, and may be ended.
 */
#include "py_gfmul.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum {
    POLL_MS = 40,
    IDLE_MAX = 4,              /* threads that wait for the next call */
    STACK_BYTES = 1024 * 1024, /* the default is too little with musl */
};

enum worker_state { WORKER_IDLE, WORKER_RUNS, WORKER_READY, WORKER_ENDS };

/* A thread for calls, and its call.  It is not freed with its caller, which may be ended while the call runs. */
struct worker {
    pthread_mutex_t lock; /* of state, status and call */
    pthread_cond_t changed;
    enum worker_state state;
    struct library_call call;
    enum gfmul_status status;
    atomic_bool stop;
    _Atomic double done; /* share of the work, in [0, 1] */
    struct worker *next; /* idle, too */
};

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static struct worker *pool; /* idle ones */
static unsigned pool_size;
static pthread_once_t pool_once = PTHREAD_ONCE_INIT;

static _Thread_local struct worker *working; /* in the thread of a worker */

int call_progress(void *unused, double done)
{
    (void)unused;
    struct worker *w = working;
    if (!w)
        return 0;
    atomic_store_explicit(&w->done, done, memory_order_relaxed);
    return atomic_load_explicit(&w->stop, memory_order_relaxed);
}

/* --- the thread ---------------------------------------------------------------------------------------------------------- */

static void worker_free(struct worker *w)
{
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

static void worker_set(struct worker *w, enum worker_state state)
{
    pthread_mutex_lock(&w->lock);
    w->state = state;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    working = w;
    for (;;) {
        pthread_mutex_lock(&w->lock);
        while (w->state != WORKER_RUNS && w->state != WORKER_ENDS)
            pthread_cond_wait(&w->changed, &w->lock);
        const bool ends = w->state == WORKER_ENDS;
        pthread_mutex_unlock(&w->lock);
        if (ends)
            break;
        w->status = w->call.run(&w->call);
        worker_set(w, WORKER_READY);
    }
    worker_free(w);
    return NULL;
}

/* worker_start - a new thread, idle, that gets no signals; NULL: there is none. */
static struct worker *worker_start(void)
{
    struct worker *w = calloc(1, sizeof *w);
    pthread_condattr_t clock;
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all, before;
    if (!w)
        return NULL;
    atomic_init(&w->stop, false);
    atomic_init(&w->done, 0);
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&w->changed, &clock);
    pthread_condattr_destroy(&clock);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&thread, &attr, worker_main, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    if (!started) {
        worker_free(w);
        return NULL;
    }
    return w;
}

/* --- idle threads -------------------------------------------------------------------------------------------------------- */

/* pool_forget - in a child process, which has none of these threads. */
static void pool_forget(void)
{
    pthread_mutex_init(&pool_lock, NULL);
    pool = NULL;
    pool_size = 0;
}

static void pool_init(void)
{
    pthread_atfork(NULL, NULL, pool_forget);
}

static struct worker *worker_take(void)
{
    pthread_once(&pool_once, pool_init);
    pthread_mutex_lock(&pool_lock);
    struct worker *w = pool;
    if (w) {
        pool = w->next;
        pool_size--;
    }
    pthread_mutex_unlock(&pool_lock);
    return w ? w : worker_start();
}

static void worker_give(struct worker *w)
{
    pthread_mutex_lock(&pool_lock);
    const bool stays = pool_size < IDLE_MAX;
    if (stays) {
        w->next = pool;
        pool = w;
        pool_size++;
    }
    pthread_mutex_unlock(&pool_lock);
    if (!stays)
        worker_set(w, WORKER_ENDS);
}

/* --- the caller ---------------------------------------------------------------------------------------------------------- */

/* worker_wait - whether the call has ended.   forever  in  false: wait POLL_MS at most. */
static bool worker_wait(struct worker *w, bool forever)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += POLL_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&w->lock);
    for (int status = 0; w->state == WORKER_RUNS && status == 0;)
        status = forever ? pthread_cond_wait(&w->changed, &w->lock) : pthread_cond_timedwait(&w->changed, &w->lock, &until);
    const bool ready = w->state == WORKER_READY;
    pthread_mutex_unlock(&w->lock);
    return ready;
}

/* told - tell the callable, if there is one.  1: it asks to stop; -1: an exception is set. */
static int told(PyObject *progress, double done)
{
    PyObject *said = progress ? PyObject_CallFunction(progress, "d", done) : NULL;
    const int stop = !progress ? 0 : said ? PyObject_IsTrue(said) : -1;
    Py_XDECREF(said);
    return stop;
}

/* watch - wait until the call has ended.  false: an exception is set. */
static bool watch(struct worker *w, PyObject *progress)
{
    int stop = 0;
    bool ready = false;
    while (!ready) {
        Py_BEGIN_ALLOW_THREADS;
        ready = worker_wait(w, stop != 0);
        Py_END_ALLOW_THREADS;
        if (ready || stop != 0)
            continue;
        stop = PyErr_CheckSignals() < 0 ? -1 : told(progress, atomic_load_explicit(&w->done, memory_order_relaxed));
        if (stop != 0)
            atomic_store_explicit(&w->stop, true, memory_order_relaxed);
    }
    return stop >= 0;
}

bool call_run(struct library_call *call, bool is_long, PyObject *progress, enum gfmul_status *status)
{
    int stop = told(progress, 0);
    *status = GFMUL_ERR_INTERRUPTED;
    if (stop != 0)
        return stop > 0;
    struct worker *w = is_long || progress ? worker_take() : NULL;
    if (!w) { /* short, or there is no thread: nobody is told before the end */
        Py_BEGIN_ALLOW_THREADS;
        *status = call->run(call);
        Py_END_ALLOW_THREADS;
    } else {
        w->call = *call;
        atomic_store_explicit(&w->stop, false, memory_order_relaxed);
        atomic_store_explicit(&w->done, 0, memory_order_relaxed);
        worker_set(w, WORKER_RUNS);
        const bool fine = watch(w, progress);
        *status = w->status;
        *call = w->call;
        worker_give(w);
        if (!fine)
            return false;
    }
    stop = *status == GFMUL_OK ? told(progress, 1) : 0;
    if (stop > 0)
        *status = GFMUL_ERR_INTERRUPTED;
    return stop >= 0;
}
