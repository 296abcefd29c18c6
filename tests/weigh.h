/* weigh.h - numbers from the coefficients of a convolution, by GMP's integers. */
#ifndef GFMUL_WEIGH_H
#define GFMUL_WEIGH_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

/* ref_weigh - z = sum of v_j B^j, 0 <= j < n: by halves. */
static inline void ref_weigh(mpz_t z, const int64_t *v, size_t n, uint64_t digit_base)
{
    if (n <= 16) {
        mpz_set_ui(z, 0);
        while (n-- > 0) {
            mpz_mul_ui(z, z, digit_base);
            if (v[n] >= 0)
                mpz_add_ui(z, z, (unsigned long)v[n]);
            else
                mpz_sub_ui(z, z, -(unsigned long)v[n]);
        }
        return;
    }
    const size_t low = n / 2;
    mpz_t high, power;
    mpz_inits(high, power, NULL);
    ref_weigh(high, v + low, n - low, digit_base);
    mpz_ui_pow_ui(power, digit_base, low);
    mpz_mul(high, high, power);
    ref_weigh(z, v, low, digit_base);
    mpz_add(z, z, high);
    mpz_clears(high, power, NULL);
}

#endif
