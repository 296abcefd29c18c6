/*
 * codelet.c - a graph as lines of code.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/try.h"
#include "gen/codelet.h"

enum { WIDE = 1000, MAX_NUMBERS = 3 * GEN_MAX_PARAMETERS };

/* State of a node while code is written. */
struct written {
    signed char sign; /* -1: the variable holds the negative of the node */
    int bits;         /* integers below 2^bits; WIDE: any number */
    int variable;
};

struct writer {
    struct gen_text *out;
    const struct gen_codelet *c;
    const struct gen_graph *g;
    struct written *nodes;
    int n_variables;
    size_t in_float, roots;
};

/* Is the node computed in the narrower type: float for double, double for double-double? */
static bool in_float(const struct writer *w, int bits)
{
    return w->c->type != 'f' && (w->c->float_inside || bits <= (w->c->type == 'd' ? 24 : 53));
}

static const char *type_name(const struct writer *w, int bits)
{
    bool narrow = in_float(w, bits);
    return w->c->type == 'f' || (w->c->type == 'd' && narrow) ? "float" : w->c->type == 'd' || narrow ? "double" : "double2";
}

/* A variable, widened if needed. */
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

/* Write one line: the operation of a node.   want: the sign of the result, if both signs cost the same. */
static void operation(struct writer *w, int32_t i, int want)
{
    const struct gen_node *x = &w->g->nodes[i];
    struct written *me = &w->nodes[i];
    const struct written *a = &w->nodes[x->a], *b = &w->nodes[x->b];
    char left[80], right[80];
    const bool functions = w->c->type == 'q';

    me->variable = w->n_variables++;
    if (x->op == GEN_OP_MUL) {
        me->bits = WIDE;
        me->sign = (signed char)(a->sign * b->sign);
        const bool narrow = in_float(w, WIDE);
        operand(w, "", x->a, functions && !narrow && in_float(w, a->bits), left, sizeof left);
        operand(w, "", x->b, functions && !narrow && in_float(w, b->bits), right, sizeof right);
        w->in_float += narrow;
        gen_printf(w->out, "    const %s t%d = ", type_name(w, WIDE), me->variable);
        if (functions && !narrow)
            gen_printf(w->out, "fft_%s_times(%s, %s);\n", w->c->id, left, right);
        else
            gen_printf(w->out, "%s * %s;\n", left, right);
        return;
    }
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
    /* C converts mixed operands correctly, but it would add two narrow ones in the narrow type */
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

static bool has_parameters(const struct gen_codelet *c)
{
    return c->cut && c->cut->unit > 0 && c->cut->quarter < 0;
}

static const char *point_type(const struct gen_codelet *c)
{
    return c->type == 'q' ? "double4" : c->type == 'd' ? "double2" : "float2";
}

/* The line before the body. */
static void head(const struct writer *w, const char *name)
{
    const struct gen_codelet *c = w->c;

    gen_printf(w->out, "static inline void %s(%s *x", name, point_type(c));
    if (has_parameters(c) && c->algorithm == 'T')
        gen_printf(w->out, ", %s const %s *restrict table, uint at, uint step", c->space,
                   c->type == 'q'   ? "double2"
                   : c->type == 'd' ? "double"
                                    : "float");
    else if (has_parameters(c) && c->space)
        gen_printf(w->out, ", %s const %s *restrict table, uint s", c->space, point_type(c));
    else if (has_parameters(c))
        gen_printf(w->out, ", uint s");
    gen_printf(w->out, ")\n{\n");
}

/* Is this number of the parameters used?  If inputs are zero, some are not. */
static bool is_used(const unsigned char *used, int32_t node)
{
    return node >= 0 && used[node];
}

/* Write the parameters: T reads their numbers from a table, the others ask for roots. */
static void parameters(struct writer *w, const unsigned char *used)
{
    const struct gen_codelet *c = w->c;
    static const char *const names[3][3] = {{"x", "y"}, {"lo", "hi"}, {"re", "sum", "difference"}};
    const char *const *parts = names[c->three ? 2 : c->type == 'q'];
    const char *high = c->type == 'q' && in_float(w, WIDE) ? ".x" : ""; /* the high part of a double-double */
    int32_t node_of[MAX_NUMBERS], number = 0;

    for (int i = 0; i < MAX_NUMBERS; i++)
        node_of[i] = -1;
    for (int32_t i = 0; i < w->g->n_nodes; i++)
        if (w->g->nodes[i].op == GEN_OP_INPUT && w->g->nodes[i].c >= c->cut->first)
            node_of[w->g->nodes[i].c - c->cut->first] = i;
    for (int i = 0; i < c->cut->n_parameters; i++) {
        const struct gen_parameter *parameter = &c->cut->parameters[i];
        const bool third = parameter->kind == GEN_ROOT_3;
        const uint32_t stride = (third ? 1 : parameter->angle) * (c->radix / parameter->n);
        const uint32_t from = parameter->from * (c->n / parameter->n);
        const int numbers = gen_parameter_numbers(parameter->kind, c->three);
        bool any = false;
        for (int k = 0; k < numbers; k++)
            any = any || is_used(used, node_of[number + k]);
        if (c->algorithm != 'T' && any) {
            if (c->three)
                gen_printf(w->out, "    const struct fft_%s_factor w%d", c->id, i);
            else
                gen_printf(w->out, "    const %s w%d", point_type(c), i);
            gen_printf(w->out, " = fft_%s_twiddle%s(%s", c->id, third ? "_third" : "", c->space ? "table, " : "");
            gen_printf(w->out, stride == 1 ? "s" : "%uu * s", stride);
            gen_printf(w->out, from == 0 ? ");\n" : " + %uu);\n", from);
            w->roots++;
        }
        for (int k = 0; k < numbers; k++, number++) {
            if (!is_used(used, node_of[number]))
                continue;
            struct written *me = &w->nodes[node_of[number]];
            *me = (struct written){1, WIDE, w->n_variables++};
            gen_printf(w->out, "    const %s t%d = %s", type_name(w, WIDE), me->variable,
                       c->type == 'd' && in_float(w, WIDE) ? "(float)" : "");
            if (c->algorithm == 'T')
                gen_printf(w->out, "table[at + %du * step]%s;\n", number, high);
            else
                gen_printf(w->out, "w%d.%s%s;\n", i, parts[k], high);
        }
    }
}

/* Scratch arrays of the writer, one entry per node, beside w->nodes. */
struct node_notes {
    int32_t *order;
    unsigned char *used;
    signed char *want;
};

static enum gfmul_status body_write(struct writer *w, const struct node_notes *p, const struct gen_complex *y, const char *name,
                                    struct gen_codelet_facts *facts)
{
    const struct gen_codelet *c = w->c;
    size_t n_order, max_live;
    int32_t *order = p->order;
    unsigned char *used = p->used;
    signed char *want = p->want;
    struct gen_count count;
    const char *point = point_type(c);

    TRY(gen_graph_count(w->g, &y[0].re, 2 * c->radix, &count));
    TRY(gen_schedule(w->g, &y[0].re, 2 * c->radix, order, &n_order, &max_live));
    memset(want, 1, (size_t)w->g->n_nodes);
    for (uint32_t k = 0; k < c->radix; k++) {
        if (gen_negative(y[k].re))
            want[gen_node_of(y[k].re)] = -1;
        if (gen_negative(y[k].im))
            want[gen_node_of(y[k].im)] = -1;
    }
    gen_printf(w->out, "/* %u points: %llu additions, %llu products; %zu values at once. */\n", c->radix,
               (unsigned long long)count.additions, (unsigned long long)count.products, max_live);
    head(w, name);
    gen_graph_mark(w->g, &y[0].re, 2 * c->radix, used);
    for (int32_t i = 0; i < w->g->n_nodes; i++) {
        const struct gen_node *x = &w->g->nodes[i];
        if (!used[i] || x->op != GEN_OP_INPUT || (uint32_t)x->c >= 2 * c->radix)
            continue;
        struct written *me = &w->nodes[i];
        *me = (struct written){1, c->exact_bits > 0 ? c->exact_bits : WIDE, w->n_variables++};
        bool narrow = in_float(w, me->bits);
        static const char *const parts[3][2] = {{"x", "y"}, {"lo", "hi"}, {"x", "z"}}; /* double4: the parts, their high words */
        gen_printf(w->out, "    const %s t%d = %sx[%d].%s;\n", type_name(w, me->bits), me->variable,
                   narrow && c->type == 'd' ? "(float)" : "", x->c / 2, parts[c->type == 'q' ? 1 + narrow : 0][x->c % 2]);
    }
    if (has_parameters(c))
        parameters(w, used);
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
        *facts = (struct gen_codelet_facts){count, max_live, w->in_float, w->roots};
    return w->out->failed ? GFMUL_ERR_MEMORY : GFMUL_OK;
}

static enum gfmul_status write(struct writer *w, const struct gen_complex *y, const char *name, struct gen_codelet_facts *facts)
{
    const size_t n = (size_t)w->g->n_nodes;
    const struct node_notes p = {malloc(n * sizeof *p.order), malloc(n), malloc(n)};
    enum gfmul_status status = GFMUL_ERR_MEMORY;
    w->nodes = calloc(n, sizeof *w->nodes);
    if (p.order && p.used && p.want && w->nodes)
        status = body_write(w, &p, y, name, facts);
    free(p.order);
    free(p.used);
    free(p.want);
    free(w->nodes);
    return status;
}

/* The transposed graph of a part: y from x. */
static enum gfmul_status turned_make(const struct gen_codelet *c, struct gen_graph *g, const struct gen_complex *x,
                                     struct gen_complex *y)
{
    struct gen_graph straight;
    struct gen_complex in[GEN_MAX_CODELET], out[GEN_MAX_CODELET];

    TRY(gen_graph_create(&straight));
    straight.three_products = c->three;
    for (uint32_t j = 0; j < c->radix; j++)
        in[j] = (struct gen_complex){gen_input(&straight, (int32_t)(2 * j)), gen_input(&straight, (int32_t)(2 * j + 1))};
    enum gfmul_status status = gen_transform_part(&straight, c->radix, c->algorithm, c->cut, in, out);
    if (status == GFMUL_OK)
        status = gen_graph_transpose(&straight, out, c->radix, x, g, y);
    gen_graph_destroy(&straight);
    return status;
}

enum gfmul_status gen_codelet_graph(const struct gen_codelet *c, struct gen_graph *g, struct gen_complex *y)
{
    struct gen_complex x[GEN_MAX_CODELET];

    g->three_products = c->three;
    for (uint32_t j = 0; j < c->radix; j++)
        if (c->nonzero >> j & 1)
            x[j] = (struct gen_complex){gen_input(g, (int32_t)(2 * j)), gen_input(g, (int32_t)(2 * j + 1))};
        else
            x[j] = (struct gen_complex){GEN_ZERO, GEN_ZERO};
    if (c->cut)
        c->cut->first = 2 * (int32_t)c->radix;
    return c->transposed ? turned_make(c, g, x, y) : gen_transform_part(g, c->radix, c->algorithm, c->cut, x, y);
}

enum gfmul_status gen_codelet_write(struct gen_text *out, const struct gen_codelet *c, const char *name,
                                    struct gen_codelet_facts *facts)
{
    struct gen_graph g;
    struct gen_complex y[GEN_MAX_CODELET];
    struct gen_text scratch = {0};

    TRY(gen_graph_create(&g));
    struct writer w = {.out = out ? out : &scratch, .c = c, .g = &g};
    enum gfmul_status status = gen_codelet_graph(c, &g, y);
    if (status == GFMUL_OK)
        status = write(&w, y, name, facts);
    gen_graph_destroy(&g);
    gen_text_free(&scratch);
    return status;
}
