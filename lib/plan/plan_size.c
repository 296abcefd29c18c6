/*
 * plan_size.c - chooses digit base, length, packing, passes and slices in a field of complex points, by a pure search.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * For each digit base, from the largest down, the candidates are the shortest lengths 2^k times an odd factor that hold the
 * product, one for each factor.  If the operands differ in length, all shorter ones that take the longer operand in slices count,
 * too.  The cheapest candidate that the rule admits wins; if costs are equal, the larger base wins.
 */
#include <math.h>
#include <string.h>

#include "plan/plan_field.h"
#include "plan/plan_say.h"
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

/* cold_cost - the extra time of a product whose memory has not been touched yet. */
static double cold_cost(const struct plan_shape *shape, double bytes)
{
    const bool branches = shape->grid.n_branches > 1 && shape->transform.n_points < PLAN_BRANCH_POINTS;
    return PLAN_COST_TOUCH * bytes + (branches ? PLAN_COST_BRANCHES_FEW * (double)shape->transform.n_points : 0.0);
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

/* ---- the search ---- */

struct search {
    const struct plan_request *request;
    const struct plan_field *field;
    size_t long_size, short_size; /* bits or text digits; the longer operand first, or the operand that is not kept */
    bool measured;                /* decide by expected norms, not by the worst case */
    bool wraps;                   /* only candidates that wrap around */
    double best_cost;             /* HUGE_VAL: nothing found */
    struct plan_shape best;
    unsigned needed_bits; /* classical rule: least 4m + 2l seen, and its m and l */
    unsigned needed_m, needed_l;
    double needed_memory; /* least memory of a shape that was refused only for its memory; HUGE_VAL: none */
    bool admitted_length; /* some length held the product */
};

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
static bool wraps(const struct search *s, struct plan_shape *shape, size_t n_digits)
{
    const struct plan_request *request = s->request;
    const size_t ring = ring_limbs(n_digits, shape->digits.exponent), all = (s->long_size + s->short_size) / 64;
    if (request->wrap == PLAN_WRAP_NEVER || request->rule == GFMUL_RULE_KNUTH || request->kept || s->field->wraps == 0 ||
        shape->transform.packing != GFMUL_PACKING_RIGHT_ANGLE || shape->digits.an > n_digits || all < ring)
        return false;
    shape->grid.wrap_limbs = all - ring;
    return true;
}

static int balance(size_t a_digits, size_t b_digits)
{
    return (int)lround(0.5 * log2((double)a_digits / (double)b_digits));
}

/* take_shape - keep an admitted candidate, unless it is too large.   Returns like try_shape. */
static bool take_shape(struct search *s, struct plan_shape *shape, double cost, double bound, double k)
{
    const double limit = s->request->memory_limit ? (double)s->request->memory_limit : (double)(SIZE_MAX / 4);
    unsigned forced;
    const double bytes = fit_memory(shape, s->request, limit, &forced);
    if (bytes > limit) {
        if (bytes < s->needed_memory)
            s->needed_memory = bytes;
        return true;
    }
    cost += PLAN_COST_BRANCH * forced * (double)shape->transform.n_points + (s->request->cold ? cold_cost(shape, bytes) : 0.0);
    if (cost >= s->best_cost)
        return true;
    shape->bound.k = k;
    shape->bound.value = bound;
    shape->memory_bytes = (size_t)bytes;
    s->best = *shape;
    s->best_cost = cost;
    return true;
}

/*
 * Take a candidate if the rule admits it and it is the cheapest.  Returns true if smaller digits cannot do better at this length,
 * because the candidate was taken, or costs too much, or is too large.
 */
static bool try_shape(struct search *s, struct plan_shape *shape, unsigned odd, unsigned log2_n, double cost)
{
    const struct plan_request *request = s->request;
    s->admitted_length = true;
    if (request->rule == GFMUL_RULE_KNUTH) {
        const unsigned m = log2_n + (shape->transform.packing == GFMUL_PACKING_TWO_FOR_ONE ? 0 : 1); /* odd is 1 here */
        const unsigned l = ceil_log2(shape->digits.digit_base), bits = 4 * m + 2 * l;
        if (bits < s->needed_bits) {
            s->needed_bits = bits;
            s->needed_m = m;
            s->needed_l = l;
        }
        if (bits > s->field->mu)
            return false;
    }
    const bool lightens = s->field->lighten && request->rule == GFMUL_RULE_NORM && !request->full_precision;
    if (cost * (lightens ? 1.0 - PLAN_DD_LIGHT_GAIN : 1.0) >= s->best_cost)
        return true;
    if (request->rule == GFMUL_RULE_CHECKED) {
        s->field->passes(shape, request, odd, log2_n, false);
        const double error = plan_error_model(shape, NULL, NULL);
        if (!(error < CHECKED_ERROR_TARGET))
            return false;
        return take_shape(s, shape, cost, error, 0.0);
    }
    /* K > 4 log2 n, and the expected product of norms is above 1/3 of the worst: this avoids most calls of the bound */
    double worst = sqrt((double)shape->digits.an * (double)shape->digits.bn) * (double)shape->digits.digit_base *
                   (double)shape->digits.digit_base;
    if (worst * (s->measured ? 0.25 / 3.2 : 0.25) * 4.0 * log2_n * s->field->unit > plan_bound_limit(s->measured))
        return false;
    if (!s->field->passes(shape, request, odd, log2_n, s->measured))
        return false;
    shape->bound.norms_measured = s->measured;
    shape->bound.inverse_measured =
        s->measured && shape->transform.packing == GFMUL_PACKING_RIGHT_ANGLE && s->field->sums_energies;
    double k, bound = shape->bound.inverse_measured ? plan_bound_expected_posterior(shape, &k)
                      : s->measured                 ? plan_bound_expected(shape, &k)
                                                    : plan_bound_worst(shape, &k);
    if (!(bound < plan_bound_limit(s->measured)))
        return false;
    if (lightens) {
        const double light =
            s->field->lighten(shape, s->measured ? plan_bound_expected : plan_bound_worst, plan_bound_limit(s->measured));
        bound = s->measured ? plan_bound_expected(shape, &k) : plan_bound_worst(shape, &k);
        take_shape(s, shape, cost * (1.0 - PLAN_DD_LIGHT_GAIN * light), bound, k);
        return light == 1.0; /* else shorter digits may be cheaper */
    }
    return take_shape(s, shape, cost, bound, k);
}

/* The digits of both operands for one exponent, at any length. */
struct digit_counts {
    size_t a, b, a_raw; /* a_raw: without the digit for the carry of the recoding */
    size_t per_point;
    bool slices;       /* the longer operand may be cut */
    double transforms; /* of a product in one piece */
};

static struct digit_counts digit_counts_of(const struct search *s, const struct plan_shape *start, unsigned exponent)
{
    const struct plan_request *request = s->request;
    struct digit_counts d = {.a = digits_of(s->long_size, request->base, exponent),
                             .b = digits_of(s->short_size, request->base, exponent),
                             .a_raw = (s->long_size + exponent - 1) / exponent,
                             .per_point = start->transform.packing == GFMUL_PACKING_TWO_FOR_ONE ? 1 : 2};
    /* two-for-one transforms both operands at once: no spectrum can be kept, and slices would be whole products */
    d.slices = d.per_point == 2 && !request->square && d.a / 2 >= d.b && !s->wraps;
    d.transforms = request->square || request->kept || d.per_point == 1 ? 2.0 : 3.0;
    return d;
}

/* holds - whether this many digits hold the product, or at least the ring that is asked for. */
static bool holds(const struct plan_request *request, const struct digit_counts *d, size_t n_digits, unsigned exponent)
{
    return request->ring > 0 ? ring_limbs(n_digits, exponent) >= request->ring : n_digits >= d->a + d->b - 1;
}

/* cover - make the product by transforms of this length: whole, wrapped around, or in slices.  false: impossible. */
static bool cover(const struct search *s, struct plan_shape *shape, const struct digit_counts *d, unsigned odd, unsigned log2_n,
                  double *product_cost)
{
    const struct plan_request *request = s->request;
    const size_t n_digits = ((size_t)odd << log2_n) * d->per_point;
    const bool whole = holds(request, d, n_digits, shape->digits.exponent);
    double cost = s->field->cost(request, odd, log2_n);
    shape->digits.an = request->ring > 0 && d->a > n_digits ? n_digits : d->a; /* operands of a ring are balanced to fill it */
    shape->digits.bn = request->ring > 0 && d->b > n_digits ? n_digits : d->b;
    shape->grid.cell_digits = 0;
    shape->grid.a_cells = 1;
    shape->grid.wrap_limbs = 0;
    shape->grid.wraps = !whole && wraps(s, shape, n_digits);
    if (request->ring > 0 && !(whole && (request->ring_or_more || ring_limbs(n_digits, shape->digits.exponent) == request->ring)))
        return false;
    if (whole) {
        cost *= d->transforms;
    } else if (shape->grid.wraps) {
        cost = cost * d->transforms + plan_wrap_cost(shape, odd, log2_n, d->transforms, request->max_radix);
    } else {
        if (!d->slices || n_digits < d->b + PLAN_LEAF_POINTS)
            return false;
        shape->grid.cell_digits = (n_digits - d->b) / 64 * 64;
        shape->digits.an = shape->grid.cell_digits + 1;
        shape->grid.a_cells = (d->a_raw + shape->grid.cell_digits - 1) / shape->grid.cell_digits;
        const double kept = request->kept ? 0.0 : cost;
        cost = kept + (double)shape->grid.a_cells * (2.0 * cost + PLAN_COST_SLICE * (double)n_digits);
    }
    shape->digits.balance_exp = d->per_point == 1 && !request->square ? balance(shape->digits.an, shape->digits.bn) : 0;
    *product_cost = cost;
    return true;
}

/* search_exponent - try all lengths.  closed: a bit per length that smaller exponents need not try; all_closed: all are set. */
static void search_exponent(struct search *s, const struct plan_shape *start, unsigned exponent, uint64_t digit_base,
                            uint64_t closed[PLAN_ODD_FACTORS], bool *all_closed)
{
    const struct plan_request *request = s->request;
    const struct digit_counts d = digit_counts_of(s, start, exponent);
    struct plan_shape shape = *start;
    shape.digits.exponent = exponent;
    shape.digits.digit_base = digit_base;
    shape.digits.bits = request->base == 2 ? (double)exponent : exponent * log2((double)request->base);
    *all_closed = true;
    for (unsigned i = 0; i < PLAN_ODD_FACTORS; i++) {
        const unsigned odd = plan_odd_factor(i);
        if (odd > 1 && request->rule == GFMUL_RULE_KNUTH)
            break;
        if (!s->field->odd(odd))
            continue;
        bool whole = false;
        for (unsigned log2_n = s->field->levels_min; log2_n <= LOG2_N_MAX && !whole; log2_n++) {
            whole = holds(request, &d, ((size_t)odd << log2_n) * d.per_point, exponent); /* sizes are below 2^62 */
            if (closed[i] >> log2_n & 1)
                continue;
            double cost;
            if (whole && s->wraps) {
                *all_closed = false;
            } else if (cover(s, &shape, &d, odd, log2_n, &cost)) {
                if (try_shape(s, &shape, odd, log2_n, cost))
                    closed[i] |= (uint64_t)1 << log2_n;
                else
                    *all_closed = false;
            } else if (request->ring > 0) {
                *all_closed = false; /* another exponent makes another ring */
            }
        }
    }
}

static void search_all(struct search *s, const struct plan_shape *start)
{
    uint64_t closed[PLAN_ODD_FACTORS] = {0};
    uint64_t power[DIGIT_BITS_MAX + 1];
    const unsigned bits = s->field->digit_bits_max;
    unsigned largest = 0;
    power[0] = 1;
    while (largest < bits && power[largest] * start->digits.base <= (uint64_t)1 << bits) {
        power[largest + 1] = power[largest] * start->digits.base;
        largest++;
    }
    if (s->request->max_exponent > 0 && largest > s->request->max_exponent)
        largest = s->request->max_exponent;
    for (unsigned exponent = largest; exponent >= 1; exponent--) {
        bool all_closed;
        search_exponent(s, start, exponent, power[exponent], closed, &all_closed);
        if (all_closed)
            break;
    }
}

static enum gfmul_status explain_failure(const struct search *s, char *detail, size_t detail_bytes)
{
    const struct plan_request *request = s->request;
    const char *unit = request->base == 2 ? "bits" : "digits";
    if (s->needed_memory < HUGE_VAL)
        return plan_fail_memory(request, s->needed_memory, detail, detail_bytes);
    if (!s->admitted_length)
        return plan_fail(GFMUL_ERR_SIZE, detail, detail_bytes, "%zu x %zu %s: the product is longer than any transform",
                         request->an, request->bn, unit);
    const char *name = s->field->name;
    const unsigned mu = s->field->mu;
    if (request->rule == GFMUL_RULE_KNUTH && s->needed_bits > mu)
        return plan_fail(GFMUL_ERR_PRECISION, detail, detail_bytes,
                         "--rule=knuth: %zu x %zu %s need a significand of at least %u bits (m = %u, l = %u); %s has %u",
                         request->an, request->bn, unit, s->needed_bits, s->needed_m, s->needed_l, name, mu);
    return plan_fail(GFMUL_ERR_PRECISION, detail, detail_bytes,
                     "%zu x %zu %s: no digit size is proved at this length in %s; more than %u bits would be needed", request->an,
                     request->bn, unit, name, mu);
}

static void search_init(struct search *s, const struct plan_field *field, const struct plan_request *request, bool measured)
{
    memset(s, 0, sizeof *s);
    s->field = field;
    s->request = request;
    const bool swap = request->an < request->bn && !request->kept;
    s->long_size = swap ? request->bn : request->an;
    s->short_size = swap ? request->an : request->bn;
    s->measured = measured;
    s->best_cost = HUGE_VAL;
    s->needed_memory = HUGE_VAL;
    s->needed_bits = ~0u;
}

/* found - return the best shape of a search. */
static enum gfmul_status found(const struct search *s, struct plan_shape *shape)
{
    *shape = s->best;
    shape->cost_ps = s->best_cost * plan_cost_unit_ps(s->request->isa);
    return GFMUL_OK;
}

enum gfmul_status plan_points_size(enum plan_field_id id, struct plan_shape *shape, const struct plan_request *request,
                                   char *detail, size_t detail_bytes)
{
    const struct plan_field *field = &plan_fields[id];
    struct plan_shape start;
    memset(&start, 0, sizeof start);
    start.rule = request->rule;
    start.transform.packing = request->packing == GFMUL_PACKING_AUTO ? GFMUL_PACKING_RIGHT_ANGLE : request->packing;
    start.field = id;
    start.digits.base = request->base;
    start.square = request->square;
    start.grid.a_cells = start.grid.b_cells = 1;
    start.bound.fma = request->fma;
    start.transform.row_threads = request->threads;
    start.isa = request->isa;
    start.butterfly = request->butterfly;
    start.digits.narrow = !request->full_precision;
    if (!field->cyclic && (start.transform.packing != GFMUL_PACKING_RIGHT_ANGLE || start.rule == GFMUL_RULE_CHECKED))
        return plan_fail(GFMUL_ERR_UNSUPPORTED, detail, detail_bytes,
                         "%s has the right-angle packing and the rules norm and knuth", field->name);

    struct search worst, measured;
    search_init(&worst, field, request, false);
    search_all(&worst, &start);
    /* expected norms need a worst case to fall back on: of a ring the whole product.  If that is beyond the memory limit, large
       norms are an error */
    const bool falls_back = worst.best_cost < HUGE_VAL || worst.needed_memory < HUGE_VAL || request->ring > 0;
    if (request->wrap == PLAN_WRAP_ALWAYS) {
        search_init(&measured, field, request, request->rule == GFMUL_RULE_NORM && !request->worst_case && falls_back);
        measured.wraps = true;
        search_all(&measured, &start);
        if (measured.best_cost < HUGE_VAL)
            return found(&measured, shape);
    }
    if (request->rule == GFMUL_RULE_NORM && !request->worst_case && falls_back) {
        search_init(&measured, field, request, true);
        measured.best_cost = worst.best_cost; /* only a cheaper one counts */
        search_all(&measured, &start);
        if (measured.best_cost < worst.best_cost)
            return found(&measured, shape);
    }
    if (field->pieces && start.rule == GFMUL_RULE_KNUTH && request->base == 2 && !request->kept)
        worst.best_cost = field->pieces(&worst.best, request, &start, worst.best_cost, &worst.needed_memory);
    if (worst.best_cost < HUGE_VAL)
        return found(&worst, shape);
    return explain_failure(&worst, detail, detail_bytes);
}
