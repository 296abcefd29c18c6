/*
 * ranges_fma.c - ranges.h with a fused multiply-add.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#define VEC_HAS_FMA 1
#include "ranges.h"

#include "primes.h"

void prove_ranges_fma(void)
{
    prove_ranges();
}
