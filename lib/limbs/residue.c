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
#include <math.h>
#include <string.h>

#include "base/cpu.h"

enum {
    PIECE_LIMBS = 1 << 14, /* least work of a piece */
    MAX_PIECES = 256,
    TABLE_CHAINS = 4,
    PIECE_BITS = RESIDUE_BITS / 2, /* of a weight */
    GROUP = 8,                     /* products of 122 bits that fit 128, and a line of memory */
};

uint64_t residue_power(uint64_t a, uint64_t n, uint64_t p)
{
    uint64_t r = 1 % p;
    for (; n > 0; n >>= 1) {
        if (n & 1)
            r = residue_mul(r, a, p);
        a = residue_mul(a, a, p);
    }
    return r;
}

uint64_t residue_power_of_limb(size_t n, uint64_t p)
{
    return residue_power((uint64_t)(((unsigned __int128)1 << 64) % p), n, p);
}

unsigned residue_primes_needed(double bits)
{
    const double factors = fmax(1, floor(bits / 57)); /* primes above 2^57 that divide a number below 2^bits: at most so many */
    const double chance = log2(factors / 3.5e15);     /* of how many there are in (2^57, 2^58): more than 3.5e15 */
    for (unsigned n = 1; n <= RESIDUE_PRIMES_MAX; n++)
        if (n * chance < -64.001) /* the logarithm's error is far smaller */
            return n;
    return 0;
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
    const uint64_t base = residue_power_of_limb(TABLE_CHAINS, p), quotient = (uint64_t)(((unsigned __int128)base << 64) / p);
    m->p = p;
    m->sums = sums_of(isa_bit);
    const unsigned shift = m->sums ? PIECE_BITS : RESIDUE_BITS; /* plain C: the weights are whole */
    const uint64_t mask = (UINT64_C(1) << shift) - 1;
    for (size_t i = 0; i < RESIDUE_BLOCK; i++) {
        uint64_t power = i < TABLE_CHAINS ? residue_power_of_limb(i, p) : m->low[i - TABLE_CHAINS];
        if (i >= TABLE_CHAINS) { /* a power of the limb so many places before: several at once are under way */
            power |= m->high[i - TABLE_CHAINS] << shift;
            power = power * base - (uint64_t)((unsigned __int128)power * quotient >> 64) * p; /* below 2p [Har14] */
            power = power >= p ? power - p : power;
        }
        m->low[i] = power & mask;
        m->high[i] = power >> shift;
    }
    m->block_power = residue_power_of_limb(RESIDUE_BLOCK, p);
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

/* block_residues - the number of n limbs modulo each of `count` moduli, 1 or 2, by what the instruction set has. */
static void block_residues(uint64_t *r, const mp_limb_t *a, size_t n, const struct residue_modulus *m, unsigned count,
                           bool in_memory)
{
    const size_t even = n & ~(size_t)7;
    uint64_t sum[2 * RESIDUE_SUMS];
    if (m->sums)
        m->sums(sum, a, even, m, count, in_memory); /* below 2^40: together below 2^105 */
    for (unsigned k = 0; k < count; k++) {
        const uint64_t *s = sum + k * RESIDUE_SUMS;
        if (!m->sums) {
            r[k] = (uint64_t)(block_by_limbs(a, n, &m[k]) % m[k].p);
            continue;
        }
        unsigned __int128 value = s[0] + ((unsigned __int128)s[1] << 29) + ((unsigned __int128)s[2] << 32) +
                                  ((unsigned __int128)s[3] << 61) + ((unsigned __int128)s[4] << 64) +
                                  (unsigned __int128)s[5] * m[k].top_power;
        for (size_t i = even; i < n; i++) /* 7 products at most, below 2^122 */
            value += (unsigned __int128)a[i] * (m[k].low[i] | m[k].high[i] << PIECE_BITS);
        r[k] = (uint64_t)(value % m[k].p); /* of less than 2^126 */
    }
}

/*
 * piece_residues - a number of an > 0 limbs modulo each of n primes, by blocks upwards: read in the order that the processor
 * expects.  The first moduli bring a block into the cache, and the others find it there.
 */
static void piece_residues(uint64_t *r, const mp_limb_t *a, size_t an, const struct residue_modulus *m, unsigned n,
                           bool in_memory)
{
    uint64_t weight[RESIDUE_PRIMES_MAX], part[RESIDUE_PRIMES_MAX];
    if (!m->sums && !in_memory) {
        for (unsigned k = 0; k < n; k++)
            r[k] = mpn_mod_1(a, (mp_size_t)an, m[k].p);
        return;
    }
    for (size_t at = 0; at < an; at += RESIDUE_BLOCK) {
        const size_t size = an - at < RESIDUE_BLOCK ? an - at : RESIDUE_BLOCK;
        for (unsigned k = 0; k < n; k += 2)
            block_residues(part + k, a + at, size, m + k, n - k < 2 ? 1 : 2, in_memory && k == 0);
        for (unsigned k = 0; k < n; k++) {
            const uint64_t p = m[k].p;
            r[k] = at == 0 ? part[k] : (uint64_t)(((unsigned __int128)part[k] * weight[k] + r[k]) % p);
            weight[k] = at == 0 ? m[k].block_power : residue_mul(weight[k], m[k].block_power, p);
        }
    }
}

void residue_limbs(uint64_t *r, const mp_limb_t *a, size_t an, const struct residue_modulus *m, unsigned n, bool in_memory,
                   unsigned threads)
{
    assert(n <= RESIDUE_PRIMES_MAX);
    memset(r, 0, n * sizeof *r);
    if (an == 0)
        return;
    const size_t most = threads < MAX_PIECES / 4 ? 4 * (size_t)threads : MAX_PIECES; /* not all threads are equally fast */
    size_t pieces = an / PIECE_LIMBS;
    if (pieces > most)
        pieces = most;
    if (pieces <= 1 || threads <= 1) {
        piece_residues(r, a, an, m, n, in_memory);
        return;
    }

    uint64_t part[MAX_PIECES][RESIDUE_PRIMES_MAX];
    size_t piece = (an + pieces - 1) / pieces;
    pieces = (an + piece - 1) / piece; /* none is empty */
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(dynamic)
#endif
    for (size_t i = 0; i < pieces; i++) {
        size_t first = i * piece;
        piece_residues(part[i], a + first, first + piece < an ? piece : an - first, m, n, in_memory);
    }
    for (unsigned k = 0; k < n; k++) {
        const uint64_t p = m[k].p, step = residue_power_of_limb(piece, p);
        for (size_t i = pieces; i-- > 0;) {
            r[k] = residue_mul(r[k], step, p) + part[i][k]; /* < 2p < 2^59 */
            r[k] = r[k] >= p ? r[k] - p : r[k];
        }
    }
}
