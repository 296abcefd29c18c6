/*
 * tree_rest.c - remainders modulo all numbers of a tree: a fraction goes from the root to the leaves by products alone.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A node with the product P, of n limbs, has a fraction F of n + 1 limbs, about a / P modulo 1.  The fraction of its left child
 * is F P_r modulo 1, because a / P_l = (a / P) P_r, and that of its right child is F P_l.  So a level costs products modulo
 * beta^(n+1) of which the low limbs are not needed, where a tree of quotients needs the quotients, too [Ber04s].
 *
 * Bound.  Let F be off by at most e units of its last place, modulo 1.  F P_r is off by e beta^(n_r - n - 1) = e beta^(-n_l - 1),
 * which is e units of the child's last place.  The child's fraction is cut, which moves it by 1 unit; the limbs that wrap around
 * in the ring fall on the limbs that are cut, and borrow 1 unit; and beta^R, which the ring has for -1, is taken for 0, which is
 * 1 unit again.  The root's quotient is off by 2 at most.  With 64 levels e < 200.
 * At a leaf a modulo m is the integer next to F m, modulo m, which is off by less than 200 / beta.  Were a product wrong, F m
 * would hardly be within 2^-32 of an integer; that is checked.
 */
#include <string.h>

#include "above/tree.h"
#include "base/try.h"
#include "limbs/limb_range.h"

/* root_fraction - floor(a beta^(n+1) / P) modulo beta^(n+1), off by at most 1.   f: n + 1 limbs */
static enum gfmul_status root_fraction(struct call *call, const struct tree_node *root, mp_limb_t *f, const mp_limb_t *a,
                                       size_t an)
{
    const size_t n = root->n, pn = limbs_normal_size(root->p, n), un = an + n + 1, qn = un - pn + 1;
    const size_t m = divide_pays(call, qn, pn) ? divider_block(qn, pn, false) : 0;
    struct divider x;
    void *memory;
    TRY(ctx_buffer_get(call, (divider_limbs(pn, m) + un + qn) * sizeof *f, &memory));
    mp_limb_t *u = (mp_limb_t *)memory + divider_limbs(pn, m), *q = u + un;
    memset(u, 0, (n + 1) * sizeof *u);
    memcpy(u + n + 1, a, an * sizeof *u);
    enum gfmul_status status = divider_begin(call, &x, root->p, pn, m, memory, NULL);
    if (status == GFMUL_OK)
        status = divide(call, &x, q, NULL, u, un);
    divider_end(call->ctx, call, &x);
    if (status == GFMUL_OK) {
        const size_t used = qn < n + 1 ? qn : n + 1;
        memset(f, 0, (n + 1) * sizeof *f);
        memcpy(f, q, used * sizeof *f);
    }
    ctx_buffer_put(call, memory);
    return status;
}

/* child - the fraction of a node's child, from the node's f and the child's sibling.   z: r->n + 1 limbs */
static enum gfmul_status child(struct call *call, const struct ring *r, mp_limb_t *to, const struct ring_operand *f,
                               const struct tree_node *sibling, mp_limb_t *z)
{
    TRY(ring_mul(call, r, z, sibling->p, sibling->n, f));
    memcpy(to, z + sibling->n, (f->n - sibling->n) * sizeof *z);
    return GFMUL_OK;
}

/* fraction_node - the children's fractions from a node's.  The fractions of node j begin j limbs later than its product. */
static enum gfmul_status fraction_node(struct call *call, const void *arg, size_t j)
{
    const struct tree_level *x = arg;
    const struct tree_node left = tree_node(x->tree, x->level - 1, 2 * j);
    const mp_limb_t *f = x->from + left.from + j;
    mp_limb_t *to = x->to + left.from + 2 * j;
    if (2 * j + 1 == tree_count(x->tree, x->level - 1)) {
        memcpy(to, f, (left.n + 1) * sizeof *to);
        return GFMUL_OK;
    }
    const struct tree_node right = tree_node(x->tree, x->level - 1, 2 * j + 1);
    const size_t n = left.n + right.n + 1;
    const struct ring r = ring_choose(call, n + 1, RING_KEPT);
    struct ring_operand whole = {.p = f, .n = n};
    void *room;
    TRY(ctx_buffer_get(call, (r.n + 1) * sizeof *to, &room));
    enum gfmul_status status = ring_keep(call, &r, &whole);
    if (status == GFMUL_OK)
        status = child(call, &r, to, &whole, &right, room);
    if (status == GFMUL_OK)
        status = child(call, &r, to + left.n + 1, &whole, &left, room);
    ring_forget(call->ctx, call, &whole);
    ctx_buffer_put(call, room);
    return status;
}

/* The remainders of the leaves. */
struct leaves {
    const struct tree *tree;
    const mp_limb_t *f;
    mp_limb_t *r;
};

static enum gfmul_status leaf_node(struct call *call, const void *arg, size_t j)
{
    enum { CLOSE_BITS = 32 };
    const struct leaves *x = arg;
    const struct tree_node m = tree_node(x->tree, 0, j);
    mp_limb_t *r = x->r + m.from;
    void *room;
    TRY(ctx_buffer_get(call, (2 * m.n + 1) * sizeof *r, &room));
    const mp_limb_t *product = room, *integer = product + m.n + 1;
    enum gfmul_status status = tree_mul(call, room, x->f + m.from + j, m.n + 1, m.p, m.n);
    if (status == GFMUL_OK) {
        const mp_limb_t fraction = product[m.n];
        if ((fraction + ((mp_limb_t)1 << (63 - CLOSE_BITS))) >> (64 - CLOSE_BITS) > 0)
            status = call_fail(call, GFMUL_ERR_VERIFY, "a remainder is not close to an integer");
        memcpy(r, integer, m.n * sizeof *r);
        if (fraction >> 63 && (mpn_add_1(r, r, (mp_size_t)m.n, 1) || mpn_cmp(r, m.p, (mp_size_t)m.n) == 0))
            memset(r, 0, m.n * sizeof *r);
    }
    ctx_buffer_put(call, room);
    return status;
}

enum gfmul_status tree_remainders(struct call *call, const struct tree *x, struct tree_work *work, struct tree_rooms rooms,
                                  mp_limb_t *r, const mp_limb_t *a, size_t an)
{
    const struct tree_node root = tree_node(x, x->levels - 1, 0);
    if (a == rooms.full) /* the root's fraction must not overwrite it */
        tree_rooms_turn(&rooms);
    TRY(tree_share(call, work, 0, 1));
    TRY(root_fraction(call, &root, rooms.full, a, limbs_normal_size(a, an)));
    tree_step_end(work);
    for (size_t k = x->levels - 1; k > 0; k--) {
        const size_t count = tree_count(x, k);
        TRY(tree_nodes(call, work, count, x->total / count, fraction_node, &(struct tree_level){x, k, rooms.full, rooms.spare}));
        tree_rooms_turn(&rooms);
    }
    return tree_nodes(call, work, x->n, x->total / x->n, leaf_node, &(struct leaves){x, rooms.full, r});
}
