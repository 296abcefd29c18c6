/*
 * plan_pieces.c - rule knuth beyond one transform: operands are cut into pieces whose transforms satisfy the rule.
 *
 * a = sum of a_i X^i, b = sum of b_j X^j with X = B^P, P = n digits per piece.  Each piece is transformed once.  The products of
 * spectra that belong to the same power of X are added before their single transform back.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "plan/plan_dd.h"
#include "plan/plan_field.h"
#include "plan/thresholds/thresholds.h"

static size_t pieces_of(size_t digits, size_t piece)
{
    return digits / piece + (digits % piece != 0);
}

/* In the unit of plan_dd_cost.  Transforms back may have levels in double (plan_dd_schedule). */
static double pieces_cost(const struct plan_shape *s)
{
    const double a = (double)s->grid.a_cells, b = (double)s->grid.b_cells, points = (double)s->transform.n_points;
    const double transform = plan_dd_cost(s->transform.odd, s->transform.log2_n);
    double saved = 0.0;
    for (unsigned p = 0; p < s->transform.double_passes; p++)
        saved += (double)s->transform.pass[p].levels * (PLAN_DD_COST_LEVEL - PLAN_DD_COST_LEVEL_DOUBLE) * points;
    return (a + (s->square ? 0.0 : b)) * transform + (a + b - 1.0) * (transform - saved) + a * b * PLAN_DD_COST_PRODUCT * points;
}

double plan_dd_bound(const struct plan_shape *shape, double *k)
{
    const double sums = (double)plan_grid_sums(shape);
    double constant, bound = plan_bound_worst(shape, &constant);
    if (k)
        *k = constant;
    return sums <= 1.0 ? bound : bound * sums * (1.0 + 3.0 * (sums - 1.0) / constant) * (1.0 + 0x1p-30);
}

double plan_pieces_size(struct plan_shape *best, const struct plan_request *request, const struct plan_shape *start, double cost,
                        double *needed)
{
    const double limit = request->memory_limit ? (double)request->memory_limit : (double)(SIZE_MAX / 4);
    const unsigned mu = plan_fields[PLAN_DD].mu;
    for (unsigned log2_n = DD_LEVELS_MIN; 4 * (log2_n + 1) + 2 <= mu; log2_n++) {
        struct plan_shape s = *start;
        const unsigned l = (mu - 4 * (log2_n + 1)) / 2; /* m = log2_n + 1: 2n digits */
        s.digits.exponent = l < DD_DIGIT_BITS ? l : DD_DIGIT_BITS;
        s.digits.digit_base = (uint64_t)1 << s.digits.exponent;
        s.digits.bits = s.digits.exponent;
        s.transform.double_passes = 0;
        plan_shape_points_dd(&s, 1, log2_n);
        s.digits.an = s.digits.bn = s.grid.cell_digits = s.transform.n_points;
        s.grid.a_cells = pieces_of((request->an > request->bn ? request->an : request->bn) / s.digits.exponent + 1, s.digits.an);
        s.grid.b_cells = pieces_of((request->an > request->bn ? request->bn : request->an) / s.digits.exponent + 1, s.digits.bn);
        if (!plan_knuth_holds(&s) || !plan_dd_carries_fit(&s) || !(plan_dd_bound(&s, NULL) < 0.5))
            continue;
        if (!request->full_precision)
            plan_dd_schedule(&s);
        const double bytes = plan_memory_bytes(&s, request->threads), c = pieces_cost(&s);
        if (c >= cost)
            continue;
        if (bytes > limit) {
            *needed = fmin(*needed, bytes);
            continue;
        }
        s.bound.value = plan_dd_bound(&s, &s.bound.k);
        s.memory_bytes = (size_t)bytes;
        *best = s;
        cost = c;
    }
    return cost;
}
