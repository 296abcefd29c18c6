/*
 * short_ifma.c - products of some limbs by AVX-512's products of 52 bits.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "short/short.h"

#include "short/short_ifma_columns.h"
#include "short/short_ifma_digits.h"

enum {
    DIRECT_LIMBS = BASE_DIGITS * DIGIT_BITS / 64,           /* whose digits the schoolbook takes */
    DIRECT_LIMBS_SQR = BASE_DIGITS * (DIGIT_BITS - 1) / 64, /* squares double them */
};

/* mul_direct - an, bn <= DIRECT_LIMBS. */
INLINE_IFMA void mul_direct(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    uint64_t x[BASE_DIGITS] __attribute__((aligned(64))), y[BASE_DIGITS] __attribute__((aligned(64)));
    uint64_t c[2 * BASE_DIGITS] __attribute__((aligned(64)));
    limbs_cut(x, a, an, DIGIT_BITS);
    limbs_cut(y, b, bn, DIGIT_BITS);
    const size_t na = digits_of(an, DIGIT_BITS), nb = digits_of(bn, DIGIT_BITS);
    base_mul_of[(na - 1) / LANES][(nb - 1) / LANES](c, x, na, y, nb, 0);
    columns_join(z, an + bn, c, DIGIT_BITS);
}

INLINE_IFMA void sqr_direct(mp_limb_t *z, const mp_limb_t *a, size_t n)
{
    uint64_t x[BASE_DIGITS] __attribute__((aligned(64)));
    uint64_t c[2 * BASE_DIGITS] __attribute__((aligned(64)));
    limbs_cut(x, a, n, DIGIT_BITS - 1);
    const size_t na = digits_of(n, DIGIT_BITS - 1);
    base_sqr_of[(na - 1) / LANES](c, x, na, 1);
    columns_join(z, 2 * n, c, DIGIT_BITS - 1);
}

/* block_mul - z = a * b; bn <= an.   work  out  8 words for each digit of a in whole vectors, and 64 more; aligned */
NOINLINE_IFMA void block_mul(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn, uint64_t *work)
{
    unsigned r = DIGIT_BITS;
    const unsigned steps = steps_of(an, &r);
    const size_t na = digits_of(an, r), nb = digits_of(bn, r), words = LANES * vectors_of(na);
    uint64_t *x = work, *y = x + words, *c = y + words;
    limbs_cut(x, a, an, r);
    limbs_cut(y, b, bn, r);
    columns_mul(c, x, na, y, nb, r, steps, c + 2 * words);
    columns_join(z, an + bn, c, r);
}

/* block_sqr - z = a^2; the same. */
NOINLINE_IFMA void block_sqr(mp_limb_t *z, const mp_limb_t *a, size_t n, uint64_t *work)
{
    unsigned r = DIGIT_BITS - 1;
    const unsigned steps = steps_of(n, &r);
    const size_t na = digits_of(n, r), words = LANES * vectors_of(na);
    uint64_t *c = work + words;
    limbs_cut(work, a, n, r);
    columns_sqr(c, work, na, r, steps, c + 2 * words);
    columns_join(z, 2 * n, c, r);
}

/*
 * Stack for products of up to so many limbs; b NULL: a square.  The digits of 128 limbs are 168 at most, of 256 limbs
 * 342, of SHORT_LIMBS_MAX 698.
 */
#define BLOCK(limbs, digits)                                                                                        \
    NOINLINE_IFMA void block_to_##limbs(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn) \
    {                                                                                                               \
        uint64_t work[8 * (digits) + 64] __attribute__((aligned(64)));                                              \
        if (b)                                                                                                      \
            block_mul(z, a, an, b, bn, work);                                                                       \
        else                                                                                                        \
            block_sqr(z, a, an, work);                                                                              \
    }
BLOCK(128, 168)
BLOCK(256, 344)
BLOCK(512, 704)

/* block - a product, bn <= an <= SHORT_LIMBS_MAX; b NULL: a square. */
INLINE_IFMA void block(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    if (an <= 128)
        block_to_128(z, a, an, b, bn);
    else if (an <= 256)
        block_to_256(z, a, an, b, bn);
    else
        block_to_512(z, a, an, b, bn);
}

NOINLINE_IFMA void ifma_mul(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn);

/* blocks_mul - a in blocks of about bn limbs, or as many as the schoolbook takes; an > bn. */
NOINLINE_IFMA void blocks_mul(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    mp_limb_t part[2 * SHORT_LIMBS_MAX];
    const size_t most = bn < DIRECT_LIMBS ? DIRECT_LIMBS : bn, count = (an + most - 1) / most;
    for (size_t i = 0, at = 0; i < count; i++) {
        const size_t n = (an - at) / (count - i);
        mp_limb_t *to = i == 0 ? z : part;
        if (n >= bn)
            ifma_mul(to, a + at, n, b, bn);
        else
            ifma_mul(to, b, bn, a + at, n);
        if (i > 0)
            limbs_add(z + at, part, bn, n);
        at += n;
    }
}

NOINLINE_IFMA void ifma_mul(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    if (an <= DIRECT_LIMBS)
        mul_direct(z, a, an, b, bn);
    else if (an <= SHORT_LIMBS_MAX && 2 * bn > an)
        block(z, a, an, b, bn);
    else
        blocks_mul(z, a, an, b, bn);
}

NOINLINE_IFMA void ifma_sqr(mp_limb_t *z, const mp_limb_t *a, size_t n)
{
    if (n <= DIRECT_LIMBS_SQR)
        sqr_direct(z, a, n);
    else
        block(z, a, n, NULL, 0);
}

extern const struct short_ops short_ops_ifma;
#define SHORT(name_, isa, product_from, product_to, square_from, square_to) \
    const struct short_ops short_ops_##name_ = {                            \
        #name_, {product_from, product_to}, {square_from, square_to}, name_##_mul, name_##_sqr};
#include "short/short.def"
