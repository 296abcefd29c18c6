/*
 * codelet.c - a graph as lines of code.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "gen/algorithms.h"
#include "gen/codelet.h"

enum { MAX_RADIX = 16, WIDE = 1000 };

/* What is known of a node while code is written. */
struct written {
    signed char sign; /* -1: its negative is what the variable holds */
    int bits;         /* integers below 2^bits; WIDE: any number */
    int variable;
};

struct writer {
    struct gen_text *out;
    const struct gen_codelet *c;
    const struct gen_graph *g;
    struct written *nodes;
    int n_variables;
    size_t in_float;
};

/* In the narrower type: float for double, double for double-double. */
static bool in_float(const struct writer *w, int bits)
{
    return w->c->type != 'f' && (w->c->float_inside || bits <= (w->c->type == 'd' ? 24 : 53));
}

static const char *type_name(const struct writer *w, int bits)
{
    bool narrow = in_float(w, bits);
    return w->c->type == 'f' || (w->c->type == 'd' && narrow) ? "float" : w->c->type == 'd' || narrow ? "double" : "double2";
}

/* A variable, widened where wanted. */
static void operand(const struct writer *w, const char *sign, int32_t node, bool cast, char *text, size_t size)
{
    int v = w->nodes[node].variable;
    if (cast && w->c->type == 'q')
        snprintf(text, size, "(double2)(%st%d, 0.0)", sign, v);
    else
        snprintf(text, size, "%s%st%d", cast ? "(double)" : "", sign, v);
}

/* A constant, with all its digits and a decimal point. */
static void constant(const struct writer *w, gen_number value, bool narrow, bool negative, char *text, size_t size)
{
    bool as_float = w->c->type == 'f' || (w->c->type == 'd' && narrow);
    C_LOCALE;
    if (negative)
        value = -value;
    if (w->c->type == 'q' && !narrow) {
        double high = (double)value;
        snprintf(text, size, "(double2)(%.17g, %.17g)", high, (double)(value - high));
        return;
    }
    snprintf(text, size, as_float ? "%.9g" : "%.17g", (double)value);
    if (!strpbrk(text, ".en"))
        snprintf(text + strlen(text), size - strlen(text), ".0");
    if (as_float)
        snprintf(text + strlen(text), size - strlen(text), "f");
}

/* One line: the operation of a node.  want: the sign that its result should have where both are free. */
static void operation(struct writer *w, int32_t i, int want)
{
    const struct gen_node *x = &w->g->nodes[i];
    struct written *me = &w->nodes[i];
    const struct written *a = &w->nodes[x->a], *b = &w->nodes[x->b];
    char left[80], right[80];
    const bool functions = w->c->type == 'q';

    me->variable = w->n_variables++;
    if (x->op == GEN_OP_SCALE) {
        me->bits = WIDE;
        me->sign = (signed char)want;
        bool narrow = in_float(w, WIDE);
        constant(w, w->g->constants[x->c], narrow, a->sign != want, left, sizeof left);
        operand(w, "", x->a, functions && !narrow && in_float(w, a->bits), right, sizeof right);
        w->in_float += narrow;
        gen_printf(w->out, "    const %s t%d = ", type_name(w, WIDE), me->variable);
        if (functions && !narrow)
            gen_printf(w->out, "fft_%s_times(%s, %s);\n", w->c->id, left, right);
        else
            gen_printf(w->out, "%s * %s;\n", left, right);
        return;
    }
    int most = a->bits > b->bits ? a->bits : b->bits;
    me->bits = most >= WIDE ? WIDE : most + 1;
    bool narrow = in_float(w, me->bits), a_narrow = in_float(w, a->bits), b_narrow = in_float(w, b->bits);
    bool calls = functions && !narrow;
    w->in_float += narrow;
    /* The node is a + s b; the variables hold sign * a and sign * b. */
    int s = x->op == GEN_OP_ADD ? 1 : -1;
    bool sum = a->sign == s * b->sign; /* +-(left + right) */
    me->sign = sum ? a->sign : (signed char)want;
    bool straight = sum || a->sign == want;
    /* in C the conversions of mixed operands are right, but two narrow ones would be added in the narrow type */
    operand(w, "", straight ? x->a : x->b, !narrow && (calls ? (straight ? a_narrow : b_narrow) : a_narrow && b_narrow), left,
            sizeof left);
    operand(w, !sum && calls ? "-" : "", straight ? x->b : x->a,
            !narrow && (calls ? (straight ? b_narrow : a_narrow) : a_narrow && b_narrow), right, sizeof right);
    gen_printf(w->out, "    const %s t%d = ", type_name(w, me->bits), me->variable);
    if (calls)
        gen_printf(w->out, "fft_%s_add(%s, %s);\n", w->c->id, left, right);
    else
        gen_printf(w->out, "%s %c %s;\n", left, sum ? '+' : '-', right);
}

/* A result, with its sign. */
static void result(const struct writer *w, gen_ref r, char *text, size_t size)
{
    if (r == GEN_ZERO) {
        snprintf(text, size, w->c->type == 'q' ? "(double2)(0.0, 0.0)" : w->c->type == 'd' ? "0.0" : "0.0f");
        return;
    }
    const struct written *x = &w->nodes[gen_node_of(r)];
    operand(w, gen_negative(r) != (x->sign < 0) ? "-" : "", gen_node_of(r), in_float(w, x->bits), text, size);
}

static enum gfmul_status write(struct writer *w, const struct gen_complex *y, const char *name, struct gen_codelet_facts *facts)
{
    const struct gen_codelet *c = w->c;
    size_t n_nodes = (size_t)w->g->n_nodes, n_order, max_live;
    int32_t *order = malloc(n_nodes * sizeof *order);
    unsigned char *used = malloc(n_nodes);
    signed char *want = malloc(n_nodes);
    enum gfmul_status status = GFMUL_ERR_MEMORY;
    struct gen_count count;
    const char *point = c->type == 'q' ? "double4" : c->type == 'd' ? "double2" : "float2";

    w->nodes = calloc(n_nodes, sizeof *w->nodes);
    if (!order || !used || !want || !w->nodes)
        goto end;
    if ((status = gen_graph_count(w->g, &y[0].re, 2 * c->radix, &count)) != GFMUL_OK ||
        (status = gen_schedule(w->g, &y[0].re, 2 * c->radix, order, &n_order, &max_live)) != GFMUL_OK)
        goto end;
    memset(want, 1, n_nodes);
    for (uint32_t k = 0; k < c->radix; k++) {
        if (gen_negative(y[k].re))
            want[gen_node_of(y[k].re)] = -1;
        if (gen_negative(y[k].im))
            want[gen_node_of(y[k].im)] = -1;
    }
    gen_printf(w->out, "/* %u points: %llu additions, %llu products; %zu values at once. */\n", c->radix,
               (unsigned long long)count.additions, (unsigned long long)count.products, max_live);
    gen_printf(w->out, "static inline void %s(%s *x)\n{\n", name, point);
    gen_graph_mark(w->g, &y[0].re, 2 * c->radix, used);
    for (int32_t i = 0; i < w->g->n_nodes; i++) {
        const struct gen_node *x = &w->g->nodes[i];
        if (!used[i] || x->op != GEN_OP_INPUT)
            continue;
        struct written *me = &w->nodes[i];
        *me = (struct written){1, c->exact_bits > 0 ? c->exact_bits : WIDE, w->n_variables++};
        bool narrow = in_float(w, me->bits);
        static const char *const parts[3][2] = {{"x", "y"}, {"lo", "hi"}, {"x", "z"}}; /* double4: the parts, their high words */
        gen_printf(w->out, "    const %s t%d = %sx[%d].%s;\n", type_name(w, me->bits), me->variable,
                   narrow && c->type == 'd' ? "(float)" : "", x->c / 2, parts[c->type == 'q' ? 1 + narrow : 0][x->c % 2]);
    }
    for (size_t i = 0; i < n_order; i++)
        operation(w, order[i], want[order[i]]);
    for (uint32_t k = 0; k < c->radix; k++) {
        char re[48], im[48];
        result(w, y[k].re, re, sizeof re);
        result(w, y[k].im, im, sizeof im);
        gen_printf(w->out, "    x[%u] = (%s)(%s, %s);\n", k, point, re, im);
    }
    gen_printf(w->out, "}\n\n");
    if (facts)
        *facts = (struct gen_codelet_facts){count, max_live, w->in_float};
    status = w->out->failed ? GFMUL_ERR_MEMORY : GFMUL_OK;
end:
    free(order);
    free(used);
    free(want);
    free(w->nodes);
    return status;
}

enum gfmul_status gen_codelet_write(struct gen_text *out, const struct gen_codelet *c, const char *name,
                                    struct gen_codelet_facts *facts)
{
    struct gen_graph g;
    struct gen_complex x[MAX_RADIX], y[MAX_RADIX];
    struct gen_text scratch = {0};

    enum gfmul_status status = gen_graph_create(&g);
    if (status != GFMUL_OK)
        return status;
    for (uint32_t j = 0; j < c->radix; j++)
        if (c->nonzero >> j & 1)
            x[j] = (struct gen_complex){gen_input(&g, (int32_t)(2 * j)), gen_input(&g, (int32_t)(2 * j + 1))};
        else
            x[j] = (struct gen_complex){GEN_ZERO, GEN_ZERO};
    struct writer w = {.out = out ? out : &scratch, .c = c, .g = &g};
    if ((status = gen_transform(&g, c->radix, c->algorithm, x, y)) == GFMUL_OK)
        status = write(&w, y, name, facts);
    gen_graph_destroy(&g);
    gen_text_free(&scratch);
    return status;
}
