/*
 * lattice.c - a product in the ring of lattice cryptography: two polynomials modulo x^n + 1 and modulo the product of k primes.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Build:  cc lattice.c -o lattice $(pkg-config --cflags --libs gfmul)
 * Run:    lattice [LOG2_N [PRIMES]]
 *
 * A ciphertext of homomorphic encryption is a pair of such polynomials.  Coefficients are kept as residues modulo each prime, and
 * nothing is ever joined: sums and products go prime by prime.  The program checks one coefficient by its definition.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <gfmul_fft.h>

enum { PRIMES_MAX = 32 };

static void stop(const char *what, enum gfmul_status status)
{
    fprintf(stderr, "lattice: %s: %s\n", what, gfmul_strerror(status));
    exit(1);
}

/* primes_choose - the k largest primes below 2^61 that are 1 modulo 2 n: a plan refuses all other numbers. */
static void primes_choose(uint64_t *p, size_t k, size_t n, const struct gfmul_ntt_options *opt)
{
    uint64_t candidate = (UINT64_C(1) << 61) - 2 * n + 1;
    for (size_t i = 0; i < k; candidate -= 2 * n) {
        struct gfmul_ntt *plan;
        const enum gfmul_status status = gfmul_ntt_create(&plan, n, candidate, opt);
        if (status == GFMUL_OK)
            p[i++] = candidate;
        else if (status != GFMUL_ERR_ARGUMENT)
            stop("primes", status);
        gfmul_ntt_destroy(plan);
    }
}

int main(int argc, char **argv)
{
    const size_t n = (size_t)1 << (argc > 1 ? atoi(argv[1]) : 13), k = argc > 2 ? (size_t)atoi(argv[2]) : 4;
    uint64_t p[PRIMES_MAX], seed = 1;
    struct gfmul_ntt_options opt;
    struct gfmul_ntt *plan;
    if (n < 2 || n > (size_t)1 << 24 || k == 0 || k > PRIMES_MAX)
        stop("sizes", GFMUL_ERR_ARGUMENT);

    gfmul_ntt_options_init(&opt);
    opt.negacyclic = 1;             /* modulo x^n + 1 */
    opt.scale = 1;                  /* backward is the inverse */
    opt.order = GFMUL_FFT_PERMUTED; /* spectra are only added and multiplied */
    primes_choose(p, k, n, &opt);
    enum gfmul_status status = gfmul_ntt_create_rns(&plan, n, p, k, &opt);
    if (status != GFMUL_OK)
        stop("plan", status);

    /* residues prime after prime, in buffers that vectors like */
    uint64_t *a = aligned_alloc(64, (k * n * sizeof *a + 63) / 64 * 64),
             *b = aligned_alloc(64, (k * n * sizeof *b + 63) / 64 * 64);
    if (a == NULL || b == NULL)
        stop("buffers", GFMUL_ERR_MEMORY);
    for (size_t j = 0; j < n; j++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        const uint64_t large = seed >> 3, small = seed >> 62; /* below 2^61; an error of 0 .. 3, less 1 */
        for (size_t i = 0; i < k; i++) {
            a[i * n + j] = large % p[i];
            b[i * n + j] = small > 0 ? small - 1 : p[i] - 1;
        }
    }
    uint64_t want[PRIMES_MAX]; /* coefficient 0: a_0 b_0 - sum over j > 0 of a_j b_(n - j) */
    for (size_t i = 0; i < k; i++) {
        want[i] = (uint64_t)((unsigned __int128)a[i * n] * b[i * n] % p[i]);
        for (size_t j = 1; j < n; j++) {
            const uint64_t one = (uint64_t)((unsigned __int128)a[i * n + j] * b[i * n + n - j] % p[i]);
            want[i] = want[i] >= one ? want[i] - one : want[i] + (p[i] - one);
        }
    }

    if ((status = gfmul_ntt_forward(plan, a, a)) != GFMUL_OK || (status = gfmul_ntt_forward(plan, b, b)) != GFMUL_OK ||
        (status = gfmul_ntt_multiply(plan, a, a, b)) != GFMUL_OK || (status = gfmul_ntt_backward(plan, a, a)) != GFMUL_OK)
        stop("product", status);

    for (size_t i = 0; i < k; i++) {
        printf("modulo %llu: coefficient 0 is %llu\n", (unsigned long long)p[i], (unsigned long long)a[i * n]);
        if (a[i * n] != want[i])
            stop("coefficient 0 is wrong", GFMUL_ERR_VERIFY);
    }
    gfmul_ntt_destroy(plan);
    free(a);
    free(b);
    return 0;
}
