/*
 * mul_ocl.c - products on an OpenCL device: digits, spectra, product, digits, carry, by the kernels of a pipeline.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "limbs/mul_small.h"
#include "limbs/residue.h"
#include "mul/ctx.h"
#include "mul/mul_ocl_kept.h"
#include "mul/mul_ocl_pieces.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_overlap.h"
#include "ocl/ocl_residue.h"
#include "ocl/ocl_staging.h"
#include "plan/plan_dd.h"

#ifdef HAVE_OPENCL
/* One product on one device. */
struct ocl_product {
    struct call *call;
    struct ocl_device *d;
    struct ocl_kept *kept;
    const struct product *p;
    bool *fits; /* with b's kept spectrum: whether what was measured allows it */
};

/* unit_bytes - of a limb or a character. */
static size_t unit_bytes(const struct number *x)
{
    return x->digits ? 1 : sizeof(mp_limb_t);
}

/* number_units - a number in host memory. */
static void *number_units(const struct number *x)
{
    return x->digits ? (void *)x->digits : x->limbs;
}

/* number_get - room for a number on the device. */
static enum gfmul_status number_get(const struct ocl_product *run, const struct number *x, struct ocl_number *number)
{
    number->n_words = (uint32_t)(x->digits ? x->n : 2 * x->n);
    return ocl_kept_buffer(run->call, run->kept, x->n * unit_bytes(x), &number->words);
}

static void report_plan(struct gfmul_plan_info *info, const struct call *call, struct ocl_device *d,
                        const struct plan_shape *shape)
{
    plan_info_from_shape(info, shape, "");
    info->engine = "opencl";
    info->device = ocl_device_info(d)->name;
    info->threads = call->threads;
}

/* The numbers of a product, where they come from and go to, and what on the way is not behind us. */
struct numbers {
    struct ocl_ends ends;
    cl_event way[2]; /* uploads through the staging ring; NULL: none */
};

/* numbers_there - no upload is left to wait for, nor to enqueue. */
static void numbers_there(struct numbers *on)
{
    for (unsigned i = 0; i < 2; i++) {
        if (on->way[i])
            clReleaseEvent(on->way[i]);
        on->way[i] = NULL;
    }
    on->ends.a_from = on->ends.b_from = NULL;
}

/* numbers_bytes - of their buffers. */
static size_t numbers_bytes(const struct product *p, const struct numbers *on)
{
    return ((on->ends.b.words ? p->a.n + p->b.n : p->a.n) + p->z.n) * unit_bytes(&p->a);
}

/* value_limit - coefficients below it are rounded to the integer next to them. */
static double value_limit(const struct plan_shape *s)
{
    if (s->precision == GFMUL_PRECISION_FLOAT)
        return s->float_pairs ? FLOAT_PAIRS_VALUE_LIMIT : FLOAT_VALUE_LIMIT;
    return plan_is_dd(s) ? DD_VALUE_LIMIT : ROUND_VALUE_LIMIT;
}

/* figures_allow - whether what the kernels recorded proves the product, or (rule checked) makes it credible. */
static bool figures_allow(struct call *call, const struct plan_shape *s, const struct ocl_figures *figures)
{
    call->report.max_error = fmin(figures->max_error, 0.5); /* infinite: there were NaNs */
    if (s->rule == GFMUL_RULE_CHECKED) {
        call->report.plan.bound = plan_error_model(s, &figures->a, &figures->b);
        return call->report.plan.bound < CHECKED_ERROR_LIMIT && figures->max_error < CHECKED_ERROR_LIMIT &&
               figures->max_value < ROUND_VALUE_LIMIT;
    }
    if (!(figures->max_value < value_limit(s))) /* not rounded at all */
        return false;
    if (!s->bound.norms_measured) /* a plan for any operands */
        return plan_bound_decides(s->bound.value, figures->max_error);
    const double bound = plan_bound_posterior(s, &figures->a, &figures->b, figures->max_value, HUGE_VAL, &call->report.plan.k);
    call->report.plan.bound = bound;
    return plan_bound_decides(bound, figures->max_error);
}

/*
 * product_is_right - the residue check that the rule checked lives by, whatever the options say; it runs on the device.
 *
 *   right  out  false: a wrong product by digits that are not proved.   A wrong one by others: VERIFY.
 */
static enum gfmul_status product_is_right(const struct ocl_product *p, const struct plan_shape *s, const struct numbers *on,
                                          bool *right)
{
    struct call *call = p->call;
    const struct ocl_number *number[3] = {&on->ends.a, on->ends.b.words ? &on->ends.b : &on->ends.a, &on->ends.z};
    const uint64_t prime = ctx_prime(call), start = clock_ns();
    uint64_t r[3];
    enum gfmul_status status = GFMUL_OK;
    ocl_device_lock(p->d);
    for (unsigned i = 0; i < 3 && status == GFMUL_OK; i++)
        status = ocl_residue(p->d, number[i]->words, number[i]->n_words, p->p->a.digits != NULL, prime, &r[i], call->profile,
                             call->report.detail);
    ocl_device_unlock(p->d);
    if (status != GFMUL_OK)
        return status;
    *right = residue_mul(r[0], r[1], prime) == r[2];
    call->report.verify_ns += clock_ns() - start;
    if (*right || s->rule == GFMUL_RULE_CHECKED)
        return GFMUL_OK;
    call_detail(call, "the product on the device is wrong by its residue");
    return GFMUL_ERR_VERIFY;
}

/*
 * product_run - the product by one pipeline, which sees its shape's bound kept (fits) or not.
 * Needs the device's lock, which is given back: others' kernels run between this product's, while it waits for transfers.
 */
static enum gfmul_status product_run(const struct ocl_product *p, const struct plan_shape *shape, struct numbers *on, bool *fits)
{
    struct call *call = p->call;
    char *detail = call->report.detail;
    struct ocl_lease lease;
    struct ocl_figures figures;
    struct ocl_note note = {NULL, NULL, false};
    cl_event done = NULL;
    const uint64_t start = clock_ns();
    enum gfmul_status status = ocl_kept_lease(call, p->kept, shape, &lease);
    call->report.plan_ns += clock_ns() - start; /* kernels, tables, buffers: those of the first product */
    ocl_device_depart(p->d, lease.bytes);
    for (unsigned i = 0; i < 2 && status == GFMUL_OK; i++) {
        if (on->way[i])
            status = ocl_event_wait(p->d, on->way[i], "an operand's transfer", detail);
    }
    if (status == GFMUL_OK)
        status = ocl_overlap_mul(p->d, lease.pipeline, &lease.work, &on->ends, &note, &done, call->profile, detail);
    const bool enqueued = status == GFMUL_OK;
    if (enqueued) {
        mul_beside_operands(call);
        status = ocl_pipeline_noted(lease.pipeline, &note, &figures, detail);
        const uint64_t noted = clock_ns(), verified = call->report.verify_ns;
        const enum gfmul_status ended = ocl_overlap_wait(p->d, &on->ends, done, status == GFMUL_OK ? detail : NULL);
        call->report.download_ns += clock_ns() - noted - (call->report.verify_ns - verified); /* residues of what came */
        status = status == GFMUL_OK ? ended : status;
    }
    if (status == GFMUL_OK && p->p->b.on_device)
        figures.b = p->p->b.on_device->norms;
    if (status == GFMUL_OK)
        *fits = figures_allow(call, shape, &figures);
    else
        lease.work.cleared = false;
    ocl_device_lock(p->d);
    ocl_kept_return(p->kept, &lease);
    ocl_device_arrive(p->d, lease.bytes);
    if (status == GFMUL_OK && *fits && call->ctx->opt.rule == GFMUL_RULE_CHECKED && !p->p->b.on_device)
        status = product_is_right(p, shape, on, fits);
    return status;
}

/*
 * product_on_device - a product of numbers on the device, or on their way there: the expected norms first (rule checked: expected
 * errors); as long as what is measured is too large, smaller digits.  The plan for the worst case is the last one.
 */
static enum gfmul_status product_on_device(const struct ocl_product *p, struct numbers *on)
{
    struct call *call = p->call;
    struct plan_request request;
    struct plan_shape shape;
    enum gfmul_status status;
    bool fits;
    ctx_plan_request(call, &request, p->p->a.base, number_size(&p->p->a), number_size(&p->p->b), p->p->square);
    do {
        const uint64_t start = clock_ns(), elsewhere = call->report.plan_ns + call->report.verify_ns;
        fits = true;
        ocl_device_lock(p->d);
        status = ocl_kept_shape(call, p->kept, &request, numbers_bytes(p->p, on), &shape);
        if (status == GFMUL_ERR_MEMORY) { /* there was enough, but for tables of other products, or other threads' numbers */
            ocl_kept_trim(p->kept);
            do
                status = ocl_kept_shape(call, p->kept, &request, numbers_bytes(p->p, on), &shape);
            while (status == GFMUL_ERR_MEMORY && ocl_device_await(p->d));
        }
        call->report.plan_ns += clock_ns() - start;
        if (status != GFMUL_OK) {
            ocl_device_unlock(p->d);
            break;
        }
        report_plan(&call->report.plan, call, p->d, &shape);
        status = product_run(p, &shape, on, &fits);
        if (status == GFMUL_OK)
            numbers_there(on);
        if (status == GFMUL_OK && !fits) {
            if (shape.rule != GFMUL_RULE_CHECKED && !shape.bound.norms_measured)
                status = mul_not_rounded(call);
            call->report.n_fallbacks += status == GFMUL_OK;
            plan_request_next(&request, &shape);
        }
        call->report.transform_ns += clock_ns() - start - (call->report.plan_ns + call->report.verify_ns - elsewhere);
    } while (status == GFMUL_OK && !fits);
    return status;
}

/* product_with - the product of a number and a kept spectrum, by the plan that this was made for. */
static enum gfmul_status product_with(const struct ocl_product *p, struct numbers *on)
{
    struct call *call = p->call;
    const uint64_t start = clock_ns(), elsewhere = call->report.plan_ns + call->report.verify_ns;
    const struct mul_ocl_spectrum *with = p->p->b.on_device;
    on->ends.spectrum = with->points;
    ocl_device_lock(p->d);
    report_plan(&call->report.plan, call, p->d, &with->shape);
    enum gfmul_status status = product_run(p, &with->shape, on, p->fits);
    call->report.transform_ns += clock_ns() - start - (call->report.plan_ns + call->report.verify_ns - elsewhere);
    return status;
}

/* number_begin - room for an operand on the device, and its way there: from pinned memory later, other memory by the ring now. */
static enum gfmul_status number_begin(const struct ocl_product *run, const struct number *x, struct ocl_number *number,
                                      const void **from, cl_event *way)
{
    const size_t bytes = x->n * unit_bytes(x);
    enum gfmul_status status = number_get(run, x, number);
    *from = status == GFMUL_OK && x->limbs && ocl_host_is_pinned(run->d, x->limbs, bytes) ? x->limbs : NULL;
    if (status != GFMUL_OK || *from)
        return status;
    /* behind nothing: a buffer comes back to the pool when its product has ended, so that no command still uses it */
    return ocl_upload_start(run->d, number->words, 0, number_units(x), bytes, run->call->threads, OCL_AT_ONCE, way,
                            run->call->report.detail);
}

/*
 * refused_since - whether a product failed for its length: the device has less memory than it had, since another thread or
 * process has it, or no transform is long enough for its digits now that those of the first plan were not proved.
 */
static bool refused_since(const struct ocl_device *d, unsigned before, enum gfmul_status status)
{
    return status == GFMUL_ERR_MEMORY || status == GFMUL_ERR_SIZE ||
           (status == GFMUL_ERR_DEVICE && !ocl_device_lost(d) && ocl_buffer_refused(d) != before);
}

/* product_whole - a product that the device has room for: up, there, down. */
static enum gfmul_status product_whole(const struct ocl_product *run)
{
    struct call *call = run->call;
    struct ocl_device *d = run->d;
    const struct product *p = run->p;
    const bool with = p->b.on_device != NULL;
    const size_t z_bytes = p->z.n * unit_bytes(&p->z);
    struct numbers on;
    memset(&on, 0, sizeof on);
    uint64_t start = clock_ns();
    enum gfmul_status status = number_get(run, &p->z, &on.ends.z);
    if (status == GFMUL_OK && p->z.limbs && ocl_host_is_pinned(d, p->z.limbs, z_bytes))
        on.ends.z_to = p->z.limbs;
    if (on.ends.z_to && call->beside && call->beside->z.p == p->z.limbs) /* not of a piece */
        on.ends.came = mul_beside_came;
    on.ends.work = mul_beside_work;
    on.ends.arg = call;
    if (status == GFMUL_OK)
        status = number_begin(run, &p->a, &on.ends.a, &on.ends.a_from, &on.way[0]);
    if (status == GFMUL_OK && !p->square && !with)
        status = number_begin(run, &p->b, &on.ends.b, &on.ends.b_from, &on.way[1]);
    const uint64_t up_ns = clock_ns() - start;
    call->report.upload_ns += up_ns;
    call->report.transform_ns += up_ns;
    if (status == GFMUL_OK)
        status = with ? product_with(run, &on) : product_on_device(run, &on);
    if (status == GFMUL_OK && !on.ends.z_to && (!with || *run->fits)) {
        start = clock_ns();
        status =
            ocl_download(d, number_units(&p->z), on.ends.z.words, 0, z_bytes, call->threads, OCL_AT_ONCE, call->report.detail);
        const uint64_t down_ns = clock_ns() - start;
        call->report.download_ns += down_ns;
        call->report.transform_ns += down_ns;
    }
    if (status != GFMUL_OK)
        ocl_drain(d); /* what was enqueued must not outlive the buffers' owners */
    numbers_there(&on);
    ocl_buffer_put(d, on.ends.b.words);
    ocl_buffer_put(d, on.ends.a.words);
    ocl_buffer_put(d, on.ends.z.words);
    return status;
}

/* Operands cut into so many parts, for products of two of them. */
struct parts {
    size_t a, b;
};

/*
 * parts_choose - into how many parts either operand is cut for a product of two of them to have room.
 *
 *   sums   in   rule knuth: so are sums of products of pieces, mul_ocl_pieces's: shape->grid.a_pieces > 1, *parts 1, 1
 *   parts  i/o  at least so many;  shape  out  of the products of two parts
 * With the device's lock.
 */
static enum gfmul_status parts_choose(const struct ocl_product *run, bool sums, struct parts *parts, struct plan_shape *shape)
{
    for (;;) {
        struct plan_request request;
        const size_t pn = (run->p->a.n - 1) / parts->a + 1, qn = (run->p->b.n - 1) / parts->b + 1;
        const bool whole = parts->a == 1 && parts->b == 1;
        ctx_plan_request(run->call, &request, 2, 64 * pn, 64 * qn, run->p->square && whole);
        request.pieces = sums && request.rule == GFMUL_RULE_KNUTH && whole;
        enum gfmul_status status = ocl_kept_shape(run->call, run->kept, &request, 0, shape);
        if ((status != GFMUL_ERR_MEMORY && status != GFMUL_ERR_SIZE) || (pn < 64 && qn < 64))
            return status;
        *(pn >= qn ? &parts->a : &parts->b) *= 2;
    }
}

/* product_parts - part by part, added up on the host. */
static enum gfmul_status product_parts(const struct ocl_product *run, struct parts parts)
{
    const struct product *p = run->p;
    mp_limb_t *z = p->z.limbs;
    const size_t an = (p->a.n - 1) / parts.a + 1, bn = (p->b.n - 1) / parts.b + 1, zn = p->z.n;
    struct call *call = run->call;
    void *part = NULL;
    double done = 0, max_error = 0, bound = 0;
    enum gfmul_status status = ctx_buffer_get(call, (an + bn) * sizeof(mp_limb_t), &part);
    if (status != GFMUL_OK)
        return status;
    memset(z, 0, zn * sizeof *z);
    for (size_t i = 0; i < p->a.n && status == GFMUL_OK; i += an) {
        for (size_t j = 0; j < p->b.n && status == GFMUL_OK; j += bn) {
            const size_t pn = p->a.n - i < an ? p->a.n - i : an, qn = p->b.n - j < bn ? p->b.n - j : bn;
            const struct product cell = {
                .z = number_limbs(part, pn + qn), .a = number_limbs(p->a.limbs + i, pn), .b = number_limbs(p->b.limbs + j, qn)};
            const struct ocl_product of_cell = {call, run->d, run->kept, &cell, run->fits};
            if ((status = product_whole(&of_cell)) != GFMUL_OK)
                break;
            max_error = fmax(max_error, call->report.max_error);
            bound = fmax(bound, call->report.plan.bound);
            const uint64_t start = clock_ns();
            mpn_add(z + i + j, z + i + j, (mp_size_t)(zn - i - j), part, (mp_size_t)(pn + qn));
            call->report.carry_ns += clock_ns() - start;
            done += (double)pn * (double)qn;
            status = call_progress(call, done / ((double)p->a.n * (double)p->b.n));
        }
    }
    call->report.plan.n_slices = parts.a * parts.b;
    call->report.max_error = max_error;
    call->report.plan.bound = bound;
    ctx_buffer_put(call, part);
    return status;
}

/* product_of_limbs - whole, or in as many parts as there is memory for. */
static enum gfmul_status product_of_limbs(const struct ocl_product *run)
{
    struct call *call = run->call;
    struct ocl_device *d = run->d;
    struct parts parts = {1, 1};
    bool sums = true;
    enum gfmul_status status = GFMUL_OK;
    while (status == GFMUL_OK) {
        struct plan_shape shape;
        const unsigned refused = ocl_buffer_refused(d);
        ocl_device_lock(d);
        status = parts_choose(run, sums, &parts, &shape);
        ocl_device_unlock(d);
        if (status != GFMUL_OK)
            break;
        const bool whole = parts.a == 1 && parts.b == 1, added = shape.grid.a_pieces > 1;
        if (added)
            report_plan(&call->report.plan, call, d, &shape);
        status = added   ? mul_ocl_pieces(call, d, run->kept, &shape, run->p)
                 : whole ? product_whole(run)
                         : product_parts(run, parts);
        const size_t pn = (run->p->a.n - 1) / parts.a + 1, qn = (run->p->b.n - 1) / parts.b + 1;
        if (!refused_since(d, refused, status) || (pn < 256 && qn < 256))
            break;
        /* with all that is idle given back, and in smaller parts, or in whole products of parts: sums need more */
        mul_beside_forget(call);
        ocl_device_lock(d);
        ocl_kept_trim(run->kept);
        ocl_device_unlock(d);
        if (added)
            sums = false;
        else
            *(pn >= qn ? &parts.a : &parts.b) *= 2;
        call->report.detail[0] = '\0';
        status = GFMUL_OK;
    }
    return status;
}

/* product_resident - of numbers that are on the device and stay there; the kernels have run when it returns. */
static enum gfmul_status product_resident(const struct ocl_product *run)
{
    const struct product *p = run->p;
    struct numbers on;
    memset(&on, 0, sizeof on);
    on.ends.a = (struct ocl_number){p->a.words, (uint32_t)(2 * p->a.n)};
    if (!p->square)
        on.ends.b = (struct ocl_number){p->b.words, (uint32_t)(2 * p->b.n)};
    on.ends.z = (struct ocl_number){p->z.words, (uint32_t)(2 * p->z.n)};
    return product_on_device(run, &on);
}

enum gfmul_status mul_ocl_keep(struct call *call, struct ocl_device *d, struct mul_ocl_spectrum **result, const struct number *b,
                               size_t max_an)
{
    struct ocl_product run = {.call = call, .d = d};
    const size_t long_n = max_an > b->n ? max_an : b->n, short_n = max_an > b->n ? b->n : max_an;
    struct mul_ocl_spectrum *k = alloc_aligned(sizeof *k);
    struct plan_request request;
    struct ocl_lease lease;
    struct ocl_note note = {NULL, NULL, false};
    struct ocl_figures figures;
    struct ocl_number number = {NULL, 0};
    cl_event way = NULL;
    char *detail = call->report.detail;
    *result = NULL;
    if (!k)
        return GFMUL_ERR_MEMORY;
    memset(k, 0, sizeof *k);
    memset(&lease, 0, sizeof lease);
    k->d = d;
    k->bn = b->n;
    ctx_plan_request(call, &request, 2, 64 * long_n, 64 * short_n, false);
    enum gfmul_status status = ocl_kept_get(call->ctx, d, &run.kept);
    if (status != GFMUL_OK)
        goto out;
    struct ocl_kept *const kept = run.kept;
    if ((status = number_get(&run, b, &number)) == GFMUL_OK)
        status =
            ocl_upload_start(d, number.words, 0, b->limbs, b->n * sizeof(mp_limb_t), call->threads, OCL_AT_ONCE, &way, detail);
    ocl_device_lock(d);
    if (status == GFMUL_OK)
        status = ocl_kept_shape(call, kept, &request, 0, &k->shape);
    ocl_device_unlock(d);
    if (status == GFMUL_OK)
        status = ocl_kept_buffer(call, kept, (size_t)device_points_bytes(&k->shape), &k->points);
    ocl_device_lock(d);
    const uint64_t start = clock_ns();
    if (status == GFMUL_OK)
        status = ocl_kept_lease(call, kept, &k->shape, &lease);
    call->report.plan_ns += clock_ns() - start;
    if (status == GFMUL_OK)
        status = ocl_after(d, way, detail);
    if (status == GFMUL_OK)
        status = ocl_pipeline_keep(lease.pipeline, &lease.work, k->points, number, NULL, detail);
    if (status == GFMUL_OK)
        status = ocl_pipeline_note(lease.pipeline, &lease.work, &note, detail);
    if (status == GFMUL_OK)
        status = ocl_pipeline_noted(lease.pipeline, &note, &figures, detail);
    else
        ocl_note_end(d, &note);
    if (status == GFMUL_OK)
        k->norms = figures.a;
    else
        ocl_drain(d);
    lease.work.cleared = false;
    ocl_kept_return(kept, &lease);
    ocl_device_unlock(d);
out:
    if (way)
        clReleaseEvent(way);
    ocl_buffer_put(d, number.words);
    if (status == GFMUL_OK)
        *result = k;
    else
        mul_ocl_forget(k);
    return status;
}

void mul_ocl_forget(struct mul_ocl_spectrum *k)
{
    if (k)
        ocl_buffer_put(k->d, k->points); /* each call waits for its own commands */
    alloc_free(k);
}

struct ocl_device *mul_ocl_spectrum_device(const struct mul_ocl_spectrum *k)
{
    return k->d;
}

/* text_planned - UNSUPPORTED where this text is no product for this device: it is not cut into parts, limbs are. */
static enum gfmul_status text_planned(const struct ocl_product *run, struct plan_shape *shape)
{
    const struct product *p = run->p;
    struct plan_request request;
    ctx_plan_request(run->call, &request, p->a.base, p->a.n, p->b.n, p->square);
    ocl_device_lock(run->d);
    enum gfmul_status status = ocl_kept_shape(run->call, run->kept, &request, 0, shape);
    ocl_device_unlock(run->d);
    return status == GFMUL_ERR_SIZE || status == GFMUL_ERR_MEMORY ? GFMUL_ERR_UNSUPPORTED : status;
}

enum gfmul_status mul_ocl(struct call *call, struct ocl_device *d, const struct product *p, bool *fits)
{
    struct ocl_product run = {.call = call, .d = d, .p = p, .fits = fits};
    struct plan_shape shape;
    if (p->a.digits && (p->a.base != 10 || p->b.base != 10))
        return GFMUL_ERR_UNSUPPORTED;
    *fits = !p->b.on_device;
    const unsigned refused = ocl_buffer_refused(d);
    enum gfmul_status status = ocl_kept_get(call->ctx, d, &run.kept);
    if (status == GFMUL_OK && p->z.words)
        return product_resident(&run);
    if (status == GFMUL_OK && p->a.digits)
        status = text_planned(&run, &shape);
    if (status == GFMUL_OK)
        status = call_progress(call, 0);
    if (status != GFMUL_OK || !(p->a.digits || p->b.on_device))
        return status == GFMUL_OK ? product_of_limbs(&run) : status;
    status = product_whole(&run);
    return refused_since(d, refused, status) ? GFMUL_ERR_UNSUPPORTED : status;
}

enum gfmul_status mul_ocl_plan(struct call *call, struct ocl_device *d, const struct product *p, struct gfmul_plan_info *info)
{
    struct ocl_product run = {.call = call, .d = d, .p = p};
    struct plan_shape shape;
    struct parts parts = {1, 1};
    enum gfmul_status status = ocl_kept_get(call->ctx, d, &run.kept);
    if (status != GFMUL_OK)
        return status;
    if (p->a.base == 2) {
        ocl_device_lock(d);
        status = parts_choose(&run, true, &parts, &shape);
        ocl_device_unlock(d);
    } else {
        status = text_planned(&run, &shape);
    }
    if (status == GFMUL_OK) {
        report_plan(info, call, d, &shape);
        info->n_slices = parts.a * parts.b;
    }
    return status;
}

#else

enum gfmul_status mul_ocl(struct call *call, struct ocl_device *d, const struct product *p, bool *fits)
{
    (void)call, (void)d, (void)p;
    *fits = false;
    return GFMUL_ERR_UNSUPPORTED;
}

enum gfmul_status mul_ocl_plan(struct call *call, struct ocl_device *d, const struct product *p, struct gfmul_plan_info *info)
{
    (void)call, (void)d, (void)p, (void)info;
    return GFMUL_ERR_UNSUPPORTED;
}

void mul_ocl_release(struct gfmul_ctx *ctx, struct ocl_device *d)
{
    (void)ctx, (void)d;
}

void mul_ocl_trim(struct gfmul_ctx *ctx, struct ocl_device *d)
{
    (void)ctx, (void)d;
}

unsigned mul_ocl_kept_pipelines(struct gfmul_ctx *ctx, const struct ocl_device *d)
{
    (void)ctx, (void)d;
    return 0;
}

enum gfmul_status mul_ocl_keep(struct call *call, struct ocl_device *d, struct mul_ocl_spectrum **k, const struct number *b,
                               size_t max_an)
{
    (void)call, (void)d, (void)b, (void)max_an;
    *k = NULL;
    return GFMUL_ERR_UNSUPPORTED;
}

void mul_ocl_forget(struct mul_ocl_spectrum *k)
{
    (void)k; /* there is none */
}

struct ocl_device *mul_ocl_spectrum_device(const struct mul_ocl_spectrum *k)
{
    (void)k;
    return NULL;
}
#endif
