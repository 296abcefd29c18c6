/*
 * b-above.c - what stands above a product: parts of products against the whole product; the rest against GMP's.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "above.h"
#include "bench_flint.h"

enum { OPT_WORK = BENCH_OPT_OWN, OPT_FLINT, MAX_CONTESTANTS = 8 };

static struct {
    struct size_options range;
    const char *work, *flint;
} wish = {.range = {.from = 10000, .to = 1000000, .per_decade = 1, .balance_a = 1, .balance_b = 1}, .work = "parts"};

static const struct option own_options[] = {
    BENCH_SIZE_OPTIONS,
    {"work", required_argument, NULL, OPT_WORK},
    {"flint", required_argument, NULL, OPT_FLINT},
    {NULL, 0, NULL, 0},
};

static const char usage[] = "Usage: b-above [OPTION]...\n"
                            "Time what stands above a product of limbs.\n"
                            "\n"
                            "      --work NAME        parts: of products of n by n limbs, against the whole product (default)\n"
                            "                         divide: of 2 n by n limbs, against GMP's quotient\n"
                            "                         root: roots of n limbs, against GMP's\n"
                            "                         powm: powers of 256 bits modulo n limbs, against GMP's\n"
                            "                         tree: products of n moduli of 2048 bits, remainders modulo them\n"
                            "                         gcd: their batch GCD; both against the same trees by GMP\n"
                            "                         to_text, from_text: n limbs and decimal text, against GMP's\n"
                            "      --flint PATH       libflint.so, adds FLINT's integers, except for parts\n"
                            "      --from N           n from N (default 1e4)\n"
                            "      --to N             to N (default 1e6)\n"
                            "      --per-decade X     X sizes for each factor 10 (default 1)\n"
                            "      --sizes LIST       these sizes instead: 1e3,3e3,1e4\n";

static void option_take(int value, const char *arg)
{
    if (value == OPT_WORK)
        wish.work = arg;
    else if (value == OPT_FLINT)
        wish.flint = arg;
    else
        size_options_take(&wish.range, value, arg);
}

struct above_numbers now;
struct above_tree tree;

static enum gfmul_status work_product(void)
{
    return gfmul_mul(now.ctx, now.z, now.a, now.n, now.b, now.n);
}

static enum gfmul_status work_low(void)
{
    return gfmul_mullow(now.ctx, now.z, now.n, now.a, now.n, now.b, now.n);
}

static enum gfmul_status work_high(void)
{
    return gfmul_mulhigh(now.ctx, now.z, now.n, now.a, now.n, now.b, now.n);
}

static enum gfmul_status work_product_long(void)
{
    return gfmul_mul(now.ctx, now.z, now.a, 2 * now.n - 1, now.b, now.n);
}

static enum gfmul_status work_middle(void)
{
    return gfmul_mulmid(now.ctx, now.z, now.a, 2 * now.n - 1, now.b, now.n);
}

static enum gfmul_status work_minus(void)
{
    return gfmul_mulmod_bnm1(now.ctx, now.z, now.minus, now.a, now.n, now.b, now.n);
}

static enum gfmul_status work_plus(void)
{
    return gfmul_mulmod_bnp1(now.ctx, now.z, now.plus, now.a, now.n, now.b, now.n);
}

static enum gfmul_status work_gmp_quotient(void)
{
    mpn_tdiv_qr(now.z, now.z + now.n + 1, 0, now.a, (mp_size_t)(2 * now.n), now.b, (mp_size_t)now.n);
    return GFMUL_OK;
}

static enum gfmul_status work_quotient(void)
{
    return gfmul_tdiv_qr(now.ctx, now.z, now.z + now.n + 1, now.a, 2 * now.n, now.b, now.n);
}

static enum gfmul_status work_divisor(void)
{
    return gfmul_divisor_tdiv_qr(now.divisor, now.z, now.z + now.n + 1, now.a, 2 * now.n);
}

static enum gfmul_status work_exact(void)
{
    return gfmul_divexact(now.ctx, now.z, now.multiple, 2 * now.n, now.b, now.n);
}

static enum gfmul_status work_inverse(void)
{
    return gfmul_invert_approx(now.ctx, now.z, now.b, now.n);
}

static enum gfmul_status work_gmp_root(void)
{
    mpn_sqrtrem(now.z, now.z + now.n, now.a, (mp_size_t)(2 * now.n));
    return GFMUL_OK;
}

static enum gfmul_status work_root(void)
{
    return gfmul_sqrtrem(now.ctx, now.z, now.z + now.n, now.a, 2 * now.n);
}

static enum gfmul_status work_gmp_power(void)
{
    mpz_t a, e, m;
    mpz_powm(now.power, mpz_roinit_n(a, now.a, (mp_size_t)now.n), mpz_roinit_n(e, now.b + now.n - POWER_LIMBS, POWER_LIMBS),
             mpz_roinit_n(m, now.b, (mp_size_t)now.n));
    return GFMUL_OK;
}

static enum gfmul_status work_power(void)
{
    return gfmul_powm(now.ctx, now.z, now.a, now.n, now.b + now.n - POWER_LIMBS, POWER_LIMBS, now.b, now.n);
}

static enum gfmul_status work_modulus(void)
{
    return gfmul_modulus_powm(now.modulus, now.z, now.a, now.n, now.b + now.n - POWER_LIMBS, POWER_LIMBS);
}

/* ---- trees over many moduli ---- */

static mpz_ptr integers_make(size_t n)
{
    mpz_ptr p = bench_alloc(n, sizeof *p);
    for (size_t i = 0; i < n; i++)
        mpz_init(&p[i]);
    return p;
}

static void integers_free(mpz_ptr p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mpz_clear(&p[i]);
    free(p);
}

size_t tree_nodes(size_t level)
{
    return ((tree.n - 1) >> level) + 1;
}

/* is_tree - whether the work needs trees, whose n is that of the moduli. */
static bool is_tree(void)
{
    return strcmp(wish.work, "tree") == 0 || strcmp(wish.work, "gcd") == 0;
}

static void tree_make(const struct bench_settings *s, size_t n)
{
    mp_limb_t *limbs = operand_make(s, n * MODULUS_LIMBS, 2);
    mpz_t x;
    tree.n = n;
    tree.modulus = integers_make(n);
    tree.result = integers_make(n);
    mpz_init(tree.number);
    for (size_t i = 0; i < n; i++) {
        limbs[(i + 1) * MODULUS_LIMBS - 1] |= (mp_limb_t)1 << 63;
        limbs[i * MODULUS_LIMBS] |= 1;
        mpz_set(&tree.modulus[i], mpz_roinit_n(x, limbs + i * MODULUS_LIMBS, MODULUS_LIMBS));
    }
    mpz_set(tree.number, mpz_roinit_n(x, limbs, (mp_size_t)(n * MODULUS_LIMBS)));
    for (tree.levels = 0; tree.levels == 0 || tree_nodes(tree.levels - 1) > 1; tree.levels++) {
        tree.product[tree.levels] = integers_make(tree_nodes(tree.levels));
        tree.rest[tree.levels] = integers_make(tree_nodes(tree.levels));
    }
    free(limbs);
}

static void tree_free(void)
{
    for (size_t k = 0; k < tree.levels; k++) {
        integers_free(tree.product[k], tree_nodes(k));
        integers_free(tree.rest[k], tree_nodes(k));
    }
    integers_free(tree.modulus, tree.n);
    integers_free(tree.result, tree.n);
    mpz_clear(tree.number);
}

static void gmp_products(void)
{
    for (size_t i = 0; i < tree.n; i++)
        mpz_set(&tree.product[0][i], &tree.modulus[i]);
    for (size_t k = 1; k < tree.levels; k++)
        for (size_t j = 0; j < tree_nodes(k); j++) {
            mpz_ptr left = &tree.product[k - 1][2 * j];
            if (2 * j + 1 < tree_nodes(k - 1))
                mpz_mul(&tree.product[k][j], left, left + 1);
            else
                mpz_set(&tree.product[k][j], left);
        }
}

/* gmp_remainders - from a number to its remainders modulo the products or, for batch GCD, their squares. */
static void gmp_remainders(mpz_srcptr a, bool squares)
{
    mpz_t square;
    mpz_init(square);
    mpz_set(&tree.rest[tree.levels - 1][0], a);
    for (size_t k = tree.levels; k-- > 0;)
        for (size_t j = 0; j < tree_nodes(k); j++) {
            mpz_srcptr from = k + 1 == tree.levels ? a : &tree.rest[k + 1][j / 2];
            if (squares)
                mpz_mul(square, &tree.product[k][j], &tree.product[k][j]);
            mpz_tdiv_r(&tree.rest[k][j], from, squares ? square : &tree.product[k][j]);
        }
    mpz_clear(square);
}

static enum gfmul_status work_gmp_tree(void)
{
    gmp_products();
    gmp_remainders(tree.number, false);
    return GFMUL_OK;
}

static enum gfmul_status work_gmp_gcd(void)
{
    gmp_products();
    gmp_remainders(&tree.product[tree.levels - 1][0], true);
    for (size_t i = 0; i < tree.n; i++) {
        mpz_divexact(&tree.result[i], &tree.rest[0][i], &tree.modulus[i]);
        mpz_gcd(&tree.result[i], &tree.result[i], &tree.modulus[i]);
    }
    return GFMUL_OK;
}

static enum gfmul_status work_tree(void)
{
    struct gfmul_tree *kept;
    enum gfmul_status status = gfmul_product_tree(now.ctx, &kept, tree.modulus, tree.n);
    if (status == GFMUL_OK)
        status = gfmul_remainder_tree(kept, tree.result, tree.number);
    gfmul_tree_destroy(kept);
    return status;
}

static enum gfmul_status work_gcd(void)
{
    return gfmul_batch_gcd(now.ctx, tree.result, tree.modulus, tree.n);
}

/* text_make - b in decimal. */
static void text_make(void)
{
    const size_t size = gfmul_get_str_size(now.n, 10);
    now.text = bench_alloc(size + 8, 2);
    now.room = now.text + size + 8;
    if (gfmul_get_str(now.ctx, now.text, size, &now.length, 10, now.b, now.n) != GFMUL_OK)
        bench_fail("no text");
}

static enum gfmul_status work_gmp_to_text(void)
{
    mpz_t x;
    mpz_get_str(now.room, 10, mpz_roinit_n(x, now.b, (mp_size_t)now.n));
    return GFMUL_OK;
}

static enum gfmul_status work_to_text(void)
{
    return gfmul_get_str(now.ctx, now.room, gfmul_get_str_size(now.n, 10), NULL, 10, now.b, now.n);
}

static enum gfmul_status work_gmp_from_text(void)
{
    mpz_t x;
    mpz_init_set_str(x, now.text, 10);
    mpz_clear(x);
    return GFMUL_OK;
}

static enum gfmul_status work_from_text(void)
{
    size_t n;
    return gfmul_set_str(now.ctx, now.z, 3 * now.n, &n, NULL, now.text, now.length, 10);
}

/* The first one of a group is what the others are compared with. */
static const struct work works[] = {
    {"parts", "product", work_product},      {"parts", "low", work_low},       {"parts", "high", work_high},
    {"parts", "mod_bnm1", work_minus},       {"parts", "mod_bnp1", work_plus}, {"parts", "product_2n_n", work_product_long},
    {"parts", "middle_2n-1_n", work_middle}, {"divide", "gmp", work_gmp_quotient}, {"divide", "product", work_product},
    {"divide", "tdiv_qr", work_quotient},    {"divide", "divisor", work_divisor},  {"divide", "divexact", work_exact},
    {"divide", "invert", work_inverse},      {"root", "gmp", work_gmp_root},       {"root", "sqrtrem", work_root},
    {"powm", "gmp", work_gmp_power},         {"powm", "powm", work_power},         {"powm", "modulus", work_modulus},
    {"tree", "gmp", work_gmp_tree},          {"tree", "tree", work_tree},          {"gcd", "gmp", work_gmp_gcd},
    {"gcd", "batch_gcd", work_gcd},          {"to_text", "gmp", work_gmp_to_text}, {"to_text", "get_str", work_to_text},
    {"from_text", "gmp", work_gmp_from_text}, {"from_text", "set_str", work_from_text},
};
enum { WORKS = sizeof works / sizeof *works };

static bool work_run(void *arg, size_t calls)
{
    const struct work *w = arg;
    for (size_t i = 0; i < calls; i++) {
        const enum gfmul_status status = w->call();
        if (status != GFMUL_OK) {
            fprintf(stderr, "b-above: %s: %s\n", w->name, gfmul_strerror(status));
            return false;
        }
    }
    return true;
}

/* flint_add - FLINT's work of this group behind count contestants, after its result has been compared.   Value: 0 or 1. */
static size_t flint_add(struct contestant *c, size_t count)
{
    flint_numbers_make(is_tree());
    for (size_t i = 0; count > 0 && i < FLINT_WORKS; i++)
        if (strcmp(flint_works[i].group, wish.work) == 0) {
            c[count] = (struct contestant){
                .name = "flint", .run = work_run, .arg = (void *)(uintptr_t)&flint_works[i], .gives_back = true};
            if (!work_run(c[0].arg, 1) || !work_run(c[count].arg, 1))
                exit(1);
            flint_results_compare(wish.work);
            return 1;
        }
    return 0;
}

static void size_measure(const struct bench_settings *s, size_t n)
{
    struct contestant c[MAX_CONTESTANTS];
    size_t count = 0;
    now.n = n;
    now.minus = gfmul_mulmod_bnm1_next_size(now.ctx, n);
    now.plus = gfmul_mulmod_bnp1_next_size(now.ctx, n);
    now.a = operand_make(s, 2 * n, 0);
    now.b = operand_make(s, n, 1);
    now.b[n - 1] |= (mp_limb_t)1 << 63;
    now.b[0] |= 1; /* GMP's powers modulo odd numbers are faster */
    mpz_init(now.power);
    now.z = bench_alloc(3 * n + 64, sizeof *now.z);
    now.multiple = bench_alloc(2 * n, sizeof *now.z);
    if (gfmul_mul(now.ctx, now.multiple, now.a, n, now.b, n) != GFMUL_OK ||
        gfmul_divisor_create(now.ctx, &now.divisor, now.b, n, 2 * n) != GFMUL_OK ||
        gfmul_modulus_create(now.ctx, &now.modulus, now.b, n) != GFMUL_OK)
        bench_fail("no numbers to divide");
    text_make();
    if (is_tree())
        tree_make(s, n);
    memset(c, 0, sizeof c);
    for (size_t i = 0; i < WORKS; i++)
        if (strcmp(works[i].group, wish.work) == 0)
            c[count++] = (struct contestant){.name = works[i].name,
                                             .run = work_run,
                                             .arg = (void *)(uintptr_t)&works[i],
                                             .gives_back = strcmp(works[i].name, "gmp") != 0};
    if (wish.flint)
        count += flint_add(c, count);
    if (count == 0)
        usage_fail("--work=%s: there is no such work", wish.work);
    bench_measure(c, count, s, s->seconds, s->rounds);
    for (size_t i = 0; i < count; i++)
        printf("%zu\t%s\t%.1f\t%.1f\t%.4f\t%zu\n", n, c[i].name, c[i].median_ns, c[i].min_ns, c[i].ratio, c[i].rounds);
    fflush(stdout);
    contestants_free(c, count);
    if (wish.flint)
        flint_numbers_free(is_tree());
    if (is_tree())
        tree_free();
    gfmul_modulus_destroy(now.modulus);
    gfmul_divisor_destroy(now.divisor);
    mpz_clear(now.power);
    free(now.text);
    free(now.multiple);
    free(now.z);
    free(now.b);
    free(now.a);
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "b-above", .usage = usage, .own = own_options, .take = option_take, .seconds = 1, .rounds = 7};
    struct bench_settings s;

    bench_options_parse(&s, &program, argc, argv);
    size_options_finish(&wish.range);
    provenance_print(&s, argc, argv);
    if (wish.flint)
        flint_open(wish.flint, s.library.threads);
    if (gfmul_ctx_create(&now.ctx, &s.library) != GFMUL_OK)
        bench_fail("no context");
    printf("# what: %s; ns of one call; ratio: median of time / the first one's in the same round\n"
           "n\twork\tmedian_ns\tmin_ns\tratio\trounds\n",
           wish.work);
    for (size_t i = 0; i < wish.range.sizes.count; i++)
        size_measure(&s, wish.range.sizes.n[i]);
    gfmul_ctx_destroy(now.ctx);
    free(wish.range.sizes.n);
    return fclose(stdout) == 0 ? 0 : 1;
}
