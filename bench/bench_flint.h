/*
 * bench_flint.h - FLINT's functions, loaded at run time; types as its headers of version 3 have them.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_BENCH_FLINT_H
#define GFMUL_BENCH_FLINT_H

#include <gmp.h>

typedef long flint_integer;
struct flint_matrix {
    flint_integer *entries;
    long rows, columns, stride;
};

/* Integers begin as 0, which needs no function. */
struct flint_functions {
    void (*mpn_mul)(mp_limb_t *z, const mp_limb_t *a, long an, const mp_limb_t *b, long bn); /* by fft_small, an >= bn >= 1 */
    void (*clear)(flint_integer *x);
    void (*set)(flint_integer *x, mpz_srcptr a);
    void (*get)(mpz_ptr a, const flint_integer *x);
    void (*mul)(flint_integer *z, const flint_integer *x, const flint_integer *y);
    void (*tdiv_qr)(flint_integer *q, flint_integer *r, const flint_integer *a, const flint_integer *d);
    void (*mod)(flint_integer *r, const flint_integer *a, const flint_integer *d);
    void (*divexact)(flint_integer *q, const flint_integer *a, const flint_integer *d);
    void (*gcd)(flint_integer *g, const flint_integer *a, const flint_integer *b);
    void (*sqrtrem)(flint_integer *s, flint_integer *r, const flint_integer *a);
    void (*powm)(flint_integer *z, const flint_integer *a, const flint_integer *e, const flint_integer *m);
    char *(*get_str)(char *text, int base, const flint_integer *x);
    int (*set_str)(flint_integer *x, const char *text, int base);
    void (*matrix_init)(struct flint_matrix *m, long rows, long columns);
    void (*matrix_clear)(struct flint_matrix *m);
    void (*matrix_mul)(struct flint_matrix *z, const struct flint_matrix *x, const struct flint_matrix *y);
};
extern struct flint_functions flint;

/* flint_open - load FLINT from this path. */
void flint_open(const char *path, unsigned threads);

#endif
