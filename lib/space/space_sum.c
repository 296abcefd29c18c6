/*
 * space_sum.c - sums of products in a space: from the transforms of their factors to an integer.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Products with a short factor, and all products of a space without plans, are made one by one, and so are others if that costs
 * less (space_products.c).  The rest is added up as spectra, and the sum is transformed back once.  doc/error-bound.md, section
 * 23, has the bound.
 */
#include <inttypes.h>
#include <string.h>

#include "above/ring.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/convolve.h"
#include "mul/mul.h"
#include "mul/mul_verify.h"
#include "mul/mul_wrap.h"
#include "space/space_device.h"
#include "space/space_sum.h"

/* ---- products by transforms ---- */

static bool term_passes(const struct long_sum *l, const struct term *t)
{
    return use_of(l, t->a)->passing || use_of(l, t->b)->passing;
}

/* terms_order - put the long products in order for the plan that is tried. */
static void terms_order(struct long_sum *l, const struct sum *s)
{
    for (size_t i = 0; i < l->n_uses; i++) {
        struct use *use = &l->use[i];
        use->t = atomic_load(&use->x->transform[l->plan]);
        use->passing = !use->t && use->count == 1 && atomic_load(&use->x->holders) == 0;
    }
    l->n = 0;
    for (unsigned kind = 0; kind < 4; kind++) {
        for (size_t i = 0; i < s->n; i++) {
            const struct term *t = &s->term[i];
            if (t->minus == (kind % 2 == 1) && term_is_long(l->space, t) && term_passes(l, t) == (kind < 2))
                l->term[l->n++] = t;
        }
        if (kind == 1)
            l->n_passing = l->n;
    }
}

/* spare_get - memory for the transforms of factors that pass.   Errors: MEMORY. */
static enum gfmul_status spare_get(struct long_sum *l, void **room)
{
    const size_t doubles = plan_buffer_doubles(&l->space->plan[l->plan].plan.shape);
    size_t n = 0;
    *room = NULL;
    for (size_t i = 0; i < l->n_uses && n < 2 * PLAN_SUM_BLOCK; i++)
        n += l->use[i].passing;
    if (n > 0)
        TRY(ctx_buffer_get(l->call, n * doubles * sizeof(double), room));
    for (size_t i = 0; i < n; i++)
        l->spare[i] = (struct transform){.plan = l->plan, .points = (double *)*room + i * doubles};
    return GFMUL_OK;
}

/* use_begin - find or begin the transform of a factor. */
static enum gfmul_status use_begin(struct long_sum *l, struct use *use)
{
    bool whole;
    if (use->t)
        return GFMUL_OK;
    if (use->passing) {
        use->t = &l->spare[l->n_spare++];
        transform_fill(l->call, use->x, l->scratch, use->t, &whole);
    } else {
        TRY(transform_begin(l->call, use->x, l->plan, l->scratch, &use->t, &whole));
    }
    use->columns = true;
    TRY(call_progress(l->call, 0)); /* stop here, if it is to stop: the points are not whole then */
    if (whole)
        use_done(l, use);
    return GFMUL_OK;
}

/* The share of the work of a part that is done after its columns. */
static const double share_columns = 0.7;

/* part_begin - the transforms of the factors of terms first .. end - 1. */
static enum gfmul_status part_begin(struct long_sum *l, size_t first, size_t end)
{
    const double points = (double)l->space->plan[l->plan].plan.shape.transform.n_points, n = (double)l->n;
    const double from = SHARE_SUM * (double)first / n, step = share_columns * SHARE_SUM / n;
    l->n_spare = 0;
    for (size_t i = first; i < end; i++) {
        struct use *const a = use_of(l, l->term[i]->a), *const b = use_of(l, l->term[i]->b);
        const double at = from + step * (double)(i - first);
        TRY(call_stage(l->call, at, at + step, points * (double)(!a->t + !b->t)));
        TRY(use_begin(l, a));
        TRY(use_begin(l, b));
        plan_sum_add(&l->sum, &a->t->factor, &b->t->factor);
    }
    return GFMUL_OK;
}

/* part_list - the products of a part of the sum in x, and the new transforms among their factors. */
static struct spectra_sum part_list(const struct long_sum *l, double *x, size_t first, size_t end)
{
    struct spectra_sum part = {.z = x, .product = l->product, .columns = l->columns, .more = first > 0, .last = end == l->n};
    for (size_t i = first; i < end; i++) {
        const struct use *uses[2] = {use_of(l, l->term[i]->a), use_of(l, l->term[i]->b)};
        l->product[part.n++] = (struct spectra_product){uses[0]->t->points, uses[1]->t->points, l->term[i]->minus};
    }
    for (size_t i = 0; i < l->n_uses; i++)
        if (l->use[i].columns)
            l->columns[part.n_columns++] = (struct spectra_columns){l->use[i].t->points, transform_points(l->use[i].x, l->plan)};
    return part;
}

/* part_done - the rows of all new transforms have been made; those that pass are over. */
static void part_done(struct long_sum *l)
{
    for (size_t i = 0; i < l->n_uses; i++) {
        struct use *const use = &l->use[i];
        if (use->columns)
            use_done(l, use);
        if (use->passing)
            use->t = NULL;
    }
}

bool sum_judge(const struct long_sum *l, const struct round_stats *stats)
{
    const struct plan_shape *s = &l->space->plan[l->plan].plan.shape;
    struct gfmul_report *report = &l->call->report;
    double bound = s->bound.value, k = s->bound.k;
    if (s->bound.norms_measured)
        bound = plan_bound_sum(s, &l->sum, stats->max_value, round_stats_energy(stats), &k);
    report->plan.bound = bound;
    report->plan.k = k;
    report->max_error = stats->max_error < 0.5 ? stats->max_error : 0.5;
    return stats->max_value < ROUND_VALUE_LIMIT && plan_bound_decides(bound, stats->max_error);
}

/* part_drop - make the rows of the new transforms that are kept, although the sum is given up: others may use them. */
static enum gfmul_status part_drop(struct long_sum *l, const struct plan *p)
{
    TRY(call_stage(l->call, SHARE_SUM, SHARE_SUM, (double)l->n_uses * (double)p->shape.transform.n_points));
    for (size_t i = 0; i < l->n_uses; i++) {
        struct use *const use = &l->use[i];
        if (use->columns && !use->passing)
            p->ops->columns_to_spectrum(p, use->t->points, l->scratch, transform_points(use->x, l->plan), l->call->threads);
    }
    TRY(call_progress(l->call, SHARE_SUM));
    part_done(l);
    return GFMUL_OK;
}

/* parts_add - all parts of the sum into x.   proved out: false: the norms are too large, and the last part was not added. */
static enum gfmul_status parts_add(struct long_sum *l, const struct plan *p, double *x, bool *proved)
{
    for (size_t first = 0, end; first < l->n; first = end) {
        const size_t left = l->n_passing > first ? l->n_passing - first : 0;
        end = left > PLAN_SUM_BLOCK ? first + PLAN_SUM_BLOCK : left > 0 ? l->n_passing : l->n;
        TRY(part_begin(l, first, end));
        const struct spectra_sum part = part_list(l, x, first, end);
        if (part.last && !(*proved = sum_judge(l, &(struct round_stats){.max_error = 0})))
            return part_drop(l, p);
        const double done = SHARE_SUM * (double)end / (double)l->n;
        TRY(call_stage(l->call, done - (1.0 - share_columns) * SHARE_SUM * (double)(end - first) / (double)l->n, done,
                       (double)p->shape.transform.n_points * (double)(1 + part.n_columns)));
        p->ops->spectra_sums_fused(p, &part, 1, NULL, l->call->threads);
        TRY(call_progress(l->call, done));
        part_done(l);
    }
    return GFMUL_OK;
}

/* sum_to_limbs - the sum in x back to a signed number of ring + 1 limbs. */
static enum gfmul_status sum_to_limbs(struct long_sum *l, const struct plan *p, double *x, mp_limb_t *z, bool *proved)
{
    struct call *call = l->call;
    struct round_stats stats = {.max_error = 0};
    TRY(call_stage(call, SHARE_SUM, SHARE_CARRY, (double)p->shape.transform.n_points));
    const enum phase phase = phase_enter(&call->clock, PHASE_CARRY);
    const enum gfmul_status status = columns_to_limbs(p, z, plan_wrap_ring(&p->shape) + 1, x, l->scratch, &stats, call->threads);
    phase_enter(&call->clock, phase);
    TRY(status);
    *proved = sum_judge(l, &stats);
    return call_progress(call, SHARE_CARRY);
}

/* long_sum_in - make the sum under l's plan in x.   proved out: false: z has no meaning.   Errors: INTERRUPTED, MEMORY. */
static enum gfmul_status long_sum_in(struct long_sum *l, double *x, mp_limb_t *z, bool *proved)
{
    struct plan p = l->space->plan[l->plan].plan;
    void *spare;
    p.monitor = l->call->monitor;
    TRY(spare_get(l, &spare));
    enum gfmul_status status = parts_add(l, &p, x, proved);
    if (status == GFMUL_OK && *proved)
        status = sum_to_limbs(l, &p, x, z, proved);
    factors_forget(l);
    ctx_buffer_put(l->call, spare);
    return status;
}

void sum_report_plan(const struct long_sum *l)
{
    struct call *call = l->call;
    plan_info_from_shape(&call->report.plan, &l->space->plan[l->plan].plan.shape, call->ctx->ops->name);
    call->report.plan.engine = engine_cpu.name;
    call->report.plan.threads = call->threads;
}

/* long_sum_by - the same for the products of s, with the memory that it needs. */
static enum gfmul_status long_sum_by(struct long_sum *l, const struct sum *s, mp_limb_t *z, bool *proved)
{
    struct call *call = l->call;
    const struct plan_shape *shape = &l->space->plan[l->plan].plan.shape;
    void *x;
    sum_report_plan(l);
    terms_order(l, s);
    l->sum = (struct plan_sum){.products = 0};
    TRY(ctx_buffer_get(call, plan_buffer_doubles(shape) * sizeof(double), &x));
    enum gfmul_status status = scratch_get(call, shape, &l->scratch);
    if (status == GFMUL_OK)
        status = long_sum_in(l, x, z, proved);
    ctx_buffer_put(call, l->scratch);
    ctx_buffer_put(call, x);
    return status;
}

void sum_value_sign(const struct long_sum *l, struct value *v)
{
    const size_t ring = plan_wrap_ring(&l->space->plan[l->plan].plan.shape);
    mul_wrap_reduce(v->z, ring);
    if ((v->negative = ring_is_negative(v->z, ring)))
        ring_negate(v->z, ring);
    v->n = limbs_normal_size(v->z, ring + 1);
}

/* long_sum_make - the same under the first plan that proves it, and its magnitude. */
static enum gfmul_status long_sum_make(struct long_sum *l, const struct sum *s, struct value *v)
{
    struct call *call = l->call;
    bool proved = false;
    if (l->space->tables) {
        sum_report_plan(l);
        terms_order(l, s);
        TRY(prime_sum_make(l, v->z, &v->negative));
        v->n = limbs_normal_size(v->z, plan_wrap_ring(&l->space->plan[0].plan.shape));
        return GFMUL_OK;
    }
    TRY(long_sum_by(l, s, v->z, &proved));
    while (!proved && l->plan + 1 < l->space->n_plans) {
        call->report.n_fallbacks++;
        l->plan++;
        TRY(long_sum_by(l, s, v->z, &proved));
    }
    if (!proved)
        return call_fail(call, GFMUL_ERR_VERIFY, "a sum is further from integers than its bound");
    sum_value_sign(l, v);
    return GFMUL_OK;
}

enum gfmul_status sum_long_products(struct call *call, struct gfmul_space *space, const struct sum *s, struct value *v)
{
    if (space->device)
        return products_add(call, space, s, true, v); /* the device has no memory for their sum */
    struct long_sum l = {.call = call, .space = space};
    const size_t uses = sum_uses_bytes(s->n), bytes = sizeof *l.product + 2 * sizeof *l.columns + sizeof *l.term;
    void *room;
    TRY(ctx_buffer_get(call, uses + s->n * bytes, &room));
    sum_uses_begin(&l, room, s->n);
    l.product = (void *)((char *)room + uses);
    l.columns = (struct spectra_columns *)(l.product + s->n);
    l.term = (const struct term **)(l.columns + 2 * s->n);
    enum gfmul_status status = sum_uses_add(&l, s);
    sum_uses_end(&l);
    if (status == GFMUL_OK && l.n_uses > 0)
        status = products_pay(&l, s) ? products_add(call, space, s, true, v) : long_sum_make(&l, s, v);
    ctx_buffer_put(call, room);
    return status;
}

/* ---- sums of integers ---- */

/* residue_add - residues of x + y or, if minus, of x - y. */
static void residue_add(const struct call *call, uint64_t *r, const struct natural *x, const struct natural *y, bool minus)
{
    for (unsigned k = 0; k < x->space->n_residues; k++) {
        const uint64_t p = call->moduli[k].p;
        r[k] = (x->residue[k] + (minus ? p - y->residue[k] : y->residue[k])) % p;
    }
}

/* has_digits_transform - whether x may be a part of a sum. */
static bool has_digits_transform(struct natural *x)
{
    const struct transform *t = atomic_load(&x->transform[0]);
    return t && !t->summed;
}

/* natural_add - z = x + y or, if minus, x - y >= 0; x->n >= y->n.   z i/o: the sign of x */
static enum gfmul_status natural_add(struct call *call, struct integer *z, struct natural *x, struct natural *y, bool minus)
{
    const struct gfmul_space *space = x->space;
    uint64_t residue[RESIDUE_PRIMES_MAX];
    struct value v = {.negative = z->negative};
    void *room;
    TRY(ctx_buffer_get(call, ((x->n > space->modulus ? x->n : space->modulus) + 1) * sizeof(mp_limb_t), &room));
    v.z = room;
    v.z[x->n] = (minus ? mpn_sub : mpn_add)(v.z, x->limbs, (mp_size_t)x->n, y->limbs, (mp_size_t)y->n);
    v.n = limbs_normal_size(v.z, x->n + 1);
    residue_add(call, residue, x, y, minus);
    const bool reduced = value_reduce(space, &v);
    z->negative = v.negative;
    const enum gfmul_status status = natural_make(call, x->space, &z->x, v.z, v.n, reduced ? NULL : residue);
    ctx_buffer_put(call, room);
    if (!z->x || reduced || space->n_plans < SPACE_PLANS || !has_digits_transform(x) || !has_digits_transform(y))
        return status;
    z->x->part[0] = natural_get(x);
    z->x->part[1] = natural_get(y);
    z->x->minus = minus;
    return status;
}

enum gfmul_status integer_add(struct call *call, struct integer *z, const struct integer *x, const struct integer *y)
{
    *z = (struct integer){.x = NULL};
    if (!x->x || !y->x) {
        *z = x->x ? *x : *y;
        natural_get(z->x);
        return GFMUL_OK;
    }
    bool made = false;
    if (x->x->words || y->x->words)
        TRY(device_integers_add(call, z, x, y, &made));
    if (made)
        return GFMUL_OK;
    TRY(natural_fetch(call, x->x));
    TRY(natural_fetch(call, y->x));
    const bool less = x->x->n < y->x->n || (x->x->n == y->x->n && mpn_cmp(x->x->limbs, y->x->limbs, (mp_size_t)x->x->n) < 0);
    const struct integer *large = less ? y : x, *small = less ? x : y;
    z->negative = large->negative;
    return natural_add(call, z, large->x, small->x, x->negative != y->negative);
}

/* ---- the whole ---- */

/* sum_check - whether the value has the residues that its parts demand.   residue out: of its magnitude.   Errors: VERIFY. */
static enum gfmul_status sum_check(struct call *call, const struct gfmul_space *space, const struct sum *s, const struct value *v,
                                   uint64_t *residue)
{
    const struct natural *x = s->integer.x;
    if (space->n_residues == 0)
        return GFMUL_OK;
    mul_residues(call, residue, v->z, v->n, v->n >= MUL_MEMORY_LIMBS);
    for (unsigned k = 0; k < space->n_residues; k++) {
        const uint64_t p = call->moduli[k].p;
        uint64_t want = x ? (s->integer.negative ? p - x->residue[k] : x->residue[k]) % p : 0;
        for (size_t i = 0; i < s->n; i++) {
            const uint64_t product = residue_mul(s->term[i].a->residue[k], s->term[i].b->residue[k], p);
            want = (want + (s->term[i].minus ? p - product : product)) % p;
        }
        const uint64_t got = (v->negative ? p - residue[k] : residue[k]) % p;
        if (got != want)
            return call_fail(call, GFMUL_ERR_VERIFY, "a sum is %" PRIu64 " modulo %" PRIu64 ", but should be %" PRIu64, got, p,
                             want);
    }
    return GFMUL_OK;
}

size_t sum_room_limbs(const struct gfmul_space *space)
{
    size_t most = space->limbs + 3; /* products of SPACE_SPARE_BITS more, and sums of them */
    for (unsigned p = 0; p < space->n_plans; p++) {
        const size_t ring = plan_wrap_ring(&space->plan[p].plan.shape) + 2;
        most = ring > most ? ring : most;
    }
    return most;
}

enum gfmul_status sum_value_finish(struct call *call, struct gfmul_space *space, struct integer *z, const struct sum *s,
                                   struct value *v)
{
    uint64_t residue[RESIDUE_PRIMES_MAX];
    TRY(products_add(call, space, s, false, v));
    TRY(natural_fetch(call, s->integer.x));
    if (s->integer.x)
        value_add(v, s->integer.x->limbs, s->integer.x->n, s->integer.negative);
    TRY(sum_check(call, space, s, v, residue));
    const bool reduced = value_reduce(space, v);
    z->negative = v->negative;
    return natural_make(call, space, &z->x, v->z, v->n, reduced ? NULL : residue);
}

/* device_multiples - add small multiples of numbers to v, and the integer of the sum.   there i/o: false: v is 0 */
static enum gfmul_status device_multiples(struct call *call, const struct gfmul_space *space, const struct sum *s,
                                          struct device_value *v, bool *there)
{
    for (size_t i = 0; i < s->n && *there; i++) {
        const struct term *t = &s->term[i];
        const bool first = natural_is_small(t->a) && natural_stays(space, t->b);
        const int32_t times = (int32_t)(first ? t->a : t->b)->top;
        if (term_is_multiple(space, t))
            TRY(device_value_add_times(call, v, first ? t->b : t->a, t->minus ? -times : times, there));
    }
    if (s->integer.x && *there)
        TRY(device_value_add_times(call, v, s->integer.x, s->integer.negative ? -1 : 1, there));
    return GFMUL_OK;
}

/* device_rest - add products that the host has to make to v.   there i/o: false: v is 0 */
static enum gfmul_status device_rest(struct call *call, struct gfmul_space *space, const struct sum *s, struct device_value *v,
                                     bool *there)
{
    uint64_t residue[RESIDUE_PRIMES_MAX];
    void *terms, *room = NULL;
    struct sum rest = {.n = 0};
    TRY(ctx_buffer_get(call, s->n * sizeof *rest.term, &terms));
    rest.term = terms;
    for (size_t i = 0; i < s->n; i++)
        if (!term_is_long(space, &s->term[i]) && !term_is_multiple(space, &s->term[i]))
            rest.term[rest.n++] = s->term[i];
    enum gfmul_status status = rest.n > 0 ? ctx_buffer_get(call, sum_room_limbs(space) * sizeof(mp_limb_t), &room) : GFMUL_OK;
    struct value value = {.z = room};
    if (status == GFMUL_OK && rest.n > 0)
        status = products_add(call, space, &rest, false, &value);
    if (status == GFMUL_OK && rest.n > 0)
        status = sum_check(call, space, &rest, &value, residue);
    if (status == GFMUL_OK && value.n > 0)
        status = device_value_add(call, v, &value, residue, there);
    ctx_buffer_put(call, room);
    ctx_buffer_put(call, terms);
    return status;
}

/* stays_there - whether a sum is to be made on the space's device, because some of it is there or is better made there. */
static bool stays_there(const struct gfmul_space *space, const struct sum *s)
{
    bool there = s->integer.x && natural_stays(space, s->integer.x);
    for (size_t i = 0; i < s->n && !there; i++)
        there = term_is_long(space, &s->term[i]) || term_is_multiple(space, &s->term[i]);
    return space->device && there;
}

enum gfmul_status sum_on_device(struct call *call, struct gfmul_space *space, struct integer *z, const struct sum *s, bool *there)
{
    struct device_value made;
    if (!(*there = stays_there(space, s)))
        return GFMUL_OK;
    TRY(device_sum(call, space, s, &made, there));
    enum gfmul_status status = *there ? device_multiples(call, space, s, &made, there) : GFMUL_OK;
    if (status == GFMUL_OK && *there)
        status = device_rest(call, space, s, &made, there);
    if (status == GFMUL_OK && *there)
        return device_value_take(call, &made, z);
    device_value_drop(&made);
    return status;
}
