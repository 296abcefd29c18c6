/*
 * pi.c - digits of pi by Chudnovsky's series and binary splitting: products, a quotient, a root and text by gfmul.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Build:  cc pi.c -o pi $(pkg-config --cflags --libs gfmul)
 *
 * Prints 3 and so many digits (1000) behind it, without a point.  The last ten that are computed are not printed.
 */
#include <gfmul_arith.h>
#include <stdio.h>
#include <stdlib.h>

enum { GUARD_DIGITS = 10 };

#define TRY(call)                             \
    do {                                      \
        const enum gfmul_status s_ = (call);  \
        if (s_ != GFMUL_OK)                   \
            return s_;                        \
    } while (0)

/* The terms a .. b - 1 of the series: their sum is t / q, and p leads to the next ones. */
struct terms {
    mpz_t p, q, t;
};

/* multiply - z = a b by gfmul. */
static enum gfmul_status multiply(mpz_t z, const mpz_t a, const mpz_t b)
{
    return gfmul_mpz_mul(NULL, z, a, b);
}

/* term_set - the term a. */
static void term_set(struct terms *x, unsigned long a)
{
    mpz_set_ui(x->p, 1);
    mpz_set_ui(x->q, 1);
    if (a > 0) {
        mpz_set_ui(x->p, 6 * a - 5);
        mpz_mul_ui(x->p, x->p, 2 * a - 1);
        mpz_mul_ui(x->p, x->p, 6 * a - 1);
        mpz_ui_pow_ui(x->q, a, 3);
        mpz_mul_ui(x->q, x->q, 10939058860032000); /* 640320^3 / 24 */
    }
    mpz_mul_ui(x->t, x->p, 13591409 + 545140134 * a);
    if (a % 2)
        mpz_neg(x->t, x->t);
}

/* terms_join - x = the terms of x and those of y behind them. */
static enum gfmul_status terms_join(struct terms *x, struct terms *y)
{
    TRY(multiply(x->t, x->t, y->q));
    TRY(multiply(y->t, y->t, x->p));
    mpz_add(x->t, x->t, y->t);
    TRY(multiply(x->q, x->q, y->q));
    return multiply(x->p, x->p, y->p);
}

/* terms_sum - the terms from .. to - 1. */
static enum gfmul_status terms_sum(struct terms *x, unsigned long from, unsigned long to)
{
    struct terms y;
    if (to - from == 1) {
        term_set(x, from);
        return GFMUL_OK;
    }
    TRY(terms_sum(x, from, from + (to - from) / 2));
    mpz_inits(y.p, y.q, y.t, NULL);
    enum gfmul_status status = terms_sum(&y, from + (to - from) / 2, to);
    if (status == GFMUL_OK)
        status = terms_join(x, &y);
    mpz_clears(y.p, y.q, y.t, NULL);
    return status;
}

/* power_of_ten - z = 10^n. */
static enum gfmul_status power_of_ten(mpz_t z, unsigned long n)
{
    if (n < 20) {
        mpz_ui_pow_ui(z, 10, n);
        return GFMUL_OK;
    }
    TRY(power_of_ten(z, n / 2));
    TRY(multiply(z, z, z));
    if (n % 2)
        mpz_mul_ui(z, z, 10);
    return GFMUL_OK;
}

/* pi_times - z = floor(pi 10^digits), or a little less. */
static enum gfmul_status pi_times(mpz_t z, struct terms *x, unsigned long digits)
{
    TRY(terms_sum(x, 0, digits / 14 + 2)); /* a term has more than 14 digits */
    TRY(power_of_ten(z, digits));
    TRY(multiply(z, z, z));
    mpz_mul_ui(z, z, 10005);
    TRY(gfmul_mpz_sqrtrem(NULL, z, NULL, z));
    mpz_mul_ui(x->q, x->q, 426880);
    TRY(multiply(z, z, x->q));
    return gfmul_mpz_tdiv_qr(NULL, z, NULL, z, x->t);
}

/* text_print - the digits, as far as they are sure. */
static enum gfmul_status text_print(const mpz_t z)
{
    const size_t size = gfmul_get_str_size(mpz_size(z), 10);
    size_t n = 0;
    char *text = malloc(size);
    enum gfmul_status status = text ? gfmul_mpz_get_str(NULL, text, size, &n, 10, z) : GFMUL_ERR_MEMORY;
    if (status == GFMUL_OK && fwrite(text, 1, n - GUARD_DIGITS, stdout) == n - GUARD_DIGITS)
        putchar('\n');
    free(text);
    return status;
}

int main(int argc, char **argv)
{
    const unsigned long digits = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    struct terms x;
    mpz_t z;
    mpz_inits(z, x.p, x.q, x.t, NULL);
    enum gfmul_status status = pi_times(z, &x, digits + GUARD_DIGITS);
    if (status == GFMUL_OK)
        status = text_print(z);
    mpz_clears(z, x.p, x.q, x.t, NULL);
    if (status != GFMUL_OK)
        fprintf(stderr, "pi: %s\n", gfmul_strerror(status));
    return status == GFMUL_OK && fclose(stdout) == 0 ? 0 : 1;
}
