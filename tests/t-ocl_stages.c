/*
 * t-ocl_stages.c - single kernels of the OpenCL pipeline against what they stand for.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "test.h"

#ifndef HAVE_OPENCL
static void test_twiddles(void)
{
    TEST_SKIP("built without OpenCL");
}
int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_twiddles);
    return test_end();
}
#else
#include "kernel_test.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_pipeline.h"
#include "ocl/ocl_staging.h"
#include "operands.h"
#include "pipeline_test.h"
#include "plan/plan_twiddle.h"
#include "plan/root_fixed.h"
#include "plan/root_table.h"

static bool power_of_two(unsigned radix)
{
    return (radix & (radix - 1)) == 0;
}

/* apart - whether a pass splits its powers of two beside its odd factors: they have an angle of their own, 1/4. */
static bool apart(const struct device_pass *pass)
{
    return pass->n_stages == 2 && !power_of_two(pass->radix[0]) && !power_of_two(pass->radix[1]) && pass->points % 2 == 0;
}

/* The twiddles of a node of angle theta, as kernels/fft_radix.cl lists them. */
static uint64_t twiddle_angle(uint64_t theta, uint64_t den, unsigned j)
{
    static const unsigned shift[8] = {1, 2, 3, 3, 4, 4, 4, 4};
    static const int sixteenths[8] = {0, 0, 0, -2, 0, -2, 1, -1};
    return ((theta >> shift[j]) + (uint64_t)(16 + sixteenths[j]) * (den / 16)) % den;
}

/* ratio_check - c, tau of the entry next to what it stands for, or half a unit and 2^-40 of one away. */
static void ratio_check(const double *entry, uint64_t angle, uint64_t den, double *worst)
{
    const struct dd_complex w = dd_root(angle, den);
    const double c = entry[0], tau = entry[1];
    const double dc = fabs((c - w.re) - w.re_lo), di = fabs(fma(c, tau, -w.im) - w.im_lo);
    TEST_CHECK_MSG(dc <= 0.5000001 * 0x1p-53 && hypot(dc, di) <= (fabs(tau) <= 1 ? 0.6709 : 1.0001) * 0x1p-53,
                   "c off by %.4f u, c tau by %.4f u", dc * 0x1p53, di * 0x1p53);
    *worst = test_worse(*worst, hypot(dc, di) * 0x1p53);
}

/* dd_check - re and im in double-double: another way to them differs by two roundings to 107 bits. */
static void dd_check(const double *entry, uint64_t angle, const struct root_maker *maker, double *worst)
{
    const struct dd_complex w = root_dd(maker, angle);
    const double d_re = fabs((entry[0] - w.re) + (entry[1] - w.re_lo)), d_im = fabs((entry[2] - w.im) + (entry[3] - w.im_lo));
    TEST_CHECK_MSG(fmax(d_re, d_im) <= 1.01 * 0x1p-106, "off by %.4f, %.4f u^2", d_re * 0x1p106, d_im * 0x1p106);
    TEST_CHECK_MSG(entry[0] + entry[1] == entry[0] && entry[2] + entry[3] == entry[2], "%a %a, %a %a", entry[0], entry[1],
                   entry[2], entry[3]);
    *worst = test_worse(*worst, fmax(d_re, d_im) * 0x1p106);
}

/* tables_check - every entry of the tables of a pipeline. */
static void tables_check(const char *text, bool dd)
{
    const struct plan_request request = {.rule = GFMUL_RULE_NORM,
                                         .precision = dd ? GFMUL_PRECISION_DD : GFMUL_PRECISION_DOUBLE,
                                         .base = 2,
                                         .an = 64,
                                         .bn = 64,
                                         .worst_case = true,
                                         .fma = true};
    struct plan_shape shape;
    struct ocl_pipeline *pipeline;
    struct root_maker maker;
    must(plan_device_parse(&shape, &request, text, 10, detail, sizeof detail));
    must(pipeline_create(OCL_ON(device, detail), &pipeline, &shape));
    const uint64_t den = device_angle_den(&shape);
    const unsigned parts = dd ? 4 : 2;
    uint64_t nodes = 1;
    size_t all = 0; /* entries */
    unsigned depth = 0;
    double worst = 0;
    must(root_maker_create(&maker, den));
    for (unsigned p = 0; p < shape.device.n_passes; p++) {
        const struct device_pass *pass = &shape.device.forward[p];
        const unsigned entries = device_node_entries(pass);
        const size_t bytes = nodes * entries * device_point_bytes(&shape);
        double *table = malloc(bytes);
        must(pipeline_table(OCL_ON(device, detail), pipeline, p, table, bytes));
        for (uint64_t b = 0; b < nodes; b++) {
            unsigned at = 0, levels = 0;
            uint64_t stage_nodes = 1;
            for (unsigned i = 0; i < pass->n_stages && i < pass->direct_stages; i++) {
                const unsigned even = pass->radix[i] & -pass->radix[i], radix = apart(pass) ? even : pass->radix[i];
                if (radix % 2 == 1) {
                    stage_nodes *= radix;
                    continue;
                }
                for (unsigned j = 0; j < radix / 2 + (dd && radix == 4); j++)
                    for (uint64_t node = 0; node < stage_nodes; node++, at++) {
                        const uint64_t theta =
                            node_angle(&shape, apart(pass) ? 1 : shape.transform.odd, depth + levels, b * stage_nodes + node);
                        const size_t place = parts * (b * entries + at);
                        const double *entry = table + place;
                        const uint64_t angle = dd && radix == 4 && j == 2 ? 3 * (theta / 4) : twiddle_angle(theta, den, j);
                        test_note("%s, pass %u, node %llu, entry %u", text, p, (unsigned long long)b, at);
                        if (dd)
                            dd_check(entry, angle, &maker, &worst);
                        else
                            ratio_check(entry, twiddle_angle(theta, den, j), den, &worst);
                    }
                stage_nodes *= radix;
                for (unsigned r = radix; r > 1; r /= 2)
                    levels++;
            }
        }
        free(table);
        all += nodes * entries;
        size_t before = 1; /* nodes of a stage */
        for (unsigned i = 0; i < pass->n_stages; i++) {
            all += i < pass->direct_stages ? 0 : before * (pass->radix[i] / 2); /* shared by all nodes of the pass */
            before *= pass->radix[i];
        }
        nodes *= pass->points;
        while (((uint64_t)shape.transform.odd << depth) < nodes)
            depth++;
    }
    test_note("%s: worst twiddle %.4f u", text, worst);
    TEST_CHECK_MSG(device_tables_bytes(&shape) == all * device_point_bytes(&shape), "%zu bytes for %zu entries",
                   device_tables_bytes(&shape), all);
    root_maker_destroy(&maker);
    ocl_pipeline_destroy(pipeline);
}

static void test_twiddles(void)
{
    /* the short tier has three passes, and odd factors beside powers of two */
    static const char *const texts[] = {"7.8/8/8,4.4/4/8/s,8.8:d1/8/1/s",
                                        "18.10/18/8/s,8.8/8/1",
                                        "16.4/16/8/s,8.4.2:d1/8/1/s",
                                        "3.16/16/8/s,16.4/16/1",
                                        "5.4/8/8/s,8.8:d2/8/1",
                                        "9.4/8/8/s,8.8/8/1",
                                        "15.2/8/8/s,4/1/8,8.4:d1/4/1",
                                        "9.5.2/18/8/s,8.8/8/1",
                                        "10.36/36/8,8.8/8/1",
                                        "3.14/14/8,8.8/8/1"};
    const size_t n_texts = sizeof texts / sizeof texts[0];
    if (!device_there())
        return;
    ocl_device_lock(device);
    for (size_t k = 0; k < test_tier(1, n_texts, n_texts); k++)
        tables_check(texts[k], false);
    ocl_device_unlock(device);
}

static void test_twiddles_dd(void)
{
    static const char *const texts[] = {"5.4/5/8/s,4/1/16,8.8/8/1/s", "16/1/16,8.8/8/1"}; /* of t-mul_ocl */
    if (!device_there())
        return;
    ocl_device_lock(device);
    for (size_t k = 0; k < test_tier(1, 2, 2); k++)
        tables_check(texts[k], true);
    ocl_device_unlock(device);
}

/* put_power - the number X^j, X = 2^l, of so many limbs, into a buffer on the device. */
static void put_power(cl_mem words, size_t limbs, size_t bit)
{
    mp_limb_t *p = calloc(limbs, sizeof *p);
    p[bit / 64] = (mp_limb_t)1 << bit % 64;
    must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){words, 0, 8 * limbs}, p, 1, OCL_AFTER_QUEUE));
    free(p);
}

/*
 * Every coefficient's distance from its integer is seen, wherever it lies: X^i times a spectrum that is that of X^j, divided by
 * four, has 1/4 as its coefficient i + j, and all others are 0.
 *
 *   digit_bit  in  double-double: not 0: it is 1/4 beside 4^digit_bit instead, so that second parts alone have the fraction
 */
static void distances(const char *text, unsigned l, enum gfmul_precision precision, unsigned digit_bit)
{
    const struct plan_request request = {
        .rule = GFMUL_RULE_NORM, .precision = precision, .base = 2, .an = 64, .bn = 64, .worst_case = true, .fma = true};
    struct plan_request full = request;
    struct plan_shape shape;
    struct ocl_pipeline *pipeline;
    struct ocl_work work;
    struct ocl_number a, z;
    cl_mem spectrum;
    must(plan_device_parse(&shape, &request, text, l, detail, sizeof detail));
    const size_t limbs = shape.transform.n_points * l / 64 - 1, bits = 64 * limbs - 1;
    full.an = full.bn = 64 * limbs;
    must(plan_device_parse(&shape, &full, text, l, detail, sizeof detail));
    must(pipeline_create(OCL_ON(device, detail), &pipeline, &shape));
    const size_t bytes = pipeline_spectrum_bytes(pipeline);
    must(ocl_work_get(OCL_ON(device, detail), &pipeline->shape, &work, false));
    must(ocl_buffer_get(OCL_ON(device, detail), 8 * limbs, &a.words));
    must(ocl_buffer_get(OCL_ON(device, detail), 16 * limbs, &z.words));
    must(ocl_buffer_get(OCL_ON(device, detail), bytes, &spectrum));
    a.n_words = (uint32_t)(2 * limbs);
    z.n_words = (uint32_t)(4 * limbs);
    mp_limb_t *product = test_alloc(16 * limbs), *want = calloc(2 * limbs, sizeof *want);
    void *points = test_alloc(bytes);
    for (unsigned t = 0; t < 16; t++) {
        const size_t i = test_below(bits / l), j = t == 0 ? 0 : test_below(bits / l);
        const size_t bit = (i + j) * l + 2 * digit_bit; /* that the product has */
        const int sign = t % 2 ? -1 : 1;
        struct plan_figures figures;
        test_note("%s, l = %u: %s1/4 at %zu of %zu", text, l, sign < 0 ? "-" : "", i + j, shape.transform.n_digits);
        put_power(a.words, limbs, j * l + digit_bit);
        must(ocl_pipeline_keep(OCL_ON(device, detail), pipeline, &work, spectrum, a));
        must(ocl_download(OCL_ON(device, detail), points, (struct ocl_span){spectrum, 0, bytes}, 1, OCL_AFTER_QUEUE));
        if (digit_bit > 0)
            for (size_t k = 0; k < bytes / sizeof(double); k += 2)
                ((double *)points)[k + 1] += ((double *)points)[k] * ldexp(0.25 * sign, -2 * (int)digit_bit);
        else
            for (size_t k = 0; k < bytes / sizeof(double); k++)
                ((double *)points)[k] *= 0.25 * sign;
        must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){spectrum, 0, bytes}, points, 1, OCL_AFTER_QUEUE));
        put_power(a.words, limbs, i * l + digit_bit);
        must(pipeline_mul_kept(OCL_ON(device, detail), pipeline, &work, z, a, spectrum));
        must(ocl_download(OCL_ON(device, detail), product, (struct ocl_span){z.words, 0, 16 * limbs}, 1, OCL_AFTER_QUEUE));
        must(pipeline_figures(OCL_ON(device, detail), pipeline, &work, &figures));
        TEST_CHECK_MSG(fabs(figures.max_error - 0.25) < 1e-4, "the distance is %g", figures.max_error);
        const double value = digit_bit > 0 ? ldexp(1, 2 * (int)digit_bit) : 0.25;
        TEST_CHECK_MSG(figures.max_value >= value && figures.max_value < 4 * value, "the largest value is %g", figures.max_value);
        want[bit / 64] = digit_bit > 0 ? (mp_limb_t)1 << bit % 64 : 0;
        test_equal_limbs(product, want, 2 * limbs);
        want[bit / 64] = 0;
    }
    free(points);
    free(want);
    free(product);
    ocl_buffer_put(device, spectrum);
    ocl_buffer_put(device, z.words);
    ocl_buffer_put(device, a.words);
    ocl_work_put(device, &work);
    ocl_pipeline_destroy(pipeline);
}

static void test_distances(void)
{
    if (!device_there())
        return;
    ocl_device_lock(device);
    distances("5.4/5/8/s,4/1/16,8.8/8/1/s", 11, GFMUL_PRECISION_DOUBLE, 0);
    distances("5.4/5/8/s,4/1/16,8.8/8/1/s", 40, GFMUL_PRECISION_DD, 38);
    if (test_level() > 0) {
        distances("16/1/16,8.8/8/1", 12, GFMUL_PRECISION_DOUBLE, 0);
        distances("9.5/9/16/s,8.8/8/1", 11, GFMUL_PRECISION_DOUBLE, 0);
        distances("5.4/5/8/s,4/1/16,8.8/8/1/s", 40, GFMUL_PRECISION_DD, 0);
    }
    ocl_device_unlock(device);
}

#ifdef __SIZEOF_FLOAT128__
typedef __float128 wide; /* 113 bits */

static wide wide_of(const double *parts, unsigned n)
{
    wide sum = 0;
    while (n > 0)
        sum += parts[--n];
    return sum;
}

/*
 * spectrum_dd - a spectrum in double-double, leaf by leaf, against the sum that it stands for in 113 bits; within the bound of
 * the 2-norm over all leaves.   text: rows of 8.8 by 8 items, so that value s of item u of a row is leaf 8 u + s
 */
static void spectrum_dd(const char *text, bool full_precision, bool halves)
{
    const unsigned l = 42;
    struct plan_request request = {.rule = GFMUL_RULE_NORM,
                                   .precision = GFMUL_PRECISION_DD,
                                   .base = 2,
                                   .an = 64,
                                   .bn = 64,
                                   .worst_case = true,
                                   .fma = true,
                                   .full_precision = full_precision};
    struct plan_shape shape;
    struct ocl_pipeline *pipeline;
    struct ocl_work work;
    struct ocl_number a;
    cl_mem spectrum;
    must(plan_device_parse(&shape, &request, text, l, detail, sizeof detail));
    const size_t n = shape.transform.n_points, limbs = (halves ? 3 * n / 2 : n) * l / 64 - 1;
    request.an = 64 * limbs;
    request.bn = halves ? 64 : request.an;
    must(plan_device_parse(&shape, &request, text, l, detail, sizeof detail));
    TEST_CHECK(shape.device.halves == (halves ? 2 : 1) && (device_narrow_levels(&shape) > 0) == !full_precision);
    must(pipeline_create(OCL_ON(device, detail), &pipeline, &shape));
    must(ocl_work_get(OCL_ON(device, detail), &pipeline->shape, &work, false));
    must(ocl_buffer_get(OCL_ON(device, detail), 8 * limbs, &a.words));
    must(ocl_buffer_get(OCL_ON(device, detail), pipeline_spectrum_bytes(pipeline), &spectrum));
    a.n_words = (uint32_t)(2 * limbs);

    mp_limb_t *p = calloc(limbs + 1, sizeof *p);
    double *seen = malloc(32 * n), norm = 0;
    int64_t *digit = calloc(2 * n, sizeof *digit), carry = 0;
    operand_fill(p, limbs, (enum operand_kind)test_below(OPERAND_KINDS), l, test_u64());
    for (size_t j = 0; j * l < 64 * limbs; j++) {
        int64_t raw = 0;
        for (unsigned b = 0; b < l && j * l + b < 64 * limbs; b++)
            raw += (int64_t)(p[(j * l + b) / 64] >> ((j * l + b) % 64) & 1) << b;
        digit[j] = carry + raw;
        carry = raw >> (l - 1); /* the top bit */
        digit[j] -= carry << l;
        norm += (double)digit[j] * (double)digit[j];
    }
    norm = sqrt(norm * (double)n);
    must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){a.words, 0, 8 * limbs}, p, 1, OCL_AFTER_QUEUE));
    must(ocl_pipeline_keep(OCL_ON(device, detail), pipeline, &work, spectrum, a));
    must(ocl_download(OCL_ON(device, detail), seen, (struct ocl_span){spectrum, 0, 32 * n}, 1, OCL_AFTER_QUEUE));

    const uint64_t den = device_angle_den(&shape);
    const struct plan_constants *c = &shape.bound.constants;
    double worst = 0, squares = 0;
    for (size_t leaf = 0; leaf < n; leaf++) {
        struct triple_complex root[2];
        root_table(root, node_angle(&shape, shape.transform.odd, shape.transform.log2_n, leaf), den, 2);
        const wide wr = wide_of(root[1].re, 3), wi = wide_of(root[1].im, 3);
        wide re = 0, im = 0;
        for (size_t j = n; j-- > 0;) {
            const wide t = re * wr - im * wi + digit[j];
            im = re * wi + im * wr + digit[j + n];
            re = t;
        }
        const double *point = seen + 4 * (leaf / 64 * 64 + leaf % 8 * 8 + leaf % 64 / 8);
        const double d_re = (double)(wide_of(point, 2) - re), d_im = (double)(wide_of(point + 2, 2) - im);
        squares += d_re * d_re + d_im * d_im;
        worst = test_worse(worst, hypot(d_re, d_im));
    }
    const double error = sqrt(squares), bound = (c->plain + c->twiddle) * 0x1p-106;
    test_note("%s, halves %d, full precision %d: norm %.3g, error %.3g, worst leaf %.3g, proved %.3g of the norm", text, halves,
              full_precision, norm, error, worst, bound);
    TEST_CHECK_MSG(error <= bound * norm, "error %g, proved %g", error, bound * norm); /* zero has to be exact */

    free(digit);
    free(seen);
    free(p);
    ocl_buffer_put(device, spectrum);
    ocl_buffer_put(device, a.words);
    ocl_work_put(device, &work);
    ocl_pipeline_destroy(pipeline);
}

/* test_spectrum_dd - with and without narrow levels, of each kind: radix 4, which is two, 2, and odd ones. */
static void test_spectrum_dd(void)
{
    static const char *const texts[] = {"4.4/4/16,8.8/8/1", "16/1/16,8.8/8/1", "3.4/4/16,8.8/8/1",
                                        "5.4/4/16,8.8/8/1", "7.2/2/16,8.8/8/1", "2.8/4/16,8.8/8/1"};
    if (!device_there())
        return;
    ocl_device_lock(device);
    for (unsigned i = 0; i < (unsigned)test_tier(1, 6, 24); i++)
        spectrum_dd(texts[i % 6], i / 6 % 2 == 1, test_longest_tier() ? i / 12 == 1 : test_below(2) == 1);
    ocl_device_unlock(device);
}
#else
static void test_spectrum_dd(void)
{
    TEST_SKIP("no arithmetic of 113 bits");
}
#endif

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    ocl_test_keep();
    test_begin(argc, argv);
    TEST_RUN(test_twiddles);
    TEST_RUN_LONG(test_twiddles_dd);
    TEST_RUN_LONG(test_distances);
    TEST_RUN_LONG(test_spectrum_dd);
    ocl_device_close(device);
    return ocl_test_end();
}
#endif
