/* stages_avx512.c - the stages compiled for AVX512.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stages/vec/vec_avx512.h"
#define STAGE_ISA avx512
#define STAGE_ISA_BIT CPU_ISA_AVX512
#include "stages/stage_template.h"
