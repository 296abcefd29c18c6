/*
 * t-ocl_primes.c - the kernels of products modulo primes, one after the other, against slow sums modulo each prime.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl_test.h"

#ifdef HAVE_OPENCL
#include "kernel_test.h"
#include "operands.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_program.h"
#include "pipeline_test.h"

/* Passes and digits: each radix as first, middle and last stage, two passes and three, each number of primes. */
static const struct {
    const char *text;
    unsigned l;
} shapes[] = {
    {"8.4/4/16,8.8/8/1", 64}, /* as t-mul_ocl_prime: modulo primes below 2^30 */
    {"31:16/1/16,8.8/8/16,8.8/8/1", 80},
    {"31:16/1/16,8.8/8/1", 32},
    {"8.4/4/16,16.16/16/1", 48},
    {"31:8.4/4/16,8.8/8/1/m6", 80}, /* ends of six coefficients */
    {"31:8.8/8/16,8.8.8/64/1", 64},
    {"16.8/8/16,16.8/8/1", 80},
    {"31:16/1/16,8/1/16,8.4/4/1/m8", 48},
    {"8.4/4/16,8.8/8/1/m2", 64},
    {"31:8.4/4/16,8.8/8/1/m3", 80},
    {"8.4/4/16,16.4/4/1/m4", 32},
    {"31:8.8/8/16,8.8/8/1/m5", 64},
    {"16/1/16,16.16/16/1/m7", 80},
    {"16/1/16,8/1/16,8.8/8/1/m8", 64},
    {"31:8.4/4/16,8.8/8/1", 64},
    {"8.8/8/16,8.8/8/1/m8", 78},
    {"8.4/4/16,16.8/8/1/m4", 62},
    {"8.4/4/16,8.8.8/64/1/m8", 64},    /* neighbours meet */
    {"16.16.2/8/32,8.8/8/1", 64},      /* more columns of the same rows than an item takes side by side */
    {"16.16/16/16,8.8.8/64/1/m2", 48}, /* with maps of groups of chunks, three of them */
};
enum { SHAPES = sizeof shapes / sizeof *shapes, SHAPE_MAPS = SHAPES - 1 };

static uint64_t power(uint64_t a, uint64_t e, uint64_t p)
{
    uint64_t r = 1;
    for (; e > 0; e >>= 1, a = a * a % p)
        if (e & 1)
            r = r * a % p;
    return r;
}

/* root_of - e(1 / 2^levels): a power of the least number that is no square, as the library's. */
static uint64_t root_of(uint64_t p, unsigned levels)
{
    uint64_t g = 2;
    while (power(g, (p - 1) / 2, p) == 1)
        g++;
    return power(g, (p - 1) >> levels, p);
}

/* digits_of - the l bits of each digit modulo p. */
static void digits_of(uint64_t *digit, size_t n, const mp_limb_t *a, size_t an, unsigned l, uint64_t p)
{
    for (size_t j = 0; j < n; j++) {
        uint64_t r = 0;
        for (unsigned b = l; b-- > 0;) {
            const size_t bit = j * l + b;
            r = (2 * r + (bit / 64 < an ? a[bit / 64] >> bit % 64 & 1 : 0)) % p;
        }
        digit[j] = r;
    }
}

static uint64_t reversed(uint64_t x, uint64_t count)
{
    uint64_t r = 0;
    for (; count > 1; count /= 2, x /= 2)
        r = 2 * r + x % 2;
    return r;
}

/* A pipeline and its numbers. */
struct machine {
    struct plan_shape shape;
    struct ocl_pipeline *pipeline;
    struct ocl_work work;
    struct ocl_number a, b, z;
    mp_limb_t *host_a, *host_b;
    size_t an, bn, n;
};

static void number_get(struct ocl_number *x, size_t limbs, const mp_limb_t *from)
{
    x->n_words = (uint32_t)(2 * limbs);
    must(ocl_buffer_get(OCL_ON(device, detail), 8 * limbs, &x->words));
    if (from)
        must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){x->words, 0, 8 * limbs}, from, 1, OCL_AFTER_QUEUE));
}

static void machine_begin(struct machine *m, unsigned i, bool square)
{
    struct plan_request r = {.rule = GFMUL_RULE_NORM, .precision = GFMUL_PRECISION_PRIME, .base = 2, .an = 64, .bn = 64};
    memset(m, 0, sizeof *m);
    must(plan_device_parse(&m->shape, &r, shapes[i].text, shapes[i].l, detail, sizeof detail));
    m->n = m->shape.transform.n_points;
    const size_t limbs = m->n * shapes[i].l / 64 - 2; /* together: the longest that fit */
    m->bn = square ? limbs / 2 : 1 + (size_t)(test_below(3) == 0 ? 0 : test_below(limbs / 2)); /* one limb is no whole digit */
    m->an = square ? m->bn : limbs - m->bn;
    r.an = 64 * m->an;
    r.bn = 64 * m->bn;
    r.square = square;
    must(plan_device_parse(&m->shape, &r, shapes[i].text, shapes[i].l, detail, sizeof detail));
    m->shape.device.group_maps = i == SHAPE_MAPS;
    m->host_a = test_alloc(m->an * sizeof *m->host_a);
    m->host_b = square ? m->host_a : test_alloc(m->bn * sizeof *m->host_b);
    operand_fill(m->host_a, m->an, test_below(2) ? OPERAND_ONES : OPERAND_RANDOM, shapes[i].l, test_u64());
    if (!square)
        operand_fill(m->host_b, m->bn, test_below(2) ? OPERAND_ONES : OPERAND_RANDOM, shapes[i].l, test_u64());
    must(pipeline_create(OCL_ON(device, detail), &m->pipeline, &m->shape));
    must(ocl_work_get(OCL_ON(device, detail), &m->shape, &m->work, square));
    number_get(&m->a, m->an, m->host_a);
    if (!square)
        number_get(&m->b, m->bn, m->host_b);
    number_get(&m->z, m->an + m->bn, NULL);
}

static void machine_end(struct machine *m)
{
    pipeline_end(device, m->pipeline, &m->work, m->a.words, m->b.words, m->z.words);
    if (m->host_b != m->host_a)
        free(m->host_b);
    free(m->host_a);
}

/* points_down - all residues of an operand. */
static uint32_t *points_down(const struct machine *m, cl_mem x)
{
    const size_t bytes = m->n * m->shape.transform.n_primes * sizeof(uint32_t);
    uint32_t *all = test_alloc(bytes);
    must(ocl_download(OCL_ON(device, detail), all, (struct ocl_span){x, 0, bytes}, 1, OCL_AFTER_QUEUE));
    return all;
}

/*
 * rows_check - after passes over columns that have made n_rows rows: row r is the digits modulo x^columns - e(r' / n_rows), r'
 * the bits of r in reverse order; times s, whose square is 2^32 / nodes.   Some rows of each prime.
 */
static void rows_check(const struct machine *m, cl_mem x, const mp_limb_t *a, size_t an, size_t n_rows, const char *what)
{
    const size_t n = m->n, columns = n / n_rows;
    uint32_t *seen = points_down(m, x);
    uint64_t *digit = test_alloc(n * sizeof *digit);
    for (unsigned i = 0; i < m->shape.transform.n_primes; i++) {
        const uint64_t p = device_primes_of(device_primes_set(&m->shape), m->shape.transform.n_primes)[i],
                       root = root_of(p, m->shape.transform.log2_n);
        const uint64_t e = root_of(p, 3), unscale = power(e + power(e, p - 2, p), m->shape.transform.log2_n, p) *
                                                    power(power(2, 16, p), p - 2, p) % p;
        digits_of(digit, n, a, an, m->shape.digits.exponent, p);
        for (unsigned k = 0; k < 8; k++) {
            const size_t r = k < 2 ? k : (size_t)test_below(n_rows), j = (size_t)test_below(columns);
            const uint64_t turn = power(root, (reversed(r, n_rows) << m->shape.transform.log2_n) / n_rows, p);
            uint64_t want = 0;
            for (size_t row = n_rows; row-- > 0;)
                want = (want * turn + digit[row * columns + j]) % p;
            const uint64_t value = (uint64_t)seen[(size_t)i * n + r * columns + j] * unscale % p;
            test_note("%s, %s, prime %u, row %zu, column %zu", m->shape.device.text, what, i, r, j);
            TEST_CHECK_MSG(value == want, "%" PRIu64 ", should be %" PRIu64, value, want);
        }
    }
    free(digit);
    free(seen);
}

/* coefficients_check - the residues of the product's coefficients, some of each prime. */
static void coefficients_check(const struct machine *m)
{
    const size_t n = m->n;
    uint32_t *seen = points_down(m, m->work.x);
    uint64_t *a = test_alloc(2 * n * sizeof *a), *b = a + n;
    for (unsigned i = 0; i < m->shape.transform.n_primes; i++) {
        const uint64_t p = device_primes_of(device_primes_set(&m->shape), m->shape.transform.n_primes)[i];
        digits_of(a, n, m->host_a, m->an, m->shape.digits.exponent, p);
        digits_of(b, n, m->host_b, m->bn, m->shape.digits.exponent, p);
        for (unsigned k = 0; k < 20; k++) {
            const size_t j = k < 3 ? k : (size_t)test_below(n);
            uint64_t want = 0;
            for (size_t q = 0; q < n; q++)
                want = (want + a[q] * b[(j - q + n) % n]) % p;
            test_note("%s, product, prime %u, coefficient %zu", m->shape.device.text, i, j);
            const uint32_t value = seen[(size_t)i * n + j];
            TEST_CHECK_MSG(value % p == want && value < p << device_primes_set(&m->shape)->lazy,
                           "%" PRIu32 ", should be %" PRIu64, value, want);
        }
    }
    free(a);
    free(seen);
}

/* limbs_check - the product, times 1, 0 or -1, against GMP's. */
static void limbs_check(const struct machine *m, int times)
{
    const size_t zn = m->an + m->bn;
    mp_limb_t *z = test_alloc(2 * zn * sizeof *z), *want = z + zn;
    must(ocl_download(OCL_ON(device, detail), z, (struct ocl_span){m->z.words, 0, 8 * zn}, 1, OCL_AFTER_QUEUE));
    if (m->an >= m->bn)
        mpn_mul(want, m->host_a, (mp_size_t)m->an, m->host_b, (mp_size_t)m->bn);
    else
        mpn_mul(want, m->host_b, (mp_size_t)m->bn, m->host_a, (mp_size_t)m->an);
    if (times < 0)
        mpn_neg(want, want, (mp_size_t)zn);
    if (times == 0)
        mpn_zero(want, (mp_size_t)zn);
    test_note("%s, %zu by %zu limbs, times %d", m->shape.device.text, m->an, m->bn, times);
    test_equal_limbs(z, want, zn);
    free(z);
}

/* kept_check - b's spectrum is kept; products with two operands by it. */
static void kept_check(struct machine *m)
{
    const struct ocl_call *on = OCL_ON(device, detail);
    cl_mem spectrum;
    must(ocl_buffer_get(on, (size_t)device_points_bytes(&m->shape), &spectrum));
    must(ocl_pipeline_keep(on, m->pipeline, &m->work, spectrum, m->b));
    for (unsigned i = 0; i < 2; i++) {
        operand_fill(m->host_a, m->an, i ? OPERAND_ONES : OPERAND_RANDOM, m->shape.digits.exponent, test_u64());
        must(ocl_upload(on, (struct ocl_span){m->a.words, 0, 8 * m->an}, m->host_a, 1, OCL_AFTER_QUEUE));
        must(ocl_pipeline_forward(on, m->pipeline, &m->work, m->a, (struct ocl_number){NULL, 0}));
        must(ocl_pipeline_rows_kept(on, m->pipeline, &m->work, spectrum));
        coefficients_check(m);
        must(ocl_pipeline_limbs(on, m->pipeline, &m->work, m->z, 0, 1));
        limbs_check(m, 1);
    }
    ocl_buffer_put(device, spectrum);
}

/* sum_back - the way back of a spectrum.   Returns the residues, and leaves them in work.x. */
static uint32_t *sum_back(struct machine *m, cl_mem spectrum)
{
    must(ocl_pipeline_begin(OCL_ON(device, detail), &m->work));
    must(ocl_pipeline_rows_back(OCL_ON(device, detail), m->pipeline, &m->work, spectrum));
    return points_down(m, m->work.x);
}

/* sum_check - the product by two kept spectra, three of it added up, and those of either sign. */
static void sum_check(struct machine *m)
{
    const struct ocl_call *on = OCL_ON(device, detail);
    const uint32_t *primes = device_primes_of(device_primes_set(&m->shape), m->shape.transform.n_primes);
    cl_mem x[3];
    for (unsigned i = 0; i < 3; i++)
        must(ocl_buffer_get(on, (size_t)device_points_bytes(&m->shape), &x[i]));
    const struct ocl_product products[2] = {{x[0], x[1], false}, {x[1], x[0], false}};
    must(ocl_pipeline_keep(on, m->pipeline, &m->work, x[0], m->a));
    must(ocl_pipeline_keep(on, m->pipeline, &m->work, x[1], m->b));
    must(ocl_pipeline_mul_add(on, m->pipeline, x[2], products, 1, false));
    uint32_t *once = sum_back(m, x[2]);
    coefficients_check(m);
    must(ocl_pipeline_limbs(on, m->pipeline, &m->work, m->z, 0, 1));
    limbs_check(m, 1);
    must(ocl_pipeline_mul_add(on, m->pipeline, x[2], products, 2, true));
    uint32_t *thrice = sum_back(m, x[2]);
    size_t wrong = 0;
    for (size_t i = 0; i < m->shape.transform.n_primes * m->n; i++)
        wrong += 3 * (uint64_t)once[i] % primes[i / m->n] != thrice[i] % primes[i / m->n];
    TEST_CHECK_MSG(wrong == 0, "%s: %zu residues of a sum are wrong", m->shape.device.text, wrong);
    free(thrice);
    free(once);
    const size_t digits = m->shape.digits.an < m->shape.digits.bn ? m->shape.digits.an : m->shape.digits.bn;
    for (int times = -1; times <= 0; times++) {
        const struct ocl_product signs[2] = {{x[0], x[1], true}, {x[1], x[0], false}};
        must(ocl_pipeline_mul_add(on, m->pipeline, x[2], signs, (unsigned)times + 2, false));
        free(sum_back(m, x[2]));
        must(ocl_pipeline_value(on, m->pipeline, &m->work, m->z, digits));
        limbs_check(m, times);
    }
    for (unsigned i = 0; i < 3; i++)
        ocl_buffer_put(device, x[i]);
}

static void shape_check(unsigned i, bool square)
{
    struct machine m;
    machine_begin(&m, i, square);
    const struct plan_shape *s = &m.shape;
    const size_t first = s->device.forward[0].points, end = device_shape_columns(s, 0);
    const size_t half = ocl_pipeline_source_column(m.pipeline, 1, 2);
    const struct ocl_call *on = OCL_ON(device, detail);
    must(ocl_pipeline_begin(on, &m.work));
    must(ocl_pipeline_source(on, m.pipeline, &m.work, 0, m.a, 0, half)); /* in parts, then both operands at once */
    must(ocl_pipeline_source(on, m.pipeline, &m.work, 0, m.a, half, end));
    rows_check(&m, m.work.x, m.host_a, m.an, first, "source");
    must(ocl_pipeline_forward(on, m.pipeline, &m.work, m.a, m.b));
    rows_check(&m, m.work.x, m.host_a, m.an, s->transform.n_rows, "columns");
    if (!square)
        rows_check(&m, m.work.y, m.host_b, m.bn, s->transform.n_rows, "columns of b");
    must(ocl_pipeline_rows(on, m.pipeline, &m.work));
    coefficients_check(&m);
    must(ocl_pipeline_limbs(on, m.pipeline, &m.work, m.z, 0, 1));
    limbs_check(&m, 1);
    if (!square)
        kept_check(&m);
    if (!square && (i == 4 || test_tier(0, 1, 1)))
        sum_check(&m);
    machine_end(&m);
}

/* The field's operations, an item for each pair of numbers.   Multiplication by any number leaves 1 / 2^32. */
static const char field_text[] =
    "__kernel void field(__global const uint *x, __global const uint *y, __global uint *out, uint2 m,\n"
    "                    uint inverse, ulong reciprocal)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    const modulus p = {m.x, m.y};\n"
    "    const uint r = x[i] % p.limit, s = y[i], exact = residue_exact(s, p);\n"
    "    const factor w = factor_of(exact, (uint2)((uint)reciprocal, (uint)(reciprocal >> 32)), p);\n"
    "    uint plus = r, minus = x[i];\n"
    "    split_forward(&plus, &minus, w, p, 0);\n"
    "    out[9 * i] = w.y;\n"
    "    out[9 * i + 1] = residue_mul(x[i], w, p);\n"
    "    out[9 * i + 2] = residue_mul_any(r, s, inverse, p);\n"
    "    out[9 * i + 3] = residue_add(r, s, p);\n"
    "    out[9 * i + 4] = residue_sub(r, s, p);\n"
    "    out[9 * i + 5] = residue_once(r + s, p);\n"
    "    out[9 * i + 6] = exact;\n"
    "    out[9 * i + 7] = plus;\n"
    "    out[9 * i + 8] = minus;\n"
    "}\n";

/* Each operation over all corners of its range, and random numbers: x any word, y a residue. */
static void field_check(const struct device_prime_set *set)
{
    enum { CORNERS = 24, RANDOM = 1000, PAIRS = CORNERS * CORNERS + RANDOM, RESULTS = 9 };
    cl_kernel k;
    cl_mem x_mem, y_mem, out_mem;
    uint32_t *x = test_alloc((2 + RESULTS) * PAIRS * sizeof *x), *y = x + PAIRS, *out = y + PAIRS;
    const struct ocl_call *on = OCL_ON(device, detail);
    static const char *const files[] = {"prelude.cl", "residue_passes.cl", NULL};
    char *text = source_with(files, field_text);
    char options[200]; /* a pass's: split_forward is there in passes alone; the prime is an argument */
    snprintf(options, sizeof options,
             "-DPOINTS=2 -DITEMS=1 -DCOLUMNS=1 -DN_STAGES=1 -DR0=2 -DR1=1 -DR2=1 -DR3=1 -DR4=1 -DN_PRIMES=1 -DPRIMES=1 "
             "-DLIMITS=1 -DLAZY=%u",
             set->lazy);
    must(ocl_kernel_get_text(on, "field", text, "field", options, &k));
    must(ocl_buffer_get(on, 4 * PAIRS, &x_mem));
    must(ocl_buffer_get(on, 4 * PAIRS, &y_mem));
    must(ocl_buffer_get(on, 4 * RESULTS * PAIRS, &out_mem));
    for (unsigned i = 0; i < DEVICE_PRIMES_MAX; i++) {
        const uint32_t p = set->p[i], limit = p << set->lazy;
        const uint64_t reciprocal = UINT64_MAX / p; /* of 2^64 too: p is odd */
        const cl_uint2 modulus = {{p, limit}};
        uint32_t inverse = 1;
        for (unsigned s = 0; s < 5; s++)
            inverse *= 2 - p * inverse;
        for (size_t j = 0; j < PAIRS; j++) {
            const uint32_t base[6] = {0, p / 2, p - 2, limit - 2, 2 * limit - 2, UINT32_MAX - 3}; /* 2 LIMIT < 2^32 */
            const bool corner = j < CORNERS * CORNERS;
            x[j] = corner ? base[j % CORNERS / 4] + (uint32_t)(j % 4) : (uint32_t)test_u64();
            y[j] = (corner ? base[j / CORNERS / 4] + (uint32_t)(j / CORNERS % 4) : (uint32_t)test_u64()) % limit;
        }
        must(ocl_upload(on, (struct ocl_span){x_mem, 0, 4 * PAIRS}, x, 1, OCL_AFTER_QUEUE));
        must(ocl_upload(on, (struct ocl_span){y_mem, 0, 4 * PAIRS}, y, 1, OCL_AFTER_QUEUE));
        must(ocl_args(on, k, OCL_ARG(x_mem), OCL_ARG(y_mem), OCL_ARG(out_mem), OCL_ARG(modulus), OCL_ARG(inverse),
                      OCL_ARG(reciprocal), OCL_END));
        must(ocl_launch(on, k, "field", ocl_items(PAIRS, 1), 0));
        must(ocl_download(on, out, (struct ocl_span){out_mem, 0, 4 * RESULTS * PAIRS}, 1, OCL_AFTER_QUEUE));
        for (size_t j = 0; j < PAIRS; j++) {
            const uint64_t r = x[j] % limit, s = y[j], w = s % p;
            const uint32_t *seen = out + RESULTS * j;
            test_note("p %" PRIu32 ", x %" PRIu32 ", y %" PRIu32, p, x[j], y[j]);
            for (unsigned i_seen = 1; i_seen < RESULTS; i_seen++)
                TEST_CHECK_MSG(seen[i_seen] < limit, "result %u is %" PRIu32, i_seen, seen[i_seen]);
            TEST_CHECK(seen[0] == (w << 32) / p && seen[6] == w);
            TEST_CHECK(seen[1] % p == x[j] * w % p);
            TEST_CHECK(((uint64_t)seen[2] << 32) % p == r * s % p);
            TEST_CHECK(seen[3] == (r + s) % limit && seen[5] == seen[3]);
            TEST_CHECK(seen[4] == (r + limit - s) % limit);
            TEST_CHECK(seen[7] % p == (r + x[j] * w) % p && seen[8] % p == (r + p - x[j] * w % p) % p);
        }
    }
    ocl_buffer_put(device, out_mem);
    ocl_buffer_put(device, y_mem);
    ocl_buffer_put(device, x_mem);
    ocl_kernel_put(device, k);
    free(text);
    free(x);
}

/* sets_check - of primes that are lazy, and of those that are not. */
static void sets_check(void (*check)(const struct device_prime_set *set))
{
    if (!device_there())
        return;
    ocl_device_lock(device);
    for (unsigned i = 0; i < DEVICE_PRIME_SETS; i++)
        check(&device_prime_sets[i]);
    ocl_device_unlock(device);
}

static void test_field(void)
{
    sets_check(field_check);
}

/* The sums at the ends of rows, an item for each of them: words of a, b, and of what stands for b behind the end. */
static const char ends_text[] = "__kernel void ends(__global const uint *in, __global uint *out, uint2 m, uint inverse)\n"
                                "{\n"
                                "    const size_t item = get_global_id(0);\n"
                                "    const modulus p = {m.x, m.y};\n"
                                "    uint a[COLUMNS], b[COLUMNS], turned[COLUMNS];\n"
                                "    for (int j = 0; j < COLUMNS; j++) {\n"
                                "        a[j] = in[3 * COLUMNS * item + j];\n"
                                "        b[j] = in[3 * COLUMNS * item + COLUMNS + j];\n"
                                "        turned[j] = in[3 * COLUMNS * item + 2 * COLUMNS + j];\n"
                                "    }\n"
                                "    UNROLL for (int i = 0; i < COLUMNS; i++)\n"
                                "        out[COLUMNS * item + i] = leaf_sum(a, b, turned, i, inverse, p);\n"
                                "}\n";

/* Sums of eight products, of the largest residues among them: less 1 / 2^32. */
static void ends_check(const struct device_prime_set *set)
{
    enum { ENDS = 8, SUMS = 300 };
    static const char *const files[] = {"prelude.cl", "residue_passes.cl", "residues_mul_fused.cl", NULL};
    cl_kernel k;
    cl_mem in_mem, out_mem;
    uint32_t *in = test_alloc(4 * ENDS * SUMS * sizeof *in), *out = in + 3 * ENDS * SUMS;
    const struct ocl_call *on = OCL_ON(device, detail);
    char *text = source_with(files, ends_text), options[200];
    snprintf(options, sizeof options,
             "-DPOINTS=64 -DITEMS=8 -DCOLUMNS=8 -DN_STAGES=2 -DR0=8 -DR1=8 -DR2=1 -DR3=1 -DR4=1 -DN_PRIMES=1 "
             "-DPRIMES=1 -DLIMITS=1 -DOPERANDS=2 -DTREE=__local -DLAZY=%u",
             set->lazy);
    must(ocl_kernel_get_text(on, "ends", text, "ends", options, &k));
    must(ocl_buffer_get(on, 12 * ENDS * SUMS, &in_mem));
    must(ocl_buffer_get(on, 4 * ENDS * SUMS, &out_mem));
    for (unsigned i = 0; i < DEVICE_PRIMES_MAX; i++) {
        const uint32_t p = set->p[i], limit = p << set->lazy;
        const cl_uint2 modulus = {{p, limit}};
        uint32_t inverse = 1;
        for (unsigned s = 0; s < 5; s++)
            inverse *= 2 - p * inverse;
        for (size_t j = 0; j < 3 * ENDS * SUMS; j++) /* all LIMIT - 1; mostly so; any */
            in[j] = j < 3 * ENDS || (j < SUMS * ENDS && test_below(8) > 0) ? limit - 1 : (uint32_t)test_below(limit);
        must(ocl_upload(on, (struct ocl_span){in_mem, 0, 12 * ENDS * SUMS}, in, 1, OCL_AFTER_QUEUE));
        must(ocl_args(on, k, OCL_ARG(in_mem), OCL_ARG(out_mem), OCL_ARG(modulus), OCL_ARG(inverse), OCL_END));
        must(ocl_launch(on, k, "ends", ocl_items(SUMS, 1), 0));
        must(ocl_download(on, out, (struct ocl_span){out_mem, 0, 4 * ENDS * SUMS}, 1, OCL_AFTER_QUEUE));
        for (size_t j = 0; j < ENDS * SUMS; j++) {
            const uint32_t *a = in + j / ENDS * 3 * ENDS, *b = a + ENDS, *turned = b + ENDS;
            const size_t place = j % ENDS;
            uint64_t sum = 0;
            for (size_t q = 0; q < ENDS; q++)
                sum = (sum + (uint64_t)a[q] * (q <= place ? b[place - q] : turned[ENDS + place - q])) % p;
            test_note("p %" PRIu32 ", sum %zu", p, j);
            TEST_CHECK(out[j] < limit && ((uint64_t)out[j] << 32) % p == sum);
        }
    }
    ocl_buffer_put(device, out_mem);
    ocl_buffer_put(device, in_mem);
    ocl_kernel_put(device, k);
    free(text);
    free(in);
}

static void test_ends(void)
{
    sets_check(ends_check);
}

/* Every kernel of every shape. */
static void test_kernels(void)
{
    if (!device_there())
        return;
    ocl_device_lock(device);
    for (unsigned i = 0; i < SHAPES; i++)
        if (i < (unsigned)test_tier(1, 3, 100) || i == 4 || shapes[i].l == 78) { /* a shape's programs take seconds to build */
            shape_check(i, false);
            if (i == 0)
                shape_check(i, true);
        }
    ocl_device_unlock(device);
}

static void carries_check(unsigned shape)
{
    struct machine m;
    machine_begin(&m, shape, false);
    for (unsigned kind = 0; kind < (shape == SHAPE_MAPS ? 1 : 3) * OPERAND_KINDS; kind++) {
        operand_fill(m.host_a, m.an, (enum operand_kind)(kind % OPERAND_KINDS), m.shape.digits.exponent / 2, test_u64());
        operand_fill(m.host_b, m.bn,
                     kind < OPERAND_KINDS ? (enum operand_kind)kind : (enum operand_kind)test_below(OPERAND_KINDS),
                     m.shape.digits.exponent / 2, test_u64());
        must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){m.a.words, 0, 8 * m.an}, m.host_a, 1, OCL_AFTER_QUEUE));
        must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){m.b.words, 0, 8 * m.bn}, m.host_b, 1, OCL_AFTER_QUEUE));
        must(pipeline_mul(OCL_ON(device, detail), m.pipeline, &m.work, m.z, m.a, m.b));
        limbs_check(&m, 1);
    }
    /* 3 (2^k + 2) / 3: quads of all ones, and a carry from below, which runs through all of them */
    memset(m.host_a, 0x55, m.an * sizeof *m.host_a);
    m.host_a[0]++;
    memset(m.host_b, 0, m.bn * sizeof *m.host_b);
    m.host_b[0] = 3;
    must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){m.a.words, 0, 8 * m.an}, m.host_a, 1, OCL_AFTER_QUEUE));
    must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){m.b.words, 0, 8 * m.bn}, m.host_b, 1, OCL_AFTER_QUEUE));
    must(pipeline_mul(OCL_ON(device, detail), m.pipeline, &m.work, m.z, m.a, m.b));
    limbs_check(&m, 1);
    machine_end(&m);
}

/* Products of ones and of powers of two carry through all chunks; and random ones of the same shape. */
static void test_carries(void)
{
    if (!device_there())
        return;
    ocl_device_lock(device);
    for (unsigned i = 0; i < SHAPES; i++)
        if (i == 0 || shapes[i].l == 78) /* chunks of whole words, and quads that are not */
            carries_check(i);
    if (test_tier(0, 1, 1)) /* its programs are others */
        carries_check(SHAPE_MAPS);
    ocl_device_unlock(device);
}

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    ocl_test_keep();
    test_begin(argc, argv);
    TEST_RUN(test_field);
    TEST_RUN(test_ends);
    TEST_RUN(test_kernels);
    TEST_RUN(test_carries);
    ocl_device_close(device);
    return ocl_test_end();
}
#else
int main(void)
{
    return 77;
}
#endif
