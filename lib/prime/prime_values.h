/*
 * prime_values.h - integers from their residues modulo the first primes of prime_table: in words of 64 bits, or modulo m.
 *
 * The mixed digits are those of prime_join.h.  The last one is taken between p / 2 and 3 p / 2, and the primes' product
 * subtracted.  Let M be the product of all primes but the last, p: |c| < M (p / 2 (1 - 2^-40) - 2) is told, of either sign.
 */
#ifndef GFMUL_PRIME_VALUES_H
#define GFMUL_PRIME_VALUES_H

#include "prime/prime_ops.h"

enum { VALUE_RUN = 64, VALUE_WORDS = 3 };

struct prime_values {
    unsigned n_primes;
    unsigned words;                                /* 1 .. VALUE_WORDS, or 0: modulo m */
    double inverse[PRIME_COUNT][PRIME_COUNT][2];   /* [i][j]: 1 / p_j modulo p_i, and that by p_i */
    uint64_t last;                                 /* joins the last digit */
    uint64_t weight[PRIME_COUNT + 1][VALUE_WORDS]; /* p1 .. p_i in words; modulo m in the first */
    uint64_t less[VALUE_WORDS];                    /* - p1 .. p_n */
    uint64_t modulus, divisor, reciprocal;         /* m; m 2^shift >= 2^63, and floor((2^128 - 1) / divisor) - 2^64 */
    unsigned shift;
};

/* prime_values_set - words: 1 .. VALUE_WORDS, or 0 and modulus >= 2. */
void prime_values_set(struct prime_values *v, unsigned n_primes, unsigned words, uint64_t modulus);

/* prime_count_for - how many primes tell integers of at most 2^bits in size; 0: none do. */
unsigned prime_count_for(double bits);

/*
 * residues_combine, of struct prime_ops - coefficients first .. first + count - 1, multiples of VALUE_RUN.
 *
 *   z  out  `words` words each, modulo 2^(64 words), or one below m
 *   x  in   residues modulo each prime, |x| <= 1.68 p
 */

#endif
