/*
 * mpi_products.c - products and convolutions over ranks against GMP and plain sums (t-mpi.sh).
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 *     mpirun -n RANKS mpi_products all SEED                    short products, convolutions and errors
 *     mpirun -n RANKS mpi_products products SEED COUNT MOST    COUNT products of up to MOST limbs
 *     mpirun -n RANKS mpi_products words SEED COUNT MOST       COUNT products of up to MOST words of other bases
 *     mpirun -n RANKS mpi_products convolutions SEED COUNT MOST
 *     mpirun -n RANKS mpi_products errors SEED                 wrong arguments and no memory on one rank
 *     mpirun -n RANKS mpi_products killed SEED                 products until the last rank kills itself
 *     mpirun -n RANKS mpi_products time LIMBS THREADS          seconds of products of LIMBS by LIMBS
 */
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "mpi/gfmul_mpi.h"

static int rank, size;
static uint64_t state;
static unsigned long failures;

/* draw - the same numbers on all ranks, which call it alike: splitmix64. */
static uint64_t draw(void)
{
    uint64_t x = state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* draw_size - 0 .. most, each number of bits alike. */
static size_t draw_size(size_t most)
{
    unsigned bits = 0;
    while (most >> bits > 0)
        bits++;
    const size_t n = (size_t)(draw() >> (63 - draw() % (bits + 1)) >> 1);
    return n > most ? most : n;
}

static void *allocate(size_t n)
{
    void *const p = calloc(n + 1, sizeof(uint64_t));
    if (p == NULL) {
        fprintf(stderr, "no memory for a test\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return p;
}

/* number_fill - a number of a kind: random; all ones; 0; long runs of bits; one bit; ones and a last limb of 1. */
static void number_fill(mp_limb_t *a, size_t n, unsigned kind)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t x = draw();
        a[i] = kind == 0 ? x : kind == 1 || kind == 5 ? UINT64_MAX : kind == 3 ? (x & 4 ? 0 - (x >> 63) : x << (x & 63)) : 0;
    }
    if (kind == 4 && n > 0)
        a[draw() % n] = UINT64_C(1) << (draw() & 63);
    if (kind == 5 && n > 0)
        a[0] = 1;
}

/* gathered - the whole number, on rank 0. */
static void gathered(uint64_t *all, const uint64_t *block, size_t n)
{
    int counts[size], at[size];
    for (int i = 0; i < size; i++) {
        counts[i] = (int)gfmul_mpi_count(n, size, i);
        at[i] = (int)gfmul_mpi_first(n, size, i);
    }
    MPI_Gatherv(block, counts[rank], MPI_UINT64_T, all, counts, at, MPI_UINT64_T, 0, MPI_COMM_WORLD);
}

static void compared(const char *what, const uint64_t *z, const uint64_t *want, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (z[i] != want[i]) {
            fprintf(stderr, "FAILED: %s, %d ranks: place %zu of %zu is %016" PRIx64 ", not %016" PRIx64 "\n", what, size, i, n,
                    z[i], want[i]);
            failures++;
            return;
        }
}

/* The profiling interface of MPI: the move that counts down to 0 on this rank has a flipped bit. */
static unsigned damage;

/* For the library to find it: objects hide what no header shows, and MPICH's does not. */
__attribute__((visibility("default"))) int MPI_Ialltoallv(const void *from, const int *counts, const int *at, MPI_Datatype type,
                                                          void *to, const int *to_counts, const int *to_at,
                                                          MPI_Datatype to_type, MPI_Comm comm, MPI_Request *request)
{
    if (damage > 0 && --damage == 0 && counts[0] > 0)
        *(uint64_t *)(uintptr_t)from ^= 1; /* at is 0 there, and the memory is the library's own */
    return PMPI_Ialltoallv(from, counts, at, type, to, to_counts, to_at, to_type, comm, request);
}

static struct gfmul_mpi_ctx *context(unsigned threads, unsigned digit_bytes)
{
    struct gfmul_mpi_options opt;
    struct gfmul_mpi_ctx *ctx;
    gfmul_mpi_options_init(&opt);
    opt.threads = threads;
    opt.digit_bytes = digit_bytes;
    const enum gfmul_status status = gfmul_mpi_ctx_create(&ctx, MPI_COMM_WORLD, &opt);
    if (status != GFMUL_OK) {
        fprintf(stderr, "FAILED: context: %s\n", gfmul_strerror(status));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return ctx;
}

/* product_kinds - a product of numbers of two kinds. */
static void product_kinds(struct gfmul_mpi_ctx *ctx, size_t an, unsigned a_kind, size_t bn, unsigned b_kind, bool square,
                          const char *what)
{
    bn = square ? an : bn;
    const size_t zn = an + bn;
    mp_limb_t *const a = allocate(an), *const b = allocate(bn), *const z = allocate(zn), *const want = allocate(zn);
    mp_limb_t *const block = allocate(gfmul_mpi_count(zn, size, rank));
    char line[200];
    number_fill(a, an, a_kind);
    number_fill(b, bn, b_kind);
    snprintf(line, sizeof line, "%s, %zu by %zu limbs, kinds %u and %u%s", what, an, bn, a_kind, b_kind,
             square ? ", square" : "");
    const mp_limb_t *const x = a + gfmul_mpi_first(an, size, rank), *const y = b + gfmul_mpi_first(bn, size, rank);
    const enum gfmul_status status = gfmul_mpi_mul(ctx, block, x, an, square ? x : y, bn);
    if (status != GFMUL_OK) {
        fprintf(stderr, "FAILED: %s: rank %d has %s\n", line, rank, gfmul_strerror(status));
        failures++;
    }
    gathered(z, block, zn);
    if (rank == 0 && status == GFMUL_OK) {
        if (an >= bn && bn > 0)
            mpn_mul(want, a, (mp_size_t)an, square ? a : b, (mp_size_t)bn);
        else if (an > 0 && bn > 0)
            mpn_mul(want, b, (mp_size_t)bn, a, (mp_size_t)an);
        compared(line, z, want, zn);
    }
    free(a);
    free(b);
    free(z);
    free(want);
    free(block);
}

static void product_test(struct gfmul_mpi_ctx *ctx, size_t an, size_t bn, bool square, const char *what)
{
    const unsigned a_kind = (unsigned)(draw() % 6), b_kind = (unsigned)(draw() % 6);
    product_kinds(ctx, an, a_kind, bn, b_kind, square, what);
}

/* chains - ones on both sides: carries run through the blocks of all ranks. */
static void chains(void)
{
    struct gfmul_mpi_ctx *const ctx = context(1, 0);
    for (unsigned kinds = 0; kinds < 4; kinds++)
        for (size_t n = 1; n < 5000; n = 9 * n + draw() % 3)
            product_kinds(ctx, n, kinds & 1 ? 5 : 1, n + draw() % (n + 1), kinds & 2 ? 5 : 1, false, "chain");
    gfmul_mpi_ctx_destroy(ctx);
}

static void products(unsigned long count, size_t most)
{
    static const unsigned digits[] = {0, 10, 9, 8, 7, 3, 2};
    char what[80];
    for (unsigned long i = 0; i < count; i++) {
        const unsigned threads = 1 + (unsigned)(draw() % 3), digit = digits[draw() % (sizeof digits / sizeof *digits)];
        snprintf(what, sizeof what, "product %lu, %u threads, digits of %u", i, threads, digit);
        struct gfmul_mpi_ctx *const ctx = context(threads, digit);
        for (unsigned again = 0; again <= draw() % 2; again++) { /* a context's tables are kept */
            const size_t an = draw_size(most), bn = draw() % 2 ? draw_size(most) : an - draw() % (an / 8 + 1);
            product_test(ctx, an, bn, draw() % 4 == 0, what);
        }
        gfmul_mpi_ctx_destroy(ctx);
    }
}

/* words_fill - words below a base: random, the largest, or those and a last word of 1. */
static void words_fill(uint64_t *a, size_t n, uint64_t base, unsigned kind)
{
    for (size_t i = 0; i < n; i++)
        a[i] = kind == 0 ? draw() % base : base - 1;
    if (kind == 2 && n > 0)
        a[0] = 1;
}

/* words_test - against products word by word. */
static void words_test(struct gfmul_mpi_ctx *ctx, size_t an, size_t bn, uint64_t base, const char *what)
{
    const size_t zn = an + bn;
    uint64_t *const a = allocate(an), *const b = allocate(bn), *const z = allocate(zn), *const want = allocate(zn);
    uint64_t *const block = allocate(gfmul_mpi_count(zn, size, rank));
    const bool square = an == bn && draw() % 3 == 0;
    words_fill(a, an, base, (unsigned)(draw() % 3));
    words_fill(b, bn, base, (unsigned)(draw() % 3));
    const uint64_t *const x = a + gfmul_mpi_first(an, size, rank), *const y = b + gfmul_mpi_first(bn, size, rank);
    const enum gfmul_status status = gfmul_mpi_mul_words(ctx, block, x, an, square ? x : y, bn, base);
    if (status != GFMUL_OK) {
        fprintf(stderr, "FAILED: %s: rank %d has %s\n", what, rank, gfmul_strerror(status));
        failures++;
    }
    gathered(z, block, zn);
    for (size_t i = 0; i < an && rank == 0; i++) {
        uint64_t carry = 0;
        for (size_t j = 0; j < bn; j++) {
            const unsigned __int128 v = (unsigned __int128)a[i] * (square ? a : b)[j] + want[i + j] + carry;
            want[i + j] = (uint64_t)(v % base);
            carry = (uint64_t)(v / base);
        }
        want[i + bn] = carry;
    }
    if (rank == 0 && status == GFMUL_OK)
        compared(what, z, want, zn);
    free(a);
    free(b);
    free(z);
    free(want);
    free(block);
}

static void words(unsigned long count, size_t most)
{
    static const uint64_t bases[] = {UINT64_C(1000000000000000000), UINT64_C(1) << 32, (UINT64_C(1) << 32) + 15,
                                     UINT64_C(1) << 63, UINT64_C(1) << 60, UINT64_C(4738381338321616896) /* 36^12 */};
    char what[120];
    struct gfmul_mpi_ctx *const ctx = context(1 + (unsigned)(draw() % 2), draw() % 2 ? 0 : 3);
    for (unsigned long i = 0; i < count; i++) {
        const size_t an = draw_size(most), bn = draw() % 2 ? draw_size(most) : an;
        const uint64_t other = (UINT64_C(1) << 32) + (draw() >> (1 + draw() % 31)) % ((UINT64_C(1) << 63) - (UINT64_C(1) << 32));
        const size_t which = draw() % 8;
        const uint64_t base = which < sizeof bases / sizeof *bases ? bases[which] : other;
        snprintf(what, sizeof what, "words %lu, %zu by %zu, base %" PRIu64, i, an, bn, base);
        words_test(ctx, an, bn, base, what);
    }
    gfmul_mpi_ctx_destroy(ctx);
}

static void convolution_test(struct gfmul_mpi_ctx *ctx, size_t xn, size_t yn, uint64_t m, const char *what)
{
    const size_t zn = xn + yn - 1;
    uint64_t *const x = allocate(xn), *const y = allocate(yn), *const z = allocate(zn), *const want = allocate(zn);
    uint64_t *const block = allocate(gfmul_mpi_count(zn, size, rank));
    const bool largest = draw() % 3 == 0;
    for (size_t i = 0; i < xn; i++)
        x[i] = largest ? m - 1 : draw() % m;
    for (size_t i = 0; i < yn; i++)
        y[i] = largest ? m - 1 : draw() % m;
    const enum gfmul_status status = gfmul_mpi_convolve(ctx, block, x + gfmul_mpi_first(xn, size, rank), xn,
                                                        y + gfmul_mpi_first(yn, size, rank), yn, m);
    if (status != GFMUL_OK) {
        fprintf(stderr, "FAILED: %s: rank %d has %s\n", what, rank, gfmul_strerror(status));
        failures++;
    }
    gathered(z, block, zn);
    for (size_t i = 0; i < xn && rank == 0; i++)
        for (size_t j = 0; j < yn; j++)
            want[i + j] = (uint64_t)(((unsigned __int128)x[i] * y[j] + want[i + j]) % m);
    if (rank == 0 && status == GFMUL_OK)
        compared(what, z, want, zn);
    free(x);
    free(y);
    free(z);
    free(want);
    free(block);
}

static void convolutions(unsigned long count, size_t most)
{
    char what[120];
    struct gfmul_mpi_ctx *const ctx = context(1, 0);
    for (unsigned long i = 0; i < count; i++) {
        const size_t xn = 1 + draw_size(most), yn = 1 + draw_size(most);
        const uint64_t m = draw() % 8 == 0 ? UINT64_C(1) << 63 : draw() % 8 == 0 ? 1 : 1 + (draw() >> (1 + draw() % 63));
        snprintf(what, sizeof what, "convolution %lu of %zu by %zu numbers modulo %" PRIu64, i, xn, yn, m);
        convolution_test(ctx, xn, yn, m, what);
    }
    gfmul_mpi_ctx_destroy(ctx);
}

static void wanted(const char *what, enum gfmul_status status, enum gfmul_status want)
{
    if (status == want)
        return;
    fprintf(stderr, "FAILED: %s: rank %d has %d (%s), not %d\n", what, rank, (int)status, gfmul_strerror(status), (int)want);
    failures++;
}

/* errors - an error of one rank is an error of all, and nothing is written. */
static void errors(void)
{
    enum { N = 2000, LARGE = 6000000 };
    struct gfmul_mpi_ctx *ctx = context(1, 0);
    const int bad = (int)(draw() % (unsigned)size);
    uint64_t *const a = allocate(LARGE), *const z = allocate(2 * LARGE);
    z[0] = 1234567;
    wanted("NULL", gfmul_mpi_mul(ctx, rank == bad ? NULL : z, a, N, a, N), GFMUL_ERR_ARGUMENT);
    wanted("NULL operand", gfmul_mpi_mul(ctx, z, a, N, rank == bad ? NULL : a, N), GFMUL_ERR_ARGUMENT);
    wanted("overlap", gfmul_mpi_mul(ctx, rank == bad ? a : z, a, N, a, N), GFMUL_ERR_OVERLAP);
    if (size > 1)
        wanted("lengths", gfmul_mpi_mul(ctx, z, a, rank == bad ? N : N + 1, a, N), GFMUL_ERR_ARGUMENT);
    wanted("too long", gfmul_mpi_mul(ctx, z, a, SIZE_MAX / 2, a, N), GFMUL_ERR_SIZE);
    wanted("no numbers", gfmul_mpi_convolve(ctx, z, a, 0, a, N, 7), GFMUL_ERR_ARGUMENT);
    wanted("modulus 0", gfmul_mpi_convolve(ctx, z, a, N, a, N, 0), GFMUL_ERR_ARGUMENT);
    wanted("large modulus", gfmul_mpi_convolve(ctx, z, a, N, a, N, (UINT64_C(1) << 63) + 1), GFMUL_ERR_ARGUMENT);
    a[3] = rank == bad ? 7 : 6;
    wanted("not reduced", gfmul_mpi_convolve(ctx, z, a, N, a, N, 7), GFMUL_ERR_ARGUMENT);
    a[3] = 6;
    wanted("no context", gfmul_mpi_mul(NULL, z, a, N, a, N), GFMUL_ERR_ARGUMENT);
    wanted("short base", gfmul_mpi_mul_words(ctx, z, a, N, a, N, UINT32_MAX), GFMUL_ERR_ARGUMENT);
    wanted("long base", gfmul_mpi_mul_words(ctx, z, a, N, a, N, (UINT64_C(1) << 63) + 1), GFMUL_ERR_ARGUMENT);
    wanted("base 0", gfmul_mpi_mul_words(ctx, z, a, N, a, N, 0), GFMUL_ERR_ARGUMENT);
    a[3] = rank == bad ? UINT64_C(1) << 32 : 6;
    wanted("word too large", gfmul_mpi_mul_words(ctx, z, a, N, a, N, UINT64_C(1) << 32), GFMUL_ERR_ARGUMENT);
    a[3] = 6;
    if (size > 1)
        wanted("bases", gfmul_mpi_mul_words(ctx, z, a, N, a, N, (UINT64_C(1) << 32) + (rank == bad)), GFMUL_ERR_ARGUMENT);
    for (unsigned move = 1; move <= 9; move++) { /* of a, of b, and back, three times; rank 0 has columns and rows */
        for (size_t i = 0; i < N; i++)
            a[i] = draw();
        damage = rank == 0 ? move : 0;
        wanted("a flipped bit", gfmul_mpi_mul(ctx, z, a, N, a, N - 9), GFMUL_ERR_VERIFY);
        for (size_t i = 0; i < N; i++)
            a[i] >>= 1;
        damage = rank == 0 ? move : 0;
        wanted("a flipped bit of words", gfmul_mpi_mul_words(ctx, z, a, N, a, N - 9, UINT64_C(1) << 63), GFMUL_ERR_VERIFY);
    }
    struct gfmul_mpi_ctx *const digits = context(1, 10);
    uint64_t *const far = (uint64_t *)(UINTPTR_MAX / 2 / 64 * 8); /* no limb there is read */
    wanted("long digits", gfmul_mpi_mul(digits, z, far, (size_t)1 << 27, far, (size_t)1 << 27), GFMUL_ERR_SIZE);
    gfmul_mpi_ctx_destroy(digits);
    struct rlimit old, low;
    getrlimit(RLIMIT_AS, &old);
    low = old;
    low.rlim_cur = 1 << 20; /* less than there is by now */
    if (rank == bad)
        setrlimit(RLIMIT_AS, &low);
    const enum gfmul_status status = gfmul_mpi_mul(ctx, z, a, LARGE, a, LARGE);
    setrlimit(RLIMIT_AS, &old);
    wanted("no memory", status, GFMUL_ERR_MEMORY);
    if (z[0] != 1234567) {
        fprintf(stderr, "FAILED: rank %d was written to\n", rank);
        failures++;
    }
    gfmul_mpi_ctx_destroy(ctx);
    struct gfmul_mpi_options opt;
    gfmul_mpi_options_init(&opt);
    opt.threads = rank == bad ? 5000 : 1;
    wanted("threads", gfmul_mpi_ctx_create(&ctx, MPI_COMM_WORLD, &opt), GFMUL_ERR_ARGUMENT);
    ctx = context(1, 0); /* and the ranks are still in step */
    product_test(ctx, N, N / 2, false, "after errors");
    gfmul_mpi_ctx_destroy(ctx);
    free(a);
    free(z);
}

static void killed(void)
{
    struct gfmul_mpi_ctx *const ctx = context(1, 0);
    for (unsigned i = 0;; i++) {
        product_test(ctx, 3000, 3000, false, "until one is killed");
        if (i == 3 && rank == size - 1)
            raise(SIGKILL);
    }
}

static void timed(size_t n, unsigned threads)
{
    struct gfmul_mpi_ctx *const ctx = context(threads, 0);
    const size_t count = gfmul_mpi_count(n, size, rank);
    mp_limb_t *const a = allocate(count), *const b = allocate(count), *const z = allocate(gfmul_mpi_count(2 * n, size, rank));
    state += (unsigned)rank;
    number_fill(a, count, 0);
    number_fill(b, count, 0);
    for (unsigned i = 0; i < 6; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        const clock_t begin = clock();
        if (gfmul_mpi_mul(ctx, z, a, n, b, n) != GFMUL_OK)
            failures++;
        double used = (double)(clock() - begin) / CLOCKS_PER_SEC, most;
        MPI_Reduce(&used, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0 && i > 0) /* the first one makes tables */
            printf("%d ranks, %u threads, %zu limbs: %.4f s, of processors %.4f s for one rank at most\n", size, threads, n,
                   MPI_Wtime() - start, most);
    }
    gfmul_mpi_ctx_destroy(ctx);
    free(a);
    free(b);
    free(z);
}

int main(int argc, char **argv)
{
    int level;
    unsigned long all;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *const mode = argc > 2 ? argv[1] : "";
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    const unsigned long count = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    const size_t most = argc > 4 ? (size_t)strtoull(argv[4], NULL, 10) : 0;
    if (strcmp(mode, "all") == 0) {
        chains();
        products(8, 3000);
        products(3, 100000);
        words(10, 1500);
        convolutions(6, 700);
        errors();
    } else if (strcmp(mode, "products") == 0)
        products(count, most);
    else if (strcmp(mode, "words") == 0)
        words(count, most);
    else if (strcmp(mode, "convolutions") == 0)
        convolutions(count, most);
    else if (strcmp(mode, "errors") == 0)
        errors();
    else if (strcmp(mode, "killed") == 0)
        killed();
    else if (strcmp(mode, "time") == 0)
        timed((size_t)state, (unsigned)count);
    else
        failures++;
    MPI_Allreduce(&failures, &all, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (all > 0 && rank == 0)
        fprintf(stderr, "FAILED: mpirun -n %d %s %s %s %s %s\n", size, argv[0], mode, argc > 2 ? argv[2] : "",
                argc > 3 ? argv[3] : "", argc > 4 ? argv[4] : "");
    MPI_Finalize();
    return all > 0;
}
