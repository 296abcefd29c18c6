/* residue.h - numbers modulo a word-sized prime. */
#ifndef GFMUL_RESIDUE_H
#define GFMUL_RESIDUE_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "limbs/word_primes.h"

enum {
    RESIDUE_BITS =
        58, /* of a modulus: weights are two pieces of 29, of which a product with 32 bits leaves room for 8 in a word */
    RESIDUE_FAST_BITS = 52, /* of one that products of 52 bits take whole, if the processor has them */
    RESIDUE_ROWS = 512,     /* between two reductions: the tables of three moduli fill a third of a first-level cache */
    RESIDUE_WORDS = 32,     /* of a block's sums, at most */
    RESIDUE_TOGETHER = 4,   /* moduli of one pass, at most */
    RESIDUE_PRIMES_MAX = 6, /* of one check: see residue_primes_needed */
};

struct residue_modulus;

/*
 * residue_sums - sums of the products of limbs and weights.  Each instruction set has its own function.
 *
 *   sum        out  RESIDUE_WORDS words for each modulus, of which it writes those that its form has: below 2^62.  Their inner
 *                   product with the modulus' words of `lane` is the number modulo it
 *   a          in   n limbs, at most RESIDUE_ROWS rows of its form
 *   m          in   `count` moduli, at most its form's `together`.  Several take less time than one after the other
 *   in_memory  in   as for residue_limbs
 */
typedef void residue_sums(uint64_t *sum, const mp_limb_t *a, size_t n, const struct residue_modulus *m, unsigned count,
                          bool in_memory);

/*
 * residue_form - the layout of residue sums in an instruction set.  A number is cut in digits of digit_bits, and these in rows,
 * one digit for each lane.  All lanes of a row share a weight, so that tables are short.  The sums of a lane stand in n_shifts
 * words: word k of lane c has the weight 2^(digit_bits c + shift[k]).
 */
struct residue_form {
    residue_sums *sums;
    unsigned lanes, digit_bits;
    unsigned n_shifts, shift[4];
    unsigned piece_bits; /* weights stand in two pieces, the lower one of so many bits; 0: whole */
    unsigned together;
};

/* A modulus with its tables, about 4 KiB.  It is read-only after residue_modulus_set. */
struct residue_modulus {
    uint64_t p;
    uint64_t block_power, block_ratio; /* of a block's limbs: 2^(64 limbs) mod p, and floor(2^64 / p times that) */
    const struct residue_form *form;   /* NULL: whole limbs, in plain C */
    uint64_t lane[RESIDUE_WORDS];
    _Alignas(64) union residue_weight {
        uint64_t whole;
        uint32_t piece[2];  /* the lower one first */
    } weight[RESIDUE_ROWS]; /* weight[i] is 2^(i bits of a row) mod p; in plain C a row is a limb */
};

/*
 * residue_modulus_set - a modulus and its tables.
 *
 *   p        in   in [2, 2^RESIDUE_BITS)
 *   isa_bit  in   CPU_ISA_... of base/cpu.h: the instruction set to use.  Below 2^RESIDUE_FAST_BITS its products of 52 bits, if
 *                 this processor has them
 * Cost: some 3 us.
 */
void residue_modulus_set(struct residue_modulus *m, uint64_t p, unsigned isa_bit);

/* residue_block_limbs - the limbs between two reductions. */
size_t residue_block_limbs(const struct residue_modulus *m);

/*
 * residue_prefetch - prefetch the limbs some way behind p.
 *
 * Limbs in memory are prefetched early, into the second-level cache.  The first-level cache has few buffers for lines in flight.
 */
static inline void residue_prefetch(const mp_limb_t *p, bool in_memory)
{
#ifdef __GNUC__
    if (in_memory)
        __builtin_prefetch(p + 1024, 0, 2);
    __builtin_prefetch(p + 48);
#endif
}

/* residue_power_of_limb - 2^(64 n) mod p.   p < 2^62. */
uint64_t residue_power_of_limb(size_t n, uint64_t p);

/*
 * residue_prime_bits - of the primes that checks in an instruction set are best made with: RESIDUE_BITS or RESIDUE_FAST_BITS.
 *
 *   disable  in  as for cpu_isa_mask; "ifma" leaves out products of 52 bits
 */
unsigned residue_prime_bits(unsigned isa_bit, const char *disable);

/* residue_prime_fits - whether p lies in the range that primes of so many bits are drawn from. */
bool residue_prime_fits(uint64_t p, unsigned prime_bits);

/*
 * residue_primes_draw - n random primes between 2^57 and 2^58 (RESIDUE_BITS), or 2^47 and 2^52 (RESIDUE_FAST_BITS).
 *
 * False: the system has no source of random numbers.   Cost: some 4 us each.
 */
bool residue_primes_draw(unsigned prime_bits, uint64_t *p, unsigned n);

/*
 * residue_primes_needed - how many random primes make a check of numbers below 2^bits miss a difference with a probability below
 * 2^-64 (doc/error-bound.md, section 16).
 *
 *   prime_bits  in  RESIDUE_BITS or RESIDUE_FAST_BITS
 * Value: at least 2.  0: more than RESIDUE_PRIMES_MAX, beyond 1.2e14 bits or 3.5e12.
 */
unsigned residue_primes_needed(double bits, unsigned prime_bits);

/*
 * residue_limbs - the number a of an limbs modulo each of n primes.
 *
 *   r          out  n residues; r[k] modulo m[k].p
 *   a          in   an limbs, least significant first
 *   m          in   n moduli of one instruction set, n <= RESIDUE_PRIMES_MAX.  Those of one form, side by side, share a pass
 *   in_memory  in   true: the limbs are in memory, not in a cache, and are prefetched early.  For limbs in a cache this would
 *                   slow down the code behind it (doc/decisions/residues.md).
 *   threads    in   the most threads to use
 *
 * Threads: parallel inside.   Cost: one pass over the limbs for all moduli of a form.
 */
void residue_limbs(uint64_t *r, const mp_limb_t *a, size_t an, const struct residue_modulus *m, unsigned n, bool in_memory,
                   unsigned threads);

#endif
