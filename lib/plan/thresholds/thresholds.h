/*
 * thresholds.h - the set of thresholds of this build: minimal.h, or default.h, lengths.h and what "make tune" has measured here.
 */
#ifndef GFMUL_THRESHOLDS_CHOICE_H
#define GFMUL_THRESHOLDS_CHOICE_H

#ifdef GFMUL_MIN_THRESHOLDS
#include "plan/thresholds/minimal.h"
#else
#include "plan/thresholds/default.h"
#ifdef __has_include
#if __has_include(<gfmul-tuned.h>)
#include <gfmul-tuned.h> /* in the build directory */
#endif
#if __has_include(<gfmul-lengths.h>)
#define PLAN_LENGTHS_TUNED
#include <gfmul-lengths.h> /* likewise; instruction sets that it has not are those of: */
#endif
#endif
#include "plan/thresholds/lengths.h"
#endif

/* Instruction sets whose lengths nobody has measured; on AMD's processors, and on those of whole paths, they are as elsewhere. */
#ifndef PLAN_LENGTHS_AVX512
#define PLAN_LENGTHS_AVX512(X)
#define PLAN_LENGTHS_AVX512_UNITS 0, 0
#endif
#ifndef PLAN_LENGTHS_AVX2
#define PLAN_LENGTHS_AVX2(X)
#define PLAN_LENGTHS_AVX2_UNITS 0, 0
#endif
#ifndef PLAN_LENGTHS_AVX512_AMD
#define PLAN_LENGTHS_AVX512_AMD       PLAN_LENGTHS_AVX512
#define PLAN_LENGTHS_AVX512_AMD_UNITS PLAN_LENGTHS_AVX512_UNITS
#endif
#ifndef PLAN_LENGTHS_AVX512_AMD512
#define PLAN_LENGTHS_AVX512_AMD512       PLAN_LENGTHS_AVX512_AMD
#define PLAN_LENGTHS_AVX512_AMD512_UNITS PLAN_LENGTHS_AVX512_AMD_UNITS
#endif
#ifndef PLAN_LENGTHS_AVX2_AMD
#define PLAN_LENGTHS_AVX2_AMD       PLAN_LENGTHS_AVX2
#define PLAN_LENGTHS_AVX2_AMD_UNITS PLAN_LENGTHS_AVX2_UNITS
#endif

/* X(CPU_ISA_.., product, square, text): in place of what base/isa.def has of an instruction set. */
#ifndef GMP_CROSSOVERS_TUNED
#define GMP_CROSSOVERS_TUNED(X)
#endif

#endif
