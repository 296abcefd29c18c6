/*
 * dd_template.h - every stage in double-double that is compiled once per instruction set.
 *
 * Included by isa/dd_stages.c after vec/vec.h; it defines `const struct dd_ops dd_stages_<isa>`.
 */
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "plan/plan_dd.h"
#include "stages/dd_ops.h"

#define STAGE_INLINE static inline __attribute__((always_inline))

#include "stages/dd_number.h"
#include "stages/dd_pass.h"
#include "stages/dd_root.h"
#include "stages/dd_odd.h"
#include "stages/dd_transform.h"
#include "stages/limbs_add.h"
#include "stages/dd_carry.h"
#include "stages/dd_stockham.h"

extern const struct dd_ops ISA_NAME(dd_stages_);
const struct dd_ops ISA_NAME(dd_stages_) = {
    .source_to_columns = source_to_columns,
    .columns_to_spectrum = columns_to_spectrum,
    .columns_mul = columns_mul,
    .spectrum_mul_add = spectrum_mul_add,
    .spectrum_to_columns = spectrum_to_columns,
    .columns_to_digits = columns_to_digits,
    .digits_to_limbs_run = digits_to_limbs_run,
    .digits_round = digits_round,
    .stockham_pass = stockham_pass,
    .points_scale = points_scale,
};
