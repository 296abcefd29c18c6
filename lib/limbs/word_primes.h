/*
 * word_primes.h - integers modulo a prime of at most 63 bits, and three primes of 62 bits.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * All of it is inline, because libgfmul_mpi has it too, and that calls the library's public functions alone.
 */
#ifndef GFMUL_WORD_PRIMES_H
#define GFMUL_WORD_PRIMES_H

#include <stdint.h>

struct prime {
    uint64_t p;
    uint64_t generator; /* generates the multiplicative group, or its subgroup of `order` elements */
    uint64_t order;     /* 0: p - 1 */
};

/*
 * Primes of exact products of numbers in files and over ranks.  Each is 1 modulo 3 * 5 * 7 * 2^40, and their product is above
 * 2^185.997; the errors of logarithms are far below .001.  t-prime_field checks all of it.
 */
enum { WORD_PRIMES = 3 };
#define WORD_PRIMES_BITS 185.99
static const struct prime word_primes[WORD_PRIMES] = {
    {UINT64_C(0x3ffedf0000000001), 11, 0},
    {UINT64_C(0x3ff6420000000001), 11, 0},
    {UINT64_C(0x3fef490000000001), 19, 0},
};

/* residue_mul - a b mod p.   a, b in: any words.   p in: below 2^63, not necessarily a prime */
static inline uint64_t residue_mul(uint64_t a, uint64_t b, uint64_t p)
{
    return (uint64_t)((unsigned __int128)a * b % p);
}

/* residue_power - a^n mod p.   a, p in: as those of residue_mul */
static inline uint64_t residue_power(uint64_t a, uint64_t n, uint64_t p)
{
    uint64_t r = 1 % p;
    for (; n > 0; n >>= 1) {
        if (n & 1)
            r = residue_mul(r, a, p);
        a = residue_mul(a, a, p);
    }
    return r;
}

/* residue_inverse - 1 / a mod p.   p in: a prime.   a in: 0 < a < p */
static inline uint64_t residue_inverse(uint64_t a, uint64_t p)
{
    return residue_power(a, p - 2, p);
}

#endif
