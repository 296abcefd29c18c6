/*
 * t-distances.c - how far a coefficient lies from its integer is seen wherever it lies, on every way from points to a product.
 *
 * It is a part of the proof (section 8 of doc/error-bound.md): each test puts a single one beside its integer, all others being
 * integers.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "dd_seen.h"
#include "shapes.h"
#include "text/text.h"

enum way { WAY_LIMBS, WAY_COLUMNS_LIMBS, WAY_TEXT, WAY_SLICE, WAY_COLUMNS_TEXT, WAYS };
static const char *const way_names[WAYS] = {"digits_to_limbs", "columns_to_limbs", "digits_to_text", "a slice's digits_to_text",
                                            "columns_to_text"};

/* zeros - whether n bytes are all c. */
static bool zeros(const void *z, size_t n, int c)
{
    const char *p = z;
    while (n > 0 && *p == c)
        p++, n--;
    return n == 0;
}

/* impulse - the coefficient j, scaled, is `value`, all others are 0. */
static void impulse(const struct plan *plan, double *x, size_t j, double value, bool columns)
{
    const struct plan_shape *s = &plan->shape;
    for (size_t p = 0; p < s->transform.n_points; p++)
        x[shape_point(plan, p)] = x[shape_point(plan, p) + 8] = 0;
    if (columns && s->transform.n_column_passes > 0) { /* there is something to undo */
        x[shape_digit(plan, DIGIT_PART_A, j)] = value / plan->scale / (double)s->transform.n_points;
        plan->ops->digits_to_spectrum(plan, x, s->transform.n_points, 1);
        plan->ops->spectrum_to_columns(plan, x, NULL, 1);
    } else {
        x[shape_digit(plan, DIGIT_PART_A, j)] = value / plan->scale;
    }
}

static void check(const struct plan *plan, enum way way, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    const bool text = way >= WAY_TEXT, columns = way == WAY_COLUMNS_LIMBS || way == WAY_COLUMNS_TEXT;
    const size_t j = test_below(s->transform.n_digits),
                 full = text ? s->transform.n_digits * s->digits.exponent : s->transform.n_digits / 64 * s->digits.exponent + 1;
    const size_t advance = 16 * test_between(1, s->transform.n_digits / 32), n_tail = test_between(1, s->transform.n_digits / 2);
    const size_t zn = way == WAY_SLICE ? advance * s->digits.exponent : test_below(3) ? full : test_between(1, full);
    const double value = test_below(2) ? 0.25 : -0.25;
    double *x = shape_buffer(plan), *scratch = shape_scratch(plan, threads);
    int64_t *tail = test_alloc(n_tail * sizeof *tail);
    void *z = test_alloc(8 * zn);
    struct round_stats stats = {.max_error = 0};
    shape_note(plan, way_names[way], zn);
    test_note("%s, %u threads: %g at %zu of %zu", way_names[way], threads, value, j, s->transform.n_digits);
    impulse(plan, x, j, value, columns);
    switch (way) {
    case WAY_LIMBS:
        TEST_OK(digits_to_limbs(plan, z, zn, x, &stats, threads));
        break;
    case WAY_COLUMNS_LIMBS:
        TEST_OK(columns_to_limbs(plan, z, zn, x, scratch, &stats, threads));
        break;
    case WAY_TEXT:
        digits_to_text(plan, z, zn, x, NULL, &stats, threads);
        break;
    case WAY_SLICE:
        digits_to_text(plan, z, zn, x, &(struct text_tails){.out = tail, .n = n_tail, .advance = advance}, &stats, threads);
        TEST_CHECK_MSG(zeros(tail, n_tail * sizeof *tail, 0), "the tail is not 0");
        break;
    default:
        TEST_OK(columns_to_text(plan, &(struct text_place){z, zn, NULL}, x, scratch, &stats, threads));
    }
    TEST_CHECK_MSG(fabs(stats.max_error - 0.25) < 1e-9, "%s %s n=%u*2^%u B=%u^%u: the distance is %g", plan->isa->name,
                   plan_packing_name(s->transform.packing), s->transform.odd, s->transform.log2_n, s->digits.base,
                   s->digits.exponent, stats.max_error);
    TEST_CHECK_MSG(fabs(stats.max_value - 0.25) < 1e-9, "the largest value is %g", stats.max_value);
    TEST_CHECK_MSG(zeros(z, text ? zn : 8 * zn, text ? '0' : 0), "the product is not 0");
    free(z);
    free(tail);
    alloc_free(scratch);
    alloc_free(x);
}

/* Every instruction set, packing and way, with column passes and without, decimal text and other. */
static void test_double(void)
{
    static const struct {
        unsigned odd, log2_n;
    } sizes[] = {{1, 6}, {3, 6}, {1, 8}, {5, 8}, {1, 12}, {3, 12}, {1, 14}};
    const struct isa_ops *ops;
    shape_any_rows = true;
    for (size_t i = 0; (ops = isa_ops_list(i)) != NULL; i++)
        for (unsigned p = 0; p < 3; p++)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
                for (unsigned way = 0; way < WAYS; way++)
                    for (unsigned t = 0; t < (test_longest_tier() ? 60u : 3u); t++) {
                        const bool text = way >= WAY_TEXT, decimal = t % 3 > 0;
                        const unsigned base = !text ? 2 : decimal ? 10 : 7;
                        const unsigned exponent = !text     ? (unsigned)test_between(1, 30)
                                                  : decimal ? (unsigned)test_between(1, 9)
                                                            : (unsigned)test_between(1, 10);
                        struct plan *plan =
                            shape_plan(ops, shape_packings[p], sizes[k].odd, sizes[k].log2_n, base, exponent, 0, ops->max_radix);
                        check(plan, (enum way)way, 1 + (unsigned)test_below(3));
                        plan_destroy(plan);
                    }
}

/* dd_place - the coefficient j, scaled, is h + l, all others are 0. */
static void dd_place(const struct plan *plan, double *x, size_t j, double h, double l)
{
    const size_t n = plan_buffer_doubles(&plan->shape), at = dd_digit_place(&plan->shape, j);
    for (size_t i = 0; i < n; i++)
        x[i] = 0;
    x[at] = h / plan->scale;
    x[at + 2 * PLAN_BLOCK] = l / plan->scale;
}

/* In double-double the fraction may be that of the first part or of the second, behind an integer of up to 97 bits. */
static void test_dd(void)
{
    const struct isa_ops *ops;
    for (size_t i = 0; (ops = isa_ops_list(i)) != NULL; i++)
        for (unsigned t = 0; t < (test_longest_tier() ? 600u : 60u); t++) {
            const bool text = t % 3 > 0;
            struct plan_shape s;
            dd_shape(&s, DD_LEVELS_MIN + t % 4, 40, 300, 300, ops->fma, true, false);
            if (text) {
                s.digits.base = t % 2 ? 10 : 7;
                s.digits.exponent = 12;
                for (s.digits.digit_base = 1; s.digits.digit_base < (s.digits.base == 10 ? 1000000000000 : 13841287201);)
                    s.digits.digit_base *= s.digits.base;
            }
            struct plan *plan = dd_plan(ops, &s);
            const size_t j = test_below(s.transform.n_digits), advance = 64 * test_between(1, s.transform.n_digits / 128),
                         n_tail = s.transform.n_digits / 2;
            const bool slice = t % 3 == 2;
            const size_t full =
                text ? s.transform.n_digits * s.digits.exponent : s.transform.n_digits / 64 * s.digits.exponent + 1;
            const size_t zn = slice ? advance * s.digits.exponent : test_below(3) ? full : test_between(1, full);
            const unsigned threads = 1 + (unsigned)test_below(3), bits = (unsigned)test_between(55, 97);
            const bool behind = test_below(2);
            const double value = test_below(2) ? 0.25 : -0.25, h = behind ? ldexp(1, (int)bits) : value, l = behind ? value : 0;
            double *x = dd_need(plan_buffer_doubles(&s) * sizeof *x);
            __int128 *tail = dd_need(n_tail * sizeof *tail);
            void *z = dd_need(8 * zn);
            struct round_stats stats = {.max_error = 0};
            test_note("%s, dd, B = %u^%u, %u threads, %s: %g + %g at %zu of %zu", ops->name, s.digits.base, s.digits.exponent,
                      threads,
                      slice  ? "a slice's text"
                      : text ? "text"
                             : "limbs",
                      h, l, j, s.transform.n_digits);
            dd_place(plan, x, j, h, l);
            const struct text_tails tails = {.out = tail, .n = n_tail, .advance = advance};
            if (text)
                TEST_OK(dd_digits_to_text(plan, z, zn, x, slice ? &tails : NULL, &stats, threads));
            else
                TEST_OK(digits_to_limbs(plan, z, zn, x, &stats, threads));
            TEST_CHECK_MSG(stats.max_error == 0.25, "the distance is %g", stats.max_error);
            TEST_CHECK_MSG(stats.max_value == fabs(h), "the largest value is %g", stats.max_value);
            if (!behind)
                TEST_CHECK_MSG(zeros(z, text ? zn : 8 * zn, text ? '0' : 0), "the product is not 0");
            alloc_free(z);
            alloc_free(tail);
            alloc_free(x);
            plan_destroy(plan);
        }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_double);
    TEST_RUN(test_dd);
    return test_end();
}
