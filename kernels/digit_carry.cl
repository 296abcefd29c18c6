/*
 * digit_carry.cl - the carry of one digit, base 2^DIGIT_BITS or 10^DECIMAL.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef DIGIT_CARRY_CL
#define DIGIT_CARRY_CL
#include "prelude.cl"

#if DECIMAL
#define DIGIT_BASE                                                                                                              \
    (DECIMAL == 1 ? 10L : DECIMAL == 2 ? 100L : DECIMAL == 3 ? 1000L : DECIMAL == 4 ? 10000L : DECIMAL == 5 ? 100000L : 1000000L)
#else
#define DIGIT_BASE (1L << DIGIT_BITS)
#endif

/* digit_carry - floor(v / DIGIT_BASE), |v| < 2^52. */
INLINE long digit_carry(long v)
{
#if DECIMAL
    const long q = v / DIGIT_BASE; /* towards zero */
    return q - (v - q * DIGIT_BASE < 0);
#else
    return v >> DIGIT_BITS;
#endif
}

#endif
