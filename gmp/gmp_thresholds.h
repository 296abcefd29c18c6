/*
 * gmp_thresholds.h - from which sizes on GMP's products are the engine's: GMP_LIMITS(name, mul, sqr, mulmod, sqrmod), fields of
 * struct gmp_limits.  The name is that of the short products of lib/short, else of the instruction set.  With short products, mul
 * and sqr are those of a short operand with a long one.
 *
 * Provenance: AVX2 and SSE2: bench/b-gmp_dropin against GMP 6.2.1 on a busy Zen 3, gcc 12.2 -O3, 2026-11-24; a tenth above the
 * size from which on the engine was faster.  With SSE2 it is slower than GMP's products modulo B^n - 1 up to 3e5 limbs.  AVX-512
 * and NEON are estimates by the crossovers of base/isa.def.  Scalar code is not worth a call.
 * ifma, fma: the same on a busy Zen 4, 2026-11-27.  ifma_wrapped, a Zen 5, and ifma_once, Intel: those of ifma.
 */

/* None of them is lower: below it the engine need not be loaded. */
#ifndef GMP_LIMITS_LEAST
#define GMP_LIMITS_LEAST 75
#endif

#ifdef GMP_LIMITS
/* clang-format off */
GMP_LIMITS(ifma,             120,     150,    1600,     2400)
GMP_LIMITS(ifma_wrapped,     120,     150,    1600,     2400)
GMP_LIMITS(ifma_once,        120,     150,    1600,     2400)
GMP_LIMITS(fma,               75,      75,     600,      700)
GMP_LIMITS(avx512,           210,     220,     450,      580)
GMP_LIMITS(avx2,             320,     330,     700,      900)
GMP_LIMITS(neon,            1100,    1000, SIZE_MAX, SIZE_MAX)
GMP_LIMITS(sse2,            1500,    1300, SIZE_MAX, SIZE_MAX)
GMP_LIMITS(scalar,       SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX)
#undef GMP_LIMITS
#endif
