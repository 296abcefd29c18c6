/*
 * space_block.c - sums with factors in common, as the entries of a matrix: side by side under the first plan of a space.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The threads share the factors and then the sums, each transform by one thread, if there are enough of them and they are short.
 * Otherwise they share the parts of each transform.
 */
#include "above/space_sum.h"
#include "above/team.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/convolve.h"

/* Sums that are made side by side under the first plan. */
struct sum_block {
    struct long_sum l;
    struct sum *const *s;
    size_t n, n_parts;
    unsigned team; /* threads that share works; 1: works run one by one, each by the call's threads */
    mp_limb_t *z;  /* modulo primes: of one sum after the other */
    struct block_part {
        struct sum *s;
        struct plan_sum figures;
        double bound, k, max_error; /* as in the report */
    } * part;                       /* of the sums that are made */
    struct spectra_sum *spectra;    /* of the same ones */
};

/* Shares of the work: when all factors have transforms, and when all sums have been made. */
static const double block_factors = 0.4, block_sums = 0.7;

/* Transforms for results of up to so many limbs are made by one thread each; so many for each thread between two looks at the
   progress callback. */
enum { TEAM_LIMBS_MOST = 1 << 16, TEAM_EACH = 4 };

/* Works on single transforms of a block. */
struct block_works {
    struct sum_block *b;
    const struct plan *plan; /* without a monitor, if the threads share the works */
    size_t n;
    double from, to; /* shares of the work */
};

/* works_stage - begin work j, whose share is known.   works_progress - it is over. */
static enum gfmul_status works_stage(struct call *call, const struct block_works *w, size_t j, size_t end, double points)
{
    const double step = (w->to - w->from) / (double)w->n;
    return call_stage(call, w->from + step * (double)j, w->from + step * (double)end, points * (double)(end - j));
}

static enum gfmul_status works_progress(struct call *call, const struct block_works *w, size_t end)
{
    return call_progress(call, w->from + (w->to - w->from) * (double)end / (double)w->n);
}

/* team_of - threads for n sums side by side, in all regions of a block: as many as their limbs give work to. */
static unsigned team_of(const struct call *call, const struct gfmul_space *space, size_t n)
{
    const unsigned team = call_team(call, n * space->limbs);
    if (space->limbs > TEAM_LIMBS_MOST || call->ctx->opt.memory_limit > 0)
        return 1;
    return team > 1 && n > 1 && (n < team ? n : team) >= call->threads ? team : 1;
}

/*
 * works_run - run all works: shared by the threads, or one by one with all threads.
 *
 * The memory of works that run side by side is not counted together, so under a limit they run one by one.
 */
static enum gfmul_status works_run(const struct block_works *w, team_work *work, double points)
{
    struct long_sum *const l = &w->b->l;
    struct call *call = l->call;
    struct plan alone = *w->plan; /* of a thread that has others beside it */
    struct block_works shared = *w;
    const unsigned team = w->b->team;
    const size_t step = call->monitor ? (size_t)team * TEAM_EACH : w->n;
    if (team == 1) {
        for (size_t j = 0; j < w->n; j++) {
            TRY(works_stage(call, w, j, j + 1, points));
            TRY(work(call, w, j));
            TRY(works_progress(call, w, j + 1));
        }
        return GFMUL_OK;
    }
    alone.monitor = NULL;
    shared.plan = &alone;
    enum gfmul_status status = GFMUL_OK;
    for (size_t j = 0; j < w->n && status == GFMUL_OK; j += step) {
        const size_t end = w->n - j < step ? w->n : j + step;
        status = works_stage(call, w, j, end, points);
        if (status == GFMUL_OK)
            status = team_run(call, team, j, end, work, &shared);
        call->reserved = gfmul_space_bytes(l->space); /* what the works have added to it */
        if (status == GFMUL_OK)
            status = works_progress(call, w, end);
    }
    return status;
}

/* factor_make - find or make the transform of factor j; it is kept. */
static enum gfmul_status factor_make(struct call *call, const void *arg, size_t j)
{
    const struct block_works *w = arg;
    const struct long_sum *const l = &w->b->l;
    struct use *const use = &l->use[j];
    double *scratch;
    bool whole;
    if ((use->t = atomic_load(&use->x->transform[l->plan])) != NULL)
        return GFMUL_OK;
    TRY(scratch_get(call, &w->plan->shape, &scratch));
    enum gfmul_status status = transform_begin(call, use->x, l->plan, scratch, &use->t, &whole);
    if (status == GFMUL_OK && !whole)
        w->plan->ops->columns_to_spectrum(w->plan, use->t->points, scratch, transform_points(use->x, l->plan), call->threads);
    ctx_buffer_put(call, scratch);
    TRY(status);
    status = works_progress(call, w, j + 1); /* stop here, if it is to stop: the points are not whole then */
    if (status == GFMUL_OK) {
        use->t = transform_keep(use->x, l->plan, use->t);
    } else {
        transform_free(l->space, use->t);
        use->t = NULL;
    }
    return status;
}

/* factors_missing - whether some factor has no transform yet; the others are found. */
static bool factors_missing(struct long_sum *l)
{
    size_t missing = 0;
    for (size_t j = 0; j < l->n_uses; j++)
        missing += (l->use[j].t = atomic_load(&l->use[j].x->transform[l->plan])) == NULL;
    return missing > 0;
}

/* block_list - the products of all sums whose bound may hold; the sums lie one behind the other in x. */
static void block_list(struct sum_block *b, double *x)
{
    struct long_sum *const l = &b->l;
    const size_t doubles = plan_buffer_doubles(&l->space->plan[l->plan].plan.shape);
    struct spectra_product *product = l->product;
    for (size_t k = 0; k < b->n; k++) {
        struct spectra_sum part = {.z = x + b->n_parts * doubles, .product = product, .last = true};
        l->sum = (struct plan_sum){.products = 0};
        for (size_t i = 0; i < b->s[k]->n; i++) {
            const struct term *t = &b->s[k]->term[i];
            if (!term_is_long(l->space, t))
                continue;
            const struct transform *u = use_of(l, t->a)->t, *v = use_of(l, t->b)->t;
            product[part.n++] = (struct spectra_product){u->points, v->points, t->minus};
            plan_sum_add(&l->sum, &u->factor, &v->factor);
        }
        product += part.n;
        if (part.n == 0 || !sum_judge(l, &(struct round_stats){.max_error = 0}))
            continue;
        b->spectra[b->n_parts] = part;
        b->part[b->n_parts++] = (struct block_part){.s = b->s[k], .figures = l->sum};
    }
}

/* entry_fits - whether a sum has left's factors a, top's factors b, and signs that are products of those of factors. */
static bool entry_fits(const struct spectra_sum *of, const struct spectra_sum *left, const struct spectra_sum *top,
                       const struct spectra_sum *first)
{
    if (of->n != first->n)
        return false;
    for (size_t i = 0; i < of->n; i++) {
        const struct spectra_product *const p = &of->product[i], *const a = &left->product[i], *const b = &top->product[i];
        if (p->a != a->a || p->b != b->b || p->minus != ((a->minus != b->minus) != first->product[i].minus))
            return false;
    }
    return true;
}

/* grid_find - whether the parts are the entries of a matrix product, whose factors are those of rows and columns. */
static bool grid_find(const struct sum_block *b, struct spectra_grid *grid)
{
    const struct spectra_sum *const sum = b->spectra;
    size_t columns = 1;
    while (columns < b->n_parts && sum[columns].product->a == sum->product->a)
        columns++;
    if (columns == 1 || columns == b->n_parts || b->n_parts % columns != 0)
        return false;
    for (size_t k = 0; k < b->n_parts; k++)
        if (!entry_fits(&sum[k], &sum[k / columns * columns], &sum[k % columns], sum))
            return false;
    *grid = (struct spectra_grid){.rows = b->n_parts / columns, .columns = columns};
    return true;
}

/* parts_add - all parts in their buffers, and back over the rows.   Errors: MEMORY. */
static enum gfmul_status parts_add(const struct sum_block *b, const struct plan *plan)
{
    const struct long_sum *const l = &b->l;
    const unsigned threads = b->team > 1 ? b->team : l->call->threads;
    struct spectra_grid grid;
    void *panels = NULL;
    const bool found = grid_find(b, &grid);
    if (found)
        TRY(ctx_buffer_get(l->call, threads * SPECTRA_GRID_DOUBLES(grid.rows, grid.columns) * sizeof(double), &panels));
    grid.panels = panels;
    plan->ops->spectra_sums_fused(plan, b->spectra, b->n_parts, found ? &grid : NULL, threads);
    ctx_buffer_put(l->call, panels);
    return GFMUL_OK;
}

/* value_make - the value of part k of a block, which takes the place of its sum if it is proved. */
static enum gfmul_status value_make(struct call *call, const struct block_works *w, size_t k, mp_limb_t *z, double *scratch)
{
    struct block_part *const part = &w->b->part[k];
    struct long_sum l = w->b->l;
    struct round_stats stats = {.max_error = 0};
    struct value v = {.z = z};
    struct integer made;
    l.call = call;
    l.sum = part->figures;
    const enum phase phase = phase_enter(&call->clock, PHASE_CARRY);
    const size_t n = plan_wrap_ring(&w->plan->shape) + 1;
    const enum gfmul_status status = columns_to_limbs(w->plan, z, n, w->b->spectra[k].z, scratch, &stats, call->threads);
    phase_enter(&call->clock, phase);
    TRY(status);
    const bool proved = sum_judge(&l, &stats);
    part->bound = call->report.plan.bound;
    part->k = call->report.plan.k;
    part->max_error = call->report.max_error;
    if (!proved)
        return GFMUL_OK;
    sum_value_sign(&l, &v);
    TRY(sum_value_finish(call, l.space, &made, part->s, &v));
    sum_clear(part->s);
    part->s->integer = made;
    return GFMUL_OK;
}

/* value_work - value_make with its memory. */
static enum gfmul_status value_work(struct call *call, const void *arg, size_t k)
{
    const struct block_works *w = arg;
    double *scratch = NULL;
    void *z;
    TRY(ctx_buffer_get(call, sum_room_limbs(w->b->l.space) * sizeof(mp_limb_t), &z));
    enum gfmul_status status = scratch_get(call, &w->plan->shape, &scratch);
    if (status == GFMUL_OK)
        status = value_make(call, w, k, z, scratch);
    ctx_buffer_put(call, scratch);
    ctx_buffer_put(call, z);
    return status;
}

/* block_make - the transforms of all factors, all sums in x, and their values. */
static enum gfmul_status block_make(struct sum_block *b, double *x)
{
    struct long_sum *const l = &b->l;
    struct plan p = l->space->plan[l->plan].plan;
    const double points = (double)p.shape.transform.n_points;
    p.monitor = l->call->monitor;
    if (factors_missing(l))
        TRY(works_run(&(struct block_works){b, &p, l->n_uses, 0, block_factors}, factor_make, 2.0 * points));
    sum_report_plan(l);
    block_list(b, x);
    if (b->n_parts == 0)
        return GFMUL_OK;
    TRY(call_stage(l->call, block_factors, block_sums, points * (double)b->n_parts));
    TRY(parts_add(b, &p));
    TRY(call_progress(l->call, block_sums));
    TRY(works_run(&(struct block_works){b, &p, b->n_parts, block_sums, 1}, value_work, points));
    const struct block_part *last = &b->part[b->n_parts - 1];
    l->call->report.plan.bound = last->bound;
    l->call->report.plan.k = last->k;
    l->call->report.max_error = last->max_error;
    return GFMUL_OK;
}

/* block_take - the value of sum k, whose long products are in z, takes its place. */
static enum gfmul_status block_take(void *arg, size_t k, bool negative)
{
    struct sum_block *b = arg;
    const struct long_sum *const l = &b->l;
    const size_t ring = plan_wrap_ring(&l->space->plan[0].plan.shape);
    struct value v = {.z = b->z, .n = limbs_normal_size(b->z, ring), .negative = negative};
    struct integer made;
    TRY(sum_value_finish(l->call, l->space, &made, b->s[k], &v));
    sum_clear(b->s[k]);
    b->s[k]->integer = made;
    return GFMUL_OK;
}

/* block_run - block_make for so many products, with the memory that it needs; that of the caller is put back by the caller. */
static enum gfmul_status block_run(struct sum_block *b, size_t terms, void **lists, void **x, void **z)
{
    struct long_sum *const l = &b->l;
    const size_t bytes = terms * (2 * sizeof *l->use + sizeof *l->product) + b->n * (sizeof *b->part + sizeof *b->spectra);
    size_t uses = 0;
    TRY(ctx_buffer_get(l->call, bytes, lists));
    TRY(ctx_buffer_get(l->call, b->n * space_doubles(l->space, l->plan) * sizeof(double), x));
    if (l->space->tables)
        TRY(ctx_buffer_get(l->call, sum_room_limbs(l->space) * sizeof(mp_limb_t), z));
    b->part = *lists;
    l->use = (struct use *)(b->part + b->n);
    b->spectra = (struct spectra_sum *)(l->use + 2 * terms);
    l->product = (struct spectra_product *)(b->spectra + b->n);
    for (size_t k = 0; k < b->n; k++)
        sum_uses_add(l, b->s[k], &uses);
    sum_uses_sort(l, uses);
    b->z = *z;
    if (uses == 0)
        return GFMUL_OK;
    if (!l->space->tables)
        return block_make(b, *x);
    sum_report_plan(l);
    return prime_sums_make(l, b->s, b->n, *x, *z, block_take, b);
}

enum gfmul_status sums_block(struct call *call, struct gfmul_space *space, struct sum *const *s, size_t n)
{
    struct sum_block b = {.l = {.call = call, .space = space}, .s = s, .n = n, .team = team_of(call, space, n)};
    void *lists = NULL, *x = NULL, *z = NULL;
    size_t terms = 0;
    for (size_t k = 0; k < n; k++)
        terms += s[k]->n;
    if (terms == 0)
        return GFMUL_OK;
    const enum phase phase = phase_enter(&call->clock, PHASE_TRANSFORM);
    const enum gfmul_status status = block_run(&b, terms, &lists, &x, &z);
    phase_enter(&call->clock, phase);
    ctx_buffer_put(call, z);
    ctx_buffer_put(call, x);
    ctx_buffer_put(call, lists);
    return status;
}
