/*
 * t-plan_posterior.c - the bound proved after the fact: its formula by the words of doc/error-bound.md, and random products.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "bound_seen.h"

/* Sections 4.2 and 5, written once more. */
static double inverse_constant(const struct plan_shape *s, const struct plan_pass *p, unsigned level)
{
    const bool gentle = level == 2 || (s->odd == 1 && p->node_points == s->n_points);
    return 1.0 + (s->fma ? gentle ? 2.6709 : 3.0001 : gentle ? 3.3781 : 4.0001);
}

static double odd_constant(const struct plan_shape *s, unsigned radix)
{
    switch (radix) {
    case 3:
        return s->fma ? 3.318 : 4.184;
    case 5:
        return s->fma ? 5.507 : 6.316;
    case 7:
        return s->fma ? 7.092 : 7.716;
    case 9:
        return s->fma ? 9.071 : 11.039;
    default: /* 15 */
        return s->fma ? 8.825 : 10.5;
    }
}

static void random_shape(struct plan_shape *s)
{
    const unsigned odd = plan_odd_factor((unsigned)test_below(9)), log2_n = 6 + (unsigned)test_below(30);
    const size_t n = ((size_t)odd << log2_n) * 2, b = test_between(1, n / 2);
    seen_shape(s, GFMUL_PACKING_RIGHT_ANGLE, odd, log2_n, 2, 1 + (unsigned)test_below(30), n - b, b, test_u64() & 1,
               test_u64() & 1 ? 8 : 4);
    test_note("n=%u*2^%u l=%u digits %zu x %zu fma=%d", odd, log2_n, s->exponent, s->a_digits, s->b_digits, s->fma);
}

/*
 * What the a-posteriori bound leaves of the inverse, by the words of section 15: each level weighs no more than the root of the
 * number of its nodes times the largest coefficient, and no more than the root of the energy of the points that its nodes end in.
 */
static double left_out(const struct plan_shape *s, double nodes, double z, double root_energy, double xy)
{
    const double parts = fmax(1, PLAN_ENERGY_CLASSES * nodes / (double)s->n_points);
    return fmax(0, 1 - fmin(sqrt(nodes) * z, sqrt(parts) * root_energy) / xy);
}

static void test_posterior(void)
{
    for (unsigned t = 0; t < 2000; t++) {
        struct plan_shape s;
        double k_prior, k, last = 0;
        random_shape(&s);
        const double h = (double)((s.digit_base + 1) / 2);
        const struct digit_norms a = {(double)s.a_digits * h * h / 3, (double)s.a_digits * h * h * s.log2_n / 6};
        const struct digit_norms b = {(double)s.b_digits * h * h / 3, (double)s.b_digits * h * h * s.log2_n / 6};
        const double prior = plan_bound_measured(&s, &a, &b, &k_prior), xy = sqrt(a.sum_sq) * sqrt(b.sum_sq);
        if (!(prior < 0.01 * xy)) /* the bound is a small part of what it is about, as in every plan */
            continue;
        TEST_CHECK(plan_bound_posterior(&s, &a, &b, HUGE_VAL, 1, NULL) == HUGE_VAL);
        TEST_CHECK(!(plan_bound_posterior(&s, &a, &b, NAN, 1, NULL) < 0.5));
        const double none = plan_bound_posterior(&s, &a, &b, 4 * xy, t % 2 ? HUGE_VAL : 4 * xy * xy, &k);
        TEST_CHECK_MSG(fabs(none / prior - 1) < 1e-8, "%.17g without, %.17g with a useless largest value", prior, none);
        for (double share = 0x1p-30; share <= 1; share *= 8) {
            const double value = share * xy, z = sqrt(2.0) * value + prior;
            /* not known, or an eighth of what random digits have, and up to eight times that */
            const double energy = t % 3 == 0 ? HUGE_VAL : xy * xy / 8 * (1 + 7 * (double)test_below(1000) / 1000);
            const double e = sqrt(energy) + sqrt((double)s.n_points / PLAN_ENERGY_CLASSES) * prior;
            double less = 0;
            for (unsigned p = 0; p < s.n_passes; p++) {
                const struct plan_pass *pass = &s.pass[p];
                if (pass->levels == 0)
                    less += odd_constant(&s, pass->radix) * left_out(&s, (double)(pass->radix * pass->n_nodes), z, e, xy);
                for (unsigned level = 0; level < pass->levels; level++) {
                    const double nodes = (double)s.n_points / ((double)pass->node_points / (1 << level));
                    less += inverse_constant(&s, pass, level) * left_out(&s, nodes, z, e, xy);
                }
            }
            if (s.odd > 1)
                less += (s.fma ? 1.0 : 2.0) * fmax(0, 1 - z / xy);
            /* sums above 2^53 are raised a little, which shifts the weights */
            const double tolerance = (1e-5 + 0x1p-50 * (double)s.n_digits) * k_prior;
            const double bound = plan_bound_posterior(&s, &a, &b, value, energy, &k);
            const double without = plan_bound_posterior(&s, &a, &b, value, HUGE_VAL, NULL);
            TEST_CHECK_MSG(fabs(k - (k_prior - less)) < tolerance, "K is %.9g, should be %.9g - %.9g", k, k_prior, less);
            TEST_CHECK_MSG(without >= last && without <= prior * (1 + 1e-8), "%.17g after %.17g, without %.17g", without, last,
                           prior);
            TEST_CHECK_MSG(bound <= without, "%.17g with energies, %.17g without", bound, without);
            last = without;
        }
        s.square = s.a_digits == s.b_digits;
        TEST_CHECK(plan_bound_expected_posterior(&s, NULL) <= plan_bound_expected(&s, NULL) * (1 + 1e-8));
    }
}

/*
 * Random products pass what is expected of them, and come near it.  One in 10^5 or fewer does not pass: three of them will not
 * be met.  Short operands have norms of any size, so that only those of 64 digits and more are near: 0.49 to 0.93, as measured.
 */
static void test_expected_posterior(void)
{
    const struct stage_ops *ops = stage_ops_list(0);
    unsigned beyond = 0;
    for (unsigned t = 0; t < (test_long() ? 3000u : 300u); t++) {
        struct plan_shape s;
        const unsigned log2_n = 6 + (unsigned)test_below(8);
        const size_t n = (size_t)1 << log2_n, bn = test_between(n / 8, n), an = 2 * n - bn;
        seen_shape(&s, GFMUL_PACKING_RIGHT_ANGLE, 1, log2_n, 2, 12, an, bn, ops->fma, ops->max_radix);
        const double expected = plan_bound_expected_posterior(&s, NULL);
        struct plan *plan = NULL;
        int32_t *a = seen_alloc(an, sizeof *a), *b = seen_alloc(bn, sizeof *b);
        if (!TEST_OK(plan_create(&plan, &s, ops, 1)))
            return;
        seen_fill(a, an, SEEN_UNIFORM, 1 << 11, n);
        seen_fill(b, bn, SEEN_UNIFORM, 1 << 11, n);
        double measured, posterior;
        seen_error(plan, a, an, b, bn, &measured, &posterior);
        shape_note(plan, "uniform digits, an =", an);
        beyond += !(posterior < expected);
        TEST_CHECK_MSG(posterior > (bn < 64 ? 0.0 : 0.3) * expected, "posterior bound %g, expected %g", posterior, expected);
        free(a);
        free(b);
        plan_destroy(plan);
    }
    TEST_CHECK_MSG(beyond < 3, "%u products do not pass what is expected", beyond);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_posterior);
    TEST_RUN(test_expected_posterior);
    return test_end();
}
