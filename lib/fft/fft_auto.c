/*
 * fft_auto.c - algorithm "auto": the library's own transforms.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "fft/fft.h"

/* A real transform of odd length uses a complex one of that length, at the start of the workspace. */
static size_t odd_bytes(const struct gfmul_fft *plan)
{
    return plan->type == GFMUL_FFT_REAL && plan->n % 2 ? (2 * plan->n * plan->real_bytes + 63) / 64 * 64 : 0;
}

static enum gfmul_status create(struct gfmul_fft *plan)
{
    bool halved = plan->type == GFMUL_FFT_REAL && plan->n % 2 == 0;
    size_t n = halved ? plan->n / 2 : plan->n;
    TRY((plan->permuted ? fft_complex_create_permuted : fft_complex_create)(&plan->complex, n, plan->real_bytes, plan->ops));
    plan->work_bytes = odd_bytes(plan) + plan->complex->work_bytes;
    return halved ? fft_real_roots(&plan->roots, plan->n, plan->real_bytes) : GFMUL_OK;
}

/* Copy one number of either precision. */
static void copy_real(void *to, size_t i, const void *from, size_t j, size_t real_bytes)
{
    memcpy((char *)to + i * real_bytes, (const char *)from + j * real_bytes, real_bytes);
}

static void run_odd(const struct gfmul_fft *plan, void *out, const void *in, bool backward, void *work, unsigned threads)
{
    const size_t n = plan->n, bytes = plan->real_bytes;
    void *rest = (char *)work + odd_bytes(plan);
    memset(work, 0, 2 * n * bytes);
    if (!backward) {
        for (size_t j = 0; j < n; j++)
            copy_real(work, 2 * j, in, j, bytes);
        plan->ops->complex_run(plan->complex, work, work, false, 1, rest, threads);
        memcpy(out, work, (n / 2 + 1) * 2 * bytes);
        memset((char *)out + bytes, 0, bytes);
        return;
    }
    copy_real(work, 0, in, 0, bytes);
    for (size_t k = 1; k <= n / 2; k++) {
        copy_real(work, 2 * k, in, 2 * k, bytes);
        copy_real(work, 2 * k + 1, in, 2 * k + 1, bytes);
        copy_real(work, 2 * (n - k), in, 2 * k, bytes);
        if (bytes == sizeof(double))
            ((double *)work)[2 * (n - k) + 1] = -((const double *)in)[2 * k + 1];
        else
            ((float *)work)[2 * (n - k) + 1] = -((const float *)in)[2 * k + 1];
    }
    plan->ops->complex_run(plan->complex, work, work, true, plan->scale, rest, threads);
    for (size_t j = 0; j < n; j++)
        copy_real(out, j, work, 2 * j, bytes);
}

static enum gfmul_status run(const struct gfmul_fft *plan, void *out, const void *in, bool backward, void *work, unsigned threads)
{
    const struct fft_ops *ops = plan->ops;
    double scale = backward ? plan->scale : 1;
    if (plan->type == GFMUL_FFT_COMPLEX) {
        ops->complex_run(plan->complex, out, in, backward, scale, work, threads);
    } else if (plan->n % 2) {
        run_odd(plan, out, in, backward, work, threads);
    } else if (!backward) {
        ops->complex_run(plan->complex, out, in, false, 1, work, threads);
        ops->real_split(plan->n / 2, plan->roots, out);
    } else {
        ops->real_join(plan->n / 2, plan->roots, out, in);
        ops->complex_run(plan->complex, out, out, true, scale, work, threads);
    }
    return GFMUL_OK;
}

static size_t frequency(const struct gfmul_fft *plan, size_t place)
{
    return fft_complex_frequency(plan->complex, plan->real_bytes, place);
}

const struct fft_row fft_row_auto = {
    .about = {.name = "auto",
              .device = "cpu",
              .summary = "the library's own: four steps in vectors, Stockham without two divisors from 8 on, Rader, Bluestein",
              .lengths = "any",
              .types = "complex, real",
              .precisions = "float, double, dd"},
    .create = create,
    .run = run,
    .frequency = frequency,
};
