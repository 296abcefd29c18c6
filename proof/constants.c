/*
 * constants.c - the constants in force: those of plan_bound.c and plan_dd.c, which are compiled here themselves.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#include "../lib/plan/plan_bound.c"
#include "../lib/plan/plan_dd.c"

#include "constants.h"

/* Passes in double-double of all kinds, each the only one of its plan. */
static void read_dd_kinds(struct bound_constants *c)
{
    static const unsigned radices[] = {2, 4, 8, 3, 5};
    enum { FULL, LIGHT, DOUBLE, KINDS };
    c->n_dd_kinds = 0;
    for (unsigned i = 0; i < 2 * KINDS * 5; i++) {
        const unsigned radix = radices[i % 5], kind = i / 5 % KINDS;
        for (int row = 0; row < 2 && (row == 0 || radix == 2 || radix == 4); row++) {
            struct dd_pass_kind *k = &c->dd_kind[c->n_dd_kinds++];
            *k = (struct dd_pass_kind){.fma = i / (KINDS * 5), .row = row, .light = kind == LIGHT, .in_double = kind == DOUBLE};
            k->radix = radix;
            k->digits = radix == 8 && kind == FULL;
            struct plan_shape shape = {.field = PLAN_DD, .bound.fma = k->fma, .digits.narrow = k->digits};
            shape.transform.odd = radix % 2 ? radix : 1;
            shape.transform.n_passes = 1;
            shape.transform.n_column_passes = !row;
            shape.transform.light_passes = k->light ? 2 : 0;
            shape.transform.double_passes = k->in_double;
            shape.transform.pass[0] =
                (struct plan_pass){.radix = radix, .levels = radix == 2 ? 1 : radix == 4 ? 2 : radix == 8 ? 3 : 0};
            plan_dd_pass_constants(&shape, 0, &k->forward, &k->inverse);
            sum_constants(&shape);
            k->all_back = shape.bound.constants.inverse;
            c->dd_scale[k->fma] = shape.bound.constants.scale;
        }
    }
}

void constants_read(struct bound_constants *c)
{
    for (int f = 0; f < 2; f++) {
        for (int range = 0; range < 2; range++) {
            c->forward_twiddle[f][range] = forward_twiddle[f][range ? TWIDDLE_ANY : TWIDDLE_GENTLE];
            c->inverse_twiddle[f][range] = inverse_twiddle[f][range ? TWIDDLE_ANY : TWIDDLE_GENTLE];
        }
        struct plan_constants one = {.plain = 0};
        add_level(&one, TWIDDLE_ONE, f);
        c->level_plain = one.plain;
        c->level_inverse_one = one.inverse;
        c->product[f] = product[f];
        c->table_product[f] = table_product[f];
        c->scale[f] = inexact_scale[f];
    }
    c->made_product = made_product;
    struct plan_constants made_step = {.plain = 0};
    plan_constants_product(&made_step, 0.25);
    c->made_step = made_step.plain;
    c->sqrt_half = SQRT_HALF;
    c->sqrt_two = SQRT_TWO;
    c->two_pi = TWO_PI;
    const struct plan_pass last = {.butterfly = BUTTERFLY_RADIX4, .node_points = PLAN_MADE_POINTS};
    const struct plan_pass first = {.butterfly = BUTTERFLY_RADIX4, .node_points = 4 * PLAN_MADE_POINTS};
    struct plan_constants table = {.plain = 0}, made = table;
    add_radix4(&table, &first);
    add_radix4(&made, &last);
    c->radix4_plain = table.plain;
    c->radix4_twiddle[0] = radix4_twiddle(&first);
    c->radix4_twiddle[1] = radix4_twiddle(&last);
    c->radix4_twiddle_sum[0] = table.twiddle;
    c->radix4_twiddle_sum[1] = made.twiddle;
    c->radix4_inverse[0] = table.inverse;
    c->radix4_inverse[1] = made.inverse;
    for (int f = 0; f < 2; f++) {
        c->dd_product[f] = product_error[f];
        c->dd_root[f] = digits_root[f];
        c->dd_number_product[f] = number_product[f];
        c->double_product[f] = double_product[f];
    }
    c->dd_sum = sum_error;
    for (unsigned odd = 3; odd <= 7; odd += 2) {
        c->double_odd[odd] = odd_error[odd].inverse;
        c->dd_odd_forward[odd] = odd_error[odd].forward;
    }
    for (int f = 0; f < 2; f++) {
        for (unsigned four = 0; four < 2; four++) {
            struct plan_shape shape = {.bound.fma = f, .transform = {.n_passes = 1, .n_column_passes = 1}};
            shape.transform.pass[0] = (struct plan_pass){.radix = four ? 4 : 2, .levels = four ? 2 : 1};
            plan_dd_pass_constants(&shape, 0, &c->dd_pass[f][four][0], &c->dd_pass[f][four][1]);
        }
    }
    read_dd_kinds(c);
    c->dd_light_forward = light_forward;
    c->dd_light_inverse = light_inverse;
    c->dd_entry = entry_error;
    c->double_entry = double_entry;
    c->n_odd = 0;
    for (unsigned i = 0; i < sizeof odd_constants / sizeof *odd_constants; i++) {
        struct bound_odd *odd = c->odd + c->n_odd++;
        odd->radix = odd_constants[i].radix;
        for (int f = 0; f < 2; f++) {
            odd->forward[f] = odd_constants[i].forward[f];
            odd->inverse[f] = odd_constants[i].inverse[f];
        }
    }
}
