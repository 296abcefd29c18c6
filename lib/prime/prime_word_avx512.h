/*
 * prime_word_avx512.h - arithmetic modulo a prime p, 2^49 < p < 2^62, on eight words by AVX-512's 52-bit products: the field
 * of prime_word_passes.h.  Part of isa/prime_word_avx512.c.
 *
 * Ranges are those of prime_word_unsigned.h.
 *
 * Products.  Let N = 2^52.  A constant w < p has N w = q p + v, v < p, and s = floor(N v / p).  With x = N x1 + x0, x0 < N,
 *     Q = x1 q + floor(x0 q / N) + floor(x1 s / N),
 *     x w / p - Q = (x1 v / p - floor(x1 s / N)) + (x0 q / N - floor(x0 q / N)) + x0 v / (N p).
 * None of the three is negative.  The first is below 1 + x1 / N, the others below 1, so x w - Q p is from 0 to 3 p + 2^-40 p,
 * which a minimum folds into 0 .. 2 p - 1.  Q and x w - Q p are only right modulo 2^64, which is enough.
 *
 * A Zen 4 has two pipes for products and minima, and two others: each pair starts one 512-bit operation a cycle.  A
 * product takes 2 products of 52 bits, 3 of 64 bits (one operation there), and two others; a butterfly takes 7 and 7 operations.
 */
#ifndef GFMUL_PRIME_WORD_AVX512_H
#define GFMUL_PRIME_WORD_AVX512_H

#include "prime/prime_lanes_avx512.h"

enum { FACTOR_WORDS = 3, WORD_DIGIT = 52 /* log2 N */ };

struct lanes_field {
    lanes p, two; /* p, 2 p */
};

/* A constant: w, q, s. */
struct lanes_factor {
    lanes w, quotient, fine;
};

LANES_INLINE struct lanes_field lanes_field_of(const struct prime_ring *r)
{
    const uint64_t p = r->prime.p;
    assert(p >> 49 != 0 && p < RING_LIMIT);
    return (struct lanes_field){lanes_of(p), lanes_of(2 * p)};
}

static void factor_put(uint64_t *factor, uint64_t w, uint64_t p)
{
    const uint64_t q = (uint64_t)(((unsigned __int128)w << WORD_DIGIT) / p), v = (w << WORD_DIGIT) - q * p;
    factor[0] = w;
    factor[1] = q;
    factor[2] = (uint64_t)(((unsigned __int128)v << WORD_DIGIT) / p);
}

LANES_INLINE struct lanes_factor lanes_factor_of(const uint64_t *factor)
{
    return (struct lanes_factor){lanes_of(factor[0]), lanes_of(factor[1]), lanes_of(factor[2])};
}

LANES_INLINE struct lanes_factor lanes_factor_get(const uint64_t *vectors)
{
    return (struct lanes_factor){lanes_get(vectors), lanes_get(vectors + LANES), lanes_get(vectors + 2 * LANES)};
}

/* fold - x modulo m, for x from 0 to 2 m - 1 <= 2^64 - 1. */
LANES_INLINE lanes fold(lanes x, lanes m)
{
    return _mm512_min_epu64(x, lanes_sub(x, m));
}

/* lanes_scale - any x times w: wide. */
LANES_INLINE lanes lanes_scale(const struct lanes_field *f, lanes x, struct lanes_factor w)
{
    const lanes high = _mm512_srli_epi64(x, WORD_DIGIT);
    const lanes whole = _mm512_madd52hi_epu64(_mm512_mullo_epi64(high, w.quotient), x, w.quotient);
    const lanes q = _mm512_madd52hi_epu64(whole, high, w.fine);
    return lanes_sub(_mm512_mullo_epi64(x, w.w), _mm512_mullo_epi64(q, f->p));
}

/* lanes_mul - any x times w: lower, and narrow. */
LANES_INLINE lanes lanes_mul(const struct lanes_field *f, lanes x, struct lanes_factor w)
{
    return fold(lanes_scale(f, x, w), f->two);
}

#include "prime/prime_word_unsigned.h"

#endif
