/* dd_avx2.c - the stages in double-double compiled for AVX2.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stages/vec/vec_avx2.h"
#define STAGE_ISA avx2
#include "stages/dd_template.h"
