/*
 * runner.h - the threads of a context that calls run on; only for runner.c and call_run.c, which has the picture.
 */
#ifndef GFMUL_RUNNER_H
#define GFMUL_RUNNER_H

#include "mul/call_run.h"

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
    void (*serve)(struct runner *r, enum gfmul_status *status, struct gfmul_report *report); /* does the work */
    struct call_work work;
    _Alignas(16) unsigned char arguments[CALL_ARGUMENT_BYTES];
    enum gfmul_status status;
    struct gfmul_report report;
};

/*
 * runner_take - take an idle runner of the context, or create one; NULL on failure.   runner_put - give it back.
 * runner_settle - let an abandoned call end.
 *
 *   serve  in  does the runner's work on its thread, without its lock
 */
struct runner *runner_take(struct gfmul_ctx *ctx,
                           void (*serve)(struct runner *r, enum gfmul_status *status, struct gfmul_report *report));
void runner_put(struct runner *r);
void runner_settle(struct runner *r);

#endif
