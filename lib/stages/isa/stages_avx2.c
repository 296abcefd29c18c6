/* stages_avx2.c - the stages compiled for AVX2.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stages/vec/vec_avx2.h"
#define STAGE_ISA avx2
#define STAGE_ISA_BIT CPU_ISA_AVX2
#include "stages/stage_template.h"
