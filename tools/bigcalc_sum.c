/*
 * bigcalc_sum.c - sums, whose products are made in a space of spectra if that takes less time.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A space transforms each number once, however often it occurs, and the sum back once.  But all its transforms have the length of
 * the longest product, and sums of products take shorter digits.  Against transforms of single products, those of a space took
 * 1.2 to 1.35 times as long (b-space on a Zen 5, from 1000 to 3e5 limbs, one thread): so a b + c d is made by two products, and
 * a b + a c, or a sum of 8 products, in a space.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdlib.h>

#include "bigcalc.h"
#include "gfmul_arith.h"

static const size_t least_limbs = 1000;    /* of a factor in a space */
static const double space_transform = 1.3; /* times a transform of a product of the same length */
enum { PRODUCTS_MOST = 4096 };             /* in one space, whose factors are compared with each other */

/* A term that is a product. */
struct product {
    mpz_srcptr x, y;
    bool subtracted;
    bool in_space;
    size_t factor[2]; /* x and y among the factors of the space */
};

struct sum {
    struct product product[PRODUCTS_MOST];
    size_t n;
    mpz_srcptr factor[2 * PRODUCTS_MOST]; /* of the space, each once, by its limbs; signs are taken apart */
    size_t n_factors, n_in_space, limbs;
    double from, share; /* of the next product, as progress_part takes them */
};

static size_t product_limbs(const struct product *p)
{
    return mpz_size(p->x) + mpz_size(p->y);
}

static bool is_long(const struct product *p)
{
    return mpz_size(p->x) >= least_limbs && mpz_size(p->y) >= least_limbs;
}

/* The index of a factor in the space. */
static size_t factor_add(struct sum *s, mpz_srcptr x)
{
    size_t i = 0;

    while (i < s->n_factors && !(mpz_limbs_read(s->factor[i]) == mpz_limbs_read(x) && mpz_size(s->factor[i]) == mpz_size(x)))
        i++;
    if (i == s->n_factors)
        s->factor[s->n_factors++] = x;
    return i;
}

/* Choose the products of a space: those of at least half the length of the longest one, if it saves time at all. */
static void space_choose(struct sum *s)
{
    double products = 0;

    for (size_t i = 0; i < s->n; i++)
        if (is_long(&s->product[i]) && product_limbs(&s->product[i]) > s->limbs)
            s->limbs = product_limbs(&s->product[i]);
    for (size_t i = 0; i < s->n; i++) {
        struct product *const p = &s->product[i];
        if (!is_long(p) || product_limbs(p) < s->limbs / 2)
            continue;
        p->in_space = true;
        p->factor[0] = factor_add(s, p->x);
        p->factor[1] = factor_add(s, p->y);
        products += (p->factor[0] == p->factor[1] ? 2.0 : 3.0) * (double)product_limbs(p);
        s->n_in_space++;
    }
    if (s->n_in_space < 2 || space_transform * (double)(s->n_factors + 1) * (double)s->limbs >= products) {
        s->n_in_space = 0;
        for (size_t i = 0; i < s->n; i++)
            s->product[i].in_space = false;
    }
}

/* The steps of space_sum that can fail.   x out: n_factors + 1 spectra, the last one is the sum */
static enum gfmul_status space_fill(const struct sum *s, struct gfmul_space *space, struct gfmul_spectrum **x, mpz_ptr z)
{
    enum gfmul_status status = GFMUL_OK;

    for (size_t i = 0; i <= s->n_factors && status == GFMUL_OK; i++)
        status = gfmul_spectrum_create(space, &x[i]);
    for (size_t i = 0; i < s->n_factors && status == GFMUL_OK; i++)
        status = gfmul_spectrum_set(x[i], mpz_limbs_read(s->factor[i]), mpz_size(s->factor[i]));
    for (size_t i = 0; i < s->n && status == GFMUL_OK; i++) {
        const struct product *const p = &s->product[i];
        if (!p->in_space)
            continue;
        const bool minus = (mpz_sgn(p->x) * mpz_sgn(p->y) < 0) != p->subtracted;
        status = (minus ? gfmul_spectrum_submul : gfmul_spectrum_addmul)(x[s->n_factors], x[p->factor[0]], x[p->factor[1]]);
    }
    return status == GFMUL_OK ? gfmul_spectrum_get_mpz(x[s->n_factors], z) : status;
}

/* z = the sum of the products in the space. */
static enum gfmul_status space_sum(struct evaluation *e, const struct sum *s, mpz_ptr z)
{
    struct gfmul_spectrum **const x = calloc(s->n_factors + 1, sizeof(struct gfmul_spectrum *));
    struct gfmul_space *space = NULL;
    enum gfmul_status status = x ? gfmul_space_create(e->ctx, &space, s->limbs + 1, s->n_in_space) : GFMUL_ERR_MEMORY;

    if (status == GFMUL_OK)
        status = space_fill(s, space, x, z);
    for (size_t i = 0; x && i <= s->n_factors; i++)
        gfmul_spectrum_destroy(x[i]);
    gfmul_space_destroy(space);
    free(x);
    return status;
}

/* z += the products, those of the space first. */
static enum gfmul_status products_add(struct evaluation *e, struct sum *s, mpz_ptr z, struct step *step)
{
    enum gfmul_status status = GFMUL_OK;
    mpz_t p;

    mpz_init(p);
    space_choose(s);
    progress_part(s->from, s->share * (double)s->n_in_space);
    s->from += s->share * (double)s->n_in_space;
    if (s->n_in_space > 0) {
        status = space_sum(e, s, p);
        if (status == GFMUL_OK) {
            step->spectra += s->n_in_space;
            mpz_add(z, z, p);
        } else if (status == GFMUL_ERR_MEMORY) { /* a single product needs less */
            for (size_t i = 0; i < s->n; i++)
                s->product[i].in_space = false;
            s->from -= s->share * (double)s->n_in_space;
            status = GFMUL_OK;
        }
    }
    for (size_t i = 0; i < s->n && status == GFMUL_OK; i++)
        if (!s->product[i].in_space) {
            progress_part(s->from, s->share);
            s->from += s->share;
            status = gfmul_mpz_mul(e->ctx, p, s->product[i].x, s->product[i].y);
            if (status == GFMUL_OK)
                (s->product[i].subtracted ? mpz_sub : mpz_add)(z, z, p);
        }
    mpz_clear(p);
    return status;
}

/* The terms of a sum from `first` on, as many as s holds.   next out: the first of the others, or NODE_NONE */
static enum gfmul_status terms_add(struct evaluation *e, int first, struct sum *s, mpz_ptr z, struct step *step, int *next)
{
    const struct node *const nodes = e->expression->node;
    int i;

    s->n = s->n_factors = s->n_in_space = s->limbs = 0;
    for (i = first; i != NODE_NONE && s->n < PRODUCTS_MOST; i = nodes[i].next) {
        const struct node *const t = &nodes[i];
        if (t->kind == NODE_PRODUCT)
            s->product[s->n++] = (struct product){value_of(e, t->arg[0]), value_of(e, t->arg[1]), t->subtracted, false, {0, 0}};
        else
            (t->subtracted ? mpz_sub : mpz_add)(z, z, value_of(e, i));
    }
    *next = i;
    const enum gfmul_status status = products_add(e, s, z, step);
    for (i = first; i != *next; i = nodes[i].next) {
        const struct node *const t = &nodes[i];
        if (t->kind != NODE_PRODUCT) {
            value_end(e, i);
            continue;
        }
        value_end(e, t->arg[0]);
        if (t->arg[1] != t->arg[0])
            value_end(e, t->arg[1]);
    }
    return status;
}

enum gfmul_status node_sum(struct evaluation *e, const struct node *node, mpz_ptr z, struct step *step, double from,
                          double share)
{
    const struct node *const nodes = e->expression->node;
    struct sum *const s = malloc(sizeof *s);
    enum gfmul_status status = s ? GFMUL_OK : GFMUL_ERR_MEMORY;
    size_t products = 0;

    for (int i = node->arg[0]; i != NODE_NONE; i = nodes[i].next)
        products += nodes[i].kind == NODE_PRODUCT;
    if (s) {
        s->from = from;
        s->share = products > 0 ? share / (double)products : 0;
    }
    for (int i = node->arg[0]; i != NODE_NONE && status == GFMUL_OK;)
        status = terms_add(e, i, s, z, step, &i);
    free(s);
    return status;
}
