/*
 * plan_device.c - plans of products on an OpenCL device: the search, the shape, its constants.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "plan/plan_device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_dd.h"
#include "plan/plan_say.h"
#include "plan/thresholds/device.h"

enum { LEAST_RUN_BITS = 48, LEAST_GROUP = 8, NORM_BITS = 20, CARRY_BITS_MAX = 61 };
enum { DEVICE_STATUS_GROUPS = 1 << 22 }; /* of the first pass: 2^16 in each set of kernels/status.cl, whose words hold no more */

/* Kernels count in 31 bits: the characters of a transform, and the bits of limbs in a row of columns. */
#define TEXT_END     ((size_t)1 << 31)
#define ROW_BITS_END ((size_t)1 << 31)

/* ---- a shape from its passes ---- */

unsigned device_norm_shift(const struct plan_shape *shape)
{
    return shape->device.field_bits > NORM_BITS ? shape->device.field_bits - NORM_BITS : 0;
}

/*
 * Double-double, in units of 2^-106: doc/error-bound.md, section 18.4.  The constants of a sum, a product of points, a twiddle
 * from a table, the kernels of the odd radices, and the scale 1/n.
 */
#define DD_SUM     3.0
#define DD_PRODUCT 18.0
#define DD_TWIDDLE 0.7072
#define DD_SCALE   6.0

/* The same of a narrow stage: what is behind a twiddle, in a step of radix 2, and of radix 4. */
#define DD_NARROW_TWIDDLE 2.0
#define DD_NARROW_PRODUCT 9.5

static void add_odd_dd(struct plan_constants *sum, unsigned radix)
{
    static const struct {
        unsigned radix;
        double forward, inverse;
    } odd[] = {{3, 18.0, 21.0}, {5, 23.2, 31.6}, {7, 31.5, 38.6}, {9, 54.8, 60.8}, {15, 41.2, 52.6}};
    unsigned i = 0;
    while (odd[i].radix != radix)
        i++;
    sum->plain += odd[i].forward;
    sum->inverse += odd[i].inverse;
}

/*
 * add_level_dd - level v of a stage.  Radix 4 is one step, whose twiddles act on a share of up to 3/4 instead of 1/2.
 * narrow: it reads digits.
 */
static void add_level_dd(struct plan_constants *sum, unsigned radix, unsigned v, bool narrow)
{
    const double back = DD_PRODUCT + DD_TWIDDLE + 0.001,
                 t = narrow ? (radix == 4 ? DD_NARROW_PRODUCT : DD_NARROW_TWIDDLE) + DD_TWIDDLE + 0.001 : back;
    sum->plain += DD_SUM;
    sum->inverse += DD_SUM;
    if (radix == 4 && v == 1)
        return;
    sum->twiddle += radix == 4 ? 1.2248 * t : t;
    sum->twiddle_sq += t * t;
    sum->inverse += back;
}

/*
 * add_pass_constants - constants of the levels of one pass, whose node lies `depth` binary levels below the root's branches.
 * first: the node is the root itself.   narrow: how many of its levels read digits.
 */
static void add_pass_constants(struct plan_constants *sum, const struct device_pass *pass, unsigned depth, bool first,
                               bool cyclic, unsigned narrow)
{
    unsigned level = 0; /* within the pass */
    for (unsigned i = 0; i < pass->n_stages; i++) {
        const unsigned odd = device_radix_odd(pass->radix[i]);
        if (odd > 1) {
            const double before = sum->inverse;
            if (pass->dd)
                add_odd_dd(sum, odd);
            else
                plan_constants_odd(sum, odd);
            /* besides the levels of stage 0 it reads the nodes below them */
            *(device_pass_coprime(pass) ? &sum->inverse_level[device_radix_log2(pass->radix[0])] : &sum->inverse_odd) +=
                sum->inverse - before;
        }
        /* one node of angle 1/4: all its twiddles are gentle; of angle 0: those of two levels are 1 */
        const bool root = first && i == 0;
        for (unsigned v = 0; v < device_radix_log2(pass->radix[i]); v++, level++) {
            const double before = sum->inverse;
            if (pass->dd)
                add_level_dd(sum, pass->radix[i], v, level < narrow);
            else if (root && cyclic && v < 2)
                plan_constants_sum(sum);
            else if (i < pass->direct_stages)
                plan_constants_level(sum, root || v >= 2);
            else
                plan_constants_product(sum, ldexp(1.0, -(int)(level + 1)));
            sum->inverse_level[depth + level] += sum->inverse - before;
        }
    }
}

/* shape_constants - if both ways run different radices, the inverse constants come from the passes back. */
static struct plan_constants shape_constants(const struct plan_shape *shape)
{
    struct plan_constants forward = {.plain = 0}, inverse = {.plain = 0};
    unsigned depth = 0; /* behind the loop: of the leaves */
    const bool cyclic = shape->transform.packing != GFMUL_PACKING_RIGHT_ANGLE;
    const unsigned narrow = shape->transform.odd == 1 ? device_narrow_levels(shape) : 0; /* an odd pass has the same constants */
    for (unsigned p = 0; p < shape->device.n_passes; p++) {
        add_pass_constants(&forward, &shape->device.forward[p], depth, p == 0, cyclic, p == 0 ? narrow : 0);
        add_pass_constants(&inverse, &shape->device.inverse[p], depth, p == 0, cyclic, 0);
        for (unsigned i = 0; i < shape->device.forward[p].n_stages; i++)
            depth += device_radix_log2(shape->device.forward[p].radix[i]);
    }
    inverse.plain = forward.plain;
    inverse.twiddle = forward.twiddle;
    inverse.twiddle_sq = forward.twiddle_sq;
    inverse.product = DD_PRODUCT;
    inverse.scale = DD_SCALE;
    inverse.leaf = inverse.inverse_level[depth - 1] - 1.0; /* the last level's, without its sum: section 18.7 */
    return inverse;
}

unsigned device_narrow_levels(const struct plan_shape *shape)
{
    const struct device_pass *first = &shape->device.forward[0];
    const bool pair = first->n_stages > 1 && device_radix_odd(first->radix[1]) > 1;
    if (!shape->digits.narrow || !first->dd || pair || device_radix_odd(first->radix[0]) > 7)
        return 0;
    return first->radix[0] == 4 ? 2 : 1;
}

/* cyclic_runs - whether a first pass has a cyclic form: points are doubles, and no odd factors run beside powers of two. */
static bool cyclic_runs(const struct device_pass *forward, const struct device_pass *inverse)
{
    return !forward->dd && !device_pass_coprime(forward) && !device_pass_coprime(inverse);
}

/* shape_finish - the fields that follow from the passes and the packing; false if they do not fit together. */
static bool shape_finish(struct plan_shape *s)
{
    size_t n = 1;
    const unsigned last = s->device.n_passes - 1;
    for (unsigned p = 0; p <= last; p++) {
        const struct device_pass *f = &s->device.forward[p], *i = &s->device.inverse[p];
        if (f->points != i->points || (p > 0 && device_radix_odd(f->points) != 1) || (p == last) != (f->columns == 1) ||
            (p == last) != (i->columns == 1))
            return false;
        if (p == 0 && f->items * f->columns < LEAST_GROUP)
            return false;
        if (p == 0 && (f->direct_stages < f->n_stages || i->direct_stages < i->n_stages))
            return false; /* at the root, one table has all twiddles */
        if (p == 0 && s->transform.packing != GFMUL_PACKING_RIGHT_ANGLE && !cyclic_runs(f, i))
            return false;
        n *= f->points;
    }
    s->transform.n_points = n;
    s->transform.n_digits = s->transform.packing == GFMUL_PACKING_TWO_FOR_ONE ? n : 2 * n;
    s->transform.odd = device_radix_odd((unsigned)s->device.forward[0].points);
    s->transform.log2_n = 0;
    while (((size_t)s->transform.odd << s->transform.log2_n) < n)
        s->transform.log2_n++;
    s->field = s->device.forward[0].dd ? PLAN_DD : PLAN_DOUBLE;
    s->bound.fma = true;
    s->device.used = true;
    if (s->transform.log2_n > PLAN_MAX_LEVELS)
        return false;
    s->bound.constants = shape_constants(s);

    const size_t columns = device_shape_columns(s, 0);
    if (columns % DEVICE_RUN_DIGITS != 0 || columns / s->device.forward[0].columns > DEVICE_STATUS_GROUPS)
        return false;
    for (unsigned p = 0; p < last; p++)
        if (device_shape_columns(s, p) % s->device.forward[p].columns != 0 ||
            device_shape_columns(s, p) % s->device.inverse[p].columns != 0)
            return false;
    return true;
}

/* exponent_max - for a shape whose passes fit together.  For limbs >= 7: its first pass has at most DEVICE_STATUS_GROUPS. */
static unsigned exponent_max(const struct plan_shape *shape, const struct plan_request *request, bool dd)
{
    const size_t row_most = (ROW_BITS_END - 1) / device_row_digits(shape),
                 wide = dd ? DEVICE_DD_LIMB_BITS_MAX : DEVICE_LIMB_BITS_MAX;
    const unsigned limb_most = (unsigned)(row_most < wide ? row_most : wide);
    const unsigned most = request->base == 2 ? limb_most : dd ? DEVICE_DD_DECIMAL_MAX : DEVICE_DECIMAL_MAX;
    return request->max_exponent > 0 && request->max_exponent < most ? request->max_exponent : most;
}

void device_shape_carry(struct plan_shape *s, unsigned chunk_blocks, unsigned tile_items)
{
    const unsigned even_rows = s->device.forward[0].points / s->transform.odd;
    const unsigned chunk = chunk_blocks > 0 ? chunk_blocks : s->digits.base == 2 ? DEVICE_CHUNK_BLOCKS : DEVICE_TEXT_CHUNK_BLOCKS;
    unsigned items = s->digits.base == 2       ? DEVICE_TILE_ITEMS
                     : s->digits.exponent <= 3 ? DEVICE_TEXT_TILE_ITEMS
                                               : DEVICE_TEXT_TILE_ITEMS / 2;
    s->device.block_digits =
        s->digits.base == 2 && s->device.inverse[0].columns <= DEVICE_BLOCK_DIGITS ? DEVICE_BLOCK_DIGITS : DEVICE_RUN_DIGITS;
    if (s->field == PLAN_DD) /* longer digits */
        items /= 2;
    else if (s->digits.base == 2 && s->transform.n_digits / s->device.block_digits / (2 * items) >= DEVICE_TILE_GROUPS)
        items *= 2;
    if (tile_items > 0)
        items = tile_items;
    const size_t blocks = device_row_digits(s) / s->device.block_digits;
    s->device.chunk_blocks = blocks < chunk ? (unsigned)blocks : chunk;
    s->device.tile_rows = items / s->device.chunk_blocks;
    if (s->device.tile_rows > even_rows)
        s->device.tile_rows = even_rows;
    s->device.group_maps = s->transform.n_digits / s->device.block_digits / s->device.chunk_blocks >= DEVICE_GROUP_CHUNKS;
}

/*
 * carries_fit - whether the carry out of a run of digits, at most min(digits) B / 2 + 1 for each product of a sum, fits into 62
 * bits and leaves the next run as -1, 0 or 1.
 */
static bool carries_fit(const struct plan_shape *s)
{
    const double run_bits = s->device.inverse[0].columns * s->digits.bits;
    if (s->field == PLAN_DOUBLE)
        return run_bits >= LEAST_RUN_BITS;
    const double digits = (double)(s->digits.an < s->digits.bn ? s->digits.an : s->digits.bn);
    const double carry_bits = log2(digits * (double)plan_grid_sums(s)) + s->digits.bits;
    return carry_bits <= CARRY_BITS_MAX && run_bits >= carry_bits + 1;
}

/* shape_digits - set digits of this exponent for these operands; false if the product does not fit. */
static bool shape_digits(struct plan_shape *s, const struct plan_request *request, unsigned exponent)
{
    const bool swap = request->an < request->bn && !request->kept;
    const size_t a_size = swap ? request->bn : request->an, b_size = swap ? request->an : request->bn;
    if (request->base == 2 && a_size / 32 + b_size / 32 >= UINT32_MAX - 1) /* kernels count words of 32 bits */
        return false;
    s->rule = request->rule;
    s->digits.base = request->base;
    s->digits.exponent = exponent;
    s->digits.digit_base = 1;
    for (unsigned i = 0; i < exponent; i++)
        s->digits.digit_base *= s->digits.base;
    s->digits.bits = log2((double)s->digits.digit_base);
    for (s->device.field_bits = 0; (uint64_t)1 << s->device.field_bits < s->digits.digit_base;)
        s->device.field_bits++;
    /* bits: one more digit for the last carry; text: the last digit may be full, too */
    s->digits.an = (a_size + (request->base == 2 ? 0 : exponent - 1)) / exponent + 1;
    s->digits.bn = (b_size + (request->base == 2 ? 0 : exponent - 1)) / exponent + 1;
    s->grid.cell_digits = s->grid.cell_limbs = 0;
    s->grid.n_branches = 1;
    s->square = request->square || request->a_cells > 0; /* cells are transformed one operand at a time */
    s->grid.a_cells = request->a_cells > 0 ? request->a_cells : 1;
    s->grid.b_cells = request->b_cells > 0 ? request->b_cells : 1;
    s->device.halves = s->digits.an > s->transform.n_digits / 2 || s->digits.bn > s->transform.n_digits / 2 ? 2 : 1;
    /* b is scaled if it is the shorter one; a shorter a, as in cells, has at least half of b's length */
    s->digits.balance_exp = device_is_shared(s) && !swap ? plan_balance(s->digits.an, s->digits.bn) : 0;
    if (s->digits.an + s->digits.bn - 1 > s->transform.n_digits ||
        (a_size + b_size + exponent - 1) / exponent > s->transform.n_digits)
        return false;
    if (request->base != 2 && s->transform.n_digits * exponent >= TEXT_END)
        return false;
    if (request->base == 2 &&
        s->transform.n_digits / 32 * exponent >= UINT32_MAX - 1) /* words of the transform, including zeros */
        return false;
    device_shape_carry(s, 0, 0);
    struct device_buffers b;
    device_shape_buffers(s, &b);
    s->memory_bytes = device_shape_operands(s) * b.points + b.runs + b.carries + b.maps + device_tables_bytes(s);
    s->memory_bytes += request->base == 2 ? (a_size + b_size) / 4 : 2 * (a_size + b_size);
    return true;
}

/*
 * shape_admitted - whether the rule admits the digits.  They are proved, or are expected to be if norms are measured, or (rule
 * checked) their errors are expected to be small.   Sets bound and k.
 */
static bool shape_admitted(struct plan_shape *s, bool measured)
{
    if (!carries_fit(s))
        return false;
    if (s->rule == GFMUL_RULE_CHECKED) {
        s->bound.norms_measured = false;
        s->bound.k = 0;
        s->bound.value = plan_error_model(s, NULL, NULL);
        return s->bound.value < CHECKED_ERROR_TARGET;
    }
    s->bound.norms_measured = measured;
    s->bound.inverse_measured = measured && s->transform.packing == GFMUL_PACKING_RIGHT_ANGLE;
    s->bound.value = measured ? plan_bound_expected_posterior(s, &s->bound.k) : plan_bound_sums(s, &s->bound.k);
    return s->bound.value < plan_bound_limit(measured) && (s->rule != GFMUL_RULE_KNUTH || (!measured && plan_knuth_holds(s)));
}

/* packing_of - the packing of a request.   packing_runs - whether a device has it: right-angle alone adds up products. */
static enum gfmul_packing packing_of(const struct plan_request *request)
{
    return request->packing == GFMUL_PACKING_AUTO ? GFMUL_PACKING_RIGHT_ANGLE : request->packing;
}

static bool packing_runs(const struct plan_request *request, bool dd)
{
    const enum gfmul_packing packing = packing_of(request);
    return packing == GFMUL_PACKING_RIGHT_ANGLE ||
           (!dd && request->a_cells == 0 && request->products == 0 && (packing == GFMUL_PACKING_ONE_FOR_HALF || !request->kept));
}

enum gfmul_status plan_device_parse(struct plan_shape *shape, const struct plan_request *request, const char *text,
                                    unsigned exponent, char *detail, size_t detail_bytes)
{
    struct device_pass pass[2 * DEVICE_PASSES - 1];
    const bool dd = request->precision == GFMUL_PRECISION_DD;
    unsigned n = 0;
    const char *p = text;
    say(detail, detail_bytes, "%s", "");
    if (request->precision == GFMUL_PRECISION_PRIME)
        return device_primes_parse(shape, request, text, exponent, detail, detail_bytes);
    if (!packing_runs(request, dd))
        return plan_fail(GFMUL_ERR_UNSUPPORTED, detail, detail_bytes, "a device has no kernels for this packing");
    do {
        if (n == 2 * DEVICE_PASSES - 1 || !device_pass_parse(&pass[n++], p, dd, &p) || pass[n - 1].leaf != 1 ||
            (*p != ',' && *p != '\0')) {
            return plan_fail(GFMUL_ERR_ARGUMENT, detail, detail_bytes, "\"%s\": pass %u is not RADIX.RADIX.../ITEMS/COLUMNS[/s]",
                             text, n);
        }
    } while (*p++ == ',');
    memset(shape, 0, sizeof *shape);
    shape->transform.packing = packing_of(request);
    shape->digits.narrow = !request->full_precision;
    unsigned rows = 0; /* the pass of one column */
    while (rows < n && pass[rows].columns != 1)
        rows++;
    if (rows == 0 || rows >= DEVICE_PASSES || (n != rows + 1 && n != 2 * rows + 1))
        return plan_fail(GFMUL_ERR_ARGUMENT, detail, detail_bytes,
                         "\"%s\": passes over columns, one over rows (1 column), and back", text);
    shape->device.n_passes = rows + 1;
    for (unsigned i = 0; i <= rows; i++) {
        shape->device.forward[i] = pass[i];
        shape->device.inverse[i] = n == rows + 1 ? pass[i] : pass[2 * rows - i];
    }
    if (!shape_finish(shape))
        return plan_fail(GFMUL_ERR_ARGUMENT, detail, detail_bytes, "\"%s\": the passes do not fit together", text);
    if (exponent < 1 || exponent > exponent_max(shape, request, dd) || !shape_digits(shape, request, exponent) ||
        !carries_fit(shape))
        return plan_fail(GFMUL_ERR_SIZE, detail, detail_bytes,
                         "%zu points do not hold %zu x %zu digits of base %u in digits of %u", shape->transform.n_points,
                         request->an, request->bn, request->base, exponent);
    if (!shape_admitted(shape, !request->worst_case && request->rule == GFMUL_RULE_NORM))
        return plan_fail(GFMUL_ERR_PRECISION, detail, detail_bytes, "digits of %u bits are not %s on %zu points: bound %.3f",
                         exponent, request->rule == GFMUL_RULE_CHECKED ? "to be expected right" : "proved",
                         shape->transform.n_points, shape->bound.value);
    device_passes_print(&shape->device);
    return GFMUL_OK;
}

/* ---- the search ---- */

struct choice {
    const struct plan_request *request;
    const struct device_limits *limits;
    bool dd;
    struct device_scale scale;
    struct device_ways ways;
    double best_cost;
    struct plan_shape best;
    double least_memory; /* of the shapes that did not fit into device memory */
};

/* rows_parked - how many rows wait in local memory: kernels/columns_mul_fused.cl, .._paired_fused.cl, .._halves_fused.cl. */
static unsigned rows_parked(const struct device_pass *pass, const struct plan_request *request)
{
    const enum gfmul_packing packing = packing_of(request);
    if (packing == GFMUL_PACKING_ONE_FOR_HALF && !request->square)
        return 2 + pass->park;
    return packing != GFMUL_PACKING_RIGHT_ANGLE || pass->park;
}

static bool pass_allowed(const struct device_pass *pass, const struct choice *choice)
{
    const unsigned more = pass->columns == 1 ? rows_parked(pass, choice->request) - pass->park : 0; /* that one is counted */
    return device_pass_local_bytes(pass) + more * (size_t)pass->points * 2 * sizeof(double) <= choice->limits->local_bytes &&
           pass->items * pass->columns <= choice->limits->max_work_group;
}

/* line_passes - a line of the table as passes, forward and back, if the device can run them. */
static bool line_passes(const struct device_pass_line *line, const struct choice *choice, struct device_pass *forward,
                        struct device_pass *inverse)
{
    const char *end;
    return device_pass_parse(forward, line->forward, choice->dd, &end) &&
           device_pass_parse(inverse, line->inverse ? line->inverse : line->forward, choice->dd, &end) &&
           pass_allowed(forward, choice) && pass_allowed(inverse, choice);
}

/*
 * try_shape - try these passes with the smallest digits that hold the product and pass on its carries.  Runs of shorter digits do
 * not pass them on, and neither do sums of longer ones.  If the rule admits larger digits, it admits these, too.
 */
static void try_shape(struct choice *choice, struct plan_shape *shape, double cost)
{
    const struct plan_request *request = choice->request;
    const bool twice = !request->worst_case && request->rule == GFMUL_RULE_NORM;
    if (cost >= choice->best_cost || !shape_finish(shape))
        return;
    const unsigned most = exponent_max(shape, request, choice->dd);
    unsigned l = most;
    if (!shape_digits(shape, request, l))
        return;
    while (l > 1 && shape_digits(shape, request, l - 1))
        l--;
    while (l < most && shape_digits(shape, request, l) && !carries_fit(shape))
        l++;
    for (int measured = 0; measured <= twice; measured++) {
        if (!shape_digits(shape, request, l) || !shape_admitted(shape, measured != 0))
            continue;
        if (choice->limits->memory_bytes != 0 && shape->memory_bytes > choice->limits->memory_bytes) {
            if (choice->least_memory == 0 || (double)shape->memory_bytes < choice->least_memory)
                choice->least_memory = (double)shape->memory_bytes;
            continue;
        }
        choice->best = *shape;
        choice->best.device.cost = choice->best_cost = cost;
        return;
    }
}

/* try_passes - try all ways to continue the passes chosen so far. */
static void try_passes(struct choice *choice, struct plan_shape *shape, double points, double cost_per_point)
{
    const unsigned p = shape->device.n_passes;
    for (const struct device_pass_line *line = choice->dd ? device_pass_lines_dd : device_pass_lines; line->forward; line++) {
        const bool first = line->place == DEVICE_FIRST, rows = line->place == DEVICE_ROWS;
        if (first != (p == 0) || (!rows && p == DEVICE_PASSES - 1) ||
            !line_passes(line, choice, &shape->device.forward[p], &shape->device.inverse[p]))
            continue;
        const double cost = device_pass_cost(&choice->scale, &shape->device.forward[p], line->place, line->cost);
        const double n = points * shape->device.forward[p].points, per_point = cost_per_point + cost * choice->ways.share;
        const size_t longest = choice->request->an > choice->request->bn ? choice->request->an : choice->request->bn;
        if (n > 128.0 * (double)longest + 65536.0 || /* more points than any digits need */
            (choice->limits->points_most > 0 && n > (double)choice->limits->points_most) ||
            (choice->limits->buffer_bytes > 0 && n * device_point_bytes(shape) > (double)choice->limits->buffer_bytes))
            continue;
        shape->device.n_passes = p + 1;
        if (rows)
            try_shape(choice, shape,
                      n * (per_point + device_ways_cost(&choice->ways, &choice->scale, DEVICE_COST_ENDS * choice->scale.memory)) +
                          device_ways_launches(&choice->ways, p + 1));
        else if (n * per_point < choice->best_cost)
            try_passes(choice, shape, n, per_point);
        shape->device.n_passes = p;
    }
}

enum gfmul_status plan_device_size(struct plan_shape *shape, const struct plan_request *request,
                                   const struct device_limits *limits, char *detail, size_t detail_bytes)
{
    struct plan_shape start;
    const bool knuth = request->rule == GFMUL_RULE_KNUTH; /* in double it ends at 8192 bits */
    const bool dd = request->precision == GFMUL_PRECISION_DD || (knuth && request->precision == GFMUL_PRECISION_AUTO);
    struct choice choice = {.request = request, .limits = limits, .dd = dd, .best_cost = HUGE_VAL};
    say(detail, detail_bytes, "%s", "");
    if (request->products > 0 && (request->precision == GFMUL_PRECISION_DD || knuth))
        return plan_fail(GFMUL_ERR_UNSUPPORTED, detail, detail_bytes, "a device makes sums in double and modulo primes alone");
    if (request->precision == GFMUL_PRECISION_PRIME)
        return device_primes_size(shape, request, limits, detail, detail_bytes);
    if ((request->base != 2 && request->base != 10) || (knuth && !dd) || (request->rule == GFMUL_RULE_CHECKED && dd) ||
        !packing_runs(request, dd) || request->an == 0 || request->bn == 0)
        return plan_fail(
            GFMUL_ERR_UNSUPPORTED, detail, detail_bytes,
            "doubles on a device have bases 2 and 10 (others: precision prime), packings right-angle and, in double and without "
            "cells, two-for-one and one-for-half, and rules norm, checked in double and knuth in double-double");
    choice.scale = device_scale_of(&limits->rates, dd ? PLAN_DD : PLAN_DOUBLE);
    memset(&start, 0, sizeof start);
    start.transform.packing = packing_of(request);
    start.digits.narrow = !request->full_precision;
    start.bound.products = request->products;
    start.square = request->square;
    choice.ways = device_ways_of(request->products);
    if (device_is_shared(&start))
        choice.ways.share = 2.0 / 3.0;
    try_passes(&choice, &start, 1, 0);
    if (choice.best_cost < HUGE_VAL) {
        *shape = choice.best;
        device_passes_print(&shape->device);
        return GFMUL_OK;
    }
    if (choice.least_memory > 0)
        return plan_fail(GFMUL_ERR_MEMORY, detail, detail_bytes,
                         "the product needs %.0f MiB of the device, which has %zu MiB free", choice.least_memory / 1048576,
                         limits->memory_bytes >> 20);
    return plan_fail(GFMUL_ERR_SIZE, detail, detail_bytes, "the product is longer than any transform of the device");
}
