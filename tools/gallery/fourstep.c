/*
 * fourstep.c - gallery: the two-dimensional decomposition n = n1 n2.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  the input as a matrix of n1 rows by n2 columns: transforms of the columns, multiplication by e(-j2 k1 / n),
 *                transforms of the rows, stored as columns.  Columns and rows are taken several at a time, one in each lane of
 *                the vectors, so that memory is read and written in runs of whole cache lines (fft/fft_block.h).
 * What limits:   two passes over memory, where the transforms of length n1 and n2 stay in cache: bandwidth, and the runs' length.
 * Next rung:     `auto`, which is this for all lengths that have such divisors, and takes the halves of real transforms.
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
