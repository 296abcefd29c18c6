/*
 * ranges.h - ranges of products modulo primes, traced from lib/prime; included by ranges_fma.c and ranges_plain.c.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * prime_field.h's operations are replaced: a vector is the number of a node, and field_reduce, field_mul and field_mul_any are
 * nodes, of which ranges_field.c proves what they may read and return.  All else is compiled as it is.  Scripts are in units of
 * p; those of the theorem of remainders, of numbers themselves.
 */
#ifndef GFMUL_PRIME_FIELD_H
#define GFMUL_PRIME_FIELD_H /* in its place */

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define VEC_WIDTH    8
#define STAGE_INLINE static inline __attribute__((unused))

#include "plan/prime_table.h"

#define FIELD_MUL_MOST     (VEC_HAS_FMA ? 5.0 : 10.0)
#define FIELD_FORWARD_MOST (VEC_HAS_FMA ? 2.4 : 2.8)
#define FIELD_BACK_MOST    (VEC_HAS_FMA ? 1.25 : 1.68)
#define FIELD_MAGIC        0.0 /* makes integers of doubles: nothing here */

enum node_op { NODE_INPUT, NODE_KNOWN, NODE_ADD, NODE_SUB, NODE_LIFT, NODE_REDUCE, NODE_MUL, NODE_MUL_ANY };
static struct range_node {
    enum node_op op;
    int a, b;
    double size; /* input, known: the number; products: p */
} range_node[4096];
static int n_range_nodes;

typedef double vec;

static vec range_new(enum node_op op, vec a, vec b, double size)
{
    if (n_range_nodes == sizeof range_node / sizeof *range_node)
        exit(1);
    range_node[n_range_nodes] = (struct range_node){op, (int)a, (int)b, size};
    return n_range_nodes++;
}

static vec vec_add(vec a, vec b)
{
    return range_new(NODE_ADD, a, b, 0);
}
static vec vec_sub(vec a, vec b)
{
    if (a >= 0x1p52) { /* 2^52 and the bits of an integer, less 2^52: it, exactly */
        if (range_node[(int)b].op != NODE_KNOWN || range_node[(int)b].size != 0x1p52)
            exit(1);
        return range_new(NODE_INPUT, 0, 0, a - 0x1p52);
    }
    return range_new(NODE_SUB, a, b, 0);
}
static vec vec_mul(vec a, vec b) /* by a sign */
{
    if (range_node[(int)b].op != NODE_KNOWN || fabs(range_node[(int)b].size) != 1.0)
        exit(1);
    return range_new(NODE_SUB, 0, a, 0);
}
static vec vec_set1(double a)
{
    return range_new(NODE_KNOWN, 0, 0, a);
}
static vec vec_div(vec a, vec b)
{
    (void)b;
    return a;
}
static vec vec_load(const double *p)
{
    return *p;
}
static void vec_store(double *p, vec a)
{
    *p = a;
}
static void vec_stream(double *p, vec a)
{
    *p = a;
}
static void vec_stream_fence(void)
{
}
static void vec_transpose(vec *r)
{
    (void)r;
}
static int64_t vec_int_from_magic(vec a)
{
    return (int64_t)a;
}
static void vec_int_store(int64_t *p, int64_t a)
{
    *p = a;
}

struct field {
    vec p;
    double size;
};
struct field_factor {
    vec w, quotient;
};

static struct field field_of(const struct prime *prime)
{
    return (struct field){vec_set1((double)prime->p), (double)prime->p};
}
static bool field_within(const struct field *f, vec x, double most)
{
    (void)f, (void)x, (void)most;
    return true;
}
static vec field_reduce(const struct field *f, vec x)
{
    return range_new(NODE_REDUCE, x, 0, f->size);
}
static vec field_lift(const struct field *f, vec x)
{
    return range_new(NODE_LIFT, x, 0, f->size);
}
static vec field_mul(const struct field *f, vec x, struct field_factor w)
{
    (void)w;
    return range_new(NODE_MUL, x, 0, f->size);
}
static vec field_mul_any(const struct field *f, vec x, vec y)
{
    return range_new(NODE_MUL_ANY, x, y, f->size);
}
static struct field_factor field_set(const double *w)
{
    (void)w;
    return (struct field_factor){0, 0};
}

struct duo {
    vec v[2];
};
struct duo_factor {
    struct field_factor v[2];
};
static struct duo duo_load(const double *x, size_t apart)
{
    return (struct duo){{x[0], x[apart]}};
}
static void duo_store(double *x, size_t apart, struct duo a)
{
    x[0] = a.v[0];
    x[apart] = a.v[1];
}
static struct duo duo_add(struct duo a, struct duo b)
{
    return (struct duo){{vec_add(a.v[0], b.v[0]), vec_add(a.v[1], b.v[1])}};
}
static struct duo duo_sub(struct duo a, struct duo b)
{
    return (struct duo){{vec_sub(a.v[0], b.v[0]), vec_sub(a.v[1], b.v[1])}};
}
static struct duo duo_reduce(const struct field *f, struct duo x)
{
    return (struct duo){{field_reduce(f, x.v[0]), field_reduce(f, x.v[1])}};
}
static struct duo duo_mul(const struct field *f, struct duo x, struct duo_factor w)
{
    return (struct duo){{field_mul(f, x.v[0], w.v[0]), field_mul(f, x.v[1], w.v[1])}};
}

#include <string.h>

#include "base/rounding.h"
#include "base/work_share.h"
#include "limbs/limb_bits.h"
#include "prime/prime_ops.h"

#include "prime/prime_transform.h"

#include "prime/prime_columns.h"
#include "prime/prime_rows.h"

#include "prime/prime_join.h"

#include "prime/prime_combine.h"

/* ---- scripts ---- */

static const struct field unit = {0, 1.0};
static double points[32];

/* begin - n inputs of at most so many p. */
static void begin(unsigned n, double most)
{
    n_range_nodes = 0;
    vec_set1(0); /* node 0: nothing */
    for (unsigned i = 0; i < n; i++)
        points[i] = range_new(NODE_INPUT, 0, 0, most);
}

/* range_prove - all operations may read what they do, and n results are at most `most`. */
static void range_prove(const char *name, const double *result, unsigned n, double most)
{
    char path[80];
    snprintf(path, sizeof path, "prime_%s_%s.g", name, VEC_HAS_FMA ? "fma" : "plain");
    FILE *f = fopen(path, "w");
    if (!f)
        exit(1);
    fprintf(f, "# %s: written by proof/ranges.h.\n", path);
    for (int k = 0; k < n_range_nodes; k++) {
        const struct range_node *x = &range_node[k];
        if (x->op == NODE_KNOWN)
            fprintf(f, "x%d = %.17g;\n", k, x->size);
        else if (x->op == NODE_ADD || x->op == NODE_SUB)
            fprintf(f, "x%d = x%d %c x%d;\n", k, x->a, x->op == NODE_ADD ? '+' : '-', x->b);
        else if (x->op == NODE_LIFT)
            fprintf(f, "x%d = z%d * %.17g;\n", k, k, x->size);
        else if (x->op == NODE_REDUCE)
            fprintf(f, "x%d = z%d * %a;\n", k, k, 0.5 * (1 + 0x1p-40) * x->size);
        else if (x->op == NODE_MUL)
            fprintf(f, "x%d = z%d * (%.17g + %s * |x%d|);\n", k, k, 0.5 * x->size, VEC_HAS_FMA ? "0.0495" : "0.099", x->a);
        else if (x->op == NODE_MUL_ANY)
            fprintf(f, "x%d = z%d * (0.5 + %s * |x%d * x%d|);\n", k, k, VEC_HAS_FMA ? "0.20" : "0.30", x->a, x->b);
    }
    fprintf(f, "{\n  0 in [0, 0]");
    for (int k = 0; k < n_range_nodes; k++) {
        if (range_node[k].op == NODE_INPUT)
            fprintf(f, " /\\ |x%d| <= %.17g", k, range_node[k].size);
        else if (range_node[k].op >= NODE_LIFT)
            fprintf(f, " /\\ |z%d| <= 1", k);
    }
    fprintf(f, "\n->\n  0 in [0, 0]");
    for (int k = 0; k < n_range_nodes; k++) {
        const struct range_node *x = &range_node[k];
        if (x->op == NODE_LIFT || x->op == NODE_REDUCE)
            fprintf(f, " /\\ |x%d| <= %.17g", x->a, 10 * x->size);
        else if (x->op == NODE_MUL)
            fprintf(f, " /\\ |x%d| <= %.17g", x->a, FIELD_MUL_MOST * x->size);
        else if (x->op == NODE_MUL_ANY)
            fprintf(f, " /\\ |x%d * x%d| <= 2.5", x->a, x->b);
    }
    for (unsigned i = 0; i < n; i++)
        fprintf(f, " /\\ |x%d| <= %a", (int)result[i], most);
    fprintf(f, "\n}\n");
    if (fclose(f) != 0)
        exit(1);
}

static void prove_tree(void)
{
    static const struct node_factors w;
    begin(4, 2);
    butterfly_forward(&unit, points, 1, 0, &w);
    range_prove("butterfly_forward", points, 4, 2);
    begin(4, FIELD_FORWARD_MOST);
    butterfly_forward(&unit, points, 1, 0, &w);
    range_prove("butterfly_forward_most", points, 4, 2.2);
    begin(4, VEC_HAS_FMA ? 3.8 : 4.5); /* the first one of columns */
    butterfly_forward(&unit, points, 1, 0, &w);
    range_prove("butterfly_forward_columns", points, 4, VEC_HAS_FMA ? 2.2 : 2.8);
    begin(4, FIELD_BACK_MOST);
    butterfly_back(&unit, points, 1, 0, &w);
    range_prove("butterfly_back", points, 4, FIELD_BACK_MOST);
    begin(4, VEC_HAS_FMA ? 2.5 : 2.9); /* of columns; others begin with FIELD_FORWARD_MOST */
    root_forward(&unit, points, 1, 0, w.w0);
    range_prove("root_forward", points, 4, 2);
    begin(4, FIELD_BACK_MOST);
    root_back(&unit, points, 1, 0, w.w0);
    range_prove("root_back", points, 4, FIELD_BACK_MOST);
    begin(16, 2);
    node_halves_forward(&unit, points, 8, 8, w.w0.v[0]);
    const double forward[2] = {points[0], points[8]};
    range_prove("node_halves_forward", forward, 2, 2);
    begin(16, FIELD_BACK_MOST);
    node_halves_back(&unit, points, 8, 8, w.w0.v[0]);
    const double back[2] = {points[0], points[8]};
    range_prove("node_halves_back", back, 2, FIELD_BACK_MOST);
}

/* The leaves of prime_ring.h, whose factors are products. */
static void prove_ring_leaves(void)
{
    static double factors[LEAF_FACTORS * VEC_WIDTH];
    for (int back = 0; back < 2; back++) {
        begin(VEC_WIDTH, back ? 0.6 : 2);
        for (unsigned i = 0; i < LEAF_FACTORS; i++)
            factors[i * VEC_WIDTH] = range_new(NODE_INPUT, 0, 0, VEC_HAS_FMA ? 0.525 : 0.55);
        if (back)
            leaf_back(&unit, points, factors);
        else
            leaf_forward(&unit, points, factors);
        range_prove(back ? "ring_leaves_back" : "ring_leaves_forward", points, VEC_WIDTH, back ? FIELD_BACK_MOST : 5);
    }
}

static void prove_rows(void)
{
    static double x[16], y[16];
    for (int square = 0; square < 2; square++) {
        begin(2, 2.2);
        x[0] = x[8] = points[0];
        y[0] = y[8] = points[1];
        points_mul(&unit, x, square ? x : y, 8);
        range_prove(square ? "points_square" : "points_mul", x, 1, 0.84);
    }
    /* powers: two of at most 0.7 make one; the first ones are roots and scales, 1/2 at most, or 1 */
    begin(2, 0.7);
    points[2] = field_mul_any(&unit, points[0], points[1]);
    range_prove("power", points + 2, 1, 0.7);
    for (int halves = 0; halves < 2; halves++)
        for (int back = 0; back < 2; back++) {
            vec power[ROW_QUARTERS];
            begin(ROW_QUARTERS, back ? FIELD_BACK_MOST : 2.2);
            for (unsigned q = 0; q < ROW_QUARTERS; q++)
                power[q] = range_new(NODE_INPUT, 0, 0, 0.7);
            if (back)
                turned_back(&unit, points, 1, power, field_set(NULL), halves);
            else
                turned_forward(&unit, points, points, 1, power, field_set(NULL), halves);
            char name[40];
            snprintf(name, sizeof name, "turned%d_%s", halves ? 2 : 4, back ? "back" : "forward");
            range_prove(name, points, ROW_QUARTERS, back ? FIELD_BACK_MOST : FIELD_FORWARD_MOST);
        }
    begin(1, 2); /* of prime_ring.h */
    points[0] = field_mul_any(&unit, points[0], range_new(NODE_INPUT, 0, 0, 0.7));
    range_prove("ring_row", points, 1, 0.92);
}

static void prove_digits(void)
{
    for (unsigned i = 0; i < PRIME_COUNT; i++) {
        const lane_words most = {(UINT64_C(1) << PRIME_LOW_BITS) - 1};
        char name[40];
        begin(0, 0);
        const struct field f = field_of(&prime_table[i]);
        points[0] = halves_reduce(&f, most, most, field_set(NULL), false);
        const struct range_node *sum = &range_node[(int)points[0]], *high = &range_node[sum->a];
        if (sum->op != NODE_ADD || high->op != NODE_MUL || range_node[high->a].op != NODE_INPUT ||
            range_node[sum->b].op != NODE_INPUT)
            exit(1); /* high 2^48 + low */
        snprintf(name, sizeof name, "halves_reduce%u", i + 1);
        range_prove(name, points, 1, 0.92 * f.size);
    }
}

/* The odd factors of prime_ring.h, which are reduced behind. */
static void prove_ring_odd(void)
{
    static const struct prime_tables t;
    for (unsigned odd = 3; odd <= PRIME_ODD_MAX; odd += 2)
        for (int back = 0; back < 2; back++) {
            char name[40];
            begin(odd, 1);
            odd_dft(&unit, points, odd, &t, back);
            snprintf(name, sizeof name, "ring_odd%u_%s", odd, back ? "back" : "forward");
            range_prove(name, points, odd, 10);
        }
}

/* The levels above the trees: a row of each block. */
static void prove_outer(void)
{
    enum { MOST = 4 * PRIME_ODD_MAX * (1 + PRIME_BLOCK_PAD) * PRIME_STRIP };
    static double strip[MOST], cut[MOST], roots[8];
    static const struct prime_tables t = {.root = {roots, roots}};
    const struct plan_shape two = {.transform = {.odd = 1, .n_rows = 2, .column_levels = 1}};
    const size_t half = prime_strip_row(&two, 1);
    begin(2, 0.92);
    cut[0] = points[0];
    cut[half] = points[1];
    rows_fold(&unit, cut, &two, 1);
    points[0] = cut[0];
    points[1] = cut[half];
    range_prove("rows_fold", points, 2, 0.51);
    for (unsigned odd = 1; odd <= PRIME_ODD_MAX; odd += 2)
        for (unsigned outer = 1; outer <= 2; outer++) {
            const struct plan_shape s = {.transform = {.odd = odd, .n_rows = (size_t)odd << outer, .column_levels = outer}};
            const unsigned blocks = 1U << outer;
            const size_t apart = prime_strip_row(&s, 1);
            char name[40];
            begin(odd * outer, odd == 1 ? 0.92 : 0.5 * (1 + 0x1p-40));
            for (unsigned k = 0; k < odd * outer; k++)
                cut[k * apart] = points[k];
            outer_forward(&unit, strip, (struct cut_strip){cut, 0}, &s, &t, odd, outer);
            unsigned n = 0;
            for (unsigned k = 0; k < odd; k++) /* of nodes that are not the root */
                for (unsigned node = 1; node < blocks; node++)
                    points[n++] = strip[(k * blocks + node) * apart];
            snprintf(name, sizeof name, "outer%u_%u_forward", odd, outer);
            range_prove(name, points, n, VEC_HAS_FMA ? 3.8 : 4.5);
            for (unsigned k = 0; k < odd; k++)
                points[k] = strip[k * blocks * apart];
            snprintf(name, sizeof name, "outer%u_%u_root", odd, outer);
            range_prove(name, points, odd, VEC_HAS_FMA ? 2.5 : 2.9);
            begin(odd * blocks, FIELD_BACK_MOST);
            for (unsigned k = 0; k < odd * blocks; k++)
                cut[k * apart] = points[k];
            outer_back(&unit, strip, cut, &s, &t, odd, outer);
            points[0] = strip[0];
            snprintf(name, sizeof name, "outer%u_%u_back", odd, outer);
            range_prove(name, points, 1, FIELD_BACK_MOST);
        }
}

/* Rows of a strip of a product modulo x^n + 1, without the offset: at most 1/2 more. */
static void prove_turn(void)
{
    static double strip[2 * PRIME_STRIP];
    static const double pairs[4] = {0};
    for (unsigned back = 0; back < 2; back++) {
        begin(2, back ? 1.68 : 0.92);
        for (unsigned k = 0; k < 2; k++)
            strip[k * PRIME_STRIP] = points[k];
        strip_turn(&unit, strip, PRIME_STRIP * PRIME_STRIP, 2, pairs, 0.0);
        for (unsigned k = 0; k < 2; k++)
            points[k] = strip[k * PRIME_STRIP];
        range_prove(back ? "turn_back" : "turn_forward", points, 2, 0.51);
    }
}

/* Mixed digits from what is at most `most`: they become 0 .. p - 1; but the last one, which is reduced. */
static void prove_join(const char *of, bool scaled, double most)
{
    for (unsigned n = 3; n <= PRIME_COUNT; n++) {
        static struct join join;
        static uint64_t v[PRIME_COUNT][JOIN_RUN];
        static double x[PRIME_COUNT][JOIN_RUN], *rows[PRIME_COUNT];
        char name[40];
        begin(0, 0);
        for (unsigned i = 0; i < n; i++) {
            join.f[i] = field_of(&prime_table[i]);
            rows[i] = x[i];
            x[i][0] = range_new(NODE_INPUT, 0, 0, 1.68 * join.f[i].size);
        }
        mixed_digits(&join, v, rows, 0, 0, n, scaled);
        for (unsigned i = 0; i < n; i++) {
            const struct range_node *shifted = &range_node[v[i][0]]; /* by the magic number */
            const struct range_node *digit = &range_node[shifted->a];
            if (shifted->op != NODE_ADD || digit->op != (i + 1 < n ? NODE_LIFT : NODE_REDUCE))
                exit(1);
            points[0] = i == 0 ? shifted->a : digit->a;
            snprintf(name, sizeof name, "%s%u_%u", of, n, i + 1);
            range_prove(name, points, 1, (i == 0 ? 1.0 : most) * join.f[i].size);
        }
    }
}

static void prove_ranges(void)
{
    prove_tree();
    prove_ring_leaves();
    prove_rows();
    prove_digits();
    prove_ring_odd();
    prove_outer();
    prove_turn();
    prove_join("join", false, 0.79);       /* products */
    prove_join("join_scaled", true, 3.54); /* a residue less products */
}

#endif
