/*
 * prime_word_avx2.c - transforms modulo primes of 50 to 62 bits by AVX2.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdatomic.h>

#include "prime/prime_parallel.h"
#include "prime/prime_ring.h"

#include "prime/prime_word_avx2.h"

/* Products of points take as long by vectors, as both factors change. */
extern const struct prime_ops prime_ops_word_scalar;

static bool word_mul(const struct prime_ring *r, void *z, const void *x, const void *y, size_t count)
{
    return prime_ops_word_scalar.ring_words_mul(r, z, x, y, count);
}

#define WORD_OPS prime_ops_word_avx2
#include "prime/prime_word_template.h"
