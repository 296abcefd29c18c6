/*
 * ctx_plans.c - the sizes and plans that a context remembers.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "mul/ctx.h"

/* Cached tables that no call uses are kept up to this many bytes, or up to the largest plan alone. */
static const size_t idle_plan_bytes = (size_t)256 << 20;

/* Tables of one transform, shared by the plans of all operand sizes that run it. */
struct plan_entry {
    struct plan *plan; /* owns the tables; its shape is that of the call that made it */
    unsigned refs;     /* calls that use it; guarded by the context's lock */
    bool cached;       /* in ctx->plans; if not, the last user destroys it */
};

/* What a call gets: a plan with its own shape over the tables of an entry. */
struct plan_lease {
    struct plan plan; /* first: ctx_plan_put finds the lease by it */
    struct plan_entry *entry;
};

static void entry_destroy(struct plan_entry *entry)
{
    if (!entry)
        return;
    plan_destroy(entry->plan);
    alloc_free(entry);
}

/* memory_left - what this machine has beside its system, the operands and the product; false where that is not known. */
static bool memory_left(size_t *bytes, unsigned base, size_t an, size_t bn)
{
    const size_t all = memory_physical(), both = an / 8 + bn / 8, numbers = 2 * (base == 2 ? both : 8 * both);
    *bytes = 0;
    if (all == 0)
        return false;
    *bytes = all - all / 16 > numbers ? all - all / 16 - numbers : 1;
    return true;
}

void ctx_plan_request(const struct call *call, struct plan_request *request, unsigned base, size_t an, size_t bn, bool square)
{
    const struct gfmul_ctx *ctx = call->ctx;
    memset(request, 0, sizeof *request);
    request->rule = ctx->opt.rule;
    request->packing = ctx->opt.packing;
    request->precision = ctx->opt.precision;
    request->full_precision = ctx->opt.full_precision != 0;
    request->base = base;
    request->an = an;
    request->bn = bn;
    request->square = square;
    request->worst_case = false;
    request->fma = ctx->ops->fma;
    request->max_radix = ctx->ops->max_radix;
    request->isa = ctx->ops->isa_bit;
    if (ctx->opt.memory_limit != 0) { /* what the call does not hold yet */
        const size_t held = call->allocated + call->reserved;
        request->memory_limit = ctx->opt.memory_limit > held ? ctx->opt.memory_limit - held : 1;
    }
    request->threads = call->threads;
    /* what the low limbs' product takes is known about, not exactly: a limit of the caller's is kept without it */
    request->wrap = base == 2 && !call->low_limbs && ctx->opt.memory_limit == 0 ? ctx->wrap : PLAN_WRAP_NEVER;
    if (request->memory_limit == 0)
        request->limit_physical = memory_left(&request->memory_limit, base, an, bn);
}

enum gfmul_status ctx_plan_size(struct call *call, const struct plan_request *request, struct plan_shape *shape)
{
    struct gfmul_ctx *ctx = call->ctx;
    bool found = false;

    pthread_mutex_lock(&ctx->lock);
    for (unsigned i = 0; i < CTX_SHAPES && i < ctx->n_shapes && !found; i++) {
        found = memcmp(&ctx->shapes[i].request, request, sizeof *request) == 0; /* ctx_plan_request clears the padding */
        if (found)
            *shape = ctx->shapes[i].shape;
    }
    pthread_mutex_unlock(&ctx->lock);
    if (found)
        return GFMUL_OK;

    char detail[sizeof call->report.detail];
    enum gfmul_status status = plan_size(shape, request, detail, sizeof detail);
    if (status != GFMUL_OK) {
        call_detail(call, "%s", detail); /* else the report keeps what it said: why no device makes the product, say */
    } else {
        pthread_mutex_lock(&ctx->lock);
        const unsigned i = ctx->n_shapes % CTX_SHAPES;
        ctx->n_shapes = ctx->n_shapes + 1 < 2 * CTX_SHAPES ? ctx->n_shapes + 1 : CTX_SHAPES;
        memcpy(&ctx->shapes[i].request, request, sizeof *request);
        ctx->shapes[i].shape = *shape;
        pthread_mutex_unlock(&ctx->lock);
    }
    return status;
}

/* tables_agree - whether the tables made for one shape serve another. */
static bool tables_agree(const struct plan_shape *s, const struct plan_shape *t)
{
    if (s->precision != t->precision || s->transform.packing != t->transform.packing || s->transform.odd != t->transform.odd ||
        s->transform.log2_n != t->transform.log2_n || s->transform.n_points != t->transform.n_points ||
        s->bound.fma != t->bound.fma || s->digits.balance_exp != t->digits.balance_exp ||
        s->transform.n_passes != t->transform.n_passes || s->transform.n_rows != t->transform.n_rows ||
        s->transform.row_points != t->transform.row_points || s->transform.row_stride != t->transform.row_stride ||
        s->transform.n_column_passes != t->transform.n_column_passes || s->transform.leaf_short != t->transform.leaf_short)
        return false;
    for (unsigned i = 0; i < s->transform.n_passes; i++) {
        const struct plan_pass *p = &s->transform.pass[i], *q = &t->transform.pass[i];
        if (p->radix != q->radix || p->levels != q->levels || p->depth != q->depth || p->n_nodes != q->n_nodes ||
            p->node_points != q->node_points)
            return false;
    }
    return true;
}

/* plans_front - put an entry at the front of the list, places 0 .. i moving up by one.   Needs the lock. */
static void plans_front(struct gfmul_ctx *ctx, size_t i, struct plan_entry *entry)
{
    memmove(ctx->plans + 1, ctx->plans, i * sizeof ctx->plans[0]);
    ctx->plans[0] = entry;
}

/* plans_find - take a reference to cached tables of this shape, or NULL.   Needs the lock. */
static struct plan_entry *plans_find(struct gfmul_ctx *ctx, const struct plan_shape *shape)
{
    for (size_t i = 0; i < CTX_PLANS && ctx->plans[i]; i++) {
        struct plan_entry *entry = ctx->plans[i];
        if (tables_agree(&entry->plan->shape, shape)) {
            plans_front(ctx, i, entry);
            entry->refs++;
            return entry;
        }
    }
    return NULL;
}

/* plans_remove - take place i out of the list.   Needs the lock. */
static struct plan_entry *plans_remove(struct gfmul_ctx *ctx, size_t i)
{
    struct plan_entry *entry = ctx->plans[i];
    memmove(ctx->plans + i, ctx->plans + i + 1, (CTX_PLANS - 1 - i) * sizeof ctx->plans[0]);
    ctx->plans[CTX_PLANS - 1] = NULL;
    entry->cached = false;
    return entry;
}

/* plans_evict - take the least recently used entry that is idle out of the list, or NULL.   Needs the lock. */
static struct plan_entry *plans_evict(struct gfmul_ctx *ctx)
{
    for (size_t i = CTX_PLANS; i-- > 0;) {
        if (ctx->plans[i] && ctx->plans[i]->refs == 0)
            return plans_remove(ctx, i);
    }
    return NULL;
}

/* plans_bytes - what the cached plans hold at most.   Needs the lock. */
static size_t plans_bytes(const struct gfmul_ctx *ctx)
{
    size_t sum = 0;
    for (size_t i = 0; i < CTX_PLANS && ctx->plans[i]; i++) {
        if (!size_add(&sum, sum, ctx->plans[i]->plan->shape.memory_bytes))
            return SIZE_MAX;
    }
    return sum;
}

/*
 * plans_add - cache an entry that has just been made, unless another call was faster: the entry to use, with a reference.
 *
 *   evicted  out  what is to be destroyed, at most CTX_PLANS entries; *n how many
 * Needs the lock.
 */
static struct plan_entry *plans_add(struct gfmul_ctx *ctx, struct plan_entry *made, struct plan_entry **evicted, size_t *n)
{
    struct plan_entry *entry = plans_find(ctx, &made->plan->shape);
    size_t room = 0;
    *n = 0;
    if (entry) {
        evicted[(*n)++] = made;
        return entry;
    }
    made->refs = 1;
    while (room < CTX_PLANS && ctx->plans[room])
        room++;
    if (room == CTX_PLANS && (evicted[*n] = plans_evict(ctx)) != NULL) {
        ++*n;
        room--;
    }
    if (room < CTX_PLANS) {
        plans_front(ctx, room, made);
        made->cached = true;
    }
    while (*n < CTX_PLANS && plans_bytes(ctx) > idle_plan_bytes && (evicted[*n] = plans_evict(ctx)) != NULL)
        ++*n;
    return made;
}

size_t ctx_plans_bytes(const struct gfmul_ctx *ctx)
{
    size_t sum = 0;
    for (size_t i = 0; i < CTX_PLANS && ctx->plans[i]; i++)
        sum += plan_table_bytes(&ctx->plans[i]->plan->shape);
    return sum;
}

/* entry_make - tables of this shape, made now. */
static enum gfmul_status entry_make(struct call *call, const struct plan_shape *shape, struct plan_entry **entry)
{
    struct gfmul_ctx *ctx = call->ctx;
    struct plan_entry *evicted[CTX_PLANS], *made;
    size_t n;
    enum gfmul_status status = ctx_memory_room(call, plan_table_bytes(shape));
    if (status != GFMUL_OK)
        return status;
    made = alloc_aligned(sizeof *made);
    if (!made) {
        call_detail(call, "out of memory for a plan");
        return GFMUL_ERR_MEMORY;
    }
    memset(made, 0, sizeof *made);
    status = plan_create(&made->plan, shape, ctx->ops, call->threads);
    if (status != GFMUL_OK) {
        if (status == GFMUL_ERR_MEMORY)
            call_detail(call, "out of memory for the tables of a plan");
        alloc_free(made);
        return status;
    }
    pthread_mutex_lock(&ctx->lock);
    *entry = plans_add(ctx, made, evicted, &n);
    pthread_mutex_unlock(&ctx->lock);
    while (n > 0)
        entry_destroy(evicted[--n]);
    return GFMUL_OK;
}

enum gfmul_status ctx_plan_get(struct call *call, const struct plan_shape *shape, const struct plan **plan)
{
    struct gfmul_ctx *ctx = call->ctx;

    *plan = NULL;
    pthread_mutex_lock(&ctx->lock);
    struct plan_lease *lease = ctx->idle_lease;
    ctx->idle_lease = NULL;
    pthread_mutex_unlock(&ctx->lock);
    if (!lease && !(lease = alloc_aligned(sizeof *lease))) {
        call_detail(call, "out of memory for a plan");
        return GFMUL_ERR_MEMORY;
    }
    pthread_mutex_lock(&ctx->lock);
    struct plan_entry *entry = plans_find(ctx, shape);
    pthread_mutex_unlock(&ctx->lock);
    const enum gfmul_status status = entry ? GFMUL_OK : entry_make(call, shape, &entry);
    if (status != GFMUL_OK) {
        alloc_free(lease);
        return status;
    }
    lease->plan = *entry->plan;
    lease->plan.shape = *shape;
    lease->plan.tables = NULL; /* the entry's own */
    lease->entry = entry;
    *plan = &lease->plan;
    return GFMUL_OK;
}

void ctx_plan_put(struct gfmul_ctx *ctx, const struct plan *plan)
{
    if (!plan)
        return;
    struct plan_lease *lease = (struct plan_lease *)(uintptr_t)plan; /* const only for the borrower */
    struct plan_entry *entry = lease->entry;
    pthread_mutex_lock(&ctx->lock);
    bool last = --entry->refs == 0 && !entry->cached;
    if (!ctx->idle_lease) {
        ctx->idle_lease = lease;
        lease = NULL;
    }
    pthread_mutex_unlock(&ctx->lock);
    if (last)
        entry_destroy(entry);
    alloc_free(lease);
}

void ctx_plans_trim(struct gfmul_ctx *ctx)
{
    struct plan_entry *evicted[CTX_PLANS];
    size_t n = 0;
    pthread_mutex_lock(&ctx->lock);
    struct plan_lease *lease = ctx->idle_lease;
    ctx->idle_lease = NULL;
    while (n < CTX_PLANS && (evicted[n] = plans_evict(ctx)) != NULL)
        n++;
    pthread_mutex_unlock(&ctx->lock);
    alloc_free(lease);
    while (n > 0)
        entry_destroy(evicted[--n]);
}
