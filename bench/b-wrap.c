/*
 * b-wrap.c - products that may wrap around beside the same products that may not, size by size.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 *   b-wrap [FIRST] [LAST] [PERCENT] [ROUNDS]
 *
 * FIRST to LAST limbs (10000, 40000) by steps of PERCENT (1), ROUNDS (15).
 *
 * Balanced products of one thread on two contexts in turns, its processor time over 2 ms, unchecked.  A line of TSV a size: what
 * is planned, the medians of both times, the median of the ratios within a round, and the step from the size before in both.
 * GFMUL_DISABLE chooses the instruction set.  Last, the largest steps and the mean gain.
 */
#include <math.h>

#include "bench_stages.h"
#include "mul/mul.h"

enum { LEAST_NS = 2000000 };

static double median(double *x, unsigned n)
{
    qsort(x, n, sizeof *x, by_value);
    return x[n / 2];
}

static void check(enum gfmul_status status)
{
    if (status != GFMUL_OK) {
        fprintf(stderr, "b-wrap: %s\n", gfmul_strerror(status));
        exit(1);
    }
}

static struct gfmul_ctx *context(enum plan_wrap wrap)
{
    struct gfmul_ctx *ctx;
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.threads = 1;
    opt.device = "cpu";
    opt.verify = GFMUL_VERIFY_NONE;
    check(gfmul_ctx_create(&ctx, &opt));
    ctx->wrap = wrap;
    return ctx;
}

/* timed - nanoseconds of one product; `times` of them are made. */
static double timed(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, const mp_limb_t *b, size_t n, unsigned times)
{
    const double start = cpu_ns();
    for (unsigned i = 0; i < times; i++)
        check(gfmul_mul(ctx, z, a, n, b, n));
    return (cpu_ns() - start) / times;
}

int main(int argc, char **argv)
{
    const double first = argc > 1 ? atof(argv[1]) : 1e4, last = argc > 2 ? atof(argv[2]) : 4e4;
    const double factor = 1.0 + (argc > 3 ? atof(argv[3]) : 1.0) / 100.0;
    const unsigned rounds = argc > 4 ? (unsigned)atoi(argv[4]) : 15;
    const size_t most = (size_t)last + 1;
    mp_limb_t *a = need(malloc(most * sizeof *a)), *b = need(malloc(most * sizeof *b)), *z = need(malloc(2 * most * sizeof *z));
    double *time[2] = {need(calloc(rounds, sizeof(double))), need(calloc(rounds, sizeof(double)))};
    double *ratio = need(calloc(rounds, sizeof(double)));
    struct gfmul_ctx *ctx[2] = {context(PLAN_WRAP_NEVER), context(PLAN_WRAP_CHEAPER)};
    double before[2] = {0, 0}, largest[2] = {0, 0}, gain = 0;
    unsigned sizes = 0, wrapped = 0;

    if (!(factor > 1.0) || rounds == 0 || !(first >= 1)) {
        fprintf(stderr, "usage: b-wrap [FIRST] [LAST] [PERCENT] [ROUNDS]\n");
        return 1;
    }
    gmp_randstate_t random;
    gmp_randinit_default(random);
    mpz_t x;
    mpz_init(x);
    for (unsigned i = 0; i < 2; i++) {
        mpz_urandomb(x, random, 64 * most);
        memset(i ? b : a, 0x5a, most * sizeof *a);
        mpz_export(i ? b : a, NULL, -1, sizeof *a, 0, 0, x);
    }
    printf("# limbs\tpoints\tl\tpoints_wrap\tl_wrap\twrap_limbs\tns\tns_wrap\tratio\tstep\tstep_wrap\n");
    for (double size = first; size <= last; size *= factor) {
        const size_t n = (size_t)size;
        struct gfmul_plan_info info[2];
        double ns[2];
        for (unsigned i = 0; i < 2; i++)
            check(gfmul_plan_limbs(ctx[i], &info[i], n, n));
        timed(ctx[1], z, a, b, n, 1); /* tables and memory */
        ns[0] = timed(ctx[0], z, a, b, n, 1);
        ns[0] = timed(ctx[0], z, a, b, n, 1);
        const unsigned times = ns[0] < LEAST_NS ? (unsigned)(LEAST_NS / ns[0]) + 1 : 1;
        for (unsigned r = 0; r < rounds; r++) {
            for (unsigned i = 0; i < 2; i++)
                time[(i + r) % 2][r] = timed(ctx[(i + r) % 2], z, a, b, n, times);
            ratio[r] = time[1][r] / time[0][r];
        }
        const double middle = info[1].wraps ? median(ratio, rounds) : 1.0; /* else the same plan */
        ns[0] = median(time[0], rounds);
        ns[1] = info[1].wraps ? ns[0] * middle : ns[0];
        printf("%zu\t%zu\t%u\t%zu\t%u\t%zu\t%.0f\t%.0f\t%.4f", n, info[0].n_points, info[0].exponent, info[1].n_points,
               info[1].exponent, info[1].wrap_limbs, ns[0], ns[1], middle);
        for (unsigned i = 0; i < 2; i++) {
            const double step = before[i] > 0 ? ns[i] / before[i] : 1.0;
            largest[i] = step > largest[i] ? step : largest[i];
            before[i] = ns[i];
            printf("\t%.4f", step);
        }
        putchar('\n');
        fflush(stdout);
        sizes++;
        wrapped += info[1].wraps != 0;
        gain += log(middle);
    }
    printf("# %u sizes, %u wrap; largest step %.4f, %.4f; mean of the ratios %.4f\n", sizes, wrapped, largest[0], largest[1],
           exp(gain / sizes));
    for (unsigned i = 0; i < 2; i++) {
        gfmul_ctx_destroy(ctx[i]);
        free(time[i]);
    }
    mpz_clear(x);
    gmp_randclear(random);
    free(ratio);
    free(z);
    free(b);
    free(a);
    return 0;
}
