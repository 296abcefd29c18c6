/*
 * mul_small.h - products of up to 4 limbs, or 8 to 10 on x86-64, by the schoolbook, a function for each pair of sizes; squares;
 * those of GMP.
 *
 * A call of mpn_mul costs more than the smallest products: it checks and dispatches for all sizes, with a frame for the largest.
 * Without loops and branches, longer products are ahead of GMP's as well.
 */
#ifndef GFMUL_MUL_SMALL_H
#define GFMUL_MUL_SMALL_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/branches.h"

/* Whether the compiler has additions with carry (immintrin.h). */
#if defined(__x86_64__) && defined(__GNUC__)
#define MUL_HAS_CARRIES 1
#else
#define MUL_HAS_CARRIES 0
#endif

enum {
    MUL_SMALL_LIMBS = 4,
    MUL_APART_MOST = 10, /* limits of small_ops */
    SQR_SMALL_MOST = 11,
    MUL_WIDE_MOST = 16,
    MUL_WIDE_BY = 8,
    MUL_BASECASE_LIMBS = 16 /* up to so many the schoolbook is GMP's own choice, or as good */
};

#ifdef HAVE_MPN_BASECASE
/* GMP exports its schoolbook, and declares it for itself alone.  A call through the PLT would be a branch more. */
NOPLT void __MPN(mul_basecase)(mp_limb_t *, const mp_limb_t *, mp_size_t, const mp_limb_t *, mp_size_t);
NOPLT void __MPN(sqr_basecase)(mp_limb_t *, const mp_limb_t *, mp_size_t);
#endif

/* mul_gmp - mpn_mul, bn <= an.   sqr_gmp - mpn_sqr. */
static inline void mul_gmp(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
#ifdef HAVE_MPN_BASECASE
    if (LIKELY(an <= MUL_BASECASE_LIMBS)) {
        __MPN(mul_basecase)(z, a, (mp_size_t)an, b, (mp_size_t)bn);
        return;
    }
#endif
    mpn_mul(z, a, (mp_size_t)an, b, (mp_size_t)bn);
}

static inline void sqr_gmp(mp_limb_t *z, const mp_limb_t *a, size_t an)
{
#if defined(HAVE_MPN_BASECASE) && defined(__x86_64__) /* the one in C has a buffer on the stack, as long as tuned */
    if (an <= MUL_BASECASE_LIMBS) {
        __MPN(sqr_basecase)(z, a, (mp_size_t)an);
        return;
    }
#endif
    mpn_sqr(z, a, (mp_size_t)an);
}

/* is_square - whether both operands are the same memory. */
static inline bool is_square(const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    return a == b && an == bn;
}

/*
 * product_gmp - z = a * b by GMP; an, bn >= 1, in any order.
 *
 * mpn_mul of GMP 6 does not recognise squares; mpn_sqr takes 0.5 to 0.7 of its time.
 * Aliasing: z must not overlap a or b.
 */
static inline void product_gmp(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    if (is_square(a, an, b, bn)) {
        sqr_gmp(z, a, an);
    } else if (an >= bn) {
        mul_gmp(z, a, an, b, bn);
    } else {
        mul_gmp(z, b, bn, a, an);
    }
}

/*
 * mul_small[an - 1][bn - 1](z, a, b) - z = a * b, 1 <= an, bn <= MUL_SMALL_LIMBS; z may overlap a and b.
 * Returns 0, which is GFMUL_OK, for tail calls.
 */
extern int (*const mul_small[MUL_SMALL_LIMBS][MUL_SMALL_LIMBS])(mp_limb_t *z, const mp_limb_t *a, const mp_limb_t *b);

/*
 * small_ops - products of few limbs, a function for each pair of sizes.
 *
 *   mul[an - 1][bn - 1](z, a, b)  z = a * b; 1 <= bn <= an <= mul_limbs; NULL for all others
 *   sqr[n - 1](z, a)              z = a^2; 1 <= n <= sqr_limbs
 *   wide[an - 11](z, a, b, bn)    z = a * b; 11 <= an <= wide_limbs, 1 <= bn <= MUL_WIDE_BY; wide_limbs is 0 if there are none
 *
 * They return 0, which is GFMUL_OK, for tail calls.
 * Aliasing: z must not overlap a or b.   Threads: reentrant.   Stack: a few words.
 */
struct small_ops {
    size_t mul_limbs, sqr_limbs;
    int (*mul[MUL_APART_MOST][MUL_APART_MOST])(mp_limb_t *z, const mp_limb_t *a, const mp_limb_t *b);
    int (*sqr[SQR_SMALL_MOST])(mp_limb_t *z, const mp_limb_t *a);
    size_t wide_limbs;
    int (*wide[MUL_WIDE_MOST - MUL_APART_MOST])(mp_limb_t *z, const mp_limb_t *a, const mp_limb_t *b, size_t bn);
};

/* mul_wide - z = a * b for 1 <= bn <= an, an > MUL_APART_MOST: by `wide`, or by GMP, which squares faster. */
static inline int mul_wide(const struct small_ops *ops, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                           size_t bn)
{
    if (an <= ops->wide_limbs && bn <= MUL_WIDE_BY)
        return ops->wide[an - MUL_APART_MOST - 1](z, a, b, bn);
    if (an == bn && a == b)
        sqr_gmp(z, a, an);
    else
        mul_gmp(z, a, an, b, bn);
    return 0;
}

/* small_ops_plain - by additions with carry on x86-64, elsewhere in C.   small_ops_adx - for processors with ADX and BMI2. */
extern const struct small_ops small_ops_plain;
#if MUL_HAS_CARRIES
extern const struct small_ops small_ops_adx;
#endif

/* small_ops_select - those of this processor.   disable in: as for cpu_isa_mask; "adx" excludes small_ops_adx. */
const struct small_ops *small_ops_select(const char *disable);

#endif
