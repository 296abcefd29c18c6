/*
 * fft_vec.h - vectors of FFT_LANES_HERE numbers of type FFT_REAL, for one inclusion of fft_pass.h.
 *
 * Plain operators of the vector extensions, and a fused multiply-add where the instruction set has one.
 */
#undef FFT_V
#undef FFT_VU
#define FFT_V  FFT_NAME(vector)
#define FFT_VU FFT_NAME(unaligned_vector)

#if FFT_LANES_HERE > 1
typedef FFT_REAL FFT_V __attribute__((vector_size(FFT_LANES_HERE * FFT_REAL_BYTES)));
typedef FFT_V FFT_VU __attribute__((aligned(FFT_REAL_BYTES), may_alias));
#else
typedef FFT_REAL FFT_V;
typedef FFT_REAL FFT_VU __attribute__((may_alias));
#endif

FFT_INLINE FFT_V FFT_NAME(load)(const FFT_REAL *p)
{
    return *(const FFT_VU *)p;
}

FFT_INLINE void FFT_NAME(store)(FFT_REAL *p, FFT_V a)
{
    *(FFT_VU *)p = a;
}

FFT_INLINE FFT_V FFT_NAME(set1)(FFT_REAL a)
{
#if FFT_LANES_HERE > 1
    return a - (FFT_V){0}; /* a in all lanes; a - 0 is a, with its sign */
#else
    return a;
#endif
}

/* a b + c, a b - c, c - a b; the instruction for each, so that no operand is negated apart */
#undef FFT_FUSED
#if defined(__AVX512F__) && FFT_LANES_HERE * FFT_REAL_BYTES == 64 && FFT_REAL_BYTES == 8
#define FFT_FUSED(op, a, b, c) (FFT_V) _mm512_##op##_pd((__m512d)(a), (__m512d)(b), (__m512d)(c))
#elif defined(__AVX512F__) && FFT_LANES_HERE * FFT_REAL_BYTES == 64
#define FFT_FUSED(op, a, b, c) (FFT_V) _mm512_##op##_ps((__m512)(a), (__m512)(b), (__m512)(c))
#elif defined(__FMA__) && FFT_LANES_HERE * FFT_REAL_BYTES == 32 && FFT_REAL_BYTES == 8
#define FFT_FUSED(op, a, b, c) (FFT_V) _mm256_##op##_pd((__m256d)(a), (__m256d)(b), (__m256d)(c))
#elif defined(__FMA__) && FFT_LANES_HERE * FFT_REAL_BYTES == 32
#define FFT_FUSED(op, a, b, c) (FFT_V) _mm256_##op##_ps((__m256)(a), (__m256)(b), (__m256)(c))
#elif defined(__FMA__) && FFT_LANES_HERE * FFT_REAL_BYTES == 16 && FFT_REAL_BYTES == 8
#define FFT_FUSED(op, a, b, c) (FFT_V) _mm_##op##_pd((__m128d)(a), (__m128d)(b), (__m128d)(c))
#elif defined(__FMA__) && FFT_LANES_HERE * FFT_REAL_BYTES == 16
#define FFT_FUSED(op, a, b, c) (FFT_V) _mm_##op##_ps((__m128)(a), (__m128)(b), (__m128)(c))
#endif

FFT_INLINE FFT_V FFT_NAME(fma)(FFT_V a, FFT_V b, FFT_V c)
{
#ifdef FFT_FUSED
    return FFT_FUSED(fmadd, a, b, c);
#elif defined(__ARM_NEON) && FFT_LANES_HERE == 2 && FFT_REAL_BYTES == 8
    return (FFT_V)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#elif defined(__ARM_NEON) && FFT_LANES_HERE == 4 && FFT_REAL_BYTES == 4
    return (FFT_V)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#elif defined(__FMA__) && FFT_LANES_HERE == 1 && FFT_REAL_BYTES == 8
    return __builtin_fma(a, b, c);
#elif defined(__FMA__) && FFT_LANES_HERE == 1
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

FFT_INLINE FFT_V FFT_NAME(fms)(FFT_V a, FFT_V b, FFT_V c)
{
#ifdef FFT_FUSED
    return FFT_FUSED(fmsub, a, b, c);
#else
    return FFT_NAME(fma)(a, b, -c);
#endif
}

FFT_INLINE FFT_V FFT_NAME(fnma)(FFT_V a, FFT_V b, FFT_V c)
{
#ifdef FFT_FUSED
    return FFT_FUSED(fnmadd, a, b, c);
#else
    return FFT_NAME(fma)(-a, b, c);
#endif
}
