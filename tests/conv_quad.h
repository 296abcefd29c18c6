/*
 * conv_quad.h - convolutions of double-doubles by their definition, in sums of 113 bits.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_TESTS_CONV_QUAD_H
#define GFMUL_TESTS_CONV_QUAD_H
#include <string.h>

#include "fft/conv.h"

#ifdef __aarch64__
typedef long double quad;
#else
typedef __float128 quad;
#endif

/* quad_at - number i of an array of double-doubles. */
static inline quad quad_at(const double *x, size_t i)
{
    return (quad)x[2 * i] + x[2 * i + 1];
}

/* conv_count - numbers of a result. */
static inline size_t conv_count(enum gfmul_conv_kind kind, size_t an, size_t bn)
{
    return kind == GFMUL_CONV_LINEAR ? an + bn - 1 : bn;
}

/* conv_quad - z = the convolution of a and b, real or complex, by opt's kind. */
static inline void conv_quad(quad *z, const double *a, size_t an, const double *b, size_t bn,
                             const struct gfmul_conv_options *opt)
{
    const size_t count = conv_count(opt->kind, an, bn);
    const bool complex = conv_is_complex(opt);
    memset(z, 0, count * (complex ? 2 : 1) * sizeof *z);
    for (size_t j = 0; j < an; j++)
        for (size_t k = 0; k < bn; k++) {
            const bool folded = j + k >= count;
            const size_t to = folded ? j + k - count : j + k;
            const quad sign = folded && opt->kind == GFMUL_CONV_NEGACYCLIC ? -1 : 1;
            if (!complex) {
                z[to] += sign * quad_at(a, j) * quad_at(b, k);
                continue;
            }
            const quad ar = quad_at(a, 2 * j), ai = quad_at(a, 2 * j + 1), br = quad_at(b, 2 * k), bi = quad_at(b, 2 * k + 1);
            z[2 * to] += sign * (ar * br - ai * bi);
            z[2 * to + 1] += sign * (ar * bi + ai * br);
        }
}
#endif
