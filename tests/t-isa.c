/* t-isa.c - every instruction set of this machine, by way of GFMUL_DISABLE, against GMP. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <fenv.h>

#include "products.h"
#include "stages/stage_ops.h"

/* A context that runs the i-th instruction set: those before it in the list are disabled, besides what the caller disabled. */
static struct product_ctx isa_ctx(size_t i, unsigned threads, enum gfmul_packing packing)
{
    const char *old = getenv("GFMUL_DISABLE");
    char saved[256], list[512];
    snprintf(saved, sizeof saved, "%s", old != NULL ? old : "");
    snprintf(list, sizeof list, "%s", saved);
    for (size_t k = 0; k < i; k++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", list[0] != '\0' ? "," : "", isa_ops_list(k)->name);
    setenv("GFMUL_DISABLE", list, 1);
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, threads, packing, GFMUL_VERIFY_NONE);
    if (old != NULL)
        setenv("GFMUL_DISABLE", saved, 1);
    else
        unsetenv("GFMUL_DISABLE");
    snprintf(c.name + strlen(c.name), sizeof c.name - strlen(c.name), ", %s", isa_ops_list(i)->name);
    return c;
}

static bool disabled_by_caller(size_t i)
{
    const char *s = getenv("GFMUL_DISABLE");
    return s != NULL && strstr(s, isa_ops_list(i)->name) != NULL;
}

/* Is the instruction set that runs the one that was meant? */
static void test_disable(void)
{
    unsigned n = 0;
    for (size_t i = 0; isa_ops_list(i) != NULL; i++) {
        if (disabled_by_caller(i))
            continue;
        struct product_ctx c = isa_ctx(i, 1, GFMUL_PACKING_AUTO);
        struct gfmul_plan_info info;
        test_note("%s", c.name);
        if (TEST_OK(gfmul_plan_limbs(c.ctx, &info, 1000, 1000)))
            TEST_CHECK_MSG(strcmp(info.isa, isa_ops_list(i)->name) == 0, "the plan runs %s", info.isa);
        product_ctx_destroy(&c);
        n++;
    }
    printf("%u instruction sets\n", n);
    TEST_CHECK(n > 0);
}

/* What plans ask before they are made, in other modes, too. */
static void test_rounds_right(void)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t i = 0; isa_ops_list(i) != NULL; i++) {
        test_note("%s", isa_ops_list(i)->name);
        for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
            fesetround(modes[m]);
            const bool right = isa_ops_list(i)->rounds_right();
            fesetround(FE_TONEAREST);
            TEST_CHECK_MSG(right == (modes[m] == FE_TONEAREST), "mode %d", modes[m]);
        }
    }
}

static void test_every_isa(void)
{
    for (size_t i = 0; isa_ops_list(i) != NULL; i++) {
        if (disabled_by_caller(i))
            continue;
        struct product_ctx c[4] = {isa_ctx(i, 1, GFMUL_PACKING_RIGHT_ANGLE), isa_ctx(i, 2, GFMUL_PACKING_RIGHT_ANGLE),
                                   isa_ctx(i, 1, GFMUL_PACKING_TWO_FOR_ONE), isa_ctx(i, 1, GFMUL_PACKING_ONE_FOR_HALF)};
        for (size_t n = 1; n <= 100; n++)
            product_random(c, 4, n, test_between(1, n), OPERAND_KINDS, OPERAND_KINDS, product_digit_bits(c, n, n), n % 5 == 0);
        for (unsigned round = 0; round < (test_longest_tier() ? 400 : 60); round++) {
            size_t an = test_size(100, 20000), bn = test_below(3) ? an - test_below(an / 4) : test_size(1, an);
            product_random(c, 4, an, bn, OPERAND_KINDS, OPERAND_KINDS, product_digit_bits(c, an, bn), round % 6 == 0);
        }
        for (unsigned kind = OPERAND_DIGITS_MAX; kind < OPERAND_KINDS; kind++) {
            size_t an = test_size(1000, 6000);
            product_random(c, 4, an, an, (enum operand_kind)kind, (enum operand_kind)kind, product_digit_bits(c, an, an),
                           kind % 2);
        }
        for (unsigned round = 0; round < (test_longest_tier() ? 12 : 2); round++) {
            size_t an = test_size(60000, test_longest_tier() ? 500000 : 120000);
            product_random(c, 4, an, an - test_below(an / 3), OPERAND_RANDOM, OPERAND_KINDS, product_digit_bits(c, an, an),
                           false);
        }
        product_random(c, 4, 50000, 200, OPERAND_RANDOM, OPERAND_RANDOM, 12, false);
        for (unsigned k = 0; k < 4; k++)
            product_ctx_destroy(&c[k]);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_disable);
    TEST_RUN(test_rounds_right);
    TEST_RUN(test_every_isa);
    return test_end();
}
