/*
 * t-text_residue.c - residues of text against GMP.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "test.h"
#include "text/text.h"

static const uint64_t primes[] = {2,
                                  3,
                                  5,
                                  7,
                                  10007,
                                  UINT64_C(4294967291),
                                  UINT64_C(4294967311),
                                  (UINT64_C(1) << 60) + 33,
                                  (UINT64_C(1) << 61) - 1,
                                  (UINT64_C(1) << 62) - 57};

static void check_residue(unsigned base, size_t n, int kind, uint64_t p, unsigned threads)
{
    char *text = malloc(n + 1), *exact = malloc(n ? n : 1);
    if (text == NULL || exact == NULL)
        abort();
    for (size_t i = 0; i < n; i++) {
        unsigned v = kind == 0 ? (unsigned)test_below(base) : kind == 1 ? base - 1 : kind == 2 ? 0 : i % 64 == 5;
        text[i] = (char)(v < 10 ? '0' + v : (test_u64() & 1 ? 'a' : 'A') + v - 10);
    }
    text[n] = '\0';
    memcpy(exact, text, n);
    mpz_t z;
    mpz_init(z);
    if (n > 0 && mpz_set_str(z, text, (int)base) != 0)
        abort();
    uint64_t want = mpz_fdiv_ui(z, p);
    const struct isa_ops *ops;
    for (size_t i = 0; (ops = isa_ops_list(i)) != NULL; i++) {
        uint64_t some[5] = {primes[(n + i) % 10], p, primes[9], primes[8], p}, r[5];
        const unsigned n_primes = (unsigned)(n % 5);
        some[n_primes] = p;
        const struct text_number number = {.base = base, .digits = exact, .n_digits = n};
        text_residues(r, &number, some, n_primes + 1, ops->isa_bit, threads);
        const uint64_t got = r[n_primes];
        test_note("base %u n %zu kind %d p %" PRIu64 " %s, threads %u", base, n, kind, p, ops->name, threads);
        TEST_CHECK_MSG(got == want, "%" PRIu64 ", should be %" PRIu64, got, want);
    }
    mpz_clear(z);
    free(text);
    free(exact);
}

static void test_every_base(void)
{
    for (unsigned base = 2; base <= 36; base++) {
        for (size_t n = 0; n <= 200; n++)
            check_residue(base, n, (int)(n % 4), primes[test_below(10)], 1);
        for (size_t k = 0; k < 10; k++)
            for (int kind = 0; kind < 4; kind++)
                check_residue(base, test_size(1, 5000), kind, primes[k], 1);
    }
}

/* Decimal text is summed 1024 digits at a time. */
static void test_around_blocks(void)
{
    for (size_t n = 1000; n <= 3100; n++)
        check_residue(10, n, (int)(n % 4), primes[n % 10], 1);
}

/* .. and a long one in blocks of 2048 by vectors, from 2^15 digits on. */
static void test_blocks(void)
{
    for (size_t n = 32700; n <= 37000; n += 1 + test_below(40))
        check_residue(10, n, (int)(n % 4), primes[n % 10], 1);
    for (size_t k = 0; k < 10; k++)
        for (int kind = 0; kind < 4; kind++)
            check_residue(10, 65536 + test_below(3), kind, primes[k], 1 + (unsigned)test_below(3));
}

static void test_threads(void)
{
    for (int i = 0; i < 60; i++)
        check_residue(i % 2 ? 10 : 2 + (unsigned)test_below(35), test_size(20000, 400000), (int)test_below(4),
                      primes[5 + test_below(5)], 1 + (unsigned)test_below(4));
}

/* Every wrong character at every kind of place is seen. */
static void test_digits(void)
{
    enum { N = 40000 };
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    char *s = calloc(1, N);
    if (s == NULL)
        abort();
    TEST_CHECK(text_is_digits(s, 0, 10, 1));
    for (unsigned base = 2; base <= 36; base++) {
        const size_t n = test_between(1, N);
        for (size_t i = 0; i < n; i++)
            s[i] = digits[test_below(base)];
        TEST_CHECK(text_is_digits(s, n, base, 1) && text_is_digits(s, n, base, 3));
        for (int c = 0; c < 256; c++) {
            const size_t at = c % 3 == 0 ? 0 : c % 3 == 1 ? n - 1 : (size_t)test_below(n);
            const char was = s[at];
            const bool digit = c != 0 && memchr(digits, c, base) != NULL;
            s[at] = (char)c;
            test_note("base %u, n %zu, character %d at %zu", base, n, c, at);
            TEST_CHECK(text_is_digits(s, n, base, c % 16 ? 1 : 2) == digit);
            s[at] = was;
        }
    }
    free(s);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_every_base);
    TEST_RUN(test_around_blocks);
    TEST_RUN(test_blocks);
    TEST_RUN(test_threads);
    TEST_RUN(test_digits);
    return test_end();
}
