/*
 * schedule.c - an order of a graph's operations that keeps few values alive.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>

#include "gen/graph.h"

static bool is_operation(const struct gen_node *x)
{
    return x->op == GEN_OP_ADD || x->op == GEN_OP_SUB || x->op == GEN_OP_SCALE || x->op == GEN_OP_MUL;
}

/* State of each node while the operations are ordered. */
struct nodes {
    unsigned char *used, *ready;
    int32_t *users, *touched; /* users: uses still to come, from 0 on; touched: when the node was last used */
    int32_t *todo;
};

/*
 * Among the operations whose operands are ready, take the one that ends the most lifetimes; on a tie, the one whose operands
 * were used last.  Inputs live from the beginning, results to the end.  nodes has g->n_nodes entries, in which the uses by
 * results are counted.   Returns the number of operations.
 */
static size_t schedule(const struct gen_graph *g, const struct nodes *nodes, int32_t *order, size_t *max_live)
{
    size_t count = 0, live = 0, done = 0;
    unsigned char *used = nodes->used, *ready = nodes->ready;
    int32_t *users = nodes->users, *touched = nodes->touched, *todo = nodes->todo;
    for (int32_t i = 0; i < g->n_nodes; i++) {
        const struct gen_node *x = &g->nodes[i];
        ready[i] = !is_operation(x);
        if (!used[i])
            continue;
        if (is_operation(x)) {
            todo[count++] = i;
            users[x->a]++;
            if (x->op != GEN_OP_SCALE)
                users[x->b]++;
        } else if (x->op == GEN_OP_INPUT) {
            live++;
        }
    }
    *max_live = live;
    while (done < count) {
        int best_score = -1;
        size_t best = 0;
        for (size_t k = 0; k < count - done; k++) {
            const struct gen_node *x = &g->nodes[todo[k]];
            bool two = x->op != GEN_OP_SCALE;
            if (!ready[x->a] || (two && !ready[x->b]))
                continue;
            int ends = (users[x->a] == 1) + (two && users[x->b] == 1);
            int recent = touched[x->a] > (two ? touched[x->b] : 0) ? touched[x->a] : (two ? touched[x->b] : 0);
            int score = ends * (1 << 28) + recent + 1;
            if (score > best_score) {
                best_score = score;
                best = k;
            }
        }
        int32_t i = todo[best];
        const struct gen_node *x = &g->nodes[i];
        order[done++] = i;
        for (size_t k = best; k + 1 < count - done + 1; k++)
            todo[k] = todo[k + 1];
        ready[i] = 1;
        touched[i] = touched[x->a] = (int32_t)done;
        live++;
        if (live > *max_live)
            *max_live = live;
        live -= --users[x->a] == 0 && g->nodes[x->a].op != GEN_OP_CONST;
        if (x->op != GEN_OP_SCALE) {
            touched[x->b] = (int32_t)done;
            live -= --users[x->b] == 0 && g->nodes[x->b].op != GEN_OP_CONST;
        }
    }
    return count;
}

enum gfmul_status gen_schedule(const struct gen_graph *g, const gen_ref *refs, size_t n, int32_t *order, size_t *n_order,
                               size_t *max_live)
{
    const size_t n_nodes = (size_t)g->n_nodes;
    unsigned char *used = malloc(2 * n_nodes);
    int32_t *users = calloc(3 * n_nodes, sizeof *users);
    const bool made = used && users && !g->failed;
    if (made) {
        const struct nodes nodes = {used, used + n_nodes, users, users + n_nodes, users + 2 * n_nodes};
        gen_graph_mark(g, refs, n, used);
        for (size_t i = 0; i < n; i++)
            users[gen_node_of(refs[i])]++;
        *n_order = schedule(g, &nodes, order, max_live);
    }
    free(used);
    free(users);
    return made ? GFMUL_OK : GFMUL_ERR_MEMORY;
}
