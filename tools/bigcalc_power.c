/*
 * bigcalc_power.c - powers.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <limits.h>
#include <math.h>

#include "bigcalc.h"

/* Bits of the longest mpz_t of GMP: 2^31 - 1 limbs. */
static const double bits_most = 0x1p37 - 64;

/* z = a^exponent for an odd a, by squaring from the highest bit of the exponent on. */
static enum gfmul_status odd_power(struct evaluation *e, mpz_ptr z, mpz_srcptr a, unsigned long exponent, double from,
                                   double share)
{
    int bit = (int)(sizeof exponent * CHAR_BIT) - 1;
    enum gfmul_status status = GFMUL_OK;

    while (!(exponent >> bit & 1))
        bit--;
    mpz_set(z, a);
    for (bit--; bit >= 0 && status == GFMUL_OK; bit--) {
        /* each square takes about twice the time of that before */
        const double first = bit + 1 < 60 ? ldexp(share, -bit - 1) : 0;
        progress_part(from + first, first);
        status = gfmul_mpz_mul(e->ctx, z, z, z);
        if (status == GFMUL_OK && (exponent >> bit & 1))
            status = gfmul_mpz_mul(e->ctx, z, z, a);
    }
    return status;
}

enum gfmul_status power_evaluate(struct evaluation *e, mpz_ptr z, mpz_srcptr a, mpz_srcptr exponent, const char **why,
                                 double from, double share)
{
    if (mpz_sgn(exponent) < 0) {
        *why = "a negative exponent";
        return GFMUL_OK;
    }
    if (mpz_sgn(exponent) == 0 || mpz_sgn(a) == 0) {
        mpz_set_ui(z, mpz_sgn(exponent) == 0);
        return GFMUL_OK;
    }
    /* a = odd 2^twos, so that powers of 2, and half of those of 10, are shifts */
    mpz_t odd;
    mpz_init(odd);
    const mp_bitcnt_t twos = mpz_scan1(a, 0);
    mpz_tdiv_q_2exp(odd, a, twos);
    const double n = mpz_get_d(exponent);
    const size_t odd_bits = mpz_sizeinbase(odd, 2);
    enum gfmul_status status = GFMUL_OK;
    if ((double)((odd_bits > 1 ? odd_bits : 0) + twos) * n > bits_most)
        status = GFMUL_ERR_SIZE;
    else if (odd_bits == 1)
        mpz_set_si(z, mpz_sgn(odd) < 0 && mpz_odd_p(exponent) ? -1 : 1);
    else
        status = odd_power(e, z, odd, mpz_get_ui(exponent), from, share);
    mpz_clear(odd);
    if (status == GFMUL_OK && twos > 0)
        mpz_mul_2exp(z, z, twos * mpz_get_ui(exponent));
    return status;
}
