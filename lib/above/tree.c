/*
 * tree.c - the tree of products of many numbers, and the sum of its cofactors.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "above/tree.h"

#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/mul.h"

/* ---- shape ---- */

size_t tree_count(const struct tree *x, size_t level)
{
    return ((x->n - 1) >> level) + 1;
}

static size_t limb_of_number(const struct tree *x, size_t i)
{
    return x->at[i < x->n ? i : x->n];
}

struct tree_node tree_node(const struct tree *x, size_t level, size_t j)
{
    const size_t from = limb_of_number(x, j << level), end = limb_of_number(x, (j + 1) << level);
    return (struct tree_node){.from = from, .n = end - from, .p = x->limbs + level * x->total + from};
}

static size_t number_limbs_of(mpz_srcptr m)
{
    return mpz_sgn(m) == 0 ? 1 : mpz_size(m);
}

enum gfmul_status tree_size(struct call *call, struct tree *x, mpz_srcptr m, size_t n, bool zeros)
{
    *x = (struct tree){.n = n, .levels = 1};
    while ((n - 1) >> (x->levels - 1) > 0)
        x->levels++;
    for (size_t i = 0; i < n; i++) {
        if (!zeros && mpz_sgn(&m[i]) == 0)
            return call_fail(call, GFMUL_ERR_ARGUMENT, "number %zu is 0", i);
        if (!size_add(&x->total, x->total, number_limbs_of(&m[i])))
            return call_fail(call, GFMUL_ERR_SIZE, "%zu numbers have too many limbs", n);
    }
    if (x->total >= MUL_LIMBS_END)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu limbs are too many", x->total);
    return GFMUL_OK;
}

size_t tree_bytes(const struct tree *x, size_t levels)
{
    size_t limbs, bytes;
    if (!size_mul(&limbs, levels, x->total) || !size_add(&limbs, limbs, x->n + 1) || !size_mul(&bytes, limbs, sizeof(mp_limb_t)))
        return 0;
    return bytes;
}

void tree_place(struct tree *x, void *memory, mpz_srcptr m)
{
    _Static_assert(sizeof(size_t) <= sizeof(mp_limb_t), "places need no more memory than limbs");
    x->at = memory;
    x->limbs = (mp_limb_t *)memory + x->n + 1;
    size_t at = 0;
    for (size_t i = 0; i < x->n; i++) {
        const size_t used = mpz_size(&m[i]);
        x->at[i] = at;
        x->limbs[at] = 0;
        memcpy(x->limbs + at, mpz_limbs_read(&m[i]), used * sizeof(mp_limb_t));
        at += number_limbs_of(&m[i]);
    }
    x->at[x->n] = at;
}

/* ---- nodes and threads ---- */

enum {
    NODE_LIMBS_MOST = 1 << 13, /* longer nodes feed the threads of their products */
    NODES_EACH = 64            /* nodes of a thread between two looks at the progress callback */
};

enum gfmul_status tree_share(struct call *call, const struct tree_work *work, double from, double to)
{
    call->share_from = (work->done + from) / work->steps;
    call->share_end = (work->done + to) / work->steps;
    call->share_span = (call->share_end - call->share_from) / 16;
    return call_progress(call, 0);
}

void tree_step_end(struct tree_work *work)
{
    work->done++;
}

enum gfmul_status tree_nodes(struct call *call, struct tree_work *work, size_t count, size_t limbs,
                             team_work *node, const void *arg)
{
    const unsigned threads = limbs <= NODE_LIMBS_MOST && count > 1 ? call->threads : 1;
    const size_t step = threads > 1 ? (size_t)threads * NODES_EACH : 1;
    for (size_t j = 0; j < count; j += step) {
        const size_t end = count - j < step ? count : j + step;
        TRY(tree_share(call, work, (double)j / (double)count, (double)end / (double)count));
        if (threads == 1) {
            TRY(node(call, arg, j));
            continue;
        }
        TRY(team_run(call, threads, j, end, node, arg));
    }
    tree_step_end(work);
    return GFMUL_OK;
}

enum gfmul_status tree_mul(struct call *call, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    if (!mul_is_unplanned(call->ctx, an, bn, false))
        return mul_limbs(call, z, a, an, b, bn, true);
    mul_unplanned(call->ctx, z, a, an, b, bn);
    return GFMUL_OK;
}

/* ---- products ---- */

static enum gfmul_status product_node(struct call *call, const void *arg, size_t j)
{
    const struct tree_level *x = arg;
    const struct tree_node left = tree_node(x->tree, x->level - 1, 2 * j);
    mp_limb_t *z = x->to + left.from;
    const mp_limb_t *a = x->from + left.from;
    if (2 * j + 1 == tree_count(x->tree, x->level - 1)) {
        memcpy(z, a, left.n * sizeof *z);
        return GFMUL_OK;
    }
    const struct tree_node right = tree_node(x->tree, x->level - 1, 2 * j + 1);
    return tree_mul(call, z, a, left.n, x->from + right.from, right.n);
}

static enum gfmul_status product_level(struct call *call, const struct tree_level *x, struct tree_work *work)
{
    const size_t count = tree_count(x->tree, x->level);
    return tree_nodes(call, work, count, x->tree->total / count, product_node, x);
}

enum gfmul_status tree_products(struct call *call, const struct tree *x, struct tree_work *work)
{
    for (size_t k = 1; k < x->levels; k++) {
        mp_limb_t *to = x->limbs + k * x->total;
        TRY(product_level(call, &(struct tree_level){x, k, to - x->total, to}, work));
    }
    return GFMUL_OK;
}

enum gfmul_status tree_product(struct call *call, const struct tree *x, struct tree_work *work, mp_limb_t **z)
{
    struct tree_rooms rooms = {x->limbs, x->limbs + x->total};
    for (size_t k = 1; k < x->levels; k++) {
        TRY(product_level(call, &(struct tree_level){x, k, rooms.full, rooms.spare}, work));
        tree_rooms_turn(&rooms);
    }
    *z = rooms.full;
    return GFMUL_OK;
}

/* ---- cofactors ---- */

/*
 * sum_node - S = S_l P_r + S_r P_l.  A node of n limbs has n + 1 limbs of S, which is below 2^64 P, because it is a sum of fewer
 * than 2^64 cofactors.  Node j of a level begins j limbs later than its product.
 */
static enum gfmul_status sum_node(struct call *call, const void *arg, size_t j)
{
    const struct tree_level *x = arg;
    const struct tree_node left = tree_node(x->tree, x->level - 1, 2 * j);
    mp_limb_t *z = x->to + left.from + j;
    const mp_limb_t *a = x->from + left.from + 2 * j;
    if (2 * j + 1 == tree_count(x->tree, x->level - 1)) {
        memcpy(z, a, (left.n + 1) * sizeof *z);
        return GFMUL_OK;
    }
    const struct tree_node right = tree_node(x->tree, x->level - 1, 2 * j + 1);
    const size_t n = left.n + right.n + 1;
    void *room;
    TRY(ctx_buffer_get(call, n * sizeof *z, &room));
    enum gfmul_status status = tree_mul(call, z, a, left.n + 1, right.p, right.n);
    if (status == GFMUL_OK)
        status = tree_mul(call, room, x->from + right.from + 2 * j + 1, right.n + 1, left.p, left.n);
    if (status == GFMUL_OK)
        mpn_add_n(z, z, room, (mp_size_t)n);
    ctx_buffer_put(call, room);
    return status;
}

enum gfmul_status tree_cofactors(struct call *call, const struct tree *x, struct tree_work *work, struct tree_rooms *rooms)
{
    mp_limb_t *const z = rooms->full;
    for (size_t i = 0; i < x->n; i++) {
        memset(z + x->at[i] + i, 0, (x->at[i + 1] - x->at[i] + 1) * sizeof *z);
        z[x->at[i] + i] = 1;
    }
    for (size_t k = 1; k < x->levels; k++) {
        const size_t count = tree_count(x, k);
        TRY(tree_nodes(call, work, count, x->total / count, sum_node, &(struct tree_level){x, k, rooms->full, rooms->spare}));
        tree_rooms_turn(rooms);
    }
    return GFMUL_OK;
}
