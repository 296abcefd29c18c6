/*
 * split.c - gallery: `serial` with real and imaginary parts in separate arrays, and the same with AVX.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  as `serial`, but the bit-reversal permutation writes real parts into one array and imaginary parts into another.
 *                The stages work on these, and the result is put together at the end.  `serial_avx` does butterflies side by
 *                side, 4 in double and 8 in float, in stages of at least so many.  One product with w_m^4 or w_m^8 advances a
 *                vector of neighbouring powers.
 * What limits:   two arrays mean two streams of cache lines instead of one.  In `serial_split` each product of powers waits for
 *                the one before; `serial_avx` waits a fourth or an eighth as often, and then for memory.
 * Next rung:     `pthread`, the same stages shared by threads; `fourstep`, vectors with fewer passes.
 * Source:        [Yanglu]
 */
#ifndef ROW_REAL
#include <math.h>

#include "gallery/gallery.h"

#if defined __x86_64__ || defined __i386__
#define SPLIT_AVX __attribute__((target("avx")))
static bool avx_usable(void)
{
    return __builtin_cpu_supports("avx");
}
#else
#define SPLIT_AVX
static bool avx_usable(void)
{
    return false;
}
#endif

#define ROW_REAL double
#include "gallery/split.c"
#undef ROW_REAL
#define ROW_REAL float
#include "gallery/split.c"

GALLERY_RUN

static enum gfmul_status create(struct gfmul_fft *plan)
{
    plan->work_bytes = 2 * plan->n * plan->real_bytes;
    return plan->row == &fft_row_serial_avx && !avx_usable() ? GFMUL_ERR_UNSUPPORTED : gallery_check_radix2(plan);
}

const struct fft_row fft_row_serial_split = {
    .about = {GALLERY_RADIX2_LIMITS, .name = "serial_split",
              .summary = "serial with real and imaginary parts in arrays of their own, powers by w *= w_m"},
    .create = create,
    .run = run,
};
const struct fft_row fft_row_serial_avx = {
    .about = {GALLERY_RADIX2_LIMITS, .name = "serial_avx", .summary = "the same in vectors of AVX, powers by w *= w_m"},
    .create = create,
    .run = run,
};
#else

/* A stage of pairs `half` apart; the roots are powers of w_m = cm + i sm. */
static void ROW(stage)(ROW_REAL *re, ROW_REAL *im, size_t n, size_t half, ROW_REAL cm, ROW_REAL sm)
{
    for (size_t base = 0; base < n; base += 2 * half) {
        ROW_REAL c = 1, s = 0;
        for (size_t a = base, b = base + half; a < base + half; a++, b++) {
            const ROW_REAL x = c * re[b] - s * im[b], y = c * im[b] + s * re[b], next = c * cm - s * sm;
            re[b] = re[a] - x;
            im[b] = im[a] - y;
            re[a] += x;
            im[a] += y;
            s = c * sm + s * cm;
            c = next;
        }
    }
}

enum { ROW(LANES) = 32 / sizeof(ROW_REAL) };
typedef ROW_REAL ROW(vector) __attribute__((vector_size(32), aligned(sizeof(ROW_REAL)), may_alias));

/* The same in vectors; half is a multiple of the lanes. */
SPLIT_AVX static void ROW(stage_vectors)(ROW_REAL *re, ROW_REAL *im, size_t n, size_t half, ROW_REAL cm, ROW_REAL sm)
{
    ROW(vector) first_c = {1}, first_s = {0};
    ROW_REAL last_c = 1, last_s = 0; /* w_m^LANES in the end */
    for (unsigned lane = 1; lane <= ROW(LANES); lane++) {
        const ROW_REAL next = last_c * cm - last_s * sm;
        last_s = last_c * sm + last_s * cm;
        last_c = next;
        if (lane < ROW(LANES)) {
            first_c[lane] = last_c;
            first_s[lane] = last_s;
        }
    }
    for (size_t base = 0; base < n; base += 2 * half) {
        ROW(vector) c = first_c, s = first_s;
        for (size_t a = base, b = base + half; a < base + half; a += ROW(LANES), b += ROW(LANES)) {
            ROW(vector) *ra = (ROW(vector) *)(re + a), *ia = (ROW(vector) *)(im + a);
            ROW(vector) *rb = (ROW(vector) *)(re + b), *ib = (ROW(vector) *)(im + b);
            const ROW(vector) x = c * *rb - s * *ib, y = c * *ib + s * *rb, next = c * last_c - s * last_s;
            *rb = *ra - x;
            *ib = *ia - y;
            *ra += x;
            *ia += y;
            s = c * last_s + s * last_c;
            c = next;
        }
    }
}

static void ROW(transform)(const struct gfmul_fft *plan, ROW_REAL *out, const ROW_REAL *in, bool backward, ROW_REAL *work)
{
    const size_t n = plan->n;
    const bool vectors = plan->row == &fft_row_serial_avx;
    const ROW_REAL scale = backward ? (ROW_REAL)plan->scale : 1;
    ROW_REAL *re = work, *im = work + n;
    for (size_t i = 0, r = 0; i < n; i++) { /* r is i with its bits reversed */
        re[r] = in[2 * i];
        im[r] = in[2 * i + 1];
        size_t bit = n / 2;
        for (; r & bit; bit /= 2)
            r -= bit;
        r += bit;
    }
    for (size_t half = 1; half < n; half *= 2) {
        const double angle = 3.141592653589793238 / (double)half;
        const ROW_REAL cm = (ROW_REAL)cos(angle), sm = (ROW_REAL)(backward ? sin(angle) : -sin(angle));
        if (vectors && half >= ROW(LANES))
            ROW(stage_vectors)(re, im, n, half, cm, sm);
        else
            ROW(stage)(re, im, n, half, cm, sm);
    }
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = re[i] * scale;
        out[2 * i + 1] = im[i] * scale;
    }
}
#endif
