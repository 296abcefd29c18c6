/* stages_sse2.c - the stages compiled for SSE2.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stages/vec/vec_sse2.h"
#define STAGE_ISA sse2
#define STAGE_ISA_BIT CPU_ISA_SSE2
#include "stages/stage_template.h"
