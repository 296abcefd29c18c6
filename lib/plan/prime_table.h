/*
 * prime_table.h - the primes of the field p50, and arithmetic modulo a prime in integers, for tables.
 *
 * Each prime p is 1 modulo 3 * 5 * 7 * 2^36 and below 0.79 * 2^50, as section 22 of doc/error-bound.md needs.
 */
#ifndef GFMUL_PRIME_TABLE_H
#define GFMUL_PRIME_TABLE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "limbs/word_primes.h"

enum { PRIME_COUNT = 4, PRIME_LEVELS = 36, PRIME_ODD_MAX = 7, PRIME_DFT_DOUBLES = 16 };
#define PRIME_LIMIT 0x1.947ae147ae147p49 /* 0.79 * 2^50, rounded down */

extern const struct prime prime_table[PRIME_COUNT];

/* prime_odd - the i-th odd factor that a length may have: 1, 3, 5, 7; 0 after the last. */
static inline unsigned prime_odd(unsigned i)
{
    return i < 4 ? 2 * i + 1 : 0;
}

/* prime_order_is - whether a < p has the order n > 0; n has no prime factors but 2, 3, 5 and 7. */
bool prime_order_is(uint64_t a, uint64_t n, uint64_t p);

/* prime_root - a root of unity of order n modulo a prime, the square of that of order 2 n.   n divides the order. */
uint64_t prime_root(const struct prime *prime, size_t n);

/* prime_balanced - the residue a < p as a double of size at most p / 2. */
static inline double prime_balanced(uint64_t a, uint64_t p)
{
    assert(a < p);
    return a > p / 2 ? -(double)(p - a) : (double)a;
}

#endif
