/*
 * naive.c - gallery: the recursive radix-2 FFT, as the formula reads.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  E = FFT of the even elements, O = FFT of the odd ones, X_k = E_k + e(-k/n) O_k, X_(k+n/2) = E_k - e(-k/n) O_k.
 *                The even and the odd elements are copied apart before each recursion.  `naive` computes the exponential for each
 *                butterfly; `naive_table` reads it from a table.
 * What limits:   a sine and a cosine for every two points; log2 n levels, each of which reads and writes all data twice, with
 *                strided reads; and a call for every node.
 * Next rung:     `serial`, in place, without the copies and the calls.
 * Source:        [Scarpaci]
 */
#ifndef ROW_REAL
#include <math.h>

#include "gallery/gallery.h"

#define ROW_REAL double
#include "gallery/naive.c"
#undef ROW_REAL
#define ROW_REAL float
#include "gallery/naive.c"

static enum gfmul_status create(struct gfmul_fft *plan)
{
    plan->work_bytes = 4 * plan->n * plan->real_bytes + 64; /* n complex numbers, halved at each depth: below 2 n */
    return plan->row == &fft_row_naive_table ? gallery_create_radix2(plan) : gallery_check_radix2(plan);
}

GALLERY_RUN

const struct fft_row fft_row_naive = {
    .about = {GALLERY_RADIX2_LIMITS, .name = "naive", .summary = "recursive radix 2; an exponential for each butterfly"},
    .create = create,
    .run = run,
};
const struct fft_row fft_row_naive_table = {
    .about = {GALLERY_RADIX2_LIMITS, .name = "naive_table", .summary = "the same with roots from a table"},
    .create = create,
    .run = run,
};
#else

/* x: n points, replaced by their transform; scratch: 2 n points; step: length of the whole transform over n; roots or NULL */
static void ROW(recurse)(ROW_REAL *x, ROW_REAL *scratch, size_t n, size_t step, const ROW_REAL *roots, ROW_REAL sign)
{
    if (n == 1)
        return;
    ROW_REAL *even = scratch, *odd = scratch + n;
    for (size_t j = 0; j < n / 2; j++) {
        even[2 * j] = x[4 * j];
        even[2 * j + 1] = x[4 * j + 1];
        odd[2 * j] = x[4 * j + 2];
        odd[2 * j + 1] = x[4 * j + 3];
    }
    ROW(recurse)(even, scratch + 2 * n, n / 2, 2 * step, roots, sign);
    ROW(recurse)(odd, scratch + 2 * n, n / 2, 2 * step, roots, sign);
    for (size_t k = 0; k < n / 2; k++) {
        const ROW_REAL angle = (ROW_REAL)(-6.283185307179586477 * (double)k / (double)n);
        ROW_REAL c = roots != NULL ? roots[2 * k * step] : (ROW_REAL)cos(angle);
        ROW_REAL s = sign * (roots != NULL ? roots[2 * k * step + 1] : (ROW_REAL)sin(angle));
        ROW_REAL re = c * odd[2 * k] - s * odd[2 * k + 1], im = c * odd[2 * k + 1] + s * odd[2 * k];
        x[2 * k] = even[2 * k] + re;
        x[2 * k + 1] = even[2 * k + 1] + im;
        x[2 * k + n] = even[2 * k] - re;
        x[2 * k + n + 1] = even[2 * k + 1] - im;
    }
}

static void ROW(transform)(const struct gfmul_fft *plan, ROW_REAL *out, const ROW_REAL *in, bool backward, ROW_REAL *work)
{
    if (out != in)
        memcpy(out, in, 2 * plan->n * sizeof *in);
    ROW(recurse)(out, work, plan->n, 1, plan->roots, backward ? -1 : 1);
    for (size_t i = 0; backward && plan->scale != 1 && i < 2 * plan->n; i++)
        out[i] *= (ROW_REAL)plan->scale;
}
#endif
