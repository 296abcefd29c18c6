/*
 * pairs.h - Gappa scripts of the operations of double-double.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_PROOF_PAIRS_H
#define GFMUL_PROOF_PAIRS_H

#include <stdbool.h>

/* In units of u^2: a b + c d over |a b| + |c d|, but for u^2 times the result; products; the sums of a light radix 4; sums. */
struct pair_errors {
    double dot, number_product, double_product, light_inverse, sum, sum_double;
};

void prove_pairs(bool fma, const struct pair_errors *e);

#endif
