/*
 * stages_wrap.c - products that may wrap around beside the same products that may not, size by size.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 *   b-stages wrap [FIRST] [LAST] [PERCENT] [ROUNDS]
 *
 * FIRST to LAST limbs (10000, 40000) by steps of PERCENT (1), ROUNDS (15).
 *
 * Balanced products of one thread on two contexts in turns, its processor time over 2 ms, unchecked.  A line of TSV a size: what
 * is planned, the medians of both times, the median of the ratios within a round, and the step from the size before in both: the
 * median of the ratios to that size's product, made again in each round, so that a clock that changes with time does not show.
 * GFMUL_DISABLE chooses the instruction set.  Last, the largest steps and the mean gain.
 */
#include "bench_parts.h"

#include <math.h>

#include "bench_stages.h"
#include "median.h"
#include "mul/ctx.h"

enum { LEAST_NS = 2000000, MOST_ROUNDS = 101 };

static void check(enum gfmul_status status)
{
    if (status != GFMUL_OK) {
        fprintf(stderr, "b-stages wrap: %s\n", gfmul_strerror(status));
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

/* A size: its plans, and what its products take in each round; without wrapping both contexts run the same plan. */
struct size {
    size_t n;
    struct gfmul_plan_info info[2];
    unsigned times;
    double *ns[2];
};

struct operands {
    struct gfmul_ctx *ctx[2];
    mp_limb_t *a, *b, *z;
};

static void size_set(struct size *s, const struct operands *o, size_t n)
{
    s->n = n;
    for (unsigned i = 0; i < 2; i++)
        check(gfmul_plan_limbs(o->ctx[i], &s->info[i], n, n));
    timed(o->ctx[1], o->z, o->a, o->b, n, 1); /* tables and memory */
    timed(o->ctx[0], o->z, o->a, o->b, n, 1);
    const double ns = timed(o->ctx[0], o->z, o->a, o->b, n, 1);
    s->times = ns < LEAST_NS ? (unsigned)(LEAST_NS / ns) + 1 : 1;
}

static void size_measure(struct size *s, const struct operands *o, unsigned round)
{
    for (unsigned k = 0; k < 2; k++) {
        const unsigned i = (k + round) % 2;
        if (i == 0 || s->info[1].wraps)
            s->ns[i][round] = timed(o->ctx[i], o->z, o->a, o->b, s->n, s->times);
    }
    if (!s->info[1].wraps)
        s->ns[1][round] = s->ns[0][round];
}

/* median_ratio - of x over y, round by round. */
static double median_ratio(const double *x, const double *y, unsigned rounds)
{
    double ratio[MOST_ROUNDS];
    for (unsigned r = 0; r < rounds; r++)
        ratio[r] = x[r] / y[r];
    return median_of(ratio, rounds);
}

/* median_kept - of numbers that stay in their order: those of a round belong together. */
static double median_kept(const double *x, unsigned rounds)
{
    double copy[MOST_ROUNDS];
    memcpy(copy, x, rounds * sizeof *x);
    return median_of(copy, rounds);
}

int stages_wrap(int argc, char **argv)
{
    const double first = argc > 1 ? atof(argv[1]) : 1e4, last = argc > 2 ? atof(argv[2]) : 4e4;
    const double factor = 1.0 + (argc > 3 ? atof(argv[3]) : 1.0) / 100.0;
    const unsigned rounds = argc > 4 ? (unsigned)atoi(argv[4]) : 15;
    const size_t most = (size_t)last + 1;
    if (!(factor > 1.0) || rounds == 0 || rounds > MOST_ROUNDS || !(first >= 1)) {
        fprintf(stderr, "usage: b-stages wrap [FIRST] [LAST] [PERCENT] [ROUNDS]\n");
        return 1;
    }
    struct operands o = {{context(PLAN_WRAP_NEVER), context(PLAN_WRAP_CHEAPER)},
                         need(malloc(most * sizeof(mp_limb_t))),
                         need(malloc(most * sizeof(mp_limb_t))),
                         need(malloc(2 * most * sizeof(mp_limb_t)))};
    struct size size[2]; /* this one and the one before, in turns */
    double largest[2] = {0, 0}, gain = 0;
    unsigned sizes = 0, wrapped = 0;
    for (unsigned i = 0; i < 4; i++)
        size[i / 2].ns[i % 2] = need(calloc(rounds, sizeof(double)));
    gmp_randstate_t random;
    gmp_randinit_default(random);
    mpz_t x;
    mpz_init(x);
    for (unsigned i = 0; i < 2; i++) {
        mpz_urandomb(x, random, 64 * most);
        memset(i ? o.b : o.a, 0x5a, most * sizeof *o.a);
        mpz_export(i ? o.b : o.a, NULL, -1, sizeof *o.a, 0, 0, x);
    }
    printf("# limbs\tpoints\tl\tpoints_wrap\tl_wrap\twrap_limbs\tns\tns_wrap\tratio\tstep\tstep_wrap\n");
    for (double limbs = first; limbs <= last; limbs *= factor, sizes++) {
        struct size *const s = &size[sizes % 2], *const before = &size[1 - sizes % 2];
        size_set(s, &o, (size_t)limbs);
        for (unsigned r = 0; r < rounds; r++) {
            if (sizes > 0)
                size_measure(before, &o, r);
            size_measure(s, &o, r);
        }
        const double ratio = median_ratio(s->ns[1], s->ns[0], rounds), ns = median_kept(s->ns[0], rounds);
        printf("%zu\t%zu\t%u\t%zu\t%u\t%zu\t%.0f\t%.0f\t%.4f", s->n, s->info[0].n_points, s->info[0].exponent,
               s->info[1].n_points, s->info[1].exponent, s->info[1].wrap_limbs, ns, ns * ratio, ratio);
        for (unsigned i = 0; i < 2; i++) {
            const double step = sizes > 0 ? median_ratio(s->ns[i], before->ns[i], rounds) : 1.0;
            largest[i] = step > largest[i] ? step : largest[i];
            printf("\t%.4f", step);
        }
        putchar('\n');
        fflush(stdout);
        wrapped += s->info[1].wraps != 0;
        gain += log(ratio);
    }
    printf("# %u sizes, %u wrap; largest step %.4f, %.4f; mean of the ratios %.4f\n", sizes, wrapped, largest[0], largest[1],
           exp(gain / sizes));
    for (unsigned i = 0; i < 4; i++)
        free(size[i / 2].ns[i % 2]);
    for (unsigned i = 0; i < 2; i++)
        gfmul_ctx_destroy(o.ctx[i]);
    mpz_clear(x);
    gmp_randclear(random);
    free(o.z);
    free(o.b);
    free(o.a);
    return 0;
}
