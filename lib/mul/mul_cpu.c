/* mul_cpu.c - the pipeline on the CPU: digits, spectra, product, digits, carry.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "limbs/limb_bits.h"
#include "limbs/mul_small.h"
#include "mul/ctx.h"
#include "plan/plan_dd.h"
#include "stages/dd_ops.h"

/* The least max_an that a spectrum is kept for: 64 digits, what slices are made of, whatever their size. */
enum { KEPT_LEAST_LIMBS = 30, KEPT_LEAST_LIMBS_DD = DD_DIGIT_BITS };

/* The memory of one product, from the context's pool; a member that the plan does not need is NULL. */
struct workspace {
    double *x, *y;               /* buffers of the plan */
    double *scratch;             /* a strip of columns a thread */
    mp_limb_t *tail_limbs;       /* what a slice's product has in common with the next one's, where there are several */
    int64_t *tail_in, *tail_out; /* text: coefficients that overlap the next slice; double-double: of 128 bits */
};

/* operand_digits - balanced digits of the whole operand, the one for the last carry included. */
static size_t operand_digits(const struct plan_shape *s, const struct number *op)
{
    if (op->text)
        return (op->n + s->digits.exponent - 1) / s->digits.exponent + 1;
    return limbs_bit_length(op->limbs, op->n) / s->digits.exponent + 1;
}

static void operand_source(struct digit_source *source, const struct plan *plan, const struct number *op)
{
    if (op->text)
        text_source(source, plan, op->text);
    else
        limbs_source(source, plan, op->limbs, op->n);
}

/* operand_cut - digits into x; right-angle: with the column passes done. */
static void operand_cut(const struct call *call, const struct plan *plan, double *x, double *scratch, enum digit_part part,
                        const struct number *op, size_t first, size_t count, struct digit_norms *norms)
{
    struct digit_source source;
    struct dd_source dd_source;
    if (plan_is_dd(&plan->shape)) {
        if (op->text)
            dd_text_source(&dd_source, &plan->shape, op->text);
        else
            dd_limbs_source(&dd_source, &plan->shape, op->limbs, op->n);
        plan->ops->dd->source_to_columns(plan, x, &dd_source, first, count, norms, call->threads);
        return;
    }
    operand_source(&source, plan, op);
    if (plan->shape.transform.packing == GFMUL_PACKING_RIGHT_ANGLE)
        plan->ops->source_to_columns_fused(plan, x, scratch, &source, first, count, norms, call->threads);
    else
        digits_from_source(plan, x, part, &source, first, count, norms, call->threads);
}

/* operand_spectrum - what operand_cut has left to do. */
static void operand_spectrum(const struct call *call, const struct plan *plan, double *x, double *scratch, size_t used)
{
    if (plan_is_dd(&plan->shape))
        plan->ops->dd->columns_to_spectrum(plan, x, scratch, call->threads);
    else if (plan->shape.transform.packing == GFMUL_PACKING_RIGHT_ANGLE)
        plan->ops->columns_to_spectrum(plan, x, used, call->threads);
    else
        plan->ops->digits_to_spectrum(plan, x, used, call->threads);
}

/* used_points - points that count digits reach. */
static size_t used_points(const struct plan_shape *s, size_t count)
{
    size_t points = s->transform.packing == GFMUL_PACKING_ONE_FOR_HALF ? (count + 1) / 2 : count;
    return points < s->transform.n_points ? points : s->transform.n_points;
}

/* bound_note - the report gets the largest of the slices' bounds. */
static void bound_note(struct call *call, double bound, double k, size_t slice)
{
    if (slice == 0 || bound > call->report.plan.bound) {
        call->report.plan.bound = bound;
        call->report.plan.k = k;
    }
}

/*
 * norms_allow - whether these norms let the product be right: for all that is known before the transforms.  Where they are
 * measured the proof is completed by stats_allow.
 */
static bool norms_allow(struct call *call, const struct plan *plan, const struct digit_norms *a, const struct digit_norms *b,
                        size_t slice)
{
    const struct plan_shape *s = &plan->shape;
    if (s->rule == GFMUL_RULE_CHECKED) {
        const double error = plan_error_model(s, a, b);
        bound_note(call, error, 0.0, slice);
        return error < CHECKED_ERROR_LIMIT;
    }
    if (!s->bound.norms_measured)
        return true;
    const double least =
        s->bound.inverse_measured ? plan_bound_posterior(s, a, b, 0.0, 0.0, NULL) : plan_bound_measured(s, a, b, NULL);
    return plan_bound_decides(least, 0.0);
}

/* stats_allow - whether the coefficients that came out are proved, or (rule checked) credible. */
static bool stats_allow(struct call *call, const struct plan *plan, const struct digit_norms *a, const struct digit_norms *b,
                        const struct round_stats *stats, size_t slice)
{
    const struct plan_shape *s = &plan->shape;
    if (!(stats->max_value < (plan_is_dd(s) ? DD_VALUE_LIMIT : ROUND_VALUE_LIMIT))) /* not rounded at all */
        return false;
    if (s->rule == GFMUL_RULE_CHECKED)
        return stats->max_error < CHECKED_ERROR_LIMIT;
    if (!s->bound.norms_measured) /* bound < 1/2 for any operands: no distance comes near the rest */
        return plan_bound_decides(s->bound.value, stats->max_error);
    double k;
    const double bound = s->bound.inverse_measured
                             ? plan_bound_posterior(s, a, b, stats->max_value, round_stats_energy(stats), &k)
                             : plan_bound_measured(s, a, b, &k);
    bound_note(call, bound, k, slice);
    return plan_bound_decides(bound, stats->max_error);
}

/* slices_set - as many slices as an operand fills: one where it is no longer than the a that the plan is made for. */
static void slices_set(struct plan_shape *s, const struct number *a)
{
    const size_t digits = operand_digits(s, a), advance = (s->digits.an - 1) / PLAN_LEAF_POINTS * PLAN_LEAF_POINTS;
    s->grid.n_slices = digits <= s->digits.an ? 1 : (digits - 2) / advance + 1;
    s->grid.slice_digits = s->grid.n_slices == 1 ? 0 : advance;
}

/* slice_advance - limbs from one slice's product to the next one's. */
static size_t slice_advance(const struct plan_shape *s)
{
    return s->grid.slice_digits / 64 * s->digits.exponent;
}

/* result_points - points of result_put's parts: text takes two passes but for the fused one of a whole decimal product. */
static double result_points(const struct plan_shape *s, const struct number *z)
{
    const bool fused = !z->digits || (s->grid.n_slices == 1 && s->digits.base == 10);
    return (fused ? 1.0 : 2.0) * (double)s->transform.n_points;
}

/* slice_to_text - slice i of a product in text; in double-double tails are of 128 bits. */
static enum gfmul_status slice_to_text(struct call *call, const struct plan *plan, const struct number *out,
                                       struct workspace *work, size_t i, struct round_stats *stats)
{
    const struct plan_shape *s = &plan->shape;
    const bool last = i + 1 == s->grid.n_slices;
    const size_t below = i * s->grid.slice_digits * s->digits.exponent, left = out->n - below;
    const size_t len =
        last || s->grid.slice_digits * s->digits.exponent > left ? left : s->grid.slice_digits * s->digits.exponent;
    char *z = out->digits + left - len;
    const struct text_tails tails = {
        .in = i ? work->tail_in : NULL, .out = last ? NULL : work->tail_out, .n = s->digits.bn, .advance = s->grid.slice_digits};
    work->tail_out = work->tail_in;
    work->tail_in = tails.out;
    if (plan_is_dd(s))
        return dd_digits_to_text(plan, z, len, work->x, &tails, stats, call->threads);
    digits_to_text(plan, z, len, work->x, &tails, stats, call->threads);
    return GFMUL_OK;
}

/*
 * slice_to_limbs - slice i of a product in limbs, where it belongs: what the slices before it left there, a signed number of
 * plan_slice_tail_limbs limbs, is put aside and added.
 */
static enum gfmul_status slice_to_limbs(struct call *call, const struct plan *plan, const struct number *out,
                                        const struct workspace *work, size_t i, struct round_stats *stats)
{
    const struct plan_shape *s = &plan->shape;
    const size_t at = i * slice_advance(s), left = out->n - at, shared = plan_slice_tail_limbs(s);
    const size_t tail = shared < left ? shared : left, whole = slice_advance(s) + shared;
    const size_t zn = i + 1 < s->grid.n_slices && whole < left ? whole : left;
    mp_limb_t *z = out->limbs + at;
    if (i > 0)
        memcpy(work->tail_limbs, z, tail * sizeof *z);
    enum gfmul_status status = plan_is_dd(s) ? digits_to_limbs(plan, z, zn, work->x, stats, call->threads)
                                             : columns_to_limbs(plan, z, zn, work->x, work->scratch, stats, call->threads);
    if (i > 0 && status == GFMUL_OK)
        mul_add_slice(z, zn, work->tail_limbs, tail, 0);
    return status;
}

/* result_put - the inverse column passes, carry and store: slice i of the product in x.   stats out. */
static enum gfmul_status result_put(struct call *call, const struct plan *plan, const struct number *z, struct workspace *work,
                                    size_t i, struct round_stats *stats)
{
    const struct plan_shape *s = &plan->shape;
    const uint64_t start = clock_ns();
    double *x = work->x;
    enum gfmul_status status;
    *stats = (struct round_stats){.max_error = 0};
    if (plan_is_dd(s)) {
        plan->ops->dd->columns_to_digits(plan, x, call->threads);
        status = z->digits ? slice_to_text(call, plan, z, work, i, stats) : slice_to_limbs(call, plan, z, work, i, stats);
    } else if (z->digits && s->grid.n_slices == 1) {
        status = columns_to_text(plan, z->digits, z->n, x, work->scratch, stats, call->threads);
    } else if (z->digits) {
        plan->ops->columns_to_digits(plan, x, call->threads);
        status = slice_to_text(call, plan, z, work, i, stats);
    } else {
        status = slice_to_limbs(call, plan, z, work, i, stats);
    }
    if (stats->max_error > call->report.max_error)
        call->report.max_error = fmin(stats->max_error, 0.5);
    call->report.carry_ns += clock_ns() - start;
    return status == GFMUL_OK ? call_progress(call, call->monitor.to) : status;
}

/* Shares of a product that are done behind its stages, about; the rest is the check's. */
static const double share_cut = 0.3, share_spectra = 0.7, share_product = 0.92;

/*
 * columns_mul_branches - operand_cut of b and columns_mul_fused, branch by branch: y holds one branch.
 *
 *   na  in   a's energies;  nb  out  b's
 *
 * Where the product is in limbs, their memory, which is free until the end, takes b's digits: they are cut once.
 */
static enum gfmul_status columns_mul_branches(struct call *call, const struct plan *plan, const struct workspace *work,
                                              const struct product *p, const struct digit_norms *na, struct digit_norms *nb,
                                              bool *fits)
{
    const struct number *b = &p->b;
    const struct plan_shape *s = &plan->shape;
    const size_t bn = operand_digits(s, b);
    const double n = (double)s->transform.n_points / s->grid.n_branches,
                 step = (share_spectra - share_cut / 2) / s->grid.n_branches;
    struct digit_source source;
    enum gfmul_status status = GFMUL_OK;
    operand_source(&source, plan, b);
    if (!p->z.digits && s->digits.exponent <= PLAN_ASIDE_BITS &&
        s->transform.n_points <= p->z.n * (sizeof(mp_limb_t) / sizeof(aside_digit))) {
        aside_digit *aside = (aside_digit *)p->z.limbs;
        digits_put_aside(aside, plan, &source, bn, call->threads);
        aside_source(&source, plan, aside, bn);
    }
    for (unsigned i = 0; i < s->grid.n_branches && status == GFMUL_OK; i++) {
        const double from = share_cut / 2 + step * i, half_way = from + 0.4 * step;
        if ((status = call_stage(call, from, half_way, n)) != GFMUL_OK)
            return status;
        plan->ops->source_to_branch_fused(plan, work->y, work->scratch, &source, bn, i, i == 0 ? nb : NULL, call->threads);
        if ((status = call_stage(call, half_way, from + step, n)) != GFMUL_OK)
            return status;
        if (i == 0 && !(*fits = norms_allow(call, plan, na, nb, 0)))
            return GFMUL_OK;
        plan->ops->branch_mul_fused(plan, work->x, work->y, i, call->threads);
    }
    return status;
}

/* One product in one transform.  *fits is false, and what is stored has no meaning, where what was measured is too large. */
static enum gfmul_status convolve_whole(struct call *call, const struct plan *plan, struct workspace *work,
                                        const struct product *p, bool *fits)
{
    const struct number *a = &p->a, *b = &p->b;
    const struct plan_shape *s = &plan->shape;
    const struct stage_ops *f = plan->ops;
    double *x = work->x, *y = work->y;
    const size_t an = operand_digits(s, a), bn = operand_digits(s, b);
    const size_t a_used = used_points(s, an), b_used = used_points(s, bn);
    const bool both_in_x = s->transform.packing == GFMUL_PACKING_TWO_FOR_ONE;
    const uint64_t start = clock_ns();
    const double n = (double)s->transform.n_points;
    struct digit_norms na, nb;
    struct round_stats stats;
    enum gfmul_status status;

    const bool branches = s->grid.n_branches > 1;
    if ((status = call_stage(call, 0, branches ? share_cut / 2 : share_cut, s->square || branches ? n : 2 * n)) != GFMUL_OK)
        return status;
    operand_cut(call, plan, x, work->scratch, DIGIT_PART_A, a, 0, an, &na);
    if (branches) {
        status = columns_mul_branches(call, plan, work, p, &na, &nb, fits);
        if (status != GFMUL_OK || !*fits)
            return status;
    } else {
        if (both_in_x) /* a square has an empty second part */
            operand_cut(call, plan, x, work->scratch, DIGIT_PART_B, b, 0, s->square ? 0 : bn, &nb);
        else if (!s->square)
            operand_cut(call, plan, y, work->scratch, DIGIT_PART_B, b, 0, bn, &nb);
        if ((status = call_stage(call, share_cut, share_spectra,
                                 s->transform.packing == GFMUL_PACKING_RIGHT_ANGLE ? n : 4 * n)) != GFMUL_OK)
            return status;
        *fits = norms_allow(call, plan, &na, s->square ? &na : &nb, 0);
        if (!*fits)
            return GFMUL_OK;

        if (plan_is_dd(s))
            f->dd->columns_mul(plan, x, s->square ? x : y, false, work->scratch, call->threads);
        else if (s->transform.packing == GFMUL_PACKING_RIGHT_ANGLE)
            f->columns_mul_fused(plan, x, s->square ? x : y, a_used, b_used, call->threads);
        else {
            operand_spectrum(call, plan, x, work->scratch, both_in_x && b_used > a_used ? b_used : a_used);
            if (!both_in_x && !s->square)
                operand_spectrum(call, plan, y, work->scratch, b_used);
            if (s->square)
                f->spectrum_sqr(plan, x, call->threads);
            else
                f->spectrum_mul(plan, x, y, call->threads);
            f->spectrum_to_columns(plan, x, call->threads);
        }
    }
    call->report.transform_ns += clock_ns() - start;
    if ((status = call_stage(call, share_spectra, share_product, result_points(s, &p->z))) != GFMUL_OK)
        return status;
    status = result_put(call, plan, &p->z, work, 0, &stats);
    *fits = stats_allow(call, plan, &na, s->square ? &na : &nb, &stats, 0);
    return status;
}

/*
 * spectrum_keep - the spectrum of the operand that all slices of the other one are multiplied with.
 *   share  in  of the work that is done behind it
 */
static enum gfmul_status spectrum_keep(struct call *call, const struct plan *plan, double *spectrum, double *scratch,
                                       const struct number *b, struct digit_norms *norms, double share)
{
    const size_t bn = operand_digits(&plan->shape, b);
    const uint64_t start = clock_ns();
    enum gfmul_status status = call_stage(call, 0, share, 2 * (double)plan->shape.transform.n_points);
    if (status != GFMUL_OK)
        return status;
    operand_cut(call, plan, spectrum, scratch, DIGIT_PART_A, b, 0, bn, norms);
    operand_spectrum(call, plan, spectrum, scratch, used_points(&plan->shape, bn));
    call->report.transform_ns += clock_ns() - start;
    return call_progress(call, share);
}

/* An operand, in one slice or in several, against a kept spectrum; share: of the work that is done already. */
static enum gfmul_status convolve_slices(struct call *call, const struct plan *plan, struct workspace *work,
                                         const struct product *p, const double *spectrum, const struct digit_norms *norms,
                                         double share, bool *fits)
{
    const struct number *a = &p->a;
    const struct plan_shape *s = &plan->shape;
    const struct stage_ops *f = plan->ops;
    double *x = work->x;
    const size_t an = operand_digits(s, a);
    const double n = (double)s->transform.n_points, step = (share_product - share) / (double)s->grid.n_slices;
    struct digit_norms slice_norms;
    struct round_stats stats;
    enum gfmul_status status = GFMUL_OK;

    for (size_t i = 0; i < s->grid.n_slices && status == GFMUL_OK; i++) {
        const size_t first = i * s->grid.slice_digits, count = i + 1 < s->grid.n_slices ? s->grid.slice_digits : an - first;
        const double from = share + step * (double)i, half_way = from + 0.7 * step;
        const uint64_t start = clock_ns();
        if ((status = call_stage(call, from, half_way, s->transform.packing == GFMUL_PACKING_RIGHT_ANGLE ? 2 * n : 3 * n)) !=
            GFMUL_OK)
            return status;
        operand_cut(call, plan, x, work->scratch, DIGIT_PART_A, a, first, count, &slice_norms);
        *fits = norms_allow(call, plan, &slice_norms, norms, i);
        if (!*fits)
            return GFMUL_OK;
        if (plan_is_dd(s)) {
            f->dd->columns_mul(plan, x, (double *)spectrum, true, work->scratch, call->threads); /* spectrum is only read */
        } else if (s->transform.packing == GFMUL_PACKING_RIGHT_ANGLE) {
            f->columns_mul_kept_fused(plan, x, spectrum, used_points(s, count), call->threads);
        } else {
            operand_spectrum(call, plan, x, work->scratch, used_points(s, count));
            f->spectrum_mul(plan, x, spectrum, call->threads);
            f->spectrum_to_columns(plan, x, call->threads);
        }
        call->report.transform_ns += clock_ns() - start;
        if ((status = call_stage(call, half_way, from + step, result_points(s, &p->z))) != GFMUL_OK)
            return status;
        status = result_put(call, plan, &p->z, work, i, &stats);
        *fits = stats_allow(call, plan, &slice_norms, norms, &stats, i);
        if (!*fits)
            return status;
    }
    return status;
}

/* The longer operand in slices against the spectrum of the shorter one. */
static enum gfmul_status convolve_unbalanced(struct call *call, const struct plan *plan, struct workspace *work,
                                             const struct product *p, bool *fits)
{
    const double share = share_product / (1 + 2 * (double)plan->shape.grid.n_slices);
    struct digit_norms norms;
    enum gfmul_status status = spectrum_keep(call, plan, work->y, work->scratch, &p->b, &norms, share);
    return status == GFMUL_OK ? convolve_slices(call, plan, work, p, work->y, &norms, share, fits) : status;
}

/* get_doubles - a buffer of the pool, once status is still OK. */
static enum gfmul_status get_doubles(struct call *call, enum gfmul_status status, size_t n, double **p)
{
    void *buffer = NULL;
    if (status == GFMUL_OK && n > 0)
        status = ctx_buffer_get(call, n * sizeof(double), &buffer);
    *p = buffer;
    return status;
}

/* scratch_get - a strip of columns for each thread, or NULL where the plan needs none. */
static enum gfmul_status scratch_get(struct call *call, enum gfmul_status status, const struct plan_shape *s, double **scratch)
{
    const bool strips = s->transform.packing == GFMUL_PACKING_RIGHT_ANGLE && s->transform.n_column_passes > 0;
    const size_t doubles = plan_is_dd(s) ? plan_dd_row_doubles(s) : strips ? plan_strip_doubles(s) : 0;
    return get_doubles(call, status, call->threads * doubles, scratch);
}

/* workspace_get - the memory of one product; one_buffer: y is not needed. */
static enum gfmul_status workspace_get(struct call *call, const struct plan_shape *s, bool one_buffer, bool text,
                                       struct workspace *work)
{
    const size_t tail = s->grid.n_slices == 1 || !text ? 0 : plan_is_dd(s) ? 2 * s->digits.bn : s->digits.bn;
    const size_t slices = s->grid.n_slices == 1 ? 0 : text ? 2 * tail : plan_slice_tail_limbs(s);
    void *extra = NULL;
    enum gfmul_status status = get_doubles(call, GFMUL_OK, plan_buffer_doubles(s), &work->x);
    status = get_doubles(call, status, one_buffer ? 0 : plan_buffer_doubles(s) / s->grid.n_branches, &work->y);
    status = scratch_get(call, status, s, &work->scratch);
    if (status == GFMUL_OK && slices > 0)
        status = ctx_buffer_get(call, slices * sizeof(mp_limb_t), &extra); /* tails are as wide as limbs */
    work->tail_limbs = extra;
    work->tail_in = extra;
    work->tail_out = extra ? work->tail_in + tail : NULL;
    return status;
}

static void workspace_put(struct call *call, struct workspace *work)
{
    ctx_buffer_put(call, work->tail_limbs);
    ctx_buffer_put(call, work->scratch);
    ctx_buffer_put(call, work->y);
    ctx_buffer_put(call, work->x);
}

/* plan_of_call - a plan as the stages of this call see it: they announce their parts to the call's callback. */
static struct plan plan_of_call(struct call *call, const struct plan *plan)
{
    struct plan view = *plan;
    view.monitor = call_monitor(call);
    return view;
}

/* multiply - the product by one shape. */
static enum gfmul_status multiply(struct call *call, const struct plan_shape *s, const struct product *p, bool *fits)
{
    const struct plan *plan = NULL;
    struct workspace work;
    const uint64_t start = clock_ns();
    enum gfmul_status status = ctx_plan_get(call, s, &plan);
    call->report.plan_ns += clock_ns() - start;

    memset(&work, 0, sizeof work);
    if (status == GFMUL_OK && s->grid.a_pieces > 1) {
        const struct plan view = plan_of_call(call, plan);
        status = mul_pieces(call, &view, p);
        ctx_plan_put(call->ctx, plan);
        return status;
    }
    if (status == GFMUL_OK)
        status = workspace_get(call, s, s->square || s->transform.packing == GFMUL_PACKING_TWO_FOR_ONE, p->z.digits, &work);
    if (status == GFMUL_OK) {
        const struct plan view = plan_of_call(call, plan);
        struct product ring = *p;
        if (s->grid.wraps && s->grid.wrap_limbs > 0)
            ring.z.n = plan_wrap_ring(s) + 1;
        status = (s->grid.n_slices > 1 ? convolve_unbalanced : convolve_whole)(call, &view, &work, &ring, fits);
    }
    if (status == GFMUL_OK && *fits && s->grid.wraps) /* with its memory beside this one's, so that the pool keeps both */
        status = mul_wrap(call, p, plan_wrap_ring(s));
    workspace_put(call, &work);
    ctx_plan_put(call->ctx, plan);
    return status;
}

/* report_plan - the plan that runs now. */
static void report_plan(struct call *call, const struct plan_shape *s)
{
    plan_info_from_shape(&call->report.plan, s, call->ctx->ops->isa);
    call->report.plan.engine = "cpu";
    call->report.plan.threads = call->threads;
}

enum gfmul_status mul_not_rounded(struct call *call)
{
    call_detail(call, "the transform returned no numbers, or such as are further from integers than its bound");
    return GFMUL_ERR_VERIFY;
}

enum gfmul_status mul_cpu(struct call *call, const struct product *p)
{
    const bool checked = call->ctx->opt.rule == GFMUL_RULE_CHECKED;
    struct plan_request request;
    struct plan_shape shape;
    char before[sizeof call->report.detail]; /* why no device makes the product, perhaps */
    memcpy(before, call->report.detail, sizeof before);
    ctx_plan_request(call, &request, p->a.base, number_size(&p->a), number_size(&p->b), p->square);
    request.wrap = p->a.digits ? PLAN_WRAP_NEVER : request.wrap;
    for (;;) {
        bool fits = true;
        call->report.max_error = 0; /* of the plan that is kept */
        const uint64_t start = clock_ns();
        enum gfmul_status status = ctx_plan_size(call, &request, &shape);
        call->report.plan_ns += clock_ns() - start;
        if (status != GFMUL_OK)
            return status;
        if (shape.grid.a_pieces <= 1)
            slices_set(&shape, &p->a);
        const unsigned threads = call_slices_limit(call, &shape);
        report_plan(call, &shape);
        status = multiply(call, &shape, p, &fits);
        call->threads = threads;
        if (status == GFMUL_OK && fits && checked)
            status = product_residues(call, p);
        if (status == GFMUL_OK && fits) {
            memcpy(call->report.detail, before, sizeof before); /* in place of what a plan that was given up left */
            return GFMUL_OK;
        }
        const bool last = shape.rule != GFMUL_RULE_CHECKED && !shape.bound.norms_measured;
        if (last && status == GFMUL_OK)
            status = mul_not_rounded(call);
        if (last || (status != GFMUL_OK && status != GFMUL_ERR_VERIFY))
            return status;
        call->report.n_fallbacks++;
        plan_request_next(&request, &shape);
    }
}

enum gfmul_status mul_cpu_keep(struct call *call, struct mul_kept *kept, const struct number *b, size_t max_an, bool worst_case)
{
    struct plan_request request;
    struct plan_shape shape;
    double *scratch = NULL;
    memset(kept, 0, sizeof *kept);
    const struct gfmul_options *opt = &call->ctx->opt;
    const bool wide = opt->precision == GFMUL_PRECISION_DD || opt->rule == GFMUL_RULE_KNUTH;
    const size_t least = wide ? KEPT_LEAST_LIMBS_DD : KEPT_LEAST_LIMBS;
    ctx_plan_request(call, &request, 2, 64 * (max_an > least ? max_an : least), 64 * b->n, false);
    request.kept = true;
    request.wrap = PLAN_WRAP_NEVER;
    if (worst_case)
        plan_request_worst(&request);
    const uint64_t start = clock_ns();
    enum gfmul_status status = ctx_plan_size(call, &request, &shape);
    if (status != GFMUL_OK)
        return status;
    kept->bytes = plan_buffer_doubles(&shape) * sizeof(double);
    report_plan(call, &shape);
    if ((status = ctx_memory_check(call, shape.memory_bytes)) == GFMUL_OK) /* of a product */
        status = ctx_plan_get(call, &shape, &kept->plan);
    call->report.plan_ns += clock_ns() - start;
    status = scratch_get(call, status, &shape, &scratch);
    if (status == GFMUL_OK)
        status = ctx_memory_room(call, kept->bytes);
    if (status == GFMUL_OK && !(kept->spectrum = alloc_aligned(kept->bytes))) {
        call_detail(call, "out of memory: %zu bytes", kept->bytes);
        status = GFMUL_ERR_MEMORY;
    }
    if (status == GFMUL_OK) {
        const struct plan plan = plan_of_call(call, kept->plan);
        status = spectrum_keep(call, &plan, kept->spectrum, scratch, b, &kept->norms, share_product);
    }
    if (status != GFMUL_OK)
        mul_cpu_forget(call->ctx, kept);
    ctx_buffer_put(call, scratch);
    return status;
}

void mul_cpu_forget(struct gfmul_ctx *ctx, struct mul_kept *kept)
{
    alloc_free(kept->spectrum);
    ctx_plan_put(ctx, kept->plan);
    memset(kept, 0, sizeof *kept);
}

enum gfmul_status mul_cpu_kept(struct call *call, const struct product *p, bool *fits)
{
    const struct mul_kept *kept = p->b.kept;
    struct workspace work;
    struct plan plan = plan_of_call(call, kept->plan); /* its own slices over the same tables */
    slices_set(&plan.shape, &p->a);
    const unsigned threads = call_slices_limit(call, &plan.shape);
    report_plan(call, &plan.shape);
    call->report.max_error = 0;
    *fits = true;
    memset(&work, 0, sizeof work);
    enum gfmul_status status = workspace_get(call, &plan.shape, true, false, &work);
    if (status == GFMUL_OK)
        status = convolve_slices(call, &plan, &work, p, kept->spectrum, &kept->norms, 0, fits);
    workspace_put(call, &work);
    call->threads = threads;
    return status;
}
