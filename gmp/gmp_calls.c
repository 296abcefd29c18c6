/*
 * gmp_calls.c - GMP's names in the engine: each goes on to the GMP whose product is made.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "gmp/gmp_calls.h"

#include <stdatomic.h>

static _Thread_local const struct gmp_functions *mine;
static _Atomic(const struct gmp_functions *) latest;

const struct gmp_functions *gmp_calls_to(const struct gmp_functions *gmp)
{
    const struct gmp_functions *former = mine;
    mine = gmp;
    if (gmp && atomic_load_explicit(&latest, memory_order_relaxed) != gmp)
        atomic_store(&latest, gmp);
    return former;
}

static inline const struct gmp_functions *now(void)
{
    return mine ? mine : atomic_load(&latest);
}

#define GMP_CALL(result, name, parameters, arguments) \
    result name parameters                            \
    {                                                 \
        return now()->name arguments;                 \
    }
#ifdef HAVE_MPN_BASECASE
/* gmp.h does not declare these. */
void __gmpn_mul_basecase(mp_limb_t *z, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn);
void __gmpn_sqr_basecase(mp_limb_t *z, const mp_limb_t *a, mp_size_t n);
#endif
#include "gmp/gmp_calls.def"
