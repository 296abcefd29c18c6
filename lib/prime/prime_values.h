/*
 * prime_values.h - recovers integers from residues modulo the first primes of prime_table, in 64-bit words or modulo m.
 *
 * The mixed digits are those of prime_join.h.  The last one is taken between p / 2 and 3 p / 2, and the product of the primes is
 * subtracted.  Let M be the product of all primes but the last, p.  If |c| < M (p / 2 (1 - 2^-40) - 2), c is recovered with its
 * sign.
 */
#ifndef GFMUL_PRIME_VALUES_H
#define GFMUL_PRIME_VALUES_H

#include "prime/prime_ops.h"

enum { VALUE_RUN = 64, VALUE_WORDS = 3 };

struct prime_values {
    unsigned n_primes;
    unsigned words;                                /* 1 .. VALUE_WORDS, or 0: modulo m */
    double inverse[PRIME_COUNT][PRIME_COUNT][2];   /* [i][j]: 1 / p_j modulo p_i, and that divided by p_i */
    uint64_t last;                                 /* added to the last digit */
    uint64_t weight[PRIME_COUNT + 1][VALUE_WORDS]; /* p1 .. p_i in words; modulo m in the first */
    uint64_t less[VALUE_WORDS];                    /* - p1 .. p_n */
    uint64_t modulus, divisor, reciprocal;         /* m; m 2^shift >= 2^63, and floor((2^128 - 1) / divisor) - 2^64 */
    unsigned shift;
};

/* prime_values_set - words: 1 .. VALUE_WORDS, or 0 and modulus >= 2. */
void prime_values_set(struct prime_values *v, unsigned n_primes, unsigned words, uint64_t modulus);

/* prime_count_for - how many primes determine integers of size at most 2^bits; 0: there are not enough. */
unsigned prime_count_for(double bits);

/*
 * residues_combine, of struct prime_ops - recover coefficients first .. first + count - 1, multiples of VALUE_RUN.
 *
 *   z  out  `words` words each, modulo 2^(64 words), or one below m
 *   x  in   residues modulo each prime, |x| <= 1.68 p
 */

#endif
