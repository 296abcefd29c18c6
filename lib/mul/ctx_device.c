/*
 * ctx_device.c - the OpenCL device of a context: decide whether a product goes there, open the device, note its failures.
 *
 * No platform is touched until a caller names a device, or a product is large enough for "auto" to look for one.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "mul/ctx_device.h"
#include "mul/device_pays.h"
#include "mul/device_store.h"
#include "ocl/ocl_device.h"

_Static_assert(sizeof((struct gfmul_report *)0)->detail >= OCL_DETAIL_BYTES, "details of devices go into reports");

struct ctx_device {
    bool named;                 /* the caller named it: that device or an error; false: "auto" */
    const char *want;           /* for ocl_device_open */
    pthread_mutex_t lock;       /* guards the rest */
    struct ocl_device **opened; /* all, closed with the context, because other calls may still hold lost ones */
    size_t n_opened;
    struct ocl_device *d; /* the current one; NULL: none, or it was lost */
    bool given_up;        /* auto: none was found, or it was lost; do not try again */
    bool start_known;     /* auto: `start` is set; it is determined once */
    enum ocl_start start;
    double missed_ns; /* auto: time that an open device would have saved so far */
    char why[OCL_DETAIL_BYTES];
};

enum gfmul_status ctx_device_begin(struct gfmul_ctx *ctx)
{
    const struct gfmul_options *opt = &ctx->opt;
    const bool is_auto = !opt->device || strcmp(opt->device, "auto") == 0, given = opt->cl_context || opt->cl_queue;
    if (!ctx->device_named && (!is_auto || (opt->engine != GFMUL_ENGINE_AUTO && opt->engine != GFMUL_ENGINE_OPENCL)))
        return GFMUL_OK; /* only the CPU is wanted */
    struct ctx_device *s = alloc_zeroed(sizeof *s);
    if (!s)
        return GFMUL_ERR_MEMORY;
    s->named = ctx->device_named;
    s->want = !is_auto ? opt->device : s->named ? "gpu" : "auto";
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

void ctx_device_end(struct gfmul_ctx *ctx)
{
    struct ctx_device *s = ctx->device_state;
    if (!s)
        return;
    for (size_t i = 0; i < s->n_opened; i++) {
        device_store_end(ctx, s->opened[i]);
        ocl_device_close(s->opened[i]);
    }
    free(s->opened);
    ocl_given_release(ctx->opt.cl_context, ctx->opt.cl_queue);
    pthread_mutex_destroy(&s->lock);
    alloc_free(s);
    ctx->device_state = NULL;
}

/* state_lock - take the lock.  false: this is a child process, which has no devices, and the parent held the lock at the fork. */
static bool state_lock(struct ctx_device *s)
{
    if (pthread_mutex_trylock(&s->lock) == 0)
        return true;
    if (ocl_left_behind())
        return false;
    pthread_mutex_lock(&s->lock);
    return true;
}

/* store_trim - free what no product uses on this device. */
static void store_trim(struct ocl_device *d, void *arg)
{
    struct device_store *store;
    if (ocl_left_behind() || device_store_get(arg, d, &store) != GFMUL_OK)
        return;
    ocl_device_lock(d);
    device_store_trim(store);
    ocl_device_unlock(d);
}

void ctx_device_trim(struct gfmul_ctx *ctx)
{
    ctx_device_each(ctx, ctx, store_trim);
}

/* device_retire - forget a lost device, so that another one can be opened.   Needs the lock. */
static void device_retire(struct ctx_device *s)
{
    if (!s->why[0]) /* it was lost, but not during a product of this context */
        snprintf(s->why, sizeof s->why, "%.100s: the device is gone", ocl_device_info(s->d)->name);
    s->d = NULL;
    s->given_up = !s->named;
}

/* device_open - open the wanted device.   Needs the lock. */
static enum gfmul_status device_open(struct call *call, struct ctx_device *s)
{
    const struct gfmul_options *opt = &call->ctx->opt;
    const struct ocl_device_options how = {opt->profile != 0, opt->cl_context, opt->cl_queue};
    struct ocl_device **list = realloc(s->opened, (s->n_opened + 1) * sizeof *list);
    if (!list) {
        snprintf(s->why, sizeof s->why, "out of memory for a device");
        return GFMUL_ERR_MEMORY;
    }
    s->opened = list;
    const enum phase phase = phase_enter(&call->clock, PHASE_DEVICE_START);
    atomic_store(&call->ctx->driver_called, true);
    const enum gfmul_status status = ocl_device_open(&s->d, s->want, &how, s->why);
    phase_enter(&call->clock, phase);
    if (status == GFMUL_OK)
        s->opened[s->n_opened++] = s->d;
    return status;
}

/*
 * start_pays - whether opening a device costs less than it saves on this product plus what it would have saved on earlier ones.
 * With this rule a program never loses more than twice what it would lose if it knew all its products ahead.   Needs the lock.
 */
static bool start_pays(struct ctx_device *s, const struct call *call, size_t limbs)
{
    const struct gfmul_ctx *ctx = call->ctx;
    const double gain = s->missed_ns + device_gain_first(limbs, call->threads);
    if (ctx->device_cold_limbs > 0)
        return limbs >= ctx->device_cold_limbs;
    if (gain < device_start_cost(OCL_START_KEPT))
        return false;
    if (!s->start_known)
        s->start = ctx->opt.cl_context ? OCL_START_KEPT : ocl_device_start(s->want);
    s->start_known = true;
    return gain >= device_start_cost(s->start);
}

/* device_opens - whether a product of so many limbs opens a device.   Needs the lock. */
static bool device_opens(struct ctx_device *s, const struct call *call, size_t limbs)
{
    return !s->d && (s->named || (!s->given_up && start_pays(s, call, limbs)));
}

/* device_takes - whether "auto" gives a product of so many limbs to an open device. */
static bool device_takes(const struct call *call, size_t limbs)
{
    const size_t least = call->ctx->device_warm_limbs;
    return least > 0 ? limbs >= least : device_gain(limbs, call->threads) > 0;
}

enum gfmul_status ctx_device_get(struct call *call, size_t limbs, struct ocl_device **d)
{
    struct ctx_device *s = call->ctx->device_state;
    enum gfmul_status status = GFMUL_OK;
    bool opens;

    *d = NULL;
    if (!s || (!s->named && !device_takes(call, limbs)))
        return GFMUL_OK;
    if (!state_lock(s)) {
        if (s->named)
            return call_fail(call, GFMUL_ERR_DEVICE, "a child process has no devices");
        call_note(call, "a child process has no devices: the CPU was used");
        return GFMUL_OK;
    }
    if (s->d && ocl_device_lost(s->d)) { /* free its memory first: the next device may need it */
        struct ocl_device *const lost = s->d;
        device_retire(s);
        pthread_mutex_unlock(&s->lock);
        store_trim(lost, call->ctx);
        pthread_mutex_lock(&s->lock);
    }
    opens = device_opens(s, call, limbs);
    if (opens) {
        status = device_open(call, s);
        s->given_up = status != GFMUL_OK && !s->named;
    }
    *d = s->d;
    if (!s->d && s->named && opens)
        call_fail(call, status, "%s", s->why);
    else if (!s->d && (opens || (s->given_up && (s->n_opened > 0 || start_pays(s, call, limbs)))))
        call_note(call, "%s: the CPU was used", s->why);
    pthread_mutex_unlock(&s->lock);
    return s->named ? status : GFMUL_OK;
}

void ctx_device_missed(struct call *call, size_t limbs)
{
    struct ctx_device *s = call->ctx->device_state;
    const double gain = device_gain(limbs, call->threads);
    if (!s || s->named || gain <= 0 || !state_lock(s))
        return;
    if (!s->d && !s->given_up)
        s->missed_ns += gain;
    pthread_mutex_unlock(&s->lock);
}

bool ctx_device_is_unknown(struct call *call, size_t limbs)
{
    struct ctx_device *s = call->ctx->device_state;
    if (!s || call->ctx->opt.cl_context)
        return false;
    if (!state_lock(s))
        return false;
    const bool opens = device_opens(s, call, limbs);
    pthread_mutex_unlock(&s->lock);
    return opens && ocl_device_is_unknown(s->want);
}

double ctx_device_estimate(struct call *call, size_t limbs)
{
    struct ctx_device *s = call->ctx->device_state;
    double ns = 0;
    if (!s || !state_lock(s))
        return 0;
    if (s->d)
        ns = ocl_device_info(s->d)->gpu ? device_cost(limbs) : 0;
    else if (s->start_known && !s->given_up && s->start == OCL_START_UNMET) /* a GPU has been found */
        ns = device_cost(limbs) + device_start_cost(s->start);
    pthread_mutex_unlock(&s->lock);
    return ns;
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
    for (size_t i = 0;; i++) { /* the lock is free while f runs */
        if (!state_lock(s))
            return;
        struct ocl_device *d = i < s->n_opened ? s->opened[i] : NULL;
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

unsigned gfmul_driver_list(struct gfmul_driver_info *info, unsigned max)
{
    return ocl_driver_list(info, info ? max : 0);
}

enum gfmul_status gfmul_device_find(struct gfmul_device_info *info, const char *want, char *detail, size_t detail_size)
{
    char why[OCL_DETAIL_BYTES] = "";
    enum gfmul_status status = GFMUL_OK;
    if (info)
        memset(info, 0, sizeof *info);
    if (!(want && (strcmp(want, "cpu") == 0 || strcmp(want, "0") == 0)))
        status = ocl_device_find(info, want ? want : "auto", why);
    if (detail && detail_size > 0)
        snprintf(detail, detail_size, "%s", why);
    return status;
}
