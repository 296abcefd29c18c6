/*
 * prime_word_avx512.c - transforms modulo primes of 50 to 62 bits by AVX-512 with products of 52 bits.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdatomic.h>

#include "prime/prime_parallel.h"
#include "prime/prime_ring.h"

#include "prime/prime_word_avx512.h"

/* What makes a number a constant factor: N modulo p, - 1 / p modulo N, and floor(2^(51 + bits) / p), p < 2^bits <= 2 p. */
struct word_points {
    struct lanes_factor digit;
    lanes minus_inverse, reciprocal;
    __m128i left, right; /* shifts by 52 - bits */
};

LANES_INLINE struct word_points word_points_of(const struct prime_ring *r)
{
    const uint64_t p = r->prime.p;
    const unsigned bits = 64 - (unsigned)__builtin_clzll(p);
    uint64_t digit[FACTOR_WORDS];
    factor_put(digit, (UINT64_C(1) << WORD_DIGIT) % p, p);
    return (struct word_points){lanes_factor_of(digit), lanes_of(r->integers.montgomery),
                                lanes_of((uint64_t)(((unsigned __int128)1 << (51 + bits)) / p)),
                                _mm_cvtsi32_si128(bits < WORD_DIGIT ? (int)(WORD_DIGIT - bits) : 0),
                                _mm_cvtsi32_si128(bits > WORD_DIGIT ? (int)(bits - WORD_DIGIT) : 0)};
}

/*
 * word_factor - y < p as a constant, with a smaller last word.
 *
 * v = N y modulo p, so N y - v = q p, and q < N is - v / p modulo N.  The last word is below N v / p by less than 6: the shift,
 * the reciprocal and the floor take less than 1 each, and then are doubled.  It is multiplied by x1 / N < 2^-40.
 */
LANES_INLINE struct lanes_factor word_factor(const struct lanes_field *f, const struct word_points *c, lanes y)
{
    const lanes zero = lanes_of(0), v = narrow_residue(f, lanes_mul(f, y, c->digit));
    const lanes scaled = _mm512_srl_epi64(_mm512_sll_epi64(v, c->left), c->right);
    const lanes half = _mm512_madd52hi_epu64(zero, scaled, c->reciprocal);
    return (struct lanes_factor){y, _mm512_madd52lo_epu64(zero, v, c->minus_inverse), lanes_add(half, half)};
}

LANES_TARGET static bool word_mul(const struct prime_ring *r, void *z, const void *x, const void *y, size_t count)
{
    const struct lanes_field f = lanes_field_of(r);
    const struct word_points c = word_points_of(r);
    lanes noted = lanes_of(0);
    for (size_t i = 0; i < count; i += LANES) {
        const __mmask8 there = (__mmask8)(count - i >= LANES ? 0xff : (1u << (count - i)) - 1);
        const lanes a = _mm512_maskz_loadu_epi64(there, (const uint64_t *)x + i);
        const lanes b = _mm512_maskz_loadu_epi64(there, (const uint64_t *)y + i);
        noted = lanes_note(lanes_note(noted, a, f.p), b, f.p);
        const lanes product = lanes_mul(&f, a, word_factor(&f, &c, b));
        _mm512_mask_storeu_epi64((uint64_t *)z + i, there, narrow_residue(&f, product));
    }
    return lanes_noted(noted, f.p);
}

#define WORD_OPS prime_ops_word_avx512
#include "prime/prime_word_template.h"
