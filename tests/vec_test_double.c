/* vec_test_double.c - a vector header in double for t-vec.c.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stages/vec/vec.h"

#include "base/cpu.h"
#include "vec_test.h"
#include "vec_test_lanes.h"

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
        v = vec_int_srl(x, step);
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

extern const struct vec_test ISA_NAME(vec_test_);
const struct vec_test ISA_NAME(vec_test_) = {
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

extern const struct vec_lanes ISA_NAME(vec_lanes_double_);
const struct vec_lanes ISA_NAME(vec_lanes_double_) = {VEC_WIDTH, VEC_HAS_FMA, vec_lanes_op};
