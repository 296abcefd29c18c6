/*
 * plan_wrap.c - the cost of wrapping around besides the transforms: the product of the lowest limbs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "plan/plan.h"

#include "plan/thresholds/thresholds.h"

/* Approximate bits of a digit by measured norms: section 11 of doc/error-bound.md, right-angle, with FMA. */
static double digit_bits(double points)
{
    const double bits = 21.05 - 0.54 * (log2(points) - 8.0);
    return bits > 5.0 ? bits : 5.0;
}

/* points_for - approximate length of a transform for the product of two operands of this many limbs. */
static double points_for(size_t limbs)
{
    const double half = 64.0 * (double)limbs; /* bits of an operand, and of the real parts of the points */
    double points = half / 16.0;
    for (unsigned i = 0; i < 2; i++) /* two rounds are accurate enough */
        points = half / digit_bits(points > 64.0 ? points : 64.0);
    return points > 64.0 ? points : 64.0;
}

double plan_wrap_bytes(const struct plan_shape *shape)
{
    const double buffers = shape->square ? 1.0 : 2.0, tables = 1.3; /* of points */
    const double points = shape->grid.wrap_limbs >= PLAN_WRAP_GMP_LIMBS ? 1.9 * points_for(shape->grid.wrap_limbs) : 0.0;
    const double strip = 64.0 * 2 * PLAN_STRIP_POINTS * sizeof(double); /* of 64 rows */
    const double strips = points > 0 ? strip * (shape->transform.row_threads > 1 ? shape->transform.row_threads : 1) : 0.0;
    return 16.0 * (double)shape->grid.wrap_limbs + (2.0 * buffers + tables) * sizeof(double) * points + strips;
}

/* length_cost - plan_transform_cost interpolated between lengths, for a radix 3. */
static double length_cost(double points, unsigned max_radix, unsigned isa)
{
    const double levels = log2(points), whole = floor(levels), part = levels - whole;
    const double below = plan_transform_cost(1, (unsigned)whole, max_radix, isa);
    const double above = plan_transform_cost(1, (unsigned)whole + 1, max_radix, isa);
    return below + (above - below) * part + plan_odd_cost(3) * points;
}

/* cut_cost - of the first pass of an operand with digits that are imaginary parts of more streams than the first one. */
static double cut_cost(size_t digits, unsigned odd, unsigned log2_n)
{
    const size_t n_points = (size_t)odd << log2_n, stream = n_points / (odd > 1 ? odd : 8);
    return digits > n_points + stream ? PLAN_COST_WRAP_CUT * (double)n_points : 0.0;
}

/* low_cost - of the product of the lowest limbs.  GMP's and the one by vectors (lib/short) grow by a power of their limbs. */
static double low_cost(const struct plan_shape *shape, double transforms, unsigned max_radix)
{
    const size_t limbs = shape->grid.wrap_limbs, by_gmp = PLAN_WRAP_GMP_LIMBS;
    const double power = pow((double)limbs / (double)by_gmp, 1.6);
    const double least = transforms * length_cost(points_for(by_gmp), max_radix, shape->isa);
    const double planned = transforms * length_cost(points_for(limbs > by_gmp ? limbs : by_gmp), max_radix, shape->isa);
    const double cold = shape->transform.row_threads > 1 ? PLAN_WRAP_LOW_TEAM : PLAN_WRAP_LOW;
    const double low = cold * (limbs < by_gmp ? least * power : planned);
    const double vectors = PLAN_WRAP_VECTORS * least * (limbs < by_gmp ? power : pow((double)limbs / (double)by_gmp, 1.8));
    return shape->ifma ? fmin(low, vectors) : low;
}

double plan_wrap_cost(const struct plan_shape *shape, unsigned odd, unsigned log2_n, double transforms, unsigned max_radix)
{
    const double cut = cut_cost(shape->digits.an, odd, log2_n) + (shape->square ? 0.0 : cut_cost(shape->digits.bn, odd, log2_n));
    if (shape->grid.wrap_limbs == 0)
        return cut;
    const double margin = PLAN_WRAP_MARGIN * transforms * plan_transform_cost(odd, log2_n, max_radix, shape->isa);
    return cut + PLAN_COST_WRAP + low_cost(shape, transforms, max_radix) + margin;
}
