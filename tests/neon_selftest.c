/*
 * neon_selftest.c - products of limbs by the stages alone, without GMP: what tools/check_neon.sh runs in an emulator.
 *
 * It needs lib/stages, lib/plan, lib/base and tests/tiny_mpn.c; it runs on any machine.
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "operands.h"
#include "reference.h"
#include "shapes.h"

/* limbs -> digits -> spectrum -> product -> digits -> limbs, right-angle by its fused stages or not. */
static bool multiply(const struct plan *plan, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn,
                     bool fused, unsigned threads)
{
    const struct stage_ops *ops = plan->ops;
    const size_t n = plan->shape.transform.n_points, l = plan->shape.digits.exponent, a_count = 64 * an / l + 1,
                 b_count = 64 * bn / l + 1;
    bool two = plan->shape.transform.packing == GFMUL_PACKING_TWO_FOR_ONE, good;
    double *x = shape_buffer(plan), *y = shape_buffer(plan), *scratch = shape_scratch(plan, threads);
    struct round_stats stats = {.max_error = 0};
    struct digit_norms norms;
    struct digit_source source;
    if (fused) {
        limbs_source(&source, plan, a, an);
        ops->source_to_columns(plan, x, scratch, &(struct digit_cell){&source, 0, a_count, DIGIT_PART_A}, &norms, threads);
        limbs_source(&source, plan, b, bn);
        ops->source_to_columns(plan, y, scratch, &(struct digit_cell){&source, 0, b_count, DIGIT_PART_A}, &norms, threads);
        ops->columns_mul(plan, x, y, NULL, n, n, threads);
        good = TEST_CHECK(columns_to_limbs(plan, z, an + bn, x, scratch, &stats, threads) == GFMUL_OK);
    } else {
        limbs_to_digits(plan, x, DIGIT_PART_A, a, an, 0, a_count, &norms, threads);
        limbs_to_digits(plan, two ? x : y, DIGIT_PART_B, b, bn, 0, b_count, &norms, threads);
        ops->digits_to_spectrum(plan, x, n, threads);
        if (!two)
            ops->digits_to_spectrum(plan, y, n, threads);
        ops->spectrum_mul(plan, x, y, threads);
        ops->spectrum_to_digits(plan, x, threads);
        good = TEST_CHECK(digits_to_limbs(plan, z, an + bn, x, &stats, threads) == GFMUL_OK);
    }
    alloc_free(scratch);
    alloc_free(x);
    alloc_free(y);
    return TEST_CHECK_MSG(stats.max_error < 0.01, "error %g", stats.max_error) && good;
}

static void test_products(void)
{
    static const unsigned sizes[][2] = {{1, 6}, {1, 7}, {3, 6}, {5, 6}, {1, 9}, {3, 8}, {1, 11}, {5, 9}};
    for (size_t i = 0; isa_ops_list(i) != NULL; i++)
        for (unsigned p = 0; p < 3; p++)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
                for (unsigned round = 0; round < 6; round++) {
                    const struct isa_ops *ops = isa_ops_list(i);
                    unsigned l = (unsigned)test_between(6, 14);
                    struct plan *plan = shape_plan(ops, shape_packings[p], sizes[k][0], sizes[k][1], 2, l, (int)test_below(3) - 1,
                                                   round % 2 ? 4 : ops->max_radix);
                    size_t most = (plan->shape.transform.n_digits - 2) * l / 64, an = test_between(1, most - 1), bn = most - an;
                    mp_limb_t *a = malloc(an * sizeof *a), *b = malloc(bn * sizeof *b);
                    mp_limb_t *z = malloc(most * sizeof *z), *want = malloc(most * sizeof *want);
                    if (a == NULL || b == NULL || z == NULL || want == NULL)
                        exit(1);
                    enum operand_kind kind = (enum operand_kind)test_below(OPERAND_KINDS);
                    operand_fill(a, an, kind, l, test_u64());
                    operand_fill(b, bn, round < 3 ? OPERAND_RANDOM : kind, l, test_u64());
                    ref_mul(want, a, an, b, bn);
                    shape_note(plan, operand_name(kind), an);
                    if (multiply(plan, z, a, an, b, bn, shape_packings[p] == GFMUL_PACKING_RIGHT_ANGLE && round % 3 > 0, 1))
                        test_equal_limbs(z, want, most);
                    free(a);
                    free(b);
                    free(z);
                    free(want);
                    plan_destroy(plan);
                }
}

static void test_isa(void)
{
    for (size_t i = 0; isa_ops_list(i) != NULL; i++)
        printf("stages: %s\n", isa_ops_list(i)->name);
    TEST_CHECK(isa_ops_list(0) != NULL);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_isa);
    TEST_RUN(test_products);
    return test_end();
}
