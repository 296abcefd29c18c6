/* dd_neon.c - the stages in double-double compiled for NEON.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stages/vec/vec_neon.h"
#define STAGE_ISA neon
#include "stages/dd_template.h"
