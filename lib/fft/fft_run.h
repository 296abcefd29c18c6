/*
 * fft_run.h - the plain FFT in one precision and for one instruction set.
 *
 * Included by isa/fft_double.c and isa/fft_float.c after stages/vec/vec.h; it defines the functions of struct fft_ops.
 */
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/parallel.h"
#include "base/rounding.h"
#include "fft/fft.h"

typedef vec_real real;

#define FFT_INLINE static inline __attribute__((always_inline))

#include "fft/fft_codelets.h"
#include "fft/fft_pass.h"

/* Padding between the two halves of a split buffer, so that they do not fall into the same cache sets. */
enum { GAP = 192 / sizeof(real) };

static size_t half_numbers(size_t points) /* numbers in one half of a split buffer */
{
    return (points + 63) / 64 * 64 + GAP;
}

/* run passes from first to before last, between the halves of two buffers; *x is where the result is */
static void passes(const struct fft_kernel *k, unsigned first, unsigned last, real **x, real **y, size_t half)
{
    for (unsigned i = first; i < last; i++) {
        real *t = *x;
        pass(&k->pass[i], *y, *y + half, t, t + half);
        *x = *y;
        *y = t;
    }
}

/* convert count pairs to split halves and back; the parts are swapped if swap is set */
static void split(real *re, real *im, const real *x, size_t count, bool swap)
{
    real *a = swap ? im : re, *b = swap ? re : im;
    const size_t whole = count / VEC_WIDTH * VEC_WIDTH;
    for (size_t i = 0; i < whole; i += VEC_WIDTH) {
        vec u, v;
        vec_load_pairs(x + 2 * i, &u, &v);
        vec_storeu(a + i, u);
        vec_storeu(b + i, v);
    }
    for (size_t i = whole; i < count; i++) {
        a[i] = x[2 * i];
        b[i] = x[2 * i + 1];
    }
}

static void join(real *y, const real *re, const real *im, size_t count, bool swap, real scale)
{
    const real *a = swap ? im : re, *b = swap ? re : im;
    const size_t whole = count / VEC_WIDTH * VEC_WIDTH;
    for (size_t i = 0; i < whole; i += VEC_WIDTH)
        vec_store_pairs(y + 2 * i, vec_loadu(a + i) * scale, vec_loadu(b + i) * scale);
    for (size_t i = whole; i < count; i++) {
        y[2 * i] = a[i] * scale;
        y[2 * i + 1] = b[i] * scale;
    }
}

static void direct(const struct fft_complex *t, real *out, const real *in, bool backward, real scale, void *work)
{
    const struct fft_kernel *k = &t->kernel;
    const size_t half = half_numbers(t->n);
    real *x = work, *y = x + 2 * half;
    unsigned first = 0, last = k->n_passes;
    const struct fft_pass *p0 = &k->pass[0], *pl = &k->pass[last > 0 ? last - 1 : 0];
    if (last > 1 && p0->columns != NULL && p0->radix == 8 && p0->m >= LANES_FIRST8) {
        first8(p0, x, x + half, in, backward);
        first = 1;
#if VEC_WIDTH == 4 || VEC_WIDTH == 8
    } else if (last > 1 && p0->columns != NULL && p0->radix == 4 && p0->m >= 4) {
        first4(p0, x, x + half, in, backward);
        first = 1;
#endif
    } else if (last > 1 && p0->columns != NULL && p0->radix % 2 && p0->m >= VEC_WIDTH) {
        first_odd(p0, x, x + half, in, backward);
        first = 1;
    } else {
        split(x, x + half, in, t->n, backward);
    }
    const bool interleaved = last > first && pl->s >= VEC_WIDTH && (pl->radix == 8 || pl->radix == 4);
    passes(k, first, last - interleaved, &x, &y, half);
    if (!interleaved)
        join(out, x, x + half, t->n, backward, scale);
    else if (pl->radix == 8)
        last8(pl, out, x, x + half, scale, backward);
    else
        last4(pl, out, x, x + half, scale, backward);
}

#include "fft/fft_block.h"
#include "fft/fft_steps.h"

static void complex_run(const struct fft_complex *t, void *out, const void *in, bool backward, double scale, void *work,
                        unsigned threads);

/* x = x y, or x conj y, on complex numbers */
static void multiply(void *to, const void *by, size_t count, bool conjugate)
{
    real *x = to;
    const real *y = by;
    const size_t whole = count / VEC_WIDTH * VEC_WIDTH;
    for (size_t j = 0; j < whole; j += VEC_WIDTH) {
        vec u, v, c, s;
        vec_load_pairs(x + 2 * j, &u, &v);
        vec_load_pairs(y + 2 * j, &c, &s);
        s = conjugate ? -s : s;
        vec_store_pairs(x + 2 * j, vec_fms(u, c, v * s), vec_fma(u, s, v * c));
    }
    for (size_t j = whole; j < count; j++) {
        const real u = x[2 * j], v = x[2 * j + 1], c = y[2 * j], s = conjugate ? -y[2 * j + 1] : y[2 * j + 1];
        x[2 * j] = u * c - v * s;
        x[2 * j + 1] = u * s + v * c;
    }
}

/* Bluestein: a_j w_j, w_j = e(-j^2 / 2n), convolved with conj w, times w; backwards the parts are swapped. */
static void bluestein(const struct fft_complex *t, real *out, const real *in, bool backward, real scale, void *work,
                      unsigned threads)
{
    const size_t n = t->n, m = t->inner->n;
    const real *w = t->chirp;
    const unsigned re = backward, im = !backward;
    real *x = work;
    void *rest = (char *)work + (2 * m * sizeof(real) + 63) / 64 * 64;
    for (size_t j = 0; j < n; j++) {
        real c = w[2 * j], s = w[2 * j + 1], u = in[2 * j + re], v = in[2 * j + im];
        x[2 * j] = u * c - v * s;
        x[2 * j + 1] = u * s + v * c;
    }
    memset(x + 2 * n, 0, 2 * (m - n) * sizeof(real));
    complex_run(t->inner, x, x, false, 1, rest, threads);
    multiply(x, t->chirp_spectrum, m, false);
    complex_run(t->inner, x, x, true, 1, rest, threads);
    for (size_t j = 0; j < n; j++) {
        real c = w[2 * j], s = w[2 * j + 1], u = x[2 * j], v = x[2 * j + 1];
        out[2 * j + re] = (u * c - v * s) * scale;
        out[2 * j + im] = (u * s + v * c) * scale;
    }
}

/* Rader: X_k for k = g^-p is x_0 plus the convolution of x_j, j = g^q, with e(-g^-r / n); x_0 enters as its coefficient 0. */
static void rader(const struct fft_complex *t, real *out, const real *in, bool backward, real scale, void *work, unsigned threads)
{
    const size_t m = t->inner->n;
    const uint32_t *powers = t->powers;
    const unsigned re = backward, im = !backward;
    const real x0 = in[re], y0 = in[im];
    real *x = work;
    void *rest = (char *)work + (2 * m * sizeof(real) + 63) / 64 * 64;
    for (size_t q = 0; q < m; q++) {
        x[2 * q] = in[2 * (size_t)powers[q] + re];
        x[2 * q + 1] = in[2 * (size_t)powers[q] + im];
    }
    complex_run(t->inner, x, x, false, 1, rest, threads);
    const real sum_re = x0 + x[0], sum_im = y0 + x[1];
    multiply(x, t->chirp_spectrum, m, false);
    x[0] += x0;
    x[1] += y0;
    complex_run(t->inner, x, x, true, 1, rest, threads);
    out[re] = sum_re * scale;
    out[im] = sum_im * scale;
    for (size_t p = 0; p < m; p++) {
        size_t k = powers[p == 0 ? 0 : m - p];
        out[2 * k + re] = x[2 * p] * scale;
        out[2 * k + im] = x[2 * p + 1] * scale;
    }
}

static void complex_run(const struct fft_complex *t, void *out, const void *in, bool backward, double scale, void *work,
                        unsigned threads)
{
    if (t->method == FFT_DIRECT)
        direct(t, out, in, backward, (real)scale, work);
    else if (t->method == FFT_FOUR_STEPS)
        four_steps(t, out, in, backward, (real)scale, work, threads);
    else if (t->method == FFT_RADER)
        rader(t, out, in, backward, (real)scale, work, threads);
    else
        bluestein(t, out, in, backward, (real)scale, work, threads);
}

/* e(-k/n) for VEC_WIDTH successive k, the first being a multiple of that, h = n/2; see fft.h */
FFT_INLINE void real_roots(vec *c, vec *s, const real *roots, size_t h, size_t k)
{
    vec_load_pairs(roots + 2 * (k % FFT_REAL_LOW), c, s);
    if (h / 2 < FFT_REAL_LOW)
        return;
    const real *high = roots + 2 * (FFT_REAL_LOW + k / FFT_REAL_LOW);
    const vec u = vec_set1(high[0]), v = vec_set1(high[1]), t = *c;
    *c = vec_fms(t, u, *s * v);
    *s = vec_fma(t, v, *s * u);
}

static void real_root(real w[2], const real *roots, size_t h, size_t k)
{
    const real *low = roots + 2 * (k % FFT_REAL_LOW), *high = roots + 2 * (FFT_REAL_LOW + k / FFT_REAL_LOW);
    const bool one = h / 2 < FFT_REAL_LOW;
    w[0] = one ? low[0] : low[0] * high[0] - low[1] * high[1];
    w[1] = one ? low[1] : low[0] * high[1] + low[1] * high[0];
}

/* X_k = (Z_k + conj Z_(h-k)) / 2 - i e(-k/n) (Z_k - conj Z_(h-k)) / 2, k = 0 .. h; X_(h-k) is the conjugate of the other sum. */
static void real_split(size_t h, const void *roots, void *z)
{
    real *x = z, r0 = x[0], i0 = x[1];
    x[0] = r0 + i0;
    x[1] = 0;
    for (size_t k = 1; 2 * k <= h; k++) {
        if (k % VEC_WIDTH == 0 && 2 * (k + VEC_WIDTH) <= h + 1) { /* both runs, which have no place in common */
            real *a = x + 2 * k, *b = x + 2 * (h - k - VEC_WIDTH + 1);
            const vec half = vec_set1((real)0.5);
            vec ar, ai, br, bi, c, s;
            real_roots(&c, &s, roots, h, k);
            vec_load_pairs(a, &ar, &ai);
            vec_load_pairs(b, &br, &bi);
            br = vec_back(br);
            bi = vec_back(bi);
            vec sr = (ar + br) * half, si = (ai - bi) * half, dr = (ar - br) * half, di = (ai + bi) * half;
            vec tr = vec_fma(di, c, dr * s), ti = vec_fms(di, s, dr * c);
            vec_store_pairs(a, sr + tr, si + ti);
            vec_store_pairs(b, vec_back(sr - tr), vec_back(ti - si));
            k += VEC_WIDTH - 1;
            continue;
        }
        real *a = x + 2 * k, *b = x + 2 * (h - k), w[2];
        real_root(w, roots, h, k);
        real sr = (a[0] + b[0]) / 2, si = (a[1] - b[1]) / 2, dr = (a[0] - b[0]) / 2, di = (a[1] + b[1]) / 2;
        real tr = di * w[0] + dr * w[1], ti = di * w[1] - dr * w[0]; /* -i w (dr + i di) */
        a[0] = sr + tr;
        a[1] = si + ti;
        b[0] = sr - tr;
        b[1] = ti - si;
    }
    x[2 * h] = r0 - i0;
    x[2 * h + 1] = 0;
}

/* Z_k = (X_k + conj X_(h-k)) + i e(k/n) (X_k - conj X_(h-k)); the imaginary parts of X_0 and X_h are not used. */
static void real_join(size_t h, const void *roots, void *z, const void *x)
{
    const real *in = x;
    real *y = z, x0 = in[0], xh = in[2 * h];
    for (size_t k = 1; 2 * k <= h; k++) {
        if (k % VEC_WIDTH == 0 && 2 * (k + VEC_WIDTH) <= h + 1) {
            const size_t a = 2 * k, b = 2 * (h - k - VEC_WIDTH + 1);
            vec ar, ai, br, bi, c, s;
            real_roots(&c, &s, roots, h, k);
            vec_load_pairs(in + a, &ar, &ai);
            vec_load_pairs(in + b, &br, &bi);
            br = vec_back(br);
            bi = vec_back(bi);
            vec sr = ar + br, si = ai - bi, dr = ar - br, di = ai + bi;
            vec tr = vec_fms(dr, s, di * c), ti = vec_fma(dr, c, di * s);
            vec_store_pairs(y + a, sr + tr, si + ti);
            vec_store_pairs(y + b, vec_back(sr - tr), vec_back(ti - si));
            k += VEC_WIDTH - 1;
            continue;
        }
        const real *a = in + 2 * k, *b = in + 2 * (h - k);
        real w[2];
        real_root(w, roots, h, k);
        real sr = a[0] + b[0], si = a[1] - b[1], dr = a[0] - b[0], di = a[1] + b[1];
        real tr = dr * w[1] - di * w[0], ti = dr * w[0] + di * w[1]; /* i conj w (dr + i di) */
        real *ya = y + 2 * k, *yb = y + 2 * (h - k);
        ya[0] = sr + tr;
        ya[1] = si + ti;
        yb[0] = sr - tr;
        yb[1] = ti - si;
    }
    y[0] = x0 + xh;
    y[1] = x0 - xh;
}
