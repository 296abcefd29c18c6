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
    const struct fft_kernel *k = &t->a;
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

/*
 * Four steps: j = n2 j1 + j2, k = k1 + n1 k2.  Columns j2 are transformed over j1, FFT_LANES at a time, multiplied by e(-j2 k1/n)
 * and left in the split buffer c at row k1; rows k1, as many at a time, are transformed over j2 and stored at k1 + n1 k2.
 * The last group of lanes overlaps the one before.
 */
static void F(columns)(const struct fft_complex *t, R *cr, R *ci, const R *in, bool backward, size_t j2, void *work)
{
    enum { L = FFT_LANES };
    const size_t n1 = t->a.n, n2 = t->b.n, half = F(half)(n1 * L), mask = ((size_t)1 << t->root_bits) - 1;
    const R *low = t->low, *high = t->high, *lane = t->lane_roots;
    R *x = work, *y = x + 2 * half;
    for (size_t j = 0; j < n1; j++)
        F(split)(x + L * j, x + half + L * j, in + 2 * (j * n2 + j2), L, backward);
    F(passes)(&t->a, 0, t->a.n_passes, &x, &y, half);
    for (size_t k = 0; k < n1; k++) {
        size_t e = k * j2; /* < n */
        R ar = high[2 * (e >> t->root_bits)], ai = high[2 * (e >> t->root_bits) + 1];
        R br = low[2 * (e & mask)], bi = low[2 * (e & mask) + 1], wr = ar * br - ai * bi, wi = ar * bi + ai * br;
        const R *lr = lane + 2 * L * k, *li = lr + L, *xr = x + L * k, *xi = x + half + L * k;
        for (unsigned l = 0; l < L; l += FFT_VEC) {
            W(vector, FFT_VEC)
            c = W(load, FFT_VEC)(lr + l),
            s = W(load, FFT_VEC)(li + l), u = c * wr - s * wi, v = c * wi + s * wr;
            W(vector, FFT_VEC) p = W(load, FFT_VEC)(xr + l), q = W(load, FFT_VEC)(xi + l);
            W(store, FFT_VEC)(cr + k * n2 + j2 + l, p * u - q * v);
            W(store, FFT_VEC)(ci + k * n2 + j2 + l, p * v + q * u);
        }
    }
}

static void F(rows)(const struct fft_complex *t, R *out, const R *cr, const R *ci, bool backward, R scale, size_t k1, void *work)
{
    enum { L = FFT_LANES };
    const size_t n1 = t->a.n, n2 = t->b.n, half = F(half)(n2 * L);
    R *x = work, *y = x + 2 * half;
    size_t j = 0;
    for (unsigned part = 0; part < 2; part++) { /* squares of FFT_VEC transposed; then what is left */
        const R *c = (part ? ci : cr) + k1 * n2;
        R *z = x + part * half;
        for (j = 0; j + FFT_VEC <= n2; j += FFT_VEC)
            for (unsigned l = 0; l < L; l += FFT_VEC) {
                W(vector, FFT_VEC) a[FFT_VEC];
#pragma GCC unroll 16
                for (unsigned i = 0; i < FFT_VEC; i++)
                    a[i] = W(load, FFT_VEC)(c + (l + i) * n2 + j);
                W(transpose, FFT_VEC)(a);
#pragma GCC unroll 16
                for (unsigned i = 0; i < FFT_VEC; i++)
                    W(store, FFT_VEC)(z + L * (j + i) + l, a[i]);
            }
        for (; j < n2; j++)
            for (unsigned l = 0; l < L; l++)
                z[L * j + l] = c[l * n2 + j];
    }
    F(passes)(&t->b, 0, t->b.n_passes, &x, &y, half);
    for (j = 0; j < n2; j++)
        F(join)(out + 2 * (k1 + n1 * j), x + L * j, x + half + L * j, L, backward, scale);
}

static void F(four_steps)(const struct fft_complex *t, R *out, const R *in, bool backward, R scale, void *work, unsigned threads)
{
    enum { L = FFT_LANES };
    const size_t n1 = t->a.n, n2 = t->b.n, half = F(half)(t->n);
    R *cr = work, *ci = cr + half;
    char *own = (char *)work + t->work_bytes;
    (void)threads;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        char *mine = own;
#ifdef _OPENMP
        mine += (size_t)omp_get_thread_num() * t->thread_bytes;
#endif
#pragma omp for schedule(static)
        for (size_t g = 0; g < (n2 + L - 1) / L; g++)
            F(columns)(t, cr, ci, in, backward, g * L + L <= n2 ? g * L : n2 - L, mine);
#pragma omp for schedule(static)
        for (size_t g = 0; g < (n1 + L - 1) / L; g++)
            F(rows)(t, out, cr, ci, backward, scale, g * L + L <= n1 ? g * L : n1 - L, mine);
    }
}

static void F(complex_run)(const struct fft_complex *t, void *out, const void *in, bool backward, double scale, void *work,
                           unsigned threads);

/* a_j w_j, w_j = e(-j^2 / 2n), convolved with conj w, times w; backwards with the parts exchanged. */
static void F(bluestein)(const struct fft_complex *t, R *out, const R *in, bool backward, R scale, void *work, unsigned threads)
{
    const size_t n = t->n, m = t->inner->n;
    const R *w = t->chirp, *b = t->chirp_spectrum;
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
    for (size_t j = 0; j < m; j++) {
        R u = x[2 * j], v = x[2 * j + 1];
        x[2 * j] = u * b[2 * j] - v * b[2 * j + 1];
        x[2 * j + 1] = u * b[2 * j + 1] + v * b[2 * j];
    }
    F(complex_run)(t->inner, x, x, true, 1, rest, threads);
    for (size_t j = 0; j < n; j++) {
        R c = w[2 * j], s = w[2 * j + 1], u = x[2 * j], v = x[2 * j + 1];
        out[2 * j + re] = (u * c - v * s) * scale;
        out[2 * j + im] = (u * s + v * c) * scale;
    }
}

static void F(complex_run)(const struct fft_complex *t, void *out, const void *in, bool backward, double scale, void *work,
                           unsigned threads)
{
    if (t->method == FFT_DIRECT)
        F(direct)(t, out, in, backward, (R)scale, work);
    else if (t->method == FFT_FOUR_STEPS)
        F(four_steps)(t, out, in, backward, (R)scale, work, threads);
    else
        F(bluestein)(t, out, in, backward, (R)scale, work, threads);
}

/* X_k = (Z_k + conj Z_(h-k)) / 2 - i e(-k/n) (Z_k - conj Z_(h-k)) / 2, k = 0 .. h; X_(h-k) is the conjugate of the other sum. */
static void F(real_split)(size_t h, const void *roots, void *z)
{
    const R *w = roots;
    R *x = z, r0 = x[0], i0 = x[1];
    x[0] = r0 + i0;
    x[1] = 0;
    for (size_t k = 1; 2 * k <= h; k++) {
        R *a = x + 2 * k, *b = x + 2 * (h - k), c = w[2 * k], s = w[2 * k + 1];
        R sr = (a[0] + b[0]) / 2, si = (a[1] - b[1]) / 2, dr = (a[0] - b[0]) / 2, di = (a[1] + b[1]) / 2;
        R tr = di * c + dr * s, ti = di * s - dr * c; /* -i (c + i s) (dr + i di) */
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
    const R *w = roots, *in = x;
    R *y = z, x0 = in[0], xh = in[2 * h];
    for (size_t k = 1; 2 * k <= h; k++) {
        const R *a = in + 2 * k, *b = in + 2 * (h - k), c = w[2 * k], s = w[2 * k + 1];
        R sr = a[0] + b[0], si = a[1] - b[1], dr = a[0] - b[0], di = a[1] + b[1];
        R tr = dr * s - di * c, ti = dr * c + di * s; /* i (c - i s) (dr + i di) */
        R *ya = y + 2 * k, *yb = y + 2 * (h - k);
        ya[0] = sr + tr;
        ya[1] = si + ti;
        yb[0] = sr - tr;
        yb[1] = ti - si;
    }
    y[0] = x0 + xh;
    y[1] = x0 - xh;
}

static const struct fft_ops F(ops) = {F(complex_run), F(real_split), F(real_join), sizeof(R)};
