/*
 * devices.h - the passes of OpenCL devices, traced from kernels/; their Gappa scripts.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_PROOF_DEVICES_H
#define GFMUL_PROOF_DEVICES_H

#include "constants.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Forms of twiddles as in prelude.cl. */
enum device_form { DEVICE_RATIO, DEVICE_PRODUCT };

/* A point's parts; minus: what is meant is minus the node. */
struct device_point {
    vec re, im;
    bool minus_re, minus_im;
};

/* Of fft_radix.cl and prelude.cl: each works on points x; c, s: parts of twiddles. */
void device_split(struct device_point *x, vec c, vec s, int turn, enum device_form form);
void device_split_real(struct device_point *x, vec c, vec s);
void device_join(struct device_point *x, vec c, vec s, int turn, enum device_form form);
void device_node(struct device_point *x, const vec *c, const vec *s, unsigned radix, enum device_form form, bool inverse);
void device_dft(struct device_point *x, unsigned radix, double sign);
void device_leaf(struct device_point *x, vec c, vec s, unsigned leaf, enum device_form form); /* of a radix 4 */
void device_product(struct device_point *x, vec c, vec s);

/* The same of complex_dd.cl, over its operations, each a sum or a product with an error in units of u^2. */
struct device_errors {
    double sum, double_sum, number_product, double_product, product, digits_product;
};
void device_dd_split(struct device_point *x, vec c, vec s, const struct device_errors *e);
void device_dd_join(struct device_point *x, vec c, vec s, const struct device_errors *e);
void device_dd_split_real(struct device_point *x, vec c, vec s, const struct device_errors *e);
void device_dd_split_4(struct device_point *x, const vec *c, const vec *s, const struct device_errors *e);
void device_dd_split_digits(struct device_point *x, vec c, bool real, const struct device_errors *e);
void device_dd_split_4_digits(struct device_point *x, const vec *c, const vec *s, bool real, const struct device_errors *e);
void device_dd_digits_dft(struct device_point *x, unsigned radix, const struct device_errors *e);
void device_dd_join_4(struct device_point *x, const vec *c, const vec *s, const struct device_errors *e);
void device_dd_dft(struct device_point *x, unsigned radix, double sign, const struct device_errors *e);

/* device_constant - called of each constant of a radix in double-double: both parts. */
void device_constant(double first, double rest);

/* prove_devices - all scripts. */
void prove_devices(const struct bound_constants *bound);

#ifdef __cplusplus
}
#endif

#endif
