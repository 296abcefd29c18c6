/*
 * divide.h - approximate inverses, and quotients by means of them.   beta = 2^64
 */
#ifndef GFMUL_DIVIDE_H
#define GFMUL_DIVIDE_H

#include "above/ring.h"
#include "gfmul_arith.h"

/* An inverse that is known: by invert, x of k + 1 limbs, of the k limbs of d. */
struct inverse {
    const mp_limb_t *x, *d;
    size_t k;
};

/*
 * invert - approximate beta^(2k) / D by Newton's iteration.
 *
 *   z      out  k + 1 limbs; |z - beta^(2k) / D| < 2
 *   D      in   k limbs, k >= 1, the highest bit is 1
 *   known  in   an inverse to begin with, if it is one of D's highest limbs; NULL: none
 *
 * Aliasing: none.   Errors: those of gfmul_mul; VERIFY: a product was wrong.   Source: invert.c has the proof.
 */
enum gfmul_status invert(struct call *call, mp_limb_t *z, const mp_limb_t *D, size_t k, const struct inverse *known);

/* A divisor, prepared for blocks of up to m limbs of a quotient.  If GMP makes the quotients, only d, n and shift are set. */
struct divider {
    size_t n;          /* limbs of the divisor */
    unsigned shift;    /* it is shifted left by so many bits, so that its highest bit is 1 */
    mp_limb_t *d;      /* shifted, n limbs, with two limbs of 0 before it */
    size_t m;          /* 0: GMP makes the quotients */
    mp_limb_t *memory; /* owned, if it outlives the call; holds d and the inverse */
    struct ring by_inverse, by_d;
    struct ring_operand inverse, whole; /* the inverse of d's highest m + 1 limbs; d */
};

/* divide_pays - whether a quotient of qn limbs by a divisor of n limbs is faster here than by GMP. */
bool divide_pays(const struct call *call, size_t qn, size_t n);

/* divider_block - choose m for quotients of qn limbs.   kept in: the divisor is used many times */
size_t divider_block(size_t qn, size_t n, bool kept);

/* divider_limbs - limbs of memory that a divider needs. */
size_t divider_limbs(size_t n, size_t m);

/*
 * divider_begin - prepare a divisor.
 *
 *   x       out  end it with divider_end, also after an error
 *   d       in   n limbs, the highest one not 0
 *   m       in   limbs of a block, at most n + 1; 0: only for GMP
 *   memory  in   divider_limbs(n, m); stays the caller's
 *   known   in   as for invert, of the shifted divisor
 *   call    in   of divider_end: the call of divider_begin; NULL: it has ended
 * Errors: those of gfmul_mul.
 */
enum gfmul_status divider_begin(struct call *call, struct divider *x, const mp_limb_t *d, size_t n, size_t m, mp_limb_t *memory,
                                const struct inverse *known);
void divider_end(struct gfmul_ctx *ctx, struct call *call, struct divider *x);

/* divider_bytes - bytes of its transforms. */
static inline size_t divider_bytes(const struct divider *x)
{
    return (x->inverse.spectrum ? x->inverse.spectrum->bytes : 0) + (x->whole.spectrum ? x->whole.spectrum->bytes : 0);
}

/*
 * divide - q = floor(a / d), r = a - q d.
 *
 *   q  out  an - n + 1 limbs
 *   r  out  n limbs; NULL: not wanted, and then q may be wrong by 1 in either direction
 *   a  in   an limbs, an >= n
 *
 * Aliasing: none.   Errors: those of gfmul_mul; VERIFY: a remainder was not below the divisor.
 */
enum gfmul_status divide(struct call *call, const struct divider *x, mp_limb_t *q, mp_limb_t *r, const mp_limb_t *a, size_t an);

/* divide_once - the same for a divisor that is used once, by GMP if that is faster.   r must not be NULL. */
enum gfmul_status divide_once(struct call *call, mp_limb_t *q, mp_limb_t *r, const mp_limb_t *a, size_t an, const mp_limb_t *d,
                              size_t dn);

/* A division that has been made: a = q d + r.   r of 0 limbs: exactly. */
struct division {
    struct division_number {
        const mp_limb_t *p;
        size_t n;
    } a, q, d, r;
};

/*
 * divide_check - check a division modulo the random primes of the context, if the options want a check.
 * Errors: VERIFY, MEMORY, UNSUPPORTED.
 */
enum gfmul_status divide_check(struct call *call, const struct division *of);

#endif
