/*
 * short.c - selects the short products of each processor.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "short/short.h"

#include <stdint.h>

#include "base/cpu.h"
#include "base/cpu_paths.h"

void short_ifma_mul(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn);
void short_ifma_wrapped_mul(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn);
void short_ifma_sqr(mp_limb_t *z, const mp_limb_t *a, size_t n);
void short_ifma_once_sqr(mp_limb_t *z, const mp_limb_t *a, size_t n);
void short_fma_mul(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn);
void short_fma_sqr(mp_limb_t *z, const mp_limb_t *a, size_t n);
mp_limb_t short_ifma_redc(mp_limb_t *z, const mp_limb_t *u, const mp_limb_t *m, size_t n, mp_limb_t inverse);

/* The functions with this name in short.def, or none if the build lacks them. */
#if GFMUL_HAVE_AVX512
#define FUNCTIONS_ifma         short_ifma_mul, short_ifma_sqr, short_ifma_redc
#define FUNCTIONS_ifma_wrapped short_ifma_wrapped_mul, short_ifma_sqr, short_ifma_redc
#define FUNCTIONS_ifma_once    short_ifma_mul, short_ifma_once_sqr, short_ifma_redc
#else
#define FUNCTIONS_ifma         NULL, NULL, NULL
#define FUNCTIONS_ifma_wrapped NULL, NULL, NULL
#define FUNCTIONS_ifma_once    NULL, NULL, NULL
#endif
#if GFMUL_HAVE_AVX2
#define FUNCTIONS_fma short_fma_mul, short_fma_sqr, NULL
#else
#define FUNCTIONS_fma NULL, NULL, NULL
#endif

static const struct row {
    unsigned isa_bit;
    enum maker { ANY, AMD, AMD_512 } maker;
    enum needs { ifma, ifma_wrapped, ifma_once, fma } needs;
    struct short_ops ops;
} rows[] = {
#define SHORT(name, isa, maker, product_from, product_to, square_from, square_to, kept_to, redc_from) \
    {CPU_ISA_##isa,                                                                                   \
     maker,                                                                                           \
     name,                                                                                            \
     {#name, {product_from, product_to}, {square_from, square_to}, kept_to, redc_from, FUNCTIONS_##name}},
#include "short/short.def"
};

/* row_runs - whether the processor can execute the functions of a row. */
static bool row_runs(const struct row *row, unsigned isa_mask, const char *disable)
{
    return row->ops.mul && (row->isa_bit & isa_mask) != 0 &&
           (row->needs == fma ? cpu_has_fma256(isa_mask) : cpu_has_ifma(disable));
}

const struct short_ops *short_ops_select(unsigned isa_mask, const char *disable)
{
    const unsigned best = isa_mask & -isa_mask;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const enum maker maker = rows[i].maker;
        const bool made = maker == ANY || (maker == AMD ? (cpu_tuning(best) & CPU_AMD) != 0 : cpu_has_paths512());
        if (rows[i].isa_bit == best && made && row_runs(&rows[i], isa_mask, disable))
            return &rows[i].ops;
    }
    return NULL;
}

const struct short_ops *short_ops_next(const struct short_ops *after, unsigned isa_mask, const char *disable)
{
    bool passed = after == NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool seen = false; /* the same functions in a row before */
        for (size_t j = 0; j < i; j++)
            seen |=
                rows[j].ops.mul == rows[i].ops.mul && rows[j].ops.sqr == rows[i].ops.sqr && row_runs(&rows[j], isa_mask, disable);
        if (passed && !seen && row_runs(&rows[i], isa_mask, disable))
            return &rows[i].ops;
        passed |= &rows[i].ops == after;
    }
    return NULL;
}
