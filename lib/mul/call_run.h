/*
 * call_run.h - a call of a public function: on the calling thread, or on a thread of the context (doc/decisions/threads.md).
 */
#ifndef GFMUL_CALL_RUN_H
#define GFMUL_CALL_RUN_H

#include "mul/ctx.h"

enum { CALL_ARGUMENT_BYTES = 128 };

/*
 * What a call does.  It may run on another thread, after the frame of the public function is gone: so the arguments are copied,
 * and whatever they point to is the caller's.  None of it is touched after a step that returned INTERRUPTED.
 */
struct call_work {
    enum gfmul_status (*run)(struct call *call, const void *arguments);
    const void *arguments;
    size_t argument_bytes;       /* at most CALL_ARGUMENT_BYTES */
    size_t limbs;                /* of the product, about; 0: nothing is multiplied, and the callback is not told */
    unsigned threads;            /* 0: as many as the calling thread may have */
    struct gfmul_report *report; /* out, of this very call; NULL: not wanted */
};

/* CALL_WORK - the arguments of `run`, a structure, in a call_work. */
#define CALL_WORK(function, structure, limb_count) \
    {.run = (function), .arguments = (structure), .argument_bytes = sizeof *(structure), .limbs = (limb_count)}

/*
 * call_run - begin a call, run it, end it.   ctx in: NULL is the default one.
 *
 * A product whose callback may be told in between, and a call whose thread has too little stack left, run on a thread of the
 * context.  The calling thread waits, and runs the callback, which may be left: it holds nothing then, and the product's threads
 * are at rest.  What the call owns stays with the context until ctx_runners_settle.
 * Errors: those of the call.  MEMORY: there is no thread.  INTERRUPTED: the callback asked for it.
 */
enum gfmul_status call_run(struct gfmul_ctx *ctx, const struct call_work *work);

/*
 * ctx_runners_settle - end what the calling thread has left in a context: its memory is given back.
 * ctx_runners_trim - end the threads that no call uses.   ctx_runners_end - end all calls and threads.
 */
void ctx_runners_settle(struct gfmul_ctx *ctx);
void ctx_runners_trim(struct gfmul_ctx *ctx);
void ctx_runners_end(struct gfmul_ctx *ctx);

#endif
