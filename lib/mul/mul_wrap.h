/*
 * mul_wrap.h - products that wrap around: from the product modulo 2^K + 1 or 2^K - 1 to the whole product.
 */
#ifndef GFMUL_MUL_WRAP_H
#define GFMUL_MUL_WRAP_H

#include "mul/ctx.h"
#include "mul/product.h"

/* What makes the product of the lowest limbs, if that needs a plan: the engine and the field of the whole product. */
struct wrap_maker {
    const struct engine *engine;
    enum plan_field_id field;
};

/*
 * mul_wrap - complete a product of limbs that transforms have made modulo 2^K + s, by means of its lowest limbs; s: plan_field's
 * wraps.
 *
 *   ring      in   K/64 <= z.n, a.n < ring
 *   maker     in   field: of the transforms that were made, too; primes: ring < z.n
 *   p         in   p->z holds the sum of the coefficients times powers of B.  s = 1: a signed number of ring + 1 limbs, or its
 *                  low ring limbs if z has no more.  s = -1: all of z, P - h (2^K - 1) with 0 <= h < 2^(64 r)
 *   quotient  i/o  of mul_wrap_room, or as many limbs
 *
 * On the way it multiplies the low r = z.n - ring limbs of a and b (r = 0: the lowest limb of each), without a plan or by the
 * maker's engine.
 * Cost: that, and O(r).   Source: doc/error-bound.md, section 21.   Errors: those of product_make.
 */
enum gfmul_status mul_wrap(struct call *call, const struct product *p, size_t ring, const struct wrap_maker *maker,
                           mp_limb_t *quotient);
/* mul_wrap_room - get 2 r limbs, or NULL if r = 0; give them back with ctx_buffer_put.   Errors: MEMORY. */
enum gfmul_status mul_wrap_room(struct call *call, const struct product *p, size_t ring, void **quotient);

/* mul_wrap_reduce - reduce a signed number of ring + 1 limbs modulo 2^(64 ring) + 1, to [0, 2^(64 ring)]. */
void mul_wrap_reduce(mp_limb_t *z, size_t ring);

#endif
