/*
 * short_ifma_vec.h - digits and columns in vectors of AVX-512, with its 52-bit products.
 *
 * Defines the operations used by short_columns.h and short_blocks.h; short_fma_vec.h has the same for AVX2.
 */
#ifndef GFMUL_SHORT_IFMA_VEC_H
#define GFMUL_SHORT_IFMA_VEC_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#ifndef SHORT_INLINE /* the proof has operations of its own */
#define SHORT_INLINE   static inline __attribute__((always_inline, target("avx512ifma,avx512vbmi")))
#define SHORT_NOINLINE static __attribute__((noinline, target("avx512ifma,avx512vbmi")))
#endif

typedef __m512i vec;

enum { DIGIT_BITS = 52, LANES = 8 };

SHORT_INLINE vec load(const uint64_t *p)
{
    return _mm512_load_si512(p);
}

SHORT_INLINE void store(uint64_t *p, vec x)
{
    _mm512_store_si512(p, x);
}

SHORT_INLINE vec columns_zero(void)
{
    return _mm512_setzero_si512();
}

SHORT_INLINE vec columns_sum(vec x, vec y)
{
    return _mm512_add_epi64(x, y);
}

SHORT_INLINE vec columns_difference(vec x, vec y)
{
    return _mm512_sub_epi64(x, y);
}

SHORT_INLINE vec digits_sum(vec x, vec y)
{
    return _mm512_add_epi64(x, y);
}

/* columns_carry - the carries out of the columns before those of x, from bit r on; `before` has the vector before x. */
SHORT_INLINE vec columns_carry(vec x, vec before, unsigned r)
{
    return _mm512_sra_epi64(_mm512_alignr_epi64(x, before, LANES - 1), _mm_cvtsi32_si128((int)r));
}

/* columns_rest - the lower r bits of columns; if last, the last one keeps all bits. */
SHORT_INLINE vec columns_rest(vec x, unsigned r, int last)
{
    return _mm512_mask_and_epi64(x, last ? 0x7f : 0xff, x, _mm512_set1_epi64((INT64_C(1) << r) - 1));
}

/* digits_beyond - whether a lane is not below 2^r. */
SHORT_INLINE int digits_beyond(vec x, unsigned r)
{
    return _mm512_cmpgt_epu64_mask(x, _mm512_set1_epi64((INT64_C(1) << r) - 1)) != 0;
}

#endif
