/*
 * plan_cost.c - the cost of a transform of each length, measured or by a model.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "plan/plan.h"

#include "plan/thresholds/thresholds.h"

enum { LEAF_LEVELS = 6, LEVELS_MEASURED = 27, NEAR_POINTS = 1 << 18 };

static const struct odd_factor {
    unsigned factor;
    double cost;
} odd_factors[PLAN_ODD_FACTORS] = {
#define ODD_FACTOR(factor, first, rest, cost, minimal_cost) {factor, PLAN_COST_ODD(cost, minimal_cost)},
#include "plan/odd_factors.def"
};

unsigned plan_odd_factor(unsigned i)
{
    return i < PLAN_ODD_FACTORS ? odd_factors[i].factor : 0;
}

/* odd_place - the row of a factor in the table. */
static unsigned odd_place(unsigned odd)
{
    unsigned i = 0;
    while (odd_factors[i].factor < odd)
        i++;
    return i;
}

/* ---- the model ---- */

double plan_odd_cost(unsigned odd)
{
    return odd_factors[odd_place(odd)].cost;
}

static double binary_cost(unsigned levels, unsigned width)
{
    static const double cost[4] = {0, PLAN_COST_RADIX2, PLAN_COST_RADIX4, PLAN_COST_RADIX8};
    double sum = 0;
    while (levels > 0) { /* like add_levels */
        unsigned step = levels < width ? levels : width;
        if (step == 3 && levels == 4)
            step = 2;
        sum += cost[step];
        levels -= step;
    }
    return sum;
}

/* The extra cost per point if buffers do not fit the second-level cache. */
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
    const unsigned width = max_radix >= 8 ? 3 : 2, columns = plan_column_levels(odd, log2_n, max_radix, true, 1);
    const double n = ldexp((double)odd, (int)log2_n);
    double levels = PLAN_COST_DIGITS + plan_odd_cost(odd) + binary_cost(columns, width);
    levels += binary_cost(log2_n - LEAF_LEVELS - columns, width) + memory_cost(n);
    return PLAN_COST_TRANSFORM + n * levels;
}

/* ---- measurements ---- */

typedef struct plan_length length_rows[PLAN_ODD_FACTORS][LEVELS_MEASURED - LEAF_LEVELS];

#define LENGTH_ROW(odd, log2_n, columns, streams, ps) [PLAN_ODD_##odd][(log2_n)-LEAF_LEVELS] = {columns, streams, ps},
static const length_rows rows_avx512 = {PLAN_LENGTHS_AVX512(LENGTH_ROW)}, rows_avx2 = {PLAN_LENGTHS_AVX2(LENGTH_ROW)};
static const length_rows rows_avx512_amd = {PLAN_LENGTHS_AVX512_AMD(LENGTH_ROW)};
static const length_rows rows_avx512_amd512 = {PLAN_LENGTHS_AVX512_AMD512(LENGTH_ROW)};
static const length_rows rows_avx2_amd = {PLAN_LENGTHS_AVX2_AMD(LENGTH_ROW)};

static const struct length_table {
    unsigned isa;
    const length_rows *rows;
    double unit, beyond; /* picoseconds per point and unit of cost, in each of three transforms; at the longest lengths */
} tables[] = {{CPU_ISA_AVX512, &rows_avx512, PLAN_LENGTHS_AVX512_UNITS},
              {CPU_ISA_AVX2, &rows_avx2, PLAN_LENGTHS_AVX2_UNITS},
              {CPU_ISA_AVX512 | CPU_AMD, &rows_avx512_amd, PLAN_LENGTHS_AVX512_AMD_UNITS},
              {CPU_ISA_AVX512 | CPU_AMD | CPU_PATHS512, &rows_avx512_amd512, PLAN_LENGTHS_AVX512_AMD512_UNITS},
              {CPU_ISA_AVX2 | CPU_AMD, &rows_avx2_amd, PLAN_LENGTHS_AVX2_AMD_UNITS}};

static const struct length_table *table_of(unsigned isa)
{
    for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i].isa == isa)
            return &tables[i];
    return NULL;
}

const struct plan_length *plan_length(unsigned isa, unsigned odd, unsigned log2_n)
{
    const struct length_table *const table = table_of(isa);
    const unsigned i = odd_place(odd);
    if (!table || log2_n >= LEVELS_MEASURED || (*table->rows)[i][log2_n - LEAF_LEVELS].ps == 0)
        return NULL;
    return &(*table->rows)[i][log2_n - LEAF_LEVELS];
}

double plan_cost_unit_ps(const struct plan_request *request)
{
    const struct length_table *const table = table_of(request->isa);
    return (table && table->unit > 0 ? table->unit : PLAN_COST_UNIT_PS) * plan_rate(request->rates.points);
}

double plan_touch_ps(const struct plan_request *request, double bytes)
{
    static const struct {
        unsigned isa;
        double ps;
    } rates[] = {
#define RATE(...) {__VA_ARGS__},
        PLAN_TOUCH_RATES(RATE)
#undef RATE
    };
    unsigned i = 0;
    while (rates[i].isa != 0 && rates[i].isa != request->isa)
        i++;
    /* plans of what no memory holds are compared, too */
    const double touched = bytes < (double)(SIZE_MAX / 2) ? (double)alloc_block_bytes((size_t)bytes) : bytes;
    return rates[i].ps * touched * plan_rate(request->rates.touch);
}

bool plan_is_tabled(unsigned isa, const struct cpu_model *model)
{
#ifdef PLAN_LENGTHS_TUNED
    (void)isa, (void)model;
    return true;
#else
    static const struct {
        unsigned isa;
        enum cpu_vendor vendor;
        unsigned family, first, last;
    } rows[] = {
#define PROCESSOR(...) {__VA_ARGS__},
        PLAN_PROCESSORS(PROCESSOR)
#undef PROCESSOR
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].isa == isa && rows[i].vendor == model->vendor && rows[i].family == model->family &&
            rows[i].first <= model->model && model->model <= rows[i].last)
            return true;
    return false;
#endif
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
