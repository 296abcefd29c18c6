/*
 * plan_size.c - the choice of digit base, length, packing, passes and slices: a pure search, no allocation.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * For each digit base, from the largest down, the shortest transforms of length 2^k times each odd factor that hold the product
 * are candidates, and where the operands differ in length also every shorter one that takes the longer operand in slices.
 * The cheapest candidate that the rule admits wins; between equals the larger base.
 */
#include <math.h>
#include <string.h>

#include "plan/plan.h"
#include "plan/plan_dd.h"
#include "plan/plan_say.h"
#include "plan/plan_twiddle.h"

#include "plan/thresholds/thresholds.h"

enum { LEAF_LEVELS = 6, LOG2_N_MAX = 40, DIGIT_BASE_BITS = 30, ODD_FACTORS = 9 };

/* What a call in double-double takes: buffers, tables, the twiddles of a row for each thread, slices. */
static double shape_memory_dd(const struct plan_shape *shape, unsigned threads)
{
    const double buffer = (double)shape->transform.n_rows * (double)shape->transform.row_stride;
    double doubles = (shape->square ? 1.0 : 2.0) * buffer + (double)plan_dd_table_doubles(shape);
    doubles += (double)plan_dd_row_doubles(shape) * (threads > 1 ? threads : 1);
    if (shape->grid.n_slices > 1)
        doubles += shape->digits.base == 2 ? (double)plan_slice_tail_limbs(shape) : 4.0 * (double)shape->digits.bn;
    return doubles * sizeof(double);
}

/* Buffers, tables, strips and slices of one call; see stage_ops.h, plan_twiddle.c and mul_cpu.c for the layouts. */
static double shape_memory(const struct plan_shape *shape, unsigned threads)
{
    if (plan_is_dd(shape))
        return shape_memory_dd(shape, threads);
    const double buffer = (double)shape->transform.n_rows * (double)shape->transform.row_stride * sizeof(double);
    const bool one_buffer = shape->square || shape->transform.packing == GFMUL_PACKING_TWO_FOR_ONE;
    double bytes = one_buffer ? buffer : buffer + buffer / shape->grid.n_branches;
    bytes += (double)plan_table_doubles(shape) * sizeof(double);
    if (shape->transform.n_column_passes > 0)
        bytes += (double)shape->transform.n_rows * PLAN_STRIP_POINTS * 2 * sizeof(double) * (threads > 1 ? threads : 1);
    if (shape->grid.wrap_limbs > 0)
        bytes += plan_wrap_bytes(shape);
    if (shape->grid.n_slices > 1) /* what slices have in common: limbs, or two tails of digits */
        bytes += shape->digits.base == 2 ? 8.0 * (double)plan_slice_tail_limbs(shape) : 16.0 * (double)shape->digits.bn;
    return bytes;
}

/* branches_unasked - do branches, at least `few`, save memory for little time?  More of them do where digits are cut once. */
static bool branches_unasked(const struct plan_shape *shape, const struct plan_request *request, unsigned few)
{
    const bool aside = request->base == 2 && shape->digits.exponent <= PLAN_ASIDE_BITS;
    return few > 0 && few <= (aside ? PLAN_BRANCHES_FEW : PLAN_BRANCHES_FEW_CUT) &&
           shape->transform.n_points >= (aside ? PLAN_BRANCH_POINTS : PLAN_BRANCH_POINTS_CUT);
}

/*
 * fit_memory - choose in how many branches b's columns are made: all at once where that fits, but for the longest transforms,
 * where a few branches cost little.  Tables go first.   Returns the bytes, which are above the limit where nothing fits.
 *   forced  out  branches that are there for the limit alone
 */
static double fit_memory(struct plan_shape *shape, const struct plan_request *request, double limit, unsigned *forced)
{
    const bool can = shape->grid.n_slices == 1 && !shape->square && !request->kept && !plan_is_dd(shape) &&
                     shape->digits.bn <= shape->transform.n_points; /* they are more where the product wraps around */
    const unsigned few = plan_branches(shape, 1);
    unsigned i = can && branches_unasked(shape, request, few) ? 1 : 0;
    const unsigned usual = plan_branches(shape, i);
    shape->grid.n_branches = usual;
    double bytes = shape_memory(shape, request->threads);
    if (bytes > limit && !plan_is_dd(shape) && !shape->transform.leaf_short && shape->transform.log2_n >= PLAN_SHORT_LEVELS_MIN) {
        shape->transform.leaf_short = true;
        bytes = shape_memory(shape, request->threads);
    }
    while (bytes > limit && can && plan_branches(shape, i + 1) != 0) {
        shape->grid.n_branches = plan_branches(shape, ++i);
        bytes = shape_memory(shape, request->threads);
    }
    *forced = shape->grid.n_branches - usual;
    return bytes;
}

/* ---- the search ---- */

struct search {
    const struct plan_request *request;
    enum gfmul_precision precision;
    size_t long_size, short_size; /* bits or text digits: the longer operand first, or the one that is not kept */
    bool measured;                /* expected norms decide, not the worst case */
    bool wraps;                   /* no candidates but those that wrap around */
    double best_cost;             /* HUGE_VAL: nothing found */
    struct plan_shape best;
    unsigned needed_bits; /* classical rule: least 4m + 2l seen, and its m and l */
    unsigned needed_m, needed_l;
    double needed_memory; /* least memory of a shape that was refused for its memory alone; HUGE_VAL: none */
    bool admitted_length; /* some length held the product */
};

static unsigned ceil_log2(uint64_t x)
{
    unsigned r = 0;
    while (r < 63 && ((uint64_t)1 << r) < x)
        r++;
    return r;
}

/* Digits of an operand of size < SIZE_MAX / 4, the extra balanced digit included: they do not overflow. */
static size_t digits_of(size_t size, unsigned base, unsigned exponent)
{
    size_t whole = size / exponent;
    return base == 2 || size % exponent == 0 ? whole + 1 : whole + 2;
}

/* wraps - whether the product can be made modulo 2^K + 1 at a length that does not hold it; shape: all but its length. */
static bool wraps(const struct search *s, struct plan_shape *shape, size_t n_digits)
{
    const struct plan_request *request = s->request;
    const size_t ring = n_digits / 64 * shape->digits.exponent, all = (s->long_size + s->short_size) / 64;
    if (request->wrap == PLAN_WRAP_NEVER || request->rule == GFMUL_RULE_KNUTH || request->kept || plan_is_dd(shape) ||
        shape->transform.packing != GFMUL_PACKING_RIGHT_ANGLE || shape->digits.an > n_digits || all < ring)
        return false;
    shape->grid.wrap_limbs = all - ring;
    return true;
}

static int balance(size_t a_digits, size_t b_digits)
{
    return (int)lround(0.5 * log2((double)a_digits / (double)b_digits));
}

/* take_shape - keep an admitted candidate, unless it is too large.   Returns true, as try_shape does. */
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
    cost += PLAN_COST_BRANCH * forced * (double)shape->transform.n_points;
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
 * Take a candidate if the rule admits it and it is the cheapest.  Returns true where smaller digits cannot do better at this
 * length: the candidate was taken, or is too dear, or too large.
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
        if (bits > plan_mu(shape->precision, false))
            return false;
    }
    const bool lightens = plan_is_dd(shape) && request->rule == GFMUL_RULE_NORM && !request->full_precision;
    if (cost * (lightens ? 1.0 - PLAN_DD_LIGHT_GAIN : 1.0) >= s->best_cost)
        return true;
    if (request->rule == GFMUL_RULE_CHECKED) {
        plan_shape_points(shape, odd, log2_n, request->max_radix);
        const double error = plan_error_model(shape, NULL, NULL);
        if (!(error < CHECKED_ERROR_TARGET))
            return false;
        return take_shape(s, shape, cost, error, 0.0);
    }
    /* K > 4 log2 n, and the expected product of norms is above 1/3 of the worst: spares most calls of the bound */
    double worst = sqrt((double)shape->digits.an * (double)shape->digits.bn) * (double)shape->digits.digit_base *
                   (double)shape->digits.digit_base;
    if (worst * (s->measured ? 0.25 / 3.2 : 0.25) * 4.0 * log2_n * plan_unit(shape) > plan_bound_limit(s->measured))
        return false;
    if (plan_is_dd(shape)) {
        shape->transform.double_passes = shape->transform.light_passes = 0;
        plan_shape_points_dd(shape, odd, log2_n);
        if (!plan_dd_carries_fit(shape))
            return false;
        if (!s->measured && !request->full_precision)
            plan_dd_schedule(shape);
    } else {
        plan_shape_points(shape, odd, log2_n, request->max_radix);
    }
    shape->bound.norms_measured = s->measured;
    shape->bound.inverse_measured = s->measured && shape->transform.packing == GFMUL_PACKING_RIGHT_ANGLE && !plan_is_dd(shape);
    double k, bound = shape->bound.inverse_measured ? plan_bound_expected_posterior(shape, &k)
                      : s->measured                 ? plan_bound_expected(shape, &k)
                                                    : plan_bound_worst(shape, &k);
    if (!(bound < plan_bound_limit(s->measured)))
        return false;
    if (lightens) {
        const double light =
            plan_dd_lighten(shape, s->measured ? plan_bound_expected : plan_bound_worst, plan_bound_limit(s->measured));
        bound = s->measured ? plan_bound_expected(shape, &k) : plan_bound_worst(shape, &k);
        take_shape(s, shape, cost * (1.0 - PLAN_DD_LIGHT_GAIN * light), bound, k);
        return light == 1.0; /* else shorter digits may */
    }
    return take_shape(s, shape, cost, bound, k);
}

/* Digits of one exponent for both operands, whatever the length. */
struct digit_counts {
    size_t a, b, a_raw; /* a_raw: without the digit for the carry of the recoding */
    size_t per_point;
    bool slices;       /* the longer operand may be cut */
    double transforms; /* of a product that is made whole */
};

static struct digit_counts digit_counts_of(const struct search *s, const struct plan_shape *start, unsigned exponent)
{
    const struct plan_request *request = s->request;
    struct digit_counts d = {.a = digits_of(s->long_size, request->base, exponent),
                             .b = digits_of(s->short_size, request->base, exponent),
                             .a_raw = (s->long_size + exponent - 1) / exponent,
                             .per_point = start->transform.packing == GFMUL_PACKING_TWO_FOR_ONE ? 1 : 2};
    /* two-for-one transforms both operands at once: there is no spectrum to keep, slices would be whole products */
    d.slices = d.per_point == 2 && !request->square && d.a / 2 >= d.b && !s->wraps;
    d.transforms = request->square || request->kept || d.per_point == 1 ? 2.0 : 3.0;
    return d;
}

/* cover - let transforms of this length make the product: whole, wrapped around, or in slices.  false: they cannot. */
static bool cover(const struct search *s, struct plan_shape *shape, const struct digit_counts *d, unsigned odd, unsigned log2_n,
                  double *product_cost)
{
    const struct plan_request *request = s->request;
    const size_t n_digits = ((size_t)odd << log2_n) * d->per_point;
    const bool whole = n_digits >= d->a + d->b - 1;
    double cost =
        plan_is_dd(shape) ? plan_dd_cost(odd, log2_n) : plan_transform_cost(odd, log2_n, request->max_radix, request->isa);
    shape->digits.an = d->a;
    shape->digits.bn = d->b;
    shape->grid.slice_digits = 0;
    shape->grid.n_slices = 1;
    shape->grid.wrap_limbs = 0;
    shape->grid.wraps = !whole && wraps(s, shape, n_digits);
    if (whole) {
        cost *= d->transforms;
    } else if (shape->grid.wraps) {
        cost = cost * d->transforms + plan_wrap_cost(shape, odd, log2_n, d->transforms, request->max_radix);
    } else {
        if (!d->slices || n_digits < d->b + PLAN_LEAF_POINTS)
            return false;
        shape->grid.slice_digits = (n_digits - d->b) / 64 * 64;
        shape->digits.an = shape->grid.slice_digits + 1;
        shape->grid.n_slices = (d->a_raw + shape->grid.slice_digits - 1) / shape->grid.slice_digits;
        const double kept = request->kept ? 0.0 : cost;
        cost = kept + (double)shape->grid.n_slices * (2.0 * cost + PLAN_COST_SLICE * (double)n_digits);
    }
    shape->digits.balance_exp = d->per_point == 1 && !request->square ? balance(shape->digits.an, shape->digits.bn) : 0;
    *product_cost = cost;
    return true;
}

/* search_exponent - all lengths.  closed: bits of those that smaller exponents need not try again; all_closed: that is all. */
static void search_exponent(struct search *s, const struct plan_shape *start, unsigned exponent, uint64_t digit_base,
                            uint64_t closed[ODD_FACTORS], bool *all_closed)
{
    const struct plan_request *request = s->request;
    const struct digit_counts d = digit_counts_of(s, start, exponent);
    struct plan_shape shape = *start;
    shape.digits.exponent = exponent;
    shape.digits.digit_base = digit_base;
    shape.digits.bits = request->base == 2 ? (double)exponent : exponent * log2((double)request->base);
    *all_closed = true;
    for (unsigned i = 0; i < ODD_FACTORS; i++) {
        const unsigned odd = plan_odd_factor(i);
        if (odd > 1 && request->rule == GFMUL_RULE_KNUTH)
            break;
        if (plan_is_dd(start) && !plan_dd_odd(odd))
            continue;
        bool whole = false;
        for (unsigned log2_n = plan_is_dd(start) ? DD_LEVELS_MIN : LEAF_LEVELS; log2_n <= LOG2_N_MAX && !whole; log2_n++) {
            whole = ((size_t)odd << log2_n) * d.per_point >= d.a + d.b - 1; /* sizes are below 2^62 */
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
            }
        }
    }
}

static void search_all(struct search *s, const struct plan_shape *start)
{
    uint64_t closed[ODD_FACTORS] = {0};
    uint64_t power[DD_DIGIT_BITS + 1];
    const unsigned bits = plan_is_dd(start) ? DD_DIGIT_BITS : DIGIT_BASE_BITS;
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
    if (s->needed_memory < HUGE_VAL) {
        say(detail, detail_bytes, "%zu x %zu %s need %.0f MiB, more than %s", request->an, request->bn, unit,
            ceil(s->needed_memory / 1048576.0), request->limit_physical ? "this machine's memory leaves" : "the memory limit");
        return GFMUL_ERR_MEMORY;
    }
    if (!s->admitted_length) {
        say(detail, detail_bytes, "%zu x %zu %s: the product is longer than any transform", request->an, request->bn, unit);
        return GFMUL_ERR_SIZE;
    }
    const char *name = s->precision == GFMUL_PRECISION_DD ? "double-double" : "double";
    const unsigned mu = plan_mu(s->precision, false);
    if (request->rule == GFMUL_RULE_KNUTH && s->needed_bits > mu) {
        say(detail, detail_bytes, "--rule=knuth: %zu x %zu %s need a significand of at least %u bits (m = %u, l = %u); %s has %u",
            request->an, request->bn, unit, s->needed_bits, s->needed_m, s->needed_l, name, mu);
        return GFMUL_ERR_PRECISION;
    }
    say(detail, detail_bytes, "%zu x %zu %s: no digit size is proved at this length in %s; more than %u bits would be needed",
        request->an, request->bn, unit, name, mu);
    return GFMUL_ERR_PRECISION;
}

static void search_init(struct search *s, const struct plan_request *request, bool measured)
{
    memset(s, 0, sizeof *s);
    s->request = request;
    const bool swap = request->an < request->bn && !request->kept;
    s->long_size = swap ? request->bn : request->an;
    s->short_size = swap ? request->an : request->bn;
    s->measured = measured;
    s->best_cost = HUGE_VAL;
    s->needed_memory = HUGE_VAL;
    s->needed_bits = ~0u;
}

/* size_in - plan_size in one precision, double or double-double. */
static enum gfmul_status size_in(enum gfmul_precision precision, struct plan_shape *shape, const struct plan_request *request,
                                 char *detail, size_t detail_bytes)
{
    struct plan_shape start;
    memset(&start, 0, sizeof start);
    start.rule = request->rule;
    start.transform.packing = request->packing == GFMUL_PACKING_AUTO ? GFMUL_PACKING_RIGHT_ANGLE : request->packing;
    start.precision = precision;
    start.digits.base = request->base;
    start.square = request->square;
    start.grid.a_pieces = start.grid.b_pieces = 1;
    start.bound.fma = request->fma;
    start.transform.row_threads = request->threads;
    start.isa = request->isa;
    start.digits.narrow = !request->full_precision;
    if (plan_is_dd(&start) && (start.transform.packing != GFMUL_PACKING_RIGHT_ANGLE || start.rule == GFMUL_RULE_CHECKED)) {
        say(detail, detail_bytes, "double-double has the right-angle packing and the rules norm and knuth");
        return GFMUL_ERR_UNSUPPORTED;
    }

    struct search worst, measured;
    search_init(&worst, request, false);
    worst.precision = precision;
    search_all(&worst, &start);
    /* expected norms need a worst case to fall back on, be it beyond the memory limit: then large norms are an error */
    const bool falls_back = worst.best_cost < HUGE_VAL || worst.needed_memory < HUGE_VAL;
    if (request->wrap == PLAN_WRAP_ALWAYS) {
        search_init(&measured, request, request->rule == GFMUL_RULE_NORM && !request->worst_case && falls_back);
        measured.wraps = true;
        search_all(&measured, &start);
        if (measured.best_cost < HUGE_VAL) {
            *shape = measured.best;
            return GFMUL_OK;
        }
    }
    if (request->rule == GFMUL_RULE_NORM && !request->worst_case && falls_back) {
        search_init(&measured, request, true);
        measured.best_cost = worst.best_cost; /* to be taken it has to be cheaper */
        search_all(&measured, &start);
        if (measured.best_cost < worst.best_cost) {
            *shape = measured.best;
            return GFMUL_OK;
        }
    }
    if (plan_is_dd(&start) && start.rule == GFMUL_RULE_KNUTH && request->base == 2 && !request->kept)
        worst.best_cost = plan_pieces_size(&worst.best, request, &start, worst.best_cost, &worst.needed_memory);
    if (worst.best_cost < HUGE_VAL) {
        *shape = worst.best;
        return GFMUL_OK;
    }
    return explain_failure(&worst, detail, detail_bytes);
}

enum gfmul_status plan_size(struct plan_shape *shape, const struct plan_request *request, char *detail, size_t detail_bytes)
{
    say(detail, detail_bytes, "%s", "");
    if (request->precision == GFMUL_PRECISION_FLOAT) {
        say(detail, detail_bytes, "--precision=float is for OpenCL devices; the CPU has double and dd");
        return GFMUL_ERR_UNSUPPORTED;
    }
    if (request->base < 2 || request->base > 36 || request->an == 0 || request->bn == 0 || request->max_radix < 4) {
        say(detail, detail_bytes, "plan_size: bad request");
        return GFMUL_ERR_ARGUMENT;
    }
    if (request->an >= SIZE_MAX / 4 || request->bn >= SIZE_MAX / 4) {
        say(detail, detail_bytes, "the product is longer than any transform");
        return GFMUL_ERR_SIZE;
    }
    const bool can = request->packing == GFMUL_PACKING_AUTO || request->packing == GFMUL_PACKING_RIGHT_ANGLE;
    const bool wins = request->rule == GFMUL_RULE_NORM && request->base == 2 && can && request->an >= PLAN_DD_FROM_BITS &&
                      request->bn >= PLAN_DD_FROM_BITS;
    const bool dd = request->precision == GFMUL_PRECISION_DD || (request->precision == GFMUL_PRECISION_AUTO && wins);
    enum gfmul_status status = size_in(dd ? GFMUL_PRECISION_DD : GFMUL_PRECISION_DOUBLE, shape, request, detail, detail_bytes);
    if (status == GFMUL_ERR_PRECISION && request->rule == GFMUL_RULE_KNUTH && request->precision == GFMUL_PRECISION_AUTO && can) {
        say(detail, detail_bytes, "%s", "");
        status = size_in(GFMUL_PRECISION_DD, shape, request, detail, detail_bytes);
    }
    return status;
}

/* ---- plans that are remade ---- */

void plan_request_worst(struct plan_request *request)
{
    request->rule = request->rule == GFMUL_RULE_CHECKED ? GFMUL_RULE_NORM : request->rule;
    request->worst_case = true;
    request->max_exponent = 0;
}

void plan_request_next(struct plan_request *request, const struct plan_shape *failed)
{
    const unsigned less = (unsigned)ceil(CHECKED_RETRY_BITS * failed->digits.exponent / failed->digits.bits);
    if (request->rule == GFMUL_RULE_CHECKED && request->max_exponent == 0 && failed->digits.exponent > less) {
        request->max_exponent = failed->digits.exponent - less;
        return;
    }
    plan_request_worst(request);
}
