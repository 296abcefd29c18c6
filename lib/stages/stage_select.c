/* stage_select.c - which instruction set runs.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/cpu.h"
#include "stages/stage_ops.h"

#define ISA(name, ...) extern const struct isa_ops isa_ops_##name;
#include "base/isa.def"

/* Best first; NULL: not built.  Scalar is always there. */
static const struct isa_ops *const built[CPU_ISA_COUNT] = {
#define ISA(name, NAME, ...) GFMUL_HAVE_##NAME ? &isa_ops_##name : NULL,
#include "base/isa.def"
};

const struct isa_ops *isa_ops_select(unsigned mask)
{
    size_t i = 0;
    while (i + 1 < CPU_ISA_COUNT && !(mask >> i & 1 && built[i] != NULL))
        i++;
    return built[i];
}

const struct isa_ops *isa_ops_list(size_t i)
{
    const unsigned mask = cpu_isa_mask(NULL);
    for (size_t k = 0; k < CPU_ISA_COUNT; k++)
        if (mask >> k & 1 && i-- == 0)
            return built[k];
    return NULL;
}
