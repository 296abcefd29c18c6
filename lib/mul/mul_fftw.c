/*
 * mul_fftw.c - engine fftw: products by FFTW's real transforms, the baseline that users know.
 *
 * The digits are chosen by a model, not by a theorem, because FFTW's codelets are not ours.  The model takes an error of 8 u for
 * each of the log2 N levels, for the three transforms together, at the worst case of the norms, and keeps it below 1/4.
 * Two checks replace a theorem, whatever the options say: the distance to the nearest integer while rounding, and the residues of
 * each product.  If either fails, the product is made again with shorter digits.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/fftw_loader.h"
#include "base/try.h"
#include "limbs/limb_bits.h"
#include "mul/engine.h"
#include "plan/plan_names.h"

enum { MAX_DIGIT_BITS = 20, MAX_TRIES = 4 };
static const double model_limit = 0.25; /* of the model, and of the distance to the nearest integer */

struct lease {
    void *x, *y; /* equal for a square */
    fftw_plan forward, backward;
};

/* buffer_bytes - the size of a buffer of N real points. */
static size_t buffer_bytes(const struct plan_shape *s)
{
    return (s->transform.n_points + 1) * sizeof(fftw_complex);
}

/* smooth_size - the least odd * 2^k >= n, odd in {1, 3, 5, 7, 9, 15}, k >= 4; 0 if it overflows. */
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

/* shape_set - set the sizes for digits of l bits; false if they do not fit FFTW's int. */
static bool shape_set(struct plan_shape *s, size_t a_bits, size_t b_bits, unsigned l)
{
    s->digits = (struct plan_digits){.base = 2,
                                     .exponent = l,
                                     .digit_base = (uint64_t)1 << l,
                                     .bits = l,
                                     .an = a_bits / l + 1, /* each with room for the last carry */
                                     .bn = b_bits / l + 1};
    const size_t n = smooth_size(s->digits.an + s->digits.bn);
    s->transform.n_digits = n;
    s->transform.n_points = n / 2;
    if (n == 0 || n > INT_MAX)
        return false;
    s->bound.k = 8 * log2((double)n);
    s->bound.value = sqrt((double)s->digits.an) * sqrt((double)s->digits.bn) * ldexp(1.0, 2 * (int)l - 2) * s->bound.k * 0x1p-53;
    return true;
}

/* bits_of - the bit length of an operand; if it is only planned, the bits of all its limbs. */
static size_t bits_of(const struct number *x)
{
    return x->limbs ? limbs_bit_length(x->limbs, x->n) : number_size(x);
}

static bool fftw_there(void)
{
    return fftw_calls() != NULL;
}

static enum gfmul_status fftw_takes(struct attempt *t, bool *yes)
{
    *yes = t->call->ctx->opt.engine == GFMUL_ENGINE_FFTW && t->p->z.base == 2 && !t->p->b.spectrum;
    return GFMUL_OK;
}

/* fftw_choose - choose the longest digits within the request that the model or the classical rule allows. */
static enum gfmul_status fftw_choose(struct attempt *t)
{
    struct plan_shape *s = &t->shape;
    const struct product *p = t->p;
    const bool knuth = t->request.rule == GFMUL_RULE_KNUTH;
    memset(s, 0, sizeof *s);
    s->rule = t->request.rule;
    s->field = PLAN_DOUBLE;
    s->square = p->square;
    s->transform.packing = GFMUL_PACKING_ONE_FOR_HALF; /* how a real transform of FFTW works inside */
    s->grid.a_cells = s->grid.b_cells = s->grid.n_branches = 1;
    for (unsigned l = t->request.max_exponent ? t->request.max_exponent : MAX_DIGIT_BITS; l >= 1; l--) {
        if (!shape_set(s, bits_of(&p->a), bits_of(&p->b), l))
            return call_fail(t->call, GFMUL_ERR_SIZE, "too large for FFTW, which counts points in int");
        if (s->bound.value < model_limit && (!knuth || plan_knuth_holds(s)))
            return GFMUL_OK;
    }
    if (knuth)
        return call_fail(t->call, GFMUL_ERR_PRECISION, "the rule mu >= 4m + 2l needs mu >= %u here, double has 53",
                         4 * (unsigned)ceil(log2((double)s->transform.n_digits)) + 2);
    return call_fail(t->call, GFMUL_ERR_PRECISION, "no digits are short enough for double");
}

static enum gfmul_status fftw_plan_of(struct attempt *t)
{
    struct plan_shape *s = &t->shape;
    TRY(fftw_choose(t));
    s->memory_bytes =
        (t->p->square ? 1 : 2) * buffer_bytes(s) + s->transform.n_digits * sizeof(double); /* FFTW's tables, about */
    plan_info_from_shape(&t->info, s, "");
    t->info.engine = engine_fftw.name;
    t->info.proved = false;
    return ctx_memory_check(t->call, s->memory_bytes);
}

static enum gfmul_status fftw_hold(struct attempt *t, enum gfmul_status (*body)(struct attempt *t))
{
    struct lease l;
    t->lease = &l;
    const enum gfmul_status status = body(t);
    t->lease = NULL;
    return status;
}

static enum gfmul_status fftw_lease(struct attempt *t)
{
    struct call *call = t->call;
    struct lease *l = t->lease;
    const size_t bytes = buffer_bytes(&t->shape);
    const int n = (int)t->shape.transform.n_digits;
    memset(l, 0, sizeof *l);
    TRY(ctx_buffer_get(call, bytes, &l->x));
    l->y = l->x;
    if (!t->p->square)
        TRY(ctx_buffer_get(call, bytes, &l->y));
    TRY(ctx_memory_room(call, t->shape.transform.n_digits * sizeof(double)));
    fftw_planner_lock();
    l->forward = fftw_calls()->plan_dft_r2c_1d(n, l->x, l->x, FFTW_ESTIMATE);
    l->backward = fftw_calls()->plan_dft_c2r_1d(n, l->x, l->x, FFTW_ESTIMATE);
    fftw_planner_unlock();
    if (l->forward && l->backward)
        return GFMUL_OK;
    return call_fail(call, GFMUL_ERR_INTERNAL, "FFTW has no plan of %d points", n);
}

static bool fftw_release(struct attempt *t, enum gfmul_status status, bool again)
{
    struct lease *l = t->lease;
    (void)status, (void)again;
    fftw_planner_lock();
    if (l->backward)
        fftw_calls()->destroy_plan(l->backward);
    if (l->forward)
        fftw_calls()->destroy_plan(l->forward);
    fftw_planner_unlock();
    if (l->y != l->x)
        ctx_buffer_put(t->call, l->y);
    ctx_buffer_put(t->call, l->x);
    return false;
}

/* cut - cut a number into balanced digits of l bits. */
static void cut(double *x, const struct plan_shape *s, size_t count, const struct number *a)
{
    const unsigned l = s->digits.exponent;
    for (size_t j = 0; j < count; j++) {
        const uint64_t w = j == 0 ? limb_bits(a->limbs, a->n, 0) << 1 : limb_bits(a->limbs, a->n, j * l - 1);
        x[j] = (double)booth_digit(w, l);
    }
    memset(x + count, 0, buffer_bytes(s) - count * sizeof *x);
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

/* carry - round to integers, carry, pack into limbs; returns the largest distance to the nearest integer. */
static double carry(mp_limb_t *z, size_t zn, const double *x, const struct plan_shape *s)
{
    const unsigned l = s->digits.exponent;
    double max_error = 0;
    int64_t up = 0;
    unsigned __int128 acc = 0;
    unsigned n_bits = 0;
    size_t j = 0;
    for (size_t i = 0; i < zn; i++) {
        while (n_bits < 64) {
            double v = j < s->transform.n_digits ? x[j] : 0, r = rint(v), e = fabs(v - r);
            if (!(e <= max_error))
                max_error = isnan(e) ? 1 : e;                     /* a NaN counts as worse than any distance */
            int64_t t = (fabs(r) < 0x1p62 ? (int64_t)r : 0) + up; /* |r| < 2^53; if not, the check will fail */
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

/* fftw_run - make the product.   Errors: VERIFY if the rounding error is too large. */
static enum gfmul_status fftw_run(struct attempt *t)
{
    struct call *call = t->call;
    const struct product *p = t->p;
    const struct plan_shape *s = &t->shape;
    const struct lease *l = t->lease;
    cut(l->x, s, s->digits.an, &p->a);
    fftw_calls()->execute_dft_r2c(l->forward, l->x, l->x);
    if (!p->square) {
        cut(l->y, s, s->digits.bn, &p->b);
        fftw_calls()->execute_dft_r2c(l->forward, l->y, l->y);
    }
    TRY(call_progress(call, 0.6));
    multiply(l->x, l->y, s->transform.n_digits);
    fftw_calls()->execute_dft_c2r(l->backward, l->x, l->x);
    phase_enter(&call->clock, PHASE_CARRY);
    const double error = carry(p->z.limbs, p->z.n, l->x, s);
    call->report.max_error = fmin(error, 0.5); /* NaN, too */
    if (error < model_limit)
        return GFMUL_OK;
    return call_fail(call, GFMUL_ERR_VERIFY, "FFTW's rounding error reached %g", error);
}

static bool fftw_smaller(struct attempt *t)
{
    t->request.max_exponent = t->shape.digits.exponent - 1;
    return t->call->report.n_fallbacks + 1 < MAX_TRIES && t->request.max_exponent >= 1;
}

const struct engine engine_fftw = {
    .name = "fftw",
    .id = GFMUL_ENGINE_FFTW,
    .trust = TRUST_UNPROVED,
    .there = fftw_there,
    .takes = fftw_takes,
    .hold = fftw_hold,
    .plan = fftw_plan_of,
    .lease = fftw_lease,
    .run = fftw_run,
    .release = fftw_release,
    .smaller = fftw_smaller,
};
