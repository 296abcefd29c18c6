/*
 * bounds.h - Gappa scripts of the formulas of plan_bound.c: sections 6 to 8, 11 and 14.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_PROOF_BOUNDS_H
#define GFMUL_PROOF_BOUNDS_H

#include "constants.h"

void prove_bounds(const struct bound_constants *bound);

/* prove_cyclic_points - section 14: the products of points that the formulas are about. */
void prove_cyclic_points(void);

#endif
