/*
 * digit_carry.cl - the carry of one digit, base 2^DIGIT_BITS or 10^DECIMAL.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef DIGIT_CARRY_CL
#define DIGIT_CARRY_CL
#include "prelude.cl"

#if DECIMAL > 6
#define DIGIT_BASE                                                                                                              \
    (DECIMAL == 7   ? 10000000L                                                                                                 \
     : DECIMAL == 8 ? 100000000L                                                                                                \
     : DECIMAL == 9 ? 1000000000L                                                                                               \
     : DECIMAL == 10 ? 10000000000L                                                                                             \
     : DECIMAL == 11 ? 100000000000L                                                                                            \
                     : 1000000000000L)
#elif DECIMAL
#define DIGIT_BASE                                                                                                              \
    (DECIMAL == 1 ? 10L : DECIMAL == 2 ? 100L : DECIMAL == 3 ? 1000L : DECIMAL == 4 ? 10000L : DECIMAL == 5 ? 100000L : 1000000L)
#else
#define DIGIT_BASE (1L << DIGIT_BITS)
#endif

/* digit_carry - floor(v / DIGIT_BASE), |v| < 2^62. */
INLINE long digit_carry(long v)
{
#if DECIMAL
    const long q = v / DIGIT_BASE; /* towards zero */
    return q - (v - q * DIGIT_BASE < 0);
#else
    return v >> DIGIT_BITS;
#endif
}

#if DOUBLE_DOUBLE
typedef long2 coefficient; /* an integer of 128 bits: the low word (unsigned), the high one */

/* coefficient_from - of an integer first + rest, |first| < 2^120, |rest| < 2^62. */
INLINE coefficient coefficient_from(dd v)
{
    const double size = fabs(v.x), high = floor(size * 0x1p-64);
    const ulong sign = v.x < 0.0 ? ~0UL : 0UL; /* all ones: both words are turned over, and 1 is added */
    const ulong turned = (ulong)fma(high, -0x1p64, size) ^ sign, low = turned - sign, sum = low + (ulong)(long)v.y;
    return (coefficient)((long)sum, (long)(((ulong)high ^ sign) + (low < turned) + (sum < low)) + ((long)v.y >> 63));
}

/* coefficient_carry - floor((v + carry) / DIGIT_BASE), |.| < 2^62; *digit: what is left, below DIGIT_BASE. */
INLINE long coefficient_carry(coefficient v, long carry, ulong *digit)
{
    const ulong low = (ulong)v.x + (ulong)carry;
    const long high = v.y + (carry >> 63) + (low < (ulong)v.x);
#if DECIMAL
    /* a quotient off by less than 2^12, and the rest of it */
    const long q = (long)(((double)high * 0x1p64 + (double)low) * (1.0 / DIGIT_BASE));
    const long rest = (long)(low - (ulong)q * DIGIT_BASE), more = digit_carry(rest);
    *digit = (ulong)(rest - more * DIGIT_BASE);
    return q + more;
#else
    *digit = low & (DIGIT_BASE - 1);
    return (long)((ulong)high << (64 - DIGIT_BITS) | low >> DIGIT_BITS);
#endif
}
#endif

#endif
