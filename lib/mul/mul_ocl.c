/*
 * mul_ocl.c - products on an OpenCL device: digits, spectra, product, digits, carry, by the kernels of a pipeline.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "limbs/residue.h"
#include "mul/ctx.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_pipeline.h"
#include "ocl/ocl_residue.h"
#include "ocl/ocl_staging.h"

#ifdef HAVE_OPENCL
enum { KEPT_PIPELINES = 4, KEPT_SHAPES = 8 };

/* What a context keeps between products; used with a device's lock held. */
struct ocl_kept {
    struct {
        struct ocl_device *d;
        struct ocl_pipeline *p;
    } pipeline[KEPT_PIPELINES]; /* most recently used first */
    struct {
        struct ocl_device *d;
        struct plan_request request;
        struct device_shape shape;
    } shape[KEPT_SHAPES]; /* answers of plan_device_size, a ring */
    unsigned n_shapes;
};

/* One product: operands of limbs or of decimal characters, on a device. */
struct product {
    struct call *call;
    struct ocl_device *d;
    unsigned base;     /* 2: limbs; 10: characters */
    const void *a, *b; /* b NULL: a square */
    size_t an, bn;     /* limbs or characters */
    void *z;
    size_t zn;
};

/* unit_bytes - of a limb or a character. */
static size_t unit_bytes(const struct product *p)
{
    return p->base == 2 ? sizeof(mp_limb_t) : 1;
}

static enum gfmul_status kept_get(struct gfmul_ctx *ctx, struct ocl_kept **kept)
{
    pthread_mutex_lock(&ctx->lock);
    if (!ctx->ocl_kept && (ctx->ocl_kept = alloc_aligned(sizeof *ctx->ocl_kept)))
        memset(ctx->ocl_kept, 0, sizeof *ctx->ocl_kept);
    *kept = ctx->ocl_kept;
    pthread_mutex_unlock(&ctx->lock);
    return *kept ? GFMUL_OK : GFMUL_ERR_MEMORY;
}

void mul_ocl_release(struct gfmul_ctx *ctx, struct ocl_device *d)
{
    struct ocl_kept *kept = ctx->ocl_kept;
    unsigned left = 0;
    if (!kept)
        return;
    for (unsigned i = 0; i < KEPT_PIPELINES; i++) {
        if (kept->pipeline[i].d == d) {
            ocl_pipeline_destroy(kept->pipeline[i].p);
            kept->pipeline[i].d = NULL;
            kept->pipeline[i].p = NULL;
        }
        left += kept->pipeline[i].p != NULL;
    }
    memset(kept->shape, 0, sizeof kept->shape);
    if (left == 0) {
        alloc_free(kept);
        ctx->ocl_kept = NULL;
    }
}

/* shape_get - plan_device_size, remembering the last few answers. */
static enum gfmul_status shape_get(struct call *call, struct ocl_kept *kept, struct ocl_device *d,
                                   const struct plan_request *request, struct device_shape *shape)
{
    for (unsigned i = 0; i < KEPT_SHAPES; i++) {
        if (kept->shape[i].d == d && memcmp(&kept->shape[i].request, request, sizeof *request) == 0) {
            *shape = kept->shape[i].shape;
            return GFMUL_OK;
        }
    }
    struct device_limits limits = {ocl_device_local_bytes(d), ocl_device_info(d)->max_work_group, ocl_buffer_room(d)};
    if (request->memory_limit != 0 && !request->limit_physical && request->memory_limit < limits.memory_bytes)
        limits.memory_bytes = request->memory_limit;
    enum gfmul_status status = plan_device_size(shape, request, &limits, call->report.detail, sizeof call->report.detail);
    if (status == GFMUL_OK) {
        const unsigned i = kept->n_shapes++ % KEPT_SHAPES;
        kept->shape[i].d = d;
        memcpy(&kept->shape[i].request, request, sizeof *request); /* its padding too */
        kept->shape[i].shape = *shape;
    }
    return status;
}

/* pipeline_get - the pipeline of a shape, kept or made now. */
static enum gfmul_status pipeline_get(struct call *call, struct ocl_kept *kept, struct ocl_device *d,
                                      const struct device_shape *shape, struct ocl_pipeline **pipeline)
{
    unsigned i = 0;
    while (i < KEPT_PIPELINES && !(kept->pipeline[i].d == d && ocl_pipeline_fits(kept->pipeline[i].p, shape)))
        i++;
    if (i == KEPT_PIPELINES) {
        struct ocl_pipeline *made;
        enum gfmul_status status = ocl_pipeline_create(&made, d, shape, "", call->report.detail);
        if (status != GFMUL_OK)
            return status;
        ocl_pipeline_destroy(kept->pipeline[--i].p); /* the one not used for longest */
        kept->pipeline[i].d = d;
        kept->pipeline[i].p = made;
    }
    *pipeline = kept->pipeline[i].p;
    memmove(kept->pipeline + 1, kept->pipeline, i * sizeof kept->pipeline[0]);
    kept->pipeline[0].d = d;
    kept->pipeline[0].p = *pipeline;
    return GFMUL_OK;
}

/* number_get - room for n limbs or characters on the device. */
static enum gfmul_status number_get(const struct product *p, size_t n, struct ocl_number *number)
{
    number->n_words = (uint32_t)(p->base == 2 ? 2 * n : n);
    return ocl_buffer_get(p->d, n * unit_bytes(p), &number->words, p->call->report.detail);
}

/*
 * number_upload - units into a buffer of their own, behind nothing: a buffer comes back to the pool when its product has ended,
 * so that no command in the queue still uses it.
 */
static enum gfmul_status number_upload(const struct product *p, const void *units, size_t n, struct ocl_number *number)
{
    enum gfmul_status status = number_get(p, n, number);
    if (status == GFMUL_OK)
        status =
            ocl_upload(p->d, number->words, 0, units, n * unit_bytes(p), p->call->threads, OCL_AT_ONCE, p->call->report.detail);
    return status;
}

static void report_plan(struct gfmul_plan_info *info, const struct call *call, struct ocl_device *d,
                        const struct device_shape *shape)
{
    plan_info_from_shape(info, &shape->shape, "");
    info->engine = "opencl";
    info->device = ocl_device_info(d)->name;
    info->threads = call->threads;
}

/* The numbers of a product on the device; b.words NULL: a square. */
struct numbers {
    struct ocl_number a, b, z;
};

/* figures_allow - whether what the kernels recorded proves the product, or (rule checked) makes it credible. */
static bool figures_allow(struct call *call, const struct plan_shape *s, const struct ocl_figures *figures)
{
    call->report.max_error = figures->max_error;
    if (s->rule == GFMUL_RULE_CHECKED) {
        call->report.plan.bound = plan_error_model(s, &figures->a, &figures->b);
        return call->report.plan.bound < CHECKED_ERROR_LIMIT && figures->max_error < CHECKED_ERROR_LIMIT &&
               figures->max_value < ROUND_VALUE_LIMIT;
    }
    if (!s->norms_measured) /* a plan for any operands needs no figures, but that what came back can be rounded */
        return figures->max_value < ROUND_VALUE_LIMIT;
    const double bound = plan_bound_posterior(s, &figures->a, &figures->b, figures->max_value, &call->report.plan.k);
    call->report.plan.bound = bound;
    return bound < 0.5;
}

/*
 * product_is_right - the residue check that the rule checked lives by, whatever the options say; it runs on the device.
 *
 *   right  out  false: a wrong product by digits that are not proved.   A wrong one by others: VERIFY.
 */
static enum gfmul_status product_is_right(const struct product *p, const struct plan_shape *s, const struct numbers *on,
                                          bool *right)
{
    struct call *call = p->call;
    const struct ocl_number *number[3] = {&on->a, on->b.words ? &on->b : &on->a, &on->z};
    const uint64_t prime = ctx_prime(call), start = clock_ns();
    uint64_t r[3];
    for (unsigned i = 0; i < 3; i++) {
        enum gfmul_status status = ocl_residue(p->d, number[i]->words, number[i]->n_words, p->base != 2, prime, &r[i],
                                               call->profile, call->report.detail);
        if (status != GFMUL_OK)
            return status;
    }
    *right = residue_mul(r[0], r[1], prime) == r[2];
    call->report.verify_ns += clock_ns() - start;
    if (*right || s->rule == GFMUL_RULE_CHECKED)
        return GFMUL_OK;
    call_detail(call, "the product on the device is wrong by its residue");
    return GFMUL_ERR_VERIFY;
}

/* product_run - the product by one pipeline, which sees its shape's bound kept (fits) or not.   Needs the device's lock. */
static enum gfmul_status product_run(const struct product *p, struct ocl_pipeline *pipeline, const struct device_shape *shape,
                                     const struct numbers *on, bool *fits)
{
    struct call *call = p->call;
    char *detail = call->report.detail;
    struct ocl_work work;
    struct ocl_figures figures;
    enum gfmul_status status = ocl_work_get(pipeline, &work, on->b.words == NULL, detail);

    if (status == GFMUL_OK)
        status = ocl_pipeline_mul(pipeline, &work, on->z, on->a, on->b, call->profile, detail);
    if (status == GFMUL_OK)
        status = ocl_pipeline_figures(pipeline, &work, &figures, detail);
    if (status == GFMUL_OK) {
        *fits = figures_allow(call, &shape->shape, &figures);
        if (*fits && call->ctx->opt.rule == GFMUL_RULE_CHECKED)
            status = product_is_right(p, &shape->shape, on, fits);
    } else {
        (void)ocl_finish(p->d, NULL); /* what was enqueued must not outlive the buffers' owners */
    }
    ocl_work_put(pipeline, &work);
    return status;
}

/*
 * product_on_device - a product of numbers on the device: the expected norms first (rule checked: expected errors); as long as
 * what is measured is too large, smaller digits.  The plan for the worst case is the last one.
 * The lock is held from the choice of the kernels until they have run: transfers of other products go on.
 */
static enum gfmul_status product_on_device(const struct product *p, struct ocl_kept *kept, const struct numbers *on)
{
    struct call *call = p->call;
    struct plan_request request;
    struct device_shape shape;
    enum gfmul_status status;
    bool fits;
    const size_t unit_size = p->base == 2 ? 64 : 1;
    ctx_plan_request(call, &request, p->base, unit_size * p->an, unit_size * p->bn, on->b.words == NULL);
    ocl_device_lock(p->d);
    do {
        struct ocl_pipeline *pipeline = NULL;
        const uint64_t start = clock_ns();
        fits = true;
        status = shape_get(call, kept, p->d, &request, &shape);
        if (status == GFMUL_OK) {
            report_plan(&call->report.plan, call, p->d, &shape);
            status = pipeline_get(call, kept, p->d, &shape, &pipeline);
        }
        const uint64_t planned = clock_ns();
        call->report.plan_ns += planned - start;
        if (status == GFMUL_OK)
            status = product_run(p, pipeline, &shape, on, &fits);
        if (status == GFMUL_OK && !fits) {
            if (shape.shape.rule != GFMUL_RULE_CHECKED && !shape.shape.norms_measured)
                status = mul_not_rounded(call);
            call->report.n_fallbacks += status == GFMUL_OK;
            plan_request_next(&request, &shape.shape);
        }
        call->report.transform_ns += clock_ns() - planned;
    } while (status == GFMUL_OK && !fits);
    ocl_device_unlock(p->d);
    return status;
}

/* product_whole - a product that the device has room for: up, there, down. */
static enum gfmul_status product_whole(const struct product *p, struct ocl_kept *kept)
{
    struct call *call = p->call;
    char *detail = call->report.detail;
    struct numbers on = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    uint64_t start = clock_ns();
    enum gfmul_status status = number_get(p, p->zn, &on.z);
    if (status == GFMUL_OK)
        status = number_upload(p, p->a, p->an, &on.a);
    if (status == GFMUL_OK && p->b)
        status = number_upload(p, p->b, p->bn, &on.b);
    const uint64_t up_ns = clock_ns() - start;
    call->report.upload_ns += up_ns;
    call->report.transform_ns += up_ns;
    if (status == GFMUL_OK)
        status = product_on_device(p, kept, &on);
    if (status == GFMUL_OK) {
        start = clock_ns();
        status = ocl_download(p->d, p->z, on.z.words, 0, p->zn * unit_bytes(p), call->threads, OCL_AT_ONCE, detail);
        const uint64_t down_ns = clock_ns() - start;
        call->report.download_ns += down_ns;
        call->report.transform_ns += down_ns;
    } else {
        (void)ocl_finish(p->d, NULL); /* uploads under way */
    }
    ocl_buffer_put(p->d, on.b.words);
    ocl_buffer_put(p->d, on.a.words);
    ocl_buffer_put(p->d, on.z.words);
    return status;
}

/* pieces_choose - into how many pieces either operand is cut for a product of two of them to have room. */
static enum gfmul_status pieces_choose(const struct product *p, struct ocl_kept *kept, size_t *a_pieces, size_t *b_pieces)
{
    struct plan_request request;
    struct device_shape shape;
    for (*a_pieces = *b_pieces = 1;;) {
        const size_t an = (p->an - 1) / *a_pieces + 1, bn = (p->bn - 1) / *b_pieces + 1;
        ctx_plan_request(p->call, &request, 2, 64 * an, 64 * bn, p->b == NULL && *a_pieces == 1);
        enum gfmul_status status = shape_get(p->call, kept, p->d, &request, &shape);
        if ((status != GFMUL_ERR_MEMORY && status != GFMUL_ERR_SIZE) || (an < 64 && bn < 64))
            return status;
        *(an >= bn ? a_pieces : b_pieces) *= 2;
    }
}

/* product_pieces - piece by piece, added up on the host. */
static enum gfmul_status product_pieces(const struct product *p, struct ocl_kept *kept, size_t a_pieces, size_t b_pieces)
{
    const mp_limb_t *a = p->a, *b = p->b ? p->b : p->a;
    mp_limb_t *z = p->z;
    const size_t an = (p->an - 1) / a_pieces + 1, bn = (p->bn - 1) / b_pieces + 1, zn = p->zn;
    struct call *call = p->call;
    void *part = NULL;
    double done = 0;
    enum gfmul_status status = ctx_buffer_get(call, (an + bn) * sizeof(mp_limb_t), &part);
    if (status != GFMUL_OK)
        return status;
    memset(z, 0, zn * sizeof *z);
    for (size_t i = 0; i < p->an && status == GFMUL_OK; i += an) {
        for (size_t j = 0; j < p->bn && status == GFMUL_OK; j += bn) {
            const size_t pn = p->an - i < an ? p->an - i : an, qn = p->bn - j < bn ? p->bn - j : bn;
            const struct product piece = {call, p->d, 2, a + i, b + j, pn, qn, part, pn + qn};
            if ((status = product_whole(&piece, kept)) != GFMUL_OK)
                break;
            const uint64_t start = clock_ns();
            mpn_add(z + i + j, z + i + j, (mp_size_t)(zn - i - j), part, (mp_size_t)(pn + qn));
            call->report.carry_ns += clock_ns() - start;
            done += (double)pn * (double)qn;
            status = call_progress(call, done / ((double)p->an * (double)p->bn));
        }
    }
    call->report.plan.n_slices = a_pieces * b_pieces;
    ctx_buffer_put(call, part);
    return status;
}

enum gfmul_status mul_ocl_limbs(struct call *call, struct ocl_device *d, mp_limb_t *z, const mp_limb_t *a, size_t an,
                                const mp_limb_t *b, size_t bn)
{
    const struct product p = {call, d, 2, a, a == b && an == bn ? NULL : b, an, bn, z, an + bn};
    struct ocl_kept *kept;
    size_t a_pieces, b_pieces;
    enum gfmul_status status = kept_get(call->ctx, &kept);
    if (status == GFMUL_OK)
        status = call_progress(call, 0);
    if (status != GFMUL_OK)
        return status;
    ocl_device_lock(d);
    status = pieces_choose(&p, kept, &a_pieces, &b_pieces);
    ocl_device_unlock(d);
    if (status != GFMUL_OK)
        return status;
    return a_pieces * b_pieces == 1 ? product_whole(&p, kept) : product_pieces(&p, kept, a_pieces, b_pieces);
}

enum gfmul_status mul_ocl_resident(struct call *call, struct ocl_device *d, void *z, void *a, size_t an, void *b, size_t bn)
{
    const struct product p = {call, d, 2, NULL, NULL, an, bn, NULL, an + bn};
    const struct numbers on = {{a, (uint32_t)(2 * an)}, {b, b ? (uint32_t)(2 * bn) : 0}, {z, (uint32_t)(2 * (an + bn))}};
    struct ocl_kept *kept;
    enum gfmul_status status = kept_get(call->ctx, &kept);
    return status == GFMUL_OK ? product_on_device(&p, kept, &on) : status;
}

enum gfmul_status mul_ocl_text(struct call *call, struct ocl_device *d, char *z, size_t zn, const struct text_number *a,
                               const struct text_number *b)
{
    const bool square = a->digits == b->digits && a->n_digits == b->n_digits;
    const struct product p = {call, d, 10, a->digits, square ? NULL : b->digits, a->n_digits, b->n_digits, z, zn};
    struct ocl_kept *kept;
    if (a->base != 10 || b->base != 10)
        return GFMUL_ERR_UNSUPPORTED;
    enum gfmul_status status = kept_get(call->ctx, &kept);
    if (status == GFMUL_OK)
        status = call_progress(call, 0);
    if (status == GFMUL_OK)
        status = product_whole(&p, kept);
    /* text is not cut into pieces; limbs are */
    return status == GFMUL_ERR_SIZE || status == GFMUL_ERR_MEMORY ? GFMUL_ERR_UNSUPPORTED : status;
}

enum gfmul_status mul_ocl_plan(struct call *call, struct ocl_device *d, struct gfmul_plan_info *info, unsigned base, size_t an,
                               size_t bn, bool square)
{
    struct plan_request request;
    struct device_shape shape;
    struct ocl_kept *kept;
    enum gfmul_status status = kept_get(call->ctx, &kept);
    if (status != GFMUL_OK)
        return status;
    ctx_plan_request(call, &request, base, an, bn, square);
    ocl_device_lock(d);
    status = shape_get(call, kept, d, &request, &shape);
    ocl_device_unlock(d);
    if (status == GFMUL_OK)
        report_plan(info, call, d, &shape);
    return status;
}

#else

enum gfmul_status mul_ocl_limbs(struct call *call, struct ocl_device *d, mp_limb_t *z, const mp_limb_t *a, size_t an,
                                const mp_limb_t *b, size_t bn)
{
    (void)call, (void)d, (void)z, (void)a, (void)an, (void)b, (void)bn;
    return GFMUL_ERR_UNSUPPORTED;
}

enum gfmul_status mul_ocl_plan(struct call *call, struct ocl_device *d, struct gfmul_plan_info *info, unsigned base, size_t an,
                               size_t bn, bool square)
{
    (void)call, (void)d, (void)info, (void)base, (void)an, (void)bn, (void)square;
    return GFMUL_ERR_UNSUPPORTED;
}

enum gfmul_status mul_ocl_resident(struct call *call, struct ocl_device *d, void *z, void *a, size_t an, void *b, size_t bn)
{
    (void)call, (void)d, (void)z, (void)a, (void)an, (void)b, (void)bn;
    return GFMUL_ERR_UNSUPPORTED;
}

void mul_ocl_release(struct gfmul_ctx *ctx, struct ocl_device *d)
{
    (void)ctx, (void)d;
}

enum gfmul_status mul_ocl_text(struct call *call, struct ocl_device *d, char *z, size_t zn, const struct text_number *a,
                               const struct text_number *b)
{
    (void)call, (void)d, (void)z, (void)zn, (void)a, (void)b;
    return GFMUL_ERR_UNSUPPORTED;
}
#endif
