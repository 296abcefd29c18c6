/*
 * gfmul_arith.h - what stands above a product: parts of products, products modulo B^n - 1 and B^n + 1, quotients, roots, powers
 * modulo a number, trees over many numbers, text.
 *
 * Copyright (C) 2026 the gfmul authors.  SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * B is 2^64, so that numbers of n limbs are below B^n.  Limbs are stored least significant first, as in gfmul.h.
 *
 * The contract of every function, unless it says otherwise, is that of gfmul.h: errors, threads, stack, forks, progress, memory.
 * A call of many products reports a share that grows with each of them, but not in proportion to the time.
 *
 * Below their crossovers these functions are GMP's: mpn_tdiv_qr, mpn_sqrtrem, mpz_divexact, mpz_powm, mpn_get_str, mpn_set_str.
 * The memory that GMP takes within them is its own: memory_limit does not count it, and GMP ends the process if it gets none.
 *
 * Products modulo B^n + 1 come from a transform of half the length of the whole product's.  They are proved as all products are,
 * but residues modulo random primes cannot be taken of them.  Quotients, roots and conversions are checked in the end.
 * A context makes whole products instead, and reduces them, if it has one of these options:
 *
 *   - a device by name, engine GMP or FFTW;
 *   - rule KNUTH or CHECKED, precision DD, packing TWO_FOR_ONE or ONE_FOR_HALF;
 *   - verify GMP, or certify.
 */
#ifndef GFMUL_ARITH_H
#define GFMUL_ARITH_H

#include <gfmul.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * gfmul_mullow - the low limbs of a product: z = a b modulo B^zn.
 *
 *   z   out  zn limbs, all written, zn <= an + bn (else ARGUMENT)
 *   a   in   an limbs, an >= 0
 *   b   in   bn limbs, bn >= 0; the same number as a: a square
 *
 * Aliasing: z must not overlap a or b (OVERLAP).
 * Cost:     a product of operands that are cut to zn limbs.
 * Errors:   those of gfmul_mul.  On failure the contents of z are undefined.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mullow(struct gfmul_ctx *ctx, mp_limb_t *z, size_t zn, const mp_limb_t *a,
                                                          size_t an, const mp_limb_t *b, size_t bn);

/*
 * gfmul_mulhigh - the high limbs of a product, exactly: z = floor(a b / B^low).
 *
 *   z    out  an + bn - low limbs, all written
 *   low  in   limbs of the product that are not wanted, low <= an + bn (else ARGUMENT)
 *
 * The rest is as for gfmul_mullow.   Cost: that of the product.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mulhigh(struct gfmul_ctx *ctx, mp_limb_t *z, size_t low, const mp_limb_t *a,
                                                           size_t an, const mp_limb_t *b, size_t bn);

/*
 * gfmul_mulmid - the middle product, as GMP's mpn_mulmid defines it.
 *
 *   z   out  an - bn + 3 limbs, all written
 *   a   in   an limbs, a_0 first
 *   b   in   bn limbs, an >= bn >= 1 (else ARGUMENT)
 *
 * Value:    the sum of a_i b_j B^(i + j - bn + 1) over all i and j with bn - 1 <= i + j < an.
 * Aliasing: z must not overlap a or b (OVERLAP).
 * Cost:     that of a product modulo B^an + 1.
 * Errors:   those of gfmul_mul.  On failure the contents of z are undefined.
 * Source:   [HQZ04].
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mulmid(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an,
                                                          const mp_limb_t *b, size_t bn);

/*
 * gfmul_mulmod_bnm1 - z = a b modulo B^n - 1.   gfmul_mulmod_bnp1 - z = a b modulo B^n + 1.
 *
 *   z   out  the least remainder: n limbs; modulo B^n + 1, n + 1 limbs, of which the highest is 0 unless z = B^n
 *   n   in   limbs, n >= 1
 *   a   in   an limbs, an <= n (else ARGUMENT)
 *   b   in   bn limbs, bn <= n (else ARGUMENT); the same number as a: a square
 *
 * Aliasing: z must not overlap a or b (OVERLAP).
 * Cost:     about half of a product of n by n limbs if n is one of gfmul_mulmod_bnm1_next_size or gfmul_mulmod_bnp1_next_size.
 *           For other n it may be that of the whole product.
 * Errors:   those of gfmul_mul.  On failure the contents of z are undefined.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mulmod_bnm1(struct gfmul_ctx *ctx, mp_limb_t *z, size_t n, const mp_limb_t *a,
                                                               size_t an, const mp_limb_t *b, size_t bn);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mulmod_bnp1(struct gfmul_ctx *ctx, mp_limb_t *z, size_t n, const mp_limb_t *a,
                                                               size_t an, const mp_limb_t *b, size_t bn);

/*
 * gfmul_mulmod_bnm1_next_size, gfmul_mulmod_bnp1_next_size - the n, not below this one, whose products cost least.
 *
 * The value depends on the options and the processor of the context.  It is n itself for short numbers, which need no transform,
 * and if the context makes whole products.  This is a call of its own, so its report replaces that of the call before.
 */
GFMUL_API size_t gfmul_mulmod_bnm1_next_size(struct gfmul_ctx *ctx, size_t n);
GFMUL_API size_t gfmul_mulmod_bnp1_next_size(struct gfmul_ctx *ctx, size_t n);

/*
 * gfmul_tdiv_qr - quotient and remainder: a = q d + r, 0 <= r < d.
 *
 *   q   out  an - dn + 1 limbs, all written
 *   r   out  dn limbs, all written; NULL: not wanted
 *   a   in   an limbs, an >= dn (else ARGUMENT)
 *   d   in   dn limbs, dn >= 1, the highest one not 0 (else ARGUMENT)
 *
 * Aliasing: neither result may overlap an operand or the other result (OVERLAP).
 * Cost:     about 2.5 products of dn by dn limbs for a quotient of dn limbs.  Below a crossover it is GMP's mpn_tdiv_qr.
 * Check:    each remainder is compared with the divisor.  Option verify MOD then checks a = q d + r modulo random primes.
 * Errors:   those of gfmul_mul.  On failure the contents of q and r are undefined.
 * Source:   [BZ10], section 4.2.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_tdiv_qr(struct gfmul_ctx *ctx, mp_limb_t *q, mp_limb_t *r, const mp_limb_t *a,
                                                           size_t an, const mp_limb_t *d, size_t dn);

/*
 * gfmul_divexact - a quotient without a remainder: q = a / d.
 *
 * The arguments are as for gfmul_tdiv_qr.  Only the highest limbs of a and d, as many as the quotient has, are divided.
 * Errors:   those of gfmul_tdiv_qr.  ARGUMENT: also if d does not divide a, which long numbers show, but with verify NONE not
 *           all do.  For short ones, which are GMP's, q is then undefined.  On failure the contents of q are undefined.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_divexact(struct gfmul_ctx *ctx, mp_limb_t *q, const mp_limb_t *a, size_t an,
                                                            const mp_limb_t *d, size_t dn);

/*
 * gfmul_invert_approx - an approximate inverse: z is about B^(2n) / d.
 *
 *   z   out  n + 1 limbs; |z - B^(2n) / d| < 2
 *   d   in   n limbs, n >= 1, the highest bit is 1 (else ARGUMENT)
 *
 * Aliasing: z must not overlap d (OVERLAP).   Cost: about 1.7 products of n by n limbs.
 * Errors:   those of gfmul_mul.  On failure the contents of z are undefined.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_invert_approx(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *d,
                                                                 size_t n);

/*
 * gfmul_divisor_create - prepare a divisor for many numbers: its inverse, and the transforms of both, are made once.
 *
 *   divisor  out  NULL on failure; end it with gfmul_divisor_destroy, before its context
 *   d        in   dn limbs, the highest one not 0 (else ARGUMENT); copied
 *   max_an   in   limbs of the numbers that will be divided.  Longer ones are divided as well, in more steps
 *
 * A quotient of a number of 2 dn limbs then takes about as long as a product of dn by dn limbs.
 * Errors:   those of gfmul_mul except OVERLAP.
 */
struct gfmul_divisor;
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_divisor_create(struct gfmul_ctx *ctx, struct gfmul_divisor **divisor,
                                                                  const mp_limb_t *d, size_t dn, size_t max_an);

/* gfmul_divisor_create_mpz - the same for an integer of any sign but 0. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_divisor_create_mpz(struct gfmul_ctx *ctx, struct gfmul_divisor **divisor,
                                                                      mpz_srcptr d, size_t max_an);

/* gfmul_divisor_tdiv_qr - gfmul_tdiv_qr by |d|.  Threads: any number may use one divisor at once. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_divisor_tdiv_qr(const struct gfmul_divisor *divisor, mp_limb_t *q,
                                                                   mp_limb_t *r, const mp_limb_t *a, size_t an);

/* gfmul_divisor_destroy - free a divisor.  NULL is allowed.  No division may be running on it. */
GFMUL_API void gfmul_divisor_destroy(struct gfmul_divisor *divisor);

/*
 * gfmul_mpz_tdiv_qr - quotient, rounded towards zero, and remainder, as mpz_tdiv_qr.
 * gfmul_divisor_mpz_tdiv_qr - the same by a divisor.   gfmul_mpz_divexact - q = a / d, as mpz_divexact.
 *
 *   q, r  out  one of them may be NULL, not both (ARGUMENT); not the same integer (OVERLAP).  They may be a or d
 *
 * Errors:   those of gfmul_tdiv_qr.  ARGUMENT: also if d = 0.  On failure q and r keep their values.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mpz_tdiv_qr(struct gfmul_ctx *ctx, mpz_ptr q, mpz_ptr r, mpz_srcptr a,
                                                               mpz_srcptr d);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_divisor_mpz_tdiv_qr(const struct gfmul_divisor *divisor, mpz_ptr q, mpz_ptr r,
                                                                       mpz_srcptr a);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mpz_divexact(struct gfmul_ctx *ctx, mpz_ptr q, mpz_srcptr a, mpz_srcptr d);

/*
 * gfmul_sqrtrem - the square root, rounded down, and its remainder: a = s^2 + r, 0 <= r <= 2 s.
 *
 *   s   out  (an + 1) / 2 limbs, all written
 *   r   out  (an + 1) / 2 + 1 limbs, all written
 *   a   in   an limbs, an >= 1; the highest ones may be 0
 *
 * Aliasing: neither result may overlap a or the other result (OVERLAP).
 * Cost:     about 3 products of n by n limbs for a root of n limbs.  Below a crossover it is GMP's mpn_sqrtrem.
 * Check:    r is compared with 2 s.  Option verify MOD then checks a = s^2 + r modulo random primes.
 * Errors:   those of gfmul_mul.  On failure the contents of s and r are undefined.
 * Source:   [Zim99].
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_sqrtrem(struct gfmul_ctx *ctx, mp_limb_t *s, mp_limb_t *r, const mp_limb_t *a,
                                                           size_t an);

/*
 * gfmul_mpz_sqrtrem - the same for an integer, as mpz_sqrtrem.
 *
 *   s  out  may be a
 *   r  out  NULL: not wanted; may be a, but not s (OVERLAP)
 *
 * Errors:   those of gfmul_sqrtrem.  ARGUMENT: also if a < 0.  On failure s and r keep their values.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mpz_sqrtrem(struct gfmul_ctx *ctx, mpz_ptr s, mpz_ptr r, mpz_srcptr a);

/*
 * gfmul_powm - a power modulo a number: z = a^e mod m.
 *
 *   z   out  mn limbs, all written: the least remainder
 *   a   in   an limbs, an >= 0
 *   e   in   en limbs, en >= 0; 0^0 is 1
 *   m   in   mn limbs, mn >= 1, the highest one not 0 (else ARGUMENT); even or odd
 *
 * Aliasing: z must not overlap a, e or m (OVERLAP).
 * Cost:     about 1.2 squares and quotients by a kept divisor for each bit of e, each 1.7 products of mn by mn limbs.
 *           Below a crossover it is GMP's mpz_powm, which reports no progress and cannot be stopped.
 * Memory:   up to 512 numbers of mn limbs; fewer for short exponents, and if memory_limit leaves no room for them.
 * Check:    each remainder is compared with m.  Option verify MOD then checks each product and quotient modulo random primes.
 * Errors:   those of gfmul_mul.  On failure the contents of z are undefined.
 * Time:     it depends on the numbers, so do not use it with secret ones.
 * Source:   [BZ10], section 2.6.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_powm(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an,
                                                        const mp_limb_t *e, size_t en, const mp_limb_t *m, size_t mn);

/*
 * gfmul_mpz_powm - the same for integers, as mpz_powm: z is in [0, |m|).
 *
 *   z  out  may be a, e or m
 *   e  in   below 0: a power of 1 / a modulo m (ARGUMENT if there is none)
 *
 * Errors:   those of gfmul_powm.  ARGUMENT: also if m = 0.  On failure z keeps its value.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mpz_powm(struct gfmul_ctx *ctx, mpz_ptr z, mpz_srcptr a, mpz_srcptr e,
                                                            mpz_srcptr m);

/*
 * gfmul_modulus_create - prepare a modulus for many powers: its inverse and the transforms are made once.
 * gfmul_modulus_create_mpz - the same for an integer of any sign but 0.
 *
 *   modulus  out  NULL on failure; end it with gfmul_modulus_destroy, before its context
 *   m        in   mn limbs, the highest one not 0 (else ARGUMENT); copied
 *
 * Errors:   those of gfmul_mul except OVERLAP.
 */
struct gfmul_modulus;
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_modulus_create(struct gfmul_ctx *ctx, struct gfmul_modulus **modulus,
                                                                  const mp_limb_t *m, size_t mn);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_modulus_create_mpz(struct gfmul_ctx *ctx, struct gfmul_modulus **modulus,
                                                                      mpz_srcptr m);

/*
 * gfmul_modulus_powm - gfmul_powm by a kept modulus.   gfmul_modulus_mpz_powm - gfmul_mpz_powm by one.
 * Threads: any number may use one modulus at once.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_modulus_powm(const struct gfmul_modulus *modulus, mp_limb_t *z,
                                                                const mp_limb_t *a, size_t an, const mp_limb_t *e, size_t en);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_modulus_mpz_powm(const struct gfmul_modulus *modulus, mpz_ptr z, mpz_srcptr a,
                                                                    mpz_srcptr e);

/* gfmul_modulus_destroy - free a modulus.  NULL is allowed.  No power may be running on it. */
GFMUL_API void gfmul_modulus_destroy(struct gfmul_modulus *modulus);

/*
 * gfmul_mpz_prod - the product of n integers, by a tree.
 *
 *   z  out  may be one of a; 1 if n = 0
 *   a  in   an array of n integers, of any signs
 *
 * Cost:     log2(n) levels of products.  The threads share the products of short numbers.
 * Errors:   those of gfmul_mul.  On failure z keeps its value.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mpz_prod(struct gfmul_ctx *ctx, mpz_ptr z, mpz_srcptr a, size_t n);

/*
 * gfmul_product_tree - keep the tree of products of n moduli, for remainders modulo all of them.
 *
 *   tree  out  NULL on failure; end it with gfmul_tree_destroy, before its context
 *   m     in   an array of n >= 1 integers, of any signs, none of them 0 (else ARGUMENT); copied
 *
 * Memory:   1 + log2(n) times that of the moduli, rounded up.
 * Errors:   those of gfmul_mul except OVERLAP.
 */
struct gfmul_tree;
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_product_tree(struct gfmul_ctx *ctx, struct gfmul_tree **tree, mpz_srcptr m,
                                                                size_t n);

/*
 * gfmul_tree_product - z = |m_0 m_1 ... m_(n-1)|.
 * Threads:  any number may use one tree at once.   Errors: ARGUMENT, SIZE, MEMORY.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_tree_product(const struct gfmul_tree *tree, mpz_ptr z);

/*
 * gfmul_remainder_tree - the remainders of a number modulo all moduli of a tree.
 *
 *   r  out  an array of n integers: r_i = a mod |m_i|, in [0, |m_i|), as mpz_mod.  It may be the array of the moduli, or have a.
 *           GMP allocates for r_i only if that has less room than m_i has limbs
 *   a  in   any integer
 *
 * Cost:     a quotient by the product of all moduli, and for each level of the tree about what the level's products took.
 * Check:    each remainder is found next to an integer, which a wrong product would miss; option verify has no other check here.
 * Threads:  any number may use one tree at once.
 * Errors:   those of gfmul_mul.  VERIFY: also if that check fails.  On failure r keeps its values.
 * Source:   [Ber04s].
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_remainder_tree(const struct gfmul_tree *tree, mpz_ptr r, mpz_srcptr a);

/* gfmul_tree_destroy - free a tree.  NULL is allowed.  No call may be running on it. */
GFMUL_API void gfmul_tree_destroy(struct gfmul_tree *tree);

/*
 * gfmul_batch_gcd - for each of n moduli, what it has in common with the product of all others.
 *
 *   g  out  an array of n integers: g_i = gcd(|m_i|, product of all other |m_j|); it may be m.
 *           GMP allocates for g_i as for r_i of gfmul_remainder_tree
 *   m  in   an array of n integers, none of them 0 (else ARGUMENT)
 *
 * For keys of RSA, g_i > 1 means that another key shares a prime with key i; if g_i = |m_i|, both primes are shared.
 * Value:    if n = 1, g_0 = 1.  n = 0 is allowed.
 * Cost:     a tree of products, one of their sums, one of remainders; and n greatest common divisors by GMP.
 * Memory:   4 + log2(n) times that of the moduli.
 * Errors:   those of gfmul_remainder_tree.  On failure g keeps its values.
 * Source:   [HDWH12]; [Ber04s].  Instead of remainders modulo the squares, those of the sum of all cofactors are taken.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_batch_gcd(struct gfmul_ctx *ctx, mpz_ptr g, mpz_srcptr m, size_t n);

/*
 * gfmul_get_str - a number as text.
 *
 *   z       out  z_size bytes: digits in lower case without leading zeros, NUL
 *   z_len   out  characters written, without the NUL; may be NULL
 *   base    in   2..36 (else ARGUMENT)
 *   a       in   an limbs, an >= 0
 *
 * Size:     z_size >= gfmul_get_str_size(an, base) is always enough.  ARGUMENT if it is too small.
 * Aliasing: z must not overlap a.
 * Cost:     some 8 products of half the length for 1e7 digits, O(log N) of them.  Below a crossover it is GMP's mpn_get_str.
 * Check:    option verify MOD compares text and number modulo random primes.
 * Errors:   those of gfmul_mul.  On failure the contents of z are undefined.
 * Source:   [BZ10], section 1.7, and radix_out.c, which has the bound of the fractions.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_get_str(struct gfmul_ctx *ctx, char *z, size_t z_size, size_t *z_len, int base,
                                                           const mp_limb_t *a, size_t an);

/* gfmul_mpz_get_str - the same for an integer, "-" first if it is negative. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mpz_get_str(struct gfmul_ctx *ctx, char *z, size_t z_size, size_t *z_len,
                                                               int base, mpz_srcptr a);

/* gfmul_get_str_size - the most bytes that an limbs need, with a sign and the NUL.  0 if that overflows size_t. */
GFMUL_API size_t gfmul_get_str_size(size_t an, int base);

/*
 * gfmul_set_str - a number from text.
 *
 *   z         out  the number; the limbs above it are not written
 *   z_limbs   in   room at z; gfmul_set_str_limbs(len, base) limbs are always enough.  ARGUMENT if the number has more
 *   zn        out  limbs of the number, the highest one not 0; 0 for zero
 *   negative  out  1 if it is below 0, else 0; may be NULL if the sign is not wanted
 *   text      in   len characters, not NUL-terminated, as for gfmul_str_mul
 *   base      in   2..36, or 0: by the prefix 0x, 0o or 0b, else 10
 *
 * Aliasing: z must not overlap the text.
 * Cost:     some 5 products of half the length for 1e7 digits, O(log N) of them.  Below a crossover it is GMP's mpn_set_str.
 * Check:    as for gfmul_get_str.
 * Errors:   those of gfmul_mul.  SYNTAX, EMPTY: the report has the position.  On failure the contents of z are undefined.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_set_str(struct gfmul_ctx *ctx, mp_limb_t *z, size_t z_limbs, size_t *zn,
                                                           int *negative, const char *text, size_t len, int base);

/* gfmul_mpz_set_str - the same for an integer.  On failure z keeps its value. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mpz_set_str(struct gfmul_ctx *ctx, mpz_ptr z, const char *text, size_t len,
                                                               int base);

/* gfmul_set_str_limbs - the most limbs that a number of len characters needs.  0 if their bits overflow size_t. */
GFMUL_API size_t gfmul_set_str_limbs(size_t len, int base);

/*
 * Spaces and spectra - sums of products with transforms that are kept.
 *
 * A spectrum is a place for an integer or for a sum of products, in a space.  A factor is transformed when a sum is read that it
 * occurs in, and it keeps its transform while it is the value of a spectrum.  A sum is transformed back once, when it is read or
 * becomes a factor itself.  It keeps its value then, so reading it again costs a copy.
 *
 * So a b + c d takes five transforms, not six, and three if a and c have their transforms already.  If b is not needed any more,
 * set its spectrum to another value, or end it, before you read the sum: its transform then need not be kept.
 *
 * A space is in double or modulo primes, whichever is faster at its length; option precision decides otherwise.  Modulo primes
 * all is exact.  In double, sums are proved as products are: if the norms of the factors do not prove a sum, it is made again
 * with smaller digits.  With option verify MOD each value is also checked modulo the context's random primes.  A context with an
 * option of the list above makes all products of a space one by one.
 *
 * On a device: if the context names a device (option device), a space of gfmul_space_create is on it.
 *
 *   - Factors of up to limbs / 2 + 1 limbs are transformed on the device, and their transforms stay there.  So do sums of their
 *     products, which may be factors again.
 *   - Numbers may be set from the device, and values may go there.
 *   - Sums and differences of numbers on the device, and multiples of them by integers below 2^31, are made on the device, too.
 *   - Other products are made one by one, as gfmul_mul makes them, and added on the host.
 *   - If the device's memory is short, fewer transforms are kept, and some sums are added on the host.
 *
 * Such a space has one plan, which is proved for all numbers.  It is in double or, with precision PRIME, modulo primes.  AUTO
 * takes the one that costs less on a GPU, and primes on a device without fp64.  Some spaces are not on the device, and make all
 * products one by one:
 *
 *   - short spaces: without option engine OPENCL, those below some 600 limbs, because their products are GMP's;
 *   - spaces of remainders;
 *   - spaces modulo primes, if their limbs, times 16 or as many products as there are if these are fewer, are too much for the
 *     primes.  5e7 never are, and 5e8 always; the limit depends on the length and the device;
 *   - spaces with other options than precision AUTO, DOUBLE or PRIME, rule NORM, verify MOD or NONE, packing AUTO (in double
 *     also RIGHT_ANGLE), and no certificate.
 *
 * Aliasing: a result may be an operand of the same function.
 * Threads:  any number may use a space and its spectra at once.  A spectrum that one of them changes is that thread's alone.
 *           Reading does not count as a change.
 * Errors:   those of gfmul_mul.  ARGUMENT: also for spectra of two spaces.  SIZE: a value has more limbs than results of the
 *           space, or a product over 32 bits more.  After an error all spectra keep their values.
 * Source:   doc/error-bound.md, section 23.
 */
struct gfmul_space;
struct gfmul_spectrum;

/*
 * gfmul_space_create - a space for results of up to so many limbs.
 *
 *   space         out  NULL on failure; end it with gfmul_space_destroy, after its spectra and before its context
 *   limbs         in   limbs >= 1: all values are below B^limbs, and so is a product of two of them
 *   max_products  in   1 to 65536: sums of up to so many products are transformed back once.  A longer sum is evaluated in
 *                      between.  Digits are the shorter, the more products there may be
 *
 * Cost:   that of planning, and of the tables of two transforms.   Errors: those of gfmul_mul.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_space_create(struct gfmul_ctx *ctx, struct gfmul_space **space, size_t limbs,
                                                                size_t max_products);
GFMUL_API void gfmul_space_destroy(struct gfmul_space *space); /* NULL is allowed */

/*
 * gfmul_space_create_bnm1 - a space of remainders modulo B^n - 1.   gfmul_space_create_bnp1 - modulo B^n + 1.
 *
 *   space         out  as for gfmul_space_create
 *   n             in   limbs, n >= 1
 *   max_products  in   as for gfmul_space_create
 *
 * Numbers of any length and sign may be set, and no product is too long.  gfmul_spectrum_get gives the least remainder, as
 * gfmul_mulmod_bnm1 does: it is never negative, has up to n limbs, and is below B^n - 1.  Modulo B^n + 1 it may be B^n, which has
 * n + 1.
 *
 * Cost:   transforms of half the length of those for whole products, if n is one of gfmul_space_bnm1_next_size or
 *         gfmul_space_bnp1_next_size.  For other n sums are made whole and then reduced.
 * Check:  sums that come back reduced rest on the proof alone, because residues modulo random primes cannot be taken of them.
 * Errors: those of gfmul_space_create.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_space_create_bnm1(struct gfmul_ctx *ctx, struct gfmul_space **space, size_t n,
                                                                     size_t max_products);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_space_create_bnp1(struct gfmul_ctx *ctx, struct gfmul_space **space, size_t n,
                                                                     size_t max_products);

/*
 * gfmul_space_bnm1_next_size, gfmul_space_bnp1_next_size - the n, not below this one, whose spaces cost least.
 *
 * They may differ from gfmul_mulmod_bnm1_next_size and gfmul_mulmod_bnp1_next_size, because sums need shorter digits.  The value
 * depends on the options and the processor of the context.  It is n itself if the arguments are invalid.
 */
GFMUL_API size_t gfmul_space_bnm1_next_size(struct gfmul_ctx *ctx, size_t n, size_t max_products);
GFMUL_API size_t gfmul_space_bnp1_next_size(struct gfmul_ctx *ctx, size_t n, size_t max_products);

/*
 * gfmul_space_limbs - the most limbs of a result, so modulo B^n + 1 it is n + 1.  0 for NULL.
 * gfmul_space_bytes - memory of all numbers and transforms now, on the host and on a device.  0 for NULL.
 * gfmul_space_trim - free what no spectrum uses.  Until then a space keeps the memory of its transforms for the next ones.
 */
GFMUL_API size_t gfmul_space_limbs(const struct gfmul_space *space);
GFMUL_API size_t gfmul_space_bytes(const struct gfmul_space *space);
GFMUL_API void gfmul_space_trim(struct gfmul_space *space);

/* gfmul_spectrum_create - a spectrum of value 0; end it with gfmul_spectrum_destroy.   Errors: ARGUMENT, MEMORY. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_create(struct gfmul_space *space, struct gfmul_spectrum **x);
GFMUL_API void gfmul_spectrum_destroy(struct gfmul_spectrum *x); /* NULL is allowed */

/*
 * gfmul_spectrum_set - x becomes a number of an limbs, an >= 0, which is copied.   gfmul_spectrum_set_mpz - an integer.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_set(struct gfmul_spectrum *x, const mp_limb_t *a, size_t an);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_set_mpz(struct gfmul_spectrum *x, mpz_srcptr a);

/*
 * gfmul_spectrum_get - the value of x.  A sum is transformed back now, and x keeps its value.
 *
 *   z         out  zn limbs, all written: the magnitude.  gfmul_space_limbs limbs are always enough.  ARGUMENT if zn is too small
 *   negative  out  1 if x < 0, else 0; may be NULL if the sign is not wanted
 *
 * gfmul_spectrum_get_mpz - the same into an integer.  On failure z keeps its value.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_get(struct gfmul_spectrum *x, mp_limb_t *z, size_t zn,
                                                                int *negative);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_get_mpz(struct gfmul_spectrum *x, mpz_ptr z);

/*
 * gfmul_spectrum_set_str - x becomes a number from text, which is read as by gfmul_set_str.
 *
 *   text  in  len characters, not NUL-terminated, as for gfmul_str_mul
 *   base  in  2..36, or 0: by the prefix 0x, 0o or 0b, else 10
 *
 * gfmul_spectrum_get_str - the value of x as text, "-" first if it is negative, as gfmul_get_str.
 *
 *   z      out  z_size bytes: digits in lower case without leading zeros, NUL
 *   z_len  out  characters written, without the NUL; may be NULL
 *   base   in   2..36 (else ARGUMENT)
 *
 * Size:   z_size >= gfmul_get_str_size(gfmul_space_limbs(space), base) is always enough.  ARGUMENT if it is too small.
 * Cost:   a conversion, as gfmul_set_str or gfmul_get_str.  x does not keep the text.
 * Check:  option verify MOD compares text and number modulo random primes, also in spaces of remainders.
 * Errors: SYNTAX, EMPTY: the report has the position.  On failure x keeps its value, and the contents of z are undefined.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_set_str(struct gfmul_spectrum *x, const char *text, size_t len,
                                                                    int base);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_get_str(struct gfmul_spectrum *x, char *z, size_t z_size,
                                                                    size_t *z_len, int base);

/*
 * gfmul_spectrum_set_device - x becomes a number on the device of the space.
 * gfmul_spectrum_get_device - the value of x into a number on that device, as gfmul_spectrum_get.
 *
 *   a         in   a number that gfmul_device_operand_create made in the space's context
 *   z         out  likewise, with room for the value.  On failure its value is undefined
 *   negative  out  1 if x < 0, else 0; may be NULL if the sign is not wanted
 *
 * The number and the spectrum may share memory afterwards.  If the number then gets another value, it takes new memory, and fails
 * with DEVICE if there is none.
 * Errors: UNSUPPORTED: the space is not on a device.  ARGUMENT: the number is of another context, or has no room.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_set_device(struct gfmul_spectrum *x,
                                                                       const struct gfmul_device_operand *a);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_get_device(struct gfmul_spectrum *x, struct gfmul_device_operand *z,
                                                                       int *negative);

/*
 * gfmul_spectrum_copy - z = x.   gfmul_spectrum_neg - z = -x.   gfmul_spectrum_add - z = x + y.   gfmul_spectrum_sub - z = x - y.
 *
 * Transforms are shared, not copied.  The sum of two numbers that have transforms gets its own by adding those, unless one of
 * them is such a sum itself.
 * Cost: a pass over the limbs; O(1) for each product of a sum.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_copy(struct gfmul_spectrum *z, struct gfmul_spectrum *x);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_neg(struct gfmul_spectrum *z, struct gfmul_spectrum *x);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_add(struct gfmul_spectrum *z, struct gfmul_spectrum *x,
                                                                struct gfmul_spectrum *y);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_sub(struct gfmul_spectrum *z, struct gfmul_spectrum *x,
                                                                struct gfmul_spectrum *y);

/*
 * gfmul_spectrum_mul - z = x y.   gfmul_spectrum_sqr - z = x^2.
 * gfmul_spectrum_addmul - z = z + x y.   gfmul_spectrum_submul - z = z - x y.
 *
 * If x or y is a sum of products, it is evaluated first.  The product itself is only noted.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_mul(struct gfmul_spectrum *z, struct gfmul_spectrum *x,
                                                                struct gfmul_spectrum *y);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_sqr(struct gfmul_spectrum *z, struct gfmul_spectrum *x);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_addmul(struct gfmul_spectrum *z, struct gfmul_spectrum *x,
                                                                   struct gfmul_spectrum *y);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_submul(struct gfmul_spectrum *z, struct gfmul_spectrum *x,
                                                                   struct gfmul_spectrum *y);

/*
 * gfmul_spectrum_dot - z = x[0] y[0] + .. + x[n-1] y[n-1], n >= 0, as so many calls of gfmul_spectrum_addmul.
 *
 * gfmul_spectrum_matmul - Z = X Y, matrices stored row by row.  Each entry of Z is evaluated.
 *
 *   z  out  rows columns spectra, none of them twice (not checked); rows, columns >= 1
 *   x  in   rows inner spectra, inner >= 0;  y  in  inner columns spectra
 *
 * Threads: they share the factors and the entries, if there are enough and the space is for at most 65536 limbs.  Otherwise, and
 *          under a memory limit, they share the parts of each transform.
 * Memory:  transforms of all factors, which are kept, and of up to 64 entries, or of fewer if memory is short.  Without a memory
 *          limit, large matrices have more entries at once, up to 1024, and at most an eighth of the number of factors.  Each
 *          thread takes up to 0.8 MB more for 64 entries, 2.3 MB for 1024.
 * Cost:    an entry 0 costs as much as another one, or less: if two thirds of the products have a factor 0, they are left out.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_dot(struct gfmul_spectrum *z, struct gfmul_spectrum *const *x,
                                                                struct gfmul_spectrum *const *y, size_t n);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_spectrum_matmul(struct gfmul_spectrum *const *z,
                                                                   struct gfmul_spectrum *const *x,
                                                                   struct gfmul_spectrum *const *y, size_t rows, size_t inner,
                                                                   size_t columns);

#ifdef __cplusplus
}
#endif
#endif
