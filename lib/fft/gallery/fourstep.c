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
#include "fft/fft.h"

static enum gfmul_status create(struct gfmul_fft *plan)
{
    if (plan->type != GFMUL_FFT_COMPLEX)
        return GFMUL_ERR_UNSUPPORTED;
    enum gfmul_status status = fft_complex_create_method(&plan->complex, plan->n, plan->real_bytes, plan->ops, FFT_FOUR_STEPS);
    if (status == GFMUL_OK)
        plan->work_bytes = plan->complex->work_bytes;
    return status;
}

static enum gfmul_status run(const struct gfmul_fft *plan, void *out, const void *in, bool backward, void *work, unsigned threads)
{
    plan->ops->complex_run(plan->complex, out, in, backward, backward ? plan->scale : 1, work, threads);
    return GFMUL_OK;
}

const struct fft_row fft_row_fourstep_cpu = {
    .about = {.name = "fourstep",
              .device = "cpu",
              .summary = "n = n1 n2: columns, twiddles, rows, many at a time in the lanes of vectors",
              .lengths = "n1 n2, both >= 8 (float 16), 2^a 3^b 5^c 7^d",
              .types = "complex",
              .precisions = "float, double"},
    .create = create,
    .run = run,
};
