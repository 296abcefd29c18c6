/*
 * t-ocl_packing.c - packings two-for-one and one-for-half on an OpenCL device: spectra, kernels of pairs, products.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <complex.h>
#include <math.h>

#include "products.h"

#ifndef HAVE_OPENCL
static void test_pipeline(void)
{
    TEST_SKIP("built without OpenCL");
}
int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_pipeline);
    return test_end();
}
#else
#include "kernel_test.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_overlap.h"
#include "ocl/ocl_staging.h"
#include "ocl/ocl_state.h" /* the sizes of parts */
#include "pipeline_test.h"
#include "plan/plan_field.h"
#include "plan/plan_names.h"

enum { WORST = 20 }; /* bits of digits that are more than any of these shapes has for all operands */

/* Between them: 1, 2 and more rows in a branch, 1 to 45 branches, rows of two and three stages. */
static const char *const shapes[] = {
    "3.8/8/8/s,8.8:d1/8/1",
    "16.4/16/8/s,8.4.2:d1/8/1/s",
    "9.5/9/16/s,8.8/8/1", /* branches of one row */
    "5.2/5/8/s,4/1/16,8.8/8/1/s",
    "2.2/1/64,16.8/8/1/p", /* four rows */
    "7.8/8/8,4.4/4/8/s,8.8:d1/8/1/s,4.4/2/16,7.8/8/16/s",
    "16/2/8,4/1/8,4:d1/1/8,8.8/8/1/s",
    "9.5.2/18/8/s,8.8/8/1",
    "3.7.4/14/4,4/1/16,4.8/4/1",
    "15.4/8/8,4/1/16,8.8:d1/8/1/s,4/1/16,15.4/4/16/s",
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const enum gfmul_packing packings[] = {GFMUL_PACKING_TWO_FOR_ONE, GFMUL_PACKING_ONE_FOR_HALF};
enum { PACKINGS = sizeof packings / sizeof *packings };

/* A pipeline with room for operands, and digits of them. */
struct machine {
    struct plan_shape shape;
    struct ocl_pipeline *pipeline;
    struct ocl_work work;
    struct ocl_number a, b, z;
    size_t an, bn; /* limbs that there is room for */
    double worst;
};

/* is_halves - whether digits 2 j and 2 j + 1 are a point. */
static bool is_halves(const struct machine *m)
{
    return m->shape.transform.packing == GFMUL_PACKING_ONE_FOR_HALF;
}

/* machine_begin - for operands of a half of all digits each, or of three quarters and a quarter; digits as large as is proved. */
static void machine_begin(struct machine *m, const char *text, enum gfmul_packing packing, bool square, bool unequal)
{
    struct plan_request request = {.rule = GFMUL_RULE_NORM,
                                   .precision = GFMUL_PRECISION_DOUBLE,
                                   .packing = packing,
                                   .base = 2,
                                   .square = square,
                                   .an = 64,
                                   .bn = 64,
                                   .worst_case = true};
    memset(m, 0, sizeof *m);
    must(plan_device_parse(&m->shape, &request, text, 12, detail, sizeof detail));
    const size_t n = m->shape.transform.n_digits;
    enum gfmul_status status = GFMUL_ERR_PRECISION;
    for (unsigned l = WORST; status == GFMUL_ERR_PRECISION; l--) {
        m->an = (unequal ? n * 3 / 4 : n / 2) * l / 64 - 1;
        m->bn = (unequal ? n / 4 : n / 2) * l / 64 - 1;
        request.an = 64 * m->an;
        request.bn = 64 * m->bn;
        status = plan_device_parse(&m->shape, &request, text, l, detail, sizeof detail);
    }
    must(status);
    TEST_CHECK(m->shape.digits.exponent < WORST && n == m->shape.transform.n_points * (is_halves(m) ? 2 : 1));
    TEST_CHECK(m->shape.device.halves == (unequal ? 2 : 1));
    TEST_CHECK(m->shape.digits.balance_exp == (unequal && !square && !is_halves(m)));
    must(pipeline_create(OCL_ON(device, detail), &m->pipeline, &m->shape));
    must(ocl_work_get(OCL_ON(device, detail), &m->shape, &m->work, square));
    TEST_CHECK((m->work.y != NULL) == (is_halves(m) && !square)); /* two-for-one: one transform */
    must(ocl_buffer_get(OCL_ON(device, detail), 8 * m->an, &m->a.words));
    if (!square)
        must(ocl_buffer_get(OCL_ON(device, detail), 8 * m->bn, &m->b.words));
    must(ocl_buffer_get(OCL_ON(device, detail), 8 * (m->an + m->bn), &m->z.words));
}

static void machine_end(struct machine *m)
{
    pipeline_end(device, m->pipeline, &m->work, m->a.words, m->b.words, m->z.words);
}

static void words_put(struct ocl_number *x, const mp_limb_t *p, size_t n)
{
    must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){x->words, 0, 8 * n}, p, 1, OCL_AFTER_QUEUE));
    x->n_words = (uint32_t)(2 * n);
}

/* digits_cut - the balanced digits of a number from the lowest, one by one; the rest of `count` are zero. */
static void digits_cut(double *digit, size_t count, const mp_limb_t *p, size_t n, unsigned l)
{
    unsigned carry = 0;
    for (size_t j = 0; j < count; j++) {
        int64_t d = carry;
        for (size_t bit = j * l; bit < (j + 1) * l; bit++)
            if (bit < 64 * n)
                d += (int64_t)(p[bit / 64] >> bit % 64 & 1) << (bit - j * l);
        const size_t top = (j + 1) * l - 1; /* it carries */
        carry = top < 64 * n ? p[top / 64] >> top % 64 & 1 : 0;
        digit[j] = (double)(d - ((int64_t)carry << l));
    }
}

/* ---- the spectrum, and the kernel of pairs ---- */

/* place_of - where leaf `leaf` of the tree lies in a spectrum: kernels/spectrum_order.cl. */
static size_t place_of(const struct plan_shape *s, size_t leaf)
{
    const struct device_pass *rows = &s->device.forward[s->device.n_passes - 1];
    const size_t radix = rows->radix[rows->n_stages - 1], slot = leaf % rows->points;
    return leaf - slot + slot % radix * (rows->points / radix) + slot / radix;
}

/* opposite - the leaf of minus the angle of a leaf, by the angles themselves.   at in: the leaf of each angle, in units of 1/n */
static size_t opposite(const struct plan_shape *s, const uint32_t *at, size_t leaf)
{
    const size_t n = s->transform.n_points;
    const struct ref_angle x = ref_node_angle(s->transform.odd, s->transform.log2_n, leaf, 0);
    return at[(n - (size_t)((unsigned __int128)x.p * n / x.q)) % n];
}

/* point_product - the product of both spectra at a leaf, as the kernel has it. */
static void point_product(double *z, const double *v, const double *w)
{
    const double ar = 0.5 * (v[0] + w[0]), ai = 0.5 * (v[1] - w[1]), br = 0.5 * (v[1] + w[1]), bi = 0.5 * (w[0] - v[0]);
    z[0] = fma(ar, br, -(ai * bi));
    z[1] = fma(ar, bi, ai * br);
}

/* points_of - the points that digits make.   b: two-for-one, the digits of the other operand */
static void points_of(const struct machine *m, double *re, double *im, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                      size_t bn)
{
    const struct plan_shape *s = &m->shape;
    const size_t n = s->transform.n_points;
    if (is_halves(m)) {
        double *digit = test_alloc(2 * n * sizeof *digit);
        digits_cut(digit, 2 * n, a, an, s->digits.exponent);
        for (size_t j = 0; j < n; j++) {
            re[j] = digit[2 * j];
            im[j] = digit[2 * j + 1];
        }
        free(digit);
        return;
    }
    digits_cut(re, n, a, an, s->digits.exponent);
    digits_cut(im, n, b, bn, s->digits.exponent);
    for (size_t j = 0; j < n; j++)
        im[j] = ldexp(im[j], s->digits.balance_exp);
}

/* spectrum_check - the transform of these points, leaf by leaf, by a slow reference.   spectrum in: n points of the device */
static void spectrum_check(const struct machine *m, const double *spectrum, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                           size_t bn)
{
    const struct plan_shape *s = &m->shape;
    const size_t n = s->transform.n_points;
    double *re = test_alloc_zeroed(2 * n, sizeof *re), *im = re + n, sum = 0;
    long double *want_re = test_alloc_zeroed(2 * n, sizeof *want_re), *want_im = want_re + n;
    points_of(m, re, im, a, an, b, bn);
    for (size_t j = 0; j < n; j++)
        sum += re[j] * re[j] + im[j] * im[j];
    ref_spectrum(want_re, want_im, re, im, s->transform.odd, s->transform.log2_n, 0);
    const double most = 0x1p-53 * 8 * s->transform.log2_n * sqrt(sum * (double)n);
    size_t leaf = 0;
    while (leaf < n && fabsl(spectrum[2 * place_of(s, leaf)] - want_re[leaf]) <= most &&
           fabsl(spectrum[2 * place_of(s, leaf) + 1] - want_im[leaf]) <= most)
        leaf++;
    TEST_CHECK_MSG(leaf == n, "leaf %zu of %zu is not that of the digits", leaf, n);
    free(re);
    free(want_re);
}

/* leaves_by_angle - the leaf of each angle, in units of 1/n. */
static void leaves_by_angle(const struct plan_shape *s, uint32_t *at)
{
    const size_t n = s->transform.n_points;
    for (size_t leaf = 0; leaf < n; leaf++) {
        const struct ref_angle angle = ref_node_angle(s->transform.odd, s->transform.log2_n, leaf, 0);
        at[(size_t)((unsigned __int128)angle.p * n / angle.q)] = (uint32_t)leaf;
    }
}

/* spectrum_get - the spectrum of an operand; two-for-one: of both. */
static void spectrum_get(struct machine *m, double *v, cl_mem spectrum, struct ocl_number a, struct ocl_number b)
{
    const size_t bytes = pipeline_spectrum_bytes(m->pipeline);
    must(ocl_pipeline_need(OCL_ON(device, detail), m->pipeline, OCL_KERNELS_KEEP));
    must(ocl_pipeline_forward(OCL_ON(device, detail), m->pipeline, &m->work, a, b));
    must(pipeline_points.keep(OCL_ON(device, detail), m->pipeline,
                              &(struct ocl_transform){.points = m->work.x, .spectrum = spectrum}, 1));
    must(ocl_download(OCL_ON(device, detail), v, (struct ocl_span){spectrum, 0, bytes}, 1, OCL_AFTER_QUEUE));
}

/* rows_both - x: what the kernel of pairs leaves;  z in: a spectrum, out: what spectrum_to_columns makes of it. */
static void rows_both(struct machine *m, double *x, double *z, cl_mem spectrum)
{
    const size_t bytes = pipeline_spectrum_bytes(m->pipeline);
    must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){spectrum, 0, bytes}, z, 1, OCL_AFTER_QUEUE));
    must(ocl_pipeline_rows_back(OCL_ON(device, detail), m->pipeline, &m->work, spectrum));
    must(ocl_download(OCL_ON(device, detail), z, (struct ocl_span){m->work.x, 0, bytes}, 1, OCL_AFTER_QUEUE));
    must(ocl_pipeline_forward(OCL_ON(device, detail), m->pipeline, &m->work, m->a, m->b));
    must(ocl_pipeline_rows(OCL_ON(device, detail), m->pipeline, &m->work));
    must(ocl_download(OCL_ON(device, detail), x, (struct ocl_span){m->work.x, 0, bytes}, 1, OCL_AFTER_QUEUE));
}

/* pairs_check - columns_mul_paired_fused = columns_to_spectrum, products of opposite leaves, spectrum_to_columns: bit for bit. */
static void pairs_check(struct machine *m, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    const struct plan_shape *s = &m->shape;
    const size_t n = s->transform.n_points, bytes = pipeline_spectrum_bytes(m->pipeline);
    double *v = test_alloc(bytes), *z = test_alloc(bytes), *x = test_alloc(bytes);
    uint32_t *at = test_alloc(n * sizeof *at);
    cl_mem spectrum;
    must(ocl_buffer_get(OCL_ON(device, detail), bytes, &spectrum));
    spectrum_get(m, v, spectrum, m->a, m->b);
    spectrum_check(m, v, a, an, b, bn);
    leaves_by_angle(s, at);
    for (size_t leaf = 0; leaf < n; leaf++)
        point_product(z + 2 * place_of(s, leaf), v + 2 * place_of(s, leaf), v + 2 * place_of(s, opposite(s, at, leaf)));
    rows_both(m, x, z, spectrum);
    size_t i = 0;
    while (i < 2 * n && x[i] == z[i])
        i++;
    TEST_CHECK_MSG(i == 2 * n, "number %zu of %zu is %a, should be %a", i, 2 * n, x[i < 2 * n ? i : 0], z[i < 2 * n ? i : 0]);
    ocl_buffer_put(device, spectrum);
    free(at);
    free(x);
    free(z);
    free(v);
}

typedef _Complex long double wide;

static wide wide_at(const double *p)
{
    return p[0] + p[1] * (wide)_Complex_I;
}

/* halves_product - section 14.2: the product at a leaf of angle zeta.   v, w: both operands there; v_other, w_other: opposite */
static wide halves_product(wide v, wide v_other, wide w, wide w_other, wide zeta)
{
    const wide i = _Complex_I, ea = (v + conjl(v_other)) / 2, oa = (v - conjl(v_other)) / (2 * i);
    const wide eb = (w + conjl(w_other)) / 2, ob = (w - conjl(w_other)) / (2 * i);
    return ea * eb + zeta * oa * ob + i * (ea * ob + oa * eb);
}

/* halves_check - columns_mul_halves_fused: the same for one-for-half, up to the roundings of the product. */
static void halves_check(struct machine *m, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    static const struct ocl_number none = {NULL, 0};
    const struct plan_shape *s = &m->shape;
    const size_t n = s->transform.n_points, bytes = pipeline_spectrum_bytes(m->pipeline);
    double *v = test_alloc(bytes), *w = test_alloc(bytes), *z = test_alloc(bytes), *x = test_alloc(bytes);
    uint32_t *at = test_alloc(n * sizeof *at);
    long double off = 0, all = 0;
    cl_mem spectrum;
    must(ocl_buffer_get(OCL_ON(device, detail), bytes, &spectrum));
    spectrum_get(m, v, spectrum, m->a, none);
    spectrum_check(m, v, a, an, NULL, 0);
    spectrum_get(m, w, spectrum, s->square ? m->a : m->b, none);
    spectrum_check(m, w, b, bn, NULL, 0);
    leaves_by_angle(s, at);
    for (size_t leaf = 0; leaf < n; leaf++) {
        const struct ref_angle angle = ref_node_angle(s->transform.odd, s->transform.log2_n, leaf, 0);
        const long double turn = 8 * atanl(1) * (long double)angle.p / (long double)angle.q;
        const size_t here = 2 * place_of(s, leaf), there = 2 * place_of(s, opposite(s, at, leaf));
        const wide product = halves_product(wide_at(v + here), wide_at(v + there), wide_at(w + here), wide_at(w + there),
                                            cosl(turn) + sinl(turn) * (wide)_Complex_I);
        z[here] = (double)creall(product);
        z[here + 1] = (double)cimagl(product);
    }
    rows_both(m, x, z, spectrum);
    for (size_t i = 0; i < 2 * n; i++) {
        off += ((long double)x[i] - z[i]) * ((long double)x[i] - z[i]);
        all += (long double)z[i] * z[i];
    }
    TEST_CHECK_MSG(off <= all * 0x1p-98L, "the products are off by 2^%.1Lf of all", log2l(off / all) / 2); /* 16 u */
    ocl_buffer_put(device, spectrum);
    free(at);
    free(x);
    free(z);
    free(w);
    free(v);
}

/* ---- products ---- */

/* norms_check - the sums of an operand's kernels, against those of its digits. */
static void norms_check(const struct machine *m, const struct digit_norms *seen, const mp_limb_t *p, size_t n)
{
    const struct plan_shape *s = &m->shape;
    const size_t count = s->transform.n_digits;
    double *digit = test_alloc(count * sizeof *digit), sum = 0, pop = 0;
    digits_cut(digit, count, p, n, s->digits.exponent);
    for (size_t j = 0; j < count; j++) {
        sum += digit[j] * digit[j]; /* exact: below 2^53 */
        pop +=
            digit[j] * digit[j] * __builtin_popcountll((is_halves(m) ? j / 2 : j) & (((uint64_t)1 << s->transform.log2_n) - 1));
    }
    TEST_CHECK_MSG(seen->sum_sq == sum && seen->sum_pop == pop, "norms %.17g, %.17g, should be %.17g, %.17g", seen->sum_sq,
                   seen->sum_pop, sum, pop);
    free(digit);
}

/* host_mul - from and to pinned memory; two-for-one: through one queue, whatever the size of parts is; else in parts. */
static void host_mul(struct machine *m, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    struct ocl_ends ends = {.a = m->a, .b = m->b, .z = m->z};
    const size_t kept = device->overlap_short, kept_block = device->overlap_block;
    struct ocl_readback readback;
    struct plan_figures figures;
    void *host[3];
    cl_event done;
    must(ocl_host_alloc(OCL_ON(device, detail), 8 * an, &host[0]));
    must(ocl_host_alloc(OCL_ON(device, detail), 8 * bn, &host[1]));
    must(ocl_host_alloc(OCL_ON(device, detail), 8 * (an + bn), &host[2]));
    memcpy(host[0], a, 8 * an);
    memcpy(host[1], b, 8 * bn);
    ends.a_from = host[0];
    ends.b_from = m->b.words ? host[1] : NULL;
    ends.z_to = host[2];
    must(ocl_fill(OCL_ON(device, detail), (struct ocl_span){m->a.words, 0, 8 * an}, "\x5a", 1));
    must(ocl_finish(OCL_ON(device, detail)));
    device->overlap_short = 0;
    device->overlap_block = 1024;
    ocl_device_unlock(device);
    must(ocl_overlap_mul(OCL_ON(device, detail), m->pipeline, &m->work, &ends, &readback, &done));
    must(ocl_pipeline_figures_wait(OCL_ON(device, detail), m->pipeline, &readback, &figures));
    must(ocl_overlap_wait(OCL_ON(device, detail), &ends, done));
    ocl_device_lock(device);
    device->overlap_short = kept;
    device->overlap_block = kept_block;
    must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){m->z.words, 0, 8 * (an + bn)}, host[2], 1, OCL_AFTER_QUEUE));
    for (unsigned i = 0; i < 3; i++)
        ocl_host_free(device, host[i]);
}

static void machine_check(struct machine *m, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn, bool from_host)
{
    mp_limb_t *z = test_alloc(16 * (an + bn)), *want = z + an + bn;
    struct plan_figures figures;
    words_put(&m->a, a, an);
    if (m->b.words)
        words_put(&m->b, b, bn);
    m->z.n_words = (uint32_t)(2 * (an + bn));
    if (from_host)
        host_mul(m, a, an, b, bn);
    else
        must(pipeline_mul(OCL_ON(device, detail), m->pipeline, &m->work, m->z, m->a, m->b));
    must(ocl_download(OCL_ON(device, detail), z, (struct ocl_span){m->z.words, 0, 8 * (an + bn)}, 1, OCL_AFTER_QUEUE));
    must(pipeline_figures(OCL_ON(device, detail), m->pipeline, &m->work, &figures));
    ref_mul_gmp(want, a, an, b, bn);
    test_equal_limbs(z, want, an + bn);
    norms_check(m, &figures.a, a, an);
    norms_check(m, &figures.b, b, bn);
    const double bound = plan_bound_measured(&m->shape, &figures.a, &figures.b, NULL);
    TEST_CHECK_MSG(figures.max_error <= bound * (1 + 1e-5), "error %g above the bound %g", figures.max_error, bound);
    m->worst = test_worse(m->worst, figures.max_error);
    free(z);
}

/* kept_check - one-for-half: a product with a kept spectrum of b. */
static void kept_check(struct machine *m, const mp_limb_t *a, const mp_limb_t *b)
{
    static const struct ocl_number none = {NULL, 0};
    const size_t zn = m->an + m->bn;
    mp_limb_t *z = test_alloc(16 * zn), *want = z + zn;
    cl_mem spectrum;
    must(ocl_buffer_get(OCL_ON(device, detail), pipeline_spectrum_bytes(m->pipeline), &spectrum));
    must(ocl_pipeline_keep(OCL_ON(device, detail), m->pipeline, &m->work, spectrum, m->b));
    must(ocl_pipeline_forward(OCL_ON(device, detail), m->pipeline, &m->work, m->a, none));
    must(ocl_pipeline_rows_kept(OCL_ON(device, detail), m->pipeline, &m->work, spectrum));
    m->z.n_words = (uint32_t)(2 * zn);
    must(ocl_pipeline_limbs(OCL_ON(device, detail), m->pipeline, &m->work, m->z, 0, 1));
    must(ocl_download(OCL_ON(device, detail), z, (struct ocl_span){m->z.words, 0, 8 * zn}, 1, OCL_AFTER_QUEUE));
    ref_mul_gmp(want, a, m->an, b, m->bn);
    test_equal_limbs(z, want, zn);
    ocl_buffer_put(device, spectrum);
    free(z);
}

/* shape_products - products of all kinds of operands by one shape. */
static void shape_products(const char *text, enum gfmul_packing packing, bool square, bool unequal)
{
    struct machine m;
    machine_begin(&m, text, packing, square, unequal);
    const unsigned l = m.shape.digits.exponent;
    mp_limb_t *a = test_alloc(8 * m.an), *b = test_alloc(8 * m.bn);
    for (unsigned round = 0; round < 2 * OPERAND_KINDS; round++) {
        const enum operand_kind ka = round % OPERAND_KINDS, kb = test_below(3) ? test_below(OPERAND_KINDS) : ka;
        const size_t an = test_below(2) ? m.an : test_size(1, m.an);
        const size_t bn = square ? an : test_below(2) ? m.bn : test_size(1, m.bn < an ? m.bn : an);
        operand_fill(a, an, ka, l, test_u64());
        operand_fill(b, bn, kb, l, test_u64());
        test_note("%s, l=%u, %s times %s, an=%zu bn=%zu%s", text, l, operand_name(ka), operand_name(kb), an, bn,
                  square ? ", a square" : "");
        machine_check(&m, a, an, square ? a : b, bn, round % 7 == 0);
    }
    operand_fill(a, m.an, OPERAND_RANDOM, l, test_u64());
    operand_fill(b, m.bn, OPERAND_RANDOM, l, test_u64());
    words_put(&m.a, a, m.an);
    if (!square)
        words_put(&m.b, b, m.bn);
    test_note("%s, l=%u, pairs, packing %d%s", text, l, packing, square ? ", a square" : "");
    if (is_halves(&m))
        halves_check(&m, a, m.an, square ? a : b, square ? m.an : m.bn);
    else if (!square)
        pairs_check(&m, a, m.an, b, m.bn);
    if (is_halves(&m) && !square)
        kept_check(&m, a, b);
    printf("  %s, %s, l = %u%s: proved %.4f, seen %.2g\n", plan_packing_name(packing), text, l, square ? ", squares" : "",
           m.shape.bound.value, m.worst);
    free(b);
    free(a);
    machine_end(&m);
}

/*
 * Two shapes by both packings, the first odd: its upper halves are full and empty.  Every other one in the long tier by one of
 * the packings, by both in the longest; some with halves full and not, and some squares.
 */
static void test_pipeline(void)
{
    enum { BY_BOTH = 2 };
    const unsigned shapes_run = (unsigned)test_tier(BY_BOTH, SHAPES, SHAPES);
    const unsigned turn = (unsigned)test_below(PACKINGS);
    if (!device_there())
        return;
    ocl_device_lock(device);
    for (unsigned i = 0; i < shapes_run * PACKINGS; i++) {
        const char *shape = shapes[i / PACKINGS];
        const enum gfmul_packing packing = packings[i % PACKINGS];
        const unsigned k = i / PACKINGS;
        if (k >= BY_BOTH && !test_longest_tier() && (k + i) % PACKINGS != turn)
            continue;
        shape_products(shape, packing, false, k % 2 == 0);
        if (test_tier(k == 1 && packing == GFMUL_PACKING_ONE_FOR_HALF, k % 5 == 0, 1))
            shape_products(shape, packing, true, false);
        if (test_tier(k == 0, k % 4 == 0, 1))
            shape_products(shape, packing, false, k % 2 == 1);
    }
    ocl_device_unlock(device);
}

/* ---- through the library ---- */

static struct product_ctx ctx_of(enum gfmul_packing packing, enum gfmul_rule rule)
{
    struct gfmul_options opt;
    struct product_ctx c;
    gfmul_options_init(&opt);
    opt.device = device_name();
    opt.rule = rule;
    opt.packing = packing;
    opt.verify = GFMUL_VERIFY_NONE;
    snprintf(c.name, sizeof c.name, "device, %s, rule %s", plan_packing_name(packing),
             rule == GFMUL_RULE_NORM ? "norm" : "checked");
    test_note("%s", c.name);
    c.ctx = test_ctx(&opt);
    return c;
}

/* made_there - whether the last product was made on the device, in this packing. */
static bool made_there(const struct product_ctx *c, enum gfmul_packing packing)
{
    const struct gfmul_report r = report_of(c);
    return strcmp(r.plan.engine, "opencl") == 0 && strcmp(r.plan.packing, plan_packing_name(packing)) == 0;
}

static void test_limbs(void)
{
    static const size_t sizes[][2] = {{4500, 4500}, {4500, 3900}, {4400, 4300}, {9000, 1100}};
    for (unsigned r = 0; r < PACKINGS * test_tier(1, 2, 2); r++) {
        const enum gfmul_packing packing = packings[r % PACKINGS];
        struct product_ctx c = ctx_of(packing, r / PACKINGS ? GFMUL_RULE_CHECKED : GFMUL_RULE_NORM);
        unsigned there = 0;
        for (unsigned i = 0; i < test_tier(3, 12, 60); i++) {
            const size_t *n = sizes[i % test_tier(3, 4, 4)];
            product_random(&c, 1, n[0], n[1], i % 2 ? OPERAND_KINDS : OPERAND_RANDOM, OPERAND_RANDOM, 12, i % 6 == 5);
            there += made_there(&c, packing);
        }
        TEST_CHECK_MSG(there > 0, "no product was made in this packing");
        product_ctx_destroy(&c);
    }
}

/* A kept operand has a spectrum in packing one-for-half alone, and its products are right in both. */
static void test_operand(void)
{
    enum { N = 4500 };
    for (unsigned k = 0; k < PACKINGS; k++) {
        struct product_ctx c = ctx_of(packings[k], GFMUL_RULE_NORM);
        struct gfmul_operand *op = NULL;
        mp_limb_t *a = test_alloc(8 * 6 * N), *b = a + N, *z = b + N, *want = z + 2 * N;
        operand_fill(a, N, OPERAND_RANDOM, 1, test_u64());
        operand_fill(b, N, OPERAND_RANDOM, 1, test_u64());
        if (TEST_OK(gfmul_operand_create(c.ctx, &op, b, N, N)) && TEST_OK(gfmul_operand_mul(op, z, a, N))) {
            ref_mul_gmp(want, a, N, b, N);
            test_equal_limbs(z, want, 2 * N);
            TEST_CHECK(made_there(&c, packings[k]) && report_of(&c).n_fallbacks == 0);
        }
        gfmul_operand_destroy(op);
        free(a);
        product_ctx_destroy(&c);
    }
}

static void text_products(enum gfmul_packing packing)
{
    enum { N = 70000 };
    struct product_ctx c = ctx_of(packing, GFMUL_RULE_NORM);
    char *a = test_alloc(N + 1), *b = test_alloc(N + 1), *z = test_alloc(2 * N + 2), *want;
    for (unsigned i = 0; i < test_tier(2, 8, 20); i++) {
        const size_t an = N - (size_t)test_below(9), bn = i % 4 == 3 ? N / 5 : N - (size_t)test_below(900);
        size_t length;
        mpz_t x, y;
        text_fill(a, an, i % 2 ? TEXT_KINDS - 1 - test_below(TEXT_KINDS) : TEXT_RANDOM, 10, 4, test_u64());
        text_fill(b, bn, TEXT_RANDOM, 10, 4, test_u64());
        a[an] = b[bn] = '\0';
        test_note("%s, text, an=%zu bn=%zu", c.name, an, bn);
        mpz_init_set_str(x, a, 10);
        mpz_init_set_str(y, b, 10);
        mpz_mul(x, x, y);
        want = mpz_get_str(NULL, 10, x);
        if (TEST_OK(gfmul_str_mul(c.ctx, z, 2 * N + 2, &length, 10, a, an, 10, b, bn, 10)))
            TEST_CHECK(length == strlen(want) && strcmp(z, want) == 0);
        if (i % 2 == 0)
            TEST_CHECK(made_there(&c, packing));
        free(want);
        mpz_clears(x, y, NULL);
    }
    free(z);
    free(b);
    free(a);
    product_ctx_destroy(&c);
}

static void test_text(void)
{
    for (unsigned k = 0; k < PACKINGS; k++)
        text_products(packings[k]);
}

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    ocl_test_keep();
    test_begin(argc, argv);
    TEST_RUN(test_pipeline);
    TEST_RUN(test_limbs);
    TEST_RUN_LONG(test_operand);
    TEST_RUN(test_text);
    ocl_device_close(device);
    return ocl_test_end();
}
#endif
