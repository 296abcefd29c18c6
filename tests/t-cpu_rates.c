/* t-cpu_rates.c - costs on a processor that no table is for: when they are measured, where they are kept, what they decide. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <dirent.h>
#include <gmp.h>
#include <pthread.h>

#include "base/alloc.h"
#include "contexts.h"
#include "gfmul_private.h"
#include "mul/cpu_rates.h"
#include "plan/thresholds/thresholds.h"
#include "test.h"

static char folder[64]; /* the cache on disk */

/* context_of - of the CPU alone, on one thread. */
static struct gfmul_ctx *context_of(enum gfmul_precision precision, size_t memory_limit)
{
    return TEST_CTX(.engine = GFMUL_ENGINE_CPU, .precision = precision, .memory_limit = memory_limit, .threads = 1);
}

static struct gfmul_ctx *context(void)
{
    return context_of(GFMUL_PRECISION_AUTO, 0);
}

/* rates_of - what the plan of a product of n by n limbs uses. */
static struct plan_rates rates_of(struct gfmul_ctx *ctx, size_t n)
{
    struct gfmul_private_candidate *list = NULL;
    struct plan_rates rates = {0, 0, 0};
    size_t count = 0;
    if (TEST_OK(gfmul_private_candidates(ctx, &list, &count, 0, n, n)) && TEST_CHECK(count > 0))
        rates = (struct plan_rates){list->rate_points, list->rate_primes, list->rate_touch};
    free(list);
    return rates;
}

static bool same(const struct plan_rates *x, const struct plan_rates *y)
{
    return x->points == y->points && x->primes == y->primes && x->touch == y->touch;
}

static bool is_tables(const struct plan_rates *x)
{
    return same(x, &(struct plan_rates){0, 0, 0});
}

static bool is_measured(const struct plan_rates *x)
{
    return x->points > 0 && x->primes > 0 && x->touch > 0;
}

enum { LONG = 1 << 17 }; /* limbs of each operand of the shortest product that is measured for */

/* folder_walk - the files of the cache, the path of one of them, and how many are only half written; all may be removed. */
static unsigned folder_walk(char *path, size_t size, unsigned *temporary, bool clean)
{
    unsigned n = 0;
    DIR *d = opendir(folder);
    *temporary = 0;
    for (struct dirent *entry; d && (entry = readdir(d)) != NULL;) {
        if (entry->d_name[0] == '.' && strstr(entry->d_name, ".tmp") == NULL)
            continue;
        n++;
        *temporary += strstr(entry->d_name, ".tmp") != NULL;
        snprintf(path, size, "%s/%.200s", folder, entry->d_name);
        if (clean)
            unlink(path);
    }
    if (d)
        closedir(d);
    return n;
}

static void folder_clean(void)
{
    char path[300];
    unsigned temporary;
    folder_walk(path, sizeof path, &temporary, true);
}

/* Rates decide between the fields, and scale what plans cost; products are right, whatever they are. */
static void test_choice(void)
{
    static const struct {
        struct plan_rates rates;
        const char *precision;
    } rows[] = {{{1, 1.0 / 32, 1}, "prime"}, {{1, 32, 1}, "double"}, {{32, 1, 8}, "prime"}, {{1.0 / 32, 1, 1.0 / 8}, "double"}};
    const size_t n = LONG + test_below(1000);
    mp_limb_t *a = test_alloc(n * sizeof *a), *b = test_alloc(n * sizeof *b), *z = test_alloc(2 * n * sizeof *z),
              *want = test_alloc(2 * n * sizeof *want);
    for (size_t i = 0; i < n; i++) {
        a[i] = test_u64();
        b[i] = test_u64() | 1;
    }
    a[n - 1] |= 1;
    mpn_mul_n(want, a, b, (mp_size_t)n);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gfmul_report report;
        struct gfmul_ctx *ctx = context();
        cpu_rates_pretend(&rows[i].rates);
        const struct plan_rates used = rates_of(ctx, n);
        test_note("n=%zu points %g primes %g touch %g", n, rows[i].rates.points, rows[i].rates.primes, rows[i].rates.touch);
        TEST_CHECK(same(&used, &rows[i].rates));
        TEST_OK(gfmul_mul(ctx, z, a, n, b, n));
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK_MSG(strcmp(report.plan.precision, rows[i].precision) == 0, "precision %s", report.plan.precision);
        test_equal_limbs(z, want, 2 * n);
        gfmul_ctx_destroy(ctx);
    }
    cpu_rates_pretend(NULL);
    free(a);
    free(b);
    free(z);
    free(want);
}

/* least_ms - the cheapest candidate of a product in a precision. */
static double least_ms(struct gfmul_ctx *ctx, const char *precision)
{
    struct gfmul_private_candidate *list = NULL;
    size_t n = 0;
    double ms = 0;
    if (TEST_OK(gfmul_private_candidates(ctx, &list, &n, 0, LONG, LONG)))
        for (size_t i = n; i-- > 0;)
            if (strcmp(list[i].plan.precision, precision) == 0)
                ms = list[i].ms;
    free(list);
    return ms;
}

/* Estimates grow as the rates do, each precision's by its own. */
static void test_scale(void)
{
    struct gfmul_ctx *ctx = context();
    cpu_rates_pretend(&(struct plan_rates){1, 1, 1.0 / 64});
    const double in_double = least_ms(ctx, "double"), primes = least_ms(ctx, "prime");
    cpu_rates_pretend(&(struct plan_rates){4, 2, 1.0 / 64});
    const double longer = least_ms(ctx, "double"), twice = least_ms(ctx, "prime");
    cpu_rates_pretend(&(struct plan_rates){1, 1, 32});
    const double cold = least_ms(ctx, "prime");
    cpu_rates_pretend(NULL);
    TEST_CHECK_MSG(in_double > 0 && longer > 3.8 * in_double && longer < 4.01 * in_double, "%g ms, then %g", in_double, longer);
    TEST_CHECK_MSG(primes > 0 && twice > 1.9 * primes && twice < 2.01 * primes, "%g ms, then %g", primes, twice);
    TEST_CHECK_MSG(cold > 1.5 * primes, "first touches: %g ms, then %g", primes, cold);
    gfmul_ctx_destroy(ctx);
}

/* The tables are used where they are for the processor, for short products, for a precision by name, and under a limit. */
static void test_tables(void)
{
    const unsigned before = cpu_rates_measured();
    static const struct plan_rates fast = {0.5, 0.5, 0.5};
    struct gfmul_ctx *ctx = context(), *named = context_of(GFMUL_PRECISION_PRIME, 0),
                     *limited = context_of(GFMUL_PRECISION_AUTO, (size_t)1 << 30);
    cpu_rates_pretend(&fast);
    struct plan_rates r = rates_of(ctx, LONG - 1);
    TEST_CHECK(is_tables(&r));
    r = rates_of(named, LONG);
    TEST_CHECK(is_tables(&r));
    r = rates_of(limited, LONG);
    TEST_CHECK(is_tables(&r));
    r = rates_of(ctx, LONG);
    TEST_CHECK(same(&r, &fast));
    ctx->rates_known = true;
    r = rates_of(ctx, LONG);
    TEST_CHECK(is_tables(&r));
    cpu_rates_pretend(NULL);
    TEST_CHECK(cpu_rates_measured() == before);
    gfmul_ctx_destroy(ctx);
    gfmul_ctx_destroy(named);
    gfmul_ctx_destroy(limited);
}

/* Which processors the tables are for. */
static void test_models(void)
{
    static const struct {
        unsigned isa;
        struct cpu_model model;
        bool tabled;
    } rows[] = {
        {CPU_ISA_AVX512 | CPU_AMD | CPU_PATHS512, {CPU_VENDOR_AMD, 0x1a, 2}, true},
        {CPU_ISA_AVX512 | CPU_AMD, {CPU_VENDOR_AMD, 0x19, 0x11}, true},
        {CPU_ISA_AVX2 | CPU_AMD, {CPU_VENDOR_AMD, 0x19, 0x01}, true},
        {CPU_ISA_AVX2 | CPU_AMD, {CPU_VENDOR_AMD, 0x17, 0x31}, false}, /* Zen 2 */
        {CPU_ISA_AVX512 | CPU_AMD, {CPU_VENDOR_AMD, 0x1a, 0x24}, false},
        {CPU_ISA_AVX512, {CPU_VENDOR_INTEL, 6, 0xcf}, true},
        {CPU_ISA_AVX512, {CPU_VENDOR_INTEL, 6, 0x6a}, false}, /* Ice Lake */
        {CPU_ISA_AVX2, {CPU_VENDOR_INTEL, 6, 0x97}, false},   /* Alder Lake */
        {CPU_ISA_SSE2, {CPU_VENDOR_INTEL, 6, 0xcf}, false},
        {CPU_ISA_NEON, {CPU_VENDOR_OTHER, 0, 0}, false},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        test_note("row %u", i);
#ifdef PLAN_LENGTHS_TUNED
        TEST_CHECK(plan_is_tabled(rows[i].isa, &rows[i].model));
#else
        TEST_CHECK(plan_is_tabled(rows[i].isa, &rows[i].model) == rows[i].tabled);
#endif
    }
}

/* Measured once, kept in the process and on disk; a damaged or strange file is measured anew; without a folder all works. */
static void test_kept(void)
{
    struct gfmul_ctx *ctx = context();
    char path[300];
    unsigned temporary;
    folder_clean();
    cpu_rates_forget();
    unsigned count = cpu_rates_measured();
    const struct plan_rates first = rates_of(ctx, LONG), again = rates_of(ctx, 3 * LONG);
    TEST_CHECK(is_measured(&first) && same(&first, &again));
    TEST_CHECK(cpu_rates_measured() == ++count);
    TEST_CHECK(folder_walk(path, sizeof path, &temporary, false) == 1 && temporary == 0);

    cpu_rates_forget();
    const struct plan_rates read = rates_of(ctx, LONG);
    TEST_CHECK(same(&first, &read) && cpu_rates_measured() == count);

    for (unsigned how = 0; how < 3; how++) {
        FILE *f = fopen(path, "r+b");
        test_note("damage %u", how);
        if (!TEST_CHECK(f != NULL))
            break;
        if (how == 0)
            TEST_CHECK(fseek(f, -20, SEEK_END) == 0 && fputc(test_u64() & 1 ? 0xff : 0x5a, f) != EOF && fputc(0, f) != EOF);
        else
            TEST_CHECK(ftruncate(fileno(f), how == 1 ? 0 : 100) == 0);
        fclose(f);
        cpu_rates_forget();
        const struct plan_rates anew = rates_of(ctx, LONG);
        TEST_CHECK(is_measured(&anew) && cpu_rates_measured() == ++count);
        TEST_CHECK(folder_walk(path, sizeof path, &temporary, false) == 1 && temporary == 0);
    }

    setenv("GFMUL_CACHE_DIR", "", 1);
    cpu_rates_forget();
    struct plan_rates without = rates_of(ctx, LONG);
    TEST_CHECK(is_measured(&without) && cpu_rates_measured() == ++count);
    setenv("GFMUL_CACHE_DIR", "/dev/null/none", 1);
    cpu_rates_forget();
    without = rates_of(ctx, LONG);
    TEST_CHECK(is_measured(&without) && cpu_rates_measured() == ++count);
    without = rates_of(ctx, LONG);
    TEST_CHECK(cpu_rates_measured() == count);
    setenv("GFMUL_CACHE_DIR", folder, 1);
    gfmul_ctx_destroy(ctx);
}

/* If memory is short while it is measured, the tables are used. */
static void test_memory(void)
{
    setenv("GFMUL_CACHE_DIR", "", 1);
    for (long n = 1; n < 12; n++) {
        struct gfmul_plan_info info;
        struct gfmul_ctx *ctx = context();
        cpu_rates_forget();
        const unsigned count = cpu_rates_measured();
        test_note("allocation %ld", n);
        alloc_fail_after(n);
        const enum gfmul_status status = gfmul_plan_limbs(ctx, &info, LONG, LONG);
        alloc_fail_after(-1);
        TEST_CHECK(status == GFMUL_OK && cpu_rates_measured() == count + 1);
        const struct plan_rates r = rates_of(ctx, LONG);
        TEST_CHECK(is_tables(&r) || (n > 8 && is_measured(&r)));
        TEST_CHECK(n > 1 || is_tables(&r));
        gfmul_ctx_destroy(ctx);
    }
    cpu_rates_forget();
    setenv("GFMUL_CACHE_DIR", folder, 1);
}

enum { THREADS = 4 };

static void *planner(void *arg)
{
    struct gfmul_plan_info info;
    struct gfmul_ctx *ctx = context();
    *(enum gfmul_status *)arg = gfmul_plan_limbs(ctx, &info, LONG, LONG);
    gfmul_ctx_destroy(ctx);
    return NULL;
}

/* Threads that come at once: one measures, and all have a plan. */
static void test_threads(void)
{
    pthread_t thread[THREADS];
    enum gfmul_status status[THREADS];
    folder_clean();
    cpu_rates_forget();
    const unsigned count = cpu_rates_measured();
    for (unsigned i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, planner, &status[i]) != 0)
            exit(1);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (unsigned i = 0; i < THREADS; i++)
        TEST_CHECK(status[i] == GFMUL_OK);
    TEST_CHECK(cpu_rates_measured() == count + 1);
}

int main(int argc, char **argv)
{
    const char *disable = getenv("GFMUL_DISABLE");
    char list[256];
    test_begin(argc, argv);
    snprintf(list, sizeof list, "%s,tables", disable ? disable : "");
    snprintf(folder, sizeof folder, "/tmp/gfmul-rates-XXXXXX");
    if (!mkdtemp(folder) || setenv("GFMUL_CACHE_DIR", folder, 1) != 0 || setenv("GFMUL_DISABLE", list, 1) != 0)
        return 1;
    if (PLAN_RATES_LIMBS != 2 * (size_t)LONG) {
        printf("t-cpu_rates: skipped: costs are no times in this build\n");
        rmdir(folder);
        return 77;
    }
    TEST_RUN(test_models);
    TEST_RUN(test_choice);
    TEST_RUN(test_scale);
    TEST_RUN(test_tables);
    TEST_RUN(test_kept);
    TEST_RUN(test_memory);
    TEST_RUN(test_threads);
    folder_clean();
    rmdir(folder);
    return test_end();
}
