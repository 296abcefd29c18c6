/* vec_test_avx2.c - vec_avx2.h for t-vec.c.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/cpu.h"
#include "stages/vec/vec_avx2.h"
#define VEC_TEST_ISA     avx2
#define VEC_TEST_ISA_BIT CPU_ISA_AVX2
#include "vec_test.h"
