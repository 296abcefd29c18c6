/* vec_test_neon.c - vec_neon.h for t-vec.c.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/cpu.h"
#include "stages/vec/vec_neon.h"
#define VEC_TEST_ISA     neon
#define VEC_TEST_ISA_BIT CPU_ISA_NEON
#include "vec_test.h"
