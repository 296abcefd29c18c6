/* short_sizes.h - numbers in digits, and how many digits a number of limbs has. */
#ifndef GFMUL_SHORT_SIZES_H
#define GFMUL_SHORT_SIZES_H

#include <stddef.h>
#include <stdint.h>

/* A number in digits, from the lowest one on. */
struct digit_row {
    const uint64_t *digit;
    size_t n;
};

/* digits_of - the number of digits of r bits in this many limbs. */
static inline size_t digits_of(size_t limbs, unsigned r)
{
    return (64 * limbs + r - 1) / r;
}

#endif
