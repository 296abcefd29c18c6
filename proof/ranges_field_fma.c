/*
 * ranges_field_fma.c - ranges_field.h with a fused multiply-add.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#define VEC_HAS_FMA 1
#include "ranges_field.h"

#include "primes.h"

void prove_field_fma(void)
{
    prove_field();
}
