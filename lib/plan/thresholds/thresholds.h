/*
 * thresholds.h - the set of thresholds of this build: minimal.h, or default.h and what "make tune" has measured here.
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
#endif
#endif

/* Rows as those of GMP_CROSSOVERS; the last row of an instruction set holds. */
#ifndef GMP_CROSSOVERS_TUNED
#define GMP_CROSSOVERS_TUNED(X)
#endif

#endif
