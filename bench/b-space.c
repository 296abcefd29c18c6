/*
 * b-space.c - sums of products in a space, against as many products and additions; spaces modulo B^n - 1 and B^n + 1.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "gfmul_arith.h"

enum { PRODUCTS_MOST = 1024, MAX_WORKS = 3 };
enum { OPT_PRODUCTS = BENCH_OPT_OWN, OPT_RINGS, OPT_PRIMES };

static struct {
    struct size_options range;
    size_t products;
    bool rings, primes;
} wish = {.range = {.from = 1000, .to = 1000000, .per_decade = 1, .balance_a = 1, .balance_b = 1}, .products = 2};

static const struct option own_options[] = {
    BENCH_SIZE_OPTIONS,
    {"products", required_argument, NULL, OPT_PRODUCTS},
    {"rings", no_argument, NULL, OPT_RINGS},
    {"primes", no_argument, NULL, OPT_PRIMES},
    {NULL, 0, NULL, 0},
};

static const char usage[] = "Usage: b-space [OPTION]...\n"
                            "Time sums of products of n by n limbs in a space, against products and additions.\n"
                            "\n"
                            "      --products K       K products (default 2, at most 1024)\n"
                            "      --rings            sums modulo B^n - 1 and B^n + 1, next sizes, against those of 2 n limbs\n"
                            "      --primes           all modulo primes\n"
                            "      --from N           n from N (default 1e3)\n"
                            "      --to N             to N (default 1e6)\n"
                            "      --per-decade X     X sizes for each factor 10 (default 1)\n"
                            "      --sizes LIST       these sizes instead: 1e3,3e3,1e4\n";

static void option_take(int value, const char *arg)
{
    if (value == OPT_PRODUCTS)
        wish.products = strtoul(arg, NULL, 10);
    else if (value == OPT_RINGS)
        wish.rings = true;
    else if (value == OPT_PRIMES)
        wish.primes = true;
    else
        size_options_take(&wish.range, value, arg);
}

/* The numbers of one size: pair i is the limbs of a and of b from i on. */
static struct {
    struct gfmul_ctx *ctx;
    struct gfmul_space *space;
    size_t n;
    mp_limb_t *a, *b, *z, *product; /* z, product: 2 n + 1 limbs */
    struct gfmul_spectrum *kept[PRODUCTS_MOST], *x, *y, *sum; /* kept: of a */
} now;

/* check - end the program after an error. */
static void check(enum gfmul_status status)
{
    if (status != GFMUL_OK)
        bench_fail("%s", gfmul_strerror(status));
}

static bool run_products(void *arg, size_t calls)
{
    const size_t n = now.n;
    (void)arg;
    for (; calls > 0; calls--)
        for (size_t i = 0; i < wish.products; i++) {
            check(gfmul_mul(now.ctx, i == 0 ? now.z : now.product, now.a + i, n, now.b + i, n));
            if (i == 0)
                now.z[2 * n] = 0;
            else
                now.z[2 * n] += mpn_add_n(now.z, now.z, now.product, (mp_size_t)(2 * n));
        }
    return true;
}

/* sum_read - the value of the sum into z; x and y are not needed any more. */
static void sum_read(mp_limb_t *z)
{
    check(gfmul_spectrum_set(now.x, NULL, 0));
    check(gfmul_spectrum_set(now.y, NULL, 0));
    check(gfmul_spectrum_get(now.sum, z, 2 * now.n + 1, NULL));
}

/* run_new - all numbers are new. */
static bool run_new(void *arg, size_t calls)
{
    (void)arg;
    for (; calls > 0; calls--) {
        check(gfmul_spectrum_set(now.sum, NULL, 0));
        for (size_t i = 0; i < wish.products; i++) {
            check(gfmul_spectrum_set(now.x, now.a + i, now.n));
            check(gfmul_spectrum_set(now.y, now.b + i, now.n));
            check(gfmul_spectrum_addmul(now.sum, now.x, now.y));
        }
        sum_read(now.product);
    }
    return true;
}

/* run_kept - one side of the products is kept from call to call. */
static bool run_kept(void *arg, size_t calls)
{
    (void)arg;
    for (; calls > 0; calls--) {
        check(gfmul_spectrum_set(now.sum, NULL, 0));
        for (size_t i = 0; i < wish.products; i++) {
            check(gfmul_spectrum_set(now.y, now.b + i, now.n));
            check(gfmul_spectrum_addmul(now.sum, now.kept[i], now.y));
        }
        sum_read(now.product);
    }
    return true;
}

/* sums_compare - whether both ways give what the products give; this also makes what is kept. */
static void sums_compare(void)
{
    run_products(NULL, 1);
    run_new(NULL, 1);
    bool same = mpn_cmp(now.z, now.product, (mp_size_t)(2 * now.n + 1)) == 0;
    run_kept(NULL, 1);
    same = same && mpn_cmp(now.z, now.product, (mp_size_t)(2 * now.n + 1)) == 0;
    if (!same)
        bench_fail("a sum is wrong");
}

static void size_measure(const struct bench_settings *s, size_t n)
{
    struct contestant c[MAX_WORKS] = {{.name = "products", .run = run_products},
                                      {.name = "sum_new", .run = run_new},
                                      {.name = "sum_kept", .run = run_kept}};
    now.n = n;
    now.a = operand_make(s, n + wish.products, 0);
    now.b = operand_make(s, n + wish.products, 1);
    now.z = bench_alloc(2 * n + 1, sizeof *now.z);
    now.product = bench_alloc(2 * n + 1, sizeof *now.z);
    check(gfmul_space_create(now.ctx, &now.space, 2 * n + 1, wish.products));
    check(gfmul_spectrum_create(now.space, &now.x));
    check(gfmul_spectrum_create(now.space, &now.y));
    check(gfmul_spectrum_create(now.space, &now.sum));
    for (size_t i = 0; i < wish.products; i++) {
        check(gfmul_spectrum_create(now.space, &now.kept[i]));
        check(gfmul_spectrum_set(now.kept[i], now.a + i, n));
    }
    sums_compare();
    bench_measure(c, MAX_WORKS, s, s->seconds, s->rounds);
    for (size_t i = 0; i < MAX_WORKS; i++)
        printf("%zu\t%zu\t%s\t%.1f\t%.1f\t%.4f\t%zu\n", n, wish.products, c[i].name, c[i].median_ns, c[i].min_ns, c[i].ratio,
               c[i].rounds);
    fflush(stdout);
    contestants_free(c, MAX_WORKS);
    for (size_t i = 0; i < wish.products; i++)
        gfmul_spectrum_destroy(now.kept[i]);
    gfmul_spectrum_destroy(now.sum);
    gfmul_spectrum_destroy(now.y);
    gfmul_spectrum_destroy(now.x);
    gfmul_space_destroy(now.space);
    free(now.product);
    free(now.z);
    free(now.b);
    free(now.a);
}

/* ---- rings ---- */

/* A space, and what a sum of products in it works on. */
struct ring_work {
    struct gfmul_space *space;
    struct gfmul_spectrum *x, *y, *sum;
    size_t n, zn; /* limbs of an operand, and of a result */
    mp_limb_t *z;
};

/* run_sum - a sum of products of new numbers. */
static bool run_sum(void *arg, size_t calls)
{
    struct ring_work *w = arg;
    for (; calls > 0; calls--) {
        check(gfmul_spectrum_set(w->sum, NULL, 0));
        for (size_t i = 0; i < wish.products; i++) {
            check(gfmul_spectrum_set(w->x, now.a + i, w->n));
            check(gfmul_spectrum_set(w->y, now.b + i, w->n));
            check(gfmul_spectrum_addmul(w->sum, w->x, w->y));
        }
        check(gfmul_spectrum_get(w->sum, w->z, w->zn, NULL));
    }
    return true;
}

/* sum_is_right - whether the sum of a ring is what GMP makes of it. */
static bool sum_is_right(struct ring_work *w, int wraps)
{
    mpz_t want, modulus, a, b;
    mpz_inits(want, modulus, NULL);
    mpz_setbit(modulus, 64 * w->n);
    (wraps > 0 ? mpz_add_ui : mpz_sub_ui)(modulus, modulus, 1);
    for (size_t i = 0; i < wish.products; i++)
        mpz_addmul(want, mpz_roinit_n(a, now.a + i, (mp_size_t)w->n), mpz_roinit_n(b, now.b + i, (mp_size_t)w->n));
    if (wraps != 0)
        mpz_mod(want, want, modulus);
    run_sum(w, 1);
    const bool right = mpz_cmp(want, mpz_roinit_n(a, w->z, (mp_size_t)w->zn)) == 0;
    mpz_clears(want, modulus, NULL);
    return right;
}

/* rings_measure - whole sums of n by n limbs, against those modulo the next sizes. */
static void rings_measure(const struct bench_settings *s, size_t n)
{
    static const int wraps[MAX_WORKS] = {0, -1, 1};
    struct contestant c[MAX_WORKS] = {{.name = "sum"}, {.name = "bnm1"}, {.name = "bnp1"}};
    struct ring_work work[MAX_WORKS] = {{.n = n},
                                        {.n = gfmul_space_bnm1_next_size(now.ctx, n, wish.products)},
                                        {.n = gfmul_space_bnp1_next_size(now.ctx, n, wish.products)}};
    const size_t longest = work[1].n > work[2].n ? work[1].n : work[2].n;
    now.a = operand_make(s, longest + wish.products, 0);
    now.b = operand_make(s, longest + wish.products, 1);
    for (unsigned i = 0; i < MAX_WORKS; i++) {
        struct ring_work *w = &work[i];
        check(wraps[i] == 0  ? gfmul_space_create(now.ctx, &w->space, 2 * n + 1, wish.products)
              : wraps[i] < 0 ? gfmul_space_create_bnm1(now.ctx, &w->space, w->n, wish.products)
                             : gfmul_space_create_bnp1(now.ctx, &w->space, w->n, wish.products));
        w->zn = gfmul_space_limbs(w->space);
        w->z = bench_alloc(w->zn, sizeof *w->z);
        check(gfmul_spectrum_create(w->space, &w->x));
        check(gfmul_spectrum_create(w->space, &w->y));
        check(gfmul_spectrum_create(w->space, &w->sum));
        if (!sum_is_right(w, wraps[i]))
            bench_fail("a sum is wrong");
        c[i].run = run_sum;
        c[i].arg = w;
    }
    bench_measure(c, MAX_WORKS, s, s->seconds, s->rounds);
    for (unsigned i = 0; i < MAX_WORKS; i++) {
        struct ring_work *w = &work[i];
        printf("%zu\t%zu\t%s\t%.1f\t%.1f\t%.4f\t%zu\n", w->n, wish.products, c[i].name, c[i].median_ns, c[i].min_ns,
               c[i].ratio, c[i].rounds);
        gfmul_spectrum_destroy(w->sum);
        gfmul_spectrum_destroy(w->y);
        gfmul_spectrum_destroy(w->x);
        gfmul_space_destroy(w->space);
        free(w->z);
    }
    fflush(stdout);
    contestants_free(c, MAX_WORKS);
    free(now.b);
    free(now.a);
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "b-space", .usage = usage, .own = own_options, .take = option_take, .seconds = 1, .rounds = 7};
    struct bench_settings s;

    bench_options_parse(&s, &program, argc, argv);
    size_options_finish(&wish.range);
    if (wish.products < 1 || wish.products > PRODUCTS_MOST)
        usage_fail("--products=%zu: 1 to %d", wish.products, (int)PRODUCTS_MOST);
    if (wish.primes)
        s.library.precision = GFMUL_PRECISION_PRIME;
    provenance_print(&s, argc, argv);
    if (gfmul_ctx_create(&now.ctx, &s.library) != GFMUL_OK)
        bench_fail("no context");
    printf("# what: sums of products of n by n limbs; ns of one call; ratio: median of time / first work's in the same round\n"
           "n\tproducts\twork\tmedian_ns\tmin_ns\tratio\trounds\n");
    for (size_t i = 0; i < wish.range.sizes.count; i++)
        (wish.rings ? rings_measure : size_measure)(&s, wish.range.sizes.n[i]);
    gfmul_ctx_destroy(now.ctx);
    free(wish.range.sizes.n);
    return fclose(stdout) == 0 ? 0 : 1;
}
