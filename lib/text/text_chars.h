/*
 * text_chars.h - characters and their digit values, one by one and eight in a 64-bit word.
 *
 * A word of eight characters has the most significant digit, which comes first in text, in its highest byte.
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_TEXT_CHARS_H
#define GFMUL_TEXT_CHARS_H

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { CHAR_NO_DIGIT = 255 };

#define CHARS_EVERY_8  UINT64_C(0x0101010101010101)
#define CHARS_EVERY_16 UINT64_C(0x0001000100010001)
#define CHARS_EVERY_32 UINT64_C(0x0000000100000001)

/* char_value - 0..35, or CHAR_NO_DIGIT. */
static inline unsigned char_value(char ch)
{
    unsigned c = (unsigned char)ch;
    if (c - '0' < 10)
        return c - '0';
    c |= 0x20;
    return c - 'a' < 26 ? c - 'a' + 10 : CHAR_NO_DIGIT;
}

/*
 * chars_values - the values of n digits, letters of both cases among them.   to out: n bytes, apart from the digits
 *
 * Only for valid digits: a letter is told from 0..9 by bit 6 alone, so that the loop has no branches, and compilers make vectors
 * of it.
 */
static inline void chars_values(unsigned char *restrict to, const char *restrict digits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)digits[i], letter = (unsigned char)(c >> 6 & 1);
        to[i] = (unsigned char)((c & (15 | letter << 4)) + 9 * letter);
    }
}

/* char_of_value - the character of a value 0..35, lower case. */
static inline char char_of_value(unsigned v)
{
    return (char)(v < 10 ? '0' + v : 'a' + v - 10);
}

/* char_is_space - space, tab, LF, VT, FF, CR. */
static inline int char_is_space(char ch)
{
    unsigned c = (unsigned char)ch;
    return c == ' ' || c - '\t' < 5;
}

/* chars_load, chars_store - eight characters from and to text at any alignment. */
static inline uint64_t chars_load(const char *p)
{
    uint64_t x;
    memcpy(&x, p, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}
static inline void chars_store(char *p, uint64_t x)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    memcpy(p, &x, 8);
}

static inline void chars_store_4(char *p, uint32_t x)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    x = __builtin_bswap32(x);
#endif
    memcpy(p, &x, 4);
}

/* chars_prefetch - prefetch text that is read from s on, because the hardware prefetcher stops at the end of a page. */
static inline void chars_prefetch(const char *s)
{
#ifdef __GNUC__
    __builtin_prefetch(s + (1 << 13));
#else
    (void)s;
#endif
}

/* chars_to_values - eight digits and letters of either case to eight bytes 0..35; no letters: any non-zero base <= 10. */
static inline uint64_t chars_to_values(uint64_t x, int letters)
{
    uint64_t low = x & 0x0f * CHARS_EVERY_8;
    if (!letters)
        return low;
    /* letters are 0x41.. and 0x61..: value (c & 0x1f) + 9 */
    uint64_t is_letter = x >> 6 & CHARS_EVERY_8;
    return low + 9 * is_letter + (x & is_letter << 4);
}

/* values_to_chars - eight bytes 0..35 to characters, lower case. */
static inline uint64_t values_to_chars(uint64_t v)
{
    uint64_t is_letter = (v + 118 * CHARS_EVERY_8) >> 7 & CHARS_EVERY_8; /* v + 118 >= 128 from v = 10 on */
    return v + '0' * CHARS_EVERY_8 + ('a' - '0' - 10) * is_letter;
}

/* values_join - the number of eight digits in base b1, with b2 = b1^2, b4 = b1^4; below 36^8 < 2^42. */
static inline uint64_t values_join(uint64_t v, uint64_t b1, uint64_t b2, uint64_t b4)
{
    v = (v & 0xff * CHARS_EVERY_16) + (v >> 8 & 0xff * CHARS_EVERY_16) * b1;      /* lanes < 36^2 < 2^16 */
    v = (v & 0xffff * CHARS_EVERY_32) + (v >> 16 & 0xffff * CHARS_EVERY_32) * b2; /* lanes < 36^4 < 2^32 */
    return (v & 0xffffffff) + (v >> 32) * b4;
}

#ifdef __SSE2__
/* decimals_join_4 - four numbers of four decimal digits each, in lanes of 32 bits. */
static inline __m128i decimals_join_4(__m128i x)
{
    x = _mm_and_si128(x, _mm_set1_epi8(0x0f));
    x = _mm_srli_epi16(_mm_mullo_epi16(x, _mm_set1_epi16(10 * 256 + 1)), 8); /* pairs: the first character is the low byte */
    return _mm_madd_epi16(x, _mm_set1_epi32(1 << 16 | 100));
}

/* decimals_join_8 - two numbers of eight decimal digits from each of x and y. */
static inline __m128i decimals_join_8(__m128i x, __m128i y)
{
    x = _mm_packs_epi32(decimals_join_4(x), decimals_join_4(y)); /* < 10^4 < 2^15 */
    return _mm_madd_epi16(x, _mm_set1_epi32(1 << 16 | 10000));
}
#endif

/* decimals_join_16 - the numbers of sixteen decimal digits each at s and at t. */
static inline void decimals_join_16(uint64_t z[2], const char *s, const char *t)
{
#ifdef __SSE2__
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)s), y = _mm_loadu_si128((const __m128i *)(const void *)t);
    const __m128i v = decimals_join_8(x, y); /* high, low, high, low: < 10^8 */
    const __m128i high = _mm_mul_epu32(v, _mm_set1_epi64x(100000000));
    _mm_storeu_si128((__m128i *)(void *)z, _mm_add_epi64(high, _mm_srli_epi64(v, 32)));
#else
    for (int k = 0; k < 2; k++, s = t)
        z[k] = values_join(chars_to_values(chars_load(s), 0), 10, 100, 10000) * 100000000 +
               values_join(chars_to_values(chars_load(s + 8), 0), 10, 100, 10000);
#endif
}

/* values_split_10 - eight decimal digits of x < 10^8 as bytes. */
static inline uint64_t values_split_10(uint32_t x)
{
    /* the reciprocals are exact: floor(y / 100) = y * 10486 >> 20 for y < 10^4, floor(y / 10) = y * 103 >> 10 for y < 100 */
    uint64_t high = x / 10000, v = high << 32 | (x - (uint32_t)high * 10000);
    uint64_t q = v * 10486 >> 20 & 0x7f * CHARS_EVERY_32;
    v = q << 16 | (v - 100 * q);
    q = v * 103 >> 10 & 0x0f * CHARS_EVERY_16;
    return q << 8 | (v - 10 * q);
}

/* values_split_10_4 - four decimal digits of x < 10^4 as bytes. */
static inline uint32_t values_split_10_4(uint32_t x)
{
    uint32_t q = x * 10486 >> 20, v = q << 16 | (x - 100 * q);
    q = v * 103 >> 10 & 0x000f000f;
    return q << 8 | (v - 10 * q);
}

/* values_split_bits - eight digits of `bits` bits each, x < 2^(8 bits), bits in 1..5, as bytes. */
static inline uint64_t values_split_bits(uint64_t x, unsigned bits)
{
    x = (x >> 4 * bits) << 32 | (x & ((UINT64_C(1) << 4 * bits) - 1));
    uint64_t mask = ((UINT64_C(1) << 2 * bits) - 1) * CHARS_EVERY_32;
    x = (x >> 2 * bits & mask) << 16 | (x & mask);
    mask = ((UINT64_C(1) << bits) - 1) * CHARS_EVERY_16;
    return (x >> bits & mask) << 8 | (x & mask);
}

#endif
