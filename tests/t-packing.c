/* t-packing.c - the three packings against one another and GMP. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "products.h"

enum { N_CTX = 6 };

static void test_packings_agree(void)
{
    struct product_ctx c[N_CTX];
    for (unsigned i = 0; i < N_CTX; i++)
        c[i] = product_ctx_create(GFMUL_ENGINE_CPU, 1 + i / 3, (enum gfmul_packing)(1 + i % 3), GFMUL_VERIFY_NONE);
    size_t seen[4] = {0, 0, 0, 0};
    for (unsigned i = 0; i < test_tier(200, 500, 3000); i++) {
        size_t an = i < 100 ? i + 1 : test_size(1, 20000), bn = test_below(3) ? test_between(an / 2, an) : test_size(1, an);
        if (bn == 0)
            bn = 1;
        const struct product_ctx *of = &c[test_below(3)];
        product_random(c, N_CTX, an, bn, OPERAND_KINDS, OPERAND_KINDS, product_digit_bits(of, an, bn), test_below(5) == 0);
        for (unsigned k = 0; k < 3; k++) {
            struct gfmul_plan_info info;
            test_note("%s an=%zu bn=%zu", c[k].name, an, bn);
            static const char *const names[] = {"two-for-one", "one-for-half", "right-angle"};
            if (TEST_OK(gfmul_plan_limbs(c[k].ctx, &info, an, bn)))
                seen[k] += TEST_CHECK_MSG(strcmp(info.packing, names[k]) == 0, "the plan's packing is %s", info.packing);
        }
    }
    TEST_CHECK(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
    for (unsigned i = 0; i < N_CTX; i++)
        product_ctx_destroy(&c[i]);
}

/* two-for-one scales its second operand: norms that differ by much, either way. */
static void test_two_for_one_norms(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_TWO_FOR_ONE, GFMUL_VERIFY_NONE);
    static const enum operand_kind extreme[] = {OPERAND_ZERO,       OPERAND_ONE,        OPERAND_BIT,  OPERAND_SPARSE,
                                                OPERAND_DIGITS_MIN, OPERAND_DIGITS_MAX, OPERAND_ONES, OPERAND_HIGH_ZERO};
    enum { N_EXTREME = sizeof extreme / sizeof *extreme };
    for (unsigned i = 0; i < N_EXTREME; i++)
        for (unsigned k = 0; k < N_EXTREME; k++)
            for (unsigned round = 0; round < 6; round++) {
                size_t an = test_size(20, 5000), bn = test_size(1, an);
                product_random(&c, 1, an, bn, extreme[i], extreme[k], product_digit_bits(&c, an, bn), false);
                product_random(&c, 1, bn, an, extreme[i], extreme[k], product_digit_bits(&c, an, bn), false);
            }
    product_ctx_destroy(&c);
}

/* Large enough for passes on columns and for slices. */
static void test_large(void)
{
    struct product_ctx c[3];
    for (unsigned i = 0; i < 3; i++)
        c[i] = product_ctx_create(GFMUL_ENGINE_CPU, 2, (enum gfmul_packing)(1 + i), GFMUL_VERIFY_NONE);
    static const size_t sizes[][2] = {{50000, 50000}, {70000, 30000},  {150000, 400},
                                      {200000, 3000}, {110000, 100000}, {300000, 290000}};
    for (unsigned k = 0; k < test_tier(4, 6, 6); k++) {
        size_t an = sizes[k][0] + test_below(1000), bn = sizes[k][1];
        product_random(c, 3, an, bn, OPERAND_RANDOM, OPERAND_RANDOM, 12, false);
        product_random(c, 3, an, bn, OPERAND_DIGITS_MIN, OPERAND_DIGITS_ALTERNATE, product_digit_bits(&c[k % 3], an, bn), false);
        product_random(c, 3, an, bn, OPERAND_RANDOM, OPERAND_RANDOM, 12, k < 4);
    }
    for (unsigned i = 0; i < 3; i++)
        product_ctx_destroy(&c[i]);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_packings_agree);
    TEST_RUN(test_two_for_one_norms);
    TEST_RUN(test_large);
    return test_end();
}
