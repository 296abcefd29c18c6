/*
 * primes.h - where the CPU's products modulo primes are faster than those in double: precision auto takes them there.
 *
 * X(isa, threads, limbs): instruction set (cpu_tuning), from so many threads, and from so many limbs of the shorter operand on.
 * What has not been measured has no row.
 *
 * Provenance: bench/b-prime, double / primes.  EPYC (Zen 4), AVX-512, gcc 12.2 -O3, 2026-11-25
 * (bench/results/zen4-2/2026-11-25-prime.tsv): 0.99 at 3e6 limbs, 1.14 at 1e7, by two threads 1.20; AVX2: 0.88, 1.01.
 * 16 threads, Xeon, AVX-512, 2026-11-24 (bench/results/xeon-16/2026-11-24-prime.tsv), before decision 0045: 1.09 at 1e7 limbs,
 * 1.14 at 3e7.
 */
#ifndef GFMUL_THRESHOLDS_PRIMES_H
#define GFMUL_THRESHOLDS_PRIMES_H

#define PLAN_PRIMES_FROM(X)                  \
    X(CPU_ISA_AVX512 | CPU_AMD, 1, 10000000) \
    X(CPU_ISA_AVX512, 16, 10000000)

#endif
