/*
 * prime_word.c - transforms modulo any prime below 2^62, in integers.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "prime/prime_word.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "prime/prime_ring.h"

enum { NODE_CACHE_WORDS = 2048 }; /* larger nodes are split depth first */

static void table_put(uint64_t *pair, uint64_t w, uint64_t p)
{
    pair[0] = w;
    pair[1] = prime_multiplier(w, p).quotient;
}

/* roots_of_tree - see prime_roots_fill. */
static void roots_of_tree(uint64_t *w, size_t count, const struct prime *prime)
{
    const uint64_t p = prime->p;
    table_put(w, 1 % p, p);
    for (size_t half = 1; half < count; half *= 2) {
        const struct prime_multiplier m = prime_multiplier(prime_root(prime, 4 * half), p);
        for (size_t i = 0; i < half; i++)
            table_put(w + 2 * (half + i), prime_multiply(w[2 * i], &m), p);
    }
}

/* turns_fill - powers of e(t / n), t = 1 .. odd - 1, or of its inverse. */
static void turns_fill(const struct prime_word *r, uint64_t *pairs, uint64_t root)
{
    uint64_t step = root;
    for (unsigned t = 1; t < r->odd; t++, step = prime_mul(step, root, r->prime.p)) {
        const struct prime_multiplier m = prime_multiplier(step, r->prime.p);
        uint64_t w = 1;
        for (size_t j = 0; j < r->row_points; j++, pairs += 2, w = prime_multiply(w, &m))
            table_put(pairs, w, r->prime.p);
    }
}

static void constants_set(struct prime_word *r)
{
    const uint64_t p = r->prime.p, odd_root = prime_root(&r->prime, r->odd);
    r->scale = prime_multiplier(prime_inverse(r->n_points % p, p), p);
    r->minus = prime_multiplier(p - 1, p);
    for (unsigned k = 0; k < r->odd; k++) {
        r->dft[0][k] = prime_multiplier(prime_power(odd_root, k, p), p);
        r->dft[1][k] = prime_multiplier(prime_power(odd_root, r->odd - k, p), p);
    }
    uint64_t inverse = p; /* of p modulo 8; each step doubles the bits */
    for (unsigned bits = 3; bits < 64; bits *= 2)
        inverse *= 2 - p * inverse;
    r->inverse = 0 - inverse;
    const uint64_t one = (uint64_t)(((unsigned __int128)1 << 64) % p);
    r->square = prime_mul(one, one, p);
}

enum gfmul_status prime_word_create(struct prime_word **result, const struct prime *prime, unsigned odd, unsigned levels,
                                    bool negacyclic)
{
    *result = NULL;
    assert(prime->p < PRIME_WORD_LIMIT);
    if (levels > RING_LEVELS_MAX)
        return GFMUL_ERR_SIZE;
    struct prime_word *r = calloc(1, sizeof *r);
    if (r == NULL)
        return GFMUL_ERR_MEMORY;
    r->prime = *prime;
    r->negacyclic = negacyclic;
    r->odd = odd;
    r->levels = levels;
    r->row_points = (size_t)1 << levels;
    r->n_points = odd * r->row_points;
    const size_t roots = negacyclic || levels == 0 ? r->row_points : r->row_points / 2, turns = (odd - 1) * r->row_points;
    const uint64_t p = prime->p, turn = prime_root(prime, r->n_points);
    r->root = alloc_aligned(2 * roots * sizeof *r->root);
    for (unsigned back = 0; back < 2 && turns > 0; back++)
        r->turn[back] = alloc_aligned(2 * turns * sizeof *r->turn[back]);
    if (r->root == NULL || (turns > 0 && (r->turn[0] == NULL || r->turn[1] == NULL))) {
        prime_word_destroy(r);
        return GFMUL_ERR_MEMORY;
    }
    roots_of_tree(r->root, roots, prime);
    for (unsigned back = 0; back < 2 && turns > 0; back++)
        turns_fill(r, r->turn[back], back ? prime_inverse(turn, p) : turn);
    constants_set(r);
    *result = r;
    return GFMUL_OK;
}

void prime_word_destroy(struct prime_word *r)
{
    if (r == NULL)
        return;
    alloc_free(r->root);
    alloc_free(r->turn[0]);
    alloc_free(r->turn[1]);
    free(r);
}

/* ---- transforms ---- */

/* times - a w modulo p, below 2 p, for any a. */
static inline uint64_t times(uint64_t a, const uint64_t *pair, uint64_t p)
{
    return a * pair[0] - (uint64_t)((unsigned __int128)a * pair[1] >> 64) * p;
}

static inline uint64_t less(uint64_t a, uint64_t limit)
{
    return a >= limit ? a - limit : a;
}

/* split - node k of 2 h points.   x < 4 p before and behind */
static inline void split(const struct prime_word *r, uint64_t *x, size_t h, size_t k)
{
    const uint64_t p = r->prime.p;
    const uint64_t pair[2] = {r->root[2 * k], r->root[2 * k + 1]};
    for (size_t i = 0; i < h; i++) {
        const uint64_t a = less(x[i], 2 * p), t = times(x[h + i], pair, p);
        x[i] = a + t;
        x[h + i] = a - t + 2 * p;
    }
}

/* join - its inverse, times 2.   x < 2 p before and behind */
static inline void join(const struct prime_word *r, uint64_t *x, size_t h, size_t k)
{
    const uint64_t p = r->prime.p;
    uint64_t pair[2] = {r->minus.w, r->minus.quotient};
    if (k > 0) { /* - 1 / w[k] is w[3 2^b - 1 - k], for k = 2^b .. 2^(b+1) - 1 */
        const size_t mirror = ((size_t)3 << (63 - __builtin_clzll(k))) - 1 - k;
        pair[0] = r->root[2 * mirror];
        pair[1] = r->root[2 * mirror + 1];
    }
    for (size_t i = 0; i < h; i++) {
        const uint64_t a = x[i], b = x[h + i];
        x[i] = less(a + b, 2 * p);
        x[h + i] = times(b - a + 2 * p, pair, p);
    }
}

static void node_split(const struct prime_word *r, uint64_t *x, size_t n, size_t k)
{
    if (n > NODE_CACHE_WORDS) {
        split(r, x, n / 2, k);
        node_split(r, x, n / 2, 2 * k);
        node_split(r, x + n / 2, n / 2, 2 * k + 1);
        return;
    }
    for (size_t h = n / 2, nodes = 1; h > 0; h /= 2, nodes *= 2)
        for (size_t i = 0; i < nodes; i++)
            split(r, x + 2 * h * i, h, nodes * k + i);
}

static void node_join(const struct prime_word *r, uint64_t *x, size_t n, size_t k)
{
    if (n > NODE_CACHE_WORDS) {
        node_join(r, x, n / 2, 2 * k);
        node_join(r, x + n / 2, n / 2, 2 * k + 1);
        join(r, x, n / 2, k);
        return;
    }
    for (size_t h = 1, nodes = n / 2; nodes > 0; h *= 2, nodes /= 2)
        for (size_t i = 0; i < nodes; i++)
            join(r, x + 2 * h * i, h, nodes * k + i);
}

/* odd_columns - DFTs across the rows; row t times the powers of e(t / n) behind them, or of its inverse before.   x < p */
static void odd_columns(const struct prime_word *r, uint64_t *x, bool back)
{
    const uint64_t p = r->prime.p;
    const size_t m = r->row_points;
    for (size_t j = 0; j < m; j++) {
        uint64_t in[PRIME_ODD_MAX];
        for (unsigned s = 0; s < r->odd; s++) {
            const uint64_t v = x[s * m + j];
            if (back)
                in[s] = s > 0 ? less(times(v, r->turn[1] + 2 * ((s - 1) * m + j), p), p) : v;
            else
                in[s] = s % 2 != 0 && r->negacyclic && v > 0 ? p - v : v;
        }
        for (unsigned t = 0; t < r->odd; t++) {
            uint64_t sum = 0;
            for (unsigned s = 0; s < r->odd; s++)
                sum = less(sum + prime_multiply(in[s], &r->dft[back][s * t % r->odd]), p);
            if (!back && t > 0)
                sum = less(times(sum, r->turn[0] + 2 * ((t - 1) * m + j), p), p);
            x[t * m + j] = back && t % 2 != 0 && r->negacyclic && sum > 0 ? p - sum : sum;
        }
    }
}

void prime_word_forward(const struct prime_word *r, uint64_t *x)
{
    const uint64_t p = r->prime.p;
    if (r->odd > 1)
        odd_columns(r, x, false);
    for (unsigned t = 0; t < r->odd; t++)
        node_split(r, x + t * r->row_points, r->row_points, r->negacyclic);
    for (size_t i = 0; i < r->n_points; i++)
        x[i] = less(less(x[i], 2 * p), p);
}

void prime_word_back(const struct prime_word *r, uint64_t *x, bool scale)
{
    const uint64_t p = r->prime.p;
    for (unsigned t = 0; t < r->odd; t++)
        node_join(r, x + t * r->row_points, r->row_points, r->negacyclic);
    for (size_t i = 0; i < r->n_points; i++)
        x[i] = less(x[i], p);
    if (r->odd > 1)
        odd_columns(r, x, true);
    for (size_t i = 0; scale && i < r->n_points; i++)
        x[i] = prime_multiply(x[i], &r->scale);
}

/* reduce - t / 2^64 mod p, t < 2^64 p.   Montgomery's. */
static inline uint64_t reduce(const struct prime_word *r, unsigned __int128 t)
{
    const uint64_t p = r->prime.p;
    return less((uint64_t)((t + (unsigned __int128)((uint64_t)t * r->inverse) * p) >> 64), p);
}

uint64_t prime_word_mul(const struct prime_word *r, uint64_t x, uint64_t y)
{
    if (r->prime.p == 2) /* not odd */
        return x & y;
    return reduce(r, (unsigned __int128)reduce(r, (unsigned __int128)x * y) * r->square);
}
