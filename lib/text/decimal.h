/* decimal.h - vector operations on the characters of decimal numbers: residues, and digits of base 10^4. */
#ifndef GFMUL_DECIMAL_H
#define GFMUL_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

enum {
    DECIMAL_GROUP = 8,      /* characters */
    DECIMAL_GROUPS = 256,   /* in a block */
    DECIMAL_PIECE_BITS = 31 /* bits of a piece of a weight, which has two pieces */
};

/* Powers of 10^8 modulo a prime below 2^62, in two pieces each, for the groups of a block in the order of the vectors. */
struct decimal_weights {
    _Alignas(64) uint64_t low[DECIMAL_GROUPS], high[DECIMAL_GROUPS];
};

struct decimal_ops {
    unsigned lanes; /* words of 64 bits in a vector */

    /*
     * sums - add up the groups of a block, each times the pieces of its weight.
     *   sum  out  two sums over all groups, for the pieces of weight 1 and 2^31; each is the sum of `lanes` words
     *   s    in   the block's first character
     */
    void (*sums)(unsigned __int128 *sum, const char *s, const struct decimal_weights *w);

    /*
     * cut_fours - balanced digits of base 10^4: d[j] = r_j + t_(j-1) - 10^4 t_j, t_j = [r_j >= 5000], where r_j is the number
     * of the four characters before end - 4 j.
     *
     *   n      in  a multiple of 16
     *   carry  in  t_(-1)
     */
    void (*cut_fours)(int32_t *d, const char *end, size_t n, unsigned carry);
};

/* decimal_ops_of - the functions of an instruction set (CPU_ISA_... of base/cpu.h); NULL: use plain C. */
const struct decimal_ops *decimal_ops_of(unsigned isa_bit);

/*
 * decimal_weights_set - make the weights of a block.
 *
 *   w  out  the weights
 *   p  in   a prime below 2^62
 *
 * Value: returns 10^(8 DECIMAL_GROUPS) mod p.   Cost: some 3 us.
 */
uint64_t decimal_weights_set(struct decimal_weights *w, const struct decimal_ops *ops, uint64_t p);

#endif
