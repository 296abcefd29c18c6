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
#include "fft/fft.h"

static enum gfmul_status create(struct gfmul_fft *plan)
{
    if (plan->type != GFMUL_FFT_COMPLEX)
        return GFMUL_ERR_UNSUPPORTED;
    enum gfmul_status status = fft_complex_create_method(&plan->complex, plan->n, plan->real_bytes, plan->ops, FFT_BLUESTEIN);
    if (status == GFMUL_OK)
        plan->work_bytes = plan->complex->work_bytes;
    return status;
}

static enum gfmul_status run(const struct gfmul_fft *plan, void *out, const void *in, bool backward, void *work, unsigned threads)
{
    plan->ops->complex_run(plan->complex, out, in, backward, backward ? plan->scale : 1, work, threads);
    return GFMUL_OK;
}

const struct fft_row fft_row_bluestein = {
    .about = {.name = "bluestein",
              .device = "cpu",
              .summary = "any length as a convolution with a chirp",
              .lengths = "any",
              .types = "complex",
              .precisions = "float, double"},
    .create = create,
    .run = run,
};
