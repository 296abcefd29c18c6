/* t-prime_field.c - the primes and their arithmetic, on every instruction set, against GMP. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "base/random.h"
#include "prime/prime_ring.h"
#include "test.h"

enum { BATCH = 64 };

/* prime_check - a prime, 1 modulo 105 2^levels, whose generator has the full order. */
static void prime_check(const struct prime *prime, unsigned levels)
{
    mpz_t p, g;
    mpz_inits(p, g, NULL);
    mpz_set_ui(p, prime->p);
    TEST_CHECK(mpz_probab_prime_p(p, 40));
    TEST_CHECK(prime->order == 0 && (prime->p - 1) % (UINT64_C(105) << levels) == 0);
    uint64_t left = prime->p - 1;
    for (uint64_t q = 2; left > 1; q++) {
        if (left % q != 0)
            continue;
        while (left % q == 0)
            left /= q;
        mpz_set_ui(g, prime->generator);
        mpz_powm_ui(g, g, (prime->p - 1) / q, p);
        TEST_CHECK(mpz_cmp_ui(g, 1) != 0);
    }
    const uint64_t root = prime_root(prime, (size_t)105 << 20);
    TEST_CHECK(residue_mul(root, residue_inverse(root, prime->p), prime->p) == 1);
    TEST_CHECK(residue_mul(root, root, prime->p) == prime_root(prime, (size_t)105 << 19));
    mpz_clears(p, g, NULL);
}

static void test_primes(void)
{
    for (unsigned i = 0; i < PRIME_COUNT; i++) {
        const struct prime *prime = &prime_table[i];
        prime_check(prime, PRIME_LEVELS);
        TEST_CHECK((double)prime->p < PRIME_LIMIT);
        TEST_CHECK(i == 0 || prime->p < prime_table[i - 1].p);
        TEST_CHECK((double)prime_table[0].p < 1.155 * (double)prime->p); /* prime_join.h: mixed digits */
        TEST_CHECK(0x1p48 < (double)prime->p / 2);                       /* prime_columns.h: a factor of digits */
    }
    TEST_CHECK(PRIME_LIMIT <= 0.79 * 0x1p50);
}

static void test_word_primes(void)
{
    double bits = 0;
    for (unsigned i = 0; i < WORD_PRIMES; i++) {
        prime_check(&word_primes[i], 40);
        TEST_CHECK(word_primes[i].p >> 62 == 0);
        TEST_CHECK(i == 0 || word_primes[i].p < word_primes[i - 1].p);
        bits += log2((double)word_primes[i].p);
    }
    TEST_CHECK(bits > 185.997 && WORD_PRIMES_BITS < bits - .001);
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

/* word_prime - primes of fields of words: the largest and the least ones, around 2^52 and 2^61, or random; 1 modulo 256. */
static uint64_t word_prime(unsigned which)
{
    const uint64_t ends[] = {UINT64_C(1) << 62, UINT64_C(1) << 52, UINT64_C(1) << 61, UINT64_C(1) << 50};
    uint64_t p = (which < 4 ? ends[which] : (UINT64_C(1) << 50) + test_below(UINT64_C(0xffc) << 50)) / 256 * 256 + 1;
    if (which == 3) /* the first one above */
        for (; !random_is_prime(p); p += 256)
            continue;
    for (p -= p > UINT64_C(1) << 62 ? 256 : 0; !random_is_prime(p); p -= 256)
        continue;
    return p;
}

/* word_corner - below `limit`: near the ends, multiples of p / 2, multiples of 2^31, 2^32 and 2^52, or random. */
static uint64_t word_corner(uint64_t p, uint64_t limit)
{
    const unsigned cuts[] = {31, 32, 52};
    uint64_t v = test_below(limit);
    switch (test_below(5)) {
    case 0:
        v = test_below(3);
        break;
    case 1:
        v = limit - 1 - test_below(300);
        break;
    case 2:
        v = test_below(limit / p * 2) * (p / 2) + test_below(3);
        break;
    case 3:
        v = (v >> cuts[test_below(3)] << cuts[test_below(3)]) + test_below(3) - 1;
        break;
    }
    return v < limit ? v : limit - 1;
}

/* Products of words at the ends of their ranges, by each field; all numbers of a range have one residue each. */
static void test_word_operations(void)
{
    const unsigned batches = test_tier(100, 2000, 50000);
    for (unsigned i = 0; isa_ops_list(i) != NULL; i++)
        for (unsigned which = 0; which < 8; which++) {
            uint64_t x[BATCH], w[BATCH], mul[BATCH], residue[BATCH];
            const uint64_t p = word_prime(which);
            struct prime prime = {p, 1, 256};
            for (uint64_t g = 2; !prime_order_is(prime.generator, 256, p); g++)
                prime.generator = residue_power(g, (p - 1) / 256, p);
            for (unsigned levels = 0; levels < 8; levels += 7) { /* one at a time, and vectors */
                struct prime_ring *ring;
                if (!TEST_OK(prime_ring_create(&ring, &prime, 1, levels, true, prime_word_ops(isa_ops_list(i), levels, p, NULL))))
                    return;
                uint64_t offset = 0;
                for (unsigned n = 0; n < batches; n++) {
                    for (unsigned k = 0; k < BATCH; k++) {
                        x[k] = n + k == 0 ? 0 : word_corner(p, 4 * p);
                        w[k] = word_corner(p, p);
                    }
                    ring->ops->word_test(ring, mul, residue, x, w, BATCH);
                    offset = n == 0 ? residue[0] : offset; /* of the range */
                    for (unsigned k = 0; k < BATCH; k++) {
                        const uint64_t want = (uint64_t)((x[k] + (unsigned __int128)offset) % p);
                        test_note("%u lanes, p = %" PRIu64 ", x = %" PRIu64 ", w = %" PRIu64, ring->ops->width, p, x[k], w[k]);
                        if (!TEST_CHECK_MSG(residue[k] == want, "residue %" PRIu64 ", not %" PRIu64, residue[k], want) ||
                            !TEST_CHECK_MSG(mul[k] == residue_mul(want, w[k], p), "product %" PRIu64, mul[k]))
                            return;
                    }
                }
                prime_ring_destroy(ring);
            }
        }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_primes);
    TEST_RUN(test_word_primes);
    TEST_RUN(test_field_operations);
    TEST_RUN(test_word_operations);
    return test_end();
}
