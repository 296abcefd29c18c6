/*
 * b-mul.c - products and squares of limbs: gfmul against GMP and FLINT, interleaved in one process.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_flint.h"

enum { OPT_SQUARE = BENCH_OPT_OWN, OPT_CONTESTANTS, OPT_FLINT };

enum { MAX_CONTESTANTS = 16 };

static struct {
    struct size_options range;
    bool square;
    const char *contestants, *flint;
} wish = {.range = {.from = 1000, .to = 1000000, .per_decade = 2, .balance_a = 1, .balance_b = 1}};

static const struct option own_options[] = {
    BENCH_SIZE_OPTIONS,
    {"square", no_argument, NULL, OPT_SQUARE},
    {"contestants", required_argument, NULL, OPT_CONTESTANTS},
    {"flint", required_argument, NULL, OPT_FLINT},
    {NULL, 0, NULL, 0},
};

static const char usage[] = "Usage: b-mul [OPTION]...\n"
                            "Time products of limbs.  Every product is compared with GMP's.\n"
                            "\n"
                            "      --from N           limbs of the longer operand, from N (default 1e3)\n"
                            "      --to N             to N (default 1e6)\n"
                            "      --per-decade X     X sizes for each factor 10 (default 2)\n"
                            "      --sizes LIST       these sizes instead: 1e3,3e3,1e4\n"
                            "      --balance A:B      the operands' sizes are as A to B (default 1:1)\n"
                            "      --square           squares\n"
                            "      --flint PATH       libflint.so, adds the contestant flint\n"
                            "      --contestants LIST beside gmp, which is always there (default gfmul, flint where given):\n"
                            "                         gfmul, fftw, flint, and gfmul with words: gfmul-avx2, gfmul-checked,\n"
                            "                         gfmul-prime, gfmul-unverified, gfmul-cpu,\n"
                            "                         gfmul-t2 (2 threads of --threads N),\n"
                            "                         gfmul-inline (gfmul_mul_inline),\n"
                            "                         with --square also gfmul-product (the operand times a copy);\n"
                            "                         several words as gfmul-avx2-checked\n";

static void option_take(int value, const char *arg)
{
    switch (value) {
    case OPT_SQUARE:
        wish.square = true;
        break;
    case OPT_CONTESTANTS:
        wish.contestants = arg;
        break;
    case OPT_FLINT:
        wish.flint = arg;
        break;
    default:
        size_options_take(&wish.range, value, arg);
        break;
    }
}

/* The contestants, GMP first. */
static struct multiplier multipliers[MAX_CONTESTANTS];
static size_t n_multipliers;

static void multipliers_make(const struct bench_settings *s)
{
    const char *names = wish.contestants ? wish.contestants : wish.flint ? "gfmul,flint" : "gfmul";
    char *copy = bench_alloc(strlen(names) + 1, 1), *rest = copy, *name;

    multiplier_make(&multipliers[n_multipliers++], "gmp", s);
    strcpy(copy, names);
    while ((name = strsep(&rest, ","))) {
        if (strcmp(name, "gmp") == 0)
            continue;
        if (n_multipliers == MAX_CONTESTANTS)
            usage_fail("more than %d contestants", MAX_CONTESTANTS);
        multiplier_make(&multipliers[n_multipliers++], name, s);
        if (multipliers[n_multipliers - 1].as_product && !wish.square)
            usage_fail("contestant '%s': it has a sense only with --square", name);
    }
    free(copy);
}

/* product_compare - one product of a contestant against the reference. */
static void product_compare(struct multiplier *m, const mp_limb_t *reference)
{
    const struct limb_product *p = &m->product;
    memset(p->z, 0x5a, (p->an + p->bn) * sizeof *p->z);
    if (!multiplier_run(m, 1))
        exit(1);
    if (mpn_cmp(p->z, reference, (mp_size_t)(p->an + p->bn)) != 0)
        bench_fail("%s, %zu by %zu limbs: the product differs from GMP's", m->name, p->an, p->bn);
}

static void row_print(const struct multiplier *m, const struct contestant *c)
{
    struct gfmul_report report;
    const struct gfmul_plan_info *plan = &report.plan;

    printf("%zu\t%zu\t%s\t%.1f\t%.1f\t%.4f\t%zu", m->product.an, m->product.bn, m->name, c->median_ns, c->min_ns, c->ratio,
           c->rounds);
    if (m->kind == MULTIPLIER_GFMUL) {
        gfmul_ctx_report(m->ctx, &report);
        if (plan->n_points)
            printf("\t%s%s%s\t%g\t%zu\t%zu\t%.3g\t%.3g\n", plan->engine, *plan->isa ? "/" : "", plan->isa, plan->l,
                   plan->n_points, plan->n_slices, plan->bound, report.max_error);
        else
            printf("\t%s\t-\t-\t-\t-\t-\n", plan->engine);
    } else
        printf("\t-\t-\t-\t-\t-\t-\n");
    fflush(stdout);
}

static void size_measure(const struct bench_settings *s, size_t n)
{
    size_t an, bn;
    size_options_pair(&wish.range, n, &an, &bn);
    mp_limb_t *a = operand_make(s, an, 0), *b = operand_make(s, bn, wish.square ? 0 : 1);
    mp_limb_t *z = bench_alloc(an + bn, sizeof *z), *reference = bench_alloc(an + bn, sizeof *z);
    struct contestant c[MAX_CONTESTANTS];

    memset(c, 0, sizeof c);
    for (size_t i = 0; i < n_multipliers; i++) {
        struct multiplier *m = &multipliers[i];
        bool square = wish.square && !m->as_product;
        m->product = (struct limb_product){.z = z, .a = a, .b = square ? a : b, .an = an, .bn = bn, .square = square};
        c[i] = (struct contestant){.name = m->name, .run = multiplier_run, .arg = m, .gives_back = m->kind != MULTIPLIER_GMP};
    }
    mpn_mul(reference, a, (mp_size_t)an, b, (mp_size_t)bn);
    for (size_t i = 1; i < n_multipliers; i++)
        product_compare(&multipliers[i], reference);
    bench_measure(c, n_multipliers, s, s->seconds, s->rounds);
    for (size_t i = 1; i < n_multipliers; i++) /* after all these calls as well */
        product_compare(&multipliers[i], reference);
    for (size_t i = 0; i < n_multipliers; i++)
        row_print(&multipliers[i], &c[i]);
    contestants_free(c, n_multipliers);
    free(reference);
    free(z);
    free(b);
    free(a);
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "b-mul", .usage = usage, .own = own_options, .take = option_take, .seconds = 1, .rounds = 7};
    struct bench_settings s;

    bench_options_parse(&s, &program, argc, argv);
    if (wish.square && wish.range.balance_a != wish.range.balance_b)
        usage_fail("a square has operands of one size");
    size_options_finish(&wish.range);

    provenance_print(&s, argc, argv);
    if (wish.flint)
        flint_open(wish.flint, s.library.threads);
    multipliers_make(&s);
    printf("# what: %s of limbs; ns of one call; ratio: median of time / GMP's time in the same round\n"
           "an\tbn\tcontestant\tmedian_ns\tmin_ns\tratio_to_gmp\trounds\tplan\tl\tpoints\tslices\tbound\tmax_error\n",
           wish.square ? "squares" : "products");
    for (size_t i = 0; i < wish.range.sizes.count; i++)
        size_measure(&s, wish.range.sizes.n[i]);
    for (size_t i = 0; i < n_multipliers; i++)
        multiplier_free(&multipliers[i]);
    free(wish.range.sizes.n);
    return fclose(stdout) == 0 ? 0 : 1;
}
