/*
 * gmp_shim.c - the engine, loaded when it is first needed, and what guards a product: signals, errno, recursion, forks.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "gmp/gmp_shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/signals.h"
#include "gmp/gmp_engine.h"

/* until the constructor has run */
struct shim_limits shim_limits = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX,
                                  0,        0,        SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
_Atomic(const struct short_ops *) shim_vectors;
_Atomic(const struct small_ops *) shim_small_ops;

static struct gmp_engine_options options;
enum engine_state { NONE, LOADING, READY, ABSENT, FOREIGN }; /* FOREIGN: no engine, because of the program's malloc */
static _Atomic int state;
static _Atomic(const struct gmp_engine *) loaded;
static atomic_uint n_busy; /* products under way, of all threads */

static _Thread_local const sigset_t *stopped; /* the signals that were blocked before a product that others stop; NULL: none do */

/* ---- the environment ---- */

/* number_of - a variable with a whole number up to a limit, and perhaps K, M or G; if it is none, the default. */
static size_t number_of(const char *name, size_t most, size_t fallback)
{
    static const char units[] = "KMG";
    const char *text = secure_getenv(name);
    char *end;
    if (!text || *text < '0' || *text > '9')
        return fallback;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    if (errno != 0 || (*end != '\0' && (!unit || end[1] != '\0')))
        return fallback;
    for (ptrdiff_t i = unit ? unit - units : -1; i >= 0; i--) {
        if (n > SIZE_MAX >> 10)
            return fallback;
        n <<= 10;
    }
    return n <= most ? (size_t)n : fallback;
}

static void limits_set(const struct gmp_limits *l)
{
    atomic_store(&shim_limits.mul, l->mul);
    atomic_store(&shim_limits.sqr, l->sqr);
    atomic_store(&shim_limits.mulmod, l->mulmod);
    atomic_store(&shim_limits.sqrmod, l->sqrmod);
    atomic_store(&shim_limits.divide, l->divide);
    const struct short_ops *vectors = atomic_load(&shim_vectors);
    atomic_store(&shim_limits.least_mul, vectors && vectors->product.from < l->mul ? vectors->product.from : l->mul);
    atomic_store(&shim_limits.least_sqr, vectors && vectors->square.from < l->sqr ? vectors->square.from : l->sqr);
}

static void limits_all(size_t n)
{
    limits_set(&(struct gmp_limits){n, n, n, n, n});
}

/* ---- signals that stop a product ---- */

/* progress - stop the product if a signal waits that usually ends a computation: its handler may leave by a long jump. */
static int progress(void *arg, double done)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM};
    sigset_t pending;
    (void)arg, (void)done;
    if (!stopped || sigpending(&pending) != 0)
        return 0;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        if (sigismember(&pending, stops[i]) == 1 && sigismember(stopped, stops[i]) == 0)
            return 1;
    }
    return 0;
}

struct guard {
    int error, cancel;
    sigset_t former; /* the signals that were blocked */
};

/* guard_enter - from here on nothing leaves the product but its end: no handler, no cancellation.   stop in: by signals. */
static void guard_enter(struct guard *g, const struct route *route, bool stop)
{
    sigset_t blocked;
    signals_outside(&blocked);
    g->error = errno;
    pthread_sigmask(SIG_BLOCK, &blocked, &g->former);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &g->cancel);
    atomic_fetch_add(&n_busy, 1);
    route_inside = route;
    stopped = stop ? &g->former : NULL;
}

static void guard_leave(const struct guard *g)
{
    stopped = NULL;
    route_inside = NULL;
    atomic_fetch_sub(&n_busy, 1);
    pthread_setcancelstate(g->cancel, NULL);
    errno = g->error;
    pthread_sigmask(SIG_SETMASK, &g->former, NULL);
}

/* ---- the engine ---- */

/* engine_open - the engine's module: beside this library in a build, in a folder below once installed; NULL: it is not there. */
static const struct gmp_engine *engine_open(void)
{
    static const char *const places[] = {"gfmul/gmp_engine.so", "gmp_engine.so"};
    char path[PATH_MAX];
    Dl_info info;
    if (dladdr(&shim_limits, &info) == 0 || !info.dli_fname || !realpath(info.dli_fname, path))
        return NULL;
    char *name = strrchr(path, '/') + 1;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const size_t bytes = strlen(places[i]) + 1;
        if (bytes > (size_t)(path + sizeof path - name))
            return NULL;
        memcpy(name, places[i], bytes);
        void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (module)
            return dlsym(module, GMP_ENGINE_SYMBOL);
    }
    return NULL;
}

/* malloc_usable - whether the engine may allocate. */
static bool malloc_usable(const struct elf_objects *objects, void *unused)
{
    (void)unused;
    return objects_odd_malloc(objects) == NULL;
}

/* engine_get - the engine, started; NULL: it cannot be had, or another thread starts it now. */
static const struct gmp_engine *engine_get(const struct gmp_functions *gmp)
{
    struct gmp_limits limits;
    int none = NONE;
    if (atomic_load(&state) == READY)
        return atomic_load(&loaded);
    if (!atomic_compare_exchange_strong(&state, &none, LOADING))
        return NULL;
    const bool usable = elf_objects_visit(malloc_usable, NULL);
    const struct gmp_engine *engine = usable ? engine_open() : NULL;
    if (!engine || !engine->start(gmp, &options, &limits)) {
        limits_all(SIZE_MAX);
        atomic_store(&state, usable ? ABSENT : FOREIGN);
        return NULL;
    }
    atomic_store(&loaded, engine);
    limits_set(&limits);
    atomic_store(&state, READY);
    return engine;
}

/* ---- products ---- */

/* Shorter products than this end within some 10 ms: to look for signals costs more than to let them wait. */
enum { STOP_LIMBS = 1 << 17 };

struct request {
    int kind;
    const _Atomic size_t *limit; /* of `size` */
    size_t size;
    mp_limb_t *z, *top, *scratch;
    size_t n;
    const mp_limb_t *a, *b;
    size_t an, bn;
};

static int request_make(const struct gmp_engine *engine, const struct gmp_functions *gmp, const struct request *r)
{
    switch (r->kind) {
    case WHOLE:
        return engine->mul(gmp, r->z, r->a, r->an, r->b, r->bn);
    case QUOTIENT:
        return engine->divide(gmp, r->z, r->scratch, r->a, r->an, r->b, r->bn);
    case MINUS:
        return engine->minus(gmp, r->z, r->n, r->a, r->an, r->b, r->bn, r->scratch);
    default:
        return engine->plus(gmp, r->z, r->top, r->n, r->a, r->an, r->b, r->bn);
    }
}

/* request_guarded - the product, or not, within a guard; *again: a signal has stopped it. */
static bool request_guarded(const struct route *route, const struct request *r, bool stop, bool *again)
{
    struct guard guard;
    bool made = false;
    *again = false;
    guard_enter(&guard, route, stop && r->an + r->bn >= STOP_LIMBS);
    const struct gmp_engine *engine = engine_get(route->gmp);
    if (engine && r->size >= atomic_load(r->limit)) { /* the engine may have raised it */
        const int status = request_make(engine, route->gmp, r);
        made = status == 0;
        *again = status == engine->interrupted;
        if (made)
            stats_count(r->kind, r->an + r->bn);
        else if (!*again)
            stats_left();
    }
    guard_leave(&guard);
    return made;
}

static bool request(const struct route *route, const struct request *r)
{
    bool again;
    if (route_inside || !route->gmp)
        return false;
    const bool made = request_guarded(route, r, true, &again);
    return again ? request_guarded(route, r, false, &again) : made;
}

bool shim_mul(const struct route *route, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    const bool square = a == b && an == bn;
    return request(route, &(struct request){.kind = WHOLE,
                                            .limit = square ? &shim_limits.sqr : &shim_limits.mul,
                                            .size = bn,
                                            .z = z,
                                            .a = a,
                                            .an = an,
                                            .b = b,
                                            .bn = bn});
}

bool shim_minus(const struct route *route, mp_limb_t *z, size_t n, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn,
                mp_limb_t *scratch)
{
    const bool square = a == b && an == bn;
    return request(route, &(struct request){.kind = MINUS,
                                            .limit = square ? &shim_limits.sqrmod : &shim_limits.mulmod,
                                            .size = n,
                                            .z = z,
                                            .scratch = scratch,
                                            .n = n,
                                            .a = a,
                                            .an = an,
                                            .b = b,
                                            .bn = bn});
}

bool shim_plus(const struct route *route, mp_limb_t *z, mp_limb_t *top, size_t n, const mp_limb_t *a, size_t an,
               const mp_limb_t *b, size_t bn)
{
    const bool square = a == b && an == bn;
    return request(route, &(struct request){.kind = PLUS,
                                            .limit = square ? &shim_limits.sqrmod : &shim_limits.mulmod,
                                            .size = n,
                                            .z = z,
                                            .top = top,
                                            .n = n,
                                            .a = a,
                                            .an = an,
                                            .b = b,
                                            .bn = bn});
}

bool shim_divide(const struct route *route, mp_limb_t *q, mp_limb_t *r, const mp_limb_t *a, size_t an, const mp_limb_t *d,
                 size_t dn)
{
    return request(route, &(struct request){.kind = QUOTIENT,
                                            .limit = &shim_limits.divide,
                                            .size = an - dn + 1 < dn ? an - dn + 1 : dn,
                                            .z = q,
                                            .scratch = r,
                                            .a = a,
                                            .an = an,
                                            .b = d,
                                            .bn = dn});
}

/* ---- the process ---- */

/* What another thread had under way is lost in a child, and with it the engine's context, whose locks it may hold. */
void shim_forked(void)
{
    routes_forked();
    const bool busy = atomic_exchange(&n_busy, 0) > 0;
    if (busy && (atomic_load(&state) == READY || atomic_load(&state) == LOADING))
        atomic_store(&state, NONE);
}

static void vectors_find(void)
{
    const char *disable = secure_getenv("GFMUL_DISABLE");
    atomic_store(&shim_vectors, short_ops_select(cpu_isa_mask(disable), disable));
    atomic_store(&shim_small_ops, small_ops_select(disable));
}

/* No memory, no lock and no stream here: the program's own malloc may not be ready before main. */
static __attribute__((constructor)) void shim_start(void)
{
    const int error = errno;
    stats_start();
    options.threads = (unsigned)number_of("GFMUL_GMP_THREADS", 1024, 1);
    options.memory_limit = number_of("GFMUL_GMP_MEMORY", SIZE_MAX, 0);
    options.threshold = number_of("GFMUL_GMP_THRESHOLD", SIZE_MAX, 0);
    options.progress = progress;
    if (options.threshold == 0) {
        vectors_find();
        const struct short_ops *vectors = atomic_load(&shim_vectors);
        const struct small_ops *small = atomic_load(&shim_small_ops);
        atomic_store(&shim_limits.mul_basecase, vectors ? vectors->product.from : SIZE_MAX);
        atomic_store(&shim_limits.sqr_basecase, vectors ? vectors->square.from : SIZE_MAX);
        atomic_store(&shim_limits.redc, vectors ? vectors->redc_from : SIZE_MAX);
        atomic_store(&shim_limits.small_mul, small->mul_limbs);
        atomic_store(&shim_limits.small_sqr, small->sqr_limbs);
    }
    limits_all(options.threshold > 0 ? options.threshold : GMP_LIMITS_LEAST);
    errno = error;
}

static __attribute__((destructor)) void shim_end(void)
{
    static const char *const reasons[] = {
        [ABSENT] = "the engine could not be started", [FOREIGN] = "the program has a malloc of its own"};
    const int now = atomic_load(&state);
    stats_print(now == ABSENT || now == FOREIGN ? reasons[now] : NULL);
}
