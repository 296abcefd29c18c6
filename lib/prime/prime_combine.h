/* prime_combine.h - residues_combine of prime_values.h.  Part of prime_template.h. */
#ifndef GFMUL_PRIME_COMBINE_H
#define GFMUL_PRIME_COMBINE_H

#include "prime/prime_values.h"

/* remainder_of - t modulo m, t < 2^64 m.   Source: [MG11], algorithm 4 */
STAGE_INLINE uint64_t remainder_of(const struct prime_values *v, unsigned __int128 t)
{
    const uint64_t d = v->divisor;
    t <<= v->shift;
    const uint64_t high = (uint64_t)(t >> 64), low = (uint64_t)t;
    const unsigned __int128 q = (unsigned __int128)high * v->reciprocal + t;
    uint64_t r = low - ((uint64_t)(q >> 64) + 1) * d;
    r = r > (uint64_t)q ? r + d : r;
    r = r >= d ? r - d : r;
    return r >> v->shift;
}

/* value_put - the value of the mixed digits d[0] .. d[n_primes - 1], each below 2^51. */
STAGE_INLINE void value_put(const struct prime_values *v, uint64_t *z, const uint64_t *d, unsigned n_primes, unsigned words)
{
    typedef unsigned __int128 wide;
    wide word = (wide)d[0] * v->weight[0][0] + v->less[0]; /* sums of n_primes products below 2^115 */
#pragma GCC unroll 3
    for (unsigned i = 1; i < n_primes; i++)
        word += (wide)d[i] * v->weight[i][0];
    if (words == 0) {
        z[0] = remainder_of(v, word); /* below 2^53 m + m */
        return;
    }
    z[0] = (uint64_t)word;
#pragma GCC unroll 2
    for (unsigned k = 1; k < words; k++) {
        word = (word >> 64) + v->less[k];
#pragma GCC unroll 3
        for (unsigned i = 1; i < n_primes; i++)
            word += (wide)d[i] * v->weight[i][k];
        z[k] = (uint64_t)word;
    }
}

/* run_put - value_put for a whole run, modulo 2^64. */
STAGE_INLINE void run_put(const struct prime_values *v, uint64_t *z, uint64_t (*digits)[JOIN_RUN], unsigned n_primes)
{
    const uint64_t less = v->less[0] + v->last * v->weight[n_primes - 1][0];
    for (unsigned i = 0; i < JOIN_RUN; i++) {
        uint64_t word = less;
#pragma GCC unroll 4
        for (unsigned k = 0; k < n_primes; k++)
            word += digits[k][i] * v->weight[k][0];
        z[i] = word;
    }
}

STAGE_INLINE void combine(const struct prime_values *v, uint64_t *z, double *const *x, size_t first, size_t count,
                          unsigned n_primes, unsigned words)
{
    struct join join;
    _Alignas(64) uint64_t digits[PRIME_COUNT][JOIN_RUN];
    for (unsigned i = 0; i < n_primes; i++) {
        join.f[i] = field_of(&prime_table[i]);
        for (unsigned j = 0; j < i; j++)
            join.inverse[i][j] = field_set(v->inverse[i][j]);
    }
    for (size_t at = first; at < first + count; at += JOIN_RUN) {
        for (unsigned i = 0; i < JOIN_RUN; i += VEC_WIDTH)
            mixed_digits(&join, digits, x, at + i, i, n_primes, false);
        if (words == 1) { /* in vectors */
            run_put(v, z, digits, n_primes);
            z += JOIN_RUN;
            continue;
        }
        for (unsigned i = 0; i < JOIN_RUN; i++, z += words == 0 ? 1 : words) {
            uint64_t d[PRIME_COUNT];
#pragma GCC unroll 4
            for (unsigned k = 0; k < n_primes; k++)
                d[k] = digits[k][i];
            d[n_primes - 1] += v->last; /* made positive */
            value_put(v, z, d, n_primes, words);
        }
    }
}

STAGE_INLINE void combine_words(const struct prime_values *v, uint64_t *z, double *const *x, size_t first, size_t count,
                                unsigned words)
{
    if (v->n_primes == 1)
        combine(v, z, x, first, count, 1, words);
    else if (v->n_primes == 2)
        combine(v, z, x, first, count, 2, words);
    else if (v->n_primes == 3)
        combine(v, z, x, first, count, 3, words);
    else
        combine(v, z, x, first, count, 4, words);
}

static void residues_combine(const struct prime_values *v, uint64_t *z, double *const *x, size_t first, size_t count)
{
    assert(first % JOIN_RUN == 0 && count % JOIN_RUN == 0);
    if (v->words == 0)
        combine_words(v, z, x, first, count, 0);
    else if (v->words == 1)
        combine_words(v, z, x, first, count, 1);
    else if (v->words == 2)
        combine_words(v, z, x, first, count, 2);
    else
        combine_words(v, z, x, first, count, 3);
}

#endif
