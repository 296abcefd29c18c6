/*
 * b-turns.c - calls in turn with other work: what it costs that memory was idle, or given back, meanwhile.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Usage: b-turns [--limbs N] [--digits N] [--calls N]
 *
 * The library's calls run one after the other, then in turn with GMP's for the same numbers, which take seconds; on one thread,
 * processor time of the process.  For each kind one line, tab-separated:
 *
 *     turns  KIND N GMP_MS ALONE_MS SWEPT_MS TURNS_MS RATIO OF_SWEPT FAULTS FIRST_MS LENT_MIB
 *
 *     ALONE_MS             median of calls one after the other; the first of the context takes FIRST_MS
 *     SWEPT_MS             the same with caches that other memory has swept: what any other work costs
 *     TURNS_MS             in turn with GMP's
 *     RATIO, OF_SWEPT      TURNS_MS / ALONE_MS, TURNS_MS / SWEPT_MS
 *     FAULTS               page faults of a call in turn, median
 *     LENT_MIB             memory of the process that the system may take, at most, before a call in turn
 *
 * Kinds: norm, checked (limbs, by rule); text (decimal digits).  Each product is compared with GMP's.
 */
#include <getopt.h>
#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "gfmul.h"
#include "median.h"

#include "../tests/resident.h"

enum { CALLS_MOST = 101 };

static size_t n_limbs = 10000000, n_digits = 10000000;
static unsigned n_calls = 5;

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double page_faults(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)used.ru_minflt;
}

static void *take(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p) {
        fprintf(stderr, "b-turns: %zu bytes of memory are missing\n", bytes);
        exit(1);
    }
    memset(p, 0, bytes);
    return p;
}

static void ok(enum gfmul_status status)
{
    if (status != GFMUL_OK) {
        fprintf(stderr, "b-turns: %s\n", gfmul_strerror(status));
        exit(1);
    }
}

/* sweep - write to more memory than caches hold. */
static void sweep(void)
{
    enum { BYTES = 256 << 20 };
    static volatile char *memory;
    if (!memory)
        memory = take(BYTES);
    for (size_t i = 0; i < BYTES; i += 64)
        memory[i]++;
}

/* Numbers of a kind, both products, and the context. */
struct work {
    bool text;
    size_t n, z_bytes;
    void *a, *b, *z, *want; /* characters of text, or limbs */
    struct gfmul_ctx *ctx;
};

/* ours, gmps - one call each; what it took, ms. */
static double ours(struct work *w)
{
    const double start = cpu_ms();
    if (w->text)
        ok(gfmul_str_mul(w->ctx, w->z, w->z_bytes, NULL, 10, w->a, w->n, 10, w->b, w->n, 10));
    else
        ok(gfmul_mul(w->ctx, w->z, w->a, w->n, w->b, w->n));
    return cpu_ms() - start;
}

static double gmps(struct work *w)
{
    const double start = cpu_ms();
    if (w->text) {
        mpz_t x, y;
        mpz_init_set_str(x, w->a, 10);
        mpz_init_set_str(y, w->b, 10);
        mpz_mul(x, x, y);
        mpz_get_str(w->want, 10, x);
        mpz_clears(x, y, NULL);
    } else {
        mpn_mul_n(w->want, w->a, w->b, (mp_size_t)w->n);
    }
    return cpu_ms() - start;
}

static void agree(const struct work *w)
{
    if (w->text ? strcmp(w->z, w->want) != 0 : memcmp(w->z, w->want, w->z_bytes) != 0) {
        fprintf(stderr, "b-turns: a wrong product\n");
        exit(1);
    }
}

static void fill(char *x, size_t n, bool text, gmp_randstate_t random)
{
    if (!text) {
        mpz_t r;
        mpz_init(r);
        mpz_urandomb(r, random, 64 * n);
        mpz_setbit(r, 64 * n - 1);
        memcpy(x, mpz_limbs_read(r), n * sizeof(mp_limb_t));
        mpz_clear(r);
        return;
    }
    for (size_t i = 0; i < n; i++)
        x[i] = (char)('0' + (i == 0 ? 1 + gmp_urandomm_ui(random, 9) : gmp_urandomm_ui(random, 10)));
    x[n] = '\0';
}

static void turns(const char *kind, enum gfmul_rule rule, bool text)
{
    struct gfmul_options opt;
    struct work w = {.text = text, .n = text ? n_digits : n_limbs};
    double alone[CALLS_MOST], swept[CALLS_MOST], in_turns[CALLS_MOST], of_gmp[CALLS_MOST], faults[CALLS_MOST], lent = 0;
    const size_t bytes = text ? w.n + 1 : w.n * sizeof(mp_limb_t);
    gmp_randstate_t random;
    gfmul_options_init(&opt);
    opt.device = "cpu";
    opt.threads = 1;
    opt.rule = rule;
    ok(gfmul_ctx_create(&w.ctx, &opt));
    w.z_bytes = text ? 2 * w.n + 2 : 2 * bytes;
    w.a = take(bytes);
    w.b = take(bytes);
    w.z = take(w.z_bytes);
    w.want = take(w.z_bytes);
    gmp_randinit_default(random);
    fill(w.a, w.n, text, random);
    fill(w.b, w.n, text, random);
    gmp_randclear(random);
    const double first = ours(&w);
    ours(&w); /* the plan of later products */
    for (unsigned i = 0; i < n_calls; i++)
        alone[i] = ours(&w);
    for (unsigned i = 0; i < n_calls; i++) {
        sweep();
        swept[i] = ours(&w);
    }
    for (unsigned i = 0; i < n_calls; i++) {
        of_gmp[i] = gmps(&w);
        const double mib = (double)lent_bytes() / (1 << 20);
        lent = mib > lent ? mib : lent;
        const double before = page_faults();
        in_turns[i] = ours(&w);
        faults[i] = page_faults() - before;
        agree(&w);
    }
    const double one = median_of(alone, n_calls), cold = median_of(swept, n_calls), other = median_of(in_turns, n_calls);
    printf("turns\t%s\t%zu\t%.1f\t%.1f\t%.1f\t%.1f\t%.3f\t%.3f\t%.0f\t%.1f\t%.0f\n", kind, w.n, median_of(of_gmp, n_calls), one,
           cold, other, other / one, other / cold, median_of(faults, n_calls), first, lent);
    fflush(stdout);
    gfmul_ctx_destroy(w.ctx);
    free(w.a);
    free(w.b);
    free(w.z);
    free(w.want);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"limbs", required_argument, NULL, 'l'},
                                            {"digits", required_argument, NULL, 'd'},
                                            {"calls", required_argument, NULL, 'c'},
                                            {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        const size_t value = c == '?' ? 0 : strtoull(optarg, NULL, 10);
        if (value == 0 || (c == 'c' && value > CALLS_MOST)) {
            fprintf(stderr, "usage: b-turns [--limbs N] [--digits N] [--calls N]\n");
            return 2;
        }
        if (c == 'l')
            n_limbs = value;
        else if (c == 'd')
            n_digits = value;
        else
            n_calls = (unsigned)value;
    }
    printf("# one thread, %u calls, ms of processor time, %s, GMP %s\n", n_calls, gfmul_version(), gmp_version);
    turns("norm", GFMUL_RULE_NORM, false);
    turns("checked", GFMUL_RULE_CHECKED, false);
    turns("text", GFMUL_RULE_NORM, true);
    return 0;
}
