/*
 * mul_prime.c - products of limbs modulo primes, on the CPU: one prime after the other, then the Chinese remainder and the carry.
 *
 * It is a row of engine cpu, which takes what precision prime asks for, and from precision auto what it is faster at.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "limbs/limb_bits.h"
#include "limbs/residue.h"
#include "mul/engine.h"
#include "mul/mul_wrap.h"
#include "plan/plan_field.h"
#include "prime/prime_plan.h"

enum { LENT_ALIGNMENT = 64 };
enum { CHOICE_LIMBS = 1 << 20 }; /* auto: shorter products are in double, unless there is a limit on memory */
/* parts of each thread; the digits of the shortest one, and about those of the longest one, which takes some ms */
enum { JOIN_PARTS = 4, JOIN_PART_DIGITS = 64, JOIN_PART_MOST = 1 << 20 };

struct lease {
    struct prime_shape shape;
    void *x[PRIME_COUNT]; /* what becomes the residues of the product, for each prime */
    /* for the other operand, modulo the prime under way; of a square, or where the product lends it: NULL.  In halves, for the
       product modulo x^n + 1 as well */
    void *y;
    void *scratch, *tables, *tails;
};
_Static_assert(sizeof(struct lease) <= sizeof((struct attempt *)0)->lease, "room for the lease");

/* Shares of a product that are done behind its transforms; the rest is the check's. */
static const double share_transforms = 0.85, share_product = 0.92;

static struct lease *lease_of(struct attempt *t)
{
    return (struct lease *)t->lease;
}

/* bits_of - of an operand; of one that is only planned, those of whole limbs. */
static size_t bits_of(const struct number *x)
{
    return x->limbs ? limbs_bit_length(x->limbs, x->n) : number_size(x);
}

/* product_lends - whether the other operand's residues fit into the limbs of the product, which are free until the end. */
static bool product_lends(const struct prime_shape *s, const struct product *p)
{
    return p->z.n >= prime_buffer_doubles(s) + LENT_ALIGNMENT / sizeof(mp_limb_t);
}

/* other_bytes - of the buffer y. */
static size_t other_bytes(const struct prime_shape *s, const struct product *p)
{
    const size_t buffer = prime_buffer_doubles(s) * sizeof(double),
                 half = (prime_ring_limbs(s) + PRIME_TAIL_LIMBS) * sizeof(mp_limb_t);
    if (s->halved)
        return half > buffer ? half : buffer;
    return p->square || product_lends(s, p) ? 0 : buffer;
}

/* lent_buffer - in the limbs of the product, aligned. */
static double *lent_buffer(const struct product *p)
{
    return (double *)(((uintptr_t)p->z.limbs + LENT_ALIGNMENT - 1) / LENT_ALIGNMENT * LENT_ALIGNMENT);
}

/* join_parts - how many parts the coefficients are carried in. */
static size_t join_parts(const struct prime_shape *s, unsigned threads)
{
    const size_t runs = s->n_points / JOIN_PART_DIGITS, few = threads == 1 ? 1 : (size_t)threads * JOIN_PARTS,
                 least = s->n_points / JOIN_PART_MOST + 1, parts = few > least ? few : least;
    return parts < runs ? parts : runs;
}

/* memory_bytes - of all buffers; of a product that wraps around, those of the product of the lowest limbs, too. */
static size_t memory_bytes(const struct prime_shape *s, const struct product *p, unsigned threads)
{
    size_t low_bytes = 0;
    if (s->wrap_limbs != 0) {
        const struct product low = {.z = number_limbs(NULL, 2 * s->wrap_limbs), .square = p->square};
        struct prime_shape of_low;
        const size_t bits = 64 * s->wrap_limbs;
        low_bytes =
            prime_size(&of_low, bits, bits, false, PLAN_WRAP_NEVER) == GFMUL_OK ? memory_bytes(&of_low, &low, threads) : 0;
    }
    return low_bytes + other_bytes(s, p) +
           sizeof(double) * (s->n_primes * prime_buffer_doubles(s) + threads * prime_scratch_doubles(s) +
                             PRIME_CUTS * prime_table_doubles(s) + join_parts(s, threads) * PRIME_TAIL_LIMBS);
}

/* size_whole - a product at once. */
static enum gfmul_status size_whole(struct prime_shape *s, size_t an, size_t bn, enum plan_wrap wrap)
{
    const enum gfmul_status status = prime_size(s, an, bn, false, wrap);
    return status == GFMUL_ERR_SIZE && wrap == PLAN_WRAP_ALWAYS ? prime_size(s, an, bn, false, PLAN_WRAP_NEVER) : status;
}

/*
 * shape_choose - a product at once, or in halves if that fits alone.
 *
 *   limit  in  bytes; 0: none
 *   s      out of neither fits, the smaller one
 * Value: its bytes; 0: there is no transform of that length.
 */
static size_t shape_choose(struct prime_shape *s, const struct product *p, unsigned threads, size_t limit, enum plan_wrap wrap)
{
    const size_t an = bits_of(&p->a), bn = bits_of(&p->b);
    const size_t bytes = size_whole(s, an, bn, wrap) == GFMUL_OK ? memory_bytes(s, p, threads) : 0;
    struct prime_shape half;
    if ((bytes != 0 && (limit == 0 || bytes <= limit)) || prime_size(&half, an, bn, true, PLAN_WRAP_NEVER) != GFMUL_OK ||
        prime_ring_limbs(&half) + PRIME_TAIL_LIMBS > p->z.n)
        return bytes;
    const size_t half_bytes = memory_bytes(&half, p, threads);
    if (bytes != 0 && bytes <= half_bytes)
        return bytes;
    *s = half;
    return half_bytes;
}

/* ---- which products ---- */

/* double_ps - what the product costs in double, in any number of branches or slices; HUGE_VAL: it is beyond the limits. */
static double double_ps(struct call *call, const struct plan_request *request)
{
    struct plan_shape shape;
    char before[sizeof call->report.detail];
    memcpy(before, call->report.detail, sizeof before);
    const enum gfmul_status status = ctx_plan_size(call, request, &shape);
    memcpy(call->report.detail, before, sizeof before);
    return status == GFMUL_OK ? shape.cost_ps : status == GFMUL_ERR_MEMORY || status == GFMUL_ERR_SIZE ? HUGE_VAL : 0;
}

/* is_free - whether the options leave it to the library, and both numbers are in limbs. */
static bool is_free(const struct attempt *t)
{
    const struct gfmul_options *opt = &t->call->ctx->opt;
    const struct product *p = t->p;
    return opt->precision == GFMUL_PRECISION_AUTO && opt->rule != GFMUL_RULE_KNUTH && opt->packing == GFMUL_PACKING_AUTO &&
           !t->call->ctx->full_precision && p->z.base == 2 && p->a.base == 2 && p->b.base == 2 && !p->z.words && !p->b.spectrum;
}

/* wrap_of - certificates have no line for it. */
static enum plan_wrap wrap_of(const struct attempt *t, const struct plan_request *request)
{
    return t->call->ctx->opt.certify ? PLAN_WRAP_NEVER : request->wrap;
}

/* is_choice - whether precision auto takes it: if it costs less, or if there is no memory for double. */
static bool is_choice(const struct attempt *t)
{
    struct call *call = t->call;
    const struct product *p = t->p;
    struct plan_request request;
    struct prime_shape shape;
    const bool may_win = p->z.n >= CHOICE_LIMBS;
    if (!is_free(t) || (call->ctx->opt.memory_limit == 0 && !may_win))
        return false;
    ctx_plan_request(call, &request, 2, number_size(&p->a), number_size(&p->b), p->square);
    const size_t bytes = shape_choose(&shape, p, call->threads, request.memory_limit, wrap_of(t, &request));
    if (bytes == 0 || (request.memory_limit != 0 && bytes > request.memory_limit))
        return false;
    const double other = double_ps(call, &request);
    shape.has_ifma = call->ctx->prime_bits == RESIDUE_FAST_BITS;
    return other == HUGE_VAL || (may_win && prime_cost_ps(&shape, request.isa, p->square, request.cold ? bytes : 0) < other);
}

static enum gfmul_status prime_takes(struct attempt *t, bool *yes)
{
    *yes = is_choice(t);
    if (t->call->ctx->opt.precision != GFMUL_PRECISION_PRIME)
        return GFMUL_OK;
    *yes = true;
    if (t->p->z.base != 2 || t->p->z.words || t->p->b.spectrum) {
        call_detail(t->call, "precision prime on the CPU multiplies numbers in limbs, without kept spectra");
        return GFMUL_ERR_UNSUPPORTED;
    }
    return GFMUL_OK;
}

/* ---- plans and memory ---- */

/* shape_set - what others want to know of the plan. */
static void shape_set(struct attempt *t, const struct prime_shape *p, size_t bytes)
{
    struct plan_shape *s = &t->shape;
    memset(s, 0, sizeof *s);
    s->rule = GFMUL_RULE_NORM; /* rule checked admits it as well, and it is proved */
    s->field = PLAN_PRIME;
    s->square = t->p->square;
    s->digits = (struct plan_digits){.base = 2, .exponent = p->digit_bits, .bits = p->digit_bits, .an = p->an, .bn = p->bn};
    s->transform.odd = p->odd;
    s->transform.log2_n = p->levels + p->row_levels;
    s->transform.n_points = p->n_points;
    s->transform.n_digits = p->n_points << p->halved;
    s->transform.n_rows = p->n_rows;
    s->transform.row_points = p->row_points;
    s->transform.n_primes = p->n_primes;
    s->grid.wraps = p->wrap_limbs != 0;
    s->grid.wrap_limbs = p->wrap_limbs;
    s->grid.a_cells = s->grid.b_cells = s->grid.n_branches = 1;
    s->memory_bytes = bytes;
}

static enum gfmul_status prime_plan(struct attempt *t)
{
    struct prime_shape *s = &lease_of(t)->shape;
    const size_t bytes = shape_choose(s, t->p, t->call->threads, t->request.memory_limit, wrap_of(t, &t->request));
    if (bytes == 0) {
        call_detail(t->call, "the product is longer than any transform modulo a prime");
        return GFMUL_ERR_SIZE;
    }
    s->has_ifma = t->call->ctx->prime_bits == RESIDUE_FAST_BITS;
    s->monitor = t->call->monitor;
    shape_set(t, s, bytes);
    plan_info_from_shape(&t->info, &t->shape, t->call->ctx->ops->name);
    t->info.engine = engine_prime.name;
    t->info.threads = t->call->threads;
    const enum gfmul_status status = ctx_memory_check(t->call, t->shape.memory_bytes);
    t->refused = status == GFMUL_ERR_MEMORY;
    return status;
}

/* lease_take - all buffers; those that are not there are NULL. */
static enum gfmul_status lease_take(struct call *call, struct lease *l, const struct product *p)
{
    const struct prime_shape *s = &l->shape;
    const size_t bytes = prime_buffer_doubles(s) * sizeof(double);
    for (unsigned i = 0; i < s->n_primes; i++)
        TRY(ctx_buffer_get(call, bytes, &l->x[i]));
    if (other_bytes(s, p) != 0)
        TRY(ctx_buffer_get(call, other_bytes(s, p), &l->y));
    TRY(ctx_buffer_get(call, call->threads * prime_scratch_doubles(s) * sizeof(double), &l->scratch));
    TRY(ctx_buffer_get(call, PRIME_CUTS * prime_table_doubles(s) * sizeof(double), &l->tables));
    return ctx_buffer_get(call, join_parts(s, call->threads) * PRIME_TAIL_LIMBS * sizeof(mp_limb_t), &l->tails);
}

static enum gfmul_status prime_lease(struct attempt *t)
{
    struct lease *l = lease_of(t);
    memset(l->x, 0, sizeof l->x);
    l->y = l->scratch = l->tables = l->tails = NULL;
    const enum gfmul_status status = lease_take(t->call, l, t->p);
    t->refused = status == GFMUL_ERR_MEMORY;
    return status;
}

static bool prime_release(struct attempt *t, enum gfmul_status status, bool again)
{
    struct lease *l = lease_of(t);
    (void)status, (void)again;
    ctx_buffer_put(t->call, l->tails);
    ctx_buffer_put(t->call, l->tables);
    ctx_buffer_put(t->call, l->scratch);
    ctx_buffer_put(t->call, l->y);
    for (unsigned i = 0; i < PRIME_COUNT; i++)
        ctx_buffer_put(t->call, l->x[i]);
    return false;
}

/*
 * residues_make - the product's coefficients modulo primes first .. first + count - 1;  turned: modulo x^n + 1.
 *   from, to  in  the share of the work that all primes are
 *
 * The digits of an operand are cut once for all of them, if there are buffers: that of a prime to come is one.
 */
static enum gfmul_status residues_make(struct attempt *t, unsigned first, unsigned count, bool turned, double from, double to)
{
    const struct lease *l = lease_of(t);
    const struct prime_shape *s = &l->shape;
    const struct product *p = t->p;
    const struct prime_ops *ops = prime_ops_of(t->call->ctx->ops);
    const unsigned threads = t->call->threads;
    const struct prime_source a = {p->a.limbs, p->a.n}, b = {p->b.limbs, p->b.n};
    struct prime_tables tables[PRIME_CUTS];
    double *x[PRIME_CUTS], *y[PRIME_CUTS];
    const bool both = first + count < s->n_primes;
    for (unsigned k = 0; k < count; k++) {
        x[k] = l->x[first + k];
        y[k] = p->square ? x[k] : k > 0 && both ? l->x[first + count] : l->y ? l->y : lent_buffer(p);
        prime_tables_build(&tables[k], s, &prime_table[first + k], turned, (double *)l->tables + k * prime_table_doubles(s));
        prime_scale_join(&tables[k], s, first + k);
    }
    ops->digits_to_columns(s, tables, count, x, l->scratch, &a, threads);
    if (!p->square && both)
        ops->digits_to_columns(s, tables, count, y, l->scratch, &b, threads);
    for (unsigned k = 0; k < count; k++) {
        if (!p->square && !both)
            ops->digits_to_columns(s, &tables[k], 1, &y[k], l->scratch, &b, threads);
        ops->rows_mul(s, &tables[k], x[k], y[k], l->scratch, threads);
        ops->columns_to_residues(s, &tables[k], x[k], l->scratch, threads);
        TRY(call_progress(t->call, from + (to - from) * (first + k + 1) / s->n_primes));
    }
    return GFMUL_OK;
}

/* tail_add - what a part of the coefficients left for the limbs from `at` on. */
static void tail_add(const struct number *z, size_t at, const mp_limb_t *tail)
{
    const size_t left = at < z->n ? z->n - at : 0;
    if (left > PRIME_TAIL_LIMBS)
        mpn_add(z->limbs + at, z->limbs + at, (mp_size_t)left, tail, PRIME_TAIL_LIMBS);
    else if (left > 0)
        mpn_add_n(z->limbs + at, z->limbs + at, tail, (mp_size_t)left);
}

/* part_first - where part g of the runs begins: at a whole group of rows, as residues_join likes it. */
static size_t part_first(const struct prime_shape *s, size_t runs, size_t parts, size_t g)
{
    const size_t of_group = PRIME_STRIP * s->row_points / JOIN_PART_DIGITS, first = runs * g / parts;
    return g == parts ? runs : first - first % of_group;
}

/* residues_to_limbs - the coefficients, part by part, and the carries between parts.   z out */
static void residues_to_limbs(struct attempt *t, const struct number *z)
{
    const struct lease *l = lease_of(t);
    const struct prime_shape *s = &l->shape;
    const struct prime_ops *ops = prime_ops_of(t->call->ctx->ops);
    const unsigned threads = t->call->threads;
    const size_t parts = join_parts(s, threads);
    const size_t runs =
        s->halved || s->wrap_limbs != 0 ? s->n_points / JOIN_PART_DIGITS : (s->an + s->bn - 2) / JOIN_PART_DIGITS + 1;
    const size_t of_run = JOIN_PART_DIGITS * s->digit_bits / 64;
    mp_limb_t *tails = l->tails;
    double *x[PRIME_COUNT];
    memcpy(x, l->x, sizeof x);
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (size_t g = 0; g < parts; g++) {
        ROUND_TO_NEAREST;
        const size_t first = part_first(s, runs, parts, g), count = part_first(s, runs, parts, g + 1) - first;
        const size_t at = first * of_run;
        if (!stage_part(s->monitor, count * JOIN_PART_DIGITS))
            continue;
        ops->residues_join(s, z->limbs + (at < z->n ? at : z->n), at < z->n ? z->n - at : 0, x, first * JOIN_PART_DIGITS,
                           count * JOIN_PART_DIGITS, tails + g * PRIME_TAIL_LIMBS);
        stage_part_end(s->monitor);
    }
    if (stage_stopped(s->monitor))
        return;
    if (runs * of_run < z->n)
        memset(z->limbs + runs * of_run, 0, (z->n - runs * of_run) * sizeof *z->limbs);
    for (size_t g = 0; g < parts; g++)
        tail_add(z, part_first(s, runs, parts, g + 1) * of_run, tails + g * PRIME_TAIL_LIMBS);
}

/* residues_of_all - of all primes; the share of the work from `from` to `to`. */
static enum gfmul_status residues_of_all(struct attempt *t, bool turned, double from, double to)
{
    const unsigned n_primes = lease_of(t)->shape.n_primes;
    for (unsigned i = 0, count; i < n_primes; i += count) {
        count = n_primes - i < PRIME_CUTS ? n_primes - i : PRIME_CUTS;
        TRY(residues_make(t, i, count, turned, from, to));
    }
    return GFMUL_OK;
}

/* run_halves - s = A + B modulo x^n - 1, d = A - B modulo x^n + 1: the product is A + 2^(n l) B. */
static enum gfmul_status run_halves(struct attempt *t)
{
    struct lease *l = lease_of(t);
    const size_t n = prime_ring_limbs(&l->shape) + PRIME_TAIL_LIMBS;
    const struct number sum = number_limbs(t->p->z.limbs, n), rest = number_limbs(l->y, n);
    TRY(residues_of_all(t, false, 0.0, share_transforms / 2));
    phase_enter(&t->call->clock, PHASE_CARRY);
    residues_to_limbs(t, &sum);
    phase_enter(&t->call->clock, PHASE_TRANSFORM);
    TRY(residues_of_all(t, true, share_transforms / 2, share_transforms));
    phase_enter(&t->call->clock, PHASE_CARRY);
    residues_to_limbs(t, &rest);
    prime_halves_join(&l->shape, t->p->z.limbs, t->p->z.n, rest.limbs);
    return GFMUL_OK;
}

/* unwrap - the product from its coefficients modulo x^n - 1; the residues are done with, and lend their memory. */
static enum gfmul_status unwrap(struct attempt *t)
{
    const struct lease *l = lease_of(t);
    const size_t ring = prime_ring_limbs(&l->shape);
    assert(ring + l->shape.wrap_limbs == t->p->z.n && 2 * l->shape.wrap_limbs <= prime_buffer_doubles(&l->shape));
    return mul_wrap(t->call, t->p, ring, -1, l->x[0], &engine_prime);
}

static enum gfmul_status prime_run(struct attempt *t)
{
    if (lease_of(t)->shape.halved) {
        TRY(run_halves(t));
    } else {
        TRY(residues_of_all(t, false, 0.0, share_transforms));
        phase_enter(&t->call->clock, PHASE_CARRY);
        residues_to_limbs(t, &t->p->z);
        const enum gfmul_status status = lease_of(t)->shape.wrap_limbs != 0 ? unwrap(t) : GFMUL_OK;
        t->refused = status == GFMUL_ERR_MEMORY;
        TRY(status);
    }
    call_proof_add(t->call, &t->shape, &(struct plan_figures){.max_error = 0});
    return call_progress(t->call, share_product);
}

static bool prime_smaller(struct attempt *t)
{
    (void)t;
    return false;
}

const struct engine engine_prime = {
    .name = "cpu",
    .id = GFMUL_ENGINE_CPU,
    .takes = prime_takes,
    .plan = prime_plan,
    .lease = prime_lease,
    .run = prime_run,
    .release = prime_release,
    .smaller = prime_smaller,
};
