/* residue_avx512.c - sums of products for residues, compiled for AVX-512.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include <immintrin.h>

#define RESIDUE_NAME  residue_sums_avx512
#define RESIDUE_LANES 8
typedef __m512i words;
#define words_load(p)   _mm512_loadu_si512(p)
#define words_add(a, b) _mm512_add_epi64(a, b)
#define words_mul(a, b) _mm512_mul_epu32(a, b)
#define words_high(a)   _mm512_srli_epi64(a, 32)
#define words_low(a)    _mm512_and_si512(a, _mm512_set1_epi64(UINT32_MAX))
#define words_sum(a)    (uint64_t) _mm512_reduce_add_epi64(a)
#define WORDS_KEEP(a)   __asm__("" : "+v"(a)) /* loaded once */
#include "limbs/residue_sums.h"
