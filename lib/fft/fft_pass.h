/*
 * fft_pass.h - the passes of a smooth kernel; included by fft_run.h after fft_codelets.h.
 *
 * Runs shorter than a vector are processed by half vectors or one by one, in the lower lanes.  A run that is no multiple of the
 * vector ends in a vector that overlaps the one before.  Passes are out of place, so writing a value twice does no harm.
 *
 * Callers of functions that are always inlined pass constants as radix and lanes.
 */

/* DFT of this many points, in place, forwards. */
FFT_INLINE void dft(unsigned radix, vec *xr, vec *xi)
{
    switch (radix) {
    case 2:
        dft2(xr, xi);
        break;
    case 3:
        dft3(xr, xi);
        break;
    case 4:
        dft4(xr, xi);
        break;
    case 5:
        dft5(xr, xi);
        break;
    case 7:
        dft7(xr, xi);
        break;
    default:
        dft8(xr, xi);
    }
}

/* The halves of both buffers at the start of a butterfly; distances of its outputs, and of its inputs. */
struct pass_place {
    real *restrict yr, *restrict yi;
    const real *restrict xr, *restrict xi;
    size_t y_step, x_step;
};

/* One butterfly: q fixed.  w: cosines and sines, broadcast; NULL for none. */
FFT_INLINE void pass_point(unsigned radix, unsigned lanes, struct pass_place at, const real *w)
{
    vec ar[8], ai[8];
#pragma GCC unroll 8
    for (unsigned j = 0; j < radix; j++) {
        ar[j] = vec_load_lanes(at.xr + at.x_step * j, lanes);
        ai[j] = vec_load_lanes(at.xi + at.x_step * j, lanes);
    }
    dft(radix, ar, ai);
    vec_store_lanes(at.yr, ar[0], lanes);
    vec_store_lanes(at.yi, ai[0], lanes);
#pragma GCC unroll 8
    for (unsigned k = 1; k < radix; k++) {
        vec tr = ar[k], ti = ai[k];
        if (w != NULL) {
            const vec c = vec_set1(w[2 * k - 2]), d = vec_set1(w[2 * k - 1]);
            tr = vec_fms(ar[k], c, ai[k] * d);
            ti = vec_fma(ar[k], d, ai[k] * c);
        }
        vec_store_lanes(at.yr + at.y_step * k, tr, lanes);
        vec_store_lanes(at.yi + at.y_step * k, ti, lanes);
    }
}

/* The next q, `lanes` further on, or the last one. */
FFT_INLINE size_t next_run(size_t q, unsigned lanes, size_t last)
{
    return q + lanes < last ? q + lanes : last;
}

FFT_INLINE void pass_radix(const struct fft_pass *ps, unsigned radix, unsigned lanes, real *restrict yr, real *restrict yi,
                           const real *restrict xr, const real *restrict xi)
{
    const size_t s = ps->s, m = ps->m, last = s - lanes;
    for (size_t p = 0; p < m; p++) {
        const real *w = p > 0 ? (const real *)ps->twiddle + 2 * (radix - 1) * p : NULL;
        const size_t from = s * p, to = s * radix * p;
        if (p == 0)
            for (size_t q = 0;; q = next_run(q, lanes, last)) {
                const struct pass_place at = {yr + q, yi + q, xr + q, xi + q, s, s * m};
                pass_point(radix, lanes, at, NULL);
                if (q == last)
                    break;
            }
        else
            for (size_t q = 0;; q = next_run(q, lanes, last)) {
                const struct pass_place at = {yr + to + q, yi + to + q, xr + from + q, xi + from + q, s, s * m};
                pass_point(radix, lanes, at, w);
                if (q == last)
                    break;
            }
    }
}

FFT_INLINE void pass_lanes(const struct fft_pass *ps, unsigned lanes, real *yr, real *yi, const real *xr, const real *xi)
{
    switch (ps->radix) {
    case 2:
        pass_radix(ps, 2, lanes, yr, yi, xr, xi);
        break;
    case 3:
        pass_radix(ps, 3, lanes, yr, yi, xr, xi);
        break;
    case 4:
        pass_radix(ps, 4, lanes, yr, yi, xr, xi);
        break;
    case 5:
        pass_radix(ps, 5, lanes, yr, yi, xr, xi);
        break;
    case 7:
        pass_radix(ps, 7, lanes, yr, yi, xr, xi);
        break;
    default:
        pass_radix(ps, 8, lanes, yr, yi, xr, xi);
    }
}

static void pass_by_vectors(const struct fft_pass *ps, real *yr, real *yi, const real *xr, const real *xi)
{
    pass_lanes(ps, VEC_WIDTH, yr, yi, xr, xi);
}

static void pass_by_halves(const struct fft_pass *ps, real *yr, real *yi, const real *xr, const real *xi)
{
    pass_lanes(ps, VEC_WIDTH / 2, yr, yi, xr, xi);
}

static void pass_by_numbers(const struct fft_pass *ps, real *yr, real *yi, const real *xr, const real *xi)
{
    pass_lanes(ps, 1, yr, yi, xr, xi);
}

static void pass(const struct fft_pass *ps, real *yr, real *yi, const real *xr, const real *xi)
{
    if (ps->s >= VEC_WIDTH)
        pass_by_vectors(ps, yr, yi, xr, xi);
    else if (VEC_WIDTH >= 4 && 2 * ps->s >= VEC_WIDTH)
        pass_by_halves(ps, yr, yi, xr, xi);
    else
        pass_by_numbers(ps, yr, yi, xr, xi);
}

/* turned_store - y[radix l + k] = lane l of x[k], l < lanes: VEC_WIDTH of them, or VEC_WIDTH / 2 = radix. */
FFT_INLINE void turned_store(real *y, vec *x, unsigned radix, unsigned lanes)
{
    if (radix % 2) { /* one by one */
        real numbers[8][VEC_WIDTH];
#pragma GCC unroll 8
        for (unsigned k = 0; k < radix; k++)
            vec_storeu(numbers[k], x[k]);
#pragma GCC unroll 16
        for (unsigned l = 0; l < VEC_WIDTH; l++)
#pragma GCC unroll 8
            for (unsigned k = 0; k < radix; k++)
                y[radix * l + k] = numbers[k][l];
        return;
    }
    if (lanes == VEC_WIDTH) {
#pragma GCC unroll 8
        for (unsigned k = 0; k < radix; k += VEC_WIDTH) {
            vec_transpose(x + k);
#pragma GCC unroll 8
            for (unsigned l = 0; l < VEC_WIDTH; l++)
                vec_storeu(y + radix * l + k, x[k + l]);
        }
        return;
    }
    /* perfect shuffles of all numbers, log2 of the radix times; the first one fills the vectors */
    vec z[8];
    const unsigned n = radix / 2;
#pragma GCC unroll 4
    for (unsigned j = 0; j < n; j++)
        z[j] = vec_zip_low(x[j], x[j + n]);
#pragma GCC unroll 2
    for (unsigned level = 2; level < radix; level *= 2) {
        vec t[8];
#pragma GCC unroll 2
        for (unsigned j = 0; j < n / 2; j++) {
            t[2 * j] = vec_zip_low(z[j], z[j + n / 2]);
            t[2 * j + 1] = vec_zip_high(z[j], z[j + n / 2]);
        }
#pragma GCC unroll 4
        for (unsigned j = 0; j < n; j++)
            z[j] = t[j];
    }
#pragma GCC unroll 4
    for (unsigned j = 0; j < n; j++)
        vec_storeu(y + VEC_WIDTH * j, z[j]);
}

/* The first pass, of stride 1, with interleaved input: `lanes` values of p at once, transposed on the way out. */
FFT_INLINE void first_any(const struct fft_pass *ps, unsigned radix, unsigned lanes, real *restrict yr, real *restrict yi,
                          const real *restrict x, bool swap)
{
    const size_t m = ps->m, last = m - lanes;
    const real *w = ps->columns;
    for (size_t p = 0;; p = next_run(p, lanes, last)) {
        vec ar[8], ai[8];
#pragma GCC unroll 8
        for (unsigned j = 0; j < radix; j++) {
            vec *re = swap ? &ai[j] : &ar[j], *im = swap ? &ar[j] : &ai[j];
            if (lanes == VEC_WIDTH)
                vec_load_pairs(x + 2 * (p + m * j), re, im);
            else
                vec_load_pairs_half(x + 2 * (p + m * j), re, im);
        }
        dft(radix, ar, ai);
#pragma GCC unroll 8
        for (unsigned k = 1; k < radix; k++) {
            const real *cosines = w + 2 * m * (k - 1) + p;
            const vec c = vec_load_lanes(cosines, lanes), d = vec_load_lanes(cosines + m, lanes), t = ar[k];
            ar[k] = vec_fms(t, c, ai[k] * d);
            ai[k] = vec_fma(t, d, ai[k] * c);
        }
        turned_store(yr + radix * p, ar, radix, lanes);
        turned_store(yi + radix * p, ai, radix, lanes);
        if (p == last)
            break;
    }
}

enum { LANES_FIRST8 = VEC_WIDTH < 8 ? VEC_WIDTH : 8 };
static void first8(const struct fft_pass *ps, real *yr, real *yi, const real *x, bool swap)
{
    if (swap)
        first_any(ps, 8, LANES_FIRST8, yr, yi, x, true);
    else
        first_any(ps, 8, LANES_FIRST8, yr, yi, x, false);
}

#if VEC_WIDTH == 4 || VEC_WIDTH == 8
static void first4(const struct fft_pass *ps, real *yr, real *yi, const real *x, bool swap)
{
    if (swap)
        first_any(ps, 4, 4, yr, yi, x, true);
    else
        first_any(ps, 4, 4, yr, yi, x, false);
}
#endif

FFT_INLINE void first_odd_any(const struct fft_pass *ps, real *yr, real *yi, const real *x, bool swap)
{
    if (ps->radix == 3)
        first_any(ps, 3, VEC_WIDTH, yr, yi, x, swap);
    else if (ps->radix == 5)
        first_any(ps, 5, VEC_WIDTH, yr, yi, x, swap);
    else
        first_any(ps, 7, VEC_WIDTH, yr, yi, x, swap);
}

static void first_odd(const struct fft_pass *ps, real *yr, real *yi, const real *x, bool swap)
{
    if (swap)
        first_odd_any(ps, yr, yi, x, true);
    else
        first_odd_any(ps, yr, yi, x, false);
}

/* The last pass, interleaved output, scaled. */
FFT_INLINE void last_any(const struct fft_pass *ps, unsigned radix, real *restrict y, const real *restrict xr,
                         const real *restrict xi, real scale, bool swap)
{
    const size_t s = ps->s, last = s - VEC_WIDTH;
    const vec by = vec_set1(scale);
    for (size_t q = 0;; q = next_run(q, VEC_WIDTH, last)) {
        vec ar[8], ai[8];
#pragma GCC unroll 8
        for (unsigned j = 0; j < radix; j++) {
            ar[j] = vec_loadu(xr + q + s * j);
            ai[j] = vec_loadu(xi + q + s * j);
        }
        dft(radix, ar, ai);
#pragma GCC unroll 8
        for (unsigned k = 0; k < radix; k++)
            vec_store_pairs(y + 2 * (q + s * k), (swap ? ai[k] : ar[k]) * by, (swap ? ar[k] : ai[k]) * by);
        if (q == last)
            break;
    }
}

static void last8(const struct fft_pass *ps, real *y, const real *xr, const real *xi, real scale, bool swap)
{
    if (swap)
        last_any(ps, 8, y, xr, xi, scale, true);
    else
        last_any(ps, 8, y, xr, xi, scale, false);
}

static void last4(const struct fft_pass *ps, real *y, const real *xr, const real *xi, real scale, bool swap)
{
    if (swap)
        last_any(ps, 4, y, xr, xi, scale, true);
    else
        last_any(ps, 4, y, xr, xi, scale, false);
}
