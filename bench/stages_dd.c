/*
 * stages_dd.c - one convolution in double-double beside one in double of as many points, and what narrower levels save.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 *   b-stages dd [LOG2_N]...      points of the transforms, 2^9 .. 2^24 (10 12 14 16 18 20)
 *
 * One thread, right-angle, full operands of n digits each, from limbs to limbs: cut, transforms, product, carry.
 *
 *   double    as a product runs it, the largest l that is proved
 *   dd        the same in double-double, with digits as doubles in the first levels, all passes light, the largest l for that
 *   full      double-double at every level, all passes full, the largest l that is proved
 *   dd_small, full_small   digits of the largest l for which the schedule has all inverse passes in double, and the same with
 *             every level in double-double
 *
 * CPU time a product, medians of interleaved rounds.  One line a size: points, l, us of each, ratios dd / double, full / dd for
 * each bit of l, and full_small / dd_small.
 */
#include "bench_parts.h"

#include "base/alloc.h"
#include "base/cpu.h"
#include "bench_stages.h"
#include "plan/plan_dd.h"
#include "plan/plan_field.h"

enum { ROUNDS = 9, LEAST_NS = 10000000, MAX_SIZES = 16 };
enum { DOUBLE, DD, FULL, DD_SMALL, FULL_SMALL, KINDS };

struct workload {
    struct plan *plan[KINDS];
    double *x, *y, *scratch;
    mp_limb_t *a, *z;
    double ns[KINDS][ROUNDS];
};

static void product(const struct workload *w, const struct plan *plan, size_t limbs)
{
    const struct stage_ops *f = plan->ops;
    const size_t n = plan->shape.transform.n_points;
    struct digit_source source;
    struct digit_norms norms;
    struct round_stats stats;
    limbs_source(&source, plan, w->a, limbs);
    const struct digit_cell cell = {&source, 0, n, DIGIT_PART_A};
    f->source_to_columns(plan, w->x, w->scratch, &cell, &norms, 1);
    f->source_to_columns(plan, w->y, w->scratch, &cell, &norms, 1);
    f->columns_mul(plan, w->x, w->y, w->scratch, n, n, 1);
    if (columns_to_limbs(plan, w->z, 2 * limbs, w->x, w->scratch, &stats, 1) != GFMUL_OK)
        exit(1);
}

static void shape_set(struct plan_shape *s, const struct isa_ops *ops, unsigned log2_n, unsigned l, int kind)
{
    *s = (struct plan_shape){.rule = GFMUL_RULE_NORM,
                             .transform.packing = GFMUL_PACKING_RIGHT_ANGLE,
                             .field = kind == DOUBLE ? PLAN_DOUBLE : PLAN_DD,
                             .digits.base = 2,
                             .digits.exponent = l,
                             .digits.digit_base = (uint64_t)1 << l,
                             .digits.bits = l,
                             .bound.fma = ops->fma,
                             .grid.a_cells = 1,
                             .grid.b_cells = 1,
                             .digits.narrow = kind == DD || kind == DD_SMALL,
                             .digits.an = (size_t)1 << log2_n,
                             .digits.bn = (size_t)1 << log2_n};
    if (kind == DOUBLE)
        plan_shape_points(s, 1, log2_n, ops->max_radix);
    else
        plan_shape_points_dd(s, 1, log2_n);
    if (kind == DD_SMALL)
        plan_dd_schedule(s, plan_bound_sums);
    if (kind == DD || kind == DD_SMALL)
        plan_dd_lighten(s, plan_bound_worst, plan_bound_limit(false));
}

/* largest_l - that is proved; of dd: with all passes light; of dd_small: with which all passes run in double. */
static unsigned largest_l(const struct isa_ops *ops, unsigned log2_n, int kind)
{
    for (unsigned l = kind == DOUBLE ? 30 : DD_DIGIT_BITS; l > 1; l--) {
        struct plan_shape s;
        shape_set(&s, ops, log2_n, l, kind);
        const bool whole = kind == DD         ? s.transform.light_passes == 2 * s.transform.n_passes
                           : kind == DD_SMALL ? s.transform.double_passes == s.transform.n_passes
                                              : true;
        if (whole && plan_bound_worst(&s, NULL) < 0.5)
            return l;
    }
    return 1;
}

static double time_one(const struct workload *w, int kind, unsigned repeats)
{
    const struct plan *plan = w->plan[kind];
    const size_t limbs = plan->shape.transform.n_points / 64 * plan->shape.digits.exponent - 1;
    const double start = cpu_ns();
    for (unsigned i = 0; i < repeats; i++)
        product(w, plan, limbs);
    return (cpu_ns() - start) / repeats;
}

static void run(const struct isa_ops *ops, unsigned log2_n)
{
    struct workload w = {.x = NULL};
    unsigned l[KINDS], repeats[KINDS];
    size_t doubles = 0, scratch = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        struct plan_shape s;
        l[kind] = kind == FULL_SMALL ? l[DD_SMALL] : largest_l(ops, log2_n, kind);
        shape_set(&s, ops, log2_n, l[kind], kind);
        if (plan_create(&w.plan[kind], &s, ops, 1) != GFMUL_OK)
            exit(1);
        const size_t n = plan_buffer_doubles(&s), m = plan_field(&s)->scratch_doubles(&s);
        doubles = n > doubles ? n : doubles;
        scratch = m > scratch ? m : scratch;
    }
    const size_t limbs = ((size_t)1 << log2_n) / 64 * DD_DIGIT_BITS;
    w.x = alloc_aligned(doubles * sizeof *w.x);
    w.y = alloc_aligned(doubles * sizeof *w.y);
    w.scratch = alloc_aligned(scratch * sizeof *w.scratch);
    w.a = alloc_aligned(limbs * sizeof *w.a);
    w.z = alloc_aligned(2 * limbs * sizeof *w.z);
    if (!w.x || !w.y || !w.scratch || !w.a || !w.z)
        exit(1);
    uint64_t state = 1;
    for (size_t i = 0; i < limbs; i++)
        w.a[i] = state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    for (int kind = 0; kind < KINDS; kind++) {
        time_one(&w, kind, 1);
        const double once = time_one(&w, kind, 1);
        repeats[kind] = once < LEAST_NS ? (unsigned)(LEAST_NS / once) + 1 : 1;
    }
    for (unsigned round = 0; round < ROUNDS; round++)
        for (int kind = 0; kind < KINDS; kind++)
            w.ns[kind][round] = time_one(&w, kind, repeats[kind]);
    printf("%s\t2^%u\t%u\t%u\t%u\t%u", ops->name, log2_n, l[DOUBLE], l[DD], l[FULL], l[DD_SMALL]);
    double median[KINDS];
    for (int kind = 0; kind < KINDS; kind++) {
        qsort(w.ns[kind], ROUNDS, sizeof(double), by_value);
        median[kind] = w.ns[kind][ROUNDS / 2];
        printf("\t%.1f", median[kind] / 1e3);
    }
    printf("\t%.2f\t%.3f\t%.3f\n", median[DD] / median[DOUBLE], median[FULL] / l[FULL] * l[DD] / median[DD],
           median[FULL_SMALL] / median[DD_SMALL]);
    fflush(stdout);
    for (int kind = 0; kind < KINDS; kind++)
        plan_destroy(w.plan[kind]);
    alloc_free(w.x), alloc_free(w.y), alloc_free(w.scratch), alloc_free(w.a), alloc_free(w.z);
}

int stages_dd(int argc, char **argv)
{
    static const unsigned usual[] = {10, 12, 14, 16, 18, 20};
    const struct isa_ops *ops = isa_ops_select(cpu_isa_mask(getenv("GFMUL_DISABLE")));
    printf("isa\tpoints\tl_double\tl_dd\tl_full\tl_small\tdouble_us\tdd_us\tfull_us\tdd_small_us\tfull_small_us\t"
           "dd/double\tfull/dd\tfull_small/dd_small\n");
    if (argc < 2)
        for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
            run(ops, usual[i]);
    for (int i = 1; i < argc; i++) {
        const int log2_n = atoi(argv[i]);
        if (log2_n < DD_LEVELS_MIN || log2_n > 24) {
            fprintf(stderr, "b-stages dd: points are 2^9 to 2^24\n");
            return 2;
        }
        run(ops, (unsigned)log2_n);
    }
    return 0;
}
