/*
 * root_fixed.h - roots of unity in fixed point of 126 bits, and as correctly rounded double-doubles.
 */
#ifndef GFMUL_ROOT_FIXED_H
#define GFMUL_ROOT_FIXED_H

#include "plan/plan_twiddle.h"

/* A complex number of modulus 1, whose parts are integers times 2^-126. */
struct fixed_complex {
    __int128 re, im;
};

/* The powers of one root, as products of two table entries. */
struct root_maker {
    uint64_t den;
    unsigned lo_bits;
    struct fixed_complex *lo, *hi; /* e(i / den), i < 2^lo_bits; e(i 2^lo_bits / den) */
};

/*
 * root_maker_create - prepare e(num / den), 0 <= num < den.
 *
 *   maker  out  end with root_maker_destroy, which is allowed after a failure, too: the maker is then empty
 *   den    in   at least 8, below 2^50
 * Cost: the square root of den.   Errors: MEMORY.
 */
enum gfmul_status root_maker_create(struct root_maker *maker, uint64_t den);
void root_maker_destroy(struct root_maker *maker);

/* root_fixed - e(num / den), num taken modulo den; each part off by less than 2^-115. */
struct fixed_complex root_fixed(const struct root_maker *maker, uint64_t num);

/*
 * root_dd - the same as double-doubles: the first part is the double nearest to the fixed-point value, the second one the double
 * nearest to the rest.  Each part of the root is off by less than 2^-107 + 2^-115.
 */
struct dd_complex root_dd(const struct root_maker *maker, uint64_t num);

#endif
