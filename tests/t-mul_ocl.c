/*
 * t-mul_ocl.c - products on an OpenCL device against GMP's.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Small shapes that between them run every kernel in every form; each is built once and then given many operands.
 */
#include <math.h>

#include "operands.h"
#include "test.h"

#ifndef HAVE_OPENCL
static void test_products(void)
{
    TEST_SKIP("built without OpenCL");
}
int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_products);
    return test_end();
}
#else
#include "kernel_test.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_overlap.h"
#include "ocl/ocl_staging.h"
#include "ocl/ocl_state.h" /* the sizes of parts */
#include "pipeline_test.h"
#include "plan/plan_field.h"

/* digit_norms_slow - the sums over the balanced digits of a number, divided by 2^shift and rounded up, from their definition. */
static struct digit_norms digit_norms_slow(const mp_limb_t *p, size_t n, const struct plan_shape *s, unsigned shift)
{
    const unsigned l = s->digits.exponent;
    unsigned __int128 sq = 0, pop = 0;
    unsigned carry = 0;
    for (size_t j = 0; j * l <= 64 * n; j++) {
        int64_t d = carry;
        for (unsigned b = 0; b < l; b++)
            if (j * l + b < 64 * n)
                d += (int64_t)(p[(j * l + b) / 64] >> ((j * l + b) % 64) & 1) << b;
        const size_t top = j * l + l - 1; /* the top bit of a digit carries */
        carry = top < 64 * n ? p[top / 64] >> top % 64 & 1 : 0;
        d -= (int64_t)carry << l;
        d = (llabs(d) + ((int64_t)1 << shift) - 1) >> shift;
        const uint64_t square = (uint64_t)(d * d), point = j % s->transform.n_points & (((uint64_t)1 << s->transform.log2_n) - 1);
        sq += square;
        pop += square * (unsigned)__builtin_popcountll(point);
    }
    return (struct digit_norms){ldexp((double)sq, 2 * (int)shift), ldexp((double)pop, 2 * (int)shift)};
}

struct machine {
    struct plan_shape shape;
    struct ocl_pipeline *pipeline;
    struct ocl_work work;
    struct ocl_number a, b, z;
    cl_mem spectrum;
    size_t room, b_room; /* limbs of the operands */
    double worst_error;
    void *host[3]; /* a, b, z in pinned memory */
};

/* How carries are cut into pieces: what bench/b-device products tries; 0: the defaults. */
struct variant {
    unsigned chunk_blocks, tile_items;
    bool group_maps; /* else by the number of chunks: never so many */
};
static struct variant variant = {0, 0, false};

/* machine_begin - false where the device is too small.   unequal: a may have more than n digits, b less. */
static bool machine_begin(struct machine *m, const char *text, unsigned l, enum gfmul_precision precision, bool square,
                          bool unequal)
{
    struct plan_request request = {
        .rule = GFMUL_RULE_NORM, .base = 2, .square = square, .fma = true, .max_radix = 8, .worst_case = true};
    request.precision = precision;
    memset(m, 0, sizeof *m);
    request.an = request.bn = 64;
    must(plan_device_parse(&m->shape, &request, text, l, detail, sizeof detail));
    for (unsigned p = 0; p < m->shape.device.n_passes; p++)
        if (device_pass_local_bytes(&m->shape.device.forward[p]) > ocl_device_local_bytes(device))
            return false;
    m->room = m->b_room = m->shape.transform.n_points * l / 64 - 1;
    if (unequal) {
        m->room = m->room * 7 / 5;
        m->b_room = m->b_room * 3 / 5;
    }
    request.an = 64 * m->room;
    request.bn = 64 * m->b_room;
    must(plan_device_parse(&m->shape, &request, text, l, detail, sizeof detail));
    device_shape_carry(&m->shape, variant.chunk_blocks, variant.tile_items);
    m->shape.device.group_maps = m->shape.device.group_maps || variant.group_maps;
    must(pipeline_create(OCL_ON(device, detail), &m->pipeline, &m->shape));
    must(ocl_work_get(OCL_ON(device, detail), &m->pipeline->shape, &m->work, square));
    must(ocl_buffer_get(OCL_ON(device, detail), 8 * m->room, &m->a.words));
    if (!square)
        must(ocl_buffer_get(OCL_ON(device, detail), 8 * m->b_room, &m->b.words));
    must(ocl_buffer_get(OCL_ON(device, detail), 8 * (m->room + m->b_room), &m->z.words));
    must(ocl_buffer_get(OCL_ON(device, detail), pipeline_spectrum_bytes(m->pipeline), &m->spectrum));
    must(ocl_host_alloc(OCL_ON(device, detail), 8 * m->room, &m->host[0]));
    must(ocl_host_alloc(OCL_ON(device, detail), 8 * m->b_room, &m->host[1]));
    must(ocl_host_alloc(OCL_ON(device, detail), 8 * (m->room + m->b_room), &m->host[2]));
    return true;
}

static void machine_end(struct machine *m)
{
    for (unsigned i = 0; i < 3; i++)
        ocl_host_free(device, m->host[i]);
    ocl_buffer_put(device, m->spectrum);
    pipeline_end(device, m->pipeline, &m->work, m->a.words, m->b.words, m->z.words);
}

/* sum_check - an exact sum, rounded to double upwards: a slow one, rounded to the nearest. */
static void sum_check(const char *what, double seen, double slow, double exact_below)
{
    TEST_CHECK_MSG(seen == slow || (slow >= exact_below && seen == nextafter(slow, HUGE_VAL)), "%s %.17g, not %.17g", what, seen,
                   slow);
}

/* norms_check - what the kernels summed is what the digits' definition says. */
static void norms_check(const struct machine *m, const struct digit_norms *seen, const mp_limb_t *p, size_t n)
{
    const unsigned shift = device_norm_shift(&m->shape);
    const struct digit_norms slow = digit_norms_slow(p, n, &m->shape, shift);
    sum_check("sum of squares", seen->sum_sq, slow.sum_sq, ldexp(0x1p53, 2 * (int)shift));
    sum_check("weighted sum", seen->sum_pop, slow.sum_pop, ldexp(0x1p53, 2 * (int)shift));
}

/* How a product is made: at once, in parts, from and to pinned memory, or against a kept spectrum. */
enum way { AT_ONCE, IN_PARTS, FROM_HOST, KEPT };

/* parts_mul - ocl_pipeline_mul in parts: columns in any number of parts, the last part first; slices of the product. */
static void parts_mul(struct machine *m)
{
    const bool square = m->shape.square;
    const unsigned parts = (unsigned)test_size(1, 5), slices = (unsigned)test_size(1, ocl_pipeline_parts_max(m->pipeline));
    must(ocl_pipeline_begin(OCL_ON(device, detail), &m->work));
    for (unsigned operand = 2 - square; operand-- > 0;) {
        for (unsigned part = parts; part-- > 0;)
            must(ocl_pipeline_source(OCL_ON(device, detail), m->pipeline, &m->work, operand, operand ? m->b : m->a,
                                     ocl_pipeline_source_column(m->pipeline, part, parts),
                                     ocl_pipeline_source_column(m->pipeline, part + 1, parts)));
        must(ocl_pipeline_columns(OCL_ON(device, detail), m->pipeline, &m->work, operand));
    }
    must(ocl_pipeline_rows(OCL_ON(device, detail), m->pipeline, &m->work));
    for (unsigned slice = 0; slice < slices; slice++)
        must(ocl_pipeline_limbs(OCL_ON(device, detail), m->pipeline, &m->work, m->z, slice, slices));
}

/* host_mul - from and to pinned memory, or to some of it, by one queue or in parts of any size. */
static void host_mul(struct machine *m, size_t an, size_t bn)
{
    const size_t bytes = 8 * (an + bn), kept_short = device->overlap_short, kept_block = device->overlap_block;
    struct ocl_ends ends = {.a = m->a, .b = m->b, .z = m->z, .a_from = m->host[0], .b_from = m->host[1], .z_to = m->host[2]};
    struct ocl_readback readback;
    struct plan_figures figures;
    cl_event done;
    device->overlap_short = test_below(4) ? 0 : SIZE_MAX;
    device->overlap_block = test_size(1, bytes);
    if (test_below(4) == 0)
        ends.a_from = NULL; /* it is there */
    if (test_below(4) == 0 || !ends.b.words)
        ends.b_from = NULL;
    if (test_below(4) == 0)
        ends.z_to = NULL;
    if (ends.a_from) /* what was there is no operand */
        must(ocl_fill(OCL_ON(device, detail), (struct ocl_span){m->a.words, 0, 8 * an}, "\x5a", 1));
    if (ends.b_from)
        must(ocl_fill(OCL_ON(device, detail), (struct ocl_span){m->b.words, 0, 8 * bn}, "\x5a", 1));
    must(ocl_finish(OCL_ON(device, detail)));
    if (ends.z_to)
        memset(ends.z_to, 0x5a, bytes);
    ocl_device_unlock(device);
    must(ocl_overlap_mul(OCL_ON(device, detail), m->pipeline, &m->work, &ends, &readback, &done));
    must(ocl_pipeline_figures_wait(OCL_ON(device, detail), m->pipeline, &readback, &figures));
    must(ocl_overlap_wait(OCL_ON(device, detail), &ends, done));
    ocl_device_lock(device);
    device->overlap_short = kept_short;
    device->overlap_block = kept_block;
    if (ends.z_to) /* the check is of what is on the device */
        must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){m->z.words, 0, bytes}, ends.z_to, 1, OCL_AFTER_QUEUE));
}

/* machine_check - one product, made in one of the ways. */
static void machine_check(struct machine *m, const char *text, enum operand_kind ka, enum operand_kind kb, const mp_limb_t *a,
                          size_t an, const mp_limb_t *b, size_t bn, enum way way)
{
    mp_limb_t *z = calloc(2 * (an + bn), sizeof *z), *expected = z + an + bn;
    const unsigned l = m->shape.digits.exponent;
    const bool square = m->shape.square;
    struct plan_figures figures, first;
    double k;
    must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){m->a.words, 0, 8 * an}, a, 1, OCL_AFTER_QUEUE));
    if (!square)
        must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){m->b.words, 0, 8 * bn}, b, 1, OCL_AFTER_QUEUE));
    m->a.n_words = (uint32_t)(2 * an);
    m->b.n_words = (uint32_t)(2 * bn);
    m->z.n_words = (uint32_t)(2 * (an + bn));
    if (way == KEPT) {
        must(ocl_pipeline_keep(OCL_ON(device, detail), m->pipeline, &m->work, m->spectrum, m->b));
        must(pipeline_figures(OCL_ON(device, detail), m->pipeline, &m->work, &first));
        must(pipeline_mul_kept(OCL_ON(device, detail), m->pipeline, &m->work, m->z, m->a, m->spectrum));
    } else if (way == IN_PARTS) {
        parts_mul(m);
    } else if (way == FROM_HOST) {
        memcpy(m->host[0], a, 8 * an);
        memcpy(m->host[1], b, 8 * bn);
        host_mul(m, an, bn);
    } else {
        must(pipeline_mul(OCL_ON(device, detail), m->pipeline, &m->work, m->z, m->a, m->b));
    }
    must(ocl_download(OCL_ON(device, detail), z, (struct ocl_span){m->z.words, 0, 8 * (an + bn)}, 1, OCL_AFTER_QUEUE));
    must(pipeline_figures(OCL_ON(device, detail), m->pipeline, &m->work, &figures));
    if (way == KEPT)
        figures.b = first.a;
    if (an >= bn)
        mpn_mul(expected, a, (mp_size_t)an, b, (mp_size_t)bn);
    else
        mpn_mul(expected, b, (mp_size_t)bn, a, (mp_size_t)an);
    test_note("%s, l=%u, %s times %s, an=%zu bn=%zu%s%s", text, l, operand_name(ka), operand_name(kb), an, bn,
              square ? ", a square" : "",
              way == KEPT        ? ", kept"
              : way == IN_PARTS  ? ", in parts"
              : way == FROM_HOST ? ", from and to the host"
                                 : "");
    test_equal_limbs(z, expected, an + bn);
    norms_check(m, &figures.a, a, an);
    norms_check(m, &figures.b, b, bn);
    const double bound = plan_bound_posterior(&m->shape, &figures.a, &figures.b, figures.max_value, HUGE_VAL, &k);
    TEST_CHECK_MSG(
        bound <= (1 + 1e-6 + 1e2 * plan_field(&m->shape)->unit) * plan_bound_measured(&m->shape, &figures.a, &figures.b, &k),
        "%.17g, without the largest coefficient %.17g", bound, plan_bound_measured(&m->shape, &figures.a, &figures.b, &k));
    m->worst_error = fmax(m->worst_error, figures.max_error);
    TEST_CHECK_MSG(figures.max_error <= bound * (1 + 1e-5), "error %g above the bound %g", figures.max_error, bound);
    free(z);
}

/* Passes, and bits of digits that are proved for all operands. */
static const struct {
    const char *text;
    unsigned l;
} shapes[] = {
    {"16/1/16,8.8/8/1", 17},                                    /* one stage; few rows; re and im together */
    {"16.4/16/8/s,8.4.2:d1/8/1/s", 16},                         /* products of entries; radix 2 */
    {"3.8/8/8/s,8.8:d1/8/1", 15},                               /* idle items in both stages of the odd pass */
    {"5.4/5/8/s,4/1/16,8.8/8/1/s", 13},                         /* three passes */
    {"7.8/8/8,4.4/4/8/s,8.8:d1/8/1/s,4.4/2/16,7.8/8/16/s", 12}, /* other passes back than forth */
    {"16/2/8,4/1/8,4:d1/1/8,8.8/8/1/s", 11},                    /* four passes */
    {"8.2.2.2.2/16/4,8.2.4/16/1", 14},                          /* five stages; a run of four digits; idle items in rows */
    {"9.4/4/16/s,8.8/8/1", 13},                                 /* the odd factors of two layers */
    {"9.5.2/18/8/s,8.8/8/1", 13},                               /* two odd radices */
    {"3.7.4/14/4,4/1/16,4.8/4/1", 13},
    {"9.5/9/16/s,8.8/8/1", 12},   /* no twiddles in the first pass */
    {"18.20/20/4/s,8.8/8/1", 12}, /* odd factors and powers of two side by side */
    {"14.6/14/8,8.8/8/1,12.7/12/8/s", 12},
    {"15.4/8/8,4/1/16,8.8:d1/8/1/s,4/1/16,15.4/4/16/s", 12},
    /* double-double */
    {"16/1/16,8.8/8/1", 43}, /* the same again; digits of more than 32 bits */
    {"16.4/16/8/s,8.4.2/8/1/s", 42},
    {"3.8/8/8/s,8.8/8/1/s/p", 43},
    {"5.4/5/8/s,4/1/16,8.8/8/1/s", 42},
    {"7.8/8/8,4.4/4/8/s,8.8/8/1/s,4.4/2/16,7.8/8/16/s", 40},
    {"8.8.4/32/8/s,8.8.4/32/1/s", 40},
    {"8.4/4/16/s,8.4.4/16/1/s", 3}, /* digits of few bits, as of rule knuth */
    {"9.4/4/16/s,8.8/8/1", 43},
    {"15.4/8/8,4/1/16,8.8/8/1/s", 41},
    {"5.36/36/4,8.8/8/1/s", 42},
    {"4.4/4/16/s,8.8/8/1", 43}, /* two narrow levels */
};
enum { SHAPES = sizeof shapes / sizeof shapes[0], DOUBLE_SHAPES = 14 };

static bool line_begin(struct machine *m, unsigned i, bool square, bool unequal)
{
    const enum gfmul_precision precision = i < DOUBLE_SHAPES ? GFMUL_PRECISION_DOUBLE : GFMUL_PRECISION_DD;
    return machine_begin(m, shapes[i].text, shapes[i].l, precision, square, unequal);
}

/* whole_rows - the limbs of as many whole rows as n limbs have, where there are some and full is wanted. */
static size_t whole_rows(const struct machine *m, size_t n, bool full)
{
    const size_t row = ocl_pipeline_row_words(m->pipeline), pair = row % 2 == 0 ? row : 2 * row;
    const size_t limbs = 2 * n / pair * pair / 2;
    return full && limbs > 0 ? limbs : n;
}

/*
 * products - shapes first .. end - 1.  Each is compiled: the short tier has `one` of them alone, of three passes where there is
 * one; the long tier every step-th from there on, and round.
 */
static void products(unsigned first, unsigned end, unsigned one, unsigned step)
{
    const unsigned shapes_run = (unsigned)test_tier(1, (end - first + step - 1) / step, end - first);
    if (!device_there())
        return;
    ocl_device_lock(device);
    for (unsigned k = 0; k < shapes_run; k++) {
        const unsigned i = first + (one - first + k * (test_longest_tier() ? 1 : step)) % (end - first);
        struct machine m;
        if (!line_begin(&m, i, false, i % 2 == 1)) {
            machine_end(&m);
            continue;
        }
        mp_limb_t *a = calloc(2 * m.room, sizeof *a), *b = a + m.room;
        for (unsigned round = 0; round < 3 * OPERAND_KINDS; round++) {
            const enum operand_kind ka = round % OPERAND_KINDS, kb = test_below(3) ? test_below(OPERAND_KINDS) : ka;
            const bool full = test_below(2);
            const size_t an = whole_rows(&m, test_below(2) ? m.room : test_size(1, m.room), full),
                         bn = whole_rows(&m, test_below(2) ? m.b_room : test_size(1, m.b_room), full);
            operand_fill(a, an, ka, shapes[i].l, test_u64());
            operand_fill(b, bn, kb, shapes[i].l, test_u64());
            if (full) { /* so that a digit depends on the last bit */
                a[an - 1] |= ((mp_limb_t)1 << 63);
                b[bn - 1] |= ((mp_limb_t)1 << 63);
            }
            machine_check(&m, shapes[i].text, ka, kb, a, an, b, bn, (enum way)(round % 4));
        }
        free(a);
        printf("  %s, l = %u: proved %.4f, seen %.2g\n", shapes[i].text, shapes[i].l, m.shape.bound.value, m.worst_error);
        machine_end(&m);
    }
    ocl_device_unlock(device);
}

static void test_squares(void)
{
    if (!device_there())
        return;
    ocl_device_lock(device);
    const unsigned step = test_longest_tier() ? 2 : 4; /* each is compiled */
    for (unsigned i = 0; i < SHAPES; i += step) {
        struct machine m;
        if (line_begin(&m, i, true, false)) {
            mp_limb_t *a = calloc(m.room, sizeof *a);
            for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
                operand_fill(a, m.room, kind, shapes[i].l, test_u64());
                machine_check(&m, shapes[i].text, kind, kind, a, m.room, a, m.room, (enum way)(kind % 3));
            }
            free(a);
        }
        machine_end(&m);
    }
    ocl_device_unlock(device);
}

static void test_products(void)
{
    products(0, DOUBLE_SHAPES, 4, 2);
}

static void test_products_dd(void)
{
    products(DOUBLE_SHAPES, SHAPES, DOUBLE_SHAPES + 3, 3);
}

/* What can be tuned by hand gives the same products: one way of it in the long tier, all in the longest. */
static void test_variants(void)
{
    static const struct variant variants[] = {{8, 64, false}, {32, 128, true}, {32, 256, false}};
    static const char text[] = "16/2/8,4/1/8,4:d1/1/8,8.8/8/1/s";
    if (!device_there())
        return;
    ocl_device_lock(device);
    const unsigned n = sizeof variants / sizeof variants[0];
    for (unsigned i = 0; i < (test_longest_tier() ? n : 1); i++) {
        struct machine m;
        variant = variants[i];
        if (machine_begin(&m, text, 11, GFMUL_PRECISION_DOUBLE, false, false)) {
            mp_limb_t *a = calloc(2 * m.room, sizeof *a), *b = a + m.room;
            TEST_CHECK(m.shape.device.chunk_blocks == variant.chunk_blocks &&
                       m.shape.device.chunk_blocks * m.shape.device.tile_rows == variant.tile_items);
            for (unsigned round = 0; round < 6; round++) {
                const enum operand_kind ka = round % 2 == 0 ? OPERAND_ONES : OPERAND_RANDOM;
                const size_t an = m.room - test_below(100), bn = round < 3 ? m.room : test_size(1, m.room);
                operand_fill(a, an, ka, 11, test_u64());
                operand_fill(b, bn, ka, 11, test_u64());
                machine_check(&m, text, ka, ka, a, an, b, bn, (enum way)(round % 3));
            }
            free(a);
        }
        machine_end(&m);
    }
    variant = (struct variant){0, 0, false};
    ocl_device_unlock(device);
}

/* carries - chains over thousands of chunks: a block a chunk, more chunks than one round of the scan takes; with or without maps
   of groups of chunks. */
static void carries(bool group_maps)
{
    static const char text[] = "16.16.8/128/4/s,8.8/8/1";
    struct machine m;
    if (!device_there())
        return;
    ocl_device_lock(device);
    variant.group_maps = group_maps;
    if (machine_begin(&m, text, 12, GFMUL_PRECISION_DOUBLE, false, false)) {
        mp_limb_t *a = calloc(2 * m.room, sizeof *a), *b = a + m.room;
        for (unsigned round = 0; round < 6; round++) {
            const size_t an = m.room - test_below(100), bn = round < 2 ? m.room : test_size(1, m.room);
            memset(a, 0, 2 * m.room * sizeof *a);
            const enum operand_kind kb = round % 2 == 0 ? OPERAND_BIT : OPERAND_ONES;
            operand_fill(a, an, OPERAND_ONES, 12, test_u64());
            if (round % 2 == 0) /* (2^i - 2^j) 2^k: a run of ones, in rounds 0 and 4 with a lonely bit below */
                a[0] = round % 4 == 0;
            operand_fill(b, bn, kb, 12, test_u64());
            machine_check(&m, text, OPERAND_ONES, kb, a, an, b, bn, round < 3 ? AT_ONCE : round < 5 ? IN_PARTS : FROM_HOST);
        }
        /* (1 + B + B^2) times digits (B - 1) / 3: every digit B - 1, and a carry of 1 into the fourth that runs to the end */
        a[0] = 1 + (1 << 12) + (1 << 24);
        memset(b, 0x55, m.room * sizeof *b);
        b[0]++;
        machine_check(&m, text, OPERAND_SPARSE, OPERAND_EQUAL_LIMBS, a, 1, b, m.room, AT_ONCE);
        machine_check(&m, text, OPERAND_SPARSE, OPERAND_EQUAL_LIMBS, a, 1, b, m.room, IN_PARTS);
        /* runs of ones from the middle of a chunk to that of the next: carries that end in the middle of every second chunk, or
           of few, so that groups add them together, or each item those that are too many */
        for (size_t period = 2; period < 64; period *= 8) {
            const size_t half = 12 * m.shape.device.block_digits * m.shape.device.chunk_blocks / 64 / 2;
            memset(a, 0, 2 * m.room * sizeof *a);
            a[0] = 1;
            for (size_t i = 0; i < m.room; i++)
                b[i] = (i / half % (2 * period) + 1) / 2 == 1 ? ~(mp_limb_t)0 : 0;
            machine_check(&m, text, OPERAND_SPARSE, OPERAND_SPARSE, a, 1, b, m.room, AT_ONCE);
            machine_check(&m, text, OPERAND_SPARSE, OPERAND_SPARSE, a, 1, b, m.room, IN_PARTS);
        }
        free(a);
    }
    variant.group_maps = false;
    machine_end(&m);
    ocl_device_unlock(device);
}

static void test_carries(void)
{
    carries(true);
}

static void test_carries_alone(void)
{
    carries(false);
}

/* limbs_short - whether a number has less than 650 limbs: its product may be GMP's. */
static bool limbs_short(const mp_limb_t *p, size_t n)
{
    while (n > 0 && p[n - 1] == 0)
        n--;
    return n < 650;
}

/* ctx_of - of the device that is tested.   memory_limit 0: none */
static struct gfmul_ctx *ctx_of(enum gfmul_rule rule, enum gfmul_precision precision, size_t memory_limit)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    gfmul_options_init(&opt);
    opt.device = device_name();
    opt.rule = rule;
    opt.precision = precision;
    opt.memory_limit = memory_limit;
    must(gfmul_ctx_create(&ctx, &opt));
    return ctx;
}

/* test_limbs - through the library: sizes, signs of what is measured, squares, unequal lengths. */
static void test_limbs(void)
{
    static const size_t sizes[][2] = {{700, 700}, {3000, 800}, {1000, 999}}; /* each is compiled */
    if (!device_there())
        return;
    struct gfmul_ctx *ctx = ctx_of(GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, 0);
    for (unsigned i = 0; i < test_tier(1, 3, 3); i++) {
        const size_t an = sizes[i][0], bn = sizes[i][1];
        mp_limb_t *a = calloc(3 * (an + bn), sizeof *a), *b = a + an, *z = b + bn, *expected = z + an + bn;
        for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
            struct gfmul_report report;
            operand_fill(a, an, kind, 16, test_u64());
            operand_fill(b, bn, test_below(2) ? OPERAND_RANDOM : (enum operand_kind)kind, 16, test_u64());
            if (limbs_short(a, an) || limbs_short(b, bn))
                continue;
            test_note("an=%zu bn=%zu %s", an, bn, operand_name(kind));
            TEST_CHECK(gfmul_mul(ctx, z, a, an, b, bn) == GFMUL_OK);
            gfmul_ctx_report(ctx, &report);
            TEST_CHECK_MSG(strcmp(report.plan.engine, "opencl") == 0, "engine %s: %s", report.plan.engine, report.detail);
            test_proved(&report);
            mpn_mul(expected, a, (mp_size_t)an, b, (mp_size_t)bn);
            test_equal_limbs(z, expected, an + bn);
            if (an == bn) {
                TEST_CHECK(gfmul_sqr(ctx, z, a, an) == GFMUL_OK);
                mpn_sqr(expected, a, (mp_size_t)an);
                test_equal_limbs(z, expected, 2 * an);
            }
        }
        free(a);
    }
    gfmul_ctx_destroy(ctx);
}

/* test_pieces - operands that the device has no room for. */
static void test_pieces(void)
{
    struct gfmul_report report;
    const size_t an = 3000, bn = 700;
    mp_limb_t *a = calloc(3 * (an + bn), sizeof *a), *b = a + an, *z = b + bn, *expected = z + an + bn;
    if (device_there()) {
        struct gfmul_ctx *ctx = ctx_of(GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, 200000);
        operand_fill(a, an, OPERAND_RANDOM, 16, test_u64());
        operand_fill(b, bn, OPERAND_ONES, 16, test_u64());
        const enum gfmul_status status = gfmul_mul(ctx, z, a, an, b, bn);
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK_MSG(status == GFMUL_OK, "%s: %s", gfmul_strerror(status), report.detail);
        TEST_CHECK_MSG(report.plan.n_slices > 1, "%zu slices", report.plan.n_slices);
        mpn_mul(expected, a, (mp_size_t)an, b, (mp_size_t)bn);
        test_note("pieces");
        test_equal_limbs(z, expected, an + bn);
        gfmul_ctx_destroy(ctx);
    }
    free(a);
}

/* test_dd_limbs - double-double and rule knuth through the library. */
static void test_dd_limbs(void)
{
    const size_t an = 3000, bn = 800;
    mp_limb_t *a = calloc(3 * (an + bn), sizeof *a), *b = a + an, *z = b + bn, *expected = z + an + bn;
    for (unsigned knuth = 0; knuth < 2 && device_there(); knuth++) {
        struct gfmul_ctx *ctx =
            ctx_of(knuth ? GFMUL_RULE_KNUTH : GFMUL_RULE_NORM, knuth ? GFMUL_PRECISION_AUTO : GFMUL_PRECISION_DD, 0);
        for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
            struct gfmul_report report;
            operand_fill(a, an, kind, 42, test_u64());
            operand_fill(b, bn, test_below(2) ? OPERAND_RANDOM : (enum operand_kind)kind, 42, test_u64());
            if (limbs_short(a, an) || limbs_short(b, bn))
                continue;
            test_note("rule %s, an=%zu bn=%zu %s", knuth ? "knuth" : "norm", an, bn, operand_name(kind));
            TEST_CHECK(gfmul_mul(ctx, z, a, an, b, bn) == GFMUL_OK);
            gfmul_ctx_report(ctx, &report);
            TEST_CHECK_MSG(strcmp(report.plan.engine, "opencl") == 0 && strcmp(report.plan.precision, "dd") == 0,
                           "engine %s, precision %s: %s", report.plan.engine, report.plan.precision, report.detail);
            TEST_CHECK_MSG(!knuth || 102 >= 4 * ceil(report.plan.m) + 2 * ceil(report.plan.l), "m = %g, l = %g", report.plan.m,
                           report.plan.l);
            test_proved(&report);
            mpn_mul(expected, a, (mp_size_t)an, b, (mp_size_t)bn);
            test_equal_limbs(z, expected, an + bn);
        }
        gfmul_ctx_destroy(ctx);
    }
    free(a);
}

/* text_check - one product of decimal text against GMP's. */
static void text_check(struct gfmul_ctx *ctx, const char *a, size_t an, const char *b, size_t bn, const char *what)
{
    mpz_t x, y;
    char *p = calloc(an + 1, 1), *q = calloc(bn + 1, 1), *z = calloc(an + bn + 3, 1);
    struct gfmul_report report;
    size_t zn;
    memcpy(p, a, an);
    memcpy(q, b, bn);
    mpz_init_set_str(x, p, 10);
    mpz_init_set_str(y, q, 10);
    mpz_mul(x, x, y);
    char *expected = mpz_get_str(NULL, 10, x);
    test_note("decimal, an=%zu bn=%zu %s", an, bn, what);
    TEST_CHECK(gfmul_str_mul(ctx, z, an + bn + 3, &zn, 10, a, an, 10, b, bn, 10) == GFMUL_OK);
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(strcmp(report.plan.engine, "opencl") == 0 && report.plan.base == 10, "engine %s, base %u: %s",
                   report.plan.engine, report.plan.base, report.detail);
    TEST_CHECK_MSG(strcmp(z, expected) == 0, "another product");
    test_proved(&report);
    mpz_clear(x);
    mpz_clear(y);
    free(expected);
    free(p);
    free(q);
    free(z);
}

/* test_dd_text - decimal text in double-double: digits of more than 32 bits. */
static void test_dd_text(void)
{
    static const unsigned digits[] = {12, 5};
    const size_t an = 9000, bn = 8100;
    char *a = malloc(an), *b = malloc(bn);
    for (unsigned knuth = 0; knuth < 2 && device_there(); knuth++) {
        struct gfmul_ctx *ctx = ctx_of(knuth ? GFMUL_RULE_KNUTH : GFMUL_RULE_NORM, GFMUL_PRECISION_DD, 0);
        for (unsigned kind = 0; kind < TEXT_KINDS; kind++) {
            text_fill(a, an, kind, 10, digits[knuth], test_u64());
            text_fill(b, bn, test_below(2) ? (enum text_kind)test_below(TEXT_KINDS) : (enum text_kind)kind, 10, digits[knuth],
                      test_u64());
            text_check(ctx, a, an, b, bn, text_kind_name(kind));
        }
        gfmul_ctx_destroy(ctx);
    }
    free(a);
    free(b);
}

/* test_text - decimal text through the library: carries in base 10^k, long chains of nines and zeros, unequal lengths. */
static void test_text(void)
{
    static const size_t sizes[][2] = {{9000, 8999}, {70000, 70000}, {30000, 1200}}; /* each is compiled */
    if (!device_there())
        return;
    struct gfmul_ctx *ctx = ctx_of(GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, 0);
    for (unsigned i = 0; i < test_tier(1, 3, 3); i++) {
        const size_t an = sizes[i][0], bn = sizes[i][1];
        char *a = malloc(an), *b = malloc(bn);
        for (unsigned kind = 0; kind < TEXT_KINDS; kind++) {
            text_fill(a, an, kind, 10, 4, test_u64());
            text_fill(b, bn, test_below(2) ? (enum text_kind)test_below(TEXT_KINDS) : (enum text_kind)kind, 10, 4, test_u64());
            text_check(ctx, a, an, b, bn, text_kind_name(kind));
        }
        if (an == bn)
            text_check(ctx, a, an, a, an, "a square");
        /* 3 times 3 .. 34: every digit 9, and a carry of 1 that runs through all of them */
        memset(a, '0', an);
        a[0] = '3';
        memset(b, '3', bn);
        b[bn - 1] = '4';
        text_check(ctx, a, an, b, bn, "nines with a carry");
        free(a);
        free(b);
    }
    gfmul_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    ocl_test_keep();
    test_begin(argc, argv);
    TEST_RUN(test_products);
    TEST_RUN_LONG(test_products_dd);
    TEST_RUN_LONG(test_dd_limbs);
    TEST_RUN_LONG(test_dd_text);
    TEST_RUN_LONG(test_squares);
    TEST_RUN_LONG(test_text);
    TEST_RUN_LONG(test_carries);
    TEST_RUN_LONG(test_carries_alone);
    TEST_RUN_LONG(test_variants);
    TEST_RUN_LONG(test_limbs);
    TEST_RUN_LONG(test_pieces);
    ocl_device_close(device);
    return ocl_test_end();
}
#endif
