/*
 * t-plan_posterior.c - the bound, and that proved after the fact: their formulas by the words of doc/error-bound.md, and random
 * products.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "bound_seen.h"
#include "plan/plan_device.h"

/* Sections 4.2 and 5, written once more. */
static double inverse_constant(const struct plan_shape *s, const struct plan_pass *p, unsigned level)
{
    const bool gentle = level == 2 || (s->transform.odd == 1 && p->node_points == s->transform.n_points);
    return 1.0 + (s->bound.fma ? gentle ? 2.6709 : 3.0001 : gentle ? 3.3781 : 4.0001);
}

/* Section 4.3. */
static double radix4_constant(const struct plan_pass *p)
{
    return p->butterfly == BUTTERFLY_RADIX4 && p->node_points <= 16 ? 4.9956 : 2.7072;
}

/* Of odd radices, without FMA and with it. */
static const struct odd_constants {
    unsigned radix;
    double forward[2], inverse[2];
} odd_constants[] = {
    {3, {4.522, 3.522}, {4.184, 3.318}},   {5, {6.59, 4.59}, {6.316, 5.507}},    {7, {8.531, 5.531}, {7.716, 7.092}},
    {9, {11.715, 9.479}, {11.039, 9.071}}, {15, {11.112, 8.112}, {10.5, 8.825}},
};

static const struct odd_constants *odd_constants_of(unsigned radix)
{
    for (size_t i = 0; i < sizeof odd_constants / sizeof *odd_constants; i++)
        if (odd_constants[i].radix == radix)
            return &odd_constants[i];
    TEST_CHECK_MSG(false, "radix %u has no constants in this test", radix);
    exit(1);
}

static double odd_constant(const struct plan_shape *s, unsigned radix)
{
    return odd_constants_of(radix)->inverse[s->bound.fma];
}

static double odd_constant_forward(const struct plan_shape *s, unsigned radix)
{
    return odd_constants_of(radix)->forward[s->bound.fma];
}

/* The sums over the passes: section 6 for digits of any norms, D(x) over the norm, and F_f; section 7, D_i. */
static void transform_sums(const struct plan_shape *s, double *forward, double *elements, double *inverse)
{
    const bool cyclic = s->transform.packing != GFMUL_PACKING_RIGHT_ANGLE;
    *forward = *elements = *inverse = 0;
    for (unsigned p = 0; p < s->transform.n_passes; p++) {
        const struct plan_pass *pass = &s->transform.pass[p];
        const bool root = s->transform.odd == 1 && p == 0;
        if (pass->levels == 0) {
            *forward += odd_constant_forward(s, pass->radix);
            *elements += odd_constant_forward(s, pass->radix);
            *inverse += odd_constant(s, pass->radix);
        }
        const bool mixed = pass->butterfly == BUTTERFLY_MIXED;
        if (mixed || pass->butterfly == BUTTERFLY_RADIX4) {
            /* section 4.3: two sums and a product, on 3/4 of the energy; behind a mixed one the third level of radix 8 */
            const double t = radix4_constant(pass);
            *forward += 2.0 + t * sqrt(0.75);
            *elements += 2.0 + t * sqrt(1.5);
            *inverse += 2.0 + t;
            if (!mixed)
                continue;
        }
        for (unsigned level = mixed ? 2 : 0; level < pass->levels; level++) {
            const bool one = cyclic && root && level < 2, gentle = level == 2 || root; /* w = 1, or within 45 degrees */
            const double twiddle = one ? 0.0 : s->bound.fma ? gentle ? 1.6709 : 2.0001 : gentle ? 3.3781 : 4.0001;
            *forward += 1.0 + twiddle / sqrt(2.0);
            *elements += 1.0 + twiddle;
            *inverse += one ? 1.0 : inverse_constant(s, pass, level);
        }
    }
}

/* K for any digits: sections 7 and 14. */
static void test_prior(void)
{
    static const enum gfmul_packing packings[] = {GFMUL_PACKING_RIGHT_ANGLE, GFMUL_PACKING_TWO_FOR_ONE,
                                                  GFMUL_PACKING_ONE_FOR_HALF};
    for (unsigned t = 0; t < 3000; t++) {
        const enum gfmul_packing packing = packings[t % 3];
        const unsigned odd = plan_odd_factor((unsigned)test_below(PLAN_ODD_FACTORS)), log2_n = 6 + (unsigned)test_below(30);
        const size_t n = ((size_t)odd << log2_n) * (packing == GFMUL_PACKING_TWO_FOR_ONE ? 1 : 2), b = test_between(1, n / 2);
        struct plan_shape s;
        double forward, elements, inverse, k;
        const bool fma = test_u64() & 1;
        seen_shape(&s, packing, odd, log2_n, 2, 1 + (unsigned)test_below(20), n - b, b, fma, seen_any(fma),
                   test_u64() & 1 ? 8 : 4);
        transform_sums(&s, &forward, &elements, &inverse);
        const double g = s.bound.fma ? 2.0 : 2.2361, table = s.bound.fma ? 2.7072 : 2.9433,
                     scale = odd == 1      ? 0.0
                             : s.bound.fma ? 1.0
                                           : 2.0;
        const double r = sqrt((double)s.digits.an / (double)s.digits.bn) / ldexp(1, s.digits.balance_exp);
        const double want = packing == GFMUL_PACKING_RIGHT_ANGLE ? 2 * forward + g + inverse + scale
                            : packing == GFMUL_PACKING_TWO_FOR_ONE
                                ? forward * (r + 1 / r) + 2 + g + inverse + scale
                                : 2 * forward + 3 * sqrt(2.0) + table + 2 * g + 2 + sqrt(2.0) * inverse + scale;
        plan_bound_worst(&s, &k);
        test_note("packing %d, %u 2^%u points, %zu by %zu digits, fma %d", packing, odd, log2_n, s.digits.an, s.digits.bn,
                  s.bound.fma);
        TEST_CHECK_MSG(fabs(k - want) < 1e-6 * want, "K is %.9g, should be %.9g", k, want);
    }
}

static void random_shape(struct plan_shape *s)
{
    const unsigned odd = plan_odd_factor((unsigned)test_below(PLAN_ODD_FACTORS)), log2_n = 6 + (unsigned)test_below(30);
    const size_t n = ((size_t)odd << log2_n) * 2, b = test_between(1, n / 2);
    const bool fma = test_u64() & 1;
    seen_shape(s, GFMUL_PACKING_RIGHT_ANGLE, odd, log2_n, 2, 1 + (unsigned)test_below(30), n - b, b, fma, seen_any(fma),
               test_u64() & 1 ? 8 : 4);
    test_note("n=%u*2^%u l=%u digits %zu x %zu fma=%d", odd, log2_n, s->digits.exponent, s->digits.an, s->digits.bn,
              s->bound.fma);
}

/*
 * What the a-posteriori bound leaves of the inverse, by the words of section 11: each level weighs no more than the root of the
 * number of its nodes times the largest coefficient, and no more than the root of the energy of the points that its nodes end in.
 */
static double left_out(const struct plan_shape *s, double nodes, double z, double root_energy, double xy)
{
    const double parts = fmax(1, PLAN_ENERGY_CLASSES * nodes / (double)s->transform.n_points);
    return fmax(0, 1 - fmin(sqrt(nodes) * z, sqrt(parts) * root_energy) / xy);
}

/* .. of all levels, and of the scale. */
static double all_left_out(const struct plan_shape *s, double z, double root_energy, double xy)
{
    double less = s->transform.odd > 1 ? (s->bound.fma ? 1.0 : 2.0) * fmax(0, 1 - z / xy) : 0;
    for (unsigned p = 0; p < s->transform.n_passes; p++) {
        const struct plan_pass *pass = &s->transform.pass[p];
        if (pass->levels == 0)
            less += odd_constant(s, pass->radix) * left_out(s, (double)(pass->radix * pass->n_nodes), z, root_energy, xy);
        for (unsigned level = 0; level < pass->levels; level++) {
            const double nodes = (double)s->transform.n_points / ((double)pass->node_points / (1 << level));
            const bool step = pass->butterfly == BUTTERFLY_NESTED || level == 2;
            const double constant = step ? inverse_constant(s, pass, level) : level == 0 ? 1.0 + radix4_constant(pass) : 1.0;
            less += constant * left_out(s, nodes, z, root_energy, xy);
        }
    }
    return less;
}

static void test_posterior(void)
{
    for (unsigned t = 0; t < 2000; t++) {
        struct plan_shape s;
        double k_prior, k, last = 0;
        random_shape(&s);
        const double h = (double)((s.digits.digit_base + 1) / 2);
        const struct digit_norms a = {(double)s.digits.an * h * h / 3, (double)s.digits.an * h * h * s.transform.log2_n / 6};
        const struct digit_norms b = {(double)s.digits.bn * h * h / 3, (double)s.digits.bn * h * h * s.transform.log2_n / 6};
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
            const double e = sqrt(energy) + sqrt((double)s.transform.n_points / PLAN_ENERGY_CLASSES) * prior;
            const double less = all_left_out(&s, z, e, xy);
            /* sums above 2^53 are raised a little, which shifts the weights */
            const double tolerance = (1e-5 + 0x1p-50 * (double)s.transform.n_digits) * k_prior;
            const double bound = plan_bound_posterior(&s, &a, &b, value, energy, &k);
            const double without = plan_bound_posterior(&s, &a, &b, value, HUGE_VAL, NULL);
            TEST_CHECK_MSG(fabs(k - (k_prior - less)) < tolerance, "K is %.9g, should be %.9g - %.9g", k, k_prior, less);
            TEST_CHECK_MSG(without >= last && without <= prior * (1 + 1e-8), "%.17g after %.17g, without %.17g", without, last,
                           prior);
            TEST_CHECK_MSG(bound <= without, "%.17g with energies, %.17g without", bound, without);
            last = without;
        }
        s.square = s.digits.an == s.digits.bn;
        TEST_CHECK(plan_bound_expected_posterior(&s, NULL) <= plan_bound_expected(&s, NULL) * (1 + 1e-8));
    }
}

/*
 * Random products pass what is expected of them, and come near it.  One in 10^5 or fewer does not pass: three of them will not
 * be met.  Short operands have norms of any size, so that only those of 64 digits and more are near: 0.49 to 0.93, as measured.
 */
static void test_expected_posterior(void)
{
    const struct isa_ops *ops = isa_ops_list(0);
    unsigned beyond = 0;
    for (unsigned t = 0; t < (test_longest_tier() ? 3000u : 300u); t++) {
        struct plan_shape s;
        const unsigned log2_n = 6 + (unsigned)test_below(8);
        const size_t n = (size_t)1 << log2_n, bn = test_between(n / 8, n), an = 2 * n - bn;
        seen_shape(&s, GFMUL_PACKING_RIGHT_ANGLE, 1, log2_n, 2, 12, an, bn, ops->fma, seen_butterfly(ops->butterfly),
                   ops->max_radix);
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

/* A device's level whose twiddles are products, s levels below those of the row's entry: sections 18.1 and 18.2. */
static void test_product_levels(void)
{
    for (int s = 1; s <= 20; s++) {
        struct plan_constants sum = {.plain = 0};
        const double sigma = sin(3.14159265358979 * ldexp(1, -s)), p = exp2(ceil(log2(sigma) - 1e-9));
        const double t = 1.7073 + sqrt(1 + p * p) / 2 + sigma + 1e-4;
        plan_constants_product(&sum, ldexp(1, -s - 1));
        test_note("s=%d", s);
        TEST_CHECK_MSG(fabs(sum.plain - 3.0324) < 1e-9 && fabs(sum.twiddle - t) < 1e-9 && fabs(sum.twiddle_sq - t * t) < 1e-8 &&
                           fabs(sum.inverse - 3 - t) < 1e-9,
                       "%.9g, %.9g, %.9g; T should be %.9g", sum.plain, sum.twiddle, sum.inverse, t);
    }
}

/* What a device's passes add up to in double-double: section 18.4, where constants are rounded up by less than 0.1. */
static void test_device_dd(void)
{
    /* and how many first levels take digits */
    static const struct {
        const char *text;
        unsigned narrow;
    } plans[] = {{"16/1/16,8.8/8/1", 1},    {"3.4/3/8/s,16.4/8/1", 1},     {"5.4/5/8/s,4/1/16,8.8/8/1/s", 1},
                 {"7.8/7/8,8.8/8/1", 1},    {"9.4/9/8,8.8/8/1", 0},        {"15.2/15/8,8.8/8/1", 0},
                 {"4.4/4/16/s,8.8/8/1", 2}, {"2.8/4/16/s,4.4.4/16/1/s", 1}, {"5.36/36/4,8.8/8/1/s", 0}};
    static const struct {
        unsigned radix;
        double forward, inverse;
    } odd[] = {{3, 18, 21}, {5, 23.2, 31.6}, {7, 31.5, 38.6}, {9, 54.71, 60.71}, {15, 41.2, 52.6}};
    struct plan_request request = {
        .rule = GFMUL_RULE_NORM, .precision = GFMUL_PRECISION_DD, .base = 2, .an = 64, .bn = 64, .worst_case = true, .fma = true};
    const double t = 18.001 + sqrt(0.5);
    for (size_t i = 0; i < 2 * (sizeof plans / sizeof *plans); i++) {
        struct plan_shape d;
        double forward = 0, twiddle = 0, inverse = 0;
        const unsigned levels = i % 2 == 0 ? plans[i / 2].narrow : 0;
        request.full_precision = i % 2 == 1;
        test_note("%s, narrow levels: %u", plans[i / 2].text, levels);
        if (!TEST_OK(plan_device_parse(&d, &request, plans[i / 2].text, 30, NULL, 0)))
            continue;
        TEST_CHECK_MSG(device_narrow_levels(&d) == levels, "%u narrow levels", device_narrow_levels(&d));
        for (unsigned p = 0; p < d.device.n_passes; p++)
            for (unsigned k = 0; k < d.device.forward[p].n_stages; k++) {
                const unsigned radix = d.device.forward[p].radix[k];
                for (size_t o = 0; o < sizeof odd / sizeof *odd; o++) {
                    forward += radix / (radix & -radix) == odd[o].radix ? odd[o].forward : 0;
                    inverse += radix / (radix & -radix) == odd[o].radix ? odd[o].inverse : 0;
                }
                for (unsigned r = radix; r % 2 == 0; r /= 2) {
                    const bool second = radix == 4 && r == 2; /* radix 4: one step, twiddles on three quarters */
                    const bool digits = p == 0 && k == 0 && r == radix && levels > 0;
                    const double there = digits ? (radix == 4 ? 9.501 : 2.001) + sqrt(0.5) : t;
                    forward += 3;
                    inverse += 3 + (second ? 0 : t);
                    twiddle += second ? 0 : radix == 4 ? sqrt(1.5) * there : there;
                }
            }
        const struct plan_constants *c = &d.bound.constants;
        TEST_CHECK_MSG(c->plain >= forward - 1e-9 && c->plain < forward + 0.1 && c->inverse >= inverse - 1e-3 &&
                           c->inverse < inverse + 0.1 && c->twiddle >= twiddle - 1e-3 && c->twiddle < twiddle + 0.1,
                       "%g forward, should be %g; twiddles %g, %g; inverse %g, %g", c->plain, forward, c->twiddle, twiddle,
                       c->inverse, inverse);
        TEST_CHECK(c->product == 18 && c->scale == 6);
    }
}

/*
 * .. and in double: sections 4.1, 4.2 and 5 with FMA, 18.1 and 18.2; what ends in which nodes, section 11; T_q of 18.7, which is
 * that of the last level.
 */
static void device_sums(const struct device_pass *pass, unsigned depth, bool first, bool cyclic, struct plan_constants *sum)
{
    const struct plan_shape with_fma = {.bound.fma = 1};
    unsigned level = 0;
    for (unsigned k = 0; k < pass->n_stages; k++) {
        unsigned odd = pass->radix[k];
        while (odd % 2 == 0)
            odd /= 2;
        if (odd > 1) {
            const double c = odd_constant(&with_fma, odd);
            sum->plain += odd_constant_forward(&with_fma, odd);
            sum->inverse += c;
            *(device_pass_coprime(pass) ? &sum->inverse_level[device_radix_log2(pass->radix[0])] : &sum->inverse_odd) += c;
        }
        for (unsigned r = pass->radix[k] / odd, v = 0; r > 1; r /= 2, v++, level++) {
            double t = 2.0001, in = 4.0001, plain = 1;
            sum->leaf = 3.0001;
            if (k >= pass->direct_stages) { /* a product of two twiddles */
                const double sigma = sin(3.14159265358979 * ldexp(1, -(int)level)), p = exp2(ceil(log2(sigma) - 1e-9));
                t = 1.7073 + sqrt(1 + p * p) / 2 + sigma + 1e-4;
                in = 3 + t;
                plain = 3.0324;
                sum->leaf = 2 + t;
            } else if (first && k == 0 && cyclic && v < 2) { /* products with 1 and i */
                t = 0;
                in = 1;
            } else if ((first && k == 0) || v >= 2) { /* within 45 degrees */
                t = 1.6709;
                in = 3.6709;
                sum->leaf = 2.6709;
            }
            sum->plain += plain;
            sum->twiddle += t;
            sum->twiddle_sq += t * t;
            sum->inverse += in;
            sum->inverse_level[depth + level] += in;
        }
    }
}

static void test_device_sums(void)
{
    static const char *const c[] = {
        "16/1/16,8.8/8/1",
        "8.8/8/16/s,8.8/8/16/s,8.8:d1/8/1/s",
        "16.4/16/8/s,8.4.2:d1/8/1/s",
        "16.4/16/8/s,8.4.2:d2/8/1/s",
        "3.4/3/8/s,16.4/8/1",
        "5.4/5/8/s,4/1/16,8.8/8/1/s",
        "7.8/7/8,8.8/8/1",
        "9.4/9/8,8.8:d1/8/1",
        "9.5/9/16/s,8.8/8/1", /* the second pass is not the root's, though no level of radix 2 is above it */
        "15.2/15/8,8.8/8/1",
        "18.20/18/8/s,8.8/8/1",
        "16.4/16/8/s,8.8:d1/8/1/s,4.4.4/16/8/s",
        "4.4.4/16/8/s,8.8/8/16/s,8.8:d1/8/1/s,8.8:d1/8/16/s,8.8/8/8/s",
    };
    struct plan_request request = {.rule = GFMUL_RULE_NORM, .base = 2, .an = 64, .bn = 64, .worst_case = true, .fma = true};
    static const enum gfmul_packing packings[] = {GFMUL_PACKING_RIGHT_ANGLE, GFMUL_PACKING_TWO_FOR_ONE,
                                                  GFMUL_PACKING_ONE_FOR_HALF};
    enum { SHAPES = sizeof c / sizeof *c };
    unsigned coprime = 0, pairs = 0;
    for (size_t i = 0; i < 3 * SHAPES; i++) {
        const bool cyclic = i >= SHAPES;
        struct plan_constants want = {.plain = 0}, back = {.plain = 0};
        struct plan_shape d;
        char detail[256] = "";
        unsigned depth = 0;
        request.packing = packings[i / SHAPES];
        test_note("%s, packing %d", c[i % SHAPES], request.packing);
        const enum gfmul_status status = plan_device_parse(&d, &request, c[i % SHAPES], 12, detail, sizeof detail);
        if (cyclic && status != GFMUL_OK) /* a pass with odd radices beside powers of two */
            continue;
        if (!TEST_CHECK_MSG(status == GFMUL_OK, "%s", detail))
            continue;
        pairs += cyclic;
        coprime += device_pass_coprime(&d.device.forward[0]);
        for (unsigned p = 0; p < d.device.n_passes; p++) {
            device_sums(&d.device.forward[p], depth, p == 0, cyclic, &want);
            device_sums(&d.device.inverse[p], depth, p == 0, cyclic, &back);
            for (unsigned k = 0; k < d.device.forward[p].n_stages; k++)
                depth += device_radix_log2(d.device.forward[p].radix[k]);
        }
        const struct plan_constants *sum = &d.bound.constants;
        TEST_CHECK_MSG(fabs(sum->plain - want.plain) < 1e-6 && fabs(sum->twiddle - want.twiddle) < 1e-6 &&
                           fabs(sum->twiddle_sq - want.twiddle_sq) < 1e-6 && fabs(sum->inverse - back.inverse) < 1e-6 &&
                           fabs(sum->inverse_odd - back.inverse_odd) < 1e-6,
                       "%.9g, %.9g, %.9g, %.9g, %.9g; should be %.9g, %.9g, %.9g, %.9g, %.9g", sum->plain, sum->twiddle,
                       sum->twiddle_sq, sum->inverse, sum->inverse_odd, want.plain, want.twiddle, want.twiddle_sq, back.inverse,
                       back.inverse_odd);
        TEST_CHECK_MSG(fabs(sum->leaf - want.leaf) < 1e-6, "T_q is %.9g, should be %.9g", sum->leaf, want.leaf);
        if (request.packing == GFMUL_PACKING_ONE_FOR_HALF) { /* section 14.2 */
            const double rest = 3 * sqrt(2) + want.leaf + 2 * 2 + 2 + sqrt(2) * back.inverse + (d.transform.odd > 1),
                         want_k = 2 * (want.plain + want.twiddle / sqrt(2)) + rest;
            double k;
            plan_bound_worst(&d, &k);
            TEST_CHECK_MSG(fabs(k - want_k) < 1e-6 * want_k, "K is %.9g, should be %.9g", k, want_k);
        }
        for (unsigned k = 0; k < PLAN_MAX_LEVELS; k++)
            TEST_CHECK_MSG(fabs(sum->inverse_level[k] - back.inverse_level[k]) < 1e-6, "level %u: %.9g, should be %.9g", k,
                           sum->inverse_level[k], back.inverse_level[k]);
    }
    TEST_CHECK(coprime > 0 && pairs >= SHAPES);
}

/* A plan for expected norms has one for any digits to fall back on, near the end of what is proved, too. */
static void test_falls_back(void)
{
    unsigned measured = 0, refused = 0;
    for (double size = 1e6; size < 1e12; size *= 1.3) {
        struct plan_request r = {
            .rule = GFMUL_RULE_NORM, .base = 36, .precision = GFMUL_PRECISION_DOUBLE, .max_radix = 8, .fma = true};
        struct plan_shape s;
        r.an = r.bn = (size_t)size;
        test_note("%.0f digits of base 36", size);
        if (plan_size(&s, &r, NULL, 0) != GFMUL_OK) {
            refused++;
        } else if (s.bound.norms_measured) {
            measured++;
            plan_request_next(&r, &s);
            TEST_OK(plan_size(&s, &r, NULL, 0));
            TEST_CHECK(!s.bound.norms_measured);
        }
    }
    TEST_CHECK_MSG(measured > 0 && refused > 0, "%u plans of measured norms, %u refused", measured, refused);
    /* rule checked: shorter digits first, where there are any */
    struct plan_request r = {.rule = GFMUL_RULE_CHECKED, .base = 36};
    const struct plan_shape one = {.digits.exponent = 1, .digits.bits = log2(36)},
                            two = {.digits.exponent = 2, .digits.bits = 2 * log2(36)};
    plan_request_next(&r, &two);
    TEST_CHECK(r.rule == GFMUL_RULE_CHECKED && r.max_exponent == 1 && !r.worst_case);
    r.max_exponent = 0;
    plan_request_next(&r, &one);
    TEST_CHECK(r.rule == GFMUL_RULE_NORM && r.max_exponent == 0 && r.worst_case);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_prior);
    TEST_RUN(test_posterior);
    TEST_RUN(test_expected_posterior);
    TEST_RUN(test_product_levels);
    TEST_RUN(test_device_dd);
    TEST_RUN(test_device_sums);
    TEST_RUN(test_falls_back);
    return test_end();
}
