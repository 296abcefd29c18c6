/*
 * residue_ifma.c - sums of products of 52 bits for residues, by AVX-512's IFMA and VBMI.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A row is 52 bytes: eight digits x < 2^52, which meet a weight w < 2^52.  A lane sums the lower and the higher 52 bits of its
 * products.  RESIDUE_ROWS of them stay below 2^61: nothing is carried.
 */
#include <immintrin.h>

#include "base/cpu.h"
#include "limbs/residue.h"

/* The file is compiled for AVX-512, whose flags do not have these two. */
#define INLINE_IFMA static inline __attribute__((always_inline, target("avx512ifma,avx512vbmi")))

enum { LANES = 8, COUNT = 4, DIGIT_BITS = 52, ROW_BYTES = LANES * DIGIT_BITS / 8, LOAD_BYTES = 64 };

/* row_digits - digits of a row; `left` bytes of the number are there.  Bits from 52 on are others': the products ignore them. */
INLINE_IFMA __m512i row_digits(const unsigned char *row, size_t left)
{
    const __m512i bytes = _mm512_set_epi64(0x34333231302f2e2d, 0x2e2d2c2b2a292827, 0x2726252423222120, 0x21201f1e1d1c1b1a,
                                           0x1a19181716151413, 0x14131211100f0e0d, 0x0d0c0b0a09080706, 0x0706050403020100);
    const __m512i shifts = _mm512_set_epi64(4, 0, 4, 0, 4, 0, 4, 0);
    const __m512i x = left >= LOAD_BYTES
                          ? _mm512_loadu_si512(row)
                          : _mm512_maskz_loadu_epi8((UINT64_C(1) << left) - 1, row); /* with some of the next row */
    return _mm512_srlv_epi64(_mm512_permutexvar_epi8(bytes, x), shifts);
}

/* row_add - the products of a row, to the sums of `count` moduli. */
INLINE_IFMA void row_add(__m512i (*s)[2], const unsigned char *a, size_t bytes, size_t row, const struct residue_modulus *m,
                         const unsigned count, bool in_memory)
{
    const unsigned char *at = a + row * ROW_BYTES;
    residue_prefetch((const mp_limb_t *)(const void *)at, in_memory);
    const __m512i x = row_digits(at, bytes - row * ROW_BYTES);
#pragma GCC unroll 4
    for (unsigned k = 0; k < count; k++) {
        const __m512i w = _mm512_set1_epi64((long long)m[k].weight[row].whole);
        s[k][0] = _mm512_madd52lo_epu64(s[k][0], x, w);
        s[k][1] = _mm512_madd52hi_epu64(s[k][1], x, w);
    }
}

/* sums_run - by `count` moduli, which is a constant in each copy. */
INLINE_IFMA void sums_run(uint64_t *sum, const mp_limb_t *a, size_t n, const struct residue_modulus *m, const unsigned count,
                          bool in_memory)
{
    __m512i s[COUNT][2] = {0};
    const size_t bytes = n * sizeof *a, rows = (bytes + ROW_BYTES - 1) / ROW_BYTES;
    const unsigned char *at = (const unsigned char *)a;
    size_t i = 0;
    if (count == 1) { /* a sum waits four cycles for the one before: there is room for two more */
        for (; i + 2 <= rows; i += 2) {
            row_add(s, at, bytes, i, m, count, in_memory);
            row_add(s + 1, at, bytes, i + 1, m, count, in_memory);
        }
        s[0][0] = _mm512_add_epi64(s[0][0], s[1][0]);
        s[0][1] = _mm512_add_epi64(s[0][1], s[1][1]);
    }
    for (; i < rows; i++)
        row_add(s, at, bytes, i, m, count, in_memory);
#pragma GCC unroll 4
    for (unsigned k = 0; k < count; k++) {
        _mm512_storeu_si512(sum + (size_t)k * RESIDUE_WORDS, s[k][0]);
        _mm512_storeu_si512(sum + (size_t)k * RESIDUE_WORDS + LANES, s[k][1]);
    }
}

__attribute__((target("avx512ifma,avx512vbmi"))) static void sums(uint64_t *sum, const mp_limb_t *a, size_t n,
                                                                  const struct residue_modulus *m, unsigned count, bool in_memory)
{
    if (count == 1)
        sums_run(sum, a, n, m, 1, in_memory);
    else if (count == 2)
        sums_run(sum, a, n, m, 2, in_memory);
    else if (count == 3)
        sums_run(sum, a, n, m, 3, in_memory);
    else
        sums_run(sum, a, n, m, COUNT, in_memory);
}

extern const struct residue_form residue_form_ifma;
const struct residue_form residue_form_ifma = {
    .sums = sums, .lanes = LANES, .digit_bits = DIGIT_BITS, .n_shifts = 2, .shift = {0, DIGIT_BITS}, .together = COUNT};
