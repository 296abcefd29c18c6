/* prime_roots.h - tables of roots of unity modulo a prime, in pairs w, w / p. */
#ifndef GFMUL_PRIME_ROOTS_H
#define GFMUL_PRIME_ROOTS_H

#include <stdbool.h>

#include "prime/prime_ops.h"

/* A constant factor modulo p < 2^63: Shoup's quotient floor(w 2^64 / p). */
struct prime_multiplier {
    uint64_t w, quotient, p;
};

static inline struct prime_multiplier prime_multiplier(uint64_t w, uint64_t p)
{
    return (struct prime_multiplier){w, (uint64_t)(((unsigned __int128)w << 64) / p), p};
}

/* prime_multiply - a w mod p for any a.   Source: NTL's MulModPrecon, by V. Shoup. */
static inline uint64_t prime_multiply(uint64_t a, const struct prime_multiplier *m)
{
    const uint64_t r = a * m->w - (uint64_t)((unsigned __int128)a * m->quotient >> 64) * m->p; /* < 2 p */
    return r >= m->p ? r - m->p : r;
}

/* prime_pair_put - store w as a double, at most p / 2 in size, and w / p `lanes` after it;  prime_pair_get - w of the former. */
static inline void prime_pair_put(double *pair, size_t lanes, uint64_t w, uint64_t p)
{
    pair[0] = prime_balanced(w, p);
    pair[lanes] = pair[0] / (double)p;
}
static inline uint64_t prime_pair_get(double w, uint64_t p)
{
    return w < 0 ? p - (uint64_t)-w : (uint64_t)w;
}

/* prime_roots_fill - w[2^b + i] = w[i] e(1 / 2^(b+2)): bits of k from the lowest on stand for turns of 1/4, 1/8, .. */
void prime_roots_fill(double *w, size_t count, const struct prime *prime, bool inverse);

/* prime_odd_fill - the constants of a DFT of odd points: t->even, t->uneven, t->dft. */
void prime_odd_fill(struct prime_tables *t, unsigned odd);

#endif
