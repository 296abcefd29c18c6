/*
 * t-gen_numbers.c - what generated transforms compute: plans of launches, run on graphs of their codelets in long double.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>

#include "gen/emit.h"
#include "gen_words.h"

enum { MAX_N = 1024 };

struct value {
    long double re, im;
};

static struct value roots[MAX_N]; /* exp(-2 pi i e / MAX_N) */

static struct value product(struct value a, struct value b)
{
    return (struct value){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static bool parse(struct gen_params *p, const char *words)
{
    struct gen_text text;
    test_note("%s", words);
    const bool ok = gen_words(p, words, &text) == 0;
    TEST_CHECK_MSG(ok, "%s", text.s ? text.s : "");
    gen_text_free(&text);
    return ok;
}

/* y = the transform of n points x[0], x[step], ..., by its definition; n divides MAX_N or is small. */
static void slow(uint32_t n, const struct value *x, uint32_t step, struct value *y)
{
    for (uint32_t k = 0; k < n; k++) {
        y[k] = (struct value){0, 0};
        for (uint32_t j = 0; j < n; j++) {
            struct value w = roots[MAX_N % n == 0 ? j * k % n * (MAX_N / n) : 0];
            if (MAX_N % n != 0) {
                const long double angle = 6.28318530717958647692528676655900577L * (long double)(j * k % n) / n;
                w = (struct value){cosl(angle), -sinl(angle)};
            }
            const struct value z = product(x[j * step], w);
            y[k].re += z.re;
            y[k].im += z.im;
        }
    }
}

/* A codelet as a graph that can be run. */
struct runnable {
    struct gen_codelet c;
    struct gen_graph g;
    struct gen_complex y[GEN_MAX_CODELET];
    long double *values;
};

static void codelet_open(struct runnable *r, const struct gen_codelet *c)
{
    r->c = *c;
    TEST_OK(gen_graph_create(&r->g));
    TEST_OK(gen_codelet_graph(c, &r->g, r->y));
    r->values = malloc((size_t)r->g.n_nodes * sizeof *r->values);
    TEST_CHECK(r->values != NULL);
}

static void codelet_close(struct runnable *r)
{
    free(r->values);
    gen_graph_destroy(&r->g);
}

/* x of the points, in place; k of a cut. */
static void codelet_run(struct runnable *r, struct value *x, uint32_t k)
{
    static long double inputs[2 * GEN_MAX_CODELET + 3 * GEN_MAX_PARAMETERS];
    const struct gen_cut *cut = r->c.cut;
    size_t at = 2 * r->c.radix;

    for (uint32_t i = 0; i < r->c.radix; i++) {
        inputs[2 * i] = x[i].re;
        inputs[2 * i + 1] = x[i].im;
    }
    for (int i = 0; cut && i < cut->n_parameters; i++) {
        struct gen_parameter parameter = cut->parameters[i];
        gen_number number[3];
        const int n_numbers = gen_parameter_numbers(parameter.kind, r->c.three);
        parameter.n *= cut->unit;
        parameter.from *= cut->unit;
        gen_parameter_value(&parameter, k, NULL, number);
        if (n_numbers == 3) { /* as products of three take them */
            number[2] = number[1] - number[0];
            number[1] += number[0];
        }
        for (int j = 0; j < n_numbers; j++)
            inputs[at++] = (long double)number[j];
    }
    gen_graph_evaluate(&r->g, inputs, r->values);
    for (uint32_t i = 0; i < r->c.radix; i++)
        x[i] = (struct value){gen_value_of(r->values, r->y[i].re), gen_value_of(r->values, r->y[i].im)};
}

/* Is this the version that code chooses for point k of a unit? */
static bool is_version(const struct gen_calls *calls, uint32_t unit, uint32_t k)
{
    int i = 0;
    for (; i < calls->n_versions - 1; i++)
        if (calls->versions[i].quarter >= 0 ? k == (uint32_t)calls->versions[i].quarter * unit / 4 : k <= unit / 2)
            break;
    return i == calls->at;
}

/* One step of a recursion; in: the input where it gathers its points, else NULL. */
static void step_run(const struct gen_params *p, const struct gen_launches *l, const struct gen_step *step, struct gen_way way,
                     const struct value *in, struct value *buffer)
{
    struct gen_calls calls = {.call = {.step = step, .type = -1, .way = way}};
    const uint32_t nodes = l->points / step->length, unit = step->unit > 0 ? step->unit : 1;

    while (gen_calls_next(p, l, &calls)) {
        struct gen_call call = calls.call;
        struct gen_cut cut;
        char name[128];
        const bool pair = call.type == GEN_NODE_PAIR;
        for (int half = call.second; half < (pair && !way.zeros ? 2 : call.second + 1); half++) {
            struct runnable r;
            call.second = half;
            const struct gen_codelet c = gen_recursion_codelet(p, l, &call, &cut, name, sizeof name);
            codelet_open(&r, &c);
            for (uint32_t residue = 0; residue < nodes; residue++) {
                bool before = false;
                const uint32_t b = in ? gen_recursion_node(p->algorithm, nodes, residue, &before) : residue;
                if (gen_node_type(p->algorithm, b) != call.type || (in && way.zeros && before != call.before))
                    continue;
                for (uint32_t k = 0; k < unit; k++) {
                    struct value x[GEN_MAX_CODELET], *to = buffer + b * step->length + (half ? step->length / 2 : 0) + k;
                    if (!is_version(&calls, unit, k))
                        continue;
                    for (uint32_t i = 0; i < c.radix; i++) {
                        const uint32_t at = gen_leaf_point(p->algorithm, step, call.type, i + (half ? c.radix : 0));
                        x[i] = in ? in[(residue + l->points - before * nodes + at * nodes) % l->points] : to[i * unit];
                    }
                    codelet_run(&r, x, k);
                    for (uint32_t i = 0; i < c.radix; i++)
                        to[i * unit] = x[i];
                }
            }
            codelet_close(&r);
        }
    }
}

static void recursion_run(const struct gen_params *p, const struct gen_launches *l, struct gen_way way, const struct value *in,
                          struct value *buffer)
{
    const struct gen_step *steps[GEN_MAX_LAUNCHES * GEN_MAX_STEPS];
    int n = 0;

    for (int i = 0; i < l->n; i++)
        for (int s = 0; s < l->launch[i].n_steps; s++)
            steps[n++] = &l->launch[i].steps[s];
    for (int s = 0; s < n; s++)
        step_run(p, l, steps[way.transposed ? n - 1 - s : s], way, s == 0 ? in : NULL, buffer);
}

/* Dimensions: codelets over the first points of a block, twiddles, and the same in each of its parts. */
static void dimensions_run(const struct gen_params *p, const struct gen_launches *l, struct value *x)
{
    struct gen_kernel kernels[GEN_MAX_KERNELS];
    bool tmp;
    uint32_t length = l->points;
    const int n = gen_kernels_find(p, l, false, kernels, &tmp);

    for (int i = 0; i < n; i++)
        for (int s = 0; kernels[i].kind == GEN_KERNEL_LAUNCH && s < l->launch[kernels[i].launch].n_steps; s++) {
            struct runnable r;
            char name[96];
            const struct gen_codelet c = gen_codelet_of(p, l, &kernels[i], s, name, sizeof name);
            const uint32_t block = length / c.radix;
            codelet_open(&r, &c);
            for (uint32_t at = 0; at < l->points; at += at % length == block - 1 ? length - block + 1 : 1) {
                struct value y[GEN_MAX_CODELET];
                for (uint32_t j = 0; j < c.radix; j++)
                    y[j] = x[at + j * block];
                codelet_run(&r, y, 0);
                for (uint32_t k = 0; k < c.radix; k++) {
                    uint32_t place = k;
                    if ((c.radix & (c.radix - 1)) == 0) /* in place frequencies come bit-reversed */
                        for (uint32_t bit = place = 0; 1u << bit < c.radix; bit++)
                            place = 2 * place + (k >> bit & 1);
                    const long double angle = 6.28318530717958647692528676655900577L * (long double)(k * (at % length)) / length;
                    x[at + place * block] = product(y[k], (struct value){cosl(angle), -sinl(angle)});
                }
            }
            codelet_close(&r);
            length = block;
        }
}

static long double distance(struct value a, struct value b)
{
    return fabsl(a.re - b.re) + fabsl(a.im - b.im);
}

/* Random inputs, zero where NONEZ says so; what the plan of a complex transform makes of them, and the definition. */
static void check(const char *words)
{
    static struct value x[MAX_N], y[MAX_N], got[MAX_N];
    struct gen_params p;
    struct gen_launches l;
    long double worst = 0;

    if (!parse(&p, words))
        return;
    gen_launches_find(&p, &l);
    for (uint32_t j = 0; j < p.n; j++)
        for (int i = 0; i < p.n_ranges; i++) {
            if (i == 0)
                x[j] = (struct value){0, 0};
            if (j >= p.ranges[i].lo && j < p.ranges[i].hi)
                x[j] = (struct value){(long double)test_below(2001) - 1000, (long double)test_below(2001) - 1000};
        }
    const uint32_t rest = l.points / l.done;
    for (uint32_t i = 0; i < rest; i++) { /* STOPLEVEL leaves transforms of `rest` points */
        slow(l.done, x + i, rest, y);
        for (uint32_t k = 0; k < l.done; k++) {
            const long double angle = 6.28318530717958647692528676655900577L * (long double)(k * i) / l.points;
            got[k * rest + i] = product(y[k], (struct value){cosl(angle), -sinl(angle)});
        }
    }
    for (uint32_t k = 0; k < p.n; k++)
        y[k] = got[k];
    if (l.recursion) {
        recursion_run(&p, &l, (struct gen_way){!p.bitrev, l.any_zeros, l.exact_start}, p.bitrev ? x : NULL,
                      p.bitrev ? got : memcpy(got, x, sizeof got));
    } else {
        memcpy(got, x, sizeof got);
        dimensions_run(&p, &l, got);
    }
    for (uint32_t k = 0; k < p.n; k++) {
        const uint32_t at = l.recursion && p.bitrev ? k : gen_place(&p, &l, k / rest) * rest + k % rest;
        const long double d = distance(got[at], y[k]);
        worst = d > worst ? d : worst;
    }
    TEST_CHECK_MSG(worst < 1e-11L * p.n, "an error of %Lg", worst);
    if (!l.recursion || p.bitrev)
        return;
    /* from the order of the algorithm, as the backward transform goes */
    slow(p.n, x, 1, y);
    for (uint32_t k = 0; k < p.n; k++)
        got[gen_place(&p, &l, k)] = x[k];
    recursion_run(&p, &l, (struct gen_way){false, false, false}, NULL, got);
    worst = 0;
    for (uint32_t k = 0; k < p.n; k++) {
        const long double d = distance(got[k], y[k]);
        worst = d > worst ? d : worst;
    }
    TEST_CHECK_MSG(worst < 1e-11L * p.n, "backward an error of %Lg", worst);
}

/* Recursions: all algorithms in both orders, with zeros and several launches. */
static void test_recursions(void)
{
    for (size_t i = 0; i < test_tier(48, 400, 4000); i++) {
        char words[200], nonez[24] = "X";
        const int logn = i < 12 ? 8 : (int)test_between(3, test_tier(8, 9, 10)), n = 1 << logn;
        const size_t lo = test_below((size_t)n);
        static const char *const patterns[] = {"X0", "X000", "0X0", "00X", "X", "XX0X"};
        if (test_below(2))
            snprintf(nonez, sizeof nonez, "%s", patterns[test_below(6)]);
        else if (test_below(2))
            snprintf(nonez, sizeof nonez, "%zu,%zu", lo, test_between(lo, (size_t)n - 1));
        static const size_t heights[] = {1, 2, 3, 1, 1, 1}; /* at least, by the algorithm */
        snprintf(words, sizeof words, "LOGN=%d ALGORITHM=%c BITREV=%c NONEZ=%s DIRECTION=F KERNELHEIGHT=%zu PRODUCTS=%d", logn,
                 "248SCT"[i % 6], "YN"[i / 6 % 2], nonez, test_below(3) ? test_between(heights[i % 6], 8) : 0,
                 (int)test_between(3, 4));
        check(words);
    }
}

/* One point alone: what it reaches differs from one to the next. */
static void test_single(void)
{
    for (int at = 0; at < 256; at += 3)
        for (const char *a = "SCT"; *a; a++) { /* three launches: nodes of the second may begin before point 0, too */
            char words[96];
            snprintf(words, sizeof words, "LOGN=8 ALGORITHM=%c NONEZ=%d,%d DIRECTION=F KERNELHEIGHT=3", *a, at, at);
            check(words);
        }
}

static void test_dimensions(void)
{
    static const char *const words[] = {
        "N=360",
        "N=420 NONEZ=X0",
        "LOGN=8 DIM=16,16 STRUCTURE=DIMENSIONS",
        "LOGN=9 DIM=8,8,8 NONEZ=X000 STRUCTURE=DIMENSIONS",
        "LOGN=7 KERNELHEIGHT=2 NONEZ=3,9 STRUCTURE=DIMENSIONS",
        "LOGN=9 STOPLEVEL=4 BITREV=N STRUCTURE=DIMENSIONS",
        "LOGN=8 STOPLEVEL=5 BITREV=N NONEZ=0X00 STRUCTURE=DIMENSIONS",
        "N=105 BITREV=N",
        "LOGN=8 INPRECISION=12 STRUCTURE=DIMENSIONS",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char more[96];
        snprintf(more, sizeof more, "%s ALGORITHM=%c", words[i], "248SCT"[test_below(6)]);
        check(more);
    }
}

static uint64_t emitted(const char *words)
{
    struct gen_params p;
    struct gen_launches l;
    uint64_t sum = 0;

    if (!parse(&p, words))
        return 0;
    gen_launches_find(&p, &l);
    TEST_CHECK(l.recursion);
    for (int i = 0; i < l.n; i++)
        for (int s = 0; s < l.launch[i].n_steps; s++) {
            struct gen_step_cost cost;
            TEST_OK(gen_recursion_cost(&p, &l, &l.launch[i].steps[s], (struct gen_way){!p.bitrev, l.any_zeros, false}, &cost));
            sum += cost.count.additions + cost.count.products;
        }
    return sum;
}

/* The whole transform as one graph of the algorithm, or its transpose, without what zeros take away. */
static uint64_t pruned(const char *words)
{
    static struct gen_complex all[MAX_N], results[MAX_N], x[MAX_N], y[MAX_N];
    struct gen_params p;
    struct gen_graph g, straight;
    struct gen_count count = {0};

    if (!parse(&p, words) || !TEST_OK(gen_graph_create(&g)) || !TEST_OK(gen_graph_create(&straight)))
        return 0;
    for (uint32_t j = 0; j < p.n; j++) {
        x[j] = (struct gen_complex){GEN_ZERO, GEN_ZERO};
        for (int i = 0; i < p.n_ranges; i++)
            if (j >= p.ranges[i].lo && j < p.ranges[i].hi)
                x[j] = (struct gen_complex){gen_input(&g, (int32_t)(2 * j)), gen_input(&g, (int32_t)(2 * j + 1))};
        all[j] = (struct gen_complex){gen_input(&straight, (int32_t)(2 * j)), gen_input(&straight, (int32_t)(2 * j + 1))};
    }
    if (p.bitrev) {
        TEST_OK(gen_transform(&g, p.n, p.algorithm, x, y));
    } else {
        TEST_OK(gen_transform(&straight, p.n, p.algorithm, all, results));
        TEST_OK(gen_graph_transpose(&straight, results, p.n, x, &g, y));
    }
    TEST_OK(gen_graph_count(&g, &y[0].re, 2 * p.n, &count));
    gen_graph_destroy(&g);
    gen_graph_destroy(&straight);
    return count.additions + count.products;
}

/* Keys that change types, launches and tables leave the operations within 3 % of the formula; a pair of tables does not. */
static void test_counts_of_keys(void)
{
    static const char *const keys[] = {"KERNELHEIGHT=1", "KERNELHEIGHT=2", "INPRECISION=20 OUTPRECISION=12", "FFTDATA=dd",
                                       "KERNELWIDTH=16", "TWIDDLE=ONFLY",  "BITREV=N KERNELWIDTH=4",         "KERNELHEIGHT=1000"};
    for (const char *a = "248SCT"; *a; a++)
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            for (int logn = 12; logn <= 24; logn += 12) {
                struct gen_params p;
                struct gen_text text;
                char words[128];
                snprintf(words, sizeof words, "LOGN=%d ALGORITHM=%c DIRECTION=F %s", logn, *a, keys[i]);
                test_note("%s", words);
                const bool refused = (*a == '8' && i < 2) || (*a == '4' && i == 0) || (*a == 'T' && i == 5);
                const unsigned problems = gen_words(&p, words, &text);
                TEST_CHECK_MSG((problems > 0) == refused && (!refused || strstr(text.s, "STRUCTURE=DIMENSIONS")), "%s",
                               text.s ? text.s : "");
                gen_text_free(&text);
                if (refused)
                    continue;
                const uint64_t is = emitted(words), formula = (uint64_t)gen_count_formula(*a, logn);
                TEST_CHECK_MSG(is >= formula && is * 100 <= formula * 103, "%llu, the formula says %llu", (unsigned long long)is,
                               (unsigned long long)formula);
            }
}

/* Operations of the codelets: in both orders as many as the formula says; with zeros as one graph without them. */
static void test_counts(void)
{
    for (const char *a = "248SCT"; *a; a++)
        for (int logn = 3; logn <= 20; logn++) {
            char words[96];
            snprintf(words, sizeof words, "LOGN=%d ALGORITHM=%c DIRECTION=F", logn, *a);
            const uint64_t natural = emitted(words);
            snprintf(words, sizeof words, "LOGN=%d ALGORITHM=%c DIRECTION=F BITREV=N", logn, *a);
            TEST_CHECK_MSG(emitted(words) == natural, "%llu in natural order", (unsigned long long)natural);
            const int64_t formula = gen_count_formula(*a, logn);
            TEST_CHECK_MSG(formula < 0 || (natural >= (uint64_t)formula && natural * 100 <= (uint64_t)formula * 103),
                           "%llu, the formula says %lld", (unsigned long long)natural, (long long)formula);
            TEST_CHECK(formula < 0 || logn > 8 || natural == (uint64_t)formula);
        }
    for (const char *a = "248SCT"; *a; a++)
        for (int i = 0; i < 8 * 2 * 2; i++) {
            static const char *const zeros[] = {"X0", "X000"};
            char words[96];
            snprintf(words, sizeof words, "LOGN=%d ALGORITHM=%c DIRECTION=F NONEZ=%s BITREV=%c", 3 + i / 4, *a, zeros[i % 2],
                     "YN"[i / 2 % 2]);
            const uint64_t is = emitted(words), whole = pruned(words);
            TEST_CHECK_MSG(is == whole || (i >= 24 && is * 100 <= whole * 103), "%llu, one graph has %llu",
                           (unsigned long long)is, (unsigned long long)whole);
        }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    for (int e = 0; e < MAX_N; e++) {
        const long double angle = 6.28318530717958647692528676655900577L * e / MAX_N;
        roots[e] = (struct value){cosl(angle), -sinl(angle)};
    }
    TEST_RUN(test_recursions);
    TEST_RUN(test_single);
    TEST_RUN(test_dimensions);
    TEST_RUN(test_counts);
    TEST_RUN(test_counts_of_keys);
    return test_end();
}
