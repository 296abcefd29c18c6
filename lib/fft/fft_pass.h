/*
 * fft_pass.h - the passes of a smooth kernel over vectors of FFT_LANES_HERE numbers; included once for each width.
 *
 * Runs shorter than a multiple of the width end in a vector that overlaps the one before: passes are out of place, so that
 * writing a value twice does no harm.
 */
#undef FFT_NAME
#define FFT_NAME(stem) FFT_PASTE5(fft_, stem, FFT_REAL_TAG, FFT_LANES_HERE, FFT_ISA)
#include "fft/fft_vec.h"

#define V    FFT_V
#define R    FFT_REAL
#define FMA  FFT_NAME(fma)
#define FMS  FFT_NAME(fms)
#define FNMA FFT_NAME(fnma)
#define SET1 FFT_NAME(set1)

/* DFTs in place of r points, forwards: dft2, 3, 4, 5, 7, 8. */
#include "fft/fft_codelets.h"

/* One butterfly: q fixed.  w: cosines and sines, broadcast; NULL for none. */
#define BUTTERFLY(r)                                                                                                             \
    FFT_INLINE void FFT_NAME(butterfly##r)(R *restrict yr, R *restrict yi, const R *restrict xr, const R *restrict xi, size_t s, \
                                           size_t sm, const R *w)                                                                \
    {                                                                                                                            \
        V ar[r], ai[r];                                                                                                          \
        _Pragma("GCC unroll 8") for (unsigned j = 0; j < r; j++)                                                                 \
        {                                                                                                                        \
            ar[j] = FFT_NAME(load)(xr + sm * j);                                                                                 \
            ai[j] = FFT_NAME(load)(xi + sm * j);                                                                                 \
        }                                                                                                                        \
        FFT_NAME(dft##r)(ar, ai);                                                                                                \
        FFT_NAME(store)(yr, ar[0]);                                                                                              \
        FFT_NAME(store)(yi, ai[0]);                                                                                              \
        _Pragma("GCC unroll 8") for (unsigned k = 1; k < r; k++)                                                                 \
        {                                                                                                                        \
            V tr = ar[k], ti = ai[k];                                                                                            \
            if (w != NULL) {                                                                                                     \
                V c = SET1(w[2 * k - 2]), d = SET1(w[2 * k - 1]);                                                                \
                tr = FMS(ar[k], c, ai[k] * d);                                                                                   \
                ti = FMA(ar[k], d, ai[k] * c);                                                                                   \
            }                                                                                                                    \
            FFT_NAME(store)(yr + s * k, tr);                                                                                     \
            FFT_NAME(store)(yi + s * k, ti);                                                                                     \
        }                                                                                                                        \
    }                                                                                                                            \
    FFT_STATIC void FFT_NAME(pass##r)(const struct fft_pass *ps, R *restrict yr, R *restrict yi, const R *restrict xr,           \
                                      const R *restrict xi)                                                                      \
    {                                                                                                                            \
        const size_t s = ps->s, m = ps->m, last = s - FFT_LANES_HERE;                                                            \
        for (size_t p = 0; p < m; p++) {                                                                                         \
            const R *w = p > 0 ? (const R *)ps->twiddle + 2 * (r - 1) * p : NULL;                                                \
            const size_t from = s * p, to = s * r * p;                                                                           \
            if (p == 0)                                                                                                          \
                for (size_t q = 0;; q = q + FFT_LANES_HERE < last ? q + FFT_LANES_HERE : last) {                                 \
                    FFT_NAME(butterfly##r)(yr + q, yi + q, xr + q, xi + q, s, s * m, NULL);                                      \
                    if (q == last)                                                                                               \
                        break;                                                                                                   \
                }                                                                                                                \
            else                                                                                                                 \
                for (size_t q = 0;; q = q + FFT_LANES_HERE < last ? q + FFT_LANES_HERE : last) {                                 \
                    FFT_NAME(butterfly##r)(yr + to + q, yi + to + q, xr + from + q, xi + from + q, s, s * m, w);                 \
                    if (q == last)                                                                                               \
                        break;                                                                                                   \
                }                                                                                                                \
        }                                                                                                                        \
    }
BUTTERFLY(2)
BUTTERFLY(3)
BUTTERFLY(4)
BUTTERFLY(5)
BUTTERFLY(7)
BUTTERFLY(8)
#undef BUTTERFLY

FFT_STATIC void FFT_NAME(pass)(const struct fft_pass *ps, R *yr, R *yi, const R *xr, const R *xi)
{
    switch (ps->radix) {
    case 2:
        FFT_NAME(pass2)(ps, yr, yi, xr, xi);
        break;
    case 3:
        FFT_NAME(pass3)(ps, yr, yi, xr, xi);
        break;
    case 4:
        FFT_NAME(pass4)(ps, yr, yi, xr, xi);
        break;
    case 5:
        FFT_NAME(pass5)(ps, yr, yi, xr, xi);
        break;
    case 7:
        FFT_NAME(pass7)(ps, yr, yi, xr, xi);
        break;
    default:
        FFT_NAME(pass8)(ps, yr, yi, xr, xi);
    }
}

/* Interleaved (re, im) pairs to and from two vectors; swap exchanges the parts. */
#if FFT_LANES_HERE > 1
#if FFT_REAL_BYTES == 8
typedef int64_t FFT_NAME(mask) __attribute__((vector_size(FFT_LANES_HERE * FFT_REAL_BYTES)));
#else
typedef int32_t FFT_NAME(mask) __attribute__((vector_size(FFT_LANES_HERE * FFT_REAL_BYTES)));
#endif
/* clang-format off */
#if FFT_LANES_HERE == 2
#define MASK_LOW  0, 2
#define MASK_HIGH 1, 3
#define MASK_ZIP0 0, 2
#define MASK_ZIP1 1, 3
#define MASK_BACK 1, 0
#elif FFT_LANES_HERE == 4
#define MASK_LOW  0, 2, 4, 6
#define MASK_HIGH 1, 3, 5, 7
#define MASK_ZIP0 0, 4, 1, 5
#define MASK_ZIP1 2, 6, 3, 7
#define MASK_BACK 3, 2, 1, 0
#elif FFT_LANES_HERE == 8
#define MASK_LOW  0, 2, 4, 6, 8, 10, 12, 14
#define MASK_HIGH 1, 3, 5, 7, 9, 11, 13, 15
#define MASK_ZIP0 0, 8, 1, 9, 2, 10, 3, 11
#define MASK_ZIP1 4, 12, 5, 13, 6, 14, 7, 15
#define MASK_BACK 7, 6, 5, 4, 3, 2, 1, 0
#else
#define MASK_LOW  0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define MASK_HIGH 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define MASK_ZIP0 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define MASK_ZIP1 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define MASK_BACK 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
#endif
/* clang-format on */
FFT_INLINE void FFT_NAME(load_pairs)(const R *p, V *re, V *im)
{
    V a = FFT_NAME(load)(p), b = FFT_NAME(load)(p + FFT_LANES_HERE);
    *re = FFT_SHUFFLE(a, b, MASK_LOW);
    *im = FFT_SHUFFLE(a, b, MASK_HIGH);
}

FFT_INLINE void FFT_NAME(store_pairs)(R *p, V re, V im)
{
    FFT_NAME(store)(p, FFT_SHUFFLE(re, im, MASK_ZIP0));
    FFT_NAME(store)(p + FFT_LANES_HERE, FFT_SHUFFLE(re, im, MASK_ZIP1));
}

/* back - the lanes in reverse order. */
FFT_INLINE V FFT_NAME(back)(V a)
{
    return FFT_SHUFFLE(a, a, MASK_BACK);
}

/* transpose - a square of FFT_LANES_HERE vectors. */
#if defined(__AVX512F__) && FFT_LANES_HERE == 16
FFT_INLINE void FFT_NAME(transpose)(V *x) /* squares of four by four within 128 bits, then those as a whole: no index, no move */
{
    V y[16];
#pragma GCC unroll 4
    for (unsigned i = 0; i < 16; i += 4) {
        const __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps((__m512)x[i], (__m512)x[i + 1]));
        const __m512d b = _mm512_castps_pd(_mm512_unpackhi_ps((__m512)x[i], (__m512)x[i + 1]));
        const __m512d c = _mm512_castps_pd(_mm512_unpacklo_ps((__m512)x[i + 2], (__m512)x[i + 3]));
        const __m512d d = _mm512_castps_pd(_mm512_unpackhi_ps((__m512)x[i + 2], (__m512)x[i + 3]));
        y[i] = (V)_mm512_unpacklo_pd(a, c);
        y[i + 1] = (V)_mm512_unpackhi_pd(a, c);
        y[i + 2] = (V)_mm512_unpacklo_pd(b, d);
        y[i + 3] = (V)_mm512_unpackhi_pd(b, d);
    }
#pragma GCC unroll 4
    for (unsigned j = 0; j < 4; j++) {
        const __m512 a = _mm512_shuffle_f32x4((__m512)y[j], (__m512)y[j + 4], 0x88);
        const __m512 b = _mm512_shuffle_f32x4((__m512)y[j + 8], (__m512)y[j + 12], 0x88);
        const __m512 c = _mm512_shuffle_f32x4((__m512)y[j], (__m512)y[j + 4], 0xdd);
        const __m512 d = _mm512_shuffle_f32x4((__m512)y[j + 8], (__m512)y[j + 12], 0xdd);
        x[j] = (V)_mm512_shuffle_f32x4(a, b, 0x88);
        x[j + 4] = (V)_mm512_shuffle_f32x4(c, d, 0x88);
        x[j + 8] = (V)_mm512_shuffle_f32x4(a, b, 0xdd);
        x[j + 12] = (V)_mm512_shuffle_f32x4(c, d, 0xdd);
    }
}
#else
FFT_INLINE void FFT_NAME(transpose)(V *x) /* perfect shuffles, log2 of the width times */
{
#pragma GCC unroll 4
    for (unsigned level = 1; level < FFT_LANES_HERE; level *= 2) {
        V y[FFT_LANES_HERE];
#pragma GCC unroll 8
        for (unsigned j = 0; j < FFT_LANES_HERE / 2; j++) {
            y[2 * j] = FFT_SHUFFLE(x[j], x[j + FFT_LANES_HERE / 2], MASK_ZIP0);
            y[2 * j + 1] = FFT_SHUFFLE(x[j], x[j + FFT_LANES_HERE / 2], MASK_ZIP1);
        }
#pragma GCC unroll 16
        for (unsigned j = 0; j < FFT_LANES_HERE; j++)
            x[j] = y[j];
    }
}
#endif
#undef MASK_LOW
#undef MASK_HIGH
#undef MASK_ZIP0
#undef MASK_ZIP1
#undef MASK_BACK
#else
FFT_INLINE void FFT_NAME(load_pairs)(const R *p, V *re, V *im)
{
    *re = p[0];
    *im = p[1];
}

FFT_INLINE void FFT_NAME(store_pairs)(R *p, V re, V im)
{
    p[0] = re;
    p[1] = im;
}

FFT_INLINE V FFT_NAME(back)(V a)
{
    return a;
}

FFT_INLINE void FFT_NAME(transpose)(V *x)
{
    (void)x;
}
#endif

/* The first pass of one lane, interleaved input: FFT_LANES_HERE values of p at once, transposed on the way out. */
#define FIRST(r)                                                                                                           \
    FFT_INLINE void FFT_NAME(first_any##r)(const struct fft_pass *ps, R *restrict yr, R *restrict yi, const R *restrict x, \
                                           bool swap)                                                                      \
    {                                                                                                                      \
        const size_t m = ps->m, last = m - FFT_LANES_HERE;                                                                 \
        const R *w = ps->columns;                                                                                          \
        for (size_t p = 0;; p = p + FFT_LANES_HERE < last ? p + FFT_LANES_HERE : last) {                                   \
            V ar[r], ai[r];                                                                                                \
            _Pragma("GCC unroll 8") for (unsigned j = 0; j < r; j++)                                                       \
                FFT_NAME(load_pairs)(x + 2 * (p + m * j), swap ? &ai[j] : &ar[j], swap ? &ar[j] : &ai[j]);                 \
            FFT_NAME(dft##r)(ar, ai);                                                                                      \
            _Pragma("GCC unroll 8") for (unsigned k = 1; k < r; k++)                                                       \
            {                                                                                                              \
                V c = FFT_NAME(load)(w + 2 * m * (k - 1) + p), d = FFT_NAME(load)(w + 2 * m * (k - 1) + m + p), t = ar[k]; \
                ar[k] = FMS(t, c, ai[k] * d);                                                                              \
                ai[k] = FMA(t, d, ai[k] * c);                                                                              \
            }                                                                                                              \
            _Pragma("GCC unroll 8") for (unsigned k = 0; k < r; k += FFT_LANES_HERE)                                       \
            {                                                                                                              \
                FFT_NAME(transpose)(ar + k);                                                                               \
                FFT_NAME(transpose)(ai + k);                                                                               \
                _Pragma("GCC unroll 8") for (unsigned l = 0; l < FFT_LANES_HERE; l++)                                      \
                {                                                                                                          \
                    FFT_NAME(store)(yr + r * (p + l) + k, ar[k + l]);                                                      \
                    FFT_NAME(store)(yi + r * (p + l) + k, ai[k + l]);                                                      \
                }                                                                                                          \
            }                                                                                                              \
            if (p == last)                                                                                                 \
                break;                                                                                                     \
        }                                                                                                                  \
    }                                                                                                                      \
    FFT_STATIC void FFT_NAME(first##r)(const struct fft_pass *ps, R *yr, R *yi, const R *x, bool swap)                     \
    {                                                                                                                      \
        if (swap)                                                                                                          \
            FFT_NAME(first_any##r)(ps, yr, yi, x, true);                                                                   \
        else                                                                                                               \
            FFT_NAME(first_any##r)(ps, yr, yi, x, false);                                                                  \
    }
#if FFT_LANES_HERE <= 4
FIRST(4)
#endif
#if FFT_LANES_HERE <= 8
FIRST(8)
#endif
#undef FIRST

/* The last pass, interleaved output, scaled. */
#define LAST(r)                                                                                                                 \
    FFT_INLINE void FFT_NAME(last_any##r)(const struct fft_pass *ps, R *restrict y, const R *restrict xr, const R *restrict xi, \
                                          R scale, bool swap)                                                                   \
    {                                                                                                                           \
        const size_t s = ps->s, last = s - FFT_LANES_HERE;                                                                      \
        for (size_t q = 0;; q = q + FFT_LANES_HERE < last ? q + FFT_LANES_HERE : last) {                                        \
            V ar[r], ai[r];                                                                                                     \
            _Pragma("GCC unroll 8") for (unsigned j = 0; j < r; j++)                                                            \
            {                                                                                                                   \
                ar[j] = FFT_NAME(load)(xr + q + s * j);                                                                         \
                ai[j] = FFT_NAME(load)(xi + q + s * j);                                                                         \
            }                                                                                                                   \
            FFT_NAME(dft##r)(ar, ai);                                                                                           \
            _Pragma("GCC unroll 8") for (unsigned k = 0; k < r; k++)                                                            \
                FFT_NAME(store_pairs)(y + 2 * (q + s * k), (swap ? ai[k] : ar[k]) * scale, (swap ? ar[k] : ai[k]) * scale);     \
            if (q == last)                                                                                                      \
                break;                                                                                                          \
        }                                                                                                                       \
    }                                                                                                                           \
    FFT_STATIC void FFT_NAME(last##r)(const struct fft_pass *ps, R *y, const R *xr, const R *xi, R scale, bool swap)            \
    {                                                                                                                           \
        if (swap)                                                                                                               \
            FFT_NAME(last_any##r)(ps, y, xr, xi, scale, true);                                                                  \
        else                                                                                                                    \
            FFT_NAME(last_any##r)(ps, y, xr, xi, scale, false);                                                                 \
    }
LAST(4)
LAST(8)
#undef LAST

#undef V
#undef R
#undef FMA
#undef FMS
#undef FNMA
#undef SET1
