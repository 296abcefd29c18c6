/* dd_sse2.c - the stages in double-double compiled for SSE2.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stages/vec/vec_sse2.h"
#define STAGE_ISA sse2
#include "stages/dd_template.h"
