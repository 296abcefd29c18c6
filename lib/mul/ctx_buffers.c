/*
 * ctx_buffers.c - the buffer pool of a context, and the limit on a call's memory.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "base/alloc.h"
#include "mul/ctx.h"

enum {
    KEEP_SLACK = 4,  /* idle memory may be a fourth more than what recent calls needed */
    LIMIT_SLACK = 32 /* .. and blocks a part of this larger than what a call under a limit asked for */
};

enum gfmul_status ctx_memory_check(struct call *call, size_t bytes)
{
    size_t limit = call->ctx->opt.memory_limit, sum;
    if (!size_add(&sum, call->allocated, bytes) || !size_add(&sum, sum, call->reserved)) {
        call_detail(call, "a size overflows");
        return GFMUL_ERR_MEMORY;
    }
    if (limit != 0 && sum > limit) {
        call_detail(call, "%zu bytes are needed, the memory limit is %zu", sum, limit);
        return GFMUL_ERR_MEMORY;
    }
    return GFMUL_OK;
}

/* idle_yield - let go what the context keeps idle where it and bytes more, which ctx_memory_check allows, would be too much. */
static void idle_yield(struct call *call, size_t bytes)
{
    struct gfmul_ctx *ctx = call->ctx;
    const size_t limit = ctx->opt.memory_limit != 0 ? ctx->opt.memory_limit : memory_physical();
    if (limit == 0)
        return;
    const size_t sum = call->allocated + call->reserved + bytes;
    pthread_mutex_lock(&ctx->lock);
    const size_t kept = ctx->idle_bytes + ctx_plans_bytes(ctx); /* tables in use are no part of the sum */
    pthread_mutex_unlock(&ctx->lock);
    if (sum > limit || kept > limit - sum) {
        ctx_buffers_trim(ctx);
        ctx_plans_trim(ctx);
    }
}

enum gfmul_status ctx_memory_room(struct call *call, size_t bytes)
{
    const enum gfmul_status status = ctx_memory_check(call, bytes);
    if (status == GFMUL_OK)
        idle_yield(call, bytes);
    return status;
}

/*
 * pool_take - the smallest idle block of at least bytes and at most twice that, or NULL.   Needs the lock.
 * Calls count what they asked for: under a limit the block may be hardly larger.
 */
static void *pool_take(struct gfmul_ctx *ctx, size_t bytes, size_t *block_bytes)
{
    const size_t surplus = ctx->opt.memory_limit == 0 ? bytes : bytes / LIMIT_SLACK;
    size_t best = CTX_BUFFERS;
    for (size_t i = 0; i < ctx->n_buffers; i++) {
        size_t have = ctx->buffer[i].bytes;
        if (have >= bytes && have - bytes <= surplus && (best == CTX_BUFFERS || have < ctx->buffer[best].bytes))
            best = i;
    }
    if (best == CTX_BUFFERS)
        return NULL;
    void *p = ctx->buffer[best].p;
    *block_bytes = ctx->buffer[best].bytes;
    ctx->idle_bytes -= *block_bytes;
    ctx->n_buffers--;
    memmove(ctx->buffer + best, ctx->buffer + best + 1, (ctx->n_buffers - best) * sizeof ctx->buffer[0]);
    return p;
}

bool ctx_buffers_trim(struct gfmul_ctx *ctx)
{
    void *dropped[CTX_BUFFERS];
    pthread_mutex_lock(&ctx->lock);
    size_t n = ctx->n_buffers;
    for (size_t i = 0; i < n; i++)
        dropped[i] = ctx->buffer[i].p;
    ctx->n_buffers = 0;
    ctx->idle_bytes = 0;
    pthread_mutex_unlock(&ctx->lock);
    for (size_t i = 0; i < n; i++)
        alloc_free(dropped[i]);
    return n > 0;
}

enum gfmul_status ctx_buffer_get(struct call *call, size_t bytes, void **p)
{
    struct gfmul_ctx *ctx = call->ctx;
    size_t i = 0, block_bytes = bytes;

    *p = NULL;
    while (i < CALL_BUFFERS && call->held[i].p)
        i++;
    if (i == CALL_BUFFERS) {
        call_detail(call, "a call holds too many buffers");
        return GFMUL_ERR_INTERNAL;
    }
    enum gfmul_status status = ctx_memory_check(call, bytes);
    if (status != GFMUL_OK)
        return status;

    pthread_mutex_lock(&ctx->lock);
    *p = pool_take(ctx, bytes, &block_bytes);
    pthread_mutex_unlock(&ctx->lock);
    if (!*p) {
        idle_yield(call, bytes); /* not where the pool has it: that is no growth */
        *p = alloc_aligned(bytes);
    }
    if (!*p && ctx_buffers_trim(ctx))
        *p = alloc_aligned(bytes);
    if (!*p) {
        call_detail(call, "out of memory: %zu bytes", bytes);
        return GFMUL_ERR_MEMORY;
    }
    call->held[i].p = *p;
    call->held[i].bytes = bytes;
    call->held[i].block_bytes = block_bytes;
    call->allocated += bytes;
    if (call->allocated > call->peak)
        call->peak = call->allocated;
    return GFMUL_OK;
}

void ctx_buffer_put(struct call *call, void *p)
{
    struct gfmul_ctx *ctx = call->ctx;
    void *surplus[CTX_BUFFERS + 1];
    size_t n_surplus = 0, i = 0;

    if (!p)
        return;
    while (i < CALL_BUFFERS && call->held[i].p != p)
        i++;
    if (i == CALL_BUFFERS)
        return; /* not this call's */
    size_t block_bytes = call->held[i].block_bytes;
    call->allocated -= call->held[i].bytes;
    call->held[i].p = NULL;

    pthread_mutex_lock(&ctx->lock);
    if (ctx->keep_bytes < call->peak)
        ctx->keep_bytes = call->peak;
    if (ctx->n_buffers == CTX_BUFFERS) {
        surplus[n_surplus++] = ctx->buffer[--ctx->n_buffers].p;
        ctx->idle_bytes -= ctx->buffer[ctx->n_buffers].bytes;
    }
    memmove(ctx->buffer + 1, ctx->buffer, ctx->n_buffers * sizeof ctx->buffer[0]);
    ctx->buffer[0].p = p;
    ctx->buffer[0].bytes = block_bytes;
    ctx->n_buffers++;
    ctx->idle_bytes += block_bytes;
    /* each call under way will come back for as much; blocks may be larger than what was asked for, and calls of several lengths
       in turns let keep_bytes fall between those of the longest */
    size_t keep, calls = atomic_load_explicit(&ctx->n_calls, memory_order_relaxed);
    if (!size_mul(&keep, ctx->keep_bytes, calls) || !size_add(&keep, keep, keep / KEEP_SLACK))
        keep = SIZE_MAX;
    while (ctx->idle_bytes > keep && ctx->n_buffers > 1) {
        surplus[n_surplus++] = ctx->buffer[--ctx->n_buffers].p;
        ctx->idle_bytes -= ctx->buffer[ctx->n_buffers].bytes;
    }
    pthread_mutex_unlock(&ctx->lock);
    while (n_surplus > 0)
        alloc_free(surplus[--n_surplus]);
}
