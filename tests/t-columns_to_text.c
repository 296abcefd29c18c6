/*
 * t-columns_to_text.c - inverse column passes, carry and printing: every instruction set and packing, against GMP.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <gmp.h>

#include "guard.h"
#include "shapes.h"
#include "text/text.h"
#include "weigh.h"

/* sum of v_j B^j mod base^zn as zn characters. */
static char *expected_text(const struct plan_shape *s, const int64_t *v, size_t zn)
{
    mpz_t power, r;
    mpz_inits(power, r, NULL);
    ref_weigh(r, v, s->transform.n_digits, s->digits.digit_base);
    mpz_ui_pow_ui(power, s->digits.base, zn);
    mpz_fdiv_r(r, r, power);
    char *digits = test_alloc(mpz_sizeinbase(r, (int)s->digits.base) + 2), *text = test_alloc(zn);
    mpz_get_str(digits, (int)s->digits.base, r);
    const size_t n = strlen(digits);
    memset(text, '0', zn);
    if (n <= zn)
        memcpy(text + zn - n, digits, n);
    free(digits);
    mpz_clears(power, r, NULL);
    return text;
}

enum kind { ZERO, DIGITS, FULL, NINES, CHAIN, CHAIN_LATE, BORROW, LARGEST, SMALLEST, ALTERNATE, TIES, KINDS };

/* Coefficients of a kind, |v| < 2^bits but for those that are digits. */
static void make_coefficients(int64_t *v, size_t n, int64_t b, enum kind kind, unsigned bits)
{
    const int64_t top = ((int64_t)1 << bits) - 1;
    for (size_t j = 0; j < n; j++) {
        switch (kind) {
        case ZERO:
        case BORROW:
            v[j] = 0;
            break;
        case DIGITS:
            v[j] = (int64_t)test_below((uint64_t)b);
            break;
        case FULL:
            v[j] = (int64_t)test_below(2 * (uint64_t)top + 1) - top;
            break;
        case LARGEST:
            v[j] = top;
            break;
        case SMALLEST:
            v[j] = -top;
            break;
        case ALTERNATE:
            v[j] = j & 1 ? top : -top;
            break;
        case TIES: /* large multiples of B, and their neighbours */
            v[j] = (int64_t)(test_below((uint64_t)(top / b) + 1)) * b + (int64_t)test_below(3) - 1;
            v[j] = test_u64() & 1 ? v[j] : -v[j];
            break;
        default:
            v[j] = b - 1;
        }
    }
    if (kind == CHAIN)
        v[0] = b;
    if (kind == CHAIN_LATE)
        v[test_below(n)] = test_u64() & 1 ? b : 3 * b + 2;
    if (kind == BORROW) {
        v[n - 1] = 1;
        v[0] = -1;
    }
}

/* Coefficients where the inverse column passes will find them: there is nothing to undo, or it is done forwards first. */
static void to_columns(const struct plan *plan, double *x, const int64_t *v)
{
    const size_t n = plan->shape.transform.n_points;
    for (size_t j = 0; j < plan->shape.transform.n_digits; j++)
        x[shape_digit(plan, DIGIT_PART_A, j)] = (double)v[j];
    if (plan->shape.transform.packing == GFMUL_PACKING_TWO_FOR_ONE)
        for (size_t p = 0; p < n; p++)
            x[shape_point(plan, p) + 8] = 0;
    if (plan->shape.transform.n_column_passes == 0) {
        for (size_t p = 0; p < n; p++)
            for (unsigned part = 0; part < 2; part++)
                x[shape_point(plan, p) + 8 * part] /= plan->scale;
        return;
    }
    plan->ops->digits_to_spectrum(plan, x, n, 1);
    plan->ops->spectrum_to_columns(plan, x, NULL, 1);
}

static void check(const struct plan *plan, enum kind kind, unsigned bits, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    const size_t full = s->transform.n_digits * s->digits.exponent;
    const size_t zn = test_below(3) == 0   ? full + test_below(20)
                      : test_below(3) == 0 ? test_between(1, full)
                                           : full - test_below(60);
    double *x = shape_buffer(plan), *scratch = shape_scratch(plan, threads), largest = 0, sum = 0;
    double energy[PLAN_ENERGY_CLASSES] = {0};
    struct round_stats stats = {-1, -1, {0}};
    int64_t *v = test_alloc(s->transform.n_digits * sizeof *v);
    struct guard g = guard_create(zn, test_u64() & 1 ? GUARD_AFTER : GUARD_BEFORE);
    char what[96];
    snprintf(what, sizeof what, "kind %d bits %u threads %u zn", (int)kind, bits, threads);
    shape_note(plan, what, zn);
    make_coefficients(v, s->transform.n_digits, (int64_t)s->digits.digit_base, kind, bits);
    to_columns(plan, x, v);
    TEST_OK(columns_to_text(plan, &(struct text_place){g.p, zn, NULL}, x, scratch, &stats, threads));
    char *want = expected_text(s, v, zn);
    test_equal_text(g.p, want, zn);
    TEST_CHECK_MSG(stats.max_error >= 0 && stats.max_error < 0.25, "error %g", stats.max_error);
    for (size_t j = 0; j < s->transform.n_digits; j++) {
        largest = fmax(largest, fabs((double)v[j]));
        sum += fabs((double)v[j]);
        energy_add(energy, plan, j, (double)v[j]);
    }
    energy_check(plan, &stats, energy, 0.5 * sum + (double)s->transform.n_digits); /* each is off by a quarter at most */
    TEST_CHECK_MSG(fabs(stats.max_value - largest) <= 0.25 + 1e-12 * largest, "largest value %.17g, should be %.17g",
                   stats.max_value, largest);
    TEST_CHECK_MSG(guard_intact(&g), "written outside z");
    guard_destroy(&g);
    free(want);
    free(v);
    alloc_free(scratch);
    alloc_free(x);
}

/* A coefficient that cannot be rounded is told, wherever it lies, and nothing is written outside z. */
static void check_lost(const struct plan *plan, double lost, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    const size_t zn = test_between(1, s->transform.n_digits * s->digits.exponent);
    double *x = shape_buffer(plan), *scratch = shape_scratch(plan, threads);
    struct round_stats stats = {-1, -1, {0}};
    int64_t *v = test_alloc(s->transform.n_digits * sizeof *v);
    struct guard g = guard_create(zn, test_u64() & 1 ? GUARD_AFTER : GUARD_BEFORE);
    char what[96];
    snprintf(what, sizeof what, "a coefficient of %g, %u threads, zn", lost, threads);
    shape_note(plan, what, zn);
    make_coefficients(v, s->transform.n_digits, (int64_t)s->digits.digit_base, FULL, 30);
    to_columns(plan, x, v);
    x[shape_digit(plan, DIGIT_PART_A, test_below(s->transform.n_digits))] = lost / plan->scale;
    TEST_OK(columns_to_text(plan, &(struct text_place){g.p, zn, NULL}, x, scratch, &stats, threads));
    TEST_CHECK_MSG(!(stats.max_value < ROUND_VALUE_LIMIT), "largest value %g", stats.max_value);
    if (!isfinite(lost))
        TEST_CHECK_MSG(stats.max_error == HUGE_VAL && stats.max_value == HUGE_VAL, "error %g", stats.max_error);
    TEST_CHECK_MSG(guard_intact(&g), "written outside z");
    guard_destroy(&g);
    free(v);
    alloc_free(scratch);
    alloc_free(x);
}

struct size {
    unsigned odd, log2_n;
};
static const struct size sizes[] = {{1, 6}, {3, 6}, {1, 8}, {5, 8}, {3, 10}, {1, 12}, {5, 11}, {1, 13}, {3, 13}, {1, 15}};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

/* Coefficients up to the limit: the vectors' divisions are exact.  Column passes round, so that less is asked of them. */
static void test_decimal(void)
{
    unsigned round = (unsigned)test_below(100);
    for (size_t i = 0; isa_ops_list(i) != NULL; i++)
        for (unsigned p = 0; p < 3; p++)
            for (size_t k = 0; k < N_SIZES; k++)
                for (unsigned kind = 0; kind < KINDS; kind++) {
                    if (sizes[k].log2_n > 10 && !test_longest_tier() && (kind + p + k) % 4 != 0 &&
                        shape_packings[p] != GFMUL_PACKING_RIGHT_ANGLE)
                        continue;
                    const struct isa_ops *ops = isa_ops_list(i);
                    const unsigned exponent = round++ % 3 == 0 ? 4 : 1 + round % 9;
                    struct plan *plan =
                        shape_plan(ops, shape_packings[p], sizes[k].odd, sizes[k].log2_n, 10, exponent, 0, ops->max_radix);
                    const unsigned most = plan->shape.transform.n_column_passes == 0 ? 50 : 40;
                    check(plan, (enum kind)kind, test_below(3) == 0 ? 10 + (unsigned)test_below(30) : most,
                          1 + (unsigned)test_below(3));
                    plan_destroy(plan);
                }
}

/* Every exponent with every instruction set, few digits, most rounds. */
static void test_exponents(void)
{
    for (size_t i = 0; isa_ops_list(i) != NULL; i++)
        for (unsigned exponent = 1; exponent <= 9; exponent++)
            for (unsigned kind = 0; kind < KINDS; kind++)
                for (unsigned n = 0; n < (test_longest_tier() ? 40 : 4); n++) {
                    const struct isa_ops *ops = isa_ops_list(i);
                    struct plan *plan = shape_plan(ops, GFMUL_PACKING_RIGHT_ANGLE, 1, 6 + (unsigned)test_below(3), 10, exponent,
                                                   0, ops->max_radix); /* no column passes: nothing is rounded */
                    check(plan, (enum kind)kind, n == 0 ? 50 : 1 + (unsigned)test_below(50), 1);
                    plan_destroy(plan);
                }
}

static void test_lost(void)
{
    static const double lost[] = {NAN, -NAN, HUGE_VAL, -HUGE_VAL, 0x1p50, -0x1p52, 0x1p62, 0x1p300};
    for (size_t i = 0; isa_ops_list(i) != NULL; i++)
        for (size_t k = 0; k < N_SIZES; k++)
            for (unsigned n = 0; n < sizeof lost / sizeof *lost; n++) {
                const struct isa_ops *ops = isa_ops_list(i);
                struct plan *plan = shape_plan(ops, shape_packings[(n + k) % 3], sizes[k].odd, sizes[k].log2_n, n % 5 ? 10 : 7,
                                               1 + (unsigned)test_below(8), 0, ops->max_radix);
                if (plan->shape.transform.n_column_passes == 0 || !isfinite(lost[n])) /* column passes would spread the others */
                    check_lost(plan, lost[n], 1 + (unsigned)test_below(3));
                plan_destroy(plan);
            }
}

/* Other bases take the way through digits. */
static void test_other_bases(void)
{
    for (unsigned n = 0; n < 60; n++) {
        const struct isa_ops *ops = isa_ops_list(0);
        struct plan *plan =
            shape_plan(ops, shape_packings[n % 3], 1, 6 + n % 8, 3 + (unsigned)test_below(33), 1 + n % 3, 0, ops->max_radix);
        check(plan, (enum kind)test_below(KINDS), 40, 1 + n % 2);
        plan_destroy(plan);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_decimal);
    TEST_RUN(test_exponents);
    TEST_RUN(test_lost);
    TEST_RUN(test_other_bases);
    return test_end();
}
