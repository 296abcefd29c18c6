/*
 * dd_seen.h - convolutions in double-double of digits given one by one, for tests and tables of the bound.
 */
#ifndef GFMUL_DD_SEEN_H
#define GFMUL_DD_SEEN_H

#include <stdlib.h>

#include "base/alloc.h"
#include "operands.h"
#include "plan/plan_dd.h"
#include "dd/dd_stages.h"
#include "test.h"

/* 113 bits. */
#ifdef __aarch64__
typedef long double quad;
#else
typedef __float128 quad;
#endif

/* A source of digits in an array. */
struct dd_array {
    struct digit_source source; /* first: cut finds the rest by it */
    const int64_t *d;
    size_t n;
};

TEST_UNUSED static void dd_array_cut(const struct digit_source *source, double *d, size_t first, size_t count)
{
    const struct dd_array *a = (const struct dd_array *)(const void *)source;
    for (size_t j = 0; j < count; j++)
        d[j] = first + j < a->n ? (double)a->d[first + j] : 0.0;
}

TEST_UNUSED static void *dd_need(size_t bytes)
{
    void *p = alloc_aligned(bytes);
    if (!p) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return p;
}

/*
 * dd_shape_odd - of odd 2^log2_n points, base 2^l, for operands of an and bn digits; passes in double as the schedule has it, and
 * with narrow digits as many light ones as the bound allows.
 */
TEST_UNUSED static void dd_shape_odd(struct plan_shape *s, unsigned odd, unsigned log2_n, unsigned l, size_t an, size_t bn,
                                     bool fma, bool narrow, bool schedule)
{
    memset(s, 0, sizeof *s);
    s->field = PLAN_DD;
    s->transform.packing = GFMUL_PACKING_RIGHT_ANGLE;
    s->digits.base = 2;
    s->digits.exponent = l;
    s->digits.digit_base = (uint64_t)1 << l;
    s->digits.bits = l;
    s->bound.fma = fma;
    s->grid.a_cells = s->grid.b_cells = 1;
    s->digits.an = an;
    s->digits.bn = bn;
    s->digits.narrow = narrow;
    plan_shape_points_dd(s, odd, log2_n);
    if (schedule)
        plan_dd_schedule(s, plan_bound_sums);
    if (narrow)
        plan_dd_lighten(s, plan_bound_worst, 0.5);
}

/* dd_shape - of 2^log2_n points. */
TEST_UNUSED static void dd_shape(struct plan_shape *s, unsigned log2_n, unsigned l, size_t an, size_t bn, bool fma, bool narrow,
                                 bool schedule)
{
    dd_shape_odd(s, 1, log2_n, l, an, bn, fma, narrow, schedule);
}

TEST_UNUSED static struct plan *dd_plan(const struct isa_ops *ops, const struct plan_shape *s)
{
    struct plan *plan = NULL;
    if (!TEST_OK(plan_create(&plan, s, ops, 1)))
        exit(1);
    return plan;
}

/*
 * dd_convolve - the convolution of a and b, rounded; b == a: a square.
 *
 *   v  out  2n rounded coefficients, or NULL
 * Returns the largest distance from an integer.
 */
TEST_UNUSED static double dd_convolve(const struct plan *plan, struct dd_rounded *v, const int64_t *a, size_t an,
                                      const int64_t *b, size_t bn, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    const struct stage_ops *f = plan->ops;
    const struct dd_array sa = {.source = {.cut_wide = dd_array_cut}, .d = a, .n = an};
    const struct dd_array sb = {.source = {.cut_wide = dd_array_cut}, .d = b, .n = bn};
    double *x = dd_need(plan_buffer_doubles(s) * sizeof *x), *y = a == b ? x : dd_need(plan_buffer_doubles(s) * sizeof *y);
    double *scratch = dd_need(threads * plan_dd_row_doubles(s) * sizeof *scratch);
    struct digit_norms norms;
    struct round_stats stats = {.max_error = 0};
    struct dd_rounded part[64];
    f->source_to_columns(plan, x, NULL, &(struct digit_cell){&sa.source, 0, an, DIGIT_PART_A}, &norms, threads);
    if (y != x)
        f->source_to_columns(plan, y, NULL, &(struct digit_cell){&sb.source, 0, bn, DIGIT_PART_A}, &norms, threads);
    f->columns_mul(plan, x, y, scratch, an, bn, threads);
    f->columns_to_digits(plan, x, threads);
    for (size_t j = 0; j < s->transform.n_digits; j += 64)
        f->digits_round_dd(plan, v ? v + j : part, x, j, 64, &stats);
    alloc_free(scratch);
    if (y != x)
        alloc_free(y);
    alloc_free(x);
    return stats.max_error;
}

/* dd_fill - n digits of one of the patterns of operands.h, |digit| <= 2^(l-1). */
TEST_UNUSED static void dd_fill(int64_t *d, size_t n, enum operand_kind kind, unsigned l)
{
    const uint64_t seed = test_u64();
    for (size_t j = 0; j < n; j++)
        d[j] = operand_digit(kind, (uint64_t)1 << l, j, n, seed);
}

/* dd_granted - the largest l whose bound is below 1/2 in the worst case. */
TEST_UNUSED static unsigned dd_granted(unsigned odd, unsigned log2_n, size_t an, size_t bn, bool fma, double *bound)
{
    for (unsigned l = DD_DIGIT_BITS; l >= 1; l--) {
        struct plan_shape s;
        dd_shape_odd(&s, odd, log2_n, l, an, bn, fma, true, false);
        *bound = plan_bound_worst(&s, NULL);
        if (*bound < 0.5 && plan_dd_carries_fit(&s))
            return l;
    }
    return 0;
}

#endif
