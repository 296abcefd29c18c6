/* residue_avx512.c - sums of products for residues, compiled for AVX-512.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include <immintrin.h>

#define RESIDUE_LANES 8
#define RESIDUE_COUNT 3
typedef __m512i words;
#define words_load(p)     _mm512_loadu_si512(p)
#define words_part(p, n)  _mm512_maskz_loadu_epi64((__mmask8)((1u << (n)) - 1), p)
#define words_store(p, a) _mm512_storeu_si512(p, a)
#define words_spread(w)   _mm512_set1_epi32((int)(w))
#define words_add(a, b)   _mm512_add_epi64(a, b)
#define words_mul(a, b)   _mm512_mul_epu32(a, b)
#define words_high(a)     _mm512_srli_epi64(a, 32)
#define words_low(a)      _mm512_and_si512(a, _mm512_set1_epi64(UINT32_MAX))
#define words_left(a)     _mm512_slli_epi64(a, 29)
#define WORDS_KEEP(a)     __asm__("" : "+v"(a)) /* loaded once */
#include "limbs/residue_sums.h"
