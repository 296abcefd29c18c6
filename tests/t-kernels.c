/*
 * t-kernels.c - the kernels of a product against the sequences that their headers say they equal.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Bit for bit, for each line of plan/thresholds/device.h:
 *
 *     source_to_columns_fused    digits cut here one by one, then columns_forward from the root; also in blocks of columns
 *     columns_mul_fused          columns_to_spectrum of both, spectrum_mul_add, spectrum_to_columns; also kept, and of a square
 *     columns_to_runs_fused, runs_to_limbs (runs_to_text), chunks_carry
 *                                columns_inverse from the root, then rounded and carried here one by one
 *
 * In double the digits are those of digits_from_source, and the product is that of digits_to_limbs or digits_to_text.  The passes
 * themselves have no twin on the CPU, bit for bit: they take other twiddles in another order.  So their points are compared with
 * the sums that they stand for, in 113 bits.
 *
 * Equal means ==: the zeros that stand for imaginary parts of real points may differ in their signs.
 */
#include <math.h>

#include "test.h"

#ifndef HAVE_OPENCL
static void test_kernels(void)
{
    TEST_SKIP("built without OpenCL");
}
int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_kernels);
    return test_end();
}
#else
#include "kernel_test.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_pipeline.h"
#include "ocl/ocl_program.h"
#include "ocl/ocl_staging.h"
#include "pipeline_test.h"
#include "plan/thresholds/device.h"
#include "reference.h"
#include "shapes.h"
#include "text/text.h"

enum field { FIELD_DOUBLE, FIELD_DD };

struct kernel_case {
    const char *text; /* as plan_device_parse */
    enum field field;
    unsigned base, halves;
};

/* A pipeline on its way through a case: its operands, as they are on the device and digit by digit. */
struct kernel_run {
    const struct kernel_case *of;
    struct plan_shape shape, square; /* square: of the shorter operand */
    struct ocl_pipeline *pipeline;
    struct ocl_work work;
    struct ocl_number number[2], z;
    void *operand[2];       /* words or characters */
    int64_t *digit[2];      /* 2 n of them */
    size_t bytes, n, parts; /* of all points; points; numbers of a point */
    void *x, *y, *want;     /* points, for any use */
    cl_mem spectrum[3];
};

/* part - number i of points; part_set sets it. */
static double part(const void *points, size_t i)
{
    return ((const double *)points)[i];
}

static void part_set(void *points, size_t i, double value)
{
    ((double *)points)[i] = value;
}

/* half - where the real (0) or the imaginary part (1) of a point begins. */
static size_t half(const struct kernel_run *r, size_t point, unsigned which)
{
    return point * r->parts + which * r->parts / 2;
}

static void points_get(const struct kernel_run *r, void *points, cl_mem from)
{
    must(ocl_download(OCL_ON(device, detail), points, (struct ocl_span){from, 0, r->bytes}, 1, OCL_AFTER_QUEUE));
}

static void points_put(const struct kernel_run *r, cl_mem to, const void *points)
{
    must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){to, 0, r->bytes}, points, 1, OCL_AFTER_QUEUE));
}

/* points_equal - whether these on the device are what is wanted; r->y gets them. */
static void points_equal(const struct kernel_run *r, cl_mem from, const void *want, const char *what)
{
    const size_t count = r->n * r->parts;
    size_t at = 0;
    points_get(r, r->y, from);
    while (at < count && part(r->y, at) == part(want, at))
        at++;
    TEST_CHECK_MSG(at == count, "%s: number %zu of %zu is %a, should be %a", what, at, count, part(r->y, at < count ? at : 0),
                   part(want, at < count ? at : 0));
}

/* ---- operands ---- */

/* digits_cut - balanced digits of limbs or of text, one by one from the lowest. */
static void digits_cut(struct kernel_run *r, unsigned operand)
{
    const struct plan_digits *d = &r->shape.digits;
    const uint32_t *words = r->operand[operand];
    const char *text = r->operand[operand];
    const size_t units = r->number[operand].n_words, count = (d->base == 2 ? 32 : 1) * units;
    int64_t carry = 0;
    for (size_t j = 0; j * d->exponent < count + d->exponent; j++) {
        int64_t raw = carry, power = 1;
        for (size_t i = j * d->exponent; i < (j + 1) * d->exponent; i++, power *= d->base)
            if (i < count)
                raw += power * (d->base == 2 ? words[i / 32] >> i % 32 & 1 : (uint32_t)(text[count - 1 - i] - '0'));
        carry = raw - carry >= power / 2;
        r->digit[operand][j] = raw - carry * power;
    }
}

/* operand_make - random, at times with long runs of one digit. */
static void operand_make(struct kernel_run *r, unsigned operand, size_t units)
{
    const bool text = r->of->base != 2;
    const size_t bytes = units * (text ? 1 : 4);
    unsigned char *p = test_alloc(bytes);
    for (size_t i = 0; i < bytes; i++)
        p[i] = (unsigned char)(text ? '0' + test_below(10) : test_below(256));
    for (unsigned runs = 0; runs < 3; runs++) {
        const size_t at = (size_t)test_below(bytes);
        memset(p + at, text ? "059"[test_below(3)] : "\0\x7f\xff"[test_below(3)], (size_t)test_below(bytes - at) / 4);
    }
    r->operand[operand] = p;
    r->number[operand].n_words = (uint32_t)units;
    must(ocl_buffer_get(OCL_ON(device, detail), bytes, &r->number[operand].words));
    must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){r->number[operand].words, 0, bytes}, p, 1, OCL_AFTER_QUEUE));
    r->digit[operand] = test_alloc_zeroed(2 * r->n, sizeof *r->digit[operand]);
    digits_cut(r, operand);
}

/* cpu_plan - the same digits and points on the CPU, in double. */
static struct plan *cpu_plan(const struct kernel_run *r)
{
    const struct isa_ops *isa = isa_ops_list(0);
    const struct plan_shape *s = &r->shape;
    return shape_plan(isa, GFMUL_PACKING_RIGHT_ANGLE, s->transform.odd, s->transform.log2_n, s->digits.base, s->digits.exponent,
                      0, isa->max_radix);
}

/* digits_as_cpu - the CPU cuts the same digits. */
static void digits_as_cpu(const struct kernel_run *r, unsigned operand)
{
    struct plan *plan = cpu_plan(r);
    double *x = shape_buffer(plan);
    const size_t units = r->number[operand].n_words, count = operand ? r->shape.digits.bn : r->shape.digits.an;
    const struct text_number text = {.digits = r->operand[operand], .n_digits = units, .base = 10};
    struct digit_norms norms = {0, 0};
    struct digit_source source;
    if (r->of->base == 2)
        limbs_source(&source, plan, r->operand[operand], units / 2);
    else
        text_source(&source, plan, &text);
    digits_from_source(plan, x, &(struct digit_cell){&source, 0, count, DIGIT_PART_A}, &norms, 1);
    size_t j = 0;
    while (j < 2 * r->n && x[shape_digit(plan, DIGIT_PART_A, j)] == (double)r->digit[operand][j])
        j++;
    TEST_CHECK_MSG(j == 2 * r->n, "operand %u, digit %zu of %zu", operand, j, count);
    free(x);
    plan_destroy(plan);
}

/* ---- passes ---- */

/* root_pass - columns_forward or columns_inverse from the root, in place, in the shape of the first pass. */
static void root_pass(const struct kernel_run *r, bool forward, cl_mem x)
{
    static const char *const parts[] = {[FIELD_DOUBLE] = "-DDOUBLE_DOUBLE=0", [FIELD_DD] = "-DDOUBLE_DOUBLE=1"};
    const struct device_pass *pass = forward ? &r->shape.device.forward[0] : &r->shape.device.inverse[0];
    const char *const file = forward ? "columns_forward.cl" : "columns_inverse.cl";
    const char *const name = forward ? "columns_forward" : "columns_inverse";
    const size_t columns = device_shape_columns(&r->shape, 0), entries = device_node_entries(pass);
    const size_t table_bytes = (entries > 0 ? entries : 1) * device_point_bytes(&r->shape);
    const size_t items = pass->items * pass->columns, global = columns / pass->columns * items;
    const cl_uint n_columns = (cl_uint)columns;
    unsigned radix[DEVICE_STAGES] = {1, 1, 1, 1, 1};
    char options[400];
    cl_kernel k;
    cl_mem table;
    memcpy(radix, pass->radix, pass->n_stages * sizeof *radix);
    snprintf(options, sizeof options,
             "-DPOINTS=%u -DITEMS=%u -DCOLUMNS=%u -DN_STAGES=%u -DR0=%u -DR1=%u -DR2=%u -DR3=%u -DR4=%u -DDIRECT_STAGES=%u "
             "-DSPLIT_EXCHANGE=%d -DPAD=%u %s ",
             pass->points, pass->items, pass->columns, pass->n_stages, radix[0], radix[1], radix[2], radix[3], radix[4],
             pass->direct_stages, pass->split, pass->pad, parts[r->of->field]);
    must(ocl_kernel_get(OCL_ON(device, detail), file, name, options, &k));
    void *entry = test_alloc(table_bytes);
    must(pipeline_table(OCL_ON(device, detail), r->pipeline, 0, entry, table_bytes));
    must(ocl_buffer_get(OCL_ON(device, detail), table_bytes, &table));
    must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){table, 0, table_bytes}, entry, 1, OCL_AFTER_QUEUE));
    if (forward)
        must(ocl_args(OCL_ON(device, detail), k, OCL_ARG(x), OCL_ARG(x), OCL_ARG(table), OCL_ARG(table), OCL_ARG(n_columns),
                      OCL_END));
    else
        must(ocl_args(OCL_ON(device, detail), k, OCL_ARG(x), OCL_ARG(table), OCL_ARG(table), OCL_ARG(n_columns), OCL_END));
    must(ocl_launch(OCL_ON(device, detail), k, name, ocl_items(global, items), 0));
    must(ocl_finish(OCL_ON(device, detail)));
    ocl_buffer_put(device, table);
    ocl_kernel_put(device, k);
    free(entry);
}

#if REF_HAVE_QUAD
/*
 * points_stand - points behind passes 0 .. last, of digits, against what they stand for: point c of the node of angle theta is
 * the sum over s of e(s theta) (d_j + i d_(j+n)), j = s columns + c.  Some points of some nodes.
 */
static void points_stand(const struct kernel_run *r, const void *points, const int64_t *digit, unsigned last)
{
    static const double unit[] = {[FIELD_DOUBLE] = 0x1p-53, [FIELD_DD] = 0x1p-102};
    const size_t columns = device_shape_columns(&r->shape, last), nodes = r->n / columns;
    const uint64_t den = device_angle_den(&r->shape);
    unsigned depth = 0;
    while ((size_t)r->shape.transform.odd << depth < nodes)
        depth++;
    for (unsigned round = 0; round < 64; round++) {
        const size_t node = (size_t)test_below(nodes), c = (size_t)test_below(columns);
        ref_quad cosine, sine, re = 0, im = 0, sum = 0;
        ref_cos_sin(&cosine, &sine, node_angle(&r->shape, r->shape.transform.odd, depth, node), den);
        for (size_t s = nodes; s-- > 0;) {
            const int64_t d = digit[s * columns + c], e = digit[r->n + s * columns + c];
            const ref_quad t = re * cosine - im * sine + d;
            im = re * sine + im * cosine + e;
            re = t;
            sum += (d < 0 ? -d : d) + (e < 0 ? -e : e);
        }
        ref_quad off = 0;
        for (unsigned h = 0; h < 2; h++) {
            ref_quad got = 0;
            for (unsigned i = r->parts / 2; i-- > 0;)
                got += part(points, half(r, node * columns + c, h) + i);
            off += got > (h ? im : re) ? got - (h ? im : re) : (h ? im : re) - got;
        }
        const double most = unit[r->of->field] * 4 * (8 + depth) * (double)sum;
        if (!TEST_CHECK_MSG((double)off <= most, "pass %u, node %zu, point %zu: off by %g, more than %g", last, node, c,
                            (double)off, most))
            return;
    }
}
#else
#define points_stand(r, points, digit, last) ((void)(points))
#endif

/* digits_put - digits as points. */
static void digits_put(const struct kernel_run *r, void *points, const int64_t *digit)
{
    memset(points, 0, r->bytes);
    for (size_t j = 0; j < 2 * r->n; j++)
        part_set(points, half(r, j % r->n, j >= r->n), (double)digit[j]);
}

/* norms_check - what a product's kernels have summed up of an operand. */
static void norms_check(const struct kernel_run *r, const struct digit_norms *norms, const int64_t *digit)
{
    const unsigned shift = device_norm_shift(&r->shape);
    unsigned __int128 sum = 0, sum_pop = 0;
    for (size_t j = 0; j < 2 * r->n; j++) {
        const uint64_t size = (uint64_t)(digit[j] < 0 ? -digit[j] : digit[j]), d = (size + (((uint64_t)1 << shift) - 1)) >> shift;
        sum += d * d;
        sum_pop += d * d * (unsigned)__builtin_popcountll(j % r->n & (((uint64_t)1 << r->shape.transform.log2_n) - 1));
    }
    const double squares = ldexp((double)sum, 2 * (int)shift), weighted = ldexp((double)sum_pop, 2 * (int)shift);
    TEST_CHECK_MSG(fabs(norms->sum_sq - squares) <= 0x1p-52 * squares, "squares add up to %.17g, should be %.17g", norms->sum_sq,
                   squares);
    TEST_CHECK_MSG(fabs(norms->sum_pop - weighted) <= 0x1p-52 * weighted, "weighted, to %.17g, should be %.17g", norms->sum_pop,
                   weighted);
}

/*
 * source_check - source_to_columns_fused = digits, then columns_forward from the root; both operands at once = one after the
 * other, in blocks of columns; the passes behind it, of both = of each alone.
 */
static void source_check(struct kernel_run *r)
{
    const unsigned passes = r->shape.device.n_passes;
    const size_t columns = device_shape_columns(&r->shape, 0), mid = ocl_pipeline_source_column(r->pipeline, 1, 3);
    struct plan_figures figures;
    must(ocl_pipeline_begin(OCL_ON(device, detail), &r->work));
    must(ocl_pipeline_source(OCL_ON(device, detail), r->pipeline, &r->work, 0, r->number[0], mid, columns));
    must(ocl_pipeline_source(OCL_ON(device, detail), r->pipeline, &r->work, 0, r->number[0], 0, mid));
    must(ocl_pipeline_source(OCL_ON(device, detail), r->pipeline, &r->work, 1, r->number[1], 0, columns));
    for (unsigned operand = 0; operand < 2; operand++) {
        if (r->of->field == FIELD_DOUBLE)
            digits_as_cpu(r, operand);
        digits_put(r, r->x, r->digit[operand]);
        points_put(r, r->spectrum[0], r->x);
        root_pass(r, true, r->spectrum[0]);
        points_get(r, r->want, r->spectrum[0]);
        points_equal(r, operand ? r->work.y : r->work.x, r->want, "source_to_columns_fused");
        points_stand(r, r->y, r->digit[operand], 0);
        root_pass(r, false, r->spectrum[0]); /* and back, but for rounding: digits times POINTS */
        points_get(r, r->y, r->spectrum[0]);
        const double points = r->shape.device.forward[0].points;
        size_t j = 0;
        while (j < 2 * r->n && fabs(part(r->y, half(r, j % r->n, j >= r->n)) / points - (double)r->digit[operand][j]) < 0.25)
            j++;
        TEST_CHECK_MSG(j == 2 * r->n, "digit %zu is not what columns_inverse makes of columns_forward", j);
    }
    for (unsigned operand = 0; operand < 2; operand++)
        must(ocl_pipeline_columns(OCL_ON(device, detail), r->pipeline, &r->work, operand));
    must(pipeline_figures(OCL_ON(device, detail), r->pipeline, &r->work, &figures));
    norms_check(r, &figures.a, r->digit[0]);
    norms_check(r, &figures.b, r->digit[1]);
    points_get(r, r->x, r->work.x);
    points_get(r, r->want, r->work.y);
    must(ocl_pipeline_forward(OCL_ON(device, detail), r->pipeline, &r->work, r->number[0], r->number[1]));
    points_equal(r, r->work.x, r->x, "both operands at once, the first");
    points_stand(r, r->y, r->digit[0], passes - 2);
    points_equal(r, r->work.y, r->want, "both operands at once, the second");
}

/* spectra_mul - spectrum 2 = the product of spectra a and b, or that is added. */
static void spectra_mul(const struct kernel_run *r, unsigned a, unsigned b, bool add)
{
    const struct ocl_product product = {r->spectrum[a], r->spectrum[b], false};
    must(ocl_pipeline_mul_add(OCL_ON(device, detail), r->pipeline, r->spectrum[2], &product, 1, add));
}

/* block_check - spectrum_mul_add of -x y + y y + x x, in double: its roundings. */
static void block_check(struct kernel_run *r)
{
    cl_mem x = r->spectrum[0], y = r->spectrum[1];
    const struct ocl_product product[] = {{x, y, true}, {y, y, false}, {x, x, false}};
    points_get(r, r->x, x);
    points_get(r, r->want, y);
    for (size_t i = 0; i < 2 * r->n; i += 2) {
        const double re = part(r->x, i), im = part(r->x, i + 1), yre = part(r->want, i), yim = part(r->want, i + 1);
        double u = fma(-re, yre, im * yim), v = fma(-re, yim, -(im * yre));
        u = fma(re, re, fma(-im, im, fma(yre, yre, fma(-yim, yim, u))));
        v = fma(re, im, fma(im, re, fma(yre, yim, fma(yim, yre, v))));
        part_set(r->x, i, u);
        part_set(r->x, i + 1, v);
    }
    must(ocl_pipeline_mul_add(OCL_ON(device, detail), r->pipeline, r->spectrum[2], product, 3, false));
    points_equal(r, r->spectrum[2], r->x, "spectrum_mul_add of a block");
}

/*
 * mul_check - columns_mul_fused = columns_to_spectrum of both, spectrum_mul_add, spectrum_to_columns; against a kept spectrum,
 * and of a square.
 */
static void mul_check(struct kernel_run *r)
{
    const struct ocl_number none = {NULL, 0};
    const struct ocl_transform both[] = {{r->number[0], r->work.x, r->spectrum[0]}, {r->number[1], r->work.y, r->spectrum[1]}};
    struct ocl_pipeline *square;
    must(ocl_pipeline_spectra(OCL_ON(device, detail), r->pipeline, &r->work, both, 2));
    spectra_mul(r, 0, 1, false);
    must(ocl_pipeline_rows_back(OCL_ON(device, detail), r->pipeline, &r->work, r->spectrum[2]));
    points_get(r, r->want, r->work.x);
    must(ocl_pipeline_forward(OCL_ON(device, detail), r->pipeline, &r->work, r->number[0], r->number[1]));
    must(ocl_pipeline_rows(OCL_ON(device, detail), r->pipeline, &r->work));
    points_equal(r, r->work.x, r->want, "columns_mul_fused");
    must(ocl_pipeline_forward(OCL_ON(device, detail), r->pipeline, &r->work, r->number[0], none));
    must(ocl_pipeline_rows_kept(OCL_ON(device, detail), r->pipeline, &r->work, r->spectrum[1]));
    points_equal(r, r->work.x, r->want, "columns_mul_kept_fused");

    points_get(r, r->x, r->spectrum[2]); /* the sum of two equal products is exact */
    for (size_t i = 0; i < r->n * r->parts; i++)
        part_set(r->x, i, 2 * part(r->x, i));
    spectra_mul(r, 0, 1, true);
    points_equal(r, r->spectrum[2], r->x, "spectrum_mul_add");
    if (r->parts == 2)
        block_check(r);

    spectra_mul(r, 1, 1, false);
    must(ocl_pipeline_rows_back(OCL_ON(device, detail), r->pipeline, &r->work, r->spectrum[2]));
    points_get(r, r->want, r->work.x);
    must(pipeline_create(OCL_ON(device, detail), &square, &r->square));
    must(ocl_pipeline_forward(OCL_ON(device, detail), square, &r->work, r->number[1], none));
    must(ocl_pipeline_rows(OCL_ON(device, detail), square, &r->work));
    points_equal(r, r->work.x, r->want, "columns_mul_fused of a square");
    ocl_pipeline_destroy(square);
}

/* ---- the way out ---- */

struct rounded {
    __int128 integer;
    double error;
};

/*
 * part_round - number `at` of points, times 1 / n, rounded.  Single numbers take the kernel's own steps.  Pairs have to lie close
 * to integers.
 */
static struct rounded part_round(const struct kernel_run *r, const void *points, size_t at)
{
    struct rounded result;
    if (r->of->field == FIELD_DOUBLE) {
        const double v = part(points, at), scale = 1.0 / (double)r->n, integer = fma(v, scale, 0x1.8p52) - 0x1.8p52;
        result = (struct rounded){(int64_t)integer, fma(v, scale, -integer)};
    } else {
        const ref_quad x = ((ref_quad)part(points, at) + (ref_quad)part(points, at + 1)) / (ref_quad)r->n;
        result.integer = (__int128)(x < 0 ? x - (ref_quad)0.5 : x + (ref_quad)0.5);
        result.error = (double)(x - (ref_quad)result.integer);
    }
    return result;
}

/*
 * product_make - the number that coefficients make, carried digit by digit, its lowest units.
 *
 *   points  in   behind columns_inverse from the root
 *   z       out  z_units words, or characters, most significant first
 *   error, value  out  the largest distance from an integer, and the largest integer
 */
static void product_make(const struct kernel_run *r, const void *points, void *z, size_t z_units, double *error, double *value)
{
    const struct plan_digits *d = &r->shape.digits;
    uint32_t *words = z;
    char *text = z;
    __int128 carry = 0;
    memset(z, 0, z_units * (d->base == 2 ? 4 : 1));
    *error = *value = 0;
    for (size_t j = 0; j < 2 * r->n; j++) {
        const struct rounded v = part_round(r, points, half(r, j % r->n, j >= r->n));
        *error = fmax(*error, fabs(v.error));
        *value = fmax(*value, fabs((double)v.integer));
        carry += v.integer;
        __int128 digit = carry % (__int128)d->digit_base;
        digit += digit < 0 ? (__int128)d->digit_base : 0;
        carry = (carry - digit) / (__int128)d->digit_base;
        for (size_t i = j * d->exponent; i < (j + 1) * d->exponent; i++, digit /= d->base) {
            const uint32_t one = (uint32_t)(digit % d->base);
            if (d->base == 2 && i < 32 * z_units)
                words[i / 32] |= one << i % 32;
            else if (d->base != 2 && i < z_units)
                text[z_units - 1 - i] = (char)('0' + one);
        }
    }
}

/* product_as_cpu - the CPU makes the same number of these coefficients. */
static void product_as_cpu(const struct kernel_run *r, const void *points, const void *want, size_t z_units)
{
    struct plan *plan = cpu_plan(r);
    double *x = shape_buffer(plan);
    const size_t z_bytes = z_units * (r->of->base == 2 ? 4 : 1);
    void *z = test_alloc(z_bytes);
    struct round_stats stats = {.max_error = 0};
    for (size_t j = 0; j < 2 * r->n; j++)
        x[shape_digit(plan, DIGIT_PART_A, j)] = part(points, half(r, j % r->n, j >= r->n));
    if (r->of->base == 2)
        must(digits_to_limbs(plan, z, z_units / 2, x, &stats, 1));
    else
        digits_to_text(plan, z, z_units, x, NULL, &stats, 1);
    TEST_CHECK_MSG(memcmp(z, want, z_bytes) == 0, "the CPU makes another number of the same coefficients");
    free(z);
    free(x);
    plan_destroy(plan);
}

/*
 * runs_check - columns_to_runs_fused, runs_to_limbs or runs_to_text, chunks_carry = columns_inverse from the root, rounded and
 * carried.
 *
 *   slices  in  that the last kernels make the number in
 */
static void runs_check(struct kernel_run *r, bool close_to_integers, unsigned slices)
{
    const size_t units = r->z.n_words, bytes = units * (r->of->base == 2 ? 4 : 1);
    unsigned char *seen = test_alloc(2 * bytes), *want = seen + bytes;
    double error, value;
    struct plan_figures figures;
    if (slices > ocl_pipeline_parts_max(r->pipeline))
        slices = ocl_pipeline_parts_max(r->pipeline);
    must(ocl_pipeline_begin(OCL_ON(device, detail), &r->work));
    must(ocl_pipeline_rows_back(OCL_ON(device, detail), r->pipeline, &r->work, r->spectrum[2]));
    points_get(r, r->x, r->work.x); /* columns_to_runs_fused only reads it */
    for (unsigned slice = 0; slice < slices; slice++)
        must(ocl_pipeline_limbs(OCL_ON(device, detail), r->pipeline, &r->work, r->z, slice, slices));
    must(ocl_download(OCL_ON(device, detail), seen, (struct ocl_span){r->z.words, 0, bytes}, 1, OCL_AFTER_QUEUE));
    must(pipeline_figures(OCL_ON(device, detail), r->pipeline, &r->work, &figures));
    points_put(r, r->spectrum[2], r->x);
    root_pass(r, false, r->spectrum[2]);
    points_get(r, r->x, r->spectrum[2]);
    product_make(r, r->x, want, units, &error, &value);
    size_t at = 0;
    while (at < bytes && seen[at] == want[at])
        at++;
    TEST_CHECK_MSG(at == bytes, "byte %zu of the product's %zu is %02x, should be %02x", at, bytes, seen[at < bytes ? at : 0],
                   want[at < bytes ? at : 0]);
    TEST_CHECK_MSG(r->of->field == FIELD_DOUBLE ? figures.max_error >= error && figures.max_error <= error * (1 + 0x1p-18)
                                                : figures.max_error < 0.25 && error < 0.25,
                   "the distance is %.17g, should be %.17g", figures.max_error, error);
    TEST_CHECK_MSG(figures.max_value >= value && figures.max_value <= value * (1 + 0x1p-18) + 0.5,
                   "the largest value is %.17g, should be %.17g", figures.max_value, value);
    if (close_to_integers && r->of->field == FIELD_DOUBLE)
        product_as_cpu(r, r->x, want, units);
    free(seen);
}

/*
 * ones_multiply - the spectrum of the product of operands whose every digit is the largest: a carry runs from the end of each up
 * to that of the product.  Their sizes are random, so that it begins in any block of a chunk.
 */
static void ones_multiply(struct kernel_run *r)
{
    for (unsigned operand = 0; operand < 2; operand++) {
        struct ocl_number ones = r->number[operand];
        const size_t bytes = ones.n_words * (r->of->base == 2 ? 4 : 1);
        ones.n_words = 2 * (uint32_t)test_between(ones.n_words / 4, ones.n_words / 2);
        memset(r->operand[operand], r->of->base == 2 ? 0xff : '9', bytes);
        must(
            ocl_upload(OCL_ON(device, detail), (struct ocl_span){ones.words, 0, bytes}, r->operand[operand], 1, OCL_AFTER_QUEUE));
        must(ocl_pipeline_keep(OCL_ON(device, detail), r->pipeline, &r->work, r->spectrum[operand], ones));
    }
    spectra_mul(r, 0, 1, false);
}

/* ---- cases ---- */

/* case_shape - the shape of a case, with the longest digits that prove products of this size, or `exponent` if not 0. */
static bool case_shape(const struct kernel_case *c, struct plan_shape *shape, bool square, double a_share, double b_share,
                       unsigned exponent)
{
    struct plan_request request = {.rule = GFMUL_RULE_NORM,
                                   .precision = c->field == FIELD_DOUBLE ? GFMUL_PRECISION_DOUBLE : GFMUL_PRECISION_DD,
                                   .base = c->base,
                                   .an = 64,
                                   .bn = 64,
                                   .square = square,
                                   .worst_case = true,
                                   .fma = true,
                                   .full_precision = true}; /* digits as doubles are in t-ocl_stages */
    const unsigned most = c->base == 2 ? (c->field == FIELD_DD ? 46 : 20) : c->field == FIELD_DD ? 12 : 6;
    for (unsigned e = exponent ? exponent : most; e >= (exponent ? exponent : 1); e--) {
        request.an = request.bn = 64;
        if (plan_device_parse(shape, &request, c->text, e, detail, sizeof detail) != GFMUL_OK)
            continue;
        const double digits = (double)shape->transform.n_points * e;
        request.an = (size_t)(a_share * digits) / 64 * 64;
        request.bn = (size_t)(b_share * digits) / 64 * 64;
        if (plan_device_parse(shape, &request, c->text, e, detail, sizeof detail) == GFMUL_OK)
            return true;
    }
    return TEST_CHECK_MSG(false, "%s: no digits fit", c->text);
}

/* case_run - all of it for one shape. */
static void case_run(const struct kernel_case *c)
{
    struct kernel_run r = {.of = c};
    const double a_share = c->halves == 2 ? 1.5 : 0.97, b_share = c->halves == 2 ? 0.45 : 0.96;
    test_note("%s, field %d, base %u, %u halves", c->text, (int)c->field, c->base, c->halves);
    if (!case_shape(c, &r.shape, false, a_share, b_share, 0) ||
        !case_shape(c, &r.square, true, b_share, b_share, r.shape.digits.exponent))
        return;
    const unsigned e = r.shape.digits.exponent;
    test_note("%s, field %d, base %u^%u, %u halves, n = %zu", c->text, (int)c->field, c->base, e, r.shape.device.halves,
              r.shape.transform.n_points);
    r.n = r.shape.transform.n_points;
    r.parts = device_point_bytes(&r.shape) / sizeof(double);
    r.bytes = r.n * device_point_bytes(&r.shape);
    must(pipeline_create(OCL_ON(device, detail), &r.pipeline, &r.shape));
    must(ocl_work_get(OCL_ON(device, detail), &r.pipeline->shape, &r.work, false));
    for (unsigned i = 0; i < 3; i++)
        must(ocl_buffer_get(OCL_ON(device, detail), r.bytes, &r.spectrum[i]));
    r.x = test_alloc(r.bytes);
    r.y = test_alloc(r.bytes);
    r.want = test_alloc(r.bytes);
    for (unsigned operand = 0; operand < 2; operand++) {
        const size_t size = (size_t)((operand ? b_share : a_share) * (double)r.n * e) / 64 * 64;
        operand_make(&r, operand, c->base == 2 ? size / 32 : size);
    }
    const size_t most = 2 * r.n * e / (c->base == 2 ? 64 : 1), less = (size_t)test_below(most / 8);
    r.z.n_words = (uint32_t)((most - less) * (c->base == 2 ? 2 : 1));
    must(ocl_buffer_get(OCL_ON(device, detail), r.z.n_words * (c->base == 2 ? 4 : 1), &r.z.words));

    source_check(&r);
    mul_check(&r);
    spectra_mul(&r, 0, 1, false);
    runs_check(&r, true, 1);
    for (unsigned round = 0; round < 8; round++) {
        ones_multiply(&r);
        runs_check(&r, true, 1 + round % 2);
    }
    if (c->field == FIELD_DOUBLE) { /* coefficients of all sizes, anywhere between integers */
        for (size_t i = 0; i < r.n * r.parts; i++)
            part_set(r.x, i, 0x1p46 * (2.0 * (double)(test_u64() >> 11) * 0x1p-53 - 1.0));
        points_put(&r, r.spectrum[2], r.x);
        runs_check(&r, false, 3);
    }

    for (unsigned operand = 0; operand < 2; operand++) {
        ocl_buffer_put(device, r.number[operand].words);
        free(r.digit[operand]);
        free(r.operand[operand]);
    }
    for (unsigned i = 0; i < 3; i++)
        ocl_buffer_put(device, r.spectrum[i]);
    ocl_buffer_put(device, r.z.words);
    free(r.want);
    free(r.y);
    free(r.x);
    ocl_work_put(device, &r.work);
    ocl_pipeline_destroy(r.pipeline);
}

/* test_kernels - the short tier has one case alone: a processor compiles some twelve programs for each. */
static void test_kernels(void)
{
    static const struct kernel_case cases[] = {
        {"8/1/16,8/1/16,4.4:d1/4/1/p", FIELD_DOUBLE, 2, 1},
        {"4/1/16,4/1/16,4.4/4/1", FIELD_DD, 10, 2},
    };
    if (!device_there())
        return;
    ocl_device_lock(device);
    for (size_t i = 0; i < test_tier(1, 2, 2); i++)
        case_run(cases + i);
    ocl_device_unlock(device);
}

/* ---- the table of passes ---- */

enum { LINES_MOST = 64 };

static size_t lines_at(const struct device_pass_line *all, enum device_place place, const struct device_pass_line **found)
{
    size_t n = 0;
    for (; all->forward; all++)
        if (all->place == place && n < LINES_MOST)
            found[n++] = all;
    return n;
}

/* line_case - passes of these lines; middle may be NULL. */
static void line_case(const struct device_pass_line *first, const struct device_pass_line *middle,
                      const struct device_pass_line *rows, enum field field, unsigned k)
{
    const char *const first_back = first->inverse ? first->inverse : first->forward;
    char text[256];
    if (middle)
        snprintf(text, sizeof text, "%s,%s,%s,%s,%s", first->forward, middle->forward, rows->forward,
                 middle->inverse ? middle->inverse : middle->forward, first_back);
    else
        snprintf(text, sizeof text, "%s,%s,%s", first->forward, rows->forward, first_back);
    case_run(&(struct kernel_case){text, field, k % 3 == 2 ? 10 : 2, 1 + k % 2});
}

/* lines_run - every line at its place: the first passes with the rows' in turn, the middle ones between the shortest of both. */
static void lines_run(const struct device_pass_line *all, enum field field)
{
    const struct device_pass_line *first[LINES_MOST], *middle[LINES_MOST], *rows[LINES_MOST];
    const size_t n_first = lines_at(all, DEVICE_FIRST, first), n_middle = lines_at(all, DEVICE_MIDDLE, middle),
                 n_rows = lines_at(all, DEVICE_ROWS, rows);
    unsigned k = 0;
    for (size_t i = 0; i < n_first || i < n_rows; i++, k++)
        if (test_part(k))
            line_case(first[i % n_first], NULL, rows[i % n_rows], field, k);
    for (size_t i = 0; i < n_middle; i++, k++)
        if (test_part(k))
            line_case(first[0], middle[i], rows[0], field, k);
}

static void test_lines(void)
{
    if (test_level() == 0) {
        TEST_SKIP("GFMUL_TEST_LONG=1 tests every line of the table of passes");
        return;
    }
    if (!device_there())
        return;
    ocl_device_lock(device);
    lines_run(device_pass_lines, FIELD_DOUBLE);
    lines_run(device_pass_lines_dd, FIELD_DD);
    case_run(&(struct kernel_case){"16/1/16,4.8/4/16,8.8/8/16/s,8.8/8/1", FIELD_DOUBLE, 10, 1}); /* four passes */
    ocl_device_unlock(device);
}

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    ocl_test_keep();
    test_begin(argc, argv);
    TEST_RUN(test_kernels);
    TEST_RUN(test_lines);
    ocl_device_close(device);
    return ocl_test_end();
}
#endif
