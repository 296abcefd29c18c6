/*
 * reference.h - slow, obvious references, which share no code with the library.
 */
#ifndef GFMUL_REFERENCE_H
#define GFMUL_REFERENCE_H

#include <float.h>
#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

/* A floating-point type of 113 bits.  REF_HAVE_QUAD is 0 where the compiler has none; then it is long double. */
#if defined(__SIZEOF_FLOAT128__)
typedef __float128 ref_quad;
#define REF_HAVE_QUAD 1
#else
typedef long double ref_quad;
#define REF_HAVE_QUAD (LDBL_MANT_DIG >= 113)
#endif

/* ref_mul - z = a * b by the schoolbook; an, bn >= 0; z has an + bn limbs and overlaps neither. */
void ref_mul(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn);

/* ref_mul_gmp - the same by mpn_mul, any order of sizes, 0 allowed. */
void ref_mul_gmp(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn);

/*
 * ref_text_mul - z = a * b, in text digits of one base, by the schoolbook.
 *   z  out  an + bn characters, '0'-padded at the front, lower case
 */
void ref_text_mul(char *z, const char *a, size_t an, const char *b, size_t bn, unsigned base);

/* ref_cos_sin - cosine and sine of 2 pi p / q, to about 2^-110 absolutely; any p, q >= 1. */
void ref_cos_sin(ref_quad *c, ref_quad *s, uint64_t p, uint64_t q);

/* The angle of a node of the tree (plan.h) in turns, as a fraction p / q. */
struct ref_angle {
    uint64_t p, q;
};

/* ref_node_angle - node `node` of the odd * 2^depth nodes at a depth; quarter: 1 for the modulus x^n - i, 0 for x^n - 1. */
struct ref_angle ref_node_angle(unsigned odd, unsigned depth, size_t node, unsigned quarter);

/*
 * ref_spectrum - the values of a polynomial at the leaves of the tree, in tree order: f(e(theta_k)), k = 0 .. n-1.
 *   re, im          in   n coefficients;  out_re, out_im  out  n values
 */
void ref_spectrum(long double *out_re, long double *out_im, const double *re, const double *im, unsigned odd, unsigned log2_n,
                  unsigned quarter);

#endif
