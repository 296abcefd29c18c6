/*
 * mul_fftw.c - products by FFTW's real transforms: the baseline that users know.
 *
 * The digits are chosen by a model, not by a theorem: FFTW's codelets are not ours, so the error is taken as that of 8 u
 * for each of the log2 N levels of the three transforms together, on the worst case of the norms, and kept below 1/4.
 * What a theorem would give is checked instead: the distance to the nearest integer while rounding, and the residues of
 * each product, whatever the options say.  Where either fails the product is made again with shorter digits.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fftw_planner.h"
#include "limbs/limb_bits.h"
#include "limbs/mul_small.h"
#include "mul/ctx.h"
#include "plan/plan_names.h"

#ifndef HAVE_FFTW3

int mul_fftw_built(void)
{
    return 0;
}

enum gfmul_status mul_fftw_plan(struct call *call, const struct product *p, struct gfmul_plan_info *info)
{
    (void)info, (void)p;
    call_detail(call, "this build is without FFTW");
    return GFMUL_ERR_UNSUPPORTED;
}

enum gfmul_status mul_fftw(struct call *call, const struct product *p)
{
    return mul_fftw_plan(call, p, NULL);
}

#else

#include <fftw3.h>

int mul_fftw_built(void)
{
    return 1;
}

enum { MAX_DIGIT_BITS = 20, MAX_TRIES = 4 };
static const double model_limit = 0.25; /* of the model, and of the distance to the nearest integer */

struct fftw_size {
    unsigned digit_bits;
    size_t an, bn; /* balanced digits, each with room for the last carry */
    size_t n;      /* real points; even, n >= an + bn */
    double model;  /* of the rounding error */
    size_t bytes;  /* of one buffer */
    bool knuth;    /* 53 >= 4m + 2l */
};

/* smooth_size - the least odd * 2^k >= n, odd in {1, 3, 5, 7, 9, 15}, k >= 4; 0 where it overflows. */
static size_t smooth_size(size_t n)
{
    static const size_t odd[] = {1, 3, 5, 7, 9, 15};
    size_t best = 0;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        size_t s = odd[i] << 4;
        while (s < n && s <= SIZE_MAX / 2)
            s *= 2;
        if (s >= n && (best == 0 || s < best))
            best = s;
    }
    return best;
}

/* fftw_size_set - sizes for digits of l bits; false where they are beyond FFTW's int. */
static bool fftw_size_set(struct fftw_size *s, size_t a_bits, size_t b_bits, unsigned l)
{
    s->digit_bits = l;
    s->an = a_bits / l + 1;
    s->bn = b_bits / l + 1;
    s->n = smooth_size(s->an + s->bn);
    if (s->n == 0 || s->n > INT_MAX)
        return false;
    double m = log2((double)s->n);
    s->model = sqrt((double)s->an) * sqrt((double)s->bn) * ldexp(1.0, 2 * (int)l - 2) * 8 * m * 0x1p-53;
    s->bytes = (s->n / 2 + 1) * sizeof(fftw_complex);
    s->knuth = 53 >= 4 * (unsigned)ceil(m) + 2 * l;
    return true;
}

/* fftw_size_choose - the longest digits, at most max_bits, that the model or the classical rule allows. */
static enum gfmul_status fftw_size_choose(struct call *call, struct fftw_size *s, size_t a_bits, size_t b_bits, unsigned max_bits)
{
    const bool knuth = call->ctx->opt.rule == GFMUL_RULE_KNUTH;
    for (unsigned l = max_bits; l >= 1; l--) {
        if (!fftw_size_set(s, a_bits, b_bits, l)) {
            call_detail(call, "too large for FFTW, which counts points in int");
            return GFMUL_ERR_SIZE;
        }
        if (s->model < model_limit && (s->knuth || !knuth))
            return GFMUL_OK;
    }
    if (knuth)
        call_detail(call, "the rule mu >= 4m + 2l needs mu >= %u here, double has 53",
                    4 * (unsigned)ceil(log2((double)s->n)) + 2);
    else
        call_detail(call, "no digits are short enough for double");
    return GFMUL_ERR_PRECISION;
}

static void fftw_info(struct gfmul_plan_info *info, const struct gfmul_ctx *ctx, const struct fftw_size *s, bool square)
{
    memset(info, 0, sizeof *info);
    info->engine = "fftw";
    info->isa = "";
    info->device = "cpu";
    info->rule = plan_rule_name(ctx->opt.rule);
    info->precision = "double";
    info->packing = "one-for-half"; /* how a real transform of FFTW works inside */
    info->threads = 1;
    info->mu = 53;
    info->m = log2((double)s->n);
    info->l = s->digit_bits;
    info->base = 2;
    info->exponent = s->digit_bits;
    info->n_points = s->n / 2;
    info->a_digits = s->an;
    info->b_digits = s->bn;
    info->n_slices = info->n_branches = 1;
    info->k = 8 * info->m;
    info->bound = s->model;
    info->knuth = s->knuth;
    info->memory_bytes = (square ? 1 : 2) * s->bytes + s->n * sizeof(double); /* the last: FFTW's tables, about */
}

enum gfmul_status mul_fftw_plan(struct call *call, const struct product *p, struct gfmul_plan_info *info)
{
    struct fftw_size s;
    enum gfmul_status status = fftw_size_choose(call, &s, number_size(&p->a), number_size(&p->b), MAX_DIGIT_BITS);
    if (status == GFMUL_OK) {
        fftw_info(info, call->ctx, &s, p->square);
        status = ctx_memory_check(call, info->memory_bytes);
    }
    return status;
}

/* cut - balanced digits of l bits. */
static void cut(double *x, const struct fftw_size *s, size_t count, const mp_limb_t *a, size_t an)
{
    const unsigned l = s->digit_bits;
    for (size_t j = 0; j < count; j++) {
        const uint64_t w = j == 0 ? limb_bits(a, an, 0) << 1 : limb_bits(a, an, j * l - 1);
        x[j] = (double)booth_digit(w, l);
    }
    memset(x + count, 0, s->bytes - count * sizeof *x);
}

/* multiply - x = x * y, or x * x, pointwise on half spectra, times 1/n. */
static void multiply(fftw_complex *x, fftw_complex *y, size_t n)
{
    const double scale = 1.0 / (double)n;
    for (size_t k = 0; k <= n / 2; k++) {
        double xr = x[k][0], xi = x[k][1], yr = y[k][0], yi = y[k][1];
        x[k][0] = (xr * yr - xi * yi) * scale;
        x[k][1] = (xr * yi + xi * yr) * scale;
    }
}

/* carry - round to integers, carry, pack into limbs; the largest distance to the nearest integer. */
static double carry(mp_limb_t *z, size_t zn, const double *x, const struct fftw_size *s)
{
    const unsigned l = s->digit_bits;
    double max_error = 0;
    int64_t up = 0;
    unsigned __int128 acc = 0;
    unsigned n_bits = 0;
    size_t j = 0;
    for (size_t i = 0; i < zn; i++) {
        while (n_bits < 64) {
            double v = j < s->n ? x[j] : 0, r = rint(v), e = fabs(v - r);
            if (!(e <= max_error))
                max_error = isnan(e) ? 1 : e;                     /* a NaN counts as worse than any distance */
            int64_t t = (fabs(r) < 0x1p62 ? (int64_t)r : 0) + up; /* |r| < 2^53, unless all is lost and the check will say so */
            acc |= (unsigned __int128)((uint64_t)t & ((UINT64_C(1) << l) - 1)) << n_bits;
            up = t >> l;
            n_bits += l;
            j++;
        }
        z[i] = (mp_limb_t)acc;
        acc >>= 64;
        n_bits -= 64;
    }
    return max_error;
}

/* convolve - one product with digits of a given size.   Errors: MEMORY, INTERRUPTED, VERIFY where the error is too large. */
static enum gfmul_status convolve(struct call *call, const struct product *p, const struct fftw_size *s)
{
    const bool square = p->square;
    const int n = (int)s->n;
    void *x = NULL, *y = NULL;
    fftw_plan forward = NULL, backward = NULL;
    uint64_t start;
    enum gfmul_status status;

    if ((status = ctx_buffer_get(call, s->bytes, &x)) != GFMUL_OK ||
        (!square && (status = ctx_buffer_get(call, s->bytes, &y)) != GFMUL_OK) ||
        (status = ctx_memory_room(call, s->n * sizeof(double))) != GFMUL_OK)
        goto done;
    if (square)
        y = x;

    start = clock_ns();
    fftw_planner_lock();
    forward = fftw_plan_dft_r2c_1d(n, x, x, FFTW_ESTIMATE);
    backward = fftw_plan_dft_c2r_1d(n, x, x, FFTW_ESTIMATE);
    fftw_planner_unlock();
    call->report.plan_ns += clock_ns() - start;
    if (!forward || !backward) {
        call_detail(call, "FFTW has no plan of %d points", n);
        status = GFMUL_ERR_INTERNAL;
        goto done;
    }

    start = clock_ns();
    cut(x, s, s->an, p->a.limbs, p->a.n);
    fftw_execute_dft_r2c(forward, x, x);
    if (!square) {
        cut(y, s, s->bn, p->b.limbs, p->b.n);
        fftw_execute_dft_r2c(forward, y, y);
    }
    if ((status = call_progress(call, 0.6)) != GFMUL_OK)
        goto done;
    multiply(x, y, s->n);
    fftw_execute_dft_c2r(backward, x, x);
    call->report.transform_ns += clock_ns() - start;

    start = clock_ns();
    double error = carry(p->z.limbs, p->z.n, x, s);
    call->report.carry_ns += clock_ns() - start;
    call->report.max_error = fmin(error, 0.5); /* NaN, too */
    if (!(error < model_limit)) {
        call_detail(call, "FFTW's rounding error reached %g", error);
        status = GFMUL_ERR_VERIFY;
    }
done:
    fftw_planner_lock();
    if (backward)
        fftw_destroy_plan(backward);
    if (forward)
        fftw_destroy_plan(forward);
    fftw_planner_unlock();
    if (y != x)
        ctx_buffer_put(call, y);
    ctx_buffer_put(call, x);
    return status;
}

enum gfmul_status mul_fftw(struct call *call, const struct product *p)
{
    struct fftw_size s;
    unsigned max_bits = MAX_DIGIT_BITS;
    enum gfmul_status status = GFMUL_ERR_VERIFY;
    for (unsigned tries = 0; tries < MAX_TRIES && status == GFMUL_ERR_VERIFY && max_bits >= 1; tries++) {
        call->report.n_fallbacks = tries;
        status = fftw_size_choose(call, &s, limbs_bit_length(p->a.limbs, p->a.n), limbs_bit_length(p->b.limbs, p->b.n), max_bits);
        if (status != GFMUL_OK)
            break;
        fftw_info(&call->report.plan, call->ctx, &s, p->square);
        status = convolve(call, p, &s);
        if (status == GFMUL_OK)
            status = product_residues(call, p);
        max_bits = s.digit_bits - 1;
    }
    return status;
}

#endif
