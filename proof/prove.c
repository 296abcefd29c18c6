/*
 * prove.c - Gappa scripts of traced programs: prove.h.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * An operation's value is a linear form of the inputs, A, and an output a linear form of the operation's rounding error, J.
 * Coefficients are polynomials, written out into the scripts.  Gappa checks by itself that an expression and its reduced form
 * are equal.
 */
#include "script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Between unit roundoff and the constants there is room for what is left out: products of two errors, below 2^-44. */
#define ROOM (1 + 0x1p-40)

static void goal(struct script *s, const char *format, const char *a, const char *b)
{
    put(s, GOAL, "%s", s->goals++ ? " /\\\n  " : "  ");
    put(s, GOAL, format, a, b);
}

/* ---- linear forms ---- */

static struct poly value_of[MAX_NODES][MAX_INPUTS];   /* A */
static struct poly effect_on[MAX_OUTPUTS][MAX_NODES]; /* J */
static unsigned depth_of[MAX_NODES], max_depth;

static struct poly node_value(int node, unsigned input)
{
    return node_known(&trace, node) ? poly_number(0) : value_of[node][input];
}

static struct poly node_sum(const struct node *x, struct poly a, struct poly b, struct poly c)
{
    const struct poly k = trace.node[x->a].known;
    switch (x->op) {
    case OP_NEG:
        return poly_scale(a, -1);
    case OP_ERROR:
        return a;
    case OP_ADD:
        return poly_add(a, b);
    case OP_SUB:
        return poly_add(a, poly_scale(b, -1));
    case OP_MUL:
        return poly_mul(k, b);
    case OP_FMA:
        return poly_add(poly_mul(k, b), c);
    case OP_FMS:
        return poly_add(poly_mul(k, b), poly_scale(c, -1));
    case OP_FNMA:
        return poly_add(c, poly_scale(poly_mul(k, b), -1));
    default:
        return poly_number(0);
    }
}

/* one_of_many - whether it is one of several errors, which stay in a layer. */
static bool one_of_many(int node)
{
    const struct node *x = trace.node + node;
    return x->op == OP_ERROR && trace.node[x->a].op == OP_ERROR;
}

/* Depths are even; products of FMAs in two roundings have the odd depth below their sum's. */
static void find_depths(void)
{
    max_depth = 0;
    for (unsigned i = 0; i < trace.n_nodes; i++) {
        const struct node *x = trace.node + i;
        unsigned d = 0;
        if (x->op != OP_INPUT && x->op != OP_KNOWN) {
            const bool three = x->op == OP_FMA || x->op == OP_FMS || x->op == OP_FNMA;
            const bool one = x->op == OP_NEG || x->op == OP_ERROR;
            d = depth_of[x->a];
            d = !one && depth_of[x->b] > d ? depth_of[x->b] : d;
            d = three && depth_of[x->c] > d ? depth_of[x->c] : d;
        }
        depth_of[i] = (d + 1) / 2 * 2 + (node_rounds(&trace, (int)i) && !x->inner ? 2 : 0);
        if (x->inner)
            depth_of[i] = d;
        if (x->op == OP_ERROR && x->together != (int)i)
            depth_of[i] = depth_of[x->together];
        if (depth_of[i] > max_depth)
            max_depth = depth_of[i];
    }
    for (unsigned i = 0; i < trace.n_nodes; i++) /* products of FMAs: just before their sums */
        for (unsigned j = 0; j < trace.n_nodes; j++)
            if (trace.node[i].inner && (trace.node[j].op == OP_ADD || trace.node[j].op == OP_SUB) &&
                (trace.node[j].a == (int)i || trace.node[j].b == (int)i))
                depth_of[i] = depth_of[j] - 1;
    for (unsigned o = 0; o < trace.n_outputs; o++)
        if (node_rounds(&trace, trace.output[o]) && !one_of_many(trace.output[o]))
            depth_of[trace.output[o]] = max_depth;
}

static void find_forms(void)
{
    for (unsigned i = 0; i < trace.n_nodes; i++) {
        const struct node *x = trace.node + i;
        for (unsigned in = 0; in < trace.n_inputs; in++)
            value_of[i][in] = x->op == OP_INPUT   ? poly_number(x->input == in)
                              : x->op == OP_KNOWN ? poly_number(0)
                                                  : node_sum(x, node_value(x->a, in), node_value(x->b, in), node_value(x->c, in));
    }
    for (unsigned o = 0; o < trace.n_outputs; o++) {
        for (unsigned i = 0; i < trace.n_nodes; i++)
            effect_on[o][i] = poly_number(trace.output[o] == (int)i);
        for (unsigned i = trace.n_nodes; i-- > 0;) {
            const struct node *x = trace.node + i;
            const struct poly e = effect_on[o][i], zero = poly_number(0), one = poly_number(1);
            if (x->op == OP_INPUT || x->op == OP_KNOWN || e.n == 0)
                continue;
            const int from[3] = {x->a, x->b, x->c};
            for (unsigned k = 0; k < 3; k++) {
                const struct poly d = node_sum(x, k == 0 ? one : zero, k == 1 ? one : zero, k == 2 ? one : zero);
                if (!node_known(&trace, from[k]))
                    effect_on[o][from[k]] = poly_add(effect_on[o][from[k]], poly_mul(e, d));
            }
        }
    }
    find_depths();
}

/* ---- polynomials in twiddles, reduced by c^2 (1 + tau^2) = 1 ---- */

/* reduced - c^2 by (square of the modulus) - (share), c^2 tau^2 and s^2 by the share. */
static struct poly reduced(struct poly p)
{
    for (;;) {
        struct poly r = poly_number(0);
        bool changed = false;
        for (unsigned i = 0; i < p.n; i++) {
            struct term t = p.t[i];
            struct poly by = {0, NULL};
            for (unsigned d = 0; d + 1 < t.degree && !by.t; d++) {
                const unsigned s = t.s[d], other = symbols[s].other;
                unsigned others = 0, rest = 0;
                if (t.s[d + 1] != s || (symbols[s].kind != SYMBOL_C && symbols[s].kind != SYMBOL_SINE))
                    continue;
                for (unsigned e = 0; e < t.degree; e++)
                    others += t.s[e] == other;
                const bool with = symbols[s].kind == SYMBOL_C && symbols[other].kind == SYMBOL_TAU && others >= 2;
                const unsigned share = symbols[s].kind == SYMBOL_C ? symbols[other].other : other;
                by = with || symbols[s].kind == SYMBOL_SINE
                         ? poly_symbol(share)
                         : poly_add(poly_symbol(share + 1), poly_scale(poly_symbol(share), -1));
                for (unsigned e = 0, drop_s = 2, drop_other = with ? 2 : 0; e < t.degree; e++) {
                    if (t.s[e] == s && drop_s > 0)
                        drop_s--;
                    else if (t.s[e] == other && drop_other > 0)
                        drop_other--;
                    else
                        t.s[rest++] = t.s[e];
                }
                t.degree = rest;
            }
            const struct poly one = {1, &t};
            changed = changed || by.t;
            r = poly_add(r, by.t ? poly_mul(one, by) : one);
        }
        p = r;
        if (!changed)
            return p;
    }
}

static bool has_twiddles(void)
{
    for (unsigned i = 0; i < n_symbols; i++)
        if (symbols[i].kind == SYMBOL_C)
            return true;
    return false;
}

static double about_share(struct poly p, double share)
{
    double sum = 0;
    for (unsigned i = 0; i < p.n; i++) {
        double x = p.t[i].k;
        for (unsigned d = 0; d < p.t[i].degree; d++) {
            const struct symbol *s = symbols + p.t[i].s[d];
            x *= s->kind == SYMBOL_MODULUS ? 1
                 : s->kind == SYMBOL_SHARE ? share
                 : s->kind == SYMBOL_ERROR ? constant_error(s - 1)
                                           : s->value;
        }
        sum += x;
    }
    return sum;
}

/* What a polynomial may be at most, about: shares at their largest, or none. */
static double about(struct poly p, struct twiddles w)
{
    p = reduced(p);
    const double none = about_share(p, 0), most = about_share(p, w.largest_share);
    return fabs(none) > fabs(most) ? none : most;
}

/* put_name - define a name for a polynomial, with its reduced form as a hint. */
static unsigned put_name(struct script *s, struct poly p)
{
    for (unsigned i = 0; i < s->names; i++)
        if (poly_add(p, poly_scale(s->named[i], -1)).n == 0)
            return i;
    const unsigned name = s->names++;
    s->named = realloc(s->named, s->names * sizeof *s->named);
    if (!s->named)
        give_up("no memory");
    s->named[name] = p;
    put(s, DEFINE, "p%u = ", name);
    put_poly(s, DEFINE, p);
    put(s, DEFINE, ";\n");
    if (has_twiddles() && (p.n > 1 || (p.n == 1 && p.t[0].degree > 0))) {
        put(s, HINT, "p%u -> ", name);
        put_poly(s, HINT, reduced(p));
        put(s, HINT, ";\n");
    }
    return name;
}

/* ---- forwards ---- */

enum { MAX_LAYER = 256 };

struct layer {
    unsigned n, node[MAX_LAYER];
    double root; /* the bound of its square, of which the script proves that it is one */
};

/* size_of - the node whose value bounds an operation's error, `weight` times. */
static unsigned size_of(unsigned node)
{
    return trace.node[node].op == OP_ERROR ? (unsigned)trace.node[node].b : node;
}

static double weight_of(unsigned node)
{
    return trace.node[node].op == OP_ERROR ? trace.node[node].weight : 1.0;
}

/* Errors are in units of their weights. */
static struct poly effect_product(unsigned a, unsigned b)
{
    struct poly p = poly_number(0);
    for (unsigned o = 0; o < trace.n_outputs; o++)
        p = poly_add(p, poly_mul(effect_on[o][a], effect_on[o][b]));
    return poly_scale(p, weight_of(a) * weight_of(b));
}

/*
 * Schur's test of a symmetric matrix g of m rows: weights y with |g| y <= square y.  About the smallest square, its weights.
 */
static double schur_weights(double *y, const double *g, unsigned m)
{
    double v[MAX_INPUTS], next[MAX_INPUTS], square = 0, largest_row = 0;
    for (unsigned i = 0; i < m; i++) {
        double row = 0;
        v[i] = 1;
        for (unsigned j = 0; j < m; j++)
            row += fabs(g[i * m + j]);
        largest_row = fmax(largest_row, row);
    }
    for (unsigned k = 0; k < 20000; k++) {
        double largest = 0;
        for (unsigned i = 0; i < m; i++) {
            next[i] = 1e-3 * largest_row * v[i];
            for (unsigned j = 0; j < m; j++)
                next[i] += fabs(g[i * m + j]) * v[j];
            largest = fmax(largest, next[i]);
        }
        double change = 0;
        square = largest - 1e-3 * largest_row;
        for (unsigned i = 0; i < m; i++) {
            change = fmax(change, fabs(v[i] - next[i] / largest));
            v[i] = next[i] / largest;
        }
        if (change < 1e-14)
            break;
    }
    for (unsigned i = 0; i < m; i++)
        y[i] = 1;
    if (largest_row <= square * (1 + 1e-7))
        return largest_row;
    square *= 1 + 1e-6;
    /* y = 1 + |g| y / square, by elimination: the matrix is an M-matrix, and needs no pivots */
    double a[MAX_INPUTS][MAX_INPUTS + 1];
    for (unsigned i = 0; i < m; i++) {
        for (unsigned j = 0; j < m; j++)
            a[i][j] = (i == j) - fabs(g[i * m + j]) / square;
        a[i][m] = 1;
    }
    for (unsigned k = 0; k < m; k++) {
        for (unsigned i = 0; i < m; i++) {
            const double f = a[i][k] / a[k][k];
            for (unsigned j = k; j <= m && i != k; j++)
                a[i][j] -= f * a[k][j];
        }
    }
    for (unsigned i = 0; i < m; i++)
        y[i] = a[i][m] / a[i][i];
    return square;
}

/* In an odd radix: streams s and R - s by their sum and difference, over sqrt 2; an orthogonal map. */
static void halve_and_join(struct poly (*g)[MAX_INPUTS], unsigned m)
{
    for (unsigned half = 0; half < 2; half++) { /* columns, then rows */
        for (unsigned a = 0; a < m; a++) {
            for (unsigned i = 2; i < (m + 2) / 2; i++) {
                const unsigned j = i % 2 ? m - i + 2 : m - i;
                struct poly *x = half ? &g[i][a] : &g[a][i], *y = half ? &g[j][a] : &g[a][j];
                const struct poly sum = poly_add(*x, *y), difference = poly_add(*x, poly_scale(*y, -1));
                *x = half ? poly_scale(sum, 0.5) : sum;
                *y = half ? poly_scale(difference, 0.5) : difference;
            }
        }
    }
}

static void join_output_0(struct poly (*g)[MAX_INPUTS], unsigned m)
{
    for (unsigned i = 0; i < m; i++)
        for (unsigned j = i % 2; j < m; j += 2)
            g[i][j] = poly_add(g[i][j], poly_number(1));
}

/*
 * put_schur - the goals |g| y <= square y; the square.
 *
 * In an odd radix the squares of the sums of all re and of all im (output 0) may be added to g.  That makes g no smaller, but it
 * may make |g| smaller; and so may the orthogonal map.  The best of four is taken.
 */
static double put_schur(struct script *s, struct poly (*given)[MAX_INPUTS], unsigned m, struct twiddles w)
{
    static struct poly g[MAX_INPUTS][MAX_INPUTS];
    double number[MAX_INPUTS * MAX_INPUTS], y[MAX_INPUTS], square = 0;
    unsigned name[MAX_INPUTS][MAX_INPUTS], best = 0;
    for (unsigned way = 0; way < 5; way++) {
        const unsigned now = way < 4 ? way : best;
        memcpy(g, given, sizeof g);
        if (now & 1)
            join_output_0(g, m);
        if (now & 2)
            halve_and_join(g, m);
        for (unsigned i = 0; i < m; i++)
            for (unsigned j = 0; j < m; j++)
                number[i * m + j] = about(g[i][j], w);
        const double x = schur_weights(y, number, m);
        if (way == 0 || x < square * (1 - 1e-9) || way == 4) {
            best = now;
            square = x;
        }
        if (has_twiddles())
            break;
    }
    square *= has_twiddles() ? 1 : 1 + 2e-6;
    if (best)
        put(s, HINT, "# inputs%s%s\n", best & 1 ? ": output 0 added" : "", best & 2 ? ": by sums and differences" : "");
    for (unsigned i = 0; i < m; i++)
        for (unsigned j = 0; j <= i; j++)
            if (g[i][j].n > 0)
                name[i][j] = name[j][i] = put_name(s, g[i][j]);
    for (unsigned i = 0; i < m; i++) {
        bool first = true;
        for (unsigned j = 0; j < m; j++) {
            if (g[i][j].n == 0)
                continue;
            if (first)
                put(s, GOAL, s->goals++ ? " /\\\n  " : "  ");
            put(s, GOAL, "%s|p%u| * %.17g", first ? "" : " + ", name[i][j], y[j]);
            first = false;
        }
        if (!first)
            put(s, GOAL, " <= %.17g", y[i] == 1 ? square : square * y[i] * (1 - 0x1p-50)); /* not above the product */
    }
    return square;
}

/* joint_weights - those of the largest eigenvalue, in each part of the layer whose errors meet; 1 unless w says `joint`. */
static void joint_weights(double *y, const struct layer *l, struct twiddles w)
{
    for (unsigned i = 0; i < l->n; i++)
        y[i] = 1;
    for (unsigned k = 0; w.joint && k < 200; k++) {
        static double g[MAX_LAYER][MAX_LAYER];
        double row[MAX_LAYER];
        for (unsigned i = 0; i < l->n; i++) {
            row[i] = 0;
            for (unsigned j = 0; j < l->n; j++) {
                if (k == 0)
                    g[i][j] = fabs(about(effect_product(l->node[i], l->node[j]), w));
                row[i] += g[i][j] * y[j];
            }
        }
        for (unsigned i = 0; i < l->n; i++) {
            double all = 0;
            for (unsigned j = 0; j < l->n; j++)
                all += g[i][j] > 0 ? row[j] : 0;
            y[i] = (float)(row[i] / all);
        }
    }
}

/* The Gram matrix of a layer's values, each weighted by what its error does to all outputs. */
static double put_layer(struct script *s, const struct layer *l, struct twiddles w)
{
    static struct poly g[MAX_INPUTS][MAX_INPUTS];
    struct poly weight[MAX_LAYER];
    double y[MAX_LAYER];
    bool orthogonal = true;
    for (unsigned i = 0; i < l->n; i++)
        for (unsigned j = 0; j < i; j++)
            orthogonal = orthogonal && reduced(effect_product(l->node[i], l->node[j])).n == 0;
    joint_weights(y, l, w);
    for (unsigned i = 0; i < l->n; i++) {
        weight[i] = effect_product(l->node[i], l->node[i]);
        if (orthogonal)
            continue;
        /* a number above the sum of the moduli of a row of J^T J, by weights */
        double row = 0;
        put(s, GOAL, s->goals++ ? " /\\\n  " : "  ");
        bool first = true;
        for (unsigned j = 0; j < l->n; j++) {
            const struct poly p = effect_product(l->node[i], l->node[j]);
            if (p.n == 0)
                continue;
            row += fabs(about(p, w)) * y[j] / y[i];
            put(s, GOAL, "%s|p%u|", first ? "" : " + ", put_name(s, p));
            if (y[j] != y[i])
                put(s, GOAL, " * (%.17g / %.17g)", y[j], y[i]);
            first = false;
        }
        row = w.joint ? ceil(row * (1 + 1e-7) * 0x1p18) * 0x1p-18 : nextafter((float)(row * (1 + 1e-7)), 100);
        put(s, GOAL, " <= %.17g", row);
        weight[i] = poly_number(row);
    }
    for (unsigned a = 0; a < trace.n_inputs; a++) {
        for (unsigned b = 0; b < trace.n_inputs; b++) {
            g[a][b] = poly_number(0);
            for (unsigned i = 0; i < l->n; i++)
                g[a][b] = poly_add(
                    g[a][b], poly_mul(weight[i], poly_mul(value_of[size_of(l->node[i])][a], value_of[size_of(l->node[i])][b])));
            if (has_twiddles() && reduced(g[a][b]).n == 0)
                g[a][b] = poly_number(0);
        }
    }
    return put_schur(s, g, trace.n_inputs, w);
}

/* The error matrix of the rounded constants of an odd radix: coefficients are linear in them. */
static double put_constants(struct script *s, struct twiddles w)
{
    static struct poly error[MAX_OUTPUTS][MAX_INPUTS], g[MAX_INPUTS][MAX_INPUTS];
    for (unsigned o = 0; o < trace.n_outputs; o++) {
        for (unsigned in = 0; in < trace.n_inputs; in++) {
            const struct poly v = node_value(trace.output[o], in);
            error[o][in] = poly_number(0);
            for (unsigned i = 0; i < v.n; i++) {
                if (v.t[i].degree > 1)
                    give_up("a product of constants");
                if (v.t[i].degree == 1)
                    error[o][in] = poly_add(error[o][in], poly_scale(poly_symbol(symbols[v.t[i].s[0]].other), v.t[i].k));
            }
        }
    }
    for (unsigned a = 0; a < trace.n_inputs; a++) {
        for (unsigned b = 0; b < trace.n_inputs; b++) {
            g[a][b] = poly_number(0);
            for (unsigned o = 0; o < trace.n_outputs; o++)
                g[a][b] = poly_add(g[a][b], poly_mul(error[o][a], error[o][b]));
        }
    }
    return put_schur(s, g, trace.n_inputs, w);
}

static bool reads_only(const struct layer *l, unsigned behind)
{
    for (unsigned i = 0; i < l->n; i++)
        for (unsigned in = 0; in < trace.n_inputs; in++)
            if (!(behind >> in & 1) && value_of[size_of(l->node[i])][in].n > 0)
                return false;
    return true;
}

void prove_forward(const char *name, double factor, unsigned behind, double plain, double twiddle, struct twiddles w)
{
    struct script s = {.names = 0};
    struct script sum[2] = {{.names = 0}, {.names = 0}}; /* of all inputs; of those behind */
    find_forms();
    for (unsigned depth = 0; depth <= max_depth; depth++) {
        struct layer l = {.n = 0};
        for (unsigned i = 0; i < trace.n_nodes; i++)
            if (node_rounds(&trace, (int)i) && depth_of[i] == depth)
                l.node[l.n++] = i;
        if (l.n == 0)
            continue;
        const bool part = behind && reads_only(&l, behind);
        put(&sum[part], GOAL, "%ssqrt(%.17g / %.17g)", sum[part].goals++ ? " + " : "", put_layer(&s, &l, w), factor);
    }
    if (!has_twiddles() && !w.exact_constants)
        put(&sum[0], GOAL, "%ssqrt(%.17g / %.17g)", sum[0].goals++ ? " + " : "", put_constants(&s, w), factor);
    for (unsigned part = 0; part < 2; part++) {
        if (sum[part].goals == 0)
            continue;
        goal(&s, "%s", sum[part].text[GOAL], NULL);
        if (part)
            put(&s, GOAL, " + %.17g", w.error);
        put(&s, GOAL, " <= %.17g", (part ? twiddle : plain) * ROOM);
    }
    script_write(&s, name, w);
}

void check_dft(unsigned radix, double sign)
{
    find_forms();
    for (unsigned k = 0; k < radix; k++) {
        for (unsigned in = 0; in < radix; in++) {
            const double t = sign * 2 * 3.14159265358979323846 * (k * in % radix) / radix,
                         e[2][2] = {{cos(t), -sin(t)}, {sin(t), cos(t)}};
            for (unsigned part = 0; part < 4; part++) {
                const struct poly v = node_value(trace.output[2 * k + part / 2], 2 * in + part % 2);
                if (fabs(about(v, (struct twiddles){0}) - e[part / 2][part % 2]) > 1e-14)
                    give_up("a radix that is not a DFT");
            }
        }
    }
}

/* evaluated - with the values that symbols have. */
static double evaluated(struct poly p)
{
    double sum = 0;
    for (unsigned i = 0; i < p.n; i++) {
        double x = p.t[i].k;
        for (unsigned d = 0; d < p.t[i].degree; d++)
            x *= symbols[p.t[i].s[d]].value;
        sum += x;
    }
    return sum;
}

void check_tree(unsigned radix, bool inverse, const double *angle)
{
    const double turn = 2 * 3.14159265358979323846;
    unsigned levels = 0, q = 0;
    for (unsigned i = 0; i < n_symbols; i++) {
        if (symbols[i].kind != SYMBOL_C)
            continue;
        struct symbol *other = symbols + symbols[i].other;
        const double t = turn * angle[q++];
        symbols[i].value = cos(t);
        other->value = other->kind == SYMBOL_TAU ? tan(t) : sin(t);
    }
    while (1u << levels < radix)
        levels++;
    find_forms();
    for (unsigned k = 0; k < radix; k++) {
        double child = TREE_ANGLE;
        for (unsigned bit = levels; bit-- > 0;)
            child = child / 2 + (k >> bit & 1) * 0.5;
        for (unsigned s = 0; s < radix; s++) {
            const double t = turn * s * child * (inverse ? -1 : 1), e[2][2] = {{cos(t), -sin(t)}, {sin(t), cos(t)}};
            const unsigned out = inverse ? s : k, in = inverse ? k : s;
            for (unsigned part = 0; part < 4; part++) {
                const struct poly v = node_value(trace.output[2 * out + part / 2], 2 * in + part % 2);
                if (fabs(evaluated(v) - e[part / 2][part % 2]) > 1e-12)
                    give_up("a radix that is not a split of the tree");
            }
        }
    }
    for (unsigned i = 0; i < n_symbols; i++) /* as scripts have them */
        symbols[i].value *= symbols[i].kind == SYMBOL_CONSTANT;
}

/* ---- backwards ---- */

/* A pair of operations is what one operation on points is; the squares of the norms of two by two coefficients. */
struct pair {
    unsigned re, im;
};

/* pair_square - at least the square of the norm of (a b; c d). */
static struct poly pair_square(struct poly a, struct poly b, struct poly c, struct poly d)
{
    const struct poly first = poly_add(poly_mul(a, a), poly_mul(c, c)), second = poly_add(poly_mul(b, b), poly_mul(d, d));
    const struct poly mixed = poly_add(poly_mul(a, b), poly_mul(c, d));
    if (reduced(mixed).n == 0 && reduced(poly_add(first, poly_scale(second, -1))).n == 0)
        return first;
    return poly_add(first, second);
}

/* Whether v is i times u, up to a sign, as a form of points: inputs 2 k and 2 k + 1 are the parts of point k. */
static bool is_turned(unsigned u, unsigned v)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        bool good = true;
        for (unsigned in = 0; in < trace.n_inputs && good; in += 2)
            good = poly_add(value_of[size_of(v)][in], poly_scale(value_of[size_of(u)][in + 1], sign)).n == 0 &&
                   poly_add(value_of[size_of(v)][in + 1], poly_scale(value_of[size_of(u)][in], -sign)).n == 0;
        if (good)
            return true;
    }
    return false;
}

static unsigned find_pairs(struct pair *pair)
{
    bool done[MAX_NODES] = {false};
    unsigned n = 0;
    for (int any = 0; any < 2; any++) {
        for (unsigned i = 0; i < trace.n_nodes; i++) {
            if (done[i] || !node_rounds(&trace, (int)i))
                continue;
            for (unsigned j = i + 1; j < trace.n_nodes; j++) {
                if (done[j] || !node_rounds(&trace, (int)j) || depth_of[j] != depth_of[i] || (!any && !is_turned(i, j)))
                    continue;
                pair[n++] = (struct pair){i, j};
                done[i] = done[j] = true;
                break;
            }
        }
    }
    for (unsigned i = 0; i < trace.n_nodes; i++)
        if (node_rounds(&trace, (int)i) && !done[i])
            give_up("an operation that has no partner");
    return n;
}

/* put_constant - the errors of some rounded constants, together. */
static void put_constant(struct script *s, unsigned o, unsigned in, unsigned first, unsigned end)
{
    struct poly e[2][2];
    for (unsigned k = 0; k < 4; k++) {
        const struct poly v = node_value(trace.output[o + k / 2], in + k % 2);
        e[k / 2][k % 2] = poly_number(0);
        for (unsigned i = 0; i < v.n; i++)
            if (v.t[i].degree == 1 && v.t[i].s[0] >= first && v.t[i].s[0] < end)
                e[k / 2][k % 2] = poly_add(e[k / 2][k % 2], poly_scale(poly_symbol(symbols[v.t[i].s[0]].other), v.t[i].k));
    }
    const struct poly square = pair_square(e[0][0], e[0][1], e[1][0], e[1][1]);
    if (square.n > 0)
        put(s, GOAL, " + sqrt(p%u)", put_name(s, square));
}

void prove_inverse(const char *name, double constant, struct twiddles w)
{
    struct script s = {.names = 0};
    struct pair pair[MAX_NODES];
    find_forms();
    const unsigned n = find_pairs(pair);
    for (unsigned o = 0; o < trace.n_outputs; o += 2) {
        for (unsigned in = 0; in < trace.n_inputs; in += 2) {
            bool any = false;
            for (unsigned g = 0; g < n; g++) {
                const unsigned r = pair[g].re, i = pair[g].im;
                const struct poly effect =
                    pair_square(effect_on[o][r], effect_on[o][i], effect_on[o + 1][r], effect_on[o + 1][i]);
                const unsigned vr = size_of(r), vi = size_of(i);
                const struct poly value =
                    poly_scale(pair_square(value_of[vr][in], value_of[vr][in + 1], value_of[vi][in], value_of[vi][in + 1]),
                               weight_of(r) * weight_of(i));
                if (effect.n == 0 || value.n == 0)
                    continue;
                if (!any)
                    put(&s, GOAL, s.goals++ ? " /\\\n  " : "  ");
                put(&s, GOAL, "%ssqrt(p%u)", any ? " + " : "", put_name(&s, poly_mul(effect, value)));
                any = true;
            }
            if (w.plain_product) {
                s.used[GOAL] = 0; /* one point in, one out */
                put(&s, GOAL, "  sqrt(5 + 1b-50)");
            }
            if (!any)
                continue;
            if (has_twiddles()) {
                put(&s, GOAL, " + %.17g", w.error);
            } else if (!w.exact_constants) {
                for (unsigned e = 0; e < (w.one_entry ? 1 : n_symbols); e++)
                    put_constant(&s, o, in, e, w.one_entry ? n_symbols : e + 1);
            }
            put(&s, GOAL, " <= %.17g", constant * ROOM);
        }
    }
    script_write(&s, name, w);
}

void prove_sum(const char *name, const double *part, unsigned parts, double constant)
{
    FILE *f = script_open(name);
    fprintf(f, "# %s: written by proof/kernels.c.\n{ ", name);
    for (unsigned i = 0; i < parts; i++)
        fprintf(f, "%s%.17g", i ? " + " : "", part[i]);
    fprintf(f, " <= %.17g }\n", constant * ROOM);
    script_close(f);
}
