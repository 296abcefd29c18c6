/*
 * space_primes.c - the long products of a sum modulo primes.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The sum is known modulo 2^K - 1, K = plan_wrap_ring() limbs, or modulo 2^K + 1 if the plan is turned.  Its coefficients may be
 * negative, so 2^prime_offset_bits is added to each, and what that adds to the sum is subtracted from the limbs.  All this is
 * exact.
 */
#include <string.h>

#include "above/ring.h"
#include "base/try.h"
#include "mul/convolve.h"
#include "prime/prime_roots.h"
#include "space/space_sum.h"

/* The share of a part's work that is done after the columns of its factors. */
static const double share_columns = 0.4;

/* The memory of a sum, from the context's pool, and its factors modulo the primes of a round. */
struct prime_work {
    struct long_sum *l;
    struct plan plan;
    const struct prime_ops *ops;
    void *x[PRIME_COUNT]; /* sums, then residues; of sums side by side those of the first one */
    void *spare;          /* columns of factors that pass, modulo each prime of a round; NULL if there are none */
    void *scratch, *tails, *lists;
    size_t buffer;                           /* doubles */
    size_t n_passing, n_spare;               /* factors that pass in a part, at most, and so far */
    bool lends;                              /* the first of them uses the buffer of the sum */
    unsigned first, count;                   /* primes of the round */
    struct prime_factor *factor[PRIME_CUTS]; /* of each prime, as l->use; x NULL: not seen in this round */
    struct prime_term *term[PRIME_CUTS];     /* of each prime, of a part */
};

/* work_get - take all of it; call work_put in any case.   Errors: MEMORY. */
static enum gfmul_status work_get(struct prime_work *w)
{
    struct long_sum *l = w->l;
    struct call *call = l->call;
    const struct plan_shape *s = &w->plan.shape;
    const size_t lists = PRIME_CUTS * (l->n_uses * sizeof **w->factor + l->n * sizeof **w->term);
    for (size_t i = 0; i < l->n_uses && w->n_passing < PRIME_PASSING; i++)
        w->n_passing += l->use[i].passing;
    w->lends = w->n_passing > 0 && l->n_passing <= PLAN_SUM_BLOCK;
    for (unsigned i = 0; i < s->transform.n_primes; i++)
        TRY(ctx_buffer_get(call, w->buffer * sizeof(double), &w->x[i]));
    if (w->n_passing > w->lends)
        TRY(ctx_buffer_get(call, PRIME_CUTS * (w->n_passing - w->lends) * w->buffer * sizeof(double), &w->spare));
    TRY(ctx_buffer_get(call, call->threads * prime_sums_scratch(s) * sizeof(double), &w->scratch));
    TRY(ctx_buffer_get(call, prime_join_parts(s, call->threads) * PRIME_TAIL_LIMBS * sizeof(mp_limb_t), &w->tails));
    TRY(ctx_buffer_get(call, lists, &w->lists));
    for (unsigned k = 0; k < PRIME_CUTS; k++) {
        w->factor[k] = (struct prime_factor *)w->lists + k * l->n_uses;
        w->term[k] = (struct prime_term *)((struct prime_factor *)w->lists + PRIME_CUTS * l->n_uses) + k * l->n;
    }
    return GFMUL_OK;
}

static void work_put(struct prime_work *w)
{
    struct call *call = w->l->call;
    ctx_buffer_put(call, w->lists);
    ctx_buffer_put(call, w->tails);
    ctx_buffer_put(call, w->scratch);
    ctx_buffer_put(call, w->spare);
    for (unsigned i = 0; i < PRIME_COUNT; i++)
        ctx_buffer_put(call, w->x[i]);
}

/* spare_of - the buffer of a factor that passes, modulo prime k of the round. */
static double *spare_of(const struct prime_work *w, unsigned k, size_t slot)
{
    if (w->lends && slot == 0)
        return w->x[w->first + k];
    return (double *)w->spare + (k * (w->n_passing - w->lends) + slot - w->lends) * w->buffer;
}

/* factor_begin - the spectrum of a factor modulo the primes of the round, or its columns.   Errors: MEMORY. */
static enum gfmul_status factor_begin(struct prime_work *w, struct use *use)
{
    struct long_sum *l = w->l;
    const size_t i = (size_t)(use - l->use);
    const struct prime_source source = {use->x->limbs, use->x->n};
    double *x[PRIME_CUTS];
    if (w->factor[0][i].x)
        return GFMUL_OK;
    if (!use->passing && !use->t) {
        TRY(transform_alloc(l->call, l->space, l->plan, &use->t));
        use->columns = true;
    }
    const bool made = use->passing || use->columns;
    const size_t slot = w->n_spare;
    w->n_spare += use->passing;
    for (unsigned k = 0; k < w->count; k++) {
        x[k] = use->passing ? spare_of(w, k, slot) : use->t->points + (w->first + k) * w->buffer;
        w->factor[k][i] = (struct prime_factor){x[k], made, use->passing, (unsigned)slot};
    }
    if (made)
        w->ops->digits_to_columns(&w->plan, l->space->table + w->first, w->count, x, w->scratch, &source, l->call->threads);
    return GFMUL_OK;
}

/* factor_of - x modulo prime k of the round. */
static const struct prime_factor *factor_of(const struct prime_work *w, unsigned k, struct natural *x)
{
    return &w->factor[k][use_of(w->l, x) - w->l->use];
}

/* part_sum - add terms first .. end - 1 of the sum, whose factors have begun, modulo prime k of the round. */
static void part_sum(struct prime_work *w, unsigned k, size_t first, size_t end)
{
    const struct long_sum *l = w->l;
    struct prime_sum sum = {.z = w->x[w->first + k], .product = w->term[k], .more = first > 0};
    for (size_t i = first; i < end; i++) {
        const struct term *t = l->term[i];
        w->term[k][sum.n++] = (struct prime_term){factor_of(w, k, t->a), factor_of(w, k, t->b)};
        sum.n_plus += !t->minus;
    }
    const struct prime_sums sums = {&sum, 1, w->factor[k], l->n_uses, end == l->n};
    w->ops->rows_sums(&w->plan, &l->space->table[w->first + k], &sums, w->scratch, l->call->threads);
    for (size_t i = 0; i < l->n_uses; i++) {
        struct prime_factor *const factor = &w->factor[k][i];
        factor->x = factor->passes ? NULL : factor->x;
        factor->columns = factor->passes = false;
    }
}

/* part_make - add terms first .. end - 1 of the sum, modulo the primes of the round. */
static enum gfmul_status part_make(struct prime_work *w, size_t first, size_t end)
{
    struct long_sum *l = w->l;
    const double of = SHARE_SUM / (double)w->plan.shape.transform.n_primes, points = (double)w->plan.shape.transform.n_points;
    const double from = of * (w->first + w->count * (double)first / (double)l->n);
    const double to = of * (w->first + w->count * (double)end / (double)l->n), middle = from + share_columns * (to - from);
    w->n_spare = 0;
    TRY(call_stage(l->call, from, middle, 2.0 * points * (double)(w->count * (end - first))));
    for (size_t i = first; i < end; i++) {
        TRY(factor_begin(w, use_of(l, l->term[i]->a)));
        TRY(factor_begin(w, use_of(l, l->term[i]->b)));
        TRY(call_progress(l->call, from)); /* stop here, if it is to stop */
    }
    TRY(call_stage(l->call, middle, to, points * (double)(w->count * (2 * (end - first) + 1))));
    for (unsigned k = 0; k < w->count; k++)
        part_sum(w, k, first, end);
    return call_progress(l->call, to);
}

/* round_make - the sum modulo primes first .. first + count - 1. */
static enum gfmul_status round_make(struct prime_work *w)
{
    struct long_sum *l = w->l;
    memset(w->factor[0], 0, PRIME_CUTS * l->n_uses * sizeof **w->factor);
    for (size_t first = 0, end; first < l->n; first = end) {
        const size_t left = l->n_passing > first ? l->n_passing - first : 0;
        end = left > PLAN_SUM_BLOCK ? first + PLAN_SUM_BLOCK : left > 0 ? l->n_passing : l->n;
        TRY(part_make(w, first, end));
    }
    for (unsigned k = 0; k < w->count; k++)
        w->ops->columns_to_residues(&w->plan, &l->space->table[w->first + k], w->x[w->first + k], w->scratch, l->call->threads);
    return GFMUL_OK;
}

/* residues_value - the magnitude and the sign of a sum, from its residues. */
static void residues_value(const struct prime_work *w, double *const *x, mp_limb_t *z, bool *negative)
{
    const enum phase phase = phase_enter(&w->l->call->clock, PHASE_CARRY);
    const size_t n = prime_ring_limbs(&w->plan.shape);
    residues_to_ring(w->l->call, &w->plan, x, w->tails, z);
    if (w->plan.shape.transform.turned) {
        if ((*negative = ring_is_negative(z, n)))
            ring_negate(z, n);
    } else if ((*negative = z[n - 1] >> 63 != 0)) {
        mpn_com(z, z, (mp_size_t)n);
    }
    phase_enter(&w->l->call->clock, phase);
}

/* round_next - the primes of the next round.   false: there are none */
static bool round_next(struct prime_work *w)
{
    const unsigned n = w->plan.shape.transform.n_primes;
    w->first += w->count;
    w->count = n - w->first < PRIME_CUTS ? n - w->first : PRIME_CUTS;
    return w->count > 0;
}

/* factors_keep - the transforms of all factors that do not pass are whole now. */
static void factors_keep(struct long_sum *l)
{
    for (size_t i = 0; i < l->n_uses; i++)
        if (l->use[i].columns)
            use_done(l, &l->use[i]);
}

/* sum_make - prime_sum_make with its memory. */
static enum gfmul_status sum_make(struct prime_work *w, mp_limb_t *z, bool *negative)
{
    struct long_sum *l = w->l;
    double *x[PRIME_COUNT];
    while (round_next(w))
        TRY(round_make(w));
    TRY(call_stage(l->call, SHARE_SUM, SHARE_CARRY, (double)w->plan.shape.transform.n_points));
    factors_keep(l);
    memcpy(x, w->x, sizeof x);
    residues_value(w, x, z, negative);
    return call_progress(l->call, SHARE_CARRY);
}

/* work_begin - what does not need memory. */
static struct prime_work work_begin(struct long_sum *l)
{
    struct prime_work w = {.l = l, .plan = l->space->plan[0].plan, .ops = prime_ops_of(l->call->ctx->ops)};
    w.buffer = prime_buffer_doubles(&w.plan.shape);
    w.plan.monitor = l->call->monitor;
    return w;
}

enum gfmul_status prime_sum_make(struct long_sum *l, mp_limb_t *z, bool *negative)
{
    struct prime_work w = work_begin(l);
    enum gfmul_status status = work_get(&w);
    if (status == GFMUL_OK)
        status = sum_make(&w, z, negative);
    factors_forget(l);
    work_put(&w);
    return status;
}

/* ---- sums side by side ---- */

/* sums_memory - all but the sums' own.   sum out: for each sum, sum by sum.   Errors: MEMORY. */
static enum gfmul_status sums_memory(struct prime_work *w, size_t terms, size_t n, struct prime_sum **sum)
{
    const struct long_sum *l = w->l;
    const struct plan_shape *s = &w->plan.shape;
    const size_t lists = PRIME_CUTS * l->n_uses * sizeof **w->factor + terms * sizeof **w->term + n * sizeof **sum;
    TRY(ctx_buffer_get(l->call, l->call->threads * prime_sums_scratch(s) * sizeof(double), &w->scratch));
    TRY(ctx_buffer_get(l->call, prime_join_parts(s, l->call->threads) * PRIME_TAIL_LIMBS * sizeof(mp_limb_t), &w->tails));
    TRY(ctx_buffer_get(l->call, lists, &w->lists));
    *sum = w->lists;
    w->term[0] = (struct prime_term *)(*sum + n);
    for (unsigned k = 0; k < PRIME_CUTS; k++)
        w->factor[k] = (struct prime_factor *)(w->term[0] + terms) + k * l->n_uses;
    return GFMUL_OK;
}

/* sums_list - the products of all sums modulo prime k of the round. */
static void sums_list(struct prime_work *w, unsigned k, struct sum *const *s, size_t n, double *x, struct prime_sum *sum)
{
    const struct long_sum *l = w->l;
    struct prime_term *term = w->term[0];
    const size_t apart = w->plan.shape.transform.n_primes * w->buffer;
    for (size_t i = 0; i < n; i++, term += sum++->n) {
        *sum = (struct prime_sum){.z = x + i * apart + (w->first + k) * w->buffer, .product = term};
        for (unsigned minus = 0; minus < 2; minus++)
            for (size_t j = 0; j < s[i]->n; j++) {
                const struct term *t = &s[i]->term[j];
                if (t->minus != (minus == 1) || !term_is_long(l->space, t))
                    continue;
                term[sum->n++] = (struct prime_term){factor_of(w, k, t->a), factor_of(w, k, t->b)};
                sum->n_plus += !t->minus;
            }
    }
}

/* sums_round - all sums modulo the primes of the round. */
static enum gfmul_status sums_round(struct prime_work *w, struct sum *const *s, size_t n, double *x, struct prime_sum *sum)
{
    struct long_sum *l = w->l;
    const unsigned threads = l->call->threads;
    const double of = SHARE_SUM / (double)w->plan.shape.transform.n_primes, points = (double)w->plan.shape.transform.n_points;
    const double from = of * w->first, to = from + of * w->count, middle = from + share_columns * (to - from);
    memset(w->factor[0], 0, PRIME_CUTS * l->n_uses * sizeof **w->factor);
    TRY(call_stage(l->call, from, middle, points * (double)(w->count * l->n_uses)));
    for (size_t i = 0; i < l->n_uses; i++) {
        TRY(factor_begin(w, &l->use[i]));
        TRY(call_progress(l->call, from)); /* stop here, if it is to stop */
    }
    TRY(call_stage(l->call, middle, to, points * (double)(w->count * (l->n_uses + 2 * n))));
    for (unsigned k = 0; k < w->count; k++) {
        const struct prime_tables *t = &l->space->table[w->first + k];
        sums_list(w, k, s, n, x, sum);
        w->ops->rows_sums(&w->plan, t, &(struct prime_sums){sum, n, w->factor[k], l->n_uses, true}, w->scratch, threads);
        for (size_t i = 0; i < n; i++)
            w->ops->columns_to_residues(&w->plan, t, sum[i].z, w->scratch, threads);
    }
    return call_progress(l->call, to);
}

/* sums_values - the values of all sums. */
static enum gfmul_status sums_values(const struct prime_work *w, size_t n, double *x, mp_limb_t *z, prime_value *take, void *arg)
{
    const struct long_sum *l = w->l;
    const struct plan_shape *shape = &w->plan.shape;
    for (size_t i = 0; i < n; i++) {
        const double step = (1.0 - SHARE_SUM) / (double)n, from = SHARE_SUM + step * (double)i;
        double *residues[PRIME_COUNT];
        bool negative;
        for (unsigned k = 0; k < shape->transform.n_primes; k++, x += w->buffer)
            residues[k] = x;
        TRY(call_stage(l->call, from, from + step, (double)shape->transform.n_points));
        residues_value(w, residues, z, &negative);
        TRY(call_progress(l->call, from + step));
        TRY(take(arg, i, negative));
    }
    return GFMUL_OK;
}

enum gfmul_status prime_sums_make(struct long_sum *l, struct sum *const *s, size_t n, double *x, mp_limb_t *z, prime_value *take,
                                  void *arg)
{
    struct prime_work w = work_begin(l);
    struct prime_sum *sum = NULL;
    size_t terms = 0;
    for (size_t i = 0; i < n; i++)
        terms += s[i]->n;
    enum gfmul_status status = sums_memory(&w, terms, n, &sum);
    while (status == GFMUL_OK && round_next(&w))
        status = sums_round(&w, s, n, x, sum);
    if (status == GFMUL_OK) {
        factors_keep(l);
        status = sums_values(&w, n, x, z, take, arg);
    }
    factors_forget(l);
    work_put(&w);
    return status;
}
