/*
 * mul_adx.c - products of up to 10 limbs, and squares of up to 11, by MULX, ADCX and ADOX, a function for each pair of sizes; to
 * 16 limbs by 8, a function for each size of the longer one.
 *
 * These need no other instruction set, so the file is compiled without flags of its own.  MULX leaves the flags as they are, and
 * ADCX and ADOX have a carry each.  So a row adds the lower halves of its products in one chain of carries and the higher halves
 * in the other, a product a cycle on a Zen 5.  Compilers do not interleave two chains, hence the assembly: a statement is a row,
 * and registers are the compiler's choice.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "limbs/mul_small.h"

#if MUL_HAS_CARRIES

/* As in mul_small.c. */
#if !defined(__clang__)
#pragma GCC optimize("no-stack-protector", "no-tree-slp-vectorize")
#endif
#define INLINE static inline __attribute__((always_inline))

/* clang-format off */

/*
 * FIRST_n - {r, n + 1} = {a, n} b, b in rdx.
 * NEXT_n  - {r, n + 1} = {r, n} + {a, n} b.  The new limb's register has higher halves before its turn.  Both carries end in it,
 *           and cannot leave it: (B^n - 1) B is the largest sum.
 */
#define FIRST(add, i, j) "mulx 8*" #i "(%[a]), %[low], %[r" #j "]\n\t" add " %[low], %[r" #i "]\n\t"
#define FIRST_0  "mulx (%[a]), %[r0], %[r1]\n\t"
#define FIRST_1  FIRST_0
#define CHAIN_2  FIRST_0 FIRST("addq", 1, 2)
#define CHAIN_3  CHAIN_2 FIRST("adcq", 2, 3)
#define CHAIN_4  CHAIN_3 FIRST("adcq", 3, 4)
#define CHAIN_5  CHAIN_4 FIRST("adcq", 4, 5)
#define CHAIN_6  CHAIN_5 FIRST("adcq", 5, 6)
#define CHAIN_7  CHAIN_6 FIRST("adcq", 6, 7)
#define CHAIN_8  CHAIN_7 FIRST("adcq", 7, 8)
#define CHAIN_9  CHAIN_8 FIRST("adcq", 8, 9)
#define CHAIN_10 CHAIN_9 FIRST("adcq", 9, 10)
#define FIRST_END(n) CHAIN_##n "adcq $0, %[r" #n "]"
#define FIRST_2  FIRST_END(2)
#define FIRST_3  FIRST_END(3)
#define FIRST_4  FIRST_END(4)
#define FIRST_5  FIRST_END(5)
#define FIRST_6  FIRST_END(6)
#define FIRST_7  FIRST_END(7)
#define FIRST_8  FIRST_END(8)
#define FIRST_9  FIRST_END(9)
#define FIRST_10 FIRST_END(10)

#define LOW(i)     "mulx 8*" #i "(%[a]), %[low], %[top]\n\tadcx %[low], %[r" #i "]\n\t"
#define BOTH(i, j) LOW(i) "adox %[top], %[r" #j "]\n\t"
#define SUMS_1     "xorl %k[low], %k[low]\n\t"
#define SUMS_2     SUMS_1 BOTH(0, 1)
#define SUMS_3     SUMS_2 BOTH(1, 2)
#define SUMS_4     SUMS_3 BOTH(2, 3)
#define SUMS_5     SUMS_4 BOTH(3, 4)
#define SUMS_6     SUMS_5 BOTH(4, 5)
#define SUMS_7     SUMS_6 BOTH(5, 6)
#define SUMS_8     SUMS_7 BOTH(6, 7)
#define SUMS_9     SUMS_8 BOTH(7, 8)
#define SUMS_10    SUMS_9 BOTH(8, 9)
#define NEXT(n, i) SUMS_##n LOW(i) "movl $0, %k[low]\n\tadcx %[low], %[top]\n\tadox %[low], %[top]"
#define NEXT_1     NEXT(1, 0)
#define NEXT_2     NEXT(2, 1)
#define NEXT_3     NEXT(3, 2)
#define NEXT_4     NEXT(4, 3)
#define NEXT_5     NEXT(5, 4)
#define NEXT_6     NEXT(6, 5)
#define NEXT_7     NEXT(7, 6)
#define NEXT_8     NEXT(8, 7)
#define NEXT_9     NEXT(9, 8)
#define NEXT_10    NEXT(10, 9)

/* The operands {r, n}: written, and read first. */
#define LIMB(how, i)    [r##i] how(r[i])
#define LIMBS_1(how)    LIMB(how, 0)
#define LIMBS_2(how)    LIMBS_1(how), LIMB(how, 1)
#define LIMBS_3(how)    LIMBS_2(how), LIMB(how, 2)
#define LIMBS_4(how)    LIMBS_3(how), LIMB(how, 3)
#define LIMBS_5(how)    LIMBS_4(how), LIMB(how, 4)
#define LIMBS_6(how)    LIMBS_5(how), LIMB(how, 5)
#define LIMBS_7(how)    LIMBS_6(how), LIMB(how, 6)
#define LIMBS_8(how)    LIMBS_7(how), LIMB(how, 7)
#define LIMBS_9(how)    LIMBS_8(how), LIMB(how, 8)
#define LIMBS_10(how)   LIMBS_9(how), LIMB(how, 9)

#define ROWS(n)                                                                                        \
    INLINE void first_##n(mp_limb_t *r, const mp_limb_t *a, mp_limb_t b)                               \
    {                                                                                                  \
        mp_limb_t low;                                                                                 \
        __asm__ volatile(FIRST_##n                                                                     \
                         : LIMBS_##n("=&r"), [r##n] "=&r"(r[n]), [low] "=&r"(low)                      \
                         : [a] "r"(a), "d"(b)                                                          \
                         : "cc", "memory");                                                            \
    }                                                                                                  \
    INLINE void next_##n(mp_limb_t *r, const mp_limb_t *a, mp_limb_t b)                                \
    {                                                                                                  \
        mp_limb_t low;                                                                                 \
        __asm__ volatile(NEXT_##n                                                                      \
                         : LIMBS_##n("+r"), [top] "=&r"(r[n]), [low] "=&r"(low)                        \
                         : [a] "r"(a), "d"(b)                                                          \
                         : "cc", "memory");                                                            \
    }
ROWS(1)
ROWS(2)
ROWS(3)
ROWS(4)
ROWS(5)
ROWS(6)
ROWS(7)
ROWS(8)
ROWS(9)
ROWS(10)

/* ---- products ---- */

/* Each row's lowest limb is complete; the others move down by one. */
#define PRODUCT(an, bn)                                                                  \
    static int product_##an##_##bn(mp_limb_t *z, const mp_limb_t *a, const mp_limb_t *b) \
    {                                                                                    \
        mp_limb_t r[an + 1];                                                             \
        first_##an(r, a, b[0]);                                                          \
        z[0] = r[0];                                                                     \
        _Pragma("GCC unroll 10") for (int j = 1; j < bn; j++)                            \
        {                                                                                \
            _Pragma("GCC unroll 10") for (int i = 0; i < an; i++) r[i] = r[i + 1];       \
            next_##an(r, a, b[j]);                                                       \
            z[j] = r[0];                                                                 \
        }                                                                                \
        _Pragma("GCC unroll 10") for (int i = 1; i <= an; i++) z[bn - 1 + i] = r[i];     \
        return 0;                                                                        \
    }
#define TO_1(X, an)  X(an, 1)
#define TO_2(X, an)  TO_1(X, an) X(an, 2)
#define TO_3(X, an)  TO_2(X, an) X(an, 3)
#define TO_4(X, an)  TO_3(X, an) X(an, 4)
#define TO_5(X, an)  TO_4(X, an) X(an, 5)
#define TO_6(X, an)  TO_5(X, an) X(an, 6)
#define TO_7(X, an)  TO_6(X, an) X(an, 7)
#define TO_8(X, an)  TO_7(X, an) X(an, 8)
#define TO_9(X, an)  TO_8(X, an) X(an, 9)
#define TO_10(X, an) TO_9(X, an) X(an, 10)
#define PAIRS(X, TO) \
    TO(1, X) TO(2, X) TO(3, X) TO(4, X) TO(5, X) TO(6, X) TO(7, X) TO(8, X) TO(9, X) TO(10, X)
#define PRODUCTS(an, X) TO_##an(X, an)
PAIRS(PRODUCT, PRODUCTS)

/* ---- squares ---- */

/* next_any - next_n; n is a constant after inlining. */
INLINE void next_any(mp_limb_t *r, const mp_limb_t *a, mp_limb_t b, int n)
{
    switch (n) {
    case 1: next_1(r, a, b); break;
    case 2: next_2(r, a, b); break;
    case 3: next_3(r, a, b); break;
    case 4: next_4(r, a, b); break;
    case 5: next_5(r, a, b); break;
    case 6: next_6(r, a, b); break;
    case 7: next_7(r, a, b); break;
    case 8: next_8(r, a, b); break;
    case 9: next_9(r, a, b); break;
    }
}

/* DOUBLE_n - {z, 2 n} = 2 {z, 2 n} + the squares of a's limbs: one carry of the double, one of the sum. */
#define HALF(i, at, part)                                                                                        \
    "movq 16*" #i "+" #at "(%[z]), %[t]\n\tadcx %[t], %[t]\n\tadox %[" #part "], %[t]\n\tmovq %[t], 16*" #i "+" #at \
    "(%[z])\n\t"
#define DIAGONAL(i) "movq 8*" #i "(%[a]), %%rdx\n\tmulx %%rdx, %[low], %[high]\n\t" HALF(i, 0, low) HALF(i, 8, high)
#define DOUBLE_1  "xorl %k[t], %k[t]\n\t" DIAGONAL(0)
#define DOUBLE_2  DOUBLE_1 DIAGONAL(1)
#define DOUBLE_3  DOUBLE_2 DIAGONAL(2)
#define DOUBLE_4  DOUBLE_3 DIAGONAL(3)
#define DOUBLE_5  DOUBLE_4 DIAGONAL(4)
#define DOUBLE_6  DOUBLE_5 DIAGONAL(5)
#define DOUBLE_7  DOUBLE_6 DIAGONAL(6)
#define DOUBLE_8  DOUBLE_7 DIAGONAL(7)
#define DOUBLE_9  DOUBLE_8 DIAGONAL(8)
#define DOUBLE_10 DOUBLE_9 DIAGONAL(9)
#define DOUBLE_11 DOUBLE_10 DIAGONAL(10)

/* m = n - 1 products in the first row; each row has one less, and completes two limbs. */
#define SQUARE(n, m)                                                                                          \
    static int square_##n(mp_limb_t *z, const mp_limb_t *a)                                                   \
    {                                                                                                         \
        mp_limb_t r[n], low, high, t;                                                                         \
        first_##m(r, a + 1, a[0]);                                                                            \
        z[0] = 0;                                                                                             \
        z[1] = r[0];                                                                                          \
        z[2] = r[1];                                                                                          \
        _Pragma("GCC unroll 10") for (int j = 1; j < m; j++)                                                  \
        {                                                                                                     \
            _Pragma("GCC unroll 10") for (int i = 0; i < m - j; i++) r[i] = r[i + 2];                         \
            next_any(r, a + j + 1, a[j], m - j);                                                              \
            z[2 * j + 1] = r[0];                                                                              \
            z[2 * j + 2] = r[1];                                                                              \
        }                                                                                                     \
        z[2 * n - 1] = 0;                                                                                     \
        __asm__ volatile(DOUBLE_##n                                                                           \
                         : [low] "=&r"(low), [high] "=&r"(high), [t] "=&r"(t)                                 \
                         : [a] "r"(a), [z] "r"(z)                                                             \
                         : "rdx", "cc", "memory");                                                            \
        return 0;                                                                                             \
    }
SQUARE(2, 1)
SQUARE(3, 2)
SQUARE(4, 3)
SQUARE(5, 4)
SQUARE(6, 5)
SQUARE(7, 6)
SQUARE(8, 7)
SQUARE(9, 8)
SQUARE(10, 9)
SQUARE(11, 10)

static int square_1(mp_limb_t *z, const mp_limb_t *a)
{
    return product_1_1(z, a, a);
}

/* ---- products of 11 to 16 limbs by few ---- */

/*
 * START_n - {z, n + 1} = {a, n} b, b in rdx.   ADD_n - {z, n + 1} = {z, n} + {a, n} b.
 * Sums are in memory.  Higher halves alternate between two registers.
 */
#define EVEN(X, i) X(i, h0, h1)
#define ODD(X, i)  X(i, h1, h0)
#define START(i, in, out) \
    "mulx 8*" #i "(%[a]), %[low], %[" #out "]\n\tadcq %[" #in "], %[low]\n\tmovq %[low], 8*" #i "(%[z])\n\t"
#define ADD(i, in, out) \
    "mulx 8*" #i "(%[a]), %[low], %[" #out "]\n\tadcx 8*" #i "(%[z]), %[low]\n\tadox %[" #in "], %[low]\n\t" \
    "movq %[low], 8*" #i "(%[z])\n\t"
#define WIDE_4(X, i0, i1, i2, i3) EVEN(X, i0) ODD(X, i1) EVEN(X, i2) ODD(X, i3)
#define WIDE_11(X) WIDE_4(X, 0, 1, 2, 3) WIDE_4(X, 4, 5, 6, 7) EVEN(X, 8) ODD(X, 9) EVEN(X, 10)
#define WIDE_12(X) WIDE_11(X) ODD(X, 11)
#define WIDE_13(X) WIDE_12(X) EVEN(X, 12)
#define WIDE_14(X) WIDE_13(X) ODD(X, 13)
#define WIDE_15(X) WIDE_14(X) EVEN(X, 14)
#define WIDE_16(X) WIDE_15(X) ODD(X, 15)

/* top: the register of the last higher half. */
#define WIDE(n, top)                                                                                                  \
    static int wide_##n(mp_limb_t *z, const mp_limb_t *a, const mp_limb_t *b, size_t bn)                              \
    {                                                                                                                 \
        mp_limb_t low, h0, h1;                                                                                        \
        __asm__ volatile("xorl %k[h0], %k[h0]\n\t" WIDE_##n(START) "adcq $0, %[" #top "]\n\tmovq %[" #top "], 8*" #n "(%[z])" \
                         : [low] "=&r"(low), [h0] "=&r"(h0), [h1] "=&r"(h1)                                           \
                         : [a] "r"(a), [z] "r"(z), "d"(b[0])                                                          \
                         : "cc", "memory");                                                                           \
        for (size_t j = 1; j < bn; j++)                                                                               \
            __asm__ volatile("xorl %k[h0], %k[h0]\n\t" WIDE_##n(ADD) "movl $0, %k[low]\n\tadcx %[low], %[" #top       \
                             "]\n\tadox %[low], %[" #top "]\n\tmovq %[" #top "], 8*" #n "(%[z])"                      \
                             : [low] "=&r"(low), [h0] "=&r"(h0), [h1] "=&r"(h1)                                       \
                             : [a] "r"(a), [z] "r"(z + j), "d"(b[j])                                                  \
                             : "cc", "memory");                                                                       \
        return 0;                                                                                                     \
    }
WIDE(11, h1)
WIDE(12, h0)
WIDE(13, h1)
WIDE(14, h0)
WIDE(15, h1)
WIDE(16, h0)

#define PLACE(an, bn)     product_##an##_##bn,
#define PLACES(an, X)     {TO_##an(X, an)},
const struct small_ops small_ops_adx = {
    .mul_limbs = 10,
    .sqr_limbs = 11,
    .mul = {PAIRS(PLACE, PLACES)},
    .sqr = {square_1, square_2, square_3, square_4, square_5, square_6, square_7, square_8, square_9, square_10, square_11},
    .wide_limbs = 16,
    .wide = {wide_11, wide_12, wide_13, wide_14, wide_15, wide_16},
};
/* clang-format on */
#endif
