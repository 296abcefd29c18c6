/*
 * bound_table.c - the table of doc/error-bound.md: proved bound against worst error seen, as Markdown.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 *     bound_table [FIRST [LAST [SECONDS]]]      log2 of the points, 8 and 16 where not given; about SECONDS a line (4)
 *
 * Full balanced products in the right-angle packing, n digits each, on the best instruction set (GFMUL_DISABLE as ever).
 * Worst case: the largest l proved for all digits; the error is the worst over all patterns of digits.  Measured: the largest
 * l proved for what random digits are expected to show, norms and largest coefficient; uniformly random digits.  Exit status 1
 * where an error reaches its bound.
 */
#include "base/cpu.h"
#include "bound_seen.h"

static bool below = true;

/* granted - largest l that a plan may have. */
static unsigned granted(const struct isa_ops *ops, unsigned log2_n, bool measured, double *bound)
{
    for (unsigned l = 30; l >= 1; l--) {
        struct plan_shape s;
        const size_t digits = (size_t)1 << log2_n;
        seen_shape(&s, GFMUL_PACKING_RIGHT_ANGLE, 1, log2_n, 2, l, digits, digits, ops->fma, ops->butterfly, ops->max_radix);
        *bound = measured ? plan_bound_expected_posterior(&s, NULL) : plan_bound_worst(&s, NULL);
        if (*bound < plan_bound_limit(measured))
            return l;
    }
    return 0;
}

static void line(const struct isa_ops *ops, unsigned log2_n, double seconds)
{
    const size_t n = (size_t)1 << log2_n;
    int32_t *a = seen_alloc(n, sizeof *a), *b = seen_alloc(n, sizeof *b);
    printf("| 2^%u ", log2_n);
    for (int measured = 0; measured < 2; measured++) {
        double bound, worst = 0, proved;
        const unsigned l = granted(ops, log2_n, measured, &bound);
        const int32_t h = (int32_t)1 << (l - 1);
        shape_radix4 = true; /* as in granted */
        struct plan *plan = shape_plan(ops, GFMUL_PACKING_RIGHT_ANGLE, 1, log2_n, 2, l, 0, ops->max_radix);
        const char *name = "";
        const double start = test_seconds();
        unsigned long products = 0;
        proved = measured ? 0 : bound;
        const unsigned long least = log2_n < 18 ? 2 * SEEN_PATTERNS : measured ? 2 : 4;
        /* each pattern with itself, then with the others in turn, until the time is over */
        for (int k = 0; products < least || test_seconds() - start < seconds / 2; k++) {
            const int p = measured ? SEEN_UNIFORM : k % SEEN_PATTERNS,
                      q = measured ? SEEN_UNIFORM : (k + k / SEEN_PATTERNS) % SEEN_PATTERNS;
            double with_norms;
            seen_fill(a, n, p, h, n);
            seen_fill(b, n, q, h, n);
            double e = seen_error(plan, a, n, b, n, measured ? NULL : &with_norms, measured ? &with_norms : NULL);
            if (measured && with_norms > proved)
                proved = with_norms; /* the largest of the bounds that these products had */
            if (!(e < with_norms) && e > 0)
                below = false;
            if (e > worst) {
                worst = e;
                name = seen_names[p];
            }
            products++;
        }
        below = below && worst < proved && (measured ? proved + worst < 1 : proved < 0.5);
        printf("| %u | %.4f | %.2g | %.2g ", l, proved, worst, worst / proved);
        if (!measured)
            printf("| %s ", name);
        fprintf(stderr, "2^%u %s: %lu products, %.1f s\n", log2_n, measured ? "measured" : "worst case", products,
                test_seconds() - start);
        plan_destroy(plan);
    }
    printf("|\n");
    fflush(stdout);
    free(a);
    free(b);
}

int main(int argc, char **argv)
{
    const unsigned first = argc > 1 ? (unsigned)atoi(argv[1]) : 8, last = argc > 2 ? (unsigned)atoi(argv[2]) : 16;
    const double seconds = argc > 3 ? atof(argv[3]) : 4;
    char *none[] = {argv[0], NULL};
    const struct isa_ops *ops = isa_ops_select(cpu_isa_mask(getenv("GFMUL_DISABLE")));
    if (first < 6 || last > 28 || first > last) {
        fprintf(stderr, "usage: bound_table [FIRST [LAST [SECONDS]]], 6 <= FIRST <= LAST <= 28\n");
        return 2;
    }
    test_begin(1, none);
    test_state.state = test_state.seed;
    printf("\nInstruction set %s, %s.\n\n", ops->name, ops->fma ? "with FMA" : "without FMA");
    printf(
        "| points | l, worst case | proved | worst seen | ratio | digits | l, measured norms | proved | worst seen | ratio |\n");
    printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (unsigned log2_n = first; log2_n <= last; log2_n++)
        line(ops, log2_n, seconds);
    if (!below)
        fprintf(stderr, "bound_table: an error reached its bound\n");
    return below ? 0 : 1;
}
