/*
 * fft_fftw.c - algorithm "fftw": FFTW 3, the reference that every user knows.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  makes FFTW_ESTIMATE plans for each direction, in place and out of place, for aligned and unaligned data.  It
 *                works in double precision, and in single precision if the machine has libfftw3f.
 * What limits:   FFTW_ESTIMATE guesses; FFTW_MEASURE plans for seconds, and finds better ones (bench/b-fft cpu has both).
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/fftw_loader.h"
#include "fft/fft.h"

struct state {
    void *plan[8]; /* backward, in place, unaligned: bits 0, 1, 2 */
};

/* The calls of one precision; p is FFTW's prefix. */
#define ROW(p, real_type)                                                                                    \
    static void *p##_create_one(int n, bool real, unsigned i, void *x, void *y)                              \
    {                                                                                                        \
        const unsigned flags = FFTW_ESTIMATE | FFTW_PRESERVE_INPUT | (i & 4 ? FFTW_UNALIGNED : 0);           \
        void *out = i & 2 ? x : y;                                                                           \
        if (!real)                                                                                           \
            return p##_calls()->plan_dft_1d(n, x, out, i & 1 ? FFTW_BACKWARD : FFTW_FORWARD, flags);         \
        return i & 1 ? p##_calls()->plan_dft_c2r_1d(n, x, (real_type *)out, flags)                           \
                     : p##_calls()->plan_dft_r2c_1d(n, (real_type *)x, out, flags);                          \
    }                                                                                                        \
    static void p##_run_one(const struct gfmul_fft *plan, void *out, void *in, bool backward)                \
    {                                                                                                        \
        const struct state *state = plan->state;                                                             \
        const struct p##_calls *calls = p##_calls();                                                         \
        real_type *y = out;                                                                                  \
        const bool unaligned = calls->alignment_of((real_type *)in) != 0 || calls->alignment_of(y) != 0;     \
        void *one = state->plan[(unsigned)backward | (unsigned)(out == in) << 1 | (unsigned)unaligned << 2]; \
        const size_t count = plan->type == GFMUL_FFT_COMPLEX ? 2 * plan->n : plan->n;                        \
        if (plan->type == GFMUL_FFT_COMPLEX)                                                                 \
            calls->execute_dft(one, in, out);                                                                \
        else if (backward)                                                                                   \
            calls->execute_dft_c2r(one, in, out);                                                            \
        else                                                                                                 \
            calls->execute_dft_r2c(one, in, out);                                                            \
        for (size_t i = 0; backward && plan->scale != 1 && i < count; i++)                                   \
            y[i] *= (real_type)plan->scale;                                                                  \
    }
ROW(fftw, double)
ROW(fftwf, float)

static void destroy(struct gfmul_fft *plan)
{
    struct state *state = plan->state;
    if (state == NULL)
        return;
    fftw_planner_lock();
    for (unsigned i = 0; i < 8; i++) {
        if (state->plan[i] == NULL)
            continue;
        if (plan->real_bytes == sizeof(float))
            fftwf_calls()->destroy_plan(state->plan[i]);
        else
            fftw_calls()->destroy_plan(state->plan[i]);
    }
    fftw_planner_unlock();
    free(state);
}

/* plans_make - x, y: data to plan for; FFTW_ESTIMATE does not touch them. */
static enum gfmul_status plans_make(const struct gfmul_fft *plan, void *x, void *y)
{
    struct state *state = plan->state;
    const bool is_float = plan->real_bytes == sizeof(float), real = plan->type == GFMUL_FFT_REAL;
    fftw_planner_lock();
    for (unsigned i = 0; i < 8; i++)
        state->plan[i] = is_float ? fftwf_create_one((int)plan->n, real, i, x, y) : fftw_create_one((int)plan->n, real, i, x, y);
    fftw_planner_unlock();
    for (unsigned i = 0; i < 8; i++)
        if (state->plan[i] == NULL)
            return GFMUL_ERR_UNSUPPORTED;
    return GFMUL_OK;
}

static enum gfmul_status create(struct gfmul_fft *plan)
{
    const bool there = plan->real_bytes == sizeof(float) ? fftwf_calls() != NULL : fftw_calls() != NULL;
    if (!there || plan->n > 1 << 30)
        return GFMUL_ERR_UNSUPPORTED;
    plan->state = calloc(1, sizeof(struct state));
    if (plan->state == NULL)
        return GFMUL_ERR_MEMORY;
    void *x = alloc_aligned((plan->n + 2) * sizeof(fftw_complex)), *y = alloc_aligned((plan->n + 2) * sizeof(fftw_complex));
    const enum gfmul_status status = x != NULL && y != NULL ? plans_make(plan, x, y) : GFMUL_ERR_MEMORY;
    alloc_free(x);
    alloc_free(y);
    return status;
}

static enum gfmul_status run(const struct gfmul_fft *plan, void *out, const void *in, bool backward, void *work, unsigned threads)
{
    void *x = (void *)(uintptr_t)in; /* FFTW does not change it if out differs */
    (void)work;
    (void)threads;
    if (plan->real_bytes == sizeof(float))
        fftwf_run_one(plan, out, x, backward);
    else
        fftw_run_one(plan, out, x, backward);
    return GFMUL_OK;
}

const struct fft_row fft_row_fftw = {
    .about = {.name = "fftw",
              .device = "cpu",
              .summary = "FFTW 3, FFTW_ESTIMATE",
              .lengths = "any",
              .types = "complex, real",
              .precisions = "float, double"},
    .create = create,
    .run = run,
    .destroy = destroy,
};
