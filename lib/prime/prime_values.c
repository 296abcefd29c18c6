/*
 * prime_values.c - the constants of the Chinese remainder theorem.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "prime/prime_values.h"

#include <string.h>

unsigned prime_count_for(double bits)
{
    for (unsigned n = 1; n <= PRIME_COUNT; n++)
        if (bits <= prime_product_bits(n) - 1.0 - 0x1p-20)
            return n;
    return 0;
}

/* words_times - z = a p modulo 2^(64 VALUE_WORDS). */
static void words_times(uint64_t *z, const uint64_t *a, uint64_t p)
{
    uint64_t carry = 0;
    for (unsigned k = 0; k < VALUE_WORDS; k++) {
        const unsigned __int128 word = (unsigned __int128)a[k] * p + carry;
        z[k] = (uint64_t)word;
        carry = (uint64_t)(word >> 64);
    }
}

void prime_values_set(struct prime_values *v, unsigned n_primes, unsigned words, uint64_t modulus)
{
    memset(v, 0, sizeof *v);
    v->n_primes = n_primes;
    v->words = words;
    v->last = prime_table[n_primes - 1].p;
    v->weight[0][0] = 1;
    for (unsigned i = 0; i < n_primes; i++) {
        const uint64_t p = prime_table[i].p;
        for (unsigned j = 0; j < i; j++) {
            v->inverse[i][j][0] = prime_balanced(residue_inverse(prime_table[j].p % p, p), p);
            v->inverse[i][j][1] = v->inverse[i][j][0] / (double)p;
        }
        if (words != 0)
            words_times(v->weight[i + 1], v->weight[i], p);
        else
            v->weight[i + 1][0] = (uint64_t)((unsigned __int128)v->weight[i][0] * (p % modulus) % modulus);
    }
    if (words != 0) {
        uint64_t borrow = 0;
        for (unsigned k = 0; k < VALUE_WORDS; k++) {
            v->less[k] = 0 - v->weight[n_primes][k] - borrow;
            borrow = (v->weight[n_primes][k] | borrow) != 0;
        }
        return;
    }
    v->less[0] = (modulus - v->weight[n_primes][0]) % modulus;
    v->modulus = modulus;
    v->shift = (unsigned)__builtin_clzll(modulus);
    v->divisor = modulus << v->shift;
    v->reciprocal = (uint64_t)(~(unsigned __int128)0 / v->divisor);
}
