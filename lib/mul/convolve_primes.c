/*
 * convolve_primes.c - the pipeline modulo primes: one prime after the other, then the Chinese remainder and the carry.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/try.h"
#include "mul/convolve.h"
#include "mul/mul_wrap.h"
#include "prime/prime_ops.h"

/* The share of the work that is finished after the transforms, and after the product; the check takes the rest. */
static const double share_transforms = 0.85, share_product = 0.92;

/* lent_buffer - a buffer within the limbs of the product, aligned. */
static double *lent_buffer(const struct product *p)
{
    const uintptr_t line = PRIME_STRIP * sizeof(double);
    return (double *)(((uintptr_t)p->z.limbs + line - 1) / line * line);
}

static enum gfmul_status primes_take(struct attempt *t, struct cpu_lease *l)
{
    struct call *call = t->call;
    const struct plan_shape *s = &t->shape;
    struct prime_workspace *w = &l->residues;
    const bool kept = t->p->b.spectrum != NULL;
    const size_t other = kept ? 0 : prime_other_doubles(s, t->p->z.n);
    l->tables.plan.shape = *s;
    l->tables.plan.monitor = call->monitor;
    for (unsigned i = 0; i < s->transform.n_primes; i++)
        TRY(ctx_buffer_get(call, prime_buffer_doubles(s) * sizeof(double), &w->x[i]));
    if (other != 0)
        TRY(ctx_buffer_get(call, other * sizeof(double), &w->y));
    TRY(ctx_buffer_get(call, call->threads * (kept ? prime_sums_scratch(s) : prime_scratch_doubles(s)) * sizeof(double),
                       &w->scratch));
    if (!kept)
        TRY(ctx_buffer_get(call, PRIME_CUTS * prime_table_doubles(s) * sizeof(double), &w->tables));
    l->quotient = w->x[0]; /* nobody reads the residues any more by then */
    assert(!s->grid.wraps || 2 * s->grid.wrap_limbs <= prime_buffer_doubles(s));
    return ctx_buffer_get(call, prime_join_parts(s, call->threads) * PRIME_TAIL_LIMBS * sizeof(mp_limb_t), &w->tails);
}

static void primes_give(struct attempt *t, struct cpu_lease *l)
{
    struct prime_workspace *w = &l->residues;
    ctx_buffer_put(t->call, w->tails);
    ctx_buffer_put(t->call, w->tables);
    ctx_buffer_put(t->call, w->scratch);
    ctx_buffer_put(t->call, w->y);
    for (unsigned i = 0; i < PRIME_COUNT; i++)
        ctx_buffer_put(t->call, w->x[i]);
}

/*
 * residues_make - the product's coefficients modulo primes first .. first + count - 1;  turned: modulo x^n + 1.
 *   from, to  in  progress before and after all primes
 *
 * An operand's digits are cut once for all these primes if there are enough buffers; a later prime's buffer may serve as one.
 */
static enum gfmul_status residues_make(const struct attempt *t, const struct cpu_lease *l, unsigned first, unsigned count,
                                       bool turned, double from, double to)
{
    const struct plan *plan = &l->tables.plan;
    const struct plan_shape *s = &plan->shape;
    const struct prime_workspace *w = &l->residues;
    const struct product *p = t->p;
    const struct prime_ops *ops = prime_ops_of(t->call->ctx->ops);
    const unsigned threads = t->call->threads;
    const struct prime_source a = {p->a.limbs, p->a.n}, b = {p->b.limbs, p->b.n};
    struct prime_tables tables[PRIME_CUTS];
    double *x[PRIME_CUTS], *y[PRIME_CUTS];
    const bool both = first + count < s->transform.n_primes;
    for (unsigned k = 0; k < count; k++) {
        x[k] = w->x[first + k];
        y[k] = p->square ? x[k] : k > 0 && both ? w->x[first + count] : w->y ? w->y : lent_buffer(p);
        prime_tables_build(&tables[k], s, &prime_table[first + k], turned, (double *)w->tables + k * prime_table_doubles(s));
        prime_scale_join(&tables[k], s, first + k);
    }
    ops->digits_to_columns(plan, tables, count, x, w->scratch, &a, threads);
    if (!p->square && both)
        ops->digits_to_columns(plan, tables, count, y, w->scratch, &b, threads);
    for (unsigned k = 0; k < count; k++) {
        if (!p->square && !both)
            ops->digits_to_columns(plan, &tables[k], 1, &y[k], w->scratch, &b, threads);
        ops->rows_mul(plan, &tables[k], x[k], y[k], w->scratch, threads);
        ops->columns_to_residues(plan, &tables[k], x[k], w->scratch, threads);
        TRY(call_progress(t->call, from + (to - from) * (first + k + 1) / s->transform.n_primes));
    }
    return GFMUL_OK;
}

/* kept_points - a kept spectrum modulo prime i. */
static double *kept_points(const struct cpu_spectrum *x, unsigned i)
{
    return (double *)x->points.p + i * prime_buffer_doubles(&x->lease.plan.shape);
}

/* residues_by_kept - residues_make by b's kept spectrum: a is transformed, multiplied and transformed back group by group. */
static enum gfmul_status residues_by_kept(const struct attempt *t, const struct cpu_lease *l, unsigned first, unsigned count,
                                          double from, double to)
{
    const struct plan *plan = &l->tables.plan;
    const struct cpu_spectrum *kept = (const struct cpu_spectrum *)t->p->b.spectrum;
    const struct prime_source a = {t->p->a.limbs, t->p->a.n};
    const struct prime_ops *ops = prime_ops_of(t->call->ctx->ops);
    void *scratch = l->residues.scratch;
    double *x[PRIME_CUTS];
    for (unsigned k = 0; k < count; k++)
        x[k] = l->residues.x[first + k];
    ops->digits_to_columns(plan, kept->table + first, count, x, scratch, &a, t->call->threads);
    for (unsigned k = 0; k < count; k++) {
        const struct prime_tables *table = &kept->table[first + k];
        const struct prime_factor factor[] = {{.x = x[k], .columns = true, .passes = true}, {.x = kept_points(kept, first + k)}};
        const struct prime_term term = {&factor[0], &factor[1]};
        const struct prime_sum sum = {.z = x[k], .product = &term, .n = 1, .n_plus = 1};
        ops->rows_sums(plan, table, &(struct prime_sums){&sum, 1, factor, 2, true}, scratch, t->call->threads);
        ops->columns_to_residues(plan, table, x[k], scratch, t->call->threads);
        TRY(call_progress(t->call, from + (to - from) * (first + k + 1) / plan->shape.transform.n_primes));
    }
    return GFMUL_OK;
}

/* tail_add - add the carry of a part of the coefficients to the limbs from `at` on.   Value: the carry out of all limbs */
static mp_limb_t tail_add(const struct number *z, size_t at, const mp_limb_t *tail)
{
    const size_t left = at < z->n ? z->n - at : 0;
    if (left > PRIME_TAIL_LIMBS)
        return mpn_add(z->limbs + at, z->limbs + at, (mp_size_t)left, tail, PRIME_TAIL_LIMBS);
    return left > 0 ? mpn_add_n(z->limbs + at, z->limbs + at, tail, (mp_size_t)left) : 0;
}

/* part_first - the first run of part g.  It begins a whole group of rows, because residues_join is faster then. */
static size_t part_first(const struct plan_shape *s, size_t runs, size_t parts, size_t g)
{
    const size_t of_group = PRIME_STRIP * s->transform.row_points / PRIME_RUN, first = runs * g / parts;
    return g == parts ? runs : first - first % of_group;
}

/* Parts of the coefficients, which threads join. */
struct join_work {
    const struct plan *plan;
    const struct prime_ops *ops;
    double *const *x;
    const struct number *z;
    size_t runs, parts;
    mp_limb_t *tail;
};

static void parts_join(void *arg, unsigned t, size_t begin, size_t end)
{
    const struct join_work *const w = arg;
    const struct plan_shape *s = &w->plan->shape;
    const struct number *z = w->z;
    (void)t;
    for (size_t g = begin; g < end; g++) {
        const size_t first = part_first(s, w->runs, w->parts, g), count = part_first(s, w->runs, w->parts, g + 1) - first;
        const size_t at = first * (PRIME_RUN * s->digits.exponent / 64);
        if (!stage_part(w->plan->monitor, count * PRIME_RUN))
            continue;
        w->ops->residues_join(s, z->limbs + (at < z->n ? at : z->n), at < z->n ? z->n - at : 0, w->x, first * PRIME_RUN,
                              count * PRIME_RUN, w->tail + g * PRIME_TAIL_LIMBS);
        stage_part_end(w->plan->monitor);
    }
}

/* runs_join - residues_to_limbs of so many runs.   Value: what lies above z, if z has just their limbs; NULL: stopped */
static mp_limb_t *runs_join(struct call *call, const struct plan *plan, double *const *x, mp_limb_t *tail, const struct number *z,
                            size_t runs)
{
    const struct plan_shape *s = &plan->shape;
    const size_t parts = prime_join_parts(s, call->threads), of_run = PRIME_RUN * s->digits.exponent / 64;
    mp_limb_t *const last = tail + (parts - 1) * PRIME_TAIL_LIMBS;
    mp_limb_t carry = 0;
    struct join_work w = {plan, prime_ops_of(call->ctx->ops), x, z, runs, parts, tail};
    parallel_for(call->threads, parts, 1, parts_join, &w);
    if (stage_stopped(plan->monitor))
        return NULL;
    if (runs * of_run < z->n)
        memset(z->limbs + runs * of_run, 0, (z->n - runs * of_run) * sizeof *z->limbs);
    for (size_t g = 0; g < parts; g++)
        carry += tail_add(z, part_first(s, runs, parts, g + 1) * of_run, tail + g * PRIME_TAIL_LIMBS);
    mpn_add_1(last, last, PRIME_TAIL_LIMBS, carry);
    return last;
}

void residues_to_limbs(struct call *call, const struct plan *plan, double *const *x, void *tails, const struct number *z)
{
    const struct plan_shape *s = &plan->shape;
    const bool all = prime_is_halved(s) || s->grid.wraps;
    const size_t runs = all ? s->transform.n_points / PRIME_RUN : (s->digits.an + s->digits.bn - 2) / PRIME_RUN + 1;
    runs_join(call, plan, x, tails, z, runs);
}

/* ---- rings ---- */

/* offsets_subtract - subtract 2^prime_offset_bits of each digit from n limbs z, modulo 2^K - 1 but for 2^K.   Value: of 2^K */
static mp_limb_t offsets_subtract(const struct plan_shape *s, mp_limb_t *z, size_t n)
{
    const size_t l = s->digits.exponent; /* limbs of a run, too */
    mp_limb_t e[PRIME_DIGIT_BITS_MAX] = {0}, borrow = 0;
    for (size_t i = 0; i < PRIME_RUN; i++) {
        const size_t bit = (prime_offset_bits(s) + l * i) % (PRIME_RUN * l);
        e[bit / 64] |= (mp_limb_t)1 << bit % 64;
    }
    for (size_t at = 0; at < n; at += l) {
        const mp_limb_t more = mpn_sub_n(z + at, z + at, e, (mp_size_t)l);
        borrow = more + mpn_sub_1(z + at, z + at, (mp_size_t)l, borrow);
    }
    return borrow;
}

/* minus_value - z + 2^K above, n limbs, modulo 2^K - 1: without its offsets, which only sums have. */
static void minus_value(const struct plan_shape *s, mp_limb_t *z, size_t n, const mp_limb_t *above)
{
    mpn_add_1(z, z, (mp_size_t)n, mpn_add(z, z, (mp_size_t)n, above, PRIME_TAIL_LIMBS));
    if (s->bound.products > 0)
        mpn_sub_1(z, z, (mp_size_t)n, offsets_subtract(s, z, n)); /* 2^K is 1 */
}

/* plus_value - the same modulo 2^K + 1, where an offset beyond 2^K has the other sign: twice that is added again. */
static void plus_value(const struct plan_shape *s, mp_limb_t *z, size_t n, const mp_limb_t *above)
{
    const size_t l = s->digits.exponent;
    z[n] = 0 - mpn_sub(z, z, (mp_size_t)n, above, PRIME_TAIL_LIMBS); /* signed */
    z[n] -= offsets_subtract(s, z, n);
    for (size_t bit = prime_offset_bits(s) % l + 1; bit < prime_offset_bits(s); bit += l)
        mpn_add_1(z + bit / 64, z + bit / 64, (mp_size_t)(n + 1 - bit / 64), (mp_limb_t)1 << bit % 64);
    mul_wrap_reduce(z, n);
}

void residues_to_ring(struct call *call, const struct plan *plan, double *const *x, void *tails, mp_limb_t *z)
{
    const struct plan_shape *s = &plan->shape;
    const size_t n = prime_ring_limbs(s);
    const struct number limbs = number_limbs(z, n);
    const mp_limb_t *above = runs_join(call, plan, x, tails, &limbs, s->transform.n_points / PRIME_RUN);
    if (above)
        (s->transform.turned ? plus_value : minus_value)(s, z, n, above);
}

/* ---- products ---- */

/* limbs_make - the limbs of all residues.   z out */
static void limbs_make(const struct attempt *t, const struct cpu_lease *l, const struct number *z)
{
    double *x[PRIME_COUNT];
    memcpy(x, l->residues.x, sizeof x);
    residues_to_limbs(t->call, &l->tables.plan, x, l->residues.tails, z);
}

/* ring_make - the product modulo 2^(64 ring) - 1 or 2^(64 ring) + 1. */
static void ring_make(const struct attempt *t, const struct cpu_lease *l)
{
    double *x[PRIME_COUNT];
    assert(t->p->ring == prime_ring_limbs(&t->shape) && t->p->ring_minus != t->shape.transform.turned);
    memcpy(x, l->residues.x, sizeof x);
    residues_to_ring(t->call, &l->tables.plan, x, l->residues.tails, t->p->z.limbs);
}

/* residues_of_all - residues_make for all primes; progress goes from `from` to `to`. */
static enum gfmul_status residues_of_all(const struct attempt *t, const struct cpu_lease *l, bool turned, double from, double to)
{
    const unsigned n_primes = t->shape.transform.n_primes;
    for (unsigned i = 0, count; i < n_primes; i += count) {
        count = n_primes - i < PRIME_CUTS ? n_primes - i : PRIME_CUTS;
        if (t->p->b.spectrum)
            TRY(residues_by_kept(t, l, i, count, from, to));
        else
            TRY(residues_make(t, l, i, count, turned, from, to));
    }
    return GFMUL_OK;
}

/* run_halves - the product is A + 2^(n l) B; transforms modulo x^n - 1 give s = A + B, those modulo x^n + 1 give d = A - B. */
static enum gfmul_status run_halves(const struct attempt *t, const struct cpu_lease *l)
{
    const size_t n = prime_ring_limbs(&t->shape) + PRIME_TAIL_LIMBS;
    const struct number sum = number_limbs(t->p->z.limbs, n), rest = number_limbs(l->residues.y, n);
    TRY(residues_of_all(t, l, false, 0.0, share_transforms / 2));
    phase_enter(&t->call->clock, PHASE_CARRY);
    limbs_make(t, l, &sum);
    phase_enter(&t->call->clock, PHASE_TRANSFORM);
    TRY(residues_of_all(t, l, true, share_transforms / 2, share_transforms));
    phase_enter(&t->call->clock, PHASE_CARRY);
    limbs_make(t, l, &rest);
    prime_halves_join(&t->shape, t->p->z.limbs, t->p->z.n, rest.limbs);
    return GFMUL_OK;
}

static enum gfmul_status primes_convolve(struct attempt *t, struct cpu_lease *l)
{
    if (prime_is_halved(&t->shape)) {
        TRY(run_halves(t, l));
    } else {
        TRY(residues_of_all(t, l, t->shape.transform.turned, 0.0, share_transforms));
        phase_enter(&t->call->clock, PHASE_CARRY);
        if (t->p->ring > 0)
            ring_make(t, l);
        else
            limbs_make(t, l, &t->p->z);
    }
    t->outcome = OUTCOME_MADE;
    call_proof_add(t->call, &t->shape, &(struct plan_figures){.max_error = 0});
    return call_progress(t->call, share_product);
}

/* ---- spectra ---- */

/* kept_make - the tables of all primes, and b's spectrum modulo each. */
static enum gfmul_status kept_make(struct call *call, struct cpu_spectrum *x, const struct number *b, double *scratch)
{
    struct plan plan = x->lease.plan;
    const struct plan_shape *s = &plan.shape;
    const struct prime_ops *ops = prime_ops_of(call->ctx->ops);
    const struct prime_source source = {b->limbs, b->n};
    const unsigned n_primes = s->transform.n_primes;
    plan.monitor = call->monitor;
    for (unsigned i = 0; i < n_primes; i++) {
        prime_tables_build(&x->table[i], s, &prime_table[i], s->transform.turned,
                           kept_points(x, n_primes) + i * prime_table_doubles(s));
        prime_scale_join(&x->table[i], s, i);
    }
    for (unsigned first = 0, count; first < n_primes; first += count) {
        double *points[PRIME_CUTS];
        count = n_primes - first < PRIME_CUTS ? n_primes - first : PRIME_CUTS;
        for (unsigned k = 0; k < count; k++)
            points[k] = kept_points(x, first + k);
        ops->digits_to_columns(&plan, x->table + first, count, points, scratch, &source, call->threads);
        for (unsigned k = 0; k < count; k++) {
            const struct prime_factor factor = {.x = points[k], .columns = true};
            ops->rows_sums(&plan, &x->table[first + k], &(struct prime_sums){NULL, 0, &factor, 1, false}, scratch, call->threads);
            TRY(call_progress(call, share_product * (first + k + 1) / n_primes));
        }
    }
    return GFMUL_OK;
}

static enum gfmul_status primes_keep(struct call *call, struct cpu_spectrum *x, const struct number *b)
{
    const struct plan_shape *s = &x->lease.plan.shape;
    void *scratch;
    x->head.bytes = prime_kept_doubles(s) * sizeof(double);
    x->table = alloc_zeroed(s->transform.n_primes * sizeof *x->table);
    if (!x->table)
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for a spectrum");
    TRY(ctx_buffer_get(call, call->threads * prime_sums_scratch(s) * sizeof(double), &scratch));
    enum gfmul_status status = ctx_block_keep(call, x->head.bytes, &x->points);
    phase_enter(&call->clock, PHASE_TRANSFORM);
    if (status == GFMUL_OK)
        status = kept_make(call, x, b, scratch);
    ctx_buffer_put(call, scratch);
    return status;
}

const struct cpu_pipeline cpu_pipeline_primes = {
    .take = primes_take, .convolve = primes_convolve, .give = primes_give, .keep = primes_keep};
