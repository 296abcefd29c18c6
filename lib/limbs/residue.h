/* residue.h - numbers modulo a word-sized prime. */
#ifndef GFMUL_RESIDUE_H
#define GFMUL_RESIDUE_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RESIDUE_BITS =
        58, /* of a modulus: weights are two pieces of 29, of which a product with 32 bits leaves room for 8 in a word */
    RESIDUE_BLOCK = 512,    /* limbs between two reductions: the tables fill a sixth of a first-level cache */
    RESIDUE_PRIMES_MAX = 6, /* of one check: see residue_primes_needed */
};

struct residue_modulus;

/*
 * residue_sums - sums of the products of halves of limbs and pieces of weights.  Each instruction set has its own function.
 *
 *   sum        out  six sums below 2^40 for each modulus.  With the weights 2^0, 2^29, 2^32, 2^61, 2^64, 2^93 they give the
 *                   number modulo it
 *   a          in   n limbs, n a multiple of 8, at most RESIDUE_BLOCK
 *   m          in   `count` moduli, 1 or 2.  Two of them take less time together than one after the other
 *   in_memory  in   as for residue_limbs
 */
enum { RESIDUE_SUMS = 6 };
typedef void residue_sums(uint64_t *sum, const mp_limb_t *a, size_t n, const struct residue_modulus *m, unsigned count,
                          bool in_memory);

/* A modulus with its tables, about 8 KiB.  It is read-only after residue_modulus_set. */
struct residue_modulus {
    uint64_t p;
    uint64_t block_power;                                          /* 2^(64 RESIDUE_BLOCK) mod p */
    uint64_t top_power;                                            /* 2^93 mod p */
    residue_sums *sums;                                            /* NULL: whole limbs, in plain C */
    _Alignas(64) uint64_t low[RESIDUE_BLOCK], high[RESIDUE_BLOCK]; /* low[i] + 2^29 high[i] = 2^(64 i) mod p, both below 2^29 */
};

/*
 * residue_modulus_set - a modulus and its tables.
 *
 *   p        in   in [2, 2^RESIDUE_BITS)
 *   isa_bit  in   CPU_ISA_... of base/cpu.h: the instruction set to use
 * Cost: some 3 us.
 */
void residue_modulus_set(struct residue_modulus *m, uint64_t p, unsigned isa_bit);

/*
 * residue_ask_ahead - prefetch the limbs some way behind p.
 *
 * Limbs in memory are prefetched early, into the second-level cache.  The first-level cache has few buffers for lines in flight.
 */
static inline void residue_ask_ahead(const mp_limb_t *p, bool in_memory)
{
#ifdef __GNUC__
    if (in_memory)
        __builtin_prefetch(p + 1024, 0, 2);
    __builtin_prefetch(p + 48);
#endif
}

/* residue_mul - a * b mod p; a, b < p < 2^62. */
static inline uint64_t residue_mul(uint64_t a, uint64_t b, uint64_t p)
{
    return (uint64_t)((unsigned __int128)a * b % p);
}

/* residue_power - a^n mod p;  residue_power_of_limb - 2^(64 n) mod p.   a, p < 2^62. */
uint64_t residue_power(uint64_t a, uint64_t n, uint64_t p);
uint64_t residue_power_of_limb(size_t n, uint64_t p);

/*
 * residue_primes_needed - how many random primes make a check of numbers below 2^bits miss a difference with a probability below
 * 2^-64 (doc/error-bound.md, section 16).
 *
 * Value: at least 2.  0: more than RESIDUE_PRIMES_MAX, beyond 1.2e14 bits.
 */
unsigned residue_primes_needed(double bits);

/*
 * residue_limbs - the number a of an limbs modulo each of n primes.
 *
 *   r          out  n residues; r[k] modulo m[k].p
 *   a          in   an limbs, least significant first
 *   m          in   n moduli of one instruction set, n <= RESIDUE_PRIMES_MAX
 *   in_memory  in   true: the limbs are in memory, not in a cache, and are prefetched early.  For limbs in a cache this would
 *                   slow down the code behind it (doc/decisions/0018-residues-by-vectors.md).
 *   threads    in   the most threads to use
 *
 * Threads: parallel inside.   Cost: one pass over the limbs for all moduli.
 */
void residue_limbs(uint64_t *r, const mp_limb_t *a, size_t an, const struct residue_modulus *m, unsigned n, bool in_memory,
                   unsigned threads);

#endif
