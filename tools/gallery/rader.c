/*
 * rader.c - gallery: Rader's algorithm, for primes.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  modulo a prime n, all j but 0 are powers of a primitive root g.  With j = g^q, k = g^-p the transform becomes a
 *                cyclic convolution of n - 1 points with e(-g^-r / n), and two sums with x_0 (fft/fft_run.h).
 * What limits:   two transforms of n - 1 points, here only if n - 1 is smooth, and two irregular permutations.
 * Next rung:     `auto`, which uses this for such primes, and `bluestein` for other lengths with large prime factors.
 */
#include "gallery/gallery.h"

static enum gfmul_status create(struct gfmul_fft *plan)
{
    return gallery_create_method(plan, FFT_RADER);
}

const struct fft_row fft_row_rader = {
    .about = {.name = "rader",
              .summary = "primes as a cyclic convolution over the powers of a primitive root",
              .lengths = "primes p with p - 1 = 2^a 3^b 5^c 7^d",
              GALLERY_METHOD_LIMITS},
    .create = create,
    .run = gallery_run_method,
};
