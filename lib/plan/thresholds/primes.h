/*
 * primes.h - where the CPU's products modulo primes are faster than those in double: precision auto takes them there.
 *
 * X(isa, threads, ratio, limbs): instruction set (cpu_tuning), from so many threads, and from so many limbs of the shorter
 * operand on, if the longer one is hardly more than `ratio` times as long; PLAN_SQUARE: squares.  What has not been measured has
 * no row.
 *
 * Provenance: bench/b-prime, double / primes.  EPYC (Zen 4), gcc 12.2 -O3, 2026-11-26
 * (bench/results/zen4-2/2026-11-26-prime-around.tsv), AVX-512: 1.05 at 3e6 limbs, 1.19 at 5e6, by two threads 1.05, 1.18; squares
 * 1.09, 1.30; 4 : 1 1.07, 1.26.  AVX2: 1.09 at 5e6, 1.17 at 1e7, by two threads 1.12 at 5e6; 4 : 1 1.05; squares 1.02.
 * Xeon (Emerald Rapids), gcc 13.3 -O3, 2026-11-26 (bench/results/h200/2026-11-26-cpu-prime.tsv), AVX-512: 1.07 at 1e6 limbs, 1.10
 * at 3e6, 1.48 at 1e7, by 16 threads 1.03, 1.23, 1.71; without IFMA 0.85, 1.11, 1.30; squares 1.27 at 3e6, 16 threads 1.28; 4 : 1
 * 1.28.  AVX2: 1.04 at 3e6, 1.13 at 5e6, by 16 threads 1.14, 1.26 at 1e7.
 */
#ifndef GFMUL_THRESHOLDS_PRIMES_H
#define GFMUL_THRESHOLDS_PRIMES_H

enum { PLAN_SQUARE = 0 };

#define PLAN_PRIMES_FROM(X)                              \
    X(CPU_ISA_AVX512 | CPU_AMD, 1, 4, 3000000)           \
    X(CPU_ISA_AVX512 | CPU_AMD, 1, PLAN_SQUARE, 3000000) \
    X(CPU_ISA_AVX2 | CPU_AMD, 1, 4, 5000000)             \
    X(CPU_ISA_AVX512, 1, 4, 3000000)                     \
    X(CPU_ISA_AVX512, 1, PLAN_SQUARE, 3000000)           \
    X(CPU_ISA_AVX2, 1, 2, 5000000)

/*
 * The same for a context that lacks the memory yet (ctx_plan_request): primes touch half as much of it.
 *
 * Provenance: bench/b-prime -C (2026-11-26-prime-around.tsv): Zen 4, AVX-512, 2e6 limbs 1.13, squares 1.18; AVX2: 0.95 at 3e6.
 * Emerald Rapids (2026-11-26-prime-auto.tsv), AVX-512: 1e6 limbs 1.27, 3e6 1.32, by 16 threads 1.44.
 */
#define PLAN_PRIMES_COLD(X)                              \
    X(CPU_ISA_AVX512 | CPU_AMD, 1, 2, 2000000)           \
    X(CPU_ISA_AVX512 | CPU_AMD, 1, PLAN_SQUARE, 2000000) \
    X(CPU_ISA_AVX512, 1, 2, 2000000)

#endif
