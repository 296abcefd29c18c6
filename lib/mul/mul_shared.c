/*
 * mul_shared.c - one product that several devices share: its operands are cut into a grid of cells, whose products are added up.
 *
 * A cell's product is a call of its own on a thread of its own, so that it finds its device, fails over to another one and is
 * checked as any product (doc/decisions/devices.md).  Cells whose products lie side by side are written to the product itself;
 * the others are made in buffers and added.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/mul_shared.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/thread_quiet.h"
#include "base/try.h"
#include "mul/call_run.h"
#include "mul/ctx_device.h"
#include "mul/device_pays.h"
#include "mul/engine.h"
#include "mul/grid.h"
#include "mul/mul_verify.h"
#include "ocl/ocl_device.h"

enum { CELLS_MOST = 16, CELL_LIMBS_LEAST = 64, STACK_BYTES = 8 << 20 }; /* drivers compile programs on this stack */

/* Nanoseconds of adding a limb on one thread, and how many threads fill the memory's bandwidth: 32 took 1.1 s for 6e9 limbs. */
static const double add_ns = 1;
enum { ADD_THREADS = 4 };

/*
 * All devices move their operands and products through the host's memory, and residues are made there.  So a limb of a cell's
 * product takes at least this, however many devices there are: on a host of four H200 22 ms for 4 cells of 1e7 limbs from and to
 * pageable memory, 5.4 of them for sums.
 */
static const double host_ns = 0.4;

/*
 * Bytes that a device needs for each limb of a product: of a plan for 5e8 by 2.5e8 limbs, and its numbers.  Products of fewer
 * limbs than OPEN_LIMBS fit where no device is open yet.
 */
static const double limb_bytes = 145;
enum { CUTS_MOST = 1 << 12, OPEN_LIMBS = 1 << 24 };

/* A cut has to save at least this share of the time of one device, because the devices work more in all. */
static const double gain_least = 0.125;

/* A cell's product. */
struct shared_cell {
    struct gfmul_ctx *ctx;
    mp_limb_t *z;
    const mp_limb_t *a, *b;
    size_t an, bn, at; /* at: its place in the product */
    bool twice;        /* of a square: the product of two different cells */
    bool direct;       /* z is in the product */
    bool ended;        /* the report is there */
    unsigned threads;
    size_t reserved; /* bytes of the memory limit that are not this cell's */
    pthread_t thread;
    bool apart; /* the thread is there */
    struct gfmul_report report;
};

struct shared {
    struct call *call;
    const struct product *p;
    uint64_t places; /* a bit for each device that has made a cell */
    struct grid_sum sum;
    unsigned n;
    struct shared_cell cell[CELLS_MOST];
};

/* ---- the grid ---- */

/* grid_count - how many products the cells make. */
static size_t grid_count(const struct grid_cells *g, bool square)
{
    return square ? g->a * (g->a + 1) / 2 : g->a * g->b;
}

/* memory_least - the memory of the smallest device that is open. */
static void memory_least(struct ocl_device *d, void *bytes)
{
    const double all = (double)ocl_device_info(d)->global_bytes;
    *(double *)bytes = fmin(*(double *)bytes, all);
}

/* sums_cost - nanoseconds of adding up the products of cells, beyond those that are written side by side. */
static double sums_cost(const struct call *call, const struct number *a, const struct number *b, const struct grid_cells *g)
{
    const double cells = (double)(g->a * g->b), limbs = (double)(grid_cell_limbs(a, g->a) + grid_cell_limbs(b, g->b));
    return (cells * limbs - (double)(a->n + b->n)) * add_ns / (call->threads < ADD_THREADS ? call->threads : ADD_THREADS);
}

/* one_cost - nanoseconds, about, of a product on one device, which cuts it if its memory is too small. */
static double one_cost(const struct call *call, size_t an, size_t bn)
{
    const struct number a = number_limbs(NULL, an), b = number_limbs(NULL, bn);
    struct grid_cells g = {1, 1};
    double bytes = INFINITY;
    ctx_device_each(call->ctx, &bytes, memory_least);
    size_t limbs = an + bn;
    while ((double)limbs * limb_bytes > bytes && g.a < CUTS_MOST && g.b < CUTS_MOST) {
        grid_cut(&g, &a, &b);
        limbs = grid_cell_limbs(&a, g.a) + grid_cell_limbs(&b, g.b);
    }
    return (double)(g.a * g.b) * device_cost(limbs) + sums_cost(call, &a, &b, &g);
}

/* grid_cost - nanoseconds, about, of a product in cells on so many devices. */
static double grid_cost(const struct call *call, const struct product *p, const struct grid_cells *g, unsigned devices)
{
    const size_t an = grid_cell_limbs(&p->a, g->a), bn = grid_cell_limbs(&p->b, g->b), cells = grid_count(g, p->square);
    const size_t rounds = (cells + devices - 1) / devices;
    return fmax((double)rounds * one_cost(call, an, bn), (double)cells * (double)(an + bn) * host_ns) +
           sums_cost(call, &p->a, &p->b, g);
}

struct grid_cells shared_grid(const struct call *call, const struct product *p, unsigned devices)
{
    const unsigned *const told = call->ctx->shared_cells;
    struct grid_cells best = {1, 1};
    double least = (1 - gain_least) * one_cost(call, p->a.n, p->b.n);
    if (told[0] > 0)
        return (struct grid_cells){told[0], told[p->square ? 0 : 1]};
    for (size_t a = 1; a <= CELLS_MOST && p->a.n / a >= CELL_LIMBS_LEAST; a++) {
        for (size_t b = p->square ? a : 1; b <= (p->square ? a : CELLS_MOST) && p->b.n / b >= CELL_LIMBS_LEAST; b++) {
            const struct grid_cells g = {a, b};
            if (a * b == 1 || grid_count(&g, p->square) > CELLS_MOST || grid_cost(call, p, &g, devices) >= least)
                continue;
            least = grid_cost(call, p, &g, devices);
            best = g;
        }
    }
    return best;
}

/* cells_set - list the cells. */
static void cells_set(struct shared *s, const struct grid_cells *g)
{
    const struct product *p = s->p;
    const size_t an = grid_cell_limbs(&p->a, g->a), bn = grid_cell_limbs(&p->b, g->b);
    s->n = 0;
    for (size_t i = 0; i < p->a.n; i += an) {
        for (size_t j = 0; j < (p->square ? i + 1 : p->b.n); j += bn) {
            struct shared_cell *const c = &s->cell[s->n++];
            *c = (struct shared_cell){.ctx = s->call->ctx,
                                      .a = p->a.limbs + i,
                                      .an = p->a.n - i < an ? p->a.n - i : an,
                                      .b = p->b.limbs + j,
                                      .bn = p->b.n - j < bn ? p->b.n - j : bn,
                                      .at = i + j,
                                      .twice = p->square && i != j};
        }
    }
    for (unsigned i = 0; i < s->n; i++)
        s->cell[i].threads = s->call->threads > s->n ? s->call->threads / s->n : 1;
}

/* direct_next - the first cell that begins at `end` or beyond, is no direct one yet, and is added once; NULL: there is none. */
static struct shared_cell *direct_next(struct shared *s, size_t end)
{
    struct shared_cell *next = NULL;
    for (unsigned i = 0; i < s->n; i++) {
        struct shared_cell *const c = &s->cell[i];
        if (c->at >= end && !c->direct && !c->twice && (!next || c->at < next->at))
            next = c;
    }
    return next;
}

/* cells_place - give each cell its place in the product or a buffer.   Errors: MEMORY */
static enum gfmul_status cells_place(struct shared *s)
{
    struct grid_sum *const sum = &s->sum;
    for (struct shared_cell *c; (c = direct_next(s, sum->top)) != NULL; sum->top = c->at + c->an + c->bn) {
        grid_extend(s->call, sum, c->at);
        c->z = s->p->z.limbs + c->at;
        c->direct = true;
    }
    for (unsigned i = 0; i < s->n; i++) {
        struct shared_cell *const c = &s->cell[i];
        void *buffer;
        if (c->direct)
            continue;
        TRY(ctx_buffer_get(s->call, (c->an + c->bn) * sizeof(mp_limb_t), &buffer));
        c->z = buffer;
    }
    return GFMUL_OK;
}

static void cells_put(struct shared *s)
{
    for (unsigned i = 0; i < s->n; i++)
        if (!s->cell[i].direct)
            ctx_buffer_put(s->call, s->cell[i].z);
}

/* ---- cells ---- */

static enum gfmul_status cell_make(struct call *call, const void *arguments)
{
    const struct shared_cell *c = arguments;
    const struct product p = product_of_limbs(c->z, c->a, c->an, c->b, c->bn);
    return p.b.n == 0 ? GFMUL_OK : product_make(call, &p, false, NULL);
}

static void *cell_run(void *arg)
{
    struct shared_cell *c = arg;
    struct call_work work = CALL_WORK(cell_make, c, 0);
    work.threads = c->threads;
    work.reserved = c->reserved;
    work.part = true;
    work.report = &c->report;
    c->report.status = call_run(c->ctx, &work);
    return NULL;
}

/* cells_start - start a thread for each cell.  They have equal shares of what the memory limit leaves. */
static void cells_start(struct shared *s)
{
    const size_t limit = s->call->ctx->opt.memory_limit, held = s->call->allocated + s->call->reserved;
    const size_t each = limit > held ? (limit - held) / s->n : 0;
    for (unsigned i = 0; i < s->n; i++) {
        s->cell[i].reserved = limit - each;
        s->cell[i].apart = thread_quiet(&s->cell[i].thread, STACK_BYTES, cell_run, &s->cell[i]);
    }
}

/* cell_end - wait for a cell, or make it here if it has no thread. */
static void cell_end(struct shared_cell *c)
{
    if (c->apart)
        pthread_join(c->thread, NULL);
    else if (!c->ended)
        cell_run(c);
    c->apart = false;
    c->ended = true;
}

/* cell_report - put a cell's figures into the report of the product.   first in: nothing has been put there yet */
static void cell_report(struct shared *s, const struct shared_cell *c, bool first)
{
    struct gfmul_report *const to = &s->call->report;
    const struct gfmul_report *const from = &c->report;
    if (first || from->plan.bound > to->plan.bound)
        to->plan = from->plan;
    to->plan.threads = s->call->threads;
    to->plan.n_slices = s->n;
    to->max_error = fmax(to->max_error, from->max_error);
    to->n_fallbacks += from->n_fallbacks;
    to->n_device_errors += from->n_device_errors;
    if (to->device_place == 0)
        to->device_place = from->device_place;
    if (from->device_place > 0)
        s->places |= UINT64_C(1) << (from->device_place - 1);
    if (from->detail[0])
        call_note(s->call, "%s", from->detail);
}

/* cells_end - wait for all cells, and add up their products; the direct ones come first.   Errors: that of the first cell */
static enum gfmul_status cells_end(struct shared *s)
{
    enum gfmul_status status = GFMUL_OK;
    unsigned done = 0;
    for (unsigned i = 0; i < s->n && s->call->monitor; i++) /* while the callback runs no cell does: it may free the operands */
        cell_end(&s->cell[i]);
    for (int direct = 1; direct >= 0; direct--) {
        for (unsigned i = 0; i < s->n; i++) {
            struct shared_cell *const c = &s->cell[i];
            if (c->direct != direct)
                continue;
            cell_end(c);
            cell_report(s, c, done == 0);
            if (status == GFMUL_OK && c->report.status != GFMUL_OK)
                status = call_fail(s->call, c->report.status, "%s", c->report.detail);
            for (int times = direct ? 0 : 1 + c->twice; times > 0 && status == GFMUL_OK; times--)
                grid_add(s->call, &s->sum, c->z, c->an + c->bn, c->at);
            done++;
            if (status == GFMUL_OK)
                status = call_progress(s->call, (double)done / s->n);
        }
    }
    if (status == GFMUL_OK)
        grid_extend(s->call, &s->sum, s->p->z.n);
    return status;
}

/* sum_check - check the whole product as the options say. */
static enum gfmul_status sum_check(struct call *call, const struct product *p)
{
    const bool decides = call->ctx->opt.rule == GFMUL_RULE_CHECKED;
    const enum gfmul_verify how = call->ctx->opt.verify;
    if (decides || how == GFMUL_VERIFY_MOD) {
        const unsigned n = call_primes(call, decides);
        if (n == 0)
            return call_fail(call, GFMUL_ERR_SIZE, "a product of %.2g bits is too large for rule checked", call->product_bits);
        TRY(call_moduli(call, n, decides));
        TRY(product_residues(call, p));
    }
    return how == GFMUL_VERIFY_GMP ? product_verify(call, p) : GFMUL_OK;
}

/* shared_make - make the product in the cells of a grid. */
static enum gfmul_status shared_make(struct shared *s, const struct grid_cells *g)
{
    cells_set(s, g);
    enum gfmul_status status = cells_place(s);
    if (status == GFMUL_OK) {
        const enum phase phase = phase_enter(&s->call->clock, PHASE_TRANSFORM);
        cells_start(s);
        status = cells_end(s);
        phase_enter(&s->call->clock, phase);
    }
    cells_put(s);
    TRY(status);
    return sum_check(s->call, s->p);
}

enum gfmul_status product_shared(struct call *call, const struct product *p, bool *made)
{
    const struct gfmul_options *opt = &call->ctx->opt;
    *made = false;
    /* a certificate and the times of kernels belong to one transform of the whole product */
    if (call->alone || !p->a.limbs || !p->b.limbs || !p->z.limbs || p->b.spectrum || p->ring > 0 || opt->certify || opt->profile)
        return GFMUL_OK;
    struct ocl_device *first;
    if (p->z.n >= OPEN_LIMBS && ctx_device_idle(call->ctx) > 1)
        TRY(ctx_device_get(call, p->z.n, &first)); /* it will be opened for this product anyway, and its memory decides */
    const unsigned devices = ctx_device_idle(call->ctx);
    if (devices < 2)
        return GFMUL_OK;
    const struct grid_cells g = shared_grid(call, p, devices);
    if (grid_is_whole(&g))
        return GFMUL_OK;
    struct shared *s = alloc_zeroed(sizeof *s);
    if (!s)
        return GFMUL_OK;
    const struct gfmul_report before = call->report;
    const double bits = number_bits(&p->z);
    if (bits > call->product_bits)
        call->product_bits = bits;
    s->call = call;
    s->p = p;
    s->sum.z = &p->z;
    const unsigned threads = call_threads_limit(call, p->z.n);
    const enum phase phase = phase_enter(&call->clock, PHASE_PLAN);
    const enum gfmul_status status = shared_make(s, &g);
    phase_enter(&call->clock, phase);
    call->threads = threads;
    for (uint64_t left = s->places; left; left &= left - 1)
        call->report.n_devices++;
    alloc_free(s);
    *made = status == GFMUL_OK || status == GFMUL_ERR_INTERRUPTED || status == GFMUL_ERR_DEVICE;
    if (*made)
        return status;
    /* too little memory for the cells, or a sum that is wrong: one device may still make it */
    const unsigned errors = call->report.n_device_errors;
    call->report = before;
    call->report.n_device_errors = errors;
    call->why[0] = '\0';
    return GFMUL_OK;
}
