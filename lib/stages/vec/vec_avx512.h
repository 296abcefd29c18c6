/* vec_avx512.h - vec_scalar.h's operations on eight doubles, or sixteen floats, AVX-512 F, DQ and BW. */
#ifndef GFMUL_VEC_AVX512_H
#define GFMUL_VEC_AVX512_H

#if !defined(__AVX512F__) || !defined(__AVX512DQ__) || !defined(__AVX512BW__)
#error "vec_avx512.h needs -mavx512f -mavx512dq -mavx512bw"
#endif
#include <immintrin.h>
#include <stdint.h>

#define VEC_HAS_FMA 1
#ifdef VEC_FLOAT
#define VEC_WIDTH 16
typedef float vec_real;
typedef __m512 vec;

static inline vec vec_set1(float a) { return _mm512_set1_ps(a); }
static inline vec vec_fma(vec a, vec b, vec c) { return _mm512_fmadd_ps(a, b, c); }
static inline vec vec_fms(vec a, vec b, vec c) { return _mm512_fmsub_ps(a, b, c); }
static inline vec vec_fnma(vec a, vec b, vec c) { return _mm512_fnmadd_ps(a, b, c); }
static inline vec vec_load_half(const float *p) { return _mm512_zextps256_ps512(_mm256_loadu_ps(p)); }
static inline void vec_store_half(float *p, vec a) { _mm256_storeu_ps(p, _mm512_castps512_ps256(a)); }
static inline void vec_transpose(vec *r) /* squares of four by four within 128 bits, then those as a whole: no index, no move */
{
    vec t[16];
#pragma GCC unroll 4
    for (unsigned i = 0; i < 16; i += 4) {
        const __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(r[i], r[i + 1]));
        const __m512d b = _mm512_castps_pd(_mm512_unpackhi_ps(r[i], r[i + 1]));
        const __m512d c = _mm512_castps_pd(_mm512_unpacklo_ps(r[i + 2], r[i + 3]));
        const __m512d d = _mm512_castps_pd(_mm512_unpackhi_ps(r[i + 2], r[i + 3]));
        t[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
        t[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
        t[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
        t[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
    }
#pragma GCC unroll 4
    for (unsigned j = 0; j < 4; j++) {
        const vec a = _mm512_shuffle_f32x4(t[j], t[j + 4], 0x88), b = _mm512_shuffle_f32x4(t[j + 8], t[j + 12], 0x88);
        const vec c = _mm512_shuffle_f32x4(t[j], t[j + 4], 0xdd), d = _mm512_shuffle_f32x4(t[j + 8], t[j + 12], 0xdd);
        r[j] = _mm512_shuffle_f32x4(a, b, 0x88);
        r[j + 4] = _mm512_shuffle_f32x4(c, d, 0x88);
        r[j + 8] = _mm512_shuffle_f32x4(a, b, 0xdd);
        r[j + 12] = _mm512_shuffle_f32x4(c, d, 0xdd);
    }
}
#else
#define VEC_WIDTH 8
#define VEC_MAX_RADIX 8
#define VEC_HAS_CUT 1
#define VEC_RADIX4 1 /* passes of true radix 4, .. */
#define VEC_MIXED 1  /* .. above leaves of mixed passes, or of nested steps */
#define VEC_LEAF_TURNS 1 /* a leaf fills the registers: steps of leaves take turns, through memory */
#define VEC_IFMA 1   /* prime_join_ifma.h: its processors may have products of 52 bits */
typedef double vec_real;
typedef __m512d vec;

static inline vec vec_load(const double *p) { return _mm512_load_pd(p); }
static inline void vec_store(double *p, vec a) { _mm512_store_pd(p, a); }
static inline void vec_stream(double *p, vec a) { _mm512_stream_pd(p, a); }
static inline void vec_stream_fence(void) { _mm_sfence(); }
static inline void vec_store_part(double *p, vec a, unsigned n)
{
    _mm512_mask_storeu_pd(p, (__mmask8)((1u << n) - 1), a);
}
static inline vec vec_set1(double a) { return _mm512_set1_pd(a); }
static inline vec vec_add(vec a, vec b) { return _mm512_add_pd(a, b); }
static inline vec vec_sub(vec a, vec b) { return _mm512_sub_pd(a, b); }
static inline vec vec_mul(vec a, vec b) { return _mm512_mul_pd(a, b); }
static inline vec vec_div(vec a, vec b) { return _mm512_div_pd(a, b); }
static inline vec vec_fma(vec a, vec b, vec c) { return _mm512_fmadd_pd(a, b, c); }
static inline vec vec_fms(vec a, vec b, vec c) { return _mm512_fmsub_pd(a, b, c); }
static inline vec vec_fnma(vec a, vec b, vec c) { return _mm512_fnmadd_pd(a, b, c); }
static inline vec vec_max_abs(vec a, vec b) { return _mm512_range_pd(a, b, 0xb); } /* the larger modulus, as such */
static inline vec vec_neg(vec a) { return -a; }
static inline vec vec_product_error(vec a, vec b, vec p) { return _mm512_fmsub_pd(a, b, p); }
static inline vec vec_load_half(const double *p) { return _mm512_zextpd256_pd512(_mm256_loadu_pd(p)); }
static inline void vec_store_half(double *p, vec a) { _mm256_storeu_pd(p, _mm512_castpd512_pd256(a)); }
static inline void vec_transpose(vec *r)
{
    vec t0 = _mm512_unpacklo_pd(r[0], r[1]), t1 = _mm512_unpackhi_pd(r[0], r[1]);
    vec t2 = _mm512_unpacklo_pd(r[2], r[3]), t3 = _mm512_unpackhi_pd(r[2], r[3]);
    vec t4 = _mm512_unpacklo_pd(r[4], r[5]), t5 = _mm512_unpackhi_pd(r[4], r[5]);
    vec t6 = _mm512_unpacklo_pd(r[6], r[7]), t7 = _mm512_unpackhi_pd(r[6], r[7]);
    /* even rows: lanes 0,1 and 4,5 of two pairs; odd rows: lanes 2,3 and 6,7 */
    vec u0 = _mm512_shuffle_f64x2(t0, t2, 0x88), u2 = _mm512_shuffle_f64x2(t0, t2, 0xdd);
    vec u1 = _mm512_shuffle_f64x2(t1, t3, 0x88), u3 = _mm512_shuffle_f64x2(t1, t3, 0xdd);
    vec u4 = _mm512_shuffle_f64x2(t4, t6, 0x88), u6 = _mm512_shuffle_f64x2(t4, t6, 0xdd);
    vec u5 = _mm512_shuffle_f64x2(t5, t7, 0x88), u7 = _mm512_shuffle_f64x2(t5, t7, 0xdd);
    r[0] = _mm512_shuffle_f64x2(u0, u4, 0x88);
    r[4] = _mm512_shuffle_f64x2(u0, u4, 0xdd);
    r[1] = _mm512_shuffle_f64x2(u1, u5, 0x88);
    r[5] = _mm512_shuffle_f64x2(u1, u5, 0xdd);
    r[2] = _mm512_shuffle_f64x2(u2, u6, 0x88);
    r[6] = _mm512_shuffle_f64x2(u2, u6, 0xdd);
    r[3] = _mm512_shuffle_f64x2(u3, u7, 0x88);
    r[7] = _mm512_shuffle_f64x2(u3, u7, 0xdd);
}
static inline vec vec_from_i32(const int32_t *p)
{
    return _mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)(const void *)p));
}
typedef __m512i vec_int;
static inline vec_int vec_int_load(const int64_t *p) { return _mm512_load_si512(p); }
static inline void vec_int_store(int64_t *p, vec_int a) { _mm512_store_si512(p, a); }
static inline vec_int vec_int_set1(int64_t a) { return _mm512_set1_epi64(a); }
static inline vec_int vec_int_add(vec_int a, vec_int b) { return _mm512_add_epi64(a, b); }
static inline vec_int vec_int_insert(vec_int a, vec_int b, const uint64_t *step)
{
    const __m512i n = _mm512_set1_epi64((int64_t)step[0]), below = _mm512_set1_epi64((int64_t)step[1]);
    return _mm512_ternarylogic_epi64(below, a, _mm512_sllv_epi64(b, n), 0xca); /* bit by bit: below ? a : b << n */
}
static inline vec_int vec_int_of_bits(vec a) { return _mm512_castpd_si512(a); }
static inline vec_int vec_int_sll(vec_int a, const uint64_t *n) { return _mm512_sllv_epi64(a, _mm512_set1_epi64((int64_t)*n)); }
static inline vec_int vec_int_srl(vec_int a, const uint64_t *n) { return _mm512_srlv_epi64(a, _mm512_set1_epi64((int64_t)*n)); }
static inline vec_int vec_int_sra(vec_int a, unsigned n) { return _mm512_srav_epi64(a, _mm512_set1_epi64((int64_t)n)); }
static inline vec_int vec_int_from_magic(vec x)
{
    return _mm512_sub_epi64(_mm512_castpd_si512(x), _mm512_set1_epi64(INT64_C(0x4338000000000000)));
}
static inline vec_int vec_int_decimal(vec_int a)
{
    __m512i c100 = _mm512_set1_epi16(100), c2559 = _mm512_set1_epi16(2559);
    __asm__("" : "+v"(c100), "+v"(c2559)); /* multiplications, not shifts and additions */
    vec_int q = _mm512_srli_epi16(_mm512_mulhi_epu16(a, _mm512_set1_epi16(5243)), 3); /* floor(u / 100) for u < 43698 */
    a = _mm512_sub_epi16(a, _mm512_mullo_epi16(q, c100));
    a = _mm512_or_si512(q, _mm512_slli_epi32(a, 16));                           /* lanes of 16 bits, < 100 */
    q = _mm512_mulhi_epu16(a, _mm512_set1_epi16(6554));                        /* floor(a / 10) */
    a = _mm512_sub_epi16(_mm512_slli_epi16(a, 8), _mm512_mullo_epi16(q, c2559)); /* q + 256 (a - 10 q) */
    return _mm512_add_epi8(a, _mm512_set1_epi8('0'));
}

/* vec_cut_i32 - for each lane the 8 bytes at p + offset, shifted left, then right with its sign; plus 1, halved. */
static inline void vec_cut_i32(int32_t *d, const char *p, const int64_t *offset, const int64_t *left, unsigned right)
{
    __m512i x = _mm512_i64gather_epi64(_mm512_load_si512(offset), p, 1);
    x = _mm512_sra_epi64(_mm512_sllv_epi64(x, _mm512_load_si512(left)), _mm_cvtsi32_si128((int)right));
    x = _mm512_srai_epi64(_mm512_add_epi64(x, _mm512_set1_epi64(1)), 1);
    _mm256_storeu_si256((__m256i *)(void *)d, _mm512_cvtepi64_epi32(x));
}

/*
 * vec_cut_quads - VEC_CUT_QUADS digits, four in each of the 16 bytes at p + at[k]: for each the four bytes that `bytes` names,
 * shifted left, then right with its sign; plus 1, halved.
 */
#define VEC_CUT_QUADS 16
static inline void vec_cut_quads(int32_t *d, const char *p, const int32_t *at, const uint8_t *bytes, const int32_t *left,
                                 unsigned right)
{
    const __m128i *p0 = (const __m128i *)(const void *)(p + at[0]), *p1 = (const __m128i *)(const void *)(p + at[1]);
    const __m128i *p2 = (const __m128i *)(const void *)(p + at[2]), *p3 = (const __m128i *)(const void *)(p + at[3]);
    __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(p0)), _mm_loadu_si128(p1), 1);
    __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(p2)), _mm_loadu_si128(p3), 1);
    __m512i x = _mm512_shuffle_epi8(_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1), _mm512_load_si512(bytes));
    x = _mm512_srav_epi32(_mm512_sllv_epi32(x, _mm512_load_si512(left)), _mm512_set1_epi32((int)right));
    _mm512_storeu_si512(d, _mm512_srai_epi32(_mm512_add_epi32(x, _mm512_set1_epi32(1)), 1));
}
#endif

#include "stages/vec/vec_lanes.h"
#endif
