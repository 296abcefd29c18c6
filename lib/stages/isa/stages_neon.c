/* stages_neon.c - the stages compiled for NEON.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stages/vec/vec_neon.h"
#define STAGE_ISA neon
#define STAGE_ISA_BIT CPU_ISA_NEON
#include "stages/stage_template.h"
