/*
 * prime_ifma_field.h - arithmetic modulo a prime p < 2^52 / 5 by AVX-512's products of 52 bits.  Part of isa/prime_ifma.c.
 *
 * A residue is any number of 52 bits.  The bits above them are arbitrary: products do not see them, and sums may carry into them.
 * A range below is that of the number modulo 2^52, in units of p, and lies within 2^52 / p >= 5 consecutive units.
 *
 *     ifma_mul     any x                 0 .. 2, less `turns`
 *     ifma_lower   any x                 0 .. 2^52 / p - 4 < 2, less `turns`
 *     ifma_reduce  0 .. 2^52 / p         0 .. 1 + 2^-12, less `turns`
 * doc/error-bound.md, section 22.3, has proofs.   Source: [Har14]
 */
#ifndef GFMUL_PRIME_IFMA_FIELD_H
#define GFMUL_PRIME_IFMA_FIELD_H

#include <assert.h>
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The flags of AVX-512, for which the file is compiled, do not include these. */
#define IFMA_TARGET __attribute__((target("avx512ifma")))
#define IFMA_INLINE static inline __attribute__((always_inline, target("avx512ifma")))

enum { IFMA_LANES = 8, IFMA_FINE = 12 /* bits of a quotient before it is rounded */ };

typedef __m512i lanes8;

struct ifma_field {
    lanes8 p, minus; /* p, 2^52 - p */
    lanes8 inverse;  /* floor(2^52 / p) */
    lanes8 fine;     /* floor(2^(52 + IFMA_FINE) / p) */
    lanes8 mask;     /* 2^52 - 1 */
};

struct ifma_factor {
    lanes8 w, quotient; /* below p; floor(2^52 w / p) */
};

IFMA_INLINE lanes8 lanes_of(uint64_t word)
{
    return _mm512_set1_epi64((long long)word);
}

IFMA_INLINE lanes8 lanes_add(lanes8 a, lanes8 b)
{
    return _mm512_add_epi64(a, b);
}
IFMA_INLINE lanes8 lanes_sub(lanes8 a, lanes8 b)
{
    return _mm512_sub_epi64(a, b);
}

IFMA_INLINE struct ifma_field ifma_field_of(const struct prime_ring *r)
{
    const uint64_t p = r->prime.p, one = UINT64_C(1) << 52;
    assert(p > (UINT64_C(1) << IFMA_FINE) && (double)p < PRIME_LIMIT);
    return (struct ifma_field){lanes_of(p), lanes_of(one - p), lanes_of(r->integers.inverse), lanes_of(r->integers.fine),
                               lanes_of(one - 1)};
}

/* ifma_within - whether all lanes modulo 2^52 are from `from` p to `to` p, rounded up; for assertions. */
IFMA_INLINE bool ifma_within(const struct ifma_field *f, lanes8 x, double from, double to)
{
    const double p = (double)_mm_cvtsi128_si64(_mm512_castsi512_si128(f->p));
    const lanes8 above = lanes_sub(x, lanes_of((uint64_t)(int64_t)(from * p)));
    return _mm512_cmpgt_epu64_mask(_mm512_and_si512(above, f->mask), lanes_of((uint64_t)((to - from) * p) + 1)) == 0;
}

/* ifma_turns - a number of multiples of p that a result is less by. */
IFMA_INLINE lanes8 ifma_turns(int turns)
{
    return lanes_of((uint64_t)(int64_t)turns);
}

IFMA_INLINE struct ifma_factor ifma_factor_of(const uint64_t *pair)
{
    return (struct ifma_factor){lanes_of(pair[0]), lanes_of(pair[1])};
}

/* ifma_mul - x w. */
IFMA_INLINE lanes8 ifma_mul(const struct ifma_field *f, lanes8 x, struct ifma_factor w, lanes8 turns)
{
    const lanes8 q = _mm512_madd52hi_epu64(turns, x, w.quotient), low = _mm512_madd52lo_epu64(_mm512_setzero_si512(), x, w.w);
    return _mm512_madd52lo_epu64(low, q, f->minus);
}

/* ifma_lower - x. */
IFMA_INLINE lanes8 ifma_lower(const struct ifma_field *f, lanes8 x, lanes8 turns)
{
    return _mm512_madd52lo_epu64(x, _mm512_madd52hi_epu64(turns, x, f->inverse), f->minus);
}

/* ifma_reduce - x.   turns in: times 2^IFMA_FINE */
IFMA_INLINE lanes8 ifma_reduce(const struct ifma_field *f, lanes8 x, lanes8 turns)
{
    assert(ifma_within(f, x, 0, 5.01));
    const lanes8 q = _mm512_srli_epi64(_mm512_madd52hi_epu64(turns, x, f->fine), IFMA_FINE);
    return _mm512_madd52lo_epu64(x, q, f->minus);
}

IFMA_INLINE lanes8 ifma_clean(const struct ifma_field *f, lanes8 x)
{
    return _mm512_and_si512(x, f->mask);
}

/* ifma_fold - x modulo m, for x from 0 to 2 m, clean. */
IFMA_INLINE lanes8 ifma_fold(lanes8 x, lanes8 m)
{
    assert(_mm512_cmpge_epu64_mask(x, lanes_add(m, m)) == 0);
    return _mm512_min_epu64(x, _mm512_sub_epi64(x, m));
}

/*
 * square_transpose - 8 by 8 words.
 *
 * By shuffles that a Zen 4 runs beside its products, because permutations of two vectors take the products' pipes.
 */
IFMA_INLINE void square_transpose(lanes8 *r)
{
    lanes8 t[IFMA_LANES];
#pragma GCC unroll 4
    for (unsigned i = 0; i < IFMA_LANES; i += 2) { /* columns 0, 2, 4, 6 and 1, 3, 5, 7 of two rows */
        t[i] = _mm512_unpacklo_epi64(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi64(r[i], r[i + 1]);
    }
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; i++) { /* 0, 4 and 2, 6, or 1, 5 and 3, 7, of four rows; then of all */
        const lanes8 a = _mm512_shuffle_i64x2(t[i], t[i + 2], 0x88), b = _mm512_shuffle_i64x2(t[i], t[i + 2], 0xdd);
        const lanes8 c = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0x88), d = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0xdd);
        r[i] = _mm512_shuffle_i64x2(a, c, 0x88);
        r[i + 2] = _mm512_shuffle_i64x2(b, d, 0x88);
        r[i + 4] = _mm512_shuffle_i64x2(a, c, 0xdd);
        r[i + 6] = _mm512_shuffle_i64x2(b, d, 0xdd);
    }
}

IFMA_INLINE lanes8 lanes_get(const void *x)
{
    return _mm512_loadu_si512(x);
}

IFMA_INLINE void lanes_put(void *x, lanes8 v)
{
    _mm512_storeu_si512(x, v);
}

/* square_load - column i of 8 by 8 words in v[i];  square_store - back. */
IFMA_INLINE void square_load(lanes8 *v, const uint64_t *x)
{
#pragma GCC unroll 8
    for (unsigned i = 0; i < IFMA_LANES; i++)
        v[i] = lanes_get(x + i * IFMA_LANES);
    square_transpose(v);
}

IFMA_INLINE void square_store(uint64_t *x, lanes8 *v)
{
    square_transpose(v);
#pragma GCC unroll 8
    for (unsigned i = 0; i < IFMA_LANES; i++)
        lanes_put(x + i * IFMA_LANES, v[i]);
}

#endif
