/*
 * fuzz_ntt.c - fuzz target: transforms modulo a prime, against their definition.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "gfmul_fft.h"

enum { POINTS = 1024, ALL_POINTS = 64, SOME_POINTS = 6 };

static uint64_t mul(uint64_t a, uint64_t b, uint64_t p)
{
    return (uint64_t)((unsigned __int128)a * b % p);
}

static uint64_t power(uint64_t a, uint64_t e, uint64_t p)
{
    uint64_t r = 1 % p;
    for (a %= p; e > 0; e >>= 1, a = mul(a, a, p))
        r = e & 1 ? mul(r, a, p) : r;
    return r;
}

static bool is_prime(uint64_t p)
{
    mpz_t z;
    mpz_init_set_ui(z, p);
    const bool prime = mpz_probab_prime_p(z, 20) != 0;
    mpz_clear(z);
    return prime;
}

/* order_is - whether w has this order, 2^a times 1, 3, 5 or 7. */
static bool order_is(uint64_t w, uint64_t order, uint64_t p)
{
    for (uint64_t q = 2; q <= 7; q++)
        if (order % q == 0 && (q == 2 || q % 2 != 0) && power(w, order / q, p) == 1 % p)
            return false;
    return power(w, order, p) == 1 % p;
}

/* prime_of - a number p, mostly a prime, that is 1 modulo `order`. */
static uint64_t prime_of(struct fuzz_input *in, uint64_t order)
{
    const unsigned bits = 1 + (unsigned)fuzz_below(in, 63);
    uint64_t p = fuzz_u64(in) >> (64 - bits) | UINT64_C(1) << (bits - 1);
    if (fuzz_below(in, 32) == 0)
        return p;
    p = p / order * order + 1;
    for (unsigned tries = 0; tries < 400 && p >> 62 == 0; tries++, p += order)
        if (p > 2 && is_prime(p))
            break;
    return p;
}

/* creation_check - a plan is refused just where the contract says so. */
static void creation_check(enum gfmul_status status, size_t n, uint64_t p, const struct gfmul_ntt_options *opt)
{
    const uint64_t order = opt->negacyclic ? 2 * (uint64_t)n : n;
    size_t odd = n;
    while (odd % 2 == 0)
        odd /= 2;
    const bool length = odd == 1 || odd == 3 || odd == 5 || odd == 7, small = p >> 62 == 0;
    const bool good = p >= 2 && is_prime(p) && (p - 1) % order == 0 && !(opt->batch > 1 && opt->dist != 0 && opt->dist < n);
    const bool root = opt->root == 0 || (opt->root < p && order_is(opt->root, order, p));
    if (length && small && good && root)
        FUZZ_CHECK(status == GFMUL_OK, "%s: n %zu, p %llu", gfmul_strerror(status), n, (unsigned long long)p);
    else
        FUZZ_CHECK((status == GFMUL_ERR_UNSUPPORTED && (!length || !small)) ||
                       (status == GFMUL_ERR_ARGUMENT && (!good || !root)),
                   "%s: n %zu, p %llu", gfmul_strerror(status), n, (unsigned long long)p);
}

/* spectrum_check - X_k at all places of a short transform, at some of a long one. */
static void spectrum_check(struct fuzz_input *in, const struct gfmul_ntt *plan, const uint64_t *x, const uint64_t *spectrum,
                           size_t n, uint64_t p, bool negacyclic)
{
    const uint64_t w = gfmul_ntt_root(plan);
    const size_t tests = n <= ALL_POINTS ? n : SOME_POINTS;
    for (size_t i = 0; i < tests; i++) {
        const size_t place = n <= ALL_POINTS ? i : fuzz_below(in, n), k = gfmul_ntt_frequency(plan, place);
        FUZZ_CHECK(k < n, "frequency %zu of %zu", k, n);
        const uint64_t at = power(w, negacyclic ? 2 * k + 1 : k, p);
        uint64_t sum = 0;
        for (size_t j = n; j-- > 0;)
            sum = (uint64_t)(((unsigned __int128)sum * at + x[j]) % p);
        FUZZ_CHECK(spectrum[place] == sum, "place %zu of %zu, modulo %llu", place, n, (unsigned long long)p);
    }
}

/* numbers_fill - a batch; values that belong to no transform are not written. */
static void numbers_fill(struct fuzz_input *in, uint64_t *x, size_t words, uint64_t p)
{
    uint64_t state = fuzz_below(in, 1 << 16);
    const unsigned kind = (unsigned)fuzz_below(in, 5);
    for (size_t i = 0; i < words; i++) {
        const uint64_t r = fuzz_next(&state);
        x[i] = kind == 0 ? p - 1 : kind == 1 ? (r & 1 ? p - 1 : 0) : kind == 2 ? r % (p < 3 ? p : 3) : kind == 3 ? i % p : r % p;
    }
}

static void batch_check(struct fuzz_input *in, struct gfmul_ntt *plan, const struct gfmul_ntt_options *opt, size_t n, uint64_t p)
{
    const size_t dist = opt->dist != 0 ? opt->dist : n, words = (opt->batch - 1) * dist + n;
    const bool in_place = fuzz_below(in, 2) == 0;
    const size_t shift = fuzz_below(in, 8); /* from an address that vectors like */
    uint64_t *x = fuzz_alloc(words * sizeof *x), *memory = fuzz_alloc((words + shift) * sizeof *x), *y = memory + shift;
    numbers_fill(in, x, words, p);
    memcpy(y, x, words * sizeof *y);
    enum gfmul_status status = gfmul_ntt_forward(plan, y, in_place ? y : x);
    FUZZ_CHECK(status == GFMUL_OK, "%s", gfmul_strerror(status));
    for (size_t b = 0; b < opt->batch; b++)
        spectrum_check(in, plan, x + b * dist, y + b * dist, n, p, opt->negacyclic != 0);
    if (fuzz_below(in, 4) == 0) { /* a square of polynomials, one coefficient of it */
        status = gfmul_ntt_multiply(plan, y, y, y);
        FUZZ_CHECK(status == GFMUL_OK, "%s", gfmul_strerror(status));
        uint64_t *z = fuzz_alloc(words * sizeof *z);
        memcpy(z, y, words * sizeof *z);
        status = gfmul_ntt_backward(plan, in_place ? y : z, y);
        FUZZ_CHECK(status == GFMUL_OK, "%s", gfmul_strerror(status));
        const size_t k = fuzz_below(in, n);
        uint64_t want = 0;
        for (size_t i = 0; i < n; i++) {
            const uint64_t one = mul(x[i], x[(k + n - i) % n], p);
            want = (want + (opt->negacyclic && i > k && one != 0 ? p - one : one)) % p;
        }
        want = opt->scale ? want : mul(want, n % p, p);
        FUZZ_CHECK((in_place ? y : z)[k] == want, "coefficient %zu of a product", k);
        free(z);
    } else {
        status = gfmul_ntt_backward(plan, y, y);
        FUZZ_CHECK(status == GFMUL_OK, "%s", gfmul_strerror(status));
        for (size_t i = 0; i < words; i++)
            if (i % dist < n)
                FUZZ_CHECK(y[i] == (opt->scale ? x[i] : mul(x[i], n % p, p)), "number %zu, there and back", i);
    }
    for (size_t i = 0; i < words; i++)
        FUZZ_CHECK(i % dist < n || y[i] == x[i], "number %zu, which belongs to no transform", i);
    const size_t bad = fuzz_below(in, n);
    x[bad] = p + fuzz_below(in, 3) * (UINT64_MAX - p) / 2;
    status = gfmul_ntt_forward(plan, y, x);
    FUZZ_CHECK(status == GFMUL_ERR_ARGUMENT, "a number that is not below p: %s", gfmul_strerror(status));
    free(memory);
    free(x);
}

void fuzz_ntt(struct fuzz_input *in)
{
    struct gfmul_ntt_options opt;
    gfmul_ntt_options_init(&opt);
    const unsigned how = fuzz_u8(in), length = fuzz_u8(in);
    static const unsigned odds[] = {1, 3, 5, 7};
    const size_t n = length < 240 ? (size_t)odds[length & 3] << (length >> 2) % 8 : fuzz_size(in, POINTS);
    opt.negacyclic = how & 1;
    opt.scale = how & 2;
    opt.order = how & 4 ? GFMUL_FFT_PERMUTED : GFMUL_FFT_NATURAL;
    opt.threads = 1 + (how >> 3 & 1);
    opt.batch = how & 16 ? 1 + fuzz_below(in, 5) : 1;
    opt.dist = how & 32 ? n + fuzz_below(in, 20) - 1 : 0;
    const uint64_t order = opt.negacyclic ? 2 * (uint64_t)n : n, p = prime_of(in, order);
    struct gfmul_ntt *plan;
    if (how & 64)
        opt.root = fuzz_u64(in) % (p > 1 ? p : 1);
    enum gfmul_status status = gfmul_ntt_create(&plan, n, p, &opt);
    creation_check(status, n, p, &opt);
    FUZZ_CHECK((status == GFMUL_OK) == (plan != NULL), "status and plan");
    if (plan == NULL)
        return;
    FUZZ_CHECK(order_is(gfmul_ntt_root(plan), order, p), "the root has another order");
    if (how & 128 && p > 2) { /* the same with another root */
        const uint64_t root = power(gfmul_ntt_root(plan), order - 1, p); /* its inverse */
        gfmul_ntt_destroy(plan);
        opt.root = root;
        status = gfmul_ntt_create(&plan, n, p, &opt);
        FUZZ_CHECK(status == GFMUL_OK && gfmul_ntt_root(plan) == root, "%s", gfmul_strerror(status));
    }
    batch_check(in, plan, &opt, n, p);
    gfmul_ntt_destroy(plan);
}
