/*
 * prime_ring.h - transforms of polynomials modulo x^n - 1 or x^n + 1 over the field of any prime p < PRIME_LIMIT, in one piece.
 *
 * n = odd 2^levels points are `odd` rows of 2^levels.  With e(t) the powers of a root of unity modulo p, and a DFT of odd points
 * across the rows, row t is multiplied by the powers of e(t / n).  Each row then is a tree of prime_transform.h: node 0 for
 * x^n - 1, node 1 for x^n + 1.
 *
 * In words, place t 2^levels + k of a spectrum has the value at e(f / n), or at e((2 f + 1) / (2 n)):
 *     f = t + odd rev(k),   with (odd - 1) / 2 added modulo n for x^n + 1;   rev: bits reversed.
 * In doubles the places of each W^2 leaves are transposed, W the doubles of a vector.
 */
#ifndef GFMUL_PRIME_RING_H
#define GFMUL_PRIME_RING_H

#include "prime/prime_plan.h"

enum { RING_LEVELS_MIN = 7, RING_LEVELS_MAX = 40 };

struct prime_ring {
    struct prime prime;
    bool negacyclic;
    unsigned odd, levels;
    size_t n_points, row_points;
    const struct prime_ops *ops;
    struct prime_tables tables; /* root, even, uneven, scale; leaf: see below */
    double turn[2];             /* e(+- 1 / n) */
    void *memory;
};

/*
 * The factors of W nodes k = W g + j of the last levels, blocks = 2^l of them: w[k blocks + b] = w[W g blocks] w[j blocks + b],
 * as the bits of the indices differ.  leaf has the second ones first, a vector over j for each l and b; then for each g the
 * first ones, a pair for each l.
 */
static inline size_t ring_leaf_vectors(size_t width)
{
    return (width - 1) * width;
}

/*
 * prime_ring_create - the tables of one prime.
 *
 *   ring        out  NULL on failure
 *   prime       in   p < PRIME_LIMIT; n divides the order of its root, 2 n if negacyclic
 *   odd         in   1, 3, 5 or 7
 *   levels      in   RING_LEVELS_MIN .. RING_LEVELS_MAX
 * Errors: MEMORY, SIZE.
 */
enum gfmul_status prime_ring_create(struct prime_ring **ring, const struct prime *prime, unsigned odd, unsigned levels,
                                    bool negacyclic, const struct isa_ops *isa);
void prime_ring_destroy(struct prime_ring *ring);

/* prime_ring_place - the f of a place of a spectrum in words. */
size_t prime_ring_place(size_t place, unsigned odd, unsigned levels, bool negacyclic);

#endif
