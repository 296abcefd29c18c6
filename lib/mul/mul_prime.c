/*
 * mul_prime.c - products of limbs modulo primes, on the CPU: one prime after the other, then the Chinese remainder and the carry.
 *
 * It is a row of engine cpu, which takes what precision prime asks for, and from precision auto what it is faster at.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/try.h"
#include "limbs/limb_bits.h"
#include "limbs/residue.h"
#include "mul/engine.h"
#include "plan/plan_field.h"
#include "prime/prime_plan.h"

enum { LENT_ALIGNMENT = 64 };
enum { JOIN_PARTS = 4, JOIN_PART_DIGITS = 64 }; /* of each thread; no part is shorter */

struct lease {
    struct prime_shape shape;
    void *x[PRIME_COUNT]; /* what becomes the residues of the product, for each prime */
    void *y; /* for the other operand, modulo the prime under way; of a square, or where the product lends it: NULL */
    void *scratch, *tables, *tails;
};
_Static_assert(sizeof(struct lease) <= sizeof((struct attempt *)0)->lease, "room for the lease");

/* Shares of a product that are done behind its transforms; the rest is the check's. */
static const double share_transforms = 0.85, share_product = 0.92;

static struct lease *lease_of(struct attempt *t)
{
    return (struct lease *)t->lease;
}

/* is_fastest - whether precision auto takes it: two numbers in limbs, of about one size, where it has been measured as faster. */
static bool is_fastest(const struct attempt *t)
{
    const struct gfmul_options *opt = &t->call->ctx->opt;
    const struct product *p = t->p;
    return opt->precision == GFMUL_PRECISION_AUTO && opt->rule == GFMUL_RULE_NORM && opt->packing == GFMUL_PACKING_AUTO &&
           opt->memory_limit == 0 && !opt->certify && !t->call->ctx->full_precision && p->z.base == 2 && p->a.base == 2 &&
           p->b.base == 2 && !p->z.words && !p->b.spectrum && !p->square && p->a.n / 2 <= p->b.n &&
           prime_wins(cpu_tuning(t->call->ctx->ops->isa_bit), t->call->threads, p->b.n);
}

static enum gfmul_status prime_takes(struct attempt *t, bool *yes)
{
    *yes = is_fastest(t);
    if (t->call->ctx->opt.precision != GFMUL_PRECISION_PRIME)
        return GFMUL_OK;
    *yes = true;
    if (t->p->z.base != 2 || t->p->z.words || t->p->b.spectrum) {
        call_detail(t->call, "precision prime multiplies numbers in limbs");
        return GFMUL_ERR_UNSUPPORTED;
    }
    return GFMUL_OK;
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

/* lent_buffer - in the limbs of the product, aligned. */
static double *lent_buffer(const struct product *p)
{
    return (double *)(((uintptr_t)p->z.limbs + LENT_ALIGNMENT - 1) / LENT_ALIGNMENT * LENT_ALIGNMENT);
}

/* join_parts - how many parts the coefficients are carried in. */
static size_t join_parts(const struct prime_shape *s, unsigned threads)
{
    const size_t runs = s->n_points / JOIN_PART_DIGITS, parts = (size_t)threads * JOIN_PARTS;
    return threads == 1 ? 1 : parts < runs ? parts : runs;
}

/* shape_set - what others want to know of the plan. */
static void shape_set(struct attempt *t, const struct prime_shape *p)
{
    struct plan_shape *s = &t->shape;
    const size_t buffers = p->n_primes + (t->p->square || product_lends(p, t->p) ? 0 : 1);
    memset(s, 0, sizeof *s);
    s->rule = t->request.rule;
    s->field = PLAN_PRIME;
    s->square = t->p->square;
    s->digits = (struct plan_digits){.base = 2, .exponent = p->digit_bits, .bits = p->digit_bits, .an = p->an, .bn = p->bn};
    s->transform.odd = p->odd;
    s->transform.log2_n = p->levels + p->row_levels;
    s->transform.n_points = s->transform.n_digits = p->n_points;
    s->transform.n_rows = p->n_rows;
    s->transform.row_points = p->row_points;
    s->transform.n_primes = p->n_primes;
    s->grid.a_cells = s->grid.b_cells = s->grid.n_branches = 1;
    s->memory_bytes = sizeof(double) * (buffers * prime_buffer_doubles(p) + t->call->threads * prime_scratch_doubles(p) +
                                        prime_table_doubles(p) + join_parts(p, t->call->threads) * PRIME_TAIL_LIMBS);
}

static enum gfmul_status prime_plan(struct attempt *t)
{
    struct prime_shape *s = &lease_of(t)->shape;
    if (prime_size(s, bits_of(&t->p->a), bits_of(&t->p->b)) != GFMUL_OK) {
        call_detail(t->call, "the product is longer than any transform modulo a prime");
        return GFMUL_ERR_SIZE;
    }
    s->has_ifma = t->call->ctx->prime_bits == RESIDUE_FAST_BITS;
    shape_set(t, s);
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
    if (!p->square && !product_lends(s, p))
        TRY(ctx_buffer_get(call, bytes, &l->y));
    TRY(ctx_buffer_get(call, call->threads * prime_scratch_doubles(s) * sizeof(double), &l->scratch));
    TRY(ctx_buffer_get(call, prime_table_doubles(s) * sizeof(double), &l->tables));
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

/* residues_make - the product's coefficients modulo one prime. */
static void residues_make(struct attempt *t, unsigned i)
{
    const struct lease *l = lease_of(t);
    const struct prime_shape *s = &l->shape;
    const struct product *p = t->p;
    const struct prime_ops *ops = prime_ops_of(t->call->ctx->ops);
    const unsigned threads = t->call->threads;
    struct prime_tables tables;
    double *x = l->x[i], *y = p->square ? x : l->y ? l->y : lent_buffer(p);
    prime_tables_build(&tables, s, &prime_table[i], l->tables);
    prime_scale_join(&tables, s, i);
    ops->digits_to_columns(s, &tables, x, l->scratch, &(struct prime_source){p->a.limbs, p->a.n}, threads);
    if (!p->square)
        ops->digits_to_columns(s, &tables, y, l->scratch, &(struct prime_source){p->b.limbs, p->b.n}, threads);
    ops->rows_mul(s, &tables, x, y, threads);
    ops->columns_to_residues(s, &tables, x, l->scratch, threads);
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

/* residues_to_limbs - the coefficients, part by part, and the carries between parts. */
static void residues_to_limbs(struct attempt *t)
{
    const struct lease *l = lease_of(t);
    const struct prime_shape *s = &l->shape;
    const struct prime_ops *ops = prime_ops_of(t->call->ctx->ops);
    const struct number *z = &t->p->z;
    const unsigned threads = t->call->threads;
    const size_t parts = join_parts(s, threads), runs = (s->an + s->bn - 2) / JOIN_PART_DIGITS + 1;
    const size_t of_run = JOIN_PART_DIGITS * s->digit_bits / 64;
    mp_limb_t *tails = l->tails;
    double *x[PRIME_COUNT];
    memcpy(x, l->x, sizeof x);
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (size_t g = 0; g < parts; g++) {
        ROUND_TO_NEAREST;
        const size_t first = part_first(s, runs, parts, g), count = part_first(s, runs, parts, g + 1) - first;
        const size_t at = first * of_run;
        ops->residues_join(s, z->limbs + (at < z->n ? at : z->n), at < z->n ? z->n - at : 0, x, first * JOIN_PART_DIGITS,
                           count * JOIN_PART_DIGITS, tails + g * PRIME_TAIL_LIMBS);
    }
    if (runs * of_run < z->n)
        memset(z->limbs + runs * of_run, 0, (z->n - runs * of_run) * sizeof *z->limbs);
    for (size_t g = 0; g < parts; g++)
        tail_add(z, part_first(s, runs, parts, g + 1) * of_run, tails + g * PRIME_TAIL_LIMBS);
}

static enum gfmul_status prime_run(struct attempt *t)
{
    const unsigned n_primes = lease_of(t)->shape.n_primes;
    for (unsigned i = 0; i < n_primes; i++) {
        residues_make(t, i);
        TRY(call_progress(t->call, share_transforms * (i + 1) / n_primes));
    }
    phase_enter(&t->call->clock, PHASE_CARRY);
    residues_to_limbs(t);
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
