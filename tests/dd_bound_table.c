/*
 * dd_bound_table.c - the tables of doc/error-bound.md, section 19: proved bound against worst error seen in double-double.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 *     dd_bound_table [FIRST [LAST [SECONDS]]]      log2 of the points, 9 and 16 where not given; about SECONDS a line (2)
 *
 * Full balanced products of n digits each on the best instruction set.  First the largest l proved for all digits, with full
 * passes, and with as many light ones as the bound allows; where those are not all, l that allows all.  Then, for small digits,
 * the schedules with passes in double.  Exit status 1 where an error reaches its bound.
 */
#include "base/cpu.h"
#include "dd_seen.h"

static bool below = true;

/* worst_seen - over patterns of digits of l bits, each with itself first. */
static double worst_seen(const struct isa_ops *ops, const struct plan_shape *s, double seconds, const char **name)
{
    const size_t n = s->transform.n_points;
    int64_t *a = dd_need(n * sizeof *a), *b = dd_need(n * sizeof *b);
    struct plan *plan = dd_plan(ops, s);
    const int kinds = OPERAND_KINDS - OPERAND_DIGITS_MAX + 1; /* all patterns of digits, and random ones */
    const struct timespec zero = {0, 0};
    struct timespec start = zero, now = zero;
    double worst = 0;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int k = 0;; k++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (k >= (s->transform.log2_n > 17 ? 2 : kinds) &&
            (double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec) > seconds)
            break;
        const int p = k % kinds, q = (k + k / kinds) % kinds;
        const enum operand_kind ak = p == kinds - 1 ? OPERAND_RANDOM : (enum operand_kind)(OPERAND_DIGITS_MAX + p);
        const enum operand_kind bk = q == kinds - 1 ? OPERAND_RANDOM : (enum operand_kind)(OPERAND_DIGITS_MAX + q);
        dd_fill(a, n, ak, s->digits.exponent);
        dd_fill(b, n, bk, s->digits.exponent);
        const double e = dd_convolve(plan, NULL, a, n, b, n, 1);
        if (e > worst) {
            worst = e;
            *name = operand_name(ak);
        }
    }
    plan_destroy(plan);
    alloc_free(a);
    alloc_free(b);
    return worst;
}

static void line(const struct isa_ops *ops, unsigned log2_n, unsigned l, bool light, bool schedule, double seconds)
{
    const size_t n = (size_t)1 << log2_n;
    struct plan_shape s;
    double k;
    const char *name = "";
    dd_shape(&s, log2_n, l, n, n, ops->fma, true, schedule);
    if (!light)
        plan_dd_light(&s, 0);
    const double bound = plan_bound_worst(&s, &k), worst = worst_seen(ops, &s, seconds, &name);
    unsigned levels = 0;
    for (unsigned p = 0; p < s.transform.double_passes; p++)
        levels += s.transform.pass[p].levels;
    if (schedule)
        printf("| 2^%u | %u | %u of %u | %.2g | %.2g | %.2g | %s |\n", log2_n, l, levels, log2_n, bound, worst, worst / bound,
               name);
    else
        printf("| 2^%u | %u | %u of %u | %.0f | %.4f | %.2g | %.2g | %s |\n", log2_n, l, s.transform.light_passes,
               2 * s.transform.n_passes, k, bound, worst, worst / bound, name);
    fflush(stdout);
    below = below && worst < bound && bound < 0.5;
}

int main(int argc, char **argv)
{
    const unsigned first = argc > 1 ? (unsigned)atoi(argv[1]) : DD_LEVELS_MIN, last = argc > 2 ? (unsigned)atoi(argv[2]) : 16;
    const double seconds = argc > 3 ? atof(argv[3]) : 2;
    const struct isa_ops *ops = isa_ops_select(cpu_isa_mask(getenv("GFMUL_DISABLE")));
    char name[] = "dd_bound_table", *arguments[] = {name, NULL};
    test_begin(1, arguments);
    printf("%s\n\n| points | l | light passes | K | proved | worst seen | ratio | digits |\n"
           "| --- | --- | --- | --- | --- | --- | --- | --- |\n",
           ops->name);
    for (unsigned log2_n = first; log2_n <= last; log2_n++) {
        double bound;
        const size_t n = (size_t)1 << log2_n;
        const unsigned l = dd_granted(1, log2_n, n, n, ops->fma, &bound);
        struct plan_shape s;
        line(ops, log2_n, l, false, false, seconds);
        dd_shape(&s, log2_n, l, n, n, ops->fma, true, false);
        const unsigned light = s.transform.light_passes;
        if (light > 0)
            line(ops, log2_n, l, true, false, seconds);
        if (light < 2 * s.transform.n_passes)
            line(ops, log2_n, l - 1, true, false, seconds);
    }
    printf("\n| points | l | levels in double | proved | worst seen | ratio | digits |\n| --- | --- | --- | --- | --- | --- | "
           "--- |\n");
    for (unsigned log2_n = first; log2_n <= last; log2_n += 3) {
        for (unsigned l = 1; l <= 30; l++) { /* the largest l of each schedule */
            struct plan_shape s;
            dd_shape(&s, log2_n, l + 1, (size_t)1 << log2_n, (size_t)1 << log2_n, ops->fma, true, true);
            const unsigned next = s.transform.double_passes;
            dd_shape(&s, log2_n, l, (size_t)1 << log2_n, (size_t)1 << log2_n, ops->fma, true, true);
            if (s.transform.double_passes > 0 && next != s.transform.double_passes)
                line(ops, log2_n, l, true, true, seconds);
        }
    }
    return below ? 0 : 1;
}
