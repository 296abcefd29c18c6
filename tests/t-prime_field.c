/* t-prime_field.c - the primes and their arithmetic, on every instruction set, against GMP. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "prime/prime_plan.h"
#include "test.h"

enum { BATCH = 64 };

static void test_primes(void)
{
    mpz_t p, g;
    mpz_inits(p, g, NULL);
    for (unsigned i = 0; i < PRIME_COUNT; i++) {
        const struct prime *prime = &prime_table[i];
        mpz_set_ui(p, prime->p);
        TEST_CHECK(mpz_probab_prime_p(p, 40));
        TEST_CHECK((double)prime->p < PRIME_LIMIT && (prime->p - 1) % ((UINT64_C(105)) << PRIME_LEVELS) == 0);
        TEST_CHECK(i == 0 || prime->p < prime_table[i - 1].p);
        TEST_CHECK((double)prime_table[0].p < 1.155 * (double)prime->p); /* prime_join.h: mixed digits */
        TEST_CHECK(0x1p48 < (double)prime->p / 2);                       /* prime_columns.h: a factor of digits */
        uint64_t left = prime->p - 1;
        for (uint64_t q = 2; left > 1; q++) { /* the generator has the full order */
            if (left % q != 0)
                continue;
            while (left % q == 0)
                left /= q;
            mpz_set_ui(g, prime->generator);
            mpz_powm_ui(g, g, (prime->p - 1) / q, p);
            TEST_CHECK(mpz_cmp_ui(g, 1) != 0);
        }
        const uint64_t root = prime_root(prime, (size_t)105 << 20);
        TEST_CHECK(prime_mul(root, prime_inverse(root, prime->p), prime->p) == 1);
        TEST_CHECK(prime_mul(root, root, prime->p) == prime_root(prime, (size_t)105 << 19));
    }
    TEST_CHECK(PRIME_LIMIT <= 0.79 * 0x1p50);
    mpz_clears(p, g, NULL);
}

/* congruent - got = x w modulo p, or x where w is NULL, and |got| <= most p. */
static bool congruent(double got, double x, const double *w, uint64_t p, double most)
{
    mpz_t a, b;
    mpz_init_set_d(a, x);
    mpz_init_set_d(b, w ? *w : 1.0);
    mpz_mul(a, a, b);
    mpz_set_d(b, got);
    mpz_sub(a, a, b);
    const bool good = fabs(got) <= most * (double)p && got == rint(got) && mpz_divisible_ui_p(a, p);
    mpz_clears(a, b, NULL);
    return good;
}

/* corner - an integer of at most `most` in size: near 0, near multiples of p / 2, near the limits, or random. */
static double corner(uint64_t p, double most)
{
    double v;
    switch (test_below(4)) {
    case 0:
        v = (double)test_below(3);
        break;
    case 1:
        v = floor((double)test_below(21) * (double)p / 2) + (double)test_below(5) - 2;
        break;
    case 2:
        v = floor(most) - (double)test_below(3);
        break;
    default:
        v = (double)test_below((uint64_t)most);
    }
    v = fmin(v, floor(most));
    return test_below(2) ? -v : v;
}

static void field_check(const struct isa_ops *isa, const struct prime *prime)
{
    const double p = (double)prime->p;
    _Alignas(64) double x[BATCH], w[BATCH], mul[BATCH], any[BATCH], reduced[BATCH];
    for (unsigned i = 0; i < BATCH; i++) {
        w[i] = corner(prime->p, p / 2);
        x[i] = corner(prime->p, 5.0 * p); /* times w: 2.5 p^2 */
    }
    prime_ops_of(isa)->field_test(prime, mul, any, reduced, x, w, BATCH);
    for (unsigned i = 0; i < BATCH; i++) {
        const double size = fabs(x[i]) / p, both = size * fabs(w[i]) / p;
        test_note("%s, p = %" PRIu64 ", x = %.0f, w = %.0f", isa->name, prime->p, x[i], w[i]);
        TEST_CHECK_MSG(congruent(mul[i], x[i], &w[i], prime->p, 0.5 + (isa->fma ? 0.05 : 0.10) * size), "x w: %.0f", mul[i]);
        TEST_CHECK_MSG(congruent(any[i], x[i], &w[i], prime->p, 0.5 + (isa->fma ? 0.20 : 0.30) * both), "x y: %.0f", any[i]);
        if (!TEST_CHECK_MSG(congruent(reduced[i], x[i], NULL, prime->p, 0.5 + 0x1p-41), "reduced: %.0f", reduced[i]))
            return;
    }
}

static void test_field_operations(void)
{
    const unsigned batches = test_tier(200, 4000, 100000);
    for (unsigned i = 0; isa_ops_list(i) != NULL; i++)
        for (unsigned k = 0; k < PRIME_COUNT; k++)
            for (unsigned n = 0; n < batches; n++)
                field_check(isa_ops_list(i), &prime_table[k]);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_primes);
    TEST_RUN(test_field_operations);
    return test_end();
}
