/*
 * random.c - random numbers for the residue check.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* getrandom */
#endif
#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#ifdef __linux__
#include <sys/random.h>
#endif

#include "base/clock.h"

/* mix - a bijection of 64 bits that spreads every input bit (the finaliser of splitmix64). */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    return x;
}

/* random_u64 - 64 bits from the operating system, or from clocks and addresses where that fails. */
static uint64_t random_u64(void)
{
    uint64_t r = 0;
#ifdef __linux__
    if (getrandom(&r, sizeof r, GRND_NONBLOCK) == (ssize_t)sizeof r)
        return r;
#endif
    r = mix(clock_ns());
    r = mix(r + (uint64_t)clock());
    r = mix(r + (uint64_t)time(NULL));
    r = mix(r + (uint64_t)(uintptr_t)&r); /* differs between threads, and between processes where addresses are random */
    return r;
}

static uint64_t mul_mod(uint64_t a, uint64_t b, uint64_t p)
{
    return (uint64_t)((unsigned __int128)a * b % p);
}

/* is_prime - Miller-Rabin to the first 12 prime bases: a proof for odd n below 3.3e24 [SW15]. */
static bool is_prime(uint64_t n)
{
    static const unsigned base[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    unsigned s = (unsigned)__builtin_ctzll(n - 1);
    uint64_t d = (n - 1) >> s;
    for (size_t i = 0; i < sizeof base / sizeof base[0]; i++) {
        if (n % base[i] == 0)
            return n == base[i];
        uint64_t power = 1;
        for (int bit = 63 - __builtin_clzll(d); bit >= 0; bit--) {
            power = mul_mod(power, power, n);
            if (d >> bit & 1)
                power = mul_mod(power, base[i], n);
        }
        unsigned r = 0;
        while (power != 1 && power != n - 1 && ++r < s)
            power = mul_mod(power, power, n);
        if (power != n - 1 && (power != 1 || r > 0))
            return false;
    }
    return true;
}

uint64_t random_prime(unsigned bits)
{
    for (;;) {
        uint64_t n = (random_u64() >> (64 - bits)) | (UINT64_C(1) << (bits - 1)) | 1;
        if (is_prime(n))
            return n;
    }
}
