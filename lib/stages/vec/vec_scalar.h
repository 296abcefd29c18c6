/*
 * vec_scalar.h - the vector operations on one double: the specification of every other vec_<isa>.h.
 *
 * If VEC_FLOAT is defined, a vector is of floats.  A header then has vec_set1, vec_fma, vec_fms, vec_fnma, vec_transpose, the
 * half loads and stores, and vec_lanes.h, which it includes at its end.  C's operators work on vectors, too.
 *
 *   vec                      VEC_WIDTH numbers of type vec_real
 *   vec_load(p), vec_store(p, a)  p is aligned to the vector
 *   vec_stream(p, a)         vec_store past the caches if the machine can; vec_stream_fence() orders such stores
 *   vec_store_part(p, a, n)  the first n lanes, 0 .. VEC_WIDTH; p need not be aligned
 *   vec_fma(a, b, c)         a b + c, one rounding with VEC_HAS_FMA, else two
 *   vec_fms(a, b, c)         a b - c       vec_fnma(a, b, c)   c - a b
 *   vec_max_abs(a, b)        max(|a|, b), b >= 0; if a is not a number, b
 *   vec_product_error(a,b,p) a b - p exactly, for p = vec_mul(a, b) (no underflow)
 *   vec_transpose(r)         r[i] lane j <-> r[j] lane i of VEC_WIDTH vectors
 *   vec_load_half(p), vec_store_half(p, a)    the lower VEC_WIDTH / 2 lanes, the others zero; p need not be aligned; where
 *                            VEC_WIDTH is 4 or more
 *   vec_from_i32(p)          VEC_WIDTH int32 to doubles
 *   vec_int_...              lanes of 64-bit integers, shift counts 0 .. 63; vec_int_sra: 0 .. 62, |a| < 2^62
 *   vec_int_insert(a, b, s)  the lowest n bits of a, b 2^n above them, given s = {n, 2^n - 1}
 *   vec_int_sll(a, n)        a 2^n modulo 2^64, *n in 0 .. 63; vec_int_srl(a, n)  floor(a / 2^n) of an unsigned a
 *   vec_int_of_bits(x)       the doubles' bits
 *   vec_int_from_magic(x)    the integers k of x = k + 1.5 * 2^52, |k| < 2^51
 *   vec_load_columns(r,p,s)  r[k] = p[k], p[s + k], .. p[(VEC_WIDTH - 1) s + k], k = 0, 1; only where VEC_HALVES is defined
 *   vec_int_decimal(a)       a = u + 2^32 v, u and v < 10^4: the eight characters of u, then v, as they are to lie in memory
 */
#ifndef GFMUL_VEC_SCALAR_H
#define GFMUL_VEC_SCALAR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define VEC_WIDTH 1
#define VEC_HAS_FMA 0
#ifdef VEC_FLOAT
typedef float vec_real;
#else
typedef double vec_real;
#endif
typedef vec_real vec;

static inline vec vec_set1(vec_real a) { return a; }
static inline vec vec_fma(vec a, vec b, vec c) { return a * b + c; }
static inline vec vec_fms(vec a, vec b, vec c) { return a * b - c; }
static inline vec vec_fnma(vec a, vec b, vec c) { return c - a * b; }
static inline void vec_transpose(vec *r) { (void)r; }

#ifndef VEC_FLOAT
#define VEC_MAX_RADIX 8
#define VEC_HAS_CUT 0
static inline vec vec_load(const double *p) { return *p; }
static inline void vec_store(double *p, vec a) { *p = a; }
static inline void vec_stream(double *p, vec a) { *p = a; }
static inline void vec_stream_fence(void) {}
static inline void vec_store_part(double *p, vec a, unsigned n)
{
    if (n > 0)
        memcpy(p, &a, sizeof a); /* p may point to words */
}
static inline vec vec_add(vec a, vec b) { return a + b; }
static inline vec vec_sub(vec a, vec b) { return a - b; }
static inline vec vec_mul(vec a, vec b) { return a * b; }
static inline vec vec_div(vec a, vec b) { return a / b; }
static inline vec vec_max_abs(vec a, vec b) { return fabs(a) > b ? fabs(a) : b; }
static inline vec vec_neg(vec a) { return -a; }
static inline vec vec_from_i32(const int32_t *p) { return (double)*p; }
typedef int64_t vec_int;
static inline vec_int vec_int_load(const int64_t *p) { return *p; }
static inline void vec_int_store(int64_t *p, vec_int a) { *p = a; }
static inline vec_int vec_int_set1(int64_t a) { return a; }
static inline vec_int vec_int_add(vec_int a, vec_int b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static inline vec_int vec_int_insert(vec_int a, vec_int b, const uint64_t *step)
{
    return (int64_t)(((uint64_t)a & step[1]) | (uint64_t)b << step[0]);
}
static inline vec_int vec_int_of_bits(vec a)
{
    int64_t k;
    memcpy(&k, &a, sizeof k);
    return k;
}
static inline vec_int vec_int_sll(vec_int a, const uint64_t *n) { return (int64_t)((uint64_t)a << *n); }
static inline vec_int vec_int_srl(vec_int a, const uint64_t *n) { return (int64_t)((uint64_t)a >> *n); }
static inline vec_int vec_int_sra(vec_int a, unsigned n) { return a >> n; }
static inline vec_int vec_int_from_magic(vec x)
{
    int64_t k;
    memcpy(&k, &x, sizeof k);
    return (int64_t)((uint64_t)k - UINT64_C(0x4338000000000000));
}
static inline vec_int vec_int_decimal(vec_int a)
{
    uint64_t v = (uint64_t)a << 32 | (uint64_t)a >> 32; /* the first number on top, as its characters will be */
    uint64_t q = v * 10486 >> 20 & UINT64_C(0x7f0000007f);
    v = q << 16 | (v - 100 * q);
    q = v * 103 >> 10 & UINT64_C(0x000f000f000f000f);
    v = (q << 8 | (v - 10 * q)) + UINT64_C(0x3030303030303030);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return (int64_t)v;
}

#include "stages/vec/vec_dekker.h"
#endif

#include "stages/vec/vec_lanes.h"
#endif
