/*
 * residue.c - numbers modulo a word-sized prime.
 *
 * mpn_mod_1 runs at about one full multiplication a limb, and so does an inner product with powers of 2^64, reduced rarely: short
 * numbers go to the former, which needs no table, long ones to the latter, which asks for its limbs ahead of time.  Numbers are
 * cut in pieces for the threads.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "limbs/residue.h"

#include <assert.h>

enum {
    PIECE_LIMBS = 1 << 14, /* least work for a thread */
    MAX_PIECES = 64,
    LONG_LIMBS = 1 << 17, /* from here on a table of powers costs nothing, and limbs come from memory */
    POWERS = 512,         /* limbs between two reductions */
    GROUP = 8,            /* products of 125 bits that fit 128 */
    AHEAD_LIMBS = 1024
};

uint64_t residue_power_of_limb(size_t n, uint64_t p)
{
    uint64_t r = 1 % p, square = (uint64_t)(((unsigned __int128)1 << 64) % p);
    for (; n > 0; n >>= 1) {
        if (n & 1)
            r = residue_mul(r, square, p);
        square = residue_mul(square, square, p);
    }
    return r;
}

/* powers_set - power[i] = 2^(64 i) mod p. */
static void powers_set(uint64_t *power, uint64_t p)
{
    const uint64_t base = residue_power_of_limb(1, p);
    power[0] = 1 % p;
    for (size_t i = 1; i < POWERS; i++)
        power[i] = residue_mul(power[i - 1], base, p);
}

/* block_residue - the number of POWERS limbs modulo p. */
static uint64_t block_residue(const mp_limb_t *a, const uint64_t *power, uint64_t p)
{
    unsigned __int128 low = 0, high = 0;
    for (size_t i = 0; i < POWERS; i += GROUP) {
        unsigned __int128 sum = 0; /* of GROUP products below 2^64 2^61 */
#ifdef __GNUC__
        __builtin_prefetch(a + i + AHEAD_LIMBS);
#endif
#pragma GCC unroll 8
        for (size_t k = i; k < i + GROUP; k++)
            sum += (unsigned __int128)a[k] * power[k];
        low += (uint64_t)sum;
        high += (uint64_t)(sum >> 64);
    }
    const uint64_t r = (uint64_t)(high % p), limb = power[1];
    return (uint64_t)(((unsigned __int128)r * limb + low % p) % p);
}

/* piece_residue - a number modulo p, by blocks where it is long. */
static uint64_t piece_residue(const mp_limb_t *a, size_t an, const uint64_t *power, uint64_t p)
{
    if (an < LONG_LIMBS || p >> 61 != 0)
        return mpn_mod_1(a, (mp_size_t)an, p);
    /* blocks upwards, weighted by powers of 2^(64 POWERS): limbs are read in the order that the processor expects */
    const uint64_t step = residue_mul(power[POWERS - 1], power[1], p);
    uint64_t r = 0, weight = 1 % p;
    size_t at = 0;
    for (; at + POWERS <= an; at += POWERS) {
        r += residue_mul(block_residue(a + at, power, p), weight, p); /* < 2p < 2^63 */
        r = r >= p ? r - p : r;
        weight = residue_mul(weight, step, p);
    }
    if (at < an)
        r = (uint64_t)(((unsigned __int128)mpn_mod_1(a + at, (mp_size_t)(an - at), p) * weight + r) % p);
    return r;
}

uint64_t residue_limbs(const mp_limb_t *a, size_t an, uint64_t p, unsigned threads)
{
    assert(p > 0 && p < UINT64_C(1) << 62);
    if (an == 0)
        return 0;
    size_t pieces = an / PIECE_LIMBS;
    if (pieces > threads)
        pieces = threads;
    if (pieces > MAX_PIECES)
        pieces = MAX_PIECES;
    uint64_t power[POWERS]; /* set where a piece may need them */
    if (an >= LONG_LIMBS && p >> 61 == 0)
        powers_set(power, p);
    if (pieces <= 1)
        return piece_residue(a, an, power, p);

    uint64_t part[MAX_PIECES];
    size_t piece = (an + pieces - 1) / pieces;
    pieces = (an + piece - 1) / piece; /* none is empty */
#ifdef _OPENMP
#pragma omp parallel for num_threads((int)pieces) schedule(static)
#endif
    for (size_t i = 0; i < pieces; i++) {
        size_t first = i * piece;
        part[i] = piece_residue(a + first, first + piece < an ? piece : an - first, power, p);
    }
    uint64_t step = residue_power_of_limb(piece, p), r = 0;
    for (size_t i = pieces; i-- > 0;) {
        r = residue_mul(r, step, p) + part[i]; /* < 2p < 2^63 */
        r = r >= p ? r - p : r;
    }
    return r;
}
