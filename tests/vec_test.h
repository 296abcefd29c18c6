/*
 * vec_test.h - the operations of a vector header as functions on arrays, so that t-vec.c can call those of every instruction set.
 *
 * tests/vec_test_double.c, which defines the functions, is compiled once for each instruction set (lib/isa.mk).
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
    unsigned width;
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

/*
 * vec_lanes - operations that headers have in double and in float, on arrays of either; r has room for what the operation writes.
 */
enum vec_lanes_op {
    LANES_SET1,
    LANES_FMA,
    LANES_FMS,
    LANES_FNMA,
    LANES_UNALIGNED,
    LANES_LOAD,
    LANES_STORE,
    LANES_ZIP_LOW,
    LANES_ZIP_HIGH,
    LANES_LOAD_PAIRS,
    LANES_LOAD_PAIRS_HALF,
    LANES_STORE_PAIRS,
    LANES_BACK,
    LANES_TRANSPOSE,
    LANES_COUNT
};
struct vec_lanes {
    unsigned width;
    bool fma;
    void (*op)(enum vec_lanes_op op, void *r, const void *a, const void *b, const void *c, unsigned lanes);
};

#endif
