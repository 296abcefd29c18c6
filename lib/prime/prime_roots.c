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
        const struct prime_multiplier m = prime_multiplier(inverse ? residue_inverse(root, p) : root, p);
        for (size_t i = 0; i < half; i++)
            prime_pair_put(w + 2 * (half + i), 1, prime_multiply(prime_pair_get(w[2 * i], p), &m), p);
    }
}

/* convolution_fill - the constants of convolve3 for c. */
static void convolution_fill(double *pairs, const uint64_t *c, uint64_t p)
{
    const uint64_t mean = residue_mul((c[0] + c[1] + c[2]) % p, residue_inverse(3, p), p);
    const uint64_t c0 = (c[0] + p - mean) % p, c1 = (c[1] + p - mean) % p;
    prime_pair_put(pairs, 1, mean, p);
    prime_pair_put(pairs + 2, 1, (c0 + p - c1) % p, p);
    prime_pair_put(pairs + 4, 1, c1, p);
    prime_pair_put(pairs + 6, 1, (c0 + 2 * c1) % p, p);
}

void prime_odd_fill(struct prime_tables *t, unsigned odd)
{
    const uint64_t p = t->prime->p, root = prime_root(t->prime, odd), half = (p + 1) / 2;
    uint64_t c[PRIME_ODD_MAX], d[PRIME_ODD_MAX];
    for (unsigned k = 0; k < odd; k++) {
        const uint64_t a = residue_power(root, k, p), b = residue_power(root, odd - k, p);
        c[k] = residue_mul((a + b) % p, half, p);
        d[k] = residue_mul((a + p - b) % p, half, p);
        prime_pair_put(t->even + 2 * k, 1, c[k], p);
        prime_pair_put(t->uneven + 2 * k, 1, d[k], p);
    }
    if (odd == 3) {
        prime_pair_put(t->dft, 1, c[1], p);
        prime_pair_put(t->dft + 2, 1, d[1], p);
    } else if (odd == 5) {
        prime_pair_put(t->dft, 1, residue_mul((c[1] + c[2]) % p, half, p), p);
        prime_pair_put(t->dft + 2, 1, residue_mul((c[1] + p - c[2]) % p, half, p), p);
        prime_pair_put(t->dft + 4, 1, (d[1] + p - d[2]) % p, p);
        prime_pair_put(t->dft + 6, 1, d[2], p);
        prime_pair_put(t->dft + 8, 1, (d[1] + d[2]) % p, p);
    } else if (odd == 7) {
        convolution_fill(t->dft, (const uint64_t[]){c[1], c[3], c[2]}, p);
        convolution_fill(t->dft + 8, (const uint64_t[]){d[1], p - d[3], d[2]}, p);
    }
}
