/*
 * ring.h - products modulo 2^(64 n) + 1, n limbs: what a shorter transform gives, for quotients, roots and conversions.
 *
 * Below a crossover, or where no transform has this modulus under the context's options, the whole product is made and reduced:
 * the value is the same.
 */
#ifndef GFMUL_RING_H
#define GFMUL_RING_H

#include "mul/engine.h"

struct ring {
    size_t n;       /* limbs */
    bool transform; /* products are made by transforms of this modulus; false: the whole product, reduced */
};

/* An operand of products in a ring, with its transform, if that is kept. */
struct ring_operand {
    const mp_limb_t *p;
    size_t n;
    struct spectrum *spectrum; /* NULL: none is kept */
};

/* ring_choose - the cheapest ring of at least so many limbs.   ring_exact - that of n limbs. */
struct ring ring_choose(struct call *call, size_t least);
struct ring ring_exact(struct call *call, size_t n);

/*
 * ring_keep - keep the transform of x's limbs, for several products in r; nothing where r has no transform.
 *
 *   x  i/o  p and n are set, n <= r->n, and the highest bit of r's limbs is 0; end it with ring_forget
 * Errors: those of spectrum_make.
 */
enum gfmul_status ring_keep(struct call *call, const struct ring *r, struct ring_operand *x);
void ring_forget(struct gfmul_ctx *ctx, struct ring_operand *x);

/*
 * ring_mul - z = a b modulo 2^(64 r->n) + 1, in [0, 2^(64 r->n)].
 *
 *   z     out  r->n + 1 limbs; overlaps neither a nor b
 *   a     in   an limbs
 *   b     in   the same number as a: a square, unless its spectrum is kept
 *   a, b       at most r->n limbs each, and the highest bit of r->n limbs is 0
 *
 * It is proved, as every product, but not checked by residues: the caller checks what it makes of it.
 * Errors: those of gfmul_mul.
 */
enum gfmul_status ring_mul(struct call *call, const struct ring *r, mp_limb_t *z, const mp_limb_t *a, size_t an,
                           const struct ring_operand *b);

/* ring_negate - z = -z.   ring_is_negative - whether the representative of least magnitude is negative.   z of n + 1 limbs. */
void ring_negate(mp_limb_t *z, size_t n);
static inline bool ring_is_negative(const mp_limb_t *z, size_t n)
{
    return z[n] != 0 || z[n - 1] >> 63;
}

/* ring_fold - z = a modulo 2^(64 n) + 1, n + 1 limbs; a of an limbs, any number.   Aliasing: z may be a. */
void ring_fold(mp_limb_t *z, size_t n, const mp_limb_t *a, size_t an);

/* ring_sub - z = z - x, both in [0, 2^(64 n)], n + 1 limbs. */
void ring_sub(mp_limb_t *z, const mp_limb_t *x, size_t n);

#endif
