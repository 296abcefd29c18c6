/*
 * mul_small.c - products of 1 to 4 by 1 to 4 limbs by the schoolbook; squares of 1 and 2.
 *
 * Functions of constant size, reached by one jump: each saves just the registers that it needs, which is why they are not
 * in line in their callers.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "limbs/mul_small.h"

/* multiply - with constant sizes every loop is unrolled, and the product stays in registers until it is complete. */
static inline __attribute__((always_inline)) int multiply(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                                                          size_t bn)
{
    mp_limb_t r[2 * MUL_SMALL_LIMBS] = {0};
#pragma GCC unroll 4
    for (size_t j = 0; j < bn; j++) {
        unsigned __int128 t = 0;
#pragma GCC unroll 4
        for (size_t i = 0; i < an; i++) {
            t = (unsigned __int128)a[i] * b[j] + r[i + j] + (mp_limb_t)(t >> 64); /* at most (B - 1)^2 + 2 (B - 1) = B^2 - 1 */
            r[i + j] = (mp_limb_t)t;
        }
        r[an + j] = (mp_limb_t)(t >> 64);
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < an + bn; i++)
        z[i] = r[i];
    return 0;
}

#define PRODUCT(an, bn)                                                                   \
    static int multiply_##an##_##bn(mp_limb_t *z, const mp_limb_t *a, const mp_limb_t *b) \
    {                                                                                     \
        return multiply(z, a, an, b, bn);                                                 \
    }
#define PRODUCTS(an) PRODUCT(an, 1) PRODUCT(an, 2) PRODUCT(an, 3) PRODUCT(an, 4)
PRODUCTS(1)
PRODUCTS(2)
PRODUCTS(3)
PRODUCTS(4)

#define ROW(an)                                                                    \
    {                                                                              \
        multiply_##an##_1, multiply_##an##_2, multiply_##an##_3, multiply_##an##_4 \
    }
int (*const mul_small[MUL_SMALL_LIMBS][MUL_SMALL_LIMBS])(mp_limb_t *, const mp_limb_t *, const mp_limb_t *) = {ROW(1), ROW(2),
                                                                                                               ROW(3), ROW(4)};

static int square_1(mp_limb_t *z, const mp_limb_t *a)
{
    const unsigned __int128 t = (unsigned __int128)a[0] * a[0];
    z[0] = (mp_limb_t)t;
    z[1] = (mp_limb_t)(t >> 64);
    return 0;
}

static int square_2(mp_limb_t *z, const mp_limb_t *a)
{
    const unsigned __int128 low = (unsigned __int128)a[0] * a[0], cross = (unsigned __int128)a[0] * a[1];
    const unsigned __int128 high = (unsigned __int128)a[1] * a[1];
    const unsigned __int128 t = (low >> 64) + 2 * (unsigned __int128)(mp_limb_t)cross;
    const unsigned __int128 u = (t >> 64) + 2 * (cross >> 64) + (mp_limb_t)high;
    z[0] = (mp_limb_t)low;
    z[1] = (mp_limb_t)t;
    z[2] = (mp_limb_t)u;
    z[3] = (mp_limb_t)(high >> 64) + (mp_limb_t)(u >> 64);
    return 0;
}

int (*const sqr_small[SQR_SMALL_LIMBS])(mp_limb_t *, const mp_limb_t *) = {square_1, square_2};
