/*
 * minimal.h - sizes for --enable-min-thresholds: short rows, so that small operands reach column passes, padding and
 * cells.  Costs as in default.h but for the fixed one, so that cells are chosen early.
 */
#ifndef GFMUL_THRESHOLDS_H
#define GFMUL_THRESHOLDS_H

#define PLAN_ROW_LEVELS_MAX 8
#define PLAN_ROW_LEVELS_END 10
#define PLAN_ONE_PASS_LEVELS 9
#define PLAN_ONE_PASS_ROW_LEVELS 8
#define PLAN_TWO_PASS_LEVELS 9
#define PLAN_TWO_PASS_LEVELS_7 10
#define PLAN_STRIP_ROWS_MAX 64
#define PLAN_SHORT_TABLE_POINTS (1 << 11)
#define PLAN_SHORT_TABLE_NO_FMA 2
#define PLAN_BRANCH_POINTS ((size_t)1 << 12)
#define PLAN_BRANCHES_FEW 15
#define PLAN_BRANCH_POINTS_CUT ((size_t)1 << 13)
#define PLAN_BRANCHES_FEW_CUT 8
#define PLAN_BRANCH_POINTS_COLD ((size_t)1 << 11)
#define PLAN_COLD_LIMBS ((size_t)1 << 9)
#define PLAN_NEAR_ROW_POINTS 256
#define PLAN_NESTED_ISAS 0 /* none */
#define PLAN_PAD_ROW_BYTES  1024
#define PLAN_PAD_DOUBLES    32
#define PLAN_PAD_FAR_POINTS (1 << 12)
#define PLAN_PAD_FAR_DOUBLES 160
#define PLAN_STREAM_BYTES   (16 << 20) /* of a buffer: longer ones are written past the cache */

#define PLAN_COST_UNIT_PS   350.0
#define PLAN_COST_RADIX2    1.0
#define PLAN_COST_RADIX4    2.0
#define PLAN_COST_RADIX8    3.0
#define PLAN_COST_ODD(cost, minimal_cost) (minimal_cost) /* of plan/odd_factors.def */
#define PLAN_COST_DIGITS    0.0
#define PLAN_CACHE_POINTS   32768.0
#define PLAN_COST_MEMORY    0.0
#define PLAN_COST_FAR       0.0
#define PLAN_FAR_LEVELS     4.0
#define PLAN_COST_STREAM    0.0
#define PLAN_COST_BRANCH    0.0
#define PLAN_COST_BRANCHES_FEW 0.0
#define PLAN_TOUCH_RATES(X) X(0, 0)
#define PLAN_COST_CELL                    0.0
#define PLAN_COST_TRANSFORM 0.0
#define PLAN_COST_WRAP      0.0
#define PLAN_COST_WRAP_CUT  0.0
#define PLAN_WRAP_LOW       1.0     /* .. that product by the model, which finds the cache cold, times this */
#define PLAN_WRAP_LOW_TEAM  1.0
#define PLAN_WRAP_MARGIN    0.0     /* of its transforms: the model has to see a gain of more than this */
#define PLAN_WRAP_VECTORS   1.0
#define PLAN_WRAP_GMP_LIMBS 2

#define PLAN_PROCESSORS(X) X(0, CPU_VENDOR_OTHER, 0, 0, 0)
#define PLAN_RATES_LIMBS SIZE_MAX /* costs are no times here */
#define PLAN_TOUCH_ALONE 1.0

/* Double-double: log2 of the blocks of eight points of a row (256 bytes each; at least 6), padding, costs of a point as above. */
#define PLAN_DD_ROW_LEVELS  6
#define PLAN_DD_PAD_DOUBLES 64
#define PLAN_DD_COST_DIGITS 40.0
#define PLAN_DD_COST_LEVEL  10.0
#define PLAN_DD_COST_LEVEL_DOUBLE 1.5
#define PLAN_DD_COST_PRODUCT 15.0 /* of two points in spectra, and a sum */
#define PLAN_DD_LIGHT_GAIN 0.22 /* of a product whose passes are all light */

/* The shorter operand of a product by convolution has this many limbs (text digits) or more. */
#define GMP_CROSSOVER(limbs) 2
#define MUL_THREAD_LIMBS 1

#endif
