/*
 * trace.c - the vectors of trace.h, and polynomials.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The program runs once and ends: nothing is given back.
 */
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct symbol symbols[MAX_SYMBOLS];
unsigned n_symbols;
struct program trace;
bool trace_fused, trace_exact;

static void give_up(const char *why)
{
    fprintf(stderr, "trace: %s\n", why);
    exit(1);
}

/* ---- polynomials ---- */

static struct poly poly_new(unsigned terms)
{
    struct poly p = {0, calloc(terms ? terms : 1, sizeof *p.t)};
    if (!p.t)
        give_up("no memory");
    return p;
}

struct poly poly_number(double k)
{
    struct poly p = poly_new(1);
    if (k != 0)
        p.t[p.n++] = (struct term){.k = k};
    return p;
}

struct poly poly_symbol(unsigned s)
{
    struct poly p = poly_new(1);
    p.t[p.n++] = (struct term){.k = 1, .degree = 1, .s = {(unsigned char)s}};
    return p;
}

static bool same_monomial(const struct term *a, const struct term *b)
{
    return a->degree == b->degree && memcmp(a->s, b->s, a->degree) == 0;
}

static void poly_add_term(struct poly *p, const struct term *t)
{
    for (unsigned i = 0; i < p->n; i++) {
        if (same_monomial(p->t + i, t)) {
            p->t[i].k += t->k;
            if (p->t[i].k == 0)
                p->t[i] = p->t[--p->n];
            return;
        }
    }
    p->t[p->n++] = *t;
}

struct poly poly_add(struct poly a, struct poly b)
{
    struct poly p = poly_new(a.n + b.n);
    for (unsigned i = 0; i < a.n; i++)
        poly_add_term(&p, a.t + i);
    for (unsigned i = 0; i < b.n; i++)
        poly_add_term(&p, b.t + i);
    return p;
}

struct poly poly_scale(struct poly a, double k)
{
    return poly_mul(a, poly_number(k));
}

struct poly poly_mul(struct poly a, struct poly b)
{
    struct poly p = poly_new(a.n * b.n);
    for (unsigned i = 0; i < a.n; i++) {
        for (unsigned j = 0; j < b.n; j++) {
            const struct term *x = a.t + i, *y = b.t + j;
            struct term t = {.k = x->k * y->k};
            if (x->degree + y->degree > MAX_DEGREE)
                give_up("a polynomial of too high degree");
            for (unsigned u = 0, v = 0; u < x->degree || v < y->degree;) {
                const bool first = v == y->degree || (u < x->degree && x->s[u] <= y->s[v]);
                t.s[t.degree++] = first ? x->s[u++] : y->s[v++];
            }
            poly_add_term(&p, &t);
        }
    }
    return p;
}

/* ---- nodes ---- */

void trace_begin(bool fused)
{
    trace_fused = fused;
    trace_exact = false;
    n_symbols = 0;
    trace.n_nodes = trace.n_inputs = trace.n_outputs = 0;
}

static int node_new(struct node node)
{
    if (trace.n_nodes == MAX_NODES)
        give_up("too many operations");
    node.exact = trace_exact && node.op != OP_ERROR;
    trace.node[trace.n_nodes] = node;
    return (int)trace.n_nodes++;
}

vec trace_input(void)
{
    return node_new((struct node){.op = OP_INPUT, .input = trace.n_inputs++});
}

vec trace_known(struct poly p)
{
    return node_new((struct node){.op = OP_KNOWN, .known = p});
}

void trace_output(vec a)
{
    trace.output[trace.n_outputs++] = (int)a;
}

bool node_known(const struct program *p, int node)
{
    return p->node[node].op == OP_KNOWN;
}

/* Products with powers of two, and signs, are exact. */
bool node_rounds(const struct program *p, int node)
{
    const struct node *x = p->node + node;
    if (x->op == OP_INPUT || x->op == OP_KNOWN || x->op == OP_NEG || x->exact)
        return false;
    if (x->op == OP_MUL) {
        const struct poly k = p->node[x->a].known;
        int exponent;
        return !(k.n == 1 && k.t[0].degree == 0 && fabs(frexp(k.t[0].k, &exponent)) == 0.5);
    }
    return true;
}

vec trace_errors(vec a, const vec *size, unsigned n, double weight)
{
    const int first = (int)trace.n_nodes;
    for (unsigned i = 0; i < n; i++)
        a = node_new((struct node){.op = OP_ERROR, .a = (int)a, .b = (int)size[i], .weight = weight, .together = first});
    return a;
}

vec trace_op(enum op op, vec a, vec b, vec c)
{
    const int x = (int)a, y = (int)b, z = (int)c;
    if (op == OP_NEG && node_known(&trace, x))
        return trace_known(poly_scale(trace.node[x].known, -1));
    if (op == OP_NEG)
        return node_new((struct node){.op = op, .a = x});
    if (op == OP_ADD || op == OP_SUB)
        return node_new((struct node){.op = op, .a = x, .b = y});
    const bool swap = !node_known(&trace, x);
    const int k = swap ? y : x, v = swap ? x : y; /* the known factor first */
    if (!node_known(&trace, k) || node_known(&trace, v))
        give_up("a product that is not of a known number and a value");
    if (op == OP_MUL)
        return node_new((struct node){.op = op, .a = k, .b = v});
    if (trace_fused)
        return node_new((struct node){.op = op, .a = k, .b = v, .c = z});
    const int p = node_new((struct node){.op = OP_MUL, .a = k, .b = v, .inner = true});
    return node_new(op == OP_FMA   ? (struct node){.op = OP_ADD, .a = p, .b = z}
                    : op == OP_FMS ? (struct node){.op = OP_SUB, .a = p, .b = z}
                                   : (struct node){.op = OP_SUB, .a = z, .b = p});
}

/* ---- symbols ---- */

static unsigned symbol_new(enum symbol_kind kind, const char *name, const char *suffix)
{
    if (n_symbols == MAX_SYMBOLS)
        give_up("too many symbols");
    symbols[n_symbols] = (struct symbol){.kind = kind};
    snprintf(symbols[n_symbols].name, sizeof symbols[n_symbols].name, "%s%s", name, suffix);
    return n_symbols++;
}

void trace_twiddle(vec *c, vec *other, const char *name, bool ratio)
{
    const unsigned sc = symbol_new(SYMBOL_C, name, "c"),
                   so = symbol_new(ratio ? SYMBOL_TAU : SYMBOL_SINE, name, ratio ? "t" : "s");
    const unsigned share = symbol_new(SYMBOL_SHARE, name, "q");
    symbol_new(SYMBOL_MODULUS, symbols[share].name, "w");
    symbols[sc].other = so;
    symbols[so].other = share;
    *c = trace_known(poly_symbol(sc));
    *other = trace_known(poly_symbol(so));
}

/* The symbol of a number that is a cosine or a sine, rounded, or minus a sine. */
static unsigned constant_symbol(double a)
{
    static const unsigned orders[] = {3, 5, 7, 8, 9};
    for (unsigned i = 0; i < n_symbols; i++)
        if (symbols[i].kind == SYMBOL_CONSTANT && (symbols[i].value == a || (symbols[i].sine && symbols[i].value == -a)))
            return i;
    for (unsigned o = 0; o < sizeof orders / sizeof *orders; o++) {
        for (unsigned m = 1; m <= orders[o] / 2; m++) {
            for (unsigned sine = 0; sine < 2; sine++) {
                const long double t = 2 * 3.14159265358979323846264338327950288L * m / orders[o];
                const double x = sine ? fabs(a) : a; /* sines below a half turn are positive */
                if (fabsl((sine ? sinl(t) : cosl(t)) - x) > 0x1p-53L)
                    continue;
                char name[40];
                snprintf(name, sizeof name, "%s_%u_%u", sine ? "sin" : "cos", m, orders[o]);
                const unsigned s = symbol_new(SYMBOL_CONSTANT, name, ""), e = symbol_new(SYMBOL_ERROR, "e_", name);
                symbols[s].value = x;
                symbols[s].other = e;
                symbols[s].m = m;
                symbols[s].order = orders[o];
                symbols[s].sine = sine;

                return s;
            }
        }
    }
    give_up("a constant that is no cosine or sine of an odd radix, or of an eighth");
    return 0;
}

vec vec_set1(double a)
{
    int exponent;
    if (a == 0 || fabs(frexp(a, &exponent)) == 0.5)
        return trace_known(poly_number(a));
    const unsigned s = constant_symbol(a);
    return trace_known(poly_scale(poly_symbol(s), symbols[s].value == a ? 1 : -1));
}
