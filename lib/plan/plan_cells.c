/*
 * plan_cells.c - rule knuth beyond one transform: operands are cut into cells whose transforms satisfy the rule.
 *
 * a = sum of a_i X^i, b = sum of b_j X^j with X = B^P, P = n digits per cell.  Each cell is transformed once.  The products of
 * spectra that belong to the same power of X are added before their single transform back.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "plan/plan_dd.h"
#include "plan/plan_search.h"
#include "plan/thresholds/thresholds.h"

/* With levels in double, digits down to so many bits less than the rule leaves, itself included, are candidates. */
enum { CELL_DIGITS = 8 };

static size_t cells_of(size_t digits, size_t cell)
{
    return digits / cell + (digits % cell != 0);
}

/* double_levels - levels of each transform back that run in double. */
static unsigned double_levels(const struct plan_shape *s)
{
    unsigned levels = 0;
    for (unsigned p = 0; p < s->transform.double_passes; p++)
        levels += s->transform.pass[p].levels;
    return levels;
}

/* In the unit of plan_dd_cost, with so many levels of each transform back in double (plan_dd_schedule). */
static double cells_cost(const struct plan_shape *s, unsigned levels_in_double)
{
    const double a = (double)s->grid.a_cells, b = (double)s->grid.b_cells, points = (double)s->transform.n_points;
    const double transform = plan_dd_cost(s->transform.odd, s->transform.log2_n);
    const double saved = (double)levels_in_double * (PLAN_DD_COST_LEVEL - PLAN_DD_COST_LEVEL_DOUBLE) * points;
    return (a + (s->square ? 0.0 : b)) * transform + (a + b - 1.0) * (transform - saved) + a * b * PLAN_DD_COST_PRODUCT * points;
}

/* ---- candidates ---- */

static bool cells_begin(struct plan_search *s)
{
    const struct plan_request *request = s->request;
    struct plan_shape *start = &s->shape;
    start->rule = request->rule;
    start->transform.packing = GFMUL_PACKING_RIGHT_ANGLE;
    start->field = PLAN_DD;
    start->digits.base = request->base;
    start->square = request->square;
    start->bound.fma = request->fma;
    start->transform.row_threads = request->threads;
    start->isa = request->isa;
    start->butterfly = request->butterfly;
    start->digits.narrow = !request->full_precision;
    s->unit_ps = plan_cost_unit_ps(request);
    s->binary = true;
    return request->rule == GFMUL_RULE_KNUTH && request->base == 2 && !request->kept && !s->wraps;
}

/*
 * Choice i: the longest digits that the rule leaves at a length.  If levels may be in double, shorter ones as well, because they
 * let more levels be (section 19.6).  Operands are cut to fit, so no length is too short.
 */
static bool cells_digits(struct plan_search *s, unsigned i)
{
    const unsigned choices = s->request->full_precision ? 1 : CELL_DIGITS;
    const unsigned mu = s->field->mu, log2_n = DD_LEVELS_MIN + i / choices, shorter = i % choices;
    struct plan_digits *d = &s->shape.digits;
    if (4 * (log2_n + 1) + 2 > mu)
        return false;
    const unsigned l = (mu - 4 * (log2_n + 1)) / 2, most = l < DD_DIGIT_BITS ? l : DD_DIGIT_BITS; /* m = log2_n + 1: 2n digits */
    d->exponent = most > shorter ? most - shorter : 1;
    d->digit_base = (uint64_t)1 << d->exponent;
    d->bits = d->exponent;
    s->levels_first = s->levels_last = log2_n;
    s->whole_points = (size_t)1 << log2_n;
    return true;
}

static enum plan_cover cells_cover(struct plan_search *s, unsigned odd, unsigned log2_n)
{
    struct plan_shape *shape = &s->shape;
    shape->transform.double_passes = 0;
    plan_shape_points_dd(shape, odd, log2_n);
    shape->digits.an = shape->digits.bn = shape->grid.cell_digits = shape->transform.n_points;
    shape->grid.a_cells = cells_of(s->long_size / shape->digits.exponent + 1, shape->digits.an);
    shape->grid.b_cells = cells_of(s->short_size / shape->digits.exponent + 1, shape->digits.bn);
    s->cost_ps = s->unit_ps * cells_cost(shape, log2_n);
    return COVER;
}

static enum plan_verdict cells_admit(struct plan_search *s, unsigned odd, unsigned log2_n)
{
    struct plan_shape *shape = &s->shape;
    (void)odd, (void)log2_n; /* the passes are there */
    if (!plan_knuth_holds(shape) || !plan_dd_carries_fit(shape) || !(plan_bound_sums(shape, NULL) < 0.5))
        return VERDICT_REFUSED;
    if (!s->request->full_precision)
        plan_dd_schedule(shape, plan_bound_sums);
    s->bytes = plan_memory_bytes(shape, s->request->threads);
    s->cost_ps = s->unit_ps * cells_cost(shape, double_levels(shape));
    s->cost_ps += s->request->cold ? plan_touch_ps(s->request, s->bytes) : 0.0;
    shape->bound.value = plan_bound_sums(shape, &shape->bound.k);
    return VERDICT_ADMITTED;
}

const struct plan_family plan_cells = {.begin = cells_begin, .digits = cells_digits, .cover = cells_cover, .admit = cells_admit};
