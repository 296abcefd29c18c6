/*
 * constants.h - the constants in force, for proofs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_PROOF_CONSTANTS_H
#define GFMUL_PROOF_CONSTANTS_H

#include <stdbool.h>

/* [f]: without FMA, with it; [range]: twiddles within 45 degrees, anywhere; [made]: twiddles from tables, or made of two. */
struct bound_odd {
    unsigned radix;
    double forward[2], inverse[2];
};
struct bound_constants {
    double forward_twiddle[2][2], inverse_twiddle[2][2], level_plain, level_inverse_one;
    double product[2], table_product[2], scale[2], made_product;
    double radix4_plain, radix4_twiddle[2], radix4_twiddle_sum[2], radix4_inverse[2];
    double dd_sum, dd_product[2], dd_root[2], dd_number_product[2], dd_light_forward, dd_light_inverse, dd_entry;
    double double_product[2], double_entry, double_odd[8], dd_odd_forward[8]; /* [radix] */
    double dd_pass[2][2][2];                                                  /* [f][radix 4][backwards] of a column, full */
    struct dd_pass_kind {
        bool fma, row, light, in_double, digits; /* digits: the root, on digits */
        unsigned radix;
        double forward, inverse, all_back; /* all_back: with what a plan of it adds */
    } dd_kind[64];
    unsigned n_dd_kinds;
    double dd_scale[2];
    double made_step, sqrt_half, sqrt_two, two_pi;                            /* 18.2; rounded up */
    /* devices; [radix]; [k]: a twiddle that is a product, of the angle 2^-k */
    double device_sum, device_product, device_entry, device_scale, device_odd_forward[16], device_odd_inverse[16];
    double device_digits_product, device_digits_twiddle[2]; /* of radix 2 and 4 */
    double device_level_plain, device_level_inverse, device_level_twiddle;
    double device_four_plain, device_four_inverse, device_four_twiddle, made_twiddle[16], made_inverse[16];
    struct bound_odd odd[8];
    unsigned n_odd;
};

void constants_read(struct bound_constants *c);
void constants_read_device(struct bound_constants *c);

#endif
