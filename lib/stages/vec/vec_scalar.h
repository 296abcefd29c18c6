/*
 * vec_scalar.h - the vector operations on one double: the specification of every other vec_<isa>.h.
 *
 *   vec                      VEC_WIDTH doubles; pointers passed to vec_load and vec_store are aligned to the vector
 *   vec_fma(a, b, c)         a b + c, one rounding where VEC_HAS_FMA, else two
 *   vec_fms(a, b, c)         a b - c       vec_fnma(a, b, c)   c - a b
 *   vec_product_error(a,b,p) a b - p exactly, for p = vec_mul(a, b) (no underflow)
 *   vec_transpose(r)         r[i] lane j <-> r[j] lane i of VEC_WIDTH vectors
 *   vec_from_i32(p)          VEC_WIDTH int32 to doubles
 *   vec_magic_to_i64(p, x)   stores the integers k of x = k + 1.5 * 2^52, |k| < 2^51
 */
#ifndef GFMUL_VEC_SCALAR_H
#define GFMUL_VEC_SCALAR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define VEC_WIDTH 1
#define VEC_HAS_FMA 0
#define VEC_MAX_RADIX 8
#define VEC_HAS_CUT 0
typedef double vec;

static inline vec vec_load(const double *p) { return *p; }
static inline void vec_store(double *p, vec a) { *p = a; }
static inline vec vec_set1(double a) { return a; }
static inline vec vec_add(vec a, vec b) { return a + b; }
static inline vec vec_sub(vec a, vec b) { return a - b; }
static inline vec vec_mul(vec a, vec b) { return a * b; }
static inline vec vec_div(vec a, vec b) { return a / b; }
static inline vec vec_fma(vec a, vec b, vec c) { return a * b + c; }
static inline vec vec_fms(vec a, vec b, vec c) { return a * b - c; }
static inline vec vec_fnma(vec a, vec b, vec c) { return c - a * b; }
static inline vec vec_max(vec a, vec b) { return a > b ? a : b; }
static inline vec vec_abs(vec a) { return fabs(a); }
static inline void vec_transpose(vec *r) { (void)r; }
static inline vec vec_from_i32(const int32_t *p) { return (double)*p; }
static inline void vec_magic_to_i64(int64_t *p, vec x)
{
    memcpy(p, &x, sizeof x);
    *p -= INT64_C(0x4338000000000000);
}

#include "stages/vec/vec_dekker.h"
#endif
