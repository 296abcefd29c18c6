/*
 * fixed_operand.c - powers modulo a fixed number: its products share two operands, which are transformed once.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Build:  cc fixed_operand.c -o fixed_operand $(pkg-config --cflags --libs gfmul)
 *
 * Prints 7^(2^k) modulo m = 2^100000 + 3^50000, each square reduced with the fixed operands 1/m (Barrett) and m.
 */
#include <gfmul.h>
#include <stdio.h>

enum { STEPS = 20 };

/* reduce - x = x mod m, 0 <= x < m^2; inverse is floor(2^(2 bits) / m), bits the length of m. */
static enum gfmul_status reduce(struct gfmul_operand *inverse, struct gfmul_operand *m_fixed, mpz_t x, const mpz_t m, mpz_t t)
{
    const mp_bitcnt_t bits = mpz_sizeinbase(m, 2);
    mpz_tdiv_q_2exp(t, x, bits - 1);
    enum gfmul_status status = gfmul_operand_mul_mpz(inverse, t, t);
    mpz_tdiv_q_2exp(t, t, bits + 1);
    if (status == GFMUL_OK)
        status = gfmul_operand_mul_mpz(m_fixed, t, t);
    mpz_sub(x, x, t);
    while (status == GFMUL_OK && mpz_cmp(x, m) >= 0) /* twice at most */
        mpz_sub(x, x, m);
    return status;
}

int main(void)
{
    mpz_t m, inverse, x, t;
    struct gfmul_operand *inverse_fixed = NULL, *m_fixed = NULL;
    mpz_inits(m, inverse, x, t, NULL);
    mpz_ui_pow_ui(m, 3, 50000);
    mpz_setbit(m, 100000);
    mpz_setbit(inverse, 2 * mpz_sizeinbase(m, 2));
    mpz_tdiv_q(inverse, inverse, m);

    const size_t limbs = mpz_size(m) + 1;
    enum gfmul_status status = gfmul_operand_create_mpz(NULL, &inverse_fixed, inverse, limbs);
    if (status == GFMUL_OK)
        status = gfmul_operand_create_mpz(NULL, &m_fixed, m, limbs);
    mpz_set_ui(x, 7);
    for (int k = 0; k < STEPS && status == GFMUL_OK; k++) {
        status = gfmul_mpz_mul(NULL, x, x, x);
        if (status == GFMUL_OK)
            status = reduce(inverse_fixed, m_fixed, x, m, t);
    }

    mpz_set_ui(t, 7);
    mpz_set_ui(inverse, 1ul << STEPS);
    mpz_powm(t, t, inverse, m);
    if (status != GFMUL_OK)
        fprintf(stderr, "fixed_operand: %s\n", gfmul_strerror(status));
    else
        printf("7^(2^%d) mod m: %s GMP's\n", STEPS, mpz_cmp(x, t) == 0 ? "the same as" : "NOT");
    const int failed = status != GFMUL_OK || mpz_cmp(x, t) != 0;
    gfmul_operand_destroy(m_fixed);
    gfmul_operand_destroy(inverse_fixed);
    mpz_clears(m, inverse, x, t, NULL);
    return failed;
}
