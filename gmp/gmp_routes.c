/*
 * gmp_routes.c - from the caller of an entry point to its own GMP.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "gmp/gmp_routes.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gmp/elf_objects.h"
#include "gmp/shim_pages.h"

/* A copy of GMP. */
struct copy {
    struct copy *next;
    uintptr_t base;
    bool stays;         /* in memory, to the end of the process */
    struct route route; /* its functions; low and size are a caller's */
    struct gmp_functions gmp;
};

/* A way that was found; a list of all of them. */
struct found {
    struct found *next;
    struct route route;
};

static const struct route nowhere;
_Atomic(const struct route *) route_places[ROUTE_PLACES] = {[0 ... ROUTE_PLACES - 1] = &nowhere};

_Thread_local const struct route *route_inside;
static _Atomic(struct copy *) copies;
static _Atomic(struct found *) all_found;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of who adds to either list */

void routes_forked(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

/* room_get - memory that is never freed, zeroed; NULL: none is left.   Needs the lock. */
static void *room_get(size_t bytes)
{
    enum { CHUNK_BYTES = 1 << 14 };
    static char *chunk;
    static size_t left;
    bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (bytes > left) {
        if (!(chunk = shim_pages_get(CHUNK_BYTES)))
            return NULL;
        left = CHUNK_BYTES;
    }
    left -= bytes;
    return chunk + left;
}

/* symbol_to - a function's address into a pointer to a function. */
static bool symbol_to(void *pointer, const struct elf_object *object, const char *name)
{
    void *address = elf_symbol(object, name);
    memcpy(pointer, &address, sizeof address);
    return address != NULL;
}

/* is_engine - whether the object is the engine. */
static bool is_engine(const struct elf_object *object)
{
    return elf_symbol(object, GMP_ENGINE_SYMBOL) != NULL;
}

bool object_is_shim(const struct elf_object *object)
{
    return (uintptr_t)&route_places - object->low < object->size;
}

bool object_is_gmp(const struct elf_object *object, const void *unused)
{
    (void)unused;
    return !object_is_shim(object) && elf_symbol(object, "__gmpn_mul") && elf_symbol(object, "__gmp_bits_per_limb");
}

const struct elf_object *objects_odd_malloc(const struct elf_objects *objects)
{
    for (size_t i = 0; i < objects->n; i++) {
        if (elf_symbol(&objects->object[i], "malloc"))
            return elf_symbol(&objects->object[i], "posix_memalign") ? NULL : &objects->object[i];
    }
    return NULL;
}

/* copy_of - what is known of a copy of GMP, made if need be; NULL: no memory.   Needs the lock. */
static struct copy *copy_of(const struct elf_object *object)
{
    struct copy *c;
    for (c = atomic_load(&copies); c; c = c->next) {
        if (c->base == object->base && (uintptr_t)c->route.mul == (uintptr_t)elf_symbol(object, "__gmpn_mul"))
            return c;
    }
    if (!(c = room_get(sizeof *c)))
        return NULL;
    c->base = object->base;
    bool whole = true;
#define ROUTE_ENTRY(result, name, parameters) whole &= symbol_to(&c->route.name, object, "__gmpn_" #name);
    ROUTE_ENTRIES
#undef ROUTE_ENTRY
#define GMP_CALL(result, name, parameters, arguments) whole &= symbol_to(&c->gmp.name, object, #name);
#include "gmp/gmp_calls.def"
    const int *limb_bits = elf_symbol(object, "__gmp_bits_per_limb");
    if (whole && *limb_bits == GMP_NUMB_BITS)
        c->route.gmp = &c->gmp;
    c->next = atomic_load(&copies);
    atomic_store(&copies, c);
    return c;
}

/* gmp_of - the GMP that a caller means: its own, else that of the program, else the first one. */
static const struct elf_object *gmp_of(const struct elf_objects *objects, const struct elf_object *caller)
{
    const struct elf_object *gmp = caller ? elf_first_needed(objects, caller, object_is_gmp, NULL) : NULL;
    if (!gmp)
        gmp = elf_first_needed(objects, &objects->object[0], object_is_gmp, NULL);
    for (size_t i = 0; i < objects->n && !gmp; i++)
        gmp = object_is_gmp(&objects->object[i], NULL) ? &objects->object[i] : NULL;
    return gmp;
}

struct search {
    const void *caller;
    struct copy *copy;
    uintptr_t low, size; /* of the calling object, or of the page if it is in none; size 0: the way is not to be remembered */
    bool inside;         /* the caller is this library or its engine: a GMP that makes a part of a product has jumped on */
    const char *name;    /* of the copy's object, if it has to be held; valid while the lock is held */
};

static bool search_visit(const struct elf_objects *objects, void *arg)
{
    struct search *s = arg;
    if (objects->n == 0)
        return false;
    const struct elf_object *caller = elf_object_at(objects, s->caller), *gmp = gmp_of(objects, caller);
    if (!gmp || !(s->copy = copy_of(gmp)))
        return false;
    /* What the program needs never leaves.  To hold another one, the dynamic linker allocates. */
    s->copy->stays = s->copy->stays || elf_needed(objects, &objects->object[0], gmp);
    static char name[PATH_MAX]; /* the list goes, and with it what it points to might */
    if (!s->copy->stays && !objects_odd_malloc(objects) && strlen(gmp->name) < sizeof name)
        s->name = strcpy(name, gmp->name);
    s->inside = caller && (object_is_shim(caller) || is_engine(caller));
    if (!caller) { /* code that was made at run time */
        s->size = (uintptr_t)sysconf(_SC_PAGESIZE);
        s->low = (uintptr_t)s->caller / s->size * s->size;
    } else if (!s->inside) {
        s->low = caller->low;
        s->size = caller->size;
    }
    return true;
}

/* place_set - remember a way at the place of one address. */
static void place_set(const void *caller, const struct route *route)
{
    atomic_store_explicit(&route_places[((uintptr_t)caller >> ROUTE_PLACE_BITS) % ROUTE_PLACES], route, memory_order_release);
}

/* copy_hold - keep a copy in memory that dlopen has brought: dlclose would leave ways that lead nowhere.   Needs the lock. */
static void copy_hold(struct copy *copy, const char *name)
{
    struct link_map *map = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (map && map->l_addr == copy->base)
        copy->stays = true;
    else if (map)
        dlclose(map);
}

/* search_locked - find the way by the list of objects; NULL: there is no GMP, or no memory.   Needs the lock. */
static const struct route *search_locked(const void *caller)
{
    struct search s = {.caller = caller};
    if (!elf_objects_visit(search_visit, &s))
        return NULL;
    if (s.name)
        copy_hold(s.copy, s.name);
    if (s.inside && route_inside)
        return route_inside;
    struct found *f = s.copy->stays && s.size > 0 ? room_get(sizeof *f) : NULL;
    if (!f)
        return &s.copy->route;
    f->route = s.copy->route;
    f->route.low = s.low;
    f->route.size = s.size;
    f->next = atomic_load(&all_found);
    atomic_store(&all_found, f);
    place_set(caller, &f->route);
    return &f->route;
}

/* forks_watch - not in the constructor, because pthread_atfork takes a lock, and may allocate. */
static void forks_watch(void)
{
    static atomic_bool watched;
    if (!atomic_exchange(&watched, true))
        pthread_atfork(NULL, NULL, shim_forked);
}

const struct route *route_find(const void *caller)
{
    for (const struct found *f = atomic_load(&all_found); f; f = f->next) {
        if ((uintptr_t)caller - f->route.low < f->route.size) {
            place_set(caller, &f->route);
            return &f->route;
        }
    }
    const int error = errno;
    sigset_t all, former;
    sigfillset(&all); /* a handler that multiplies would wait for the lock without end */
    pthread_sigmask(SIG_SETMASK, &all, &former);
    forks_watch();
    pthread_mutex_lock(&lock);
    const struct route *route = search_locked(caller);
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    if (!route)
        abort();
    errno = error;
    return route;
}
