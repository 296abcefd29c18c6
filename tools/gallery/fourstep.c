/*
 * fourstep.c - gallery: the two-dimensional decomposition n = n1 n2.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  takes the input as a matrix of n1 rows by n2 columns, and transforms the columns, multiplies by e(-j2 k1 / n),
 *                and transforms the rows, storing them as columns.  It takes several columns or rows at a time, one in each lane
 *                of the vectors, so that memory is read and written in runs of whole cache lines (fft/fft_block.h).
 * What limits:   bandwidth and the length of the runs: it passes over memory twice, if transforms of n1 and n2 stay in cache.
 * Next rung:     `auto`, which does this for all lengths with such divisors, and packs real transforms into half the length.
 */
#include "gallery/gallery.h"

static enum gfmul_status create(struct gfmul_fft *plan)
{
    return gallery_create_method(plan, FFT_FOUR_STEPS);
}

const struct fft_row fft_row_fourstep_cpu = {
    .about = {.name = "fourstep",
              .summary = "n = n1 n2: columns, twiddles, rows, many at a time in the lanes of vectors",
              .lengths = "n1 n2, both >= 8 (float 16), 2^a 3^b 5^c 7^d",
              GALLERY_METHOD_LIMITS},
    .create = create,
    .run = gallery_run_method,
};
