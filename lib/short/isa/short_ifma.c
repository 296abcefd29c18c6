/*
 * short_ifma.c - products of some limbs by AVX-512's products of 52 bits.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "short/short.h"

#include "short/short_ifma_base.h"
#include "short/short_ifma_digits.h"
#include "short/short_ifma_redc.h"
#include "short/short_ifma_toom.h"

#define SHORT_BEGIN ((void)0)
#define SHORT_TOOM

#include "short/short_blocks.h"

SHORT_MUL(ifma, &base_shifted)
SHORT_MUL(ifma_wrapped, &base_wrapped)
SHORT_SQR(ifma, &base_shifted)
SHORT_SQR(ifma_once, &base_once)

__attribute__((target("avx512ifma,avx512vbmi"))) mp_limb_t short_ifma_redc(mp_limb_t *z, const mp_limb_t *u, const mp_limb_t *m,
                                                                           size_t n, mp_limb_t inverse)
{
    return redc(z, u, m, n, inverse);
}
