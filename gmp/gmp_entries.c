/*
 * gmp_entries.c - GMP's functions, as its callers see them.
 *
 * Each is a comparison or two, and a jump: to a function of this size, or to the caller's own GMP.  It is compiled with jumps
 * for calls at the end of a function, also at -O1 (SHIM_CFLAGS), so the return address stays the caller's for what GMP jumps to.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "gmp/gmp_shim.h"

#include <string.h>

#define ENTRY  __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

/* gmp.h does not declare these. */
#define ROUTE_ENTRY(result, name, parameters) ENTRY result __MPN(name) parameters;
ROUTE_ENTRIES
#undef ROUTE_ENTRY

/* What is long, or comes from an object for the first time, is a function of its own: the short ones need no frame. */
static NOINLINE mp_limb_t mul_long(mp_limb_t *z, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn,
                                   const void *caller)
{
    if (shim_short_mul(z, a, (size_t)an, b, (size_t)bn))
        return z[an + bn - 1];
    const struct route *route = route_of(caller);
    if (!shim_below(bn, &shim_limits.mul) && shim_mul(route, z, a, (size_t)an, b, (size_t)bn))
        return z[an + bn - 1];
    return route->mul(z, a, an, b, bn);
}

/* Up to so many limbs GMP's products and squares are those of its schoolbook, however it was tuned. */
enum { BASECASE_LIMBS = 10 };

mp_limb_t __MPN(mul)(mp_limb_t *z, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn)
{
    if (shim_small_mul(z, a, an, b, bn))
        return z[an + bn - 1];
    const struct route *route = route_seen(CALLER);
    if (route && shim_below(bn, &shim_limits.least_mul)) {
        if (an > BASECASE_LIMBS)
            return route->mul(z, a, an, b, bn);
        route->mul_basecase(z, a, an, b, bn); /* GMP's mul would come back to the entry below */
        return z[an + bn - 1];
    }
    return mul_long(z, a, an, b, bn, CALLER);
}

static NOINLINE void mul_n_long(mp_limb_t *z, const mp_limb_t *a, const mp_limb_t *b, mp_size_t n, const void *caller)
{
    if (shim_short_mul(z, a, (size_t)n, b, (size_t)n))
        return;
    const struct route *route = route_of(caller);
    if (shim_below(n, &shim_limits.mul) || !shim_mul(route, z, a, (size_t)n, b, (size_t)n))
        route->mul_n(z, a, b, n);
}

void __MPN(mul_n)(mp_limb_t *z, const mp_limb_t *a, const mp_limb_t *b, mp_size_t n)
{
    if (shim_small_mul(z, a, n, b, n))
        return;
    const struct route *route = route_seen(CALLER);
    if (route && shim_below(n, &shim_limits.least_mul)) {
        if (n <= BASECASE_LIMBS)
            route->mul_basecase(z, a, n, b, n);
        else
            route->mul_n(z, a, b, n);
    } else {
        mul_n_long(z, a, b, n, CALLER);
    }
}

static NOINLINE void sqr_long(mp_limb_t *z, const mp_limb_t *a, mp_size_t n, const void *caller)
{
    if (shim_short_mul(z, a, (size_t)n, a, (size_t)n))
        return;
    const struct route *route = route_of(caller);
    if (shim_below(n, &shim_limits.sqr) || !shim_mul(route, z, a, (size_t)n, a, (size_t)n))
        route->sqr(z, a, n);
}

void __MPN(sqr)(mp_limb_t *z, const mp_limb_t *a, mp_size_t n)
{
    if (shim_small_sqr(z, a, n))
        return;
    const struct route *route = route_seen(CALLER);
    if (route && shim_below(n, &shim_limits.least_sqr))
        (n <= BASECASE_LIMBS ? route->sqr_basecase : route->sqr)(z, a, n);
    else
        sqr_long(z, a, n, CALLER);
}

/* GMP's modular powers call its schoolbook of squares itself. */
void __MPN(sqr_basecase)(mp_limb_t *z, const mp_limb_t *a, mp_size_t n)
{
    if (shim_small_sqr(z, a, n))
        return;
    if (shim_below(n, &shim_limits.sqr_basecase) || !shim_short_mul(z, a, (size_t)n, a, (size_t)n))
        route_of(CALLER)->sqr_basecase(z, a, n);
}

/* .. and that of products; Toom's products end in it, too. */
void __MPN(mul_basecase)(mp_limb_t *z, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn)
{
    if (shim_small_mul(z, a, an, b, bn))
        return;
    if (shim_below(bn, &shim_limits.mul_basecase) || !shim_short_mul(z, a, (size_t)an, b, (size_t)bn))
        route_of(CALLER)->mul_basecase(z, a, an, b, bn);
}

/* redc_short - whether Montgomery's reduction modulo so many limbs is by vectors. */
static inline bool redc_short(mp_size_t n)
{
    return !shim_below(n, &shim_limits.redc) && n <= SHORT_REDC_MAX;
}

static inline mp_limb_t redc(mp_limb_t *z, const mp_limb_t *u, const mp_limb_t *m, mp_size_t n, mp_limb_t inverse)
{
    return atomic_load_explicit(&shim_vectors, memory_order_acquire)->redc(z, u, m, (size_t)n, inverse);
}

mp_limb_t __MPN(redc_1)(mp_limb_t *z, mp_limb_t *u, const mp_limb_t *m, mp_size_t n, mp_limb_t inverse)
{
    return redc_short(n) ? redc(z, u, m, n, inverse) : route_of(CALLER)->redc_1(z, u, m, n, inverse);
}

/* The inverse has two limbs.  The lower one says it all. */
mp_limb_t __MPN(redc_2)(mp_limb_t *z, mp_limb_t *u, const mp_limb_t *m, mp_size_t n, const mp_limb_t *inverse)
{
    return redc_short(n) ? redc(z, u, m, n, *inverse) : route_of(CALLER)->redc_2(z, u, m, n, inverse);
}

/* limbs_take - {z, n} -= {m, n}, modulo B^n.   Value: the borrow. */
static mp_limb_t limbs_take(mp_limb_t *z, const mp_limb_t *m, mp_size_t n)
{
    mp_limb_t borrow = 0;
    for (mp_size_t i = 0; i < n; i++) {
        const mp_limb_t x = z[i], y = x - m[i];
        z[i] = y - borrow;
        borrow = (x < m[i]) | (y < borrow);
    }
    return borrow;
}

/*
 * redc_whole - redc_n by vectors: it has 1 / m modulo B^n, and gives u / B^n less q m with q below B^n, or m more if that is
 * negative.  With q = 0 this is the upper half of u, as it is.  Else it is the sum of redc less m, or that sum if it is below m.
 */
static NOINLINE void redc_whole(mp_limb_t *z, const mp_limb_t *u, const mp_limb_t *m, mp_size_t n, mp_limb_t inverse)
{
    mp_limb_t less[SHORT_REDC_MAX], low = 0;
    for (mp_size_t i = 0; i < n; i++)
        low |= u[i];
    const mp_limb_t carry = redc(z, u, m, n, -inverse);
    if (low == 0)
        return;
    memcpy(less, z, (size_t)n * sizeof *z);
    if (limbs_take(less, m, n) <= carry)
        memcpy(z, less, (size_t)n * sizeof *z);
}

void __MPN(redc_n)(mp_limb_t *z, mp_limb_t *u, const mp_limb_t *m, mp_size_t n, const mp_limb_t *inverse)
{
    if (redc_short(n))
        redc_whole(z, u, m, n, *inverse);
    else
        route_of(CALLER)->redc_n(z, u, m, n, inverse);
}

/* wrap_short - whether a product modulo B^n +- 1 is short: n is, or an operand. */
static bool wrap_short(mp_size_t n, mp_size_t an, mp_size_t bn, bool square)
{
    return shim_below(n, square ? &shim_limits.sqrmod : &shim_limits.mulmod) ||
           shim_below(an < bn ? an : bn, square ? &shim_limits.sqr : &shim_limits.mul);
}

mp_limb_t __MPN(mul_fft)(mp_limb_t *z, mp_size_t n, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn, int k)
{
    const struct route *route = route_of(CALLER);
    mp_limb_t top = 0;
    if (!wrap_short(n, an, bn, a == b && an == bn) && an <= n + 1 && bn <= n + 1 &&
        shim_plus(route, z, &top, (size_t)n, a, (size_t)an, b, (size_t)bn))
        return top;
    return route->mul_fft(z, n, a, an, b, bn, k);
}

void __MPN(mulmod_bnm1)(mp_limb_t *z, mp_size_t n, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn,
                        mp_limb_t *t)
{
    const struct route *route = route_of(CALLER);
    if (wrap_short(n, an, bn, false) || !shim_minus(route, z, (size_t)n, a, (size_t)an, b, (size_t)bn, t))
        route->mulmod_bnm1(z, n, a, an, b, bn, t);
}

void __MPN(sqrmod_bnm1)(mp_limb_t *z, mp_size_t n, const mp_limb_t *a, mp_size_t an, mp_limb_t *t)
{
    const struct route *route = route_of(CALLER);
    if (wrap_short(n, an, an, true) || !shim_minus(route, z, (size_t)n, a, (size_t)an, a, (size_t)an, t))
        route->sqrmod_bnm1(z, n, a, an, t);
}

/* divide_short - whether a quotient is short: it is, or the divisor. */
static bool divide_short(mp_size_t an, mp_size_t dn)
{
    return shim_below(dn, &shim_limits.divide) || shim_below(an - dn + 1, &shim_limits.divide);
}

void __MPN(tdiv_qr)(mp_limb_t *q, mp_limb_t *r, mp_size_t qxn, const mp_limb_t *a, mp_size_t an, const mp_limb_t *d, mp_size_t dn)
{
    const struct route *route = route_of(CALLER);
    if (divide_short(an, dn) || qxn != 0 || !shim_divide(route, q, r, a, (size_t)an, d, (size_t)dn))
        route->tdiv_qr(q, r, qxn, a, an, d, dn);
}

void __MPN(div_q)(mp_limb_t *q, const mp_limb_t *a, mp_size_t an, const mp_limb_t *d, mp_size_t dn, mp_limb_t *t)
{
    const struct route *route = route_of(CALLER);
    if (divide_short(an, dn) || !shim_divide(route, q, NULL, a, (size_t)an, d, (size_t)dn))
        route->div_q(q, a, an, d, dn, t);
}
