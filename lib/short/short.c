/*
 * short.c - which processor has which short products.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "short/short.h"

#include "base/cpu.h"

#if GFMUL_HAVE_AVX512
extern const struct short_ops short_ops_ifma;
#endif

const struct short_ops *short_ops_select(unsigned isa_bit, const char *disable)
{
#if GFMUL_HAVE_AVX512
    if (isa_bit == CPU_ISA_AVX512 && cpu_has_ifma(disable))
        return &short_ops_ifma;
#endif
    (void)isa_bit, (void)disable;
    return NULL;
}
