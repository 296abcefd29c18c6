/*
 * plan_points.c - the candidates of fields of complex points: digits, packings, cells, products that wrap around.
 *
 * Digits shrink from the largest base down.  Lengths that do not hold the product may still make it: modulo 2^K + 1, or, if the
 * operands differ in length, by cells of the longer one.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "plan/plan_search.h"
#include "plan/plan_twiddle.h"
#include "plan/thresholds/thresholds.h"

enum { LOG2_N_MAX = 40, DIGIT_BITS_MAX = 63 };
/* Lengths are below 2^47 points: doc/error-bound.md, section 9. */
#define ODD_FACTOR(factor, ...) _Static_assert((factor) < 1 << (47 - LOG2_N_MAX), "the factor " #factor " is too large");
#include "plan/odd_factors.def"

double plan_memory_bytes(const struct plan_shape *shape, unsigned threads)
{
    const struct plan_field *field = plan_field(shape);
    const struct plan_grid *grid = &shape->grid;
    const double buffer = (double)shape->transform.n_rows * (double)shape->transform.row_stride;
    const bool one_buffer = shape->square || shape->transform.packing == GFMUL_PACKING_TWO_FOR_ONE;
    double doubles = one_buffer ? buffer : buffer + buffer / grid->n_branches;
    if (grid->b_cells > 1) /* the sum, and all spectra */
        doubles = buffer * (1.0 + (double)grid->a_cells + (shape->square ? 0.0 : (double)grid->b_cells));
    doubles += (double)field->table_doubles(shape) + (double)field->scratch_doubles(shape) * (threads > 1 ? threads : 1);
    if (grid->a_cells > 1) /* cells overlap in their products: limbs, or two tails of digits */
        doubles +=
            shape->digits.base == 2 ? (double)plan_tail_limbs(shape) : 2.0 * field->tail_doubles * (double)shape->digits.bn;
    return doubles * sizeof(double) + (grid->wrap_limbs > 0 ? plan_wrap_bytes(shape) : 0.0);
}

/* branches_unasked - whether branches, at least `few`, save memory at little cost.  If digits are cut only once, more do. */
static bool branches_unasked(const struct plan_shape *shape, const struct plan_request *request, unsigned few)
{
    const bool aside = request->base == 2 && shape->digits.exponent <= PLAN_ASIDE_BITS;
    const size_t from = !aside ? PLAN_BRANCH_POINTS_CUT : request->cold ? PLAN_BRANCH_POINTS_COLD : PLAN_BRANCH_POINTS;
    return few > 0 && few <= (aside ? PLAN_BRANCHES_FEW : PLAN_BRANCHES_FEW_CUT) && shape->transform.n_points >= from;
}

/* can_shorten - whether the leaves' tables are complete now and could be replaced by short ones. */
static bool can_shorten(const struct plan_shape *shape)
{
    return plan_field(shape)->saves_memory && !shape->transform.leaf_short && !plan_has_units(shape) &&
           shape->transform.log2_n >= PLAN_SHORT_LEVELS_MIN;
}

/* cold_ps - the extra time of a product whose memory has not been touched yet.  Nearly all of it is one block. */
static double cold_ps(const struct plan_search *s)
{
    const struct plan_shape *shape = &s->shape;
    const bool branches = shape->grid.n_branches > 1 && shape->transform.n_points < PLAN_BRANCH_POINTS;
    return plan_touch_ps(s->request, s->bytes) +
           (branches ? s->unit_ps * PLAN_COST_BRANCHES_FEW * (double)shape->transform.n_points : 0.0);
}

/*
 * fit_memory - choose the number of branches for b's columns.  It is one if that fits, except for the longest transforms, for
 * which a few branches cost little.  Tables are shortened first.   Returns the bytes, which exceed the limit if nothing fits.
 *   forced  out  branches used only because of the limit
 */
static double fit_memory(struct plan_shape *shape, const struct plan_request *request, double limit, unsigned *forced)
{
    const bool can = shape->grid.a_cells == 1 && !shape->square && !request->kept && plan_field(shape)->saves_memory &&
                     shape->digits.bn <= shape->transform.n_points; /* it is longer if the product wraps around */
    const unsigned few = plan_branches(shape, 1);
    unsigned i = can && branches_unasked(shape, request, few) ? 1 : 0;
    const unsigned usual = plan_branches(shape, i);
    shape->grid.n_branches = usual;
    if (request->cold && can_shorten(shape))
        shape->transform.leaf_short = true;
    double bytes = plan_memory_bytes(shape, request->threads);
    if (bytes > limit && can_shorten(shape)) {
        shape->transform.leaf_short = true;
        bytes = plan_memory_bytes(shape, request->threads);
    }
    while (bytes > limit && can && plan_branches(shape, i + 1) != 0) {
        shape->grid.n_branches = plan_branches(shape, ++i);
        bytes = plan_memory_bytes(shape, request->threads);
    }
    *forced = shape->grid.n_branches - usual;
    return bytes;
}

/* ---- digits and lengths ---- */

static unsigned ceil_log2(uint64_t x)
{
    unsigned r = 0;
    while (r < 63 && ((uint64_t)1 << r) < x)
        r++;
    return r;
}

/* Digits of an operand of size < SIZE_MAX / 4, including the extra balanced digit; no overflow. */
static size_t digits_of(size_t size, unsigned base, unsigned exponent)
{
    size_t whole = size / exponent;
    return base == 2 || size % exponent == 0 ? whole + 1 : whole + 2;
}

/* ring_limbs - K in limbs, if a transform of this many digits is modulo 2^K + 1. */
static size_t ring_limbs(size_t n_digits, unsigned exponent)
{
    return n_digits / 64 * exponent;
}

/* wraps - whether the product can be made modulo 2^K + 1 at a length that does not hold it; shape: complete but its length. */
static bool wraps(struct plan_search *s, size_t n_digits)
{
    const struct plan_request *request = s->request;
    struct plan_shape *shape = &s->shape;
    const size_t ring = ring_limbs(n_digits, shape->digits.exponent), all = (s->long_size + s->short_size) / 64;
    if (request->wrap == PLAN_WRAP_NEVER || request->rule == GFMUL_RULE_KNUTH || request->kept || s->field->wraps == 0 ||
        shape->transform.packing != GFMUL_PACKING_RIGHT_ANGLE || shape->digits.an > n_digits || all < ring)
        return false;
    shape->grid.wrap_limbs = all - ring;
    return true;
}

int plan_balance(size_t a_digits, size_t b_digits)
{
    return (int)lround(0.5 * log2((double)a_digits / (double)b_digits));
}

/* digits_per_point - real digits in a complex point. */
static size_t digits_per_point(const struct plan_search *s)
{
    return s->shape.transform.packing == GFMUL_PACKING_TWO_FOR_ONE ? 1 : 2;
}

/* lightens - whether the field chooses light passes for the product. */
static bool lightens(const struct plan_search *s)
{
    return s->field->lighten && s->shape.rule == GFMUL_RULE_NORM && !s->request->full_precision;
}

/* points_begin - of either family. */
static void points_begin(struct plan_search *s, bool measured)
{
    const struct plan_request *request = s->request;
    struct plan_shape *start = &s->shape;
    start->rule = s->field->cyclic || request->rule == GFMUL_RULE_KNUTH ? request->rule : GFMUL_RULE_NORM;
    start->transform.packing = request->packing == GFMUL_PACKING_AUTO ? GFMUL_PACKING_RIGHT_ANGLE : request->packing;
    start->field = (enum plan_field_id)(s->field - plan_fields);
    start->digits.base = request->base;
    start->square = request->square;
    start->grid.a_cells = start->grid.b_cells = 1;
    start->bound.fma = request->fma;
    start->bound.products = request->products;
    start->transform.row_threads = request->threads;
    start->isa = request->isa;
    start->ifma = request->ifma;
    start->butterfly = request->butterfly;
    start->digits.narrow = !request->full_precision;
    s->measured = measured;
    s->unit_ps = plan_cost_unit_ps(request);
    s->binary = request->rule == GFMUL_RULE_KNUTH;
    s->levels_first = s->field->levels_min;
    s->levels_last = LOG2_N_MAX;
}

static bool worst_begin(struct plan_search *s)
{
    points_begin(s, false);
    return !s->request->ring_minus;
}

/*
 * Expected norms need something to fall back on that needs no measuring: of a ring the whole product.  If that is beyond the
 * memory limit, large norms are an error.
 */
static bool expected_begin(struct plan_search *s)
{
    points_begin(s, true);
    return s->shape.rule == GFMUL_RULE_NORM && !s->request->worst_case && !s->request->ring_minus &&
           (s->found || s->needed_memory < HUGE_VAL || s->request->ring > 0);
}

/* exponent_most - the largest exponent that the field's digits may have. */
static unsigned exponent_most(const struct plan_search *s)
{
    const unsigned base = s->request->base;
    const uint64_t most = (uint64_t)1 << s->field->digit_bits_max;
    unsigned exponent = 0;
    for (uint64_t power = base; power <= most; power *= base)
        exponent++;
    return s->request->max_exponent > 0 && exponent > s->request->max_exponent ? s->request->max_exponent : exponent;
}

/* Choice i takes i off the largest exponent. */
static bool points_digits(struct plan_search *s, unsigned i)
{
    const struct plan_request *request = s->request;
    struct plan_digits *d = &s->shape.digits;
    if (i == 0) {
        d->exponent = exponent_most(s);
        d->digit_base = 1;
        for (unsigned e = 0; e < d->exponent; e++)
            d->digit_base *= d->base;
    } else {
        d->exponent--;
        d->digit_base /= d->base;
    }
    if (d->exponent == 0)
        return false;
    d->bits = request->base == 2 ? (double)d->exponent : d->exponent * log2((double)request->base);
    s->a = digits_of(s->long_size, request->base, d->exponent);
    s->b = digits_of(s->short_size, request->base, d->exponent);
    s->a_raw = (s->long_size + d->exponent - 1) / d->exponent;
    /* two-for-one transforms both operands at once: no spectrum can be kept, and cells would be whole products */
    const size_t per_point = digits_per_point(s);
    s->cuts = per_point == 2 && !request->square && s->a / 2 >= s->b && !s->wraps;
    s->transforms = request->square || request->kept || per_point == 1 ? 2.0 : 3.0;
    /* a ring is a multiple of 64 digits, as lengths are */
    const size_t whole = request->ring > 0 ? (request->ring + d->exponent - 1) / d->exponent * 64 : s->a + s->b - 1;
    s->whole_points = (whole + per_point - 1) / per_point;
    return true;
}

/* points_cover - whole, wrapped around, or in cells. */
static enum plan_cover points_cover(struct plan_search *s, unsigned odd, unsigned log2_n)
{
    const struct plan_request *request = s->request;
    struct plan_shape *shape = &s->shape;
    const size_t n_points = (size_t)odd << log2_n, n_digits = n_points * digits_per_point(s);
    const bool whole = n_points >= s->whole_points;
    if (whole && s->wraps)
        return COVER_OTHER_DIGITS;
    if (request->ring > 0 && !(whole && (request->ring_or_more || ring_limbs(n_digits, shape->digits.exponent) == request->ring)))
        return COVER_OTHER_DIGITS; /* another exponent makes another ring */
    const double transform = s->field->cost(request, odd, log2_n);
    double cost;
    shape->digits.an = request->ring > 0 && s->a > n_digits ? n_digits : s->a; /* operands of a ring are balanced to fill it */
    shape->digits.bn = request->ring > 0 && s->b > n_digits ? n_digits : s->b;
    shape->grid.cell_digits = 0;
    shape->grid.a_cells = 1;
    shape->grid.wrap_limbs = 0;
    shape->grid.wraps = !whole && wraps(s, n_digits);
    if (whole) {
        cost = transform * s->transforms;
    } else if (shape->grid.wraps) {
        cost = transform * s->transforms + plan_wrap_cost(shape, odd, log2_n, s->transforms, request->max_radix);
    } else {
        if (!s->cuts || n_digits < s->b + PLAN_LEAF_POINTS)
            return COVER_NOT;
        shape->grid.cell_digits = (n_digits - s->b) / 64 * 64;
        shape->digits.an = shape->grid.cell_digits + 1;
        shape->grid.a_cells = (s->a_raw + shape->grid.cell_digits - 1) / shape->grid.cell_digits;
        const double kept = request->kept ? 0.0 : transform;
        cost = kept + (double)shape->grid.a_cells * (2.0 * transform + PLAN_COST_CELL * (double)n_digits);
    }
    const bool two_for_one = digits_per_point(s) == 1;
    shape->digits.balance_exp = two_for_one && !request->square ? plan_balance(shape->digits.an, shape->digits.bn) : 0;
    s->cost_ps = cost * s->unit_ps * (lightens(s) ? 1.0 - PLAN_DD_LIGHT_GAIN : 1.0);
    return COVER;
}

/* ---- the rules ---- */

/* knuth_admits - mu >= 4m + 2l; notes the least that a candidate needs. */
static bool knuth_admits(struct plan_search *s, unsigned log2_n)
{
    const unsigned m = log2_n + (digits_per_point(s) == 1 ? 0 : 1); /* the odd factor is 1 */
    const unsigned l = ceil_log2(s->shape.digits.digit_base), bits = 4 * m + 2 * l;
    if (bits < s->needed_bits) {
        s->needed_bits = bits;
        s->needed_m = m;
        s->needed_l = l;
    }
    return bits <= s->field->mu;
}

/* proves - whether the bound is small enough; passes are filled. */
static bool proves(struct plan_search *s)
{
    struct plan_shape *shape = &s->shape;
    struct plan_bound *b = &shape->bound;
    b->norms_measured = s->measured;
    b->inverse_measured = s->measured && shape->transform.packing == GFMUL_PACKING_RIGHT_ANGLE && s->field->sums_energies;
    b->value = b->inverse_measured ? plan_bound_expected_posterior(shape, &b->k)
               : s->measured       ? plan_bound_expected(shape, &b->k)
                                   : plan_bound_worst(shape, &b->k);
    return b->value < plan_bound_limit(s->measured);
}

/* memory_take - set the memory, and add what it costs. */
static void memory_take(struct plan_search *s)
{
    const struct plan_request *request = s->request;
    const double limit = request->memory_limit ? (double)request->memory_limit : (double)(SIZE_MAX / 4);
    unsigned forced;
    s->bytes = fit_memory(&s->shape, request, limit, &forced);
    s->cost_ps += s->unit_ps * PLAN_COST_BRANCH * forced * (double)s->shape.transform.n_points;
    s->cost_ps += request->cold ? cold_ps(s) : 0.0;
}

/* lighten - choose light passes.   Returns whether all are light; else shorter digits may be cheaper. */
static bool lighten(struct plan_search *s)
{
    struct plan_shape *shape = &s->shape;
    double (*const bound)(const struct plan_shape *, double *) = s->measured ? plan_bound_expected : plan_bound_worst;
    const double light = s->field->lighten(shape, bound, plan_bound_limit(s->measured));
    shape->bound.value = bound(shape, &shape->bound.k);
    s->cost_ps *= (1.0 - PLAN_DD_LIGHT_GAIN * light) / (1.0 - PLAN_DD_LIGHT_GAIN);
    return light == 1.0;
}

/* passes_set - the passes of the candidate, as cheap as its bound allows.   measured: as in plan_bound_limit */
static bool passes_set(struct plan_search *s, unsigned odd, unsigned log2_n, bool measured)
{
    if (!s->field->passes(&s->shape, s->request, odd, log2_n))
        return false;
    if (s->field->schedule && !measured && !s->request->full_precision)
        s->field->schedule(&s->shape, plan_bound_sums);
    return true;
}

static enum plan_verdict points_admit(struct plan_search *s, unsigned odd, unsigned log2_n)
{
    const struct plan_request *request = s->request;
    struct plan_shape *shape = &s->shape;
    bool light = true;
    if (shape->rule == GFMUL_RULE_KNUTH && !knuth_admits(s, log2_n))
        return VERDICT_REFUSED;
    if (shape->rule == GFMUL_RULE_CHECKED) {
        passes_set(s, odd, log2_n, false);
        shape->bound.value = plan_error_model(shape, NULL, NULL);
        shape->bound.k = 0;
        if (!(shape->bound.value < CHECKED_ERROR_TARGET))
            return VERDICT_REFUSED;
    } else {
        /* K > 4 log2 n, and the expected product of norms is above 1/3 of the worst: this avoids most calls of the bound */
        const double worst = sqrt((double)shape->digits.an * (double)shape->digits.bn) * (double)shape->digits.digit_base *
                             (double)shape->digits.digit_base * (double)(request->products > 1 ? request->products : 1);
        if (worst * (s->measured ? 0.25 / 3.2 : 0.25) * 4.0 * log2_n * s->field->unit > plan_bound_limit(s->measured) ||
            !passes_set(s, odd, log2_n, s->measured) || !proves(s))
            return VERDICT_REFUSED;
        if (lightens(s))
            light = lighten(s);
    }
    memory_take(s);
    return light ? VERDICT_ADMITTED : VERDICT_SMALLER;
}

const struct plan_family plan_points_worst = {
    .shrinks = true, .begin = worst_begin, .digits = points_digits, .cover = points_cover, .admit = points_admit};
const struct plan_family plan_points_expected = {
    .shrinks = true, .begin = expected_begin, .digits = points_digits, .cover = points_cover, .admit = points_admit};
