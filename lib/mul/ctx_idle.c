/*
 * ctx_idle.c - what long products leave in a context goes back to the system when no other one has come for a while.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/call_run.h"

enum {
    IDLE_BYTES = 4 << 20, /* of buffers: calls that needed less leave them */
    TABLE_BYTES = 1 << 20 /* tables of so many bytes go as well */
};

bool ctx_idle_trim(struct idle *idle)
{
    struct gfmul_ctx *ctx = (void *)((char *)idle - offsetof(struct gfmul_ctx, idle)); /* aligned as its context is */
    if (atomic_load(&ctx->n_calls) > 0)
        return false;
    pthread_mutex_lock(&ctx->lock);
    const size_t tables = ctx_plans_bytes(ctx);
    ctx->keep_bytes = 0; /* the next product is cold */
    pthread_mutex_unlock(&ctx->lock);
    ctx_runners_trim(ctx);
    ctx_buffers_trim(ctx);
    if (tables >= TABLE_BYTES)
        ctx_plans_trim(ctx);
    return true;
}

void ctx_idle_note(struct gfmul_ctx *ctx, size_t peak_bytes)
{
    if (peak_bytes >= IDLE_BYTES)
        idle_note(&ctx->idle);
}
