/*
 * ctx_memory.c - the tables and buffers that a context keeps between calls, and the limit on a call's memory.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/try.h"
#include "mul/ctx.h"

enum {
    KEEP_SLACK = 4,         /* idle memory may be a fourth more than what recent calls needed */
    TOUCH_LEAST = 32 << 20, /* a shorter block is written within some ms, so it need not be touched first */
    TOUCH_PART = 16 << 20,
    KEPT_SLACK = 4, /* a block that may outlive the call may be a fourth larger */
    KEPT_LEAST_BYTES =
        1 << 20,          /* shorter blocks come from malloc without new pages, and would push longer ones out of the pool */
    IDLE_BYTES = 4 << 20, /* calls that needed fewer bytes of buffers keep them */
    LIMIT_SLACK = 32      /* under memory_limit a block may be at most 1/32 larger than what the call asked for */
};

enum gfmul_status ctx_memory_check(struct call *call, size_t bytes)
{
    size_t limit = call->ctx->opt.memory_limit, sum;
    if (!size_add(&sum, call->allocated, bytes) || !size_add(&sum, sum, call->reserved))
        return call_fail(call, GFMUL_ERR_MEMORY, "a size overflows");
    if (limit != 0 && sum > limit)
        return call_fail(call, GFMUL_ERR_MEMORY, "%zu bytes are needed, the memory limit is %zu", sum, limit);
    return GFMUL_OK;
}

/* ---- tables ---- */

/* Idle tables are kept up to this many bytes in all; a single plan may be larger. */
static const size_t idle_plan_bytes = (size_t)256 << 20;

/* Tables of one transform in the list of their context.  Plans of all operand sizes that run this transform share them. */
struct plan_entry {
    struct plan_entry *next;
    struct plan *plan; /* owns the tables; its shape is that of the call that made it */
    unsigned refs;     /* calls that use it; guarded by the context's lock */
};

/* entries_destroy - destroy a list of entries.   forget in: true: give their pages back to the system at once */
static void entries_destroy(struct plan_entry *entry, bool forget)
{
    while (entry) {
        struct plan_entry *const next = entry->next;
        if (forget)
            alloc_forget(entry->plan->tables, plan_table_bytes(&entry->plan->shape));
        plan_destroy(entry->plan);
        alloc_free(entry);
        entry = next;
    }
}

/* tables_agree - whether the tables made for one shape serve another. */
static bool tables_agree(const struct plan_shape *s, const struct plan_shape *t)
{
    if (s->field != t->field || s->transform.packing != t->transform.packing || s->transform.odd != t->transform.odd ||
        s->transform.log2_n != t->transform.log2_n || s->transform.n_points != t->transform.n_points ||
        s->bound.fma != t->bound.fma || s->digits.balance_exp != t->digits.balance_exp ||
        s->transform.n_passes != t->transform.n_passes || s->transform.n_rows != t->transform.n_rows ||
        s->transform.row_points != t->transform.row_points || s->transform.row_stride != t->transform.row_stride ||
        s->transform.n_column_passes != t->transform.n_column_passes || s->transform.leaf_short != t->transform.leaf_short)
        return false;
    _Static_assert(sizeof(struct plan_pass) == 4 * sizeof(unsigned) + 2 * sizeof(size_t), "no padding between its members");
    return memcmp(s->transform.pass, t->transform.pass, s->transform.n_passes * sizeof s->transform.pass[0]) == 0;
}

/* plans_find - take a reference to cached tables for this shape; NULL: none.   Needs the lock. */
static struct plan_entry *plans_find(struct gfmul_ctx *ctx, const struct plan_shape *shape)
{
    for (struct plan_entry **at = &ctx->plans; *at; at = &(*at)->next) {
        struct plan_entry *const entry = *at;
        if (tables_agree(&entry->plan->shape, shape)) {
            *at = entry->next;
            entry->next = ctx->plans;
            ctx->plans = entry;
            entry->refs++;
            return entry;
        }
    }
    return NULL;
}

/* plans_evict - move the least recently used idle entry to the list `evicted`; false: none is idle.   Needs the lock. */
static bool plans_evict(struct gfmul_ctx *ctx, struct plan_entry **evicted)
{
    struct plan_entry **last = NULL;
    for (struct plan_entry **at = &ctx->plans; *at; at = &(*at)->next)
        if ((*at)->refs == 0)
            last = at;
    if (!last)
        return false;
    struct plan_entry *const entry = *last;
    *last = entry->next;
    entry->next = *evicted;
    *evicted = entry;
    ctx->n_plans--;
    return true;
}

/* plans_bytes - an upper bound of the bytes that the cached plans hold.   Needs the lock. */
static size_t plans_bytes(const struct gfmul_ctx *ctx)
{
    size_t sum = 0;
    for (const struct plan_entry *entry = ctx->plans; entry; entry = entry->next)
        if (!size_add(&sum, sum, entry->plan->shape.memory_bytes))
            return SIZE_MAX;
    return sum;
}

/*
 * plans_add - cache a new entry, unless another call has cached one for this shape meanwhile; returns the one to use, referenced.
 *
 *   evicted  i/o  a list of entries for the caller to destroy
 * Needs the lock.
 */
static struct plan_entry *plans_add(struct gfmul_ctx *ctx, struct plan_entry *made, struct plan_entry **evicted)
{
    struct plan_entry *const entry = plans_find(ctx, &made->plan->shape);
    if (entry) {
        *evicted = made;
        return entry;
    }
    made->refs = 1;
    made->next = ctx->plans;
    ctx->plans = made;
    ctx->n_plans++;
    while ((ctx->n_plans > CTX_PLANS || plans_bytes(ctx) > idle_plan_bytes) && plans_evict(ctx, evicted))
        continue;
    return made;
}

size_t ctx_plans_bytes(const struct gfmul_ctx *ctx)
{
    size_t sum = 0;
    for (const struct plan_entry *entry = ctx->plans; entry; entry = entry->next)
        sum += plan_table_bytes(&entry->plan->shape);
    return sum;
}

void ctx_plans_trim(struct gfmul_ctx *ctx)
{
    struct plan_entry *evicted = NULL;
    pthread_mutex_lock(&ctx->lock);
    while (plans_evict(ctx, &evicted))
        continue;
    pthread_mutex_unlock(&ctx->lock);
    entries_destroy(evicted, true);
}

/* ---- idle memory ---- */

/*
 * pool_take - the smallest idle block of at least bytes and at most a part more, or NULL.   Needs the lock.
 * A call counts only the bytes that it asked for, so under a memory limit the block may be hardly larger.
 */
static void *pool_take(struct gfmul_ctx *ctx, size_t bytes, size_t part, size_t *block_bytes)
{
    const size_t surplus = bytes / (ctx->opt.memory_limit == 0 ? part : LIMIT_SLACK);
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
    struct idle_buffer dropped[CTX_BUFFERS];
    pthread_mutex_lock(&ctx->lock);
    size_t n = ctx->n_buffers;
    memcpy(dropped, ctx->buffer, n * sizeof dropped[0]);
    ctx->n_buffers = 0;
    ctx->idle_bytes = 0;
    pthread_mutex_unlock(&ctx->lock);
    for (size_t i = 0; i < n; i++) {
        alloc_forget(dropped[i].p, dropped[i].bytes);
        alloc_free(dropped[i].p);
    }
    return n > 0;
}

/* idle_yield - free the context's idle memory if it and `bytes` more, which ctx_memory_check allows, would pass the limit. */
static void idle_yield(struct call *call, size_t bytes)
{
    struct gfmul_ctx *ctx = call->ctx;
    const size_t limit = ctx->opt.memory_limit != 0 ? ctx->opt.memory_limit : memory_usable();
    if (limit == 0)
        return;
    const size_t sum = call->allocated + call->reserved + bytes;
    pthread_mutex_lock(&ctx->lock);
    const size_t kept = ctx->idle_bytes + ctx_plans_bytes(ctx); /* with tables in use: `sum` has only those that are kept */
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

/* memory_find - alloc_aligned.  If there is no memory, idle memory goes back to the system. */
static void *memory_find(struct gfmul_ctx *ctx, size_t bytes)
{
    void *p = alloc_aligned(bytes);
    if (!p && ctx_buffers_trim(ctx))
        p = alloc_aligned(bytes);
    if (!p) {
        idle_trim_all(); /* free what other contexts keep idle */
        p = alloc_aligned(bytes);
    }
    return p;
}

void *ctx_memory_take(struct call *call, size_t bytes, const char *what)
{
    if (ctx_memory_room(call, bytes) != GFMUL_OK)
        return NULL;
    void *const p = memory_find(call->ctx, bytes > 0 ? bytes : 1);
    if (!p && what)
        call_fail(call, GFMUL_ERR_MEMORY, "out of memory for %s", what);
    else if (!p)
        call_fail(call, GFMUL_ERR_MEMORY, "out of memory: %zu bytes", bytes);
    return p;
}

/* ---- for a call ---- */

/* lease_begin - lease an entry with a new reference; NULL: there is none.   Needs the lock. */
static void lease_begin(struct plan_lease *lease, struct plan_entry *entry)
{
    lease->entry = entry;
    lease->first = entry && entry->refs == 1;
}

/* entry_make - make, cache and lease the tables of this shape. */
static enum gfmul_status entry_make(struct call *call, const struct plan_shape *shape, struct plan_lease *lease)
{
    struct gfmul_ctx *ctx = call->ctx;
    TRY(ctx_memory_room(call, plan_table_bytes(shape)));
    struct plan_entry *evicted = NULL, *made = alloc_zeroed(sizeof *made);
    if (!made)
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for a plan");
    void *const tables = memory_find(ctx, plan_table_bytes(shape));
    call_touch(call, tables, plan_table_bytes(shape));
    const enum gfmul_status status = plan_create_in(&made->plan, tables, shape, ctx->ops, call->threads);
    if (status != GFMUL_OK) {
        alloc_free(made);
        return status == GFMUL_ERR_MEMORY ? call_fail(call, status, "out of memory for the tables of a plan") : status;
    }
    pthread_mutex_lock(&ctx->lock);
    lease_begin(lease, plans_add(ctx, made, &evicted));
    pthread_mutex_unlock(&ctx->lock);
    entries_destroy(evicted, false);
    return GFMUL_OK;
}

enum gfmul_status ctx_plan_get(struct call *call, const struct plan_shape *shape, struct plan_lease *lease)
{
    struct gfmul_ctx *ctx = call->ctx;
    pthread_mutex_lock(&ctx->lock);
    lease_begin(lease, plans_find(ctx, shape));
    pthread_mutex_unlock(&ctx->lock);
    if (!lease->entry)
        TRY(entry_make(call, shape, lease));
    lease->plan.shape = *shape; /* which is most of a plan: not copied twice */
    memcpy((char *)&lease->plan + sizeof *shape, (const char *)lease->entry->plan + sizeof *shape,
           sizeof lease->plan - sizeof *shape);
    lease->plan.tables = NULL; /* the entry owns them */
    return GFMUL_OK;
}

void ctx_plan_put(struct gfmul_ctx *ctx, struct plan_lease *lease)
{
    struct plan_entry *evicted = NULL;
    if (!lease->entry)
        return;
    pthread_mutex_lock(&ctx->lock);
    lease->entry->refs--;
    if (ctx->n_plans > CTX_PLANS)
        plans_evict(ctx, &evicted);
    pthread_mutex_unlock(&ctx->lock);
    entries_destroy(evicted, false);
    lease->entry = NULL;
}

/* block_take - a block of the pool, at most 1 / part larger, or a new one.   Errors: MEMORY. */
static enum gfmul_status block_take(struct call *call, size_t bytes, size_t part, struct idle_buffer *block)
{
    struct gfmul_ctx *ctx = call->ctx;
    *block = (struct idle_buffer){.bytes = bytes};
    TRY(ctx_memory_check(call, bytes));
    pthread_mutex_lock(&ctx->lock);
    block->p = pool_take(ctx, bytes, part, &block->bytes);
    pthread_mutex_unlock(&ctx->lock);
    if (!block->p) {
        idle_yield(call, bytes); /* only now, because a block of the pool would be no growth */
        block->p = memory_find(ctx, bytes);
    }
    return block->p ? GFMUL_OK : call_fail(call, GFMUL_ERR_MEMORY, "out of memory: %zu bytes", bytes);
}

/* peak_note - note what the call holds now, with the blocks that it keeps. */
static void peak_note(struct call *call)
{
    const size_t kept = atomic_load_explicit(&call->ctx->kept_bytes, memory_order_relaxed);
    const size_t held = call->allocated + (kept > call->kept_before ? kept - call->kept_before : 0);
    if (held > call->peak)
        call->peak = held;
}

enum gfmul_status ctx_buffer_get(struct call *call, size_t bytes, void **p)
{
    struct idle_buffer block;
    size_t i = 0;

    *p = NULL;
    while (i < CALL_BUFFERS && call->held[i].p)
        i++;
    if (i == CALL_BUFFERS)
        return call_fail(call, GFMUL_ERR_INTERNAL, "a call holds too many buffers");
    TRY(block_take(call, bytes, 1, &block));
    *p = call->held[i].p = block.p;
    call->held[i].bytes = bytes;
    call->held[i].block_bytes = block.bytes;
    call->allocated += bytes;
    peak_note(call);
    call_touch(call, *p, bytes);
    return GFMUL_OK;
}

struct touch {
    struct stage_monitor *monitor;
    char *p;
};

static void parts_touch(void *arg, unsigned t, size_t first, size_t end)
{
    const struct touch *const w = arg;
    (void)t;
    for (size_t at = first; at < end; at += TOUCH_PART) {
        if (!stage_part(w->monitor, 0))
            continue;
        memory_touch(w->p + at, end - at < TOUCH_PART ? end - at : TOUCH_PART);
        stage_part_end(w->monitor);
    }
}

void call_touch(struct call *call, void *p, size_t bytes)
{
    struct stage_monitor *const monitor = call->monitor;
    if (!p || !monitor || bytes < TOUCH_LEAST)
        return;
    parallel_for(call->threads, bytes, TOUCH_PART, parts_touch, &(struct touch){monitor, p});
}

/* block_give - give a block to the pool, which drops those that were not used for longest if they are too many. */
static void block_give(struct gfmul_ctx *ctx, const struct idle_buffer *block, size_t peak)
{
    void *surplus[CTX_BUFFERS + 1];
    size_t n_surplus = 0;

    pthread_mutex_lock(&ctx->lock);
    if (ctx->keep_bytes < peak)
        ctx->keep_bytes = peak;
    memmove(ctx->buffer + 1, ctx->buffer, ctx->n_buffers * sizeof ctx->buffer[0]);
    ctx->buffer[0] = *block;
    ctx->n_buffers++;
    ctx->idle_bytes += block->bytes;
    /* Each call under way will need as much again.  The slack is for two reasons: blocks may be larger than what was asked for,
       and keep_bytes falls a little during shorter calls between the longest ones */
    size_t keep, calls = atomic_load_explicit(&ctx->n_calls, memory_order_relaxed);
    if (!size_mul(&keep, ctx->keep_bytes, calls) || !size_add(&keep, keep, keep / KEEP_SLACK))
        keep = SIZE_MAX;
    while (ctx->n_buffers > CTX_BUFFERS || (ctx->idle_bytes > keep && ctx->n_buffers > 1)) {
        surplus[n_surplus++] = ctx->buffer[--ctx->n_buffers].p;
        ctx->idle_bytes -= ctx->buffer[ctx->n_buffers].bytes;
    }
    pthread_mutex_unlock(&ctx->lock);
    while (n_surplus > 0)
        alloc_free(surplus[--n_surplus]);
}

void ctx_buffer_put(struct call *call, void *p)
{
    size_t i = 0;

    if (!p)
        return;
    while (i < CALL_BUFFERS && call->held[i].p != p)
        i++;
    if (i == CALL_BUFFERS)
        return; /* the buffer is not this call's */
    const struct idle_buffer block = {p, call->held[i].block_bytes};
    call->allocated -= call->held[i].bytes;
    call->held[i].p = NULL;
    block_give(call->ctx, &block, call->peak);
}

enum gfmul_status ctx_block_keep(struct call *call, size_t bytes, struct idle_buffer *block)
{
    TRY(block_take(call, bytes, KEPT_SLACK, block));
    atomic_fetch_add_explicit(&call->ctx->kept_bytes, block->bytes, memory_order_relaxed);
    peak_note(call);
    return GFMUL_OK;
}

void ctx_idle_note(struct gfmul_ctx *ctx, size_t peak_bytes)
{
    if (peak_bytes >= IDLE_BYTES)
        idle_note(&ctx->idle);
}

void ctx_block_end(struct gfmul_ctx *ctx, struct idle_buffer *block)
{
    if (!block->p)
        return;
    atomic_fetch_sub_explicit(&ctx->kept_bytes, block->bytes, memory_order_relaxed);
    if (block->bytes < KEPT_LEAST_BYTES || atomic_load_explicit(&ctx->n_calls, memory_order_relaxed) == 0) {
        alloc_free(block->p);
    } else {
        block_give(ctx, block, 0);
        ctx_idle_note(ctx, block->bytes); /* the call under way may be too short to note it */
    }
    block->p = NULL;
}
