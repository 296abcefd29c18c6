/*
 * count.c - how many operations a graph takes, and how many it should.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>

#include "gen/graph.h"

enum gfmul_status gen_graph_count(const struct gen_graph *g, const gen_ref *refs, size_t n, struct gen_count *count)
{
    unsigned char *used = malloc((size_t)g->n_nodes + (size_t)g->n_constants);

    *count = (struct gen_count){0};
    if (!used || g->failed) {
        free(used);
        return GFMUL_ERR_MEMORY;
    }
    unsigned char *met = used + g->n_nodes;
    for (int32_t i = 0; i < g->n_constants; i++)
        met[i] = 0;
    gen_graph_mark(g, refs, n, used);
    for (int32_t i = 0; i < g->n_nodes; i++) {
        const struct gen_node *x = &g->nodes[i];
        if (!used[i])
            continue;
        count->additions += x->op == GEN_OP_ADD || x->op == GEN_OP_SUB;
        count->products += x->op == GEN_OP_SCALE || x->op == GEN_OP_MUL;
        if (x->op == GEN_OP_SCALE) {
            count->constants += !met[x->c];
            met[x->c] = 1;
        }
    }
    free(used);
    return GFMUL_OK;
}

int64_t gen_count_formula(char algorithm, int lg)
{
    if (lg < 1 || lg > 50)
        return -1;
    int64_t n = (int64_t)1 << lg, sign = lg % 2 ? -1 : 1;

    /* All terms have a common denominator, and the quotients are exact. */
    switch (algorithm) {
    case '2':
        return lg == 1 ? 4 : 5 * n * lg - 10 * n + 16;
    case '4':
        return lg % 2 ? -1 : (51 * n * lg - 86 * n + 128) / 12;
    case '8':
        return lg % 3 ? -1 : (49 * n * lg - 75 * n + 96) / 12;
    case 'S':
    case 'C':
        return 4 * n * lg - 6 * n + 8;
    case 'T':
        return lg == 1 ? 4 : (102 * n * lg - 124 * n - 54 * lg - sign * 6 * lg + sign * 16 + 216) / 27;
    default:
        return -1;
    }
}
