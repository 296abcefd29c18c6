/*
 * ranges_plain.c - ranges.h without a fused multiply-add.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#define VEC_HAS_FMA 0
#include "ranges.h"

#include "primes.h"

void prove_ranges_plain(void)
{
    prove_ranges();
}
