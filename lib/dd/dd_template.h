/*
 * dd_template.h - every stage in double-double that is compiled once per instruction set.
 *
 * Included by isa/dd_stages.c after vec/vec.h; it defines `const struct stage_ops dd_stages_<isa>` and
 * `const struct dd_fft_ops dd_fft_<isa>`.
 */
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "dd/dd_fft.h"
#include "dd/dd_stages.h"

#define STAGE_INLINE static inline __attribute__((always_inline))

#include "dd/dd_number.h"
#include "dd/dd_pass.h"
#include "dd/dd_root.h"
#include "dd/dd_odd.h"
#include "dd/dd_transform.h"
#include "stages/lanes.h"
#include "dd/dd_carry.h"
#include "stages/digits_to_limbs_run.h"
#include "dd/dd_stockham.h"
#include "dd/dd_points.h"

extern const struct stage_ops ISA_NAME(dd_stages_);
const struct stage_ops ISA_NAME(dd_stages_) = {
    .source_to_columns = source_to_columns,
    .columns_to_spectrum = columns_to_spectrum,
    .columns_mul = columns_mul,
    .columns_mul_kept = columns_mul_kept,
    .spectrum_mul_add = spectrum_mul_add,
    .spectrum_to_columns = spectrum_to_columns,
    .columns_to_digits = columns_to_digits,
    .digits_to_limbs_run = digits_to_limbs_run,
    .digits_round_dd = digits_round,
};

extern const struct dd_fft_ops ISA_NAME(dd_fft_);
const struct dd_fft_ops ISA_NAME(dd_fft_) = {
    .stockham_pass = stockham_pass,
    .points_scale = points_scale,
    .multiply = points_multiply,
    .real_split = real_split,
    .real_join = real_join,
};
