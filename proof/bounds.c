/*
 * bounds.c - what plan_bound.c makes of its constants, for some plans, against the theorem's formulas: bounds.h.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A script has the formula, written here from the document, with the constants in force, and the bound that the code gave for the
 * same plan.  It proves that the two differ by the code's own roundings alone: nothing is left out, and nothing is added.
 */
#include "bounds.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_field.h"
#include "prove.h"

#include "../lib/plan/plan_field.c"

static const struct bound_constants *constants;

/* Text of a formula. */
struct text {
    char at[4096];
};

static struct text say(const char *format, ...)
{
    struct text t;
    va_list args;
    va_start(args, format);
    if (vsnprintf(t.at, sizeof t.at, format, args) >= (int)sizeof t.at)
        exit(1);
    va_end(args);
    return t;
}

/* The sums of the theorem, as text. */
struct sums {
    struct text plain, twiddle, square, inverse, product, scale;
    struct text seen; /* section 11: the sum of I_p V_p, of terms */
    unsigned levels;
};

/* A plan: what it is for the code, and its sums. */
struct sample {
    const char *name;
    struct plan_shape shape;
    struct sums sums;
    struct digit_norms a, b;
    bool cap; /* N sum of T_s is less than the root of P sum of T_s^2 */
    double largest, energy;
};

static void add(struct text *sum, const char *format, ...)
{
    char more[512];
    va_list args;
    va_start(args, format);
    vsnprintf(more, sizeof more, format, args);
    va_end(args);
    if (strlen(sum->at) + strlen(more) + 4 > sizeof sum->at)
        exit(1);
    if (sum->at[0])
        strcat(sum->at, " + ");
    strcat(sum->at, more);
}

/* add_back - an inverse constant, and the number of nodes of section 11: the least of three, by numbers. */
static void add_back(struct sample *s, double constant, double nodes, double v, double e)
{
    const double n = (double)s->shape.transform.n_points, classes = 8 * nodes / n;
    const double xy = sqrt(s->a.sum_sq * s->b.sum_sq), by_v = sqrt(nodes) * v, by_e = sqrt(fmax(1, classes)) * e;
    add(&s->sums.inverse, "%a", constant);
    if (xy <= by_v && xy <= by_e)
        add(&s->sums.seen, "%a * x * y", constant);
    else if (by_v <= by_e)
        add(&s->sums.seen, "%a * sqrt(%.17g) * v", constant, nodes);
    else
        add(&s->sums.seen, "%a * sqrt(%.17g) * e", constant, fmax(1, classes));
}

/* D(x) of section 6. */
static struct text forward(const struct sample *s, const char *norm, const char *behind)
{
    return s->cap ? say("((plain) * %s + (twiddle) * %s)", norm, norm)
                  : say("((plain) * %s + sqrt((square) * %s))", norm, behind);
}

static void put_sums(FILE *f, const struct sums *s)
{
    fprintf(f, "plain = %s;\ntwiddle = %s;\nsquare = %s;\nback = %s;\ng = %s;\ns = %s;\n", s->plain.at, s->twiddle.at,
            s->square.at, s->inverse.at, s->product.at, s->scale.at);
}

/* check - value is `formula`, but for 2^-44 of it. */
static void put_goal(FILE *f, const char *formula, double value)
{
    fprintf(f, "{ %a / (%s) - 1 in [-1b-44, 1b-44] }\n", value, formula);
}

static void put_norms(FILE *f, const struct sample *s)
{
    /* sums of squares from 2^53 on are raised by 4 m u, 2^-20 at least; norms by 2^-40 */
    const double terms = (double)s->shape.transform.n_digits, raise = fmax(0x1p-20, 4 * terms * 0x1p-53);
    const struct {
        const char *norm, *behind;
        const struct digit_norms *x;
    } of[] = {{"x", "px", &s->a}, {"y", "py", &s->b}};
    for (unsigned i = 0; i < 2; i++) {
        const double sq = of[i].x->sum_sq, pop = of[i].x->sum_pop;
        fprintf(f, "%s = sqrt(%a * (1 + %a)) * (1 + 1b-40);\n%s = %a * (1 + %a) * (1 + 1b-40);\n", of[i].norm, sq,
                sq < 0x1p53 ? 0.0 : raise, of[i].behind, pop, pop < 0x1p53 ? 0.0 : raise);
    }
}

/* The unit of a field, and what bounds are raised by: sections 8 and 18.4. */
static void field_units(enum plan_field_id field, double *unit, double *raised)
{
    *unit = field == PLAN_DOUBLE ? 0x1p-53 : 0x1p-106;
    *raised = 0x1p-40;
}

/* Bound and K of a first-order sum: section 7. */
static struct text raised_bound(const struct sample *s, const char *first, const char *all)
{
    double unit, raised;
    field_units(s->shape.field, &unit, &raised);
    return say("(%s) * %a / (1 - (%s) * %a) * (1 + %a)", first, unit, all, unit, raised);
}

static const char all_right[] = "2 * (plain + twiddle) + g + back + s + 1";

static void script(const struct sample *s, const char *what, const char *extra, const char *first, const char *all, double bound)
{
    char name[80];
    snprintf(name, sizeof name, "bound_%s_%s", s->name, what);
    FILE *f = script_open(name);
    fprintf(f, "# %s: written by proof/bounds.c.\n", name);
    put_norms(f, s);
    put_sums(f, &s->sums);
    fprintf(f, "%s", extra);
    put_goal(f, raised_bound(s, first, all).at, bound);
    script_close(f);
}

static void script_k(const struct sample *s, const char *first, double k)
{
    char name[80];
    double unit, raised;
    field_units(s->shape.field, &unit, &raised);
    snprintf(name, sizeof name, "bound_%s_k", s->name);
    FILE *f = script_open(name);
    put_norms(f, s);
    put_sums(f, &s->sums);
    put_goal(f, say("(%s) / (x * y) * (1 + %a)", first, raised).at, k);
    script_close(f);
}

/* Right-angle: any operands, measured norms, and the coefficients. */
static void prove_right_angle(struct sample *s)
{
    double k, bound = plan_bound_measured(&s->shape, &s->a, &s->b, &k);
    const struct text dx = forward(s, "x", "px"), dy = forward(s, "y", "py");
    const struct text both = say("%s * y + x * %s", dx.at, dy.at), first = say("%s + (g + back + s) * x * y", both.at);
    script(s, "measured", "", first.at, all_right, bound);
    script_k(s, first.at, k);

    /* sections 6 and 10: norms by caps, a half of the energy behind each twiddle */
    bound = plan_bound_worst(&s->shape, NULL);
    const double h = ceil((double)s->shape.digits.digit_base / 2);
    char name[80];
    snprintf(name, sizeof name, "bound_%s_worst", s->name);
    FILE *f = script_open(name);
    fprintf(f, "x = sqrt(%zu) * %a * (1 + 1b-40);\ny = sqrt(%zu) * %a * (1 + 1b-40);\n", s->shape.digits.an, h,
            s->shape.digits.bn, h);
    put_sums(f, &s->sums);
    put_goal(f, raised_bound(s, "2 * (plain + twiddle * sqrt(0.5)) * x * y + (g + back + s) * x * y", all_right).at, bound);
    script_close(f);
    if (!(s->largest < HUGE_VAL))
        return;

    const double n = (double)s->shape.transform.n_points, raise = fmax(0x1p-20, 8 * n * 0x1p-53);
    const struct text prior = raised_bound(s, first.at, all_right);
    struct text extra = say("prior = %s;\nv = sqrt(2) * %a * (1 + 1b-40) + prior;\n", prior.at, s->largest);
    double unit, unused;
    field_units(s->shape.field, &unit, &unused);
    if (s->energy < HUGE_VAL)
        extra = say("%se = sqrt(%a * (1 + %a)) * (1 + 1b-40) + sqrt(%a / 8) * prior;\n", extra.at, s->energy, raise, n);
    const struct text late = say("%s + g * x * y + (%s) + (back + s) * (back + s) * %a * x * y", both.at, s->sums.seen.at, unit);
    bound = plan_bound_posterior(&s->shape, &s->a, &s->b, s->largest, s->energy, NULL);
    script(s, "seen", extra.at, late.at, all_right, bound);
}

/* 14.1, 14.2 */
static void prove_cyclic(struct sample *s)
{
    const bool two = s->shape.transform.packing == GFMUL_PACKING_TWO_FOR_ONE;
    double k;
    const double bound = plan_bound_measured(&s->shape, &s->a, &s->b, &k);
    if (two) {
        const struct text extra =
            say("w = 1b%d;\nn2 = sqrt(x * x + w * w * (y * y));\npv = px + w * w * py;\n", s->shape.digits.balance_exp);
        const struct text first = say("n2 * %s / w + (2 + g + back + s) * x * y", forward(s, "n2", "pv").at);
        script(s, "two_for_one", extra.at, first.at, "2 * (plain + twiddle) + (2 + g) + back + s + 1", bound);
    } else {
        const struct text pointwise = say("(3 * sqrt(2) + table + 2 * g + 2)");
        const struct text extra = say("table = %a;\n", constants->table_product[s->shape.bound.fma]);
        const struct text first = say("%s * y + x * %s + (%s + sqrt(2) * back + s) * x * y", forward(s, "x", "px").at,
                                      forward(s, "y", "py").at, pointwise.at);
        script(s, "one_for_half", extra.at, first.at, say("2 * (plain + twiddle) + %s + back + s + 1", pointwise.at).at, bound);
    }
}

static void add_pass(struct plan_transform *t, unsigned radix, enum plan_butterfly butterfly, unsigned *depth)
{
    struct plan_pass *p = &t->pass[t->n_passes++];
    const size_t nodes = ((size_t)(*depth > 0 || t->n_passes > 1 ? t->odd : 1)) << *depth;
    unsigned levels = 0;
    while (radix % 2 == 0 && 1u << levels < radix)
        levels++;
    *p = (struct plan_pass){.radix = radix,
                            .levels = levels,
                            .butterfly = butterfly,
                            .depth = *depth,
                            .n_nodes = nodes,
                            .node_points = t->n_points / nodes};
    *depth += levels;
}

/* A plan in double on the CPU: radices, and the same in the words of section 4. */
static struct sample double_sample(const char *name, enum gfmul_packing packing, unsigned odd, const unsigned *radix,
                                   enum plan_butterfly kind, bool fma, bool cap, const struct bound_constants *c)
{
    struct sample s = {.name = name, .cap = cap};
    struct plan_transform *t = &s.shape.transform;
    unsigned levels = 0, depth = 0;
    for (unsigned i = 0; radix[i]; i++)
        for (unsigned r = radix[i]; r > 1; r /= 2)
            levels++;
    t->packing = packing;
    t->odd = odd;
    t->log2_n = levels;
    t->n_points = (size_t)odd << levels;
    t->n_digits = t->n_points * (packing == GFMUL_PACKING_TWO_FOR_ONE ? 1 : 2);
    s.shape.bound.fma = fma;
    s.shape.digits.an = t->n_digits / 2 + 3;
    s.shape.digits.bn = t->n_digits / 2 - 5;
    s.shape.digits.digit_base = 60001;
    s.shape.digits.balance_exp = 1;
    if (odd > 1)
        add_pass(t, odd, BUTTERFLY_NESTED, &depth);
    for (unsigned i = 0; radix[i]; i++)
        add_pass(t, radix[i], kind == BUTTERFLY_MIXED && radix[i] == 4 ? BUTTERFLY_RADIX4 : kind, &depth);
    s.a = (struct digit_norms){1e15 + 7, cap ? 1e17 : 3e15};
    s.b = (struct digit_norms){3e16 + 8, cap ? 9e18 : 4e16};
    s.largest = cap ? sqrt(s.a.sum_sq * s.b.sum_sq) / 100 : 3;
    s.energy = cap ? s.a.sum_sq * s.b.sum_sq / 30 : 50;

    /* figures of section 11, for choosing the least; the script makes its own */
    const double prior = plan_bound_measured(&s.shape, &s.a, &s.b, NULL);
    const double v = sqrt(2) * s.largest + prior, e = sqrt(s.energy) + sqrt((double)t->n_points / 8) * prior;
    struct sums *sum = &s.sums;
    double nodes = 1;
    for (unsigned p = 0; p < t->n_passes; p++) {
        const struct plan_pass *pass = &t->pass[p];
        if (pass->levels == 0) {
            const struct bound_odd *o = c->odd;
            while (o->radix != pass->radix)
                o++;
            add(&sum->plain, "%a", o->forward[fma]);
            add_back(&s, o->inverse[fma], nodes * pass->radix, v, e);
        } else if (kind != BUTTERFLY_NESTED) {
            const bool mixed = pass->radix == 8, made = !mixed && p + 2 >= t->n_passes;
            const double T = c->radix4_twiddle[made];
            add(&sum->plain, "2");
            add(&sum->twiddle, "%a * %a", 1.2247449, T);
            add(&sum->square, "%a * %a", T, T);
            add_back(&s, 1 + T, nodes, v, e);
            add_back(&s, 1, 2 * nodes, v, e);
            if (mixed) { /* and the third level of radix 8 */
                const double step = c->forward_twiddle[fma][0];
                add(&sum->plain, "1");
                add(&sum->twiddle, "%a", step);
                add(&sum->square, "%a * %a", step, step);
                add_back(&s, 1 + c->inverse_twiddle[fma][0], 4 * nodes, v, e);
            }
        } else {
            for (unsigned level = 0; level < pass->levels; level++) {
                const bool root = p == 0 && odd == 1, one = root && level < 2 && packing != GFMUL_PACKING_RIGHT_ANGLE;
                const bool any = !root && level < 2;
                const double T = one ? 0 : c->forward_twiddle[fma][any], I = one ? 0 : c->inverse_twiddle[fma][any];
                add(&sum->plain, "1");
                add(&sum->twiddle, "%a", T);
                add(&sum->square, "%a * %a", T, T);
                add_back(&s, 1 + I, ldexp(nodes, (int)level), v, e);
            }
        }
        nodes *= pass->radix;
    }
    add(&sum->product, "%a", c->product[fma]);
    add(&sum->scale, "%a", odd > 1 ? c->scale[fma] : 0);
    add(&sum->seen, "s * v");
    return s;
}

/* Where sums are given: devices, and double-double. */
static struct sample given_sample(const char *name, enum plan_field_id field, bool device)
{
    struct sample s = {.name = name, .cap = false, .largest = HUGE_VAL, .energy = HUGE_VAL};
    struct plan_constants *c = &s.shape.bound.constants;
    s.shape.field = field;
    s.shape.device.used = device;
    s.shape.bound.fma = true;
    s.shape.transform =
        (struct plan_transform){.packing = GFMUL_PACKING_RIGHT_ANGLE, .odd = 3, .log2_n = 10, .n_points = 3072, .n_digits = 6144};
    s.shape.digits.an = 3000;
    s.shape.digits.bn = 2000;
    s.shape.digits.digit_base = 8;
    s.a = (struct digit_norms){1000, 3000};
    s.b = (struct digit_norms){900, 4000};
    *c = (struct plan_constants){
        .plain = 11, .twiddle = 13, .twiddle_sq = 17, .inverse = 19 + 23, .inverse_odd = 19, .product = 5, .scale = 3};
    c->inverse_level[0] = 2;
    c->inverse_level[9] = 21;
    const double g = plan_field(&s.shape)->pairs ? 5 : 2, scale = plan_field(&s.shape)->pairs ? 3 : 1;
    s.sums = (struct sums){.plain = say("11"), .twiddle = say("13"), .square = say("17")};
    s.sums.product = say("%a", g);
    s.sums.scale = say("%a", scale);
    if (device)
        s.largest = sqrt(s.a.sum_sq * s.b.sum_sq) / 20;
    const double v = sqrt(2) * s.largest, e = sqrt(s.energy);
    add_back(&s, 19, 3, v, e);
    add_back(&s, 2, 3, v, e);
    add_back(&s, 21, 3 * 512, v, e);
    add(&s.sums.seen, "s * v");
    return s;
}

/* Sections 19.3, 19.4, 19.6, 19.9 and 19.11: what passes in double-double are made of. */
static void prove_dd_kinds(const struct bound_constants *c)
{
    for (unsigned i = 0; i < c->n_dd_kinds; i++) {
        const struct dd_pass_kind *k = &c->dd_kind[i];
        char name[80];
        struct text forth, back;
        const char *const entry = k->row ? "(2 * entry + product)" : "entry", *const sums = k->light ? "light" : "2 * sum";
        snprintf(name, sizeof name, "bound_dd_pass%u_%s_%s_%s", k->radix, k->fma ? "fma" : "plain", k->row ? "row" : "column",
                 k->light       ? "light"
                 : k->in_double ? "double"
                                : "full");
        if (k->radix % 2) {
            forth = say("%a", c->dd_odd_forward[k->radix]);
            back = say("%a * number", c->double_odd[k->radix]);
        } else if (k->radix == 8) {
            forth = k->digits ? say("%a", c->dd_root[k->fma]) : say("3 * sum + 2 * (product + %s)", entry);
            back = say("sum + %s + 2 * (product + %s)", sums, entry);
        } else {
            forth = say("%s + product + %s", k->radix == 2 ? "sum" : k->light ? "lightly" : "2 * sum", entry);
            back = say("%s + product + %s", k->radix == 2 ? "sum" : sums, entry);
        }
        if (k->in_double)
            back = k->radix % 2    ? say("%a * 1b53", c->double_odd[k->radix])
                   : k->radix == 8 ? say("(3 + 2 * (g + half)) * 1b53")
                                   : say("(%u + g + half) * 1b53", k->radix / 2);
        FILE *f = script_open(name);
        fprintf(f, "sum = %a;\nproduct = %a;\nentry = %a;\nnumber = %a;\n", c->dd_sum, c->dd_product[k->fma], c->dd_entry,
                c->dd_number_product[k->fma]);
        fprintf(f, "lightly = %a;\nlight = %a;\ng = %a;\nhalf = %a;\n", c->dd_light_forward, c->dd_light_inverse,
                c->double_product[k->fma], c->double_entry);
        fprintf(f, "back = %s;\n{ %a / (%s) - 1 in [-1b-44, 1b-44] /\\\n", back.at, k->forward, forth.at);
        fprintf(f, "  %a / back - 1 in [-1b-44, 1b-44] /\\\n", k->inverse);
        fprintf(f, "  %a / (back + %s) - 1 in [-1b-44, 1b-44] }\n", k->all_back, k->in_double ? "1b53" : "0");
        script_close(f);
    }
    for (int fma = 0; fma < 2; fma++) {
        FILE *f = script_open(fma ? "bound_dd_scale_fma" : "bound_dd_scale_plain");
        put_goal(f, say("1 + %a", c->dd_number_product[fma]).at, c->dd_scale[fma]);
        script_close(f);
    }
}

void prove_bounds(const struct bound_constants *c)
{
    static const unsigned nested[] = {8, 4, 2, 8, 8, 0}, four[] = {4, 4, 4, 4, 4, 0}, mixed[] = {4, 8, 4, 8, 8, 0};
    static const enum gfmul_packing right = GFMUL_PACKING_RIGHT_ANGLE;
    struct sample s;
    constants = c;
    for (int fma = 0; fma < 2; fma++) {
        s = double_sample(fma ? "nested_fma" : "nested_plain", right, 1, nested, BUTTERFLY_NESTED, fma, false, c);
        prove_right_angle(&s);
        s = double_sample(fma ? "odd_fma" : "odd_plain", right, 7, nested, BUTTERFLY_NESTED, fma, true, c);
        prove_right_angle(&s);
        s = double_sample(fma ? "two_fma" : "two_plain", GFMUL_PACKING_TWO_FOR_ONE, 1, nested, BUTTERFLY_NESTED, fma, false, c);
        prove_cyclic(&s);
        s = double_sample(fma ? "half_fma" : "half_plain", GFMUL_PACKING_ONE_FOR_HALF, 3, nested, BUTTERFLY_NESTED, fma, true, c);
        prove_cyclic(&s);
    }
    s = double_sample("whole", right, 1, four, BUTTERFLY_RADIX4, true, false, c);
    prove_right_angle(&s);
    s = double_sample("whole_cap", right, 3, four, BUTTERFLY_RADIX4, true, true, c);
    prove_right_angle(&s);
    s = double_sample("mixed", right, 1, mixed, BUTTERFLY_MIXED, true, false, c);
    prove_right_angle(&s);
    s = double_sample("mixed_cap", right, 3, mixed, BUTTERFLY_MIXED, true, true, c);
    prove_right_angle(&s);
    prove_dd_kinds(c);
    s = given_sample("device_double", PLAN_DOUBLE, true);
    prove_right_angle(&s);
    s = given_sample("device_dd", PLAN_DD, true);
    prove_right_angle(&s);
    s = given_sample("dd", PLAN_DD, false);
    prove_right_angle(&s);
}
