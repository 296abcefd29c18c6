/*
 * ctx_device.c - the OpenCL device of a context: whether a product goes there, opening it, what became of it.
 *
 * No platform is touched before a device is asked for by name, or a product is large enough for "auto" to look for one.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "mul/ctx.h"
#include "ocl/ocl_device.h"
#include "plan/thresholds/thresholds.h"

_Static_assert(sizeof((struct gfmul_report *)0)->detail >= OCL_DETAIL_BYTES, "details of devices go into reports");

struct ctx_device {
    bool named;                    /* that device or an error; false: "auto" */
    const char *want;              /* for ocl_device_open */
    size_t cold_limbs, warm_limbs; /* auto: the least product that a device is opened for, that goes to an open one */
    pthread_mutex_t lock;          /* guards the rest */
    struct ocl_device *d;
    struct ocl_device **retired; /* lost ones, which other calls may still hold: let go with the context */
    size_t n_retired;
    bool given_up; /* auto: there is none, or it was lost: not tried again */
    char why[OCL_DETAIL_BYTES];
};

bool ctx_device_is_cpu(const char *device)
{
    return device && (strcmp(device, "cpu") == 0 || strcmp(device, "0") == 0);
}

enum gfmul_status ctx_device_init(struct gfmul_ctx *ctx)
{
    const struct gfmul_options *opt = &ctx->opt;
    const bool is_auto = !opt->device || strcmp(opt->device, "auto") == 0;
    const bool here = opt->engine == GFMUL_ENGINE_CPU || opt->engine == GFMUL_ENGINE_FFTW || opt->engine == GFMUL_ENGINE_GMP;
    const bool given = opt->cl_context || opt->cl_queue;

    ctx->device_state = NULL;
    if ((here || ctx_device_is_cpu(opt->device)) &&
        (opt->engine == GFMUL_ENGINE_OPENCL || given || (!is_auto && !ctx_device_is_cpu(opt->device))))
        return GFMUL_ERR_ARGUMENT; /* an engine or the CPU, and a device that it does not run on */
    if (given && (!is_auto || !opt->cl_context || !opt->cl_queue))
        return GFMUL_ERR_ARGUMENT;
    if (given && !gfmul_has_engine(GFMUL_ENGINE_OPENCL))
        return GFMUL_ERR_DEVICE;
    if (here || ctx_device_is_cpu(opt->device) || (is_auto && !gfmul_has_engine(GFMUL_ENGINE_OPENCL)))
        return GFMUL_OK;

    struct ctx_device *s = alloc_aligned(sizeof *s);
    if (!s)
        return GFMUL_ERR_MEMORY;
    memset(s, 0, sizeof *s);
    s->named = !is_auto || given || opt->engine == GFMUL_ENGINE_OPENCL;
    s->want = !is_auto ? opt->device : s->named ? "gpu" : "auto";
    s->cold_limbs = DEVICE_COLD_LIMBS;
    s->warm_limbs = DEVICE_WARM_LIMBS;
    if (pthread_mutex_init(&s->lock, NULL) != 0) {
        alloc_free(s);
        return GFMUL_ERR_MEMORY;
    }
    ctx->device_state = s;
    if (given)
        ocl_given_retain(opt->cl_context, opt->cl_queue);
    if (s->named && !given)
        return ocl_device_find(NULL, s->want, NULL);
    return GFMUL_OK;
}

void ctx_device_free(struct gfmul_ctx *ctx)
{
    struct ctx_device *s = ctx->device_state;
    if (!s)
        return;
    if (s->d) {
        mul_ocl_release(ctx, s->d);
        ocl_device_close(s->d);
    }
    for (size_t i = 0; i < s->n_retired; i++) {
        mul_ocl_release(ctx, s->retired[i]);
        ocl_device_close(s->retired[i]);
    }
    free(s->retired);
    ocl_given_release(ctx->opt.cl_context, ctx->opt.cl_queue);
    pthread_mutex_destroy(&s->lock);
    alloc_free(s);
    ctx->device_state = NULL;
}

bool ctx_device_is_open(const struct gfmul_ctx *ctx)
{
    return ctx->device_state && (ctx->device_state->d || ctx->device_state->n_retired > 0);
}

void ctx_device_limits(struct gfmul_ctx *ctx, size_t cold_limbs, size_t warm_limbs)
{
    if (ctx->device_state) {
        ctx->device_state->cold_limbs = cold_limbs;
        ctx->device_state->warm_limbs = warm_limbs;
    }
}

/* device_retire - a device that was lost makes room for another one.   Needs the lock. */
static void device_retire(struct ctx_device *s)
{
    struct ocl_device **list = realloc(s->retired, (s->n_retired + 1) * sizeof *list);
    if (!list)
        return; /* it stays, and its calls fail */
    s->retired = list;
    s->retired[s->n_retired++] = s->d;
    if (!s->why[0]) /* it was lost by another call than a product of this context */
        snprintf(s->why, sizeof s->why, "%.100s: the device is gone", ocl_device_info(s->d)->name);
    s->d = NULL;
    s->given_up = !s->named;
}

/* device_open - open what is wanted.   Needs the lock. */
static enum gfmul_status device_open(struct call *call, struct ctx_device *s)
{
    const struct gfmul_options *opt = &call->ctx->opt;
    const struct ocl_device_options how = {opt->profile != 0, opt->cl_context, opt->cl_queue};
    const uint64_t start = clock_ns();
    enum gfmul_status status = ocl_device_open(&s->d, s->want, &how, s->why);
    const uint64_t ns = clock_ns() - start;
    call->report.device_start_ns += ns;
    call->report.plan_ns += ns;
    return status;
}

enum gfmul_status ctx_device_get(struct call *call, size_t limbs, struct ocl_device **d)
{
    struct ctx_device *s = call->ctx->device_state;
    enum gfmul_status status = GFMUL_OK;

    struct ocl_device *lost = NULL;

    *d = NULL;
    if (!s || (!s->named && limbs < s->warm_limbs && limbs < s->cold_limbs))
        return GFMUL_OK;
    pthread_mutex_lock(&s->lock);
    if (s->d && ocl_device_lost(s->d)) {
        lost = s->d;
        device_retire(s);
    }
    if (lost) { /* its memory may be what the next one needs */
        pthread_mutex_unlock(&s->lock);
        mul_ocl_trim(call->ctx, lost);
        pthread_mutex_lock(&s->lock);
    }
    if (!s->d && (s->named || (!s->given_up && limbs >= s->cold_limbs))) {
        status = device_open(call, s);
        s->given_up = status != GFMUL_OK && !s->named;
    }
    if (s->d && (s->named || limbs >= s->warm_limbs))
        *d = s->d;
    else if (status != GFMUL_OK || (s->given_up && limbs >= (s->n_retired > 0 ? s->warm_limbs : s->cold_limbs)))
        call_detail(call, "%s%s", s->why, s->named ? "" : ": the CPU was used");
    pthread_mutex_unlock(&s->lock);
    return s->named ? status : GFMUL_OK;
}

bool ctx_device_named(const struct gfmul_ctx *ctx)
{
    return ctx->device_state && ctx->device_state->named;
}

void ctx_device_failed(struct gfmul_ctx *ctx, struct ocl_device *d, const char *why)
{
    struct ctx_device *s = ctx->device_state;
    pthread_mutex_lock(&s->lock);
    if (s->d == d && ocl_device_lost(d))
        memcpy(s->why, why, sizeof s->why);
    pthread_mutex_unlock(&s->lock);
}

void ctx_device_each(struct gfmul_ctx *ctx, void *p, void (*f)(struct ocl_device *d, void *p))
{
    struct ctx_device *s = ctx->device_state;
    if (!s)
        return;
    for (size_t i = 0;; i++) { /* f runs without the lock */
        pthread_mutex_lock(&s->lock);
        struct ocl_device *d = i < s->n_retired ? s->retired[i] : i == s->n_retired ? s->d : NULL;
        pthread_mutex_unlock(&s->lock);
        if (!d)
            return;
        f(d, p);
    }
}

unsigned gfmul_device_list(struct gfmul_device_info *info, unsigned max)
{
    return ocl_device_list(info, info ? max : 0);
}

enum gfmul_status gfmul_device_find(struct gfmul_device_info *info, const char *want, char *detail, size_t detail_size)
{
    char why[OCL_DETAIL_BYTES] = "";
    enum gfmul_status status = GFMUL_OK;
    if (info)
        memset(info, 0, sizeof *info);
    if (!ctx_device_is_cpu(want))
        status = ocl_device_find(info, want ? want : "auto", why);
    if (detail && detail_size > 0) {
        const size_t n = strlen(why) < detail_size ? strlen(why) : detail_size - 1;
        memcpy(detail, why, n);
        detail[n] = '\0';
    }
    return status;
}
