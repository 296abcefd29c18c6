/*
 * prove.h - Gappa scripts that prove constants of traced programs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Units: u = 2^-53.  README.md says what each script proves, and which lemmas of layers.v make a bound of it.
 */
#ifndef GFMUL_PROVE_H
#define GFMUL_PROVE_H

#include "trace.h"

/* What is left of a constant for roundings: goals are roundings + error of twiddles <= constant. */
struct twiddles {
    double largest_share; /* of the square of the imaginary part: 1/2 within 45 degrees, else 1 */
    double error;         /* their distance from the root, proved by a script of its own */
    bool plain_product;   /* roundings are those of a complex product without FMA: sqrt(5 + 5 u) (steps.v, product_plain_near) */
    bool one_entry;       /* rounded cosines and sines are the parts of one point */
    bool exact_constants; /* cosines and sines are: their errors are counted with the products */
    bool joint;           /* errors of a layer that reach the same output are weighted, not only added up */
};

/*
 * prove_forward - the error of all outputs in the norm, layer by layer.
 *
 *   factor   in  the outputs have the root of `factor` times the norm of the inputs
 *   behind   in  a bit for each input that only twiddles' products read
 *   plain    in  constant of the layers that read all inputs (and the rounded constants of an odd radix)
 *   twiddle  in  constant of the layers that read inputs of `behind` alone, with the error of the twiddles; 0: none
 */
void prove_forward(const char *name, double factor, unsigned behind, double plain, double twiddle, struct twiddles w);

/* prove_inverse - the error of each output point against the sum of the moduli of the input points. */
void prove_inverse(const char *name, double constant, struct twiddles w);

/* check_dft - that the traced program is the DFT of `radix` points, e(sign s k / radix), but for rounding. */
void check_dft(unsigned radix, double sign);

/*
 * check_tree - that the traced program is the split of a node x^m - e(theta) into `radix` children, or `radix` times its inverse:
 * section 1.   angle in: of its twiddles, in the order of their symbols, for theta = TREE_ANGLE.
 */
#define TREE_ANGLE 0.3
void check_tree(unsigned radix, bool inverse, const double *angle);

/* check_plain_product - that each of two outputs is a sum or a difference of two products, all rounded: prove_cancelling. */
void check_plain_product(void);

/* prove_sum - that a sum of constants, proved elsewhere, is at most `constant`. */
void prove_sum(const char *name, const double *part, unsigned parts, double constant);

/* prove_constant - that first + rest is the cosine or sine that it is near to, but for `error` 2^-106 of it. */
void prove_constant(const char *name, double first, double rest, double error);

/* print_code - products and FMAs of the traced program as code for Gappa: x_i = rnd(a_i), rnd to be defined before. */
void print_code(FILE *f);

/* print_coq - the traced program as a definition, name (rnd) (known numbers) (input points): a list of output points. */
void print_coq(FILE *f, const char *name);

/* print_true_constants - lemmas in Coq for the enclosures of cosines and sines that scripts assume. */
void print_true_constants(FILE *f);

/* script_open, script_close - a script of its own, for the caller to fill. */
FILE *script_open(const char *name);
void script_close(FILE *f);

#endif
