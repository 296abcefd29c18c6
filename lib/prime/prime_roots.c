/*
 * prime_roots.c - tables of roots of unity modulo a prime.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "prime/prime_roots.h"

void prime_roots_fill(double *w, size_t count, const struct prime *prime, bool inverse)
{
    const uint64_t p = prime->p;
    prime_pair_put(w, 1, 1, p);
    for (size_t half = 1; half < count; half *= 2) {
        const uint64_t root = prime_root(prime, 4 * half);
        const struct prime_multiplier m = prime_multiplier(inverse ? prime_inverse(root, p) : root, p);
        for (size_t i = 0; i < half; i++)
            prime_pair_put(w + 2 * (half + i), 1, prime_multiply(prime_pair_get(w[2 * i], p), &m), p);
    }
}

void prime_odd_fill(struct prime_tables *t, unsigned odd)
{
    const uint64_t p = t->prime->p, root = prime_root(t->prime, odd), half = (p + 1) / 2;
    for (unsigned k = 0; k < odd; k++) {
        const uint64_t a = prime_power(root, k, p), b = prime_power(root, odd - k, p);
        prime_pair_put(t->even + 2 * k, 1, prime_mul((a + b) % p, half, p), p);
        prime_pair_put(t->uneven + 2 * k, 1, prime_mul((a + p - b) % p, half, p), p);
    }
}
