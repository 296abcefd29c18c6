/*
 * short_fma_vec.h - digits and columns in vectors of AVX2, with products of digits by fused multiply-adds in double.
 *
 * Defines the operations used by short_columns.h and short_blocks.h, like short_ifma_vec.h.  A digit is a double.
 */
#ifndef GFMUL_SHORT_FMA_VEC_H
#define GFMUL_SHORT_FMA_VEC_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define SHORT_INLINE   static inline __attribute__((always_inline))
#define SHORT_NOINLINE static __attribute__((noinline))

typedef __m256i vec;

enum { DIGIT_BITS = 51, LANES = 4 };

SHORT_INLINE vec load(const uint64_t *p)
{
    return _mm256_load_si256((const __m256i *)(const void *)p);
}

SHORT_INLINE void store(uint64_t *p, vec x)
{
    _mm256_store_si256((__m256i *)(void *)p, x);
}

SHORT_INLINE vec columns_zero(void)
{
    return _mm256_setzero_si256();
}

SHORT_INLINE vec columns_sum(vec x, vec y)
{
    return _mm256_add_epi64(x, y);
}

SHORT_INLINE vec columns_difference(vec x, vec y)
{
    return _mm256_sub_epi64(x, y);
}

SHORT_INLINE vec digits_sum(vec x, vec y)
{
    return _mm256_castpd_si256(_mm256_add_pd(_mm256_castsi256_pd(x), _mm256_castsi256_pd(y)));
}

/* columns_moved - the columns before those of x; `before` has the vector before x. */
SHORT_INLINE vec columns_moved(vec x, vec before)
{
    return _mm256_blend_epi32(_mm256_permute4x64_epi64(x, 0x93), _mm256_permute4x64_epi64(before, 0x93), 0x03);
}

/* columns_carry - the carries out of the columns before those of x, from bit r on.   AVX2 has only unsigned shifts of words. */
SHORT_INLINE vec columns_carry(vec x, vec before, unsigned r)
{
    const __m128i count = _mm_cvtsi32_si128((int)r);
    const vec sign = _mm256_set1_epi64x(INT64_MIN), moved = columns_moved(x, before);
    return _mm256_sub_epi64(_mm256_srl_epi64(_mm256_xor_si256(moved, sign), count), _mm256_srl_epi64(sign, count));
}

/* columns_rest - the lower r bits of columns; if last, the last one keeps all bits. */
SHORT_INLINE vec columns_rest(vec x, unsigned r, int last)
{
    const vec rest = _mm256_and_si256(x, _mm256_set1_epi64x((INT64_C(1) << r) - 1));
    return last ? _mm256_blend_epi32(rest, x, 0xc0) : rest;
}

/* columns_scaled - columns times 2^up. */
SHORT_INLINE vec columns_scaled(vec x, unsigned up)
{
    return _mm256_sll_epi64(x, _mm_cvtsi32_si128((int)up));
}

/*
 * products_add - *low + 2^51 *high grows by x y + (MIDDLE + 2^51 BEGIN), for digits x and y of up to 51 bits.
 *
 * The first fused multiply-add rounds 2^103 + x y to a multiple of 2^51, which is the unit in its last place because x y is at
 * most 2^102.  The difference is exact.  So is the second multiply-add: x y minus that multiple is at most 2^51 in any rounding
 * mode, and adding 3 * 2^51 gives a value between 2^52 and 2^53.  Then the words of both doubles grow as the integers do.
 */
#define FMA_BEGIN  0x1p103
#define FMA_MIDDLE 0x1.8p52

/* The constants that all products begin with, in registers. */
struct fma_offsets {
    __m256d begin, both;
};

SHORT_INLINE struct fma_offsets fma_offsets(void)
{
    struct fma_offsets o = {_mm256_set1_pd(FMA_BEGIN), _mm256_set1_pd(FMA_BEGIN + FMA_MIDDLE)};
    __asm__("" : "+x"(o.begin), "+x"(o.both)); /* else GCC loads them again for each product */
    return o;
}

SHORT_INLINE void products_add(const struct fma_offsets *o, vec *low, vec *high, vec x, vec y)
{
    const __m256d a = _mm256_castsi256_pd(x), b = _mm256_castsi256_pd(y);
    const __m256d h = _mm256_fmadd_pd(a, b, o->begin);
    const __m256d l = _mm256_fmadd_pd(a, b, _mm256_sub_pd(o->both, h));
    *high = _mm256_add_epi64(*high, _mm256_castpd_si256(h));
    *low = _mm256_add_epi64(*low, _mm256_castpd_si256(l));
    __asm__("" : "+x"(*low), "+x"(*high)); /* else GCC makes all products first and spills them */
}

/* sums_begin - the initial sums for this many products: minus their offsets. */
SHORT_INLINE void sums_begin(vec *low, vec *high, size_t products)
{
    static const union {
        double number;
        uint64_t word;
    } begin = {FMA_BEGIN}, middle = {FMA_MIDDLE};
    *high = _mm256_set1_epi64x((long long)(0 - products * begin.word));
    *low = _mm256_set1_epi64x((long long)(0 - products * middle.word));
}

SHORT_INLINE vec digit_all(uint64_t digit)
{
    return _mm256_set1_epi64x((long long)digit);
}

/* digits_times - digits times 0, 1 or 2. */
SHORT_INLINE vec digits_times(vec x, const double *times)
{
    return _mm256_castpd_si256(_mm256_mul_pd(_mm256_castsi256_pd(x), _mm256_loadu_pd(times)));
}

SHORT_INLINE vec load_anywhere(const uint64_t *p)
{
    vec x = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __asm__("" : "+x"(x)); /* once for both multiply-adds */
    return x;
}

#endif
