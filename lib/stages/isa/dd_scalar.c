/* dd_scalar.c - the stages in double-double compiled for any machine.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stages/vec/vec_scalar.h"
#define STAGE_ISA scalar
#include "stages/dd_template.h"
