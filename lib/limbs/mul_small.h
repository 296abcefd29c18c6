/*
 * mul_small.h - products of 1 to 4 by 1 to 4 limbs by the schoolbook, a function for each pair of sizes.
 *
 * A call of mpn_mul costs more than such a product: it checks and dispatches for all sizes.
 */
#ifndef GFMUL_MUL_SMALL_H
#define GFMUL_MUL_SMALL_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

enum { MUL_SMALL_LIMBS = 4 };

/* mul_is_small - 1 <= an, bn <= 4; 0 - 1 is large. */
static inline bool mul_is_small(size_t an, size_t bn)
{
    return ((an - 1) | (bn - 1)) < MUL_SMALL_LIMBS;
}

/* mul_small[an - 1][bn - 1](z, a, b) - z = a * b; z may overlap a and b.  Returns 0, GFMUL_OK: a caller can end in the call. */
extern int (*const mul_small[MUL_SMALL_LIMBS][MUL_SMALL_LIMBS])(mp_limb_t *z, const mp_limb_t *a, const mp_limb_t *b);

#endif
