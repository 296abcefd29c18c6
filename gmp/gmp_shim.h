/*
 * gmp_shim.h - products for the entry points: the engine, guarded.
 *
 * Environment, read at the start:
 *   GFMUL_GMP_THREADS    threads of a product, 1..1024, or 0: as in gfmul_options; 1 if not set
 *   GFMUL_GMP_THRESHOLD  limbs from which on products are gfmul's; as tuned if not set
 *   GFMUL_GMP_MEMORY     the most bytes that a product may take beside its operands, with K, M or G; no limit if not set
 *   GFMUL_GMP_STATS      a summary at the end of each process that has a GMP; 1: on what is standard error now, and a full
 *                        path: at the end of that file
 * A value that is no number counts as not set, because nothing is ever printed except that summary.
 */
#ifndef GFMUL_GMP_SHIM_H
#define GFMUL_GMP_SHIM_H

#include "gmp/gmp_routes.h"
#include "gmp/gmp_stats.h"
#include "limbs/mul_small.h"
#include "short/short.h"

/*
 * The limits that entry points compare with.  The engine's: the least tuned ones until it is there, then its own.
 * least_mul, least_sqr: below them a product is GMP's, neither by vectors nor the engine's.  small_mul, small_sqr: up to so many
 * limbs it is shim_small_ops's all the same, in less time than the way to GMP takes; 0 if GFMUL_GMP_THRESHOLD is set.
 * mul_basecase, sqr_basecase: from there on GMP's schoolbook is by vectors.  redc: Montgomery's reduction is, to SHORT_REDC_MAX.
 */
struct shim_limits {
    _Atomic size_t mul, sqr, mulmod, sqrmod, least_mul, least_sqr, small_mul, small_sqr, mul_basecase, sqr_basecase, redc, divide;
};
extern struct shim_limits shim_limits;

/* The short products of this processor (lib/short).  NULL: it has none, or GFMUL_GMP_THRESHOLD is set. */
extern _Atomic(const struct short_ops *) shim_vectors;

/* Products of few limbs, of one size each; set before their limits are. */
extern _Atomic(const struct small_ops *) shim_small_ops;

/* shim_below - whether a size is below a limit: the fast way out. */
static inline bool shim_below(const mp_size_t n, const _Atomic size_t *limit)
{
    return __builtin_expect((size_t)n < atomic_load_explicit(limit, memory_order_relaxed), 1);
}

/* shim_small_mul - z = a b by a function of its own size; false: there is none.   bn <= an.   They use the stack alone. */
static inline bool shim_small_mul(mp_limb_t *z, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn)
{
    if ((size_t)an - 1 >= atomic_load_explicit(&shim_limits.small_mul, memory_order_relaxed) || (size_t)bn - 1 >= (size_t)an)
        return false;
    atomic_load_explicit(&shim_small_ops, memory_order_relaxed)->mul[an - 1][bn - 1](z, a, b);
    return true;
}

/* shim_small_sqr - the same of z = a^2. */
static inline bool shim_small_sqr(mp_limb_t *z, const mp_limb_t *a, mp_size_t n)
{
    if ((size_t)n - 1 >= atomic_load_explicit(&shim_limits.small_sqr, memory_order_relaxed))
        return false;
    atomic_load_explicit(&shim_small_ops, memory_order_relaxed)->sqr[n - 1](z, a);
    return true;
}

/*
 * shim_short_mul - z = a b by vectors; false: it is not for them.   bn <= an.
 *
 * They use the stack alone: no engine, no lock, no other function of GMP.  So signals may come amid them, and leave them.
 */
static inline bool shim_short_mul(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    const struct short_ops *vectors = atomic_load_explicit(&shim_vectors, memory_order_acquire);
    const bool square = a == b && an == bn;
    if (!vectors || bn < (square ? vectors->square.from : vectors->product.from) ||
        !short_wins(an, bn, square ? vectors->square.to : vectors->product.to))
        return false;
    if (square)
        vectors->sqr(z, a, an);
    else
        vectors->mul(z, a, an, b, bn);
    stats_count(WHOLE, an + bn);
    return true;
}

/*
 * shim_mul, shim_minus, shim_plus - a product by the engine, as struct gmp_engine has them.
 *
 *   route  in  of the caller
 *
 * Value:   whether it was made.  If it was not, it is GMP's: below the engine's own limits, within a product of the engine, if
 *          the engine is not there or failed.
 * Signals: they come after the product.  Those that usually end a computation stop it first: their handlers may not return.
 * Threads: any, in a child process, too.   Errors: none; errno is kept.
 */
bool shim_mul(const struct route *route, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn);
bool shim_minus(const struct route *route, mp_limb_t *z, size_t n, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn,
                mp_limb_t *scratch);
bool shim_plus(const struct route *route, mp_limb_t *z, mp_limb_t *top, size_t n, const mp_limb_t *a, size_t an,
               const mp_limb_t *b, size_t bn);

/* shim_divide - likewise. */
bool shim_divide(const struct route *route, mp_limb_t *q, mp_limb_t *r, const mp_limb_t *a, size_t an, const mp_limb_t *d,
                 size_t dn);

#endif
