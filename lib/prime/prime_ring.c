/*
 * prime_ring.c - tables of transforms modulo any prime, in one piece.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "prime/prime_ring.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "prime/prime_roots.h"

enum { LINE_DOUBLES = 8 };

size_t prime_ring_place(size_t place, unsigned odd, unsigned levels, bool negacyclic)
{
    const size_t n = (size_t)odd << levels, row = place >> levels;
    size_t reversed = 0;
    for (unsigned b = 0; b < levels; b++)
        reversed |= (place >> b & 1) << (levels - 1 - b);
    return (row + odd * reversed + (negacyclic ? (odd - 1) / 2 : 0)) % n;
}

/* root_count - of the tree down to vectors: w[2k + 1] of the last pass's nodes. */
static size_t root_count(const struct prime_ring *r, size_t width)
{
    const size_t nodes = r->row_points / width, count = r->negacyclic ? nodes : nodes / 2;
    return count > LINE_DOUBLES ? count : LINE_DOUBLES;
}

/* levels_of - log2 of the width of a vector: the levels of the leaves. */
static size_t levels_of(size_t width)
{
    return (size_t)__builtin_ctzll(width);
}

/* leaf_doubles - whole cache lines. */
static size_t leaf_doubles(const struct prime_ring *r, size_t width)
{
    const size_t groups = r->row_points / width / width;
    return (ring_leaf_vectors(width) + 2 * levels_of(width) * groups + 7) / 8 * 8;
}

/* root_of_bits - w[k] = e(sum over the bits b of k of 1 / 2^(b+2)), or its inverse. */
static uint64_t root_of_bits(const struct prime_ring *r, size_t k, bool inverse)
{
    const uint64_t p = r->prime.p;
    uint64_t w = 1;
    for (size_t b = 0; k >> b != 0; b++)
        if (k >> b & 1)
            w = prime_mul(w, prime_root(&r->prime, (size_t)4 << b), p);
    return inverse ? prime_inverse(w, p) : w;
}

/* powers_fill - w[(first + i) step], i < count; or their inverses.   first is 0, or a power of two >= count */
static void powers_fill(const struct prime_ring *r, double *w, size_t first, size_t count, size_t step, bool inverse)
{
    const size_t by_hand = count < LINE_DOUBLES ? count : LINE_DOUBLES;
    for (size_t i = 0; i < by_hand; i++)
        w[i] = prime_balanced(root_of_bits(r, (first + i) * step, inverse), r->prime.p);
    for (size_t half = by_hand; half < count; half *= 2)
        r->ops->ring_powers(&r->prime, w, half, prime_balanced(root_of_bits(r, half * step, inverse), r->prime.p));
}

/* pairs_put - w and w / p of count numbers, in pairs `apart` doubles from one to the next. */
static void pairs_put(const struct prime_ring *r, double *pairs, size_t apart, const double *w, size_t count)
{
    const double p = (double)r->prime.p;
    for (size_t i = 0; i < count; i++) {
        pairs[i * apart] = w[i];
        pairs[i * apart + 1] = w[i] / p;
    }
}

/* tables_fill - the roots of the tree, and the leaves: see prime_ring.h.   scratch out: as many doubles as there are roots */
static void tables_fill(const struct prime_ring *r, double *root, double *leaf, double *scratch, size_t width, bool inverse)
{
    const size_t levels = levels_of(width), groups = r->row_points / width / width, first = r->negacyclic ? groups : 0;
    double *pairs = leaf + ring_leaf_vectors(width);
    for (size_t blocks = 1; blocks < width; blocks *= 2)
        for (size_t b = 0; b < blocks; b++)
            for (size_t j = 0; j < width; j++)
                *leaf++ = prime_balanced(root_of_bits(r, j * blocks + b, inverse), r->prime.p);
    for (size_t l = 0; l < levels; l++) {
        powers_fill(r, scratch, first, groups, width << l, inverse);
        pairs_put(r, pairs + 2 * l, 2 * levels, scratch, groups);
    }
    powers_fill(r, scratch, 0, root_count(r, width), 1, inverse);
    pairs_put(r, root, 2, scratch, root_count(r, width));
}

enum gfmul_status prime_ring_create(struct prime_ring **result, const struct prime *prime, unsigned odd, unsigned levels,
                                    bool negacyclic, const struct isa_ops *isa)
{
    *result = NULL;
    assert(levels >= RING_LEVELS_MIN && (double)prime->p < PRIME_LIMIT);
    if (levels > RING_LEVELS_MAX)
        return GFMUL_ERR_SIZE;
    struct prime_ring *r = calloc(1, sizeof *r);
    if (r == NULL)
        return GFMUL_ERR_MEMORY;
    r->prime = *prime;
    r->negacyclic = negacyclic;
    r->odd = odd;
    r->levels = levels;
    r->row_points = (size_t)1 << levels;
    r->n_points = odd * r->row_points;
    r->ops = prime_ops_of(isa);
    const uint64_t p = prime->p, turn = prime_root(&r->prime, r->n_points);
    const size_t width = r->ops->width, roots = root_count(r, width), leaves = leaf_doubles(r, width);
    double *scratch = alloc_aligned(roots * sizeof *scratch),
           *at = r->memory = alloc_aligned(2 * (2 * roots + leaves) * sizeof *at);
    if (scratch == NULL || at == NULL) {
        alloc_free(scratch);
        prime_ring_destroy(r);
        return GFMUL_ERR_MEMORY;
    }
    struct prime_tables *t = &r->tables;
    t->prime = &r->prime;
    for (unsigned back = 0; back < 2; back++) {
        t->leaf[back] = at;
        t->root[back] = at + leaves;
        at += leaves + 2 * roots;
        tables_fill(r, t->root[back], t->leaf[back], scratch, width, back);
        r->turn[back] = prime_balanced(back ? prime_inverse(turn, p) : turn, p);
    }
    alloc_free(scratch);
    prime_odd_fill(t, odd);
    t->scale = prime_balanced(prime_inverse(r->n_points % p, p), p);
    *result = r;
    return GFMUL_OK;
}

void prime_ring_destroy(struct prime_ring *r)
{
    if (r == NULL)
        return;
    alloc_free(r->memory);
    free(r);
}
