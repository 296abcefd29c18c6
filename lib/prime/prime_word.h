/*
 * prime_word.h - the transforms of prime_ring.h in integers, modulo any prime p < 2^62, of any length odd 2^levels.
 *
 * The tree, its roots and the order of a spectrum are the same.  Butterflies are of radix 2, with Shoup's quotients.  Values
 * stay below 4 p forwards, and below 2 p back.   Source: [Har14]
 */
#ifndef GFMUL_PRIME_WORD_H
#define GFMUL_PRIME_WORD_H

#include <stdbool.h>

#include "gfmul.h"
#include "prime/prime_roots.h"

#define PRIME_WORD_LIMIT (UINT64_C(1) << 62)

struct prime_word {
    struct prime prime;
    bool negacyclic;
    unsigned odd, levels;
    size_t n_points, row_points;
    struct prime_multiplier scale;                 /* 1 / n */
    struct prime_multiplier minus;                 /* -1 */
    struct prime_multiplier dft[2][PRIME_ODD_MAX]; /* e(+- k / odd) */
    uint64_t inverse, square;                      /* Montgomery's: - 1 / p and 2^128, modulo 2^64 and p */
    uint64_t *root;                                /* w[k] and its quotient */
    uint64_t *turn[2];                             /* the same of e(+- t j / n), row t - 1 of them; or NULL */
};

/* prime_word_create - tables.   prime in: see prime_ring_create, p < 2^62.   Errors: MEMORY, SIZE. */
enum gfmul_status prime_word_create(struct prime_word **word, const struct prime *prime, unsigned odd, unsigned levels,
                                    bool negacyclic);
void prime_word_destroy(struct prime_word *word);

/*
 * prime_word_forward, prime_word_back - in place; back gives n times the inverse, or the inverse if `scale`.
 *
 *   x  i/o  n_points words below p; spectra in the order of prime_ring_place
 */
void prime_word_forward(const struct prime_word *r, uint64_t *x);
void prime_word_back(const struct prime_word *r, uint64_t *x, bool scale);

/* prime_word_mul - x y mod p.   x, y in: below p */
uint64_t prime_word_mul(const struct prime_word *r, uint64_t x, uint64_t y);

#endif
