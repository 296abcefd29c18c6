/* t-str_mul.c - products of numbers in text, in every base, against GMP and the schoolbook. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "products.h"

/* The product of two numbers without signs or separators, by GMP; ends with mpz_clears and free. */
static char *gmp_product(const char *a, int a_base, const char *b, int b_base, int z_base)
{
    mpz_t x, y;
    mpz_inits(x, y, NULL);
    if (mpz_set_str(x, a, a_base) != 0 || mpz_set_str(y, b, b_base) != 0) {
        fprintf(stderr, "gmp_product: not a number\n");
        exit(1);
    }
    mpz_mul(x, x, y);
    char *s = mpz_get_str(NULL, z_base, x);
    mpz_clears(x, y, NULL);
    return s;
}

static void free_gmp(char *s)
{
    void (*gmp_free)(void *, size_t);
    mp_get_memory_functions(NULL, NULL, &gmp_free);
    gmp_free(s, strlen(s) + 1);
}

/*
 * One product of texts a and b, as they are given to the library, against the wanted text.
 * a is before a guard page, and so is z, which has just the size that gfmul_str_mul_size says.
 */
static bool check(const struct product_ctx *c, const char *a, size_t a_len, int a_base, const char *b, size_t b_len, int b_base,
                  int z_base, const char *want, bool square)
{
    struct gfmul_report report;
    size_t size = gfmul_str_mul_size(a_len, a_base, b_len, b_base, z_base), len = (size_t)-1, want_len = strlen(want);
    if (!TEST_CHECK_MSG(size > want_len, "gfmul_str_mul_size says %zu, %zu are needed", size, want_len + 1))
        return false;
    struct guard ga = guard_create(a_len, GUARD_AFTER), gb = guard_create(b_len, GUARD_AFTER),
                 gz = guard_create(size, GUARD_AFTER);
    memcpy(ga.p, a, a_len);
    memcpy(gb.p, b, b_len);
    guard_read_only(&ga);
    guard_read_only(&gb);
    const char *second = square ? ga.p : gb.p;
    enum gfmul_status status = gfmul_str_mul(c->ctx, gz.p, size, &len, z_base, ga.p, a_len, a_base, second, b_len, b_base);
    gfmul_ctx_report(c->ctx, &report);
    test_plan(&report.plan);
    bool good = TEST_OK(status);
    if (good) {
        const char *z = gz.p;
        good = TEST_CHECK_MSG(len == want_len, "%zu characters, should be %zu: \"%.40s\", should be \"%.40s\"", len, want_len, z,
                              want) &&
               test_equal_text(z, want, want_len) && TEST_CHECK_MSG(z[len] == '\0', "no NUL at the end");
        good = TEST_CHECK_MSG(report.max_error < 0.5, "error %g", report.max_error) && good;
    }
    good = TEST_CHECK_MSG(guard_intact(&gz), "written before z") && good;
    guard_destroy(&ga);
    guard_destroy(&gb);
    guard_destroy(&gz);
    test_plan_set(NULL, NULL);
    return good;
}

/* Two numbers of an and bn digits of one base, by n contexts; square: the same text twice. */
static bool one_base(const struct product_ctx *c, size_t n, unsigned base, size_t an, size_t bn, enum text_kind ak,
                     enum text_kind bk, unsigned group, bool square)
{
    uint64_t a_seed = test_u64(), b_seed = test_u64();
    char *a = test_alloc(an + 1), *b = test_alloc(bn + 1);
    bool good = true;
    text_fill(a, an, ak, base, group, a_seed);
    text_fill(b, bn, bk, base, group, b_seed);
    a[an] = b[bn] = '\0';
    char *want = gmp_product(a, (int)base, square ? a : b, (int)base, (int)base);
    for (size_t i = 0; i < n && good; i++) {
        test_note("%s; base %u, a %zu digits %s/%" PRIu64 ", b %zu digits %s/%" PRIu64 ", groups of %u%s", c[i].name, base, an,
                  text_kind_name(ak), a_seed, bn, square ? "= a" : text_kind_name(bk), b_seed, group, square ? ", square" : "");
        good = check(&c[i], a, an, (int)base, square ? a : b, square ? an : bn, (int)base, test_u64() & 1 ? 0 : (int)base, want,
                     square);
    }
    free_gmp(want);
    free(a);
    free(b);
    return good;
}

static enum text_kind any_kind(void)
{
    return test_u64() & 1 ? TEXT_RANDOM : (enum text_kind)test_below(TEXT_KINDS);
}

static unsigned group_of(const struct product_ctx *c, unsigned base, size_t an, size_t bn)
{
    struct gfmul_plan_info info;
    memset(&info, 0, sizeof info);
    if (gfmul_plan_text(c->ctx, &info, (int)base, an, bn) != GFMUL_OK || info.exponent == 0 || info.exponent > 30)
        return 1 + (unsigned)test_below(6);
    return info.exponent;
}

/* 1 .. 200 decimal digits by as many and by any number, against the schoolbook, with the engine asked for by name. */
static void test_small_decimal(void)
{
    struct product_ctx c[2] = {product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE),
                               product_ctx_create(GFMUL_ENGINE_CPU, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD)};
    for (size_t n = 1; n <= 200; n++)
        for (size_t m = test_longest_tier() ? 1 : n; m <= 200; m += test_longest_tier() ? 1 : test_between(1, 40)) {
            char a[201], b[201], z[401];
            enum text_kind ak = any_kind(), bk = any_kind();
            unsigned group = group_of(c, 10, n, m);
            uint64_t seed = test_u64();
            text_fill(a, n, ak, 10, group, seed);
            text_fill(b, m, bk, 10, group, ~seed);
            ref_text_mul(z, a, n, b, m, 10);
            z[n + m] = '\0';
            const char *want = z[0] == '0' ? z + 1 : z;
            for (unsigned i = 0; i < 2; i++) {
                test_note("%s; %.*s times %.*s", c[i].name, (int)(n < 60 ? n : 60), a, (int)(m < 60 ? m : 60), b);
                check(&c[i], a, n, 10, b, m, 10, 10, want, false);
            }
        }
    for (unsigned i = 0; i < 2; i++)
        product_ctx_destroy(&c[i]);
}

static void test_every_base(void)
{
    struct product_ctx c[3] = {product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE),
                               product_ctx_create(GFMUL_ENGINE_CPU, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD),
                               product_ctx_create(GFMUL_ENGINE_AUTO, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD)};
    for (unsigned base = 2; base <= 36; base++) {
        for (size_t n = 1; n <= (test_longest_tier() ? 200 : 40); n++)
            one_base(c, 3, base, n, test_between(1, n), any_kind(), any_kind(), group_of(c, base, n, n), n % 7 == 0);
        for (unsigned i = 0; i < (test_longest_tier() ? 100 : 14); i++) {
            size_t an = test_size(20, 8000), bn = test_below(3) ? an - test_below(an / 8 + 1) : test_size(1, an);
            one_base(c, 3, base, an, bn, any_kind(), any_kind(), group_of(c, base, an, bn), i % 5 == 0);
        }
        for (unsigned kind = 0; kind < TEXT_KINDS; kind++) {
            size_t n = test_size(300, 3000);
            one_base(c, 3, base, n, n, (enum text_kind)kind, (enum text_kind)kind, group_of(c, base, n, n), false);
        }
    }
    for (unsigned i = 0; i < 3; i++)
        product_ctx_destroy(&c[i]);
}

/* All pairs of kinds in base 10, in the three packings. */
static void test_kinds(void)
{
    struct product_ctx c[3];
    for (unsigned i = 0; i < 3; i++)
        c[i] = product_ctx_create(GFMUL_ENGINE_CPU, 1 + i % 2, (enum gfmul_packing)(1 + i), GFMUL_VERIFY_NONE);
    for (unsigned a = 0; a < TEXT_KINDS; a++)
        for (unsigned b = 0; b < TEXT_KINDS; b++)
            for (unsigned round = 0; round < 3; round++) {
                size_t an = test_size(100, 20000), bn = round == 0 ? an : test_size(1, an);
                one_base(c, 3, 10, an, bn, (enum text_kind)a, (enum text_kind)b, group_of(c, 10, an, bn), a == b && round == 0);
            }
    for (unsigned i = 0; i < 3; i++)
        product_ctx_destroy(&c[i]);
}

/* Text sizes around every change of digit size, points or slices. */
static bool same_plan(const struct product_ctx *c, unsigned base, size_t n, size_t m, struct gfmul_plan_info *p,
                      struct gfmul_plan_info *q)
{
    memset(p, 0, sizeof *p);
    memset(q, 0, sizeof *q);
    test_note("gfmul_plan_text base %u, %zu and %zu digits", base, n, m);
    TEST_OK(gfmul_plan_text(c->ctx, p, (int)base, n, n));
    TEST_OK(gfmul_plan_text(c->ctx, q, (int)base, m, m));
    return p->exponent == q->exponent && p->n_points == q->n_points && p->n_slices == q->n_slices && p->engine == q->engine;
}

/* One change in (lo, hi], given that the plans at the two ends differ. */
static size_t find_change(const struct product_ctx *c, unsigned base, size_t lo, size_t hi)
{
    struct gfmul_plan_info p, q;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (same_plan(c, base, lo, mid, &p, &q))
            lo = mid;
        else
            hi = mid;
    }
    return hi;
}

static void test_plan_changes(void)
{
    struct product_ctx c[2] = {product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE),
                               product_ctx_create(GFMUL_ENGINE_AUTO, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD)};
    size_t n_changes = 0, n_exponents = 0;
    for (unsigned base = 2; base <= 36; base++) {
        size_t most = test_longest_tier() ? 400000 : base == 10 ? 150000 : 12000;
        for (size_t n = 1, next; n < most; n = next) {
            struct gfmul_plan_info p, q;
            next = n + n / (base == 10 || test_longest_tier() ? 50 : 12) + 1;
            if (same_plan(c, base, n, next, &p, &q))
                continue;
            size_t at = find_change(c, base, n, next);
            n_changes++;
            n_exponents += !same_plan(c, base, at - 1, at, &p, &q) && p.exponent != q.exponent;
            for (size_t k = at - 1; k <= at + 1; k++)
                if (k > 0)
                    one_base(c, 2, base, k, k, k == at ? TEXT_GROUPS_HALF : TEXT_NINES, any_kind(), group_of(c, base, k, k),
                             false);
        }
    }
    printf("%zu changes of plan, %zu of them of the digit size\n", n_changes, n_exponents);
    TEST_CHECK(n_changes > 35 && n_exponents > 35);
    for (unsigned i = 0; i < 2; i++)
        product_ctx_destroy(&c[i]);
}

/* A long text by a short one: slices, the coefficients of which overlap. */
static void test_unbalanced(void)
{
    struct product_ctx c[3] = {product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE),
                               product_ctx_create(GFMUL_ENGINE_CPU, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD),
                               product_ctx_create(GFMUL_ENGINE_AUTO, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD)};
    static const unsigned bases[] = {10, 10, 2, 3, 7, 16, 27, 36};
    size_t sliced = 0;
    for (unsigned k = 0; k < sizeof bases / sizeof *bases; k++)
        for (unsigned i = 0; i < (test_longest_tier() ? 60 : 16); i++) {
            unsigned base = bases[k];
            size_t an = test_size(3000, test_longest_tier() || k == 0 ? 200000 : 30000), bn = test_size(1, an / 20);
            enum text_kind ak = i < TEXT_KINDS ? (enum text_kind)i : any_kind(), bk = any_kind();
            unsigned group = group_of(c, base, an, bn);
            if (i % 4 == 0)
                one_base(c, 3, base, bn, an, bk, ak, group, false);
            else
                one_base(c, 3, base, an, bn, ak, bk, group, false);
            struct gfmul_plan_info info;
            if (gfmul_plan_text(c[0].ctx, &info, (int)base, an, bn) == GFMUL_OK)
                sliced += info.n_slices > 1;
        }
    TEST_CHECK_MSG(sliced > 0, "no plan was cut into slices");
    for (unsigned i = 0; i < 3; i++)
        product_ctx_destroy(&c[i]);
}

/* The same number as a person may write it: sign, prefix, leading zeros, capitals, white space and '_' between the digits. */
static char *decorate(size_t *len, const char *digits, int base, bool negative, bool prefix)
{
    size_t n = strlen(digits), room = 4 * n + 200, at = 0;
    char *s = test_alloc(room);
    static const char blanks[] = " \t\r\n\v\f_";
    unsigned style = (unsigned)test_below(4); /* 0: plain */
    if (style > 0)
        for (size_t i = test_below(4); i-- > 0;)
            s[at++] = blanks[test_below(6)]; /* not '_' */
    if (negative || test_below(4) == 0)
        s[at++] = negative ? '-' : '+';
    if (prefix) {
        s[at++] = '0';
        s[at++] = (test_u64() & 1 ? "box" : "BOX")[base == 2 ? 0 : base == 8 ? 1 : 2];
    }
    if (style > 1)
        for (size_t i = test_below(30); i-- > 0;)
            s[at++] = '0';
    for (size_t i = 0; i < n; i++) {
        char d = digits[i];
        s[at++] = style > 0 && d >= 'a' && (test_u64() & 1) ? (char)(d - 'a' + 'A') : d;
        if (i + 1 < n && (style == 2 ? (i + 1) % 60 == 0 : style == 3 && test_below(9) == 0)) {
            s[at++] = style == 2 ? '\r' : blanks[test_below(7)];
            s[at++] = style == 2 ? '\n' : blanks[test_below(7)];
        }
    }
    if (style > 0 && (test_u64() & 1))
        s[at++] = '\n';
    *len = at;
    return s;
}

static void test_mixed_bases(void)
{
    struct product_ctx c[2] = {product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD),
                               product_ctx_create(GFMUL_ENGINE_AUTO, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD)};
    for (unsigned i = 0; i < (test_longest_tier() ? 8000 : 1200); i++) {
        int a_base = (int)test_between(2, 36), b_base = test_below(3) ? (int)test_between(2, 36) : a_base;
        int z_base = test_below(4) == 0 ? 0
                     : test_u64() & 1   ? a_base
                                        : (int)test_between(2, 36),
            z_true = z_base ? z_base : a_base;
        size_t an = test_size(1, 2000), bn = test_size(1, 2000);
        char *a = test_alloc(an + 1), *b = test_alloc(bn + 1);
        text_fill(a, an, any_kind(), (unsigned)a_base, 4, test_u64());
        text_fill(b, bn, any_kind(), (unsigned)b_base, 4, test_u64());
        a[an] = b[bn] = '\0';
        if (test_below(20) == 0)
            strcpy(a, "0");
        if (test_below(20) == 0)
            strcpy(b, "0");
        bool a_neg = test_u64() & 1, b_neg = test_u64() & 1, a_zero = a[0] == '0', b_zero = b[0] == '0';
        char *product = gmp_product(a, a_base, b, b_base, z_true);
        char *want = test_alloc(strlen(product) + 2);
        sprintf(want, "%s%s", a_neg != b_neg && !a_zero && !b_zero ? "-" : "", product);
        /* base 0: a prefix, or decimal; a prefix may also go with the base that it names */
        int a_ask = a_base == 10 && (test_u64() & 1) ? 0 : a_base, b_ask = b_base;
        bool a_prefix = (a_base == 2 || a_base == 8 || a_base == 16) && (test_u64() & 1);
        if (a_prefix && (test_u64() & 1))
            a_ask = 0;
        bool b_prefix = (b_base == 2 || b_base == 8 || b_base == 16) && (test_u64() & 1);
        if (b_prefix && (test_u64() & 1))
            b_ask = 0;
        size_t a_len, b_len;
        char *a_text = decorate(&a_len, a, a_base, a_neg, a_prefix), *b_text = decorate(&b_len, b, b_base, b_neg, b_prefix);
        const struct product_ctx *cc = &c[i % 2];
        test_note("%s; bases %d (asked %d), %d (asked %d) to %d; a %zu digits \"%.30s\", b %zu digits \"%.30s\"", cc->name,
                  a_base, a_ask, b_base, b_ask, z_base, strlen(a), a, strlen(b), b);
        check(cc, a_text, a_len, a_ask, b_text, b_len, b_ask, z_base, want, false);
        free(a_text);
        free(b_text);
        free(want);
        free_gmp(product);
        free(a);
        free(b);
    }
    for (unsigned i = 0; i < 2; i++)
        product_ctx_destroy(&c[i]);
}

/* Squares of a text that is given twice, at the address of the first. */
static void test_squares(void)
{
    struct product_ctx c[3];
    for (unsigned i = 0; i < 3; i++)
        c[i] = product_ctx_create(GFMUL_ENGINE_CPU, 1 + i % 2, (enum gfmul_packing)(1 + i), GFMUL_VERIFY_NONE);
    for (unsigned i = 0; i < 150; i++) {
        size_t n = test_size(1, 20000);
        unsigned base = test_u64() & 1 ? 10 : (unsigned)test_between(2, 36);
        one_base(c, 3, base, n, n, (enum text_kind)(i % TEXT_KINDS), TEXT_RANDOM, group_of(c, base, n, n), true);
    }
    for (unsigned i = 0; i < 3; i++)
        product_ctx_destroy(&c[i]);
}

/* z just too small is an argument error, and z of gfmul_str_mul_size never is. */
static void test_small_buffer(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    for (size_t n = 1; n <= 300; n += test_between(1, 9)) {
        struct guard z = guard_create(2 * n, GUARD_AFTER); /* 2n digits, no room for the NUL */
        char *a = test_alloc(n);
        size_t len;
        memset(a, '9', n);
        test_note("%zu nines squared", n);
        TEST_CHECK(gfmul_str_mul(c.ctx, z.p, 2 * n, &len, 10, a, n, 10, a, n, 10) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(guard_intact(&z));
        guard_destroy(&z);
        free(a);
    }
    product_ctx_destroy(&c);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_small_decimal);
    TEST_RUN(test_every_base);
    TEST_RUN(test_kinds);
    TEST_RUN(test_plan_changes);
    TEST_RUN(test_unbalanced);
    TEST_RUN(test_mixed_bases);
    TEST_RUN(test_squares);
    TEST_RUN(test_small_buffer);
    return test_end();
}
