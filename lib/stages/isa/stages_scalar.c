/* stages_scalar.c - the stages for any machine: plain C, one double at a time.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stages/vec/vec_scalar.h"
#define STAGE_ISA scalar
#define STAGE_ISA_BIT CPU_ISA_SCALAR
#include "stages/stage_template.h"
