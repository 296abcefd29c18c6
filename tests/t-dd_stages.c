/* t-dd_stages.c - the stages in double-double on every instruction set: convolutions, digits, errors below their bounds. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "dd_seen.h"
#include "plan/root_fixed.h"

/* compare - rounded coefficients with the convolution of the digits, modulo 2^128: all of it for short ones, else some. */
static bool compare(const struct plan *plan, const struct dd_rounded *v, const int64_t *a, size_t an, const int64_t *b, size_t bn)
{
    const size_t n_digits = plan->shape.transform.n_digits, step = n_digits > 4096 ? n_digits / 64 - 1 : 1;
    for (size_t j = 0; j < n_digits; j += step) {
        __int128 want = 0, got = (__int128)v[j].high * ((__int128)1 << 48) + v[j].low;
        for (size_t i = j < bn ? 0 : j - bn + 1; i < an && i <= j; i++)
            want += (__int128)a[i] * b[j - i];
        if (!TEST_CHECK_MSG(want == got, "coefficient %zu: off by %" PRId64, j, (int64_t)(got - want)))
            return false;
    }
    return true;
}

static void convolve_patterns(const struct isa_ops *ops, unsigned odd, unsigned log2_n, bool narrow, unsigned products)
{
    const size_t n = (size_t)odd << log2_n;
    int64_t *a = dd_need(2 * n * sizeof *a), *b = dd_need(2 * n * sizeof *b);
    struct dd_rounded *v = dd_need(2 * n * sizeof *v);
    for (unsigned i = 0; i < products; i++) {
        const bool full = test_below(3) > 0,
                   square = test_below(4) == 0; /* one longer than half of the capacity: imaginary parts */
        const size_t an = full ? n : test_between(n, 2 * n - 2), bn = full || square ? (square ? n : n) : 2 * n - an;
        double bound;
        const unsigned most = dd_granted(odd, log2_n, square ? n : an, bn, ops->fma, &bound);
        const unsigned l = test_below(3) ? most : (unsigned)test_between(1, most);
        struct plan_shape s;
        dd_shape_odd(&s, odd, log2_n, l, square ? n : an, bn, ops->fma, narrow, test_below(2));
        const enum operand_kind ak =
            test_below(3) ? (enum operand_kind)test_between(OPERAND_DIGITS_MAX, OPERAND_KINDS - 1) : OPERAND_RANDOM;
        const enum operand_kind bk = test_below(2) ? ak : (enum operand_kind)test_between(OPERAND_DIGITS_MAX, OPERAND_KINDS - 1);
        dd_fill(a, square ? n : an, ak, l);
        dd_fill(b, bn, bk, l);
        if (test_below(3) == 0) /* fewer light ones err less */
            plan_dd_light(&s, (unsigned)test_below(s.transform.light_passes + 1));
        test_note("%s, %u 2^%u points, l = %u, %s %s by %s, %zu by %zu digits, %u light passes, %u in double, narrow %d",
                  ops->name, odd, log2_n, l, square ? "square of" : "", operand_name(ak), operand_name(bk), an, bn,
                  s.transform.light_passes, s.transform.double_passes, narrow);
        struct plan *plan = dd_plan(ops, &s);
        bound = plan_bound_worst(&s, NULL);
        if (!narrow && !(bound < 0.5)) { /* its constants are larger */
            plan_destroy(plan);
            continue;
        }
        const size_t xn = square ? n : an;
        const double error = dd_convolve(plan, v, a, xn, square ? a : b, square ? n : bn, test_below(2) ? 1 : 3);
        TEST_CHECK_MSG(error <= bound && bound < 0.5, "error %g, bound %g", error, bound);
        const bool good = compare(plan, v, a, xn, square ? a : b, square ? n : bn);
        plan_destroy(plan);
        if (!good)
            break;
    }
    alloc_free(v);
    alloc_free(b);
    alloc_free(a);
}

/* Patterns of digits at the largest l that is proved, and below; schedules with passes in double. */
static void test_convolutions(void)
{
    const struct isa_ops *ops;
    for (size_t i = 0; (ops = isa_ops_list(i)) != NULL; i++) {
        for (unsigned log2_n = DD_LEVELS_MIN; log2_n <= 12; log2_n++)
            for (unsigned narrow = 0; narrow < 2; narrow++)
                convolve_patterns(ops, 1, log2_n, narrow, test_longest_tier() ? 200 : 12);
        for (unsigned odd = 3; odd <= 7; odd += 2)
            for (unsigned log2_n = DD_LEVELS_MIN; log2_n <= 11; log2_n++)
                convolve_patterns(ops, odd, log2_n, log2_n % 2 == 1, test_longest_tier() ? 100 : 8);
        convolve_patterns(ops, 1, 14, true, 4);
        convolve_patterns(ops, 3, test_longest_tier() ? 17 : 14, true, 2);
        convolve_patterns(ops, 1, test_longest_tier() ? 20 : 17, true, 2); /* column passes of radix 2 and 4 */
        convolve_patterns(ops, 1, test_longest_tier() ? 19 : 16, true, 2);
    }
}

/* The shortest ones alone: for emulators. */
static void test_short_convolutions(void)
{
    const struct isa_ops *ops;
    for (size_t i = 0; (ops = isa_ops_list(i)) != NULL; i++)
        for (unsigned log2_n = DD_LEVELS_MIN; log2_n <= DD_LEVELS_MIN + 1; log2_n++)
            for (unsigned narrow = 0; narrow < 2; narrow++)
                for (unsigned odd = 1; odd <= 7; odd += 2)
                    convolve_patterns(ops, odd, log2_n, narrow, 5);
}

/* Passes in double: digits so small that the schedule has many, and those of one more must not pass the limit. */
static void test_schedule(void)
{
    for (unsigned fma = 0; fma < 2; fma++) {
        unsigned before = 100;
        for (unsigned l = 1; l <= 40; l++) {
            struct plan_shape s;
            const size_t n = (size_t)1 << 16;
            dd_shape(&s, 16, l, n, n, fma, true, true);
            test_note("l = %u: %u passes of %u in double", l, s.transform.double_passes, s.transform.n_passes);
            TEST_CHECK(s.transform.double_passes <= before);
            before = s.transform.double_passes;
            if (s.transform.double_passes > 0)
                TEST_CHECK(plan_bound_worst(&s, NULL) < 0.5);
        }
        TEST_CHECK(before == 0);
    }
}

/*
 * When the first pass goes into double: sums of P products of n digits below B / 2 ask for (1 + root) P n (B / 2)^2 2^-53 < 1/2
 * (doc/error-bound.md, section 19.6).  The longest digits of the classical rule do from m = 17 on, with P = 1, and those that are
 * proved for any operands never do.
 */
static void test_schedule_threshold(void)
{
    const double root[2] = {3.0 + 2.0 * (2.2361 + 0.7072), 3.0 + 2.0 * 2.7072};
    for (unsigned fma = 0; fma < 2; fma++) {
        for (unsigned m = 10; m <= 20; m++) {
            for (unsigned l = 2; l <= 42; l++) {
                struct plan_shape s;
                const size_t n = (size_t)1 << (m - 1), products = test_size(1, 26);
                dd_shape(&s, m - 1, l, n, n, fma, true, false);
                s.grid.a_cells = s.grid.b_cells = products;
                plan_dd_schedule(&s, plan_bound_sums);
                const double asked = (1.0 + root[fma]) * (double)products * ldexp(1.0, (int)(m + 2 * l) - 3 - 53);
                test_note("m = %u, l = %u, %zu products: %g", m, l, products, asked);
                if (fabs(asked - 0.5) > 1e-6)
                    TEST_CHECK((s.transform.double_passes > 0) == (asked < 0.5));
                if (4 * m + 2 * l == 102)
                    TEST_CHECK(products > 1 || (s.transform.double_passes > 0) == (m >= 17));
            }
            struct plan_shape s;
            double bound;
            const unsigned most = dd_granted(1, m - 1, (size_t)1 << (m - 1), (size_t)1 << (m - 1), fma, &bound);
            dd_shape(&s, m - 1, most, (size_t)1 << (m - 1), (size_t)1 << (m - 1), fma, true, true);
            TEST_CHECK_MSG(s.transform.double_passes == 0, "m = %u, l = %u: %u passes", m, most, s.transform.double_passes);
        }
    }
}

/* Errors of one transform against sums in 113 bits: relative 2-norm below the constant of the bound. */
static void forward_error(const struct isa_ops *ops, unsigned odd, bool narrow, bool imaginary)
{
    const unsigned log2_n = 9;
    const size_t n = (size_t)odd << log2_n, an = imaginary ? 2 * n : n, per_branch = n / odd, blocks = per_branch / 8;
    struct root_maker maker;
    struct plan_shape s;
    if (!TEST_OK(root_maker_create(&maker, 4 * n)))
        return;
    int64_t *a = dd_need(2 * n * sizeof *a);
    dd_shape_odd(&s, odd, log2_n, 40, an, 1, ops->fma, narrow, false);
    struct plan *plan = dd_plan(ops, &s);
    double *x = dd_need(plan_buffer_doubles(&s) * sizeof *x), *scratch = dd_need(plan_dd_row_doubles(&s) * sizeof *scratch);
    dd_fill(a, an, OPERAND_RANDOM, 40);
    memset(a + an, 0, (2 * n - an) * sizeof *a);
    const struct dd_array source = {.source = {.cut_wide = dd_array_cut}, .d = a, .n = an};
    struct digit_norms norms;
    plan->ops->source_to_columns(plan, x, NULL, &(struct digit_cell){&source.source, 0, an, DIGIT_PART_A}, &norms, 1);
    plan->ops->columns_to_spectrum(plan, x, scratch, n, 1);
    double error = 0, energy = 0;
    for (size_t leaf = 0; leaf < n;
         leaf += odd) { /* leaf lane * blocks + k of branch t: angle ((1/4 + t) / odd + rev) / 2^log2_n */
        const size_t t = leaf / per_branch, own = leaf % per_branch;
        size_t rev = 0;
        for (unsigned b = 0; b < log2_n; b++)
            rev |= (own >> b & 1) << (log2_n - 1 - b);
        quad re = 0, im = 0;
        for (size_t j = 0; j < n; j++) {
            const struct fixed_complex w = root_fixed(&maker, (1 + 4 * (uint64_t)t + 4 * odd * (uint64_t)rev) * j % (4 * n));
            const quad c = (quad)w.re * 0x1p-126, d = (quad)w.im * 0x1p-126;
            re += a[j] * c - a[j + n] * d;
            im += a[j] * d + a[j + n] * c;
        }
        const double *p = x + t * s.transform.row_stride + own % blocks * DD_BLOCK_DOUBLES + own / blocks;
        const double dr = (double)((quad)p[0] - re + p[16]), di = (double)((quad)p[8] - im + p[24]);
        error += dr * dr + di * di;
        energy += (double)(re * re + im * im);
    }
    test_note("%s, odd %u, narrow %d, imaginary parts %d", ops->name, odd, narrow, imaginary);
    if (odd == 1) /* all leaves */
        TEST_CHECK_MSG(fabs(norms.sum_sq * (double)n / energy - 1) < 1e-12, "energy %g of %g", norms.sum_sq * (double)n, energy);
    const double relative = sqrt(error / energy) * 0x1p106;
    TEST_CHECK_MSG(relative < s.bound.constants.plain && relative > 0.01, "error %g units, proved %g", relative,
                   s.bound.constants.plain);
    alloc_free(scratch);
    alloc_free(x);
    plan_destroy(plan);
    alloc_free(a);
    root_maker_destroy(&maker);
}

static void test_forward_error(void)
{
    const struct isa_ops *ops;
    for (size_t i = 0; (ops = isa_ops_list(i)) != NULL; i++) {
        for (unsigned k = 0; k < 4; k++) /* real parts alone, or imaginary ones as well */
            forward_error(ops, 1, k % 2 == 0, k >= 2);
        forward_error(ops, 3 + 2 * ((unsigned)i % 3), true, i % 2 == 1);
        if (i < 2)
            forward_error(ops, 7, true, true);
    }
}

/* As many light passes as the bound allows, and one more would not be: none for the digits that need every bit. */
/* sums_check - the sums of a plan's constants by the words of doc/error-bound.md, section 19; all passes of one kind. */
static void sums_check(const struct plan_shape *s, bool light, bool in_double)
{
    const double g = s->bound.fma ? 18.0 : 22.0, number = s->bound.fma ? 6.0 : 8.0,
                 t_double = (s->bound.fma ? 2.0 : 2.2361) + 0.7072;
    const double odd_forward = s->transform.odd == 3 ? 18.0 : s->transform.odd == 5 ? 23.2 : 31.5;
    const double odd_inverse = s->transform.odd == 3 ? 4.184 : s->transform.odd == 5 ? 6.316 : 7.716;
    double forward = s->transform.odd > 1 ? odd_forward : 0, inverse = s->transform.odd > 1 ? odd_inverse * number : 0;
    double inverse_double = 1 + (s->transform.odd > 1 ? odd_inverse : 0); /* what is dropped, 19.6 */
    for (unsigned p = s->transform.odd > 1; p < s->transform.n_passes; p++) {
        const double t = g + (p < s->transform.n_column_passes ? 0.71 : 0.71 + 0.71 + g); /* 19.3 */
        const unsigned radix = s->transform.pass[p].radix;
        const double four_forward = light ? 16.1 : 6, four_inverse = light ? 11 : 6;
        forward += radix == 2                                  ? 3 + t
                   : radix == 4                                ? four_forward + t
                   : s->digits.narrow && s->transform.odd == 1 ? s->bound.fma ? 41.5 : 42.9
                                                               : 9 + 2 * t;
        inverse += radix == 2 ? 3 + t : radix == 4 ? four_inverse + t : 3 + four_inverse + 2 * t;
        inverse_double += radix == 2 ? 1 + t_double : radix == 4 ? 2 + t_double : 3 + 2 * t_double;
    }
    if (in_double)
        inverse = ldexp(inverse_double, 53);
    test_note("%u 2^%u points, narrow %d, fma %d, light %d, in double %d", s->transform.odd, s->transform.log2_n,
              s->digits.narrow, s->bound.fma, light, in_double);
    TEST_CHECK_MSG(fabs(s->bound.constants.plain - forward) < 1e-9 * forward &&
                       fabs(s->bound.constants.inverse - inverse) < 1e-9 * inverse,
                   "forward %.9g, should be %.9g; inverse %.9g, should be %.9g", s->bound.constants.plain, forward,
                   s->bound.constants.inverse, inverse);
    TEST_CHECK(s->bound.constants.product == g && s->bound.constants.scale == 1 + number && s->bound.constants.twiddle == 0);
}

static void test_constants(void)
{
    /* carries: so many products of two digits of half a base are below 2^60 bases */
    struct plan_shape few = {.digits.digit_base = (uint64_t)1 << 40, .digits.bn = ((size_t)1 << 22) - 1}, sums = few;
    sums.digits.bn /= 2;
    sums.grid.a_cells = 2;
    sums.grid.b_cells = 3;
    TEST_CHECK(plan_dd_carries_fit(&few) && plan_dd_carries_fit(&sums));
    few.digits.bn++;
    sums.digits.bn++;
    TEST_CHECK(!plan_dd_carries_fit(&few) && !plan_dd_carries_fit(&sums));
    for (unsigned odd = 1; odd <= 7; odd += 2)
        for (unsigned log2_n = DD_LEVELS_MIN; log2_n <= 24; log2_n++)
            for (unsigned i = 0; i < 4; i++) {
                struct plan_shape s;
                const size_t n = (size_t)odd << log2_n;
                dd_shape_odd(&s, odd, log2_n, 10, n, n, i & 1, i / 2 != 0, false);
                s.transform.double_passes = 0;
                plan_dd_light(&s, 0);
                sums_check(&s, false, false);
                plan_dd_light(&s, 2 * s.transform.n_passes);
                sums_check(&s, true, false);
                s.transform.double_passes = s.transform.n_passes;
                plan_dd_light(&s, 2 * s.transform.n_passes);
                sums_check(&s, true, true);
            }
}

static void test_light_passes(void)
{
    unsigned all = 0, some = 0;
    for (unsigned log2_n = DD_LEVELS_MIN; log2_n <= 24; log2_n++) {
        for (unsigned fma = 0; fma < 2; fma++) {
            struct plan_shape s;
            double bound;
            const size_t n = (size_t)1 << log2_n;
            const unsigned l = dd_granted(1, log2_n, n, n, fma, &bound);
            dd_shape(&s, log2_n, l, n, n, fma, true, false);
            test_note("2^%u points, l = %u, %u light passes of %u", log2_n, l, s.transform.light_passes,
                      2 * s.transform.n_passes);
            TEST_CHECK(plan_bound_worst(&s, NULL) < 0.5);
            all += s.transform.light_passes == 2 * s.transform.n_passes;
            some += s.transform.light_passes < 2 * s.transform.n_passes;
            if (s.transform.light_passes < 2 * s.transform.n_passes) {
                plan_dd_light(&s, s.transform.light_passes + 1);
                TEST_CHECK(!(plan_bound_worst(&s, NULL) < 0.5));
            }
            const unsigned first = s.transform.n_passes;
            for (unsigned passes = 0; passes <= 2 * first; passes++) { /* which they are: from the end of the inverse on */
                plan_dd_light(&s, passes);
                for (unsigned p = 0; p < s.transform.n_passes; p++) {
                    const bool forward = s.transform.pass[p].radix == 4 && passes >= 2 * first - p;
                    TEST_CHECK((dd_forward_kind(&s, p) == DD_LIGHT) == forward);
                    TEST_CHECK((dd_inverse_kind(&s, p) == DD_LIGHT) == (s.transform.pass[p].radix > 2 && passes > p));
                }
            }
        }
    }
    TEST_CHECK_MSG(all > 0 && some > 0, "%u lengths with all, %u with some", all, some);
}

/* The inverse of a few points of a spectrum, or all: errors below the constant times the sum of their moduli. */
static void inverse_error(const struct isa_ops *ops, unsigned odd, unsigned light, size_t points)
{
    const unsigned log2_n = 9;
    const size_t n = (size_t)odd << log2_n, per_branch = n / odd, blocks = per_branch / 8, m = per_branch / 8;
    struct root_maker maker;
    struct plan_shape s;
    if (!TEST_OK(root_maker_create(&maker, 4 * n)))
        return;
    dd_shape_odd(&s, odd, log2_n, 40, n, n, ops->fma, false, false);
    plan_dd_light(&s, light < 2 * s.transform.n_passes ? light : 2 * s.transform.n_passes);
    struct plan *plan = dd_plan(ops, &s);
    const size_t doubles = plan_buffer_doubles(&s);
    double *x = dd_need(doubles * sizeof *x), *scratch = dd_need(plan_dd_row_doubles(&s) * sizeof *scratch);
    struct leaf {
        uint64_t angle; /* over 4 n */
        quad re, im;
    } *leaf = dd_need(points * sizeof *leaf);
    memset(x, 0, doubles * sizeof *x);
    double sum = 0, worst = 0;
    for (size_t i = 0; i < points; i++) {
        const size_t at = points == n ? i : (size_t)test_below(n), t = at / per_branch, own = at % per_branch;
        double *p = x + t * s.transform.row_stride + own % blocks * DD_BLOCK_DOUBLES + own / blocks;
        uint64_t rev = 0;
        for (unsigned b = 0; b < log2_n; b++)
            rev |= (own >> b & 1) << (log2_n - 1 - b);
        leaf[i].angle = 1 + 4 * t + 4 * odd * rev;
        for (unsigned part = 0; part < 2; part++) { /* 106 bits */
            p[8 * part] = (double)(int64_t)test_u64() * 0x1p-63;
            p[8 * part + 16] = (double)(int64_t)test_u64() * 0x1p-63 * 0x1p-54 * fabs(p[8 * part]);
        }
        leaf[i].re = (quad)p[0] + p[16];
        leaf[i].im = (quad)p[8] + p[24];
        for (size_t k = 0; k < i && points < n; k++)
            if (leaf[k].angle == leaf[i].angle) /* written over */
                leaf[k].re = leaf[k].im = 0;
    }
    for (size_t i = 0; i < points; i++)
        sum += sqrt((double)(leaf[i].re * leaf[i].re + leaf[i].im * leaf[i].im));
    plan->ops->spectrum_to_columns(plan, x, scratch, 1);
    plan->ops->columns_to_digits(plan, x, 1);
    for (size_t j = 0; j < n; j += points == n ? 37 : 1) {
        quad re = 0, im = 0;
        for (size_t i = 0; i < points; i++) {
            const struct fixed_complex w = root_fixed(&maker, leaf[i].angle * j % (4 * n));
            const quad c = (quad)w.re * 0x1p-126, d = (quad)w.im * 0x1p-126;
            re += leaf[i].re * c + leaf[i].im * d;
            im += leaf[i].im * c - leaf[i].re * d;
        }
        const size_t q = j / m, g = j % m / 8;
        const double *p = x + q / 8 * s.transform.row_stride + (8 * g + q % 8) * DD_BLOCK_DOUBLES + j % 8;
        const double dr = (double)((quad)p[0] - re + p[16]), di = (double)((quad)p[8] - im + p[24]);
        worst = test_worse(worst, sqrt(dr * dr + di * di));
    }
    test_note("%s, odd %u, %u light passes, %zu points", ops->name, odd, s.transform.light_passes, points);
    worst *= 0x1p106 / sum;
    TEST_CHECK_MSG(worst < s.bound.constants.inverse && worst > 0, "error %g units, proved %g", worst, s.bound.constants.inverse);
    alloc_free(leaf);
    alloc_free(scratch);
    alloc_free(x);
    plan_destroy(plan);
    root_maker_destroy(&maker);
}

static void test_inverse_error(void)
{
    const struct isa_ops *ops;
    for (size_t i = 0; (ops = isa_ops_list(i)) != NULL; i++) {
        for (unsigned light = 0; light <= 10; light++)
            inverse_error(ops, 1, light, (size_t)test_between(1, 6));
        inverse_error(ops, 1, 10, 512);
        for (unsigned odd = 3; odd <= 7; odd += 2)
            for (unsigned light = 0; light <= 4; light += 4)
                inverse_error(ops, odd, light, (size_t)test_between(1, 6));
    }
}

/* Roots: modulus 1, powers, known values. */
static void test_roots(void)
{
    static const uint64_t dens[] = {8, 64, 4096, 12, 60, UINT64_C(4) << 20, UINT64_C(60) << 17};
    const __int128 one = (__int128)1 << 126;
    for (size_t i = 0; i < sizeof dens / sizeof *dens; i++) {
        struct root_maker m;
        if (!TEST_OK(root_maker_create(&m, dens[i])))
            return;
        TEST_CHECK(root_fixed(&m, 0).re == one && root_fixed(&m, 0).im == 0);
        for (unsigned k = 0; k < 2000; k++) {
            const uint64_t p = test_below(dens[i]), q = test_below(dens[i]);
            const struct fixed_complex a = root_fixed(&m, p), b = root_fixed(&m, q), c = root_fixed(&m, p + q);
            const struct dd_complex d = root_dd(&m, p);
            const double re = (double)(((quad)a.re * b.re - (quad)a.im * b.im) * 0x1p-252 - (quad)c.re * 0x1p-126);
            const double back = (double)((quad)a.re * 0x1p-126 - d.re - d.re_lo);
            test_note("e(%" PRIu64 " / %" PRIu64 ")", p, dens[i]);
            TEST_CHECK_MSG(fabs(re) < 0x1p-109, "%g", re); /* products in 113 bits */
            TEST_CHECK_MSG(fabs(back) <= 0x1p-107 && d.re + d.re_lo == d.re, "%g", back);
            TEST_CHECK(fabs(d.re - cos(2 * M_PI * (double)p / (double)dens[i])) < 1e-14);
            TEST_CHECK(fabs(d.im - sin(2 * M_PI * (double)p / (double)dens[i])) < 1e-14);
        }
        root_maker_destroy(&m);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_roots);
    TEST_RUN(test_forward_error);
    TEST_RUN(test_inverse_error);
    TEST_RUN(test_constants);
    TEST_RUN(test_light_passes);
    TEST_RUN(test_schedule);
    TEST_RUN(test_schedule_threshold);
    TEST_RUN(test_short_convolutions);
    TEST_RUN(test_convolutions);
    return test_end();
}
