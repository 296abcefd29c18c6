/* stages.c - the stages, compiled once for each instruction set.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stages/vec/vec.h"

#include "stages/stage_template.h"
