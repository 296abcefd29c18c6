/*
 * b-matrix.c - products of matrices in a space, against FLINT's and GMP's.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_flint.h"
#include "gfmul_arith.h"

enum { ENTRIES_MOST = 128 * 128, MAX_MATRIX_WORKS = 4 };
enum { OPT_DIMENSION = BENCH_OPT_OWN, OPT_FLINT, OPT_ONE_THREAD, OPT_SIGNS, OPT_ZEROS };

static struct {
    struct size_options range;
    size_t dimension;
    const char *flint;
    bool one_thread, signs;
    unsigned long zeros; /* percent */
} wish = {.range = {.from = 1000, .to = 10000, .per_decade = 1, .balance_a = 1, .balance_b = 1}, .dimension = 8};

static const struct option own_options[] = {
    BENCH_SIZE_OPTIONS,
    {"dimension", required_argument, NULL, OPT_DIMENSION},
    {"flint", required_argument, NULL, OPT_FLINT},
    {"one-thread", no_argument, NULL, OPT_ONE_THREAD},
    {"signs", no_argument, NULL, OPT_SIGNS},
    {"zeros", required_argument, NULL, OPT_ZEROS},
    {NULL, 0, NULL, 0},
};

static const char usage[] = "Usage: b-matrix [OPTION]...\n"
                            "Time products of square matrices whose entries have n limbs, by GMP, in a space and by FLINT.\n"
                            "\n"
                            "      --dimension D      D x D matrices (default 8, at most 128)\n"
                            "      --flint PATH       libflint.so, adds the contestant flint\n"
                            "      --one-thread       adds the contestant one_thread: a space of a single thread, for --threads\n"
                            "      --signs            half of the entries are negative\n"
                            "      --zeros P          about P percent of the entries are 0\n"
                            "      --from N           n from N (default 1e3)\n"
                            "      --to N             to N (default 1e4)\n"
                            "      --per-decade X     X sizes for each factor 10 (default 1)\n"
                            "      --sizes LIST       these sizes instead: 1e3,3e3,1e4\n";

static void option_take(int value, const char *arg)
{
    if (value == OPT_DIMENSION)
        wish.dimension = strtoul(arg, NULL, 10);
    else if (value == OPT_FLINT)
        wish.flint = arg;
    else if (value == OPT_ONE_THREAD)
        wish.one_thread = true;
    else if (value == OPT_SIGNS)
        wish.signs = true;
    else if (value == OPT_ZEROS)
        wish.zeros = strtoul(arg, NULL, 10);
    else
        size_options_take(&wish.range, value, arg);
}

/* Matrices in a space. */
struct spectra {
    struct gfmul_ctx *ctx;
    struct gfmul_space *space;
    struct gfmul_spectrum *x[ENTRIES_MOST], *y[ENTRIES_MOST], *z[ENTRIES_MOST];
};

/* The matrices of one size; d d entries, stored row by row. */
static struct {
    size_t d;
    unsigned threads;
    mpz_t x[ENTRIES_MOST], y[ENTRIES_MOST], z[ENTRIES_MOST];
    struct spectra all, one; /* of all threads, and of one */
    struct flint_matrix fx, fy, fz;
} now;

/* check - end the program after an error. */
static void check(enum gfmul_status status)
{
    if (status != GFMUL_OK)
        bench_fail("%s", gfmul_strerror(status));
}

/* entry_make - z = entry (i, j) by GMP. */
static void entry_make(mpz_ptr z, size_t i, size_t j)
{
    mpz_set_ui(z, 0);
    for (size_t k = 0; k < now.d; k++)
        mpz_addmul(z, now.x[i * now.d + k], now.y[k * now.d + j]);
}

/* run_gmp - the first entry alone. */
static bool run_gmp(void *arg, size_t calls)
{
    (void)arg;
    for (; calls > 0; calls--)
        entry_make(now.z[0], 0, 0);
    return true;
}

/* The entries of a product's matrices, which threads take. */
struct entries {
    const struct spectra *s;
    atomic_size_t set, got;
};

static void entries_set(void *arg, unsigned t)
{
    struct entries *const e = arg;
    (void)t;
    for (size_t i; (i = atomic_fetch_add(&e->set, 1)) < now.d * now.d;) {
        check(gfmul_spectrum_set_mpz(e->s->x[i], now.x[i]));
        check(gfmul_spectrum_set_mpz(e->s->y[i], now.y[i]));
    }
}

static void entries_get(void *arg, unsigned t)
{
    struct entries *const e = arg;
    (void)t;
    for (size_t i; (i = atomic_fetch_add(&e->got, 1)) < now.d * now.d;)
        check(gfmul_spectrum_get_mpz(e->s->z[i], now.z[i]));
}

/* run_space - from integers to integers: all factors are new.  Spectra are set and read by all threads, as a program would do. */
static void space_product(const struct spectra *s, unsigned threads)
{
    struct entries e = {s, 0, 0};
    bench_threads(threads, entries_set, &e);
    check(gfmul_spectrum_matmul(s->z, s->x, s->y, now.d, now.d, now.d));
    bench_threads(threads, entries_get, &e);
}

static bool run_space(void *arg, size_t calls)
{
    (void)arg;
    for (; calls > 0; calls--)
        space_product(&now.all, now.threads);
    return true;
}

static bool run_one_thread(void *arg, size_t calls)
{
    (void)arg;
    for (; calls > 0; calls--)
        space_product(&now.one, 1);
    return true;
}

static bool run_flint(void *arg, size_t calls)
{
    (void)arg;
    for (; calls > 0; calls--)
        flint.matrix_mul(&now.fz, &now.fx, &now.fy);
    return true;
}

/* results_compare - whether all give the same; GMP makes the diagonal. */
static void results_compare(void)
{
    const size_t entries = now.d * now.d;
    mpz_t want;
    mpz_init(want);
    run_space(NULL, 1);
    for (size_t i = 0; i < now.d; i++) {
        entry_make(want, i, i);
        if (mpz_cmp(want, now.z[i * now.d + i]) != 0)
            bench_fail("an entry of the space is wrong");
    }
    if (wish.flint)
        run_flint(NULL, 1);
    for (size_t i = 0; wish.flint && i < entries; i++) {
        flint.get(want, &now.fz.entries[i]);
        if (mpz_cmp(want, now.z[i]) != 0)
            bench_fail("an entry by FLINT is another one");
    }
    if (wish.one_thread)
        run_one_thread(NULL, 1);
    for (size_t i = 0; wish.one_thread && i < now.d; i++) {
        entry_make(want, i, i);
        if (mpz_cmp(want, now.z[i * now.d + i]) != 0)
            bench_fail("an entry of one thread is wrong");
    }
    mpz_clear(want);
}

static void spectra_make(struct spectra *s, size_t n)
{
    check(gfmul_space_create(s->ctx, &s->space, 2 * n + 1, now.d));
    for (size_t i = 0; i < now.d * now.d; i++) {
        check(gfmul_spectrum_create(s->space, &s->x[i]));
        check(gfmul_spectrum_create(s->space, &s->y[i]));
        check(gfmul_spectrum_create(s->space, &s->z[i]));
    }
}

static void spectra_free(const struct spectra *s)
{
    for (size_t i = 0; i < now.d * now.d; i++) {
        gfmul_spectrum_destroy(s->x[i]);
        gfmul_spectrum_destroy(s->y[i]);
        gfmul_spectrum_destroy(s->z[i]);
    }
    gfmul_space_destroy(s->space);
}

static void matrices_make(const struct bench_settings *s, size_t n)
{
    const size_t entries = now.d * now.d;
    if (wish.flint) {
        flint.matrix_init(&now.fx, (long)now.d, (long)now.d);
        flint.matrix_init(&now.fy, (long)now.d, (long)now.d);
        flint.matrix_init(&now.fz, (long)now.d, (long)now.d);
    }
    mp_limb_t *a = operand_make(s, n + entries, 0), *b = operand_make(s, n + entries, 1);
    spectra_make(&now.all, n);
    if (wish.one_thread)
        spectra_make(&now.one, n);
    for (size_t i = 0; i < entries; i++) {
        mpz_inits(now.x[i], now.y[i], now.z[i], NULL);
        mpz_import(now.x[i], n, -1, sizeof *a, 0, 0, a + i);
        mpz_import(now.y[i], n, -1, sizeof *b, 0, 0, b + i);
        if (wish.signs && a[i] % 2)
            mpz_neg(now.x[i], now.x[i]);
        if (wish.signs && b[i] % 2)
            mpz_neg(now.y[i], now.y[i]);
        if (a[i] / 2 % 100 < wish.zeros)
            mpz_set_ui(now.x[i], 0);
        if (b[i] / 2 % 100 < wish.zeros)
            mpz_set_ui(now.y[i], 0);
        if (wish.flint) {
            flint.set(&now.fx.entries[i], now.x[i]);
            flint.set(&now.fy.entries[i], now.y[i]);
        }
    }
    free(a);
    free(b);
}

static void matrices_free(void)
{
    spectra_free(&now.all);
    if (wish.one_thread)
        spectra_free(&now.one);
    for (size_t i = 0; i < now.d * now.d; i++)
        mpz_clears(now.x[i], now.y[i], now.z[i], NULL);
    if (wish.flint) {
        flint.matrix_clear(&now.fx);
        flint.matrix_clear(&now.fy);
        flint.matrix_clear(&now.fz);
    }
}

static void size_measure(const struct bench_settings *s, size_t n)
{
    struct contestant c[MAX_MATRIX_WORKS] = {{.name = "space", .run = run_space}, {.name = "gmp", .run = run_gmp}};
    size_t works = 2;
    if (wish.flint)
        c[works++] = (struct contestant){.name = "flint", .run = run_flint};
    if (wish.one_thread)
        c[works++] = (struct contestant){.name = "one_thread", .run = run_one_thread};
    matrices_make(s, n);
    results_compare();
    bench_measure(c, works, s, s->seconds, s->rounds);
    for (size_t i = 0; i < works; i++) {
        const double times = c[i].run == run_gmp ? (double)(now.d * now.d) : 1.0;
        printf("%zu\t%zu\t%s\t%.1f\t%.1f\t%.4f\t%zu\n", n, now.d, c[i].name, times * c[i].median_ns, times * c[i].min_ns,
               times * c[i].ratio, c[i].rounds);
    }
    fflush(stdout);
    contestants_free(c, works);
    matrices_free();
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "b-matrix", .usage = usage, .own = own_options, .take = option_take, .seconds = 1, .rounds = 3};
    struct bench_settings s;

    bench_options_parse(&s, &program, argc, argv);
    size_options_finish(&wish.range);
    if (wish.dimension < 1 || wish.dimension * wish.dimension > ENTRIES_MOST)
        usage_fail("--dimension=%zu: 1 to 128", wish.dimension);
    now.d = wish.dimension;
    now.threads = s.library.threads;
    provenance_print(&s, argc, argv);
    if (wish.flint)
        flint_open(wish.flint, s.library.threads);
    struct gfmul_options one = s.library;
    one.threads = 1;
    if (gfmul_ctx_create(&now.all.ctx, &s.library) != GFMUL_OK || gfmul_ctx_create(&now.one.ctx, &one) != GFMUL_OK)
        bench_fail("no context");
    printf("# what: products of dimension x dimension matrices, entries of n limbs; ns of one, from integers to integers, which "
           "all threads set and read; gmp: one entry, times their number; one_thread: the space, by one thread; ratio: median "
           "of time / the space's in the same round\n"
           "n\tdimension\twork\tmedian_ns\tmin_ns\tratio\trounds\n");
    for (size_t i = 0; i < wish.range.sizes.count; i++)
        size_measure(&s, wish.range.sizes.n[i]);
    gfmul_ctx_destroy(now.one.ctx);
    gfmul_ctx_destroy(now.all.ctx);
    free(wish.range.sizes.n);
    return fclose(stdout) == 0 ? 0 : 1;
}
