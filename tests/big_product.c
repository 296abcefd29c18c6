/* big_product.c - one product of random limbs of any size: its plan, its time, its memory; checked modulo random numbers. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "gfmul.h"
#include "operands.h"

static double peak_gb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024e-9;
}

/* same_residues - z = a b modulo some odd numbers, by GMP's division. */
static bool same_residues(const mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    static const mp_limb_t moduli[] = {0xffffffffffffffc5u, 0xe37fe6c3b4a4c1d3u, 0x9e3779b97f4a7c15u};
    for (size_t i = 0; i < sizeof moduli / sizeof *moduli; i++) {
        const mp_limb_t m = moduli[i], x = mpn_mod_1(a, (mp_size_t)an, m), y = mpn_mod_1(b, (mp_size_t)bn, m);
        if ((mp_limb_t)((unsigned __int128)x * y % m) != mpn_mod_1(z, (mp_size_t)(an + bn), m))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: big_product AN BN [MEMORY_LIMIT [THREADS]]   (limbs, limbs, bytes; numbers as 1e8)\n");
        return 2;
    }
    const size_t an = (size_t)strtod(argv[1], NULL), bn = (size_t)strtod(argv[2], NULL);
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    struct gfmul_report report;
    char plan[2000];
    gfmul_options_init(&opt);
    opt.memory_limit = argc > 3 ? (size_t)strtod(argv[3], NULL) : 0;
    opt.threads = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
    opt.engine = GFMUL_ENGINE_CPU;
    if (gfmul_ctx_create(&ctx, &opt) != GFMUL_OK)
        return 1;
    if (gfmul_plan_limbs(ctx, &report.plan, an, bn) != GFMUL_OK) {
        gfmul_ctx_report(ctx, &report);
        fprintf(stderr, "%s\n", report.detail);
        return 1;
    }
    gfmul_plan_print(&report.plan, plan, sizeof plan);
    printf("%s\n", plan);
    fflush(stdout);
    mp_limb_t *a = malloc(an * sizeof *a), *b = malloc(bn * sizeof *b), *z = malloc((an + bn) * sizeof *z);
    if (!a || !b || !z) {
        fprintf(stderr, "no memory for the numbers\n");
        return 1;
    }
    operand_fill(a, an, OPERAND_RANDOM, 12, clock_ns());
    operand_fill(b, bn, OPERAND_RANDOM, 12, ~clock_ns());
    const uint64_t start = clock_ns();
    const enum gfmul_status status = gfmul_mul(ctx, z, a, an, b, bn);
    const double seconds = (double)(clock_ns() - start) * 1e-9;
    gfmul_ctx_report(ctx, &report);
    if (status != GFMUL_OK) {
        fprintf(stderr, "%s: %s\n", gfmul_strerror(status), report.detail);
        return 1;
    }
    const bool good = same_residues(z, a, an, b, bn);
    printf("%.3f s; proved bound %.6f, error met %.3g, %u fall-backs; residue check %s; peak memory of the process %.3f GB\n",
           seconds, report.plan.bound, report.max_error, report.n_fallbacks, good ? "passed" : "FAILED", peak_gb());
    gfmul_ctx_destroy(ctx);
    free(a);
    free(b);
    free(z);
    return good ? 0 : 1;
}
