/* vec_test_sse2.c - vec_sse2.h for t-vec.c.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/cpu.h"
#include "stages/vec/vec_sse2.h"
#define VEC_TEST_ISA     sse2
#define VEC_TEST_ISA_BIT CPU_ISA_SSE2
#include "vec_test.h"
