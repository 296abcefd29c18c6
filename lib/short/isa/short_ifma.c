/*
 * short_ifma.c - products of some limbs by AVX-512's products of 52 bits.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "short/short.h"

#include "short/short_ifma_base.h"
#include "short/short_ifma_digits.h"

#define SHORT_BEGIN ((void)0)

#include "short/short_blocks.h"

SHORT_FUNCTIONS(ifma)
