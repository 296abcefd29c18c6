/*
 * mul_small.c - products of 1 to 4 by 1 to 4 limbs by the schoolbook, row by row; squares; on x86-64 products of up to 8 limbs,
 * column by column.
 *
 * Functions of constant size, reached by one jump: each saves just the registers that it needs, which is why they are not
 * in line in their callers.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "limbs/mul_small.h"

#include "base/cpu_paths.h"

#if MUL_HAS_CARRIES
#include <immintrin.h>
enum { MUL_LIMBS = 8, SQR_LIMBS = 8 };
#else
enum { MUL_LIMBS = 3, SQR_LIMBS = 2 };
#endif

/* Arrays here are registers, with constant indices.  GCC would put a canary behind them, and pair words in vectors. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-stack-protector", "no-tree-slp-vectorize")
#endif

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

#if MUL_HAS_CARRIES
#define INLINE static inline __attribute__((always_inline))

/* column_add - c += t, three limbs. */
INLINE void column_add(mp_limb_t *c, unsigned __int128 t)
{
    unsigned long long s0, s1, s2;
    unsigned char carry = _addcarry_u64(0, c[0], (mp_limb_t)t, &s0);
    carry = _addcarry_u64(carry, c[1], (mp_limb_t)(t >> 64), &s1);
    _addcarry_u64(carry, c[2], 0, &s2);
    c[0] = s0;
    c[1] = s1;
    c[2] = s2;
}

/* multiply_columns - bn <= an.  A column and what it carries are below 8 B^2 + 8 B < B^3.  Each limb of z is written once. */
INLINE int multiply_columns(mp_limb_t *z, const mp_limb_t *a, int an, const mp_limb_t *b, int bn)
{
    mp_limb_t c[3] = {0, 0, 0};
#pragma GCC unroll 16
    for (int k = 0; k < an + bn - 1; k++) {
#pragma GCC unroll 8
        for (int i = k < bn ? 0 : k - bn + 1; i < an && i <= k; i++)
            column_add(c, (unsigned __int128)a[i] * b[k - i]);
        z[k] = c[0];
        c[0] = c[1];
        c[1] = c[2];
        c[2] = 0;
    }
    z[an + bn - 1] = c[0];
    return 0;
}

/* square - products above the diagonal row by row, as multiply; their double, and the squares on it, in one chain of carries. */
INLINE int square(mp_limb_t *z, const mp_limb_t *a, int n)
{
    mp_limb_t r[2 * SQR_LIMBS] = {0};
#pragma GCC unroll 8
    for (int j = 0; j < n - 1; j++) {
        unsigned __int128 t = 0;
#pragma GCC unroll 8
        for (int i = j + 1; i < n; i++) {
            t = (unsigned __int128)a[i] * a[j] + r[i + j] + (mp_limb_t)(t >> 64);
            r[i + j] = (mp_limb_t)t;
        }
        r[n + j] = (mp_limb_t)(t >> 64);
    }
    unsigned char carry = 0;
#pragma GCC unroll 8
    for (int i = 0; i < n; i++) {
        const unsigned __int128 t = (unsigned __int128)a[i] * a[i];
        const mp_limb_t below = i > 0 ? r[2 * i - 1] >> 63 : 0;
        unsigned long long low, high;
        carry = _addcarry_u64(carry, r[2 * i] << 1 | below, (mp_limb_t)t, &low);
        carry = _addcarry_u64(carry, r[2 * i + 1] << 1 | r[2 * i] >> 63, (mp_limb_t)(t >> 64), &high);
        z[2 * i] = low;
        z[2 * i + 1] = high;
    }
    return 0;
}

#define COLUMNS(an, bn)                                                                  \
    static int columns_##an##_##bn(mp_limb_t *z, const mp_limb_t *a, const mp_limb_t *b) \
    {                                                                                    \
        return multiply_columns(z, a, an, b, bn);                                        \
    }
#define COLUMNS_4(X, an) X(an, 1) X(an, 2) X(an, 3) X(an, 4)
#define COLUMNS_5(X, an) COLUMNS_4(X, an) X(an, 5)
#define COLUMNS_6(X, an) COLUMNS_5(X, an) X(an, 6)
#define COLUMNS_7(X, an) COLUMNS_6(X, an) X(an, 7)
#define COLUMNS_8(X, an) COLUMNS_7(X, an) X(an, 8)
COLUMNS_4(COLUMNS, 4)
COLUMNS_5(COLUMNS, 5)
COLUMNS_6(COLUMNS, 6)
COLUMNS_7(COLUMNS, 7)
COLUMNS_8(COLUMNS, 8)

#define SQUARE(n)                                           \
    static int square_##n(mp_limb_t *z, const mp_limb_t *a) \
    {                                                       \
        return square(z, a, n);                             \
    }
SQUARE(3)
SQUARE(4)
SQUARE(5)
SQUARE(6)
SQUARE(7)
SQUARE(8)

#define PLACE(an, bn) [bn - 1] = columns_##an##_##bn,
#define APART_4_TO_8                                                                            \
    {COLUMNS_4(PLACE, 4)}, {COLUMNS_5(PLACE, 5)}, {COLUMNS_6(PLACE, 6)}, {COLUMNS_7(PLACE, 7)}, \
    {                                                                                           \
        COLUMNS_8(PLACE, 8)                                                                     \
    }
#define SQUARES_3_TO_8 square_3, square_4, square_5, square_6, square_7, square_8
#else
#define APART_4_TO_8
#define SQUARES_3_TO_8
#endif

const struct small_ops small_ops_plain = {
    .mul_limbs = MUL_LIMBS,
    .sqr_limbs = SQR_LIMBS,
    .mul = {{multiply_1_1}, {multiply_2_1, multiply_2_2}, {multiply_3_1, multiply_3_2, multiply_3_3}, APART_4_TO_8},
    .sqr = {square_1, square_2, SQUARES_3_TO_8},
};

const struct small_ops *small_ops_select(const char *disable)
{
#if MUL_HAS_CARRIES
    if (cpu_has_adx(disable))
        return &small_ops_adx;
#endif
    (void)disable;
    return &small_ops_plain;
}
