/*
 * short.h - products of few limbs, too short for a convolution: vectorised, on the stack, without plan, lock or context.
 *
 * doc/decisions/short-products.md has measurements and operation counts.
 */
#ifndef GFMUL_SHORT_H
#define GFMUL_SHORT_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    SHORT_LIMBS_MAX = 564, /* of the shorter operand; squares of four steps end there */
    SHORT_REDC_MAX = 78,   /* of a modulus */
};

/*
 * short_ops - the short products of an instruction set.
 *
 *   mul(z, a, an, b, bn)  z = a * b; 1 <= bn <= an, bn <= SHORT_LIMBS_MAX.   z  out  an + bn limbs, all written
 *   sqr(z, a, n)          z = a^2; 1 <= n <= SHORT_LIMBS_MAX.   z  out  2 n limbs
 *   redc(z, u, m, n, i)   {z, n} + B^n * value = (u + q m) / B^n, q < B^n such that this is whole; 2 <= n <= SHORT_REDC_MAX.
 *                         u  in  2 n limbs.   m  in  n limbs, odd.   i  in  -1 / m modulo B.   NULL if redc_from is SIZE_MAX
 *                         The result is that of GMP's redc_1 and redc_2, but u stays as it is.
 *
 * Any limbs are allowed, the highest ones may be 0.
 * Aliasing: z must not overlap a or b; a and b may overlap; redc has none but that z may be any part of u or m.
 * Threads: reentrant.   Errors: none.
 * Cost: about a third of GMP's time from 20 limbs on.   Stack: below 4 kB to 38 limbs of a, 5 kB for redc, 14 kB to 128, 25 kB
 * to 256, else 71 kB.
 */
struct short_ops {
    const char *name;
    struct short_limits { /* limbs of the shorter operand: rows of short.def */
        size_t from, to;
    } product, square;
    size_t kept_to;   /* a kept spectrum wins from this many limbs on */
    size_t redc_from; /* redc wins from this many limbs on; SIZE_MAX: there is none */
    void (*mul)(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn);
    void (*sqr)(mp_limb_t *z, const mp_limb_t *a, size_t n);
    mp_limb_t (*redc)(mp_limb_t *z, const mp_limb_t *u, const mp_limb_t *m, size_t n, mp_limb_t inverse);
};

/*
 * short_ops_select - the short products of this processor; NULL: it has none.
 *
 *   isa_mask  in  of cpu_isa_mask: convolutions use the best one of them, and its crossovers count
 *   disable   in  as for cpu_isa_mask; "ifma" excludes 52-bit products
 */
const struct short_ops *short_ops_select(unsigned isa_mask, const char *disable);

/*
 * short_ops_next - the short products that this processor can execute, whoever made it, one after the other, for tests.
 *
 *   after  in  the ones before; NULL: the first ones.   Value: NULL after the last ones.   isa_mask, disable: as above
 */
const struct short_ops *short_ops_next(const struct short_ops *after, unsigned isa_mask, const char *disable);

/*
 * short_wins - whether a product of long_n by short_n limbs is still short, if products of equal lengths are below `to` limbs.
 *
 * Products in blocks keep their gain.  But a convolution of a long number and a short one has only half the points of one of two
 * long numbers.  So the crossover falls from 1 to 3/10 of `to`, and in between about as the ratio does (Zen 4).
 */
static inline bool short_wins(size_t long_n, size_t short_n, size_t to)
{
    /* 10 short_n < to (3 + 7 short_n / long_n) */
    const size_t least = 3 * to;
    return 10 * short_n <= least || (short_n < to && long_n < 7 * to * short_n / (10 * short_n - least));
}

#endif
