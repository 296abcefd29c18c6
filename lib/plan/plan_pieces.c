/*
 * plan_pieces.c - the classical rule beyond one transform: operands cut into pieces whose transforms satisfy it.
 *
 * a = sum of a_i X^i, b = sum of b_j X^j with X = B^P, P = n digits a piece; each piece is transformed once, each product of two
 * pieces is made of their spectra, and those that belong to the same power of X are added up before their one transform back.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "plan/plan_dd.h"
#include "plan/thresholds/thresholds.h"

static size_t pieces_of(size_t digits, size_t piece)
{
    return digits / piece + (digits % piece != 0);
}

/* In the unit of plan_dd_cost. */
static double pieces_cost(const struct plan_shape *s)
{
    const double a = (double)s->grid.a_pieces, b = (double)s->grid.b_pieces;
    return (a + (s->square ? 0.0 : b) + (a + b - 1.0)) * plan_dd_cost(s->transform.odd, s->transform.log2_n) +
           a * b * PLAN_DD_COST_PRODUCT * (double)s->transform.n_points;
}

static double pieces_memory(const struct plan_shape *s, unsigned threads)
{
    const double buffers = (double)s->grid.a_pieces + (s->square ? 0.0 : (double)s->grid.b_pieces) + 1.0;
    double doubles = buffers * (double)(s->transform.n_rows * s->transform.row_stride) + (double)plan_dd_table_doubles(s);
    doubles += (double)plan_dd_row_doubles(s) * (threads > 1 ? threads : 1);
    doubles += (double)plan_pieces_limbs(s);
    return doubles * sizeof(double);
}

size_t plan_pieces_limbs(const struct plan_shape *shape)
{
    return shape->transform.n_digits / 64 * shape->digits.exponent + 1;
}

double plan_dd_bound(const struct plan_shape *shape, double *k)
{
    const double least = (double)(shape->grid.a_pieces < shape->grid.b_pieces ? shape->grid.a_pieces : shape->grid.b_pieces);
    double constant, bound = plan_bound_worst(shape, &constant);
    if (k)
        *k = constant;
    return least <= 1.0 ? bound : bound * least * (1.0 + 3.0 * (least - 1.0) / constant) * (1.0 + 0x1p-30);
}

double plan_pieces_size(struct plan_shape *best, const struct plan_request *request, const struct plan_shape *start, double cost,
                        double *needed)
{
    const double limit = request->memory_limit ? (double)request->memory_limit : (double)(SIZE_MAX / 4);
    const unsigned mu = plan_mu(GFMUL_PRECISION_DD, false);
    for (unsigned log2_n = DD_LEVELS_MIN; 4 * (log2_n + 1) + 2 <= mu; log2_n++) {
        struct plan_shape s = *start;
        const unsigned l = (mu - 4 * (log2_n + 1)) / 2; /* m = log2_n + 1: 2n digits */
        s.digits.exponent = l < DD_DIGIT_BITS ? l : DD_DIGIT_BITS;
        s.digits.digit_base = (uint64_t)1 << s.digits.exponent;
        s.digits.bits = s.digits.exponent;
        s.grid.n_slices = 1;
        s.grid.slice_digits = 0;
        s.transform.double_passes = 0;
        plan_shape_points_dd(&s, 1, log2_n);
        s.digits.an = s.digits.bn = s.transform.n_points;
        s.grid.a_pieces = pieces_of((request->an > request->bn ? request->an : request->bn) / s.digits.exponent + 1, s.digits.an);
        s.grid.b_pieces = pieces_of((request->an > request->bn ? request->bn : request->an) / s.digits.exponent + 1, s.digits.bn);
        const double bytes = pieces_memory(&s, request->threads), c = pieces_cost(&s);
        if (c >= cost || !plan_dd_carries_fit(&s) || !(plan_dd_bound(&s, NULL) < 0.5))
            continue;
        if (bytes > limit) {
            *needed = fmin(*needed, bytes);
            continue;
        }
        if (!request->full_precision)
            plan_dd_schedule(&s);
        s.bound.value = plan_dd_bound(&s, &s.bound.k);
        s.memory_bytes = (size_t)bytes;
        *best = s;
        cost = c;
    }
    return cost;
}
