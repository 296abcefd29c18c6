/* algorithms.h - transforms as graphs, by the published algorithms. */
#ifndef GFMUL_GEN_ALGORITHMS_H
#define GFMUL_GEN_ALGORITHMS_H

#include "gen/graph.h"

/* gen_root - exp(-2 pi i k / n), each part to about 2^-100, parts that are equal in magnitude equal to the bit. */
void gen_root(uint32_t k, uint32_t n, gen_number *re, gen_number *im);

/*
 * gen_transform - the forward transform of n points.
 *
 *   g          in/out
 *   n          in   2^a 3^b 5^c 7^d
 *   algorithm  in   2, 4, 8: radix; S: split radix [DH84]; C: conjugate-pair split radix [KE89]; T: tangent [JF07].  It
 *                   builds the part that is a power of two; odd factors are taken off first, by their own codelets
 *   x          in   n values, natural order
 *   y          out  n values, natural order; may be GEN_BAD where g->failed
 *
 * Value:    y[k] = sum over j of x[j] exp(-2 pi i j k / n).
 * Aliasing: none allowed.   Errors: GFMUL_ERR_MEMORY.
 */
enum gfmul_status gen_transform(struct gen_graph *g, uint32_t n, char algorithm, const struct gen_complex *x,
                                struct gen_complex *y);

#endif
