/*
 * prime_ring.h - transforms of polynomials modulo x^n - 1 or x^n + 1 over the field of any prime p < 2^62, in one piece.
 *
 * n = odd 2^levels points form `odd` rows of 2^levels.  e(t) are the powers of a root of unity modulo p.  After a DFT of odd
 * points across the rows, row t is multiplied by the powers of e(t / n).  Each row is then a tree of prime_transform.h: node 0
 * for x^n - 1, node 1 for x^n + 1.
 *
 * In words, place t 2^levels + k of a spectrum has the value at e(f / n), or at e((2 f + 1) / (2 n)):
 *     f = t + odd rev(k),   plus (odd - 1) / 2 modulo n for x^n + 1;   rev: bits reversed.
 * In doubles the places of each W^2 leaves are transposed; W is the number of doubles in a vector.  Doubles need p < PRIME_LIMIT,
 * and so do integers of 52 bits (prime_ifma_field.h).  Other primes use integers of 64 bits (prime_word_passes.h).
 */
#ifndef GFMUL_PRIME_RING_H
#define GFMUL_PRIME_RING_H

#include "prime/prime_ops.h"

enum { RING_LEVELS_MIN = 7 /* of vectors */, RING_LEVELS_MAX = 40, RING_FACTOR_WORDS = 3 /* at most */ };

#define RING_LIMIT (UINT64_C(1) << 62)

enum ring_end { END_PLAIN, END_SCALED, END_PRODUCT, RING_ENDS };

/*
 * Tables of rings of integers: constant factors in the form of the field (factor_put).  W: lanes of a vector.  A vector of
 * factors has one vector for each of their words.
 */
struct ring_integers {
    uint64_t inverse, fine;      /* floor(2^52 / p), floor(2^64 / p) */
    uint64_t montgomery, square; /* - 1 / p modulo 2^64, 2^128 modulo p */
    uint64_t *root[2];           /* w[k] */
    uint64_t *scale[2];          /* for each W^2 points, W nodes from W g on: powers 1 .. W - 1 of w[W^2 / 2 g] */
    uint64_t *leaf[2];           /* vectors w[j], w[2 j + b], w[4 j + b], .. of nodes j < W */
    uint64_t *turn[2];           /* vectors e(+- t j / n) of the rows t > 0; NULL if odd is 1 */
    uint64_t dft[2][PRIME_ODD_MAX * RING_FACTOR_WORDS]; /* e(+- k / odd) */
    uint64_t end[RING_ENDS][4 * RING_FACTOR_WORDS];     /* of the last step back: c w[k], c, c w[2 k], c w[2 k + 1], of */
};                                                      /* its node k; c is 1, 1 / n or 2^52 / n */

struct prime_ring {
    struct prime prime;
    bool negacyclic;
    unsigned odd, levels;
    size_t n_points, row_points;
    const struct prime_ops *ops;
    struct prime_tables tables; /* root, even, uneven, scale; leaf: see below */
    double turn[2];             /* e(+- 1 / n) */
    struct ring_integers integers;
    void *memory; /* of the tables, and its bytes */
    size_t memory_bytes;
};

/*
 * The factors of W nodes k = W g + j of the last levels, blocks = 2^l of them: w[k blocks + b] = w[W g blocks] w[j blocks + b],
 * because the indices have no bit in common.  leaf begins with the second factors, a vector over j for each l and b.  The first
 * factors follow: for each g, a pair for each l.
 */
static inline size_t ring_leaf_vectors(size_t width)
{
    return (width - 1) * width;
}

/*
 * prime_ring_create - the tables of one prime.
 *
 *   ring        out  NULL on failure
 *   prime       in   p < RING_LIMIT; n divides the order of its root, 2 n if negacyclic
 *   odd         in   1, 3, 5 or 7
 *   levels      in   0 .. RING_LEVELS_MAX
 *   ops         in   of prime_word_ops; or of prime_ring_ops or prime_ops_of for p < PRIME_LIMIT, levels >= RING_LEVELS_MIN
 * Errors: MEMORY, SIZE.
 */
enum gfmul_status prime_ring_create(struct prime_ring **ring, const struct prime *prime, unsigned odd, unsigned levels,
                                    bool negacyclic, const struct prime_ops *ops);
void prime_ring_destroy(struct prime_ring *ring);

/*
 * prime_ring_ops - in integers if vectors have 52-bit products (odd is 1, p > 2^12), else in doubles.
 * prime_word_ops - in integers of 64 bits: with vectors from RING_LEVELS_MIN levels on for p > 2^49.
 *
 *   disable  in  as for cpu_has_ifma
 */
const struct prime_ops *prime_ring_ops(const struct isa_ops *isa, unsigned odd, uint64_t p, const char *disable);
const struct prime_ops *prime_word_ops(const struct isa_ops *isa, unsigned levels, uint64_t p, const char *disable);

/* ring_roots - number of roots of the tree down to vectors of this many points. */
static inline size_t ring_roots(const struct prime_ring *r, size_t width)
{
    const size_t nodes = r->row_points / width, count = r->negacyclic ? nodes : nodes / 2;
    return count > 8 ? count : 8;
}

/* prime_ring_place - the f of a place in a spectrum of words. */
size_t prime_ring_place(size_t place, unsigned odd, unsigned levels, bool negacyclic);

#endif
