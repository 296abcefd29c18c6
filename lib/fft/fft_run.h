/*
 * fft_run.h - transforms made of passes, in one precision and for one instruction set; included by fft_isa.h.
 */
#undef FFT_WIDTH
#define FFT_WIDTH (FFT_BYTES / FFT_REAL_BYTES)

/* Vectors of a register, of half a register, and single numbers. */
#undef FFT_LANES_HERE
#define FFT_LANES_HERE 1
#include "fft/fft_pass.h"
#if FFT_BYTES == 64 && FFT_REAL_BYTES == 4
#undef FFT_LANES_HERE
#define FFT_LANES_HERE 16
#include "fft/fft_pass.h"
#endif
#if FFT_BYTES / FFT_REAL_BYTES == 16 || FFT_BYTES / FFT_REAL_BYTES == 8
#undef FFT_LANES_HERE
#define FFT_LANES_HERE 8
#include "fft/fft_pass.h"
#endif
#if FFT_BYTES / FFT_REAL_BYTES == 8 || FFT_BYTES / FFT_REAL_BYTES == 4
#undef FFT_LANES_HERE
#define FFT_LANES_HERE 4
#include "fft/fft_pass.h"
#endif
#if FFT_BYTES / FFT_REAL_BYTES == 4 || FFT_BYTES / FFT_REAL_BYTES == 2
#undef FFT_LANES_HERE
#define FFT_LANES_HERE 2
#include "fft/fft_pass.h"
#endif

#undef F
#undef W
#undef R
#define R          FFT_REAL
#define F(stem)    FFT_PASTE4(fft_, stem, FFT_REAL_TAG, FFT_ISA)
#define W(stem, n) FFT_PASTE5(fft_, stem, FFT_REAL_TAG, n, FFT_ISA)
#undef FFT_VEC
#if FFT_BYTES / FFT_REAL_BYTES == 16
#define FFT_VEC 16
#elif FFT_BYTES / FFT_REAL_BYTES == 8
#define FFT_VEC 8
#elif FFT_BYTES / FFT_REAL_BYTES == 4
#define FFT_VEC 4
#elif FFT_BYTES / FFT_REAL_BYTES == 2
#define FFT_VEC 2
#else
#define FFT_VEC 1
#endif
#undef FFT_VEC8
#if FFT_VEC > 8
#define FFT_VEC8 8
#else
#define FFT_VEC8 FFT_VEC
#endif

/* Room between the two halves of a split buffer, so that they do not fall into the same cache sets. */
#undef FFT_GAP
#define FFT_GAP (192 / sizeof(R))

static size_t F(half)(size_t points) /* numbers in one half of a split buffer */
{
    return (points + 63) / 64 * 64 + FFT_GAP;
}

static void F(pass_any)(const struct fft_pass *ps, R *yr, R *yi, const R *xr, const R *xi)
{
    if (ps->s >= FFT_VEC)
        W(pass, FFT_VEC)(ps, yr, yi, xr, xi);
#if FFT_VEC >= 16
    else if (ps->s >= 8)
        W(pass, 8)(ps, yr, yi, xr, xi);
#elif FFT_VEC >= 8
    else if (ps->s >= 4)
        W(pass, 4)(ps, yr, yi, xr, xi);
#elif FFT_VEC >= 4
    else if (ps->s >= 2)
        W(pass, 2)(ps, yr, yi, xr, xi);
#endif
    else
        W(pass, 1)(ps, yr, yi, xr, xi);
}

/* passes from first to before last, between the halves of two buffers; the result's place is returned in *x */
static void F(passes)(const struct fft_kernel *k, unsigned first, unsigned last, R **x, R **y, size_t half)
{
    for (unsigned i = first; i < last; i++) {
        R *t = *x;
        F(pass_any)(&k->pass[i], *y, *y + half, t, t + half);
        *x = *y;
        *y = t;
    }
}

/* count pairs to split halves and back; the parts are exchanged where swap */
static void F(split)(R *re, R *im, const R *x, size_t count, bool swap)
{
    R *a = swap ? im : re, *b = swap ? re : im;
    const size_t whole = count / FFT_VEC * FFT_VEC;
    for (size_t i = 0; i < whole; i += FFT_VEC) {
        W(vector, FFT_VEC) u, v;
        W(load_pairs, FFT_VEC)(x + 2 * i, &u, &v);
        W(store, FFT_VEC)(a + i, u);
        W(store, FFT_VEC)(b + i, v);
    }
    for (size_t i = whole; i < count; i++) {
        a[i] = x[2 * i];
        b[i] = x[2 * i + 1];
    }
}

static void F(join)(R *y, const R *re, const R *im, size_t count, bool swap, R scale)
{
    const R *a = swap ? im : re, *b = swap ? re : im;
    const size_t whole = count / FFT_VEC * FFT_VEC;
    for (size_t i = 0; i < whole; i += FFT_VEC)
        W(store_pairs, FFT_VEC)(y + 2 * i, W(load, FFT_VEC)(a + i) * scale, W(load, FFT_VEC)(b + i) * scale);
    for (size_t i = whole; i < count; i++) {
        y[2 * i] = a[i] * scale;
        y[2 * i + 1] = b[i] * scale;
    }
}

static void F(direct)(const struct fft_complex *t, R *out, const R *in, bool backward, R scale, void *work)
{
    const struct fft_kernel *k = &t->kernel;
    const size_t half = F(half)(t->n);
    R *x = work, *y = x + 2 * half;
    unsigned first = 0, last = k->n_passes;
    const struct fft_pass *p0 = &k->pass[0], *pl = &k->pass[last > 0 ? last - 1 : 0];
    if (last > 1 && p0->columns != NULL && p0->radix == 8 && p0->m >= FFT_VEC8) {
        W(first8, FFT_VEC8)(p0, x, x + half, in, backward);
        first = 1;
#if FFT_VEC == 4 || FFT_VEC == 8
    } else if (last > 1 && p0->columns != NULL && p0->radix == 4 && p0->m >= 4) {
        W(first4, 4)(p0, x, x + half, in, backward);
        first = 1;
#endif
    } else {
        F(split)(x, x + half, in, t->n, backward);
    }
    bool interleaved = last > first && pl->s >= FFT_VEC && (pl->radix == 8 || pl->radix == 4);
    F(passes)(k, first, last - interleaved, &x, &y, half);
    if (!interleaved)
        F(join)(out, x, x + half, t->n, backward, scale);
    else if (pl->radix == 8)
        W(last8, FFT_VEC)(pl, out, x, x + half, scale, backward);
    else
        W(last4, FFT_VEC)(pl, out, x, x + half, scale, backward);
}

#include "fft/fft_block.h"

static void F(complex_run)(const struct fft_complex *t, void *out, const void *in, bool backward, double scale, void *work,
                           unsigned threads);

/* x = x y, or x conj y, on complex numbers */
static void F(multiply)(void *to, const void *by, size_t count, bool conjugate)
{
    R *x = to;
    const R *y = by;
    const size_t whole = count / FFT_VEC * FFT_VEC;
    for (size_t j = 0; j < whole; j += FFT_VEC) {
        W(vector, FFT_VEC) u, v, c, s;
        W(load_pairs, FFT_VEC)(x + 2 * j, &u, &v);
        W(load_pairs, FFT_VEC)(y + 2 * j, &c, &s);
        s = conjugate ? -s : s;
        W(store_pairs, FFT_VEC)(x + 2 * j, W(fms, FFT_VEC)(u, c, v * s), W(fma, FFT_VEC)(u, s, v * c));
    }
    for (size_t j = whole; j < count; j++) {
        const R u = x[2 * j], v = x[2 * j + 1], c = y[2 * j], s = conjugate ? -y[2 * j + 1] : y[2 * j + 1];
        x[2 * j] = u * c - v * s;
        x[2 * j + 1] = u * s + v * c;
    }
}

/* a_j w_j, w_j = e(-j^2 / 2n), convolved with conj w, times w; backwards with the parts exchanged. */
static void F(bluestein)(const struct fft_complex *t, R *out, const R *in, bool backward, R scale, void *work, unsigned threads)
{
    const size_t n = t->n, m = t->inner->n;
    const R *w = t->chirp;
    const unsigned re = backward, im = !backward;
    R *x = work;
    void *rest = (char *)work + (2 * m * sizeof(R) + 63) / 64 * 64;
    for (size_t j = 0; j < n; j++) {
        R c = w[2 * j], s = w[2 * j + 1], u = in[2 * j + re], v = in[2 * j + im];
        x[2 * j] = u * c - v * s;
        x[2 * j + 1] = u * s + v * c;
    }
    memset(x + 2 * n, 0, 2 * (m - n) * sizeof(R));
    F(complex_run)(t->inner, x, x, false, 1, rest, threads);
    F(multiply)(x, t->chirp_spectrum, m, false);
    F(complex_run)(t->inner, x, x, true, 1, rest, threads);
    for (size_t j = 0; j < n; j++) {
        R c = w[2 * j], s = w[2 * j + 1], u = x[2 * j], v = x[2 * j + 1];
        out[2 * j + re] = (u * c - v * s) * scale;
        out[2 * j + im] = (u * s + v * c) * scale;
    }
}

/* X_k for k = g^-p is x_0 plus the convolution of x_j, j = g^q, with e(-g^-r / n); x_0 comes in as its coefficient 0. */
static void F(rader)(const struct fft_complex *t, R *out, const R *in, bool backward, R scale, void *work, unsigned threads)
{
    const size_t m = t->inner->n;
    const uint32_t *powers = t->powers;
    const unsigned re = backward, im = !backward;
    const R x0 = in[re], y0 = in[im];
    R *x = work;
    void *rest = (char *)work + (2 * m * sizeof(R) + 63) / 64 * 64;
    for (size_t q = 0; q < m; q++) {
        x[2 * q] = in[2 * (size_t)powers[q] + re];
        x[2 * q + 1] = in[2 * (size_t)powers[q] + im];
    }
    F(complex_run)(t->inner, x, x, false, 1, rest, threads);
    const R sum_re = x0 + x[0], sum_im = y0 + x[1];
    F(multiply)(x, t->chirp_spectrum, m, false);
    x[0] += x0;
    x[1] += y0;
    F(complex_run)(t->inner, x, x, true, 1, rest, threads);
    out[re] = sum_re * scale;
    out[im] = sum_im * scale;
    for (size_t p = 0; p < m; p++) {
        size_t k = powers[p == 0 ? 0 : m - p];
        out[2 * k + re] = x[2 * p] * scale;
        out[2 * k + im] = x[2 * p + 1] * scale;
    }
}

static void F(complex_run)(const struct fft_complex *t, void *out, const void *in, bool backward, double scale, void *work,
                           unsigned threads)
{
    if (t->method == FFT_DIRECT)
        F(direct)(t, out, in, backward, (R)scale, work);
    else if (t->method == FFT_FOUR_STEPS)
        F(four_steps)(t, out, in, backward, (R)scale, work, threads);
    else if (t->method == FFT_RADER)
        F(rader)(t, out, in, backward, (R)scale, work, threads);
    else
        F(bluestein)(t, out, in, backward, (R)scale, work, threads);
}

#undef V
#define V W(vector, FFT_VEC)

/* e(-k/n) for FFT_VEC values of k from a multiple of that on, h = n/2; see fft.h */
FFT_INLINE void F(real_roots)(V *c, V *s, const R *roots, size_t h, size_t k)
{
    W(load_pairs, FFT_VEC)(roots + 2 * (k % FFT_REAL_LOW), c, s);
    if (h / 2 < FFT_REAL_LOW)
        return;
    const R *high = roots + 2 * (FFT_REAL_LOW + k / FFT_REAL_LOW);
    const V u = W(set1, FFT_VEC)(high[0]), v = W(set1, FFT_VEC)(high[1]), t = *c;
    *c = W(fms, FFT_VEC)(t, u, *s * v);
    *s = W(fma, FFT_VEC)(t, v, *s * u);
}

static void F(real_root)(R w[2], const R *roots, size_t h, size_t k)
{
    const R *low = roots + 2 * (k % FFT_REAL_LOW), *high = roots + 2 * (FFT_REAL_LOW + k / FFT_REAL_LOW);
    const bool one = h / 2 < FFT_REAL_LOW;
    w[0] = one ? low[0] : low[0] * high[0] - low[1] * high[1];
    w[1] = one ? low[1] : low[0] * high[1] + low[1] * high[0];
}

/* X_k = (Z_k + conj Z_(h-k)) / 2 - i e(-k/n) (Z_k - conj Z_(h-k)) / 2, k = 0 .. h; X_(h-k) is the conjugate of the other sum. */
static void F(real_split)(size_t h, const void *roots, void *z)
{
    R *x = z, r0 = x[0], i0 = x[1];
    x[0] = r0 + i0;
    x[1] = 0;
    for (size_t k = 1; 2 * k <= h; k++) {
        if (k % FFT_VEC == 0 && 2 * (k + FFT_VEC) <= h + 1) { /* both runs, without a common place */
            R *a = x + 2 * k, *b = x + 2 * (h - k - FFT_VEC + 1);
            const V half = W(set1, FFT_VEC)((R)0.5);
            V ar, ai, br, bi, c, s;
            F(real_roots)(&c, &s, roots, h, k);
            W(load_pairs, FFT_VEC)(a, &ar, &ai);
            W(load_pairs, FFT_VEC)(b, &br, &bi);
            br = W(back, FFT_VEC)(br);
            bi = W(back, FFT_VEC)(bi);
            V sr = (ar + br) * half, si = (ai - bi) * half, dr = (ar - br) * half, di = (ai + bi) * half;
            V tr = W(fma, FFT_VEC)(di, c, dr * s), ti = W(fms, FFT_VEC)(di, s, dr * c);
            W(store_pairs, FFT_VEC)(a, sr + tr, si + ti);
            W(store_pairs, FFT_VEC)(b, W(back, FFT_VEC)(sr - tr), W(back, FFT_VEC)(ti - si));
            k += FFT_VEC - 1;
            continue;
        }
        R *a = x + 2 * k, *b = x + 2 * (h - k), w[2];
        F(real_root)(w, roots, h, k);
        R sr = (a[0] + b[0]) / 2, si = (a[1] - b[1]) / 2, dr = (a[0] - b[0]) / 2, di = (a[1] + b[1]) / 2;
        R tr = di * w[0] + dr * w[1], ti = di * w[1] - dr * w[0]; /* -i w (dr + i di) */
        a[0] = sr + tr;
        a[1] = si + ti;
        b[0] = sr - tr;
        b[1] = ti - si;
    }
    x[2 * h] = r0 - i0;
    x[2 * h + 1] = 0;
}

/* Z_k = (X_k + conj X_(h-k)) + i e(k/n) (X_k - conj X_(h-k)); the imaginary parts of X_0 and X_h are not used. */
static void F(real_join)(size_t h, const void *roots, void *z, const void *x)
{
    const R *in = x;
    R *y = z, x0 = in[0], xh = in[2 * h];
    for (size_t k = 1; 2 * k <= h; k++) {
        if (k % FFT_VEC == 0 && 2 * (k + FFT_VEC) <= h + 1) {
            const size_t a = 2 * k, b = 2 * (h - k - FFT_VEC + 1);
            V ar, ai, br, bi, c, s;
            F(real_roots)(&c, &s, roots, h, k);
            W(load_pairs, FFT_VEC)(in + a, &ar, &ai);
            W(load_pairs, FFT_VEC)(in + b, &br, &bi);
            br = W(back, FFT_VEC)(br);
            bi = W(back, FFT_VEC)(bi);
            V sr = ar + br, si = ai - bi, dr = ar - br, di = ai + bi;
            V tr = W(fms, FFT_VEC)(dr, s, di * c), ti = W(fma, FFT_VEC)(dr, c, di * s);
            W(store_pairs, FFT_VEC)(y + a, sr + tr, si + ti);
            W(store_pairs, FFT_VEC)(y + b, W(back, FFT_VEC)(sr - tr), W(back, FFT_VEC)(ti - si));
            k += FFT_VEC - 1;
            continue;
        }
        const R *a = in + 2 * k, *b = in + 2 * (h - k);
        R w[2];
        F(real_root)(w, roots, h, k);
        R sr = a[0] + b[0], si = a[1] - b[1], dr = a[0] - b[0], di = a[1] + b[1];
        R tr = dr * w[1] - di * w[0], ti = dr * w[0] + di * w[1]; /* i conj w (dr + i di) */
        R *ya = y + 2 * k, *yb = y + 2 * (h - k);
        ya[0] = sr + tr;
        ya[1] = si + ti;
        yb[0] = sr - tr;
        yb[1] = ti - si;
    }
    y[0] = x0 + xh;
    y[1] = x0 - xh;
}
#undef V

static const struct fft_ops F(ops) = {F(complex_run), F(real_split), F(real_join), F(multiply), sizeof(R)};
