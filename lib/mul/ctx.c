/*
 * ctx.c - contexts: options, the default context, plan cache, buffer pool, reports.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include "mul/ctx.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/random.h"
#include "base/threads.h"
#ifdef GFMUL_MIN_THRESHOLDS
#include "plan/thresholds/minimal.h"
#else
#include "plan/thresholds/default.h"
#endif

enum { MAX_THREADS = 1024 };

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

void gfmul_options_init(struct gfmul_options *opt)
{
    if (!opt)
        return;
    memset(opt, 0, sizeof *opt);
    opt->struct_bytes = sizeof *opt;
}

int gfmul_has_engine(enum gfmul_engine engine)
{
    switch (engine) {
    case GFMUL_ENGINE_AUTO:
    case GFMUL_ENGINE_CPU:
    case GFMUL_ENGINE_GMP:
        return 1;
    case GFMUL_ENGINE_FFTW:
        return mul_fftw_built();
    case GFMUL_ENGINE_OPENCL:
        return 0;
    }
    return 0;
}

/* in_range - enumerators may be of a signed or an unsigned type. */
static bool in_range(int value, int last)
{
    return value >= 0 && value <= last;
}

/* options_check - values that exist at all (else ARGUMENT), then those of this build, then the device. */
static enum gfmul_status options_check(const struct gfmul_options *opt)
{
    if (!in_range((int)opt->engine, GFMUL_ENGINE_GMP) || !in_range((int)opt->rule, GFMUL_RULE_CHECKED) ||
        !in_range((int)opt->precision, GFMUL_PRECISION_DD) || !in_range((int)opt->packing, GFMUL_PACKING_RIGHT_ANGLE) ||
        !in_range((int)opt->verify, GFMUL_VERIFY_NONE) || opt->threads > MAX_THREADS)
        return GFMUL_ERR_ARGUMENT;
    if (!gfmul_has_engine(opt->engine) || opt->rule == GFMUL_RULE_CHECKED || opt->precision == GFMUL_PRECISION_FLOAT ||
        opt->precision == GFMUL_PRECISION_DD)
        return GFMUL_ERR_UNSUPPORTED;
    if (opt->device && strcmp(opt->device, "auto") != 0 && strcmp(opt->device, "cpu") != 0)
        return GFMUL_ERR_DEVICE;
    return GFMUL_OK;
}

/* options_copy - a caller built against a shorter structure leaves the fields that it does not know at their defaults. */
static enum gfmul_status options_copy(struct gfmul_options *to, const struct gfmul_options *from)
{
    const size_t first_version = offsetof(struct gfmul_options, progress_arg) + sizeof from->progress_arg;
    gfmul_options_init(to);
    if (!from)
        return GFMUL_OK;
    if (from->struct_bytes < first_version || from->struct_bytes > sizeof *from)
        return GFMUL_ERR_ARGUMENT;
    memcpy(to, from, from->struct_bytes);
    to->struct_bytes = sizeof *to;
    return GFMUL_OK;
}

static const char *environment(const char *name)
{
#ifdef __GLIBC__
    return secure_getenv(name);
#else
    return getenv(name);
#endif
}

/* Where products become GMP's: never for an engine that was named, nor where a rule was asked for that GMP does not have. */
static void crossover_set(struct gfmul_ctx *ctx)
{
    ctx->gmp_mul_limbs = ctx->gmp_sqr_limbs = ctx->gmp_text_digits = 0;
    if (ctx->opt.engine == GFMUL_ENGINE_GMP) {
        ctx->gmp_mul_limbs = ctx->gmp_sqr_limbs = ctx->gmp_text_digits = SIZE_MAX;
    } else if (ctx->opt.engine == GFMUL_ENGINE_AUTO && ctx->opt.rule == GFMUL_RULE_NORM) {
        ctx->gmp_mul_limbs = MUL_GMP_MAX_LIMBS;
        ctx->gmp_sqr_limbs = SQR_GMP_MAX_LIMBS;
        ctx->gmp_text_digits = TEXT_GMP_MAX_DIGITS;
    } else if (ctx->opt.engine == GFMUL_ENGINE_FFTW) {
        ctx->gmp_text_digits = SIZE_MAX;
    }
    size_t least = ctx->gmp_mul_limbs < ctx->gmp_sqr_limbs ? ctx->gmp_mul_limbs : ctx->gmp_sqr_limbs;
    for (ctx->gmp_short_limbs = 1; ctx->gmp_short_limbs <= least / 2 && ctx->gmp_short_limbs < UNREPORTED_LIMBS;)
        ctx->gmp_short_limbs *= 2;
}

void ctx_gmp_info(struct gfmul_plan_info *info)
{
    memset(info, 0, sizeof *info);
    info->engine = "gmp";
    info->isa = "";
    info->device = "cpu";
    info->rule = info->precision = info->packing = "";
    info->threads = 1;
    info->n_slices = 1;
}

static void report_init(struct gfmul_report *report)
{
    memset(report, 0, sizeof *report);
    report->error_operand = -1;
    ctx_gmp_info(&report->plan);
}

enum gfmul_status gfmul_ctx_create(struct gfmul_ctx **result, const struct gfmul_options *opt)
{
    struct gfmul_options options;
    struct gfmul_ctx *ctx;
    enum gfmul_status status;

    if (!result)
        return GFMUL_ERR_ARGUMENT;
    *result = NULL;
    if ((status = options_copy(&options, opt)) != GFMUL_OK || (status = options_check(&options)) != GFMUL_OK)
        return status;

    ctx = alloc_aligned(sizeof *ctx);
    if (!ctx)
        return GFMUL_ERR_MEMORY;
    memset(ctx, 0, sizeof *ctx);
    ctx->opt = options;
    if (options.device) {
        size_t bytes = strlen(options.device) + 1;
        ctx->device = alloc_aligned(bytes);
        if (!ctx->device) {
            alloc_free(ctx);
            return GFMUL_ERR_MEMORY;
        }
        memcpy(ctx->device, options.device, bytes);
        ctx->opt.device = ctx->device;
    }
    ctx->ops = stage_ops_select(cpu_isa_mask(environment("GFMUL_DISABLE")));
    crossover_set(ctx);
    atomic_init(&ctx->gmp_was_last, false);
    atomic_init(&ctx->n_calls, 0);
    report_init(&ctx->report);
    if (pthread_mutex_init(&ctx->lock, NULL) != 0) {
        alloc_free(ctx->device);
        alloc_free(ctx);
        return GFMUL_ERR_MEMORY;
    }
    *result = ctx;
    return GFMUL_OK;
}

static void entry_destroy(struct plan_entry *entry)
{
    if (!entry)
        return;
    plan_destroy(entry->plan);
    alloc_free(entry);
}

void gfmul_ctx_destroy(struct gfmul_ctx *ctx)
{
    if (!ctx)
        return;
    for (size_t i = 0; i < CTX_PLANS; i++)
        entry_destroy(ctx->plans[i]);
    for (size_t i = 0; i < ctx->n_buffers; i++)
        alloc_free(ctx->buffer[i].p);
    pthread_mutex_destroy(&ctx->lock);
    alloc_free(ctx->device);
    alloc_free(ctx);
}

/* The default context: made once, freed when the process or the library is unloaded. */
static pthread_once_t default_once = PTHREAD_ONCE_INIT;
static struct gfmul_ctx *default_ctx;
static enum gfmul_status default_status;

static void default_create(void)
{
    default_status = gfmul_ctx_create(&default_ctx, NULL);
}

#if defined(__GNUC__)
__attribute__((destructor)) static void default_destroy(void)
{
    gfmul_ctx_destroy(default_ctx);
    default_ctx = NULL;
}
#endif

struct gfmul_ctx *ctx_resolve(struct gfmul_ctx *ctx, enum gfmul_status *status)
{
    if (ctx)
        return ctx;
    pthread_once(&default_once, default_create);
    if (!default_ctx)
        *status = default_status == GFMUL_OK ? GFMUL_ERR_INTERNAL : default_status;
    return default_ctx;
}

void call_begin(struct call *call, struct gfmul_ctx *ctx)
{
    call->start_ns = clock_ns();
    call->ctx = ctx;
    atomic_fetch_add_explicit(&ctx->n_calls, 1, memory_order_relaxed);
    report_init(&call->report);
    call->threads = threads_available(ctx->opt.threads);
    call->allocated = call->peak = 0;
    memset(call->held, 0, sizeof call->held);
}

enum gfmul_status call_end(struct call *call, enum gfmul_status status)
{
    struct gfmul_ctx *ctx = call->ctx;
    for (size_t i = 0; i < CALL_BUFFERS; i++)
        ctx_buffer_put(call, call->held[i].p);
    atomic_fetch_sub_explicit(&ctx->n_calls, 1, memory_order_relaxed);
    call->report.status = status;
    if (status != GFMUL_OK && call->report.detail[0] == '\0')
        call_detail(call, "%s", gfmul_strerror(status));
    call->report.total_ns = clock_ns() - call->start_ns;
    pthread_mutex_lock(&ctx->lock);
    ctx->report = call->report;
    if (ctx->keep_bytes > call->peak)
        ctx->keep_bytes -= (ctx->keep_bytes - call->peak) / 16; /* the memory of one huge product is let go in time */
    atomic_store_explicit(&ctx->gmp_was_last, false, memory_order_relaxed);
    pthread_mutex_unlock(&ctx->lock);
    return status;
}

unsigned call_threads_limit(struct call *call, size_t limbs)
{
    unsigned threads = call->threads;
    size_t most = limbs / MUL_THREAD_LIMBS;
    if (most < threads)
        call->threads = most > 1 ? (unsigned)most : 1;
    return threads;
}

void call_detail(struct call *call, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(call->report.detail, sizeof call->report.detail, format, ap);
    va_end(ap);
}

enum gfmul_status call_progress(struct call *call, double done)
{
    const struct gfmul_options *opt = &call->ctx->opt;
    if (opt->progress && opt->progress(opt->progress_arg, done) != 0)
        return GFMUL_ERR_INTERRUPTED;
    return GFMUL_OK;
}

void gfmul_ctx_report(struct gfmul_ctx *ctx, struct gfmul_report *report)
{
    enum gfmul_status status = GFMUL_OK;
    if (!report)
        return;
    report_init(report);
    ctx = ctx_resolve(ctx, &status);
    if (!ctx) {
        report->status = status;
        return;
    }
    pthread_mutex_lock(&ctx->lock);
    if (!atomic_load_explicit(&ctx->gmp_was_last, memory_order_relaxed))
        *report = ctx->report;
    pthread_mutex_unlock(&ctx->lock);
}

void ctx_plan_request(const struct call *call, struct plan_request *request, unsigned base, size_t an, size_t bn, bool square)
{
    const struct gfmul_ctx *ctx = call->ctx;
    memset(request, 0, sizeof *request);
    request->rule = ctx->opt.rule;
    request->packing = ctx->opt.packing;
    request->precision = ctx->opt.precision;
    request->base = base;
    request->an = an;
    request->bn = bn;
    request->square = square;
    request->worst_case = false;
    request->fma = ctx->ops->fma;
    request->max_radix = ctx->ops->max_radix;
    request->memory_limit = ctx->opt.memory_limit;
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

    enum gfmul_status status = plan_size(shape, request, call->report.detail, sizeof call->report.detail);
    if (status == GFMUL_OK) {
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
    if (s->packing != t->packing || s->odd != t->odd || s->log2_n != t->log2_n || s->n_points != t->n_points ||
        s->fma != t->fma || s->balance_exp != t->balance_exp || s->n_passes != t->n_passes || s->n_rows != t->n_rows ||
        s->row_points != t->row_points || s->row_stride != t->row_stride || s->n_column_passes != t->n_column_passes)
        return false;
    for (unsigned i = 0; i < s->n_passes; i++) {
        const struct plan_pass *p = &s->pass[i], *q = &t->pass[i];
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

enum gfmul_status ctx_plan_get(struct call *call, const struct plan_shape *shape, const struct plan **plan)
{
    struct gfmul_ctx *ctx = call->ctx;
    struct plan_entry *evicted[CTX_PLANS];
    size_t n_evicted = 0;
    enum gfmul_status status;

    *plan = NULL;
    struct plan_lease *lease = alloc_aligned(sizeof *lease);
    if (!lease) {
        call_detail(call, "out of memory for a plan");
        return GFMUL_ERR_MEMORY;
    }
    pthread_mutex_lock(&ctx->lock);
    struct plan_entry *entry = plans_find(ctx, shape);
    pthread_mutex_unlock(&ctx->lock);

    if (!entry) {
        struct plan_entry *made = alloc_aligned(sizeof *made);
        if (!made) {
            call_detail(call, "out of memory for a plan");
            alloc_free(lease);
            return GFMUL_ERR_MEMORY;
        }
        memset(made, 0, sizeof *made);
        status = plan_create(&made->plan, shape, ctx->ops, call->threads);
        if (status != GFMUL_OK) {
            if (status == GFMUL_ERR_MEMORY)
                call_detail(call, "out of memory for the tables of a plan");
            alloc_free(made);
            alloc_free(lease);
            return status;
        }
        pthread_mutex_lock(&ctx->lock);
        entry = plans_find(ctx, shape); /* another call may have been faster */
        if (entry) {
            evicted[n_evicted++] = made;
        } else {
            entry = made;
            entry->refs = 1;
            size_t room = 0;
            while (room < CTX_PLANS && ctx->plans[room])
                room++;
            if (room == CTX_PLANS && (evicted[n_evicted] = plans_evict(ctx)) != NULL) {
                n_evicted++;
                room--;
            }
            if (room < CTX_PLANS) {
                plans_front(ctx, room, entry);
                entry->cached = true;
            }
            while (n_evicted < CTX_PLANS && plans_bytes(ctx) > idle_plan_bytes && (evicted[n_evicted] = plans_evict(ctx)) != NULL)
                n_evicted++;
        }
        pthread_mutex_unlock(&ctx->lock);
        while (n_evicted > 0)
            entry_destroy(evicted[--n_evicted]);
    }

    lease->plan = *entry->plan;
    lease->plan.shape = *shape;
    lease->plan.tables = NULL; /* the entry's own */
    lease->entry = entry;
    *plan = &lease->plan;
    return GFMUL_OK;
}

void ctx_plan_put(struct call *call, const struct plan *plan)
{
    struct gfmul_ctx *ctx = call->ctx;
    if (!plan)
        return;
    struct plan_lease *lease = (struct plan_lease *)(uintptr_t)plan; /* const only for the borrower */
    struct plan_entry *entry = lease->entry;
    pthread_mutex_lock(&ctx->lock);
    bool last = --entry->refs == 0 && !entry->cached;
    pthread_mutex_unlock(&ctx->lock);
    if (last)
        entry_destroy(entry);
    alloc_free(lease);
}

enum gfmul_status ctx_memory_check(struct call *call, size_t bytes)
{
    size_t limit = call->ctx->opt.memory_limit, sum;
    if (!size_add(&sum, call->allocated, bytes)) {
        call_detail(call, "a size overflows");
        return GFMUL_ERR_MEMORY;
    }
    if (limit != 0 && sum > limit) {
        call_detail(call, "%zu bytes are needed, the memory limit is %zu", sum, limit);
        return GFMUL_ERR_MEMORY;
    }
    return GFMUL_OK;
}

/* pool_take - the smallest idle block of at least bytes and at most twice that, or NULL.   Needs the lock. */
static void *pool_take(struct gfmul_ctx *ctx, size_t bytes, size_t *block_bytes)
{
    size_t best = CTX_BUFFERS;
    for (size_t i = 0; i < ctx->n_buffers; i++) {
        size_t have = ctx->buffer[i].bytes;
        if (have >= bytes && have / 2 <= bytes && (best == CTX_BUFFERS || have < ctx->buffer[best].bytes))
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

/* pool_drop - free all idle buffers; whether there were any. */
static bool pool_drop(struct gfmul_ctx *ctx)
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
    if (!*p)
        *p = alloc_aligned(bytes);
    if (!*p && pool_drop(ctx))
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
    /* each call under way will come back for as much */
    size_t keep, calls = atomic_load_explicit(&ctx->n_calls, memory_order_relaxed);
    if (!size_mul(&keep, ctx->keep_bytes, calls))
        keep = SIZE_MAX;
    while (ctx->idle_bytes > keep && ctx->n_buffers > 1) {
        surplus[n_surplus++] = ctx->buffer[--ctx->n_buffers].p;
        ctx->idle_bytes -= ctx->buffer[ctx->n_buffers].bytes;
    }
    pthread_mutex_unlock(&ctx->lock);
    while (n_surplus > 0)
        alloc_free(surplus[--n_surplus]);
}

uint64_t ctx_prime(struct call *call)
{
    struct gfmul_ctx *ctx = call->ctx;
    pthread_mutex_lock(&ctx->lock);
    uint64_t p = ctx->prime;
    pthread_mutex_unlock(&ctx->lock);
    if (p == 0) {
        uint64_t drawn = random_prime(); /* outside the lock: it takes some 10 us */
        pthread_mutex_lock(&ctx->lock);
        if (ctx->prime == 0)
            ctx->prime = drawn;
        p = ctx->prime;
        pthread_mutex_unlock(&ctx->lock);
    }
    call->report.residue_prime = p;
    return p;
}
