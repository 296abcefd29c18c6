/*
 * space_block.c - sums with factors in common, as the entries of a matrix: side by side under the first plan of a space.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The threads share the factors and then the sums, each transform by one thread, if there are enough of them and they are short.
 * Otherwise they share the parts of each transform.
 */
#include <string.h>

#include "above/team.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/convolve.h"
#include "space/space_sum.h"

/* The factors of sums that are the entries of a matrix product: n of each row, row by row, and n of each column. */
struct block_grid {
    size_t rows, columns, n;
    struct block_cell {
        struct natural *x; /* NULL: 0 */
        bool minus;
        struct use *use;
    } * a, *b;
    struct spectra_factor *factor; /* the same ones, once they have transforms */
    void *panels;
};

/* Sums that are made side by side under the first plan. */
struct sum_block {
    struct long_sum l;
    struct sum *const *s;
    size_t n, columns, n_parts, n_spectra;
    unsigned team; /* threads that share works; 1: works run one by one, each by the call's threads */
    bool in_grid;
    struct block_grid grid;
    mp_limb_t *z; /* modulo primes: of one sum after the other */
    struct block_part {
        struct sum *s;
        double *z;
        struct plan_sum figures;
        double bound, k, max_error; /* as in the report */
    } * part;                       /* of the sums that are made */
    struct spectra_sum *spectra;    /* of these, or of all in a grid */
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

/* sums_threads - the threads that make the sums of all products. */
static unsigned sums_threads(const struct sum_block *b)
{
    return b->team > 1 ? b->team : b->l.call->threads;
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
        call->reserved = space_held(l->space); /* what the works have added to it */
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

/* ---- the entries of a matrix product ---- */

/*
 * A product in a grid takes less than a third of the time of one in a list, so the list wins if fewer of the products are there.
 * Figures: doc/decisions/above-products.md.
 */
enum { GRID_GAIN = 3 };

/* cell_takes - whether a cell has that factor; it takes it if it has none. */
static bool cell_takes(struct block_cell *cell, struct natural *x, bool minus)
{
    if (!cell->x)
        *cell = (struct block_cell){.x = x, .minus = minus};
    return cell->x == x && cell->minus == minus;
}

/* entry_fits - whether the long products of sum k are those of its row and its column, in their order.   n i/o: their number */
static bool entry_fits(const struct sum_block *b, size_t k, size_t *n)
{
    const struct block_grid *const g = &b->grid;
    struct block_cell *const row = g->a + k / g->columns * g->n, *const column = g->b + k % g->columns * g->n;
    size_t least = 0; /* of the next product's place */
    for (size_t i = 0; i < b->s[k]->n; i++) {
        const struct term *const t = &b->s[k]->term[i];
        if (!term_is_long(b->l.space, t))
            continue;
        if (t->k < least || !cell_takes(&row[t->k], t->a, t->minus != t->b_minus) || !cell_takes(&column[t->k], t->b, t->b_minus))
            return false;
        least = t->k + 1;
        ++*n;
    }
    return true;
}

/* grid_products - the products that a grid with these factors makes, without those with zeros. */
static size_t grid_products(const struct block_grid *g)
{
    size_t sum = 0;
    for (size_t k = 0; k < g->n; k++) {
        size_t rows = 0, columns = 0;
        for (size_t i = 0; i < g->rows; i++)
            rows += g->a[i * g->n + k].x != NULL;
        for (size_t j = 0; j < g->columns; j++)
            columns += g->b[j * g->n + k].x != NULL;
        sum += rows * columns;
    }
    return sum;
}

/* grid_factors - cells of a grid, a and b. */
static size_t grid_factors(const struct block_grid *g)
{
    return (g->rows + g->columns) * g->n;
}

/* grid_size - rows, columns and products of a grid for all sums.   Value: whether it has few enough zeros to be made. */
static bool grid_size(struct sum_block *b)
{
    struct block_grid *const g = &b->grid;
    size_t products = 0;
    *g = (struct block_grid){.rows = b->n / b->columns, .columns = b->columns};
    for (size_t k = 0; k < b->n; k++)
        for (size_t i = 0; i < b->s[k]->n; i++)
            if (term_is_long(b->l.space, &b->s[k]->term[i])) {
                g->n = b->s[k]->term[i].k >= g->n ? b->s[k]->term[i].k + 1 : g->n;
                products++;
            }
    return products > 0 && g->rows > 1 && g->columns > 1 && products >= g->rows * g->columns * g->n / GRID_GAIN;
}

/*
 * grid_find - whether the sums are the entries of a matrix product, in the order of their products; then with memory for it.
 *
 * A product that is in no list must have a factor 0 in the grid, because the grid makes all.   Errors: INTERRUPTED, MEMORY.
 */
static enum gfmul_status grid_find(struct sum_block *b, void **cells)
{
    struct block_grid *const g = &b->grid;
    if (!grid_size(b))
        return GFMUL_OK;
    const size_t factors = grid_factors(g);
    size_t products = 0;
    bool fits = true;
    TRY(ctx_buffer_get(b->l.call, factors * (sizeof *g->a + sizeof *g->factor), cells));
    g->a = *cells;
    g->b = g->a + g->rows * g->n;
    g->factor = (struct spectra_factor *)(g->a + factors);
    memset(g->a, 0, factors * sizeof *g->a);
    for (size_t k = 0; k < b->n && fits; k++) {
        fits = entry_fits(b, k, &products);
        TRY(call_progress(b->l.call, 0));
    }
    if (!fits || grid_products(g) != products)
        return GFMUL_OK;
    b->in_grid = true;
    return ctx_buffer_get(b->l.call, sums_threads(b) * SPECTRA_GRID_DOUBLES(g->rows, g->columns) * sizeof(double), &g->panels);
}

/* ---- sums ---- */

/* sum_list - the products of sum k into a list or, in a grid, their figures alone.   x in: where the sum is to be made */
static enum gfmul_status sum_list(struct sum_block *b, size_t k, double *x, struct spectra_product *product)
{
    struct long_sum *const l = &b->l;
    const struct block_grid *const g = &b->grid;
    struct spectra_sum of = {.z = x, .product = product};
    l->sum = (struct plan_sum){.products = 0};
    for (size_t i = 0; i < b->s[k]->n; i++) {
        const struct term *const t = &b->s[k]->term[i];
        if (!term_is_long(l->space, t))
            continue;
        const struct use *const p = b->in_grid ? g->a[k / g->columns * g->n + t->k].use : use_of(l, t->a);
        const struct use *const q = b->in_grid ? g->b[k % g->columns * g->n + t->k].use : use_of(l, t->b);
        if (!b->in_grid)
            product[of.n++] = (struct spectra_product){p->t->points, q->t->points, t->minus};
        plan_sum_add(&l->sum, &p->t->factor, &q->t->factor);
    }
    const bool some = l->sum.products > 0;
    if (b->in_grid)
        l->sum.products = g->n; /* with zeros */
    of.last = some && sum_judge(l, &(struct round_stats){.max_error = 0});
    if (of.last)
        b->part[b->n_parts++] = (struct block_part){.s = b->s[k], .z = x, .figures = l->sum};
    if (of.last || b->in_grid)
        b->spectra[b->n_spectra++] = of;
    return call_progress(l->call, block_factors);
}

/* block_list - the sums whose bound may hold; all have their places in x. */
static enum gfmul_status block_list(struct sum_block *b, double *x)
{
    const size_t doubles = plan_buffer_doubles(&b->l.space->plan[b->l.plan].plan.shape);
    struct spectra_product *product = b->l.product;
    for (size_t k = 0; k < b->n; product += b->s[k++]->n)
        TRY(sum_list(b, k, x + k * doubles, product));
    for (size_t i = 0; b->in_grid && i < grid_factors(&b->grid); i++) {
        const struct block_cell *const cell = &b->grid.a[i];
        b->grid.factor[i] = (struct spectra_factor){cell->use ? cell->use->t->points : NULL, cell->minus};
    }
    return GFMUL_OK;
}

/* parts_add - all parts in their buffers, and back over the rows. */
static void parts_add(const struct sum_block *b, const struct plan *plan)
{
    const struct block_grid *const g = &b->grid;
    const struct spectra_grid grid = {g->rows, g->columns, g->n, g->factor, g->factor + g->rows * g->n, g->panels};
    plan->ops->spectra_sums_fused(plan, b->spectra, b->n_spectra, b->in_grid ? &grid : NULL, sums_threads(b));
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
    const enum gfmul_status status = columns_to_limbs(w->plan, z, n, part->z, scratch, &stats, call->threads);
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
    TRY(block_list(b, x));
    if (b->n_parts == 0)
        return GFMUL_OK;
    TRY(call_stage(l->call, block_factors, block_sums, points * (double)b->n_parts));
    parts_add(b, &p);
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

/* The memory of a block. */
enum { BLOCK_LISTS, BLOCK_SUMS, BLOCK_VALUE, BLOCK_CELLS, BLOCK_PRODUCTS, BLOCK_BUFFERS };

/* cells_list - the factors of a grid, each of which is in the list of its row's or its column's sums many times. */
static enum gfmul_status cells_list(struct sum_block *b)
{
    struct block_cell *const cell = b->grid.a;
    const size_t n = grid_factors(&b->grid);
    for (size_t i = 0; i < n; i++)
        if (cell[i].x)
            TRY(sum_use_add(&b->l, cell[i].x));
    sum_uses_end(&b->l);
    for (size_t i = 0; i < n; i++)
        if (cell[i].x)
            cell[i].use = use_of(&b->l, cell[i].x);
    return GFMUL_OK;
}

/* uses_list - the factors of all sums. */
static enum gfmul_status uses_list(struct sum_block *b)
{
    if (b->in_grid) {
        TRY(cells_list(b));
    } else {
        for (size_t k = 0; k < b->n; k++)
            TRY(sum_uses_add(&b->l, b->s[k]));
        sum_uses_end(&b->l);
    }
    return call_progress(b->l.call, 0);
}

/* block_run - block_make for so many products, with the memory that it needs; the caller puts it back, and the grid's panels. */
static enum gfmul_status block_run(struct sum_block *b, size_t terms, void **room)
{
    struct long_sum *const l = &b->l;
    if (!l->space->tables)
        TRY(grid_find(b, &room[BLOCK_CELLS]));
    const size_t listed = b->in_grid ? (grid_factors(&b->grid) + 1) / 2 : terms, uses = sum_uses_bytes(listed);
    TRY(ctx_buffer_get(l->call, uses + b->n * (sizeof *b->part + sizeof *b->spectra), &room[BLOCK_LISTS]));
    TRY(ctx_buffer_get(l->call, b->n * space_doubles(l->space, l->plan) * sizeof(double), &room[BLOCK_SUMS]));
    sum_uses_begin(l, room[BLOCK_LISTS], listed);
    b->part = (void *)((char *)room[BLOCK_LISTS] + uses);
    b->spectra = (struct spectra_sum *)(b->part + b->n);
    TRY(uses_list(b));
    if (l->n_uses == 0)
        return GFMUL_OK;
    if (l->space->tables) {
        TRY(ctx_buffer_get(l->call, sum_room_limbs(l->space) * sizeof(mp_limb_t), &room[BLOCK_VALUE]));
        b->z = room[BLOCK_VALUE];
        sum_report_plan(l);
        return prime_sums_make(l, b->s, b->n, room[BLOCK_SUMS], b->z, block_take, b);
    }
    if (!b->in_grid)
        TRY(ctx_buffer_get(l->call, terms * sizeof *l->product, &room[BLOCK_PRODUCTS]));
    l->product = room[BLOCK_PRODUCTS];
    return block_make(b, room[BLOCK_SUMS]);
}

enum gfmul_status sums_block(struct call *call, struct gfmul_space *space, struct sum *const *s, size_t n, size_t columns)
{
    struct sum_block b = {
        .l = {.call = call, .space = space}, .s = s, .n = n, .columns = columns, .team = team_of(call, space, n)};
    void *room[BLOCK_BUFFERS] = {NULL};
    size_t terms = 0;
    for (size_t k = 0; k < n; k++)
        terms += s[k]->n;
    if (terms == 0)
        return GFMUL_OK;
    const enum phase phase = phase_enter(&call->clock, PHASE_TRANSFORM);
    const enum gfmul_status status = block_run(&b, terms, room);
    phase_enter(&call->clock, phase);
    ctx_buffer_put(call, b.grid.panels);
    for (unsigned i = BLOCK_BUFFERS; i-- > 0;)
        ctx_buffer_put(call, room[i]);
    return status;
}
