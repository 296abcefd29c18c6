/*
 * prime_ifma_field.h - arithmetic modulo a prime p < 2^52 / 5 by AVX-512's products of 52 bits.  Part of isa/prime_ifma.c.
 *
 * A residue is any number of 52 bits.  Those above them are others': products do not see them, sums may carry into them.
 * A range below is that of the number modulo 2^52, in units of p, and lies within 2^52 / p >= 5 consecutive ones.
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

/* The file is compiled for AVX-512, whose flags do not have these. */
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

IFMA_INLINE struct ifma_field ifma_field_of(uint64_t p)
{
    assert(p > (UINT64_C(1) << IFMA_FINE) && p <= (UINT64_C(1) << 52) / 5);
    return (struct ifma_field){lanes_of(p), lanes_of((UINT64_C(1) << 52) - p), lanes_of((UINT64_C(1) << 52) / p),
                               lanes_of((uint64_t)(((unsigned __int128)1 << (52 + IFMA_FINE)) / p)),
                               lanes_of((UINT64_C(1) << 52) - 1)};
}

/* ifma_within - whether all lanes modulo 2^52 are from `from` p to `to` p, -p at least; for assertions. */
IFMA_INLINE bool ifma_within(const struct ifma_field *f, lanes8 x, double from, double to)
{
    uint64_t v[IFMA_LANES], p[IFMA_LANES];
    memcpy(v, &x, sizeof v);
    memcpy(p, &f->p, sizeof p);
    for (unsigned i = 0; i < IFMA_LANES; i++) {
        const int64_t low = (int64_t)(from * (double)p[0]), range = (int64_t)((to - from) * (double)p[0]) + 1;
        if (((v[i] - (uint64_t)low) & ((UINT64_C(1) << 52) - 1)) > (uint64_t)range)
            return false;
    }
    return true;
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
    return _mm512_min_epu64(x, _mm512_sub_epi64(x, m));
}

/* quads_transpose - words of four by four rows and columns, in both halves of the vectors. */
IFMA_INLINE void quads_transpose(lanes8 *r)
{
    const lanes8 first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    const lanes8 t0 = _mm512_unpacklo_epi64(r[0], r[1]), t1 = _mm512_unpackhi_epi64(r[0], r[1]);
    const lanes8 t2 = _mm512_unpacklo_epi64(r[2], r[3]), t3 = _mm512_unpackhi_epi64(r[2], r[3]);
    r[0] = _mm512_permutex2var_epi64(t0, first, t2);
    r[1] = _mm512_permutex2var_epi64(t1, first, t3);
    r[2] = _mm512_permutex2var_epi64(t0, second, t2);
    r[3] = _mm512_permutex2var_epi64(t1, second, t3);
}

/* square_load - column i of 8 by 8 words in v[i];  square_store - back.  Halves of rows go by loads and stores. */
IFMA_INLINE void square_load(lanes8 *v, const uint64_t *x)
{
#pragma GCC unroll 8
    for (unsigned i = 0; i < IFMA_LANES; i++) {
        const uint64_t *at = x + i % 4 * IFMA_LANES + i / 4 * 4;
        v[i] = _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)at)),
                                  _mm256_loadu_si256((const __m256i *)(const void *)(at + 4 * IFMA_LANES)), 1);
    }
    quads_transpose(v);
    quads_transpose(v + 4);
}

IFMA_INLINE void square_store(uint64_t *x, lanes8 *v)
{
    quads_transpose(v);
    quads_transpose(v + 4);
#pragma GCC unroll 8
    for (unsigned i = 0; i < IFMA_LANES; i++) {
        uint64_t *at = x + i % 4 * IFMA_LANES + i / 4 * 4;
        _mm256_storeu_si256((__m256i *)(void *)at, _mm512_castsi512_si256(v[i]));
        _mm256_storeu_si256((__m256i *)(void *)(at + 4 * IFMA_LANES), _mm512_extracti64x4_epi64(v[i], 1));
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

#endif
