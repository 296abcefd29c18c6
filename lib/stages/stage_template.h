/*
 * stage_template.h - every stage that is compiled once per instruction set.
 *
 * Included by isa/stages.c after vec/vec.h; it defines `const struct isa_ops isa_ops_<isa>`.
 */
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "plan/plan_twiddle.h"
#include "stages/stage_ops.h"
#include "stages/strip_segments.h"

#define STAGE_STRING2(a) #a
#define STAGE_STRING(a)  STAGE_STRING2(a)

/* Vectors in one half (real or imaginary) of a block of 8 points. */
#define VECS_PER_BLOCK (PLAN_BLOCK / VEC_WIDTH)
#define BLOCK_DOUBLES  (2 * PLAN_BLOCK)

#define STAGE_INLINE static inline __attribute__((always_inline))

/*
 * STAGE_SCHEDULED - a function whose operations the compiler orders before it gives them registers.  Not inlined, or the order
 * would be its caller's.
 */
#if defined __GNUC__ && !defined __clang__ && __OPTIMIZE__
#define STAGE_SCHEDULED __attribute__((noinline, optimize("schedule-insns")))
#else
#define STAGE_SCHEDULED __attribute__((noinline))
#endif

#include "stages/butterfly.h"
#include "stages/odd_dft.h"
#ifdef VEC_HALVES
#include "stages/halves.h"
#endif
#include "stages/pass.h"
#ifdef VEC_LEAF16
#include "stages/radix4.h"
#endif
#include "stages/twiddle.h"
#include "stages/leaf.h"
#include "stages/digits.h"
#include "stages/transform.h"
#include "stages/source_to_columns_fused.h"
#include "stages/columns_mul_fused.h"
#include "stages/spectra_sum_fused.h"
#include "stages/branch.h"
#include "stages/lanes.h"
#include "stages/limb_runs.h"
#include "stages/digits_to_limbs_run.h"
#include "stages/columns_to_limbs_fused.h"
#include "stages/digits_to_decimal_runs.h"
#include "stages/columns_to_decimal_fused.h"
#include "stages/spectrum_mul.h"
#include "stages/cyclic.h"

/* lanes_are - whether all lanes are x. */
STAGE_INLINE bool lanes_are(vec a, double x)
{
    _Alignas(64) double lane[VEC_WIDTH];
    bool all = true;
    vec_store(lane, a);
    for (unsigned l = 0; l < VEC_WIDTH; l++)
        all = all && lane[l] == x;
    return all;
}

static bool rounds_right(void)
{
    static const volatile double from[] = {1.0, 1.0 + 0x1p-30, 1.0 + 0x1p-29, 0x1p-53, 0x1.8p-52, 0x1p-1000, 0x1p-60};
    const vec one = vec_set1(from[0]), x = vec_set1(from[1]), square = vec_set1(from[2]); /* x^2 = square + 2^-60 */
    const vec ulp = vec_set1(from[3]), more = vec_set1(from[4]), small = vec_set1(from[5]), tiny = vec_set1(from[6]);
    const double fused = VEC_HAS_FMA ? 0x1p-60 : 0.0;
    return lanes_are(vec_sub(vec_mul(x, x), square), 0.0) && lanes_are(vec_fms(x, x, square), fused) &&
           lanes_are(vec_fnma(x, x, square), -fused) && lanes_are(vec_fma(x, x, vec_neg(square)), fused) &&
           lanes_are(vec_add(one, ulp), 1.0) && lanes_are(vec_add(one, more), 1.0 + 0x1p-51) &&
           lanes_are(vec_sub(vec_neg(one), ulp), -1.0) && lanes_are(vec_mul(small, tiny), 0x1p-1060);
}

/* What right-angle and the cyclic packings have in common. */
#define DOUBLE_STAGES                                                                                           \
    .columns_to_digits = columns_to_digits, .spectrum_to_columns = spectrum_to_columns,                         \
    .digits_to_limbs_run = digits_to_limbs_run, .twiddle_build = twiddle_build,                                 \
    .digits_to_decimal_runs = digits_to_decimal_runs, .digits_round = digits_round, .digits_pack = digits_pack, \
    .digits_to_spectrum = digits_to_spectrum, .spectrum_mul = spectrum_mul, .spectrum_sqr = spectrum_sqr,       \
    .spectrum_to_digits = spectrum_to_digits

static const struct stage_ops right_angle_stages = {
    DOUBLE_STAGES,
    .source_to_columns = source_to_columns_fused,
    .columns_to_spectrum = columns_to_spectrum,
    .columns_mul = columns_mul_fused,
    .columns_mul_kept = columns_mul_kept_fused,
    .spectra_sums_fused = spectra_sums_fused,
    .spectra_add = spectra_add,
    .source_to_branch_fused = source_to_branch_fused,
    .branch_mul_fused = branch_mul_fused,
    .columns_to_limbs_fused = columns_to_limbs_fused,
    .columns_to_decimal_fused = columns_to_decimal_fused,
};

static const struct stage_ops cyclic_stages = {
    DOUBLE_STAGES,
    .source_to_columns = cyclic_source_to_columns,
    .columns_to_spectrum = cyclic_columns_to_spectrum,
    .columns_mul = cyclic_columns_mul,
    .columns_mul_kept = cyclic_columns_mul_kept,
};

extern const struct stage_ops ISA_NAME(dd_stages_); /* dd/dd_template.h */
extern const struct dd_fft_ops ISA_NAME(dd_fft_);   /* there, too */
extern const struct isa_ops ISA_NAME(isa_ops_);
const struct isa_ops ISA_NAME(isa_ops_) = {
    .name = STAGE_STRING(GFMUL_ISA),
    .isa_bit = 1u << ISA_NAME(cpu_place_),
    .fma = VEC_HAS_FMA,
    .max_radix = VEC_MAX_RADIX,
#ifdef VEC_LEAF16
    .butterfly = BUTTERFLY_RADIX4,
#elif defined VEC_MIXED
    .butterfly = BUTTERFLY_ABOVE,
#endif
    .stages = {[PLAN_DOUBLE] = {&right_angle_stages, &cyclic_stages}, [PLAN_DD] = {&ISA_NAME(dd_stages_)}},
    .dd_fft = &ISA_NAME(dd_fft_),
    .rounds_right = rounds_right,
#if VEC_HAS_CUT
    .limbs_cut = limbs_cut,
#endif
};
