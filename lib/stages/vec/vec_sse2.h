/* vec_sse2.h - vec_scalar.h's operations on two doubles, or four floats, SSE2 without FMA. */
#ifndef GFMUL_VEC_SSE2_H
#define GFMUL_VEC_SSE2_H

#if !defined(__SSE2__)
#error "vec_sse2.h needs SSE2"
#endif
#include <emmintrin.h>
#include <stdint.h>

#define VEC_HAS_FMA 0
#ifdef VEC_FLOAT
#define VEC_WIDTH 4
typedef float vec_real;
typedef __m128 vec;

static inline vec vec_set1(float a) { return _mm_set1_ps(a); }
static inline vec vec_fma(vec a, vec b, vec c) { return _mm_add_ps(_mm_mul_ps(a, b), c); }
static inline vec vec_fms(vec a, vec b, vec c) { return _mm_sub_ps(_mm_mul_ps(a, b), c); }
static inline vec vec_fnma(vec a, vec b, vec c) { return _mm_sub_ps(c, _mm_mul_ps(a, b)); }
static inline vec vec_load_half(const float *p)
{
    return _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)p));
}
static inline void vec_store_half(float *p, vec a) { _mm_storel_epi64((__m128i *)(void *)p, _mm_castps_si128(a)); }
static inline void vec_transpose(vec *r)
{
    vec t0 = _mm_unpacklo_ps(r[0], r[2]), t1 = _mm_unpackhi_ps(r[0], r[2]);
    vec t2 = _mm_unpacklo_ps(r[1], r[3]), t3 = _mm_unpackhi_ps(r[1], r[3]);
    r[0] = _mm_unpacklo_ps(t0, t2);
    r[1] = _mm_unpackhi_ps(t0, t2);
    r[2] = _mm_unpacklo_ps(t1, t3);
    r[3] = _mm_unpackhi_ps(t1, t3);
}
#else
#define VEC_WIDTH 2
#define VEC_MAX_RADIX 8
#define VEC_HAS_CUT 0
typedef double vec_real;
typedef __m128d vec;

static inline vec vec_load(const double *p) { return _mm_load_pd(p); }
static inline void vec_store(double *p, vec a) { _mm_store_pd(p, a); }
static inline void vec_stream(double *p, vec a) { _mm_stream_pd(p, a); }
static inline void vec_stream_fence(void) { _mm_sfence(); }
static inline void vec_store_part(double *p, vec a, unsigned n) { __builtin_memcpy(p, &a, n * sizeof *p); }
static inline vec vec_set1(double a) { return _mm_set1_pd(a); }
static inline vec vec_add(vec a, vec b) { return _mm_add_pd(a, b); }
static inline vec vec_sub(vec a, vec b) { return _mm_sub_pd(a, b); }
static inline vec vec_mul(vec a, vec b) { return _mm_mul_pd(a, b); }
static inline vec vec_div(vec a, vec b) { return _mm_div_pd(a, b); }
static inline vec vec_fma(vec a, vec b, vec c) { return _mm_add_pd(_mm_mul_pd(a, b), c); }
static inline vec vec_fms(vec a, vec b, vec c) { return _mm_sub_pd(_mm_mul_pd(a, b), c); }
static inline vec vec_fnma(vec a, vec b, vec c) { return _mm_sub_pd(c, _mm_mul_pd(a, b)); }
static inline vec vec_max_abs(vec a, vec b) { return _mm_max_pd(_mm_andnot_pd(_mm_set1_pd(-0.0), a), b); }
static inline vec vec_neg(vec a) { return -a; }
static inline void vec_transpose(vec *r)
{
    vec t = _mm_unpacklo_pd(r[0], r[1]);
    r[1] = _mm_unpackhi_pd(r[0], r[1]);
    r[0] = t;
}
static inline vec vec_from_i32(const int32_t *p) { return _mm_cvtepi32_pd(_mm_loadl_epi64((const __m128i *)(const void *)p)); }
typedef __m128i vec_int;
static inline vec_int vec_int_load(const int64_t *p) { return _mm_load_si128((const __m128i *)(const void *)p); }
static inline void vec_int_store(int64_t *p, vec_int a) { _mm_store_si128((__m128i *)(void *)p, a); }
static inline vec_int vec_int_set1(int64_t a) { return _mm_set1_epi64x(a); }
static inline vec_int vec_int_add(vec_int a, vec_int b) { return _mm_add_epi64(a, b); }
static inline vec_int vec_int_insert(vec_int a, vec_int b, const uint64_t *step)
{
    const __m128i below = _mm_set1_epi64x((int64_t)step[1]);
    return _mm_or_si128(_mm_and_si128(a, below), _mm_sll_epi64(b, _mm_cvtsi32_si128((int)step[0])));
}
static inline vec_int vec_int_of_bits(vec a) { return _mm_castpd_si128(a); }
static inline vec_int vec_int_sll(vec_int a, const uint64_t *n)
{
    return _mm_sll_epi64(a, _mm_loadl_epi64((const __m128i *)(const void *)n));
}
static inline vec_int vec_int_srl(vec_int a, const uint64_t *n)
{
    return _mm_srl_epi64(a, _mm_loadl_epi64((const __m128i *)(const void *)n));
}
static inline vec_int vec_int_sra(vec_int a, unsigned n) /* there is none: shift a + 2^62 instead */
{
    const __m128i bias = _mm_set1_epi64x(INT64_C(1) << 62);
    const uint64_t by = n;
    return _mm_sub_epi64(vec_int_srl(_mm_add_epi64(a, bias), &by), vec_int_srl(bias, &by));
}
static inline vec_int vec_int_from_magic(vec x)
{
    return _mm_sub_epi64(_mm_castpd_si128(x), _mm_set1_epi64x(INT64_C(0x4338000000000000)));
}
static inline vec_int vec_int_decimal(vec_int a)
{
    __m128i c100 = _mm_set1_epi16(100), c2559 = _mm_set1_epi16(2559);
    __asm__("" : "+x"(c100), "+x"(c2559)); /* multiplications, not shifts and additions */
    vec_int q = _mm_srli_epi16(_mm_mulhi_epu16(a, _mm_set1_epi16(5243)), 3); /* floor(u / 100) for u < 43698 */
    a = _mm_sub_epi16(a, _mm_mullo_epi16(q, c100));
    a = _mm_or_si128(q, _mm_slli_epi32(a, 16));                           /* lanes of 16 bits, < 100 */
    q = _mm_mulhi_epu16(a, _mm_set1_epi16(6554));                        /* floor(a / 10) */
    a = _mm_sub_epi16(_mm_slli_epi16(a, 8), _mm_mullo_epi16(q, c2559)); /* q + 256 (a - 10 q) */
    return _mm_add_epi8(a, _mm_set1_epi8('0'));
}

#include "stages/vec/vec_dekker.h"
#endif

#include "stages/vec/vec_lanes.h"
#endif
