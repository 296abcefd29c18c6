/*
 * ctx_device.c - the OpenCL devices of a context: decide whether a product goes to one, and to which; open them, note failures.
 *
 * No platform is touched until a caller names a device, or a product is large enough for "auto" to look for one.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "mul/ctx_device.h"
#include "mul/device_pays.h"
#include "mul/device_store.h"
#include "ocl/ocl_device.h"

_Static_assert(sizeof((struct gfmul_report *)0)->detail >= OCL_DETAIL_BYTES, "details of devices go into reports");
_Static_assert(OCL_DEVICES_MAX <= 64, "a bit for each place");

/* A device that the options name, or that "auto" may find. */
struct ctx_place {
    const char *want;     /* for ocl_device_open */
    char index[12];       /* of one of several: the text of `want` */
    unsigned instance;    /* how many earlier places are the same device */
    struct ocl_device *d; /* NULL: not open, or it was lost */
    bool opening;         /* a thread is opening it, without the lock */
    bool out;             /* it could not be opened, or was lost; a single named device is tried again by the next product */
    double busy_ns;       /* estimated time of the products under way there */
    char why[OCL_DETAIL_BYTES]; /* why it is out */
};

struct ctx_device {
    bool named;                 /* the caller named devices: these or an error; false: "auto" */
    pthread_mutex_t lock;       /* guards the rest */
    pthread_cond_t opened_one;  /* a device was opened, or could not be; used with lock */
    struct ocl_device **opened; /* all, closed with the context, because other calls may still hold lost ones */
    size_t n_opened;
    bool start_known; /* auto: `start` is set; it is determined once */
    enum ocl_start start;
    double missed_ns; /* auto: time that an open device would have saved so far */
    unsigned n;       /* places; auto: one */
    struct ctx_place place[];
};

/* Which device a call wants. */
struct device_wish {
    size_t limbs;   /* of the product */
    uint64_t tried; /* a bit for each place that does not count */
    bool free;      /* the one with the least work, which grows by this product; false: the first one */
};

/* choice_make - resolve the option `device`; "auto" and the caller's own queue are one place, as is a single device. */
static enum gfmul_status choice_make(struct ocl_choice *choice, const char *want, bool named)
{
    struct gfmul_device_info info;
    choice->n = 1;
    if (!named)
        return GFMUL_OK;
    return ocl_is_list(want) ? ocl_devices_find(choice, &info, want, NULL) : ocl_device_find(NULL, want, NULL);
}

/* places_set - set the places by a choice. */
static void places_set(struct ctx_device *s, const struct ocl_choice *choice, const char *want)
{
    s->n = choice->n;
    s->place[0].want = want;
    for (unsigned i = 0; i < s->n && ocl_is_list(want); i++) {
        struct ctx_place *x = &s->place[i];
        snprintf(x->index, sizeof x->index, "%u", choice->index[i]);
        x->want = x->index;
        for (unsigned j = 0; j < i; j++)
            x->instance += choice->index[j] == choice->index[i];
    }
}

enum gfmul_status ctx_device_begin(struct gfmul_ctx *ctx)
{
    const struct gfmul_options *opt = &ctx->opt;
    const bool is_auto = !opt->device || strcmp(opt->device, "auto") == 0, given = opt->cl_context || opt->cl_queue;
    if (!ctx->device_named && (!is_auto || (opt->engine != GFMUL_ENGINE_AUTO && opt->engine != GFMUL_ENGINE_OPENCL)))
        return GFMUL_OK; /* only the CPU is wanted */
    const char *const want = !is_auto ? opt->device : ctx->device_named ? "gpu" : "auto";
    struct ocl_choice choice;
    TRY(choice_make(&choice, want, ctx->device_named && !given));
    struct ctx_device *s = alloc_zeroed(sizeof *s + choice.n * sizeof s->place[0]);
    if (!s)
        return GFMUL_ERR_MEMORY;
    s->named = ctx->device_named;
    places_set(s, &choice, want);
    if (pthread_mutex_init(&s->lock, NULL) != 0) {
        alloc_free(s);
        return GFMUL_ERR_MEMORY;
    }
    if (pthread_cond_init(&s->opened_one, NULL) != 0) {
        pthread_mutex_destroy(&s->lock);
        alloc_free(s);
        return GFMUL_ERR_MEMORY;
    }
    ctx->device_state = s;
    if (given)
        ocl_given_retain(opt->cl_context, opt->cl_queue);
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
    pthread_cond_destroy(&s->opened_one);
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

/* place_lost - a place whose device is lost; NULL: there is none.   Needs the lock. */
static struct ctx_place *place_lost(struct ctx_device *s)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->place[i].d && ocl_device_lost(s->place[i].d))
            return &s->place[i];
    return NULL;
}

/*
 * places_look - forget lost devices, so that they can be opened again, and free their memory: the next device may need it.
 * Needs the lock, which is free in between.
 */
static void places_look(struct gfmul_ctx *ctx, struct ctx_device *s)
{
    for (struct ctx_place *x; (x = place_lost(s)) != NULL;) {
        struct ocl_device *const lost = x->d;
        if (!x->why[0]) /* it was lost, but not during a product of this context */
            snprintf(x->why, sizeof x->why, "%.100s: the device is gone", ocl_device_info(lost)->name);
        x->d = NULL;
        x->out = true;
        x->busy_ns = 0;
        pthread_mutex_unlock(&s->lock);
        store_trim(lost, ctx);
        pthread_mutex_lock(&s->lock);
    }
}

/* is_in - whether a place counts.   Needs the lock. */
static bool is_in(const struct ctx_device *s, unsigned i, uint64_t tried)
{
    return !s->place[i].out && (tried >> i & 1) == 0;
}

/* places_renew - a named device that is out is tried again once no other one is left.   Needs the lock. */
static void places_renew(struct ctx_device *s)
{
    bool some = false;
    for (unsigned i = 0; i < s->n; i++)
        some = some || is_in(s, i, 0);
    for (unsigned i = 0; i < s->n && s->named && !some; i++)
        s->place[i].out = false;
}

/* place_pick - the place for a wish, if need be one that is being opened; NULL: none is left.   Needs the lock. */
static struct ctx_place *place_pick(struct ctx_device *s, const struct device_wish *wish)
{
    struct ctx_place *best = NULL;
    for (unsigned i = 0; i < s->n; i++) {
        struct ctx_place *const x = &s->place[i];
        const bool better = !best || (wish->free && (best->opening || (!x->opening && x->busy_ns < best->busy_ns)));
        if (is_in(s, i, wish->tried) && better)
            best = x;
    }
    return best;
}

/* opened_add - note a device that was opened.   Needs the lock.   Errors: MEMORY */
static enum gfmul_status opened_add(struct ctx_device *s, struct ocl_device *d)
{
    struct ocl_device **list = realloc(s->opened, (s->n_opened + 1) * sizeof *list);
    if (!list)
        return GFMUL_ERR_MEMORY;
    s->opened = list;
    s->opened[s->n_opened++] = d;
    return GFMUL_OK;
}

/* place_open - open the device of a place; if that fails, the place is out.   Needs the lock, which is free meanwhile. */
static enum gfmul_status place_open(struct call *call, struct ctx_device *s, struct ctx_place *x)
{
    const struct gfmul_options *opt = &call->ctx->opt;
    const struct ocl_device_options how = {opt->profile != 0, opt->cl_context, opt->cl_queue, x->instance};
    char why[OCL_DETAIL_BYTES] = "";
    struct ocl_device *d;
    x->opening = true;
    pthread_mutex_unlock(&s->lock);
    const enum phase phase = phase_enter(&call->clock, PHASE_DEVICE_START);
    atomic_store(&call->ctx->driver_called, true);
    enum gfmul_status status = ocl_device_open(&d, x->want, &how, why);
    phase_enter(&call->clock, phase);
    pthread_mutex_lock(&s->lock);
    if (status == GFMUL_OK && (status = opened_add(s, d)) != GFMUL_OK) {
        ocl_device_close(d);
        snprintf(why, sizeof why, "out of memory for a device");
    }
    memcpy(x->why, why, sizeof why);
    x->d = status == GFMUL_OK ? d : NULL;
    x->out = status != GFMUL_OK;
    x->opening = false;
    pthread_cond_broadcast(&s->opened_one);
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
        s->start = ctx->opt.cl_context ? OCL_START_KEPT : ocl_device_start(s->place[0].want);
    s->start_known = true;
    return gain >= device_start_cost(s->start);
}

/* device_opens - whether a product of so many limbs opens the first place if it is not open.   Needs the lock. */
static bool device_opens(struct ctx_device *s, const struct call *call, size_t limbs)
{
    const struct ctx_place *x = &s->place[0];
    return !x->d && (s->named || (!x->out && start_pays(s, call, limbs)));
}

/* device_takes - whether "auto" gives a product of so many limbs to an open device. */
static bool device_takes(const struct call *call, size_t limbs)
{
    const size_t least = call->ctx->device_warm_limbs;
    return least > 0 ? limbs >= least : device_gain(limbs, call->threads) > 0;
}

/*
 * place_get - the place for a wish, with its device open; NULL: none is left.   Needs the lock, which is free in between.
 * Errors: those of the last device that could not be opened, if none is left.
 */
static enum gfmul_status place_get(struct call *call, struct ctx_device *s, const struct device_wish *wish,
                                   struct ctx_place **result)
{
    enum gfmul_status status = GFMUL_OK;
    struct ctx_place *x;
    while ((x = place_pick(s, wish)) != NULL && !x->d && !(x->opening && ocl_left_behind())) {
        if (x->opening) {
            pthread_cond_wait(&s->opened_one, &s->lock);
        } else if ((status = place_open(call, s, x)) != GFMUL_OK) {
            call_fail(call, status, "%s", x->why);
        }
    }
    *result = x && x->d ? x : NULL;
    return *result ? GFMUL_OK : status;
}

/* device_choose - as ctx_device_get and ctx_device_take; the place only if there is a device. */
static enum gfmul_status device_choose(struct call *call, const struct device_wish *wish, struct ocl_device **d, unsigned *place)
{
    struct ctx_device *s = call->ctx->device_state;
    struct ctx_place *x = NULL;
    enum gfmul_status status = GFMUL_OK;
    char why[sizeof call->why];

    *d = NULL;
    if (!s || (!s->named && !device_takes(call, wish->limbs)))
        return GFMUL_OK;
    if (!state_lock(s)) {
        if (s->named)
            return call_fail(call, GFMUL_ERR_DEVICE, "a child process has no devices");
        call_note(call, "a child process has no devices: the CPU was used");
        return GFMUL_OK;
    }
    memcpy(why, call->why, sizeof why);
    places_look(call->ctx, s);
    if (wish->tried == 0)
        places_renew(s);
    const bool opens = device_opens(s, call, wish->limbs);
    if (s->named || opens || s->place[0].d)
        status = place_get(call, s, wish, &x);
    if (x || !s->named)
        memcpy(call->why, why, sizeof why); /* a device that could not be opened is no failure of the call */
    if (x) {
        *d = x->d;
        *place = (unsigned)(x - s->place) + 1;
        x->busy_ns += wish->free ? device_cost(wish->limbs) : 0;
    } else if (!s->named && (opens || (s->place[0].out && (s->n_opened > 0 || start_pays(s, call, wish->limbs))))) {
        call_note(call, "%s: the CPU was used", s->place[0].why);
    } else if (s->named && status == GFMUL_OK) {
        status = call_fail(call, GFMUL_ERR_DEVICE, "no other device is left");
    }
    pthread_mutex_unlock(&s->lock);
    return s->named ? status : GFMUL_OK;
}

enum gfmul_status ctx_device_get(struct call *call, size_t limbs, struct ocl_device **d)
{
    unsigned place;
    return device_choose(call, &(struct device_wish){.limbs = limbs}, d, &place);
}

enum gfmul_status ctx_device_take(struct call *call, size_t limbs, uint64_t tried, struct ocl_device **d, unsigned *place)
{
    return device_choose(call, &(struct device_wish){limbs, tried, true}, d, place);
}

/* place_of - the place of an open device; NULL: it is none any more.   Needs the lock. */
static struct ctx_place *place_of(struct ctx_device *s, const struct ocl_device *d)
{
    unsigned i = 0;
    while (i < s->n && s->place[i].d != d)
        i++;
    return i < s->n ? &s->place[i] : NULL;
}

/* busy_add - change the time of the products under way on a device.   Value: as ctx_device_enter. */
static unsigned busy_add(struct gfmul_ctx *ctx, const struct ocl_device *d, double ns)
{
    struct ctx_device *s = ctx->device_state;
    if (!s || !state_lock(s))
        return 0;
    struct ctx_place *const x = place_of(s, d);
    if (x)
        x->busy_ns = x->busy_ns + ns > 0.5 ? x->busy_ns + ns : 0; /* costs are more than 1e6 ns, and sums are rounded */
    pthread_mutex_unlock(&s->lock);
    return x ? (unsigned)(x - s->place) + 1 : 0;
}

unsigned ctx_device_enter(struct gfmul_ctx *ctx, struct ocl_device *d, size_t limbs)
{
    return busy_add(ctx, d, device_cost(limbs));
}

void ctx_device_leave(struct gfmul_ctx *ctx, struct ocl_device *d, size_t limbs)
{
    busy_add(ctx, d, -device_cost(limbs));
}

void ctx_device_missed(struct call *call, size_t limbs)
{
    struct ctx_device *s = call->ctx->device_state;
    const double gain = device_gain(limbs, call->threads);
    if (!s || s->named || gain <= 0 || !state_lock(s))
        return;
    if (!s->place[0].d && !s->place[0].out)
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
    return opens && ocl_device_is_unknown(s->place[0].want);
}

double ctx_device_estimate(struct call *call, size_t limbs)
{
    struct ctx_device *s = call->ctx->device_state;
    double ns = 0;
    if (!s || !state_lock(s))
        return 0;
    const struct ctx_place *const x = &s->place[0];
    if (x->d)
        ns = ocl_device_info(x->d)->gpu ? device_cost(limbs) : 0;
    else if (s->start_known && !x->out && s->start == OCL_START_UNMET) /* a GPU has been found */
        ns = device_cost(limbs) + device_start_cost(s->start);
    pthread_mutex_unlock(&s->lock);
    return ns;
}

void ctx_device_failed(struct gfmul_ctx *ctx, const struct ocl_device *d, const char *why)
{
    struct ctx_device *s = ctx->device_state;
    pthread_mutex_lock(&s->lock);
    struct ctx_place *const x = place_of(s, d);
    if (x && ocl_device_lost(d))
        memcpy(x->why, why, sizeof x->why);
    pthread_mutex_unlock(&s->lock);
}

bool ctx_device_others(struct gfmul_ctx *ctx, uint64_t tried)
{
    struct ctx_device *s = ctx->device_state;
    bool some = false;
    pthread_mutex_lock(&s->lock);
    for (unsigned i = 0; i < s->n; i++)
        some = some || is_in(s, i, tried);
    pthread_mutex_unlock(&s->lock);
    return some;
}

unsigned ctx_device_idle(struct gfmul_ctx *ctx)
{
    struct ctx_device *s = ctx->device_state;
    unsigned idle = 0;
    if (!s || s->n < 2 || !state_lock(s))
        return 0;
    for (unsigned i = 0; i < s->n; i++)
        idle += is_in(s, i, 0) && !(s->place[i].d && ocl_device_lost(s->place[i].d)) && s->place[i].busy_ns <= 0;
    pthread_mutex_unlock(&s->lock);
    return idle;
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
    struct gfmul_device_info first;
    struct ocl_choice choice;
    if (info)
        memset(info, 0, sizeof *info);
    if (want && ocl_is_list(want)) {
        status = ocl_devices_find(&choice, &first, want, why);
        if (info)
            *info = first;
    } else if (!(want && (strcmp(want, "cpu") == 0 || strcmp(want, "0") == 0)))
        status = ocl_device_find(info, want ? want : "auto", why);
    if (detail && detail_size > 0)
        snprintf(detail, detail_size, "%s", why);
    return status;
}
