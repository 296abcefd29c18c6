/* residue_avx2.c - sums of products for residues, compiled for AVX2.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define RESIDUE_LANES 4
#define RESIDUE_COUNT 2 /* twelve sums and four factors are sixteen registers */
typedef __m256i words;
#define words_load(p)     _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define words_store(p, a) _mm256_storeu_si256((__m256i *)(void *)(p), a)
#define words_spread(w)   _mm256_set1_epi32((int)(w))
#define words_add(a, b)   _mm256_add_epi64(a, b)
#define words_mul(a, b)   _mm256_mul_epu32(a, b)
#define words_high(a)     _mm256_srli_epi64(a, 32)
#define words_low(a)      _mm256_and_si256(a, _mm256_set1_epi64x(UINT32_MAX))
#define words_left(a)     _mm256_slli_epi64(a, 29)
#define WORDS_KEEP(a)     __asm__("" : "+x"(a)) /* loaded once */

static inline __m256i words_part(const void *p, size_t n)
{
    const __m256i lane = _mm256_set_epi64x(3, 2, 1, 0);
    return _mm256_maskload_epi64(p, _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)n), lane));
}
#include "limbs/residue_sums.h"
