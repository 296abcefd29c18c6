/*
 * b-ntt.c - transforms modulo a prime, in nanoseconds a butterfly; products of polynomials modulo m, against FLINT's.
 *
 *     b-ntt [-t THREADS] [-r ROUNDS] [-b BITS] [-x HEXL.SO] POINTS...
 *     b-ntt [-t THREADS] [-r ROUNDS] [-b BITS] -p [-f LIBFLINT.SO] COEFFICIENTS...
 *
 * The prime is the largest of BITS bits that admits the length (default 50: below 0.79 * 2^50).  A transform of n = 2^k points
 * has n k / 2 butterflies.  Spectra are in permuted order, in place, in aligned buffers.
 * -x: transforms modulo x^n + 1, and Intel HEXL's beside them; spectra are compared.  HEXL.SO is HEXL with five C
 * functions around its class NTT: hexl_make, hexl_drop, hexl_root, hexl_forward, hexl_backward, as declared below.
 * -p: two polynomials of so many coefficients modulo 2^BITS - 1 (default 60).  -f: nmod_poly_mul beside it; results are compared.
 * Output: TSV; medians of ROUNDS rounds (default 11), interleaved.  Times of one thread are those of the processor.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gfmul_fft.h"
#include "median.h"

static struct {
    unsigned threads, rounds, bits;
    bool products;
    const char *flint, *hexl;
} wish = {.threads = 1, .rounds = 11};

/* FLINT's types, as its headers of version 3 have them. */
struct nmod {
    uint64_t n, inverse, shift;
};
struct nmod_poly {
    uint64_t *coefficients;
    long allocated, length;
    struct nmod mod;
};

static struct {
    void (*init)(struct nmod_poly *p, uint64_t n);
    void (*clear)(struct nmod_poly *p);
    void (*set)(struct nmod_poly *p, long k, uint64_t value);
    void (*mul)(struct nmod_poly *z, const struct nmod_poly *a, const struct nmod_poly *b);
} flint;

static struct {
    void *(*make)(uint64_t n, uint64_t prime);
    void (*drop)(void *plan);
    uint64_t (*root)(void *plan);
    void (*forward)(void *plan, uint64_t *x);
    void (*backward)(void *plan, uint64_t *x);
} hexl;

static void fail(const char *what)
{
    fprintf(stderr, "b-ntt: %s\n", what);
    exit(1);
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(wish.threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void symbol_get(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL)
        fail(name);
    memcpy(function, &symbol, sizeof symbol);
}

static void flint_open(const char *path)
{
    void (*set_threads)(int);
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL)
        fail(dlerror());
    symbol_get(library, "nmod_poly_init", &flint.init);
    symbol_get(library, "nmod_poly_clear", &flint.clear);
    symbol_get(library, "nmod_poly_set_coeff_ui", &flint.set);
    symbol_get(library, "nmod_poly_mul", &flint.mul);
    symbol_get(library, "flint_set_num_threads", &set_threads);
    set_threads((int)wish.threads);
}

static void hexl_open(const char *path)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL)
        fail(dlerror());
    symbol_get(library, "hexl_make", &hexl.make);
    symbol_get(library, "hexl_drop", &hexl.drop);
    symbol_get(library, "hexl_root", &hexl.root);
    symbol_get(library, "hexl_forward", &hexl.forward);
    symbol_get(library, "hexl_backward", &hexl.backward);
}

static uint64_t *numbers_make(size_t n, uint64_t below)
{
    static uint64_t v = 88172645463325252;
    uint64_t *x = aligned_alloc(64, (n * sizeof *x + 63) / 64 * 64);
    if (x == NULL)
        fail("no memory");
    for (size_t i = 0; i < n; i++) { /* Marsaglia's xorshift */
        v ^= v << 13;
        v ^= v >> 7;
        v ^= v << 17;
        x[i] = v % below;
    }
    return x;
}

/* plan_make - modulo the largest prime that has a plan, and HEXL's with the same root. */
static struct gfmul_ntt *plan_make(size_t n, uint64_t *prime, void **other)
{
    struct gfmul_ntt_options opt;
    struct gfmul_ntt *plan;
    gfmul_ntt_options_init(&opt);
    opt.threads = wish.threads;
    opt.order = GFMUL_FFT_PERMUTED;
    opt.negacyclic = wish.hexl != NULL;
    opt.scale = wish.hexl != NULL;
    const uint64_t limit = wish.bits == 50 ? (uint64_t)(0.79 * 0x1p50) : UINT64_C(1) << wish.bits, step = 2 * n;
    for (uint64_t p = (limit - 2) / step * step + 1; p > n; p -= step) {
        opt.root = 0;
        if (gfmul_ntt_create(&plan, n, p, &opt) != GFMUL_OK)
            continue;
        *prime = p;
        if (!wish.hexl)
            return plan;
        gfmul_ntt_destroy(plan);
        *other = hexl.make(n, p);
        opt.root = hexl.root(*other);
        if (gfmul_ntt_create(&plan, n, p, &opt) != GFMUL_OK)
            fail("HEXL's root has another order");
        return plan;
    }
    fail("no prime admits this length");
    return NULL;
}

enum { FORWARD, BACKWARD, HEXL_FORWARD, HEXL_BACKWARD, WAYS };

static void transform_run(const struct gfmul_ntt *plan, void *other, unsigned way, uint64_t *x)
{
    if (way == HEXL_FORWARD)
        hexl.forward(other, x);
    else if (way == HEXL_BACKWARD)
        hexl.backward(other, x);
    else if ((way == BACKWARD ? gfmul_ntt_backward(plan, x, x) : gfmul_ntt_forward(plan, x, x)) != GFMUL_OK)
        fail("no transform");
}

static void transforms_print(size_t n)
{
    double *ns[WAYS], least[WAYS] = {0};
    uint64_t p;
    void *other = NULL;
    struct gfmul_ntt *plan = plan_make(n, &p, &other);
    uint64_t *x[2] = {numbers_make(n, p), numbers_make(n, p)};
    const double butterflies = (double)n * (double)(__builtin_ctzll(n)) / 2;
    const unsigned calls = butterflies > 1e6 ? 1 : (unsigned)(1e6 / butterflies) + 1, ways = wish.hexl ? WAYS : 2;
    memcpy(x[1], x[0], n * sizeof *x[1]);
    for (unsigned way = 0; way < ways; way++)
        ns[way] = malloc(wish.rounds * sizeof *ns[way]);
    for (unsigned k = 0; k <= wish.rounds; k++) { /* the first one warms up */
        for (unsigned way = 0; way < ways; way++) {
            const double from = now_ns();
            for (unsigned i = 0; i < calls; i++)
                transform_run(plan, other, way, x[way / 2]);
            const double one = (now_ns() - from) / calls / butterflies;
            if (k > 0)
                ns[way][k - 1] = one;
            if (k == 1 || (k > 1 && one < least[way]))
                least[way] = one;
        }
        if (wish.hexl && memcmp(x[0], x[1], n * sizeof *x[0]) != 0)
            fail("HEXL's transform is another one");
    }
    printf("%zu\t%llu\t%u", n, (unsigned long long)p, wish.threads);
    for (unsigned way = 0; way < ways; way++) {
        printf("\t%.4f\t%.4f", median_of(ns[way], wish.rounds), least[way]);
        free(ns[way]);
    }
    puts("");
    free(x[0]), free(x[1]);
    gfmul_ntt_destroy(plan);
    if (wish.hexl)
        hexl.drop(other);
}

static void poly_make(struct nmod_poly *p, const uint64_t *x, size_t n, uint64_t modulus)
{
    flint.init(p, modulus);
    for (size_t k = n; x != NULL && k-- > 0;)
        flint.set(p, (long)k, x[k]);
}

static void products_print(size_t n)
{
    struct gfmul_conv_options opt;
    struct nmod_poly pa, pb, pz;
    gfmul_conv_options_init(&opt);
    opt.number = GFMUL_CONV_MOD;
    opt.modulus = (UINT64_C(1) << wish.bits) - 1;
    opt.threads = wish.threads;
    uint64_t *a = numbers_make(n, opt.modulus), *b = numbers_make(n, opt.modulus), *z = numbers_make(2 * n, opt.modulus);
    double *ms[2], *ratio = malloc(wish.rounds * sizeof *ratio);
    for (unsigned who = 0; who < 2; who++)
        ms[who] = calloc(wish.rounds, sizeof *ms[who]);
    if (wish.flint) {
        poly_make(&pa, a, n, opt.modulus);
        poly_make(&pb, b, n, opt.modulus);
        poly_make(&pz, NULL, 0, opt.modulus);
    }
    for (unsigned k = 0; k <= wish.rounds; k++) {
        const double from = now_ns();
        if (gfmul_convolve(z, a, n, b, n, &opt) != GFMUL_OK)
            fail("no product");
        const double middle = now_ns();
        if (wish.flint)
            flint.mul(&pz, &pa, &pb);
        const double to = now_ns();
        if (k > 0) {
            ms[0][k - 1] = (middle - from) * 1e-6;
            ms[1][k - 1] = (to - middle) * 1e-6;
            ratio[k - 1] = (to - middle) / (middle - from);
        }
    }
    if (wish.flint && (pz.length > (long)(2 * n - 1) || memcmp(z, pz.coefficients, (size_t)pz.length * sizeof *z) != 0))
        fail("FLINT's product is another one");
    printf("%zu\t%u\t%u\t%.3f\t%.3f\t%.3f\n", n, wish.bits, wish.threads, median_of(ms[0], wish.rounds),
           wish.flint ? median_of(ms[1], wish.rounds) : 0.0, wish.flint ? median_of(ratio, wish.rounds) : 0.0);
    if (wish.flint) {
        flint.clear(&pa);
        flint.clear(&pb);
        flint.clear(&pz);
    }
    free(ms[0]), free(ms[1]), free(ratio);
    free(a), free(b), free(z);
}

int main(int argc, char **argv)
{
    for (int c; (c = getopt(argc, argv, "t:r:b:f:x:p")) != -1;) {
        if (c == 't')
            wish.threads = (unsigned)atoi(optarg);
        else if (c == 'r')
            wish.rounds = (unsigned)atoi(optarg);
        else if (c == 'b')
            wish.bits = (unsigned)atoi(optarg);
        else if (c == 'f')
            wish.flint = optarg;
        else if (c == 'x')
            wish.hexl = optarg;
        else if (c == 'p')
            wish.products = true;
        else
            fail("usage: b-ntt [-t THREADS] [-r ROUNDS] [-b BITS] [-x HEXL.SO | -p [-f LIBFLINT.SO]] SIZES...");
    }
    if (wish.bits == 0)
        wish.bits = wish.products ? 60 : 50;
    if (wish.bits > 63 || wish.rounds == 0)
        fail("at most 63 bits, at least one round");
    if (wish.flint)
        flint_open(wish.flint);
    if (wish.hexl)
        hexl_open(wish.hexl);
    puts(wish.products ? "coefficients\tbits\tthreads\tgfmul_ms\tflint_ms\tflint_by_gfmul"
         : wish.hexl
             ? "points\tprime\tthreads\tforward_ns\tleast\tbackward_ns\tleast\thexl_forward_ns\tleast\thexl_backward_ns\tleast"
             : "points\tprime\tthreads\tforward_ns\tleast\tbackward_ns\tleast");
    for (; optind < argc; optind++) {
        const size_t n = strtoull(argv[optind], NULL, 10);
        if (n == 0 || (!wish.products && (n < 2 || (n & (n - 1)) != 0)))
            fail("points are a power of two");
        if (wish.products)
            products_print(n);
        else
            transforms_print(n);
        fflush(stdout);
    }
    return 0;
}
