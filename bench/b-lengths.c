/*
 * b-lengths.c - the time of one convolution at every transform length, and the step from each length to the next.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 *   b-lengths [FIRST] [LAST] [ROUNDS]      log2 of the shortest and longest length (10, 18), rounds (31)
 *
 * Right-angle, full operands of n digits each, l the largest that is expected to be proved: cut, column passes, rows with the
 * product, inverse column passes and carry, by the stages themselves.  One thread, its processor time; the lengths take turns,
 * round after round, and each has its lower decile; the step is the median of the ratios to the length before in the same
 * round.  GFMUL_DISABLE chooses the instruction set.  A line of TSV a length.
 */
#include <math.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "bench_stages.h"

enum { MAX_LENGTHS = 400, LEAST_NS = 400000 };

struct length {
    struct plan *plan;
    double *ns;
    double time; /* lower decile */
    double step; /* median over the rounds of the ratio to the length before */
};

static double *buffer[3];
static mp_limb_t *limbs[3];

static void convolve(const struct plan *plan)
{
    const struct plan_shape *s = &plan->shape;
    struct digit_source source;
    struct digit_norms norms;
    const size_t n = s->n_points, words = n * s->exponent / 64;
    struct round_stats stats;
    for (unsigned k = 0; k < 2; k++) {
        limbs_source(&source, plan, limbs[k], words);
        plan->ops->source_to_columns_fused(plan, buffer[k], buffer[2], &source, 0, n, &norms, 1);
    }
    plan->ops->columns_mul_fused(plan, buffer[0], buffer[1], n, n, 1);
    if (columns_to_limbs(plan, limbs[2], 2 * words, buffer[0], buffer[2], &stats, 1) != GFMUL_OK || !(stats.max_error < 0.4)) {
        fprintf(stderr, "b-lengths: error %g\n", stats.max_error);
        exit(1);
    }
}

static int by_points(const void *a, const void *b)
{
    const struct length *x = a, *y = b;
    return (x->plan->shape.n_points > y->plan->shape.n_points) - (x->plan->shape.n_points < y->plan->shape.n_points);
}

static size_t make_lengths(struct length *length, const struct stage_ops *ops, unsigned first, unsigned last)
{
    size_t n = 0;
    for (unsigned i = 0; plan_odd_factor(i); i++)
        for (unsigned log2_n = 6; log2_n <= last; log2_n++) {
            const unsigned odd = plan_odd_factor(i);
            const size_t points = (size_t)odd << log2_n;
            if (points >= (size_t)1 << first && points <= (size_t)1 << last && n < MAX_LENGTHS)
                length[n++].plan = full_plan(ops, odd, log2_n);
        }
    qsort(length, n, sizeof *length, by_points);
    return n;
}

static void measure(struct length *length, size_t n, unsigned rounds)
{
    for (size_t k = 0; k < n; k++)
        length[k].ns = need(calloc(rounds, sizeof(double)));
    for (unsigned r = 0; r < rounds; r++)
        for (size_t k = 0; k < n; k++) {
            unsigned count = 0;
            double start, now;
            convolve(length[k].plan);
            start = cpu_ns();
            do {
                convolve(length[k].plan);
                count++;
                now = cpu_ns();
            } while (now - start < LEAST_NS);
            length[k].ns[r] = (now - start) / count;
        }
    double *ratio = need(calloc(rounds, sizeof *ratio));
    for (size_t k = 0; k < n; k++) {
        for (unsigned r = 0; r < rounds; r++)
            ratio[r] = k ? length[k].ns[r] / length[k - 1].ns[r] : 1.0;
        qsort(ratio, rounds, sizeof *ratio, by_value);
        length[k].step = ratio[rounds / 2];
    }
    free(ratio);
    for (size_t k = 0; k < n; k++) {
        qsort(length[k].ns, rounds, sizeof(double), by_value);
        length[k].time = length[k].ns[rounds / 10];
    }
}

int main(int argc, char **argv)
{
    static struct length length[MAX_LENGTHS];
    const unsigned first = argc > 1 ? (unsigned)atoi(argv[1]) : 10, last = argc > 2 ? (unsigned)atoi(argv[2]) : 18;
    const unsigned rounds = argc > 3 ? (unsigned)atoi(argv[3]) : 31;
    if (first < 6 || last < first || last > 26 || rounds == 0) {
        fprintf(stderr, "usage: b-lengths [FIRST] [LAST] [ROUNDS]\n");
        return 2;
    }
    const struct stage_ops *ops = stage_ops_select(cpu_isa_mask(getenv("GFMUL_DISABLE")));
    const size_t n = make_lengths(length, ops, first, last);
    size_t doubles = 0, strip = 0, words = 0;
    for (size_t k = 0; k < n; k++) {
        const struct plan_shape *s = &length[k].plan->shape;
        doubles = plan_buffer_doubles(s) > doubles ? plan_buffer_doubles(s) : doubles;
        strip = plan_strip_doubles(s) > strip ? plan_strip_doubles(s) : strip;
        words = s->n_points * s->exponent / 64 > words ? s->n_points * s->exponent / 64 : words;
    }
    for (unsigned k = 0; k < 3; k++) {
        buffer[k] = need(alloc_aligned((k < 2 ? doubles : strip) * sizeof(double)));
        limbs[k] = need(alloc_aligned((k < 2 ? 1 : 2) * words * sizeof(mp_limb_t) + 64));
        for (size_t i = 0; k < 2 && i < words; i++)
            limbs[k][i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (i * UINT64_C(0xbf58476d1ce4e5b9) >> (7 + k));
    }
    measure(length, n, rounds);
    printf("isa\todd\tlog2_n\tpoints\tl\tns\tns_per_point\tmodel\tns_per_model\tstep\tmodel_step\n");
    for (size_t k = 0; k < n; k++) {
        const struct plan_shape *s = &length[k].plan->shape;
        const double model = 3.0 * plan_transform_cost(s->odd, s->log2_n, ops->max_radix);
        const double before =
            k ? 3.0 * plan_transform_cost(length[k - 1].plan->shape.odd, length[k - 1].plan->shape.log2_n, ops->max_radix)
              : model;
        printf("%s\t%u\t%u\t%zu\t%u\t%.0f\t%.3f\t%.0f\t%.5f\t%.3f\t%.3f\n", ops->isa, s->odd, s->log2_n, s->n_points, s->exponent,
               length[k].time, length[k].time / (double)s->n_points, model, length[k].time / model, length[k].step,
               model / before);
    }
    for (unsigned k = 0; k < 3; k++) {
        alloc_free(buffer[k]);
        alloc_free(limbs[k]);
    }
    for (size_t k = 0; k < n; k++) {
        free(length[k].ns);
        plan_destroy(length[k].plan);
    }
    return 0;
}
