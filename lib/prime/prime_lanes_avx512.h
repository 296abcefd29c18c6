/*
 * prime_lanes_avx512.h - eight words in a vector of AVX-512, for code with 52-bit products.  Part of isa/prime_ifma.c and
 * isa/prime_word_avx512.c.
 */
#ifndef GFMUL_PRIME_LANES_AVX512_H
#define GFMUL_PRIME_LANES_AVX512_H

#include <assert.h>
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The file is compiled with flags for AVX-512 that do not include these. */
#define LANES_TARGET __attribute__((target("avx512ifma")))
#define LANES_INLINE static inline __attribute__((always_inline, target("avx512ifma")))

enum { LANES = 8, LANES_LEVELS = 3 /* log2 */ };

typedef __m512i lanes;

LANES_INLINE lanes lanes_of(uint64_t word)
{
    return _mm512_set1_epi64((long long)word);
}

LANES_INLINE lanes lanes_add(lanes a, lanes b)
{
    return _mm512_add_epi64(a, b);
}
LANES_INLINE lanes lanes_sub(lanes a, lanes b)
{
    return _mm512_sub_epi64(a, b);
}

/*
 * square_transpose - 8 by 8 words.
 *
 * It uses shuffles that a Zen 4 runs beside its products, because permutations of two vectors would occupy the products' pipes.
 */
LANES_INLINE void square_transpose(lanes *r)
{
    lanes t[LANES];
#pragma GCC unroll 4
    for (unsigned i = 0; i < LANES; i += 2) { /* columns 0, 2, 4, 6 and 1, 3, 5, 7 of two rows */
        t[i] = _mm512_unpacklo_epi64(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi64(r[i], r[i + 1]);
    }
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; i++) { /* 0, 4 and 2, 6, or 1, 5 and 3, 7, of four rows; then of all */
        const lanes a = _mm512_shuffle_i64x2(t[i], t[i + 2], 0x88), b = _mm512_shuffle_i64x2(t[i], t[i + 2], 0xdd);
        const lanes c = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0x88), d = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0xdd);
        r[i] = _mm512_shuffle_i64x2(a, c, 0x88);
        r[i + 2] = _mm512_shuffle_i64x2(b, d, 0x88);
        r[i + 4] = _mm512_shuffle_i64x2(a, c, 0xdd);
        r[i + 6] = _mm512_shuffle_i64x2(b, d, 0xdd);
    }
}

LANES_INLINE lanes lanes_get(const void *x)
{
    return _mm512_loadu_si512(x);
}

LANES_INLINE void lanes_put(void *x, lanes v)
{
    _mm512_storeu_si512(x, v);
}

/* lanes_note, lanes_noted - whether all words noted so far are below p; start with zeros. */
LANES_INLINE lanes lanes_note(lanes noted, lanes word, lanes p)
{
    (void)p;
    return _mm512_max_epu64(noted, word);
}

LANES_INLINE bool lanes_noted(lanes noted, lanes p)
{
    return _mm512_cmpge_epu64_mask(noted, p) == 0;
}

#endif
