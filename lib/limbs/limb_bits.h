/* limb_bits.h - bits of a number of limbs. */
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

#endif
