/*
 * codelet_c.c - the codelets of the CPU's transform: a graph as C over vectors.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "gen/algorithms.h"
#include "gen/codelet.h"

enum { MAX_RADIX = 16 };

struct c_writer {
    struct gen_text *out;
    const struct gen_graph *g;
    signed char *sign, *want;   /* per node; sign -1: the variable holds the negative; want: the sign that its user prefers */
    unsigned char *used, *kept; /* is the node needed; is a product a variable, not only part of multiply-adds */
};

/* Which operand of a sum is a product that becomes part of a multiply-add: 0 none, 1 the first, 2 the second. */
static int fused(const struct gen_graph *g, const struct gen_node *x)
{
    if (x->op != GEN_OP_ADD && x->op != GEN_OP_SUB)
        return 0;
    return g->nodes[x->b].op == GEN_OP_SCALE ? 2 : g->nodes[x->a].op == GEN_OP_SCALE;
}

/* The name of a node's variable; an input is named by its index. */
static const char *name_of(const struct c_writer *w, int32_t node, char text[16])
{
    const struct gen_node *x = &w->g->nodes[node];
    if (x->op == GEN_OP_INPUT)
        snprintf(text, 16, "%c%d", x->c % 2 ? 'i' : 'r', x->c / 2);
    else
        snprintf(text, 16, "t%d", node);
    return text;
}

/* Write one line: a product, a sum, or a multiply-add. */
static void line(const struct c_writer *w, int32_t i)
{
    const struct gen_node *x = &w->g->nodes[i];
    char me[16], a[16], b[16];
    int f = fused(w->g, x), s = x->op == GEN_OP_SUB ? -1 : 1, want = w->want[i];

    if (x->op == GEN_OP_SCALE && !w->kept[i])
        return;
    name_of(w, i, me);
    w->sign[i] = (signed char)want;
    if (x->op == GEN_OP_SCALE) {
        gen_printf(w->out, "    const vec %s = %sc%d * %s;\n", me, w->sign[x->a] != want ? "-" : "", x->c, name_of(w, x->a, a));
        return;
    }
    if (f == 0) {
        bool sum = w->sign[x->a] == s * w->sign[x->b], straight = sum || w->sign[x->a] == want;
        if (sum)
            w->sign[i] = w->sign[x->a];
        gen_printf(w->out, "    const vec %s = %s %c %s;\n", me, name_of(w, straight ? x->a : x->b, a), sum ? '+' : '-',
                   name_of(w, straight ? x->b : x->a, b));
        return;
    }
    /* u + p t with signs: alpha of the plain operand, beta of the product */
    const struct gen_node *product = &w->g->nodes[f == 2 ? x->b : x->a];
    int32_t plain = f == 2 ? x->a : x->b;
    int alpha = want * w->sign[plain] * (f == 1 ? s : 1), beta = want * w->sign[product->a] * (f == 2 ? s : 1);
    if (alpha < 0 && beta < 0) {
        alpha = beta = 1;
        w->sign[i] = (signed char)-want;
    }
    gen_printf(w->out, "    const vec %s = vec_%s(c%d, %s, %s);\n", me,
               alpha < 0  ? "fms"
               : beta < 0 ? "fnma"
                          : "fma",
               product->c, name_of(w, product->a, a), name_of(w, plain, b));
}

/* function_write - order has room for all nodes; so do the members of w, which are zeroed. */
static enum gfmul_status function_write(struct c_writer *w, uint32_t radix, const struct gen_complex *y, int32_t *order)
{
    const size_t n = (size_t)w->g->n_nodes;
    size_t n_order, live;
    char name[16];

    TRY(gen_schedule(w->g, &y[0].re, 2 * radix, order, &n_order, &live));
    memset(w->sign, 1, n);
    memset(w->want, 1, n);
    gen_graph_mark(w->g, &y[0].re, 2 * radix, w->used);
    for (uint32_t k = 0; k < 2 * radix; k++) {
        gen_ref r = k % 2 ? y[k / 2].im : y[k / 2].re;
        w->kept[gen_node_of(r)] = 1;
        if (gen_negative(r))
            w->want[gen_node_of(r)] = -1;
    }
    for (size_t i = 0; i < n_order; i++) {
        const struct gen_node *x = &w->g->nodes[order[i]];
        int f = fused(w->g, x);
        if (f != 1)
            w->kept[x->a] = 1;
        if (f != 2 && x->op != GEN_OP_SCALE)
            w->kept[x->b] = 1;
    }
    gen_printf(w->out, "FFT_INLINE void dft%u(vec *xr, vec *xi)\n{\n", radix);
    for (int32_t c = 1; c < w->g->n_constants; c++) {
        bool needed = false;
        for (int32_t i = 0; i < w->g->n_nodes; i++)
            needed = needed || (w->used[i] && w->g->nodes[i].op == GEN_OP_SCALE && w->g->nodes[i].c == c);
        if (needed)
            gen_printf(w->out, "    const vec c%d = vec_set1((real)%.21LgL);\n", c, (long double)w->g->constants[c]);
    }
    for (uint32_t j = 0; j < radix; j++)
        gen_printf(w->out, "    const vec r%u = xr[%u], i%u = xi[%u];\n", j, j, j, j);
    for (size_t i = 0; i < n_order; i++)
        line(w, order[i]);
    for (uint32_t k = 0; k < 2 * radix; k++) {
        gen_ref r = k % 2 ? y[k / 2].im : y[k / 2].re;
        bool negative = gen_negative(r) != (w->sign[gen_node_of(r)] < 0);
        gen_printf(w->out, "    x%c[%u] = %s%s;\n", k % 2 ? 'i' : 'r', k / 2, negative ? "-" : "",
                   name_of(w, gen_node_of(r), name));
    }
    gen_printf(w->out, "}\n");
    return w->out->failed ? GFMUL_ERR_MEMORY : GFMUL_OK;
}

static enum gfmul_status function(struct c_writer *w, uint32_t radix, const struct gen_complex *y)
{
    const size_t n = (size_t)w->g->n_nodes;
    int32_t *order = malloc(n * sizeof *order);
    signed char *signs = malloc(2 * n);
    unsigned char *flags = calloc(n, 2);
    enum gfmul_status status = GFMUL_ERR_MEMORY;
    if (order && signs && flags) {
        w->sign = signs;
        w->want = signs + n;
        w->used = flags;
        w->kept = flags + n;
        status = function_write(w, radix, y, order);
    }
    free(order);
    free(signs);
    free(flags);
    return status;
}

enum gfmul_status gen_codelet_write_c(struct gen_text *out, uint32_t radix, char algorithm)
{
    struct gen_graph g;
    struct gen_complex x[MAX_RADIX], y[MAX_RADIX];
    TRY(gen_graph_create(&g));
    for (uint32_t j = 0; j < radix; j++)
        x[j] = (struct gen_complex){gen_input(&g, (int32_t)(2 * j)), gen_input(&g, (int32_t)(2 * j + 1))};
    struct c_writer w = {.out = out, .g = &g};
    enum gfmul_status status = gen_transform(&g, radix, algorithm, x, y);
    if (status == GFMUL_OK)
        status = function(&w, radix, y);
    gen_graph_destroy(&g);
    return status;
}

enum gfmul_status gen_codelets_write_c(struct gen_text *out)
{
    static const uint32_t radices[] = {2, 3, 4, 5, 7, 8};
    enum gfmul_status status = GFMUL_OK;

    gen_printf(out, "%s",
               "/*\n * fft_codelets.h - transforms of 2, 3, 4, 5, 7 and 8 points in registers, forwards, in place.\n *\n"
               " * Written by fftgen --codelets (make regen): do not edit.  Included by fft_run.h.\n */\n");
    for (size_t i = 0; i < sizeof radices / sizeof *radices && status == GFMUL_OK; i++) {
        gen_printf(out, "\n");
        status = gen_codelet_write_c(out, radices[i], '2'); /* products are not shared, because all of them become part of sums */
    }
    return status;
}
