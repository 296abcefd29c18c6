/*
 * mul_ocl_sums.c - products on a device of operands cut into cells (rule knuth, plan_device_cells.c): transform all cells,
 * then add up the products of their spectra.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "mul/mul_ocl.h"
#include "mul/mul_verify.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"

/* The share of a product's work, about, that is finished after the spectra. */
static const double share_spectra = 0.3;

static struct ocl_sums *sums_of(struct attempt *t)
{
    return &ocl_lease_of(t)->sums;
}

/* cell_limbs - how many limbs cell i has. */
static size_t cell_limbs(const struct attempt *t, const struct ocl_cells *x, size_t i)
{
    const size_t cell = t->shape.grid.cell_limbs, left = x->x->n - i * cell;
    return left < cell ? left : cell;
}

size_t ocl_sums_limbs(const struct attempt *t)
{
    const size_t b = t->p->b.n < t->p->a.n ? t->p->b.n : t->p->a.n, cell = t->shape.grid.cell_limbs;
    return cell + (b < cell ? b : cell) + 1;
}

static size_t cells_of(const struct attempt *t, const struct number *x)
{
    return (x->n - 1) / t->shape.grid.cell_limbs + 1;
}

enum gfmul_status ocl_sums_begin(struct attempt *t)
{
    struct ocl_sums *s = sums_of(t);
    const size_t a = cells_of(t, &t->p->a), b = cells_of(t, &t->p->b), bytes = (a + b) * sizeof *s->all;
    if (!(s->all = alloc_zeroed(bytes)))
        return GFMUL_ERR_MEMORY;
    s->a = (struct ocl_cells){&t->p->a, a, s->all};
    s->b = (struct ocl_cells){&t->p->b, b, t->p->square ? s->all : s->all + a};
    return GFMUL_OK;
}

void ocl_sums_end(struct attempt *t)
{
    alloc_free(sums_of(t)->all);
    memset(sums_of(t), 0, sizeof *sums_of(t));
}

/* cells_take - take buffers for the limbs and the spectra of an operand's cells. */
static enum gfmul_status cells_take(struct attempt *t, const struct ocl_cells *x, size_t spectrum_bytes)
{
    for (size_t i = 0; i < x->n; i++) {
        TRY(ocl_take(t, cell_limbs(t, x, i) * sizeof(mp_limb_t), &x->cell[i].limbs));
        TRY(ocl_take(t, spectrum_bytes, &x->cell[i].spectrum));
    }
    return GFMUL_OK;
}

enum gfmul_status ocl_sums_take(struct attempt *t)
{
    struct ocl_sums *s = sums_of(t);
    struct device_buffers of_shape;
    device_shape_buffers(&t->shape, &of_shape);
    TRY(cells_take(t, &s->a, of_shape.points));
    if (!t->p->square)
        TRY(cells_take(t, &s->b, of_shape.points));
    for (unsigned i = 0; i < OCL_SUMS_AHEAD; i++) {
        s->sum[i].z.n_words = (uint32_t)(2 * ocl_sums_limbs(t));
        TRY(ocl_take(t, ocl_sums_limbs(t) * sizeof(mp_limb_t), &s->sum[i].z.words));
    }
    return ocl_take(t, of_shape.points, &s->total);
}

static void cells_put(struct attempt *t, const struct ocl_cells *x)
{
    for (size_t i = x->n; i-- > 0;) {
        ocl_buffer_put(t->device, x->cell[i].spectrum);
        ocl_buffer_put(t->device, x->cell[i].limbs);
        x->cell[i] = (struct ocl_cell){NULL, NULL};
    }
}

void ocl_sums_put(struct attempt *t)
{
    struct ocl_sums *s = sums_of(t);
    for (unsigned i = 0; i < OCL_SUMS_AHEAD; i++) {
        ocl_readback_end(t->device, &s->sum[i].readback);
        ocl_buffer_put(t->device, s->sum[i].z.words);
        s->sum[i].z.words = NULL;
    }
    ocl_buffer_put(t->device, s->total);
    s->total = NULL;
    cells_put(t, &s->b);
    cells_put(t, &s->a);
}

/* cell_up - upload the limbs of a cell, and wait for them. */
static enum gfmul_status cell_up(struct attempt *t, const struct ocl_cells *x, size_t i)
{
    const mp_limb_t *from = x->x->limbs + i * t->shape.grid.cell_limbs;
    const struct ocl_call *on = &ocl_lease_of(t)->on;
    struct call *call = t->call;
    cl_event way = NULL;
    const enum phase phase = phase_enter(&call->clock, PHASE_UPLOAD);
    /* it need not wait, as for any operand: no command still uses a buffer of the pool */
    enum gfmul_status status =
        ocl_upload_start(on, ocl_limbs_of(x->cell[i].limbs, cell_limbs(t, x, i)), from, call->threads, OCL_AT_ONCE, &way);
    if (status == GFMUL_OK)
        status = ocl_event_end(on, &way, "a cell's transfer");
    phase_enter(&call->clock, phase);
    return status;
}

/* cell_transform - enqueue the transform of a cell.  Rule knuth needs no norms.   end out: its end, to be released.   With the
   lock. */
static enum gfmul_status cell_transform(struct attempt *t, const struct ocl_cells *x, size_t i, cl_event *end)
{
    struct ocl_lease *l = ocl_lease_of(t);
    const struct ocl_number number = {x->cell[i].limbs, (uint32_t)(2 * cell_limbs(t, x, i))};
    const struct ocl_transform one = {number, l->pipeline.work.x, x->cell[i].spectrum};
    TRY(ocl_pipeline_spectra(&l->on, l->pipeline.pipeline, &l->pipeline.work, &one, 1));
    return ocl_mark(&l->on, end);
}

/* cell_make - cell_up and cell_transform.   before i/o: the end of the transform before, which is awaited meanwhile */
static enum gfmul_status cell_make(struct attempt *t, const struct ocl_cells *x, size_t i, cl_event *before)
{
    cl_event end;
    TRY(cell_up(t, x, i));
    ocl_device_lock(t->device);
    enum gfmul_status status = cell_transform(t, x, i, &end);
    ocl_device_unlock(t->device);
    TRY(status);
    status = ocl_event_end(&ocl_lease_of(t)->on, before, "a cell's transform");
    *before = end;
    return status;
}

/* cells_transform - make the spectra of all cells of an operand; progress goes from `from` to `to`. */
static enum gfmul_status cells_transform(struct attempt *t, const struct ocl_cells *x, double from, double to)
{
    enum gfmul_status status = GFMUL_OK;
    cl_event before = NULL;
    for (size_t i = 0; i < x->n && status == GFMUL_OK; i++) {
        status = cell_make(t, x, i, &before);
        if (status == GFMUL_OK)
            status = call_progress(t->call, from + (to - from) * (double)i / (double)x->n); /* i have ended */
    }
    if (before)
        clReleaseEvent(before);
    return status;
}

/* Sum k adds up the products of cell i of a and cell k - i of b.   first_of - the least i.   products_of - how many i. */
static size_t first_of(const struct ocl_sums *s, size_t k)
{
    return k < s->b.n ? 0 : k - s->b.n + 1;
}

static size_t products_of(const struct ocl_sums *s, size_t k)
{
    return (k < s->a.n ? k : s->a.n - 1) + 1 - first_of(s, k);
}

/* block_enqueue - enqueue the products of cells i and k - i in sum k, i from first to end - 1. */
static enum gfmul_status block_enqueue(struct attempt *t, size_t k, size_t first, size_t end)
{
    const struct ocl_sums *s = sums_of(t);
    struct ocl_product product[PLAN_SUM_BLOCK];
    for (size_t i = first; i < end; i++)
        product[i - first] = (struct ocl_product){s->a.cell[i].spectrum, s->b.cell[k - i].spectrum, false};
    return ocl_pipeline_mul_add(&ocl_lease_of(t)->on, ocl_lease_of(t)->pipeline.pipeline, s->total, product,
                                (unsigned)(end - first), first > first_of(s, k));
}

/* sum_enqueue - enqueue sum k, the sum of all products of cells i and k - i.   With the lock. */
static enum gfmul_status sum_enqueue(struct attempt *t, size_t k)
{
    struct ocl_sums *s = sums_of(t);
    const struct ocl_call *on = &ocl_lease_of(t)->on;
    struct pipeline_lease *l = &ocl_lease_of(t)->pipeline;
    struct ocl_sum *sum = &s->sum[k % OCL_SUMS_AHEAD];
    const size_t first = first_of(s, k), end = first + products_of(s, k);
    TRY(ocl_pipeline_begin(on, &l->work));
    for (size_t i = first; i < end; i += PLAN_SUM_BLOCK)
        TRY(block_enqueue(t, k, i, end - i < PLAN_SUM_BLOCK ? end : i + PLAN_SUM_BLOCK));
    TRY(ocl_pipeline_rows_back(on, l->pipeline, &l->work, s->total));
    TRY(ocl_pipeline_limbs(on, l->pipeline, &l->work, sum->z, 0, 1));
    TRY(ocl_pipeline_figures_start(on, &l->work, &sum->readback));
    return ocl_flush(on, ocl_device_queue(t->device));
}

static enum gfmul_status sum_start(struct attempt *t, size_t k)
{
    ocl_device_lock(t->device);
    const enum gfmul_status status = sum_enqueue(t, k);
    ocl_device_unlock(t->device);
    return status;
}

/* sum_take - wait for sum k, download it and add it to all that came before. */
static enum gfmul_status sum_take(struct attempt *t, size_t k, struct grid_sum *all)
{
    struct ocl_lease *l = ocl_lease_of(t);
    struct call *call = t->call;
    struct ocl_sum *sum = &l->sums.sum[k % OCL_SUMS_AHEAD];
    const size_t at = k * t->shape.grid.cell_limbs, n = ocl_sums_limbs(t), zn = t->p->z.n, len = zn - at < n ? zn - at : n;
    struct plan_figures figures;
    TRY(ocl_pipeline_figures_wait(&l->on, l->pipeline.pipeline, &sum->readback, &figures));
    if (!call_judge(call, &t->shape, &figures, k)) {
        t->outcome = OUTCOME_UNPROVED;
        return GFMUL_OK;
    }
    const enum phase phase = phase_enter(&call->clock, PHASE_DOWNLOAD);
    const enum gfmul_status status = ocl_download(&l->on, l->addend, ocl_limbs_of(sum->z.words, len), call->threads, OCL_AT_ONCE);
    phase_enter(&call->clock, phase);
    TRY(status);
    grid_add(call, all, l->addend, len, at);
    return GFMUL_OK;
}

enum gfmul_status ocl_sums_run(struct attempt *t)
{
    const struct ocl_sums *s = sums_of(t);
    const size_t sums = s->a.n + s->b.n - 1;
    const double share_a = t->p->square ? share_spectra : share_spectra / 2, products = (double)s->a.n * (double)s->b.n;
    struct grid_sum all = {&t->p->z, 0};
    double done = 0;
    TRY(cells_transform(t, &s->a, 0, share_a));
    if (!t->p->square)
        TRY(cells_transform(t, &s->b, share_a, share_spectra));
    TRY(sum_start(t, 0));
    mul_beside_operands(t->call);
    for (size_t k = 0; k < sums && t->outcome == OUTCOME_MADE; k++) {
        if (k + 1 < sums)
            TRY(sum_start(t, k + 1));
        TRY(sum_take(t, k, &all));
        done += (double)products_of(s, k);
        TRY(call_progress(t->call, share_spectra + (1 - share_spectra) * done / products));
    }
    grid_extend(t->call, &all, t->p->z.n);
    return GFMUL_OK;
}
