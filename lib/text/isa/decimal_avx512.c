/* decimal_avx512.c - decimal text by vectors, compiled for AVX-512.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include <immintrin.h>

#define DECIMAL_LANES 8
typedef __m512i words;
#define words_load(p)           _mm512_loadu_si512(p)
#define words_store(p, a)       _mm512_storeu_si512(p, a)
#define words_add(a, b)         _mm512_add_epi64(a, b)
#define words_mul(a, b)         _mm512_mul_epu32(a, b)
#define words_high(a)           _mm512_srli_epi64(a, 32)
#define words_and(a, b)         _mm512_and_si512(a, b)
#define words_bytes(x)          _mm512_set1_epi8(x)
#define words_shorts(x)         _mm512_set1_epi16(x)
#define words_ints(x)           _mm512_set1_epi32(x)
#define words_join_bytes(a, b)  _mm512_maddubs_epi16(a, b)
#define words_join_shorts(a, b) _mm512_madd_epi16(a, b)
#define words_pack(a, b)        _mm512_packus_epi32(a, b)
#include "text/decimal_sums.h"

static void decimal_cut_fours(int32_t *d, const char *end, size_t n, unsigned carry)
{
    const __m512i reversed = _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    for (size_t j = 0; j < n; j += 16) {
        end -= VECTOR_BYTES;
        const __m512i r = _mm512_permutexvar_epi32(reversed, fours(end));
        const unsigned high = _mm512_cmpgt_epi32_mask(r, words_ints(4999));
        const __m512i low = _mm512_mask_add_epi32(r, (__mmask16)(high << 1 | carry), r, words_ints(1));
        _mm512_storeu_si512(d + j, _mm512_mask_sub_epi32(low, (__mmask16)high, low, words_ints(10000)));
        carry = high >> 15 & 1; /* GCC 12 may store 16 bits of a mask and load 32 (with -fsanitize=undefined) */
    }
}

const struct decimal_ops decimal_avx512 = {.lanes = DECIMAL_LANES, .sums = decimal_sums, .cut_fours = decimal_cut_fours};
