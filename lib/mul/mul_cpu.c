/*
 * mul_cpu.c - engine cpu: the plan of a product, its memory, the pipeline; spectra of operands that many products share.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "mul/convolve.h"
#include "mul/engine.h"
#include "mul/mul_wrap.h"
#include "plan/plan_dd.h"
#include "plan/plan_field.h"

/* A spectrum is planned for at least this max_an: 64 digits, the unit of cells, whatever the size of a digit. */
enum { KEPT_LEAST_LIMBS = 30, KEPT_LEAST_LIMBS_DD = DD_DIGIT_BITS };

/* info_of - describe a shape for people. */
static void info_of(const struct call *call, const struct plan_shape *s, struct gfmul_plan_info *info)
{
    plan_info_from_shape(info, s, call->ctx->ops->name);
    info->engine = engine_cpu.name;
    info->threads = call->threads;
}

static enum gfmul_status cpu_plan(struct attempt *t)
{
    struct call *call = t->call;
    const struct cpu_spectrum *spectrum = (const struct cpu_spectrum *)t->p->b.spectrum;
    if (spectrum) /* grid_set cuts a into cells of its own; the tables are the spectrum's */
        t->shape = spectrum->lease.plan.shape;
    else
        TRY(ctx_plan_size(call, &t->request, &t->shape));
    /* if the numbers are known, not just their sizes, use only as many cells as their digits fill */
    const bool cells = spectrum || t->shape.grid.a_cells > 1 || t->p->ring > 0;
    if (cells && t->shape.field < PLAN_POINT_FIELDS && (t->p->a.limbs || t->p->a.text))
        grid_set(&t->shape, t->p);
    call_cells_limit(call, &t->shape);
    info_of(call, &t->shape, &t->info);
    return GFMUL_OK;
}

/* ---- fields of complex points ---- */

static enum gfmul_status points_take(struct attempt *t, struct cpu_lease *l)
{
    struct call *call = t->call;
    const struct plan_shape *s = &t->shape;
    const struct cpu_spectrum *spectrum = (const struct cpu_spectrum *)t->p->b.spectrum;
    if (spectrum) {
        l->tables.plan = spectrum->lease.plan;
        l->tables.plan.shape = *s;
    } else {
        TRY(ctx_plan_get(call, s, &l->tables));
    }
    l->tables.plan.monitor = call->monitor;
    TRY(workspace_get(call, s, t->p, &l->work));
    return s->grid.wraps ? mul_wrap_room(call, t->p, plan_wrap_ring(s), &l->quotient) : GFMUL_OK;
}

static enum gfmul_status points_convolve(struct attempt *t, struct cpu_lease *l)
{
    struct product ring = *t->p;
    if (t->shape.grid.wrap_limbs > 0)
        ring.z.n = plan_wrap_ring(&t->shape) + 1;
    bool fits = true;
    const enum gfmul_status status = convolve(t->call, &l->tables.plan, &l->work, &ring, &fits);
    if (status == GFMUL_OK && fits && t->p->ring > 0)
        mul_wrap_reduce(t->p->z.limbs, t->p->ring);
    t->outcome = fits ? OUTCOME_MADE : OUTCOME_UNPROVED;
    return status;
}

static void points_give(struct attempt *t, struct cpu_lease *l)
{
    ctx_buffer_put(t->call, l->quotient);
    workspace_put(t->call, &l->work);
    ctx_plan_put(t->call->ctx, &l->tables);
}

/* points_fill - allocate the spectrum, and transform b into it. */
static enum gfmul_status points_fill(struct call *call, struct cpu_spectrum *x, const struct number *b)
{
    struct plan plan = x->lease.plan;
    struct workspace work = {.x = NULL};
    plan.monitor = call->monitor;
    TRY(scratch_get(call, &plan.shape, &work.scratch));
    enum gfmul_status status = ctx_block_keep(call, plan_buffer_doubles(&plan.shape) * sizeof(double), &x->points);
    phase_enter(&call->clock, PHASE_TRANSFORM);
    work.y = x->points.p;
    if (status == GFMUL_OK)
        status = spectrum_keep(call, &plan, &work, b, &x->norms);
    ctx_buffer_put(call, work.scratch);
    return status;
}

static enum gfmul_status points_keep(struct call *call, struct cpu_spectrum *x, const struct number *b)
{
    const struct plan_shape shape = x->lease.plan.shape;
    TRY(ctx_plan_get(call, &shape, &x->lease));
    x->head.bytes = plan_buffer_doubles(&shape) * sizeof(double) + lease_table_bytes(&x->lease);
    return points_fill(call, x, b);
}

static const struct cpu_pipeline cpu_pipeline_points = {
    .take = points_take, .convolve = points_convolve, .give = points_give, .keep = points_keep};

/* ---- any field ---- */

static const struct cpu_pipeline *const pipelines[PLAN_FIELDS] = {
    [PLAN_DOUBLE] = &cpu_pipeline_points,
    [PLAN_DD] = &cpu_pipeline_points,
    [PLAN_PRIME] = &cpu_pipeline_primes,
};

static enum gfmul_status cpu_hold(struct attempt *t, enum gfmul_status (*body)(struct attempt *t))
{
    struct cpu_lease l;
    t->lease = &l;
    const enum gfmul_status status = body(t);
    t->lease = NULL;
    return status;
}

static enum gfmul_status cpu_lease(struct attempt *t)
{
    struct cpu_lease *l = t->lease;
    l->pipeline = pipelines[t->shape.field];
    l->tables.entry = NULL;
    memset(&l->work, 0, sizeof *l - offsetof(struct cpu_lease, work));
    const enum gfmul_status status = l->pipeline->take(t, l);
    t->outcome = status == GFMUL_ERR_MEMORY ? OUTCOME_REFUSED : OUTCOME_MADE;
    return status;
}

static bool cpu_release(struct attempt *t, enum gfmul_status status, bool again)
{
    struct cpu_lease *l = t->lease;
    (void)status, (void)again;
    l->pipeline->give(t, l);
    return false;
}

static enum gfmul_status cpu_run(struct attempt *t)
{
    const struct plan_shape *s = &t->shape;
    struct cpu_lease *l = t->lease;
    TRY(l->pipeline->convolve(t, l));
    const bool proved = t->outcome == OUTCOME_MADE;
    if (!proved || !s->grid.wraps)
        return GFMUL_OK;
    const struct wrap_maker maker = {&engine_cpu, s->field};
    const enum gfmul_status status = mul_wrap(t->call, t->p, plan_wrap_ring(s), &maker, l->quotient);
    if (status == GFMUL_ERR_MEMORY)
        t->outcome = OUTCOME_REFUSED;
    return status;
}

/* ---- spectra ---- */

/* spectrum_plan - plan products with b. */
static enum gfmul_status spectrum_plan(struct call *call, struct plan_shape *shape, const struct product *p, bool worst_case)
{
    const size_t max_an = p->a.n;
    const struct gfmul_options *opt = &call->ctx->opt;
    const bool wide = opt->precision == GFMUL_PRECISION_DD || opt->rule == GFMUL_RULE_KNUTH;
    const size_t least = wide ? KEPT_LEAST_LIMBS_DD : KEPT_LEAST_LIMBS;
    struct plan_request request;
    ctx_plan_request(call, &request, 2, 64 * (max_an > least ? max_an : least), 64 * p->b.n, false);
    request.kept = true;
    request.ring = p->ring;
    if (p->ring_precision != GFMUL_PRECISION_AUTO)
        request.precision = p->ring_precision;
    request.cold = false;
    request.wrap = PLAN_WRAP_NEVER;
    if (worst_case)
        plan_request_worst(&request);
    TRY(ctx_plan_size(call, &request, shape));
    info_of(call, shape, &call->report.plan);
    return ctx_memory_check(call, shape->memory_bytes); /* what a product will need */
}

static void cpu_forget(struct gfmul_ctx *ctx, struct spectrum *head)
{
    struct cpu_spectrum *x = (struct cpu_spectrum *)head;
    ctx_block_end(ctx, &x->points);
    ctx_plan_put(ctx, &x->lease);
    alloc_free(x->table);
    alloc_free(x);
}

static enum gfmul_status cpu_keep(struct attempt *t, struct spectrum **result, bool worst_case)
{
    struct call *call = t->call;
    struct cpu_spectrum *x = alloc_zeroed(sizeof *x);
    if (!x)
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for a spectrum");
    x->head.engine = &engine_cpu;
    struct plan_shape *shape = &x->lease.plan.shape;
    enum gfmul_status status = spectrum_plan(call, shape, t->p, worst_case);
    if (status == GFMUL_OK)
        status = pipelines[shape->field]->keep(call, x, &t->p->b);
    if (status == GFMUL_OK)
        *result = &x->head;
    else
        cpu_forget(call->ctx, &x->head);
    return status;
}

const struct engine engine_cpu = {
    .name = "cpu",
    .id = GFMUL_ENGINE_CPU,
    .trust = TRUST_PROVED,
    .hold = cpu_hold,
    .plan = cpu_plan,
    .lease = cpu_lease,
    .run = cpu_run,
    .release = cpu_release,
    .smaller = attempt_smaller,
    .reduce = attempt_unwrapped,
    .keep = cpu_keep,
    .forget = cpu_forget,
};
