/*
 * default.h - sizes and costs for the sizing if no tuned set exists.
 *
 * The costs of passes are measured, see below; the others are estimates within a factor of two.  They only decide between
 * shapes; every shape that they can pick is proved.
 */
#ifndef GFMUL_THRESHOLDS_H
#define GFMUL_THRESHOLDS_H

#define PLAN_ROW_LEVELS_MAX 14   /* log2 of the points of a row: 2^14 points are 256 KiB, a part of a second-level cache */
#define PLAN_ROW_LEVELS_END 16   /* ... up to this, if a strip of columns would have more than PLAN_STRIP_ROWS_MAX rows */
#define PLAN_ONE_PASS_LEVELS 11     /* log2 of the points from which on a pass over columns pays though a row would do */
#define PLAN_ONE_PASS_ROW_LEVELS 15 /* log2 of the points of rows that are not too long if they save a pass over columns */
#define PLAN_TWO_PASS_LEVELS 11     /* log2 of the points over 3 or 5 from which on a binary pass over columns follows theirs */
#define PLAN_TWO_PASS_LEVELS_7 15   /* .. over 7 or 9: more rows, which have to be long to pay */
#define PLAN_STRIP_ROWS_MAX 512  /* rows of a strip that costs no second-level misses: 1 KiB each */
#define PLAN_SHORT_TABLE_POINTS (1 << 23) /* from so many points on the leaves' twiddles are made from short tables, */
#define PLAN_SHORT_TABLE_NO_FMA 16        /* from so many times as many without FMA: there they cost a tenth */
#define PLAN_BRANCH_POINTS ((size_t)7 << 23) /* from so many on b goes branch by branch: doc/decisions/long-products.md */
#define PLAN_BRANCHES_FEW 7
#define PLAN_BRANCH_POINTS_CUT ((size_t)1 << 26) /* .. where each branch cuts b's digits anew: text, and beyond 15 bits */
#define PLAN_BRANCHES_FEW_CUT 4
#define PLAN_BRANCH_POINTS_COLD ((size_t)1 << 18) /* .. if the product's memory is not there yet: doc/decisions/memory.md */
#define PLAN_COLD_LIMBS ((size_t)1 << 15) /* .. which counts for operands of so many limbs together */
#define PLAN_NEAR_ROW_POINTS 2048 /* rows that the first-level cache holds: a radix 2 costs them less than a radix 8 */
#define PLAN_PAD_ROW_BYTES  4096 /* rows from this length on are padded against cache conflicts between rows */
#define PLAN_PAD_DOUBLES    32   /* two cache lines and two blocks */
#define PLAN_PAD_FAR_POINTS (3 << 14) /* from so many points on rows are padded by .. */
#define PLAN_PAD_FAR_DOUBLES 160      /* .. as much as above and a strip's part of a row */
#define PLAN_STREAM_BYTES   (16 << 20) /* of a buffer: longer ones are written past the cache */

/*
 * Instruction sets (cpu_tuning) that keep nested steps though they have a true radix 4: none.  On an Emerald Rapids, AVX-512 with
 * mixed passes took 0.94 to 0.97 of the time from 600 to 30000 limbs (bench/results/xeon-16/2026-11-29-versions.tsv, set mixed).
 */
#define PLAN_NESTED_ISAS 0

/*
 * Costs per point, in thirds of a pass of radix 8; one set for AVX-512 and AVX2, between what fits each.  They decide where
 * lengths.h does not know the length or the instruction set.
 *
 * Provenance: bench/b-stages lengths 10 20 9 twice, and with GFMUL_DISABLE=avx512, lower of both, least squares over 86 lengths
 * (root of the mean square of the misfit 3 % for each set, 4 % with one set for both), on a Granite Rapids Xeon with 2 MiB of
 * second-level cache, gcc 12.2 -O3, 2026-11-22, CPU time on a machine that was busy.  PLAN_COST_STREAM is half of what was
 * measured there.
 */
#define PLAN_COST_UNIT_PS   350.0   /* picoseconds of such a third, where lengths.h has none: SSE2 and plain C, about */
#define PLAN_COST_RADIX2    1.8
#define PLAN_COST_RADIX4    2.0
#define PLAN_COST_RADIX8    3.0
#define PLAN_COST_ODD(cost, minimal_cost) (cost) /* of plan/odd_factors.def */
#define PLAN_COST_DIGITS    12.3    /* cutting or carrying, the leaf of 64 points and a third of the product */
#define PLAN_CACHE_POINTS   32768.0 /* two buffers of so many points are half of the second-level cache */
#define PLAN_COST_MEMORY    1.4     /* trips beyond it, in full from twice as many points on */
#define PLAN_COST_FAR       1.5     /* what they grow by with each further doubling, PLAN_FAR_LEVELS times */
#define PLAN_FAR_LEVELS     4.0
#define PLAN_COST_STREAM    2.0     /* buffers that are written past the cache, from the end of these doublings on */
#define PLAN_COST_BRANCH    5.0     /* each branch of b that the memory asks for */
#define PLAN_COST_BRANCHES_FEW 7.0  /* .. all those together that are there unasked */
#define PLAN_COST_CELL                    1.0     /* adding a cell to the product, per point */
#define PLAN_COST_TRANSFORM 2600.0  /* what a transform costs whatever its length */
#define PLAN_COST_WRAP      2600.0  /* .. and a product that wraps around, beside that of its lowest limbs */
#define PLAN_COST_WRAP_CUT  5.0     /* a point of an operand of far more digits than points, whose first pass is slower */
#define PLAN_WRAP_LOW       1.3     /* .. that product by the model, which finds the cache cold, times this */
#define PLAN_WRAP_LOW_TEAM  1.7     /* .. by several threads, which gain less by short products */
#define PLAN_WRAP_MARGIN    0.02    /* of its transforms: the model has to see a gain of more than this */
#define PLAN_WRAP_VECTORS   0.4     /* .. that product by lib/short, if it has as many limbs as: Zen 5 0.25, Zen 4 0.38 */
#define PLAN_WRAP_GMP_LIMBS 128     /* the lowest limbs' product is GMP's, about, up to so many */

/*
 * X(isa, ps): instruction set (cpu_tuning); picoseconds for a byte that is touched for the first time: doc/decisions/memory.md.
 * The last row is for all others.  Memory costs the same by any instruction set, but these count in the picoseconds of lengths.h.
 *
 * Provenance: bench/b-prime -C beside the same without it, 2e4 to 3e5 limbs, on a busy Zen 5, 2026-11-28
 * (bench/results/epyc-2/2026-11-28-auto.tsv): 80 to 110 ps for each byte of a block.  The others are estimates from
 * what memory.md says.
 */
#define PLAN_TOUCH_RATES(X)                         \
    X(CPU_ISA_AVX512 | CPU_AMD | CPU_PATHS512, 105) \
    X(CPU_ISA_AVX512 | CPU_AMD, 209)                \
    X(CPU_ISA_AVX2 | CPU_AMD, 354)                  \
    X(CPU_ISA_AVX512, 332)                          \
    X(CPU_ISA_AVX2, 357)                            \
    X(0, 700)

/*
 * X(isa, vendor, family, first model, last model): processors whose instruction set (cpu_tuning) has been measured for lengths.h,
 * primes.h and the rates above.  The Xeons are Sapphire, Emerald and Granite Rapids; family 0x19 is Zen 3 and Zen 4, 0x1a Zen 5.
 * On others cpu_rates.c measures how the tables are to be scaled, for products of so many limbs in both operands together.
 */
#define PLAN_PROCESSORS(X)                                                                                             \
    X(CPU_ISA_AVX512, CPU_VENDOR_INTEL, 6, 0x8f, 0x8f)                                                                 \
    X(CPU_ISA_AVX512, CPU_VENDOR_INTEL, 6, 0xcf, 0xcf)                                                                 \
    X(CPU_ISA_AVX512, CPU_VENDOR_INTEL, 6, 0xad, 0xae)                                                                 \
    X(CPU_ISA_AVX2, CPU_VENDOR_INTEL, 6, 0x8f, 0x8f)                                                                   \
    X(CPU_ISA_AVX2, CPU_VENDOR_INTEL, 6, 0xcf, 0xcf)                                                                   \
    X(CPU_ISA_AVX2, CPU_VENDOR_INTEL, 6, 0xad, 0xae)                                                                   \
    X(CPU_ISA_AVX512 | CPU_AMD, CPU_VENDOR_AMD, 0x19, 0, 0xff)                                                         \
    X(CPU_ISA_AVX2 | CPU_AMD, CPU_VENDOR_AMD, 0x19, 0, 0xff)                                                           \
    X(CPU_ISA_AVX512 | CPU_AMD | CPU_PATHS512, CPU_VENDOR_AMD, 0x1a, 0, 0xff)
#define PLAN_RATES_LIMBS ((size_t)1 << 18) /* such a product takes about as long as the measurement */
#define PLAN_TOUCH_ALONE 0.25 /* a block that is only touched takes this part of PLAN_TOUCH_RATES: busy Zen 5, 0.18 to 0.55 */

/* Double-double: log2 of the blocks of eight points of a row (256 bytes each; at least 6), padding, costs of a point as above. */
#define PLAN_DD_ROW_LEVELS  10
#define PLAN_DD_PAD_DOUBLES 64
/*
 * They are checked against products of 250 to 6e5 limbs, rule norm, where double-double took 2.0 to 2.8 times as long as double
 * (medians of 11 interleaved rounds, one thread, AVX-512, gcc 12.2 -O3, 2026-11-22).
 */
#define PLAN_DD_COST_DIGITS 40.0
#define PLAN_DD_COST_LEVEL  10.0
#define PLAN_DD_COST_LEVEL_DOUBLE 1.5 /* of a level back in double */
#define PLAN_DD_COST_PRODUCT 15.0 /* of two points in spectra, and a sum */
#define PLAN_DD_LIGHT_GAIN 0.22 /* of a product whose passes are all light: b-stages dd, 2^20 points, AVX-512, 2026-11-22 */

#define GMP_CROSSOVER(limbs) (limbs) /* where a product stops being GMP's: as base/isa.def says */
#define MUL_THREAD_LIMBS 4096 /* limbs of the product for each thread */

#endif
