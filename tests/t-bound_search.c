/*
 * t-bound_search.c - searches for digits whose rounding error comes near to its bound.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Each field, packing, form of passes and length on the CPU.  A search begins with families of digits: separable ones (Walsh
 * signs times one magnitude, b = a reversed), waves at angles of the tree, and the patterns of bound_seen.h.  From the worst
 * start it climbs: some digits change sign or size, and stay so if error over bound has grown.  The bound is that of the digits
 * at hand: plan_bound_posterior in the right-angle packing, else plan_bound_measured.
 *
 * An error that reaches its bound is a failure.  So is a search at 64 points that finds less than a twentieth of it.  The longer
 * tiers print the table of doc/error-bound.md, section 12.
 */
#include "base/cpu.h"
#include "bound_seen.h"
#include "dd_seen.h"

enum { START_SEPARABLE, START_WAVE, START_PATTERN, STARTS };
static const char *const start_names[STARTS] = {"separable", "wave", "pattern"};

struct search {
    const struct plan *plan;
    bool dd;
    size_t n;  /* digits of each operand */
    int64_t h; /* the largest digit */
    int32_t *a32, *b32;
    int64_t *a, *b;
};

/* ratio - error over bound of the digits at hand. */
static double ratio(const struct search *s)
{
    const struct plan_shape *shape = &s->plan->shape;
    double bound, error, with_values;
    if (s->dd) {
        struct digit_norms norms[2] = {{0, 0}, {0, 0}};
        for (size_t j = 0; j < s->n; j++) {
            norms[0].sum_sq += (double)s->a[j] * (double)s->a[j];
            norms[1].sum_sq += (double)s->b[j] * (double)s->b[j];
        }
        bound = plan_bound_measured(shape, &norms[0], &norms[1], NULL);
        error = dd_convolve(s->plan, NULL, s->a, s->n, s->b, s->n, 1);
        return error / bound;
    }
    for (size_t j = 0; j < s->n; j++) {
        s->a32[j] = (int32_t)s->a[j];
        s->b32[j] = (int32_t)s->b[j];
    }
    error = seen_error(s->plan, s->a32, s->n, s->b32, s->n, &bound, &with_values);
    if (shape->transform.packing == GFMUL_PACKING_RIGHT_ANGLE)
        bound = with_values;
    return error > 0 ? error / bound : 0; /* zeros have no bound */
}

static void start(const struct search *s, unsigned kind)
{
    const uint64_t mask = test_u64(), low = test_u64();
    const int64_t magnitude = test_below(3) ? s->h : (int64_t)test_between(1, (uint64_t)s->h);
    if (kind == START_SEPARABLE) {
        const bool reversed = test_below(4) > 0;
        for (size_t j = 0; j < s->n; j++)
            s->a[j] = __builtin_popcountll(j & mask) % 2 ? -magnitude : magnitude;
        for (size_t j = 0; j < s->n; j++)
            s->b[j] = reversed ? s->a[s->n - 1 - j] : __builtin_popcountll(j & low) % 2 ? -s->h : s->h;
        return;
    }
    for (unsigned operand = 0; operand < 2; operand++) {
        int64_t *d = operand ? s->b : s->a;
        seen_fill(s->a32, s->n, kind == START_WAVE ? (operand ? SEEN_WAVE_TREE : SEEN_WAVE_NEAR) : (int)test_below(SEEN_UNIFORM),
                  INT32_C(1) << 20, s->plan->shape.transform.n_points);
        for (size_t j = 0; j < s->n; j++)
            d[j] = s->a32[j] == 0 ? 0 : s->a32[j] > 0 ? magnitude : -magnitude;
    }
}

/* change - a few digits; what they were goes to old, at the places at. */
static unsigned change(const struct search *s, size_t *at, int64_t *old)
{
    const unsigned n = 1 + (unsigned)test_below(3), how = (unsigned)test_below(4);
    for (unsigned i = 0; i < n; i++) {
        at[i] = (size_t)test_below(2 * s->n);
        int64_t *d = at[i] < s->n ? &s->a[at[i]] : &s->b[at[i] - s->n];
        old[i] = *d;
        *d = how == 0   ? -*d
             : how == 1 ? (*d < 0 ? -s->h : s->h)
             : how == 2 ? 0
                        : (int64_t)test_below(2 * (uint64_t)s->h + 1) - s->h;
    }
    return n;
}

static void back(const struct search *s, unsigned n, const size_t *at, const int64_t *old)
{
    while (n-- > 0)
        *(at[n] < s->n ? &s->a[at[n]] : &s->b[at[n] - s->n]) = old[n];
}

/* search - the largest ratio of so many products; name: the family it began with. */
static double search(struct search *s, unsigned products, const char **name)
{
    const size_t bytes = s->n * sizeof *s->a;
    int64_t *best[2] = {test_alloc(bytes), test_alloc(bytes)};
    double worst = 0;
    *name = start_names[0];
    for (unsigned t = 0; t < products / 2; t++) {
        const unsigned kind = t % 2 ? START_SEPARABLE : t / 2 % STARTS;
        start(s, kind);
        const double r = ratio(s);
        if (r > worst) {
            worst = r;
            *name = start_names[kind];
            memcpy(best[0], s->a, bytes);
            memcpy(best[1], s->b, bytes);
        }
    }
    if (worst > 0) {
        memcpy(s->a, best[0], bytes);
        memcpy(s->b, best[1], bytes);
    }
    for (unsigned t = 0; t < products / 2; t++) {
        size_t at[3];
        int64_t old[3];
        const unsigned n = change(s, at, old);
        const double r = ratio(s);
        if (r > worst)
            worst = r;
        else if (r < worst)
            back(s, n, at, old);
    }
    free(best[0]);
    free(best[1]);
    return worst;
}

/* one - the search of a plan; prints its line of the table. */
static void one(const struct plan *plan, const char *field, const char *form, bool dd, unsigned products)
{
    const struct plan_shape *shape = &plan->shape;
    const size_t n = shape->transform.n_digits / 2;
    struct search s = {.plan = plan, .dd = dd, .n = n, .h = (int64_t)(shape->digits.digit_base / 2)};
    const char *name;
    s.a = test_alloc(n * sizeof *s.a);
    s.b = test_alloc(n * sizeof *s.b);
    s.a32 = test_alloc(n * sizeof *s.a32);
    s.b32 = test_alloc(n * sizeof *s.b32);
    test_note("%s, %s, %s, %u * 2^%u points, l = %u", field, form, plan_packing_name(shape->transform.packing),
              shape->transform.odd, shape->transform.log2_n, shape->digits.exponent);
    const double worst = search(&s, products, &name);
    if (test_level() > 0) {
        printf("| %s | %s | %s | %u * 2^%u | %u | %.3f | %s |\n", field, plan_packing_name(shape->transform.packing), form,
               shape->transform.odd, shape->transform.log2_n, shape->digits.exponent, worst, name);
        fflush(stdout);
    }
    TEST_CHECK_MSG(worst < 1, "an error is %.3f of its bound", worst);
    if (shape->transform.n_points == 64 && shape->transform.packing == GFMUL_PACKING_RIGHT_ANGLE && !dd)
        TEST_CHECK_MSG(worst > 0.05, "the search finds only %.3f", worst);
    free(s.a);
    free(s.b);
    free(s.a32);
    free(s.b32);
}

/* seen_exponent - the largest l that is proved for any digits. */
static unsigned seen_exponent(const struct isa_ops *ops, enum gfmul_packing packing, enum plan_butterfly butterfly, unsigned odd,
                              unsigned log2_n)
{
    const size_t n = (size_t)odd << log2_n, digits = packing == GFMUL_PACKING_TWO_FOR_ONE ? n / 2 : n;
    unsigned l = 30;
    for (; l > 1; l--) {
        struct plan_shape s;
        seen_shape(&s, packing, odd, log2_n, 2, l, digits, digits, ops->fma, butterfly, ops->max_radix);
        if (plan_bound_worst(&s, NULL) < 0.5)
            break;
    }
    return l;
}

/* Lengths; the first are those of the short tier. */
static const struct length {
    unsigned odd, log2_n;
} lengths[] = {{1, 6},  {3, 6},  {1, 8},   {15, 7}, {5, 8},  {7, 7},  {9, 6},
               {21, 6}, {45, 6}, {105, 6}, {1, 10}, {1, 11}, {1, 12}, {1, 14}};

static unsigned products_for(size_t n)
{
    const size_t most = test_tier(400, 20000, 400000), points = test_tier(40000, 2000000, 400000000);
    return (unsigned)(points / n < most ? points / n : most) + 8;
}

static void test_double(void)
{
    const size_t n_lengths = test_tier(3, sizeof lengths / sizeof *lengths, sizeof lengths / sizeof *lengths);
    for (unsigned i = 0; isa_ops_list(i) != NULL; i++) {
        const struct isa_ops *ops = isa_ops_list(i);
        for (unsigned p = 0; p < 3; p++)
            for (unsigned whole = 0; whole <= (ops->butterfly != BUTTERFLY_NESTED && p == 2); whole++)
                for (size_t k = 0; k < n_lengths; k++) {
                    const enum plan_butterfly butterfly = whole ? ops->butterfly : BUTTERFLY_NESTED;
                    const unsigned odd = lengths[k].odd, log2_n = lengths[k].log2_n;
                    struct plan *plan;
                    shape_nested = !whole;
                    shape_radix4 = whole;
                    plan = shape_plan(ops, shape_packings[p], odd, log2_n, 2,
                                      seen_exponent(ops, shape_packings[p], butterfly, odd, log2_n), 0, ops->max_radix);
                    one(plan, ops->name, whole ? "whole" : "nested", false, products_for((size_t)odd << log2_n));
                    plan_destroy(plan);
                }
    }
}

/* In double-double, with as many passes in double, or light, as a plan may have. */
static void test_dd(void)
{
    static const struct length sizes[] = {{1, 9}, {1, 10}, {3, 9}, {5, 9}, {7, 9}, {1, 12}};
    for (unsigned i = 0; isa_ops_list(i) != NULL; i++) {
        const struct isa_ops *ops = isa_ops_list(i);
        for (unsigned k = 0; k < test_tier(1, 6, 6); k++)
            for (unsigned scheduled = 0; scheduled < 2; scheduled++) {
                const size_t n = (size_t)sizes[k].odd << sizes[k].log2_n;
                struct plan_shape s;
                double bound;
                const unsigned l = scheduled ? 20 : dd_granted(sizes[k].odd, sizes[k].log2_n, n, n, ops->fma, &bound);
                dd_shape_odd(&s, sizes[k].odd, sizes[k].log2_n, l, n, n, ops->fma, true, scheduled);
                struct plan *plan = dd_plan(ops, &s);
                one(plan, ops->name, scheduled ? "dd, double passes" : "dd", true, products_for(8 * n));
                plan_destroy(plan);
            }
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    if (test_level() > 0)
        printf("| instruction set | packing | form | points | l | worst seen / proved | start |\n"
               "| --- | --- | --- | --- | --- | --- | --- |\n");
    TEST_RUN(test_double);
    TEST_RUN(test_dd);
    return test_end();
}
