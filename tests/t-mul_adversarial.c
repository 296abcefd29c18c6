/* t-mul_adversarial.c - operands that make carries long, digits extreme and convolutions large, against GMP. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "products.h"

/* Every pair of kinds at small sizes, where the engine is asked for by name. */
static void test_pairs(void)
{
    static const size_t sizes[][2] = {{20, 20}, {63, 64}, {129, 40}, {400, 399}, {1000, 70}};
    struct product_ctx c[2] = {product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE),
                               product_ctx_create(GFMUL_ENGINE_CPU, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD)};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (unsigned a = 0; a < OPERAND_KINDS; a++)
            for (unsigned b = 0; b < OPERAND_KINDS; b++) {
                unsigned l = product_digit_bits(c, sizes[k][0], sizes[k][1]);
                /* now and then other digits than the plan's */
                product_random(c, 2, sizes[k][0], sizes[k][1], (enum operand_kind)a, (enum operand_kind)b,
                               test_below(4) ? l : (unsigned)test_between(1, 30), false);
            }
    product_ctx_destroy(&c[0]);
    product_ctx_destroy(&c[1]);
}

/* The patterns of digits at the sizes where the bound leaves least room. */
static void test_extreme_digits(void)
{
    static const size_t sizes[] = {1500, 4000, 10000, 25000, 60000, 150000, 400000, 1000000};
    struct product_ctx c[2] = {product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE),
                               product_ctx_create(GFMUL_ENGINE_CPU, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE)};
    double worst = 0;
    for (size_t k = 0; k < (test_longest_tier() ? 8 : 6); k++)
        for (unsigned kind = OPERAND_DIGITS_MAX; kind < OPERAND_KINDS; kind++) {
            size_t an = sizes[k] + test_below(sizes[k] / 20), bn = sizes[k] - test_below(sizes[k] / 20);
            unsigned l = product_digit_bits(c, an, bn);
            if (sizes[k] > 50000 && !test_longest_tier() && kind % 4 != test_u64() % 4)
                continue;
            bool square = test_below(3) == 0;
            for (unsigned lower = 0; lower < (sizes[k] <= 4000 ? 3 : 1); lower++) /* a fall-back takes smaller digits */
                product_random(c, 2, an, bn, (enum operand_kind)kind,
                               test_u64() & 1 ? (enum operand_kind)kind
                                              : (enum operand_kind)test_between(OPERAND_DIGITS_MAX, OPERAND_KINDS - 1),
                               l - lower, square);
            for (unsigned i = 0; i < 2; i++) {
                struct gfmul_report report;
                gfmul_ctx_report(c[i].ctx, &report);
                if (report.max_error > worst)
                    worst = report.max_error;
            }
        }
    printf("largest rounding error met: %.4f\n", worst);
    product_ctx_destroy(&c[0]);
    product_ctx_destroy(&c[1]);
}

/* (2^j - 1)(2^k - 1), (2^j + 1)(2^k - 1), ... at every distance from a limb's and a digit's boundary. */
static void test_powers(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    for (size_t bits = 1; bits <= 64 * 40; bits += bits < 200 ? 1 : test_between(1, 30))
        for (unsigned form = 0; form < 4; form++) {
            mp_limb_t a[42], b[42];
            size_t an = bits / 64 + 1, b_bits = test_between(1, 64 * 40), bn = b_bits / 64 + 1;
            char what[64];
            memset(a, 0, sizeof a);
            memset(b, 0, sizeof b);
            a[bits / 64] = (mp_limb_t)1 << bits % 64;
            b[b_bits / 64] = (mp_limb_t)1 << b_bits % 64;
            if (form & 1)
                mpn_sub_1(a, a, (mp_size_t)an, 1);
            else
                a[0] |= 1;
            if (form & 2)
                mpn_sub_1(b, b, (mp_size_t)bn, 1);
            snprintf(what, sizeof what, "form %u of 2^%zu and 2^%zu;", form, bits, b_bits);
            product_check(&c, 1, a, an, b, bn, what);
            product_check(&c, 1, a, an, a, an, what);
        }
    product_ctx_destroy(&c);
}

/* Very different sizes: slices against one spectrum. */
static void test_unbalanced(void)
{
    static const size_t sizes[][2] = {{5000, 1},      {5000, 7},      {20000, 33},    {20000, 300}, {100000, 150},
                                      {100000, 2000}, {300000, 1000}, {800000, 5000}, {1000000, 20}};
    struct product_ctx c[3] = {product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE),
                               product_ctx_create(GFMUL_ENGINE_CPU, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE),
                               product_ctx_create(GFMUL_ENGINE_AUTO, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD)};
    size_t sliced = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (unsigned round = 0;
             round < (sizes[k][0] <= 20000 || test_longest_tier() ? 12 : sizes[k][0] <= 300000 ? 4 : 1); round++) {
            size_t an = sizes[k][0] + test_below(50), bn = sizes[k][1];
            unsigned l = product_digit_bits(c, an, bn);
            enum operand_kind ak = round % 3 == 0 ? OPERAND_KINDS : round % 3 == 1 ? OPERAND_ONES : OPERAND_DIGITS_MIN;
            enum operand_kind bk = round % 2 == 0 ? OPERAND_KINDS : OPERAND_ONES;
            if (round % 4 == 3)
                product_random(c, 3, bn, an, bk, ak, l, false);
            else
                product_random(c, 3, an, bn, ak, bk, l, false);
            struct gfmul_plan_info info;
            if (gfmul_plan_limbs(c[0].ctx, &info, an, bn) == GFMUL_OK)
                sliced += info.n_slices > 1;
        }
    TEST_CHECK_MSG(sliced > 0, "no plan was cut into slices");
    for (unsigned i = 0; i < 3; i++)
        product_ctx_destroy(&c[i]);
}

/*
 * Norms that are larger than those of random digits: the plan is remade.  In slices, the first ones are harmless, and what they
 * left behind must not be seen.
 */
static void test_fallback(void)
{
    struct product_ctx c[2] = {product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE),
                               product_ctx_create(GFMUL_ENGINE_CPU, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE)};
    size_t whole = 0, sliced = 0;
    for (unsigned i = 0; i < (test_longest_tier() ? 600 : 120); i++) {
        bool slices = i % 2;
        size_t bn = test_size(300, 6000), an = slices ? bn * test_between(12, 30) : bn + test_below(bn / 4),
               from = slices ? an / 2 : 0;
        unsigned l = product_digit_bits(c, an, bn);
        uint64_t seed = test_u64();
        mp_limb_t *a = test_alloc(an * sizeof *a), *b = test_alloc(bn * sizeof *b);
        char what[96];
        operand_fill(a, an, OPERAND_DIGITS_MIN, l, seed);
        operand_fill(b, bn, OPERAND_DIGITS_SIGNS, l, seed);
        operand_fill(a, from, OPERAND_HIGH_ZERO, l, seed);
        snprintf(what, sizeof what, "digits-min above limb %zu, and digits-signs/%" PRIu64 " of %u bits;", from, seed, l);
        product_check(c, 2, a, an, b, bn, what);
        struct gfmul_report report;
        gfmul_ctx_report(c[0].ctx, &report);
        *(slices ? &sliced : &whole) += report.n_fallbacks;
        free(a);
        free(b);
    }
    printf("%zu fall-backs of whole products, %zu of sliced ones\n", whole, sliced);
    TEST_CHECK(whole > 0 && sliced > 0);
    product_ctx_destroy(&c[0]);
    product_ctx_destroy(&c[1]);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_pairs);
    TEST_RUN(test_powers);
    TEST_RUN(test_extreme_digits);
    TEST_RUN(test_unbalanced);
    TEST_RUN(test_fallback);
    return test_end();
}
