/*
 * graph.c - the store of expressions: equal nodes are one node.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "gen/graph.h"

enum { MAX_NODES = 1 << 28 };

static uint32_t mix(uint64_t h)
{
    h *= UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(h >> 32);
}

static uint32_t node_hash(enum gen_op op, int32_t a, int32_t b, int32_t c)
{
    return mix((uint64_t)mix((uint64_t)(uint32_t)a << 32 | (uint32_t)b) << 32 | ((uint32_t)c * 8u + (uint32_t)op));
}

static uint32_t constant_hash(gen_number value)
{
    uint64_t bits;
    double d = (double)value;
    memcpy(&bits, &d, sizeof bits);
    return mix(bits);
}

/* Double the number of slots. */
static int32_t *slots_new(int32_t n)
{
    size_t bytes;
    if (!size_mul(&bytes, (size_t)n, sizeof(int32_t)))
        return NULL;
    int32_t *slots = malloc(bytes);
    if (slots)
        memset(slots, 0xff, bytes);
    return slots;
}

static bool nodes_grow(struct gen_graph *g)
{
    if (g->n_nodes == g->node_size) {
        if (g->node_size >= MAX_NODES)
            return false;
        struct gen_node *nodes = realloc(g->nodes, 2 * (size_t)g->node_size * sizeof *nodes);
        if (!nodes)
            return false;
        g->nodes = nodes;
        g->node_size *= 2;
    }
    if (g->n_nodes < g->n_slots / 2)
        return true;
    int32_t n = 2 * g->n_slots, *slots = slots_new(n);
    if (!slots)
        return false;
    for (int32_t i = 0; i < g->n_nodes; i++) {
        const struct gen_node *x = &g->nodes[i];
        uint32_t h = node_hash(x->op, x->a, x->b, x->c) & (uint32_t)(n - 1);
        while (slots[h] >= 0)
            h = (h + 1) & (uint32_t)(n - 1);
        slots[h] = i;
    }
    free(g->slots);
    g->slots = slots;
    g->n_slots = n;
    return true;
}

int32_t gen_graph_node(struct gen_graph *g, enum gen_op op, int32_t a, int32_t b, int32_t c)
{
    if (g->failed || !nodes_grow(g)) {
        g->failed = true;
        return -1;
    }
    uint32_t h = node_hash(op, a, b, c) & (uint32_t)(g->n_slots - 1);
    for (; g->slots[h] >= 0; h = (h + 1) & (uint32_t)(g->n_slots - 1)) {
        const struct gen_node *x = &g->nodes[g->slots[h]];
        if (x->op == op && x->a == a && x->b == b && x->c == c)
            return g->slots[h];
    }
    g->slots[h] = g->n_nodes;
    g->nodes[g->n_nodes] = (struct gen_node){(uint8_t)op, a, b, c};
    return g->n_nodes++;
}

static bool constants_grow(struct gen_graph *g)
{
    if (g->n_constants == g->constant_size) {
        gen_number *constants = realloc(g->constants, 2 * (size_t)g->constant_size * sizeof *constants);
        if (!constants)
            return false;
        g->constants = constants;
        g->constant_size *= 2;
    }
    if (g->n_constants < g->n_constant_slots / 2)
        return true;
    int32_t n = 2 * g->n_constant_slots, *slots = slots_new(n);
    if (!slots)
        return false;
    for (int32_t i = 0; i < g->n_constants; i++) {
        uint32_t h = constant_hash(g->constants[i]) & (uint32_t)(n - 1);
        while (slots[h] >= 0)
            h = (h + 1) & (uint32_t)(n - 1);
        slots[h] = i;
    }
    free(g->constant_slots);
    g->constant_slots = slots;
    g->n_constant_slots = n;
    return true;
}

int32_t gen_graph_constant(struct gen_graph *g, gen_number value)
{
    if (g->failed || !constants_grow(g)) {
        g->failed = true;
        return -1;
    }
    uint32_t h = constant_hash(value) & (uint32_t)(g->n_constant_slots - 1);
    for (; g->constant_slots[h] >= 0; h = (h + 1) & (uint32_t)(g->n_constant_slots - 1))
        if (g->constants[g->constant_slots[h]] == value)
            return g->constant_slots[h];
    g->constant_slots[h] = g->n_constants;
    g->constants[g->n_constants] = value;
    return g->n_constants++;
}

enum gfmul_status gen_graph_create(struct gen_graph *g)
{
    *g = (struct gen_graph){.node_size = 64, .n_slots = 256, .constant_size = 16, .n_constant_slots = 64};
    g->nodes = malloc((size_t)g->node_size * sizeof *g->nodes);
    g->slots = slots_new(g->n_slots);
    g->constants = malloc((size_t)g->constant_size * sizeof *g->constants);
    g->constant_slots = slots_new(g->n_constant_slots);
    if (g->nodes && g->slots && g->constants && g->constant_slots && gen_graph_constant(g, 0) == 0 &&
        gen_graph_node(g, GEN_OP_CONST, 0, 0, 0) == 0)
        return GFMUL_OK;
    gen_graph_destroy(g);
    return GFMUL_ERR_MEMORY;
}

void gen_graph_destroy(struct gen_graph *g)
{
    free(g->nodes);
    free(g->slots);
    free(g->constants);
    free(g->constant_slots);
    *g = (struct gen_graph){0};
}

void gen_graph_mark(const struct gen_graph *g, const gen_ref *refs, size_t n, unsigned char *used)
{
    memset(used, 0, (size_t)g->n_nodes);
    for (size_t i = 0; i < n; i++)
        used[gen_node_of(refs[i])] = 1;
    for (int32_t i = g->n_nodes - 1; i >= 0; i--) {
        const struct gen_node *x = &g->nodes[i];
        if (!used[i] || x->op == GEN_OP_CONST || x->op == GEN_OP_INPUT)
            continue;
        used[x->a] = 1;
        if (x->op != GEN_OP_SCALE)
            used[x->b] = 1;
    }
}

void gen_graph_evaluate(const struct gen_graph *g, const long double *inputs, long double *values)
{
    for (int32_t i = 0; i < g->n_nodes; i++) {
        const struct gen_node *x = &g->nodes[i];
        switch ((enum gen_op)x->op) {
        case GEN_OP_CONST:
            values[i] = (long double)g->constants[x->c];
            break;
        case GEN_OP_INPUT:
            values[i] = inputs[x->c];
            break;
        case GEN_OP_ADD:
            values[i] = values[x->a] + values[x->b];
            break;
        case GEN_OP_SUB:
            values[i] = values[x->a] - values[x->b];
            break;
        case GEN_OP_SCALE:
            values[i] = (long double)g->constants[x->c] * values[x->a];
            break;
        case GEN_OP_MUL:
            values[i] = values[x->a] * values[x->b];
            break;
        }
    }
}
