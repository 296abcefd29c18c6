/*
 * short_ifma_digits.h - converts limbs to digits of r bits, and columns to limbs.
 *
 * Eight digits of r bits fill r bytes.  A number is cut, and joined, by permutations of bytes and shifts of less than eight
 * bits.  Digits 0, 2, 4 .. of a row share no byte, and neither do 1, 3, 5 .., so two permutations join it.
 */
#ifndef GFMUL_SHORT_IFMA_DIGITS_H
#define GFMUL_SHORT_IFMA_DIGITS_H

#include <gmp.h>
#include <stdbool.h>
#include <string.h>

#include "short/short_ifma_vec.h"
#include "short/short_sizes.h"

enum { DIGIT_BITS_LEAST = 47, LOAD_BYTES = 64 };

/* Permutations and shifts for a radix.   cut: the eight bytes of lane k begin at byte r k / 8.  even, odd: for lanes 0, 2.. */
struct radix {
    uint8_t cut[LOAD_BYTES] __attribute__((aligned(LOAD_BYTES)));
    uint8_t even[LOAD_BYTES], odd[LOAD_BYTES];
    uint64_t shift[LANES];        /* r k mod 8 */
    uint64_t even_mask, odd_mask; /* bytes that belong to a digit */
};

#define BYTES_8(first)                                                                                                      \
    (uint8_t)((first) + 0), (uint8_t)((first) + 1), (uint8_t)((first) + 2), (uint8_t)((first) + 3), (uint8_t)((first) + 4), \
        (uint8_t)((first) + 5), (uint8_t)((first) + 6), (uint8_t)((first) + 7)
/* Byte q of a row is byte q - r k / 8 of lane k, if k is one of `lane`, `lane` + 2, ..; each has eight bytes. */
#define JOIN_FIRST(r, k)   ((r) * (k) / 8)
#define JOIN_OWNS(r, q, k) ((q) >= JOIN_FIRST(r, k) && (q) < JOIN_FIRST(r, k) + 8)
#define JOIN_BYTE(r, lane, q)                                                            \
    (uint8_t)(JOIN_OWNS(r, q, lane)       ? 8 * (lane) + (q)-JOIN_FIRST(r, lane)         \
              : JOIN_OWNS(r, q, lane + 2) ? 8 * (lane + 2) + (q)-JOIN_FIRST(r, lane + 2) \
              : JOIN_OWNS(r, q, lane + 4) ? 8 * (lane + 4) + (q)-JOIN_FIRST(r, lane + 4) \
              : JOIN_OWNS(r, q, lane + 6) ? 8 * (lane + 6) + (q)-JOIN_FIRST(r, lane + 6) \
                                          : 0)
#define JOIN_8(r, lane, q)                                                                                              \
    JOIN_BYTE(r, lane, (q) + 0), JOIN_BYTE(r, lane, (q) + 1), JOIN_BYTE(r, lane, (q) + 2), JOIN_BYTE(r, lane, (q) + 3), \
        JOIN_BYTE(r, lane, (q) + 4), JOIN_BYTE(r, lane, (q) + 5), JOIN_BYTE(r, lane, (q) + 6), JOIN_BYTE(r, lane, (q) + 7)
#define JOIN_64(r, lane)                                                                                                        \
    JOIN_8(r, lane, 0), JOIN_8(r, lane, 8), JOIN_8(r, lane, 16), JOIN_8(r, lane, 24), JOIN_8(r, lane, 32), JOIN_8(r, lane, 40), \
        JOIN_8(r, lane, 48), JOIN_8(r, lane, 56)
#define JOIN_MASK(r, lane)                                                               \
    (UINT64_C(0xff) << JOIN_FIRST(r, lane) | UINT64_C(0xff) << JOIN_FIRST(r, lane + 2) | \
     UINT64_C(0xff) << JOIN_FIRST(r, lane + 4) | UINT64_C(0xff) << JOIN_FIRST(r, lane + 6))
#define RADIX(r)                                                                                                    \
    {                                                                                                               \
        .cut = {BYTES_8(0),           BYTES_8((r) / 8),     BYTES_8(2 * (r) / 8), BYTES_8(3 * (r) / 8),             \
                BYTES_8(4 * (r) / 8), BYTES_8(5 * (r) / 8), BYTES_8(6 * (r) / 8), BYTES_8(7 * (r) / 8)},            \
        .even = {JOIN_64(r, 0)}, .odd = {JOIN_64(r, 1)}, .even_mask = JOIN_MASK(r, 0), .odd_mask = JOIN_MASK(r, 1), \
        .shift = {0, (r) % 8, 2 * (r) % 8, 3 * (r) % 8, 4 * (r) % 8, 5 * (r) % 8, 6 * (r) % 8, 7 * (r) % 8},        \
    }
/* For digits of 47 .. 52 bits. */
static const struct radix radixes[] = {RADIX(47), RADIX(48), RADIX(49), RADIX(50), RADIX(51), RADIX(52)};

/*
 * limbs_cut - cut a number into digits, followed by zeros to the end of the last vector.
 *
 *   x  out  digits_of(n, r), rounded up to vectors; aligned
 *   a  in   n limbs; nothing beside them is read
 */
SHORT_INLINE void limbs_cut(uint64_t *x, const mp_limb_t *a, size_t n, unsigned r)
{
    const struct radix *radix = &radixes[r - DIGIT_BITS_LEAST];
    const vec bytes = _mm512_load_si512(radix->cut), shifts = _mm512_load_si512(radix->shift);
    const vec mask = _mm512_set1_epi64((INT64_C(1) << r) - 1);
    const unsigned char *at = (const unsigned char *)a;
    size_t left = n * sizeof *a;
    for (; left >= LOAD_BYTES; left -= r, at += r, x += LANES) {
        const vec row = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(at));
        _mm512_store_si512(x, _mm512_and_si512(_mm512_srlv_epi64(row, shifts), mask));
    }
    for (;; left -= r, at += r, x += LANES) { /* only the last bytes of a last row may be in use */
        const vec row = _mm512_permutexvar_epi8(bytes, _mm512_maskz_loadu_epi8((UINT64_C(1) << left) - 1, at));
        _mm512_store_si512(x, _mm512_and_si512(_mm512_srlv_epi64(row, shifts), mask));
        if (left <= r)
            break;
    }
}

/*
 * limbs_cut_up - limbs_cut of a number times 2^up into digits of 52 bits; up is a multiple of 4 and below 52.
 *
 * A digit's bits begin less than 8 above those of a byte, and a lane has 64.
 */
SHORT_INLINE void limbs_cut_up(uint64_t *x, const mp_limb_t *a, size_t n, unsigned up)
{
    const struct radix *radix = &radixes[DIGIT_BITS - DIGIT_BITS_LEAST];
    const unsigned below = (up + 7) / 8; /* bytes below the number that are 0 */
    const vec bytes = _mm512_load_si512(radix->cut);
    const vec shifts = _mm512_add_epi64(_mm512_load_si512(radix->shift), _mm512_set1_epi64((long long)(8 * below - up)));
    const vec mask = _mm512_set1_epi64((INT64_C(1) << DIGIT_BITS) - 1);
    const unsigned char *at = (const unsigned char *)a - below;
    __mmask64 there = ~UINT64_C(0) << below;
    for (size_t left = n * sizeof *a + below;; left -= DIGIT_BITS, at += DIGIT_BITS, x += LANES) {
        there &= left >= LOAD_BYTES ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1;
        const vec row = _mm512_permutexvar_epi8(bytes, _mm512_maskz_loadu_epi8(there, at));
        _mm512_store_si512(x, _mm512_and_si512(_mm512_srlv_epi64(row, shifts), mask));
        if (left <= DIGIT_BITS)
            break;
        there = ~UINT64_C(0);
    }
}

/*
 * rows_join - join columns into limbs if each is a digit after the carry from the one before (its bits from r on); else false.
 *
 *   z   out  zn limbs, partly written if false
 *   c   in   as many columns as zn limbs have digits of r bits, in whole vectors
 */
SHORT_INLINE bool rows_join(mp_limb_t *z, size_t zn, const uint64_t *c, unsigned r)
{
    const struct radix *radix = &radixes[r - DIGIT_BITS_LEAST];
    const vec even = _mm512_load_si512(radix->even), odd = _mm512_load_si512(radix->odd);
    const vec shifts = _mm512_load_si512(radix->shift), mask = _mm512_set1_epi64((INT64_C(1) << r) - 1);
    const __mmask64 even_mask = radix->even_mask, odd_mask = radix->odd_mask;
    const __m128i count = _mm_cvtsi32_si128((int)r);
    unsigned char *at = (unsigned char *)z;
    size_t left = zn * sizeof *z;
    vec before = _mm512_setzero_si512();
    unsigned beyond = 0; /* columns that are not digits, including negative ones */
    for (;; at += r, left -= r, c += LANES) {
        const vec own = _mm512_load_si512(c), carry = _mm512_sra_epi64(_mm512_alignr_epi64(own, before, LANES - 1), count);
        const vec x = _mm512_add_epi64(_mm512_and_si512(own, mask), carry), y = _mm512_sllv_epi64(x, shifts);
        const vec row =
            _mm512_or_si512(_mm512_maskz_permutexvar_epi8(even_mask, even, y), _mm512_maskz_permutexvar_epi8(odd_mask, odd, y));
        before = own;
        beyond |= _mm512_cmpgt_epu64_mask(x, mask);
        if (left >= LOAD_BYTES)
            _mm512_storeu_si512(at, row);
        else
            _mm512_mask_storeu_epi8(at, (UINT64_C(1) << left) - 1, row);
        if (left <= r)
            return beyond == 0;
    }
}

/* columns_settle - make n columns digits of r bits, by a carry after the other. */
SHORT_NOINLINE void columns_settle(uint64_t *c, size_t n, unsigned r)
{
    int64_t carry = 0;
    for (size_t k = 0; k < n; k++) {
        const int64_t x = (int64_t)c[k], low = (x & ((INT64_C(1) << r) - 1)) + carry; /* in [-2^17, 2^r + 2^17) */
        c[k] = (uint64_t)low & ((UINT64_C(1) << r) - 1);
        carry = (x >> r) + (low >> r);
    }
}

/*
 * columns_join - z = sum of c[k] 2^(r k), modulo 2^(64 zn).
 *
 *   z   out  zn limbs
 *   c   i/o  signed columns, |c[k]| < 2^63; as many as zn limbs have digits of r bits, in whole vectors; aligned
 *
 * A column's bits from r on go to the next one, which is then in [-2^16, 2^r + 2^16).  A second carry is hardly ever needed.
 */
SHORT_INLINE void columns_join(mp_limb_t *z, size_t zn, uint64_t *c, unsigned r)
{
    if (__builtin_expect(rows_join(z, zn, c, r), 1))
        return;
    columns_settle(c, digits_of(zn, r), r);
    rows_join(z, zn, c, r);
}

/*
 * limbs_add - {z, n + rest} = {z, n} + {x, n + rest}; the sum has as many limbs.   n, rest >= 1
 *
 * A lane passes a carry on if its sum overflows, or if it gets a carry and is all ones, like a bit in an addition of words.
 */
SHORT_INLINE void limbs_add(mp_limb_t *z, const mp_limb_t *x, size_t n, size_t rest)
{
    const vec ones = _mm512_set1_epi64(-1);
    unsigned carry = 0;
    memcpy(z + n, x + n, rest * sizeof *z);
    for (size_t k = 0; k < n; k += LANES) {
        const __mmask8 there = (__mmask8)(n - k >= LANES ? 0xff : 0xff >> (LANES - (n - k)));
        const vec y = _mm512_maskz_loadu_epi64(there, x + k), s = _mm512_add_epi64(_mm512_maskz_loadu_epi64(there, z + k), y);
        const unsigned own = _mm512_cmplt_epu64_mask(s, y), full = _mm512_cmpeq_epi64_mask(s, ones);
        const unsigned in = 2 * own + carry + full;
        _mm512_mask_storeu_epi64(z + k, there, _mm512_mask_sub_epi64(s, (__mmask8)(in ^ full), s, ones));
        carry = in >> (n - k >= LANES ? LANES : n - k) & 1;
    }
    for (size_t k = n; carry; k++)
        carry = ++z[k] == 0;
}

#endif
