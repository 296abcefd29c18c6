/*
 * prime_word_scalar.c - transforms modulo any prime below 2^62, a word at a time.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdatomic.h>

#include "prime/prime_parallel.h"
#include "prime/prime_ring.h"
#include "prime/prime_roots.h"

#include "prime/prime_word_scalar.h"

/* reduce - t / 2^64 mod p, t < 2^64 p.   Montgomery's. */
static inline uint64_t reduce(const struct prime_ring *r, unsigned __int128 t)
{
    const uint64_t p = r->prime.p;
    return fold((uint64_t)((t + (unsigned __int128)((uint64_t)t * r->integers.montgomery) * p) >> 64), p);
}

static bool word_mul(const struct prime_ring *r, void *z, const void *x, const void *y, size_t count)
{
    const uint64_t p = r->prime.p, *a = x, *b = y;
    uint64_t *to = z;
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        const uint64_t one = a[i], two = b[i];
        good = good && one < p && two < p;
        to[i] = p == 2 ? one & two /* not odd */
                       : reduce(r, (unsigned __int128)reduce(r, (unsigned __int128)one * two) * r->integers.square);
    }
    return good;
}

#define WORD_OPS prime_ops_word_scalar
#include "prime/prime_word_template.h"
