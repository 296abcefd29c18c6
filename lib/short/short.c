/*
 * short.c - selects the short products of each processor.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "short/short.h"

#include <stdint.h>

#include "base/cpu.h"
#include "base/cpu_paths.h"

#define DECLARE(name)                                                                                    \
    void short_##name##_mul(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn); \
    void short_##name##_sqr(mp_limb_t *z, const mp_limb_t *a, size_t n);
DECLARE(ifma)
DECLARE(fma)
mp_limb_t short_ifma_redc(mp_limb_t *z, const mp_limb_t *u, const mp_limb_t *m, size_t n, mp_limb_t inverse);

/* The functions with this name in short.def, or none if the build lacks them. */
#if GFMUL_HAVE_AVX512
#define FUNCTIONS_ifma short_ifma_mul, short_ifma_sqr, short_ifma_redc
#else
#define FUNCTIONS_ifma NULL, NULL, NULL
#endif
#if GFMUL_HAVE_AVX2
#define FUNCTIONS_fma short_fma_mul, short_fma_sqr, NULL
#else
#define FUNCTIONS_fma NULL, NULL, NULL
#endif

static const struct row {
    unsigned isa_bit;
    enum maker { ANY, AMD, AMD_512 } maker;
    enum needs { ifma, fma } needs;
    struct short_ops ops;
} rows[] = {
#define SHORT(name, isa, maker, product_from, product_to, square_from, square_to, kept_to, redc_from) \
    {CPU_ISA_##isa,                                                                                   \
     maker,                                                                                           \
     name,                                                                                            \
     {#name, {product_from, product_to}, {square_from, square_to}, kept_to, redc_from, FUNCTIONS_##name}},
#include "short/short.def"
};

const struct short_ops *short_ops_select(unsigned isa_mask, const char *disable)
{
    const unsigned best = isa_mask & -isa_mask;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool has = rows[i].needs == ifma ? cpu_has_ifma(disable) : cpu_has_fma256(isa_mask);
        const enum maker maker = rows[i].maker;
        const bool made = maker == ANY || (maker == AMD ? (cpu_tuning(best) & CPU_AMD) != 0 : cpu_has_paths512());
        if (rows[i].isa_bit == best && rows[i].ops.mul && has && made)
            return &rows[i].ops;
    }
    return NULL;
}
