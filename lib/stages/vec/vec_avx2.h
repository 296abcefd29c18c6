/* vec_avx2.h - vec_scalar.h's operations on four doubles, or eight floats, AVX2 and FMA. */
#ifndef GFMUL_VEC_AVX2_H
#define GFMUL_VEC_AVX2_H

#if !defined(__AVX2__) || !defined(__FMA__)
#error "vec_avx2.h needs -mavx2 -mfma"
#endif
#include <immintrin.h>
#include <stdint.h>

#define VEC_HAS_FMA 1
#ifdef VEC_FLOAT
#define VEC_WIDTH 8
typedef float vec_real;
typedef __m256 vec;

static inline vec vec_set1(float a) { return _mm256_set1_ps(a); }
static inline vec vec_fma(vec a, vec b, vec c) { return _mm256_fmadd_ps(a, b, c); }
static inline vec vec_fms(vec a, vec b, vec c) { return _mm256_fmsub_ps(a, b, c); }
static inline vec vec_fnma(vec a, vec b, vec c) { return _mm256_fnmadd_ps(a, b, c); }
static inline vec vec_load_half(const float *p) { return _mm256_zextps128_ps256(_mm_loadu_ps(p)); }
static inline void vec_store_half(float *p, vec a) { _mm_storeu_ps(p, _mm256_castps256_ps128(a)); }
static inline void vec_transpose(vec *r)
{
    __m256d t[8];
#pragma GCC unroll 2
    for (unsigned i = 0; i < 8; i += 4) { /* t[i + j] has columns j and j + 4 of four rows */
        const __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(r[i], r[i + 1]));
        const __m256d b = _mm256_castps_pd(_mm256_unpackhi_ps(r[i], r[i + 1]));
        const __m256d c = _mm256_castps_pd(_mm256_unpacklo_ps(r[i + 2], r[i + 3]));
        const __m256d d = _mm256_castps_pd(_mm256_unpackhi_ps(r[i + 2], r[i + 3]));
        t[i] = _mm256_unpacklo_pd(a, c);
        t[i + 1] = _mm256_unpackhi_pd(a, c);
        t[i + 2] = _mm256_unpacklo_pd(b, d);
        t[i + 3] = _mm256_unpackhi_pd(b, d);
    }
#pragma GCC unroll 4
    for (unsigned j = 0; j < 4; j++) {
        r[j] = _mm256_castpd_ps(_mm256_permute2f128_pd(t[j], t[j + 4], 0x20));
        r[j + 4] = _mm256_castpd_ps(_mm256_permute2f128_pd(t[j], t[j + 4], 0x31));
    }
}
#else
#define VEC_WIDTH 4
#define VEC_MAX_RADIX 8
#define VEC_HAS_CUT 1
#define VEC_HALVES 1 /* sixteen registers: halves.h */
#define VEC_RADIX4 1 /* .. and passes of true radix 4 .. */
#define VEC_LEAF16 1 /* .. down to the leaves of radix4.h */
typedef double vec_real;
typedef __m256d vec;

static inline vec vec_load(const double *p) { return _mm256_load_pd(p); }
static inline void vec_store(double *p, vec a) { _mm256_store_pd(p, a); }
static inline void vec_stream(double *p, vec a) { _mm256_stream_pd(p, a); }
static inline void vec_stream_fence(void) { _mm_sfence(); }
static inline void vec_store_part(double *p, vec a, unsigned n)
{
    _mm256_maskstore_pd(p, _mm256_cmpgt_epi64(_mm256_set1_epi64x((int64_t)n), _mm256_setr_epi64x(0, 1, 2, 3)), a);
}
static inline vec vec_set1(double a) { return _mm256_set1_pd(a); }
static inline vec vec_add(vec a, vec b) { return _mm256_add_pd(a, b); }
static inline vec vec_sub(vec a, vec b) { return _mm256_sub_pd(a, b); }
static inline vec vec_mul(vec a, vec b) { return _mm256_mul_pd(a, b); }
static inline vec vec_div(vec a, vec b) { return _mm256_div_pd(a, b); }
static inline vec vec_fma(vec a, vec b, vec c) { return _mm256_fmadd_pd(a, b, c); }
static inline vec vec_fms(vec a, vec b, vec c) { return _mm256_fmsub_pd(a, b, c); }
static inline vec vec_fnma(vec a, vec b, vec c) { return _mm256_fnmadd_pd(a, b, c); }
static inline vec vec_max_abs(vec a, vec b) { return _mm256_max_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), a), b); }
static inline vec vec_neg(vec a) { return -a; }
static inline vec vec_product_error(vec a, vec b, vec p) { return _mm256_fmsub_pd(a, b, p); }
static inline vec vec_load_half(const double *p) { return _mm256_zextpd128_pd256(_mm_loadu_pd(p)); }
static inline void vec_store_half(double *p, vec a) { _mm_storeu_pd(p, _mm256_castpd256_pd128(a)); }
static inline void vec_transpose(vec *r)
{
    vec t0 = _mm256_unpacklo_pd(r[0], r[1]), t1 = _mm256_unpackhi_pd(r[0], r[1]);
    vec t2 = _mm256_unpacklo_pd(r[2], r[3]), t3 = _mm256_unpackhi_pd(r[2], r[3]);
    r[0] = _mm256_permute2f128_pd(t0, t2, 0x20);
    r[1] = _mm256_permute2f128_pd(t1, t3, 0x20);
    r[2] = _mm256_permute2f128_pd(t0, t2, 0x31);
    r[3] = _mm256_permute2f128_pd(t1, t3, 0x31);
}
static inline void vec_load_columns(vec *r, const double *p, size_t stride)
{
    const vec even = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_load_pd(p)), _mm_load_pd(p + 2 * stride), 1);
    const vec odd = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_load_pd(p + stride)), _mm_load_pd(p + 3 * stride), 1);
    r[0] = _mm256_unpacklo_pd(even, odd);
    r[1] = _mm256_unpackhi_pd(even, odd);
}
static inline vec vec_from_i32(const int32_t *p) { return _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(const void *)p)); }
typedef __m256i vec_int;
static inline vec_int vec_int_load(const int64_t *p) { return _mm256_load_si256((const __m256i *)(const void *)p); }
static inline void vec_int_store(int64_t *p, vec_int a) { _mm256_store_si256((__m256i *)(void *)p, a); }
static inline vec_int vec_int_set1(int64_t a) { return _mm256_set1_epi64x(a); }
static inline vec_int vec_int_add(vec_int a, vec_int b) { return _mm256_add_epi64(a, b); }
static inline vec_int vec_int_insert(vec_int a, vec_int b, const uint64_t *step)
{
    const __m256i n = _mm256_set1_epi64x((int64_t)step[0]), below = _mm256_set1_epi64x((int64_t)step[1]);
    return _mm256_or_si256(_mm256_and_si256(a, below), _mm256_sllv_epi64(b, n));
}
static inline vec_int vec_int_of_bits(vec a) { return _mm256_castpd_si256(a); }
static inline vec_int vec_int_sll(vec_int a, const uint64_t *n) { return _mm256_sllv_epi64(a, _mm256_set1_epi64x((int64_t)*n)); }
static inline vec_int vec_int_srl(vec_int a, const uint64_t *n) { return _mm256_srlv_epi64(a, _mm256_set1_epi64x((int64_t)*n)); }
static inline vec_int vec_int_sra(vec_int a, unsigned n) /* there is none: shift a + 2^62 instead */
{
    const __m256i bias = _mm256_set1_epi64x(INT64_C(1) << 62);
    const uint64_t by = n;
    return _mm256_sub_epi64(vec_int_srl(_mm256_add_epi64(a, bias), &by), vec_int_srl(bias, &by));
}
static inline vec_int vec_int_from_magic(vec x)
{
    return _mm256_sub_epi64(_mm256_castpd_si256(x), _mm256_set1_epi64x(INT64_C(0x4338000000000000)));
}
static inline vec_int vec_int_decimal(vec_int a)
{
    __m256i c100 = _mm256_set1_epi16(100), c2559 = _mm256_set1_epi16(2559);
    __asm__("" : "+x"(c100), "+x"(c2559)); /* multiplications, not shifts and additions */
    vec_int q = _mm256_srli_epi16(_mm256_mulhi_epu16(a, _mm256_set1_epi16(5243)), 3); /* floor(u / 100) for u < 43698 */
    a = _mm256_sub_epi16(a, _mm256_mullo_epi16(q, c100));
    a = _mm256_or_si256(q, _mm256_slli_epi32(a, 16));                           /* lanes of 16 bits, < 100 */
    q = _mm256_mulhi_epu16(a, _mm256_set1_epi16(6554));                        /* floor(a / 10) */
    a = _mm256_sub_epi16(_mm256_slli_epi16(a, 8), _mm256_mullo_epi16(q, c2559)); /* q + 256 (a - 10 q) */
    return _mm256_add_epi8(a, _mm256_set1_epi8('0'));
}

/* vec_cut_i32 - for each lane the 8 bytes at p + offset, shifted left, then right with its sign; plus 1, halved.  right >= 32. */
static inline void vec_cut_i32(int32_t *d, const char *p, const int64_t *offset, const int64_t *left, unsigned right)
{
    __m256i at = _mm256_load_si256((const __m256i *)(const void *)offset);
    __m256i x = _mm256_i64gather_epi64((const long long *)(const void *)p, at, 1);
    x = _mm256_sllv_epi64(x, _mm256_load_si256((const __m256i *)(const void *)left));
    /* the upper halves: lanes 1, 3, 5, 7 of 32 bits */
    __m128i h = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(1, 3, 5, 7, 1, 3, 5, 7)));
    h = _mm_sra_epi32(h, _mm_cvtsi32_si128((int)right - 32));
    _mm_storeu_si128((__m128i *)(void *)d, _mm_srai_epi32(_mm_add_epi32(h, _mm_set1_epi32(1)), 1));
}

/*
 * vec_cut_quads - VEC_CUT_QUADS digits, four in each of the 16 bytes at p + at[k]: for each the four bytes that `bytes` names,
 * shifted left, then right with its sign; plus 1, halved.
 */
#define VEC_CUT_QUADS 8
static inline void vec_cut_quads(int32_t *d, const char *p, const int32_t *at, const uint8_t *bytes, const int32_t *left,
                                 unsigned right)
{
    const __m128i *p0 = (const __m128i *)(const void *)(p + at[0]), *p1 = (const __m128i *)(const void *)(p + at[1]);
    __m256i x = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(p0)), _mm_loadu_si128(p1), 1);
    x = _mm256_shuffle_epi8(x, _mm256_load_si256((const __m256i *)(const void *)bytes));
    x = _mm256_sllv_epi32(x, _mm256_load_si256((const __m256i *)(const void *)left));
    x = _mm256_add_epi32(_mm256_srav_epi32(x, _mm256_set1_epi32((int)right)), _mm256_set1_epi32(1));
    _mm256_storeu_si256((__m256i *)(void *)d, _mm256_srai_epi32(x, 1));
}
#endif

#include "stages/vec/vec_lanes.h"
#endif
