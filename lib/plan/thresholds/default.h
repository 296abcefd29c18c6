/*
 * default.h - sizes and costs that the sizing works with where no tuned set exists.
 *
 * Provenance: estimates, not tuned.  Costs are in units of one radix-2 level on one complex point.  The costs of cutting and
 * carrying digits and of a second trip through memory are guesses within a factor of two.  They only decide between shapes;
 * every shape that they can pick is proved.
 */
#ifndef GFMUL_THRESHOLDS_H
#define GFMUL_THRESHOLDS_H

#define PLAN_ROW_LEVELS_MAX 14     /* log2 of the points of a row: 2^14 points are 256 KiB, a part of a second-level cache */
#define PLAN_STRIP_ROWS_MAX 512    /* rows of a strip that costs no second-level misses: 1 KiB each */
#define PLAN_PAD_ROW_BYTES 4096    /* rows from this length on are padded against cache conflicts between rows */
#define PLAN_PAD_DOUBLES 32        /* two cache lines and two blocks */
#define PLAN_STRIP_POINTS 64       /* points of each row that the column passes gather at a time */

#define PLAN_COST_RADIX3 3.0       /* the odd first passes, in levels: such lengths cost 15 to 20 % more a point in cache */
#define PLAN_COST_RADIX5 3.5
#define PLAN_COST_COLUMNS 2.0      /* the second trip through memory of a transform with binary column passes */
#define PLAN_COST_DIGITS 4.0       /* cutting or carrying the digits of one transform, per point */
#define PLAN_COST_SLICE 1.0        /* adding a slice to the product, per point */
#define PLAN_COST_TRANSFORM 2000.0 /* what a transform costs whatever its length */

/*
 * Where a product stops being GMP's: X(instruction set, limbs of the shorter operand, limbs of a square, digits of text).
 *
 * Provenance: bench/b-crossover against GMP 6.2.1, balanced operands, on a Granite Rapids Xeon (AVX-512), gcc 12.2 -O3,
 * 2026-11-21, CPU time on a machine that was busy; rounded up.  Squares and products of scalar code meet GMP again up to
 * 24000 limbs.  NEON, and text but for AVX-512, are estimates from the others.
 */
#define GMP_CROSSOVERS(X)                  \
    X(CPU_ISA_AVX512, 190, 210, 800)       \
    X(CPU_ISA_AVX2, 270, 310, 1200)        \
    X(CPU_ISA_NEON, 700, 700, 2500)        \
    X(CPU_ISA_SSE2, 960, 930, 4000)        \
    X(CPU_ISA_SCALAR, 24000, 24000, 20000)
#define MUL_THREAD_LIMBS 4096 /* limbs of the product for each thread */

#endif
