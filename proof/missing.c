/*
 * missing.c - what the table of the fields names, and the proofs do not call.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>

#define MISSING(name) \
    void name(void)   \
    {                 \
        abort();      \
    }
MISSING(plan_cost_unit_ps)
MISSING(plan_pass_add)
MISSING(plan_shape_points)
MISSING(plan_table_doubles)
MISSING(plan_transform_cost)
MISSING(plan_twiddle_build)
MISSING(root_dd)
MISSING(root_maker_create)
MISSING(root_maker_destroy)
