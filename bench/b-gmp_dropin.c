/*
 * b-gmp_dropin.c - GMP's products, and whole programs on top of them, with and without libgfmul_gmp.so.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * To be run by gfmul-run.  Two libgmps take turns in one process: the program's own, whose calls go through the preloaded
 * library, and a copy of it that was loaded so that it binds to itself.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

/* What the tasks call: FUNCTION(result, name, parameters). */
#define FUNCTIONS                                                                                               \
    FUNCTION(mp_limb_t, __gmpn_mul, (mp_ptr, mp_srcptr, mp_size_t, mp_srcptr, mp_size_t))                       \
    FUNCTION(mp_limb_t, __gmpn_mul_fft, (mp_ptr, mp_size_t, mp_srcptr, mp_size_t, mp_srcptr, mp_size_t, int))   \
    FUNCTION(void, __gmpn_mulmod_bnm1, (mp_ptr, mp_size_t, mp_srcptr, mp_size_t, mp_srcptr, mp_size_t, mp_ptr)) \
    FUNCTION(void, __gmpn_sqrmod_bnm1, (mp_ptr, mp_size_t, mp_srcptr, mp_size_t, mp_ptr))                       \
    FUNCTION(mp_size_t, __gmpn_mulmod_bnm1_next_size, (mp_size_t))                                              \
    FUNCTION(mp_size_t, __gmpn_fft_next_size, (mp_size_t, int))                                                 \
    FUNCTION(int, __gmpn_fft_best_k, (mp_size_t, int))                                                          \
    FUNCTION(void, __gmpz_init, (mpz_ptr))                                                                      \
    FUNCTION(void, __gmpz_init_set, (mpz_ptr, mpz_srcptr))                                                      \
    FUNCTION(void, __gmpz_clear, (mpz_ptr))                                                                     \
    FUNCTION(void, __gmpz_set_ui, (mpz_ptr, unsigned long))                                                     \
    FUNCTION(void, __gmpz_mul, (mpz_ptr, mpz_srcptr, mpz_srcptr))                                               \
    FUNCTION(void, __gmpz_mul_ui, (mpz_ptr, mpz_srcptr, unsigned long))                                         \
    FUNCTION(void, __gmpz_mul_2exp, (mpz_ptr, mpz_srcptr, mp_bitcnt_t))                                         \
    FUNCTION(void, __gmpz_add, (mpz_ptr, mpz_srcptr, mpz_srcptr))                                               \
    FUNCTION(void, __gmpz_add_ui, (mpz_ptr, mpz_srcptr, unsigned long))                                         \
    FUNCTION(void, __gmpz_neg, (mpz_ptr, mpz_srcptr))                                                           \
    FUNCTION(void, __gmpz_tdiv_q, (mpz_ptr, mpz_srcptr, mpz_srcptr))                                            \
    FUNCTION(void, __gmpz_tdiv_r, (mpz_ptr, mpz_srcptr, mpz_srcptr))                                            \
    FUNCTION(void, __gmpz_sqrt, (mpz_ptr, mpz_srcptr))                                                          \
    FUNCTION(void, __gmpz_powm, (mpz_ptr, mpz_srcptr, mpz_srcptr, mpz_srcptr))                                  \
    FUNCTION(void, __gmpz_gcd, (mpz_ptr, mpz_srcptr, mpz_srcptr))                                               \
    FUNCTION(void, __gmpz_gcdext, (mpz_ptr, mpz_ptr, mpz_ptr, mpz_srcptr, mpz_srcptr))                          \
    FUNCTION(void, __gmpz_fac_ui, (mpz_ptr, unsigned long))                                                     \
    FUNCTION(void, __gmpz_bin_uiui, (mpz_ptr, unsigned long, unsigned long))                                    \
    FUNCTION(void, __gmpz_fib_ui, (mpz_ptr, unsigned long))                                                     \
    FUNCTION(int, __gmpz_set_str, (mpz_ptr, const char *, int))                                                 \
    FUNCTION(char *, __gmpz_get_str, (char *, int, mpz_srcptr))                                                 \
    FUNCTION(int, __gmpz_cmp, (mpz_srcptr, mpz_srcptr))

/* A libgmp. */
struct gmp {
#define FUNCTION(result, name, parameters) result(*name) parameters;
    FUNCTIONS
#undef FUNCTION
};

/* One task at one size, by one libgmp. */
struct work {
    const struct gmp *gmp;
    void (*run)(struct work *w);
    size_t n;
    mp_limb_t *a, *b, *z, *scratch; /* n, n, 3 n and 5 n limbs and some */
    mpz_t x, xx, y, e, r;           /* n limbs, 2 n, n odd, one; the result */
    char *text;                     /* n digits */
    mpz_t *leaf;                    /* n limbs in numbers of LEAF_LIMBS */
};

struct task {
    const char *name, *unit;
    void (*run)(struct work *w);
    const size_t sizes[24];
};

static int path_of_gmp(struct dl_phdr_info *info, size_t size, void *path)
{
    (void)size;
    if (!info->dlpi_name || !strstr(info->dlpi_name, "/libgmp.so"))
        return 0;
    snprintf(path, 4096, "%s", info->dlpi_name);
    return 1;
}

/* gmp_open - a copy of the program's libgmp that the preloaded library does not reach. */
static void gmp_open(struct gmp *gmp)
{
    char from[4096] = "", to[] = "/tmp/b-gmp_dropin-XXXXXX", buf[1 << 16];
    ssize_t n;
    dl_iterate_phdr(path_of_gmp, from);
    const int in = open(from, O_RDONLY), out = mkstemp(to);
    while (in >= 0 && out >= 0 && (n = read(in, buf, sizeof buf)) > 0) {
        if (write(out, buf, (size_t)n) != n)
            bench_fail("%s cannot be written", to);
    }
    close(in);
    close(out);
    void *handle = dlmopen(LM_ID_BASE, to, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    unlink(to);
    if (!handle)
        bench_fail("%s", dlerror());
#define FUNCTION(result, name, parameters) symbol_get(handle, from, #name, &gmp->name);
    FUNCTIONS
#undef FUNCTION
}

/* ---- products ---- */

static void run_mul(struct work *w)
{
    w->gmp->__gmpn_mul(w->z, w->a, (mp_size_t)w->n, w->b, (mp_size_t)w->n);
}

static void run_sqr(struct work *w)
{
    w->gmp->__gmpz_mul(w->r, w->x, w->x);
}

/* run_unbalanced - a tenth of n limbs by n. */
static void run_unbalanced(struct work *w)
{
    w->gmp->__gmpn_mul(w->z, w->a, (mp_size_t)w->n, w->b, (mp_size_t)(w->n / 10));
}

static void run_minus(struct work *w)
{
    const mp_size_t n = w->gmp->__gmpn_mulmod_bnm1_next_size((mp_size_t)w->n);
    w->gmp->__gmpn_mulmod_bnm1(w->z, n, w->a, (mp_size_t)w->n, w->b, (mp_size_t)w->n, w->scratch);
}

static void run_minus_sqr(struct work *w)
{
    const mp_size_t n = w->gmp->__gmpn_mulmod_bnm1_next_size((mp_size_t)w->n);
    w->gmp->__gmpn_sqrmod_bnm1(w->z, n, w->a, (mp_size_t)w->n, w->scratch);
}

/* ---- functions of GMP ---- */

static void run_powm(struct work *w) /* an exponent of 64 bits */
{
    w->gmp->__gmpz_powm(w->r, w->x, w->e, w->y);
}

static void run_powm_full(struct work *w) /* an exponent of 2 n limbs */
{
    w->gmp->__gmpz_powm(w->r, w->x, w->xx, w->y);
}

static void run_div(struct work *w)
{
    w->gmp->__gmpz_tdiv_q(w->r, w->xx, w->y);
}

static void run_sqrt(struct work *w)
{
    w->gmp->__gmpz_sqrt(w->r, w->xx);
}

static void run_gcd(struct work *w)
{
    w->gmp->__gmpz_gcd(w->r, w->x, w->y);
}

static void run_gcdext(struct work *w)
{
    mpz_t s;
    w->gmp->__gmpz_init(s);
    w->gmp->__gmpz_gcdext(w->r, s, NULL, w->x, w->y);
    w->gmp->__gmpz_clear(s);
}

static void run_set_str(struct work *w)
{
    w->gmp->__gmpz_set_str(w->r, w->text, 10);
}

static void run_get_str(struct work *w)
{
    w->gmp->__gmpz_get_str((char *)w->scratch, 10, w->x);
}

static void run_fac(struct work *w)
{
    w->gmp->__gmpz_fac_ui(w->r, w->n);
}

static void run_bin(struct work *w)
{
    w->gmp->__gmpz_bin_uiui(w->r, w->n, w->n / 2);
}

static void run_fib(struct work *w)
{
    w->gmp->__gmpz_fib_ui(w->r, w->n);
}

/* ---- programs ---- */

/* split - terms first .. end - 1 of Chudnovsky's series by binary splitting: p, q and t are made. */
static void split(const struct gmp *g, unsigned long first, unsigned long end, mpz_ptr p, mpz_ptr q, mpz_ptr t)
{
    g->__gmpz_init(p);
    g->__gmpz_init(q);
    g->__gmpz_init(t);
    if (end - first == 1) {
        const unsigned long k = first;
        g->__gmpz_set_ui(p, k == 0 ? 1 : 6 * k - 5);
        g->__gmpz_set_ui(q, 1);
        if (k > 0) {
            g->__gmpz_mul_ui(p, p, 2 * k - 1);
            g->__gmpz_mul_ui(p, p, 6 * k - 1);
            g->__gmpz_set_ui(q, k);
            g->__gmpz_mul_ui(q, q, k);
            g->__gmpz_mul_ui(q, q, k);
            g->__gmpz_mul_ui(q, q, 640320UL * 640320UL / 24UL);
            g->__gmpz_mul_ui(q, q, 640320UL);
        }
        g->__gmpz_set_ui(t, 545140134UL);
        g->__gmpz_mul_ui(t, t, k);
        g->__gmpz_add_ui(t, t, 13591409UL);
        g->__gmpz_mul(t, t, p);
        if (k % 2 == 1)
            g->__gmpz_neg(t, t);
        return;
    }
    mpz_t p2, q2, t2;
    const unsigned long middle = first + (end - first) / 2;
    split(g, first, middle, p, q, t);
    split(g, middle, end, p2, q2, t2);
    g->__gmpz_mul(t, t, q2);
    g->__gmpz_mul(t2, t2, p);
    g->__gmpz_add(t, t, t2);
    g->__gmpz_mul(p, p, p2);
    g->__gmpz_mul(q, q, q2);
    g->__gmpz_clear(p2);
    g->__gmpz_clear(q2);
    g->__gmpz_clear(t2);
}

/* run_pi - n decimal digits. */
static void run_pi(struct work *w)
{
    const struct gmp *g = w->gmp;
    const mp_bitcnt_t bits = (mp_bitcnt_t)((double)w->n * 3.3219280948873626) + 16;
    mpz_t p, q, t;
    split(g, 0, w->n / 14 + 2, p, q, t);
    g->__gmpz_set_ui(w->r, 10005); /* pi = 426880 sqrt(10005) q / t */
    g->__gmpz_mul_2exp(w->r, w->r, 2 * bits);
    g->__gmpz_sqrt(w->r, w->r);
    g->__gmpz_mul_ui(q, q, 426880);
    g->__gmpz_mul(w->r, w->r, q);
    g->__gmpz_tdiv_q(w->r, w->r, t);
    g->__gmpz_clear(p);
    g->__gmpz_clear(q);
    g->__gmpz_clear(t);
    free(g->__gmpz_get_str(NULL, 10, w->r));
}

enum { LEAF_LIMBS = 16 };

/* remainders - x modulo each of the n leaves, by a tree. */
static void remainders(const struct gmp *g, mpz_srcptr x, const mpz_t *leaf, size_t n, mpz_ptr r)
{
    if (n == 1) {
        g->__gmpz_tdiv_r(r, x, leaf[0]);
        return;
    }
    /* products of both halves are made again on each level: twice the products of a tree that is kept */
    for (size_t half = 0; half < 2; half++) {
        const mpz_t *from = half == 0 ? leaf : leaf + n / 2;
        size_t count = half == 0 ? n / 2 : n - n / 2;
        mpz_t *node = bench_alloc(count, sizeof *node), y;
        g->__gmpz_init(y);
        for (size_t i = 0; i < count; i++)
            g->__gmpz_init_set(node[i], from[i]);
        for (size_t left = count; left > 1; left = (left + 1) / 2) {
            for (size_t i = 0; i < left / 2; i++)
                g->__gmpz_mul(node[i], node[2 * i], node[2 * i + 1]);
            if (left % 2 == 1)
                g->__gmpz_init_set(node[left / 2], node[left - 1]);
        }
        g->__gmpz_tdiv_r(y, x, node[0]);
        for (size_t i = 0; i < count; i++)
            g->__gmpz_clear(node[i]);
        free(node);
        remainders(g, y, from, count, r);
        g->__gmpz_clear(y);
    }
}

static void run_remainders(struct work *w)
{
    remainders(w->gmp, w->x, w->leaf, w->n / LEAF_LIMBS, w->r);
}

static const struct task tasks[] = {
    {"mul", "limbs", run_mul, {1,   2,   4,   8,   16,  30,   100,  200,   300,    350,
                               400, 450, 500, 600, 800, 1000, 2000, 10000, 100000, 1000000}},
    {"sqr", "limbs", run_sqr, {1,   2,   4,   8,   16,  30,   100,  200,   300,    350,
                               400, 450, 500, 600, 800, 1000, 2000, 10000, 100000, 1000000}},
    {"unbalanced", "limbs", run_unbalanced, {1000, 2000, 3000, 4000, 5000, 6000, 8000, 10000, 30000, 100000, 1000000}},
    {"minus",
     "limbs",
     run_minus,
     {100, 200, 300, 400, 500, 600, 700, 800, 1000, 1200, 1500, 2000, 3000, 5000, 10000, 30000, 100000, 300000}},
    {"minus_sqr",
     "limbs",
     run_minus_sqr,
     {100, 200, 300, 400, 500, 600, 700, 800, 1000, 1200, 1500, 2000, 3000, 5000, 10000, 30000, 100000}},
    {"powm", "limbs", run_powm, {16, 30, 50, 100, 200, 300, 400, 500, 700, 1000, 1500, 2000, 3000, 5000, 15625, 50000}},
    {"powm_full", "limbs", run_powm_full, {10, 16, 30, 50, 100, 200, 300}},
    {"div", "limbs", run_div, {16, 30, 50, 100, 200, 300, 1000, 2000, 3000, 5000, 10000, 100000, 1000000}},
    {"sqrt", "limbs", run_sqrt, {16, 30, 50, 100, 200, 300, 1000, 2000, 3000, 5000, 10000, 100000, 1000000}},
    {"gcd", "limbs", run_gcd, {16, 30, 50, 100, 200, 300, 1000, 2000, 3000, 5000, 10000, 15625, 50000, 156250}},
    {"gcdext", "limbs", run_gcdext, {16, 30, 50, 100, 200, 300, 1000, 3000, 10000, 50000}},
    {"set_str", "digits", run_set_str, {300, 600, 1000, 2000, 4000, 6000, 10000, 30000, 100000, 1000000, 10000000}},
    {"get_str", "digits", run_get_str, {300, 600, 1000, 2000, 4000, 6000, 10000, 30000, 100000, 1000000, 10000000}},
    {"factorial", "n", run_fac, {5000, 10000, 30000, 100000, 1000000, 3000000}},
    {"binomial", "n", run_bin, {30000, 100000, 1000000, 5000000}},
    {"fibonacci", "n", run_fib, {30000, 100000, 1000000, 10000000, 50000000}},
    {"pi", "digits", run_pi, {3000, 10000, 30000, 100000, 1000000}},
    {"remainders", "limbs", run_remainders, {1024, 2048, 8192, 32768, 131072}},
};

/* ---- the bench ---- */

static struct {
    const char *task; /* NULL: all */
    struct bench_sizes sizes;
    size_t to;
} wish = {.to = SIZE_MAX};

enum { OPT_TASK = BENCH_OPT_OWN, OPT_N, OPT_MOST };

static const struct option own_options[] = {
    {"task", required_argument, NULL, OPT_TASK},
    {"n", required_argument, NULL, OPT_N},
    {"most", required_argument, NULL, OPT_MOST},
    {NULL, 0, NULL, 0},
};

static const char usage[] = "Usage: gfmul-run b-gmp_dropin [OPTION]...\n"
                            "Compare GMP with itself under the preloaded library.\n"
                            "\n"
                            "      --task NAME        this task alone (default all)\n"
                            "      --n N              this size; may be repeated (default those of the table)\n"
                            "      --most N           no larger sizes\n";

static void option_take(int value, const char *arg)
{
    if (value == OPT_TASK)
        wish.task = arg;
    else if (value == OPT_N)
        sizes_add(&wish.sizes, size_parse("size", arg));
    else
        wish.to = size_parse("size", arg);
}

static bool run_calls(void *arg, size_t calls)
{
    struct work *w = arg;
    for (size_t i = 0; i < calls; i++)
        w->run(w);
    return true;
}

/* number - x = the operand's n limbs. */
static void number(const struct bench_settings *s, mpz_ptr x, size_t n, unsigned index)
{
    mp_limb_t *a = operand_make(s, n, index);
    mpz_init(x);
    memcpy(mpz_limbs_write(x, (mp_size_t)n), a, n * sizeof *a);
    mpz_limbs_finish(x, (mp_size_t)n);
    free(a);
}

static void work_make(const struct bench_settings *s, const struct task *task, struct work *w, const struct gmp *gmp, size_t n)
{
    const bool digits = strcmp(task->unit, "digits") == 0;
    const size_t limbs = digits ? n / 19 + 1 : strcmp(task->unit, "limbs") == 0 ? n : 1;
    *w = (struct work){.gmp = gmp, .run = task->run, .n = n};
    w->a = operand_make(s, limbs, 0);
    w->b = operand_make(s, limbs, 1);
    w->z = bench_alloc(3 * limbs + 64, sizeof *w->z);
    w->scratch = bench_alloc(5 * limbs + 256, sizeof *w->scratch);
    number(s, w->x, limbs, 2);
    number(s, w->xx, 2 * limbs, 3);
    number(s, w->y, limbs, 4);
    mpz_setbit(w->y, 0);
    number(s, w->e, 1, 5);
    mpz_init(w->r);
    if (digits) {
        w->text = bench_alloc(n + 1, 1);
        for (size_t i = 0; i < n; i++)
            w->text[i] = (char)('1' + (w->b[i / 19] >> i % 19) % 9);
    }
    w->leaf = bench_alloc(limbs / LEAF_LIMBS + 1, sizeof *w->leaf);
    for (size_t i = 0; i < limbs / LEAF_LIMBS; i++)
        number(s, w->leaf[i], LEAF_LIMBS, 6 + (unsigned)i);
}

static void work_free(struct work *w, size_t leaves)
{
    for (size_t i = 0; i < leaves; i++)
        mpz_clear(w->leaf[i]);
    free(w->leaf);
    free(w->text);
    mpz_clears(w->x, w->xx, w->y, w->e, w->r, NULL);
    free(w->a);
    free(w->b);
    free(w->z);
    free(w->scratch);
}

/* task_measure - one line. */
static void task_measure(const struct bench_settings *s, const struct task *task, const struct gmp gmp[2], size_t n)
{
    struct work w[2];
    struct contestant c[2];
    for (size_t i = 0; i < 2; i++) {
        work_make(s, task, &w[i], &gmp[i], n);
        c[i] = (struct contestant){.name = i == 0 ? "gmp" : "gfmul", .run = run_calls, .arg = &w[i]};
    }
    bench_measure(c, 2, s, s->seconds, s->rounds);
    if (mpz_cmp(w[0].r, w[1].r) != 0)
        bench_fail("%s %zu: the results differ", task->name, n);
    printf("%s\t%zu\t%s\t%.6g\t%.6g\t%.4f\n", task->name, n, task->unit, c[0].median_ns / 1e3, c[1].median_ns / 1e3,
           1 / c[1].ratio);
    fflush(stdout);
    const size_t leaves = strcmp(task->unit, "limbs") == 0    ? n / LEAF_LIMBS
                          : strcmp(task->unit, "digits") == 0 ? (n / 19 + 1) / LEAF_LIMBS
                                                              : 0;
    work_free(&w[0], leaves);
    work_free(&w[1], leaves);
    contestants_free(c, 2);
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "b-gmp_dropin", .usage = usage, .own = own_options, .take = option_take, .seconds = 0.5, .rounds = 5};
    struct bench_settings s;
    struct gmp gmp[2];

    bench_options_parse(&s, &program, argc, argv);
    gmp_open(&gmp[0]);
#define FUNCTION(result, name, parameters) symbol_get(RTLD_DEFAULT, "this program", #name, &gmp[1].name);
    FUNCTIONS
#undef FUNCTION
    Dl_info info;
    if (dladdr((void *)(uintptr_t)gmp[1].__gmpn_mul, &info) == 0 || !strstr(info.dli_fname, "libgfmul_gmp"))
        bench_fail("libgfmul_gmp.so is not preloaded: run this by gfmul-run");
    provenance_print(&s, argc, argv);
    printf("# what: medians of one call in us, by GMP and by GMP with libgfmul_gmp.so; speed-up: the median of their ratio\n"
           "task\tn\tunit\tgmp_us\tgfmul_us\tspeedup\n");
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        const struct task *task = &tasks[i];
        if (wish.task && strcmp(wish.task, task->name) != 0)
            continue;
        const size_t *sizes = wish.sizes.count > 0 ? wish.sizes.n : task->sizes;
        const size_t count = wish.sizes.count > 0 ? wish.sizes.count : sizeof task->sizes / sizeof *task->sizes;
        for (size_t j = 0; j < count && sizes[j] > 0; j++) {
            if (sizes[j] <= wish.to)
                task_measure(&s, task, gmp, sizes[j]);
        }
    }
    return fclose(stdout) != 0;
}
