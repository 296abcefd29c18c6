/*
 * b-prime.c - products in each precision, in that of auto, and by mpn_mul: time, interleaved; memory of a process for each.
 *
 *     b-prime [-t THREADS] [-r N] [-g] [-f PATH] [-c LIST] [-u] [-m] [-C] [-s | -a RATIO] [-l BYTES] LIMBS...
 *
 * Products of two random numbers of so many limbs, without checks.  -s: squares.  -a: one operand is RATIO times as long.
 * -g: mpn_mul, too.  -f: FLINT's, from this libflint.so.  -c: these alone, letters of p d e a g f for primes, double,
 * double-double, auto, GMP, FLINT (default: pd).  -u: time of the processor, of all threads, not of the clock.
 * -m: memory instead of time.  -l: a limit on the memory of each call; who cannot keep it has time 0.
 * -C: a context for each product, so that the system provides its memory; medians instead of least times.
 * All that multiply are asked for the same product: its limbs are compared by a sum.
 * Each makes two products in a row, of which the second one counts: contexts give back memory that has been idle for a second,
 * and a system may take as long as the product to provide it again.
 * Output: TSV; least milliseconds of all rounds, ratios to primes, of auto to the least; -m: largest resident MiB of a process.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gfmul.h"
#include "median.h"

enum contestant { PRIME, DOUBLE, PAIRS, AUTO, GMP, FLINT, CONTESTANTS };

static const char letters[] = "pdeagf";

struct run {
    unsigned threads, rounds;
    bool takes_part[CONTESTANTS], square, cold;
    clockid_t clock;
    void (*flint_mul)(mp_limb_t *z, const mp_limb_t *a, long an, const mp_limb_t *b, long bn);
    double ratio;
    size_t memory_limit;
    size_t an, n;
    mp_limb_t *a, *b, *z;
};

static void fail(const char *what)
{
    fprintf(stderr, "b-prime: %s\n", what);
    exit(1);
}

static void flint_open(struct run *r, const char *path)
{
    void (*set_threads)(int);
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    void *mul = library ? dlsym(library, "mpn_mul_default_mpn_ctx") : NULL;
    void *threads = library ? dlsym(library, "flint_set_num_threads") : NULL;
    if (!mul || !threads)
        fail("no libflint.so with fft_small");
    memcpy(&r->flint_mul, &mul, sizeof mul); /* C has no cast from an object to a function */
    memcpy(&set_threads, &threads, sizeof threads);
    set_threads((int)r->threads);
}

/* ctx_make - FLINT has none. */
static struct gfmul_ctx *ctx_make(const struct run *r, enum contestant who)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx = NULL;
    gfmul_options_init(&opt);
    opt.engine = who == GMP ? GFMUL_ENGINE_GMP : GFMUL_ENGINE_CPU;
    opt.precision = who == PRIME   ? GFMUL_PRECISION_PRIME
                    : who == PAIRS ? GFMUL_PRECISION_DD
                    : who == AUTO  ? GFMUL_PRECISION_AUTO
                                   : GFMUL_PRECISION_DOUBLE;
    opt.threads = r->threads;
    opt.memory_limit = who == GMP ? 0 : r->memory_limit;
    opt.verify = GFMUL_VERIFY_NONE;
    if (who != FLINT && gfmul_ctx_create(&ctx, &opt) != GFMUL_OK)
        fail("no context");
    return ctx;
}

/* product_ms - one product;  0: there is too little memory. */
static double product_ms(const struct run *r, struct gfmul_ctx *ctx)
{
    struct timespec from, to;
    clock_gettime(r->clock, &from);
    enum gfmul_status status = GFMUL_OK;
    if (!ctx)
        r->flint_mul(r->z, r->a, (long)r->an, r->square ? r->a : r->b, (long)r->n);
    else
        status = gfmul_mul(ctx, r->z, r->a, r->an, r->square ? r->a : r->b, r->n);
    if (status == GFMUL_ERR_MEMORY && r->memory_limit != 0)
        return 0;
    if (status != GFMUL_OK)
        fail("no product");
    clock_gettime(r->clock, &to);
    return (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) * 1e-6;
}

/* product_sum - of the limbs of a product, in their order. */
static mp_limb_t product_sum(const struct run *r)
{
    mp_limb_t sum = 0;
    for (size_t i = 0; i < r->an + r->n; i++)
        sum = (sum << 1 | sum >> 63) + r->z[i];
    return sum;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* product_timed - one round of a contestant: the second product in a row, or the first one of a new context. */
static double product_timed(const struct run *r, enum contestant who, struct gfmul_ctx *warm)
{
    if (!r->cold) {
        product_ms(r, warm); /* makes tables and touches memory */
        return product_ms(r, warm);
    }
    struct gfmul_ctx *ctx = ctx_make(r, who);
    const double ms = product_ms(r, ctx);
    gfmul_ctx_destroy(ctx);
    return ms;
}

static void times_print(const struct run *r)
{
    struct gfmul_ctx *warm[CONTESTANTS] = {NULL};
    double *ms[CONTESTANTS], of[CONTESTANTS] = {0};
    mp_limb_t sum = 0;
    bool first = true;
    for (unsigned i = 0; i < CONTESTANTS; i++) {
        if (!(ms[i] = malloc(r->rounds * sizeof *ms[i])))
            fail("no memory");
        if (r->takes_part[i] && !r->cold)
            warm[i] = ctx_make(r, i);
    }
    for (unsigned k = 0; k < r->rounds; k++)
        for (unsigned i = 0; i < CONTESTANTS; i++) {
            if (!r->takes_part[i])
                continue;
            ms[i][k] = product_timed(r, i, warm[i]);
            if (k > 0 || ms[i][k] <= 0) /* no product, by its limit on memory */
                continue;
            if (!first && product_sum(r) != sum)
                fail("the products differ");
            sum = product_sum(r);
            first = false;
        }
    for (unsigned i = 0; i < CONTESTANTS; i++) {
        if (r->takes_part[i]) {
            const double median = median_of(ms[i], r->rounds); /* sorts them */
            of[i] = r->cold ? median : ms[i][0];
        }
        gfmul_ctx_destroy(warm[i]);
        free(ms[i]);
    }
    double least = HUGE_VAL;
    printf("%zu\t%u", r->n, r->threads);
    for (unsigned i = 0; i < CONTESTANTS; i++) {
        printf("\t%.3f", of[i]);
        if (i != AUTO && of[i] > 0)
            least = fmin(least, of[i]);
    }
    for (unsigned i = DOUBLE; i < CONTESTANTS; i++)
        printf("\t%.3f", ratio(of[i], of[PRIME]));
    printf("\t%.3f\n", ratio(of[AUTO], least));
}

/* memory_mib - of a process that makes one product. */
static double memory_mib(const struct run *r, enum contestant who)
{
    int status;
    struct rusage usage;
    if (!r->takes_part[who])
        return 0;
    const pid_t child = fork();
    if (child == 0) {
        struct gfmul_ctx *ctx = ctx_make(r, who);
        product_ms(r, ctx);
        _exit(0);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0)
        fail("no child");
    return (double)usage.ru_maxrss / 1024;
}

static void memory_print(const struct run *r)
{
    printf("%zu\t%u", r->n, r->threads);
    for (unsigned i = 0; i < CONTESTANTS; i++)
        printf("\t%.0f", memory_mib(r, i));
    putchar('\n');
}

static void numbers_fill(const struct run *r)
{
    uint64_t v = 88172645463325252;
    for (size_t i = 0; i < r->an + r->n; i++) { /* Marsaglia's xorshift */
        v ^= v << 13;
        v ^= v >> 7;
        v ^= v << 17;
        *(i < r->an ? r->a + i : r->b + (i - r->an)) = v;
        r->z[i] = 1;
    }
}

int main(int argc, char **argv)
{
    struct run r = {
        .threads = 1, .rounds = 3, .takes_part = {[PRIME] = true, [DOUBLE] = true}, .clock = CLOCK_MONOTONIC, .ratio = 1};
    const char *flint = NULL, *list = NULL;
    bool memory = false;
    for (int c; (c = getopt(argc, argv, "t:r:gf:c:umsa:l:C")) != -1;) {
        if (c == 't')
            r.threads = (unsigned)atoi(optarg);
        else if (c == 'r')
            r.rounds = (unsigned)atoi(optarg);
        else if (c == 'g')
            r.takes_part[GMP] = true;
        else if (c == 'f')
            flint = optarg;
        else if (c == 'c')
            list = optarg;
        else if (c == 'u')
            r.clock = CLOCK_PROCESS_CPUTIME_ID;
        else if (c == 'm')
            memory = true;
        else if (c == 's')
            r.square = true;
        else if (c == 'C')
            r.cold = true;
        else if (c == 'a')
            r.ratio = atof(optarg);
        else if (c == 'l')
            r.memory_limit = (size_t)atof(optarg);
        else
            fail("usage: b-prime [-t THREADS] [-r N] [-g] [-f PATH] [-c LIST] [-u] [-m] [-C] [-s | -a RATIO] [-l BYTES] "
                 "LIMBS...");
    }
    r.takes_part[FLINT] = flint != NULL;
    for (unsigned i = 0; list && i < CONTESTANTS; i++)
        r.takes_part[i] = strchr(list, letters[i]) != NULL;
    if (r.takes_part[FLINT] && !flint)
        fail("-f PATH says where libflint.so is");
    if (r.takes_part[FLINT])
        flint_open(&r, flint);
    puts(memory ? "limbs\tthreads\tprime_mib\tdouble_mib\tdd_mib\tauto_mib\tgmp_mib\tflint_mib"
                : "limbs\tthreads\tprime_ms\tdouble_ms\tdd_ms\tauto_ms\tgmp_ms\tflint_ms\tdouble_by_prime\tdd_by_prime\t"
                  "auto_by_prime\tgmp_by_prime\tflint_by_prime\tauto_by_least");
    for (; optind < argc; optind++) {
        r.n = strtoull(argv[optind], NULL, 10);
        r.an = (size_t)((double)r.n * r.ratio);
        r.a = malloc(r.an * sizeof *r.a);
        r.b = malloc(r.n * sizeof *r.b);
        r.z = malloc((r.an + r.n) * sizeof *r.z);
        if (r.n == 0 || r.an < r.n || !r.a || !r.b || !r.z)
            fail("no memory for numbers of so many limbs");
        numbers_fill(&r);
        if (memory)
            memory_print(&r);
        else
            times_print(&r);
        fflush(stdout);
        free(r.z);
        free(r.b);
        free(r.a);
    }
    return 0;
}
