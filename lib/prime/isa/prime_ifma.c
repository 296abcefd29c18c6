/*
 * prime_ifma.c - transforms of prime_ring.h by AVX-512's products of 52 bits.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdatomic.h>

#include "prime/prime_parallel.h"
#include "prime/prime_ring.h"

#include "prime/prime_ifma_field.h"
#include "prime/prime_ifma_passes.h"
#include "prime/prime_lanes_walk.h"
#include "prime/prime_ifma_product.h"
#include "prime/prime_ifma_tables.h"

/* What is as it is for doubles: products of spectra wait for memory, and products of polynomials end as doubles. */
extern const struct prime_ops prime_ops_avx512;

static void ifma_combine(const struct prime_values *v, uint64_t *z, double *const *x, size_t first, size_t count)
{
    prime_ops_avx512.residues_combine(v, z, x, first, count);
}

static bool ifma_words_mul(const struct prime_ring *r, void *z, const void *x, const void *y, size_t count)
{
    return prime_ops_avx512.ring_words_mul(r, z, x, y, count);
}

extern const struct prime_ops prime_ops_ifma;
const struct prime_ops prime_ops_ifma = {
    .width = LANES,
    .factor_words = FACTOR_WORDS,
    .factor_put = factor_put,
    .ring_fill = ifma_fill,
    .ring_words_forward = words_forward,
    .ring_words_back = words_back,
    .ring_factor = ifma_spectrum,
    .ring_product = ifma_product,
    .ring_words_mul = ifma_words_mul,
    .residues_combine = ifma_combine,
};
