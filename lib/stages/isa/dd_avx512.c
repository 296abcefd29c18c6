/* dd_avx512.c - the stages in double-double compiled for AVX512.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stages/vec/vec_avx512.h"
#define STAGE_ISA avx512
#include "stages/dd_template.h"
