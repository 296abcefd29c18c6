/*
 * device_store.c - a context's cache for a device between products: kernels, tables, idle buffers, answers of the planner.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/device_store.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_rates.h"

enum { STORE_PIPELINES = 4, STORE_SHAPES = 16 }; /* a space asks for up to 8 shapes */

/* Buffers are rounded up to pages, so that a little more may become free than is counted. */
static const size_t uncounted = (size_t)1 << 20;

/* Buffers of short products are kept for the next one, with the record cleared; to a long product, allocation costs nothing. */
static const size_t spare_most = (size_t)64 << 20;

struct stored {
    struct ocl_pipeline *p;
    unsigned users;        /* products that run or are in flight */
    struct ocl_work spare; /* buffers of an earlier product; x NULL: none */
    size_t tables_bytes;
};

struct device_store {
    struct device_store *next;
    struct ocl_device *d;
    struct stored pipeline[STORE_PIPELINES]; /* most recently used first */
    struct {
        struct plan_request request;
        struct plan_shape shape;
        size_t memory;     /* bytes that were free for it then; 0: an empty entry */
    } shape[STORE_SHAPES]; /* a ring of answers of plan_device_size */
    unsigned n_shapes;
};

enum gfmul_status device_store_get(struct gfmul_ctx *ctx, struct ocl_device *d, struct device_store **result)
{
    pthread_mutex_lock(&ctx->lock);
    struct device_store *store = ctx->stores;
    while (store && store->d != d)
        store = store->next;
    if (!store && (store = alloc_zeroed(sizeof *store))) {
        store->d = d;
        store->next = ctx->stores;
        ctx->stores = store;
    }
    pthread_mutex_unlock(&ctx->lock);
    *result = store;
    return store ? GFMUL_OK : GFMUL_ERR_MEMORY;
}

static void spare_free(struct device_store *store, struct stored *k)
{
    if (k->spare.x)
        ocl_work_put(store->d, &k->spare);
}

/* spares_bytes - bytes of all idle buffers in the store. */
static size_t spares_bytes(const struct device_store *store)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < STORE_PIPELINES; i++)
        bytes += store->pipeline[i].spare.bytes;
    return bytes;
}

/* is_at - whether the pipeline of a shape is at this place. */
static bool is_at(const struct device_store *store, unsigned i, const struct plan_shape *shape)
{
    return i < STORE_PIPELINES && store->pipeline[i].p && ocl_pipeline_fits(store->pipeline[i].p, shape);
}

/*
 * pipeline_place - the place of a shape's pipeline; if it is not here, the place of the least recently used idle one;
 * STORE_PIPELINES: all places are in use.
 */
static unsigned pipeline_place(const struct device_store *store, const struct plan_shape *shape)
{
    unsigned idle = STORE_PIPELINES;
    for (unsigned i = 0; i < STORE_PIPELINES; i++) {
        if (is_at(store, i, shape))
            return i;
        if (store->pipeline[i].users == 0)
            idle = i;
    }
    return idle;
}

/* tables_there_bytes - bytes of the tables that a product of this shape finds here and need not allocate. */
static size_t tables_there_bytes(const struct device_store *store, const struct plan_shape *shape)
{
    const unsigned i = pipeline_place(store, shape);
    return is_at(store, i, shape) ? store->pipeline[i].tables_bytes : 0;
}

/* pipeline_free - free a pipeline that no product uses. */
static void pipeline_free(struct device_store *store, struct stored *k)
{
    spare_free(store, k);
    ocl_pipeline_destroy(k->p);
    memset(k, 0, sizeof *k);
}

void device_store_end(struct gfmul_ctx *ctx, struct ocl_device *d)
{
    pthread_mutex_lock(&ctx->lock);
    struct device_store **at = &ctx->stores;
    while (*at && (*at)->d != d)
        at = &(*at)->next;
    struct device_store *store = *at;
    if (store)
        *at = store->next;
    pthread_mutex_unlock(&ctx->lock);
    for (unsigned i = 0; store && i < STORE_PIPELINES; i++)
        pipeline_free(store, &store->pipeline[i]);
    alloc_free(store);
}

unsigned device_store_pipelines(struct gfmul_ctx *ctx, const struct ocl_device *d)
{
    unsigned n = 0;
    pthread_mutex_lock(&ctx->lock);
    for (const struct device_store *store = ctx->stores; store; store = store->next)
        for (unsigned i = 0; store->d == d && i < STORE_PIPELINES; i++)
            n += store->pipeline[i].p != NULL;
    pthread_mutex_unlock(&ctx->lock);
    return n;
}

/* pipelines_free - free all idle pipelines except that of the wanted shape; false: none was freed. */
static bool pipelines_free(struct device_store *store, const struct plan_shape *wanted)
{
    bool some = false;
    for (unsigned i = 0; i < STORE_PIPELINES; i++) {
        if (store->pipeline[i].p && store->pipeline[i].users == 0 && !(wanted && is_at(store, i, wanted))) {
            pipeline_free(store, &store->pipeline[i]);
            some = true;
        }
    }
    return some;
}

void device_store_trim(struct device_store *store)
{
    pipelines_free(store, NULL);
    ocl_buffer_trim(store->d);
}

/*
 * shape_size - ask the planner.  With precision auto on a GPU, primes replace double if they cost less by the tables of passes
 * and the measured rates of the device.  Text in a base that double has no kernels for also goes to primes.
 */
static enum gfmul_status shape_size(struct call *call, const struct ocl_device *d, const struct plan_request *request,
                                    const struct device_limits *limits, struct plan_shape *shape)
{
    char *const detail = call->why;
    const double bits = ((double)request->an + (double)request->bn) * log2(request->base);
    const bool asked = request->precision == GFMUL_PRECISION_AUTO && request->rule == GFMUL_RULE_NORM,
               choice = asked && ocl_device_info(d)->gpu && bits >= 64.0 * (double)device_primes_least_limbs(&limits->rates);
    struct plan_request own = *request;
    struct plan_shape primes;
    const enum gfmul_status status = request->cells ? plan_device_cells(shape, request, limits, detail, sizeof call->why)
                                                    : plan_device_size(shape, request, limits, detail, sizeof call->why);
    own.precision = GFMUL_PRECISION_PRIME;
    const bool only = asked && status == GFMUL_ERR_UNSUPPORTED && request->base != 2;
    if ((!choice && !only) || plan_device_size(&primes, &own, limits, NULL, 0) != GFMUL_OK ||
        (status == GFMUL_OK && primes.device.cost >= shape->device.cost))
        return status;
    *shape = primes;
    detail[0] = '\0';
    return GFMUL_OK;
}

enum gfmul_status device_store_shape(struct call *call, struct device_store *store, const struct plan_request *asked, size_t held,
                                     struct plan_shape *shape)
{
    struct ocl_device *d = store->d;
    struct plan_request own;
    const struct plan_request *const request = &own;
    struct device_limits limits = {ocl_device_local_bytes(d), ocl_device_info(d)->max_work_group, 0,
                                   ocl_buffer_most(d),        call->ctx->device_points_most,      ocl_device_rates(d)};
    memcpy(&own, asked, sizeof own); /* with the padding, because the cache compares requests by memcmp */
    if (!ocl_device_info(d)->fp64 && own.precision == GFMUL_PRECISION_AUTO)
        own.precision = GFMUL_PRECISION_PRIME;
    if (!ocl_device_info(d)->fp64 && own.precision != GFMUL_PRECISION_PRIME)
        return call_fail(call, GFMUL_ERR_UNSUPPORTED, "%.60s has no double precision (fp64): --precision=prime or auto",
                         ocl_device_info(d)->name);
    limits.memory_bytes = ocl_buffer_room(d) + ocl_device_in_flight_bytes(d) + spares_bytes(store) + held;
    if (request->memory_limit != 0 && !request->limit_physical && request->memory_limit < limits.memory_bytes)
        limits.memory_bytes = request->memory_limit;
    for (unsigned i = 0; i < STORE_SHAPES; i++) {
        /* use a cached answer if it fits in memory, and if the memory has at most doubled since */
        const struct plan_shape *found = &store->shape[i].shape;
        if (store->shape[i].memory > 0 && store->shape[i].memory >= limits.memory_bytes / 2 &&
            memcmp(&store->shape[i].request, request, sizeof *request) == 0 &&
            found->memory_bytes <= limits.memory_bytes + tables_there_bytes(store, found) &&
            (limits.buffer_bytes == 0 || device_points_bytes(found) <= (double)limits.buffer_bytes)) {
            *shape = *found;
            call->why[0] = '\0'; /* as the planner does */
            return GFMUL_OK;
        }
    }
    if (limits.memory_bytes == 0)
        limits.memory_bytes = 1; /* 0 would mean no limit */
    const enum gfmul_status status = shape_size(call, d, request, &limits, shape);
    if (status == GFMUL_OK) {
        const unsigned i = store->n_shapes++ % STORE_SHAPES;
        memcpy(&store->shape[i].request, request, sizeof *request);
        store->shape[i].shape = *shape;
        store->shape[i].memory = limits.memory_bytes;
    }
    return status;
}

/*
 * pipeline_get - find or make the pipeline of a shape, and count one more user.
 * The lock is free while programs are built, so that products of other shapes need not wait.
 */
static enum gfmul_status pipeline_get(struct call *call, struct device_store *store, const struct plan_shape *shape,
                                      struct ocl_pipeline **pipeline)
{
    struct ocl_pipeline *built = NULL;
    enum gfmul_status status = GFMUL_OK;
    unsigned i = pipeline_place(store, shape);
    *pipeline = NULL;
    if (!is_at(store, i, shape)) {
        ocl_device_unlock(store->d);
        const enum phase phase = phase_enter(&call->clock, PHASE_DEVICE_START);
        status = ocl_pipeline_build(OCL_ON(store->d, call->why), &built, shape, "");
        phase_enter(&call->clock, phase);
        ocl_device_lock(store->d);
        while (status == GFMUL_OK && (i = pipeline_place(store, shape)) == STORE_PIPELINES) {
            if (!ocl_device_await(store->d))
                status = GFMUL_ERR_INTERNAL; /* impossible: a pipeline in use belongs to a product in flight */
        }
    }
    if (status == GFMUL_OK && !is_at(store, i, shape) && /* and no other thread has added it meanwhile */
        (status = ocl_pipeline_tables(OCL_ON(store->d, call->why), built)) == GFMUL_OK) {
        pipeline_free(store, &store->pipeline[i]);
        store->pipeline[i] = (struct stored){.p = built, .tables_bytes = device_tables_bytes(shape)};
        built = NULL;
    }
    ocl_pipeline_destroy(built);
    if (status != GFMUL_OK)
        return status;
    struct stored found = store->pipeline[i];
    found.users++;
    memmove(store->pipeline + 1, store->pipeline, i * sizeof store->pipeline[0]);
    store->pipeline[0] = found;
    *pipeline = found.p;
    return GFMUL_OK;
}

static struct stored *place_of(struct device_store *store, const struct ocl_pipeline *pipeline)
{
    unsigned i = 0;
    while (i + 1 < STORE_PIPELINES && store->pipeline[i].p != pipeline)
        i++;
    return &store->pipeline[i];
}

/* memory_comes - free idle memory, or wait for a product to end; true: try again, and the call's detail is empty. */
static bool memory_comes(struct call *call, struct device_store *store, const struct plan_shape *wanted)
{
    const bool spares = spares_bytes(store) > 0;
    if (ocl_device_lost(store->d))
        return false;
    for (unsigned i = 0; i < STORE_PIPELINES; i++)
        spare_free(store, &store->pipeline[i]);
    const bool comes = spares || ocl_device_await(store->d) || pipelines_free(store, wanted);
    if (comes)
        call->why[0] = '\0'; /* the failure was not final */
    return comes;
}

bool device_store_refused(const struct device_store *store, unsigned before, enum gfmul_status status)
{
    return status == GFMUL_ERR_DEVICE && ocl_buffer_refused(store->d) != before && !ocl_device_lost(store->d);
}

enum gfmul_status device_store_take(struct call *call, struct device_store *store, const struct plan_shape *wanted,
                                    enum gfmul_status (*take)(void *arg), void *arg, bool *refused)
{
    enum gfmul_status status;
    do {
        const unsigned before = ocl_buffer_refused(store->d);
        status = take(arg);
        *refused = status == GFMUL_ERR_MEMORY || device_store_refused(store, before, status);
    } while (*refused && memory_comes(call, store, wanted));
    return status;
}

/* A request for memory for a number. */
struct words_wanted {
    const struct ocl_call *on;
    size_t bytes;
    cl_mem m;
};

static enum gfmul_status words_take(void *arg)
{
    struct words_wanted *w = arg;
    return ocl_buffer_get(w->on, w->bytes, &w->m);
}

/* words_check - whether so many bytes may ever be free while all numbers on the device stay there.   With the lock. */
static enum gfmul_status words_check(struct call *call, const struct device_store *store, size_t bytes)
{
    size_t most = ocl_device_in_flight_bytes(store->d) + spares_bytes(store);
    for (unsigned i = 0; i < STORE_PIPELINES; i++)
        most += store->pipeline[i].tables_bytes;
    most = 2 * most + ocl_buffer_room(store->d); /* what is counted are requests; the pool's blocks may be twice as large */
    if (bytes <= most + uncounted || ocl_device_lost(store->d))
        return GFMUL_OK;
    return call_fail(call, GFMUL_ERR_DEVICE, "%.90s: a number needs %zu bytes, but at most %zu are free",
                     ocl_device_info(store->d)->name, bytes, most);
}

enum gfmul_status device_store_words(struct call *call, struct device_store *store, size_t bytes, cl_mem *m)
{
    struct words_wanted w = {OCL_ON(store->d, call->why), bytes, NULL};
    bool refused;
    ocl_device_lock(store->d);
    enum gfmul_status status = words_check(call, store, bytes);
    if (status == GFMUL_OK)
        status = device_store_take(call, store, NULL, words_take, &w, &refused);
    ocl_device_unlock(store->d);
    *m = w.m;
    return status;
}

/* work_get - buffers for one product by the most recent pipeline: an earlier product's spare ones, or new ones of the pool. */
static enum gfmul_status work_get(struct call *call, struct device_store *store, const struct plan_shape *shape,
                                  struct ocl_work *work)
{
    struct stored *k = &store->pipeline[0];
    if (!k->spare.x)
        return ocl_work_get(OCL_ON(store->d, call->why), shape, work, shape->square);
    *work = k->spare;
    memset(&k->spare, 0, sizeof k->spare);
    return GFMUL_OK;
}

bool device_store_has(const struct device_store *store, const struct plan_shape *shape)
{
    return is_at(store, pipeline_place(store, shape), shape);
}

enum gfmul_status device_store_lease(struct call *call, struct device_store *store, const struct plan_shape *shape,
                                     struct pipeline_lease *lease)
{
    memset(lease, 0, sizeof *lease);
    TRY(pipeline_get(call, store, shape, &lease->pipeline));
    const enum gfmul_status status = work_get(call, store, shape, &lease->work);
    if (status != GFMUL_OK) {
        store->pipeline[0].users--;
        lease->pipeline = NULL;
    }
    return status;
}

void device_store_return(struct device_store *store, struct pipeline_lease *lease, bool spare)
{
    if (!lease->pipeline)
        return;
    struct stored *k = place_of(store, lease->pipeline);
    if (spare && !k->spare.x && lease->work.x && lease->work.bytes <= spare_most && !ocl_device_lost(store->d))
        k->spare = lease->work;
    else
        ocl_work_put(store->d, &lease->work);
    k->users--;
    lease->pipeline = NULL;
}
