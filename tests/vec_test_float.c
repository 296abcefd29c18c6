/* vec_test_float.c - a vector header in float for t-vec.c.  SPDX-License-Identifier: LGPL-3.0-or-later */
#define VEC_FLOAT
#include "stages/vec/vec.h"

#include "base/cpu.h"
#include "vec_test.h"
#include "vec_test_lanes.h"

extern const struct vec_lanes ISA_NAME(vec_lanes_float_);
const struct vec_lanes ISA_NAME(vec_lanes_float_) = {VEC_WIDTH, VEC_HAS_FMA, vec_lanes_op};
