/*
 * short_fma.c - products of some limbs by fused multiply-adds of AVX2.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "short/short.h"

#include "base/rounding.h"
#include "short/short_fma_base.h"
#include "short/short_fma_digits.h"

/* The products are exact in any rounding mode, but are not to raise a trap. */
#define SHORT_BEGIN ROUND_TO_NEAREST

#include "short/short_blocks.h"

SHORT_MUL(fma, NULL)
SHORT_SQR(fma, NULL)
