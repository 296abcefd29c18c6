/*
 * root_table.h - tables of roots of unity, exact far beyond a double-double's last place.
 */
#ifndef GFMUL_ROOT_TABLE_H
#define GFMUL_ROOT_TABLE_H

#include <stdint.h>

/* A complex number whose parts are unevaluated sums of three doubles, largest first. */
struct triple_complex {
    double re[3], im[3];
};

/*
 * root_table - powers of e(num / den) = exp(2 pi i num / den).
 *
 *   root   out  count entries: root[k] = e(k num / den), each part off by less than count 2^-154
 *   num    in   below den;   den  in  below 2^60;   count  in  at most 2^16
 * Threads: reentrant.   Cost: a product of 256-bit numbers for each entry.
 */
void root_table(struct triple_complex *root, uint64_t num, uint64_t den, unsigned count);

#endif
