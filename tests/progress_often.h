/* progress_often.h - contexts whose progress callback is told of each part of a product, of any size. */
#ifndef GFMUL_PROGRESS_OFTEN_H
#define GFMUL_PROGRESS_OFTEN_H

#include <stdlib.h>

#include "mul/ctx.h"
#include "test.h"

/* progress_often - before the first call. */
static inline void progress_often(struct gfmul_ctx *ctx)
{
    ctx->apart_limbs = 1;
    ctx->tell_ns = 0;
}

/* ctx_told - such a context of the CPU; threads: 0: as many as there are.   progress: of the options, with its argument. */
TEST_UNUSED static struct gfmul_ctx *ctx_told(unsigned threads, int (*progress)(void *, double), void *arg)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    gfmul_options_init(&opt);
    opt.engine = GFMUL_ENGINE_CPU;
    opt.threads = threads;
    opt.progress = progress;
    opt.progress_arg = arg;
    if (!TEST_OK(gfmul_ctx_create(&ctx, &opt)))
        exit(1);
    progress_often(ctx);
    return ctx;
}

#endif
