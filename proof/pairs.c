/*
 * pairs.c - operations of double-double, traced from dd_number.h and dd_pass.h; a Gappa script for each: pairs.h.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A rounded operation is y (1 + d), |d| <= u.  The error of a TwoSum, of a Fast2Sum and of a product are exact: their operations
 * are recognised, and stand for s - (a + b) or p - a b.  (Flocq: TwoSum_correct, Fast2Sum_correct, Dekker_correct in Pff2Flocq;
 * what a Fast2Sum needs is in section 19.)  So the sum of both parts of a result is the exact value and a sum of d y, which is
 * found here, and checked by Gappa.
 *
 * All values are linear in the inputs' first parts (in a product: in those of each product) for given d: each script has one of
 * them 1 and the others 0, and bounds add up.
 */
#include "pairs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "poly.h"

enum { NODES = 200, INPUTS = 40 };
enum op { IN_FIRST, IN_REST, ADD, SUB, NEG, MUL, FMA, FMS, ERROR_OF };

/* ERROR_OF: what is left of the rounded node a; b: s - p of a Fast2Sum. */
static struct node {
    enum op op;
    int a, b, c;
} node[NODES];
static int n_nodes;
static bool fused, as_written; /* as_written: nothing is recognised */

static void give_up(const char *what)
{
    fprintf(stderr, "pairs: %s\n", what);
    exit(1);
}

typedef double vec;

static vec node_new(enum op op, vec a, vec b, vec c)
{
    if (n_nodes == NODES)
        give_up("too many operations");
    node[n_nodes] = (struct node){op, (int)a, (int)b, (int)c};
    return n_nodes++;
}

static bool is(int x, enum op op, int a, int b)
{
    return node[x].op == op && node[x].a == a && node[x].b == b;
}

static vec vec_add(vec a, vec b)
{
    /* (p - (s - z)) + (q - z) of s = p + q, z = s - p; by itself the second term looks like a Fast2Sum's error */
    const struct node *x = &node[(int)a], *y = &node[(int)b];
    if (!as_written && x->op == SUB && y->op == ERROR_OF && node[x->b].op == SUB) {
        const int p = x->a, s = node[x->b].a, z = node[x->b].b;
        if (y->a == s && y->b == z && node[s].op == ADD && node[s].a == p && is(z, SUB, s, p))
            return node_new(ERROR_OF, s, 0, 0);
    }
    return node_new(ADD, a, b, 0);
}

static vec vec_sub(vec a, vec b)
{
    /* (p - (s - z)) - (q + z) of s = p - q, z = s - p */
    const struct node *x = &node[(int)a], *y = &node[(int)b];
    if (!as_written && x->op == SUB && y->op == ADD && node[x->b].op == SUB) {
        const int p = x->a, q = y->a, s = node[x->b].a, z = y->b;
        if (node[x->b].b == z && is(s, SUB, p, q) && is(z, SUB, s, p))
            return node_new(ERROR_OF, s, 0, 0);
    }
    /* q - (s - p) of s = p + q */
    if (!as_written && y->op == SUB && is(y->a, ADD, y->b, (int)a))
        return node_new(ERROR_OF, y->a, b, 0);
    return node_new(SUB, a, b, 0);
}

static vec vec_neg(vec a)
{
    return node_new(NEG, a, 0, 0);
}

static vec vec_mul(vec a, vec b)
{
    return node_new(MUL, a, b, 0);
}

static vec vec_fma(vec a, vec b, vec c)
{
    return fused ? node_new(FMA, a, b, c) : node_new(ADD, vec_mul(a, b), c, 0);
}

static vec vec_fms(vec a, vec b, vec c)
{
    return fused ? node_new(FMS, a, b, c) : node_new(SUB, vec_mul(a, b), c, 0);
}

static vec vec_product_error(vec a, vec b, vec p)
{
    if (!is((int)p, MUL, (int)a, (int)b))
        give_up("the error of another product");
    return node_new(ERROR_OF, p, 0, 0);
}

/* Memory is not traced. */
static vec vec_load(const double *p)
{
    return *p;
}
static vec vec_set1(double x)
{
    return x;
}
static void vec_store(double *p, vec a)
{
    *p = a;
}

enum { PLAN_BLOCK = 8, VEC_WIDTH = 8, DD_BLOCK_DOUBLES = 32 };
enum dd_kind { DD_FULL, DD_LIGHT, DD_DOUBLE };
struct plan_pass {
    unsigned radix;
};
#define STAGE_INLINE static inline __attribute__((unused))
#include "dd/dd_number.h"
#include "dd/dd_pass.h"

static struct ddv input(void)
{
    const vec h = node_new(IN_FIRST, 0, 0, 0);
    return (struct ddv){h, node_new(IN_REST, h, 0, 0)};
}

/* ---- forms: polynomials in the nodes of inputs and the errors of rounded nodes ---- */

static bool rounded(int k)
{
    return node[k].op == ADD || node[k].op == SUB || node[k].op == MUL || node[k].op == FMA || node[k].op == FMS;
}

static struct poly form(int k)
{
    const struct node *x = &node[k];
    const struct poly error = poly_symbol((unsigned)k);
    switch (x->op) {
    case IN_FIRST:
    case IN_REST:
        return error;
    case ADD:
        return poly_add(poly_add(form(x->a), form(x->b)), error);
    case SUB:
        return poly_add(poly_add(form(x->a), poly_scale(form(x->b), -1)), error);
    case NEG:
        return poly_scale(form(x->a), -1);
    case MUL:
        return poly_add(poly_mul(form(x->a), form(x->b)), error);
    case FMA:
        return poly_add(poly_add(poly_mul(form(x->a), form(x->b)), form(x->c)), error);
    case FMS:
        return poly_add(poly_add(poly_mul(form(x->a), form(x->b)), poly_scale(form(x->c), -1)), error);
    case ERROR_OF:
        return poly_scale(poly_symbol((unsigned)x->a), -1);
    }
    return error;
}

static struct poly whole(struct ddv a)
{
    return poly_add(form((int)a.h), form((int)a.l));
}

/* ---- scripts ---- */

/* rounding: text of an error, from the node's number twice. */
static void put_poly(FILE *f, struct poly p, const char *rounding)
{
    if (p.n == 0)
        fputs("0", f);
    for (unsigned i = 0; i < p.n; i++) {
        fprintf(f, "%s%.17g", i ? " + " : "", p.t[i].k);
        for (unsigned d = 0; d < p.t[i].degree; d++)
            fprintf(f, rounded(p.t[i].s[d]) ? rounding : " * x%u", p.t[i].s[d], p.t[i].s[d]);
    }
}

static const char product[] = " * (d%u * y%u)", difference[] = " * (x%u - y%u)";

static void mark(bool *used, int k)
{
    const struct node *x = &node[k];
    if (used[k])
        return;
    used[k] = true;
    if (x->op == IN_FIRST)
        return;
    mark(used, x->a);
    if (x->op != NEG && x->op != ERROR_OF && x->op != IN_REST)
        mark(used, x->b);
    if (x->op == FMA || x->op == FMS)
        mark(used, x->c);
}

/* What is proved of a result z against its exact value. */
struct claim {
    struct ddv z;
    struct poly exact;
    double error; /* of the sum of both parts, in u^2; a term d x of the last rounding's left out: */
    int beside;   /* x, the error of a sum; -1: none */
    double rest;  /* of z.l, in u, if above 0 */
};

/* claim_prove - unit: a bit for each input whose first part is 1, not 0. */
static void claim_prove(const char *name, const struct claim *c, unsigned unit)
{
    bool used[NODES] = {false};
    char path[80];
    snprintf(path, sizeof path, "%s_%s_%x.g", name, fused ? "fma" : "plain", unit);
    FILE *f = fopen(path, "w");
    if (!f)
        give_up(path);
    mark(used, (int)c->z.h);
    mark(used, (int)c->z.l);
    fprintf(f, "# %s: written by proof/pairs.c.\n", path);
    static const char *const text[] = {
        [ADD] = "x%d + x%d", [SUB] = "x%d - x%d", [MUL] = "x%d * x%d", [FMA] = "x%d * x%d + x%d", [FMS] = "x%d * x%d - x%d"};
    unsigned inputs = 0;
    for (int k = 0; k < n_nodes; k++) {
        const struct node *x = &node[k];
        if (x->op == IN_FIRST)
            fprintf(f, "x%d = %u;\n", k, unit >> inputs++ & 1);
        else if (x->op == IN_REST)
            fprintf(f, "x%d = x%d * r%d;\n", k, x->a, k);
        else if (used[k] && x->op == NEG)
            fprintf(f, "x%d = - x%d;\n", k, x->a);
        else if (used[k] && x->op == ERROR_OF)
            fprintf(f, "x%d = y%d - x%d;\n", k, x->a, x->a);
        else if (used[k]) {
            fprintf(f, "y%d = ", k);
            fprintf(f, text[x->op], x->a, x->b, x->c);
            fprintf(f, ";\nx%d = y%d + d%d * y%d;\n", k, k, k, k);
        }
    }
    struct poly left = poly_add(whole(c->z), poly_scale(c->exact, -1));
    fprintf(f, "error = x%d + x%d - (", (int)c->z.h, (int)c->z.l);
    put_poly(f, c->exact, product);
    fprintf(f, ")");
    if (c->beside >= 0)
        fprintf(f, " - d%d * x%d", (int)c->z.l, c->beside);
    fprintf(f, ";\n{\n  0 in [0, 0]");
    for (int k = 0; k < n_nodes; k++)
        if (used[k] && (rounded(k) || node[k].op == IN_REST))
            fprintf(f, " /\\ |%c%d| <= 1b-53", rounded(k) ? 'd' : 'r', k);
    fprintf(f, "\n->\n  |error| * 1b106 <= %.17g", c->error * (1 + 0x1p-40));
    if (c->rest > 0)
        fprintf(f, " /\\ |x%d| * 1b53 <= %.17g", (int)c->z.l, c->rest * (1 + 0x1p-40));
    fprintf(f, "\n}\n");
    for (int k = 0; k < n_nodes; k++)
        if (used[k] && node[k].op == ERROR_OF)
            fprintf(f, "x%d -> - (d%d * y%d);\n", k, node[k].a, node[k].a);
    /* the last rounding without the term that is left out */
    fprintf(f, "error -> ");
    if (c->beside >= 0) {
        const int l = (int)c->z.l;
        left = poly_add(left, poly_scale(poly_symbol((unsigned)l), -1));
        fprintf(f, "d%d * x%d + ", l, node[l].a == c->beside ? node[l].b : node[l].a);
    }
    put_poly(f, left, product);
    fprintf(f, ";\n");
    if (fclose(f) != 0)
        give_up(path);
}

static void begin(void)
{
    n_nodes = 0;
}

/* before_settled - what a double-double was made of by its last Fast2Sum, which is exact. */
static struct ddv before_settled(struct ddv z)
{
    const struct node *s = &node[(int)z.h];
    if (node[(int)z.l].op != ERROR_OF || node[(int)z.l].a != (int)z.h || s->op != ADD)
        give_up("a result that is not of a Fast2Sum");
    return (struct ddv){s->a, s->b};
}

static struct poly product_of(struct ddv a, struct ddv b)
{
    return poly_mul(whole(a), whole(b));
}

/* set_beside - the last rounding's term that is left out: the error of the sum that the result's first part is. */
static void set_beside(struct claim *claim)
{
    const struct node *last = &node[(int)claim->z.l];
    const int a = last->a, b = last->b, h = (int)claim->z.h;
    if (last->op == ADD && node[a].op == ERROR_OF && node[a].a == h)
        claim->beside = a;
    else if (last->op == ADD && node[b].op == ERROR_OF && node[b].a == h)
        claim->beside = b;
    else
        give_up("a result whose last sum is another one");
}

/* A product of two points' parts: 19.2.   Each of its two products in turn. */
typedef struct ddv dot_function(struct ddv a, struct ddv b, struct ddv c, struct ddv d);
static void prove_dot(const char *name, dot_function *dot, bool cross, double error)
{
    begin();
    const struct ddv a = input(), b = input(), c = input(), d = input();
    struct claim claim = {.z = before_settled(dot(a, b, c, d)), .error = error};
    const struct poly p = product_of(a, b), q = product_of(c, d);
    claim.exact = poly_add(p, poly_scale(q, cross ? -1 : 1));
    set_beside(&claim);
    claim_prove(name, &claim, 0x3);
    claim_prove(name, &claim, 0xc);
}

/* A sum that is rounded once: 19.11.   a or b is 1: 2 |a|, and |a + b| for the rest that is left out. */
static void prove_loose(const char *name, bool difference)
{
    begin();
    const struct ddv a = input(), b = input();
    struct claim claim = {.z = (difference ? loose_sub : loose_add)(a, b), .error = 2, .rest = 2};
    claim.exact = poly_add(whole(a), poly_scale(whole(b), difference ? -1 : 1));
    set_beside(&claim);
    claim_prove(name, &claim, 1);
    claim_prove(name, &claim, 2);
}

typedef struct ddv number_function(struct ddv a, struct ddv b);
static void prove_product(const char *name, number_function *mul, double error)
{
    begin();
    const struct ddv a = input(), b = input();
    const struct claim claim = {.z = before_settled(mul(a, b)), .exact = product_of(a, b), .error = error, .beside = -1};
    claim_prove(name, &claim, 3);
}

/* rounded_open - a script of values that are rounded to nearest: what z is made of is marked in `used`. */
static FILE *rounded_open(const char *path, bool *used, struct ddv z)
{
    FILE *f = fopen(path, "w");
    if (!f)
        give_up(path);
    mark(used, (int)z.h);
    mark(used, (int)z.l);
    fprintf(f, "# %s: written by proof/pairs.c.\n@rnd = float<53, -4000, ne>;\n", path);
    return f;
}

/*
 * A product with rounding to nearest itself, of first parts a and b from 1 to 2, whose rests are at most u: each rounding errs by
 * half a unit of a value's last place.  That is sharper where a product is added up of parts of different size.
 */
static void prove_product_rounded(const char *name, number_function *mul, double error)
{
    bool used[NODES] = {false};
    char path[80];
    begin();
    const struct ddv a = input(), b = input(), z = before_settled(mul(a, b));
    snprintf(path, sizeof path, "%s_rounded.g", name);
    FILE *f = rounded_open(path, used, z);
    for (int k = 0; k < n_nodes; k++) {
        const struct node *x = &node[k];
        if (used[k] && x->op == ERROR_OF) {
            fprintf(f, "x%d = y%d - x%d;\n", k, x->a, x->a);
        } else if (used[k] && rounded(k)) {
            fprintf(f, "y%d = x%d %c x%d", k, x->a, x->op == ADD ? '+' : x->op == SUB ? '-' : '*', x->b);
            if (x->op == FMA || x->op == FMS)
                fprintf(f, " %c x%d", x->op == FMA ? '+' : '-', x->c);
            fprintf(f, ";\nx%d = rnd(y%d);\n", k, k);
        }
    }
    const int ah = (int)a.h, al = (int)a.l, bh = (int)b.h, bl = (int)b.l;
    fprintf(f, "exact = (x%d + x%d) * (x%d + x%d);\nerror = x%d + x%d - exact;\n", ah, al, bh, bl, (int)z.h, (int)z.l);
    fprintf(
        f,
        "{\n  x%d in [1, 2] /\\ x%d in [1, 2] /\\ |x%d| <= 1b-53 /\\ |x%d| <= 1b-53\n->\n  |error / exact| * 1b106 <= %.17g\n}\n",
        ah, bh, al, bl, error * (1 + 0x1p-40));
    for (int k = 0; k < n_nodes; k++)
        if (used[k] && node[k].op == ERROR_OF)
            fprintf(f, "x%d -> - (x%d - y%d);\n", k, node[k].a, node[k].a);
    fprintf(f, "error -> ");
    put_poly(f, poly_add(whole(z), poly_scale(product_of(a, b), -1)), difference);
    fprintf(f, ";\n$ x%d in 16, x%d in 16;\n", ah, bh);
    if (fclose(f) != 0)
        give_up(path);
}

/* The sums of a light radix 4, each result against each input: 8, and 3 for what the last Fast2Sum loses if |h| < |l|. */
static void prove_light(double error)
{
    static const int turned[4][4] = {{0, 0, 0, 0}, {0, 2, 3, 1}, {0, 0, 2, 2}, {0, 2, 1, 3}}; /* i^k of backwards */
    for (unsigned g = 0; g < 4; g++) {
        for (unsigned part = 0; part < 2; part++) {
            begin();
            struct ddc in[4], out[4];
            for (unsigned s = 0; s < 4; s++) {
                in[s].re = input();
                in[s].im = input();
            }
            ddc_sums_4(out, in[0], in[1], in[2], in[3], -1, true);
            struct claim claim = {.z = before_settled(part ? out[g].im : out[g].re), .beside = -1, .error = error - 3, .rest = 3};
            unsigned reads = 0;
            claim.exact = poly_number(0);
            for (unsigned s = 0; s < 4; s++) {
                const int k = turned[g][s];
                const bool im = (k % 2 == 1) != part;
                const bool minus = part ? k == 2 || k == 3 : k == 1 || k == 2;
                claim.exact = poly_add(claim.exact, poly_scale(whole(im ? in[s].im : in[s].re), minus ? -1 : 1));
                reads |= 1u << (2 * s + im);
            }
            for (unsigned unit = 1; unit < 256; unit *= 2) {
                char name[40];
                snprintf(name, sizeof name, "dd_light_inverse_%u%s", g, part ? "i" : "r");
                if (unit & reads)
                    claim_prove(name, &claim, unit);
            }
        }
    }
}

/*
 * Sums, with rounding to nearest itself: 19.1.  s, in [1, 2), is the first parts' sum, and the sum of what is left, t, at most
 * `rests` u if s is rounded.  high: the result's first part is 2 or more, or 2 or less.
 */
static void sum_prove(const char *name, struct ddv z, int s, int t, double rests, bool high, double error)
{
    bool used[NODES] = {false};
    char path[80];
    snprintf(path, sizeof path, "%s_%s.g", name, high ? "high" : "low");
    FILE *f = rounded_open(path, used, z);
    for (int k = 0; k < n_nodes; k++) {
        const struct node *x = &node[k];
        if (used[k] && x->op == ERROR_OF)
            fprintf(f, "x%d = y%d - x%d;\n", k, x->a, x->a);
        else if (used[k] && rounded(k))
            fprintf(f, "y%d = x%d %c x%d;\nx%d = rnd(y%d);\n", k, x->a, x->op == ADD ? '+' : '-', x->b, k, k);
    }
    const struct poly sum = poly_add(form(s), poly_scale(poly_symbol((unsigned)s), -1)), /* exact */
        left = rounded(t) ? poly_add(form(t), poly_scale(poly_symbol((unsigned)t), -1)) : form(t);
    const char *rest = rounded(t) ? "y" : "x";
    fprintf(f, "sum = y%d + %s%d;\nerror = x%d + x%d - sum;\n", s, rest, t, (int)z.h, (int)z.l);
    fprintf(f, "{\n  x%d in [1, %.17g] /\\ |%s%d| <= %.17g /\\ x%d in %s\n->\n", s, 2 - 0x1p-52, rest, t, rests * 0x1p-53,
            (int)z.h, high ? "[2, 3]" : "[0.5, 0x1.fffffffffffffp0]");
    fprintf(f, "  |error / sum| * 1b106 <= %.17g\n}\n", error * (1 + 0x1p-40));
    fprintf(f, "sum -> x%d - (x%d - y%d) + %s%d;\nerror -> ", s, s, s, rest, t);
    put_poly(f, poly_add(whole(z), poly_scale(poly_add(sum, left), -1)), difference);
    fprintf(f, ";\n");
    if (fclose(f) != 0)
        give_up(path);
}

/* The sums that a TwoSum of the inputs' parts has made: the first nodes that are sums of a and b. */
static int sum_of(vec a, vec b)
{
    for (int k = 0; k < n_nodes; k++)
        if (is(k, ADD, (int)a, (int)b) || is(k, SUB, (int)a, (int)b))
            return k;
    give_up("no sum of two parts");
    return 0;
}

/* Of two numbers, or of a number and a double, whose first parts are added. */
static void prove_sum_of(const char *name, number_function *add, bool high, double error)
{
    begin();
    const struct ddv a = input(), b = input(), z = add(a, b);
    sum_prove(name, before_settled(z), sum_of(a.h, b.h), sum_of(a.l, b.l), 2.5, high, error);
}

static void prove_sum_double(const char *name, struct ddv (*add)(struct ddv, vec), bool high, double error)
{
    begin();
    const struct ddv a = input();
    const vec b = node_new(IN_FIRST, 0, 0, 0);
    const struct ddv z = add(a, b);
    sum_prove(name, before_settled(z), sum_of(a.h, b), (int)a.l, 2, high, error);
}

static void prove_sums(const struct pair_errors *e)
{
    for (int high = 0; high < 2; high++) {
        prove_sum_of("dd_add", dd_add, high, e->sum);
        prove_sum_of("dd_sub", dd_sub, high, e->sum);
        prove_sum_double("dd_add_double", dd_add_double, high, e->sum_double);
    }
    /* s exact: nothing is lost before the last sum, of errors u |v| and u |t|; |t| <= 2 |v| (pairs.v, sum_ratio) */
    FILE *f = fopen("dd_add_exact.g", "w");
    if (!f)
        give_up("dd_add_exact.g");
    fprintf(f,
            "# dd_add_exact: v = 1, t = 2 at most.\nv = - d1;\ntl = t * r;\nerror = d2 * (v + tl);\n"
            "{ |t| <= 2 /\\ |d1| <= 1b-53 /\\ |d2| <= 1b-53 /\\ |r| <= 1b-53\n"
            "-> |error / (1 + tl)| * 1b106 <= %.17g }\n",
            e->sum * (1 + 0x1p-40));
    if (fclose(f) != 0)
        give_up("dd_add_exact.g");
}

/* print_exact - the operations that are recognised, as definitions for pairs.v: name (rnd) (x0 x1): both parts. */
static void print_exact(void)
{
    static struct ddv (*const made[])(vec, vec) = {two_sum, two_difference, quick_sum};
    static const char *const names[] = {"two_sum", "two_difference", "quick_sum"};
    FILE *f = fopen("traced_pairs.v", "w");
    if (!f)
        give_up("traced_pairs.v");
    fprintf(f, "(* traced_pairs.v - exact sums as dd_number.h does them: written by proof/pairs.c *)\n"
               "Require Import Reals.\nOpen Scope R_scope.\n");
    as_written = true;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        begin();
        const vec a = node_new(IN_FIRST, 0, 0, 0), b = node_new(IN_FIRST, 0, 0, 0);
        const struct ddv z = made[i](a, b);
        fprintf(f, "Definition %s (rnd : R -> R) (x0 x1 : R) : R * R :=\n", names[i]);
        for (int k = 2; k < n_nodes; k++)
            fprintf(f, "  let x%d := rnd (x%d %c x%d) in\n", k, node[k].a, node[k].op == ADD ? '+' : '-', node[k].b);
        fprintf(f, "  (x%d, x%d).\n", (int)z.h, (int)z.l);
    }
    as_written = false;
    if (fclose(f) != 0)
        give_up("traced_pairs.v");
}

void prove_pairs(bool fma, const struct pair_errors *e)
{
    fused = fma;
    prove_dot("dd_dot", dd_dot, false, e->dot);
    prove_dot("dd_cross", dd_cross, true, e->dot);
    prove_product("dd_mul", dd_mul, e->number_product);

    for (unsigned loose = 0; loose < 2; loose++) {
        begin();
        const struct ddv a = input();
        const vec d = node_new(IN_FIRST, 0, 0, 0);
        const struct claim claim = {.z = loose ? loose_product(a, d) : before_settled(dd_mul_double(a, d)),
                                    .exact = poly_mul(whole(a), form((int)d)),
                                    .error = e->double_product,
                                    .beside = -1,
                                    .rest = loose ? 2 : 0};
        claim_prove(loose ? "dd_loose_product" : "dd_mul_double", &claim, 3);
    }
    prove_loose("dd_loose_add", false);
    prove_loose("dd_loose_sub", true);
    if (!fma)
        return; /* sums do not know */
    print_exact();
    prove_sums(e);
    prove_light(e->light_inverse);
}

/* ---- devices ---- */

int pair_record(int op, int a, int b, int c)
{
    switch (op) {
    case 0:
        return (int)vec_add(a, b);
    case 1:
        return (int)vec_sub(a, b);
    case 2:
        return (int)vec_mul(a, b);
    case 3:
        return (int)vec_fma(a, b, c);
    default: /* a b - c: of c = fl(a b) it is exact */
        return (int)(is(c, MUL, a, b) ? vec_product_error(a, b, c) : vec_fms(a, b, c));
    }
}

static struct pair_number of_ddv(struct ddv a)
{
    return (struct pair_number){(int)a.h, (int)a.l};
}
static struct ddv to_ddv(struct pair_number a)
{
    return (struct ddv){a.h, a.l};
}
static struct ddv device_add(struct ddv a, struct ddv b)
{
    return to_ddv(device_pair_add(of_ddv(a), of_ddv(b)));
}
static struct ddv device_sub(struct ddv a, struct ddv b)
{
    return to_ddv(device_pair_sub(of_ddv(a), of_ddv(b)));
}
static struct ddv device_add_double(struct ddv a, vec b)
{
    return to_ddv(device_pair_add_double(of_ddv(a), (int)b));
}
static struct ddv device_mul(struct ddv a, struct ddv b)
{
    return to_ddv(device_pair_mul(of_ddv(a), of_ddv(b)));
}
static struct ddv device_dot(struct ddv a, struct ddv b, struct ddv c, struct ddv d)
{
    return to_ddv(device_pair_dot(of_ddv(a), of_ddv(b), of_ddv(c), of_ddv(d)));
}
static struct ddv device_cross(struct ddv a, struct ddv b, struct ddv c, struct ddv d)
{
    return to_ddv(device_pair_cross(of_ddv(a), of_ddv(b), of_ddv(c), of_ddv(d)));
}


/* The same of doubles b and d: 18.4. */
typedef struct pair_number dot_doubles_function(struct pair_number a, int b, struct pair_number c, int d);
static void prove_dot_doubles(const char *name, dot_doubles_function *dot, bool cross, double error)
{
    begin();
    const struct ddv a = input();
    const int b = (int)node_new(IN_FIRST, 0, 0, 0);
    const struct ddv c = input();
    const int d = (int)node_new(IN_FIRST, 0, 0, 0);
    struct claim claim = {.z = before_settled(to_ddv(dot(of_ddv(a), b, of_ddv(c), d))), .error = error};
    claim.exact = poly_add(poly_mul(whole(a), form(b)), poly_scale(poly_mul(whole(c), form(d)), cross ? -1 : 1));
    set_beside(&claim);
    claim_prove(name, &claim, 0x3);
    claim_prove(name, &claim, 0xc);
}

void prove_device_pairs(const struct device_pair_errors *e)
{
    fused = true;
    prove_dot("device_dd_dot", device_dot, false, e->dot);
    prove_dot("device_dd_cross", device_cross, true, e->dot);
    prove_dot_doubles("device_dd_dot_doubles", device_pair_dot_doubles, false, e->dot_doubles);
    prove_dot_doubles("device_dd_cross_doubles", device_pair_cross_doubles, true, e->dot_doubles);
    prove_product_rounded("device_dd_mul", device_mul, e->number_product);
    begin();
    const struct ddv a = input();
    const int d = (int)node_new(IN_FIRST, 0, 0, 0);
    const struct claim claim = {.z = before_settled(to_ddv(device_pair_mul_double(of_ddv(a), d))),
                                .exact = poly_mul(whole(a), form(d)),
                                .error = e->double_product,
                                .beside = -1};
    claim_prove("device_dd_mul_double", &claim, 3);
    for (int high = 0; high < 2; high++) {
        prove_sum_of("device_dd_add", device_add, high, e->sum);
        prove_sum_of("device_dd_sub", device_sub, high, e->sum);
        prove_sum_double("device_dd_add_double", device_add_double, high, e->sum_double);
    }
}
