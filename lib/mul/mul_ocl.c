/*
 * mul_ocl.c - engine opencl: products on a device by a pipeline of kernels, with the transfers to and from it.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/mul_ocl.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "limbs/residue.h"
#include "mul/ctx_device.h"
#include "mul/mul_verify.h"
#include "mul/programs.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_overlap.h"
#include "ocl/ocl_residue.h"
#include "ocl/ocl_staging.h"

enum { CELL_LIMBS_LEAST = 64 };

/* The spectrum of an operand that stays on a device. */
struct ocl_spectrum {
    struct spectrum head;
    struct ocl_device *device;
    struct plan_shape shape; /* of products with this operand */
    cl_mem points;
    struct digit_norms norms; /* of the operand's digits */
};

static const struct ocl_spectrum *spectrum_of(const struct attempt *t)
{
    return (const struct ocl_spectrum *)t->p->b.spectrum;
}

/* made_of - the spectrum that the attempt makes; NULL: it makes a product. */
static struct ocl_spectrum *made_of(const struct attempt *t)
{
    return (struct ocl_spectrum *)t->made;
}

/*
 * A number's units are limbs, or characters of text.   unit_bytes - bytes of one.   units - the number in host memory.
 * words_of - how many words of 32 bits, or characters, it has.
 */
static size_t unit_bytes(const struct number *x)
{
    return x->digits ? 1 : sizeof(mp_limb_t);
}

static void *units(const struct number *x)
{
    return x->digits ? (void *)x->digits : x->limbs;
}

static uint32_t words_of(const struct number *x)
{
    return (uint32_t)(x->digits ? x->n : 2 * x->n);
}

/* ---- plan ---- */

/* is_cpus - precision prime stays on the CPU, with primes of 50 bits, unless a device is named, which uses primes of 31 bits. */
static bool is_cpus(const struct attempt *t)
{
    return t->call->ctx->opt.precision == GFMUL_PRECISION_PRIME && !t->call->ctx->device_named;
}

static enum gfmul_status ocl_takes(struct attempt *t, bool *yes)
{
    const struct product *p = t->p;
    t->device = NULL;
    *yes = false;
    if (is_cpus(t))
        return GFMUL_OK;
    if (p->b.spectrum)
        t->device = ocl_device_lost(spectrum_of(t)->device) ? NULL : spectrum_of(t)->device;
    else if (p->z.words)
        t->device = p->z.device;
    else if (t->counts)
        TRY(ctx_device_take(t->call, product_limbs_about(p), t->tried, &t->device, &t->place));
    else if (t->foresight && t->foresight->unknown && ctx_device_is_unknown(t->call, product_limbs_about(p)))
        *t->foresight->unknown = true;
    else
        TRY(ctx_device_get(t->call, product_limbs_about(p), &t->device));
    *yes = t->device != NULL;
    if (*yes && t->counts && (p->b.spectrum || p->z.words))
        t->place = ctx_device_enter(t->call->ctx, t->device, product_limbs_about(p));
    if (!*yes && !t->foresight && !p->b.spectrum)
        ctx_device_missed(t->call, product_limbs_about(p));
    return GFMUL_OK;
}

/* resident_bytes - bytes of the numbers that are on the device already. */
static size_t resident_bytes(const struct product *p)
{
    return p->z.words ? (p->a.n + (p->square ? 0 : p->b.n) + p->z.n) * sizeof(mp_limb_t) : 0;
}

/* shape_find - find the shape for the request.   With the lock. */
static enum gfmul_status shape_find(void *arg)
{
    struct attempt *t = arg;
    return device_store_shape(t->call, ocl_lease_of(t)->store, &t->request, resident_bytes(t->p), &t->shape);
}

/* shape_wait - the same; numbers on the device cannot be cut, so wait for the memory of other products instead. */
static enum gfmul_status shape_wait(struct attempt *t)
{
    bool refused; /* attempt_plan judges by the status */
    ocl_device_lock(t->device);
    const enum gfmul_status status =
        t->p->z.words ? device_store_take(t->call, ocl_lease_of(t)->store, NULL, shape_find, t, &refused) : shape_find(t);
    ocl_device_unlock(t->device);
    return status;
}

static bool is_whole(const struct attempt *t)
{
    return grid_is_whole(&ocl_lease_of(t)->cells);
}

/* request_cells - set the request for the product of one cell of a and one cell of b. */
static void request_cells(struct attempt *t)
{
    const struct product *p = t->p;
    const struct grid_cells *cells = &ocl_lease_of(t)->cells;
    if (is_whole(t))
        return;
    t->request.an = 64 * grid_cell_limbs(&p->a, cells->a);
    t->request.bn = 64 * grid_cell_limbs(&p->b, cells->b);
    t->request.square = t->request.cells = false;
}

static enum gfmul_status ocl_plan(struct attempt *t)
{
    const struct product *p = t->p;
    const bool text = p->a.base != 2;
    if (text && p->a.base != p->b.base)
        return GFMUL_ERR_UNSUPPORTED;
    TRY(device_store_get(t->call->ctx, t->device, &ocl_lease_of(t)->store));
    if (p->b.spectrum) {
        t->shape = spectrum_of(t)->shape;
    } else {
        request_cells(t);
        const enum gfmul_status status = shape_wait(t);
        if (text && (status == GFMUL_ERR_SIZE || status == GFMUL_ERR_MEMORY))
            t->outcome = OUTCOME_UNFIT; /* limbs can be cut into cells */
        TRY(status);
    }
    plan_info_from_shape(&t->info, &t->shape, "");
    t->info.engine = engine_opencl.name;
    t->info.device = ocl_device_info(t->device)->name;
    t->info.threads = t->call->threads;
    t->info.n_slices = ocl_lease_of(t)->cells.a * ocl_lease_of(t)->cells.b;
    return GFMUL_OK;
}

/* cells_more - cut the longer cell in two; false: this product cannot be cut, or its cells are short already. */
static bool cells_more(struct attempt *t)
{
    const struct product *p = t->p;
    struct grid_cells *cells = &ocl_lease_of(t)->cells;
    if (p->a.base != 2 || p->z.words || p->b.spectrum)
        return false;
    if (grid_cell_limbs(&p->a, cells->a) < CELL_LIMBS_LEAST && grid_cell_limbs(&p->b, cells->b) < CELL_LIMBS_LEAST)
        return false;
    grid_cut(cells, &p->a, &p->b);
    return true;
}

static bool ocl_reduce(struct attempt *t)
{
    if (attempt_unwrapped(t))
        return true;
    if (t->shape.grid.a_cells > 1 && t->request.cells) {
        t->request.cells = false; /* sums of spectra need more memory than products of cells */
        return true;
    }
    return cells_more(t);
}

/* ---- lease ---- */

/* in_sums - whether the plan adds up the spectra of products of cells. */
static bool in_sums(const struct attempt *t)
{
    return t->shape.grid.a_cells > 1;
}

static struct number cell_of(const struct number *x, size_t cells)
{
    struct number cell = *x;
    if (cells > 1)
        cell.n = grid_cell_limbs(x, cells);
    return cell;
}

static void numbers_put(struct attempt *t)
{
    struct ocl_lease *l = ocl_lease_of(t);
    if (!t->p->z.words) {
        ocl_buffer_put(t->device, l->b.words);
        ocl_buffer_put(t->device, l->a.words);
        ocl_buffer_put(t->device, l->z.words);
    }
    l->a = l->b = l->z = (struct ocl_number){NULL, 0};
    l->a_there = l->b_there = false;
}

/* numbers_take - take buffers for the product's numbers, for two cells and their product, or for an operand and its spectrum. */
static enum gfmul_status numbers_take(struct attempt *t)
{
    struct ocl_lease *l = ocl_lease_of(t);
    const struct product *p = t->p;
    struct number a = cell_of(&p->a, ocl_lease_of(t)->cells.a), b = cell_of(&p->b, ocl_lease_of(t)->cells.b), z = p->z;
    const bool one = p->b.spectrum || (p->square && is_whole(t));
    struct ocl_spectrum *made = made_of(t);
    if (!is_whole(t))
        z.n = a.n + b.n;
    if (made) {
        TRY(ocl_take(t, b.n * sizeof(mp_limb_t), &l->b.words));
        return ocl_take(t, (size_t)device_points_bytes(&t->shape), &made->points);
    }
    if (p->z.words) {
        l->a = (struct ocl_number){p->a.words, words_of(&a)};
        l->b = (struct ocl_number){one ? NULL : p->b.words, words_of(&b)};
        l->z = (struct ocl_number){p->z.words, words_of(&z)};
        l->a_there = l->b_there = true;
        return GFMUL_OK;
    }
    TRY(ocl_take(t, z.n * unit_bytes(&z), &l->z.words));
    TRY(ocl_take(t, a.n * unit_bytes(&a), &l->a.words));
    return one ? GFMUL_OK : ocl_take(t, b.n * unit_bytes(&b), &l->b.words);
}

/* lease_put - give back what the lease holds.   numbers in: the numbers' buffers too.   spare in: keep the pipeline's buffers */
static void lease_put(struct attempt *t, bool numbers, bool spare)
{
    struct ocl_lease *l = ocl_lease_of(t);
    ocl_readback_end(t->device, &l->readback);
    ocl_sums_put(t);
    if (numbers)
        numbers_put(t);
    device_store_return(l->store, &l->pipeline, spare);
}

/* kernels_need - build the kernels that only some plans need. */
static enum gfmul_status kernels_need(struct attempt *t)
{
    const struct ocl_lease *l = ocl_lease_of(t);
    if (in_sums(t) || t->made)
        TRY(ocl_pipeline_need(&l->on, l->pipeline.pipeline, OCL_KERNELS_KEEP));
    if (in_sums(t))
        return ocl_pipeline_need(&l->on, l->pipeline.pipeline, OCL_KERNELS_SUM);
    return t->p->b.spectrum ? ocl_pipeline_need(&l->on, l->pipeline.pipeline, OCL_KERNELS_KEPT) : GFMUL_OK;
}

/* operands_take - take the attempt's own buffers. */
static enum gfmul_status operands_take(struct attempt *t, bool numbers)
{
    ocl_lease_of(t)->bytes = 0;
    if (in_sums(t))
        return ocl_sums_take(t);
    return numbers ? numbers_take(t) : GFMUL_OK;
}

/* room_try - take all buffers and return them to the pool, so that no kernels are built for a product that has no room. */
static enum gfmul_status room_try(struct attempt *t, bool numbers)
{
    struct ocl_work work;
    TRY(ocl_work_get(&ocl_lease_of(t)->on, &t->shape, &work, t->shape.square));
    const enum gfmul_status status = operands_take(t, numbers);
    ocl_work_put(t->device, &work);
    if (t->made) {
        ocl_buffer_put(t->device, made_of(t)->points);
        made_of(t)->points = NULL;
    }
    lease_put(t, numbers, false);
    return status;
}

/* all_take - take the device's part of the lease.   With the lock. */
static enum gfmul_status all_take(struct attempt *t, bool numbers)
{
    struct ocl_lease *l = ocl_lease_of(t);
    if (!device_store_has(l->store, &t->shape))
        TRY(room_try(t, numbers));
    TRY(device_store_lease(t->call, l->store, &t->shape, &l->pipeline));
    TRY(kernels_need(t));
    return operands_take(t, numbers);
}

/* lease_take - take the device's part of the lease as a whole, or nothing.   With the lock. */
static enum gfmul_status lease_take(void *arg)
{
    struct attempt *t = arg;
    const bool numbers = !ocl_lease_of(t)->z.words; /* false: an attempt that was not proved has left them */
    const enum gfmul_status status = all_take(t, numbers);
    if (status != GFMUL_OK)
        lease_put(t, numbers, false);
    return status;
}

/* staged_bytes - bytes that go through the staging rings; pinned memory bypasses them. */
static size_t staged_bytes(const struct number *x, size_t n)
{
    const size_t bytes = n * unit_bytes(x);
    return x->limbs && ocl_host_is_pinned(x->limbs, x->n * unit_bytes(x)) ? 0 : bytes;
}

/* host_take - take the host memory that the attempt needs. */
static enum gfmul_status host_take(struct attempt *t)
{
    struct ocl_lease *l = ocl_lease_of(t);
    const struct product *p = t->p;
    void *addend = NULL;
    size_t limbs = 0;
    if (in_sums(t))
        limbs = ocl_sums_limbs(t);
    else if (!is_whole(t))
        limbs = grid_cell_limbs(&p->a, ocl_lease_of(t)->cells.a) + grid_cell_limbs(&p->b, ocl_lease_of(t)->cells.b);
    if (limbs > 0)
        TRY(ctx_buffer_get(t->call, limbs * sizeof(mp_limb_t), &addend));
    l->addend = addend;
    return in_sums(t) ? ocl_sums_begin(t) : GFMUL_OK;
}

/* on_set - set up the ocl_call for functions of ocl/. */
static void on_set(struct attempt *t)
{
    struct ocl_lease *l = ocl_lease_of(t);
    l->profile.n_kernels = l->profile.n_pending = 0;
    l->on = (struct ocl_call){t->device, t->call->ctx->opt.profile ? &l->profile : NULL, t->call->why};
}

/* staging_need - get staging rings for the numbers, or for two cells of the operands. */
static enum gfmul_status staging_need(struct attempt *t)
{
    const struct product *p = t->p;
    if (p->z.words)
        return GFMUL_OK;
    const size_t an = cell_of(&p->a, ocl_lease_of(t)->cells.a).n, bn = cell_of(&p->b, ocl_lease_of(t)->cells.b).n;
    const size_t a = t->made ? 0 : staged_bytes(&p->a, an), b = p->b.spectrum ? 0 : staged_bytes(&p->b, bn);
    const size_t z = t->made ? 0 : staged_bytes(&p->z, is_whole(t) ? p->z.n : an + bn);
    const unsigned before = ocl_buffer_refused(t->device);
    const enum gfmul_status status = ocl_staging_need(&ocl_lease_of(t)->on, a > b ? a : b, z);
    if (status != GFMUL_OK && ocl_buffer_refused(t->device) != before && !ocl_device_lost(t->device))
        t->outcome = OUTCOME_REFUSED;
    return status;
}

/* device_take - take what the attempt needs on the device; from then on the product is in flight. */
static enum gfmul_status device_take(struct attempt *t)
{
    struct ocl_lease *l = ocl_lease_of(t);
    bool refused;
    ocl_device_lock(t->device);
    const enum gfmul_status status = device_store_take(t->call, l->store, &t->shape, lease_take, t, &refused);
    t->outcome = refused ? OUTCOME_REFUSED : OUTCOME_MADE;
    if (status == GFMUL_OK) {
        l->bytes += l->pipeline.work.bytes;
        ocl_device_depart(t->device, l->bytes);
    } else {
        l->bytes = 0;
        ocl_device_unlock(t->device);
    }
    return status;
}

static enum gfmul_status ocl_hold(struct attempt *t, enum gfmul_status (*body)(struct attempt *t))
{
    struct ocl_lease l;
    l.cells = (struct grid_cells){1, 1};
    t->lease = &l;
    const enum gfmul_status status = body(t);
    t->lease = NULL;
    return status;
}

static enum gfmul_status ocl_lease(struct attempt *t)
{
    struct ocl_lease *l = ocl_lease_of(t);
    if (!t->resumed)
        memset(l, 0, offsetof(struct ocl_lease, store));
    else if (!is_whole(t))
        numbers_put(t);
    on_set(t);
    TRY(host_take(t));
    enum gfmul_status status = device_take(t);
    if (status == GFMUL_OK)
        status = staging_need(t);
    if (t->outcome == OUTCOME_REFUSED && t->p->z.digits)
        t->outcome = OUTCOME_UNFIT;
    return status;
}

static bool ocl_release(struct attempt *t, enum gfmul_status status, bool again)
{
    struct ocl_lease *l = ocl_lease_of(t);
    const bool stay = again && l->z.words && !t->p->z.words && is_whole(t);
    ocl_profile_drop(&l->profile);
    if (l->bytes > 0) {
        if (status != GFMUL_OK) {
            ocl_drain(t->device); /* no enqueued command may still use the buffers when they go back */
            l->pipeline.work.cleared = false;
        }
        ocl_device_lock(t->device);
        lease_put(t, !stay, true);
        ocl_device_arrive(t->device, l->bytes);
        l->bytes = 0;
    } else if (!stay) {
        numbers_put(t);
    }
    ocl_sums_end(t);
    ctx_buffer_put(t->call, l->addend);
    l->addend = NULL;
    return stay;
}

enum gfmul_status programs_build(struct attempt *t)
{
    struct programs *x = t->foresight->arg;
    if (!t->device)
        return GFMUL_OK;
    return ocl_pipeline_programs(OCL_ON(t->device, t->call->why), &t->shape, x->part, x->parts, &x->missing);
}

/* ---- run ---- */

/*
 * way_start - start an operand's upload, if it is not there.  Pageable memory goes through the staging ring at once; pinned
 * memory is uploaded later, while kernels run.
 *
 *   from   out  set to the pinned memory, if it is pinned
 *   event  out  set to the end of the upload, if one was started
 */
static enum gfmul_status way_start(struct attempt *t, const struct number *x, const struct ocl_number *to, bool there,
                                   const void **from, cl_event *event)
{
    const struct ocl_span span = {to->words, 0, x->n * unit_bytes(x)};
    if (!to->words || there)
        return GFMUL_OK;
    if (x->limbs && ocl_host_is_pinned(x->limbs, span.bytes)) {
        *from = x->limbs;
        return GFMUL_OK;
    }
    const enum phase phase = phase_enter(&t->call->clock, PHASE_UPLOAD);
    /* it need not wait: a buffer returns to the pool only when its product has ended, so no command still uses it */
    const enum gfmul_status status = ocl_upload_start(&ocl_lease_of(t)->on, span, units(x), t->call->threads, OCL_AT_ONCE, event);
    phase_enter(&t->call->clock, phase);
    return status;
}

/* operands_up - upload the operands that are not in pinned memory, and wait for them. */
static enum gfmul_status operands_up(struct attempt *t, const struct product *p, struct ocl_ends *ends)
{
    const struct ocl_lease *l = ocl_lease_of(t);
    cl_event event[2] = {NULL, NULL};
    enum gfmul_status status = way_start(t, &p->a, &l->a, l->a_there, &ends->a_from, &event[0]);
    if (status == GFMUL_OK)
        status = way_start(t, &p->b, &l->b, l->b_there, &ends->b_from, &event[1]);
    for (unsigned i = 0; i < 2; i++) {
        const enum gfmul_status came = ocl_event_end(&l->on, &event[i], "an operand's transfer");
        status = status == GFMUL_OK ? came : status;
    }
    return status;
}

/* cell_end - read the figures, and wait for the cell's commands to end even if that failed. */
static enum gfmul_status cell_end(struct attempt *t, const struct ocl_ends *ends, struct ocl_readback *readback, cl_event done,
                                  struct plan_figures *figures)
{
    const struct ocl_lease *l = ocl_lease_of(t);
    mul_beside_operands(t->call);
    const enum gfmul_status noted = ocl_pipeline_figures_wait(&l->on, l->pipeline.pipeline, readback, figures);
    phase_enter(&t->call->clock, PHASE_DOWNLOAD);
    const enum gfmul_status ended = ocl_overlap_wait(noted == GFMUL_OK ? &l->on : OCL_ON(t->device, NULL), ends, done);
    phase_enter(&t->call->clock, PHASE_TRANSFORM);
    return noted == GFMUL_OK ? ended : noted;
}

/*
 * resident_check - the residue check of rule checked, on the device, for a product that stays there.
 * A wrong product counts as not proved if its digits are not proved.   Errors: VERIFY if they are.
 */
static enum gfmul_status resident_check(struct attempt *t)
{
    struct ocl_lease *l = ocl_lease_of(t);
    struct call *call = t->call;
    const bool square = !l->b.words;
    const struct ocl_residue_number number[] = {
        {l->z.words, l->z.n_words}, {l->a.words, l->a.n_words}, {l->b.words, l->b.n_words}};
    uint64_t prime[RESIDUE_PRIMES_MAX], r[OCL_RESIDUE_NUMBERS][RESIDUE_PRIMES_MAX];
    const unsigned n = call_primes(call, true);
    if (n == 0)
        return GFMUL_ERR_SIZE;
    TRY(call_moduli(call, n, false));
    for (unsigned k = 0; k < call->n_moduli; k++)
        prime[k] = call->moduli[k].p;
    const enum phase phase = phase_enter(&call->clock, PHASE_VERIFY);
    ocl_device_lock(t->device);
    const enum gfmul_status status = ocl_residues(&l->on, number, square ? 2 : 3, false, call->n_moduli, prime, r);
    ocl_device_unlock(t->device);
    phase_enter(&call->clock, phase);
    TRY(status);
    const bool right = mul_residues_agree(call, call->moduli, call->n_moduli, r[0], r[1], r[square ? 1 : 2]) == call->n_moduli;
    t->outcome = right ? OUTCOME_MADE : OUTCOME_UNPROVED;
    if (right || t->shape.rule == GFMUL_RULE_CHECKED)
        return GFMUL_OK;
    return call_fail(call, GFMUL_ERR_VERIFY, "the product on the device is wrong by its residue");
}

/* cell_down - download a product into pageable memory through the staging ring. */
static enum gfmul_status cell_down(struct attempt *t, const struct number *z)
{
    struct call *call = t->call;
    const enum phase phase = phase_enter(&call->clock, PHASE_DOWNLOAD);
    const struct ocl_lease *l = ocl_lease_of(t);
    const enum gfmul_status status =
        ocl_download(&l->on, units(z), (struct ocl_span){l->z.words, 0, z->n * unit_bytes(z)}, call->threads, OCL_AT_ONCE);
    phase_enter(&call->clock, phase);
    return status;
}

/* cell_run - upload, multiply and download the whole product or that of two cells; sets the outcome.   i in: the cell's number */
static enum gfmul_status cell_run(struct attempt *t, const struct product *p, size_t i)
{
    struct ocl_lease *l = ocl_lease_of(t);
    struct call *call = t->call;
    const struct number *z = &p->z;
    const struct ocl_spectrum *spectrum = spectrum_of(t);
    struct ocl_ends ends = {.a = {l->a.words, words_of(&p->a)},
                            .b = {l->b.words, l->b.words ? words_of(&p->b) : 0},
                            .z = {l->z.words, words_of(z)},
                            .spectrum = spectrum ? spectrum->points : NULL,
                            .work = mul_beside_work,
                            .arg = call};
    struct ocl_readback readback;
    struct plan_figures figures;
    cl_event done;
    if (z->limbs && ocl_host_is_pinned(z->limbs, z->n * sizeof(mp_limb_t)))
        ends.z_to = z->limbs;
    if (ends.z_to && call->beside && z->limbs == t->p->z.limbs) /* not of a cell */
        ends.arrived = mul_beside_arrived;
    TRY(operands_up(t, p, &ends));
    TRY(ocl_overlap_mul(&l->on, l->pipeline.pipeline, &l->pipeline.work, &ends, &readback, &done));
    TRY(cell_end(t, &ends, &readback, done, &figures));
    l->a_there = l->b_there = true;
    if (spectrum)
        figures.b = spectrum->norms;
    figures.max_energy = HUGE_VAL;
    if (!call_judge(call, &t->shape, &figures, i))
        t->outcome = OUTCOME_UNPROVED;
    else if (z->words)
        return call->ctx->opt.rule == GFMUL_RULE_CHECKED ? resident_check(t) : GFMUL_OK;
    else if (!ends.z_to)
        return cell_down(t, z);
    return GFMUL_OK;
}

/* cells_run - multiply cell by cell, and add the products up on the host.  Neighbours share a cell, which is uploaded once. */
static enum gfmul_status cells_run(struct attempt *t)
{
    const struct product *p = t->p;
    struct ocl_lease *l = ocl_lease_of(t);
    const size_t an = grid_cell_limbs(&p->a, l->cells.a), bn = grid_cell_limbs(&p->b, l->cells.b);
    const size_t columns = (p->b.n - 1) / bn + 1;
    struct grid_sum sum = {&p->z, 0};
    double done = 0;
    for (size_t i = 0, n = 0; i * an < p->a.n; i++) {
        for (size_t k = 0; k < columns; k++, n++) {
            const size_t j = i % 2 ? columns - 1 - k : k, pn = p->a.n - i * an < an ? p->a.n - i * an : an,
                         qn = p->b.n - j * bn < bn ? p->b.n - j * bn : bn;
            const struct product cell = {.z = number_limbs(l->addend, pn + qn),
                                         .a = number_limbs(p->a.limbs + i * an, pn),
                                         .b = number_limbs(p->b.limbs + j * bn, qn)};
            l->a_there = k > 0; /* kernels only read the operands */
            l->b_there = n > 0 && k == 0;
            TRY(cell_run(t, &cell, n));
            if (t->outcome != OUTCOME_MADE)
                return GFMUL_OK;
            grid_add(t->call, &sum, l->addend, pn + qn, i * an + j * bn);
            done += (double)pn * (double)qn;
            TRY(call_progress(t->call, done / ((double)p->a.n * (double)p->b.n)));
        }
    }
    grid_extend(t->call, &sum, p->z.n);
    return GFMUL_OK;
}

/* kernel_times_report - put the times of the product's kernels into the report. */
static enum gfmul_status kernel_times_report(struct attempt *t)
{
    struct call *call = t->call;
    const struct ocl_call *on = &ocl_lease_of(t)->on;
    const struct ocl_profile *profile = on->profile;
    if (!profile)
        return GFMUL_OK;
    TRY(ocl_profile_read(on));
    call->n_kernels = profile->n_kernels;
    memcpy(call->kernel, profile->kernel, profile->n_kernels * sizeof profile->kernel[0]);
    return GFMUL_OK;
}

static enum gfmul_status ocl_run(struct attempt *t)
{
    TRY(call_progress(t->call, 0));
    if (in_sums(t))
        TRY(ocl_sums_run(t));
    else if (is_whole(t))
        TRY(cell_run(t, t->p, 0));
    else
        TRY(cells_run(t));
    return kernel_times_report(t);
}

/* ---- spectra ---- */

static void ocl_forget(struct gfmul_ctx *ctx, struct spectrum *head)
{
    struct ocl_spectrum *x = (struct ocl_spectrum *)head;
    (void)ctx;
    ocl_buffer_put(x->device, x->points); /* each call waits for its own commands */
    alloc_free(x);
}

/* keep_run - upload the operand and make its spectrum. */
static enum gfmul_status keep_run(struct attempt *t)
{
    struct ocl_lease *l = ocl_lease_of(t);
    const struct number *b = &t->p->b;
    struct plan_figures figures;
    TRY(ocl_upload(&l->on, ocl_limbs_of(l->b.words, b->n), b->limbs, t->call->threads, OCL_AT_ONCE));
    ocl_device_lock(t->device);
    enum gfmul_status status = ocl_pipeline_keep(&l->on, l->pipeline.pipeline, &l->pipeline.work, made_of(t)->points,
                                                 (struct ocl_number){l->b.words, words_of(b)});
    if (status == GFMUL_OK)
        status = ocl_pipeline_figures_start(&l->on, &l->pipeline.work, &l->readback);
    ocl_device_unlock(t->device);
    TRY(status);
    TRY(ocl_pipeline_figures_wait(&l->on, l->pipeline.pipeline, &l->readback, &figures));
    made_of(t)->norms = figures.a;
    return GFMUL_OK;
}

/* keep_held - an attempt that makes a spectrum: plan, lease, run, release; the lease is held. */
static enum gfmul_status keep_held(struct attempt *t)
{
    const size_t an = t->p->a.n, bn = t->p->b.n;
    ctx_plan_request(t->call, &t->request, 2, 64 * (an > bn ? an : bn), 64 * (an > bn ? bn : an), false);
    t->request.kept = true;
    TRY(ocl_plan(t));
    made_of(t)->shape = t->shape;
    enum gfmul_status status = ocl_lease(t);
    if (status == GFMUL_OK)
        status = keep_run(t);
    ocl_release(t, status, false);
    return status;
}

static enum gfmul_status ocl_keep(struct attempt *t, struct spectrum **result, bool worst_case)
{
    struct ocl_spectrum *x = alloc_zeroed(sizeof *x);
    (void)worst_case; /* if the spectrum does not fit a product, a plain product is made */
    if (!x)
        return GFMUL_ERR_MEMORY;
    x->head.engine = &engine_opencl;
    x->device = t->device;
    t->made = &x->head;
    const enum gfmul_status status = ocl_hold(t, keep_held);
    if (status == GFMUL_OK)
        *result = &x->head;
    else
        ocl_forget(t->call->ctx, &x->head);
    return status;
}

const struct engine engine_opencl = {
    .name = "opencl",
    .id = GFMUL_ENGINE_OPENCL,
    .trust = TRUST_HARDWARE,
    .takes = ocl_takes,
    .hold = ocl_hold,
    .plan = ocl_plan,
    .lease = ocl_lease,
    .run = ocl_run,
    .release = ocl_release,
    .smaller = attempt_smaller,
    .reduce = ocl_reduce,
    .keep = ocl_keep,
    .forget = ocl_forget,
};
