/*
 * constants_device.c - the constants in force on devices: those of plan_device.c, which is compiled here itself.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#pragma GCC diagnostic ignored "-Wunused-function"
#include "../lib/plan/plan_device.c"

#include "constants.h"

void constants_read_device(struct bound_constants *c)
{
    static const unsigned radices[] = {3, 5, 7, 9, 15};
    for (unsigned i = 0; i < 5; i++) {
        struct plan_constants odd = {.plain = 0};
        add_odd_dd(&odd, radices[i]);
        c->device_odd_forward[radices[i]] = odd.plain;
        c->device_odd_inverse[radices[i]] = odd.inverse;
    }
    for (unsigned v = 0; v < 2; v++) { /* radix 4: both levels are one step */
        struct plan_constants four = {.plain = 0};
        add_level_dd(&four, 4, v, false);
        c->device_four_plain += four.plain;
        c->device_four_inverse += four.inverse;
        c->device_four_twiddle += four.twiddle;
    }
    struct plan_constants level = {.plain = 0};
    add_level_dd(&level, 2, 0, false);
    c->device_level_plain = level.plain;
    c->device_level_inverse = level.inverse;
    c->device_level_twiddle = level.twiddle;
    for (unsigned four = 0; four < 2; four++) {
        struct plan_constants digits = {.plain = 0};
        add_level_dd(&digits, four ? 4 : 2, 0, true);
        c->device_digits_twiddle[four] = sqrt(digits.twiddle_sq);
    }
    c->device_digits_product = DD_NARROW_PRODUCT;
    c->device_sum = DD_SUM;
    c->device_product = DD_PRODUCT;
    c->device_entry = DD_TWIDDLE;
    c->device_scale = DD_SCALE;
    for (unsigned k = 0; k < 16; k++) {
        struct plan_constants made = {.plain = 0};
        plan_constants_product(&made, ldexp(1.0, -(int)k));
        c->made_twiddle[k] = made.twiddle;
        c->made_inverse[k] = made.inverse;
    }
}
