/*
 * kernels.c - the passes, traced; scripts for Gappa and definitions for Coq, into the folder it runs in.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "bounds.h"
#include "constants.h"
#include "devices.h"
#include "doubles.h"
#include "levels.h"
#include "pairs.h"
#include "primes.h"
#include "prove.h"

#include <stdlib.h>
#include <string.h>

#define STAGE_INLINE static inline __attribute__((unused))
#include "stages/butterfly.h"
#include "stages/odd_dft.h"

static struct bound_constants bound;
static FILE *coq; /* definitions for steps.v */
static const char *const fused_name[2] = {"plain", "fma"}, *const range_name[2] = {"gentle", "any"};

/* The errors of twiddles: prove_twiddles. */
static const double ratio_error[2] = {0.6709, 1.0001}, entry_error = 0.7072, made_error = 2.9956;

static void give_up(const char *what)
{
    fprintf(stderr, "kernels: %s\n", what);
    exit(1);
}

static void inputs(vec *r, vec *i, unsigned n)
{
    for (unsigned s = 0; s < n; s++) {
        r[s] = trace_input();
        i[s] = trace_input();
    }
}

static void outputs(const vec *r, const vec *i, unsigned n)
{
    for (unsigned s = 0; s < n; s++) {
        trace_output(r[s]);
        trace_output(i[s]);
    }
}

typedef void step_function(vec *ar, vec *ai, vec *br, vec *bi, struct twiddle w);

/* A step of each kind, forwards: all of (a, b), then what is behind the twiddle. */
static void prove_steps(bool fused, bool any)
{
    static const struct {
        const char *name;
        step_function *forward, *inverse;
    } steps[] = {{"step", step, unstep}, {"step_i", step_i, unstep_i}, {"step_minus", step_minus, unstep_minus}};
    for (unsigned k = 0; k < 3; k++) {
        char name[64];
        vec r[2], i[2];
        struct twiddle w;
        const struct twiddles with = {any ? 1.0 : 0.5, ratio_error[any], false};
        trace_begin(fused);
        trace_twiddle(&w.c, &w.tau, "w", true);
        inputs(r, i, 2);
        steps[k].forward(r, i, r + 1, i + 1, w);
        outputs(r, i, 2);
        snprintf(name, sizeof name, "%s_forward_%s", steps[k].name, fused_name[fused]);
        if (!any)
            print_coq(coq, name);
        snprintf(name, sizeof name, "%s_forward_%s_%s", steps[k].name, fused_name[fused], range_name[any]);
        prove_forward(name, 2, 0xc, bound.level_plain, bound.forward_twiddle[fused][any], with);

        /* a + b */
        trace_begin(fused);
        trace_twiddle(&w.c, &w.tau, "w", true);
        inputs(r, i, 2);
        steps[k].inverse(r, i, r + 1, i + 1, w);
        outputs(r, i, 2);
        snprintf(name, sizeof name, "%s_inverse_%s", steps[k].name, fused_name[fused]);
        if (!any)
            print_coq(coq, name);
        trace.n_outputs = 2; /* the parts of a + b */
        snprintf(name, sizeof name, "%s_inverse_sum_%s_%s", steps[k].name, fused_name[fused], range_name[any]);
        prove_inverse(name, bound.level_inverse_one, (struct twiddles){.largest_share = with.largest_share});

        /* conj(w) (a - b), of which nothing but a - b matters: b = 0 */
        trace_begin(fused);
        trace_twiddle(&w.c, &w.tau, "w", true);
        inputs(r, i, 1);
        r[1] = i[1] = vec_set1(0);
        steps[k].inverse(r, i, r + 1, i + 1, w);
        outputs(r + 1, i + 1, 1);
        snprintf(name, sizeof name, "%s_inverse_difference_%s_%s", steps[k].name, fused_name[fused], range_name[any]);
        prove_inverse(name, bound.level_plain + bound.inverse_twiddle[fused][any], with);
    }
}

static void prove_radix4(bool made)
{
    char name[64];
    vec r[4], i[4];
    struct twiddle w[3];
    const struct twiddles with = {1.0, made ? made_error : entry_error, false};
    for (int inverse = 0; inverse < 2; inverse++) {
        trace_begin(true);
        for (unsigned q = 0; q < 3; q++) {
            const char twiddle[2] = {(char)('u' + q), 0};
            trace_twiddle(&w[q].c, &w[q].tau, twiddle, false);
        }
        inputs(r, i, 4);
        (inverse ? radix4_inverse : radix4_forward)(r, i, w);
        outputs(r, i, 4);
        if (!made)
            print_coq(coq, inverse ? "radix4_inverse" : "radix4_forward");
        const double w1 = TREE_ANGLE / 4, powers[] = {w1, 2 * w1, 3 * w1};
        check_tree(4, inverse, powers);
        snprintf(name, sizeof name, "radix4_%s_%s", inverse ? "inverse" : "forward", made ? "made" : "table");
        if (inverse)
            prove_inverse(name, bound.radix4_inverse[made], with);
        else
            prove_forward(name, 4, 0xfc, bound.radix4_plain, bound.radix4_twiddle[made], with);
    }
    /* a share of 3/4 where that of a level is 1/2 */
    FILE *f = script_open(made ? "radix4_share_made" : "radix4_share_table");
    fprintf(f, "{ sqrt(1.5) * %.17g <= %.17g }\n", bound.radix4_twiddle[made], bound.radix4_twiddle_sum[made]);
    script_close(f);
}

/*
 * A part of a product without FMA: z = rnd(D), D = P - Q or P + Q, P = rnd(p), Q = rnd(q).  If p and q cancel, the error e of z
 * is below u (5 d^2 + 4 |p q|)^(1/2), d the exact part: product_plain_near of steps.v makes sqrt(5) of it.  Scripts take
 * 1 <= p <= 2 and |q| <= p, the cases by |q| and by D.
 */
static void prove_cancelling(const char *part, bool sum)
{
    static const struct {
        const char *q, *d;
        double error; /* in units of u */
    } cases[] = {{"[1, 2]", "[-1, 1]", 2},         {"[0.5, 1]", "[-1, 1]", 1.5},    {"[0.5, 1]", "[1, 2]", 2.5},
                 {"[0.25, 0.5]", "[-1, 1]", 1.75}, {"[0.25, 0.5]", "[1, 2]", 2.25}, {"[0, 0.25]", "[-1, 1]", 1.625},
                 {"[0, 0.25]", "[1, 2]", 2.125}};
    const char op = sum ? '+' : '-';
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        char name[64];
        snprintf(name, sizeof name, "product_plain_%s_%u", part, k);
        FILE *f = script_open(name);
        fprintf(f, "# %s: |q| = r.\n@rnd = float<53, -4000, ne>;\nq = %s1 * r;\nP = rnd(p);\nQ = rnd(q);\n", name,
                sum ? "-" : "");
        fprintf(f, "D = P %c Q;\ne = rnd(D) - (p %c q);\nd = p %c q;\nf = 5 * d * d + 4 * p * r;\n", op, op, op);
        fprintf(f, "{\n  p in [1, 2] /\\ r in %s /\\ D in %s\n->\n  |e| * 1b53 <= %.17g /\\ f >= %.17g\n}\n", cases[k].q,
                cases[k].d, cases[k].error, cases[k].error * cases[k].error);
        fprintf(f, "e -> (rnd(D) - D) + ((P - p) %c (Q - q));\nd -> D - ((P - p) %c (Q - q));\n", op, op);
        /* the least of f for given p, or, near it, that of its terms */
        fputs(k % 2 ? "f -> 5 * (r - 0.6 * p) * (r - 0.6 * p) + 3.2 * p * p;\n" : "f -> 5 * (d * d) + 4 * (p * r);\n", f);
        script_close(f);
    }
}

void check_plain_product(void)
{
    for (unsigned o = 0; o < 2; o++) {
        const struct node *x = trace.node + trace.output[o];
        const struct node *a = trace.node + x->a, *b = trace.node + x->b;
        if ((x->op != OP_ADD && x->op != OP_SUB) || a->op != OP_MUL || b->op != OP_MUL)
            give_up("a product without FMA that is not of two products");
    }
}

static void prove_products(bool fused)
{
    char name[64];
    vec r, i;
    struct twiddle w;
    for (int table = 0; table < 2; table++) {
        trace_begin(fused);
        trace_twiddle(&w.c, &w.tau, "w", false);
        inputs(&r, &i, 1);
        complex_mul(&r, &i, w.c, w.tau);
        outputs(&r, &i, 1);
        snprintf(name, sizeof name, "product_%s", fused_name[fused]);
        if (!table)
            print_coq(coq, name);
        if (!fused)
            check_plain_product();
        if (!table && !fused) {
            prove_cancelling("difference", false);
            prove_cancelling("sum", true);
        }
        snprintf(name, sizeof name, "%sproduct_%s", table ? "table_" : "", fused_name[fused]);
        prove_inverse(name, table ? bound.table_product[fused] : bound.product[fused],
                      (struct twiddles){1.0, table ? entry_error : 0.0, !fused});
    }
}

static void prove_odd(unsigned radix, bool fused)
{
    char name[64];
    vec r[7], i[7];
    struct part pr[7], pi[7];
    const struct bound_odd *odd = bound.odd;
    while (odd->radix != radix)
        odd++;
    for (int inverse = 0; inverse < 2; inverse++) {
        trace_begin(fused);
        inputs(r, i, radix);
        for (unsigned s = 0; s < radix; s++) {
            pr[s] = part_of(r[s]);
            pi[s] = part_of(i[s]);
        }
        dft_prime(radix, pr, pi, inverse ? -1.0 : 1.0);
        for (unsigned s = 0; s < radix; s++) {
            r[s] = part_value(pr[s]);
            i[s] = part_value(pi[s]);
        }
        outputs(r, i, radix);
        check_dft(radix, inverse ? -1.0 : 1.0);
        snprintf(name, sizeof name, "odd%u_%s_%s", radix, inverse ? "inverse" : "forward", fused_name[fused]);
        if (inverse)
            prove_inverse(name, odd->inverse[fused], (struct twiddles){.error = 0});
        else
            prove_forward(name, radix, 0, odd->forward[fused], 0, (struct twiddles){.error = 0});
    }
}

/* Radix 9: odd kernels of 3 with a product by a rounded root between.  15: those of 3 and 5. */
static void prove_two_layers(bool fused)
{
    const struct bound_odd *of[16] = {NULL};
    for (unsigned i = 0; i < bound.n_odd; i++)
        of[bound.odd[i].radix] = bound.odd + i;
    char name[64];
    for (int inverse = 0; inverse < 2; inverse++) {
#define ODD(radix) (inverse ? of[radix]->inverse[fused] : of[radix]->forward[fused])
        const double parts[2] = {ODD(3), ODD(5)};
        snprintf(name, sizeof name, "odd15_%s_%s", inverse ? "inverse" : "forward", fused_name[fused]);
        prove_sum(name, parts, 2, ODD(15));
        for (unsigned ab = 1; ab <= 4; ab *= 2) {
            vec r, i;
            trace_begin(fused);
            inputs(&r, &i, 1);
            struct part pr = part_of(r), pi = part_of(i);
            odd_middle(9, ab > 1 ? 2 : 1, ab > 2 ? 2 : 1, &pr, &pi, inverse ? -1.0 : 1.0);
            const vec zr = part_value(pr), zi = part_value(pi);
            outputs(&zr, &zi, 1);
            snprintf(name, sizeof name, "odd9_middle%u_%s_%s", ab, inverse ? "inverse" : "forward", fused_name[fused]);
            prove_inverse(name, ODD(9) - 2 * ODD(3), (struct twiddles){.plain_product = !fused, .one_entry = true});
        }
#undef ODD
    }
    /* sections 15.1 to 15.3: without FMA, a layer more for each product of a sum */
    for (unsigned radix = 3; radix <= 7 && !fused; radix += 2) {
        const double layers[] = {of[radix]->forward[1], radix / 2};
        snprintf(name, sizeof name, "odd%u_layers", radix);
        prove_sum(name, layers, 2, of[radix]->forward[0]);
    }
    /* the relative error of fl(1 / n), and that of the product with it if that is rounded */
    const double scale[2] = {1.0, 1.0};
    snprintf(name, sizeof name, "scale_%s", fused_name[fused]);
    prove_sum(name, scale, fused ? 1 : 2, bound.scale[fused]);
}

/* ---- radix 4 and 8 are steps ---- */

/* match - one operand: of the same place in the step, or whatever stands for the step's input, twiddle or constant there. */
static bool match(const struct program *step, int x, const struct program *p, int y, int base, int *of)
{
    if (step->node[x].op == OP_INPUT || step->node[x].op == OP_KNOWN) {
        if (of[x] < 0 && (step->node[x].op == OP_KNOWN) == node_known(p, y) && (node_known(p, y) || y < base))
            of[x] = y;
        return of[x] == y;
    }
    return y == base + x - of[MAX_NODES - 1];
}

/* step_at - whether the program does that step's operations from node `base` on; of: what its inputs are. */
static bool step_at(const struct program *step, const struct program *p, int base, int *of)
{
    int first = 0;
    while (step->node[first].op == OP_INPUT || step->node[first].op == OP_KNOWN)
        first++;
    for (unsigned i = 0; i < MAX_NODES; i++)
        of[i] = -1;
    of[MAX_NODES - 1] = first;
    if (base + (int)step->n_nodes - first > (int)p->n_nodes)
        return false;
    for (int x = first; x < (int)step->n_nodes; x++) {
        const struct node *a = step->node + x, *b = p->node + base + x - first;
        if (a->op != b->op || a->inner != b->inner || !match(step, a->a, p, b->a, base, of) ||
            !match(step, a->b, p, b->b, base, of))
            return false;
        if ((a->op == OP_FMA || a->op == OP_FMS || a->op == OP_FNMA) && !match(step, a->c, p, b->c, base, of))
            return false;
    }
    return true;
}

/*
 * That radix_forward and radix_inverse are steps, level by level: each level has radix / 2 of them, and each reads points that no
 * other step of its level reads.
 */
static void check_steps(unsigned radix, bool inverse, bool fused)
{
    static struct program steps[3], p;
    static step_function *const kinds[2][3] = {{step, step_i, step_minus}, {unstep, unstep_i, unstep_minus}};
    for (unsigned k = 0; k < 3; k++) {
        vec r[2], i[2];
        struct twiddle w;
        trace_begin(fused);
        trace_twiddle(&w.c, &w.tau, "w", true);
        inputs(r, i, 2);
        kinds[inverse][k](r, i, r + 1, i + 1, w);
        steps[k] = trace;
    }
    vec r[8], i[8];
    struct twiddle w[4];
    trace_begin(fused);
    for (unsigned q = 0; q < 4; q++) {
        const char twiddle[2] = {(char)('u' + q), 0};
        trace_twiddle(&w[q].c, &w[q].tau, twiddle, true);
    }
    inputs(r, i, radix);
    int base = (int)trace.n_nodes, first = base;
    if (inverse)
        radix_inverse(radix, r, i, w);
    else
        radix_forward(radix, r, i, w, false);
    p = trace;
    for (unsigned level = 0, levels = radix == 8 ? 3 : radix == 4 ? 2 : 1; level < levels; level++) {
        bool read[MAX_NODES] = {false};
        const int start = base;
        for (unsigned s = 0; s < radix / 2; s++) {
            int of[MAX_NODES];
            unsigned k = 0;
            while (k < 3 && !step_at(steps + k, &p, base, of))
                k++;
            if (k == 3)
                give_up("a radix that is not made of steps");
            for (unsigned x = 0; x < steps[k].n_nodes; x++) {
                if (steps[k].node[x].op != OP_INPUT)
                    continue;
                if (of[x] >= start || read[of[x]] || (level > 0 && of[x] < first))
                    give_up("steps of a level that read the same point, or one of another level");
                read[of[x]] = true;
            }
            base += (int)steps[k].n_nodes - 6; /* two knowns, four inputs */
        }
        first = start;
    }
    if (base != (int)p.n_nodes)
        give_up("a radix that has more than its steps");
    static const double angles[] = {TREE_ANGLE / 2, TREE_ANGLE / 4, TREE_ANGLE / 8, TREE_ANGLE / 8 - 0.125};
    outputs(r, i, radix);
    check_tree(radix, inverse, angles);
}

/*
 * Stored twiddles against e(theta) = C + i S, which are known to 2^-100: d1, d2.  In units of u = 2^-53.
 * c (1 + i tau) is off by (c - C) + i (c tau - S).
 */
static void prove_ratio_gentle(const char *name, const char *cosine, const char *tangent)
{
    FILE *f = script_open(name);
    fprintf(f, "# %s: c = rnd(C), tau = rnd(S / c), tangents in %s.\n", name, tangent);
    fprintf(f,
            "@rnd = float<ieee_64, ne>;\nc = rnd(C + d1);\nq = (S + d2) / c;\ntau = rnd(q);\n"
            "re = c - C;\nim = c * tau - S;\n"
            "{\n  C in %s /\\ q in %s /\\ d1 in [-1b-100, 1b-100] /\\ d2 in [-1b-100, 1b-100]\n"
            "->\n  sqrt(re * re + im * im) * 1b53 <= %.17g\n}\n"
            "re -> (rnd(C + d1) - (C + d1)) + d1;\nim -> c * (tau - q) + d2 { c <> 0 };\n",
            cosine, tangent, ratio_error[0]);
    script_close(f);
}

static void prove_twiddles(void)
{
    /* cosines for tangents from 1/2 to 1: at most 2 / sqrt 5 */
    prove_ratio_gentle("twiddle_ratio_45", "[0.7071067, 0.8944272]", "[0.5, 1]");
    prove_ratio_gentle("twiddle_ratio_27", "[0.8944271, 1]", "[0, 0.5]");

    FILE *f = script_open("twiddle_ratio_any");
    fprintf(f,
            "# twiddle_ratio_any: the same at any angle, by relative errors.\n"
            "@rnd = float<ieee_64, ne>;\nc = rnd(C + d1);\nq = (S + d2) / c;\ntau = rnd(q);\n"
            "x = (c - C) / C;\ny = (c * tau - S) / S;\nm = C * C + S * S;\nd = %.17g * 1b-53;\n"
            "off = C * C * (x * x) + S * S * (y * y);\n"
            "{\n  C in [1b-46, 1] /\\ S in [1b-46, 1] /\\ m in [1, 1] /\\ d1 in [-1b-100, 1b-100] /\\ d2 in [-1b-100, 1b-100]\n"
            "->\n  off - d * d <= 0\n}\n"
            "x -> (rnd(C + d1) - (C + d1)) / (C + d1) * (1 + d1 / C) + d1 / C { C <> 0, C + d1 <> 0 };\n"
            "y -> (tau - q) / q * (1 + d2 / S) + d2 / S { c <> 0, S <> 0, S + d2 <> 0 };\n"
            "off - d * d -> d * d * (m - 1) - (C * C * (d * d - x * x) + S * S * (d * d - y * y));\n",
            ratio_error[1]);
    script_close(f);

    f = script_open("twiddle_entry");
    fprintf(f,
            "# twiddle_entry: c = rnd(C), s = rnd(S).\n"
            "@rnd = float<ieee_64, ne>;\nre = rnd(C + d1) - C;\nim = rnd(S + d2) - S;\n"
            "{\n  C + d1 in [-1, 1] /\\ S + d2 in [-1, 1] /\\ d1 in [-1b-100, 1b-100] /\\ d2 in [-1b-100, 1b-100]\n"
            "->\n  sqrt(re * re + im * im) * 1b53 <= %.17g\n}\n"
            "re -> (rnd(C + d1) - (C + d1)) + d1;\nim -> (rnd(S + d2) - (S + d2)) + d2;\n",
            entry_error);
    script_close(f);

    /* The product of two entries: parts up to 1 before their rounding, or one a little above, and then the other is small. */
    static const struct {
        const char *name, *re, *im;
    } cases[] = {{"twiddle_made", "[-1, 1]", "[-1, 1]"},
                 {"twiddle_made_re", "[1, 1.0001]", "[-1b-24, 1b-24]"},
                 {"twiddle_made_im", "[-1b-24, 1b-24]", "[1, 1.0001]"}};
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        vec r, i;
        struct twiddle w;
        trace_begin(true);
        trace_twiddle(&w.c, &w.tau, "w", false);
        inputs(&r, &i, 1);
        const int a = (int)r, b = (int)i;
        complex_mul(&r, &i, w.c, w.tau);
        f = script_open(cases[k].name);
        fprintf(f, "# %s: the roundings of a product of two entries, and the errors of both.\n@rnd = float<ieee_64, ne>;\n",
                cases[k].name);
        print_code(f);
        fprintf(f, "re = x%d - (x%d * wc - x%d * ws);\nim = x%d - (x%d * ws + x%d * wc);\n", (int)r, a, b, (int)i, a, b);
        fprintf(f, "{\n  |x%d| <= 1 /\\ |x%d| <= 1 /\\ |wc| <= 1 /\\ |ws| <= 1 /\\ a%d in %s /\\ a%d in %s\n->\n", a, b, (int)r,
                cases[k].re, (int)i, cases[k].im);
        fprintf(f, "  sqrt(re * re + im * im) * 1b53 + 2 * %.17g + 1b-40 <= %.17g\n}\n", entry_error, made_error);
        fprintf(f, "re -> (x%d - a%d) - (x%d - a%d);\nim -> (x%d - a%d) + (x%d - a%d);\n", (int)r, (int)r, trace.node[(int)r].c,
                trace.node[(int)r].c, (int)i, (int)i, trace.node[(int)i].c, trace.node[(int)i].c);
        script_close(f);
    }
}

static void prove_arithmetic(const char *name, const char *sum, double constant)
{
    FILE *f = script_open(name);
    fprintf(f, "# %s: the sum alone; its terms are on paper.\n{ %s <= %.17g }\n", name, sum, constant);
    script_close(f);
}

/* Double-double, sections 19.1 to 19.11: the operations, and the sums that constants of passes are. */
static void prove_dd(void)
{
    for (int f = 0; f < 2; f++) {
        const struct pair_errors e = {.dot = f ? 12 : 14,
                                      .number_product = bound.dd_number_product[f],
                                      .double_product = f ? 2 : 3,
                                      .light_inverse = bound.dd_light_inverse,
                                      .sum = bound.dd_sum,
                                      .sum_double = 2};
        prove_pairs(f, &e);
        prove_doubles(f, &bound);
        prove_levels(f, &bound);
    }
    prove_arithmetic("dd_product_fma", "12 * sqrt(2) + 1", bound.dd_product[1]);
    prove_arithmetic("dd_product_plain", "14 * sqrt(2) + 1", bound.dd_product[0]);
    prove_arithmetic("dd_root_fma",
                     "(6 * sqrt(2) + 1) + (8 + 2 * sqrt(2) + 1) + (8 * sqrt(2) + 4 + 2 * sqrt(2) + 1) + 0.71 * 4 / sqrt(8)",
                     bound.dd_root[1]);
    prove_arithmetic("dd_root_plain",
                     "(7 * sqrt(2) + 1) + (8 + 2 * sqrt(2) + 1) + (8 * sqrt(2) + 4 + 2 * sqrt(2) + 1) + 0.71 * 4 / sqrt(8)",
                     bound.dd_root[0]);
    prove_arithmetic("dd_light_forward", "(2 * sqrt(2) + 1) + (sqrt(2) + 2) + 2 * (sqrt(2) + 3)", bound.dd_light_forward);
    /* layers of section 15, of sums (3) and products (5); the constants */
    prove_arithmetic("dd_odd3_forward", "3 * 3 + 5 + 0.1", bound.dd_odd_forward[3]);
    prove_arithmetic("dd_odd5_forward", "3 * 4.1512 + 2 * 5 + 0.35", bound.dd_odd_forward[5]);
    prove_arithmetic("dd_odd7_forward", "3 * 5.153 + 3 * 5 + 0.38", bound.dd_odd_forward[7]);
    prove_arithmetic("device_dd_odd3", "3 * 3 + 5 + 0.1", bound.device_odd_forward[3]);
    prove_arithmetic("device_dd_odd5", "3 * 4.1512 + 2 * 5 + 0.35", bound.device_odd_forward[5]);
    prove_arithmetic("device_dd_odd7", "3 * 5.153 + 3 * 5 + 0.38", bound.device_odd_forward[7]);
    for (unsigned radix = 3; radix <= 7; radix += 2) { /* each rounding has 5 in place of 1 */
        char name[40], sum[40];
        snprintf(name, sizeof name, "device_dd_odd%u_back", radix);
        snprintf(sum, sizeof sum, "5 * %a", bound.double_odd[radix]);
        prove_arithmetic(name, sum, bound.device_odd_inverse[radix]);
    }
    prove_arithmetic("dd_entry", "sqrt(2 * 0.502 * 0.502)", bound.dd_entry);
    prove_arithmetic("dd_double_product_plain", "sqrt(5 + 1b-50)", bound.double_product[0]);
    prove_arithmetic("dd_double_product_fma", "2", bound.double_product[1]);
    prove_arithmetic("dd_double_entry", "sqrt(0.5)", bound.double_entry);
}

static void prove_numbers(void)
{
    prove_arithmetic("sqrt_half", "sqrt(0.5)", bound.sqrt_half);
    prove_arithmetic("sqrt_two", "sqrt(2)", bound.sqrt_two);
    prove_arithmetic("two_pi", "6.28318530717958647692528676655900577", bound.two_pi);
}

int main(void)
{
    constants_read(&bound);
    constants_read_device(&bound);
    coq = fopen("traced.v", "w");
    if (!coq)
        return 1;
    fprintf(coq, "(* traced.v - steps as the code does them: written by proof/kernels.c *)\n"
                 "Require Import Reals List complex.\nImport ListNotations.\nOpen Scope R_scope.\n");
    prove_twiddles();
    prove_numbers();
    prove_dd();
    prove_devices(&bound);
    prove_bounds(&bound);
    prove_cyclic_points();
    prove_field_fma();
    prove_field_plain();
    check_difference();
    prove_ranges_fma();
    prove_ranges_plain();
    prove_ranges_short();
    prove_ranges_short_fma();
    for (int fused = 0; fused < 2; fused++) {
        for (int any = 0; any < 2; any++)
            prove_steps(fused, any);
        prove_products(fused);
        for (unsigned radix = 3; radix <= 7; radix += 2)
            prove_odd(radix, fused);
        prove_two_layers(fused);
        for (unsigned radix = 2; radix <= 8; radix *= 2) {
            check_steps(radix, false, fused);
            check_steps(radix, true, fused);
        }
    }
    prove_radix4(false);
    prove_radix4(true);
    if (fclose(coq) != 0)
        return 1;
    coq = fopen("roots.v", "w");
    if (!coq)
        return 1;
    fprintf(coq, "(* roots.v - the cosines and sines of the odd radices, as scripts assume them: written by proof/kernels.c *)\n"
                 "Require Import Reals Lra Lia Psatz angles.\nOpen Scope R_scope.\n");
    print_true_constants(coq);
    return fclose(coq) != 0;
}
