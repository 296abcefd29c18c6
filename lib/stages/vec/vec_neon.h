/* vec_neon.h - vec_scalar.h's operations on two doubles, or four floats, AArch64 Advanced SIMD. */
#ifndef GFMUL_VEC_NEON_H
#define GFMUL_VEC_NEON_H

#if !defined(__aarch64__)
#error "vec_neon.h needs AArch64"
#endif
#include <arm_neon.h>
#include <stdint.h>

#define VEC_HAS_FMA 1
#ifdef VEC_FLOAT
#define VEC_WIDTH 4
typedef float vec_real;
typedef float32x4_t vec;

static inline vec vec_set1(float a) { return vdupq_n_f32(a); }
static inline vec vec_fma(vec a, vec b, vec c) { return vfmaq_f32(c, a, b); }
static inline vec vec_fms(vec a, vec b, vec c) { return vnegq_f32(vfmsq_f32(c, a, b)); }
static inline vec vec_fnma(vec a, vec b, vec c) { return vfmsq_f32(c, a, b); }
static inline vec vec_load_half(const float *p) { return vcombine_f32(vld1_f32(p), vdup_n_f32(0)); }
static inline void vec_store_half(float *p, vec a) { vst1_f32(p, vget_low_f32(a)); }
static inline void vec_transpose(vec *r)
{
    vec t0 = vzip1q_f32(r[0], r[2]), t1 = vzip2q_f32(r[0], r[2]), t2 = vzip1q_f32(r[1], r[3]), t3 = vzip2q_f32(r[1], r[3]);
    r[0] = vzip1q_f32(t0, t2);
    r[1] = vzip2q_f32(t0, t2);
    r[2] = vzip1q_f32(t1, t3);
    r[3] = vzip2q_f32(t1, t3);
}
#else
#define VEC_WIDTH 2
#define VEC_MAX_RADIX 8
#define VEC_HAS_CUT 0
typedef double vec_real;
typedef float64x2_t vec;

static inline vec vec_load(const double *p) { return vld1q_f64(p); }
static inline void vec_store(double *p, vec a) { vst1q_f64(p, a); }
static inline void vec_stream(double *p, vec a) { vst1q_f64(p, a); }
static inline void vec_stream_fence(void) {}
static inline void vec_store_part(double *p, vec a, unsigned n) { __builtin_memcpy(p, &a, n * sizeof *p); }
static inline vec vec_set1(double a) { return vdupq_n_f64(a); }
static inline vec vec_add(vec a, vec b) { return vaddq_f64(a, b); }
static inline vec vec_sub(vec a, vec b) { return vsubq_f64(a, b); }
static inline vec vec_mul(vec a, vec b) { return vmulq_f64(a, b); }
static inline vec vec_div(vec a, vec b) { return vdivq_f64(a, b); }
static inline vec vec_fma(vec a, vec b, vec c) { return vfmaq_f64(c, a, b); }
static inline vec vec_fms(vec a, vec b, vec c) { return vnegq_f64(vfmsq_f64(c, a, b)); }
static inline vec vec_fnma(vec a, vec b, vec c) { return vfmsq_f64(c, a, b); }
static inline vec vec_max_abs(vec a, vec b) { return vmaxnmq_f64(vabsq_f64(a), b); }
static inline vec vec_neg(vec a) { return -a; }
static inline vec vec_product_error(vec a, vec b, vec p) { return vec_fms(a, b, p); }
static inline void vec_transpose(vec *r)
{
    vec t = vzip1q_f64(r[0], r[1]);
    r[1] = vzip2q_f64(r[0], r[1]);
    r[0] = t;
}
static inline vec vec_from_i32(const int32_t *p) { return vcvtq_f64_s64(vmovl_s32(vld1_s32(p))); }
typedef int64x2_t vec_int;
static inline vec_int vec_int_load(const int64_t *p) { return vld1q_s64(p); }
static inline void vec_int_store(int64_t *p, vec_int a) { vst1q_s64(p, a); }
static inline vec_int vec_int_set1(int64_t a) { return vdupq_n_s64(a); }
static inline vec_int vec_int_add(vec_int a, vec_int b) { return vaddq_s64(a, b); }
static inline vec_int vec_int_insert(vec_int a, vec_int b, const uint64_t *step)
{
    const int64x2_t below = vreinterpretq_s64_u64(vdupq_n_u64(step[1]));
    return vorrq_s64(vandq_s64(a, below), vshlq_s64(b, vdupq_n_s64((int64_t)step[0])));
}
static inline vec_int vec_int_of_bits(vec a) { return vreinterpretq_s64_f64(a); }
static inline vec_int vec_int_sll(vec_int a, const uint64_t *n) { return vshlq_s64(a, vdupq_n_s64((int64_t)*n)); }
static inline vec_int vec_int_srl(vec_int a, const uint64_t *n)
{
    return vreinterpretq_s64_u64(vshlq_u64(vreinterpretq_u64_s64(a), vdupq_n_s64(-(int64_t)*n)));
}
static inline vec_int vec_int_sra(vec_int a, unsigned n) { return vshlq_s64(a, vdupq_n_s64(-(int64_t)n)); }
static inline vec_int vec_int_from_magic(vec x)
{
    return vsubq_s64(vreinterpretq_s64_f64(x), vdupq_n_s64(INT64_C(0x4338000000000000)));
}
static inline vec_int vec_int_decimal(vec_int a)
{
    uint32x4_t u = vreinterpretq_u32_s64(a), q = vshrq_n_u32(vmulq_n_u32(u, 5243), 19); /* floor(u / 100) for u < 43698 */
    u = vorrq_u32(q, vshlq_n_u32(vmlsq_n_u32(u, q, 100), 16));                          /* lanes of 16 bits, < 100 */
    uint16x8_t w = vreinterpretq_u16_u32(u), t = vshrq_n_u16(vmulq_n_u16(w, 103), 10);  /* floor(w / 10) */
    w = vmlsq_n_u16(vshlq_n_u16(w, 8), t, 2559);                                        /* t + 256 (w - 10 t) */
    return vreinterpretq_s64_u8(vaddq_u8(vreinterpretq_u8_u16(w), vdupq_n_u8('0')));
}
#endif

#include "stages/vec/vec_lanes.h"
#endif
