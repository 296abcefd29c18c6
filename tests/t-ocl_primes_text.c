/*
 * t-ocl_primes_text.c - the kernels of products of text modulo primes: digits in, digits out, and their divisions.
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

/* Passes, base and characters of a digit: each number of primes; digits of one piece and of three. */
static const struct {
    const char *text;
    unsigned base, exponent;
} shapes[] = {
    {"8.4/4/16,8.8/8/1", 10, 19},                                          /* passes as in t-mul_ocl_prime */
    {"16/1/16,8.8/8/16,8.8/8/1", 10, 24},  {"16.8/8/16,16.8/8/1", 12, 22}, /* a multiple of 2^32 */
    {"8.4/4/16,16.16/16/1", 10, 14},       {"16/1/16,8.8/8/1", 10, 9},
    {"8.4/4/16,8.8/8/1", 7, 22},           {"16/1/16,8.8/8/1", 36, 6},
    {"8.4/4/16,16.16/16/1", 3, 30},        {"8.4/4/16,8.8/8/1/m6", 35, 9},
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
    ocl_buffer_put(device, m->z.words);
    ocl_buffer_put(device, m->b.words);
    ocl_buffer_put(device, m->a.words);
    ocl_work_put(device, &m->work);
    ocl_pipeline_destroy(m->pipeline);
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

/* A division of a sum, an item for each: the quotient's two words, what is left. */
static const char division_text[] = "__kernel void divide(__global const uint *in, __global uint *out)\n"
                                    "{\n"
                                    "    const size_t item = get_global_id(0);\n"
                                    "    uint sum[SUM_WORDS], digit[DIGIT_WORDS + 1];\n"
                                    "    for (int k = 0; k < SUM_WORDS; k++)\n"
                                    "        sum[k] = in[4 * item + k];\n"
                                    "    const ulong q = sum_take(sum, digit);\n"
                                    "    out[6 * item] = (uint)q;\n"
                                    "    out[6 * item + 1] = (uint)(q >> 32);\n"
                                    "    for (int k = 0; k < 4; k++)\n"
                                    "        out[6 * item + 2 + k] = k <= DIGIT_WORDS ? digit[k] : 0;\n"
                                    "}\n";

/* words_put - four words of x;  words_get - x from n words. */
static void words_put(uint32_t *words, const mpz_t x)
{
    memset(words, 0, 4 * sizeof *words);
    mpz_export(words, NULL, -1, sizeof *words, 0, 0, x);
}

static void words_get(mpz_t x, const uint32_t *words, unsigned n)
{
    mpz_import(x, n, -1, sizeof *words, 0, 0, words);
}

/* division_check - sums up to 2^36 base, next to multiples of the base among them. */
static void division_check(unsigned base, unsigned exponent, unsigned halfwords)
{
    enum { SUMS = 2000 };
    static const char *const files[] = {
        "prelude.cl", "status.cl", "residue_passes.cl", "carry_map.cl", "text_chars.cl", "residues_to_text_fused.cl", NULL};
    char options[600], *text = source_with(files, division_text);
    uint32_t *in = test_alloc(10 * SUMS * sizeof *in), *out = in + 4 * SUMS, words[4];
    const struct ocl_call *on = OCL_ON(device, detail);
    cl_kernel k;
    cl_mem in_mem, out_mem;
    mpz_t d, x, q, rest;
    gmp_randstate_t random;
    gmp_randinit_default(random);
    gmp_randseed_ui(random, (unsigned long)test_u64());
    mpz_inits(d, x, q, rest, NULL);
    mpz_ui_pow_ui(d, base, exponent);
    const unsigned bits = (unsigned)mpz_sizeinbase(d, 2);
    words_put(words, d);
    mpz_setbit(x, bits + 50);
    mpz_fdiv_q(x, x, d);
    snprintf(options, sizeof options,
             "-DN_PRIMES=6 -DJOIN_ITEMS=128 -DHALFWORDS=%u -DTEXT_BASE=%u -DTEXT_DIGITS=%u -DPIECE_CHARS=1 -DPIECE_BASE=%uu "
             "-DPIECE_BITS=1 "
             "-DCHUNK_CHARS=1 -DBASE_WORD0=0x%xu -DBASE_WORD1=0x%xu -DBASE_WORD2=0x%xu -DBASE_BITS=%u -DBASE_RECIPROCAL=%luUL",
             halfwords, base, exponent, base, words[0], words[1], words[2], bits, mpz_get_ui(x));
    must(ocl_kernel_get_text(on, "divide", text, "divide", options, &k));
    must(ocl_buffer_get(on, 16 * SUMS, &in_mem));
    must(ocl_buffer_get(on, 24 * SUMS, &out_mem));
    for (unsigned i = 0; i < SUMS; i++) {
        if (i < SUMS / 2) { /* a multiple, or a little more or less */
            mpz_urandomb(q, random, i < 2 ? 0 : 1 + i % 36);
            if (i < 16)
                mpz_set_ui(q, (1UL << 36) - 1 - i);
            mpz_mul(x, q, d);
            if (i % 3 == 1)
                mpz_add_ui(x, x, i / 3 % 5);
            else if (i % 3 == 2 && mpz_sgn(x) > 0)
                mpz_sub_ui(x, x, 1);
        } else {
            mpz_mul_2exp(rest, d, 36);
            mpz_urandomm(x, random, rest);
        }
        words_put(in + 4 * i, x);
    }
    must(ocl_upload(on, (struct ocl_span){in_mem, 0, 16 * SUMS}, in, 1, OCL_AFTER_QUEUE));
    must(ocl_args(on, k, OCL_ARG(in_mem), OCL_ARG(out_mem), OCL_END));
    must(ocl_launch(on, k, "divide", ocl_items(SUMS, 1), 0));
    must(ocl_download(on, out, (struct ocl_span){out_mem, 0, 24 * SUMS}, 1, OCL_AFTER_QUEUE));
    for (unsigned i = 0; i < SUMS; i++) {
        words_get(x, in + 4 * i, 4);
        mpz_fdiv_qr(q, rest, x, d);
        words_get(x, out + 6 * i, 2);
        test_note("base %u^%u, sum %u", base, exponent, i);
        TEST_CHECK(mpz_cmp(x, q) == 0);
        words_get(x, out + 6 * i + 2, 4);
        TEST_CHECK(mpz_cmp(x, rest) == 0);
    }
    ocl_buffer_put(device, out_mem);
    ocl_buffer_put(device, in_mem);
    ocl_kernel_put(device, k);
    mpz_clears(d, x, q, rest, NULL);
    gmp_randclear(random);
    free(in);
    free(text);
}

static void test_divisions(void)
{
    if (!device_there())
        return;
    ocl_device_lock(device);
    static const struct {
        unsigned base, exponent, halfwords;
    } digits[] = {{10, 19, 4}, {10, 24, 5}, {10, 9, 2}, {10, 14, 3}, {12, 22, 5}, {3, 20, 2}, {36, 15, 5}, {7, 22, 4}};
    for (unsigned i = 0; i < (unsigned)test_tier(1, 3, sizeof digits / sizeof *digits); i++) /* each is a program */
        division_check(digits[i].base, digits[i].exponent, digits[i].halfwords);
    ocl_device_unlock(device);
}

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    ocl_test_keep();
    test_begin(argc, argv);
    TEST_RUN(test_divisions);
    TEST_RUN(test_products);
    if (device)
        ocl_device_close(device);
    return ocl_test_end();
}
#else
int main(void)
{
    return 77;
}
#endif
