/*
 * cpu_rates.c - how fast a processor is that the tables of costs were not measured on.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/cpu_rates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/disk_cache.h"
#include "base/try.h"
#include "limbs/limb_bits.h"
#include "plan/plan_field.h"
#include "plan/thresholds/thresholds.h"
#include "prime/prime_ops.h"

/* The products are within a second-level cache, and so short that they have no rates of their own. */
enum { TRIAL_LIMBS = 8192, TOUCH_BYTES = 4 << 20, ROUNDS = 5, ROUNDS_LEAST = 3, IDENTITY_BYTES = 256, FACT_BYTES = 64 };
static const double enough_ns = 1e7; /* after so long no more than ROUNDS_LEAST rounds are made */

/* The limits of factors, and the step to which they are rounded, in powers of two. */
static const double least = 1.0 / 64, most = 64, step = 1.0 / 8;

enum { DOUBLES, PRIMES, KINDS };

/* A trial: two plans of the same product, and memory for either. */
struct trial {
    const struct isa_ops *isa;
    struct plan *doubles;
    struct plan primes;
    double table_ns[KINDS]; /* of each product, by the tables */
    mp_limb_t *a, *b, *z;
    double *x[PRIME_COUNT], *y, *scratch, *tables;
    double ratio[KINDS + 1][ROUNDS]; /* time by the tables' time; the last row is that of first touches */
};

/* processor_ns - time of this thread on a processor. */
static double processor_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* ---- the two products ---- */

static enum gfmul_status doubles_run(struct trial *t)
{
    const struct plan *plan = t->doubles;
    const struct plan_shape *s = &plan->shape;
    const size_t digits = limbs_bit_length(t->a, TRIAL_LIMBS) / s->digits.exponent + 1;
    struct digit_source source;
    struct digit_norms norms;
    struct round_stats stats;
    for (unsigned k = 0; k < 2; k++) {
        limbs_source(&source, plan, k ? t->b : t->a, TRIAL_LIMBS);
        plan->ops->source_to_columns(plan, k ? t->y : t->x[0], t->scratch, &(struct digit_cell){&source, 0, digits, DIGIT_PART_A},
                                     &norms, 1);
    }
    plan->ops->columns_mul(plan, t->x[0], t->y, t->scratch, digits, digits, 1);
    return columns_to_limbs(plan, t->z, 2 * TRIAL_LIMBS, t->x[0], t->scratch, &stats, 1);
}

static enum gfmul_status primes_run(struct trial *t)
{
    const struct plan_shape *s = &t->primes.shape;
    const struct prime_ops *ops = prime_ops_of(t->isa);
    const struct prime_source a = {t->a, TRIAL_LIMBS}, b = {t->b, TRIAL_LIMBS};
    const size_t runs = (s->digits.an + s->digits.bn - 2) / PRIME_RUN + 1;
    struct prime_tables tables;
    mp_limb_t tail[PRIME_TAIL_LIMBS];
    for (unsigned i = 0; i < s->transform.n_primes; i++) {
        prime_tables_build(&tables, s, &prime_table[i], false, t->tables);
        prime_scale_join(&tables, s, i);
        ops->digits_to_columns(&t->primes, &tables, 1, &t->x[i], t->scratch, &a, 1);
        ops->digits_to_columns(&t->primes, &tables, 1, &t->y, t->scratch, &b, 1);
        ops->rows_mul(&t->primes, &tables, t->x[i], t->y, t->scratch, 1);
        ops->columns_to_residues(&t->primes, &tables, t->x[i], t->scratch, 1);
    }
    ops->residues_join(s, t->z, 2 * TRIAL_LIMBS, t->x, 0, runs * PRIME_RUN, tail);
    return GFMUL_OK;
}

static enum gfmul_status (*const products[KINDS])(struct trial *t) = {[DOUBLES] = doubles_run, [PRIMES] = primes_run};

/* ---- measuring ---- */

/* trial_shape - the plan of a product in a field, whole and alone, and what the tables say of it. */
static enum gfmul_status trial_shape(struct plan_shape *shape, const struct plan_request *like, enum gfmul_precision precision,
                                     double *table_ns)
{
    struct plan_request request = *like;
    memset(&request.rates, 0, sizeof request.rates);
    request.rule = GFMUL_RULE_NORM;
    request.precision = precision;
    request.packing = GFMUL_PACKING_AUTO;
    request.full_precision = request.square = request.cold = false;
    request.base = 2;
    request.an = request.bn = 64 * TRIAL_LIMBS;
    request.threads = 1;
    request.memory_limit = 0;
    request.wrap = PLAN_WRAP_NEVER;
    TRY(plan_size(shape, &request, NULL, 0));
    *table_ns = shape->cost_ps / 1e3;
    return GFMUL_OK;
}

static size_t larger(size_t x, size_t y)
{
    return x > y ? x : y;
}

/* trial_rooms - the memory of both products; trial_end frees it. */
static enum gfmul_status trial_rooms(struct trial *t)
{
    const struct plan_shape *d = &t->doubles->shape, *p = &t->primes.shape;
    const size_t buffer = larger(plan_buffer_doubles(d), prime_buffer_doubles(p));
    bool made = (t->y = alloc_aligned(buffer * sizeof(double))) != NULL;
    for (unsigned i = 0; i < p->transform.n_primes; i++)
        made &= (t->x[i] = alloc_aligned(buffer * sizeof(double))) != NULL;
    const size_t scratch = larger(plan_field(d)->scratch_doubles(d), prime_scratch_doubles(p));
    made &= (t->scratch = alloc_aligned(scratch * sizeof(double))) != NULL;
    made &= (t->tables = alloc_aligned(prime_table_doubles(p) * sizeof(double))) != NULL;
    made &= (t->a = alloc_aligned(4 * TRIAL_LIMBS * sizeof(mp_limb_t))) != NULL;
    if (!made)
        return GFMUL_ERR_MEMORY;
    t->b = t->a + TRIAL_LIMBS;
    t->z = t->b + TRIAL_LIMBS;
    for (size_t i = 0; i < 2 * TRIAL_LIMBS; i++)
        t->a[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (i + 1) << 40;
    return GFMUL_OK;
}

static void trial_end(struct trial *t)
{
    for (unsigned i = 0; i < PRIME_COUNT; i++)
        alloc_free(t->x[i]);
    alloc_free(t->y);
    alloc_free(t->scratch);
    alloc_free(t->tables);
    alloc_free(t->a);
    plan_destroy(t->doubles);
    alloc_free(t);
}

/* product_run - the ratio of a product, after one that fetches code and tables into the caches. */
static enum gfmul_status product_run(struct trial *t, unsigned kind, double *ratio)
{
    TRY(products[kind](t));
    const double start = processor_ns();
    TRY(products[kind](t));
    *ratio = (processor_ns() - start) / t->table_ns[kind];
    return GFMUL_OK;
}

/* touch_run - the ratio of the first touch of a block. */
static enum gfmul_status touch_run(double table_ns, double *ratio)
{
    const double start = processor_ns();
    void *p = alloc_aligned(TOUCH_BYTES);
    if (!p)
        return GFMUL_ERR_MEMORY;
    memory_touch(p, TOUCH_BYTES);
    *ratio = (processor_ns() - start) / table_ns;
    alloc_forget(p, TOUCH_BYTES);
    alloc_free(p);
    return GFMUL_OK;
}

/* factor_of - the least of n ratios, because other programs only add to them, within the limits and rounded. */
static double factor_of(const double *ratio, unsigned n)
{
    double x = most;
    for (unsigned i = 0; i < n; i++)
        x = ratio[i] < x ? ratio[i] : x;
    return exp2(step * round(log2(x > least ? x : least) / step));
}

/* rounds_run - the products and the touch in turns, so that a busy machine slows all of them. */
static enum gfmul_status rounds_run(struct trial *t, double touch_ns, struct plan_rates *rates)
{
    const double start = processor_ns();
    unsigned n = 0;
    for (; n < ROUNDS && (n < ROUNDS_LEAST || processor_ns() - start < enough_ns); n++) {
        for (unsigned kind = 0; kind < KINDS; kind++)
            TRY(product_run(t, kind, &t->ratio[kind][n]));
        TRY(touch_run(touch_ns, &t->ratio[KINDS][n]));
    }
    rates->points = factor_of(t->ratio[DOUBLES], n);
    rates->primes = factor_of(t->ratio[PRIMES], n);
    rates->touch = factor_of(t->ratio[KINDS], n);
    return GFMUL_OK;
}

/* measure - the factors.   Errors: MEMORY; those of a plan. */
static enum gfmul_status measure(const struct isa_ops *isa, const struct plan_request *like, struct plan_rates *rates)
{
    const struct plan_request tables = {.isa = like->isa};
    struct trial *t = alloc_zeroed(sizeof *t);
    struct plan_shape shape;
    if (!t)
        return GFMUL_ERR_MEMORY;
    t->isa = isa;
    enum gfmul_status status = trial_shape(&t->primes.shape, like, GFMUL_PRECISION_PRIME, &t->table_ns[PRIMES]);
    if (status == GFMUL_OK)
        status = trial_shape(&shape, like, GFMUL_PRECISION_DOUBLE, &t->table_ns[DOUBLES]);
    if (status == GFMUL_OK)
        status = plan_create(&t->doubles, &shape, isa, 1);
    if (status == GFMUL_OK)
        status = trial_rooms(t);
    if (status == GFMUL_OK)
        status = rounds_run(t, PLAN_TOUCH_ALONE * plan_touch_ps(&tables, TOUCH_BYTES) / 1e3, rates);
    trial_end(t);
    return status;
}

/* ---- keeping ---- */

/* What this process knows of an instruction set.  A thread that finds somebody measuring uses the tables. */
enum { UNKNOWN, MEASURING, KNOWN };
static struct known {
    atomic_int state;
    struct plan_rates rates; /* once KNOWN, nobody writes it; zeros: it could not be measured */
} known[CPU_ISA_COUNT][2];
static atomic_uint n_measured;

static atomic_bool pretending;
static struct plan_rates pretended;

static bool rate_holds(double rate)
{
    return rate >= least && rate <= most;
}

static bool rates_hold(const struct plan_rates *r)
{
    return rate_holds(r->points) && rate_holds(r->primes) && rate_holds(r->touch);
}

/* rates_find - from the cache on disk, or measured and kept there.   rates out: zeros if that fails */
static void rates_find(const struct gfmul_ctx *ctx, const struct plan_request *like, struct plan_rates *rates)
{
    char identity[IDENTITY_BYTES], fact[FACT_BYTES];
    const struct disk_cache_key key = {identity, fact, ""};
    void *data = NULL;
    size_t n = 0;
    cpu_identity(identity, sizeof identity);
    snprintf(fact, sizeof fact, "cpu rates, %s, %s, %u bits", gfmul_version(), ctx->ops->name, ctx->prime_bits);
    memset(rates, 0, sizeof *rates);
    if (disk_cache_load(&key, &data, &n) == DISK_CACHE_FOUND && n == sizeof *rates)
        memcpy(rates, data, sizeof *rates);
    free(data);
    if (rates_hold(rates))
        return;
    atomic_fetch_add(&n_measured, 1);
    if (measure(ctx->ops, like, rates) == GFMUL_OK && rates_hold(rates))
        disk_cache_store(&key, rates, sizeof *rates);
    else
        memset(rates, 0, sizeof *rates);
}

static unsigned isa_place(const struct gfmul_ctx *ctx)
{
    unsigned place = 0;
    while (place + 1 < CPU_ISA_COUNT && !(ctx->ops->isa_bit >> place & 1))
        place++;
    return place;
}

struct plan_rates cpu_rates(const struct gfmul_ctx *ctx, const struct plan_request *request)
{
    const struct plan_rates none = {0, 0, 0};
    const size_t limbs = (request->an + request->bn) / (request->base == 2 ? 64 : 16);
    if (ctx->rates_known || request->precision != GFMUL_PRECISION_AUTO || request->memory_limit > 0 || limbs < PLAN_RATES_LIMBS)
        return none;
    if (atomic_load(&pretending))
        return pretended;
    struct known *k = &known[isa_place(ctx)][ctx->prime_bits == RESIDUE_FAST_BITS];
    int state = UNKNOWN;
    if (atomic_compare_exchange_strong(&k->state, &state, MEASURING)) {
        rates_find(ctx, request, &k->rates);
        atomic_store(&k->state, KNOWN);
        return k->rates;
    }
    return state == KNOWN ? k->rates : none;
}

void cpu_rates_pretend(const struct plan_rates *rates)
{
    if (rates)
        pretended = *rates;
    atomic_store(&pretending, rates != NULL);
}

void cpu_rates_forget(void)
{
    for (unsigned i = 0; i < CPU_ISA_COUNT; i++)
        for (unsigned j = 0; j < 2; j++)
            atomic_store(&known[i][j].state, UNKNOWN);
}

unsigned cpu_rates_measured(void)
{
    return atomic_load(&n_measured);
}
