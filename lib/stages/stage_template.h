/*
 * stage_template.h - every stage that is compiled once per instruction set.
 *
 * Included by isa/stages.c after vec/vec.h; it defines `const struct stage_ops stages_<isa>`.
 */
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "stages/stage_ops.h"

#define STAGE_STRING2(a) #a
#define STAGE_STRING(a)  STAGE_STRING2(a)

/* Vectors in one half (real or imaginary) of a block of 8 points. */
#define VECS_PER_BLOCK (PLAN_BLOCK / VEC_WIDTH)
#define BLOCK_DOUBLES  (2 * PLAN_BLOCK)

#define STAGE_INLINE static inline __attribute__((always_inline))

#include "stages/butterfly.h"
#include "stages/odd_dft.h"
#ifdef VEC_HALVES
#include "stages/halves.h"
#endif
#include "stages/pass.h"
#include "stages/twiddle.h"
#include "stages/leaf.h"
#include "stages/digits.h"
#include "stages/transform.h"
#include "stages/strip_cut.h"
#include "stages/branch.h"
#include "stages/limbs_add.h"
#include "stages/carry.h"
#include "stages/carry_decimal.h"
#include "stages/spectrum.h"

extern const struct dd_ops ISA_NAME(dd_stages_); /* dd_template.h */
extern const struct stage_ops ISA_NAME(stages_);
const struct stage_ops ISA_NAME(stages_) = {
    .isa = STAGE_STRING(GFMUL_ISA),
    .isa_bit = 1u << ISA_NAME(cpu_place_),
    .fma = VEC_HAS_FMA,
    .max_radix = VEC_MAX_RADIX,
    .dd = &ISA_NAME(dd_stages_),
    .twiddle_build = twiddle_build,
    .digits_pack = digits_pack,
#if VEC_HAS_CUT
    .limbs_cut = limbs_cut,
#endif
    .source_to_columns_fused = source_to_columns_fused,
    .source_to_branch_fused = source_to_branch_fused,
    .branch_mul_fused = branch_mul_fused,
    .columns_to_spectrum = columns_to_spectrum,
    .columns_mul_fused = columns_mul_fused,
    .columns_mul_kept_fused = columns_mul_kept_fused,
    .spectrum_to_columns = spectrum_to_columns,
    .columns_to_digits = columns_to_digits,
    .columns_to_limbs_fused = columns_to_limbs_fused,
    .digits_to_limbs_run = digits_to_limbs_run,
    .columns_to_decimal_fused = columns_to_decimal_fused,
    .digits_to_decimal_runs = digits_to_decimal_runs,
    .digits_to_spectrum = digits_to_spectrum,
    .spectrum_mul = spectrum_mul,
    .spectrum_sqr = spectrum_sqr,
    .spectrum_to_digits = spectrum_to_digits,
    .digits_round = digits_round,
};
