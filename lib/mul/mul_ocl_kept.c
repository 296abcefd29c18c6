/*
 * mul_ocl_kept.c - what a context keeps between products on a device.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/mul_ocl_kept.h"

#ifdef HAVE_OPENCL
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"

enum { KEPT_PIPELINES = 4, KEPT_SHAPES = 8 };

/* Buffers of short products wait for the next one, with the record cleared: of long ones they cost nothing to speak of. */
static const size_t spare_most = (size_t)64 << 20;

struct kept_pipeline {
    struct ocl_pipeline *p;
    unsigned users;        /* products that run, or are in flight */
    struct ocl_work spare; /* of an earlier product; x NULL: none */
    size_t spare_bytes, tables_bytes;
};

struct ocl_kept {
    struct ocl_kept *next;
    struct ocl_device *d;
    struct kept_pipeline pipeline[KEPT_PIPELINES]; /* most recently used first */
    struct {
        struct plan_request request;
        struct plan_shape shape;
        size_t memory;    /* that there was for it; 0: an empty entry */
    } shape[KEPT_SHAPES]; /* answers of plan_device_size, a ring */
    unsigned n_shapes;
};

enum gfmul_status ocl_kept_get(struct gfmul_ctx *ctx, struct ocl_device *d, struct ocl_kept **result)
{
    pthread_mutex_lock(&ctx->lock);
    struct ocl_kept *kept = ctx->ocl_kept;
    while (kept && kept->d != d)
        kept = kept->next;
    if (!kept && (kept = alloc_aligned(sizeof *kept))) {
        memset(kept, 0, sizeof *kept);
        kept->d = d;
        kept->next = ctx->ocl_kept;
        ctx->ocl_kept = kept;
    }
    pthread_mutex_unlock(&ctx->lock);
    *result = kept;
    return kept ? GFMUL_OK : GFMUL_ERR_MEMORY;
}

static void spare_free(struct kept_pipeline *k)
{
    if (k->spare.x)
        ocl_work_put(k->p, &k->spare);
    k->spare_bytes = 0;
}

/* spares_bytes - memory that is idle here. */
static size_t spares_bytes(const struct ocl_kept *kept)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < KEPT_PIPELINES; i++)
        bytes += kept->pipeline[i].spare_bytes;
    return bytes;
}

/* tables_there_bytes - the tables that a product of this shape finds here, and takes no memory for. */
static size_t tables_there_bytes(const struct ocl_kept *kept, const struct plan_shape *shape)
{
    for (unsigned i = 0; i < KEPT_PIPELINES; i++)
        if (kept->pipeline[i].p && ocl_pipeline_fits(kept->pipeline[i].p, shape))
            return kept->pipeline[i].tables_bytes;
    return 0;
}

/* pipeline_free - a pipeline that no product uses. */
static void pipeline_free(struct kept_pipeline *k)
{
    spare_free(k);
    ocl_pipeline_destroy(k->p);
    memset(k, 0, sizeof *k);
}

void mul_ocl_release(struct gfmul_ctx *ctx, struct ocl_device *d)
{
    pthread_mutex_lock(&ctx->lock);
    struct ocl_kept **at = &ctx->ocl_kept;
    while (*at && (*at)->d != d)
        at = &(*at)->next;
    struct ocl_kept *kept = *at;
    if (kept)
        *at = kept->next;
    pthread_mutex_unlock(&ctx->lock);
    for (unsigned i = 0; kept && i < KEPT_PIPELINES; i++)
        pipeline_free(&kept->pipeline[i]);
    alloc_free(kept);
}

void mul_ocl_trim(struct gfmul_ctx *ctx, struct ocl_device *d)
{
    struct ocl_kept *kept;
    if (ocl_left_behind() || ocl_kept_get(ctx, d, &kept) != GFMUL_OK)
        return;
    ocl_device_lock(d);
    ocl_kept_trim(kept);
    ocl_device_unlock(d);
}

unsigned mul_ocl_kept_pipelines(struct gfmul_ctx *ctx, const struct ocl_device *d)
{
    unsigned n = 0;
    pthread_mutex_lock(&ctx->lock);
    for (const struct ocl_kept *kept = ctx->ocl_kept; kept; kept = kept->next)
        for (unsigned i = 0; kept->d == d && i < KEPT_PIPELINES; i++)
            n += kept->pipeline[i].p != NULL;
    pthread_mutex_unlock(&ctx->lock);
    return n;
}

/* pipelines_free - all pipelines that no product uses; false: there is none. */
static bool pipelines_free(struct ocl_kept *kept)
{
    bool some = false;
    for (unsigned i = 0; i < KEPT_PIPELINES; i++) {
        if (kept->pipeline[i].p && kept->pipeline[i].users == 0) {
            pipeline_free(&kept->pipeline[i]);
            some = true;
        }
    }
    return some;
}

void ocl_kept_trim(struct ocl_kept *kept)
{
    pipelines_free(kept);
    ocl_buffer_trim(kept->d);
}

enum gfmul_status ocl_kept_shape(struct call *call, struct ocl_kept *kept, const struct plan_request *asked, size_t held,
                                 struct plan_shape *shape)
{
    enum gfmul_status (*const size)(struct plan_shape *, const struct plan_request *, const struct device_limits *, char *,
                                    size_t) = asked->pieces ? plan_device_pieces : plan_device_size;
    struct ocl_device *d = kept->d;
    struct plan_request own;
    const struct plan_request *const request = &own;
    struct device_limits limits = {ocl_device_local_bytes(d), ocl_device_info(d)->max_work_group, 0, ocl_buffer_most(d),
                                   call->ctx->device_points_most};
    memcpy(&own, asked, sizeof own); /* its padding too: answers are found by it */
    if (!ocl_device_info(d)->fp64 && own.precision == GFMUL_PRECISION_AUTO)
        own.precision = GFMUL_PRECISION_FLOAT;
    if (!ocl_device_info(d)->fp64 && own.precision != GFMUL_PRECISION_FLOAT) {
        call_detail(call, "%.60s has no double precision (fp64): --precision=float, or auto", ocl_device_info(d)->name);
        return GFMUL_ERR_UNSUPPORTED;
    }
    limits.memory_bytes = ocl_buffer_room(d) + ocl_device_in_flight_bytes(d) + spares_bytes(kept) + held;
    if (request->memory_limit != 0 && !request->limit_physical && request->memory_limit < limits.memory_bytes)
        limits.memory_bytes = request->memory_limit;
    for (unsigned i = 0; i < KEPT_SHAPES; i++) {
        /* an answer that fits, and that more memory would hardly change */
        const struct plan_shape *found = &kept->shape[i].shape;
        if (kept->shape[i].memory > 0 && kept->shape[i].memory >= limits.memory_bytes / 2 &&
            memcmp(&kept->shape[i].request, request, sizeof *request) == 0 &&
            found->memory_bytes <= limits.memory_bytes + tables_there_bytes(kept, found) &&
            (limits.buffer_bytes == 0 || device_points_bytes(found) <= (double)limits.buffer_bytes)) {
            *shape = *found;
            call->report.detail[0] = '\0'; /* as by the planner */
            return GFMUL_OK;
        }
    }
    if (limits.memory_bytes == 0)
        limits.memory_bytes = 1; /* 0 would be no limit */
    enum gfmul_status status = size(shape, request, &limits, call->report.detail, sizeof call->report.detail);
    if (status == GFMUL_OK) {
        const unsigned i = kept->n_shapes++ % KEPT_SHAPES;
        memcpy(&kept->shape[i].request, request, sizeof *request);
        kept->shape[i].shape = *shape;
        kept->shape[i].memory = limits.memory_bytes;
    }
    return status;
}

/* is_at - whether the pipeline of a shape is at this place. */
static bool is_at(const struct ocl_kept *kept, unsigned i, const struct plan_shape *shape)
{
    return i < KEPT_PIPELINES && kept->pipeline[i].p && ocl_pipeline_fits(kept->pipeline[i].p, shape);
}

/* pipeline_place - where the pipeline of a shape is, or the place of the idle one used last; KEPT_PIPELINES: there is none. */
static unsigned pipeline_place(const struct ocl_kept *kept, const struct plan_shape *shape)
{
    unsigned idle = KEPT_PIPELINES;
    for (unsigned i = 0; i < KEPT_PIPELINES; i++) {
        if (is_at(kept, i, shape))
            return i;
        if (kept->pipeline[i].users == 0)
            idle = i;
    }
    return idle;
}

/*
 * pipeline_get - the pipeline of a shape, which has one user more.
 * The lock is given back while its programs are built: products of other shapes do not wait for them.
 */
static enum gfmul_status pipeline_get(struct call *call, struct ocl_kept *kept, const struct plan_shape *shape,
                                      struct ocl_pipeline **pipeline)
{
    struct ocl_pipeline *built = NULL;
    enum gfmul_status status = GFMUL_OK;
    unsigned i = pipeline_place(kept, shape);
    *pipeline = NULL;
    if (!is_at(kept, i, shape)) {
        ocl_device_unlock(kept->d);
        const uint64_t start = clock_ns();
        status = ocl_pipeline_build(&built, kept->d, shape, "", call->report.detail);
        call->report.device_start_ns += clock_ns() - start;
        ocl_device_lock(kept->d);
        while (status == GFMUL_OK && (i = pipeline_place(kept, shape)) == KEPT_PIPELINES) {
            if (!ocl_device_await(kept->d))
                status = GFMUL_ERR_INTERNAL; /* a product in use is in flight */
        }
    }
    if (status == GFMUL_OK && !is_at(kept, i, shape) && /* nor has another thread brought it meanwhile */
        (status = ocl_pipeline_tables(built, call->report.detail)) == GFMUL_OK) {
        pipeline_free(&kept->pipeline[i]);
        kept->pipeline[i] = (struct kept_pipeline){.p = built, .tables_bytes = device_tables_bytes(shape)};
        built = NULL;
    }
    ocl_pipeline_destroy(built);
    if (status != GFMUL_OK)
        return status;
    struct kept_pipeline found = kept->pipeline[i];
    found.users++;
    memmove(kept->pipeline + 1, kept->pipeline, i * sizeof kept->pipeline[0]);
    kept->pipeline[0] = found;
    *pipeline = found.p;
    return GFMUL_OK;
}

static struct kept_pipeline *place_of(struct ocl_kept *kept, const struct ocl_pipeline *pipeline)
{
    unsigned i = 0;
    while (i + 1 < KEPT_PIPELINES && kept->pipeline[i].p != pipeline)
        i++;
    return &kept->pipeline[i];
}

bool ocl_kept_memory_comes(struct call *call, struct ocl_kept *kept, unsigned refused, enum gfmul_status status, bool tables)
{
    if (status != GFMUL_ERR_DEVICE || ocl_buffer_refused(kept->d) == refused || ocl_device_lost(kept->d))
        return false;
    const bool spares = spares_bytes(kept) > 0;
    for (unsigned i = 0; i < KEPT_PIPELINES; i++)
        spare_free(&kept->pipeline[i]);
    const bool comes = spares || ocl_device_await(kept->d) || (tables && pipelines_free(kept));
    if (comes)
        call->report.detail[0] = '\0'; /* what failed is not the end of it */
    return comes;
}

enum gfmul_status ocl_kept_buffer(struct call *call, struct ocl_kept *kept, size_t bytes, cl_mem *m)
{
    struct ocl_device *d = kept->d;
    enum gfmul_status status = ocl_buffer_get(d, bytes, m, call->report.detail);
    unsigned refused;
    if (status == GFMUL_OK || ocl_device_lost(d)) /* mostly so, and without the lock */
        return status;
    ocl_device_lock(d);
    call->report.detail[0] = '\0';
    do { /* at least once: a product may have ended meanwhile, and nothing be left to wait for */
        refused = ocl_buffer_refused(d);
        status = ocl_buffer_get(d, bytes, m, call->report.detail);
    } while (ocl_kept_memory_comes(call, kept, refused, status, true));
    ocl_device_unlock(d);
    return status;
}

/* work_get - buffers for one product by the pipeline used last: those of an earlier one, or from the pool. */
static enum gfmul_status work_get(struct call *call, struct ocl_kept *kept, const struct plan_shape *shape, struct ocl_work *work)
{
    struct kept_pipeline *k = &kept->pipeline[0];
    if (!k->spare.x)
        return ocl_work_get(k->p, work, shape->square, call->report.detail);
    *work = k->spare;
    memset(&k->spare, 0, sizeof k->spare);
    k->spare_bytes = 0;
    return GFMUL_OK;
}

enum gfmul_status ocl_kept_lease(struct call *call, struct ocl_kept *kept, const struct plan_shape *shape,
                                 struct ocl_lease *lease)
{
    struct device_buffers b;
    unsigned refused;
    enum gfmul_status status;
    memset(lease, 0, sizeof *lease);
    do {
        refused = ocl_buffer_refused(kept->d);
        status = pipeline_get(call, kept, shape, &lease->pipeline);
        if (status == GFMUL_OK && (status = work_get(call, kept, shape, &lease->work)) != GFMUL_OK) {
            /* who waits holds no pipeline: else they might all be in use with no product in flight */
            kept->pipeline[0].users--;
            lease->pipeline = NULL;
        }
    } while (ocl_kept_memory_comes(call, kept, refused, status, false));
    if (status == GFMUL_OK) {
        device_shape_buffers(shape, &b);
        lease->bytes = (shape->square ? 1 : 2) * b.points + b.runs + b.carries + b.maps;
    }
    return status;
}

void ocl_kept_return(struct ocl_kept *kept, struct ocl_lease *lease)
{
    if (!lease->pipeline)
        return;
    struct kept_pipeline *k = place_of(kept, lease->pipeline);
    if (!k->spare.x && lease->work.x && lease->bytes <= spare_most && !ocl_device_lost(kept->d))
        k->spare = lease->work, k->spare_bytes = lease->bytes;
    else
        ocl_work_put(lease->pipeline, &lease->work);
    k->users--;
    lease->pipeline = NULL;
}
#endif
