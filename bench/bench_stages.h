/*
 * bench_stages.h - shared by the benchmarks of the stages: a plan of full operands, the clock of this thread, order statistics.
 */
#ifndef GFMUL_BENCH_STAGES_H
#define GFMUL_BENCH_STAGES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cpu.h"
#include "stages/stage_ops.h"

/* need - p, or the end of the process if it is NULL. */
static inline void *need(void *p)
{
    if (!p) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return p;
}

/* cpu_ns - CPU time of this thread. */
static inline double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* by_value - for qsort: doubles, ascending. */
static inline int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/*
 * full_plan_as - right-angle, operands of n digits each, of as many bits as are expected to be proved; end with plan_destroy.
 *
 *   as  in  levels over columns and how they are written; NULL: as it is planned
 */
static inline struct plan *full_plan_as(const struct isa_ops *ops, unsigned odd, unsigned log2_n, const struct plan_length *as)
{
    struct plan *plan = NULL;
    struct plan_shape s;
    memset(&s, 0, sizeof s);
    s.transform.packing = GFMUL_PACKING_RIGHT_ANGLE;
    s.digits.base = 2;
    s.bound.fma = ops->fma;
    s.isa = cpu_tuning(ops->isa_bit);
    s.butterfly = plan_butterfly(s.isa, ops->butterfly);
    s.grid.a_cells = s.grid.b_cells = 1;
    plan_shape_points(&s, odd, log2_n, ops->max_radix);
    if (as) {
        plan_shape_columns(&s, odd, log2_n, ops->max_radix, as->columns);
        s.transform.streams = as->streams && plan_can_stream(&s);
    }
    s.digits.an = s.digits.bn = s.transform.n_points;
    for (s.digits.exponent = 24; s.digits.exponent > 1; s.digits.exponent--) {
        s.digits.digit_base = (uint64_t)1 << s.digits.exponent;
        s.digits.bits = s.digits.exponent;
        if (plan_bound_expected(&s, NULL) < 0.5)
            break;
    }
    if (plan_create(&plan, &s, ops, 1) != GFMUL_OK)
        need(NULL);
    return plan;
}

static inline struct plan *full_plan(const struct isa_ops *ops, unsigned odd, unsigned log2_n)
{
    return full_plan_as(ops, odd, log2_n, NULL);
}

#endif
