/* fft_select.c - which instruction set plain transforms run in.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/cpu.h"
#include "base/environment.h"
#include "fft/fft.h"

extern const struct fft_isa fft_isa_scalar, fft_isa_sse2, fft_isa_avx2, fft_isa_avx512, fft_isa_neon;

/* Best first; scalar is always there. */
static const struct fft_isa *const built[] = {
#ifdef GFMUL_HAVE_AVX512
    &fft_isa_avx512,
#endif
#ifdef GFMUL_HAVE_AVX2
    &fft_isa_avx2,
#endif
#ifdef GFMUL_HAVE_NEON
    &fft_isa_neon,
#endif
#ifdef GFMUL_HAVE_SSE2
    &fft_isa_sse2,
#endif
    &fft_isa_scalar,
};

const struct fft_isa *fft_isa_list(size_t i)
{
    unsigned mask = cpu_isa_mask(environment_get("GFMUL_DISABLE"));
    for (size_t j = 0; j < sizeof built / sizeof *built; j++)
        if (built[j]->isa_bit & mask && i-- == 0)
            return built[j];
    return NULL;
}

const struct fft_isa *fft_isa_select(void)
{
    const struct fft_isa *isa = fft_isa_list(0);
    return isa != NULL ? isa : &fft_isa_scalar;
}
