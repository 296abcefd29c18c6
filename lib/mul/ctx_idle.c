/*
 * ctx_idle.c - what long products leave in a context is lent to the system when no other one has come for a while.
 *
 * The system then takes the memory if it needs some.  If it does not, the next product finds its pages: giving them back would
 * have it touch all of them again, which takes longer than the product itself on some hosts.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/alloc.h"
#include "mul/call_run.h"

enum {
    IDLE_BYTES = 4 << 20, /* of buffers: calls that needed less leave them */
    TABLE_BYTES = 1 << 20, /* tables of so many bytes go back with the buffers */
    LEND_SHARE = 4,        /* of the machine's memory: more is given back, not lent */
    TABLE_SHARE = 256      /* likewise; tables cannot be lent, since they are read later */
};

/* lend - let the system have the idle buffers if it needs them; false: they are to be given back. */
static bool lend(struct gfmul_ctx *ctx)
{
    const size_t usable = memory_usable();
    pthread_mutex_lock(&ctx->lock); /* no call takes a buffer meanwhile */
    bool lent = usable == 0 || (ctx->idle_bytes <= usable / LEND_SHARE && ctx_plans_bytes(ctx) <= usable / TABLE_SHARE);
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

void ctx_idle_note(struct gfmul_ctx *ctx, size_t peak_bytes)
{
    if (peak_bytes >= IDLE_BYTES)
        idle_note(&ctx->idle);
}
