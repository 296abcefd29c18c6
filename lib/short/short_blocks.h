/*
 * short_blocks.h - products of limbs, built from digits and columns.
 *
 * Included by isa/short_<name>.c alone, after the definitions of an instruction set: its vectors, its schoolbook base_mul and
 * base_sqr, limbs_cut, columns_join and limbs_add.
 */
#ifndef GFMUL_SHORT_BLOCKS_H
#define GFMUL_SHORT_BLOCKS_H

#include "short/short_columns.h"

enum { DIRECT_LIMBS = BASE_DIGITS * DIGIT_BITS / 64 /* the schoolbook takes their digits */ };

/* mul_direct - an, bn <= DIRECT_LIMBS. */
SHORT_INLINE void mul_direct(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn, base_set set)
{
    uint64_t row[BASE_DIGITS + 2 * ROW_MARGIN] __attribute__((aligned(64))), *x = row + ROW_MARGIN;
    uint64_t y[BASE_DIGITS] __attribute__((aligned(64)));
    uint64_t c[2 * BASE_DIGITS] __attribute__((aligned(64)));
    limbs_cut(x, a, an, DIGIT_BITS);
    limbs_cut(y, b, bn, DIGIT_BITS);
    const size_t na = digits_of(an, DIGIT_BITS), nb = digits_of(bn, DIGIT_BITS);
    base_mul(set, c, (struct digit_row){x, na}, (struct digit_row){y, nb}, 0);
    columns_join(z, an + bn, c, DIGIT_BITS);
}

SHORT_INLINE void sqr_direct(mp_limb_t *z, const mp_limb_t *a, size_t n, base_set set)
{
    uint64_t row[BASE_DIGITS + 2 * ROW_MARGIN] __attribute__((aligned(64))), *x = row + ROW_MARGIN;
    uint64_t c[2 * BASE_DIGITS] __attribute__((aligned(64)));
    const unsigned r = base_sqr_bits(set);
    limbs_cut(x, a, n, r);
    const size_t na = digits_of(n, r);
    base_sqr(set, c, (struct digit_row){x, na}, DIGIT_BITS - r);
    columns_join(z, 2 * n, c, r);
}

/* block_mul - z = a * b; bn <= an.   work  out  8 words per digit of a in whole vectors, and 64 more; aligned, with a margin */
SHORT_NOINLINE void block_mul(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn, base_set set,
                              uint64_t *work)
{
#ifdef SHORT_TOOM
    if (toom_takes(an, bn, set)) {
        toom_mul(z, a, an, b, bn, set, work);
        return;
    }
#endif
    unsigned r = DIGIT_BITS;
    const unsigned steps = steps_of(an, &r);
    const size_t na = digits_of(an, r), nb = digits_of(bn, r), words = LANES * vectors_of(na);
    uint64_t *x = work, *y = x + words, *c = y + words;
    limbs_cut(x, a, an, r);
    limbs_cut(y, b, bn, r);
    columns_mul(c, (struct digit_row){x, na}, (struct digit_row){y, nb}, r, steps, set, c + 2 * words);
    columns_join(z, an + bn, c, r);
}

/* block_sqr - the same for z = a^2. */
SHORT_NOINLINE void block_sqr(mp_limb_t *z, const mp_limb_t *a, size_t n, base_set set, uint64_t *work)
{
#ifdef SHORT_TOOM
    if (n >= set->toom_sqr_from) {
        toom_mul(z, a, n, NULL, n, set, work);
        return;
    }
#endif
    struct sqr_way way = {set, base_sqr_bits(set)};
    const unsigned steps = steps_of(n, &way.r);
    const size_t na = digits_of(n, way.r), words = LANES * vectors_of(na);
    uint64_t *c = work + words;
    limbs_cut(work, a, n, way.r);
    columns_sqr(c, work, na, &way, steps, c + 2 * words);
    columns_join(z, 2 * n, c, way.r);
}

/*
 * Run a product on a stack for up to this many limbs; b NULL: a square.  128 limbs have at most 168 digits, 256 limbs
 * 342, SHORT_LIMBS_MAX 768.
 */
#define BLOCK(limbs, digits)                                                                                         \
    SHORT_NOINLINE void block_to_##limbs(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn, \
                                         base_set set)                                                               \
    {                                                                                                                \
        uint64_t work[8 * (digits) + 64 + 2 * ROW_MARGIN] __attribute__((aligned(64)));                              \
        if (b)                                                                                                       \
            block_mul(z, a, an, b, bn, set, work + ROW_MARGIN);                                                      \
        else                                                                                                         \
            block_sqr(z, a, an, set, work + ROW_MARGIN);                                                             \
    }
BLOCK(128, 168)
BLOCK(256, 344)
BLOCK(564, 768)

/* block - a product, bn <= an <= SHORT_LIMBS_MAX; b NULL: a square. */
SHORT_INLINE void block(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn, base_set set)
{
    if (an <= 128)
        block_to_128(z, a, an, b, bn, set);
    else if (an <= 256)
        block_to_256(z, a, an, b, bn, set);
    else
        block_to_564(z, a, an, b, bn, set);
}

SHORT_NOINLINE void product(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn, base_set set);

/* blocks_mul - cut a into blocks of about bn limbs, or of as many as the schoolbook takes; an > bn. */
SHORT_NOINLINE void blocks_mul(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn, base_set set)
{
    mp_limb_t part[2 * SHORT_LIMBS_MAX];
    const size_t most = bn < DIRECT_LIMBS ? DIRECT_LIMBS : bn, count = (an + most - 1) / most;
    for (size_t i = 0, at = 0; i < count; i++) {
        const size_t n = (an - at) / (count - i);
        mp_limb_t *to = i == 0 ? z : part;
        if (n >= bn)
            product(to, a + at, n, b, bn, set);
        else
            product(to, b, bn, a + at, n, set);
        if (i > 0)
            limbs_add(z + at, part, bn, n);
        at += n;
    }
}

SHORT_NOINLINE void product(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn, base_set set)
{
    if (an <= DIRECT_LIMBS)
        mul_direct(z, a, an, b, bn, set);
    else if (an <= SHORT_LIMBS_MAX && 2 * bn > an)
        block(z, a, an, b, bn, set);
    else
        blocks_mul(z, a, an, b, bn, set);
}

SHORT_INLINE void square(mp_limb_t *z, const mp_limb_t *a, size_t n, base_set set)
{
    if (n <= BASE_DIGITS * base_sqr_bits(set) / 64)
        sqr_direct(z, a, n, set);
    else
        block(z, a, n, NULL, 0, set);
}

/* SHORT_MUL, SHORT_SQR - the functions that short.h declares for a name in short.def. */
#define SHORT_MUL(name, set)                                                                            \
    void short_##name##_mul(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn) \
    {                                                                                                   \
        SHORT_BEGIN;                                                                                    \
        product(z, a, an, b, bn, set);                                                                  \
    }
#define SHORT_SQR(name, set)                                                     \
    SHORT_NOINLINE void square_##name(mp_limb_t *z, const mp_limb_t *a, size_t n) \
    {                                                                             \
        square(z, a, n, set);                                                     \
    }                                                                             \
    void short_##name##_sqr(mp_limb_t *z, const mp_limb_t *a, size_t n)           \
    {                                                                             \
        SHORT_BEGIN;                                                              \
        square_##name(z, a, n);                                                   \
    }

#endif
