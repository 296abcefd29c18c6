/*
 * bounds.h - Gappa scripts of the formulas of plan_bound.c: sections 6 to 8, 11 and 14.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_PROOF_BOUNDS_H
#define GFMUL_PROOF_BOUNDS_H

#include "constants.h"

void prove_bounds(const struct bound_constants *bound);

#endif
