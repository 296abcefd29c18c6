/*
 * above.h - what b-above.c and above_flint.c share: the numbers of one size, and works on them.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_BENCH_ABOVE_H
#define GFMUL_BENCH_ABOVE_H

#include "bench.h"
#include "gfmul_arith.h"

/* POWER_LIMBS: of the exponent: the highest of b. */
enum { POWER_LIMBS = 4, MODULUS_LIMBS = 32, TREE_LEVELS = 40 };

/* The numbers of one size. */
struct above_numbers {
    struct gfmul_ctx *ctx;
    size_t n, minus, plus;           /* minus, plus: the next sizes modulo B^n - 1 and B^n + 1 */
    mp_limb_t *a, *b, *z, *multiple; /* multiple: of b, 2 n limbs */
    struct gfmul_divisor *divisor;   /* b */
    struct gfmul_modulus *modulus;   /* b */
    mpz_t power;
    char *text, *room; /* b in decimal, and room for it */
    size_t length;
};
extern struct above_numbers now;

/* Moduli, results, and the trees of GMP: products, and remainders. */
struct above_tree {
    mpz_ptr modulus, result, product[TREE_LEVELS], rest[TREE_LEVELS];
    size_t n, levels;
    mpz_t number;
};
extern struct above_tree tree;

size_t tree_nodes(size_t level);

/* One kind of call. */
struct work {
    const char *group, *name;
    enum gfmul_status (*call)(void);
};

/* Works of FLINT, to be measured beside those of the same group. */
enum { FLINT_WORKS = 7 };
extern const struct work flint_works[FLINT_WORKS];

/*
 * flint_numbers_make - FLINT's copies of the numbers of one size; trees: those of the moduli, too.
 * flint_results_compare - end the program if FLINT's result of a group differs from that of GMP's work, made just now.
 */
void flint_numbers_make(bool trees);
void flint_results_compare(const char *group);
void flint_numbers_free(bool trees);

#endif
