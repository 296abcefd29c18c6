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

/* e(1 / 2^(b+2)) and their inverses. */
struct bit_roots {
    uint64_t w[2][RING_LEVELS_MAX];
};

static void bit_roots_set(struct bit_roots *roots, const struct prime_ring *r)
{
    const unsigned levels = r->levels + (r->negacyclic ? 1 : 0); /* of the order that there is */
    const uint64_t p = r->prime.p, top = prime_root(&r->prime, (size_t)1 << levels);
    for (unsigned back = 0; back < 2; back++) {
        uint64_t w = back ? prime_inverse(top, p) : top;
        for (unsigned b = levels - 1; b-- > 0; w = prime_mul(w, w, p))
            roots->w[back][b] = w;
    }
}

/* root_of_bits - w[k] = e(sum over the bits b of k of 1 / 2^(b+2)), or its inverse, balanced. */
static double root_of_bits(const struct bit_roots *roots, uint64_t p, size_t k, bool inverse)
{
    uint64_t w = 1;
    for (size_t b = 0; k >> b != 0; b++)
        if (k >> b & 1)
            w = prime_mul(w, roots->w[inverse][b], p);
    return prime_balanced(w, p);
}

/* powers_fill - w[(first + i) step], i < count; or their inverses.   first is 0, or a power of two >= count */
static void powers_fill(const struct prime_ring *r, const struct bit_roots *roots, double *w, size_t first, size_t count,
                        size_t step, bool inverse)
{
    const size_t by_hand = count < LINE_DOUBLES ? count : LINE_DOUBLES;
    for (size_t i = 0; i < by_hand; i++)
        w[i] = root_of_bits(roots, r->prime.p, (first + i) * step, inverse);
    for (size_t half = by_hand; half < count; half *= 2)
        r->ops->ring_powers(&r->prime, w, half, root_of_bits(roots, r->prime.p, half * step, inverse));
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
static void tables_fill(const struct prime_ring *r, const struct bit_roots *roots, double *root, double *leaf, double *scratch,
                        size_t width, bool inverse)
{
    const size_t levels = levels_of(width), groups = r->row_points / width / width, first = r->negacyclic ? groups : 0;
    double *pairs = leaf + ring_leaf_vectors(width);
    for (size_t blocks = 1; blocks < width; blocks *= 2)
        for (size_t b = 0; b < blocks; b++)
            for (size_t j = 0; j < width; j++)
                *leaf++ = root_of_bits(roots, r->prime.p, j * blocks + b, inverse);
    for (size_t l = 0; l < levels; l++) {
        powers_fill(r, roots, scratch, first, groups, width << l, inverse);
        pairs_put(r, pairs + 2 * l, 2 * levels, scratch, groups);
    }
    powers_fill(r, roots, scratch, 0, root_count(r, width), 1, inverse);
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
    struct bit_roots bits;
    t->prime = &r->prime;
    bit_roots_set(&bits, r);
    for (unsigned back = 0; back < 2; back++) {
        t->leaf[back] = at;
        t->root[back] = at + leaves;
        at += leaves + 2 * roots;
        tables_fill(r, &bits, t->root[back], t->leaf[back], scratch, width, back);
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
