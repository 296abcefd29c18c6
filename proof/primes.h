/*
 * primes.h - Gappa scripts of products modulo primes: the field's operations, and the ranges of all that is made of them.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_PROOF_PRIMES_H
#define GFMUL_PROOF_PRIMES_H

void prove_field_fma(void);
void prove_field_plain(void);

/* check_difference - field_difference itself, tried. */
void check_difference(void);
void prove_ranges_fma(void);
void prove_ranges_plain(void);

/* prove_ranges_short, prove_ranges_short_fma - short products by vectors; they end the program where a range does not hold. */
void prove_ranges_short(void);
void prove_ranges_short_fma(void);

#endif
