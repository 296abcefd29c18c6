/* t-radix.c - conversion between text and limbs in every base, against GMP's: random numbers, and those near powers. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/alloc.h"
#include "gfmul_arith.h"
#include "products.h"
#include "progress_often.h"
#include "text_numbers.h"

#ifdef GFMUL_MIN_THRESHOLDS
enum { LONG_LIMBS = 1000 };
#else
enum { LONG_LIMBS = 8000 };
#endif

/* both_ways - x to text and back. */
static void both_ways(struct gfmul_ctx *ctx, mpz_srcptr x, int base)
{
    const size_t n = mpz_size(x), size = gfmul_get_str_size(n, base);
    char *want = mpz_get_str(NULL, base, x), *text = test_alloc(size + 1);
    const size_t len = strlen(want), limbs = gfmul_set_str_limbs(len, base);
    mp_limb_t *z = test_alloc((limbs + 1) * sizeof *z);
    size_t got = 0, zn = 0;
    int negative = -1;
    mpz_t y;
    test_note("%zu limbs, %zu characters, base %d", n, len, base);
    text[size] = 77;
    if (TEST_OK(gfmul_mpz_get_str(ctx, text, size, &got, base, x))) {
        TEST_CHECK_MSG(got == len, "%zu characters, should be %zu", got, len);
        test_equal_text(text, want, len + 1);
    }
    TEST_CHECK(text[size] == 77);
    if (mpz_sgn(x) >= 0 && TEST_OK(gfmul_get_str(ctx, text, len + 1, &got, base, mpz_limbs_read(x), n)))
        test_equal_text(text, want, len + 1);
    TEST_CHECK(gfmul_mpz_get_str(ctx, text, len, &got, base, x) == GFMUL_ERR_ARGUMENT);
    z[limbs] = 77;
    if (TEST_OK(gfmul_set_str(ctx, z, limbs, &zn, &negative, want, len, base))) {
        TEST_CHECK(zn == n && negative == (mpz_sgn(x) < 0));
        test_equal_limbs(z, mpz_limbs_read(x), n);
    }
    TEST_CHECK(z[limbs] == 77);
    if (n > 0) {
        TEST_CHECK(gfmul_set_str(ctx, z, n - 1, &zn, NULL, want, len, base) == GFMUL_ERR_ARGUMENT);
        TEST_OK(gfmul_set_str(ctx, z, n, &zn, NULL, want, len, base));
    }
    mpz_init(y);
    if (TEST_OK(gfmul_mpz_set_str(ctx, y, want, len, base)))
        TEST_CHECK(mpz_cmp(y, x) == 0);
    mpz_clear(y);
    free(z);
    free(text);
    free(want);
}

static void numbers(struct product_ctx *c, size_t rounds, size_t most)
{
    mpz_t x;
    mpz_init(x);
    for (size_t i = 0; i < rounds; i++) {
        const int base = test_u64() % 3 ? 10 : (int)test_between(2, 36);
        number_make(x, test_size(1, i % 8 ? 300 : most), base);
        both_ways(c->ctx, x, base);
    }
    mpz_set_ui(x, 0);
    both_ways(c->ctx, x, 10);
    mpz_clear(x);
    product_ctx_destroy(c);
}

static void test_numbers(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    numbers(&c, test_tier(300, 3000, 30000), LONG_LIMBS);
    c = product_ctx_create(GFMUL_ENGINE_AUTO, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    numbers(&c, test_tier(50, 500, 5000), LONG_LIMBS);
}

static void test_threads(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 3, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    numbers(&c, test_tier(30, 300, 3000), LONG_LIMBS);
}

/* Contexts whose products are made whole, and GMP's. */
static void test_other_contexts(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_GMP, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    numbers(&c, test_tier(30, 300, 3000), LONG_LIMBS);
    c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_TWO_FOR_ONE, GFMUL_VERIFY_MOD);
    numbers(&c, test_tier(30, 300, 3000), LONG_LIMBS / 2);
}

/* Every base at a length of several levels. */
static void test_bases(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    mpz_t x;
    mpz_init(x);
    for (int base = 2; base <= 36; base++) {
        number_make(x, 500, base);
        both_ways(c.ctx, x, base);
    }
    mpz_clear(x);
    product_ctx_destroy(&c);
}

static void test_errors(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    mp_limb_t a[2] = {1, 2}, z[4];
    char text[64];
    size_t n;
    mpz_t x;
    mpz_init_set_ui(x, 5);
    TEST_CHECK(gfmul_get_str(c.ctx, text, 64, &n, 1, a, 2) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_get_str(c.ctx, text, 64, &n, 37, a, 2) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_get_str(c.ctx, NULL, 64, &n, 10, a, 2) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_get_str(c.ctx, text, 64, &n, 10, NULL, 2) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_get_str(c.ctx, text, 0, &n, 10, a, 2) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_mpz_get_str(c.ctx, text, 64, &n, 10, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_set_str(c.ctx, z, 4, &n, NULL, "12x4", 4, 10) == GFMUL_ERR_SYNTAX);
    TEST_CHECK(gfmul_set_str(c.ctx, z, 4, &n, NULL, " ", 1, 10) == GFMUL_ERR_EMPTY);
    TEST_CHECK(gfmul_set_str(c.ctx, z, 4, &n, NULL, "1", 1, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_set_str(c.ctx, NULL, 4, &n, NULL, "1", 1, 10) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_set_str(c.ctx, z, 4, NULL, NULL, "1", 1, 10) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_mpz_set_str(c.ctx, x, "7_8z", 4, 10) == GFMUL_ERR_SYNTAX && mpz_cmp_ui(x, 5) == 0);
    TEST_OK(gfmul_mpz_set_str(c.ctx, x, "-0xff", 5, 0));
    TEST_CHECK(mpz_cmp_si(x, -255) == 0);
    TEST_CHECK(gfmul_get_str_size(4, 1) == 0 && gfmul_set_str_limbs(4, 37) == 0);
    mpz_clear(x);
    product_ctx_destroy(&c);
}

/* Digits that are certainly too many are refused before they are converted, for which there is no memory here. */
static void test_no_room(void)
{
    enum { DIGITS = 400000 };
    struct gfmul_ctx *const ctx = ctx_limited(100000, GFMUL_VERIFY_NONE);
    char *const text = test_alloc(DIGITS);
    mp_limb_t *const z = test_alloc(gfmul_set_str_limbs(DIGITS, 10) * sizeof *z);
    size_t zn;
    memset(text, '0', DIGITS);
    text[0] = '1';
    const size_t n = (size_t)((DIGITS - 1) * 3.3219280948873623 / 64) + 1; /* of 10^(DIGITS - 1) */
    TEST_CHECK(gfmul_set_str(ctx, z, n - 30, &zn, NULL, text, DIGITS, 10) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_set_str(ctx, z, n, &zn, NULL, text, DIGITS, 10) == GFMUL_ERR_MEMORY);
    free(z);
    free(text);
    gfmul_ctx_destroy(ctx);
}

/* Every allocation fails once, in both directions. */
static void test_faults(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    mpz_t x, y;
    mpz_inits(x, y, NULL);
    mpz_ui_pow_ui(x, 7, 30000);
    char *text = test_alloc(30000);
    size_t n = 0;
    unsigned failed = 0;
    for (long k = 0, made = 0; made < 2; k++) {
        gfmul_ctx_trim(c.ctx);
        alloc_fail_after(k);
        enum gfmul_status s = gfmul_mpz_get_str(c.ctx, text, 30000, &n, 10, x);
        alloc_fail_after(-1);
        if (!TEST_CHECK(s == GFMUL_OK || s == GFMUL_ERR_MEMORY))
            break;
        made = s == GFMUL_OK;
        failed += s != GFMUL_OK;
        if (n > 0) {
            gfmul_ctx_trim(c.ctx);
            alloc_fail_after(k / 2);
            s = gfmul_mpz_set_str(c.ctx, y, text, n, 10);
            alloc_fail_after(-1);
            if (!TEST_CHECK(s == GFMUL_OK || s == GFMUL_ERR_MEMORY))
                break;
            made += s == GFMUL_OK;
            failed += s != GFMUL_OK;
        }
    }
    TEST_CHECK(mpz_cmp(x, y) == 0);
    TEST_CHECK_MSG(failed > 10, "%u failed", failed);
    free(text);
    mpz_clears(x, y, NULL);
    product_ctx_destroy(&c);
}

/* The shares of progress that a callback gets. */
struct shares {
    double last, longest; /* longest: the largest step */
    unsigned calls;
    bool falls;
};

static int share_note(void *arg, double done)
{
    struct shares *s = arg;
    const double step = done - s->last;
    s->falls = s->falls || step < 0 || done > 1;
    s->longest = step > s->longest ? step : s->longest;
    s->last = done;
    s->calls++;
    return 0;
}

/* shares_check - of one call: they never fall, end near 1, and take no step over a fourth of the work. */
static void shares_check(struct shares *s, const char *what)
{
    TEST_CHECK_MSG(!s->falls && s->last >= 0.85 && s->calls >= 8 && s->longest <= 0.25,
                   "%s: %u calls, the last at %g, a step of %g", what, s->calls, s->last, s->longest);
    *s = (struct shares){.calls = 0};
}

/* Conversions of long numbers tell how far they are. */
static void test_progress(void)
{
    struct shares shares = {.calls = 0};
    struct gfmul_ctx *ctx = ctx_told(2, share_note, &shares);
    for (unsigned i = 0; i < test_tier(4, 12, 40); i++) {
        const int base = i % 2 ? 10 : 3;
        const size_t n = test_between(LONG_LIMBS, 3 * LONG_LIMBS), size = gfmul_get_str_size(n, base);
        char *text = test_alloc(size);
        size_t len = 0;
        mpz_t x, y;
        mpz_inits(x, y, NULL);
        operand_fill(mpz_limbs_write(x, (mp_size_t)n), n, OPERAND_TOP_BIT, 16, test_u64());
        mpz_limbs_finish(x, (mp_size_t)n);
        test_note("%zu limbs, base %d", n, base);
        shares = (struct shares){.calls = 0};
        TEST_OK(gfmul_mpz_get_str(ctx, text, size, &len, base, x));
        shares_check(&shares, "to text");
        TEST_OK(gfmul_mpz_set_str(ctx, y, text, len, base));
        shares_check(&shares, "from text");
        TEST_CHECK(mpz_cmp(x, y) == 0);
        mpz_clears(x, y, NULL);
        free(text);
    }
    gfmul_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_numbers);
    TEST_RUN(test_progress);
    TEST_RUN(test_threads);
    TEST_RUN(test_other_contexts);
    TEST_RUN(test_bases);
    TEST_RUN(test_errors);
    TEST_RUN(test_no_room);
    TEST_RUN(test_faults);
    return test_end();
}
