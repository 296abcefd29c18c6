/*
 * plan_device_costs.c - costs of passes on devices other than the one on which their table was measured.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "plan/plan_device.h"
#include "plan/thresholds/device.h"

/* Ratios to the table's device are rounded to this step, in powers of two; below `same` they count as 1. */
static const double step = 0.25, same = 0.585; /* a factor of 1.5 */

/* ratio - the slowdown at a rate, compared with the table's device; 1 if the rate is not known. */
static double ratio(double table_rate, double rate)
{
    const double log = rate > 0 ? log2(table_rate / rate) : 0;
    return fabs(log) <= same ? 1 : exp2(step * round(log / step));
}

struct device_scale device_scale_of(const struct device_rates *rates, enum plan_field_id field)
{
    struct device_scale s = {.field = field};
    if (field == PLAN_PRIME) {
        s.memory = ratio(DEVICE_RATE_COPY_PRIMES, rates->copy);
        s.arithmetic = s.rest = ratio(DEVICE_RATE_PRODUCT, rates->product);
    } else {
        const double integers = ratio(DEVICE_RATE_PRODUCT, rates->product);
        s.memory = ratio(DEVICE_RATE_COPY, rates->copy);
        s.arithmetic = ratio(DEVICE_RATE_FMA, rates->fma);
        s.rest = s.arithmetic < integers ? s.arithmetic : integers;
    }
    return s;
}

double device_cost_of(const struct device_scale *s, double cost, double memory, double arithmetic)
{
    if (s->memory == 1 && s->arithmetic == 1 && s->rest == 1)
        return cost;
    memory = memory < cost ? memory : cost;
    const double moved = memory * s->memory + (cost - memory) * s->rest, computed = arithmetic * s->arithmetic;
    return moved > computed ? moved : computed;
}

double device_pass_cost(const struct device_scale *s, const struct device_pass *pass, enum device_place place, double cost)
{
    const bool primes = s->field == PLAN_PRIME, rows = place == DEVICE_ROWS;
    /* three transforms, two of which run a pass over columns forward; one side of a first or last pass is limbs */
    const double words = place == DEVICE_MIDDLE ? 6 : 3, levels = 3 * log2(pass->points);
    if (s->field == PLAN_DD)
        return device_cost_of(s, cost, 0, cost);
    if (primes)
        return device_cost_of(s, cost, words * 4 * 1e3 / DEVICE_RATE_COPY_PRIMES,
                              (levels / 2 + (rows ? DEVICE_ROW_PRODUCTS : 0)) * 1e3 / DEVICE_RATE_PRODUCT);
    return device_cost_of(s, cost, words * 16 * 1e3 / DEVICE_RATE_COPY,
                          (3 * levels + (rows ? DEVICE_ROW_FMAS : 0)) * 1e3 / DEVICE_RATE_FMA);
}

/*
 * Of a sum with one side kept, each product has a transform there and a share of the one back.  Rows that stop at spectra, or
 * begin there, move all points once more than a third of those that make a product.  A launch adds a block of products of
 * spectra: it reads two spectra for each product, writes the sum, and reads it before, if it is not the first one.
 */
struct device_ways device_ways_of(size_t products)
{
    if (products == 0)
        return (struct device_ways){.share = 1, .back = 1, .passes = 2, .launches = 1};
    const double back = 1.0 / (double)products, blocks = (double)((products - 1) / PLAN_SUM_BLOCK + 1);
    return (struct device_ways){(1 + back) / 3, back, 1 + back + 2 + (2 * blocks - 1) * back, 1 + back, blocks * back};
}

double device_ways_cost(const struct device_ways *w, const struct device_scale *s, double back)
{
    const double move = s->field == PLAN_PRIME ? 4 * 1e3 / DEVICE_RATE_COPY_PRIMES : 16 * 1e3 / DEVICE_RATE_COPY;
    return w->back * back + w->moves * move * s->memory;
}

double device_ways_launches(const struct device_ways *w, unsigned n_passes)
{
    return DEVICE_COST_LAUNCH * (w->passes * n_passes + w->launches);
}

bool device_is_tabled(const char *name, unsigned compute_units)
{
    if (compute_units != DEVICE_TABLED_UNITS)
        return false;
    for (const char *const *part = device_tabled; *part; part++) {
        if (strstr(name, *part))
            return true;
    }
    return false;
}

size_t device_primes_least_limbs(const struct device_rates *rates)
{
    return device_scale_of(rates, PLAN_DOUBLE).arithmetic > 1 ? 0 : DEVICE_PRIME_LIMBS;
}
