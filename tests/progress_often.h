/* progress_often.h - contexts whose progress callback is told of each part of a product, of any size. */
#ifndef GFMUL_PROGRESS_OFTEN_H
#define GFMUL_PROGRESS_OFTEN_H

#include "mul/ctx.h"

/* progress_often - before the first call. */
static inline void progress_often(struct gfmul_ctx *ctx)
{
    ctx->apart_limbs = 1;
    ctx->tell_ns = 0;
}

#endif
