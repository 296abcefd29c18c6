/*
 * fft_dd.c - plain complex transforms in double-double, of lengths 2^a 3^b 5^c 7^d.
 *
 * Stockham's order, radices 4, 2, 3, 5, 7 (stages/dd_stockham.h), roots correctly rounded from fixed point.  A number is two
 * doubles, the first one and the rest; a complex number four: re, rest of re, im, rest of im.  Backwards is forwards with the
 * real and imaginary parts exchanged.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/environment.h"
#include "fft/fft.h"
#include "plan/root_fixed.h"
#include "stages/dd_ops.h"

enum { PARTS = 4 };

/* What a plan keeps beside its roots. */
struct dd_state {
    const struct dd_ops *ops;
    double scale, scale_rest; /* 1/n, or 1 */
};

/* roots_fill - e(-i / n), i < n: re, im and their rests. */
static enum gfmul_status roots_fill(double *out, size_t n)
{
    struct root_maker maker;
    enum gfmul_status status = root_maker_create(&maker, 8 * (uint64_t)n);
    for (size_t i = 0; i < n && status == GFMUL_OK; i++) {
        const struct dd_complex w = root_dd(&maker, 8 * (uint64_t)i);
        out[PARTS * i] = w.re;
        out[PARTS * i + 1] = -w.im;
        out[PARTS * i + 2] = w.re_lo;
        out[PARTS * i + 3] = -w.im_lo;
    }
    root_maker_destroy(&maker);
    return status;
}

static enum gfmul_status create(struct gfmul_fft *plan)
{
    const size_t n = plan->n;
    if (plan->type != GFMUL_FFT_COMPLEX || !fft_is_smooth(n) || n > (size_t)1 << 40)
        return GFMUL_ERR_UNSUPPORTED;
    struct dd_state *state = calloc(1, sizeof *state);
    if (!(plan->state = state))
        return GFMUL_ERR_MEMORY;
    state->ops = stage_ops_select(cpu_isa_mask(environment_get("GFMUL_DISABLE")))->dd;
    state->scale = plan->scale;
    if (plan->scale != 1)
        state->scale_rest = fma(-state->scale, (double)n, 1.0) / (double)n;
    plan->work_bytes = 2 * PARTS * n * sizeof(double);
    if (!(plan->roots = alloc_aligned(PARTS * n * sizeof(double))))
        return GFMUL_ERR_MEMORY;
    return roots_fill(plan->roots, n);
}

static void destroy(struct gfmul_fft *plan)
{
    free(plan->state);
}

/* The radix of the next pass: 4 as long as there are two factors of 2. */
static unsigned next_radix(size_t left)
{
    return left % 4 == 0 ? 4 : left % 2 == 0 ? 2 : left % 3 == 0 ? 3 : left % 5 == 0 ? 5 : 7;
}

static enum gfmul_status run(const struct gfmul_fft *plan, void *out, const void *in, bool backward, void *work, unsigned threads)
{
    static const unsigned place[2][PARTS] = {{0, 2, 1, 3}, {2, 0, 3, 1}}; /* where parts re, im, rests lie in a number */
    const struct dd_state *state = plan->state;
    const size_t n = plan->n;
    const double *from = in;
    double *x = work, *y = x + PARTS * n, *to = out;
    for (size_t i = 0; i < n; i++)
        for (unsigned part = 0; part < PARTS; part++)
            x[part * n + i] = from[PARTS * i + place[backward][part]];
    for (size_t s = 1; s < n;) {
        const unsigned radix = next_radix(n / s);
        state->ops->stockham_pass(y, x, n, radix, s, plan->roots, threads);
        double *t = x;
        x = y;
        y = t;
        s *= radix;
    }
    if (backward && state->scale != 1)
        state->ops->points_scale(x, n, state->scale, state->scale_rest);
    for (size_t i = 0; i < n; i++)
        for (unsigned part = 0; part < PARTS; part++)
            to[PARTS * i + place[backward][part]] = x[part * n + i];
    return GFMUL_OK;
}

const struct fft_row fft_row_dd = {
    .about = {.name = "auto",
              .device = "cpu",
              .summary = "double-double: Stockham radix 4 in vectors",
              .lengths = "2^a 3^b 5^c 7^d",
              .types = "complex",
              .precisions = "dd"},
    .create = create,
    .run = run,
    .destroy = destroy,
};
