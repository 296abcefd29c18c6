/* dd_stages.c - the stages in double-double, for each instruction set.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stages/vec/vec.h"

#include "dd/dd_template.h"
