/*
 * mul_pieces.c - products of operands cut into pieces (rule knuth, plan_pieces.c): spectra kept, products added up.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "limbs/limb_bits.h"
#include "mul/ctx.h"
#include "plan/plan_dd.h"
#include "stages/dd_ops.h"

/* An operand, and the spectra of its pieces one after the other. */
struct operand_pieces {
    const mp_limb_t *limbs;
    size_t n_limbs, n_digits, n_pieces;
    double *spectra;
};

/* Shares of a product that are done behind its stages, about. */
static const double share_spectra = 0.45, share_products = 0.92;

void mul_add_slice(mp_limb_t *z, size_t zn, const mp_limb_t *slice, size_t sn, size_t at)
{
    if (at >= zn)
        return;
    const bool negative = slice[sn - 1] >> 63;
    const size_t len = zn - at < sn ? zn - at : sn;
    const mp_limb_t carry = mpn_add_n(z + at, z + at, slice, (mp_size_t)len);
    if (at + len == zn || carry == negative)
        return;
    if (carry)
        mpn_add_1(z + at + len, z + at + len, (mp_size_t)(zn - at - len), 1);
    else
        mpn_sub_1(z + at + len, z + at + len, (mp_size_t)(zn - at - len), 1);
}

static struct operand_pieces pieces_of(const struct plan_shape *s, const struct number *a)
{
    const size_t digits = limbs_bit_length(a->limbs, a->n) / s->digits.exponent + 1, piece = s->digits.an;
    return (struct operand_pieces){a->limbs, a->n, digits, (digits + piece - 1) / piece, NULL};
}

/* pieces_transform - the spectra of all pieces; the share done goes from `from` to `to`. */
static enum gfmul_status pieces_transform(struct call *call, const struct plan *plan, const struct operand_pieces *p,
                                          double *scratch, double from, double to)
{
    const size_t piece = plan->shape.digits.an, length = plan_buffer_doubles(&plan->shape);
    struct dd_source source;
    struct digit_norms norms; /* not used: the rule is for all digits */
    dd_limbs_source(&source, &plan->shape, p->limbs, p->n_limbs);
    enum gfmul_status status = call_stage(call, from, to, 2.0 * (double)plan->shape.transform.n_points * (double)p->n_pieces);
    for (size_t i = 0; i < p->n_pieces && status == GFMUL_OK; i++) {
        const size_t first = i * piece, left = p->n_digits - first;
        double *x = p->spectra + i * length;
        plan->ops->dd->source_to_columns(plan, x, &source, first, left < piece ? left : piece, &norms, call->threads);
        plan->ops->dd->columns_to_spectrum(plan, x, scratch, call->threads);
        status = call_progress(call, from + (to - from) * (double)(i + 1) / (double)p->n_pieces);
    }
    return status;
}

/* pieces_product - the sum of the products of pieces whose numbers add up to k, rounded into slice. */
static enum gfmul_status pieces_product(struct call *call, const struct plan *plan, const struct operand_pieces *a,
                                        const struct operand_pieces *b, size_t k, double *x, double *scratch, mp_limb_t *slice)
{
    const struct dd_ops *f = plan->ops->dd;
    const size_t length = plan_buffer_doubles(&plan->shape), first = k < b->n_pieces ? 0 : k - b->n_pieces + 1;
    struct round_stats stats = {.max_error = 0};
    for (size_t i = first; i < a->n_pieces && i <= k; i++)
        f->spectrum_mul_add(plan, x, a->spectra + i * length, b->spectra + (k - i) * length, i > first, call->threads);
    f->spectrum_to_columns(plan, x, scratch, call->threads);
    f->columns_to_digits(plan, x, call->threads);
    const uint64_t start = clock_ns();
    enum gfmul_status status = digits_to_limbs(plan, slice, plan_pieces_limbs(&plan->shape), x, &stats, call->threads);
    call->report.carry_ns += clock_ns() - start;
    if (stats.max_error > call->report.max_error)
        call->report.max_error = fmin(stats.max_error, 0.5);
    const bool decided = stats.max_value < DD_VALUE_LIMIT && plan_bound_decides(plan->shape.bound.value, stats.max_error);
    return status == GFMUL_OK && !decided ? mul_not_rounded(call) : status;
}

enum gfmul_status mul_pieces(struct call *call, const struct plan *plan, const struct product *p)
{
    const struct plan_shape *s = &plan->shape;
    const size_t length = plan_buffer_doubles(s), sn = plan_pieces_limbs(s), at = s->digits.an / 64 * s->digits.exponent;
    const uint64_t start = clock_ns(), carried = call->report.carry_ns;
    struct operand_pieces x = pieces_of(s, &p->a), y = pieces_of(s, &p->b);
    void *spectra = NULL, *scratch = NULL, *slice = NULL, *sum = NULL;
    enum gfmul_status status =
        ctx_buffer_get(call, (x.n_pieces + (s->square ? 0 : y.n_pieces)) * length * sizeof(double), &spectra);
    if (status == GFMUL_OK)
        status = ctx_buffer_get(call, length * sizeof(double), &sum);
    if (status == GFMUL_OK)
        status = ctx_buffer_get(call, call->threads * plan_dd_row_doubles(s) * sizeof(double), &scratch);
    if (status == GFMUL_OK)
        status = ctx_buffer_get(call, sn * sizeof(mp_limb_t), &slice);
    x.spectra = spectra;
    y.spectra = s->square ? x.spectra : x.spectra + x.n_pieces * length;
    if (status == GFMUL_OK)
        status = pieces_transform(call, plan, &x, scratch, 0, s->square ? share_spectra : share_spectra / 2);
    if (status == GFMUL_OK && !s->square)
        status = pieces_transform(call, plan, &y, scratch, share_spectra / 2, share_spectra);
    if (status == GFMUL_OK)
        memset(p->z.limbs, 0, p->z.n * sizeof(mp_limb_t));
    const size_t sums = x.n_pieces + y.n_pieces - 1;
    const double step = (share_products - share_spectra) / (double)sums;
    for (size_t k = 0; k < sums && status == GFMUL_OK; k++) {
        status = call_stage(call, share_spectra + step * (double)k, share_spectra + step * (double)(k + 1),
                            3.0 * (double)s->transform.n_points);
        if (status == GFMUL_OK)
            status = pieces_product(call, plan, &x, &y, k, sum, scratch, slice);
        if (status == GFMUL_OK)
            status = call_progress(call, share_spectra + step * (double)(k + 1));
        if (status == GFMUL_OK)
            mul_add_slice(p->z.limbs, p->z.n, slice, sn, k * at);
    }
    call->report.transform_ns += clock_ns() - start - (call->report.carry_ns - carried);
    ctx_buffer_put(call, slice);
    ctx_buffer_put(call, scratch);
    ctx_buffer_put(call, sum);
    ctx_buffer_put(call, spectra);
    return status;
}
