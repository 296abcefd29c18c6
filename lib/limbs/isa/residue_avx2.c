/* residue_avx2.c - sums of products for residues, compiled for AVX2.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include <immintrin.h>
#include <stdint.h>

#define RESIDUE_NAME  residue_sums_avx2
#define RESIDUE_LANES 4
typedef __m256i words;
#define words_load(p)   _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define words_add(a, b) _mm256_add_epi64(a, b)
#define words_mul(a, b) _mm256_mul_epu32(a, b)
#define words_high(a)   _mm256_srli_epi64(a, 32)
#define words_low(a)    _mm256_and_si256(a, _mm256_set1_epi64x(UINT32_MAX))
#define WORDS_KEEP(a)   __asm__("" : "+x"(a)) /* loaded once */

static inline uint64_t words_sum(__m256i a)
{
    const __m128i b = _mm_add_epi64(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    return (uint64_t)_mm_cvtsi128_si64(b) + (uint64_t)_mm_extract_epi64(b, 1);
}
#include "limbs/residue_sums.h"
