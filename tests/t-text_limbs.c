/*
 * t-text_limbs.c - text to limbs and back, against GMP's mpz_set_str and mpz_get_str.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/alloc.h"
#include "test.h"
#include "text/text.h"
#include "text/text_chars.h"

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (p == NULL)
        abort();
    return p;
}

/* n digits as text, the first not zero; kind 0 random, 1 the largest, 2 a power of the base. */
static char *make_text(size_t n, unsigned base, int kind)
{
    char *s = allocate(n + 1);
    for (size_t i = 0; i < n; i++) {
        unsigned v = kind == 0 ? (unsigned)test_below(base) : kind == 1 ? base - 1 : 0;
        if (i == 0 && v == 0)
            v = 1;
        s[i] = (char)(v < 10 ? '0' + v : (test_u64() & 1 ? 'a' : 'A') + v - 10);
    }
    s[n] = '\0';
    return s;
}

static void check_both_ways(unsigned base, size_t n, int kind)
{
    test_note("base %u n %zu kind %d", base, n, kind);
    char *text = make_text(n, base, kind);
    mpz_t ref;
    mpz_init(ref);
    if (n > 0 && mpz_set_str(ref, text, (int)base) != 0)
        abort();

    /* blocks of exactly the promised sizes */
    size_t room = text_limbs_max(n, base), zn = 77, wn = 77;
    mp_limb_t *z = allocate(room * sizeof *z);
    char *exact = allocate(n);
    memcpy(exact, text, n);
    const struct text_number num = {.base = base, .digits = exact, .n_digits = n};
    TEST_CHECK(room > mpz_size(ref) && room <= mpz_size(ref) + 3 + n / 5000);
    if (TEST_OK(text_to_limbs(z, &zn, &num)) && TEST_CHECK_MSG(zn == mpz_size(ref), "zn %zu, should be %zu", zn, mpz_size(ref)))
        test_equal_limbs(z, mpz_limbs_read(ref), zn);

    size_t text_room = limbs_text_max(zn, base);
    mp_limb_t *a = allocate((zn + 2) * sizeof *a);
    memcpy(a, z, zn * sizeof *a);
    a[zn] = a[zn + 1] = 0; /* zero limbs above count for nothing */
    size_t an = zn + (size_t)test_below(3);
    char *w = allocate(text_room), *want = mpz_get_str(NULL, (int)base, ref);
    TEST_CHECK(text_room >= strlen(want));
    if (TEST_OK(limbs_to_text(w, &wn, a, an, base)) &&
        TEST_CHECK_MSG(wn == strlen(want), "wn %zu, should be %zu", wn, strlen(want)))
        test_equal_text(w, want, wn);
    test_equal_limbs(a, z, zn); /* the source is kept */
    free(want);
    free(w);
    free(a);
    free(exact);
    free(z);
    free(text);
    mpz_clear(ref);
}

/* All digits of base 36, of both cases, at every place of a vector. */
static void test_chars_values(void)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    unsigned char values[sizeof digits];
    for (size_t first = 0; first < sizeof digits - 1; first++) {
        const size_t n = sizeof digits - 1 - first;
        chars_values(values, digits + first, n);
        for (size_t i = 0; i < n; i++)
            TEST_CHECK_MSG(values[i] == char_value(digits[first + i]), "'%c' is %u", digits[first + i], values[i]);
    }
}

static void test_every_base(void)
{
    for (unsigned base = 2; base <= 36; base++) {
        for (size_t n = 0; n <= 270; n++)
            check_both_ways(base, n, (int)(n % 3));
        for (int i = 0; i < (test_longest_tier() ? 100 : 12); i++)
            check_both_ways(base, test_size(200, 30000), i % 3);
        check_both_ways(base, 100000 + test_below(9), 0);
    }
}

/* The sizes never lie, for any number of digits or limbs. */
static void test_sizes(void)
{
    mpz_t power;
    mpz_init(power);
    for (unsigned base = 2; base <= 36; base++) {
        test_note("base %u", base);
        for (int i = 0; i < 40; i++) {
            size_t n = test_size(1, 60000), limbs = text_limbs_max(n, base);
            mpz_ui_pow_ui(power, base, n); /* n digits are less than this */
            mpz_sub_ui(power, power, 1);
            TEST_CHECK_MSG(limbs > mpz_size(power), "%zu digits: %zu limbs", n, limbs);
            mpz_ui_pow_ui(power, base, n - 1); /* and at least this */
            limbs = text_limbs_min(n, base);
            TEST_CHECK_MSG(limbs <= mpz_size(power) && limbs + ((base & (base - 1)) != 0) >= mpz_size(power),
                           "%zu digits: %zu limbs at least", n, limbs);
            n = test_size(1, 3000);
            mpz_set_ui(power, 0);
            mpz_setbit(power, 64 * n);
            size_t chars = limbs_text_max(n, base), need = mpz_sizeinbase(power, (int)base);
            TEST_CHECK_MSG(chars > need && chars <= need + 4 + need / 1000, "%zu limbs: %zu characters, mpz_sizeinbase says %zu",
                           n, chars, need);
        }
        TEST_CHECK(base < 5 || text_limbs_max(SIZE_MAX, base) == 0 || text_limbs_max(SIZE_MAX, base) > SIZE_MAX / 64);
        TEST_CHECK(limbs_text_max(SIZE_MAX, base) == 0);
        TEST_CHECK(text_limbs_min(0, base) == 0 && text_limbs_min(1, base) == 1);
        TEST_CHECK(text_limbs_min(SIZE_MAX, base) >= SIZE_MAX / 64 && text_limbs_min(SIZE_MAX, base) < SIZE_MAX / 12);
        TEST_CHECK(limbs_text_max(SIZE_MAX / 64 + 1, base) == 0);
        TEST_CHECK(limbs_text_max(0, base) >= 1 && text_limbs_max(0, base) >= 1);
    }
    TEST_CHECK(text_limbs_max(SIZE_MAX, 36) == 0);
    TEST_CHECK(text_limbs_max(10, 1) == 0 && text_limbs_max(10, 37) == 0 && limbs_text_max(10, 1) == 0 &&
               limbs_text_max(10, 37) == 0);
    mpz_clear(power);
}

static void test_memory(void)
{
    char digits[] = "123456789012345678901234567890", text[64];
    const struct text_number num = {.base = 10, .digits = digits, .n_digits = 30};
    mp_limb_t z[8] = {1, 2, 3};
    size_t n;
    alloc_fail_after(1);
    enum gfmul_status there = text_to_limbs(z, &n, &num), back = limbs_to_text(text, &n, z, 3, 10);
    alloc_fail_after(-1);
    TEST_CHECK(there == GFMUL_ERR_MEMORY && back == GFMUL_ERR_MEMORY);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_chars_values);
    TEST_RUN(test_every_base);
    TEST_RUN(test_sizes);
    TEST_RUN(test_memory);
    return test_end();
}
