/*
 * transpose.c - the transpose of a graph: the same operations, from its results to its inputs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>

#include "gen/graph.h"

/* State of the nodes of the graph that is transposed. */
struct turning {
    const struct gen_graph *from;
    struct gen_graph *to;
    gen_ref *value; /* nodes without data: the same node in `to`; others: the sum of what has reached them so far */
    unsigned char *data;
};

static void bring(struct turning *t, int32_t node, gen_ref value)
{
    t->value[node] = gen_add(t->to, t->value[node], value);
}

/* Is it data, or a factor of products?  Factors are made in `to`. */
static void sort_out(struct turning *t, int32_t n_data)
{
    for (int32_t i = 0; i < t->from->n_nodes; i++) {
        const struct gen_node *x = &t->from->nodes[i];
        gen_ref *value = &t->value[i];
        *value = GEN_ZERO;
        switch ((enum gen_op)x->op) {
        case GEN_OP_CONST:
            t->data[i] = false;
            *value = gen_constant(t->to, t->from->constants[x->c]);
            break;
        case GEN_OP_INPUT:
            t->data[i] = x->c < n_data;
            if (!t->data[i])
                *value = gen_input(t->to, x->c);
            break;
        case GEN_OP_SCALE:
            t->data[i] = t->data[x->a];
            if (!t->data[i])
                *value = gen_scale(t->to, t->from->constants[x->c], t->value[x->a]);
            break;
        case GEN_OP_MUL:
            t->data[i] = t->data[x->a] || t->data[x->b];
            if (!t->data[i])
                *value = gen_mul(t->to, t->value[x->a], t->value[x->b]);
            break;
        case GEN_OP_ADD:
        case GEN_OP_SUB:
            t->data[i] = t->data[x->a];
            if (!t->data[i] && x->op == GEN_OP_ADD)
                *value = gen_add(t->to, t->value[x->a], t->value[x->b]);
            else if (!t->data[i])
                *value = gen_sub(t->to, t->value[x->a], t->value[x->b]);
            break;
        }
    }
}

/* From the last node to the first: each sum passes its value on to both of its terms. */
static void walk_back(struct turning *t)
{
    for (int32_t i = t->from->n_nodes - 1; i >= 0; i--) {
        const struct gen_node *x = &t->from->nodes[i];
        const gen_ref value = t->value[i];
        if (!t->data[i] || value == GEN_ZERO || x->op == GEN_OP_INPUT)
            continue;
        if (x->op == GEN_OP_SCALE) {
            bring(t, x->a, gen_scale(t->to, t->from->constants[x->c], value));
        } else if (x->op == GEN_OP_MUL) {
            const int32_t data = t->data[x->a] ? x->a : x->b, number = t->data[x->a] ? x->b : x->a;
            bring(t, data, gen_mul(t->to, t->value[number], value));
        } else {
            bring(t, x->a, value);
            bring(t, x->b, x->op == GEN_OP_ADD ? value : gen_neg(value));
        }
    }
}

enum gfmul_status gen_graph_transpose(const struct gen_graph *from, const struct gen_complex *y, uint32_t n,
                                      const struct gen_complex *x, struct gen_graph *to, struct gen_complex *z)
{
    const size_t n_nodes = (size_t)from->n_nodes;
    struct turning t = {from, to, malloc(n_nodes * sizeof *t.value), malloc(n_nodes)};
    const bool made = t.value && t.data && !from->failed;

    if (made) {
        sort_out(&t, 2 * (int32_t)n);
        /* real transposition gives the transpose of the conjugate, so imaginary parts change sign at both ends */
        for (uint32_t k = 0; k < n; k++) {
            if (y[k].re != GEN_ZERO)
                bring(&t, gen_node_of(y[k].re), gen_negative(y[k].re) ? gen_neg(x[k].re) : x[k].re);
            if (y[k].im != GEN_ZERO)
                bring(&t, gen_node_of(y[k].im), gen_negative(y[k].im) ? x[k].im : gen_neg(x[k].im));
            z[k] = (struct gen_complex){GEN_ZERO, GEN_ZERO};
        }
        walk_back(&t);
        for (int32_t i = 0; i < from->n_nodes; i++) {
            const struct gen_node *node = &from->nodes[i];
            if (node->op == GEN_OP_INPUT && t.data[i] && node->c % 2 == 0)
                z[node->c / 2].re = t.value[i];
            else if (node->op == GEN_OP_INPUT && t.data[i])
                z[node->c / 2].im = gen_neg(t.value[i]);
        }
    }
    free(t.value);
    free(t.data);
    return made && !to->failed ? GFMUL_OK : GFMUL_ERR_MEMORY;
}
