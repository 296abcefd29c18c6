/*
 * power.h - powers modulo a number.
 */
#ifndef GFMUL_POWER_H
#define GFMUL_POWER_H

#include "above/divide.h"

/* A modulus, prepared for many products.  Short ones are left to GMP, and then only m and n are set. */
struct modulus {
    size_t n;               /* limbs */
    const mp_limb_t *m;     /* as it was given; the caller's or, in a kept modulus, a copy */
    unsigned shift;         /* the divider's number is m 2^shift, with the highest bit 1; powers are reduced by it to the end */
    bool gmp;               /* GMP makes the powers */
    struct divider divider; /* of blocks of n + 1 limbs */
};

/* modulus_pays - whether powers modulo a number of n limbs are faster here than by GMP. */
bool modulus_pays(const struct call *call, size_t n);

/* modulus_limbs - limbs of memory that modulus_begin needs. */
size_t modulus_limbs(const struct call *call, size_t n);

/*
 * modulus_begin - prepare a modulus.
 *
 *   x       out  end it with modulus_end, also after an error
 *   m       in   n limbs, the highest one not 0; they have to stay
 *   memory  in   modulus_limbs(n); stays the caller's
 *   call    in   of modulus_end: the call of modulus_begin; NULL: it has ended
 * Errors: those of gfmul_mul.
 */
enum gfmul_status modulus_begin(struct call *call, struct modulus *x, const mp_limb_t *m, size_t n, mp_limb_t *memory);
void modulus_end(struct gfmul_ctx *ctx, struct call *call, struct modulus *x);

/*
 * power - z = a^e modulo x.
 *
 *   z  out  x->n limbs, all written
 *   a  in   an limbs, an >= 0
 *   e  in   en limbs, en >= 0; 0^0 = 1
 *
 * Each product and quotient is checked modulo the random primes of the context, if the options want a check.
 * Aliasing: none.   Errors: those of gfmul_mul; VERIFY.   Source: [BZ10], section 2.6.
 */
enum gfmul_status power(struct call *call, const struct modulus *x, mp_limb_t *z, const mp_limb_t *a, size_t an,
                        const mp_limb_t *e, size_t en);

#endif
