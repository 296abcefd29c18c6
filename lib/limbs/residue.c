/*
 * residue.c - numbers modulo a word-sized prime.
 *
 * An inner product with powers of 2^64, reduced once a block.  Where vectors have products of 32 bits, halves of limbs meet
 * pieces of weights (residue_sums.h).  Else whole limbs meet whole weights, at one full multiplication a limb, which is what
 * mpn_mod_1 takes as well: it does not ask for limbs ahead of time, and takes those that are in a cache.  Numbers are cut in
 * pieces for the threads.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "limbs/residue.h"

#include <assert.h>

#include "base/cpu.h"

enum {
    PIECE_LIMBS = 1 << 14, /* least work of a piece */
    MAX_PIECES = 256,
    PIECE_BITS = RESIDUE_BITS / 2, /* of a weight */
    GROUP = 8,                     /* products of 122 bits that fit 128, and a line of memory */
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

#define ISA(name, ...) extern residue_sums residue_sums_##name;
#include "base/isa.def"

/* sums_of - what reduces blocks in this instruction set; NULL: plain C. */
static residue_sums *sums_of(unsigned isa_bit)
{
    static residue_sums *const sums[CPU_ISA_COUNT] = {
#define ISA(name, NAME, found, words, ...) (GFMUL_HAVE_##NAME) && (words) ? residue_sums_##name : NULL,
#include "base/isa.def"
    };
    for (unsigned i = 0; i < CPU_ISA_COUNT; i++)
        if (isa_bit == 1u << i)
            return sums[i];
    return NULL;
}

void residue_modulus_set(struct residue_modulus *m, uint64_t p, unsigned isa_bit)
{
    assert(p > 1 && p >> RESIDUE_BITS == 0);
    const uint64_t base = residue_power_of_limb(1, p);
    uint64_t power = 1;
    m->p = p;
    m->sums = sums_of(isa_bit);
    for (size_t i = 0; i < RESIDUE_BLOCK; i++) {
        m->low[i] = m->sums ? power & ((1 << PIECE_BITS) - 1) : power;
        m->high[i] = m->sums ? power >> PIECE_BITS : 0;
        power = residue_mul(power, base, p);
    }
    m->block_power = power;
    m->top_power = (uint64_t)(((unsigned __int128)1 << 93) % p);
}

/* block_by_limbs - the number of n <= RESIDUE_BLOCK limbs modulo p, not reduced: below 2^123. */
static unsigned __int128 block_by_limbs(const mp_limb_t *a, size_t n, const struct residue_modulus *m)
{
    unsigned __int128 low = 0, high = 0, sum;
    size_t i = 0;
    for (; n - i >= GROUP; i += GROUP) {
        sum = 0; /* of GROUP products below 2^64 2^58 */
        residue_ask_ahead(a + i, true);
#pragma GCC unroll 8
        for (size_t k = i; k < i + GROUP; k++)
            sum += (unsigned __int128)a[k] * m->low[k];
        low += (uint64_t)sum;
        high += (uint64_t)(sum >> 64);
    }
    for (sum = 0; i < n; i++)
        sum += (unsigned __int128)a[i] * m->low[i];
    low += (uint64_t)sum;
    high += (uint64_t)(sum >> 64);
    return low + (high % m->p << 64);
}

/* block_value - the same, by what the instruction set has: below 2^126. */
static unsigned __int128 block_value(const mp_limb_t *a, size_t n, const struct residue_modulus *m, bool in_memory)
{
    const size_t even = n & ~(size_t)7;
    uint64_t s[RESIDUE_SUMS];
    if (!m->sums)
        return block_by_limbs(a, n, m);
    m->sums(s, a, even, m, in_memory); /* below 2^40: together below 2^105 */
    unsigned __int128 value = s[0] + ((unsigned __int128)s[1] << 29) + ((unsigned __int128)s[2] << 32) +
                              ((unsigned __int128)s[3] << 61) + ((unsigned __int128)s[4] << 64) +
                              (unsigned __int128)s[5] * m->top_power;
    for (size_t i = even; i < n; i++) /* 7 products at most, below 2^122 */
        value += (unsigned __int128)a[i] * (m->low[i] | m->high[i] << PIECE_BITS);
    return value;
}

/* piece_residue - a number of an > 0 limbs modulo p, by blocks upwards: read in the order that the processor expects. */
static uint64_t piece_residue(const mp_limb_t *a, size_t an, const struct residue_modulus *m, bool in_memory)
{
    const uint64_t p = m->p;
    uint64_t r = 0, weight = 1;
    if (!m->sums && !in_memory)
        return mpn_mod_1(a, (mp_size_t)an, p);
    for (size_t at = 0;;) {
        const size_t n = an - at < RESIDUE_BLOCK ? an - at : RESIDUE_BLOCK;
        const uint64_t part = (uint64_t)(block_value(a + at, n, m, in_memory) % p);
        r = at == 0 ? part : (uint64_t)(((unsigned __int128)part * weight + r) % p);
        at += n;
        if (at == an)
            return r;
        weight = residue_mul(weight, m->block_power, p);
    }
}

uint64_t residue_limbs(const mp_limb_t *a, size_t an, const struct residue_modulus *m, bool in_memory, unsigned threads)
{
    if (an == 0)
        return 0;
    const size_t most = threads < MAX_PIECES / 4 ? 4 * (size_t)threads : MAX_PIECES; /* not all threads are equally fast */
    size_t pieces = an / PIECE_LIMBS;
    if (pieces > most)
        pieces = most;
    if (pieces <= 1 || threads <= 1)
        return piece_residue(a, an, m, in_memory);

    uint64_t part[MAX_PIECES];
    size_t piece = (an + pieces - 1) / pieces;
    pieces = (an + piece - 1) / piece; /* none is empty */
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(dynamic)
#endif
    for (size_t i = 0; i < pieces; i++) {
        size_t first = i * piece;
        part[i] = piece_residue(a + first, first + piece < an ? piece : an - first, m, in_memory);
    }
    uint64_t step = residue_power_of_limb(piece, m->p), r = 0;
    for (size_t i = pieces; i-- > 0;) {
        r = residue_mul(r, step, m->p) + part[i]; /* < 2p < 2^59 */
        r = r >= m->p ? r - m->p : r;
    }
    return r;
}
