/*
 * b-crossover.c - where the convolution becomes faster than GMP, and whether the library is ever slower than GMP.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Three contestants at each size: GMP, gfmul as it comes, and gfmul told to use the convolution (--engine of the command line;
 * cpu where that is auto).  A size where gfmul as it comes looks slower than the limit allows is measured again, longer, since
 * a disturbed figure shows more often among a thousand; it counts as slower where it still does.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { OPT_FROM = BENCH_OPT_OWN, OPT_DENSE, OPT_TO, OPT_PER_DECADE, OPT_BALANCE, OPT_LIMIT, OPT_ISA, OPT_ONLY, OPT_WORST };

enum { GMP, AS_IT_COMES, CONVOLUTION, CONTESTANTS };
enum { CHECK_AGAIN = 4, MAX_WORST = 1000 };

static struct {
    size_t from, dense, to;
    double per_decade;
    size_t balance_a, balance_b;
    double limit; /* of time / GMP's time */
    const char *isa;
    bool mul, sqr;
    size_t worst; /* lines of the list */
} wish = {.from = 1,
          .dense = 1000,
          .to = 100000,
          .per_decade = 24,
          .balance_a = 1,
          .balance_b = 1,
          .limit = 1.03,
          .mul = true,
          .sqr = true,
          .worst = 10};

static const struct option own_options[] = {
    {"from", required_argument, NULL, OPT_FROM},       {"dense", required_argument, NULL, OPT_DENSE},
    {"to", required_argument, NULL, OPT_TO},           {"per-decade", required_argument, NULL, OPT_PER_DECADE},
    {"balance", required_argument, NULL, OPT_BALANCE}, {"limit", required_argument, NULL, OPT_LIMIT},
    {"isa", required_argument, NULL, OPT_ISA},         {"only", required_argument, NULL, OPT_ONLY},
    {"worst", required_argument, NULL, OPT_WORST},     {NULL, 0, NULL, 0},
};

static const char usage[] = "Usage: b-crossover [OPTION]...\n"
                            "Compare gfmul with GMP at every small size and many larger ones.\n"
                            "\n"
                            "      --from N           limbs of the shorter operand, from N (default 1)\n"
                            "      --dense N          every size to N (default 1e3)\n"
                            "      --to N             then sampled to N (default 1e5)\n"
                            "      --per-decade X     X samples for each factor 10 (default 24)\n"
                            "      --balance A:B      the operands' sizes are as A to B, A >= B (default 1:1)\n"
                            "      --limit X          how much slower than GMP is allowed (default 0.03)\n"
                            "      --isa ISA          no better instruction set than avx512, avx2, sse2, scalar\n"
                            "      --only WHAT        mul or sqr (default both)\n"
                            "      --worst N          the N worst ratios in the summary (default 10)\n"
                            "Exit status: 0, or 3 where a size is slower than the limit allows.\n";

static void option_take(int value, const char *arg)
{
    switch (value) {
    case OPT_FROM:
        wish.from = size_parse("size", arg);
        break;
    case OPT_DENSE:
        wish.dense = size_parse("size", arg);
        break;
    case OPT_TO:
        wish.to = size_parse("size", arg);
        break;
    case OPT_PER_DECADE:
        wish.per_decade = real_parse("sizes per decade", arg, 0.01, 10000);
        break;
    case OPT_BALANCE:
        balance_parse(arg, &wish.balance_a, &wish.balance_b);
        if (wish.balance_a < wish.balance_b)
            usage_fail("balance '%s': the longer operand comes first", arg);
        break;
    case OPT_LIMIT:
        wish.limit = 1 + real_parse("limit", arg, 0, 10);
        break;
    case OPT_ISA:
        if (strcmp(arg, "avx512") != 0 && strcmp(arg, "avx2") != 0 && strcmp(arg, "sse2") != 0 && strcmp(arg, "scalar") != 0)
            usage_fail("unknown instruction set '%s'; valid are: avx512, avx2, sse2, scalar", arg);
        wish.isa = arg;
        break;
    case OPT_ONLY:
        wish.mul = strcmp(arg, "mul") == 0;
        wish.sqr = strcmp(arg, "sqr") == 0;
        if (!wish.mul && !wish.sqr)
            usage_fail("unknown work '%s'; valid are: mul, sqr", arg);
        break;
    case OPT_WORST:
        wish.worst = size_parse("lines", arg);
        if (wish.worst > MAX_WORST)
            usage_fail("at most %d lines", MAX_WORST);
        break;
    }
}

/* What was found at one size. */
struct point {
    size_t n;
    double gmp_ns, gfmul_ns, convolution_ns;
    double ratio, convolution_ratio;
};

static struct multiplier multipliers[CONTESTANTS];

static void point_measure(const struct bench_settings *s, struct point *p, size_t n, bool square)
{
    const size_t an = square ? n : (size_t)((double)n * (double)wish.balance_a / (double)wish.balance_b);
    mp_limb_t *a = operand_make(s, an, 0), *b = operand_make(s, n, 1);
    mp_limb_t *z = bench_alloc(an + n, sizeof *z), *reference = bench_alloc(an + n, sizeof *z);
    struct contestant c[CONTESTANTS];

    mpn_mul(reference, a, (mp_size_t)an, square ? a : b, (mp_size_t)n);
    memset(c, 0, sizeof c);
    for (size_t i = 0; i < CONTESTANTS; i++) {
        struct multiplier *m = &multipliers[i];
        m->product = (struct limb_product){.z = z, .a = a, .b = square ? a : b, .an = an, .bn = n, .square = square};
        c[i] = (struct contestant){.name = m->name, .run = multiplier_run, .arg = m};
        if (!multiplier_run(m, 1))
            exit(1);
        if (mpn_cmp(z, reference, (mp_size_t)(an + n)) != 0)
            bench_fail("%s, %zu by %zu limbs: the product differs from GMP's", m->name, an, n);
    }
    bench_measure(c, CONTESTANTS, s, s->seconds, s->rounds);
    if (c[AS_IT_COMES].ratio > wish.limit)
        bench_measure(c, CONTESTANTS, s, CHECK_AGAIN * s->seconds, CHECK_AGAIN * s->rounds);
    *p = (struct point){.n = n,
                        .gmp_ns = c[GMP].median_ns,
                        .gfmul_ns = c[AS_IT_COMES].median_ns,
                        .convolution_ns = c[CONVOLUTION].median_ns,
                        .ratio = c[AS_IT_COMES].ratio,
                        .convolution_ratio = c[CONVOLUTION].ratio};
    contestants_free(c, CONTESTANTS);
    free(reference);
    free(z);
    free(b);
    free(a);
}

static int compare_ratios(const void *x, const void *y)
{
    double a = ((const struct point *)x)->ratio, b = ((const struct point *)y)->ratio;
    return (a < b) - (a > b);
}

/*
 * threshold_best - the crossover that loses least: GMP below it, the convolution from it on.
 *   loss  out  the mean over the sizes of log(time / best of both)
 */
static size_t threshold_best(const struct point *p, size_t count, double *loss)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) /* threshold below all sizes */
        sum += p[i].convolution_ratio > 1 ? log(p[i].convolution_ratio) : 0;
    double least = sum;
    size_t best = p[0].n;
    for (size_t i = 0; i < count; i++) {
        sum -= log(p[i].convolution_ratio); /* this size goes to GMP */
        if (sum < least) {
            least = sum;
            best = i + 1 < count ? p[i + 1].n : SIZE_MAX;
        }
    }
    *loss = least / (double)count;
    return best;
}

/* summary_print - what the sizes say together; how many are slower than the limit. */
static size_t summary_print(const char *what, const struct point *points, size_t count)
{
    size_t slower = 0, first = 0, last_above = 0, last_over = 0;
    double loss, worst = 0;
    struct point *p = bench_alloc(count, sizeof *p);

    for (size_t i = 0; i < count; i++) {
        slower += points[i].ratio > wish.limit;
        worst = points[i].ratio > worst ? points[i].ratio : worst;
        if (!first && points[i].convolution_ratio < 1)
            first = points[i].n;
        if (points[i].convolution_ratio > 1)
            last_above = points[i].n;
        if (points[i].convolution_ratio > wish.limit)
            last_over = points[i].n;
    }
    printf("# %s: %zu sizes, %zu slower than %.3f times GMP, worst %.4f\n", what, count, slower, wish.limit, worst);
    printf("# %s: the convolution is faster than GMP first at %zu limbs, slower last at %zu, over the limit last at %zu\n", what,
           first, last_above, last_over);
    size_t best = threshold_best(points, count, &loss);
    if (best == SIZE_MAX)
        printf("# %s: crossover beyond the last size\n", what);
    else
        printf("# %s: crossover that loses least: %zu limbs (%.2f %% on average)\n", what, best, 100 * (exp(loss) - 1));
    memcpy(p, points, count * sizeof *p);
    qsort(p, count, sizeof *p, compare_ratios);
    for (size_t i = 0; i < count && i < wish.worst; i++)
        printf("# %s: worst %zu: %zu limbs, gfmul %.1f ns, gmp %.1f ns, ratio %.4f\n", what, i + 1, p[i].n, p[i].gfmul_ns,
               p[i].gmp_ns, p[i].ratio);
    fflush(stdout);
    free(p);
    return slower;
}

static size_t work_measure(const struct bench_settings *s, const struct bench_sizes *sizes, bool square)
{
    struct point *points = bench_alloc(sizes->count, sizeof *points);
    for (size_t i = 0; i < sizes->count; i++) {
        struct point *p = &points[i];
        point_measure(s, p, sizes->n[i], square);
        printf("%s\t%zu\t%.1f\t%.1f\t%.1f\t%.4f\t%.4f\n", square ? "sqr" : "mul", p->n, p->gmp_ns, p->gfmul_ns, p->convolution_ns,
               p->ratio, p->convolution_ratio);
        fflush(stdout);
    }
    size_t slower = summary_print(square ? "sqr" : "mul", points, sizes->count);
    free(points);
    return slower;
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "b-crossover", .usage = usage, .own = own_options, .take = option_take, .seconds = 0.02, .rounds = 15};
    struct bench_settings s, forced;
    struct bench_sizes sizes = {NULL, 0};
    size_t slower = 0;

    bench_options_parse(&s, &program, argc, argv);
    for (size_t n = wish.from; n <= wish.dense && n <= wish.to; n++)
        sizes_add(&sizes, n);
    size_t sampled = wish.dense + 1 > wish.from ? wish.dense + 1 : wish.from;
    sizes_range(&sizes, sampled, wish.to, wish.per_decade);
    if (!sizes.count)
        usage_fail("no size from %zu to %zu", wish.from, wish.to);

    provenance_print(&s, argc, argv);
    multiplier_make(&multipliers[GMP], "gmp", &s);
    forced = s;
    if (forced.library.engine == GFMUL_ENGINE_AUTO)
        forced.library.engine = GFMUL_ENGINE_CPU;
    s.library.engine = GFMUL_ENGINE_AUTO;
    char name[32];
    snprintf(name, sizeof name, "gfmul%s%s", wish.isa ? "-" : "", wish.isa ? wish.isa : "");
    multiplier_make(&multipliers[AS_IT_COMES], name, &s);
    multiplier_make(&multipliers[CONVOLUTION], name, &forced);
    printf("# what: n limbs (the shorter operand, %zu:%zu), ns of one call; gfmul as it comes, and its convolution alone;\n"
           "# ratios: median of time / GMP's time in the same round\n"
           "work\tn\tgmp_ns\tgfmul_ns\tconvolution_ns\tratio\tconvolution_ratio\n",
           wish.balance_a, wish.balance_b);
    if (wish.mul)
        slower += work_measure(&s, &sizes, false);
    if (wish.sqr && wish.balance_a == wish.balance_b)
        slower += work_measure(&s, &sizes, true);
    for (size_t i = 0; i < CONTESTANTS; i++)
        multiplier_free(&multipliers[i]);
    free(sizes.n);
    if (fclose(stdout) != 0)
        return 1;
    return slower ? 3 : 0;
}
