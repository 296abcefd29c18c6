/*
 * t-ocl_primes_text.c - the kernels of products of text modulo primes: digits in, characters out.
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

/* Passes, base and characters of a digit: each number of primes; digits of one piece to four. */
static const struct {
    const char *text;
    unsigned base, exponent;
} shapes[] = {
    {"8.4/4/16,8.8/8/1", 10, 19},                                          /* passes as in t-mul_ocl_prime */
    {"16/1/16,8.8/8/16,8.8/8/1", 10, 24},  {"16.8/8/16,16.8/8/1", 12, 22}, /* a multiple of 2^32 */
    {"8.4/4/16,16.16/16/1", 10, 14},       {"16/1/16,8.8/8/1", 10, 9},     {"8.4/4/16,8.8/8/1", 7, 22},
    {"31:16/1/16,8.8/8/1", 36, 6},         {"8.4/4/16,16.16/16/1", 3, 30}, {"8.4/4/16,8.8/8/1/m6", 35, 9},
    {"16.8/8/16,16.8/8/1", 24, 17},        /* four pieces */
    {"16.16/16/16,8.8.8/64/1/m2", 10, 14}, /* with maps of groups of chunks, three of them */
};
enum { SHAPES = sizeof shapes / sizeof *shapes, SHAPE_MAPS = SHAPES - 1 };

/* A pipeline and its numbers. */
struct machine {
    struct plan_shape shape;
    struct ocl_pipeline *pipeline;
    struct ocl_work work;
    struct ocl_number a, b, z;
    char *host_a, *host_b;
    size_t an, bn;
};

static void number_get(struct ocl_number *x, size_t chars)
{
    x->n_words = (uint32_t)chars;
    must(ocl_buffer_get(OCL_ON(device, detail), chars, &x->words));
}

static void machine_begin(struct machine *m, unsigned i, bool square)
{
    struct plan_request r = {
        .rule = GFMUL_RULE_NORM, .precision = GFMUL_PRECISION_PRIME, .base = shapes[i].base, .an = 1, .bn = 1};
    memset(m, 0, sizeof *m);
    must(plan_device_parse(&m->shape, &r, shapes[i].text, shapes[i].exponent, detail, sizeof detail));
    const size_t n = m->shape.transform.n_points, k = shapes[i].exponent; /* digits of both fill the transform */
    const size_t b_digits = square ? n / 2 : 1 + (size_t)test_below(n / 2);
    m->bn = b_digits * k - (size_t)test_below(k);
    m->an = square ? m->bn : (n - b_digits) * k - (size_t)test_below(k);
    r.an = m->an;
    r.bn = m->bn;
    r.square = square;
    must(plan_device_parse(&m->shape, &r, shapes[i].text, shapes[i].exponent, detail, sizeof detail));
    m->shape.device.group_maps = i == SHAPE_MAPS;
    m->host_a = test_alloc(m->an);
    m->host_b = square ? m->host_a : test_alloc(m->bn);
    must(pipeline_create(OCL_ON(device, detail), &m->pipeline, &m->shape));
    must(ocl_work_get(OCL_ON(device, detail), &m->shape, &m->work, square));
    number_get(&m->a, m->an);
    if (!square)
        number_get(&m->b, m->bn);
    number_get(&m->z, m->an + m->bn);
}

static void machine_end(struct machine *m)
{
    pipeline_end(device, m->pipeline, &m->work, m->a.words, m->b.words, m->z.words);
    if (m->host_b != m->host_a)
        free(m->host_b);
    free(m->host_a);
}

/* number_read - the value of text without an end. */
static void number_read(mpz_t x, const char *text, size_t n, unsigned base)
{
    char *copy = test_alloc(n + 1);
    memcpy(copy, text, n);
    copy[n] = '\0';
    mpz_set_str(x, copy, (int)base);
    free(copy);
}

/* product_make - operands of two kinds up, their product down, against GMP's; chars: of the product that are asked for. */
static void product_make(struct machine *m, enum text_kind ka, enum text_kind kb, unsigned chars)
{
    const struct ocl_call *on = OCL_ON(device, detail);
    const unsigned base = m->shape.digits.base, k = m->shape.digits.exponent;
    const bool square = m->host_b == m->host_a;
    const size_t zn = m->an + m->bn;
    char *z = test_alloc(zn), *want;
    mpz_t x, y;
    mpz_inits(x, y, NULL);
    text_fill(m->host_a, m->an, ka, base, test_below(2) ? k : 4, test_u64());
    must(ocl_upload(on, (struct ocl_span){m->a.words, 0, m->an}, m->host_a, 1, OCL_AFTER_QUEUE));
    number_read(x, m->host_a, m->an, base);
    if (square) {
        mpz_mul(x, x, x);
    } else {
        text_fill(m->host_b, m->bn, kb, base, test_below(2) ? k : 4, test_u64());
        must(ocl_upload(on, (struct ocl_span){m->b.words, 0, m->bn}, m->host_b, 1, OCL_AFTER_QUEUE));
        number_read(y, m->host_b, m->bn, base);
        mpz_mul(x, x, y);
    }
    want = mpz_get_str(NULL, (int)base, x);
    const size_t used = strlen(want), n = chars ? used : zn; /* all of it, or without a leading zero */
    m->z.n_words = (uint32_t)n;
    must(pipeline_mul(on, m->pipeline, &m->work, m->z, m->a, m->b));
    must(ocl_download(on, z, (struct ocl_span){m->z.words, 0, n}, 1, OCL_AFTER_QUEUE));
    test_note("%s, base %u, %zu by %zu characters, %s by %s", m->shape.device.text, base, m->an, m->bn, text_kind_name(ka),
              square ? "itself" : text_kind_name(kb));
    size_t differ = 0; /* from the end on */
    while (differ < n && z[n - 1 - differ] == (differ < used ? want[used - 1 - differ] : '0'))
        differ++;
    TEST_CHECK_MSG(differ == n, "character %zu from the end of %zu is '%c'", differ, n, differ < n ? z[n - 1 - differ] : ' ');
    free(want);
    mpz_clears(x, y, NULL);
    free(z);
}

static void shape_check(unsigned i, bool square)
{
    struct machine m;
    machine_begin(&m, i, square);
    for (unsigned kind = 0; kind < (i == SHAPE_MAPS ? 1 : 2) * TEXT_KINDS; kind++)
        product_make(&m, (enum text_kind)(kind % TEXT_KINDS),
                     kind < TEXT_KINDS ? (enum text_kind)kind : (enum text_kind)test_below(TEXT_KINDS), kind % 2);
    machine_end(&m);
}

/* Operands of every kind, by every number of primes and in several bases. */
static void test_products(void)
{
    if (!device_there())
        return;
    ocl_device_lock(device);
    for (unsigned i = 0; i < (unsigned)test_tier(1, 3, SHAPES); i++) { /* a shape's programs take seconds to build */
        shape_check(i, false);
        if (i == 0)
            shape_check(i, true);
    }
    ocl_device_unlock(device);
}

/* Four characters of each number below 10^4. */
static const char chars_text[] = "__kernel void four(__global uint *out)\n"
                                 "{\n"
                                 "    const uint v = get_global_id(0);\n"
                                 "    out[v] = chars_of(v);\n"
                                 "}\n";

static void test_chars(void)
{
    enum { NUMBERS = 10000 };
    static const char *const files[] = {
        "prelude.cl", "status.cl", "residue_passes.cl", "carry_map.cl", "text_chars.cl", "residues_to_text_fused.cl", NULL};
    if (!device_there())
        return;
    const struct ocl_call *on = OCL_ON(device, detail);
    char *text = source_with(files, chars_text), *out = test_alloc(4 * NUMBERS), want[8];
    cl_kernel k;
    cl_mem out_mem;
    ocl_device_lock(device);
    must(ocl_kernel_get_text(
        on, "four", text, "four",
        "-DN_PRIMES=1 -DPRIMES=1 -DLIMITS=1 -DJOIN_ITEMS=128 -DTEXT_BASE=10 -DTEXT_DIGITS=8 -DPIECES=1 -DPIECE_CHARS=8 "
        "-DPIECE_BASE=100000000u -DPIECE_BITS=26 -DTOP_BASE=100000000u -DBASE_BITS=27 -DCHUNK_CHARS=4064",
        &k));
    must(ocl_buffer_get(on, 4 * NUMBERS, &out_mem));
    must(ocl_args(on, k, OCL_ARG(out_mem), OCL_END));
    must(ocl_launch(on, k, "four", ocl_items(NUMBERS, 1), 0));
    must(ocl_download(on, out, (struct ocl_span){out_mem, 0, 4 * NUMBERS}, 1, OCL_AFTER_QUEUE));
    for (unsigned v = 0; v < NUMBERS; v++) {
        snprintf(want, sizeof want, "%04u", v);
        TEST_CHECK_MSG(memcmp(out + 4 * v, want, 4) == 0, "%u is %.4s", v, out + 4 * v);
    }
    ocl_buffer_put(device, out_mem);
    ocl_kernel_put(device, k);
    ocl_device_unlock(device);
    free(out);
    free(text);
}

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    ocl_test_keep();
    test_begin(argc, argv);
    TEST_RUN(test_chars);
    TEST_RUN(test_products);
    ocl_device_close(device);
    return ocl_test_end();
}
#else
int main(void)
{
    return 77;
}
#endif
