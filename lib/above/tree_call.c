/*
 * tree_call.c - the public functions for many numbers at once: their product, remainders modulo all of them, batch GCD.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "above/tree.h"
#include "base/alloc.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/call_run.h"
#include "mul/mul.h"

struct gfmul_tree {
    struct gfmul_ctx *ctx;
    struct tree tree;
    void *memory;
    size_t bytes;
};

/* The numbers of a call. */
struct tree_arguments {
    const struct gfmul_tree *kept;
    struct gfmul_tree **result;
    mpz_ptr z;
    mpz_srcptr m; /* n integers, or the number that is divided */
    size_t n;
};

enum { LEVELS_ABOUT = 10 };

/* limbs_about - limbs of all levels of a tree over n integers, about, for the progress callback. */
static size_t limbs_about(mpz_srcptr m, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; m && i < n && sum < MUL_LIMBS_END; i++)
        sum += mpz_size(&m[i]);
    return LEVELS_ABOUT * sum;
}

/* room_for_results - whether GMP will get memory for results of so many limbs; it would end the process otherwise. */
static enum gfmul_status room_for_results(struct call *call, size_t limbs)
{
    const size_t bytes = limbs * sizeof(mp_limb_t);
    void *trial = ctx_memory_take(call, bytes, "the results");
    if (!trial)
        return GFMUL_ERR_MEMORY;
    alloc_free(trial);
    return GFMUL_OK;
}

/* result_set - z = n limbs, and their sign. */
static void result_set(mpz_ptr z, const mp_limb_t *p, size_t n, bool negative)
{
    n = limbs_normal_size(p, n);
    if (n > 0)
        memcpy(mpz_limbs_write(z, (mp_size_t)n), p, n * sizeof *p);
    mpz_limbs_finish(z, negative ? -(mp_size_t)n : (mp_size_t)n);
}

/* results_set - the numbers of r, laid out as the tree's moduli. */
static enum gfmul_status results_set(struct call *call, mpz_ptr z, const struct tree *x, const mp_limb_t *r)
{
    TRY(room_for_results(call, x->total));
    for (size_t i = 0; i < x->n; i++)
        result_set(&z[i], r + x->at[i], x->at[i + 1] - x->at[i], false);
    return GFMUL_OK;
}

/* ---- the product of many ---- */

static enum gfmul_status product_checked(struct call *call, const void *arguments)
{
    const struct tree_arguments *of = arguments;
    struct tree x;
    void *memory;
    bool negative = false;
    if (!of->z || (!of->m && of->n > 0))
        return call_fail(call, GFMUL_ERR_ARGUMENT, "an integer is NULL");
    if (of->n == 0) {
        mpz_set_ui(of->z, 1);
        return GFMUL_OK;
    }
    TRY(tree_size(call, &x, of->m, of->n, true));
    const size_t bytes = tree_bytes(&x, 2);
    if (bytes == 0 || x.total > INT32_MAX)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu limbs are too many for an integer", x.total);
    phase_enter(&call->clock, PHASE_TRANSFORM);
    TRY(ctx_buffer_get(call, bytes, &memory));
    tree_place(&x, memory, of->m);
    for (size_t i = 0; i < of->n; i++)
        negative ^= mpz_sgn(&of->m[i]) < 0;
    struct tree_work work = {.steps = (double)x.levels};
    mp_limb_t *product;
    enum gfmul_status status = tree_product(call, &x, &work, &product);
    if (status == GFMUL_OK)
        status = room_for_results(call, x.total);
    if (status == GFMUL_OK)
        result_set(of->z, product, x.total, negative);
    ctx_buffer_put(call, memory);
    return status;
}

enum gfmul_status gfmul_mpz_prod(struct gfmul_ctx *ctx, mpz_ptr z, mpz_srcptr a, size_t n)
{
    const struct tree_arguments of = {NULL, NULL, z, a, n};
    return call_run(ctx, &(struct call_work)CALL_WORK(product_checked, &of, limbs_about(a, n)));
}

/* ---- a tree that is kept ---- */

static enum gfmul_status tree_fill(struct call *call, struct gfmul_tree *x, const struct tree_arguments *of)
{
    TRY(tree_size(call, &x->tree, of->m, of->n, false));
    if ((x->bytes = tree_bytes(&x->tree, x->tree.levels)) == 0)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu numbers have too many limbs", of->n);
    if (!(x->memory = ctx_memory_take(call, x->bytes, NULL)))
        return GFMUL_ERR_MEMORY;
    call->reserved = x->bytes;
    tree_place(&x->tree, x->memory, of->m);
    struct tree_work work = {.steps = (double)x->tree.levels};
    return tree_products(call, &x->tree, &work);
}

static enum gfmul_status tree_checked(struct call *call, const void *arguments)
{
    const struct tree_arguments *of = arguments;
    if (!of->result || !of->m || of->n == 0)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "a tree needs a place, and at least one number");
    struct gfmul_tree *x = alloc_zeroed(sizeof *x);
    if (!x)
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for a tree");
    x->ctx = call->ctx;
    phase_enter(&call->clock, PHASE_TRANSFORM);
    const enum gfmul_status status = tree_fill(call, x, of);
    if (status == GFMUL_OK)
        *of->result = x;
    else
        gfmul_tree_destroy(x);
    return status;
}

enum gfmul_status gfmul_product_tree(struct gfmul_ctx *ctx, struct gfmul_tree **tree, mpz_srcptr m, size_t n)
{
    const struct tree_arguments of = {NULL, tree, NULL, m, n};
    if (tree)
        *tree = NULL;
    return call_run(ctx, &(struct call_work)CALL_WORK(tree_checked, &of, limbs_about(m, n)));
}

void gfmul_tree_destroy(struct gfmul_tree *x)
{
    if (!x)
        return;
    ctx_runners_settle(x->ctx); /* an abandoned call may use it */
    alloc_free(x->memory);
    alloc_free(x);
}

static enum gfmul_status root_checked(struct call *call, const void *arguments)
{
    const struct tree_arguments *of = arguments;
    if (!of->z)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "an integer is NULL");
    const struct tree_node root = tree_node(&of->kept->tree, of->kept->tree.levels - 1, 0);
    if (root.n > INT32_MAX)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu limbs are too many for an integer", root.n);
    TRY(room_for_results(call, root.n));
    result_set(of->z, root.p, root.n, false);
    return GFMUL_OK;
}

enum gfmul_status gfmul_tree_product(const struct gfmul_tree *tree, mpz_ptr z)
{
    if (!tree)
        return GFMUL_ERR_ARGUMENT;
    const struct tree_arguments of = {tree, NULL, z, NULL, 0};
    return call_run(tree->ctx, &(struct call_work)CALL_WORK(root_checked, &of, 0));
}

/* ---- remainders ---- */

/* rooms_behind - the rooms that follow the remainders. */
static struct tree_rooms rooms_behind(const struct tree *x, mp_limb_t *r)
{
    return (struct tree_rooms){r + x->total, r + 2 * x->total + x->n};
}

/* remainders_by_room - make the remainders, with one block of memory.   r: total limbs, and two rooms */
static enum gfmul_status remainders_by_room(struct call *call, const struct tree_arguments *of, mp_limb_t *r)
{
    const struct tree *x = &of->kept->tree;
    const struct tree_rooms rooms = rooms_behind(x, r);
    struct tree_work work = {.steps = (double)x->levels + 2};
    TRY(tree_remainders(call, x, &work, rooms, r, mpz_limbs_read(of->m), mpz_size(of->m)));
    for (size_t i = 0; i < x->n && mpz_sgn(of->m) < 0; i++) {
        const struct tree_node m = tree_node(x, 0, i);
        if (limbs_normal_size(r + m.from, m.n) > 0)
            mpn_sub_n(r + m.from, m.p, r + m.from, (mp_size_t)m.n);
    }
    return results_set(call, of->z, x, r);
}

static enum gfmul_status remainders_checked(struct call *call, const void *arguments)
{
    const struct tree_arguments *of = arguments;
    const struct tree *x = &of->kept->tree;
    size_t limbs, bytes;
    void *memory;
    if (!of->z || !of->m)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "an integer is NULL");
    if (!size_mul(&limbs, 3, x->total) || !size_add(&limbs, limbs, 2 * x->n) || !size_mul(&bytes, limbs, sizeof(mp_limb_t)))
        return call_fail(call, GFMUL_ERR_SIZE, "%zu limbs are too many", x->total);
    call->reserved = of->kept->bytes;
    phase_enter(&call->clock, PHASE_TRANSFORM);
    TRY(ctx_buffer_get(call, bytes, &memory));
    const enum gfmul_status status = remainders_by_room(call, of, memory);
    ctx_buffer_put(call, memory);
    return status;
}

enum gfmul_status gfmul_remainder_tree(const struct gfmul_tree *tree, mpz_ptr r, mpz_srcptr a)
{
    if (!tree)
        return GFMUL_ERR_ARGUMENT;
    const struct tree_arguments of = {tree, NULL, r, a, 1};
    return call_run(tree->ctx, &(struct call_work)CALL_WORK(remainders_checked, &of, LEVELS_ABOUT * tree->tree.total));
}

/* ---- batch GCD ---- */

struct gcds {
    const struct tree *tree;
    mp_limb_t *r; /* the remainders, which the results replace */
};

static enum gfmul_status gcd_node(struct call *call, const void *arg, size_t j)
{
    const struct gcds *x = arg;
    const struct tree_node m = tree_node(x->tree, 0, j);
    mp_limb_t *r = x->r + m.from;
    mpz_t g, rest, modulus;
    TRY(mul_mpz_begin(call, g, m.n));
    mpz_gcd(g, mpz_roinit_n(rest, r, (mp_size_t)m.n), mpz_roinit_n(modulus, m.p, (mp_size_t)m.n));
    const size_t n = mpz_size(g);
    memset(r, 0, m.n * sizeof *r);
    memcpy(r, mpz_limbs_read(g), n * sizeof *r);
    mpz_clear(g);
    call->allocated -= m.n * sizeof *r;
    return GFMUL_OK;
}

/* gcds_by_room - the sum of the cofactors P / m_i is P / m_i modulo m_i.   r: total limbs, and two rooms */
static enum gfmul_status gcds_by_room(struct call *call, const struct tree_arguments *of, const struct tree *x, mp_limb_t *r)
{
    struct tree_rooms rooms = rooms_behind(x, r);
    struct tree_work work = {.steps = 3 * (double)x->levels + 1};
    TRY(tree_products(call, x, &work));
    TRY(tree_cofactors(call, x, &work, &rooms));
    TRY(tree_remainders(call, x, &work, rooms, r, rooms.full, x->total + 1));
    TRY(tree_nodes(call, &work, x->n, x->total / x->n, gcd_node, &(struct gcds){x, r}));
    return results_set(call, of->z, x, r);
}

static enum gfmul_status gcds_checked(struct call *call, const void *arguments)
{
    const struct tree_arguments *of = arguments;
    struct tree x;
    void *memory;
    if ((!of->z || !of->m) && of->n > 0)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "an array is NULL");
    if (of->n == 0)
        return GFMUL_OK;
    TRY(tree_size(call, &x, of->m, of->n, false));
    const size_t tree = tree_bytes(&x, x.levels + 3); /* three more for r, z and t, with 2 n limbs */
    size_t bytes;
    if (tree == 0 || !size_add(&bytes, tree, 2 * x.n * sizeof(mp_limb_t)))
        return call_fail(call, GFMUL_ERR_SIZE, "%zu numbers have too many limbs", of->n);
    phase_enter(&call->clock, PHASE_TRANSFORM);
    TRY(ctx_buffer_get(call, bytes, &memory));
    tree_place(&x, memory, of->m);
    const enum gfmul_status status = gcds_by_room(call, of, &x, x.limbs + x.levels * x.total);
    ctx_buffer_put(call, memory);
    return status;
}

enum gfmul_status gfmul_batch_gcd(struct gfmul_ctx *ctx, mpz_ptr g, mpz_srcptr m, size_t n)
{
    const struct tree_arguments of = {NULL, NULL, g, m, n};
    return call_run(ctx, &(struct call_work)CALL_WORK(gcds_checked, &of, limbs_about(m, n)));
}
