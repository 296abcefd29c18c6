/* residue.h - numbers modulo a word-sized prime. */
#ifndef GFMUL_RESIDUE_H
#define GFMUL_RESIDUE_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

/* residue_mul - a * b mod p; a, b < p < 2^62. */
static inline uint64_t residue_mul(uint64_t a, uint64_t b, uint64_t p)
{
    return (uint64_t)((unsigned __int128)a * b % p);
}

/* residue_power_of_limb - 2^(64 n) mod p, p < 2^62. */
uint64_t residue_power_of_limb(size_t n, uint64_t p);

/* residue_limbs - the number a of an limbs modulo p < 2^62.   Threads: parallel inside.   Cost: one pass. */
uint64_t residue_limbs(const mp_limb_t *a, size_t an, uint64_t p, unsigned threads);

#endif
