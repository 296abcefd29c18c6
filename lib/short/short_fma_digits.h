/*
 * short_fma_digits.h - converts limbs to digits of r bits, which are doubles, and columns to limbs.
 *
 * Eight digits of r bits fill r bytes, so digit k of them begins in byte r k / 8, at some bit of it.
 *
 * Included by isa/short_fma.c alone.
 */
#ifndef GFMUL_SHORT_FMA_DIGITS_H
#define GFMUL_SHORT_FMA_DIGITS_H

#include <gmp.h>
#include <string.h>

#include "short/short_fma_vec.h"
#include "short/short_sizes.h"

enum { ROW_DIGITS = 8, ROW_READ = 64 /* bytes; 7 r / 8 + 8 are at most 52 */ };

/* word_at - eight bytes from any address. */
static inline long long word_at(const unsigned char *at)
{
    long long word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* row_cut - cut eight digits out of ROW_READ bytes. */
SHORT_INLINE void row_cut(uint64_t *x, const unsigned char *at, unsigned r)
{
    const vec mask = _mm256_set1_epi64x((INT64_C(1) << r) - 1), unit = _mm256_castpd_si256(_mm256_set1_pd(0x1p52));
#pragma GCC unroll 2
    for (unsigned k = 0; k < ROW_DIGITS; k += LANES) {
        const unsigned bit[LANES] = {r * k, r * (k + 1), r * (k + 2), r * (k + 3)};
        const vec words = _mm256_set_epi64x(word_at(at + bit[3] / 8), word_at(at + bit[2] / 8), word_at(at + bit[1] / 8),
                                            word_at(at + bit[0] / 8));
        const vec shifts = _mm256_set_epi64x(bit[3] % 8, bit[2] % 8, bit[1] % 8, bit[0] % 8);
        const vec digits = _mm256_or_si256(_mm256_and_si256(_mm256_srlv_epi64(words, shifts), mask), unit);
        store(x + k, _mm256_castpd_si256(_mm256_sub_pd(_mm256_castsi256_pd(digits), _mm256_castsi256_pd(unit))));
    }
}

/*
 * limbs_cut - cut a number into digits, followed by zeros because eight digits are written at once.
 *
 *   x  out  digits_of(n, r), rounded up to a multiple of eight; aligned
 *   a  in   n limbs; nothing beside them is read
 */
SHORT_INLINE void limbs_cut(uint64_t *x, const mp_limb_t *a, size_t n, unsigned r)
{
    enum { LAST_LIMBS = 16 }; /* 7 bytes, a row and ROW_READ are 15 limbs at most */
    const unsigned char *at = (const unsigned char *)a;
    mp_limb_t last[LAST_LIMBS] __attribute__((aligned(32)));
    size_t left = n * sizeof *a;
    for (; left >= ROW_READ; left -= r, at += r, x += ROW_DIGITS)
        row_cut(x, at, r);
    const size_t limbs = (left + sizeof *a - 1) / sizeof *a; /* 8 at most */
    const vec places = _mm256_set_epi64x(3, 2, 1, 0), count = _mm256_set1_epi64x((long long)limbs);
#pragma GCC unroll 4
    for (int k = 0; k < LAST_LIMBS; k += LANES) {
        const vec there = _mm256_cmpgt_epi64(count, _mm256_add_epi64(places, _mm256_set1_epi64x(k)));
        _mm256_store_si256((__m256i *)(void *)(last + k), _mm256_maskload_epi64((const long long *)(a + n - limbs) + k, there));
    }
    at = (const unsigned char *)last + (limbs * sizeof *a - left);
    row_cut(x, at, r);
    if (left > r)
        row_cut(x + ROW_DIGITS, at + r, r);
}

/*
 * columns_join - z = sum of c[k] 2^(r k), modulo 2^(64 zn).
 *
 *   z   out  zn limbs
 *   c   in   signed columns, |c[k]| < 2^63 - 2^17; as many as zn limbs have digits of r bits
 */
SHORT_INLINE void columns_join(mp_limb_t *z, size_t zn, const uint64_t *c, unsigned r)
{
    const uint64_t mask = (UINT64_C(1) << r) - 1;
    uint64_t word = 0;
    int64_t carry = 0;
    unsigned bits = 0; /* of word */
    for (const mp_limb_t *end = z + zn; z < end; c++) {
        const int64_t x = (int64_t)*c + carry;
        const uint64_t digit = (uint64_t)x & mask;
        carry = x >> r;
        word |= digit << bits;
        bits += r;
        if (bits >= 64) {
            *z++ = word;
            bits -= 64;
            word = bits > 0 ? digit >> (r - bits) : 0;
        }
    }
}

/* limbs_add - {z, n + rest} = {z, n} + {x, n + rest}; the sum has as many limbs.   n, rest >= 1 */
SHORT_INLINE void limbs_add(mp_limb_t *z, const mp_limb_t *x, size_t n, size_t rest)
{
    unsigned char carry = 0;
    memcpy(z + n, x + n, rest * sizeof *z);
#pragma GCC unroll 4
    for (size_t k = 0; k < n; k++) {
        unsigned long long sum;
        carry = _addcarry_u64(carry, z[k], x[k], &sum);
        z[k] = sum;
    }
    for (size_t k = n; carry; k++)
        carry = ++z[k] == 0;
}

#endif
