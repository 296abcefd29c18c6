/*
 * t-mul_verify.c - wrong products, of limbs and of text, are caught by either check.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/mul_verify.h"
#include "contexts.h"
#include "operands.h"
#include "reference.h"
#include "test.h"

enum { AN = 37, BN = 23, ZN = AN + BN };

static struct gfmul_ctx *ctx_of(enum gfmul_verify verify)
{
    return TEST_CTX(.verify = verify);
}

static enum gfmul_status verify_limbs(struct gfmul_ctx *ctx, const mp_limb_t *z, const mp_limb_t *a, const mp_limb_t *b)
{
    struct call call;
    const struct product p = {.z = number_limbs(z, ZN), .a = number_limbs(a, AN), .b = number_limbs(b, BN)};
    call_begin(&call, ctx);
    return call_end(&call, product_verify(&call, &p));
}

static void check_caught(struct gfmul_ctx *ctx, const mp_limb_t *z, const mp_limb_t *a, const mp_limb_t *b, const char *what)
{
    struct gfmul_report report;
    test_note("%s", what);
    TEST_CHECK(verify_limbs(ctx, z, a, b) == GFMUL_ERR_VERIFY);
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(report.status == GFMUL_ERR_VERIFY && report.detail[0] != '\0');
}

static void faults_in_limbs(enum gfmul_verify verify)
{
    struct gfmul_ctx *ctx = ctx_of(verify);
    mp_limb_t a[AN], b[BN], z[ZN], w[ZN];
    char what[64];
    for (int round = 0; round < 4; round++) {
        operand_fill(a, AN, OPERAND_RANDOM, 13, test_u64());
        operand_fill(b, BN, round % 2 ? OPERAND_RANDOM : OPERAND_ONES, 13, test_u64());
        ref_mul(z, a, AN, b, BN);
        TEST_OK(verify_limbs(ctx, z, a, b));
        for (size_t bit = 0; bit < 64 * ZN; bit++) {
            z[bit / 64] ^= (mp_limb_t)1 << bit % 64;
            snprintf(what, sizeof what, "bit %zu flipped", bit);
            check_caught(ctx, z, a, b, what);
            z[bit / 64] ^= (mp_limb_t)1 << bit % 64;
        }
        for (size_t i = 0; i + 1 < ZN; i++) {
            memcpy(w, z, sizeof w);
            w[i] = z[i + 1];
            w[i + 1] = z[i];
            snprintf(what, sizeof what, "limbs %zu and %zu swapped", i, i + 1);
            if (w[i] != w[i + 1])
                check_caught(ctx, w, a, b, what);
            memcpy(w, z, sizeof w);
            mpn_add_1(w + i, w + i, (mp_size_t)(ZN - i), 1);
            check_caught(ctx, w, a, b, "off by one in a limb");
            memcpy(w, z, sizeof w);
            mpn_sub_1(w + i, w + i, (mp_size_t)(ZN - i), 1);
            check_caught(ctx, w, a, b, "off by minus one in a limb");
        }
        memset(w, 0, sizeof w);
        check_caught(ctx, w, a, b, "zero");
        memcpy(w + 1, z, sizeof z - sizeof *z);
        check_caught(ctx, w, a, b, "moved by a limb");
    }
    gfmul_ctx_destroy(ctx);
}

static void test_limbs_by_residues(void)
{
    faults_in_limbs(GFMUL_VERIFY_MOD);
}

static void test_limbs_by_gmp(void)
{
    faults_in_limbs(GFMUL_VERIFY_GMP);
}

/* Without a check nothing is caught: what the two tests above see is the check's doing. */
static void test_none(void)
{
    struct gfmul_ctx *ctx = ctx_of(GFMUL_VERIFY_NONE);
    mp_limb_t a[AN] = {1}, b[BN] = {1}, z[ZN] = {2};
    TEST_OK(verify_limbs(ctx, z, a, b));
    gfmul_ctx_destroy(ctx);
}

static enum gfmul_status verify_text(struct gfmul_ctx *ctx, const char *z, size_t zn, const struct text_number *a,
                                     const struct text_number *b, unsigned base)
{
    struct call call;
    const struct product p = product_text(number_digits(z, zn, base), a, b);
    call_begin(&call, ctx);
    return call_end(&call, product_verify(&call, &p));
}

static void faults_in_text(enum gfmul_verify verify)
{
    enum { A = 211, B = 96, Z = A + B };
    struct gfmul_ctx *ctx = ctx_of(verify);
    for (unsigned base = 2; base <= 36; base++) {
        char a[A], b[B], z[Z];
        text_fill(a, A, TEXT_RANDOM, base, 5, test_u64());
        text_fill(b, B, TEXT_RANDOM, base, 5, test_u64());
        ref_text_mul(z, a, A, b, B, base);
        struct text_number x = {.base = base, .digits = a, .n_digits = A}, y = {.base = base, .digits = b, .n_digits = B};
        test_note("base %u", base);
        TEST_OK(verify_text(ctx, z, Z, &x, &y, base));
        for (size_t i = 0; i < Z; i++) {
            char right = z[i];
            z[i] = right == '0' ? '1' : '0';
            TEST_CHECK_MSG(verify_text(ctx, z, Z, &x, &y, base) == GFMUL_ERR_VERIFY, "digit %zu changed", i);
            z[i] = right;
            if (i + 1 < Z && z[i] != z[i + 1]) {
                z[i] = z[i + 1];
                z[i + 1] = right;
                TEST_CHECK_MSG(verify_text(ctx, z, Z, &x, &y, base) == GFMUL_ERR_VERIFY, "digits %zu and %zu swapped", i, i + 1);
                z[i + 1] = z[i];
                z[i] = right;
            }
        }
        TEST_CHECK(verify_text(ctx, z, Z - 1, &x, &y, base) == GFMUL_ERR_VERIFY || z[Z - 1] == '0');
    }
    gfmul_ctx_destroy(ctx);
}

static void test_text_by_residues(void)
{
    faults_in_text(GFMUL_VERIFY_MOD);
}

static void test_text_by_gmp(void)
{
    faults_in_text(GFMUL_VERIFY_GMP);
}

/* Operands and product in three bases. */
static void test_text_mixed_bases(void)
{
    static const struct text_number x = {.base = 16, .digits = "ff", .n_digits = 2},
                                    y = {.base = 2, .digits = "1011", .n_digits = 4};
    for (int v = GFMUL_VERIFY_MOD; v <= GFMUL_VERIFY_GMP; v++) {
        struct gfmul_ctx *ctx = ctx_of((enum gfmul_verify)v);
        TEST_OK(verify_text(ctx, "2805", 4, &x, &y, 10));
        TEST_OK(verify_text(ctx, "0002805", 7, &x, &y, 10));
        TEST_CHECK(verify_text(ctx, "2806", 4, &x, &y, 10) == GFMUL_ERR_VERIFY);
        TEST_CHECK(verify_text(ctx, "2805", 4, &x, &y, 11) == GFMUL_ERR_VERIFY);
        if (v == GFMUL_VERIFY_GMP) /* the same number, but no text of base ten */
            TEST_CHECK(verify_text(ctx, "27a5", 4, &x, &y, 10) == GFMUL_ERR_VERIFY);
        gfmul_ctx_destroy(ctx);
    }
}

/* primed - a context with so many primes, and a multiple of some of them: how wrong a product is to be. */
static struct gfmul_ctx *primed(unsigned primes, unsigned first, unsigned last, mpz_ptr distance)
{
    struct gfmul_ctx *ctx = TEST_CTX(.verify_primes = primes);
    TEST_CHECK(ctx_primes_draw(ctx, last));
    mpz_set_ui(distance, 1 + test_below(1000));
    for (unsigned k = first; k < last; k++)
        mpz_mul_ui(distance, distance, ctx->residue_prime[k]);
    return ctx;
}

static enum gfmul_status verify_off(struct gfmul_ctx *ctx, mpz_srcptr distance, bool text)
{
    enum { DIGITS = 400 };
    mpz_t x, y, z;
    mpz_inits(x, y, z, NULL);
    enum gfmul_status status;
    if (text) {
        char a[DIGITS + 1], b[DIGITS + 1];
        text_fill(a, DIGITS, TEXT_RANDOM, 10, 1, test_u64());
        text_fill(b, DIGITS, TEXT_RANDOM, 10, 1, test_u64());
        a[DIGITS] = b[DIGITS] = '\0';
        const struct text_number an = {.base = 10, .digits = a, .n_digits = DIGITS},
                                 bn = {.base = 10, .digits = b, .n_digits = DIGITS};
        mpz_set_str(x, a, 10);
        mpz_set_str(y, b, 10);
        mpz_mul(z, x, y);
        mpz_add(z, z, distance);
        char *s = mpz_get_str(NULL, 10, z);
        status = verify_text(ctx, s, strlen(s), &an, &bn, 10);
        free(s);
    } else {
        mp_limb_t a[AN], b[BN], w[ZN] = {0};
        operand_fill(a, AN, OPERAND_RANDOM, 13, test_u64());
        operand_fill(b, BN, OPERAND_RANDOM, 13, test_u64());
        a[AN - 1] >>= 1;
        mpz_import(x, AN, -1, 8, 0, 0, a);
        mpz_import(y, BN, -1, 8, 0, 0, b);
        mpz_mul(z, x, y);
        mpz_add(z, z, distance);
        mpz_export(w, NULL, -1, 8, 0, 0, z);
        status = verify_limbs(ctx, w, a, b);
    }
    mpz_clears(x, y, z, NULL);
    return status;
}

/*
 * A product that is wrong by a multiple of some of the primes is caught by each other one.  One that is wrong by a multiple of
 * all of them is not: nothing else catches what the others are.
 */
static void test_congruent(void)
{
    struct gfmul_report report;
    mpz_t distance;
    mpz_init(distance);
    for (unsigned primes = 1; primes <= GFMUL_RESIDUES_MAX; primes++)
        for (unsigned first = 0; first < primes; first++)
            for (unsigned last = first; last <= primes; last++)
                for (unsigned text = 0; text < 2; text++) {
                    struct gfmul_ctx *ctx = primed(primes, first, last, distance);
                    const bool missed = first == 0 && last == primes;
                    test_note("%u primes, wrong by numbers %u to %u, %s", primes, first, last, text ? "text" : "limbs");
                    TEST_CHECK(verify_off(ctx, distance, text) == (missed ? GFMUL_OK : GFMUL_ERR_VERIFY));
                    gfmul_ctx_report(ctx, &report);
                    TEST_CHECK(report.n_residues == primes && report.residue_prime == ctx->residue_prime[0]);
                    gfmul_ctx_destroy(ctx);
                }
    mpz_clear(distance);
}

/*
 * Residues beside a device: of operands that are looked at in between, whole or in parts, of a product that comes in parts; a
 * limb that is wrong in any of them is seen.
 */
static void check_beside(struct gfmul_ctx *ctx, size_t an, size_t bn, bool square, unsigned wrong)
{
    const size_t zn = an + bn;
    mp_limb_t *a = test_alloc(8 * an), *b = square ? a : test_alloc(8 * bn), *z = test_alloc(8 * zn);
    mp_limb_t *const number[3] = {z, a, b};
    struct call call;
    struct mul_beside beside;
    operand_fill(a, an, OPERAND_RANDOM, 1, test_u64());
    if (!square)
        operand_fill(b, bn, OPERAND_RANDOM, 1, test_u64());
    mpn_mul(z, a, (mp_size_t)an, b, (mp_size_t)bn);
    if (wrong > 0)
        number[wrong - 1][test_below(wrong == 1 ? zn : wrong == 2 ? an : bn)] ^= (mp_limb_t)1 << test_below(64);
    test_note("an=%zu bn=%zu square %d wrong %u", an, bn, square, wrong);
    call_begin(&call, ctx);
    TEST_OK(call_moduli(&call, call_primes(&call, false), false));
    const struct product p = product_limbs(z, a, an, b, bn);
    mul_beside_begin(&call, &beside, &p);
    z[0]++; /* part of a product that is begun anew */
    mul_beside_arrived(&call, 2 * test_between(1, zn));
    z[0]--;
    for (size_t limbs = 0; limbs < zn; limbs += test_size(1, zn / 2)) {
        if (test_below(2))
            mul_beside_work(&call);
        mul_beside_arrived(&call, 2 * limbs);
    }
    const enum gfmul_status status = mul_beside_check(&call);
    call.beside = NULL;
    TEST_CHECK(call_end(&call, status) == (wrong ? GFMUL_ERR_VERIFY : GFMUL_OK));
    free(z);
    if (!square)
        free(b);
    free(a);
}

static void test_beside(void)
{
    for (unsigned threads = 1; threads < 4; threads++) {
        struct gfmul_options opt;
        struct gfmul_ctx *ctx;
        gfmul_options_init(&opt);
        opt.threads = threads;
        opt.verify_primes = threads;
        if (!TEST_OK(gfmul_ctx_create(&ctx, &opt)))
            return;
        for (unsigned round = 0; round < 32; round++) {
            const bool square = round % 8 > 5;
            const size_t an = test_between(2, 300), bn = square ? an : test_between(1, an);
            check_beside(ctx, an, bn, square, round % 4);
        }
        for (unsigned wrong = 0; wrong < 4; wrong++) /* operands in several parts */
            check_beside(ctx, test_between(500000, 700000), test_between(200000, 300000), false, wrong);
        gfmul_ctx_destroy(ctx);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_limbs_by_residues);
    TEST_RUN(test_limbs_by_gmp);
    TEST_RUN(test_none);
    TEST_RUN(test_text_by_residues);
    TEST_RUN(test_text_by_gmp);
    TEST_RUN(test_text_mixed_bases);
    TEST_RUN(test_congruent);
    TEST_RUN(test_beside);
    return test_end();
}
