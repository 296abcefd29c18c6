/*
 * t-gen_graph.c - graphs of transforms: they compute the transform, in exactly the published number of operations.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "test.h"

#include "gen/algorithms.h"

struct built {
    struct gen_graph g;
    struct gen_complex *x, *y;
    uint32_t n;
};

enum { REAL = 1, IMAGINARY = 2 };

/* The transform of n points, those that nonzero() knows to be zero left out. */
static bool build(struct built *b, uint32_t n, char algorithm, int what, bool (*nonzero)(uint32_t, uint32_t))
{
    *b = (struct built){.n = n};
    b->x = malloc(n * sizeof *b->x);
    b->y = malloc(n * sizeof *b->y);
    if (!TEST_CHECK(b->x && b->y) || !TEST_OK(gen_graph_create(&b->g)))
        return false;
    for (uint32_t j = 0; j < n; j++) {
        bool there = !nonzero || nonzero(j, n);
        b->x[j].re = there && what != IMAGINARY ? gen_input(&b->g, (int32_t)(2 * j)) : GEN_ZERO;
        b->x[j].im = there && what != REAL ? gen_input(&b->g, (int32_t)(2 * j + 1)) : GEN_ZERO;
    }
    return TEST_OK(gen_transform(&b->g, n, algorithm, b->x, b->y));
}

static void drop(struct built *b)
{
    gen_graph_destroy(&b->g);
    free(b->x);
    free(b->y);
}

static int64_t operations(const struct built *b, size_t n_results)
{
    struct gen_count count;
    TEST_OK(gen_graph_count(&b->g, &b->y[0].re, 2 * n_results, &count));
    return (int64_t)(count.additions + count.products);
}

/* Run the graph on random inputs; the largest error, relative to the norm of the input. */
static long double error_of(const struct built *b)
{
    const long double turn = 6.283185307179586476925286766559005768L;
    uint32_t n = b->n;
    long double *in = malloc(2 * n * sizeof *in), *values = malloc((size_t)b->g.n_nodes * sizeof *values);
    long double *c = malloc(n * sizeof *c), *s = malloc(n * sizeof *s), worst = 0, norm = 0;

    for (uint32_t j = 0; j < 2 * n; j++)
        in[j] = (long double)(int64_t)test_u64() / 0x1p63L;
    for (uint32_t j = 0; j < n; j++) {
        c[j] = cosl(turn * (long double)j / (long double)n);
        s[j] = sinl(turn * (long double)j / (long double)n);
    }
    gen_graph_evaluate(&b->g, in, values);
    for (uint32_t j = 0; j < n; j++) { /* the inputs that the graph takes for zero */
        in[2 * j] = b->x[j].re == GEN_ZERO ? 0 : in[2 * j];
        in[2 * j + 1] = b->x[j].im == GEN_ZERO ? 0 : in[2 * j + 1];
        norm += in[2 * j] * in[2 * j] + in[2 * j + 1] * in[2 * j + 1];
    }
    uint32_t step = n > 512 ? n / 64 + 1 : 1; /* of long transforms some results, from a random one on */
    for (uint32_t k = (uint32_t)test_below(step); k < n; k += step) {
        long double re = 0, im = 0;
        for (uint32_t j = 0; j < n; j++) {
            uint32_t e = (uint32_t)((uint64_t)j * k % n);
            re += in[2 * j] * c[e] + in[2 * j + 1] * s[e];
            im += in[2 * j + 1] * c[e] - in[2 * j] * s[e];
        }
        re = fabsl(re - gen_value_of(values, b->y[k].re));
        im = fabsl(im - gen_value_of(values, b->y[k].im));
        if (!(re <= worst))
            worst = re;
        if (!(im <= worst))
            worst = im;
    }
    free(in);
    free(values);
    free(c);
    free(s);
    return worst / sqrtl(norm);
}

#define TOLERANCE 1e-15L

static void test_root(void)
{
    for (uint32_t n = 1; n <= 96; n++)
        for (uint32_t k = 0; k < 2 * n; k++) {
            gen_number x, y;
            gen_root(k, n, &x, &y);
            long double re = (long double)x, im = (long double)y;
            long double angle = 6.283185307179586476925286766559005768L * (long double)k / (long double)n;
            test_note("k=%u n=%u", k, n);
            TEST_CHECK(fabsl(re - cosl(angle)) < 1e-17L && fabsl(im + sinl(angle)) < 1e-17L);
            if (8 * k % n == 0 && 4 * k % n != 0)
                TEST_CHECK(x == y || x == -y);
            if (4 * k % n == 0)
                TEST_CHECK(re == 0 || im == 0);
        }
}

/* The operations are those of the formula, not one more and not one less; for the transform works. */
static void test_counts(void)
{
    static const char algorithms[] = "248SCT";
    for (const char *a = algorithms; *a; a++)
        for (int lg = 1; lg <= 12; lg++) {
            struct built b;
            int64_t want = gen_count_formula(*a, lg);
            test_note("algorithm %c, N=2^%d", *a, lg);
            if (want < 0 && *a != '4' && *a != '8')
                TEST_CHECK_MSG(false, "there is no formula");
            if (build(&b, 1u << lg, *a, 0, NULL)) {
                int64_t got = operations(&b, b.n);
                if (want >= 0)
                    TEST_CHECK_MSG(got == want, "%" PRId64 " operations, the formula says %" PRId64, got, want);
                long double error = error_of(&b);
                TEST_CHECK_MSG(error < TOLERANCE, "error %Lg", error);
            }
            drop(&b);
        }
}

/* The formulas themselves, at lengths whose counts are in the literature. */
static void test_formulas(void)
{
    TEST_CHECK(gen_count_formula('2', 4) == 176 && gen_count_formula('4', 4) == 168 && gen_count_formula('8', 3) == 56);
    TEST_CHECK(gen_count_formula('S', 4) == 168 && gen_count_formula('S', 6) == 1160 && gen_count_formula('T', 6) == 1152);
    TEST_CHECK(gen_count_formula('S', 10) == 34824 && gen_count_formula('T', 10) == 33968 && gen_count_formula('T', 5) == 456);
    TEST_CHECK(gen_count_formula('4', 5) == -1 && gen_count_formula('8', 4) == -1 && gen_count_formula('X', 4) == -1);
}

/* A graph with one addition too many is found: the results plus an input that they do not need. */
static void test_one_too_many(void)
{
    static const char algorithms[] = "2SCT";
    for (const char *a = algorithms; *a; a++) {
        struct built b;
        if (build(&b, 64, *a, 0, NULL)) {
            test_note("algorithm %c", *a);
            TEST_CHECK(operations(&b, 64) == gen_count_formula(*a, 6));
            uint32_t k = (uint32_t)test_below(64);
            b.y[k].re = gen_add(&b.g, b.y[k].re, b.x[5].im);
            TEST_CHECK(operations(&b, 64) == gen_count_formula(*a, 6) + 1);
            TEST_CHECK(error_of(&b) > TOLERANCE);
        }
        drop(&b);
    }
}

/* Real input: the split-radix count 2 N lg N - 4 N + 6 of real data, without a line for it; imaginary input: the same. */
static void test_real(void)
{
    static const char algorithms[] = "248SCT";
    for (const char *a = algorithms; *a; a++)
        for (int lg = 2; lg <= 10; lg++)
            for (int what = REAL; what <= IMAGINARY; what++) {
                struct built b;
                int64_t n = 1 << lg, full = gen_count_formula(*a, lg);
                test_note("algorithm %c, N=2^%d, %s", *a, lg, what == REAL ? "real" : "imaginary");
                if (build(&b, 1u << lg, *a, what, NULL)) {
                    int64_t got = operations(&b, b.n);
                    if (*a == 'S' || *a == 'C')
                        TEST_CHECK_MSG(got == 2 * n * lg - 4 * n + 6, "%" PRId64 " operations", got);
                    else if (full >= 0) /* the eighth roots inside a codelet of 8 points hide some of the symmetry */
                        TEST_CHECK_MSG(*a == '8' ? 5 * got <= 4 * full : 2 * got <= full,
                                       "%" PRId64 " operations, %" PRId64 " for complex input", got, full);
                    TEST_CHECK(error_of(&b) < TOLERANCE);
                }
                drop(&b);
            }
}

static bool lower_half(uint32_t j, uint32_t n)
{
    return j < n / 2;
}
static bool lower_quarter(uint32_t j, uint32_t n)
{
    return j < n / 4;
}
static bool second_eighth(uint32_t j, uint32_t n)
{
    return j >= n / 8 && j < n / 4;
}
static bool only_one(uint32_t j, uint32_t n)
{
    return j == n / 2 + 1;
}

/* Zeros: what only moves them vanishes.  Radix 2 with a zero upper half loses half of the additions of one level. */
static void test_zeros(void)
{
    static bool (*const shapes[])(uint32_t, uint32_t) = {lower_half, lower_quarter, second_eighth, only_one};
    static const char algorithms[] = "248SCT";
    for (const char *a = algorithms; *a; a++)
        for (int lg = 3; lg <= 9; lg++) {
            int64_t before = INT64_MAX;
            for (int i = 0; i < 4; i++) {
                struct built b;
                test_note("algorithm %c, N=2^%d, zeros %d", *a, lg, i);
                if (build(&b, 1u << lg, *a, 0, shapes[i])) {
                    int64_t got = operations(&b, b.n);
                    if (i < 3 || lg > 3)
                        TEST_CHECK_MSG(got < before, "%" PRId64 " operations, with fewer zeros %" PRId64, got, before);
                    /* the innermost i+1 levels of radix 2 add nothing; behind two of them products are shared, too */
                    int64_t left = gen_count_formula('2', lg) - (i + 1) * 4 * ((int64_t)1 << (lg - 1));
                    if (*a == '2' && i < 2)
                        TEST_CHECK(i == 0 ? got == left : got <= left);
                    before = got;
                    TEST_CHECK(error_of(&b) < TOLERANCE);
                }
                drop(&b);
            }
        }
}

/* Lengths with the factors 3, 5, 7. */
static void test_smooth(void)
{
    static const char algorithms[] = "248SCT";
    for (uint32_t n = 1; n <= 420; n++) {
        uint32_t rest = n;
        for (uint32_t f = 2; f <= 7; f++)
            while (rest % f == 0)
                rest /= f;
        struct built b;
        if (rest == 1 && build(&b, n, algorithms[n % 6], 0, NULL)) {
            test_note("algorithm %c, N=%u", algorithms[n % 6], n);
            TEST_CHECK(error_of(&b) < TOLERANCE);
        }
        if (rest == 1)
            drop(&b);
    }
}

/* What the constructors promise. */
static void test_simplify(void)
{
    struct gen_graph g;
    if (!TEST_OK(gen_graph_create(&g)))
        return;
    gen_ref a = gen_input(&g, 0), b = gen_input(&g, 1), two = gen_constant(&g, 2);
    TEST_CHECK(a != b && gen_input(&g, 0) == a);
    TEST_CHECK(gen_add(&g, a, b) == gen_add(&g, b, a));
    TEST_CHECK(gen_sub(&g, a, b) == gen_neg(gen_sub(&g, b, a)));
    TEST_CHECK(gen_add(&g, gen_neg(a), gen_neg(b)) == gen_neg(gen_add(&g, a, b)));
    TEST_CHECK(gen_add(&g, a, GEN_ZERO) == a && gen_sub(&g, GEN_ZERO, a) == gen_neg(a) && gen_sub(&g, a, a) == GEN_ZERO);
    TEST_CHECK(gen_scale(&g, 1, a) == a && gen_scale(&g, -1, a) == gen_neg(a) && gen_scale(&g, 0, a) == GEN_ZERO);
    TEST_CHECK(gen_scale(&g, -0.5L, a) == gen_neg(gen_scale(&g, 0.5L, a)));
    TEST_CHECK(gen_add(&g, a, a) == gen_scale(&g, 2, a));
    TEST_CHECK(gen_add(&g, two, gen_constant(&g, -2)) == GEN_ZERO && gen_scale(&g, 3, two) == gen_constant(&g, 6));
    struct gen_complex z = {a, b};
    struct gen_complex iz = gen_cmul(&g, 0, 1, z);
    TEST_CHECK(iz.re == gen_neg(b) && iz.im == a);
    int32_t n_nodes = g.n_nodes;
    TEST_CHECK(gen_cmul(&g, 1, 0, z).re == a && gen_cmul(&g, -1, 0, z).im == gen_neg(b) && g.n_nodes == n_nodes);
    gen_graph_destroy(&g);
}

/* Every operation needed is in the schedule once, after its operands; few values are alive. */
static void test_schedule(void)
{
    static const char algorithms[] = "248SCT";
    for (uint32_t n = 2; n <= 64; n++) {
        if (n & (n - 1) && n != 3 && n != 5 && n != 7)
            continue;
        char algorithm = algorithms[test_below(6)];
        struct built b;
        test_note("algorithm %c, N=%u", algorithm, n);
        if (build(&b, n, algorithm, 0, NULL)) {
            int32_t *order = malloc((size_t)b.g.n_nodes * sizeof *order);
            unsigned char *done = calloc((size_t)b.g.n_nodes, 1);
            size_t n_order, live;
            TEST_OK(gen_schedule(&b.g, &b.y[0].re, 2 * n, order, &n_order, &live));
            TEST_CHECK((int64_t)n_order == operations(&b, n));
            for (size_t i = 0; i < n_order; i++) {
                const struct gen_node *x = &b.g.nodes[order[i]];
                TEST_CHECK(!done[order[i]]);
                TEST_CHECK(done[x->a] || b.g.nodes[x->a].op == GEN_OP_INPUT);
                if (x->op != GEN_OP_SCALE)
                    TEST_CHECK(done[x->b] || b.g.nodes[x->b].op == GEN_OP_INPUT);
                done[order[i]] = 1;
            }
            TEST_CHECK_MSG(live >= 2 * n && live <= 3 * n + 4, "%zu values alive", live);
            free(order);
            free(done);
        }
        drop(&b);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_root);
    TEST_RUN(test_simplify);
    TEST_RUN(test_formulas);
    TEST_RUN(test_counts);
    TEST_RUN(test_one_too_many);
    TEST_RUN(test_real);
    TEST_RUN(test_zeros);
    TEST_RUN(test_smooth);
    TEST_RUN(test_schedule);
    return test_end();
}
