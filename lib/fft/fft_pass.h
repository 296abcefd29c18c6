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

/* DFTs in place of r points, forwards. */
FFT_INLINE void FFT_NAME(dft2)(V *xr, V *xi)
{
    V tr = xr[0] - xr[1], ti = xi[0] - xi[1];
    xr[0] += xr[1];
    xi[0] += xi[1];
    xr[1] = tr;
    xi[1] = ti;
}

FFT_INLINE void FFT_NAME(dft3)(V *xr, V *xi)
{
    const V h = SET1((R)0.866025403784438646763723170752936183L), half = SET1((R)0.5);
    V sr = xr[1] + xr[2], si = xi[1] + xi[2], dr = xr[1] - xr[2], di = xi[1] - xi[2];
    V mr = FNMA(half, sr, xr[0]), mi = FNMA(half, si, xi[0]);
    xr[0] += sr;
    xi[0] += si;
    xr[1] = FMA(h, di, mr);
    xi[1] = FNMA(h, dr, mi);
    xr[2] = FNMA(h, di, mr);
    xi[2] = FMA(h, dr, mi);
}

FFT_INLINE void FFT_NAME(dft4)(V *xr, V *xi)
{
    V ar = xr[0] + xr[2], ai = xi[0] + xi[2], br = xr[0] - xr[2], bi = xi[0] - xi[2];
    V cr = xr[1] + xr[3], ci = xi[1] + xi[3], dr = xr[1] - xr[3], di = xi[1] - xi[3];
    xr[0] = ar + cr;
    xi[0] = ai + ci;
    xr[1] = br + di;
    xi[1] = bi - dr;
    xr[2] = ar - cr;
    xi[2] = ai - ci;
    xr[3] = br - di;
    xi[3] = bi + dr;
}

FFT_INLINE void FFT_NAME(dft5)(V *xr, V *xi)
{
    const V c1 = SET1((R)0.309016994374947424102293417182819059L), c2 = SET1((R)-0.809016994374947424102293417182819059L);
    const V s1 = SET1((R)0.951056516295153572116439333379382143L), s2 = SET1((R)0.587785252292473129168705954639072769L);
    V ar = xr[1] + xr[4], ai = xi[1] + xi[4], br = xr[1] - xr[4], bi = xi[1] - xi[4];
    V cr = xr[2] + xr[3], ci = xi[2] + xi[3], dr = xr[2] - xr[3], di = xi[2] - xi[3];
    V er = FMA(c1, ar, FMA(c2, cr, xr[0])), ei = FMA(c1, ai, FMA(c2, ci, xi[0]));
    V fr = FMA(c2, ar, FMA(c1, cr, xr[0])), fi = FMA(c2, ai, FMA(c1, ci, xi[0]));
    V gr = FMA(s1, br, s2 * dr), gi = FMA(s1, bi, s2 * di), hr = FMS(s2, br, s1 * dr), hi = FMS(s2, bi, s1 * di);
    xr[0] += ar + cr;
    xi[0] += ai + ci;
    xr[1] = er + gi;
    xi[1] = ei - gr;
    xr[4] = er - gi;
    xi[4] = ei + gr;
    xr[2] = fr + hi;
    xi[2] = fi - hr;
    xr[3] = fr - hi;
    xi[3] = fi + hr;
}

FFT_INLINE void FFT_NAME(dft7)(V *xr, V *xi)
{
    const V c[3] = {SET1((R)0.623489801858733530525004884004239811L), SET1((R)-0.222520933956314404288902564496794759L),
                    SET1((R)-0.900968867902419126236102319507445051L)};
    const V s[3] = {SET1((R)0.781831482468029808708444526674057750L), SET1((R)0.974927912181823607018131682993931217L),
                    SET1((R)0.433883739117558120475768332848358755L)};
    V ar[3], ai[3], br[3], bi[3], x0r = xr[0], x0i = xi[0];
#pragma GCC unroll 3
    for (int j = 0; j < 3; j++) {
        ar[j] = xr[j + 1] + xr[6 - j];
        ai[j] = xi[j + 1] + xi[6 - j];
        br[j] = xr[j + 1] - xr[6 - j];
        bi[j] = xi[j + 1] - xi[6 - j];
    }
    xr[0] = x0r + (ar[0] + ar[1] + ar[2]);
    xi[0] = x0i + (ai[0] + ai[1] + ai[2]);
    /* output k: angles k (j + 1) / 7, folded to 1 .. 3 of 7 */
#define DFT7_OUT(k, j1, g1, j2, g2, j3, g3)                                  \
    do {                                                                     \
        V er = FMA(c[j1], ar[0], FMA(c[j2], ar[1], FMA(c[j3], ar[2], x0r))); \
        V ei = FMA(c[j1], ai[0], FMA(c[j2], ai[1], FMA(c[j3], ai[2], x0i))); \
        V gr = FMA(g1 s[j1], br[0], FMA(g2 s[j2], br[1], g3 s[j3] * br[2])); \
        V gi = FMA(g1 s[j1], bi[0], FMA(g2 s[j2], bi[1], g3 s[j3] * bi[2])); \
        xr[k] = er + gi;                                                     \
        xi[k] = ei - gr;                                                     \
        xr[7 - (k)] = er - gi;                                               \
        xi[7 - (k)] = ei + gr;                                               \
    } while (0)
    DFT7_OUT(1, 0, +, 1, +, 2, +);
    DFT7_OUT(2, 1, +, 2, -, 0, -);
    DFT7_OUT(3, 2, +, 0, -, 1, +);
#undef DFT7_OUT
}

FFT_INLINE void FFT_NAME(dft8)(V *xr, V *xi)
{
    const V h = SET1((R)0.707106781186547524400844362104849039L);
    V er[4] = {xr[0], xr[2], xr[4], xr[6]}, ei[4] = {xi[0], xi[2], xi[4], xi[6]};
    V odd_re[4] = {xr[1], xr[3], xr[5], xr[7]}, odd_im[4] = {xi[1], xi[3], xi[5], xi[7]};
    FFT_NAME(dft4)(er, ei);
    FFT_NAME(dft4)(odd_re, odd_im);
    xr[0] = er[0] + odd_re[0];
    xi[0] = ei[0] + odd_im[0];
    xr[4] = er[0] - odd_re[0];
    xi[4] = ei[0] - odd_im[0];
    /* times e(-1/8) = h (1 - i), -i, h (-1 - i) */
    V ar = odd_re[1] + odd_im[1], ai = odd_im[1] - odd_re[1], br = odd_im[3] - odd_re[3], bi = odd_re[3] + odd_im[3];
    xr[1] = FMA(h, ar, er[1]);
    xi[1] = FMA(h, ai, ei[1]);
    xr[5] = FNMA(h, ar, er[1]);
    xi[5] = FNMA(h, ai, ei[1]);
    xr[2] = er[2] + odd_im[2];
    xi[2] = ei[2] - odd_re[2];
    xr[6] = er[2] - odd_im[2];
    xi[6] = ei[2] + odd_re[2];
    xr[3] = FMA(h, br, er[3]);
    xi[3] = FNMA(h, bi, ei[3]);
    xr[7] = FNMA(h, br, er[3]);
    xi[7] = FMA(h, bi, ei[3]);
}

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

/* transpose - a square of FFT_LANES_HERE vectors: perfect shuffles, log2 of the width times. */
FFT_INLINE void FFT_NAME(transpose)(V *x)
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
