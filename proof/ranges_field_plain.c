/*
 * ranges_field_plain.c - ranges_field.h without a fused multiply-add.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#define VEC_HAS_FMA 0
#include "ranges_field.h"

#include "primes.h"

void prove_field_plain(void)
{
    prove_field();
}
