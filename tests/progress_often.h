/* progress_often.h - contexts whose progress callback is told of each part of a product, of any size. */
#ifndef GFMUL_PROGRESS_OFTEN_H
#define GFMUL_PROGRESS_OFTEN_H

#include <stdlib.h>

#include "mul/ctx.h"
#include "contexts.h"
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
    struct gfmul_ctx *ctx = TEST_CTX(.engine = GFMUL_ENGINE_CPU, .threads = threads, .progress = progress, .progress_arg = arg);
    progress_often(ctx);
    return ctx;
}

#endif
