/*
 * prime_table.c - the primes of the field p50.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "plan/prime_table.h"

/* The largest primes m * 3 * 5 * 7 * 2^36 + 1 below PRIME_LIMIT; m is 120, 115, 106, 104.  t-prime_field checks all of it. */
const struct prime prime_table[PRIME_COUNT] = {
    {UINT64_C(0x3138000000001), 31, 0},
    {UINT64_C(0x2f2b000000001), 11, 0},
    {UINT64_C(0x2b7a000000001), 29, 0},
    {UINT64_C(0x2aa8000000001), 29, 0},
};

uint64_t prime_root(const struct prime *prime, size_t n)
{
    const uint64_t order = prime->order != 0 ? prime->order : prime->p - 1;
    assert(order % n == 0);
    return residue_power(prime->generator, order / n, prime->p);
}

bool prime_order_is(uint64_t a, uint64_t n, uint64_t p)
{
    static const unsigned factors[] = {2, 3, 5, 7};
    if (a == 0 || residue_power(a, n, p) != 1 % p)
        return false;
    for (unsigned i = 0; i < sizeof factors / sizeof *factors; i++)
        if (n % factors[i] == 0 && residue_power(a, n / factors[i], p) == 1 % p)
            return false;
    return true;
}
