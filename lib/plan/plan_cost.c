/*
 * plan_cost.c - what a transform of each length costs: as measured, or by a model.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "base/cpu.h"
#include "plan/plan.h"

#include "plan/thresholds/thresholds.h"

enum { LEAF_LEVELS = 6, LEVELS_MEASURED = 27, NEAR_POINTS = 1 << 18 };

/* From 105 * 64 points on no length is more than an eighth longer than the one before. */
enum { ODD_1, ODD_3, ODD_5, ODD_7, ODD_9, ODD_15, ODD_21, ODD_45, ODD_105, ODD_FACTORS };
static const unsigned odd_factors[ODD_FACTORS] = {1, 3, 5, 7, 9, 15, 21, 45, 105};

unsigned plan_odd_factor(unsigned i)
{
    return i < ODD_FACTORS ? odd_factors[i] : 0;
}

/* ---- the model ---- */

static double binary_cost(unsigned levels, unsigned width)
{
    static const double cost[4] = {0, PLAN_COST_RADIX2, PLAN_COST_RADIX4, PLAN_COST_RADIX8};
    double sum = 0;
    while (levels > 0) { /* as add_levels */
        unsigned step = levels < width ? levels : width;
        if (step == 3 && levels == 4)
            step = 2;
        sum += cost[step];
        levels -= step;
    }
    return sum;
}

static double odd_cost(unsigned odd)
{
    switch (odd) {
    case 1:
        return 0;
    case 3:
        return PLAN_COST_ODD3;
    case 5:
        return PLAN_COST_ODD5;
    case 7:
        return PLAN_COST_ODD7;
    case 9:
        return PLAN_COST_ODD9;
    case 15:
        return PLAN_COST_ODD15;
    case 21:
        return PLAN_COST_ODD21;
    case 45:
        return PLAN_COST_ODD45;
    default:
        return PLAN_COST_ODD105;
    }
}

/* What a point costs more because buffers are not in the second-level cache. */
static double memory_cost(double n)
{
    const double beyond = n / PLAN_CACHE_POINTS - 1.0;
    if (!(beyond > 0))
        return 0;
    const double near = PLAN_COST_MEMORY * (beyond < 1.0 ? beyond : 1.0), doublings = log2(n / (2.0 * PLAN_CACHE_POINTS));
    if (doublings >= PLAN_FAR_LEVELS)
        return near + PLAN_COST_FAR * PLAN_FAR_LEVELS + PLAN_COST_STREAM;
    return near + (doublings > 0 ? PLAN_COST_FAR * doublings : 0);
}

double plan_model_cost(unsigned odd, unsigned log2_n, unsigned max_radix)
{
    const unsigned width = max_radix >= 8 ? 3 : 2, columns = plan_column_levels(odd, log2_n, max_radix);
    const double n = ldexp((double)odd, (int)log2_n);
    double levels = PLAN_COST_DIGITS + odd_cost(odd) + binary_cost(columns, width);
    levels += binary_cost(log2_n - LEAF_LEVELS - columns, width) + memory_cost(n);
    return PLAN_COST_TRANSFORM + n * levels;
}

/* ---- what has been measured ---- */

typedef struct plan_length length_rows[ODD_FACTORS][LEVELS_MEASURED - LEAF_LEVELS];

#define LENGTH_ROW(odd, log2_n, columns, streams, ps) [ODD_##odd][(log2_n)-LEAF_LEVELS] = {columns, streams, ps},
static const length_rows rows_avx512 = {PLAN_LENGTHS_AVX512(LENGTH_ROW)};
static const length_rows rows_avx2 = {PLAN_LENGTHS_AVX2(LENGTH_ROW)};

static const struct length_table {
    const length_rows *rows;
    double unit, beyond; /* picoseconds of a point for a unit of cost in each of three transforms; at the longest lengths */
} tables[] = {{&rows_avx512, PLAN_LENGTHS_AVX512_UNITS}, {&rows_avx2, PLAN_LENGTHS_AVX2_UNITS}};

static const struct length_table *table_of(unsigned isa)
{
    return isa == CPU_ISA_AVX512 ? &tables[0] : isa == CPU_ISA_AVX2 ? &tables[1] : NULL;
}

const struct plan_length *plan_length(unsigned isa, unsigned odd, unsigned log2_n)
{
    const struct length_table *const table = table_of(isa);
    unsigned i = 0;
    while (odd_factors[i] < odd)
        i++;
    if (!table || log2_n >= LEVELS_MEASURED || (*table->rows)[i][log2_n - LEAF_LEVELS].ps == 0)
        return NULL;
    return &(*table->rows)[i][log2_n - LEAF_LEVELS];
}

double plan_transform_cost(unsigned odd, unsigned log2_n, unsigned max_radix, unsigned isa)
{
    const struct length_table *const table = table_of(isa);
    const struct plan_length *const length = plan_length(isa, odd, log2_n);
    if (length)
        return ldexp((double)odd * length->ps / (3.0 * table->unit), (int)log2_n);
    const double model = plan_model_cost(odd, log2_n, max_radix);
    const bool beyond = table && table->unit > 0 && ldexp((double)odd, (int)log2_n) > NEAR_POINTS;
    return beyond ? model * table->beyond / table->unit : model;
}
