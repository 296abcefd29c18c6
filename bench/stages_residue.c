/*
 * stages_residue.c - the check by residues: what more primes cost, and what drawing them costs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 *   b-stages residue [ROUNDS] [LIMBS]...
 *
 * ROUNDS (15) of balanced products of so many limbs each (1e4 1e5 1e6 1e7) by rule checked, in one thread.
 *
 * Behind each product its three numbers' residues are taken once more, by 1 to 4 primes in turns.  Times are the thread's.
 * A line of TSV a size: the primes that rule checked takes there, the median of its product's time, and those of the residues by
 * 1 to 4 primes; what its primes after the first cost in per cent of the product; the time of a draw of as many primes with their
 * tables, likewise; and whether products of that size draw.
 */
#include "bench_parts.h"

#include "base/cpu.h"
#include "base/random.h"
#include "bench_stages.h"
#include "median.h"
#include "mul/mul_verify.h"

enum { MOST_ROUNDS = 101, MOST_PRIMES = 4, LEAST_NS = 2000000, LONG_NS = 1000000000 };

static void check(enum gfmul_status status)
{
    if (status != GFMUL_OK) {
        fprintf(stderr, "b-stages residue: %s\n", gfmul_strerror(status));
        exit(1);
    }
}

static struct gfmul_ctx *context(void)
{
    struct gfmul_ctx *ctx;
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.threads = 1;
    opt.device = "cpu";
    opt.engine = GFMUL_ENGINE_CPU;
    opt.rule = GFMUL_RULE_CHECKED;
    check(gfmul_ctx_create(&ctx, &opt));
    return ctx;
}

/* draw_ns - of n primes and their tables. */
static double draw_ns(const struct gfmul_ctx *ctx, unsigned n)
{
    static struct residue_modulus m[RESIDUE_PRIMES_MAX];
    uint64_t p[RESIDUE_PRIMES_MAX];
    enum { TIMES = 200 };
    const double start = cpu_ns();
    for (unsigned i = 0; i < TIMES; i++) {
        if (!residue_primes_draw(ctx->prime_bits, p, n))
            exit(1);
        for (unsigned k = 0; k < n; k++)
            residue_modulus_set(&m[k], p[k], ctx->ops->isa_bit);
    }
    return (cpu_ns() - start) / TIMES;
}

struct operands {
    struct gfmul_ctx *ctx;
    mp_limb_t *a, *b, *z;
    struct residue_modulus m[MOST_PRIMES];
};

/* sample - times of a product and of its residues by so many primes. */
static void sample(const struct operands *o, size_t n, unsigned primes, unsigned times, double *product, double *residues)
{
    uint64_t r[RESIDUE_PRIMES_MAX];
    const bool in_memory = 2 * n >= MUL_MEMORY_LIMBS;
    *product = *residues = 0;
    for (unsigned k = 0; k < times; k++) {
        const double start = cpu_ns();
        check(gfmul_mul(o->ctx, o->z, o->a, n, o->b, n));
        const double there = cpu_ns();
        residue_limbs(r, o->a, n, o->m, primes, in_memory, 1);
        residue_limbs(r, o->b, n, o->m, primes, in_memory, 1);
        residue_limbs(r, o->z, 2 * n, o->m, primes, in_memory, 1);
        *product += (there - start) / times;
        *residues += (cpu_ns() - there) / times;
    }
}

static void size_run(const struct operands *o, size_t n, unsigned rounds)
{
    static double product[MOST_ROUNDS * MOST_PRIMES], residues[MOST_PRIMES][MOST_ROUNDS], draw[MOST_ROUNDS];
    struct gfmul_report report;
    double ns, unused, by[MOST_PRIMES];
    sample(o, n, 1, 1, &ns, &unused); /* tables and memory */
    if (ns < LONG_NS)
        sample(o, n, 1, 1, &ns, &unused);
    const unsigned times = ns < LEAST_NS ? (unsigned)(LEAST_NS / ns) + 1 : 1;
    gfmul_ctx_report(o->ctx, &report);
    for (unsigned r = 0; r < rounds; r++) {
        for (unsigned k = 0; k < MOST_PRIMES; k++) {
            const unsigned i = (k + r) % MOST_PRIMES;
            sample(o, n, i + 1, times, &product[r * MOST_PRIMES + i], &residues[i][r]);
        }
        draw[r] = draw_ns(o->ctx, report.n_residues);
    }
    const double checked = median_of(product, rounds * MOST_PRIMES);
    for (unsigned i = 0; i < MOST_PRIMES; i++)
        by[i] = median_of(residues[i], rounds);
    printf("%zu\t%u\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.2f\t%.0f\t%.3f\t%d\n", n, report.n_residues, checked, by[0], by[1], by[2],
           by[3], 100 * (by[report.n_residues - 1] - by[0]) / checked, median_of(draw, rounds),
           100 * median_of(draw, rounds) / checked, report.residues_drawn);
    fflush(stdout);
}

int stages_residue(int argc, char **argv)
{
    static const double usual[] = {1e4, 1e5, 1e6, 1e7};
    const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 15;
    const unsigned sizes = argc > 2 ? (unsigned)argc - 2 : sizeof usual / sizeof *usual;
    static struct operands o;
    size_t most = 0;
    if (rounds == 0 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "usage: b-stages residue [ROUNDS] [LIMBS]...\n");
        return 1;
    }
    for (unsigned i = 0; i < sizes; i++) {
        const size_t n = (size_t)(argc > 2 ? atof(argv[2 + i]) : usual[i]);
        most = n > most ? n : most;
    }
    o.a = need(malloc(most * sizeof *o.a));
    o.b = need(malloc(most * sizeof *o.b));
    o.z = need(malloc(2 * most * sizeof *o.z));
    mpn_random(o.a, (mp_size_t)most);
    mpn_random(o.b, (mp_size_t)most);
    uint64_t p[MOST_PRIMES];
    o.ctx = context();
    if (!residue_primes_draw(o.ctx->prime_bits, p, MOST_PRIMES))
        return 1;
    for (unsigned k = 0; k < MOST_PRIMES; k++)
        residue_modulus_set(&o.m[k], p[k], o.ctx->ops->isa_bit);
    printf(
        "# limbs\tprimes\tchecked_ns\tresidues_1_ns\tresidues_2_ns\tresidues_3_ns\tresidues_4_ns\tmore_primes_percent\tdraw_ns\t"
        "draw_percent\tdrawn\n");
    for (unsigned i = 0; i < sizes; i++)
        size_run(&o, (size_t)(argc > 2 ? atof(argv[2 + i]) : usual[i]), rounds);
    gfmul_ctx_destroy(o.ctx);
    free(o.z);
    free(o.b);
    free(o.a);
    return 0;
}
