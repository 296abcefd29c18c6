/* limb_range.h - ranges of limbs: their length without zeros, whether two share memory, carries into one. */
#ifndef GFMUL_LIMB_RANGE_H
#define GFMUL_LIMB_RANGE_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/overlap.h"

/* limbs_normal_size - the number of limbs without the high ones that are zero. */
static inline size_t limbs_normal_size(const mp_limb_t *a, size_t an)
{
    while (an > 0 && a[an - 1] == 0)
        an--;
    return an;
}

/* limbs_overlap - whether two ranges share memory. */
static inline bool limbs_overlap(const mp_limb_t *z, size_t zn, const mp_limb_t *a, size_t an)
{
    return bytes_overlap(z, zn * sizeof *z, a, an * sizeof *a);
}

/*
 * limbs_overlap_filled - the same by one comparison, which the shortest products pay for; both sizes from 1 limb to 2^56.
 *
 * They share memory if a begins less than an limbs below z, or less than zn limbs above.
 */
static inline bool limbs_overlap_filled(const mp_limb_t *z, size_t zn, const mp_limb_t *a, size_t an)
{
    const size_t below = an * sizeof *a - 1;
    return (uintptr_t)a - (uintptr_t)z + below < zn * sizeof *z + below;
}

/* limbs_add_carry - z += c on zn > 0 limbs.  Returns the carry or borrow out: -1, 0 or 1. */
static inline int64_t limbs_add_carry(mp_limb_t *z, size_t zn, int64_t c)
{
    return c >= 0 ? (int64_t)mpn_add_1(z, z, (mp_size_t)zn, (mp_limb_t)c)
                  : -(int64_t)mpn_sub_1(z, z, (mp_size_t)zn, -(mp_limb_t)c);
}

/* limbs_add_at - z += c 2^(64 at) modulo 2^(64 zn). */
static inline void limbs_add_at(mp_limb_t *z, size_t zn, size_t at, int64_t c)
{
    if (at < zn && c != 0)
        limbs_add_carry(z + at, zn - at, c);
}

#endif
