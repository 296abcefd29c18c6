/*
 * plan_passes.c - the passes of a transform: which of them work on columns, how long rows are, how many branches there are.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/cpu.h"
#include "plan/plan.h"
#include "plan/plan_twiddle.h"

#include "plan/thresholds/thresholds.h"

enum { LEAF_LEVELS = 6 };

void plan_pass_add(struct plan_shape *shape, unsigned radix, unsigned levels, unsigned *depth)
{
    struct plan_pass *pass = &shape->transform.pass[shape->transform.n_passes++];
    pass->radix = radix;
    pass->levels = levels;
    pass->butterfly = BUTTERFLY_NESTED;
    pass->depth = *depth;
    pass->n_nodes = shape->transform.n_passes == 1 ? 1 : pass[-1].n_nodes * pass[-1].radix;
    pass->node_points = shape->transform.n_points / pass->n_nodes;
    *depth += levels;
}

/* Use the largest radices first, and radix 2 only if a single level is left. */
static void add_levels(struct plan_shape *shape, unsigned levels, unsigned width, unsigned *depth)
{
    while (levels > 0) {
        unsigned step = levels < width ? levels : width;
        if (step == 3 && levels == 4)
            step = 2;
        plan_pass_add(shape, 1u << step, step, depth);
        levels -= step;
    }
}

/* takes_radix4 - whether binary passes are of true radix 4.  Cyclic packings cannot, because they pair leaves as in radix 8. */
static bool takes_radix4(const struct plan_shape *shape)
{
    return shape->transform.packing == GFMUL_PACKING_RIGHT_ANGLE && shape->butterfly != BUTTERFLY_NESTED;
}

enum plan_butterfly plan_butterfly(unsigned isa, enum plan_butterfly has)
{
    static const unsigned nested[] = {PLAN_NESTED_ISAS};
    for (unsigned i = 0; i < sizeof nested / sizeof *nested; i++)
        if (nested[i] == isa)
            return BUTTERFLY_NESTED;
    return has;
}

/* add_mixed - a pass of three levels: true radix 4 and a nested step. */
static void add_mixed(struct plan_shape *shape, unsigned *depth)
{
    plan_pass_add(shape, 8, 3, depth);
    shape->transform.pass[shape->transform.n_passes - 1].butterfly = BUTTERFLY_MIXED;
}

/*
 * add_whole - an even number of levels by true radix 4.  Above mixed leaves as many passes as possible are mixed, so that fewer
 * passes go through the caches.   most: levels of a pass.
 */
static void add_whole(struct plan_shape *shape, unsigned levels, unsigned most, unsigned *depth)
{
    while (shape->butterfly == BUTTERFLY_ABOVE && shape->transform.n_passes > 0 && most >= 3 && levels >= 6) {
        add_mixed(shape, depth);
        add_mixed(shape, depth);
        levels -= 6;
    }
    for (; levels > 0; levels -= 2) {
        plan_pass_add(shape, 4, 2, depth);
        shape->transform.pass[shape->transform.n_passes - 1].butterfly = BUTTERFLY_RADIX4;
    }
}

/*
 * add_radix4 - levels of columns, or of rows, by true radix 4.  An odd level is part of a nested pass, or above mixed leaves of a
 * mixed one.  The root is nested, with all levels that width allows, because digits are real and the upper half may be zero.
 */
static void add_radix4(struct plan_shape *shape, unsigned levels, unsigned most, unsigned *depth)
{
    const bool root = shape->transform.n_passes == 0;
    unsigned nested = root || levels % 2 == 1 ? (levels < most ? levels : most) : 0;
    if (nested > 0 && (levels - nested) % 2 == 1)
        nested--;
    if (nested == 3 && !root && shape->butterfly == BUTTERFLY_ABOVE)
        add_mixed(shape, depth);
    else if (nested > 0)
        plan_pass_add(shape, 1u << nested, nested, depth);
    add_whole(shape, levels - nested, most, depth);
}

/* add_leaf - the leaf of 64 points, by nested steps. */
static void add_leaf(struct plan_shape *shape, unsigned *depth)
{
    plan_pass_add(shape, 8, 3, depth);
    plan_pass_add(shape, 8, 3, depth);
}

/*
 * add_rows_radix4 - rows that fit the first-level cache have their odd level in a radix 2, others in a radix 8; above leaves of
 * 64 points all have it in a radix 8.
 */
static void add_rows_radix4(struct plan_shape *shape, unsigned levels, unsigned width, unsigned *depth)
{
    const bool leaf = shape->butterfly == BUTTERFLY_ABOVE;
    const bool near = !leaf && shape->transform.n_passes > 0 && (size_t)1 << levels <= PLAN_NEAR_ROW_POINTS;
    const unsigned above = levels - LEAF_LEVELS;
    if (above > 0)
        add_radix4(shape, above, near ? 1 : width, depth);
    if (leaf) {
        add_mixed(shape, depth);
        add_mixed(shape, depth);
    } else
        add_whole(shape, LEAF_LEVELS, width, depth);
}

/* Which radices of odd passes have code for the first of two passes.  All radices of a factor must exist. */
enum {
    TURNED_1 = 0,
#define ODD_RADIX(radix, turned, ...) TURNED_##radix = (turned),
#include "plan/odd_factors.def"
};
#define ODD_FACTOR(factor, first, rest, ...)                                                                   \
    _Static_assert((factor) == (first) * (rest) && TURNED_##rest >= 0 && (TURNED_##first == 1 || (rest) == 1), \
                   "passes of the factor " #factor);
#include "plan/odd_factors.def"

/* The first pass of an odd factor: the factor itself, or one of two coprime radices. */
static unsigned odd_first(unsigned odd)
{
    switch (odd) {
#define ODD_FACTOR(factor, first, ...) \
    case factor:                       \
        return first;
#include "plan/odd_factors.def"
    }
    return odd;
}

void plan_shape_columns(struct plan_shape *shape, unsigned odd, unsigned log2_n, unsigned max_radix, unsigned columns)
{
    const unsigned width = max_radix >= 8 ? 3 : 2;
    unsigned depth = 0;
    shape->transform.odd = odd;
    shape->transform.log2_n = log2_n;
    shape->transform.n_points = (size_t)odd << log2_n;
    shape->transform.n_digits =
        shape->transform.packing == GFMUL_PACKING_TWO_FOR_ONE ? shape->transform.n_points : 2 * shape->transform.n_points;
    shape->transform.n_passes = 0;
    shape->grid.n_branches = 1;
    if (odd > 1) {
        const unsigned first = odd_first(odd);
        plan_pass_add(shape, first, 0, &depth);
        if (first < odd)
            plan_pass_add(shape, odd / first, 0, &depth);
    }
    if (takes_radix4(shape) && columns > 0)
        add_radix4(shape, columns, width, &depth);
    else
        add_levels(shape, columns, width, &depth);
    shape->transform.n_column_passes = shape->transform.n_passes;
    if (takes_radix4(shape)) {
        add_rows_radix4(shape, log2_n - columns, width, &depth);
    } else {
        add_levels(shape, log2_n - LEAF_LEVELS - columns, width, &depth);
        add_leaf(shape, &depth);
    }

    shape->transform.n_rows = (size_t)odd << columns;
    shape->transform.row_points = shape->transform.n_points / shape->transform.n_rows;
    shape->transform.row_stride = 2 * shape->transform.row_points;
    if (shape->transform.n_rows > 1 && shape->transform.row_points * 2 * sizeof(double) >= PLAN_PAD_ROW_BYTES)
        shape->transform.row_stride += shape->transform.n_points < PLAN_PAD_FAR_POINTS ? PLAN_PAD_DOUBLES : PLAN_PAD_FAR_DOUBLES;
    shape->transform.streams =
        shape->transform.n_rows * shape->transform.row_stride * sizeof(double) > PLAN_STREAM_BYTES && plan_can_stream(shape);
    /* at least eight leaves below each t; without FMA the exact products for the entries are expensive */
    shape->transform.leaf_short =
        log2_n >= PLAN_SHORT_LEVELS_MIN && !plan_has_units(shape) &&
        shape->transform.n_points >= (size_t)PLAN_SHORT_TABLE_POINTS * (shape->bound.fma ? 1 : PLAN_SHORT_TABLE_NO_FMA);
}

bool plan_can_stream(const struct plan_shape *shape)
{
    return shape->transform.n_column_passes > 0 && shape->transform.pass[shape->transform.n_column_passes - 1].levels > 0;
}

void plan_shape_points(struct plan_shape *shape, unsigned odd, unsigned log2_n, unsigned max_radix)
{
    const bool right_angle = shape->transform.packing == GFMUL_PACKING_RIGHT_ANGLE;
    const struct plan_length *length = right_angle ? plan_length(shape->isa, odd, log2_n) : NULL;
    if (length && (log2_n <= PLAN_ROW_LEVELS_MAX || (size_t)odd << length->columns >= shape->transform.row_threads)) {
        plan_shape_columns(shape, odd, log2_n, max_radix, length->columns);
        shape->transform.streams = length->streams && plan_can_stream(shape);
        return;
    }
    plan_shape_columns(shape, odd, log2_n, max_radix,
                       plan_column_levels(odd, log2_n, max_radix, right_angle, shape->transform.row_threads));
}

unsigned plan_branches(const struct plan_shape *shape, unsigned i)
{
    const unsigned radix = shape->transform.pass[0].radix, pairs = radix % 2 == 0 && radix > 2 ? radix / 2 : 0;
    if (i == 0)
        return 1;
    if (shape->transform.packing != GFMUL_PACKING_RIGHT_ANGLE || shape->transform.n_column_passes == 0 || i > 2)
        return 0;
    return i == 1 ? (pairs ? pairs : radix) : pairs ? radix : 0;
}
