/*
 * serial.c - gallery: the iterative radix-2 FFT in place.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  a bit-reversal permutation, then log2 n stages of n/2 butterflies each; stage s joins pairs 2^s apart.
 *                `serial` makes the powers of a stage's root by w *= w_m, which needs no table and no sine, but their errors grow
 *                with the length of a run.  `serial_table` reads each root from a table.
 * What limits:   in `serial` each product waits for the one before.  Every stage passes over all data: the early stages work on
 *                short runs, the late ones on pairs far apart, and the permutation reads in irregular order.  It uses one core,
 *                and only the vector instructions that the compiler finds.
 * Next rung:     `serial_split`, parts in separate arrays; `pthread`, the same stages shared by threads.
 * Source:        [Yanglu]
 */
#ifndef ROW_REAL
#include <math.h>

#include "gallery/gallery.h"

#define ROW_REAL double
#include "gallery/serial.c"
#undef ROW_REAL
#define ROW_REAL float
#include "gallery/serial.c"

GALLERY_RUN

static enum gfmul_status create(struct gfmul_fft *plan)
{
    return gallery_check_radix2(plan);
}

const struct fft_row fft_row_serial = {
    .about = {GALLERY_RADIX2_LIMITS, .name = "serial",
              .summary = "iterative radix 2 in place, powers by w *= w_m: less accurate"},
    .create = create,
    .run = run,
};
const struct fft_row fft_row_serial_table = {
    .about = {GALLERY_RADIX2_LIMITS, .name = "serial_table", .summary = "the same with roots from a table"},
    .create = gallery_create_radix2,
    .run = run,
};
#else

static void ROW(transform)(const struct gfmul_fft *plan, ROW_REAL *x, const ROW_REAL *in, bool backward, void *work)
{
    const size_t n = plan->n;
    (void)work; /* in place */
    const ROW_REAL *roots = plan->roots, sign = backward ? -1 : 1;
    if (x != in)
        memcpy(x, in, 2 * n * sizeof *in);
    for (size_t i = 0, r = 0; i < n; i++) { /* r is i with its bits reversed */
        if (i < r)
            for (unsigned part = 0; part < 2; part++) {
                ROW_REAL t = x[2 * i + part];
                x[2 * i + part] = x[2 * r + part];
                x[2 * r + part] = t;
            }
        size_t bit = n / 2;
        for (; r & bit; bit /= 2)
            r -= bit;
        r += bit;
    }
    for (size_t half = 1; half < n; half *= 2) {
        const double angle = 3.141592653589793238 / (double)half;
        const ROW_REAL cm = (ROW_REAL)cos(angle), sm = -sign * (ROW_REAL)sin(angle);
        for (size_t base = 0; base < n; base += 2 * half) {
            ROW_REAL c = 1, s = 0;
            for (size_t k = 0; k < half; k++) {
                ROW_REAL *a = x + 2 * (base + k), *b = a + 2 * half;
                if (roots != NULL) {
                    c = roots[2 * (k * (n / 2 / half))];
                    s = sign * roots[2 * (k * (n / 2 / half)) + 1];
                }
                ROW_REAL re = c * b[0] - s * b[1], im = c * b[1] + s * b[0];
                b[0] = a[0] - re;
                b[1] = a[1] - im;
                a[0] += re;
                a[1] += im;
                const ROW_REAL next = c * cm - s * sm;
                s = c * sm + s * cm;
                c = next;
            }
        }
    }
    for (size_t i = 0; backward && plan->scale != 1 && i < 2 * n; i++)
        x[i] *= (ROW_REAL)plan->scale;
}
#endif
