/* random.h - random primes for the residue check, only from the operating system's source. */
#ifndef GFMUL_RANDOM_H
#define GFMUL_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/*
 * random_primes - n random primes in (2^least_bits, 2^bits), drawn independently; all are equally likely.
 *
 *   least_bits, bits  in   2 <= least_bits < bits <= 63
 *   p                 out  n primes
 * False: the system has no source of random numbers, and there is no substitute.   Threads: any.   Cost: some 4 us each.
 */
bool random_primes(unsigned least_bits, unsigned bits, uint64_t *p, unsigned n);

/* random_is_prime - whether an odd n in [3, 2^63) is prime.  Miller-Rabin to the first 12 prime bases proves it for n below
   3.3e24 [SW15]. */
bool random_is_prime(uint64_t n);

/* random_refuse - for tests: behave as if the system had none. */
void random_refuse(bool on);

#endif
