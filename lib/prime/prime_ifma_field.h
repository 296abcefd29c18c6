/*
 * prime_ifma_field.h - arithmetic modulo a prime p < 2^52 / 5 by AVX-512's 52-bit products.  Part of isa/prime_ifma.c.
 *
 * A residue is any number of 52 bits.  The bits above are arbitrary: products ignore them, and sums may carry into them.
 * A range below is that of the number modulo 2^52, in units of p; it lies within 2^52 / p >= 5 consecutive units.
 *
 *     ifma_mul     any x                 0 .. 2, less `turns`
 *     ifma_lower   any x                 0 .. 2^52 / p - 4 < 2, less `turns`
 *     ifma_reduce  0 .. 2^52 / p         0 .. 1 + 2^-12, less `turns`
 * doc/error-bound.md, section 22.3, has proofs.   Source: [Har14]
 */
#ifndef GFMUL_PRIME_IFMA_FIELD_H
#define GFMUL_PRIME_IFMA_FIELD_H

#include "prime/prime_lanes_avx512.h"

enum { FACTOR_WORDS = 2, IFMA_FINE = 12 /* bits of a quotient before it is rounded */ };

struct lanes_field {
    lanes p, minus; /* p, 2^52 - p */
    lanes inverse;  /* floor(2^52 / p) */
    lanes fine;     /* floor(2^(52 + IFMA_FINE) / p) */
    lanes mask;     /* 2^52 - 1 */
};

struct lanes_factor {
    lanes w, quotient; /* below p; floor(2^52 w / p) */
};

LANES_INLINE struct lanes_field lanes_field_of(const struct prime_ring *r)
{
    const uint64_t p = r->prime.p, one = UINT64_C(1) << 52;
    assert(p > (UINT64_C(1) << IFMA_FINE) && (double)p < PRIME_LIMIT);
    return (struct lanes_field){lanes_of(p), lanes_of(one - p), lanes_of(r->integers.inverse), lanes_of(r->integers.fine),
                                lanes_of(one - 1)};
}

/* ifma_within - whether all lanes modulo 2^52 are from `from` p to `to` p, rounded up; for assertions. */
LANES_INLINE bool ifma_within(const struct lanes_field *f, lanes x, double from, double to)
{
    const double p = (double)_mm_cvtsi128_si64(_mm512_castsi512_si128(f->p));
    const lanes above = lanes_sub(x, lanes_of((uint64_t)(int64_t)(from * p)));
    return _mm512_cmpgt_epu64_mask(_mm512_and_si512(above, f->mask), lanes_of((uint64_t)((to - from) * p) + 1)) == 0;
}

/* ifma_turns - the number of multiples of p that is subtracted from a result. */
LANES_INLINE lanes ifma_turns(int turns)
{
    return lanes_of((uint64_t)(int64_t)turns);
}

LANES_INLINE struct lanes_factor lanes_factor_of(const uint64_t *pair)
{
    return (struct lanes_factor){lanes_of(pair[0]), lanes_of(pair[1])};
}

/* ifma_mul - x w. */
LANES_INLINE lanes ifma_mul(const struct lanes_field *f, lanes x, struct lanes_factor w, lanes turns)
{
    const lanes q = _mm512_madd52hi_epu64(turns, x, w.quotient), low = _mm512_madd52lo_epu64(_mm512_setzero_si512(), x, w.w);
    return _mm512_madd52lo_epu64(low, q, f->minus);
}

/* ifma_lower - x. */
LANES_INLINE lanes ifma_lower(const struct lanes_field *f, lanes x, lanes turns)
{
    return _mm512_madd52lo_epu64(x, _mm512_madd52hi_epu64(turns, x, f->inverse), f->minus);
}

/* ifma_reduce - x.   turns in: times 2^IFMA_FINE */
LANES_INLINE lanes ifma_reduce(const struct lanes_field *f, lanes x, lanes turns)
{
    assert(ifma_within(f, x, 0, 5.01));
    const lanes q = _mm512_srli_epi64(_mm512_madd52hi_epu64(turns, x, f->fine), IFMA_FINE);
    return _mm512_madd52lo_epu64(x, q, f->minus);
}

LANES_INLINE lanes ifma_clean(const struct lanes_field *f, lanes x)
{
    return _mm512_and_si512(x, f->mask);
}

/* ifma_fold - x modulo m, for x from 0 to 2 m, clean. */
LANES_INLINE lanes ifma_fold(lanes x, lanes m)
{
    assert(_mm512_cmpge_epu64_mask(x, lanes_add(m, m)) == 0);
    return _mm512_min_epu64(x, _mm512_sub_epi64(x, m));
}

/* ---- words, for prime_lanes_walk.h ---- */

LANES_INLINE lanes lanes_wide(const struct lanes_field *f, lanes word)
{
    (void)f;
    return word;
}

/* lanes_accept - a word from the caller; words that will be refused must not fail assertions. */
LANES_INLINE lanes lanes_accept(const struct lanes_field *f, lanes word)
{
#ifndef NDEBUG
    return _mm512_maskz_mov_epi64(_mm512_cmplt_epu64_mask(word, f->p), word);
#else
    (void)f;
    return word;
#endif
}

#endif
