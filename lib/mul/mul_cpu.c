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

/* An operand as limbs or as text: either is cut into the plan's digits. */
struct operand {
    const mp_limb_t *limbs;
    size_t n_limbs;
    const struct text_number *text; /* NULL: limbs */
};

/* Where the product goes, and what slices need to be put together. */
struct product_sink {
    mp_limb_t *limbs;
    size_t n_limbs;
    char *text; /* NULL: limbs */
    size_t n_text;
    mp_limb_t *tail_limbs;       /* what a slice's product has in common with the next one's, where there are several */
    int64_t *tail_in, *tail_out; /* text: coefficients that overlap the next slice; double-double: of 128 bits */
};

/* The memory of one product, from the context's pool; a member that the plan does not need is NULL. */
struct workspace {
    double *x, *y;   /* buffers of the plan */
    double *scratch; /* a strip of columns a thread */
    void *slices;    /* what puts slices together */
};

/* operand_size - bits in whole limbs, or digits of text: what plan_size is asked with. */
static size_t operand_size(const struct operand *op)
{
    return op->text ? op->text->n_digits : 64 * op->n_limbs;
}

/* operand_digits - balanced digits of the whole operand, the one for the last carry included. */
static size_t operand_digits(const struct plan_shape *s, const struct operand *op)
{
    if (op->text)
        return (op->text->n_digits + s->digits.exponent - 1) / s->digits.exponent + 1;
    return limbs_bit_length(op->limbs, op->n_limbs) / s->digits.exponent + 1;
}

static void operand_source(struct digit_source *source, const struct plan *plan, const struct operand *op)
{
    if (op->text)
        text_source(source, plan, op->text);
    else
        limbs_source(source, plan, op->limbs, op->n_limbs);
}

/* operand_cut - digits into x; right-angle: with the column passes done. */
static void operand_cut(const struct call *call, const struct plan *plan, double *x, double *scratch, enum digit_part part,
                        const struct operand *op, size_t first, size_t count, struct digit_norms *norms)
{
    struct digit_source source;
    struct dd_source dd_source;
    if (plan_is_dd(&plan->shape)) {
        if (op->text)
            dd_text_source(&dd_source, &plan->shape, op->text);
        else
            dd_limbs_source(&dd_source, &plan->shape, op->limbs, op->n_limbs);
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
static void slices_set(struct plan_shape *s, const struct operand *a)
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

/* sink_points - points of sink_put's parts: text takes two passes but for the fused one of a whole decimal product. */
static double sink_points(const struct plan_shape *s, const struct product_sink *sink)
{
    const bool fused = !sink->text || (s->grid.n_slices == 1 && s->digits.base == 10);
    return (fused ? 1.0 : 2.0) * (double)s->transform.n_points;
}

/* slice_to_text - slice i of a product in text; in double-double tails are of 128 bits. */
static enum gfmul_status slice_to_text(struct call *call, const struct plan *plan, struct product_sink *sink, const double *x,
                                       size_t i, struct round_stats *stats)
{
    const struct plan_shape *s = &plan->shape;
    const bool last = i + 1 == s->grid.n_slices;
    const size_t below = i * s->grid.slice_digits * s->digits.exponent, left = sink->n_text - below;
    const size_t len =
        last || s->grid.slice_digits * s->digits.exponent > left ? left : s->grid.slice_digits * s->digits.exponent;
    char *z = sink->text + left - len;
    const struct text_tails tails = {
        .in = i ? sink->tail_in : NULL, .out = last ? NULL : sink->tail_out, .n = s->digits.bn, .advance = s->grid.slice_digits};
    sink->tail_out = sink->tail_in;
    sink->tail_in = tails.out;
    if (plan_is_dd(s))
        return dd_digits_to_text(plan, z, len, x, &tails, stats, call->threads);
    digits_to_text(plan, z, len, x, &tails, stats, call->threads);
    return GFMUL_OK;
}

/*
 * slice_to_limbs - slice i of a product in limbs, where it belongs: what the slices before it left there, a signed number of
 * plan_slice_tail_limbs limbs, is put aside and added.
 */
static enum gfmul_status slice_to_limbs(struct call *call, const struct plan *plan, const struct product_sink *sink,
                                        const struct workspace *work, size_t i, struct round_stats *stats)
{
    const struct plan_shape *s = &plan->shape;
    const size_t at = i * slice_advance(s), left = sink->n_limbs - at, shared = plan_slice_tail_limbs(s);
    const size_t tail = shared < left ? shared : left, whole = slice_advance(s) + shared;
    const size_t zn = i + 1 < s->grid.n_slices && whole < left ? whole : left;
    mp_limb_t *z = sink->limbs + at;
    if (i > 0)
        memcpy(sink->tail_limbs, z, tail * sizeof *z);
    enum gfmul_status status = plan_is_dd(s) ? digits_to_limbs(plan, z, zn, work->x, stats, call->threads)
                                             : columns_to_limbs(plan, z, zn, work->x, work->scratch, stats, call->threads);
    if (i > 0 && status == GFMUL_OK)
        mul_add_slice(z, zn, sink->tail_limbs, tail, 0);
    return status;
}

/* sink_put - the inverse column passes, carry and store: slice i of the product in x.   stats out. */
static enum gfmul_status sink_put(struct call *call, const struct plan *plan, struct product_sink *sink,
                                  const struct workspace *work, size_t i, struct round_stats *stats)
{
    const struct plan_shape *s = &plan->shape;
    const uint64_t start = clock_ns();
    double *x = work->x;
    enum gfmul_status status;
    *stats = (struct round_stats){.max_error = 0};
    if (plan_is_dd(s)) {
        plan->ops->dd->columns_to_digits(plan, x, call->threads);
        status = sink->text ? slice_to_text(call, plan, sink, x, i, stats) : slice_to_limbs(call, plan, sink, work, i, stats);
    } else if (sink->text && s->grid.n_slices == 1) {
        status = columns_to_text(plan, sink->text, sink->n_text, x, work->scratch, stats, call->threads);
    } else if (sink->text) {
        plan->ops->columns_to_digits(plan, x, call->threads);
        status = slice_to_text(call, plan, sink, x, i, stats);
    } else {
        status = slice_to_limbs(call, plan, sink, work, i, stats);
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
                                              const struct operand *b, const struct product_sink *sink,
                                              const struct digit_norms *na, struct digit_norms *nb, bool *fits)
{
    const struct plan_shape *s = &plan->shape;
    const size_t bn = operand_digits(s, b);
    const double n = (double)s->transform.n_points / s->grid.n_branches,
                 step = (share_spectra - share_cut / 2) / s->grid.n_branches;
    struct digit_source source;
    enum gfmul_status status = GFMUL_OK;
    operand_source(&source, plan, b);
    if (!sink->text && s->digits.exponent <= PLAN_ASIDE_BITS &&
        s->transform.n_points <= sink->n_limbs * (sizeof(mp_limb_t) / sizeof(aside_digit))) {
        aside_digit *aside = (aside_digit *)sink->limbs;
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
static enum gfmul_status convolve_whole(struct call *call, const struct plan *plan, const struct workspace *work,
                                        const struct operand *a, const struct operand *b, struct product_sink *sink, bool *fits)
{
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
        status = columns_mul_branches(call, plan, work, b, sink, &na, &nb, fits);
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
    if ((status = call_stage(call, share_spectra, share_product, sink_points(s, sink))) != GFMUL_OK)
        return status;
    status = sink_put(call, plan, sink, work, 0, &stats);
    *fits = stats_allow(call, plan, &na, s->square ? &na : &nb, &stats, 0);
    return status;
}

/*
 * spectrum_keep - the spectrum of the operand that all slices of the other one are multiplied with.
 *   share  in  of the work that is done behind it
 */
static enum gfmul_status spectrum_keep(struct call *call, const struct plan *plan, double *spectrum, double *scratch,
                                       const struct operand *b, struct digit_norms *norms, double share)
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
static enum gfmul_status convolve_slices(struct call *call, const struct plan *plan, const struct workspace *work,
                                         const struct operand *a, const double *spectrum, const struct digit_norms *norms,
                                         double share, struct product_sink *sink, bool *fits)
{
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
        if ((status = call_stage(call, half_way, from + step, sink_points(s, sink))) != GFMUL_OK)
            return status;
        status = sink_put(call, plan, sink, work, i, &stats);
        *fits = stats_allow(call, plan, &slice_norms, norms, &stats, i);
        if (!*fits)
            return status;
    }
    return status;
}

/* The longer operand in slices against the spectrum of the shorter one. */
static enum gfmul_status convolve_unbalanced(struct call *call, const struct plan *plan, const struct workspace *work,
                                             const struct operand *a, const struct operand *b, struct product_sink *sink,
                                             bool *fits)
{
    const double share = share_product / (1 + 2 * (double)plan->shape.grid.n_slices);
    struct digit_norms norms;
    enum gfmul_status status = spectrum_keep(call, plan, work->y, work->scratch, b, &norms, share);
    return status == GFMUL_OK ? convolve_slices(call, plan, work, a, work->y, &norms, share, sink, fits) : status;
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
static enum gfmul_status workspace_get(struct call *call, const struct plan_shape *s, bool one_buffer, struct product_sink *sink,
                                       struct workspace *work)
{
    const size_t tail = s->grid.n_slices == 1 || !sink->text ? 0 : plan_is_dd(s) ? 2 * s->digits.bn : s->digits.bn;
    const size_t slices = s->grid.n_slices == 1 ? 0 : sink->text ? 2 * tail : plan_slice_tail_limbs(s);
    double *extra;
    enum gfmul_status status = get_doubles(call, GFMUL_OK, plan_buffer_doubles(s), &work->x);
    status = get_doubles(call, status, one_buffer ? 0 : plan_buffer_doubles(s) / s->grid.n_branches, &work->y);
    status = scratch_get(call, status, s, &work->scratch);
    status = get_doubles(call, status, slices, &extra); /* limbs and tails are as wide as doubles */
    work->slices = extra;
    sink->tail_limbs = work->slices;
    sink->tail_in = work->slices;
    sink->tail_out = work->slices ? sink->tail_in + tail : NULL;
    return status;
}

static void workspace_put(struct call *call, struct workspace *work)
{
    ctx_buffer_put(call, work->slices);
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
static enum gfmul_status multiply(struct call *call, const struct plan_shape *s, const struct operand *a, const struct operand *b,
                                  struct product_sink *sink, bool *fits)
{
    const struct plan *plan = NULL;
    struct workspace work = {NULL, NULL, NULL, NULL};
    const uint64_t start = clock_ns();
    enum gfmul_status status = ctx_plan_get(call, s, &plan);
    call->report.plan_ns += clock_ns() - start;

    if (status == GFMUL_OK && s->grid.a_pieces > 1) {
        const struct plan view = plan_of_call(call, plan);
        status = mul_pieces(call, &view, sink->limbs, sink->n_limbs, a->limbs, a->n_limbs, b->limbs, b->n_limbs);
        ctx_plan_put(call->ctx, plan);
        return status;
    }
    if (status == GFMUL_OK)
        status = workspace_get(call, s, s->square || s->transform.packing == GFMUL_PACKING_TWO_FOR_ONE, sink, &work);
    if (status == GFMUL_OK) {
        const struct plan view = plan_of_call(call, plan);
        struct product_sink ring = *sink;
        if (s->grid.wraps && s->grid.wrap_limbs > 0)
            ring.n_limbs = plan_wrap_ring(s) + 1;
        status = (s->grid.n_slices > 1 ? convolve_unbalanced : convolve_whole)(call, &view, &work, a, b, &ring, fits);
    }
    if (status == GFMUL_OK && *fits && s->grid.wraps) /* with its memory beside this one's, so that the pool keeps both */
        status = mul_wrap(call, sink->limbs, plan_wrap_ring(s), a->limbs, a->n_limbs, b->limbs, b->n_limbs);
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

/* product_is_right - the residue check that the rule checked lives by, whatever the options say. */
static enum gfmul_status product_is_right(struct call *call, const struct operand *a, const struct operand *b,
                                          const struct product_sink *sink)
{
    if (sink->text)
        return mul_residue_text(call, sink->text, sink->n_text, a->text->base, a->text, b->text);
    return mul_residue_limbs(call, sink->limbs, a->limbs, a->n_limbs, b->limbs, b->n_limbs);
}

/*
 * plan_and_multiply - the expected norms (rule checked: errors) first; as long as what is measured is too large, smaller
 * digits.  The plan for the worst case is the last one.
 */
static enum gfmul_status plan_and_multiply(struct call *call, unsigned base, const struct operand *a, const struct operand *b,
                                           bool square, struct product_sink *sink)
{
    const bool checked = call->ctx->opt.rule == GFMUL_RULE_CHECKED;
    struct plan_request request;
    struct plan_shape shape;
    char before[sizeof call->report.detail]; /* why no device makes the product, perhaps */
    memcpy(before, call->report.detail, sizeof before);
    ctx_plan_request(call, &request, base, operand_size(a), operand_size(b), square);
    request.wrap = a->text ? PLAN_WRAP_NEVER : request.wrap;
    for (;;) {
        bool fits = true;
        call->report.max_error = 0; /* of the plan that is kept */
        const uint64_t start = clock_ns();
        enum gfmul_status status = ctx_plan_size(call, &request, &shape);
        call->report.plan_ns += clock_ns() - start;
        if (status != GFMUL_OK)
            return status;
        if (shape.grid.a_pieces <= 1)
            slices_set(&shape, a);
        const unsigned threads = call_slices_limit(call, &shape);
        report_plan(call, &shape);
        status = multiply(call, &shape, a, b, sink, &fits);
        call->threads = threads;
        if (status == GFMUL_OK && fits && checked)
            status = product_is_right(call, a, b, sink);
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

enum gfmul_status mul_cpu_limbs(struct call *call, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    const struct operand x = {.limbs = a, .n_limbs = an}, y = {.limbs = b, .n_limbs = bn};
    struct product_sink sink = {.limbs = z, .n_limbs = an + bn};
    return plan_and_multiply(call, 2, &x, &y, is_square(a, an, b, bn), &sink);
}

enum gfmul_status mul_cpu_keep(struct call *call, struct mul_kept *kept, const mp_limb_t *b, size_t bn, size_t max_an,
                               bool worst_case)
{
    const struct operand y = {.limbs = b, .n_limbs = bn};
    struct plan_request request;
    struct plan_shape shape;
    double *scratch = NULL;
    memset(kept, 0, sizeof *kept);
    const struct gfmul_options *opt = &call->ctx->opt;
    const bool wide = opt->precision == GFMUL_PRECISION_DD || opt->rule == GFMUL_RULE_KNUTH;
    const size_t least = wide ? KEPT_LEAST_LIMBS_DD : KEPT_LEAST_LIMBS;
    ctx_plan_request(call, &request, 2, 64 * (max_an > least ? max_an : least), 64 * bn, false);
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
        status = spectrum_keep(call, &plan, kept->spectrum, scratch, &y, &kept->norms, share_product);
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

enum gfmul_status mul_cpu_kept(struct call *call, mp_limb_t *z, size_t zn, const mp_limb_t *a, size_t an,
                               const struct mul_kept *kept, bool *fits)
{
    const struct operand x = {.limbs = a, .n_limbs = an};
    struct product_sink sink = {.limbs = z, .n_limbs = zn};
    struct workspace work = {NULL, NULL, NULL, NULL};
    struct plan plan = plan_of_call(call, kept->plan); /* its own slices over the same tables */
    slices_set(&plan.shape, &x);
    const unsigned threads = call_slices_limit(call, &plan.shape);
    report_plan(call, &plan.shape);
    call->report.max_error = 0;
    *fits = true;
    enum gfmul_status status = workspace_get(call, &plan.shape, true, &sink, &work);
    if (status == GFMUL_OK)
        status = convolve_slices(call, &plan, &work, &x, kept->spectrum, &kept->norms, 0, &sink, fits);
    workspace_put(call, &work);
    call->threads = threads;
    return status;
}

enum gfmul_status mul_cpu_text(struct call *call, char *z, size_t zn, const struct text_number *a, const struct text_number *b)
{
    const bool swap = a->n_digits < b->n_digits;
    const struct operand x = {.text = swap ? b : a}, y = {.text = swap ? a : b};
    struct product_sink sink = {.text = z, .n_text = zn};
    return plan_and_multiply(call, a->base, &x, &y, a->digits == b->digits && a->n_digits == b->n_digits, &sink);
}
