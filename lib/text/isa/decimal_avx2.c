/* decimal_avx2.c - decimal text by vectors, compiled for AVX2.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include <immintrin.h>

#define DECIMAL_LANES 4
typedef __m256i words;
#define words_load(p)           _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define words_store(p, a)       _mm256_storeu_si256((__m256i *)(void *)(p), a)
#define words_add(a, b)         _mm256_add_epi64(a, b)
#define words_mul(a, b)         _mm256_mul_epu32(a, b)
#define words_high(a)           _mm256_srli_epi64(a, 32)
#define words_and(a, b)         _mm256_and_si256(a, b)
#define words_bytes(x)          _mm256_set1_epi8(x)
#define words_shorts(x)         _mm256_set1_epi16(x)
#define words_ints(x)           _mm256_set1_epi32(x)
#define words_join_bytes(a, b)  _mm256_maddubs_epi16(a, b)
#define words_join_shorts(a, b) _mm256_madd_epi16(a, b)
#define words_pack(a, b)        _mm256_packus_epi32(a, b)
#include "text/decimal_sums.h"

static void decimal_cut_fours(int32_t *d, const char *end, size_t n, unsigned carry)
{
    const __m256i reversed = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0), one_up = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
    __m256i before = words_ints(-(int)carry); /* element 0: what the digit below hands on, negative */
    for (size_t j = 0; j < n; j += 8) {
        end -= VECTOR_BYTES;
        const __m256i r = _mm256_permutevar8x32_epi32(fours(end), reversed);
        const __m256i high = _mm256_cmpgt_epi32(r, words_ints(4999)), up = _mm256_permutevar8x32_epi32(high, one_up);
        const __m256i low = _mm256_sub_epi32(r, _mm256_blend_epi32(up, before, 1));
        words_store(d + j, _mm256_sub_epi32(low, words_and(high, words_ints(10000))));
        before = up;
    }
}

const struct decimal_ops decimal_avx2 = {.lanes = DECIMAL_LANES, .sums = decimal_sums, .cut_fours = decimal_cut_fours};
