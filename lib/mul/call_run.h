/*
 * call_run.h - run a public function on the calling thread, or on a thread of the context (doc/decisions/threads.md).
 */
#ifndef GFMUL_CALL_RUN_H
#define GFMUL_CALL_RUN_H

#include "mul/ctx.h"

enum { CALL_ARGUMENT_BYTES = 128 };

/*
 * The work of a call.  It may run on another thread and outlive the frame of the public function, so the arguments are copied.
 * They may only point to the caller's own data, which is not touched after a step has returned INTERRUPTED.
 */
struct call_work {
    enum gfmul_status (*run)(struct call *call, const void *arguments);
    const void *arguments;
    size_t argument_bytes;       /* at most CALL_ARGUMENT_BYTES */
    size_t limbs;                /* of the product, about; 0: nothing is multiplied, and the callback does not run */
    bool part;                   /* a part of another call, which reports it and runs the callback */
    bool alone;                  /* its products are not shared by devices, because others run beside it */
    size_t reserved;             /* bytes that count against the memory limit from the start */
    unsigned threads;            /* 0: as many as the calling thread may have */
    struct gfmul_report *report; /* out, of this very call; may be NULL */
};

/* CALL_WORK - initializer of a call_work; `structure` points to the arguments of `function`. */
#define CALL_WORK(function, structure, limb_count) \
    {.run = (function), .arguments = (structure), .argument_bytes = sizeof *(structure), .limbs = (limb_count)}

/*
 * call_run - begin a call, run it, end it.   ctx in: NULL is the default context
 *
 * The call runs on a thread of the context in two cases: if the callback may run in the middle of the product, or if the calling
 * thread has too little stack left.  The calling thread then waits and runs the callback.  A long jump may leave the callback,
 * because no lock is held and the product's threads are at rest.  What the call owns stays with the context until
 * ctx_runners_settle.
 * Errors: those of the call.  MEMORY: the system gave no thread.  INTERRUPTED: the callback asked for it.
 */
enum gfmul_status call_run(struct gfmul_ctx *ctx, const struct call_work *work);

/*
 * ctx_runners_settle - end the calls that the calling thread has abandoned in a context, and free what they own.
 * ctx_runners_trim - end the threads that no call uses.   ctx_runners_end - end all calls and threads.
 */
void ctx_runners_settle(struct gfmul_ctx *ctx);
void ctx_runners_trim(struct gfmul_ctx *ctx);
void ctx_runners_end(struct gfmul_ctx *ctx);

#endif
