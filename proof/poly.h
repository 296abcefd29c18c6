/*
 * poly.h - polynomials in numbered symbols.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_POLY_H
#define GFMUL_POLY_H

enum { MAX_DEGREE = 8 };

/* sum of k times the product of symbols s, in ascending order; k is a dyadic number and exact. */
struct term {
    double k;
    unsigned degree;
    unsigned char s[MAX_DEGREE];
};
struct poly {
    unsigned n;
    struct term *t;
};

struct poly poly_number(double k);
struct poly poly_symbol(unsigned s);
struct poly poly_add(struct poly a, struct poly b);
struct poly poly_mul(struct poly a, struct poly b);
struct poly poly_scale(struct poly a, double k);

#endif
