/* t-ntt.c - transforms modulo a caller's prime, against their definition, on vectors of every instruction set and in words. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "gfmul_fft.h"
#include "prime/prime_ring.h"
#include "test.h"

static uint64_t mul(uint64_t a, uint64_t b, uint64_t p)
{
    return (uint64_t)((unsigned __int128)a * b % p);
}

/* prime_near - the largest prime below `limit`, or the least above, that is 1 modulo `step`; 0: there is none. */
static uint64_t prime_near(uint64_t limit, uint64_t step, bool least)
{
    if (least) {
        uint64_t p = limit / step * step + 1;
        for (p = p < 3 ? p + step : p; p % 2 == 0 || !random_is_prime(p); p += step)
            continue;
        return p;
    }
    for (uint64_t p = (limit - 2) / step * step + 1; p > 2; p -= step)
        if (p % 2 != 0 && random_is_prime(p))
            return p;
    return 0;
}

/*
 * prime_corner - primes that admit the order: the least one, near the limit of doubles on both sides, the largest one below 2^62,
 * around 2^52, which products of 52 bits cut, and others.
 */
static uint64_t prime_corner(unsigned which, uint64_t order)
{
    const uint64_t limit = (uint64_t)PRIME_LIMIT;
    switch (which) {
    case 0:
        return prime_near(1, order, true);
    case 1:
        return prime_near(limit, order, false);
    case 2:
        return prime_near(limit + 1, order, true);
    case 3:
        return prime_near(UINT64_C(1) << 62, order, false);
    case 4:
        return prime_near(UINT64_C(1) << 30, order, false);
    case 5:
        return prime_near(UINT64_C(1) << 52, order, test_below(2));
    case 6:
        return prime_near(UINT64_C(1) << 61, order, test_below(2));
    default:
        return prime_near(test_below(UINT64_C(1) << 61) + 2 * order + 8, order, false);
    }
}

enum { PRIME_CORNERS = 8, FILLS = 5 };

static void fill(uint64_t *x, size_t n, uint64_t p, unsigned how)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = test_below(p);
        x[i] = how == 0   ? 0
               : how == 1 ? p - 1
               : how == 2 ? (i == 0 ? p - 1 : 0)
               : how == 3 ? (r % 3 == 0 ? p - 1 : r % 3 - 1)
                          : r;
    }
}

/* value_at - the polynomial x of n coefficients at w. */
static uint64_t value_at(const uint64_t *x, size_t n, uint64_t w, uint64_t p)
{
    uint64_t v = 0;
    for (size_t i = n; i-- > 0;)
        v = (uint64_t)(((unsigned __int128)v * w + x[i]) % p);
    return v;
}

/* spectrum_check - all values of a short spectrum, some of a long one. */
static bool spectrum_check(const struct gfmul_ntt *plan, const uint64_t *got, const uint64_t *x, size_t n, uint64_t p,
                           bool negacyclic)
{
    const uint64_t w = gfmul_ntt_root(plan);
    const size_t step = n > 512 ? n / 13 : 1;
    for (size_t place = 0; place < n; place += step) {
        const uint64_t k = gfmul_ntt_frequency(plan, place),
                       want = value_at(x, n, residue_power(w, negacyclic ? 2 * k + 1 : k, p), p);
        if (!TEST_CHECK_MSG(got[place] == want, "place %zu: %" PRIu64 ", not %" PRIu64, place, got[place], want))
            return false;
    }
    return true;
}

/* product_check - z = a b modulo x^n - 1 or x^n + 1, some coefficients of a long one. */
static bool product_check(const uint64_t *z, const uint64_t *a, const uint64_t *b, size_t n, uint64_t p, bool negacyclic)
{
    const size_t step = n > 512 ? n / 7 : 1;
    for (size_t k = 0; k < n; k += step) {
        uint64_t want = 0;
        for (size_t i = 0; i < n; i++) {
            const uint64_t one = mul(a[i], b[(k + n - i) % n], p);
            want = (want + (negacyclic && i > k && one != 0 ? p - one : one)) % p;
        }
        if (!TEST_CHECK_MSG(z[k] == want, "coefficient %zu: %" PRIu64 ", not %" PRIu64, k, z[k], want))
            return false;
    }
    return true;
}

/* plan_check - one transform: its values, the way back, a product, in place. */
static bool plan_check(size_t n, uint64_t p, const struct gfmul_ntt_options *opt, unsigned how)
{
    struct gfmul_ntt *plan;
    uint64_t *memory = test_alloc_zeroed(4 * n + 1, sizeof *memory), *a = memory, *b = a + n, *x = b + n, *y = x + n + 1;
    test_note("n=%zu p=%" PRIu64 " negacyclic=%d order=%d threads=%u fill %u", n, p, opt->negacyclic, opt->order, opt->threads,
              how);
    bool good = TEST_OK(gfmul_ntt_create(&plan, n, p, opt));
    if (good) {
        fill(a, n, p, how);
        fill(b, n, p, (unsigned)test_below(FILLS));
        good = TEST_OK(gfmul_ntt_forward(plan, x, a)) && spectrum_check(plan, x, a, n, p, opt->negacyclic);
        memcpy(y, b, n * sizeof *y);
        good = good && TEST_OK(gfmul_ntt_forward(plan, y, y)) && spectrum_check(plan, y, b, n, p, opt->negacyclic) &&
               TEST_OK(gfmul_ntt_multiply(plan, y, x, y)) && TEST_OK(gfmul_ntt_backward(plan, y, y)) &&
               TEST_OK(gfmul_ntt_backward(plan, x, x));
        for (size_t i = 0; good && !opt->scale && i < n; i++) {
            good = TEST_CHECK(x[i] == mul(n % p, a[i], p));
            y[i] = mul(y[i], residue_inverse(n % p, p), p);
        }
        good = good && product_check(y, a, b, n, p, opt->negacyclic) && (!opt->scale || test_equal_limbs(x, a, n));
        gfmul_ntt_destroy(plan);
    }
    free(memory);
    return good;
}

/* Every length, kind and order, modulo primes at the corners, against the definition. */
static void test_definition(void)
{
    const size_t longest = (size_t)test_tier(300, 2000, 5000);
    for (unsigned i = 0; prime_odd(i) != 0; i++)
        for (size_t n = prime_odd(i); n <= longest; n *= 2)
            for (unsigned choice = 0; choice < 4 * PRIME_CORNERS; choice++) {
                struct gfmul_ntt_options opt;
                gfmul_ntt_options_init(&opt);
                opt.negacyclic = choice & 1;
                opt.order = choice & 2 ? GFMUL_FFT_PERMUTED : GFMUL_FFT_NATURAL;
                opt.scale = (int)test_below(2);
                opt.threads = 1 + (unsigned)test_below(3);
                if (!plan_check(n, prime_corner(choice / 4, opt.negacyclic ? 2 * n : n), &opt, (unsigned)test_below(FILLS)))
                    return;
            }
}

/* Long ones, with passes in parts for the threads. */
static void test_long(void)
{
    for (unsigned i = 0; i < (unsigned)test_tier(8, 40, 200); i++) {
        struct gfmul_ntt_options opt;
        const size_t n = (size_t)prime_odd(i % 4) << test_between(12, i < 4 ? 17 : 15);
        gfmul_ntt_options_init(&opt);
        opt.negacyclic = (int)test_below(2);
        opt.order = test_below(2) ? GFMUL_FFT_PERMUTED : GFMUL_FFT_NATURAL;
        opt.scale = 1;
        opt.threads = 1 + i % 4;
        if (!plan_check(n, prime_corner(i % 8 == 7 ? 3 : 1, 2 * n), &opt, i % 3 == 0 ? 1 : 4))
            return;
    }
}

/* ring_check - rings of `ops` agree with words one at a time in every bit, at both ends. */
static void ring_check(const struct prime_ops *ops, const struct prime *prime, unsigned odd, unsigned levels, bool negacyclic)
{
    const size_t n = (size_t)odd << levels;
    const unsigned threads = test_below(4) == 0 ? 2 + (unsigned)test_below(2) : 1; /* few, as they wait for each other */
    const uint64_t p = prime->p;
    const struct prime_ops *words = prime_word_ops(isa_ops_list(0), 0, p, NULL);
    struct prime_ring *ring, *word;
    uint64_t *a = test_alloc_zeroed(n, sizeof *a), *x = alloc_aligned(n * sizeof *x), *z = test_alloc_zeroed(n, sizeof *z);
    test_note("n=%zu p=%" PRIu64 " negacyclic=%d threads=%u %u words of %u lanes", n, p, negacyclic, threads, ops->factor_words,
              ops->width);
    if (x && TEST_OK(prime_ring_create(&ring, prime, odd, levels, negacyclic, ops)) &&
        TEST_OK(prime_ring_create(&word, prime, odd, levels, negacyclic, words))) {
        fill(a, n, p, (unsigned)test_below(FILLS));
        TEST_CHECK(ring->ops->ring_words_forward(ring, x, a, threads));
        TEST_CHECK(words->ring_words_forward(word, a, a, 1));
        TEST_CHECK(test_equal_limbs(x, a, n));
        fill(a, n, p, (unsigned)test_below(FILLS));
        memcpy(x, a, n * sizeof *x);
        TEST_CHECK(ring->ops->ring_words_back(ring, z, x, x, levels % 2, threads));
        TEST_CHECK(words->ring_words_back(word, a, a, a, levels % 2, 1));
        TEST_CHECK(test_equal_limbs(z, a, n));
        fill(a, n, p, (unsigned)test_below(FILLS));
        fill(x, n, p, (unsigned)test_below(FILLS));
        TEST_CHECK(ring->ops->ring_words_mul(ring, z, x, a, n));
        for (size_t i = 0; i < n && TEST_CHECK(z[i] == mul(x[i], a[i], p)); i += n > 512 ? 1 + test_below(16) : 1)
            continue;
        fill(a, n, p, 4);
        a[test_below(n)] = p + test_below(2) * (UINT64_MAX - p);
        TEST_CHECK(!ring->ops->ring_words_forward(ring, x, a, threads));
        TEST_CHECK(!ring->ops->ring_words_back(ring, z, x, a, true, threads));
        TEST_CHECK(!ring->ops->ring_words_mul(ring, z, a, a, n));
        prime_ring_destroy(ring);
        prime_ring_destroy(word);
    }
    alloc_free(x);
    free(a);
    free(z);
}

/* prime_of - a prime with a generator of the subgroup of that order. */
static struct prime prime_of(uint64_t p, uint64_t order)
{
    struct prime prime = {p, 0, order};
    for (uint64_t g = 1; prime.generator == 0; g++)
        if (prime_order_is(residue_power(g, (p - 1) / order, p), order, p))
            prime.generator = residue_power(g, (p - 1) / order, p);
    return prime;
}

/* The vectors of each instruction set, in doubles and in integers. */
static void test_instruction_sets(void)
{
    const unsigned levels_max = (unsigned)test_tier(12, 15, 20);
    for (unsigned set = 0; isa_ops_list(set) != NULL; set++)
        for (unsigned i = 0; prime_odd(i) != 0; i++)
            for (unsigned levels = RING_LEVELS_MIN; levels <= levels_max; levels++) {
                const bool negacyclic = test_below(2);
                const size_t n = (size_t)prime_odd(i) << levels;
                const unsigned corner = (unsigned)test_below(3);
                const uint64_t p = corner == 2 ? prime_near(4096, 2 * n, true) : prime_corner(corner, 2 * n);
                const struct prime_ops *doubles = prime_ops_of(isa_ops_list(set)),
                                       *ops = prime_ring_ops(isa_ops_list(set), prime_odd(i), p, NULL);
                const struct prime prime = prime_of(p, 2 * n);
                test_note("%s", isa_ops_list(set)->name);
                ring_check(doubles, &prime, prime_odd(i), levels, negacyclic);
                for (unsigned k = 0; k < 3 && ops != doubles; k++)
                    ring_check(ops, &prime, prime_odd(i), levels, k % 2 != 0);
            }
}

/* Words of each instruction set, of every length that has vectors, modulo primes of 50 to 62 bits. */
static void test_words(void)
{
    const unsigned levels_max = (unsigned)test_tier(11, 15, 20);
    for (unsigned set = 0; isa_ops_list(set) != NULL; set++)
        for (unsigned i = 0; prime_odd(i) != 0; i++)
            for (unsigned levels = RING_LEVELS_MIN; levels <= (i == 0 ? levels_max + 2 : levels_max); levels++) {
                const uint64_t order = (uint64_t)prime_odd(i) << (levels + 1), largest = prime_corner(3, order);
                if (prime_word_ops(isa_ops_list(set), levels, largest, NULL)->width == 1)
                    continue;
                const unsigned corners[] = {2, 5, 6, 7};
                const uint64_t other = prime_corner(corners[test_below(4)], order);
                for (unsigned k = 0; k < 2; k++) {
                    const uint64_t p = k > 0 && other >> 49 != 0 ? other : largest;
                    const struct prime prime = prime_of(p, order);
                    ring_check(prime_word_ops(isa_ops_list(set), levels, p, NULL), &prime, prime_odd(i), levels, test_below(2));
                }
            }
}

/* Integers where the first two steps take three levels each. */
static void test_long_steps(void)
{
    const unsigned levels = 19;
    const size_t order = (size_t)2 << levels;
    const struct prime_ops *ops = prime_ring_ops(isa_ops_list(0), 1, UINT64_C(1) << 40, NULL);
    const struct prime prime = prime_of(prime_near((uint64_t)PRIME_LIMIT, order, false), order);
    for (unsigned k = 0; k < 2; k++)
        ring_check(ops, &prime, 1, levels, k);
}

/* Batches with gaps, which stay as they are; in place; from any address. */
static void test_batches(void)
{
    for (unsigned i = 0; i < (unsigned)test_tier(60, 300, 1000); i++) {
        struct gfmul_ntt_options opt;
        struct gfmul_ntt *one, *all;
        const size_t n = (size_t)prime_odd(i % 4) << test_below(10);
        const uint64_t p = prime_corner((unsigned)test_below(PRIME_CORNERS), 2 * n);
        gfmul_ntt_options_init(&opt);
        opt.negacyclic = i & 1;
        opt.order = i & 2 ? GFMUL_FFT_PERMUTED : GFMUL_FFT_NATURAL;
        if (!TEST_OK(gfmul_ntt_create(&one, n, p, &opt)))
            return;
        opt.batch = test_between(2, 20);
        opt.dist = i % 3 == 0 ? 0 : n + (i % 3 == 1 ? test_below(9) : 8 - n % 8);
        opt.threads = 1 + (unsigned)test_below(3);
        const size_t dist = opt.dist ? opt.dist : n, words = opt.batch * dist, shift = test_below(8);
        uint64_t *from = alloc_aligned((words + 8) * sizeof *from), *to = alloc_aligned((words + 8) * sizeof *to);
        uint64_t *want = test_alloc_zeroed(words + 8, sizeof *want), *a = from + shift, *x = to + shift;
        test_note("n=%zu p=%" PRIu64 " batch=%zu dist=%zu shift=%zu", n, p, opt.batch, dist, shift);
        if (from && to && TEST_OK(gfmul_ntt_create(&all, n, p, &opt))) {
            fill(a, words, p, 4);
            memset(x, 0x5a, words * sizeof *x);
            memset(want, 0x5a, words * sizeof *want);
            for (size_t b = 0; b < opt.batch; b++)
                TEST_OK(gfmul_ntt_forward(one, want + b * dist, a + b * dist));
            TEST_OK(gfmul_ntt_forward(all, x, a));
            TEST_CHECK(test_equal_limbs(x, want, words));
            for (size_t b = 0; b < opt.batch; b++)
                TEST_OK(gfmul_ntt_backward(one, want + b * dist, a + b * dist));
            TEST_OK(gfmul_ntt_backward(all, x, a));
            TEST_CHECK(test_equal_limbs(x, want, words));
            for (size_t b = 0; b + 1 < opt.batch; b++)
                memcpy(want + b * dist + n, a + b * dist + n, (dist - n) * sizeof *want);
            TEST_OK(gfmul_ntt_backward(all, a, a));
            TEST_CHECK(test_equal_limbs(a, want, words - (dist - n)));
            gfmul_ntt_destroy(all);
        }
        gfmul_ntt_destroy(one);
        alloc_free(from);
        alloc_free(to);
        free(want);
    }
}

/* Several primes in one plan, of all kinds of rings: as a plan for each of them, in place, in batches, from any address. */
static void test_rns(void)
{
    for (unsigned i = 0; i < (unsigned)test_tier(40, 200, 1000); i++) {
        struct gfmul_ntt_options opt;
        struct gfmul_ntt *all, *one;
        const size_t n = (size_t)prime_odd(i % 4) << test_below(11), k = test_between(1, 6);
        uint64_t p[6];
        for (size_t m = 0; m < k; m++)
            p[m] = prime_corner((unsigned)test_below(PRIME_CORNERS), 2 * n);
        gfmul_ntt_options_init(&opt);
        opt.negacyclic = i & 1;
        opt.order = i & 2 ? GFMUL_FFT_PERMUTED : GFMUL_FFT_NATURAL;
        opt.scale = 1;
        opt.threads = 1 + (unsigned)test_below(3);
        opt.batch = test_between(1, 3);
        opt.dist = i % 3 == 0 ? 0 : k * n + test_below(9);
        const size_t dist = opt.dist ? opt.dist : k * n, words = opt.batch * dist, shift = i % 2 ? test_below(8) : 0;
        uint64_t *memory = alloc_aligned((5 * words + 40) * sizeof *memory), *a = memory + shift, *b = a + words + 8;
        uint64_t *x = b + words + 8, *spectrum = x + words + 8, *factor = spectrum + words;
        test_note("n=%zu k=%zu batch=%zu dist=%zu shift=%zu", n, k, opt.batch, opt.dist, shift);
        if (!memory || !TEST_OK(gfmul_ntt_create_rns(&all, n, p, k, &opt)))
            return;
        for (size_t t = 0; t < opt.batch * k; t++) {
            fill(a + t / k * dist + t % k * n, n, p[t % k], (unsigned)test_below(FILLS));
            fill(b + t / k * dist + t % k * n, n, p[t % k], 4);
        }
        TEST_OK(gfmul_ntt_forward(all, x, a));
        memcpy(spectrum, x, words * sizeof *x);
        memcpy(factor, b, words * sizeof *b);
        opt.batch = 1;
        opt.dist = 0;
        for (size_t m = 0; m < k; m++) {
            opt.root = gfmul_ntt_root_rns(all, m);
            if (!TEST_OK(gfmul_ntt_create(&one, n, p[m], &opt)))
                return;
            for (size_t t = m; t < words / dist * k; t += k) {
                const size_t at = t / k * dist + m * n;
                uint64_t *want = test_alloc_zeroed(n, sizeof *want);
                TEST_OK(gfmul_ntt_forward(one, want, a + at));
                TEST_CHECK(test_equal_limbs(x + at, want, n));
                free(want);
            }
            gfmul_ntt_destroy(one);
        }
        TEST_OK(gfmul_ntt_multiply(all, b, x, b));
        TEST_OK(gfmul_ntt_backward(all, x, x));
        for (size_t t = 0; t < words / dist * k; t++) {
            const size_t at = t / k * dist + t % k * n, j = at + test_below(n);
            TEST_CHECK(b[j] == mul(spectrum[j], factor[j], p[t % k]));
            TEST_CHECK(test_equal_limbs(x + at, a + at, n));
        }
        a[(k - 1) * n] = p[k - 1]; /* in the last part of the first transform */
        TEST_CHECK(gfmul_ntt_forward(all, x, a) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_ntt_multiply(all, x, x, a) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_ntt_root_rns(all, k) == 0 && gfmul_ntt_root_rns(all, 0) == gfmul_ntt_root(all));
        gfmul_ntt_destroy(all);
        alloc_free(memory);
    }
    struct gfmul_ntt_options opt;
    struct gfmul_ntt *plan;
    const uint64_t p[] = {97, 193, 91};
    gfmul_ntt_options_init(&opt);
    TEST_CHECK(gfmul_ntt_create_rns(NULL, 8, p, 2, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_ntt_create_rns(&plan, 8, NULL, 2, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_ntt_create_rns(&plan, 8, p, 0, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_ntt_create_rns(&plan, 8, p, 3, NULL) == GFMUL_ERR_ARGUMENT); /* 91 = 7 * 13 */
    TEST_CHECK(gfmul_ntt_create_rns(&plan, 8, p, SIZE_MAX / 4, NULL) == GFMUL_ERR_SIZE);
    TEST_CHECK(gfmul_ntt_create_rns(&plan, 8, p, (size_t)1 << 42, NULL) == GFMUL_ERR_SIZE && plan == NULL);
    TEST_CHECK(gfmul_ntt_root_rns(NULL, 0) == 0);
    opt.root = 64; /* of order 8 modulo 97 */
    TEST_CHECK(gfmul_ntt_create_rns(&plan, 8, p, 2, &opt) == GFMUL_ERR_ARGUMENT);
    opt.root = 0;
    opt.batch = 2;
    opt.dist = 15;
    TEST_CHECK(gfmul_ntt_create_rns(&plan, 8, p, 2, &opt) == GFMUL_ERR_ARGUMENT);
}

/* The caller's root. */
static void test_roots(void)
{
    struct gfmul_ntt_options opt;
    struct gfmul_ntt *plan;
    uint64_t x[8] = {0, 1}, z[8];
    gfmul_ntt_options_init(&opt);
    opt.root = 2; /* 2^8 = 1 modulo 17 */
    if (TEST_OK(gfmul_ntt_create(&plan, 8, 17, &opt)) && TEST_OK(gfmul_ntt_forward(plan, z, x))) {
        for (unsigned k = 0; k < 8; k++)
            TEST_CHECK(z[k] == (1u << k) % 17);
        TEST_CHECK(gfmul_ntt_root(plan) == 2);
        gfmul_ntt_destroy(plan);
    }
    opt.root = 4; /* of order 4 */
    TEST_CHECK(gfmul_ntt_create(&plan, 8, 17, &opt) == GFMUL_ERR_ARGUMENT);
    opt.root = 3; /* of order 16 */
    TEST_CHECK(gfmul_ntt_create(&plan, 8, 17, &opt) == GFMUL_ERR_ARGUMENT);
    opt.negacyclic = 1;
    if (TEST_OK(gfmul_ntt_create(&plan, 8, 17, &opt)))
        gfmul_ntt_destroy(plan);
    opt.root = 17 + 3;
    TEST_CHECK(gfmul_ntt_create(&plan, 8, 17, &opt) == GFMUL_ERR_ARGUMENT);
}

static void test_errors(void)
{
    struct gfmul_ntt_options opt;
    struct gfmul_ntt *plan = (struct gfmul_ntt *)&opt;
    const uint64_t p = prime_near((uint64_t)PRIME_LIMIT, 1 << 12, false), large = prime_near(UINT64_C(1) << 62, 1 << 12, false);
    uint64_t x[256 + 1] = {0}, z[256];
    TEST_CHECK(gfmul_ntt_create(NULL, 8, p, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_ntt_create(&plan, 0, p, NULL) == GFMUL_ERR_ARGUMENT && plan == NULL);
    TEST_CHECK(gfmul_ntt_create(&plan, 1, 0, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_ntt_create(&plan, 1, 1, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_ntt_create(&plan, 2, 15, NULL) == GFMUL_ERR_ARGUMENT); /* no prime */
    TEST_CHECK(gfmul_ntt_create(&plan, 8, 8, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_ntt_create(&plan, 1 << 10, (1 << 20) + 1, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_ntt_create(&plan, 1 << 17, 65537, NULL) == GFMUL_ERR_ARGUMENT); /* 2^17 does not divide 2^16 */
    TEST_CHECK(gfmul_ntt_create(&plan, 9, 19, NULL) == GFMUL_ERR_UNSUPPORTED);       /* a length */
    TEST_CHECK(gfmul_ntt_create(&plan, 15, 31, NULL) == GFMUL_ERR_UNSUPPORTED);
    TEST_CHECK(gfmul_ntt_create(&plan, 8, UINT64_C(0x7fffffffffffffe7), NULL) == GFMUL_ERR_UNSUPPORTED); /* 2^63 - 25 */
    TEST_CHECK(gfmul_ntt_create(&plan, 8, UINT64_MAX - 58, NULL) == GFMUL_ERR_UNSUPPORTED);
    gfmul_ntt_options_init(&opt);
    opt.negacyclic = 1;
    TEST_CHECK(gfmul_ntt_create(&plan, 1 << 16, 65537, &opt) == GFMUL_ERR_ARGUMENT);
    gfmul_ntt_options_init(&opt);
    opt.batch = 0;
    TEST_CHECK(gfmul_ntt_create(&plan, 8, p, &opt) == GFMUL_ERR_ARGUMENT);
    opt.batch = 2;
    opt.dist = 7;
    TEST_CHECK(gfmul_ntt_create(&plan, 8, p, &opt) == GFMUL_ERR_ARGUMENT);
    opt.dist = SIZE_MAX / 2;
    TEST_CHECK(gfmul_ntt_create(&plan, 8, p, &opt) == GFMUL_ERR_SIZE);
    gfmul_ntt_options_init(&opt);
    opt.order = (enum gfmul_fft_order)2;
    TEST_CHECK(gfmul_ntt_create(&plan, 8, p, &opt) == GFMUL_ERR_ARGUMENT);
    gfmul_ntt_options_init(&opt);
    opt.struct_bytes++;
    TEST_CHECK(gfmul_ntt_create(&plan, 8, p, &opt) == GFMUL_ERR_ARGUMENT);
    gfmul_ntt_options_init(NULL);
    gfmul_ntt_destroy(NULL);
    TEST_CHECK(gfmul_ntt_root(NULL) == 0 && gfmul_ntt_frequency(NULL, 3) == 3);
    for (unsigned i = 0; i < 2; i++)
        for (long k = 0; k < 6; k++) { /* every allocation may fail */
            alloc_fail_after(k);
            enum gfmul_status status = gfmul_ntt_create(&plan, 3 << 7, prime_corner(i ? 3 : 1, 3 << 7), NULL);
            uint64_t long_x[3 << 7] = {0};
            if (status == GFMUL_OK) {
                status = gfmul_ntt_forward(plan, long_x, long_x);
                gfmul_ntt_destroy(plan);
            }
            alloc_fail_after(-1);
            TEST_CHECK(k == 0   ? status == GFMUL_ERR_MEMORY
                       : k == 5 ? status == GFMUL_OK
                                : status == GFMUL_OK || status == GFMUL_ERR_MEMORY);
        }
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t q = i ? large : p;
        if (!TEST_OK(gfmul_ntt_create(&plan, 256, q, NULL)))
            return;
        TEST_CHECK(gfmul_ntt_forward(NULL, z, x) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_ntt_forward(plan, NULL, x) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_ntt_backward(plan, z, NULL) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_ntt_multiply(plan, z, x, NULL) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_ntt_multiply(NULL, z, x, x) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_ntt_forward(plan, x + 1, x) == GFMUL_ERR_OVERLAP);
        TEST_CHECK(gfmul_ntt_multiply(plan, x + 1, x, z) == GFMUL_ERR_OVERLAP);
        TEST_CHECK(gfmul_ntt_forward(plan, (uint64_t *)(void *)((char *)z + 4), x) == GFMUL_ERR_ARGUMENT);
        memset(z, 0, sizeof z);
        for (unsigned at = 0; at < 256; at += 85) {
            x[at] = at == 85 ? UINT64_MAX : q;
            TEST_CHECK(gfmul_ntt_forward(plan, z, x) == GFMUL_ERR_ARGUMENT);
            TEST_CHECK(gfmul_ntt_backward(plan, z, x) == GFMUL_ERR_ARGUMENT);
            memset(z, 0, sizeof z);
            TEST_CHECK(gfmul_ntt_multiply(plan, z, z, x) == GFMUL_ERR_ARGUMENT);
            memset(z, 0, sizeof z);
            TEST_CHECK(gfmul_ntt_multiply(plan, z, x, z) == GFMUL_ERR_ARGUMENT);
            x[at] = 0;
        }
        gfmul_ntt_destroy(plan);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_definition);
    TEST_RUN(test_long);
    TEST_RUN(test_instruction_sets);
    TEST_RUN(test_words);
    TEST_RUN(test_long_steps);
    TEST_RUN(test_batches);
    TEST_RUN(test_rns);
    TEST_RUN(test_roots);
    TEST_RUN(test_errors);
    return test_end();
}
