/* limb_range.h - ranges of limbs: their length without zeros, and whether two share memory. */
#ifndef GFMUL_LIMB_RANGE_H
#define GFMUL_LIMB_RANGE_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* limbs_normal_size - without the high limbs that are zero. */
static inline size_t limbs_normal_size(const mp_limb_t *a, size_t an)
{
    while (an > 0 && a[an - 1] == 0)
        an--;
    return an;
}

/* limbs_overlap - whether two ranges share memory; compared as addresses, since they may be parts of different objects. */
static inline bool limbs_overlap(const mp_limb_t *z, size_t zn, const mp_limb_t *a, size_t an)
{
    uintptr_t x = (uintptr_t)z, y = (uintptr_t)a;
    return x < y + an * sizeof *a && y < x + zn * sizeof *z;
}

#endif
