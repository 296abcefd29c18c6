/*
 * levels.h - Gappa scripts of the passes in double-double: sections 19.4, 19.9 and 19.11.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_PROOF_LEVELS_H
#define GFMUL_PROOF_LEVELS_H

#include <stdbool.h>

#include "constants.h"

void prove_levels(bool fma, const struct bound_constants *bound);

#endif
