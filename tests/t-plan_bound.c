/*
 * t-plan_bound.c - the bound as a function, and against whole products.  Its constants against single steps: t-bound_steps.c.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "bound_seen.h"
#include "reference.h"

#define U 0x1p-53

/* ---- the bound as a function ---- */

static void random_shape(struct plan_shape *s)
{
    const enum gfmul_packing packing = shape_packings[test_below(3)];
    const unsigned odd = plan_odd_factor((unsigned)test_below(PLAN_ODD_FACTORS)), log2_n = 6 + (unsigned)test_below(30);
    const size_t n = ((size_t)odd << log2_n) * (packing == GFMUL_PACKING_TWO_FOR_ONE ? 1 : 2), b = test_between(1, n / 2);
    const bool fma = test_u64() & 1;
    seen_shape(s, packing, odd, log2_n, 2, 1 + (unsigned)test_below(30), n - b, b, fma, seen_any(fma), test_u64() & 1 ? 8 : 4);
    test_note("packing=%d n=%u*2^%u l=%u digits %zu x %zu fma=%d", packing, odd, log2_n, s->digits.exponent, s->digits.an,
              s->digits.bn, s->bound.fma);
}

/* By how much the bound for measured norms may pass that for the worst case: it averages over the levels, of which the first
   two are exact in the cyclic packings; and of true radix 4 it counts digits twice that have both bits of their slot. */
static bool has_radix4(const struct plan_shape *s)
{
    return s->transform.pass[s->transform.n_passes - 1].butterfly != BUTTERFLY_NESTED; /* if any, the leaves */
}

static double measured_excess(const struct plan_shape *s)
{
    return s->transform.packing != GFMUL_PACKING_RIGHT_ANGLE ? 1.10 : has_radix4(s) ? 1.09 : 1.02;
}

static void check_measured(const struct plan_shape *s)
{
    if (s->digits.exponent >= 4 && s->digits.bn >= 8) /* elsewhere the margins reach the caps */
        TEST_CHECK(plan_bound_expected(s, NULL) < plan_bound_worst(s, NULL) * (has_radix4(s) ? measured_excess(s) : 1.0));
    TEST_CHECK(plan_bound_expected(s, NULL) < plan_bound_worst(s, NULL) * measured_excess(s));
    /* the worst case by its measured norms: the caps, and half of them behind each twiddle */
    const double h = (double)((s->digits.digit_base + 1) / 2);
    const struct digit_norms a = {(double)s->digits.an * h * h, (double)s->digits.an * h * h * s->transform.log2_n / 2};
    const struct digit_norms b = {(double)s->digits.bn * h * h, (double)s->digits.bn * h * h * s->transform.log2_n / 2};
    const double ratio = plan_bound_measured(s, &a, &b, NULL) / plan_bound_worst(s, NULL);
    TEST_CHECK_MSG(ratio > 0.9999 && ratio < measured_excess(s), "ratio %.6f", ratio);
}

static void test_monotonic(void)
{
    for (unsigned t = 0; t < 5000; t++) {
        struct plan_shape s, more;
        double k, k_more, bound;
        random_shape(&s);
        bound = plan_bound_worst(&s, &k);
        TEST_CHECK_MSG(k > 30 && k < 2000, "K = %g", k);
        TEST_CHECK(bound > k * U * sqrt((double)s.digits.an * (double)s.digits.bn) * ldexp(1.0, 2 * (int)s.digits.exponent - 2));
        more = s;
        more.digits.digit_base *= 2;
        TEST_CHECK(plan_bound_worst(&more, NULL) > bound);
        more = s;
        more.digits.an++;
        TEST_CHECK(plan_bound_worst(&more, NULL) > bound);
        check_measured(&s);
        s.butterfly = BUTTERFLY_NESTED;
        plan_shape_points(&s, s.transform.odd, s.transform.log2_n, 8);
        more = s;
        more.bound.fma = true;
        s.bound.fma = false;
        TEST_CHECK(plan_bound_worst(&more, NULL) < plan_bound_worst(&s, NULL));
        more = s;
        plan_shape_points(&s, s.transform.odd, s.transform.log2_n, 8);
        plan_shape_points(&more, s.transform.odd, s.transform.log2_n + 1, 8);
        TEST_CHECK(plan_bound_worst(&more, &k_more) > plan_bound_worst(&s, &k) && k_more > k);
        check_measured(&s);
    }
}

/* One zero operand, a measured norm of 2^53: there a sum may have stood still. */
static void test_odd_norms(void)
{
    for (unsigned t = 0; t < 1000; t++) {
        struct plan_shape s;
        struct digit_norms zero = {0, 0}, one = {0x1.fffffffffffffp52, 0x1.fffffffffffffp52}, above = {0x1p53, 0x1p53};
        double k;
        random_shape(&s);
        double bound = plan_bound_measured(&s, &zero, &one, &k);
        TEST_CHECK(isfinite(bound) && bound >= 0 && isfinite(k));
        if (s.transform.packing != GFMUL_PACKING_TWO_FOR_ONE)
            TEST_CHECK(bound == 0);
        double exact = plan_bound_measured(&s, &one, &one, &k), rounded = plan_bound_measured(&s, &above, &above, &k);
        TEST_CHECK_MSG(rounded > exact * (1 + 0x1p-21), "%.17g %.17g", rounded, exact);
    }
}

/* The largest proved digits of full balanced products, n points each: what nested radix 2 and radix 4 are known to get. */
static void test_digit_table(void)
{
    static const struct {
        unsigned log2_n, low, high;
    } table[] = {
        {8, 19, 20},  {10, 18, 18}, {12, 17, 17}, {14, 16, 16}, {16, 15, 15}, {18, 14, 14},
        {20, 13, 13}, {22, 12, 12}, {24, 10, 11}, {26, 9, 10},  {28, 8, 9},   {30, 7, 8},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        unsigned l = 30;
        struct plan_shape s;
        double bound;
        do {
            const size_t n = (size_t)1 << table[i].log2_n;
            seen_shape(&s, GFMUL_PACKING_RIGHT_ANGLE, 1, table[i].log2_n, 2, l, n, n, true, BUTTERFLY_NESTED, 8);
            bound = plan_bound_worst(&s, NULL);
        } while (bound >= 0.5 && --l > 0);
        test_note("log2_n=%u", table[i].log2_n);
        TEST_CHECK_MSG(l >= table[i].low && l <= table[i].high, "l = %u, should be %u to %u", l, table[i].low, table[i].high);
    }
}

static void test_decides(void)
{
    TEST_CHECK(plan_bound_decides(0.499, 0.499) && plan_bound_decides(0.93, 0.0625) && plan_bound_decides(0, 0.5));
    TEST_CHECK(!plan_bound_decides(0.5, 0.5) && !plan_bound_decides(0.9, 0.2) && !plan_bound_decides(1, 0));
    TEST_CHECK(!plan_bound_decides(NAN, 0) && !plan_bound_decides(0.1, NAN) && !plan_bound_decides(HUGE_VAL, 0) &&
               !plan_bound_decides(0.1, HUGE_VAL));
    TEST_CHECK(plan_bound_limit(false) == 0.5 && plan_bound_decides(plan_bound_limit(true), 0.03));
}

/* Coefficients of 2^50, in double-double 2^98, prove nothing: not all stages round them. */
static void test_values_rounded(void)
{
    static const double limit[PLAN_POINT_FIELDS] = {[PLAN_DOUBLE] = 0x1p50, [PLAN_DD] = 0x1p98};
    for (unsigned field = 0; field < PLAN_POINT_FIELDS; field++)
        for (unsigned rule = 0; rule < 2; rule++) {
            struct plan_shape s;
            struct plan_figures f = {.max_error = 0.1};
            double bound, k;
            random_shape(&s);
            s.field = field;
            s.rule = rule ? GFMUL_RULE_KNUTH : GFMUL_RULE_NORM;
            s.bound = (struct plan_bound){.value = 0.25};
            f.max_value = nextafter(limit[field], 0);
            TEST_CHECK(plan_judge(&s, &f, &bound, &k) && bound == 0.25);
            f.max_value = limit[field];
            TEST_CHECK(!plan_judge(&s, &f, &bound, &k));
            f.max_value = HUGE_VAL;
            TEST_CHECK(!plan_judge(&s, &f, &bound, &k));
        }
}

static void test_knuth(void)
{
    for (unsigned t = 0; t < 5000; t++) {
        struct plan_shape s;
        random_shape(&s);
        double m = ceil(log2((double)s.transform.n_digits) - 1e-9), l = ceil(log2((double)s.digits.digit_base) - 1e-9);
        TEST_CHECK(plan_knuth_holds(&s) == (4 * m + 2 * l <= 53));
        if (plan_knuth_holds(&s))
            TEST_CHECK_MSG(plan_bound_worst(&s, NULL) < 0x1p-16, "bound %g", plan_bound_worst(&s, NULL));
    }
}

/* ---- whole products ---- */

static void check_products(const struct isa_ops *ops, enum gfmul_packing packing, unsigned odd, unsigned log2_n, unsigned base)
{
    struct plan_shape s;
    struct plan *plan = NULL;
    const size_t n = ((size_t)odd << log2_n) * (packing == GFMUL_PACKING_TWO_FOR_ONE ? 1 : 2);
    unsigned exponent = 30;
    const size_t bn = test_below(2) ? n / 2 : test_between(1, n / 2), an = n - bn + 1;
    double bound = 1;
    while (pow(base, exponent) > 0x1p30)
        exponent--;
    for (; exponent > 0; exponent--) { /* the largest that is proved */
        seen_shape(&s, packing, odd, log2_n, base, exponent, an, bn, ops->fma, seen_butterfly(ops->butterfly), ops->max_radix);
        bound = plan_bound_worst(&s, NULL);
        if (bound < 0.5)
            break;
    }
    if (!TEST_CHECK(exponent > 0) || !TEST_OK(plan_create(&plan, &s, ops, 1)))
        return;
    const int32_t h = (int32_t)((s.digits.digit_base + 1) / 2);
    int32_t *a = seen_alloc(an, sizeof *a), *b = seen_alloc(bn, sizeof *b);
    for (int p = 0; p < SEEN_PATTERNS; p++) {
        const int q = test_below(2) ? p : (int)test_below(SEEN_PATTERNS);
        double measured, posterior;
        seen_fill(a, an, p, h, s.transform.n_points);
        seen_fill(b, bn, q, h, s.transform.n_points);
        shape_note(plan, seen_names[p], an);
        const double e = seen_error(plan, a, an, b, bn, &measured, &posterior);
        TEST_CHECK_MSG(e < measured || e == 0, "error %g, measured bound %g", e, measured);
        TEST_CHECK_MSG(measured <= bound * measured_excess(&s), "measured bound %g, worst-case bound %g", measured, bound);
        TEST_CHECK_MSG(e < bound, "error %g, bound %g", e, bound);
        TEST_CHECK_MSG(e < posterior || e == 0, "error %g, posterior bound %g", e, posterior);
        TEST_CHECK_MSG(posterior <= measured * (1 + 1e-9), "posterior bound %g, measured bound %g", posterior, measured);
    }
    free(a);
    free(b);
    plan_destroy(plan);
}

static void test_errors_below_bound(void)
{
    const struct isa_ops *ops;
    const unsigned last = test_longest_tier() ? 14 : 10;
    for (size_t i = 0; (ops = isa_ops_list(i)) != NULL; i++)
        for (unsigned p = 0; p < 3; p++)
            for (unsigned o = 0, odd; (odd = plan_odd_factor(o)) != 0; o++)
                for (unsigned log2_n = 6; log2_n + (odd > 15 ? 3 : odd > 5 ? 1 : 0) <= last; log2_n++)
                    check_products(ops, shape_packings[p], odd, log2_n, test_below(2) ? 2 : 2 + (unsigned)test_below(35));
}

/* Signs climbed to a large error, on few points, where climbing gets far. */
static void test_climbed_products(void)
{
    const struct isa_ops *ops;
    enum { POINTS = 64 };
    for (size_t i = 0; (ops = isa_ops_list(i)) != NULL; i++) {
        for (unsigned p = 0; p < 3; p++) {
            struct plan_shape s;
            struct plan *plan = NULL;
            int32_t a[POINTS], b[POINTS];
            const int32_t h = 1 << 20;
            const size_t n = shape_packings[p] == GFMUL_PACKING_TWO_FOR_ONE ? POINTS / 2 : POINTS;
            seen_shape(&s, shape_packings[p], 1, 6, 2, 21, n, n, ops->fma, seen_butterfly(ops->butterfly), ops->max_radix);
            if (!TEST_OK(plan_create(&plan, &s, ops, 1)))
                return;
            double best = 0, best_bound = 1;
            for (unsigned start = 0; start < 4; start++) {
                double now = 0;
                seen_fill(a, n, start % 2 ? SEEN_SIGNS : SEEN_NEAR_MAX, h, POINTS);
                seen_fill(b, n, start < 2 ? SEEN_SIGNS : SEEN_NEAR_MAX, h, POINTS);
                for (unsigned k = 0; k < (test_longest_tier() ? 20000u : 600u); k++) {
                    int32_t *d = test_below(2) ? a : b, *at = d + test_below(n), old = *at;
                    *at = k % 3 ? -old : old < 0 ? -h + (int32_t)test_below(64) : h - (int32_t)test_below(64);
                    double measured, posterior, e = seen_error(plan, a, n, b, n, &measured, &posterior);
                    shape_note(plan, "climbing, step", k);
                    TEST_CHECK_MSG(e < measured, "error %g, bound %g", e, measured);
                    TEST_CHECK_MSG(e < posterior, "error %g, posterior bound %g", e, posterior);
                    if (e >= now) {
                        now = e;
                        if (e / measured > best / best_bound) {
                            best = e;
                            best_bound = measured;
                        }
                    } else {
                        *at = old;
                    }
                }
            }
            printf("  %s %s: worst %.4f of %.4f\n", ops->name, plan_packing_name(shape_packings[p]), best, best_bound);
            plan_destroy(plan);
        }
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_monotonic);
    TEST_RUN(test_odd_norms);
    TEST_RUN(test_digit_table);
    TEST_RUN(test_decides);
    TEST_RUN(test_values_rounded);
    TEST_RUN(test_knuth);
    TEST_RUN(test_errors_below_bound);
    TEST_RUN(test_climbed_products);
    return test_end();
}
