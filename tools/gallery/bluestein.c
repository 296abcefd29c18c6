/*
 * bluestein.c - gallery: Bluestein's algorithm, for any length.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  j k = (j^2 + k^2 - (k - j)^2) / 2 makes the transform a convolution with the chirp e(j^2 / 2n): points times
 *                the chirp, a cyclic convolution of a smooth length >= 2n - 1 by three transforms of which one belongs to the
 *                plan, times the chirp (fft/fft_run.h).
 * What limits:   two transforms of twice to three times the length, whatever n is.
 * Next rung:     `rader` where n is prime and n - 1 smooth: half of that; `auto` chooses.
 */
#include "gallery/gallery.h"

static enum gfmul_status create(struct gfmul_fft *plan)
{
    return gallery_create_method(plan, FFT_BLUESTEIN);
}

const struct fft_row fft_row_bluestein = {
    .about = {.name = "bluestein",
              .summary = "any length as a convolution with a chirp",
              .lengths = "any",
              GALLERY_METHOD_LIMITS},
    .create = create,
    .run = gallery_run_method,
};
