/*
 * t-residue.c - numbers modulo a prime, random primes.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/random.h"
#include "limbs/limb_bits.h"
#include "limbs/residue.h"
#include "operands.h"
#include "test.h"

/* A bit at a time from the top: nothing in common with the library. */
static uint64_t residue_by_bits(const mp_limb_t *a, size_t an, uint64_t p)
{
    uint64_t r = 0;
    for (size_t i = an; i-- > 0;) {
        for (unsigned bit = 64; bit-- > 0;) {
            r = 2 * r + (a[i] >> bit & 1);
            r = r >= p ? r - p : r;
        }
    }
    return r;
}

static const uint64_t moduli[] = {
    2, 3, 65537, UINT64_C(4294967311), (UINT64_C(1) << 61) - 1, (UINT64_C(1) << 62) - 57, (UINT64_C(1) << 60) + 33,
};
enum { MODULI = sizeof moduli / sizeof moduli[0] };

static void check_operand(const mp_limb_t *a, size_t an)
{
    for (size_t i = 0; i <= MODULI; i++) {
        uint64_t p = i < MODULI ? moduli[i] : random_prime();
        uint64_t want = residue_by_bits(a, an, p);
        static const unsigned threads[] = {1, 2, 3, 7, 100};
        for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
            uint64_t got = residue_limbs(a, an, p, threads[t]);
            TEST_CHECK_MSG(got == want, "an=%zu p=%" PRIu64 " threads=%u: %" PRIu64 ", should be %" PRIu64, an, p, threads[t],
                           got, want);
        }
    }
}

static void test_sizes(void)
{
    mp_limb_t a[200];
    for (size_t an = 0; an <= 200; an++) {
        operand_fill(a, an, (enum operand_kind)(an % OPERAND_KINDS), 13, test_u64());
        check_operand(a, an);
    }
}

/* Sizes around the pieces that threads take. */
static void test_pieces(void)
{
    static const size_t sizes[] = {16383, 16384,  16385,  32767,  32768,  32769,  49152,
                                   65537, 114689, 120000, 131071, 131072, 131583, 263000};
    mp_limb_t *a = malloc(263000 * sizeof *a);
    if (!a)
        exit(1);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        operand_fill(a, sizes[i], i % 2 ? OPERAND_RANDOM : OPERAND_ONES, 13, test_u64());
        check_operand(a, sizes[i]);
    }
    free(a);
}

static void test_mul(void)
{
    for (int i = 0; i < 1000; i++) {
        uint64_t p = random_prime(), a = test_below(p), b = test_below(p), want = 0;
        mp_limb_t product[2];
        product[1] = mpn_mul_1(product, &(mp_limb_t){a}, 1, b);
        want = residue_by_bits(product, 2, p);
        TEST_CHECK(residue_mul(a, b, p) == want);
    }
}

static void test_random_prime(void)
{
    uint64_t last = 0;
    unsigned repeats = 0;
    for (int i = 0; i < 300; i++) {
        uint64_t p = random_prime();
        mpz_t z;
        mpz_init_set_ui(z, p);
        TEST_CHECK_MSG(p > UINT64_C(1) << 60 && p < UINT64_C(1) << 61, "p = %" PRIu64, p);
        TEST_CHECK_MSG(mpz_probab_prime_p(z, 30), "p = %" PRIu64, p);
        mpz_clear(z);
        repeats += p == last;
        last = p;
    }
    TEST_CHECK_MSG(repeats == 0, "%u primes were drawn twice in a row", repeats);
}

static void test_limb_bits(void)
{
    mp_limb_t a[5];
    operand_fill(a, 5, OPERAND_RANDOM, 13, test_u64());
    for (size_t at = 0; at < 400; at++) {
        uint64_t want = 0;
        for (size_t i = 0; i < 64; i++) {
            if (at + i < 320)
                want |= (a[(at + i) / 64] >> (at + i) % 64 & 1) << i;
        }
        TEST_CHECK_MSG(limb_bits(a, 5, at) == want, "at = %zu", at);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_sizes);
    TEST_RUN(test_pieces);
    TEST_RUN(test_mul);
    TEST_RUN(test_random_prime);
    TEST_RUN(test_limb_bits);
    return test_end();
}
