/*
 * rader.c - gallery: Rader's algorithm, for primes.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  modulo a prime n all j but 0 are powers of a primitive root g.  With j = g^q, k = g^-p the transform is a cyclic
 *                convolution of n - 1 points with e(-g^-r / n), and two sums with x_0 (fft/fft_run.h).
 * What limits:   two transforms of n - 1 points, here only where n - 1 is smooth, and two permutations without order.
 * Next rung:     `auto`, which takes this for such primes and `bluestein` for other lengths with large prime factors.
 */
#include "fft/fft.h"

static enum gfmul_status create(struct gfmul_fft *plan)
{
    if (plan->type != GFMUL_FFT_COMPLEX)
        return GFMUL_ERR_UNSUPPORTED;
    enum gfmul_status status = fft_complex_create_method(&plan->complex, plan->n, plan->real_bytes, plan->ops, FFT_RADER);
    if (status == GFMUL_OK)
        plan->work_bytes = plan->complex->work_bytes;
    return status;
}

static enum gfmul_status run(const struct gfmul_fft *plan, void *out, const void *in, bool backward, void *work, unsigned threads)
{
    plan->ops->complex_run(plan->complex, out, in, backward, backward ? plan->scale : 1, work, threads);
    return GFMUL_OK;
}

const struct fft_row fft_row_rader = {
    .about = {.name = "rader",
              .device = "cpu",
              .summary = "primes as a cyclic convolution over the powers of a primitive root",
              .lengths = "primes p with p - 1 = 2^a 3^b 5^c 7^d",
              .types = "complex",
              .precisions = "float, double"},
    .create = create,
    .run = run,
};
