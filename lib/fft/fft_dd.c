/*
 * fft_dd.c - plain transforms in double-double: complex and real ones of any length.
 *
 * Lengths 2^a 3^b 5^c 7^d use Stockham's order, radices 4, 2, 3, 5, 7 (dd/dd_stockham.h), and roots correctly rounded from fixed
 * point.  Other lengths use Bluestein's convolution of such a length.  A real transform of even length is a complex one of half
 * the length (dd_points.h), one of odd length is a complex one of the same length.
 *
 * A number is two doubles, the first one and the rest; a complex number is four: re, rest of re, im, rest of im.  The backward
 * transform is the forward one with real and imaginary parts exchanged.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/environment.h"
#include "base/try.h"
#include "dd/dd_fft.h"
#include "fft/fft.h"
#include "plan/root_fixed.h"
#include "stages/stage_ops.h"

enum { PARTS = 4, POINT_BYTES = PARTS * sizeof(double) };

/* The scale of results: h + l. */
struct dd_scale {
    double h, l;
};

/* The state of a plan.  plan->roots: of a real transform of even length, e(-k / n), k <= n / 4. */
struct dd_state {
    const struct dd_fft_ops *ops;
    struct dd_scale scale;    /* of backward transforms: 1/n, or 1 */
    size_t points;            /* of the complex transform: n or n / 2 */
    size_t m;                 /* of the Stockham passes: points, or Bluestein's convolution */
    double *roots;            /* e(-i / m) in the order of the passes: re, im and their rests */
    double *chirp, *spectrum; /* Bluestein: points and m; the spectrum is divided by m.  Else NULL */
};

static const struct dd_scale unit = {1, 0};

static struct dd_scale reciprocal(size_t n)
{
    const double h = 1 / (double)n;
    return (struct dd_scale){h, fma(-h, (double)n, 1.0) / (double)n};
}

/* root_put - e(-e / n) from a maker of order 8 n. */
static void root_put(double *to, const struct root_maker *maker, size_t e)
{
    const struct dd_complex w = root_dd(maker, 8 * (uint64_t)e);
    to[0] = w.re;
    to[1] = w.re_lo;
    to[2] = -w.im;
    to[3] = -w.im_lo;
}

enum gfmul_status fft_dd_roots_fill(double *table, size_t n, size_t step, size_t count)
{
    struct root_maker maker;
    const enum gfmul_status status = root_maker_create(&maker, 8 * (uint64_t)n);
    for (size_t j = 0; j < count && status == GFMUL_OK; j++)
        root_put(table + PARTS * j, &maker, (size_t)((unsigned __int128)j * step % n));
    root_maker_destroy(&maker);
    return status;
}

static enum gfmul_status points_alloc(double **p, size_t count)
{
    *p = alloc_aligned(count * POINT_BYTES);
    return *p != NULL ? GFMUL_OK : GFMUL_ERR_MEMORY;
}

/* pass_roots_create - e(-i / m) in the order of the passes. */
static enum gfmul_status pass_roots_create(struct dd_state *s)
{
    TRY(points_alloc(&s->roots, s->m));
    TRY(fft_dd_roots_fill(s->roots, s->m, 1, s->m));
    for (size_t i = 0; i < s->m; i++) {
        double *w = s->roots + PARTS * i, t = w[1];
        w[1] = w[2];
        w[2] = t;
    }
    return GFMUL_OK;
}

/* The radix of the next pass: 4 while two factors of 2 are left. */
static unsigned next_radix(size_t left)
{
    return left % 4 == 0 ? 4 : left % 2 == 0 ? 2 : left % 3 == 0 ? 3 : left % 5 == 0 ? 5 : 7;
}

/* passes_run - transform m points by the passes; out == in allowed.   work: 2 m points. */
static void passes_run(const struct dd_state *s, double *out, const double *in, bool backward, struct dd_scale scale,
                       double *work, unsigned threads)
{
    static const unsigned place[2][PARTS] = {{0, 2, 1, 3}, {2, 0, 3, 1}}; /* the places of re, im and their rests in a number */
    const size_t n = s->m;
    double *x = work, *y = x + PARTS * n;
    for (size_t i = 0; i < n; i++)
        for (unsigned part = 0; part < PARTS; part++)
            x[part * n + i] = in[PARTS * i + place[backward][part]];
    for (size_t done = 1; done < n;) {
        const unsigned radix = next_radix(n / done);
        s->ops->stockham_pass(y, x, n, radix, done, s->roots, threads);
        double *t = x;
        x = y;
        y = t;
        done *= radix;
    }
    if (scale.h != 1)
        s->ops->points_scale(x, n, scale.h, scale.l);
    for (size_t i = 0; i < n; i++)
        for (unsigned part = 0; part < PARTS; part++)
            out[PARTS * i + place[backward][part]] = x[part * n + i];
}

/* chirp_fill - make the chirp, and the transform of its conjugate over m, divided by m; work is scratch. */
static enum gfmul_status chirp_fill(struct dd_state *s, double *work)
{
    const size_t n = s->points, m = s->m;
    struct root_maker maker;
    memset(s->spectrum, 0, m * POINT_BYTES);
    TRY(root_maker_create(&maker, 16 * (uint64_t)n));
    for (size_t j = 0; j < n; j++) {
        double *c = s->chirp + PARTS * j, *to = s->spectrum + PARTS * j;
        root_put(c, &maker, (size_t)((unsigned __int128)j * j % (2 * n)));
        to[0] = c[0];
        to[1] = c[1];
        to[2] = -c[2];
        to[3] = -c[3];
        memcpy(s->spectrum + PARTS * ((m - j) % m), to, POINT_BYTES);
    }
    root_maker_destroy(&maker);
    passes_run(s, s->spectrum, s->spectrum, false, reciprocal(m), work, 1);
    return GFMUL_OK;
}

static enum gfmul_status chirp_create(struct dd_state *s)
{
    double *work;
    TRY(points_alloc(&s->chirp, s->points));
    TRY(points_alloc(&s->spectrum, s->m));
    TRY(points_alloc(&work, 2 * s->m));
    const enum gfmul_status status = chirp_fill(s, work);
    alloc_free(work);
    return status;
}

static bool is_odd_real(const struct gfmul_fft *plan)
{
    return plan->type == GFMUL_FFT_REAL && plan->n % 2 != 0;
}

static enum gfmul_status create(struct gfmul_fft *plan)
{
    const bool halved = plan->type == GFMUL_FFT_REAL && plan->n % 2 == 0;
    if (plan->n > (size_t)1 << 40)
        return GFMUL_ERR_UNSUPPORTED;
    struct dd_state *s = plan->state = calloc(1, sizeof *s);
    if (s == NULL)
        return GFMUL_ERR_MEMORY;
    s->ops = isa_ops_select(cpu_isa_mask(environment_get("GFMUL_DISABLE")))->dd_fft;
    s->scale = plan->scale != 1 ? reciprocal(plan->n) : unit;
    s->points = halved ? plan->n / 2 : plan->n;
    const bool direct = fft_is_smooth(s->points);
    s->m = direct ? s->points : fft_smooth_above(2 * s->points - 1);
    plan->multiply = s->ops->multiply;
    plan->work_bytes = ((is_odd_real(plan) ? s->points : 0) + (direct ? 2 : 3) * s->m) * POINT_BYTES;
    TRY(pass_roots_create(s));
    if (!direct)
        TRY(chirp_create(s));
    if (!halved)
        return GFMUL_OK;
    double *roots;
    TRY(points_alloc(&roots, plan->n / 4 + 1));
    plan->roots = roots;
    return fft_dd_roots_fill(roots, plan->n, 1, plan->n / 4 + 1);
}

static void destroy(struct gfmul_fft *plan)
{
    struct dd_state *s = plan->state;
    if (s == NULL)
        return;
    alloc_free(s->roots);
    alloc_free(s->chirp);
    alloc_free(s->spectrum);
    free(s);
}

/* parts_copy - copy points; real and imaginary parts are swapped if `exchanged`. */
static void parts_copy(double *to, const double *from, size_t points, bool exchanged)
{
    for (size_t i = 0; i < 2 * points; i++)
        memcpy(to + 2 * i, from + 2 * (i ^ exchanged), 2 * sizeof *to);
}

/* points_run - the complex transform; out == in allowed.   work: 2 m points, Bluestein 3 m. */
static void points_run(const struct dd_state *s, double *out, const double *in, bool backward, struct dd_scale scale,
                       double *work, unsigned threads)
{
    if (s->chirp == NULL) {
        passes_run(s, out, in, backward, scale, work, threads);
        return;
    }
    double *x = work + 2 * PARTS * s->m;
    parts_copy(x, in, s->points, backward);
    memset(x + PARTS * s->points, 0, (s->m - s->points) * POINT_BYTES);
    s->ops->multiply(x, s->chirp, s->points, false);
    passes_run(s, x, x, false, unit, work, threads);
    s->ops->multiply(x, s->spectrum, s->m, false);
    passes_run(s, x, x, true, scale, work, threads);
    s->ops->multiply(x, s->chirp, s->points, false);
    parts_copy(out, x, s->points, backward);
}

/* odd_run - a real transform of odd length, by n points after the workspace of points_run. */
static void odd_run(const struct gfmul_fft *plan, double *out, const double *in, bool backward, double *work, unsigned threads)
{
    const struct dd_state *s = plan->state;
    const size_t n = plan->n;
    double *x = work + plan->work_bytes / sizeof *x - PARTS * n;
    memset(x, 0, n * POINT_BYTES);
    if (!backward) {
        for (size_t j = 0; j < n; j++)
            memcpy(x + PARTS * j, in + 2 * j, 2 * sizeof *x);
        points_run(s, x, x, false, unit, work, threads);
        memcpy(out, x, (n / 2 + 1) * POINT_BYTES);
        out[2] = out[3] = 0;
        return;
    }
    memcpy(x, in, 2 * sizeof *x);
    for (size_t k = 1; k <= n / 2; k++) {
        double *mirrored = x + PARTS * (n - k);
        memcpy(x + PARTS * k, in + PARTS * k, POINT_BYTES);
        memcpy(mirrored, in + PARTS * k, POINT_BYTES);
        mirrored[2] = -mirrored[2];
        mirrored[3] = -mirrored[3];
    }
    points_run(s, x, x, true, s->scale, work, threads);
    for (size_t j = 0; j < n; j++)
        memcpy(out + 2 * j, x + PARTS * j, 2 * sizeof *x);
}

static enum gfmul_status run(const struct gfmul_fft *plan, void *out, const void *in, bool backward, void *work, unsigned threads)
{
    const struct dd_state *s = plan->state;
    if (plan->type == GFMUL_FFT_COMPLEX) {
        points_run(s, out, in, backward, backward ? s->scale : unit, work, threads);
    } else if (is_odd_real(plan)) {
        odd_run(plan, out, in, backward, work, threads);
    } else if (!backward) {
        points_run(s, out, in, false, unit, work, threads);
        s->ops->real_split(s->points, plan->roots, out);
    } else {
        s->ops->real_join(s->points, plan->roots, out, in);
        points_run(s, out, out, true, s->scale, work, threads);
    }
    return GFMUL_OK;
}

const struct fft_row fft_row_dd = {
    .about = {.name = "auto",
              .device = "cpu",
              .summary = "double-double: Stockham radix 4 in vectors, Bluestein",
              .lengths = "any",
              .types = "complex, real",
              .precisions = "dd"},
    .create = create,
    .run = run,
    .destroy = destroy,
};
