/*
 * bluestein.c - gallery: Bluestein's algorithm, for any length.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  j k = (j^2 + k^2 - (k - j)^2) / 2 turns the transform into a convolution with the chirp e(j^2 / 2n).  The points
 *                are multiplied by the chirp, convolved cyclically with a smooth length >= 2n - 1, and multiplied by the chirp
 *                again (fft/fft_run.h).  The convolution takes three transforms, one of which belongs to the plan.
 * What limits:   two transforms of twice to three times the length, for every n.
 * Next rung:     `rader` takes half of that if n is prime and n - 1 smooth; `auto` chooses.
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
