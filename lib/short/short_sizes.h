/* short_sizes.h - number of digits in a number of limbs. */
#ifndef GFMUL_SHORT_SIZES_H
#define GFMUL_SHORT_SIZES_H

#include <stddef.h>

/* digits_of - the number of digits of r bits in this many limbs. */
static inline size_t digits_of(size_t limbs, unsigned r)
{
    return (64 * limbs + r - 1) / r;
}

#endif
