/*
 * fftw.c - gallery: FFTW 3 in double precision, the reference that every user knows.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  plans of FFTW_ESTIMATE for each direction, in place and not, for aligned data and for others.
 * What limits:   FFTW_ESTIMATE guesses; FFTW_MEASURE plans for seconds, and finds better ones.
 */
#ifdef HAVE_FFTW3
#include <fftw3.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "fft/fft.h"

/* FFTW's planner keeps its state in globals. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

struct state {
    fftw_plan plan[8]; /* backward, in place, unaligned: bits 0, 1, 2 */
};

static void destroy(struct gfmul_fft *plan)
{
    struct state *state = plan->state;
    if (state == NULL)
        return;
    pthread_mutex_lock(&planner);
    for (unsigned i = 0; i < 8; i++)
        if (state->plan[i] != NULL)
            fftw_destroy_plan(state->plan[i]);
    pthread_mutex_unlock(&planner);
    free(state);
}

static enum gfmul_status create(struct gfmul_fft *plan)
{
    enum gfmul_status status = GFMUL_OK;
    int n = (int)plan->n;
    if (plan->real_bytes != sizeof(double) || plan->n > 1 << 30)
        return GFMUL_ERR_UNSUPPORTED;
    struct state *state = plan->state = calloc(1, sizeof *state);
    if (state == NULL)
        return GFMUL_ERR_MEMORY;
    /* FFTW_ESTIMATE does not touch these */
    fftw_complex *x = alloc_aligned((plan->n + 2) * sizeof *x), *y = alloc_aligned((plan->n + 2) * sizeof *y);
    if (x == NULL || y == NULL) {
        status = GFMUL_ERR_MEMORY;
        goto done;
    }
    pthread_mutex_lock(&planner);
    for (unsigned i = 0; i < 8; i++) {
        fftw_complex *out = i & 2 ? x : y;
        unsigned flags = FFTW_ESTIMATE | FFTW_PRESERVE_INPUT | (i & 4 ? FFTW_UNALIGNED : 0);
        if (plan->type == GFMUL_FFT_COMPLEX)
            state->plan[i] = fftw_plan_dft_1d(n, x, out, i & 1 ? FFTW_BACKWARD : FFTW_FORWARD, flags);
        else if (i & 1)
            state->plan[i] = fftw_plan_dft_c2r_1d(n, x, (double *)out, flags);
        else
            state->plan[i] = fftw_plan_dft_r2c_1d(n, (double *)x, out, flags);
    }
    pthread_mutex_unlock(&planner);
    for (unsigned i = 0; i < 8; i++)
        if (state->plan[i] == NULL)
            status = GFMUL_ERR_UNSUPPORTED;
done:
    alloc_free(x);
    alloc_free(y);
    return status;
}

static enum gfmul_status run(const struct gfmul_fft *plan, void *out, const void *in, bool backward, void *work, unsigned threads)
{
    const struct state *state = plan->state;
    fftw_complex *x = (fftw_complex *)(uintptr_t)in; /* preserved where out differs */
    double *y = out;
    bool unaligned = fftw_alignment_of((double *)x) != 0 || fftw_alignment_of(y) != 0;
    const fftw_plan p = state->plan[(unsigned)backward | (unsigned)(out == in) << 1 | (unsigned)unaligned << 2];
    size_t count = plan->type == GFMUL_FFT_COMPLEX ? 2 * plan->n : plan->n;
    (void)work;
    (void)threads;
    if (plan->type == GFMUL_FFT_COMPLEX)
        fftw_execute_dft(p, x, out);
    else if (backward)
        fftw_execute_dft_c2r(p, x, out);
    else
        fftw_execute_dft_r2c(p, (double *)x, out);
    for (size_t i = 0; backward && plan->scale != 1 && i < count; i++)
        y[i] *= plan->scale;
    return GFMUL_OK;
}

const struct fft_row fft_row_fftw = {
    .about = {.name = "fftw",
              .device = "cpu",
              .summary = "FFTW 3, FFTW_ESTIMATE",
              .lengths = "any",
              .types = "complex, real",
              .precisions = "double"},
    .create = create,
    .run = run,
    .destroy = destroy,
};
#else
typedef int fftw_row_is_not_built; /* a file is not empty */
#endif
