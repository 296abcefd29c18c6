/*
 * gmp_routes.h - from the caller of an entry point to its own GMP.
 *
 * A process may have several copies of GMP: that of the system, and those that Python's wheels bring along under names of their
 * own.  Each caller goes on to the copy that it would have reached without this library (doc/decisions/gmp-drop-in.md).
 */
#ifndef GFMUL_GMP_ROUTES_H
#define GFMUL_GMP_ROUTES_H

#include <stdatomic.h>
#include <stdint.h>

#include "gmp/elf_objects.h"
#include "gmp/gmp_engine.h"

/* The entry points: ROUTE_ENTRY(result, name, parameters).  GMP declares most of them for itself alone. */
#define ROUTE_ENTRIES                                                                                                           \
    ROUTE_ENTRY(mp_limb_t, mul, (mp_limb_t * z, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn))            \
    ROUTE_ENTRY(void, mul_n, (mp_limb_t * z, const mp_limb_t *a, const mp_limb_t *b, mp_size_t n))                              \
    ROUTE_ENTRY(void, sqr, (mp_limb_t * z, const mp_limb_t *a, mp_size_t n))                                                    \
    ROUTE_ENTRY(void, mul_basecase, (mp_limb_t * z, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn))        \
    ROUTE_ENTRY(void, sqr_basecase, (mp_limb_t * z, const mp_limb_t *a, mp_size_t n))                                           \
    ROUTE_ENTRY(mp_limb_t, redc_1, (mp_limb_t * z, mp_limb_t * u, const mp_limb_t *m, mp_size_t n, mp_limb_t inverse))          \
    ROUTE_ENTRY(mp_limb_t, redc_2, (mp_limb_t * z, mp_limb_t * u, const mp_limb_t *m, mp_size_t n, const mp_limb_t *inverse))   \
    ROUTE_ENTRY(void, redc_n, (mp_limb_t * z, mp_limb_t * u, const mp_limb_t *m, mp_size_t n, const mp_limb_t *inverse))        \
    ROUTE_ENTRY(mp_limb_t, mul_fft,                                                                                             \
                (mp_limb_t * z, mp_size_t n, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn, int k))        \
    ROUTE_ENTRY(void, mulmod_bnm1,                                                                                              \
                (mp_limb_t * z, mp_size_t n, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn, mp_limb_t *t)) \
    ROUTE_ENTRY(void, sqrmod_bnm1, (mp_limb_t * z, mp_size_t n, const mp_limb_t *a, mp_size_t an, mp_limb_t *t))                \
    ROUTE_ENTRY(void, tdiv_qr,                                                                                                  \
                (mp_limb_t * q, mp_limb_t * r, mp_size_t qxn, const mp_limb_t *a, mp_size_t an, const mp_limb_t *d,             \
                 mp_size_t dn))                                                                                                 \
    ROUTE_ENTRY(void, div_q,                                                                                                    \
                (mp_limb_t * q, const mp_limb_t *a, mp_size_t an, const mp_limb_t *d, mp_size_t dn, mp_limb_t *t))

/* The way of all calls from one object.  It is never freed, and the GMP that it leads to stays in memory. */
struct route {
    uintptr_t low, size; /* of the calling object */
#define ROUTE_ENTRY(result, name, parameters) result(*name) parameters;
    ROUTE_ENTRIES
#undef ROUTE_ENTRY
    const struct gmp_functions *gmp; /* NULL: that GMP lacks some of them, and goes without the engine */
};

/* Where the way of an address was found last, by 64 KiB.  An empty place leads nowhere: its size is 0. */
enum { ROUTE_PLACES = 64, ROUTE_PLACE_BITS = 16 };
extern _Atomic(const struct route *) route_places[ROUTE_PLACES];

/* The way of the product that this thread's engine makes now; NULL: none. */
extern _Thread_local const struct route *route_inside;

/*
 * route_find - the way of this caller.
 *
 *   caller  in   the return address of the entry point
 *
 * Value:   never NULL.  If there is no GMP at all, the process is aborted: the call has nowhere to go.
 * Threads: any.   Errors: none; errno is kept.
 */
const struct route *route_find(const void *caller);

/* route_seen - the same if it was found before, else NULL; fast. */
static inline const struct route *route_seen(const void *caller)
{
    const uintptr_t at = (uintptr_t)caller;
    const struct route *route =
        atomic_load_explicit(&route_places[(at >> ROUTE_PLACE_BITS) % ROUTE_PLACES], memory_order_acquire);
    return __builtin_expect(at - route->low < route->size, 1) ? route : NULL;
}

/* route_of - route_seen, else route_find. */
static inline const struct route *route_of(const void *caller)
{
    const struct route *route = route_seen(caller);
    return route ? route : route_find(caller);
}

/* object_is_shim - whether an object is this library itself. */
bool object_is_shim(const struct elf_object *object);

/* object_is_gmp - whether an object is a GMP: this library has some of its names, too. */
bool object_is_gmp(const struct elf_object *object, const void *unused);

/*
 * objects_odd_malloc - the object whose malloc this process has, if that is no whole replacement of the C library's; else NULL.
 *
 * One without posix_memalign cannot be freed what libraries allocate by that.  Such a malloc is a part of its program alone:
 * that of GNU Common Lisp leaves GMP's functions by a long jump, to collect garbage.  Nothing may allocate amid a call then.
 */
const struct elf_object *objects_odd_malloc(const struct elf_objects *objects);

/* routes_forked - in a child process: another thread may have held the lock. */
void routes_forked(void);

/* shim_forked - the repair in a child process of one that multiplies (gmp_shim.c). */
void shim_forked(void);

#endif
