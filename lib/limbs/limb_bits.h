/* limb_bits.h - bits of a number of limbs, and balanced digits made of them. */
#ifndef GFMUL_LIMB_BITS_H
#define GFMUL_LIMB_BITS_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

/* limb_bits - the 64 bits of a from bit `at` on; zeros beyond its end. */
static inline uint64_t limb_bits(const mp_limb_t *a, size_t an, size_t at)
{
    size_t k = at / 64, shift = at % 64;
    uint64_t low = k < an ? a[k] >> shift : 0;
    return shift && k + 1 < an ? low | a[k + 1] << (64 - shift) : low;
}

/* limbs_bit_length - significant bits of a; an >= 1, the highest limb not zero. */
static inline size_t limbs_bit_length(const mp_limb_t *a, size_t an)
{
    return 64 * an - (size_t)__builtin_clzll(a[an - 1]);
}

/*
 * booth_digit - a balanced digit of l bits.
 *
 *   w  in  its l + 1 lowest bits are used: b, the bit below the digit, then raw, the bits of the digit
 *   l  in  1 .. 62
 *
 * Value:  raw + b - 2^l [raw >= 2^(l-1)], in [-2^(l-1), 2^(l-1)].  As a signed number s of l + 1 bits: (s + 1) >> 1.
 * Source: [Booth51].
 */
static inline int64_t booth_digit(uint64_t w, unsigned l)
{
    return (((int64_t)(w << (63 - l)) >> (63 - l)) + 1) >> 1;
}

#endif
