/*
 * plan_dd.c - plans in double-double: passes, constants, tables.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "plan/plan_dd.h"

#include <math.h>

#include "base/parallel.h"
#include "base/rounding.h"
#include "plan/root_fixed.h"
#include "plan/thresholds/thresholds.h"

/* Constants in units of 2^-106, without and with FMA.  Each names its part of doc/error-bound.md, section 19. */
static const double sum_error = 3.0;                            /* 19.1 */
static const double light_forward = 16.1, light_inverse = 11.0; /* 19.11: all sums of a light radix 4 */
static const double product_error[2] = {22.0, 18.0};            /* 19.2: of two points */
static const double entry_error = 0.71;                         /* 19.3: of a table's entry */
static const double digits_root[2] = {42.9, 41.5};              /* 19.4: the root's three levels on digits */
static const double number_product[2] = {8.0, 6.0};             /* 19.9: of two double-doubles */
static const double double_product[2] = {2.2361, 2.0};          /* section 3, units of 2^-53 */
static const double double_entry = 0.7072;                      /* section 3, 19.6 */

/* The odd radices: on digits; backwards, in units of a product's error; in double (section 5, no FMA). */
static const struct odd_error {
    double forward, inverse;
} odd_error[] = {[3] = {18.0, 4.184}, [5] = {23.2, 6.316}, [7] = {31.5, 7.716}};

bool plan_dd_odd(unsigned odd)
{
    return odd == 1 || odd == 3 || odd == 5 || odd == 7;
}

bool plan_dd_carries_fit(const struct plan_shape *shape)
{
    const double half = (double)((shape->digits.digit_base + 1) / 2);
    return (double)plan_grid_sums(shape) * (double)shape->digits.bn * half * half < 0x1p60 * (double)shape->digits.digit_base;
}

double plan_dd_cost(unsigned odd, unsigned log2_n)
{
    static const double levels[] = {[1] = 0.0, [3] = 2.1, [5] = 3.3, [7] = 4.1}; /* by number of operations: section 19.9 */
    return ldexp((double)odd, (int)log2_n) * (PLAN_DD_COST_DIGITS + PLAN_DD_COST_LEVEL * ((double)log2_n + levels[odd]));
}

/* What rule checked admits without a proof is in double; precision auto has proved candidates under it. */
const char *plan_dd_refuses(const struct plan_request *request)
{
    const bool right_angle = request->packing == GFMUL_PACKING_AUTO || request->packing == GFMUL_PACKING_RIGHT_ANGLE;
    const bool unproved = request->rule == GFMUL_RULE_CHECKED && request->precision != GFMUL_PRECISION_AUTO;
    if (request->products > 0 || request->ring > 0)
        return "sums of products, and products in a ring, are not made in double-double";
    return right_angle && !unproved ? NULL : "double-double has the right-angle packing and the rules norm and knuth";
}

/* A point has two digits; there are two transforms at least.  With cells, transforms back may be in double. */
double plan_dd_least_ps(const struct plan_request *request)
{
    const double bits = ((double)request->an + (double)request->bn) * log2((double)request->base);
    const double points = fmax(bits / (2 * DD_DIGIT_BITS), (double)(1 << DD_LEVELS_MIN));
    return points * (PLAN_DD_COST_DIGITS + PLAN_DD_COST_LEVEL * DD_LEVELS_MIN) * (1.0 - PLAN_DD_LIGHT_GAIN) *
           plan_cost_unit_ps(request);
}

/* An odd level comes first, because the first levels have the fewest twiddles. */
static void add_levels(struct plan_shape *shape, unsigned levels, unsigned *depth)
{
    if (levels % 2 == 1)
        plan_pass_add(shape, 2, 1, depth);
    for (levels /= 2; levels > 0; levels--)
        plan_pass_add(shape, 4, 2, depth);
}

/* One inverse pass in double, in units of 2^-106: its sums, and its products with rounded twiddles. */
static double inverse_in_double(const struct plan_shape *shape, const struct plan_pass *pass)
{
    const double t = double_product[shape->bound.fma] + double_entry;
    if (pass->levels == 0)
        return odd_error[pass->radix].inverse * 0x1p53;
    return (pass->radix == 8 ? 3.0 + 2.0 * t : pass->radix == 4 ? 2.0 + t : 1.0 + t) * 0x1p53;
}

void plan_dd_pass_constants(const struct plan_shape *shape, unsigned p, double *forward, double *inverse)
{
    const int f = shape->bound.fma;
    const struct plan_pass *pass = &shape->transform.pass[p];
    const double entry = p < shape->transform.n_column_passes ? entry_error : 2.0 * entry_error + product_error[f];
    const double t = product_error[f] + entry;
    const enum dd_kind kind = dd_inverse_kind(shape, p);
    const double light = dd_forward_kind(shape, p) == DD_LIGHT ? light_forward : 2.0 * sum_error;
    const double light_back = kind == DD_LIGHT ? light_inverse : 2.0 * sum_error; /* of radix 4 */
    if (pass->levels == 0) {
        *forward = odd_error[pass->radix].forward;
        *inverse = odd_error[pass->radix].inverse * number_product[f];
    } else if (pass->radix == 8) { /* the root: radix 2, then radix 4 */
        *forward = shape->digits.narrow && shape->transform.odd == 1 ? digits_root[f] : 3.0 * sum_error + 2.0 * t;
        *inverse = sum_error + light_back + 2.0 * t;
    } else {
        *forward = (pass->radix == 4 ? light : sum_error) + t;
        *inverse = (pass->radix == 4 ? light_back : sum_error) + t;
    }
    if (kind == DD_DOUBLE)
        *inverse = inverse_in_double(shape, pass);
}

static void sum_constants(struct plan_shape *shape)
{
    struct plan_constants *c = &shape->bound.constants;
    const int f = shape->bound.fma;
    *c = (struct plan_constants){.product = product_error[f], .scale = 1.0 + number_product[f]};
    for (unsigned p = 0; p < shape->transform.n_passes; p++) {
        double forward, inverse;
        plan_dd_pass_constants(shape, p, &forward, &inverse);
        c->plain += forward;
        c->inverse += inverse;
    }
    if (shape->transform.double_passes > 0)
        c->inverse += 0x1p53; /* the low part of each value is dropped */
}

void plan_shape_points_dd(struct plan_shape *shape, unsigned odd, unsigned log2_n)
{
    unsigned depth = 0;
    shape->transform.odd = odd;
    shape->transform.log2_n = log2_n;
    shape->transform.n_points = (size_t)odd << log2_n;
    shape->transform.n_digits = 2 * shape->transform.n_points;
    shape->grid.n_branches = 1;
    shape->transform.leaf_short = false;
    shape->transform.n_passes = 0;

    const unsigned levels = log2_n - 3, rows = levels > PLAN_DD_ROW_LEVELS ? PLAN_DD_ROW_LEVELS : levels;
    if (odd > 1)
        plan_pass_add(shape, odd, 0, &depth);
    plan_pass_add(shape, 8, 3, &depth);
    add_levels(shape, levels - rows, &depth);
    shape->transform.n_column_passes = shape->transform.n_passes;
    add_levels(shape, rows, &depth);

    shape->transform.n_rows = (size_t)odd << (levels - rows);
    shape->transform.row_points = (size_t)DD_LANES << rows;
    shape->transform.row_stride = (size_t)DD_BLOCK_DOUBLES << rows;
    if (shape->transform.n_rows > 1)
        shape->transform.row_stride += PLAN_DD_PAD_DOUBLES;
    sum_constants(shape);
}

void plan_dd_schedule(struct plan_shape *shape, double (*bound)(const struct plan_shape *shape, double *k))
{
    shape->transform.double_passes = shape->transform.n_passes;
    for (;;) {
        sum_constants(shape);
        if (shape->transform.double_passes == 0 || bound(shape, NULL) < plan_bound_limit(false))
            return;
        shape->transform.double_passes--;
    }
}

void plan_dd_light(struct plan_shape *shape, unsigned passes)
{
    shape->transform.light_passes = passes;
    sum_constants(shape);
}

double plan_dd_lighten(struct plan_shape *shape, double (*bound)(const struct plan_shape *shape, double *k), double limit)
{
    const unsigned all = 2 * shape->transform.n_passes;
    unsigned passes = all;
    for (;;) {
        plan_dd_light(shape, passes);
        if (passes == 0 || bound(shape, NULL) < limit)
            return (double)passes / all;
        passes--;
    }
}

void plan_dd_describe(struct gfmul_plan_info *info, const struct plan_shape *shape)
{
    if (shape->digits.narrow) /* the odd pass, or the root's: dd_odd.h, dd_root.h */
        info->narrow_levels = shape->transform.odd > 1 || shape->digits.an > shape->transform.n_points ? 1 : 3;
    for (unsigned p = 0; p < shape->transform.double_passes; p++)
        info->double_levels += shape->transform.pass[p].levels;
    for (unsigned p = 0; p < shape->transform.n_passes; p++) {
        info->light_levels += dd_forward_kind(shape, p) == DD_LIGHT ? shape->transform.pass[p].levels : 0;
        info->light_levels += dd_inverse_kind(shape, p) == DD_LIGHT ? shape->transform.pass[p].levels : 0;
    }
}

/* ---- tables ---- */

enum { SCALAR_DOUBLES = 4 };

static unsigned node_twiddles(const struct plan_shape *s, unsigned first, unsigned end)
{
    unsigned n = 0;
    for (unsigned p = first; p < end; p++)
        n += dd_pass_twiddles(&s->transform.pass[p]);
    return n;
}

/* Nodes of a row at pass p. */
static size_t row_nodes(const struct plan_shape *s, unsigned p)
{
    return s->transform.pass[p].n_nodes / s->transform.pass[s->transform.n_column_passes].n_nodes;
}

/* The first pass after the root. */
static unsigned first_column_pass(const struct plan_shape *s)
{
    return s->transform.odd > 1 ? 2 : 1;
}

static size_t root_doubles(const struct plan_shape *s)
{
    return (size_t)s->transform.odd * DD_ROOT_ENTRIES * SCALAR_DOUBLES;
}

static size_t column_doubles(const struct plan_shape *s, unsigned p)
{
    return s->transform.pass[p].n_nodes / DD_LANES * dd_pass_twiddles(&s->transform.pass[p]) * DD_BLOCK_DOUBLES;
}

static size_t row_factor_doubles(const struct plan_shape *s)
{
    return (size_t)node_twiddles(s, s->transform.n_column_passes, s->transform.n_passes) * DD_BLOCK_DOUBLES;
}

/* Tables are laid out one after the other, each aligned to a block. */
static size_t whole_blocks(size_t doubles)
{
    return (doubles + DD_BLOCK_DOUBLES - 1) / DD_BLOCK_DOUBLES * DD_BLOCK_DOUBLES;
}

size_t plan_dd_table_doubles(const struct plan_shape *s)
{
    size_t n = whole_blocks(root_doubles(s));
    for (unsigned p = s->transform.n_column_passes; p-- > first_column_pass(s);)
        n += column_doubles(s, p);
    n += s->transform.n_rows * row_factor_doubles(s);
    for (unsigned p = s->transform.n_column_passes; p < s->transform.n_passes; p++)
        n += whole_blocks(row_nodes(s, p) * dd_pass_twiddles(&s->transform.pass[p]) * SCALAR_DOUBLES);
    return n;
}

size_t plan_dd_row_doubles(const struct plan_shape *s)
{
    size_t n = 0;
    for (unsigned p = s->transform.n_column_passes; p < s->transform.n_passes; p++)
        n += row_nodes(s, p) * dd_pass_twiddles(&s->transform.pass[p]) * DD_BLOCK_DOUBLES;
    return n;
}

/* The roots of a plan: e(num / den), den = 4 odd 2^log2_n. */
struct angles {
    struct root_maker maker;
    unsigned odd, log2_n;
};

static uint64_t reverse(uint64_t k, unsigned bits)
{
    uint64_t r = 0;
    for (unsigned b = 0; b < bits; b++)
        r |= (k >> b & 1) << (bits - 1 - b);
    return r;
}

/* twiddle - e(q theta / radix), theta the angle of node k, `depth` levels below t: (theta_t + rev(k)) / 2^depth. */
static struct dd_complex twiddle(const struct angles *a, size_t t, unsigned depth, size_t k, unsigned radix, unsigned q)
{
    const uint64_t num = 1 + 4 * (uint64_t)t + 4 * (uint64_t)a->odd * reverse(k, depth); /* theta = num / (4 odd 2^depth) */
    const unsigned down = depth + (radix == 4 ? 2 : 1);                                  /* at most log2_n */
    return root_dd(&a->maker, q * num << (a->log2_n - down));
}

static void put_scalar(double *out, struct dd_complex w)
{
    out[0] = w.re;
    out[1] = w.im;
    out[2] = w.re_lo;
    out[3] = w.im_lo;
}

static void put_lane(double *block, unsigned lane, struct dd_complex w)
{
    double part[SCALAR_DOUBLES];
    put_scalar(part, w);
    for (unsigned i = 0; i < SCALAR_DOUBLES; i++)
        block[i * DD_LANES + lane] = part[i];
}

static void build_root(const struct angles *a, double *out)
{
    for (size_t t = 0; t < a->odd; t++) {
        put_scalar(out, twiddle(a, t, 0, 0, 2, 1));
        out += SCALAR_DOUBLES;
        for (unsigned child = 0; child < 2; child++)
            for (unsigned q = 1; q <= 7; q++, out += SCALAR_DOUBLES)
                put_scalar(out, twiddle(a, t, 1, child, 4, q));
    }
}

/*
 * put_node - write a block for each twiddle of node number `node` among those under t, `levels` levels below the lanes.  The
 * angle is that of the node's first descendant `below` levels further down, so it is divided by 2^below more.
 */
static double *put_node(const struct angles *a, double *out, size_t t, unsigned levels, size_t node, const struct plan_pass *pass,
                        unsigned below)
{
    for (unsigned q = 1; q <= dd_pass_twiddles(pass); q++, out += DD_BLOCK_DOUBLES)
        for (unsigned lane = 0; lane < DD_LANES; lane++)
            put_lane(out, lane, twiddle(a, t, 3 + levels + below, ((size_t)lane << levels | node) << below, pass->radix, q));
    return out;
}

static double *build_columns(const struct plan_shape *s, const struct angles *a, unsigned p, double *out)
{
    const struct plan_pass *pass = &s->transform.pass[p];
    const unsigned levels = pass->depth - 3;
    for (size_t t = 0; t < s->transform.odd; t++)
        for (size_t node = 0; node < (size_t)1 << levels; node++)
            out = put_node(a, out, t, levels, node, pass, 0);
    return out;
}

static void build_row(const struct plan_shape *s, const struct angles *a, size_t row, double *out)
{
    const size_t rows = s->transform.n_rows / s->transform.odd;
    const unsigned levels = s->transform.pass[s->transform.n_column_passes].depth - 3;
    for (unsigned p = s->transform.n_column_passes; p < s->transform.n_passes; p++)
        out = put_node(a, out, row / rows, levels, row % rows, &s->transform.pass[p], s->transform.pass[p].depth - 3 - levels);
}

/* e(q rev(k) / radix) of the nodes k of a row at pass p, rev(k) a fraction. */
static void build_row_nodes(const struct plan_shape *s, const struct angles *a, unsigned p, double *out)
{
    const struct plan_pass *pass = &s->transform.pass[p];
    const unsigned levels = pass->depth - s->transform.pass[s->transform.n_column_passes].depth,
                   down = levels + (pass->radix == 4 ? 2 : 1);
    for (size_t k = 0; k < row_nodes(s, p); k++)
        for (unsigned q = 1; q <= dd_pass_twiddles(pass); q++, out += SCALAR_DOUBLES)
            put_scalar(out, root_dd(&a->maker, q * (4 * (uint64_t)a->odd) * reverse(k, levels) << (a->log2_n - down)));
}

struct rows_work {
    const struct plan_shape *shape;
    const struct angles *angles;
    double *rows;
};

static void rows_build(void *arg, unsigned t, size_t first, size_t end)
{
    const struct rows_work *const w = arg;
    (void)t;
    for (size_t row = first; row < end; row++)
        build_row(w->shape, w->angles, row, w->rows + row * row_factor_doubles(w->shape));
}

static void tables_build(struct plan *plan, const struct angles *a, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    double *table = plan->tables;
    build_root(a, table);
    plan->dd.root = table;
    table += whole_blocks(root_doubles(s));
    for (unsigned p = first_column_pass(s); p < s->transform.n_column_passes; p++) {
        plan->dd.column[p] = table;
        table = build_columns(s, a, p, table);
    }
    struct rows_work rows = {s, a, table};
    parallel_for(threads, s->transform.n_rows, 1, rows_build, &rows);
    plan->dd.row = rows.rows;
    table += s->transform.n_rows * row_factor_doubles(s);
    for (unsigned p = s->transform.n_column_passes; p < s->transform.n_passes; p++) {
        plan->dd.row_node[p] = table;
        build_row_nodes(s, a, p, table);
        table += whole_blocks(row_nodes(s, p) * dd_pass_twiddles(&s->transform.pass[p]) * SCALAR_DOUBLES);
    }
}

enum gfmul_status plan_dd_build(struct plan *plan, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    struct angles a = {.odd = s->transform.odd, .log2_n = s->transform.log2_n};
    const enum gfmul_status status = root_maker_create(&a.maker, (4 * (uint64_t)s->transform.odd) << s->transform.log2_n);
    if (status == GFMUL_OK)
        tables_build(plan, &a, threads);
    root_maker_destroy(&a.maker);
    return status;
}
