/*
 * script.c - scripts in the making, and traced programs as text: script.h.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "script.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct enclosure {
    unsigned m, order;
    bool sine;
    const char *low, *high; /* times 10^-40 */
} enclosures[] = {
    {1, 3, true, "8660254037844386467637231707529361834711", "8660254037844386467637231707529361834718"},
    {1, 5, false, "3090169943749474241022934171828190588601", "3090169943749474241022934171828190588602"},
    {1, 5, true, "9510565162951535721164393333793821434053", "9510565162951535721164393333793821434060"},
    {2, 5, false, "-8090169943749474241022934171828190588602", "-8090169943749474241022934171828190588601"},
    {2, 5, true, "5877852522924731291687059546390727685973", "5877852522924731291687059546390727685980"},
    {1, 7, false, "6234898018587335305250048840042398106322", "6234898018587335305250048840042398106323"},
    {1, 7, true, "7818314824680298087084445266740577502320", "7818314824680298087084445266740577502327"},
    {2, 7, false, "-2225209339563144042889025644967947594664", "-2225209339563144042889025644967947594663"},
    {2, 7, true, "9749279121818236070181316829939312172324", "9749279121818236070181316829939312172331"},
    {3, 7, false, "-9009688679024191262361023195074450511660", "-9009688679024191262361023195074450511659"},
    {3, 7, true, "4338837391175581204757683328483587546096", "4338837391175581204757683328483587546103"},
    {1, 8, false, "7071067811865475244008443621048490392848", "7071067811865475244008443621048490392849"},
    {1, 9, false, "7660444431189780352023926505554166739358", "7660444431189780352023926505554166739359"},
    {1, 9, true, "6427876096865393263226434099072634329072", "6427876096865393263226434099072634329079"},
    {2, 9, false, "1736481776669303488517166267693147960003", "1736481776669303488517166267693147960004"},
    {2, 9, true, "9848077530122080593667430245895230136703", "9848077530122080593667430245895230136710"},
    {4, 9, false, "-9396926207859083840541092773247314699363", "-9396926207859083840541092773247314699362"},
    {4, 9, true, "3420201433256687330440996146822595807627", "3420201433256687330440996146822595807634"},
};

void give_up(const char *what)
{
    fprintf(stderr, "prove: %s\n", what);
    exit(1);
}

FILE *script_open(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s.g", name);
    FILE *f = fopen(path, "w");
    if (!f)
        give_up(path);
    return f;
}

void script_close(FILE *f)
{
    if (fclose(f) != 0)
        give_up("a script cannot be written");
}

void put(struct script *s, int part, const char *format, ...)
{
    va_list args;
    for (;;) {
        const size_t left = s->size[part] - s->used[part];
        va_start(args, format);
        const int n = vsnprintf(s->text[part] ? s->text[part] + s->used[part] : NULL, left, format, args);
        va_end(args);
        if ((size_t)n < left) {
            s->used[part] += (size_t)n;
            return;
        }
        s->size[part] = 2 * s->size[part] + (size_t)n + 1;
        s->text[part] = realloc(s->text[part], s->size[part]);
        if (!s->text[part])
            give_up("no memory");
    }
}

void put_poly(struct script *s, int part, struct poly p)
{
    if (p.n == 0)
        put(s, part, "0");
    for (unsigned i = 0; i < p.n; i++) {
        put(s, part, "%s%.17g", i ? " + " : "", p.t[i].k);
        for (unsigned d = 0; d < p.t[i].degree; d++)
            put(s, part, " * %s", symbols[p.t[i].s[d]].name);
    }
}

static void print_operations(FILE *f)
{
    static const char *const text[] = {[OP_NEG] = "- x%d",
                                       [OP_ADD] = "x%d + x%d",
                                       [OP_SUB] = "x%d - x%d",
                                       [OP_MUL] = "x%d * x%d",
                                       [OP_FMA] = "x%d * x%d + x%d",
                                       [OP_FMS] = "x%d * x%d - x%d",
                                       [OP_FNMA] = "x%4$d - x%2$d * x%3$d"};
    fprintf(f, "# %s, traced:\n", trace_fused ? "With FMA" : "Without FMA");
    for (unsigned i = 0; i < trace.n_nodes; i++) {
        const struct node *x = trace.node + i;
        if (x->op == OP_INPUT) {
            fprintf(f, "#   x%u: input %u\n", i, x->input);
        } else if (x->op == OP_KNOWN) {
            struct script s = {.names = 0};
            put_poly(&s, DEFINE, x->known);
            fprintf(f, "#   x%u: %s\n", i, s.text[DEFINE]);
        } else {
            fprintf(f, "#   x%u = ", i);
            if (x->op == OP_FNMA)
                fprintf(f, "x%d - x%d * x%d", x->c, x->a, x->b);
            else if (x->op == OP_ERROR)
                fprintf(f, "x%d, off by %g |x%d|", x->a, x->weight, x->b);
            else
                fprintf(f, text[x->op], x->a, x->b, x->c);
            fprintf(f, "%s\n", node_rounds(&trace, (int)i) ? "" : " (exact)");
        }
    }
}

void script_write(struct script *s, const char *name, struct twiddles w)
{
    FILE *f = script_open(name);
    fprintf(f, "# %s: written by proof/kernels.c.\n", name);
    print_operations(f);
    for (unsigned i = 0; i < n_symbols; i++) {
        const struct symbol *x = symbols + i;
        if (x->kind == SYMBOL_CONSTANT)
            fprintf(f, "%s = %a;\n%s = (%s - t_%s) * 1b53;\n", x->name, x->value, symbols[x->other].name, x->name, x->name);
        if (x->kind == SYMBOL_C) {
            const char *c = x->name, *t = symbols[x->other].name, *q = symbols[symbols[x->other].other].name;
            const bool ratio = symbols[x->other].kind == SYMBOL_TAU;
            if (ratio)
                fprintf(f, "%s = %s * %s * %s * %s;\n", q, c, c, t, t);
            else
                fprintf(f, "%s = %s * %s;\n", q, t, t);
            fprintf(f, "%sw = %s * %s + %s;\n", q, c, c, q);
        }
    }
    fputs(s->text[DEFINE] ? s->text[DEFINE] : "", f);
    fputs("{\n", f);
    unsigned hypotheses = 0;
    for (unsigned i = 0; i < n_symbols; i++) {
        const struct symbol *x = symbols + i;
        if (x->kind == SYMBOL_CONSTANT) {
            const struct enclosure *e = enclosures;
            while (e->m != x->m || e->order != x->order || e->sine != x->sine)
                e++;
            fprintf(f, "%st_%s in [%se-40, %se-40]", hypotheses++ ? " /\\ " : "  ", x->name, e->low, e->high);
        }
        if (x->kind == SYMBOL_SHARE)
            fprintf(f, "%s%sw in [1, 1] /\\ %s in [0, %.17g]", hypotheses++ ? " /\\ " : "  ", x->name, x->name, w.largest_share);
    }
    fprintf(f, "%s%s\n}\n%s", hypotheses ? "\n->\n" : "", s->text[GOAL], s->text[HINT] ? s->text[HINT] : "");
    script_close(f);
}

double constant_error(const struct symbol *x)
{
    const struct enclosure *e = enclosures;
    while (e->m != x->m || e->order != x->order || e->sine != x->sine)
        e++;
    char digits[32] = "";
    const size_t sign = e->low[0] == '-';
    memcpy(digits, e->low, strlen(e->low) - 18); /* in units of 10^-22 */
    __int128 t = 0;
    for (const char *p = digits + sign; *p; p++)
        t = 10 * t + (*p - '0');
    int exponent;
    const long long mantissa = (long long)ldexp(frexp(fabs(x->value), &exponent), 53);
    __int128 v = (__int128)mantissa * 100000 * 100000 * 1000;
    v = v * 1000000000; /* times 10^22 */
    v >>= 53 - exponent;
    return (double)(v - t) * 1e-22 * 0x1p53 * (sign ? -1 : 1);
}

void prove_constant(const char *name, double first, double rest, double error)
{
    const struct enclosure *e = enclosures, *end = enclosures + sizeof enclosures / sizeof *enclosures;
    while (e < end && fabs(strtod(e->low, NULL) * 1e-40 - first) > 1e-15)
        e++;
    if (e == end)
        give_up("a constant that is no cosine or sine");
    FILE *f = script_open(name);
    fprintf(f, "# %s: written by proof/script.c.\nx = %a + %a;\n{ t in [%se-40, %se-40] -> |x / t - 1| * 1b106 <= %.17g }\n",
            name, first, rest, e->low, e->high, error);
    fprintf(f, "x / t - 1 -> (x - t) / t { t <> 0 };\n");
    script_close(f);
}

void print_code(FILE *f)
{
    print_operations(f);
    for (unsigned i = 0; i < trace.n_nodes; i++) {
        const struct node *x = trace.node + i;
        if (x->op == OP_KNOWN && x->known.n == 1 && x->known.t[0].degree == 1)
            fprintf(f, "x%u = %s;\n", i, symbols[x->known.t[0].s[0]].name);
        else if (x->op == OP_MUL)
            fprintf(f, "a%u = x%d * x%d;\nx%u = rnd(a%u);\n", i, x->a, x->b, i, i);
        else if (x->op == OP_FMA || x->op == OP_FMS)
            fprintf(f, "a%u = x%d * x%d %c x%d;\nx%u = rnd(a%u);\n", i, x->a, x->b, x->op == OP_FMA ? '+' : '-', x->c, i, i);
    }
}

static void print_coq_operand(FILE *f, int node)
{
    const struct node *x = trace.node + node;
    if (x->op != OP_KNOWN)
        fprintf(f, "x%d", node);
    else if (x->known.n == 0)
        fprintf(f, "0");
    else if (x->known.n == 1 && x->known.t[0].degree == 1 && x->known.t[0].k == 1)
        fprintf(f, "%s", symbols[x->known.t[0].s[0]].name);
    else
        give_up("a known number that is no symbol");
}

void print_coq(FILE *f, const char *name)
{
    static const char *const text[] = {[OP_NEG] = "-1",    [OP_ADD] = "1+2",   [OP_SUB] = "1-2",   [OP_MUL] = "1*2",
                                       [OP_FMA] = "1*2+3", [OP_FMS] = "1*2-3", [OP_FNMA] = "3-1*2"};
    fprintf(f, "Definition %s (rnd : R -> R)", name);
    for (unsigned i = 0; i < n_symbols; i++)
        if (symbols[i].kind == SYMBOL_C || symbols[i].kind == SYMBOL_TAU || symbols[i].kind == SYMBOL_SINE)
            fprintf(f, " (%s : R)", symbols[i].name);
    for (unsigned in = 0; in < trace.n_inputs; in += 2)
        fprintf(f, " (v%u : C)", in / 2);
    fprintf(f, " : list C :=\n");
    for (unsigned i = 0; i < trace.n_nodes; i++) {
        const struct node *x = trace.node + i;
        if (x->op == OP_KNOWN)
            continue;
        fprintf(f, "  let x%u := ", i);
        if (x->op == OP_INPUT) {
            fprintf(f, "%s v%u", x->input % 2 ? "im" : "re", x->input / 2);
        } else {
            fprintf(f, node_rounds(&trace, (int)i) ? "rnd (" : "(");
            for (const char *p = text[x->op]; *p; p++) {
                if (*p >= '1' && *p <= '3')
                    print_coq_operand(f, *p == '1' ? x->a : *p == '2' ? x->b : x->c);
                else
                    fprintf(f, " %c ", *p);
            }
            fprintf(f, ")");
        }
        fprintf(f, " in\n");
    }
    fprintf(f, "  [");
    for (unsigned o = 0; o < trace.n_outputs; o += 2)
        fprintf(f, "%spoint x%d x%d", o ? "; " : "", trace.output[o], trace.output[o + 1]);
    fprintf(f, "].\n");
}

/* Lemmas by tactics of angles.v: a cosine, then the sine from it. */
void print_true_constants(FILE *f)
{
    static const char *const radix[] = {[5] = "fifth", [7] = "seventh", [9] = "ninth"};
    for (unsigned i = 0; i < sizeof enclosures / sizeof *enclosures; i++) {
        const struct enclosure *e = enclosures + i;
        const char *function = e->sine ? "sin" : "cos";
        const unsigned degrees = 360 * e->m / e->order;
        fprintf(f, "Lemma %s_%u_%u : %s / 10 ^ 40 <= %s (2 * PI * %u / %u) <= %s / 10 ^ 40.\n", function, e->m, e->order, e->low,
                function, e->m, e->order, e->high);
        if (e->order == 3)
            fprintf(f, "Proof. third_is. Qed.\n");
        else if (e->order == 8)
            fprintf(f, "Proof. eighth_is. Qed.\n");
        else if (e->sine)
            fprintf(f, "Proof. sine_is cos_%u_%u. Qed.\n", e->m, e->order);
        else
            fprintf(f, "Proof. %s_is %u%%nat %s. Qed.\n", radix[e->order], e->m,
                    degrees < 60    ? "above_half"
                    : degrees < 90  ? "below_half"
                    : degrees < 120 ? "below_zero"
                                    : "below_minus_half");
    }
}
