/*
 * ring.h - products modulo 2^(64 n) + 1, n limbs, for quotients, roots and conversions.  They need only a shorter transform.
 *
 * Below a crossover, or if no transform has this modulus under the context's options, the whole product is made and reduced.  The
 * value is the same.  In double transforms have such moduli alone.  Modulo primes 2^(64 n) - 1 has some, too.
 */
#ifndef GFMUL_RING_H
#define GFMUL_RING_H

#include "mul/engine.h"

struct ring {
    size_t n;       /* limbs */
    bool minus;     /* modulo 2^(64 n) - 1 instead */
    bool transform; /* transforms with this modulus make the products; false: whole products are reduced */
    enum gfmul_precision precision; /* of products by kept transforms: all in one field; AUTO: that of the options */
    double cost_ps; /* of a product of two operands by transforms, as plan_shape; infinite if there are none */
};

/* What is wanted of a ring. */
enum ring_use { RING_PRODUCTS, RING_KEPT /* products by ring_keep */, RING_MINUS /* modulo 2^(64 n) - 1 */ };

/* An operand of products in a ring, perhaps with its transform. */
struct ring_operand {
    const mp_limb_t *p;
    size_t n;
    struct spectrum *spectrum; /* NULL: none is kept */
};

/* Sizes of n or more limbs for products modulo 2^(64 n) - 1 in halves, of which the cheapest is to be taken. */
enum { RING_SIZES = 6 };
struct ring_sizes {
    size_t n[RING_SIZES];
    unsigned count;
};

/* ring_allowed - whether the options of the call's context allow transforms with such a modulus; else its products are whole. */
bool ring_allowed(const struct call *call);

/*
 * ring_choose - the cheapest ring of at least so many limbs.   ring_exact - the ring of n limbs.
 * ring_in_double - whether transforms in double have the modulus 2^(64 n) + 1.
 * ring_sizes - `first`, twice the cheapest ring for the first half alone, and next multiples of powers of two, because halves are
 *              to have halves; n > 0.   Threads: pure.
 * ring_halves_ps - what a product modulo 2^(128 n) - 1 costs in two halves: modulo 2^(64 n) + 1, and modulo 2^(64 n) - 1 in
 *                  halves again; HUGE_VAL: there are none, so that is a whole product.
 */
struct ring ring_choose(struct call *call, size_t least, enum ring_use use);
struct ring ring_exact(struct call *call, size_t n, enum ring_use use);
bool ring_in_double(struct call *call, size_t n);
struct ring_sizes ring_sizes(size_t n, size_t first);
double ring_halves_ps(double plus_ps, double minus_ps);

/* ring_plan_found - whether there is a plan for a request.  If not, nothing has failed, because there is another way. */
bool ring_plan_found(struct call *call, const struct plan_request *request, struct plan_shape *shape);

/* ring_shortest - limbs of the shortest ring of n or more that a plan's points modulo primes make, by shorter digits. */
size_t ring_shortest(const struct plan_shape *shape, size_t n);

/*
 * ring_keep - keep the transform of x's limbs, for several products in r.  If r has no transform, it does nothing.
 * ring_forget - end it.  Until then its bytes count against the limit of the call that kept it.
 *
 *   x  i/o  p and n are set, n <= r->n, and the highest bit of r's limbs is 0; end it with ring_forget
 *   call  in  of ring_forget: the call that kept the transform; NULL: it has ended
 * Errors: those of spectrum_make.
 */
enum gfmul_status ring_keep(struct call *call, const struct ring *r, struct ring_operand *x);
void ring_forget(struct gfmul_ctx *ctx, struct call *call, struct ring_operand *x);

/*
 * ring_share_next - begin the next product of a call of many; it counts as a sixteenth of the progress that is left, up to
 * share_end.  ring_mul does so.
 * The number of products is not known here, but with this rule the share grows with each of them and stays below that.
 */
void ring_share_next(struct call *call);

/*
 * ring_transform - z = a b in r by a transform, whatever costs less.   p in: the product, its ring is set here
 * Errors: PRECISION: no plan of this ring proves it; those of gfmul_mul.
 */
enum gfmul_status ring_transform(struct call *call, const struct ring *r, const struct product *p);

/*
 * ring_mul - z = a b modulo 2^(64 r->n) + 1, in [0, 2^(64 r->n)].
 *
 *   z     out  r->n + 1 limbs; overlaps neither a nor b
 *   a     in   an limbs
 *   b     in   the same number as a: a square, unless its spectrum is kept
 *   a, b       at most r->n limbs each, and the highest bit of r->n limbs is 0
 *
 * Like every product it is proved, but it is not checked by residues, because the caller checks its own result.
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
