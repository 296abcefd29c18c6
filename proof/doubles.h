/*
 * doubles.h - Gappa scripts of the inverse passes in double of products in double-double: section 19.6.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_PROOF_DOUBLES_H
#define GFMUL_PROOF_DOUBLES_H

#include <stdbool.h>

#include "constants.h"

void prove_doubles(bool fma, const struct bound_constants *bound);

#endif
