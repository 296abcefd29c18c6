/* random.h - random numbers for the residue check: unpredictable, not for secrets. */
#ifndef GFMUL_RANDOM_H
#define GFMUL_RANDOM_H

#include <stdint.h>

/* random_prime - a random prime in (2^(bits - 1), 2^bits), bits in 3 .. 64.   Threads: any. */
uint64_t random_prime(unsigned bits);

#endif
