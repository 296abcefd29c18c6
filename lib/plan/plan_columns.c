/*
 * plan_columns.c - how many binary levels of a transform work on columns, by rules; lengths that were measured have their own.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "plan/plan.h"

#include "plan/thresholds/thresholds.h"

enum { LEAF_LEVELS = 6 };

/* Passes for this many levels; one more if a radix 2 is among them. */
static unsigned levels_cost(unsigned levels, unsigned width)
{
    bool radix2 = levels == 1 || (width == 2 && levels % 2 == 1);
    return (levels + width - 1) / width + (radix2 ? 1 : 0);
}

/* Rows are as short as PLAN_ROW_LEVELS_MAX says, but longer if a strip of columns would exceed the second-level cache. */
static unsigned row_levels(unsigned odd, unsigned log2_n)
{
    unsigned levels = PLAN_ROW_LEVELS_MAX;
    while (levels < PLAN_ROW_LEVELS_END && levels < log2_n && (size_t)odd << (log2_n - levels) > PLAN_STRIP_ROWS_MAX)
        levels++;
    return levels;
}

/*
 * A first pass fused with cutting.  It is a binary pass, which pays from some length on, or the odd one; from some length on, a
 * binary pass follows that.   NO_LEVELS: rows would be too long.
 */
enum { NO_LEVELS = 99 };

static unsigned first_pass_levels(unsigned odd, unsigned log2_n, unsigned width)
{
    const bool room = log2_n >= LEAF_LEVELS + width && log2_n <= PLAN_ONE_PASS_ROW_LEVELS + width;
    if (odd == 1 && room && log2_n >= PLAN_ONE_PASS_LEVELS)
        return width;
    if (odd > 1 && odd < 15 && room && log2_n < PLAN_ONE_PASS_ROW_LEVELS + width &&
        log2_n >= (odd <= 5 ? PLAN_TWO_PASS_LEVELS : PLAN_TWO_PASS_LEVELS_7))
        return log2_n == LEAF_LEVELS + 5 ? 2 : width; /* rows with a radix 8 instead of a radix 4 */
    if (odd > 1 && log2_n <= PLAN_ONE_PASS_ROW_LEVELS)
        return 0;
    return NO_LEVELS;
}

unsigned plan_column_levels(unsigned odd, unsigned log2_n, unsigned max_radix, bool right_angle, unsigned threads)
{
    const unsigned width = max_radix >= 8 ? 3 : 2;
    const unsigned one = first_pass_levels(odd, log2_n, width);
    if (right_angle && one != NO_LEVELS && (log2_n <= PLAN_ROW_LEVELS_MAX || (size_t)odd << one >= threads))
        return one;
    if (log2_n <= PLAN_ROW_LEVELS_MAX)
        return 0;
    unsigned least = log2_n - row_levels(odd, log2_n), best = least, best_cost = 1000;
    for (unsigned c = least; c <= least + 2 && c + LEAF_LEVELS <= log2_n; c++) {
        if (c > least && (size_t)odd << c > PLAN_STRIP_ROWS_MAX)
            break;
        unsigned cost = levels_cost(c, width) + levels_cost(log2_n - LEAF_LEVELS - c, width);
        if (cost < best_cost) {
            best = c;
            best_cost = cost;
        }
    }
    return best;
}
