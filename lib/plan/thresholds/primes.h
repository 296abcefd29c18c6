/*
 * primes.h - what products modulo primes cost on the CPU, in the same picoseconds as products in double.
 *
 * X(isa, ps, square): instruction set (cpu_tuning); picoseconds of one thread for a level of a point modulo a prime
 * (plan_prime.c); the part of that which a square takes.  The last row is for all other instruction sets.
 *
 * The picoseconds are those of lengths.h: where its level is off for a machine, so are these, and their ratio is what was
 * measured.  So each is the model's time in double over the measured ratio of double to primes, the mean over the sizes.
 *
 * Provenance: bench/b-prime, double / primes.  EPYC (Zen 4), gcc 12.2 -O3, 2026-11-26
 * (bench/results/zen4-2/2026-11-26-primes.tsv, set around), AVX-512: 1.05 at 3e6 limbs, 1.19 at 5e6; squares 1.09, 1.30.
 * AVX2: 1.09 at 5e6, 1.17 at 1e7; squares 1.02, 1.03.  Xeon (Emerald Rapids), gcc 13.3 -O3, 2026-11-26
 * (bench/results/h200/2026-11-26-cpu-prime.tsv), AVX-512: 1.07 at 1e6 limbs, 1.10 at 3e6, 1.48 at 1e7; squares 1.27 at 3e6;
 * AVX2: 1.04 at 3e6, 1.13 at 5e6, 1.26 at 1e7.  By 2 and by 16 threads the ratios are the same within a tenth.  Without IFMA
 * primes take PLAN_PRIMES_NO_IFMA times as long: 0.85, 1.11, 1.30.  SSE2: 0.46 at 1e5 and 3e5 limbs; plain C 0.50 and 0.57 (a
 * busy Zen 5, least of three rounds, gcc 12.2 -O3, 2026-11-28, not kept).
 *
 * Zen 5 with paths of 512 bits, gcc 12.2 -O3, busy, 2026-11-28: 0.48 at 3e3 limbs, 0.56 at 1e4, 0.68 at 3e4, 1.01 at 1e5, 0.97 at
 * 3e5, 1.40 at 1e6, 1.18 at 3e6, 1.70 at 1e7; squares 0.64, 1.26, 1.38 at 3e4, 1e5, 1e6 (not kept).  The rate is the mean from
 * 3e3 to 3e6.  Another run: bench/results/epyc-2/2026-11-28-auto.tsv.
 */
#ifndef GFMUL_THRESHOLDS_PRIMES_H
#define GFMUL_THRESHOLDS_PRIMES_H

#define PLAN_PRIMES_RATES(X)                              \
    X(CPU_ISA_AVX512 | CPU_AMD | CPU_PATHS512, 126, 0.68) \
    X(CPU_ISA_AVX512 | CPU_AMD, 200, 0.68)                \
    X(CPU_ISA_AVX2 | CPU_AMD, 352, 0.71)                  \
    X(CPU_ISA_AVX512, 312, 0.65)                          \
    X(CPU_ISA_AVX2, 364, 0.71)                            \
    X(0, 1350, 0.71)
#define PLAN_PRIMES_NO_IFMA 1.15

#endif
