/*
 * prime_table.c - the primes of the field p50.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "prime/prime_table.h"

/* The largest primes m * 3 * 5 * 7 * 2^36 + 1 below PRIME_LIMIT; m is 120, 115, 106, 104.  t-prime_field checks all of it. */
const struct prime prime_table[PRIME_COUNT] = {
    {UINT64_C(0x3138000000001), 31},
    {UINT64_C(0x2f2b000000001), 11},
    {UINT64_C(0x2b7a000000001), 29},
    {UINT64_C(0x2aa8000000001), 29},
};

uint64_t prime_power(uint64_t a, uint64_t e, uint64_t p)
{
    uint64_t r = 1;
    for (; e > 0; e >>= 1) {
        if (e & 1)
            r = prime_mul(r, a, p);
        a = prime_mul(a, a, p);
    }
    return r;
}

uint64_t prime_root(const struct prime *prime, size_t n)
{
    assert((prime->p - 1) % n == 0);
    return prime_power(prime->generator, (prime->p - 1) / n, prime->p);
}
