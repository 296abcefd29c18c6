/* vec_test_avx512.c - vec_avx512.h for t-vec.c.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/cpu.h"
#include "stages/vec/vec_avx512.h"
#define VEC_TEST_ISA     avx512
#define VEC_TEST_ISA_BIT CPU_ISA_AVX512
#include "vec_test.h"
