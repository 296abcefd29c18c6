/*
 * ctx_idle.c - lend the memory that long products leave in a context to the system, once no product has come for a while.
 *
 * The system takes lent memory only if it needs some; otherwise the next product finds its pages again.  If the memory were
 * freed, the next product would have to touch all pages again, which takes longer than the product itself on some hosts.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/alloc.h"
#include "mul/call_run.h"

enum {
    TABLE_BYTES = 1 << 20, /* tables of at least so many bytes are freed with the buffers */
    LEND_SHARE = 4         /* buffers beyond 1/4 of the machine's memory are freed, not lent */
};

/* lend - let the system take the idle buffers if it needs them; false: they have to be freed instead. */
static bool lend(struct gfmul_ctx *ctx)
{
    const size_t usable = memory_usable();
    pthread_mutex_lock(&ctx->lock); /* no call takes a buffer meanwhile */
    bool lent = usable == 0 || (ctx->idle_bytes <= usable / LEND_SHARE && ctx_plans_bytes(ctx) <= usable / IDLE_TABLE_SHARE);
    for (size_t i = 0; i < ctx->n_buffers && lent; i++)
        lent = alloc_lend(ctx->buffer[i].p, ctx->buffer[i].bytes);
    ctx->lent = lent;
    pthread_mutex_unlock(&ctx->lock);
    return lent;
}

void ctx_idle_look(struct gfmul_ctx *ctx)
{
    size_t taken = 0;
    if (!ctx->lent)
        return;
    ctx->lent = false;
    for (size_t i = 0; i < ctx->n_buffers; i++)
        if (alloc_was_taken(ctx->buffer[i].p, ctx->buffer[i].bytes))
            taken += ctx->buffer[i].bytes;
    if (taken > ctx->idle_bytes / 2)
        ctx->keep_bytes = 0;
}

enum idle_left ctx_idle_give(struct idle *idle, bool wholly)
{
    struct gfmul_ctx *ctx = (void *)((char *)idle - offsetof(struct gfmul_ctx, idle)); /* aligned as its context is */
    if (atomic_load(&ctx->n_calls) > 0)
        return IDLE_IN_USE;
    ctx_runners_trim(ctx);
    if (!wholly && lend(ctx))
        return IDLE_LENT;
    pthread_mutex_lock(&ctx->lock);
    const size_t tables = ctx_plans_bytes(ctx);
    ctx->keep_bytes = 0; /* the next product is cold */
    ctx->lent = false;
    pthread_mutex_unlock(&ctx->lock);
    ctx_buffers_trim(ctx);
    if (tables >= TABLE_BYTES)
        ctx_plans_trim(ctx);
    return IDLE_GONE;
}
