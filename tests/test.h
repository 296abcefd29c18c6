/*
 * test.h - what every test program uses: checks, seeds, reports.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 *     static void test_sum(void)
 *     {
 *         test_note("an=%zu bn=%zu", an, bn);          what a failure prints besides the seed
 *         test_plan(&info);                            the plan that it prints, or NULL
 *         TEST_CHECK(f(a) == 3);
 *         TEST_CHECK_MSG(x < 2, "x = %g", x);
 *         test_equal_limbs(z, ref, n);                 prints the first difference
 *         test_proved(&report);
 *     }
 *     int main(int argc, char **argv)
 *     {
 *         test_begin(argc, argv);
 *         TEST_RUN(test_sum);
 *         TEST_RUN_LONG(test_more_sums);               in the longer tiers alone
 *         return test_end();
 *     }
 *
 * Arguments name the properties to run (all when there are none).
 * GFMUL_TEST_SEED=n repeats a run: each property draws from its own generator, made of the seed and its name.
 * GFMUL_TEST_LONG=1 asks for the long tier, 2 for the longest (test_tier(), test_longest_tier()), GFMUL_TEST_PART=i/n for the
 * cases k with k mod n = i of a test that counts its cases (test_part()), so that n processes share them.
 * Exit status: 0 passed, 1 failed (also where no check was made), 77 skipped (TEST_SKIP and no check was made).
 */
#ifndef GFMUL_TEST_H
#define GFMUL_TEST_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gfmul.h"

#define TEST_UNUSED       __attribute__((unused))
#define TEST_PRINTF(f, a) __attribute__((unused, format(printf, f, a)))

enum { TEST_MAX_REPORTS = 20 };

static struct {
    const char *program;
    const char *property;
    char **only; /* names asked for */
    int n_only;
    uint64_t seed;
    uint64_t state; /* of the generator */
    unsigned long checks, failures, skips, property_failures;
    unsigned n_run;
    char note[256];
    struct gfmul_plan_info plan;
    size_t (*plan_print)(const struct gfmul_plan_info *, char *, size_t);
    struct timespec start;
} test_state;

/*
 * test_level - the tier asked for: 0 short, each path at least once; 1 long, minutes of it; 2 longest, hours.
 * test_tier - of three values the one for this tier.   test_longest_tier - is the longest tier asked for?
 */
TEST_UNUSED static unsigned test_level(void)
{
    const char *s = getenv("GFMUL_TEST_LONG");
    const unsigned long level = s != NULL ? strtoul(s, NULL, 10) : 0;
    return level < 2 ? (unsigned)level : 2;
}

TEST_UNUSED static size_t test_tier(size_t short_one, size_t long_one, size_t longest_one)
{
    const unsigned level = test_level();
    return level == 0 ? short_one : level == 1 ? long_one : longest_one;
}

TEST_UNUSED static bool test_longest_tier(void)
{
    return test_level() == 2;
}

/* test_part - does case k belong to this process? */
TEST_UNUSED static bool test_part(unsigned k)
{
    const char *s = getenv("GFMUL_TEST_PART");
    unsigned i, n;
    if (s == NULL || *s == '\0')
        return true;
    if (sscanf(s, "%u/%u", &i, &n) != 2 || i >= n) {
        fprintf(stderr, "GFMUL_TEST_PART=%s is not i/n, i < n\n", s);
        exit(1);
    }
    return k % n == i;
}

/* test_alloc - memory; where there is none the program ends.   test_alloc_zeroed - the same, zeroed. */
TEST_UNUSED static void *test_alloc(size_t bytes)
{
    void *p = malloc(bytes > 0 ? bytes : 1);
    if (p == NULL) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return p;
}

TEST_UNUSED static void *test_alloc_zeroed(size_t count, size_t bytes)
{
    void *p = calloc(count > 0 ? count : 1, bytes > 0 ? bytes : 1);
    if (p == NULL) {
        fprintf(stderr, "no memory for %zu times %zu bytes\n", count, bytes);
        exit(1);
    }
    return p;
}

/* test_u64 - 64 random bits (splitmix64). */
TEST_UNUSED static uint64_t test_u64(void)
{
    uint64_t z = test_state.state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* test_engine - whether this build has an engine that needs no device: those of OpenCL have their own tests (ocl_test.h). */
#define test_engine(e) ((e) != GFMUL_ENGINE_OPENCL && gfmul_has_engine(e))

/* test_below - a random number in 0 .. n-1; n >= 1. */
TEST_UNUSED static uint64_t test_below(uint64_t n)
{
    return (uint64_t)(((unsigned __int128)test_u64() * n) >> 64);
}

/* test_between - a random number in lo .. hi, both included. */
TEST_UNUSED static size_t test_between(size_t lo, size_t hi)
{
    return lo + (size_t)test_below((uint64_t)(hi - lo) + 1);
}

/* test_size - a random number in lo .. hi, with a logarithm that is about uniform; lo >= 1. */
TEST_UNUSED static size_t test_size(size_t lo, size_t hi)
{
    size_t n = lo;
    unsigned doublings = 0;
    while (n <= hi / 2) {
        n *= 2;
        doublings++;
    }
    n = lo << test_below(doublings + 1);
    n += (size_t)test_below(n < hi - n ? n : hi - n + 1);
    return n > hi ? hi : n;
}

/* test_worse - the larger of two errors; NaN if one of them is: fmax would drop it. */
TEST_UNUSED static double test_worse(double worst, double error)
{
    return worst != worst || error <= worst ? worst : error;
}

/* test_seconds - since the program began. */
TEST_UNUSED static double test_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)(t.tv_sec - test_state.start.tv_sec) + 1e-9 * (double)(t.tv_nsec - test_state.start.tv_nsec);
}

/* test_note - what the checks that follow are about; printed on failure. */
TEST_PRINTF(1, 2) static void test_note(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(test_state.note, sizeof test_state.note, format, ap);
    va_end(ap);
}

/* test_plan - the plan that the checks that follow run; copied; NULL: none. */
#define test_plan(info) test_plan_set((info), gfmul_plan_print)
TEST_UNUSED static void test_plan_set(const struct gfmul_plan_info *info,
                                      size_t (*print)(const struct gfmul_plan_info *, char *, size_t))
{
    test_state.plan_print = NULL;
    if (info != NULL) {
        test_state.plan = *info;
        test_state.plan_print = print;
    }
}

/* test_one_transform - whether a report is of one transform, so that its bound and its error are of the same coefficients. */
#define test_one_transform(report) ((report)->plan.n_slices <= 1 && !(report)->plan.wraps)

/*
 * test_proved - whether a proved product's report proves it (section 8 of doc/error-bound.md), and the error met is no larger
 * than the bound.  Of several transforms the largest bound and the largest error are known, their largest sum is not.
 * Devices raise the error that they record a little.
 */
#define test_proved(report)                                                                                     \
    TEST_CHECK_MSG((report)->plan.proved && (report)->max_error <= (report)->plan.bound * (1 + 1e-5) &&         \
                       ((report)->plan.norms_measured                                                           \
                            ? (report)->plan.bound + (test_one_transform(report) ? (report)->max_error : 0) < 1 \
                            : (report)->plan.bound < 0.5),                                                      \
                   "error %g, bound %g, norms %s", (report)->max_error, (report)->plan.bound,                   \
                   (report)->plan.norms_measured ? "measured" : "of any operands")

/* The command that repeats the property under way. */
TEST_UNUSED static void test_print_repeat(void)
{
    static const char *const names[] = {"GFMUL_TEST_LONG", "GFMUL_DISABLE", "OMP_NUM_THREADS"};
    fprintf(stderr, "  repeat:");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *s = getenv(names[i]);
        if (s != NULL && *s != '\0')
            fprintf(stderr, " %s=%s", names[i], s);
    }
    fprintf(stderr, " GFMUL_TEST_SEED=%" PRIu64 " %s %s\n", test_state.seed, test_state.program,
            test_state.property != NULL ? test_state.property : "");
}

/* test_failed - count a failure and describe it (the first few of a property are printed); false. */
TEST_PRINTF(3, 4) static bool test_failed(const char *file, int line, const char *format, ...)
{
    test_state.failures++;
    if (++test_state.property_failures > TEST_MAX_REPORTS)
        return false;
    fprintf(stderr, "%s:%d: FAILED in %s: ", file, line, test_state.property != NULL ? test_state.property : "main");
    va_list ap;
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fprintf(stderr, "\n");
    if (test_state.note[0] != '\0')
        fprintf(stderr, "  with:   %s\n", test_state.note);
    if (test_state.plan_print != NULL) {
        char text[2048];
        test_state.plan_print(&test_state.plan, text, sizeof text);
        for (char *s = strtok(text, "\n"); s != NULL; s = strtok(NULL, "\n"))
            fprintf(stderr, "  plan:   %s\n", s);
    }
    test_print_repeat();
    if (test_state.property_failures == TEST_MAX_REPORTS)
        fprintf(stderr, "  further failures of this property are counted, not printed\n");
    fflush(stderr);
    return false;
}

/* The checks have the value of their condition, so that a loop can stop at the first failure. */
#define TEST_CHECK_MSG(condition, ...)         test_check((condition), __FILE__, __LINE__, __VA_ARGS__)
#define TEST_CHECK(condition)                  TEST_CHECK_MSG(condition, "%s", #condition)
#define test_check(condition, file, line, ...) test_same(test_count(condition) || test_failed(file, line, __VA_ARGS__))
TEST_UNUSED static bool test_same(bool value) /* a call may stand as a statement without a warning */
{
    return value;
}
TEST_UNUSED static bool test_count(bool condition)
{
    test_state.checks++;
    return condition;
}

/* TEST_OK - a status is GFMUL_OK. */
#define TEST_OK(expression) test_ok_at((expression), #expression, gfmul_strerror, __FILE__, __LINE__)
TEST_UNUSED static bool test_ok_at(enum gfmul_status status, const char *text, const char *(*name)(enum gfmul_status),
                                   const char *file, int line)
{
    test_state.checks++;
    if (status == GFMUL_OK)
        return true;
    return test_failed(file, line, "%s: status %d, %s", text, (int)status, name(status));
}

/* test_equal_limbs - are n limbs equal? */
#define test_equal_limbs(got, want, n) test_equal_limbs_at((got), (want), (n), __FILE__, __LINE__)
TEST_UNUSED static bool test_equal_limbs_at(const mp_limb_t *got, const mp_limb_t *want, size_t n, const char *file, int line)
{
    size_t i = 0, different = 0;
    test_state.checks++;
    while (i < n && got[i] == want[i])
        i++;
    if (i == n)
        return true;
    for (size_t j = i; j < n; j++)
        different += got[j] != want[j];
    return test_failed(file, line, "limb %zu of %zu is %016" PRIx64 ", should be %016" PRIx64 "; %zu limbs differ", i, n,
                       (uint64_t)got[i], (uint64_t)want[i], different);
}

/* test_equal_text - are n characters equal? */
#define test_equal_text(got, want, n) test_equal_text_at((got), (want), (n), __FILE__, __LINE__)
TEST_UNUSED static bool test_equal_text_at(const char *got, const char *want, size_t n, const char *file, int line)
{
    size_t i = 0;
    test_state.checks++;
    while (i < n && got[i] == want[i])
        i++;
    if (i == n)
        return true;
    int left = n - i < 24 ? (int)(n - i) : 24;
    return test_failed(file, line, "character %zu of %zu: \"%.*s\", should be \"%.*s\"", i, n, left, got + i, left, want + i);
}

/* TEST_SKIP - say why a property cannot be tested here; return from it afterwards. */
#define TEST_SKIP(...) (test_state.skips++, printf("%s: skipped: ", test_state.property), printf(__VA_ARGS__), putchar('\n'))

TEST_UNUSED static void test_begin(int argc, char **argv)
{
    test_state.program = argv[0];
    test_state.only = argv + 1;
    test_state.n_only = argc - 1;
    clock_gettime(CLOCK_MONOTONIC, &test_state.start);
    const char *s = getenv("GFMUL_TEST_SEED");
    if (s != NULL && *s != '\0') {
        test_state.seed = strtoull(s, NULL, 0);
    } else {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        test_state.state = (uint64_t)t.tv_sec * 1000000007u ^ (uint64_t)t.tv_nsec ^ (uint64_t)getpid() << 40;
        test_state.seed = test_u64() >> 24; /* 40 bits are enough, and shorter to type */
    }
    printf("%s: GFMUL_TEST_SEED=%" PRIu64, test_state.program, test_state.seed);
    if (test_level() > 0)
        printf(" GFMUL_TEST_LONG=%u", test_level());
    printf("\n");
    fflush(stdout);
}

/*
 * TEST_RUN - run a property, unless others were asked for.
 * TEST_RUN_LONG - the same in the longer tiers; in the short one only if it was asked for.
 */
#define TEST_RUN(function)      test_run(function, #function, true)
#define TEST_RUN_LONG(function) test_run(function, #function, test_level() > 0)
TEST_UNUSED static void test_run(void (*function)(void), const char *name, bool in_all)
{
    bool wanted = in_all && test_state.n_only == 0;
    for (int i = 0; i < test_state.n_only; i++)
        wanted = wanted || strcmp(test_state.only[i], name) == 0;
    if (!wanted)
        return;
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a of the name */
    for (const char *s = name; *s != '\0'; s++)
        h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    test_state.state = test_state.seed ^ h;
    test_state.property = name;
    test_state.property_failures = 0;
    test_state.note[0] = '\0';
    test_state.plan_print = NULL;
    test_state.n_run++;
    unsigned long checks = test_state.checks;
    double start = test_seconds();
    const clock_t cpu = clock();
    function();
    printf("%s: %lu checks, %lu failed, %.2f s, %.2f s of processors\n", name, test_state.checks - checks,
           test_state.property_failures, test_seconds() - start, (double)(clock() - cpu) / CLOCKS_PER_SEC);
    fflush(stdout);
    test_state.property = NULL;
    test_state.note[0] = '\0';
    test_state.plan_print = NULL;
}

TEST_UNUSED static int test_end(void)
{
    printf("%s: %lu checks, %lu failed, %.2f s\n", test_state.program, test_state.checks, test_state.failures, test_seconds());
    if (test_state.failures > 0)
        return 1;
    if (test_state.checks == 0) {
        if (test_state.skips > 0)
            return 77;
        fprintf(stderr, "%s: no check was made%s\n", test_state.program, test_state.n_run == 0 ? ": no such property" : "");
        return 1;
    }
    return 0;
}

#endif
