/*
 * vec_test.h - the operations of a vector header as functions on arrays, so that t-vec.c can call those of every instruction set.
 *
 * tests/vec_test_<isa>.c includes vec/vec_<isa>.h, defines VEC_TEST_ISA (a bare word) and VEC_TEST_ISA_BIT, then includes this
 * file; it is compiled with the flags of its instruction set.
 */
#ifndef GFMUL_VEC_TEST_H
#define GFMUL_VEC_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vec_op {
    OP_LOAD_STORE,
    OP_STREAM,
    OP_SET1,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_FMA,
    OP_FMS,
    OP_FNMA,
    OP_MAX_ABS,
    OP_NEG,
    OP_PRODUCT_ERROR,
    OP_COUNT
};
enum vec_int_op { INT_LOAD_STORE, INT_SET1, INT_ADD, INT_INSERT, INT_SLL, INT_SRL, INT_SRA, INT_OF_BITS, INT_OP_COUNT };

/* Arrays are aligned to 64 bytes and hold width lanes; the transposed matrix width * width. */
struct vec_test {
    const char *isa;
    unsigned isa_bit, width;
    bool fma;
    void (*op)(enum vec_op op, double *r, const double *a, const double *b, const double *c);
    void (*int_op)(enum vec_int_op op, int64_t *r, const int64_t *a, const int64_t *b, unsigned n);
    void (*transpose)(double *m);
    void (*store_part)(double *p, const double *a, unsigned n);
    void (*from_i32)(double *r, const int32_t *a);
    void (*from_magic)(int64_t *r, const double *x);
    void (*decimal)(int64_t *r, const int64_t *a);
    /* may be NULL */
    void (*columns)(double *r, const double *p, size_t stride); /* two vectors */
    void (*cut_i32)(int32_t *d, const char *p, const int64_t *offset, const int64_t *left, unsigned right);
    unsigned n_quads; /* digits of cut_quads */
    void (*cut_quads)(int32_t *d, const char *p, const int32_t *at, const uint8_t *bytes, const int32_t *left, unsigned right);
};

extern const struct vec_test vec_test_scalar, vec_test_sse2, vec_test_avx2, vec_test_avx512, vec_test_neon;

#endif

#ifdef VEC_TEST_ISA

static void vec_test_op(enum vec_op op, double *r, const double *a, const double *b, const double *c)
{
    vec x = vec_load(a), y = vec_load(b), z = vec_load(c), v = x;
    switch (op) {
    case OP_LOAD_STORE:
        break;
    case OP_STREAM:
        vec_stream(r, x);
        vec_stream_fence();
        return;
    case OP_SET1:
        v = vec_set1(*a);
        break;
    case OP_ADD:
        v = vec_add(x, y);
        break;
    case OP_SUB:
        v = vec_sub(x, y);
        break;
    case OP_MUL:
        v = vec_mul(x, y);
        break;
    case OP_DIV:
        v = vec_div(x, y);
        break;
    case OP_FMA:
        v = vec_fma(x, y, z);
        break;
    case OP_FMS:
        v = vec_fms(x, y, z);
        break;
    case OP_FNMA:
        v = vec_fnma(x, y, z);
        break;
    case OP_MAX_ABS:
        v = vec_max_abs(x, y);
        break;
    case OP_NEG:
        v = vec_neg(x);
        break;
    case OP_PRODUCT_ERROR:
        v = vec_product_error(x, y, vec_mul(x, y));
        break;
    default:
        break;
    }
    vec_store(r, v);
}

static void vec_test_int_op(enum vec_int_op op, int64_t *r, const int64_t *a, const int64_t *b, unsigned n)
{
    const uint64_t step[2] = {n, ((uint64_t)1 << n) - 1};
    vec_int x = vec_int_load(a), y = vec_int_load(b), v = x;
    switch (op) {
    case INT_SET1:
        v = vec_int_set1(*a);
        break;
    case INT_ADD:
        v = vec_int_add(x, y);
        break;
    case INT_INSERT:
        v = vec_int_insert(x, y, step);
        break;
    case INT_SLL:
        v = vec_int_sll(x, step);
        break;
    case INT_SRL:
        v = vec_int_srl(x, n);
        break;
    case INT_SRA:
        v = vec_int_sra(x, n);
        break;
    case INT_OF_BITS:
        v = vec_int_of_bits(vec_load((const double *)(const void *)a));
        break;
    default:
        break;
    }
    vec_int_store(r, v);
}

static void vec_test_transpose(double *m)
{
    vec r[VEC_WIDTH];
    for (unsigned i = 0; i < VEC_WIDTH; i++)
        r[i] = vec_load(m + i * VEC_WIDTH);
    vec_transpose(r);
    for (unsigned i = 0; i < VEC_WIDTH; i++)
        vec_store(m + i * VEC_WIDTH, r[i]);
}

#ifdef VEC_HALVES
static void vec_test_columns(double *r, const double *p, size_t stride)
{
    vec v[2];
    vec_load_columns(v, p, stride);
    vec_store(r, v[0]);
    vec_store(r + VEC_WIDTH, v[1]);
}
#endif

static void vec_test_store_part(double *p, const double *a, unsigned n)
{
    vec_store_part(p, vec_load(a), n);
}

static void vec_test_from_i32(double *r, const int32_t *a)
{
    vec_store(r, vec_from_i32(a));
}

static void vec_test_from_magic(int64_t *r, const double *x)
{
    vec_int_store(r, vec_int_from_magic(vec_load(x)));
}

static void vec_test_decimal(int64_t *r, const int64_t *a)
{
    vec_int_store(r, vec_int_decimal(vec_int_load(a)));
}

#define VEC_TEST_PASTE2(a, b) a##b
#define VEC_TEST_PASTE(a, b)  VEC_TEST_PASTE2(a, b)
#define VEC_TEST_STRING2(a)   #a
#define VEC_TEST_STRING(a)    VEC_TEST_STRING2(a)

const struct vec_test VEC_TEST_PASTE(vec_test_, VEC_TEST_ISA) = {
    .isa = VEC_TEST_STRING(VEC_TEST_ISA),
    .isa_bit = VEC_TEST_ISA_BIT,
    .width = VEC_WIDTH,
    .fma = VEC_HAS_FMA,
    .op = vec_test_op,
    .int_op = vec_test_int_op,
    .transpose = vec_test_transpose,
    .store_part = vec_test_store_part,
    .from_i32 = vec_test_from_i32,
    .from_magic = vec_test_from_magic,
    .decimal = vec_test_decimal,
#if VEC_HAS_CUT
    .cut_i32 = vec_cut_i32,
    .n_quads = VEC_CUT_QUADS,
    .cut_quads = vec_cut_quads,
#endif
#ifdef VEC_HALVES
    .columns = vec_test_columns,
#endif
};

#endif
