/*
 * random.c - random numbers for the residue check.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/random.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/random.h> /* getentropy */
#endif

static atomic_bool refusing;

void random_refuse(bool on)
{
    atomic_store(&refusing, on);
}

/* random_words - random words from the operating system; false: it gives none. */
static bool random_words(uint64_t *words, size_t n)
{
    if (atomic_load(&refusing))
        return false;
    if (getentropy(words, n * sizeof *words) == 0)
        return true;
    FILE *f = fopen("/dev/urandom", "rb"); /* an old kernel or a system call filter may refuse getentropy */
    const bool read = f && fread(words, sizeof *words, n, f) == n;
    if (f)
        fclose(f);
    return read;
}

/* An odd modulus below 2^63, for Montgomery's products. */
struct montgomery {
    uint64_t p, inverse;  /* p inverse = 1 modulo 2^64 */
    uint64_t one, square; /* 2^64 and 2^128 modulo p */
};

static void montgomery_set(struct montgomery *m, uint64_t p)
{
    uint64_t inverse = p; /* right modulo 8; each step doubles the number of right bits */
    for (unsigned i = 0; i < 5; i++)
        inverse *= 2 - p * inverse;
    m->p = p;
    m->inverse = inverse;
    m->one = -p % p;
    m->square = (uint64_t)((unsigned __int128)m->one * m->one % p);
}

/* product - a b / 2^64 modulo p, in [0, p); a, b < p. */
static uint64_t product(uint64_t a, uint64_t b, const struct montgomery *m)
{
    const unsigned __int128 ab = (unsigned __int128)a * b;
    const uint64_t high = (uint64_t)(ab >> 64), q = (uint64_t)ab * m->inverse;
    const uint64_t low = (uint64_t)((unsigned __int128)q * m->p >> 64);
    return high >= low ? high - low : high - low + m->p;
}

static const unsigned bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
enum { BASES = sizeof bases / sizeof bases[0] };

/* passes - Miller-Rabin to n of the bases, from `first` on.  They run side by side, because each is a chain of products. */
static bool passes(const struct montgomery *m, unsigned first, unsigned n)
{
    const unsigned s = (unsigned)__builtin_ctzll(m->p - 1);
    const uint64_t d = (m->p - 1) >> s, minus_one = m->p - m->one;
    uint64_t x[BASES], power[BASES];
    for (unsigned i = 0; i < n; i++) {
        x[i] = product(bases[first + i] % m->p, m->square, m);
        power[i] = m->one;
    }
    for (int bit = 63 - __builtin_clzll(d); bit >= 0; bit--) {
        for (unsigned i = 0; i < n; i++)
            power[i] = product(power[i], power[i], m);
        for (unsigned i = 0; i < n && (d >> bit & 1); i++)
            power[i] = product(power[i], x[i], m);
    }
    for (unsigned i = 0; i < n; i++) {
        bool good = power[i] == m->one;
        for (unsigned r = 0; r < s && !good; r++) {
            good = power[i] == minus_one;
            power[i] = product(power[i], power[i], m);
        }
        if (!good)
            return false;
    }
    return true;
}

bool random_is_prime(uint64_t n)
{
    struct montgomery m;
    for (size_t i = 1; i < BASES; i++)
        if (n % bases[i] == 0)
            return n == bases[i];
    montgomery_set(&m, n);
    return passes(&m, 0, 1) && passes(&m, 1, BASES - 1);
}

bool random_primes(unsigned least_bits, unsigned bits, uint64_t *p, unsigned n)
{
    const uint64_t top = bits - least_bits == 1 ? UINT64_C(1) << least_bits : 0; /* else half of the numbers would be too small */
    uint64_t words[32]; /* as many as one getentropy gives; one odd number in 20 is a prime of 58 bits */
    while (n > 0) {
        if (!random_words(words, sizeof words / sizeof *words))
            return false;
        for (size_t i = 0; i < sizeof words / sizeof *words && n > 0; i++) {
            *p = (words[i] >> (64 - bits)) | top | 1;
            if (*p >> least_bits != 0 && random_is_prime(*p)) {
                p++;
                n--;
            }
        }
    }
    return true;
}
