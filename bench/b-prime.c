/*
 * b-prime.c - products modulo primes against those in double and mpn_mul: time, interleaved; memory of a process for each.
 *
 *     b-prime [-t THREADS] [-r ROUNDS] [-g] [-m] LIMBS...
 *
 * Products of two random numbers of so many limbs, without checks.  -g: mpn_mul, too.  -m: memory instead of time.
 * Each makes two products in a row, of which the second one counts: contexts give back memory that has been idle for a second,
 * and a system may take as long as the product to provide it again.
 * Output: TSV; least milliseconds of all rounds, their ratios; with -m the largest resident MiB, operands and product included.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gfmul.h"

enum contestant { PRIME, DOUBLE, GMP, CONTESTANTS };

struct run {
    unsigned threads, rounds;
    bool gmp;
    size_t n;
    mp_limb_t *a, *b, *z;
};

static void fail(const char *what)
{
    fprintf(stderr, "b-prime: %s\n", what);
    exit(1);
}

static struct gfmul_ctx *ctx_make(const struct run *r, enum contestant who)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    gfmul_options_init(&opt);
    opt.engine = who == GMP ? GFMUL_ENGINE_GMP : GFMUL_ENGINE_CPU;
    opt.precision = who == PRIME ? GFMUL_PRECISION_PRIME : GFMUL_PRECISION_DOUBLE;
    opt.threads = r->threads;
    opt.verify = GFMUL_VERIFY_NONE;
    if (gfmul_ctx_create(&ctx, &opt) != GFMUL_OK)
        fail("no context");
    return ctx;
}

/* product_ms - one product. */
static double product_ms(const struct run *r, struct gfmul_ctx *ctx)
{
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (gfmul_mul(ctx, r->z, r->a, r->n, r->b, r->n) != GFMUL_OK)
        fail("no product");
    clock_gettime(CLOCK_MONOTONIC, &to);
    return (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) * 1e-6;
}

static void times_print(const struct run *r)
{
    struct gfmul_ctx *ctx[CONTESTANTS];
    double best[CONTESTANTS] = {0};
    const unsigned n = r->gmp ? CONTESTANTS : GMP;
    for (unsigned i = 0; i < n; i++)
        ctx[i] = ctx_make(r, i);
    for (unsigned k = 0; k < r->rounds; k++)
        for (unsigned i = 0; i < n; i++) {
            product_ms(r, ctx[i]); /* makes tables and touches memory */
            const double ms = product_ms(r, ctx[i]);
            if (k == 0 || ms < best[i])
                best[i] = ms;
        }
    printf("%zu\t%u\t%.2f\t%.2f\t%.2f\t%.3f\t%.3f\n", r->n, r->threads, best[PRIME], best[DOUBLE], best[GMP],
           best[DOUBLE] / best[PRIME], best[GMP] / best[PRIME]);
    for (unsigned i = 0; i < n; i++)
        gfmul_ctx_destroy(ctx[i]);
}

/* memory_mib - of a process that makes one product. */
static double memory_mib(const struct run *r, enum contestant who)
{
    int status;
    struct rusage usage;
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
    printf("%zu\t%u\t%.0f\t%.0f\t%.0f\n", r->n, r->threads, memory_mib(r, PRIME), memory_mib(r, DOUBLE),
           r->gmp ? memory_mib(r, GMP) : 0.0);
}

static void numbers_fill(const struct run *r)
{
    uint64_t v = 88172645463325252;
    for (size_t i = 0; i < 2 * r->n; i++) { /* Marsaglia's xorshift */
        v ^= v << 13;
        v ^= v >> 7;
        v ^= v << 17;
        *(i < r->n ? r->a + i : r->b + (i - r->n)) = v;
        r->z[i] = 1;
    }
}

int main(int argc, char **argv)
{
    struct run r = {.threads = 1, .rounds = 3};
    bool memory = false;
    for (int c; (c = getopt(argc, argv, "t:r:gm")) != -1;) {
        if (c == 't')
            r.threads = (unsigned)atoi(optarg);
        else if (c == 'r')
            r.rounds = (unsigned)atoi(optarg);
        else if (c == 'g')
            r.gmp = true;
        else if (c == 'm')
            memory = true;
        else
            fail("usage: b-prime [-t THREADS] [-r ROUNDS] [-g] [-m] LIMBS...");
    }
    puts(memory ? "limbs\tthreads\tprime_mib\tdouble_mib\tgmp_mib"
                : "limbs\tthreads\tprime_ms\tdouble_ms\tgmp_ms\tdouble_by_prime\tgmp_by_prime");
    for (; optind < argc; optind++) {
        r.n = strtoull(argv[optind], NULL, 10);
        r.a = malloc(r.n * sizeof *r.a);
        r.b = malloc(r.n * sizeof *r.b);
        r.z = malloc(2 * r.n * sizeof *r.z);
        if (r.n == 0 || !r.a || !r.b || !r.z)
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
