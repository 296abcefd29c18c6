/* fft_select.c - which instruction set plain transforms run in.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/cpu.h"
#include "base/environment.h"
#include "fft/fft.h"

#define ISA(name, ...) extern const struct fft_ops fft_double_##name, fft_float_##name;
#include "base/isa.def"

/* Best first; NULL: not built. */
static const struct fft_isa sets[CPU_ISA_COUNT] = {
#define ISA(name, NAME, ...) {#name, GFMUL_HAVE_##NAME ? &fft_double_##name : NULL, GFMUL_HAVE_##NAME ? &fft_float_##name : NULL},
#include "base/isa.def"
};

const struct fft_isa *fft_isa_list(size_t i)
{
    const unsigned mask = cpu_isa_mask(environment_get("GFMUL_DISABLE"));
    for (size_t k = 0; k < CPU_ISA_COUNT; k++)
        if (mask >> k & 1 && i-- == 0)
            return &sets[k];
    return NULL;
}

const struct fft_isa *fft_isa_select(void)
{
    return fft_isa_list(0);
}
