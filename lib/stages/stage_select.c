/* stage_select.c - which instruction set runs.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/cpu.h"
#include "stages/stage_ops.h"

extern const struct stage_ops stages_scalar, stages_sse2, stages_avx2, stages_avx512, stages_neon;

/* Best first; scalar is always there. */
static const struct stage_ops *const built[] = {
#ifdef GFMUL_HAVE_AVX512
    &stages_avx512,
#endif
#ifdef GFMUL_HAVE_AVX2
    &stages_avx2,
#endif
#ifdef GFMUL_HAVE_SSE2
    &stages_sse2,
#endif
#ifdef GFMUL_HAVE_NEON
    &stages_neon,
#endif
    &stages_scalar,
};

enum { N_BUILT = sizeof built / sizeof *built };

const struct stage_ops *stage_ops_select(unsigned mask)
{
    size_t i = 0;
    while (i + 1 < N_BUILT && !(built[i]->isa_bit & mask))
        i++;
    return built[i];
}

const struct stage_ops *stage_ops_list(size_t i)
{
    const unsigned mask = cpu_isa_mask(NULL);
    for (size_t k = 0; k < N_BUILT; k++)
        if (built[k]->isa_bit & mask && i-- == 0)
            return built[k];
    return NULL;
}
