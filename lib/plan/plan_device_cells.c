/*
 * plan_device_cells.c - rule knuth on a device beyond one transform: operands are cut into cells, as in plan_cells.c.
 *
 * a = sum of a_i X^i, b = sum of b_j X^j, X = 2^(64 P).  Each cell is transformed once.  Products of spectra with i + j = k are
 * added before the single transform back for k.  Cells have P limbs, but the transform holds P + 1, so that there is room for
 * the sum of fewer than 2^64 products.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "plan/plan_device.h"
#include "plan/plan_field.h"
#include "plan/thresholds/device.h"

enum { LEVELS_LEAST = 11 }; /* of 2 n: transforms in double-double have at least 2^10 points */

static size_t cells_of(size_t limbs, size_t cell)
{
    return limbs / cell + (limbs % cell != 0);
}

/* sums_cost - the cost of all cells by this shape, whose own cost is that of two transforms forwards and one back. */
static double sums_cost(const struct plan_shape *shape, bool square)
{
    const double a = (double)shape->grid.a_cells, b = (double)shape->grid.b_cells, n = (double)shape->transform.n_points;
    return (a + (square ? 0.0 : b) + (a + b - 1.0)) * shape->device.cost / 3.0 +
           a * b * (n * DEVICE_COST_MUL_ADD + DEVICE_COST_LAUNCH);
}

/* sums_bytes - bytes of the plan of one product, all spectra, their sum, the operands, and two results. */
static double sums_bytes(const struct plan_shape *s, bool square, double limbs)
{
    const double spectra = (double)s->grid.a_cells + (square ? 0.0 : (double)s->grid.b_cells) + 1.0;
    return (double)s->memory_bytes + spectra * device_points_bytes(s) + 8.0 * (limbs + 4.0 * ((double)s->grid.cell_limbs + 1.0));
}

/* sums_shape - the plan for cells of this many limbs; false if there is none, or too little memory. */
static bool sums_shape(struct plan_shape *shape, const struct plan_request *request, const struct device_limits *limits,
                       size_t cell)
{
    const size_t a = (request->an > request->bn ? request->an : request->bn) / 64,
                 b = (request->an > request->bn ? request->bn : request->an) / 64;
    struct plan_request r = *request;
    r.an = 64 * (cell + 1);
    r.bn = 64 * ((b < cell ? b : cell) + 1);
    r.a_cells = cells_of(a, cell);
    r.b_cells = cells_of(b, cell);
    if (plan_device_size(shape, &r, limits, NULL, 0) != GFMUL_OK)
        return false;
    shape->grid.cell_limbs = cell;
    const double bytes = sums_bytes(shape, request->square, (double)a + (double)b);
    if (bytes > (limits->memory_bytes > 0 ? (double)limits->memory_bytes : (double)(SIZE_MAX / 4)))
        return false;
    shape->memory_bytes = (size_t)bytes;
    return true;
}

enum gfmul_status plan_device_cells(struct plan_shape *shape, const struct plan_request *request,
                                    const struct device_limits *limits, char *detail, size_t detail_bytes)
{
    const enum gfmul_status whole = plan_device_size(shape, request, limits, detail, detail_bytes);
    const size_t longest = (request->an > request->bn ? request->an : request->bn) / 64;
    const unsigned mu = plan_fields[PLAN_DD].mu;
    double best = whole == GFMUL_OK ? shape->device.cost * (request->square ? 2.0 / 3.0 : 1.0) : HUGE_VAL;
    bool found = whole == GFMUL_OK;
    if (request->rule != GFMUL_RULE_KNUTH || request->base != 2 || (whole != GFMUL_OK && whole != GFMUL_ERR_SIZE))
        return whole;
    for (unsigned m = (mu - 2) / 4; m >= LEVELS_LEAST; m--) { /* N = 2^m digits of l bits, 4 m + 2 l <= mu, l >= 1 */
        const double n = ldexp(0.5, (int)m), room = floor((2.0 * n - 1.0) * ((mu - 4 * m) / 2) / 128.0) - 1.0;
        if (room < 1.0 || room >= (double)longest)
            continue;
        const size_t count = cells_of(longest, (size_t)room);
        const double products = (double)count * (double)cells_of((request->an < request->bn ? request->an : request->bn) / 64,
                                                                 cells_of(longest, count));
        struct plan_shape s;
        if (products * n * DEVICE_COST_MUL_ADD > best || !sums_shape(&s, request, limits, cells_of(longest, count)))
            continue;
        const double cost = sums_cost(&s, request->square);
        if (cost < best) {
            *shape = s;
            best = cost;
            found = true;
        }
    }
    return found ? GFMUL_OK : whole;
}
