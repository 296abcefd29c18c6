/*
 * pairs.h - Gappa scripts of the operations of double-double.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_PROOF_PAIRS_H
#define GFMUL_PROOF_PAIRS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In units of u^2: a b + c d over |a b| + |c d|, but for u^2 times the result; products; the sums of a light radix 4; sums. */
struct pair_errors {
    double dot, number_product, double_product, light_inverse, sum, sum_double;
};

void prove_pairs(bool fma, const struct pair_errors *e);

/* The same for the operations of kernels/complex_dd.cl, which are traced by devices_pairs.cc. */
struct device_pair_errors {
    double dot, dot_doubles, number_product, double_product, sum, sum_double;
};
void prove_device_pairs(const struct device_pair_errors *e);

/* pair_record - the node of an operation of opencl.h (RECORD_...). */
int pair_record(int op, int a, int b, int c);

/* Nodes of both parts. */
struct pair_number {
    int h, l;
};
struct pair_number device_pair_add(struct pair_number a, struct pair_number b);
struct pair_number device_pair_sub(struct pair_number a, struct pair_number b);
struct pair_number device_pair_add_double(struct pair_number a, int b);
struct pair_number device_pair_mul(struct pair_number a, struct pair_number b);
struct pair_number device_pair_mul_double(struct pair_number a, int b);
struct pair_number device_pair_dot(struct pair_number a, struct pair_number b, struct pair_number c, struct pair_number d);
struct pair_number device_pair_cross(struct pair_number a, struct pair_number b, struct pair_number c, struct pair_number d);
struct pair_number device_pair_dot_doubles(struct pair_number a, int b, struct pair_number c, int d);
struct pair_number device_pair_cross_doubles(struct pair_number a, int b, struct pair_number c, int d);

#ifdef __cplusplus
}
#endif

#endif
