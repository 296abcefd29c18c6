/* vec_test_scalar.c - vec_scalar.h for t-vec.c.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/cpu.h"
#include "stages/vec/vec_scalar.h"
#define VEC_TEST_ISA     scalar
#define VEC_TEST_ISA_BIT CPU_ISA_SCALAR
#include "vec_test.h"
